#include "daemon/query/message.h"

#include <stdlib.h>
#include <string.h>

#include "crawl/url/url.h"
#include "daemon/query/event.h"
#include "store/rows.h"
#include "template/version_json.h"

const char *event_severity(uint16_t kind)
{
	switch ((enum event_kind)kind) {
	case EVENT_INCIDENT_CHANGED:
	case EVENT_INCIDENT_REMOVED:
	case EVENT_INCIDENT_DOWN:
	case EVENT_INCIDENT_MOVED:
	case EVENT_INCIDENT_GUARD:
	case EVENT_INCIDENT_FIELD:
	case EVENT_INCIDENT_TEXT:
		return "alert";
	case EVENT_INCIDENT_ADDED:
	case EVENT_INCIDENT_SPLIT:
	case EVENT_INCIDENT_BACK:
	case EVENT_INCIDENT_ALTERNATES:
	case EVENT_INCIDENT_GUARD_RESOLVED:
	case EVENT_INCIDENT_FIELD_RESOLVED:
	case EVENT_FIELD_CHANGED:
	case EVENT_FIELD_HEALED:
		return "notice";
	default:
		return "info";
	}
}

/*
 * The words of a kind of event. Other kinds have the sentence of
 * event_summary(), and no next step.
 */
static const struct message_words {
	const char *kind;
	const char *title;
	const char *next;
	bool is_resolved;
} message_words[] = {
	{"incident.changed", "pages have a new design",
	 "Check that your programs still read the right values from these "
	 "pages.",
	 false},
	{"incident.added", "there are pages of a new kind",
	 "Look at the new pages, and decide whether you want their contents.",
	 false},
	{"incident.removed", "all pages of a kind have disappeared",
	 "Check whether you still need these pages, and where their contents "
	 "are now.",
	 false},
	{"incident.split", "some pages have got another design",
	 "Check that your programs read the right values from these pages.",
	 false},
	{"incident.down", "the site cannot be read",
	 "Open the site in a browser. If it works there, the site may block "
	 "the crawler.",
	 false},
	{"incident.back", "the site can be read again",
	 "There is nothing to do.", true},
	{"incident.moved", "the site has moved to another address",
	 "Watch the new address, and stop to watch the old one.", false},
	{"incident.alternates", "the site changes back and forth",
	 "The site possibly tests two designs. Check that your programs read "
	 "both.",
	 false},
	{"incident.guard", "something that you guard is missing",
	 "Look at the page, and replace the selectors that no longer match.",
	 false},
	{"incident.guard_resolved", "what you guard is there again",
	 "There is nothing to do.", true},
	{"incident.field", "values that you read are missing",
	 "Do not use new values of these fields until you have checked them.",
	 false},
	{"incident.field_resolved", "values that were missing are there again",
	 "There is nothing to do.", true},
	{"incident.text", "a text that you watch has changed", NULL, false},
	{"incident.updated", "there is more about an incident", NULL, false},
	{"incident.ended", "an incident has ended", "There is nothing to do.",
	 true},
	{"field.changed", "values have changed", NULL, false},
	{"field.healed", "a field was adapted to a new design",
	 "Check the values that the field reads now.", false},
	{"hook.test", "a test message",
	 "There is nothing to do: messages arrive here.", false},
};

/* Return NULL if the kind has no row. */
static const struct message_words *message_words_of(const json_t *event)
{
	const char *kind = json_member_text(event, "kind");

	for (size_t i = 0; i < sizeof(message_words) / sizeof(*message_words);
	     i++)
		if (kind != NULL && strcmp(message_words[i].kind, kind) == 0)
			return &message_words[i];
	return NULL;
}

void event_title(const json_t *event, struct buffer *out)
{
	const struct message_words *words = message_words_of(event);
	const char *site = json_member_text(event, "site");
	const char *name = json_member_text(event, EVENT_NAME_MEMBER);

	buffer_append_text(out, site == NULL ? "templated" : site);
	buffer_append_text(out, ": ");
	if (words != NULL)
		buffer_append_text(out, words->title);
	else
		event_summary(event, out);
	if (name != NULL && *name != '\0')
		buffer_printf(out, " (%s)", name);
}

void event_text(const json_t *event, struct buffer *out)
{
	const struct message_words *words = message_words_of(event);
	const char *site = json_member_text(event, "site");
	const char *url = json_member_text(event, "url");

	if (site != NULL) {
		buffer_append_text(out, "On ");
		event_subject(event, out);
		buffer_append_text(out, ": ");
	}
	event_summary(event, out);
	buffer_append_byte(out, '.');
	if (url != NULL)
		buffer_printf(out, "\nPage: %s", url);
	if (words != NULL && words->next != NULL)
		buffer_printf(out, "\nNext: %s", words->next);
}

bool event_is_resolved(const json_t *event)
{
	const struct message_words *words = message_words_of(event);

	return words != NULL && words->is_resolved;
}

void event_key(const json_t *event, struct buffer *out)
{
	const char *site = json_member_text(event, "site");
	json_int_t incident =
		json_member_whole(json_object_get(event, "detail"), "incident");
	struct buffer key = {0};

	buffer_printf(&key, "templated/%s/", site == NULL ? "" : site);
	if (incident > 0)
		buffer_printf(&key, "incident/%" JSON_INTEGER_FORMAT, incident);
	else
		buffer_printf(&key, "event/%" JSON_INTEGER_FORMAT,
			      json_member_whole(event, "seq"));
	buffer_append_slice(out, buffer_slice(&key));
	buffer_free(&key);
}

static void event_link_add(json_t *links, const char *name, const char *base,
			   const char *path, const char *rest)
{
	struct buffer url = {0};

	buffer_printf(&url, "%s%s%s", base, path, rest);
	json_array_append_new(links,
			      json_pack("{s:s, s:o}", "name", name, "url",
					json_text(buffer_slice(&url))));
	buffer_free(&url);
}

json_t *event_links(const json_t *event, const char *daemon_url)
{
	const char *site = json_member_text(event, "site");
	const char *page = json_member_text(event, "url");
	bool is_alert = json_is_true(json_object_get(event, "alert"));
	json_t *links = json_array();
	char number[32];

	snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT,
		 json_member_whole(event, "seq"));
	if (*daemon_url != '\0' && is_alert)
		event_link_add(links, "Alert", daemon_url, "/ui/alerts/",
			       number);
	else if (*daemon_url != '\0' && site != NULL)
		event_link_add(links, "Site", daemon_url, "/ui/sites/", site);
	else if (*daemon_url != '\0')
		event_link_add(links, "Alerts", daemon_url, "/ui/alerts", "");
	if (page != NULL)
		event_link_add(links, "Page", page, "", "");
	return links;
}
