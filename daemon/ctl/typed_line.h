/*
 * daemon/ctl/typed_line.h - parse an incomplete command line of templatectl and
 * determine the role of its last word.
 */
#ifndef DAEMON_CTL_TYPED_LINE_H
#define DAEMON_CTL_TYPED_LINE_H

#include "base/slice.h"
#include "daemon/ctl/ctl.h"

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
struct typed_line typed_line_read(const struct verb *const *verbs,
				  const char *const *words, size_t count);

/*
 * Return the value of the last `--name` before the last word; NULL: not given.
 */
const char *typed_line_value(const struct typed_line *line, const char *name);

void typed_line_free(struct typed_line *line);

#endif
