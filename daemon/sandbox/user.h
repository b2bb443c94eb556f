/* daemon/sandbox/user.h - no longer root. */
#ifndef DAEMON_SANDBOX_USER_H
#define DAEMON_SANDBOX_USER_H

#include "store/error.h"

enum { USER_REASON_BYTES = 128 };

/*
 * Become the user `name`, with its group and no other, for good: all ids are
 * the user's, no capability is left, and the process can be neither traced nor
 * dumped. Only root can; one who is that user already, and cannot become root,
 * is done, too. While the process has one thread.
 * ERR_NOT_FOUND: there is no such user. ERR_REFUSED: the user is root, or we
 * may not, or could come back; then the process must end. `reason` says which.
 */
enum error user_become(const char *name, char reason[USER_REASON_BYTES]);

#endif
