/*
 * daemon/query/stored_fields.h - the fields of the templates in the store, and
 * the records: the values of the fields on stored pages. Workers find, teach
 * and apply fields; this process never reads a page.
 */
#ifndef DAEMON_QUERY_STORED_FIELDS_H
#define DAEMON_QUERY_STORED_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "crawl/url/url.h"
#include "daemon/privsep/messages.h"
#include "daemon/query/query.h"
#include "daemon/query/text_export.h"
#include "store/store.h"

struct page_row;
struct stored_pages;
struct worker_pool;

enum {
	MAX_FIELD_PAGES = 64, /* sample pages that fields are learned from */
	MAX_FIELD_EXAMPLES = 8,
	MAX_RECORD_PAGES = 10000, /* of a request for records */
	FIELD_REASON_BYTES = 256,
};

/* A template whose fields are read or changed. */
struct fields_source {
	struct worker_pool *pool; /* NULL: the calling thread reads pages */
	struct store *store;
	const struct page_limits *limits;
	struct template_name name;
};

/* The response of a worker to TASK_FIELDS. */
struct fields_reply {
	struct fields_answer answer;
	struct buffer body;
};

/* The body of TASK_FIELDS. */
struct fields_task_body {
	struct slice sets;    /* list of encoded sets */
	const json_t *detail; /* object; NULL: empty */
	struct slice pages;   /* list of fields_page_append() */
};

/*
 * Run TASK_FIELDS. The caller frees reply->body; *reply must be zero before.
 * ERR_NOT_FOUND: see reply->answer.fault; ERR_CORRUPT: the sets are damaged.
 * Errors of worker_pool_run().
 */
enum error fields_task_run(struct worker_pool *pool,
			   const struct fields_request *request,
			   const struct fields_task_body *parts,
			   struct fields_reply *reply);

/*
 * Append a stored page to the list of pages of TASK_FIELDS. Errors of
 * stored_page_append().
 */
enum error fields_page_append(const struct stored_pages *from, uint64_t key,
			      const struct page_row *row, struct buffer *list);

/* What to do with the fields of a template. */
struct fields_wish {
	enum fields_action action; /* not FIELDS_APPLY */
	/* the JSON object of TASK_FIELDS; the pages of its examples are
	   examples[0], examples[1], ... */
	const json_t *detail;
	const struct url *examples; /* [example_count], all different */
	uint32_t example_count;
	uint32_t max_fields; /* of FIELDS_FIND */
	/* of FIELDS_LIKE: the template whose fields are wanted; NULL: none */
	const struct template_name *like;
};

/* The fields afterwards; free with fields_outcome_free(). */
struct fields_outcome {
	/* why the action is impossible; then the error is ERR_NOT_FOUND */
	enum fields_fault fault;
	uint32_t example;     /* index of the example that has the fault */
	struct buffer before; /* sets before; empty: none */
	struct buffer sets;   /* as in struct fields_row, like the next one */
	json_t *description;
	uint32_t pages;      /* sample pages */
	uint32_t confidence; /* of the field that was taught, in permille */
	json_t *sample; /* array of {"url", "fields"} for the sample pages */
	/* array of {"url", "values"} for pages on which two places that may be
	   the field that was taught have different values: texts or null */
	json_t *doubts;
	json_t *likeness; /* of FIELDS_LIKE: {name: ratio} of the new fields */
};

/*
 * Compute the fields of a template after the action; nothing is stored.
 * ERR_NOT_FOUND: there is no such template, or see outcome_out->fault.
 * ERR_BODY_EXPIRED: no page of the template is stored with its body. Errors of
 * worker_pool_run().
 */
enum error stored_fields_change(const struct fields_source *source,
				const struct fields_wish *wish,
				struct fields_outcome *outcome_out);
void fields_outcome_free(struct fields_outcome *outcome);

/*
 * Get the fields of a template as an array, each with its "rounds" and whether
 * it is "firing". *learned_ms_out is the time when
 * they were learned. ERR_NOT_FOUND: there are none; ERR_CORRUPT.
 */
enum error stored_fields_describe(struct store *store,
				  const struct template_name *name,
				  json_t **list_out, uint64_t *learned_ms_out);

/* Return whether the template has fields. */
bool stored_fields_exist(struct store *store, const struct template_name *name);

/* The values of the fields on a stored page. */
struct stored_record {
	const struct positioned_page *page;
	struct text_position place;
	/* ERR_BODY_EXPIRED, ERR_CORRUPT, ERR_NOT_HTML, ERR_QUARANTINED: there
	   are no fields */
	enum error error;
	/* {name: value}, see field_json.h: texts, and arrays of texts; a value
	   that the watcher has not accepted (daemon/watch/decide_fields.h) is
	   unsure */
	const json_t *fields;
};

/* Use a record. Return false to stop. */
typedef bool record_sink(void *context, const struct stored_record *record);

/* Which records are read. */
struct record_request {
	struct text_position since; /* only pages stored after it */
	uint32_t limit;             /* at most MAX_RECORD_PAGES */
	record_sink *sink;
	void *context;
};

/*
 * Pass the records of the pages of the template to the sink, in the order in
 * which the pages were stored. ERR_NOT_FOUND: the template does not exist or
 * has no fields. Errors of text_walk_begin() and worker_pool_run().
 */
enum error stored_records_read(const struct fields_source *source,
			       const struct record_request *request);

/*
 * Pass the record of one page to request->sink; the other members of the
 * request do not matter. ERR_NOT_FOUND: the template has no fields, or see
 * *fault_out: the page is not stored, or has another template. Errors of
 * worker_pool_run().
 */
enum error stored_record_get(const struct fields_source *source,
			     const struct url *url,
			     const struct record_request *request,
			     enum fields_fault *fault_out);

/*
 * Append a copy of a stored page, a file of HTML in which nothing can run, with
 * the values of a field (page_copy_marked()). ERR_NOT_FOUND: see *fault_out;
 * without a fault the template has no fields. Errors of worker_pool_run();
 * ERR_BODY_EXPIRED, ERR_CORRUPT.
 */
enum error stored_value_show(const struct fields_source *source,
			     const struct url *url, const char *field,
			     struct buffer *html, enum fields_fault *fault_out);

/* A page that is handed in. */
struct submitted_page {
	struct slice body;
	struct slice charset; /* of the response, or empty */
	struct slice url;     /* canonical, or empty */
};

/*
 * Get the values of the fields of the template on a page. ERR_NOT_FOUND: the
 * template has no fields; ERR_NOT_HTML: the page cannot be parsed. Errors of
 * worker_pool_run().
 */
enum error submitted_record_get(const struct fields_source *source,
				const struct submitted_page *page,
				json_t **fields_out);

/*
 * Return whether a worker has sent a valid description: an array of objects
 * with valid names.
 */
bool field_description_is_valid(const json_t *description);

#endif
