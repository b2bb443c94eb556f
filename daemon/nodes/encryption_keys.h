/*
 * daemon/nodes/encryption_keys.h - the keys that all nodes share and that no
 * broker server has. They encrypt the texts of store/secrets.h in the log and
 * in snapshots (store/encryption.h).
 *
 * The file has one key per line, 64 hexadecimal digits; empty lines and lines
 * that begin with '#' are ignored. The first key encrypts, and every key
 * decrypts the texts that were encrypted with it, so that users can replace a
 * key while nodes run.
 *
 * An encrypted text is: the id of the key (8 bytes), a random nonce (16), and
 * the AES-SIV ciphertext (RFC 5297; 16 bytes longer than the text). The AES-SIV
 * key and the id are derived from the key of the file (HKDF, RFC 5869), each
 * with its own label; the id reveals nothing about the key.
 */
#ifndef DAEMON_NODES_ENCRYPTION_KEYS_H
#define DAEMON_NODES_ENCRYPTION_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "store/encryption.h"

enum {
	ENCRYPTION_KEYS_MAX = 8,
	ENCRYPTION_KEY_ID_BYTES = 17, /* 16 hexadecimal digits, with NUL */
	ENCRYPTION_NAME_BYTES = 33,   /* 32 hexadecimal digits, with NUL */
};

struct encryption_keys;

/*
 * Read the keys from the file. If `path` is "", set *keys_out to NULL; the
 * functions below treat NULL as no keys. Errors are logged: ERR_NOT_FOUND,
 * ERR_IO; ERR_ADDRESS_FORBIDDEN: other users may read the file, or its group
 * may write it; ERR_MALFORMED.
 */
enum error encryption_keys_read(struct encryption_keys **keys_out,
				const char *path);

/* Wipe and free the keys; NULL is a no-op. */
void encryption_keys_destroy(struct encryption_keys *keys);

/*
 * Return the cipher for store_options; it lives as long as the keys. NULL if
 * there are no keys.
 */
const struct cipher *encryption_keys_cipher(const struct encryption_keys *keys);

size_t encryption_keys_count(const struct encryption_keys *keys);

/* Return the public id of the key that encrypts; "" if there are no keys. */
const char *encryption_keys_id(const struct encryption_keys *keys);

/*
 * Return whether the keys contain the key with this id, so that texts encrypted
 * with it can be decrypted.
 */
bool encryption_keys_has(const struct encryption_keys *keys, const char *id);

/*
 * Write a name for a text into name_out. The same text and key give the same
 * name. Without the key nobody can check a guess of the text against the name
 * (HMAC). `keys` is not NULL.
 */
void encryption_keys_name(const struct encryption_keys *keys, struct slice text,
			  char name_out[ENCRYPTION_NAME_BYTES]);

#endif
