#include "daemon/ctl/completion.h"

#include "tests/unit/run.h"

/* The words, separated by blanks; no daemon answers. */
static const char *completed(const char *line)
{
	static struct buffer out;
	struct ctl ctl = {.socket = "/nonexistent/socket"};
	char text[256];
	const char *words[32];
	size_t count = 0;
	char *rest = text;

	snprintf(text, sizeof(text), "%s", line);
	for (char *word; (word = strsep(&rest, " ")) != NULL;)
		words[count++] = word;
	buffer_free(&out);
	completion_append(&ctl, words, count, &out);
	return out.size == 0 ? "" : out.data;
}

TEST(the_first_word_is_a_verb)
{
	const char *all = completed("");

	ck_assert_ptr_nonnull(strstr(all, "watch\tCrawl a site"));
	ck_assert_ptr_nonnull(strstr(all, "\nexport\t"));
	ck_assert_ptr_null(strstr(all, "--"));
	ck_assert_str_eq(completed("expo"),
			 "export\tWrite a site's templates to a file, for "
			 "`apply` and libtemplated\n");
	ck_assert_str_eq(completed("-s w --json expo"),
			 "export\tWrite a site's templates to a file, for "
			 "`apply` and libtemplated\n");
	ck_assert_str_eq(completed("nothing"), "");
}

TEST(options_are_those_of_the_verb_and_the_global_ones)
{
	ck_assert_str_eq(
		completed("watch --wa"),
		"--wait\twait until the site is crawled, with a progress "
		"bar\n");
	ck_assert_str_eq(completed("watch --js"), "--json\tprint JSON\n");
	/* an option of the action, as soon as the action is known */
	ck_assert_str_eq(completed("site import --a"),
			 "--async\tin a node group: store the list as jobs; "
			 "the owners add the sites later\n");
	ck_assert_str_eq(completed("site rm --a"), "");
	ck_assert_ptr_nonnull(strstr(completed("site --a"), "--async\t"));
	ck_assert_str_eq(completed("partition --stor"),
			 "--store\tthe folder of the store\n");
	ck_assert_str_eq(completed("--js"), "--json\tprint JSON\n");
	ck_assert_str_eq(completed("--wa"), "");
	ck_assert_str_eq(completed("nothing --wa"), "");
	/* after it everything is an operand */
	ck_assert_str_eq(completed("train -- --js"), "");
}

TEST(a_value_follows_its_option)
{
	ck_assert_str_eq(completed("text --format m"), "md\t\n");
	ck_assert_str_eq(completed("text --format=m"), "--format=md\t\n");
	ck_assert_str_eq(completed("text --format md --form"),
			 "--format\tdefault: txt\n");
	ck_assert_str_eq(completed("watch --threshold "), "auto\t\n");
	ck_assert_str_eq(completed("text --nothing=m"), "");
	ck_assert_ptr_nonnull(strstr(completed("text --method "), "cetr\t"));
	/* a flag has none */
	ck_assert_str_eq(completed("watch --wait=y"), "");
}

TEST(parameters_are_those_of_the_method)
{
	/* auto is what is used without */
	ck_assert_str_eq(
		completed("text --param thr"),
		"threshold=\ta passage with a higher score is content\n");
	ck_assert_str_eq(completed("text --method nothing --param "), "");
	ck_assert_str_eq(completed("text --method df --method=bte --param x"),
			 "");
	ck_assert_ptr_nonnull(
		strstr(completed("text --method df --param "), "max_ratio=\t"));
	ck_assert_ptr_nonnull(strstr(completed("text --method=df --param=max"),
				     "--param=max_r"));
}

TEST(lists_continue_after_the_comma)
{
	ck_assert_str_eq(completed("event list --kinds guard.re"),
			 "guard.resolved\t\n");
	ck_assert_str_eq(
		completed("event list --kinds template.added,guard.re"),
		"template.added,guard.resolved\t\n");
	ck_assert_str_eq(
		completed("event list --kinds=template.added,guard.re"),
		"--kinds=template.added,guard.resolved\t\n");
	ck_assert_str_eq(completed("texts --quality ok,li"), "ok,listing\t\n");
	ck_assert_str_eq(completed("texts --type so"), "soft-404\t\n");
}

TEST(operands_follow_the_form)
{
	ck_assert_str_eq(completed("guard "), "add\t\nlist\t\nshow\t\nrm\t\n");
	ck_assert_str_eq(completed("train "), "mountain\t\n");
	ck_assert_str_eq(completed("train mountain "), "?files\n");
	ck_assert_str_eq(completed("train mountain a b "), "?files\n");
	ck_assert_str_eq(completed("train hill "), "");
	ck_assert_str_eq(completed("text a b"), "");
}

TEST(paths_are_left_to_the_shell)
{
	ck_assert_str_eq(completed("export -o "), "?files\n");
	ck_assert_str_eq(completed("export --out=x"), "?files\n");
	ck_assert_str_eq(completed("train --gold "), "?folders\n");
	ck_assert_str_eq(completed("-s "), "?files\n");
}

TEST(who_has_no_daemon_has_no_sites)
{
	ck_assert_str_eq(completed("texts "), "");
	ck_assert_str_eq(completed("guard add "), "");
	ck_assert_str_eq(completed("guard show host "), "");
}

/* What of the value is offered. */
static const char *added(const char *value, const char *meaning)
{
	static struct buffer out;
	struct completion completion = {.typed = "", .out = &out};

	buffer_free(&out);
	completion_add(&completion, value, meaning);
	return out.size == 0 ? "" : out.data;
}

/* The first of the values that is offered, or "". */
static const char *first_offered(const char *const *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (*added(values[i], NULL) != '\0')
			return values[i];
	return "";
}

TEST(nothing_that_a_shell_would_run_is_offered)
{
	static const char *const values[] = {
		"$(id)",  "`id`",     "a;id", "a|id",  "a&id",   "a b",
		"a\tb",   "a\nb",     "a>b",  "a'b",   "a\"b",   "a\\b",
		"a\033[", "\302\240", "*",    "a?",    "!!",     "{a}",
		"~+",     "#a",       "^a",   "\177a", "?files", "--delete",
		"",       NULL,
	};

	ck_assert_str_eq(first_offered(values, COUNT_OF(values)), "");
}

TEST(addresses_with_ports_are_offered)
{
	ck_assert_str_eq(added("[::1]:8080/3", NULL), "[::1]:8080/3\t\n");
}

TEST(a_meaning_is_one_line_without_controls)
{
	ck_assert_str_eq(added("a", "b\n\tc\033d"), "a\tb  c\xEF\xBF\xBD"
						    "d\n");
}
