#include "crawl/unpack.h"

#include <stdlib.h>

#include "base/limit.h"
#include "base/memory.h"
#include "crawl/header.h"

enum {
	MIDDLE_BYTES = 16 * 1024,
	/*
	 * bytes that the outer coding may give without output of the inner one:
	 * a gzip header may be long, but no real one reaches this
	 */
	MAX_SILENT_BYTES = LIMIT(1024 * 1024, 512),
};

/* One coding and its input. */
struct layer {
	enum coding coding;
	struct decoder *decoder;
	struct slice input;
};

struct unpacker {
	struct layer outer; /* decoded first: the last coding of the list */
	struct layer inner; /* no decoder: there is one layer */
	char middle[MIDDLE_BYTES];
};

/*
 * Return whether the word is a registered coding (RFC 9110, 16.6.1) that is not
 * decoded here. Bytes in such a coding are not text.
 */
static bool unpack_is_foreign_coding(struct slice word)
{
	static const char *const names[] = {
		"aes128gcm", "compress",     "dcb",        "dcz",
		"exi",       "pack200-gzip", "x-compress",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (header_is_word(word, names[i]))
			return true;
	return false;
}

bool codings_add(struct codings *codings, struct slice value)
{
	while (value.size > 0) {
		struct slice part = header_list_take(&value);
		struct slice word = header_parameter_take(&part);
		enum coding coding;

		if (unpack_is_foreign_coding(word))
			return false;
		if (!coding_of_name(word, &coding) || coding == CODING_NONE)
			continue;
		if (codings->count == MAX_CODINGS)
			return false;
		codings->list[codings->count++] = coding;
	}
	return true;
}

static void open_layer(struct layer *layer, enum coding coding)
{
	layer->coding = coding;
	layer->decoder = decoder_create(coding);
}

struct unpacker *unpacker_create(struct codings codings)
{
	struct unpacker *unpacker = mem_alloc(1, sizeof(*unpacker));

	open_layer(&unpacker->outer, codings.list[codings.count - 1]);
	if (codings.count > 1)
		open_layer(&unpacker->inner, codings.list[0]);
	return unpacker;
}

void unpacker_destroy(struct unpacker *unpacker)
{
	if (unpacker == NULL)
		return;
	decoder_destroy(unpacker->outer.decoder);
	decoder_destroy(unpacker->inner.decoder);
	free(unpacker);
}

void unpacker_feed(struct unpacker *unpacker, struct slice packed)
{
	unpacker->outer.input = packed;
}

size_t unpacker_left(const struct unpacker *unpacker)
{
	return unpacker->outer.input.size;
}

/* After the end: start the next gzip member, or drop the rest. */
static void pass_end(struct layer *layer)
{
	static const unsigned char gzip = 0x1F; /* RFC 1952, 2.3.1: ID1 */

	if (layer->input.size == 0 || !decoder_is_at_end(layer->decoder))
		return;
	if (layer->coding == CODING_GZIP &&
	    *(const unsigned char *)layer->input.data == gzip)
		decoder_reset(layer->decoder);
	else
		layer->input.size = 0;
}

static enum error layer_decode(struct layer *layer, char *out, size_t capacity,
			       size_t *size_out)
{
	pass_end(layer);
	return decoder_run(layer->decoder, &layer->input, out, capacity,
			   size_out);
}

/*
 * Decode until there is output, or no input remains: a gzip header or an empty
 * member consumes input without output.
 */
static enum error run_on(struct layer *layer, char *out, size_t capacity,
			 size_t *size_out)
{
	enum error error = layer_decode(layer, out, capacity, size_out);

	while (error == ERR_NONE && *size_out == 0 && layer->input.size > 0)
		error = layer_decode(layer, out, capacity, size_out);
	return error;
}

enum error unpacker_next(struct unpacker *unpacker, char *out, size_t capacity,
			 size_t *size_out)
{
	struct layer *outer = &unpacker->outer;
	struct layer *inner = &unpacker->inner;
	size_t silent = 0;
	size_t size = 1;
	enum error error;

	if (inner->decoder == NULL)
		return run_on(outer, out, capacity, size_out);
	error = run_on(inner, out, capacity, size_out);
	while (error == ERR_NONE && *size_out == 0 && size > 0) {
		error = run_on(outer, unpacker->middle, MIDDLE_BYTES, &size);
		inner->input = (struct slice){unpacker->middle, size};
		silent += size;
		if (error == ERR_NONE && silent > MAX_SILENT_BYTES)
			error = ERR_CORRUPT;
		if (error == ERR_NONE)
			error = run_on(inner, out, capacity, size_out);
	}
	return error;
}

static bool layer_is_complete(const struct layer *layer)
{
	return layer->decoder == NULL || decoder_is_at_end(layer->decoder);
}

bool unpacker_is_whole(const struct unpacker *unpacker)
{
	return layer_is_complete(&unpacker->outer) &&
	       layer_is_complete(&unpacker->inner);
}
