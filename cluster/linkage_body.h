/* cluster/linkage_body.h - the body of struct linkage, for the sources that
 * implement cluster/linkage.h. */
#ifndef CLUSTER_LINKAGE_BODY_H
#define CLUSTER_LINKAGE_BODY_H

#include <stdbool.h>

#include "cluster/change_set.h"
#include "cluster/graph.h"
#include "cluster/linkage.h"

struct linkage {
	struct linkage_options options;
	struct threshold_graph graph;
	struct change_set change_set;
	bool has_odd_label; /* restored pages of one set had two labels */
};

#endif
