/*
 * fault_crawl - law 3 with something failing: the daemon crawls a tiny site,
 * and the n-th allocation, write or LMDB call of it fails. It must continue, or
 * end by our own abort; its store must hold, with all that it had acknowledged;
 * and without the fault the crawl must come to the same end.
 *
 * usage: fault_crawl [--all | --sample COUNT] [--lasting] [--patience SECONDS]
 *        [KIND [FIRST [LAST]]]
 *
 * A thread after the crawl that fails rests for a minute: whether it continues
 * by itself is seen with more patience than that.
 */
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "daemon/runtime/clock.h"
#include "tests/fault/crawl.h"
#include "tests/fault/fault.h"
#include "tests/fault/tiny_site.h"

enum {
	WORKERS = 8, /* they mostly wait for a daemon that rests */
#ifdef IS_SANITIZED
	SAMPLE = 12, /* of a kind, unless said otherwise */
	PATIENCE_S = 30,
#else
	SAMPLE = 40,
	PATIENCE_S = 12,
#endif
	REST_S = 60,
	MAX_FOLDER = 64,
};

/* One thread; the commands are ours.
 * NOLINTBEGIN(concurrency-mt-unsafe,cert-env33-c) */
/* What all workers share. */
struct sums {
	_Atomic uint32_t next; /* to be tried, of the sample */
	_Atomic uint32_t tried;
	_Atomic uint32_t ended;   /* by our own abort */
	_Atomic uint32_t refused; /* did not start */
	_Atomic uint32_t harmed;  /* ended with a page less, which is known */
	_Atomic uint32_t waiting; /* a thread rested from its failure */
	_Atomic uint32_t failed;
};

struct trial {
	enum fault_kind kind;
	uint32_t n;
	uint32_t patience_s;
	bool is_lasting;
	const char *folder;
	uint16_t port;
};

static struct sums *sums;
static struct holding calm; /* what a crawl without a fault ends with */
static uint32_t calm_count[FAULT_KINDS];

static void complain(const struct trial *trial, const struct crawl *crawl,
		     const char *what)
{
	struct buffer log = crawl_log(crawl);

	printf("%s %" PRIu32 "%s: %s\n%s", fault_names[trial->kind], trial->n,
	       trial->is_lasting ? " and on" : "", what, log.data);
	fflush(stdout);
	sums->failed++;
	buffer_free(&log);
}

/*
 * The messages of our own aborts, of a C++ library, and of libxml2, which
 * reports it before it crashes over its thread's missing globals.
 */
static bool is_own_abort(const struct crawl *crawl)
{
	static const char *const words[] = {
		"out of memory: ",          "no address space for a map",
		"cannot start its threads", "cannot be reopened",
		"std::bad_alloc",           "xmlGetGlobalState: out of memory"};
	struct buffer log = crawl_log(crawl);
	bool is_of_libxml2 = strstr(log.data, "xmlGetGlobalState: ") != NULL;
	bool is_own = false;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		is_own |= strstr(log.data, words[i]) != NULL;
	buffer_free(&log);
	return is_own && WIFSIGNALED(crawl->status) &&
	       (WTERMSIG(crawl->status) == SIGABRT || is_of_libxml2);
}

static void judge_end(const struct trial *trial, const struct crawl *crawl)
{
	int status = crawl->status;

	if (crawl->is_late)
		complain(trial, crawl, "it does not end when it is told to");
	else if (is_own_abort(crawl))
		sums->ended++;
	else if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FAILURE)
		sums->refused++;
	else if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS)
		complain(trial, crawl, "it crashed");
	else if (crawl->pages + 1 < calm.pages)
		complain(trial, crawl, "it does not go on by itself");
	else if (!crawl->is_done && trial->patience_s > REST_S)
		complain(trial, crawl, "what rested does not go on by itself");
	else if (!crawl->is_done)
		sums->waiting++;
}

/* After the fault, before anything mends it. */
static void judge_store(const struct trial *trial, const struct crawl *crawl)
{
	struct holding holding = crawl_hold(crawl);

	if (!holding.is_there)
		complain(trial, crawl, "the store does not open");
	else if (holding.problems > 0)
		complain(trial, crawl, holding.text.data);
	else if (holding.pages < crawl->pages)
		complain(trial, crawl, "an acknowledged page is gone");
	else if (holding.rows[TABLE_SITES] < crawl->is_watched)
		complain(trial, crawl, "an acknowledged site is gone");
	buffer_free(&holding.text);
}

static bool is_as_calm(const struct holding *holding)
{
	static const enum table tables[] = {
		TABLE_PAGES,    TABLE_BODIES,  TABLE_RECORDS, TABLE_SETS,
		TABLE_CLUSTERS, TABLE_MEMBERS, TABLE_DF};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (holding->rows[tables[i]] != calm.rows[tables[i]])
			return false;
	return true;
}

/* Without the fault the crawl continues, to the same end. */
static void judge_rest(const struct trial *trial, struct crawl *crawl)
{
	struct holding holding;

	crawl_run(crawl, NULL, PATIENCE_S * 1000);
	crawl_stop(crawl);
	holding = crawl_hold(crawl);
	if (!WIFEXITED(crawl->status) || WEXITSTATUS(crawl->status) != 0)
		complain(trial, crawl, "it crashed without the fault");
	else if (!holding.is_there || holding.problems > 0)
		complain(trial, crawl, "the store does not hold in the end");
	else if (!is_as_calm(&holding) && holding.pages + 1 < calm.pages)
		complain(trial, crawl, "the crawl does not come to its end");
	else if (!is_as_calm(&holding))
		sums->harmed++;
	buffer_free(&holding.text);
}

static void clear(const char *folder)
{
	char command[MAX_FOLDER + 16];

	snprintf(command, sizeof(command), "rm -rf %s/*", folder);
	if (system(command) != 0)
		abort();
}

static void try_one(const struct trial *trial, struct fault *fault)
{
	struct crawl crawl = {.folder = trial->folder, .port = trial->port};

	clear(trial->folder);
	fault_set(fault, trial->kind, trial->n,
		  trial->is_lasting ? UINT32_MAX : trial->n);
	crawl_run(&crawl, fault, trial->patience_s * 1000);
	crawl_stop(&crawl);
	judge_end(trial, &crawl);
	judge_store(trial, &crawl);
	judge_rest(trial, &crawl);
	sums->tried += atomic_load(&fault->has_failed);
}

/* A crawl without a fault: how many calls, and from where. */
static void count(enum fault_kind kind, const char *folder, uint16_t port,
		  struct fault *fault)
{
	struct crawl crawl = {.folder = folder, .port = port};

	clear(folder);
	fault_set(fault, kind, 0, 0);
	fault->takes_paths = true;
	crawl_run(&crawl, fault, PATIENCE_S * 1000);
	crawl_stop(&crawl);
	fault->takes_paths = false;
	for (int i = 0; i < FAULT_KINDS; i++)
		calm_count[i] = fault->count[i];
	calm = crawl_hold(&crawl);
	if (crawl.pages != TINY_PAGES || calm.problems != 0) {
		complain(&(struct trial){.kind = kind}, &crawl,
			 "without a fault it does not crawl the site");
		exit(EXIT_FAILURE);
	}
}

struct call {
	uint64_t path;
	uint32_t n;
};

static int by_path(const void *a, const void *b)
{
	const struct call *x = a;
	const struct call *y = b;

	if (x->path != y->path)
		return x->path < y->path ? -1 : 1;
	return (x->n > y->n) - (x->n < y->n);
}

/* The calls that were the first on their way through the code. */
static uint32_t first_calls(const struct fault *fault, uint32_t count,
			    uint32_t *out)
{
	struct call *calls = mem_alloc(count, sizeof(*calls));
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++)
		calls[i] = (struct call){fault->paths[i + 1], i + 1};
	qsort(calls, count, sizeof(*calls), by_path);
	for (uint32_t i = 0; i < count; i++)
		if (i == 0 || calls[i].path != calls[i - 1].path)
			out[kept++] = calls[i].n;
	free(calls);
	return kept;
}

/* The options. */
struct plan {
	enum fault_kind kind;
	uint16_t port;
	const char *folder; /* of all workers */
	bool takes_all;
	bool is_lasting;
	uint32_t patience_s;
	uint32_t sample;
	uint32_t first; /* 0: all */
	uint32_t last;
	uint32_t *calls; /* [count]: numbers that fail, each in a separate crawl
			  */
	uint32_t count;
};

/*
 * Half of a sample are the first calls from each caller; the other half is at
 * equal distances.
 */
static void choose_sample(struct plan *plan, const struct fault *fault,
			  uint32_t count)
{
	uint32_t *ways = mem_alloc(count, sizeof(*ways));
	uint32_t way_count = first_calls(fault, count, ways);
	uint32_t half = plan->sample / 2;

	for (uint32_t i = 0; i < half && i < way_count; i++) {
		uint64_t at =
			way_count <= half ? i : (uint64_t)i * way_count / half;

		plan->calls[plan->count++] = ways[at];
	}
	half = plan->sample - plan->count;
	for (uint32_t i = 0; i < half; i++)
		plan->calls[plan->count++] =
			1 + (uint32_t)((uint64_t)i * count / half);
	printf("%s: %" PRIu32 " ways to %" PRIu32 " calls\n",
	       fault_names[plan->kind], way_count, count);
	free(ways);
}

static void choose(struct plan *plan, const struct fault *fault)
{
	uint32_t count = calm_count[plan->kind];
	uint32_t first = plan->first == 0 ? 1 : plan->first;
	uint32_t last = plan->first == 0 ? count : plan->last;

	if (plan->first == 0 && count > plan->sample && !plan->takes_all) {
		plan->calls = mem_alloc(plan->sample, sizeof(*plan->calls));
		choose_sample(plan, fault, count);
		return;
	}
	plan->calls = mem_alloc(last - first + 1, sizeof(*plan->calls));
	for (uint32_t n = first; n <= last; n++)
		plan->calls[plan->count++] = n;
}

/* Run the plan in a separate process. */
static void work(const struct plan *plan, int number)
{
	struct fault *fault = fault_create();
	char folder[MAX_FOLDER];
	uint32_t i;

	snprintf(folder, sizeof(folder), "%s/%d", plan->folder, number);
	while ((i = sums->next++) < plan->count) {
		const struct trial trial = {
			.kind = plan->kind,
			.n = plan->calls[i],
			.patience_s = plan->patience_s,
			.is_lasting = plan->is_lasting,
			.folder = folder,
			.port = plan->port,
		};

		try_one(&trial, fault);
	}
}

static void run(const struct plan *plan)
{
	uint64_t begin_ms = clock_steady_ms();
	pid_t workers[WORKERS];
	int status = 0;

	memset(sums, 0, sizeof(*sums));
	fflush(stdout);
	for (int i = 0; i < WORKERS; i++) {
		workers[i] = fork();
		if (workers[i] != 0)
			continue;
		work(plan, i);
		exit(EXIT_SUCCESS);
	}
	for (int i = 0; i < WORKERS; i++) {
		waitpid(workers[i], &status, 0);
		sums->failed += status != 0;
	}
	sums->failed += sums->tried == 0;
	printf("%s%s: %" PRIu32 " of %" PRIu32 " calls failed: %" PRIu32
	       " aborts, %" PRIu32 " not started, %" PRIu32 " at rest, %" PRIu32
	       " with a page less, %" PRIu32 " wrong; %" PRIu64 " s\n",
	       fault_names[plan->kind], plan->is_lasting ? " and on" : "",
	       sums->tried, calm_count[plan->kind], sums->ended, sums->refused,
	       sums->waiting, sums->harmed, sums->failed,
	       (clock_steady_ms() - begin_ms) / 1000U);
}

static enum fault_kind kind_of(const char *name)
{
	int kind = 0;

	while (kind < FAULT_KINDS && strcmp(fault_names[kind], name) != 0)
		kind++;
	return (enum fault_kind)kind;
}

/* False when the command line is wrong; *kind_out is FAULT_KINDS for all. */
static bool read_arguments(int count, char **values, struct plan *plan)
{
	static const struct option options[] = {
		{"all", no_argument, NULL, 'a'},
		{"sample", required_argument, NULL, 's'},
		{"lasting", no_argument, NULL, 'l'},
		{"patience", required_argument, NULL, 'p'},
		{NULL, 0, NULL, 0},
	};
	int option;

	while ((option = getopt_long(count, values, "", options, NULL)) != -1) {
		if (option == '?')
			return false;
		plan->takes_all |= option == 'a';
		plan->is_lasting |= option == 'l';
		if (option == 's')
			plan->sample = (uint32_t)strtoul(optarg, NULL, 10);
		if (option == 'p')
			plan->patience_s = (uint32_t)strtoul(optarg, NULL, 10);
	}
	if (optind < count)
		plan->kind = kind_of(values[optind++]);
	if (optind < count)
		plan->first = (uint32_t)strtoul(values[optind++], NULL, 10);
	plan->last = plan->first;
	if (optind < count)
		plan->last = (uint32_t)strtoul(values[optind++], NULL, 10);
	return optind == count && plan->sample > 0 && plan->last >= plan->first;
}

/* A folder for each worker, and one to count in. */
static void make_folders(char *folder)
{
	char path[MAX_FOLDER];

	if (mkdtemp(folder) == NULL)
		abort();
	for (int i = 0; i <= WORKERS; i++) {
		snprintf(path, sizeof(path), "%s/%d", folder, i);
		if (mkdir(path, 0700) != 0)
			abort();
	}
}

static void try_kind(struct plan *plan, struct fault *fault)
{
	char folder[MAX_FOLDER];

	snprintf(folder, sizeof(folder), "%s/%d", plan->folder, WORKERS);
	count(plan->kind, folder, plan->port, fault);
	choose(plan, fault);
	run(plan);
	free(plan->calls);
}

int main(int count_of_words, char **words)
{
	char folder[] = "/tmp/fault-XXXXXX";
	struct plan plan = {.kind = FAULT_KINDS,
			    .patience_s = PATIENCE_S,
			    .sample = SAMPLE,
			    .folder = folder};
	struct tiny_site site;
	uint32_t failed = 0;
	char command[MAX_FOLDER];

	if (!read_arguments(count_of_words, words, &plan)) {
		fputs("usage: fault_crawl [--all | --sample COUNT] [--lasting]"
		      " [--patience SECONDS]"
		      " [alloc|write|lmdb [FIRST [LAST]]]\n",
		      stderr);
		return 2;
	}
	sums = mmap(NULL, sizeof(*sums), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	make_folders(folder);
	site = tiny_site_start();
	plan.port = site.port;
	for (int i = 0; i < FAULT_KINDS; i++) {
		struct plan one = plan;

		one.kind = (enum fault_kind)i;
		if (plan.kind != FAULT_KINDS && plan.kind != one.kind)
			continue;
		try_kind(&one, fault_create());
		failed += sums->failed;
	}
	tiny_site_stop(&site);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) == 0 && failed == 0 ? EXIT_SUCCESS
						   : EXIT_FAILURE;
}
/* NOLINTEND(concurrency-mt-unsafe,cert-env33-c) */
