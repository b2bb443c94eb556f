#include "tests/unit/extract/fixture.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "extract/core/trace.h"
#include "extract/extractors.h"
#include "extract/render/render.h"
#include "extract/text/fragment.h"

struct page *parse(const char *html)
{
	struct page *page;

	ck_assert_int_eq(page_parse(&page, slice_of(html), slice_of("utf-8"),
				    &page_limits_default),
			 ERR_NONE);
	return page;
}

/* Read "radius=1,passes=2" over the defaults. */
static void set_parameters(const struct extractor *extractor,
			   const char *assignment, double *parameters)
{
	char error[256];

	extractor_defaults(extractor, parameters);
	while (assignment != NULL && *assignment != '\0') {
		size_t length = strcspn(assignment, ",");
		char *one = mem_copy_text(assignment, length);

		ck_assert_msg(extractor_set(extractor, one, parameters, error),
			      "%s", error);
		free(one);
		assignment += length + (assignment[length] == ',');
	}
}

/* `input` has the page; its counts and its trace may be NULL. */
static const struct verdict *run_input(struct extractor_input input,
				       const struct sample *sample,
				       const char *method,
				       const char *assignment)
{
	const struct extractor *extractor = extractor_find(method);
	struct verdict *verdicts = ARENA_NEW(input.page->arena, struct verdict,
					     input.page->text_count);
	double parameters[MAX_PARAMETERS];

	ck_assert_ptr_nonnull(extractor);
	set_parameters(extractor, assignment, parameters);
	input.parameters = parameters;
	input.arena = input.page->arena;
	if (extractor->learn != NULL)
		input.learned = extractor->learn(
			sample,
			extractor->learned_parameters > 0 ? parameters : NULL,
			input.arena);
	for (uint32_t i = 0; i < input.page->text_count; i++)
		verdicts[i].score = NAN;
	extractor->run(&input, verdicts);
	return verdicts;
}

const struct verdict *run(const struct page *page, const char *method,
			  const char *assignment,
			  const struct template_counts *counts)
{
	const struct extractor_input input = {
		.page = page,
		.template_counts = counts,
	};

	return run_input(input, &(struct sample){.pages = &page, .count = 1},
			 method, assignment);
}

const struct trace *trace_of(const struct page *page, const char *method,
			     const char *assignment,
			     const struct template_counts *counts)
{
	const struct extractor_input input = {
		.page = page,
		.template_counts = counts,
		.trace = trace_create(page->arena, page->text_count),
	};

	run_input(input, &(struct sample){.pages = &page, .count = 1}, method,
		  assignment);
	return input.trace;
}

static bool holds(const struct page *page, const struct fragment *fragments,
		  uint64_t hash)
{
	for (uint32_t i = 0; i < page->text_count; i++)
		if (fragments[i].hash == hash)
			return true;
	return false;
}

/* Count `page` in for each of the `count` fragments that it holds. */
static void count_page(const struct page *page,
		       const struct fragment *fragments, uint32_t count,
		       uint32_t *frequencies)
{
	const struct fragment *own = fragments_of_page(page->arena, page);

	for (uint32_t i = 0; i < count; i++)
		frequencies[i] += holds(page, own, fragments[i].hash);
}

const struct verdict *run_traced(const struct page *const *pages,
				 uint32_t count, const char *method,
				 const char *assignment, struct trace *trace)
{
	const struct page *page = pages[0];
	const struct fragment *fragments = fragments_of_page(page->arena, page);
	uint32_t *frequencies =
		ARENA_NEW(page->arena, uint32_t, page->text_count);
	const struct template_counts counts = {count, frequencies};
	const struct extractor_input input = {
		.page = page,
		.template_counts = &counts,
		.trace = trace,
	};

	for (uint32_t i = 0; i < count; i++)
		count_page(pages[i], fragments, page->text_count, frequencies);
	return run_input(input,
			 &(struct sample){.pages = pages, .count = count},
			 method, assignment);
}

const struct verdict *run_sampled(const struct page *const *pages,
				  uint32_t count, const char *method,
				  const char *assignment)
{
	return run_traced(pages, count, method, assignment, NULL);
}

static char *rendered(const char *html,
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
	return rendered(html, render_text);
}

char *html_of(const char *html)
{
	return rendered(html, render_html);
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

char *random_pieces(uint64_t seed, const char *const *from, size_t count)
{
	struct buffer out = {0};
	uint64_t state = seed * 0x9E3779B97F4A7C15U + 1;
	uint64_t length = random_next(&state) % 120;

	buffer_append_text(&out, "<body>");
	for (uint64_t i = 0; i < length; i++)
		buffer_append_text(&out, from[random_next(&state) % count]);
	return out.data;
}

char *random_html(uint64_t seed)
{
	return random_pieces(seed, pieces, sizeof(pieces) / sizeof(pieces[0]));
}

int method_count(void)
{
	int count = 0;

	while (extractors[count] != NULL)
		count++;
	return count;
}
