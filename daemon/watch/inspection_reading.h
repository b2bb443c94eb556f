/*
 * daemon/watch/inspection_reading.h - the parts of reading the facts of one
 * subject, in the one transaction. Internal to inspection_facts.c,
 * inspection_moves.c, inspection_sample.c and inspection_version.c.
 */
#ifndef DAEMON_WATCH_INSPECTION_READING_H
#define DAEMON_WATCH_INSPECTION_READING_H

#include "daemon/watch/inspection_facts.h"
#include "store/txn.h"

struct record;

struct reading {
	const struct facts_source *source;
	struct txn *txn;
	uint32_t site;
	struct arena *arena;   /* of what may be stored */
	struct arena *scratch; /* of the rest */
};

/*
 * Open a record as the store keeps it (store/content.h). It belongs to the
 * scratch arena. ERR_CORRUPT, ERR_VERSION.
 */
enum error reading_record(const struct reading *reading, struct slice value,
			  struct record *record_out);

/*
 * inspection_moves.c: sample pages that are gone lead to the page of the site
 * that came since the version was taken and has most of their own texts.
 * O(sample pages * fragments) a page, of a thousand pages at most.
 */
void moves_read(const struct reading *reading, struct subject_facts *facts);

/* inspection_sample.c: the sample pages of a template. */
enum error sample_read(const struct reading *reading, uint32_t cluster,
		       struct subject_facts *facts);

/* inspection_version.c: a version out of the stored pages of a cluster. */

/* The pages that it is made of, copied out of the store. */
struct version_pages;
struct version_pages *version_pages_read(const struct reading *reading,
					 uint32_t cluster, uint64_t since_ms);

/* Make the version, after the transaction; the pages are freed. */
void version_take(const struct reading *reading, struct version_pages *pages,
		  struct taken_version *taken_out);

#endif
