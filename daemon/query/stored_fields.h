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

struct worker_pool;

enum {
	MAX_FIELD_PAGES = 64, /* sample pages that fields are learned from */
	MAX_FIELD_EXAMPLES = 8,
	MAX_RECORD_PAGES = 10000, /* of a request for records */
	FIELD_REASON_BYTES = 256,
};

/* What to do with the fields of a template. */
struct fields_wish {
	enum fields_action action; /* not FIELDS_APPLY */
	/* the JSON object of TASK_FIELDS; the pages of its examples are
	   examples[0], examples[1], ... */
	const json_t *detail;
	const struct url *examples; /* [example_count] */
	uint32_t example_count;
	uint32_t max_fields; /* of FIELDS_FIND */
};

/* The fields afterwards; free with fields_outcome_free(). */
struct fields_outcome {
	struct buffer sets; /* as in struct fields_row, like the next two */
	struct buffer known;
	json_t *description;
	uint32_t pages;      /* sample pages */
	uint32_t confidence; /* of the field that was taught, in permille */
	json_t *sample; /* array of {"url", "fields"} for the sample pages */
	char reason[FIELD_REASON_BYTES]; /* why the action is impossible */
};

/*
 * Compute the fields of a template after the action; nothing is stored.
 * ERR_NOT_FOUND: there is no such template, or `reason` says what is missing.
 * ERR_BODY_EXPIRED: no page of the template is stored with its body. Errors of
 * worker_pool_run().
 */
enum error stored_fields_change(struct worker_pool *pool, struct store *store,
				const struct page_limits *limits,
				const struct template_name *name,
				const struct fields_wish *wish,
				struct fields_outcome *outcome_out);
void fields_outcome_free(struct fields_outcome *outcome);

/*
 * Return the fields of a template as an array; NULL if none are stored.
 * *learned_ms_out is the time when they were learned.
 */
json_t *stored_fields_describe(struct store *store,
			       const struct template_name *name,
			       uint64_t *learned_ms_out);

/* Which records are read. */
struct record_filter {
	struct text_position since; /* only pages stored after it */
	uint32_t limit;             /* at most MAX_RECORD_PAGES */
};

/* Called for each page; `fields` is {name: value}, see field_json.h. */
typedef void record_sink(void *context, const struct positioned_page *page,
			 struct text_position place, const json_t *fields);

/*
 * Call `sink` for the pages of the template, in the order in which they were
 * stored. ERR_NOT_FOUND: the template does not exist or has no fields. Errors
 * of text_walk_begin() and worker_pool_run().
 */
enum error stored_records_read(struct worker_pool *pool, struct store *store,
			       const struct page_limits *limits,
			       const struct template_name *name,
			       const struct record_filter *filter,
			       record_sink *sink, void *context);

/*
 * Return the values of the fields of a template on a page that is handed in;
 * NULL if it cannot be parsed, and then *error_out is set.
 */
json_t *submitted_record_get(struct worker_pool *pool, struct store *store,
			     const struct page_limits *limits,
			     const struct template_name *name,
			     struct slice body, struct slice charset,
			     enum error *error_out);

#endif
