/*
 * daemon/http/tokens.h - tokens of TCP clients, each with a name and a role,
 * in the file "tokens" next to the store, mode 0600. Copies of the store do not
 * contain it. A token is a credential; the file has its digest.
 */
#ifndef DAEMON_HTTP_TOKENS_H
#define DAEMON_HTTP_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct sessions;
struct tokens;

enum token_role {
	TOKEN_READS,  /* read-only routes (api/api.c) */
	TOKEN_WRITES, /* all routes except tokens */
};

enum {
	MAX_TOKENS = 256,
	TOKEN_NAME_BYTES = 65, /* with the NUL */
	TOKEN_BYTES = 68,      /* "td_", 64 hexadecimal digits and the NUL */
};

struct access_token {
	char name[TOKEN_NAME_BYTES]; /* letters, digits, and "._-" */
	enum token_role role;
	uint64_t created_ms; /* wall clock */
	uint64_t id; /* from 1; no other token has this id until a restart, not
			even one of the same name */
};

/*
 * Read the tokens of the folder; a missing file means no tokens. ERR_CORRUPT,
 * ERR_IO, logged.
 */
enum error tokens_open(struct tokens **tokens_out, const char *folder);

/* Calls tokens_retry(). NULL is a no-op. */
void tokens_close(struct tokens *tokens);

/*
 * Create a token and write it to the disk. `token_out` is the only copy of its
 * text. ERR_MALFORMED: invalid name. ERR_BUSY: the name exists. ERR_TOO_LARGE:
 * MAX_TOKENS exist. ERR_STORE_FULL, ERR_IO. Any thread.
 */
enum error tokens_add(struct tokens *tokens, const char *name,
		      enum token_role role, uint64_t now_ms,
		      char token_out[TOKEN_BYTES]);

/*
 * Remove a token. *id_out is its id, and the token is invalid from the return
 * on; 0 with ERR_NOT_FOUND. With an id, ERR_STORE_FULL and ERR_IO, logged, mean
 * that the file still has the token; tokens_retry() repairs this. Removal needs
 * no disk space, unless the file system cannot write a block in place. Any
 * thread.
 */
enum error tokens_remove(struct tokens *tokens, const char *name,
			 uint64_t *id_out);

/* Repeat the write of a failed tokens_remove(), if any. Any thread. */
void tokens_retry(struct tokens *tokens);

/* Return whether the token still exists. Any thread. */
bool tokens_has(struct tokens *tokens, uint64_t id);

/* Copy all tokens, sorted by name, and return their number. Any thread. */
size_t tokens_list(struct tokens *tokens,
		   struct access_token list_out[MAX_TOKENS]);

enum token_verdict {
	TOKEN_UNKNOWN,
	TOKEN_TOO_FAST, /* the rate is used up, for a second at most */
	TOKEN_MAY,
};

/*
 * Check a token; the time does not depend on the result. `rate` is the number
 * of requests per second, and of requests at the same time; 0 = unlimited.
 * `now_ms` must come from a monotonic clock. *token_out is a copy of the token,
 * unless it is unknown. Any thread.
 */
enum token_verdict tokens_check(struct tokens *tokens, const char *text,
				uint32_t rate, uint64_t now_ms,
				struct access_token *token_out);

/* The same for the token with this id, from a session. */
enum token_verdict tokens_check_id(struct tokens *tokens, uint64_t id,
				   uint32_t rate, uint64_t now_ms,
				   struct access_token *token_out);

/*
 * A credential is 256 random bits as text. Only its SHA-256 is stored: no
 * dictionary contains such texts and nobody can try them all, so a slow hash
 * would only slow the daemon down.
 */

enum {
	CREDENTIAL_DIGITS = 64, /* hexadecimal */
	CREDENTIAL_DIGEST_BYTES = 32,
};

/*
 * The next three functions reject requests which pages of other sites make a
 * browser send.
 *
 * Return whether a Host header names this daemon: an IP address, localhost, or
 * one of `names` ("a.example, b.example"), with or without a port,
 * case-insensitive. Other names are rejected: their owner may resolve them to
 * this daemon, and then the browser takes its responses for the owner's (DNS
 * rebinding); an address cannot be resolved elsewhere. NULL: false.
 */
bool origin_is_host_ours(const char *host, const char *names);

/*
 * Return whether `origin` (an Origin header) is the origin of the pages under
 * this `host`. With TLS its scheme must be https; without TLS it may be https,
 * because a proxy may be in front of the daemon. "null" is always false.
 */
bool origin_is_own(const char *origin, const char *host, bool is_encrypted);

/*
 * Return whether a Sec-Fetch-Site header, or none (NULL), allows the cookie:
 * the user or a page of this origin sent the request. Pages of another port of
 * this host are "same-site", and browsers send them the same cookies.
 */
bool origin_may_use_cookie(const char *fetch_site);

/*
 * Sessions of browsers that logged in with a token: random texts, which the
 * browser sends as a cookie instead of the token. A session expires, and
 * becomes invalid when its token is removed. A restart ends all. Any thread.
 */

enum {
	SESSION_BYTES = CREDENTIAL_DIGITS + 1,
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
 * False: the system has no random numbers.
 */
bool sessions_begin(struct sessions *sessions, uint64_t token, uint64_t now_ms,
		    char session_out[SESSION_BYTES], uint64_t *ended_out);

/*
 * Use a session. Return the id of its token, which may have been removed; 0 if
 * the session is unknown or has expired.
 */
uint64_t sessions_use(struct sessions *sessions, const char *session,
		      uint64_t now_ms);

/*
 * Remove one expired session and return its ticket, for which the caller must
 * end the open exchanges; 0: no session has expired.
 */
uint64_t sessions_expire(struct sessions *sessions, uint64_t now_ms);

/*
 * Return the number that identifies the session with this text; it differs from
 * all token ids and from other sessions.
 */
uint64_t sessions_ticket(const char *session);

/* End a session; false if it does not exist. */
bool sessions_end(struct sessions *sessions, const char *session);

#endif
