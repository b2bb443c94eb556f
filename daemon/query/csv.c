#include "daemon/query/csv.h"

#include <stddef.h>
#include <stdint.h>

#include "base/utf8.h"

static bool csv_is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/*
 * Return whether the text is a number: an optional sign, digits with points and
 * commas between, an optional '%'.
 */
static bool csv_is_number(struct slice text)
{
	const char *bytes = text.data;
	size_t at = 0;
	bool was_digit = false;

	if (text.size > 0 && (bytes[0] == '-' || bytes[0] == '+'))
		at++;
	for (; at < text.size; at++) {
		bool is_digit = csv_is_digit(bytes[at]);

		if (!is_digit &&
		    !(was_digit && (bytes[at] == '.' || bytes[at] == ',')))
			break;
		was_digit = is_digit;
	}
	if (was_digit && at < text.size && bytes[at] == '%')
		at++;
	return was_digit && at == text.size;
}

/*
 * Return whether the character is a control, a blank of any width, a mark
 * without width, or a quotation mark.
 */
static bool csv_is_skipped(uint32_t code)
{
	static const struct {
		uint32_t first;
		uint32_t last;
	} ranges[] = {
		{0, ' '},         {'"', '"'},       {'\'', '\''},
		{'`', '`'},       {0x7F, 0xA0},     {0xAB, 0xAB},
		{0xAD, 0xAD},     {0xBB, 0xBB},     {0x1680, 0x1680},
		{0x180E, 0x180E}, {0x2000, 0x200F}, {0x2018, 0x201F},
		{0x2028, 0x202F}, {0x2039, 0x203A}, {0x205F, 0x2069},
		{0x3000, 0x3000}, {0xFEFF, 0xFEFF}, {0xFF02, 0xFF02},
		{0xFF07, 0xFF07},
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

/*
 * Return whether the character is = + - @, or a small or full-width form of
 * these.
 */
static bool csv_is_operator(uint32_t code)
{
	static const uint32_t codes[] = {
		'=',    '+',    '-',    '@',    0xFE66, 0xFE62,
		0xFE63, 0xFE6B, 0xFF1D, 0xFF0B, 0xFF0D, 0xFF20,
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (code == codes[i])
			return true;
	return false;
}

bool csv_is_formula(struct slice text)
{
	const unsigned char *at = text.data;
	const unsigned char *end;
	uint32_t code = 0;

	if (text.size == 0 || csv_is_number(text))
		return false;
	if (*at == '\t' || *at == '\r' || *at == '\n')
		return true;
	end = at + text.size;
	do
		code = utf8_next(&at, end);
	while (csv_is_skipped(code) && at < end);
	return csv_is_operator(code);
}

void csv_append_cell(struct slice text, bool is_raw, struct buffer *out)
{
	const char *bytes = text.data;

	buffer_append_byte(out, '"');
	if (!is_raw && csv_is_formula(text))
		buffer_append_byte(out, '\'');
	for (size_t i = 0; i < text.size; i++) {
		if (bytes[i] == '"')
			buffer_append_byte(out, '"');
		buffer_append_byte(out, bytes[i]);
	}
	buffer_append_byte(out, '"');
}
