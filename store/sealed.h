/*
 * store/sealed.h - a text of a row whose bytes are kept apart
 * (store/secrets.h). The row has the id of the secret, or zeros when nothing is
 * hidden, and behind it what is shown. No text is an empty slice. Sealed are
 * the headers and the proxy of a site, the target and the secret of a hook.
 */
#ifndef STORE_SEALED_H
#define STORE_SEALED_H

#include <stdbool.h>

#include "store/buffer.h"
#include "store/slice.h"
#include "store/store.h"

struct secret_id;
struct secrets;

/* Append to `out` what is shown of the text: store/redaction.h. */
typedef void redaction(struct slice text, struct buffer *out);

/* Seal the text in a write transaction of the secrets; `out` is {0}. */
void sealed_make(struct secrets *secrets, redaction *redact, struct slice text,
		 struct buffer *out);

/* The same in one of the store, with which the secret is kept or goes. */
void txn_seal(struct txn *txn, redaction *redact, struct slice text,
	      struct buffer *out);

/*
 * Whether a row with that text can be known wherever the store is copied to:
 * nothing of it is hidden, or what is hidden is sealed on its way (a store of
 * partitions without a cipher sends none).
 */
bool txn_may_seal(const struct txn *txn, redaction *redact, struct slice text);

/* The row goes, or gets another text: so does the secret, with the commit. */
void txn_drop_sealed(struct txn *txn, struct slice sealed);

/* Whether something of it is hidden: its text is in store/secrets.h. */
bool sealed_is_secret(struct slice sealed);

/* Whether it is that secret. */
bool sealed_has_id(struct slice sealed, const struct secret_id *id);

/* What is shown; no text when there is none or it is damaged. */
struct slice sealed_shown(struct slice sealed);

/*
 * Append the text itself to `out`, unless that is NULL. False when its secret
 * is not there, as in a store that was restored from a backup; a store that is
 * read only has none. Any thread.
 */
bool sealed_open(const struct store *store, struct slice sealed,
		 struct buffer *out);

/*
 * After opening, by the writer: secrets that no row names go, unless rows are
 * damaged, and sites and hooks that lack theirs are told in the log.
 */
void sealed_sweep(struct store *store);

#endif
