/*
 * bench_store [--measure M] [--threshold T] FOLDER... - size of a page on disk:
 * the engine of the daemon puts all pages of each folder into a temporary
 * store, as templatectl batch does. Prints bytes per page in the tables of sets
 * and shingles, and the bytes of its signature as 64-bit shingles.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/compress.h"
#include "base/file.h"
#include "base/memory.h"
#include "daemon/ctl/offline.h"
#include "daemon/engine/engine.h"
#include "daemon/privsep/analyse_task.h"
#include "daemon/runtime/clock.h"
#include "store/record.h"

enum { MAX_CHANGES = 200 };

/* A page that waits for the commit. */
struct waiting {
	struct url url;
	struct buffer packed;
	struct buffer record;
};

struct bench {
	struct site_options options;
	struct store *store;
	struct engine *engine;
	struct change *changes;  /* [count], of MAX_CHANGES */
	struct waiting *waiting; /* the same */
	size_t count;
	size_t pages;
	uint64_t shingles; /* of the signatures */
};

static enum error commit(struct bench *bench)
{
	enum error error = engine_commit(bench->engine, bench->changes,
					 bench->count, clock_wall_ms(), NULL);

	for (size_t i = 0; i < bench->count; i++) {
		if (error == ERR_NONE)
			error = bench->changes[i].error;
		buffer_free(&bench->waiting[i].packed);
		buffer_free(&bench->waiting[i].record);
	}
	bench->pages += bench->count;
	bench->count = 0;
	return error;
}

static enum error add_site(struct bench *bench)
{
	struct url seed;
	struct change change = {.kind = CHANGE_SITE_ADD,
				.url = &seed,
				.site_add = bench->options};
	enum error error = offline_url("", &seed);

	if (error == ERR_NONE)
		error = engine_commit(bench->engine, &change, 1,
				      clock_wall_ms(), NULL);
	return error == ERR_NONE ? change.error : error;
}

static void queue(struct bench *bench, const struct buffer *body)
{
	struct waiting *waiting = &bench->waiting[bench->count];
	struct record record;

	if (record_open(buffer_slice(&waiting->record), &record) == ERR_NONE)
		bench->shingles +=
			record.signature_counts[bench->options.measure];
	compress_slice(buffer_slice(body), &waiting->packed);
	bench->changes[bench->count++] = (struct change){
		.kind = CHANGE_PAGE,
		.url = &waiting->url,
		.answer = {.outcome = {.http_status = 200},
			   .packed = buffer_slice(&waiting->packed),
			   .body_bytes = (uint32_t)body->size,
			   .record = buffer_slice(&waiting->record)},
	};
}

static enum error add_page(struct bench *bench, const char *path,
			   const char *name)
{
	const struct page_limits *limits = &page_limits_default;
	const struct analyse_options options = {
		.limits = limits, .measure = bench->options.measure};
	struct waiting *waiting = &bench->waiting[bench->count];
	struct buffer body = {0};
	enum error error = file_read(path, limits->max_bytes, &body);

	*waiting = (struct waiting){0};
	if (error == ERR_NONE)
		error = offline_url(name, &waiting->url);
	if (error == ERR_NONE)
		error = analyse(buffer_slice(&body), (struct slice){NULL, 0},
				&waiting->url, &options, &waiting->record);
	if (error == ERR_NONE)
		queue(bench, &body);
	else
		buffer_free(&waiting->record);
	buffer_free(&body);
	return error;
}

static enum error add_folder(struct bench *bench, const char *folder)
{
	static const char *const endings[] = {".html", ".htm", ".html.gz",
					      ".htm.gz", NULL};
	struct file_list list = {0};
	struct buffer path = {0};
	enum error error = file_list(folder, endings, &list);

	for (size_t i = 0; i < list.count && error == ERR_NONE; i++) {
		buffer_clear(&path);
		buffer_printf(&path, "%s/%s", folder, list.paths[i]);
		error = add_page(bench, path.data, list.paths[i]);
		if (error == ERR_NONE && bench->count == MAX_CHANGES)
			error = commit(bench);
	}
	if (error == ERR_NONE)
		error = commit(bench);
	buffer_free(&path);
	file_list_free(&list);
	return error;
}

static enum error report(const struct bench *bench, const char *folder)
{
	static const enum table tables[] = {TABLE_SETS, TABLE_SHINGLES,
					    TABLE_MEMBERS};
	struct store_usage usage;
	enum error error = store_usage(bench->store, &usage);
	double pages = (double)bench->pages;
	double plain = (double)bench->shingles * sizeof(uint64_t) / pages;
	double sum = 0;

	if (error != ERR_NONE || bench->pages == 0)
		return error;
	printf("%8zu %7llu %8llu", bench->pages,
	       (unsigned long long)usage.rows[TABLE_SETS],
	       (unsigned long long)usage.rows[TABLE_SHINGLES]);
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		sum += (double)usage.bytes[tables[i]];
		printf(" %8.1f", (double)usage.bytes[tables[i]] / pages);
	}
	printf(" %8.1f %9.1f %6.1f %9.1f  %s\n", sum / pages, plain,
	       plain * pages / sum, (double)usage.file_bytes / pages, folder);
	return ERR_NONE;
}

static enum error measure_in(struct bench *bench, const char *path,
			     const char *folder)
{
	const struct store_options store = {.is_temporary = true};
	const struct engine_options engine = {.max_sets = 1U << 24};
	enum error error = store_open(&bench->store, path, &store);

	if (error == ERR_NONE)
		error = engine_create(&bench->engine, bench->store, &engine,
				      clock_wall_ms());
	if (error == ERR_NONE)
		error = add_site(bench);
	if (error == ERR_NONE)
		error = add_folder(bench, folder);
	if (error == ERR_NONE)
		error = report(bench, folder);
	engine_destroy(bench->engine);
	store_close(bench->store);
	return error;
}

static bool measure_folder(const struct site_options *options,
			   const char *folder)
{
	static const char *const names[] = {"data.mdb", "lock.mdb", "lock"};
	char path[] = "/tmp/bench_store.XXXXXX";
	char name[sizeof(path) + 16];
	struct bench bench = {
		.options = *options,
		.changes = mem_alloc(MAX_CHANGES, sizeof(*bench.changes)),
		.waiting = mem_alloc(MAX_CHANGES, sizeof(*bench.waiting)),
	};
	enum error error = mkdtemp(path) == NULL
				   ? ERR_IO
				   : measure_in(&bench, path, folder);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		(void)snprintf(name, sizeof(name), "%s/%s", path, names[i]);
		unlink(name);
	}
	rmdir(path);
	free(bench.changes);
	free(bench.waiting);
	if (error != ERR_NONE)
		fprintf(stderr, "%s: %s\n", folder, error_text(error));
	return error == ERR_NONE;
}

int main(int argc, char **argv)
{
	static const struct option known[] = {
		{"measure", required_argument, NULL, 'm'},
		{"threshold", required_argument, NULL, 't'},
		{NULL, 0, NULL, 0},
	};
	enum measure measure = MEASURE_CCS;
	struct site_options options = {.max_pages = UINT32_MAX,
				       .max_depth = UINT16_MAX,
				       .flags = SITE_IS_OFFLINE};
	double threshold = -1;
	bool is_good = true;
	int option;

	/* NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread */
	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (option == 'm')
			is_good &= measure_from_name(optarg, &measure);
		else if (option == 't')
			threshold = strtod(optarg, NULL);
		else
			is_good = false;
	}
	if (!is_good || optind >= argc || threshold > 1) {
		fprintf(stderr, "usage: bench_store [--measure M] "
				"[--threshold T] FOLDER...\n");
		return 2;
	}
	options.measure = (uint16_t)measure;
	options_set_threshold(
		&options, threshold < 0 ? measure_template_threshold(measure)
					: (unsigned)lround(threshold * 1000));
	printf("bytes a page on disk, %s at %.3f\n%8s %7s %8s %8s %8s %8s %8s "
	       "%9s %6s %9s\n",
	       measure_name(options.measure), options.threshold / 1e3, "pages",
	       "sets", "shingles", "sets", "shingles", "shingles", "together",
	       "64-bit", "less", "store");
	for (int i = optind; i < argc && is_good; i++)
		is_good = measure_folder(&options, argv[i]);
	return is_good ? 0 : 1;
}
