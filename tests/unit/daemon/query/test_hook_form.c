#include "daemon/query/hook_form.h"

#include "daemon/query/event.h"
#include "tests/unit/auto_json.h"
#include "tests/unit/run.h"

/* A message with the characters that markups and JSON use. */
static const char event_text[] =
	"{\"seq\":7,\"time\":\"2023-11-14T22:13:20Z\",\"kind\":\"incident."
	"back\","
	"\"site\":\"a.example\",\"url\":\"http://a.example/?a=\\\"&b=<c>\","
	"\"alert\":true,\"detail\":{\"incident\":3},\"severity\":\"notice\","
	"\"title\":\"\\\"},{<!channel> *x* "
	"_y_\\\\\",\"text\":\"@everyone\\n\\u0001\"}";

static void make(const char *request, struct buffer *target)
{
	AUTO_JSON *value = json_loads(request, 0, NULL);
	const char *kinds;
	char message[200] = "";

	ck_assert_msg(hook_target_make(
			      value, target, &kinds,
			      &(struct failure_text){message, sizeof(message)}),
		      "%s", message);
}

static void request_of(const char *fields, struct hook_request *request)
{
	AUTO_BUFFER target = {0};
	char message[200] = "";

	make(fields, &target);
	ck_assert_msg(hook_request_make(
			      buffer_slice(&target), slice_of(event_text),
			      "https://w.test", request,
			      &(struct failure_text){message, sizeof(message)}),
		      "%s", message);
	buffer_append_byte(&request->headers, '\0');
}

TEST(hostile_values_do_not_change_the_structure)
{
	static const char *const fields[] = {
		"{\"form\":\"slack\",\"target\":\"http://b.example/\"}",
		"{\"form\":\"discord\",\"target\":\"http://b.example/\"}",
		"{\"form\":\"teams\",\"target\":\"http://b.example/\"}",
		"{\"form\":\"matrix\",\"target\":\"http://b.example/\","
		"\"room\":\"!a/b?:c#\",\"token\":\"t\"}",
		"{\"form\":\"telegram\",\"chat\":\"@a\\\"\",\"token\":\"1:t\"}",
		"{\"form\":\"ntfy\",\"topic\":\"a\"}",
		"{\"form\":\"gotify\",\"target\":\"http://b.example/\","
		"\"token\":\"t\"}",
		"{\"form\":\"pagerduty\",\"token\":\"t\"}",
	};

	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		struct hook_request request = {0};
		AUTO_JSON *body = NULL;

		request_of(fields[i], &request);
		body = json_loadb(request.body.data, request.body.size,
				  JSON_REJECT_DUPLICATES, NULL);
		ck_assert_msg(json_is_object(body), "%s", request.body.data);
		hook_request_free(&request);
	}
}

TEST(a_path_is_percent_encoded)
{
	struct hook_request request = {0};

	request_of("{\"form\":\"matrix\",\"target\":\"http://b.example/\","
		   "\"room\":\"!a/b:c\",\"token\":\"t\"}",
		   &request);
	ck_assert_str_eq(request.url.data,
			 "http://b.example/_matrix/client/v3/rooms/%21a%2Fb:c/"
			 "send/m.room.message/templated-7-1700000000000");
	ck_assert_str_eq(request.method, "PUT");
	ck_assert_str_eq(request.headers.data,
			 "Content-Type: application/json\n"
			 "Authorization: Bearer t\n");
	hook_request_free(&request);
}

TEST(the_end_of_an_incident_resolves_it)
{
	struct hook_request request = {0};
	AUTO_JSON *body = NULL;

	request_of("{\"form\":\"pagerduty\",\"token\":\"t\"}", &request);
	body = json_loadb(request.body.data, request.body.size, 0, NULL);
	ck_assert_str_eq(
		json_string_value(json_object_get(body, "event_action")),
		"resolve");
	ck_assert_str_eq(json_string_value(json_object_get(body, "dedup_key")),
			 "templated/a.example/incident/3");
	hook_request_free(&request);
}

TEST(a_mail_server_gets_its_user_escaped)
{
	struct hook_request request = {0};

	request_of("{\"form\":\"mail\",\"target\":\"smtps://m.example:465\","
		   "\"to\":\"a@b.test\",\"user\":\"u:@v\","
		   "\"password\":\"p/@ :\"}",
		   &request);
	ck_assert_str_eq(request.url.data,
			 "smtps://u%3A%40v:p%2F%40%20%3A@m.example:465");
	ck_assert_str_eq(request.server.host, "m.example:465");
	ck_assert_str_eq(request.recipients.data, "a@b.test\n");
	ck_assert(request.is_mail && !request.is_unencrypted);
	hook_request_free(&request);
}

static void check_redacted(const char *fields, const char *wanted)
{
	AUTO_BUFFER target = {0};
	AUTO_BUFFER out = {0};

	make(fields, &target);
	hook_target_redact(buffer_slice(&target), &out);
	buffer_append_byte(&out, '\0');
	ck_assert_str_eq(out.data, wanted);
}

TEST(secrets_are_redacted)
{
	check_redacted(
		"{\"form\":\"slack\",\"target\":\"http://b.example/x\"}",
		"{\"form\":\"slack\",\"target\":\"http://b.example/***\"}");
	check_redacted("{\"form\":\"telegram\",\"chat\":\"1\",\"token\":\"t\"}",
		       "{\"form\":\"telegram\",\"target\":"
		       "\"https://api.telegram.org\",\"chat\":\"1\"}");
	check_redacted("{\"target\":\"http://b.example/x\"}",
		       "http://b.example/***");
}

static void refuse(const char *form, const char *target, const char *wanted)
{
	AUTO_JSON *request =
		json_pack("{s:s, s:s}", "form", form, "target", target);
	AUTO_BUFFER made = {0};
	const char *kinds;
	char message[200] = "";

	ck_assert(!hook_target_make(
		request, &made, &kinds,
		&(struct failure_text){message, sizeof(message)}));
	ck_assert_str_eq(message, wanted);
	ck_assert_ptr_null(hook_target_settings(slice_of(target)));
}

TEST(a_command_cannot_be_settings_that_nobody_has_checked)
{
	refuse("command",
	       "{\"form\":\"command\",\"target\":\"http://b.example/\"}",
	       "target: must begin with exec:");
	refuse("command", "http://b.example/", "target: must begin with exec:");
	refuse("json", "{\"form\":\"json\",\"target\":\"http://b.example/\"}",
	       "target: not an http:// or https:// URL");
}

TEST(a_header_does_not_change_the_frame_of_the_request)
{
	static const char *const wrong[] = {
		"Content-Length: 3", "transfer-encoding: chunked",
		"Host: b.example", "Connection: close", "X Y: z"};

	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		AUTO_JSON *request =
			json_pack("{s:s, s:s, s:s, s:s}", "form", "template",
				  "target", "http://b.example/", "template",
				  "{}", "header", wrong[i]);
		AUTO_BUFFER made = {0};
		const char *kinds;
		char message[200] = "";

		ck_assert_msg(
			!hook_target_make(request, &made, &kinds,
					  &(struct failure_text){
						  message, sizeof(message)}),
			"%s", wrong[i]);
		ck_assert_ptr_nonnull(strstr(message, "header: must be"));
	}
}

TEST(a_page_cannot_make_a_button_that_a_service_refuses)
{
	AUTO_BUFFER event = {0};
	AUTO_JSON *body = NULL;
	struct hook_request request = {0};
	char message[200] = "";

	buffer_append_text(&event, "{\"seq\":7,\"kind\":\"field.changed\","
				   "\"time\":\"2023-11-14T22:13:20Z\","
				   "\"title\":\"t\",\"text\":\"x\","
				   "\"severity\":\"alert\","
				   "\"url\":\"http://b.example/");
	for (unsigned i = 0; i < 2040; i++)
		buffer_append_byte(&event, 'x');
	buffer_append_text(&event, "\"}");
	ck_assert(hook_request_make(
		slice_of("{\"form\":\"discord\",\"target\":"
			 "\"http://c.example/\"}"),
		buffer_slice(&event), "", &request,
		&(struct failure_text){message, sizeof(message)}));
	body = json_loadb(request.body.data, request.body.size, 0, NULL);
	ck_assert_ptr_nonnull(body);
	ck_assert_ptr_null(json_object_get(
		json_array_get(json_object_get(body, "embeds"), 0), "url"));
	hook_request_free(&request);
}

TEST(damaged_settings_are_a_url)
{
	ck_assert_ptr_null(hook_target_settings(slice_of("{\"form\":\"x\"}")));
	ck_assert_ptr_null(hook_target_settings(slice_of("{\"form\":7}")));
	ck_assert_ptr_null(hook_target_settings(slice_of("{")));
}
