/*
 * daemon/ctl/usage_form.h - the operands of a verb, read from its usage:
 * "add HOST[/N] | list [HOST]" has two forms, "DIR|FILE..." one operand or more
 * that are one of two things. Everything points into the usage.
 */
#ifndef DAEMON_CTL_USAGE_FORM_H
#define DAEMON_CTL_USAGE_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "store/slice.h"

/* The forms that are left; `rest` is NULL at the end. */
struct usage_forms {
	const char *rest;
};

/* All of `operands`, of which there is at least one; that of "" is empty. */
struct usage_forms usage_forms_of(const char *operands);
bool usage_forms_next(struct usage_forms *forms, struct slice *form_out);

/*
 * What stands at `position` (from 0) of a form, without "[ ]" and "..."; the
 * last word has all further positions when it ends with "...". False: nothing.
 */
bool usage_word(struct slice form, size_t position, struct slice *word_out);

/* Take the first of the things that "DIR|FILE" says; false when none is left.
 */
bool usage_take_choice(struct slice *word, struct slice *choice_out);

/* Whether the operand may be that word: the word names something else than
 * itself, or is the operand. */
bool usage_allows(struct slice word, const char *operand);

/* Whether a form has these operands [count], and needs no more. */
bool usage_fits(struct slice form, const char *const *operands, size_t count);

/* Whether a choice stands for itself: "add", but not "HOST" or "-". */
bool usage_is_literal(struct slice choice);

#endif
