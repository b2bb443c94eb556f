#include "daemon/privsep/archive_task.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "crawl/http_message.h"
#include "crawl/warc_write.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/worker_process.h"
#include "store/row_codec.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"
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
#pragma GCC diagnostic pop

static const struct row_codec archived_record_layout =
	MESSAGE(archived_record, reserved, url, 7);

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

bool archived_record_read(struct slice item, size_t max_body_bytes,
			  struct warc_record *record_out)
{
	struct warc_record *record = record_out;
	struct archived_record row;

	if (!row_codec_decode(&archived_record_layout, item, &row) ||
	    row.kind > WARC_OTHER || row.http_status > UINT16_MAX ||
	    !message_is_robots_tag(row.robots_tag) ||
	    !message_is_error(row.error) || row.body.size > max_body_bytes)
		return false;
	record->kind = (enum warc_kind)row.kind;
	record->offset = row.offset;
	record->time_ms = row.time_ms;
	record->http_status = (uint16_t)row.http_status;
	record->robots_tag = row.robots_tag;
	record->is_cut = row.is_cut != 0;
	record->error = (enum error)row.error;
	record->body = row.body;
	return message_copy_text(row.url, record->url, sizeof(record->url)) &&
	       message_copy_text(row.type, record->type,
				 sizeof(record->type)) &&
	       message_copy_text(row.content_type, record->content_type,
				 sizeof(record->content_type)) &&
	       message_copy_text(row.charset, record->charset,
				 sizeof(record->charset)) &&
	       message_copy_text(row.redirect, record->redirect,
				 sizeof(record->redirect)) &&
	       message_copy_text(row.reason, record->reason,
				 sizeof(record->reason));
}

/*
 * The task of a worker that unpacks an archive. It requests the bytes piece by
 * piece, and sends the records of a piece before it requests the next one. So
 * both processes hold at most one piece and one record.
 */

enum {
	RECORDS_BYTES = 128 * 1024
}; /* size of the records to send in one
      message */

struct archive_run {
	struct task *task;
	struct message piece; /* current piece of the archive */
	size_t taken;         /* number of bytes of the piece that were read */
	struct buffer records;
	bool is_over; /* the main process needs no further records */
};

static void archive_run_hand_over(struct archive_run *run)
{
	struct message answer = {0};
	const struct task_request inquiry = {
		.kind = ASK_RECORDS, .body = buffer_slice(&run->records)};
	struct records_answer said;

	if (run->records.size == 0 || run->is_over)
		return;
	run->is_over = !task_send_request(run->task, &inquiry, &answer) ||
		       !row_codec_decode(&records_answer_layout,
					 buffer_slice(&answer.head), &said) ||
		       said.is_enough != 0;
	message_free(&answer);
	buffer_clear(&run->records);
}

/*
 * Send the records and request the next piece; an empty piece is the end of the
 * archive.
 */
static enum error archive_run_ask(struct archive_run *run)
{
	const struct task_request inquiry = {.kind = ASK_BYTES};
	struct bytes_answer said;

	archive_run_hand_over(run);
	message_free(&run->piece);
	run->taken = 0;
	if (run->is_over ||
	    !task_send_request(run->task, &inquiry, &run->piece) ||
	    !row_codec_decode(&bytes_answer_layout,
			      buffer_slice(&run->piece.head), &said))
		return ERR_STOPPED;
	return (enum error)said.error;
}

/* Return bytes of the current piece, or of the next one; a warc_source. */
static enum error archive_run_read(void *context, char *out, size_t capacity,
				   size_t *size_out)
{
	struct archive_run *run = context;
	enum error error = ERR_NONE;
	size_t size;

	*size_out = 0;
	if (run->taken == run->piece.body.size)
		error = archive_run_ask(run);
	size = run->piece.body.size - run->taken;
	if (error != ERR_NONE || size == 0)
		return error;
	if (size > capacity)
		size = capacity;
	memcpy(out, run->piece.body.data + run->taken, size);
	run->taken += size;
	*size_out = size;
	return ERR_NONE;
}

enum error archive_task(struct task *task, struct message *answer)
{
	struct archive_run run = {.task = task};
	struct archive_request request;
	struct archive_answer end = {0};
	struct warc_record *record;
	struct warc_reader *reader;
	enum error error = ERR_NONE;
	struct buffer head;

	if (!row_codec_decode(&archive_request_layout, task->head, &request) ||
	    request.max_body_bytes > MAX_REQUEST_BYTES)
		return ERR_MALFORMED;
	record = mem_alloc(1, sizeof(*record));
	reader = warc_reader_create(archive_run_read, &run,
				    (size_t)request.max_body_bytes);
	while (!run.is_over && warc_next(reader, record, &error)) {
		if (run.records.size + record->body.size > RECORDS_BYTES)
			archive_run_hand_over(&run);
		archived_record_append(&run.records, record);
		if (run.records.size >= RECORDS_BYTES)
			archive_run_hand_over(&run);
	}
	archive_run_hand_over(&run);
	end.error = error;
	end.position = warc_position(reader);
	end.reason = slice_of(error == ERR_NONE ? "" : record->reason);
	head = row_codec_encode(&archive_answer_layout, &end);
	answer->head = head;
	warc_reader_destroy(reader);
	message_free(&run.piece);
	buffer_free(&run.records);
	free(record);
	return ERR_NONE;
}
