/*
 * daemon/watch/inspection_reading.h - the parts that read the facts of one
 * subject in one transaction. Internal to inspection_facts.c,
 * inspection_moves.c, inspection_sample.c and inspection_version.c.
 */
#ifndef DAEMON_WATCH_INSPECTION_READING_H
#define DAEMON_WATCH_INSPECTION_READING_H

#include "daemon/watch/inspection_facts.h"
#include "store/txn.h"

struct record;

struct facts_reader {
	const struct facts_source *source;
	struct txn *txn;
	uint32_t site;
	struct arena *arena;   /* for results that may be stored */
	struct arena *scratch; /* for temporary data */
};

/*
 * Decode a stored record (store/content.h) into the scratch arena. ERR_CORRUPT,
 * ERR_VERSION.
 */
enum error facts_reader_record(const struct facts_reader *reading,
			       struct slice value, struct record *record_out);

/*
 * inspection_moves.c: find deleted sample pages again. A page matches if it was
 * stored after the version was built and has most of the sample page's own
 * texts. O(sample pages * fragments) per page, for at most 1,000 pages.
 */
void facts_reader_read_moves(const struct facts_reader *reading,
			     struct template_facts *facts);

/* inspection_sample.c: the sample pages of a template. */
enum error facts_reader_read_sample(const struct facts_reader *reading,
				    uint32_t cluster,
				    struct template_facts *facts);

/* inspection_version.c: build a version from the stored pages of a cluster. */

/* The pages of the version, copied out of the store. */
struct version_pages;
struct version_pages *
facts_reader_read_version_pages(const struct facts_reader *reading,
				uint32_t cluster, uint64_t since_ms);

/* Build the version, after the transaction; frees the pages. */
void version_pages_build(const struct facts_reader *reading,
			 struct version_pages *pages,
			 struct built_version *taken_out);

#endif
