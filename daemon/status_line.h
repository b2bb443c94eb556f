/*
 * daemon/status_line.h - one line about the daemon's state, for the service
 * manager.
 */
#ifndef DAEMON_STATUS_LINE_H
#define DAEMON_STATUS_LINE_H

#include "base/buffer.h"

struct store;

/*
 * Append "12 sites, 3,400 pages, 2 crawling" from the store; nothing if the
 * store cannot be read. O(sites).
 */
void status_line(struct store *store, struct buffer *out);

#endif
