/*
 * daemon/access/sessions.h - browsers that have signed in with a token. A
 * session is a random text of its own, which the browser sends as a cookie in
 * place of the token; it expires, and works only as long as its token is there.
 * Sessions are in memory alone: a restart ends them.
 */
#ifndef DAEMON_ACCESS_SESSIONS_H
#define DAEMON_ACCESS_SESSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/access/credential.h"

struct sessions;

enum {
	SESSION_BYTES = CREDENTIAL_DIGITS + 1, /* with the NUL */
	MAX_SESSIONS = 1024,
	MAX_TOKEN_SESSIONS = 16,               /* of one token */
	SESSION_IDLE_MS = 12 * 3600 * 1000,    /* it ends when it is not used */
	SESSION_AGE_MS = 7 * 24 * 3600 * 1000, /* it ends in any case */
};

struct sessions *sessions_create(void);

/* NULL is a no-op. */
void sessions_destroy(struct sessions *sessions);

/*
 * Begin a session of the token with this id (struct token). When the token has
 * MAX_TOKEN_SESSIONS, or all together are MAX_SESSIONS, the one that was not
 * used for the longest time ends: *ended_out is its ticket, of which the caller
 * ends what is open; 0: none ends. `now_ms` is of a clock that never goes back.
 * False: there are no random numbers. Any thread.
 */
bool sessions_begin(struct sessions *sessions, uint64_t token, uint64_t now_ms,
		    char session_out[SESSION_BYTES], uint64_t *ended_out);

/*
 * Use a session. Returns the id of its token, which may have been removed; 0:
 * there is no such session, or it has expired. Any thread.
 */
uint64_t sessions_use(struct sessions *sessions, const char *session,
		      uint64_t now_ms);

/* End one of those that have expired, and return its ticket, of which the
 * caller ends what is open; 0: there are no more. Any thread. */
uint64_t sessions_expire(struct sessions *sessions, uint64_t now_ms);

/* A number that stands for the session of this text: no id of a token, and
 * nobody else's. */
uint64_t sessions_ticket(const char *session);

/* End a session; false: there is no such one. Any thread. */
bool sessions_end(struct sessions *sessions, const char *session);

#endif
