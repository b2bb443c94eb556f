#include "extract/metadata/metadata_token.h"

#include <stdbool.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "extract/metadata/metadata_month.h"

/*
 * Return true for Han, kana and Hangul, where a unit of time is one character.
 */
static bool is_syllable(uint32_t code)
{
	return code >= 0x3040 && code < 0xFE00;
}

/*
 * Return true for a letter of a word; outside of ASCII, everything except
 * common punctuation.
 */
static bool is_word_letter(uint32_t code)
{
	if (code < 0x80)
		return (code | 0x20) - 'a' < 26;
	return code >= 0xC0 && (code < 0x2000 || code >= 0x3040) &&
	       !is_syllable(code);
}

/*
 * Return the token at *from, which is not white space; advance *from after it.
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
	return token;
}

static bool is_date_space(uint32_t code)
{
	return code <= ' ' || code == 0xA0 || code == 0x3000 ||
	       (code >= 0x2000 && code <= 0x200F) || code == 0x202F;
}

/*
 * Look up the months among the words up to 3 tokens before a number, which may
 * be a day or a year.
 */
static void find_months(struct date_tokens *tokens)
{
	uint32_t next = UINT32_MAX; /* number */

	for (uint32_t i = tokens->count; i-- > 0;) {
		struct date_token *token = &tokens->items[i];

		if (token->kind == DATE_NUMBER)
			next = i;
		else if (token->text.size >= 3 && next - i <= 3)
			token->month = month_of(token->text);
	}
}

void date_tokens_read(struct slice text, struct date_tokens *tokens)
{
	const unsigned char *from = text.data;
	const unsigned char *end = from + text.size;

	tokens->count = 0;
	while (from < end && tokens->count < MAX_DATE_TOKENS) {
		const unsigned char *next = from;

		if (is_date_space(utf8_next(&next, end)))
			from = next;
		else
			tokens->items[tokens->count++] =
				date_read_token(&from, end);
	}
	find_months(tokens);
}
