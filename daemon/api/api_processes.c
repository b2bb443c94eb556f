#include "daemon/api/api_processes.h"

#include "base/buffer.h"
#include "daemon/privsep/roster.h"
#include "daemon/privsep/sandbox.h"
#include "template/json_value.h"

static json_t *walls_json(const struct sandbox_report *walls)
{
	struct buffer holds = {0};
	struct buffer lacks = {0};
	json_t *value;

	sandbox_list_layers(walls->holds, &holds);
	sandbox_list_layers(walls->lacks, &lacks);
	value = json_pack("{s:o, s:o}", "holds",
			  json_text(buffer_slice(&holds)), "lacks",
			  json_text(buffer_slice(&lacks)));
	buffer_free(&holds);
	buffer_free(&lacks);
	return value;
}

/* Return NULL if no process of the role runs or has ever exited. */
static json_t *role_json(const struct process_snapshot *view, enum role role)
{
	const struct process_entry *last = NULL;
	json_t *running = json_array();
	json_t *value;

	for (size_t i = 0; i < view->count; i++) {
		const struct process_entry *entry = &view->entries[i];

		if (entry->role != role)
			continue;
		last = entry;
		json_array_append_new(running,
				      json_pack("{s:i, s:o}", "pid",
						(int)entry->pid, "since",
						json_time(entry->started_ms)));
	}
	if (last == NULL && view->deaths[role] == 0) {
		json_decref(running);
		return NULL;
	}
	value = json_pack("{s:s, s:o, s:I}", "role", role_name(role), "running",
			  running, "deaths", (json_int_t)view->deaths[role]);
	if (last != NULL)
		json_object_update_new(value, walls_json(&last->walls));
	return value;
}

json_t *api_processes_json(struct process_table *roster)
{
	json_t *list = json_array();
	struct process_snapshot view;

	if (roster == NULL)
		return list;
	view = process_table_snapshot(roster);
	for (int role = 0; role < ROLE_COUNT; role++) {
		json_t *row = role_json(&view, (enum role)role);

		if (row != NULL)
			json_array_append_new(list, row);
	}
	process_snapshot_free(&view);
	return list;
}
