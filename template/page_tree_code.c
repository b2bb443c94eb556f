#include "template/page_tree_code.h"

#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/limit.h"

enum { MAX_LABEL_BYTES = LIMIT(4096, 256) };

/* Precedes the nodes. */
struct page_tree_head {
	uint32_t page_count;
	uint32_t left_out;
	uint32_t node_count;
	uint32_t reserved;
};

/* A node; the bytes of both texts follow it. */
struct node_row {
	uint64_t template;
	uint64_t content;
	uint32_t parent; /* NO_STEP = a root; or a lower index */
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

/* Move `size` bytes from the front into *out. */
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
	if (index != count) /* the tree is full */
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
