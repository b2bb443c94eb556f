#include "extract/metadata/metadata_kind.h"

struct page_type_rule {
	const char *part; /* part of the searched text */
	const char *kind;
};

/* Parts of schema.org types; the first match wins. */
static const struct page_type_rule types[] = {
	{"DiscussionForumPosting", "forum"},
	{"Question", "forum"},
	{"QAPage", "forum"},
	{"TechArticle", "documentation"},
	{"APIReference", "documentation"},
	{"Article", "article"},
	{"BlogPosting", "article"},
	{"Recipe", "article"},
	{"HowTo", "article"},
	{"Report", "article"},
	{"Product", "product"},
	{"CollectionPage", "collection"},
	{"ItemList", "collection"},
	{"SearchResultsPage", "collection"},
	{"VideoObject", "video"},
	{"ProfilePage", "profile"},
};

/* Parts of the content of meta generator. */
static const struct page_type_rule generators[] = {
	{"discourse", "forum"},
	{"xenforo", "forum"},
	{"phpbb", "forum"},
	{"vbulletin", "forum"},
	{"flarum", "forum"},
	{"mybb", "forum"},
	{"invision", "forum"},
	{"vanilla", "forum"},
	{"docusaurus", "documentation"},
	{"mkdocs", "documentation"},
	{"sphinx", "documentation"},
	{"gitbook", "documentation"},
	{"javadoc", "documentation"},
	{"doxygen", "documentation"},
	{"vuepress", "documentation"},
	{"vitepress", "documentation"},
	{"mdbook", "documentation"},
	{"starlight", "documentation"},
};

/* Parts of addresses: hosts with a dot, paths with slashes. */
static const struct page_type_rule addresses[] = {
	{"://docs.", "documentation"},
	{"://doc.", "documentation"},
	{"://developer.", "documentation"},
	{"/docs/", "documentation"},
	{"/doc/", "documentation"},
	{"/documentation/", "documentation"},
	{"/reference/", "documentation"},
	{"/manual/", "documentation"},
	{"://forum.", "forum"},
	{"://forums.", "forum"},
	{"://discuss.", "forum"},
	{"://community.", "forum"},
	{"/forum/", "forum"},
	{"/forums/", "forum"},
	{"/threads/", "forum"},
	{"/questions/", "forum"},
	{"viewtopic", "forum"},
	{"showthread", "forum"},
	{"/topic/", "forum"},
	{"/comments/", "forum"},
	{"/collections/", "collection"},
	{"/category/", "collection"},
	{"/categories/", "collection"},
	{"/tag/", "collection"},
	{"/product/", "product"},
	{"/products/", "product"},
	{"/dp/", "product"},
	{"/services/", "service"},
	{"/service/", "service"},
	{"/solutions/", "service"},
	{"/blog/", "article"},
	{"/news/", "article"},
	{"/article/", "article"},
	{"/articles/", "article"},
};

static const struct page_type_rule graph_types[] = {
	{"product", "product"},
	{"profile", "profile"},
	{"video", "video"},
};

/* Return the kind of the first rule whose part occurs in the text, or NULL. */
static const char *find_page_type(struct slice text,
				  const struct page_type_rule *rules,
				  size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (value_holds(text, rules[i].part))
			return rules[i].kind;
	return NULL;
}

#define KIND_OF(text, rules) \
	find_page_type((text), (rules), sizeof(rules) / sizeof((rules)[0]))

static struct slice generator_of(const struct page *page)
{
	for (uint32_t i = 0; i < page->node_count; i++)
		if (page->nodes[i].tag == TAG_meta &&
		    value_is(page_attribute(page, i, "name"), "generator"))
			return page_attribute(page, i, "content");
	return (struct slice){NULL, 0};
}

/* Return true if the address is a host without a path. */
static bool is_root(struct slice url)
{
	const char *bytes = url.data;
	size_t slashes = 0;

	for (size_t i = 0; i < url.size; i++)
		slashes += bytes[i] == '/' && i + 1 < url.size;
	return url.size > 0 && slashes <= 2;
}

static const struct metadata_candidate *
json_ld_type_of(const struct metadata_candidates *findings, const char *source)
{
	for (uint32_t i = 0; i < findings->counts[SUBJECT_TYPE]; i++)
		if (strcmp(findings->items[SUBJECT_TYPE][i].source, source) ==
		    0)
			return &findings->items[SUBJECT_TYPE][i];
	return NULL;
}

static struct metadatum page_type_metadatum(const char *value,
					    const char *source)
{
	return (struct metadatum){slice_of(value), source};
}

struct metadatum kind_choose(const struct metadata_candidates *findings,
			     struct slice url, bool is_dated)
{
	const struct metadata_candidate *entity =
		json_ld_type_of(findings, "json-ld");
	const struct metadata_candidate *graph =
		json_ld_type_of(findings, "og");
	const char *found = NULL;

	if (entity != NULL)
		found = KIND_OF(entity->value, types);
	if (found != NULL)
		return page_type_metadatum(found, "json-ld");
	found = KIND_OF(generator_of(findings->page), generators);
	if (found != NULL)
		return page_type_metadatum(found, "meta");
	found = is_root(url) ? "home" : KIND_OF(url, addresses);
	if (found != NULL)
		return page_type_metadatum(found, "url");
	if (graph == NULL)
		return page_type_metadatum(NULL, NULL);
	found = KIND_OF(graph->value, graph_types);
	if (found == NULL && is_dated && value_is(graph->value, "article"))
		found = "article";
	return page_type_metadatum(found, found == NULL ? NULL : "og");
}
