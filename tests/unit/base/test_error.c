#include "base/error.h"

#include "tests/unit/run.h"

static const enum error all[] = {ERR_NONE,
#define X(name, value, code, text) name,
				 ERROR_LIST(X)
#undef X
};

enum { COUNT = COUNT_OF(all) };

static void check_distinct(enum error a, enum error b)
{
	ck_assert_int_ne(strcmp(error_text(a), error_text(b)), 0);
	ck_assert_int_ne(strcmp(error_code(a), error_code(b)), 0);
}

TEST(each_error_has_a_text_and_a_code_of_its_own)
{
	for (size_t i = 0; i < COUNT; i++)
		for (size_t j = 0; j < i; j++)
			check_distinct(all[i], all[j]);
}

TEST(a_code_is_one_word_and_a_text_is_no_sentence)
{
	for (size_t i = 0; i < COUNT; i++) {
		const char *text = error_text(all[i]);

		ck_assert_ptr_null(strchr(error_code(all[i]), ' '));
		ck_assert_int_ne(text[strlen(text) - 1], '.');
	}
}

TEST(what_is_no_error_of_ours_is_told_as_such)
{
	ck_assert_str_eq(error_text((enum error) - 999), "unknown error");
	ck_assert_str_eq(error_code((enum error) - 999), "unknown");
}
