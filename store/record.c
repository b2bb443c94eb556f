#include "store/record.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "store/rows.h"

/*
 * The layout of a record: the header; the signatures; the fragments; the links;
 * the strings (title, language and description, then the strings of the links,
 * then the outline); and zeros up to a multiple of 8. The size of each part
 * follows from the counts in the header. Each part begins at a multiple of 8.
 */
struct record_header {
	uint32_t magic;
	uint32_t version;
	uint64_t size; /* size of the whole record in bytes */
	uint64_t content_hash;
	uint32_t flags;
	uint32_t text_count;
	uint32_t node_count;
	uint32_t signature_counts[RECORD_SIGNATURES];
	uint32_t fragment_count;
	uint32_t link_count;
	uint32_t title_length;
	uint32_t language_length;
	uint32_t description_length;
	uint32_t string_bytes;
};

struct stored_link {
	uint32_t url; /* offset of the URL in the strings */
	uint32_t url_length;
	uint32_t anchor;
	uint32_t anchor_length;
	uint32_t flags;
	uint32_t reserved; /* always 0 */
	uint64_t path;
};

_Static_assert(sizeof(struct record_header) % 8 == 0, "parts are aligned");
_Static_assert(sizeof(struct record_fragment) % 8 == 0, "parts are aligned");
_Static_assert(sizeof(struct stored_link) % 8 == 0, "parts are aligned");
_Static_assert(sizeof(struct record_header) == 24 + 14 * 4, "no padding");

static const uint32_t magic = 0x74726563; /* "trec" */

/*
 * Return the size of the record. The counts have 32 bits, so these sums of 64
 * bits cannot overflow.
 */
static uint64_t record_size_of(const struct record_header *header)
{
	uint64_t size = sizeof(*header);

	for (int i = 0; i < RECORD_SIGNATURES; i++)
		size += header->signature_counts[i] * (uint64_t)8;
	size += header->fragment_count *
		(uint64_t)sizeof(struct record_fragment);
	size += header->link_count * (uint64_t)sizeof(struct stored_link);
	size += header->string_bytes;
	return (size + 7) / 8 * 8;
}

/*
 * Reserve room for a string after the first *used bytes of the strings. Return
 * its offset, and advance *used.
 */
static uint32_t record_place_string(uint64_t *used, struct slice string)
{
	uint64_t at = *used;

	*used += string.size;
	assert(*used <= UINT32_MAX); /* pages have much lower limits */
	return (uint32_t)at;
}

static struct record_header make_header(const struct record *record,
					const struct record_link *links)
{
	struct record_header header = {
		.magic = magic,
		.version = RECORD_VERSION,
		.content_hash = record->content_hash,
		.flags = record->flags,
		.text_count = record->text_count,
		.node_count = record->node_count,
		.fragment_count = record->fragment_count,
		.link_count = record->link_count,
		.title_length = (uint32_t)record->title.size,
		.language_length = (uint32_t)record->language.size,
		.description_length = (uint32_t)record->description.size,
	};
	uint64_t used = 0;

	for (int i = 0; i < RECORD_SIGNATURES; i++)
		header.signature_counts[i] = record->signature_counts[i];
	record_place_string(&used, record->title);
	record_place_string(&used, record->language);
	record_place_string(&used, record->description);
	for (uint32_t i = 0; i < record->link_count; i++) {
		record_place_string(&used, links[i].url);
		record_place_string(&used, links[i].anchor);
	}
	record_place_string(&used, record->outline);
	header.string_bytes = (uint32_t)used;
	header.size = record_size_of(&header);
	return header;
}

static void append_links(const struct record *record,
			 const struct record_link *links, struct buffer *out)
{
	uint64_t used = (uint64_t)record->title.size + record->language.size +
			record->description.size;

	for (uint32_t i = 0; i < record->link_count; i++) {
		struct stored_link link = {
			.url = record_place_string(&used, links[i].url),
			.url_length = (uint32_t)links[i].url.size,
			.anchor = record_place_string(&used, links[i].anchor),
			.anchor_length = (uint32_t)links[i].anchor.size,
			.flags = links[i].flags,
			.path = links[i].path,
		};

		assert((uint64_t)link.anchor + link.anchor_length <= used);
		buffer_append(out, &link, sizeof(link));
	}
}

void record_encode(const struct record *record, const struct record_link *links,
		   struct buffer *out)
{
	static const char zeros[8] = {0};
	struct record_header header = make_header(record, links);
	size_t end = out->size + (size_t)header.size;

	buffer_reserve(out, (size_t)header.size);
	buffer_append(out, &header, sizeof(header));
	for (int i = 0; i < RECORD_SIGNATURES; i++)
		buffer_append(out, record->signatures[i],
			      record->signature_counts[i] * sizeof(uint64_t));
	buffer_append(out, record->fragments,
		      record->fragment_count * sizeof(*record->fragments));
	append_links(record, links, out);
	buffer_append_slice(out, record->title);
	buffer_append_slice(out, record->language);
	buffer_append_slice(out, record->description);
	for (uint32_t i = 0; i < record->link_count; i++) {
		buffer_append_slice(out, links[i].url);
		buffer_append_slice(out, links[i].anchor);
	}
	buffer_append_slice(out, record->outline);
	assert(end >= out->size && end - out->size < sizeof(zeros));
	buffer_append(out, zeros, end - out->size);
}

static bool fragments_ascend(const struct record_fragment *fragments,
			     uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (fragments[i - 1].hash >= fragments[i].hash)
			return false;
	return true;
}

static bool is_within(uint32_t offset, uint32_t length, uint32_t size)
{
	return offset <= size && length <= size - offset;
}

static bool links_fit(const struct stored_link *links,
		      const struct record_header *header)
{
	for (uint32_t i = 0; i < header->link_count; i++)
		if (!is_within(links[i].url, links[i].url_length,
			       header->string_bytes) ||
		    !is_within(links[i].anchor, links[i].anchor_length,
			       header->string_bytes))
			return false;
	return true;
}

/*
 * Return a record whose pointers lead into the buffer. The caller has checked
 * the buffer's size.
 */
static struct record record_view(const struct record_header *header)
{
	struct record record = {
		.content_hash = header->content_hash,
		.flags = header->flags,
		.text_count = header->text_count,
		.node_count = header->node_count,
		.fragment_count = header->fragment_count,
		.link_count = header->link_count,
	};
	const uint64_t *numbers = (const void *)(header + 1);
	const struct stored_link *links;

	for (int i = 0; i < RECORD_SIGNATURES; i++) {
		record.signatures[i] = numbers;
		record.signature_counts[i] = header->signature_counts[i];
		numbers += header->signature_counts[i];
	}
	record.fragments = (const void *)numbers;
	links = (const void *)(record.fragments + record.fragment_count);
	record.links = links;
	record.strings = (const void *)(links + record.link_count);
	return record;
}

static enum error record_check(const struct record *record,
			       const struct record_header *header)
{
	uint64_t texts = (uint64_t)header->title_length +
			 header->language_length + header->description_length;

	for (int i = 0; i < RECORD_SIGNATURES; i++)
		if (!u64_ascend(record->signatures[i],
				record->signature_counts[i]))
			return ERR_CORRUPT;
	if (texts > header->string_bytes ||
	    record_class(record) >= SITE_CLASSES ||
	    !fragments_ascend(record->fragments, record->fragment_count) ||
	    !links_fit(record->links, header))
		return ERR_CORRUPT;
	return ERR_NONE;
}

/* Return the outline: the strings after those of the last link. */
static struct slice record_outline(const struct record *record,
				   const struct record_header *header)
{
	const struct stored_link *links = record->links;
	uint32_t begin = header->title_length + header->language_length +
			 header->description_length;

	for (uint32_t i = 0; i < record->link_count; i++) {
		if (links[i].url + links[i].url_length > begin)
			begin = links[i].url + links[i].url_length;
		if (links[i].anchor + links[i].anchor_length > begin)
			begin = links[i].anchor + links[i].anchor_length;
	}
	assert(begin <= header->string_bytes);
	return (struct slice){record->strings + begin,
			      header->string_bytes - begin};
}

enum error record_open(struct slice buffer, struct record *record_out)
{
	const struct record_header *header = buffer.data;
	struct record record;
	enum error error;

	if (buffer.size < sizeof(*header))
		return ERR_CORRUPT;
	assert((uintptr_t)buffer.data % alignof(struct record_header) == 0);
	if (header->magic != magic)
		return ERR_CORRUPT;
	if (header->version != RECORD_VERSION)
		return ERR_VERSION;
	if (header->size != buffer.size ||
	    header->size != record_size_of(header))
		return ERR_CORRUPT;
	record = record_view(header);
	error = record_check(&record, header);
	if (error != ERR_NONE)
		return error;
	record.title = (struct slice){record.strings, header->title_length};
	record.language = (struct slice){record.strings + header->title_length,
					 header->language_length};
	record.description = (struct slice){(const char *)record.language.data +
						    header->language_length,
					    header->description_length};
	record.outline = record_outline(&record, header);
	*record_out = record;
	return ERR_NONE;
}

struct record_link record_link_at(const struct record *record, uint32_t index)
{
	const struct stored_link *link = record->links;

	assert(index < record->link_count);
	link += index;
	return (struct record_link){
		.url = {record->strings + link->url, link->url_length},
		.anchor = {record->strings + link->anchor, link->anchor_length},
		.flags = link->flags,
		.path = link->path,
	};
}

static bool is_same_signature(const struct record *left,
			      const struct record *right, int measure)
{
	uint32_t count = left->signature_counts[measure];

	return count == 0 || right->signature_counts[measure] == 0 ||
	       (right->signature_counts[measure] == count &&
		memcmp(left->signatures[measure], right->signatures[measure],
		       count * sizeof(uint64_t)) == 0);
}

static bool is_same_link(const struct record *left, const struct record *right,
			 uint32_t index)
{
	struct record_link a = record_link_at(left, index);
	struct record_link b = record_link_at(right, index);

	return a.flags == b.flags && a.path == b.path &&
	       slice_equal(a.url, b.url) && slice_equal(a.anchor, b.anchor);
}

bool record_is_same(const struct record *left, const struct record *right)
{
	uint32_t fragments = left->fragment_count;
	bool is_same = left->content_hash == right->content_hash &&
		       ((left->flags ^ right->flags) &
			~(UINT32_C(0xFF) << RECORD_KIND_SHIFT)) == 0 &&
		       left->text_count == right->text_count &&
		       left->node_count == right->node_count &&
		       slice_equal(left->title, right->title) &&
		       slice_equal(left->language, right->language) &&
		       slice_equal(left->description, right->description) &&
		       fragments == right->fragment_count &&
		       left->link_count == right->link_count &&
		       (fragments == 0 ||
			memcmp(left->fragments, right->fragments,
			       fragments * sizeof(*left->fragments)) == 0);

	if (left->outline.size > 0 && right->outline.size > 0)
		is_same = is_same && slice_equal(left->outline, right->outline);
	for (int i = 0; i < RECORD_SIGNATURES && is_same; i++)
		is_same = is_same_signature(left, right, i);
	for (uint32_t i = 0; i < left->link_count && is_same; i++)
		is_same = is_same_link(left, right, i);
	return is_same;
}

/*
 * The packed form of a record. Numbers are LEB128: seven bits per byte, the
 * lowest first, with the top bit set if another byte follows. The parts are:
 * RECORD_VERSION; the numbers of the record and its counts; the hash of the
 * content (8 bytes); the signatures and the hashes of the fragments
 * (host-endian); the lengths and the flags of the fragments; title, language
 * and description; for the links their URLs and anchors, each ending with a
 * NUL, their flags and their paths; and the size of the outline and the
 * outline, if it is not empty.
 */
enum { MORE = 0x80, LOW = 0x7f, SHIFT = 7, MAX_SHIFT = 28 };

/*
 * The minimum sizes of a link (two NULs, flags and a path) and of a fragment.
 */
enum { LEAST_LINK_BYTES = 11, LEAST_FRAGMENT_BYTES = 10 };

static void put_head(const struct record *record, struct buffer *out)
{
	buffer_append_varint(out, RECORD_VERSION);
	buffer_append_varint(out, record->flags);
	buffer_append_varint(out, record->text_count);
	buffer_append_varint(out, record->node_count);
	for (int i = 0; i < RECORD_SIGNATURES; i++)
		buffer_append_varint(out, record->signature_counts[i]);
	buffer_append_varint(out, record->fragment_count);
	buffer_append_varint(out, record->link_count);
	buffer_append_varint(out, record->title.size);
	buffer_append_varint(out, record->language.size);
	buffer_append_varint(out, record->description.size);
	buffer_append(out, &record->content_hash, sizeof(uint64_t));
}

static void put_fragments(const struct record *record, struct buffer *out)
{
	const struct record_fragment *fragments = record->fragments;

	for (uint32_t i = 0; i < record->fragment_count; i++)
		buffer_append(out, &fragments[i].hash, sizeof(uint64_t));
	for (uint32_t i = 0; i < record->fragment_count; i++)
		buffer_append_varint(out, fragments[i].length);
	for (uint32_t i = 0; i < record->fragment_count; i++)
		buffer_append_varint(out, fragments[i].flags);
}

/* Append the string and a NUL. Return false if the string contains a NUL. */
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
		buffer_append_varint(out, link.flags);
		buffer_append(out, &link.path, sizeof(link.path));
	}
	return true;
}

static void put_outline(const struct record *record, struct buffer *out)
{
	if (record->outline.size == 0)
		return;
	buffer_append_varint(out, record->outline.size);
	buffer_append_slice(out, record->outline);
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
	if (put_links(&record, out)) {
		put_outline(&record, out);
		return true;
	}
	out->size = before;
	return false;
}

/*
 * The bytes that were not read yet. They are empty after a read past the end.
 */
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
	/* the data is damaged: let all further reads fail */
	packed_read_bytes(rest, SIZE_MAX);
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

/*
 * Read a count of items. An item has at least `least_bytes` bytes, so a count
 * that is too high is damaged.
 */
static uint32_t packed_read_count(struct packed_reader *rest,
				  size_t least_bytes)
{
	uint32_t count = packed_read_varint(rest);

	if (count <= rest->size / least_bytes)
		return count;
	/* the data is damaged: let all further reads fail */
	packed_read_bytes(rest, SIZE_MAX);
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
		/* the data is damaged: let all further reads fail */
		packed_read_bytes(rest, SIZE_MAX);
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
 * Read all of `rest` into *record, and return the links. The parts of the
 * record are in the arena and in `rest`.
 */
static struct record_link *packed_read_record(struct packed_reader *rest,
					      struct arena *arena,
					      struct record *record)
{
	uint32_t title;
	uint32_t language;
	uint32_t description;
	struct record_link *links;

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
	links = packed_read_links(rest, arena, record->link_count);
	if (rest->size > 0) {
		record->outline =
			packed_read_text(rest, packed_read_count(rest, 1));
		rest->is_damaged |= record->outline.size == 0;
	}
	return links;
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
