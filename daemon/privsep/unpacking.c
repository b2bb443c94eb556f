#include "daemon/privsep/unpacking.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/privsep/archived_record.h"
#include "daemon/privsep/item_list.h"
#include "daemon/privsep/pool.h"
#include "daemon/privsep/requests.h"
#include "daemon/runtime/clock.h"

enum {
	PIECE_BYTES = 192 * 1024, /* of the archive; fits into a message */
	MAX_LATE = 16,            /* requests of a worker after the end */
	MAX_TURN_MS =
		120 * 1000, /* of the worker, from one piece to the next */
};

struct unpacking_run {
	const struct unpacking *unpacking;
	struct unpacking_end *end;
	struct warc_record *record;
	uint64_t given;     /* bytes of the archive sent */
	enum error failure; /* of the source */
	enum error stopped; /* error of take() */
	bool is_over;       /* the source is at its end */
	unsigned late;
	uint64_t answered_ms; /* steady clock: the worker's turn began */
	uint64_t turn_ms;     /* the worker's turns since the last piece */
};

static void unpacking_give_bytes(struct unpacking_run *run,
				 struct message *answer)
{
	const struct unpacking *unpacking = run->unpacking;
	struct bytes_answer said = {.error = ERR_STOPPED};
	char *piece = buffer_reserve(&answer->body, PIECE_BYTES);
	size_t size = 0;

	if (run->failure == ERR_NONE && run->stopped == ERR_NONE) {
		run->failure = unpacking->source(unpacking->source_context,
						 piece, PIECE_BYTES, &size);
		said.error = run->failure;
		run->is_over = size == 0;
	}
	if (said.error == ERR_NONE)
		answer->body.size += size;
	if (answer->body.size > 0)
		run->turn_ms = 0;
	run->given += answer->body.size;
	answer->head = row_codec_encode(&bytes_answer_layout, &said);
}

/*
 * Pass the records to take(). Return false if the data is not a list of
 * records.
 */
static bool unpacking_take_records(struct unpacking_run *run, struct slice list,
				   struct message *answer)
{
	const struct unpacking *unpacking = run->unpacking;
	struct records_answer said = {0};
	struct slice item;

	if (list.size == 0)
		return false;
	while (run->stopped == ERR_NONE && item_next(&list, &item)) {
		if (!archived_record_read(item, unpacking->max_body_bytes,
					  run->record))
			return false;
		run->stopped = unpacking->take(unpacking->context, run->record);
	}
	said.is_enough = run->stopped != ERR_NONE;
	answer->head = row_codec_encode(&records_answer_layout, &said);
	return run->stopped != ERR_NONE || list.size == 0;
}

/*
 * Return whether the worker must be stopped: each request renews the time limit
 * of its task, so a compromised worker could run forever.
 */
static bool unpacking_is_endless(struct unpacking_run *run)
{
	run->turn_ms += clock_steady_ms() - run->answered_ms;
	if (run->failure != ERR_NONE || run->stopped != ERR_NONE ||
	    run->is_over)
		run->late++;
	return run->late > MAX_LATE || run->turn_ms > MAX_TURN_MS;
}

static bool unpacking_serve(void *context, const struct task_request *inquiry,
			    struct message *answer)
{
	struct unpacking_run *run = context;
	bool is_right = inquiry->kind == ASK_BYTES;

	if (unpacking_is_endless(run))
		return false;
	if (inquiry->kind == ASK_BYTES)
		unpacking_give_bytes(run, answer);
	if (inquiry->kind == ASK_RECORDS)
		is_right = unpacking_take_records(run, inquiry->body, answer);
	run->answered_ms = clock_steady_ms();
	return is_right;
}

static bool unpacking_take_end(void *context, struct slice head,
			       struct slice body)
{
	struct unpacking_run *run = context;
	struct unpacking_end *end = run->end;
	struct archive_answer answer;

	(void)body;
	if (!row_codec_decode(&archive_answer_layout, head, &answer) ||
	    answer.position > run->given || answer.error > 0)
		return false;
	end->error = (enum error)answer.error;
	end->bytes = answer.position;
	snprintf(end->reason, sizeof(end->reason), "%.*s",
		 (int)answer.reason.size, (const char *)answer.reason.data);
	return true;
}

void worker_pool_unpack(struct worker_pool *pool,
			const struct unpacking *unpacking,
			struct unpacking_end *end_out)
{
	struct archive_request request = {
		.max_body_bytes = unpacking->max_body_bytes < MAX_RECORD_BYTES
					  ? unpacking->max_body_bytes
					  : MAX_RECORD_BYTES,
	};
	struct unpacking_run run = {
		.unpacking = unpacking,
		.end = end_out,
		.record = mem_alloc(1, sizeof(*run.record)),
		.answered_ms = clock_steady_ms(),
	};
	struct buffer head =
		row_codec_encode(&archive_request_layout, &request);
	struct pool_task task = {
		.kind = TASK_ARCHIVE,
		.head = buffer_slice(&head),
		.body = slice_of(""),
		.serve = unpacking_serve,
		.serve_context = &run,
		.take = unpacking_take_end,
		.take_context = &run,
		.is_stream = true,
	};
	enum error error;

	*end_out = (struct unpacking_end){0};
	error = worker_pool_run(pool, &task);
	if (error != ERR_NONE) {
		end_out->error = error;
		end_out->bytes = run.given;
		snprintf(end_out->reason, sizeof(end_out->reason), "%s",
			 task.reason);
	}
	if (run.stopped == ERR_NONE)
		run.stopped = run.failure;
	if (run.stopped != ERR_NONE) {
		end_out->error = run.stopped;
		snprintf(end_out->reason, sizeof(end_out->reason), "%s",
			 error_text(run.stopped));
	}
	buffer_free(&head);
	free(run.record);
}
