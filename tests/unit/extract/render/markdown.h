/* tests/unit/extract/render/markdown.h - compare the Markdown of a page */
#ifndef TESTS_UNIT_EXTRACT_RENDER_MARKDOWN_H
#define TESTS_UNIT_EXTRACT_RENDER_MARKDOWN_H

#include "extract/render/render.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/* Keep all texts of the page `html`, and compare its Markdown. */
static inline void assert_markdown(const char *html, const char *expected)
{
	AUTO_PAGE *page = parse(html);
	AUTO_BUFFER out = {0};

	render(FORMAT_MD,
	       &(struct render_request){
		       .page = page,
		       .verdicts = run(page, "plain", NULL, NULL),
	       },
	       &out);
	buffer_append_text(&out, "");
	ck_assert_str_eq(out.data, expected);
}

#endif
