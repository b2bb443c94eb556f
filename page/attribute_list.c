#include "page/attribute_list.h"

#include <assert.h>
#include <stdlib.h>

#include "page/attribute.h"
#include "page/entity.h"
#include "store/arena.h"
#include "store/hash.h"
#include "store/memory.h"

void attribute_list_begin(struct attribute_list *list, struct arena *arena,
			  uint32_t max_per_tag, size_t max_count)
{
	uint32_t slots = 16;

	if (max_per_tag > UINT16_MAX)
		max_per_tag = UINT16_MAX;
	while (slots < 2 * max_per_tag)
		slots *= 2;
	assert((slots & (slots - 1)) == 0 && slots >= 2 * max_per_tag);
	*list = (struct attribute_list){
		.arena = arena,
		.max_per_tag = max_per_tag,
		.max_count = max_count,
		.slots = mem_alloc(slots, sizeof(uint32_t)),
		.slot_mask = slots - 1,
	};
}

void attribute_list_end(struct attribute_list *list)
{
	free(list->slots);
	list->slots = NULL;
}

static struct slice fold(struct arena *arena, struct slice name)
{
	const char *bytes = name.data;
	char *folded;
	size_t i = 0;

	while (i < name.size && lower(bytes[i]) == bytes[i])
		i++;
	if (i == name.size)
		return name;
	assert(i < name.size);
	folded = arena_copy(arena, bytes, name.size);
	for (; i < name.size; i++)
		folded[i] = lower(folded[i]);
	return (struct slice){folded, name.size};
}

static struct slice decode(struct arena *arena, struct slice value)
{
	char *decoded;

	if (value.size == 0 || memchr(value.data, '&', value.size) == NULL)
		return value;
	decoded = arena_alloc(arena, entity_room(value.size), 1);
	return (struct slice){decoded, entity_decode(value, true, decoded)};
}

/*
 * Claim a slot for the name; false when an attribute from index `first` on has
 * the name. Slots of earlier tags hold lower indices and count as free.
 */
static bool claim(struct attribute_list *list, uint32_t first,
		  struct slice name)
{
	uint32_t slot =
		(uint32_t)hash64(name.data, name.size, 0) & list->slot_mask;

	assert(first <= list->count && list->slots != NULL);
	while (list->slots[slot] > first) {
		if (slice_equal(list->items[list->slots[slot] - 1].name, name))
			return false;
		slot = (slot + 1) & list->slot_mask;
	}
	assert(slot <= list->slot_mask);
	list->slots[slot] = list->count + 1;
	return true;
}

/* "word : value" in an inline style, whatever its white space and case. */
static bool style_has(struct slice style, const char *rule)
{
	const char *at = style.data;
	const char *end = at + style.size;
	const char *want = rule; /* NULL: not in this declaration */

	for (; at < end; at++) {
		if (is_space(*at))
			continue;
		if (want != NULL && *want != '\0' && lower(*at) == *want) {
			want++;
		} else if (want != NULL && *want == '\0' &&
			   (*at == ';' || *at == '!')) {
			return true;
		} else {
			want = NULL;
		}
		if (*at == ';')
			want = rule;
	}
	return want != NULL && *want == '\0';
}

static unsigned flags_of(const struct attribute *attribute)
{
	switch (attribute->name.size) {
	case 4:
		return text_is(attribute->name, "href") ? TEXT_IS_LINK : 0;
	case 5:
		if (text_is(attribute->name, "style") &&
		    (style_has(attribute->value, "display:none") ||
		     style_has(attribute->value, "visibility:hidden")))
			return TEXT_IS_HIDDEN;
		return 0;
	case 6:
		return text_is(attribute->name, "hidden") ? TEXT_IS_HIDDEN : 0;
	case 11:
		return text_is(attribute->name, "aria-hidden") &&
				       text_is(attribute->value, "true")
			       ? TEXT_IS_HIDDEN
			       : 0;
	default:
		return 0;
	}
}

/* A cursor behind the name of the tag. */
static struct attribute_cursor cursor_of(struct slice tag)
{
	struct attribute_cursor cursor = {.at = tag.data};

	assert(tag.size > 0);
	cursor.end = cursor.at + tag.size;
	cursor.at++;
	while (cursor.at < cursor.end && !is_space(*cursor.at) &&
	       *cursor.at != '/' && *cursor.at != '>')
		cursor.at++;
	return cursor;
}

unsigned attribute_list_add(struct attribute_list *list, struct slice tag)
{
	struct attribute_cursor cursor = cursor_of(tag);
	const uint32_t first = list->count;
	unsigned flags = 0;

	while (attribute_next(&cursor)) {
		struct attribute attribute;

		if (list->count - first == list->max_per_tag ||
		    list->count == list->max_count) {
			list->is_truncated = true;
			break;
		}
		attribute.name = fold(list->arena, cursor.name);
		if (!claim(list, first, attribute.name))
			continue;
		attribute.value = decode(list->arena, cursor.value);
		flags |= flags_of(&attribute);
		list->items = mem_grow(list->items, list->count,
				       &list->capacity, sizeof(attribute));
		assert(list->count < list->max_count);
		assert(list->count - first < list->max_per_tag);
		list->items[list->count++] = attribute;
	}
	return flags;
}
