/*
 * The first byte selects the kind of task that the rest requests, or, from 128
 * on, makes the rest a response to a worker's request: two bytes are the size
 * of its head. Any bytes are a request or malformed; a worker can only harm
 * itself, and its reply to a request is a response.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "daemon/privsep/messages.h"
#include "store/record.h"
#include "template/page_tree.h"
#include "tests/unit/daemon/privsep/sample_tasks.h"
#include "tests/fuzz/require.h"

enum { IS_ANSWER = 128, VARIANTS = 4, BYTES_BEFORE = 3 };

struct parts {
	struct slice head;
	struct slice body;
};

/* The main process's reply to any request. */
static bool serve(void *context, const struct task_request *inquiry,
		  struct message *answer)
{
	const struct parts *parts = context;

	if (parts == NULL || inquiry->kind >= ASK_KINDS)
		return false;
	buffer_append_slice(&answer->head, parts->head);
	buffer_append_slice(&answer->body, parts->body);
	return true;
}

/* The record of an analysis is one. */
static void check_answer(enum task_kind kind, const struct message *answer)
{
	struct analyse_answer row;
	struct record record;

	if (kind != TASK_ANALYSE)
		return;
	require(row_codec_decode(&analyse_answer_layout,
				 buffer_slice(&answer->head), &row));
	if (row.error != ERR_NONE)
		return;
	require(row.record_bytes + row.guarded_bytes + row.word_bytes <=
		answer->body.size);
	require(record_open((struct slice){answer->body.data,
					   (size_t)row.record_bytes},
			    &record) == ERR_NONE);
}

static void run(enum task_kind kind, const struct parts *request,
		struct parts *said)
{
	struct task task = {
		.kind = kind,
		.head = request->head,
		.body = request->body,
		.worker = worker_create(),
		.serve = serve,
		.serve_context = said,
	};
	struct message answer;

	if (task_run(&task, &answer) == ERR_NONE)
		check_answer(kind, &answer);
	message_free(&answer);
	worker_destroy(task.worker);
}

/* What a worker answers to TASK_TREE, which the keeper reads. */
static void read_tree(struct slice bytes)
{
	struct arena *arena = arena_create();
	struct buffer again = {0};
	struct page_tree tree;

	if (page_tree_decode(arena, bytes, &tree)) {
		page_tree_encode(&tree, &again);
		require(page_tree_decode(arena, buffer_slice(&again), &tree));
	}
	buffer_free(&again);
	arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct parts parts;
	size_t head;
	char *copy;

	if (size < BYTES_BEFORE)
		return 0;
	size -= BYTES_BEFORE;
	copy = mem_alloc(1, size); /* its end is guarded */
	memcpy(copy, data + BYTES_BEFORE, size);
	head = (size_t)data[1] | (size_t)data[2] << 8;
	if (head > size)
		head = size;
	parts.head = (struct slice){copy, head};
	parts.body = (struct slice){copy + head, size - head};
	if (data[0] % TASK_KINDS == 0) {
		read_tree((struct slice){copy, size});
	} else if (data[0] < IS_ANSWER) {
		run((enum task_kind)(data[0] % TASK_KINDS), &parts, NULL);
	} else {
		unsigned variant = data[0] % VARIANTS;
		enum task_kind kind = variant < 3 ? TASK_TEXT : TASK_TREE;
		struct message sample = sample_task(kind, 2 * variant + 1);
		struct parts request = {buffer_slice(&sample.head),
					buffer_slice(&sample.body)};

		run(kind, &request, &parts);
		message_free(&sample);
	}
	free(copy);
	return 0;
}
