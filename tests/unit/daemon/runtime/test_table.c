#include "daemon/runtime/terminal.h"

#include "tests/unit/run.h"

static const struct table_column columns[] = {
	{.title = "NAME", .is_elastic = true},
	{.title = "PAGES", .is_number = true},
	{.title = "TITLE", .is_elastic = true},
};

static const char *rendered(const struct text_table *table, size_t width,
			    struct buffer *out)
{
	buffer_clear(out);
	table_render(table, width, out);
	return out->data;
}

TEST(columns_are_as_wide_as_their_widest_cell)
{
	struct text_table *table = table_create(columns, 3);
	AUTO_BUFFER out = {0};

	table_add_text(table, "example.org/1");
	table_printf(table, "%d", 1200);
	table_add_text(table, "News");
	table_add_text(table, "a");
	table_printf(table, "%d", 7);
	table_add_text(table, NULL);
	ck_assert_str_eq(rendered(table, 0, &out),
			 "NAME           PAGES  TITLE\n"
			 "example.org/1   1200  News\n"
			 "a                  7  \n");
	table_destroy(table);
}

TEST(the_widest_elastic_column_is_cut_first)
{
	struct text_table *table = table_create(columns, 3);
	AUTO_BUFFER out = {0};

	table_add_text(table, "0123456789");           /* 10 */
	table_add_text(table, "1");                    /* 5 by the title */
	table_add_text(table, "abcdefghijklmnopqrst"); /* 20 */
	/* 10 + 2 + 5 + 2 + 20 = 39: the title gives 9 of its columns */
	ck_assert_str_eq(rendered(table, 30, &out),
			 "NAME        PAGES  TITLE\n"
			 "0123456789      1  abcdefghij…\n");
	/* 4 for the gaps and 5 for the number leave 17: 8 and 9 */
	ck_assert_str_eq(rendered(table, 26, &out),
			 "NAME      PAGES  TITLE\n"
			 "0123456…      1  abcdefgh…\n");
	/* narrower than the columns may be: the lines are longer */
	ck_assert_str_eq(rendered(table, 3, &out),
			 "NAME      PAGES  TITLE\n"
			 "0123456…      1  abcdefg…\n");
	table_destroy(table);
}

TEST(a_row_that_is_not_whole_still_ends_its_line)
{
	struct text_table *table = table_create(columns, 3);
	AUTO_BUFFER out = {0};

	table_add_text(table, "a");
	ck_assert_str_eq(rendered(table, 0, &out), "NAME  PAGES  TITLE\n"
						   "a     \n");
	table_destroy(table);
}

TEST(wide_characters_take_two_columns)
{
	struct text_table *table = table_create(columns, 3);
	AUTO_BUFFER out = {0};

	ck_assert_uint_eq(terminal_width(slice_of("模板")), 4);
	ck_assert_uint_eq(terminal_width(slice_of("e\xCC\x81t")), 2);
	ck_assert_uint_eq(terminal_width(slice_of("ｱ")), 1);
	table_add_text(table, "模板");
	table_add_text(table, "1");
	table_add_text(table, "日本語の長い題名です"); /* 20 columns */
	ck_assert_str_eq(rendered(table, 23, &out), "NAME  PAGES  TITLE\n"
						    "模板      1  日本語の…\n");
	table_destroy(table);
}

TEST(a_cell_cannot_steer_the_terminal)
{
	AUTO_BUFFER out = {0};

	/* ESC, BEL, DEL, CSI as U+009B, an override; white space is kept */
	terminal_clean(slice_of("a\033[2J\007b\177\xC2\x9B\xE2\x80\xAE\n\tc"),
		       &out);
	ck_assert_str_eq(out.data, "a\uFFFD[2J\uFFFDb\uFFFD\uFFFD\uFFFD  c");
	buffer_clear(&out);
	terminal_clean_lines(slice_of("a\n\tb\r\033"), &out);
	ck_assert_str_eq(out.data, "a\n\tb \uFFFD");
}

TEST(bytes_that_are_not_utf_8_are_replaced_one_by_one)
{
	AUTO_BUFFER out = {0};

	/* overlong '/', a surrogate, over U+10FFFF, a cut sequence */
	terminal_clean(slice_of("\xC0\xAF.\xED\xA0\x80.\xF4\x90\x80\x80.\xE6"),
		       &out);
	ck_assert_str_eq(out.data, "\uFFFD\uFFFD.\uFFFD\uFFFD\uFFFD."
				   "\uFFFD\uFFFD\uFFFD\uFFFD.\uFFFD");
}

TEST(what_is_cut_keeps_within_its_width)
{
	AUTO_BUFFER out = {0};

	ck_assert_uint_eq(terminal_cut(slice_of("abc"), 3, &out), 3);
	ck_assert_str_eq(out.data, "abc");
	buffer_clear(&out);
	ck_assert_uint_eq(terminal_cut(slice_of("abcd"), 3, &out), 3);
	ck_assert_str_eq(out.data, "ab…");
	buffer_clear(&out);
	/* the second one would end at column 4 of 3 */
	ck_assert_uint_eq(terminal_cut(slice_of("模板x"), 4, &out), 3);
	ck_assert_str_eq(out.data, "模…");
	buffer_clear(&out);
	ck_assert_uint_eq(terminal_cut(slice_of("abcd"), 0, &out), 0);
	ck_assert_uint_eq(out.size, 0);
}

TEST(progress_says_how_far_and_how_long)
{
	AUTO_BUFFER out = {0};

	/* 50 in 10 s: 5 a second, the other 150 take 30 s */
	progress_line(&(struct progress_state){"extract", 50, 200, 10000, "n"},
		      100, &out);
	ck_assert_str_eq(out.data, "extract [######                  ]  25%  "
				   "50/200  5/s  0:30 left  n");
	buffer_clear(&out);
	progress_line(&(struct progress_state){"extract", 0, 0, 0, NULL}, 100,
		      &out);
	ck_assert_str_eq(out.data, "extract  0");
	buffer_clear(&out);
	progress_line(&(struct progress_state){"texts", 50, 0, 10000, NULL},
		      100, &out);
	ck_assert_str_eq(out.data, "texts  50  5/s");
	buffer_clear(&out);
	progress_line(&(struct progress_state){"extract", 9, 3, 1, NULL}, 20,
		      &out);
	ck_assert_str_eq(out.data, "extract [##########…");
}
