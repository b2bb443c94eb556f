#include "extract/render/markdown_table.h"

#include "extract/render/layout.h"
#include "extract/render/markdown_blocks.h"
#include "page/page.h"

static void write_cells(struct markdown_table *table, const char *cell,
			uint32_t count)
{
	while (count-- > 0)
		buffer_append_text(table->blocks->out, cell);
}

static void open_row(struct markdown_table *table)
{
	if (table->rows++ == 0)
		markdown_begin_block(table->blocks, false);
	else
		markdown_begin_line(table->blocks, false);
	buffer_append_byte(table->blocks->out, '|');
	table->columns = 0;
}

/* Fill or truncate the row to the number of cells of the head. */
static void markdown_close_row(struct markdown_table *table)
{
	write_cells(table, "  |", table->shape->columns - table->columns);
	if (table->rows != 1)
		return;
	markdown_begin_line(table->blocks, false);
	buffer_append_byte(table->blocks->out, '|');
	write_cells(table, " --- |", table->shape->columns);
}

static void markdown_open_cell(struct markdown_table *table, uint32_t node)
{
	table->span = table_cell_span(table->page, node);
	table->columns += table->span;
	table->lines = 0;
	buffer_append_byte(table->blocks->out, ' ');
}

static void markdown_close_cell(struct markdown_table *table)
{
	buffer_append_text(table->blocks->out, " |");
	write_cells(table, "  |", table->span - 1);
}

static void markdown_open_table(struct markdown_table *table)
{
	const struct table_shape *shape =
		&table->survey.tables[table->opened++];

	if (!shape->is_simple)
		return;
	table->shape = shape;
	table->rows = 0;
}

void markdown_table_open(struct markdown_table *table,
			 const struct layout_element *element)
{
	if (element->tag == TAG_table)
		markdown_open_table(table);
	else if (table->shape == NULL)
		return;
	else if (element->tag == TAG_tr)
		open_row(table);
	else
		markdown_open_cell(table, element->node);
}

void markdown_table_close(struct markdown_table *table, uint16_t tag)
{
	if (table->shape == NULL)
		return;
	if (tag == TAG_table)
		table->shape = NULL;
	else if (tag == TAG_tr)
		markdown_close_row(table);
	else
		markdown_close_cell(table);
}

bool markdown_table_has_cell(const struct markdown_table *table)
{
	return table->shape != NULL && table->rows > 0;
}

void markdown_table_begin_line(struct markdown_table *table)
{
	if (table->lines++ > 0)
		buffer_append_text(table->blocks->out, "<br>");
}
