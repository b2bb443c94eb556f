#include "page/selector_scan.h"

#include <string.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "page/attribute.h"

enum {
	MAX_DIGITS = 7, /* digits of a number */
	MAX_ESCAPE_DIGITS = 6,
	LAST_CODE = 0x10FFFF,
	REPLACEMENT = 0xFFFD,
};

bool scan_set_error(struct selector_scan *scan, const char *what)
{
	if (scan->error == NULL)
		scan->error = what;
	return false;
}

void scan_skip_spaces(struct selector_scan *scan)
{
	while (is_space(*scan->at))
		scan->at++;
}

bool scan_skip_byte(struct selector_scan *scan, char byte)
{
	if (*scan->at != byte)
		return false;
	scan->at++;
	return true;
}

bool scan_skip_word(struct selector_scan *scan, const char *word)
{
	size_t size = strlen(word);

	for (size_t i = 0; i < size; i++)
		if (lower(scan->at[i]) != word[i])
			return false;
	scan->at += size;
	return true;
}

static bool is_escape(const char *at)
{
	return at[0] == '\\' && at[1] != '\0' && at[1] != '\n';
}

static bool selector_byte_is_name(char byte)
{
	return is_letter(byte) || is_digit(byte) || byte == '-' ||
	       byte == '_' || (byte & 0x80) != 0;
}

bool scan_is_name(const struct selector_scan *scan)
{
	const char *at = scan->at;

	if (*at == '-')
		at++;
	return is_escape(at) || (selector_byte_is_name(*at) && !is_digit(*at));
}

/* Read an escape at its "\". CSS Syntax Level 3, section 4.3.7. */
static char *scan_read_escape(struct selector_scan *scan, char *out)
{
	uint32_t code = 0;
	int digits = 0;

	scan->at++;
	while (digits < MAX_ESCAPE_DIGITS && hex_digit(*scan->at) >= 0) {
		code = code * 16 + (uint32_t)hex_digit(*scan->at++);
		digits++;
	}
	if (digits == 0) {
		*out = *scan->at++;
		return out + 1;
	}
	if (is_space(*scan->at))
		scan->at++;
	if (code == 0 || code > LAST_CODE || (code >= 0xD800 && code <= 0xDFFF))
		code = REPLACEMENT;
	return out + utf8_encode(code, out);
}

/* Terminate the name from scan->names to `out`. */
static const char *scan_end_name(struct selector_scan *scan, char *out)
{
	const char *name = scan->names;

	*out = '\0';
	scan->names = out + 1;
	return name;
}

const char *scan_name(struct selector_scan *scan)
{
	char *out = scan->names;

	if (!scan_is_name(scan)) {
		scan_set_error(scan, "a name is missing");
		return NULL;
	}
	while (selector_byte_is_name(*scan->at) || is_escape(scan->at))
		if (*scan->at == '\\')
			out = scan_read_escape(scan, out);
		else
			*out++ = *scan->at++;
	return scan_end_name(scan, out);
}

const char *scan_folded_name(struct selector_scan *scan)
{
	char *folded = scan->names;
	const char *name = scan_name(scan);

	for (; name != NULL && *folded != '\0'; folded++)
		*folded = lower(*folded);
	return name;
}

const char *scan_value(struct selector_scan *scan)
{
	char quote = *scan->at;
	char *out = scan->names;

	if (quote != '"' && quote != '\'')
		return scan_name(scan);
	scan->at++;
	while (*scan->at != '\0' && *scan->at != quote)
		if (is_escape(scan->at))
			out = scan_read_escape(scan, out);
		else
			*out++ = *scan->at++;
	if (scan_skip_byte(scan, quote))
		return scan_end_name(scan, out);
	scan_set_error(scan, "the quote is not closed");
	return NULL;
}

static int32_t scan_read_sign(struct selector_scan *scan)
{
	if (scan_skip_byte(scan, '-'))
		return -1;
	(void)scan_skip_byte(scan, '+');
	return 1;
}

static bool scan_read_number(struct selector_scan *scan, int32_t *number_out)
{
	int32_t number = 0;
	int digits = 0;

	for (; is_digit(*scan->at) && digits < MAX_DIGITS; digits++)
		number = number * 10 + (*scan->at++ - '0');
	*number_out = number;
	return (digits > 0 && !is_digit(*scan->at)) ||
	       scan_set_error(scan, "not a whole number up to 9999999");
}

/* Read the offset after the "n", or 0. */
static bool scan_read_offset(struct selector_scan *scan, int32_t *offset_out)
{
	int32_t sign;

	*offset_out = 0;
	scan_skip_spaces(scan);
	if (*scan->at != '+' && *scan->at != '-')
		return true;
	sign = scan_read_sign(scan);
	scan_skip_spaces(scan);
	if (!scan_read_number(scan, offset_out))
		return false;
	*offset_out *= sign;
	return true;
}

bool scan_position(struct selector_scan *scan, int32_t *step_out,
		   int32_t *offset_out)
{
	bool is_odd = scan_skip_word(scan, "odd");
	int32_t number = 1;
	int32_t sign;

	*step_out = 2;
	*offset_out = is_odd ? 1 : 0;
	if (is_odd || scan_skip_word(scan, "even"))
		return true;
	sign = scan_read_sign(scan);
	if (lower(*scan->at) != 'n' && !scan_read_number(scan, &number))
		return false;
	if (scan_skip_word(scan, "n")) {
		*step_out = sign * number;
		return scan_read_offset(scan, offset_out);
	}
	*step_out = 0;
	*offset_out = sign * number;
	return true;
}
