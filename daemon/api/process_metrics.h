/*
 * daemon/api/process_metrics.h - the metrics of the daemon's processes, by
 * role. Internal to the API.
 */
#ifndef DAEMON_API_PROCESS_METRICS_H
#define DAEMON_API_PROCESS_METRICS_H

struct buffer;
struct process_table;

/*
 * Append the metrics; none if `roster` is NULL. A role has no resident memory
 * if the kernel hides its processes (ProtectProc=invisible).
 */
void process_metrics(struct process_table *roster, struct buffer *out);

#endif
