#include "template/fields/field.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "extract/text/class_words.h"
#include "template/fields/rule.h"

/* How near a label, or a class, is to a place that has it. */
enum { LABEL_LEVELS = 3, NAME_LEVELS = 2, LIST_SHARE = 10 };

/* Types */

static const char *const type_names[TYPE_COUNT] = {
	"text", "rich text", "number", "price",
	"date", "url",       "image",  "records"};

const char *type_name(enum field_type type)
{
	return type_names[type];
}

static bool is_currency(uint32_t code)
{
	return code == '$' || (code >= 0xA2 && code <= 0xA5) ||
	       (code >= 0x20A0 && code <= 0x20CF) || code == 0xFFE1 ||
	       code == 0xFFE5;
}

/*
 * ISO 4217 codes, and abbreviations of currencies; without the codes that are
 * English words, such as ALL.
 */
static const char currency_words[] =
	" AED AFN AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND "
	"BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CVE CZK "
	"DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ "
	"GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR "
	"KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK "
	"MNT MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN "
	"PGK PHP PKR PLN PYG QAR RMB RON RSD RUB RWF SAR SBD SCR SDG SEK SGD "
	"SHP SLE SRD SSP STN SVC SYP SZL THB TJS TMT TND TRY TTD TWD TZS UAH "
	"UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW "
	"kr Kr z\xC5\x82 K\xC4\x8D Rs Rp RM Ft lei "
	"\xD0\xBB\xD0\xB2 \xD1\x80\xD1\x83\xD0\xB1 "
	"\xD0\xB3\xD1\x80\xD0\xBD "                /* lv, rub, hrn */
	"\xE5\x86\x86 \xE5\x85\x83 \xEC\x9B\x90 "; /* yen, yuan, won */

static bool is_currency_word(struct slice word)
{
	char padded[8] = " ";

	if (word.size == 0 || word.size + 3 > sizeof(padded))
		return false;
	memcpy(padded + 1, word.data, word.size);
	padded[word.size + 1] = ' ';
	return strstr(currency_words, padded) != NULL;
}

/* Return whether only blanks, points and dashes are between both positions. */
static bool is_beside_number(const unsigned char *begin,
			     const unsigned char *end)
{
	while (begin < end) {
		uint32_t code = utf8_next(&begin, end);

		if (code != ' ' && code != 0xA0 && code != 0x202F &&
		    code != '.' && code != ',' && code != '-' && code != 0x2013)
			return false;
	}
	return true;
}

/* Signs and words of a text. */
struct shape {
	uint32_t numbers;
	uint32_t years; /* numbers of four digits that begin with 19 or 20 */
	uint32_t words; /* of letters */
	uint32_t currencies;
};

/* The last number and the last word of the text before a position. */
struct shape_reader {
	const unsigned char *number_end; /* NULL: there is none */
	const unsigned char *word_begin; /* NULL: no word is open */
	const unsigned char *code_end;   /* of a currency not beside a number */
	uint32_t digits;
	uint32_t number;
};

/* A currency is part of a price if it is beside a number. */
static void shape_end_word(struct shape *shape, struct shape_reader *reader,
			   const unsigned char *end)
{
	const unsigned char *begin = reader->word_begin;

	reader->word_begin = NULL;
	if (begin == NULL ||
	    !is_currency_word((struct slice){begin, (size_t)(end - begin)}))
		return;
	if (reader->number_end != NULL &&
	    is_beside_number(reader->number_end, begin))
		shape->currencies++;
	else
		reader->code_end = end;
}

static void shape_begin_number(struct shape *shape, struct shape_reader *reader,
			       const unsigned char *begin)
{
	shape->numbers++;
	if (reader->code_end != NULL &&
	    is_beside_number(reader->code_end, begin))
		shape->currencies++;
	reader->code_end = NULL;
}

static void shape_end_number(struct shape *shape, struct shape_reader *reader)
{
	shape->years += reader->digits == 4 && reader->number >= 1900 &&
			reader->number < 2100;
	reader->digits = 0;
	reader->number = 0;
}

static struct shape shape_of(struct slice text)
{
	const unsigned char *at = text.data;
	const unsigned char *end = at + text.size;
	struct shape_reader reader = {0};
	struct shape shape = {0};

	while (at < end) {
		const unsigned char *begin = at;
		uint32_t code = utf8_next(&at, end);

		if (code < 0x80 && is_digit((int)code)) {
			shape_end_word(&shape, &reader, begin);
			if (reader.digits == 0)
				shape_begin_number(&shape, &reader, begin);
			reader.number = reader.number * 10 + (code - '0');
			reader.digits++;
			reader.number_end = at;
			continue;
		}
		shape_end_number(&shape, &reader);
		shape.currencies += is_currency(code);
		if (!is_word_code(code)) {
			shape_end_word(&shape, &reader, begin);
		} else if (reader.word_begin == NULL) {
			shape.words++;
			reader.word_begin = begin;
		}
	}
	shape_end_number(&shape, &reader);
	shape_end_word(&shape, &reader, end);
	return shape;
}

enum field_type type_of_text(struct slice text)
{
	const char *bytes = text.data;
	struct shape shape;

	if (text.size == 0)
		return TYPE_TEXT;
	shape = shape_of(text);
	if (text.size > 300)
		return TYPE_RICH_TEXT;
	if (text.size > 8 && (memcmp(bytes, "http://", 7) == 0 ||
			      memcmp(bytes, "https://", 8) == 0))
		return TYPE_URL;
	if (shape.currencies > 0 && shape.numbers > 0 && shape.words <= 3)
		return TYPE_PRICE;
	if (shape.years > 0 && shape.words <= 6 &&
	    shape.numbers + shape.words >= 3 && shape.numbers >= 2)
		return TYPE_DATE;
	if (shape.numbers > 0 && shape.words == 0)
		return TYPE_NUMBER;
	return TYPE_TEXT;
}

enum field_type column_type(const struct column *column, double *ratio_out)
{
	uint32_t counts[TYPE_COUNT] = {0};
	uint32_t count = column->count < 100 ? column->count : 100;
	enum field_type best = TYPE_TEXT;

	for (uint32_t i = 0; i < count; i++)
		counts[type_of_text(column->values[i].text)]++;
	for (uint32_t i = 0; i < TYPE_COUNT; i++)
		if (counts[i] > counts[best])
			best = (enum field_type)i;
	*ratio_out = count == 0 ? 0 : (double)counts[best] / count;
	if (column->source.attribute != NULL) {
		if (strcmp(column->source.attribute, "src") == 0 ||
		    strcmp(column->source.attribute, "data-src") == 0)
			return TYPE_IMAGE;
		if (strcmp(column->source.attribute, "href") == 0)
			return TYPE_URL;
	}
	return best;
}

/* Return whether at least LIST_SHARE percent of the pages have several values.
 */
static bool column_is_list(const struct column *column)
{
	struct value values[MAX_PAGE_VALUES];
	uint32_t several = 0;

	for (uint32_t i = 1; i < column->count; i++)
		if (column->values[i].page == column->values[i - 1].page &&
		    (i == 1 ||
		     column->values[i].page != column->values[i - 2].page))
			several += rule_values(column, column->values[i].page,
					       values) > 1;
	return (uint64_t)several * 100 >=
		       (uint64_t)column->pages * LIST_SHARE &&
	       several > 0;
}

void field_note_values(struct field *field, const struct column *column)
{
	double ratio;

	field->type = column_type(column, &ratio);
	field->is_typed =
		ratio == 1 && column->source.attribute == NULL &&
		(field->type == TYPE_NUMBER || field->type == TYPE_PRICE ||
		 field->type == TYPE_DATE);
	field->is_list = column_is_list(column);
	field->max_bytes = 0;
	for (uint32_t i = 0; i < column->count; i++) {
		struct slice text = column->values[i].text;

		field->is_typed &= type_of_text(text) == field->type;
		if (text.size > field->max_bytes)
			field->max_bytes = (uint32_t)text.size;
	}
}

/* Values of a page */

uint32_t rule_values(const struct column *rule, uint32_t page,
		     struct value *values_out)
{
	uint32_t count;
	const struct value *values = column_values(rule, page, &count);
	uint32_t distinct = 0;

	for (uint32_t i = 0; i < count; i++) {
		bool is_new = true;

		for (uint32_t k = 0; k < distinct && is_new; k++)
			is_new = values_out[k].hash != values[i].hash;
		if (is_new)
			values_out[distinct++] = values[i];
	}
	return distinct;
}

uint32_t field_values(const struct field *field, uint32_t page,
		      struct value *values_out)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < field->rule_count && count == 0; i++)
		count = rule_values(&field->rules[i], page, values_out);
	return count;
}

/* Comparing columns */

/* The values of a page as one number; 0 for none. Their order is the same. */
static uint64_t page_hash(const struct column *rule, uint32_t page)
{
	struct value values[MAX_PAGE_VALUES];
	uint32_t count = rule_values(rule, page, values);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += hash_chain(values[i].hash, 0);
	return sum;
}

uint64_t *page_hashes(const struct column *rule, uint32_t pages,
		      struct arena *arena)
{
	uint64_t *hashes = ARENA_NEW(arena, uint64_t, (size_t)pages + 1);

	for (uint32_t i = 0; i < pages; i++)
		hashes[i] = page_hash(rule, i);
	return hashes;
}

struct agreement compare_pages(const uint64_t *left, const uint64_t *right,
			       uint32_t pages)
{
	struct agreement agreement = {0};

	for (uint32_t i = 0; i < pages; i++) {
		if (left[i] == 0 || right[i] == 0)
			continue;
		agreement.both++;
		agreement.equal += left[i] == right[i];
	}
	return agreement;
}

/* Where a column is */

struct slice step_tag(struct slice step)
{
	const char *bytes = step.data;
	size_t size = 0;

	while (size < step.size && (is_alphanumeric(bytes[size])))
		size++;
	return (struct slice){bytes, size};
}

bool step_is(const struct place *place, const char *tag)
{
	return slice_equal(step_tag(place->step), slice_of(tag));
}

/* Add what one place says to the setting of its parent. */
static void setting_add(struct setting *setting, const struct place *place)
{
	setting->groups |= class_groups_of(place->names);
	setting->is_in_head |= step_is(place, "head");
	setting->is_in_heading |= step_is(place, "h1");
	setting->is_time |= step_is(place, "time");
	setting->is_in_frame |= step_is(place, "nav") ||
				step_is(place, "footer") ||
				step_is(place, "aside");
	if (step_is(place, "article"))
		setting->is_in_frame = false;
	setting->is_repeated |= place->is_repeated;
	setting->is_labelled = false;
	setting->is_named = false;
}

struct setting *settings_of(const struct place_tree *tree, struct arena *arena)
{
	struct setting *settings =
		ARENA_NEW(arena, struct setting, tree->places.count + 1u);

	for (uint32_t i = 0; i < tree->places.count; i++) {
		uint32_t up = i;

		if (i > 0)
			settings[i] = settings[place_at(tree, i)->parent];
		setting_add(&settings[i], place_at(tree, i));
		for (uint32_t n = 0; n < LABEL_LEVELS && up != NO_PLACE; n++) {
			const struct place *place = place_at(tree, up);

			settings[i].is_labelled |= place->label.size > 0;
			settings[i].is_named |=
				n < NAME_LEVELS && place->names.size > 0;
			up = place->parent;
		}
	}
	return settings;
}

bool is_frame(const struct setting *setting)
{
	const uint32_t frame = 1u << GROUP_NAVIGATION | 1u << GROUP_FOOTER |
			       1u << GROUP_SIDEBAR | 1u << GROUP_COMMENT |
			       1u << GROUP_RELATED | 1u << GROUP_SOCIAL |
			       1u << GROUP_POPUP | 1u << GROUP_ADVERTISEMENT;

	return setting->is_in_frame || (setting->groups & frame) != 0;
}
