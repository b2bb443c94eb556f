/*
 * daemon/ctl/typed_line.h - a command line of templatectl that is being typed:
 * what its last word is to be.
 */
#ifndef DAEMON_CTL_TYPED_LINE_H
#define DAEMON_CTL_TYPED_LINE_H

#include "daemon/ctl/ctl.h"
#include "store/slice.h"

/* What the last word is to be. */
enum typed_part {
	TYPED_VERB,
	TYPED_OPTION,  /* it begins with "-" */
	TYPED_VALUE,   /* of `option` */
	TYPED_OPERAND, /* behind those in `operands` */
	TYPED_NOTHING, /* nothing that is known: there is no such verb */
};

/* Points into the words and the tables. */
struct typed_line {
	enum typed_part part;
	const struct verb *verb; /* NULL: none yet */
	const struct verb_option *option;
	struct slice head;     /* of the last word what is not of the value, as
				  "--format=" */
	const char *last;      /* the rest of it */
	const char **operands; /* [operand_count] */
	size_t operand_count;
	struct option_value *values; /* [value_count], unchecked */
	size_t value_count;
	bool is_ended; /* behind "--" */
};

/*
 * Read `words` [count], count >= 1, of which the last is being typed and may be
 * empty. What is wrong in the others is passed over. End with
 * typed_line_free().
 */
struct typed_line typed_line_read(const struct verb *const *verbs,
				  const char *const *words, size_t count);

/* The value of the last `--name` before the last word; NULL: not given. */
const char *typed_line_value(const struct typed_line *line, const char *name);

void typed_line_free(struct typed_line *line);

#endif
