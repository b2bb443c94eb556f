#include "extract/methods/css_value.h"

#include <stddef.h>

#include "base/ascii.h"

bool css_is(struct slice text, const char *word)
{
	const char *bytes = text.data;

	if (strlen(word) != text.size)
		return false;
	for (size_t i = 0; i < text.size; i++)
		if (css_lower(bytes[i]) != word[i])
			return false;
	return true;
}

struct slice css_trim(struct slice text)
{
	const char *begin = text.data;
	const char *end = begin + text.size;

	while (begin < end && css_is_space(*begin))
		begin++;
	while (begin < end && css_is_space(end[-1]))
		end--;
	return (struct slice){begin, (size_t)(end - begin)};
}

struct slice css_next_word(struct slice *rest)
{
	const char *begin = rest->data;
	const char *end = begin + rest->size;
	const char *at;
	unsigned depth = 0;

	while (begin < end && css_is_space(*begin))
		begin++;
	for (at = begin; at < end && (depth > 0 || !css_is_space(*at)); at++) {
		if (*at == '(')
			depth++;
		else if (*at == ')' && depth > 0)
			depth--;
	}
	*rest = (struct slice){at, (size_t)(end - at)};
	return (struct slice){begin, (size_t)(at - begin)};
}

/*
 * Read digits with an optional point, without sign and exponent. Return NULL,
 * and write nothing, if there are no digits.
 */
static const char *css_read_number(const char *at, const char *end, double *out)
{
	double value = 0;
	double place = 1;
	size_t digits = 0;
	bool is_fraction = false;

	for (; at < end; at++) {
		if (*at == '.' && !is_fraction) {
			is_fraction = true;
			continue;
		}
		if (*at < '0' || *at > '9')
			break;
		digits++;
		if (is_fraction)
			value += (place /= 10) * (*at - '0');
		else
			value = value * 10 + (*at - '0');
		if (value > MAX_LENGTH)
			value = MAX_LENGTH;
	}
	if (digits == 0)
		return NULL;
	*out = value;
	return at;
}

/* The size of one unit, in px, em or percent. */
struct css_value_unit {
	char name[5];
	uint8_t unit;
	double factor;
};

static const struct css_value_unit units[] = {
	{"px", LENGTH_PX, 1},
	{"%", LENGTH_PERCENT, 1},
	{"em", LENGTH_EM, 1},
	{"rem", LENGTH_PX, ROOT_FONT_SIZE},
	{"pt", LENGTH_PX, 4.0 / 3},
	{"pc", LENGTH_PX, 16},
	{"in", LENGTH_PX, 96},
	{"cm", LENGTH_PX, 96 / 2.54},
	{"mm", LENGTH_PX, 96 / 25.4},
	{"ex", LENGTH_EM, .5},
	{"ch", LENGTH_EM, .5},
	{"vw", LENGTH_PX, VIEWPORT_WIDTH / 100.0},
	{"vh", LENGTH_PX, VIEWPORT_HEIGHT / 100.0},
};

static bool make_length(double value, uint32_t unit, struct length *length_out)
{
	*length_out = (struct length){
		.value = value > MAX_LENGTH ? MAX_LENGTH : (float)value,
		.unit = unit,
	};
	return true;
}

bool css_length(struct slice text, struct length *length_out)
{
	const char *at = text.data;
	const char *end = at + text.size;
	struct slice name;
	double value = 0;

	if (css_is(text, "auto") || css_is(text, "none"))
		return make_length(0, LENGTH_AUTO, length_out);
	if (text.size > 0 && *at == '+')
		at++;
	at = css_read_number(at, end, &value);
	if (at == NULL)
		return false;
	name = (struct slice){at, (size_t)(end - at)};
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (css_is(name, units[i].name))
			return make_length(value * units[i].factor,
					   units[i].unit, length_out);
	return name.size == 0 && value == 0 &&
	       make_length(0, LENGTH_PX, length_out);
}

bool html_dimension(struct slice text, struct length *length_out)
{
	struct slice trimmed = css_trim(text);
	const char *at = trimmed.data;
	const char *end = at + trimmed.size;
	double value = 0;

	at = css_read_number(at, end, &value);
	if (at == NULL)
		return false;
	return make_length(value,
			   at < end && *at == '%' ? LENGTH_PERCENT : LENGTH_PX,
			   length_out);
}

struct color_name {
	const char *name;
	uint32_t color;
};

static const struct color_name colors[] = {
	{"white", 0xFFFFFF},     {"black", 0x000000},
	{"gray", 0x808080},      {"grey", 0x808080},
	{"silver", 0xC0C0C0},    {"red", 0xFF0000},
	{"maroon", 0x800000},    {"yellow", 0xFFFF00},
	{"olive", 0x808000},     {"lime", 0x00FF00},
	{"green", 0x008000},     {"aqua", 0x00FFFF},
	{"cyan", 0x00FFFF},      {"teal", 0x008080},
	{"blue", 0x0000FF},      {"navy", 0x000080},
	{"fuchsia", 0xFF00FF},   {"magenta", 0xFF00FF},
	{"purple", 0x800080},    {"orange", 0xFFA500},
	{"lightgrey", 0xD3D3D3}, {"transparent", COLOR_TRANSPARENT},
};

/*
 * Parse 3, 4, 6 or 8 digits; an alpha of zero is transparent, other values of
 * alpha have no effect.
 */
static bool hex_color(const char *digits, size_t count, uint32_t *color_out)
{
	const size_t wide = count > 4 ? 2 : 1;
	uint32_t parts[4] = {0, 0, 0, 255};

	if (count != 3 && count != 4 && count != 6 && count != 8)
		return false;
	for (size_t i = 0; i < count / wide; i++) {
		int high = hex_digit(digits[i * wide]);
		int low = hex_digit(digits[i * wide + wide - 1]);

		if (high < 0 || low < 0)
			return false;
		parts[i] = (uint32_t)(high * 16 + low);
	}
	*color_out = parts[3] == 0 ? COLOR_TRANSPARENT
				   : parts[0] << 16 | parts[1] << 8 | parts[2];
	return true;
}

/* Parse "rgb(255, 0, 0)" or "rgba(255 0 0 / 0)"; percentages are of 255. */
static bool rgb_color(const char *at, const char *end, uint32_t *color_out)
{
	double parts[4] = {0, 0, 0, 1};
	size_t count = 0;

	while (at < end && count < 4) {
		const char *next = css_read_number(at, end, &parts[count]);

		if (next == NULL) {
			at++;
			continue;
		}
		at = next;
		if (at < end && *at == '%' && count < 3)
			parts[count] *= 2.55;
		if (count < 3 && parts[count] > 255)
			parts[count] = 255;
		count++;
	}
	if (count < 3)
		return false;
	*color_out = parts[3] <= 0 ? COLOR_TRANSPARENT
				   : (uint32_t)parts[0] << 16 |
					     (uint32_t)parts[1] << 8 |
					     (uint32_t)parts[2];
	return true;
}

bool css_color(struct slice text, uint32_t *color_out)
{
	const char *bytes = text.data;

	if (text.size > 1 && bytes[0] == '#')
		return hex_color(bytes + 1, text.size - 1, color_out);
	if (text.size > 4 && (css_is((struct slice){bytes, 4}, "rgb(") ||
			      css_is((struct slice){bytes, 4}, "rgba")))
		return rgb_color(bytes + 4, bytes + text.size, color_out);
	for (size_t i = 0; i < sizeof(colors) / sizeof(colors[0]); i++) {
		if (css_is(text, colors[i].name)) {
			*color_out = colors[i].color;
			return true;
		}
	}
	return false;
}

float length_px(struct length length, float font_size, float whole)
{
	float px = 0;

	if (length.unit == LENGTH_PX)
		px = length.value;
	else if (length.unit == LENGTH_EM)
		px = length.value * font_size;
	else if (length.unit == LENGTH_PERCENT)
		px = length.value * whole / 100;
	return px > MAX_LENGTH ? MAX_LENGTH : px;
}
