/*
 * daemon/runtime/quota.h - places of which there are so many, and who has them:
 * an owner, such as a token, gets another one only if it then has no more than
 * were free before. So one that is alone gets half of them, the next one half
 * of the rest, and who comes new finds one as long as there is any. Several at
 * a time are as several one by one, but for the first ones of an owner, which
 * may be as many as are free. Its user guards it.
 */
#ifndef DAEMON_RUNTIME_QUOTA_H
#define DAEMON_RUNTIME_QUOTA_H

#include <stddef.h>
#include <stdint.h>

enum {
	QUOTA_UNLIMITED, /* this owner may have all places, also those that are
			    reserved for it */
};

/* What an owner has. */
struct quota_share {
	uint64_t owner;
	size_t count; /* > 0 */
};

/* Zero but for `max` and `reserved` at the beginning. */
struct quota {
	size_t max;
	size_t reserved; /* of them, for QUOTA_UNLIMITED */
	size_t used;
	struct quota_share *shares; /* [count], of all other owners */
	size_t count;
	size_t capacity;
};

enum quota_answer {
	QUOTA_TAKEN,
	QUOTA_SHARED, /* the owner has as many as it may now */
	QUOTA_FULL,   /* nobody could have so many now */
};

/* What quota_take() would say; none are always there. */
enum quota_answer quota_look(const struct quota *quota, uint64_t owner,
			     size_t count);

/* Take so many places. */
enum quota_answer quota_take(struct quota *quota, uint64_t owner, size_t count);

/* Count places as taken, whether there are so many or not. */
void quota_add(struct quota *quota, uint64_t owner, size_t count);

/* Give some back that the owner has. */
void quota_give(struct quota *quota, uint64_t owner, size_t count);

/* All were given back. */
void quota_free(struct quota *quota);

#endif
