/*
 * bench_linkage - growth of the cost of clustering, page by page, compared with
 * the matrix of all pairs of pages that the source paper computes, and with all
 * pairs of distinct signatures. The three must give the same partition.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "tests/bench/corpus.h"
#include "tests/bench/grouping.h"
#include "tests/bench/latency.h"
#include "tests/bench/samples.h"

enum { MAX_ROWS = 32, FIRST_SIZE = 500 };

struct options {
	bool wants_help;
	bool generates;
	enum measure measure;
	unsigned threshold; /* permille */
	size_t pages;       /* to generate, or to repeat up to */
	size_t brute_limit; /* pages, or sets, for all pairs */
	char **folders;     /* [folder_count] */
	int folder_count;
};

static void print_help(FILE *out)
{
	fputs("usage: bench_linkage generate [--pages N] [--measure-like M] "
	      "[OPTION]...\n"
	      "       bench_linkage folders [--measure M] [--repeat N] "
	      "[OPTION]... FOLDER...\n"
	      "\n"
	      "Group made-up pages of sites with templates, or the pages of "
	      "folders shuffled\n"
	      "together, with a part of them first, and tell the costs.\n"
	      "\n"
	      "  --pages N         so many pages (10000); a million take "
	      "minutes and 4 GB\n"
	      "  --measure-like M  whose sets they have the size of: cp (the "
	      "default) or ctss\n"
	      "  --measure M       cp (the default), cps, ctss, cpc, ccs, "
	      "cas or wcas\n"
	      "  --repeat N        repeat the pages up to N, half of them with "
	      "small edits\n"
	      "  --threshold T     0 to 1; by default that which tells sites "
	      "apart\n"
	      "  --brute-limit N   compare all pairs of up to N pages (10000), "
	      "and of up to N\n"
	      "                    distinct signatures\n"
	      "  --help            this text\n",
	      out);
}

static bool parse_size(const char *text, size_t *size_out)
{
	char *end;
	long long number = strtoll(text, &end, 10);

	*size_out = (size_t)number;
	return end != text && *end == '\0' && number >= 0 &&
	       number <= UINT32_MAX;
}

static bool parse_threshold(const char *text, unsigned *threshold_out)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || *end != '\0' || !(number >= 0 && number <= 1))
		return false;
	*threshold_out = (unsigned)lround(number * 1000);
	return true;
}

static bool parse_options(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{"pages", required_argument, NULL, 'p'},
		{"repeat", required_argument, NULL, 'p'},
		{"measure", required_argument, NULL, 'm'},
		{"measure-like", required_argument, NULL, 'm'},
		{"threshold", required_argument, NULL, 't'},
		{"brute-limit", required_argument, NULL, 'b'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	unsigned threshold = UINT32_MAX;
	bool is_good = true;
	int option;

	/* NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread */
	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (option == 'p')
			is_good &= parse_size(optarg, &options->pages);
		else if (option == 'b')
			is_good &= parse_size(optarg, &options->brute_limit);
		else if (option == 't')
			is_good &= parse_threshold(optarg, &threshold);
		else if (option == 'm')
			is_good &= measure_from_name(optarg, &options->measure);
		else
			is_good = false;
		options->wants_help |= option == 'h';
	}
	options->threshold = threshold == UINT32_MAX
				     ? measure_site_threshold(options->measure)
				     : threshold;
	options->generates =
		optind < argc && strcmp(argv[optind], "generate") == 0;
	is_good &= options->generates ||
		   (optind < argc && strcmp(argv[optind], "folders") == 0);
	options->folders = argv + optind + 1;
	options->folder_count = argc - optind - 1;
	return is_good && options->generates == (options->folder_count == 0);
}

static bool make_corpus(const struct options *options, struct corpus *corpus)
{
	for (int i = 0; i < options->folder_count; i++)
		if (!corpus_read(corpus, options->folders[i], options->measure))
			return false;
	if (options->generates)
		corpus_generate(corpus,
				options->pages == 0 ? 10000 : options->pages,
				options->measure);
	else
		corpus_repeat(corpus, options->pages);
	corpus_shuffle(corpus);
	return corpus->count > 0;
}

/* The results for one size. */
struct row {
	size_t pages;
	struct grouping engine;
	struct grouping sets;   /* comparisons 0: not done */
	struct grouping matrix; /* the same */
};

/* The slope of the logarithms by least squares; NaN for fewer than two. */
static double fit(const double *sizes, const double *values, size_t count)
{
	double n = (double)count;
	double x = 0;
	double y = 0;
	double xx = 0;
	double xy = 0;

	for (size_t i = 0; i < count; i++) {
		double size = log(sizes[i]);
		double value = log(values[i]);

		x += size;
		y += value;
		xx += size * size;
		xy += size * value;
	}
	return count < 2 ? NAN : (n * xy - x * y) / (n * xx - x * x);
}

static void print_fit(const char *name, const struct row *rows, size_t count,
		      size_t offset)
{
	double sizes[MAX_ROWS];
	double seconds[MAX_ROWS];
	double comparisons[MAX_ROWS];
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		const struct grouping *grouping =
			(const void *)((const char *)&rows[i] + offset);

		if (grouping->comparisons == 0)
			continue;
		sizes[used] = (double)rows[i].pages;
		seconds[used] = grouping->seconds;
		comparisons[used++] = (double)grouping->comparisons;
	}
	if (used > 1)
		printf("growth of %-20s time n^%.2f, comparisons n^%.2f "
		       "(%zu sizes)\n",
		       name, fit(sizes, seconds, used),
		       fit(sizes, comparisons, used), used);
}

static void print_rival(const struct grouping *rival,
			const struct grouping *engine)
{
	if (rival->comparisons == 0)
		printf(" %10s %8s", "-", "-");
	else
		printf(" %10.3f %8.1f", rival->seconds,
		       rival->seconds / engine->seconds);
}

/* False when the partitions are not the same. */
static bool print_row(const struct row *row)
{
	const struct grouping *engine = &row->engine;
	bool has_rival = row->sets.comparisons > 0;
	bool is_same =
		(!has_rival || row->sets.partition == engine->partition) &&
		(row->matrix.comparisons == 0 ||
		 row->matrix.partition == engine->partition);

	has_rival |= row->matrix.comparisons > 0;
	printf("%8zu %7zu %6zu %9.4f %8.0f %11llu %8.2f %7.1f %7.1f",
	       row->pages, engine->sets, engine->clusters, engine->seconds,
	       engine->seconds * 1e9 / (double)row->pages,
	       (unsigned long long)engine->comparisons,
	       (double)engine->comparisons / (double)row->pages,
	       (double)engine->bytes / 1e6, (double)engine->resident / 1e6);
	print_rival(&row->sets, engine);
	print_rival(&row->matrix, engine);
	printf("  %s\n", !has_rival ? "-" : is_same ? "same" : "NOT THE SAME");
	(void)fflush(stdout);
	return is_same;
}

static struct row measure_row(const struct options *options,
			      const struct signature *pages, size_t count,
			      const struct shingle_weights *weights)
{
	struct row row = {
		.pages = count,
		.engine =
			group_engine(pages, count, options->threshold, weights),
	};
	struct arena *arena;
	struct signature *units;

	if (row.engine.sets > options->brute_limit)
		return row;
	arena = arena_create();
	units = ARENA_NEW(arena, struct signature, count);
	for (size_t i = 0; i < count; i++)
		units[i] = shingle_weights_expand(arena, weights, pages[i]);
	row.sets = group_sets(units, count, options->threshold);
	if (count <= options->brute_limit)
		row.matrix = group_pages(units, count, options->threshold);
	arena_destroy(arena);
	return row;
}

/* 1, 2, 5, 10, 20, ... times FIRST_SIZE; at last all. */
static size_t next_size(size_t size, size_t count)
{
	size_t leading = size;

	while (leading >= 10)
		leading /= 10;
	size = leading == 2 ? size / 2 * 5 : size * 2;
	return size < count ? size : count;
}

static void print_latency(const char *name, struct latency latency)
{
	printf("%-24s %8.1f median %8.1f 99 %% %10.1f worst\n", name,
	       latency.median, latency.percentile_99, latency.worst);
}

static void print_ratios(const struct corpus *corpus, double seconds)
{
	double parse = corpus->parse_seconds / (double)corpus->parsed;
	double sign = corpus->sign_seconds / (double)corpus->parsed;
	double cluster = seconds / (double)corpus->count;

	printf("a page: %.1f us to parse, %.1f us for the signature (%.2f %% "
	       "of parsing), %.2f us to cluster (%.2f %%)\n",
	       parse * 1e6, sign * 1e6, 100 * sign / parse, cluster * 1e6,
	       100 * cluster / parse);
}

static bool report(const struct options *options, const struct corpus *corpus)
{
	struct row rows[MAX_ROWS];
	struct latencies latencies;
	struct shingle_weights weights = {0};
	size_t count = 0;
	size_t size = corpus->count < FIRST_SIZE ? corpus->count : FIRST_SIZE;
	bool is_same = true;

	printf("%s at %.3f, %zu pages, %s\n%8s %7s %6s %9s %8s %11s %8s %7s "
	       "%7s %10s %8s %10s %8s\n",
	       measure_name(options->measure), options->threshold / 1e3,
	       corpus->count, options->generates ? "generated" : "real",
	       "pages", "sets", "clust.", "CPU s", "ns/page", "comparisons",
	       "cmp/page", "MB", "RSS MB", "sets s", "times", "matrix s",
	       "times");
	if (options->measure == MEASURE_WCAS)
		weights = group_weights(corpus->pages, corpus->count);
	for (;;) {
		rows[count] =
			measure_row(options, corpus->pages, size, &weights);
		is_same &= print_row(&rows[count++]);
		if (size == corpus->count)
			break;
		size = next_size(size, corpus->count);
	}
	print_fit("the engine", rows, count, offsetof(struct row, engine));
	print_fit("all pairs of sets", rows, count, offsetof(struct row, sets));
	print_fit("the paper's matrix", rows, count,
		  offsetof(struct row, matrix));
	if (corpus->parsed > 0)
		print_ratios(corpus, rows[count - 1].engine.seconds);
	latencies = measure_latencies(corpus->pages, corpus->count,
				      options->threshold);
	printf("microseconds a change, %zu pages\n", corpus->count);
	print_latency("  insert, all", latencies.fill);
	print_latency("  insert, half and half", latencies.insert);
	print_latency("  delete, half and half", latencies.remove);
	shingle_weights_free(&weights);
	return is_same;
}

int main(int argc, char **argv)
{
	struct options options = {.brute_limit = 10000};
	struct corpus corpus;
	bool is_done;

	if (!parse_options(argc, argv, &options)) {
		print_help(options.wants_help ? stdout : stderr);
		return options.wants_help ? 0 : 2;
	}
	corpus = (struct corpus){.arena = arena_create()};
	is_done = make_corpus(&options, &corpus) && report(&options, &corpus);
	corpus_free(&corpus);
	return is_done ? 0 : 1;
}
