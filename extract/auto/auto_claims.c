#include "extract/auto/auto_claims.h"

#include "page/json/json_ld.h"
#include "page/page.h"

static struct slice graph_description(const struct page *page)
{
	const struct slice wanted = slice_of("og:description");

	for (uint32_t i = 0; i < page->node_count; i++)
		if (page->nodes[i].tag == TAG_meta &&
		    slice_equal(page_attribute(page, i, "property"), wanted))
			return page_attribute(page, i, "content");
	return (struct slice){NULL, 0};
}

static void add_bodies(struct page_claims *claims, const struct json_ld *ld,
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

struct page_claims claims_of_page(struct arena *arena, const struct page *page)
{
	const struct json_ld ld = json_ld_of_page(arena, page);
	struct page_claims claims = {
		.title = page->title,
		.descriptions = {page->description, graph_description(page)},
	};

	for (uint32_t i = 0; i < ld.object_count; i++)
		add_bodies(&claims, &ld, i);
	return claims;
}
