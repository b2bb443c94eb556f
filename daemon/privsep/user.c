#include "daemon/privsep/user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ENTRY_BYTES = 16384 };

/* Compare all three ids, so that none of them allows a return to root. */
static bool is_only(uid_t user, gid_t group)
{
	uid_t users[3];
	gid_t groups[3];

	return getresuid(&users[0], &users[1], &users[2]) == 0 &&
	       getresgid(&groups[0], &groups[1], &groups[2]) == 0 &&
	       users[0] == user && users[1] == user && users[2] == user &&
	       groups[0] == group && groups[1] == group && groups[2] == group;
}

/*
 * Try to become root again: the kernel checks capabilities in addition to ids.
 */
static bool can_come_back(void)
{
	return setresuid(0, 0, 0) == 0 || seteuid(0) == 0 ||
	       setresgid(0, 0, 0) == 0;
}

static enum error user_change(uid_t user, gid_t group, char *reason)
{
	if (geteuid() == 0 &&
	    (setgroups(0, NULL) != 0 || setresgid(group, group, group) != 0 ||
	     setresuid(user, user, user) != 0)) {
		snprintf(reason, USER_REASON_BYTES, "%s",
			 strerrordesc_np(errno));
		return ERR_ADDRESS_FORBIDDEN;
	}
	if (!is_only(user, group)) {
		snprintf(reason, USER_REASON_BYTES,
			 "only root can become another user");
		return ERR_ADDRESS_FORBIDDEN;
	}
	if (can_come_back()) {
		snprintf(reason, USER_REASON_BYTES,
			 "the process can become root again");
		return ERR_ADDRESS_FORBIDDEN;
	}
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) {
		snprintf(reason, USER_REASON_BYTES, "%s",
			 strerrordesc_np(errno));
		return ERR_ADDRESS_FORBIDDEN;
	}
	return ERR_NONE;
}

/* Return the ids of the user; ERR_ADDRESS_FORBIDDEN for root. */
static enum error user_find(const char *name, uid_t *user_out, gid_t *group_out,
			    char *reason)
{
	char text[MAX_ENTRY_BYTES];
	struct passwd entry;
	struct passwd *found = NULL;

	reason[0] = '\0';
	if (getpwnam_r(name, &entry, text, sizeof(text), &found) != 0 ||
	    found == NULL) {
		snprintf(reason, USER_REASON_BYTES, "there is no such user");
		return ERR_NOT_FOUND;
	}
	if (entry.pw_uid == 0 || entry.pw_gid == 0) {
		snprintf(reason, USER_REASON_BYTES,
			 "it is root, or in root's group");
		return ERR_ADDRESS_FORBIDDEN;
	}
	*user_out = entry.pw_uid;
	*group_out = entry.pw_gid;
	return ERR_NONE;
}

enum error user_become(const char *name, char reason[USER_REASON_BYTES])
{
	uid_t user;
	gid_t group;
	enum error error = user_find(name, &user, &group, reason);

	return error == ERR_NONE ? user_change(user, group, reason) : error;
}

enum error user_check(const char *name, char reason[USER_REASON_BYTES])
{
	return user_find(name, &(uid_t){0}, &(gid_t){0}, reason);
}

enum error user_make_folder(const char *name, const char *path, mode_t mode)
{
	char reason[USER_REASON_BYTES];
	uid_t user;
	gid_t group;
	enum error error = user_find(name, &user, &group, reason);

	if (error != ERR_NONE)
		return error;
	if (mkdir(path, mode) != 0)
		return errno == EEXIST ? ERR_NONE : ERR_IO;
	return lchown(path, user, group) == 0 ? ERR_NONE : ERR_IO;
}
