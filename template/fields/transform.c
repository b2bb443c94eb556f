#include "template/fields/transform.h"

#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "crawl/url/url.h"
#include "extract/metadata/metadata_date.h"
#include "page/page.h"
#include "template/fields/field.h"

enum {
	MAX_NUMBER_GROUPS = 12, /* digits between separators; more are none */
	GROUP_DIGITS = 3,
	MIN_GROUPED = 3, /* numbers that show what separates thousands */
};

static const char *const transform_names[TRANSFORM_COUNT] = {
	"none", "number", "date", "url", "join"};

const char *transform_name(enum transform_kind kind)
{
	return transform_names[kind];
}

enum transform_kind transform_item(const struct transform *transform)
{
	return transform->kind == TRANSFORM_JOIN ? transform->items
						 : transform->kind;
}

bool transform_find(const char *name, enum transform_kind *kind_out)
{
	*kind_out = TRANSFORM_NONE;
	for (uint32_t i = 0; i < TRANSFORM_COUNT; i++)
		if (strcmp(transform_names[i], name) == 0) {
			*kind_out = (enum transform_kind)i;
			return true;
		}
	return false;
}

/* Numbers */

/* A number as a text shows it: groups of digits, with a sign between two. */
struct text_number {
	struct slice text;
	uint32_t groups;
	uint32_t digits[MAX_NUMBER_GROUPS];     /* of a group */
	uint32_t separators[MAX_NUMBER_GROUPS]; /* after a group */
	bool is_negative;
};

static bool is_number_separator(uint32_t code)
{
	return code == '.' || code == ',' || code == '\'' || code == ' ' ||
	       code == 0x2019 || code == 0xA0 || code == 0x202F;
}

/* Cut the number at *at, which is a digit. Return false if it is too long. */
static bool text_number_cut(const unsigned char **at, const unsigned char *end,
			    struct text_number *number)
{
	const unsigned char *begin = *at;
	const unsigned char *next = begin;
	uint32_t separator = 0;

	number->groups = 0;
	do {
		uint32_t group = number->groups++;

		if (group == MAX_NUMBER_GROUPS)
			return false;
		if (group > 0)
			number->separators[group - 1] = separator;
		*at = next;
		while (*at < end && is_digit(**at))
			++*at;
		number->digits[group] = (uint32_t)(*at - next);
		next = *at;
		separator = next < end ? utf8_next(&next, end) : 0;
	} while (is_number_separator(separator) && next < end &&
		 is_digit(*next));
	number->text = (struct slice){begin, (size_t)(*at - begin)};
	return true;
}

/*
 * Return whether the characters before a number, the last one first, are a
 * minus, perhaps with the sign of a currency: "-5", "-$5".
 */
static bool is_minus(const uint32_t *before)
{
	uint32_t at = before[0] == '-' || before[0] == 0x2212 ? 0 : 1;
	bool is_sign = at == 0 || (before[0] != ' ' && before[0] != 0 &&
				   !is_word_code(before[0]));

	return is_sign && (before[at] == '-' || before[at] == 0x2212) &&
	       (before[at + 1] == 0 || !is_word_code(before[at + 1]));
}

/* Find the only number of a text. */
static bool text_number_find(struct slice text, struct text_number *number_out)
{
	const unsigned char *at = text.data;
	const unsigned char *end = at + text.size;
	uint32_t before[3] = {0};
	bool is_found = false;

	while (at < end) {
		if (is_digit(*at)) {
			bool is_negative = is_minus(before);

			if (is_found || !text_number_cut(&at, end, number_out))
				return false;
			number_out->is_negative = is_negative;
			is_found = true;
		} else {
			before[2] = before[1];
			before[1] = before[0];
			before[0] = utf8_next(&at, end);
		}
	}
	return is_found;
}

/* Return whether the first groups [count] look like thousands: 1 234 567. */
static bool has_thousands(const struct text_number *number, uint32_t count)
{
	if (count < 2 || number->digits[0] > GROUP_DIGITS)
		return false;
	for (uint32_t i = 1; i < count; i++)
		if (number->digits[i] != GROUP_DIGITS ||
		    number->separators[i - 1] != number->separators[0])
			return false;
	return true;
}

/* Return whether the number has one separator, before three digits. */
static bool is_unclear(const struct text_number *number)
{
	return number->groups == 2 && number->digits[1] == GROUP_DIGITS &&
	       (number->separators[0] == '.' || number->separators[0] == ',');
}

/* Return what certainly begins the decimals; 0 for none. */
static uint32_t text_number_decimal(const struct text_number *number)
{
	uint32_t last =
		number->groups < 2 ? 0 : number->separators[number->groups - 2];

	if ((last != '.' && last != ',') || is_unclear(number))
		return 0;
	if (number->groups == 2)
		return last;
	return last != number->separators[0] &&
			       has_thousands(number, number->groups - 1)
		       ? last
		       : 0;
}

/* Write the digits; a point before the last group if it has the decimals. */
static bool text_number_write(const struct text_number *number,
			      bool has_decimals, char out[NUMBER_SIZE])
{
	const unsigned char *at = number->text.data;
	const unsigned char *end = at + number->text.size;
	uint32_t whole = 0;
	uint32_t seen = 0;
	size_t size = 0;

	for (uint32_t i = 0; i < number->groups - has_decimals; i++)
		whole += number->digits[i];
	if (number->text.size + 3 > NUMBER_SIZE)
		return false;
	if (number->is_negative)
		out[size++] = '-';
	for (; at < end; at++) {
		if (!is_digit(*at))
			continue;
		if (seen++ == whole)
			out[size++] = '.';
		/* no zeros in front of the whole number */
		if (*at != '0' || seen >= whole ||
		    (size > 0 && is_digit(out[size - 1])))
			out[size++] = (char)*at;
	}
	out[size] = '\0';
	return true;
}

bool number_read(struct slice text, bool is_price, char decimal,
		 char out[NUMBER_SIZE])
{
	struct text_number number;
	bool has_decimals;

	*out = '\0';
	if (!text_number_find(text, &number))
		return false;
	has_decimals = text_number_decimal(&number) != 0;
	if (is_unclear(&number)) {
		bool is_decimal =
			decimal != 0 &&
			number.separators[0] == (unsigned char)decimal;
		bool begins_zero = slice_byte(number.text, 0) == '0';

		if (!is_decimal && (begins_zero || (decimal == 0 && !is_price)))
			return false;
		has_decimals = is_decimal;
	}
	if (number.groups > 1 && !has_decimals &&
	    !has_thousands(&number, number.groups))
		return false;
	return text_number_write(&number, has_decimals, out);
}

char number_decimal(const struct slice *texts, uint32_t count)
{
	uint32_t shown[2] = {0};   /* numbers with a point, a comma that is
				      certainly before decimals */
	uint32_t unclear[2] = {0}; /* numbers such as 1.234, and 1,234 */

	for (uint32_t i = 0; i < count; i++) {
		struct text_number number;
		uint32_t decimal;
		uint32_t first;

		if (!text_number_find(texts[i], &number))
			continue;
		decimal = text_number_decimal(&number);
		first = number.groups < 2 ? 0 : number.separators[0];
		if (decimal != 0)
			shown[decimal == ',']++;
		else if (is_unclear(&number))
			unclear[first == ',']++;
		else if ((first == '.' || first == ',') &&
			 has_thousands(&number, number.groups))
			shown[first == '.']++;
	}
	if (shown[0] > 0 && shown[1] > 0)
		return 0;
	if (shown[0] + shown[1] > 0)
		return shown[0] > 0 ? '.' : ',';
	if (unclear[0] >= MIN_GROUPED && unclear[1] == 0)
		return ',';
	return unclear[1] >= MIN_GROUPED && unclear[0] == 0 ? '.' : 0;
}

/* The currencies that prices state by their code. */
static bool has_currency_code(struct slice text)
{
	static const char codes[] =
		"AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EUR GBP HKD "
		"HUF IDR ILS INR JPY KRW MXN MYR NOK NZD PHP PLN RON RSD RUB "
		"SAR SEK SGD THB TRY TWD UAH USD VND ZAR ";
	enum { CODE_BYTES = 3 };
	const char *bytes = text.data;
	size_t begin = 0;

	for (size_t i = 0; i <= text.size; i++) {
		char code[CODE_BYTES + 1] = "";

		if (i < text.size && is_letter(bytes[i]))
			continue;
		if (i - begin == CODE_BYTES) {
			memcpy(code, bytes + begin, CODE_BYTES);
			if (strstr(codes, code) != NULL)
				return true;
		}
		begin = i + 1;
	}
	return false;
}

/* Dates */

bool date_read_clear(struct slice text, char *out)
{
	char other[DATE_SIZE];

	return date_find(text, DAY_FIRST, out) &&
	       date_find(text, MONTH_FIRST, other) && strcmp(out, other) == 0;
}

/* URLs */

/* Return whether a reference is a URL with a scheme and a host. */
static bool is_absolute(struct slice reference)
{
	size_t size = reference.size < 8 ? reference.size : 8;

	return size > 0 && memmem(reference.data, size, "://", 3) != NULL;
}

static struct slice url_resolve(const struct page *page, struct slice reference,
				struct arena *arena)
{
	struct url url;
	struct url base;
	bool has_base = page->url.size > 0 &&
			url_parse(&base, page->url, NULL) == ERR_NONE;

	if (has_base)
		base = url_base(&base, page->base);
	else
		has_base = is_absolute(page->base) &&
			   url_parse(&base, page->base, NULL) == ERR_NONE;
	if (!has_base && !is_absolute(reference))
		return (struct slice){0};
	if (url_parse(&url, reference, has_base ? &base : NULL) != ERR_NONE)
		return (struct slice){0};
	return arena_slice(arena, slice_of(url.text));
}

/* Values */

/* Return the transformed text; {NULL, 0} if it cannot be read. */
static struct slice transform_text(const struct transform *transform,
				   const struct page *page, struct slice text,
				   struct arena *arena)
{
	char out[NUMBER_SIZE]; /* or a date */
	bool is_read;

	_Static_assert((int)DATE_SIZE <= (int)NUMBER_SIZE, "a date fits");
	switch (transform_item(transform)) {
	case TRANSFORM_NUMBER:
		is_read = number_read(text,
				      type_of_text(text) == TYPE_PRICE ||
					      has_currency_code(text),
				      transform->decimal, out);
		break;
	case TRANSFORM_DATE:
		is_read = date_read_clear(text, out);
		break;
	case TRANSFORM_URL:
		return url_resolve(page, text, arena);
	default:
		return text;
	}
	return is_read ? arena_slice(arena, slice_of(out)) : (struct slice){0};
}

static struct slice join_values(const struct transform *transform,
				struct arena *arena, const struct slice *values,
				uint32_t count)
{
	struct slice separator = slice_of(transform->separator);
	size_t size = 0;
	char *text;
	char *at;

	for (uint32_t i = 0; i < count; i++)
		size += values[i].size + separator.size;
	at = text = arena_room(arena, size + 1);
	for (uint32_t i = 0; i < count; i++) {
		if (i > 0) {
			memcpy(at, separator.data, separator.size);
			at += separator.size;
		}
		memcpy(at, values[i].data, values[i].size);
		at += values[i].size;
	}
	return (struct slice){text, (size_t)(at - text)};
}

static bool has_value(const struct slice *values, uint32_t count,
		      struct slice value)
{
	for (uint32_t i = 0; i < count; i++)
		if (slice_equal(values[i], value))
			return true;
	return false;
}

bool transform_values(const struct transform *transform,
		      const struct page *page, struct arena *arena,
		      const struct slice **values, uint32_t *count)
{
	struct slice *list;
	uint32_t kept = 0;
	bool is_complete = true;

	if (transform->kind == TRANSFORM_NONE || *count == 0)
		return true;
	list = ARENA_NEW(arena, struct slice, *count);
	for (uint32_t i = 0; i < *count; i++) {
		struct slice text =
			transform_text(transform, page, (*values)[i], arena);

		if (text.size == 0)
			is_complete = false;
		else if (!has_value(list, kept, text))
			list[kept++] = text;
	}
	if (transform->kind == TRANSFORM_JOIN && kept > 0) {
		list[0] = join_values(transform, arena, list, kept);
		kept = 1;
	}
	*values = list;
	*count = kept;
	return is_complete;
}
