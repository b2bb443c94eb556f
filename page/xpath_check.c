/* Checks an expression and reports errors in words: XPath 1.0, section 3.7. */
#include "page/xpath.h"

#include <stdio.h>
#include <string.h>

#include <libxml/xpath.h>

#include "page/attribute.h"
#include "page/xpath_tree.h"

enum {
	MAX_ERROR = 256,
	MAX_COMMAS =
		32, /* the time of concat() is quadratic in its arguments */
	CHECK_STEPS = 10000,
};

/* Words that may precede "(": functions, node types, operators. */
static const char *const callable[] = {
	"last",
	"position",
	"count",
	"id",
	"local-name",
	"namespace-uri",
	"name",
	"string",
	"concat",
	"starts-with",
	"contains",
	"substring-before",
	"substring-after",
	"substring",
	"string-length",
	"normalize-space",
	"translate",
	"boolean",
	"not",
	"true",
	"false",
	"lang",
	"number",
	"sum",
	"floor",
	"ceiling",
	"round",
	"comment",
	"text",
	"processing-instruction",
	"node",
	"and",
	"or",
	"mod",
	"div",
};

static bool xpath_byte_is_name(char byte)
{
	return is_letter(byte) || (byte >= '0' && byte <= '9') || byte == '-' ||
	       byte == '_' || byte == '.' || (unsigned char)byte >= 0x80;
}

static bool is_callable(const char *name, size_t size)
{
	for (size_t i = 0; i < sizeof(callable) / sizeof(*callable); i++)
		if (strlen(callable[i]) == size &&
		    memcmp(callable[i], name, size) == 0)
			return true;
	return false;
}

static bool xpath_write_error(const char *text, const char *at,
			      const char *what, char *error_out)
{
	if (*at == '\0')
		snprintf(error_out, MAX_ERROR, "at the end: %s", what);
	else
		snprintf(error_out, MAX_ERROR, "at byte %d: %s",
			 (int)(at - text) + 1, what);
	return false;
}

static const char *behind_blanks(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

/*
 * Return whether the second and third argument of translate() are string
 * literals: its time is the product of the lengths of its first two arguments.
 * `at` is after the "(".
 */
static bool has_short_words(const char *at)
{
	int depth = 0;

	for (; *at != '\0'; at++) {
		if (*at == '\'' || *at == '"') {
			at = strchr(at + 1, *at);
			if (at == NULL)
				return false;
		} else if (*at == '(' || *at == '[') {
			depth++;
		} else if (depth > 0 && (*at == ')' || *at == ']')) {
			depth--;
		} else if (depth == 0 && *at == ',') {
			break;
		}
	}
	if (*at == '\0')
		return false;
	at = behind_blanks(at + 1);
	if (*at != '\'' && *at != '"')
		return false;
	at = strchr(at + 1, *at);
	return at != NULL && *behind_blanks(at + 1) == ',';
}

/* Read the name at *at and move *at after it. */
static bool xpath_read_name(const char *text, const char **at, char *error_out)
{
	const char *name = *at;
	const char *end = name;
	const char *next;

	while (xpath_byte_is_name(*end))
		end++;
	next = behind_blanks(end);
	*at = end;
	if (*next == '(' && !is_callable(name, (size_t)(end - name)))
		return xpath_write_error(text, name, "unknown function",
					 error_out);
	if (*next == '(' && end - name == sizeof("translate") - 1 &&
	    memcmp(name, "translate", sizeof("translate") - 1) == 0 &&
	    !has_short_words(next + 1))
		return xpath_write_error(
			text, name,
			"its second argument must be a string literal",
			error_out);
	if (end[0] == ':' && end[1] != ':')
		return xpath_write_error(
			text, end,
			"namespaces are not supported; name()='a:b' "
			"compares such a name",
			error_out);
	return true;
}

/*
 * Return whether all names are known. libxml2 reports unknown names only during
 * evaluation, if at all.
 */
static bool has_known_names(const char *text, char *error_out)
{
	const char *at = text;
	int commas = 0;

	while (*at != '\0') {
		const char *end;

		if (*at == '\'' || *at == '"') {
			end = strchr(at + 1, *at);
			if (end == NULL)
				return xpath_write_error(
					text, at, "the quote is not closed",
					error_out);
			at = end + 1;
		} else if (*at == '$') {
			return xpath_write_error(text, at,
						 "variables are not supported",
						 error_out);
		} else if (xpath_byte_is_name(*at)) {
			if (!xpath_read_name(text, &at, error_out))
				return false;
		} else if (*at++ == ',' && ++commas > MAX_COMMAS) {
			return xpath_write_error(
				text, at - 1, "too many arguments", error_out);
		}
	}
	return true;
}

static const char *xpath_error_text(int code)
{
	switch (code - XML_XPATH_EXPRESSION_OK) {
	case XPATH_NUMBER_ERROR:
		return "not a number";
	case XPATH_INVALID_PREDICATE_ERROR:
		return "a predicate is wrong, or not closed by \"]\"";
	case XPATH_UNCLOSED_ERROR:
		return "\")\" is missing";
	case XPATH_INVALID_OPERAND:
	case XPATH_INVALID_TYPE:
		return "a value has the wrong type";
	case XPATH_INVALID_ARITY:
		return "a function has too few or too many arguments";
	case XPATH_INVALID_CHAR_ERROR:
	case XPATH_ENCODING_ERROR:
		return "not UTF-8";
	case XPATH_RECURSION_LIMIT_EXCEEDED:
		return "nested too deeply";
	default:
		return "not understood";
	}
}

bool xpath_check(const char *text, char *error_out)
{
	xmlXPathContextPtr context;
	xmlXPathObjectPtr object;
	xmlDocPtr document;
	bool is_right;

	if (strlen(text) > MAX_XPATH_BYTES) {
		snprintf(error_out, MAX_ERROR, "longer than %d bytes",
			 MAX_XPATH_BYTES);
		return false;
	}
	if (!has_known_names(text, error_out))
		return false;
	document = xmlNewDoc(NULL);
	context = xpath_context(document, CHECK_STEPS);
	object = xmlXPathEval((const xmlChar *)text, context);
	is_right = object != NULL || context->opCount >= context->opLimit;
	if (!is_right)
		xpath_write_error(
			text,
			text + strnlen(text, (size_t)context->lastError.int1),
			xpath_error_text(context->lastError.code), error_out);
	xmlXPathFreeObject(object);
	xmlXPathFreeContext(context);
	xmlFreeDoc(document);
	return is_right;
}
