/*
 * daemon/ctl/completion.h - what may stand at the end of a command line of
 * templatectl: verbs, options, and what the capitals of a usage stand for, as
 * HOST for the sites of the daemon.
 */
#ifndef DAEMON_CTL_COMPLETION_H
#define DAEMON_CTL_COMPLETION_H

#include "daemon/ctl/ctl.h"
#include "daemon/ctl/typed_line.h"
#include "store/buffer.h"

/*
 * Append a line for each thing that the last of `words` [count], count >= 1,
 * may become: the whole word, a tab, and its meaning, cleaned, or nothing.
 * A line "?files" or "?folders" says that paths may stand there, too. The words
 * are as the shell gives them to a program; `socket` is the daemon's where they
 * name none. A daemon that does not answer at once knows nothing.
 *
 * A word has only letters, digits and ._:/@%+,=[]-, whatever the daemon says,
 * and so nothing that a shell would run.
 */
void completion_append(const struct ctl *ctl, const char *const *words,
		       size_t count, struct buffer *out);

/* Where completion_value() puts what it finds. */
struct completion {
	const struct typed_line *line;
	const char *socket;
	const char *typed; /* what a value has to begin with */
	struct slice head; /* stands before it in the word */
	struct buffer *out;
	bool has_files; /* paths of files may stand there */
	bool has_folders;
};

/* Append the line of a value, if it begins as typed, is safe, and can be taken
 * for no option; of NULL none.
 * `meaning` may be NULL. */
void completion_add(const struct completion *completion, const char *value,
		    const char *meaning);

/* Append a line for all that `name`, as "HOST", stands for. */
void completion_add_values(struct completion *completion, struct slice name);

#endif
