/*
 * daemon/worker/requests.h - the fields of the tasks, and of what a task asks
 * for. Lists of items in a body: see daemon/worker/item_list.h.
 */
#ifndef DAEMON_WORKER_REQUESTS_H
#define DAEMON_WORKER_REQUESTS_H

#include <stdint.h>

#include "page/page.h"
#include "store/row_layout.h"

/* As struct page_limits. */
struct limits_field {
	uint64_t max_bytes;
	uint32_t max_nodes;
	uint32_t max_depth;
	uint32_t max_attributes;
};

struct limits_field limits_to_field(const struct page_limits *limits);
struct page_limits limits_of_field(const struct limits_field *field);

/* CPU time for guards on a page, in ms; 0: no limit. */
struct guard_limits {
	uint32_t guard_ms; /* of each */
	uint32_t page_ms;  /* of all */
};

/*
 * TASK_ANALYSE, TASK_GUARD. Body: the page, then a list of guards (struct
 * wanted_guard).
 */
struct analyse_request {
	struct limits_field limits;
	uint64_t page_bytes; /* of the body */
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
	uint32_t is_known; /* it has held on the page */
	struct slice selector;
	struct slice value;
	struct slice path;
};

/* The answer to both. Body: the record, what guards found, the packed page;
 * TASK_GUARD: what they found alone. */
struct analyse_answer {
	int32_t error; /* of page_parse(): the body is empty then */
	uint32_t reserved;
	uint64_t record_bytes;
	uint64_t guarded_bytes;
};

/*
 * TASK_FRAGMENTS. Body: the hashes of fragments, ascending, [count], then pages
 * (daemon/worker/page_list.h). The answer's body is a list of the index of a
 * fragment that stands on one of them (u32), and its text, collapsed.
 */
struct fragments_request {
	struct limits_field limits;
	uint64_t count;
};

/*
 * TASK_VERSION. Body: `record_count` records, then of each sampled page its
 * URL, its body and its charset: one list. The answer's body is the version as
 * version_encode() writes it; empty when no page could be read.
 */
struct version_request {
	struct limits_field limits;
	uint64_t generation;
	uint32_t page_count;
	uint32_t record_count;
};

/*
 * TASK_TREE. Body: pages (daemon/worker/page_list.h). It asks by ASK_COUNTS in
 * how many pages of the template texts stand: hashes in the body, u32 in that
 * of the answer. Its own answer's body is that of template/page_tree_code.h.
 */
struct tree_request {
	struct limits_field limits;
	uint32_t page_count; /* of the template */
	uint32_t reserved;
};

/*
 * TASK_ARCHIVE. Without a body: it asks by ASK_BYTES for the archive, where the
 * body of the answer is empty at the end, and by ASK_RECORDS hands over a list
 * of records (daemon/worker/archived_record.h).
 */
struct archive_request {
	uint64_t max_body_bytes; /* of a record; more is cut */
};

struct bytes_answer {
	int32_t error; /* the archive cannot be read further */
	uint32_t reserved;
};

struct records_answer {
	uint32_t is_enough;
	uint32_t reserved;
};

/* What its own answer has. */
struct archive_answer {
	int32_t error; /* ERR_NONE: all of it was read */
	uint32_t reserved;
	uint64_t position;   /* bytes that were read */
	struct slice reason; /* English; or empty */
};

extern const struct row_layout archive_request_layout;
extern const struct row_layout bytes_answer_layout;
extern const struct row_layout records_answer_layout;
extern const struct row_layout archive_answer_layout;
extern const struct row_layout version_request_layout;
extern const struct row_layout tree_request_layout;
extern const struct row_layout fragments_request_layout;
extern const struct row_layout analyse_request_layout;
extern const struct row_layout wanted_guard_layout;
extern const struct row_layout analyse_answer_layout;

#endif
