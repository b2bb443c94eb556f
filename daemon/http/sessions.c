#include "daemon/http/sessions.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/runtime/lock.h"

struct session {
	uint8_t digest[CREDENTIAL_DIGEST_BYTES];
	uint64_t token;
	uint64_t ticket;
	uint64_t begun_ms;
	uint64_t used_ms;
};

struct sessions {
	struct lock lock;                  /* guards the members below */
	struct session rows[MAX_SESSIONS]; /* [count], unsorted */
	size_t count;
};

struct sessions *sessions_create(void)
{
	struct sessions *sessions = mem_alloc(1, sizeof(*sessions));

	lock_init(&sessions->lock, LOCK_SESSIONS);
	return sessions;
}

void sessions_destroy(struct sessions *sessions)
{
	if (sessions == NULL)
		return;
	lock_destroy(&sessions->lock);
	free(sessions);
}

/* Remove a session; return its ticket. */
static uint64_t sessions_drop(struct sessions *sessions, struct session *row)
{
	uint64_t ticket = row->ticket;

	*row = sessions->rows[--sessions->count];
	return ticket;
}

/* Another thread may have read the clock a moment later. */
static bool session_is_older(uint64_t since_ms, uint64_t now_ms,
			     uint64_t age_ms)
{
	return now_ms > since_ms && now_ms - since_ms >= age_ms;
}

static bool session_is_over(const struct session *row, uint64_t now_ms)
{
	return session_is_older(row->used_ms, now_ms, SESSION_IDLE_MS) ||
	       session_is_older(row->begun_ms, now_ms, SESSION_AGE_MS);
}

uint64_t sessions_expire(struct sessions *sessions, uint64_t now_ms)
{
	uint64_t ticket = 0;

	lock_acquire(&sessions->lock);
	for (size_t i = 0; i < sessions->count && ticket == 0; i++)
		if (session_is_over(&sessions->rows[i], now_ms))
			ticket = sessions_drop(sessions, &sessions->rows[i]);
	lock_release(&sessions->lock);
	return ticket;
}

/*
 * Return the least recently used session of a token, or of all tokens if
 * `token` is 0; *count_out is the number of these sessions. NULL: none.
 */
static struct session *sessions_oldest(struct sessions *sessions,
				       uint64_t token, size_t *count_out)
{
	struct session *oldest = NULL;

	*count_out = 0;
	for (size_t i = 0; i < sessions->count; i++) {
		struct session *row = &sessions->rows[i];

		if (token != 0 && row->token != token)
			continue;
		++*count_out;
		if (oldest == NULL || row->used_ms < oldest->used_ms)
			oldest = row;
	}
	return oldest;
}

/* Remove a session if necessary; return its ticket, or 0. */
static uint64_t sessions_make_room(struct sessions *sessions, uint64_t token)
{
	size_t count;
	struct session *row = sessions_oldest(sessions, token, &count);

	if (count < MAX_TOKEN_SESSIONS && sessions->count < MAX_SESSIONS)
		return 0;
	if (count < MAX_TOKEN_SESSIONS)
		row = sessions_oldest(sessions, 0, &count);
	return sessions_drop(sessions, row);
}

bool sessions_begin(struct sessions *sessions, uint64_t token, uint64_t now_ms,
		    char session_out[SESSION_BYTES], uint64_t *ended_out)
{
	struct session row = {
		.token = token, .begun_ms = now_ms, .used_ms = now_ms};

	*ended_out = 0;
	if (!credential_make(session_out))
		return false;
	credential_digest(session_out, row.digest);
	row.ticket = sessions_ticket(session_out);
	lock_acquire(&sessions->lock);
	*ended_out = sessions_make_room(sessions, token);
	sessions->rows[sessions->count++] = row;
	lock_release(&sessions->lock);
	return true;
}

/* Call it with the lock held. NULL: not found. */
static struct session *sessions_find(struct sessions *sessions,
				     const char *session)
{
	uint8_t digest[CREDENTIAL_DIGEST_BYTES];

	credential_digest(session, digest);
	for (size_t i = 0; i < sessions->count; i++)
		if (credential_is_same(digest, sessions->rows[i].digest))
			return &sessions->rows[i];
	return NULL;
}

uint64_t sessions_use(struct sessions *sessions, const char *session,
		      uint64_t now_ms)
{
	struct session *row;
	uint64_t token = 0;

	lock_acquire(&sessions->lock);
	row = sessions_find(sessions, session);
	if (row != NULL && !session_is_over(row, now_ms)) {
		if (now_ms > row->used_ms)
			row->used_ms = now_ms;
		token = row->token;
	}
	lock_release(&sessions->lock);
	return token;
}

uint64_t sessions_ticket(const char *session)
{
	const uint64_t bit = 1ULL << 62;
	char digits[16];

	(void)snprintf(digits, sizeof(digits), "%s", session);
	return bit | (strtoull(digits, NULL, 16) & (bit - 1));
}

bool sessions_end(struct sessions *sessions, const char *session)
{
	struct session *row;
	bool was_there;

	lock_acquire(&sessions->lock);
	row = sessions_find(sessions, session);
	was_there = row != NULL;
	if (was_there)
		sessions_drop(sessions, row);
	lock_release(&sessions->lock);
	return was_there;
}
