/*
 * daemon/watch/field_check.h - fields under watch: read the pages of a template
 * that were stored again, and find out which values have changed and which
 * fields are broken (decide_fields.h). Workers read the pages.
 */
#ifndef DAEMON_WATCH_FIELD_CHECK_H
#define DAEMON_WATCH_FIELD_CHECK_H

#include <stdint.h>

#include "base/error.h"
#include "daemon/engine/commit_event.h"
#include "daemon/watch/collect.h"

enum {
	FIELD_CHECK_PAGES = 500, /* pages that one check reads */
	/* pages with waiting values that one check compares */
	FIELD_CHECK_PENDING = 1000,
};

/* What to do about a broken field; the values of fields.heal. */
enum field_heal { HEAL_AUTO, HEAL_PROPOSE, HEAL_OFF };

struct field_check_rules {
	enum field_heal heal;
	uint64_t hold_ms; /* as in struct field_facts */
};

/*
 * Check the fields of the template update->cluster. Write what has changed to
 * *update, which belongs to source->arena, and set *has_update_out. Lower
 * *next_ms to the time of the next check. Errors of the transaction and of
 * worker_pool_run().
 */
enum error fields_check(const struct facts_source *source,
			const struct field_check_rules *rules,
			struct fields_update *update, bool *has_update_out,
			uint64_t *next_ms);

#endif
