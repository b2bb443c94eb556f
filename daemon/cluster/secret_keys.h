/*
 * daemon/cluster/secret_keys.h - the keys that all nodes of a cluster share,
 * and no server of theirs has: they seal the texts of store/secrets.h in the
 * log and in snapshots (store/cipher.h).
 *
 * The file has a key a line, 64 hexadecimal digits; empty lines and those that
 * begin with '#' are passed over. The first key seals, all of them open, so
 * that a key can be replaced while nodes run.
 *
 * Sealed is: the id of the key (8 bytes), a random nonce (16), and what AES-SIV
 * makes of the text (RFC 5297; 16 bytes more than it). Both its key and the id
 * are derived from the key of the file (HKDF, RFC 5869), each under a name of
 * its own; the id tells nothing of the key.
 */
#ifndef DAEMON_CLUSTER_SECRET_KEYS_H
#define DAEMON_CLUSTER_SECRET_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "store/cipher.h"
#include "store/error.h"

enum {
	SECRET_KEYS_MAX = 8,
	SECRET_KEY_ID_BYTES = 17, /* 16 hexadecimal digits, with NUL */
	SECRET_NAME_BYTES = 33,   /* 32 of them */
};

struct secret_keys;

/*
 * Read the file. "": *keys_out is NULL, which has no keys in what follows.
 * ERR_NOT_FOUND, ERR_IO; ERR_REFUSED: others may read it, or more than its
 * owner may write it; ERR_MALFORMED; with a line in the log.
 */
enum error secret_keys_read(struct secret_keys **keys_out, const char *path);

/* Wipes them; NULL is a no-op. */
void secret_keys_destroy(struct secret_keys *keys);

/* For store_options; it lives as long as the keys. NULL: there are none. */
const struct cipher *secret_keys_cipher(const struct secret_keys *keys);

size_t secret_keys_count(const struct secret_keys *keys);

/* The name of the key that seals, as others may see it; "": there is none. */
const char *secret_keys_id(const struct secret_keys *keys);

/* Whether what the key of that id has sealed can be opened. */
bool secret_keys_has(const struct secret_keys *keys, const char *id);

/* A name of a text, the same whenever the same key seals, which who does not
 * have that key cannot find by trying texts (HMAC). There are keys. */
void secret_keys_name(const struct secret_keys *keys, struct slice text,
		      char name_out[SECRET_NAME_BYTES]);

#endif
