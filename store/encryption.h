/*
 * store/encryption.h - the functions that encrypt the texts of store/secrets.h
 * before they leave the store for another one (store/journal.h), and decrypt
 * them there. The store knows no algorithm and no key: the caller that opens
 * the store may pass a cipher.
 */
#ifndef STORE_ENCRYPTION_H
#define STORE_ENCRYPTION_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/store.h"

struct secret_id;

/* Several threads may call the functions at the same time. */
struct cipher {
	/*
	 * Append the text, encrypted so that it can only be decrypted with the
	 * same `about`, which it does not contain.
	 */
	void (*seal)(const void *context, struct slice about, struct slice text,
		     struct buffer *out);
	/*
	 * Append the decrypted text. ERR_NO_ENCRYPTION_KEY: the key of the text
	 * is missing; ERR_CORRUPT: the text belongs to another `about`, or was
	 * changed. On an error nothing is appended.
	 */
	enum error (*open)(const void *context, struct slice about,
			   struct slice sealed, struct buffer *out);
	const void *context;
};

/*
 * A text in a row whose secret part is stored separately (store/secrets.h).
 * The row contains the id of the secret (zeros if nothing is hidden), followed
 * by the redacted text. An empty slice means no text. These texts are sealed:
 * the headers and the proxy of a site, the target and the secret of a hook.
 */

/* Append the redacted form of the text to `out`: base/log.h. */
typedef void redaction(struct slice text, struct buffer *out);

/*
 * Seal the text in a transaction of the store; the secret is kept or dropped
 * with it. `out` is {0}.
 */
void txn_store_secret_text(struct txn *txn, redaction *redact,
			   struct slice text, struct buffer *out);

/*
 * Return whether replicas of the store can have a row with that text: nothing
 * of it is hidden, or the journal encrypts the hidden part (a store with
 * partitions and without a cipher sends no secrets).
 */
bool txn_may_store_secret_text(const struct txn *txn, redaction *redact,
			       struct slice text);

/*
 * Drop the secret with the commit, because the row is deleted or gets another
 * text.
 */
void txn_drop_secret_text(struct txn *txn, struct slice sealed);

/*
 * Return whether part of the text is hidden and its text is in store/secrets.h.
 */
bool secret_text_is_hidden(struct slice sealed);

/* Return whether the row refers to that secret. */
bool secret_text_has_id(struct slice sealed, const struct secret_id *id);

/* Return the redacted text; no text if it is empty or damaged. */
struct slice secret_text_redacted(struct slice sealed);

/*
 * Append the text to `out`, unless `out` is NULL. Return false if its secret is
 * missing, for example after a restore from a backup; a read-only store has no
 * secrets. Any thread.
 */
bool secret_text_read(const struct store *store, struct slice sealed,
		      struct buffer *out);

/*
 * Delete the secrets that no row refers to, unless rows are damaged, and log
 * the sites and hooks whose secrets are missing. The writer calls it after
 * opening the store.
 */
void secret_texts_sweep(struct store *store);

#endif
