/*
 * daemon/ctl/completion.h - completions of the last word of a templatectl
 * command line: verbs, options, and values for the placeholders in capitals of
 * a usage, for example the hosts of the sites for HOST.
 */
#ifndef DAEMON_CTL_COMPLETION_H
#define DAEMON_CTL_COMPLETION_H

#include "base/buffer.h"
#include "daemon/ctl/ctl.h"

struct typed_line;

/*
 * Append one line for each completion of the last of `words` [count], count >=
 * 1. A line has the whole word, a tab, and a description, which may be empty. A
 * line "?files" or "?folders" means that the user may type a path, too. The
 * words are without quotes, as the shell passes them to a program. `ctl` has
 * the socket of the daemon, unless the words contain one. If the daemon does
 * not respond quickly, its values are omitted.
 *
 * A completed word has only letters, digits and ._:/@%+,=[]-, whatever the
 * daemon sends, so that a shell executes nothing in it.
 */
void completion_append(const struct ctl *ctl, const char *const *words,
		       size_t count, struct buffer *out);

/* What completion_add() needs to append a value. */
struct completion {
	const struct typed_line *line;
	const char *socket;
	const char *typed; /* prefix that a value must have */
	struct slice head; /* the part of the word before the value */
	struct buffer *out;
	bool has_files; /* a path may be typed here */
	bool has_folders;
};

/*
 * Append a line for a value, unless it does not begin with the typed prefix,
 * has characters that are not allowed, or looks like an option. Append nothing
 * if `value` is NULL. `meaning` may be NULL.
 */
void completion_add(const struct completion *completion, const char *value,
		    const char *meaning);

/* The files of daemon/ctl/shells, as texts. */

extern const char shell_bash[];
extern const char shell_zsh[];
extern const char shell_fish[];

#endif
