#include "daemon/query/text_form.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "base/hash.h"
#include "crawl/warc_write.h"
#include "daemon/query/csv.h"
#include "page/page_class.h"
#include "template/json_value.h"

enum { REAL_DIGITS = 6 };

static const struct {
	const char *name;
	const char *media_type;
} forms[] = {
	[TEXT_EXPORT_JSON_LINES] = {"jsonl", "application/x-ndjson"},
	[TEXT_EXPORT_WET] = {"wet", "application/warc"},
	[TEXT_EXPORT_WET_GZIP] = {"wet.gz", "application/warc"},
	[TEXT_EXPORT_CSV] = {"csv", "text/csv; charset=utf-8; header=present"},
};

bool text_export_format_of(const char *name, enum text_export_format *form_out)
{
	for (unsigned i = 0; i < TEXT_EXPORT_FORMATS; i++)
		if (strcmp(forms[i].name, name) == 0) {
			*form_out = (enum text_export_format)i;
			return true;
		}
	return false;
}

const char *text_export_media_type(enum text_export_format form)
{
	return forms[form].media_type;
}

static void append_info(const char *software, uint64_t now_ms, bool is_plain,
			struct buffer *out)
{
	const struct warc_info info = {
		.software = slice_of(software),
		.time_ms = now_ms,
		.identity = {hash64(software, strlen(software), 1),
			     hash_chain(now_ms, 2)},
		.is_plain = is_plain,
	};

	warc_write_info(&info, out);
}

void text_export_begin(enum text_export_format form, const char *software,
		       uint64_t now_ms, struct buffer *out)
{
	if (form == TEXT_EXPORT_CSV)
		buffer_append_text(out, "sequence,url,fetched,type,cluster,"
					"quality,confidence,method,error,"
					"text\r\n");
	else if (form != TEXT_EXPORT_JSON_LINES)
		append_info(software, now_ms, form == TEXT_EXPORT_WET, out);
}

/* Write HOST/N, or "". */
static void text_export_write_cluster(const struct text_export_row *told,
				      char *out, size_t size)
{
	out[0] = '\0';
	if (told->error == ERR_NONE)
		snprintf(out, size, "%s", told->answer->cluster);
	else if (told->page != NULL && told->page->cluster != 0)
		snprintf(out, size, "%s/%u", told->host, told->page->cluster);
}

/* Return the beginning of a line: the place of the page. */
static json_t *place_json(const struct text_export_row *told)
{
	char place[TEXT_POSITION_BYTES];

	if (told->position != 0)
		return json_pack("{s:I}", "position",
				 (json_int_t)told->position);
	text_position_write(told->place, place);
	return json_pack("{s:s, s:s}", "sequence", place, "type",
			 page_class_name(told->page->page_class));
}

static json_t *line_json(const struct text_export_row *told)
{
	const struct text_result *answer = told->answer;
	json_t *line = place_json(told);
	char cluster[MAX_HOST_BYTES + 16];

	json_object_set_new(line, "url",
			    json_text_or_null(slice_of(told->url)));
	if (told->page != NULL)
		json_object_set_new(line, "fetched",
				    json_time(told->page->fetched_ms));
	if (told->error != ERR_NONE) {
		json_object_set_new(
			line, "error",
			json_pack("{s:s, s:o}", "code", error_code(told->error),
				  "message",
				  json_text(slice_of(answer->reason))));
		return line;
	}
	text_export_write_cluster(told, cluster, sizeof(cluster));
	json_object_set_new(line, "cluster",
			    json_text_or_null(slice_of(cluster)));
	json_object_set_new(line, "quality",
			    json_string(text_quality_name(answer->quality)));
	json_object_set_new(line, "confidence",
			    isnan(answer->confidence)
				    ? json_null()
				    : json_real((double)answer->confidence));
	json_object_set_new(line, "method",
			    json_text(slice_of(answer->method)));
	json_object_set_new(line, "text",
			    json_text(buffer_slice(&answer->body)));
	return line;
}

/* Append the value, without the line end. */
static void text_export_append_json(json_t *value, struct buffer *out)
{
	char *text = json_dumps(
		value, JSON_COMPACT | JSON_REAL_PRECISION(REAL_DIGITS));

	buffer_append_text(out, text == NULL ? "{}" : text);
	free(text);
	json_decref(value);
}

/* Check a worker's output, which must not break the lines of other pages. */
static bool is_object_line(struct slice body)
{
	const char *bytes = body.data;

	return body.size > 3 && bytes[0] == '{' &&
	       bytes[body.size - 2] == '}' &&
	       memchr(bytes, '\n', body.size) == bytes + body.size - 1;
}

static void text_export_append_line(const struct text_export_row *told,
				    struct buffer *out)
{
	struct slice body = buffer_slice(&told->answer->body);
	bool is_object = told->error == ERR_NONE && told->format == FORMAT_JSON;
	struct text_export_row line = *told;

	if (is_object && is_object_line(body)) {
		text_export_append_json(place_json(told), out);
		out->data[out->size - 1] = ','; /* replace the final "}" */
		buffer_append(out, (const char *)body.data + 1, body.size - 1);
		return;
	}
	if (is_object)
		line.error = ERR_QUARANTINED; /* the store is not the cause */
	text_export_append_json(line_json(&line), out);
	buffer_append_byte(out, '\n');
}

static void text_export_append_row(const struct text_export_row *told,
				   struct buffer *out)
{
	const struct text_result *answer = told->answer;
	bool is_told = told->error == ERR_NONE;
	char cluster[MAX_HOST_BYTES + 16];
	char place[TEXT_POSITION_BYTES];
	char date[DATE_BYTES];

	text_position_write(told->place, place);
	date_format(told->page->fetched_ms, date);
	text_export_write_cluster(told, cluster, sizeof(cluster));
	buffer_printf(out, "%s,", place);
	csv_append_cell(slice_of(told->url), told->is_raw, out);
	buffer_printf(out, ",%s,%s,", date,
		      page_class_name(told->page->page_class));
	csv_append_cell(slice_of(cluster), told->is_raw, out);
	buffer_printf(out, ",%s,",
		      is_told ? text_quality_name(answer->quality) : "");
	if (is_told && !isnan(answer->confidence))
		buffer_printf(out, "%.3f", (double)answer->confidence);
	buffer_append_byte(out, ',');
	csv_append_cell(slice_of(is_told ? answer->method : ""), told->is_raw,
			out);
	buffer_printf(out, ",%s,", is_told ? "" : error_code(told->error));
	csv_append_cell(is_told ? buffer_slice(&answer->body)
				: slice_of(answer->reason),
			told->is_raw, out);
	buffer_append_text(out, "\r\n");
}

static void append_record(const struct text_export_row *told, bool is_plain,
			  struct buffer *out)
{
	const bool has_failed = told->error != ERR_NONE;
	struct slice text = has_failed ? slice_of(told->answer->reason)
				       : buffer_slice(&told->answer->body);
	char place[TEXT_POSITION_BYTES];
	struct warc_conversion record = {
		.error = has_failed ? error_code(told->error) : NULL,
		.url = slice_of(told->url),
		.time_ms = told->page->fetched_ms,
		.source_ms = told->page->archived_ms,
		.media_type = format_media_type(told->format),
		.text = text,
		.identity = {hash64(told->url, strlen(told->url),
				    told->place.stored_ms),
			     hash64(text.size == 0 ? "" : text.data, text.size,
				    (uint64_t)told->format)},
		.is_plain = is_plain,
	};

	text_position_write(told->place, place);
	record.sequence = slice_of(place);
	warc_write_conversion(&record, out);
}

void text_export_append(enum text_export_format form,
			const struct text_export_row *told, struct buffer *out)
{
	assert(told->position != 0 || told->page != NULL);
	if (form == TEXT_EXPORT_JSON_LINES)
		text_export_append_line(told, out);
	else if (form == TEXT_EXPORT_CSV)
		text_export_append_row(told, out);
	else
		append_record(told, form == TEXT_EXPORT_WET, out);
}
