#include "daemon/privsep/landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/privsep/wall.h"

/*
 * Copied from linux/landlock.h, because the installed header may be older than
 * the kernel. The system call numbers are the same on all architectures.
 */
enum {
	CREATE_RULESET = 444,
	ADD_RULE = 445,
	RESTRICT_SELF = 446,
	GIVE_VERSION = 1,
	RULE_PATH_BENEATH = 1,
	ABI_REFER = 2,
	ABI_TRUNCATE = 3,
	ABI_TCP = 4,
	ABI_IOCTL = 5,
	ABI_SCOPES = 6,
};

static const uint64_t read_file = 1U << 2;
static const uint64_t read_folder = 1U << 3;
static const uint64_t first_files = (1U << 13) - 1; /* all rights of ABI 1 */
static const uint64_t refer = 1U << 13;
static const uint64_t truncating = 1U << 14;
static const uint64_t device_ioctl = 1U << 15;
static const uint64_t bind_tcp = 1U << 0;
static const uint64_t connect_tcp = 1U << 1;
static const uint64_t abstract_sockets = 1U << 0;
static const uint64_t signals = 1U << 1;

struct ruleset {
	uint64_t files;
	uint64_t tcp;
	uint64_t scopes;
};

struct path_beneath {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

static uint64_t files_of(long abi)
{
	uint64_t files = first_files;

	if (abi >= ABI_REFER)
		files |= refer;
	if (abi >= ABI_TRUNCATE)
		files |= truncating;
	if (abi >= ABI_IOCTL)
		files |= device_ioctl;
	return files;
}

/* Ignore a missing path: the process does not need it. */
static bool allow_path(int set, const char *path)
{
	struct path_beneath rule = {.allowed = read_file};
	struct stat status;
	bool is_allowed = true;

	rule.parent = open(path, O_PATH | O_CLOEXEC);
	if (rule.parent < 0)
		return true;
	if (fstat(rule.parent, &status) == 0 && S_ISDIR(status.st_mode))
		rule.allowed |= read_folder;
	is_allowed = syscall(ADD_RULE, set, RULE_PATH_BENEATH, &rule, 0) == 0;
	close(rule.parent);
	return is_allowed;
}

static bool allow_paths(int set, const struct landlock_rules *rules)
{
	bool is_allowed = true;

	for (size_t i = 0; i < MAX_LISTS; i++) {
		const char *const *paths = rules->readable[i];

		for (; paths != NULL && *paths != NULL; paths++)
			is_allowed &= allow_path(set, *paths);
	}
	return is_allowed;
}

/* An older kernel accepts a larger structure if the unknown fields are zero. */
static struct ruleset ruleset_of(const struct landlock_rules *rules, long abi)
{
	struct ruleset set = {0};

	if (rules->has_files)
		set.files = files_of(abi);
	if (abi >= ABI_TCP)
		set.tcp = bind_tcp | (rules->may_connect ? 0 : connect_tcp);
	if (abi >= ABI_SCOPES)
		set.scopes =
			signals | (rules->may_notify ? 0 : abstract_sockets);
	return set;
}

unsigned landlock_restrict(const struct landlock_rules *rules)
{
	long abi = syscall(CREATE_RULESET, NULL, 0, GIVE_VERSION);
	struct ruleset set = ruleset_of(rules, abi);
	bool is_done = false;
	int file;

	if (abi < 1 || (set.files | set.tcp | set.scopes) == 0)
		return 0;
	file = (int)syscall(CREATE_RULESET, &set, sizeof(set), 0);
	if (file < 0)
		return 0;
	if (allow_paths(file, rules))
		is_done = syscall(RESTRICT_SELF, file, 0) == 0;
	close(file);
	if (!is_done)
		return 0;
	return (set.files != 0 ? SANDBOX_FILES : 0U) |
	       (set.tcp != 0 ? SANDBOX_TCP : 0U) |
	       (set.scopes != 0 ? SANDBOX_SCOPES : 0U);
}
