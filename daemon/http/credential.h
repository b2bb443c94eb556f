/*
 * daemon/http/credential.h - a credential is 256 random bits as text. Only
 * its SHA-256 is stored: no dictionary contains such texts and nobody can try
 * them all, so a slow hash would only slow the daemon down.
 */
#ifndef DAEMON_HTTP_CREDENTIAL_H
#define DAEMON_HTTP_CREDENTIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CREDENTIAL_DIGITS = 64, /* hexadecimal */
	CREDENTIAL_DIGEST_BYTES = 32,
};

/*
 * Write a new credential; false, and an empty text, if the system has no random
 * numbers.
 */
bool credential_make(char text_out[CREDENTIAL_DIGITS + 1]);

/* Compute the digest of any text. */
void credential_digest(const char *text,
		       uint8_t digest_out[CREDENTIAL_DIGEST_BYTES]);

/* Compare two digests in constant time. */
bool credential_is_same(const uint8_t a[CREDENTIAL_DIGEST_BYTES],
			const uint8_t b[CREDENTIAL_DIGEST_BYTES]);

/* Write bytes as 2 * count hexadecimal digits and a NUL. */
void credential_write_hex(const uint8_t *bytes, size_t count, char *out);

#endif
