/*
 * snapshot_store_work LOCATION FOLDER VERB ... - a depot from outside, for
 * tests/integration/test_snapshot_store.py. FOLDER has the files "key" and
 *"ca", or neither, and what is on its way.
 *
 *	put PARTITION NUMBER     standard input
 *	get PARTITION NUMBER     to standard output
 *	latest PARTITION BELOW
 *	keep PARTITION COUNT
 *
 * Exit status 1: the code of the error is the last line of standard error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/nodes/snapshot_store.h"

enum { CONNECT_TIMEOUT_MS = 2000, STALL_TIMEOUT_S = 1, ARGUMENTS = 6 };

static enum error read_input(void *context, char *out, size_t size,
			     size_t *size_out)
{
	(void)context;
	*size_out = fread(out, 1, size, stdin);
	return ferror(stdin) ? ERR_IO : ERR_NONE;
}

static enum error write_output(void *context, struct slice bytes)
{
	(void)context;
	return fwrite(bytes.data, 1, bytes.size, stdout) == bytes.size
		       ? ERR_NONE
		       : ERR_IO;
}

static enum error run(struct snapshot_store *depot, const char *verb,
		      unsigned partition, uint64_t number)
{
	struct snapshot_store_item item = {partition, number};
	enum error error;

	if (strcmp(verb, "put") == 0)
		return snapshot_store_put(depot, item, read_input, NULL);
	if (strcmp(verb, "get") == 0)
		return snapshot_store_get(depot, item, write_output, NULL);
	if (strcmp(verb, "keep") == 0)
		return snapshot_store_prune(depot, partition, number);
	error = snapshot_store_latest(depot, partition, number, &number);
	if (error == ERR_NONE)
		printf("%llu\n", (unsigned long long)number);
	return error;
}

int main(int argc, char **argv)
{
	char key[256];
	char ca[256];
	struct snapshot_store_options options = {
		.connect_timeout_ms = CONNECT_TIMEOUT_MS,
		.stall_timeout_s = STALL_TIMEOUT_S,
	};
	struct snapshot_store *depot = NULL;
	enum error error;

	if (argc != ARGUMENTS)
		return 2;
	snprintf(key, sizeof(key), "%s/key", argv[2]);
	snprintf(ca, sizeof(ca), "%s/ca", argv[2]);
	options.location = argv[1];
	options.spool_folder = argv[2];
	options.key_file = access(key, F_OK) == 0 ? key : "";
	options.ca_file = access(ca, F_OK) == 0 ? ca : "";
	error = snapshot_store_open(&depot, &options);
	if (error == ERR_NONE)
		error = run(depot, argv[3],
			    (unsigned)strtoul(argv[4], NULL, 10),
			    strtoull(argv[5], NULL, 10));
	snapshot_store_close(depot);
	if (error == ERR_NONE)
		return fflush(stdout) == 0 ? 0 : 1;
	fprintf(stderr, "%s\n", error_code(error));
	return 1;
}
