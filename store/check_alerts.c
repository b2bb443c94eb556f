/* Check hooks, their outboxes, and silences. */
#include "store/check.h"

#include <inttypes.h>

#include "store/key.h"
#include "store/rows_event.h"
#include "store/rows_hook.h"
#include "store/store.h"

#define HOOK "hook %" PRIu32 ": "

static void check_number(struct verify_report *report, const char *what,
			 uint64_t number, uint64_t last)
{
	if (number > last)
		verify_problem(report,
			       "%s %" PRIu64
			       ": above the last number, %" PRIu64,
			       what, number, last);
}

/* Count a hook's rows in TABLE_OUTBOX and report damaged ones. */
static uint64_t check_count_outbox(struct txn *txn,
				   struct verify_report *report, uint32_t hook)
{
	struct key prefix = key_small(hook);
	struct scan scan = scan_begin(txn, TABLE_OUTBOX, key_slice(&prefix));
	uint64_t last = store_last_number(txn, "event");
	struct event_row row;
	uint64_t count = 0;

	while (scan_next(&scan)) {
		count++;
		if (scan.key.size != key_outbox(hook, 0).size ||
		    !event_decode(scan.value, &row))
			verify_problem(report, HOOK "a queued event is damaged",
				       hook);
		else
			check_number(report, "queued event",
				     key_u64(scan.key, sizeof(hook)), last);
	}
	scan_end(&scan);
	return count;
}

static void check_hooks(struct txn *txn, struct verify_report *report)
{
	struct scan scan = scan_begin(txn, TABLE_HOOKS, slice_of(""));
	uint64_t last = store_last_number(txn, "hook");
	struct hook_row row;

	while (scan_next(&scan)) {
		uint32_t hook = key_u32(scan.key, 0);
		uint64_t waiting;

		check_number(report, "hook", hook, last);
		if (scan.key.size != sizeof(hook) ||
		    !hook_row_decode(scan.value, &row)) {
			verify_problem(report, HOOK "damaged", hook);
			continue;
		}
		waiting = check_count_outbox(txn, report, hook);
		if (waiting != row.waiting)
			verify_problem(report,
				       HOOK "%" PRIu32 " events counted, but "
					    "%" PRIu64 " rows",
				       hook, row.waiting, waiting);
	}
	scan_end(&scan);
}

/* Report rows of TABLE_OUTBOX whose hook does not exist. One seek per hook. */
static void check_outbox(struct txn *txn, struct verify_report *report)
{
	uint64_t next = 0;

	while (next <= UINT32_MAX && txn->error == ERR_NONE) {
		struct key from = key_small((uint32_t)next);
		struct scan scan =
			scan_begin_at(txn, TABLE_OUTBOX, key_slice(&from), 0);
		bool is_row = scan_next(&scan);
		uint32_t hook = is_row ? key_u32(scan.key, 0) : 0;
		struct key key = key_small(hook);

		scan_end(&scan);
		if (!is_row)
			return;
		if (txn_get(txn, TABLE_HOOKS, key_slice(&key)).data == NULL)
			verify_problem(report,
				       HOOK "has queued events, but does "
					    "not exist",
				       hook);
		next = (uint64_t)hook + 1;
	}
}

static void check_silences(struct txn *txn, struct verify_report *report)
{
	struct scan scan = scan_begin(txn, TABLE_SILENCES, slice_of(""));
	uint64_t last = store_last_number(txn, "silence");
	struct silence_row row;

	while (scan_next(&scan)) {
		uint32_t silence = key_u32(scan.key, 0);

		check_number(report, "silence", silence, last);
		if (scan.key.size != sizeof(silence) ||
		    !silence_row_decode(scan.value, &row))
			verify_problem(report, "silence %" PRIu32 ": damaged",
				       silence);
	}
	scan_end(&scan);
}

void verify_alert_tables(struct txn *txn, struct verify_report *report)
{
	check_hooks(txn, report);
	check_outbox(txn, report);
	check_silences(txn, report);
}
