/*
 * template/container.h - the file format of a bundle: a header, a table of
 * sections, the sections. Integers are little-endian.
 *
 *          0  8  magic
 *          8  4  version of the format
 *         12  4  0
 *         16 16  hash128() of everything after it
 *         32  8  size of the file
 *         40  4  number of sections
 *         44  4  0
 *         48     the table: for each section
 *                  0  4  kind
 *                  4  4  number: of the cluster, or 0
 *                  8  4  coding: 0 plain, 1 one zstd frame with its size
 *                 12  4  0
 *                 16  8  size in the file
 *                 24  8  size decompressed
 *                 32  8  hash64() of its bytes in the file
 *                the sections in the order of the table, without gaps
 *
 * Sections ascend strictly by kind and number. For users, templated-bundle(5)
 * describes the format.
 */
#ifndef TEMPLATE_CONTAINER_H
#define TEMPLATE_CONTAINER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/limit.h"

enum {
	CONTAINER_VERSION = 1,
	CONTAINER_HEADER_BYTES = 48,
	CONTAINER_ROW_BYTES = 40,
	CONTAINER_REASON_BYTES = 256,
	/*
	 * maximum ratio of decompressed to compressed size of a section;
	 * templates have about 50
	 */
	CONTAINER_MAX_RATIO = LIMIT(4096, 64),
};

/* constant, stored number, name of the section */
#define SECTION_LIST(X)                      \
	X(SECTION_SITE, 1, "site")           \
	X(SECTION_MODEL, 2, "model")         \
	X(SECTION_SHINGLES, 3, "shingles")   \
	X(SECTION_SETS, 4, "sets")           \
	X(SECTION_FRAGMENTS, 5, "fragments") \
	X(SECTION_PAGES, 6, "pages")         \
	X(SECTION_SAMPLES, 7, "samples")     \
	X(SECTION_VERSION, 8, "version")     \
	X(SECTION_WEIGHTS, 9, "weights")     \
	X(SECTION_FIELDS, 10, "fields")

enum section_kind {
#define X(name, value, text) name = (value),
	SECTION_LIST(X)
#undef X
};

struct section {
	uint32_t kind;   /* stored number of an enum section_kind */
	uint32_t number; /* number of the cluster; 0 = the section belongs to
			    the site */
	uint32_t coding;
	struct slice bytes; /* stored bytes, in the file */
	uint64_t size;      /* size after decompression */
	uint64_t checksum;  /* hash64() of the stored bytes */
};

struct container {
	struct section *sections; /* [count] */
	uint32_t count;
	uint64_t size; /* size of all sections after decompression */
};

/*
 * Check the whole file and list its sections. They refer to the bytes of the
 * file; free() the list. ERR_VERSION, ERR_CORRUPT, ERR_TOO_LARGE (over
 * `max_bytes` decompressed): `reason` [CONTAINER_REASON_BYTES] contains an
 * English sentence.
 */
enum error container_read(struct slice file, uint64_t max_bytes,
			  struct container *container_out, char *reason);

/* Decompress the section and append it to `out`. ERR_CORRUPT. */
enum error container_unpack(const struct section *section, struct buffer *out);

/*
 * Write the name of the section to `out`: "section pages", "section samples of
 * 7".
 */
void section_name(const struct section *section, char *out, size_t size);

/* State of writing a file. Initialise with {0}. */
struct container_writer {
	struct buffer table;
	struct buffer body;
	uint32_t count;
};

/*
 * Compress a section and append it. Sections must be added in their order in
 * the file.
 */
void container_add(struct container_writer *writer, enum section_kind kind,
		   uint32_t number, struct slice bytes);

/* Append the file to `out`, and free the writer. */
void container_end(struct container_writer *writer, struct buffer *out);
void container_free(struct container_writer *writer);

/*
 * Functions that read and write the numbers and texts in sections. A whole
 * number is LEB128: seven bits per byte, the lowest first; the top bit means
 * that another byte follows. A hash is eight bytes, the lowest first.
 */

/*
 * The unread rest of the input. After its end, or if it is damaged, every
 * function returns 0 or an empty slice.
 */
struct byte_cursor {
	const unsigned char *at;
	const unsigned char *end;
	bool is_broken;
};

struct byte_cursor cursor_of(struct slice bytes);
size_t cursor_left(const struct byte_cursor *cursor);

uint64_t cursor_u64(struct byte_cursor *cursor);

/* Read a whole number. If it is over `max`, the input is damaged. */
uint64_t cursor_number(struct byte_cursor *cursor, uint64_t max);

/* Return the next `size` bytes. */
struct slice cursor_bytes(struct byte_cursor *cursor, uint64_t size);

/* Read a text: its length, which is at most `max`, then its bytes. */
struct slice cursor_text(struct byte_cursor *cursor, uint64_t max);

/* Return whether everything was read and nothing was damaged. */
bool cursor_is_done(const struct byte_cursor *cursor);

void pack_u64(struct buffer *out, uint64_t number);
void pack_number(struct buffer *out, uint64_t number);
void pack_text(struct buffer *out, struct slice text);

#endif
