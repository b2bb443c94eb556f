/* daemon/ctl/temporary_store.h - a store for the work on files. */
#ifndef DAEMON_CTL_TEMPORARY_STORE_H
#define DAEMON_CTL_TEMPORARY_STORE_H

#include "daemon/ctl/ctl.h"
#include "store/error.h"
#include "store/store.h"

/*
 * Open a store under $TMPDIR whose files have no name any more: they go away
 * with this process, however it ends. An error is told. End with store_close().
 */
enum error temporary_store_open(const struct ctl *ctl,
				struct store **store_out);

#endif
