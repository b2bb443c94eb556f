#include "page/tag_numbers.h"

#include <assert.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "base/hash.h"
#include "base/utf8.h"

enum { MAX_NAME = 64 }; /* bytes of an unknown name that are compared */

static uint16_t tag_number_add(struct tag_numbers *numbers, struct slice name)
{
	const uint32_t index = numbers->count++;

	if (numbers->names == NULL)
		numbers->names = ARENA_ROOM(numbers->arena, struct slice,
					    MAX_UNKNOWN_TAGS);
	assert(index < MAX_UNKNOWN_TAGS);
	numbers->names[index] = (struct slice){
		arena_copy(numbers->arena, name.data, name.size), name.size};
	return (uint16_t)(TAG_COUNT + index);
}

/* Return the number of a name in lower case; add the name if it is new. */
static uint16_t tag_number_intern(struct tag_numbers *numbers,
				  struct slice name)
{
	size_t slot = hash64(name.data, name.size, 0) % TAG_NUMBER_SLOTS;

	assert(numbers->count <= MAX_UNKNOWN_TAGS);
	for (; numbers->slots[slot] != 0;
	     slot = (slot + 1) % TAG_NUMBER_SLOTS) {
		uint16_t index = (uint16_t)(numbers->slots[slot] - 1);

		assert(index < numbers->count);
		if (slice_equal(numbers->names[index], name))
			return (uint16_t)(TAG_COUNT + index);
	}
	if (numbers->count == MAX_UNKNOWN_TAGS)
		return TAG_COUNT + MAX_UNKNOWN_TAGS - 1;
	if (numbers->count == MAX_UNKNOWN_TAGS - 1)
		return tag_number_add(numbers, slice_of("x-other"));
	numbers->slots[slot] = (uint16_t)(numbers->count + 1);
	return tag_number_add(numbers, name);
}

uint16_t tag_number_of_unknown(struct tag_numbers *numbers, struct slice name)
{
	const char *bytes = name.data;
	const size_t size = utf8_truncate(name, MAX_NAME).size;
	char folded[MAX_NAME] = {0};

	assert(size <= MAX_NAME);
	for (size_t i = 0; i < size; i++)
		folded[i] = lower(bytes[i]);
	return tag_number_intern(numbers, (struct slice){folded, size});
}
