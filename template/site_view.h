/*
 * template/site_view.h - the interface to a site's data for extraction: the
 * daemon's store and bundles implement it.
 */
#ifndef TEMPLATE_SITE_VIEW_H
#define TEMPLATE_SITE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"
#include "cluster/signature.h"
#include "crawl/url.h"
#include "extract/core/extractor.h"

struct arena;
struct site_query_result;
struct site_query;
struct site_source;

/* Plain data; the slices live as long as the context. */
struct site_view {
	struct slice host; /* HOST in HOST/N */
	enum measure measure;
	unsigned width;      /* of shingles; 0 = default of the measure */
	unsigned threshold;  /* permille */
	uint64_t generation; /* state of its templates at the last begin() */
	const struct site_source *source;
	void *context; /* argument of the source's functions */
};

/* A stored page of the site. */
struct known_page {
	uint64_t key;          /* page_key_of() of its URL */
	uint64_t content_hash; /* hash64 of its body */
	uint32_t cluster;      /* 0 = none */
	uint32_t http_status;
	struct slice charset; /* of the Content-Type, or empty */
};

/* The shingles of a unique signature, strictly ascending. */
struct site_signature {
	uint32_t number;
	const uint32_t *shingle_ids; /* [count] */
	size_t count;
};

/* The current state of a cluster. */
struct cluster_state {
	uint32_t page_count;
	uint32_t changes; /* the sample is unchanged while this number is */
};

/* The template model of a method and a cluster. */
struct template_model {
	const void *knowledge; /* by extractor->learn() */
	void *holder;          /* NULL after an error */
	/*
	 * The reason if there is no model. ERR_BUSY: the cluster no longer
	 * exists, because the site has changed since the request;
	 * ERR_BODY_EXPIRED: none of its pages is stored; ERR_CORRUPT: the
	 * stored pages are damaged; other errors of the source.
	 */
	enum error error;
};

/*
 * Data read between begin() and end() is one state of the site. Compute nothing
 * between them, because a store transaction is open. Call `learn` and `release`
 * outside, all other functions inside. begin() and end() may be NULL for data
 * that never changes. A remote source has `answer`, which replaces the requests
 * that template/site_question.h otherwise makes one by one.
 */
struct site_source {
	enum error (*answer)(void *context, const struct site_query *question,
			     struct site_query_result *answer_out);
	void (*begin)(void *context);
	void (*end)(void *context);
	/*
	 * Return whether the page is unchanged; update its cluster. NULL:
	 * always unchanged.
	 */
	bool (*is_current)(void *context, struct known_page *page);
	/*
	 * Write the ids of the shingles of `own`, ascending, to `shingles_out`
	 * [own.count]; return their number.
	 */
	size_t (*find_shingles)(void *context, struct signature own,
				uint32_t *shingles_out);
	/* Visit every unique signature of the site, ascending by number. */
	void (*each_set)(void *context,
			 void (*visit)(void *visitor,
				       const struct site_signature *set),
			 void *visitor);
	/* Return the cluster of the pages with this signature, or 0. */
	uint32_t (*cluster_of)(void *context, uint32_t set);
	struct cluster_state (*state)(void *context, uint32_t cluster);
	/*
	 * Return the number of pages of the cluster that contain the fragment.
	 */
	uint32_t (*frequency)(void *context, uint32_t cluster,
			      uint64_t fragment);
	bool (*find_page)(void *context, const struct url *url,
			  struct known_page *page_out);
	/*
	 * Return the distinct fragments of a known page, ascending, in `arena`;
	 * NULL if they cannot be read.
	 */
	const uint64_t *(*fragments)(void *context,
				     const struct known_page *page,
				     struct arena *arena, uint32_t *count_out);
	/*
	 * Build the template model from the sample of a cluster in state
	 * `changes`; release a model that has a holder.
	 */
	struct template_model (*learn)(void *context, uint32_t cluster,
				       uint32_t changes,
				       const struct extractor *extractor,
				       const double *parameters);
	void (*release)(void *context, struct template_model taught);
	/*
	 * Return the first failure of the functions above; ERR_BUSY: the site
	 * was deleted meanwhile. Call it outside.
	 */
	enum error (*failure)(const void *context);
};

#endif
