/*
 * Reads the body of a page: microdata, time elements, and class names. Text
 * without machine-readable marks counts only near the title: farther away it
 * mostly belongs to links to other pages or to readers' comments
 * (tests/eval/RESULTS.md, "What parameters were chosen by").
 */
#include "base/limit.h"
#include "extract/metadata/metadata_findings.h"
#include "extract/metadata/metadata_label.h"
#include "page/tag.h"

enum {
	TEXTS_BEFORE = 10, /* texts before the title that are near it */
	TEXTS_BEHIND = 9,
	MAX_NAMED = 64, /* maximum number of nodes read inside an author */
	MAX_TEXTS =
		LIMIT(512, 32), /* maximum number of texts read on one page */
	NEVER = 0,              /* a rank: not used if far from the title */
};

/* Attributes that may mark metadata; missing ones are empty. */
struct clues {
	struct slice itemprop;
	struct slice rel;
	struct slice class_names;
	struct slice datetime;
	struct slice content;
};

static bool is_class_name(struct slice name, const char *word, size_t size)
{
	return name.size == size && memcmp(name.data, word, size) == 0;
}

static struct clues clues_of(const struct page *page, const struct node *node)
{
	const struct attribute *attributes =
		&page->attributes[node->first_attribute];
	struct clues clues = {0};

	for (uint32_t i = 0; i < node->attribute_count; i++) {
		struct slice name = attributes[i].name;
		struct slice value = attributes[i].value;

		if (is_class_name(name, "class", 5))
			clues.class_names = value;
		else if (is_class_name(name, "itemprop", 8))
			clues.itemprop = value;
		else if (is_class_name(name, "rel", 3))
			clues.rel = value;
		else if (is_class_name(name, "datetime", 8))
			clues.datetime = value;
		else if (is_class_name(name, "content", 7))
			clues.content = value;
	}
	return clues;
}

/*
 * Return true if the node begins within TEXTS_BEFORE or TEXTS_AFTER texts of
 * the title.
 */
static bool is_near_title(const struct metadata_candidates *findings,
			  uint32_t index)
{
	uint32_t text = findings->page->nodes[index].first_text;
	uint32_t title = findings->title_end;

	return title != NO_TEXT && text + TEXTS_BEFORE >= title &&
	       text <= title + TEXTS_BEHIND;
}

/* Ranks by the node's position: near the title, or far from it. */
struct ranks {
	uint32_t near;
	uint32_t far;
};

/* Return the value of the node: its content, its time, or its text. */
static struct slice node_value(struct metadata_candidates *findings,
			       uint32_t index)
{
	struct clues clues =
		clues_of(findings->page, &findings->page->nodes[index]);

	if (clues.content.size > 0)
		return clues.content;
	if (clues.datetime.size > 0)
		return clues.datetime;
	if (findings->texts_read == MAX_TEXTS)
		return (struct slice){"", 0};
	findings->texts_read++;
	return label_of(findings->arena, findings->page, index);
}

static void body_add(struct metadata_candidates *findings, enum subject subject,
		     uint32_t index, const char *source, struct ranks ranks)
{
	uint32_t rank = is_near_title(findings, index) ? ranks.near : ranks.far;

	if (rank != NEVER)
		findings_add(findings, subject, node_value(findings, index),
			     source, rank);
}

/* Return the itemprop=name inside the node; without one, the node. */
static uint32_t named_inside(const struct page *page, uint32_t index)
{
	uint32_t end = page->nodes[index].end;

	if (end - index > MAX_NAMED)
		end = index + MAX_NAMED;
	for (uint32_t i = index + 1; i < end; i++)
		if (value_is(page_attribute(page, i, "itemprop"), "name"))
			return i;
	return index;
}

static void read_itemprop(struct metadata_candidates *findings, uint32_t index,
			  struct slice name)
{
	if (value_is(name, "author") || value_is(name, "creator"))
		body_add(findings, SUBJECT_AUTHOR,
			 named_inside(findings->page, index), "microdata",
			 (struct ranks){36, 64});
	else if (value_holds(name, "datePublished"))
		body_add(findings, SUBJECT_PUBLISHED, index, "microdata",
			 (struct ranks){40, 56});
	else if (value_is(name, "dateCreated"))
		body_add(findings, SUBJECT_PUBLISHED, index, "microdata",
			 (struct ranks){42, 57});
	else if (value_is(name, "dateModified"))
		body_add(findings, SUBJECT_MODIFIED, index, "microdata",
			 (struct ranks){40, 56});
	else if (value_is(name, "headline"))
		body_add(findings, SUBJECT_TITLE, index, "microdata",
			 (struct ranks){25, 26});
}

/* Kinds of metadata that class names may mark. */
enum {
	CLASS_AUTHOR = 1,
	CLASS_NAME = 2,
	CLASS_BYLINE = 4,
	CLASS_USERNAME = 8,
	CLASS_UPDATE = 16,
	CLASS_DATE = 32,
};

static const struct {
	const char *word;
	unsigned flag;
} class_words[] = {
	{"author", CLASS_AUTHOR},  {"name", CLASS_NAME},
	{"byline", CLASS_BYLINE},  {"username", CLASS_USERNAME},
	{"updated", CLASS_UPDATE}, {"modified", CLASS_UPDATE},
	{"date", CLASS_DATE},      {"publish", CLASS_DATE},
	{"posted", CLASS_DATE},
};

static unsigned flags_of_class(struct slice names)
{
	unsigned flags = 0;

	for (size_t i = 0; i < sizeof(class_words) / sizeof(class_words[0]);
	     i++)
		if (value_holds(names, class_words[i].word))
			flags |= class_words[i].flag;
	return flags;
}

/*
 * Return true if class names may contain "author" or "username", the only names
 * used far from the title, where most nodes are. Fast: does not read each byte.
 */
static bool may_name_author(struct slice names)
{
	const char *at = names.data;
	const char *end = at + names.size;

	while (at < end && (at = memchr(at, 'u', (size_t)(end - at))) != NULL) {
		if (end - at >= 5 && (memcmp(at, "uthor", 5) == 0 ||
				      memcmp(at, "usern", 5) == 0))
			return true;
		at++;
	}
	return names.size > 0 && *(const char *)names.data == 'U';
}

static void read_author_class(struct metadata_candidates *findings,
			      uint32_t index, unsigned flags)
{
	if ((flags & CLASS_AUTHOR) != 0 && (flags & CLASS_NAME) != 0)
		body_add(findings, SUBJECT_AUTHOR, index, "byline",
			 (struct ranks){50, 60});
	else if ((flags & (CLASS_AUTHOR | CLASS_BYLINE)) != 0)
		body_add(findings, SUBJECT_AUTHOR, index, "byline",
			 (struct ranks){54, NEVER});
	else if ((flags & CLASS_USERNAME) != 0)
		body_add(findings, SUBJECT_AUTHOR, index, "byline",
			 (struct ranks){35, 62});
}

static void read_class(struct metadata_candidates *findings, uint32_t index,
		       struct slice names)
{
	const struct ranks ranks = {52, NEVER};
	unsigned flags;

	if (!is_near_title(findings, index) && !may_name_author(names))
		return;
	flags = flags_of_class(names);
	read_author_class(findings, index, flags);
	if ((flags & CLASS_UPDATE) != 0)
		body_add(findings, SUBJECT_MODIFIED, index, "byline", ranks);
	else if ((flags & CLASS_DATE) != 0)
		body_add(findings, SUBJECT_PUBLISHED, index, "byline", ranks);
}

static void body_read_time(struct metadata_candidates *findings, uint32_t index,
			   struct slice class_names)
{
	bool is_update = (flags_of_class(class_names) & CLASS_UPDATE) != 0;

	body_add(findings, is_update ? SUBJECT_MODIFIED : SUBJECT_PUBLISHED,
		 index, "time", (struct ranks){50, NEVER});
}

static void body_read_node(struct metadata_candidates *findings, uint32_t index)
{
	const struct page *page = findings->page;
	struct clues clues = clues_of(page, &page->nodes[index]);

	if (clues.itemprop.size > 0)
		read_itemprop(findings, index, clues.itemprop);
	if (value_is(clues.rel, "author"))
		body_add(findings, SUBJECT_AUTHOR, index, "link",
			 (struct ranks){48, 58});
	if (page->nodes[index].tag == TAG_time)
		body_read_time(findings, index, clues.class_names);
	else if (clues.class_names.size > 0)
		read_class(findings, index, clues.class_names);
}

void findings_headings(struct metadata_candidates *findings)
{
	const struct page *page = findings->page;

	for (uint32_t i = 0; i < page->node_count; i++) {
		uint32_t count = findings->counts[SUBJECT_TITLE];

		if (count == MAX_FINDINGS)
			return;
		if (page->nodes[i].tag != TAG_h1 ||
		    (page->nodes[i].flags &
		     (TEXT_IS_HIDDEN | TEXT_IS_TEMPLATE)) != 0)
			continue;
		findings_add(findings, SUBJECT_TITLE,
			     heading_of(findings->arena, page, i), "h1", 15);
		if (findings->counts[SUBJECT_TITLE] > count)
			findings->items[SUBJECT_TITLE][count].node = i;
	}
}

/* Return true if the URL is an author's page: /author/ann-smith. */
static bool is_of_author(struct slice href)
{
	static const char *const parts[] = {"/author/", "/authors/",
					    "/contributor/", "/contributors/"};
	const char *at = href.data;
	const char *end = at + href.size;

	while (at < end && (at = memchr(at, '/', (size_t)(end - at))) != NULL) {
		for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
			size_t size = strlen(parts[i]);

			if ((size_t)(end - at) >= size &&
			    memcmp(at, parts[i], size) == 0)
				return true;
		}
		at++;
	}
	return false;
}

/*
 * Read the rel attribute of a link. WordPress and similar systems mark links to
 * categories as rel="category tag"; links far from the title belong to other
 * posts.
 */
static void read_rel(struct metadata_candidates *findings,
		     const struct link *link)
{
	struct slice rel = page_attribute(findings->page, link->node, "rel");

	if (rel.size == 0)
		return;
	if (value_has_word(rel, "license"))
		findings_add(findings, SUBJECT_LICENCE, link->href, "link", 12);
	if (value_has_word(rel, "category"))
		findings_add(findings, SUBJECT_CATEGORY, link->anchor, "link",
			     is_near_title(findings, link->node) ? 20 : 40);
}

static void body_read_links(struct metadata_candidates *findings)
{
	const struct page *page = findings->page;

	for (uint32_t i = 0; i < page->link_count; i++) {
		const struct link *link = &page->links[i];

		read_rel(findings, link);
		if (is_of_author(link->href))
			findings_add(
				findings, SUBJECT_AUTHOR, link->anchor, "link",
				is_near_title(findings, link->node) ? 49 : 59);
	}
}

void findings_body(struct metadata_candidates *findings)
{
	const struct page *page = findings->page;

	for (uint32_t i = 0; i < page->node_count; i++)
		if (page->nodes[i].attribute_count > 0 &&
		    page->nodes[i].tag != TAG_meta &&
		    page->nodes[i].tag != TAG_link)
			body_read_node(findings, i);
	body_read_links(findings);
}
