#include "daemon/notify/hmac.h"

#include <nettle/base16.h>
#include <nettle/hmac.h>

void hmac_sha256_hex(struct slice key, struct slice text,
		     char out[HMAC_HEX_BYTES + 1])
{
	struct hmac_sha256_ctx context;
	uint8_t digest[SHA256_DIGEST_SIZE];

	hmac_sha256_set_key(&context, key.size, key.data);
	hmac_sha256_update(&context, text.size, text.data);
	hmac_sha256_digest(&context, sizeof(digest), digest);
	base16_encode_update(out, sizeof(digest), digest);
	out[HMAC_HEX_BYTES] = '\0';
}
