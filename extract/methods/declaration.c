#include "extract/methods/declaration.h"

#include "extract/methods/css_scan.h"

struct word {
	const char *name;
	uint32_t value;
};

static const struct word displays[] = {
	{"none", DISPLAY_NONE},
	{"inline", DISPLAY_INLINE},
	{"block", DISPLAY_BLOCK},
	{"list-item", DISPLAY_BLOCK},
	{"flow-root", DISPLAY_BLOCK},
	{"grid", DISPLAY_BLOCK}, /* its columns are unknown */
	{"contents", DISPLAY_BLOCK},
	{"table-row-group", DISPLAY_BLOCK},
	{"table-cell", DISPLAY_INLINE_BLOCK},
	{"inline-block", DISPLAY_INLINE_BLOCK},
	{"inline-flex", DISPLAY_INLINE_BLOCK},
	{"inline-grid", DISPLAY_INLINE_BLOCK},
	{"inline-table", DISPLAY_INLINE_BLOCK},
	{"table", DISPLAY_TABLE},
	{"table-row", DISPLAY_ROW},
	{"flex", DISPLAY_FLEX},
	{"-webkit-box", DISPLAY_FLEX},
	{NULL, 0},
};

static const struct word floats[] = {
	{"left", FLOW_LEFT},
	{"right", FLOW_RIGHT},
	{"none", FLOW_NORMAL},
	{NULL, 0},
};

static const struct word positions[] = {
	{"absolute", FLOW_OUT},  {"fixed", FLOW_OUT},
	{"static", FLOW_NORMAL}, {"relative", FLOW_NORMAL},
	{"sticky", FLOW_NORMAL}, {NULL, 0},
};

static const struct word clears[] = {
	{"both", 1}, {"left", 1}, {"right", 1}, {"none", 0}, {NULL, 0},
};

static const struct word directions[] = {
	{"column", 1}, {"column-reverse", 1}, {"row", 0}, {"row-reverse", 0},
	{NULL, 0},
};

static const struct word weights[] = {
	{"bold", 1}, {"bolder", 1}, {"600", 1},     {"700", 1}, {"800", 1},
	{"900", 1},  {"normal", 0}, {"lighter", 0}, {"400", 0}, {NULL, 0},
};

/* Hundredths of the root's font size. */
static const struct word font_sizes[] = {
	{"xx-small", 56}, {"x-small", 63},  {"small", 81},     {"medium", 100},
	{"large", 113},   {"x-large", 150}, {"xx-large", 200}, {NULL, 0},
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
	const struct word *words;
};

static const struct property_row rows[] = {
	{"width", PROPERTY_WIDTH, VALUE_LENGTH, NULL},
	{"background-color", PROPERTY_BACKGROUND, VALUE_COLOR, NULL},
	{"background", PROPERTY_BACKGROUND, VALUE_COLOR, NULL},
	{"display", PROPERTY_DISPLAY, VALUE_WORD, displays},
	{"font-size", PROPERTY_FONT_SIZE, VALUE_FONT_SIZE, NULL},
	{"height", PROPERTY_HEIGHT, VALUE_LENGTH, NULL},
	{"margin", PROPERTY_MARGIN_LEFT, VALUE_MARGIN, NULL},
	{"margin-left", PROPERTY_MARGIN_LEFT, VALUE_LENGTH, NULL},
	{"margin-right", PROPERTY_MARGIN_RIGHT, VALUE_LENGTH, NULL},
	{"float", PROPERTY_FLOAT, VALUE_WORD, floats},
	{"position", PROPERTY_POSITION, VALUE_WORD, positions},
	{"clear", PROPERTY_CLEAR, VALUE_WORD, clears},
	{"max-width", PROPERTY_MAX_WIDTH, VALUE_LENGTH, NULL},
	{"font", PROPERTY_FONT_SIZE, VALUE_FONT, NULL},
	{"font-weight", PROPERTY_IS_BOLD, VALUE_WORD, weights},
	{"flex-direction", PROPERTY_IS_COLUMN, VALUE_WORD, directions},
	{"flex-flow", PROPERTY_IS_COLUMN, VALUE_WORD, directions},
};

void declare(struct declarations *declarations, enum property property,
	     struct length value, uint32_t rank)
{
	struct css_declaration *declared = &declarations->properties[property];

	if (rank >= declared->rank)
		*declared = (struct css_declaration){value, rank};
}

void declare_word(struct declarations *declarations, enum property property,
		  uint32_t word, uint32_t rank)
{
	declare(declarations, property, (struct length){0, word}, rank);
}

uint32_t declared_word(const struct declarations *declarations,
		       enum property property, uint32_t otherwise)
{
	const struct css_declaration *declared =
		&declarations->properties[property];

	return declared->rank > 0 ? declared->value.unit : otherwise;
}

struct length declared_length(const struct declarations *declarations,
			      enum property property)
{
	return declarations->properties[property].value;
}

static bool css_find_word(const struct word *words, struct slice text,
			  uint32_t *value_out)
{
	for (; words->name != NULL; words++) {
		if (css_is(text, words->name)) {
			*value_out = words->value;
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
	if (css_is(text, "larger") || css_is(text, "smaller")) {
		*length_out = (struct length){
			css_is(text, "larger") ? 1.2F : 1 / 1.2F, LENGTH_EM};
		return true;
	}
	if (!css_find_word(font_sizes, text, &hundredths))
		return false;
	*length_out = (struct length){(float)hundredths / 100 * ROOT_FONT_SIZE,
				      LENGTH_PX};
	return true;
}

/* Read "margin: top right bottom left", or a shorter form. */
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
	declare(declarations, PROPERTY_MARGIN_RIGHT, sides[count > 1 ? 1 : 0],
		rank);
	declare(declarations, PROPERTY_MARGIN_LEFT,
		sides[count > 3   ? 3
		      : count > 1 ? 1
				  : 0],
		rank);
}

/* Read "font: bold 12px/1.5 Arial" up to the size. */
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
		if (css_find_word(weights, word, &weight))
			continue;
		if (read_font_size(word, &length)) {
			declare(declarations, PROPERTY_FONT_SIZE, length, rank);
			declare_word(declarations, PROPERTY_IS_BOLD, weight,
				     rank);
			return;
		}
	}
}

/* Read the first colour among the words; ignore images. */
static void read_color(struct declarations *declarations, struct slice text,
		       uint32_t rank)
{
	uint32_t color;

	for (struct slice word = css_next_word(&text); word.size > 0;
	     word = css_next_word(&text)) {
		if (css_is(word, "none"))
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
		if (css_find_word(row->words, word, &value))
			declare_word(declarations, row->property, value, rank);
		break;
	case VALUE_LENGTH:
		if (css_length(word, &length))
			declare(declarations, row->property, length, rank);
		break;
	case VALUE_FONT_SIZE:
		if (read_font_size(word, &length))
			declare(declarations, row->property, length, rank);
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
		if (css_is(css_trim(behind), "important"))
			rank |= RANK_IMPORTANT;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (css_is(name, rows[i].name)) {
			css_read_value(declarations, &rows[i], css_trim(value),
				       rank);
			return;
		}
	}
}

void declarations_read(struct declarations *declarations, struct slice text,
		       uint32_t rank)
{
	struct css_scan scan = css_scan_begin(text);

	while (!css_scan_ended(&scan)) {
		struct slice name = css_trim(css_scan_until(&scan, ":;{}"));
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

void declarations_merge(struct declarations *declarations,
			const struct declarations *other)
{
	for (size_t i = 0; i < PROPERTY_COUNT; i++)
		if (other->properties[i].rank > 0)
			declare(declarations, (enum property)i,
				other->properties[i].value,
				other->properties[i].rank);
}
