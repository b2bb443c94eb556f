/*
 * bench_measures [--pages N] [--json] FOLDER|@LIST... - quality and speed of
 * the measures at separating templates, compared with the tree edit distance
 * that they replace: the experiment of Gottron 2008, section 5, tables 1 and 2.
 * Each argument is N (100) pages of one template: samples.h. The reported time
 * is that for the distances of all pairs of pages. Also the Dunn index of the
 * true partition, and the agreement of single linkage with it, at given
 * thresholds and at the best one.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/memory.h"
#include "cluster/quality.h"
#include "tests/bench/samples.h"

enum {
	CUTS = 2,
	BEST_STEP = 5,         /* permille between thresholds that are tried */
	MAX_CELLS = 100000000, /* of a pair of pages */
};

static const struct {
	const char *name;
	unsigned cuts[CUTS]; /* permille; the paper's; 0 ends the list */
} kinds[KIND_COUNT] = {
	[MEASURE_CP] = {"cp", {700, 900}},
	[MEASURE_CPS] = {"cps", {600}},
	[MEASURE_CTSS] = {"ctss", {850}},
	[MEASURE_CPC] = {"cpc", {700}},
	[MEASURE_CCS] = {"ccs", {700}},
	[MEASURE_CAS] = {"cas", {700}},
	/* Reis's similarity of 80 % (Gottron 2008, section 3) */
	[KIND_RTDM] = {"rtdm", {200}},
};

/* A distance is part / whole; 0 when whole is 0. */
struct ratio {
	uint32_t part;
	uint32_t whole;
};

struct matrix {
	struct ratio *ratios; /* of i > j at i * (i - 1) / 2 + j */
	size_t count;         /* of pages */
	double seconds;
};

static struct ratio ratio_at(const struct matrix *matrix, size_t i, size_t j)
{
	return matrix->ratios[i * (i - 1) / 2 + j];
}

static double distance_at(const void *items, size_t i, size_t j)
{
	struct ratio ratio = ratio_at(items, i, j);

	return ratio.whole == 0 ? 0 : (double)ratio.part / ratio.whole;
}

static double part_at(const void *items, size_t i, size_t j)
{
	return ratio_at(items, i, j).part;
}

static bool compare(const struct sample *a, const struct sample *b,
		    unsigned kind, struct ratio *ratio_out)
{
	struct signature left;
	struct signature right;
	size_t larger;

	if (kind == KIND_RTDM) {
		ratio_out->whole = a->tree.count + b->tree.count;
		return rtdm_cost(a->tree, b->tree, MAX_CELLS,
				 &ratio_out->part) == ERR_NONE;
	}
	left = a->signatures[kind];
	right = b->signatures[kind];
	larger = left.count > right.count ? left.count : right.count;
	ratio_out->whole = (uint32_t)larger;
	ratio_out->part = (uint32_t)(larger - signature_common(left, right));
	return true;
}

static bool matrix_fill(struct matrix *matrix, const struct samples *samples,
			unsigned kind)
{
	struct ratio *ratio = matrix->ratios;
	double begin = cpu_seconds();

	for (size_t i = 0; i < samples->count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (!compare(&samples->items[i], &samples->items[j],
				     kind, ratio++))
				return false;
		}
	}
	matrix->seconds = cpu_seconds() - begin;
	return true;
}

/* How single linkage agrees with the truth. */
struct cut {
	unsigned from; /* permille; the thresholds that lead to it */
	unsigned to;
	size_t clusters;
	struct agreement agreement;
};

static uint32_t find_root(uint32_t *parents, uint32_t item)
{
	while (parents[item] != item) {
		parents[item] = parents[parents[item]];
		item = parents[item];
	}
	return item;
}

static struct cut cut_at(const struct matrix *matrix, const uint32_t *labels,
			 unsigned threshold)
{
	uint32_t *parents = mem_alloc(matrix->count, sizeof(*parents));
	struct cut cut = {
		.from = threshold, .to = threshold, .clusters = matrix->count};

	for (uint32_t i = 0; i < matrix->count; i++) {
		parents[i] = i;
		for (uint32_t j = 0; j < i; j++) {
			struct ratio ratio = ratio_at(matrix, i, j);
			uint32_t a;
			uint32_t b;

			if ((uint64_t)ratio.part * 1000 >
			    (uint64_t)ratio.whole * threshold)
				continue;
			a = find_root(parents, i);
			b = find_root(parents, j);
			cut.clusters -= a != b;
			parents[a] = b;
		}
	}
	for (uint32_t i = 0; i < matrix->count; i++)
		parents[i] = find_root(parents, i);
	cut.agreement = quality_agreement(parents, labels, matrix->count);
	free(parents);
	return cut;
}

/* The highest adjusted Rand index, and the first run of thresholds with it. */
static struct cut best_cut(const struct matrix *matrix, const uint32_t *labels)
{
	struct cut best = cut_at(matrix, labels, 0);
	bool goes_on = true;

	for (unsigned at = BEST_STEP; at <= 1000; at += BEST_STEP) {
		struct cut cut = cut_at(matrix, labels, at);
		double gain = cut.agreement.adjusted_rand -
			      best.agreement.adjusted_rand;

		if (gain > 0)
			best = cut;
		else if (gain == 0 && goes_on)
			best.to = at;
		goes_on = best.to == at;
	}
	return best;
}

/* JSON has neither of NaN and infinity. */
static void print_number(const char *name, double value)
{
	if (isfinite(value))
		printf("\"%s\": %.6g, ", name, value);
	else
		printf("\"%s\": null, ", name);
}

static void print_cut(struct cut cut, bool as_json)
{
	struct agreement a = cut.agreement;

	if (!as_json) {
		printf("  %.3f to %.3f: %zu clusters  Rand %.4f  adjusted %.4f "
		       " "
		       "V %.4f\n",
		       cut.from / 1e3, cut.to / 1e3, cut.clusters, a.rand,
		       a.adjusted_rand, a.v_measure);
		return;
	}
	printf("{\"from\": %.3f, \"to\": %.3f, ", cut.from / 1e3, cut.to / 1e3);
	print_number("rand", a.rand);
	print_number("adjusted_rand", a.adjusted_rand);
	print_number("v_measure", a.v_measure);
	printf("\"clusters\": %zu}", cut.clusters);
}

static void print_head(const struct samples *samples, unsigned kind,
		       const struct matrix *matrix, bool as_json)
{
	double made = samples->make_seconds[kind];
	double dunn = quality_dunn_of(distance_at, matrix, samples->labels,
				      samples->count);
	double dunn_of_parts = quality_dunn_of(part_at, matrix, samples->labels,
					       samples->count);

	if (!as_json) {
		printf("%-5s Dunn %.3f (not normalised %.3f), made in %.4f s, "
		       "all pairs in %.4f s\n",
		       kinds[kind].name, dunn, dunn_of_parts, made,
		       matrix->seconds);
		return;
	}
	printf("%s\n  {\"name\": \"%s\", ", kind == 0 ? "" : ",",
	       kinds[kind].name);
	print_number("make_seconds", made);
	print_number("pair_seconds", matrix->seconds);
	print_number("dunn", dunn);
	print_number("dunn_not_normalised", dunn_of_parts);
}

static bool report_kind(const struct samples *samples, unsigned kind,
			struct matrix *matrix, bool as_json)
{
	const unsigned *cuts = kinds[kind].cuts;

	if (!matrix_fill(matrix, samples, kind)) {
		fprintf(stderr, "%s: a pair of pages is too large\n",
			kinds[kind].name);
		return false;
	}
	print_head(samples, kind, matrix, as_json);
	printf(as_json ? "\n   \"best\": " : "  best");
	print_cut(best_cut(matrix, samples->labels), as_json);
	for (size_t i = 0; i < CUTS && cuts[i] > 0; i++) {
		if (as_json)
			printf(i == 0 ? ",\n   \"cuts\": [" : ",\n    ");
		print_cut(cut_at(matrix, samples->labels, cuts[i]), as_json);
	}
	if (as_json)
		printf("]}");
	return true;
}

static bool report(const struct samples *samples, bool as_json)
{
	size_t pairs = samples->count * (samples->count - 1) / 2;
	struct matrix matrix = {
		.ratios = mem_alloc(pairs, sizeof(*matrix.ratios)),
		.count = samples->count,
	};
	bool is_done = true;

	printf(as_json ? "{\"pages\": %zu, \"pairs\": %zu, "
			 "\"elements_per_page\": %.1f, \"parse_seconds\": %.4f,"
			 "\n \"measures\": ["
		       : "%zu pages, %zu pairs, %.1f elements a page, parsed "
			 "in %.4f s\n",
	       samples->count, pairs,
	       (double)samples->elements / (double)samples->count,
	       samples->parse_seconds);
	for (unsigned kind = 0; kind < KIND_COUNT && is_done; kind++)
		is_done = report_kind(samples, kind, &matrix, as_json);
	if (as_json && is_done)
		printf("\n]}\n");
	free(matrix.ratios);
	return is_done;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"pages", required_argument, NULL, 'p'},
		{"json", no_argument, NULL, 'j'},
		{NULL, 0, NULL, 0},
	};
	struct samples samples = {.arena = arena_create()};
	bool as_json = false;
	bool is_done = true;
	long most = 100;
	int option;

	/* NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread */
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'j')
			as_json = true;
		else
			most = option == 'p' ? strtol(optarg, NULL, 10) : 0;
	}
	if (most < 1 || optind >= argc) {
		fprintf(stderr, "usage: bench_measures [--pages N] [--json] "
				"FOLDER|@LIST...\n");
		samples_free(&samples);
		return 2;
	}
	for (int i = optind; i < argc && is_done; i++)
		is_done = samples_add(&samples, argv[i], (uint32_t)(i - optind),
				      (size_t)most);
	if (is_done && samples.count < 2) {
		fprintf(stderr, "bench_measures: fewer than two pages\n");
		is_done = false;
	}
	is_done = is_done && report(&samples, as_json);
	samples_free(&samples);
	return is_done ? 0 : 1;
}
