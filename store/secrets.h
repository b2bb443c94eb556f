/*
 * store/secrets.h - texts that must not be in copies of the store
 *
 * They are in the file "secrets" in the folder of the store, which has mode
 * 0600. Each text has a random id that is never used again. Rows refer to a
 * text by its id (store/encryption.h), so a row can never get the text of
 * another row.
 *
 * The file is written together with the transactions of the store. New texts
 * are written to disk before the commit, and dropped texts are removed after
 * it. So even if the process is killed at any time, the file has every text
 * that a committed row refers to. The next start removes unused texts. The file
 * is always written completely under another name and then renamed.
 *
 * The file is not encrypted, because the key would have to be stored next to it
 * so that the daemon can start without help.
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
 * Read the secrets in the folder `path`. If the file is missing, there are no
 * secrets. If `is_temporary`, nothing is synced to disk later. ERR_CORRUPT: the
 * log has advice. ERR_IO.
 */
enum error secrets_open(struct secrets **secrets_out, const char *path,
			bool is_temporary);

/* Free the secrets. If `secrets` is NULL, do nothing. */
void secrets_close(struct secrets *secrets);

/*
 * Append the text with this id to `out`, unless `out` is NULL. Return false if
 * it is missing. Any thread may call this.
 */
bool secrets_get(struct secrets *secrets, const struct secret_id *id,
		 struct buffer *out);

/*
 * secrets_add() adds a text, secrets_drop() marks a text as dropped if it
 * exists. Only the writer of the store may call them. Call secrets_complete()
 * afterwards, which makes the changes final or undoes them.
 */
struct secret_id secrets_add(struct secrets *secrets, struct slice text);
void secrets_drop(struct secrets *secrets, const struct secret_id *id);

/*
 * Add a text whose id comes from another store. The id must not be in this
 * store yet.
 */
void secrets_put(struct secrets *secrets, const struct secret_id *id,
		 struct slice text);

/*
 * Write the added texts to disk. Call this before a commit. ERR_IO,
 * ERR_STORE_FULL.
 */
enum error secrets_save(struct secrets *secrets);

enum secrets_end {
	/* the transaction was committed: remove the dropped texts */
	SECRETS_COMMITTED,
	/* the transaction was not committed: remove the added texts */
	SECRETS_UNDONE,
	/* it is unknown whether the commit succeeded: remove nothing */
	SECRETS_IN_DOUBT,
};

/*
 * Finish the changes of a transaction. The file may still contain removed
 * texts; the next write removes them from it.
 */
void secrets_complete(struct secrets *secrets, enum secrets_end end);

/*
 * Drop all texts that were not marked with secrets_mark_used(). Return how many
 * were dropped. secrets_complete() must follow, as for secrets_drop().
 */
void secrets_mark_used(struct secrets *secrets, const struct secret_id *id);
size_t secrets_drop_unused(struct secrets *secrets);

/*
 * Add the texts in the folder `from` to the file in the folder `path`, and
 * write it to disk. If `aside` is not NULL, first rename the existing file to
 * this name. If `from` has no texts, do nothing. ERR_CORRUPT, ERR_IO,
 * ERR_STORE_FULL.
 */
enum error secrets_restore(const char *from, const char *path,
			   const char *aside);

#endif
