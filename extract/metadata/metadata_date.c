#include "extract/metadata/metadata_date.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "extract/text/characters.h"
#include "extract/text/word.h"

/* A day, with a time of day if has_time. */
struct moment {
	uint32_t year, month, day;
	uint32_t hour, minute, second;
	bool has_time;
	bool has_second;
	bool has_offset;
	int32_t offset; /* minutes east of UTC */
};

enum { FIRST_YEAR = 1970, LAST_YEAR = 2100 };

/*
 * Return true if the day is valid and from 1970 to 2100. The time is ignored.
 */
static bool moment_is_valid(const struct moment *moment)
{
	static const uint8_t days[] = {31, 28, 31, 30, 31, 30,
				       31, 31, 30, 31, 30, 31};
	const uint32_t year = moment->year;
	const bool is_leap =
		year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return year >= FIRST_YEAR && year <= LAST_YEAR && moment->month >= 1 &&
	       moment->month <= 12 && moment->day >= 1 &&
	       moment->day <= (uint32_t)days[moment->month - 1] +
				      (moment->month == 2 && is_leap);
}

/*
 * Convert days since 1970 to a date. Source: Hinnant, "chrono-compatible
 * low-level date algorithms", civil_from_days, but without days before 1970.
 * Within this function a year begins in March.
 */
static void set_days(uint64_t days, struct moment *moment)
{
	uint32_t since = (uint32_t)days + 719468; /* days since 0000-03-01 */
	uint32_t era = since / 146097;
	uint32_t of_era = since % 146097;
	uint32_t year =
		(of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) /
		365;
	uint32_t of_year = of_era - (365 * year + year / 4 - year / 100);
	uint32_t month = (5 * of_year + 2) / 153;

	moment->day = of_year - (153 * month + 2) / 5 + 1;
	moment->month = month < 10 ? month + 3 : month - 9;
	moment->year = year + era * 400 + (moment->month <= 2);
}

/*
 * Convert seconds since 1970-01-01 to a day and time in UTC. The year must be
 * below 10000.
 */
static struct moment moment_of_seconds(uint64_t seconds)
{
	struct moment moment = {
		.hour = (uint32_t)(seconds % 86400 / 3600),
		.minute = (uint32_t)(seconds % 3600 / 60),
		.second = (uint32_t)(seconds % 60),
		.has_time = true,
		.has_second = true,
		.has_offset = true,
	};

	set_days(seconds / 86400, &moment);
	return moment;
}

/* Write the date in ISO 8601, without the time if the time is invalid. */
static void moment_write(const struct moment *moment, char out[DATE_SIZE])
{
	int32_t offset = moment->offset < 0 ? -moment->offset : moment->offset;
	int size =
		snprintf(out, DATE_SIZE, "%04u-%02u-%02u", moment->year % 10000,
			 moment->month % 100, moment->day % 100);

	if (!moment->has_time || moment->hour > 23 || moment->minute > 59 ||
	    moment->second > 59)
		return;
	size += snprintf(out + size, (size_t)(DATE_SIZE - size), "T%02u:%02u",
			 moment->hour, moment->minute);
	if (moment->has_second)
		size += snprintf(out + size, (size_t)(DATE_SIZE - size),
				 ":%02u", moment->second);
	if (moment->has_offset && offset == 0)
		snprintf(out + size, (size_t)(DATE_SIZE - size), "Z");
	else if (moment->has_offset)
		snprintf(out + size, (size_t)(DATE_SIZE - size), "%c%02d:%02d",
			 moment->offset < 0 ? '-' : '+', offset / 60,
			 offset % 60);
}

/*
 * The names of each month in English, German, Dutch, Danish and Norwegian,
 * Swedish, French, Spanish, Portuguese, Italian, Romanian, Polish, Czech,
 * Russian, Ukrainian, Greek, Turkish, Finnish, Hungarian, Indonesian, Arabic.
 * If a prefix ("mar") matches several months, the first month in this table
 * counts. A space is before each name.
 */
static const char *const months[12] = {
	" january januar jänner januari janvier enero janeiro gennaio ianuarie "
	"stycznia styczeń ledna leden января січня ιανουαρίου ocak tammikuu "
	"január يناير",
	" february februar feber februari februarie février febrero fevereiro "
	"febbraio lutego luty února únor февраля лютого φεβρουαρίου şubat "
	"helmikuu február فبراير",
	" march märz maart marts mars marzo março martie marca marzec března "
	"březen марта березня μαρτίου mart maaliskuu március maret مارس",
	" april avril abril aprile aprilie kwietnia kwiecień dubna duben "
	"апреля "
	"квітня απριλίου nisan huhtikuu április أبريل",
	" may mai mei maj mayo maio maggio maja května květen мая май травня "
	"μαΐου mayıs toukokuu május مايو",
	" june juni juin junio junho giugno iunie czerwca czerwiec června "
	"červen июня червня ιουνίου haziran kesäkuu június يونيو",
	" july juli juillet julio julho luglio iulie lipca lipiec července "
	"červenec июля липня ιουλίου temmuz heinäkuu július يوليو",
	" august augustus augusti août agosto sierpnia sierpień srpna srpen "
	"августа серпня αυγούστου ağustos elokuu augusztus agustus أغسطس",
	" september septembre septiembre setembro settembre septembrie "
	"września "
	"wrzesień září сентября вересня σεπτεμβρίου eylül syyskuu "
	"szeptember سبتمبر",
	" october oktober octobre octubre outubro ottobre octombrie "
	"października październik října říjen октября жовтня οκτωβρίου ekim "
	"lokakuu október أكتوبر",
	" november novembre noviembre novembro noiembrie listopada listopad "
	"listopadu ноября листопада νοεμβρίου kasım marraskuu نوفمبر",
	" december dezember desember décembre diciembre dezembro dicembre "
	"decembrie grudnia grudzień prosince prosinec декабря грудня "
	"δεκεμβρίου aralık joulukuu ديسمبر",
};

enum { MAX_MONTH = 32 }; /* bytes of the longest name, with a space and NUL */

/*
 * Write a space and `word` in lower case to `out`, as a string; return false if
 * they do not fit or if the word has fewer than three letters.
 */
static bool fold_word(struct slice word, char out[MAX_MONTH])
{
	const unsigned char *at = word.data;
	const unsigned char *end = at + word.size;
	size_t letters = 0;
	size_t size = 1;

	out[0] = ' ';
	for (; at < end; letters++) {
		if (size + 5 > MAX_MONTH)
			return false;
		size += utf8_encode(character_fold(utf8_next(&at, end)),
				    out + size);
	}
	out[size] = '\0';
	return letters >= 3;
}

uint32_t month_of(struct slice word)
{
	char folded[MAX_MONTH];

	if (!fold_word(word, folded))
		return 0;
	for (uint32_t i = 0; i < 12; i++)
		if (strstr(months[i], folded) != NULL)
			return i + 1;
	return 0;
}

enum { MAX_DATE_TOKENS = 64 };

enum date_part { DATE_NUMBER, DATE_WORD, DATE_MARK, DATE_NONE };

struct date_token {
	enum date_part kind;
	uint32_t digits; /* for a number: the number of its digits */
	uint64_t value;  /* for a number of at most 17 digits */
	uint32_t month;  /* for a word: 1..12, or 0 */
	uint32_t mark; /* the character of a mark, or of a word of one character
			*/
	struct slice text; /* for a word */
	const unsigned char *begin;
};

struct date_tokens {
	struct date_token items[MAX_DATE_TOKENS];
	uint32_t count;
	const unsigned char *end; /* of the text */
	bool has_short_years;     /* 5/3/24 may be a date */
};

/*
 * Return true for a character of Han, kana or Hangul, where one character is
 * the word for year, month or day.
 */
static bool is_syllable(uint32_t code)
{
	return code >= 0x3040 && code < 0xFE00;
}

/*
 * Return true if the character is a letter of a word. Outside of ASCII, every
 * character counts as a letter, except common punctuation and is_syllable()
 * characters.
 */
static bool is_word_letter(uint32_t code)
{
	if (code < 0x80)
		return (code | 0x20) - 'a' < 26;
	return code >= 0xC0 && (code < 0x2000 || code >= 0x3040) &&
	       !is_syllable(code);
}

/*
 * Read the token at *from, which is not white space, and advance *from after
 * it.
 */
static struct date_token date_read_token(const unsigned char **from,
					 const unsigned char *end)
{
	const unsigned char *begin = *from;
	struct date_token token = {.kind = DATE_MARK,
				   .mark = utf8_next(from, end)};

	if (is_digit((int)token.mark)) {
		token = (struct date_token){.kind = DATE_NUMBER};
		for (*from = begin; *from < end && is_digit(**from); ++*from)
			if (++token.digits < 18)
				token.value = token.value * 10 + **from - '0';
	} else if (is_syllable(token.mark)) {
		token.kind = DATE_WORD;
	} else if (is_word_letter(token.mark)) {
		const unsigned char *next = *from;

		token = (struct date_token){.kind = DATE_WORD};
		while (next < end) {
			*from = next;
			if (!is_word_letter(utf8_next(&next, end)))
				break;
			*from = next;
		}
		token.text = (struct slice){begin, (size_t)(*from - begin)};
	}
	token.begin = begin;
	return token;
}

/*
 * Set `month` of the words that are names of months. Only words at most 3
 * tokens before a number are checked, because a day or a year must follow.
 */
static void find_months(struct date_tokens *tokens)
{
	uint32_t next = UINT32_MAX; /* index of the next number */

	for (uint32_t i = tokens->count; i-- > 0;) {
		struct date_token *token = &tokens->items[i];

		if (token->kind == DATE_NUMBER)
			next = i;
		else if (token->text.size >= 3 && next - i <= 3)
			token->month = month_of(token->text);
	}
}

/*
 * Divide UTF-8 `text` into tokens; white space only separates them. Read at
 * most MAX_DATE_TOKENS tokens. Each is_syllable() character is a word. Linear.
 */
static void date_tokens_read(struct slice text, struct date_tokens *tokens)
{
	const unsigned char *from = text.data;
	const unsigned char *end = from + text.size;

	tokens->count = 0;
	tokens->end = end;
	tokens->has_short_years = false;
	while (from < end && tokens->count < MAX_DATE_TOKENS) {
		const unsigned char *next = from;
		uint32_t code = utf8_next(&next, end);

		if (code <= ' ' || code == 0xA0 || code == 0x3000 ||
		    (code >= 0x2000 && code <= 0x200F) || code == 0x202F)
			from = next;
		else
			tokens->items[tokens->count++] =
				date_read_token(&from, end);
	}
}

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
 * Each function below tries to match a date that begins at token `index`. It
 * returns the index of the token after the date, or 0 if there is no match.
 */

/* Match 2024-03-05, 2024/3/5, 2024.3.5, 2024年3月5日, or 2024 March 5. */
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

/*
 * Skip a particle, such as "th" of 5th, "." of 5., and "de" of 5 de marzo.
 * Return the index of the token after it.
 */
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

/*
 * Match dates with the day first (5 March 2024, 5. März 2024, 5th of March,
 * 2024, 5 de marzo de 2024) or the month first (March 5, 2024, Mar. 5th 2024).
 */
static uint32_t read_words(const struct date_tokens *tokens, uint32_t index,
			   struct moment *date)
{
	const struct date_token *first = date_token_at(tokens, index);
	const bool is_day_first = first->month == 0;
	const struct date_token *second;
	const struct date_token *year;

	index = skip_particle(tokens, index + 1);
	if (is_day_first)
		index = skip_particle(tokens, index);
	second = date_token_at(tokens, index);
	index = skip_particle(tokens, skip_particle(tokens, index + 1));
	year = date_token_at(tokens, index);
	date->month = is_day_first ? second->month : first->month;
	if (date->month == 0 || !is_short(is_day_first ? first : second) ||
	    !is_year(year))
		return 0;
	date->day = (uint32_t)(is_day_first ? first : second)->value;
	date->year = (uint32_t)year->value;
	return index + 1;
}

/* Return the days since 1970 of a date; the inverse of set_days(). */
static int64_t days_of(const struct moment *moment)
{
	const uint32_t year = moment->year - (moment->month <= 2);
	const uint32_t month =
		moment->month <= 2 ? moment->month + 9 : moment->month - 3;
	const int64_t era = year / 400;
	const int64_t of_era = year % 400;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 +
	       (153 * month + 2) / 5 + moment->day - 719469;
}

/* Return true if the text at `at` begins with `beginning`, in any case. */
static bool date_begins(const unsigned char *at, const unsigned char *end,
			struct slice beginning)
{
	const unsigned char *want = beginning.data;
	const unsigned char *want_end = want + beginning.size;

	if (*at < 0x80 && (*at | 0x20) != *want)
		return false; /* for most beginnings */
	while (want < want_end)
		if (at >= end || character_fold(utf8_next(&at, end)) !=
					 utf8_next(&want, want_end))
			return false;
	return true;
}

/* Return true if the token names the day of the week of the date. */
static bool is_weekday_of(const struct date_tokens *tokens,
			  const struct date_token *token,
			  const struct moment *date)
{
	/* the beginnings of the names from Thursday, 1 January 1970, on */
	static const char *const weekdays[7] = {
		"thu|don|jeu|jue|gio|qui|czw|tor|чет|πέμ",
		"fri|fre|vrij|ven|vie|sex|pią|pt|пят|παρ",
		"sat|sam|zat|sáb|sab|sob|lör|lør|суб|σάβ",
		"sun|son|zon|dim|dom|nie|sön|søn|вос|κυρ",
		"mon|maa|lun|seg|pon|mån|man|пон|δευ",
		"tue|die|din|mar|ter|wto|tis|tir|вто|τρί",
		"wed|mit|woe|mer|mié|qua|śro|ons|сре|τετ",
	};
	const char *list;
	struct slice beginning;

	if (token->kind != DATE_WORD || token->text.size == 0 ||
	    !moment_is_valid(date))
		return false;
	list = weekdays[days_of(date) % 7];
	while (list_next(&list, &beginning))
		if (date_begins(token->begin, tokens->end, beginning))
			return true;
	return false;
}

/*
 * If both numbers of a date may be the month, exchange them if a day of the
 * week is before token `index`, the first of the date, and is right only then.
 */
static void heed_weekday(const struct date_tokens *tokens, uint32_t index,
			 struct moment *date)
{
	struct moment other = *date;
	const struct date_token *word;

	if (index == 0 || date->day > 12 || date->month > 12)
		return;
	word = &tokens->items[index - 1];
	if (is_mark(word, ",.") && index > 1)
		word = &tokens->items[index - 2];
	other.day = date->month;
	other.month = date->day;
	if (is_weekday_of(tokens, word, &other) &&
	    !is_weekday_of(tokens, word, date))
		*date = other;
}

/*
 * Return the year of two digits that token `index` + 4 is, after two numbers
 * with `mark` between them, or 0. Other numbers with marks are versions or
 * addresses; the year may be the first number in some languages, and the month
 * in America, where dots and dashes are rare.
 */
static uint32_t short_year_of(const struct date_tokens *tokens, uint32_t index,
			      enum date_order order, uint32_t mark)
{
	const struct date_token *year = date_token_at(tokens, index + 4);
	const struct date_token *after = date_token_at(tokens, index + 5);
	const bool is_dotted = mark == '.';

	if (!tokens->has_short_years || order == YEAR_FIRST ||
	    year->kind != DATE_NUMBER || year->digits != 2 ||
	    (mark != '/' && !(is_dotted && order == DAY_FIRST)) ||
	    (is_dotted && (date_token_at(tokens, index)->digits != 2 ||
			   date_token_at(tokens, index + 2)->digits != 2)) ||
	    (index > 0 && (is_mark(&tokens->items[index - 1], "/.$#") ||
			   tokens->items[index - 1].kind == DATE_NUMBER)) ||
	    (is_mark(after, "/.") &&
	     date_token_at(tokens, index + 6)->kind == DATE_NUMBER))
		return 0;
	return year->value < 40   ? (uint32_t)year->value + 2000
	       : year->value > 69 ? (uint32_t)year->value + 1900
				  : 0;
}

/* Match 5.3.2024, 05/03/2024, or 05/03/24. */
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
	    date_token_at(tokens, index + 3)->mark != mark->mark)
		return 0;
	date->year = is_year(year)
			     ? (uint32_t)year->value
			     : short_year_of(tokens, index, order, mark->mark);
	if (date->year == 0)
		return 0;
	if (mark->mark != '/' || first->value > 12)
		is_month_first =
			false; /* American dates do not have dots or dashes */
	if (second->value > 12)
		is_month_first = true;
	date->month = (uint32_t)(is_month_first ? first->value : second->value);
	date->day = (uint32_t)(is_month_first ? second->value : first->value);
	heed_weekday(tokens, index, date);
	return index + 5;
}

/* Match 20240305, 20240305T101500, or 20240305101500. */
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

/*
 * Read an offset at token `index`: Z, GMT, UTC, +01:00, GMT+0100, or -5. After
 * a blank ("10:00 - 11:00") the sign is a dash before another time.
 */
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
	    date_token_at(tokens, index + 1)->digits > 4 ||
	    date_token_at(tokens, index + 1)->begin != token->begin + 1)
		return;
	minutes = (uint32_t)date_token_at(tokens, index + 1)->value;
	if (date_token_at(tokens, index + 1)->digits > 2)
		minutes = minutes / 100 * 60 + minutes % 100;
	else if (is_mark(date_token_at(tokens, index + 2), ":"))
		minutes = minutes * 60 +
			  (uint32_t)date_token_at(tokens, index + 3)->value;
	else
		minutes *= 60;
	if (minutes > 14 * 60 || minutes % 15 != 0)
		return;
	date->has_offset = true;
	date->offset =
		token->mark == '-' ? -(int32_t)minutes : (int32_t)minutes;
}

/*
 * If token `index` begins AM, PM, a.m. or p.m., read it and return the index of
 * the token after it; otherwise return `index`.
 */
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

/*
 * Read the time of day that may follow a date at token `index`, and its offset.
 */
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

/*
 * Read the date at token `index`, with the first of the functions above that
 * matches.
 */
static bool date_read_at(const struct date_tokens *tokens, uint32_t index,
			 enum date_order order, struct moment *date)
{
	uint32_t end = read_year_first(tokens, index, date);

	if (end == 0)
		end = read_numeric(tokens, index, order, date);
	if (end == 0)
		end = read_words(tokens, index, date);
	if (end == 0)
		end = date_read_digits(tokens, index, date);
	if (end == 0 || !moment_is_valid(date))
		return false;
	if (!date->has_time)
		date_read_time(tokens, end, date);
	return true;
}

/* The beginnings of the labels before dates, in lower case. */
static const struct {
	enum date_label label;
	const char *beginnings;
} date_labels[] = {
	{DATE_UPDATED,
	 "updat|last updat|last edit|last "
	 "modif|edited|modifi|revised|aktualisier|"
	 "zuletzt|geändert|mis à jour|mise à jour|actualiza|atualiza|aggiorna|"
	 "modificat|bijgewerkt|gewijzigd|zaktualizowan|aktualizacja|"
	 "aktualizov|amended|stand:|обновлен|изменен|оновлен|uppdatera|"
	 "oppdater|opdater|"
	 "güncelle|päivitet|frissít|ostatnia aktual|更新|修正|수정|업데이트"},
	{DATE_PUBLISHED,
	 "publish|posted|originally|publié|veröffentlicht|erschienen|"
	 "publicad|pubblicat|gepubliceerd|geplaatst|opublikowan|publikován|"
	 "опубликован|опубліковано|publicera|publiser|offentliggjort|udgivet|"
	 "data publikacji|data "
	 "dodania|yayın|julkaist|közzé|发布|發布|公開|掲載|投稿|입력|게시"},
	{DATE_OTHER,
	 "joined|join date|registered|member since|registriert|beigetreten|"
	 "mitglied seit|inscrit|membre depuis|miembro desde|registrado|"
	 "membro desde|iscritto|lid sinds|зарегистрирован|expires|deadline|"
	 "received|accepted|copyright|\xC2\xA9"},
};

/* Return the label that begins at `at`; DATE_PLAIN if none does. */
static enum date_label date_label_from(const unsigned char *at,
				       const unsigned char *end)
{
	for (size_t i = 0; i < sizeof(date_labels) / sizeof(date_labels[0]);
	     i++) {
		const char *list = date_labels[i].beginnings;
		struct slice beginning;

		while (list_next(&list, &beginning))
			if (date_begins(at, end, beginning))
				return date_labels[i].label;
	}
	return DATE_PLAIN;
}

/*
 * Return the label of token `end`: the last one before it from token `begin`
 * on, or `label` if no label is there.
 */
static enum date_label date_label_at(const struct date_tokens *tokens,
				     uint32_t begin, uint32_t end,
				     enum date_label label)
{
	for (uint32_t i = end; i-- > begin;) {
		enum date_label found = DATE_PLAIN;

		if (tokens->items[i].kind != DATE_NUMBER)
			found = date_label_from(tokens->items[i].begin,
						tokens->end);
		if (found != DATE_PLAIN)
			return found;
	}
	return label;
}

bool date_find_labelled(struct slice text, enum date_order order,
			unsigned labels, char out[DATE_SIZE])
{
	enum date_label label = DATE_PLAIN;
	uint32_t labelled = 0; /* `label` is that of the token before this */
	struct date_tokens tokens;

	if (text.size == 0)
		return false;
	date_tokens_read(text, &tokens);
	tokens.has_short_years = labels != DATE_ANY;
	find_months(&tokens);
	for (uint32_t i = 0; i < tokens.count; i++) {
		struct moment date = {0};

		if (!date_read_at(&tokens, i, order, &date))
			continue;
		if (labels != DATE_ANY)
			label = date_label_at(&tokens, labelled, i, label);
		labelled = i;
		if ((labels & label) == 0)
			continue;
		moment_write(&date, out);
		return true;
	}
	return false;
}

bool date_find(struct slice text, enum date_order order, char out[DATE_SIZE])
{
	return date_find_labelled(text, order, DATE_ANY, out);
}

enum date_label date_label_at_end(struct slice text)
{
	uint32_t begin = 0;
	struct date_tokens tokens;

	if (text.size == 0)
		return DATE_PLAIN;
	date_tokens_read(text, &tokens);
	for (uint32_t i = 0; i < tokens.count; i++)
		if (is_year(&tokens.items[i]))
			begin = i;
	return date_label_at(&tokens, begin, tokens.count, DATE_PLAIN);
}

/* Set the seconds since 1970 of a date that has a time and an offset. */
static bool date_seconds(struct slice text, int64_t *seconds_out)
{
	struct date_tokens tokens;
	struct moment date = {0};

	*seconds_out = 0;
	date_tokens_read(text, &tokens);
	if (!date_read_at(&tokens, 0, DAY_FIRST, &date) || !date.has_offset)
		return false;
	*seconds_out = days_of(&date) * 86400 + (int64_t)date.hour * 3600 +
		       ((int64_t)date.minute - date.offset) * 60 + date.second;
	return true;
}

bool date_is_same_moment(struct slice a, struct slice b)
{
	int64_t first;
	int64_t second;

	return date_seconds(a, &first) && date_seconds(b, &second) &&
	       first == second;
}

bool date_may_be_local(struct slice day, struct slice utc)
{
	struct date_tokens tokens;
	struct moment a = {0};
	struct moment b = {0};
	int64_t hours;

	date_tokens_read(day, &tokens);
	if (!date_read_at(&tokens, 0, DAY_FIRST, &a) || a.has_offset)
		return false;
	date_tokens_read(utc, &tokens);
	if (!date_read_at(&tokens, 0, DAY_FIRST, &b) || !b.has_time ||
	    (b.hour == 0 && b.minute == 0))
		return false;
	/* from the moment to the begin of the day, at the most eastern place */
	hours = (days_of(&a) - days_of(&b)) * 24 - b.hour;
	return hours > -36 && hours <= 14;
}

bool date_label_begins(struct slice text)
{
	const unsigned char *at = text.data;

	return text.size > 0 && (date_label_from(at, at + text.size) &
				 (DATE_PUBLISHED | DATE_UPDATED)) != 0;
}

/* Read a Unix time: 10 digits are seconds, and 13 digits are milliseconds. */
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
