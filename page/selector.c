#include "page/selector.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "page/scanner.h"
#include "page/tag.h"

enum {
	MAX_STEP_BYTES = 128,
	MAX_STEPS = 40,
	/* of a text, this many times the maximum is read, because white space
	   is collapsed */
	MAX_BLANKS = 4,
	MAX_READ = MAX_BLANKS * ELEMENT_VALUE_BYTES,
};

size_t element_cut(struct slice text, char out[ELEMENT_VALUE_BYTES + 1])
{
	char collapsed[MAX_READ];
	size_t size = utf8_truncate(text, MAX_READ).size;

	size = text_collapse((struct slice){text.data, size}, collapsed);
	size = utf8_truncate((struct slice){collapsed, size},
			     ELEMENT_VALUE_BYTES)
		       .size;
	assert(size <= ELEMENT_VALUE_BYTES);
	memcpy(out, collapsed, size);
	out[size] = '\0';
	return size;
}

/* Return whether a block-level element begins or ends between two nodes. */
static bool element_is_line_broken(const struct page *page, uint32_t left,
				   uint32_t right)
{
	const struct node *nodes = page->nodes;

	assert(left < page->node_count && right < page->node_count);
	for (uint32_t n = left; n != NO_NODE && nodes[n].end <= right;
	     n = nodes[n].parent)
		if ((tag_flags(nodes[n].tag) & TAG_IS_BLOCK) != 0)
			return true;
	for (uint32_t n = right; n != NO_NODE && n > left; n = nodes[n].parent)
		if ((tag_flags(nodes[n].tag) & TAG_IS_BLOCK) != 0)
			return true;
	return false;
}

/*
 * Return whether the source between two texts contains white space or a <br>.
 */
static bool is_spaced(const char *at, const char *end)
{
	bool is_tag = false;

	if (end - at > MAX_READ)
		return true;
	for (; at < end; at++) {
		if (*at == '<')
			is_tag = true;
		else if (*at == '>')
			is_tag = false;
		else if (!is_tag && is_space(*at))
			return true;
		if (*at == '<' && end - at > 3 && lower(at[1]) == 'b' &&
		    lower(at[2]) == 'r')
			return true;
	}
	return false;
}

static bool element_text_is_separate(const struct page *page, uint32_t index)
{
	const struct text *before = &page->texts[index - 1];
	const struct text *text = &page->texts[index];
	const char *source = page->source.data;

	assert(index > 0 && index < page->text_count);
	return before->node == NO_NODE || text->node == NO_NODE ||
	       element_is_line_broken(page, before->node, text->node) ||
	       is_spaced(source + before->source.end,
			 source + text->source.begin);
}

void element_text(const struct page *page, uint32_t node, size_t max,
		  struct buffer *out)
{
	const struct node *element = &page->nodes[node];
	size_t begin = out->size;

	for (uint32_t i = element->first_text;
	     i < element->end_text && out->size - begin < max; i++) {
		struct slice text = page_text(page, i);
		struct slice before =
			i == 0 ? (struct slice){0} : page_text(page, i - 1);
		size_t size = utf8_truncate(text, MAX_BLANKS * max).size;
		/* one byte more for a blank */
		char *piece = buffer_reserve(out, size + 1);
		size_t length = text_collapse((struct slice){text.data, size},
					      piece + 1);

		if (length == 0)
			continue;
		if (out->size > begin &&
		    (is_space(*(const char *)text.data) ||
		     is_space(slice_byte(before, before.size - 1)) ||
		     element_text_is_separate(page, i)))
			out->data[out->size++] = ' ';
		memmove(out->data + out->size, piece + 1, length);
		out->size += length;
	}
	if (out->size == begin)
		return;
	out->size = begin + utf8_truncate((struct slice){out->data + begin,
							 out->size - begin},
					  max)
				    .size;
	out->data[out->size] = '\0';
}

size_t element_value(const struct page *page, uint32_t node,
		     char out[ELEMENT_VALUE_BYTES + 1])
{
	static const char *const names[] = {"content",  "alt", "title", "value",
					    "datetime", "src", "href"};
	struct buffer text = {0};
	size_t size;

	assert(node < page->node_count);
	element_text(page, node, ELEMENT_VALUE_BYTES, &text);
	size = text.size;
	memcpy(out, size == 0 ? "" : text.data, size);
	out[size] = '\0';
	buffer_free(&text);
	for (size_t i = 0; size == 0 && i < sizeof(names) / sizeof(*names);
	     i++) {
		struct slice value = page_attribute(page, node, names[i]);

		if (value.size > 0)
			size = element_cut(value, out);
	}
	return size;
}

void element_escape(struct slice name, struct buffer *out)
{
	const unsigned char *bytes = name.data;

	for (size_t i = 0; i < name.size; i++) {
		bool is_first = i == 0 || (i == 1 && bytes[0] == '-');

		if ((isdigit(bytes[i]) && is_first) || bytes[i] < ' ' ||
		    bytes[i] == 0x7f)
			buffer_printf(out, "\\%x ", bytes[i]);
		else if (bytes[i] >= 0x80 || isalnum(bytes[i]) ||
			 bytes[i] == '_' || (bytes[i] == '-' && name.size > 1))
			buffer_append_byte(out, (char)bytes[i]);
		else
			buffer_printf(out, "\\%c", bytes[i]);
	}
}

static void element_append_classes(struct slice classes, size_t begin,
				   struct buffer *out)
{
	const char *at = classes.data;
	const char *end = at + classes.size;

	while (at < end && out->size - begin < MAX_STEP_BYTES) {
		const char *word = at;

		while (at < end && !is_space(*at))
			at++;
		if (at > word && (size_t)(at - word) < MAX_STEP_BYTES) {
			buffer_append_byte(out, '.');
			element_escape(
				(struct slice){word, (size_t)(at - word)}, out);
		}
		while (at < end && is_space(*at))
			at++;
	}
}

static void element_append_step(const struct page *page, uint32_t node,
				struct buffer *out)
{
	size_t begin = out->size;
	struct slice id = page_attribute(page, node, "id");
	struct slice classes = page_attribute(page, node, "class");

	assert(node < page->node_count);
	element_escape(page_tag_name(page, page->nodes[node].tag), out);
	if (id.size > 0 && id.size < MAX_STEP_BYTES) {
		buffer_append_byte(out, '#');
		element_escape(id, out);
	}
	if (classes.size > 0)
		element_append_classes(classes, begin, out);
}

void element_path(const struct page *page, uint32_t node, struct buffer *out)
{
	uint32_t steps[MAX_STEPS];
	size_t count = 0;

	for (uint32_t n = node; n != NO_NODE && count < MAX_STEPS;
	     n = page->nodes[n].parent)
		steps[count++] = n;
	assert(count <= MAX_STEPS);
	while (count > 0) {
		element_append_step(page, steps[--count], out);
		if (count > 0)
			buffer_append_byte(out, '>');
	}
}

struct selector_scan {
	const char *at; /* position in the selector, which ends with a NUL */
	char *names;    /* memory for names: twice the size of the rest of the
			   selector, and one NUL for each name */
	const char *error; /* description of the error at `at`; NULL: no error
			      so far */
};

/*
 * A function that reads a part of the selector returns false in two cases. If
 * the text at `at` does not match, `at` is unchanged. If the text is invalid,
 * `error` is set and `at` is the position of the error.
 */

enum {
	MAX_DIGITS = 7, /* maximum number of digits of a number */
	MAX_ESCAPE_DIGITS = 6,
	LAST_CODE = 0x10FFFF,
	REPLACEMENT = 0xFFFD,
};

/* Set the error unless there is one already; return false. */
static bool scan_set_error(struct selector_scan *scan, const char *what)
{
	if (scan->error == NULL)
		scan->error = what;
	return false;
}

static void scan_skip_spaces(struct selector_scan *scan)
{
	while (is_space(*scan->at))
		scan->at++;
}

static bool scan_skip_byte(struct selector_scan *scan, char byte)
{
	if (*scan->at != byte)
		return false;
	scan->at++;
	return true;
}

/*
 * Skip `word` if it follows, in upper or lower case; `word` itself is in lower
 * case.
 */
static bool scan_skip_word(struct selector_scan *scan, const char *word)
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

/* Return whether a name begins at the current position. */
static bool scan_is_name(const struct selector_scan *scan)
{
	const char *at = scan->at;

	if (*at == '-')
		at++;
	return is_escape(at) || (selector_byte_is_name(*at) && !is_digit(*at));
}

/*
 * Read an escape, which begins with the "\" at the current position (CSS Syntax
 * Level 3, section 4.3.7).
 */
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

/* End the name in scan->names with a NUL at `out`, and return it. */
static const char *scan_end_name(struct selector_scan *scan, char *out)
{
	const char *name = scan->names;

	*out = '\0';
	scan->names = out + 1;
	return name;
}

/*
 * Read a name and decode its escapes. If none exists, set the error and return
 * NULL.
 */
static const char *scan_name(struct selector_scan *scan)
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

/* Read a name and convert its ASCII letters to lower case. */
static const char *scan_folded_name(struct selector_scan *scan)
{
	char *folded = scan->names;
	const char *name = scan_name(scan);

	for (; name != NULL && *folded != '\0'; folded++)
		*folded = lower(*folded);
	return name;
}

/*
 * Read a name or a quoted string. If none exists, set the error and return
 * NULL.
 */
static const char *scan_value(struct selector_scan *scan)
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

/* Read the offset after the "n"; it is 0 if it is missing. */
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

/*
 * Read a position such as "2n+1", "odd" or "3" (section 6.6.5.2). Set the error
 * if none exists.
 */
static bool scan_position(struct selector_scan *scan, int32_t *step_out,
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

/*
 * The last visited element at a depth of the tree, and the parts of the
 * selector that it matches. Each bit stands for a part; it is set if the
 * element matches this part, and other elements match all parts to its left.
 */
struct selector_level {
	uint64_t matched;
	uint64_t above;  /* parts that one of its ancestors matches */
	uint64_t before; /* parts that one of its preceding siblings matches */
	uint32_t parent;
	uint32_t index; /* number of the element among its siblings, from 1 */
};

struct matching {
	const struct page *page;
	const uint32_t *type_indices;  /* [node_count] number among the siblings
					  of the same type, from 1 */
	struct selector_level *levels; /* [depth of the page + 1] */
};

static bool selector_text_has_word(struct slice text, struct slice word)
{
	const char *at = text.data;
	const char *end = at + text.size;

	while (at < end) {
		const char *begin;

		while (at < end && is_space(*at))
			at++;
		begin = at;
		while (at < end && !is_space(*at))
			at++;
		if (slice_equal((struct slice){begin, (size_t)(at - begin)},
				word))
			return true;
	}
	return false;
}

static bool test_value(const struct test *test, struct slice value)
{
	struct slice wanted = test->value;
	bool has_room = wanted.size > 0 && value.size >= wanted.size;

	if (value.data == NULL)
		return false;
	switch (test->kind) {
	case TEST_EXISTS:
		return true;
	case TEST_EQUALS:
		return slice_equal(value, wanted);
	case TEST_WORD:
		return has_room && selector_text_has_word(value, wanted);
	case TEST_DASH:
		return value.size >= wanted.size &&
		       slice_equal((struct slice){value.data, wanted.size},
				   wanted) &&
		       (value.size == wanted.size ||
			((const char *)value.data)[wanted.size] == '-');
	case TEST_PREFIX:
		return has_room &&
		       slice_equal((struct slice){value.data, wanted.size},
				   wanted);
	case TEST_SUFFIX:
		return has_room &&
		       slice_equal((struct slice){(const char *)value.data +
							  value.size -
							  wanted.size,
						  wanted.size},
				   wanted);
	default:
		return has_room && memmem(value.data, value.size, wanted.data,
					  wanted.size) != NULL;
	}
}

static bool test_type(const struct test *test, const struct page *page,
		      uint16_t tag)
{
	if (test->tag < TAG_COUNT || tag < TAG_COUNT)
		return test->tag == tag;
	return slice_equal(page_tag_name(page, tag), slice_of(test->name));
}

/* Return whether index = step * n + offset for an integer n >= 0. */
static bool test_nth(const struct test *test, uint32_t index)
{
	int64_t distance = (int64_t)index - test->offset;

	if (test->step == 0)
		return distance == 0;
	return distance / test->step >= 0 && distance % test->step == 0;
}

static bool test_holds(const struct matching *matching, const struct test *test,
		       uint32_t node, uint32_t index)
{
	const struct page *page = matching->page;
	const uint32_t parent = page->nodes[node].parent;

	switch (test->kind) {
	case TEST_ANY:
		return true;
	case TEST_TYPE:
		return test_type(test, page, page->nodes[node].tag);
	case TEST_LAST_CHILD:
		return page->nodes[node].end ==
		       (parent == NO_NODE ? page->node_count
					  : page->nodes[parent].end);
	case TEST_NTH_CHILD:
		return test_nth(test, index);
	case TEST_NTH_OF_TYPE:
		return test_nth(test, matching->type_indices[node]);
	default:
		return test_value(test, page_attribute(page, node, test->name));
	}
}

static bool part_holds(const struct matching *matching,
		       const struct selector_part *part, uint32_t node,
		       uint32_t index)
{
	for (size_t i = 0; i < part->test_count; i++)
		if (test_holds(matching, &part->tests[i], node, index) ==
		    part->tests[i].is_negated)
			return false;
	return true;
}

/*
 * Return the parts that a node may match because of its ancestors and preceding
 * siblings.
 */
static uint64_t open_parts(const struct selector *selector,
			   const struct selector_level *here, uint64_t parent,
			   uint64_t previous)
{
	uint64_t open = 0;

	for (size_t i = 0; i < selector->part_count; i++) {
		uint64_t bit = UINT64_C(1) << i;
		uint64_t left = bit >> 1;
		bool is_open = true;

		switch (selector->parts[i].combinator) {
		case COMBINE_NONE:
			break;
		case COMBINE_DESCENDANT:
			is_open = (here->above & left) != 0;
			break;
		case COMBINE_CHILD:
			is_open = (parent & left) != 0;
			break;
		case COMBINE_NEXT:
			is_open = (previous & left) != 0;
			break;
		case COMBINE_LATER:
			is_open = (here->before & left) != 0;
			break;
		}
		if (is_open)
			open |= bit;
	}
	return open;
}

/*
 * Match the next node in document order, and return the bits of the parts that
 * it matches.
 */
static uint64_t match_node(const struct matching *matching,
			   const struct selector *selector, uint32_t node)
{
	static const struct selector_level outside = {0};
	const struct node *element = &matching->page->nodes[node];
	struct selector_level *here = &matching->levels[element->depth];
	const struct selector_level *parent =
		element->depth == 0 ? &outside : here - 1;
	uint64_t previous = here->matched;
	uint64_t open;

	if (here->index == 0 || here->parent != element->parent) {
		*here = (struct selector_level){.parent = element->parent};
		previous = 0;
	}
	here->index++;
	here->before |= previous;
	here->above = parent->above | parent->matched;
	here->matched = 0;
	open = open_parts(selector, here, parent->matched, previous);
	for (size_t i = 0; open != 0; i++, open >>= 1)
		if ((open & 1) != 0 && part_holds(matching, &selector->parts[i],
						  node, here->index))
			here->matched |= UINT64_C(1) << i;
	return here->matched;
}

/*
 * Number the children of `parent`, separately for each type. `counts` has one
 * entry for each type; all must be 0, and are 0 again afterwards. Linear for
 * all parents together.
 */
static void count_children(const struct page *page, uint32_t parent,
			   uint32_t *counts, uint32_t *indices)
{
	bool is_root = parent == NO_NODE;
	uint32_t begin = is_root ? 0 : parent + 1;
	uint32_t end = is_root ? page->node_count : page->nodes[parent].end;

	for (uint32_t n = begin; n < end; n = page->nodes[n].end)
		indices[n] = ++counts[page->nodes[n].tag];
	for (uint32_t n = begin; n < end; n = page->nodes[n].end)
		counts[page->nodes[n].tag] = 0;
}

static const uint32_t *count_types(struct arena *arena, const struct page *page)
{
	uint32_t *indices = ARENA_NEW(arena, uint32_t, page->node_count);
	uint32_t *counts =
		ARENA_NEW(arena, uint32_t, TAG_COUNT + page->unknown_tag_count);

	count_children(page, NO_NODE, counts, indices);
	for (uint32_t i = 0; i < page->node_count; i++)
		count_children(page, i, counts, indices);
	return indices;
}

const bool *selector_match(const struct selector *selector,
			   const struct page *page, struct arena *arena)
{
	struct matching matching = {.page = page};
	bool *is_selected = ARENA_NEW(arena, bool, page->node_count);
	unsigned depth = 0;

	for (uint32_t i = 0; i < page->node_count; i++)
		if (page->nodes[i].depth > depth)
			depth = page->nodes[i].depth;
	matching.levels = ARENA_NEW(arena, struct selector_level, depth + 1);
	matching.type_indices = count_types(arena, page);
	for (uint32_t i = 0; i < page->node_count; i++)
		is_selected[i] = (match_node(&matching, selector, i) &
				  selector->last) != 0;
	return is_selected;
}

enum { MAX_ERROR = 256 };

struct compiler {
	struct selector_scan scan;
	struct selector *selector;
	/* memory for as many tests as the selector has bytes */
	struct test *tests;
	size_t test_count;
};

/* Read a class or id; the position is after the "." or "#". */
static bool selector_read_value(struct selector_scan *scan, const char *name,
				enum test_kind kind, struct test *test)
{
	test->kind = kind;
	test->name = name;
	test->value = slice_of(scan_name(scan));
	return test->value.data != NULL;
}

static enum test_kind selector_read_operator(struct selector_scan *scan)
{
	static const struct {
		const char *text;
		enum test_kind kind;
	} operators[] = {
		{"=", TEST_EQUALS},  {"~=", TEST_WORD},   {"|=", TEST_DASH},
		{"^=", TEST_PREFIX}, {"$=", TEST_SUFFIX}, {"*=", TEST_PART},
	};

	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (scan_skip_word(scan, operators[i].text))
			return operators[i].kind;
	return TEST_EXISTS;
}

/* Read the test of an attribute; the position is after the "[". */
static bool selector_read_attribute(struct selector_scan *scan,
				    struct test *test)
{
	scan_skip_spaces(scan);
	test->name = scan_folded_name(scan);
	if (test->name == NULL)
		return false;
	scan_skip_spaces(scan);
	test->kind = selector_read_operator(scan);
	if (test->kind != TEST_EXISTS) {
		scan_skip_spaces(scan);
		test->value = slice_of(scan_value(scan));
		if (test->value.data == NULL)
			return false;
		scan_skip_spaces(scan);
	}
	return scan_skip_byte(scan, ']') ||
	       scan_set_error(scan, "an operator with a value, or \"]\", is "
				    "missing");
}

/* Read a pseudo-class; the position is after the ":". */
static bool selector_read_pseudo(struct selector_scan *scan, struct test *test)
{
	static const struct {
		const char *text;
		struct test test;
	} words[] = {
		{"first-child", {.kind = TEST_NTH_CHILD, .offset = 1}},
		{"last-child", {.kind = TEST_LAST_CHILD}},
		{"first-of-type", {.kind = TEST_NTH_OF_TYPE, .offset = 1}},
		{"nth-child(", {.kind = TEST_NTH_CHILD}},
		{"nth-of-type(", {.kind = TEST_NTH_OF_TYPE}},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!scan_skip_word(scan, words[i].text))
			continue;
		*test = words[i].test;
		if (scan->at[-1] != '(')
			return true;
		scan_skip_spaces(scan);
		if (!scan_position(scan, &test->step, &test->offset))
			return false;
		scan_skip_spaces(scan);
		return scan_skip_byte(scan, ')') ||
		       scan_set_error(scan, "\")\" is missing");
	}
	return scan_set_error(
		scan, "not one of first-child, last-child, first-of-type, "
		      "nth-child(...), nth-of-type(...), not(...)");
}

static bool selector_read_simple(struct selector_scan *scan, struct test *test)
{
	if (scan_skip_byte(scan, '*'))
		return true; /* the test is TEST_ANY */
	if (scan_skip_byte(scan, '.'))
		return selector_read_value(scan, "class", TEST_WORD, test);
	if (scan_skip_byte(scan, '#'))
		return selector_read_value(scan, "id", TEST_EQUALS, test);
	if (scan_skip_byte(scan, '['))
		return selector_read_attribute(scan, test);
	if (scan_skip_byte(scan, ':'))
		return selector_read_pseudo(scan, test);
	test->kind = TEST_TYPE;
	test->name = scan_folded_name(scan);
	if (test->name != NULL)
		test->tag = tag_from_name(slice_of(test->name));
	return test->name != NULL;
}

static bool selector_read_negation(struct selector_scan *scan,
				   struct test *test)
{
	scan_skip_spaces(scan);
	if (!selector_read_simple(scan, test))
		return false;
	test->is_negated = true;
	scan_skip_spaces(scan);
	return scan_skip_byte(scan, ')') ||
	       scan_set_error(scan, "\")\" is missing: :not() takes one simple "
				    "selector");
}

/*
 * Return whether a simple selector begins at the current position. A type or *
 * is allowed only as the first one of a compound selector.
 */
static bool is_simple(const struct selector_scan *scan, bool is_first)
{
	return (*scan->at != '\0' && strchr(".#[:", *scan->at) != NULL) ||
	       (is_first && (*scan->at == '*' || scan_is_name(scan)));
}

static bool selector_read_part(struct compiler *compiler,
			       enum combinator combinator)
{
	struct selector *selector = compiler->selector;
	struct selector_scan *scan = &compiler->scan;
	struct selector_part *part = &selector->parts[selector->part_count];

	if (!is_simple(scan, true))
		return scan_set_error(scan, "a selector is missing");
	if (selector->part_count == MAX_SELECTOR_PARTS)
		return scan_set_error(scan, "too many parts");
	*part = (struct selector_part){
		combinator, &compiler->tests[compiler->test_count], 0};
	while (is_simple(scan, part->test_count == 0)) {
		struct test test = {.kind = TEST_ANY};
		bool is_right = scan_skip_word(scan, ":not(")
					? selector_read_negation(scan, &test)
					: selector_read_simple(scan, &test);

		if (!is_right)
			return false;
		compiler->tests[compiler->test_count++] = test;
		part->test_count++;
	}
	selector->part_count++;
	return true;
}

/*
 * Read a combinator. Return COMBINE_NONE at the end of the selector, and after
 * an error.
 */
static enum combinator selector_read_combinator(struct selector_scan *scan)
{
	const char *begin = scan->at;
	enum combinator combinator = COMBINE_NONE;

	scan_skip_spaces(scan);
	if (scan_skip_byte(scan, '>'))
		combinator = COMBINE_CHILD;
	else if (scan_skip_byte(scan, '+'))
		combinator = COMBINE_NEXT;
	else if (scan_skip_byte(scan, '~'))
		combinator = COMBINE_LATER;
	else if (scan->at > begin && *scan->at != ',' && *scan->at != '\0')
		return COMBINE_DESCENDANT;
	scan_skip_spaces(scan);
	return combinator;
}

static bool selector_read_list(struct compiler *compiler)
{
	struct selector *selector = compiler->selector;
	struct selector_scan *scan = &compiler->scan;

	do {
		enum combinator combinator = COMBINE_NONE;

		scan_skip_spaces(scan);
		do {
			if (!selector_read_part(compiler, combinator))
				return false;
			combinator = selector_read_combinator(scan);
		} while (combinator != COMBINE_NONE);
		selector->last |= UINT64_C(1) << (selector->part_count - 1);
	} while (scan_skip_byte(scan, ','));
	return *scan->at == '\0' || scan_set_error(scan, "not understood");
}

void selector_write_error(const char *text, const char *at, const char *what,
			  char *error_out)
{
	if (*at == '\0')
		snprintf(error_out, MAX_ERROR, "at the end: %s", what);
	else
		snprintf(error_out, MAX_ERROR, "at byte %d: %s",
			 (int)(at - text) + 1, what);
}

const struct selector *selector_compile(struct arena *arena, const char *text,
					char *error_out)
{
	size_t size = strlen(text);
	struct compiler compiler = {.scan = {.at = text}};

	if (size > MAX_SELECTOR_BYTES) {
		snprintf(error_out, MAX_ERROR, "longer than %d bytes",
			 MAX_SELECTOR_BYTES);
		return NULL;
	}
	compiler.scan.names = ARENA_NEW(arena, char, 3 * size + 1);
	compiler.selector = ARENA_NEW(arena, struct selector, 1);
	compiler.tests = ARENA_NEW(arena, struct test, size + 1);
	if (selector_read_list(&compiler))
		return compiler.selector;
	selector_write_error(text, compiler.scan.at, compiler.scan.error,
			     error_out);
	return NULL;
}
