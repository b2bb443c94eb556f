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

static void put_number(struct buffer *out, uint32_t number)
{
	while (number >= MORE) {
		buffer_append_byte(out, (char)((number & LOW) | MORE));
		number >>= SHIFT;
	}
	buffer_append_byte(out, (char)number);
}

static void put_head(const struct record *record, struct buffer *out)
{
	put_number(out, RECORD_VERSION);
	put_number(out, record->flags);
	put_number(out, record->text_count);
	put_number(out, record->node_count);
	for (int i = 0; i < RECORD_SIGNATURES; i++)
		put_number(out, record->signature_counts[i]);
	put_number(out, record->fragment_count);
	put_number(out, record->link_count);
	put_number(out, (uint32_t)record->title.size);
	put_number(out, (uint32_t)record->language.size);
	put_number(out, (uint32_t)record->description.size);
	buffer_append(out, &record->content_hash, sizeof(uint64_t));
}

static void put_fragments(const struct record *record, struct buffer *out)
{
	const struct record_fragment *fragments = record->fragments;

	for (uint32_t i = 0; i < record->fragment_count; i++)
		buffer_append(out, &fragments[i].hash, sizeof(uint64_t));
	for (uint32_t i = 0; i < record->fragment_count; i++)
		put_number(out, fragments[i].length);
	for (uint32_t i = 0; i < record->fragment_count; i++)
		put_number(out, fragments[i].flags);
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
		put_number(out, link.flags);
		buffer_append(out, &link.path, sizeof(link.path));
	}
	return true;
}

bool record_slim(struct slice bytes, struct buffer *out)
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
struct rest {
	const char *at;
	size_t size;
	bool is_damaged;
};

static const char *take(struct rest *rest, size_t size)
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

static uint32_t take_number(struct rest *rest)
{
	uint64_t number = 0;

	for (unsigned shift = 0; shift <= MAX_SHIFT; shift += SHIFT) {
		const char *byte = take(rest, 1);

		if (byte == NULL)
			return 0;
		number |= (uint64_t)((unsigned char)*byte & LOW) << shift;
		if (((unsigned char)*byte & MORE) == 0 && number <= UINT32_MAX)
			return (uint32_t)number;
	}
	take(rest, SIZE_MAX); /* damaged: empty the rest */
	return 0;
}

static uint64_t take_hash(struct rest *rest)
{
	const char *bytes = take(rest, sizeof(uint64_t));
	uint64_t hash = 0;

	if (bytes != NULL)
		memcpy(&hash, bytes, sizeof(hash));
	return hash;
}

/* Read a count of items that have at least `least_bytes` bytes each. */
static uint32_t take_count(struct rest *rest, size_t least_bytes)
{
	uint32_t count = take_number(rest);

	if (count <= rest->size / least_bytes)
		return count;
	take(rest, SIZE_MAX); /* damaged: empty the rest */
	return 0;
}

static struct slice take_text(struct rest *rest, size_t size)
{
	const char *text = take(rest, size);

	return text == NULL ? (struct slice){NULL, 0}
			    : (struct slice){text, size};
}

static struct slice take_string(struct rest *rest)
{
	const char *end =
		rest->size == 0 ? NULL : memchr(rest->at, '\0', rest->size);
	struct slice string;

	if (end == NULL) {
		take(rest, SIZE_MAX); /* damaged: empty the rest */
		return (struct slice){NULL, 0};
	}
	string = (struct slice){rest->at, (size_t)(end - rest->at)};
	take(rest, string.size + 1);
	return string;
}

static void take_signatures(struct rest *rest, struct arena *arena,
			    struct record *record)
{
	for (int i = 0; i < RECORD_SIGNATURES; i++) {
		size_t size = record->signature_counts[i] * sizeof(uint64_t);
		const char *from = take(rest, size);
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

static void take_fragments(struct rest *rest, struct arena *arena,
			   struct record *record)
{
	uint32_t count = record->fragment_count;
	struct record_fragment *fragments =
		ARENA_NEW(arena, struct record_fragment, count);

	for (uint32_t i = 0; i < count; i++)
		fragments[i].hash = take_hash(rest);
	for (uint32_t i = 0; i < count; i++)
		fragments[i].length = take_number(rest);
	for (uint32_t i = 0; i < count; i++)
		fragments[i].flags = take_number(rest);
	record->fragments = fragments;
}

static struct record_link *take_links(struct rest *rest, struct arena *arena,
				      uint32_t count)
{
	struct record_link *links = ARENA_NEW(arena, struct record_link, count);

	for (uint32_t i = 0; i < count; i++) {
		links[i].url = take_string(rest);
		links[i].anchor = take_string(rest);
		links[i].flags = take_number(rest);
		links[i].path = take_hash(rest);
	}
	return links;
}

/*
 * Read all of `rest`; the parts of the record are in the arena and in `rest`.
 */
static struct record_link *take_record(struct rest *rest, struct arena *arena,
				       struct record *record)
{
	uint32_t title;
	uint32_t language;
	uint32_t description;

	record->flags = take_number(rest);
	record->text_count = take_number(rest);
	record->node_count = take_number(rest);
	for (int i = 0; i < RECORD_SIGNATURES; i++)
		record->signature_counts[i] =
			take_count(rest, sizeof(uint64_t));
	record->fragment_count = take_count(rest, LEAST_FRAGMENT_BYTES);
	record->link_count = take_count(rest, LEAST_LINK_BYTES);
	title = take_count(rest, 1);
	language = take_count(rest, 1);
	description = take_count(rest, 1);
	record->content_hash = take_hash(rest);
	take_signatures(rest, arena, record);
	take_fragments(rest, arena, record);
	record->title = take_text(rest, title);
	record->language = take_text(rest, language);
	record->description = take_text(rest, description);
	return take_links(rest, arena, record->link_count);
}

enum error record_unslim(struct slice slim, size_t max_bytes,
			 struct buffer *out)
{
	struct rest rest = {slim.data, slim.size, false};
	struct arena *arena;
	struct record record = {0};
	struct record_link *links;
	struct buffer bytes = {0};
	enum error error = ERR_NONE;

	if (take_number(&rest) != RECORD_VERSION)
		return rest.is_damaged ? ERR_CORRUPT : ERR_VERSION;
	arena = arena_create();
	links = take_record(&rest, arena, &record);
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
