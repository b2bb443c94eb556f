#include "daemon/watch/decide_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "template/fields/field.h"
#include "template/version_json.h"

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

static enum value_state value_state_of(const struct watched_field *field,
				       const struct field_page *page)
{
	const json_t *known = json_object_get(page->known, field->name);
	const json_t *latest = json_object_get(page->latest, field->name);

	if (page->latest == NULL)
		return VALUE_SAME;
	if (latest != NULL &&
	    json_member_lists(page->latest, "_unsure", field->name))
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
	return json_member_lists(page->latest, "_shown", field->name)
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
		shown += json_member_lists(facts->pages[p].latest, "_shown",
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
	uint32_t others = facts->others == NULL || rules->is_required
				  ? 0
				  : facts->others[field];

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
	if (count.lost >= needed && count.lost * 2 > count.pages + others &&
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

/* The fill rate */

/*
 * Return the first number of a text. A point or comma with three digits after
 * it separates thousands.
 */
static double first_amount(struct slice text)
{
	const unsigned char *bytes = text.data;
	double value = 0;
	bool has_digit = false;
	bool has_point = false;
	int after = 0;

	for (size_t i = 0; i < text.size; i++) {
		if (bytes[i] >= '0' && bytes[i] <= '9') {
			value = value * 10 + (bytes[i] - '0');
			has_digit = true;
			after++;
		} else if (bytes[i] == '.' || bytes[i] == ',') {
			has_point = has_digit;
			after = 0;
		} else if (has_digit && bytes[i] < 0x80 && bytes[i] != ' ' &&
			   bytes[i] != '\'') {
			break;
		}
	}
	return has_point && after != 3 ? value / pow(10, after) : value;
}

enum { MAX_AMOUNT_BYTES = 64 /* a longer text is no amount */ };

/* Return whether the value has an amount, and its logarithm. */
static bool log_amount(const struct watched_field *field, const json_t *value,
		       double *amount_out)
{
	struct slice text = value_text(value);

	*amount_out = 0;
	if (text.size == 0)
		return false;
	if (is_of_type(field, TYPE_TEXT) || is_of_type(field, TYPE_RICH_TEXT)) {
		*amount_out = log((double)text.size);
		return true;
	}
	if (!field_is_volatile(field) || text.size > MAX_AMOUNT_BYTES)
		return false;
	*amount_out = log(fmax(first_amount(text), .001));
	return true;
}

static int order_doubles(const void *left, const void *right)
{
	double a = *(const double *)left;
	double b = *(const double *)right;

	return (a > b) - (a < b);
}

struct value_range value_range_of(const struct watched_field *field,
				  const json_t *const *records, size_t count,
				  struct arena *arena)
{
	struct value_range range = {-INFINITY, INFINITY};
	double *amounts = ARENA_NEW(arena, double, count + 1);
	size_t known = 0;
	double margin;

	for (size_t i = 0; i < count; i++)
		known += log_amount(field,
				    json_object_get(records[i], field->name),
				    &amounts[known]);
	if (known < MIN_RANGE_VALUES)
		return range;
	qsort(amounts, known, sizeof(*amounts), order_doubles);
	range.low = amounts[known / 4];
	range.high = amounts[known - 1 - known / 4];
	margin = fmax(5 * (range.high - range.low), log(10));
	range.low = field_is_volatile(field) ? range.low - margin : -INFINITY;
	range.high += margin;
	return range;
}

unsigned value_marks(const struct watched_field *field,
		     struct value_range range, const json_t *latest,
		     unsigned before)
{
	const json_t *value = json_object_get(latest, field->name);
	unsigned marks = MARK_FILLED;
	double amount;

	if (value == NULL)
		return (before & (MARK_FILLED | MARK_LOST)) != 0 ? MARK_LOST
								 : 0;
	if (!is_plausible(field, NULL, value))
		marks |= MARK_TYPE;
	else if (log_amount(field, value, &amount) &&
		 (amount < range.low || amount > range.high))
		marks |= MARK_OUTLIER;
	if (json_member_lists(latest, "_unsure", field->name))
		marks |= MARK_UNSURE;
	return marks;
}

void field_round_add(struct field_round *round, unsigned marks)
{
	round->pages++;
	round->filled += (marks & MARK_FILLED) != 0;
	round->type_errors += (marks & MARK_TYPE) != 0;
	round->outliers += (marks & MARK_OUTLIER) != 0;
	round->unsure += (marks & MARK_UNSURE) != 0;
	round->lost += (marks & MARK_LOST) != 0;
}

void field_round_remove(struct field_round *round, unsigned marks)
{
	round->pages--;
	round->filled -= (marks & MARK_FILLED) != 0;
	round->type_errors -= (marks & MARK_TYPE) != 0;
	round->outliers -= (marks & MARK_OUTLIER) != 0;
	round->unsure -= (marks & MARK_UNSURE) != 0;
	round->lost -= (marks & MARK_LOST) != 0;
}

bool fill_has_dropped(const struct field_round *rounds, size_t count)
{
	const struct field_round *now;
	uint32_t before = UINT32_MAX; /* least number of lost values */
	uint32_t recent;

	if (count == 0)
		return false;
	now = &rounds[count - 1];
	for (size_t i = count - 1; i > 0 && i + FILL_DROP_ROUNDS >= count; i--)
		if (rounds[i - 1].lost < before)
			before = rounds[i - 1].lost;
	if (count == 1)
		before = 0;
	recent = now->lost > before ? now->lost - before : 0;
	return recent >= FIELD_LOST_PAGES &&
	       (uint64_t)recent * FILL_DROP_SHARE >=
		       (uint64_t)now->filled + now->lost;
}

bool fill_is_back(const struct field_round *now, uint32_t lost)
{
	return now->lost * 2 < lost;
}
