/*
 * template/bundle_site.h - the site of a bundle, and the configuration of the
 * daemon that wrote it: section "site", a JSON object.
 */
#ifndef TEMPLATE_BUNDLE_SITE_H
#define TEMPLATE_BUNDLE_SITE_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/slice.h"
#include "cluster/signature.h"
#include "page/page.h"

struct arena;

struct bundle_site {
	const char *host; /* HOST in HOST/N */
	const char *base; /* scheme://host[:port]/ */
	enum measure measure;
	unsigned width;     /* of shingles; 0 = default of the measure */
	unsigned threshold; /* permille */
	uint64_t generation;
	uint64_t made_ms;    /* Unix milliseconds */
	const char *program; /* writer of the bundle: "templated 0.1.0" */
	struct page_limits limits;
	uint32_t min_cluster_pages;
	const char *settings; /* as in extract/settings.h; or "" */
};

void bundle_site_write(const struct bundle_site *site, struct buffer *out);

/*
 * Read and check the section; copy the texts to `arena`. ERR_CORRUPT, with an
 * English phrase in `reason` [256].
 */
enum error bundle_site_read(struct arena *arena, struct slice json,
			    struct bundle_site *site_out, char *reason);

#endif
