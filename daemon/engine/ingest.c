#include "daemon/engine/ingest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "crawl/fetch.h"
#include "crawl/http_message.h"
#include "crawl/url/host.h"
#include "crawl/url/url.h"
#include "daemon/engine/pipeline.h"
#include "daemon/privsep/worker_pool.h"
#include "daemon/runtime/clock.h"

/*
 * An archive's date may be this far in the future, because its clock may be
 * ahead.
 */
enum { MAX_SKEW_MS = 5 * 60 * 1000 };

void ingest_report_free(struct ingest_report *report)
{
	for (size_t i = 0; i < report->error_count; i++)
		free(report->errors[i].url);
	free(report->errors);
	host_tally_free(&report->no_site);
	host_tally_free(&report->over_limit);
	*report = (struct ingest_report){0};
}

void ingest_note_error(struct ingest_report *report, uint64_t offset,
		       const char *url, enum error error, const char *message)
{
	struct ingest_error *row;

	if (report->error_count == MAX_INGEST_ERRORS)
		return;
	if (report->errors == NULL)
		report->errors =
			mem_alloc(MAX_INGEST_ERRORS, sizeof(*report->errors));
	row = &report->errors[report->error_count++];
	row->offset = offset;
	row->error = error;
	row->url = mem_copy_text(url, strlen(url));
	snprintf(row->message, sizeof(row->message), "%s", message);
}

static void ingest_reject_record(struct ingest_report *report,
				 const struct warc_record *record,
				 enum error error, const char *message)
{
	report->refused++;
	ingest_note_error(report, record->offset, record->url, error, message);
}

/* An ingest request of a client, which submits pages. */
struct client {
	struct pipeline *pipeline;
	struct ingestion *ingestion;
	const struct ingest_options *options;
	struct ingest_report *report;
	/*
	 * [new_host_count]: hosts whose sites this ingest adds without being
	 * named
	 */
	char **new_hosts;
	size_t new_host_count;
};

static bool ingest_is_named(const struct ingest_options *options)
{
	return options->hosts != NULL && options->hosts->count > 0;
}

/* Return whether this ingest has already added the site of the host. */
static bool ingest_is_new(const struct client *client, const char *host)
{
	for (size_t i = 0; i < client->new_host_count; i++)
		if (strcmp(client->new_hosts[i], host) == 0)
			return true;
	return false;
}

/* Add the host to the new hosts. Return false if max_new_sites is reached. */
static bool ingest_add_host(struct client *client, const char *host)
{
	if (client->report->new_hosts >= client->options->max_new_sites)
		return false;
	client->report->new_hosts++;
	client->new_hosts[client->new_host_count++] =
		mem_copy_text(host, strlen(host));
	return true;
}

/*
 * Return whether pages of the host are accepted, and set their terms. If they
 * are not accepted, count the page in the report.
 */
static bool ingest_admit_host(struct client *client, const char *host,
			      struct ingest_terms *terms)
{
	terms->adds_site =
		ingest_is_named(client->options) || ingest_is_new(client, host);
	if (terms->adds_site ||
	    pipeline_has_site(client->pipeline, slice_of(host)))
		return true;
	terms->adds_site = ingest_add_host(client, host);
	if (!terms->adds_site)
		host_tally_add(&client->report->no_site, host, 1);
	return terms->adds_site;
}

/*
 * Use the date of the archive record as fetch time, unless it is in the future.
 */
static void set_time(const struct warc_record *record,
		     struct ingest_terms *terms)
{
	uint64_t now_ms = clock_wall_ms();

	terms->is_undated =
		record->time_ms == 0 || record->time_ms > now_ms + MAX_SKEW_MS;
	terms->time_ms = terms->is_undated || record->time_ms > now_ms
				 ? now_ms
				 : record->time_ms;
}

/* Submit the page of the record. Return ERR_STOPPED if the ingest must stop. */
static enum error ingest_submit_page(struct client *client,
				     const struct warc_record *record,
				     struct ingest_report *report)
{
	struct fetch_result result = {
		.http_status = record->http_status,
		.is_html = true,
		.is_cut = record->is_cut,
		.robots_tag = record->robots_tag,
	};
	const struct ingest_options *options = client->options;
	struct ingest_terms terms = {.replaces = options->replaces};
	enum error error;
	struct url url;

	error = url_parse(&url, slice_of(record->url), NULL);
	if (error != ERR_NONE) {
		ingest_reject_record(report, record, error,
				     "its URL is invalid");
		return ERR_NONE;
	}
	if (ingest_is_named(options) &&
	    !host_globs_match(options->hosts, slice_of(url.host))) {
		report->other_host++;
		return ERR_NONE;
	}
	if ((options->take != NULL &&
	     options->take(options->context, &url, record, report)) ||
	    !ingest_admit_host(client, url.host, &terms))
		return ERR_NONE;
	set_time(record, &terms);
	memcpy(result.charset, record->charset, sizeof(result.charset));
	buffer_append_slice(&result.body, record->body);
	error = pipeline_ingest(client->pipeline, client->ingestion, &url,
				&result, &terms);
	buffer_free(&result.body);
	if (error == ERR_NONE) {
		report->pages++;
		report->cut += record->is_cut;
	} else if (error != ERR_STOPPED)
		ingest_reject_record(report, record, error, error_text(error));
	return error == ERR_STOPPED ? error : ERR_NONE;
}

static enum error ingest_handle_record(void *context,
				       const struct warc_record *record)
{
	struct client *client = context;
	struct ingest_report *report = client->report;

	report->records++;
	if (record->error != ERR_NONE)
		ingest_reject_record(report, record, record->error,
				     record->reason);
	else if (record->kind == WARC_OTHER)
		report->other++;
	else if (record->kind == WARC_REVISIT)
		report->revisits++;
	else if (record->http_status >= 300 && record->http_status < 400)
		report->redirects++;
	else if (record->http_status < 200 || record->http_status >= 300)
		report->error_status++;
	else if (!header_is_html(slice_of(record->content_type)))
		report->not_html++;
	else
		return ingest_submit_page(client, record, report);
	return ERR_NONE;
}

/*
 * Wait until all submitted pages are committed, and add the results to the
 * report.
 */
static void end_client(struct client *client, struct ingest_report *report)
{
	struct ingest_outcome outcome;

	pipeline_end_ingest(client->pipeline, client->ingestion, &outcome);
	report->pages -= outcome.refused + outcome.kept;
	report->refused += outcome.refused;
	report->kept += outcome.kept;
	report->new_sites += outcome.new_sites;
	host_tally_merge(&report->over_limit, &outcome.over);
	host_tally_free(&outcome.over);
	for (size_t i = 0; i < client->new_host_count; i++)
		free(client->new_hosts[i]);
	free(client->new_hosts);
}

void ingest(struct pipeline *pipeline, warc_source *source, void *context,
	    const struct ingest_options *options,
	    struct ingest_report *report_out)
{
	struct client client = {
		.pipeline = pipeline,
		.ingestion = pipeline_begin_ingest(pipeline),
		.options = options,
		.report = report_out,
		.new_hosts = mem_alloc(options->max_new_sites + 1,
				       sizeof(*client.new_hosts)),
	};
	const struct unpacking unpacking = {
		.source = source,
		.source_context = context,
		.max_body_bytes = options->max_body_bytes,
		.take = ingest_handle_record,
		.context = &client,
	};
	struct unpacking_end end;

	*report_out = (struct ingest_report){0};
	worker_pool_unpack(options->unpackers, &unpacking, &end);
	report_out->end = end.error;
	memcpy(report_out->reason, end.reason, sizeof(report_out->reason));
	report_out->bytes = end.bytes;
	end_client(&client, report_out);
}
