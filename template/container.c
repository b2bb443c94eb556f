#include "template/container.h"

#include <assert.h>
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compress.h"
#include "base/decode.h"
#include "base/hash.h"
#include "base/memory.h"

enum { MORE = 0x80, LOW = 0x7f, SHIFT = 7, MAX_SHIFT = 63 };

struct byte_cursor cursor_of(struct slice bytes)
{
	const unsigned char *at = bytes.data;

	if (at == NULL)
		return (struct byte_cursor){0};
	return (struct byte_cursor){at, at + bytes.size, false};
}

size_t cursor_left(const struct byte_cursor *cursor)
{
	assert(cursor->at <= cursor->end);
	return (size_t)(cursor->end - cursor->at);
}

/*
 * Mark the cursor as damaged and move it to the end, so that all further reads
 * return 0.
 */
static void cursor_fail(struct byte_cursor *cursor)
{
	assert(cursor->at <= cursor->end);
	cursor->at = cursor->end;
	cursor->is_broken = true;
}

uint64_t cursor_u64(struct byte_cursor *cursor)
{
	uint64_t number;

	if (cursor_left(cursor) < sizeof(number)) {
		cursor_fail(cursor);
		return 0;
	}
	memcpy(&number, cursor->at, sizeof(number));
	cursor->at += sizeof(number);
	return le64toh(number);
}

uint64_t cursor_number(struct byte_cursor *cursor, uint64_t max)
{
	uint64_t number = 0;

	for (unsigned shift = 0; shift <= MAX_SHIFT; shift += SHIFT) {
		unsigned char byte;

		if (cursor->at == cursor->end)
			break;
		byte = *cursor->at++;
		if (shift == MAX_SHIFT && byte > 1)
			break;
		number |= (uint64_t)(byte & LOW) << shift;
		if ((byte & MORE) != 0)
			continue;
		if (number > max)
			break;
		return number;
	}
	cursor_fail(cursor);
	return 0;
}

struct slice cursor_bytes(struct byte_cursor *cursor, uint64_t size)
{
	const unsigned char *at = cursor->at;

	if (size > cursor_left(cursor)) {
		cursor_fail(cursor);
		return (struct slice){"", 0};
	}
	if (size == 0)
		return (struct slice){"", 0};
	cursor->at += size;
	return (struct slice){at, (size_t)size};
}

struct slice cursor_text(struct byte_cursor *cursor, uint64_t max)
{
	return cursor_bytes(cursor, cursor_number(cursor, max));
}

bool cursor_is_done(const struct byte_cursor *cursor)
{
	return !cursor->is_broken && cursor->at == cursor->end;
}

static void pack_u32(struct buffer *out, uint32_t number)
{
	uint32_t little = htole32(number);

	buffer_append(out, &little, sizeof(little));
}

void pack_u64(struct buffer *out, uint64_t number)
{
	uint64_t little = htole64(number);

	buffer_append(out, &little, sizeof(little));
}

void pack_number(struct buffer *out, uint64_t number)
{
	while (number >= MORE) {
		buffer_append_byte(out, (char)((number & LOW) | MORE));
		number >>= SHIFT;
	}
	buffer_append_byte(out, (char)number);
}

void pack_text(struct buffer *out, struct slice text)
{
	pack_number(out, text.size);
	buffer_append_slice(out, text);
}

enum {
	/* offset of the first byte that the checksum covers */
	CHECKED_FROM = 32,
	CODING_PLAIN = 0,
	CODING_PACKED = 1,
	/*
	 * a section up to this decompressed size may have any compression ratio
	 */
	SMALL_BYTES = LIMIT(1 << 16, 1024),
};

/*
 * A magic number like that of PNG: the first byte is no text character, and the
 * line ends show whether the file was transferred as text.
 */
static const unsigned char magic[8] = {0x8b, 'T',  'P',  'L',
				       '\r', '\n', 0x1a, '\n'};

void section_name(const struct section *section, char *out, size_t size)
{
	static const char *const names[] = {
#define X(kind, value, text) [kind] = (text),
		SECTION_LIST(X)
#undef X
	};

	if (section->kind == 0 ||
	    section->kind >= sizeof(names) / sizeof(*names))
		snprintf(out, size, "section of unknown kind %" PRIu32,
			 section->kind);
	else if (section->number == 0)
		snprintf(out, size, "section %s", names[section->kind]);
	else
		snprintf(out, size, "section %s of %" PRIu32,
			 names[section->kind], section->number);
}

static enum error container_fail(char *reason, enum error error,
				 const char *text)
{
	snprintf(reason, CONTAINER_REASON_BYTES, "bundle: %s", text);
	return error;
}

static enum error fail_section(char *reason, enum error error,
			       const struct section *section, const char *text)
{
	char name[64];

	section_name(section, name, sizeof(name));
	snprintf(reason, CONTAINER_REASON_BYTES, "bundle: %s: %s", name, text);
	return error;
}

static uint32_t read_u32(struct byte_cursor *cursor)
{
	struct slice bytes = cursor_bytes(cursor, sizeof(uint32_t));
	uint32_t number = 0;

	memcpy(&number, bytes.data, bytes.size);
	return le32toh(number);
}

/*
 * Read magic number, version and size; move the cursor to the end of the
 * header.
 */
static enum error container_read_header(struct slice file,
					struct byte_cursor *cursor,
					uint32_t *count_out, char *reason)
{
	uint32_t version;

	*cursor = cursor_of(file);
	if (file.size < CONTAINER_HEADER_BYTES ||
	    memcmp(file.data, magic, sizeof(magic)) != 0)
		return container_fail(
			reason, ERR_CORRUPT,
			"not a bundle; create one with `templatectl export`");
	cursor_bytes(cursor, sizeof(magic));
	version = read_u32(cursor);
	if (version != CONTAINER_VERSION) {
		snprintf(reason, CONTAINER_REASON_BYTES,
			 "bundle: its format has version %" PRIu32
			 ", this program reads version %d; export it again%s",
			 version, CONTAINER_VERSION,
			 version > CONTAINER_VERSION
				 ? ", or use a newer program"
				 : "");
		return ERR_VERSION;
	}
	if (read_u32(cursor) != 0)
		return container_fail(reason, ERR_CORRUPT,
				      "the header is damaged");
	cursor_bytes(cursor, sizeof(struct hash128));
	if (cursor_u64(cursor) != file.size)
		return container_fail(reason, ERR_CORRUPT,
				      "the file is truncated or too long");
	*count_out = read_u32(cursor);
	if (read_u32(cursor) != 0)
		return container_fail(reason, ERR_CORRUPT,
				      "the header is damaged");
	return ERR_NONE;
}

static bool section_is_after(const struct section *section,
			     const struct section *before)
{
	return section->kind != before->kind ? section->kind > before->kind
					     : section->number > before->number;
}

/* Return whether the decompressed size is plausible for the compressed size. */
static bool is_plausible(const struct section *section)
{
	if (section->coding == CODING_PLAIN)
		return section->size == section->bytes.size;
	return section->coding == CODING_PACKED &&
	       (section->size <= SMALL_BYTES ||
		section->size / CONTAINER_MAX_RATIO <= section->bytes.size);
}

/*
 * Read the table row of a section, and the bytes of the section from the front
 * of `body`.
 */
static bool container_read_row(struct byte_cursor *rows,
			       struct byte_cursor *body,
			       struct section *section)
{
	uint64_t packed;

	section->kind = read_u32(rows);
	section->number = read_u32(rows);
	section->coding = read_u32(rows);
	if (read_u32(rows) != 0)
		return false;
	packed = cursor_u64(rows);
	section->size = cursor_u64(rows);
	section->checksum = cursor_u64(rows);
	section->bytes = cursor_bytes(body, packed);
	return !body->is_broken;
}

static enum error read_table(struct byte_cursor rows,
			     struct container *container, uint64_t max_bytes,
			     char *reason)
{
	struct byte_cursor body = rows;

	cursor_bytes(&body, (uint64_t)container->count * CONTAINER_ROW_BYTES);
	for (uint32_t i = 0; i < container->count; i++) {
		struct section *section = &container->sections[i];

		if (!container_read_row(&rows, &body, section))
			return container_fail(
				reason, ERR_CORRUPT,
				"the table of sections is damaged");
		if (i > 0 && !section_is_after(section, section - 1))
			return fail_section(reason, ERR_CORRUPT, section,
					    "its position is wrong");
		if (!is_plausible(section))
			return fail_section(reason, ERR_CORRUPT, section,
					    "its size is invalid");
		if (section->size > max_bytes - container->size)
			return fail_section(
				reason, ERR_TOO_LARGE, section,
				"it exceeds the limit when decompressed");
		container->size += section->size;
	}
	return cursor_is_done(&body)
		       ? ERR_NONE
		       : container_fail(reason, ERR_CORRUPT,
					"data follows the last section");
}

/*
 * Compare the checksum of the file, which covers everything. If it is wrong,
 * the checksums of the sections show where the damage is.
 */
static enum error check_sums(struct slice file,
			     const struct container *container, char *reason)
{
	const char *bytes = file.data;
	struct hash128 sum =
		hash128(bytes + CHECKED_FROM, file.size - CHECKED_FROM);
	bool is_right = memcmp(sum.bytes, bytes + CHECKED_FROM - sizeof(sum),
			       sizeof(sum)) == 0;

	for (uint32_t i = 0; i < container->count; i++) {
		const struct section *section = &container->sections[i];

		if (hash64(section->bytes.data, section->bytes.size, 0) !=
		    section->checksum)
			return fail_section(reason, ERR_CORRUPT, section,
					    "checksum does not match");
	}
	return is_right ? ERR_NONE
			: container_fail(
				  reason, ERR_CORRUPT,
				  "table of sections: checksum does not match");
}

enum error container_read(struct slice file, uint64_t max_bytes,
			  struct container *container_out, char *reason)
{
	struct container container = {0};
	struct byte_cursor cursor;
	enum error error =
		container_read_header(file, &cursor, &container.count, reason);

	*container_out = (struct container){0};
	if (error != ERR_NONE)
		return error;
	if (container.count > cursor_left(&cursor) / CONTAINER_ROW_BYTES)
		return container_fail(reason, ERR_CORRUPT,
				      "the table of sections is damaged");
	container.sections =
		mem_alloc(container.count + 1U, sizeof(*container.sections));
	error = read_table(cursor, &container, max_bytes, reason);
	if (error == ERR_NONE)
		error = check_sums(file, &container, reason);
	if (error == ERR_NONE)
		*container_out = container;
	else
		free(container.sections);
	return error;
}

enum error container_unpack(const struct section *section, struct buffer *out)
{
	size_t before = out->size;
	enum error error;

	if (section->coding == CODING_PLAIN) {
		buffer_append_slice(out, section->bytes);
		return ERR_NONE;
	}
	error = decompress_slice(section->bytes, (size_t)section->size, out);
	return error == ERR_NONE && out->size - before == section->size
		       ? ERR_NONE
		       : ERR_CORRUPT;
}

static void container_append_row(struct buffer *table,
				 const struct section *section)
{
	assert(section->coding == CODING_PLAIN ||
	       section->coding == CODING_PACKED);
	pack_u32(table, section->kind);
	pack_u32(table, section->number);
	pack_u32(table, section->coding);
	pack_u32(table, 0);
	pack_u64(table, section->bytes.size);
	pack_u64(table, section->size);
	pack_u64(table, section->checksum);
}

void container_add(struct container_writer *writer, enum section_kind kind,
		   uint32_t number, struct slice bytes)
{
	struct section section = {
		.kind = kind,
		.number = number,
		.coding = CODING_PACKED,
		.size = bytes.size,
	};
	size_t before = writer->body.size;

	compress_well(bytes, &writer->body);
	section.bytes = (struct slice){writer->body.data + before,
				       writer->body.size - before};
	if (section.bytes.size >= bytes.size || !is_plausible(&section)) {
		writer->body.size = before;
		buffer_append_slice(&writer->body, bytes);
		section.coding = CODING_PLAIN;
		section.bytes =
			(struct slice){writer->body.data + before, bytes.size};
	}
	section.checksum = hash64(section.bytes.data, section.bytes.size, 0);
	container_append_row(&writer->table, &section);
	writer->count++;
}

void container_free(struct container_writer *writer)
{
	buffer_free(&writer->table);
	buffer_free(&writer->body);
	*writer = (struct container_writer){0};
}

void container_end(struct container_writer *writer, struct buffer *out)
{
	static const char zeros[sizeof(struct hash128)];
	size_t size =
		CONTAINER_HEADER_BYTES + writer->table.size + writer->body.size;
	size_t begin = out->size;
	struct hash128 sum;
	char *file;

	assert(writer->table.size ==
	       (size_t)writer->count * CONTAINER_ROW_BYTES);
	buffer_reserve(out, size);
	buffer_append(out, magic, sizeof(magic));
	pack_u32(out, CONTAINER_VERSION);
	pack_u32(out, 0);
	buffer_append(out, zeros, sizeof(zeros));
	pack_u64(out, size);
	pack_u32(out, writer->count);
	pack_u32(out, 0);
	buffer_append_slice(out, buffer_slice(&writer->table));
	buffer_append_slice(out, buffer_slice(&writer->body));
	assert(out->size - begin == size);
	file = out->data + begin;
	sum = hash128(file + CHECKED_FROM, size - CHECKED_FROM);
	memcpy(file + CHECKED_FROM - sizeof(sum), sum.bytes, sizeof(sum));
	container_free(writer);
}
