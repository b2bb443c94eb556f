#include "extract/text/term.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "base/hash.h"
#include "extract/text/word.h"
#include "page/page.h"

static bool is_ascii(char byte)
{
	return (unsigned char)byte < 0x80;
}

static struct slice without_marks(struct slice word)
{
	const char *text = word.data;
	size_t begin = 0;
	size_t end = word.size;

	while (begin < end && is_ascii(text[begin]) &&
	       !is_alphanumeric(text[begin]))
		begin++;
	while (end > begin && is_ascii(text[end - 1]) &&
	       !is_alphanumeric(text[end - 1]))
		end--;
	assert(begin <= end);
	return (struct slice){text + begin, end - begin};
}

/*
 * Return the next piece of a run in a script without spaces: a non-ASCII
 * character, or a run of ASCII letters and digits.
 */
static struct slice next_piece(const char *text, size_t size)
{
	size_t length = 1;

	assert(size > 0);
	if (is_ascii(*text)) {
		while (length < size && is_alphanumeric(*text) &&
		       is_alphanumeric(text[length]))
			length++;
	} else {
		while (length < size && (text[length] & 0xC0) == 0x80)
			length++;
	}
	return (struct slice){text, length};
}

static uint64_t term_hash(struct slice word)
{
	return hash64(word.data, word.size, 0);
}

/* Write the terms of the text between two spaces; return their number. */
static uint32_t split_run(struct slice run, uint64_t *terms)
{
	const char *text = run.data;
	uint32_t words = word_count(run);
	uint32_t count = 0;

	if (words <= 1) {
		if (words == 1)
			terms[count++] = term_hash(without_marks(run));
		return count;
	}
	for (size_t at = 0; at < run.size;) {
		struct slice piece = next_piece(text + at, run.size - at);

		if (word_count(piece) > 0)
			terms[count++] = term_hash(piece);
		at += piece.size;
	}
	return count;
}

static void lower_all(char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] >= 'A' && text[i] <= 'Z')
			text[i] = (char)(text[i] + ('a' - 'A'));
}

/*
 * In the worst case letters of one byte and of two bytes alternate: two terms
 * in three bytes.
 */
static size_t max_terms(const struct text *text)
{
	return ((size_t)text->length * 2 + 3) / 3;
}

static uint32_t split_text(const char *text, size_t length, uint64_t *terms)
{
	uint32_t count = 0;
	size_t at = 0;

	while (at < length) {
		const char *space = memchr(text + at, ' ', length - at);
		size_t size = space == NULL ? length - at
					    : (size_t)(space - (text + at));

		assert(size <= length - at);
		count += split_run((struct slice){text + at, size},
				   terms + count);
		at += size + 1;
	}
	return count;
}

struct term_list terms_of_page(struct arena *arena, const struct page *page,
			       const bool *is_visible)
{
	uint32_t *begin = ARENA_NEW(arena, uint32_t, page->text_count + 1);
	size_t longest = 0;
	size_t most = 0;
	uint64_t *terms;
	char *scratch;

	for (uint32_t i = 0; i < page->text_count; i++) {
		if (!is_visible[i])
			continue;
		most += max_terms(&page->texts[i]);
		if (page->texts[i].length > longest)
			longest = page->texts[i].length;
	}
	terms = ARENA_NEW(arena, uint64_t, most);
	scratch = ARENA_NEW(arena, char, longest);
	for (uint32_t i = 0; i < page->text_count; i++) {
		size_t length = 0;

		if (is_visible[i])
			length = text_collapse(page_text(page, i), scratch);
		lower_all(scratch, length);
		begin[i + 1] = begin[i] +
			       split_text(scratch, length, terms + begin[i]);
	}
	assert(begin[page->text_count] <= most);
	return (struct term_list){terms, begin};
}
