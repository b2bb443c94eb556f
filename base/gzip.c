#include "base/gzip.h"

#include <assert.h>
#include <limits.h>
#include <zlib.h>

#include "base/memory.h"

enum {
	LEVEL = 6,
	MEMORY_LEVEL = 8, /* zlib's own preset */
	GZIP_WRAPPED = MAX_WBITS + 16,
	PIECE_BYTES = 1 << 30, /* zlib counts in unsigned int */
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
