#include "tests/unit/extract/fixture.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "extract/render.h"
#include "store/arena.h"
#include "store/memory.h"

struct page *parse(const char *html)
{
	struct page *page;

	ck_assert_int_eq(page_parse(&page, slice_of(html), slice_of("utf-8"),
				    &page_limits_default),
			 ERR_NONE);
	return page;
}

const struct verdict *run(const struct page *page, const char *method,
			  const char *assignment,
			  const struct template_counts *counts)
{
	const struct extractor *extractor = extractor_find(method);
	struct verdict *verdicts =
		ARENA_NEW(page->arena, struct verdict, page->text_count);
	double parameters[MAX_PARAMETERS];
	char error[256];
	const struct extractor_input input = {
		.page = page,
		.template_counts = counts,
		.parameters = parameters,
		.arena = page->arena,
	};

	ck_assert_ptr_nonnull(extractor);
	extractor_presets(extractor, parameters);
	while (assignment != NULL && *assignment != '\0') {
		size_t length = strcspn(assignment, ",");
		char *one = mem_copy_text(assignment, length);

		ck_assert_msg(extractor_set(extractor, one, parameters, error),
			      "%s", error);
		free(one);
		assignment += length + (assignment[length] == ',');
	}
	extractor->run(&input, verdicts);
	return verdicts;
}

static char *render(const char *html,
		    void (*renderer)(const struct page *page,
				     const struct verdict *verdicts,
				     struct buffer *out))
{
	struct page *page = parse(html);
	struct buffer out = {0};

	renderer(page, run(page, "plain", NULL, NULL), &out);
	page_destroy(page);
	buffer_append_text(&out, "");
	return out.data;
}

char *text_of(const char *html)
{
	return render(html, render_text);
}

char *html_of(const char *html)
{
	return render(html, render_html);
}

uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static const char *const pieces[] = {
	"one",
	"two ",
	" three",
	"four\nfive",
	" ",
	"\n",
	"&amp;",
	"&nbsp;",
	"&lt;b&gt;",
	"caf\xC3\xA9",
	"<br>",
	"<!-- no -->",
	"<p>",
	"</p>",
	"<div>",
	"</div>",
	"<b>",
	"</b>",
	"<i>",
	"</i>",
	"<ul>",
	"</ul>",
	"<li>",
	"</li>",
	"<ol>",
	"</ol>",
	"<table>",
	"</table>",
	"<tr>",
	"</tr>",
	"<td>",
	"</td>",
	"<th>",
	"</th>",
	"<pre>",
	"</pre>",
	"<h2>",
	"</h2>",
	"<blockquote>",
	"</blockquote>",
	"<span>",
	"</span>",
	"<code>",
	"</code>",
	"<a href=x>",
	"<a href='j:y'>",
	"</a>",
	"<em>",
	"<select>",
	"</select>",
	"<option>six",
	"<noscript>",
	"</noscript>",
	"<div hidden>",
	"<script>x<y",
	"</script>",
	"<dl><dt>",
	"<dd>",
	"</dl>",
	"<button>go",
	"</button>",
	"<title>seven",
	"</title>",
	"<center>",
	"\x01",
	"<x-tag>",
	"</x-tag>",
	"</body>",
};

char *random_html(uint64_t seed)
{
	struct buffer out = {0};
	uint64_t state = seed * 0x9E3779B97F4A7C15U + 1;
	uint64_t count = random_next(&state) % 120;

	buffer_append_text(&out, "<body>");
	for (uint64_t i = 0; i < count; i++)
		buffer_append_text(
			&out, pieces[random_next(&state) %
				     (sizeof(pieces) / sizeof(pieces[0]))]);
	return out.data;
}
