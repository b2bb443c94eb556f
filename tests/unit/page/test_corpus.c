/* Real pages, where they are: $TEMPLATED_SHARED or ../shared. */

#include "base/file.h"
#include "page/entity.h"
#include "page/page.h"
#include "page/scanner.h"
#include "tests/unit/page/invariant.h"
#include "tests/unit/page/page_of.h"
#include "tests/unit/run.h"

enum { STEP = 7, MAX_PAGE_BYTES = 10 << 20 }; /* 214 pages of 1,497 */

/* All pages; a build with sanitizers, ten times as slow, takes some. */
#ifdef ARENA_MALLOC
enum { SMALL_STEP = STEP };
#else
enum { SMALL_STEP = 1 };
#endif

static void folder_of_pages(char *path, size_t size)
{
	/* one thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
	const char *shared = getenv("TEMPLATED_SHARED");

	(void)snprintf(path, size, "%s/data/wcxb-dev/html",
		       shared == NULL ? SHARED_FOLDER : shared);
}

static void with_page(const char *path,
		      void (*check)(const struct page *page, const char *path))
{
	AUTO_BUFFER body = {0};
	AUTO_PAGE *page;

	ASSERT_OK(file_read(path, MAX_PAGE_BYTES, &body));
	page = page_of_slice(buffer_slice(&body), &page_limits_default);
	check(page, path);
}

/* Every `step`th page. */
static void with_pages(size_t step,
		       void (*check)(const struct page *page, const char *path))
{
	static const char *const endings[] = {".html", ".html.gz", NULL};
	struct file_list list;
	char folder[4096];
	char path[8192];

	folder_of_pages(folder, sizeof(folder));
	if (file_list(folder, endings, &list) != ERR_NONE) {
		printf("skipped: no pages in %s\n", folder);
		return;
	}
	for (size_t i = 0; i < list.count; i += step) {
		(void)snprintf(path, sizeof(path), "%s/%s", folder,
			       list.paths[i]);
		with_page(path, check);
	}
	file_list_free(&list);
}

static void check_invariants(const struct page *page, const char *path)
{
	const char *problem = page_problem(page);

	ck_assert_msg(problem == NULL, "%s: %s", path, problem);
	ck_assert_uint_gt(page->node_count, 2);
	ck_assert(!page->is_truncated);
}

TEST(real_pages_keep_the_invariants)
{
	with_pages(STEP, check_invariants);
}

/* Text without references. */
static bool is_frame(const struct page *page, uint32_t node)
{
	const uint16_t tag = page->nodes[node].tag;

	return tag == TAG_iframe || tag == TAG_noframes || tag == TAG_xmp;
}

/* What follows <pre> and its like without a line end at its begin. */
static struct slice less_line(struct slice text)
{
	const char *bytes = text.data;

	return text.size > 0 && *bytes == '\n'
		       ? (struct slice){bytes + 1, text.size - 1}
		       : text;
}

/*
 * Is the token's text, entities decoded, the text of text node `index`, with
 * the same bytes?
 */
static bool is_text(const struct page *page, uint32_t index,
		    const struct token *token, struct slice decoded)
{
	const struct text *text = &page->texts[index];

	return text->source.begin == token->source.begin &&
	       text->source.end == token->source.end &&
	       (slice_equal(page_text(page, index), decoded) ||
		slice_equal(page_text(page, index), less_line(decoded)) ||
		is_frame(page, text->node));
}

/*
 * The scanner and the tree agree on the owner of every byte: a text node is one
 * whole TOKEN_TEXT, so that no two share a byte and none holds a byte of a tag,
 * a comment, script or style; its text is the source with entities decoded; and
 * a TOKEN_TEXT without a text node is blank. The only other reason for missing
 * text is a page cut at a limit: none of these pages is.
 */
static void check_source(const struct page *page, const char *path)
{
	struct scanner scanner = {.source = page->source};
	struct token token;
	uint32_t next = 0;
	AUTO_TEXT *out = malloc(entity_room(page->source.size) + 1);

	ck_assert(!page->is_truncated);
	while (scanner_next(&scanner, &token)) {
		struct slice decoded = {out, 0};

		if (token.kind != TOKEN_TEXT)
			continue;
		decoded.size = entity_decode(source_of(page, token.source),
					     false, out);
		if (text_is_blank(decoded))
			continue;
		ck_assert_uint_lt(next, page->text_count);
		ck_assert_msg(is_text(page, page_text_in_source(page, next),
				      &token, decoded),
			      "%s: byte %u, text %u: %.40s", path,
			      token.source.begin, next,
			      (const char *)page->source.data +
				      token.source.begin);
		next++;
	}
	ck_assert_msg(next == page->text_count, "%s: text %u", path, next);
}

TEST(scanner_and_tree_agree_on_every_byte_of_text)
{
	with_pages(SMALL_STEP, check_source);
}
