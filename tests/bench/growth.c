#include "tests/bench/growth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "page/page.h"
#include "tests/bench/frequencies.h"
#include "tests/bench/stopwatch.h"

enum { SIZES = 4 };

static const size_t sizes[SIZES] = {10000, 100000, 1000000, 10000000};
static const unsigned rounds_of[SIZES] = {51, 11, 5, 3};
static const double highest_exponent = 1.15;

/* Room for what a page of 10 MB holds, so that nothing is cut. */
static const struct page_limits limits = {
	.max_bytes = 12 << 20,
	.max_nodes = 4 << 20,
	.max_depth = 512,
	.max_attributes = 256,
};

/* Where `tag` begins in the source, or `otherwise`. */
static size_t find(struct slice source, const char *tag, size_t otherwise)
{
	size_t length = strlen(tag);

	for (size_t i = 0; i + length <= source.size; i++)
		if (memcmp((const char *)source.data + i, tag, length) == 0)
			return i;
	return otherwise;
}

static size_t behind_last_tag(const struct buffer *page)
{
	size_t at = page->size;

	while (at > 0 && page->data[at - 1] != '>')
		at--;
	return at;
}

static void make_page(struct slice source, size_t size, struct buffer *out)
{
	const char *bytes = source.data;
	size_t begin = find(source, "<body", 0);
	size_t end = find(source, "</body", source.size);

	while (out->size < size && end > begin)
		buffer_append(out, bytes + begin, end - begin);
	if (out->size > size)
		out->size = size;
	out->size = behind_last_tag(out);
}

/* The slope of the least squares line through the logarithms. */
static double exponent_of(const double *bytes, const double *times)
{
	double x_mean = 0;
	double y_mean = 0;
	double product = 0;
	double square = 0;

	for (size_t i = 0; i < SIZES; i++) {
		x_mean += log(bytes[i]) / SIZES;
		y_mean += log(times[i] + 1e-3) / SIZES;
	}
	for (size_t i = 0; i < SIZES; i++) {
		double x = log(bytes[i]) - x_mean;

		product += x * (log(times[i] + 1e-3) - y_mean);
		square += x * x;
	}
	return square > 0 ? product / square : 0;
}

static void print_row(const char *name, const double *bytes,
		      const double *times, bool is_tsv)
{
	double exponent = exponent_of(bytes, times);
	double last = log10(times[SIZES - 1] / times[SIZES - 2]);

	printf(is_tsv ? "%s" : "%-32s", name);
	for (size_t i = 0; i < SIZES; i++)
		printf(is_tsv ? "\t%.1f" : " %11.1f", times[i]);
	printf(is_tsv ? "\t%.3f\t%.3f\t%s\n" : " %9.3f %9.3f  %s\n", exponent,
	       last, exponent > highest_exponent ? "over 1.15" : "");
}

/* One row of times is [SIZES]. */
struct times {
	double parse[SIZES];
	double run[MAX_CONTESTANTS][SIZES];
	double learn[MAX_CONTESTANTS][SIZES];
	double bytes[SIZES];
};

static void time_page(struct contestants *contestants, const struct page *page,
		      size_t size, struct times *times)
{
	const struct page *const pages[] = {page, page, page};
	const struct sample sample = {.pages = pages, .count = 3};
	struct frequencies frequencies = {0};
	struct template_counts counts = {.page_count = 3};
	unsigned rounds = rounds_of[size];

	/* a third of the cluster's pages hold what this one holds */
	frequencies_add(&frequencies, page);
	frequencies_seal(&frequencies);
	counts.document_frequency = frequencies_of(&frequencies, page);
	for (size_t i = 0; i < contestants->count; i++) {
		struct contestant *contestant = &contestants->items[i];

		contestant->learn_us = 0;
		contestant->learn_pages = 0;
		contestant_learn(contestant, &sample, rounds);
		times->learn[i][size] = contestant->learn_us / sample.count;
		times->run[i][size] =
			contestant_run(contestant, page, &counts, rounds);
	}
	frequencies_free(&frequencies);
}

static bool measure(struct contestants *contestants, struct slice source,
		    struct times *times)
{
	bool is_measured = true;

	for (size_t i = 0; i < SIZES && is_measured; i++) {
		struct buffer made = {0};
		struct page *page = NULL;

		make_page(source, sizes[i], &made);
		times->bytes[i] = (double)made.size;
		times->parse[i] =
			time_parse(buffer_slice(&made), &limits, rounds_of[i]);
		is_measured =
			made.size > sizes[i] / 2 &&
			page_parse(&page, buffer_slice(&made),
				   slice_of("utf-8"), &limits) == ERR_NONE &&
			!page->is_truncated;
		if (is_measured)
			time_page(contestants, page, i, times);
		page_destroy(page);
		buffer_free(&made);
	}
	return is_measured;
}

bool growth_print(struct contestants *contestants, struct slice source,
		  bool is_tsv)
{
	struct times times = {0};

	if (!measure(contestants, source, &times))
		return false;
	printf(is_tsv ? "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n"
		      : "%-32s %11s %11s %11s %11s %9s %9s  %s\n",
	       "method", "10_kB_us", "100_kB_us", "1_MB_us", "10_MB_us",
	       "exponent", "last_step", "flag");
	print_row("parse", times.bytes, times.parse, is_tsv);
	for (size_t i = 0; i < contestants->count; i++) {
		const struct extractor *extractor =
			contestants->items[i].extractor;
		char name[64];

		print_row(extractor->name, times.bytes, times.run[i], is_tsv);
		(void)snprintf(name, sizeof(name), "%s (learn, a page)",
			       extractor->name);
		if (extractor->needs == NEEDS_SAMPLE)
			print_row(name, times.bytes, times.learn[i], is_tsv);
	}
	return true;
}
