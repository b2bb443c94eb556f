#include "cluster/forest.h"

#include <stdlib.h>

#include "store/memory.h"

void forest_begin(struct forest *forest)
{
	*forest = (struct forest){.free = NOBODY};
}

void forest_end(struct forest *forest)
{
	free(forest->halves);
	forest_begin(forest);
}

/* The first of two rows. */
static uint32_t add_edge(struct forest *forest)
{
	uint32_t row = forest->free;

	if (row != NOBODY) {
		forest->free = forest->halves[row].next;
		return row;
	}
	/* The capacity is even. */
	forest->halves = mem_grow(forest->halves, forest->rows,
				  &forest->capacity, sizeof(*forest->halves));
	row = forest->rows;
	forest->rows += 2;
	return row;
}

static void attach(struct forest *forest, struct roster *roster, uint32_t half,
		   uint32_t set)
{
	uint32_t next = roster->sets[set].first_edge;

	forest->halves[half].next = next;
	forest->halves[half].previous = NOBODY;
	if (next != NOBODY)
		forest->halves[next].previous = half;
	roster->sets[set].first_edge = half;
}

static void detach(struct forest *forest, struct roster *roster, uint32_t half,
		   uint32_t set)
{
	struct forest_half row = forest->halves[half];

	if (row.previous == NOBODY)
		roster->sets[set].first_edge = row.next;
	else
		forest->halves[row.previous].next = row.next;
	if (row.next != NOBODY)
		forest->halves[row.next].previous = row.previous;
}

void forest_link(struct forest *forest, struct roster *roster, uint32_t a,
		 uint32_t b)
{
	uint32_t edge = add_edge(forest);

	forest->halves[edge].to = b;
	forest->halves[edge + 1].to = a;
	attach(forest, roster, edge, a);
	attach(forest, roster, edge + 1, b);
}

void forest_isolate(struct forest *forest, struct roster *roster, uint32_t set,
		    struct list *neighbours)
{
	uint32_t half = roster->sets[set].first_edge;

	neighbours->count = 0;
	while (half != NOBODY) {
		uint32_t next = forest->halves[half].next;
		uint32_t edge = half & ~1U;

		list_push(neighbours, forest->halves[half].to);
		detach(forest, roster, half ^ 1, forest->halves[half].to);
		forest->halves[edge].next = forest->free;
		forest->free = edge;
		half = next;
	}
	roster->sets[set].first_edge = NOBODY;
}

void forest_clear(struct forest *forest, struct roster *roster)
{
	for (uint32_t i = 0; i < roster->set_rows; i++)
		roster->sets[i].first_edge = NOBODY;
	forest->rows = 0;
	forest->free = NOBODY;
}
