/* daemon/engine/verify_guards.h - the guards of a site, checked. */
#ifndef DAEMON_ENGINE_VERIFY_GUARDS_H
#define DAEMON_ENGINE_VERIFY_GUARDS_H

#include "store/rows_site.h"
#include "store/txn.h"
#include "store/verify.h"

/*
 * Each guard counts as failing the pages that it fails on (guard_fails()), no
 * more and no fewer. store_verify() has told of damaged rows.
 */
void verify_guards(struct txn *txn, const struct site_row *site,
		   struct verify_report *report);

#endif
