#include "daemon/runtime/parts.h"

#include <assert.h>

#include "base/log.h"

void components_init(struct service_components *parts,
		     const struct service_component *table, size_t count,
		     void *context)
{
	*parts = (struct service_components){
		.table = table, .count = count, .context = context};
	lock_init(&parts->lock, LOCK_COMPONENTS);
}

void components_finish(struct service_components *parts)
{
	assert(parts->running == 0);
	lock_destroy(&parts->lock);
}

static enum error component_start(const struct service_component *part,
				  void *context)
{
	enum error error = part->start(context);

	if (error != ERR_NONE && part->complaint != NULL)
		log_error("%s", part->complaint);
	return error;
}

enum error components_start(struct service_components *parts)
{
	assert(parts->running == 0);
	while (parts->running < parts->count) {
		enum error error = component_start(
			&parts->table[parts->running], parts->context);

		if (error != ERR_NONE) {
			components_stop(parts);
			return error;
		}
		lock_acquire(&parts->lock);
		parts->running++;
		lock_release(&parts->lock);
	}
	return ERR_NONE;
}

void components_wake(struct service_components *parts)
{
	lock_acquire(&parts->lock);
	for (size_t i = 0; i < parts->running; i++)
		if (parts->table[i].wake != NULL)
			parts->table[i].wake(parts->context);
	lock_release(&parts->lock);
}

void components_stop(struct service_components *parts)
{
	while (parts->running > 0) {
		const struct service_component *part =
			&parts->table[parts->running - 1];

		lock_acquire(&parts->lock);
		parts->running--;
		lock_release(&parts->lock);
		if (part->stop != NULL)
			part->stop(parts->context);
	}
}
