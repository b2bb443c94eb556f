#include "daemon/ctl/gold.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/order.h"

/* The kind of character that a byte of UTF-8 begins. */
enum gold_kind {
	KIND_BREAK,  /* ends a word */
	KIND_LETTER, /* belongs to a word */
	KIND_WORD,   /* is a word, with its continuation bytes */
};

static enum gold_kind gold_character_kind(const unsigned char *at, size_t size)
{
	unsigned char byte = at[0];

	if (byte < 0x80)
		return ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') ||
				       (byte >= '0' && byte <= '9')
			       ? KIND_LETTER
			       : KIND_BREAK;
	if (byte == 0xC2 || byte == 0xE2 || byte == 0xEF)
		return KIND_BREAK;
	if (byte == 0xE3 && size > 1 && at[1] == 0x80)
		return KIND_BREAK;
	return byte >= 0xE3 && byte <= 0xE9 ? KIND_WORD : KIND_LETTER;
}

/* Return the bytes of the character at `at`. */
static size_t character_bytes(const unsigned char *at, size_t size)
{
	size_t i = 1;

	while (i < size && (at[i] & 0xC0) == 0x80)
		i++;
	return i;
}

static unsigned char gold_lower(unsigned char byte)
{
	return byte >= 'A' && byte <= 'Z' ? (unsigned char)(byte | 0x20) : byte;
}

/* A word of more bytes is hashed in parts. */
enum { PART = 64 };

static uint64_t gold_hash_word(const unsigned char *word, size_t size)
{
	unsigned char part[PART];
	uint64_t hash = size;

	for (size_t at = 0; at < size; at += PART) {
		size_t length = size - at < PART ? size - at : PART;

		for (size_t i = 0; i < length; i++)
			part[i] = gold_lower(word[at + i]);
		hash = hash64(part, length, hash);
	}
	return hash;
}

/* Return the number of bytes before the first character of another kind. */
static size_t run_bytes(const unsigned char *text, size_t size,
			enum gold_kind kind)
{
	size_t at = 0;

	while (at < size && gold_character_kind(text + at, size - at) == kind)
		at += character_bytes(text + at, size - at);
	return at;
}

bool gold_text_next_word(struct slice *rest, uint64_t *word_out)
{
	const unsigned char *text = rest->data;
	size_t begin = run_bytes(text, rest->size, KIND_BREAK);
	size_t left = rest->size - begin;
	size_t length;

	if (left == 0)
		return false;
	text += begin;
	length = gold_character_kind(text, left) == KIND_WORD
			 ? character_bytes(text, left)
			 : run_bytes(text, left, KIND_LETTER);
	*word_out = gold_hash_word(text, length);
	*rest = (struct slice){text + length, left - length};
	return true;
}

struct gold_text gold_text_create(struct arena *arena, struct slice text)
{
	struct slice rest = text;
	struct gold_text gold = {0};
	size_t count = 0;
	uint64_t word;

	while (gold_text_next_word(&rest, &word))
		count++;
	gold.words = ARENA_NEW(arena, uint64_t, count);
	gold.left = ARENA_NEW(arena, uint32_t, count);
	count = 0;
	for (rest = text; gold_text_next_word(&rest, &word);)
		gold.words[count++] = word;
	qsort(gold.words, count, sizeof(*gold.words), order_u64);
	for (size_t i = 0; i < count; i++) {
		if (gold.count == 0 ||
		    gold.words[gold.count - 1] != gold.words[i])
			gold.words[gold.count++] = gold.words[i];
		gold.left[gold.count - 1]++;
	}
	return gold;
}

bool gold_text_remove(struct gold_text *gold, uint64_t word)
{
	const uint64_t *found = bsearch(&word, gold->words, gold->count,
					sizeof(*gold->words), order_u64);

	if (found == NULL || gold->left[found - gold->words] == 0)
		return false;
	gold->left[found - gold->words]--;
	return true;
}
