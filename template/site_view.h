/*
 * template/site_view.h - the interface to a site's data, as far as extraction
 * needs them: implemented by the daemon's store and by bundles.
 */
#ifndef TEMPLATE_SITE_VIEW_H
#define TEMPLATE_SITE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/signature.h"
#include "crawl/url/url.h"
#include "extract/core/extractor.h"
#include "store/error.h"
#include "store/slice.h"

struct arena;
struct site_answer;
struct site_question;
struct site_source;

/* Plain data; the slices live as long as the context. */
struct site_view {
	struct slice host; /* HOST in HOST/N */
	enum measure measure;
	unsigned width;      /* of shingles; 0: the measure's own */
	unsigned threshold;  /* permille */
	uint64_t generation; /* the state of its templates, as of the last
				begin() */
	const struct site_source *source;
	void *context; /* of the source's functions */
};

/* A stored page of the site. */
struct known_page {
	uint64_t key;          /* page_key_of() of its URL */
	uint64_t content_hash; /* hash64 of its body */
	uint32_t cluster;      /* 0: none */
	uint32_t http_status;
	struct slice charset; /* of the Content-Type, or empty */
};

/* The shingles of a distinct signature, strictly ascending. */
struct shingle_set {
	uint32_t number;
	const uint32_t *shingle_ids; /* [count] */
	size_t count;
};

/* A cluster as it stands. */
struct cluster_state {
	uint32_t page_count;
	uint32_t changes; /* what its sample teaches is the same as long as
			     this is */
};

/* What a sample of a cluster has taught a method. */
struct taught {
	const void *knowledge; /* by extractor->learn() */
	void *holder;          /* NULL after an error */
	/*
	 * Why there is none. ERR_BUSY: the cluster is gone, because the site
	 * has changed since it was asked about; ERR_NOT_KEPT: none of its pages
	 * is kept; ERR_CORRUPT: they are kept, and damaged; others of the
	 * source.
	 */
	enum error error;
};

/*
 * What is read between begin() and end() is one state of the site, and nothing
 * is computed between them: a store is open there. `learn` and `release` are
 * called outside, all others inside. Both may be NULL: what never changes.
 * A source that is far away has `answer`, which takes the place of all that
 * template/site_question.h would else ask for piece by piece.
 */
struct site_source {
	enum error (*answer)(void *context,
			     const struct site_question *question,
			     struct site_answer *answer_out);
	void (*begin)(void *context);
	void (*end)(void *context);
	/* Is the page still what it was? Its cluster is that of now, then. May
	   be NULL: it is. */
	bool (*is_current)(void *context, struct known_page *page);
	/* The ids that stand for shingles of `own`, ascending, written to
	   `shingles_out` [own.count]; returns how many. */
	size_t (*find_shingles)(void *context, struct signature own,
				uint32_t *shingles_out);
	/* Every distinct signature of the site, ascending by number. */
	void (*each_set)(void *context,
			 void (*visit)(void *visitor,
				       const struct shingle_set *set),
			 void *visitor);
	/* The cluster of the pages that have the set; 0 when there is none. */
	uint32_t (*cluster_of)(void *context, uint32_t set);
	struct cluster_state (*state)(void *context, uint32_t cluster);
	/* In how many pages of the cluster the fragment stands. */
	uint32_t (*frequency)(void *context, uint32_t cluster,
			      uint64_t fragment);
	bool (*find_page)(void *context, const struct url *url,
			  struct known_page *page_out);
	/* The distinct fragments of a known page, ascending, in `arena`; NULL
	   when they cannot be read. */
	const uint64_t *(*fragments)(void *context,
				     const struct known_page *page,
				     struct arena *arena, uint32_t *count_out);
	/* What the sample of a cluster that had `changes` teaches; release what
	   has a holder. */
	struct taught (*learn)(void *context, uint32_t cluster,
			       uint32_t changes,
			       const struct extractor *extractor,
			       const double *parameters);
	void (*release)(void *context, struct taught taught);
	/* The first failure of the functions above; ERR_BUSY: the site has
	   gone meanwhile. Outside. */
	enum error (*failure)(const void *context);
};

#endif
