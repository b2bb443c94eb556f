/*
 * store/rows_template.h - the rows of known templates, of their versions and of
 * their sample pages (see store/row.h).
 */
#ifndef STORE_ROWS_TEMPLATE_H
#define STORE_ROWS_TEMPLATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"
#include "store/txn.h"

enum template_state {
	TEMPLATE_LIVE,
	TEMPLATE_REPLACED, /* its pages belong to `other` now */
	TEMPLATE_MERGED,   /* it was merged into `other` */
	TEMPLATE_VANISHED, /* all of its pages are deleted */
	TEMPLATE_STATES
};

/*
 * A template with enough pages to be known: HOST/N, where N is the number of
 * its cluster. The row outlives the cluster.
 */
struct template_row {
	uint64_t created_ms; /* time of its first version */
	uint64_t seen_ms;   /* last time that one of its pages agreed with it */
	uint64_t ended_ms;  /* when it ceased to be TEMPLATE_LIVE; 0 = live */
	uint64_t round_ms;  /* last request of its sample pages */
	uint64_t asked_ms;  /* last request of all of its sample pages, because
			       some disagreed; 0 = never */
	uint32_t asked_for; /* number of disagreeing pages at that time */
	uint32_t round;   /* counts the rounds; selects the next sample pages */
	uint32_t version; /* the newest version, from 1 */
	uint32_t other; /* the template that got most of its pages; 0 = none */
	uint16_t state; /* enum template_state */
	uint16_t threshold;   /* threshold of its last clustering */
	uint16_t flags;       /* TEMPLATE_IS_* */
	struct slice lineage; /* JSON array of its history, oldest first:
				 {"time","kind","other",...} */
};

enum {
	TEMPLATE_IS_SUSPECT =
		1, /* its sample disagrees: all of its pages are requested */
	TEMPLATE_IS_DIVIDED =
		2, /* part of its sample is in another cluster: the event is
		      emitted if that is still so one round later */
	TEMPLATE_IS_ASKING = 8, /* an incident is open: all of its sample pages
				   are requested */
	TEMPLATE_IS_LEAVING =
		16, /* it has ended; for one more round its pages remain its
		       sample, and the target of its pages is corrected */
	TEMPLATE_IS_PARTIAL = 4, /* its version is based on a few pages, while
				    the others are being visited */
};

bool template_row_get(struct txn *txn, uint32_t site, uint32_t cluster,
		      struct template_row *row_out);
void template_row_put(struct txn *txn, uint32_t site, uint32_t cluster,
		      const struct template_row *row);
bool template_row_decode(struct slice value, struct template_row *row_out);

/* The state of a template at one point in time: template/version.h. */
struct version_row {
	uint64_t first_ms; /* start of the version */
	uint64_t last_ms;  /* last time that pages agreed with it */
	uint32_t page_count;
	struct slice packed; /* JSON of version_encode(), compressed with
				compress_slice() */
};

bool version_row_get(struct txn *txn, uint32_t site, uint32_t cluster,
		     uint32_t version, struct version_row *row_out);
void version_row_put(struct txn *txn, uint32_t site, uint32_t cluster,
		     uint32_t version, const struct version_row *row);
bool version_row_decode(struct slice value, struct version_row *row_out);
/* Return the value of the row; free it with buffer_free(). */
struct buffer version_row_encode(const struct version_row *row);

/*
 * A page of the sample of a template, the few pages that the watcher
 * re-fetches, with its state when the newest version began.
 */
struct sample_page_row {
	uint64_t since_ms; /* time of that visit of the page */
	struct slice url;
	struct slice record; /* without links, in a form of store/content.h */
};

bool sample_page_row_get(struct txn *txn, uint32_t site, uint32_t cluster,
			 uint64_t page, struct sample_page_row *row_out);
void sample_page_row_put(struct txn *txn, uint32_t site, uint32_t cluster,
			 uint64_t page, const struct sample_page_row *row);
bool sample_page_row_decode(struct slice value,
			    struct sample_page_row *row_out);
/* Return the value of the row; free it with buffer_free(). */
struct buffer sample_page_row_encode(const struct sample_page_row *row);

#endif
