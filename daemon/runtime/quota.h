/*
 * daemon/runtime/quota.h - share a fixed number of slots between owners, such
 * as tokens. An owner gets another slot only if it then holds at most as many
 * as were free before. So a single owner gets half of the slots, the next one
 * half of the rest, and a new owner gets a slot while any is free. Several
 * slots in one call follow the same rule, except the first ones of an owner,
 * which may be all free slots. The caller provides locking.
 */
#ifndef DAEMON_RUNTIME_QUOTA_H
#define DAEMON_RUNTIME_QUOTA_H

#include <stddef.h>
#include <stdint.h>

enum {
	QUOTA_UNLIMITED, /* this owner may use all slots, including the reserved
			    ones */
};

/* The slots of an owner. */
struct quota_share {
	uint64_t owner;
	size_t count; /* > 0 */
};

/* Initially zero, except `max` and `reserved`. */
struct quota {
	size_t max;
	size_t reserved; /* slots only for QUOTA_UNLIMITED */
	size_t used;
	struct quota_share *shares; /* [count], of the other owners */
	size_t count;
	size_t capacity;
};

enum quota_result {
	QUOTA_ACQUIRED,
	QUOTA_SHARED, /* the owner has its maximum now */
	QUOTA_FULL,   /* not enough free slots for any owner */
};

/*
 * Return the result that quota_acquire() would return; 0 slots are always
 * available.
 */
enum quota_result quota_check(const struct quota *quota, uint64_t owner,
			      size_t count);

/* Acquire `count` slots. */
enum quota_result quota_acquire(struct quota *quota, uint64_t owner,
				size_t count);

/* Count slots as used, even beyond the maximum. */
void quota_add(struct quota *quota, uint64_t owner, size_t count);

/* Release slots of the owner. */
void quota_release(struct quota *quota, uint64_t owner, size_t count);

/* Free the quota; all slots must be released. */
void quota_free(struct quota *quota);

#endif
