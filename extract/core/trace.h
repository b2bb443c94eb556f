/*
 * extract/core/trace.h - the explanation of a method's result: the reason why
 * each text was kept or dropped, and figures. Methods fill it only on request:
 * every function does nothing if `trace` is NULL, and costly work is guarded by
 * `if (input->trace != NULL)`.
 */
#ifndef EXTRACT_CORE_TRACE_H
#define EXTRACT_CORE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct arena;

enum figure_kind {
	FIGURE_CURVE,     /* series over 0..count-1, with ranges below them */
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

/* A half-open part of a curve: a ridge, a region. */
struct figure_range {
	float begin;
	float end;
	bool is_content;
	const char *label; /* or NULL */
};

struct figure_point {
	float x;
	float y;
	uint32_t group; /* 0: the method drops it */
};

struct figure_box {
	float left;
	float top;
	float width;
	float height;
	float value;       /* defined by the method: darker is higher */
	bool is_content;   /* the method chose it */
	const char *label; /* or NULL */
};

enum { MAX_SERIES = 3, MAX_FIGURES = 4 };

/* All pointers belong to the trace's arena. */
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
	bool has_threshold; /* drawn across a curve, or down a histogram */
	float threshold;
};

struct trace {
	struct arena *arena;  /* the page's arena, which outlives the picture */
	const char **reasons; /* [text_count]: a phrase, or NULL */
	struct figure figures[MAX_FIGURES];
	size_t figure_count;
};

/*
 * Return a new trace for a page of `text_count` texts; it belongs to `arena`.
 */
struct trace *trace_create(struct arena *arena, uint32_t text_count);

/*
 * Set the reason for the verdict on text `index`: "12 of 40 pages hold it". At
 * most 255 bytes; a later reason replaces an earlier one.
 */
void trace_reason(struct trace *trace, uint32_t index, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Add a figure; do nothing if the trace is full or NULL. */
void trace_figure(struct trace *trace, const struct figure *figure);

/*
 * The distribution of `count` values, and which side of a threshold the method
 * drops.
 */
struct value_histogram {
	const char *title;
	const char *x_label;
	const char *y_label;
	const double *values; /* [count]; NAN is not drawn */
	uint32_t count;
	double threshold;
	bool keeps_high; /* the method keeps values >= the threshold; otherwise
			    values <= it */
};

/* Add the histogram as a figure: FIGURE_HISTOGRAM. */
void trace_histogram(struct trace *trace,
		     const struct value_histogram *histogram);

#endif
