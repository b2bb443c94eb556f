#include "daemon/ctl/ctl.h"

#include "tests/unit/run.h"

/* The word at a position of the usage, "-" when there is none. */
static const char *word_at(const char *usage, size_t position)
{
	static char text[64];
	struct slice word = slice_of("-");

	usage_word(slice_of(usage), position, &word);
	snprintf(text, sizeof(text), "%.*s", (int)word.size,
		 (const char *)word.data);
	return text;
}

TEST(words_lose_their_brackets)
{
	ck_assert_str_eq(word_at("", 0), "-");
	ck_assert_str_eq(word_at("HOST/N [V1 V2]", 0), "HOST/N");
	ck_assert_str_eq(word_at("HOST/N [V1 V2]", 1), "V1");
	ck_assert_str_eq(word_at("HOST/N [V1 V2]", 2), "V2");
	ck_assert_str_eq(word_at("HOST/N [V1 V2]", 3), "-");
	ck_assert_str_eq(word_at("add HOST[/N]", 1), "HOST[/N]");
	ck_assert_str_eq(word_at("[URL]", 0), "URL");
}

TEST(dots_repeat_the_last_word)
{
	ck_assert_str_eq(word_at("B [FILE|DIR|-]...", 0), "B");
	ck_assert_str_eq(word_at("B [FILE|DIR|-]...", 1), "FILE|DIR|-");
	ck_assert_str_eq(word_at("B [FILE|DIR|-]...", 9), "FILE|DIR|-");
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

/* Whether the words, which stand between blanks, fit the usage. */
static bool fits(const char *usage, const char *line)
{
	char text[64];
	const char *words[8];
	size_t count = 0;
	char *rest = text;

	snprintf(text, sizeof(text), "%s", line);
	for (char *word; (word = strsep(&rest, " ")) != NULL;)
		if (*word != '\0')
			words[count++] = word;
	return usage_fits(slice_of(usage), words, count);
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

/* The number of operands of the usage, without the action's name. */
static size_t count_operands(const char *usage)
{
	struct slice word;
	size_t count = 0;
	size_t names = 0;

	while (*word_at(usage, count) != '-' && count < 8 &&
	       usage_word(slice_of(usage), count, &word)) {
		names += usage_is_literal(word);
		count++;
	}
	return count - names;
}

/* Each operand of an action that is only a request is part of the request. */
TEST(requests_use_all_operands)
{
	for (const struct verb *verb = verbs; verb->name != NULL; verb++)
		for (const struct verb_action *a = verb->actions; a->usage;
		     a++) {
			size_t used = a->member != NULL;
			bool repeats = strstr(a->usage, "...") != NULL;

			if (a->request == NULL || a->run != NULL)
				continue;
			for (const char *rest = a->request; *rest != '\0';)
				used += *rest++ == '%';
			ck_assert_msg(
				repeats || used == count_operands(a->usage),
				"%s %s: %s", verb->name, a->usage, a->request);
		}
}
