#include "crawl/sitemap_xml.h"

#include <stdlib.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/hash.h"
#include "base/memory.h"
#include "page/xml_stream.h"

enum rank {
	RANK_NONE,
	RANK_ELSE, /* used if there is no better source */
	RANK_FIRST,
};

/* The element of an entry, which depends on the root. */
enum entry {
	ENTRY_NONE,
	ENTRY_URL,
	ENTRY_SITEMAP,
	ENTRY_ITEM,
	ENTRY_ATOM,
};

/* The open entry. */
struct sitemap_open_entry {
	enum entry entry;
	size_t depth;   /* of its element */
	uint64_t space; /* hash of its namespace */
	enum rank url_rank;
	enum rank time_rank;
	struct buffer url;
	uint64_t time_ms;
};

/* The open element directly below the entry. */
struct sitemap_field {
	bool is_own;        /* in the entry's namespace */
	bool is_other;      /* a link to something other than the page */
	struct buffer link; /* the href of an Atom link */
};

struct sitemap_xml {
	struct sitemap_out *out;
	struct xml_stream *stream;
	size_t depth;
	struct sitemap_open_entry open;
	struct sitemap_field field;
};

static bool sitemap_xml_is_name(struct slice text, const char *word)
{
	return text.size == strlen(word) &&
	       (text.size == 0 || strncasecmp(text.data, word, text.size) == 0);
}

static enum sitemap_kind sitemap_xml_kind(struct slice root)
{
	static const struct {
		const char *name;
		enum sitemap_kind kind;
	} rows[] = {
		{"urlset", SITEMAP_URLS}, {"sitemapindex", SITEMAP_INDEX},
		{"rss", SITEMAP_RSS},     {"RDF", SITEMAP_RSS},
		{"feed", SITEMAP_ATOM},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (sitemap_xml_is_name(root, rows[i].name))
			return rows[i].kind;
	return SITEMAP_UNKNOWN;
}

/*
 * Return the kind of entry that the element begins; a urlset may contain
 * entries of an index, and vice versa.
 */
static enum entry sitemap_xml_entry_kind(enum sitemap_kind kind,
					 struct slice name)
{
	if (kind == SITEMAP_RSS)
		return sitemap_xml_is_name(name, "item") ? ENTRY_ITEM
							 : ENTRY_NONE;
	if (kind == SITEMAP_ATOM)
		return sitemap_xml_is_name(name, "entry") ? ENTRY_ATOM
							  : ENTRY_NONE;
	if (sitemap_xml_is_name(name, "sitemap"))
		return ENTRY_SITEMAP;
	return sitemap_xml_is_name(name, "url") ? ENTRY_URL : ENTRY_NONE;
}

static void take_url(struct sitemap_open_entry *open, struct slice url,
		     enum rank rank)
{
	if (url.size == 0 || rank <= open->url_rank)
		return;
	open->url_rank = rank;
	buffer_clear(&open->url);
	buffer_append_slice(&open->url, url);
}

static void take_time(struct sitemap_open_entry *open, struct slice text,
		      enum rank rank)
{
	uint64_t time_ms = rank > open->time_rank ? sitemap_date(text) : 0;

	if (time_ms == 0)
		return;
	open->time_rank = rank;
	open->time_ms = time_ms;
}

static void sitemap_xml_begin_entry(struct sitemap_xml *xml, enum entry entry,
				    uint64_t space)
{
	struct sitemap_open_entry *open = &xml->open;

	open->entry = entry;
	open->depth = xml->depth;
	open->space = space;
	open->url_rank = RANK_NONE;
	open->time_rank = RANK_NONE;
	open->time_ms = 0;
	buffer_clear(&open->url);
}

static void end_entry(struct sitemap_xml *xml)
{
	struct sitemap_open_entry *open = &xml->open;

	sitemap_out_emit(xml->out, buffer_slice(&open->url),
			 (struct sitemap_entry){
				 .lastmod_ms = open->time_ms,
				 .is_sitemap = open->entry == ENTRY_SITEMAP,
			 });
	open->entry = ENTRY_NONE;
}

static void begin_root(struct sitemap_xml *xml, struct slice name)
{
	xml->out->kind = sitemap_xml_kind(name);
	if (xml->out->kind == SITEMAP_UNKNOWN)
		sitemap_out_fail(xml->out, ERR_MALFORMED);
}

/* An entry inside an entry: the end tag of the first is missing. */
static void sitemap_xml_on_start(void *context, struct slice name,
				 struct slice space)
{
	struct sitemap_xml *xml = context;
	struct sitemap_open_entry *open = &xml->open;
	uint64_t hash = hash64(space.data, space.size, 0);
	enum entry entry;

	if (++xml->depth == 1) {
		begin_root(xml, name);
		return;
	}
	if (open->entry != ENTRY_NONE && xml->depth == open->depth + 1) {
		xml->field.is_own = hash == open->space;
		xml->field.is_other = false;
		buffer_clear(&xml->field.link);
	}
	entry = sitemap_xml_entry_kind(xml->out->kind, name);
	if (entry == ENTRY_NONE)
		return;
	if (open->entry != ENTRY_NONE) {
		if (hash != open->space)
			return;
		end_entry(xml);
	}
	sitemap_xml_begin_entry(xml, entry, hash);
}

/* RFC 4287, 4.2.7.2: a link without a relation is an alternate link. */
static void on_attribute(void *context, struct slice name, struct slice value)
{
	struct sitemap_xml *xml = context;
	struct sitemap_open_entry *open = &xml->open;

	if (open->entry == ENTRY_ITEM && xml->depth == open->depth &&
	    sitemap_xml_is_name(name, "about"))
		take_url(open, value, RANK_ELSE); /* RSS 1.0, section 5.5 */
	if (open->entry != ENTRY_ATOM || xml->depth != open->depth + 1)
		return;
	if (sitemap_xml_is_name(name, "rel") &&
	    !sitemap_xml_is_name(value, "alternate") && value.size > 0)
		xml->field.is_other = true;
	else if (sitemap_xml_is_name(name, "href")) {
		buffer_clear(&xml->field.link);
		buffer_append_slice(&xml->field.link, value);
	}
}

static bool is_absolute(struct slice url)
{
	return (url.size > 7 && strncasecmp(url.data, "http://", 7) == 0) ||
	       (url.size > 8 && strncasecmp(url.data, "https://", 8) == 0);
}

static void end_item_field(struct sitemap_open_entry *open, struct slice name,
			   struct slice text)
{
	if (sitemap_xml_is_name(name, "link"))
		take_url(open, text, RANK_FIRST);
	/*
	 * a guid may be any string; even with isPermaLink="false" it is often a
	 * URL
	 */
	else if (sitemap_xml_is_name(name, "guid") && is_absolute(text))
		take_url(open, text, RANK_ELSE);
	else if (sitemap_xml_is_name(name, "pubDate"))
		take_time(open, text, RANK_FIRST);
}

static void end_atom_field(struct sitemap_xml *xml, struct slice name,
			   struct slice text)
{
	struct sitemap_open_entry *open = &xml->open;

	if (sitemap_xml_is_name(name, "link") && !xml->field.is_other)
		take_url(open, buffer_slice(&xml->field.link), RANK_FIRST);
	else if (sitemap_xml_is_name(name, "updated") ||
		 sitemap_xml_is_name(name, "modified"))
		take_time(open, text, RANK_FIRST);
	else if (sitemap_xml_is_name(name, "published") ||
		 sitemap_xml_is_name(name, "issued"))
		take_time(open, text, RANK_ELSE);
}

static void end_field(struct sitemap_xml *xml, struct slice name,
		      struct slice text)
{
	struct sitemap_open_entry *open = &xml->open;

	/* Dublin Core's, in RSS 1.0 */
	if (open->entry == ENTRY_ITEM && sitemap_xml_is_name(name, "date"))
		take_time(open, text, RANK_ELSE);
	if (!xml->field.is_own)
		return;
	if (open->entry == ENTRY_ITEM)
		end_item_field(open, name, text);
	else if (open->entry == ENTRY_ATOM)
		end_atom_field(xml, name, text);
	else if (sitemap_xml_is_name(name, "loc"))
		take_url(open, text, RANK_FIRST);
	else if (sitemap_xml_is_name(name, "lastmod"))
		take_time(open, text, RANK_FIRST);
}

/* Some sites write the URL directly into <sitemap> or <url>, without <loc>. */
static void sitemap_xml_on_end(void *context, struct slice name,
			       struct slice text)
{
	struct sitemap_xml *xml = context;
	struct sitemap_open_entry *open = &xml->open;
	size_t depth = xml->depth--;

	if (open->entry == ENTRY_NONE)
		return;
	if (depth == open->depth + 1)
		end_field(xml, name, text);
	if (depth != open->depth)
		return;
	if (open->entry == ENTRY_URL || open->entry == ENTRY_SITEMAP)
		take_url(open, text, RANK_ELSE);
	end_entry(xml);
}

struct sitemap_xml *sitemap_xml_create(struct sitemap_out *out)
{
	struct sitemap_xml *xml = mem_alloc(1, sizeof(*xml));

	xml->out = out;
	xml->stream = xml_stream_create(&(struct xml_handler){
		sitemap_xml_on_start, sitemap_xml_on_end, on_attribute, xml});
	return xml;
}

void sitemap_xml_destroy(struct sitemap_xml *xml)
{
	if (xml == NULL)
		return;
	xml_stream_destroy(xml->stream);
	buffer_free(&xml->open.url);
	buffer_free(&xml->field.link);
	free(xml);
}

void sitemap_xml_feed(struct sitemap_xml *xml, struct slice bytes)
{
	sitemap_out_fail(xml->out, xml_stream_feed(xml->stream, bytes));
}

void sitemap_xml_finish(struct sitemap_xml *xml)
{
	sitemap_out_fail(xml->out, xml_stream_finish(xml->stream));
}
