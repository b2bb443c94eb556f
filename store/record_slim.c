#include "store/record_slim.h"

#include <string.h>

#include "base/arena.h"
#include "store/record.h"

/*
 * Format: numbers are LEB128, seven bits per byte, the lowest first; the top
 * bit means that another byte follows. RECORD_VERSION; the numbers of the
 * record and its counts; the hash of the content (8 bytes); the signatures; the
 * hashes of the fragments (all of these host-endian), their lengths, their
 * flags; title, language and description; for each link URL and anchor, each
 * ending with a NUL, its flags and its path.
 */
enum { MORE = 0x80, LOW = 0x7f, SHIFT = 7, MAX_SHIFT = 28 };

/* Minimum sizes: a link has two NULs, flags and a path. */
enum { LEAST_LINK_BYTES = 11, LEAST_FRAGMENT_BYTES = 10 };

static void packed_put_varint(struct buffer *out, uint32_t number)
{
	while (number >= MORE) {
		buffer_append_byte(out, (char)((number & LOW) | MORE));
		number >>= SHIFT;
	}
	buffer_append_byte(out, (char)number);
}

static void put_head(const struct record *record, struct buffer *out)
{
	packed_put_varint(out, RECORD_VERSION);
	packed_put_varint(out, record->flags);
	packed_put_varint(out, record->text_count);
	packed_put_varint(out, record->node_count);
	for (int i = 0; i < RECORD_SIGNATURES; i++)
		packed_put_varint(out, record->signature_counts[i]);
	packed_put_varint(out, record->fragment_count);
	packed_put_varint(out, record->link_count);
	packed_put_varint(out, (uint32_t)record->title.size);
	packed_put_varint(out, (uint32_t)record->language.size);
	packed_put_varint(out, (uint32_t)record->description.size);
	buffer_append(out, &record->content_hash, sizeof(uint64_t));
}

static void put_fragments(const struct record *record, struct buffer *out)
{
	const struct record_fragment *fragments = record->fragments;

	for (uint32_t i = 0; i < record->fragment_count; i++)
		buffer_append(out, &fragments[i].hash, sizeof(uint64_t));
	for (uint32_t i = 0; i < record->fragment_count; i++)
		packed_put_varint(out, fragments[i].length);
	for (uint32_t i = 0; i < record->fragment_count; i++)
		packed_put_varint(out, fragments[i].flags);
}

/* Return false if the string contains a NUL. */
static bool put_string(struct slice string, struct buffer *out)
{
	buffer_append_slice(out, string);
	buffer_append_byte(out, '\0');
	return string.size == 0 ||
	       memchr(string.data, '\0', string.size) == NULL;
}

static bool put_links(const struct record *record, struct buffer *out)
{
	for (uint32_t i = 0; i < record->link_count; i++) {
		struct record_link link = record_link_at(record, i);

		if (!put_string(link.url, out) || !put_string(link.anchor, out))
			return false;
		packed_put_varint(out, link.flags);
		buffer_append(out, &link.path, sizeof(link.path));
	}
	return true;
}

bool record_pack(struct slice bytes, struct buffer *out)
{
	size_t before = out->size;
	struct record record;

	if (record_open(bytes, &record) != ERR_NONE)
		return false;
	buffer_reserve(out, bytes.size);
	put_head(&record, out);
	for (int i = 0; i < RECORD_SIGNATURES; i++)
		buffer_append(out, record.signatures[i],
			      record.signature_counts[i] * sizeof(uint64_t));
	put_fragments(&record, out);
	buffer_append_slice(out, record.title);
	buffer_append_slice(out, record.language);
	buffer_append_slice(out, record.description);
	if (put_links(&record, out))
		return true;
	out->size = before;
	return false;
}

/* The remaining bytes; empty after a read past the end. */
struct packed_reader {
	const char *at;
	size_t size;
	bool is_damaged;
};

static const char *packed_read_bytes(struct packed_reader *rest, size_t size)
{
	const char *at = rest->at;

	if (size > rest->size) {
		rest->is_damaged = true;
		rest->size = 0;
		return NULL;
	}
	rest->at += size;
	rest->size -= size;
	return at;
}

static uint32_t packed_read_varint(struct packed_reader *rest)
{
	uint64_t number = 0;

	for (unsigned shift = 0; shift <= MAX_SHIFT; shift += SHIFT) {
		const char *byte = packed_read_bytes(rest, 1);

		if (byte == NULL)
			return 0;
		number |= (uint64_t)((unsigned char)*byte & LOW) << shift;
		if (((unsigned char)*byte & MORE) == 0 && number <= UINT32_MAX)
			return (uint32_t)number;
	}
	packed_read_bytes(rest, SIZE_MAX); /* damaged: empty the rest */
	return 0;
}

static uint64_t packed_read_hash(struct packed_reader *rest)
{
	const char *bytes = packed_read_bytes(rest, sizeof(uint64_t));
	uint64_t hash = 0;

	if (bytes != NULL)
		memcpy(&hash, bytes, sizeof(hash));
	return hash;
}

/* Read a count of items that have at least `least_bytes` bytes each. */
static uint32_t packed_read_count(struct packed_reader *rest,
				  size_t least_bytes)
{
	uint32_t count = packed_read_varint(rest);

	if (count <= rest->size / least_bytes)
		return count;
	packed_read_bytes(rest, SIZE_MAX); /* damaged: empty the rest */
	return 0;
}

static struct slice packed_read_text(struct packed_reader *rest, size_t size)
{
	const char *text = packed_read_bytes(rest, size);

	return text == NULL ? (struct slice){NULL, 0}
			    : (struct slice){text, size};
}

static struct slice packed_read_string(struct packed_reader *rest)
{
	const char *end =
		rest->size == 0 ? NULL : memchr(rest->at, '\0', rest->size);
	struct slice string;

	if (end == NULL) {
		packed_read_bytes(rest, SIZE_MAX); /* damaged: empty the rest */
		return (struct slice){NULL, 0};
	}
	string = (struct slice){rest->at, (size_t)(end - rest->at)};
	packed_read_bytes(rest, string.size + 1);
	return string;
}

static void packed_read_signatures(struct packed_reader *rest,
				   struct arena *arena, struct record *record)
{
	for (int i = 0; i < RECORD_SIGNATURES; i++) {
		size_t size = record->signature_counts[i] * sizeof(uint64_t);
		const char *from = packed_read_bytes(rest, size);
		uint64_t *shingles;

		if (from == NULL)
			return;
		shingles =
			ARENA_NEW(arena, uint64_t, record->signature_counts[i]);
		if (size > 0)
			memcpy(shingles, from, size);
		record->signatures[i] = shingles;
	}
}

static void packed_read_fragments(struct packed_reader *rest,
				  struct arena *arena, struct record *record)
{
	uint32_t count = record->fragment_count;
	struct record_fragment *fragments =
		ARENA_NEW(arena, struct record_fragment, count);

	for (uint32_t i = 0; i < count; i++)
		fragments[i].hash = packed_read_hash(rest);
	for (uint32_t i = 0; i < count; i++)
		fragments[i].length = packed_read_varint(rest);
	for (uint32_t i = 0; i < count; i++)
		fragments[i].flags = packed_read_varint(rest);
	record->fragments = fragments;
}

static struct record_link *packed_read_links(struct packed_reader *rest,
					     struct arena *arena,
					     uint32_t count)
{
	struct record_link *links = ARENA_NEW(arena, struct record_link, count);

	for (uint32_t i = 0; i < count; i++) {
		links[i].url = packed_read_string(rest);
		links[i].anchor = packed_read_string(rest);
		links[i].flags = packed_read_varint(rest);
		links[i].path = packed_read_hash(rest);
	}
	return links;
}

/*
 * Read all of `rest`; the parts of the record are in the arena and in `rest`.
 */
static struct record_link *packed_read_record(struct packed_reader *rest,
					      struct arena *arena,
					      struct record *record)
{
	uint32_t title;
	uint32_t language;
	uint32_t description;

	record->flags = packed_read_varint(rest);
	record->text_count = packed_read_varint(rest);
	record->node_count = packed_read_varint(rest);
	for (int i = 0; i < RECORD_SIGNATURES; i++)
		record->signature_counts[i] =
			packed_read_count(rest, sizeof(uint64_t));
	record->fragment_count = packed_read_count(rest, LEAST_FRAGMENT_BYTES);
	record->link_count = packed_read_count(rest, LEAST_LINK_BYTES);
	title = packed_read_count(rest, 1);
	language = packed_read_count(rest, 1);
	description = packed_read_count(rest, 1);
	record->content_hash = packed_read_hash(rest);
	packed_read_signatures(rest, arena, record);
	packed_read_fragments(rest, arena, record);
	record->title = packed_read_text(rest, title);
	record->language = packed_read_text(rest, language);
	record->description = packed_read_text(rest, description);
	return packed_read_links(rest, arena, record->link_count);
}

enum error record_unpack(struct slice slim, size_t max_bytes,
			 struct buffer *out)
{
	struct packed_reader rest = {slim.data, slim.size, false};
	struct arena *arena;
	struct record record = {0};
	struct record_link *links;
	struct buffer bytes = {0};
	enum error error = ERR_NONE;

	if (packed_read_varint(&rest) != RECORD_VERSION)
		return rest.is_damaged ? ERR_CORRUPT : ERR_VERSION;
	arena = arena_create();
	links = packed_read_record(&rest, arena, &record);
	if (rest.is_damaged || rest.size > 0)
		error = ERR_CORRUPT;
	else
		record_encode(&record, links, &bytes);
	if (bytes.size > max_bytes)
		error = ERR_TOO_LARGE;
	if (error == ERR_NONE)
		buffer_append_slice(out, buffer_slice(&bytes));
	buffer_free(&bytes);
	arena_destroy(arena);
	return error;
}
