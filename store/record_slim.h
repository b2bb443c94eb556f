/*
 * store/record_slim.h - a record as it is packed (store/content.h): without
 * what follows from the rest, such as the places of its strings, which are
 * others in every page; and what is alike of its links stands together. Private
 * to this folder and to what makes dictionaries.
 */
#ifndef STORE_RECORD_SLIM_H
#define STORE_RECORD_SLIM_H

#include <stdbool.h>
#include <stddef.h>

#include "store/buffer.h"
#include "store/error.h"
#include "store/slice.h"

/*
 * Append the slim form of the encoded record to `out`. False when it has none,
 * because it is damaged or a string of a link has a NUL; `out` is as before
 * then. `bytes` are aligned to 8.
 */
bool record_slim(struct slice bytes, struct buffer *out);

/*
 * Append the encoded record to `out`, byte for byte. ERR_CORRUPT; ERR_TOO_LARGE
 * when it has more than `max_bytes`; ERR_VERSION.
 */
enum error record_unslim(struct slice slim, size_t max_bytes,
			 struct buffer *out);

#endif
