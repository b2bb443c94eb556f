#include "page/page_kind.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "page/json_ld.h"
#include "page/page.h"

const char *page_kind_name(unsigned kind)
{
	static const char *const names[PAGE_KIND_COUNT] = {
#define X(name, value, text) [value] = (text),
		PAGE_KIND_LIST(X)
#undef X
	};

	return kind < PAGE_KIND_COUNT ? names[kind] : names[KIND_UNKNOWN];
}

/* The sorts of evidence. */
enum kind_source {
	FROM_ROOT,      /* a class of html or body, or the id of body */
	FROM_TYPE,      /* a type of schema.org, of JSON-LD or microdata */
	FROM_GRAPH,     /* og:type */
	FROM_GENERATOR, /* meta[name=generator] */
	FROM_FOLDER,    /* a segment of the path with another one below it */
	FROM_LAST,      /* the last segment, without its ending */
	FROM_QUERY,     /* a part of the query */
	FROM_ACTION,    /* the value of the parameter "action" */
	FROM_TITLE,
	FROM_MARK, /* a class or id of any element */
	KIND_SOURCES
};

/*
 * A word that is evidence for a kind. It matches the whole text, or any text
 * where it begins or ends with '*'; upper and lower case are equal.
 */
struct kind_rule {
	enum kind_source source;
	enum page_kind kind;
	int points;
	const char *words; /* "a|b" */
};

static const struct kind_rule kind_rules[] = {
	/* WordPress, WooCommerce, Drupal, Shopify, Ghost, Docusaurus, phpBB */
	{FROM_ROOT, KIND_ERROR, 12,
	 "error404|error-404|page-404|template-404|not-found|page-not-found|"
	 "page-error"},
	{FROM_ROOT, KIND_HOME, 9,
	 "home|front|front-page|is-home|homepage|home-page|page-home|"
	 "template-index|home-template|common-home|path-frontpage|"
	 "cms-index-index"},
	{FROM_ROOT, KIND_SEARCH, 9,
	 "search|search-results|search-no-results|template-search|page-search|"
	 "search-page*|section-search|mw-special-search|path-search"},
	{FROM_ROOT, KIND_PRODUCT, 8,
	 "single-product|template-product|product-template*|product-product*|"
	 "catalog-product-view|page-product|node-type-*product*|"
	 "page-type-product"},
	{FROM_ROOT, KIND_LIST, 8,
	 "archive|category|tag|date|post-type-archive*|woocommerce-shop|"
	 "template-collection|template-list-collections|template-blog|"
	 "product-category*|catalog-category-view|tag-template|"
	 "author-template|layout--archive*|page-taxonomy*|page-views|*list-"
	 "page|*-archive-page|"
	 "path-taxonomy*|blog|section-viewforum|section-index|"
	 "mw-special-recentchanges*|mw-special-whatlinkshere|"
	 "mw-special-allpages|mw-special-contributions|mw-special-log|"
	 "mw-special-specialpages|mw-special-categories|mw-special-listfiles|"
	 "mw-special-fileduplicatesearch|ns-14|node-type-*section"},
	{FROM_ROOT, KIND_ARTICLE, 7,
	 "single-post|layout--single|layout--post|post-template*|blog-post-"
	 "page|template-article|"
	 "node-type-*article*|node-type-*news*|node-type-*blog*|"
	 "node-type-*story*|page-node-type-article|page-node-type-blog*|"
	 "page-node-type-news*|type-post|ns-0"},
	{FROM_ROOT, KIND_ARTICLE, 4, "single"},
	{FROM_ROOT, KIND_PROFILE, 8,
	 "node-type-*person*|node-type-*people*|node-type-*profile*|"
	 "node-type-*staff*|page-node-type-person|ns-2|profile-page"},
	{FROM_ROOT, KIND_ORGANIZATION, 8,
	 "node-type-*organisation|node-type-*organization*|node-type-*sponsor*|"
	 "node-type-*partner*|node-type-*company*"},
	{FROM_ROOT, KIND_EVENT, 8,
	 "node-type-*event*|single-event|"
	 "single-tribe_events"},
	{FROM_ROOT, KIND_TOPIC, 8,
	 "section-viewtopic|single-topic|node-type-forum|ns-1"},
	{FROM_ROOT, KIND_LOGIN, 9,
	 "page-user|page-user-login|login|mw-special-userlogin|account-login|"
	 "mw-special-createaccount|section-ucp|template-login|"
	 "woocommerce-account"},
	{FROM_ROOT, KIND_CART, 9,
	 "woocommerce-cart|woocommerce-checkout|template-cart|checkout-cart*"},
	{FROM_ROOT, KIND_FORM, 7, "node-type-webform|page-contact"},
	{FROM_ROOT, KIND_HISTORY, 16, "action-history"},
	{FROM_ROOT, KIND_EDIT, 16, "action-edit"},
	{FROM_ROOT, KIND_INFO, 16, "action-info"},
	{FROM_ROOT, KIND_FILE, 10, "ns-6|page-file|attachment"},
	{FROM_ROOT, KIND_DOCUMENTATION, 8,
	 "docs-doc-page|docs-version*|rst-content|doc-page"},
	{FROM_ROOT, KIND_PLAIN, 9,
	 "page-template-default|template-page|mdx-page|page-template|"
	 "node-type-*page|page-node-type-page"},

	{FROM_TYPE, KIND_PRODUCT, 6, "product|productgroup|individualproduct"},
	{FROM_TYPE, KIND_LIST, 6, "collectionpage|itemlist|offercatalog"},
	{FROM_TYPE, KIND_SEARCH, 7, "searchresultspage"},
	{FROM_TYPE, KIND_PROFILE, 4, "profilepage"},
	{FROM_TYPE, KIND_TOPIC, 7, "qapage|discussionforumposting|question"},
	{FROM_TYPE, KIND_DOCUMENTATION, 5, "techarticle|apireference"},
	{FROM_TYPE, KIND_ARTICLE, 5,
	 "article|newsarticle|blogposting|reportagenewsarticle|recipe|howto|"
	 "socialmediaposting|scholarlyarticle|medicalwebpage"},
	{FROM_TYPE, KIND_EVENT, 6, "event|musicevent|sportsevent"},
	{FROM_TYPE, KIND_VIDEO, 4, "videoobject"},
	{FROM_TYPE, KIND_FORM, 4, "contactpage"},
	/* without the type of an article */
	{FROM_TYPE, KIND_PLAIN, 5, "webpage"},

	{FROM_GRAPH, KIND_PRODUCT, 5, "product|og:product|product.item"},
	{FROM_GRAPH, KIND_PROFILE, 2, "profile"},
	{FROM_GRAPH, KIND_VIDEO, 4, "video*"},
	{FROM_GRAPH, KIND_ARTICLE, 1, "article"},

	{FROM_GENERATOR, KIND_DOCUMENTATION, 3,
	 "mkdocs*|sphinx*|gitbook*|javadoc*|doxygen*|mdbook*|starlight*|"
	 "typedoc*|antora*|docutils*"},

	{FROM_FOLDER, KIND_PRODUCT, 4, "product|products|dp|item|p|prod"},
	{FROM_FOLDER, KIND_LIST, 4,
	 "category|categories|tag|tags|collections|label|labels|author|"
	 "product-category|product-tag|archive|archives|topics"},
	{FROM_FOLDER, KIND_PROFILE, 4,
	 "u|user|users|profile|profiles|member|members|people|person"},
	{FROM_FOLDER, KIND_TOPIC, 4,
	 "t|topic|thread|threads|questions|discussion|discussions"},
	{FROM_FOLDER, KIND_DOCUMENTATION, 3,
	 "docs|doc|documentation|reference|manual|apidocs|javadoc"},
	{FROM_FOLDER, KIND_ARTICLE, 2,
	 "blog|news|article|articles|post|posts|story|stories"},
	{FROM_FOLDER, KIND_VIDEO, 2, "video|videos|watch"},
	{FROM_FOLDER, KIND_EVENT, 2, "event|events"},
	{FROM_FOLDER, KIND_FILE, 4, "file|attachment"},
	{FROM_LAST, KIND_LIST, 3,
	 "products|shop|store|blog|news|articles|posts|stories|archive|"
	 "archives|categories|category|tags|topics|forum|forums|collections|"
	 "events|videos|users|members|latest|top|viewforum|sitemap"},
	{FROM_LAST, KIND_LIST, 6, "page_*|page-*"},
	{FROM_LAST, KIND_TOPIC, 4, "viewtopic|showthread"},
	{FROM_LAST, KIND_SEARCH, 5, "search"},
	{FROM_LAST, KIND_ERROR, 9, "404"},
	{FROM_LAST, KIND_LOGIN, 5,
	 "login|signin|sign-in|register|signup|sign-up|wp-login|my-account|"
	 "account|wishlist"},
	{FROM_LAST, KIND_CART, 6, "cart|basket|checkout"},
	{FROM_LAST, KIND_FORM, 3, "contact|contact-us|contacts"},
	{FROM_LAST, KIND_HOME, 2, "home"},
	{FROM_QUERY, KIND_PRODUCT, 3, "product|product_id"},
	{FROM_QUERY, KIND_LIST, 7, "category|manufacturer|manufacturer*info"},
	{FROM_QUERY, KIND_SEARCH, 6, "search|s"},
	{FROM_QUERY, KIND_HOME, 6, "home"},
	{FROM_QUERY, KIND_LOGIN, 6,
	 "login|register|account|wishlist|voucher|affiliate|return|order|"
	 "forgotten|address|download|newsletter|transaction|reward"},
	{FROM_QUERY, KIND_CART, 6, "cart|checkout"},
	{FROM_QUERY, KIND_FORM, 4, "contact"},
	{FROM_QUERY, KIND_ARTICLE, 4, "blogger|blog|article"},
	{FROM_QUERY, KIND_PLAIN, 4, "information"},
	{FROM_ACTION, KIND_HISTORY, 8, "history"},
	{FROM_ACTION, KIND_EDIT, 8, "edit"},
	{FROM_ACTION, KIND_INFO, 8, "info"},

	{FROM_TITLE, KIND_ERROR, 8,
	 "page not found*|*404 not found*|not found*|404|404 *|*error 404*|"
	 "403|403 *|access denied*|forbidden|500 internal *|502 bad *|503 "
	 "service *"},
	{FROM_TITLE, KIND_LOGIN, 3,
	 "log in*|login*|sign in*|account login*|register account*|"
	 "user account*|create account*"},
	{FROM_TITLE, KIND_SEARCH, 3, "search|search -*|*search results*"},
	{FROM_TITLE, KIND_LIST, 3,
	 "*posts tagged*|archive|*archives*|category:*|tag:*|* - page *"},

	{FROM_MARK, KIND_LIST, 2, "pagination|page-numbers|pager"},
	{FROM_MARK, KIND_PRODUCT, 3, "single_add_to_cart_button|button-cart"},
	{FROM_MARK, KIND_ARTICLE, 2, "article-body|article-content"},
	{FROM_MARK, KIND_ARTICLE, 1, "byline|entry-date"},
};

enum { KIND_RULES = sizeof(kind_rules) / sizeof(kind_rules[0]) };

/* The evidence of a page. */
struct kind_evidence {
	int points[PAGE_KIND_COUNT];
	/* how often each rule has matched; it counts only once */
	uint32_t hits[KIND_RULES];
	size_t first[KIND_SOURCES + 1]; /* first rule of each source */
	/*
	 * the first two letters of the words of FROM_MARK, as bits of
	 * kind_pair(). Most classes have others
	 */
	uint32_t pairs[32];
};

enum {
	KIND_MIN_POINTS = 3, /* a kind with fewer points is unknown */
	KIND_MANY = 3,       /* this many articles or products are a list */
	KIND_LIST_POINTS = 5,
	KIND_PATH_BYTES = 512,  /* maximum bytes of a URL that are read */
	KIND_TITLE_BYTES = 200, /* maximum bytes of a title that are read */
	KIND_LONG_TEXT = 1500,  /* bytes of paragraphs of an article */
	KIND_WORDS = 128,       /* maximum words of an attribute */
};

static bool kind_begins(struct slice text, const char *word, size_t size)
{
	return text.size >= size && strncasecmp(text.data, word, size) == 0;
}

/* Return whether the text ends with the word or, if `is_in`, contains it. */
static bool kind_holds(struct slice text, const char *word, size_t size,
		       bool is_in)
{
	size_t last = text.size < size ? 0 : text.size - size;

	for (size_t i = is_in ? 0 : last; i <= last; i++) {
		struct slice rest = text;

		slice_advance(&rest, i);
		if (kind_begins(rest, word, size))
			return true;
	}
	return false;
}

/*
 * Return whether `word`, of `size` bytes, matches the text. A '*' is at its end
 * and at one other place, or at one of both.
 */
static bool kind_word_matches(const char *word, size_t size, struct slice text)
{
	bool is_in = size > 1 && word[size - 1] == '*';
	const char *star;
	size_t head;

	size -= is_in;
	star = memchr(word, '*', size);
	head = star == NULL ? size : (size_t)(star - word);
	if (!kind_begins(text, word, head) ||
	    (star == NULL && !is_in && text.size != size))
		return false;
	if (star == NULL)
		return true;
	slice_advance(&text, head);
	return kind_holds(text, star + 1, size - head - 1, is_in);
}

static bool kind_rule_matches(const struct kind_rule *rule, struct slice text)
{
	const char *word = rule->words;
	char first = slice_byte(text, 0);

	for (;;) {
		/* most words differ in the first letter */
		if ((word[0] == '*' || ((word[0] ^ first) & ~0x20) == 0) &&
		    kind_word_matches(word, strcspn(word, "|"), text))
			return true;
		word = strchr(word, '|');
		if (word == NULL)
			return false;
		word++;
	}
}

/* Return the number of two letters, without their case: 0 to 1,023. */
static unsigned kind_pair(const char *text)
{
	return ((unsigned char)text[0] & 31U) << 5 |
	       ((unsigned char)text[1] & 31U);
}

/* Note the first letters of the words of a rule. */
static void kind_evidence_add_pairs(struct kind_evidence *evidence,
				    const struct kind_rule *rule)
{
	const char *word = rule->words;

	while (word != NULL) {
		unsigned pair = kind_pair(word);

		evidence->pairs[pair >> 5] |= UINT32_C(1) << (pair & 31);
		word = strchr(word, '|');
		if (word != NULL)
			word++;
	}
}

/* Return whether a class may match a rule of FROM_MARK. */
static bool kind_may_be_mark(const struct kind_evidence *evidence,
			     struct slice text)
{
	unsigned pair;

	if (text.size < 2)
		return false;
	pair = kind_pair(text.data);
	return (evidence->pairs[pair >> 5] >> (pair & 31) & 1) != 0;
}

/* Add the evidence of a text. */
static void kind_evidence_add(struct kind_evidence *evidence,
			      enum kind_source source, struct slice text)
{
	if (text.size == 0 ||
	    (source == FROM_MARK && !kind_may_be_mark(evidence, text)))
		return;
	for (size_t i = evidence->first[source];
	     i < evidence->first[source + 1]; i++) {
		const struct kind_rule *rule = &kind_rules[i];

		if (kind_rule_matches(rule, text) && evidence->hits[i]++ == 0)
			evidence->points[rule->kind] += rule->points;
	}
}

/* Initialise the evidence. The rules are sorted by source. */
static void kind_evidence_begin(struct kind_evidence *evidence)
{
	size_t i = 0;

	*evidence = (struct kind_evidence){0};
	for (size_t source = 0; source < KIND_SOURCES; source++) {
		evidence->first[source] = i;
		for (; i < KIND_RULES && kind_rules[i].source == source; i++)
			if (source == FROM_MARK)
				kind_evidence_add_pairs(evidence,
							&kind_rules[i]);
	}
	evidence->first[KIND_SOURCES] = i;
	assert(i == KIND_RULES);
}

/*
 * Add the evidence of the first KIND_WORDS words in a list that is separated by
 * white space.
 */
static void kind_evidence_add_words(struct kind_evidence *evidence,
				    enum kind_source source, struct slice list)
{
	const char *text = list.data;
	size_t words = 0;

	for (size_t i = 0; i < list.size && words < KIND_WORDS; i++) {
		size_t begin = i;

		while (i < list.size && (unsigned char)text[i] > ' ')
			i++;
		words += i > begin;
		kind_evidence_add(evidence, source,
				  (struct slice){text + begin, i - begin});
	}
}

size_t url_path_decode(struct slice path, char *out, size_t max)
{
	const char *text = path.data;
	size_t size = 0;

	for (size_t i = 0; i < path.size && size < max; i++) {
		char c = text[i];

		for (int turn = 0; turn < 2 && c == '%'; turn++) {
			if (path.size - i < 3 || hex_digit(text[i + 1]) < 0 ||
			    hex_digit(text[i + 2]) < 0)
				break;
			c = (char)(hex_digit(text[i + 1]) * 16 +
				   hex_digit(text[i + 2]));
			i += 2;
		}
		out[size++] = c;
	}
	return size;
}

static bool kind_is_one_of(char c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

static bool kind_is_digits(struct slice text, size_t most)
{
	for (size_t i = 0; i < text.size; i++)
		if (slice_byte(text, i) < '0' || slice_byte(text, i) > '9')
			return false;
	return text.size > 0 && text.size <= most;
}

/* Remove an ending such as ".html". */
static struct slice kind_without_ending(struct slice text)
{
	for (size_t i = text.size; i > 1 && text.size - i < 6; i--)
		if (slice_byte(text, i - 1) == '.')
			return (struct slice){text.data, i - 1};
	return text;
}

enum { KIND_SEGMENTS = 24 };

/*
 * Add the evidence of the segments: a date alone is a list, and so is
 * "page/2"; a date before a name belongs to an article.
 */
static void kind_evidence_add_segments(struct kind_evidence *evidence,
				       const struct slice *segments,
				       size_t count)
{
	size_t dates = 0;

	while (dates < count && dates < 3 &&
	       kind_is_digits(segments[dates], dates == 0 ? 4 : 2) &&
	       (dates > 0 || segments[0].size == 4))
		dates++;
	if (dates > 0)
		evidence->points[dates == count ? KIND_LIST : KIND_ARTICLE] +=
			dates == count ? 4 : 1 + (int)dates;
	for (size_t i = 0; i + 1 < count; i++)
		if (slice_equal(segments[i], slice_of("page")) &&
		    kind_is_digits(segments[i + 1], 9)) {
			evidence->points[KIND_LIST] += 6;
			return;
		}
	for (size_t i = 0; i < count; i++)
		kind_evidence_add(
			evidence, i + 1 < count ? FROM_FOLDER : FROM_LAST,
			i + 1 < count ? segments[i]
				      : kind_without_ending(segments[i]));
}

static bool kind_is_index(struct slice segment)
{
	struct slice name = kind_without_ending(segment);

	return name.size < segment.size &&
	       (slice_equal(name, slice_of("index")) ||
		slice_equal(name, slice_of("default")));
}

/* Add the evidence of each part of a query. */
static void kind_evidence_add_query(struct kind_evidence *evidence,
				    struct slice query)
{
	enum kind_source source = FROM_QUERY;
	const char *text = query.data;

	for (size_t i = 0; i < query.size; i++) {
		struct slice part = {text + i, 0};

		while (i < query.size && !kind_is_one_of(text[i], "/?@&=|;")) {
			part.size++;
			i++;
		}
		kind_evidence_add(evidence, source, part);
		source = slice_equal(part, slice_of("action")) ? FROM_ACTION
							       : FROM_QUERY;
	}
}

/*
 * Add the evidence of a URL. '@' begins the query in the file names that
 * programs for mirroring write.
 */
static void kind_evidence_add_path(struct kind_evidence *evidence,
				   struct slice path)
{
	struct slice segments[KIND_SEGMENTS];
	char text[KIND_PATH_BYTES];
	size_t size = url_path_decode(path, text, sizeof(text));
	size_t count = 0;
	size_t i = 0;

	while (i < size && !kind_is_one_of(text[i], "?@")) {
		size_t begin = i;

		while (i < size && !kind_is_one_of(text[i], "/?@"))
			i++;
		if (i > begin && count < KIND_SEGMENTS)
			segments[count++] =
				(struct slice){text + begin, i - begin};
		i += i < size && text[i] == '/';
	}
	if (count > 0 && kind_is_index(segments[count - 1]))
		count--;
	if (count == 0 && i >= size)
		evidence->points[KIND_HOME] += 6;
	kind_evidence_add_segments(evidence, segments, count);
	kind_evidence_add_query(evidence, (struct slice){text + i, size - i});
}

static bool kind_is_top(const struct json_ld *ld, uint32_t object)
{
	const struct json_ld_object *one = &ld->objects[object];

	return one->parent == NO_OBJECT ||
	       slice_equal(one->key, slice_of("@graph")) ||
	       slice_equal(one->key, slice_of("mainEntity")) ||
	       slice_equal(one->key, slice_of("mainEntityOfPage"));
}

/* Return the part of a URL after its last slash. */
static struct slice kind_type_name(struct slice type)
{
	const char *slash =
		type.size == 0 ? NULL : memrchr(type.data, '/', type.size);

	if (slash != NULL)
		slice_advance(&type,
			      (size_t)(slash + 1 - (const char *)type.data));
	return type;
}

/* Add the evidence of the types in JSON-LD. */
static void kind_evidence_add_types(struct kind_evidence *evidence,
				    const struct page *page)
{
	struct arena *arena = arena_create();
	const struct json_ld ld = json_ld_of_page(arena, page);

	for (uint32_t i = 0; i < ld.object_count; i++)
		if (kind_is_top(&ld, i))
			kind_evidence_add(evidence, FROM_TYPE,
					  json_ld_type(&ld, i));
	arena_destroy(arena);
}

/* If a page has many articles or products, they are evidence for a list. */
static void kind_evidence_count_types(struct kind_evidence *evidence)
{
	for (size_t i = evidence->first[FROM_TYPE];
	     i < evidence->first[FROM_TYPE + 1]; i++) {
		const struct kind_rule *rule = &kind_rules[i];

		if (evidence->hits[i] < KIND_MANY || rule->kind == KIND_LIST ||
		    rule->kind == KIND_PLAIN)
			continue;
		evidence->points[rule->kind] -= rule->points;
		evidence->points[KIND_LIST] += KIND_LIST_POINTS;
	}
}

/* Add the evidence of an attribute of an element. */
static void kind_evidence_add_attribute(struct kind_evidence *evidence,
					const struct node *node,
					const struct attribute *attribute)
{
	bool is_root = node->tag == TAG_html || node->tag == TAG_body;
	enum kind_source source = is_root ? FROM_ROOT : FROM_MARK;

	if (attribute->value.size == 0)
		return;
	if (slice_equal(attribute->name, slice_of("class")))
		kind_evidence_add_words(evidence, source, attribute->value);
	else if (slice_equal(attribute->name, slice_of("id")))
		kind_evidence_add(evidence, source, attribute->value);
	else if (slice_equal(attribute->name, slice_of("itemtype")))
		kind_evidence_add(evidence, FROM_TYPE,
				  kind_type_name(attribute->value));
}

static void kind_evidence_add_meta(struct kind_evidence *evidence,
				   const struct page *page, uint32_t node)
{
	struct slice content = page_attribute(page, node, "content");

	if (slice_equal(page_attribute(page, node, "property"),
			slice_of("og:type")))
		kind_evidence_add(evidence, FROM_GRAPH, content);
	else if (slice_equal(page_attribute(page, node, "name"),
			     slice_of("generator")))
		kind_evidence_add(evidence, FROM_GENERATOR, content);
}

/* Add the evidence of the elements: attributes, og:type and many articles. */
static void kind_evidence_add_elements(struct kind_evidence *evidence,
				       const struct page *page)
{
	uint32_t articles = 0;

	for (uint32_t i = 0; i < page->node_count; i++) {
		const struct node *node = &page->nodes[i];

		articles += node->tag == TAG_article;
		for (uint32_t k = 0; k < node->attribute_count; k++)
			kind_evidence_add_attribute(
				evidence, node,
				&page->attributes[node->first_attribute + k]);
		if (node->tag == TAG_meta)
			kind_evidence_add_meta(evidence, page, i);
	}
	if (articles >= KIND_MANY)
		evidence->points[KIND_LIST] += 2;
	else if (articles == 1)
		evidence->points[KIND_ARTICLE] += 1;
}

/* Add the evidence of long paragraphs. */
static void kind_evidence_add_text(struct kind_evidence *evidence,
				   const struct page *page)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < page->text_count; i++) {
		const struct text *text = &page->texts[i];

		if (text->node != NO_NODE && (text->flags & TEXT_FLAGS) == 0 &&
		    page->nodes[text->node].tag == TAG_p)
			bytes += text->length;
	}
	if (bytes >= KIND_LONG_TEXT)
		evidence->points[KIND_ARTICLE] += 2;
}

static enum page_kind kind_evidence_best(const struct kind_evidence *evidence)
{
	unsigned best = KIND_UNKNOWN;

	for (unsigned i = 1; i < PAGE_KIND_COUNT; i++)
		if (evidence->points[i] >= KIND_MIN_POINTS &&
		    evidence->points[i] > evidence->points[best])
			best = i;
	return (enum page_kind)best;
}

enum page_kind page_kind_of(const struct page *page, struct slice path)
{
	struct kind_evidence evidence;
	struct slice title = page->title;

	kind_evidence_begin(&evidence);
	if (title.size > KIND_TITLE_BYTES)
		title.size = KIND_TITLE_BYTES;
	kind_evidence_add_path(&evidence, path);
	kind_evidence_add(&evidence, FROM_TITLE, title);
	kind_evidence_add_elements(&evidence, page);
	kind_evidence_add_types(&evidence, page);
	kind_evidence_count_types(&evidence);
	kind_evidence_add_text(&evidence, page);
	return kind_evidence_best(&evidence);
}

enum page_kind page_kind_of_path(struct slice path)
{
	struct kind_evidence evidence;

	kind_evidence_begin(&evidence);
	kind_evidence_add_path(&evidence, path);
	return kind_evidence_best(&evidence);
}
