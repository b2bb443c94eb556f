/* daemon/pipeline/archive_mend.h - archives that a daemon left open. Internal
 * to the writer of archives. */
#ifndef DAEMON_PIPELINE_ARCHIVE_MEND_H
#define DAEMON_PIPELINE_ARCHIVE_MEND_H

#include <stdbool.h>

#define ARCHIVE_OPEN ".open"

/* Take ARCHIVE_OPEN off the name of the file; false, with errno, if it cannot.
 */
bool archive_complete(const char *path);

/*
 * Cut each unfinished archive in the folder behind its last whole gzip member,
 * and complete it; a file without any is removed. Each is logged.
 */
void archive_mend(const char *folder);

#endif
