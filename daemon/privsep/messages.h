/*
 * daemon/privsep/messages.h - the protocols between the main process and its
 * other processes, as frames (daemon/privsep/channel.h).
 *
 * The fetcher gets its options first, and reports that it is ready. Then it
 * gets requests. Each request has one response; responses arrive in any order.
 * Decoding rejects incomplete data and data over a limit, because neither
 * process trusts the other.
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
	FETCH_START,        /* a request; body: the body of a POST */
	FETCH_BACKLOG,      /* the number of waiting requests, for
			       fetcher_report_backlog() */
	FETCH_RESULT,       /* a response; body: the body of the response or the
			       entries of a sitemap, then the header lines of the
			       response and of the request */
};

enum {
	FETCH_MAX_HEAD_BYTES = LIMIT(64 * 1024, 512),
	FETCH_MAX_REQUEST_BYTES = LIMIT(256 * 1024, 512),
	FETCH_MAX_POST_BYTES = 64 * 1024 * 1024, /* body of a POST */
};

/*
 * Encode the head of FETCH_OPTIONS; it does not contain `ca_file` and `ca_pem`.
 */
struct buffer fetch_options_encode(const struct fetch_options *options);

/*
 * Decode the head of FETCH_OPTIONS. Texts and lists point into `head`, except
 * the ports, which are in `ports_out`.
 */
bool fetch_options_decode(struct slice head, struct buffer *ports_out,
			  struct fetch_options *options_out);

/* A decoded request. */
struct fetch_message {
	uint64_t id;
	bool is_sitemap; /* return the entries of the sitemap instead of the
			    body */
	bool has_cookies;
	struct slice cookies; /* one cookie per line */
	struct url url;
	struct fetch_request request; /* without url, cookies, body, sink
					 and context */
	struct fetch_post post;       /* valid if its URL is not NULL;
					 without the body */
};

/*
 * Encode the head of FETCH_START, with the `url` and `cookies` of the request,
 * without its sink and context. A head larger than FRAME_MAX_HEAD cannot be
 * sent.
 */
struct buffer fetch_message_encode(uint64_t id,
				   const struct fetch_request *request,
				   bool is_sitemap);

/* Decode the head of FETCH_START. Texts point into `head`. */
bool fetch_message_decode(struct slice head, struct fetch_message *order_out);

/*
 * Encode the head of FETCH_RESULT. Append the long parts of the result to
 * result->body, which becomes the body of the frame. `cookies` are the cookies
 * after the response, or NULL.
 */
struct buffer fetch_result_encode(uint64_t id, struct fetch_result *result,
				  const struct cookies *cookies);

/*
 * A report of the main process: `waiting` requests wait for a connection.
 * `answers` is the number of responses that the main process had received. If
 * the fetcher has sent more, it ignores the report, because each response has
 * freed a connection.
 */
struct fetch_backlog {
	uint64_t waiting;
	uint64_t answers;
};

/* What a valid response to a request may contain. */
struct fetch_expectation {
	uint64_t max_body_bytes;
	bool is_conditional; /* the status 304 is valid */
	bool is_post;        /* of a hook: any response has a short body */
	bool is_sitemap;
	bool has_cookies;
	bool keeps_headers;
};

/*
 * Read the id of the request from the head of FETCH_RESULT. Return false if the
 * head is invalid.
 */
bool fetch_result_id(struct slice head, uint64_t *id_out);

/*
 * Decode FETCH_RESULT into *result_out, without a context; free it with
 * fetch_result_free(). *cookies_out points into the head. Return false if the
 * frame is not a valid response to the request; then there is nothing to free.
 */
bool fetch_result_decode(const struct channel_frame *frame,
			 const struct fetch_expectation *expected,
			 struct fetch_result *result_out,
			 struct slice *cookies_out);

/* Return the text as a slice that includes its NUL; an empty slice for NULL. */
struct slice message_text(const char *text);

/*
 * Return whether the slice is a text that ends with its only NUL, or is empty.
 */
bool message_is_text(struct slice text);

/* Return the text of such a slice; NULL if the slice is empty. */
const char *message_text_of(struct slice text);

/*
 * Copy a text to `out` and add a NUL. Return false if the text contains a NUL
 * or is too long.
 */
bool message_copy_text(struct slice text, char *out, size_t capacity);

/* Return whether `error` is a value of enum error. */
bool message_is_error(int32_t error);

/* Return whether no other bits than ROBOTS_TAG_* are set. */
bool message_is_robots_tag(uint32_t robots_tag);

/*
 * Lists of byte strings (items). Before each item is its size, as a uint32_t.
 */

void item_append(struct buffer *list, struct slice item);

/* Encode a row and append it as an item. */
void item_append_row(struct buffer *list, const struct row_codec *layout,
		     const void *row);

/*
 * Remove the first item of *list. *item_out points into the list. Return false
 * if the list is empty or invalid.
 */
bool item_next(struct slice *list, struct slice *item_out);

/* Remove `size` bytes from the front of *list. Return false if it has fewer. */
bool item_cut(struct slice *list, uint64_t size, struct slice *item_out);

/*
 * Parse up to `max` pages of a list, which has the body and the charset of each
 * page as two items. Skip pages that cannot be parsed. Return the number of
 * parsed pages; the caller frees each with page_destroy().
 */
uint32_t sample_parse(struct slice list, const struct page_limits *limits,
		      struct page **pages_out, uint32_t max);

/*
 * Parse one page; pages over limits->max_bytes are allowed. Errors of
 * page_parse().
 */
enum error sample_page_parse(struct slice body, struct slice charset,
			     const struct page_limits *limits,
			     struct page **page_out);

/*
 * The fields of tasks, and of the requests of tasks to the main process.
 *
 * The codec copies all fields before the slices as one block, so there must be
 * no padding between them.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

/* Limits of the CPU time of guards on a page, in ms; 0 = unlimited. */
struct guard_limits {
	uint32_t guard_ms; /* of each guard */
	uint32_t page_ms;  /* of all guards */
};

/*
 * The request of TASK_ANALYSE and TASK_GUARD. Body: the page, then a list of
 * guards (struct wanted_guard).
 */
struct analyse_request {
	struct page_limits limits;
	uint64_t page_bytes; /* size of the page in the body */
	uint32_t measure;
	uint32_t width;
	uint32_t http_status;
	uint32_t is_cut;
	uint32_t is_nofollow;
	uint32_t is_rendered;
	uint32_t wants_words; /* daemon/privsep/page_words.h */
	uint32_t reserved;
	struct guard_limits guard_limits;
	struct slice url; /* canonical */
	struct slice charset;
	struct slice drop_parameters;
	struct slice refresh; /* URL of the Refresh header; or empty */
};

/* A guard to evaluate, with its last good result on the page. */
struct wanted_guard {
	uint32_t number;
	uint32_t language; /* GUARD_XPATH, GUARD_CSS */
	uint32_t minimum;
	uint32_t maximum;
	uint32_t is_known; /* the guard has held on the page before */
	uint32_t not_sent;
	struct slice selector;
	struct slice value;
	struct slice path;
};

/*
 * The response to TASK_ANALYSE and TASK_GUARD. Body of TASK_ANALYSE: the
 * record, the results of guards, the words, the compressed page. Body of
 * TASK_GUARD: the results of guards.
 */
struct analyse_answer {
	int32_t error; /* of page_parse(); if it is not ERR_NONE, the body is
			  empty */
	uint32_t is_shell; /* the page is empty without scripts */
	uint64_t record_bytes;
	uint64_t guarded_bytes;
	uint64_t word_bytes; /* 0 = without words
			      */
};

/*
 * The request of TASK_FRAGMENTS. Body: the hashes of `count` fragments in
 * ascending order, then a list of pages. The body of the response is a list
 * with two items for each fragment that a page contains: its index (uint32_t),
 * and its text with collapsed white space.
 */
struct fragments_request {
	struct page_limits limits;
	uint64_t count;
};

/*
 * The request of TASK_VERSION. Body: one list of `record_count` records, then
 * the URL, body and charset of each sampled page. The body of the response is
 * the version, encoded by version_encode(); empty if no page could be parsed.
 */
struct version_request {
	struct page_limits limits;
	uint64_t generation;
	uint32_t page_count;
	uint32_t record_count;
};

/*
 * The request of TASK_TREE. Body: a list of pages. With ASK_COUNTS the task
 * requests in how many pages of the template its texts occur: the body of that
 * request has the hashes of the texts, and the body of the response has the
 * numbers (uint32_t). The body of the response to TASK_TREE is described in
 * template/page_tree.h.
 */
struct tree_request {
	struct page_limits limits;
	uint32_t page_count; /* number of pages of the template */
	uint32_t reserved;
};

/*
 * The request of TASK_FIELDS. Body: an item with a list of encoded sets
 * (template/fields/field_set.h), an item with a JSON object that depends on the
 * action, then a list of pages, each with its URL (or empty) behind its
 * charset. The body of the response is a list. For FIELDS_APPLY it has an item
 * for each page: its record, a JSON object, or nothing if the page cannot be
 * parsed. For the other actions it has the new list of sets, their description,
 * the records of the pages, and an object: {"doubts": [{"page": index in the
 * list, "values": [V or null, W or null]}], "likeness": {NAME: ratio}}.
 */
enum fields_action {
	/* find fields; they replace those that were found before, and sets that
	   cannot be decoded */
	FIELDS_FIND,
	/* {"lessons": [{"name": N, "healed": B, "examples": [{"page": index in
	   the list, "values": [V, ...]}], "selector": S, "xpath": X, "not":
	   [V, ...], "transform": T, "items": T, "separator": S, "watched":
	   B, "required": B}]}: learn from examples, or from what the selector
	   selects, as far as they can be found. A field that was there keeps
	   its flags and transform if the lesson has none, and, if it is
	   healed, is found and not taught */
	FIELDS_TEACH,
	/* {"name": N, "new_name": M, "watched": B, "required": B, "transform":
	   T, "items": T, "separator": S, "removed": true}; all but the name
	   are optional */
	FIELDS_EDIT,
	/* {"known": [record of the page, or null], "flat": true}, both
	   optional: add the array "_shown" to the records, the names of the
	   fields whose known value is another one, and is still in the text of
	   the page; leave out fields of records */
	FIELDS_APPLY,
	/* {"like": [description of a field of another template], "names": [N,
	   ...]}: add fields that are like these, by names, labels and types;
	   only those with the names, if there are any */
	FIELDS_LIKE,
	/* {"name": N}: the copy of the only page with the values of the field
	   (page_copy_marked()) is the only item of the response */
	FIELDS_SHOW,
	FIELDS_ACTIONS
};

struct fields_request {
	struct page_limits limits;
	uint32_t action; /* enum fields_action */
	uint32_t max_fields;
};

/* Why an action is impossible. */
enum fields_fault {
	FIELDS_NO_FAULT,
	FIELDS_DAMAGED,      /* the sets cannot be decoded */
	FIELDS_NONE_VARIES,  /* no text varies from page to page */
	FIELDS_TOO_MANY,     /* the template has too many fields */
	FIELDS_NO_FIELD,     /* no field has the name */
	FIELDS_NAME_IN_USE,  /* another field has the new name */
	FIELDS_OF_RECORDS,   /* records are not watched or required */
	FIELDS_NO_VALUE,     /* no place has the values of the examples */
	FIELDS_EXCLUDED,     /* all places with these have an excluded one */
	FIELDS_UNSELECTED,   /* the selector selects nothing on any page */
	FIELDS_SEVERAL,      /* an XPath expression selects several values */
	FIELDS_NOT_PLACE,    /* no place has the values that are selected */
	FIELDS_NONE_TO_LIKE, /* the other template has no fields */
	FIELDS_NONE_ALIKE,   /* no field is like those of the other template */
	FIELDS_NOT_PARSED,   /* a page of an example cannot be parsed */
	FIELDS_NOT_STORED,   /* a page of an example is not stored */
	FIELDS_NOT_TEMPLATE, /* a page of an example has another template */
	FIELDS_FAULTS
};

struct fields_answer {
	uint32_t fault;      /* enum fields_fault; without a fault a body */
	uint32_t confidence; /* of the last lesson, in permille */
};

/*
 * Return whether a field may have this name: 1 to MAX_FIELD_NAME bytes of
 * UTF-8, without control characters, white space at the ends or twice in a
 * row, and characters that show nothing; it does not begin with '_', as the
 * members of a record that are no fields do.
 */
bool field_name_is_valid(struct slice name);

/*
 * The request of TASK_ARCHIVE, without a body. The task requests the bytes of
 * the archive with ASK_BYTES (an empty body of the response is the end), and
 * sends lists of records (daemon/privsep/archive_task.h) with ASK_RECORDS.
 */
struct archive_request {
	uint64_t max_body_bytes; /* maximum body of a record; longer bodies are
				    truncated */
};

struct bytes_answer {
	int32_t error; /* not ERR_NONE: the archive cannot be read further */
	uint32_t reserved;
};

struct records_answer {
	uint32_t is_enough;
	uint32_t reserved;
};

/*
 * The request of TASK_CHANGE. Body: the page that the visit has returned, then
 * the stored page. The body of the response is the JSON of
 * text_change_make() (template/text_change.h); empty if the texts are equal or
 * a page is not HTML.
 */
struct change_request {
	struct page_limits limits;
	uint64_t page_bytes; /* size of the first page */
	uint32_t visits;     /* as in struct text_visit */
	uint32_t quiet;
	struct slice before_charset;
	struct slice after_charset;
	struct slice parts;
};

/* The response to TASK_ARCHIVE. */
struct archive_answer {
	int32_t error; /* ERR_NONE: the archive was read completely */
	uint32_t reserved;
	uint64_t position;   /* number of bytes read */
	struct slice reason; /* human-readable reason of the error; or empty */
};

#pragma GCC diagnostic pop

/*
 * A task is work on untrusted bytes. The main process sends it to a worker as
 * one frame, and the worker returns the result as another frame. The result
 * depends only on the task and on the data that the task requests. A task
 * leaves no state in the worker, except caches.
 */
enum task_kind {
	TASK_ANALYSE = 1, /* compute the record of a page */
	TASK_GUARD,       /* evaluate guards on a page */
	TASK_XPATH,       /* check an XPath expression, which is the head; the
			     head of the response is the error text, or empty */
	TASK_TEXT,        /* extract the text of a page */
	TASK_VERSION,     /* compute the version of a template from pages */
	TASK_FRAGMENTS,   /* find the texts of fragments */
	TASK_TREE,        /* merge pages of a template into a tree */
	TASK_FIELDS,      /* find, teach, change or apply fields */
	TASK_ARCHIVE,     /* unpack the records of a web archive */
	TASK_CHANGE,      /* compare the texts of a page at two visits */
	TASK_KINDS
};

/*
 * Kinds of frames: the result of a task, a request of a task, and the response
 * to such a request.
 */
enum { FRAME_TASK_DONE = 100, FRAME_ASK = 200, FRAME_ASK_DONE = 300 };

/*
 * The requests of a task to the main process. The kind of the frame is
 * FRAME_ASK + this value.
 */
enum task_request_kind {
	ASK_FIND,       /* find the stored page with a URL */
	ASK_SITE,       /* find the cluster of a page, and the frequencies of
			   its fragments there */
	ASK_SAMPLE,     /* read the sample of a cluster */
	ASK_DICTIONARY, /* read a dictionary of the sources of the site's
			   pages */
	ASK_MODEL,      /* read the model of a site */
	ASK_COUNTS,     /* count the pages that contain each fragment */
	ASK_BYTES,      /* read the next bytes of an archive */
	ASK_RECORDS,    /* store these records; the response tells whether to
			   continue */
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
 * Handle a request of a task, in the main process. Return false if this task
 * may not send such a request; then the worker is stopped as untrusted.
 */
typedef bool request_handler(void *context, const struct task_request *inquiry,
			     struct message *answer);

struct task {
	enum task_kind kind;
	struct slice head;
	struct slice body;
	struct worker *worker;  /* the state that is kept between tasks */
	request_handler *serve; /* sends a request to the main process, which
				   may be this process */
	void *serve_context;
	bool has_stopped; /* the main process does not respond any longer */
};

/* Run the task. ERR_MALFORMED: its request is invalid. */
enum error task_run(struct task *task, struct message *answer);

/*
 * Send a request to the main process. Return false if it does not respond. The
 * caller frees the response with message_free().
 */
bool task_send_request(struct task *task, const struct task_request *inquiry,
		       struct message *answer);

/*
 * Create the state that a worker keeps between tasks. worker_destroy(NULL) is a
 * no-op.
 */
struct worker *worker_create(void);
void worker_destroy(struct worker *worker);

/* The main function of a worker process. */
void worker_main(int socket);

/*
 * The fields of TASK_TEXT, and of its requests to the main process. All these
 * requests are about the one site that the main process has selected.
 */

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

/* The fields of struct known_page. This is the response to ASK_FIND, too. */
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
 * The request of TASK_TEXT. Body: the page, which may be compressed, so that
 * only a worker decompresses it. If is_told is set, the data of the
 * site about the page follows, so that the task need not request it: the hashes
 * of its fragments [told_count] in ascending order, and for each the number of
 * pages of its cluster that contain it, uint32_t [told_count]. This data is
 * empty if extraction_needs_counts() is false.
 *
 * An empty text means that there is no value.
 */
struct text_task_request {
	struct page_limits limits;
	uint64_t fetched_ms;  /* time when a stored page was fetched */
	uint64_t waiting_ms;  /* as in struct extraction_result */
	uint64_t generation;  /* generation of the site */
	uint64_t site;        /* identifies the site; 0 = no site */
	uint64_t max_learned; /* maximum size of the model cache */
	uint64_t page_bytes;  /* with is_told: size of the page in the body */
	uint64_t told_count;
	uint64_t source_bytes; /* with is_packed: size of the page after
				  decompression */
	uint32_t is_packed;    /* the page is a frame for decompress_by() */
	uint32_t dictionary;   /* number of its dictionary; 0 = none */
	uint32_t is_stored;    /* the site has stored the page, as `known` */
	uint32_t measure;      /* measure of the site */
	uint32_t width;
	uint32_t threshold;
	uint32_t min_cluster_pages;
	uint32_t has_models; /* the site may have a model of its own */
	uint32_t format;
	uint32_t scope;
	uint32_t favor;
	uint32_t extras;
	uint32_t is_told;
	uint32_t told_cluster; /* cluster of the page; 0 = none, so that no
				  data follows */
	uint32_t told_pages;   /* number of pages of the cluster */
	uint32_t told_changes; /* state of the cluster, see struct
				  cluster_state */
	struct slice host;     /* host of the site */
	struct slice url;      /* URL in the request */
	struct slice page_url; /* URL of the page after redirects */
	struct slice known;    /* an encoded struct known_field */
	struct slice settings; /* with its NUL, like the texts below */
	struct slice method;
	struct slice include;
	struct slice exclude;
	struct slice parameters; /* a list of texts, each with a NUL at its
				    end */
	struct slice charset;    /* without a NUL */
};

/* The response to TASK_TEXT. Body: the text, or a JSON object with the text. */
struct text_task_answer {
	uint64_t generation_at; /* where the body has these values: struct
				   generation_places; 0 = nowhere */
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
 * A request with a number. The number of ASK_SAMPLE is the cluster, and that of
 * ASK_DICTIONARY the dictionary. (The head
 * of ASK_FIND is the URL; ASK_MODEL has no head, and the body of its response
 * is the model.)
 */
struct number_field {
	uint64_t number;
};

/*
 * The response to ASK_SAMPLE: the result of a sample_reader
 * (daemon/privsep/model_cache.h). Body: the sample. The response to
 * ASK_DICTIONARY has an error and, as its body, the dictionary.
 */
struct sample_field {
	int32_t error;
	uint32_t changes;
};

/*
 * The request ASK_SITE: the fields of struct site_query. Body: the fragments,
 * then the signature.
 */
struct site_question_field {
	uint64_t fragment_count;
	uint32_t is_known;
	uint32_t reserved;
	struct slice known; /* an encoded struct known_field, if is_known is
			       set */
	struct slice url;   /* URL of the page, or empty */
};

/*
 * The response to ASK_SITE. Body: the frequencies [fragment_count] of the
 * fragments; empty if the cluster is 0.
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

/* The response to ASK_MODEL. `path` is the name of the model in messages. */
struct model_field {
	int32_t error;
	uint32_t is_there;
	struct slice path;
};

#pragma GCC diagnostic pop

/*
 * The codecs of the structs above. The arguments are the struct, the last field
 * before the slices, the first slice (or that field again if there are no
 * slices), and the number of slices.
 */
#define MESSAGES(X)                                           \
	X(fetch_backlog, answers, answers, 0)                 \
	X(archive_request, max_body_bytes, max_body_bytes, 0) \
	X(bytes_answer, reserved, reserved, 0)                \
	X(records_answer, reserved, reserved, 0)              \
	X(change_request, quiet, before_charset, 3)           \
	X(archive_answer, position, reason, 1)                \
	X(version_request, record_count, record_count, 0)     \
	X(tree_request, reserved, reserved, 0)                \
	X(fields_request, max_fields, max_fields, 0)          \
	X(fields_answer, confidence, confidence, 0)           \
	X(fragments_request, count, count, 0)                 \
	X(analyse_request, guard_limits, url, 4)              \
	X(wanted_guard, is_known, selector, 3)                \
	X(analyse_answer, word_bytes, word_bytes, 0)          \
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
