/*
 * store/cipher.h - the functions that encrypt the texts of store/secrets.h
 * before they leave the store for another one (store/journal.h), and decrypt
 * them there. The store knows no algorithm and no key: the caller that opens
 * the store may pass a cipher.
 */
#ifndef STORE_CIPHER_H
#define STORE_CIPHER_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/slice.h"

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

#endif
