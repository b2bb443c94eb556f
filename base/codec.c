#include "base/codec.h"

#include <assert.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"

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

void codec_begin(struct codec *codec, bool is_raw)
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

struct codec *codec_create(enum coding coding)
{
	struct codec *codec = mem_alloc(1, sizeof(*codec));

	codec->coding = coding;
	if (coding == CODING_GZIP || coding == CODING_DEFLATE)
		create_zlib(&codec->zlib);
	else if (coding == CODING_ZSTD)
		create_zstd(codec);
	return codec;
}

void codec_destroy(struct codec *codec)
{
	if (codec == NULL)
		return;
	if (codec->coding == CODING_GZIP || codec->coding == CODING_DEFLATE)
		inflateEnd(&codec->zlib);
	BrotliDecoderDestroyInstance(codec->brotli);
	ZSTD_freeDCtx(codec->zstd);
	free(codec);
}

bool codec_set_dictionary(struct codec *codec, struct slice dictionary)
{
	/* on failure zstd drops the old dictionary, too */
	return codec->coding == CODING_ZSTD &&
	       !ZSTD_isError(ZSTD_DCtx_loadDictionary(
		       codec->zstd, dictionary.data, dictionary.size));
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

	zlib->next_in = (Bytef *)in->data; /* zlib only reads its input */
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
	/* Z_BUF_ERROR: no input and no output left */
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

enum codec_state codec_run(struct codec *codec, struct slice *in,
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
