/*
 * daemon/access/tokens.h - who may ask over TCP: tokens, each with a name and a
 * role, in the file "tokens" beside the store, mode 0600. No copy of the store
 * holds it. A token is a credential (access/credential.h), of which the file
 * has the digest.
 */
#ifndef DAEMON_ACCESS_TOKENS_H
#define DAEMON_ACCESS_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/error.h"

struct tokens;

enum token_role {
	TOKEN_READS,  /* what is open to readers (api/api.c) */
	TOKEN_WRITES, /* everything but tokens */
};

enum {
	MAX_TOKENS = 256,
	TOKEN_NAME_BYTES = 65, /* with the NUL */
	TOKEN_BYTES = 68,      /* as well: "td_" and 64 hexadecimal digits */
};

struct token {
	char name[TOKEN_NAME_BYTES]; /* letters, digits, and "._-" */
	enum token_role role;
	uint64_t created_ms; /* wall clock */
	uint64_t id;         /* from 1; no other token has it as long as the
				daemon runs, also not of the same name */
};

/* Read those of the folder; no file is none. ERR_CORRUPT, ERR_IO, logged. */
enum error tokens_open(struct tokens **tokens_out, const char *folder);

/* Tries once more to write what could not be. NULL is a no-op. */
void tokens_close(struct tokens *tokens);

/*
 * Make a token, which is on the disk then, and can be told here alone.
 * ERR_MALFORMED: it is no name; ERR_BUSY: another has it; ERR_TOO_LARGE: there
 * are MAX_TOKENS; ERR_STORE_FULL, ERR_IO. Any thread.
 */
enum error tokens_add(struct tokens *tokens, const char *name,
		      enum token_role role, uint64_t now_ms,
		      char token_out[TOKEN_BYTES]);

/*
 * Remove a token. *id_out is its id, and from the return on it is not known; 0:
 * ERR_NOT_FOUND. With an id ERR_STORE_FULL and ERR_IO, logged, mean that the
 * file still has it, which tokens_retry() mends. That takes no room on the disk
 * but where a file system writes no block in place. Any thread.
 */
enum error tokens_remove(struct tokens *tokens, const char *name,
			 uint64_t *id_out);

/* Write what tokens_remove() could not, if there is any. Any thread. */
void tokens_retry(struct tokens *tokens);

/* Is there such a token (still)? Any thread. */
bool tokens_has(struct tokens *tokens, uint64_t id);

/* Copy those that there are, in the order of their names, and return how many.
 * Any thread. */
size_t tokens_list(struct tokens *tokens, struct token list_out[MAX_TOKENS]);

enum token_verdict {
	TOKEN_UNKNOWN,
	TOKEN_TOO_FAST, /* it has used up its rate, for a second at most */
	TOKEN_MAY,
};

/*
 * Is it one of ours, and may it ask now? Takes as long whichever it is. `rate`
 * is what a token may ask in a second, and at once; 0: any. `now_ms` is of a
 * clock that never goes back. The token is copied but for those that are
 * unknown. Any thread.
 */
enum token_verdict tokens_check(struct tokens *tokens, const char *text,
				uint32_t rate, uint64_t now_ms,
				struct token *token_out);

/* The same for the token with this id, which a session is of. Any thread. */
enum token_verdict tokens_check_id(struct tokens *tokens, uint64_t id,
				   uint32_t rate, uint64_t now_ms,
				   struct token *token_out);

#endif
