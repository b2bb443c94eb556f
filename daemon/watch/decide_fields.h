/*
 * daemon/watch/decide_fields.h - which values of fields have changed, and which
 * fields are broken. Pure functions.
 *
 * The watcher reads the pages of a template that were stored again, and
 * compares their values with the accepted ones. What a page shows now is
 * accepted, or waits:
 *
 *   value of the page        it is accepted
 *   as before                at once
 *   another one              at once
 *   another one, and this    together with those of other pages, or after
 *   may be a redesign        hold_ms
 *   none, or of other type   after hold_ms, if the field is not broken
 *   unsure                   never
 *
 * It may be a redesign if the page still shows the value of before elsewhere,
 * or if no field of the page has its value of before.
 *
 * A field is broken if most pages that had a value have lost it, or have values
 * that are alike although the ones of before were not. Then all its values wait
 * until it is healed, or most pages have values again. If most pages have other
 * values, and still show the ones of before or the field is not one whose
 * values often change (a price or a number), it may show something else: it is
 * suspect, and the watcher searches for the values of before. What it finds for
 * a price is only a proposal, because a shop may show the price of before next
 * to the new one.
 *
 * The fill rate of a field has dropped if a fifth of the pages that had a value
 * have lost it in the last rounds. Its values are accepted as usual, but it is
 * reported. A round is the time in which the watcher reads as many pages as the
 * template has, and at most a day.
 */
#ifndef DAEMON_WATCH_DECIDE_FIELDS_H
#define DAEMON_WATCH_DECIDE_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

enum {
	/* number of pages that must have lost a value before it is broken */
	FIELD_LOST_PAGES = 4,
	FIELD_LOST_REQUIRED = 2, /* the same of a required field */
	/* a drop: a fifth of the pages lost the value in the last 8 rounds */
	FILL_DROP_SHARE = 5,
	FILL_DROP_ROUNDS = 8,
	MIN_RANGE_VALUES = 8, /* fewer values have no range */
};

/* A field, from the description in struct fields_row. */
struct watched_field {
	const char *name;
	const char *type; /* as of type_name() */
	bool is_watched;
	bool is_required;
	double fill; /* ratio of the pages with a value when it was learned */
	bool was_broken; /* the stored state */
};

/* Return whether its values change often, without a change of the design. */
bool field_is_volatile(const struct watched_field *field);

/* A page that was read, or whose values wait. */
struct field_page {
	const json_t *known; /* accepted values; NULL: the page is new */
	/* what the page shows; with "_unsure" and "_shown"; NULL: not read */
	const json_t *latest;
	uint64_t pending_ms; /* since when `latest` waits; 0 = it does not */
};

enum value_state {
	VALUE_SAME,  /* also: none, as before */
	VALUE_ADDED, /* there was none before */
	VALUE_CHANGED,
	VALUE_DOUBTFUL, /* changed, and this may be a redesign */
	VALUE_LOST,     /* there is none, or it is of another type */
	VALUE_UNSURE,   /* two addresses of the field have different values */
	VALUE_MISSING, /* a page that is new has no value of a required field */
};

enum field_verdict { FIELD_OK, FIELD_SUSPECT, FIELD_BROKEN };

/* The states of the values of a field on the pages. */
struct field_count {
	enum field_verdict verdict;
	uint32_t pages; /* that had a value, or must have one */
	uint32_t same;
	uint32_t changed; /* also doubtful ones */
	uint32_t lost;    /* also unsure and missing ones */
};

struct field_facts {
	const struct watched_field *fields; /* [field_count] */
	size_t field_count;
	const struct field_page *pages; /* [page_count] */
	size_t page_count;
	/*
	 * other pages that were read since the first of `pages` waits, and have
	 * values [field_count]; NULL: 0
	 */
	const uint32_t *others;
	uint64_t now_ms;
	uint64_t hold_ms; /* how long a lost value waits */
};

/*
 * Return the states of all values [page_count * field_count], page by page. In
 * `arena`.
 */
enum value_state *fields_compare(const struct field_facts *facts,
				 struct arena *arena);

/* Count the states of the field at `field`, and decide about it. */
struct field_count field_judge(const struct field_facts *facts,
			       const enum value_state *states, size_t field);

/* What happens to a value. */
enum value_step {
	VALUE_KEEP,   /* the accepted value stays */
	VALUE_WAIT,   /* the same, until the value is judged again */
	VALUE_ACCEPT, /* the value of the page is accepted */
};

/*
 * Return what to do with a value of a field that was judged. `is_held`: the
 * field is broken.
 */
enum value_step value_decide(const struct field_facts *facts,
			     const struct field_page *page,
			     enum value_state state, bool is_held,
			     const struct field_count *count);

/* The fill rate */

/* What a page showed of a field when it was read last. */
enum value_mark {
	MARK_FILLED = 1,
	MARK_TYPE = 2, /* the value is not of the field's type */
	MARK_OUTLIER = 4,
	MARK_UNSURE = 8,
	MARK_LOST = 16, /* it had a value before */
};

/*
 * Where the logarithms of a field's usual amounts are: five interquartile
 * ranges around the quartiles, but at least a factor of ten. Of a text the
 * amount is its length, and a short text is never an outlier.
 */
struct value_range {
	double low;
	double high;
};

/*
 * Return the range of the values of a field in records [count]; an infinite one
 * if there are too few, or the type has no amount. O(n log n).
 */
struct value_range value_range_of(const struct watched_field *field,
				  const json_t *const *records, size_t count,
				  struct arena *arena);

/*
 * Return the marks of a field on a page that shows `latest`. `before`: its
 * marks when it was read before, or 0.
 */
unsigned value_marks(const struct watched_field *field,
		     struct value_range range, const json_t *latest,
		     unsigned before);

/* What all pages of a template showed of a field at the end of a round. */
struct field_round {
	uint64_t time_ms;
	uint32_t pages;
	uint32_t filled;
	uint32_t type_errors;
	uint32_t outliers;
	uint32_t unsure;
	uint32_t lost;
};

/* Add a page with these marks to the round, or remove it again. */
void field_round_add(struct field_round *round, unsigned marks);
void field_round_remove(struct field_round *round, unsigned marks);

/*
 * Return whether the fill rate has dropped in the last of the rounds [count],
 * the oldest first. Without rounds it has not.
 */
bool fill_has_dropped(const struct field_round *rounds, size_t count);

/*
 * Return whether most of the pages that had lost the value, `lost` when it was
 * reported, have one again.
 */
bool fill_is_back(const struct field_round *now, uint32_t lost);

#endif
