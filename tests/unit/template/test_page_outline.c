/* The elements of a page, written to a record and read back. */
#include "template/page_outline.h"

#include "base/hash.h"
#include "cluster/signature.h"
#include "page/page.h"
#include "store/record.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/random.h"
#include "tests/unit/run.h"

static const char html[] =
	"<html class=js><head><title>T</title></head><body class='home id-7'>"
	"<ul class=menu><li>a<li><b>b</b></ul><div class='post  post-1'><p>x"
	"</div><script>1</script><div class='post-2 post'><i>y</i></div>";

static void append_page(const struct page *page, struct buffer *bytes)
{
	const struct path_table paths = path_table_make(page->arena, page);

	outline_append(page, paths.steps[PATH_INNER_CLASSES], bytes);
}

static struct outline outline_of(struct page *page, struct buffer *bytes)
{
	append_page(page, bytes);
	return outline_read(test_arena, label_steps_make(test_arena),
			    buffer_slice(bytes));
}

TEST(equal_paths_are_one_element)
{
	static const char *const labels[] = {"html", "body", "ul menu",
					     "li",   "b",    "div post post-1",
					     "p",    "i"};
	static const bool ends[] = {false, false, false, true,
				    true,  false, true,  true};
	static const uint32_t parents[] = {NO_NODE, 0, 1, 2, 3, 1, 5, 5};
	AUTO_PAGE *page = parse(html);
	AUTO_BUFFER bytes = {0};
	struct outline outline = outline_of(page, &bytes);

	ck_assert_uint_eq(outline.count, COUNT_OF(labels));
	for (uint32_t i = 0; i < outline.count; i++) {
		const struct outline_node *node = &outline.nodes[i];

		ck_assert_msg(slice_equal(node->label, slice_of(labels[i])),
			      "%u: %.*s", i, (int)node->label.size,
			      (const char *)node->label.data);
		ck_assert(node->is_end == ends[i]);
		ck_assert_uint_eq(node->parent, parents[i]);
	}
	ck_assert(slice_equal(
		outline_label_text(test_arena, outline.nodes[5].label),
		slice_of("div.post.post-0")));
}

TEST(paths_are_those_of_signatures)
{
	AUTO_PAGE *page = parse(html);
	AUTO_BUFFER bytes = {0};
	struct outline outline = outline_of(page, &bytes);
	const struct path_table table = path_table_make(page->arena, page);
	const uint64_t *paths =
		path_chains(page->arena, page, table.steps[PATH_INNER_CLASSES]);

	for (uint32_t i = 0; i < outline.count; i++) {
		uint32_t j = 0;

		while (j < page->node_count &&
		       paths[j] != outline.nodes[i].path)
			j++;
		ck_assert_uint_lt(j, page->node_count);
	}
}

TEST(classes_of_html_and_body_do_not_count)
{
	AUTO_PAGE *one = parse(html);
	AUTO_PAGE *two = parse("<html><body class=x><ul class=menu><li>a<li>"
			       "<b>b</b></ul><div class='post post-1'><p>x"
			       "</div><div class='post post-2'><i>y");
	AUTO_BUFFER first = {0};
	AUTO_BUFFER second = {0};
	struct record records[2] = {{0}};
	const struct record *found;

	append_page(one, &first);
	append_page(two, &second);
	records[0].outline = buffer_slice(&first);
	ck_assert_ptr_eq(outline_records(test_arena, records, 2), records);
	records[1].outline = buffer_slice(&second);
	found = outline_records(test_arena, records, 2);
	ck_assert_uint_eq(found[0].signature_counts[MEASURE_CPC], 4);
	ck_assert_uint_eq(found[1].signature_counts[MEASURE_CPC], 4);
	ck_assert_mem_eq(found[0].signatures[MEASURE_CPC],
			 found[1].signatures[MEASURE_CPC],
			 4 * sizeof(uint64_t));
	ck_assert(u64_ascend(found[0].signatures[MEASURE_CPC], 4));
}

TEST(a_page_with_very_many_elements_has_an_outline)
{
	AUTO_BUFFER many = {0};
	AUTO_BUFFER bytes = {0};
	struct outline outline;
	struct page *page;

	for (int i = 0; i < 2 * OUTLINE_MAX_NODES; i++)
		buffer_printf(
			&many, "<%s%c%c%c>",
			i % 2 == 0 ? "div class=" : "p class=", 'b' + i % 20,
			'b' + i / 20 % 20, 'b' + i / 400 % 20);
	buffer_append_byte(&many, '\0');
	page = parse(many.data);
	outline = outline_of(page, &bytes);
	ck_assert_uint_gt(outline.count, 0);
	ck_assert_uint_le(outline.count, OUTLINE_MAX_NODES);
	page_destroy(page);
}

TEST(damaged_bytes_are_no_outline)
{
	AUTO_PAGE *page = parse(html);
	AUTO_BUFFER bytes = {0};
	struct outline outline = outline_of(page, &bytes);

	ck_assert_uint_eq(outline_read(test_arena, label_steps_make(test_arena),
				       slice_of(""))
				  .count,
			  0);
	ck_assert_uint_eq(outline_read(test_arena, label_steps_make(test_arena),
				       slice_of("\x80\x80\x80\x80"))
				  .count,
			  0);
	bytes.data[0] = 1; /* the root is not at depth 0 */
	ck_assert_uint_eq(outline_read(test_arena, label_steps_make(test_arena),
				       buffer_slice(&bytes))
				  .count,
			  0);
	bytes.data[0] = 0;
	bytes.size--;
	ck_assert_uint_eq(outline_read(test_arena, label_steps_make(test_arena),
				       buffer_slice(&bytes))
				  .count,
			  0);
	bytes.size++;
	random_begin(20261128);
	for (int i = 0; i < 20000; i++) {
		size_t at = (size_t)(random_bits() % bytes.size);
		char before = bytes.data[at];

		bytes.data[at] = (char)random_bits();
		outline = outline_read(test_arena, label_steps_make(test_arena),
				       buffer_slice(&bytes));
		for (uint32_t j = 0; j < outline.count; j++)
			ck_assert(
				outline.nodes[j].parent < j ||
				(j == 0 && outline.nodes[j].parent == NO_NODE));
		bytes.data[at] = before;
	}
}
