#include "store/verify.h"

#include <inttypes.h>

#include "store/checksum.h"
#include "store/data_file.h"
#include "store/data_walk.h"
#include "store/env.h"
#include "store/folder.h"
#include "store/key.h"

static void verify_note_damage(void *context, const struct lmdb_damage *damage)
{
	verify_problem(context, "table %s, page %" PRIu64 ": %s", damage->table,
		       damage->page, damage->what);
}

static bool verify_check_row(void *context, const char *table, struct slice key,
			     struct slice value)
{
	struct key_text text;

	verify_place(context, "table %s", table);
	if (checksum_read(table, key, value).data == NULL)
		verify_problem(context,
			       "table %s, row %s: its checksum is wrong", table,
			       key_text(key, &text));
	return true;
}

/*
 * The caller has an open read transaction, so that LMDB keeps the pages of this
 * snapshot.
 */
static enum error verify_file(const char *folder, struct verify_report *report)
{
	const struct lmdb_visitor visitor = {.damage = verify_note_damage,
					     .row = verify_check_row,
					     .context = report};
	char name[MAX_PATH_BYTES];
	struct buffer why = {0};
	struct lmdb_file data;
	enum error error;

	if (!folder_name(name, folder, FOLDER_DATA))
		return ERR_IO;
	error = lmdb_file_open(&data, name, &why);
	if (error == ERR_NONE)
		error = lmdb_file_walk(&data, &visitor);
	else if (error == ERR_CORRUPT)
		verify_problem(report, "%s", why.data);
	lmdb_file_close(&data);
	buffer_free(&why);
	return error == ERR_CORRUPT ? ERR_NONE : error;
}

enum error store_verify_pages(struct store *store, struct verify_report *report)
{
	struct txn txn = txn_begin_read(store);
	enum error error = txn.error;

	if (error == ERR_NONE)
		error = verify_file(store->path, report);
	txn_abort(&txn);
	return error;
}
