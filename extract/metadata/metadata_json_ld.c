/*
 * Reads the JSON-LD of a page: selects its main entity, and reads the fields.
 */
#include "base/arena.h"
#include "extract/metadata/metadata_findings.h"
#include "page/json_ld.h"

/* Fields whose objects are never the main entity: parts, or related things. */
static const char *const aside[] = {
	"itemListElement", "comment",        "review",
	"reviews",         "isPartOf",       "hasPart",
	"suggestedAnswer", "acceptedAnswer", "mentions",
	"about",           "relatedLink",    "isRelatedTo",
	"isSimilarTo",     "hasVariant",     "citation",
	"breadcrumb",      "publisher",      "author",
	"potentialAction", "blogPost",       "itemReviewed",
	"associatedMedia", "video",          "item",
};

/*
 * The weight of an entity by its type: the page itself, a work such as an
 * article, or a thing with a name.
 */
enum weight { WEIGHT_NONE, WEIGHT_PAGE, WEIGHT_THING, WEIGHT_WORK };

static const struct {
	const char *ending; /* the end of the type's name */
	enum weight weight;
} weights[] = {
	{"Article", WEIGHT_WORK},
	{"Posting", WEIGHT_WORK},
	{"BlogPost", WEIGHT_WORK},
	{"Report", WEIGHT_WORK},
	{"Recipe", WEIGHT_WORK},
	{"HowTo", WEIGHT_WORK},
	{"Question", WEIGHT_WORK},
	{"Review", WEIGHT_WORK},
	{"Guide", WEIGHT_WORK},
	{"Thesis", WEIGHT_WORK},
	{"Book", WEIGHT_THING},
	{"Movie", WEIGHT_THING},
	{"Event", WEIGHT_THING},
	{"Course", WEIGHT_THING},
	{"Product", WEIGHT_THING},
	{"ProductGroup", WEIGHT_THING},
	{"VideoObject", WEIGHT_THING},
	{"SoftwareApplication", WEIGHT_THING},
	{"MobileApplication", WEIGHT_THING},
	{"WebApplication", WEIGHT_THING},
	{"Dataset", WEIGHT_THING},
	{"JobPosting", WEIGHT_WORK},
	{"CreativeWork", WEIGHT_THING},
	{"Page", WEIGHT_PAGE},
};

static bool type_ends_with(struct slice text, const char *ending)
{
	size_t size = strlen(ending);

	return text.size >= size &&
	       memcmp((const char *)text.data + text.size - size, ending,
		      size) == 0;
}

/*
 * Return true for a question of a reader, not for an entry of a list (FAQPage).
 */
static bool is_asked(const struct json_ld *ld, uint32_t object)
{
	uint32_t parent = ld->objects[object].parent;

	return parent == NO_OBJECT || !json_ld_is(ld, parent, "FAQPage");
}

static enum weight json_ld_weight(const struct json_ld *ld, uint32_t object)
{
	const struct json_ld_field *type = json_ld_find(ld, object, "@type");
	enum weight best = WEIGHT_NONE;

	for (; type != NULL; type = json_ld_next(ld, type))
		for (size_t i = 0; i < sizeof(weights) / sizeof(weights[0]);
		     i++)
			if (weights[i].weight > best &&
			    type_ends_with(type->text, weights[i].ending))
				best = weights[i].weight;
	if (best == WEIGHT_WORK && json_ld_is(ld, object, "Question") &&
	    !is_asked(ld, object))
		return WEIGHT_NONE;
	return best;
}

static bool is_aside(struct slice key)
{
	for (size_t i = 0; i < sizeof(aside) / sizeof(aside[0]); i++)
		if (slice_equal(key, slice_of(aside[i])))
			return true;
	return false;
}

/*
 * Return [object_count]: true if the object, or one around it, is in a field of
 * `aside`.
 */
static const bool *mark_aside(struct arena *arena, const struct json_ld *ld)
{
	bool *marks = ARENA_NEW(arena, bool, ld->object_count);

	for (uint32_t i = 0; i < ld->object_count; i++) {
		uint32_t parent = ld->objects[i].parent;

		marks[i] = is_aside(ld->objects[i].key) ||
			   (parent != NO_OBJECT && marks[parent]);
	}
	return marks;
}

/*
 * Return the entity that the page is about: the first of the highest weight
 * that is not marked aside; NO_OBJECT if there is none.
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

/* Return true if the object has only its @id. */
static bool is_reference(const struct json_ld *ld, uint32_t object)
{
	return json_ld_find(ld, object, "name") == NULL;
}

/*
 * Return the object with the same @id that has a name, or `object` if there is
 * none. Searches over all objects are counted and limited.
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

static bool subject_is_date(enum subject subject)
{
	return subject == SUBJECT_PUBLISHED || subject == SUBJECT_MODIFIED;
}

/*
 * Add the values of a field: texts unchanged, and of objects their `name` or
 * their `url`.
 */
static void add_values(struct metadata_candidates *findings,
		       const struct json_ld *ld,
		       const struct json_ld_field *field, enum subject subject,
		       uint32_t rank)
{
	const char *name = subject_is_address(subject) ? "url" : "name";

	for (uint32_t i = 0; field != NULL && i < MAX_FINDINGS; i++) {
		struct slice text = field->text;

		if (field->kind == JSON_LD_WORD && !subject_is_date(subject))
			text.size = 0; /* null, false */
		else if (field->kind == JSON_LD_OBJECT)
			text = json_ld_text(
				ld,
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

/* Rules for the main entity. */
static const struct json_ld_rule work_rules[] = {
	{"headline", SUBJECT_TITLE, 10},
	{"name", SUBJECT_TITLE, 11},
	{"author", SUBJECT_AUTHOR, 10},
	{"creator", SUBJECT_AUTHOR, 12},
	{"datePublished", SUBJECT_PUBLISHED, 10},
	{"uploadDate", SUBJECT_PUBLISHED, 12},
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

/* Rules for any entity that is the page. */
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

void findings_json_ld(struct metadata_candidates *findings,
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
