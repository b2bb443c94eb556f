/*
 * daemon/http/sessions.h - sessions of browsers that logged in with a token.
 * A session is a random text, which the browser sends as a cookie instead of
 * the token. It expires, and becomes invalid when its token is removed.
 * Sessions are only in memory: a restart ends them.
 */
#ifndef DAEMON_HTTP_SESSIONS_H
#define DAEMON_HTTP_SESSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/http/credential.h"

struct sessions;

enum {
	SESSION_BYTES = CREDENTIAL_DIGITS + 1, /* with the NUL */
	MAX_SESSIONS = 1024,
	MAX_TOKEN_SESSIONS = 16,               /* of one token */
	SESSION_IDLE_MS = 12 * 3600 * 1000,    /* lifetime without a request */
	SESSION_AGE_MS = 7 * 24 * 3600 * 1000, /* maximum lifetime */
};

struct sessions *sessions_create(void);

/* NULL is a no-op. */
void sessions_destroy(struct sessions *sessions);

/*
 * Begin a session of the token with this id (struct access_token). If the token
 * has MAX_TOKEN_SESSIONS, or MAX_SESSIONS exist in total, end the least
 * recently used one: *ended_out is its ticket, for which the caller must end
 * the open exchanges; 0: none ended. `now_ms` must come from a monotonic clock.
 * False: the system has no random numbers. Any thread.
 */
bool sessions_begin(struct sessions *sessions, uint64_t token, uint64_t now_ms,
		    char session_out[SESSION_BYTES], uint64_t *ended_out);

/*
 * Use a session. Return the id of its token, which may have been removed; 0 if
 * the session is unknown or has expired. Any thread.
 */
uint64_t sessions_use(struct sessions *sessions, const char *session,
		      uint64_t now_ms);

/*
 * Remove one expired session and return its ticket, for which the caller must
 * end the open exchanges; 0: no session has expired. Any thread.
 */
uint64_t sessions_expire(struct sessions *sessions, uint64_t now_ms);

/*
 * Return the number that identifies the session with this text; it differs from
 * all token ids and from other sessions.
 */
uint64_t sessions_ticket(const char *session);

/* End a session; false if it does not exist. Any thread. */
bool sessions_end(struct sessions *sessions, const char *session);

#endif
