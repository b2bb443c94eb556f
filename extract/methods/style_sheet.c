#include "extract/methods/style_sheet.h"

#include "base/arena.h"
#include "base/hash.h"
#include "extract/methods/css_scan.h"
#include "page/page.h"
#include "page/scanner.h"

struct style_rule {
	uint64_t key;
	struct declarations declarations;
};

struct css_selector {
	uint64_t key;
	enum specificity specificity;
};

/* `tag` is the hash of the tag's name; 0 = any tag. */
static uint64_t selector_key(enum specificity specificity, uint64_t tag,
			     struct slice name)
{
	return hash64(name.data, name.size, tag + (uint64_t)specificity);
}

static bool is_css_name_byte(char byte)
{
	unsigned char letter = (unsigned char)css_lower(byte);

	return (letter >= 'a' && letter <= 'z') ||
	       (letter >= '0' && letter <= '9') || letter == '-' ||
	       letter == '_' || letter >= 0x80;
}

static struct slice css_read_name(struct slice *rest)
{
	const char *begin = rest->data;
	size_t size = 0;

	while (size < rest->size && is_css_name_byte(begin[size]))
		size++;
	*rest = (struct slice){begin + size, rest->size - size};
	return (struct slice){begin, size};
}

/* Return the hash of a tag's name, the same as page_tag_hash(). */
static uint64_t hash_of_tag(struct slice name)
{
	char folded[32];
	const char *bytes = name.data;

	if (name.size > sizeof(folded))
		return hash64(name.data, name.size, 0);
	for (size_t i = 0; i < name.size; i++)
		folded[i] = css_lower(bytes[i]);
	return hash64(folded, name.size, 0);
}

/* Return false if the selector has more than one compound. */
static bool css_read_selector(struct slice text,
			      struct css_selector *selector_out)
{
	struct slice rest = css_trim(text);
	struct slice name;
	uint64_t tag = 0;
	bool has_tag;
	char kind;

	if (rest.size > 1 && *(const char *)rest.data == '*')
		rest = (struct slice){(const char *)rest.data + 1,
				      rest.size - 1};
	name = css_read_name(&rest);
	has_tag = name.size > 0;
	if (has_tag)
		tag = hash_of_tag(name);
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
	if (has_tag) /* with a tag: the next enumerator */
		selector_out->specificity++;
	selector_out->key = selector_key(selector_out->specificity, tag, name);
	return name.size > 0 && rest.size == 0;
}

/*
 * Add the declarations of one selector; their rank depends only on the order.
 */
static void add_rule(struct style_sheet *sheet, struct css_selector selector,
		     const struct declarations *declarations)
{
	const uint32_t base = (uint32_t)selector.specificity << 24;
	struct style_rule *rule = hash_table_find(&sheet->rules, selector.key);

	if (rule == NULL && sheet->rules.count == MAX_STYLE_RULES)
		return;
	if (rule == NULL)
		rule = hash_table_add(&sheet->rules, selector.key);
	for (uint32_t i = 0; i < PROPERTY_COUNT; i++) {
		const struct css_declaration *one =
			&declarations->properties[i];

		if (one->rank > 0)
			declare(&rule->declarations, (enum property)i,
				one->value, one->rank + base);
	}
}

/* Read a rule such as "h1, .title"; the cursor is after the "{". */
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
	while (!css_scan_ended(&selectors)) {
		struct css_selector selector;

		if (css_read_selector(css_scan_until(&selectors, ","),
				      &selector))
			add_rule(sheet, selector, &declarations);
		css_scan_step(&selectors);
	}
}

/* Read the number of a condition such as "(max-width: 600px)". */
static bool has_feature(struct slice media, const char *feature,
			struct length *length_out)
{
	const char *bytes = media.data;
	const size_t size = strlen(feature);

	for (size_t i = 0; i + size < media.size; i++) {
		struct slice rest = {bytes + i + size, media.size - i - size};
		const char *close;

		if (!css_is((struct slice){bytes + i, size}, feature))
			continue;
		close = memchr(rest.data, ')', rest.size);
		if (close != NULL)
			rest.size = (size_t)(close - (const char *)rest.data);
		return css_length(css_trim(rest), length_out);
	}
	return false;
}

/*
 * Return true if a media query matches a screen of VIEWPORT_WIDTH. The
 * conditions of a list of queries count as one query.
 */
static bool media_applies(struct slice media)
{
	struct length length;
	struct slice rest = media;
	bool is_print = false;

	for (struct slice word = css_next_word(&rest); word.size > 0;
	     word = css_next_word(&rest)) {
		if (css_is(word, "screen") || css_is(word, "screen,") ||
		    css_is(word, "all") || css_is(word, "all,"))
			is_print = false;
		else if (css_is(word, "print") || css_is(word, "speech"))
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
 * Return true if the rules inside an "@" block apply like the rules around it.
 */
static bool holds_rules(struct slice prelude)
{
	struct slice rest = prelude;
	struct slice name = css_next_word(&rest);

	if (css_is(name, "@media"))
		return media_applies(rest);
	return css_is(name, "@supports") || css_is(name, "@layer");
}

/*
 * Skip only the beginning and the end of an "@" block with rules, so that
 * nesting need not be counted.
 */
static void read_sheet(struct style_sheet *sheet, struct slice css)
{
	struct css_scan scan = css_scan_begin(css);

	while (!css_scan_ended(&scan)) {
		struct slice prelude = css_scan_until(&scan, "{};");

		if (css_scan_step(&scan) != '{')
			continue;
		if (prelude.size == 0 || *(const char *)prelude.data != '@')
			read_rule(sheet, prelude, &scan);
		else if (!holds_rules(prelude))
			css_scan_skip_block(&scan);
	}
}

/* Return the content between <style> and </style>. */
static struct slice content_of(const struct page *page, uint32_t node)
{
	const struct span span = page->nodes[node].source;
	struct scanner scanner = {
		.source = {(const char *)page->source.data + span.begin,
			   span.end - span.begin},
	};
	struct token token = {0};

	while (token.kind != TOKEN_RAW)
		if (!scanner_next(&scanner, &token))
			return (struct slice){"", 0};
	return (struct slice){(const char *)scanner.source.data +
				      token.source.begin,
			      token.source.end - token.source.begin};
}

/*
 * Return the content of a <style> for a screen, at most `max_bytes`; otherwise
 * nothing.
 */
static struct slice css_of(const struct page *page, uint32_t node,
			   size_t max_bytes)
{
	struct slice css = {"", 0};
	struct slice media;

	if (page->nodes[node].tag != TAG_style)
		return css;
	media = page_attribute(page, node, "media");
	if (media.data == NULL || media_applies(media))
		css = content_of(page, node);
	if (css.size > max_bytes)
		css.size = max_bytes;
	return css;
}

struct style_sheet style_sheet_read(struct arena *arena,
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

static void apply_key(const struct style_sheet *sheet, uint64_t key,
		      struct declarations *declarations)
{
	const struct style_rule *rule = hash_table_find(&sheet->rules, key);

	if (rule != NULL)
		declarations_merge(declarations, &rule->declarations);
}

static void apply_name(const struct style_sheet *sheet,
		       enum specificity specificity, uint64_t tag,
		       struct slice name, struct declarations *declarations)
{
	apply_key(sheet, selector_key(specificity, 0, name), declarations);
	apply_key(sheet, selector_key(specificity + 1, tag, name),
		  declarations);
}

void style_sheet_apply(const struct style_sheet *sheet, const struct page *page,
		       uint32_t node, struct declarations *declarations)
{
	const struct node *element = &page->nodes[node];
	const uint64_t tag = page_tag_hash(page, element->tag);

	if (sheet->rules.count == 0)
		return;
	apply_key(sheet,
		  selector_key(SPECIFICITY_TAG, tag, (struct slice){"", 0}),
		  declarations);
	for (uint32_t i = 0; i < element->attribute_count; i++) {
		const struct attribute *attribute =
			&page->attributes[element->first_attribute + i];
		struct slice rest = attribute->value;

		if (css_is(attribute->name, "id"))
			apply_name(sheet, SPECIFICITY_ID, tag, css_trim(rest),
				   declarations);
		if (!css_is(attribute->name, "class"))
			continue;
		for (struct slice name = css_next_word(&rest); name.size > 0;
		     name = css_next_word(&rest))
			apply_name(sheet, SPECIFICITY_CLASS, tag, name,
				   declarations);
	}
}
