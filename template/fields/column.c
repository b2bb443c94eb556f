#include "template/fields/column.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "crawl/url/url.h"
#include "page/page.h"
#include "page/selector.h"
#include "template/fields/loose_place.h"
#include "template/fields/stated.h"

enum {
	MAX_VALUE_TEXTS = 64,       /* texts of an element with a value */
	MAX_SEPARATOR_VALUES = 200, /* values that are looked at */
	MAX_SEPARATOR_BYTES = 400,  /* longer values have no parts */
	MAX_WORDS = 100,            /* words of such a value */
	/* what a hostile site can make the reader keep: */
	MAX_VALUES = LIMIT(400000, 300),          /* of all columns */
	MAX_TEXT_BYTES = LIMIT(16 << 20, 8000),   /* of their texts */
	MAX_READ_BYTES = LIMIT(256 << 20, 20000), /* of all texts, which the
						       elements around them
						       have, too */
};

const char *const value_attributes[VALUE_ATTRIBUTES] = {
	"href",  "src",      "alt",        "title",      "content",
	"value", "datetime", "data-price", "data-value", "data-src"};

/* Addresses are read as absolute URLs. */
static const char *const address_attributes[] = {"href", "src", "data-src"};

struct reader {
	struct arena *arena;
	const struct place_tree *tree;
	struct hash_table keys; /* its entries are struct key_entry */
	/* [places]: read only the columns in `keys`, which are at these
	   places; NULL: read all */
	const bool *is_wanted;
	bool is_stated_wanted;   /* read what pages state for machines */
	struct hash_table texts; /* struct text_entry */
	size_t text_bytes;       /* of the texts that are kept, */
	size_t read_bytes;       /* and of all that were read */
	/* The largest count, text_bytes and read_bytes at the end of the page.
	 */
	size_t count_limit;
	size_t text_limit;
	size_t read_limit;
	uint32_t cut_node;    /* see struct page_columns */
	struct value *values; /* in the order of reading */
	uint32_t *columns;    /* of each value */
	size_t count;
	size_t capacity;
	size_t column_capacity;
	struct buffer text;
	struct url base; /* of the page; empty: its URL is unknown */
};

struct key_entry {
	uint64_t key;
	struct column_source source;
	uint32_t count;
	uint32_t last_page; /* + 1 */
	uint32_t on_page;   /* values on the last page */
};

/* A text that is kept once. */
struct text_entry {
	uint64_t key;
	const void *data;
	size_t size;
};

/*
 * Return a copy of a text in the arena of the columns, the same for equal
 * texts; {NULL, 0} if the page has no more room.
 */
static struct slice reader_keep(struct reader *reader, uint64_t hash,
				struct slice text)
{
	struct text_entry *entry = hash_table_find(&reader->texts, hash);
	struct slice copy;

	if (entry != NULL && entry->size == text.size &&
	    memcmp(entry->data, text.data, text.size) == 0)
		return (struct slice){entry->data, entry->size};
	if (reader->text_bytes + text.size > reader->text_limit)
		return (struct slice){0};
	reader->text_bytes += text.size;
	copy = arena_slice(reader->arena, text);
	if (entry == NULL) {
		entry = hash_table_add(&reader->texts, hash);
		entry->data = copy.data;
		entry->size = copy.size;
	}
	return copy;
}

/* Note that a value of records is left out. */
static void reader_cut(struct reader *reader, uint32_t node)
{
	if (reader->cut_node > node)
		reader->cut_node = node;
}

/* Return the key of the whole column with all values of a page. */
static uint64_t source_key(const struct place_tree *tree,
			   const struct column_source *source)
{
	return hash_chain(source->attribute == NULL
				  ? source->is_series
				  : hash64(source->attribute,
					   strlen(source->attribute),
					   source->is_series),
			  place_at(tree, source->place)->key);
}

static void reader_add_one(struct reader *reader, struct column_source source,
			   struct value value)
{
	uint64_t key = source_key(reader->tree, &source);
	struct key_entry *entry = hash_table_find(&reader->keys, key);

	if (entry == NULL) {
		if (reader->keys.count >= MAX_COLUMNS ||
		    reader->is_wanted != NULL)
			return;
		entry = hash_table_add(&reader->keys, key);
		if (hash_table_index(&reader->keys, entry) == NO_ENTRY)
			return;
		entry->source = source;
		if (source.attribute != NULL && is_stated(source.attribute))
			entry->source.attribute =
				arena_copy(reader->arena, source.attribute,
					   strlen(source.attribute));
	}
	if (entry->last_page != value.page + 1)
		entry->on_page = 0;
	entry->last_page = value.page + 1;
	if (entry->on_page++ >= (entry->source.is_member ? MAX_MEMBER_VALUES
							 : MAX_PAGE_VALUES) ||
	    reader->count >= reader->count_limit) {
		value.text.size = 0;
	} else {
		value.hash = hash64(value.text.data, value.text.size, 0);
		value.text = reader_keep(reader, value.hash, value.text);
	}
	if (value.text.size == 0) {
		if (entry->source.is_member)
			reader_cut(reader, value.node);
		return;
	}
	entry->count++;
	reader->values = mem_grow(reader->values, reader->count,
				  &reader->capacity, sizeof(*reader->values));
	reader->columns =
		mem_grow(reader->columns, reader->count,
			 &reader->column_capacity, sizeof(*reader->columns));
	reader->values[reader->count] = value;
	reader->columns[reader->count++] =
		hash_table_index(&reader->keys, entry);
}

/* Add a value to its column, and to the one of all its siblings. */
static void reader_add(struct reader *reader, struct column_source source,
		       struct value value)
{
	const struct place *place = place_at(reader->tree, source.place);

	reader_add_one(reader, source, value);
	if (place->positions == 0 || place->is_run)
		return;
	source.place = place->first;
	source.is_series = true;
	reader_add_one(reader, source, value);
}

/* Return the name in value_attributes, or NULL. */
static const char *value_attribute(struct slice name)
{
	for (size_t i = 0; i < VALUE_ATTRIBUTES; i++)
		if (slice_equal(name, slice_of(value_attributes[i])))
			return value_attributes[i];
	return NULL;
}

/* Return the URL that the addresses of a page are relative to, or no text. */
static struct url base_of(const struct page *page)
{
	struct url url;

	if (page->url.size > 0 && url_parse(&url, page->url, NULL) == ERR_NONE)
		return url_base(&url, page->base);
	return (struct url){0};
}

/*
 * Make an address absolute. One that is no web address stays as it is, and a
 * place on the same page, which is the same on all pages.
 */
static void address_resolve(const struct url *base, struct buffer *text)
{
	struct slice address = buffer_slice(text);
	struct slice fragment = {0};
	const char *hash = memchr(address.data, '#', address.size);
	struct buffer absolute = {0};
	struct url url;

	if (base->text[0] == '\0' || hash == address.data)
		return;
	if (hash != NULL) {
		size_t size = (size_t)(hash - (const char *)address.data);

		fragment = (struct slice){hash, address.size - size};
		address.size = size;
	}
	if (url_parse(&url, address, base) != ERR_NONE)
		return;
	buffer_append_text(&absolute, url.text);
	buffer_append_slice(&absolute, fragment);
	if (absolute.size <= MAX_VALUE_BYTES) {
		buffer_clear(text);
		buffer_append_slice(text, buffer_slice(&absolute));
	}
	buffer_free(&absolute);
}

static bool is_address_attribute(const char *attribute)
{
	for (size_t i = 0; i < sizeof(address_attributes) / sizeof(char *); i++)
		if (strcmp(attribute, address_attributes[i]) == 0)
			return true;
	return false;
}

void attribute_resolve(const struct page *page, const char *attribute,
		       struct buffer *text)
{
	struct url base;

	if (!is_address_attribute(attribute))
		return;
	base = base_of(page);
	address_resolve(&base, text);
}

static void read_attributes(struct reader *reader, const struct page *page,
			    uint32_t place, struct value value)
{
	const struct node *element = &page->nodes[value.node];

	for (uint32_t i = 0; i < element->attribute_count; i++) {
		const struct attribute *attribute =
			&page->attributes[element->first_attribute + i];

		struct column_source source = {
			.place = place,
			.attribute = value_attribute(attribute->name)};

		if (source.attribute == NULL ||
		    attribute->value.size > MAX_VALUE_BYTES)
			continue;
		if (reader->read_bytes > reader->read_limit) {
			reader_cut(reader, value.node);
			continue;
		}
		reader->read_bytes += attribute->value.size;
		buffer_clear(&reader->text);
		buffer_append_slice(&reader->text, attribute->value);
		reader->text.size = text_collapse(buffer_slice(&reader->text),
						  reader->text.data);
		if (reader->text.size > 0 &&
		    is_address_attribute(source.attribute))
			address_resolve(&reader->base, &reader->text);
		value.text = buffer_slice(&reader->text);
		if (value.text.size > 0)
			reader_add(reader, source, value);
	}
}

static void read_node(struct reader *reader, const struct page *page,
		      uint32_t place, struct value value)
{
	const struct node *element = &page->nodes[value.node];
	uint32_t texts = element->end_text - element->first_text;

	read_attributes(reader, page, place, value);
	if (texts == 0 || texts > MAX_VALUE_TEXTS)
		return;
	if (reader->read_bytes > reader->read_limit) {
		reader_cut(reader, value.node);
		return;
	}
	buffer_clear(&reader->text);
	element_text(page, value.node, MAX_VALUE_BYTES, &reader->text);
	reader->read_bytes += reader->text.size;
	value.text = buffer_slice(&reader->text);
	if (value.text.size > 0 && value.text.size < MAX_VALUE_BYTES)
		reader_add(reader, (struct column_source){.place = place},
			   value);
}

/* Read the run that begins with the text. */
static void read_run(struct reader *reader, const struct page *page,
		     const struct placement *placement, uint32_t begin,
		     struct value value)
{
	const struct column_source source = {.place =
						     placement->of_text[begin]};

	buffer_clear(&reader->text);
	for (uint32_t i = begin; i < placement->run_end[begin]; i++) {
		struct slice text = page_text(page, i);

		if (reader->text.size + text.size > MAX_VALUE_BYTES)
			return;
		buffer_append_slice(&reader->text, text);
	}
	reader->text.size =
		text_collapse(buffer_slice(&reader->text), reader->text.data);
	value.text = buffer_slice(&reader->text);
	if (value.text.size > 0)
		reader_add(reader, source, value);
}

/* Read what the page states for machines. */
static void read_stated(struct reader *reader, const struct page *page,
			uint32_t number, struct arena *scratch)
{
	const struct stated_value *values;
	uint32_t count = stated_values(scratch, page, &values);

	for (uint32_t i = 0; i < count; i++) {
		if (reader->read_bytes > reader->read_limit)
			return;
		reader->read_bytes += values[i].text.size;
		reader_add_one(
			reader,
			(struct column_source){.attribute = values[i].path},
			(struct value){.page = number, .text = values[i].text});
	}
}

/* Return whether columns of the place are read. */
static bool is_read(const struct reader *reader, uint32_t place)
{
	return place != NO_PLACE &&
	       (reader->is_wanted == NULL || reader->is_wanted[place]);
}

/* Read the elements of a page that have loose places. */
static void read_loose(struct reader *reader, const struct placement *placement,
		       uint32_t number, struct arena *arena)
{
	struct loose_finder finder =
		loose_finder_make(reader->tree, placement, arena);

	for (uint32_t node = 0; node < placement->page->node_count; node++) {
		uint32_t places[ROOM_FOR_LOOSE];
		uint32_t count = loose_finder_next(&finder, node, places);

		for (uint32_t i = 0; i < count; i++)
			if (is_read(reader, places[i]))
				read_node(reader, placement->page, places[i],
					  (struct value){.page = number,
							 .node = node});
	}
	loose_finder_free(&finder);
}

/*
 * Read a page; `left` pages are left, including this one. Return where its
 * elements are, in `arena`.
 */
static struct placement read_page(struct reader *reader,
				  const struct page *page, uint32_t number,
				  uint32_t left, struct arena *arena)
{
	struct placement placement = place_page(reader->tree, page, arena);

	reader->base = base_of(page);
	reader->count_limit = share_of(reader->count, MAX_VALUES, left);
	reader->text_limit = share_of(reader->text_bytes, MAX_TEXT_BYTES, left);
	reader->read_limit = share_of(reader->read_bytes, MAX_READ_BYTES, left);
	for (uint32_t node = 1; node < page->node_count; node++)
		if (is_read(reader, placement.of_node[node]))
			read_node(reader, page, placement.of_node[node],
				  (struct value){.page = number, .node = node});
	if (reader->tree->loose_count > 0)
		read_loose(reader, &placement, number, arena);
	for (uint32_t i = 0; i < page->text_count; i++)
		if (is_read(reader, placement.of_text[i]))
			read_run(reader, page, &placement, i,
				 (struct value){.page = number,
						.node = page->texts[i].node});
	if (reader->is_stated_wanted && !page->is_truncated)
		read_stated(reader, page, number, arena);
	return placement;
}

/* Sums of a column */

static void column_sum(struct column *column, struct arena *scratch)
{
	uint64_t *hashes = ARENA_ROOM(scratch, uint64_t, column->count + 1);
	uint32_t run = 0;

	column->signature = 0;
	column->pages = 0;
	column->single = 0;
	for (uint32_t i = 0; i < column->count; i++) {
		const struct value *value = &column->values[i];
		bool is_first = i == 0 || value[-1].page != value->page;
		bool is_last =
			i + 1 == column->count || value[1].page != value->page;

		hashes[i] = value->hash;
		column->pages += is_first;
		column->single += is_first && is_last;
		column->signature = hash_chain(value->hash,
					       column->signature + value->page);
	}
	hash_sort(scratch, hashes, column->count);
	column->distinct = 0;
	column->common = 0;
	for (uint32_t i = 0; i < column->count; i++) {
		run = i > 0 && hashes[i] == hashes[i - 1] ? run + 1 : 1;
		column->distinct += run == 1;
		if (run > column->common)
			column->common = run;
	}
}

const struct value *column_values(const struct column *column, uint32_t page,
				  uint32_t *count_out)
{
	size_t begin;
	size_t end;

	LOWER_BOUND(begin, column->count, column->values[begin].page < page);
	LOWER_BOUND(end, column->count, column->values[end].page <= page);
	*count_out = (uint32_t)(end - begin);
	return column->count == 0 ? NULL : column->values + begin;
}

/* Parts of texts */

/* Return the size of the blank, sign or word at `at`. */
static size_t word_size(const unsigned char *at, const unsigned char *end)
{
	const unsigned char *begin = at;
	const unsigned char *next = at;

	while (at < end && is_word_code(utf8_next(&next, end)))
		at = next;
	return at == begin ? (size_t)(next - begin) : (size_t)(at - begin);
}

static bool is_number(struct slice word)
{
	const char *bytes = word.data;

	for (size_t i = 0; i < word.size; i++)
		if (bytes[i] < '0' || bytes[i] > '9')
			return false;
	return true;
}

/* Return the offset of a word in a text from `from` on; SIZE_MAX: missing. */
static size_t find_word(struct slice text, size_t from, struct slice word)
{
	const unsigned char *bytes = text.data;
	size_t at = from;

	while (at < text.size) {
		size_t size = word_size(bytes + at, bytes + text.size);

		if (size == word.size &&
		    memcmp(bytes + at, word.data, size) == 0)
			return at;
		at += size;
	}
	return SIZE_MAX;
}

struct word_count {
	uint64_t key;
	struct slice word;
	uint32_t values;
	uint32_t last;    /* number of the last value + 1 */
	uint64_t offsets; /* sum of its first offsets */
};

static void count_words(struct hash_table *words, struct slice text,
			uint32_t number)
{
	const unsigned char *bytes = text.data;
	size_t at = 0;

	for (size_t n = 0; at < text.size && n < MAX_WORDS; n++) {
		size_t size = word_size(bytes + at, bytes + text.size);
		struct word_count *one;

		if (size == 1 && bytes[at] == ' ') {
			at++;
			continue;
		}
		one = hash_table_add(words, hash64(bytes + at, size, 0));
		if (one->last != number + 1) {
			one->word = (struct slice){bytes + at, size};
			one->values++;
			one->offsets += at;
			one->last = number + 1;
		}
		at += size;
	}
}

static int order_frequent(const void *left, const void *right)
{
	const struct word_count *a = left;
	const struct word_count *b = right;

	if (a->values != b->values)
		return a->values > b->values ? -1 : 1;
	return (a->key > b->key) - (a->key < b->key);
}

static int order_words(const void *left, const void *right)
{
	const struct word_count *a = left;
	const struct word_count *b = right;
	uint64_t x = a->offsets * b->values;
	uint64_t y = b->offsets * a->values;

	return (x > y) - (x < y);
}

/* Return in how many values the words follow each other. */
static uint32_t count_in_order(const struct column *column, uint32_t count,
			       const struct slice *words, uint32_t word_count)
{
	uint32_t right = 0;

	for (uint32_t i = 0; i < count; i++) {
		size_t at = 0;

		for (uint32_t w = 0; w < word_count && at != SIZE_MAX; w++) {
			at = find_word(column->values[i].text, at, words[w]);
			if (at != SIZE_MAX)
				at += words[w].size;
		}
		right += at != SIZE_MAX;
	}
	return right;
}

void column_separate(struct column *column, uint32_t percent,
		     struct arena *arena)
{
	struct arena *scratch = arena_create();
	struct hash_table words =
		hash_table_make(scratch, sizeof(struct word_count));
	struct slice *found = ARENA_NEW(arena, struct slice, MAX_SEPARATORS);
	uint32_t count = column->count < MAX_SEPARATOR_VALUES
				 ? column->count
				 : MAX_SEPARATOR_VALUES;
	uint32_t least = (count * percent + 99) / 100;
	struct word_count *sorted;
	uint32_t sorted_count = 0;

	column->source.separator_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (column->values[i].text.size > MAX_SEPARATOR_BYTES)
			continue;
		count_words(&words, column->values[i].text, i);
	}
	sorted = ARENA_NEW(scratch, struct word_count, words.count + 1);
	for (uint32_t i = 0; i < words.count; i++) {
		const struct word_count *one = hash_table_entry(&words, i);

		if (one->values >= least && !is_number(one->word))
			sorted[sorted_count++] = *one;
	}
	qsort(sorted, sorted_count, sizeof(*sorted), order_frequent);
	if (sorted_count > MAX_SEPARATORS)
		sorted_count = MAX_SEPARATORS;
	qsort(sorted, sorted_count, sizeof(*sorted), order_words);
	for (uint32_t i = 0; i < sorted_count; i++) {
		uint8_t n = column->source.separator_count;

		found[n] = sorted[i].word;
		if (percent < SEPARATOR_SHARE ||
		    count_in_order(column, count, found, n + 1u) >= least)
			column->source.separator_count++;
	}
	column->source.separators = found;
	arena_destroy(scratch);
}

static struct slice trimmed(const char *begin, const char *end)
{
	while (begin < end && *begin == ' ')
		begin++;
	while (end > begin && end[-1] == ' ')
		end--;
	return (struct slice){begin, (size_t)(end - begin)};
}

struct slice source_part(const struct column_source *source, struct slice text)
{
	const char *bytes = text.data;
	size_t begin = 0;
	size_t end = text.size;
	size_t at = 0;

	if (source->from == 0 && source->to == 0)
		return text;
	for (uint8_t i = 0; i < source->to && i < source->separator_count;
	     i++) {
		size_t found = find_word(text, at, source->separators[i]);

		if (found == SIZE_MAX) {
			if (i + 1 == source->from)
				return (struct slice){0};
			continue;
		}
		at = found + source->separators[i].size;
		if (i + 1 == source->from)
			begin = at;
		if (i + 1 == source->to)
			end = found;
	}
	if (source->to > source->separator_count)
		end = text.size;
	return trimmed(bytes + begin, bytes + end);
}

bool is_picked(const struct column *column, uint32_t index, enum pick pick)
{
	const struct value *values = column->values;
	uint32_t page = values[index].page;
	bool is_first = index == 0 || values[index - 1].page != page;

	switch (pick) {
	case PICK_FIRST:
		return is_first;
	case PICK_SECOND:
		return !is_first &&
		       (index == 1 || values[index - 2].page != page);
	case PICK_LAST:
		return index + 1 == column->count ||
		       values[index + 1].page != page;
	default:
		return true;
	}
}

struct column column_pick(struct arena *arena, const struct column *all,
			  enum pick pick)
{
	struct value *values = ARENA_ROOM(arena, struct value, all->count + 1u);
	struct arena *scratch = arena_create();
	struct column picked = *all;

	picked.source.pick = pick;
	picked.key = hash_chain((uint64_t)pick << 16, all->key);
	picked.values = values;
	picked.count = 0;
	for (uint32_t i = 0; i < all->count; i++)
		if (is_picked(all, i, pick))
			values[picked.count++] = all->values[i];
	column_sum(&picked, scratch);
	arena_destroy(scratch);
	return picked;
}

struct column column_part(struct arena *arena, const struct column *whole,
			  uint8_t from, uint8_t to)
{
	struct value *values =
		ARENA_ROOM(arena, struct value, whole->count + 1u);
	struct arena *scratch = arena_create();
	struct column part = *whole;

	part.source.from = from;
	part.source.to = to;
	part.key = hash_chain((uint64_t)from << 8 | to, whole->key);
	part.values = values;
	part.count = 0;
	for (uint32_t i = 0; i < whole->count; i++) {
		struct value value = whole->values[i];

		value.text = source_part(&part.source, value.text);
		if (value.text.size == 0)
			continue;
		value.hash = hash64(value.text.data, value.text.size, 0);
		values[part.count++] = value;
	}
	column_sum(&part, scratch);
	arena_destroy(scratch);
	return part;
}

struct column column_read_again(struct arena *arena, const struct column *all,
				const struct column_source *source)
{
	struct column column = source->pick == PICK_ALL
				       ? *all
				       : column_pick(arena, all, source->pick);
	struct slice *separators =
		ARENA_NEW(arena, struct slice, MAX_SEPARATORS);

	for (uint8_t i = 0; i < source->separator_count; i++)
		separators[i] = source->separators[i];
	column.source.separators = separators;
	column.source.separator_count = source->separator_count;
	return source->to == 0
		       ? column
		       : column_part(arena, &column, source->from, source->to);
}

/* Sort the values by column; within a column they are by page already. */
static void sort_values(struct reader *reader, struct column_table *table)
{
	struct value *sorted =
		ARENA_NEW(reader->arena, struct value, reader->count + 1);
	uint32_t *next = mem_alloc(table->count + 1, sizeof(*next));
	uint32_t begin = 0;

	for (uint32_t i = 0; i < table->count; i++) {
		const struct key_entry *entry =
			hash_table_entry(&reader->keys, i);

		next[i] = begin;
		table->columns[i] = (struct column){
			.key = entry->key,
			.source = entry->source,
			.values = sorted + begin,
			.count = entry->count,
		};
		begin += entry->count;
	}
	for (size_t i = 0; i < reader->count; i++)
		sorted[next[reader->columns[i]]++] = reader->values[i];
	free(next);
}

struct column_table columns_read(struct arena *arena,
				 const struct place_tree *tree,
				 const struct page *const *pages,
				 uint32_t count)
{
	struct arena *scratch = arena_create();
	struct reader reader = {
		.arena = arena,
		.tree = tree,
		.is_stated_wanted = true,
		.keys = hash_table_make(scratch, sizeof(struct key_entry)),
		.texts = hash_table_make(scratch, sizeof(struct text_entry)),
	};
	struct column_table table = {
		.arena = arena, .tree = tree, .page_count = count};

	for (uint32_t i = 0; i < count; i++) {
		struct arena *own = arena_create();

		read_page(&reader, pages[i], i, count - i, own);
		arena_destroy(own);
	}
	table.count = reader.keys.count;
	table.columns = ARENA_NEW(arena, struct column, table.count + 1);
	sort_values(&reader, &table);
	for (uint32_t i = 0; i < table.count; i++) {
		column_sum(&table.columns[i], scratch);
		if (table.columns[i].distinct > 1)
			column_separate(&table.columns[i], SEPARATOR_SHARE,
					arena);
	}
	free(reader.values);
	free(reader.columns);
	buffer_free(&reader.text);
	arena_destroy(scratch);
	return table;
}

/* Mark the places of the sources, and of a series all its positions. */
static void want_places(const struct place_tree *tree,
			const struct column_source *sources, uint32_t count,
			bool *is_wanted_out)
{
	bool *is_series = mem_alloc(tree->places.count + 1u, sizeof(bool));

	for (uint32_t i = 0; i < count; i++) {
		is_wanted_out[sources[i].place] = true;
		is_series[sources[i].place] |= sources[i].is_series;
	}
	for (uint32_t i = 0; i < tree->places.count; i++)
		is_wanted_out[i] |= place_at(tree, i)->positions > 0 &&
				    is_series[place_at(tree, i)->first];
	free(is_series);
}

struct page_columns columns_read_some(struct arena *arena,
				      const struct place_tree *tree,
				      const struct page *page,
				      const struct column_source *sources,
				      uint32_t count)
{
	struct arena *scratch = arena_create();
	bool *is_wanted = ARENA_NEW(scratch, bool, tree->places.count + 1u);
	struct column *columns = ARENA_NEW(arena, struct column, count + 1u);
	struct reader reader = {
		.arena = arena,
		.tree = tree,
		.keys = hash_table_make(scratch, sizeof(struct key_entry)),
		.texts = hash_table_make(scratch, sizeof(struct text_entry)),
		.is_wanted = is_wanted,
		.cut_node = UINT32_MAX,
	};
	struct page_columns result = {.columns = columns};
	struct column_table table = {.arena = arena, .tree = tree};

	for (uint32_t i = 0; i < count; i++) {
		struct key_entry *entry = hash_table_add(
			&reader.keys, source_key(tree, &sources[i]));

		if (!entry->source.is_member)
			entry->source = sources[i];
		reader.is_stated_wanted |= is_stated(sources[i].attribute);
	}
	want_places(tree, sources, count, is_wanted);
	result.placement = read_page(&reader, page, 0, 1, arena);
	result.cut_node = reader.cut_node;
	table.count = reader.keys.count;
	table.columns = ARENA_NEW(scratch, struct column, table.count + 1u);
	sort_values(&reader, &table);
	for (uint32_t i = 0; i < count; i++) {
		const struct key_entry *entry = hash_table_find(
			&reader.keys, source_key(tree, &sources[i]));

		if (entry != NULL) /* else its key collides with others */
			columns[i] = table.columns[hash_table_index(
				&reader.keys, entry)];
		columns[i].source = sources[i];
	}
	free(reader.values);
	free(reader.columns);
	buffer_free(&reader.text);
	arena_destroy(scratch);
	return result;
}
