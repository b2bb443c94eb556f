/* tests/unit/store/scratch.h - a folder for one test, and a store in it. */
#ifndef TESTS_UNIT_STORE_SCRATCH_H
#define TESTS_UNIT_STORE_SCRATCH_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "store/store.h"

enum { SCRATCH_PATH_BYTES = 256 };

struct scratch {
	char folder[64];
	char path[SCRATCH_PATH_BYTES]; /* of scratch_path() */
};

static inline void scratch_make(struct scratch *scratch)
{
	*scratch = (struct scratch){.folder = "/tmp/test_store.XXXXXX"};
	ck_assert_ptr_nonnull(mkdtemp(scratch->folder));
}

/* `name` in the folder; valid until the next call. */
static inline const char *scratch_path(struct scratch *scratch,
				       const char *name)
{
	snprintf(scratch->path, sizeof(scratch->path), "%s/%s", scratch->folder,
		 name);
	return scratch->path;
}

/* Remove the folder, its files, and the folders `inner` (NULL-ended) first. */
static inline void scratch_remove(struct scratch *scratch,
				  const char *const *inner)
{
	static const char *const any[] = {"", NULL};
	struct file_list files;

	ck_assert_int_eq(file_list(scratch->folder, any, &files), ERR_NONE);
	for (size_t i = 0; i < files.count; i++)
		unlink(scratch_path(scratch, files.paths[i]));
	file_list_free(&files);
	for (; inner != NULL && *inner != NULL; inner++)
		rmdir(scratch_path(scratch, *inner));
	ck_assert_int_eq(rmdir(scratch->folder), 0);
}

/* A store without fsync in the folder itself. */
static inline struct store *scratch_store(const struct scratch *scratch)
{
	struct store *store = NULL;
	struct store_options options = {.is_temporary = true};

	ck_assert_int_eq(store_open(&store, scratch->folder, &options),
			 ERR_NONE);
	return store;
}

/* A small generator, the same everywhere: xorshift64*. */
static inline uint64_t scratch_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1d;
}

#endif
