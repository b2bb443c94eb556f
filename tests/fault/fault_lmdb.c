/*
 * Wraps our calls of LMDB (the linker's --wrap): a call that fails does only
 * what LMDB does for such a call.
 */
#include <errno.h>
#include <lmdb.h>
#include <stddef.h>

#include "tests/fault/fault.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* The next matching error code; 0 = do not fail. */
static int strikes(const int *codes, size_t count)
{
	uint32_t number = fault_strikes(FAULT_LMDB);

	return number == 0 ? MDB_SUCCESS : codes[number % count];
}

static const int of_reading[] = {EIO, ENOMEM, MDB_CORRUPTED, MDB_PAGE_NOTFOUND};
static const int of_writing[] = {MDB_MAP_FULL, ENOMEM, EIO, MDB_TXN_FULL};
static const int of_beginning[] = {ENOMEM, MDB_READERS_FULL, MDB_PANIC,
				   MDB_MAP_RESIZED, EAGAIN};
static const int of_committing[] = {ENOSPC, EIO, MDB_MAP_FULL, ENOMEM,
				    MDB_PANIC};
static const int of_opening[] = {ENOMEM, EIO, ENOSPC, MDB_VERSION_MISMATCH,
				 MDB_INVALID};
static const int of_setting[] = {ENOMEM};

/* int NAME(parameters), which fails with one of `codes`. */
#define WRAP(name, codes, parameters, arguments)                         \
	int __real_##name parameters;                                    \
	int __wrap_##name parameters;                                    \
	int __wrap_##name parameters                                     \
	{                                                                \
		int rc = strikes(codes, COUNT(codes));                   \
                                                                         \
		return rc != MDB_SUCCESS ? rc : __real_##name arguments; \
	}

WRAP(mdb_env_create, of_setting, (MDB_env * *env), (env))
WRAP(mdb_env_open, of_opening,
     (MDB_env * env, const char *path, unsigned flags, mdb_mode_t mode),
     (env, path, flags, mode))
WRAP(mdb_env_set_mapsize, of_setting, (MDB_env * env, size_t bytes),
     (env, bytes))
WRAP(mdb_reader_check, of_setting, (MDB_env * env, int *dead), (env, dead))
WRAP(mdb_txn_begin, of_beginning,
     (MDB_env * env, MDB_txn *parent, unsigned flags, MDB_txn **txn),
     (env, parent, flags, txn))
WRAP(mdb_dbi_open, of_reading,
     (MDB_txn * txn, const char *name, unsigned flags, MDB_dbi *table),
     (txn, name, flags, table))
WRAP(mdb_stat, of_reading, (MDB_txn * txn, MDB_dbi table, MDB_stat *stat),
     (txn, table, stat))
WRAP(mdb_get, of_reading,
     (MDB_txn * txn, MDB_dbi table, MDB_val *key, MDB_val *value),
     (txn, table, key, value))
WRAP(mdb_put, of_writing,
     (MDB_txn * txn, MDB_dbi table, MDB_val *key, MDB_val *value,
      unsigned flags),
     (txn, table, key, value, flags))
WRAP(mdb_del, of_writing,
     (MDB_txn * txn, MDB_dbi table, MDB_val *key, MDB_val *value),
     (txn, table, key, value))
WRAP(mdb_cursor_open, of_setting,
     (MDB_txn * txn, MDB_dbi table, MDB_cursor **cursor), (txn, table, cursor))
WRAP(mdb_cursor_get, of_reading,
     (MDB_cursor * cursor, MDB_val *key, MDB_val *value, MDB_cursor_op op),
     (cursor, key, value, op))
WRAP(mdb_cursor_put, of_writing,
     (MDB_cursor * cursor, MDB_val *key, MDB_val *value, unsigned flags),
     (cursor, key, value, flags))
WRAP(mdb_cursor_del, of_writing, (MDB_cursor * cursor, unsigned flags),
     (cursor, flags))

/* The names are those of --wrap.
 * NOLINTBEGIN(readability-identifier-naming) */
int __real_mdb_txn_commit(MDB_txn *txn);
int __wrap_mdb_txn_commit(MDB_txn *txn);

/* The transaction is over even if the call fails. */
int __wrap_mdb_txn_commit(MDB_txn *txn)
{
	int rc = strikes(of_committing, COUNT(of_committing));

	if (rc == MDB_SUCCESS)
		return __real_mdb_txn_commit(txn);
	mdb_txn_abort(txn);
	return rc;
}
/* NOLINTEND(readability-identifier-naming) */
