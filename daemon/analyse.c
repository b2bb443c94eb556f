#include "daemon/analyse.h"

#include <string.h>

#include "cluster/signature.h"
#include "extract/fragment.h"
#include "store/arena.h"
#include "store/hash.h"
#include "store/record.h"

_Static_assert((int)RECORD_SIGNATURES == (int)MEASURE_COUNT,
	       "a record holds one signature a measure");

/* The hashes of the URLs seen: open addressing, at most half full. */
struct seen {
	uint64_t *hashes; /* 0: free */
	size_t slots;
};

static struct seen seen_create(struct arena *arena, size_t max)
{
	struct seen seen = {.slots = 2 * max + 1};

	seen.hashes = ARENA_NEW(arena, uint64_t, seen.slots);
	return seen;
}

static bool is_first(const struct seen *seen, struct slice url)
{
	uint64_t hash = hash64(url.data, url.size, 0) | 1;
	size_t slot = hash % seen->slots;

	while (seen->hashes[slot] != 0 && seen->hashes[slot] != hash)
		slot = (slot + 1) % seen->slots;
	if (seen->hashes[slot] == hash)
		return false;
	seen->hashes[slot] = hash;
	return true;
}

/* What is left of a reference without its fragment. */
static struct slice without_fragment(struct slice href)
{
	const char *hash = memchr(href.data, '#', href.size);

	if (hash != NULL)
		href.size = (size_t)(hash - (const char *)href.data);
	return href;
}

/* The distinct links of the page that lead to http or https. */
static const struct record_link *resolve_links(const struct page *page,
					       const struct url *url,
					       uint32_t *count_out)
{
	struct arena *arena = page->arena;
	struct url base = url_base(url, page->base);
	uint32_t max =
		page->link_count < MAX_LINKS ? page->link_count : MAX_LINKS;
	struct record_link *links = ARENA_NEW(arena, struct record_link, max);
	struct seen written = seen_create(arena, page->link_count);
	struct seen resolved = seen_create(arena, max);
	uint32_t count = 0;

	for (uint32_t i = 0; i < page->link_count && count < max; i++) {
		const struct link *link = &page->links[i];
		struct slice href = without_fragment(link->href);
		struct url target;
		size_t size;

		/* most links are written again and again in the same way */
		if (href.size == 0 || !is_first(&written, href) ||
		    url_parse(&target, href, &base) != ERR_NONE)
			continue;
		size = strlen(target.text);
		if (!is_first(&resolved, (struct slice){target.text, size}))
			continue;
		links[count++] = (struct record_link){
			.url = {arena_copy(arena, target.text, size), size},
			.anchor = link->anchor,
			.flags = link->flags,
		};
	}
	*count_out = count;
	return links;
}

/* Fragments of the store's shape: the same three words. */
static const struct record_fragment *copy_fragments(const struct page *page,
						    uint32_t *count_out)
{
	struct arena *arena = page->arena;
	const struct fragment *distinct =
		fragments_distinct(arena, fragments_of_page(arena, page),
				   page->text_count, count_out);
	struct record_fragment *copies =
		ARENA_NEW(arena, struct record_fragment, *count_out);

	for (uint32_t i = 0; i < *count_out; i++)
		copies[i] = (struct record_fragment){
			.hash = distinct[i].hash,
			.length = distinct[i].length,
			.flags = distinct[i].flags,
		};
	return copies;
}

enum error analyse(struct slice body, struct slice charset,
		   const struct url *url, const struct page_limits *limits,
		   struct buffer *record_out)
{
	struct record record = {
		.content_hash = hash64(body.data, body.size, 0),
	};
	const struct record_link *links;
	struct page *page;
	enum error error = page_parse(&page, body, charset, limits);

	if (error != ERR_NONE)
		return error;
	if (page->is_truncated)
		record.flags |= RECORD_IS_TRUNCATED;
	if (page->is_nofollow)
		record.flags |= RECORD_IS_NOFOLLOW;
	record.text_count = page->text_count;
	record.node_count = page->node_count;
	record.title = page->title;
	record.language = page->language;
	record.description = page->description;
	for (unsigned m = 0; m < MEASURE_COUNT; m++) {
		struct signature signature =
			signature_compute(page->arena, page, (enum measure)m);

		record.signatures[m] = signature.members;
		record.signature_counts[m] = (uint32_t)signature.count;
	}
	record.fragments = copy_fragments(page, &record.fragment_count);
	links = resolve_links(page, url, &record.link_count);
	record_encode(&record, links, record_out);
	page_destroy(page);
	return ERR_NONE;
}
