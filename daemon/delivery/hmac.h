/*
 * daemon/delivery/hmac.h - HMAC-SHA256 (RFC 2104), which authenticates the
 * sender.
 */
#ifndef DAEMON_DELIVERY_HMAC_H
#define DAEMON_DELIVERY_HMAC_H

#include "store/slice.h"

enum { HMAC_HEX_BYTES = 64 };

/* The code of `text` under `key`, in hexadecimal, with a NUL behind it. */
void hmac_sha256_hex(struct slice key, struct slice text,
		     char out[HMAC_HEX_BYTES + 1]);

#endif
