#include "daemon/privsep/analyse.h"

#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "cluster/path.h"
#include "cluster/signature.h"
#include "crawl/parameters.h"
#include "extract/text/fragment.h"
#include "page/page_class.h"
#include "store/record.h"

_Static_assert((int)RECORD_SIGNATURES == (int)MEASURE_CAS,
	       "a record has a place for each measure: signature_slot()");

enum { LINK_PATH_WIDTH = 4 };

#define NO_LINK UINT32_MAX

/* A hash table from URLs to links: open addressing, at most half full. */
struct seen {
	uint64_t *hashes; /* [slots], 0 = free */
	uint32_t *links;  /* [slots] */
	size_t slots;
};

static struct seen seen_create(struct arena *arena, size_t max)
{
	size_t slots = 2 * max + 1;

	return (struct seen){ARENA_NEW(arena, uint64_t, slots),
			     ARENA_ROOM(arena, uint32_t, slots), slots};
}

static uint32_t *seen_link(const struct seen *seen, struct slice url,
			   bool *is_first_out)
{
	uint64_t hash = hash64(url.data, url.size, 0) | 1;
	size_t slot = hash % seen->slots;

	while (seen->hashes[slot] != 0 && seen->hashes[slot] != hash)
		slot = (slot + 1) % seen->slots;
	*is_first_out = seen->hashes[slot] == 0;
	seen->hashes[slot] = hash;
	return &seen->links[slot];
}

/* Return the reference without its fragment. */
static struct slice without_fragment(struct slice href)
{
	const char *hash = memchr(href.data, '#', href.size);

	if (hash != NULL)
		href.size = (size_t)(hash - (const char *)href.data);
	return href;
}

struct record_link_list {
	struct arena *arena;
	struct url base;
	struct slice drop_parameters;
	struct record_link *links; /* [count] */
	uint32_t count;
	struct seen written;
	struct seen resolved;
};

/*
 * Return the index of the link to the target of `link`; add it if it is new.
 * Return NO_LINK if the link has no target.
 */
static uint32_t page_link_resolve(struct record_link_list *list,
				  const struct link *link)
{
	struct slice href = without_fragment(link->href);
	uint32_t *written;
	uint32_t *resolved;
	struct url target;
	bool is_first;
	size_t size;

	if (href.size == 0)
		return NO_LINK;
	/* Pages repeat most links with the same reference. */
	written = seen_link(&list->written, href, &is_first);
	if (!is_first)
		return *written;
	*written = NO_LINK;
	if (url_parse(&target, href, &list->base) != ERR_NONE)
		return NO_LINK;
	parameters_drop(&target, list->drop_parameters);
	size = strlen(target.text);
	resolved = seen_link(&list->resolved, (struct slice){target.text, size},
			     &is_first);
	if (is_first) {
		*resolved = list->count++;
		list->links[*resolved] = (struct record_link){
			.url = {arena_copy(list->arena, target.text, size),
				size},
			.anchor = link->anchor,
			.flags = link->flags,
		};
	}
	*written = *resolved;
	return *resolved;
}

static bool link_is_same_page(const struct page *page, const struct link *link)
{
	uint16_t tag = page->nodes[link->node].tag;

	return tag == TAG_a || tag == TAG_area;
}

/* Return the page's distinct links to http or https URLs. */
static const struct record_link *resolve_links(const struct page *page,
					       const uint64_t *steps,
					       const struct url *url,
					       struct slice drop_parameters,
					       uint32_t *count_out)
{
	struct arena *arena = page->arena;
	uint32_t max =
		page->link_count < MAX_LINKS ? page->link_count : MAX_LINKS;
	struct record_link_list list = {
		.arena = arena,
		.base = url_base(url, page->base),
		.drop_parameters = drop_parameters,
		.links = ARENA_ROOM(arena, struct record_link, max),
		.written = seen_create(arena, page->link_count),
		.resolved = seen_create(arena, max),
	};

	for (uint32_t i = 0; i < page->link_count && list.count < max; i++) {
		const struct link *link = &page->links[i];
		uint32_t at = page_link_resolve(&list, link);

		/*
		 * A canonical link may precede the refresh to the same target.
		 */
		if (at != NO_LINK)
			list.links[at].flags |= link->flags & LINK_IS_REFRESH;
		if (at != NO_LINK && list.links[at].path == 0 &&
		    link_is_same_page(page, link))
			list.links[at].path = path_shingle(
				page, steps, link->node, LINK_PATH_WIDTH);
	}
	*count_out = list.count;
	return list.links;
}

/* Copy fragments into the store's struct, which has the same fields. */
static const struct record_fragment *copy_fragments(const struct page *page,
						    uint32_t *count_out)
{
	struct arena *arena = page->arena;
	const struct fragment *distinct =
		fragments_distinct(arena, fragments_of_page(arena, page),
				   page->text_count, count_out);
	struct record_fragment *copies =
		ARENA_ROOM(arena, struct record_fragment, *count_out);

	for (uint32_t i = 0; i < *count_out; i++)
		copies[i] = (struct record_fragment){
			.hash = distinct[i].hash,
			.length = distinct[i].length,
			.flags = distinct[i].flags,
		};
	return copies;
}

/* Return whether a refresh of the page leads to another page. */
static bool page_has_refresh(const struct page *page, const struct url *url)
{
	const struct url base = url_base(url, page->base);

	for (uint32_t i = 0; i < page->link_count; i++) {
		const struct link *link = &page->links[i];
		struct url target;

		if ((link->flags & LINK_IS_REFRESH) != 0 &&
		    url_parse(&target, link->href, &base) == ERR_NONE &&
		    strcmp(target.text, url->text) != 0)
			return true;
	}
	return false;
}

static enum page_class
analysed_page_class(const struct page *page, const struct url *url,
		    const struct analyse_options *options)
{
	enum page_class page_class =
		page_class_of(page, options->http_status, options->is_cut);

	if (page_class == CLASS_STUB && !page_has_refresh(page, url))
		return page->text_count == 0 ? CLASS_EMPTY : CLASS_PAGE;
	return page_class;
}

static uint32_t analysed_page_flags(const struct page *page,
				    enum page_class page_class,
				    const struct analyse_options *options)
{
	uint32_t flags = (uint32_t)page_class << RECORD_CLASS_SHIFT;

	if (page->is_truncated || page_class == CLASS_TRUNCATED)
		flags |= RECORD_IS_TRUNCATED;
	if (page->is_nofollow || options->is_nofollow)
		flags |= RECORD_IS_NOFOLLOW;
	return flags;
}

/*
 * Return whether the record needs a signature by this measure. Sites use one
 * measure, which never changes; templates are recognised by paths
 * (template/merge.h).
 */
static bool measure_is_needed(unsigned measure,
			      const struct analyse_options *options)
{
	return measure == options->measure ||
	       (!options->is_for_once &&
		(measure == MEASURE_CP || measure == MEASURE_CPC));
}

/* Compute the signatures by the needed measures, each with its width. */
static void page_sign(const struct page *page, const struct path_table *paths,
		      const struct url *url,
		      const struct analyse_options *options,
		      struct record *record)
{
	for (unsigned m = 0; m < MEASURE_COUNT; m++) {
		struct signature_rule rule = {
			.measure = (enum measure)m,
			.width = m == options->measure ? options->width : 0,
			.path = slice_of(url->text + url->path),
		};
		struct signature signature;

		if (!measure_is_needed(m, options))
			continue;
		signature = signature_of_paths(page->arena, page, paths, rule);
		record->signatures[signature_slot(m)] = signature.shingles;
		record->signature_counts[signature_slot(m)] =
			(uint32_t)signature.count;
	}
}

static void fill_record(const struct page *page, struct slice body,
			const struct url *url,
			const struct analyse_options *options,
			struct buffer *record_out)
{
	struct record record = {
		.content_hash = hash64(body.data, body.size, 0),
		.flags = analysed_page_flags(
			page, analysed_page_class(page, url, options), options),
		.text_count = page->text_count,
		.node_count = page->node_count,
		.title = page->title,
		.language = page->language,
		.description = page->description,
	};
	const struct path_table paths = path_table_make(page->arena, page);
	const struct record_link *links;

	page_sign(page, &paths, url, options, &record);
	record.fragments = copy_fragments(page, &record.fragment_count);
	links = resolve_links(page, paths.steps[PATH_INNER_CLASSES], url,
			      options->drop_parameters, &record.link_count);
	record_encode(&record, links, record_out);
}

void analyse_page(const struct page *page, struct slice body,
		  const struct url *url, const struct analyse_options *options,
		  struct buffer *record_out)
{
	struct page copy = *page;

	copy.arena = arena_create(); /* the caller's page must not grow */
	fill_record(&copy, body, url, options, record_out);
	arena_destroy(copy.arena);
}

enum error analyse(struct slice body, struct slice charset,
		   const struct url *url, const struct analyse_options *options,
		   struct buffer *record_out)
{
	struct page *page;
	enum error error = page_parse(&page, body, charset, options->limits);

	if (error != ERR_NONE)
		return error;
	fill_record(page, body, url, options, record_out);
	page_destroy(page);
	return ERR_NONE;
}
