/* Archives that are sent to the daemon. */
#include "daemon/api/api_ingest.h"

#include <inttypes.h>
#include <string.h>

#include "daemon/api/api_call.h"
#include "daemon/api/api_hand_on.h"
#include "daemon/pipeline/ingest.h"
#include "store/log.h"
#include "template/json_value.h"

bool api_is_stream(const char *method, const char *path)
{
	return strcmp(method, "POST") == 0 &&
	       (strcmp(path, "/v1/ingest") == 0 ||
		strcmp(path, "/v1/extract/batch") == 0);
}

static enum error read_body(void *context, char *out, size_t capacity,
			    size_t *size_out)
{
	return http_body_read(context, out, capacity, size_out);
}

static json_t *errors_json(const struct ingest_report *report)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < report->error_count; i++) {
		const struct ingest_error *error = &report->errors[i];

		json_array_append_new(
			rows,
			json_pack("{s:I, s:o, s:s, s:o}", "offset",
				  (json_int_t)error->offset, "url",
				  json_text_or_null(slice_of(error->url)),
				  "error", error_code(error->error), "message",
				  json_text(slice_of(error->message))));
	}
	return rows;
}

static json_t *report_json(const struct ingest_report *report)
{
	json_t *skipped = json_pack(
		"{s:I, s:I, s:I}", "not-html", (json_int_t)report->not_html,
		"error-status", (json_int_t)report->error_status, "other",
		(json_int_t)report->other);

	return json_pack(
		"{s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:I, s:o, s:b, s:o}",
		"bytes", (json_int_t)report->bytes, "records",
		(json_int_t)report->records, "pages", (json_int_t)report->pages,
		"cut", (json_int_t)report->cut, "revisits",
		(json_int_t)report->revisits, "redirects",
		(json_int_t)report->redirects, "skipped", skipped, "refused",
		(json_int_t)report->refused, "errors", errors_json(report),
		"complete", report->end == ERR_NONE, "reason",
		json_text_or_null(slice_of(report->reason)));
}

static void log_report(const struct ingest_report *report)
{
	log_info("ingest: %" PRIu64 " bytes, %" PRIu64 " records, %" PRIu64
		 " pages, %" PRIu64 " refused",
		 report->bytes, report->records, report->pages,
		 report->refused);
	if (report->end != ERR_NONE)
		log_warn("ingest: not read to its end: %s: %s",
			 error_text(report->end), report->reason);
}

enum http_verdict api_post_ingest(struct call *call)
{
	struct hand_on *hand_on = hand_on_begin(call);
	struct ingest_report report;
	enum http_verdict verdict;

	ingest(call->api->pipeline, read_body, call->exchange,
	       &(struct ingest_options){
		       .max_body_bytes = call->config.max_body_bytes,
		       .take = hand_on == NULL ? NULL : hand_on_take,
		       .context = hand_on,
	       },
	       &report);
	hand_on_end(hand_on, &report);
	log_report(&report);
	verdict = call_reply_json(call, 200, report_json(&report));
	ingest_report_free(&report);
	return verdict;
}
