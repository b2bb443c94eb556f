/* tests/unit/daemon/privsep/sample_tasks.h - a request of each kind, as the
 * main process sends it, for tests that change some of its bytes. */
#ifndef TESTS_UNIT_DAEMON_PRIVSEP_SAMPLE_TASKS_H
#define TESTS_UNIT_DAEMON_PRIVSEP_SAMPLE_TASKS_H

#include "daemon/privsep/messages.h"

/* message_free() it. `variant` is any number: another URL, format or guard. */
struct message sample_task(enum task_kind kind, unsigned variant);

#endif
