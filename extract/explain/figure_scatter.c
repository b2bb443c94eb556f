#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "extract/core/trace.h"
#include "extract/explain/figure_plot.h"

/*
 * Each group draws at most one point in a cell of the area, which limits the
 * size of the picture.
 */
enum {
	CELL = 3, /* pixels */
	CELL_COLUMNS = PLOT_COLUMNS / CELL + 1,
	CELL_ROWS = (PLOT_BOTTOM - PLOT_TOP) / CELL + 1,
	GROUPS = 4, /* with separate colours and shapes */
};

static struct plot make_scatter_plot(const struct figure *figure,
				     struct buffer *out)
{
	struct extent x = {0};
	struct extent y = {0};

	for (size_t i = 0; i < figure->point_count; i++) {
		const struct figure_point *point = &figure->points[i];

		if (!isfinite(point->x) || !isfinite(point->y))
			continue;
		extent_add(&x, (double)point->x);
		extent_add(&y, (double)point->y);
	}
	return (struct plot){
		.out = out,
		.x = axis_make_round(&x, PLOT_LEFT, PLOT_RIGHT),
		.y = axis_make_round(&y, PLOT_BOTTOM, PLOT_TOP),
	};
}

/*
 * Return the look of a group: group 0 has the first look, the others share the
 * rest.
 */
static unsigned look_of(uint32_t group)
{
	return group == 0 ? 0 : 1 + (group - 1) % (GROUPS - 1);
}

/* The points of a look. */
struct scatter_look {
	size_t count;
	uint32_t highest; /* highest of their groups */
};

static struct scatter_look append_points(struct plot *plot,
					 const struct figure *figure,
					 unsigned look, bool *is_taken)
{
	struct scatter_look drawn = {0};

	memset(is_taken, 0, (size_t)CELL_COLUMNS * CELL_ROWS);
	buffer_printf(plot->out, "<path class=\"g%u\" d=\"", look);
	for (size_t i = 0; i < figure->point_count; i++) {
		const struct figure_point *point = &figure->points[i];
		double x;
		double y;
		size_t cell;

		if (look_of(point->group) != look || !isfinite(point->x) ||
		    !isfinite(point->y))
			continue;
		drawn.count++;
		if (point->group > drawn.highest)
			drawn.highest = point->group;
		x = axis_place(&plot->x, (double)point->x);
		y = axis_place(&plot->y, (double)point->y);
		cell = (size_t)((y - PLOT_TOP) / CELL) * CELL_COLUMNS +
		       (size_t)((x - PLOT_LEFT) / CELL);
		if (!is_taken[cell])
			buffer_printf(plot->out, "M%.0f %.0fh0", x, y);
		is_taken[cell] = true;
	}
	buffer_append_text(plot->out, "\"/>\n");
	return drawn;
}

static void scatter_append_legend(struct plot *plot, unsigned look,
				  struct scatter_look drawn)
{
	char class[] = "g0";
	struct buffer text = {0};

	if (drawn.count == 0)
		return;
	class[1] = (char)('0' + look);
	if (look == 0)
		buffer_append_text(&text, "thrown away");
	else if (drawn.highest == look)
		buffer_printf(&text, "cluster %u", look);
	else
		buffer_printf(&text, "clusters %u, %u, ...", look,
			      look + GROUPS - 1);
	buffer_printf(&text, " (%zu)", drawn.count);
	plot_legend_dot(plot, class, text.data);
	buffer_free(&text);
}

void plot_scatter(const struct figure *figure, struct buffer *out)
{
	struct plot plot = make_scatter_plot(figure, out);
	bool *is_taken =
		mem_alloc((size_t)CELL_COLUMNS * CELL_ROWS, sizeof(*is_taken));

	plot_begin(&plot, figure);
	for (unsigned look = 0; look < GROUPS; look++)
		scatter_append_legend(
			&plot, look,
			append_points(&plot, figure, look, is_taken));
	plot_end(&plot);
	free(is_taken);
}
