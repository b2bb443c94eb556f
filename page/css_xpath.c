#include "page/css_xpath.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "page/attribute.h"
#include "page/selector_parts.h"

enum { MAX_ERROR = 256 };

/*
 * Return whether XPath can contain the name as a name; other names are compared
 * as strings.
 */
static bool xpath_name_is_plain(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

	return *name != '\0' && strchr(letters, *name) != NULL &&
	       name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_")] ==
		       '\0';
}

/*
 * Append a string. XPath 1.0 has no escapes: write a string with both kinds of
 * quotes with concat().
 */
static void append_literal(struct buffer *out, struct slice text)
{
	const char *at = text.data;
	const char *end = at + text.size;

	if (memchr(text.data, '\'', text.size) == NULL) {
		buffer_append_byte(out, '\'');
		buffer_append_slice(out, text);
		buffer_append_byte(out, '\'');
		return;
	}
	buffer_append_text(out, "concat(''");
	while (at < end) {
		char quote = *at == '\'' ? '"' : '\'';
		const char *stop = at;

		while (stop < end && (*stop == '\'') == (quote == '"'))
			stop++;
		buffer_printf(out, ",%c", quote);
		buffer_append(out, at, (size_t)(stop - at));
		buffer_append_byte(out, quote);
		at = stop;
	}
	buffer_append_byte(out, ')');
}

/* Append "self::p", or for other axes "preceding-sibling::p". */
static void append_type(struct buffer *out, const char *axis, const char *name)
{
	if (xpath_name_is_plain(name)) {
		buffer_printf(out, "%s%s", axis, name);
		return;
	}
	buffer_printf(out, "%s*[name()=", axis);
	append_literal(out, slice_of(name));
	buffer_append_byte(out, ']');
}

static void append_attribute(struct buffer *out, const char *name)
{
	append_type(out, "@", name);
}

/* Append a call with the attribute and a literal: "contains(@a,'v')". */
static void append_call(struct buffer *out, const char *function,
			const struct test *test)
{
	buffer_printf(out, "%s(", function);
	append_attribute(out, test->name);
	buffer_append_byte(out, ',');
	append_literal(out, test->value);
	buffer_append_byte(out, ')');
}

static bool css_value_is_word(struct slice value)
{
	const char *bytes = value.data;

	for (size_t i = 0; i < value.size; i++)
		if (is_space(bytes[i]))
			return false;
	return value.size > 0;
}

static void append_word(struct buffer *out, const struct test *test)
{
	struct buffer padded = {0};

	buffer_append_byte(&padded, ' ');
	buffer_append_slice(&padded, test->value);
	buffer_append_byte(&padded, ' ');
	buffer_append_text(out, "contains(concat(' ',normalize-space(");
	append_attribute(out, test->name);
	buffer_append_text(out, "),' '),");
	append_literal(out, buffer_slice(&padded));
	buffer_append_byte(out, ')');
	buffer_free(&padded);
}

static void append_equals(struct buffer *out, const struct test *test)
{
	append_attribute(out, test->name);
	buffer_append_byte(out, '=');
	append_literal(out, test->value);
}

static void append_dash(struct buffer *out, const struct test *test)
{
	struct buffer dashed = {0};
	struct test prefix = *test;

	buffer_append_slice(&dashed, test->value);
	buffer_append_byte(&dashed, '-');
	prefix.value = buffer_slice(&dashed);
	buffer_append_byte(out, '(');
	append_equals(out, test);
	buffer_append_text(out, " or ");
	append_call(out, "starts-with", &prefix);
	buffer_append_byte(out, ')');
	buffer_free(&dashed);
}

/*
 * Append a test whether the attribute ends with the value. The comparison is
 * false for an attribute that is shorter than the value.
 */
static void append_suffix(struct buffer *out, const struct test *test)
{
	buffer_append_text(out, "substring(");
	append_attribute(out, test->name);
	buffer_append_text(out, ",string-length(");
	append_attribute(out, test->name);
	buffer_append_text(out, ")-string-length(");
	append_literal(out, test->value);
	buffer_append_text(out, ")+1)=");
	append_literal(out, test->value);
}

/*
 * Append a test of the position among the siblings on `axis`: step * n + offset
 * for an n >= 0. XPath's mod has the sign of the dividend.
 */
static void css_append_position(struct buffer *out, const char *siblings,
				const struct test *test)
{
	long before = (long)test->offset - 1; /* number of preceding siblings */
	long step = test->step;

	if (step == 0 && before < 0)
		buffer_append_text(out, "false()");
	else if (step == 0 && before == 0)
		buffer_printf(out, "not(%s)", siblings);
	else if (step == 0) /* a predicate that stops early, unlike count() */
		buffer_printf(out, "%s[%ld] and not(%s[%ld])", siblings, before,
			      siblings, before + 1);
	else if (step > 0)
		buffer_printf(out,
			      "count(%s)>=%ld and (count(%s)-(%ld)) mod %ld=0",
			      siblings, before, siblings, before, step);
	else
		buffer_printf(out,
			      "count(%s)<=%ld and (%ld-count(%s)) mod %ld=0",
			      siblings, before, before, siblings, -step);
}

static void append_nth(struct buffer *out, const char *name,
		       const struct test *test)
{
	struct buffer siblings = {0};

	if (name == NULL)
		buffer_append_text(&siblings, "preceding-sibling::*");
	else
		append_type(&siblings, "preceding-sibling::", name);
	css_append_position(out, siblings.data, test);
	buffer_free(&siblings);
}

/* `type` is the tag name in the same compound selector, or NULL. */
static void append_test(struct buffer *out, const char *type,
			const struct test *test)
{
	switch (test->kind) {
	case TEST_ANY:
		buffer_append_text(out, "true()");
		break;
	case TEST_TYPE:
		append_type(out, "self::", test->name);
		break;
	case TEST_EXISTS:
		append_attribute(out, test->name);
		break;
	case TEST_EQUALS:
		append_equals(out, test);
		break;
	case TEST_WORD:
		if (css_value_is_word(test->value))
			append_word(out, test);
		else
			buffer_append_text(out, "false()");
		break;
	case TEST_DASH:
		append_dash(out, test);
		break;
	case TEST_PREFIX:
	case TEST_PART:
		if (test->value.size > 0)
			append_call(out,
				    test->kind == TEST_PART ? "contains"
							    : "starts-with",
				    test);
		else
			buffer_append_text(out, "false()");
		break;
	case TEST_SUFFIX:
		if (test->value.size > 0)
			append_suffix(out, test);
		else
			buffer_append_text(out, "false()");
		break;
	case TEST_LAST_CHILD:
		buffer_append_text(out, "not(following-sibling::*)");
		break;
	case TEST_NTH_CHILD:
		append_nth(out, NULL, test);
		break;
	case TEST_NTH_OF_TYPE:
		append_nth(out, type, test);
		break;
	}
}

/* Return the tag name that the part requires, or NULL. */
static const char *css_part_type(const struct selector_part *part)
{
	for (size_t i = 0; i < part->test_count; i++)
		if (part->tests[i].kind == TEST_TYPE &&
		    !part->tests[i].is_negated)
			return part->tests[i].name;
	return NULL;
}

static bool css_append_part(struct buffer *out,
			    const struct selector_part *part)
{
	static const char *const steps[] = {
		[COMBINE_NONE] = "//",
		[COMBINE_DESCENDANT] = "//",
		[COMBINE_CHILD] = "/",
		[COMBINE_NEXT] = "/following-sibling::*[1]",
		[COMBINE_LATER] = "/following-sibling::",
	};
	const char *type = css_part_type(part);
	bool is_next = part->combinator == COMBINE_NEXT;

	if (type == NULL && !is_next)
		buffer_printf(out, "%s*", steps[part->combinator]);
	else if (type == NULL)
		buffer_append_text(out, steps[part->combinator]);
	else if (is_next)
		buffer_printf(out, "%s[", steps[part->combinator]);
	if (type != NULL)
		append_type(out, is_next ? "self::" : steps[part->combinator],
			    type);
	if (type != NULL && is_next)
		buffer_append_byte(out, ']');
	for (size_t i = 0; i < part->test_count; i++) {
		const struct test *test = &part->tests[i];

		if (test->kind == TEST_NTH_OF_TYPE && type == NULL)
			return false;
		if (!test->is_negated &&
		    (test->kind == TEST_TYPE || test->kind == TEST_ANY))
			continue;
		buffer_append_text(out, test->is_negated ? "[not(" : "[");
		append_test(out, type, test);
		buffer_append_text(out, test->is_negated ? ")]" : "]");
	}
	return true;
}

const char *css_xpath(struct arena *arena, const char *text, char *error_out)
{
	const struct selector *selector =
		selector_compile(arena, text, error_out);
	struct buffer out = {0};
	const char *result = NULL;
	bool is_right = selector != NULL;

	for (size_t i = 0; is_right && i < selector->part_count; i++) {
		if (i > 0 && selector->parts[i].combinator == COMBINE_NONE)
			buffer_append_text(&out, " | ");
		is_right = css_append_part(&out, &selector->parts[i]);
	}
	if (is_right)
		result = arena_copy(arena, out.data, out.size);
	else if (selector != NULL)
		snprintf(error_out, MAX_ERROR,
			 "first-of-type and nth-of-type(...) need a tag name "
			 "before them, as in p:nth-of-type(2)");
	buffer_free(&out);
	return result;
}
