#include "extract/text/block.h"

#include "extract/core/document_walk.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/random.h"
#include "tests/unit/run.h"

static struct block_tree tree_of(const struct page *page)
{
	return block_tree_make(page->arena, page,
			       visible_texts(page->arena, page));
}

/* The only block of the page that is a `tag`. */
static const struct block *find(const struct page *page,
				const struct block_tree *tree, uint16_t tag)
{
	const struct block *found = NULL;

	for (uint32_t i = 1; i < tree->count; i++) {
		if (page->nodes[tree->blocks[i].node].tag != tag)
			continue;
		ck_assert_ptr_null(found);
		found = &tree->blocks[i];
	}
	ck_assert_ptr_nonnull(found);
	return found;
}

TEST(a_text_belongs_to_the_nearest_block)
{
	/* page, html, head, body, div, p */
	AUTO_PAGE *page = parse("<div>abc <b>de</b><p>fghi</p> jk</div>");
	struct block_tree tree = tree_of(page);
	const struct block *div = find(page, &tree, TAG_div);
	const struct block *p = find(page, &tree, TAG_p);

	ck_assert_uint_eq(tree.count, 6);
	ck_assert_uint_eq(page->text_count, 4);
	ck_assert_ptr_eq(&tree.blocks[tree.text_blocks[0]], div);
	ck_assert_ptr_eq(&tree.blocks[tree.text_blocks[1]], div);
	ck_assert_ptr_eq(&tree.blocks[tree.text_blocks[2]], p);
	ck_assert_ptr_eq(&tree.blocks[tree.text_blocks[3]], div);
	ck_assert_uint_eq(div->own.characters, 3 + 2 + 2);
	ck_assert_uint_eq(div->own.texts, 3);
	ck_assert_uint_eq(div->all.characters, 3 + 2 + 4 + 2);
	ck_assert_uint_eq(div->all.texts, 4);
	ck_assert_ptr_eq(&tree.blocks[p->parent], div);
}

TEST(blocks_are_in_pre_order)
{
	/* 0 page, 1 html, 2 head, 3 body, 4 ul, 5 li, 6 p, 7 li, 8 div */
	AUTO_PAGE *page =
		parse("<ul><li>a<p>b</p></li><li>c</li></ul><div>d</div>");
	struct block_tree tree = tree_of(page);

	ck_assert_uint_eq(tree.count, 9);
	ck_assert_uint_eq(tree.blocks[0].parent, NO_BLOCK);
	ck_assert_uint_eq(tree.blocks[0].node, NO_NODE);
	ck_assert_uint_eq(tree.blocks[0].end, 9);
	ck_assert_uint_eq(tree.blocks[2].parent, 1);
	ck_assert_uint_eq(tree.blocks[2].end, 3);
	ck_assert_uint_eq(tree.blocks[4].parent, 3);
	ck_assert_uint_eq(tree.blocks[4].end, 8);
	ck_assert_uint_eq(tree.blocks[5].parent, 4);
	ck_assert_uint_eq(tree.blocks[5].end, 7);
	ck_assert_uint_eq(tree.blocks[6].end, 7);
	ck_assert_uint_eq(tree.blocks[7].parent, 4);
	ck_assert_uint_eq(tree.blocks[8].parent, 3);
	ck_assert_uint_eq(tree.blocks[8].end, 9);
	ck_assert_uint_eq(tree.blocks[0].all.characters, 4);
}

/* "A b" 3, an a with a ring 1, "e-mail" 6 characters; 2 + 1 + 1 words. */
TEST(characters_are_those_of_collapsed_text)
{
	AUTO_PAGE *page = parse("<p>  A \n\t b </p><p>\xC3\xA5</p>"
				"<p><a href=x>e-mail</a></p>");
	struct block_tree tree = tree_of(page);

	ck_assert_uint_eq(tree.blocks[0].all.characters, 3 + 1 + 6);
	ck_assert_uint_eq(tree.blocks[0].all.link_characters, 6);
	ck_assert_uint_eq(tree.blocks[0].all.words, 4);
	ck_assert_uint_eq(tree.blocks[0].all.link_words, 1);
}

TEST(elements_count_for_the_block_around_them)
{
	AUTO_PAGE *page = parse(
		"<div><a href=x>a</a><a name=y>b</a><img src=z><picture><img "
		"src=z></picture><ul><li>c</li><li><a href=x>d</a></li></ul>"
		"<input><button>e</button><script>f</script><iframe></iframe>"
		"</div>");
	struct block_tree tree = tree_of(page);
	const struct block_counts *div = &find(page, &tree, TAG_div)->own;
	const struct block *ul = find(page, &tree, TAG_ul);

	ck_assert_uint_eq(div->links, 1);
	ck_assert_uint_eq(div->images, 2);
	ck_assert_uint_eq(div->items, 0);
	ck_assert_uint_eq(div->fields, 2);
	ck_assert_uint_eq(div->scripts, 2);
	ck_assert_uint_eq(ul->own.items, 2);
	ck_assert_uint_eq(ul->own.links, 0);
	ck_assert_uint_eq(ul->all.links, 1);
	ck_assert_uint_eq(tree.blocks[0].own.links, 0);
	ck_assert_uint_eq(tree.blocks[0].all.links, 2);
	ck_assert_uint_eq(tree.blocks[0].all.items, 2);
	ck_assert_uint_eq(tree.blocks[0].all.images, 2);
	ck_assert_uint_eq(tree.blocks[0].all.fields, 2);
	ck_assert_uint_eq(tree.blocks[0].all.scripts, 2);
}

TEST(what_is_hidden_counts_for_nothing)
{
	AUTO_PAGE *page =
		parse("<title>abc</title><div hidden>de<a href=x>f</a><img "
		      "src=y></div><p>g</p>");
	struct block_tree tree = tree_of(page);

	ck_assert_uint_eq(page->text_count, 4);
	ck_assert_uint_eq(tree.blocks[0].all.characters, 1);
	ck_assert_uint_eq(tree.blocks[0].all.texts, 1);
	ck_assert_uint_eq(tree.blocks[0].all.links, 0);
	ck_assert_uint_eq(tree.blocks[0].all.images, 0);
}

TEST(an_empty_page_is_one_block)
{
	AUTO_PAGE *page = parse("");
	struct block_tree tree = tree_of(page);

	ck_assert_uint_eq(page->node_count, 0);
	ck_assert_uint_eq(tree.count, 1);
	ck_assert_uint_eq(tree.blocks[0].end, 1);
	ck_assert_uint_eq(tree.blocks[0].all.texts, 0);
}

TEST(the_highest_value_is_inherited)
{
	/* 0 page, 1 html, 2 head, 3 body, 4 div, 5 p, 6 p, 7 div */
	AUTO_PAGE *page = parse("<div><p>a<p>b</div><div>c</div>");
	struct block_tree tree = tree_of(page);
	double values[] = {1, 0, 0, 0, 3, 2, 4, 0};

	ck_assert_uint_eq(tree.count, 8);
	block_tree_inherit(&tree, values);
	ck_assert_double_eq(values[3], 1);
	ck_assert_double_eq(values[4], 3);
	ck_assert_double_eq(values[5], 3);
	ck_assert_double_eq(values[6], 4);
	ck_assert_double_eq(values[7], 1);
}

TEST_LOOP(sums_are_those_of_the_blocks_inside, 0, random_rounds(50))
{
	AUTO_TEXT *html = random_html((uint64_t)_i + 1);
	AUTO_PAGE *page = parse(html);
	struct block_tree tree = tree_of(page);

	for (uint32_t i = 0; i < tree.count; i++) {
		uint32_t characters = 0;
		uint32_t links = 0;

		ck_assert_uint_gt(tree.blocks[i].end, i);
		ck_assert_uint_le(tree.blocks[i].end, tree.count);
		for (uint32_t k = i; k < tree.blocks[i].end; k++) {
			characters += tree.blocks[k].own.characters;
			links += tree.blocks[k].own.links;
		}
		ck_assert_uint_eq(tree.blocks[i].all.characters, characters);
		ck_assert_uint_eq(tree.blocks[i].all.links, links);
	}
}
