#include "extract/metadata/metadata.h"

#include "base/arena.h"
#include "base/limit.h"
#include "base/utf8.h"
#include "extract/metadata/metadata_author.h"
#include "extract/metadata/metadata_date.h"
#include "extract/text/word.h"
#include "page/json_ld.h"
#include "page/scanner.h"
#include "page/tag.h"

void findings_add(struct metadata_candidates *findings, enum subject subject,
		  struct slice value, const char *source, uint32_t rank)
{
	uint32_t *count = &findings->counts[subject];
	char *out;

	if (value.size == 0 || *count == MAX_FINDINGS ||
	    (value.size > MAX_VALUE && subject_is_address(subject)))
		return;
	value = utf8_truncate(value, MAX_VALUE);
	out = arena_alloc(findings->arena, value.size, 1);
	value = (struct slice){out, text_collapse(value, out)};
	if (value.size > 0)
		findings->items[subject][(*count)++] =
			(struct metadata_candidate){value, source, rank,
						    NO_NODE};
}

const struct metadata_candidate *
findings_best(const struct metadata_candidates *findings, enum subject subject)
{
	const struct metadata_candidate *best = NULL;

	for (uint32_t i = 0; i < findings->counts[subject]; i++) {
		const struct metadata_candidate *one =
			&findings->items[subject][i];

		if (best == NULL || one->rank < best->rank)
			best = one;
	}
	return best;
}

bool value_is(struct slice text, const char *word)
{
	return text.size == strlen(word) &&
	       strncasecmp(text.data, word, text.size) == 0;
}

bool value_has_word(struct slice text, const char *word)
{
	const char *at = text.data;
	const char *end;

	if (text.size == 0)
		return false; /* text.data may be NULL */
	end = at + text.size;
	while (at < end) {
		const char *first = at;

		while (at < end && !is_space(*at))
			at++;
		if (value_is((struct slice){first, (size_t)(at - first)}, word))
			return true;
		at++;
	}
	return false;
}

/* Return the set of characters of the text, modulo 32, as letters in any case.
 */
static uint32_t characters_of(struct slice text)
{
	const char *bytes = text.data;
	uint32_t set = 0;

	for (size_t i = 0; i < text.size; i++)
		set |= 1U << (bytes[i] & 31);
	return set;
}

bool value_holds_any(struct slice text, const char *words)
{
	const char *bytes = text.data;
	const uint32_t set = characters_of(text);
	struct slice word;

	if (text.size == 0)
		return false;
	while (list_next(&words, &word)) {
		const char first = slice_byte(word, 0);
		size_t known = 0;

		/* most words have a character that the text does not have */
		while (known < word.size &&
		       (set >> (slice_byte(word, known) & 31) & 1) != 0)
			known++;
		if (known < word.size)
			continue;
		for (size_t i = 0; i + word.size <= text.size; i++)
			if ((bytes[i] | 0x20) == (first | 0x20) &&
			    strncasecmp(bytes + i, word.data, word.size) == 0)
				return true;
	}
	return false;
}

/*
 * The functions below read the JSON-LD of a page: they select its main entity,
 * and read the fields of this entity.
 */

/*
 * Fields whose objects are never the main entity, because they are parts of it
 * or other things.
 */
static const char aside[] =
	"itemListElement|comment|review|reviews|isPartOf|hasPart|"
	"suggestedAnswer|acceptedAnswer|mentions|about|relatedLink|"
	"isRelatedTo|isSimilarTo|hasVariant|citation|breadcrumb|publisher|"
	"author|potentialAction|blogPost|itemReviewed|associatedMedia|video|"
	"item";

/*
 * The weight of an entity by its type. An entity of a higher weight is more
 * likely the subject of the page: an entity may be the page itself, a thing
 * with a name, or a work such as an article.
 */
enum weight { WEIGHT_NONE, WEIGHT_PAGE, WEIGHT_THING, WEIGHT_WORK };

/* The ends of the names of types, in the order of descending weight. */
static const struct {
	enum weight weight;
	const char *endings;
} weights[] = {
	{WEIGHT_WORK, "Article|Posting|BlogPost|Report|Recipe|HowTo|Question|"
		      "Review|Guide|Thesis"},
	{WEIGHT_THING, "Book|Movie|Event|Course|Product|ProductGroup|"
		       "VideoObject|SoftwareApplication|MobileApplication|"
		       "WebApplication|Dataset|CreativeWork"},
	{WEIGHT_PAGE, "Page"},
};

static enum weight weight_of_type(struct slice type)
{
	for (size_t i = 0; i < sizeof(weights) / sizeof(weights[0]); i++) {
		const char *endings = weights[i].endings;
		struct slice ending;

		while (list_next(&endings, &ending))
			if (type.size >= ending.size &&
			    memcmp((const char *)type.data + type.size -
					   ending.size,
				   ending.data, ending.size) == 0)
				return weights[i].weight;
	}
	return WEIGHT_NONE;
}

/*
 * Return the weight of an object by its types. A question is a work, but not if
 * it is an entry of a FAQPage.
 */
static enum weight json_ld_weight(const struct json_ld *ld, uint32_t object)
{
	const struct json_ld_field *type = json_ld_find(ld, object, "@type");
	const uint32_t parent = ld->objects[object].parent;
	enum weight best = WEIGHT_NONE;

	for (; type != NULL; type = json_ld_next(ld, type)) {
		enum weight weight = weight_of_type(type->text);

		best = weight > best ? weight : best;
	}
	if (best == WEIGHT_WORK && json_ld_is(ld, object, "Question") &&
	    parent != NO_OBJECT && json_ld_is(ld, parent, "FAQPage"))
		return WEIGHT_NONE;
	return best;
}

/*
 * Return for each object whether it, or an object around it, is the value of
 * one of the fields in `aside`: [object_count].
 */
static const bool *mark_aside(struct arena *arena, const struct json_ld *ld)
{
	bool *marks = ARENA_NEW(arena, bool, ld->object_count);

	for (uint32_t i = 0; i < ld->object_count; i++) {
		uint32_t parent = ld->objects[i].parent;

		marks[i] = list_has(aside, ld->objects[i].key) ||
			   (parent != NO_OBJECT && marks[parent]);
	}
	return marks;
}

/*
 * Return the main entity, which the page is about: of the objects that
 * mark_aside() does not mark, the first one with the highest weight; NO_OBJECT
 * if mark_aside() marks all.
 */
static uint32_t main_entity(struct metadata_candidates *findings,
			    const struct json_ld *ld)
{
	const bool *marks = mark_aside(findings->arena, ld);
	enum weight best = WEIGHT_NONE;
	uint32_t entity = NO_OBJECT;

	for (uint32_t i = 0; i < ld->object_count; i++) {
		enum weight weight =
			marks[i] ? WEIGHT_NONE : json_ld_weight(ld, i);

		if (weight > best) {
			best = weight;
			entity = i;
		}
	}
	return entity;
}

/*
 * Return true if the object has no name and so is only a reference by its @id.
 */
static bool is_reference(const struct json_ld *ld, uint32_t object)
{
	return json_ld_find(ld, object, "name") == NULL &&
	       json_ld_find(ld, object, "familyName") == NULL;
}

/*
 * If `object` is only a reference, return the object with the same @id that has
 * a name, or `object` if no object has it. Such searches read all objects, so
 * their number is limited (look_ups).
 */
static uint32_t json_ld_resolve(struct metadata_candidates *findings,
				const struct json_ld *ld, uint32_t object)
{
	struct slice id = json_ld_text(ld, object, "@id");

	if (id.size == 0 || !is_reference(ld, object) ||
	    findings->look_ups == MAX_FINDINGS)
		return object;
	findings->look_ups++;
	for (uint32_t i = 0; i < ld->object_count; i++)
		if (slice_equal(json_ld_text(ld, i, "@id"), id) &&
		    !is_reference(ld, i))
			return i;
	return object;
}

/*
 * Return the text of the field `name` of the object. If it has no name, but a
 * given and a family name, return these.
 */
static struct slice object_text(struct metadata_candidates *findings,
				const struct json_ld *ld, uint32_t object,
				const char *name)
{
	struct slice text = json_ld_text(ld, object, name);
	struct slice given;
	struct slice family;
	char *out;

	if (text.size > 0 || strcmp(name, "name") != 0)
		return text;
	given = json_ld_text(ld, object, "givenName");
	family = json_ld_text(ld, object, "familyName");
	if (given.size == 0 || family.size == 0)
		return given.size > 0 ? given : family;
	out = arena_alloc(findings->arena, given.size + family.size + 1, 1);
	memcpy(out, given.data, given.size);
	out[given.size] = ' ';
	memcpy(out + given.size + 1, family.data, family.size);
	return (struct slice){out, given.size + family.size + 1};
}

/*
 * Add the values of `field` as candidates for `subject`. The value of a text is
 * the text. The value of an object is its `url` if the subject is an address,
 * and otherwise its `name`.
 */
static void add_values(struct metadata_candidates *findings,
		       const struct json_ld *ld,
		       const struct json_ld_field *field, enum subject subject,
		       uint32_t rank)
{
	const char *name = subject_is_address(subject) ? "url" : "name";

	for (uint32_t i = 0; field != NULL && i < MAX_FINDINGS; i++) {
		struct slice text = field->text;

		if (field->kind == JSON_LD_WORD &&
		    subject != SUBJECT_PUBLISHED && subject != SUBJECT_MODIFIED)
			text.size = 0; /* the value is null or false */
		else if (field->kind == JSON_LD_OBJECT)
			text = object_text(
				findings, ld,
				json_ld_resolve(findings, ld, field->object),
				name);
		findings_add(findings, subject, text, "json-ld", rank);
		field = json_ld_next(ld, field);
	}
}

struct json_ld_rule {
	const char *key;
	enum subject subject;
	uint32_t rank;
};

static void json_ld_add_rules(struct metadata_candidates *findings,
			      const struct json_ld *ld, uint32_t object,
			      const struct json_ld_rule *rules)
{
	for (; rules->key != NULL; rules++)
		add_values(findings, ld, json_ld_find(ld, object, rules->key),
			   rules->subject, rules->rank);
}

/* Fields of the main entity. */
static const struct json_ld_rule work_rules[] = {
	{"headline", SUBJECT_TITLE, 10},
	{"name", SUBJECT_TITLE, 11},
	{"author", SUBJECT_AUTHOR, 10},
	{"creator", SUBJECT_AUTHOR, 12},
	{"datePublished", SUBJECT_PUBLISHED, 10},
	{"uploadDate", SUBJECT_PUBLISHED, 23}, /* maybe of a video in it */
	{"dateCreated", SUBJECT_PUBLISHED, 14},
	{"datePosted", SUBJECT_PUBLISHED, 14},
	{"dateModified", SUBJECT_MODIFIED, 10},
	{"description", SUBJECT_DESCRIPTION, 10},
	{"image", SUBJECT_IMAGE, 25},
	{"thumbnailUrl", SUBJECT_IMAGE, 27},
	{"keywords", SUBJECT_TAG, 20},
	{"inLanguage", SUBJECT_LANGUAGE, 25},
	{"publisher", SUBJECT_SITE_NAME, 22},
	{"articleSection", SUBJECT_CATEGORY, 14},
	{"license", SUBJECT_LICENCE, 14},
	{NULL, SUBJECT_COUNT, 0},
};

/* Fields of every entity that is the page itself. */
static const struct json_ld_rule page_rules[] = {
	{"name", SUBJECT_TITLE, 32},
	{"author", SUBJECT_AUTHOR, 16},
	{"datePublished", SUBJECT_PUBLISHED, 18},
	{"dateModified", SUBJECT_MODIFIED, 18},
	{"description", SUBJECT_DESCRIPTION, 24},
	{"inLanguage", SUBJECT_LANGUAGE, 26},
	{"primaryImageOfPage", SUBJECT_IMAGE, 28},
	{"license", SUBJECT_LICENCE, 16},
	{NULL, SUBJECT_COUNT, 0},
};

static const struct json_ld_rule site_rules[] = {
	{"name", SUBJECT_SITE_NAME, 20},
	{NULL, SUBJECT_COUNT, 0},
};

static void findings_json_ld(struct metadata_candidates *findings,
			     const struct json_ld *ld)
{
	uint32_t entity = main_entity(findings, ld);

	if (entity != NO_OBJECT) {
		findings_add(findings, SUBJECT_TYPE, json_ld_type(ld, entity),
			     "json-ld", 10);
		json_ld_add_rules(findings, ld, entity,
				  json_ld_weight(ld, entity) == WEIGHT_PAGE
					  ? page_rules
					  : work_rules);
	}
	for (uint32_t i = 0; i < ld->object_count; i++) {
		if (i == entity)
			continue;
		if (json_ld_is(ld, i, "WebPage"))
			json_ld_add_rules(findings, ld, i, page_rules);
		else if (json_ld_is(ld, i, "WebSite"))
			json_ld_add_rules(findings, ld, i, site_rules);
	}
}

/*
 * A kind of pages. A text that contains one of the parts ("a|b") shows that the
 * page is of this kind.
 */
struct page_type_rule {
	const char *kind;
	const char *parts;
};

/* Parts of the names of schema.org types; the first match counts. */
static const struct page_type_rule types[] = {
	{"forum", "DiscussionForumPosting|Question|QAPage"},
	{"documentation", "TechArticle|APIReference"},
	{"article", "Article|BlogPosting|Recipe|HowTo|Report"},
	{"product", "Product"},
	{"collection", "CollectionPage|ItemList|SearchResultsPage"},
	{"video", "VideoObject"},
	{"profile", "ProfilePage"},
	{NULL, NULL},
};

/* Parts of the content of meta[name=generator]. */
static const struct page_type_rule generators[] = {
	{"forum", "discourse|xenforo|phpbb|vbulletin|flarum|mybb|invision|"
		  "vanilla"},
	{"documentation", "docusaurus|mkdocs|sphinx|gitbook|javadoc|doxygen|"
			  "vuepress|vitepress|mdbook|starlight"},
	{NULL, NULL},
};

/*
 * Parts of URLs. A part with a dot is of the host, a part with slashes is of
 * the path.
 */
static const struct page_type_rule addresses[] = {
	{"documentation", "://docs.|://doc.|://developer.|/docs/|/doc/|"
			  "/documentation/|/reference/|/manual/"},
	{"forum", "://forum.|://forums.|://discuss.|://community.|/forum/|"
		  "/forums/|/threads/|/questions/|viewtopic|showthread|"
		  "/topic/|/comments/"},
	{"collection", "/collections/|/category/|/categories/|/tag/"},
	{"product", "/product/|/products/|/dp/"},
	{"service", "/services/|/service/|/solutions/"},
	{"article", "/blog/|/news/|/article/|/articles/"},
	{NULL, NULL},
};

static const struct page_type_rule graph_types[] = {
	{"product", "product"},
	{"profile", "profile"},
	{"video", "video"},
	{NULL, NULL},
};

/*
 * Return the kind of the first rule that has a part which occurs in `text`, or
 * NULL.
 */
static const char *find_page_type(struct slice text,
				  const struct page_type_rule *rules)
{
	while (rules->kind != NULL && !value_holds_any(text, rules->parts))
		rules++;
	return rules->kind;
}

static struct slice generator_of(const struct page *page)
{
	for (uint32_t i = 0; i < page->node_count; i++)
		if (page->nodes[i].tag == TAG_meta &&
		    value_is(page_attribute(page, i, "name"), "generator"))
			return page_attribute(page, i, "content");
	return (struct slice){NULL, 0};
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

/*
 * Return the kind of the page by the first of these that shows one: the
 * JSON-LD, the generator, the URL, and og:type. Content management systems
 * write og:type=article on any page, so it counts only if the page has a date.
 * Return no value if the kind is unknown.
 */
static struct metadatum kind_choose(const struct metadata_candidates *findings,
				    struct slice url, bool is_dated)
{
	const struct metadata_candidate *entity =
		json_ld_type_of(findings, "json-ld");
	const struct metadata_candidate *graph =
		json_ld_type_of(findings, "og");
	const char *source = "json-ld";
	const char *found = NULL;
	size_t slashes = 0;

	if (entity != NULL)
		found = find_page_type(entity->value, types);
	if (found == NULL) {
		source = "meta";
		found = find_page_type(generator_of(findings->page),
				       generators);
	}
	if (found == NULL) {
		source = "url";
		for (size_t i = 0; i + 1 < url.size; i++)
			slashes += slice_byte(url, i) == '/';
		/* the URL is a host without a path */
		found = url.size > 0 && slashes <= 2
				? "home"
				: find_page_type(url, addresses);
	}
	if (found == NULL && graph != NULL) {
		source = "og";
		found = find_page_type(graph->value, graph_types);
		if (found == NULL && is_dated &&
		    value_is(graph->value, "article"))
			found = "article";
	}
	return (struct metadatum){slice_of(found),
				  found == NULL ? NULL : source};
}

enum {
	MAX_READ = LIMIT(1 << 16, 512)
}; /* maximum bytes of text that are read to guess the script */

/*
 * Scripts that only one language uses. For Han, the number of kana decides
 * whether the language is Japanese or Chinese.
 */
static const struct {
	uint32_t first, last;
	const char *language;
} scripts[] = {
	{0x370, 0x3FF, "el"},   {0x530, 0x58F, "hy"},   {0x590, 0x5FF, "he"},
	{0xB80, 0xBFF, "ta"},   {0xC00, 0xC7F, "te"},   {0xE00, 0xE7F, "th"},
	{0xE80, 0xEFF, "lo"},   {0x1000, 0x109F, "my"}, {0x10A0, 0x10FF, "ka"},
	{0x1780, 0x17FF, "km"}, {0x3040, 0x30FF, "ja"}, {0x4E00, 0x9FFF, "zh"},
	{0xAC00, 0xD7AF, "ko"},
};

enum { SCRIPTS = sizeof(scripts) / sizeof(scripts[0]), KANA = 10, HAN = 11 };

/*
 * Return the language in whose script at least half of the letters are, or
 * NULL. A text is Japanese if there is more than one kana for ten Han
 * characters.
 */
static const char *guess_language(const struct page *page)
{
	uint32_t counts[SCRIPTS] = {0};
	const unsigned char *at = (const unsigned char *)page->text;
	size_t size = page->text_bytes < MAX_READ ? page->text_bytes : MAX_READ;
	const unsigned char *end = at + size;
	uint32_t letters = 0;
	size_t best = 0;

	while (at < end) {
		uint32_t code = utf8_next(&at, end);

		if (code < 'A' || (code < 0x80 && (code | 0x20) > 'z'))
			continue;
		letters++;
		for (size_t i = 0; i < SCRIPTS && code >= scripts[0].first; i++)
			if (code >= scripts[i].first && code <= scripts[i].last)
				counts[i]++;
	}
	if (counts[KANA] > counts[HAN] / 10) {
		counts[KANA] += counts[HAN];
		counts[HAN] = 0;
	}
	for (size_t i = 1; i < SCRIPTS; i++)
		if (counts[i] > counts[best])
			best = i;
	return counts[best] > 0 && 2 * counts[best] >= letters
		       ? scripts[best].language
		       : NULL;
}

/*
 * Return true if the text looks like a language tag: two or three letters,
 * which "-" or "_" and more may follow.
 */
static bool is_bcp47_tag(struct slice text)
{
	const char *bytes = text.data;
	size_t size = 0;

	while (size < text.size && is_letter(bytes[size]))
		size++;
	return (size == 2 || size == 3) && text.size <= 35 &&
	       (size == text.size || bytes[size] == '-' || bytes[size] == '_');
}

/* Return a language tag with "-" instead of "_": en-US for en_US. */
static struct slice tag_of(struct arena *arena, struct slice text)
{
	char *copy = arena_copy(arena, text.data, text.size);

	for (size_t i = 0; i < text.size; i++)
		if (copy[i] == '_')
			copy[i] = '-';
	return (struct slice){copy, text.size};
}

/*
 * Return the language that html[lang], meta and Open Graph, or JSON-LD states.
 * Without these, return the language of the script of most letters in the
 * page's text, if only one language uses this script. Linear.
 */
static struct metadatum
language_choose(const struct metadata_candidates *findings)
{
	const struct page *page = findings->page;
	const struct metadata_candidate *best =
		findings_best(findings, SUBJECT_LANGUAGE);
	const bool is_of_html = page->node_count > 0 &&
				(page_attribute(page, 0, "lang").size > 0 ||
				 page_attribute(page, 0, "xml:lang").size > 0);
	const char *script;

	if (is_bcp47_tag(page->language))
		return (struct metadatum){
			tag_of(findings->arena, page->language),
			is_of_html ? "html-lang" : "meta"};
	if (best != NULL && is_bcp47_tag(best->value))
		return (struct metadatum){tag_of(findings->arena, best->value),
					  best->source};
	script = guess_language(page);
	return (struct metadatum){slice_of(script),
				  script == NULL ? NULL : "text"};
}

/* Return the last label of the host of a URL, such as "uk". */
static struct slice country_of(struct slice url)
{
	struct slice host = host_of_address(url);
	const char *dot;

	while (host.size > 0 &&
	       (dot = memchr(host.data, '.', host.size)) != NULL)
		slice_advance(&host,
			      (size_t)(dot + 1 - (const char *)host.data));
	return host;
}

/*
 * Return the order of day and month in dates of `language`. The month is first
 * only in English, and there not in countries that are known to write the day
 * first, by the language or, if it names no country, by the URL.
 */
static enum date_order date_order_of(struct slice language, struct slice url)
{
	static const char day_first[] = "en-gb|en-au|en-nz|en-ie|en-in|en-za";
	static const char countries[] =
		"uk|au|nz|ie|in|za|sg|hk|my|ng|ke|pk|eu|de|fr|nl|it|es|pt|gr|"
		"pl|cz|se|no|dk|fi|be|ch|at|ru|ua|tr|il|ae|br|mx|ar";
	const struct slice two = {language.data,
				  language.size < 2 ? language.size : 2};

	if (list_has_in_any_case("zh|ja|ko|hu|lt", two))
		return YEAR_FIRST;
	if (list_has_in_any_case(day_first, language))
		return DAY_FIRST;
	if (language.size > 0 && !value_is(two, "en"))
		return DAY_FIRST;
	return language.size <= 2 &&
			       list_has_in_any_case(countries, country_of(url))
		       ? DAY_FIRST
		       : MONTH_FIRST;
}

/*
 * A field of meta that has a value for a subject. A lower rank is preferred,
 * among the fields of the same subject. Of several dates, the dates for news
 * services (article:, parsely, sailthru, citation) belong to the article. A
 * field that is only named "date" often has the date of the file.
 */
enum { CITATION_RANK = 22 }; /* of authors for libraries */

struct meta_rule {
	const char *name; /* value of meta[name], [property] or [itemprop] */
	size_t size;      /* size of the name */
	enum subject subject;
	uint32_t rank;
	const char *source;
};

#define NAME(name) name, sizeof(name) - 1

static const struct meta_rule metadata_meta_rules[] = {
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
	{NAME("citation_author"), SUBJECT_AUTHOR, CITATION_RANK, "meta"},
	{NAME("citation_authors"), SUBJECT_AUTHOR, CITATION_RANK, "meta"},
	{NAME("cxenseparse:author"), SUBJECT_AUTHOR, 29, "meta"},
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
	{NAME("prism.publicationdate"), SUBJECT_PUBLISHED, 28, "meta"},
	{NAME("ms.date"), SUBJECT_PUBLISHED, 40, "meta"},
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

/* Return true for names such as "w-published-date" and "article-publish-date".
 */
static bool is_publication_date(struct slice name)
{
	return name.size > 8 &&
	       strncasecmp((const char *)name.data + name.size - 4, "date",
			   4) == 0 &&
	       value_holds_any(name, "publish|publication");
}

static void add_named(struct metadata_candidates *findings, struct slice name,
		      struct slice content)
{
	for (size_t i = 0;
	     i < sizeof(metadata_meta_rules) / sizeof(metadata_meta_rules[0]);
	     i++) {
		const struct meta_rule *rule = &metadata_meta_rules[i];

		if (name.size != rule->size ||
		    strncasecmp(name.data, rule->name, name.size) != 0)
			continue;
		findings_add(findings, rule->subject, content, rule->source,
			     rule->rank);
		return;
	}
	if (is_publication_date(name))
		findings_add(findings, SUBJECT_PUBLISHED, content, "meta", 37);
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

/*
 * Add the author of twitter:data1 (or 2, ...) if the label of the same number,
 * in the meta element before it, is "Written by" in a known language.
 */
static void read_label(struct metadata_candidates *findings, uint32_t node,
		       struct slice *label)
{
	static const char names[] = "twitter:label|twitter:data";
	const struct page *page = findings->page;
	struct slice name = page_attribute(page, node, "name");
	struct slice content = page_attribute(page, node, "content");
	struct slice rest;

	if (name.size == 0)
		name = page_attribute(page, node, "property");
	if (!value_holds_any(name, names))
		return;
	if (value_holds_any(name, "twitter:label")) {
		*label = content;
		return;
	}
	rest = label->size > 0 ? byline_rest(*label) : (struct slice){NULL, 0};
	if (rest.data != NULL && rest.size == 0)
		findings_add(findings, SUBJECT_AUTHOR, content, "meta", 31);
	label->size = 0;
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

static void findings_meta(struct metadata_candidates *findings)
{
	const struct page *page = findings->page;
	struct slice label = {"", 0};

	for (uint32_t i = 0; i < page->node_count; i++) {
		if (page->nodes[i].tag == TAG_meta) {
			head_read_meta(findings, i);
			read_label(findings, i, &label);
		} else if (page->nodes[i].tag == TAG_link) {
			read_link(findings, i);
		}
	}
	findings_add(findings, SUBJECT_TITLE, page->title, "title", 35);
}

enum {
	MAX_TAG = 80,    /* maximum bytes of a tag */
	BODY_RANK = 35,  /* first rank of authors from the body */
	LAST_SOLID = 58, /* authors with a rank below this replace a weak author
			    of a better rank */
	NEAR_RANK = 48,  /* first rank of names that stand near the title */
	URL_RANK = 45,   /* rank of a date in the URL */
	LAST_NEAR = 56,  /* dates with a rank below this are near the title */
	LABEL_RANK = 53, /* first rank of dates whose label is a text */
	VISIBLE_RANK = 50, /* first rank of names and dates that are written for
			      readers */
};

static struct metadatum
best_metadatum(const struct metadata_candidates *findings, enum subject subject)
{
	const struct metadata_candidate *best =
		findings_best(findings, subject);

	return best == NULL ? (struct metadatum){{NULL, 0}, NULL}
			    : (struct metadatum){best->value, best->source};
}

/*
 * Return the candidate for the subject that follows `last` in the order of rank
 * and then of position in the page; the first one if `last` is NULL. Return
 * NULL if no candidate follows.
 */
static const struct metadata_candidate *
next_best(const struct metadata_candidates *findings, enum subject subject,
	  const struct metadata_candidate *last)
{
	const struct metadata_candidate *best = NULL;

	for (uint32_t i = 0; i < findings->counts[subject]; i++) {
		const struct metadata_candidate *one =
			&findings->items[subject][i];

		if (last != NULL && (one->rank < last->rank ||
				     (one->rank == last->rank && one <= last)))
			continue;
		if (best == NULL || one->rank < best->rank)
			best = one;
	}
	return best;
}

/* The names of authors from one source. */
struct author_names {
	struct slice items[MAX_AUTHORS];
	size_t count;
	const char *source;
};

static void add_names(struct author_names *names, struct slice text,
		      bool is_prose)
{
	struct slice found[MAX_AUTHORS];
	size_t count = byline_names(text, is_prose, found, MAX_AUTHORS);

	for (size_t i = 0; i < count && names->count < MAX_AUTHORS; i++) {
		size_t at = 0;

		while (at < names->count &&
		       !slice_equal(names->items[at], found[i]))
			at++;
		if (at == names->count)
			names->items[names->count++] = found[i];
	}
}

/*
 * Return the names in a field without tags. Libraries write the family name
 * first; other fields have several names with commas between them.
 */
static struct slice field_names(const struct metadata_candidates *findings,
				const struct metadata_candidate *candidate)
{
	struct slice text =
		byline_without_tags(findings->arena, candidate->value);

	return candidate->rank == CITATION_RANK ||
			       strcmp(candidate->source, "dublin-core") == 0
		       ? byline_family_last(findings->arena, text)
		       : text;
}

/*
 * Return true if an author with this rank is from an element that has only one
 * name, such as a link to the author.
 */
static bool is_name_alone(uint32_t rank)
{
	return rank <= 53 || (rank >= 58 && rank <= 60);
}

/*
 * Return the names of authors in `candidate`. A rank below BODY_RANK is for
 * fields (JSON-LD, meta), where each author may have a separate field; return
 * the names of all candidates of the same rank. In the body, other candidates
 * belong to comments and other articles, so return only the names in
 * `candidate`. If its rank is from VISIBLE_RANK on and the first name does not
 * look like a person's name, return no name, except for LOGIN_RANK and in a
 * forum, where any word may be a name.
 */
static struct author_names
candidate_names(const struct metadata_candidates *findings,
		const struct metadata_candidate *candidate, bool is_forum)
{
	struct author_names names = {.source = candidate->source};

	if (candidate->rank >= BODY_RANK) {
		add_names(&names,
			  is_name_alone(candidate->rank)
				  ? byline_given_first(findings->arena,
						       candidate->value)
				  : candidate->value,
			  true);
		if (candidate->rank >= VISIBLE_RANK &&
		    candidate->rank != LOGIN_RANK && !is_forum &&
		    names.count > 0 && !byline_is_person(names.items[0]))
			names.count = 0;
		return names;
	}
	for (uint32_t i = 0; i < findings->counts[SUBJECT_AUTHOR]; i++) {
		const struct metadata_candidate *one =
			&findings->items[SUBJECT_AUTHOR][i];

		if (one->rank == candidate->rank)
			add_names(&names, field_names(findings, one), false);
	}
	return names;
}

/* Remove the name of the site if other names exist: "Ann Smith, The Herald". */
static void author_names_drop_site(const struct metadata_candidates *findings,
				   const struct site_names *site,
				   struct author_names *names)
{
	size_t count = 0;

	for (size_t i = 0; i < names->count; i++) {
		struct slice name = name_fold(findings->arena, names->items[i]);

		if (!slice_equal(name, site->name) &&
		    !slice_equal(name, site->home))
			names->items[count++] = names->items[i];
	}
	if (count > 0)
		names->count = count;
}

/* Return true if one of two names contains the other, as "Dr Ann Ames". */
static bool is_same_name(struct slice a, struct slice b)
{
	return a.size > 0 && b.size > 0 &&
	       (memmem(a.data, a.size, b.data, b.size) != NULL ||
		memmem(b.data, b.size, a.data, a.size) != NULL);
}

/* Return the number of authors of `metadata` that `names` includes. */
static size_t count_shared(const struct metadata_candidates *findings,
			   const struct author_names *names,
			   const struct metadata *metadata)
{
	size_t shared = 0;

	for (size_t i = 0; i < metadata->author_count; i++) {
		const struct slice author =
			name_fold(findings->arena, metadata->authors[i].value);
		size_t at = 0;

		while (at < names->count &&
		       !is_same_name(author, name_fold(findings->arena,
						       names->items[at])))
			at++;
		shared += at < names->count;
	}
	return shared;
}

static void set_authors(struct metadata *metadata,
			const struct author_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		metadata->authors[i] =
			(struct metadatum){names->items[i], names->source};
	metadata->author_count = names->count;
}

/* Return true if each name looks like the full name of a person. */
static bool are_full(const struct author_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		if (!byline_is_full(names->items[i]))
			return false;
	return names->count > 0;
}

/*
 * Return true if the candidate has several names, and not a name and a place or
 * a newspaper, as "Ann Ames, New York".
 */
static bool is_list_of_names(const struct metadata_candidate *candidate)
{
	return (candidate->rank == TOP_RANK || candidate->rank == NAMES_RANK ||
		candidate->rank == LIST_RANK) &&
	       value_holds_any(candidate->value, ";| and | & ");
}

/*
 * Replace authors of fields by the names that readers see near the title, if
 * these are the same and more, because many systems write only the first
 * author. Replace them also by a byline below the title if readers see none of
 * them, because the field may have the account that published the page.
 */
static void prefer_visible(const struct metadata_candidates *findings,
			   const struct site_names *site,
			   struct metadata *metadata)
{
	struct author_names byline = {.count = 0};
	bool is_seen = false;

	for (uint32_t i = 0; i < findings->counts[SUBJECT_AUTHOR]; i++) {
		const struct metadata_candidate *one =
			&findings->items[SUBJECT_AUTHOR][i];
		struct author_names names;
		size_t shared;

		if (one->rank < BODY_RANK)
			continue;
		names = candidate_names(findings, one, false);
		author_names_drop_site(findings, site, &names);
		shared = count_shared(findings, &names, metadata);
		if (is_list_of_names(one) && shared == metadata->author_count &&
		    names.count > shared && are_full(&names)) {
			set_authors(metadata, &names);
			return;
		}
		is_seen = is_seen || shared > 0;
		if (one->rank == TOP_RANK && byline.count == 0 &&
		    are_full(&names))
			byline = names;
	}
	if (!is_seen && byline.count > 0)
		set_authors(metadata, &byline);
}

/*
 * Return true if the name is that of a firm or of the site, and not of a person
 * with a domain.
 */
static bool is_owner(const struct metadata_candidates *findings,
		     const struct site_names *site, struct slice name)
{
	return byline_is_firm(name) ||
	       (is_whole_site(findings->arena, site, name) &&
		(!byline_is_full(name) ||
		 slice_equal(name_fold(findings->arena, name), site->name)));
}

/*
 * Choose the names of the candidate with the best rank. Content management
 * systems often write a login ("ann.smith2") or the site as the author; if so,
 * prefer names of two words or more from other sources. In a forum, logins are
 * the authors' names. On a page about a thing, ignore names in the body,
 * because they belong to reviewers and customers.
 */
static void choose_authors(const struct metadata_candidates *findings,
			   const struct site_names *site,
			   struct metadata *metadata)
{
	const struct slice kind = metadata->page_type.value;
	const bool is_forum = value_is(kind, "forum");
	const bool is_thing =
		list_has_in_any_case("product|collection|service|home", kind);
	const uint32_t end = is_thing ? BODY_RANK : UINT32_MAX;
	const struct metadata_candidate *at = NULL;
	bool is_of_field = false;

	while ((at = next_best(findings, SUBJECT_AUTHOR, at)) != NULL &&
	       at->rank < end && at->rank < LIST_RANK) {
		struct author_names names =
			candidate_names(findings, at, is_forum);
		struct slice first;
		bool is_solid;

		if (is_forum && at->rank == NAMES_RANK)
			continue;
		author_names_drop_site(findings, site, &names);
		if (names.count == 0)
			continue;
		first = names.items[0];
		if (strcmp(at->source, "meta") == 0 && !is_forum &&
		    (is_thing ? is_whole_site(findings->arena, site, first)
			      : byline_is_firm(first)))
			continue;
		is_solid = byline_is_person(first) &&
			   (memchr(first.data, ' ', first.size) != NULL ||
			    (metadata->author_count == 0 &&
			     at->rank >= NEAR_RANK && at->rank < LAST_SOLID)) &&
			   !is_owner(findings, site, first);
		if (metadata->author_count == 0 ||
		    (is_solid && at->rank < LAST_SOLID)) {
			set_authors(metadata, &names);
			is_of_field = at->rank < BODY_RANK;
		}
		if (is_solid || is_forum)
			break;
	}
	if (is_of_field && !is_forum && !is_thing)
		prefer_visible(findings, site, metadata);
}

/*
 * Write the date of a candidate to `out`; return false if it has none. A text
 * for readers may have a date of the publication and one of the last update.
 */
static bool candidate_date(const struct metadata_candidate *candidate,
			   enum subject subject, enum date_order order,
			   char out[DATE_SIZE])
{
	const struct slice text = candidate->value;

	if (candidate->rank < URL_RANK)
		return date_read(text, order, out);
	if (candidate->rank < VISIBLE_RANK)
		return date_find(text, order, out);
	if (subject == SUBJECT_PUBLISHED)
		return date_find_labelled(text, order,
					  DATE_PLAIN | DATE_PUBLISHED, out);
	return date_find_labelled(text, order, DATE_UPDATED, out) ||
	       date_find_labelled(text, order, DATE_PLAIN, out);
}

static struct metadatum choose_date(const struct metadata_candidates *findings,
				    enum subject subject, enum date_order order)
{
	const struct metadata_candidate *at = NULL;
	char date[DATE_SIZE];

	while ((at = next_best(findings, subject, at)) != NULL)
		if (candidate_date(at, subject, order, date))
			return (struct metadatum){
				{arena_copy(findings->arena, date,
					    strlen(date)),
				 strlen(date)},
				at->source};
	return (struct metadatum){{NULL, 0}, NULL};
}

/* Return true if dates `a` and `b`, in ISO 8601, are of the same day. */
static bool is_same_day(const char *a, struct slice b)
{
	return b.size >= 10 && memcmp(a, b.data, 10) == 0;
}

/* Return true if date `a`, in ISO 8601, is of an earlier day than `b`. */
static bool is_earlier_day(const char *a, struct slice b)
{
	return b.size >= 10 && memcmp(a, b.data, 10) < 0;
}

/*
 * Choose the date of publication. Prefer the same moment in local time to UTC,
 * and the day that readers see near the title, unless it is that of the update,
 * to the day before or after it in UTC, because readers see the local day. Some
 * systems write the last update in both fields (`modified` is equal); if so,
 * prefer an earlier day that readers see near the title.
 */
static struct metadatum
choose_published(const struct metadata_candidates *findings,
		 enum date_order order, struct slice modified)
{
	struct metadatum chosen =
		choose_date(findings, SUBJECT_PUBLISHED, order);
	const bool is_of_update = slice_equal(chosen.value, modified);
	const bool is_utc =
		chosen.value.size > 0 &&
		slice_byte(chosen.value, chosen.value.size - 1) == 'Z';
	const struct metadata_candidate *at = NULL;
	char date[DATE_SIZE];

	while (chosen.value.size > 0 && (is_utc || is_of_update) &&
	       (at = next_best(findings, SUBJECT_PUBLISHED, at)) != NULL &&
	       at->rank < LAST_NEAR) {
		const bool is_visible = at->rank >= VISIBLE_RANK;
		struct slice text;

		if (!candidate_date(at, SUBJECT_PUBLISHED, order, date))
			continue;
		text = slice_of(date);
		if (is_visible && is_same_day(date, chosen.value))
			break; /* readers see this day, too */
		if (!is_same_day(date, chosen.value) &&
		    ((is_utc && date_is_same_moment(text, chosen.value)) ||
		     (is_utc && is_visible && !is_same_day(date, modified) &&
		      date_may_be_local(text, chosen.value)) ||
		     (is_of_update && is_visible &&
		      is_earlier_day(date, chosen.value))))
			return (struct metadatum){
				arena_slice(findings->arena, text), at->source};
	}
	return chosen;
}

/*
 * Return the date with the label of an update that readers see near the title,
 * if there is one of another day than `chosen` and not before `published`;
 * otherwise `chosen`. Systems write a new date into the field whenever somebody
 * stores the page.
 */
static struct metadatum
prefer_update(const struct metadata_candidates *findings, enum date_order order,
	      struct slice published, struct metadatum chosen)
{
	const struct metadata_candidate *at = NULL;
	char date[DATE_SIZE];

	while (chosen.value.size > 0 &&
	       (at = next_best(findings, SUBJECT_MODIFIED, at)) != NULL &&
	       at->rank <= LAST_NEAR) {
		if (at->rank < LABEL_RANK ||
		    !candidate_date(at, SUBJECT_MODIFIED, order, date))
			continue;
		if (!is_same_day(date, chosen.value) &&
		    !is_earlier_day(date, published))
			chosen = (struct metadatum){
				arena_slice(findings->arena, slice_of(date)),
				at->source};
		break;
	}
	return chosen;
}

/* Use dates of updates that are written for readers, too. */
static void read_updates(struct metadata_candidates *findings,
			 enum date_order order)
{
	char date[DATE_SIZE];

	for (uint32_t i = 0; i < findings->counts[SUBJECT_PUBLISHED]; i++) {
		const struct metadata_candidate *one =
			&findings->items[SUBJECT_PUBLISHED][i];

		if (one->rank >= VISIBLE_RANK &&
		    date_find_labelled(one->value, order, DATE_UPDATED, date))
			findings_add(findings, SUBJECT_MODIFIED, one->value,
				     one->source, one->rank + 1);
	}
}

/*
 * Add a date in the path of the URL, such as /2024/03/05/title, as a candidate.
 */
static void read_url_date(struct metadata_candidates *findings,
			  struct slice url)
{
	const char *bytes = url.data;
	const char *slash;

	if (url.size < 8)
		return;
	slash = memchr(bytes + 8, '/', url.size - 8);
	if (slash != NULL)
		findings_add(findings, SUBJECT_PUBLISHED,
			     (struct slice){slash,
					    (size_t)(bytes + url.size - slash)},
			     "url", URL_RANK);
}

/* Distinct tags or categories of the page: items [*count], at most MAX_TAGS. */
struct tag_list {
	struct metadatum *items;
	size_t *count;
	bool is_whole; /* a comma is part of a value, as in "Arts, Music", and
			  does not separate values */
};

/* Add `tag`, unless the list has an equal tag, in any case of letters. */
static void add_tag(const struct tag_list *tags, struct metadatum tag)
{
	for (size_t i = 0; i < *tags->count; i++) {
		struct slice other = tags->items[i].value;

		if (other.size == tag.value.size &&
		    strncasecmp(other.data, tag.value.data, other.size) == 0)
			return;
	}
	tags->items[(*tags->count)++] = tag;
}

/*
 * Add the tags in the value of a candidate. Commas separate them unless
 * `is_whole`.
 */
static void add_tags(const struct metadata_candidate *candidate,
		     const struct tag_list *tags)
{
	const char *at = candidate->value.data;
	const char *end = at + candidate->value.size;

	while (at < end && *tags->count < MAX_TAGS) {
		const char *comma =
			tags->is_whole ? NULL
				       : memchr(at, ',', (size_t)(end - at));
		const char *last = comma == NULL ? end : comma;
		struct slice tag;

		while (at < last && *at == ' ')
			at++;
		tag = (struct slice){at, (size_t)(last - at)};
		while (tag.size > 0 && at[tag.size - 1] == ' ')
			tag.size--;
		if (tag.size > 0 && tag.size <= MAX_TAG)
			add_tag(tags,
				(struct metadatum){tag, candidate->source});
		at = last + 1;
	}
}

/* Add the tags of all candidates from the source of the best candidate. */
static void choose_tags(const struct metadata_candidates *findings,
			enum subject subject, const struct tag_list *tags)
{
	const struct metadata_candidate *best =
		findings_best(findings, subject);

	for (uint32_t i = 0; i < findings->counts[subject]; i++)
		if (findings->items[subject][i].rank == best->rank)
			add_tags(&findings->items[subject][i], tags);
}

/*
 * Return the URL of a page that is inside the URL of an archive's copy of it,
 * as "https://web.archive.org/web/2024/https://example.org/"; other URLs
 * unchanged.
 */
static struct slice url_without_archive(struct slice url)
{
	static const char *const inner[] = {"/http://", "/https://"};
	const char *query =
		url.size == 0 ? NULL : memchr(url.data, '?', url.size);
	const struct slice path = {
		url.data, query == NULL
				  ? url.size
				  : (size_t)(query - (const char *)url.data)};

	for (size_t i = 0; i < sizeof(inner) / sizeof(inner[0]); i++) {
		const char *at = path.size == 0
					 ? NULL
					 : memmem(path.data, path.size,
						  inner[i], strlen(inner[i]));

		if (at == NULL)
			continue;
		slice_advance(&url, (size_t)(at + 1 - (const char *)url.data));
		break;
	}
	return url;
}

static struct metadata_candidates *findings_make(struct arena *arena,
						 const struct page *page)
{
	struct metadata_candidates *findings =
		ARENA_NEW(arena, struct metadata_candidates, 1);

	findings->arena = arena;
	findings->page = page;
	findings->title_begin = findings->title_end = NO_TEXT;
	return findings;
}

/* Collect the candidates from everything except the body. */
static struct metadata_candidates *
collect_head(struct arena *arena, const struct page *page, struct slice url)
{
	struct metadata_candidates *findings = findings_make(arena, page);
	const struct json_ld ld = json_ld_of_page(arena, page);

	findings_json_ld(findings, &ld);
	findings_meta(findings);
	findings_headings(findings);
	read_url_date(findings, url);
	return findings;
}

struct metadata metadata_read(struct arena *arena, const struct page *page,
			      struct slice address,
			      const struct page_titles *titles)
{
	const struct slice url = url_without_archive(address);
	struct metadata_candidates *findings = collect_head(arena, page, url);
	struct metadata metadata = {
		.site_name = best_metadatum(findings, SUBJECT_SITE_NAME),
		.description = best_metadatum(findings, SUBJECT_DESCRIPTION),
		.image = best_metadatum(findings, SUBJECT_IMAGE),
		.canonical = best_metadatum(findings, SUBJECT_CANONICAL),
		.language = language_choose(findings),
		.favicon = best_metadatum(findings, SUBJECT_FAVICON),
	};
	struct site_names site =
		site_names_of(arena, metadata.site_name.value, url);
	enum date_order order = date_order_of(metadata.language.value, url);

	site.home = name_fold(arena, home_link_of(page, url));
	site.titles = titles;
	metadata.title = title_choose(findings, &site);
	findings_body(findings);
	findings_near(findings);
	read_updates(findings, order);
	metadata.modified = choose_date(findings, SUBJECT_MODIFIED, order);
	metadata.published =
		choose_published(findings, order, metadata.modified.value);
	metadata.modified = prefer_update(
		findings, order, metadata.published.value, metadata.modified);
	metadata.page_type =
		kind_choose(findings, url, metadata.published.source != NULL);
	metadata.licence = best_metadatum(findings, SUBJECT_LICENCE);
	choose_authors(findings, &site, &metadata);
	choose_tags(
		findings, SUBJECT_TAG,
		&(struct tag_list){metadata.tags, &metadata.tag_count, false});
	choose_tags(findings, SUBJECT_CATEGORY,
		    &(struct tag_list){metadata.categories,
				       &metadata.category_count, true});
	return metadata;
}

struct metadatum metadata_read_title(struct arena *arena,
				     const struct page *page,
				     struct slice address)
{
	const struct slice url = url_without_archive(address);
	struct metadata_candidates *findings = findings_make(arena, page);
	struct site_names site;
	struct metadatum title;

	findings->is_title_only = true;
	findings_meta(findings);
	findings_headings(findings);
	site = site_names_of(
		arena, best_metadatum(findings, SUBJECT_SITE_NAME).value, url);
	title = title_choose(findings, &site);
	if (title.source != NULL &&
	    slice_equal(slice_of(title.source), slice_of("h1")))
		return title;
	findings = collect_head(arena, page, url);
	findings->is_title_only = true;
	site = site_names_of(
		arena, best_metadatum(findings, SUBJECT_SITE_NAME).value, url);
	return title_choose(findings, &site);
}
