#include "daemon/privsep/archived_record.h"

#include <stdint.h>
#include <string.h>

#include "crawl/header.h"
#include "daemon/privsep/item_list.h"
#include "page/robots_tag.h"
#include "store/row.h"

struct archived_record {
	uint64_t offset;
	uint64_t time_ms;
	uint32_t kind;
	uint32_t http_status;
	uint32_t robots_tag;
	uint32_t is_cut;
	int32_t error;
	uint32_t reserved;
	struct slice url;
	struct slice type;
	struct slice content_type;
	struct slice charset;
	struct slice redirect;
	struct slice reason;
	struct slice body;
};

static const struct row_field archived_record_fields[] = {
	FIELD(archived_record, offset),     FIELD(archived_record, time_ms),
	FIELD(archived_record, kind),       FIELD(archived_record, http_status),
	FIELD(archived_record, robots_tag), FIELD(archived_record, is_cut),
	FIELD(archived_record, error),      FIELD(archived_record, reserved),
};
static const struct row_codec archived_record_layout =
	LAYOUT(archived_record, archived_record_fields,
	       offsetof(struct archived_record, url), 7);

static bool archived_record_has_body(const struct warc_record *record)
{
	return record->error == ERR_NONE &&
	       (record->kind == WARC_RESPONSE ||
		record->kind == WARC_RESOURCE) &&
	       header_is_html(slice_of(record->content_type));
}

void archived_record_append(struct buffer *list,
			    const struct warc_record *record)
{
	struct archived_record row = {
		.offset = record->offset,
		.time_ms = record->time_ms,
		.kind = record->kind,
		.http_status = record->http_status,
		.robots_tag = record->robots_tag,
		.is_cut = record->is_cut,
		.error = record->error,
		.url = slice_of(record->url),
		.type = slice_of(record->type),
		.content_type = slice_of(record->content_type),
		.charset = slice_of(record->charset),
		.redirect = slice_of(record->redirect),
		.reason = slice_of(record->error == ERR_NONE ? ""
							     : record->reason),
		.body = archived_record_has_body(record) ? record->body
							 : slice_of(""),
	};

	item_append_row(list, &archived_record_layout, &row);
}

/* Copy a text; return false if it is too long or contains a NUL. */
static bool archived_record_copy(struct slice text, char *out, size_t capacity)
{
	if (text.size >= capacity ||
	    (text.size > 0 && memchr(text.data, '\0', text.size) != NULL))
		return false;
	if (text.size > 0)
		memcpy(out, text.data, text.size);
	out[text.size] = '\0';
	return true;
}

static bool archived_record_is_error(int32_t error)
{
	switch (error) {
	case ERR_NONE:
#define X(name, value, code, text) case (name):
		ERROR_LIST(X)
#undef X
		return true;
	default:
		return false;
	}
}

bool archived_record_read(struct slice item, size_t max_body_bytes,
			  struct warc_record *record_out)
{
	struct warc_record *record = record_out;
	struct archived_record row;

	if (!row_codec_decode(&archived_record_layout, item, &row) ||
	    row.kind > WARC_OTHER || row.http_status > UINT16_MAX ||
	    (row.robots_tag &
	     ~(uint32_t)(ROBOTS_TAG_NOFOLLOW | ROBOTS_TAG_NOINDEX)) != 0 ||
	    !archived_record_is_error(row.error) ||
	    row.body.size > max_body_bytes)
		return false;
	record->kind = (enum warc_kind)row.kind;
	record->offset = row.offset;
	record->time_ms = row.time_ms;
	record->http_status = (uint16_t)row.http_status;
	record->robots_tag = row.robots_tag;
	record->is_cut = row.is_cut != 0;
	record->error = (enum error)row.error;
	record->body = row.body;
	return archived_record_copy(row.url, record->url,
				    sizeof(record->url)) &&
	       archived_record_copy(row.type, record->type,
				    sizeof(record->type)) &&
	       archived_record_copy(row.content_type, record->content_type,
				    sizeof(record->content_type)) &&
	       archived_record_copy(row.charset, record->charset,
				    sizeof(record->charset)) &&
	       archived_record_copy(row.redirect, record->redirect,
				    sizeof(record->redirect)) &&
	       archived_record_copy(row.reason, record->reason,
				    sizeof(record->reason));
}
