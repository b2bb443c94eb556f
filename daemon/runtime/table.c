#include "daemon/runtime/table.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "daemon/runtime/terminal.h"

enum { GAP = 2, MIN_ELASTIC = 8 };

/* A cell is a range of `text`, cleaned. */
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
 * Return the widest elastic column that may shrink; SIZE_MAX if there is no
 * such column.
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
 * Return how far the widest column may shrink without becoming narrower than
 * the second.
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
		/* columns of the same width shrink one by one */
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
