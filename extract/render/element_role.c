#include "extract/render/element_role.h"

#include <string.h>

#include "base/buffer.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/utf8.h"
#include "extract/render/formula.h"
#include "extract/render/layout.h"
#include "page/page.h"
#include "page/scanner.h"

/* What a word in a class attribute can mean, as bits. */
enum class_meaning {
	CLASS_GUTTER = 1,   /* line numbers */
	CLASS_BUTTON = 2,   /* a control of a code block */
	CLASS_LANGUAGE = 4, /* shows the name of the programming language */
	CLASS_CODE = 8,     /* a table or a box of the lines of code */
	CLASS_FORMULA = 16,
	CLASS_DISPLAY = 32,    /* a formula that is a line of its own */
	CLASS_TEX_IMAGE = 64,  /* the alt of the image is TeX */
	CLASS_NOTE_MARK = 256, /* the mark of a note in the text */
	CLASS_EDIT = 128,      /* links to edit a section */
	CLASS_BOX = 512,       /* a callout, if its kind is known, too */
	CLASS_CAUTION = 1024,  /* the kinds of callouts */
	CLASS_WARNING = 2048,
	CLASS_IMPORTANT = 4096,
	CLASS_TIP = 8192,
	CLASS_NOTE = 16384,
	CLASS_SIDENOTE = 32768,  /* a note at the place of its mark */
	CLASS_SIGNATURE = 65536, /* of a function, as the term of a list */
	/* a box for anything: `details` of any text look like it, too */
	CLASS_ALERT = 131072,
	CLASS_MONOSPACE = 262144, /* a cell with lines of code */
};

/* clang-format off */
/* Sorted by length, and then by word. */
static const struct class_word {
	const char *word;
	size_t size;
	unsigned meaning;
} class_words[] = {
#define WORD(word) word, sizeof(word) - 1
	{WORD("ln"), CLASS_GUTTER},
	{WORD("TIP"), CLASS_BOX | CLASS_TIP},
	{WORD("lnt"), CLASS_GUTTER},
	{WORD("sig"), CLASS_SIGNATURE},
	{WORD("tex"), CLASS_TEX_IMAGE},
	{WORD("tip"), CLASS_TIP},
	{WORD("NOTE"), CLASS_BOX | CLASS_NOTE},
	{WORD("hint"), CLASS_TIP},
	{WORD("code"), CLASS_MONOSPACE},
	{WORD("info"), CLASS_NOTE},
	{WORD("lang"), CLASS_LANGUAGE},
	{WORD("mono"), CLASS_MONOSPACE},
	{WORD("note"), CLASS_NOTE},
	{WORD("alert"), CLASS_BOX | CLASS_ALERT},
	{WORD("error"), CLASS_CAUTION},
	{WORD("katex"), CLASS_FORMULA},
	{WORD("latex"), CLASS_TEX_IMAGE},
	{WORD("zclip"), CLASS_BUTTON},
	{WORD("danger"), CLASS_CAUTION},
	{WORD("gutter"), CLASS_GUTTER},
	{WORD("lineno"), CLASS_GUTTER},
	{WORD("CAUTION"), CLASS_BOX | CLASS_CAUTION},
	{WORD("MathJax"), CLASS_FORMULA},
	{WORD("WARNING"), CLASS_BOX | CLASS_WARNING},
	{WORD("callout"), CLASS_BOX},
	{WORD("caution"), CLASS_CAUTION},
	{WORD("copybtn"), CLASS_BUTTON},
	{WORD("hljs-ln"), CLASS_CODE},
	{WORD("linenos"), CLASS_GUTTER},
	{WORD("lntable"), CLASS_CODE},
	{WORD("noteref"), CLASS_NOTE_MARK},
	{WORD("seealso"), CLASS_NOTE},
	{WORD("success"), CLASS_TIP},
	{WORD("warning"), CLASS_WARNING},
	{WORD("blob-num"), CLASS_GUTTER},
	{WORD("copy-btn"), CLASS_BUTTON},
	{WORD("sidenote"), CLASS_SIDENOTE},
	{WORD("IMPORTANT"), CLASS_BOX | CLASS_IMPORTANT},
	{WORD("attention"), CLASS_WARNING},
	{WORD("blob-code"), CLASS_MONOSPACE},
	{WORD("code-lang"), CLASS_LANGUAGE},
	{WORD("important"), CLASS_IMPORTANT},
	{WORD("linenodiv"), CLASS_GUTTER},
	{WORD("monospace"), CLASS_MONOSPACE},
	{WORD("admonition"), CLASS_BOX | CLASS_NOTE},
	{WORD("alert-info"), CLASS_NOTE},
	{WORD("marginnote"), CLASS_SIDENOTE},
	{WORD("math-block"), CLASS_DISPLAY},
	{WORD("monospaced"), CLASS_MONOSPACE},
	{WORD("rouge-code"), CLASS_MONOSPACE},
	{WORD("sig-object"), CLASS_SIGNATURE},
	{WORD("MathJax_SVG"), CLASS_FORMULA},
	{WORD("alert--info"), CLASS_NOTE},
	{WORD("callout-tip"), CLASS_TIP},
	{WORD("copy-button"), CLASS_BUTTON},
	{WORD("crayon-nums"), CLASS_GUTTER},
	{WORD("footnoteRef"), CLASS_NOTE_MARK},
	{WORD("information"), CLASS_NOTE},
	{WORD("language-id"), CLASS_LANGUAGE},
	{WORD("line-number"), CLASS_GUTTER},
	{WORD("margin-note"), CLASS_SIDENOTE},
	{WORD("math-inline"), CLASS_FORMULA},
	{WORD("rouge-table"), CLASS_CODE},
	{WORD("MJXc-display"), CLASS_DISPLAY},
	{WORD("alert-danger"), CLASS_CAUTION},
	{WORD("callout-info"), CLASS_NOTE},
	{WORD("callout-note"), CLASS_NOTE},
	{WORD("custom-block"), CLASS_BOX},
	{WORD("footnote-ref"), CLASS_NOTE_MARK},
	{WORD("hljs-ln-code"), CLASS_MONOSPACE},
	{WORD("line-numbers"), CLASS_GUTTER},
	{WORD("rouge-gutter"), CLASS_GUTTER},
	{WORD("MathJax_CHTML"), CLASS_FORMULA},
	{WORD("alert--danger"), CLASS_CAUTION},
	{WORD("alert-success"), CLASS_TIP},
	{WORD("alert-warning"), CLASS_WARNING},
	{WORD("btn-clipboard"), CLASS_BUTTON},
	{WORD("katex-display"), CLASS_DISPLAY},
	{WORD("alert--success"), CLASS_TIP},
	{WORD("alert--warning"), CLASS_WARNING},
	{WORD("callout-danger"), CLASS_CAUTION},
	{WORD("clipboard-copy"), CLASS_BUTTON},
	{WORD("highlighttable"), CLASS_CODE},
	{WORD("markdown-alert"), CLASS_BOX | CLASS_NOTE},
	{WORD("mw-editsection"), CLASS_EDIT},
	{WORD("MathJax_Display"), CLASS_DISPLAY},
	{WORD("MathJax_Preview"), CLASS_FORMULA},
	{WORD("admonitionblock"), CLASS_BOX | CLASS_NOTE},
	{WORD("callout-caution"), CLASS_CAUTION},
	{WORD("callout-warning"), CLASS_WARNING},
	{WORD("codehilitetable"), CLASS_CODE},
	{WORD("footnote-anchor"), CLASS_NOTE_MARK},
	{WORD("hljs-ln-numbers"), CLASS_GUTTER},
	{WORD("kg-callout-card"), CLASS_BOX | CLASS_NOTE},
	{WORD("starlight-aside"), CLASS_BOX | CLASS_NOTE},
	{WORD("copy-code-button"), CLASS_BUTTON},
	{WORD("mwe-math-element"), CLASS_FORMULA},
	{WORD("theme-admonition"), CLASS_BOX | CLASS_NOTE},
	{WORD("callout-important"), CLASS_IMPORTANT},
	{WORD("footnote-reference"), CLASS_NOTE_MARK},
	{WORD("markdown-alert-tip"), CLASS_TIP},
	{WORD("MathJax_SVG_Display"), CLASS_DISPLAY},
	{WORD("markdown-alert-note"), CLASS_NOTE},
	{WORD("line-numbers-wrapper"), CLASS_GUTTER},
	{WORD("starlight-aside--tip"), CLASS_TIP},
	{WORD("theme-admonition-tip"), CLASS_TIP},
	{WORD("starlight-aside--note"), CLASS_NOTE},
	{WORD("theme-admonition-info"), CLASS_NOTE},
	{WORD("theme-admonition-note"), CLASS_NOTE},
	{WORD("js-file-line-container"), CLASS_CODE},
	{WORD("markdown-alert-caution"), CLASS_CAUTION},
	{WORD("markdown-alert-warning"), CLASS_WARNING},
	{WORD("mwe-math-element-block"), CLASS_DISPLAY},
	{WORD("starlight-aside--danger"), CLASS_CAUTION},
	{WORD("theme-admonition-danger"), CLASS_CAUTION},
	{WORD("markdown-alert-important"), CLASS_IMPORTANT},
	{WORD("starlight-aside--caution"), CLASS_CAUTION},
	{WORD("theme-admonition-caution"), CLASS_CAUTION},
	{WORD("theme-admonition-warning"), CLASS_WARNING},
	{WORD("theme-admonition-important"), CLASS_IMPORTANT},
	{WORD("confluence-information-macro"), CLASS_BOX | CLASS_NOTE},
	{WORD("mwe-math-fallback-image-inline"), CLASS_TEX_IMAGE},
	{WORD("mwe-math-fallback-image-display"), CLASS_TEX_IMAGE},
	{WORD("confluence-information-macro-tip"), CLASS_TIP},
	{WORD("confluence-information-macro-note"), CLASS_NOTE},
	{WORD("confluence-information-macro-warning"), CLASS_WARNING},
	{WORD("confluence-information-macro-information"), CLASS_NOTE},
#undef WORD
};
/* clang-format on */

enum {
	MAX_CLASS_WORD = 48,
	MAX_CLASS_BYTES = 1024, /* of a class attribute */
	MAX_GUTTER_TEXTS = LIMIT(4096, 16),
	MAX_GUTTER_CELLS = 3, /* cells after line numbers up to the code */
	MAX_LABEL_LENGTH = 24,
	MAX_HEADING_DEPTH = 3, /* elements between a link and its heading */
	MAX_SOURCE_DEPTH = 3,  /* elements between a source and its quote */
	MIN_LINE_NUMBERS = 3,
	MAX_LINE_NUMBER_BYTES = 6,
	MAX_NEAR_NODES = 48, /* nodes that are searched for a certain tag */
};

/* Return < 0, 0 or > 0, as in the order of class_words. */
static int class_word_compare(struct slice word, const struct class_word *other)
{
	const char *bytes = word.data;

	if (word.size != other->size)
		return word.size < other->size ? -1 : 1;
	if (bytes[0] != other->word[0])
		return bytes[0] < other->word[0] ? -1 : 1;
	return memcmp(bytes, other->word, word.size);
}

/* Return what a word of a class means. */
static unsigned class_word_meaning(struct slice word)
{
	const size_t count = sizeof(class_words) / sizeof(class_words[0]);
	size_t at;

	LOWER_BOUND(at, count, class_word_compare(word, &class_words[at]) > 0);
	return at < count && class_word_compare(word, &class_words[at]) == 0
		       ? class_words[at].meaning
		       : 0;
}

/* Return what the words of a class attribute mean, as bits. */
static unsigned class_meanings(struct slice classes)
{
	const char *bytes = classes.data;
	unsigned meanings = 0;
	size_t at = 0;

	if (classes.size > MAX_CLASS_BYTES)
		return 0;
	while (at < classes.size) {
		size_t begin = at;

		while (at < classes.size && (unsigned char)bytes[at] > ' ')
			at++;
		if (at - begin > 1 && at - begin < MAX_CLASS_WORD)
			meanings |= class_word_meaning(
				(struct slice){bytes + begin, at - begin});
		at++;
	}
	return meanings;
}

/* The attributes of an element that its role depends on. */
struct role_attributes {
	unsigned meanings; /* of the words of its class */
	bool has_class;
	bool has_data;     /* an attribute may contain a formula */
	bool is_note_mark; /* an attribute says so */
	struct slice role;
	struct slice href;
};

static struct role_attributes role_attributes_read(const struct page *page,
						   uint32_t node)
{
	const struct node *element = &page->nodes[node];
	struct role_attributes marks = {0};

	for (uint32_t i = 0; i < element->attribute_count; i++) {
		const struct attribute *one =
			&page->attributes[element->first_attribute + i];
		const char *name = one->name.data;

		switch (one->name.size) {
		case 4:
			if (memcmp(name, "href", 4) == 0)
				marks.href = one->value;
			else if (memcmp(name, "role", 4) == 0)
				marks.role = one->value;
			break;
		case 5:
			if (memcmp(name, "class", 5) != 0)
				break;
			marks.has_class = one->value.size > 0;
			marks.meanings = class_meanings(one->value);
			break;
		case 8:  /* data-tex */
		case 9:  /* data-math */
		case 10: /* data-latex */
		case 12: /* data-formula */
			marks.has_data |= memcmp(name, "data-", 5) == 0;
			break;
		case 17:
			marks.is_note_mark |=
				memcmp(name, "data-footnote-ref", 17) == 0;
			break;
		default:
			break;
		}
	}
	marks.is_note_mark |= (marks.meanings & CLASS_NOTE_MARK) != 0 ||
			      text_is(marks.role, "doc-noteref");
	return marks;
}

/* Return true if all texts inside the node have only digits, signs and spaces.
 */
static bool has_no_letter(const struct page *page, const struct node *node)
{
	if (node->end_text - node->first_text > MAX_GUTTER_TEXTS)
		return false;
	for (uint32_t i = node->first_text; i < node->end_text; i++) {
		struct slice text = page_text(page, i);

		for (size_t k = 0; k < text.size; k++)
			if (is_letter(slice_byte(text, k)) ||
			    (unsigned char)slice_byte(text, k) >= 0xC3)
				return false;
	}
	return true;
}

static bool is_short_label(const struct page *page, const struct node *node)
{
	return node->first_text == node->end_text ||
	       (node->first_text + 1 == node->end_text &&
		page->texts[node->first_text].length <= MAX_LABEL_LENGTH);
}

/*
 * Return the first element with this tag among the first nodes inside `node`,
 * or NO_NODE.
 */
static uint32_t find_near(const struct page *page, uint32_t node, uint16_t tag)
{
	uint32_t end = page->nodes[node].end;

	if (end - node > MAX_NEAR_NODES)
		end = node + MAX_NEAR_NODES;
	for (uint32_t i = node + 1; i < end; i++)
		if (page->nodes[i].tag == tag)
			return i;
	return NO_NODE;
}

uint32_t code_inside(const struct page *page, uint32_t node)
{
	uint32_t code = find_near(page, node, TAG_code);

	if (code != NO_NODE &&
	    page->nodes[code].first_text == page->nodes[code].end_text)
		return NO_NODE;
	return code;
}

/* Return true if a cell begins with an element of this tag. */
static bool begins_with(const struct page *page, uint32_t cell, uint16_t tag)
{
	uint32_t node = find_near(page, cell, tag);

	return node != NO_NODE &&
	       page->nodes[node].first_text == page->nodes[cell].first_text;
}

/*
 * Return true if one of the next cells of the row is code, because a column of
 * numbers may have a class of line numbers in other tables, too.
 */
static bool precedes_code(const struct page *page, uint32_t cell)
{
	const struct node *nodes = page->nodes;
	uint32_t next = nodes[cell].end;

	for (unsigned i = 0; i < MAX_GUTTER_CELLS && next < page->node_count &&
			     nodes[next].parent == nodes[cell].parent;
	     i++) {
		if ((class_meanings(page_attribute(page, next, "class")) &
		     CLASS_MONOSPACE) != 0 ||
		    begins_with(page, next, TAG_pre) ||
		    begins_with(page, next, TAG_code))
			return true;
		next = nodes[next].end;
	}
	return false;
}

/*
 * Return true if the table has a cell with line numbers before the first cell
 * with code.
 */
static bool has_gutter(const struct page *page, uint32_t table)
{
	uint32_t cell = find_near(page, table, TAG_td);

	return cell != NO_NODE &&
	       (class_meanings(page_attribute(page, cell, "class")) &
		CLASS_GUTTER) != 0 &&
	       has_no_letter(page, &page->nodes[cell]) &&
	       precedes_code(page, cell);
}

/*
 * A table that highlighters print has a column for the line numbers. It becomes
 * a pre, or if its code is in a pre, a box around that.
 */
static uint16_t tag_of_table(const struct page *page, uint32_t node,
			     unsigned meanings, struct role_context context)
{
	if ((meanings & CLASS_CODE) == 0 && !has_gutter(page, node))
		return TAG_table;
	if (context.pre != NO_NODE || find_near(page, node, TAG_pre) != NO_NODE)
		return TAG_div;
	return TAG_pre;
}

/* Return the number that is the only text of the element, or 0. */
static uint32_t number_of_line(const struct page *page, uint32_t node)
{
	const struct node *element = &page->nodes[node];
	struct slice text;
	uint32_t number = 0;

	if (element->end_text != element->first_text + 1)
		return 0;
	text = text_trim(page_text(page, element->first_text));
	if (text.size > MAX_LINE_NUMBER_BYTES)
		return 0;
	for (size_t i = 0; i < text.size; i++) {
		if (!is_digit(slice_byte(text, i)))
			return 0;
		number = 10 * number + (uint32_t)(slice_byte(text, i) - '0');
	}
	return number;
}

static bool is_like(const struct page *page, uint32_t node, uint32_t other)
{
	return page->nodes[node].tag == page->nodes[other].tag &&
	       slice_equal(page_attribute(page, node, "class"),
			   page_attribute(page, other, "class"));
}

/* Return true if a line of code ends between two elements in a pre. */
static bool has_line_end(const struct page *page, uint32_t from, uint32_t to)
{
	const char *source = page->source.data;
	uint32_t begin = page->nodes[from].source.end;
	uint32_t end = page->nodes[to].source.begin;

	for (uint32_t i = from + 1; i <= to; i++)
		if (page->nodes[i].tag == TAG_br ||
		    (tag_flags(page->nodes[i].tag) & TAG_IS_BLOCK) != 0)
			return true;
	return begin < end && memchr(source + begin, '\n', end - begin) != NULL;
}

uint32_t line_numbers_inside(const struct page *page, uint32_t node)
{
	const struct node *pre = &page->nodes[node];
	uint32_t first = pre->first_text < pre->end_text
				 ? page->texts[pre->first_text].node
				 : NO_NODE;
	uint32_t last = first;
	uint32_t number;
	uint32_t count = 1;

	if (first == NO_NODE || first <= node || first >= pre->end ||
	    page->nodes[first].tag == TAG_code)
		return NO_NODE;
	number = number_of_line(page, first);
	for (uint32_t i = first + 1; i < pre->end && number > 0; i++) {
		if (!is_like(page, i, first))
			continue;
		if (number_of_line(page, i) != number + count ||
		    !has_line_end(page, last, i))
			return NO_NODE;
		count++;
		last = i;
	}
	/* a list of numbers has no other texts */
	return number > 0 && count >= MIN_LINE_NUMBERS &&
			       pre->end_text - pre->first_text >=
				       count + count / 2
		       ? first
		       : NO_NODE;
}

/* Return true if the node has line numbers and nothing else. */
static bool is_gutter(const struct page *page, uint32_t node, unsigned meanings,
		      struct role_context context)
{
	uint16_t tag = page->nodes[node].tag;

	return (meanings & CLASS_GUTTER) != 0 && tag != TAG_code &&
	       tag != TAG_pre && has_no_letter(page, &page->nodes[node]) &&
	       (tag != TAG_td || context.pre != NO_NODE ||
		context.code_table != NO_NODE);
}

/*
 * Return true for the name of the language that is written in or directly
 * before a pre.
 */
static bool is_language_label(const struct page *page, uint32_t node,
			      unsigned meanings, struct role_context context)
{
	uint32_t parent = page->nodes[node].parent;
	uint16_t tag = page->nodes[node].tag;

	return (meanings & CLASS_LANGUAGE) != 0 && parent != NO_NODE &&
	       tag != TAG_pre && tag != TAG_code &&
	       is_short_label(page, &page->nodes[node]) &&
	       (context.pre != NO_NODE ||
		find_near(page, parent, TAG_pre) != NO_NODE);
}

/*
 * Return true for controls in a pre: buttons, and links and boxes with a short
 * text and a class before or after its code.
 */
static bool is_control_in_pre(const struct page *page, uint32_t node,
			      bool has_class, struct role_context context)
{
	uint16_t tag = page->nodes[node].tag;

	if (context.pre == NO_NODE)
		return false;
	if (tag == TAG_button)
		return true;
	return context.pre_code != NO_NODE &&
	       (tag == TAG_a || tag == TAG_div) && has_class &&
	       is_short_label(page, &page->nodes[node]) &&
	       (page->nodes[node].end <= context.pre_code ||
		node >= page->nodes[context.pre_code].end) &&
	       find_near(page, node, TAG_code) == NO_NODE;
}

/*
 * Return ELEMENT_FORMULA or ELEMENT_DISPLAY_FORMULA for the outermost element
 * of a formula, ELEMENT_IGNORED for a copy of the formula in the script after
 * it, and otherwise ELEMENT_PLAIN.
 */
static enum element_kind kind_of_formula(const struct page *page, uint32_t node,
					 const struct role_attributes *marks)
{
	const struct node *element = &page->nodes[node];
	bool is_display = (marks->meanings & CLASS_DISPLAY) != 0;
	bool is_formula =
		(marks->meanings & (CLASS_FORMULA | CLASS_DISPLAY)) != 0;

	if (element->tag == TAG_script) {
		is_formula = formula_is_script(page, node);
		is_display = is_formula &&
			     text_has_word(page_attribute(page, node, "type"),
					   "mode=display");
	} else if (element->tag == TAG_math) {
		is_formula = true;
		is_display =
			text_is(page_attribute(page, node, "display"), "block");
	} else if (element->tag >= TAG_COUNT) {
		is_formula = slice_equal(page_tag_name(page, element->tag),
					 slice_of("mjx-container"));
		is_display =
			is_formula &&
			text_is(page_attribute(page, node, "display"), "true");
	} else if (element->tag == TAG_img) {
		is_formula = (marks->meanings & CLASS_TEX_IMAGE) != 0;
	} else if (element->tag != TAG_span && element->tag != TAG_div) {
		return ELEMENT_PLAIN;
	} else if (is_formula && element->end < page->node_count &&
		   page->nodes[element->end].parent == element->parent &&
		   formula_is_script(page, element->end)) {
		return ELEMENT_IGNORED;
	} else if (marks->has_data && formula_attribute(page, node).size > 0) {
		is_formula = true;
		is_display |= element->tag == TAG_div;
	}
	if (!is_formula)
		return ELEMENT_PLAIN;
	return is_display ? ELEMENT_DISPLAY_FORMULA : ELEMENT_FORMULA;
}

/* The name of a kind of callout; the kind that tells most is the first. */
static const char *callout_name(unsigned meanings)
{
	static const struct {
		unsigned meaning;
		const char *name;
	} kinds[] = {
		{CLASS_CAUTION, "CAUTION"},     {CLASS_WARNING, "WARNING"},
		{CLASS_IMPORTANT, "IMPORTANT"}, {CLASS_TIP, "TIP"},
		{CLASS_NOTE, "NOTE"},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if ((meanings & kinds[i].meaning) != 0)
			return kinds[i].name;
	return NULL;
}

/* Return the name of the callout that the element is, or NULL. */
static const char *callout_of(const struct page *page, uint32_t node,
			      const struct role_attributes *marks)
{
	const struct node *element = &page->nodes[node];

	switch (element->tag) {
	case TAG_aside:
	case TAG_blockquote:
	case TAG_details:
	case TAG_div:
	case TAG_section:
		break;
	default:
		return NULL;
	}
	/* the text may have the mark of Markdown already */
	if (element->first_text == element->end_text ||
	    slice_byte(page_text(page, element->first_text), 0) == '[')
		return NULL;
	if (element->tag == TAG_details && (marks->meanings & CLASS_ALERT) != 0)
		return NULL;
	if ((marks->meanings & CLASS_BOX) == 0 && element->tag != TAG_details)
		return text_is(marks->role, "note") ? "NOTE" : NULL;
	return callout_name(marks->meanings);
}

bool element_is_note_mark(const struct page *page, uint32_t node)
{
	return role_attributes_read(page, node).is_note_mark;
}

const char *element_callout(const struct page *page, uint32_t node)
{
	struct role_attributes marks;

	if (node == NO_NODE || page->nodes[node].attribute_count == 0)
		return NULL;
	marks = role_attributes_read(page, node);
	return callout_of(page, node, &marks);
}

/* The elements that a role of ARIA makes of a box. */
static const struct {
	const char *role;
	uint16_t tag;
} aria_roles[] = {
	{"cell", TAG_td},     {"columnheader", TAG_th}, {"gridcell", TAG_td},
	{"heading", TAG_h2},  {"row", TAG_tr},          {"rowheader", TAG_th},
	{"table", TAG_table},
};

/* Return the tag that ARIA's attributes give to an element of another tag. */
static uint16_t tag_of_aria(const struct page *page, uint32_t node,
			    struct slice role)
{
	uint16_t tag = page->nodes[node].tag;
	uint32_t level;

	if (role.size == 0)
		return tag;
	if (tag == TAG_table)
		return text_is(role, "presentation") || text_is(role, "none")
			       ? (uint16_t)TAG_div
			       : tag;
	if (tag != TAG_div && tag != TAG_span && tag != TAG_p)
		return tag;
	for (size_t i = 0; i < sizeof(aria_roles) / sizeof(aria_roles[0]); i++)
		if (text_is(role, aria_roles[i].role))
			tag = aria_roles[i].tag;
	if (tag != TAG_h2)
		return tag;
	if (has_no_letter(page, &page->nodes[node]))
		return page->nodes[node].tag;
	level = whole_attribute(page, node, "aria-level", 2);
	return (uint16_t)(level >= 1 && level <= 6 ? TAG_h1 + level - 1
						   : (uint32_t)TAG_h2);
}

/*
 * Return true if `text` has only signs that links to a section or back from a
 * note show: # ^ and U+00A7, U+00B6, U+2191, U+21A9, U+2934, U+1F517, which
 * U+FE0E, U+FE0F or U+200B may follow.
 */
static bool is_anchor_sign(struct slice text)
{
	const unsigned char *at = text.data;
	const unsigned char *end = at + text.size;

	if (text.size > MAX_LABEL_LENGTH)
		return false;
	while (at < end) {
		uint32_t code = utf8_next(&at, end);

		switch (code) {
		case '#':
		case '^':
		case 0xA7:
		case 0xB6:
		case 0x2191:
		case 0x21A9:
		case 0x2934:
		case 0x1F517:
		case 0x200B:
		case 0xFE0E:
		case 0xFE0F:
			break;
		default:
			if (!is_space((int)code))
				return false;
		}
	}
	return true;
}

/* Return true for an address in the same page. */
static bool is_fragment(struct slice href)
{
	return slice_byte(href, 0) == '#';
}

/*
 * Return true for a link in the page that has no text but a sign: the anchor of
 * a heading, or the way back from a note.
 */
static bool is_anchor(const struct page *page, uint32_t node, struct slice href)
{
	const struct node *link = &page->nodes[node];

	if (link->tag != TAG_a || link->end_text != link->first_text + 1 ||
	    !is_fragment(href))
		return false;
	return is_anchor_sign(page_text(page, link->first_text));
}

/*
 * Return true if the element is directly or almost directly in a heading, which
 * then has no link to itself.
 */
static bool is_link_of_heading(const struct page *page, uint32_t node,
			       struct slice href)
{
	uint32_t parent = page->nodes[node].parent;

	if (page->nodes[node].tag != TAG_a || !is_fragment(href))
		return false;
	for (unsigned i = 0; i < MAX_HEADING_DEPTH && parent != NO_NODE; i++) {
		if ((tag_flags(page->nodes[parent].tag) & TAG_IS_HEADING) != 0)
			return true;
		parent = page->nodes[parent].parent;
	}
	return false;
}

/*
 * Return true for a link from the text to a note, with a short mark that is not
 * raised already.
 */
static bool is_note_mark(const struct page *page, uint32_t node,
			 const struct role_attributes *marks)
{
	const struct node *link = &page->nodes[node];

	return link->tag == TAG_a && link->parent != NO_NODE &&
	       page->nodes[link->parent].tag != TAG_sup &&
	       link->end_text == link->first_text + 1 &&
	       is_short_label(page, link) && marks->is_note_mark &&
	       is_fragment(marks->href);
}

/*
 * Return true for elements that browsers do not show: the text for browsers
 * without video, and the brackets for browsers without ruby.
 */
static bool is_fallback(const struct page *page, uint32_t node)
{
	uint32_t parent = page->nodes[node].parent;
	uint16_t tag = page->nodes[node].tag;

	return tag == TAG_rp ||
	       (tag == TAG_svg &&
		page->nodes[node].first_text < page->nodes[node].end_text &&
		parent != NO_NODE &&
		(page->nodes[parent].flags & NODE_IS_SVG) == 0 &&
		(page->nodes[node].flags & TEXT_IS_TEMPLATE) != 0);
}

bool element_is_source(const struct page *page, uint32_t node)
{
	const struct node *element = &page->nodes[node];
	uint32_t quote = element->parent;

	if (element->tag != TAG_cite && element->tag != TAG_footer)
		return false;
	for (unsigned i = 0; i < MAX_SOURCE_DEPTH && quote != NO_NODE &&
			     page->nodes[quote].tag != TAG_blockquote;
	     i++)
		quote = page->nodes[quote].parent;
	return quote != NO_NODE && page->nodes[quote].tag == TAG_blockquote &&
	       element->first_text < element->end_text &&
	       page->nodes[quote].first_text < element->first_text &&
	       page->nodes[quote].end_text == element->end_text;
}

bool element_may_be_table(const struct page *page, uint32_t node)
{
	const struct node *element = &page->nodes[node];

	return element->tag == TAG_table ||
	       (element->attribute_count > 0 &&
		text_is(page_attribute(page, node, "role"), "table"));
}

struct element_role element_role_of(const struct page *page, uint32_t node,
				    struct role_context context)
{
	const struct node *element = &page->nodes[node];
	struct element_role role = {ELEMENT_PLAIN, element->tag};
	struct role_attributes marks = {0};

	if (element->attribute_count > 0) {
		marks = role_attributes_read(page, node);
		role.tag = tag_of_aria(page, node, marks.role);
	}
	if (is_gutter(page, node, marks.meanings, context) ||
	    is_language_label(page, node, marks.meanings, context) ||
	    ((marks.meanings & CLASS_BUTTON) != 0 &&
	     is_short_label(page, element)) ||
	    (marks.meanings & CLASS_EDIT) != 0 ||
	    is_anchor(page, node, marks.href) || is_fallback(page, node) ||
	    is_control_in_pre(page, node, marks.has_class, context) ||
	    (context.numbers != NO_NODE &&
	     is_like(page, node, context.numbers)))
		role.kind = ELEMENT_IGNORED;
	else if (role.tag == TAG_table)
		role.tag = tag_of_table(page, node, marks.meanings, context);
	else if (is_link_of_heading(page, node, marks.href))
		role.tag = TAG_span;
	else if (is_note_mark(page, node, &marks))
		role.tag = TAG_sup;
	else if (context.pre == NO_NODE)
		role.kind = kind_of_formula(page, node, &marks);
	if ((marks.meanings & CLASS_SIDENOTE) != 0 &&
	    (element->tag == TAG_span || element->tag == TAG_small))
		role.tag = TAG_rt;
	if ((marks.meanings & CLASS_SIGNATURE) != 0 && element->tag == TAG_dt)
		role.kind = ELEMENT_SIGNATURE;
	if (role.kind == ELEMENT_PLAIN &&
	    callout_of(page, node, &marks) != NULL)
		role.kind = ELEMENT_CALLOUT;
	return role;
}
