/*
 * daemon/runtime/quota.h - share a fixed number of slots between owners, such
 * as tokens
 *
 * An owner gets another slot only if it then holds at most as many slots as
 * were free before. So a single owner can get half of the slots, a second owner
 * half of the remaining ones, and so on; and a new owner gets a slot whenever
 * one is free. The same rule applies when several slots are acquired in one
 * call. As an exception, an owner that holds no slot may get all free slots.
 * The caller must hold a lock.
 */
#ifndef DAEMON_RUNTIME_QUOTA_H
#define DAEMON_RUNTIME_QUOTA_H

#include <stddef.h>
#include <stdint.h>

enum {
	/* an owner that may use all slots, including the reserved ones */
	QUOTA_UNLIMITED,
};

/* The slots that one owner holds. */
struct quota_share {
	uint64_t owner;
	size_t count; /* number of slots, > 0 */
};

/* Initialize with zeros, except `max` and `reserved`. */
struct quota {
	size_t max;
	size_t reserved; /* slots that only QUOTA_UNLIMITED may use */
	size_t used;
	/* [count], the shares of owners other than QUOTA_UNLIMITED */
	struct quota_share *shares;
	size_t count;
	size_t capacity;
};

enum quota_result {
	QUOTA_ACQUIRED,
	QUOTA_SHARED, /* the rule does not allow this owner more slots now */
	QUOTA_FULL,   /* there are not enough free slots for any owner */
};

/*
 * Return the result that quota_acquire() would return, without acquiring slots.
 * For 0 slots it is QUOTA_ACQUIRED.
 */
enum quota_result quota_check(const struct quota *quota, uint64_t owner,
			      size_t count);

/* Acquire `count` slots for the owner if the rule allows it. */
enum quota_result quota_acquire(struct quota *quota, uint64_t owner,
				size_t count);

/*
 * Count slots as used by the owner without a check, even if this exceeds the
 * maximum.
 */
void quota_add(struct quota *quota, uint64_t owner, size_t count);

/* Release `count` slots of the owner. */
void quota_release(struct quota *quota, uint64_t owner, size_t count);

/* Free the memory of the quota. All slots must have been released. */
void quota_free(struct quota *quota);

#endif
