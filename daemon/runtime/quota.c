#include "daemon/runtime/quota.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

/*
 * Return the index of the owner's share; quota->count if the owner has no
 * slots.
 */
static size_t quota_find(const struct quota *quota, uint64_t owner)
{
	size_t at = 0;

	while (at < quota->count && quota->shares[at].owner != owner)
		at++;
	return at;
}

enum quota_result quota_check(const struct quota *quota, uint64_t owner,
			      size_t count)
{
	size_t reserved = owner == QUOTA_UNLIMITED ? 0 : quota->reserved;
	size_t taken = quota->used + reserved;
	size_t at = quota_find(quota, owner);
	size_t own = at == quota->count ? 0 : quota->shares[at].count;

	if (count == 0)
		return QUOTA_ACQUIRED;
	if (taken > quota->max || count > quota->max - taken)
		return QUOTA_FULL;
	/*
	 * apply the rule to the last of the slots, as if they were acquired one
	 * by one
	 */
	return own == 0 || own + count <= quota->max - taken - (count - 1)
		       ? QUOTA_ACQUIRED
		       : QUOTA_SHARED;
}

enum quota_result quota_acquire(struct quota *quota, uint64_t owner,
				size_t count)
{
	enum quota_result answer = quota_check(quota, owner, count);

	if (answer == QUOTA_ACQUIRED)
		quota_add(quota, owner, count);
	return answer;
}

void quota_add(struct quota *quota, uint64_t owner, size_t count)
{
	size_t at = quota_find(quota, owner);

	quota->used += count;
	if (owner == QUOTA_UNLIMITED || count == 0)
		return;
	if (at == quota->count) {
		quota->shares =
			mem_grow(quota->shares, quota->count, &quota->capacity,
				 sizeof(*quota->shares));
		quota->shares[quota->count++] = (struct quota_share){owner, 0};
	}
	quota->shares[at].count += count;
}

void quota_release(struct quota *quota, uint64_t owner, size_t count)
{
	size_t at = quota_find(quota, owner);

	assert(count <= quota->used);
	if (count == 0)
		return;
	quota->used -= count;
	if (owner == QUOTA_UNLIMITED)
		return;
	assert(at < quota->count && count <= quota->shares[at].count);
	quota->shares[at].count -= count;
	if (quota->shares[at].count == 0)
		quota->shares[at] = quota->shares[--quota->count];
}

void quota_free(struct quota *quota)
{
	assert(quota->used == 0);
	free(quota->shares);
	quota->shares = NULL;
	quota->capacity = 0;
}
