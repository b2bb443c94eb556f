/*
 * extract/core/trace.h - the explanation of a method's result: the reason why
 * the method chose or dropped each text, and figures. Methods fill it only on
 * request: every function does nothing if `trace` is NULL, and a method does
 * costly work only if input->trace is not NULL.
 */
#ifndef EXTRACT_CORE_TRACE_H
#define EXTRACT_CORE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct arena;

enum figure_kind {
	FIGURE_CURVE, /* the series as curves over 0..count-1, and the ranges
			 below them */
	FIGURE_HISTOGRAM, /* the distribution of the x values of the points */
	FIGURE_SCATTER,   /* points, coloured by group */
	FIGURE_BOXES, /* rectangles, as on a screen: y increases downwards */
};

/* A curve whose y is values[i] at x = i. */
struct figure_series {
	const char *name;
	const float *values; /* [count] */
	size_t count;
};

/* A half-open part of the x axis of a curve, such as a ridge or a region. */
struct figure_range {
	float begin;
	float end;
	bool is_content;
	const char *label; /* or NULL */
};

struct figure_point {
	float x;
	float y;
	uint32_t group; /* 0 = the method drops this point */
};

struct figure_box {
	float left;
	float top;
	float width;
	float height;
	float value; /* the method defines it; a higher value is drawn darker */
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
	bool has_threshold; /* drawn as a horizontal line in a curve, or a
			       vertical line in a histogram */
	float threshold;
};

struct trace {
	struct arena *arena; /* owns everything in the trace */
	const char *
		*reasons; /* [text_count]: a phrase for each text, or NULL */
	struct figure figures[MAX_FIGURES];
	size_t figure_count;
};

/*
 * Return a new trace for a page of `text_count` texts; it belongs to `arena`.
 */
struct trace *trace_create(struct arena *arena, uint32_t text_count);

/*
 * Set the reason for the verdict on text `index`, such as "12 of 40 pages hold
 * it". It is truncated after 255 bytes, and replaces an earlier reason.
 */
void trace_reason(struct trace *trace, uint32_t index, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Add a figure; do nothing if the trace is full or NULL. */
void trace_figure(struct trace *trace, const struct figure *figure);

/* A distribution of values, and which side of a threshold the method drops. */
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
