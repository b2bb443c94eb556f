#include "daemon/query/hook_form.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/date.h"
#include "base/log.h"
#include "daemon/query/event.h"
#include "daemon/query/mail.h"
#include "daemon/query/message.h"
#include "daemon/query/payload.h"
#include "template/version_json.h"

/* How a field of a form is checked and shown. */
enum hook_field_kind {
	FIELD_TEXT,
	FIELD_SECRET, /* responses do not contain it */
	FIELD_URL,    /* http or https; responses show only its server */
	FIELD_MAIL_URL,
	FIELD_ADDRESS,   /* of mail */
	FIELD_ADDRESSES, /* separated by commas */
	FIELD_CHOICE,    /* "required" or "never" */
	FIELD_HEADER,    /* "Name: value"; secret */
	FIELD_PAYLOAD,   /* payload.h; responses do not contain it */
};

struct hook_field {
	const char *name; /* NULL ends a list */
	const char *label;
	enum hook_field_kind kind;
	bool is_required;
	const char *value; /* if the request has none; NULL = none */
};

/*
 * A form. The parts are payloads: `path` is percent-encoded and follows the
 * target, `headers` are lines "Name: value\n".
 */
struct hook_form {
	const char *name;
	const char *label;
	const char *method;
	const char *path; /* NULL: the target is the whole URL */
	const char *headers;
	const char *type; /* Content-Type of the request */
	const char *body;
	const char *kinds; /* events, if the request names none; "" = alerts */
	struct hook_field fields[8];
};

#define JSON_TYPE "application/json"
/* How the services call the three severities. */
#define COLOR "{severity:alert=15548997,notice=16705372,*=5793266}"

static const struct hook_form hook_forms[] = {
	{"json",
	 "Webhook with the event as JSON",
	 "POST",
	 NULL,
	 "",
	 JSON_TYPE,
	 NULL,
	 "",
	 {{"target", "URL", FIELD_URL, true, NULL}}},
	{"command",
	 "Command on the machine of the daemon",
	 NULL,
	 NULL,
	 "",
	 "",
	 NULL,
	 "",
	 {{"target", "exec:/PATH ARGUMENT...", FIELD_TEXT, true, NULL}}},
	/*
	 * https://docs.slack.dev/reference/block-kit/blocks: 150 characters of
	 * a header, 3,000 of a section. Only the first text has a markup.
	 */
	{"slack",
	 "Slack",
	 "POST",
	 NULL,
	 "",
	 JSON_TYPE,
	 "{\"text\":\"{title.300|slack}\",\"blocks\":["
	 "{\"type\":\"header\",\"text\":{\"type\":\"plain_text\","
	 "\"text\":\"{title.150}\"}},"
	 "{\"type\":\"section\",\"text\":{\"type\":\"plain_text\","
	 "\"text\":\"{text.3000}\"}}"
	 "{?url},{\"type\":\"actions\",\"elements\":[{\"type\":\"button\","
	 "\"text\":{\"type\":\"plain_text\",\"text\":\"Open\"},"
	 "\"url\":\"{url.3000}\"}]}{/url}]}",
	 "",
	 {{"target", "URL of the incoming webhook", FIELD_URL, true, NULL}}},
	/*
	 * https://discord.com/developers/docs/resources/message: 256 characters
	 * of a title, 4,096 of a description
	 */
	{"discord",
	 "Discord",
	 "POST",
	 NULL,
	 "",
	 JSON_TYPE,
	 "{\"embeds\":[{\"title\":\"{title.256}\","
	 "\"description\":\"{text.4000|markdown}\",\"color\":" COLOR
	 ",\"timestamp\":\"{time}\"{?url},\"url\":\"{url}\"{/url}}],"
	 "\"allowed_mentions\":{\"parse\":[]}}",
	 "",
	 {{"target", "URL of the webhook", FIELD_URL, true, NULL}}},
	/*
	 * https://learn.microsoft.com/en-us/microsoftteams/platform/
	 * webhooks-and-connectors/how-to/add-incoming-webhook: a message with
	 * an Adaptive Card, at most 28 KB
	 */
	{"teams",
	 "Microsoft Teams (Workflows)",
	 "POST",
	 NULL,
	 "",
	 JSON_TYPE,
	 "{\"type\":\"message\",\"attachments\":[{\"contentType\":"
	 "\"application/vnd.microsoft.card.adaptive\",\"contentUrl\":null,"
	 "\"content\":{\"$schema\":"
	 "\"http://adaptivecards.io/schemas/adaptive-card.json\","
	 "\"type\":\"AdaptiveCard\",\"version\":\"1.4\",\"body\":["
	 "{\"type\":\"TextBlock\",\"size\":\"Medium\",\"weight\":\"Bolder\","
	 "\"wrap\":true,\"color\":\"{severity:alert=Attention,notice=Warning,"
	 "*=Default}\",\"text\":\"{title.300|markdown}\"},"
	 "{\"type\":\"TextBlock\",\"wrap\":true,"
	 "\"text\":\"{text.4000|markdown}\"}]"
	 "{?url},\"actions\":[{\"type\":\"Action.OpenUrl\",\"title\":\"Open\","
	 "\"url\":\"{url}\"}]{/url}}}]}",
	 "",
	 {{"target", "URL of the workflow", FIELD_URL, true, NULL}}},
	/*
	 * https://spec.matrix.org/v1.11/client-server-api/#mroommessage. The
	 * server drops a repeated transaction.
	 */
	{"matrix",
	 "Matrix",
	 "PUT",
	 "/_matrix/client/v3/rooms/{room}/send/m.room.message/{id}",
	 "Authorization: Bearer {token}\n",
	 JSON_TYPE,
	 "{\"msgtype\":\"m.text\",\"body\":\"{title.500}\\n\\n{text.8000}"
	 "{?url}\\n{url}{/url}\"}",
	 "",
	 {{"target", "URL of the home server", FIELD_URL, true, NULL},
	  {"room", "ID of the room (!...:server)", FIELD_TEXT, true, NULL},
	  {"token", "Access token", FIELD_SECRET, true, NULL}}},
	/* https://core.telegram.org/bots/api#sendmessage: 4,096 characters */
	{"telegram",
	 "Telegram",
	 "POST",
	 "/bot{token}/sendMessage",
	 "",
	 JSON_TYPE,
	 "{\"chat_id\":\"{chat}\",\"text\":\"{title.256}\\n\\n{text.1700}"
	 "{?url}\\n{url.2083}{/url}\","
	 "\"link_preview_options\":{\"is_disabled\":true}}",
	 "",
	 {{"target", "URL of the API", FIELD_URL, false,
	   "https://api.telegram.org"},
	  {"token", "Token of the bot", FIELD_SECRET, true, NULL},
	  {"chat", "Number or @name of the chat", FIELD_TEXT, true, NULL}}},
	/*
	 * https://docs.ntfy.sh/publish/#publish-as-json: 4,096 bytes of a
	 * message
	 */
	{"ntfy",
	 "ntfy",
	 "POST",
	 "/",
	 "{?token}Authorization: Bearer {token}\n{/token}",
	 JSON_TYPE,
	 "{\"topic\":\"{topic}\",\"title\":\"{title.250}\","
	 "\"message\":\"{text.1300}\","
	 "\"priority\":{severity:alert=4,notice=3,*=2},"
	 "\"tags\":[\"{severity:alert=rotating_light,notice=warning,"
	 "*=information_source}\"]{?url},\"click\":\"{url}\"{/url}}",
	 "",
	 {{"target", "URL of the server", FIELD_URL, false, "https://ntfy.sh"},
	  {"topic", "Topic", FIELD_SECRET, true, NULL},
	  {"token", "Access token", FIELD_SECRET, false, NULL}}},
	/* https://gotify.net/api-docs#/message/createMessage */
	{"gotify",
	 "Gotify",
	 "POST",
	 "/message",
	 "X-Gotify-Key: {token}\n",
	 JSON_TYPE,
	 "{\"title\":\"{title.250}\",\"message\":\"{text.4000}\","
	 "\"priority\":{severity:alert=8,notice=5,*=2}"
	 "{?url},\"extras\":{\"client::notification\":{\"click\":"
	 "{\"url\":\"{url}\"}}}{/url}}",
	 "",
	 {{"target", "URL of the server", FIELD_URL, true, NULL},
	  {"token", "Token of the application", FIELD_SECRET, true, NULL}}},
	/*
	 * https://developer.pagerduty.com/docs/send-alert-event: 1,024
	 * characters of a summary, 255 of a key, 512 KB in all
	 */
	{"pagerduty",
	 "PagerDuty",
	 "POST",
	 "/v2/enqueue",
	 "",
	 JSON_TYPE,
	 "{\"routing_key\":\"{token}\",\"event_action\":\"{action}\","
	 "\"dedup_key\":\"{key.255}\",\"client\":\"templated\"{?url},"
	 "\"client_url\":\"{url}\",\"links\":[{\"href\":\"{url}\","
	 "\"text\":\"Open\"}]{/url},"
	 "\"payload\":{\"summary\":\"{title.1024}\","
	 "\"source\":\"{site.255:=templated}\","
	 "\"severity\":\"{severity:alert=critical,notice=warning,*=info}\","
	 "\"timestamp\":\"{time}\",\"class\":\"{kind}\","
	 "\"custom_details\":{\"text\":\"{text.8000}\",\"event\":{event}}}}",
	 "alerts,incident.ended",
	 {{"target", "URL of the API", FIELD_URL, false,
	   "https://events.pagerduty.com"},
	  {"token", "Integration key", FIELD_SECRET, true, NULL}}},
	{"mail",
	 "Mail",
	 NULL,
	 NULL,
	 "",
	 "",
	 "{text}\n\n{links}\n\n-- \ntemplated, event {seq}\n",
	 "",
	 {{"target", "Server: smtps://HOST:465 or smtp://HOST:587",
	   FIELD_MAIL_URL, true, NULL},
	  {"to", "Recipients", FIELD_ADDRESSES, true, NULL},
	  {"from", "Sender; the first recipient if empty", FIELD_ADDRESS, false,
	   NULL},
	  {"user", "User", FIELD_TEXT, false, NULL},
	  {"password", "Password", FIELD_SECRET, false, NULL},
	  {"starttls", "STARTTLS with smtp://: required or never", FIELD_CHOICE,
	   false, "required"}}},
	{"template",
	 "Another service, with a template",
	 "POST",
	 NULL,
	 "",
	 NULL,
	 NULL,
	 "",
	 {{"target", "URL", FIELD_URL, true, NULL},
	  {"template", "Body of the request", FIELD_PAYLOAD, true, NULL},
	  {"content_type", "Content-Type", FIELD_TEXT, false, JSON_TYPE},
	  {"header", "Another header, such as Authorization: Bearer TOKEN",
	   FIELD_HEADER, false, NULL}}},
};

/* Discord refuses longer ones; of the services it has the lowest limit. */
enum { MAX_LINK_BYTES = 2048 };

enum { FORMS = sizeof(hook_forms) / sizeof(hook_forms[0]) };

static const char *const field_kinds[] = {
	[FIELD_TEXT] = "text",        [FIELD_SECRET] = "secret",
	[FIELD_URL] = "url",          [FIELD_MAIL_URL] = "mail_url",
	[FIELD_ADDRESS] = "address",  [FIELD_ADDRESSES] = "addresses",
	[FIELD_CHOICE] = "choice",    [FIELD_HEADER] = "secret",
	[FIELD_PAYLOAD] = "template",
};

/* Return NULL if there is no such form. */
static const struct hook_form *hook_form_find(const char *name)
{
	for (size_t i = 0; i < FORMS; i++)
		if (name != NULL && strcmp(hook_forms[i].name, name) == 0)
			return &hook_forms[i];
	return NULL;
}

/* Return whether the target of the form is a text, without settings. */
static bool hook_form_is_plain(const struct hook_form *form)
{
	return form->body == NULL && form->type != NULL;
}

json_t *hook_forms_json(void)
{
	json_t *list = json_array();

	for (size_t i = 0; i < FORMS; i++) {
		json_t *fields = json_array();

		for (const struct hook_field *field = hook_forms[i].fields;
		     field->name != NULL; field++)
			json_array_append_new(
				fields,
				json_pack("{s:s, s:s, s:s, s:b, s:s?}", "name",
					  field->name, "label", field->label,
					  "kind", field_kinds[field->kind],
					  "required", (int)field->is_required,
					  "default", field->value));
		json_array_append_new(
			list, json_pack("{s:s, s:s, s:o}", "name",
					hook_forms[i].name, "label",
					hook_forms[i].label, "fields", fields));
	}
	return list;
}

/* Checks of the fields. */

/*
 * Parse the URL of a mail server, without a path, as the URL of HTTP with the
 * same host and port.
 */
static bool hook_mail_server(struct slice target, struct url *url_out)
{
	static const struct {
		const char *scheme;
		const char *port;
	} schemes[] = {{"smtp://", "25"}, {"smtps://", "465"}};
	struct buffer text = {0};
	bool is_right = false;

	for (size_t i = 0; i < 2; i++) {
		size_t length = strlen(schemes[i].scheme);
		struct slice host = target;

		if (target.size <= length ||
		    memcmp(target.data, schemes[i].scheme, length) != 0)
			continue;
		slice_advance(&host, length);
		if (memchr(host.data, '/', host.size) != NULL ||
		    memchr(host.data, '@', host.size) != NULL)
			return false;
		buffer_append_text(&text, "http://");
		buffer_append_slice(&text, host);
		is_right = url_parse(url_out, buffer_slice(&text), NULL) ==
				   ERR_NONE &&
			   strcmp(url_out->text + url_out->path, "/") == 0;
		if (is_right && strchr(url_out->host, ':') == NULL) {
			buffer_printf(&text, ":%s", schemes[i].port);
			is_right = url_parse(url_out, buffer_slice(&text),
					     NULL) == ERR_NONE;
		}
	}
	buffer_free(&text);
	return is_right;
}

static bool hook_is_web_url(const char *text)
{
	struct url url;

	return (strncmp(text, "http://", 7) == 0 ||
		strncmp(text, "https://", 8) == 0) &&
	       strlen(text) <= MAX_TARGET_BYTES && strchr(text, ' ') == NULL &&
	       url_parse(&url, slice_of(text), NULL) == ERR_NONE;
}

static bool hook_are_addresses(const char *text)
{
	struct slice list = slice_of(text);
	struct slice address = mail_next_address(&list);
	bool is_right = address.size > 0;

	for (; address.size > 0; address = mail_next_address(&list))
		is_right &= mail_is_address(address);
	return is_right && list.size == 0;
}

/*
 * Return whether the text is a header that does not change where the request
 * ends and who gets it.
 */
static bool hook_is_header(const char *text)
{
	static const char *const ours[] = {"Connection", "Content-Length",
					   "Host", "Transfer-Encoding"};
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (strlen(ours[i]) == length &&
		    strncasecmp(ours[i], text, length) == 0)
			return false;
	return length > 0 && text[length] == ':';
}

/* Return an error text, or NULL if the value is valid. */
static const char *hook_field_check(const struct hook_field *field,
				    const char *value)
{
	struct url url;

	for (const char *c = value; *c != '\0'; c++)
		if (((unsigned char)*c < ' ' || *c == 0x7f) &&
		    field->kind != FIELD_PAYLOAD)
			return "must have no control characters";
	if (field->is_required && *value == '\0')
		return "is required";
	if (strlen(value) > MAX_SETTING_BYTES)
		return "is too long";
	if (*value == '\0')
		return NULL;
	switch (field->kind) {
	case FIELD_URL:
		return hook_is_web_url(value)
			       ? NULL
			       : "not an http:// or https:// URL";
	case FIELD_MAIL_URL:
		return hook_mail_server(slice_of(value), &url)
			       ? NULL
			       : "must be smtp://HOST:PORT or "
				 "smtps://HOST:PORT";
	case FIELD_ADDRESS:
		return mail_is_address(slice_of(value))
			       ? NULL
			       : "must be an address such as a@example.org";
	case FIELD_ADDRESSES:
		return hook_are_addresses(value)
			       ? NULL
			       : "must be addresses such as a@example.org, "
				 "b@example.org";
	case FIELD_CHOICE:
		return strcmp(value, "required") == 0 ||
				       strcmp(value, "never") == 0
			       ? NULL
			       : "must be required or never";
	case FIELD_HEADER:
		return hook_is_header(value)
			       ? NULL
			       : "must be a header, Name: value, and not one "
				 "of the request itself";
	default:
		return NULL;
	}
}

/* The settings. */

static const char *hook_setting(const json_t *settings, const char *name)
{
	const char *text = json_member_text(settings, name);

	return text == NULL ? "" : text;
}

json_t *hook_target_settings(struct slice target)
{
	const struct hook_form *form;
	json_t *settings;

	if (target.size == 0 || slice_byte(target, 0) != '{')
		return NULL;
	settings = json_loadb(target.data, target.size, 0, NULL);
	form = hook_form_find(json_member_text(settings, "form"));
	if (form != NULL && !hook_form_is_plain(form))
		return settings;
	json_decref(settings);
	return NULL;
}

const char *hook_target_form(const json_t *settings, struct slice target)
{
	size_t length = strlen(HOOK_COMMAND);

	if (settings != NULL)
		return json_member_text(settings, "form");
	return target.size >= length &&
			       memcmp(target.data, HOOK_COMMAND, length) == 0
		       ? "command"
		       : "json";
}

/*
 * Copy the members of the request that are fields of the form to the settings.
 */
static bool hook_read_fields(const struct hook_form *form,
			     const json_t *request, json_t *settings,
			     const struct failure_text *why)
{
	for (const struct hook_field *field = form->fields; field->name != NULL;
	     field++) {
		const json_t *member = json_object_get(request, field->name);
		const char *value = json_string_value(member);
		const char *wrong;

		if (value == NULL || *value == '\0')
			value = field->value == NULL ? "" : field->value;
		wrong = member == NULL || json_is_string(member) ||
					json_is_null(member)
				? hook_field_check(field, value)
				: "must be a text";
		if (wrong != NULL) {
			snprintf(why->text, why->size, "%s: %s", field->name,
				 wrong);
			return false;
		}
		if (*value != '\0')
			json_object_set_new(settings, field->name,
					    json_string(value));
	}
	return true;
}

/* Return a field of another form that the request has; NULL = none. */
static const char *hook_foreign_field(const struct hook_form *form,
				      const json_t *request)
{
	for (size_t i = 0; i < FORMS; i++)
		for (const struct hook_field *field = hook_forms[i].fields;
		     field->name != NULL; field++) {
			const struct hook_field *own = form->fields;
			const json_t *member =
				json_object_get(request, field->name);

			while (own->name != NULL &&
			       strcmp(own->name, field->name) != 0)
				own++;
			if (own->name == NULL && member != NULL &&
			    !json_is_null(member))
				return field->name;
		}
	return NULL;
}

/* Rules for several fields. Return an error text, or NULL. */
static const char *hook_settings_check(const struct hook_form *form,
				       const json_t *settings)
{
	struct slice target = slice_of(hook_setting(settings, "target"));
	bool has_user = *hook_setting(settings, "user") != '\0';
	bool has_password = *hook_setting(settings, "password") != '\0';

	/* otherwise a command could be settings that nothing has checked */
	if (hook_form_is_plain(form) &&
	    strcmp(hook_target_form(NULL, target), form->name) != 0)
		return "target: must begin with " HOOK_COMMAND;
	if (strcmp(form->name, "mail") != 0)
		return NULL;
	if (has_user != has_password)
		return "user, password: give both or none";
	if (has_user &&
	    strcmp(hook_setting(settings, "starttls"), "never") == 0 &&
	    strncmp(hook_setting(settings, "target"), "smtps", 5) != 0)
		return "starttls: a password is not sent without encryption";
	return NULL;
}

/*
 * Return the address for the button of a message; "" if a service could refuse
 * it. Pages decide how long theirs is, and a message that is refused delays all
 * later ones.
 */
static const char *hook_link(const json_t *link)
{
	const char *url = hook_setting(link, "url");

	return strlen(url) <= MAX_LINK_BYTES ? url : "";
}

/* Set the values of the payloads from the event and the settings. */
static json_t *hook_values(const json_t *event, const json_t *settings,
			   const char *daemon_url)
{
	static const char *const copied[] = {"title", "text", "severity",
					     "kind",  "time", "seq"};
	json_t *links = event_links(event, daemon_url);
	const json_t *first = json_array_get(links, 0);
	struct buffer key = {0};
	struct buffer id = {0};
	json_t *values;

	event_key(event, &key);
	buffer_printf(&id, "templated-%" JSON_INTEGER_FORMAT "-%llu",
		      json_member_whole(event, "seq"),
		      (unsigned long long)date_parse(
			      slice_of(hook_setting(event, "time"))));
	values = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:O}",
			   "site", hook_setting(event, "site"), "template_name",
			   hook_setting(event, EVENT_NAME_MEMBER), "page",
			   hook_setting(event, "url"), "url", hook_link(first),
			   "link", hook_setting(first, "name"), "action",
			   event_is_resolved(event) ? "resolve" : "trigger",
			   "key", json_text(buffer_slice(&key)), "id",
			   json_text(buffer_slice(&id)), "links", links,
			   "event", event);
	for (size_t i = 0; i < sizeof(copied) / sizeof(copied[0]); i++)
		json_object_set(values, copied[i],
				json_object_get(event, copied[i]));
	for (size_t i = 0; i < FORMS; i++)
		for (const struct hook_field *field = hook_forms[i].fields;
		     field->name != NULL; field++)
			json_object_set_new(values, field->name,
					    json_string(hook_setting(
						    settings, field->name)));
	buffer_free(&key);
	buffer_free(&id);
	return values;
}

static bool hook_is_json(const char *type, struct slice body)
{
	json_t *value;

	if (payload_type_of(type) != PAYLOAD_JSON)
		return true;
	value = json_loadb(body.size == 0 ? "" : body.data, body.size,
			   JSON_DECODE_ANY, NULL);
	json_decref(value);
	return value != NULL;
}

/* Write the template of the user, which must be JSON if its type is. */
static bool hook_write_template(const json_t *settings, const json_t *values,
				struct buffer *body,
				const struct failure_text *why)
{
	const char *type = hook_setting(settings, "content_type");

	if (!payload_write(slice_of(hook_setting(settings, "template")),
			   payload_type_of(type), values, body, why))
		return false;
	if (hook_is_json(type, buffer_slice(body)))
		return true;
	snprintf(why->text, why->size,
		 "the result is no JSON; quote the values, as "
		 "in \"{title}\"");
	return false;
}

/* Write the template with several events, so that mistakes are found now. */
static bool hook_try_template(const json_t *settings,
			      const struct failure_text *why)
{
	static const uint16_t kinds[] = {EVENT_INCIDENT_CHANGED,
					 EVENT_INCIDENT_BACK, EVENT_HOOK_TEST};
	bool is_right = true;

	for (size_t i = 0; is_right && i < sizeof(kinds) / sizeof(kinds[0]);
	     i++) {
		const struct event_row row = {
			.kind = kinds[i],
			.host = slice_of("shop.example"),
			.url = slice_of("https://shop.example/"),
			.time_ms = 1000,
			.detail = slice_of("{}"),
		};
		json_t *event = event_json(1, &row);
		json_t *values = hook_values(event, settings, "");
		struct buffer body = {0};
		char what[200];

		is_right = hook_write_template(
			settings, values, &body,
			&(struct failure_text){what, sizeof(what)});
		if (!is_right)
			snprintf(why->text, why->size, "template: %s", what);
		buffer_free(&body);
		json_decref(values);
		json_decref(event);
	}
	return is_right;
}

static bool hook_settings_make(const struct hook_form *form,
			       const json_t *request, json_t *settings,
			       const struct failure_text *why)
{
	const char *wrong = hook_foreign_field(form, request);

	if (wrong != NULL) {
		snprintf(why->text, why->size,
			 "%s: the form %s has no such field", wrong,
			 form->name);
		return false;
	}
	if (!hook_read_fields(form, request, settings, why))
		return false;
	wrong = hook_settings_check(form, settings);
	if (wrong != NULL)
		snprintf(why->text, why->size, "%s", wrong);
	return wrong == NULL && (strcmp(form->name, "template") != 0 ||
				 hook_try_template(settings, why));
}

bool hook_target_make(const json_t *request, struct buffer *out,
		      const char **kinds_out, const struct failure_text *why)
{
	const char *name = json_member_text(request, "form");
	const char *target = hook_setting(request, "target");
	const struct hook_form *form = hook_form_find(
		name != NULL ? name : hook_target_form(NULL, slice_of(target)));
	json_t *settings;
	bool is_right;

	*kinds_out = "";
	if (form == NULL) {
		snprintf(why->text, why->size,
			 "form: unknown; see GET /v1/hook-forms");
		return false;
	}
	settings = json_pack("{s:s}", "form", form->name);
	*kinds_out = form->kinds;
	is_right = hook_settings_make(form, request, settings, why);
	if (is_right && hook_form_is_plain(form))
		buffer_append_text(out, target);
	else if (is_right)
		json_append(out, json_incref(settings), 0);
	if (is_right && out->size > MAX_SETTINGS_BYTES) {
		snprintf(why->text, why->size, "the fields are too long");
		is_right = false;
	}
	json_decref(settings);
	return is_right;
}

void hook_target_redact(struct slice target, struct buffer *out)
{
	json_t *settings = hook_target_settings(target);
	const struct hook_form *form =
		hook_form_find(json_member_text(settings, "form"));

	if (settings == NULL) {
		redact_target(target, out);
		return;
	}
	for (const struct hook_field *field = form->fields; field->name != NULL;
	     field++) {
		const char *value = json_member_text(settings, field->name);
		struct buffer shown = {0};

		if (value == NULL)
			continue;
		if (field->kind == FIELD_SECRET ||
		    field->kind == FIELD_HEADER ||
		    field->kind == FIELD_PAYLOAD) {
			json_object_del(settings, field->name);
		} else if (field->kind == FIELD_URL) {
			redact_target(slice_of(value), &shown);
			json_object_set_new(settings, field->name,
					    json_text(buffer_slice(&shown)));
		}
		buffer_free(&shown);
	}
	json_append(out, settings, 0);
}

bool hook_target_server(struct slice target, struct url *url_out)
{
	json_t *settings = hook_target_settings(target);
	struct slice url = settings == NULL
				   ? target
				   : slice_of(hook_setting(settings, "target"));
	bool is_right = hook_mail_server(url, url_out) ||
			url_parse(url_out, url, NULL) == ERR_NONE;

	json_decref(settings);
	return is_right;
}

/* Requests. */

void hook_request_free(struct hook_request *request)
{
	buffer_free(&request->url);
	buffer_free(&request->headers);
	buffer_free(&request->body);
	buffer_free(&request->from);
	buffer_free(&request->recipients);
}

/* Write the URL of the mail server with user and password; ":" ends a user. */
static void hook_mail_url(const json_t *values, struct buffer *out)
{
	const char *target = hook_setting(values, "target");
	const char *user = hook_setting(values, "user");
	size_t scheme = strcspn(target, ":") + strlen("://");

	buffer_append(out, target, scheme);
	if (*user != '\0') {
		percent_append(out, slice_of(user), "");
		buffer_append_byte(out, ':');
		percent_append(out, slice_of(hook_setting(values, "password")),
			       "");
		buffer_append_byte(out, '@');
	}
	buffer_append_text(out, target + scheme);
}

static bool hook_write_mail(const json_t *values, struct hook_request *request,
			    const struct failure_text *why)
{
	struct slice list = slice_of(hook_setting(values, "to"));
	struct slice address = mail_next_address(&list);
	struct mail mail = {
		.to = hook_setting(values, "to"),
		.subject = hook_setting(values, "title"),
		.id = hook_setting(values, "id"),
		.event = hook_setting(values, "kind"),
		.time_ms = date_parse(slice_of(hook_setting(values, "time"))),
	};
	const char *from = hook_setting(values, "from");
	struct buffer text = {0};

	if (*from != '\0')
		buffer_append_text(&request->from, from);
	else
		buffer_append_slice(&request->from, address);
	buffer_append_byte(&request->from, '\0');
	for (; address.size > 0; address = mail_next_address(&list)) {
		buffer_append_slice(&request->recipients, address);
		buffer_append_byte(&request->recipients, '\n');
	}
	buffer_append_byte(&request->recipients, '\0');
	request->is_mail = true;
	request->is_unencrypted =
		strcmp(hook_setting(values, "starttls"), "never") == 0;
	mail.from = request->from.data;
	hook_mail_url(values, &request->url);
	if (!payload_write(slice_of(hook_form_find("mail")->body), PAYLOAD_TEXT,
			   values, &text, why)) {
		buffer_free(&text);
		return false;
	}
	buffer_append_byte(&text, '\0');
	mail.text = text.data;
	mail_write(&mail, &request->body);
	buffer_free(&text);
	return true;
}

static bool hook_write_form(const struct hook_form *form,
			    const json_t *settings, const json_t *values,
			    struct hook_request *request,
			    const struct failure_text *why)
{
	const char *target = hook_setting(settings, "target");
	const char *header = hook_setting(settings, "header");
	size_t length = strlen(target);

	if (strcmp(form->name, "mail") == 0)
		return hook_write_mail(values, request, why);
	request->method = form->method;
	if (form->path != NULL && length > 0 && target[length - 1] == '/')
		length--;
	buffer_append(&request->url, target, length);
	buffer_printf(&request->headers, "Content-Type: %s\n",
		      form->type != NULL
			      ? form->type
			      : hook_setting(settings, "content_type"));
	if (*header != '\0')
		buffer_printf(&request->headers, "%s\n", header);
	if (!payload_write(slice_of(form->path == NULL ? "" : form->path),
			   PAYLOAD_FORM, values, &request->url, why) ||
	    !payload_write(slice_of(form->headers), PAYLOAD_LINE, values,
			   &request->headers, why))
		return false;
	return form->body == NULL ? hook_write_template(settings, values,
							&request->body, why)
				  : payload_write(slice_of(form->body),
						  payload_type_of(form->type),
						  values, &request->body, why);
}

/* The form "json": the event with its links. */
static void hook_write_event(struct slice target, const json_t *event,
			     const char *daemon_url,
			     struct hook_request *request)
{
	json_t *body = json_copy((json_t *)event);

	json_object_set_new(body, "links", event_links(event, daemon_url));
	json_append(&request->body, body, JSON_REAL_PRECISION(15));
	request->method = "POST";
	buffer_append_slice(&request->url, target);
	buffer_append_text(&request->headers, "Content-Type: " JSON_TYPE "\n");
}

bool hook_request_make(struct slice target, struct slice event_text,
		       const char *daemon_url, struct hook_request *request,
		       const struct failure_text *why)
{
	json_t *settings = hook_target_settings(target);
	json_t *event = json_read(event_text);
	json_t *values = NULL;
	bool is_made = true;

	if (settings == NULL) {
		hook_write_event(target, event, daemon_url, request);
	} else {
		values = hook_values(event, settings, daemon_url);
		is_made = hook_write_form(
			hook_form_find(json_member_text(settings, "form")),
			settings, values, request, why);
	}
	buffer_append_byte(&request->url, '\0');
	if (is_made &&
	    strcmp(hook_target_form(settings, target), "command") != 0 &&
	    (request->is_mail
		     ? !hook_target_server(target, &request->server)
		     : url_parse(&request->server, slice_of(request->url.data),
				 NULL) != ERR_NONE)) {
		snprintf(why->text, why->size, "its URL is invalid");
		is_made = false;
	}
	json_decref(values);
	json_decref(event);
	json_decref(settings);
	return is_made;
}
