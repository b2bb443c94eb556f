/* daemon/api/base64.h - reading base64 (RFC 4648, 4). Pure. */
#ifndef DAEMON_API_BASE64_H
#define DAEMON_API_BASE64_H

#include <stdbool.h>

#include "store/buffer.h"
#include "store/slice.h"

/* Append what `text` stands for, blanks left out. False when it is not base64;
 * what was appended then means nothing. */
bool base64_read(struct slice text, struct buffer *out);

#endif
