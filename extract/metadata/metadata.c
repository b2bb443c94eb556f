#include "extract/metadata/metadata.h"

#include "base/arena.h"
#include "extract/metadata/metadata_byline.h"
#include "extract/metadata/metadata_date.h"
#include "extract/metadata/metadata_findings.h"
#include "extract/metadata/metadata_kind.h"
#include "extract/metadata/metadata_language.h"
#include "extract/metadata/metadata_name.h"
#include "extract/metadata/metadata_title.h"
#include "page/json_ld.h"

enum {
	MAX_TAG = 80,    /* maximum bytes of a tag */
	BODY_RANK = 35,  /* first rank of authors from the body */
	LAST_SOLID = 57, /* last rank of authors that take precedence over a
			    weak one */
	URL_RANK = 45,   /* rank of a date in the URL */
	VISIBLE_RANK =
		50, /* first rank of dates that are written for readers */
};

static struct metadatum
candidate_metadatum(const struct metadata_candidate *candidate)
{
	if (candidate == NULL)
		return (struct metadatum){{NULL, 0}, NULL};
	return (struct metadatum){candidate->value, candidate->source};
}

/*
 * Return the candidate after `last` (NULL: the first one), ordered by rank and
 * then by position in the page; NULL at the end.
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

/* Names from one source. */
struct author_names {
	struct slice items[MAX_AUTHORS];
	size_t count;
	const char *source;
};

static bool has_author(const struct author_names *names, struct slice name)
{
	for (size_t i = 0; i < names->count; i++)
		if (slice_equal(names->items[i], name))
			return true;
	return false;
}

static void add_names(struct author_names *names, struct slice text,
		      bool is_prose)
{
	struct slice found[MAX_AUTHORS];
	size_t count = byline_names(text, is_prose, found, MAX_AUTHORS);

	for (size_t i = 0; i < count && names->count < MAX_AUTHORS; i++)
		if (!has_author(names, found[i]))
			names->items[names->count++] = found[i];
}

/*
 * Return the names of a candidate. Return none if a text for readers does not
 * look like a name, except in a forum, where any word may be a name. Below
 * BODY_RANK each author has a separate field (JSON-LD, meta), so return the
 * names of all candidates of that rank; in the body, other candidates belong to
 * comments and other articles.
 */
static struct author_names
candidate_names(const struct metadata_candidates *findings,
		const struct metadata_candidate *candidate, bool is_forum)
{
	struct author_names names = {.source = candidate->source};

	if (candidate->rank >= BODY_RANK) {
		add_names(&names, candidate->value, true);
		if (candidate->rank >= VISIBLE_RANK && !is_forum &&
		    names.count > 0 && !byline_is_person(names.items[0]))
			names.count = 0;
		return names;
	}
	for (uint32_t i = 0; i < findings->counts[SUBJECT_AUTHOR]; i++) {
		const struct metadata_candidate *one =
			&findings->items[SUBJECT_AUTHOR][i];

		if (one->rank == candidate->rank)
			add_names(&names, one->value, false);
	}
	return names;
}

/* Return true if this is probably a person's name: it has two words or more. */
static bool is_person(const struct site_names *site, struct arena *arena,
		      struct slice name)
{
	return byline_is_person(name) &&
	       memchr(name.data, ' ', name.size) != NULL &&
	       !slice_equal(name_fold(arena, name), site->name);
}

static void set_authors(const struct author_names *names,
			struct metadata *metadata)
{
	for (size_t i = 0; i < names->count; i++)
		metadata->authors[i] =
			(struct metadatum){names->items[i], names->source};
	metadata->author_count = names->count;
}

/* Return true if names in the body belong to reviewers and customers. */
static bool is_of_thing(struct slice kind)
{
	return value_is(kind, "product") || value_is(kind, "collection") ||
	       value_is(kind, "service") || value_is(kind, "home");
}

/*
 * Choose the best names. Content management systems often write a login
 * ("ann.smith2") or the site as the author; then prefer persons' names from
 * other sources. In a forum logins are the authors' names.
 */
static void choose_authors(const struct metadata_candidates *findings,
			   const struct site_names *site,
			   struct metadata *metadata)
{
	bool is_forum = value_is(metadata->page_type.value, "forum");
	uint32_t end =
		is_of_thing(metadata->page_type.value) ? BODY_RANK : UINT32_MAX;
	const struct metadata_candidate *at = NULL;

	while ((at = next_best(findings, SUBJECT_AUTHOR, at)) != NULL &&
	       at->rank < end) {
		struct author_names names =
			candidate_names(findings, at, is_forum);
		bool is_solid;

		if (names.count == 0)
			continue;
		is_solid = is_person(site, findings->arena, names.items[0]);
		if (metadata->author_count == 0 ||
		    (is_solid && at->rank < LAST_SOLID))
			set_authors(&names, metadata);
		if (is_solid || is_forum)
			return;
	}
}

static bool is_update(const struct metadata_candidate *candidate)
{
	return candidate->rank >= VISIBLE_RANK &&
	       (value_holds(candidate->value, "updat") ||
		value_holds(candidate->value, "modifi") ||
		value_holds(candidate->value, "revised"));
}

static struct metadatum choose_date(const struct metadata_candidates *findings,
				    enum subject subject, enum date_order order)
{
	const struct metadata_candidate *at = NULL;
	char date[DATE_SIZE];

	while ((at = next_best(findings, subject, at)) != NULL) {
		if (is_update(at) && subject == SUBJECT_PUBLISHED)
			continue;
		if (at->rank < URL_RANK ? date_read(at->value, order, date)
					: date_find(at->value, order, date))
			return (struct metadatum){
				{arena_copy(findings->arena, date,
					    strlen(date)),
				 strlen(date)},
				at->source};
	}
	return (struct metadatum){{NULL, 0}, NULL};
}

/*
 * Read an update date written for readers if there is no machine-readable one.
 */
static void read_updates(struct metadata_candidates *findings)
{
	for (uint32_t i = 0; i < findings->counts[SUBJECT_PUBLISHED]; i++) {
		const struct metadata_candidate *one =
			&findings->items[SUBJECT_PUBLISHED][i];

		if (is_update(one))
			findings_add(findings, SUBJECT_MODIFIED, one->value,
				     one->source, one->rank + 1);
	}
}

/* Read a date from the path of the URL: /2024/03/05/title. */
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

/* Distinct categories of the page: [*count], at most MAX_TAGS. */
struct tag_list {
	struct metadatum *items;
	size_t *count;
	bool is_whole; /* a comma is part of a value: "Arts, Music" */
};

static bool has_category_tag(const struct tag_list *tags, struct slice tag)
{
	for (size_t i = 0; i < *tags->count; i++) {
		struct slice other = tags->items[i].value;

		if (other.size == tag.size &&
		    strncasecmp(other.data, tag.data, tag.size) == 0)
			return true;
	}
	return false;
}

/* Add the tags of one candidate; split them at commas unless `is_whole`. */
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
		if (tag.size > 0 && tag.size <= MAX_TAG &&
		    !has_category_tag(tags, tag))
			tags->items[(*tags->count)++] =
				(struct metadatum){tag, candidate->source};
		at = last + 1;
	}
}

/* Use all tags of the best source. */
static void choose_tags(const struct metadata_candidates *findings,
			enum subject subject, const struct tag_list *tags)
{
	const struct metadata_candidate *best =
		findings_best(findings, subject);

	for (uint32_t i = 0; i < findings->counts[subject]; i++)
		if (findings->items[subject][i].rank == best->rank)
			add_tags(&findings->items[subject][i], tags);
}

/* Collect everything except the body. */
static struct metadata_candidates *
collect_head(struct arena *arena, const struct page *page, struct slice url)
{
	struct metadata_candidates *findings =
		ARENA_NEW(arena, struct metadata_candidates, 1);
	const struct json_ld ld = json_ld_of_page(arena, page);

	findings->arena = arena;
	findings->page = page;
	findings->title_begin = findings->title_end = NO_TEXT;
	findings_json_ld(findings, &ld);
	findings_meta(findings);
	findings_headings(findings);
	read_url_date(findings, url);
	return findings;
}

struct metadata metadata_read(struct arena *arena, const struct page *page,
			      struct slice url)
{
	struct metadata_candidates *findings = collect_head(arena, page, url);
	struct metadata metadata = {
		.site_name = candidate_metadatum(
			findings_best(findings, SUBJECT_SITE_NAME)),
		.description = candidate_metadatum(
			findings_best(findings, SUBJECT_DESCRIPTION)),
		.image = candidate_metadatum(
			findings_best(findings, SUBJECT_IMAGE)),
		.canonical = candidate_metadatum(
			findings_best(findings, SUBJECT_CANONICAL)),
		.language = language_choose(findings),
		.favicon = candidate_metadatum(
			findings_best(findings, SUBJECT_FAVICON)),
	};
	struct site_names site =
		site_names_of(arena, metadata.site_name.value, url);
	enum date_order order = date_order_of(metadata.language.value);

	metadata.title = title_choose(findings, &site);
	findings_body(findings);
	findings_near(findings);
	read_updates(findings);
	metadata.published = choose_date(findings, SUBJECT_PUBLISHED, order);
	metadata.modified = choose_date(findings, SUBJECT_MODIFIED, order);
	metadata.page_type =
		kind_choose(findings, url, metadata.published.source != NULL);
	metadata.licence =
		candidate_metadatum(findings_best(findings, SUBJECT_LICENCE));
	choose_authors(findings, &site, &metadata);
	choose_tags(
		findings, SUBJECT_TAG,
		&(struct tag_list){metadata.tags, &metadata.tag_count, false});
	choose_tags(findings, SUBJECT_CATEGORY,
		    &(struct tag_list){metadata.categories,
				       &metadata.category_count, true});
	return metadata;
}
