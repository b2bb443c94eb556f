#include "daemon/http/credential.h"

#include <string.h>
#include <sys/random.h>

#include <nettle/memops.h>
#include <nettle/sha2.h>

enum { SECRET_BYTES = CREDENTIAL_DIGITS / 2 };

_Static_assert(CREDENTIAL_DIGEST_BYTES == SHA256_DIGEST_SIZE, "SHA-256");

void credential_write_hex(const uint8_t *bytes, size_t count, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count; i++) {
		*out++ = digits[bytes[i] >> 4];
		*out++ = digits[bytes[i] & 0xf];
	}
	*out = '\0';
}

bool credential_make(char text_out[CREDENTIAL_DIGITS + 1])
{
	uint8_t secret[SECRET_BYTES];
	bool is_random =
		getrandom(secret, sizeof(secret), 0) == (ssize_t)sizeof(secret);

	credential_write_hex(secret, is_random ? sizeof(secret) : 0, text_out);
	explicit_bzero(secret, sizeof(secret));
	return is_random;
}

void credential_digest(const char *text,
		       uint8_t digest_out[CREDENTIAL_DIGEST_BYTES])
{
	struct sha256_ctx context;

	sha256_init(&context);
	sha256_update(&context, strlen(text), (const uint8_t *)text);
	sha256_digest(&context, CREDENTIAL_DIGEST_BYTES, digest_out);
}

bool credential_is_same(const uint8_t a[CREDENTIAL_DIGEST_BYTES],
			const uint8_t b[CREDENTIAL_DIGEST_BYTES])
{
	return memeql_sec(a, b, CREDENTIAL_DIGEST_BYTES) != 0;
}
