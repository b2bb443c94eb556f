#include "extract/auto/auto_claims.h"

#include <string.h>

#include "page/json_ld.h"
#include "page/page.h"

/* Return the content of an Open Graph property. */
static struct slice graph_property(const struct page *page, const char *name)
{
	const struct slice wanted = slice_of(name);

	for (uint32_t i = 0; i < page->node_count; i++)
		if (page->nodes[i].tag == TAG_meta &&
		    slice_equal(page_attribute(page, i, "property"), wanted))
			return page_attribute(page, i, "content");
	return (struct slice){NULL, 0};
}

static void add_bodies(struct page_hints *claims, const struct json_ld *ld,
		       uint32_t object)
{
	static const char *const keys[] = {"articleBody", "description",
					   "text"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		struct slice body = json_ld_text(ld, object, keys[i]);

		if (body.size > 0 && claims->body_count < MAX_CLAIMS)
			claims->bodies[claims->body_count++] = body;
	}
}

/*
 * Parts of the types of schema.org and of og:type, by falling weight: a page of
 * a forum may also be called an article.
 */
static const struct {
	const char *part;
	enum claimed_kind kind;
} kinds[] = {
	{"DiscussionForumPosting", CLAIMS_FORUM},
	{"QAPage", CLAIMS_FORUM},
	{"CollectionPage", CLAIMS_COLLECTION},
	{"ItemList", CLAIMS_COLLECTION},
	{"SearchResultsPage", CLAIMS_COLLECTION},
	{"Product", CLAIMS_PRODUCT},
	{"product", CLAIMS_PRODUCT},
	{"Article", CLAIMS_ARTICLE},
	{"BlogPosting", CLAIMS_ARTICLE},
	{"article", CLAIMS_ARTICLE},
	{"website", CLAIMS_WEBSITE},
	{"WebSite", CLAIMS_WEBSITE},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/*
 * Return the index of the first entry of `kinds` that occurs in the type; KINDS
 * if none does.
 */
static size_t find_claimed_kind(struct slice type)
{
	size_t i = 0;

	while (i < KINDS &&
	       (type.size == 0 || memmem(type.data, type.size, kinds[i].part,
					 strlen(kinds[i].part)) == NULL))
		i++;
	return i;
}

static enum claimed_kind claimed_kind_of(const struct page *page,
					 const struct json_ld *ld)
{
	size_t best = find_claimed_kind(graph_property(page, "og:type"));

	for (uint32_t i = 0; i < ld->object_count; i++) {
		size_t found = find_claimed_kind(json_ld_type(ld, i));

		if (found < best)
			best = found;
	}
	return best == KINDS ? CLAIMS_NO_KIND : kinds[best].kind;
}

struct page_hints page_hints_of(struct arena *arena, const struct page *page)
{
	const struct json_ld ld = json_ld_of_page(arena, page);
	struct page_hints claims = {
		.title = page->title,
		.kind = claimed_kind_of(page, &ld),
		.descriptions = {page->description,
				 graph_property(page, "og:description")},
	};

	for (uint32_t i = 0; i < ld.object_count; i++)
		add_bodies(&claims, &ld, i);
	return claims;
}
