/*
 * daemon/http/tokens.h - access tokens, sessions and origins: how a client of
 * the API is authenticated over TCP. A token has a name and a role. The tokens
 * are in the file "tokens" next to the store, with mode 0600, so copies of the
 * store do not contain them. The text of a token is a credential; the file has
 * only its digest.
 */
#ifndef DAEMON_HTTP_TOKENS_H
#define DAEMON_HTTP_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "crawl/url/url.h"

struct sessions;
struct tokens;

enum token_role {
	TOKEN_READS,  /* may use the read-only routes (api/api.c) */
	TOKEN_WRITES, /* may use all routes except the routes for tokens */
	TOKEN_FEEDS,  /* the key of a feed; opens only this feed */
};

enum {
	MAX_TOKENS = 256,
	MAX_FEEDS = 128,       /* keys of feeds, which leave room for tokens */
	TOKEN_NAME_BYTES = 65, /* including the NUL */
	TOKEN_BYTES = 68,      /* "td_", 64 hexadecimal digits and the NUL */
};

struct access_token {
	char name[TOKEN_NAME_BYTES]; /* letters, digits, ".", "_" and "-" */
	enum token_role role;
	/* TOKEN_FEEDS: the site of the feed, or "" for all sites */
	char site[MAX_HOST_BYTES + 1];
	uint64_t created_ms; /* wall clock */
	uint64_t id; /* from 1; until a restart no other token gets this id, not
			even a token with the same name */
};

/*
 * Read the tokens in `folder`. A missing file means that there are no tokens.
 * ERR_CORRUPT, ERR_IO; the error is logged.
 */
enum error tokens_open(struct tokens **tokens_out, const char *folder);

/* Call tokens_retry(), then free. NULL is a no-op. */
void tokens_close(struct tokens *tokens);

/*
 * Create a token with the name, the role, the site and the time of `token`, and
 * write it to the disk. `token_out` gets the text of the token, which is stored
 * nowhere else; the key of a feed has no "td_". ERR_MALFORMED: the name is
 * invalid. ERR_BUSY: the name exists. ERR_TOO_LARGE: MAX_TOKENS tokens exist,
 * or MAX_FEEDS keys of feeds. ERR_STORE_FULL, ERR_IO. Any thread.
 */
enum error tokens_create(struct tokens *tokens,
			 const struct access_token *token,
			 char token_out[TOKEN_BYTES]);

/* Do the same as tokens_create(), with the members of a token. */
enum error tokens_add(struct tokens *tokens, const char *name,
		      enum token_role role, uint64_t now_ms,
		      char token_out[TOKEN_BYTES]);

/*
 * Remove a token, or with tokens_remove_feed() the key of a feed. *id_out is
 * its id, and the token is invalid as soon as the function returns; with
 * ERR_NOT_FOUND *id_out is 0. ERR_STORE_FULL and ERR_IO, which are logged, mean
 * that the token is invalid but remains in the file; tokens_retry() repairs
 * this. Removal needs no disk space, unless the file system cannot write a
 * block in place. Any thread.
 */
enum error tokens_remove(struct tokens *tokens, const char *name,
			 uint64_t *id_out);
enum error tokens_remove_feed(struct tokens *tokens, const char *name,
			      uint64_t *id_out);

/* Write the file again if a tokens_remove() could not write it. Any thread. */
void tokens_retry(struct tokens *tokens);

/* Return whether the token still exists. Any thread. */
bool tokens_has(struct tokens *tokens, uint64_t id);

/* Copy all tokens, sorted by name, and return their number. Any thread. */
size_t tokens_list(struct tokens *tokens,
		   struct access_token list_out[MAX_TOKENS]);

enum token_verdict {
	TOKEN_UNKNOWN,
	TOKEN_TOO_FAST, /* the rate is used up; the client must wait for at most
			   one second */
	TOKEN_MAY,
};

/*
 * Check whether `text` is a token. The time that this takes does not depend on
 * the result. `rate` is the maximum number of requests per second, also in a
 * burst; 0 = unlimited. `now_ms` must come from a monotonic clock. *token_out
 * is a copy of the token, unless it is unknown. Any thread.
 */
enum token_verdict tokens_check(struct tokens *tokens, const char *text,
				uint32_t rate, uint64_t now_ms,
				struct access_token *token_out);

/*
 * Like tokens_check(), for the token with this id, which was found by a
 * session.
 */
enum token_verdict tokens_check_id(struct tokens *tokens, uint64_t id,
				   uint32_t rate, uint64_t now_ms,
				   struct access_token *token_out);

/*
 * A credential is a text of 256 random bits. Only its SHA-256 is stored. A slow
 * hash would bring no security, because no dictionary contains such texts and
 * an attacker cannot try all 2^256 of these texts.
 */

enum {
	CREDENTIAL_DIGITS = 64, /* hexadecimal */
	CREDENTIAL_DIGEST_BYTES = 32,
};

/*
 * The next three functions reject requests that a page of another site made the
 * browser send.
 *
 * Return whether a Host header names this daemon: an IP address, localhost, or
 * one of `names` ("a.example, b.example"), with or without a port,
 * case-insensitive. Return false for NULL and for other names: their owner may
 * resolve them to this daemon, and then the browser treats the responses of
 * this daemon as responses of the owner's site (DNS rebinding). An IP address
 * cannot be resolved to another machine.
 */
bool origin_is_host_ours(const char *host, const char *names);

/*
 * Return whether `origin`, the value of an Origin header, is the origin of this
 * daemon's pages under `host`. With TLS its scheme must be https; without TLS
 * it may also be https, because a proxy may be in front of the daemon. Return
 * false for "null".
 */
bool origin_is_own(const char *origin, const char *host, bool is_encrypted);

/*
 * Return whether a request with this Sec-Fetch-Site header (NULL: no header)
 * may use the cookie: the user or a page of this origin must have sent it. A
 * page on another port of this host is "same-site" and may not, although
 * browsers send the same cookies with its requests.
 */
bool origin_may_use_cookie(const char *fetch_site);

/*
 * Sessions of browsers that logged in with a token. A session is a random text,
 * which the browser sends as a cookie instead of the token. A session ends when
 * it expires, when its token is removed, or at a restart. Any thread.
 */

enum {
	SESSION_BYTES = CREDENTIAL_DIGITS + 1,
	MAX_SESSIONS = 1024,
	/* maximum number of sessions of one token */
	MAX_TOKEN_SESSIONS = 16,
	SESSION_IDLE_MS = 12 * 3600 * 1000,    /* lifetime without a request */
	SESSION_AGE_MS = 7 * 24 * 3600 * 1000, /* maximum lifetime */
};

struct sessions *sessions_create(void);

/* NULL is a no-op. */
void sessions_destroy(struct sessions *sessions);

/*
 * Begin a session of the token with the id `token` (struct access_token). If
 * the token already has MAX_TOKEN_SESSIONS, or there are MAX_SESSIONS in total,
 * end the least recently used session: *ended_out is its ticket, and the caller
 * must end the open exchanges of this ticket. *ended_out is 0 if no session
 * ended. `now_ms` must come from a monotonic clock. Return false if the system
 * has no random numbers.
 */
bool sessions_begin(struct sessions *sessions, uint64_t token, uint64_t now_ms,
		    char session_out[SESSION_BYTES], uint64_t *ended_out);

/*
 * Return the id of the session's token, which may have been removed, and note
 * the use of the session. Return 0 if the session is unknown or has expired.
 */
uint64_t sessions_use(struct sessions *sessions, const char *session,
		      uint64_t now_ms);

/*
 * Remove one expired session and return its ticket; the caller must end the
 * open exchanges of this ticket. Return 0 if no session has expired.
 */
uint64_t sessions_expire(struct sessions *sessions, uint64_t now_ms);

/*
 * Return the ticket of the session with this text, a number that differs from
 * all token ids and from the tickets of other sessions.
 */
uint64_t sessions_ticket(const char *session);

/* End a session. Return false if it does not exist. */
bool sessions_end(struct sessions *sessions, const char *session);

#endif
