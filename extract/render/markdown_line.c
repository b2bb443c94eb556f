#include "extract/render/markdown_line.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "extract/render/markdown_emphasis.h"
#include "extract/render/markdown_escape.h"
#include "page/tag.h"

struct inline_writer {
	struct markdown_line *line;
	enum markdown_block block;
	struct slice prefix;
	struct buffer *out;
	size_t line_begin; /* start of the current line in `out` */
	size_t mark_end;   /* end of the last emphasis mark in `out` */
	bool follows_line; /* the line is not the first one */
	bool is_in_code;
	struct buffer code; /* text of a code span that is not written yet */
};

void markdown_line_free(struct markdown_line *line)
{
	free(line->runs);
	buffer_free(&line->bytes);
}

struct slice markdown_run_bytes(const struct markdown_line *line, size_t run)
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
		return MARKDOWN_PUNCTUATION; /* the ` that will follow */
	return length == 0 ? MARKDOWN_SPACE
			   : markdown_class_last((struct slice){
				     writing->out->data + writing->line_begin,
				     length});
}

/* Return the emphasis mark at the end of `out`, or '\0'. */
static char last_mark(const struct inline_writer *writing)
{
	const struct buffer *out = writing->out;

	if (writing->code.size > 0 || writing->mark_end != out->size)
		return '\0';
	return out->data[out->size - 1];
}

/*
 * Write the collected code; merge adjacent code into one span, because a parser
 * would merge two.
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
 * Return the number of digits that are the whole line up to now; 0 if there are
 * other characters, or more digits than an item may have.
 */
static unsigned count_digits(const struct inline_writer *writing)
{
	const struct buffer *out = writing->out;
	size_t length = out->size - writing->line_begin;

	if (length > 9)
		return 0;
	for (size_t i = writing->line_begin; i < out->size; i++)
		if (out->data[i] < '0' || out->data[i] > '9')
			return 0;
	return (unsigned)length;
}

/*
 * Check what follows a text, which may change the meaning of its last
 * character.
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
	struct markdown_place place = {
		.begins_line = begins_line(writing),
		.follows_line = writing->follows_line,
		.digits = count_digits(writing),
		.is_heading = writing->block == MARKDOWN_HEADING,
		.is_cell = writing->block == MARKDOWN_CELL,
	};

	check_next_run(writing->line, at, &place);
	markdown_escape(writing->out, markdown_run_bytes(writing->line, at),
			place);
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

static void inline_write_image(struct inline_writer *writing, size_t at)
{
	buffer_append_text(writing->out, "![");
	markdown_escape(writing->out, markdown_run_bytes(writing->line, at),
			(struct markdown_place){
				.is_cell = writing->block == MARKDOWN_CELL,
			});
	buffer_append_text(writing->out, "](");
	markdown_escape_address(writing->out,
				markdown_run_bytes(writing->line, at + 1));
	buffer_append_byte(writing->out, ')');
}

static void write_mark(struct inline_writer *writing,
		       const struct markdown_run *run)
{
	flush_code(writing);
	buffer_append_byte(writing->out, run->mark);
	if (inline_kind(run->tag) == INLINE_STRONG)
		buffer_append_byte(writing->out, run->mark);
	writing->mark_end = writing->out->size;
}

/*
 * Return true if a parser may read a link at the start of a line as a link
 * definition. Code with ] inside a link can cause this, because definitions
 * take precedence over code: "[`]: a`](b)".
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
 * Write a tag. It cannot begin an HTML block, because text follows in its line.
 */
static void write_tag(struct inline_writer *writing, const char *begin,
		      uint16_t tag)
{
	flush_code(writing);
	buffer_append_text(writing->out, begin);
	buffer_append_slice(writing->out, tag_name(tag));
	buffer_append_byte(writing->out, '>');
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

/* Add a run to code, which holds only text and spaces. */
static void inline_add_code(struct inline_writer *writing, size_t at)
{
	const struct markdown_run *run = &writing->line->runs[at];

	if (run->kind == RUN_TEXT)
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
	case RUN_SPACE:
		if (!begins_line(writing))
			buffer_append_byte(writing->out, ' ');
		break;
	case RUN_BREAK:
		inline_write_break(writing);
		break;
	case RUN_IMAGE:
		inline_write_image(writing, at);
		break;
	default: /* RUN_ADDRESS belongs to RUN_IMAGE */
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
