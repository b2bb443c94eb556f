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

struct check_of_data {
	struct buffer
		lines; /* one line per problem, for the first few problems */
	uint64_t problems;
};

static void note(void *context, const struct data_damage *damage)
{
	struct check_of_data *check = context;

	if (check->problems++ < MAX_TOLD)
		buffer_printf(&check->lines, "table %s, page %" PRIu64 ": %s\n",
			      damage->table, damage->page, damage->what);
}

/* Check the current state of the file once. */
static enum error look(const char *name, enum data_extent extent,
		       struct check_of_data *check, uint64_t *transaction_out)
{
	const struct data_visitor visitor = {.damage = note, .context = check};
	struct data_file data;
	enum error error = data_file_open(&data, name, &check->lines);
	bool is_long_enough = false;

	*transaction_out = 0;
	if (error == ERR_NONE) {
		*transaction_out = data.meta.transaction;
		is_long_enough = data_file_is_long_enough(&data);
		error = extent == DATA_ROOTS && is_long_enough
				? data_walk_roots(&data, &visitor)
				: data_walk(&data, &visitor);
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
	data_file_close(&data);
	return error;
}

static void log_lines(const char *name, const struct buffer *lines)
{
	const char *line = lines->data;

	while (line != NULL && *line != '\0') {
		size_t length = strcspn(line, "\n");

		log_error("%s: %.*s", name, (int)length, line);
		line += length + (line[length] != '\0');
	}
}

enum error data_check(const char *folder, enum data_extent extent)
{
	char name[MAX_PATH_BYTES];
	struct check_of_data check = {0};
	uint64_t transaction = 0;
	uint64_t before;
	enum error error;

	if (!folder_name(name, folder, FOLDER_DATA))
		return ERR_IO;
	error = look(name, extent, &check, &before);
	for (int i = 0; i < MAX_ATTEMPTS && error == ERR_CORRUPT; i++) {
		buffer_clear(&check.lines);
		check.problems = 0;
		error = look(name, extent, &check, &transaction);
		if (transaction == before)
			break;
		before = transaction;
	}
	if (error == ERR_CORRUPT) {
		log_lines(name, &check.lines);
		log_error("%s is damaged (%" PRIu64
			  " of the checked pages); " STORE_ADVICE,
			  name, check.problems + (check.problems == 0));
	}
	buffer_free(&check.lines);
	return error == ERR_NOT_FOUND ? ERR_NONE : error;
}
