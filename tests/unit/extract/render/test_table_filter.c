#include "extract/render/table.h"

#include "extract/render/render.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

static void assert_rest(const char *html, const char *expected)
{
	AUTO_PAGE *page = parse(html);
	struct verdict *verdicts =
		ARENA_NEW(page->arena, struct verdict, page->text_count);
	AUTO_BUFFER out = {0};

	memcpy(verdicts, run(page, "plain", NULL, NULL),
	       page->text_count * sizeof(*verdicts));
	tables_leave_out(page->arena, page, verdicts);
	render_text(page, verdicts, &out);
	buffer_append_text(&out, "");
	ck_assert_str_eq(out.data, expected);
}

TEST(tables_of_data_go)
{
	assert_rest("<p>a", "a\n");
	assert_rest("<p>a<table><caption>t</caption><tr><th>b<th>c<tr><td>d"
		    "<td>e</table><p>f",
		    "a\n\nf\n");
}

TEST(tables_of_layout_stay)
{
	assert_rest("<table><tr><td><ul><li>menu</ul><td><p>a<p>b</table>",
		    "menu\n\na\n\nb\n");
	/* a data table inside a layout table */
	assert_rest("<table><tr><td><ul><li>menu</ul><td><p>a<table><tr><td>b"
		    "<td>c<tr><td>d<td>e</table>f</table>",
		    "menu\n\na\n\nf\n");
}
