#include "extract/text/passage_scope.h"

#include <string.h>

#include "extract/text/passage.h"
#include "page/page.h"

static bool is_own_block(const struct page *page, uint16_t tag)
{
	struct slice name = page_tag_name(page, tag);

	return memchr(name.data, '-', name.size) != NULL;
}

static bool is_boundary(const struct page *page, uint16_t tag)
{
	switch (tag) {
	case TAG_audio:
	case TAG_button:
	case TAG_canvas:
	case TAG_datalist:
	case TAG_iframe:
	case TAG_object:
	case TAG_select:
	case TAG_svg:
	case TAG_template:
	case TAG_textarea:
	case TAG_video:
		return true;
	default:
		return tag < TAG_COUNT ? (tag_flags(tag) & TAG_IS_BLOCK) != 0
				       : is_own_block(page, tag);
	}
}

static uint8_t passage_place_of(uint16_t tag, uint8_t around)
{
	switch (tag) {
	case TAG_noscript:
		return PLACE_NOSCRIPT;
	case TAG_template:
		return PLACE_TEMPLATE;
	case TAG_datalist:
	case TAG_option:
	case TAG_select:
		return PLACE_CHOICE;
	case TAG_textarea:
		return PLACE_TEXTAREA;
	case TAG_svg:
		return PLACE_SVG;
	case TAG_audio:
	case TAG_canvas:
	case TAG_iframe:
	case TAG_object:
	case TAG_video:
		return PLACE_MEDIA;
	default:
		return around;
	}
}

enum { MAX_NAME = 18, MIN_NAME = 4 };

/* Class names that hide elements in the common frameworks. */
static const char hiding_names[][MAX_NAME + 1] = {
	"d-none",   "element-invisible",  "hidden",
	"hide",     "invisible",          "is-hidden",
	"sr-only",  "screen-reader-text", "screenreader",
	"u-hidden", "visuallyhidden",     "visually-hidden",
};

static bool is_hiding_name(const char *name, size_t length)
{
	char lower[MAX_NAME + 1] = {0};

	if (length < MIN_NAME || length > MAX_NAME)
		return false;
	for (size_t i = 0; i < length; i++)
		lower[i] = (char)(name[i] >= 'A' && name[i] <= 'Z'
					  ? name[i] + ('a' - 'A')
					  : name[i]);
	for (size_t i = 0; i < sizeof(hiding_names) / sizeof(hiding_names[0]);
	     i++)
		if (strcmp(lower, hiding_names[i]) == 0)
			return true;
	return false;
}

/*
 * Return true if a hiding name begins with the character; saves most
 * comparisons.
 */
static bool may_hide(char first)
{
	switch (first | 0x20) {
	case 'd':
	case 'e':
	case 'h':
	case 'i':
	case 's':
	case 'u':
	case 'v':
		return true;
	default:
		return false;
	}
}

static bool classes_hide(struct slice classes)
{
	const char *at = classes.data;
	const char *end = at + classes.size;

	while (at < end) {
		const char *begin = at;

		while (at < end && (unsigned char)*at > ' ')
			at++;
		if (at > begin && may_hide(*begin) &&
		    is_hiding_name(begin, (size_t)(at - begin)))
			return true;
		at++;
	}
	return false;
}

static bool name_is(struct slice name, const char *word)
{
	return name.size == strlen(word) &&
	       memcmp(name.data, word, name.size) == 0;
}

/*
 * Return how the attributes of an element hide it. `is_hidden`: the page has
 * marked the element as hidden, but not its parent.
 */
static uint8_t hiding_of(const struct page *page, const struct node *node,
			 bool is_hidden)
{
	const struct attribute *attributes =
		&page->attributes[node->first_attribute];
	uint8_t hiding = is_hidden ? HIDING_STYLE : HIDING_NONE;

	for (uint16_t i = 0; i < node->attribute_count; i++) {
		struct slice name = attributes[i].name;
		struct slice value = attributes[i].value;

		if (is_hidden && name_is(name, "hidden"))
			return name_is(value, "until-found") ? HIDING_NONE
							     : HIDING_ATTRIBUTE;
		if (is_hidden && name_is(name, "aria-hidden") &&
		    name_is(value, "true"))
			hiding = HIDING_ARIA;
		if (hiding == HIDING_NONE && name_is(name, "class") &&
		    classes_hide(value))
			hiding = HIDING_CLASS;
	}
	return hiding;
}

struct passage_scope_scope scope_of_page(void)
{
	return (struct passage_scope_scope){.block = NO_NODE};
}

struct passage_scope_scope
scope_of_node(const struct page *page, uint32_t node,
	      const struct passage_scope_scope *around)
{
	const struct node *element = &page->nodes[node];
	struct passage_scope_scope scope = *around;

	scope.is_boundary = is_boundary(page, element->tag);
	if (scope.is_boundary)
		scope.block = node;
	scope.place = passage_place_of(element->tag, around->place);
	scope.is_link |= element->tag == TAG_a;
	if (around->hiding == HIDING_NONE && element->attribute_count > 0 &&
	    element->first_text < element->end_text) {
		uint32_t parent = element->parent;
		unsigned inherited =
			parent == NO_NODE ? 0 : page->nodes[parent].flags;

		scope.hiding = hiding_of(
			page, element,
			(element->flags & ~inherited & TEXT_IS_HIDDEN) != 0);
	}
	return scope;
}
