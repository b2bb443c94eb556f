/* daemon/sandbox/user.h - no longer root. */
#ifndef DAEMON_SANDBOX_USER_H
#define DAEMON_SANDBOX_USER_H

#include <sys/types.h>

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

/* Whether there is such a user, who is not root; the errors are the same. */
enum error user_check(const char *name, char reason[USER_REASON_BYTES]);

/*
 * Make the folder `path` for that user; one that is there stays as it is, as
 * does where it is. ERR_NOT_FOUND: no such user; ERR_IO: errno says why.
 */
enum error user_make_folder(const char *name, const char *path, mode_t mode);

#endif
