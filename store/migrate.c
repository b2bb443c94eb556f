#include "store/migrate.h"

#include "base/log.h"
#include "store/env.h"
#include "store/txn.h"

/* Schema 1 is the first one: there is no step yet. */
static const struct migration to_this_schema = {NULL, 0};

void store_migrate(struct txn *txn, uint64_t schema)
{
	const struct migration *migration = txn->store->options.migration;
	const uint64_t now = STORE_SCHEMA;
	uint64_t oldest;

	if (migration == NULL)
		migration = &to_this_schema;
	oldest = now - migration->count;
	if (schema < oldest || schema >= now) {
		txn_fail(txn, ERR_VERSION);
		return;
	}
	log_info("store %s: migrating from schema %d to %d", txn->store->path,
		 (int)schema, STORE_SCHEMA);
	for (; schema < now && txn->error == ERR_NONE; schema++)
		migration->steps[schema - oldest](txn);
	txn_put(txn, TABLE_META, slice_of("schema"),
		(struct slice){&now, sizeof(now)});
}
