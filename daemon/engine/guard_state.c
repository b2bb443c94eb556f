#include "daemon/engine/guard_state.h"

#include "store/rows_guard.h"

bool guard_holds(const struct guard_row *guard, uint32_t matches)
{
	return matches != UINT32_MAX && matches >= guard->minimum &&
	       matches <= guard->maximum;
}

bool guard_fails(const struct guard_row *guard, uint32_t matches)
{
	return matches != UINT32_MAX && !guard_holds(guard, matches);
}

bool guard_visit_is_news(const struct guard_row *guard,
			 const struct guard_visit *visit)
{
	if (guard->state == GUARD_BROKEN)
		return visit->fails || visit->did_fail || !visit->is_known;
	return !visit->fails || !visit->did_fail;
}

void guard_remove_visit(struct guard_row *guard, uint64_t page)
{
	for (unsigned i = 0; i < guard->recent_count; i++) {
		unsigned newer = (1U << i) - 1;
		unsigned bad = guard->recent_bad;

		if (guard->recent[i] != page)
			continue;
		guard->recent_count--;
		for (unsigned k = i; k < guard->recent_count; k++)
			guard->recent[k] = guard->recent[k + 1];
		guard->recent_bad =
			(uint16_t)((bad & newer) | (bad >> 1 & ~newer));
		return;
	}
}

void guard_add_visit(struct guard_row *guard, const struct guard_visit *visit)
{
	unsigned bad;

	guard_remove_visit(guard, visit->page);
	if (guard->recent_count == GUARD_RECENT)
		guard->recent_count--;
	for (unsigned k = guard->recent_count; k > 0; k--)
		guard->recent[k] = guard->recent[k - 1];
	guard->recent[0] = visit->page;
	guard->recent_count++;
	bad = (unsigned)guard->recent_bad << 1 | visit->fails;
	guard->recent_bad = (uint16_t)(bad & ((1U << guard->recent_count) - 1));
}

uint32_t guard_recent_bad(const struct guard_row *guard)
{
	uint32_t count = 0;

	for (unsigned i = 0; i < guard->recent_count; i++)
		count += (unsigned)guard->recent_bad >> i & 1U;
	return count;
}

uint16_t guard_state_of(const struct guard_row *guard)
{
	uint32_t bad = guard_recent_bad(guard);
	uint32_t good = guard->recent_count - bad;
	uint32_t enough = guard->checked < GUARD_AGREEING ? guard->checked
							  : GUARD_AGREEING;

	if (guard->state == GUARD_SUSPENDED)
		return GUARD_SUSPENDED;
	if (guard->state == GUARD_BROKEN)
		return good > 0 && good >= enough ? GUARD_OK : GUARD_BROKEN;
	if (bad > 0 && bad >= enough)
		return GUARD_BROKEN;
	return good > 0 ? GUARD_OK : guard->state;
}

void guard_begin_state(struct guard_row *guard)
{
	bool is_broken = guard->state == GUARD_BROKEN;

	for (unsigned i = guard->recent_count; i-- > 0;)
		if (((unsigned)guard->recent_bad >> i & 1U) != is_broken)
			guard_remove_visit(guard, guard->recent[i]);
}
