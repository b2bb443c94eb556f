/*
 * daemon/worker/task.h - a task: what is done with the bytes of strangers, as a
 * frame that goes to a worker and one that comes back. A task depends on
 * nothing but its request and what it asks for on the way, and leaves nothing
 * behind but what only saves time. The requests are in
 * daemon/worker/requests.h.
 */
#ifndef DAEMON_WORKER_TASK_H
#define DAEMON_WORKER_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/error.h"
#include "store/limit.h"
#include "store/slice.h"

/* The kind of a frame to a worker. */
enum task_kind {
	TASK_ANALYSE = 1, /* a page into its record */
	TASK_GUARD,       /* guards on a page */
	TASK_XPATH,     /* is it an expression? The head is the text; so is the
			   answer: what is wrong, or nothing */
	TASK_TEXT,      /* the text of a page */
	TASK_VERSION,   /* pages of a template into its version */
	TASK_FRAGMENTS, /* the texts of fragments */
	TASK_TREE,      /* pages of a template laid over each other */
	TASK_ARCHIVE,   /* an archive of the web into its records */
	TASK_KINDS
};

/* The kind of a frame from a worker, or an answer to it. */
enum { FRAME_TASK_DONE = 100, FRAME_ASK = 200, FRAME_ASK_DONE = 300 };

/* What a task asks the keeper for: FRAME_ASK + that. */
enum ask_kind {
	ASK_FIND,    /* the stored page at a URL */
	ASK_SITE,    /* what the site knows of a page */
	ASK_SAMPLE,  /* pages of a cluster */
	ASK_MODEL,   /* the model of a site */
	ASK_COUNTS,  /* in how many pages fragments stand */
	ASK_BYTES,   /* the next ones of an archive */
	ASK_RECORDS, /* whether more than these are wanted */
	ASK_KINDS
};

enum {
	MAX_REQUEST_BYTES = LIMIT(256 << 20, 4096)
}; /* of the body of a request */

/* A message: fields by a layout, and bytes. */
struct message {
	struct buffer head;
	struct buffer body;
};

void message_free(struct message *message);

struct inquiry {
	enum ask_kind kind;
	struct slice head;
	struct slice body;
};

/*
 * Answer the inquiry; false: it is none that this task may have, and the worker
 * is not to be trusted any more.
 */
typedef bool ask_server(void *context, const struct inquiry *inquiry,
			struct message *answer);

struct worker;

struct task {
	enum task_kind kind;
	struct slice head;
	struct slice body;
	struct worker *worker; /* what it keeps from task to task */
	ask_server *serve;     /* the keeper, near or far */
	void *serve_context;
	bool has_stopped; /* the keeper does not answer any more */
};

/* Do it. ERR_MALFORMED: it is none. */
enum error task_run(struct task *task, struct message *answer);

/* Ask the keeper; false when it has stopped. message_free() the answer. */
bool task_ask(struct task *task, const struct inquiry *inquiry,
	      struct message *answer);

/* What may be kept from task to task: NULL is a no-op. */
struct worker *worker_create(void);
void worker_destroy(struct worker *worker);

/* The main function of the role. */
void worker_main(int socket);

#endif
