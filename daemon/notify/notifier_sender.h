/*
 * daemon/notify/notifier_sender.h - HMAC-SHA256 (RFC 2104), with which a hook
 * authenticates the sender.
 */
#ifndef DAEMON_NOTIFY_NOTIFIER_SENDER_H
#define DAEMON_NOTIFY_NOTIFIER_SENDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

enum { HMAC_HEX_BYTES = 64 };

/* Write the code of `text` under `key` in hexadecimal, with a NUL. */
void hmac_sha256_hex(struct slice key, struct slice text,
		     char out[HMAC_HEX_BYTES + 1]);

/*
 * The target of a hook: an http or https URL, or "exec:/command argument...",
 * which is run without a shell.
 */

enum { MAX_TARGET_BYTES = 2048, MAX_COMMAND_WORDS = 32 };

/* Return false if the target is invalid; `message` gets the error text. */
bool hook_target_check(struct slice target, char *message, size_t size);

bool hook_target_is_command(struct slice target);

/* The words of a command, separated by blanks. */
struct command_words {
	char text[MAX_TARGET_BYTES + 1];
	char *words[MAX_COMMAND_WORDS + 1]; /* in `text`; ends with NULL */
};

/* Return false if there are no words or too many. */
bool hook_target_split(struct slice target, struct command_words *words_out);

#endif
