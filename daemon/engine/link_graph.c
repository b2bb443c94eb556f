#include "daemon/engine/link_graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "crawl/url/url.h"
#include "store/key.h"
#include "template/result.h"

#define NO_PAGE UINT32_MAX

enum { RECENT = 1 << 12 }; /* number of URLs in the cache */

/* A URL whose target page was looked up. */
struct looked_up {
	uint64_t url; /* hash of the URL */
	uint32_t target;
	bool is_set;
};

/* A page, with the hash of its URL or of the normalised form of its URL. */
struct link_graph_page {
	uint64_t key;
	/*
	 * hash of the page's URL; if several pages have the same key, the one
	 * with the lowest hash is used
	 */
	uint64_t url;
	uint32_t page;
};

struct link_graph {
	/* [page_count], ascending by hash of the URL */
	struct link_graph_page *urls;
	/* [page_count], ascending by hash of the normalised URL */
	struct link_graph_page *equivalent;
	/* cache of [RECENT] URLs, indexed by the hash of the URL */
	struct looked_up *recent;
	/*
	 * [page_count], for each page the last source with a link to it, plus 1
	 */
	uint32_t *latest;
	uint32_t page_count;
	bool is_offline;
	struct label_link *links; /* [link_count] */
	size_t link_count;
	size_t link_capacity;
};

/* The parts of a canonical URL that are compared. */
struct link_graph_url {
	struct slice host;
	struct slice path; /* path and query */
};

static struct link_graph_url link_graph_split_url(struct slice url)
{
	const char *text = url.data;
	const char *host = memmem(text, url.size, "://", 3);
	const char *end = text + url.size;
	const char *path;

	if (host == NULL)
		return (struct link_graph_url){{"", 0}, url};
	host += 3;
	path = memchr(host, '/', (size_t)(end - host));
	if (path == NULL)
		path = end;
	return (struct link_graph_url){{host, (size_t)(path - host)},
				       {path, (size_t)(end - path)}};
}

/*
 * Percent-decode `text` to `out` [MAX_URL_BYTES]; truncate the result if it is
 * longer. Return its size.
 */
static size_t link_graph_decode_path(struct slice text, char *out)
{
	const char *at = text.data;
	const char *end = at + text.size;
	size_t size = 0;

	while (at < end && size < MAX_URL_BYTES) {
		if (*at == '%' && end - at >= 3 && hex_digit(at[1]) >= 0 &&
		    hex_digit(at[2]) >= 0) {
			out[size++] = (char)(hex_digit(at[1]) * 16 +
					     hex_digit(at[2]));
			at += 3;
		} else {
			out[size++] = *at++;
		}
	}
	return size;
}

/* If `text` ends with `ending`, remove this. */
static void link_graph_drop_ending(struct slice *text, const char *ending)
{
	size_t size = strlen(ending);

	if (text->size >= size &&
	    memcmp((const char *)text->data + text->size - size, ending,
		   size) == 0)
		text->size -= size;
}

static uint64_t equivalence_of(const struct link_graph *inbound,
			       struct slice url)
{
	struct link_graph_url parts = link_graph_split_url(url);
	char text[MAX_URL_BYTES];
	size_t size = link_graph_decode_path(parts.path, text);
	const char *query = memchr(text, '?', size);
	struct slice path = {text,
			     query == NULL ? size : (size_t)(query - text)};
	struct slice rest = {text + path.size, size - path.size};
	uint64_t hash = inbound->is_offline
				? 0
				: hash64(parts.host.data, parts.host.size, 0);

	link_graph_drop_ending(&path, ".gz");
	link_graph_drop_ending(&path, "/index.html");
	link_graph_drop_ending(&path, "/index.htm");
	link_graph_drop_ending(&path, "/");
	link_graph_drop_ending(&path, ".html");
	link_graph_drop_ending(&path, ".htm");
	hash = hash64(path.data, path.size, hash);
	return hash64(rest.data, rest.size, hash);
}

static int link_graph_compare_pages(const void *left, const void *right)
{
	const struct link_graph_page *a = left;
	const struct link_graph_page *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->url > b->url) - (a->url < b->url);
}

struct link_graph *link_graph_create(const struct slice *urls,
				     uint32_t page_count)
{
	struct link_graph *inbound = mem_alloc(1, sizeof(*inbound));

	inbound->page_count = page_count;
	inbound->is_offline = page_count > 0 &&
			      slice_equal(link_graph_split_url(urls[0]).host,
					  slice_of(OFFLINE_HOST));
	inbound->urls = mem_alloc(page_count, sizeof(*inbound->urls));
	inbound->equivalent =
		mem_alloc(page_count, sizeof(*inbound->equivalent));
	inbound->latest = mem_alloc(page_count, sizeof(*inbound->latest));
	inbound->recent = mem_alloc(RECENT, sizeof(*inbound->recent));
	for (uint32_t i = 0; i < page_count; i++) {
		uint64_t url = hash64(urls[i].data, urls[i].size, 0);

		inbound->urls[i] = (struct link_graph_page){url, url, i};
		inbound->equivalent[i] = (struct link_graph_page){
			equivalence_of(inbound, urls[i]), url, i};
	}
	qsort(inbound->urls, page_count, sizeof(*inbound->urls),
	      link_graph_compare_pages);
	qsort(inbound->equivalent, page_count, sizeof(*inbound->equivalent),
	      link_graph_compare_pages);
	return inbound;
}

void link_graph_destroy(struct link_graph *inbound)
{
	if (inbound == NULL)
		return;
	free(inbound->urls);
	free(inbound->equivalent);
	free(inbound->latest);
	free(inbound->recent);
	free(inbound->links);
	free(inbound);
}

/* Return the first page with this key; NO_PAGE if no page has it. */
static uint32_t link_graph_find_page(const struct link_graph_page *entries,
				     uint32_t count, uint64_t key)
{
	size_t at;

	LOWER_BOUND(at, count, entries[at].key < key);
	return at < count && entries[at].key == key ? entries[at].page
						    : NO_PAGE;
}

static uint32_t link_graph_look_up(const struct link_graph *inbound,
				   uint64_t hash, struct slice url)
{
	uint32_t page =
		link_graph_find_page(inbound->urls, inbound->page_count, hash);

	return page != NO_PAGE
		       ? page
		       : link_graph_find_page(inbound->equivalent,
					      inbound->page_count,
					      equivalence_of(inbound, url));
}

/*
 * Return the page that the URL leads to. Most lookups find the URL in the
 * cache, because the pages of a site share its menu.
 */
static uint32_t target_of(struct link_graph *inbound, struct slice url)
{
	uint64_t hash = hash64(url.data, url.size, 0);
	struct looked_up *recent = &inbound->recent[hash % RECENT];

	if (!recent->is_set || recent->url != hash)
		*recent = (struct looked_up){
			hash, link_graph_look_up(inbound, hash, url), true};
	return recent->target;
}

void link_graph_add(struct link_graph *inbound, uint32_t source,
		    const struct record *record)
{
	assert(source < inbound->page_count);
	for (uint32_t i = 0; i < record->link_count; i++) {
		struct record_link link = record_link_at(record, i);
		uint32_t target;

		if (link.path == 0)
			continue;
		target = target_of(inbound, link.url);
		if (target == NO_PAGE || target == source ||
		    inbound->latest[target] == source + 1)
			continue;
		inbound->latest[target] = source + 1;
		inbound->links = mem_grow(inbound->links, inbound->link_count,
					  &inbound->link_capacity,
					  sizeof(*inbound->links));
		inbound->links[inbound->link_count++] =
			(struct label_link){target, link.path};
	}
}

struct label_link *link_graph_links(struct link_graph *inbound,
				    size_t *count_out)
{
	*count_out = inbound->link_count;
	return inbound->links;
}
