/*
 * store/rows_template.h - the rows of known templates, of their versions and of
 * the pages that are asked for again and again, as store/row.h says of all.
 */
#ifndef STORE_ROWS_TEMPLATE_H
#define STORE_ROWS_TEMPLATE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/slice.h"
#include "store/txn.h"

enum template_state {
	TEMPLATE_LIVE,
	TEMPLATE_REPLACED, /* its pages belong to `other` now */
	TEMPLATE_MERGED,   /* it went into `other` */
	TEMPLATE_VANISHED, /* its pages are gone */
	TEMPLATE_STATES
};

/*
 * A template that was seen often enough to be known: HOST/N, where N is the
 * number of its cluster. The row outlives the cluster.
 */
struct template_row {
	uint64_t created_ms;  /* its first version was taken */
	uint64_t seen_ms;     /* a page of it was last seen as it should be */
	uint64_t ended_ms;    /* no longer TEMPLATE_LIVE; 0: it is */
	uint64_t round_ms;    /* its sample pages were last asked for */
	uint64_t asked_ms;    /* all of its sample pages were last asked for,
				 because    some disagreed; 0: never */
	uint32_t asked_for;   /* so many disagreed then */
	uint32_t round;       /* counts the rounds: whose turn it is */
	uint32_t version;     /* the newest, from 1 */
	uint32_t other;       /* it ended in that one, mostly; 0: none */
	uint16_t state;       /* enum template_state */
	uint16_t threshold;   /* the cut that its pages were last judged by */
	uint16_t flags;       /* TEMPLATE_IS_* */
	struct slice lineage; /* JSON array of what happened to it, oldest
				 first: {"time","kind","other",...} */
};

enum {
	TEMPLATE_IS_SUSPECT = 1, /* its sample says that it has changed or
				    ended: all of its pages are asked */
	TEMPLATE_IS_DIVIDED = 2, /* a part of its sample is elsewhere: emitted
				    when that is still so a round later */
	TEMPLATE_IS_ASKING =
		8, /* an inquiry is open: all of its sample pages are asked
		    */
	TEMPLATE_IS_LEAVING = 16, /* it has ended, and where its pages went is
				     corrected for a round: they are its sample
				     still */
	TEMPLATE_IS_PARTIAL = 4,  /* its version is of a few pages, while the
				     others are visited */
};

bool template_row_get(struct txn *txn, uint32_t site, uint32_t cluster,
		      struct template_row *row_out);
void template_row_put(struct txn *txn, uint32_t site, uint32_t cluster,
		      const struct template_row *row);
bool template_row_decode(struct slice value, struct template_row *row_out);

/* What a template was at one time: template/version.h. */
struct version_row {
	uint64_t first_ms; /* it was taken */
	uint64_t last_ms;  /* pages were last seen to be as it says */
	uint32_t page_count;
	struct slice packed; /* compress() of version_encode()'s JSON */
};

bool version_row_get(struct txn *txn, uint32_t site, uint32_t cluster,
		     uint32_t version, struct version_row *row_out);
void version_row_put(struct txn *txn, uint32_t site, uint32_t cluster,
		     uint32_t version, const struct version_row *row);
bool version_row_decode(struct slice value, struct version_row *row_out);
/* The value of the row; buffer_free() it. */
struct buffer version_row_encode(const struct version_row *row);

/*
 * A page of the sample of a template: those few that are asked again and again,
 * with what they were when the newest version was taken.
 */
struct sample_page_row {
	uint64_t since_ms; /* of that page's visit */
	struct slice url;
	struct slice record; /* without links, as store/content.h has it */
};

bool sample_page_row_get(struct txn *txn, uint32_t site, uint32_t cluster,
			 uint64_t page, struct sample_page_row *row_out);
void sample_page_row_put(struct txn *txn, uint32_t site, uint32_t cluster,
			 uint64_t page, const struct sample_page_row *row);
bool sample_page_row_decode(struct slice value,
			    struct sample_page_row *row_out);
/* The value of the row; buffer_free() it. */
struct buffer sample_page_row_encode(const struct sample_page_row *row);

#endif
