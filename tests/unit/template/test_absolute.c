#include "template/result.h"

#include "tests/unit/run.h"

/* What `href` is on the page `html` at `address` (or NULL); "-" for none. */
static void check(const char *html, const char *address, const char *href,
		  const char *wanted)
{
	AUTO_PAGE *page;
	struct url url;
	struct base_address base;
	AUTO_BUFFER out = {0};

	ASSERT_OK(page_parse(&page, slice_of(html), slice_of(NULL),
			     &page_limits_default));
	if (address != NULL)
		ASSERT_OK(url_parse(&url, slice_of(address), NULL));
	base = base_of_page(page, address == NULL ? NULL : &url);
	if (!base.is_known || !absolute_append(&base, slice_of(href), &out))
		buffer_append_text(&out, "-");
	ck_assert_str_eq(out.data, wanted);
}

TEST(an_address_is_relative_to_the_page)
{
	check("<p>", "http://a.test/x/y", "z", "http://a.test/x/z");
	check("<p>", "http://a.test/x/y", "../z?q=1", "http://a.test/z?q=1");
	check("<p>", "http://a.test/x/y", "//b.test/", "http://b.test/");
	check("<p>", "http://a.test/x/y", "https://b.test/", "https://b.test/");
	check("<p>", "http://a.test/x/y", "mailto:a@b.test", "-");
	check("<p>", "http://a.test/x/y", "javascript:alert(1)", "-");
}

TEST(a_base_element_counts_before_the_page)
{
	check("<base href=/b/>", "http://a.test/x/y", "z", "http://a.test/b/z");
	check("<base href=http://b.test/b/>", "http://a.test/x/y", "z",
	      "http://b.test/b/z");
	check("<base href=http://b.test/b/>", NULL, "z", "http://b.test/b/z");
	check("<base href=/b/>", NULL, "z", "-");
	check("<p>", NULL, "http://a.test/", "-");
}

TEST(a_fragment_is_kept_and_cannot_break_out)
{
	check("<p>", "http://a.test/x", "#s", "http://a.test/x#s");
	check("<p>", "http://a.test/x", "y#s/1", "http://a.test/y#s/1");
	check("<p>", "http://a.test/x", "y#", "http://a.test/y");
	check("<p>", "http://a.test/x", "y#a\"<b>",
	      "http://a.test/y#a%22%3Cb%3E");
	check("<p>", "http://a.test/x", "y#\xC3\xA9#",
	      "http://a.test/y#%C3%A9%23");
}
