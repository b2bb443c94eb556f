#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "template/fields/field.h"
#include "template/fields/rule.h"
#include "template/fields/stated.h"
#include "template/fields/value.h"

/* What the page shows is better than what it states only for machines. */
#define STATED_PRIOR .15

/* How likely a list is meant although the examples have one value. */
#define FLAT_LIST .9

/* The F1 of a list that is nearly that of an example, and what it is worth. */
#define SOFT_SHARE .8
#define SOFT_MATCH .8

enum {
	MAX_LIST_DEPTH = 2,
	MAX_CANDIDATES = LIMIT(64, 6),
	ROOM_FOR_CANDIDATES = 2 * MAX_CANDIDATES,
	MAX_MATCHES = LIMIT(500, 10), /* columns with the values in them */
	MAX_TRIED = LIMIT(8, 3),      /* examples that are looked for first */
	MIN_COMMON_PAGES = 3,
	MIN_SOFT_VALUES = 3, /* of a list that may differ in a few */
	CALLED_LEVELS =
		3,    /* elements around a value whose names may be its own */
	MIN_STEM = 5, /* letters of "created" and "creation" that count */
	LOOSE_SHARE = 15, /* percent of values with an optional separator */
};

struct candidate {
	const struct column *all; /* the column of the table it is part of */
	struct column rule;       /* without values until the best are chosen */
	double prior;             /* how robust its address is, in (0, 1] */
	double match;             /* ratio of the examples that it has */
	double score;
	const uint64_t *hashes; /* [pages] */
};

struct teacher {
	const struct column_table *table;
	const struct setting *settings; /* [places] */
	const struct field_lesson *lesson;
	const struct example *examples; /* of the lesson */
	uint32_t example_count;
	enum field_type type;         /* of the first value */
	struct candidate *candidates; /* [count] of ROOM_FOR_CANDIDATES */
	uint32_t count;
	struct arena *scratch;
};

bool example_has(const struct example *example, struct slice text)
{
	for (uint32_t i = 0; i < example->count; i++)
		if (slice_equal(example->values[i], text))
			return true;
	return false;
}

/*
 * Return how well the rule's values on the page of the example are those of the
 * example, in [0, 1]: a long list may differ in a few.
 */
static double example_match(const struct example *example,
			    const struct column *rule)
{
	struct value values[MAX_PAGE_VALUES];
	uint32_t count = rule_values(rule, example->page, values);
	uint32_t common = 0;
	double share;

	for (uint32_t i = 0; i < count; i++)
		common += example_has(example, values[i].text);
	if (count == example->count && common == count)
		return 1;
	if (example->count < MIN_SOFT_VALUES)
		return 0;
	share = 2.0 * common / (count + example->count);
	return share < SOFT_SHARE ? 0 : share * SOFT_MATCH;
}

static double match_of(const struct teacher *teacher, const struct column *rule)
{
	double right = 0;

	for (uint32_t i = 0; i < teacher->example_count; i++)
		right += example_match(&teacher->examples[i], rule);
	return right / teacher->example_count;
}

/*
 * Return whether the place is in a list of single values, such as the authors
 * of an article: the repeated place is the place itself, or directly around it.
 */
static bool is_flat_list(const struct place_tree *tree, uint32_t index)
{
	uint32_t repeated = 0;
	uint32_t distance = 0;

	for (uint32_t i = index, up = 0; i != NO_PLACE;
	     i = place_at(tree, i)->parent, up++) {
		if (!place_at(tree, i)->is_repeated)
			continue;
		repeated++;
		distance = up;
	}
	return repeated == 1 && distance <= MAX_LIST_DEPTH;
}

/*
 * Return the ratio of pages with one value, if the examples have one value; of
 * pages with a value, if they have several.
 */
static double expected_count(const struct teacher *teacher,
			     const struct column *rule)
{
	struct value values[MAX_PAGE_VALUES];
	uint32_t single = 0;

	for (uint32_t i = 0; i < teacher->example_count; i++)
		if (teacher->examples[i].count > 1)
			return 1;
	if (rule->source.pick != PICK_ALL || rule->single == rule->pages)
		return 1;
	if (is_flat_list(teacher->table->tree, rule->source.place))
		return FLAT_LIST;
	for (uint32_t i = 0; i < teacher->table->page_count; i++)
		single += rule_values(rule, i, values) == 1;
	return (double)single / rule->pages;
}

/* Cut the next word, of letters, off the text; {NULL, 0} at the end. */
static struct slice next_word(struct slice *text)
{
	size_t begin = 0;
	size_t end;
	struct slice word = {0};

	if (text->size == 0)
		return word;
	while (begin < text->size && !is_letter((char)slice_byte(*text, begin)))
		begin++;
	end = begin;
	while (end < text->size && is_letter((char)slice_byte(*text, end)))
		end++;
	word = (struct slice){(const char *)text->data + begin, end - begin};
	slice_advance(text, end);
	return word;
}

/* Return whether both texts have a word with the same first letters. */
static bool words_meet(struct slice left, struct slice right)
{
	struct slice a;

	while ((a = next_word(&left)).size > 0) {
		struct slice rest = right;
		struct slice b;

		while ((b = next_word(&rest)).size > 0)
			if (a.size >= MIN_STEM && b.size >= MIN_STEM &&
			    strncasecmp(a.data, b.data, MIN_STEM) == 0)
				return true;
	}
	return false;
}

/*
 * Return whether a place is called as the field is: its label or its names, or
 * those of an element close around it.
 */
static bool is_called(const struct teacher *teacher, uint32_t index)
{
	const struct place_tree *tree = teacher->table->tree;
	struct slice name = slice_of(teacher->lesson->name);
	const char *meaning = known_name(name);

	for (uint32_t n = 0; n < CALLED_LEVELS && index != NO_PLACE; n++) {
		const struct place *place = place_at(tree, index);
		const struct slice texts[] = {place->label, place->names};

		for (size_t i = 0; i < 2; i++) {
			const char *known = known_name(texts[i]);

			if (words_meet(name, texts[i]) ||
			    (meaning != NULL && known != NULL &&
			     strcmp(known, meaning) == 0))
				return true;
		}
		index = place->parent;
	}
	return false;
}

/* An address by the path is better than one by the name only. */
#define LOOSE_PRIOR .7

/* The first value is usually the page's own, the others are of its relatives.
 */
static const double pick_priors[PICK_COUNT] = {1, .85, .55, .6};

/* Return how likely the address prints the field on other pages, too. */
static double prior_of(const struct teacher *teacher, const struct column *rule)
{
	const struct setting *setting = &teacher->settings[rule->source.place];
	double ratio;
	enum field_type type = column_type(rule, &ratio);
	double prior = 1;

	prior *= type == teacher->type ? .5 + .5 * ratio : .5;
	if (is_stated(rule->source.attribute))
		prior *= STATED_PRIOR;
	else if (rule->source.attribute != NULL)
		prior *= .7;
	if (rule->source.to > 0)
		prior *= .8;
	prior *= pick_priors[rule->source.pick];
	if (place_at(teacher->table->tree, rule->source.place)->is_loose)
		prior *= LOOSE_PRIOR;
	if (setting->is_in_head)
		prior *= .7;
	if (is_frame(setting))
		prior *= .7;
	if (!setting->is_in_heading)
		prior *= .8;
	if (!is_called(teacher, rule->source.place))
		prior *= .8;
	if (!setting->is_named && !setting->is_labelled)
		prior *= .8;
	if (rule->distinct == 1)
		prior *= .7;
	return prior * (.5 + .5 * expected_count(teacher, rule));
}

static int order_candidates(const void *left, const void *right)
{
	const struct candidate *a = left;
	const struct candidate *b = right;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return (a->rule.key > b->rule.key) - (a->rule.key < b->rule.key);
}

/* Keep only the best candidates. */
static void choose_candidates(struct teacher *teacher)
{
	qsort(teacher->candidates, teacher->count, sizeof(struct candidate),
	      order_candidates);
	if (teacher->count > MAX_CANDIDATES)
		teacher->count = MAX_CANDIDATES;
}

/* Return whether the rule has a value that the lesson excludes. */
static bool has_excluded(const struct teacher *teacher,
			 const struct column *rule)
{
	const struct field_lesson *lesson = teacher->lesson;

	for (uint32_t k = 0; k < lesson->excluded_count; k++)
		for (uint32_t i = 0; i < rule->count; i++)
			if (slice_equal(rule->values[i].text,
					lesson->excluded[k]))
				return true;
	return false;
}

/*
 * Add a rule that is part of the column `all`; return its match, 0 if it is
 * excluded.
 */
static double teacher_add(struct teacher *teacher, const struct column *all,
			  const struct column *rule)
{
	double match = match_of(teacher, rule);
	double prior;
	struct candidate *one;

	if (match <= .5)
		return match;
	if (has_excluded(teacher, rule))
		return 0;
	if (teacher->count == ROOM_FOR_CANDIDATES)
		choose_candidates(teacher);
	prior = prior_of(teacher, rule);
	one = &teacher->candidates[teacher->count++];
	*one = (struct candidate){.all = all,
				  .rule = *rule,
				  .match = match,
				  .prior = prior,
				  .score = match * match * prior};
	one->rule.values = NULL;
	return match;
}

/* Return whether a value contains the text, or a part of it is the text. */
static bool value_has(struct slice value, const struct column_source *source,
		      struct slice text)
{
	return source->to == 0 ? memmem(value.data, value.size, text.data,
					text.size) != NULL
			       : slice_equal(source_part(source, value), text);
}

/*
 * Return whether the values of the column, or their parts by `source`, have the
 * values of the first examples in them.
 */
static bool may_match(const struct teacher *teacher,
		      const struct column *column,
		      const struct column_source *source)
{
	uint32_t tried = 0;
	uint32_t found = 0;

	for (uint32_t i = 0; i < teacher->example_count && tried < MAX_TRIED;
	     i++) {
		const struct example *example = &teacher->examples[i];
		bool is_found = false;
		const struct value *values;
		uint32_t count;

		if (example->count == 0)
			continue;
		tried++;
		values = column_values(column, example->page, &count);
		for (uint32_t k = 0; k < count && !is_found; k++)
			is_found = value_has(values[k].text, source,
					     example->values[0]);
		found += is_found;
	}
	return found * 2 > tried;
}

/*
 * Add the part of the column between two of its separators, if it may match;
 * return its match.
 */
static double teacher_add_part(struct teacher *teacher,
			       const struct column *all,
			       const struct column *column, uint8_t from,
			       uint8_t to)
{
	struct column_source source = column->source;
	struct arena *arena;
	struct column part;
	double match = 0;

	source.from = from;
	source.to = to;
	if (!may_match(teacher, column, &source))
		return 0;
	arena = arena_create();
	part = column_part(arena, column, from, to);
	if (part.count > 0)
		match = teacher_add(teacher, all, &part);
	arena_destroy(arena);
	return match;
}

/*
 * Add the parts of the column between two of its separators; return the best
 * match.
 */
static double teacher_add_parts(struct teacher *teacher,
				const struct column *all,
				const struct column *column)
{
	uint8_t separators = column->source.separator_count;
	double best = 0;

	for (uint8_t from = 0; separators > 0 && from <= separators; from++)
		for (uint8_t to = (uint8_t)(from + 1); to <= separators + 1;
		     to++) {
			double match;

			if (from == 0 && to == separators + 1)
				continue;
			match = teacher_add_part(teacher, all, column, from,
						 to);
			if (match > best)
				best = match;
		}
	return best;
}

/*
 * Add the column and its parts. If none has the values of all examples, try the
 * words that only some of its values contain.
 */
static void teacher_add_whole(struct teacher *teacher, const struct column *all,
			      const struct column *column)
{
	struct column loose = *column;
	double match = teacher_add(teacher, all, column);
	double parts = teacher_add_parts(teacher, all, column);

	if (match >= 1 || parts >= 1 || column->distinct == 1)
		return;
	column_separate(&loose, LOOSE_SHARE, teacher->scratch);
	teacher_add_parts(teacher, all, &loose);
}

/*
 * Add the column, and its first, second and last values. Of JSON-LD only the
 * whole values are useful.
 */
static void teacher_add_column(struct teacher *teacher,
			       const struct column *column)
{
	if (is_stated(column->source.attribute)) {
		teacher_add(teacher, column, column);
		return;
	}
	teacher_add_whole(teacher, column, column);
	if (column->single == column->pages)
		return;
	for (uint32_t pick = PICK_FIRST; pick < PICK_COUNT; pick++) {
		struct arena *arena = arena_create();
		struct column picked =
			column_pick(arena, column, (enum pick)pick);

		column_separate(&picked, SEPARATOR_SHARE, teacher->scratch);
		teacher_add_whole(teacher, column, &picked);
		arena_destroy(arena);
	}
}

/* Add the columns that may match, but not all of a hostile site. */
static void teacher_add_columns(struct teacher *teacher)
{
	const struct column_table *table = teacher->table;
	const struct column_source whole = {0};
	uint32_t added = 0;

	for (uint32_t i = 0; i < table->count && added < MAX_MATCHES; i++) {
		if (!may_match(teacher, &table->columns[i], &whole))
			continue;
		teacher_add_column(teacher, &table->columns[i]);
		added++;
	}
}

/* The share of the pages on which a candidate has values. */
static double fill_of(const struct candidate *candidate, uint32_t pages)
{
	uint32_t filled = 0;

	for (uint32_t i = 0; i < pages; i++)
		filled += candidate->hashes[i] != 0;
	return (double)filled / pages;
}

/* Return how much the candidates agree with one on all pages, in [0, 1]. */
static double support_of(const struct teacher *teacher,
			 const struct candidate *one)
{
	uint32_t pages = teacher->table->page_count;
	double sum = 0;
	double weight = 0;

	for (uint32_t k = 0; k < teacher->count; k++) {
		const struct candidate *other = &teacher->candidates[k];
		struct agreement agreement =
			compare_pages(one->hashes, other->hashes, pages);

		if (agreement.both > 0)
			sum += other->prior * agreement.equal / pages;
		weight += other->prior;
	}
	return sum / weight;
}

/*
 * Score the candidates: one that agrees with others on the pages without
 * examples is more likely.
 */
static void score_candidates(struct teacher *teacher)
{
	uint32_t pages = teacher->table->page_count;

	choose_candidates(teacher);
	for (uint32_t i = 0; i < teacher->count; i++) {
		struct candidate *one = &teacher->candidates[i];

		one->rule = column_read_again(teacher->scratch, one->all,
					      &one->rule.source);
		one->hashes = page_hashes(&one->rule, pages, teacher->scratch);
	}
	for (uint32_t i = 0; i < teacher->count; i++) {
		struct candidate *one = &teacher->candidates[i];

		one->score = one->match * one->match * one->prior *
			     (.2 + .4 * fill_of(one, pages) +
			      .4 * support_of(teacher, one));
	}
	qsort(teacher->candidates, teacher->count, sizeof(struct candidate),
	      order_candidates);
}

static void take_rule(const struct teacher *teacher,
		      const struct candidate *one, struct field *field)
{
	field->rules[field->rule_count++] = column_read_again(
		teacher->table->arena, one->all, &one->rule.source);
}

/* Return the first value of a page, or {NULL, 0}. */
static struct slice value_of_page(const struct column *rule, uint32_t page)
{
	uint32_t count;
	const struct value *values = column_values(rule, page, &count);

	return count == 0 ? (struct slice){0} : values[0].text;
}

/* Return the example of the page, or NULL. */
static const struct example *example_of_page(const struct teacher *teacher,
					     uint32_t page)
{
	for (uint32_t i = 0; i < teacher->example_count; i++)
		if (teacher->examples[i].page == page)
			return &teacher->examples[i];
	return NULL;
}

static void field_add_doubt(struct field *field, uint32_t page,
			    struct slice value, struct slice other)
{
	if (field->doubt_count < MAX_DOUBTS)
		field->doubts[field->doubt_count++] =
			(struct doubt){page, {value, other}};
}

/* Add the pages on which the best rule does not have the example's values. */
static void field_doubt_examples(const struct teacher *teacher,
				 struct field *field)
{
	const struct column *rule = &teacher->candidates[0].rule;

	for (uint32_t i = 0; i < teacher->example_count; i++) {
		const struct example *example = &teacher->examples[i];

		if (example_match(example, rule) < 1)
			field_add_doubt(field, example->page,
					value_of_page(rule, example->page),
					example->count == 0
						? (struct slice){0}
						: example->values[0]);
	}
}

/*
 * Add the pages without examples on which the best rule and another one differ:
 * first those where both have values.
 */
static void field_doubt_rival(const struct teacher *teacher,
			      const struct candidate *rival,
			      struct field *field)
{
	const struct candidate *best = &teacher->candidates[0];

	for (int is_one = 0; is_one <= 1; is_one++)
		for (uint32_t i = 0; i < teacher->table->page_count; i++) {
			uint64_t left = best->hashes[i];
			uint64_t right = rival->hashes[i];

			if (left != right &&
			    (left == 0 || right == 0) == is_one &&
			    example_of_page(teacher, i) == NULL)
				field_add_doubt(field, i,
						value_of_page(&best->rule, i),
						value_of_page(&rival->rule, i));
		}
}

/* Take the best rule, and rules that agree with it where both have values. */
static void take_rules(const struct teacher *teacher, struct field *field)
{
	const struct candidate *best = &teacher->candidates[0];
	uint32_t pages = teacher->table->page_count;
	const struct candidate *rival = NULL;
	uint32_t alike = 0;

	take_rule(teacher, best, field);
	field_note_values(field, &field->rules[0]);
	field_doubt_examples(teacher, field);
	for (uint32_t i = 1; i < teacher->count; i++) {
		const struct candidate *one = &teacher->candidates[i];
		struct agreement agreement =
			compare_pages(best->hashes, one->hashes, pages);

		if (agreement.both < MIN_COMMON_PAGES ||
		    agreement.equal * 100 < agreement.both * AGREE_SHARE) {
			rival = rival == NULL ? one : rival;
			continue;
		}
		alike++;
		if (one->match == best->match &&
		    field->rule_count < MAX_FIELD_RULES)
			take_rule(teacher, one, field);
	}
	if (rival != NULL)
		field_doubt_rival(teacher, rival, field);
	field->confidence = best->match * (1.0 + alike) / teacher->count;
}

static bool has_stated_rule(const struct field *field)
{
	for (uint32_t i = 0; i < field->rule_count; i++)
		if (is_stated(field->rules[i].source.attribute))
			return true;
	return false;
}

/*
 * Add the JSON-LD that means the same as the field on nearly all pages, in
 * another form: "12.99" for "£12.99".
 */
static void take_stated_rule(const struct teacher *teacher, struct field *field)
{
	const struct column_table *table = teacher->table;
	const uint64_t *own = page_meanings(&field->rules[0], table->page_count,
					    teacher->scratch);

	if (field->rule_count == MAX_FIELD_RULES || has_stated_rule(field))
		return;
	for (uint32_t i = 0; i < table->count; i++) {
		const struct column *column = &table->columns[i];
		struct agreement agreement;

		if (!is_stated(column->source.attribute) ||
		    column->distinct < 2)
			continue;
		agreement =
			compare_pages(own,
				      page_meanings(column, table->page_count,
						    teacher->scratch),
				      table->page_count);
		if (agreement.both < MIN_COMMON_PAGES ||
		    agreement.both * 10 < field->rules[0].pages * 9 ||
		    agreement.equal * 100 < agreement.both * AGREE_SHARE)
			continue;
		field->rules[field->rule_count++] = *column;
		return;
	}
}

/* Return the first value of the examples, or {NULL, 0}. */
static struct slice first_value(const struct example *examples, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (examples[i].count > 0)
			return examples[i].values[0];
	return (struct slice){0};
}

bool field_teach_lesson(const struct column_table *table,
			const struct field_lesson *lesson,
			struct field *field_out)
{
	struct slice value = first_value(lesson->examples, lesson->count);
	struct arena *scratch = arena_create();
	struct teacher teacher = {
		.table = table,
		.settings = settings_of(table->tree, scratch),
		.lesson = lesson,
		.examples = lesson->examples,
		.example_count = lesson->count,
		.type = type_of_text(value),
		.candidates = ARENA_NEW(scratch, struct candidate,
					ROOM_FOR_CANDIDATES),
		.scratch = scratch,
	};

	*field_out = (struct field){.type = teacher.type, .parent = NO_FIELD};
	snprintf(field_out->name, sizeof(field_out->name), "%s", lesson->name);
	if (value.size > 0)
		teacher_add_columns(&teacher);
	if (teacher.count > 0) {
		score_candidates(&teacher);
		take_rules(&teacher, field_out);
		take_stated_rule(&teacher, field_out);
	}
	arena_destroy(scratch);
	return field_out->rule_count > 0;
}

bool field_teach(const struct column_table *table, const char *name,
		 const struct example *examples, uint32_t count,
		 struct field *field_out)
{
	const struct field_lesson lesson = {
		.name = name, .examples = examples, .count = count};

	return field_teach_lesson(table, &lesson, field_out);
}
