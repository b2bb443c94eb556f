#include "extract/text/word.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "extract/text/characters.h"
#include "page/page.h"

bool quantity_is_date(const unsigned char *at, const unsigned char *end)
{
	const unsigned char *behind = at;
	ptrdiff_t length;

	while (behind < end && is_digit(*behind))
		behind++;
	length = behind - at;
	if (length == 4)
		return ((at[0] == '1' && at[1] == '9') ||
			(at[0] == '2' && at[1] == '0')) &&
		       (behind == end ||
			character_class_of_byte[*behind] != CHARACTER_LETTER);
	if (length > 2 || end - behind < 3 || !is_digit(behind[1]) ||
	    !is_digit(behind[2]))
		return false;
	if (*behind == '.')
		return end - behind > 3 && behind[3] == '.';
	return (*behind == ':' || *behind == '/') &&
	       (end - behind == 3 || !is_digit(behind[3]));
}

enum unit quantity_unit(uint32_t code)
{
	switch (code) {
	case 0x5E74: /* Han: year, month, day */
	case 0x6708:
	case 0x65E5:
	case 0xB144: /* Hangul */
	case 0xC6D4:
	case 0xC77C:
		return UNIT_DATE;
	case 0x5143: /* yuan, yen, won */
	case 0x5186:
	case 0xC6D0:
		return UNIT_MONEY;
	default:
		return UNIT_NONE;
	}
}

struct word_range {
	uint32_t first;
	uint32_t last;
	enum word_role role;
};

/*
 * Ranges of characters in ascending order. Characters outside of all ranges are
 * letters.
 */
static const struct word_range ranges[] = {
	{0x80, 0x9F, ROLE_MARK},  /* control characters */
	{0xA0, 0xA0, ROLE_SPACE}, /* no-break space */
	{0xA1, 0xA9, ROLE_MARK},  /* Latin-1, except ordinal signs, */
	{0xAB, 0xB1, ROLE_MARK},  /* small digits and mu */
	{0xB4, 0xB4, ROLE_MARK},
	{0xB6, 0xB8, ROLE_MARK},
	{0xBB, 0xBB, ROLE_MARK},
	{0xBF, 0xBF, ROLE_MARK},
	{0xD7, 0xD7, ROLE_MARK},
	{0xF7, 0xF7, ROLE_MARK},
	{0x0E01, 0x0E30, ROLE_WORD}, /* Thai letters; the ranges of Thai marks
					are between them */
	{0x0E31, 0x0E31, ROLE_MARK},
	{0x0E32, 0x0E33, ROLE_WORD},
	{0x0E34, 0x0E3F, ROLE_MARK},
	{0x0E40, 0x0E46, ROLE_WORD},
	{0x0E47, 0x0E4F, ROLE_MARK},
	{0x0E81, 0x0EB0, ROLE_WORD}, /* Lao */
	{0x0EB1, 0x0EBC, ROLE_MARK},
	{0x0EBD, 0x0EC6, ROLE_WORD},
	{0x0EC8, 0x0ECE, ROLE_MARK},
	{0x1000, 0x102A, ROLE_WORD}, /* Burmese */
	{0x102B, 0x103E, ROLE_MARK},
	{0x1780, 0x17B3, ROLE_WORD}, /* Khmer */
	{0x17B4, 0x17DB, ROLE_MARK},
	{0x2000, 0x200B, ROLE_SPACE}, /* spaces by width */
	{0x200C, 0x206F, ROLE_MARK},  /* general punctuation */
	{0x20A0, 0x20CF, ROLE_MARK},  /* currencies */
	{0x2190, 0x2BFF, ROLE_MARK},  /* arrows, boxes, pictures */
	{0x2E80, 0x2FFF, ROLE_WORD},  /* radicals of Han */
	{0x3000, 0x3000, ROLE_SPACE}, /* ideographic space */
	{0x3001, 0x3004, ROLE_MARK},  /* CJK punctuation */
	{0x3005, 0x3007, ROLE_WORD},  /* iteration, zero */
	{0x3008, 0x3040, ROLE_MARK},  /* brackets */
	{0x3041, 0x30FA, ROLE_WORD},  /* kana */
	{0x30FB, 0x30FB, ROLE_MARK},  /* katakana middle dot */
	{0x30FC, 0x312F, ROLE_WORD},  /* kana, bopomofo */
	{0x3400, 0x9FFF, ROLE_WORD},  /* Han */
	{0xE000, 0xF8FF, ROLE_MARK},  /* private use: icons */
	{0xF900, 0xFAFF, ROLE_WORD},  /* Han, for compatibility */
	{0xFE00, 0xFE6F, ROLE_MARK},  /* variants, small punctuation */
	{0xFEFF, 0xFEFF, ROLE_SPACE}, /* a space for text_collapse(), too */
	{0xFF01, 0xFF0F, ROLE_MARK},  /* full-width ASCII */
	{0xFF1A, 0xFF20, ROLE_MARK},
	{0xFF3B, 0xFF40, ROLE_MARK},
	{0xFF5B, 0xFF65, ROLE_MARK},
	{0xFF66, 0xFF9D, ROLE_WORD},   /* kana in half width */
	{0xFFE0, 0xFFFD, ROLE_MARK},   /* signs, U+FFFD */
	{0x1F000, 0x1FAFF, ROLE_MARK}, /* emoji */
	{0x20000, 0x3FFFF, ROLE_WORD}, /* Han, the rare ones */
	{0xE0000, 0x10FFFF, ROLE_MARK} /* tags, private use */
};

enum word_role word_role(uint32_t code)
{
	size_t at;

	LOWER_BOUND(at, sizeof(ranges) / sizeof(ranges[0]),
		    ranges[at].last < code);
	if (at == sizeof(ranges) / sizeof(ranges[0]) || code < ranges[at].first)
		return ROLE_LETTER;
	return ranges[at].role;
}

static enum word_role role_of_ascii(unsigned char byte)
{
	if (byte == ' ' || (byte >= '\t' && byte <= '\r'))
		return ROLE_SPACE;
	if (is_alphanumeric(byte))
		return ROLE_LETTER;
	return ROLE_MARK;
}

/*
 * Return the role of the character at *at, and advance *at to the next
 * character.
 */
static enum word_role next_role(const unsigned char **at,
				const unsigned char *end)
{
	return **at < 0x80 ? role_of_ascii(*(*at)++)
			   : word_role(utf8_next(at, end));
}

bool word_next(struct slice *text, struct slice *word_out)
{
	const unsigned char *at = text->data;
	const unsigned char *end = at == NULL ? NULL : at + text->size;
	const unsigned char *first = NULL;
	const unsigned char *last = at; /* end of the word's last letter */

	while (at < end) {
		const unsigned char *before = at;
		enum word_role role = next_role(&at, end);

		if (first != NULL &&
		    (role == ROLE_SPACE || role == ROLE_WORD)) {
			at = before;
			break;
		}
		if (role == ROLE_MARK || role == ROLE_SPACE)
			continue;
		if (first == NULL)
			first = before;
		last = at;
		if (role == ROLE_WORD)
			break;
	}
	*text = (struct slice){at, (size_t)(end - at)};
	*word_out = (struct slice){first,
				   first == NULL ? 0 : (size_t)(last - first)};
	return first != NULL;
}

uint32_t word_count(struct slice text)
{
	const unsigned char *at = text.data;
	const unsigned char *end = at == NULL ? NULL : at + text.size;
	bool is_open = false;
	uint32_t count = 0;

	while (at < end) {
		enum word_role role = next_role(&at, end);

		if (role == ROLE_WORD || (role == ROLE_LETTER && !is_open))
			count++;
		if (role != ROLE_MARK)
			is_open = role == ROLE_LETTER;
	}
	return count;
}

bool list_next(const char **list, struct slice *word_out)
{
	const char *end = strchrnul(*list, '|');

	*word_out = (struct slice){*list, (size_t)(end - *list)};
	*list = end + (*end == '|');
	return word_out->size > 0;
}

bool list_has(const char *list, struct slice text)
{
	const char *end = list + strlen(list);
	const char *at = list;

	if (text.size == 0 || memchr(text.data, '|', text.size) != NULL)
		return false;
	while ((at = memmem(at, (size_t)(end - at), text.data, text.size)) !=
	       NULL) {
		const char behind = at[text.size];

		if ((at == list || at[-1] == '|') &&
		    (behind == '|' || behind == '\0'))
			return true;
		at++;
	}
	return false;
}

bool list_has_in_any_case(const char *list, struct slice text)
{
	struct slice word;

	while (list_next(&list, &word))
		if (text.size == word.size &&
		    strncasecmp(text.data, word.data, word.size) == 0)
			return true;
	return false;
}

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
 * Return the first piece of a text in a script without spaces: a non-ASCII
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
		while (length < size && utf8_continues(text[length]))
			length++;
	}
	return (struct slice){text, length};
}

static uint64_t term_hash(struct slice word)
{
	return hash64(word.data, word.size, 0);
}

/* Write the terms of `run`, a text between two spaces; return their number. */
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
		/*
		 * In a script without spaces, each non-ASCII character and each
		 * run of ASCII letters is a term. In the worst case they
		 * alternate: one byte, two bytes, so two terms in three bytes.
		 */
		most += ((size_t)page->texts[i].length * 2 + 3) / 3;
		if (page->texts[i].length > longest)
			longest = page->texts[i].length;
	}
	terms = ARENA_NEW(arena, uint64_t, most);
	scratch = ARENA_NEW(arena, char, longest);
	for (uint32_t i = 0; i < page->text_count; i++) {
		size_t length = 0;

		if (is_visible[i])
			length = text_collapse(page_text(page, i), scratch);
		for (size_t at = 0; at < length; at++)
			scratch[at] = lower(scratch[at]);
		begin[i + 1] = begin[i];
		for (size_t at = 0; at < length;) {
			const char *space =
				memchr(scratch + at, ' ', length - at);
			size_t size =
				space == NULL
					? length - at
					: (size_t)(space - (scratch + at));

			begin[i + 1] +=
				split_run((struct slice){scratch + at, size},
					  terms + begin[i + 1]);
			at += size + 1;
		}
	}
	assert(begin[page->text_count] <= most);
	return (struct term_list){terms, begin};
}
