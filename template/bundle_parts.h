/* template/bundle_parts.h - the struct of a bundle. Internal to bundle*.c. */
#ifndef TEMPLATE_BUNDLE_PARTS_H
#define TEMPLATE_BUNDLE_PARTS_H

#include "template/bundle.h"
#include "template/container.h"
#include "template/site_view.h"

struct bundle_model;
struct ridge_model;

/* Concatenated lists of ascending numbers. */
struct index_lists {
	uint32_t *items; /* [size] */
	size_t size;
	size_t capacity;
};

struct bundle_set {
	uint32_t cluster;
	uint32_t count;
	size_t first; /* in set_shingles.items */
};

struct bundle_page {
	struct known_page known;
	uint32_t count;
	size_t first; /* in page_fragments.items */
};

/* The number of pages of a cluster that contain a fragment. */
struct frequency_row {
	uint32_t fragment;
	uint32_t count;
};

/*
 * The context of a bundle's view: a bundle and the builder of its template
 * models.
 */
struct bundle_view {
	struct bundle *bundle; /* not modified if there is a learner */
	const struct bundle_learner *learner; /* NULL: the bundle itself */
};

struct bundle {
	struct buffer file;
	struct bundle_limits limits;
	struct arena *arena; /* owns the texts below */
	struct container container;
	struct bundle_site site;
	struct ridge_model *model; /* or NULL */
	uint64_t *shingle_ids;     /* [shingle_count], ascending */
	size_t shingle_count;
	struct bundle_set *sets; /* [set_count] */
	size_t set_count;
	struct index_lists set_shingles;
	uint64_t *fragments; /* [fragment_count], ascending */
	size_t fragment_count;
	struct bundle_page *pages; /* [page_count], ascending by key */
	size_t page_count;
	struct index_lists page_fragments;
	struct bundle_cluster *clusters; /* [cluster_count], ascending */
	uint32_t cluster_count;
	struct frequency_row *rows; /* by cluster, then ascending by fragment */
	struct bundle_view seen;    /* without a learner */
	struct site_view view;      /* without a learner */
	struct bundle_model *newest; /* list ordered by last use */
	size_t learned_bytes;
};

/*
 * bundle_sections.c: read a section; if it is invalid, write a phrase to
 * `reason` and return false.
 */
bool bundle_read_section(struct bundle *bundle, const struct section *section,
			 char *reason);

/*
 * bundle_clusters.c: create the clusters after all pages are read; then add the
 * sections of each cluster.
 */
void bundle_make_clusters(struct bundle *bundle);
bool bundle_read_cluster(struct bundle *bundle, const struct section *section,
			 char *reason);

/* bundle_samples.c */

/*
 * Return whether the decompressed bytes are a valid sample, with no page over
 * `max_bytes`.
 */
bool bundle_check_samples(struct slice bytes, size_t max_bytes);
struct template_model bundle_learn(struct bundle *bundle, uint32_t cluster,
				   const struct extractor *extractor,
				   const double *parameters);
void bundle_free_models(struct bundle *bundle); /* free all template models */

/* bundle_view.c */
void bundle_make_view(struct bundle *bundle);

#endif
