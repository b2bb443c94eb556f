/* store/gzip.h - compresses with gzip (RFC 1952); store/decode.h reads it. */
#ifndef STORE_GZIP_H
#define STORE_GZIP_H

#include "store/buffer.h"
#include "store/slice.h"

/* Append `data`, compressed into one member, to `out`. */
void gzip_append(struct slice data, struct buffer *out);

#endif
