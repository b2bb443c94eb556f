/*
 * bench_extract [--tsv] [--rounds N] [--method M]... FOLDER...
 * bench_extract [--tsv] [--method M]... --growth FILE
 *
 * What a method costs: CPU time a page of its run alone, of each page the
 * median of N (5) rounds, over all pages of the folders; compared with it that
 * of parsing, and that of learning for a page of the sample. A folder is a
 * cluster to methods that need a template. Flagged is what costs more than
 * three times `accb`. --growth: how that cost grows with the page FILE.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "page/page.h"
#include "tests/bench/cluster.h"
#include "tests/bench/contestant.h"
#include "tests/bench/growth.h"
#include "tests/bench/stopwatch.h"

#define MAX_BYTES ((size_t)10 << 20)

static const double highest_ratio = 3;

struct bench {
	struct contestants contestants;
	unsigned rounds;
	bool is_tsv;
	bool is_growth;
	/* of all folders */
	size_t pages;
	size_t bytes;
	double parse_us;
};

static void time_page(struct bench *bench, const struct page *page,
		      const struct buffer *body, const struct cluster *cluster)
{
	const struct template_counts counts = cluster_counts(cluster, page);

	bench->pages++;
	bench->bytes += body->size;
	bench->parse_us += time_parse(buffer_slice(body), &page_limits_default,
				      bench->rounds);
	for (size_t i = 0; i < bench->contestants.count; i++) {
		struct contestant *contestant = &bench->contestants.items[i];

		contestant->run_us += contestant_run(
			contestant, page,
			counts.page_count == 0 ? NULL : &counts, bench->rounds);
	}
}

static void time_cluster(struct bench *bench, const struct cluster *cluster)
{
	struct contestants *contestants = &bench->contestants;
	const struct sample sample = cluster_sample(cluster);
	struct buffer body = {0};

	for (size_t i = 0; i < contestants->count && sample.count > 0; i++)
		contestant_learn(&contestants->items[i], &sample,
				 bench->rounds);
	for (size_t i = 0; i < cluster->list.count; i++) {
		struct page *page = cluster_read(cluster, i, &body);

		if (page != NULL)
			time_page(bench, page, &body, cluster);
		page_destroy(page);
	}
	buffer_free(&body);
}

static bool time_folder(struct bench *bench, const char *folder)
{
	struct cluster cluster;
	bool is_open =
		cluster_open(&cluster, folder,
			     contestants_need_template(&bench->contestants));

	if (is_open)
		time_cluster(bench, &cluster);
	cluster_close(&cluster);
	return is_open;
}

/* `accb_us` 0 = unknown. `learn` is empty if the method does not learn. */
static void print_row(const struct bench *bench, const char *name,
		      double total_us, double accb_us, const char *learn)
{
	double us = total_us / (double)bench->pages;
	double mb_per_s = total_us > 0 ? (double)bench->bytes / total_us : 0;
	double ratio = accb_us > 0 ? total_us / accb_us : 0;
	bool is_slow = ratio > highest_ratio && strcmp(name, "parse") != 0;

	printf(bench->is_tsv ? "%s\t%zu\t%.2f\t%.1f\t%.2f\t%s\t%s\n"
			     : "%-20s %6zu %10.2f %9.1f %8.2f %10s  %s\n",
	       name, bench->pages, us, mb_per_s, ratio, learn,
	       is_slow ? "over 3 x accb" : "");
}

static void report(const struct bench *bench)
{
	double accb_us = 0;

	for (size_t i = 0; i < bench->contestants.count; i++)
		if (strcmp(bench->contestants.items[i].extractor->name,
			   "accb") == 0)
			accb_us = bench->contestants.items[i].run_us;
	printf(bench->is_tsv ? "%s\t%s\t%s\t%s\t%s\t%s\t%s\n"
			     : "%-20s %6s %10s %9s %8s %10s  %s\n",
	       "method", "pages", "us_a_page", "MB_a_s", "to_accb", "learn_us",
	       "flag");
	print_row(bench, "parse", bench->parse_us, accb_us, "");
	for (size_t i = 0; i < bench->contestants.count; i++) {
		const struct contestant *c = &bench->contestants.items[i];
		char learn[32] = "";

		if (c->learn_pages > 0)
			(void)snprintf(learn, sizeof(learn), "%.2f",
				       c->learn_us / (double)c->learn_pages);
		print_row(bench, c->extractor->name, c->run_us, accb_us, learn);
	}
}

static bool grow(struct bench *bench, const char *path)
{
	struct buffer source = {0};
	bool is_done = file_read(path, MAX_BYTES, &source) == ERR_NONE &&
		       growth_print(&bench->contestants, buffer_slice(&source),
				    bench->is_tsv);

	if (!is_done)
		fprintf(stderr, "%s: no page to make others of\n", path);
	buffer_free(&source);
	return is_done;
}

static bool read_options(struct bench *bench, int argc, char **argv)
{
	static const struct option options[] = {
		{"tsv", no_argument, NULL, 't'},
		{"growth", no_argument, NULL, 'g'},
		{"rounds", required_argument, NULL, 'r'},
		{"method", required_argument, NULL, 'm'},
		{NULL, 0, NULL, 0},
	};
	int letter;

	/* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
	while ((letter = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (letter == 't')
			bench->is_tsv = true;
		else if (letter == 'g')
			bench->is_growth = true;
		else if (letter == 'r')
			bench->rounds = (unsigned)strtoul(optarg, NULL, 10);
		else if (letter != 'm' ||
			 !contestants_add(&bench->contestants, optarg))
			return false;
	}
	return optind < argc && bench->rounds >= 1 &&
	       bench->rounds <= MAX_ROUNDS;
}

int main(int argc, char **argv)
{
	struct bench bench = {.rounds = 5};
	bool is_done = true;

	if (!read_options(&bench, argc, argv)) {
		fprintf(stderr, "usage: bench_extract [--tsv] [--rounds N] "
				"[--method M]... FOLDER...\n"
				"       bench_extract [--tsv] [--method M]... "
				"--growth FILE\n");
		return 2;
	}
	if (bench.contestants.count == 0)
		contestants_add_all(&bench.contestants);
	for (int i = optind; i < argc && is_done; i++)
		is_done = bench.is_growth ? grow(&bench, argv[i])
					  : time_folder(&bench, argv[i]);
	if (!bench.is_growth && is_done && bench.pages > 0)
		report(&bench);
	contestants_free(&bench.contestants);
	return is_done ? 0 : 1;
}
