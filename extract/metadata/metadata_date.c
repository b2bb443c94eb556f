#include "extract/metadata/metadata_date.h"

#include "extract/metadata/metadata_moment.h"
#include "extract/metadata/metadata_token.h"

static const struct date_token *date_token_at(const struct date_tokens *tokens,
					      uint32_t index)
{
	static const struct date_token none = {.kind = DATE_NONE};

	return index < tokens->count ? &tokens->items[index] : &none;
}

static bool is_mark(const struct date_token *token, const char *marks)
{
	return token->kind == DATE_MARK && token->mark < 0x80 &&
	       strchr(marks, (int)token->mark) != NULL;
}

static bool is_unit(const struct date_token *token, uint32_t han,
		    uint32_t hangul)
{
	return token->kind == DATE_WORD &&
	       (token->mark == han || token->mark == hangul);
}

static bool is_year(const struct date_token *token)
{
	return token->kind == DATE_NUMBER && token->digits == 4;
}

static bool is_short(const struct date_token *token)
{
	return token->kind == DATE_NUMBER && token->digits <= 2;
}

/*
 * The functions below match a date that begins at token `index`. They return
 * the index after it, or 0.
 */

/* 2024-03-05, 2024/3/5, 2024.3.5, 2024年3月5日, 2024 March 5 */
static uint32_t read_year_first(const struct date_tokens *tokens,
				uint32_t index, struct moment *date)
{
	const struct date_token *token = date_token_at(tokens, index);

	if (!is_year(token))
		return 0;
	date->year = (uint32_t)token->value;
	token = date_token_at(tokens, ++index);
	if (is_mark(token, "-/.,") || is_unit(token, 0x5E74, 0xB144))
		token = date_token_at(tokens, ++index);
	else if (token->month == 0)
		return 0;
	if (!is_short(token) && token->month == 0)
		return 0;
	date->month = token->month != 0 ? token->month : (uint32_t)token->value;
	token = date_token_at(tokens, ++index);
	if (is_mark(token, "-/.,") || is_unit(token, 0x6708, 0xC6D4))
		token = date_token_at(tokens, ++index);
	if (!is_short(token))
		return 0;
	date->day = (uint32_t)token->value;
	token = date_token_at(tokens, ++index);
	return is_unit(token, 0x65E5, 0xC77C) ? index + 1 : index;
}

/* Skip "th" of 5th, "." of 5., "de" of 5 de marzo. */
static uint32_t skip_particle(const struct date_tokens *tokens, uint32_t index)
{
	const struct date_token *token = date_token_at(tokens, index);

	if (is_mark(token, "-/.,'") ||
	    (token->kind == DATE_WORD && token->month == 0 &&
	     token->text.size > 0 && token->text.size <= 3) ||
	    (token->kind == DATE_MARK &&
	     (token->mark == 0xBA || token->mark == 0xAA ||
	      token->mark == 0xB0)))
		return index + 1;
	return index;
}

/* 5 March 2024, 5. März 2024, 5th of March, 2024, 5 de marzo de 2024 */
static uint32_t read_day_month(const struct date_tokens *tokens, uint32_t index,
			       struct moment *date)
{
	const struct date_token *token = date_token_at(tokens, index);

	if (!is_short(token))
		return 0;
	date->day = (uint32_t)token->value;
	index = skip_particle(tokens, skip_particle(tokens, index + 1));
	date->month = date_token_at(tokens, index)->month;
	if (date->month == 0)
		return 0;
	index = skip_particle(tokens, skip_particle(tokens, index + 1));
	token = date_token_at(tokens, index);
	if (!is_year(token))
		return 0;
	date->year = (uint32_t)token->value;
	return index + 1;
}

/* March 5, 2024, Mar. 5th 2024 */
static uint32_t read_month_first(const struct date_tokens *tokens,
				 uint32_t index, struct moment *date)
{
	const struct date_token *token;

	date->month = date_token_at(tokens, index)->month;
	if (date->month == 0)
		return 0;
	index = skip_particle(tokens, index + 1);
	token = date_token_at(tokens, index);
	if (!is_short(token))
		return 0;
	date->day = (uint32_t)token->value;
	index = skip_particle(tokens, skip_particle(tokens, index + 1));
	token = date_token_at(tokens, index);
	if (!is_year(token))
		return 0;
	date->year = (uint32_t)token->value;
	return index + 1;
}

/* 5.3.2024, 05/03/2024 */
static uint32_t read_numeric(const struct date_tokens *tokens, uint32_t index,
			     enum date_order order, struct moment *date)
{
	const struct date_token *first = date_token_at(tokens, index);
	const struct date_token *mark = date_token_at(tokens, index + 1);
	const struct date_token *second = date_token_at(tokens, index + 2);
	const struct date_token *year = date_token_at(tokens, index + 4);
	bool is_month_first = order == MONTH_FIRST;

	if (!is_short(first) || !is_mark(mark, "-/.") || !is_short(second) ||
	    date_token_at(tokens, index + 3)->kind != DATE_MARK ||
	    date_token_at(tokens, index + 3)->mark != mark->mark ||
	    !is_year(year))
		return 0;
	if (mark->mark != '/' || first->value > 12)
		is_month_first = false; /* dots and dashes are not used in
					   American dates */
	if (second->value > 12)
		is_month_first = true;
	date->month = (uint32_t)(is_month_first ? first->value : second->value);
	date->day = (uint32_t)(is_month_first ? second->value : first->value);
	date->year = (uint32_t)year->value;
	return index + 5;
}

/* 20240305, 20240305T101500, 20240305101500 */
static uint32_t date_read_digits(const struct date_tokens *tokens,
				 uint32_t index, struct moment *date)
{
	const struct date_token *token = date_token_at(tokens, index);
	uint64_t day = token->value;

	if (token->kind != DATE_NUMBER ||
	    (token->digits != 8 && token->digits != 14))
		return 0;
	if (token->digits == 14) {
		uint32_t clock = (uint32_t)(day % 1000000);

		day /= 1000000;
		date->has_time = date->has_second = true;
		date->hour = clock / 10000;
		date->minute = clock / 100 % 100;
		date->second = clock % 100;
	}
	date->year = (uint32_t)(day / 10000);
	date->month = (uint32_t)(day / 100 % 100);
	date->day = (uint32_t)(day % 100);
	return index + 1;
}

static bool date_token_is(const struct date_token *token, const char *word)
{
	return token->kind == DATE_WORD && token->text.size == strlen(word) &&
	       strncasecmp(token->text.data, word, token->text.size) == 0;
}

/* Z, GMT, UTC, +01:00, GMT+0100, -5 */
static void read_offset(const struct date_tokens *tokens, uint32_t index,
			struct moment *date)
{
	const struct date_token *token = date_token_at(tokens, index);
	uint32_t minutes;
	bool is_utc = date_token_is(token, "z") ||
		      date_token_is(token, "gmt") ||
		      date_token_is(token, "utc");

	if (is_utc)
		token = date_token_at(tokens, ++index);
	date->has_offset = is_utc;
	if (!is_mark(token, "+-") ||
	    date_token_at(tokens, index + 1)->digits == 0 ||
	    date_token_at(tokens, index + 1)->digits > 4)
		return;
	minutes = (uint32_t)date_token_at(tokens, index + 1)->value;
	if (date_token_at(tokens, index + 1)->digits > 2)
		minutes = minutes / 100 * 60 + minutes % 100;
	else if (is_mark(date_token_at(tokens, index + 2), ":"))
		minutes = minutes * 60 +
			  (uint32_t)date_token_at(tokens, index + 3)->value;
	else
		minutes *= 60;
	if (minutes > 14 * 60)
		return;
	date->has_offset = true;
	date->offset =
		token->mark == '-' ? -(int32_t)minutes : (int32_t)minutes;
}

/* Read AM or PM, also a.m. and p.m.; return the index after it. */
static uint32_t read_half(const struct date_tokens *tokens, uint32_t index,
			  struct moment *date)
{
	const struct date_token *token = date_token_at(tokens, index);
	bool is_am = date_token_is(token, "am");
	bool is_pm = date_token_is(token, "pm");

	if (!is_am && !is_pm &&
	    is_mark(date_token_at(tokens, index + 1), ".") &&
	    date_token_is(date_token_at(tokens, index + 2), "m")) {
		is_am = date_token_is(token, "a");
		is_pm = date_token_is(token, "p");
		index += is_am || is_pm ? 3 : 0;
	} else {
		index += is_am || is_pm;
	}
	if (is_pm && date->hour < 12)
		date->hour += 12;
	else if (is_am && date->hour == 12)
		date->hour = 0;
	return index;
}

/* Read a time of day after the date, and its offset. */
static void date_read_time(const struct date_tokens *tokens, uint32_t index,
			   struct moment *date)
{
	index = skip_particle(tokens, index);
	if (!is_short(date_token_at(tokens, index)) ||
	    !is_mark(date_token_at(tokens, index + 1), ":") ||
	    !is_short(date_token_at(tokens, index + 2)))
		return;
	date->has_time = true;
	date->hour = (uint32_t)date_token_at(tokens, index)->value;
	date->minute = (uint32_t)date_token_at(tokens, index + 2)->value;
	index += 3;
	if (is_mark(date_token_at(tokens, index), ":") &&
	    is_short(date_token_at(tokens, index + 1))) {
		date->has_second = true;
		date->second =
			(uint32_t)date_token_at(tokens, index + 1)->value;
		index += 2;
		if (is_mark(date_token_at(tokens, index), ".,") &&
		    date_token_at(tokens, index + 1)->kind == DATE_NUMBER)
			index += 2;
	}
	read_offset(tokens, read_half(tokens, index, date), date);
}

/* Read the date at token `index` with the first pattern that matches. */
static bool date_read_at(const struct date_tokens *tokens, uint32_t index,
			 enum date_order order, struct moment *date)
{
	uint32_t end = read_year_first(tokens, index, date);

	if (end == 0)
		end = read_numeric(tokens, index, order, date);
	if (end == 0)
		end = read_day_month(tokens, index, date);
	if (end == 0)
		end = read_month_first(tokens, index, date);
	if (end == 0)
		end = date_read_digits(tokens, index, date);
	if (end == 0 || !moment_is_valid(date))
		return false;
	if (!date->has_time)
		date_read_time(tokens, end, date);
	return true;
}

bool date_find(struct slice text, enum date_order order, char out[DATE_SIZE])
{
	struct date_tokens tokens;

	if (text.size == 0)
		return false;
	date_tokens_read(text, &tokens);
	for (uint32_t i = 0; i < tokens.count; i++) {
		struct moment date = {0};

		if (!date_read_at(&tokens, i, order, &date))
			continue;
		moment_write(&date, out);
		return true;
	}
	return false;
}

/* 10 digits are seconds, from 2001 to 2100; 13 digits are milliseconds. */
static bool read_unix(struct slice text, char out[DATE_SIZE])
{
	struct date_tokens tokens;
	struct moment date;
	uint64_t seconds;

	date_tokens_read(text, &tokens);
	if (tokens.count != 1 || tokens.items[0].kind != DATE_NUMBER ||
	    (tokens.items[0].digits != 10 && tokens.items[0].digits != 13))
		return false;
	seconds = tokens.items[0].value;
	if (tokens.items[0].digits == 13)
		seconds /= 1000;
	date = moment_of_seconds(seconds);
	if (!moment_is_valid(&date))
		return false;
	moment_write(&date, out);
	return true;
}

bool date_read(struct slice text, enum date_order order, char out[DATE_SIZE])
{
	return date_find(text, order, out) ||
	       (text.size > 0 && read_unix(text, out));
}
