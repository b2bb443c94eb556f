/* Compiles a selector: Selectors Level 3, section 10 (grammar). */
#include "page/selector.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "page/selector_parts.h"
#include "page/selector_scan.h"
#include "page/tag.h"

enum { MAX_ERROR = 256 };

struct compiler {
	struct selector_scan scan;
	struct selector *selector;
	struct test *tests; /* room for one per byte of the text */
	size_t test_count;
};

static bool selector_read_type(struct selector_scan *scan, struct test *test)
{
	test->kind = TEST_TYPE;
	test->name = scan_folded_name(scan);
	if (test->name == NULL)
		return false;
	test->tag = tag_from_name(slice_of(test->name));
	return true;
}

/* Read a class or id, after the "." or "#". */
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

/* Read an attribute test, after the "[". */
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

/* Read a pseudo-class, after the ":". */
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
		return true; /* TEST_ANY */
	if (scan_skip_byte(scan, '.'))
		return selector_read_value(scan, "class", TEST_WORD, test);
	if (scan_skip_byte(scan, '#'))
		return selector_read_value(scan, "id", TEST_EQUALS, test);
	if (scan_skip_byte(scan, '['))
		return selector_read_attribute(scan, test);
	if (scan_skip_byte(scan, ':'))
		return selector_read_pseudo(scan, test);
	return selector_read_type(scan, test);
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
 * Return whether a simple selector begins here; a type or * must be the first.
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

/* Read a combinator. COMBINE_NONE at the end of the selector or on an error. */
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

static void selector_write_error(const struct selector_scan *scan,
				 const char *text, char *error_out)
{
	if (*scan->at == '\0')
		snprintf(error_out, MAX_ERROR, "at the end: %s", scan->error);
	else
		snprintf(error_out, MAX_ERROR, "at byte %d: %s",
			 (int)(scan->at - text) + 1, scan->error);
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
	selector_write_error(&compiler.scan, text, error_out);
	return NULL;
}
