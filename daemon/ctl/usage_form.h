/*
 * daemon/ctl/usage_form.h - parse the operands in a verb's usage: "add HOST[/N]
 * | list [HOST]" has two forms; "DIR|FILE..." is one or more operands with two
 * choices. All results point into the usage.
 */
#ifndef DAEMON_CTL_USAGE_FORM_H
#define DAEMON_CTL_USAGE_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

/* The remaining forms; `rest` is NULL at the end. */
struct usage_forms {
	const char *rest;
};

/* Return the forms of `operands`, at least one; the form of "" is empty. */
struct usage_forms usage_forms_of(const char *operands);
bool usage_forms_next(struct usage_forms *forms, struct slice *form_out);

/*
 * Return the word at `position` (from 0) of a form, without "[ ]" and "...". If
 * the last word ends with "...", it has all further positions. False: no word.
 */
bool usage_word(struct slice form, size_t position, struct slice *word_out);

/* Remove the first choice from "DIR|FILE"; false if none remains. */
bool usage_take_choice(struct slice *word, struct slice *choice_out);

/*
 * Return whether the operand may stand for the word: the word is a placeholder,
 * or equals the operand.
 */
bool usage_allows(struct slice word, const char *operand);

/* Return whether these operands [count] are complete for the form. */
bool usage_fits(struct slice form, const char *const *operands, size_t count);

/* Return whether a choice is literal: "add", but not "HOST" or "-". */
bool usage_is_literal(struct slice choice);

#endif
