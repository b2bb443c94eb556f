#include "daemon/runtime/parts.h"

#include <assert.h>

#include "base/log.h"

void parts_init(struct parts *parts, const struct part *table, size_t count,
		void *context)
{
	*parts = (struct parts){
		.table = table, .count = count, .context = context};
	lock_init(&parts->lock, LOCK_PARTS);
}

void parts_finish(struct parts *parts)
{
	assert(parts->running == 0);
	lock_destroy(&parts->lock);
}

static enum error start(const struct part *part, void *context)
{
	enum error error = part->start(context);

	if (error != ERR_NONE && part->complaint != NULL)
		log_error("%s", part->complaint);
	return error;
}

enum error parts_start(struct parts *parts)
{
	assert(parts->running == 0);
	while (parts->running < parts->count) {
		enum error error =
			start(&parts->table[parts->running], parts->context);

		if (error != ERR_NONE) {
			parts_stop(parts);
			return error;
		}
		lock_acquire(&parts->lock);
		parts->running++;
		lock_release(&parts->lock);
	}
	return ERR_NONE;
}

void parts_wake(struct parts *parts)
{
	lock_acquire(&parts->lock);
	for (size_t i = 0; i < parts->running; i++)
		if (parts->table[i].wake != NULL)
			parts->table[i].wake(parts->context);
	lock_release(&parts->lock);
}

void parts_stop(struct parts *parts)
{
	while (parts->running > 0) {
		const struct part *part = &parts->table[parts->running - 1];

		lock_acquire(&parts->lock);
		parts->running--;
		lock_release(&parts->lock);
		if (part->stop != NULL)
			part->stop(parts->context);
	}
}
