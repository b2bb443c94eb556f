/*
 * daemon/api/api_processes.h - the processes of the daemon as JSON, for the
 * status. Internal to api*.c.
 */
#ifndef DAEMON_API_API_PROCESSES_H
#define DAEMON_API_API_PROCESSES_H

#include <jansson.h>

struct process_table;

/*
 * Return [{role, running: [{pid, since}], deaths, holds, lacks}], a row for
 * each role that was ever started. `holds` and `lacks` come from the newest
 * running process, or are null. Empty if `roster` is NULL. You release it.
 */
json_t *api_processes_json(struct process_table *roster);

#endif
