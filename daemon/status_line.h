/* daemon/status_line.h - what the daemon is about, for the service manager. */
#ifndef DAEMON_STATUS_LINE_H
#define DAEMON_STATUS_LINE_H

#include "store/buffer.h"

struct store;

/*
 * Append "12 sites, 3,400 pages, 2 crawling" as the store has it now; nothing
 * when it cannot be read. O(sites).
 */
void status_line(struct store *store, struct buffer *out);

#endif
