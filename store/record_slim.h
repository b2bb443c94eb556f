/*
 * store/record_pack.h - the form in which a record is compressed
 * (store/content.h). It omits data that follow from the rest, such as the
 * offsets of strings, which differ in every page, and stores similar data of
 * the links together. Internal to store/ and to the code that builds
 * dictionaries.
 */
#ifndef STORE_RECORD_SLIM_H
#define STORE_RECORD_SLIM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/slice.h"

/*
 * Append the slim form of the encoded record to `out`. Return false and leave
 * `out` unchanged if the record is damaged or a string of a link contains a
 * NUL. `bytes` must be aligned to 8.
 */
bool record_pack(struct slice bytes, struct buffer *out);

/*
 * Append the encoded record to `out`, byte for byte. ERR_CORRUPT; ERR_TOO_LARGE
 * if it exceeds `max_bytes`; ERR_VERSION.
 */
enum error record_unpack(struct slice slim, size_t max_bytes,
			 struct buffer *out);

#endif
