/*
 * daemon/http/tokens.h - tokens of TCP clients, each with a name and a role,
 * in the file "tokens" next to the store, mode 0600. Copies of the store do not
 * contain it. A token is a credential (access/credential.h); the file has its
 * digest.
 */
#ifndef DAEMON_HTTP_TOKENS_H
#define DAEMON_HTTP_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

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

/*
 * Like tokens_check(), for the token with this id, from a session. Any thread.
 */
enum token_verdict tokens_check_id(struct tokens *tokens, uint64_t id,
				   uint32_t rate, uint64_t now_ms,
				   struct access_token *token_out);

#endif
