#include "extract/render/outline.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "extract/render/layout.h"
#include "extract/text/characters.h"
#include "extract/text/word.h"
#include "page/entity.h"
#include "page/page.h"
#include "page/scanner.h"
#include "page/tag.h"

enum {
	MAX_LANGUAGE_NODES = 2, /* nodes in a pre that may name its language */
	MAX_LANGUAGE_DEPTH = 6, /* elements around a pre that may name it */
	MAX_CLASS_BYTES = 1024, /* of a class; longer ones name no language,
				   because each pre reads those around it */
};

/* Names of languages and file types in the classes of code. */
/* clang-format off */
static const char code_languages[] =
	"abap|ada|apache|apacheconf|applescript|arduino|asciidoc|asm|"
	"assembly|awk|bash|basic|bat|batch|bibtex|c|c++|c#|caddy|"
	"caddyfile|cfg|cjs|clj|clojure|cmake|cmd|cobol|coffee|"
	"coffeescript|common-lisp|conf|config|console|cpp|crystal|cs|"
	"csharp|csp|css|csv|cuda|cue|cypher|d|dart|diff|docker|"
	"dockerfile|dot|dotenv|ebnf|ecmascript|editorconfig|edn|elisp|"
	"elixir|elm|emacs-lisp|env|erb|erlang|f#|fish|fortran|fsharp|"
	"gdscript|gherkin|git|gitignore|glsl|gleam|gnuplot|go|golang|"
	"gradle|graphql|groovy|haml|handlebars|haskell|hbs|hcl|hlsl|hs|"
	"html|http|idris|ini|ipython|java|javascript|jinja|jinja2|jl|js|"
	"json|json5|jsonc|jsonl|jsonnet|jsp|jsx|julia|just|kotlin|kt|ksh|"
	"latex|less|liquid|lisp|llvm|log|lua|m|make|makefile|markdown|"
	"markup|mathematica|matlab|md|mdx|mermaid|meson|mjs|mysql|nasm|"
	"nginx|nim|nix|node|nushell|objc|objective-c|objectivec|ocaml|"
	"octave|odin|pascal|patch|perl|pgsql|php|pl|plantuml|plpgsql|"
	"plsql|postgres|postgresql|powershell|prolog|promql|properties|"
	"proto|protobuf|ps1|psql|pug|puppet|purescript|py|pycon|python|"
	"python3|qml|r|racket|raku|rb|re|reason|rego|rest|rescript|rs|"
	"rst|ruby|rust|sas|sass|sbt|scala|scheme|scss|sed|sh|shell|"
	"shell-session|sh-session|smalltalk|solidity|sparql|sql|sqlite|"
	"stylus|svelte|svg|swift|systemd|systemverilog|tcl|terraform|tex|"
	"textile|tf|toml|ts|tsql|tsx|twig|typescript|vala|vb|vbnet|"
	"verilog|vhdl|vim|viml|vue|wasm|wat|wgsl|xhtml|xml|xquery|xsl|"
	"xslt|yaml|yml|zig|zsh";
/* clang-format on */

static bool is_code_language(struct slice word)
{
	return word.size > 0 && word.size <= MAX_CODE_LANGUAGE &&
	       list_has_in_any_case(code_languages, word);
}

static struct slice language_if_known(struct slice word)
{
	while (word.size > 0 && slice_byte(word, word.size - 1) == ';')
		word.size--;
	return is_code_language(word) ? word : (struct slice){"", 0};
}

static struct slice language_of_word(struct slice word)
{
	const char *prefixes = "language-|lang-|highlight-source-|highlight-|"
			       "source-|brush:|type-";
	struct slice prefix;

	while (list_next(&prefixes, &prefix)) {
		struct slice rest = {(const char *)word.data + prefix.size,
				     word.size - prefix.size};

		if (word.size > prefix.size &&
		    memcmp(word.data, prefix.data, prefix.size) == 0 &&
		    is_code_language(rest))
			return rest;
	}
	return (struct slice){"", 0};
}

/*
 * Return the first language among the words of a class. A bare word such as
 * "python" counts after a word that highlighters write: "sourceCode python".
 */
static struct slice language_of_classes(struct slice classes)
{
	const char *bytes = classes.data;
	struct slice language = {"", 0};
	bool is_code = false;
	size_t at = 0;

	if (classes.size > MAX_CLASS_BYTES)
		return language;
	while (at < classes.size && language.size == 0) {
		size_t begin = at;
		struct slice word;

		while (at < classes.size && !is_space(bytes[at]))
			at++;
		word = (struct slice){bytes + begin, at - begin};
		language = language_of_word(word);
		if (language.size == 0 && is_code)
			language = language_if_known(word);
		is_code |= list_has("hljs|highlight|sourceCode|chroma|brush:|"
				    "syntaxhighlighter|prettyprint|codehilite",
				    word);
		at++;
	}
	return language;
}

/* Return the language of an element from its attributes. */
static struct slice language_of_node(const struct page *page, uint32_t node)
{
	static const char *const names[] = {"data-canonical-lang", "data-lang",
					    "data-language",
					    "data-enlighter-language"};
	struct slice params;
	struct slice language =
		language_of_classes(page_attribute(page, node, "class"));

	for (unsigned i = 0;
	     i < sizeof(names) / sizeof(names[0]) && language.size == 0; i++)
		language =
			language_if_known(page_attribute(page, node, names[i]));
	params = page_attribute(page, node, "data-syntaxhighlighter-params");
	if (language.size == 0 && params.size > 0)
		language = language_of_classes(params);
	return language;
}

/* Return the language that an element in or before the pre shows as text. */
static struct slice language_of_label(const struct page *page, uint32_t node)
{
	const struct node *pre = &page->nodes[node];

	for (uint32_t i = node + 1; i < pre->end && i <= node + 2; i++)
		if (text_has_word(page_attribute(page, i, "class"),
				  "language-id") &&
		    page->nodes[i].first_text < page->nodes[i].end_text)
			return language_if_known(text_trim(
				page_text(page, page->nodes[i].first_text)));
	return (struct slice){"", 0};
}

struct slice code_language(const struct page *page, uint32_t node)
{
	struct slice language = {"", 0};

	if (node == NO_NODE)
		return language;
	language = language_of_node(page, node);
	for (uint32_t i = 1; i <= MAX_LANGUAGE_NODES && language.size == 0; i++)
		if (node + i < page->nodes[node].end)
			language = language_of_node(page, node + i);
	if (language.size == 0)
		language = language_of_label(page, node);
	for (unsigned i = 0; i < MAX_LANGUAGE_DEPTH && language.size == 0;
	     i++) {
		node = page->nodes[node].parent;
		if (node == NO_NODE || page->nodes[node].tag == TAG_body)
			break;
		language = language_of_node(page, node);
	}
	return language;
}

enum {
	MIN_REFERENCE = 4,  /* "&#9;" */
	MAX_REFERENCE = 10, /* "&#1114111;" */
	MAX_CODE_DEPTH = 4, /* maximum number of elements from a text up to a
			       code element */
};

struct readable readable_begin(const struct page *page)
{
	return (struct readable){
		.page = page,
		.shortcodes = {.text = {page->text, page->text_bytes}},
	};
}

void readable_end(struct readable *readable)
{
	buffer_free(&readable->text);
	buffer_free(&readable->spare);
}

static bool has_byte(struct slice text, char byte)
{
	return text.size > 0 && memchr(text.data, byte, text.size) != NULL;
}

/*
 * Return the size of the character reference at the start of `text`, including
 * "&" and ";", or 0 if `text` begins with no reference.
 */
static size_t character_reference_size(struct slice text)
{
	size_t size = 1;

	while (size < MAX_REFERENCE &&
	       (is_alphanumeric(slice_byte(text, size)) ||
		slice_byte(text, size) == '#'))
		size++;
	return slice_byte(text, size) == ';' && size + 1 >= MIN_REFERENCE
		       ? size + 1
		       : 0;
}

/*
 * Frequent names of characters that are not among HTML 4's names of ISO-8859-1.
 */
static const char usual[] =
	"apos|ndash|mdash|lsquo|rsquo|sbquo|ldquo|rdquo|bdquo|bull|hellip|"
	"lsaquo|rsaquo|euro|trade|oelig|OElig|scaron|Scaron";

/*
 * Decode a character reference to out [entity_room(size)]. Return the length,
 * or 0 if the reference must not be decoded. A name is one of ISO-8859-1 if a
 * parser decodes it without ";".
 */
static size_t decode_reference(struct slice reference, char *out)
{
	const char *bytes = reference.data;
	const struct slice bare = {bytes, reference.size - 1};
	size_t size;

	if (bytes[1] != '#' &&
	    !list_has(usual, (struct slice){bytes + 1, reference.size - 2})) {
		size = entity_decode(bare, true, out);
		if (size == bare.size)
			return 0;
	}
	size = entity_decode(reference, false, out);
	return size == reference.size || *out == '<' || *out == '>' ? 0 : size;
}

static bool is_bracket(char byte)
{
	return byte != '\0' && strchr("\"'`()[]", byte) != NULL;
}

static void append_decoded(struct slice text, struct buffer *out)
{
	const char *bytes = text.data;
	size_t at = 0;

	while (at < text.size) {
		struct slice rest = {bytes + at, text.size - at};
		size_t size =
			bytes[at] == '&' ? character_reference_size(rest) : 0;
		char decoded[2 * MAX_REFERENCE];
		size_t length = 0;

		/* do not decode a reference in quotation marks or brackets */
		if (size > 0 && !(at > 0 && is_bracket(bytes[at - 1]) &&
				  is_bracket(slice_byte(text, at + size))))
			length = decode_reference(
				(struct slice){rest.data, size}, decoded);
		if (length == 0)
			buffer_append_byte(out, bytes[at++]);
		else
			at += size;
		buffer_append(out, decoded, length);
	}
}

static bool is_text_in_code(const struct page *page, uint32_t node)
{
	for (unsigned i = 0; i < MAX_CODE_DEPTH && node != NO_NODE; i++) {
		uint16_t tag = page->nodes[node].tag;

		if (inline_kind(tag) == INLINE_CODE || tag == TAG_pre ||
		    tag == TAG_textarea)
			return true;
		node = page->nodes[node].parent;
	}
	return false;
}

static bool has_reference(struct slice text)
{
	const char *at = text.data;
	const char *end = at + text.size;

	while ((at = memchr(at, '&', (size_t)(end - at))) != NULL) {
		if (character_reference_size(
			    (struct slice){at, (size_t)(end - at)}) > 0)
			return true;
		at++;
	}
	return false;
}

static bool is_on_markup(struct readable *readable)
{
	const struct page *page = readable->page;

	for (uint32_t i = 0; i < page->text_count && !readable->is_judged; i++)
		if (has_reference(page_text(page, i)) &&
		    is_text_in_code(page, page->texts[i].node))
			readable->is_on_markup = readable->is_judged = true;
	readable->is_judged = true;
	return readable->is_on_markup;
}

/*
 * Return true if text `index` is directly inside noscript and contains an HTML
 * tag as text.
 */
static bool has_spelled_out_tag(const struct page *page, uint32_t index)
{
	struct scanner scanner = {.source = page_text(page, index)};
	uint32_t node = page->texts[index].node;
	struct token token;

	if (node == NO_NODE || page->nodes[node].tag != TAG_noscript)
		return false;
	while (scanner_next(&scanner, &token))
		if ((token.kind == TOKEN_START || token.kind == TOKEN_END) &&
		    token.tag < TAG_COUNT)
			return true;
	return false;
}

/*
 * Append the text with a space instead of each tag. Without tags, most such
 * texts are a link or blank.
 */
static void append_without_tags(struct slice text, struct buffer *out)
{
	struct scanner scanner = {.source = text};
	struct token token;

	while (scanner_next(&scanner, &token)) {
		if (token.kind == TOKEN_TEXT)
			buffer_append(out,
				      (const char *)text.data +
					      token.source.begin,
				      token.source.end - token.source.begin);
		else if (token.kind != TOKEN_RAW)
			buffer_append_byte(out, ' ');
	}
}

/*
 * Make readable->spare, which has the new text, the result readable->text, and
 * return it.
 */
static struct slice swap_spare(struct readable *readable)
{
	struct buffer old = readable->text;

	readable->text = readable->spare;
	readable->spare = old;
	buffer_clear(&readable->spare);
	buffer_append_text(&readable->text, "");
	return buffer_slice(&readable->text);
}

struct slice readable_text(struct readable *readable, uint32_t index)
{
	struct slice text = page_text(readable->page, index);

	buffer_clear(&readable->spare);
	if (has_byte(text, '<') && has_spelled_out_tag(readable->page, index)) {
		append_without_tags(text, &readable->spare);
		text = swap_spare(readable);
	}
	if (has_byte(text, '&') && has_reference(text) &&
	    !is_on_markup(readable)) {
		append_decoded(text, &readable->spare);
		text = swap_spare(readable);
	}
	if (has_byte(text, '[') &&
	    shortcodes_drop(&readable->shortcodes, text, &readable->spare))
		text = swap_spare(readable);
	return text;
}

#define NO_FRAME UINT32_MAX

enum { NESTED_LIST, NESTED_TABLE, NESTED_QUOTE, NESTED_FIGURE, NOT_NESTED };

struct block_outline outline_begin(struct arena *arena,
				   const struct layout_writer *writer,
				   uint32_t level_count)
{
	/*
	 * A level opens at most three frames: a row, a cell and its own block.
	 * A line opens at most three, too.
	 */
	uint32_t max_frames = 3 * (level_count + 1) + 1;
	struct block_outline outline = {
		.writer = writer,
		.frames = ARENA_NEW(arena, struct outline_frame, max_frames),
		.frame_count = 1,
		.max_frames = max_frames,
		.line_frame = NO_FRAME,
	};

	outline.frames[0] = (struct outline_frame){.tag = TAG_html};
	return outline;
}

bool outline_is_line(uint16_t tag)
{
	return tag == TAG_p || tag == TAG_pre || tag == TAG_caption ||
	       tag == TAG_figcaption || (tag_flags(tag) & TAG_IS_HEADING) != 0;
}

static unsigned nesting_of(uint16_t tag)
{
	switch (tag) {
	case TAG_ul:
	case TAG_ol:
		return NESTED_LIST;
	case TAG_table:
		return NESTED_TABLE;
	case TAG_blockquote:
		return NESTED_QUOTE;
	case TAG_figure:
		return NESTED_FIGURE;
	default:
		return NOT_NESTED;
	}
}

static struct outline_frame *outline_top(const struct block_outline *outline)
{
	assert(outline->frame_count > 0);
	return &outline->frames[outline->frame_count - 1];
}

static void outline_push(struct block_outline *outline,
			 struct layout_element element, uint32_t level)
{
	struct outline_frame frame = *outline_top(outline);
	unsigned nesting = nesting_of(element.tag);

	outline_top(outline)->has_child = true;
	element.outer = frame.tag;
	frame.tag = element.tag;
	frame.home = level;
	frame.has_child = false;
	frame.columns = 0;
	if (level > frame.level)
		frame.level = level;
	if (nesting != NOT_NESTED)
		frame.nested[nesting]++;
	assert(outline->frame_count < outline->max_frames);
	outline->frames[outline->frame_count++] = frame;
	outline->writer->open(outline->writer->context, &element);
}

static void outline_pop(struct block_outline *outline)
{
	uint16_t tag = outline_top(outline)->tag;

	assert(outline->frame_count > 1);
	outline->frame_count--;
	outline->writer->close(outline->writer->context, tag);
	if (outline->frame_count <= outline->line_frame)
		outline->line_frame = NO_FRAME;
}

static void open_made(struct block_outline *outline, uint16_t tag,
		      uint32_t level)
{
	outline_push(outline,
		     (struct layout_element){.tag = tag, .node = NO_NODE},
		     level);
}

/*
 * Open the missing elements around a block, because lists can contain only
 * items, tables only rows, and rows only cells.
 */
static void outline_open_cell(struct block_outline *outline, uint32_t level)
{
	uint16_t context = outline_top(outline)->tag;

	if (context == TAG_ul || context == TAG_ol)
		open_made(outline, TAG_li, level);
	if (context == TAG_table)
		open_made(outline, TAG_tr, level);
	if (context == TAG_table || context == TAG_tr)
		open_made(outline, TAG_td, level);
}

/* Open a td or th in the columns that the cell has in its row. */
static void open_page_cell(struct block_outline *outline,
			   struct layout_element element, uint32_t level,
			   struct columns columns)
{
	if (outline_top(outline)->tag == TAG_table)
		open_made(outline, TAG_tr, level);
	if (outline_top(outline)->tag != TAG_tr)
		return;
	if (outline_top(outline)->home + 1 == level) {
		while (outline_top(outline)->columns < columns.begin) {
			outline_top(outline)->columns++;
			open_made(outline, TAG_td, level);
			outline_pop(outline);
		}
		outline_top(outline)->columns = columns.end;
	}
	outline_push(outline, element, level);
}

void outline_open_block(struct block_outline *outline, uint16_t tag,
			uint32_t node, uint32_t level, struct columns columns)
{
	const struct layout_element element = {.tag = tag, .node = node};
	unsigned nesting = nesting_of(tag);
	uint16_t context = outline_top(outline)->tag;

	if (nesting != NOT_NESTED) {
		if (outline_top(outline)->nested[nesting] ==
		    MAX_OUTLINE_NESTING)
			return; /* the nesting is too deep, so the content
				   becomes content of the block around it */
		outline_open_cell(outline, level);
		outline_push(outline, element, level);
	} else if (tag == TAG_li) {
		if (context == TAG_ul || context == TAG_ol)
			outline_push(outline, element, level);
	} else if (tag == TAG_tr) {
		if (context == TAG_table)
			outline_push(outline, element, level);
	} else if (tag == TAG_td || tag == TAG_th) {
		open_page_cell(outline, element, level, columns);
	}
}

bool outline_is_in_line(const struct block_outline *outline)
{
	return outline_is_line(outline_top(outline)->tag);
}

/*
 * Return the tag that a line has at this position: a caption is only allowed at
 * the start of its table, so elsewhere it is a p.
 */
static uint16_t line_here(const struct block_outline *outline, uint16_t line)
{
	const struct outline_frame *frame = outline_top(outline);

	if (line == TAG_caption &&
	    (frame->tag != TAG_table || frame->has_child))
		return TAG_p;
	if (line == TAG_figcaption && frame->tag != TAG_figure)
		return TAG_p;
	return line;
}

void outline_open_line(struct block_outline *outline, uint16_t line,
		       uint32_t node, uint32_t level)
{
	struct layout_element element = {.node = node};
	uint32_t first = outline->frame_count;
	const struct outline_frame *around;

	if (outline_is_in_line(outline))
		return;
	element.tag = line_here(outline, line);
	if (element.tag != TAG_caption)
		outline_open_cell(outline, level);
	around = outline_top(outline);
	/* these elements can contain text without a p */
	element.is_bare =
		element.tag == TAG_p &&
		(around->tag == TAG_li || around->tag == TAG_td ||
		 around->tag == TAG_th || around->tag == TAG_figure) &&
		around->home == level && !around->has_child;
	if (outline->line_frame == NO_FRAME)
		outline->line_frame = first;
	assert(outline_is_line(element.tag));
	outline_push(outline, element, level);
}

void outline_end_line(struct block_outline *outline)
{
	uint32_t line_frame = outline->line_frame;

	while (outline->frame_count > line_frame)
		outline_pop(outline);
}

void outline_close(struct block_outline *outline, uint32_t level)
{
	while (outline->frame_count > 1 && outline_top(outline)->level >= level)
		outline_pop(outline);
}
