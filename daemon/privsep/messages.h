/*
 * daemon/privsep/messages.h - the protocol of the main process and the
 * fetcher, as frames (daemon/privsep/channel.h). The main process sends options
 * and waits until the fetcher is ready; then it sends requests. Each request
 * has one response; responses arrive in any order. Decoding rejects incomplete
 * data and data over a limit; neither side trusts the other.
 */
#ifndef DAEMON_PRIVSEP_MESSAGES_H
#define DAEMON_PRIVSEP_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/limit.h"
#include "crawl/fetch.h"
#include "crawl/url/url.h"
#include "daemon/privsep/channel.h"
#include "page/page.h"
#include "store/row_codec.h"
#include "template/extraction.h"
#include "template/result.h"

struct worker;

enum fetch_frame {
	FETCH_OPTIONS = 32, /* body: additional CA certificates, PEM */
	FETCH_READY,        /* the response to options */
	FETCH_START,        /* a request; body: of a POST */
	FETCH_BACKLOG,      /* number of waiting requests, for
			       fetcher_report_backlog() */
	FETCH_RESULT, /* body: the body of the response, or the entries of a
			 sitemap; then the response's head and the request */
};

enum {
	FETCH_MAX_HEAD_BYTES = LIMIT(64 * 1024, 512),
	FETCH_MAX_REQUEST_BYTES = LIMIT(256 * 1024, 512),
	FETCH_MAX_POST_BYTES = 64 * 1024 * 1024, /* body of a POST */
};

/* Encode the head of FETCH_OPTIONS, without `ca_file` and `ca_pem`. */
struct buffer fetch_options_encode(const struct fetch_options *options);

/*
 * Decode the head of FETCH_OPTIONS. Texts and lists point into `head`, except
 * the ports, which `ports_out` owns.
 */
bool fetch_options_decode(struct slice head, struct buffer *ports_out,
			  struct fetch_options *options_out);

/* A request in a frame. */
struct fetch_message {
	uint64_t id;
	bool is_sitemap; /* return the entries instead of the body */
	bool has_cookies;
	struct slice cookies; /* one cookie per line */
	struct url url;
	struct fetch_request request; /* without url, cookies, sink, context */
	struct fetch_post post;       /* if its URL is not NULL; no body */
};

/*
 * Encode the head of FETCH_START for the request, with its `url` and `cookies`,
 * without its sink and context. A head over FRAME_MAX_HEAD cannot be sent.
 */
struct buffer fetch_message_encode(uint64_t id,
				   const struct fetch_request *request,
				   bool is_sitemap);

/* Decode the head of FETCH_START. Texts point into `head`. */
bool fetch_message_decode(struct slice head, struct fetch_message *order_out);

/*
 * Encode the head of FETCH_RESULT. Append the long parts of the result to its
 * body, which is the body of the frame. `cookies`: their state after the
 * response, or NULL.
 */
struct buffer fetch_result_encode(uint64_t id, struct fetch_result *result,
				  const struct cookies *cookies);

/*
 * `waiting` requests wait for a connection. This holds only until the next
 * response, which frees a connection; `answers` is the number of responses that
 * the main process had received.
 */
struct fetch_backlog {
	uint64_t waiting;
	uint64_t answers;
};

/* The limits of a valid response. */
struct fetch_expectation {
	uint64_t max_body_bytes;
	bool is_conditional; /* 304 is a valid status */
	bool is_post;        /* no body is returned */
	bool is_sitemap;
	bool has_cookies;
	bool keeps_headers;
};

/* Read the number of the request; return false if the head is invalid. */
bool fetch_result_id(struct slice head, uint64_t *id_out);

/*
 * Decode the result, without a context; free it with fetch_result_free(). The
 * cookies point into the head. Return false if the frame is not a valid
 * response to the request; there is nothing to free then.
 */
bool fetch_result_decode(const struct channel_frame *frame,
			 const struct fetch_expectation *expected,
			 struct fetch_result *result_out,
			 struct slice *cookies_out);

/* Return the text with its NUL; empty for NULL. */
struct slice message_text(const char *text);

/* Return whether the slice is one text with its NUL, or empty. */
bool message_is_text(struct slice text);

/* Return such a text; NULL if it is empty. */
const char *message_text_of(struct slice text);

/*
 * Copy a text without a NUL to `out`; return false if it has one, or is too
 * long.
 */
bool message_copy_text(struct slice text, char *out, size_t capacity);

/* Return whether the number is an enum error. */
bool message_is_error(int32_t error);

/* Return whether only ROBOTS_TAG_* are set. */
bool message_is_robots_tag(uint32_t robots_tag);

/* A list of byte strings, each preceded by its size as u32. */

void item_append(struct buffer *list, struct slice item);

/* Append a row as an item. */
void item_append_row(struct buffer *list, const struct row_codec *layout,
		     const void *row);

/*
 * Remove the first item of *list; it points into the list. Return false if the
 * list is empty or invalid.
 */
bool item_next(struct slice *list, struct slice *item_out);

/* Remove `size` bytes at the front; return false if there are fewer. */
bool item_cut(struct slice *list, uint64_t size, struct slice *item_out);

/*
 * Parse up to `max` pages of a list of pages, which has body and charset of
 * each; skip damaged ones. Return their number; free each with page_destroy().
 */
uint32_t sample_parse(struct slice list, const struct page_limits *limits,
		      struct page **pages_out, uint32_t max);

/* Parse one page. Errors of page_parse(). */
enum error sample_page_parse(struct slice body, struct slice charset,
			     const struct page_limits *limits,
			     struct page **page_out);

/*
 * The fields of tasks and of their requests to the main process.
 *
 * The codec copies the fields of a message as one: none may have padding.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

/* CPU time limits for guards on a page, in ms; 0 = unlimited. */
struct guard_limits {
	uint32_t guard_ms; /* of each guard */
	uint32_t page_ms;  /* of all guards */
};

/*
 * TASK_ANALYSE, TASK_GUARD. Body: the page, then a list of guards (struct
 * wanted_guard).
 */
struct analyse_request {
	struct page_limits limits;
	uint64_t page_bytes; /* in the body */
	uint32_t measure;
	uint32_t width;
	uint32_t http_status;
	uint32_t is_cut;
	uint32_t is_nofollow;
	struct guard_limits guard_limits;
	uint32_t not_sent;
	struct slice url; /* canonical */
	struct slice charset;
	struct slice drop_parameters;
};

/* A guard, with its last good result on the page. */
struct wanted_guard {
	uint32_t number;
	uint32_t language; /* GUARD_XPATH, GUARD_CSS */
	uint32_t minimum;
	uint32_t maximum;
	uint32_t is_known; /* the guard has held on the page */
	uint32_t not_sent;
	struct slice selector;
	struct slice value;
	struct slice path;
};

/*
 * The response to both. Body: the record, the results of guards, the compressed
 * page; for TASK_GUARD only the results.
 */
struct analyse_answer {
	int32_t error; /* of page_parse(): the body is empty then */
	uint32_t reserved;
	uint64_t record_bytes;
	uint64_t guarded_bytes;
};

/*
 * TASK_FRAGMENTS. Body: the hashes of fragments, ascending, [count], then a
 * list of pages. The body of the response is a list: for each fragment that a
 * page contains, its index (u32) and its text with collapsed white space.
 */
struct fragments_request {
	struct page_limits limits;
	uint64_t count;
};

/*
 * TASK_VERSION. Body: one list of `record_count` records, then URL, body and
 * charset of each sampled page. The body of the response is the version,
 * encoded by version_encode(); empty if no page could be parsed.
 */
struct version_request {
	struct page_limits limits;
	uint64_t generation;
	uint32_t page_count;
	uint32_t record_count;
};

/*
 * TASK_TREE. Body: a list of pages. The task requests by ASK_COUNTS in how many
 * pages of the template its texts occur: hashes in the body of the request, u32
 * in that of the response. The body of its own response: template/page_tree.h.
 */
struct tree_request {
	struct page_limits limits;
	uint32_t page_count; /* pages of the template */
	uint32_t reserved;
};

/*
 * TASK_ARCHIVE. No body: the task requests the archive by ASK_BYTES, where an
 * empty body is the end, and sends a list of records
 * (daemon/privsep/archive_task.h) by ASK_RECORDS.
 */
struct archive_request {
	uint64_t max_body_bytes; /* of a record; longer bodies are truncated */
};

struct bytes_answer {
	int32_t error; /* the archive cannot be read further */
	uint32_t reserved;
};

struct records_answer {
	uint32_t is_enough;
	uint32_t reserved;
};

/* The response of TASK_ARCHIVE. */
struct archive_answer {
	int32_t error; /* ERR_NONE: read completely */
	uint32_t reserved;
	uint64_t position;   /* bytes read */
	struct slice reason; /* English; or empty */
};

#pragma GCC diagnostic pop

/*
 * A task: work on untrusted bytes, sent to a worker as one frame and returned
 * as another. It depends only on its request and on the data that it requests;
 * it leaves no state except caches.
 */
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

/*
 * The fields of TASK_TEXT, and of its requests to the main process. All of
 * them concern one site, which the main process has selected.
 */

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

/* Like struct known_page; also the response to ASK_FIND. */
struct known_field {
	uint64_t key;
	uint64_t content_hash;
	uint32_t cluster;
	uint32_t http_status;
	uint32_t is_found; /* 0 = no such page */
	uint32_t reserved;
	struct slice charset;
};

/*
 * TASK_TEXT. Body: the page. With is_told, the site's data about the page
 * follows, so that the task need not request it: the hashes of its fragments,
 * [told_count], ascending, and for each the number of pages of its cluster that
 * contain it, u32 [told_count]; empty if extraction_needs_counts() is false. An
 * empty text means a missing value.
 */
struct text_task_request {
	struct page_limits limits;
	uint64_t fetched_ms;  /* of a stored page */
	uint64_t generation;  /* of the site */
	uint64_t site;        /* identifies the site; 0 = no site */
	uint64_t max_learned; /* size of the model cache */
	uint64_t page_bytes;  /* size in the body, with is_told */
	uint64_t told_count;
	uint32_t is_stored; /* the site stores the page as `known` */
	uint32_t measure;   /* of the site */
	uint32_t width;
	uint32_t threshold;
	uint32_t min_cluster_pages;
	uint32_t has_models; /* the site may have its own model */
	uint32_t format;
	uint32_t scope;
	uint32_t favor;
	uint32_t extras;
	uint32_t is_told;
	uint32_t told_cluster; /* cluster of the page; 0 = no cluster, and no
				  data follows */
	uint32_t told_pages;   /* pages of the cluster */
	uint32_t told_changes; /* struct cluster_state */
	struct slice host;     /* of the site */
	struct slice url;      /* of the request */
	struct slice page_url; /* after redirects */
	struct slice known;    /* struct known_field */
	struct slice settings; /* with its NUL, like the texts below */
	struct slice method;
	struct slice include;
	struct slice exclude;
	struct slice parameters; /* a list of texts, each with its NUL */
	struct slice charset;    /* without a NUL */
};

/* The response. Body: the text, or the JSON object. */
struct text_task_answer {
	uint64_t generation_at; /* struct generation_places; 0 = none */
	uint64_t version_at;
	int32_t error;
	uint32_t quality;
	uint32_t has_confidence;
	float confidence;
	struct slice method;
	struct slice reason;
	struct slice cluster;
};

/*
 * ASK_FIND: the head is the URL. ASK_SAMPLE: the number is the cluster.
 * ASK_MODEL: no head; the body of the response is the file.
 */
struct number_field {
	uint64_t number;
};

/*
 * The response to ASK_SAMPLE: the result of a sample_reader
 * (daemon/privsep/model_cache.h). Body: the sample.
 */
struct sample_field {
	int32_t error;
	uint32_t changes;
};

/* ASK_SITE: struct site_query. Body: the fragments, then the signature. */
struct site_question_field {
	uint64_t fragment_count;
	uint32_t is_known;
	uint32_t reserved;
	struct slice known; /* struct known_field, with is_known */
	struct slice url;   /* or empty */
};

/*
 * The response to ASK_SITE. Body: the frequencies, [fragment_count]; empty if
 * the cluster is 0.
 */
struct site_answer_field {
	uint64_t generation;
	int32_t error;
	uint32_t is_there;
	uint32_t cluster;
	uint32_t page_count;
	uint32_t changes;
	uint32_t reserved;
};

/* The response to ASK_MODEL; `path` names the model in messages. */
struct model_field {
	int32_t error;
	uint32_t is_there;
	struct slice path;
};

#pragma GCC diagnostic pop

/*
 * The codecs of the structs above: the last field before the slices, the first
 * slice (or that field again), and the number of slices.
 */
#define MESSAGES(X)                                           \
	X(fetch_backlog, answers, answers, 0)                 \
	X(archive_request, max_body_bytes, max_body_bytes, 0) \
	X(bytes_answer, reserved, reserved, 0)                \
	X(records_answer, reserved, reserved, 0)              \
	X(archive_answer, position, reason, 1)                \
	X(version_request, record_count, record_count, 0)     \
	X(tree_request, reserved, reserved, 0)                \
	X(fragments_request, count, count, 0)                 \
	X(analyse_request, guard_limits, url, 3)              \
	X(wanted_guard, is_known, selector, 3)                \
	X(analyse_answer, guarded_bytes, guarded_bytes, 0)    \
	X(known_field, reserved, charset, 1)                  \
	X(text_task_request, told_changes, host, 10)          \
	X(text_task_answer, confidence, method, 3)            \
	X(number_field, number, number, 0)                    \
	X(sample_field, changes, changes, 0)                  \
	X(site_question_field, reserved, known, 2)            \
	X(site_answer_field, reserved, reserved, 0)           \
	X(model_field, is_there, path, 1)

#define DECLARE(type, ...) extern const struct row_codec type##_layout;
MESSAGES(DECLARE)
#undef DECLARE

struct known_field known_to_field(const struct known_page *page);
struct known_page known_of_field(const struct known_field *field);

#endif
