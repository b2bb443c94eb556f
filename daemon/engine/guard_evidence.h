/*
 * daemon/engine/guard_evidence.h - the evidence about a guard from its pages.
 * Internal to daemon/.
 */
#ifndef DAEMON_ENGINE_GUARD_EVIDENCE_H
#define DAEMON_ENGINE_GUARD_EVIDENCE_H

#include <jansson.h>

#include "store/rows_guard.h"
#include "store/txn.h"

/*
 * Return {"guard", "name", "selector", "language", "xpath", "expect", "seen",
 * "agreed", "failed", "checked", "pages": [{"url", "matches", "value", "path",
 * "good"}, ...], "candidates": [{"selector", "xpath", "score", "pages",
 * "example"}, ...]}: `agreed` of `seen` recent pages agree with its state;
 * `failed` of `checked` pages fail. `pages` are up to 10 that fail, or on which
 * it holds if none fails. Candidates exist only if some fail.
 */
json_t *guard_evidence(struct txn *txn, uint32_t site, uint32_t number,
		       const struct guard_row *guard);

/* "1", "1..", "2..5". */
void guard_expect(const struct guard_row *guard, char out[32]);

#endif
