#include "extract/render/excerpt.h"

#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "extract/text/word.h"
#include "page/page.h"

enum { MIN_WORDS = 10 };

static const char ellipsis[] = "\xE2\x80\xA6";

static struct slice content_block_text(const struct content_blocks *blocks,
				       size_t index)
{
	const struct content_block *block = &blocks->items[index];

	return (struct slice){blocks->text + block->begin, block->length};
}

static struct slice choose_excerpt(const struct content_blocks *blocks)
{
	struct slice longest = {"", 0};

	for (size_t i = 0; i < blocks->count; i++) {
		struct slice text = content_block_text(blocks, i);

		if (blocks->items[i].kind == CONTENT_PARAGRAPH &&
		    word_count(text) >= MIN_WORDS)
			return text;
		if (text.size > longest.size)
			longest = text;
	}
	return longest;
}

/* Return the size in bytes of the first MAX_EXCERPT characters. */
static size_t excerpt_bytes(const char *bytes, size_t size)
{
	size_t characters = 0;
	size_t end = 0;

	for (; end < size; end++)
		if (((unsigned char)bytes[end] & 0xC0) != 0x80 &&
		    characters++ == MAX_EXCERPT)
			break;
	return end;
}

struct slice excerpt_make(struct arena *arena,
			  const struct content_blocks *blocks)
{
	struct slice chosen = choose_excerpt(blocks);
	char *out = arena_alloc(arena, chosen.size + sizeof(ellipsis) + 1, 1);
	size_t size = text_collapse(chosen, out);
	size_t end = excerpt_bytes(out, size);

	if (end < size) {
		size_t space = end;

		while (space > end / 2 && out[space] != ' ')
			space--;
		if (out[space] == ' ')
			end = space;
		memcpy(out + end, ellipsis, sizeof(ellipsis) - 1);
		end += sizeof(ellipsis) - 1;
	}
	return (struct slice){out, end};
}
