/*
 * daemon/api/api_processes.h - the processes of the daemon, for the
 * status. Internal to api*.c.
 */
#ifndef DAEMON_API_API_PROCESSES_H
#define DAEMON_API_API_PROCESSES_H

#include <jansson.h>

struct roster;

/*
 * [{role, running: [{pid, since}], deaths, holds, lacks}], a row for each role
 * that has been started: `holds` and `lacks` are those of the last one that
 * runs, or null. Empty when `roster` is NULL. The caller's.
 */
json_t *api_processes_json(struct roster *roster);

#endif
