#include "extract/methods/tag_ratio_methods.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "extract/core/document_walk.h"
#include "extract/core/numeric.h"
#include "extract/methods/plain.h"
#include "extract/text/characters.h"
#include "extract/text/token_stream.h"
#include "page/scanner.h"

/*
 * The centroid of a cluster. Sums are doubles, because floats could overflow.
 */
struct centroid {
	double x;
	double y;
	double sum_x; /* sums over the points of the cluster */
	double sum_y;
	uint32_t points;
};

/* The state of Lloyd's algorithm. */
struct lloyd {
	const struct kmeans_point *points; /* [point_count], finite */
	uint32_t point_count;
	struct centroid centroids[MAX_CLUSTERS];
	uint32_t count;
	uint8_t *clusters; /* [point_count] */
};

static const struct kmeans_point *
finite_points(struct arena *arena, const struct kmeans_point *points,
	      uint32_t count)
{
	struct kmeans_point *finite =
		ARENA_NEW(arena, struct kmeans_point, count);

	for (uint32_t i = 0; i < count; i++) {
		finite[i].x = isfinite(points[i].x) ? points[i].x : 0;
		finite[i].y = isfinite(points[i].y) ? points[i].y : 0;
	}
	return finite;
}

/*
 * Return the squared distance of `point` to (x, y). It is at most 1e78, so it
 * is in the range of a double.
 */
static double kmeans_distance(struct kmeans_point point, double x, double y)
{
	double across = (double)point.x - x;
	double up = (double)point.y - y;

	return across * across + up * up;
}

/*
 * Return the squared distance of `point` to the nearest of the centroids, and
 * write the index of this centroid to *nearest_out.
 */
static double kmeans_nearest(const struct lloyd *lloyd,
			     struct kmeans_point point, uint32_t *nearest_out)
{
	double least = DBL_MAX;

	for (uint32_t i = 0; i < lloyd->count; i++) {
		const struct centroid *centroid = &lloyd->centroids[i];
		double apart = kmeans_distance(point, centroid->x, centroid->y);

		if (apart < least) {
			least = apart;
			*nearest_out = i;
		}
	}
	return least;
}

static void kmeans_add_seed(struct lloyd *lloyd, double x, double y)
{
	assert(lloyd->count < MAX_CLUSTERS);
	lloyd->centroids[lloyd->count++] = (struct centroid){.x = x, .y = y};
}

/*
 * Add the point that is farthest from all seeds as a seed. Return false if
 * every point is equal to a seed. Of points at the same distance, the
 * coordinates decide, so that the order of the points does not matter.
 */
static bool add_farthest(struct lloyd *lloyd)
{
	double most = 0;
	uint32_t farthest = 0;
	uint32_t ignored;

	for (uint32_t i = 0; i < lloyd->point_count; i++) {
		const struct kmeans_point *a = &lloyd->points[i];
		const struct kmeans_point *b = &lloyd->points[farthest];
		double apart = kmeans_nearest(lloyd, *a, &ignored);

		if (apart > most ||
		    (apart == most &&
		     (a->x > b->x || (a->x == b->x && a->y > b->y)))) {
			most = apart;
			farthest = i;
		}
	}
	if (most == 0)
		return false;
	kmeans_add_seed(lloyd, (double)lloyd->points[farthest].x,
			(double)lloyd->points[farthest].y);
	return true;
}

/*
 * Add the first seed, which is the point farthest from the mean, or the mean
 * itself if all points are equal.
 */
static void add_first(struct lloyd *lloyd)
{
	double x = 0;
	double y = 0;

	for (uint32_t i = 0; i < lloyd->point_count; i++) {
		x += (double)lloyd->points[i].x / lloyd->point_count;
		y += (double)lloyd->points[i].y / lloyd->point_count;
	}
	kmeans_add_seed(lloyd, x, y);
	if (!add_farthest(lloyd))
		return;
	lloyd->centroids[0] = lloyd->centroids[1];
	lloyd->count = 1;
}

/*
 * Assign every point to its nearest centroid. Return false if no point changed
 * its cluster.
 */
static bool kmeans_assign(struct lloyd *lloyd)
{
	bool is_changed = false;

	for (uint32_t i = 0; i < lloyd->count; i++) {
		lloyd->centroids[i].sum_x = 0;
		lloyd->centroids[i].sum_y = 0;
		lloyd->centroids[i].points = 0;
	}
	for (uint32_t i = 0; i < lloyd->point_count; i++) {
		struct kmeans_point point = lloyd->points[i];
		uint32_t cluster = 0;
		struct centroid *centroid;

		kmeans_nearest(lloyd, point, &cluster);
		is_changed |= lloyd->clusters[i] != cluster;
		lloyd->clusters[i] = (uint8_t)cluster;
		centroid = &lloyd->centroids[cluster];
		centroid->sum_x += (double)point.x;
		centroid->sum_y += (double)point.y;
		centroid->points++;
	}
	return is_changed;
}

/*
 * Move each centroid from index `first` on to the mean of its points. A
 * centroid without points does not move.
 */
static void kmeans_move(struct lloyd *lloyd, uint32_t first)
{
	for (uint32_t i = first; i < lloyd->count; i++) {
		struct centroid *centroid = &lloyd->centroids[i];

		if (centroid->points == 0)
			continue;
		centroid->x = centroid->sum_x / centroid->points;
		centroid->y = centroid->sum_y / centroid->points;
	}
}

/*
 * Return the clusters in the order of their distance from the origin. Clusters
 * without points are left out, except the one whose centroid is pinned at the
 * origin.
 */
static struct kmeans kmeans_result(struct lloyd *lloyd, bool pins_origin)
{
	const struct kmeans_point origin = {0, 0};
	struct kmeans kmeans = {.clusters = lloyd->clusters};
	double far[MAX_CLUSTERS];
	uint32_t order[MAX_CLUSTERS];
	uint8_t rank[MAX_CLUSTERS] = {0};

	for (uint32_t i = 0; i < lloyd->count; i++) {
		const struct centroid *centroid = &lloyd->centroids[i];
		double apart =
			kmeans_distance(origin, centroid->x, centroid->y);
		uint32_t at = kmeans.count;

		if (centroid->points == 0 && !(pins_origin && i == 0))
			continue;
		for (; at > 0 && far[at - 1] > apart; at--) {
			far[at] = far[at - 1];
			order[at] = order[at - 1];
		}
		far[at] = apart;
		order[at] = i;
		kmeans.count++;
	}
	for (uint32_t i = 0; i < kmeans.count; i++) {
		const struct centroid *centroid = &lloyd->centroids[order[i]];

		rank[order[i]] = (uint8_t)i;
		kmeans.centroids[i] = (struct kmeans_point){(float)centroid->x,
							    (float)centroid->y};
	}
	for (uint32_t i = 0; i < lloyd->point_count; i++)
		lloyd->clusters[i] = rank[lloyd->clusters[i]];
	return kmeans;
}

struct kmeans kmeans_run(struct arena *arena, const struct kmeans_point *points,
			 uint32_t point_count, uint32_t k, bool pins_origin)
{
	enum { MAX_ROUNDS = 100 };
	struct lloyd lloyd = {
		.points = finite_points(arena, points, point_count),
		.point_count = point_count,
		.clusters = ARENA_NEW(arena, uint8_t, point_count),
	};

	assert(k >= 1 && k <= MAX_CLUSTERS);
	if (pins_origin)
		kmeans_add_seed(&lloyd, 0, 0);
	else if (point_count > 0)
		add_first(&lloyd);
	while (lloyd.count < k && point_count > 0 && add_farthest(&lloyd))
		continue;
	kmeans_assign(&lloyd);
	for (int round = 0; round < MAX_ROUNDS; round++) {
		kmeans_move(&lloyd, pins_origin ? 1 : 0);
		if (!kmeans_assign(&lloyd))
			break;
	}
	return kmeans_result(&lloyd, pins_origin);
}

/* Counts of a line of the source. */
struct line {
	uint32_t characters; /* characters of visible text */
	uint32_t tags;
};

/* The lines under construction. `count` does not include the open line. */
struct lines {
	struct arena *arena;
	struct line *lines; /* [count] */
	uint32_t count;
	uint32_t capacity;
	struct line_part *parts; /* [part_count] */
	uint32_t part_count;
	uint32_t part_capacity;
	struct line line; /* the open line */
	uint32_t length;  /* length of the open line, including tags */
	uint64_t total;   /* sum of the lengths of all lines */
	uint32_t width;   /* maximum length of a line; UINT32_MAX = only line
			     breaks end a line */
};

/*
 * Return the array with space for one more item after the first `count`; it may
 * have moved. An item has `size` bytes.
 */
static void *line_array_grow(struct arena *arena, void *items, uint32_t count,
			     uint32_t *capacity, size_t size)
{
	void *grown;

	if (count < *capacity)
		return items;
	*capacity = *capacity == 0 ? 256 : *capacity * 2;
	grown = arena_alloc(arena, *capacity, size);
	if (count > 0)
		memcpy(grown, items, count * size);
	return grown;
}

/*
 * End the open line. Empty lines are left out, as in the source of the method.
 */
static void tag_ratio_end_line(struct lines *lines)
{
	lines->total += lines->length;
	lines->length = 0;
	if (lines->line.characters == 0 && lines->line.tags == 0)
		return;
	lines->lines = line_array_grow(lines->arena, lines->lines, lines->count,
				       &lines->capacity, sizeof(*lines->lines));
	lines->lines[lines->count++] = lines->line;
	lines->line = (struct line){0, 0};
}

static void add_part(struct lines *lines, uint32_t text, uint32_t characters)
{
	if (characters == 0)
		return;
	lines->line.characters += characters;
	lines->parts =
		line_array_grow(lines->arena, lines->parts, lines->part_count,
				&lines->part_capacity, sizeof(*lines->parts));
	lines->parts[lines->part_count++] =
		(struct line_part){text, lines->count, characters};
}

/*
 * Add the bytes of text node `text` to the lines. For NO_TEXT, the characters
 * do not count, but line breaks do.
 */
static void tag_ratio_add_text(struct lines *lines, uint32_t text,
			       const unsigned char *bytes, size_t size)
{
	uint32_t characters = 0;
	bool is_after_space = true;

	for (size_t i = 0; i < size;) {
		bool is_break = bytes[i] == '\n' || bytes[i] == '\r';
		bool space = is_space(bytes[i]);

		if (!is_break && !(space && is_after_space)) {
			characters++;
			lines->length++;
		}
		is_after_space = space;
		i += character_size(bytes + i, size - i);
		if (!is_break && lines->length < lines->width)
			continue;
		add_part(lines, text, text == NO_TEXT ? 0 : characters);
		tag_ratio_end_line(lines);
		characters = 0;
		is_after_space = true;
	}
	add_part(lines, text, text == NO_TEXT ? 0 : characters);
}

static struct lines tag_ratio_read_lines(struct arena *arena,
					 const struct page *page,
					 const bool *is_visible, uint32_t width)
{
	struct lines lines = {.arena = arena, .width = width};
	struct source_walk walk = source_walk_begin(page);
	struct token token;
	uint32_t text;

	while (source_walk_next(&walk, &token, &text)) {
		const unsigned char *source = page->source.data;
		const size_t size = token.source.end - token.source.begin;
		const bool is_tag = (token.kind == TOKEN_START ||
				     token.kind == TOKEN_END) &&
				    token.tag != TAG_script &&
				    token.tag != TAG_style;

		if (token.kind == TOKEN_TEXT)
			tag_ratio_add_text(&lines,
					   text != NO_TEXT && is_visible[text]
						   ? text
						   : NO_TEXT,
					   source + token.source.begin, size);
		if (!is_tag)
			continue;
		lines.line.tags++;
		lines.length += (uint32_t)size;
		if (lines.length >= lines.width)
			tag_ratio_end_line(&lines);
	}
	tag_ratio_end_line(&lines);
	return lines;
}

/*
 * Return the smoothed ratios: means over the lines at most `radius` away, with
 * the Gaussian weights exp(-d^2 / (2 radius^2)). At the ends of the page there
 * are fewer lines.
 */
static const float *tag_ratio_smooth(struct arena *arena, const float *ratios,
				     uint32_t count, uint32_t radius)
{
	double weights[MAX_TAG_RATIO_RADIUS + 1];
	float *smoothed = ARENA_NEW(arena, float, count);

	for (uint32_t d = 0; d <= radius; d++)
		weights[d] = exp(-(double)(d * d) / (2.0 * radius * radius));
	for (uint32_t i = 0; i < count; i++) {
		double sum = weights[0] * (double)ratios[i];
		double weight = weights[0];

		for (uint32_t d = 1; d <= radius; d++) {
			if (i >= d) {
				sum += weights[d] * (double)ratios[i - d];
				weight += weights[d];
			}
			if (i + d < count) {
				sum += weights[d] * (double)ratios[i + d];
				weight += weights[d];
			}
		}
		smoothed[i] = (float)(sum / weight);
	}
	return smoothed;
}

/*
 * The source breaks pages with "all of the code on one line", but it defines no
 * limit. Here, a page has hardly any line breaks if its lines have more than
 * 400 characters on average, including tags. This limit has the highest mean
 * word F1 (tests/eval/RESULTS.md, "What parameters were chosen by").
 */
struct tag_ratios tag_ratios_make(const struct extractor_input *input)
{
	enum { LONG_LINE = 400 };
	struct arena *arena = input->arena;
	const double *parameters = input->parameters;
	const bool *is_visible = visible_texts(arena, input->page);
	struct lines lines = tag_ratio_read_lines(arena, input->page,
						  is_visible, UINT32_MAX);
	struct tag_ratios ratios = {.is_visible = is_visible};
	float *values;

	if (lines.total > (uint64_t)lines.count * LONG_LINE)
		lines = tag_ratio_read_lines(
			arena, input->page, is_visible,
			(uint32_t)parameters[TAG_RATIO_WIDTH]);
	values = ARENA_NEW(arena, float, lines.count);
	for (uint32_t i = 0; i < lines.count; i++) {
		const struct line *line = &lines.lines[i];

		values[i] = (float)line->characters /
			    (float)(line->tags == 0 ? 1 : line->tags);
	}
	ratios.ratios = values;
	ratios.smoothed =
		tag_ratio_smooth(arena, ratios.ratios, lines.count,
				 (uint32_t)parameters[TAG_RATIO_RADIUS]);
	ratios.is_content = ARENA_NEW(arena, bool, lines.count);
	ratios.count = lines.count;
	ratios.parts = lines.parts;
	ratios.part_count = lines.part_count;
	return ratios;
}

void tag_ratios_judge(const struct extractor_input *input,
		      const struct tag_ratios *ratios, struct verdict *verdicts)
{
	uint32_t part = 0;

	for (uint32_t i = 0; i < input->page->text_count; i++) {
		uint32_t characters = 0;
		uint32_t content = 0;
		double sum = 0;
		float score;

		for (;
		     part < ratios->part_count && ratios->parts[part].text == i;
		     part++) {
			const struct line_part *p = &ratios->parts[part];

			characters += p->characters;
			sum += (double)p->characters *
			       (double)ratios->smoothed[p->line];
			if (ratios->is_content[p->line])
				content += p->characters;
		}
		score = characters == 0 ? 0 : (float)(sum / characters);
		verdicts[i] = (struct verdict){score, content > characters / 2};
		if (!ratios->is_visible[i])
			trace_reason(input->trace, i, "not visible");
		else
			trace_reason(input->trace, i,
				     "%u of %u characters on content lines, "
				     "tag ratio %.1f",
				     content, characters, (double)score);
	}
}

/*
 * Add a figure with the smoothed ratio of each line, and with a horizontal line
 * at `threshold`.
 */
static void tag_ratios_draw(const struct extractor_input *input,
			    const struct tag_ratios *ratios, float threshold)
{
	struct arena *arena = input->trace->arena;
	const struct figure figure = {
		.kind = FIGURE_CURVE,
		.title = "Tag ratio histogram",
		.x_label = curve_label(arena, "lines", ratios->count),
		.y_label = "characters per tag",
		.series = {curve_series(arena, "smoothed", ratios->smoothed,
					ratios->count),
			   curve_series(arena, "tag ratio", ratios->ratios,
					ratios->count)},
		.series_count = 2,
		.has_threshold = true,
		.threshold = threshold,
	};

	trace_figure(input->trace, &figure);
}

/* All three values are from the source. */
static const struct parameter cetr_parameters[] = {
	[TAG_RATIO_RADIUS] = TAG_RATIO_RADIUS_ROW,
	[TAG_RATIO_WIDTH] = TAG_RATIO_WIDTH_ROW,
	[TAG_RATIO_LIMIT] = {"clusters", "", 2, MAX_CLUSTERS, 3,
			     "of lines; the cluster at the origin is noise"},
};

/*
 * Return the mean ratio of the next three lines (fewer at the end of the page)
 * minus the ratio of the line.
 */
static float tag_ratio_derivative(const struct tag_ratios *ratios,
				  uint32_t line)
{
	enum { NEXT = 3 };
	double sum = 0;
	uint32_t next = 0;

	while (next < NEXT && line + next + 1 < ratios->count)
		sum += (double)ratios->smoothed[line + ++next];
	if (next == 0)
		return 0;
	return (float)(sum / next - (double)ratios->smoothed[line]);
}

/*
 * Return a point for each line. Its x is the smoothed ratio, and its y the
 * derivative if has_derivative, and otherwise 0.
 */
static const struct kmeans_point *points_of(struct arena *arena,
					    const struct tag_ratios *ratios,
					    bool has_derivative)
{
	struct kmeans_point *points =
		ARENA_NEW(arena, struct kmeans_point, ratios->count);

	for (uint32_t i = 0; i < ratios->count; i++) {
		points[i].x = ratios->smoothed[i];
		if (has_derivative)
			points[i].y = fabsf(tag_ratio_derivative(ratios, i));
	}
	return points;
}

/*
 * Add a figure of the points of the lines. If there are too many lines for a
 * figure, draw an even selection. Group 0 is noise.
 */
static void cetr_draw(const struct extractor_input *input,
		      const struct kmeans_point *points,
		      const struct kmeans *kmeans, uint32_t count)
{
	uint32_t step = curve_step(count);
	struct figure_point *drawn = ARENA_NEW(
		input->trace->arena, struct figure_point, count / step + 1);
	struct figure figure = {
		.kind = FIGURE_SCATTER,
		.title = "Lines of the source",
		.x_label = "smoothed tag ratio",
		.y_label = "absolute derivative",
		.points = drawn,
	};

	for (uint32_t i = 0; i < count; i += step)
		drawn[figure.point_count++] = (struct figure_point){
			points[i].x, points[i].y, kmeans->clusters[i]};
	trace_figure(input->trace, &figure);
}

static void cetr_run(const struct extractor_input *input,
		     struct verdict *verdicts)
{
	struct tag_ratios ratios = tag_ratios_make(input);
	const struct kmeans_point *points =
		points_of(input->arena, &ratios, true);
	struct kmeans kmeans =
		kmeans_run(input->arena, points, ratios.count,
			   (uint32_t)input->parameters[TAG_RATIO_LIMIT], true);

	for (uint32_t i = 0; i < ratios.count; i++)
		ratios.is_content[i] = kmeans.clusters[i] > 0;
	tag_ratios_judge(input, &ratios, verdicts);
	if (input->trace != NULL)
		cetr_draw(input, points, &kmeans, ratios.count);
}

const struct extractor extractor_cetr = {
	.name = "cetr",
	.summary = "Lines with much text and few tags, and lines where the "
		   "ratio changes.",
	.source = "Weninger, Hsu, Han, CETR: Content Extraction via Tag "
		  "Ratios, WWW 2010",
	PARAMETERS(cetr_parameters),
	.run = cetr_run,
};

/* All three values are from the source. */
static const struct parameter cetr_km_parameters[] = {
	[TAG_RATIO_RADIUS] = TAG_RATIO_RADIUS_ROW,
	[TAG_RATIO_WIDTH] = TAG_RATIO_WIDTH_ROW,
	[TAG_RATIO_LIMIT] =
		{"clusters", "", 2, MAX_CLUSTERS, 3,
		 "of lines; the cluster with the lowest ratios is noise"},
};

static void cetr_km_run(const struct extractor_input *input,
			struct verdict *verdicts)
{
	struct tag_ratios ratios = tag_ratios_make(input);
	struct kmeans kmeans = kmeans_run(
		input->arena, points_of(input->arena, &ratios, false),
		ratios.count, (uint32_t)input->parameters[TAG_RATIO_LIMIT],
		false);
	/* the middle between the lowest and the second lowest centroid */
	float threshold =
		kmeans.count < 2
			? 0
			: (kmeans.centroids[0].x + kmeans.centroids[1].x) / 2;

	for (uint32_t i = 0; i < ratios.count; i++)
		/* if there is only one cluster, no line is noise */
		ratios.is_content[i] =
			kmeans.clusters[i] > 0 || kmeans.count == 1;
	tag_ratios_judge(input, &ratios, verdicts);
	if (input->trace != NULL)
		tag_ratios_draw(input, &ratios, threshold);
}

const struct extractor extractor_cetr_km = {
	.name = "cetr-km",
	.summary = "Lines with much text and few tags: clustered.",
	.source = "Weninger, Hsu, Han, CETR: Content Extraction via Tag "
		  "Ratios, WWW 2010, k-means (CETR-KM)",
	PARAMETERS(cetr_km_parameters),
	.run = cetr_km_run,
};

/*
 * The radius is from the source. The source does not define lambda; this value
 * has the highest mean word F1 over five sets (tests/eval/RESULTS.md, "What
 * parameters were chosen by"). The parameter "width" is not in the source. In
 * the source, CETR is the best of the three versions and CETR-KM the second
 * best; here no version is the best on all sets.
 */
static const struct parameter cetr_tm_parameters[] = {
	[TAG_RATIO_RADIUS] = TAG_RATIO_RADIUS_ROW,
	[TAG_RATIO_WIDTH] = TAG_RATIO_WIDTH_ROW,
	[TAG_RATIO_LIMIT] = {"lambda", "standard deviations", 0, 10, 1.5,
			     "lines with a higher ratio are content"},
};

/*
 * Return the standard deviation of the smoothed ratios of all lines; 0 without
 * lines.
 */
static double standard_deviation(const struct tag_ratios *ratios)
{
	double mean = 0;
	double squares = 0;

	for (uint32_t i = 0; i < ratios->count; i++)
		mean += (double)ratios->smoothed[i] / ratios->count;
	for (uint32_t i = 0; i < ratios->count; i++)
		squares += pow((double)ratios->smoothed[i] - mean, 2);
	return ratios->count == 0 ? 0 : sqrt(squares / ratios->count);
}

static void cetr_tm_run(const struct extractor_input *input,
			struct verdict *verdicts)
{
	struct tag_ratios ratios = tag_ratios_make(input);
	double threshold = input->parameters[TAG_RATIO_LIMIT] *
			   standard_deviation(&ratios);

	for (uint32_t i = 0; i < ratios.count; i++)
		ratios.is_content[i] = (double)ratios.smoothed[i] > threshold;
	tag_ratios_judge(input, &ratios, verdicts);
	if (input->trace != NULL)
		tag_ratios_draw(input, &ratios, (float)threshold);
}

const struct extractor extractor_cetr_tm = {
	.name = "cetr-tm",
	.summary = "Lines with much text and few tags: over a threshold.",
	.source = "Weninger, Hsu, Han, CETR: Content Extraction via Tag "
		  "Ratios, WWW 2010, threshold method (CETR-TM)",
	PARAMETERS(cetr_tm_parameters),
	.run = cetr_tm_run,
};
