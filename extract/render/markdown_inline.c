#include "extract/render/markdown_inline.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "extract/render/layout.h"
#include "page/tag.h"

enum {
	MAX_ENTITY = 33
}; /* the length of "&CounterClockwiseContourIntegral;", the longest one */

/*
 * Return true if an entity such as "&copy;" begins at byte `at`, which a parser
 * would decode. If goes_on, another text follows immediately.
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

static bool is_special(struct slice text, size_t at,
		       struct markdown_place place)
{
	const char next = slice_byte(text, at + 1);

	switch (slice_byte(text, at)) {
	case '\\':
	case '`':
	case '*':
	case '[':
	case ']':
	case '~':
		return true;
	case '<': /* a tag, a comment, or an address */
		return is_alphanumeric(next) ||
		       (next == '\0' && place.precedes_text) ||
		       (next != '\0' && strchr("/!?", next) != NULL);
	case '_': /* between letters, _ does not begin or end emphasis */
		return at == 0 || !is_alphanumeric(slice_byte(text, at - 1)) ||
		       !is_alphanumeric(next);
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
 * Numbers such as "1." and "1)", with up to nine digits, begin an item of a
 * list. The first `digits` digits of the number are before the text. Return the
 * position of the sign after the number, or the end of the text if the text
 * does not continue such a number.
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
 * Return the position of a byte that needs an escape because the text is at the
 * start of a line, or text.size if no byte needs one.
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

/*
 * Append `text`, which has no line end, with escapes. Collapse runs of spaces,
 * and drop spaces at the start of a line.
 */
static void markdown_escape(struct buffer *out, struct slice text,
			    struct markdown_place place)
{
	size_t special = text.size;

	while (place.begins_line && slice_byte(text, 0) == ' ')
		text = (struct slice){(const char *)text.data + 1,
				      text.size - 1};
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

/*
 * Append a URL as the destination of a link or an image, without < >.
 * Percent-encode or escape the characters that would end the destination or
 * that are marks of Markdown.
 */
static void markdown_escape_address(struct buffer *out, struct slice address)
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

/* Append a code span. `code` must not be empty and must have no line end. */
static void markdown_escape_code(struct buffer *out, struct slice code,
				 bool is_cell)
{
	const size_t ticks = markdown_longest_ticks(code) + 1;
	const char first = slice_byte(code, 0);
	const char last = slice_byte(code, code.size - 1);
	/* a parser drops one space at each end of a code span */
	const char *space =
		first == '`' || last == '`' || (first == ' ' && last == ' ')
			? " "
			: "";

	for (size_t i = 0; i < ticks; i++)
		buffer_append_byte(out, '`');
	buffer_append_text(out, space);
	for (size_t i = 0; i < code.size; i++) {
		if (is_cell && slice_byte(code, i) == '|')
			buffer_append_byte(out, '\\');
		buffer_append_byte(out, slice_byte(code, i));
	}
	buffer_append_text(out, space);
	for (size_t i = 0; i < ticks; i++)
		buffer_append_byte(out, '`');
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

/*
 * Ranges of characters that are letters or digits in all versions of Unicode.
 */
static const struct code_point_range letters[] = {
	{0x00C0, 0x00D6}, {0x00D8, 0x00F6}, {0x00F8, 0x024F}, {0x0391, 0x03A1},
	{0x03A3, 0x03CE}, {0x0400, 0x0481}, {0x048A, 0x0523}, {0x05D0, 0x05EA},
	{0x0621, 0x064A}, {0x0904, 0x0939}, {0x0E01, 0x0E30}, {0x1E00, 0x1EF9},
	{0x3041, 0x3096}, {0x30A1, 0x30FA}, {0x4E00, 0x9FBB}, {0xAC00, 0xD7A3},
};

/* Ranges of characters that are punctuation in all versions of Unicode. */
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
	while (at > begin && utf8_continues(*at));
	return markdown_class_of(utf8_next(&at, end));
}

struct inline_writer {
	struct markdown_line *line;
	enum markdown_block block;
	struct slice prefix;
	struct buffer *out;
	size_t line_begin; /* start of the current line in `out` */
	size_t mark_end;   /* end of the last emphasis mark in `out` */
	bool follows_line; /* the current line is not the first one */
	bool is_in_code;
	struct buffer code; /* text of a code span that is not written yet */
};

void markdown_line_free(struct markdown_line *line)
{
	free(line->runs);
	buffer_free(&line->bytes);
}

static struct slice markdown_run_bytes(const struct markdown_line *line,
				       size_t run)
{
	assert(run < line->count);
	assert(line->runs[run].begin + line->runs[run].length <=
	       line->bytes.size);
	return (struct slice){line->bytes.data + line->runs[run].begin,
			      line->runs[run].length};
}

void markdown_line_clear(struct markdown_line *line)
{
	line->count = 0;
	line->open_count = 0;
	buffer_clear(&line->bytes);
}

void markdown_line_add(struct markdown_line *line, enum markdown_run_kind kind,
		       uint16_t tag, struct slice bytes)
{
	struct markdown_run run = {
		.kind = kind,
		.tag = tag,
		.begin = line->bytes.size,
		.length = bytes.size,
	};

	buffer_append_slice(&line->bytes, bytes);
	line->runs = mem_grow(line->runs, line->count, &line->capacity,
			      sizeof(*line->runs));
	if (kind == RUN_OPEN) {
		assert(line->open_count < INLINE_KIND_COUNT);
		line->open[line->open_count++] = line->count;
	}
	if (kind == RUN_CLOSE) {
		assert(line->open_count > 0);
		run.partner = line->open[--line->open_count];
		line->runs[run.partner].partner = line->count;
	}
	line->runs[line->count++] = run;
}

static enum markdown_class class_written(const struct inline_writer *writing)
{
	size_t length = writing->out->size - writing->line_begin;

	assert(writing->out->size >= writing->line_begin);
	if (writing->code.size > 0)
		return MARKDOWN_PUNCTUATION; /* the ` after the code span, which
						is not written yet */
	return length == 0 ? MARKDOWN_SPACE
			   : markdown_class_last((struct slice){
				     writing->out->data + writing->line_begin,
				     length});
}

/*
 * If `out` ends with a mark of emphasis, return the mark; otherwise return
 * '\0'.
 */
static char last_mark(const struct inline_writer *writing)
{
	const struct buffer *out = writing->out;

	if (writing->code.size > 0 || writing->mark_end != out->size)
		return '\0';
	return out->data[out->size - 1];
}

/*
 * Write the collected code. Adjacent code elements were collected as one span,
 * because a parser would not read two adjacent spans correctly.
 */
static void flush_code(struct inline_writer *writing)
{
	if (writing->code.size == 0)
		return;
	markdown_escape_code(writing->out, buffer_slice(&writing->code),
			     writing->block == MARKDOWN_CELL);
	buffer_clear(&writing->code);
}

static bool begins_line(const struct inline_writer *writing)
{
	return writing->out->size == writing->line_begin;
}

/*
 * Set the fields of `place` about the runs after text run `at`, because the
 * next run may change the meaning of the last character of the text.
 */
static void check_next_run(const struct markdown_line *line, size_t at,
			   struct markdown_place *place)
{
	for (at++; at < line->count; at++) {
		const struct markdown_run *run = &line->runs[at];

		if (run->kind == RUN_OPEN &&
		    inline_kind(run->tag) == INLINE_LINK)
			place->precedes_link = true;
		if (run->kind != RUN_OPEN && run->kind != RUN_CLOSE)
			break;
	}
	place->precedes_text =
		at < line->count && line->runs[at].kind == RUN_TEXT;
}

static void inline_write_text(struct inline_writer *writing, size_t at)
{
	const struct buffer *out = writing->out;
	struct slice text = markdown_run_bytes(writing->line, at);
	struct markdown_place place = {
		.begins_line = begins_line(writing),
		.follows_line = writing->follows_line,
		.is_heading = writing->block == MARKDOWN_HEADING,
		.is_cell = writing->block == MARKDOWN_CELL,
	};

	/*
	 * count the digits before the text if the line has nothing else, up to
	 * the maximum number of digits of an item of a list
	 */
	for (size_t i = writing->line_begin; i < out->size; i++) {
		if (!is_digit(out->data[i]) || ++place.digits > 9) {
			place.digits = 0;
			break;
		}
	}
	check_next_run(writing->line, at, &place);
	/* the mark of a note must not become a link or a label */
	if (at > 0 && writing->line->runs[at - 1].kind == RUN_PIECE &&
	    writing->out->data[writing->out->size - 1] == ']' &&
	    (slice_byte(text, 0) == '(' || slice_byte(text, 0) == ':'))
		buffer_append_byte(writing->out, '\\');
	markdown_escape(writing->out, text, place);
}

/*
 * Write a piece of Markdown, so that it contains no HTML and no links for
 * parsers that do not know it, and does not end a cell. In TeX, the spaces that
 * this adds have no effect.
 */
static void inline_write_piece(struct inline_writer *writing,
			       struct slice piece)
{
	for (size_t i = 0; i < piece.size; i++) {
		char byte = slice_byte(piece, i);
		char next = slice_byte(piece, i + 1);

		if (byte == '|' && writing->block == MARKDOWN_CELL)
			buffer_append_byte(writing->out, '\\');
		if (byte == '`')
			byte = '\'';
		buffer_append_byte(writing->out, byte);
		if ((byte == '<' && next != ' ') ||
		    (byte == ']' &&
		     (next == '(' || next == '[' || next == ':')))
			buffer_append_byte(writing->out, ' ');
	}
}

static void inline_trim_line(struct inline_writer *writing)
{
	struct buffer *out = writing->out;

	while (out->size > writing->line_begin &&
	       out->data[out->size - 1] == ' ')
		out->size--;
}

static void inline_write_break(struct inline_writer *writing)
{
	inline_trim_line(writing);
	if (begins_line(writing))
		return;
	switch (writing->block) {
	case MARKDOWN_PARAGRAPH:
		buffer_append_text(writing->out, "\\\n");
		buffer_append_slice(writing->out, writing->prefix);
		writing->line_begin = writing->out->size;
		writing->follows_line = true;
		break;
	case MARKDOWN_HEADING:
		buffer_append_byte(writing->out, ' ');
		break;
	case MARKDOWN_CELL:
		buffer_append_text(writing->out, "<br>");
		break;
	}
}

static void write_mark(struct inline_writer *writing,
		       const struct markdown_run *run)
{
	flush_code(writing);
	buffer_append_byte(writing->out, run->mark);
	if (inline_kind(run->tag) != INLINE_EMPHASIS)
		buffer_append_byte(writing->out, run->mark);
	writing->mark_end = writing->out->size;
}

/*
 * Return true if a parser may read the link that run `at` opens as a link
 * definition. This can happen at the start of a line if the link contains code
 * with "]", because definitions take precedence over code: "[`]: a`](b)".
 */
static bool is_definition(const struct inline_writer *writing, size_t at)
{
	const struct markdown_line *line = writing->line;
	bool is_in_code = false;

	if (!begins_line(writing) || writing->code.size > 0)
		return false;
	for (size_t i = at + 1; i < line->runs[at].partner; i++) {
		struct slice bytes = markdown_run_bytes(line, i);

		if (inline_kind(line->runs[i].tag) == INLINE_CODE)
			is_in_code = line->runs[i].kind == RUN_OPEN;
		if (is_in_code && bytes.size > 0 &&
		    memchr(bytes.data, ']', bytes.size) != NULL)
			return true;
	}
	return false;
}

static void open_link(struct inline_writer *writing, size_t at)
{
	struct markdown_run *run = &writing->line->runs[at];

	run->is_left_out = is_definition(writing, at);
	writing->line->runs[run->partner].is_left_out = run->is_left_out;
	if (run->is_left_out)
		return;
	flush_code(writing);
	buffer_append_byte(writing->out, '[');
}

static void close_link(struct inline_writer *writing,
		       const struct markdown_run *run)
{
	if (run->is_left_out)
		return;
	flush_code(writing);
	buffer_append_text(writing->out, "](");
	markdown_escape_address(
		writing->out, markdown_run_bytes(writing->line, run->partner));
	buffer_append_byte(writing->out, ')');
}

/*
 * Write an HTML tag that begins with `begin`. It does not begin an HTML block,
 * because text follows on the same line.
 */
static void write_tag(struct inline_writer *writing, const char *begin,
		      uint16_t tag)
{
	flush_code(writing);
	buffer_append_text(writing->out, begin);
	buffer_append_slice(writing->out, tag_name(tag));
	buffer_append_byte(writing->out, '>');
}

/* Return true for b, strong, em and i, and for del, s and strike. */
static bool markdown_is_emphasis(uint16_t tag)
{
	enum inline_kind kind = inline_kind(tag);

	return kind == INLINE_STRONG || kind == INLINE_EMPHASIS ||
	       kind == INLINE_DELETED;
}

/*
 * Return true for sub and sup. They are written as HTML tags, because
 * CommonMark has no mark for them.
 */
static bool markdown_is_tag(uint16_t tag)
{
	enum inline_kind kind = inline_kind(tag);

	return kind == INLINE_SUBSCRIPT || kind == INLINE_SUPERSCRIPT;
}

/*
 * Return true if inline_writer writes something for the run. It writes nothing
 * for the start or end of an element that has no mark in CommonMark.
 */
static bool run_is_visible(const struct markdown_run *run)
{
	switch (run->kind) {
	case RUN_OPEN:
	case RUN_CLOSE:
		return (inline_kind(run->tag) == INLINE_LINK &&
			!run->is_left_out) ||
		       inline_kind(run->tag) == INLINE_CODE ||
		       markdown_is_tag(run->tag) ||
		       (markdown_is_emphasis(run->tag) && run->mark != '\0');
	default:
		return true;
	}
}

static enum markdown_class
class_of_run(const struct markdown_line *line, size_t at,
	     enum markdown_class (*class_of_text)(struct slice text))
{
	switch (line->runs[at].kind) {
	case RUN_TEXT:
		return class_of_text(markdown_run_bytes(line, at));
	case RUN_SPACE:
	case RUN_BREAK:
		return MARKDOWN_SPACE;
	default: /* one of [ ] ! ) ` * _ < > */
		return MARKDOWN_PUNCTUATION;
	}
}

/*
 * Return the class of the first character that is written for run `at` and the
 * runs after it. For emphasis after run `decided`, it is not decided yet
 * whether a mark is written; a mark would not be MARKDOWN_SPACE.
 */
static enum markdown_class class_after(const struct markdown_line *line,
				       size_t at, size_t decided)
{
	bool is_sure = true;
	enum markdown_class class = MARKDOWN_SPACE;

	for (; at < line->count; at++) {
		const struct markdown_run *run = &line->runs[at];

		if (run->kind == RUN_OPEN && markdown_is_emphasis(run->tag) &&
		    at > decided)
			is_sure = false;
		else if (run_is_visible(run))
			break;
	}
	if (at < line->count)
		class = class_of_run(line, at, markdown_class_first);
	return is_sure || class == MARKDOWN_SPACE ? class : MARKDOWN_UNSURE;
}

/*
 * Return the class of the last character that is written for run `at` and the
 * runs before it.
 */
static enum markdown_class class_before(const struct markdown_line *line,
					size_t at)
{
	bool is_sure = true;
	enum markdown_class class;

	for (; line->runs[at].kind == RUN_CLOSE && at > 0; at--) {
		if (inline_kind(line->runs[at].tag) == INLINE_LINK ||
		    inline_kind(line->runs[at].tag) == INLINE_CODE ||
		    markdown_is_tag(line->runs[at].tag))
			break;
		is_sure = false;
	}
	class = class_of_run(line, at, markdown_class_last);
	return is_sure || class == MARKDOWN_SPACE ? class : MARKDOWN_UNSURE;
}

static bool is_edge(enum markdown_class class)
{
	return class == MARKDOWN_SPACE || class == MARKDOWN_PUNCTUATION;
}

/*
 * Return true if a parser can read a run of * as a mark of emphasis. `inner` is
 * the class of the character next to the mark inside the emphasis, and `outer`
 * of the character outside. At the start the mark must be left-flanking, at the
 * end right-flanking.
 */
static bool is_flanking(enum markdown_class outer, enum markdown_class inner)
{
	if (inner == MARKDOWN_SPACE)
		return false;
	return is_edge(outer) || inner == MARKDOWN_LETTER;
}

/*
 * Return the mark of the emphasis that run `at` of a line opens, '*' or '_', or
 * for deleted text '~', or '\0' if a parser would not recognise a mark.
 * `before` is the class of the character before the mark; `last_mark` is that
 * character if it is a mark of emphasis, otherwise '\0'. Strong is always **,
 * and emphasis is _ where possible, so that adjacent marks never merge. A
 * parser ignores _ inside words, so there emphasis around a single text is *.
 * Source: CommonMark 0.31, 6.2, "left-flanking delimiter run". O(1).
 */
static char markdown_emphasis_mark(const struct markdown_line *line, size_t at,
				   enum markdown_class before, char last_mark)
{
	const struct markdown_run *run = &line->runs[at];
	enum markdown_class behind = class_after(line, run->partner + 1, at);
	char mark = '\0';

	if (!is_flanking(before, class_after(line, at + 1, at)) ||
	    !is_flanking(behind, class_before(line, run->partner - 1)))
		return '\0';
	if (inline_kind(run->tag) == INLINE_DELETED)
		mark = '~';
	else if (inline_kind(run->tag) == INLINE_STRONG ||
		 (run->partner == at + 2 && before == MARKDOWN_LETTER &&
		  behind == MARKDOWN_LETTER))
		mark = '*';
	else if (is_edge(before) && is_edge(behind))
		mark = '_';
	if (mark == last_mark)
		return '\0';
	return mark;
}

static void inline_open_element(struct inline_writer *writing, size_t at)
{
	struct markdown_run *run = &writing->line->runs[at];

	if (markdown_is_tag(run->tag))
		write_tag(writing, "<", run->tag);
	if (inline_kind(run->tag) == INLINE_CODE)
		writing->is_in_code = true;
	if (inline_kind(run->tag) == INLINE_LINK)
		open_link(writing, at);
	if (!markdown_is_emphasis(run->tag))
		return;
	run->mark = markdown_emphasis_mark(
		writing->line, at, class_written(writing), last_mark(writing));
	writing->line->runs[run->partner].mark = run->mark;
	if (run->mark != '\0')
		write_mark(writing, run);
}

static void inline_close_element(struct inline_writer *writing, size_t at)
{
	const struct markdown_run *run = &writing->line->runs[at];

	if (markdown_is_tag(run->tag))
		write_tag(writing, "</", run->tag);
	if (inline_kind(run->tag) == INLINE_CODE)
		writing->is_in_code = false;
	if (inline_kind(run->tag) == INLINE_LINK)
		close_link(writing, run);
	if (run->mark != '\0')
		write_mark(writing, run);
}

/* Add run `at` to the collected code, which has only text and spaces. */
static void inline_add_code(struct inline_writer *writing, size_t at)
{
	const struct markdown_run *run = &writing->line->runs[at];

	if (run->kind == RUN_TEXT || run->kind == RUN_PIECE)
		buffer_append_slice(&writing->code,
				    markdown_run_bytes(writing->line, at));
	if (run->kind == RUN_SPACE || run->kind == RUN_BREAK)
		buffer_append_byte(&writing->code, ' ');
}

static void write_piece(struct inline_writer *writing, size_t at)
{
	flush_code(writing);
	switch (writing->line->runs[at].kind) {
	case RUN_TEXT:
		inline_write_text(writing, at);
		break;
	case RUN_PIECE:
		inline_write_piece(writing,
				   markdown_run_bytes(writing->line, at));
		break;
	case RUN_SPACE:
		if (!begins_line(writing))
			buffer_append_byte(writing->out, ' ');
		break;
	case RUN_BREAK:
		inline_write_break(writing);
		break;
	case RUN_IMAGE:
		buffer_append_text(writing->out, "![");
		markdown_escape(
			writing->out, markdown_run_bytes(writing->line, at),
			(struct markdown_place){
				.is_cell = writing->block == MARKDOWN_CELL,
			});
		buffer_append_text(writing->out, "](");
		markdown_escape_address(
			writing->out,
			markdown_run_bytes(writing->line, at + 1));
		buffer_append_byte(writing->out, ')');
		break;
	default: /* RUN_ADDRESS was written with the RUN_IMAGE before it */
		break;
	}
}

void markdown_line_write(struct markdown_line *line, enum markdown_block block,
			 struct slice prefix, struct buffer *out)
{
	struct inline_writer writing = {
		.line = line,
		.block = block,
		.prefix = prefix,
		.out = out,
		.line_begin = out->size,
		.mark_end = SIZE_MAX,
	};

	for (size_t i = 0; i < line->count; i++) {
		if (line->runs[i].kind == RUN_OPEN)
			inline_open_element(&writing, i);
		else if (line->runs[i].kind == RUN_CLOSE)
			inline_close_element(&writing, i);
		else if (writing.is_in_code)
			inline_add_code(&writing, i);
		else
			write_piece(&writing, i);
	}
	flush_code(&writing);
	inline_trim_line(&writing);
	buffer_free(&writing.code);
}
