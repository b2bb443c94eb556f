#include "extract/methods/box_layout.h"
#include "tests/unit/run.h"

/* A figure of `count` blocks, whose width is their index + 1. */
static struct figure draw(struct arena *arena, uint32_t count, uint32_t chosen)
{
	struct trace *trace = trace_create(arena, 0);
	struct box_figure figure = box_figure_begin(trace, chosen);

	for (uint32_t i = 0; i < count; i++)
		box_figure_add(&figure, i,
			       (struct figure_box){.width = (float)(i + 1)},
			       "block %u", i);
	box_figure_end(&figure, "Title");
	ck_assert_uint_eq(trace->figure_count, 1);
	return trace->figures[0];
}

TEST(all_blocks_are_drawn_up_to_the_limit)
{
	AUTO_ARENA *arena = arena_create();
	struct figure figure = draw(arena, 2000, 1999);

	ck_assert_uint_eq(figure.box_count, 2000);
	ck_assert_str_eq(figure.boxes[7].label, "block 7");
	ck_assert(!figure.boxes[7].is_content);
	ck_assert(figure.boxes[1999].is_content);
}

TEST(the_chosen_one_has_room_beyond_the_limit)
{
	AUTO_ARENA *arena = arena_create();
	struct figure figure = draw(arena, 2003, 2001);

	ck_assert_uint_eq(figure.box_count, 2000);
	ck_assert_float_eq(figure.boxes[1998].width, 1999);
	ck_assert_float_eq(figure.boxes[1999].width, 2002);
	ck_assert(figure.boxes[1999].is_content);
}

TEST(none_may_be_chosen)
{
	AUTO_ARENA *arena = arena_create();
	struct figure figure = draw(arena, 2001, UINT32_MAX);

	ck_assert_uint_eq(figure.box_count, 2000);
	ck_assert(!figure.boxes[1999].is_content);
}
