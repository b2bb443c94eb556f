#include "extract/explain/plot.h"

#include <math.h>

#include <libxml/parser.h>

#include "base/memory.h"
#include "extract/core/trace.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/* The picture, which must be well-formed XML with svg as its root; free(). */
static char *draw(const struct figure *figure)
{
	struct buffer out = {0};
	xmlDocPtr document;

	plot_svg(figure, &out);
	document = xmlReadMemory(out.data, (int)out.size, "figure.svg", NULL,
				 XML_PARSE_NONET | XML_PARSE_HUGE);
	ck_assert_msg(document != NULL, "%.2000s", out.data);
	ck_assert_str_eq((const char *)xmlDocGetRootElement(document)->name,
			 "svg");
	xmlFreeDoc(document);
	return out.data;
}

static size_t count_of(const char *text, const char *part)
{
	size_t count = 0;

	for (; (text = strstr(text, part)) != NULL; text++)
		count++;
	return count;
}

TEST(nothing_can_be_drawn_in_every_kind)
{
	for (int kind = FIGURE_CURVE; kind <= FIGURE_BOXES; kind++) {
		const struct figure figure = {.kind = (enum figure_kind)kind};
		AUTO_TEXT *svg = draw(&figure);

		ck_assert_ptr_null(strstr(svg, "nan"));
		ck_assert_ptr_null(strstr(svg, "inf"));
	}
}

TEST(labels_are_text_whatever_they_say)
{
	static const char hostile[] = "</svg></title><script>x()</script>'\"&";
	static const float values[] = {0, 1};
	const struct figure_range range = {0, 1, true, hostile};
	const struct figure_box box = {0, 0, 9, 9, 1, true, hostile};
	struct figure figure = {
		.title = hostile,
		.x_label = hostile,
		.y_label = hostile,
		.series = {{hostile, values, 2}},
		.series_count = 1,
		.ranges = &range,
		.range_count = 1,
		.boxes = &box,
		.box_count = 1,
	};

	for (int kind = FIGURE_CURVE; kind <= FIGURE_BOXES; kind++) {
		AUTO_TEXT *svg;

		figure.kind = (enum figure_kind)kind;
		svg = draw(&figure);
		ck_assert_ptr_null(strstr(svg, "<script"));
		ck_assert_uint_ge(count_of(svg, "&lt;script&gt;x()"), 4);
	}
}

TEST(a_long_curve_keeps_its_peak_and_is_small)
{
	enum { COUNT = 1000000 };
	float *values = mem_alloc(COUNT, sizeof(*values));
	struct figure figure = {
		.kind = FIGURE_CURVE,
		.series = {{"ratio", values, COUNT}},
		.series_count = 1,
		.has_threshold = true,
		.threshold = 0.5F,
	};
	AUTO_TEXT *svg;

	values[123456] = 1;
	values[7] = NAN;
	values[8] = INFINITY;
	svg = draw(&figure);
	/* pixel 70 + 870 * .123456 = 177.4; 66 is the top of the area */
	ck_assert_ptr_nonnull(strstr(svg, "L177.4 66.0"));
	ck_assert_ptr_nonnull(strstr(svg, ">threshold 0.5</text>"));
	ck_assert_ptr_nonnull(strstr(svg, "M70.0 191.0H940.0"));
	ck_assert_uint_lt(strlen(svg), 40000);
	free(values);
}

TEST(a_short_curve_is_drawn_point_by_point)
{
	/* 870 pixels for 0 to 2; 250 for 0 to 4, with 316 as the bottom */
	static const float values[] = {0, 4, 1};
	const struct figure_range ranges[] = {{0, 1, true, NULL},
					      {1, 2, false, "low"}};
	const struct figure figure = {
		.kind = FIGURE_CURVE,
		.series = {{"a", values, 3}},
		.series_count = 1,
		.ranges = ranges,
		.range_count = 2,
	};
	AUTO_TEXT *svg = draw(&figure);

	ck_assert_ptr_nonnull(
		strstr(svg, "d=\"M70.0 316.0L505.0 66.0L940.0 253.5\""));
	ck_assert_ptr_nonnull(strstr(svg, "<rect class=\"r1\" x=\"70.0\" "
					  "y=\"66.0\" width=\"435.0\""));
	ck_assert_ptr_nonnull(strstr(svg, "<title>low</title>"));
}

TEST(many_narrow_ranges_become_a_few_bands)
{
	enum { COUNT = 200000 };
	struct figure_range *ranges = mem_alloc(COUNT, sizeof(*ranges));
	static float values[COUNT];
	const struct figure figure = {
		.kind = FIGURE_CURVE,
		.series = {{"a", values, COUNT}},
		.series_count = 1,
		.ranges = ranges,
		.range_count = COUNT,
	};
	AUTO_TEXT *svg;

	for (int i = 0; i < COUNT; i++)
		ranges[i] = (struct figure_range){(float)i, (float)i + 0.5F,
						  i % 2 == 0, NULL};
	svg = draw(&figure);
	ck_assert_uint_le(count_of(svg, "class=\"r"), 4);
	free(ranges);
}

TEST(bars_count_points_by_group)
{
	/* whole numbers 1 to 9 have a bin each */
	const struct figure_point points[] = {
		{1, 0, 1}, {1, 0, 1}, {2, 0, 1}, {9, 0, 0}, {NAN, 0, 0}};
	const struct figure figure = {
		.kind = FIGURE_HISTOGRAM,
		.points = points,
		.point_count = 5,
		.has_threshold = true,
		.threshold = 3,
	};
	AUTO_TEXT *svg = draw(&figure);

	ck_assert_ptr_nonnull(strstr(svg, "<title>1: 2 kept</title>"));
	ck_assert_ptr_nonnull(strstr(svg, "<title>2: 1 kept</title>"));
	ck_assert_ptr_nonnull(strstr(svg, "<title>9: 1 thrown away</title>"));
	ck_assert_uint_eq(count_of(svg, "<title>"), 3);
	ck_assert_ptr_null(strstr(svg, "log scale"));
	/* nine bins from .5 on: 3 is the middle of the third */
	ck_assert_ptr_nonnull(strstr(svg, "M311.7 316.0V66.0"));
}

TEST(a_wide_histogram_counts_by_powers_of_ten)
{
	struct figure_point points[1003] = {{0}};
	const struct figure figure = {
		.kind = FIGURE_HISTOGRAM,
		.points = points,
		.point_count = 1003,
	};
	AUTO_TEXT *svg;

	for (int i = 1; i <= 3; i++)
		points[i].x = (float)i;
	svg = draw(&figure);
	ck_assert_ptr_nonnull(strstr(svg, "(log scale)"));
	ck_assert_ptr_nonnull(strstr(svg, "<title>0: 1000 thrown"));
	ck_assert_ptr_nonnull(strstr(svg, "<title>3: 1 thrown"));
}

TEST(points_of_a_cell_are_drawn_once_and_counted_all)
{
	enum { COUNT = 100000 };
	struct figure_point *points = mem_alloc(COUNT, sizeof(*points));
	const struct figure figure = {
		.kind = FIGURE_SCATTER,
		.points = points,
		.point_count = COUNT,
	};
	char *svg;

	for (int i = 0; i < COUNT; i++)
		points[i] = (struct figure_point){(float)(i % 10), 0,
						  i % 2 == 0 ? 0 : 2};
	points[0].x = INFINITY;
	svg = draw(&figure);
	/* five cells of each group, and its entry in the legend */
	ck_assert_uint_eq(count_of(svg, "h0"), 12);
	ck_assert_ptr_nonnull(strstr(svg, "thrown away (49999)"));
	ck_assert_ptr_nonnull(strstr(svg, "cluster 2 (50000)"));
	free(svg);
	points[1].group = 5;
	svg = draw(&figure);
	ck_assert_ptr_nonnull(strstr(svg, "clusters 2, 5, ... (50000)"));
	free(svg);
	free(points);
}

TEST(boxes_keep_their_shape)
{
	/* 1740 pixels on 870: half the size */
	const struct figure_box boxes[] = {
		{0, 0, 1740, 400, 1, false, "body"},
		{100, 40, 200, 100, 2e6F, true, "div"},
		{0, 0, NAN, 1, 0, false, NULL},
		{0, 0, -5, 1, 0, false, NULL},
	};
	const struct figure figure = {
		.kind = FIGURE_BOXES, .boxes = boxes, .box_count = 4};
	AUTO_TEXT *svg = draw(&figure);

	ck_assert_ptr_nonnull(
		strstr(svg, "<rect class=\"by\" x=\"120.0\" y=\"86.0\" "
			    "width=\"100.0\" height=\"50.0\""));
	ck_assert_ptr_nonnull(strstr(
		svg, "<title>div: 2M; 200 x 100 at 100, 40; chosen</title>"));
	ck_assert_uint_eq(count_of(svg, "<title>"), 2);
	/* the values are in their boxes */
	ck_assert_ptr_nonnull(
		strstr(svg, "<text x=\"124.0\" y=\"99.0\">2M</text>"));
	ck_assert_ptr_nonnull(
		strstr(svg, "<text x=\"74.0\" y=\"79.0\">1</text>"));
}

TEST(the_chosen_box_is_drawn_after_any_number_of_others)
{
	enum { COUNT = 100000 };
	struct figure_box *boxes = mem_alloc(COUNT, sizeof(*boxes));
	const struct figure figure = {
		.kind = FIGURE_BOXES, .boxes = boxes, .box_count = COUNT};
	AUTO_TEXT *svg;

	for (int i = 0; i < COUNT; i++)
		boxes[i] = (struct figure_box){0,        (float)i,       9,   9,
					       (float)i, i == COUNT - 1, NULL};
	svg = draw(&figure);
	ck_assert_uint_eq(count_of(svg, "; chosen</title>"), 1);
	ck_assert_uint_lt(strlen(svg), 500000);
	free(boxes);
}

static float random_value(uint64_t *state)
{
	static const float odd[] = {NAN,      INFINITY, -INFINITY, 3.4e38F,
				    -3.4e38F, 1e-38F,   0,         -1e30F};

	if (random_next(state) % 4 == 0)
		return odd[random_next(state) % 8];
	return (float)(random_next(state) % 1000) - 500;
}

TEST(any_numbers_make_a_picture)
{
	enum { COUNT = 24 };

	for (uint64_t seed = 1; seed <= 500; seed++) {
		uint64_t state = seed * 0x9E3779B97F4A7C15U + 1;
		float values[COUNT];
		struct figure_range ranges[COUNT];
		struct figure_point points[COUNT];
		struct figure_box boxes[COUNT];
		struct figure figure = {
			.kind = (enum figure_kind)(seed % 4),
			.series = {{"s", values, random_next(&state) % COUNT}},
			.series_count = 1,
			.ranges = ranges,
			.range_count = random_next(&state) % COUNT,
			.points = points,
			.point_count = random_next(&state) % COUNT,
			.boxes = boxes,
			.box_count = random_next(&state) % COUNT,
			.has_threshold = true,
			.threshold = random_value(&state),
		};
		AUTO_TEXT *svg;

		for (int i = 0; i < COUNT; i++) {
			values[i] = random_value(&state);
			ranges[i] = (struct figure_range){random_value(&state),
							  random_value(&state),
							  i % 2 == 0, NULL};
			points[i] = (struct figure_point){random_value(&state),
							  random_value(&state),
							  (uint32_t)i};
			boxes[i] = (struct figure_box){random_value(&state),
						       random_value(&state),
						       random_value(&state),
						       random_value(&state),
						       random_value(&state),
						       i % 2 == 0,
						       NULL};
		}
		svg = draw(&figure);
		ck_assert_msg(strstr(svg, "nan") == NULL &&
				      strstr(svg, "inf") == NULL,
			      "seed %d: %s", (int)seed, svg);
	}
}

static void assert_number(double value, const char *expected)
{
	AUTO_BUFFER out = {0};

	append_number(&out, value);
	ck_assert_str_eq(out.data, expected);
}

TEST(numbers_are_short)
{
	assert_number(0.25, "0.25");
	assert_number(-3, "-3");
	assert_number(1200, "1200");
	assert_number(34000, "34k");
	assert_number(5600000, "5.6M");
	assert_number(2e9, "2G");
	assert_number(6.8e13, "68T");
	assert_number(7e15, "7e+15");
}

TEST(ticks_are_at_round_numbers)
{
	ck_assert_double_eq_tol(axis_step(1, 10), 0.1, 1e-12);
	ck_assert_double_eq_tol(axis_step(1, 8), 0.2, 1e-12);
	ck_assert_double_eq_tol(axis_step(24, 8), 5, 1e-12);
	ck_assert_double_eq_tol(axis_step(600, 10), 100, 1e-12);
}
