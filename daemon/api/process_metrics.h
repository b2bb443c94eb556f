/*
 * daemon/api/process_metrics.h - the metrics of the daemon's processes, by
 * their roles. Internal to the API.
 */
#ifndef DAEMON_API_PROCESS_METRICS_H
#define DAEMON_API_PROCESS_METRICS_H

struct buffer;
struct roster;

/*
 * Append them; none when `roster` is NULL. A role has no resident memory when
 * the kernel does not tell us of its processes (ProtectProc=invisible).
 */
void process_metrics(struct roster *roster, struct buffer *out);

#endif
