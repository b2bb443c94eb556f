#include "daemon/pipeline/ingest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crawl/fetch/fetch.h"
#include "crawl/fetch/header.h"
#include "crawl/url/url.h"
#include "daemon/pipeline/pipeline.h"
#include "store/memory.h"

void ingest_report_free(struct ingest_report *report)
{
	for (size_t i = 0; i < report->error_count; i++)
		free(report->errors[i].url);
	free(report->errors);
	*report = (struct ingest_report){0};
}

void ingest_note(struct ingest_report *report, uint64_t offset, const char *url,
		 enum error error, const char *message)
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

static void refuse(struct ingest_report *report,
		   const struct warc_record *record, enum error error,
		   const char *message)
{
	report->refused++;
	ingest_note(report, record->offset, record->url, error, message);
}

/* A client that hands in pages. */
struct client {
	struct pipeline *pipeline;
	struct ingestion *ingestion;
	const struct ingest_options *options;
};

/* Hand in the page of the record. ERR_STOPPED ends the ingest. */
static enum error take_page(const struct client *client,
			    const struct warc_record *record,
			    struct ingest_report *report)
{
	struct fetch_result result = {
		.http_status = record->http_status,
		.is_html = true,
		.is_cut = record->is_cut,
		.robots_tag = record->robots_tag,
	};
	enum error error;
	struct url url;

	error = url_parse(&url, slice_of(record->url), NULL);
	if (error != ERR_NONE) {
		refuse(report, record, error, "its URL cannot be used");
		return ERR_NONE;
	}
	if (client->options->take != NULL &&
	    client->options->take(client->options->context, &url, record,
				  report))
		return ERR_NONE;
	memcpy(result.charset, record->charset, sizeof(result.charset));
	buffer_append_slice(&result.body, record->body);
	error = pipeline_ingest(client->pipeline, client->ingestion, &url,
				&result, record->time_ms);
	buffer_free(&result.body);
	if (error == ERR_NONE) {
		report->pages++;
		report->cut += record->is_cut;
	} else if (error != ERR_STOPPED)
		refuse(report, record, error, error_text(error));
	return error == ERR_STOPPED ? error : ERR_NONE;
}

static bool is_redirect(const struct warc_record *record)
{
	return record->http_status >= 300 && record->http_status < 400;
}

static bool is_success(const struct warc_record *record)
{
	return record->http_status >= 200 && record->http_status < 300;
}

static enum error take_record(const struct client *client,
			      const struct warc_record *record,
			      struct ingest_report *report)
{
	report->records++;
	if (record->error != ERR_NONE)
		refuse(report, record, record->error, record->reason);
	else if (record->kind == WARC_OTHER)
		report->other++;
	else if (record->kind == WARC_REVISIT)
		report->revisits++;
	else if (is_redirect(record))
		report->redirects++;
	else if (!is_success(record))
		report->error_status++;
	else if (!header_is_html(slice_of(record->content_type)))
		report->not_html++;
	else
		return take_page(client, record, report);
	return ERR_NONE;
}

void ingest(struct pipeline *pipeline, warc_source *source, void *context,
	    const struct ingest_options *options,
	    struct ingest_report *report_out)
{
	struct warc_reader *reader =
		warc_reader_create(source, context, options->max_body_bytes);
	struct warc_record *record = mem_alloc(1, sizeof(*record));
	enum error stopped = ERR_NONE;
	struct client client = {pipeline, pipeline_begin_ingest(pipeline),
				options};
	uint64_t refused;

	*report_out = (struct ingest_report){0};
	while (stopped == ERR_NONE &&
	       warc_next(reader, record, &report_out->end))
		stopped = take_record(&client, record, report_out);
	if (stopped != ERR_NONE)
		report_out->end = stopped;
	snprintf(report_out->reason, sizeof(report_out->reason), "%s",
		 stopped != ERR_NONE ? error_text(stopped) : record->reason);
	report_out->bytes = warc_position(reader);
	refused = pipeline_end_ingest(pipeline, client.ingestion);
	report_out->pages -= refused;
	report_out->refused += refused;
	warc_reader_destroy(reader);
	free(record);
}
