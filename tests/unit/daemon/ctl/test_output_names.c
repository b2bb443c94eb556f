#include "daemon/ctl/offline_input.h"

#include "tests/unit/run.h"

static const char *name_of(const char *text)
{
	static struct buffer name;
	struct url url;

	buffer_free(&name);
	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	output_name_of_url(&url, &name);
	return name.data;
}

TEST(a_name_is_the_host_and_the_path)
{
	ck_assert_str_eq(name_of("http://a.test/"), "a.test/index.html");
	ck_assert_str_eq(name_of("https://a.test:81/b/c.html"),
			 "a.test%3A81/b/c.html");
	ck_assert_str_eq(name_of("http://a.test/b/"), "a.test/b/index.html");
	ck_assert_str_eq(name_of("http://a.test/b?c=/d&e"),
			 "a.test/b%3Fc=%2Fd%26e");
	ck_assert_str_eq(name_of("http://a.test/b/?c"), "a.test/b/index%3Fc");
	ck_assert_str_eq(name_of("http://a.test//b"), "a.test/_/b");
	ck_assert_str_eq(name_of("http://[::1]/b"), "%5B%3A%3A1%5D/b");
}

/* A file that is called so may be written there. */
TEST(a_folder_is_called_as_no_output)
{
	ck_assert_str_eq(name_of("http://a.test/b.txt/c"), "a.test/b.txt_/c");
	ck_assert_str_eq(name_of("http://a.test/b.md"), "a.test/b.md");
}

static bool climbs(const char *name)
{
	return name[0] == '/' || strncmp(name, "../", 3) == 0 ||
	       strstr(name, "/../") != NULL || strstr(name, "/./") != NULL ||
	       strstr(name, "\\") != NULL;
}

/* The result of url_parse(). */
TEST(no_name_leads_out_of_the_folder)
{
	static const char *const urls[] = {
		"http://a.test/../../etc/passwd",
		"http://a.test/%2e%2e/%2E%2e/etc/passwd",
		"http://a.test/..%2f..%2fetc/passwd",
		"http://a.test/.%2e/x",
		"http://a.test/a\\..\\..\\x",
		"http://a.test/?../../x",
		"http://a.test/..;/../x/",
		"http://a.test/%00/x",
	};

	for (size_t i = 0; i < COUNT_OF(urls); i++)
		ck_assert_msg(!climbs(name_of(urls[i])), "%s: %s", urls[i],
			      name_of(urls[i]));
}

/* The name of a URL whose path is `piece` again and again, then `end`. */
static size_t name_length(const char *piece, unsigned count, const char *end,
			  struct buffer *name_out)
{
	AUTO_BUFFER text = {0};

	buffer_append_text(&text, "http://a.test/");
	for (unsigned i = 0; i < count; i++)
		buffer_append_text(&text, piece);
	buffer_append_text(&text, end);
	buffer_clear(name_out);
	buffer_append_text(name_out, name_of(text.data));
	return name_out->size;
}

TEST(what_is_too_long_is_cut_and_stays_distinct)
{
	AUTO_BUFFER a = {0};
	AUTO_BUFFER b = {0};

	ck_assert_uint_lt(name_length("x", 1000, "1", &a), 255);
	ck_assert_uint_lt(name_length("x", 1000, "2", &b), 255);
	ck_assert_str_ne(a.data, b.data);
	/* three bytes for each & */
	ck_assert_uint_lt(name_length("/&&&&&&&&&", 190, "1", &a), 1600);
	ck_assert_uint_lt(name_length("/&&&&&&&&&", 190, "2", &b), 1600);
	ck_assert_str_ne(a.data, b.data);
}

TEST(a_name_is_taken_once)
{
	struct output_names names = {0};

	ck_assert_ptr_null(output_names_take(&names, "a/b.html", "one"));
	ck_assert_ptr_null(output_names_take(&names, "a/c.html", "two"));
	ck_assert_str_eq(output_names_take(&names, "a/b.html.gz", "three"),
			 "one");
	ck_assert_str_eq(output_names_take(&names, "a/b", "four"), "one");
	output_names_free(&names);
}
