#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "daemon/api/api.h"
#include "daemon/api/api_events.h"
#include "daemon/runtime/clock.h"
#include "daemon/web/thresholds.h"
#include "daemon/web/web_files.h"
#include "store/key.h"
#include "store/rows.h"
#include "template/version_json.h"

/*
 * The report on a site: the web application as one file of HTML, with the
 * responses of the API that it needs. It runs from a file, without the daemon.
 */

enum {
	REPORT_BYTES = 4 << 20,        /* maximum size of a report */
	REPORT_ANSWER_BYTES = 1 << 20, /* maximum size of one response */
	REPORT_EVENTS = 300,
	REPORT_INCIDENTS = 50,
	REPORT_GUARDS = 100,
	REPORT_TEMPLATES = 80,
	REPORT_TREES = 12, /* a worker parses pages for each of them */
	REPORT_VERSIONS = 12,
	REPORT_MS = 20000, /* after this time no further template is added */
};

struct site_report {
	/* a call that is like the one for the report, for its parts */
	struct call ask;
	struct buffer *out;
	size_t count;      /* number of responses in the report */
	size_t max_bytes;  /* of `out` */
	bool is_truncated; /* a response had no room */
	unsigned trees;    /* number of trees that were made */
	uint64_t until_ms; /* steady clock */
};

/* Append JSON that cannot end the element of HTML around it. */
static void report_append_json(struct buffer *out, struct slice json)
{
	for (size_t i = 0; i < json.size; i++)
		if (slice_byte(json, i) == '<')
			buffer_append_text(out, "\\u003c");
		else
			buffer_append_byte(out, slice_byte(json, i));
}

/* Add `value`, which is released, as the response of `path`. NULL is a no-op.
 */
static void report_add(struct site_report *report, const char *path,
		       json_t *value)
{
	struct buffer text = {0};

	if (value == NULL)
		return;
	buffer_append_text(&text, report->count == 0 ? "" : ",\n");
	json_append(&text, json_text(slice_of(path)),
		    JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
	buffer_append_byte(&text, ':');
	json_append(&text, value,
		    JSON_COMPACT | JSON_ENCODE_ANY | JSON_ENSURE_ASCII |
			    JSON_REAL_PRECISION(6));
	if (text.size > REPORT_ANSWER_BYTES ||
	    report->out->size + text.size > report->max_bytes) {
		report->is_truncated = true;
	} else {
		report_append_json(report->out, buffer_slice(&text));
		report->count++;
	}
	buffer_free(&text);
}

/*
 * Return the response of a handler; NULL if it is an error. `arguments` are
 * released; NULL = none.
 */
static json_t *report_ask(struct site_report *report, call_handler *handle,
			  json_t *arguments)
{
	json_t *answer = NULL;

	report->ask.answer_out = &answer;
	report->ask.answer_status = 0;
	report->ask.arguments = arguments;
	handle(&report->ask);
	report->ask.arguments = NULL;
	json_decref(arguments);
	if (report->ask.answer_status < 300)
		return answer;
	json_decref(answer);
	return NULL;
}

/*
 * Write the path of a part of the site, as the application asks for it, to
 * `out`.
 */
static const char *report_path(const struct site_report *report,
			       struct buffer *out, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static const char *report_path(const struct site_report *report,
			       struct buffer *out, const char *format, ...)
{
	char rest[128];
	va_list list;

	va_start(list, format);
	vsnprintf(rest, sizeof(rest), format, list);
	va_end(list);
	buffer_clear(out);
	buffer_printf(out, "/v1/sites/%s%s", report->ask.host, rest);
	return out->data;
}

/* Write the path of a list of all sites, limited to this one, to `out`. */
static const char *report_list_path(const struct site_report *report,
				    struct buffer *out, const char *path)
{
	buffer_clear(out);
	buffer_printf(out, "%s?site=", path);
	for (const char *c = report->ask.host; *c != '\0'; c++)
		if (*c == ':' || *c == '[' || *c == ']')
			buffer_printf(out, "%%%02X", (unsigned char)*c);
		else
			buffer_append_byte(out, *c);
	return out->data;
}

/* Add the response of a handler as that of `path`. */
static void report_add_handler(struct site_report *report, const char *path,
			       call_handler *handle, json_t *arguments)
{
	report_add(report, path, report_ask(report, handle, arguments));
}

static void report_add_events(struct site_report *report)
{
	struct buffer lines = {0};
	struct buffer path = {0};

	if (events_append_newest(&report->ask, report->ask.host, REPORT_EVENTS,
				 &lines) == ERR_NONE)
		report_add(report,
			   report_list_path(report, &path, "/v1/events"),
			   json_text(buffer_slice(&lines)));
	buffer_free(&lines);
	buffer_free(&path);
}

static void report_add_incidents(struct site_report *report)
{
	json_t *answer =
		report_ask(report, api_get_incidents,
			   json_pack("{s:s, s:s}", "site", report->ask.host,
				     "limit", "300"));
	const json_t *list = json_object_get(answer, "incidents");
	size_t count = json_array_size(list);
	size_t first = count > REPORT_INCIDENTS ? count - REPORT_INCIDENTS : 0;
	struct buffer list_path = {0};
	char path[64];

	report_add(report,
		   report_list_path(report, &list_path, "/v1/incidents"),
		   json_incref(answer));
	buffer_free(&list_path);
	for (size_t i = count; i-- > first;) {
		report->ask.event = (uint64_t)json_member_whole(
			json_array_get(list, i), "id");
		snprintf(path, sizeof(path), "/v1/incidents/%llu",
			 (unsigned long long)report->ask.event);
		report_add_handler(report, path, api_get_incident, NULL);
	}
	json_decref(answer);
}

static void report_add_guards(struct site_report *report)
{
	json_t *answer = report_ask(report, api_get_guards, NULL);
	struct buffer path = {0};
	json_t *guard;
	size_t i;

	report_add(report, report_path(report, &path, "/guards"),
		   json_incref(answer));
	json_array_foreach(json_object_get(answer, "guards"), i, guard)
	{
		if (i == REPORT_GUARDS)
			break;
		report->ask.number = (uint32_t)json_member_whole(guard, "id");
		report_add_handler(report,
				   report_path(report, &path, "/guards/%u",
					       (unsigned)report->ask.number),
				   api_get_guard, NULL);
	}
	buffer_free(&path);
	json_decref(answer);
}

/* Add the newest versions of a template, and the changes between them. */
static void report_add_versions(struct site_report *report, unsigned newest)
{
	unsigned oldest =
		newest > REPORT_VERSIONS ? newest - REPORT_VERSIONS + 1 : 1;
	const unsigned number = report->ask.number;
	struct buffer path = {0};
	char from[16];
	char to[16];

	for (unsigned v = newest; v >= oldest; v--) {
		report->ask.version = v;
		report_add_handler(report,
				   report_path(report, &path,
					       "/templates/%u/versions/%u",
					       number, v),
				   api_get_version, NULL);
		if (v == 1)
			break;
		snprintf(from, sizeof(from), "%u", v - 1);
		snprintf(to, sizeof(to), "%u", v);
		report_add_handler(
			report,
			report_path(report, &path,
				    "/templates/%u/diff?from=%u&to=%u", number,
				    v - 1, v),
			api_get_diff,
			json_pack("{s:s, s:s}", "from", from, "to", to));
	}
	buffer_free(&path);
}

static void report_add_screenshot(struct site_report *report)
{
	json_t *screenshot = call_template_screenshot(&report->ask);
	const char *data = json_member_text(screenshot, "data");
	struct buffer address = {0};
	struct buffer path = {0};

	if (data != NULL) {
		buffer_printf(&address, "data:image/webp;base64,%s", data);
		report_add(report,
			   report_path(report, &path,
				       "/templates/%u/screenshot",
				       (unsigned)report->ask.number),
			   json_text(buffer_slice(&address)));
	}
	buffer_free(&address);
	buffer_free(&path);
	json_decref(screenshot);
}

/* Add what the application shows of a template; its number is in the call. */
static void report_add_template(struct site_report *report)
{
	const struct {
		const char *suffix;
		call_handler *handle;
		const char *limit;
	} parts[] = {
		{"", api_get_cluster, NULL},
		{"/fields", api_get_fields, NULL},
		{"/records", api_get_records, "20"},
		{"/pages", api_get_pages, "100"},
	};
	json_t *current = report_ask(report, api_get_template,
				     json_pack("{s:s}", "limit", "300"));
	const unsigned number = report->ask.number;
	struct buffer path = {0};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		report_add_handler(report,
				   report_path(report, &path, "/templates/%u%s",
					       number, parts[i].suffix),
				   parts[i].handle,
				   json_pack("{s:s, s:s?}", "format", "json",
					     "limit", parts[i].limit));
	report_add(report,
		   report_path(report, &path, "/templates/%u/versions/current",
			       number),
		   json_incref(current));
	if (json_member_whole(current, "pages") > 0 &&
	    report->trees++ < REPORT_TREES)
		report_add_handler(report,
				   report_path(report, &path,
					       "/templates/%u/tree", number),
				   api_get_tree, NULL);
	report_add_versions(report,
			    (unsigned)json_member_whole(current, "version"));
	report_add_screenshot(report);
	json_decref(current);
	buffer_free(&path);
}

/* Return the numbers of templates that have no pages any longer. */
static size_t report_find_ended(const struct site_report *report,
				uint32_t *numbers, size_t max)
{
	struct txn txn = txn_begin_read(report->ask.api->store);
	struct cluster_row cluster;
	struct site_row site = {0};
	size_t count = 0;
	struct scan scan;

	site_get(&txn, slice_of(report->ask.host), &site);
	scan = scan_site(&txn, TABLE_TEMPLATES, site.id);
	while (count < max && scan_next(&scan)) {
		numbers[count] = key_u32(scan.key, sizeof(uint32_t));
		count += !cluster_row_get(&txn, site.id, numbers[count],
					  &cluster);
	}
	scan_end(&scan);
	txn_abort(&txn);
	return count;
}

/* Add the templates, the largest first, and then those without pages. */
static void report_add_templates(struct site_report *report,
				 const json_t *templates)
{
	uint32_t numbers[REPORT_TEMPLATES];
	size_t count = 0;
	json_t *template;
	size_t i;

	json_array_foreach(templates, i, template)
	{
		const char *id = json_member_text(template, "id");
		const char *slash = id == NULL ? NULL : strrchr(id, '/');

		if (slash != NULL && count < REPORT_TEMPLATES)
			numbers[count++] =
				(uint32_t)strtoul(slash + 1, NULL, 10);
	}
	count += report_find_ended(report, numbers + count,
				   REPORT_TEMPLATES - count);
	for (i = 0; i < count; i++) {
		if (clock_steady_ms() > report->until_ms) {
			report->is_truncated = true;
			break;
		}
		report->ask.number = numbers[i];
		report_add_template(report);
	}
}

/* Add the thresholds. A site may have too many signatures for them. */
static enum error report_add_thresholds(struct site_report *report)
{
	struct buffer json = {0};
	struct buffer path = {0};
	enum error error =
		thresholds_append(report->ask.api->cuts, report->ask.host,
				  THRESHOLDS_JSON, &json);

	if (error == ERR_NONE)
		report_add(report, report_path(report, &path, "/thresholds"),
			   json_read(buffer_slice(&json)));
	buffer_free(&json);
	buffer_free(&path);
	return error == ERR_TOO_LARGE ? ERR_NONE : error;
}

/* Append all responses. ERR_NOT_FOUND, or an error of the thresholds. */
static enum error report_add_all(struct site_report *report)
{
	struct buffer path = {0};
	json_t *site = report_ask(report, api_get_site, NULL);
	json_t *templates = report_ask(report, api_get_clusters, NULL);
	enum error error = ERR_NOT_FOUND;

	report_add(report, report_path(report, &path, "%s", ""), site);
	report_add(report, report_path(report, &path, "/templates"),
		   json_incref(templates));
	if (site != NULL)
		error = report_add_thresholds(report);
	if (error == ERR_NONE) {
		report_add_incidents(report);
		report_add_events(report);
		report_add_guards(report);
		report_add_handler(report,
				   report_path(report, &path, "/patterns"),
				   api_get_patterns, NULL);
		report_add_templates(report,
				     json_object_get(templates, "templates"));
	}
	json_decref(templates);
	buffer_free(&path);
	return error;
}

/* Append the hash of the text between `begin` and `end` for a policy. */
static void report_append_hash(struct buffer *out, const char *text,
			       const char *begin, const char *end)
{
	char coded[BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE)];
	uint8_t digest[SHA256_DIGEST_SIZE];
	const char *from = strstr(text, begin) + strlen(begin);
	struct sha256_ctx hash;

	sha256_init(&hash);
	sha256_update(&hash, (size_t)(strstr(from, end) - from),
		      (const uint8_t *)from);
	sha256_digest(&hash, sizeof(digest), digest);
	base64_encode_raw(coded, sizeof(digest), digest);
	buffer_append_text(out, "'sha256-");
	buffer_append(out, coded, sizeof(coded));
	buffer_append_byte(out, '\'');
}

/* Append the page up to its data. */
static void report_begin(struct site_report *report)
{
	struct buffer *out = report->out;
	char made[DATE_BYTES];

	buffer_append_text(out, web_report_head);
	buffer_append_text(out, "default-src 'none'; script-src ");
	report_append_hash(out, web_report_tail, "<script type=\"module\">",
			   "</script>");
	buffer_append_text(out, "; style-src ");
	report_append_hash(out, web_report_middle, "<style>", "</style>");
	buffer_append_text(out, "; img-src data:; base-uri 'none'; "
				"require-trusted-types-for 'script'");
	buffer_append_text(out, web_report_middle);
	date_format(clock_wall_ms(), made);
	buffer_printf(out, "{\"made\":\"%s\",\"host\":\"%s\",\"answers\":{\n",
		      made, report->ask.host);
}

static enum http_verdict reply_report(struct call *call, struct buffer *page)
{
	char disposition[MAX_HOST_BYTES + 64];

	snprintf(disposition, sizeof(disposition),
		 "attachment; filename=\"%s.html\"", call->host);
	http_add_header(call->exchange, "Content-Disposition", disposition);
	http_reply(call->exchange, 200, "text/html; charset=utf-8", page);
	return HTTP_ANSWERED;
}

enum http_verdict api_get_report(struct call *call)
{
	struct buffer page = {0};
	struct site_report report = {
		.ask = *call,
		.out = &page,
		.until_ms = clock_steady_ms() + REPORT_MS,
		.max_bytes = REPORT_BYTES - strlen(web_report_tail) - 64,
	};
	enum error error;

	report_begin(&report);
	error = report_add_all(&report);
	if (error != ERR_NONE) {
		buffer_free(&page);
		return call_fail_with(call, error, call->host);
	}
	buffer_printf(&page, "\n},\"truncated\":%s}",
		      report.is_truncated ? "true" : "false");
	buffer_append_text(&page, web_report_tail);
	return reply_report(call, &page);
}
