#include "page/xpath.h"

#include <stdio.h>
#include <string.h>

#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

#include "base/memory.h"
#include "page/page.h"
#include "page/xpath_tree.h"

/*
 * libxml2 limits the number of steps, but not the time of a step: joining or
 * comparing sets compares pairs of nodes, and comparing an element copies all
 * its text. So the limit is low, and lower for expressions that may copy the
 * page in each step.
 */
enum { MAX_STEPS = 500000, WORK_PER_NODE = 20 };

static const double max_work = 2e10;

static void ignore_error(void *context, xmlErrorPtr error)
{
	(void)context;
	(void)error; /* libxml2 also stores the error in lastError */
}

/* Return whether a predicate or an argument may read text of other nodes. */
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
		/* "/" is the root unless an operand precedes it */
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

xmlXPathContextPtr xpath_context(xmlDocPtr document, unsigned long steps)
{
	xmlXPathContextPtr context = xmlXPathNewContext(document);

	if (context == NULL)
		mem_exhausted("libxml2");
	context->error = ignore_error;
	context->opLimit = steps;
	context->node = (xmlNodePtr)document;
	return context;
}

static bool is_over_limit(const xmlXPathContext *context)
{
	return context->opCount >= context->opLimit;
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
 * Evaluate the expression in brackets. Without brackets libxml2 may use its
 * streaming matcher, which counts no steps and takes seconds for //div//div/div
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

/* libxml2 has no other way to stop an evaluation from outside. */
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
		error = is_over_limit(context) ? ERR_TOO_LARGE : ERR_MALFORMED;
	xmlXPathFreeObject(object);
	xmlXPathFreeContext(context);
	return error;
}
