/*
 * daemon/ctl/clustering.h - cluster HTML files by template, without a daemon,
 * for templatectl cluster and its report.
 */
#ifndef DAEMON_CTL_CLUSTERING_H
#define DAEMON_CTL_CLUSTERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/quality.h"
#include "cluster/signature.h"
#include "daemon/ctl/ctl.h"
#include "daemon/ctl/inputs.h"
#include "daemon/ctl/labels.h"
#include "daemon/engine/report.h"

struct arena;
struct link_graph;
struct linkage;

/*
 * The comparable pages; pages with equal signatures share a leaf. Begin with
 * ctl, measure, threshold and width; end with clustering_free().
 */
struct clustering {
	const struct ctl *ctl;
	enum measure measure;
	unsigned threshold; /* permille */
	unsigned width;     /* of shingles; 0 = default of the measure */
	struct linkage *linkage;
	struct arena *arena; /* holds the signatures */
	uint32_t next_label;
	struct link_graph *inbound;   /* links between the inputs */
	const char **names;           /* [count], of the inputs */
	uint32_t *witnesses;          /* [count], link_labels_compute() */
	struct signature *signatures; /* [count] */
	uint32_t *numbers; /* [count], clusters: clustering_result_number() */
	uint32_t *leaves;  /* [count] */
	size_t count;
	size_t skipped;
	uint32_t cluster_count;
	const char **examples; /* [leaf_count], the first page of each */
	uint32_t leaf_count;
};

/*
 * Read the inputs, which must outlive the clustering, and cluster them.
 * Unusable inputs are reported on standard error and counted as skipped.
 */
void clustering_read(struct clustering *clustering,
		     const struct inputs *inputs);
void clustering_free(struct clustering *clustering);

/*
 * Make the report of the pages, with scores if there are labels; the clustering
 * must outlive the report. With `is_auto`, first cluster the pages again at the
 * threshold that the report suggests. Print a message and return false if there
 * are too many pages.
 */
bool clustering_report(struct clustering *clustering,
		       const struct labels *labels, bool is_auto,
		       struct report *report_out);

/* Agreement of the clusters with labels. */
struct figures {
	size_t count; /* pages with a label */
	uint32_t label_count;
	struct agreement agreement;
	double dunn;
};

struct figures clustering_measure(const struct clustering *clustering,
				  const struct labels *labels);

#endif
