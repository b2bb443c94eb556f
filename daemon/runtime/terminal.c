#include "daemon/runtime/terminal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "daemon/runtime/clock.h"

struct code_point_span {
	uint32_t first;
	uint32_t last;
};

/*
 * Characters without a width: marks over, under or inside the previous
 * character.
 */
static const struct code_point_span zero_wide[] = {
	{0x0300, 0x036F},   {0x0483, 0x0489}, {0x0591, 0x05BD},
	{0x0610, 0x061A},   {0x064B, 0x065F}, {0x06D6, 0x06DC},
	{0x0900, 0x0902},   {0x093C, 0x093C}, {0x0941, 0x0948},
	{0x0E31, 0x0E31},   {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E},
	{0x1AB0, 0x1AFF},   {0x1DC0, 0x1DFF}, {0x200B, 0x200D},
	{0x20D0, 0x20FF},   {0x302A, 0x302D}, {0x3099, 0x309A},
	{0xFE00, 0xFE0F},   {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF},
	{0xE0100, 0xE01EF},
};

static const struct code_point_span double_wide[] = {
	{0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},
	{0x2614, 0x2615},   {0x2648, 0x2653},   {0x26A1, 0x26A1},
	{0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},
	{0x274C, 0x274C},   {0x2753, 0x2755},   {0x2795, 0x2797},
	{0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},
	{0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xA960, 0xA97F},
	{0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
	{0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
	{0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF},
	{0x20000, 0x3FFFD},
};

/*
 * Characters that must not reach a terminal. The control characters below
 * U+00A0 must not either; they are not in this table.
 */
static const struct code_point_span steering[] = {
	{0x061C, 0x061C}, /* Arabic letter mark */
	{0x200E, 0x200F}, /* left-to-right and right-to-left mark */
	{0x2028, 0x202E}, /* separators, embeddings and overrides */
	{0x2066, 0x2069}, /* isolates */
};

#define IN(ranges, code_point)    \
	code_point_spans_contain( \
		(ranges), sizeof(ranges) / sizeof((ranges)[0]), (code_point))

static bool code_point_spans_contain(const struct code_point_span *ranges,
				     size_t count, uint32_t code_point)
{
	for (size_t i = 0; i < count; i++)
		if (code_point >= ranges[i].first &&
		    code_point <= ranges[i].last)
			return true;
	return false;
}

/*
 * Return the length of the UTF-8 sequence that begins with the byte `first`; 0
 * if no sequence begins with it.
 */
static size_t sequence_size(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xC2 && first <= 0xDF)
		return 2;
	if (first >= 0xE0 && first <= 0xEF)
		return 3;
	return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

uint32_t terminal_code_point(struct slice text, size_t *position)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *bytes = (const unsigned char *)text.data;
	size_t begin = (*position)++;
	size_t size = sequence_size(bytes[begin]);
	uint32_t code_point;

	if (size == 1)
		return bytes[begin];
	if (size == 0 || size > text.size - begin)
		return TERMINAL_REPLACEMENT;
	code_point = bytes[begin] & (0x7FU >> size);
	for (size_t i = 1; i < size; i++) {
		if ((bytes[begin + i] & 0xC0) != 0x80)
			return TERMINAL_REPLACEMENT;
		code_point = code_point << 6 | (bytes[begin + i] & 0x3F);
	}
	if (code_point < smallest[size] || code_point > 0x10FFFF ||
	    (code_point >= 0xD800 && code_point <= 0xDFFF))
		return TERMINAL_REPLACEMENT;
	*position = begin + size;
	return code_point;
}

unsigned terminal_columns(uint32_t code_point)
{
	if (code_point < 0x300)
		return 1;
	if (IN(zero_wide, code_point))
		return 0;
	return IN(double_wide, code_point) ? 2 : 1;
}

static uint32_t terminal_safe_code_point(uint32_t code_point)
{
	if (code_point >= '\t' && code_point <= '\r')
		return ' ';
	if (code_point < ' ' || (code_point >= 0x7F && code_point < 0xA0) ||
	    IN(steering, code_point))
		return TERMINAL_REPLACEMENT;
	return code_point;
}

static void append_code_point(struct buffer *out, uint32_t code_point)
{
	char bytes[4];

	buffer_append(out, bytes, utf8_encode(code_point, bytes));
}

void terminal_clean(struct slice text, struct buffer *out)
{
	size_t position = 0;

	while (position < text.size)
		append_code_point(
			out, terminal_safe_code_point(
				     terminal_code_point(text, &position)));
}

void terminal_clean_lines(struct slice text, struct buffer *out)
{
	size_t position = 0;

	while (position < text.size) {
		uint32_t code_point = terminal_code_point(text, &position);

		if (code_point != '\n' && code_point != '\t')
			code_point = terminal_safe_code_point(code_point);
		append_code_point(out, code_point);
	}
}

size_t terminal_width(struct slice text)
{
	size_t position = 0;
	size_t width = 0;

	while (position < text.size)
		width += terminal_columns(terminal_safe_code_point(
			terminal_code_point(text, &position)));
	return width;
}

size_t terminal_cut(struct slice text, size_t width, struct buffer *out)
{
	size_t position = 0;
	size_t used = 0;

	if (terminal_width(text) <= width) {
		terminal_clean(text, out);
		return terminal_width(text);
	}
	if (width == 0)
		return 0;
	for (;;) {
		uint32_t code_point = terminal_safe_code_point(
			terminal_code_point(text, &position));
		unsigned columns = terminal_columns(code_point);

		if (used + columns > width - 1)
			break;
		append_code_point(out, code_point);
		used += columns;
	}
	buffer_append_text(out, "\xE2\x80\xA6");
	return used + 1;
}

size_t terminal_size(int file)
{
	struct winsize size;

	if (isatty(file) == 0)
		return 0;
	/* NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg) */
	if (ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return 80;
	return size.ws_col;
}

void terminal_print(struct slice text)
{
	struct buffer clean = {0};

	if (isatty(STDOUT_FILENO) != 0) {
		terminal_clean_lines(text, &clean);
		text = buffer_slice(&clean);
	}
	if (text.size > 0)
		fwrite(text.data, 1, text.size, stdout);
	buffer_free(&clean);
}

enum { GAP = 2, MIN_ELASTIC = 8 };

/* A cell of a table. Its text is a range of the table's `text`. */
struct table_cell {
	size_t begin;
	size_t size;
	size_t width;
};

struct text_table {
	const struct table_column *columns; /* [column_count] */
	size_t column_count;
	struct table_cell *cells; /* [cell_count] */
	size_t cell_count;
	size_t capacity;
	struct buffer text;
};

struct text_table *table_create(const struct table_column *columns,
				size_t count)
{
	struct text_table *table = mem_alloc(1, sizeof(*table));

	table->columns = columns;
	table->column_count = count;
	if (columns[0].title != NULL)
		for (size_t i = 0; i < count; i++)
			table_add_text(table, columns[i].title);
	return table;
}

void table_destroy(struct text_table *table)
{
	if (table == NULL)
		return;
	buffer_free(&table->text);
	free(table->cells);
	free(table);
}

void table_add(struct text_table *table, struct slice text)
{
	struct table_cell cell = {.begin = table->text.size,
				  .width = terminal_width(text)};

	terminal_clean(text, &table->text);
	cell.size = table->text.size - cell.begin;
	table->cells = mem_grow(table->cells, table->cell_count,
				&table->capacity, sizeof(cell));
	table->cells[table->cell_count++] = cell;
}

void table_add_text(struct text_table *table, const char *text)
{
	table_add(table, slice_of(text));
}

void table_printf(struct text_table *table, const char *format, ...)
{
	char text[256];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	table_add_text(table, text);
}

/*
 * Return the widest column whose cells may be truncated further; SIZE_MAX if
 * there is no such column.
 */
static size_t table_widest_column(const struct text_table *table,
				  const size_t *widths)
{
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < table->column_count; i++)
		if (table->columns[i].is_elastic && widths[i] > MIN_ELASTIC &&
		    (found == SIZE_MAX || widths[i] > widths[found]))
			found = i;
	return found;
}

/*
 * Return the width of the second widest elastic column, at least MIN_ELASTIC:
 * the widest column is first reduced to it.
 */
static size_t next_width(const struct text_table *table, const size_t *widths,
			 size_t chosen)
{
	size_t next = MIN_ELASTIC;

	for (size_t i = 0; i < table->column_count; i++)
		if (i != chosen && table->columns[i].is_elastic &&
		    widths[i] < widths[chosen] && widths[i] > next)
			next = widths[i];
	return next;
}

static void table_fit_columns(const struct text_table *table, size_t *widths,
			      size_t width)
{
	size_t total = GAP * (table->column_count - 1);
	size_t over;

	for (size_t i = 0; i < table->column_count; i++)
		total += widths[i];
	over = total > width ? total - width : 0;
	while (over > 0) {
		size_t chosen = table_widest_column(table, widths);
		size_t cut;

		if (chosen == SIZE_MAX)
			break;
		cut = widths[chosen] - next_width(table, widths, chosen);
		/* reduce columns of the same width one after another */
		for (size_t i = 0; i < table->column_count; i++)
			if (i != chosen && table->columns[i].is_elastic &&
			    widths[i] == widths[chosen])
				cut = 1;
		if (cut > over)
			cut = over;
		widths[chosen] -= cut;
		over -= cut;
	}
}

static void table_pad(struct buffer *out, size_t count)
{
	while (count-- > 0)
		buffer_append_byte(out, ' ');
}

static void render_cell(const struct text_table *table, size_t index,
			size_t width, struct buffer *out)
{
	const struct table_cell *cell = &table->cells[index];
	size_t column = index % table->column_count;
	bool is_last = column + 1 == table->column_count;
	size_t used = cell->width < width ? cell->width : width;

	if (table->columns[column].is_number)
		table_pad(out, width - used);
	used = terminal_cut(
		(struct slice){table->text.data + cell->begin, cell->size},
		width, out);
	if (is_last)
		buffer_append_byte(out, '\n');
	else
		table_pad(out, GAP + (table->columns[column].is_number
					      ? 0
					      : width - used));
}

void table_render(const struct text_table *table, size_t width,
		  struct buffer *out)
{
	size_t *widths = mem_alloc(table->column_count, sizeof(*widths));

	for (size_t i = 0; i < table->cell_count; i++)
		if (table->cells[i].width > widths[i % table->column_count])
			widths[i % table->column_count] = table->cells[i].width;
	if (width > 0)
		table_fit_columns(table, widths, width);
	for (size_t i = 0; i < table->cell_count; i++)
		render_cell(table, i, widths[i % table->column_count], out);
	if (table->cell_count % table->column_count != 0)
		buffer_append_byte(out, '\n');
	free(widths);
}

void table_print(const struct text_table *table)
{
	struct buffer out = {0};

	table_render(table, terminal_size(STDOUT_FILENO), &out);
	if (out.size > 0)
		fwrite(out.data, 1, out.size, stdout);
	buffer_free(&out);
}

enum {
	BAR_WIDTH = 24,
	LINE_WIDTH = 79, /* without a terminal */
	DRAW_EVERY_MS = 100,
	PRINT_EVERY_MS = 1000, /* without a terminal */
};

static bool progress_is_forced;

void progress_force(void)
{
	progress_is_forced = true;
}

struct progress progress_begin(const char *label)
{
	return (struct progress){.is_shown = progress_is_forced ||
					     terminal_size(STDERR_FILENO) > 0,
				 .label = label,
				 .started_ms = clock_steady_ms()};
}

static void progress_append_bar(uint64_t done, uint64_t total,
				struct buffer *line)
{
	uint64_t filled = BAR_WIDTH * done / total;

	buffer_append_text(line, " [");
	for (uint64_t i = 0; i < BAR_WIDTH; i++)
		buffer_append_byte(line, i < filled ? '#' : ' ');
	buffer_printf(line, "] %3" PRIu64 "%%  %" PRIu64 "/%" PRIu64,
		      100 * done / total, done, total);
}

void progress_line(const struct progress_state *state, size_t width,
		   struct buffer *out)
{
	uint64_t total = state->total;
	uint64_t done = total == 0 || state->done < total ? state->done : total;
	struct buffer line = {0};

	buffer_append_text(&line, state->label);
	if (total == 0)
		buffer_printf(&line, "  %" PRIu64, done);
	else
		progress_append_bar(done, total, &line);
	if (state->elapsed_ms > 0 && done > 0) {
		uint64_t rest_s =
			(total - done) * state->elapsed_ms / done / 1000;

		buffer_printf(&line, "  %.0f/s",
			      (double)done * 1000 / (double)state->elapsed_ms);
		if (total > 0)
			buffer_printf(&line, "  %" PRIu64 ":%02" PRIu64 " left",
				      rest_s / 60, rest_s % 60);
	}
	if (state->note != NULL)
		buffer_printf(&line, "  %s", state->note);
	terminal_cut(buffer_slice(&line), width, out);
	buffer_free(&line);
}

void progress_show(struct progress *progress, uint64_t done, uint64_t total,
		   const char *note)
{
	size_t width = terminal_size(STDERR_FILENO);
	struct buffer line = {0};
	uint64_t now_ms;

	if (!progress->is_shown)
		return;
	now_ms = clock_steady_ms();
	if (progress->drawn_ms != 0 &&
	    now_ms - progress->drawn_ms <
		    (width > 0 ? DRAW_EVERY_MS : PRINT_EVERY_MS))
		return;
	progress->drawn_ms = now_ms;
	progress_line(
		&(struct progress_state){
			.label = progress->label,
			.done = done,
			.total = total,
			.elapsed_ms = now_ms - progress->started_ms,
			.note = note,
		},
		width > 0 ? width - 1 : LINE_WIDTH, &line);
	fprintf(stderr, width > 0 ? "\r\033[K%s" : "%s\n", line.data);
	fflush(stderr);
	buffer_free(&line);
}

bool progress_goes_on(void *context, uint64_t done, uint64_t total)
{
	progress_show(context, done, total, NULL);
	return true;
}

void progress_show_bytes(struct progress *progress, uint64_t done,
			 uint64_t total)
{
	if (total > 0 && total < done)
		total = done;
	progress_show(progress, done / 1024, total / 1024, "KiB");
}

void progress_clear(struct progress *progress)
{
	if (!progress->is_shown || progress->drawn_ms == 0 ||
	    terminal_size(STDERR_FILENO) == 0)
		return;
	fputs("\r\033[K", stderr);
	progress->drawn_ms = 0;
}
