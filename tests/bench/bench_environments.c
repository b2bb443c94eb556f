/*
 * tests/bench/bench_environments.c - one environment of LMDB for all partitions
 * of a node, or one for each: what a page costs that is to be on the disk
 * before it is acknowledged.
 *
 *	bench_environments FOLDER [PAGES]
 *
 * This many pages of 13 kB wait at a time, of another partition each. With one
 * environment all of them are one commit; with one each, a thread each commits
 * its own page.
 */
#include <inttypes.h>
#include <lmdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PAGE_BYTES = 13000, MAX_WAITING = 64 };

static unsigned char page[PAGE_BYTES];

struct environment {
	MDB_env *env;
	MDB_dbi table;
	pthread_t thread;
	uint64_t pages; /* that it commits */
	uint64_t commits;
	size_t at_once;
};

static void check(int status, const char *what)
{
	if (status == 0)
		return;
	fprintf(stderr, "bench_environments: %s: %s\n", what,
		mdb_strerror(status));
	abort();
}

static void open_one(struct environment *environment, const char *folder,
		     unsigned number)
{
	char path[4096];
	MDB_txn *txn;

	(void)snprintf(path, sizeof(path), "%s/%u", folder, number);
	(void)mkdir(path, 0700);
	check(mdb_env_create(&environment->env), "create");
	check(mdb_env_set_mapsize(environment->env, (size_t)1 << 30), "map");
	check(mdb_env_open(environment->env, path, 0, 0600), path);
	check(mdb_txn_begin(environment->env, NULL, 0, &txn), "begin");
	check(mdb_dbi_open(txn, NULL, MDB_INTEGERKEY, &environment->table),
	      "table");
	check(mdb_txn_commit(txn), "commit");
}

static void close_one(struct environment *environment, const char *folder,
		      unsigned number)
{
	static const char *const files[] = {"/data.mdb", "/lock.mdb", ""};

	mdb_env_close(environment->env);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char path[4096];

		(void)snprintf(path, sizeof(path), "%s/%u%s", folder, number,
			       files[i]);
		(void)remove(path);
	}
}

static void *commit_all(void *context)
{
	struct environment *environment = context;
	uint64_t key = 0;

	while (key < environment->pages) {
		MDB_txn *txn;

		check(mdb_txn_begin(environment->env, NULL, 0, &txn), "begin");
		for (size_t i = 0;
		     i < environment->at_once && key < environment->pages;
		     i++) {
			MDB_val name = {sizeof(key), &key};
			MDB_val value = {sizeof(page), page};

			check(mdb_put(txn, environment->table, &name, &value,
				      0),
			      "put");
			key++;
		}
		check(mdb_txn_commit(txn), "commit");
		environment->commits++;
	}
	return NULL;
}

static void measure(const char *folder, unsigned count, unsigned waiting,
		    uint64_t pages)
{
	static struct environment environments[MAX_WAITING];
	struct timespec begin;
	struct timespec end;
	uint64_t commits = 0;
	double s;

	memset(environments, 0, sizeof(environments));
	for (unsigned i = 0; i < count; i++) {
		open_one(&environments[i], folder, i);
		environments[i].pages = pages / count;
		environments[i].at_once = waiting / count;
	}
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (unsigned i = 0; i < count; i++)
		if (pthread_create(&environments[i].thread, NULL, commit_all,
				   &environments[i]) != 0)
			abort();
	for (unsigned i = 0; i < count; i++) {
		pthread_join(environments[i].thread, NULL);
		commits += environments[i].commits;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	s = (double)(end.tv_sec - begin.tv_sec) +
	    (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
	printf("%2u wait, %2u %-12s %5" PRIu64 " commits: %5.0f us a page\n",
	       waiting, count, count == 1 ? "environment" : "environments",
	       commits, s * 1e6 / (double)pages);
	for (unsigned i = 0; i < count; i++)
		close_one(&environments[i], folder, i);
}

int main(int argc, char **argv)
{
	uint64_t pages = argc > 2 ? strtoull(argv[2], NULL, 10) : 2048;

	if (argc < 2) {
		fprintf(stderr, "usage: bench_environments FOLDER [PAGES]\n");
		return 1;
	}
	for (unsigned turn = 0; turn < 3; turn++)
		for (unsigned n = 4; n <= MAX_WAITING; n *= 4) {
			measure(argv[1], 1, n, pages);
			measure(argv[1], n, n, pages);
		}
	return 0;
}
