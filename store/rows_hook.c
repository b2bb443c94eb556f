/* The rows of guards, and of who is told. */
#include <stddef.h>

#include "store/row.h"

static const struct field guard_fields[] = {
	FIELD(guard_row, created_ms), FIELD(guard_row, changed_ms),
	FIELD(guard_row, cluster),    FIELD(guard_row, minimum),
	FIELD(guard_row, maximum),    FIELD(guard_row, language),
	FIELD(guard_row, state),      FIELD(guard_row, checked),
	FIELD(guard_row, failing),    FIELD(guard_row, recent_count),
	FIELD(guard_row, recent_bad), FIELD(guard_row, recent),
};

static const struct layout guard_layout =
	LAYOUT(guard_row, guard_fields, offsetof(struct guard_row, name), 3);

bool guard_row_decode(struct slice value, struct guard_row *row_out)
{
	return layout_decode(&guard_layout, value, row_out);
}

bool guard_row_get(struct txn *txn, uint32_t site, uint32_t guard,
		   struct guard_row *row_out)
{
	struct key key = key_cluster(site, guard);

	return row_get(txn, TABLE_GUARDS, key_slice(&key), &guard_layout,
		       row_out);
}

void guard_row_put(struct txn *txn, uint32_t site, uint32_t guard,
		   const struct guard_row *row)
{
	struct key key = key_cluster(site, guard);

	row_put(txn, TABLE_GUARDS, key_slice(&key), &guard_layout, row);
}

static const struct field guarded_fields[] = {
	FIELD(guarded_row, checked_ms),
	FIELD(guarded_row, good_ms),
	FIELD(guarded_row, matches),
	FIELD(guarded_row, cluster),
};

static const struct layout guarded_layout = LAYOUT(
	guarded_row, guarded_fields, offsetof(struct guarded_row, url), 4);

bool guarded_row_decode(struct slice value, struct guarded_row *row_out)
{
	return layout_decode(&guarded_layout, value, row_out);
}

bool guarded_row_get(struct txn *txn, uint32_t site, uint32_t guard,
		     uint64_t page, struct guarded_row *row_out)
{
	struct key key = key_member(site, guard, page);

	return row_get(txn, TABLE_GUARDED, key_slice(&key), &guarded_layout,
		       row_out);
}

void guarded_row_put(struct txn *txn, uint32_t site, uint32_t guard,
		     uint64_t page, const struct guarded_row *row)
{
	struct key key = key_member(site, guard, page);

	row_put(txn, TABLE_GUARDED, key_slice(&key), &guarded_layout, row);
}

bool guard_holds(const struct guard_row *guard, uint32_t matches)
{
	return matches != UINT32_MAX && matches >= guard->minimum &&
	       matches <= guard->maximum;
}

bool guard_fails(const struct guard_row *guard, uint32_t matches)
{
	return matches != UINT32_MAX && !guard_holds(guard, matches);
}

static const struct field hook_fields[] = {
	FIELD(hook_row, created_ms),   FIELD(hook_row, next_ms),
	FIELD(hook_row, delivered_ms), FIELD(hook_row, delivered),
	FIELD(hook_row, dropped),      FIELD(hook_row, waiting),
	FIELD(hook_row, failures),     FIELD(hook_row, http_status),
	FIELD(hook_row, flags),
};

static const struct layout hook_layout =
	LAYOUT(hook_row, hook_fields, offsetof(struct hook_row, target), 5);

bool hook_row_decode(struct slice value, struct hook_row *row_out)
{
	return layout_decode(&hook_layout, value, row_out);
}

bool hook_row_get(struct txn *txn, uint32_t hook, struct hook_row *row_out)
{
	struct key key = key_small(hook);

	return row_get(txn, TABLE_HOOKS, key_slice(&key), &hook_layout,
		       row_out);
}

void hook_row_put(struct txn *txn, uint32_t hook, const struct hook_row *row)
{
	struct key key = key_small(hook);

	row_put(txn, TABLE_HOOKS, key_slice(&key), &hook_layout, row);
}

static const struct field silence_fields[] = {
	FIELD(silence_row, created_ms), FIELD(silence_row, kind),
	FIELD(silence_row, cluster),    FIELD(silence_row, guard),
	FIELD(silence_row, event),
};

static const struct layout silence_layout = LAYOUT(
	silence_row, silence_fields, offsetof(struct silence_row, host), 1);

bool silence_row_decode(struct slice value, struct silence_row *row_out)
{
	return layout_decode(&silence_layout, value, row_out);
}

bool silence_row_get(struct txn *txn, uint32_t silence,
		     struct silence_row *row_out)
{
	struct key key = key_small(silence);

	return row_get(txn, TABLE_SILENCES, key_slice(&key), &silence_layout,
		       row_out);
}

void silence_row_put(struct txn *txn, uint32_t silence,
		     const struct silence_row *row)
{
	struct key key = key_small(silence);

	row_put(txn, TABLE_SILENCES, key_slice(&key), &silence_layout, row);
}
