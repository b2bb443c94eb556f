/*
 * daemon/privsep/task.h - a task: work on untrusted bytes, sent to a worker as
 * one frame and returned as another. A task depends only on its request and on
 * the data that it requests; it leaves no state except caches. For the requests
 * see daemon/privsep/requests.h.
 */
#ifndef DAEMON_PRIVSEP_TASK_H
#define DAEMON_PRIVSEP_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/limit.h"
#include "base/slice.h"

/* The kind of a frame to a worker. */
enum task_kind {
	TASK_ANALYSE = 1, /* compute the record of a page */
	TASK_GUARD,       /* evaluate guards on a page */
	TASK_XPATH,     /* check an XPath expression: the head is the text; the
			   response is the error text, or empty */
	TASK_TEXT,      /* extract the text of a page */
	TASK_VERSION,   /* compute the version of a template from pages */
	TASK_FRAGMENTS, /* find the texts of fragments */
	TASK_TREE,      /* merge pages of a template into a tree */
	TASK_ARCHIVE,   /* unpack the records of a web archive */
	TASK_KINDS
};

/* The kind of a frame from a worker, or of a response to it. */
enum { FRAME_TASK_DONE = 100, FRAME_ASK = 200, FRAME_ASK_DONE = 300 };

/*
 * Requests of a task to the main process; the frame's kind is FRAME_ASK + this.
 */
enum task_request_kind {
	ASK_FIND,    /* the stored page at a URL */
	ASK_SITE,    /* the cluster of a page and its fragments' frequencies */
	ASK_SAMPLE,  /* pages of a cluster */
	ASK_MODEL,   /* the model of a site */
	ASK_COUNTS,  /* the number of pages that contain each fragment */
	ASK_BYTES,   /* the next bytes of an archive */
	ASK_RECORDS, /* take these records; return whether to continue */
	ASK_KINDS
};

enum { MAX_REQUEST_BYTES = LIMIT(256 << 20, 4096) }; /* body of a request */

/* A message: encoded fields, and a body. */
struct message {
	struct buffer head;
	struct buffer body;
};

void message_free(struct message *message);

struct task_request {
	enum task_request_kind kind;
	struct slice head;
	struct slice body;
};

/*
 * Respond to a request of a task. Return false if this task may not send such a
 * request: the worker is then stopped as untrusted.
 */
typedef bool request_handler(void *context, const struct task_request *inquiry,
			     struct message *answer);

struct worker;

struct task {
	enum task_kind kind;
	struct slice head;
	struct slice body;
	struct worker *worker; /* state kept between tasks */
	request_handler
		*serve; /* the main process, in this process or another */
	void *serve_context;
	bool has_stopped; /* the main process no longer responds */
};

/* Run the task. ERR_MALFORMED: invalid request. */
enum error task_run(struct task *task, struct message *answer);

/*
 * Send a request to the main process; return false if it does not respond. Free
 * the response with message_free().
 */
bool task_send_request(struct task *task, const struct task_request *inquiry,
		       struct message *answer);

/* Create the state kept between tasks. Destroying NULL is a no-op. */
struct worker *worker_create(void);
void worker_destroy(struct worker *worker);

/* The main function of the role. */
void worker_main(int socket);

#endif
