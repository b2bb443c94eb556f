/*
 * template/bundle_writer.h - write a bundle. Call the functions in the order of
 * their declaration, those for a single item once per item.
 */
#ifndef TEMPLATE_BUNDLE_WRITER_H
#define TEMPLATE_BUNDLE_WRITER_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/slice.h"
#include "template/bundle_site.h"
#include "template/container.h"
#include "template/site_view.h"

/* Start with {.max_bytes = ...}. */
struct bundle_writer {
	size_t max_bytes; /* of the file; the limit when decompressed is
			     BUNDLE_MAX_BYTES */
	size_t unpacked;
	struct container_writer file;
	struct buffer rows;     /* bytes of the current section */
	enum section_kind kind; /* kind of the current section */
	uint32_t number;
};

void bundle_put_site(struct bundle_writer *writer,
		     const struct bundle_site *site);

/* Write the site's own model as text; empty if it has none. */
void bundle_put_model(struct bundle_writer *writer, struct slice model);

/* Write all shingles of all signatures, strictly ascending. */
void bundle_put_shingles(struct bundle_writer *writer, const uint64_t *members,
			 size_t count);

/*
 * Write a unique signature, as indices of shingles, and its cluster (0 = none).
 * The order decides between equally near signatures: the first wins.
 */
void bundle_put_set(struct bundle_writer *writer, uint32_t cluster,
		    const uint32_t *shingle_ids, size_t count);

/* Write all fragments of all pages, strictly ascending. */
void bundle_put_fragments(struct bundle_writer *writer, const uint64_t *hashes,
			  size_t count);

/*
 * Write a page, ascending by key, with the ascending indices of its fragments.
 */
void bundle_put_page(struct bundle_writer *writer,
		     const struct known_page *page, const uint32_t *fragments,
		     uint32_t count);

/*
 * Write a page of the sample of a cluster: clusters ascending, pages in their
 * order.
 */
void bundle_put_sample(struct bundle_writer *writer, uint32_t cluster,
		       struct slice charset, struct slice body);

/* Write the newest version of a template as JSON, clusters ascending. */
void bundle_put_version(struct bundle_writer *writer, uint32_t cluster,
			uint32_t version, struct slice json);

/*
 * Return whether the bundle is already too large, so that the caller can stop.
 */
bool bundle_is_full(const struct bundle_writer *writer);

/* Append the bundle to `out`, and free the writer. ERR_TOO_LARGE. */
enum error bundle_end(struct bundle_writer *writer, struct buffer *out);
void bundle_writer_free(struct bundle_writer *writer);

#endif
