#include "template/page_tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/limit.h"
#include "cluster/signature.h"
#include "extract/core/extractor.h"
#include "extract/extractors.h"
#include "extract/text/fragment.h"
#include "extract/text/word.h"
#include "page/page.h"

enum { MAX_LABEL_BYTES = LIMIT(4096, 256) };

struct step_tree step_tree_make(struct arena *arena, size_t node_bytes,
				uint32_t max_nodes)
{
	return (struct step_tree){
		.nodes = hash_table_make(arena, node_bytes),
		.max_nodes = max_nodes,
		.first_root = NO_STEP,
		.last_root = NO_STEP,
	};
}

/* Append the node to the children of its parent, or to the roots. */
static void link_node(struct step_tree *tree, uint32_t index)
{
	struct step_node *node = step_tree_node(tree, index);
	uint32_t *first = &tree->first_root;
	uint32_t *last = &tree->last_root;

	assert(node->next_sibling == NO_STEP);
	if (node->parent != NO_STEP) {
		struct step_node *parent = step_tree_node(tree, node->parent);

		first = &parent->first_child;
		last = &parent->last_child;
	}
	if (*last == NO_STEP)
		*first = index;
	else
		step_tree_node(tree, *last)->next_sibling = index;
	*last = index;
}

uint32_t step_tree_add(struct step_tree *tree, uint32_t parent, uint64_t step)
{
	uint64_t key = hash_chain(step, (uint64_t)parent + 1);
	struct step_node *node = hash_table_find(&tree->nodes, key);
	uint32_t index;

	assert(parent == NO_STEP || parent < tree->nodes.count);
	if (node != NULL)
		return hash_table_index(&tree->nodes, node);
	if (tree->nodes.count >= tree->max_nodes)
		return NO_STEP;
	node = hash_table_add(&tree->nodes, key);
	index = hash_table_index(&tree->nodes, node);
	if (index == NO_ENTRY)
		return NO_STEP;
	assert(parent == NO_STEP || parent < index);
	node->parent = parent;
	node->first_child = NO_STEP;
	node->last_child = NO_STEP;
	node->next_sibling = NO_STEP;
	link_node(tree, index);
	return index;
}

/*
 * Remove the first step from a path such as "html>body>div", and return the
 * step. The path must not be empty.
 */
static struct slice step_take(struct slice *path)
{
	const char *bytes = path->data;
	const char *end = memchr(bytes, '>', path->size);
	size_t size = end == NULL ? path->size : (size_t)(end - bytes);

	assert(path->size > 0);
	path->data = bytes + size + (end != NULL);
	path->size -= size + (end != NULL);
	return (struct slice){bytes, size};
}

/* Enter the node. Return false if it is NO_STEP. */
static bool step_walk_enter(struct step_walk *walk, uint32_t node)
{
	if (node == NO_STEP)
		return false;
	walk->node = node;
	walk->is_leaving = false;
	return true;
}

bool step_walk_next(struct step_walk *walk)
{
	const struct step_node *node;

	if (!walk->is_started) {
		walk->is_started = true;
		return step_walk_enter(walk, walk->tree->first_root);
	}
	assert(walk->node < walk->tree->nodes.count);
	node = step_tree_node(walk->tree, walk->node);
	if (!walk->is_leaving) {
		if (!step_walk_enter(walk, node->first_child))
			walk->is_leaving = true;
		return true;
	}
	if (step_walk_enter(walk, node->next_sibling))
		return true;
	walk->node = node->parent;
	return walk->node != NO_STEP;
}

/* The first bytes of an encoded page tree; the nodes follow it. */
struct page_tree_head {
	uint32_t page_count;
	uint32_t left_out;
	uint32_t node_count;
	uint32_t reserved;
};

/* An encoded node; the bytes of its label and of its example follow it. */
struct node_row {
	uint64_t template;
	uint64_t content;
	uint32_t parent; /* a lower index; NO_STEP = a root */
	uint32_t pages;
	uint32_t elements;
	uint32_t label_bytes;
	uint32_t example_bytes;
	uint32_t reserved;
};

void page_tree_encode(const struct page_tree *tree, struct buffer *out)
{
	const struct page_tree_head head = {
		.page_count = tree->page_count,
		.left_out = tree->left_out,
		.node_count = step_tree_count(&tree->steps),
	};

	buffer_append(out, &head, sizeof(head));
	for (uint32_t i = 0; i < head.node_count; i++) {
		const struct page_tree_node *node = page_tree_node(tree, i);
		const struct node_row row = {
			.template = node->own.template,
			.content = node->own.content,
			.parent = node->step.parent,
			.pages = node->pages,
			.elements = node->elements,
			.label_bytes = (uint32_t)node->step.label.size,
			.example_bytes = (uint32_t)node->example.size,
		};

		buffer_append(out, &row, sizeof(row));
		buffer_append_slice(out, node->step.label);
		buffer_append_slice(out, node->example);
	}
}

/*
 * Move `size` bytes from the front of *bytes to `out`. Return false if there
 * are fewer.
 */
static bool page_tree_take_bytes(struct slice *bytes, void *out, size_t size)
{
	if (bytes->size < size)
		return false;
	memcpy(out, bytes->data, size);
	bytes->data = (const char *)bytes->data + size;
	bytes->size -= size;
	return true;
}

static bool page_tree_take_text(struct arena *arena, struct slice *bytes,
				uint32_t size, uint32_t max,
				struct slice *text_out)
{
	char *copy;

	if (size > max || size > bytes->size)
		return false;
	copy = arena_alloc(arena, (size_t)size + 1, 1);
	*text_out = (struct slice){copy, size};
	return page_tree_take_bytes(bytes, copy, size);
}

static bool page_tree_take_node(struct page_tree *tree, struct slice *bytes)
{
	uint32_t count = step_tree_count(&tree->steps);
	struct page_tree_node *node;
	struct node_row row;
	uint32_t index;

	if (!page_tree_take_bytes(bytes, &row, sizeof(row)) ||
	    (row.parent != NO_STEP && row.parent >= count))
		return false;
	index = step_tree_add(&tree->steps, row.parent,
			      hash64(&count, sizeof(count), 0));
	if (index != count) /* the tree was full */
		return false;
	node = page_tree_node(tree, index);
	node->pages = row.pages;
	node->elements = row.elements;
	node->own = (struct page_tree_text){row.template, row.content};
	return page_tree_take_text(tree->arena, bytes, row.label_bytes,
				   MAX_LABEL_BYTES, &node->step.label) &&
	       page_tree_take_text(tree->arena, bytes, row.example_bytes,
				   PAGE_TREE_MAX_TEXT, &node->example);
}

bool page_tree_decode(struct arena *arena, struct slice bytes,
		      struct page_tree *tree_out)
{
	struct page_tree_head head;

	*tree_out = page_tree_make(arena);
	if (!page_tree_take_bytes(&bytes, &head, sizeof(head)))
		return false;
	tree_out->page_count = head.page_count;
	tree_out->left_out = head.left_out;
	for (uint32_t i = 0; i < head.node_count; i++)
		if (!page_tree_take_node(tree_out, &bytes))
			return false;
	page_tree_sum(tree_out);
	return bytes.size == 0;
}

struct path_tree path_tree_make(struct arena *arena)
{
	return (struct path_tree){
		.arena = arena,
		.steps = step_tree_make(arena, sizeof(struct path_tree_node),
					PATH_TREE_MAX_NODES),
	};
}

/*
 * Return the child of `parent` with this label, and add it if it does not
 * exist. Return NO_STEP if the tree is full.
 */
static uint32_t add_step(struct path_tree *tree, uint32_t parent,
			 struct slice label)
{
	uint32_t before = step_tree_count(&tree->steps);
	uint32_t index = step_tree_add(&tree->steps, parent,
				       hash64(label.data, label.size, 0));

	if (index == before)
		step_tree_node(&tree->steps, index)->label = (struct slice){
			arena_copy(tree->arena, label.data, label.size),
			label.size};
	return index;
}

void path_tree_add(struct path_tree *tree, const struct shown_path *told)
{
	struct slice rest = told->path;
	uint32_t index = NO_STEP;
	struct path_tree_node *node = NULL;

	for (unsigned i = 0; rest.size > 0; i++) {
		struct slice label = rest;

		if (i < PATH_TREE_MAX_STEPS)
			label = step_take(&rest);
		else
			rest.size = 0;
		index = add_step(tree, index, label);
		if (index == NO_STEP)
			return;
		node = path_tree_node(tree, index);
		assert(index < step_tree_count(&tree->steps));
		node->is_there[told->side] = true;
		node->is_told[told->side] |= told->is_told;
	}
	if (node == NULL || !told->is_told)
		return;
	node->is_end[told->side] = true;
	node->ratios[told->side] = told->ratio;
}

/* A region must contain this ratio of the remaining words. */
static const double most = 0.75;

/* If less than this ratio of all words remains, no further region is searched.
 */
static const double least = 0.10;

/*
 * A page of the sample. `words` are the words of its content that are not in a
 * region yet.
 */
struct region_sample {
	const struct page *page;
	const uint64_t *paths; /* [node_count] path_chains() of the page */
	uint32_t *words;       /* [text_count] remaining words of each text */
	uint32_t *before;      /* [text_count + 1] remaining words of all texts
				  before it */
	double total;          /* number of words in all content */
};

/* An element that contains content. */
struct region_element {
	uint64_t path;
	double words; /* remaining words in it, as a ratio of the words of its
			 page */
	uint32_t page;
	uint32_t node;
};

/* All elements that have the same path. */
struct region_path {
	const struct region_element *first;
	double words; /* sum of `words` of its elements */
	uint32_t elements;
	uint32_t pages;
};

static struct region_sample region_sample_page(struct arena *arena,
					       const struct page *page)
{
	const struct extractor *method = extractor_find(DEFAULT_METHOD);
	struct verdict *verdicts =
		ARENA_NEW(page->arena, struct verdict, page->text_count);
	double parameters[MAX_PARAMETERS];
	const struct path_table table = path_table_make(page->arena, page);
	struct region_sample sampled = {
		.page = page,
		.paths = path_chains(page->arena, page,
				     table.steps[PATH_INNER_CLASSES]),
		.words = ARENA_NEW(arena, uint32_t, page->text_count),
		.before = ARENA_NEW(arena, uint32_t, page->text_count + 1),
	};

	extractor_defaults(method, parameters);
	method->run(&(struct extractor_input){.page = page,
					      .parameters = parameters,
					      .arena = page->arena},
		    verdicts);
	for (uint32_t i = 0; i < page->text_count; i++) {
		if (!verdicts[i].is_content)
			continue;
		sampled.words[i] = word_count(page_text(page, i));
		sampled.total += sampled.words[i];
	}
	return sampled;
}

static uint32_t node_count(const struct region_sample *samples, uint32_t count)
{
	uint32_t nodes = 0;

	for (uint32_t i = 0; i < count; i++)
		nodes += samples[i].page->node_count;
	return nodes;
}

/*
 * Write to `places` the elements of a page that contain remaining words; return
 * their number.
 */
static uint32_t add_places(const struct region_sample *sampled, uint32_t page,
			   struct region_element *places)
{
	uint32_t count = 0;

	if (sampled->total <= 0)
		return 0;
	for (uint32_t i = 0; i < sampled->page->text_count; i++)
		sampled->before[i + 1] = sampled->before[i] + sampled->words[i];
	for (uint32_t i = 0; i < sampled->page->node_count; i++) {
		const struct node *node = &sampled->page->nodes[i];
		uint32_t words = sampled->before[node->end_text] -
				 sampled->before[node->first_text];

		if (words > 0)
			places[count++] = (struct region_element){
				.path = sampled->paths[i],
				.words = words / sampled->total,
				.page = page,
				.node = i,
			};
	}
	return count;
}

static int region_element_by_path(const void *left, const void *right)
{
	const struct region_element *a = left;
	const struct region_element *b = right;

	if (a->path != b->path)
		return a->path < b->path ? -1 : 1;
	if (a->page != b->page)
		return a->page < b->page ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

/*
 * Return the elements with the same path as places[0]; they follow each other.
 */
static struct region_path region_next_path(const struct region_element *places,
					   uint32_t count)
{
	struct region_path site = {.first = places};

	while (site.elements < count &&
	       places[site.elements].path == places->path) {
		const struct region_element *place = &places[site.elements];

		site.pages +=
			site.elements == 0 || place->page != place[-1].page;
		site.words += place->words;
		site.elements++;
	}
	return site;
}

static uint16_t depth_of(const struct region_sample *samples,
			 struct region_path site)
{
	const struct region_element *place = site.first;

	return samples[place->page].page->nodes[place->node].depth;
}

/*
 * Return the lowest path that contains most of the remaining `words` and has
 * only one element on each page. All paths that contain most of the words are
 * on one line from the root, because each contains more than half.
 */
static struct region_path
region_lowest_path(const struct region_sample *samples,
		   const struct region_element *places, uint32_t count,
		   double words)
{
	struct region_path found = {0};
	struct region_path site;

	for (uint32_t i = 0; i < count; i += site.elements) {
		site = region_next_path(places + i, count - i);
		if (site.elements != site.pages || site.words < most * words)
			continue;
		if (found.first == NULL ||
		    depth_of(samples, site) > depth_of(samples, found))
			found = site;
	}
	return found;
}

/* Remove the words in the elements of the path from the remaining words. */
static void region_take_words(struct region_sample *samples,
			      struct region_path site)
{
	for (uint32_t i = 0; i < site.elements; i++) {
		const struct region_element *place = &site.first[i];
		const struct region_sample *sampled = &samples[place->page];
		const struct node *node = &sampled->page->nodes[place->node];

		for (uint32_t text = node->first_text; text < node->end_text;
		     text++)
			sampled->words[text] = 0;
	}
}

static uint32_t region_find_elements(const struct region_sample *samples,
				     uint32_t count,
				     struct region_element *places)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < count; i++)
		found += add_places(&samples[i], i, places + found);
	if (found > 1)
		qsort(places, found, sizeof(*places), region_element_by_path);
	return found;
}

/*
 * Return the remaining words: for each page their ratio of its words; the sum
 * of these ratios.
 */
static double words_left(const struct region_sample *samples, uint32_t count)
{
	double left = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t texts = samples[i].page->text_count;

		if (samples[i].total > 0)
			left += samples[i].before[texts] / samples[i].total;
	}
	return left;
}

uint32_t regions_find(struct arena *arena, const struct page *const *pages,
		      uint32_t count, struct version_region *regions_out)
{
	struct region_sample *samples =
		ARENA_NEW(arena, struct region_sample, count);
	uint32_t with_content = 0;
	uint32_t regions = 0;
	struct region_element *places;

	for (uint32_t i = 0; i < count; i++) {
		samples[i] = region_sample_page(arena, pages[i]);
		with_content += samples[i].total > 0;
	}
	places = ARENA_NEW(arena, struct region_element,
			   node_count(samples, count));
	while (regions < VERSION_MAX_REGIONS) {
		uint32_t found = region_find_elements(samples, count, places);
		double left = words_left(samples, count);
		struct region_path site;

		if (left < least * with_content)
			break;
		site = region_lowest_path(samples, places, found, left);
		if (site.first == NULL)
			break;
		regions_out[regions++] = (struct version_region){
			.path = text_of_path(arena, pages[site.first->page],
					     site.first->node,
					     PATH_INNER_CLASSES),
			.ratio = (float)site.pages / (float)with_content,
			.words = (float)(site.words / site.pages),
		};
		region_take_words(samples, site);
	}
	return regions;
}

enum {
	TELLING_BYTES = 40
}; /* maximum number of bytes that count for the rank of a text */

struct page_tree page_tree_make(struct arena *arena)
{
	return (struct page_tree){
		.arena = arena,
		.steps = step_tree_make(arena, sizeof(struct page_tree_node),
					PAGE_TREE_MAX_NODES),
	};
}

bool page_tree_omits(const struct page *page, uint32_t node)
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

/* Return the label of an element: the last step of path_write(). */
static struct slice page_tree_label(struct arena *arena,
				    const struct page *page, uint32_t node)
{
	uint16_t tag = page->nodes[node].tag;
	char path[PATH_MAX_BYTES];
	size_t begin;

	/* their classes change from page to page, so they are ignored */
	if (tag == TAG_html || tag == TAG_body)
		return page_tag_name(page, tag);
	begin = path_write(page, node, PATH_CLASSES, path);
	for (size_t i = begin; i < PATH_MAX_BYTES; i++)
		if (path[i] == '>')
			begin = i + 1;
	return (struct slice){
		arena_copy(arena, path + begin, PATH_MAX_BYTES - begin),
		PATH_MAX_BYTES - begin};
}

/*
 * Return the tree node of an element whose parent element has the tree node
 * `parent`. Add it if necessary.
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
 * Return for each element [node_count] its tree node; NO_STEP if the element is
 * omitted.
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
 * Return the rank of a text as an example of its node: the number of pages of
 * the template that contain it, times its length in bytes up to TELLING_BYTES.
 */
static uint64_t rank_text(uint32_t frequency, uint32_t length)
{
	return (uint64_t)(frequency > 0 ? frequency : 1) *
	       (length < TELLING_BYTES ? length : TELLING_BYTES);
}

/*
 * If `rank` is higher than the rank of the node's example, replace the example
 * by `text`. The memory of the example is allocated only once.
 */
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
		/*
		 * A fragment on more than a third of the pages is template
		 * text: Gottron 2008, section 6.
		 */
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
 * Return the node with most content in it, among `node` and its following
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

/* A node with the numbers that decide its rank. */
struct ranked {
	uint64_t text;
	uint32_t pages;
	uint32_t index;
};

/*
 * Order for qsort(): the node on most pages first, then the one with more text,
 * then the one with the lower index. A parent is before its children, because
 * it is on at least as many pages, has at least as much text, and a lower
 * index.
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

/*
 * Write to `ranked` the nodes whose depth and number of pages `limits` allows,
 * sorted by rank; return their number.
 */
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
