#include "extract/render/image.h"

#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "extract/core/markup.h"
#include "extract/render/layout.h"
#include "extract/render/link_address.h"
#include "extract/render/render.h"
#include "page/page.h"

enum {
	MAX_FIGURE_DEPTH = 8, /* maximum depth of an img in its figure */
	MAX_CAPTION_TEXTS =
		LIMIT(32, 1), /* maximum number of texts of a figure to check */
	MIN_PIXELS = 3,       /* smaller images are tracking pixels */
	MAX_LABEL_BYTES = 1024,
};

void image_filter_end(struct image_filter *filter)
{
	buffer_free(&filter->source);
	buffer_free(&filter->label);
	buffer_free(&filter->candidate);
}

static bool is_kept_text(const struct render_request *request, uint32_t text)
{
	return text < request->page->text_count &&
	       request->verdicts[text].is_content;
}

static bool is_between_kept(const struct render_request *request,
			    const struct node *node)
{
	return node->first_text > 0 &&
	       is_kept_text(request, node->first_text - 1) &&
	       is_kept_text(request, node->end_text);
}

static const struct node *figure_of(const struct page *page, uint32_t node)
{
	for (unsigned i = 0; i < MAX_FIGURE_DEPTH; i++) {
		if (node == NO_NODE)
			break;
		if (page->nodes[node].tag == TAG_figure)
			return &page->nodes[node];
		node = page->nodes[node].parent;
	}
	return NULL;
}

static bool has_kept(const struct render_request *request,
		     const struct node *node)
{
	for (uint32_t i = node->first_text;
	     i < node->end_text && i < node->first_text + MAX_CAPTION_TEXTS;
	     i++)
		if (is_kept_text(request, i))
			return true;
	return false;
}

static bool has_place(const struct render_request *request, uint32_t node)
{
	const struct node *image = &request->page->nodes[node];
	const struct node *figure = figure_of(request->page, node);

	if (is_between_kept(request, image))
		return true;
	return figure != NULL &&
	       (is_between_kept(request, figure) || has_kept(request, figure));
}

static bool is_tiny(const struct page *page, uint32_t node, const char *name)
{
	struct slice size = page_attribute(page, node, name);
	char digits[8] = "";

	if (size.size == 0 || size.size >= sizeof(digits) ||
	    memchr(size.data, '%', size.size) != NULL)
		return false;
	memcpy(digits, size.data, size.size);
	return digits[0] >= '0' && digits[0] <= '9' &&
	       strtoul(digits, NULL, 10) < MIN_PIXELS;
}

static bool is_visible_image(const struct page *page, uint32_t node)
{
	const unsigned unseen =
		TEXT_IS_HIDDEN | TEXT_IS_TITLE | TEXT_IS_TEMPLATE;
	uint32_t parent = page->nodes[node].parent;

	/*
	 * the TEXT_IS_TEMPLATE flag of an iframe applies only to its content
	 */
	return (page->nodes[node].flags & TEXT_IS_HIDDEN) == 0 &&
	       (parent == NO_NODE ||
		(page->nodes[parent].flags & unseen) == 0) &&
	       !is_tiny(page, node, "width") && !is_tiny(page, node, "height");
}

bool image_belongs(const struct render_request *request, uint32_t node)
{
	return has_place(request, node) &&
	       is_visible_image(request->page, node);
}

/* Return the address before the first descriptor: "a.jpg 2x, b.jpg". */
static struct slice first_of_set(struct slice set)
{
	const char *bytes = set.data;
	size_t begin = 0;
	size_t end;

	while (begin < set.size && strchr(" \t\r\n\f,", bytes[begin]) != NULL)
		begin++;
	end = begin;
	while (end < set.size && strchr(" \t\r\n\f", bytes[end]) == NULL)
		end++;
	while (end > begin && bytes[end - 1] == ',')
		end--;
	return (struct slice){bytes + begin, end - begin};
}

static bool find_image_source(const struct render_request *request,
			      uint32_t node, struct buffer *out)
{
	static const struct {
		const char *name;
		bool is_set;
	} places[] = {{"data-src", false},
		      {"src", false},
		      {"srcset", true},
		      {"data-srcset", true}};

	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct slice value =
			page_attribute(request->page, node, places[i].name);

		if (value.size > 0 && places[i].is_set)
			value = first_of_set(value);
		if (link_address_append(out, request, value))
			return true;
	}
	return false;
}

/*
 * Return true if the image is a copy: of the image before it, or for readers
 * without scripts.
 */
static bool is_copy(const struct image_filter *filter, const struct node *node)
{
	if (filter->source.size == 0)
		return false;
	return ((node->flags & TEXT_IS_NOSCRIPT) != 0 &&
		filter->place == node->first_text) ||
	       slice_equal(buffer_slice(&filter->source),
			   buffer_slice(&filter->candidate));
}

bool image_filter_next(struct image_filter *filter,
		       const struct render_request *request, uint32_t node,
		       struct layout_image *image_out)
{
	struct slice label = page_attribute(request->page, node, "alt");
	struct buffer spare = filter->source;

	buffer_clear(&filter->candidate);
	if (!image_belongs(request, node) ||
	    !find_image_source(request, node, &filter->candidate) ||
	    is_copy(filter, &request->page->nodes[node]))
		return false;
	filter->source = filter->candidate;
	filter->candidate = spare;
	filter->place = request->page->nodes[node].first_text;
	buffer_clear(&filter->label);
	if (label.size > 0 && label.size <= MAX_LABEL_BYTES)
		markup_append_plain(&filter->label, label, false);
	*image_out = (struct layout_image){buffer_slice(&filter->source),
					   buffer_slice(&filter->label)};
	return true;
}
