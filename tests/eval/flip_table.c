/*
 * flip_table STORE [FLIPS=1000] - flip FLIPS single bits of the values of each
 * table, one at a time, in the file of the store, which is restored each time.
 * Count the flips that reading the value finds, those that verify finds, and
 * those that neither finds. Use a copy that no process has open.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "store/key.h"
#include "store/store.h"
#include "store/verify.h"

enum { MAX_KEY_BYTES = 511, FLIPS = 1000, BITS = 8 };

/* Position of a value in the file, with its checksum. */
struct place {
	unsigned char key[MAX_KEY_BYTES];
	size_t key_size;
	off_t offset;
	size_t size;
};

struct flips {
	struct store *store;
	int file;
	enum table table;
	struct place *places; /* [count], of the table */
	size_t count;
	size_t capacity;
	uint64_t bytes; /* of all values */
	uint64_t read;  /* found so */
	uint64_t verified;
	uint64_t unseen;
	const char *map; /* where the file begins in memory */
};

/* The same each time: splitmix64. */
static uint64_t next_number(uint64_t *state)
{
	uint64_t number = *state += UINT64_C(0x9e3779b97f4a7c15);

	number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
	return number ^ number >> 31;
}

/* LMDB does not say where it has mapped the file; Linux does. */
static const char *find_map(const char *name)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[MAX_PATH_BYTES * 2];
	const char *map = NULL;

	while (map == NULL && maps != NULL &&
	       fgets(line, sizeof(line), maps) != NULL)
		if (strstr(line, name) != NULL)
			/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
			map = (const char *)strtoumax(line, NULL, 16);
	if (maps != NULL)
		fclose(maps);
	return map;
}

static void list_places(struct flips *flips)
{
	struct txn txn = txn_begin_read(flips->store);
	struct scan scan = scan_begin(&txn, flips->table, slice_of(""));
	while (scan_next(&scan)) {
		struct place place = {
			.key_size = scan.key.size,
			/* the checksum follows the value */
			.size = scan.value.size + CHECKSUM_BYTES,
			.offset = (const char *)scan.value.data - flips->map,
		};

		memcpy(place.key, scan.key.data, scan.key.size);
		flips->places =
			mem_grow(flips->places, flips->count, &flips->capacity,
				 sizeof(*flips->places));
		flips->places[flips->count++] = place;
		flips->bytes += place.size;
	}
	scan_end(&scan);
	txn_abort(&txn);
}

/* The value that has byte `n` of all; *n_out is the byte in it. */
static const struct place *element_position_of(const struct flips *flips,
					       uint64_t n, uint64_t *n_out)
{
	const struct place *place = flips->places;

	while (n >= place->size)
		n -= (place++)->size;
	*n_out = n;
	return place;
}

static void flip(const struct flips *flips, off_t offset, unsigned bit)
{
	unsigned char byte = 0;

	if (pread(flips->file, &byte, 1, offset) != 1)
		abort();
	byte ^= (unsigned char)(1U << bit);
	if (pwrite(flips->file, &byte, 1, offset) != 1)
		abort();
}

static bool is_read(const struct flips *flips, const struct place *place)
{
	struct txn txn = txn_begin_read(flips->store);

	txn_get(&txn, flips->table,
		(struct slice){place->key, place->key_size});
	return txn_end(&txn) != ERR_CORRUPT;
}

static bool is_verified(const struct flips *flips)
{
	struct verify_report report = {0};
	enum error error = store_verify_pages(flips->store, &report);

	buffer_free(&report.text);
	return error == ERR_NONE && report.problems == 0;
}

static void try_flip(struct flips *flips, uint64_t *state)
{
	uint64_t number = next_number(state);
	uint64_t byte;
	const struct place *place =
		element_position_of(flips, number / BITS % flips->bytes, &byte);
	off_t offset = place->offset + (off_t)byte;
	bool was_read;
	bool was_verified;

	flip(flips, offset, number % BITS);
	was_read = is_read(flips, place);
	was_verified = is_verified(flips);
	flip(flips, offset, number % BITS);
	flips->read += !was_read;
	flips->verified += !was_verified;
	flips->unseen += was_read && was_verified;
}

/* Of an empty table, none. */
static void try_table(struct flips *flips, unsigned count)
{
	uint64_t state = flips->table;

	list_places(flips);
	if (flips->count == 0)
		count = 0;
	for (unsigned i = 0; i < count; i++)
		try_flip(flips, &state);
	printf("| %s | %zu | %" PRIu64 " | %u | %" PRIu64 " | %" PRIu64
	       " | %" PRIu64 " |\n",
	       table_name(flips->table), flips->count, flips->bytes, count,
	       flips->read, flips->verified, flips->unseen);
}

static bool open_file(struct flips *flips, const char *folder)
{
	const struct store_options options = {.is_read_only = true};
	char name[MAX_PATH_BYTES];

	if (!folder_name(name, folder, FOLDER_DATA) ||
	    store_open(&flips->store, folder, &options) != ERR_NONE)
		return false;
	flips->map = find_map(name);
	flips->file = open(name, O_RDWR | O_CLOEXEC);
	return flips->map != NULL && flips->file >= 0;
}

int main(int count, char **values)
{
	struct flips flips = {.file = -1};
	unsigned each =
		count > 2 ? (unsigned)strtoul(values[2], NULL, 10) : FLIPS;
	uint64_t unseen = 0;

	if (count < 2 || !open_file(&flips, values[1])) {
		fputs("usage: flip_table STORE [FLIPS]\n", stderr);
		return 2;
	}
	puts("| table | values | bytes | flips | found by reading | by verify "
	     "| unseen |\n|-|-:|-:|-:|-:|-:|-:|");
	for (int i = 0; i < TABLE_COUNT; i++) {
		struct flips one = {.store = flips.store,
				    .file = flips.file,
				    .map = flips.map,
				    .table = (enum table)i};

		try_table(&one, each);
		unseen += one.unseen;
		free(one.places);
	}
	close(flips.file);
	store_close(flips.store);
	return unseen == 0 ? 0 : 1;
}
