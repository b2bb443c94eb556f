/* base/gzip.h - compresses with gzip (RFC 1952); base/decode.h reads it. */
#ifndef BASE_GZIP_H
#define BASE_GZIP_H

#include "base/buffer.h"
#include "base/slice.h"

/* Append `data`, compressed into one member, to `out`. */
void gzip_append(struct slice data, struct buffer *out);

#endif
