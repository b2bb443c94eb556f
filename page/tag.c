#include "page/tag.h"

#include <assert.h>
#include <endian.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/utf8.h"

/*
 * page/tag_slots.py generates a perfect hash function. The first eight bytes of
 * a name are a number, whose lowest byte is the first. It is multiplied by
 * tag_multiplier. The highest TAG_SLOT_BITS of the product are the index in
 * tag_slots, which contains the tag + 1; 0 = no tag.
 */
#include "page/tag_slots.h"

enum { MAX_NAME = 64 }; /* bytes of an unknown name that count */

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

/*
 * Return the number of an unknown name in lower case; assign one if the name is
 * new.
 */
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

#define ROW 16 /* the longest name (foreignobject) has 13 bytes */

/*
 * The names, padded with zeros so that a name can be compared as two numbers.
 */
static const char names[TAG_COUNT][ROW] = {
#define X(name, flags) #name,
	TAG_LIST(X)
#undef X
};

static const uint8_t lengths[TAG_COUNT] = {
#define X(name, flags) sizeof(#name) - 1,
	TAG_LIST(X)
#undef X
};

const uint8_t tag_flag_sets[TAG_COUNT] = {
#define X(name, flags) flags,
	TAG_LIST(X)
#undef X
};

_Static_assert(TAG_COUNT < UINT8_MAX, "tag_slots holds bytes");

/* A name as two numbers, padded with zeros; the first byte is the lowest. */
struct name_words {
	uint64_t first;
	uint64_t second;
};

static uint64_t tag_load_bytes(const char *at, size_t size)
{
	uint64_t word = 0;

	memcpy(&word, at, size);
	return le64toh(word);
}

/*
 * Return the name as two numbers. Its size must be 1 to ROW - 1. No byte after
 * the name is read.
 */
static struct name_words tag_words_of(const char *name, size_t size)
{
	if (size > 8)
		return (struct name_words){tag_load_bytes(name, 8),
					   tag_load_bytes(name + size - 8, 8) >>
						   8 * (ROW - size)};
	if (size == 8)
		return (struct name_words){tag_load_bytes(name, 8), 0};
	if (size >= 4)
		return (struct name_words){
			tag_load_bytes(name, 4) |
				tag_load_bytes(name + size - 4, 4)
					<< 8 * (size - 4),
			0};
	return (struct name_words){
		tag_load_bytes(name, 1) |
			tag_load_bytes(name + size / 2, 1) << 8 * (size / 2) |
			tag_load_bytes(name + size - 1, 1) << 8 * (size - 1),
		0};
}

/* Convert the letters A to Z in eight bytes to lower case. */
static uint64_t lower_word(uint64_t word)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	const uint64_t low = word & (0x7F * ones);
	const uint64_t from_a = low + (0x80 - 'A') * ones;
	const uint64_t above_z = low + (0x7F - 'Z') * ones;
	const uint64_t is_upper = (from_a ^ above_z) & ~word & (0x80 * ones);

	return word | is_upper >> 2;
}

static uint16_t tag_find(struct name_words words)
{
	const uint64_t product = words.first * tag_multiplier;
	const unsigned tag = tag_slots[product >> (64 - TAG_SLOT_BITS)];

	if (tag == 0 || tag_load_bytes(names[tag - 1], 8) != words.first ||
	    tag_load_bytes(names[tag - 1] + 8, 8) != words.second)
		return TAG_COUNT;
	return (uint16_t)(tag - 1);
}

uint16_t tag_from_name(struct slice name)
{
	const char *bytes = name.data;

	if (name.size == 0 || name.size >= ROW || bytes[name.size - 1] == '\0')
		return TAG_COUNT;
	return tag_find(tag_words_of(bytes, name.size));
}

uint16_t tag_from_source(const char *name, size_t size)
{
	struct name_words words;

	if (size == 0 || size >= ROW || name[size - 1] == '\0')
		return TAG_COUNT;
	words = tag_words_of(name, size);
	words.first = lower_word(words.first);
	words.second = lower_word(words.second);
	return tag_find(words);
}

struct slice tag_name(uint16_t tag)
{
	assert(tag < TAG_COUNT);
	return (struct slice){names[tag], lengths[tag]};
}

uint64_t tag_hash(uint16_t tag)
{
	assert(tag < TAG_COUNT);
	return hash64(names[tag], lengths[tag], 0);
}
