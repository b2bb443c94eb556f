#include "base/decode.h"

#include <assert.h>
#include <brotli/decode.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"

/*
 * The state of a decompression library. struct codec is one interface to all of
 * them.
 */

enum codec_state {
	CODEC_RUN,
	CODEC_END,
	CODEC_BROKEN,
};

/* Memory for the output of one step. */
struct codec_output {
	char *at;
	size_t size; /* remaining bytes */
};

enum {
	WINDOW_LOG = 23, /* 8 MB */
	RAW = -MAX_WBITS,
	GZIP_WRAPPED = MAX_WBITS + 16,
};

struct codec {
	enum coding coding;
	z_stream zlib;
	BrotliDecoderState *brotli;
	ZSTD_DCtx *zstd;
};

static void *zlib_alloc(void *opaque, unsigned count, unsigned size)
{
	(void)opaque;
	return mem_alloc(count, size);
}

static void zlib_free(void *opaque, void *memory)
{
	(void)opaque;
	free(memory);
}

static void *brotli_alloc(void *opaque, size_t size)
{
	(void)opaque;
	return mem_alloc(1, size);
}

static void begin_brotli(struct codec *codec)
{
	BrotliDecoderDestroyInstance(codec->brotli);
	codec->brotli =
		BrotliDecoderCreateInstance(brotli_alloc, zlib_free, NULL);
	if (codec->brotli == NULL)
		mem_exhausted("brotli");
}

/* Begin a stream; `is_raw` means deflate without the header of zlib. */
static void codec_begin(struct codec *codec, bool is_raw)
{
	if (codec->coding == CODING_GZIP)
		inflateReset(&codec->zlib);
	else if (codec->coding == CODING_DEFLATE)
		inflateReset2(&codec->zlib, is_raw ? RAW : MAX_WBITS);
	else if (codec->coding == CODING_BROTLI)
		begin_brotli(codec);
	else if (codec->coding == CODING_ZSTD)
		ZSTD_DCtx_reset(codec->zstd, ZSTD_reset_session_only);
}

static void create_zlib(z_stream *zlib)
{
	zlib->zalloc = zlib_alloc;
	zlib->zfree = zlib_free;
	if (inflateInit2(zlib, GZIP_WRAPPED) != Z_OK)
		abort(); /* the installed zlib does not match its header */
}

static void create_zstd(struct codec *codec)
{
	codec->zstd = ZSTD_createDCtx();
	if (codec->zstd == NULL ||
	    ZSTD_isError(ZSTD_DCtx_setParameter(
		    codec->zstd, ZSTD_d_windowLogMax, WINDOW_LOG)))
		mem_exhausted("zstd");
}

static void codec_create(struct codec *codec, enum coding coding)
{
	codec->coding = coding;
	if (coding == CODING_GZIP || coding == CODING_DEFLATE)
		create_zlib(&codec->zlib);
	else if (coding == CODING_ZSTD)
		create_zstd(codec);
}

static enum codec_state run_none(struct slice *in, struct codec_output *out)
{
	size_t size = in->size < out->size ? in->size : out->size;

	if (size > 0)
		memcpy(out->at, in->data, size);
	slice_advance(in, size);
	out->at += size;
	out->size -= size;
	return CODEC_RUN;
}

static uInt at_most_uint(size_t size)
{
	return size > UINT_MAX ? UINT_MAX : (uInt)size;
}

static enum codec_state run_zlib(z_stream *zlib, struct slice *in,
				 struct codec_output *out)
{
	uInt in_size = at_most_uint(in->size);
	uInt out_size = at_most_uint(out->size);
	int rc;

	zlib->next_in = (Bytef *)in->data; /* zlib does not write to it */
	zlib->avail_in = in_size;
	zlib->next_out = (Bytef *)out->at;
	zlib->avail_out = out_size;
	rc = inflate(zlib, Z_NO_FLUSH);
	assert(zlib->avail_in <= in_size);
	slice_advance(in, in_size - zlib->avail_in);
	assert(zlib->avail_out <= out_size);
	out->size -= out_size - zlib->avail_out;
	out->at = (char *)zlib->next_out;
	if (rc == Z_STREAM_END)
		return CODEC_END;
	/* Z_BUF_ERROR: zlib needs more input or more room for output */
	return rc == Z_OK || rc == Z_BUF_ERROR ? CODEC_RUN : CODEC_BROKEN;
}

static enum codec_state run_brotli(BrotliDecoderState *brotli, struct slice *in,
				   struct codec_output *out)
{
	size_t in_size = in->size;
	const uint8_t *next = in->data;
	uint8_t *to = (uint8_t *)out->at;
	BrotliDecoderResult result = BrotliDecoderDecompressStream(
		brotli, &in_size, &next, &out->size, &to, NULL);

	assert(in_size <= in->size);
	slice_advance(in, in->size - in_size);
	out->at = (char *)to;
	if (result == BROTLI_DECODER_RESULT_SUCCESS)
		return CODEC_END;
	return result == BROTLI_DECODER_RESULT_ERROR ? CODEC_BROKEN : CODEC_RUN;
}

static enum codec_state run_zstd(ZSTD_DCtx *zstd, struct slice *in,
				 struct codec_output *out)
{
	ZSTD_inBuffer in_buffer = {in->data, in->size, 0};
	ZSTD_outBuffer out_buffer = {out->at, out->size, 0};
	size_t result = ZSTD_decompressStream(zstd, &out_buffer, &in_buffer);

	assert(in_buffer.pos <= in->size && out_buffer.pos <= out->size);
	slice_advance(in, in_buffer.pos);
	out->at += out_buffer.pos;
	out->size -= out_buffer.pos;
	if (ZSTD_isError(result)) {
		if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
			mem_exhausted("zstd");
		return CODEC_BROKEN;
	}
	return result == 0 ? CODEC_END : CODEC_RUN;
}

/*
 * Decompress bytes from *in to *out until one of them is used up, or the stream
 * ends.
 */
static enum codec_state codec_run(struct codec *codec, struct slice *in,
				  struct codec_output *out)
{
	switch (codec->coding) {
	case CODING_GZIP:
	case CODING_DEFLATE:
		return run_zlib(&codec->zlib, in, out);
	case CODING_BROTLI:
		return run_brotli(codec->brotli, in, out);
	case CODING_ZSTD:
		return run_zstd(codec->zstd, in, out);
	case CODING_NONE:
		break;
	}
	return run_none(in, out);
}

enum {
	ZSTD_MAGIC = 0xFD2FB528,     /* RFC 8878, section 3.1.1 */
	SKIPPABLE_MAGIC = 0x184D2A5, /* section 3.1.2: the upper 28 bits */
	MAGIC_BYTES = 4,
	/* header of a skippable frame: magic number and size */
	SKIPPABLE_BYTES = 8,
	ZSTD_HEADER_BYTES = 18, /* maximum size of the header (section 3.1.1.1)
				   with the magic number */
	ZLIB_BYTES = 2,         /* the header of zlib, RFC 1950, section 2.2 */
	DEFLATE_METHOD = 8,
};

enum decode_state {
	STATE_HEAD, /* collects the first bytes, which decide the next state */
	STATE_SKIP, /* within a skippable frame */
	STATE_RUN,
	STATE_END,
	STATE_BROKEN,
};

struct decoder {
	enum coding coding;
	enum decode_state state;
	unsigned char head[SKIPPABLE_BYTES]; /* first bytes of the input, not
						all decompressed yet */
	size_t head_size;
	size_t head_done; /* bytes of `head` that are decompressed */
	uint32_t skip;    /* remaining bytes of the skippable frame */
	size_t fed;       /* decompressed bytes of the header of a zstd frame */
	bool is_begun;    /* bytes were decompressed since the last reset */
	bool is_full; /* there may be more: the last call filled the output */
	struct codec codec;
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

void decoder_reset(struct decoder *decoder)
{
	decoder->head_size = 0;
	decoder->head_done = 0;
	decoder->fed = 0;
	decoder->is_begun = false;
	decoder->is_full = false;
	decoder->state = decoder->coding == CODING_DEFLATE ||
					 decoder->coding == CODING_ZSTD
				 ? STATE_HEAD
				 : STATE_RUN;
	codec_begin(&decoder->codec, false);
}

struct decoder *decoder_create(enum coding coding)
{
	struct decoder *decoder = mem_alloc(1, sizeof(*decoder));

	decoder->coding = coding;
	codec_create(&decoder->codec, coding);
	decoder_reset(decoder);
	return decoder;
}

void decoder_destroy(struct decoder *decoder)
{
	if (decoder == NULL)
		return;
	if (decoder->coding == CODING_GZIP || decoder->coding == CODING_DEFLATE)
		inflateEnd(&decoder->codec.zlib);
	BrotliDecoderDestroyInstance(decoder->codec.brotli);
	ZSTD_freeDCtx(decoder->codec.zstd);
	free(decoder);
}

bool decoder_set_dictionary(struct decoder *decoder, struct slice dictionary)
{
	/* if this fails, zstd has also dropped the old dictionary */
	return decoder->coding == CODING_ZSTD &&
	       !ZSTD_isError(ZSTD_DCtx_loadDictionary(
		       decoder->codec.zstd, dictionary.data, dictionary.size));
}

/*
 * Run the codec on a piece of the input. Do not call a library that has no
 * input and no pending output: zstd reports several such calls as a damaged
 * stream.
 */
static void run_piece(struct decoder *decoder, struct slice *in,
		      struct codec_output *out)
{
	if (decoder->state != STATE_RUN || (in->size == 0 && !decoder->is_full))
		return;
	decoder->is_begun = true;
	switch (codec_run(&decoder->codec, in, out)) {
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
 * Pass the header of a zstd frame byte by byte. If a call contains the end of a
 * header, zstd tries a short cut: it checks whether the bytes of the call are a
 * whole frame. The short cut ignores the limit of the window. In addition, it
 * checks the wrong bytes if the frame began in an earlier call: the bytes after
 * the magic number can look like a small skippable frame.
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
	 * RFC 1950, section 2.2: method 8, a window up to 32 KB, and check
	 * bits. A raw stream can begin with such bytes only if its first block
	 * is stored and has unusual padding bits.
	 */
	bool is_zlib = (head[0] & 0x0F) == DEFLATE_METHOD &&
		       head[0] >> 4 <= 7 && (head[0] * 256 + head[1]) % 31 == 0;

	assert(decoder->head_size >= ZLIB_BYTES);
	codec_begin(&decoder->codec, !is_zlib);
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

enum error decoder_run(struct decoder *decoder, struct slice *input, char *out,
		       size_t capacity, size_t *size_out)
{
	struct codec_output room = {.size = capacity};

	assert(capacity > 0);

	room.at = out;
	while (input->size > 0 &&
	       (decoder->state == STATE_HEAD || decoder->state == STATE_SKIP))
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

enum {
	LEVEL = 6,
	MEMORY_LEVEL = 8,      /* default of zlib */
	PIECE_BYTES = 1 << 30, /* zlib counts bytes in an unsigned int */
};

void gzip_append(struct slice data, struct buffer *out)
{
	z_stream zlib = {.next_in = (z_const Bytef *)data.data};
	size_t left = data.size;
	int rc = Z_OK;

	if (deflateInit2(&zlib, LEVEL, Z_DEFLATED, GZIP_WRAPPED, MEMORY_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		mem_exhausted("zlib");
	while (rc == Z_OK) {
		size_t piece = left < PIECE_BYTES ? left : PIECE_BYTES;
		size_t room = deflateBound(&zlib, (uLong)piece);

		room = room < PIECE_BYTES ? room : PIECE_BYTES;
		zlib.avail_in = (uInt)piece;
		zlib.next_out = (Bytef *)buffer_reserve(out, room);
		zlib.avail_out = (uInt)room;
		rc = deflate(&zlib, piece == left ? Z_FINISH : Z_NO_FLUSH);
		left -= piece - zlib.avail_in;
		out->size += room - zlib.avail_out;
	}
	assert(rc == Z_STREAM_END);
	out->data[out->size] = '\0';
	deflateEnd(&zlib);
}
