#include "template/fields/element_name.h"

#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "page/page.h"

enum {
	/* words of an attribute, with those that are no names */
	MAX_WORDS = LIMIT(32, 6),
	MAX_CACHE_BYTES = LIMIT(4 << 20, 400),
};

/* Return whether a part of the name only says where the element stands. */
static bool is_position_part(const char *part, size_t size)
{
	static const char *const names[] = {
		"first",   "last",     "odd",  "even",      "active",
		"current", "selected", "open", "alternate", "alt"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == size &&
		    memcmp(names[i], part, size) == 0)
			return true;
	return false;
}

static bool is_position_name(const char *name, size_t size)
{
	size_t begin = 0;

	for (size_t i = 0; i <= size; i++) {
		if (i < size && name[i] != '-' && name[i] != '_')
			continue;
		if (is_position_part(name + begin, i - begin))
			return true;
		begin = i + 1;
	}
	return false;
}

/*
 * Return the size of a normalised name without its number: an id from its first
 * number on, and a class with two numbers, such as tdi_74_6a, are hardly the
 * same on the next page.
 */
static size_t name_cut(char sign, const char *name, size_t size)
{
	const char *first = memchr(name, '0', size);
	size_t begin = first == NULL ? size : (size_t)(first - name);

	if (begin == size ||
	    (sign != '#' && memchr(first + 1, '0', size - begin - 1) == NULL))
		return size;
	return begin;
}

static size_t names_add(struct element_name *names, size_t count, char sign,
			struct slice name)
{
	struct element_name *one = &names[count];

	if (count == MAX_ELEMENT_NAMES)
		return count;
	one->text[0] = sign;
	one->size =
		(uint16_t)(1 + name_cut(sign, one->text + 1,
					class_normalise(name, one->text + 1)));
	if (one->size == 1 ||
	    is_position_name(one->text + 1, (size_t)one->size - 1))
		return count;
	one->hash = hash64(one->text, one->size, 0);
	for (size_t i = 0; i < count; i++)
		if (names[i].hash == one->hash)
			return count;
	return count + 1;
}

static size_t names_add_words(struct element_name *names, size_t count,
			      char sign, struct slice words)
{
	struct slice name;

	for (size_t n = 0; n < MAX_WORDS && class_name_next(&words, &name); n++)
		count = names_add(names, count, sign, name);
	return count;
}

/* Attributes whose values are names, and the signs of these. */
static const struct name_attribute {
	const char *name;
	size_t size;
	char sign;
	bool is_list;
} name_attributes[] = {
	{"class", 5, '.', true},         {"id", 2, '#', false},
	{"itemprop", 8, '@', true},      {"property", 8, '@', false},
	{"name", 4, '@', false},         {"rel", 3, '~', true},
	{"data-testid", 11, '@', false},
};

/* Return what the attribute of the element tells, or NULL. */
static const struct name_attribute *
name_attribute_of(const struct node *element, struct slice attribute)
{
	for (size_t i = 0;
	     i < sizeof(name_attributes) / sizeof(*name_attributes); i++) {
		const struct name_attribute *one = &name_attributes[i];

		if (attribute.size != one->size ||
		    memcmp(attribute.data, one->name, one->size) != 0)
			continue;
		return strcmp(one->name, "name") != 0 ||
				       element->tag == TAG_meta ||
				       element->tag == TAG_input ||
				       element->tag == TAG_select
			       ? one
			       : NULL;
	}
	return NULL;
}

size_t element_names(const struct page *page, uint32_t node,
		     struct element_name names_out[MAX_ELEMENT_NAMES])
{
	const struct node *element = &page->nodes[node];
	size_t count = 0;

	if (element->tag == TAG_html || element->tag == TAG_body)
		return 0;
	for (uint32_t i = 0; i < element->attribute_count; i++) {
		const struct attribute *attribute =
			&page->attributes[element->first_attribute + i];
		const struct name_attribute *one =
			name_attribute_of(element, attribute->name);

		if (one == NULL)
			continue;
		count = one->is_list
				? names_add_words(names_out, count, one->sign,
						  attribute->value)
				: names_add(names_out, count, one->sign,
					    attribute->value);
	}
	return count;
}

struct name_cache name_cache_make(void)
{
	struct arena *arena = arena_create();

	return (struct name_cache){
		.arena = arena,
		.sets = hash_table_make(arena, sizeof(struct name_set))};
}

void name_cache_free(struct name_cache *cache)
{
	arena_destroy(cache->arena);
	*cache = (struct name_cache){0};
}

void name_cache_trim(struct name_cache *cache)
{
	if (arena_bytes(cache->arena) <= MAX_CACHE_BYTES)
		return;
	name_cache_free(cache);
	*cache = name_cache_make();
}

/* Return a hash of the attributes that are names; 0 if there are none. */
static uint64_t attributes_key(const struct page *page, uint32_t node)
{
	const struct node *element = &page->nodes[node];
	uint64_t key = 0;

	if (element->tag == TAG_html || element->tag == TAG_body)
		return 0;
	for (uint32_t i = 0; i < element->attribute_count; i++) {
		const struct attribute *attribute =
			&page->attributes[element->first_attribute + i];
		const struct name_attribute *one =
			name_attribute_of(element, attribute->name);

		if (one != NULL)
			key = hash64(attribute->value.data,
				     attribute->value.size,
				     key + (uint64_t)one->sign + one->size);
	}
	return key;
}

struct name_set names_of(struct name_cache *cache, const struct page *page,
			 uint32_t node)
{
	struct element_name names[MAX_ELEMENT_NAMES];
	uint64_t key = attributes_key(page, node);
	struct name_set *set;
	uint64_t *hashes;

	if (key == 0)
		return (struct name_set){0};
	set = hash_table_find(&cache->sets, key);
	if (set != NULL)
		return *set;
	set = hash_table_add(&cache->sets, key);
	set->count = (uint32_t)element_names(page, node, names);
	hashes = ARENA_ROOM(cache->arena, uint64_t, set->count + 1u);
	for (uint32_t i = 0; i < set->count; i++) {
		hashes[i] = names[i].hash;
		set->ids |= (uint32_t)(names[i].text[0] == '#') << i;
	}
	set->names = hashes;
	return *set;
}

bool is_no_item(const struct page *page, uint32_t node)
{
	const struct node *element = &page->nodes[node];

	switch (element->tag) {
	case TAG_script:
	case TAG_style:
	case TAG_noscript:
	case TAG_template:
	case TAG_svg:
	case TAG_br:
	case TAG_hr:
	case TAG_wbr:
	case TAG_link:
	case TAG_base:
	case TAG_option:
	case TAG_source:
		return true;
	default:
		return (element->flags & NODE_IS_SVG) != 0;
	}
}
