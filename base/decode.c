#include "base/decode.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <strings.h>

#include "base/codec.h"
#include "base/memory.h"

enum {
	ZSTD_MAGIC = 0xFD2FB528,     /* RFC 8878, section 3.1.1 */
	SKIPPABLE_MAGIC = 0x184D2A5, /* section 3.1.2: the upper 28 bits */
	MAGIC_BYTES = 4,
	SKIPPABLE_BYTES = 8, /* its header: magic and size */
	ZSTD_HEADER_BYTES =
		18,     /* maximum: section 3.1.1.1, and the magic number */
	ZLIB_BYTES = 2, /* the header of zlib, RFC 1950, section 2.2 */
	DEFLATE_METHOD = 8,
};

enum decode_state {
	STATE_HEAD, /* collects the bytes that decide the next step */
	STATE_SKIP, /* in a skippable frame */
	STATE_RUN,
	STATE_END,
	STATE_BROKEN,
};

struct decoder {
	enum coding coding;
	enum decode_state state;
	unsigned char head[SKIPPABLE_BYTES]; /* read from the input, not yet
						decompressed */
	size_t head_size;
	size_t head_done; /* bytes of `head` that are decompressed */
	uint32_t skip;    /* bytes of a skippable frame still to skip */
	size_t fed;       /* decompressed bytes of a zstd header */
	bool is_begun;    /* bytes were decompressed since the last reset */
	bool is_full;     /* the last output was full: there may be more */
	struct codec *codec;
};

static uint32_t decode_u32_le(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
	       (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static bool is_skippable(const unsigned char *head)
{
	return decode_u32_le(head) >> 4 == SKIPPABLE_MAGIC;
}

enum coding coding_of_bytes(struct slice begin)
{
	const unsigned char *head = begin.data;

	if (begin.size >= 2 && head[0] == 0x1F && head[1] == 0x8B)
		return CODING_GZIP;
	if (begin.size >= MAGIC_BYTES &&
	    (decode_u32_le(head) == ZSTD_MAGIC || is_skippable(head)))
		return CODING_ZSTD;
	return CODING_NONE;
}

bool coding_of_name(struct slice name, enum coding *coding_out)
{
	static const struct {
		const char *name;
		enum coding coding;
	} rows[] = {
		{"", CODING_NONE},           {"br", CODING_BROTLI},
		{"deflate", CODING_DEFLATE}, {"gzip", CODING_GZIP},
		{"identity", CODING_NONE},   {"x-gzip", CODING_GZIP},
		{"zstd", CODING_ZSTD},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strlen(rows[i].name) == name.size &&
		    (name.size == 0 ||
		     strncasecmp(rows[i].name, name.data, name.size) == 0)) {
			*coding_out = rows[i].coding;
			return true;
		}
	return false;
}

static bool has_head(enum coding coding)
{
	return coding == CODING_DEFLATE || coding == CODING_ZSTD;
}

void decoder_reset(struct decoder *decoder)
{
	decoder->head_size = 0;
	decoder->head_done = 0;
	decoder->fed = 0;
	decoder->is_begun = false;
	decoder->is_full = false;
	decoder->state = has_head(decoder->coding) ? STATE_HEAD : STATE_RUN;
	codec_begin(decoder->codec, false);
}

struct decoder *decoder_create(enum coding coding)
{
	struct decoder *decoder = mem_alloc(1, sizeof(*decoder));

	decoder->coding = coding;
	decoder->codec = codec_create(coding);
	decoder_reset(decoder);
	return decoder;
}

void decoder_destroy(struct decoder *decoder)
{
	if (decoder == NULL)
		return;
	codec_destroy(decoder->codec);
	free(decoder);
}

bool decoder_set_dictionary(struct decoder *decoder, struct slice dictionary)
{
	return codec_set_dictionary(decoder->codec, dictionary);
}

/*
 * Do not call the libraries without input and pending output: zstd counts
 * several such calls as a damaged stream.
 */
static void run_piece(struct decoder *decoder, struct slice *in,
		      struct codec_output *out)
{
	if (decoder->state != STATE_RUN || (in->size == 0 && !decoder->is_full))
		return;
	decoder->is_begun = true;
	switch (codec_run(decoder->codec, in, out)) {
	case CODEC_RUN:
		break;
	case CODEC_END:
		decoder->state = STATE_END;
		break;
	case CODEC_BROKEN:
		decoder->state = STATE_BROKEN;
		break;
	}
	decoder->is_full = out->size == 0;
}

/*
 * Pass the header of a zstd frame byte by byte. If a header ends within the
 * bytes of one call, zstd tries a short cut: it checks whether these bytes are
 * a whole frame. The short cut ignores the limit of the window. And if the
 * frame began in an earlier call, it checks the wrong bytes: those after the
 * magic number can look like a small skippable frame.
 */
static void decoder_run_codec(struct decoder *decoder, struct slice *in,
			      struct codec_output *out)
{
	while (decoder->coding == CODING_ZSTD && decoder->state == STATE_RUN &&
	       in->size > 0 && decoder->fed < ZSTD_HEADER_BYTES) {
		struct slice byte = {in->data, 1};

		run_piece(decoder, &byte, out);
		if (byte.size > 0)
			return;
		slice_advance(in, 1);
		decoder->fed++;
	}
	run_piece(decoder, in, out);
}

static enum decode_state choose_deflate(struct decoder *decoder)
{
	const unsigned char *head = decoder->head;
	/*
	 * RFC 1950, section 2.2: method 8, window up to 32 KB, check bits. A
	 * raw stream with these first bytes is a stored block with odd padding.
	 */
	bool is_zlib = (head[0] & 0x0F) == DEFLATE_METHOD &&
		       head[0] >> 4 <= 7 && (head[0] * 256 + head[1]) % 31 == 0;

	assert(decoder->head_size >= ZLIB_BYTES);
	codec_begin(decoder->codec, !is_zlib);
	return STATE_RUN;
}

static enum decode_state choose_zstd(struct decoder *decoder)
{
	const unsigned char *head = decoder->head;

	assert(decoder->head_size >= MAGIC_BYTES);
	if (!is_skippable(head))
		return decode_u32_le(head) == ZSTD_MAGIC ? STATE_RUN
							 : STATE_BROKEN;
	if (decoder->head_size < SKIPPABLE_BYTES)
		return STATE_HEAD;
	decoder->skip = decode_u32_le(head + MAGIC_BYTES);
	decoder->head_size = 0;
	return decoder->skip == 0 ? STATE_HEAD : STATE_SKIP;
}

static void decoder_read_head(struct decoder *decoder, struct slice *input)
{
	size_t enough =
		decoder->coding == CODING_ZSTD ? MAGIC_BYTES : ZLIB_BYTES;

	assert(input->size > 0);
	assert(decoder->head_size < sizeof(decoder->head));
	decoder->head[decoder->head_size++] =
		*(const unsigned char *)input->data;
	slice_advance(input, 1);
	if (decoder->head_size < enough)
		return;
	decoder->state = decoder->coding == CODING_ZSTD
				 ? choose_zstd(decoder)
				 : choose_deflate(decoder);
}

static void decoder_skip_frame(struct decoder *decoder, struct slice *input)
{
	size_t size = input->size < decoder->skip ? input->size : decoder->skip;

	assert(decoder->skip > 0);
	slice_advance(input, size);
	decoder->skip -= (uint32_t)size;
	if (decoder->skip == 0)
		decoder->state = STATE_HEAD;
}

static void run_head(struct decoder *decoder, struct codec_output *out)
{
	struct slice head = {decoder->head + decoder->head_done,
			     decoder->head_size - decoder->head_done};
	size_t before = head.size;

	assert(decoder->head_done <= decoder->head_size);
	if (head.size == 0)
		return;
	decoder_run_codec(decoder, &head, out);
	decoder->head_done += before - head.size;
}

static bool is_before_frame(const struct decoder *decoder)
{
	return decoder->state == STATE_HEAD || decoder->state == STATE_SKIP;
}

enum error decoder_run(struct decoder *decoder, struct slice *input, char *out,
		       size_t capacity, size_t *size_out)
{
	struct codec_output room = {.size = capacity};

	assert(capacity > 0);

	room.at = out;
	while (input->size > 0 && is_before_frame(decoder))
		if (decoder->state == STATE_SKIP)
			decoder_skip_frame(decoder, input);
		else
			decoder_read_head(decoder, input);
	run_head(decoder, &room);
	assert(decoder->head_done <= decoder->head_size);
	if (decoder->head_done == decoder->head_size)
		decoder_run_codec(decoder, input, &room);
	assert(room.size <= capacity);
	*size_out = capacity - room.size;
	return decoder->state == STATE_BROKEN ? ERR_CORRUPT : ERR_NONE;
}

bool decoder_is_at_begin(const struct decoder *decoder)
{
	if (decoder->state == STATE_HEAD)
		return decoder->head_size == 0;
	return decoder->state == STATE_RUN && !decoder->is_begun;
}

bool decoder_is_at_end(const struct decoder *decoder)
{
	return decoder->state == STATE_END;
}
