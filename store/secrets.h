/*
 * store/secrets.h - texts that no copy of the store may hold: the file
 * "secrets" beside the data, mode 0600, which is written whole and renamed.
 * Each text has a random id that is never given again; rows name it by that
 * (store/sealed.h), so that a row never finds the text of another.
 *
 * The file changes with the transactions of the store. What is added is on the
 * disk before the commit, what is dropped goes after it: killed at any instant,
 * every text that a committed row names is there, and texts that none names go
 * at the next start.
 *
 * It is not encrypted: a key that the daemon can read by itself would stand
 * beside it.
 */
#ifndef STORE_SECRETS_H
#define STORE_SECRETS_H

#include <stdbool.h>

#include "store/buffer.h"
#include "store/error.h"
#include "store/slice.h"

struct secrets;

#define SECRETS_FILE "secrets"

enum { SECRET_ID_BYTES = 16 };

struct secret_id {
	unsigned char bytes[SECRET_ID_BYTES];
};

/*
 * Read those of the folder `path`; no file is none. With is_temporary nothing
 * is synced. ERR_CORRUPT: the log says what to do; ERR_IO.
 */
enum error secrets_open(struct secrets **secrets_out, const char *path,
			bool is_temporary);

/* NULL is a no-op. */
void secrets_close(struct secrets *secrets);

/* Append the text to `out`, unless that is NULL; false when it is not there.
 * Any thread. */
bool secrets_get(struct secrets *secrets, const struct secret_id *id,
		 struct buffer *out);

/*
 * For one thread, the writer of the store: add a text, and drop one (which may
 * be absent), until secrets_settle() says whether that is so.
 */
struct secret_id secrets_add(struct secrets *secrets, struct slice text);
void secrets_drop(struct secrets *secrets, const struct secret_id *id);

/* The same as adding one that has its id elsewhere; it is not there yet. */
void secrets_put(struct secrets *secrets, const struct secret_id *id,
		 struct slice text);

/* Before a commit: have what was added on the disk. ERR_IO, ERR_STORE_FULL. */
enum error secrets_save(struct secrets *secrets);

enum secrets_end {
	SECRETS_COMMITTED, /* what was dropped goes */
	SECRETS_UNDONE,    /* what was added goes */
	SECRETS_UNSURE,    /* the commit failed: nothing goes */
};

/* After a commit, or in its place. That the file still has what goes is mended
 * with the next one. */
void secrets_settle(struct secrets *secrets, enum secrets_end end);

/* Drop all but those that are kept: secrets_keep() for each, then this. Returns
 * how many went. As secrets_drop(). */
void secrets_keep(struct secrets *secrets, const struct secret_id *id);
size_t secrets_drop_others(struct secrets *secrets);

/*
 * Add those of the folder `from` to the file of the folder `path`, whole on
 * disk. With `aside`, the file that is there gets this second name first. No-op
 * when `from` has none. ERR_CORRUPT, ERR_IO, ERR_STORE_FULL.
 */
enum error secrets_restore(const char *from, const char *path,
			   const char *aside);

#endif
