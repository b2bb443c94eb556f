#include "extract/render/reference_list.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "extract/core/hash_table.h"
#include "extract/render/layout.h"
#include "extract/render/render.h"
#include "page/page.h"

/* A list under construction. */
struct reference_builder {
	struct page_reference *items; /* [count] */
	size_t count;
	size_t capacity;
};

struct reference_collector {
	struct arena *arena;
	struct reference_builder images;
	struct reference_builder links;
	struct hash_table seen; /* addresses of images */
	struct buffer text;     /* text of the open link */
	struct slice address;   /* address of the open link */
	uint32_t node; /* node of the open link; NO_NODE: none is open */
};

static struct slice reference_copy_text(struct arena *arena, struct slice text)
{
	return (struct slice){arena_copy(arena, text.data, text.size),
			      text.size};
}

static void reference_add(struct reference_collector *collecting,
			  struct reference_builder *list, struct slice address,
			  struct slice text)
{
	if (list->count == MAX_REFERENCES)
		return;
	list->items = mem_grow(list->items, list->count, &list->capacity,
			       sizeof(*list->items));
	list->items[list->count++] = (struct page_reference){
		address, reference_copy_text(collecting->arena, text)};
}

/* Add the open link, if any. */
static void end_link(struct reference_collector *collecting)
{
	if (collecting->node != NO_NODE)
		reference_add(collecting, &collecting->links,
			      collecting->address,
			      buffer_slice(&collecting->text));
	buffer_clear(&collecting->text);
	collecting->node = NO_NODE;
}

/* A link that continues in the next line is one link. */
static void reference_open_element(void *context,
				   const struct layout_element *element)
{
	struct reference_collector *collecting = context;

	if (element->tag != TAG_a || element->node == collecting->node)
		return;
	end_link(collecting);
	collecting->node = element->node;
	collecting->address =
		reference_copy_text(collecting->arena, element->href);
}

static void reference_close_element(void *context, uint16_t tag)
{
	struct reference_collector *collecting = context;

	if (tag == TAG_a)
		end_link(collecting);
}

static void reference_add_gap(void *context, enum separator separator,
			      struct slice blank)
{
	struct reference_collector *collecting = context;

	(void)blank;
	if (separator != SEPARATOR_NONE && collecting->text.size > 0)
		buffer_append_byte(&collecting->text, ' ');
}

static void reference_add_text(void *context, uint32_t index, struct slice text)
{
	struct reference_collector *collecting = context;

	(void)index;
	if (collecting->node != NO_NODE)
		buffer_append_slice(&collecting->text, text);
}

static void reference_add_image(void *context, const struct layout_image *image)
{
	struct reference_collector *collecting = context;
	struct slice source = image->source;
	uint32_t count = collecting->seen.count;

	hash_table_add(&collecting->seen, hash64(source.data, source.size, 0));
	if (collecting->seen.count > count)
		reference_add(collecting, &collecting->images,
			      reference_copy_text(collecting->arena, source),
			      image->label);
}

/* Move the list to the arena. */
static struct reference_list reference_finish(struct arena *arena,
					      struct reference_builder *list)
{
	struct page_reference *items =
		ARENA_NEW(arena, struct page_reference, list->count);

	for (size_t i = 0; i < list->count; i++)
		items[i] = list->items[i];
	free(list->items);
	return (struct reference_list){items, list->count};
}

struct references references_make(struct arena *arena,
				  const struct render_request *request)
{
	struct reference_collector collecting = {
		.arena = arena,
		.seen = hash_table_make(arena, sizeof(uint64_t)),
		.node = NO_NODE,
	};
	struct references references;

	layout(request, &(struct layout_writer){
				.context = &collecting,
				.open = reference_open_element,
				.close = reference_close_element,
				.gap = reference_add_gap,
				.text = reference_add_text,
				.image = reference_add_image,
				.has_links = true,
			});
	end_link(&collecting);
	references.images = reference_finish(arena, &collecting.images);
	references.links = reference_finish(arena, &collecting.links);
	buffer_free(&collecting.text);
	return references;
}
