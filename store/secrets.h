/*
 * store/secrets.h - texts that no copy of the store may contain: the file
 * "secrets" next to the data, mode 0600, which is written completely and
 * renamed. Each text has a random id that is never reused. Rows refer to it by
 * the id (store/encryption.h), so that a row never gets the text of another.
 *
 * The file changes with the transactions of the store. Added texts are on the
 * disk before the commit, dropped ones are removed after it. If the process is
 * killed at any instant, every text that a committed row refers to exists, and
 * the next start removes unused texts.
 *
 * The file is not encrypted: a key that the daemon can read without help would
 * be stored next to it.
 */
#ifndef STORE_SECRETS_H
#define STORE_SECRETS_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"

struct secrets;

#define SECRETS_FILE "secrets"

enum { SECRET_ID_BYTES = 16 };

struct secret_id {
	unsigned char bytes[SECRET_ID_BYTES];
};

/*
 * Read the secrets of the folder `path`; a missing file means no secrets. With
 * `is_temporary` sync nothing. ERR_CORRUPT, with advice in the log; ERR_IO.
 */
enum error secrets_open(struct secrets **secrets_out, const char *path,
			bool is_temporary);

/* Do nothing for NULL. */
void secrets_close(struct secrets *secrets);

/*
 * Append the text to `out`, unless `out` is NULL; return false if it is
 * missing. Any thread.
 */
bool secrets_get(struct secrets *secrets, const struct secret_id *id,
		 struct buffer *out);

/*
 * Add a text. Only the writer of the store may call it; secrets_complete()
 * completes or undoes it, as it does for secrets_drop() of a text, which may be
 * absent.
 */
struct secret_id secrets_add(struct secrets *secrets, struct slice text);
void secrets_drop(struct secrets *secrets, const struct secret_id *id);

/* Add a text whose id comes from another store and is not in this one yet. */
void secrets_put(struct secrets *secrets, const struct secret_id *id,
		 struct slice text);

/*
 * Write the added texts to the disk, before a commit. ERR_IO, ERR_STORE_FULL.
 */
enum error secrets_save(struct secrets *secrets);

enum secrets_end {
	SECRETS_COMMITTED, /* remove the dropped texts */
	SECRETS_UNDONE,    /* remove the added texts */
	SECRETS_IN_DOUBT,  /* the commit failed: remove nothing */
};

/*
 * Complete a commit, or end without one. The file may still contain removed
 * texts; the next write removes them.
 */
void secrets_complete(struct secrets *secrets, enum secrets_end end);

/*
 * Drop all texts except those marked with secrets_mark_used(); return the
 * number of dropped texts. Otherwise like secrets_drop().
 */
void secrets_mark_used(struct secrets *secrets, const struct secret_id *id);
size_t secrets_drop_unused(struct secrets *secrets);

/*
 * Add the texts of the folder `from` to the file of the folder `path`, and sync
 * it. With `aside`, rename an existing file to this name first. Do nothing if
 * `from` has none. ERR_CORRUPT, ERR_IO, ERR_STORE_FULL.
 */
enum error secrets_restore(const char *from, const char *path,
			   const char *aside);

#endif
