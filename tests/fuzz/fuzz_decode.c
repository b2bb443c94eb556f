/*
 * The first byte selects the coding, the rest is the stream. Byte by byte gives
 * the same as in one piece; for a damaged stream the shorter output is a prefix
 * of the longer.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/decode.h"

enum { MAX_OUT_BYTES = 1 << 20, CODINGS = CODING_ZSTD + 1 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct result {
	struct buffer out;
	enum error error;
	bool is_cut; /* at MAX_OUT_BYTES */
	bool is_at_begin;
	bool is_at_end;
	size_t left; /* bytes after the end */
};

static struct result run(enum coding coding, struct slice input, size_t piece,
			 size_t capacity)
{
	struct decoder *decoder = decoder_create(coding);
	struct result result = {0};
	bool is_moving = true;

	while (is_moving && result.error == ERR_NONE && !result.is_cut) {
		struct slice part = input;
		size_t size;

		part.size = part.size < piece ? part.size : piece;
		is_moving = part.size > 0 && !decoder_is_at_end(decoder);
		result.error = decoder_run(
			decoder, &part, buffer_reserve(&result.out, capacity),
			capacity, &size);
		if (size > capacity)
			abort();
		result.out.size += size;
		input.size -= (size_t)((const char *)part.data -
				       (const char *)input.data);
		input.data = part.data;
		is_moving = is_moving || size > 0;
		result.is_cut = result.out.size >= MAX_OUT_BYTES;
	}
	result.is_at_begin = decoder_is_at_begin(decoder);
	result.is_at_end = decoder_is_at_end(decoder);
	result.left = input.size;
	decoder_destroy(decoder);
	return result;
}

static void check_prefix(const struct buffer *a, const struct buffer *b)
{
	size_t size = a->size < b->size ? a->size : b->size;

	if (size > 0 && memcmp(a->data, b->data, size) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice input;
	enum coding coding;
	struct result whole;
	struct result other;

	if (size == 0)
		return 0;
	input = (struct slice){data + 1, size - 1};
	coding = (enum coding)(data[0] % CODINGS);
	whole = run(coding, input, size, 1 << 16);
	other = run(coding, input, 1, 1 + data[0] / CODINGS);
	check_prefix(&whole.out, &other.out);
	if (!whole.is_cut && !other.is_cut &&
	    (whole.error != other.error || whole.is_at_end != other.is_at_end ||
	     whole.is_at_begin != other.is_at_begin))
		abort();
	if (!whole.is_cut && !other.is_cut && whole.error == ERR_NONE &&
	    (whole.out.size != other.out.size || whole.left != other.left))
		abort();
	buffer_free(&whole.out);
	buffer_free(&other.out);
	return 0;
}
