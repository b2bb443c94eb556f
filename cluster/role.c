#include "cluster/role.h"

#include "base/hash.h"
#include "cluster/class.h"
#include "cluster/shingles.h"
#include "page/page.h"
#include "page/tag.h"

enum { KIND_SEED = 7 };

/* Attributes that name roles. Their hashes are stored: never renumber. */
enum role_role {
	ROLE_ROLE = 8,
	ROLE_ITEMPROP,
	ROLE_ITEMTYPE,
	ROLE_REL,
	ROLE_PROPERTY,
	ROLE_NAME,
	ROLE_TYPE,
	ROLE_NONE,
};

static bool role_text_equals(struct slice text, const char *word)
{
	return slice_equal(text, slice_of(word));
}

static enum role_role role_of(struct slice name)
{
	switch (name.size) {
	case 3:
		return role_text_equals(name, "rel") ? ROLE_REL : ROLE_NONE;
	case 4:
		if (role_text_equals(name, "role"))
			return ROLE_ROLE;
		if (role_text_equals(name, "name"))
			return ROLE_NAME;
		return role_text_equals(name, "type") ? ROLE_TYPE : ROLE_NONE;
	case 8:
		if (role_text_equals(name, "itemprop"))
			return ROLE_ITEMPROP;
		if (role_text_equals(name, "itemtype"))
			return ROLE_ITEMTYPE;
		return role_text_equals(name, "property") ? ROLE_PROPERTY
							  : ROLE_NONE;
	default:
		return ROLE_NONE;
	}
}

/*
 * Return whether the attribute is content of the element: anchors have names
 * like ids, and downloads have types.
 */
static bool role_is_content(enum role_role role, uint16_t tag)
{
	return (tag == TAG_a || tag == TAG_param) &&
	       (role == ROLE_NAME || role == ROLE_TYPE);
}

static void add_role(struct shingle_builder *shingles, uint64_t tag,
		     enum role_role role, struct slice value)
{
	char name[CLASS_MAX_BYTES];
	size_t size = class_normalise(value, name);

	shingles_add(shingles, hash_chain(hash64(name, size, role), tag));
}

/* Add the page type of Open Graph, which is in a property. */
static void add_kind(struct shingle_builder *shingles, const struct page *page,
		     uint32_t node)
{
	struct slice kind;

	if (!role_text_equals(page_attribute(page, node, "property"),
			      "og:type"))
		return;
	kind = page_attribute(page, node, "content");
	if (kind.size > 0 && kind.size <= CLASS_MAX_BYTES)
		shingles_add(shingles, hash64(kind.data, kind.size, KIND_SEED));
}

void role_shingles(struct shingle_builder *shingles, const struct page *page)
{
	for (uint32_t i = 0; i < page->node_count; i++) {
		const struct node *node = &page->nodes[i];
		const struct attribute *attributes =
			page->attributes + node->first_attribute;
		uint64_t tag = 0;

		for (uint16_t j = 0; j < node->attribute_count; j++) {
			struct slice value = attributes[j].value;
			enum role_role role = role_of(attributes[j].name);

			if (role == ROLE_NONE || value.size == 0 ||
			    value.size > CLASS_MAX_BYTES ||
			    role_is_content(role, node->tag))
				continue;
			if (tag == 0)
				tag = page_tag_hash(page, node->tag);
			add_role(shingles, tag, role, value);
		}
		if (node->tag == TAG_meta)
			add_kind(shingles, page, i);
	}
}
