#include "store/data_check.h"

#include <inttypes.h>

#include "base/log.h"
#include "store/data_file.h"
#include "store/data_walk.h"
#include "store/env.h"
#include "store/folder.h"

enum {
	MAX_TOLD = 10,
	/*
	 * While another process commits, the pages belong to different
	 * transactions.
	 */
	MAX_ATTEMPTS = 16,
};

struct lmdb_file_problems {
	struct buffer
		lines; /* one line per problem, for the first few problems */
	uint64_t problems;
};

static void data_check_note_damage(void *context,
				   const struct lmdb_damage *damage)
{
	struct lmdb_file_problems *check = context;

	if (check->problems++ < MAX_TOLD)
		buffer_printf(&check->lines, "table %s, page %" PRIu64 ": %s\n",
			      damage->table, damage->page, damage->what);
}

/* Check the current state of the file once. */
static enum error data_check_once(const char *name, enum lmdb_extent extent,
				  struct lmdb_file_problems *check,
				  uint64_t *transaction_out)
{
	const struct lmdb_visitor visitor = {.damage = data_check_note_damage,
					     .context = check};
	struct lmdb_file data;
	enum error error = lmdb_file_open(&data, name, &check->lines);
	bool is_long_enough = false;

	*transaction_out = 0;
	if (error == ERR_NONE) {
		*transaction_out = data.meta.transaction;
		is_long_enough = lmdb_file_is_long_enough(&data);
		error = extent == LMDB_ROOTS && is_long_enough
				? lmdb_file_walk_roots(&data, &visitor)
				: lmdb_file_walk(&data, &visitor);
	} else if (error == ERR_CORRUPT) {
		buffer_printf(&check->lines,
			      "; the file has %" PRIu64 " bytes\n", data.bytes);
	}
	if (check->problems > 0) {
		error = ERR_CORRUPT;
		if (!is_long_enough)
			buffer_printf(&check->lines,
				      "the file is truncated: it has %" PRIu64
				      " bytes of %" PRIu64 "\n",
				      data.bytes,
				      (data.meta.last_page + 1) *
					      data.page_bytes);
	}
	lmdb_file_close(&data);
	return error;
}

static void data_check_log_lines(const char *name, const struct buffer *lines)
{
	const char *line = lines->data;

	while (line != NULL && *line != '\0') {
		size_t length = strcspn(line, "\n");

		log_error("%s: %.*s", name, (int)length, line);
		line += length + (line[length] != '\0');
	}
}

enum error lmdb_file_check(const char *folder, enum lmdb_extent extent)
{
	char name[MAX_PATH_BYTES];
	struct lmdb_file_problems check = {0};
	uint64_t transaction = 0;
	uint64_t before;
	enum error error;

	if (!folder_name(name, folder, FOLDER_DATA))
		return ERR_IO;
	error = data_check_once(name, extent, &check, &before);
	for (int i = 0; i < MAX_ATTEMPTS && error == ERR_CORRUPT; i++) {
		buffer_clear(&check.lines);
		check.problems = 0;
		error = data_check_once(name, extent, &check, &transaction);
		if (transaction == before)
			break;
		before = transaction;
	}
	if (error == ERR_CORRUPT) {
		data_check_log_lines(name, &check.lines);
		log_error("%s is damaged (%" PRIu64
			  " of the checked pages); " STORE_ADVICE,
			  name, check.problems + (check.problems == 0));
	}
	buffer_free(&check.lines);
	return error == ERR_NOT_FOUND ? ERR_NONE : error;
}
