#include "page/xpath.h"

#include <assert.h>
#include <libxml/HTMLtree.h>
#include <libxml/tree.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "page/page.h"
#include "page/scanner.h"

enum { XPATH_MAX_ERROR = 256 };

/*
 * Return whether an XPath expression can contain the name directly. Other names
 * are compared as strings.
 */
static bool xpath_name_is_plain(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

	return *name != '\0' && strchr(letters, *name) != NULL &&
	       name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_")] ==
		       '\0';
}

/*
 * Append a string literal. XPath 1.0 has no escapes, so a string that contains
 * both kinds of quotes is written by concat().
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

/*
 * Append a test of the type: "self::p" or, for another axis,
 * "preceding-sibling::p".
 */
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

/*
 * Append a function call with the attribute and the value of the test:
 * "contains(@a,'v')".
 */
static void append_call(struct buffer *out, const char *function,
			const struct test *test)
{
	buffer_printf(out, "%s(", function);
	append_attribute(out, test->name);
	buffer_append_byte(out, ',');
	append_literal(out, test->value);
	buffer_append_byte(out, ')');
}

/* Return whether no attribute can pass the test. */
static bool css_test_is_false(const struct test *test)
{
	const char *bytes = test->value.data;

	for (size_t i = 0; test->kind == TEST_WORD && i < test->value.size; i++)
		if (is_space(bytes[i]))
			return true;
	return test->value.size == 0 &&
	       (test->kind == TEST_WORD || test->kind == TEST_PREFIX ||
		test->kind == TEST_SUFFIX || test->kind == TEST_PART);
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
 * Append a test whether the attribute ends with the value. It is false if the
 * attribute is shorter than the value.
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
 * Append a test whether the number of an element among its siblings is step * n
 * + offset for an n >= 0. `siblings` is an expression for its preceding
 * siblings. The result of XPath's mod has the sign of the dividend.
 */
static void css_append_position(struct buffer *out, const char *siblings,
				const struct test *test)
{
	long before = (long)test->offset -
		      1; /* required number of preceding siblings; with a step,
			    the first one */
	long step = test->step;

	if (step == 0 && before < 0)
		buffer_append_text(out, "false()");
	else if (step == 0 && before == 0)
		buffer_printf(out, "not(%s)", siblings);
	else if (step == 0) /* unlike count(), such a predicate stops early */
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

/*
 * Append the XPath of a test. `type` is the tag name in the same compound
 * selector, or NULL.
 */
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
		append_word(out, test);
		break;
	case TEST_DASH:
		append_dash(out, test);
		break;
	case TEST_PREFIX:
		append_call(out, "starts-with", test);
		break;
	case TEST_PART:
		append_call(out, "contains", test);
		break;
	case TEST_SUFFIX:
		append_suffix(out, test);
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

/*
 * Return the tag name that a compound selector requires; NULL if it requires
 * none.
 */
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
		if (css_test_is_false(test))
			buffer_append_text(out, "false()");
		else
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
		snprintf(error_out, XPATH_MAX_ERROR,
			 "first-of-type and nth-of-type(...) need a tag name "
			 "before them, as in p:nth-of-type(2)");
	buffer_free(&out);
	return result;
}

struct xpath_tree {
	const struct page *page;
	xmlDocPtr document; /* _private of its elements and texts points into
			       `nodes` */
	uint32_t *nodes; /* [elements and texts] by serial number: the node of
			    the page; for a text, its element */
	size_t text_bytes;
	xmlXPathContextPtr volatile running; /* the context of the evaluation
						that is running, or NULL */
};

/*
 * Builds the tree for libxml2. It reads the tokens of the source again, because
 * only these contain the white space between tags.
 */

struct xpath_builder {
	struct xpath_tree *tree;
	const struct page *page;
	xmlNodePtr *elements; /* [node_count], the elements that exist so far */
	struct buffer
		scratch;    /* memory for strings that need a NUL at the end */
	struct buffer text; /* text that belongs to text_parent and was not
			       added yet */
	uint32_t text_parent;
	uint32_t serial; /* number of elements and texts that exist so far */
	uint32_t texts_left; /* number of texts that can still be added */
	uint32_t next_node;
	uint32_t next_text;
	uint32_t current; /* the innermost element at the current position */
	struct scanner scanner;
};

/*
 * Return the serial number of a node in document order; of an attribute, that
 * of its element; 0 for the document.
 */
static uintptr_t xpath_order_of(const xmlNode *node)
{
	if (node->type == XML_ATTRIBUTE_NODE)
		node = node->parent;
	return (uintptr_t)node->_private;
}

/*
 * Return the node of the page that belongs to a node of libxml2; NO_NODE if
 * none exists.
 */
static uint32_t xpath_node_of(const xmlNode *node)
{
	if (node->type == XML_ATTRIBUTE_NODE)
		node = node->parent;
	return node->_private == NULL ? NO_NODE
				      : *(const uint32_t *)node->_private;
}

/*
 * Return a copy of the text with a NUL at its end; it is valid until the next
 * call.
 */
static const xmlChar *xpath_terminate_text(struct xpath_builder *planting,
					   struct slice text)
{
	buffer_clear(&planting->scratch);
	buffer_append_slice(&planting->scratch, text);
	buffer_append_byte(&planting->scratch, '\0');
	return (const xmlChar *)planting->scratch.data;
}

/*
 * Append a child. xmlAddChild() is not used, because it joins texts in
 * quadratic time.
 */
static void append_child(struct xpath_builder *planting, uint32_t parent,
			 uint32_t node, xmlNodePtr child)
{
	xmlNodePtr owner = parent == NO_NODE
				   ? (xmlNodePtr)planting->tree->document
				   : planting->elements[parent];

	assert(parent == NO_NODE || planting->elements[parent] != NULL);
	child->parent = owner;
	child->doc = planting->tree->document;
	child->prev = owner->last;
	if (owner->last == NULL)
		owner->children = child;
	else
		owner->last->next = child;
	owner->last = child;
	planting->tree->nodes[planting->serial] = node;
	child->_private = &planting->tree->nodes[planting->serial++];
}

/*
 * Append the collected text as one node, because in XPath two texts are never
 * neighbours.
 */
static void flush_text(struct xpath_builder *planting)
{
	struct slice text = buffer_slice(&planting->text);
	xmlNodePtr made;

	if (text.size == 0 || planting->texts_left == 0)
		return;
	assert(planting->text_parent != NO_NODE);
	planting->texts_left--;
	made = xmlNewTextLen(text.data, (int)text.size);
	if (made == NULL)
		mem_exhausted("libxml2");
	append_child(planting, planting->text_parent, planting->text_parent,
		     made);
	buffer_clear(&planting->text);
}

static void xpath_add_attributes(struct xpath_builder *planting, uint32_t node)
{
	const struct node *element = &planting->page->nodes[node];

	for (uint32_t i = 0; i < element->attribute_count; i++) {
		const struct attribute *attribute =
			&planting->page
				 ->attributes[element->first_attribute + i];
		char *name = mem_copy_text(attribute->name.data,
					   attribute->name.size);
		const xmlChar *value =
			xpath_terminate_text(planting, attribute->value);

		/* a form feed is white space in HTML but not in XML */
		for (char *c = planting->scratch.data; *c != '\0'; c++)
			if (*c == '\f')
				*c = ' ';
		xmlNewProp(planting->elements[node], (const xmlChar *)name,
			   value);
		free(name);
	}
}

static void xpath_add_element(struct xpath_builder *planting)
{
	uint32_t node = planting->next_node++;
	const struct node *element = &planting->page->nodes[node];
	struct slice name = page_tag_name(planting->page, element->tag);
	xmlNodePtr made =
		xmlNewDocNode(planting->tree->document, NULL,
			      xpath_terminate_text(planting, name), NULL);

	assert(node < planting->page->node_count);
	if (made == NULL)
		mem_exhausted("libxml2");
	flush_text(planting);
	planting->elements[node] = made;
	append_child(planting, element->parent, node, made);
	xpath_add_attributes(planting, node);
	planting->current = node;
}

static void xpath_add_text(struct xpath_builder *planting, uint32_t parent,
			   struct slice text)
{
	if (parent == NO_NODE)
		return;
	if (parent != planting->text_parent)
		flush_text(planting);
	assert(parent < planting->page->node_count);
	planting->text_parent = parent;
	buffer_append_slice(&planting->text, text);
	planting->tree->text_bytes += text.size;
}

/*
 * Return the innermost element that contains this position of the source. The
 * position must be after all nodes that exist so far.
 */
static uint32_t xpath_innermost_node(struct xpath_builder *planting,
				     uint32_t position)
{
	const struct node *nodes = planting->page->nodes;
	uint32_t node = planting->current;

	while (node != NO_NODE && nodes[node].source.end <= position)
		node = nodes[node].parent;
	planting->current = node;
	return node;
}

/*
 * Add a token that is not a text of the page: white space, a script or a style.
 */
static void xpath_add_token(struct xpath_builder *planting,
			    const struct token *token)
{
	const struct page *page = planting->page;
	const struct span source = token->source;
	const struct slice raw = {(const char *)page->source.data +
					  source.begin,
				  source.end - source.begin};

	if (token->kind == TOKEN_TEXT)
		xpath_add_text(planting,
			       xpath_innermost_node(planting, source.begin),
			       slice_of(" "));
	else if (token->kind == TOKEN_RAW)
		xpath_add_text(planting,
			       xpath_innermost_node(planting, source.begin),
			       raw);
}

/*
 * Add all tokens before the position `until` of the source. If the order of the
 * tree differs from the source, the scanner may already be after it.
 */
static void xpath_add_tokens(struct xpath_builder *planting, uint32_t until)
{
	struct token token;

	while (planting->scanner.position < until &&
	       scanner_next(&planting->scanner, &token))
		xpath_add_token(planting, &token);
}

static void add_page_text(struct xpath_builder *planting)
{
	const uint32_t index = planting->next_text++;
	const struct text *text = &planting->page->texts[index];

	xpath_add_tokens(planting, text->source.begin);
	xpath_add_text(planting, text->node, page_text(planting->page, index));
	planting->current = text->node;
	if (planting->scanner.position < text->source.end)
		planting->scanner.position = text->source.end;
}

/*
 * Return an upper bound for the number of texts. A text ends where an element
 * begins or ends.
 */
static uint32_t max_texts(const struct page *page)
{
	return 2 * page->node_count + 2 * page->text_count + 1;
}

static void xpath_build_tree(struct xpath_tree *tree)
{
	const struct page *page = tree->page;
	struct xpath_builder planting = {
		.scanner = {.source = page->source},
		.tree = tree,
		.page = page,
		.elements =
			mem_alloc(page->node_count + 1U, sizeof(xmlNodePtr)),
		.text_parent = NO_NODE,
		.texts_left = max_texts(page),
		.current = NO_NODE,
	};

	for (uint32_t i = 0; i < page->node_count; i++) {
		while (planting.next_text < page->nodes[i].first_text &&
		       tree->text_bytes <= XPATH_MAX_TEXT)
			add_page_text(&planting);
		xpath_add_tokens(&planting, page->nodes[i].source.begin);
		xpath_add_element(&planting);
	}
	while (planting.next_text < page->text_count &&
	       tree->text_bytes <= XPATH_MAX_TEXT)
		add_page_text(&planting);
	xpath_add_tokens(&planting, (uint32_t)page->source.size);
	flush_text(&planting);
	xmlXPathOrderDocElems(tree->document); /* without this, sorting takes
						  quadratic time */
	assert(planting.next_node == page->node_count);
	buffer_free(&planting.text);
	buffer_free(&planting.scratch);
	free(planting.elements);
}

struct xpath_tree *xpath_tree_create(const struct page *page)
{
	struct xpath_tree *tree;

	if (page->node_count > XPATH_MAX_NODES)
		return NULL;
	tree = mem_alloc(1, sizeof(*tree));
	tree->page = page;
	tree->nodes = mem_alloc((size_t)page->node_count + max_texts(page),
				sizeof(uint32_t));
	tree->document = htmlNewDocNoDtD(NULL, NULL);
	if (tree->document == NULL)
		mem_exhausted("libxml2");
	xpath_build_tree(tree);
	if (tree->text_bytes <= XPATH_MAX_TEXT)
		return tree;
	xpath_tree_destroy(tree);
	return NULL;
}

void xpath_tree_destroy(struct xpath_tree *tree)
{
	if (tree == NULL)
		return;
	xmlFreeDoc(tree->document);
	free(tree->nodes);
	free(tree);
}

/*
 * Limits for an evaluation. libxml2 limits the number of steps, but not the
 * time of a step: joining or comparing two sets compares all pairs of nodes,
 * and comparing an element copies all its text. Therefore the limit is low, and
 * lower still for expressions that may copy the whole page in each step.
 */
enum { MAX_STEPS = 500000, WORK_PER_NODE = 20 };

static const double max_work = 2e10;

static void ignore_error(void *context, xmlErrorPtr error)
{
	(void)context;
	(void)error; /* libxml2 also stores the error in lastError */
}

/*
 * Return whether a predicate or an argument of the expression may read the text
 * of other nodes.
 */
static bool xpath_reads_other_nodes(const char *text)
{
	static const char *const axes[] = {"..", "parent", "ancestor",
					   "following", "preceding"};
	int depth = 0;

	for (size_t i = 0; i < sizeof(axes) / sizeof(*axes); i++)
		if (strstr(text, axes[i]) != NULL)
			return true;
	for (const char *at = text; *at != '\0'; at++) {
		if (*at == '[' || *at == '(')
			depth++;
		else if (*at == ']' || *at == ')')
			depth--;
		/* a "/" means the root unless there is an operand before it */
		else if (*at == '/' && depth > 0 &&
			 strchr("[(,=<>!|+- \t\r\n", at[-1]) != NULL)
			return true;
	}
	return false;
}

static unsigned long max_steps(const struct xpath_tree *tree, const char *text)
{
	double work = (double)tree->text_bytes +
		      WORK_PER_NODE * (double)tree->page->node_count;

	if (!xpath_reads_other_nodes(text) || max_work > MAX_STEPS * work)
		return MAX_STEPS;
	return (unsigned long)(max_work / work);
}

/*
 * Return a context that begins at the root and has a limit of steps. Free it
 * with xmlXPathFreeContext().
 */
static xmlXPathContextPtr xpath_context(xmlDocPtr document, unsigned long steps)
{
	xmlXPathContextPtr context = xmlXPathNewContext(document);

	if (context == NULL)
		mem_exhausted("libxml2");
	context->error = ignore_error;
	context->opLimit = steps;
	context->node = (xmlNodePtr)document;
	return context;
}

static void set_value(struct xpath_result *result, const xmlChar *text)
{
	result->value_size =
		element_cut(slice_of((const char *)text), result->value);
}

static void xpath_write_node(const struct xpath_tree *tree, const xmlNode *node,
			     struct xpath_result *result)
{
	xmlChar *text;

	result->node = xpath_node_of(node);
	result->is_text = node->type == XML_TEXT_NODE;
	if (node->type == XML_ATTRIBUTE_NODE)
		result->attribute = (const char *)node->name;
	if (node->type == XML_ELEMENT_NODE) {
		result->value_size =
			element_value(tree->page, result->node, result->value);
		return;
	}
	text = xmlXPathCastNodeToString((xmlNodePtr)node);
	set_value(result, text);
	xmlFree(text);
}

static void xpath_write_nodes(const struct xpath_tree *tree,
			      const xmlNodeSet *set,
			      struct xpath_result *result)
{
	xmlNodePtr first = NULL;

	if (set == NULL)
		return;
	result->matches = (uint32_t)set->nodeNr;
	for (int i = 0; i < set->nodeNr; i++) {
		xmlNodePtr node = set->nodeTab[i];

		if (node->type == XML_NAMESPACE_DECL)
			continue; /* the struct is not an xmlNode */
		if (first == NULL ||
		    xpath_order_of(node) < xpath_order_of(first))
			first = node;
	}
	if (first != NULL)
		xpath_write_node(tree, first, result);
}

static void xpath_write_result(const struct xpath_tree *tree,
			       xmlXPathObjectPtr object,
			       struct xpath_result *result)
{
	xmlChar *text;

	if (object->type == XPATH_NODESET) {
		xpath_write_nodes(tree, object->nodesetval, result);
		return;
	}
	text = xmlXPathCastToString(object);
	set_value(result, text);
	xmlFree(text);
	if (object->type == XPATH_BOOLEAN)
		result->matches = object->boolval != 0;
	else if (object->type == XPATH_NUMBER)
		result->matches = xmlXPathIsNaN(object->floatval) == 0;
	else
		result->matches = result->value_size > 0;
}

/*
 * Evaluate the expression in brackets. Without brackets, libxml2 may use its
 * streaming matcher. This counts no steps, and takes seconds for //div//div/div
 * in a deep page.
 */
static xmlXPathObjectPtr xpath_evaluate_text(xmlXPathContextPtr context,
					     const char *text)
{
	struct buffer wrapped = {0};
	xmlXPathObjectPtr object;

	buffer_printf(&wrapped, "(%s)", text);
	object = xmlXPathEval((const xmlChar *)wrapped.data, context);
	buffer_free(&wrapped);
	return object;
}

/*
 * Set the limit of the running evaluation, because libxml2 has no other way to
 * stop it from outside.
 */
void xpath_stop(struct xpath_tree *tree)
{
	xmlXPathContextPtr running = tree->running;

	if (running != NULL)
		running->opLimit = 1;
}

enum error xpath_evaluate(struct xpath_tree *tree, const char *text,
			  struct xpath_result *result_out)
{
	xmlXPathContextPtr context =
		xpath_context(tree->document, max_steps(tree, text));
	xmlXPathObjectPtr object;
	enum error error = ERR_NONE;

	*result_out = (struct xpath_result){.node = NO_NODE};
	tree->running = context;
	object = xpath_evaluate_text(context, text);
	tree->running = NULL;
	if (object != NULL)
		xpath_write_result(tree, object, result_out);
	else
		error = context->opCount >= context->opLimit ? ERR_TOO_LARGE
							     : ERR_MALFORMED;
	xmlXPathFreeObject(object);
	xmlXPathFreeContext(context);
	return error;
}

enum {
	MAX_COMMAS = 32, /* maximum number of commas, because concat() takes
			    quadratic time */
	CHECK_STEPS = 10000,
};

/* Words that are allowed before "(": functions, node types, operators. */
static const char *const callable[] = {"last",
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
				       "div"};

static bool xpath_byte_is_name(char byte)
{
	return is_alphanumeric(byte) || byte == '-' || byte == '_' ||
	       byte == '.' || (unsigned char)byte >= 0x80;
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
	selector_write_error(text, at, what, error_out);
	return false;
}

static const char *behind_blanks(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

/*
 * Return whether the second and the third argument of translate() are string
 * literals. This is required because its time is the product of the lengths of
 * the first two arguments. `at` is the position after the "(".
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

/*
 * Read the name at *at, and move *at after it. Return false and write an error
 * if the name is not allowed.
 */
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
 * Return whether all names in the expression are known. libxml2 reports an
 * unknown name only during evaluation, or not at all.
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
		snprintf(error_out, XPATH_MAX_ERROR, "longer than %d bytes",
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
