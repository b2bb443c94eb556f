#include "store/compress.h"

#include <zstd.h>

#include "store/memory.h"

/*
 * At level 3 HTML shrinks to a sixth; higher levels take more CPU time than
 * fetching does.
 */
enum { LEVEL = 3, GOOD_LEVEL = 12 };

/* zstd can fail here only for lack of memory, which ends the daemon. */
static size_t checked(size_t result)
{
	if (ZSTD_isError(result))
		mem_exhausted("zstd");
	return result;
}

static void compress_at(int level, struct slice data, struct buffer *out)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	size_t room = ZSTD_compressBound(data.size);
	char *end = buffer_reserve(out, room);

	if (context == NULL)
		mem_exhausted("zstd");
	checked(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel,
				       level));
	checked(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1));
	out->size += checked(
		ZSTD_compress2(context, end, room, data.data, data.size));
	out->data[out->size] = '\0';
	ZSTD_freeCCtx(context);
}

void compress(struct slice data, struct buffer *out)
{
	compress_at(LEVEL, data, out);
}

void compress_well(struct slice data, struct buffer *out)
{
	compress_at(GOOD_LEVEL, data, out);
}

enum error decompress(struct slice packed, size_t max_bytes, struct buffer *out)
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
	done = ZSTD_decompress(end, (size_t)size, packed.data, packed.size);
	if (ZSTD_isError(done) || done != size) {
		end[0] = '\0';
		return ERR_CORRUPT;
	}
	out->size += done;
	out->data[out->size] = '\0';
	return ERR_NONE;
}
