/*
 * daemon/privsep/requests.h - the fields of tasks and of their requests to the
 * main process. For lists of items in a body, see daemon/privsep/item_list.h.
 */
#ifndef DAEMON_PRIVSEP_REQUESTS_H
#define DAEMON_PRIVSEP_REQUESTS_H

#include <stdint.h>

#include "page/page.h"
#include "store/row_layout.h"

/* Like struct page_limits. */
struct limits_field {
	uint64_t max_bytes;
	uint32_t max_nodes;
	uint32_t max_depth;
	uint32_t max_attributes;
};

struct limits_field limits_to_field(const struct page_limits *limits);
struct page_limits limits_of_field(const struct limits_field *field);

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
	struct limits_field limits;
	uint64_t page_bytes; /* in the body */
	uint32_t measure;
	uint32_t width;
	uint32_t http_status;
	uint32_t is_cut;
	uint32_t is_nofollow;
	struct guard_limits guard_limits;
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
 * TASK_FRAGMENTS. Body: the hashes of fragments, ascending, [count], then pages
 * (daemon/privsep/page_list.h). The body of the response is a list: for each
 * fragment that a page contains, its index (u32) and its text with collapsed
 * white space.
 */
struct fragments_request {
	struct limits_field limits;
	uint64_t count;
};

/*
 * TASK_VERSION. Body: one list of `record_count` records, then URL, body and
 * charset of each sampled page. The body of the response is the version,
 * encoded by version_encode(); empty if no page could be parsed.
 */
struct version_request {
	struct limits_field limits;
	uint64_t generation;
	uint32_t page_count;
	uint32_t record_count;
};

/*
 * TASK_TREE. Body: pages (daemon/privsep/page_list.h). The task requests by
 * ASK_COUNTS in how many pages of the template its texts occur: hashes in the
 * body of the request, u32 in the body of the response. For the body of its own
 * response, see template/page_tree_code.h.
 */
struct tree_request {
	struct limits_field limits;
	uint32_t page_count; /* pages of the template */
	uint32_t reserved;
};

/*
 * TASK_ARCHIVE. No body: the task requests the archive by ASK_BYTES, where an
 * empty body is the end, and sends a list of records
 * (daemon/privsep/archived_record.h) by ASK_RECORDS.
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

extern const struct row_codec archive_request_layout;
extern const struct row_codec bytes_answer_layout;
extern const struct row_codec records_answer_layout;
extern const struct row_codec archive_answer_layout;
extern const struct row_codec version_request_layout;
extern const struct row_codec tree_request_layout;
extern const struct row_codec fragments_request_layout;
extern const struct row_codec analyse_request_layout;
extern const struct row_codec wanted_guard_layout;
extern const struct row_codec analyse_answer_layout;

#endif
