/*
 * tests/bench/bench_commit.c - what a commit costs compared with what it
 *commits: one answer each, in a store of this many sites that are at rest. To
 *count its instructions:
 *
 *	valgrind --tool=callgrind --toggle-collect=commit_answer \
 *		bench_commit SITES COMMITS
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "daemon/engine/engine.h"

enum { NOW_MS = 1000000, MAX_PER_SITE = 64 };

struct bench {
	struct engine *engine;
	struct url *urls; /* [site_count], the seeds */
	struct change *changes;
	struct work *work;
	size_t site_count;
};

static enum error commit(struct bench *bench, size_t first, size_t count,
			 uint64_t now_ms)
{
	struct work_order order = {.max = bench->site_count,
				   .max_per_site = MAX_PER_SITE,
				   .lease_ms = UINT64_C(1) << 40,
				   .work = bench->work};
	enum error error = engine_commit(bench->engine, bench->changes + first,
					 count, now_ms, &order);

	for (size_t i = 0; i < order.count; i++)
		work_free(&order.work[i]);
	return error;
}

/* Not static, so that callgrind finds it. */
enum error commit_answer(struct bench *bench, size_t site, uint64_t now_ms);

enum error commit_answer(struct bench *bench, size_t site, uint64_t now_ms)
{
	return commit(bench, site, 1, now_ms);
}

/* Add every site. Its seed is missing, so the site is idle. */
static enum error add_sites(struct bench *bench)
{
	enum error error;

	for (size_t i = 0; i < bench->site_count; i++) {
		char text[64];

		(void)snprintf(text, sizeof(text), "http://site-%zu.test/", i);
		url_parse(&bench->urls[i], slice_of(text), NULL);
		bench->changes[i] =
			(struct change){.kind = CHANGE_SITE_ADD,
					.url = &bench->urls[i],
					.site_add = {.threshold = 250,
						     .max_pages = 100,
						     .max_depth = 10,
						     .revisit_ms = 86400000}};
	}
	error = commit(bench, 0, bench->site_count, NOW_MS);
	for (size_t i = 0; i < bench->site_count; i++)
		bench->changes[i] = (struct change){
			.kind = CHANGE_FAILED,
			.url = &bench->urls[i],
			.answer.outcome = {.error = ERR_NOT_FOUND,
					   .http_status = 404}};
	return error != ERR_NONE
		       ? error
		       : commit(bench, 0, bench->site_count, NOW_MS + 1);
}

static enum error measure(struct bench *bench, size_t commits)
{
	struct timespec begin;
	struct timespec end;
	enum error error = add_sites(bench);

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (size_t i = 0; i < commits && error == ERR_NONE; i++)
		error = commit_answer(bench, i % bench->site_count,
				      NOW_MS + 2 + i);
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%zu sites: %.0f us a commit\n", bench->site_count,
	       ((double)(end.tv_sec - begin.tv_sec) * 1e6 +
		(double)(end.tv_nsec - begin.tv_nsec) / 1e3) /
		       (double)commits);
	return error;
}

static enum error measure_in(const char *path, size_t sites, size_t commits)
{
	const struct engine_options options = {.max_sites = sites};
	struct bench bench = {
		.urls = mem_alloc(sites, sizeof(*bench.urls)),
		.changes = mem_alloc(sites, sizeof(*bench.changes)),
		.work = mem_alloc(sites, sizeof(*bench.work)),
		.site_count = sites,
	};
	struct store *store = NULL;
	enum error error = store_open(
		&store, path, &(struct store_options){.is_temporary = true});

	if (error == ERR_NONE)
		error = engine_create(&bench.engine, store, &options, NOW_MS);
	if (error == ERR_NONE)
		error = measure(&bench, commits);
	engine_destroy(bench.engine);
	store_close(store);
	free(bench.urls);
	free(bench.changes);
	free(bench.work);
	return error;
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"data.mdb", "lock.mdb", "lock"};
	char path[] = "/tmp/bench_commit.XXXXXX";
	char name[sizeof(path) + 16];
	enum error error = ERR_IO;

	if (argc != 3) {
		(void)fprintf(stderr, "usage: bench_commit SITES COMMITS\n");
		return 2;
	}
	if (mkdtemp(path) != NULL)
		error = measure_in(path, strtoul(argv[1], NULL, 10),
				   strtoul(argv[2], NULL, 10));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		(void)snprintf(name, sizeof(name), "%s/%s", path, names[i]);
		unlink(name);
	}
	rmdir(path);
	if (error != ERR_NONE)
		(void)fprintf(stderr, "%s\n", error_text(error));
	return error == ERR_NONE ? 0 : 1;
}
