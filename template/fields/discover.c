#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "extract/text/class_words.h"
#include "template/fields/field.h"
#include "template/fields/records.h"
#include "template/fields/rule.h"
#include "template/fields/stated.h"
#include "template/fields/value.h"

/* Ratio of pages with a value below which a column is hardly of the template.
 */
#define RARE .08

/* How much less a part of a text is worth than the whole text. */
#define PART_FACTOR .45

/* The same for a part of a price, a date and so on. */
#define TYPED_PART_FACTOR .3

/* The same for what has a name at several places: one value, and a list. */
#define LOOSE_FORM_FACTOR .9
#define LOOSE_LIST_FACTOR .4

/* Records are data, although their texts are in a list, or in comments. */
#define RECORD_BONUS  2
#define COMMENT_BONUS 4

/* How much more a value is worth that the JSON-LD states, too. */
#define CONFIRMED_FACTOR 2

/* The score of a value that the page does not show, compared with others. */
#define STATED_FACTOR .001

enum {
	MAX_UNIT_BYTES = 3,
	MAX_DATE_BYTES = 30,         /* longer texts say more than a date */
	MAX_CHOSEN = LIMIT(400, 24), /* columns that are compared */
	ROOM_FOR_FINDS = 2 * MAX_CHOSEN,
	MAX_WRAPPED = 2,      /* varying runs in an element around a field */
	MAX_PART_SHARE = 87,  /* percent that an ordinary column has */
	MIN_STATED_PAGES = 3, /* on which a shown value must be stated */
	MAX_FIELD_STEM = 32,  /* bytes of a name without its number, */
	MAX_LIST_STEM = 12,   /* of one of records, */
	MAX_MEMBER_STEM = 24, /* and of a field of these */
	MAX_NAME_NUMBER = 8,  /* bytes of the number of a name */
	MAX_LIST_LEVELS = 4,  /* places around a record that name it */
	MAX_RECORD_COLUMNS = LIMIT(16, 3),
	SCORED_MEMBERS = 3,  /* fields of records that make their score */
	CONSTANT_PAGES = 97, /* percent of pages with equal lists */
};

/* A column that may be a field. */
struct find {
	const struct column *all; /* the column of the table it is part of */
	struct column column;     /* without values */
	enum field_type type;
	double score;
	const uint64_t *hashes;   /* [pages] */
	const uint64_t *meanings; /* [pages] */
	const char *known;        /* name by its meaning, or NULL */
	/* what states its values in the JSON-LD, and in microdata; or NULL */
	const struct find *in_json_ld;
	const struct find *in_markup;
	bool is_dropped;
};

struct finder {
	const struct column_table *table;
	const struct setting *settings; /* [places] */
	struct find *finds;             /* [count] of ROOM_FOR_FINDS */
	uint32_t count;
	/* [places]: runs below it, and itself, that vary, or are constant */
	uint32_t *varying;
	uint32_t *constant;
	uint32_t *own_runs; /* [places]: varying runs that are its children */
	bool *has_elements; /* [places]: it has elements as children */
	/* [places]: the meaning of the place by its names, or NULL */
	const char **known;
	const struct column *titles; /* the title in the head, or NULL */
	uint32_t title; /* place of the title in the body, or NO_PLACE */
	struct arena *scratch;
};

/*
 * Words in classes, ids, itemprop and so on, and the names of fields that they
 * mean. Class names are English on pages of any language.
 */
static const struct {
	const char *word;
	const char *name;
} known_words[] = {
	{"title", "title"},
	{"headline", "title"},
	{"alternativeheadline", "subtitle"},
	{"author", "author"},
	{"byline", "author"},
	{"creator", "author"},
	{"writer", "author"},
	{"price", "price"},
	{"amount", "price"},
	{"date", "date"},
	{"time", "date"},
	{"published", "date"},
	{"datepublished", "date"},
	{"dateline", "date"},
	{"modified", "updated"},
	{"updated", "updated"},
	{"datemodified", "updated"},
	{"category", "category"},
	{"categories", "category"},
	{"cat", "category"},
	{"section", "section"},
	{"tag", "tags"},
	{"tags", "tags"},
	{"keywords", "tags"},
	{"taxonomy", "tags"},
	{"brand", "brand"},
	{"manufacturer", "brand"},
	{"publisher", "publisher"},
	{"sku", "sku"},
	{"mpn", "mpn"},
	{"gtin", "gtin"},
	{"isbn", "isbn"},
	{"model", "model"},
	{"stock", "stock"},
	{"availability", "stock"},
	{"rating", "rating"},
	{"ratingvalue", "rating"},
	{"reviewcount", "review_count"},
	{"description", "description"},
	{"summary", "summary"},
	{"excerpt", "summary"},
	{"lead", "summary"},
	{"image", "image"},
	{"photo", "image"},
	{"location", "location"},
	{"address", "address"},
	{"venue", "location"},
	{"place", "location"},
	{"phone", "phone"},
	{"telephone", "phone"},
	{"email", "email"},
	{"duration", "duration"},
	{"salary", "salary"},
	{"company", "company"},
	{"name", "name"},
	{"by", "author"},
	{"subtitle", "subtitle"},
};

const char *known_name(struct slice names)
{
	const char *bytes = names.data;
	const char *found = NULL;
	size_t at = 0;

	while (at < names.size) {
		char word[24];
		size_t size = 0;

		while (at < names.size && !is_letter(bytes[at]))
			at++;
		while (at < names.size && is_letter(bytes[at])) {
			if (size < sizeof(word))
				word[size++] = lower(bytes[at]);
			at++;
		}
		for (size_t i = 0;
		     i < sizeof(known_words) / sizeof(*known_words); i++)
			if (strlen(known_words[i].word) == size &&
			    memcmp(known_words[i].word, word, size) == 0)
				found = known_words[i].name;
	}
	return found;
}

/* Return the meaning of one place by its names, or NULL. */
static const char *own_meaning(const struct place *place)
{
	const char *name;

	if (step_is(place, "h1"))
		return "title";
	name = known_name(place->names);
	if (name == NULL && step_is(place, "time"))
		name = "date";
	return name;
}

/*
 * Set the meaning of each place: its own, or that of an element around it that
 * contains little else.
 */
static void find_meanings(struct finder *finder)
{
	const struct place_tree *tree = finder->table->tree;
	uint32_t places = tree->places.count;

	finder->known =
		ARENA_NEW(finder->scratch, const char *, (size_t)places + 1);
	for (uint32_t i = 0; i < places; i++) {
		const struct place *place = place_at(tree, i);

		/* an element around it has as many runs, or more */
		if (finder->varying[i] > MAX_WRAPPED)
			continue;
		finder->known[i] = own_meaning(place);
		if (finder->known[i] == NULL && place->parent != NO_PLACE)
			finder->known[i] = finder->known[place->parent];
	}
}

/* Count the runs below each place, and find the title in the head. */
static void count_runs(struct finder *finder)
{
	const struct column_table *table = finder->table;
	const struct place_tree *tree = table->tree;
	uint32_t places = tree->places.count;

	finder->varying =
		ARENA_NEW(finder->scratch, uint32_t, (size_t)places + 1);
	finder->constant =
		ARENA_NEW(finder->scratch, uint32_t, (size_t)places + 1);
	finder->has_elements =
		ARENA_NEW(finder->scratch, bool, (size_t)places + 1);
	finder->own_runs =
		ARENA_NEW(finder->scratch, uint32_t, (size_t)places + 1);
	for (uint32_t i = 0; i < table->count; i++) {
		const struct column *column = &table->columns[i];
		uint32_t place = column->source.place;

		if (column->source.attribute != NULL)
			continue;
		if (place_at(tree, place)->is_run) {
			finder->own_runs[place_at(tree, place)->parent] +=
				column->distinct > 1;
			finder->varying[place] = column->distinct > 1;
			finder->constant[place] = column->distinct == 1;
		} else if (step_is(place_at(tree, place), "title") &&
			   step_is(place_at(tree,
					    place_at(tree, place)->parent),
				   "head")) {
			finder->titles = column;
		}
	}
	for (uint32_t i = places; i-- > 1;) {
		uint32_t parent = place_at(tree, i)->parent;

		finder->has_elements[parent] |= !place_at(tree, i)->is_run;
		finder->varying[parent] += finder->varying[i];
		finder->constant[parent] += finder->constant[i];
	}
}

/* Return the ratio of pages on which the title contains the value. */
static double in_title(const struct finder *finder, const struct column *column)
{
	uint32_t found = 0;

	if (finder->titles == NULL || column->pages == 0 ||
	    column->distinct * 2 < column->pages)
		return 0;
	for (uint32_t i = 0; i < column->count; i++) {
		const struct value *value = &column->values[i];
		uint32_t count;
		const struct value *title =
			column_values(finder->titles, value->page, &count);

		if (i > 0 && column->values[i - 1].page == value->page)
			continue;
		found += count > 0 && value->text.size > 3 &&
			 memmem(title->text.data, title->text.size,
				value->text.data, value->text.size) != NULL;
	}
	return (double)found / finder->table->page_count;
}

/*
 * Return how many steps the title is below the innermost place that contains it
 * and the place `*index`, which becomes that place.
 */
static uint32_t title_distance(const struct finder *finder, uint32_t *index)
{
	const struct place_tree *tree = finder->table->tree;
	uint32_t title = finder->title;
	uint32_t distance = 0;

	if (title == NO_PLACE) {
		*index = 0;
		return UINT32_MAX;
	}
	while (*index != title) {
		/* parents have lower indices */
		if (*index > title) {
			*index = place_at(tree, *index)->parent;
		} else {
			title = place_at(tree, title)->parent;
			distance++;
		}
	}
	return distance;
}

/*
 * Return whether a separator is no part of the value that it is in front of or
 * behind: a word, a colon, a dash and so on, but not "$", "#" or "(".
 */
static bool is_affix(struct slice separator)
{
	const unsigned char *at = separator.data;
	const unsigned char *end = at + separator.size;
	uint32_t code = utf8_next(&at, end);

	return is_word_code(code) || code == ':' || code == 0xFF1A ||
	       code == '-' || code == '|' || code == '/' || code == ',' ||
	       code == ';' || (code >= 0x2010 && code <= 0x2015) ||
	       code == 0xB7 || code == 0x2022 || code == 0xBB || code == 0xAB;
}

/* Return whether a word behind a number is likely its unit: "g", "min". */
static bool is_unit(struct slice separator)
{
	return separator.size <= MAX_UNIT_BYTES &&
	       is_letter(slice_byte(separator, 0));
}

/* Return whether the part behind `from` separators is empty in all values. */
static bool is_empty_part(const struct column *column, uint8_t from)
{
	struct column_source source = column->source;

	source.from = from;
	source.to = (uint8_t)(from + 1);
	for (uint32_t i = 0; i < column->count; i++)
		if (source_part(&source, column->values[i].text).size > 0)
			return false;
	return true;
}

/*
 * Return the number of separators that all values begin with, and end with: the
 * part between them is the value.
 */
static void affixes_of(const struct column *column, uint8_t *from_out,
		       uint8_t *to_out)
{
	const struct slice *separators = column->source.separators;
	uint8_t count = column->source.separator_count;
	uint8_t from = 0;
	uint8_t to = (uint8_t)(count + 1);

	while (from < count && is_affix(separators[from]) &&
	       is_empty_part(column, from))
		from++;
	while (to > from + 1 && is_affix(separators[to - 2]) &&
	       !is_unit(separators[to - 2]) &&
	       is_empty_part(column, (uint8_t)(to - 1)))
		to--;
	*from_out = from;
	*to_out = to;
}

/*
 * Return the label of a place, or of an element around it that contains little
 * else; empty if there is none.
 */
static struct slice place_label(const struct finder *finder, uint32_t index)
{
	const struct place_tree *tree = finder->table->tree;

	for (uint32_t i = index;
	     i != NO_PLACE && finder->varying[i] <= MAX_WRAPPED;
	     i = place_at(tree, i)->parent)
		if (place_at(tree, i)->label.size > 0)
			return place_at(tree, i)->label;
	return (struct slice){0};
}

/*
 * Return whether the place looks like a part of a text that an author wrote: it
 * has no names and no label.
 */
static bool is_prose(const struct finder *finder, uint32_t index)
{
	const struct place_tree *tree = finder->table->tree;
	static const char *const tags[] = {"p", "em",   "strong", "b",
					   "i", "code", "pre"};
	const struct place *place = place_at(tree, index);

	if (finder->settings[index].is_labelled)
		return false;
	if (place->is_run)
		place = place_at(tree, place->parent);
	if (place->names.size > 0)
		return false;
	if (step_is(place, "a"))
		place = place_at(tree, place->parent);
	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++)
		if (step_is(place, tags[i]))
			return true;
	return false;
}

/* Score where the values of a place are. */
static double score_of_place(const struct finder *finder,
			     const struct column *column)
{
	uint32_t index = column->source.place;
	struct setting setting = finder->settings[index];
	uint32_t both = index;
	uint32_t distance = title_distance(finder, &both);
	const struct setting *outside = &finder->settings[both];
	bool has_label = place_label(finder, index).size > 0;
	/* a label and its only value, wherever they are */
	bool is_pair = has_label && column->single * 10 >= column->pages * 9;
	double score = 1;

	/* what the title is in as well says nothing */
	setting.groups &= ~outside->groups;
	setting.is_in_frame &= !outside->is_in_frame;
	setting.is_repeated &= !outside->is_repeated;
	if (distance < 8)
		score *= 1 + .7 / (1 + distance / 2.);
	if (setting.is_in_head)
		score *= .1;
	if (is_frame(&setting))
		score *= is_pair ? .5 : .25;
	if (setting.is_repeated && !is_pair)
		score *= is_prose(finder, index) ? .2 : .5;
	if (setting.is_in_heading && column->source.attribute == NULL)
		score *= 2;
	if (has_label)
		score *= 1.6;
	return score;
}

/* Score an element by what is in it beside one varying text. */
static double score_of_element(const struct finder *finder,
			       const struct column *column)
{
	uint32_t index = column->source.place;
	const struct place *place = place_at(finder->table->tree, index);
	double score = 1;

	if (place->is_run)
		return 1;
	if (!column->source.is_series && place->positions > 0)
		score = .4;
	if (finder->varying[index] > 1)
		return finder->own_runs[index] == finder->varying[index]
			       ? score * .8
			       : score * .3;
	if (finder->constant[index] > 0 && column->source.attribute == NULL)
		return finder->has_elements[index] ? score * .3 : score * .7;
	return score;
}

/* Return whether a page usually has several values of the field. */
static bool is_list(const struct column *column, const char *known)
{
	return column->source.is_series ||
	       (known != NULL &&
		(strcmp(known, "tags") == 0 || strcmp(known, "category") == 0 ||
		 strcmp(known, "author") == 0));
}

static double score_of(const struct finder *finder, const struct column *column,
		       const char *known)
{
	uint32_t index = column->source.place;
	double ratio;
	enum field_type type = column_type(column, &ratio);
	double fill = (double)column->pages / finder->table->page_count;
	double score = .1 + .9 * fill;

	if (fill < RARE)
		score *= .15;
	score *= score_of_place(finder, column);
	score *= score_of_element(finder, column);
	score *= .6 + .4 * ratio;
	if (!is_list(column, known))
		score *= .5 + .5 * column->single / column->pages;
	if (known != NULL)
		score *= 2;
	if (finder->settings[index].is_time || type == TYPE_PRICE ||
	    type == TYPE_DATE)
		score *= 1.4;
	if (column->source.attribute != NULL)
		score *= type == TYPE_IMAGE ? .4 : .1;
	if (type == TYPE_RICH_TEXT)
		score *= .5;
	/* the pages have the same list, with few exceptions */
	if (column->count > column->pages &&
	    (uint64_t)column->distinct * column->pages < 2ULL * column->count)
		score *= .3;
	else if (column->distinct * 50 < column->pages)
		score *= .7;
	return score;
}

static int order_finds(const void *left, const void *right)
{
	const struct find *a = left;
	const struct find *b = right;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	/* the part without the words that all values begin with */
	if ((a->column.source.to > 0) != (b->column.source.to > 0))
		return a->column.source.to > 0 ? -1 : 1;
	return (a->column.key > b->column.key) -
	       (a->column.key < b->column.key);
}

/* Keep only the best finds. */
static void choose_finds(struct finder *finder)
{
	qsort(finder->finds, finder->count, sizeof(*finder->finds),
	      order_finds);
	if (finder->count > MAX_CHOSEN)
		finder->count = MAX_CHOSEN;
}

/* Return whether nearly all values are the same. */
static bool is_constant_column(const struct column *column)
{
	return column->distinct < 2 || column->pages < 2 ||
	       (uint64_t)column->common * 100 >= (uint64_t)column->count * 97;
}

/* Add a column that is part of the column `all`. */
static void finder_add(struct finder *finder, const struct column *all,
		       const struct column *column, double factor)
{
	const char *known = finder->known[column->source.place];
	double title;
	double ratio;
	struct find *find;

	if (is_constant_column(column))
		return;
	title = in_title(finder, column);
	if (finder->settings[column->source.place].is_in_head &&
	    finder->title != NO_PLACE)
		title = 0;
	if (title > .8 && known == NULL)
		known = "title";
	if (finder->count == ROOM_FOR_FINDS)
		choose_finds(finder);
	find = &finder->finds[finder->count++];
	*find = (struct find){.all = all,
			      .column = *column,
			      .type = column_type(column, &ratio),
			      .known = known,
			      .score = factor * (1 + title) *
				       score_of(finder, column, known)};
	find->column.values = NULL;
}

/* Return what `sum` makes of the values of each page [pages]. */
static const uint64_t *
find_sums(const struct finder *finder, const struct find *find,
	  uint64_t *(*sum)(const struct column *, uint32_t, struct arena *))
{
	struct arena *arena = arena_create();
	struct column column =
		column_read_again(arena, find->all, &find->column.source);
	const uint64_t *sums =
		sum(&column, finder->table->page_count, finder->scratch);

	arena_destroy(arena);
	return sums;
}

/* Return whether a column is what a page states for machines in its markup. */
static bool is_in_markup(const struct finder *finder,
			 const struct column_source *source)
{
	const struct place *place =
		place_at(finder->table->tree, source->place);

	return source->attribute != NULL && source->to == 0 &&
	       (strcmp(source->attribute, "content") == 0 ||
		strcmp(source->attribute, "datetime") == 0) &&
	       place->names.size > 0 &&
	       memchr(place->names.data, '@', place->names.size) != NULL;
}

/* Return whether a find is what a page states for machines. */
static bool find_is_stated(const struct finder *finder, const struct find *find)
{
	const struct column_source *source = &find->column.source;

	return is_stated(source->attribute) || is_in_markup(finder, source);
}

/*
 * Make what a page states for machines a further address of the find that shows
 * it.
 */
static void find_add_stated(struct arena *arena, struct find *shown,
			    const struct find *one)
{
	struct find *stated = ARENA_NEW(arena, struct find, 1);

	*stated = *one; /* the finds are sorted again */
	if (is_stated(stated->column.source.attribute)) {
		if (shown->in_json_ld == NULL)
			shown->in_json_ld = stated;
	} else if (shown->in_markup == NULL) {
		shown->in_markup = stated;
		if (shown->known == NULL)
			shown->known = stated->known;
	}
}

/* Return whether `one` has the values of a better find, as texts. */
static bool has_same_texts(const struct find *one, const struct find *better,
			   uint32_t pages)
{
	struct agreement agreement =
		compare_pages(one->hashes, better->hashes, pages);

	return agreement.both * 10 >= one->column.pages * 9 &&
	       agreement.equal * 100 >= agreement.both * AGREE_SHARE;
}

/*
 * Return whether the values that a page states mean those that it shows, on
 * nearly all pages that show one.
 */
static bool has_same_meaning(const struct find *stated,
			     const struct find *shown, uint32_t pages)
{
	struct agreement agreement =
		compare_pages(stated->meanings, shown->meanings, pages);

	return agreement.both >= MIN_STATED_PAGES &&
	       (agreement.both * 10 >= shown->column.pages * 9 ||
		agreement.both * 10 >= stated->column.pages * 9) &&
	       agreement.equal * 100 >= agreement.both * AGREE_SHARE;
}

/*
 * Return the find that shows what a page states: a price with its currency
 * rather than a number; or NULL.
 */
static struct find *shown_find(const struct finder *finder,
			       const struct find *stated)
{
	struct find *first = NULL;

	for (uint32_t i = 0; i < finder->count; i++) {
		struct find *one = &finder->finds[i];

		if (one->is_dropped || find_is_stated(finder, one) ||
		    !has_same_meaning(stated, one, finder->table->page_count))
			continue;
		if (one->type == TYPE_PRICE)
			return one;
		if (first == NULL)
			first = one;
	}
	return first;
}

/* Drop the numbers of the prices that a page states. */
static void drop_numbers(struct finder *finder, const struct find *price)
{
	for (uint32_t i = 0; i < finder->count; i++) {
		struct find *one = &finder->finds[i];

		one->is_dropped |=
			one->type == TYPE_NUMBER && one->in_json_ld == NULL &&
			has_same_meaning(price, one, finder->table->page_count);
	}
}

/* Return whether nearly all pages have the same values: a menu. */
static bool is_menu(const struct find *find, uint32_t pages)
{
	uint64_t last = 0;
	uint32_t all = 0;
	uint32_t same = 0;

	if (find->column.count < 2 * find->column.pages)
		return false;
	for (uint32_t i = 0; i < pages; i++) {
		if (find->hashes[i] == 0)
			continue;
		all++;
		same += find->hashes[i] == last;
		last = find->hashes[i];
	}
	/* the first one is equal to none before it */
	return all > 1 &&
	       (uint64_t)same * 100 >= (uint64_t)(all - 1) * CONSTANT_PAGES;
}

/*
 * Drop the columns that have the same values on all pages, or the same as a
 * better one.
 */
static void drop_equal(struct finder *finder)
{
	uint32_t pages = finder->table->page_count;

	for (uint32_t i = 0; i < finder->count; i++) {
		struct find *one = &finder->finds[i];

		one->hashes = find_sums(finder, one, page_hashes);
		one->is_dropped = is_menu(one, pages);
		for (uint32_t k = 0; k < i && !one->is_dropped; k++)
			one->is_dropped =
				!finder->finds[k].is_dropped &&
				has_same_texts(one, &finder->finds[k], pages);
	}
}

/* Drop the columns that state what another one shows, which keeps them. */
static void join_stated(struct finder *finder)
{
	bool has_stated = false;

	for (uint32_t i = 0; i < finder->count; i++)
		has_stated |= find_is_stated(finder, &finder->finds[i]);
	/* what values mean is read from their texts, which takes long */
	for (uint32_t i = 0; i < finder->count && has_stated; i++)
		finder->finds[i].meanings =
			find_sums(finder, &finder->finds[i], page_meanings);
	for (uint32_t i = 0; i < finder->count && has_stated; i++) {
		struct find *one = &finder->finds[i];
		struct find *shown = find_is_stated(finder, one)
					     ? shown_find(finder, one)
					     : NULL;

		if (shown == NULL)
			continue;
		one->is_dropped = true;
		find_add_stated(finder->scratch, shown, one);
		if (shown->type == TYPE_PRICE)
			drop_numbers(finder, one);
	}
	for (uint32_t i = 0; i < finder->count; i++) {
		struct find *one = &finder->finds[i];

		if (one->in_json_ld != NULL &&
		    !finder->settings[one->column.source.place].is_in_head)
			one->score *= CONFIRMED_FACTOR;
	}
	qsort(finder->finds, finder->count, sizeof(*finder->finds),
	      order_finds);
}

/*
 * Append what the JSON-LD states to the finds: it is a field only if the page
 * does not show it.
 */
static void finder_add_stated(struct finder *finder)
{
	const struct column_table *table = finder->table;
	uint32_t begin = finder->count;

	for (uint32_t i = 0; i < table->count && finder->count < ROOM_FOR_FINDS;
	     i++) {
		const struct column *column = &table->columns[i];
		double ratio;

		if (!is_stated(column->source.attribute) ||
		    stated_rank(column->source.attribute) == 0 ||
		    is_constant_column(column))
			continue;
		finder->finds[finder->count++] = (struct find){
			.all = column,
			.column = *column,
			.type = column_type(column, &ratio),
			.score = STATED_FACTOR * column->single /
				 table->page_count *
				 stated_rank(column->source.attribute)};
	}
	qsort(finder->finds + begin, finder->count - begin,
	      sizeof(*finder->finds), order_finds);
}

/* Names */

/*
 * Write the words of a text in lower case, with "_" between them, up to
 * MAX_FIELD_STEM bytes; return the length.
 */
static size_t name_write(char *out, struct slice text)
{
	const unsigned char *at = text.data;
	const unsigned char *end = text.size == 0 ? at : at + text.size;
	size_t size = 0;

	while (at < end && size + 4 <= MAX_FIELD_STEM) {
		const unsigned char *begin = at;
		uint32_t code = utf8_next(&at, end);

		if (!is_word_code(code)) {
			if (size > 0 && out[size - 1] != '_')
				out[size++] = '_';
			continue;
		}
		for (; begin < at; begin++)
			out[size++] = lower((char)*begin);
	}
	while (size > 0 && out[size - 1] == '_')
		size--;
	out[size] = '\0';
	return size;
}

/* Words of classes that say how an element looks. */
static bool is_look(const char *name, size_t size)
{
	static const char *const words[] = {
		"text",    "col",      "row",   "container", "wrapper", "inner",
		"content", "item",     "box",   "block",     "left",    "right",
		"center",  "clearfix", "field", "value",     "label",   "bg",
		"flex",    "grid",     "d",     "p",         "m",       "u",
		"o",       "c",        "col0",  "small",     "large",   "font"};
	size_t first = 0;

	while (first < size && is_letter(name[first]))
		first++;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == first &&
		    memcmp(words[i], name, first) == 0)
			return true;
	return false;
}

/* Write the first name that says more than how the element looks. */
static bool name_by_class(struct slice names, char *out)
{
	while (names.size > 0) {
		const char *at = names.data;
		const char *space = memchr(at, ' ', names.size);
		size_t size = space == NULL ? names.size : (size_t)(space - at);

		if (size > 1 && !is_look(at + 1, size - 1) &&
		    memchr(at, '*', size) == NULL &&
		    name_write(out, (struct slice){at, size}) > 0)
			return true;
		slice_advance(&names, space == NULL ? size : size + 1);
	}
	return false;
}

/* Write the word behind or in front of a part, as in "1,234 words". */
static bool name_by_separator(const struct column_source *source, char *out)
{
	struct slice word = {0};

	if (source->to == 0)
		return false;
	if (source->to <= source->separator_count)
		word = source->separators[source->to - 1];
	if (word.size < 4 && source->from > 0)
		word = source->separators[source->from - 1];
	return word.size >= 4 && name_write(out, word) > 0;
}

/* Write the label of a find, if it has one. */
static bool name_by_label(const struct finder *finder, const struct find *find,
			  char *out)
{
	struct slice label = place_label(finder, find->column.source.place);
	char name[MAX_FIELD_NAME + 1];

	if (name_write(name, label) == 0)
		return false;
	snprintf(out, sizeof(name), "%s", name);
	return true;
}

/* Write a key such as "priceCurrency" as "price_currency". */
static void name_by_key(struct slice key, char *out)
{
	const char *bytes = key.data;
	size_t size = 0;

	for (size_t i = 0; i < key.size && size + 2 <= MAX_FIELD_STEM; i++) {
		bool is_upper = bytes[i] >= 'A' && bytes[i] <= 'Z';

		if (is_upper && i > 0 && bytes[i - 1] >= 'a' &&
		    bytes[i - 1] <= 'z')
			out[size++] = '_';
		out[size++] = lower(bytes[i]);
	}
	out[size] = '\0';
}

/*
 * Write the name that the JSON-LD gives the values of a find. The name of a
 * thing is the title of its page, if the page shows it as title.
 */
static bool name_by_json_ld(const struct find *find, char *out)
{
	const struct find *one = is_stated(find->column.source.attribute)
					 ? find
					 : find->in_json_ld;
	struct slice key;
	const char *known;

	if (one == NULL)
		return false;
	key = stated_key(one->column.source.attribute);
	known = known_name(key);
	if (find != one && slice_equal(key, slice_of("name")))
		known = find->known;
	if (known != NULL)
		snprintf(out, MAX_FIELD_NAME, "%s", known);
	else
		name_by_key(key, out);
	return true;
}

/*
 * Write the name of a find: that of its JSON-LD, its meaning, its label, its
 * class, or its tag.
 */
static void name_find(const struct finder *finder, const struct find *find,
		      char *out)
{
	const struct place_tree *tree = finder->table->tree;
	uint32_t index = find->column.source.place;
	const struct place *place = place_at(tree, index);
	enum field_type type = find->type;

	if (name_by_json_ld(find, out) ||
	    (known_name(place_label(finder, index)) != NULL &&
	     name_by_label(finder, find, out)))
		return;
	if (find->known != NULL) {
		snprintf(out, MAX_FIELD_NAME, "%s", find->known);
		return;
	}
	if (name_by_label(finder, find, out) ||
	    name_by_separator(&find->column.source, out))
		return;
	if (type == TYPE_PRICE || type == TYPE_DATE || type == TYPE_IMAGE) {
		snprintf(out, MAX_FIELD_NAME, "%s", type_name(type));
		return;
	}
	for (uint32_t i = index;
	     i != NO_PLACE && finder->varying[i] <= MAX_WRAPPED;
	     i = place_at(tree, i)->parent) {
		if (name_by_class(place_at(tree, i)->names, out))
			return;
	}
	if (place->is_run)
		place = place_at(tree, place->parent);
	if (name_write(out, step_tag(place->step)) == 0)
		snprintf(out, MAX_FIELD_NAME, "text");
}

/* Return whether one of the fields [count] has the name. */
static bool is_taken(const struct field *fields, uint32_t count,
		     const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(fields[i].name, name) == 0)
			return true;
	return false;
}

/* Append a number if a field before has the name already. */
static void make_unique(struct field *fields, uint32_t count)
{
	struct field *last = &fields[count];
	char stem[MAX_FIELD_NAME + 1];
	uint32_t number = 1;

	memcpy(stem, last->name, sizeof(stem));
	while (is_taken(fields, count, last->name))
		snprintf(last->name, sizeof(last->name), "%.*s_%u",
			 MAX_FIELD_NAME - MAX_NAME_NUMBER, stem, ++number);
}

/* Add the part of a column between two of its separators. */
static void finder_add_part(struct finder *finder, const struct column *all,
			    struct column *part, double factor)
{
	struct arena *arena = arena_create();
	struct column column =
		column_part(arena, part, part->source.from, part->source.to);

	if (column.count > 0)
		finder_add(finder, all, &column, factor);
	arena_destroy(arena);
}

/*
 * Return the type of nine of ten values of the part, if they are nothing else
 * than a number, a price, a date or a URL; otherwise TYPE_TEXT.
 */
static enum field_type part_type(const struct column *part)
{
	struct arena *arena = arena_create();
	struct column column =
		column_part(arena, part, part->source.from, part->source.to);
	uint32_t counts[TYPE_COUNT] = {0};
	enum field_type found = TYPE_TEXT;

	for (uint32_t i = 0; i < column.count; i++) {
		struct slice text = column.values[i].text;
		enum field_type type = type_of_text(text);

		if (type != TYPE_DATE || text.size <= MAX_DATE_BYTES)
			counts[type]++;
	}
	for (enum field_type type = TYPE_NUMBER; type < TYPE_COUNT; type++)
		if (counts[type] * 10 >= column.count * 9)
			found = type;
	arena_destroy(arena);
	return found;
}

/*
 * Add the largest part of a column of texts that is a date or a number and
 * contains a separator: "May 3, 2024" of "May 3, 2024 | The Editors".
 */
static void finder_add_typed(struct finder *finder, const struct column *all,
			     const struct column *column, double factor)
{
	uint8_t last = (uint8_t)(column->source.separator_count + 1);
	struct column part = *column;

	for (uint8_t size = (uint8_t)(last - 1); size >= 2; size--)
		for (uint8_t from = 0; from + size <= last; from++) {
			enum field_type type;

			part.source.from = from;
			part.source.to = (uint8_t)(from + size);
			type = part_type(&part);
			if (type == TYPE_TEXT)
				continue;
			finder_add_part(finder, all, &part,
					type == TYPE_DATE
						? factor
						: factor * PART_FACTOR);
			return;
		}
}

/*
 * Add a column: its values without the words that all begin and end with, and
 * their parts.
 */
static void finder_add_parts(struct finder *finder, const struct column *all,
			     const struct column *column, double factor)
{
	uint32_t place = column->source.place;
	uint8_t count = column->source.separator_count;
	struct column part = *column;
	uint8_t from = 0;
	uint8_t to = (uint8_t)(count + 1);

	if (column->distinct < 2)
		return;
	if (column->source.attribute == NULL &&
	    (place_at(finder->table->tree, place)->is_run ||
	     (finder->varying[place] == 1 && finder->constant[place] == 0 &&
	      !finder->settings[place].is_in_heading)))
		affixes_of(column, &from, &to);
	part.source.from = from;
	part.source.to = to;
	if (from == 0 && to == count + 1) {
		finder_add(finder, all, column, factor);
	} else {
		finder_add_part(finder, all, &part, factor);
		finder_add(finder, all, column, factor * .25);
	}
	if (part_type(&part) != TYPE_TEXT)
		factor *= TYPED_PART_FACTOR;
	else if (finder->varying[place] <= 1)
		finder_add_typed(finder, all, column, factor);
	for (uint8_t i = from; i < to && to > from + 1; i++) {
		part.source.from = i;
		part.source.to = (uint8_t)(i + 1);
		finder_add_part(finder, all, &part, factor * PART_FACTOR);
	}
}

/* Find the title where the head has none: the heading that differs most. */
static void find_heading(struct finder *finder)
{
	const struct column_table *table = finder->table;
	double best = .5;

	for (uint32_t i = 0; i < table->count; i++) {
		const struct column *column = &table->columns[i];
		struct setting setting = finder->settings[column->source.place];
		double score = (double)column->distinct / table->page_count *
			       column->single / table->page_count *
			       (is_frame(&setting) ? .7 : 1);

		if (column->source.attribute == NULL && setting.is_in_heading &&
		    score > best) {
			best = score;
			finder->title = column->source.place;
		}
	}
}

/* Find the title: the text that the title in the head contains. */
static void find_title(struct finder *finder)
{
	const struct column_table *table = finder->table;
	double best = .5;

	finder->title = NO_PLACE;
	for (uint32_t i = 0; i < table->count; i++) {
		const struct column *column = &table->columns[i];
		struct setting setting = finder->settings[column->source.place];
		double score;

		if (column->source.attribute != NULL || setting.is_in_head)
			continue;
		score = in_title(finder, column) *
			(setting.is_in_heading ? 1.3 : 1) *
			(is_frame(&setting) ? .7 : 1) *
			(column->single == column->pages ? 1.1 : 1);
		if (score > best) {
			best = score;
			finder->title = column->source.place;
		}
	}
	if (finder->title == NO_PLACE)
		find_heading(finder);
}

/* Return the outermost repeated place around the title, or NO_PLACE. */
static uint32_t repeated_record(const struct finder *finder)
{
	const struct place_tree *tree = finder->table->tree;
	uint32_t found = NO_PLACE;

	for (uint32_t i = finder->title; i != NO_PLACE;
	     i = place_at(tree, i)->parent)
		if (place_at(tree, i)->is_repeated)
			found = i;
	return found;
}

/*
 * Return what the column of a loose place is worth: one value of each page in
 * several forms is as good as an ordinary one; a list may be a mix.
 */
static double loose_factor(const struct column *column)
{
	return (uint64_t)column->single * 100 >=
			       (uint64_t)column->pages * AGREE_SHARE
		       ? LOOSE_FORM_FACTOR
		       : LOOSE_LIST_FACTOR;
}

/*
 * Add the columns. If the title is in a repeated element, the first one is what
 * the page is about.
 */
static void find_columns(struct finder *finder)
{
	const struct column_table *table = finder->table;
	uint32_t record = repeated_record(finder);

	for (uint32_t i = 0; i < table->count; i++) {
		const struct column *column = &table->columns[i];

		if (is_stated(column->source.attribute))
			continue;
		if (place_at(table->tree, column->source.place)->is_loose) {
			finder_add_parts(finder, column, column,
					 loose_factor(column));
			continue;
		}
		if (record == NO_PLACE || column->single == column->pages ||
		    !place_is_below(table->tree, column->source.place,
				    record)) {
			finder_add_parts(finder, column, column, 1);
		} else {
			struct arena *arena = arena_create();
			struct column first =
				column_pick(arena, column, PICK_FIRST);

			column_separate(&first, SEPARATOR_SHARE,
					finder->scratch);
			finder_add_parts(finder, column, &first, 2);
			arena_destroy(arena);
		}
	}
}

/* Add the address of a find, or nothing for NULL. */
static void field_add_rule(const struct column_table *table,
			   const struct find *find, struct field *field)
{
	if (find != NULL)
		field->rules[field->rule_count++] = column_read_again(
			table->arena, find->all, &find->column.source);
}

/* Records */

/* What the columns are as parts of records, in the order of the finds. */
static struct record_candidate *candidates_of(const struct finder *finder)
{
	static const char *const left_out[] = {"alt", "title", "value",
					       "data-price", "data-value"};
	struct record_candidate *candidates =
		ARENA_NEW(finder->scratch, struct record_candidate,
			  (size_t)finder->count + 1);

	for (uint32_t i = 0; i < finder->count; i++) {
		const struct find *find = &finder->finds[i];
		const struct column_source *source = &find->column.source;
		struct record_candidate *one = &candidates[i];

		if (find->is_dropped || source->pick != PICK_ALL ||
		    place_at(finder->table->tree, source->place)->is_loose)
			continue; /* the root is in no record */
		one->place = source->place;
		one->is_element =
			source->attribute == NULL && source->to == 0 &&
			!place_at(finder->table->tree, source->place)->is_run;
		one->is_text = source->attribute == NULL;
		one->is_image = find->type == TYPE_IMAGE;
		one->is_spare = source->is_series;
		for (size_t a = 0; a < sizeof(left_out) / sizeof(*left_out);
		     a++)
			one->is_spare |=
				source->attribute != NULL &&
				strcmp(source->attribute, left_out[a]) == 0;
		for (uint32_t k = 0; k < i; k++)
			one->is_spare |= finder->finds[k].all == find->all;
	}
	return candidates;
}

/* Return the find of a whole column, which may be dropped, or NULL. */
static struct find *find_of(const struct finder *finder,
			    const struct column *column)
{
	struct find *found = NULL;

	for (uint32_t i = 0; i < finder->count; i++) {
		struct find *find = &finder->finds[i];

		if (find->all != column || find->column.source.pick != PICK_ALL)
			continue;
		if (find->column.source.to == 0)
			found = find;
		else
			find->is_dropped = true;
	}
	return found;
}

/*
 * Add the columns of elements that are one text, even if they were dropped or
 * not chosen because of their parts.
 */
static void add_texts(struct finder *finder, const bool *is_text)
{
	const struct column_table *table = finder->table;

	for (uint32_t i = 0; i < table->count; i++) {
		const struct column *column = &table->columns[i];
		struct find *find;

		if (!is_text[column->source.place] ||
		    column->source.attribute != NULL ||
		    column->source.is_series)
			continue;
		find = find_of(finder, column);
		if (find != NULL)
			find->is_dropped = false;
		else if (finder->count < ROOM_FOR_FINDS)
			finder_add(finder, column, column, 1);
	}
}

/*
 * Words in the classes of lists and of their items; the first one that occurs
 * counts.
 */
static const struct {
	const char *word;
	const char *name;
} list_words[] = {
	{"comment", "comments"},
	{"comments", "comments"},
	{"commentlist", "comments"},
	{"reply", "replies"},
	{"replies", "replies"},
	{"children", "replies"},
	{"review", "reviews"},
	{"reviews", "reviews"},
	{"product", "products"},
	{"products", "products"},
	{"offer", "offers"},
	{"event", "events"},
	{"events", "events"},
	{"question", "questions"},
	{"answer", "answers"},
	{"job", "jobs"},
	{"method", "methods"},
	{"post", "posts"},
	{"posts", "posts"},
	{"topic", "topics"},
	{"topics", "topics"},
	{"article", "articles"},
	{"articles", "articles"},
	{"result", "results"},
	{"results", "results"},
	{"related", "related"},
	{"news", "news"},
	{"member", "members"},
	{"members", "members"},
	{"gallery", "images"},
	{"entry", "entries"},
	{"entries", "entries"},
	{"categories", "categories"},
	/* tags */
	{"tr", "rows"},
};

/* Return whether one of the words of the names is `word`. */
static bool has_word(struct slice names, const char *word)
{
	const char *bytes = names.data;
	size_t at = 0;

	while (at < names.size) {
		size_t begin;

		while (at < names.size && !is_letter(bytes[at]))
			at++;
		begin = at;
		while (at < names.size && is_letter(bytes[at]))
			at++;
		if (slice_equal((struct slice){bytes + begin, at - begin},
				slice_of(word)))
			return true;
	}
	return false;
}

/* Write the name of lists that a word of the names means. */
static bool name_by_list_word(struct slice names, char *out)
{
	for (size_t i = 0; i < sizeof(list_words) / sizeof(*list_words); i++)
		if (has_word(names, list_words[i].word)) {
			snprintf(out, MAX_FIELD_NAME, "%s", list_words[i].name);
			return true;
		}
	return false;
}

/* Ways to name records by a place. */
static bool name_by_words(const struct place *place, char *out)
{
	return name_by_list_word(place->names, out);
}

static bool name_by_names(const struct place *place, char *out)
{
	return name_by_class(place->names, out) && strlen(out) > 2;
}

/*
 * Write the name of the records at a place: what its classes mean, or those of
 * the elements around it, up to the place `top`; a class, or the tag.
 */
static void name_records(const struct place_tree *tree, uint32_t index,
			 uint32_t top, char *out)
{
	static bool (*const ways[])(const struct place *,
				    char *) = {name_by_words, name_by_names};

	for (size_t w = 0; w < sizeof(ways) / sizeof(*ways); w++) {
		uint32_t level = 0;

		for (uint32_t i = index;
		     i != NO_PLACE && i != top && level < MAX_LIST_LEVELS;
		     i = place_at(tree, i)->parent, level++)
			if (ways[w](place_at(tree, i), out))
				return;
	}
	if (!name_by_list_word(step_tag(place_at(tree, index)->step), out))
		snprintf(out, MAX_FIELD_NAME, "items");
}

/* The fields that are written. */
struct field_list {
	struct field *fields; /* [count] */
	uint32_t count;
	uint32_t left; /* further fields of records */
};

/* Set the field of a find; its name is not set. */
static struct field *list_add(const struct finder *finder,
			      const struct find *find, struct field_list *list)
{
	struct field *field = &list->fields[list->count];

	*field = (struct field){
		.confidence = find->score, .parent = NO_FIELD, .rule_count = 1};
	field->rules[0] = column_read_again(finder->table->arena, find->all,
					    &find->column.source);
	field_note_values(field, &field->rules[0]);
	return field;
}

static void list_add_find(const struct finder *finder, const struct find *find,
			  struct field_list *list)
{
	struct field *field = list_add(finder, find, list);

	field_add_rule(finder->table, find->in_json_ld, field);
	field_add_rule(finder->table, find->in_markup, field);
	name_find(finder, find, field->name);
	if (is_taken(list->fields, list->count, field->name))
		name_by_label(finder, find, field->name);
	make_unique(list->fields, list->count++);
}

/*
 * Set the name of a field of records, or of records in others: `size` bytes of
 * the stem after the name of the parent.
 */
static void list_name(const struct field_list *list, struct field *field,
		      const char *stem, size_t size)
{
	struct slice own = utf8_truncate(slice_of(stem), size);
	size_t at = 0;

	if (field->parent != NO_FIELD) {
		const char *parent = list->fields[field->parent].name;

		at = strlen(parent) + 1;
		memcpy(field->name, parent, at);
		field->name[at - 1] = '.';
	}
	assert(at + own.size <= MAX_FIELD_NAME);
	memcpy(field->name + at, own.data, own.size);
	field->name[at + own.size] = '\0';
}

/* Return the table around a cell, or NO_PLACE. */
static uint32_t table_around(const struct place_tree *tree, uint32_t index)
{
	while (index != NO_PLACE && !step_is(place_at(tree, index), "table"))
		index = place_at(tree, index)->parent;
	return index;
}

/* Return the cell that a place is in, or NO_PLACE. */
static uint32_t cell_around(const struct place_tree *tree, uint32_t index)
{
	while (index != NO_PLACE && !step_is(place_at(tree, index), "td") &&
	       !step_is(place_at(tree, index), "th"))
		index = place_at(tree, index)->parent;
	return index;
}

/* Write the text in the head of the column of the table, if it has one. */
static bool name_by_head(const struct finder *finder, uint32_t index, char *out)
{
	const struct column_table *table = finder->table;
	const struct place_tree *tree = table->tree;
	uint32_t cell = cell_around(tree, index);

	if (cell == NO_PLACE || place_at(tree, cell)->positions == 0)
		return false;
	for (uint32_t i = 0; i < table->count; i++) {
		const struct column *column = &table->columns[i];
		const struct place *head = place_at(tree, column->source.place);

		if (column->count > 0 && column->source.attribute == NULL &&
		    !column->source.is_series && step_is(head, "th") &&
		    head->positions == place_at(tree, cell)->positions &&
		    head->position == place_at(tree, cell)->position &&
		    (uint64_t)column->common * 10 >=
			    (uint64_t)column->count * 9 &&
		    table_around(tree, column->source.place) ==
			    table_around(tree, cell))
			return name_write(out, column->values[0].text) > 0;
	}
	return false;
}

/* Return whether a text is what an item says: long, or named so. */
static bool is_body(const struct finder *finder, const struct find *find)
{
	static const char *const words[] = {"content", "body", "message",
					    "cooked"};
	const struct place *place =
		place_at(finder->table->tree, find->column.source.place);

	if (find->column.source.attribute != NULL)
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (place->names.size > 0 &&
		    memmem(place->names.data, place->names.size, words[i],
			   strlen(words[i])) != NULL)
			return true;
	return find->type == TYPE_RICH_TEXT ||
	       slice_equal(place->names, slice_of(".text"));
}

/* The places of a find in a record, from the find's own on to the record. */
struct member_path {
	uint32_t places[MAX_PLACE_DEPTH + 1]; /* no place is deeper */
	uint32_t count;
};

static struct member_path member_path(const struct finder *finder,
				      const struct find *find, uint32_t record)
{
	const struct place_tree *tree = finder->table->tree;
	uint32_t end = place_at(tree, record)->parent;
	struct member_path path = {.count = 0};

	for (uint32_t i = find->column.source.place; i != NO_PLACE && i != end;
	     i = place_at(tree, i)->parent)
		path.places[path.count++] = i;
	return path;
}

/* Ways to name a field of records by a place; the first one that can does. */
static bool name_by_meaning(const struct place *place, char *out)
{
	const char *name = own_meaning(place);

	if (name != NULL)
		snprintf(out, MAX_FIELD_NAME, "%s", name);
	return name != NULL;
}

static bool name_by_tag(const struct place *place, char *out)
{
	struct slice tag = step_tag(place->step);
	bool is_heading = tag.size == 2 && slice_byte(tag, 0) == 'h' &&
			  is_digit(slice_byte(tag, 1));

	if (is_heading)
		snprintf(out, MAX_FIELD_NAME, "title");
	else if (step_is(place, "dt"))
		snprintf(out, MAX_FIELD_NAME, "term");
	else if (step_is(place, "dd"))
		snprintf(out, MAX_FIELD_NAME, "description");
	else
		return false;
	return true;
}

/* Other labels may be the first text of a place by chance. */
static bool name_by_colon(const struct place *place, char *out)
{
	size_t size = place->label.size;

	return size > 0 && slice_byte(place->label, size - 1) == ':' &&
	       name_write(out, place->label) > 0;
}

static bool name_by_path(const struct finder *finder,
			 const struct member_path *path, uint32_t count,
			 bool (*way)(const struct place *, char *), char *out)
{
	for (uint32_t i = 0; i < count; i++)
		if (way(place_at(finder->table->tree, path->places[i]), out))
			return true;
	return false;
}

/* Write the name of what a find shows. */
static void name_shown(const struct finder *finder, const struct find *find,
		       const struct member_path *path, char *out)
{
	const struct column_source *source = &find->column.source;
	bool is_date = find->type == TYPE_DATE || find->type == TYPE_PRICE;
	/* the classes of the record are the name of all */
	uint32_t own = path->count > 1 ? path->count - 1 : path->count;

	if (find->type == TYPE_IMAGE)
		snprintf(out, MAX_FIELD_NAME, "image");
	else if (name_by_path(finder, path, own, name_by_meaning, out) ||
		 name_by_head(finder, source->place, out) ||
		 (!is_date &&
		  name_by_path(finder, path, path->count, name_by_tag, out)))
		return; /* NOLINT(bugprone-branch-clone): in this order */
	else if (is_body(finder, find))
		snprintf(out, MAX_FIELD_NAME, "text");
	else if (name_by_path(finder, path, own, name_by_colon, out) ||
		 name_by_separator(source, out)) /* it is named */
		return;
	else if (is_date)
		snprintf(out, MAX_FIELD_NAME, "%s", type_name(find->type));
	else if (!name_by_path(finder, path, own, name_by_names, out))
		snprintf(out, MAX_FIELD_NAME, "%s",
			 source->attribute == NULL ? "text" : "");
}

/*
 * Write the name of a field of the records at a place, without that of its
 * parent.
 */
static void name_member(const struct finder *finder, const struct find *find,
			uint32_t record, char *out)
{
	const struct member_path path = member_path(finder, find, record);
	const char *attribute = find->column.source.attribute;
	size_t size;

	name_shown(finder, find, &path, out);
	size = utf8_truncate(slice_of(out), MAX_MEMBER_STEM - 4).size;
	if (attribute != NULL && strcmp(attribute, "href") == 0)
		snprintf(out + size, MAX_FIELD_NAME - size, "%s",
			 size == 0 ? "url" : "_url");
	else if (size == 0)
		snprintf(out, MAX_FIELD_NAME, "value");
}

/* Add the fields of the records at a place, whose field is `parent`. */
static void list_add_members(const struct finder *finder,
			     const struct record_candidate *candidates,
			     uint32_t place, uint32_t parent,
			     struct field_list *list)
{
	uint32_t members = 0;

	for (uint32_t i = 0; i < finder->count; i++) {
		const struct find *find = &finder->finds[i];
		struct field *records = &list->fields[parent];
		struct field *field;
		char name[MAX_FIELD_NAME + 1];

		if (find->is_dropped || candidates[i].record != place ||
		    candidates[i].is_spare || list->left == 0 ||
		    members == MAX_RECORD_COLUMNS)
			continue;
		field = list_add(finder, find, list);
		field->parent = parent;
		name_member(finder, find, place, name);
		list_name(list, field, name, MAX_MEMBER_STEM);
		make_unique(list->fields, list->count++);
		members++;
		list->left--;
		if (records->rules[0].pages < field->rules[0].pages)
			records->rules[0].pages = field->rules[0].pages;
	}
}

/* Add the field of the records at a place. */
static void list_add_records(const struct finder *finder, uint32_t place,
			     uint32_t parent, struct field_list *list)
{
	const struct place_tree *tree = finder->table->tree;
	struct field *field = &list->fields[list->count];
	char name[MAX_FIELD_NAME + 1];
	uint32_t top = NO_PLACE;

	*field = (struct field){
		.type = TYPE_RECORDS, .parent = parent, .rule_count = 1};
	field->rules[0].source.place = place;
	if (parent != NO_FIELD)
		top = list->fields[parent].rules[0].source.place;
	name_records(tree, place, top, name);
	list_name(list, field, name, MAX_LIST_STEM);
	make_unique(list->fields, list->count++);
}

/*
 * Add the records at a place, their fields, and the records that are nested in
 * them.
 */
static void list_add_group(const struct finder *finder,
			   const struct record_candidate *candidates,
			   const struct record_groups *groups, uint32_t place,
			   struct field_list *list)
{
	uint32_t places = finder->table->tree->places.count;
	uint32_t first = list->count;

	list_add_records(finder, place, NO_FIELD, list);
	for (uint32_t f = first; f < list->count; f++) {
		uint32_t own = list->fields[f].rules[0].source.place;

		if (list->fields[f].type != TYPE_RECORDS)
			continue;
		list_add_members(finder, candidates, own, f, list);
		for (uint32_t i = own; i < places && list->left > 1; i++)
			if (groups->is_record[i] && groups->around[i] == own) {
				list_add_records(finder, i, f, list);
				list->left--;
			}
	}
}

/* A field, or records with their fields. */
struct unit {
	double score;
	uint32_t find; /* the best one */
	uint32_t members;
	uint32_t place; /* of the records; NO_PLACE: a field */
};

static int order_units(const void *left, const void *right)
{
	const struct unit *a = left;
	const struct unit *b = right;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return (a->find > b->find) - (a->find < b->find);
}

/* Return the units [*count_out], the best first. */
static struct unit *units_of(const struct finder *finder,
			     const struct record_candidate *candidates,
			     const struct record_groups *groups,
			     uint32_t *count_out)
{
	struct unit *units = ARENA_NEW(finder->scratch, struct unit,
				       (size_t)finder->count + 1);
	uint32_t count = 0;

	for (uint32_t i = 0; i < finder->count; i++) {
		uint32_t place = candidates[i].record;
		uint32_t u = count;
		double bonus = RECORD_BONUS;

		if (finder->finds[i].is_dropped ||
		    (place != NO_PLACE && candidates[i].is_spare))
			continue;
		while (place != NO_PLACE && groups->around[place] != NO_PLACE)
			place = groups->around[place];
		if (place != NO_PLACE &&
		    (finder->settings[place].groups & 1u << GROUP_COMMENT) != 0)
			bonus *= COMMENT_BONUS;
		if (place != NO_PLACE)
			for (u = 0; u < count && units[u].place != place;)
				u++;
		if (u == count)
			units[count++] =
				(struct unit){.find = i, .place = place};
		/* the finds are in the order of their scores */
		if (units[u].members++ < SCORED_MEMBERS)
			units[u].score += finder->finds[i].score *
					  (place == NO_PLACE ? 1 : bonus);
	}
	qsort(units, count, sizeof(*units), order_units);
	*count_out = count;
	return units;
}

/* The ordinary column of an element. */
struct element_column {
	uint64_t key; /* of the page and of the element */
	uint32_t column;
};

static uint64_t element_key(const struct value *value)
{
	return hash_chain((uint64_t)value->page << 32 | value->node, 0);
}

/* Return the columns that the elements of loose places have otherwise. */
static struct hash_table element_columns(const struct column_table *table,
					 struct arena *arena)
{
	struct hash_table elements =
		hash_table_make(arena, sizeof(struct element_column));

	for (uint32_t i = 0; i < table->count; i++) {
		const struct column *column = &table->columns[i];
		const struct place *place =
			place_at(table->tree, column->source.place);

		if (column->source.attribute != NULL || place->is_run ||
		    place->is_loose)
			continue;
		for (uint32_t k = 0; k < column->count; k++) {
			struct element_column *one = hash_table_add(
				&elements, element_key(&column->values[k]));

			one->column = i;
		}
	}
	return elements;
}

/*
 * Return whether a loose place joins what ordinary columns have only in part,
 * such as the headings of some pages. `counts` [columns] is 0 and stays so.
 */
static bool is_joining(const struct column *column,
		       const struct hash_table *elements, uint32_t *counts)
{
	uint32_t most = 0;

	if (column->source.attribute != NULL)
		return false;
	for (uint32_t i = 0; i < column->count; i++) {
		const struct element_column *one = hash_table_find(
			elements, element_key(&column->values[i]));

		if (one != NULL && ++counts[one->column] > most)
			most = counts[one->column];
	}
	for (uint32_t i = 0; i < column->count; i++) {
		const struct element_column *one = hash_table_find(
			elements, element_key(&column->values[i]));

		if (one != NULL)
			counts[one->column] = 0;
	}
	return (uint64_t)most * 100 < (uint64_t)column->count * MAX_PART_SHARE;
}

/*
 * Return the columns of the table without those of loose places that join
 * nothing.
 */
static struct column_table useful_columns(const struct column_table *table,
					  struct arena *arena)
{
	struct column_table result = *table;
	struct hash_table elements = element_columns(table, arena);
	uint32_t *counts = ARENA_NEW(arena, uint32_t, table->count + 1u);

	result.columns = ARENA_NEW(arena, struct column, table->count + 1u);
	result.count = 0;
	for (uint32_t i = 0; i < table->count; i++)
		if (!place_at(table->tree, table->columns[i].source.place)
			     ->is_loose ||
		    is_joining(&table->columns[i], &elements, counts))
			result.columns[result.count++] = table->columns[i];
	return result;
}

uint32_t fields_discover(const struct column_table *all,
			 struct field *fields_out, uint32_t max)
{
	struct arena *scratch = arena_create();
	const struct column_table useful = useful_columns(all, scratch);
	const struct column_table *table = &useful;
	struct finder finder = {
		.table = table,
		.settings = settings_of(table->tree, scratch),
		.finds = ARENA_NEW(scratch, struct find, ROOM_FOR_FINDS),
		.scratch = scratch,
	};
	struct field_list list = {.fields = fields_out,
				  .left = MAX_RECORD_FIELDS};
	struct record_candidate *candidates;
	struct record_groups groups;
	struct unit *units;
	bool *is_text;
	uint32_t count;

	count_runs(&finder);
	find_meanings(&finder);
	find_title(&finder);
	find_columns(&finder);
	choose_finds(&finder);
	finder_add_stated(&finder);
	drop_equal(&finder);
	join_stated(&finder);
	candidates = candidates_of(&finder);
	is_text = records_texts(table->tree, candidates, finder.count, scratch);
	add_texts(&finder, is_text);
	candidates = candidates_of(&finder);
	groups = records_group(table->tree, is_text, candidates, finder.count,
			       scratch);
	units = units_of(&finder, candidates, &groups, &count);
	for (uint32_t u = 0, tops = 0; u < count && tops < max; u++) {
		if (units[u].place == NO_PLACE)
			list_add_find(&finder, &finder.finds[units[u].find],
				      &list);
		else if (list.left > 1)
			list_add_group(&finder, candidates, &groups,
				       units[u].place, &list);
		else
			continue;
		tops++;
	}
	arena_destroy(scratch);
	return list.count;
}
