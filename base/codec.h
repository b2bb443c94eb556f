/*
 * base/codec.h - one interface to the decompression libraries. Internal to
 * base/decode.c.
 */
#ifndef BASE_CODEC_H
#define BASE_CODEC_H

#include <stdbool.h>

#include "base/decode.h"

enum codec_state {
	CODEC_RUN,
	CODEC_END,
	CODEC_BROKEN,
};

/* The output of one step. */
struct codec_output {
	char *at;
	size_t size; /* remaining bytes */
};

struct codec;

struct codec *codec_create(enum coding coding);
void codec_destroy(struct codec *codec); /* NULL is a no-op */

/* Begin a stream; `is_raw` means deflate without zlib's header. */
void codec_begin(struct codec *codec, bool is_raw);

/* See decoder_set_dictionary(). */
bool codec_set_dictionary(struct codec *codec, struct slice dictionary);

/* Read bytes from *in and write to *out until one of them is used up. */
enum codec_state codec_run(struct codec *codec, struct slice *in,
			   struct codec_output *out);

/* Remove `size` bytes from the front. */
static inline void slice_advance(struct slice *slice, size_t size)
{
	if (size == 0)
		return; /* data may be NULL */
	slice->data = (const char *)slice->data + size;
	slice->size -= size;
}

#endif
