/*
 * daemon/engine/page_packer.h - compress the bodies and records of arriving
 * pages with the dictionary of their template (store/content.h), before they
 * are committed
 *
 * The cluster of a page is known only after its commit, so the packer guesses:
 * it keeps exemplars, which are signatures of earlier pages of the site with
 * the clusters that these pages got. A page belongs to the nearest exemplar
 * within the threshold of the site. If this exemplar has no dictionary, its
 * second page becomes one. Until then the page uses the dictionary of the
 * nearest exemplar which has one. A wrong guess costs only space:
 * daemon/engine/packing.h compresses such pages again.
 *
 * A new dictionary has no number yet. The first commit of a page that uses it
 * stores it too, so that both are in the same transaction.
 */
#ifndef DAEMON_ENGINE_PAGE_PACKER_H
#define DAEMON_ENGINE_PAGE_PACKER_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

struct commit;
struct job;
struct page_dictionary;
struct page_packer;
struct store;

struct page_packer *page_packer_create(struct store *store);
/* No job may use a dictionary any longer. Do nothing for NULL. */
void page_packer_destroy(struct page_packer *packer);

/*
 * Compress the body and the record of each analysed job without an error: set
 * `packed`, `packed_record`, `dictionary` and `exemplar` of the list `jobs`. A
 * job that has `packed` already keeps it. Any thread may call this, without an
 * open transaction.
 */
void page_packer_run(struct page_packer *packer, struct job *jobs);

/*
 * Tell the packer the cluster that the page of a committed job got. Any thread
 * may call this.
 */
void page_packer_learn(struct page_packer *packer, const struct job *job,
		       uint32_t site, uint32_t cluster);

/* A job no longer uses the dictionary. Do nothing for NULL. */
void page_dictionary_release(struct page_dictionary *dictionary);

/*
 * Append `packed`, a body of `body_bytes` that was compressed with the
 * dictionary, to `out` as compress_slice() compresses it. ERR_CORRUPT.
 */
enum error page_dictionary_convert(const struct page_dictionary *dictionary,
				   struct slice packed, uint32_t body_bytes,
				   struct buffer *out);

#endif
