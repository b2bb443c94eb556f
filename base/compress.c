#include "base/compress.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
/* for the parameters of dictionaries; Debian's library exports them */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"

enum {
	/* results 1 to 3 % larger than at level 12, in a fourth of the time */
	GOOD_LEVEL = 7,
};

/*
 * Return `result`. zstd can fail here only if memory is exhausted; then end the
 * process.
 */
static size_t zstd_checked(size_t result)
{
	if (ZSTD_isError(result))
		mem_exhausted("zstd");
	return result;
}

static ZSTD_CCtx *context_create(int level)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();

	if (context == NULL)
		mem_exhausted("zstd");
	zstd_checked(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel,
					    level));
	zstd_checked(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1));
	/* copying the tables of a dictionary would take longer than a page */
	zstd_checked(ZSTD_CCtx_setParameter(context, ZSTD_c_forceAttachDict,
					    ZSTD_dictForceAttach));
	return context;
}

static void compress_in(ZSTD_CCtx *context, struct slice data,
			struct buffer *out)
{
	size_t room = ZSTD_compressBound(data.size);
	char *end = buffer_reserve(out, room);

	out->size += zstd_checked(
		ZSTD_compress2(context, end, room, data.data, data.size));
	out->data[out->size] = '\0';
}

static void compress_at(int level, struct slice data, struct buffer *out)
{
	ZSTD_CCtx *context = context_create(level);

	compress_in(context, data, out);
	ZSTD_freeCCtx(context);
}

struct packer {
	ZSTD_CCtx *context;
	ZSTD_CDict *dictionary; /* or NULL */
};

/* The first byte of each dictionary that zstd has trained. */
enum { TRAINED_BEGIN = 0x37 };

bool is_dictionary(struct slice bytes)
{
	return bytes.size == 0 || slice_byte(bytes, 0) != TRAINED_BEGIN;
}

/*
 * Most of a page is in its dictionary, in long pieces. The parameters of zstd's
 * levels prefer short matches, which a page has everywhere: they cost more time
 * and bits. So for pages these parameters find only matches of six or seven
 * bytes and more. The tables are small, because pages of many sites arrive by
 * turns, and then the tables of a dictionary are not in the cache of the
 * processor, which makes a page three times as slow. Tables four times as large
 * gave results up to 1.3 % smaller, and took up to twice as long to make.
 * Records are short and have few long matches, so they have parameters for
 * short ones.
 */
static const ZSTD_compressionParameters fast_dictionary = {
	.windowLog = 21,
	.chainLog = 15,
	.hashLog = 15,
	.searchLog = 1,
	.minMatch = 7,
	.strategy = ZSTD_dfast,
};
static const ZSTD_compressionParameters short_dictionary = {
	.windowLog = 21,
	.chainLog = 15,
	.hashLog = 15,
	.searchLog = 5,
	.minMatch = 4,
	.targetLength = 16,
	.strategy = ZSTD_lazy2,
};
static const ZSTD_compressionParameters small_dictionary = {
	.windowLog = 21,
	.chainLog = 18,
	.hashLog = 17,
	.searchLog = 5,
	.minMatch = 6,
	.targetLength = 16,
	.strategy = ZSTD_lazy2,
};

static const ZSTD_compressionParameters *dictionary_parameters(int level)
{
	if (level <= LEVEL_FAST)
		return &fast_dictionary;
	return level <= LEVEL_SHORT ? &short_dictionary : &small_dictionary;
}

static ZSTD_CDict *dictionary_prepare(struct slice bytes, int level,
				      ZSTD_dictLoadMethod_e method)
{
	ZSTD_CDict *dictionary;

	/* otherwise zstd would not use the bytes as raw content */
	assert(is_dictionary(bytes));
	dictionary = ZSTD_createCDict_advanced(
		bytes.data, bytes.size, method, ZSTD_dct_rawContent,
		*dictionary_parameters(level),
		(ZSTD_customMem){NULL, NULL, NULL});
	if (dictionary == NULL)
		mem_exhausted("zstd");
	return dictionary;
}

struct packer *packer_create(struct slice dictionary, int level)
{
	struct packer *packer = mem_alloc(1, sizeof(*packer));

	packer->context = context_create(level);
	if (dictionary.size == 0)
		return packer;
	packer->dictionary =
		dictionary_prepare(dictionary, level, ZSTD_dlm_byCopy);
	zstd_checked(ZSTD_CCtx_refCDict(packer->context, packer->dictionary));
	return packer;
}

void packer_destroy(struct packer *packer)
{
	if (packer == NULL)
		return;
	ZSTD_freeCCtx(packer->context);
	ZSTD_freeCDict(packer->dictionary);
	free(packer);
}

struct shared_dictionary {
	ZSTD_CDict *dictionary;
};

struct shared_dictionary *shared_dictionary_create(struct slice bytes,
						   int level)
{
	struct shared_dictionary *one = mem_alloc(1, sizeof(*one));

	one->dictionary = dictionary_prepare(bytes, level, ZSTD_dlm_byRef);
	return one;
}

size_t shared_dictionary_bytes(const struct shared_dictionary *dictionary)
{
	return ZSTD_sizeof_CDict(dictionary->dictionary);
}

void shared_dictionary_destroy(struct shared_dictionary *dictionary)
{
	if (dictionary == NULL)
		return;
	ZSTD_freeCDict(dictionary->dictionary);
	free(dictionary);
}

void packer_share(struct packer *packer,
		  const struct shared_dictionary *dictionary)
{
	assert(packer->dictionary == NULL);
	zstd_checked(ZSTD_CCtx_refCDict(
		packer->context,
		dictionary == NULL ? NULL : dictionary->dictionary));
}

void packer_pack(struct packer *packer, struct slice data, struct buffer *out)
{
	compress_in(packer->context, data, out);
}

void compress_slice(struct slice data, struct buffer *out)
{
	compress_at(COMPRESS_LEVEL, data, out);
}

void compress_well(struct slice data, struct buffer *out)
{
	compress_at(GOOD_LEVEL, data, out);
}

enum error decompress_slice(struct slice packed, size_t max_bytes,
			    struct buffer *out)
{
	return decompress_by((struct slice){NULL, 0}, packed, max_bytes, out);
}

/*
 * The context of each thread for decompression. Creating one for each frame
 * would take as long as decompressing 10 KB, because it has 160 KB.
 */
static pthread_key_t decompression_key;
static pthread_once_t decompression_is_ready = PTHREAD_ONCE_INIT;

static void decompression_free(void *context)
{
	ZSTD_freeDCtx(context);
}

static void decompression_create_key(void)
{
	if (pthread_key_create(&decompression_key, decompression_free) != 0)
		mem_exhausted("zstd");
}

/* Return the context of this thread, without a dictionary. */
static ZSTD_DCtx *decompression_context(void)
{
	ZSTD_DCtx *context;

	pthread_once(&decompression_is_ready, decompression_create_key);
	context = pthread_getspecific(decompression_key);
	if (context != NULL) {
		zstd_checked(ZSTD_DCtx_reset(
			context, ZSTD_reset_session_and_parameters));
		return context;
	}
	context = ZSTD_createDCtx();
	if (context == NULL ||
	    pthread_setspecific(decompression_key, context) != 0)
		mem_exhausted("zstd");
	return context;
}

/* Return the number of decompressed bytes; 0 if the frame is damaged. */
static size_t zstd_decompress_frame(struct slice dictionary,
				    struct slice packed, char *to, size_t size)
{
	ZSTD_DCtx *context = decompression_context();

	if (dictionary.size > 0)
		zstd_checked(ZSTD_DCtx_refPrefix(context, dictionary.data,
						 dictionary.size));
	return ZSTD_decompressDCtx(context, to, size, packed.data, packed.size);
}

enum error decompress_by(struct slice dictionary, struct slice packed,
			 size_t max_bytes, struct buffer *out)
{
	unsigned long long size =
		ZSTD_getFrameContentSize(packed.data, packed.size);
	size_t done;
	char *end;

	if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR)
		return ERR_CORRUPT;
	if (size > max_bytes)
		return ERR_TOO_LARGE;
	end = buffer_reserve(out, (size_t)size);
	done = zstd_decompress_frame(dictionary, packed, end, (size_t)size);
	if (ZSTD_isError(done) || done != size) {
		end[0] = '\0';
		return ERR_CORRUPT;
	}
	out->size += done;
	out->data[out->size] = '\0';
	return ERR_NONE;
}
