#include "daemon/ctl/ctl.h"

#include <stdio.h>

#include "tests/unit/run.h"

/* The word at a position of form `index`, "-" when there is none. */
static const char *word_at(const char *operands, size_t index, size_t position)
{
	static char text[64];
	struct usage_forms forms = usage_forms_of(operands);
	struct slice form;
	struct slice word = slice_of("-");

	for (size_t i = 0; i <= index; i++)
		if (!usage_forms_next(&forms, &form))
			return "no form";
	usage_word(form, position, &word);
	snprintf(text, sizeof(text), "%.*s", (int)word.size,
		 (const char *)word.data);
	return text;
}

TEST(no_operand_is_one_empty_form)
{
	ck_assert_str_eq(word_at("", 0, 0), "-");
	ck_assert_str_eq(word_at("", 1, 0), "no form");
}

TEST(words_lose_their_brackets)
{
	ck_assert_str_eq(word_at("HOST/N [V1 V2]", 0, 0), "HOST/N");
	ck_assert_str_eq(word_at("HOST/N [V1 V2]", 0, 1), "V1");
	ck_assert_str_eq(word_at("HOST/N [V1 V2]", 0, 2), "V2");
	ck_assert_str_eq(word_at("HOST/N [V1 V2]", 0, 3), "-");
	ck_assert_str_eq(word_at("add HOST[/N]", 0, 1), "HOST[/N]");
	ck_assert_str_eq(word_at("[URL]", 0, 0), "URL");
}

TEST(dots_repeat_the_last_word)
{
	ck_assert_str_eq(word_at("B [FILE|DIR|-]...", 0, 0), "B");
	ck_assert_str_eq(word_at("B [FILE|DIR|-]...", 0, 1), "FILE|DIR|-");
	ck_assert_str_eq(word_at("B [FILE|DIR|-]...", 0, 9), "FILE|DIR|-");
}

TEST(forms_are_apart)
{
	const char *operands = "add HOST[/N] | list [HOST] | rm HOST GUARD";

	ck_assert_str_eq(word_at(operands, 0, 0), "add");
	ck_assert_str_eq(word_at(operands, 1, 1), "HOST");
	ck_assert_str_eq(word_at(operands, 2, 2), "GUARD");
	ck_assert_str_eq(word_at(operands, 2, 3), "-");
	ck_assert_str_eq(word_at(operands, 3, 0), "no form");
}

TEST(choices_are_taken_in_order)
{
	struct slice word = slice_of("mountain|DIR");
	struct slice choice;

	ck_assert(usage_take_choice(&word, &choice));
	ck_assert(slice_equal(choice, slice_of("mountain")));
	ck_assert(usage_is_literal(choice));
	ck_assert(usage_take_choice(&word, &choice));
	ck_assert(slice_equal(choice, slice_of("DIR")));
	ck_assert(!usage_is_literal(choice));
	ck_assert(!usage_take_choice(&word, &choice));
}

/* Whether the words, which stand between blanks, fit the first form. */
static bool fits(const char *operands, const char *line)
{
	struct usage_forms forms = usage_forms_of(operands);
	struct slice form;
	char text[64];
	const char *words[8];
	size_t count = 0;
	char *rest = text;

	snprintf(text, sizeof(text), "%s", line);
	for (char *word; (word = strsep(&rest, " ")) != NULL;)
		if (*word != '\0')
			words[count++] = word;
	usage_forms_next(&forms, &form);
	return usage_fits(form, words, count);
}

TEST(a_command_has_all_that_is_needed_and_no_more)
{
	ck_assert(fits("", ""));
	ck_assert(!fits("", "a"));
	ck_assert(fits("OLD NEW", "a b"));
	ck_assert(!fits("OLD NEW", "a"));
	ck_assert(!fits("OLD NEW", "a b c"));
	ck_assert(fits("[URL]", ""));
}

TEST(words_in_brackets_come_together)
{
	ck_assert(fits("HOST/N [V1 V2]", "a"));
	ck_assert(!fits("HOST/N [V1 V2]", "a 1"));
	ck_assert(fits("HOST/N [V1 V2]", "a 1 2"));
}

TEST(words_with_dots_are_needed_once)
{
	ck_assert(!fits("FILE|-...", ""));
	ck_assert(fits("FILE|-...", "a"));
	ck_assert(fits("FILE|-...", "a b c"));
	ck_assert(fits("B [FILE|-]...", "b"));
}

TEST(what_stands_for_itself_is_that_word)
{
	ck_assert(fits("rm HOST GUARD", "rm a b"));
	ck_assert(!fits("rm HOST GUARD", "show a b"));
	ck_assert(fits("bash|zsh", "zsh"));
	ck_assert(!fits("bash|zsh", "ksh"));
	ck_assert(fits("mountain|DIR", "ksh"));
}
