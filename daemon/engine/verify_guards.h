/* daemon/engine/invariants_verify_guards.h - verify the guards of a site. */
#ifndef DAEMON_ENGINE_VERIFY_GUARDS_H
#define DAEMON_ENGINE_VERIFY_GUARDS_H

#include "store/rows_site.h"
#include "store/txn.h"
#include "store/verify.h"

/*
 * Check that each guard counts exactly the pages on which it fails
 * (guard_fails()). store_verify() reports damaged rows.
 */
void invariants_verify_guards(struct txn *txn, const struct site_row *site,
			      struct verify_report *report);

#endif
