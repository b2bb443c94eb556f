/*
 * daemon/engine/archive_repair.h - repair archives that a daemon left
 * unfinished. Internal to the archive writer.
 */
#ifndef DAEMON_ENGINE_ARCHIVE_MEND_H
#define DAEMON_ENGINE_ARCHIVE_MEND_H

#include <stdbool.h>

#define ARCHIVE_OPEN ".open"

/*
 * Remove ARCHIVE_OPEN from the name of the file; false, with errno, on failure.
 */
bool archive_complete(const char *path);

/*
 * Truncate each unfinished archive in the folder after its last complete gzip
 * member, and complete it; remove files without any. Each is logged.
 */
void archive_repair(const char *folder);

#endif
