#include "cluster/spanning_forest.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

void spanning_forest_begin(struct spanning_forest *forest)
{
	*forest = (struct spanning_forest){.free = NO_TABLE_ROW};
}

void spanning_forest_end(struct spanning_forest *forest)
{
	free(forest->halves);
	spanning_forest_begin(forest);
}

/* Return the first of the edge's two rows. */
static uint32_t add_edge(struct spanning_forest *forest)
{
	uint32_t row = forest->free;

	if (row != NO_TABLE_ROW) {
		forest->free = forest->halves[row].next;
		assert(row % 2 == 0 && row + 1 < forest->rows);
		return row;
	}
	/* The capacity is even. */
	forest->halves = mem_grow(forest->halves, forest->rows,
				  &forest->capacity, sizeof(*forest->halves));
	row = forest->rows;
	assert(forest->rows % 2 == 0 && forest->rows + 1 < forest->capacity);
	forest->rows += 2;
	return row;
}

static void spanning_forest_attach_half(struct spanning_forest *forest,
					struct signature_table *table,
					uint32_t half, uint32_t set)
{
	uint32_t next = table->sets[set].first_edge;

	assert(half < forest->rows);
	assert(set < table->set_rows && table->sets[set].is_used);
	forest->halves[half].next = next;
	forest->halves[half].previous = NO_TABLE_ROW;
	if (next != NO_TABLE_ROW)
		forest->halves[next].previous = half;
	table->sets[set].first_edge = half;
}

static void spanning_forest_detach_half(struct spanning_forest *forest,
					struct signature_table *table,
					uint32_t half, uint32_t set)
{
	struct spanning_forest_half row = forest->halves[half];

	assert(half < forest->rows);
	assert(row.previous != NO_TABLE_ROW ||
	       table->sets[set].first_edge == half);
	if (row.previous == NO_TABLE_ROW)
		table->sets[set].first_edge = row.next;
	else
		forest->halves[row.previous].next = row.next;
	if (row.next != NO_TABLE_ROW)
		forest->halves[row.next].previous = row.previous;
}

void spanning_forest_link(struct spanning_forest *forest,
			  struct signature_table *table, uint32_t a, uint32_t b)
{
	uint32_t edge = add_edge(forest);

	assert(a != b);
	forest->halves[edge].to = b;
	forest->halves[edge + 1].to = a;
	spanning_forest_attach_half(forest, table, edge, a);
	spanning_forest_attach_half(forest, table, edge + 1, b);
}

void spanning_forest_isolate(struct spanning_forest *forest,
			     struct signature_table *table, uint32_t set,
			     struct int_list *neighbours)
{
	uint32_t half = table->sets[set].first_edge;

	assert(set < table->set_rows);
	neighbours->count = 0;
	while (half != NO_TABLE_ROW) {
		uint32_t next = forest->halves[half].next;
		uint32_t edge = half & ~1U;

		assert(forest->halves[half ^ 1].to == set);
		assert(forest->halves[half].to != set);
		int_list_push(neighbours, forest->halves[half].to);
		spanning_forest_detach_half(forest, table, half ^ 1,
					    forest->halves[half].to);
		forest->halves[edge].next = forest->free;
		forest->free = edge;
		half = next;
	}
	table->sets[set].first_edge = NO_TABLE_ROW;
}

void spanning_forest_clear(struct spanning_forest *forest,
			   struct signature_table *table)
{
	for (uint32_t i = 0; i < table->set_rows; i++)
		table->sets[i].first_edge = NO_TABLE_ROW;
	forest->rows = 0;
	forest->free = NO_TABLE_ROW;
}
