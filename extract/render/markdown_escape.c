#include "extract/render/markdown_escape.h"

#include <string.h>

#include "base/ascii.h"
#include "base/buffer.h"
#include "base/utf8.h"

/*
 * Return true for an _ between letters, which neither begins nor ends emphasis.
 */
static bool is_in_word(struct slice text, size_t at)
{
	return at > 0 && is_alphanumeric(slice_byte(text, at - 1)) &&
	       is_alphanumeric(slice_byte(text, at + 1));
}

enum { MAX_ENTITY = 33 }; /* "&CounterClockwiseContourIntegral;" */

/*
 * Return true if an entity such as "&copy;" begins, which a parser would
 * decode.
 */
static bool begins_entity(struct slice text, size_t at, bool goes_on)
{
	size_t end = at + 1;

	while (end - at <= MAX_ENTITY &&
	       (is_alphanumeric(slice_byte(text, end)) ||
		slice_byte(text, end) == '#'))
		end++;
	return (slice_byte(text, end) == ';' && end > at + 1) ||
	       (goes_on && end == text.size);
}

/* Return true if a tag, a comment, or an address begins. */
static bool markdown_begins_tag(struct slice text, size_t at, bool goes_on)
{
	char next = slice_byte(text, at + 1);

	return is_alphanumeric(next) || (next == '\0' && goes_on) ||
	       (next != '\0' && strchr("/!?", next) != NULL);
}

static bool is_special(struct slice text, size_t at,
		       struct markdown_place place)
{
	switch (slice_byte(text, at)) {
	case '\\':
	case '`':
	case '*':
	case '[':
	case ']':
	case '~':
		return true;
	case '<':
		return markdown_begins_tag(text, at, place.precedes_text);
	case '_':
		return !is_in_word(text, at);
	case '&':
		return begins_entity(text, at, place.precedes_text);
	case '!': /* an image */
		return place.precedes_link && at + 1 == text.size;
	case '#':
		return place.is_heading;
	case '|':
		return place.is_cell;
	default:
		return false;
	}
}

/*
 * "1." and "1)" begin an item, with up to nine digits, of which `digits` are
 * before the text. Return the position of the sign, or after the text.
 */
static size_t number_end(struct slice text, size_t digits)
{
	size_t at = 0;

	while (is_digit(slice_byte(text, at)) && digits + at <= 9)
		at++;
	if (digits + at == 0 || digits + at > 9 ||
	    (slice_byte(text, at) != '.' && slice_byte(text, at) != ')'))
		return text.size;
	return slice_byte(text, at + 1) == ' ' || at + 1 == text.size
		       ? at
		       : text.size;
}

/*
 * Return the position of a byte that needs an escape only at the start of a
 * line, or none.
 */
static size_t special_at_begin(struct slice text, bool follows_line)
{
	switch (slice_byte(text, 0)) {
	case '#': /* heading */
	case '+': /* list */
	case '-': /* list, rule, heading */
	case '>': /* quote */
		return 0;
	case '=': /* heading */
	case '|': /* the line below a table's head */
	case ':': /* the line below a table's head */
		return follows_line ? 0 : text.size;
	default:
		break;
	}
	return number_end(text, 0);
}

static struct slice skip_spaces(struct slice text)
{
	const char *bytes = text.data;
	size_t at = 0;

	while (at < text.size && bytes[at] == ' ')
		at++;
	return (struct slice){bytes + at, text.size - at};
}

void markdown_escape(struct buffer *out, struct slice text,
		     struct markdown_place place)
{
	size_t special = text.size;

	if (place.begins_line)
		text = skip_spaces(text);
	if (place.begins_line && !place.is_heading)
		special = special_at_begin(text, place.follows_line);
	if (place.digits > 0 && !place.is_heading)
		special = number_end(text, place.digits);
	for (size_t i = 0; i < text.size; i++) {
		char byte = slice_byte(text, i);

		if (byte == ' ' && slice_byte(text, i + 1) == ' ')
			continue;
		if (i == special || is_special(text, i, place))
			buffer_append_byte(out, '\\');
		buffer_append_byte(out, byte);
	}
}

void markdown_escape_address(struct buffer *out, struct slice address)
{
	for (size_t i = 0; i < address.size; i++) {
		char byte = slice_byte(address, i);

		if (byte == '(' || byte == ')' ||
		    (byte == '&' && begins_entity(address, i, false)))
			buffer_append_byte(out, '\\');
		if ((unsigned char)byte <= ' ')
			buffer_append_text(out, "%20");
		else if (strchr("<>\"\\`|", byte) != NULL)
			buffer_printf(out, "%%%02X", (unsigned)byte);
		else
			buffer_append_byte(out, byte);
	}
}

size_t markdown_longest_ticks(struct slice text)
{
	size_t longest = 0;
	size_t run = 0;

	for (size_t i = 0; i < text.size; i++) {
		run = slice_byte(text, i) == '`' ? run + 1 : 0;
		if (run > longest)
			longest = run;
	}
	return longest;
}

static void append_backticks(struct buffer *out, size_t count)
{
	while (count-- > 0)
		buffer_append_byte(out, '`');
}

/*
 * Return true if the span needs extra spaces, because a parser drops one at
 * each end.
 */
static bool needs_spaces(struct slice code)
{
	char first = slice_byte(code, 0);
	char last = slice_byte(code, code.size - 1);

	return first == '`' || last == '`' || (first == ' ' && last == ' ');
}

void markdown_escape_code(struct buffer *out, struct slice code, bool is_cell)
{
	size_t ticks = markdown_longest_ticks(code) + 1;

	append_backticks(out, ticks);
	if (needs_spaces(code))
		buffer_append_byte(out, ' ');
	for (size_t i = 0; i < code.size; i++) {
		if (is_cell && slice_byte(code, i) == '|')
			buffer_append_byte(out, '\\');
		buffer_append_byte(out, slice_byte(code, i));
	}
	if (needs_spaces(code))
		buffer_append_byte(out, ' ');
	append_backticks(out, ticks);
}

struct code_point_range {
	uint32_t first;
	uint32_t last;
};

static bool is_in_code_points(uint32_t code,
			      const struct code_point_range *ranges,
			      size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

/* Characters that are letters or digits in all versions of Unicode. */
static const struct code_point_range letters[] = {
	{0x00C0, 0x00D6}, {0x00D8, 0x00F6}, {0x00F8, 0x024F}, {0x0391, 0x03A1},
	{0x03A3, 0x03CE}, {0x0400, 0x0481}, {0x048A, 0x0523}, {0x05D0, 0x05EA},
	{0x0621, 0x064A}, {0x0904, 0x0939}, {0x0E01, 0x0E30}, {0x1E00, 0x1EF9},
	{0x3041, 0x3096}, {0x30A1, 0x30FA}, {0x4E00, 0x9FBB}, {0xAC00, 0xD7A3},
};

/* Characters that are punctuation in all versions of Unicode. */
static const struct code_point_range signs[] = {
	{0x00AB, 0x00AB}, {0x00BB, 0x00BB}, {0x00BF, 0x00BF}, {0x060C, 0x060C},
	{0x2010, 0x2027}, {0x3001, 0x3003}, {0x3008, 0x3011}, {0xFF08, 0xFF09},
	{0xFF0C, 0xFF0C}, {0xFF1A, 0xFF1B}, {0xFF1F, 0xFF1F},
};

static enum markdown_class markdown_class_of(uint32_t code)
{
	if (code == ' ' || code == 0x1680 || code == 0x180E || code == 0x2028 ||
	    code == 0x2029 || code == 0x202F || code == 0x205F)
		return MARKDOWN_SPACE;
	if (code < 0x80)
		return is_alphanumeric((char)code) ? MARKDOWN_LETTER
						   : MARKDOWN_PUNCTUATION;
	if (is_in_code_points(code, letters,
			      sizeof(letters) / sizeof(letters[0])))
		return MARKDOWN_LETTER;
	if (is_in_code_points(code, signs, sizeof(signs) / sizeof(signs[0])))
		return MARKDOWN_PUNCTUATION;
	return MARKDOWN_UNSURE;
}

enum markdown_class markdown_class_first(struct slice text)
{
	const unsigned char *at = text.data;

	return text.size == 0
		       ? MARKDOWN_SPACE
		       : markdown_class_of(utf8_next(&at, at + text.size));
}

enum markdown_class markdown_class_last(struct slice text)
{
	const unsigned char *begin = text.data;
	const unsigned char *end = begin + text.size;
	const unsigned char *at = end;

	if (text.size == 0)
		return MARKDOWN_SPACE;
	do
		at--;
	while (at > begin && (*at & 0xC0) == 0x80);
	return markdown_class_of(utf8_next(&at, end));
}
