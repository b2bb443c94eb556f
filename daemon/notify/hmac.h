/*
 * daemon/notify/hmac.h - HMAC-SHA256 (RFC 2104), with which a hook
 * authenticates the sender.
 */
#ifndef DAEMON_NOTIFY_HMAC_H
#define DAEMON_NOTIFY_HMAC_H

#include "base/slice.h"

enum { HMAC_HEX_BYTES = 64 };

/* Write the code of `text` under `key` in hexadecimal, with a NUL. */
void hmac_sha256_hex(struct slice key, struct slice text,
		     char out[HMAC_HEX_BYTES + 1]);

#endif
