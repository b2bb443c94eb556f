/*
 * store/encryption.h - the texts of rows that have a secret part
 *
 * The secret part is stored in store/secrets.h. A cipher encrypts it before it
 * leaves the store for another store (store/journal.h), and decrypts it there.
 * The store itself has no algorithm and no key: the code that opens the store
 * may pass a cipher.
 */
#ifndef STORE_ENCRYPTION_H
#define STORE_ENCRYPTION_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/store.h"

struct secret_id;

/* The functions of a cipher. Several threads may call them at the same time. */
struct cipher {
	/*
	 * Append the encrypted text to `out`. It can be decrypted only with the
	 * same `about`, which is not a part of the output.
	 */
	void (*seal)(const void *context, struct slice about, struct slice text,
		     struct buffer *out);
	/*
	 * Append the decrypted text to `out`. ERR_NO_ENCRYPTION_KEY: the key
	 * for the text is missing. ERR_CORRUPT: the text was encrypted for
	 * another `about`, or was changed. On an error nothing is appended.
	 */
	enum error (*open)(const void *context, struct slice about,
			   struct slice sealed, struct buffer *out);
	const void *context;
};

/*
 * A sealed text is a value in a row; its secret part is in the file of secrets
 * (store/secrets.h). The row has the id of the secret (zeros = no secret), then
 * the text without its secret part (the redacted text). An empty slice means
 * that there is no text. Sealed texts are the headers, the proxy and the
 * cookies of a site, and the target and the secret of a hook.
 */

/* Append the redacted form of the text to `out`; see base/log.h. */
typedef void redaction(struct slice text, struct buffer *out);

/*
 * Append the sealed form of the text to `out`, which is {0}. Its secret is
 * stored if the transaction is committed.
 */
void txn_store_secret_text(struct txn *txn, redaction *redact,
			   struct slice text, struct buffer *out);

/*
 * Return whether the store may have a row with this text. It must not if other
 * nodes need the text but cannot get its secret, because the store has
 * partitions and no cipher.
 */
bool txn_may_store_secret_text(const struct txn *txn, redaction *redact,
			       struct slice text);

/*
 * Delete the secret of a sealed text when the transaction is committed. Call
 * this if the row is deleted or gets another text.
 */
void txn_drop_secret_text(struct txn *txn, struct slice sealed);

/*
 * Return whether a part of the text is secret, so that it is stored in
 * store/secrets.h.
 */
bool secret_text_is_hidden(struct slice sealed);

/* Return whether the sealed text refers to the secret `id`. */
bool secret_text_has_id(struct slice sealed, const struct secret_id *id);

/*
 * Return the redacted text. It is an empty slice if there is no text or
 * `sealed` is damaged.
 */
struct slice secret_text_redacted(struct slice sealed);

/*
 * Append the complete text to `out`, unless `out` is NULL. Return false if its
 * secret is missing, for example after a restore from a backup. A read-only
 * store has no secrets. Any thread may call this.
 */
bool secret_text_read(const struct store *store, struct slice sealed,
		      struct buffer *out);

/*
 * Delete the secrets that no row refers to, unless rows are damaged. Log the
 * sites and hooks whose secrets are missing. The process that writes to the
 * store calls this after opening it.
 */
void secret_texts_sweep(struct store *store);

#endif
