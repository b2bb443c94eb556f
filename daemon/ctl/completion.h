/*
 * daemon/ctl/completion.h - completions of the last word of a templatectl
 * command line: verbs, options, and values for capitals in a usage, for example
 * the sites of the daemon for HOST.
 */
#ifndef DAEMON_CTL_COMPLETION_H
#define DAEMON_CTL_COMPLETION_H

#include "base/buffer.h"
#include "daemon/ctl/ctl.h"

/*
 * Parse an incomplete command line of templatectl and determine the role of
 * its last word.
 */

/* Role of the last word. */
enum typed_part {
	TYPED_VERB,
	TYPED_OPTION,  /* it begins with "-" */
	TYPED_VALUE,   /* of `option` */
	TYPED_OPERAND, /* after those in `operands` */
	TYPED_NOTHING, /* unknown, because the verb does not exist */
};

/* Points into the words and the tables. */
struct typed_line {
	enum typed_part part;
	const struct verb *verb; /* NULL: none yet */
	const struct verb_option *option;
	struct slice head;     /* part before the value: "--format=" */
	const char *last;      /* rest of the last word */
	const char **operands; /* [operand_count] */
	size_t operand_count;
	struct option_value *values; /* [value_count], unchecked */
	size_t value_count;
	bool is_ended; /* after "--" */
};

/*
 * Read `words` [count], count >= 1; the last word is incomplete and may be
 * empty. Errors in the other words are ignored. End with typed_line_free().
 */
struct typed_line typed_line_read(const char *const *words, size_t count);

/*
 * Return the value of the last `--name` before the last word; NULL: not given.
 */
const char *typed_line_value(const struct typed_line *line, const char *name);

void typed_line_free(struct typed_line *line);

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

/* Append a line for each value of `name`, for example "HOST". */
void completion_add_values(struct completion *completion, struct slice name);

/* The files of daemon/ctl/shells, each terminated by NUL. */

extern const char shell_bash[];
extern const char shell_zsh[];
extern const char shell_fish[];

#endif
