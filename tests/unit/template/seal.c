#include "tests/unit/template/seal.h"

#include <endian.h>
#include <string.h>

#include "base/hash.h"
#include "template/container.h"

/* Positions: template/container.h. */
enum {
	CHECKSUM = 16,
	CHECKED = 32,
	SIZE = 32,
	COUNT = 40,
	ROW_CODING = 8,
	ROW_PACKED = 16,
	ROW_SIZE = 24,
	ROW_CHECKSUM = 32,
};

static uint64_t get(const unsigned char *at, size_t size)
{
	uint64_t number = 0;

	memcpy(&number, at, size);
	return le64toh(number);
}

static void put(unsigned char *at, uint64_t number)
{
	number = htole64(number);
	memcpy(at, &number, sizeof(number));
}

/* The row of a section that begins at `begin`; where the next one does. */
static size_t seal_row(unsigned char *file, size_t size, unsigned char *row,
		       size_t begin)
{
	uint64_t packed = get(row + ROW_PACKED, 8);

	if (packed > size - begin) {
		packed = size - begin;
		put(row + ROW_PACKED, packed);
	}
	if (get(row + ROW_CODING, 4) == 0)
		put(row + ROW_SIZE, packed);
	put(row + ROW_CHECKSUM, hash64(file + begin, packed, 0));
	return begin + packed;
}

void seal(unsigned char *file, size_t size)
{
	struct hash128 sum;
	uint64_t count;
	size_t begin;

	if (size < CONTAINER_HEADER_BYTES)
		return;
	put(file + SIZE, size);
	count = get(file + COUNT, 4);
	if (count <= (size - CONTAINER_HEADER_BYTES) / CONTAINER_ROW_BYTES) {
		begin = CONTAINER_HEADER_BYTES + count * CONTAINER_ROW_BYTES;
		for (uint64_t i = 0; i < count; i++)
			begin = seal_row(file, size,
					 file + CONTAINER_HEADER_BYTES +
						 i * CONTAINER_ROW_BYTES,
					 begin);
	}
	sum = hash128(file + CHECKED, size - CHECKED);
	memcpy(file + CHECKSUM, sum.bytes, sizeof(sum.bytes));
}
