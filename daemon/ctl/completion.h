/*
 * daemon/ctl/completion.h - completions of the last word of a templatectl
 * command line: verbs, options, and values for capitals in a usage, for example
 * the sites of the daemon for HOST.
 */
#ifndef DAEMON_CTL_COMPLETION_H
#define DAEMON_CTL_COMPLETION_H

#include "base/buffer.h"
#include "daemon/ctl/ctl.h"

struct typed_line;

/*
 * Append a line for each completion of the last of `words` [count], count >= 1:
 * the whole word, a tab, and its cleaned description, or nothing. A line
 * "?files" or "?folders" says that a path may also be typed here. The words are
 * unquoted, as the shell passes them to a program. `socket` is the daemon's
 * socket if they name none. If the daemon does not respond quickly, it
 * contributes no values.
 *
 * A word has only letters, digits and ._:/@%+,=[]-, whatever the daemon
 * returns, hence nothing that a shell would execute.
 */
void completion_append(const struct ctl *ctl, const char *const *words,
		       size_t count, struct buffer *out);

/* Target of completion_add(). */
struct completion {
	const struct typed_line *line;
	const char *socket;
	const char *typed; /* prefix that a value must have */
	struct slice head; /* part of the word before the value */
	struct buffer *out;
	bool has_files; /* a path may be typed here */
	bool has_folders;
};

/*
 * Append the line of a value if it begins with the typed prefix, is safe, and
 * does not look like an option. Append nothing for NULL. `meaning` may be NULL.
 */
void completion_add(const struct completion *completion, const char *value,
		    const char *meaning);

/* The files of daemon/ctl/shells, each terminated by NUL. */

extern const char shell_bash[];
extern const char shell_zsh[];
extern const char shell_fish[];

#endif
