#include "cluster/path.h"

#include <assert.h>

#include "cluster/class.h"
#include "cluster/signature.h"
#include "page/page.h"
#include "store/arena.h"
#include "store/hash.h"

static uint64_t step_to(const struct page *page, uint32_t node,
			enum path_steps kind)
{
	uint16_t tag = page->nodes[node].tag;
	uint64_t name = page_tag_hash(page, tag);

	if (kind == PATH_NAMES || (kind == PATH_INNER_CLASSES &&
				   (tag == TAG_html || tag == TAG_body)))
		return name;
	return class_hash(page_attribute(page, node, "class"), name);
}

uint64_t *path_steps(struct arena *arena, const struct page *page,
		     enum path_steps kind)
{
	uint64_t *steps = ARENA_NEW(arena, uint64_t, page->node_count);

	for (uint32_t i = 0; i < page->node_count; i++)
		steps[i] = step_to(page, i, kind);
	return steps;
}

uint64_t path_shingle(const struct page *page, const uint64_t *steps,
		      uint32_t node, unsigned width)
{
	uint64_t window[SIGNATURE_MAX_WIDTH];
	unsigned count = 0;

	assert(width >= 1 && width <= SIGNATURE_MAX_WIDTH);
	while (count < width && node != NO_NODE) {
		window[count++] = steps[node];
		node = page->nodes[node].parent;
	}
	return hash64(window, count * sizeof(*window), 0);
}

uint64_t path_hash(const struct page *page, uint32_t node, unsigned width)
{
	uint64_t window[SIGNATURE_MAX_WIDTH];
	unsigned count = 0;

	assert(width >= 1 && width <= SIGNATURE_MAX_WIDTH);
	while (count < width && node != NO_NODE) {
		window[count++] = step_to(page, node, PATH_INNER_CLASSES);
		node = page->nodes[node].parent;
	}
	return hash64(window, count * sizeof(*window), 0);
}
