/* POST /v1/ingest: import archives that clients upload. */
#include "daemon/api/api_ingest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "crawl/host_glob.h"
#include "daemon/api/api_call.h"
#include "daemon/api/api_hand_on.h"
#include "daemon/engine/ingest.h"
#include "template/json_value.h"

bool api_is_stream(const char *method, const char *path)
{
	return strcmp(method, "POST") == 0 &&
	       (strcmp(path, "/v1/ingest") == 0 ||
		strcmp(path, "/v1/extract/batch") == 0);
}

static enum error ingest_read_body(void *context, char *out, size_t capacity,
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

static void add_hosts(json_t *rows, const struct host_tally *tally,
		      const char *error)
{
	for (size_t i = 0; i < tally->count; i++)
		json_array_append_new(
			rows, json_pack("{s:s, s:I, s:s}", "host",
					tally->rows[i].host, "pages",
					(json_int_t)tally->rows[i].pages,
					"error", error));
}

/* Return the listed hosts whose pages were not imported. */
static json_t *hosts_json(const struct ingest_report *report)
{
	json_t *rows = json_array();

	add_hosts(rows, &report->no_site, "no_site");
	add_hosts(rows, &report->over_limit, "too_large");
	return rows;
}

static json_t *skipped_json(const struct ingest_report *report)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "not-html",
			 (json_int_t)report->not_html, "error-status",
			 (json_int_t)report->error_status, "other",
			 (json_int_t)report->other, "other-host",
			 (json_int_t)report->other_host, "no-site",
			 (json_int_t)report->no_site.pages);
}

static json_t *ingest_report_json(const struct ingest_report *report)
{
	return json_pack(
		"{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:I, s:I, s:o, s:o, "
		"s:b, s:o}",
		"bytes", (json_int_t)report->bytes, "records",
		(json_int_t)report->records, "pages", (json_int_t)report->pages,
		"cut", (json_int_t)report->cut, "revisits",
		(json_int_t)report->revisits, "redirects",
		(json_int_t)report->redirects, "kept", (json_int_t)report->kept,
		"skipped", skipped_json(report), "rejected",
		(json_int_t)report->refused, "new_sites",
		(json_int_t)report->new_sites, "hosts", hosts_json(report),
		"errors", errors_json(report), "complete",
		report->end == ERR_NONE, "reason",
		json_text_or_null(slice_of(report->reason)));
}

static void log_report(const struct ingest_report *report)
{
	log_info("ingest: %" PRIu64 " bytes, %" PRIu64 " records, %" PRIu64
		 " pages, %" PRIu64 " kept, %" PRIu64 " rejected, %" PRIu64
		 " new sites",
		 report->bytes, report->records, report->pages, report->kept,
		 report->refused, report->new_sites);
	if (report->no_site.pages > 0)
		log_info("ingest: skipped %" PRIu64
			 " pages of unknown sites: %s%s",
			 report->no_site.pages, report->no_site.rows[0].host,
			 report->no_site.count > 1 ? " and others" : "");
	if (report->over_limit.pages > 0)
		log_info("ingest: rejected %" PRIu64
			 " pages: crawl.max_sites sites exist already: %s%s",
			 report->over_limit.pages,
			 report->over_limit.rows[0].host,
			 report->over_limit.count > 1 ? " and others" : "");
	if (report->end != ERR_NONE)
		log_warn_limited(
			"ingest: stopped before the end of the archive: %s: %s",
			error_text(report->end), report->reason);
}

/* Parser state for the host globs of the request. */
struct host_reader {
	struct host_globs *globs;
	bool is_right;
};

static bool read_host(void *context, const char *value)
{
	struct host_reader *reader = context;

	reader->is_right = host_globs_add(reader->globs, slice_of(value));
	return reader->is_right;
}

/*
 * Read the options of the request; on failure respond with the error and return
 * false.
 */
static bool ingest_read_options(struct call *call, struct host_globs *globs,
				struct ingest_options *options)
{
	struct host_reader reader = {globs, true};
	uint64_t max_new = call->config->max_ingested_sites;
	uint64_t replaces;

	if (!call_number(call, "new_sites", max_new, UINT32_MAX,
			 &options->max_new_sites) ||
	    !call_number(call, "replace", 0, 1, &replaces))
		return false;
	if (options->max_new_sites > max_new)
		options->max_new_sites = max_new;
	options->replaces = replaces != 0;
	http_each_argument(call->exchange, "host", read_host, &reader);
	if (!reader.is_right)
		(void)call_fail(call, 400, "bad_request",
				"host: a list of at most %d hosts, with * for "
				"any characters",
				MAX_HOST_GLOBS);
	return reader.is_right;
}

static enum http_verdict ingest_body(struct call *call,
				     struct ingest_options *options)
{
	struct forward_ingest *hand_on = forward_ingest_begin(call, options);
	struct ingest_report report;
	enum http_verdict verdict;

	options->take = hand_on == NULL ? NULL : forward_ingest_add;
	options->context = hand_on;
	ingest(call->api->pipeline, ingest_read_body, call->exchange, options,
	       &report);
	forward_ingest_end(hand_on, &report);
	log_report(&report);
	verdict = call_reply_json(call, 200, ingest_report_json(&report));
	ingest_report_free(&report);
	return verdict;
}

enum http_verdict api_post_ingest(struct call *call)
{
	struct host_globs *globs = mem_alloc(1, sizeof(*globs));
	struct ingest_options options = {
		.max_body_bytes = call->config->max_body_bytes,
		.unpackers = call->api->unpackers,
		.hosts = globs,
	};
	enum http_verdict verdict = HTTP_ANSWERED;

	if (ingest_read_options(call, globs, &options))
		verdict = ingest_body(call, &options);
	host_globs_free(globs);
	free(globs);
	return verdict;
}
