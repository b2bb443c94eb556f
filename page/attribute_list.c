#include "page/attribute_list.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "page/attribute.h"
#include "page/entity.h"

enum { FEW = 8 };

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

static struct slice attribute_fold_name(struct arena *arena, struct slice name)
{
	const char *bytes = name.data;
	char *folded = arena_room(arena, name.size);

	for (size_t i = 0; i < name.size; i++)
		folded[i] = lower(bytes[i]);
	return (struct slice){folded, name.size};
}

static struct slice attribute_decode_value(const struct attribute_list *list,
					   struct slice value)
{
	char *decoded;

	if (value.size == 0 || (memchr(value.data, '&', value.size) == NULL &&
				(!list->has_returns ||
				 memchr(value.data, '\r', value.size) == NULL)))
		return value;
	decoded = arena_room(list->arena, entity_room(value.size));
	return (struct slice){decoded, entity_decode(value, true, decoded)};
}

/*
 * Claim a slot for the name of attribute `index`. Return false if an attribute
 * from `first` on already has the name. Slots of earlier tags hold lower
 * indices and count as free.
 */
static bool claim_slot(struct attribute_list *list, uint32_t first,
		       uint32_t index, struct slice name)
{
	uint32_t slot =
		(uint32_t)hash64(name.data, name.size, 0) & list->slot_mask;

	assert(first <= index && list->slots != NULL);
	while (list->slots[slot] > first) {
		if (slice_equal(list->items[list->slots[slot] - 1].name, name))
			return false;
		slot = (slot + 1) & list->slot_mask;
	}
	assert(slot <= list->slot_mask);
	list->slots[slot] = index + 1;
	return true;
}

/* Return whether one of the `count` attributes from `first` on has the name. */
static bool attribute_list_has_name(const struct attribute_list *list,
				    uint32_t first, uint32_t count,
				    struct slice name)
{
	for (uint32_t i = first; i < first + count; i++)
		if (slice_equal(list->items[i].name, name))
			return true;
	return false;
}

/*
 * Return whether the tag may have another attribute of this name. Compare a few
 * names directly; find many by their hash.
 */
static bool attribute_list_claim_name(struct attribute_list *list,
				      uint32_t first, struct slice name)
{
	const uint32_t count = list->count - first;

	if (count < FEW)
		return !attribute_list_has_name(list, first, count, name);
	for (uint32_t i = first; count == FEW && i < list->count; i++)
		claim_slot(list, first, i, list->items[i].name);
	return claim_slot(list, first, list->count, name);
}

/*
 * Return whether an inline style contains `rule`, written "word : value" with
 * any white space and case.
 */
static bool style_has(struct slice style, const char *rule)
{
	const char *at = style.data;
	const char *end = at + style.size;
	const char *want = rule; /* NULL: the declaration does not match */

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

static unsigned attribute_flags_of(const struct attribute *attribute)
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

static void attribute_list_append(struct attribute_list *list,
				  struct attribute attribute)
{
	list->items = mem_grow(list->items, list->count, &list->capacity,
			       sizeof(attribute));
	assert(list->count < list->max_count);
	list->items[list->count++] = attribute;
}

unsigned attribute_list_read(struct attribute_list *list,
			     struct attribute_cursor *cursor)
{
	const uint32_t first = list->count;
	unsigned flags = 0;

	while (attribute_next(cursor)) {
		struct attribute attribute;

		if (list->count - first == list->max_per_tag ||
		    list->count == list->max_count) {
			list->is_truncated = true;
			continue;
		}
		attribute.name =
			cursor->is_upper
				? attribute_fold_name(list->arena, cursor->name)
				: cursor->name;
		if (!attribute_list_claim_name(list, first, attribute.name))
			continue;
		attribute.value = attribute_decode_value(list, cursor->value);
		flags |= attribute_flags_of(&attribute);
		assert(list->count - first < list->max_per_tag);
		attribute_list_append(list, attribute);
	}
	return flags;
}

void attribute_list_merge(struct attribute_list *list,
			  struct attribute_range *into,
			  struct attribute_range from)
{
	const struct attribute_range old = *into;

	assert(from.first + from.count == list->count);
	for (uint32_t i = from.first; i < from.first + from.count; i++) {
		const struct attribute attribute = list->items[i];

		if (attribute_list_has_name(list, old.first, old.count,
					    attribute.name) ||
		    into->count == list->max_per_tag ||
		    list->count + old.count >= list->max_count)
			continue;
		if (into->first == old.first) {
			/* the old attributes move to the end of the list */
			into->first = list->count;
			for (uint32_t k = 0; k < old.count; k++)
				attribute_list_append(
					list, list->items[old.first + k]);
		}
		attribute_list_append(list, attribute);
		into->count++;
	}
}

uint64_t attribute_list_hash(const struct attribute_list *list,
			     struct attribute_range range)
{
	uint64_t sum = range.count;

	for (uint32_t i = range.first; i < range.first + range.count; i++) {
		const struct attribute *attribute = &list->items[i];

		sum += hash64(
			attribute->value.data, attribute->value.size,
			hash64(attribute->name.data, attribute->name.size, 0));
	}
	return sum;
}
