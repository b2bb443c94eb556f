#include "extract/methods/css_style.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/utf8.h"
#include "extract/core/numeric.h"
#include "page/page.h"
#include "page/scanner.h"

/* The colour "transparent": a number outside of the range of 0xRRGGBB. */
#define COLOR_TRANSPARENT 0x1000000U

/*
 * The CSS properties that boxes_estimate() supports. Of several declarations of
 * a property, the one with the highest rank counts, so declarations can be
 * merged in any order.
 */
enum property {
	PROPERTY_DISPLAY,   /* enum display */
	PROPERTY_FLOAT,     /* enum flow */
	PROPERTY_POSITION,  /* enum flow */
	PROPERTY_CLEAR,     /* 1 = the element is below all floats */
	PROPERTY_IS_COLUMN, /* 1 = flex-direction is column */
	PROPERTY_WIDTH,
	PROPERTY_HEIGHT,
	PROPERTY_MAX_WIDTH,
	PROPERTY_MARGIN_LEFT,
	PROPERTY_MARGIN_RIGHT,
	PROPERTY_FONT_SIZE,
	PROPERTY_IS_BOLD,
	PROPERTY_BACKGROUND, /* colour */
	PROPERTY_COUNT,
};

/*
 * The declared value of a property. It is a length, or a number in value.unit
 * whose meaning depends on the property.
 */
struct css_declaration {
	struct length value;
	uint32_t rank; /* 0 = not declared */
};

struct declarations {
	struct css_declaration properties[PROPERTY_COUNT];
};

/*
 * The rank of a declaration is 1 in an HTML attribute. Elsewhere it depends
 * first on the specificity of the selector, and then on the order.
 */
enum specificity {
	SPECIFICITY_TAG = 1,
	SPECIFICITY_CLASS,
	SPECIFICITY_TAG_CLASS,
	SPECIFICITY_ID,
	SPECIFICITY_TAG_ID,
	SPECIFICITY_INLINE,
};

#define RANK_ATTRIBUTE 1U
#define RANK_IMPORTANT 0x80000000U

/*
 * A cursor in the source of a style sheet. It skips comments, strings and
 * parentheses as a whole (CSS Syntax, section 4).
 */

struct css_scan {
	const char *at;
	const char *end;
};

static inline struct css_scan css_scan_begin(struct slice text)
{
	return (struct css_scan){
		.at = text.data,
		.end = (const char *)text.data + text.size,
	};
}

/*
 * Remove the first word from `rest` and return it; return an empty slice at the
 * end. A word ends at white space outside of parentheses. Linear in the removed
 * bytes.
 */
static struct slice css_next_word(struct slice *rest)
{
	const char *begin = rest->data;
	const char *end = begin + rest->size;
	const char *at;
	unsigned depth = 0;

	while (begin < end && is_space(*begin))
		begin++;
	for (at = begin; at < end && (depth > 0 || !is_space(*at)); at++) {
		if (*at == '(')
			depth++;
		else if (*at == ')' && depth > 0)
			depth--;
	}
	*rest = (struct slice){at, (size_t)(end - at)};
	return (struct slice){begin, (size_t)(at - begin)};
}

/*
 * Read a number at `at`: digits with an optional point, without sign and
 * exponent. Write it to `out` and return the position after it. If there are no
 * digits, write nothing and return NULL.
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

/* A unit of CSS: `name` is `factor` times px, em or percent. */
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

/*
 * Parse a length such as "12px", "1.5em", "50%" or "auto", in any unit of CSS.
 * For anything else, such as negative numbers, calc() and words, return false
 * and write nothing.
 */
static bool css_length(struct slice text, struct length *length_out)
{
	const char *at = text.data;
	const char *end = at + text.size;
	struct slice name;
	double value = 0;

	if (text_is(text, "auto") || text_is(text, "none"))
		return make_length(0, LENGTH_AUTO, length_out);
	if (text.size > 0 && *at == '+')
		at++;
	at = css_read_number(at, end, &value);
	if (at == NULL)
		return false;
	name = (struct slice){at, (size_t)(end - at)};
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (text_is(name, units[i].name))
			return make_length(value * units[i].factor,
					   units[i].unit, length_out);
	return name.size == 0 && value == 0 &&
	       make_length(0, LENGTH_PX, length_out);
}

/*
 * Parse an HTML attribute such as width: a number, which is in px, or in
 * percent if "%" follows. The rest is ignored. Return false if there is no
 * number.
 */
static bool html_dimension(struct slice text, struct length *length_out)
{
	struct slice trimmed = text_trim(text);
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
 * Parse a colour of 3, 4, 6 or 8 hexadecimal digits. With alpha 0 the colour is
 * transparent; other values of alpha are ignored.
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

/*
 * Parse the arguments of a colour such as "rgb(255, 0, 0)" or "rgba(255 0 0 /
 * 0)". A percentage is of 255.
 */
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

/*
 * Parse a colour: #rgb, #rrggbb, rgb(), rgba(), a name of HTML 4, or
 * "transparent". Return false for anything else.
 */
static bool css_color(struct slice text, uint32_t *color_out)
{
	const char *bytes = text.data;

	if (text.size > 1 && bytes[0] == '#')
		return hex_color(bytes + 1, text.size - 1, color_out);
	if (text.size > 4 && (text_is((struct slice){bytes, 4}, "rgb(") ||
			      text_is((struct slice){bytes, 4}, "rgba")))
		return rgb_color(bytes + 4, bytes + text.size, color_out);
	for (size_t i = 0; i < sizeof(colors) / sizeof(colors[0]); i++) {
		if (text_is(text, colors[i].name)) {
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

/*
 * Return the position after the comment that begins at `at`, or `end` if the
 * comment is not closed.
 */
static const char *comment_end(const char *at, const char *end)
{
	for (at += 2; at < end; at++) {
		at = memchr(at, '*', (size_t)(end - at));
		if (at == NULL)
			return end;
		if (at + 1 < end && at[1] == '/')
			return at + 2;
	}
	return end;
}

/*
 * Return the position after the string that begins with the quote at `at`;
 * without a closing quote, the end of the line.
 */
static const char *string_end(const char *at, const char *end)
{
	const char quote = *at++;

	for (; at < end && *at != '\n'; at++) {
		if (*at == quote)
			return at + 1;
		if (*at == '\\' && at + 1 < end)
			at++;
	}
	return at;
}

static bool is_comment(const char *at, const char *end)
{
	return end - at >= 2 && at[0] == '/' && at[1] == '*';
}

static void skip_space_and_comments(struct css_scan *scan)
{
	while (scan->at < scan->end) {
		if (is_comment(scan->at, scan->end))
			scan->at = comment_end(scan->at, scan->end);
		else if (is_space(*scan->at))
			scan->at++;
		else
			return;
	}
}

/*
 * Return the position after the comment, string or escape at `at`, or otherwise
 * after the byte at `at`.
 */
static const char *css_next(const char *at, const char *end)
{
	if (is_comment(at, end))
		return comment_end(at, end);
	if (*at == '"' || *at == '\'')
		return string_end(at, end);
	return at + (*at == '\\' && at + 1 < end ? 2 : 1);
}

/*
 * Move the cursor to the first of the bytes `stops` that is outside of
 * comments, strings and parentheses, or to the end. Return the text up to
 * there, without comments at its start. Linear.
 */
static struct slice css_scan_until(struct css_scan *scan, const char *stops)
{
	const char *begin;
	unsigned depth = 0;

	skip_space_and_comments(scan);
	begin = scan->at;
	while (scan->at < scan->end) {
		char byte = *scan->at;

		if (depth == 0 && byte != '\0' && strchr(stops, byte) != NULL)
			break;
		if (byte == '(')
			depth++;
		else if (byte == ')' && depth > 0)
			depth--;
		scan->at = css_next(scan->at, scan->end);
	}
	return (struct slice){begin, (size_t)(scan->at - begin)};
}

/* Return the byte at the cursor and move after it; return NUL at the end. */
static char css_scan_step(struct css_scan *scan)
{
	if (scan->at == scan->end)
		return '\0';
	return *scan->at++;
}

/* Move the cursor, which is after a "{", after the matching "}". */
static void css_scan_skip_block(struct css_scan *scan)
{
	unsigned depth = 1;

	while (depth > 0 && scan->at < scan->end) {
		css_scan_until(scan, "{}");
		if (css_scan_step(scan) == '{')
			depth++;
		else
			depth--;
	}
}

/*
 * The words that a property may have as its value, and the numbers that stand
 * for them.
 */
static const struct {
	const char *name;
	enum property property;
	uint32_t value;
} words[] = {
	{"none", PROPERTY_DISPLAY, DISPLAY_NONE},
	{"inline", PROPERTY_DISPLAY, DISPLAY_INLINE},
	{"block", PROPERTY_DISPLAY, DISPLAY_BLOCK},
	{"list-item", PROPERTY_DISPLAY, DISPLAY_BLOCK},
	{"flow-root", PROPERTY_DISPLAY, DISPLAY_BLOCK},
	{"grid", PROPERTY_DISPLAY,
	 DISPLAY_BLOCK}, /* the columns of a grid are not supported */
	{"contents", PROPERTY_DISPLAY, DISPLAY_BLOCK},
	{"table-row-group", PROPERTY_DISPLAY, DISPLAY_BLOCK},
	{"table-cell", PROPERTY_DISPLAY, DISPLAY_INLINE_BLOCK},
	{"inline-block", PROPERTY_DISPLAY, DISPLAY_INLINE_BLOCK},
	{"inline-flex", PROPERTY_DISPLAY, DISPLAY_INLINE_BLOCK},
	{"inline-grid", PROPERTY_DISPLAY, DISPLAY_INLINE_BLOCK},
	{"inline-table", PROPERTY_DISPLAY, DISPLAY_INLINE_BLOCK},
	{"table", PROPERTY_DISPLAY, DISPLAY_TABLE},
	{"table-row", PROPERTY_DISPLAY, DISPLAY_ROW},
	{"flex", PROPERTY_DISPLAY, DISPLAY_FLEX},
	{"-webkit-box", PROPERTY_DISPLAY, DISPLAY_FLEX},
	{"left", PROPERTY_FLOAT, FLOW_LEFT},
	{"right", PROPERTY_FLOAT, FLOW_RIGHT},
	{"none", PROPERTY_FLOAT, FLOW_NORMAL},
	{"absolute", PROPERTY_POSITION, FLOW_OUT},
	{"fixed", PROPERTY_POSITION, FLOW_OUT},
	{"static", PROPERTY_POSITION, FLOW_NORMAL},
	{"relative", PROPERTY_POSITION, FLOW_NORMAL},
	{"sticky", PROPERTY_POSITION, FLOW_NORMAL},
	{"both", PROPERTY_CLEAR, 1},
	{"left", PROPERTY_CLEAR, 1},
	{"right", PROPERTY_CLEAR, 1},
	{"none", PROPERTY_CLEAR, 0},
	{"column", PROPERTY_IS_COLUMN, 1},
	{"column-reverse", PROPERTY_IS_COLUMN, 1},
	{"row", PROPERTY_IS_COLUMN, 0},
	{"row-reverse", PROPERTY_IS_COLUMN, 0},
	{"bold", PROPERTY_IS_BOLD, 1},
	{"bolder", PROPERTY_IS_BOLD, 1},
	{"600", PROPERTY_IS_BOLD, 1},
	{"700", PROPERTY_IS_BOLD, 1},
	{"800", PROPERTY_IS_BOLD, 1},
	{"900", PROPERTY_IS_BOLD, 1},
	{"normal", PROPERTY_IS_BOLD, 0},
	{"lighter", PROPERTY_IS_BOLD, 0},
	{"400", PROPERTY_IS_BOLD, 0},
	/* font sizes, in hundredths of the font size of the root */
	{"xx-small", PROPERTY_FONT_SIZE, 56},
	{"x-small", PROPERTY_FONT_SIZE, 63},
	{"small", PROPERTY_FONT_SIZE, 81},
	{"medium", PROPERTY_FONT_SIZE, 100},
	{"large", PROPERTY_FONT_SIZE, 113},
	{"x-large", PROPERTY_FONT_SIZE, 150},
	{"xx-large", PROPERTY_FONT_SIZE, 200},
};

enum value_kind {
	VALUE_WORD,
	VALUE_LENGTH,
	VALUE_FONT_SIZE,
	VALUE_MARGIN,
	VALUE_COLOR,
	VALUE_FONT,
};

struct property_row {
	const char *name;
	enum property property;
	enum value_kind kind;
};

static const struct property_row rows[] = {
	{"width", PROPERTY_WIDTH, VALUE_LENGTH},
	{"background-color", PROPERTY_BACKGROUND, VALUE_COLOR},
	{"background", PROPERTY_BACKGROUND, VALUE_COLOR},
	{"display", PROPERTY_DISPLAY, VALUE_WORD},
	{"font-size", PROPERTY_FONT_SIZE, VALUE_FONT_SIZE},
	{"height", PROPERTY_HEIGHT, VALUE_LENGTH},
	{"margin", PROPERTY_MARGIN_LEFT, VALUE_MARGIN},
	{"margin-left", PROPERTY_MARGIN_LEFT, VALUE_LENGTH},
	{"margin-right", PROPERTY_MARGIN_RIGHT, VALUE_LENGTH},
	{"float", PROPERTY_FLOAT, VALUE_WORD},
	{"position", PROPERTY_POSITION, VALUE_WORD},
	{"clear", PROPERTY_CLEAR, VALUE_WORD},
	{"max-width", PROPERTY_MAX_WIDTH, VALUE_LENGTH},
	{"font", PROPERTY_FONT_SIZE, VALUE_FONT},
	{"font-weight", PROPERTY_IS_BOLD, VALUE_WORD},
	{"flex-direction", PROPERTY_IS_COLUMN, VALUE_WORD},
	{"flex-flow", PROPERTY_IS_COLUMN, VALUE_WORD},
};

/*
 * Declare `value` for the property, unless a declaration of a higher rank
 * exists.
 */
static void css_declare(struct declarations *declarations,
			enum property property, struct length value,
			uint32_t rank)
{
	struct css_declaration *declared = &declarations->properties[property];

	if (rank >= declared->rank)
		*declared = (struct css_declaration){value, rank};
}

/*
 * Declare the number `word` for the property; its meaning depends on the
 * property.
 */
static void declare_word(struct declarations *declarations,
			 enum property property, uint32_t word, uint32_t rank)
{
	css_declare(declarations, property, (struct length){0, word}, rank);
}

/*
 * Return the declared number of the property, or `otherwise` if there is no
 * declaration.
 */
static uint32_t declared_word(const struct declarations *declarations,
			      enum property property, uint32_t otherwise)
{
	const struct css_declaration *declared =
		&declarations->properties[property];

	return declared->rank > 0 ? declared->value.unit : otherwise;
}

/*
 * Return the declared length of the property; its unit is LENGTH_NONE if there
 * is no declaration.
 */
static struct length declared_length(const struct declarations *declarations,
				     enum property property)
{
	return declarations->properties[property].value;
}

static bool css_find_word(enum property property, struct slice text,
			  uint32_t *value_out)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (words[i].property == property &&
		    text_is(text, words[i].name)) {
			*value_out = words[i].value;
			return true;
		}
	}
	return false;
}

static bool read_font_size(struct slice text, struct length *length_out)
{
	uint32_t hundredths;

	if (css_length(text, length_out))
		return length_out->unit != LENGTH_AUTO;
	if (text_is(text, "larger") || text_is(text, "smaller")) {
		*length_out = (struct length){
			text_is(text, "larger") ? 1.2F : 1 / 1.2F, LENGTH_EM};
		return true;
	}
	if (!css_find_word(PROPERTY_FONT_SIZE, text, &hundredths))
		return false;
	*length_out = (struct length){(float)hundredths / 100 * ROOT_FONT_SIZE,
				      LENGTH_PX};
	return true;
}

/* Read the value of "margin: top right bottom left", or of a shorter form. */
static void read_margin(struct declarations *declarations, struct slice text,
			uint32_t rank)
{
	struct length sides[4];
	size_t count = 0;

	for (struct slice word = css_next_word(&text);
	     word.size > 0 && count < 4; word = css_next_word(&text)) {
		if (!css_length(word, &sides[count]))
			sides[count] = (struct length){0, LENGTH_PX};
		count++;
	}
	if (count == 0)
		return;
	css_declare(declarations, PROPERTY_MARGIN_RIGHT,
		    sides[count > 1 ? 1 : 0], rank);
	css_declare(declarations, PROPERTY_MARGIN_LEFT,
		    sides[count > 3   ? 3
			  : count > 1 ? 1
				      : 0],
		    rank);
}

/*
 * Read the value of a declaration such as "font: bold 12px/1.5 Arial", up to
 * the size.
 */
static void read_font(struct declarations *declarations, struct slice text,
		      uint32_t rank)
{
	struct length length;
	uint32_t weight = 0;

	for (struct slice word = css_next_word(&text); word.size > 0;
	     word = css_next_word(&text)) {
		const char *slash = memchr(word.data, '/', word.size);

		if (slash != NULL)
			word.size = (size_t)(slash - (const char *)word.data);
		if (css_find_word(PROPERTY_IS_BOLD, word, &weight))
			continue;
		if (read_font_size(word, &length)) {
			css_declare(declarations, PROPERTY_FONT_SIZE, length,
				    rank);
			declare_word(declarations, PROPERTY_IS_BOLD, weight,
				     rank);
			return;
		}
	}
}

/* Read the first colour in the value of "background"; ignore images. */
static void read_color(struct declarations *declarations, struct slice text,
		       uint32_t rank)
{
	uint32_t color;

	for (struct slice word = css_next_word(&text); word.size > 0;
	     word = css_next_word(&text)) {
		if (text_is(word, "none"))
			color = COLOR_TRANSPARENT;
		else if (!css_color(word, &color))
			continue;
		declare_word(declarations, PROPERTY_BACKGROUND, color, rank);
		return;
	}
}

static void css_read_value(struct declarations *declarations,
			   const struct property_row *row, struct slice text,
			   uint32_t rank)
{
	struct slice rest = text;
	struct slice word = css_next_word(&rest);
	struct length length;
	uint32_t value;

	switch (row->kind) {
	case VALUE_WORD:
		if (css_find_word(row->property, word, &value))
			declare_word(declarations, row->property, value, rank);
		break;
	case VALUE_LENGTH:
		if (css_length(word, &length))
			css_declare(declarations, row->property, length, rank);
		break;
	case VALUE_FONT_SIZE:
		if (read_font_size(word, &length))
			css_declare(declarations, row->property, length, rank);
		break;
	case VALUE_MARGIN:
		read_margin(declarations, text, rank);
		break;
	case VALUE_COLOR:
		read_color(declarations, text, rank);
		break;
	case VALUE_FONT:
		read_font(declarations, text, rank);
		break;
	}
}

static void read_declaration(struct declarations *declarations,
			     struct slice name, struct slice value,
			     uint32_t rank)
{
	const char *bang = memchr(value.data, '!', value.size);

	if (bang != NULL) {
		struct slice behind = {bang + 1, value.size};

		value.size = (size_t)(bang - (const char *)value.data);
		behind.size -= value.size + 1;
		if (text_is(text_trim(behind), "important"))
			rank |= RANK_IMPORTANT;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (text_is(name, rows[i].name)) {
			css_read_value(declarations, &rows[i], text_trim(value),
				       rank);
			return;
		}
	}
}

/*
 * Read declarations such as "width: 10px; color: red" with the rank `rank`.
 * Declarations with "!important" rank above all others. Skip unknown and
 * invalid declarations and nested rules. Linear, constant stack.
 */
static void declarations_read(struct declarations *declarations,
			      struct slice text, uint32_t rank)
{
	struct css_scan scan = css_scan_begin(text);

	while (scan.at < scan.end) {
		struct slice name = text_trim(css_scan_until(&scan, ":;{}"));
		char stop = css_scan_step(&scan);

		if (stop == ':') {
			struct slice value = css_scan_until(&scan, ";{}");

			stop = css_scan_step(&scan);
			if (stop != '{')
				read_declaration(declarations, name, value,
						 rank);
		}
		if (stop == '{')
			css_scan_skip_block(&scan);
	}
}

/*
 * Add the declarations of `other`, with ranks that are higher by `base`. A
 * declaration replaces an existing one if its new rank is at least as high.
 */
static void declarations_merge(struct declarations *declarations,
			       const struct declarations *other, uint32_t base)
{
	for (size_t i = 0; i < PROPERTY_COUNT; i++)
		if (other->properties[i].rank > 0)
			css_declare(declarations, (enum property)i,
				    other->properties[i].value,
				    other->properties[i].rank + base);
}

/*
 * The rules in the <style> elements of a page, by selector. Supported selectors
 * are tag, .class, #id, tag.class and tag#id. All others are ignored (for
 * example descendants, two classes, states), and so are linked style sheets.
 */

enum {
	MAX_STYLE_RULES = LIMIT(
		4096,
		16), /* maximum number of selectors; further ones are ignored */
	MAX_STYLE_BYTES =
		LIMIT(1 << 20, 1024), /* maximum bytes of all <style> elements
					 together; the rest is ignored */
};

struct style_sheet {
	struct hash_table rules; /* one struct style_rule for each selector, by
				    selector_key() */
	uint32_t order;          /* number of rules up to now */
};

struct style_rule {
	uint64_t key;
	struct declarations declarations;
};

struct css_selector {
	uint64_t key;
	enum specificity specificity;
};

/*
 * Return the key of a selector. `tag` is the hash of the tag's name, or 0 for
 * any tag; `name` is the class or id.
 */
static uint64_t selector_key(enum specificity specificity, uint64_t tag,
			     struct slice name)
{
	return hash64(name.data, name.size, tag + (uint64_t)specificity);
}

static struct slice css_read_name(struct slice *rest)
{
	const char *begin = rest->data;
	size_t size = 0;

	while (size < rest->size &&
	       (is_alphanumeric(begin[size]) || begin[size] == '-' ||
		begin[size] == '_' || (unsigned char)begin[size] >= 0x80))
		size++;
	*rest = (struct slice){begin + size, rest->size - size};
	return (struct slice){begin, size};
}

/*
 * Parse a selector. Return false if it is not one of the supported selectors.
 */
static bool css_read_selector(struct slice text,
			      struct css_selector *selector_out)
{
	struct slice rest = text_trim(text);
	struct slice name;
	uint64_t tag = 0;
	bool has_tag;
	char kind;

	if (rest.size > 1 && *(const char *)rest.data == '*')
		rest = (struct slice){(const char *)rest.data + 1,
				      rest.size - 1};
	name = css_read_name(&rest);
	has_tag = name.size > 0;
	if (has_tag) { /* hash the name of the tag as page_tag_hash() does */
		char folded[32];

		for (size_t i = 0; i < name.size && i < sizeof(folded); i++)
			folded[i] = lower(((const char *)name.data)[i]);
		tag = hash64(name.size > sizeof(folded) ? name.data : folded,
			     name.size, 0);
	}
	if (rest.size == 0) {
		*selector_out = (struct css_selector){
			selector_key(SPECIFICITY_TAG, tag,
				     (struct slice){"", 0}),
			SPECIFICITY_TAG};
		return has_tag;
	}
	kind = *(const char *)rest.data;
	if (kind != '.' && kind != '#')
		return false;
	rest = (struct slice){(const char *)rest.data + 1, rest.size - 1};
	name = css_read_name(&rest);
	selector_out->specificity =
		kind == '.' ? SPECIFICITY_CLASS : SPECIFICITY_ID;
	if (has_tag) /* the specificity with a tag is the next enumerator */
		selector_out->specificity++;
	selector_out->key = selector_key(selector_out->specificity, tag, name);
	return name.size > 0 && rest.size == 0;
}

/*
 * Add declarations for a selector. Within the rule of a selector, their rank
 * depends only on the order.
 */
static void add_rule(struct style_sheet *sheet, struct css_selector selector,
		     const struct declarations *declarations)
{
	struct style_rule *rule = hash_table_find(&sheet->rules, selector.key);

	if (rule == NULL && sheet->rules.count == MAX_STYLE_RULES)
		return;
	if (rule == NULL)
		rule = hash_table_add(&sheet->rules, selector.key);
	declarations_merge(&rule->declarations, declarations,
			   (uint32_t)selector.specificity << 24);
}

/*
 * Read a rule. `prelude` has its selectors, such as "h1, .title", and the
 * cursor is after the "{".
 */
static void read_rule(struct style_sheet *sheet, struct slice prelude,
		      struct css_scan *scan)
{
	struct css_scan selectors = css_scan_begin(prelude);
	struct declarations declarations = {0};
	const char *begin = scan->at;
	struct slice body;

	css_scan_skip_block(scan);
	body = (struct slice){begin, (size_t)(scan->at - begin)};
	declarations_read(&declarations, body, ++sheet->order);
	while (selectors.at < selectors.end) {
		struct css_selector selector;

		if (css_read_selector(css_scan_until(&selectors, ","),
				      &selector))
			add_rule(sheet, selector, &declarations);
		css_scan_step(&selectors);
	}
}

/*
 * Find `feature` in a media query, such as "max-width" in "(max-width: 600px)",
 * and write its length. Return false if the query does not contain `feature`.
 */
static bool has_feature(struct slice media, const char *feature,
			struct length *length_out)
{
	const char *bytes = media.data;
	const size_t size = strlen(feature);

	for (size_t i = 0; i + size < media.size; i++) {
		struct slice rest = {bytes + i + size, media.size - i - size};
		const char *close;

		if (!text_is((struct slice){bytes + i, size}, feature))
			continue;
		close = memchr(rest.data, ')', rest.size);
		if (close != NULL)
			rest.size = (size_t)(close - (const char *)rest.data);
		return css_length(text_trim(rest), length_out);
	}
	return false;
}

/*
 * Return true if a media query matches a screen of the width VIEWPORT_WIDTH. A
 * list of queries counts as one query with all of their conditions.
 */
static bool media_applies(struct slice media)
{
	struct length length;
	struct slice rest = media;
	bool is_print = false;

	for (struct slice word = css_next_word(&rest); word.size > 0;
	     word = css_next_word(&rest)) {
		if (text_is(word, "screen") || text_is(word, "screen,") ||
		    text_is(word, "all") || text_is(word, "all,"))
			is_print = false;
		else if (text_is(word, "print") || text_is(word, "speech"))
			is_print = true;
	}
	if (is_print)
		return false;
	if (has_feature(media, "max-width:", &length) &&
	    length_px(length, ROOT_FONT_SIZE, 0) < VIEWPORT_WIDTH)
		return false;
	return !has_feature(media, "min-width:", &length) ||
	       length_px(length, ROOT_FONT_SIZE, 0) <= VIEWPORT_WIDTH;
}

/*
 * Read the rules of a style sheet. Of an "@" block that contains rules, skip
 * only the beginning and the "}", so that the nesting of blocks need not be
 * counted.
 */
static void read_sheet(struct style_sheet *sheet, struct slice css)
{
	struct css_scan scan = css_scan_begin(css);

	while (scan.at < scan.end) {
		struct slice prelude = css_scan_until(&scan, "{};");
		struct slice rest = prelude;
		struct slice name;

		if (css_scan_step(&scan) != '{')
			continue;
		if (slice_byte(prelude, 0) != '@') {
			read_rule(sheet, prelude, &scan);
			continue;
		}
		name = css_next_word(&rest);
		if (text_is(name, "@media") ? !media_applies(rest)
					    : !text_is(name, "@supports") &&
						      !text_is(name, "@layer"))
			css_scan_skip_block(&scan);
	}
}

/*
 * Return at most `max_bytes` of the content of the <style> element `node`. If
 * its media attribute does not match the screen, return an empty slice.
 */
static struct slice css_of(const struct page *page, uint32_t node,
			   size_t max_bytes)
{
	const struct slice nothing = {"", 0};
	const struct span span = page->nodes[node].source;
	struct scanner scanner = {
		.source = {(const char *)page->source.data + span.begin,
			   span.end - span.begin},
	};
	struct token token = {0};
	struct slice media;
	size_t size;

	if (page->nodes[node].tag != TAG_style)
		return nothing;
	media = page_attribute(page, node, "media");
	if (media.data != NULL && !media_applies(media))
		return nothing;
	while (token.kind != TOKEN_RAW)
		if (!scanner_next(&scanner, &token))
			return nothing;
	size = token.source.end - token.source.begin;
	return (struct slice){(const char *)scanner.source.data +
				      token.source.begin,
			      size < max_bytes ? size : max_bytes};
}

/*
 * Read the rules in the <style> elements of a page, except rules for other
 * media than a screen of the width VIEWPORT_WIDTH. Everything belongs to
 * `arena`: 500 bytes a selector, at most 2 MB. Linear in the CSS; constant
 * stack.
 */
static struct style_sheet style_sheet_read(struct arena *arena,
					   const struct page *page)
{
	struct style_sheet sheet = {
		.rules = hash_table_make(arena, sizeof(struct style_rule)),
	};
	size_t left = MAX_STYLE_BYTES;

	for (uint32_t i = 0; i < page->node_count; i++) {
		struct slice css = css_of(page, i, left);

		read_sheet(&sheet, css);
		left -= css.size;
	}
	return sheet;
}

static void apply_key(const struct style_sheet *sheet,
		      enum specificity specificity, uint64_t tag,
		      struct slice name, struct declarations *declarations)
{
	const struct style_rule *rule = hash_table_find(
		&sheet->rules, selector_key(specificity, tag, name));

	if (rule != NULL)
		declarations_merge(declarations, &rule->declarations, 0);
}

/*
 * Add the declarations of all rules that match element `node`. O(1) for the
 * element and for each of its classes.
 */
static void style_sheet_apply(const struct style_sheet *sheet,
			      const struct page *page, uint32_t node,
			      struct declarations *declarations)
{
	const struct node *element = &page->nodes[node];
	const uint64_t tag = page_tag_hash(page, element->tag);

	if (sheet->rules.count == 0)
		return;
	apply_key(sheet, SPECIFICITY_TAG, tag, (struct slice){"", 0},
		  declarations);
	for (uint32_t i = 0; i < element->attribute_count; i++) {
		const struct attribute *attribute =
			&page->attributes[element->first_attribute + i];
		struct slice rest = attribute->value;
		struct slice id = text_trim(rest);

		if (text_is(attribute->name, "id")) {
			apply_key(sheet, SPECIFICITY_ID, 0, id, declarations);
			apply_key(sheet, SPECIFICITY_TAG_ID, tag, id,
				  declarations);
		}
		if (!text_is(attribute->name, "class"))
			continue;
		for (struct slice name = css_next_word(&rest); name.size > 0;
		     name = css_next_word(&rest)) {
			apply_key(sheet, SPECIFICITY_CLASS, 0, name,
				  declarations);
			apply_key(sheet, SPECIFICITY_TAG_CLASS, tag, name,
				  declarations);
		}
	}
}

/*
 * The default style of a tag, from the rendering section of the HTML standard.
 * Only the properties that boxes depend on are included.
 */
struct default_style {
	uint16_t tag;
	uint8_t display;
	bool is_bold;
	float font_em; /* relative to the parent's font size */
	float gap_em; /* vertical margin, relative to the element's font size */
	float left;   /* sum of margin and padding, px */
	float right;
};

static const struct default_style defaults[] = {
	{TAG_body, DISPLAY_BLOCK, false, 1, 0, 8, 8},
	{TAG_h1, DISPLAY_BLOCK, true, 2, .67F, 0, 0},
	{TAG_h2, DISPLAY_BLOCK, true, 1.5F, .83F, 0, 0},
	{TAG_h3, DISPLAY_BLOCK, true, 1.17F, 1, 0, 0},
	{TAG_h4, DISPLAY_BLOCK, true, 1, 1.33F, 0, 0},
	{TAG_h5, DISPLAY_BLOCK, true, .83F, 1.67F, 0, 0},
	{TAG_h6, DISPLAY_BLOCK, true, .67F, 2.33F, 0, 0},
	{TAG_p, DISPLAY_BLOCK, false, 1, 1, 0, 0},
	{TAG_ul, DISPLAY_BLOCK, false, 1, 1, 40, 0},
	{TAG_ol, DISPLAY_BLOCK, false, 1, 1, 40, 0},
	{TAG_dl, DISPLAY_BLOCK, false, 1, 1, 0, 0},
	{TAG_dd, DISPLAY_BLOCK, false, 1, 0, 40, 0},
	{TAG_blockquote, DISPLAY_BLOCK, false, 1, 1, 40, 40},
	{TAG_figure, DISPLAY_BLOCK, false, 1, 1, 40, 40},
	{TAG_pre, DISPLAY_BLOCK, false, .8125F, 1, 0, 0},
	{TAG_hr, DISPLAY_BLOCK, false, 1, .5F, 0, 0},
	{TAG_table, DISPLAY_TABLE, false, 1, 0, 0, 0},
	{TAG_tr, DISPLAY_ROW, false, 1, 0, 0, 0},
	{TAG_td, DISPLAY_INLINE_BLOCK, false, 1, 0, 0, 0},
	{TAG_th, DISPLAY_INLINE_BLOCK, true, 1, 0, 0, 0},
	{TAG_b, DISPLAY_INLINE, true, 1, 0, 0, 0},
	{TAG_strong, DISPLAY_INLINE, true, 1, 0, 0, 0},
	{TAG_small, DISPLAY_INLINE, false, .83F, 0, 0, 0},
	{TAG_sub, DISPLAY_INLINE, false, .83F, 0, 0, 0},
	{TAG_sup, DISPLAY_INLINE, false, .83F, 0, 0, 0},
	{TAG_big, DISPLAY_INLINE, false, 1.2F, 0, 0, 0},
	{TAG_code, DISPLAY_INLINE, false, .8125F, 0, 0, 0},
	{TAG_tt, DISPLAY_INLINE, false, .8125F, 0, 0, 0},
	{TAG_img, DISPLAY_INLINE_BLOCK, false, 1, 0, 0, 0},
	{TAG_video, DISPLAY_INLINE_BLOCK, false, 1, 0, 0, 0},
	{TAG_canvas, DISPLAY_INLINE_BLOCK, false, 1, 0, 0, 0},
	{TAG_iframe, DISPLAY_INLINE_BLOCK, false, 1, 0, 0, 0},
	{TAG_embed, DISPLAY_INLINE_BLOCK, false, 1, 0, 0, 0},
	{TAG_object, DISPLAY_INLINE_BLOCK, false, 1, 0, 0, 0},
	{TAG_input, DISPLAY_INLINE_BLOCK, false, 1, 0, 0, 0},
	{TAG_button, DISPLAY_INLINE_BLOCK, false, 1, 0, 0, 0},
	{TAG_select, DISPLAY_INLINE_BLOCK, false, 1, 0, 0, 0},
	{TAG_head, DISPLAY_NONE, false, 1, 0, 0, 0},
	{TAG_script, DISPLAY_NONE, false, 1, 0, 0, 0},
	{TAG_style, DISPLAY_NONE, false, 1, 0, 0, 0},
	{TAG_link, DISPLAY_NONE, false, 1, 0, 0, 0},
	{TAG_meta, DISPLAY_NONE, false, 1, 0, 0, 0},
	{TAG_template, DISPLAY_NONE, false, 1, 0, 0, 0},
};

struct style_builder {
	const struct page *page;
	struct style_sheet sheet;
	uint8_t rows[TAG_COUNT]; /* index in `defaults` + 1, or 0 */
	struct css_style *styles;
};

static struct default_style default_of(const struct style_builder *styling,
				       uint16_t tag)
{
	if (tag < TAG_COUNT && styling->rows[tag] > 0)
		return defaults[styling->rows[tag] - 1];
	return (struct default_style){
		.display = (tag_flags(tag) & TAG_IS_BLOCK) != 0
				   ? DISPLAY_BLOCK
				   : DISPLAY_INLINE,
		.font_em = 1,
	};
}

/*
 * Read the size attribute of a font element: a size from 1 to 7, or with a sign
 * a difference from size 3.
 */
static void read_font_attribute(struct slice value,
				struct declarations *declarations)
{
	static const float sizes[7] = {10, 13, 16, 18, 24, 32, 48};
	struct slice text = text_trim(value);
	const char *bytes = text.data;
	int size;

	if (text.size == 0)
		return;
	if (is_digit(bytes[0]))
		size = bytes[0] - '0';
	else if (text.size > 1 && (bytes[0] == '+' || bytes[0] == '-') &&
		 bytes[1] <= '9')
		size = 3 + (bytes[0] == '+' ? 1 : -1) * (bytes[1] - '0');
	else
		return;
	size = size < 1 ? 1 : size > 7 ? 7 : size;
	css_declare(declarations, PROPERTY_FONT_SIZE,
		    (struct length){sizes[size - 1], LENGTH_PX},
		    RANK_ATTRIBUTE);
}

/*
 * Read the align attribute. "left" and "right" make a table, an image or an
 * iframe float; "center" centres a table.
 */
static void read_align(uint16_t tag, struct slice value,
		       struct declarations *declarations)
{
	static const struct length automatic = {0, LENGTH_AUTO};

	if (tag != TAG_table && tag != TAG_img && tag != TAG_iframe)
		return;
	if (text_is(value, "left"))
		declare_word(declarations, PROPERTY_FLOAT, FLOW_LEFT,
			     RANK_ATTRIBUTE);
	else if (text_is(value, "right"))
		declare_word(declarations, PROPERTY_FLOAT, FLOW_RIGHT,
			     RANK_ATTRIBUTE);
	else if (text_is(value, "center")) {
		css_declare(declarations, PROPERTY_MARGIN_LEFT, automatic,
			    RANK_ATTRIBUTE);
		css_declare(declarations, PROPERTY_MARGIN_RIGHT, automatic,
			    RANK_ATTRIBUTE);
	}
}

static void read_style_attribute(uint16_t tag,
				 const struct attribute *attribute,
				 struct declarations *declarations)
{
	const struct slice name = attribute->name;
	const struct slice value = attribute->value;
	struct length length;
	uint32_t color;

	if (text_is(name, "style"))
		declarations_read(declarations, value,
				  (uint32_t)SPECIFICITY_INLINE << 24);
	else if (text_is(name, "width") && html_dimension(value, &length))
		css_declare(declarations, PROPERTY_WIDTH, length,
			    RANK_ATTRIBUTE);
	else if (text_is(name, "height") && html_dimension(value, &length))
		css_declare(declarations, PROPERTY_HEIGHT, length,
			    RANK_ATTRIBUTE);
	else if (text_is(name, "bgcolor") &&
		 css_color(text_trim(value), &color))
		declare_word(declarations, PROPERTY_BACKGROUND, color,
			     RANK_ATTRIBUTE);
	else if (text_is(name, "align"))
		read_align(tag, value, declarations);
	else if (text_is(name, "clear") && tag == TAG_br)
		declare_word(declarations, PROPERTY_CLEAR, 1, RANK_ATTRIBUTE);
	else if (text_is(name, "size") && tag == TAG_font)
		read_font_attribute(value, declarations);
}

static uint8_t display_of(const struct declarations *declarations,
			  const struct node *node,
			  const struct default_style *otherwise)
{
	uint32_t display = declared_word(declarations, PROPERTY_DISPLAY,
					 otherwise->display);

	if (otherwise->display == DISPLAY_NONE ||
	    (node->flags & TEXT_IS_HIDDEN) != 0)
		return DISPLAY_NONE;
	if (display == DISPLAY_FLEX &&
	    declared_word(declarations, PROPERTY_IS_COLUMN, 0) == 1)
		return DISPLAY_BLOCK;
	return (uint8_t)display;
}

static struct length margin_of(const struct declarations *declarations,
			       enum property property, float otherwise)
{
	struct length length = declared_length(declarations, property);

	return length.unit != LENGTH_NONE
		       ? length
		       : (struct length){otherwise, LENGTH_PX};
}

static void style_node(const struct style_builder *styling, uint32_t index)
{
	static const struct css_style above = {
		.font_size = ROOT_FONT_SIZE,
		.background = 0xFFFFFF,
	};
	const struct node *node = &styling->page->nodes[index];
	const struct css_style *parent =
		node->parent == NO_NODE ? &above
					: &styling->styles[node->parent];
	const struct default_style otherwise = default_of(styling, node->tag);
	struct declarations declarations = {0};
	struct css_style *style = &styling->styles[index];
	struct length size;
	uint32_t color;

	for (uint32_t i = 0; i < node->attribute_count; i++)
		read_style_attribute(
			node->tag,
			&styling->page->attributes[node->first_attribute + i],
			&declarations);
	style_sheet_apply(&styling->sheet, styling->page, index, &declarations);
	color = declared_word(&declarations, PROPERTY_BACKGROUND,
			      COLOR_TRANSPARENT);
	size = declared_length(&declarations, PROPERTY_FONT_SIZE);
	style->width = declared_length(&declarations, PROPERTY_WIDTH);
	style->height = declared_length(&declarations, PROPERTY_HEIGHT);
	style->max_width = declared_length(&declarations, PROPERTY_MAX_WIDTH);
	style->margin_left =
		margin_of(&declarations, PROPERTY_MARGIN_LEFT, otherwise.left);
	style->margin_right = margin_of(&declarations, PROPERTY_MARGIN_RIGHT,
					otherwise.right);
	style->font_size =
		size.unit == LENGTH_NONE
			? parent->font_size * otherwise.font_em
			: length_px(size, parent->font_size, parent->font_size);
	if (style->font_size > MAX_FONT_SIZE)
		style->font_size = MAX_FONT_SIZE;
	style->background =
		color == COLOR_TRANSPARENT ? parent->background : color;
	style->gap = otherwise.gap_em * style->font_size;
	style->display = parent->display == DISPLAY_NONE
				 ? DISPLAY_NONE
				 : display_of(&declarations, node, &otherwise);
	/* an absolute or fixed position takes precedence over a float */
	style->flow = (uint8_t)declared_word(&declarations, PROPERTY_POSITION,
					     FLOW_NORMAL);
	if (style->flow != FLOW_OUT)
		style->flow = (uint8_t)declared_word(
			&declarations, PROPERTY_FLOAT, FLOW_NORMAL);
	style->is_bold = declared_word(&declarations, PROPERTY_IS_BOLD,
				       otherwise.is_bold || parent->is_bold);
	style->clears = declared_word(&declarations, PROPERTY_CLEAR, 0) == 1;
}

const struct css_style *styles_of_page(struct arena *arena,
				       const struct page *page)
{
	struct style_builder styling = {
		.page = page,
		.sheet = style_sheet_read(arena, page),
		.styles = ARENA_NEW(arena, struct css_style, page->node_count),
	};

	_Static_assert(sizeof(defaults) / sizeof(defaults[0]) < UINT8_MAX,
		       "a row's number is a byte");
	for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++)
		styling.rows[defaults[i].tag] = (uint8_t)(i + 1);
	for (uint32_t i = 0; i < page->node_count; i++)
		style_node(&styling, i);
	return styling.styles;
}
