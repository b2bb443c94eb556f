#include "extract/render/formula.h"

#include <string.h>

#include "base/buffer.h"
#include "base/limit.h"
#include "base/utf8.h"
#include "extract/core/extractor.h"
#include "extract/render/render.h"
#include "extract/text/word.h"
#include "page/markup.h"
#include "page/page.h"
#include "page/scanner.h"

enum {
	MAX_FORMULA_BYTES = LIMIT(4096, 256), /* of the TeX of a formula */
	MAX_FORMULA_NODES = LIMIT(4096, 64),
	MAX_FORMULA_DEPTH = LIMIT(64, 8), /* of nested MathML */
	MAX_COPIES = 16, /* of the TeX in the texts of a formula */
	MAX_COPY_BYTES = 256,
	MAX_KEPT_TEXTS = LIMIT(64, 2), /* texts of a formula that are checked */
	MAX_BLOCK_DEPTH = 8, /* elements between a formula and its block */
};

static bool has_tag_name(const struct page *page, uint32_t node,
			 const char *name)
{
	return page->nodes[node].tag >= TAG_COUNT &&
	       slice_equal(page_tag_name(page, page->nodes[node].tag),
			   slice_of(name));
}

struct slice formula_attribute(const struct page *page, uint32_t node)
{
	const struct node *element = &page->nodes[node];

	for (uint32_t i = 0; i < element->attribute_count; i++) {
		const struct attribute *attribute =
			&page->attributes[element->first_attribute + i];

		if (attribute->name.size >= 8 &&
		    memcmp(attribute->name.data, "data-", 5) == 0 &&
		    list_has("data-math|data-tex|data-latex|data-formula",
			     attribute->name) &&
		    !list_has("true|false|1|0", attribute->value))
			return attribute->value;
	}
	return (struct slice){NULL, 0};
}

bool formula_is_script(const struct page *page, uint32_t node)
{
	struct slice type;

	if (page->nodes[node].tag != TAG_script)
		return false;
	type = page_attribute(page, node, "type");
	return type.size >= 8 && memcmp(type.data, "math/tex", 8) == 0;
}

/* --- MathML as TeX --- */

/* How an element is written: before its first, second and third child, and at
 * its end. */
static const struct mathml_element {
	const char *name;
	const char *parts[3];
	const char *end;
	const char *further; /* before the fourth and further children */
} mathml_elements[] = {
	{"mfrac", {"\\frac{", "}{", ""}, "}", ""},
	{"mover", {"", "^{", ""}, "}", ""},
	{"mroot", {"{", "}^{1/", ""}, "}", ""},
	{"msqrt", {"\\sqrt{", "", ""}, "}", ""},
	{"msub", {"", "_{", ""}, "}", ""},
	{"msubsup", {"", "_{", "}^{"}, "}", ""},
	{"msup", {"", "^{", ""}, "}", ""},
	{"mtable",
	 {"\\begin{matrix}", " \\\\ ", " \\\\ "},
	 "\\end{matrix}",
	 " \\\\ "},
	{"mtr", {"", " & ", " & "}, "", " & "},
	{"munder", {"", "_{", ""}, "}", ""},
	{"munderover", {"", "_{", "}^{"}, "}", ""},
	{"mfenced", {"(", ", ", ", "}, ")", ", "},
};

static const struct mathml_element mathml_row = {"mrow", {"", "", ""}, "", ""};

/* Characters of operators, and their TeX. */
static const struct {
	const char *character;
	const char *tex;
} operators[] = {
	{"\xE2\x88\x92", "-"},
	{"\xC3\x97", "\\times "},
	{"\xC2\xB7", "\\cdot "},
	{"\xE2\x8B\x85", "\\cdot "},
	{"\xE2\x89\xA4", "\\leq "},
	{"\xE2\x89\xA5", "\\geq "},
	{"\xE2\x89\xA0", "\\neq "},
	{"\xE2\x88\x9E", "\\infty "},
	{"\xE2\x88\x91", "\\sum "},
	{"\xE2\x88\x8F", "\\prod "},
	{"\xE2\x88\xAB", "\\int "},
	{"\xE2\x88\x82", "\\partial "},
	{"\xE2\x86\x92", "\\to "},
	{"\xE2\x81\xA1", ""},
	{"\xE2\x81\xA2", ""},
	{"\xE2\x81\xA3", ""},
	{"{", "\\{"},
	{"}", "\\}"},
	{"%", "\\%"},
	{"&", "\\&"},
	{"#", "\\#"},
	{"_", "\\_"},
	{"$", "\\$"},
	{"\\", "\\backslash "},
};

/* An open element of MathML. */
struct mathml_frame {
	uint32_t end; /* the first node after it */
	const struct mathml_element *element;
	uint32_t children; /* number of children up to now */
	bool is_braced;    /* it is written in { } */
};

struct mathml_writer {
	const struct page *page;
	struct buffer *out;
	struct mathml_frame open[MAX_FORMULA_DEPTH]; /* [count] */
	uint32_t count;
};

static const struct mathml_element *mathml_element_of(const struct page *page,
						      uint32_t node)
{
	struct slice name = page_tag_name(page, page->nodes[node].tag);

	for (size_t i = 0;
	     i < sizeof(mathml_elements) / sizeof(mathml_elements[0]); i++)
		if (slice_equal(name, slice_of(mathml_elements[i].name)))
			return &mathml_elements[i];
	return &mathml_row;
}

static void mathml_append_text(struct buffer *out, struct slice text)
{
	for (size_t at = 0; at < text.size;) {
		const char *bytes = (const char *)text.data + at;
		size_t size = 1;
		size_t i = 0;
		const size_t count = sizeof(operators) / sizeof(operators[0]);

		while (at + size < text.size && utf8_continues(bytes[size]))
			size++;
		while (i < count &&
		       (strlen(operators[i].character) != size ||
			memcmp(operators[i].character, bytes, size) != 0))
			i++;
		if (i < count)
			buffer_append_text(out, operators[i].tex);
		else
			buffer_append(out, bytes, size);
		at += size;
	}
}

/* The functions that TeX has commands for. */
static const char mathml_functions[] =
	"arccos|arcsin|arctan|arg|cos|cosh|cot|det|dim|exp|gcd|inf|ker|lim|ln|"
	"log|max|min|sin|sinh|sup|tan|tanh";

/* Write the text of a token such as mi. Longer names are upright. */
static void mathml_write_token(struct mathml_writer *writer, uint32_t node)
{
	const struct node *token = &writer->page->nodes[node];
	struct buffer plain = {0};
	struct slice text;
	const char *end = "";

	if (token->first_text == token->end_text)
		return;
	markup_append_plain(&plain, page_text(writer->page, token->first_text),
			    false);
	text = buffer_slice(&plain);
	if (token->tag == TAG_mtext || token->tag == TAG_ms) {
		buffer_append_text(writer->out, "\\text{");
		end = "}";
	} else if (token->tag == TAG_mi && text.size > 1) {
		end = " ";
		if (list_has(mathml_functions, text)) {
			buffer_append_byte(writer->out, '\\');
		} else if (is_letter(slice_byte(text, 0))) {
			buffer_append_text(writer->out, "\\mathrm{");
			end = "}";
		}
	}
	mathml_append_text(writer->out, text);
	buffer_append_text(writer->out, end);
	buffer_free(&plain);
}

static bool is_token(uint16_t tag)
{
	return tag == TAG_mi || tag == TAG_mn || tag == TAG_mo ||
	       tag == TAG_ms || tag == TAG_mtext;
}

static void mathml_pop(struct mathml_writer *writer)
{
	struct mathml_frame *frame = &writer->open[--writer->count];

	buffer_append_text(writer->out, frame->element->end);
	if (frame->is_braced)
		buffer_append_byte(writer->out, '}');
}

/* Write what is before the next child of the innermost open element. */
static void mathml_begin_child(struct mathml_writer *writer)
{
	struct mathml_frame *frame;

	if (writer->count == 0)
		return;
	frame = &writer->open[writer->count - 1];
	buffer_append_text(writer->out,
			   frame->children < 3
				   ? frame->element->parts[frame->children]
				   : frame->element->further);
	frame->children++;
}

/*
 * Append the MathML of node `math` as TeX. Return false if it is too deep or
 * too long.
 */
static bool mathml_append(const struct page *page, uint32_t math,
			  struct buffer *out)
{
	struct mathml_writer writer = {.page = page, .out = out};
	uint32_t end = page->nodes[math].end;
	size_t begin = out->size;

	if (end - math > MAX_FORMULA_NODES)
		return false;
	for (uint32_t i = math + 1; i < end; i++) {
		const struct node *node = &page->nodes[i];

		while (writer.count > 0 &&
		       writer.open[writer.count - 1].end <= i)
			mathml_pop(&writer);
		if (has_tag_name(page, i, "annotation") ||
		    has_tag_name(page, i, "annotation-xml")) {
			i = node->end - 1;
			continue;
		}
		if (writer.count == MAX_FORMULA_DEPTH ||
		    out->size - begin > MAX_FORMULA_BYTES)
			return false;
		mathml_begin_child(&writer);
		if (is_token(node->tag)) {
			mathml_write_token(&writer, i);
			i = node->end - 1;
			continue;
		}
		/* the base of an index is one thing */
		writer.open[writer.count] = (struct mathml_frame){
			.end = node->end,
			.element = mathml_element_of(page, i),
			.is_braced =
				writer.count > 0 &&
				writer.open[writer.count - 1].element->end[0] ==
					'}' &&
				writer.open[writer.count - 1]
						.element->parts[0][0] == '\0' &&
				writer.open[writer.count - 1].children == 1,
		};
		if (writer.open[writer.count].is_braced)
			buffer_append_byte(out, '{');
		writer.count++;
	}
	while (writer.count > 0)
		mathml_pop(&writer);
	return out->size > begin;
}

/* --- the source of a formula --- */

/* Return the TeX in an element's annotation or attributes, or {NULL, 0}. */
static struct slice tex_of_node(const struct page *page, uint32_t node)
{
	const struct node *element = &page->nodes[node];
	struct slice encoding;
	struct slice tex;

	if (formula_is_script(page, node))
		return page_script(page, node);
	if (has_tag_name(page, node, "annotation")) {
		encoding = page_attribute(page, node, "encoding");
		return text_is(encoding, "application/x-tex") &&
				       element->first_text < element->end_text
			       ? page_text(page, element->first_text)
			       : (struct slice){NULL, 0};
	}
	tex = formula_attribute(page, node);
	if (tex.size == 0 && element->tag == TAG_math)
		tex = page_attribute(page, node, "alttext");
	return tex;
}

/*
 * Return `tex` without \displaystyle, which says nothing in TeX that stands
 * alone: {\displaystyle x}.
 */
static struct slice tex_trim(struct slice tex)
{
	static const char begin[] = "{\\displaystyle";
	const size_t size = sizeof(begin) - 1;

	tex = text_trim(tex);
	if (tex.size > size + 1 && memcmp(tex.data, begin, size) == 0 &&
	    !is_letter(slice_byte(tex, size)) &&
	    slice_byte(tex, tex.size - 1) == '}')
		tex = text_trim((struct slice){(const char *)tex.data + size,
					       tex.size - size - 1});
	return tex;
}

/*
 * Return true if the formula `node` may stand for all text inside of it, of
 * which tools write some copies.
 */
static bool is_copy(const struct page *page, uint32_t node, struct slice tex)
{
	const struct node *formula = &page->nodes[node];
	const struct text *last;

	if (formula->first_text >= formula->end_text)
		return true;
	last = &page->texts[formula->end_text - 1];
	return last->begin + last->length -
		       page->texts[formula->first_text].begin <=
	       MAX_COPIES * tex.size + MAX_COPY_BYTES;
}

bool formula_append(const struct page *page, uint32_t node, struct buffer *out)
{
	uint32_t end = page->nodes[node].end;
	uint32_t math = NO_NODE;
	size_t begin = out->size;

	if (end - node > MAX_FORMULA_NODES)
		end = node + MAX_FORMULA_NODES;
	/* annotations have precedence over what is around them */
	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint32_t i = node; i < end; i++) {
			struct slice tex;

			if (page->nodes[i].tag == TAG_math && math == NO_NODE)
				math = i;
			if (pass == 0 && !has_tag_name(page, i, "annotation"))
				continue;
			tex = i == node && page->nodes[i].tag == TAG_img
				      ? page_attribute(page, i, "alt")
				      : tex_of_node(page, i);
			tex = tex_trim(tex);
			if (tex.size > 0 && tex.size <= MAX_FORMULA_BYTES &&
			    is_copy(page, node, tex)) {
				markup_append_plain(out, tex, false);
				return out->size > begin;
			}
		}
	}
	if (math == NO_NODE || !mathml_append(page, math, out)) {
		out->size = begin;
		return false;
	}
	return true;
}

static bool is_kept(const struct render_request *request, uint32_t text)
{
	return text < request->page->text_count &&
	       request->verdicts[text].is_content;
}

bool formula_is_kept(const struct render_request *request, uint32_t node)
{
	const struct page *page = request->page;
	const struct node *formula = &page->nodes[node];
	bool is_after = formula->first_text > 0 &&
			is_kept(request, formula->first_text - 1);
	bool is_before = is_kept(request, formula->end_text);
	uint32_t block = formula->parent;

	for (uint32_t i = formula->first_text;
	     i < formula->end_text && i < formula->first_text + MAX_KEPT_TEXTS;
	     i++)
		if (is_kept(request, i))
			return true;
	if (is_after && is_before)
		return true;
	for (unsigned i = 0;
	     i < MAX_BLOCK_DEPTH && block != NO_NODE &&
	     (tag_flags(page->nodes[block].tag) & TAG_IS_BLOCK) == 0;
	     i++)
		block = page->nodes[block].parent;
	if (block == NO_NODE)
		return false;
	return (is_after &&
		page->nodes[block].first_text < formula->first_text) ||
	       (is_before && formula->end_text < page->nodes[block].end_text);
}
