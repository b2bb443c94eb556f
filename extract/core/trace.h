/*
 * extract/core/trace.h - how a method explains its result to people: why each
 * text was kept or dropped, and figures. It is filled only on request: every
 * function does nothing when `trace` is NULL, and costly work stands behind `if
 * (input->trace != NULL)`.
 */
#ifndef EXTRACT_CORE_TRACE_H
#define EXTRACT_CORE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

enum figure_kind {
	FIGURE_CURVE,     /* series over 0..count-1, ranges under them */
	FIGURE_HISTOGRAM, /* the distribution of the points' x */
	FIGURE_SCATTER,   /* points, coloured by group */
	FIGURE_BOXES,     /* rectangles, as on a screen: y grows downwards */
};

/* A curve: values[i] at i. */
struct figure_series {
	const char *name;
	const float *values; /* [count] */
	size_t count;
};

/* A part of a curve, half open: a ridge, a region. */
struct figure_range {
	float begin;
	float end;
	bool is_content;
	const char *label; /* or NULL */
};

struct figure_point {
	float x;
	float y;
	uint32_t group; /* 0: what the method drops */
};

struct figure_box {
	float left;
	float top;
	float width;
	float height;
	float value;       /* the method's own: darker is higher */
	bool is_content;   /* it was chosen */
	const char *label; /* or NULL */
};

enum { MAX_SERIES = 3, MAX_FIGURES = 4 };

/* Everything it points to belongs to the trace's arena. */
struct figure {
	enum figure_kind kind;
	const char *title;
	const char *x_label;
	const char *y_label;
	struct figure_series series[MAX_SERIES];
	size_t series_count;
	const struct figure_range *ranges; /* [range_count] */
	size_t range_count;
	const struct figure_point *points; /* [point_count] */
	size_t point_count;
	const struct figure_box *boxes; /* [box_count] */
	size_t box_count;
	bool has_threshold; /* across a curve, or down a histogram */
	float threshold;
};

struct trace {
	struct arena *arena;  /* the page's: it outlives the picture */
	const char **reasons; /* [text_count]: a phrase, or NULL */
	struct figure figures[MAX_FIGURES];
	size_t figure_count;
};

/* Begin a trace for a page of `text_count` texts; it belongs to `arena`. */
struct trace *trace_create(struct arena *arena, uint32_t text_count);

/* Why text `index` got its verdict: "12 of 40 pages hold it". At most 255
   bytes; the last one counts. */
void trace_reason(struct trace *trace, uint32_t index, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Add a figure; ignored when the trace is full or NULL. */
void trace_figure(struct trace *trace, const struct figure *figure);

/*
 * The distribution of `count` values, and which side of a threshold is dropped.
 */
struct histogram {
	const char *title;
	const char *x_label;
	const char *y_label;
	const double *values; /* [count]; NAN is not drawn */
	uint32_t count;
	double threshold;
	bool keeps_high; /* kept are values >= the threshold; otherwise values
			    <= it */
};

/* Add it as a figure: FIGURE_HISTOGRAM. */
void trace_histogram(struct trace *trace, const struct histogram *histogram);

#endif
