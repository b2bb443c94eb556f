/* Reads the head of a page: meta, link, title and html elements. */
#include "extract/metadata/metadata_findings.h"
#include "page/tag.h"

/*
 * Ranks are by subject. If a page has several dates, the dates for news
 * services (article:, parsely, sailthru, citation) belong to the article; a
 * lone "date" is often the file's date.
 */
struct meta_rule {
	const char *name; /* value of meta[name], [property] or [itemprop] */
	size_t size;      /* size of the name */
	enum subject subject;
	uint32_t rank;
	const char *source;
};

#define NAME(name) name, sizeof(name) - 1

static const struct meta_rule rules[] = {
	{NAME("og:title"), SUBJECT_TITLE, 20, "og"},
	{NAME("twitter:title"), SUBJECT_TITLE, 40, "meta"},
	{NAME("parsely-title"), SUBJECT_TITLE, 22, "meta"},
	{NAME("sailthru.title"), SUBJECT_TITLE, 24, "meta"},
	{NAME("citation_title"), SUBJECT_TITLE, 12, "meta"},
	{NAME("dc.title"), SUBJECT_TITLE, 30, "dublin-core"},
	{NAME("dcterms.title"), SUBJECT_TITLE, 30, "dublin-core"},
	{NAME("headline"), SUBJECT_TITLE, 25, "microdata"},
	{NAME("title"), SUBJECT_TITLE, 45, "meta"},

	{NAME("author"), SUBJECT_AUTHOR, 30, "meta"},
	{NAME("article:author"), SUBJECT_AUTHOR, 32, "og"},
	{NAME("og:article:author"), SUBJECT_AUTHOR, 33, "og"},
	{NAME("article:author_name"), SUBJECT_AUTHOR, 31, "og"},
	{NAME("og:author"), SUBJECT_AUTHOR, 33, "og"},
	{NAME("dc.creator"), SUBJECT_AUTHOR, 34, "dublin-core"},
	{NAME("dcterms.creator"), SUBJECT_AUTHOR, 34, "dublin-core"},
	{NAME("parsely-author"), SUBJECT_AUTHOR, 24, "meta"},
	{NAME("sailthru.author"), SUBJECT_AUTHOR, 26, "meta"},
	{NAME("citation_author"), SUBJECT_AUTHOR, 22, "meta"},
	{NAME("byl"), SUBJECT_AUTHOR, 28, "meta"},

	{NAME("article:published_time"), SUBJECT_PUBLISHED, 20, "og"},
	{NAME("og:article:published_time"), SUBJECT_PUBLISHED, 21, "og"},
	{NAME("og:published_time"), SUBJECT_PUBLISHED, 21, "og"},
	{NAME("article:published"), SUBJECT_PUBLISHED, 22, "og"},
	{NAME("datepublished"), SUBJECT_PUBLISHED, 24, "microdata"},
	{NAME("parsely-pub-date"), SUBJECT_PUBLISHED, 25, "meta"},
	{NAME("cxenseparse:recs:publishtime"), SUBJECT_PUBLISHED, 25, "meta"},
	{NAME("sailthru.date"), SUBJECT_PUBLISHED, 26, "meta"},
	{NAME("citation_publication_date"), SUBJECT_PUBLISHED, 27, "meta"},
	{NAME("citation_date"), SUBJECT_PUBLISHED, 28, "meta"},
	{NAME("dc.date.issued"), SUBJECT_PUBLISHED, 30, "dublin-core"},
	{NAME("dcterms.issued"), SUBJECT_PUBLISHED, 30, "dublin-core"},
	{NAME("dcterms.created"), SUBJECT_PUBLISHED, 32, "dublin-core"},
	{NAME("dc.date.created"), SUBJECT_PUBLISHED, 32, "dublin-core"},
	{NAME("dc.date"), SUBJECT_PUBLISHED, 34, "dublin-core"},
	{NAME("dcterms.date"), SUBJECT_PUBLISHED, 34, "dublin-core"},
	{NAME("publishdate"), SUBJECT_PUBLISHED, 36, "meta"},
	{NAME("publish-date"), SUBJECT_PUBLISHED, 36, "meta"},
	{NAME("publish_date"), SUBJECT_PUBLISHED, 36, "meta"},
	{NAME("publisheddate"), SUBJECT_PUBLISHED, 36, "meta"},
	{NAME("published_date"), SUBJECT_PUBLISHED, 36, "meta"},
	{NAME("published-date"), SUBJECT_PUBLISHED, 36, "meta"},
	{NAME("publication_date"), SUBJECT_PUBLISHED, 36, "meta"},
	{NAME("publication-date"), SUBJECT_PUBLISHED, 36, "meta"},
	{NAME("originalpublicationdate"), SUBJECT_PUBLISHED, 36, "meta"},
	{NAME("displaydate"), SUBJECT_PUBLISHED, 36, "meta"},
	{NAME("pubdate"), SUBJECT_PUBLISHED, 36, "meta"},
	{NAME("datecreated"), SUBJECT_PUBLISHED, 38, "microdata"},
	{NAME("article.published"), SUBJECT_PUBLISHED, 36, "meta"},
	{NAME("article.created"), SUBJECT_PUBLISHED, 39, "meta"},
	{NAME("date"), SUBJECT_PUBLISHED, 48, "meta"},

	{NAME("article:modified_time"), SUBJECT_MODIFIED, 20, "og"},
	{NAME("og:updated_time"), SUBJECT_MODIFIED, 30, "og"},
	{NAME("og:article:modified_time"), SUBJECT_MODIFIED, 21, "og"},
	{NAME("datemodified"), SUBJECT_MODIFIED, 24, "microdata"},
	{NAME("dcterms.modified"), SUBJECT_MODIFIED, 26, "dublin-core"},
	{NAME("dc.date.modified"), SUBJECT_MODIFIED, 26, "dublin-core"},
	{NAME("article.updated"), SUBJECT_MODIFIED, 28, "meta"},
	{NAME("last-modified"), SUBJECT_MODIFIED, 40, "meta"},
	{NAME("lastmod"), SUBJECT_MODIFIED, 40, "meta"},
	{NAME("last_modified"), SUBJECT_MODIFIED, 40, "meta"},
	{NAME("revised"), SUBJECT_MODIFIED, 42, "meta"},

	{NAME("og:site_name"), SUBJECT_SITE_NAME, 10, "og"},
	{NAME("application-name"), SUBJECT_SITE_NAME, 30, "meta"},
	{NAME("apple-mobile-web-app-title"), SUBJECT_SITE_NAME, 32, "meta"},
	{NAME("citation_journal_title"), SUBJECT_SITE_NAME, 25, "meta"},
	{NAME("dc.publisher"), SUBJECT_SITE_NAME, 34, "dublin-core"},

	{NAME("og:locale"), SUBJECT_LANGUAGE, 40, "og"},
	{NAME("content-language"), SUBJECT_LANGUAGE, 20, "meta"},
	{NAME("language"), SUBJECT_LANGUAGE, 30, "meta"},
	{NAME("dc.language"), SUBJECT_LANGUAGE, 32, "dublin-core"},
	{NAME("dcterms.language"), SUBJECT_LANGUAGE, 32, "dublin-core"},
	{NAME("inlanguage"), SUBJECT_LANGUAGE, 34, "microdata"},

	{NAME("og:description"), SUBJECT_DESCRIPTION, 20, "og"},
	{NAME("description"), SUBJECT_DESCRIPTION, 22, "meta"},
	{NAME("twitter:description"), SUBJECT_DESCRIPTION, 30, "meta"},
	{NAME("dc.description"), SUBJECT_DESCRIPTION, 32, "dublin-core"},
	{NAME("dcterms.description"), SUBJECT_DESCRIPTION, 32, "dublin-core"},

	{NAME("og:image"), SUBJECT_IMAGE, 20, "og"},
	{NAME("og:image:url"), SUBJECT_IMAGE, 22, "og"},
	{NAME("og:image:secure_url"), SUBJECT_IMAGE, 21, "og"},
	{NAME("twitter:image"), SUBJECT_IMAGE, 30, "meta"},
	{NAME("twitter:image:src"), SUBJECT_IMAGE, 31, "meta"},
	{NAME("thumbnail"), SUBJECT_IMAGE, 40, "meta"},

	{NAME("og:url"), SUBJECT_CANONICAL, 20, "og"},

	{NAME("article:tag"), SUBJECT_TAG, 10, "og"},
	{NAME("keywords"), SUBJECT_TAG, 30, "meta"},
	{NAME("news_keywords"), SUBJECT_TAG, 28, "meta"},
	{NAME("parsely-tags"), SUBJECT_TAG, 26, "meta"},
	{NAME("sailthru.tags"), SUBJECT_TAG, 27, "meta"},
	{NAME("citation_keywords"), SUBJECT_TAG, 22, "meta"},
	{NAME("dc.subject"), SUBJECT_TAG, 32, "dublin-core"},
	{NAME("dcterms.subject"), SUBJECT_TAG, 32, "dublin-core"},

	{NAME("og:type"), SUBJECT_TYPE, 20, "og"},

	{NAME("article:section"), SUBJECT_CATEGORY, 10, "og"},
	{NAME("og:article:section"), SUBJECT_CATEGORY, 12, "og"},
	{NAME("articlesection"), SUBJECT_CATEGORY, 16, "microdata"},
	{NAME("parsely-section"), SUBJECT_CATEGORY, 22, "meta"},
	{NAME("category"), SUBJECT_CATEGORY, 30, "meta"},

	{NAME("dcterms.license"), SUBJECT_LICENCE, 20, "dublin-core"},
	{NAME("dc.rights.license"), SUBJECT_LICENCE, 22, "dublin-core"},
	{NAME("license"), SUBJECT_LICENCE, 24, "meta"},
};

static void add_named(struct metadata_candidates *findings, struct slice name,
		      struct slice content)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		const struct meta_rule *rule = &rules[i];

		if (name.size != rule->size ||
		    strncasecmp(name.data, rule->name, name.size) != 0)
			continue;
		findings_add(findings, rule->subject, content, rule->source,
			     rule->rank);
		return;
	}
}

static void head_read_meta(struct metadata_candidates *findings, uint32_t node)
{
	static const char *const names[] = {"property", "name", "itemprop",
					    "http-equiv"};
	const struct page *page = findings->page;
	struct slice content = page_attribute(page, node, "content");

	if (content.size == 0)
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct slice name = page_attribute(page, node, names[i]);

		if (name.size > 0)
			add_named(findings, name, content);
	}
}

static void read_link(struct metadata_candidates *findings, uint32_t node)
{
	const struct page *page = findings->page;
	struct slice href = page_attribute(page, node, "href");
	struct slice rel = page_attribute(page, node, "rel");

	if (value_is(rel, "canonical"))
		findings_add(findings, SUBJECT_CANONICAL, href, "link", 10);
	else if (value_is(rel, "image_src"))
		findings_add(findings, SUBJECT_IMAGE, href, "link", 35);
	else if (value_has_word(rel, "license"))
		findings_add(findings, SUBJECT_LICENCE, href, "link", 10);
	else if (value_has_word(rel, "icon"))
		findings_add(findings, SUBJECT_FAVICON, href, "link", 10);
	else if (value_has_word(rel, "apple-touch-icon") ||
		 value_has_word(rel, "apple-touch-icon-precomposed"))
		findings_add(findings, SUBJECT_FAVICON, href, "link", 20);
	else if (value_is(page_attribute(page, node, "itemprop"), "image"))
		findings_add(findings, SUBJECT_IMAGE, href, "microdata", 33);
}

void findings_meta(struct metadata_candidates *findings)
{
	const struct page *page = findings->page;

	for (uint32_t i = 0; i < page->node_count; i++) {
		if (page->nodes[i].tag == TAG_meta)
			head_read_meta(findings, i);
		else if (page->nodes[i].tag == TAG_link)
			read_link(findings, i);
	}
	findings_add(findings, SUBJECT_TITLE, page->title, "title", 35);
}
