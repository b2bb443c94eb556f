/*
 * store/cipher.h - what seals the texts of store/secrets.h where they leave the
 * store for another one (store/journal.h), and opens them there. The store
 * knows no algorithm and no key: who opens it may give one.
 */
#ifndef STORE_CIPHER_H
#define STORE_CIPHER_H

#include "store/buffer.h"
#include "store/error.h"
#include "store/slice.h"

/* Called by any thread, by several at a time. */
struct cipher {
	/* Append the text, sealed so that it opens together with the same
	 * `about` alone, which is not in it. */
	void (*seal)(const void *context, struct slice about, struct slice text,
		     struct buffer *out);
	/* Append what was sealed. ERR_NO_KEY: by a key that is not here;
	 * ERR_CORRUPT: it is about something else, or was changed; nothing is
	 * appended then. */
	enum error (*open)(const void *context, struct slice about,
			   struct slice sealed, struct buffer *out);
	const void *context;
};

#endif
