#include "extract/metadata/metadata.h"

#include "base/arena.h"
#include "base/limit.h"
#include "base/utf8.h"
#include "extract/metadata/metadata_author.h"
#include "extract/text/word.h"
#include "page/tag.h"

/*
 * The functions below read microdata, time elements and class names in the body
 * of a page. Text without machine-readable marks counts only near the title,
 * because farther away it mostly belongs to links to other pages or to readers'
 * comments (tests/eval/RESULTS.md, "What parameters were chosen by").
 */

enum {
	TEXTS_BEFORE = 10, /* this many texts before the title are near it */
	TEXTS_BEHIND = 9,
	MAX_NAMED = 64, /* maximum number of nodes that are read inside an
			   author's element */
	MAX_TEXTS = LIMIT(
		512, 32), /* maximum number of texts that are read on a page */
	MAX_ABOVE = 8,    /* nodes above a date among which its link is */
	MAX_CLASS = 256,  /* maximum bytes of class names that are read */
	MAX_LABEL_TEXT = 40, /* maximum bytes of a text that is the label of the
				date after it */
	NEVER = 0, /* a rank: the value is not used far from the title */
};

/*
 * The attributes of a node that may mark metadata; a missing attribute is
 * empty.
 */
struct clues {
	struct slice itemprop;
	struct slice rel;
	struct slice class_names;
	struct slice datetime;
	struct slice content;
	struct slice id;
	bool has_pubdate;
	struct slice data_author;
};

/*
 * Return true if the attribute is datetime, or title in microformats, as in
 * <abbr class=published title=2024-03-05>.
 */
static bool is_datetime(uint16_t tag, struct slice name, struct slice value)
{
	return slice_equal(name, slice_of("datetime")) ||
	       (tag == TAG_abbr && slice_equal(name, slice_of("title")) &&
		value.size > 4 && is_digit(slice_byte(value, 0)));
}

static struct clues clues_of(const struct page *page, const struct node *node)
{
	const struct attribute *attributes =
		&page->attributes[node->first_attribute];
	struct clues clues = {0};

	for (uint32_t i = 0; i < node->attribute_count; i++) {
		struct slice name = attributes[i].name;
		struct slice value = attributes[i].value;

		if (is_datetime(node->tag, name, value))
			clues.datetime = value;
		else if (slice_equal(name, slice_of("class")))
			clues.class_names = value;
		else if (slice_equal(name, slice_of("itemprop")))
			clues.itemprop = value;
		else if (slice_equal(name, slice_of("rel")))
			clues.rel = value;
		else if (slice_equal(name, slice_of("data-author")))
			clues.data_author = value;
		else if (slice_equal(name, slice_of("content")))
			clues.content = value;
		else if (slice_equal(name, slice_of("id")))
			clues.id = value;
		else if (slice_equal(name, slice_of("pubdate")))
			clues.has_pubdate = true;
	}
	return clues;
}

/*
 * Return true if node `index` begins near the title: at most TEXTS_BEFORE texts
 * before it or TEXTS_BEHIND texts after it.
 */
static bool is_near_title(const struct metadata_candidates *findings,
			  uint32_t index)
{
	uint32_t text = findings->page->nodes[index].first_text;
	uint32_t title = findings->title_end;

	return title != NO_TEXT && text + TEXTS_BEFORE >= title &&
	       text <= title + TEXTS_BEHIND;
}

/* The marks of nodes by is_of_others(). */
enum { MARK_UNKNOWN, MARK_ARTICLE, MARK_OTHERS };

/* Return true if all texts of the title are in the node. */
static bool holds_title(const struct metadata_candidates *findings,
			const struct node *node)
{
	return findings->title_end != NO_TEXT &&
	       node->first_text <= findings->title_begin &&
	       node->end_text >= findings->title_end;
}

/* Return true if the marks of node `index` say that it is about others. */
static bool is_named_of_others(const struct page *page, uint32_t index)
{
	static const char parts[] =
		"comment|testimonial|related|recommend|suggest|reviews|"
		"customer-review|user-review|team-member|staff-member|"
		"staff-list|staff-box|our-team|read-next|more-from|"
		"recent-post|recentpost|latest-post|popular-post|most-read|"
		"trending|teaser|navigation|navbar|main-menu|topmenu|"
		"breaking-news|most-popular|headlines";
	static const char *const names[] = {"class", "id"};
	const uint16_t tag = page->nodes[index].tag;

	if (tag == TAG_html || tag == TAG_body || tag == TAG_main)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct slice value = page_attribute(page, index, names[i]);

		if (value.size > MAX_CLASS)
			value.size = MAX_CLASS;
		if (value_holds_any(value, parts))
			return true;
	}
	return list_has_in_any_case("review|reviews|comment",
				    page_attribute(page, index, "itemprop"));
}

bool is_of_others(struct metadata_candidates *findings, uint32_t index)
{
	const struct page *page = findings->page;
	const uint32_t first = index;
	uint8_t mark = MARK_ARTICLE;

	if (findings->of_others == NULL)
		findings->of_others =
			ARENA_NEW(findings->arena, uint8_t, page->node_count);
	for (; index != NO_NODE; index = page->nodes[index].parent) {
		const struct node *node = &page->nodes[index];

		mark = findings->of_others[index];
		if (mark != MARK_UNKNOWN)
			break;
		mark = MARK_ARTICLE;
		if (holds_title(findings, node))
			break;
		if (node->tag == TAG_nav || (node->attribute_count > 0 &&
					     is_named_of_others(page, index))) {
			mark = MARK_OTHERS;
			break;
		}
	}
	if (index != NO_NODE)
		findings->of_others[index] = mark;
	for (uint32_t i = first; i != index; i = page->nodes[i].parent)
		findings->of_others[i] = mark;
	return mark == MARK_OTHERS;
}

/*
 * Return the value of node `index`: its attribute content, its attribute
 * datetime, or its text.
 */
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

enum date_label label_before(const struct metadata_candidates *findings,
			     uint32_t text)
{
	struct slice before;

	if (text == 0 || text > findings->page->text_count)
		return DATE_PLAIN;
	if (text > findings->title_begin && text <= findings->title_end &&
	    findings->title_end != NO_TEXT)
		return DATE_PLAIN; /* "An update of hats" is the title */
	before = page_text(findings->page, text - 1);
	return before.size > MAX_LABEL_TEXT ? DATE_PLAIN
					    : date_label_at_end(before);
}

/* The rank of a value if it is near the title, and its rank elsewhere. */
struct body_ranks {
	uint32_t near;
	uint32_t far;
};

/*
 * Add the value of node `index` as a candidate, with the rank that its position
 * has.
 */
static void body_add(struct metadata_candidates *findings, enum subject subject,
		     uint32_t index, const char *source,
		     struct body_ranks ranks)
{
	uint32_t rank = is_near_title(findings, index) ? ranks.near : ranks.far;

	if (rank != NEVER && findings->counts[subject] < MAX_FINDINGS &&
	    !is_of_others(findings, index))
		findings_add(findings, subject, node_value(findings, index),
			     source, rank);
}

/*
 * Return the node with itemprop=name inside node `index`, or `index` if no such
 * node exists.
 */
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
	static const struct {
		const char *name;
		enum subject subject;
		uint32_t near, far;
	} rows[] = {
		{"dateCreated", SUBJECT_PUBLISHED, 42, 57},
		{"dateModified", SUBJECT_MODIFIED, 40, 56},
		{"headline", SUBJECT_TITLE, 25, 26},
	};

	if (list_has_in_any_case("author|creator", name))
		body_add(findings, SUBJECT_AUTHOR,
			 named_inside(findings->page, index), "microdata",
			 (struct body_ranks){36, 64});
	else if (value_holds_any(name, "datePublished"))
		body_add(findings, SUBJECT_PUBLISHED, index, "microdata",
			 (struct body_ranks){40, 56});
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (value_is(name, rows[i].name))
			body_add(
				findings, rows[i].subject, index, "microdata",
				(struct body_ranks){rows[i].near, rows[i].far});
}

/* The kinds of metadata that class names may mark, one bit each. */
enum {
	CLASS_AUTHOR = 1,
	CLASS_NAME = 2,
	CLASS_BYLINE = 4,
	CLASS_USERNAME = 8,
	CLASS_UPDATE = 16,
	CLASS_DATE = 32,
};

static const char *const class_words[] = {
	"author",           "name",
	"byline",           "username|user-name|user_name",
	"updated|modified", "date|publish|posted",
};

/* Class names of texts about an author, without the name. */
static const char about_author[] =
	"author-desc|author__desc|author-bio|author__bio|author-title|"
	"author__title|author-role|author__role|author-job|author-position";

static unsigned flags_of_class(struct slice names)
{
	unsigned flags = 0;

	if (!value_holds_any(names, "author|name|byline|modified|date|publish|"
				    "posted"))
		return 0; /* most class names have none of the words */
	for (size_t i = 0; i < sizeof(class_words) / sizeof(class_words[0]);
	     i++)
		if (value_holds_any(names, class_words[i]))
			flags |= 1U << i;
	if ((flags & CLASS_AUTHOR) != 0 && value_holds_any(names, about_author))
		flags &= ~(unsigned)(CLASS_AUTHOR | CLASS_BYLINE);
	/* WordPress writes "published updated" on a date that is both */
	if ((flags & CLASS_UPDATE) != 0 && value_holds_any(names, "publish"))
		flags &= ~(unsigned)CLASS_UPDATE;
	return flags;
}

/*
 * Return true if `names` may contain "author" or "username". Far from the
 * title, where most nodes are, no other class names count. memchr() makes this
 * fast.
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

/*
 * Return the label of the date in node `index`: the label at the end of the
 * text before the node or, if the value of the node is an attribute, the label
 * in its text.
 */
static enum date_label label_of_node(struct metadata_candidates *findings,
				     uint32_t index)
{
	const struct page *page = findings->page;
	const struct node *node = &page->nodes[index];
	enum date_label label = DATE_PLAIN;

	if (node->first_text < node->end_text &&
	    page_attribute(page, index, "datetime").size > 0)
		label = date_label_at_end(utf8_truncate(
			page_text(page, node->first_text), MAX_LABEL_TEXT));
	return label != DATE_PLAIN ? label
				   : label_before(findings, node->first_text);
}

bool is_in_link_of_others(const struct metadata_candidates *findings,
			  uint32_t index)
{
	const struct page *page = findings->page;
	const struct node *link = NULL;

	for (uint32_t i = 0; i < MAX_ABOVE && index != NO_NODE; i++) {
		link = &page->nodes[index];
		if (link->tag == TAG_a)
			break;
		index = link->parent;
	}
	if (link == NULL || link->tag != TAG_a || holds_title(findings, link))
		return false;
	for (uint32_t i = 0; i < MAX_ABOVE; i++)
		if (link->first_text + i < link->end_text &&
		    page->texts[link->first_text + i].length > MAX_LABEL_TEXT)
			return true;
	return false;
}

/*
 * Add the date of a node as a candidate for the subject that its label tells;
 * for `subject` if it has no label.
 */
static void body_add_date(struct metadata_candidates *findings,
			  enum subject subject, uint32_t index,
			  const char *source, uint32_t rank)
{
	enum date_label label;

	if (!is_near_title(findings, index) ||
	    is_in_link_of_others(findings, index))
		return;
	label = label_of_node(findings, index);
	if (label == DATE_OTHER)
		return;
	if (label == DATE_UPDATED)
		subject = SUBJECT_MODIFIED;
	else if (label == DATE_PUBLISHED)
		subject = SUBJECT_PUBLISHED;
	body_add(findings, subject, index, source,
		 (struct body_ranks){rank, NEVER});
}

static void read_class(struct metadata_candidates *findings, uint32_t index,
		       struct slice names)
{
	unsigned flags;

	if (!is_near_title(findings, index) && !may_name_author(names))
		return;
	flags = flags_of_class(names);
	if ((flags & CLASS_AUTHOR) != 0 && (value_has_word(names, "p-author") ||
					    value_has_word(names, "u-author")))
		body_add(findings, SUBJECT_AUTHOR, index, "microdata",
			 (struct body_ranks){36, NEVER});
	if ((flags & CLASS_AUTHOR) != 0 && (flags & CLASS_NAME) != 0)
		body_add(findings, SUBJECT_AUTHOR, index, "byline",
			 (struct body_ranks){50, 60});
	else if ((flags & (CLASS_AUTHOR | CLASS_BYLINE)) != 0)
		body_add(findings, SUBJECT_AUTHOR, index, "byline",
			 (struct body_ranks){
				 (flags & CLASS_AUTHOR) != 0 ? 53 : 54, NEVER});
	else if ((flags & CLASS_USERNAME) != 0)
		body_add(findings, SUBJECT_AUTHOR, index, "byline",
			 (struct body_ranks){35, 62});
	if ((flags & CLASS_UPDATE) != 0)
		body_add_date(findings, SUBJECT_MODIFIED, index, "byline", 52);
	else if ((flags & CLASS_DATE) != 0)
		body_add_date(findings, SUBJECT_PUBLISHED, index, "byline", 52);
}

/*
 * Add the date of a node near the title if its id, and not its class names,
 * says that it has one.
 */
static void read_id(struct metadata_candidates *findings, uint32_t index,
		    struct clues clues)
{
	const unsigned marks = CLASS_UPDATE | CLASS_DATE;
	const unsigned flags = flags_of_class(clues.id);

	if ((flags & marks) != 0 &&
	    (flags_of_class(clues.class_names) & marks) == 0)
		body_add_date(findings,
			      (flags & CLASS_UPDATE) != 0 ? SUBJECT_MODIFIED
							  : SUBJECT_PUBLISHED,
			      index, "byline", 52);
}

static void body_read_node(struct metadata_candidates *findings, uint32_t index)
{
	const struct page *page = findings->page;
	struct clues clues = clues_of(page, &page->nodes[index]);

	if (clues.itemprop.size > 0)
		read_itemprop(findings, index, clues.itemprop);
	if (clues.data_author.size > 0 && is_near_title(findings, index) &&
	    !is_of_others(findings, index))
		findings_add(findings, SUBJECT_AUTHOR, clues.data_author,
			     "byline", 37);
	if (value_is(clues.rel, "author"))
		body_add(findings, SUBJECT_AUTHOR, index, "link",
			 (struct body_ranks){48, 58});
	if (page->nodes[index].tag == TAG_time)
		body_add_date(
			findings,
			(flags_of_class(clues.class_names) & CLASS_UPDATE) != 0
				? SUBJECT_MODIFIED
				: SUBJECT_PUBLISHED,
			index, "time", 50);
	else if (clues.class_names.size > 0)
		read_class(findings, index, clues.class_names);
	if (clues.has_pubdate)
		body_add(findings, SUBJECT_PUBLISHED, index, "time",
			 (struct body_ranks){NEVER, 56});
	else if (clues.id.size > 0 && is_near_title(findings, index))
		read_id(findings, index, clues);
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

/*
 * Return true if the URL looks like an author's page, such as
 * /author/ann-smith.
 */
static bool is_of_author(struct slice href)
{
	const char *at = href.data;
	const char *end = at + href.size;

	while (at < end && (at = memchr(at, '/', (size_t)(end - at))) != NULL) {
		const char *parts =
			"/author/|/authors/|/contributor/|/contributors/";
		struct slice part;

		while (end - at > 1 && (at[1] == 'a' || at[1] == 'c') &&
		       list_next(&parts, &part))
			if ((size_t)(end - at) >= part.size &&
			    memcmp(at, part.data, part.size) == 0)
				return true;
		at++;
	}
	return false;
}

/*
 * Add candidates by the rel attribute of a link. WordPress and similar systems
 * mark links to categories with rel="category tag". Such links far from the
 * title get a worse rank, because they often belong to other posts.
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
		if (is_of_author(link->href) &&
		    !is_of_others(findings, link->node))
			findings_add(
				findings, SUBJECT_AUTHOR,
				label_of(findings->arena, page, link->node),
				"link",
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

/*
 * The words that begin a byline, in many languages. An opening must be before a
 * shorter opening that is its prefix.
 */
static const char openings[] =
	"this post was written by|this article was written by|this story was "
	"written by|words and photos by|interview "
	"by|author(s)|contributors:|article "
	"written by|contributed by|"
	"published by|presented by|created by|"
	"article by|written by|posted by|started by|asked by|author:|"
	"authors:|authored by|author|authors|words by|story by|text by|"
	"submitted by|blog by|by:|by|écrit par|rédigé par|publié par|"
	"propos recueillis par|texte :|par|"
	"geschrieben von|verfasst von|veröffentlicht von|ein artikel von|ein "
	"beitrag von|beitrag von|"
	"autor:|autor|text von|text:|von|escrito por|publicado por|por|scritto "
	"da|"
	"pubblicato da|testo di|a cura di|di|geschreven "
	"door|door|av|af|skrevet av|skriven av|"
	"autore:|auteur:|auteur|napisała|napisał|opracowała|opracował|przez|od|"
	"автор:|автор|текст:|ditulis "
	"oleh|"
	"oleh|yazar:|yazan|tekijä|kirjoittanut|írta|szerző:|συντάκτης:|του|"
	"τησ|作者：|作者:|作者|撰文：|撰文|记者：|记者|記者：|取材・文：|文/"
	"|文：|文・|著者：|執筆：|執筆者|글쓴이|글:|بقلم|كتبه";

struct slice byline_trim(struct slice text)
{
	static const char edge[] = " ,;:.|-/()[]\"'*~";
	const char *at = text.data;
	const char *end = at + text.size;

	while (at < end && strchr(edge, *at) != NULL)
		at++;
	while (at < end && strchr(" ,;:|-/([\"'*~", end[-1]) != NULL)
		end--;
	return (struct slice){at, (size_t)(end - at)};
}

/*
 * Return true if `rest` may follow an opening, which needs no space between
 * them in some scripts. `last` is the last byte of the opening.
 */
static bool may_follow(char last, struct slice rest)
{
	unsigned char next;

	if (rest.size == 0)
		return true;
	next = *(const unsigned char *)rest.data;
	return next == ' ' || next == ':' || last == ':' || last == '/' ||
	       ((unsigned char)last >= 0x80 && next >= 0xE0) ||
	       (unsigned char)last == 0x85 || (unsigned char)last == 0x9A;
}

/* Return `text` without a dash at its start, as of "Autor - Ann Smith". */
static struct slice byline_without_dash(struct slice text)
{
	const char *dashes = "— |– |• |· ";
	struct slice dash;

	while (list_next(&dashes, &dash))
		if (text.size > dash.size &&
		    memcmp(text.data, dash.data, dash.size) == 0)
			return byline_trim((struct slice){
				(const char *)text.data + dash.size,
				text.size - dash.size});
	return text;
}

struct slice byline_rest(struct slice text)
{
	const char *list = openings;
	struct slice opening;

	while (list_next(&list, &opening)) {
		size_t size = byline_match(text, opening);
		struct slice rest = {(const char *)text.data + size,
				     text.size - size};

		if (size > 0 &&
		    may_follow(slice_byte(opening, opening.size - 1), rest))
			return byline_without_dash(byline_trim(rest));
	}
	return (struct slice){NULL, 0};
}

/*
 * An h1 whose overlap with the titles in the head is lower than this is a
 * slogan or the name of the site. The value gave the most correct titles
 * (tests/eval/RESULTS.md, "What parameters were chosen by").
 */
static const double min_overlap = 0.3;

static const double min_lower_overlap = 0.6;

/* of an h2 or h3 on a page without h1 that has no better match */
static const double min_weak_overlap = 0.4;

/* of an h1 in whose stead an h2 or h3 may be the title */
static const double max_weak_overlap = 0.75;

enum {
	MIN_PART = 3, /* words of a part of a title that is alone in the body
		       */
	MIN_PART_SIZE = 9, /* bytes of a text that is a part of a title */
	MAX_PARTS = LIMIT(
		512, 64), /* texts that are compared with parts of a title */
	MAX_TITLE_PART = 256, /* bytes of a text that is a part of a title */
	MIN_WORDS = 5,        /* of a title that min_weak_overlap is for */
	MAX_LOOKS = 64
}; /* maximum number of elements or texts that are compared with the titles,
      except h1 */

struct title_choice {
	struct metadata_candidates *findings;
	const struct site_names *site;
	/*
	 * the texts of the title element and of og:title, without the name of
	 * the site
	 */
	struct slice title;
	struct slice graph_title;
	/* og:title and the title element, or NULL */
	const struct metadata_candidate *wholes[2];
};

/* Return the first title candidate with this source and rank, or NULL. */
static const struct metadata_candidate *
find_title_candidate(const struct metadata_candidates *findings,
		     const char *source, uint32_t rank)
{
	for (uint32_t i = 0; i < findings->counts[SUBJECT_TITLE]; i++) {
		const struct metadata_candidate *one =
			&findings->items[SUBJECT_TITLE][i];

		if (strcmp(one->source, source) == 0 &&
		    (rank == 0 || one->rank == rank))
			return one;
	}
	return NULL;
}

static struct slice cut_of(const struct title_choice *choice,
			   const struct metadata_candidate *candidate)
{
	struct slice cut;

	if (candidate == NULL)
		return (struct slice){"", 0};
	cut = title_without_site(choice->findings->arena, choice->site,
				 (struct slice){"", 0}, candidate->value);
	return candidate->node == NO_NODE
		       ? title_without_colon(choice->findings->arena,
					     choice->site, cut)
		       : cut;
}

static double overlap_of(const struct title_choice *choice,
			 struct slice heading)
{
	struct title_words words = title_words_of(heading);
	struct title_words title = title_words_of(choice->title);
	struct title_words graph = title_words_of(choice->graph_title);
	double a = title_overlap(&words, &title);
	double b = title_overlap(&words, &graph);

	return a > b ? a : b;
}

/*
 * Return true if the heading is the last part of the title element, which is
 * usually the name of a site or a book. If so, remove this part from
 * choice->title.
 */
static bool is_last_part(struct title_choice *choice, struct slice heading)
{
	struct arena *arena = choice->findings->arena;
	struct slice cut = title_without_site(
		arena, choice->site, name_fold(arena, heading), choice->title);
	const char *cut_end = (const char *)cut.data + cut.size;

	if (cut.size == 0 ||
	    cut_end == (const char *)choice->title.data + choice->title.size)
		return false;
	choice->title = cut;
	return true;
}

/*
 * Return the h1 with the highest overlap with the titles in the head; NULL if
 * there is no h1.
 */
static const struct metadata_candidate *
best_heading(struct title_choice *choice, double *overlap_out)
{
	const struct metadata_candidates *findings = choice->findings;
	const struct metadata_candidate *best = NULL;

	*overlap_out = -1;
	for (uint32_t i = 0; i < findings->counts[SUBJECT_TITLE]; i++) {
		const struct metadata_candidate *one =
			&findings->items[SUBJECT_TITLE][i];
		double overlap;

		if (one->node == NO_NODE || is_last_part(choice, one->value))
			continue;
		overlap = overlap_of(choice, one->value);
		if (overlap > *overlap_out) {
			best = one;
			*overlap_out = overlap;
		}
	}
	return best;
}

/*
 * Return the title without a mark at its end, such as "¶", that only links to
 * the heading.
 */
static struct slice without_anchor(struct slice title)
{
	const char *marks = " ¶|¶| #| §";
	struct slice mark;

	while (list_next(&marks, &mark))
		if (title.size > mark.size &&
		    memcmp((const char *)title.data + title.size - mark.size,
			   mark.data, mark.size) == 0)
			title.size -= mark.size;
	return title;
}

/*
 * Return the first h2 or h3 whose overlap with the titles in the head is at
 * least `overlap`, or NO_NODE.
 */
static uint32_t lower_heading(const struct title_choice *choice, double overlap)
{
	const struct page *page = choice->findings->page;
	uint32_t looked_at = 0;

	for (uint32_t i = 0; i < page->node_count && looked_at < MAX_LOOKS;
	     i++) {
		uint16_t tag = page->nodes[i].tag;

		if (tag != TAG_h2 && tag != TAG_h3)
			continue;
		looked_at++;
		if (overlap_of(choice, heading_of(choice->findings->arena, page,
						  i)) >= overlap)
			return i;
	}
	return NO_NODE;
}

/*
 * Return true if a separator or the end of `title` is at byte `at`, from which
 * `step` goes away from a part of the title.
 */
static bool is_part_end(struct slice title, size_t at, int step)
{
	const char *signs = "» |« |– |— |· |• ";
	const char *bytes = title.data;
	struct slice sign;

	while (at < title.size && bytes[at] == ' ')
		at += (size_t)step;
	if (at >= title.size)
		return true; /* also before byte 0 */
	if (strchr(":|~", bytes[at]) != NULL)
		return true;
	if (strchr("-/", bytes[at]) != NULL)
		return at + 1 < title.size && at > 0 && bytes[at - 1] == ' ';
	if (step < 0)
		while (at > 0 && ((unsigned char)bytes[at] & 0xC0) == 0x80)
			at--;
	while (list_next(&signs, &sign))
		if (sign.size > 1 && title.size - at >= sign.size &&
		    memcmp(bytes + at, sign.data, sign.size) == 0)
			return true;
	return false;
}

/*
 * Return the first place of `text`, which is not empty, in `title`, in any case
 * of ASCII letters, or NULL.
 */
static const char *find_in_any_case(struct slice title, struct slice text)
{
	const char *at = title.data;

	for (; title.size >= text.size; at++, title.size--)
		if (lower(*at) == lower(slice_byte(text, 0)) &&
		    strncasecmp(at, text.data, text.size) == 0)
			return at;
	return NULL;
}

/* A part of a title in the head that is alone in the body. */
struct title_part {
	struct slice value; /* empty if there is none */
	const char *source;
	uint32_t text; /* the first text of the body that it is */
	uint32_t text_end;
	size_t words;
};

/*
 * If `text` is a part of the title element or of og:title, with separators
 * around it, and has more words than `part`, set the value of `part` and return
 * true.
 */
static bool title_part_match(const struct title_choice *choice,
			     struct slice text, struct title_part *part)
{
	size_t words;

	for (size_t i = 0; i < 2; i++) {
		const struct metadata_candidate *one = choice->wholes[i];
		const char *at = one == NULL || text.size == 0
					 ? NULL
					 : find_in_any_case(one->value, text);
		size_t begin;

		if (at == NULL)
			continue;
		begin = (size_t)(at - (const char *)one->value.data);
		if (!is_part_end(one->value, begin - 1, -1) ||
		    !is_part_end(one->value, begin + text.size, 1))
			continue;
		words = title_words_of(text).count;
		if (words < MIN_PART || words <= part->words ||
		    site_is_named(choice->findings->arena, choice->site, text))
			return false;
		part->value = (struct slice){at, text.size};
		part->source = one->source;
		part->words = words;
		return true;
	}
	return false;
}

/*
 * Return the longest part of a title in the head that an h2 or h3 is or,
 * without one, that a text outside of links is.
 */
static struct title_part title_part_of(const struct title_choice *choice,
				       bool is_heading_only)
{
	const struct page *page = choice->findings->page;
	struct title_part part = {.value = {"", 0}};
	uint32_t looked_at = 0;

	for (uint32_t i = 0; i < page->node_count && looked_at < MAX_LOOKS;
	     i++) {
		const struct node *node = &page->nodes[i];

		if (node->tag != TAG_h2 && node->tag != TAG_h3)
			continue;
		looked_at++;
		if (title_part_match(
			    choice,
			    heading_of(choice->findings->arena, page, i),
			    &part)) {
			part.text = node->first_text;
			part.text_end = node->end_text;
		}
	}
	for (uint32_t i = 0; i < page->text_count && looked_at < MAX_PARTS &&
			     part.words == 0 && !is_heading_only;
	     i++) {
		char buffer[MAX_TITLE_PART];
		struct slice text = page_text(page, i);

		if ((page->texts[i].flags & (TEXT_IS_TITLE | TEXT_IS_LINK)) !=
			    0 ||
		    page->texts[i].node == NO_NODE ||
		    page->nodes[page->texts[i].node].tag == TAG_h1 ||
		    text.size > sizeof(buffer) || text.size < MIN_PART_SIZE)
			continue;
		looked_at++;
		text = (struct slice){buffer, text_collapse(text, buffer)};
		if (title_part_match(choice, text, &part)) {
			part.text = i;
			part.text_end = i + 1;
		}
	}
	return part;
}

/*
 * Return the first text that has about the length of the title and a high
 * overlap with it, or NO_TEXT.
 */
static uint32_t title_text(const struct title_choice *choice)
{
	const struct page *page = choice->findings->page;
	uint32_t looked_at = 0;

	for (uint32_t i = 0; i < page->text_count && looked_at < MAX_LOOKS;
	     i++) {
		const struct text *text = &page->texts[i];

		if ((text->flags & TEXT_IS_TITLE) != 0 ||
		    text->length < choice->title.size / 2 ||
		    text->length > choice->title.size * 2 + MAX_LOOKS)
			continue;
		looked_at++;
		if (overlap_of(choice, page_text(page, i)) >= min_lower_overlap)
			return i;
	}
	return NO_TEXT;
}

/*
 * Return the first text that is only "by" and the full name of a person, which
 * is below the title, or NO_TEXT.
 */
static uint32_t byline_text(const struct page *page)
{
	for (uint32_t i = 0; i < page->text_count; i++) {
		char buffer[MAX_LABEL_TEXT];
		struct slice text = page_text(page, i);

		if (text.size > sizeof(buffer))
			continue;
		text = (struct slice){buffer, text_collapse(text, buffer)};
		if (text.size > 3 && (*buffer | 0x20) == 'b' &&
		    byline_is_full(byline_rest(text)))
			return i;
	}
	return NO_TEXT;
}

/* Return true if node `index` has a link to the home page of any site. */
static bool is_home(const struct page *page, uint32_t index)
{
	for (uint32_t i = 0; i < page->link_count &&
			     page->links[i].node < page->nodes[index].end;
	     i++)
		if (page->links[i].node > index &&
		    is_home_address(page->links[i].href))
			return true;
	return false;
}

/*
 * Set title_begin and title_end to the texts of the h1 that is the title;
 * otherwise of another element or text that matches the title; otherwise of
 * `heading`, any h1; otherwise to the place before a byline.
 */
static void find_title_position(const struct title_choice *choice,
				const struct metadata_candidate *heading,
				double overlap)
{
	struct metadata_candidates *findings = choice->findings;
	uint32_t node = NO_NODE;
	uint32_t text = NO_TEXT;

	if (heading != NULL && overlap >= min_overlap &&
	    !is_home(choice->findings->page, heading->node))
		node = heading->node;
	if (node == NO_NODE)
		node = lower_heading(choice, min_lower_overlap);
	if (node == NO_NODE)
		text = title_text(choice);
	if (node == NO_NODE && text == NO_TEXT && heading == NULL &&
	    title_words_of(choice->title).count >= MIN_WORDS)
		node = lower_heading(choice, min_weak_overlap);
	if (node == NO_NODE && text == NO_TEXT && heading != NULL)
		node = heading->node;
	if (node != NO_NODE) {
		findings->title_begin = findings->page->nodes[node].first_text;
		findings->title_end = findings->page->nodes[node].end_text;
	} else if (text != NO_TEXT) {
		findings->title_begin = text;
		findings->title_end = text + 1;
	} else {
		findings->title_begin = findings->title_end =
			byline_text(findings->page);
	}
}

/*
 * Return the start of a heading that is one of the titles in the head if a date
 * follows it, as in "Hats are worn Updated 5 March 2024".
 */
static struct slice without_date(struct slice heading, struct slice graph,
				 struct slice title)
{
	const struct slice known[] = {graph, title};
	char date[DATE_SIZE];

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const size_t size = known[i].size;
		struct slice rest = heading;

		if (size == 0 || heading.size <= size ||
		    memcmp(heading.data, known[i].data, size) != 0)
			continue;
		slice_advance(&rest, size);
		if (date_find(rest, MONTH_FIRST, date))
			return known[i];
	}
	return heading;
}

/*
 * Set title_begin and title_end to the texts of the part or of a heading before
 * it that has more than the part, because links below the article repeat it.
 */
static void set_place(const struct title_choice *choice,
		      const struct title_part *part)
{
	struct metadata_candidates *findings = choice->findings;
	const uint32_t node =
		findings->is_title_only
			? NO_NODE
			: lower_heading(choice, min_lower_overlap);

	findings->title_begin = part->text;
	findings->title_end = part->text_end;
	if (node != NO_NODE &&
	    findings->page->nodes[node].end_text <= part->text) {
		findings->title_begin = findings->page->nodes[node].first_text;
		findings->title_end = findings->page->nodes[node].end_text;
	}
}

static size_t heading_words(const struct metadata_candidate *heading)
{
	return heading == NULL ? 0 : title_words_of(heading->value).count;
}

struct metadatum title_choose(struct metadata_candidates *findings,
			      const struct site_names *site)
{
	const struct metadata_candidate *graph =
		find_title_candidate(findings, "og", 0);
	const struct metadata_candidate *title =
		find_title_candidate(findings, "title", 0);
	const struct metadata_candidate *headline =
		find_title_candidate(findings, "json-ld", 10);
	struct title_choice choice = {
		.findings = findings, .site = site, .wholes = {graph, title}};
	struct title_part part = {.words = 0};
	const struct metadata_candidate *heading;
	const struct metadata_candidate *best;
	struct slice value;
	double overlap;

	choice.title = cut_of(&choice, title);
	choice.graph_title = cut_of(&choice, graph);
	heading = best_heading(&choice, &overlap);
	if (overlap < max_weak_overlap)
		part = title_part_of(&choice, overlap >= min_overlap);
	if (part.words > 0 && (part.words > heading_words(heading) ||
			       is_home(findings->page, heading->node))) {
		set_place(&choice, &part);
		if (overlap >= min_overlap || headline == NULL)
			return (struct metadatum){part.value, part.source};
	} else if (!findings->is_title_only) {
		find_title_position(&choice, heading, overlap);
	}
	if (heading == NULL || overlap < min_overlap)
		heading = headline;
	best = heading != NULL ? heading
	       : graph != NULL ? graph
	       : title != NULL ? title
			       : findings_best(findings, SUBJECT_TITLE);
	if (best == NULL)
		return (struct metadatum){{NULL, 0}, NULL};
	value = heading != NULL ? without_date(cut_of(&choice, heading),
					       choice.graph_title, choice.title)
		: graph != NULL ? choice.graph_title
		: title != NULL ? choice.title
				: best->value;
	return (struct metadatum){without_anchor(value), best->source};
}
