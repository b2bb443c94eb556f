/* daemon/ctl/ctl_features.c - templatectl: features. */
#include "daemon/ctl/ctl.h"

#include <jansson.h>

#include "daemon/ctl/ctl_client.h"
#include "daemon/runtime/table.h"
#include "extract/auto/feature.h"

static enum ctl_status run_features(const struct ctl *ctl)
{
	static const struct table_column columns[] = {
		{.title = "FEATURE"},
		{.title = "OF A PASSAGE", .is_elastic = true},
	};
	struct text_table *table = table_create(columns, 2);
	json_t *features = json_array();
	json_t *answer = json_pack("{s:o}", "features", features);

	for (size_t i = 0; i < FEATURE_COUNT; i++) {
		table_add_text(table, feature_name(i));
		table_add_text(table, feature_definition(i));
		json_array_append_new(features,
				      json_pack("{s:s, s:s}", "name",
						feature_name(i), "definition",
						feature_definition(i)));
	}
	if (ctl->is_json)
		client_print_json(answer);
	else
		table_print(table);
	json_decref(answer);
	table_destroy(table);
	return CTL_DONE;
}

const struct verb verb_features = {
	.name = "features",
	.group = VERBS_LOOK,
	.operands = "",
	.summary = "List the features of a passage that auto uses",
	.run = run_features,
};
