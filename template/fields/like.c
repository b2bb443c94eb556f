#include "template/fields/like.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

/* Pairs that are less similar are not suggested. */
#define MIN_LIKENESS .45
/* The only two fields of a telling type, if their names say nothing. */
#define LIKENESS_OF_TYPE .5
/* The name of one is the label of the other. */
#define LIKENESS_OF_LABEL .9

enum {
	LABEL_LEVELS = 2,   /* how near a label is to a place that has it */
	MAX_LIKE_WORDS = 8, /* of a name or label */
};

static uint32_t slice_first_code(struct slice text)
{
	const unsigned char *at = text.data;

	return text.size == 0 ? 0 : utf8_next(&at, at + text.size);
}

struct slice source_label(const struct place_tree *tree,
			  const struct column_source *source)
{
	uint32_t up = source->place;

	for (uint8_t i = source->to > 0 ? source->from : 0; i-- > 0;)
		if (is_word_code(slice_first_code(source->separators[i])))
			return source->separators[i];
	for (uint32_t n = 0; n < LABEL_LEVELS && up != NO_PLACE; n++) {
		const struct place *place = place_at(tree, up);

		if (place->label.size > 0)
			return place->label;
		up = place->parent;
	}
	return (struct slice){"", 0};
}

struct field_pattern field_pattern_of(const struct place_tree *tree,
				      const struct field *field)
{
	struct field_pattern pattern = {
		.type = field->type,
		.label = source_label(tree, &field->rules[0].source)};

	memcpy(pattern.name, field->name, sizeof(pattern.name));
	return pattern;
}

bool field_pattern_read(const json_t *description,
			struct field_pattern *pattern_out)
{
	const json_t *name = json_object_get(description, "name");
	const json_t *label = json_object_get(description, "label");
	const char *type =
		json_string_value(json_object_get(description, "shown_type"));
	uint32_t number = 0;

	*pattern_out = (struct field_pattern){0};
	while (type != NULL && number < TYPE_COUNT &&
	       strcmp(type_name((enum field_type)number), type) != 0)
		number++;
	if (!json_is_string(name) || type == NULL || number == TYPE_COUNT ||
	    json_string_length(name) > MAX_FIELD_NAME)
		return false;
	memcpy(pattern_out->name, json_string_value(name),
	       json_string_length(name));
	pattern_out->type = (enum field_type)number;
	if (json_is_string(label))
		pattern_out->label = (struct slice){json_string_value(label),
						    json_string_length(label)};
	return true;
}

void patterns_drop_shared(struct field_pattern *patterns, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct slice label = patterns[i].label;
		bool is_shared = false;

		for (uint32_t k = i + 1; k < count && label.size > 0; k++)
			if (slice_equal(patterns[k].label, label)) {
				patterns[k].label = (struct slice){"", 0};
				is_shared = true;
			}
		if (is_shared)
			patterns[i].label = (struct slice){"", 0};
	}
}

/* Words */

/* Cut the next word: letters, or digits. Return false at the end. */
static bool like_word_next(struct slice *text, struct slice *word_out)
{
	const unsigned char *at = text->data;
	const unsigned char *end = at + text->size;
	const unsigned char *begin = at;
	const unsigned char *next = at;

	while (next < end && !is_word_code(utf8_next(&next, end)))
		begin = next;
	for (at = begin, next = begin;
	     next < end && is_word_code(utf8_next(&next, end));)
		at = next;
	*word_out = (struct slice){begin, (size_t)(at - begin)};
	*text = (struct slice){at, (size_t)(end - at)};
	return word_out->size > 0;
}

static uint32_t like_words(struct slice text, struct slice *words)
{
	uint32_t count = 0;

	while (text.size > 0 && count < MAX_LIKE_WORDS &&
	       like_word_next(&text, &words[count]))
		count++;
	return count;
}

static bool like_word_equal(struct slice left, struct slice right)
{
	return left.size == right.size &&
	       strncasecmp(left.data, right.data, left.size) == 0;
}

/* Return how many of the words two texts share, in [0, 1]. */
static double text_likeness(struct slice left, struct slice right)
{
	struct slice a[MAX_LIKE_WORDS];
	struct slice b[MAX_LIKE_WORDS];
	uint32_t a_count = like_words(left, a);
	uint32_t b_count = like_words(right, b);
	uint32_t most = a_count > b_count ? a_count : b_count;
	uint32_t shared = 0;

	for (uint32_t i = 0; i < a_count; i++)
		for (uint32_t k = 0; k < b_count; k++)
			if (like_word_equal(a[i], b[k])) {
				shared++;
				b[k].size = 0;
				break;
			}
	return most == 0 ? 0 : (double)shared / most;
}

static bool is_figure(enum field_type type)
{
	return type == TYPE_NUMBER || type == TYPE_PRICE;
}

/* Return how well the type of an own field suits the wanted one. */
static double type_likeness(const struct field_pattern *wanted,
			    const struct field_pattern *own)
{
	bool is_text = own->type == TYPE_TEXT || own->type == TYPE_RICH_TEXT;

	if (wanted->type == own->type)
		return 1;
	if (is_figure(wanted->type) && is_figure(own->type))
		return .9;
	/* "125 g" is a text that has a number */
	if (wanted->transform.kind == TRANSFORM_NUMBER && is_text)
		return .9;
	return is_text && (wanted->type == TYPE_TEXT ||
			   wanted->type == TYPE_RICH_TEXT)
		       ? .9
		       : .5;
}

static double larger(double left, double right)
{
	return left > right ? left : right;
}

static double pattern_likeness(const struct field_pattern *wanted,
			       const struct field_pattern *own)
{
	struct slice name = slice_of(wanted->name);
	struct slice own_name = slice_of(own->name);
	double crossed = larger(text_likeness(name, own->label),
				text_likeness(wanted->label, own_name));
	double text = larger(text_likeness(name, own_name),
			     text_likeness(wanted->label, own->label));

	return larger(text, LIKENESS_OF_LABEL * crossed) *
	       type_likeness(wanted, own);
}

/* Pairs */

static int order_pairs(const void *left, const void *right)
{
	const struct likeness *a = left;
	const struct likeness *b = right;

	if (a->ratio != b->ratio)
		return a->ratio > b->ratio ? -1 : 1;
	if (a->pattern != b->pattern)
		return a->pattern < b->pattern ? -1 : 1;
	return (a->own > b->own) - (a->own < b->own);
}

/* Return the index of the only free field of the type; UINT32_MAX: none. */
static uint32_t only_of_type(struct field_patterns fields,
			     const bool *is_paired, enum field_type type)
{
	uint32_t index = UINT32_MAX;

	for (uint32_t i = 0; i < fields.count; i++) {
		if (is_paired[i] || fields.patterns[i].type != type)
			continue;
		if (index != UINT32_MAX)
			return UINT32_MAX;
		index = i;
	}
	return index;
}

uint32_t fields_match(struct field_patterns wanted, struct field_patterns own,
		      struct likeness *pairs_out)
{
	static const enum field_type telling[] = {TYPE_PRICE, TYPE_DATE,
						  TYPE_IMAGE};
	size_t all = (size_t)wanted.count * own.count;
	struct likeness *pairs = mem_alloc(all + 1, sizeof(*pairs));
	bool *is_wanted_paired = mem_alloc(wanted.count + 1u, sizeof(bool));
	bool *is_own_paired = mem_alloc(own.count + 1u, sizeof(bool));
	uint32_t count = 0;

	for (size_t i = 0; i < all; i++) {
		uint32_t w = (uint32_t)(i / own.count);
		uint32_t o = (uint32_t)(i % own.count);

		pairs[i] =
			(struct likeness){w, o,
					  pattern_likeness(&wanted.patterns[w],
							   &own.patterns[o])};
	}
	qsort(pairs, all, sizeof(*pairs), order_pairs);
	for (size_t i = 0; i < all && pairs[i].ratio >= MIN_LIKENESS; i++) {
		if (is_wanted_paired[pairs[i].pattern] ||
		    is_own_paired[pairs[i].own])
			continue;
		is_wanted_paired[pairs[i].pattern] = true;
		is_own_paired[pairs[i].own] = true;
		pairs_out[count++] = pairs[i];
	}
	for (size_t i = 0; i < sizeof(telling) / sizeof(telling[0]); i++) {
		uint32_t w = only_of_type(wanted, is_wanted_paired, telling[i]);
		uint32_t o = only_of_type(own, is_own_paired, telling[i]);

		if (w != UINT32_MAX && o != UINT32_MAX)
			pairs_out[count++] =
				(struct likeness){w, o, LIKENESS_OF_TYPE};
	}
	free(pairs);
	free(is_wanted_paired);
	free(is_own_paired);
	return count;
}
