#include "template/fields/value.h"

#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "extract/metadata/metadata_date.h"
#include "template/fields/rule.h"

enum {
	MAX_MEANING_BYTES = 100, /* a longer text means only itself */
	MAX_DIGITS = 40,
	MAX_MARKS = 8,
	DAY_BYTES = 10, /* YYYY-MM-DD */
	/* seeds, so that a number is no date */
	MEANS_NUMBER = 1,
	MEANS_DAY = 2,
	MEANS_PATH = 3,
};

/* A mark between digits, such as "," in "1,234". */
struct digit_mark {
	uint32_t code;
	size_t at; /* number of digits before it */
};

/* The only number of a text. */
struct amount {
	char digits[MAX_DIGITS];
	size_t count;
	struct digit_mark marks[MAX_MARKS];
	size_t mark_count;
	bool is_negative;
};

static size_t digits_at(const unsigned char *at, const unsigned char *end)
{
	size_t size = 0;

	while (at + size < end && is_digit(at[size]))
		size++;
	return size;
}

/* Return whether the code groups thousands, but begins no decimals. */
static bool is_group_mark(uint32_t code)
{
	return code == '\'' || code == 0x2019 || code == ' ' || code == 0xA0 ||
	       code == 0x202F;
}

/*
 * Read the digits at *at and the marks between them; move *at behind them.
 * Return false if there are too many.
 */
static bool amount_read(struct amount *amount, const unsigned char **at,
			const unsigned char *end)
{
	for (;;) {
		size_t size = digits_at(*at, end);
		const unsigned char *next;
		uint32_t code;

		if (amount->count + size > MAX_DIGITS)
			return false;
		memcpy(amount->digits + amount->count, *at, size);
		amount->count += size;
		*at += size;
		next = *at;
		if (next == end)
			return true;
		code = utf8_next(&next, end);
		size = digits_at(next, end);
		if (size == 0 ||
		    (is_group_mark(code) ? size != 3
					 : code != '.' && code != ','))
			return true;
		if (amount->mark_count == MAX_MARKS)
			return false;
		amount->marks[amount->mark_count++] =
			(struct digit_mark){code, amount->count};
		*at = next;
	}
}

/* Read the number of a text; return false if it has none or several. */
static bool amount_find(struct amount *amount, struct slice text)
{
	const unsigned char *at = text.data;
	const unsigned char *end = at + text.size;

	*amount = (struct amount){0};
	while (at < end) {
		const unsigned char *begin = at;
		uint32_t code;

		if (is_digit(*at)) {
			if (amount->count > 0 || !amount_read(amount, &at, end))
				return false;
			continue;
		}
		code = utf8_next(&at, end);
		if (begin == text.data && (code == '-' || code == 0x2212))
			amount->is_negative = true;
	}
	return amount->count > 0;
}

/*
 * Return the number of digits before the decimals. The last mark begins them if
 * it is a point or a comma that occurs once, and not exactly three digits
 * follow it, or another mark is before it. Return SIZE_MAX if the marks make no
 * sense.
 */
static size_t amount_whole(const struct amount *amount)
{
	const struct digit_mark *marks = amount->marks;
	size_t count = amount->mark_count;
	size_t groups = count;
	const struct digit_mark *last;

	if (count == 0)
		return amount->count;
	last = &marks[count - 1];
	if (!is_group_mark(last->code) &&
	    (count == 1 ? amount->count - last->at != 3
			: marks[count - 2].code != last->code))
		groups--;
	for (size_t i = 0; i < groups; i++) {
		size_t next = i + 1 < count ? marks[i + 1].at : amount->count;

		if (next - marks[i].at != 3 || marks[i].code != marks[0].code)
			return SIZE_MAX;
	}
	return groups < count ? last->at : amount->count;
}

static bool number_meaning(struct slice text, uint64_t *meaning_out)
{
	struct amount amount;
	char number[MAX_DIGITS + 2];
	size_t size = 0;
	size_t whole;
	size_t end;
	size_t begin = 0;

	*meaning_out = 0;
	if (!amount_find(&amount, text))
		return false;
	whole = amount_whole(&amount);
	if (whole == SIZE_MAX)
		return false;
	end = amount.count;
	while (end > whole && amount.digits[end - 1] == '0')
		end--;
	while (begin + 1 < whole && amount.digits[begin] == '0')
		begin++;
	if (amount.is_negative)
		number[size++] = '-';
	for (size_t i = begin; i < end; i++) {
		if (i == whole)
			number[size++] = '.';
		number[size++] = amount.digits[i];
	}
	*meaning_out = hash64(number, size, MEANS_NUMBER);
	return true;
}

/* It is unclear which day 5/3/2024 is. */
static bool day_meaning(struct slice text, uint64_t *meaning_out)
{
	char day[DATE_SIZE];
	char other[DATE_SIZE];

	*meaning_out = 0;
	if (!date_find(text, DAY_FIRST, day) ||
	    !date_find(text, MONTH_FIRST, other) ||
	    memcmp(day, other, DAY_BYTES) != 0)
		return false;
	*meaning_out = hash64(day, DAY_BYTES, MEANS_DAY);
	return true;
}

/* The path of a URL with or without a host. */
static bool path_meaning(struct slice text, uint64_t *meaning_out)
{
	const char *bytes = text.data;
	const char *host = memmem(bytes, text.size, "//", 2);
	struct slice path = text;

	*meaning_out = 0;
	if (memchr(bytes, ' ', text.size) != NULL)
		return false;
	if (host != NULL) {
		const char *end = bytes + text.size;
		const char *slash =
			memchr(host + 2, '/', (size_t)(end - host - 2));

		if (slash == NULL)
			return false;
		path = (struct slice){slash, (size_t)(end - slash)};
	}
	if (path.size < 2 || slice_byte(path, 0) != '/')
		return false;
	*meaning_out = hash64(path.data, path.size, MEANS_PATH);
	return true;
}

uint64_t value_meaning(struct slice text)
{
	uint64_t own = hash64(text.data, text.size, 0);
	uint64_t meaning = own;
	bool is_known = false;

	if (text.size == 0 || text.size > MAX_MEANING_BYTES)
		return own;
	switch (type_of_text(text)) {
	case TYPE_NUMBER:
	case TYPE_PRICE:
		is_known = number_meaning(text, &meaning);
		break;
	case TYPE_DATE:
		is_known = day_meaning(text, &meaning);
		break;
	case TYPE_URL:
	case TYPE_TEXT:
		is_known = (slice_byte(text, 0) == '/' ||
			    type_of_text(text) == TYPE_URL) &&
			   path_meaning(text, &meaning);
		break;
	default:
		break;
	}
	return is_known ? meaning : own;
}

bool value_is_same(struct slice left, struct slice right)
{
	return slice_equal(left, right) ||
	       value_meaning(left) == value_meaning(right);
}

/* Each meaning counts once. */
static uint64_t page_meaning(const struct column *rule, uint32_t page)
{
	struct value values[MAX_PAGE_VALUES];
	uint64_t meanings[MAX_PAGE_VALUES];
	uint32_t count = rule_values(rule, page, values);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++) {
		bool is_new = true;

		meanings[i] = value_meaning(values[i].text);
		for (uint32_t k = 0; k < i && is_new; k++)
			is_new = meanings[k] != meanings[i];
		if (is_new)
			sum += hash_chain(meanings[i], 0);
	}
	return sum;
}

uint64_t *page_meanings(const struct column *rule, uint32_t pages,
			struct arena *arena)
{
	uint64_t *meanings = ARENA_NEW(arena, uint64_t, (size_t)pages + 1);

	for (uint32_t i = 0; i < pages; i++)
		meanings[i] = page_meaning(rule, i);
	return meanings;
}
