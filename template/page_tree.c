#include "template/page_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "cluster/path.h"
#include "extract/core/extractor.h"
#include "extract/text/fragment.h"
#include "page/page.h"

enum { TELLING_BYTES = 40 }; /* bytes of a text that count for its rank */

struct page_tree page_tree_make(struct arena *arena)
{
	return (struct page_tree){
		.arena = arena,
		.steps = step_tree_make(arena, sizeof(struct page_tree_node),
					PAGE_TREE_MAX_NODES),
	};
}

/* Return whether the element and its content are omitted. */
static bool page_tree_omits(const struct page *page, uint32_t node)
{
	uint16_t tag = page->nodes[node].tag;
	uint32_t parent = page->nodes[node].parent;

	if (parent != NO_NODE && (page->nodes[parent].tag == TAG_svg ||
				  page->nodes[parent].tag == TAG_iframe))
		return true;
	return (tag_flags(tag) & TAG_IS_RAW) != 0 || tag == TAG_head ||
	       tag == TAG_br || tag == TAG_wbr || tag == TAG_link ||
	       tag == TAG_meta || tag == TAG_template;
}

/* Return the last step of its path, in readable form. */
static struct slice page_tree_label(struct arena *arena,
				    const struct page *page, uint32_t node)
{
	uint16_t tag = page->nodes[node].tag;
	char path[PATH_MAX_BYTES];
	size_t begin;

	/* their classes change from page to page and are ignored */
	if (tag == TAG_html || tag == TAG_body)
		return page_tag_name(page, tag);
	begin = path_write(page, node, path);
	for (size_t i = begin; i < PATH_MAX_BYTES; i++)
		if (path[i] == '>')
			begin = i + 1;
	return (struct slice){
		arena_copy(arena, path + begin, PATH_MAX_BYTES - begin),
		PATH_MAX_BYTES - begin};
}

/*
 * Return the tree node of an element whose parent has the tree node `parent`.
 */
static uint32_t page_tree_place_element(struct page_tree *tree,
					const struct page *page, uint32_t node,
					uint32_t parent)
{
	uint64_t step;
	struct slice label = {NULL, 0};
	uint32_t before = step_tree_count(&tree->steps);
	struct page_tree_node *found;
	uint32_t index;

	step = path_hash(page, node, 1);
	index = step_tree_add(&tree->steps, parent, step);
	if (index == NO_STEP) {
		tree->left_out++;
		return parent;
	}
	if (index == before)
		label = page_tree_label(tree->arena, page, node);
	found = page_tree_node(tree, index);
	if (index == before)
		found->step.label = label;
	found->elements++;
	found->pages += found->last_page != tree->page_count;
	found->last_page = tree->page_count;
	return index;
}

/*
 * Return the tree node of each element [node_count]; NO_STEP for an omitted
 * element.
 */
static uint32_t *place_elements(struct page_tree *tree, const struct page *page)
{
	uint32_t *places = ARENA_NEW(page->arena, uint32_t, page->node_count);
	uint32_t i = 0;

	while (i < page->node_count) {
		uint32_t parent = page->nodes[i].parent;
		uint32_t end = page->nodes[i].end;

		if (page_tree_omits(page, i)) {
			while (i < end)
				places[i++] = NO_STEP;
			continue;
		}
		places[i] = page_tree_place_element(
			tree, page, i,
			parent == NO_NODE ? NO_STEP : places[parent]);
		i++;
	}
	return places;
}

/*
 * Return the rank of a text as an example: the number of pages of the template
 * that contain it, times its bytes.
 */
static uint64_t rank_text(uint32_t frequency, uint32_t length)
{
	return (uint64_t)(frequency > 0 ? frequency : 1) *
	       (length < TELLING_BYTES ? length : TELLING_BYTES);
}

/* Copy the text as the node's example, into memory that is allocated once. */
static void set_example(struct page_tree *tree, struct page_tree_node *node,
			struct slice text, uint64_t rank)
{
	char *room = (char *)node->example.data;

	if (rank <= node->example_rank)
		return;
	if (room == NULL)
		room = arena_alloc(tree->arena, PAGE_TREE_MAX_TEXT, 1);
	if (text.size > PAGE_TREE_MAX_TEXT)
		text.size = PAGE_TREE_MAX_TEXT;
	node->example = (struct slice){room, text_collapse(text, room)};
	node->example_rank = rank;
}

static void page_tree_add_texts(struct page_tree *tree, const struct page *page,
				const struct template_counts *counts,
				const uint32_t *places)
{
	const struct fragment *fragments = fragments_of_page(page->arena, page);

	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t owner = page->texts[i].node;
		uint32_t place = owner == NO_NODE ? NO_STEP : places[owner];
		uint32_t frequency = counts->document_frequency[i];
		struct page_tree_node *node;

		if (place == NO_STEP)
			continue;
		node = page_tree_node(tree, place);
		/* over a third: Gottron 2008, section 6 */
		if ((uint64_t)frequency * 3 > counts->page_count)
			node->own.template += fragments[i].length;
		else
			node->own.content += fragments[i].length;
		set_example(tree, node, page_text(page, i),
			    rank_text(frequency, fragments[i].length));
	}
}

void page_tree_add(struct page_tree *tree, const struct page *page,
		   const struct template_counts *counts)
{
	tree->page_count++;
	page_tree_add_texts(tree, page, counts, place_elements(tree, page));
}

void page_tree_sum(struct page_tree *tree)
{
	uint32_t count = step_tree_count(&tree->steps);

	for (uint32_t i = 0; i < count; i++)
		page_tree_node(tree, i)->inside = page_tree_node(tree, i)->own;
	for (uint32_t i = count; i-- > 0;) {
		const struct page_tree_node *node = page_tree_node(tree, i);
		struct page_tree_text *above;

		if (node->step.parent == NO_STEP)
			continue;
		above = &page_tree_node(tree, node->step.parent)->inside;
		above->template += node->inside.template;
		above->content += node->inside.content;
	}
}

static bool is_step(struct slice label, struct slice step)
{
	if (label.size == 4 && step.size > 4 &&
	    (memcmp(label.data, "html", 4) == 0 ||
	     memcmp(label.data, "body", 4) == 0) &&
	    ((const char *)step.data)[4] == '.')
		step.size = 4;
	return slice_equal(label, step);
}

uint32_t page_tree_find(const struct page_tree *tree, struct slice path)
{
	uint32_t next = tree->steps.first_root;
	uint32_t found = NO_STEP;

	while (path.size > 0) {
		struct slice step = step_take(&path);

		while (next != NO_STEP &&
		       !is_step(step_tree_node(&tree->steps, next)->label,
				step))
			next = step_tree_node(&tree->steps, next)->next_sibling;
		if (next == NO_STEP)
			return NO_STEP;
		found = next;
		next = step_tree_node(&tree->steps, next)->first_child;
	}
	return found;
}

/*
 * Return the node with most content inside, of `node` and its following
 * siblings.
 */
static uint32_t page_tree_richest(const struct page_tree *tree, uint32_t node)
{
	uint32_t best = node;

	for (; node != NO_STEP;
	     node = step_tree_node(&tree->steps, node)->next_sibling)
		if (page_tree_node(tree, node)->inside.content >
		    page_tree_node(tree, best)->inside.content)
			best = node;
	return best;
}

uint32_t page_tree_content(const struct page_tree *tree)
{
	uint32_t next = page_tree_richest(tree, tree->steps.first_root);
	uint32_t found = NO_STEP;
	uint64_t all;

	if (next == NO_STEP)
		return NO_STEP;
	all = page_tree_node(tree, next)->inside.content;
	while (next != NO_STEP && all > 0 &&
	       page_tree_node(tree, next)->inside.content * 5 >= all * 4) {
		found = next;
		next = page_tree_richest(
			tree, page_tree_node(tree, next)->step.first_child);
	}
	return found;
}

/* A node and its rank. */
struct ranked {
	uint64_t text;
	uint32_t pages;
	uint32_t index;
};

/*
 * Order by rank. A parent precedes its children: it has at least as many pages
 * and as much text, and a lower index.
 */
static int foremost_first(const void *left, const void *right)
{
	const struct ranked *a = left;
	const struct ranked *b = right;

	if (a->pages != b->pages)
		return a->pages > b->pages ? -1 : 1;
	if (a->text != b->text)
		return a->text > b->text ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* Rank the nodes within the limits of depth and pages; return their number. */
static uint32_t page_tree_rank_nodes(struct arena *arena,
				     const struct page_tree *tree,
				     struct page_tree_limits limits,
				     struct ranked *ranked)
{
	uint32_t nodes = step_tree_count(&tree->steps);
	uint32_t *depths = ARENA_NEW(arena, uint32_t, nodes);
	uint32_t count = 0;

	for (uint32_t i = 0; i < nodes; i++) {
		const struct page_tree_node *node = page_tree_node(tree, i);

		if (node->step.parent != NO_STEP)
			depths[i] = depths[node->step.parent] + 1;
		if (depths[i] > limits.max_depth ||
		    node->pages < limits.min_pages)
			continue;
		ranked[count++] = (struct ranked){node->inside.template +
							  node->inside.content,
						  node->pages, i};
	}
	if (count > 1)
		qsort(ranked, count, sizeof(*ranked), foremost_first);
	return count;
}

struct page_tree_choice page_tree_choose(struct arena *arena,
					 const struct page_tree *tree,
					 struct page_tree_limits limits)
{
	uint32_t nodes = step_tree_count(&tree->steps);
	struct page_tree_choice choice = {
		.is_shown = ARENA_NEW(arena, bool, nodes),
		.hidden = ARENA_NEW(arena, uint32_t, nodes),
	};
	struct ranked *ranked = ARENA_NEW(arena, struct ranked, nodes);
	uint32_t *owners = ARENA_NEW(arena, uint32_t, nodes);
	uint32_t count = page_tree_rank_nodes(arena, tree, limits, ranked);

	choice.shown_count =
		count < limits.max_nodes ? count : limits.max_nodes;
	for (uint32_t i = 0; i < choice.shown_count; i++)
		choice.is_shown[ranked[i].index] = true;
	for (uint32_t i = 0; i < nodes; i++) {
		uint32_t parent = step_tree_node(&tree->steps, i)->parent;

		owners[i] = i;
		if (choice.is_shown[i] || parent == NO_STEP)
			continue;
		owners[i] = owners[parent];
		choice.hidden[owners[i]]++;
	}
	return choice;
}
