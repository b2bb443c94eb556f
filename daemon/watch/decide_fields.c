#include "daemon/watch/decide_fields.h"

#include <string.h>

#include "base/arena.h"
#include "template/fields/field.h"

/* Return the first text of a value; empty if it has none. */
static struct slice value_text(const json_t *value)
{
	if (json_is_array(value))
		value = json_array_get(value, 0);
	return (struct slice){json_is_string(value) ? json_string_value(value)
						    : "",
			      json_string_length(value)};
}

static bool is_of_type(const struct watched_field *field, enum field_type type)
{
	return strcmp(field->type, type_name(type)) == 0;
}

bool field_is_volatile(const struct watched_field *field)
{
	return is_of_type(field, TYPE_PRICE) || is_of_type(field, TYPE_NUMBER);
}

/*
 * Return whether the value may be one of the field. A price may lose its
 * currency, and a list is judged by its first value.
 */
static bool is_plausible(const struct watched_field *field, const json_t *known,
			 const json_t *latest)
{
	enum field_type type = type_of_text(value_text(latest));
	bool is_figure = type == TYPE_PRICE || type == TYPE_NUMBER;

	if (known != NULL && type_of_text(value_text(known)) == type)
		return true;
	if (field_is_volatile(field))
		return is_figure;
	return !is_of_type(field, TYPE_DATE) || type == TYPE_DATE;
}

bool record_lists(const json_t *record, const char *list, const char *name)
{
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(record, list), i, item)
	{
		if (json_is_string(item) &&
		    strcmp(json_string_value(item), name) == 0)
			return true;
	}
	return false;
}

static enum value_state value_state_of(const struct watched_field *field,
				       const struct field_page *page)
{
	const json_t *known = json_object_get(page->known, field->name);
	const json_t *latest = json_object_get(page->latest, field->name);

	if (page->latest == NULL)
		return VALUE_SAME;
	if (latest != NULL &&
	    record_lists(page->latest, "_unsure", field->name))
		return VALUE_UNSURE;
	if (latest == NULL && field->is_required)
		return known == NULL ? VALUE_MISSING : VALUE_LOST;
	if (known == NULL)
		return latest == NULL ? VALUE_SAME : VALUE_ADDED;
	if (latest == NULL)
		return VALUE_LOST;
	if (json_equal(known, latest))
		return VALUE_SAME;
	if (!is_plausible(field, known, latest))
		return VALUE_LOST;
	return record_lists(page->latest, "_shown", field->name)
		       ? VALUE_DOUBTFUL
		       : VALUE_CHANGED;
}

/*
 * The changed values of a page are doubtful if it had several values, and none
 * is as before.
 */
static void states_doubt(const struct field_facts *facts,
			 const struct field_page *page,
			 enum value_state *states)
{
	size_t known = 0;

	for (size_t f = 0; f < facts->field_count; f++) {
		if (json_object_get(page->known, facts->fields[f].name) == NULL)
			continue;
		if (states[f] == VALUE_SAME)
			return;
		known++;
	}
	for (size_t f = 0; f < facts->field_count && known > 1; f++)
		if (states[f] == VALUE_CHANGED)
			states[f] = VALUE_DOUBTFUL;
}

enum value_state *fields_compare(const struct field_facts *facts,
				 struct arena *arena)
{
	enum value_state *states =
		ARENA_NEW(arena, enum value_state,
			  facts->page_count * facts->field_count + 1);

	for (size_t p = 0; p < facts->page_count; p++) {
		enum value_state *own = &states[p * facts->field_count];

		for (size_t f = 0; f < facts->field_count; f++)
			own[f] = value_state_of(&facts->fields[f],
						&facts->pages[p]);
		states_doubt(facts, &facts->pages[p], own);
	}
	return states;
}

/*
 * Return how many of the field's changed values differ from all those before
 * them, of the accepted ones or of the latest ones. At most FIELD_COMPARED are
 * compared.
 */
enum { FIELD_COMPARED = 64 };

static uint32_t count_distinct(const struct field_facts *facts,
			       const enum value_state *states, size_t field,
			       bool is_latest)
{
	const json_t *seen[FIELD_COMPARED];
	uint32_t pages = 0;
	uint32_t count = 0;

	for (size_t p = 0; p < facts->page_count && pages < FIELD_COMPARED;
	     p++) {
		const struct field_page *page = &facts->pages[p];
		enum value_state state = states[p * facts->field_count + field];
		const json_t *value =
			json_object_get(is_latest ? page->latest : page->known,
					facts->fields[field].name);
		uint32_t i = 0;

		if (state != VALUE_CHANGED && state != VALUE_DOUBTFUL)
			continue;
		pages++;
		while (i < count && !json_equal(seen[i], value))
			i++;
		if (i == count)
			seen[count++] = value;
	}
	return count;
}

/* Return whether most pages that have another value show the old one, too. */
static bool is_mostly_shown(const struct field_facts *facts, size_t field,
			    const struct field_count *count)
{
	uint32_t shown = 0;

	for (size_t p = 0; p < facts->page_count; p++)
		shown += record_lists(facts->pages[p].latest, "_shown",
				      facts->fields[field].name);
	return shown * 2 > count->changed;
}

/* Return whether the field has become one that is alike on most pages. */
static bool is_alike(const struct field_facts *facts,
		     const enum value_state *states, size_t field)
{
	return count_distinct(facts, states, field, true) * 2 <=
	       count_distinct(facts, states, field, false);
}

struct field_count field_judge(const struct field_facts *facts,
			       const enum value_state *states, size_t field)
{
	const struct watched_field *rules = &facts->fields[field];
	struct field_count count = {.verdict = FIELD_OK};
	uint32_t needed =
		rules->is_required ? FIELD_LOST_REQUIRED : FIELD_LOST_PAGES;

	for (size_t p = 0; p < facts->page_count; p++) {
		enum value_state state = states[p * facts->field_count + field];
		bool had = json_object_get(facts->pages[p].known,
					   rules->name) != NULL;

		count.pages += had || state == VALUE_MISSING;
		count.same += had && state == VALUE_SAME;
		count.changed +=
			state == VALUE_CHANGED || state == VALUE_DOUBTFUL;
		count.lost += (had && (state == VALUE_LOST ||
				       state == VALUE_UNSURE)) ||
			      state == VALUE_MISSING;
	}
	if (rules->was_broken)
		needed = 1;
	if (rules->was_broken && count.pages == 0)
		count.verdict = FIELD_BROKEN;
	if (count.lost >= needed && count.lost * 2 > count.pages &&
	    (rules->fill >= .5 || rules->is_required))
		count.verdict = FIELD_BROKEN;
	if (count.verdict == FIELD_BROKEN || count.changed < FIELD_LOST_PAGES ||
	    (count.changed + count.lost) * 2 <= count.pages)
		return count;
	if (is_alike(facts, states, field))
		count.verdict = FIELD_BROKEN;
	else if (!field_is_volatile(rules) ||
		 is_mostly_shown(facts, field, &count))
		count.verdict = FIELD_SUSPECT;
	return count;
}

enum value_step value_decide(const struct field_facts *facts,
			     const struct field_page *page,
			     enum value_state state, bool is_held,
			     const struct field_count *count)
{
	bool is_late = page->pending_ms != 0 &&
		       facts->now_ms >= page->pending_ms + facts->hold_ms;

	if (state == VALUE_SAME)
		return VALUE_KEEP;
	if (is_held)
		return VALUE_WAIT;
	if (state == VALUE_ADDED || state == VALUE_CHANGED)
		return VALUE_ACCEPT;
	if (state == VALUE_DOUBTFUL && count->changed >= FIELD_LOST_PAGES &&
	    count->changed * 2 > count->pages)
		return VALUE_ACCEPT; /* it was judged together with others */
	if (!is_late)
		return VALUE_WAIT;
	return state == VALUE_LOST || state == VALUE_DOUBTFUL ? VALUE_ACCEPT
							      : VALUE_KEEP;
}
