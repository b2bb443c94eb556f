#include "daemon/watch/inspection_lineage.h"

#include <stdlib.h>

#include <jansson.h>

#include "store/arena.h"
#include "template/json_value.h"

enum { MAX_LINEAGE = 64 /* entries; the oldest are forgotten */ };

struct slice lineage_add(const struct plan *plan, struct slice lineage,
			 const char *kind, uint32_t other)
{
	json_t *list = json_loadb(lineage.data == NULL ? "" : lineage.data,
				  lineage.size, 0, NULL);
	struct slice text;
	struct slice copy;
	char *dump;

	if (!json_is_array(list)) {
		json_decref(list);
		list = json_array();
	}
	json_array_append_new(
		list, json_pack("{s:o, s:s, s:o}", "time",
				json_time(plan->now_ms), "kind", kind, "other",
				json_cluster_id(plan->site->host, other)));
	while (json_array_size(list) > MAX_LINEAGE)
		json_array_remove(list, 0);
	dump = json_dumps(list, JSON_COMPACT | JSON_REAL_PRECISION(3));
	text = slice_of(dump);
	copy = (struct slice){arena_copy(plan->arena, text.data, text.size),
			      text.size};
	free(dump);
	json_decref(list);
	return copy;
}
