/*
 * Tokenizes the source again, because only the tokens contain the white space
 * between tags.
 */
#include "page/xpath_tree.h"

#include <assert.h>
#include <stdlib.h>

#include <libxml/HTMLtree.h>
#include <libxml/xpath.h>

#include "base/memory.h"
#include "page/attribute.h"
#include "page/page.h"
#include "page/scanner.h"

struct xpath_builder {
	struct xpath_tree *tree;
	const struct page *page;
	xmlNodePtr *elements;  /* [node_count], the elements created so far */
	struct buffer scratch; /* for strings that need a final NUL */
	struct buffer
		text; /* pending text of text_parent, after its last child */
	uint32_t text_parent;
	uint32_t serial;     /* number of elements and texts so far */
	uint32_t texts_left; /* remaining room for texts */
	uint32_t next_node;
	uint32_t next_text;
	uint32_t current; /* the innermost open element */
	struct scanner scanner;
};

uintptr_t xpath_order_of(const xmlNode *node)
{
	if (node->type == XML_ATTRIBUTE_NODE)
		node = node->parent;
	return (uintptr_t)node->_private;
}

uint32_t xpath_node_of(const xmlNode *node)
{
	if (node->type == XML_ATTRIBUTE_NODE)
		node = node->parent;
	return node->_private == NULL ? NO_NODE
				      : *(const uint32_t *)node->_private;
}

/* Return a copy of the text that a NUL ends; valid until the next call. */
static const xmlChar *xpath_terminate_text(struct xpath_builder *planting,
					   struct slice text)
{
	buffer_clear(&planting->scratch);
	buffer_append_slice(&planting->scratch, text);
	buffer_append_byte(&planting->scratch, '\0');
	return (const xmlChar *)planting->scratch.data;
}

/*
 * Append a child without xmlAddChild(), which merges texts in quadratic time.
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
 * Append the pending text as one node: in XPath two texts are never adjacent.
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

		/* form feeds are white space in HTML but not in XML */
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
 * Return the innermost element at a position of the source. The position is
 * after all nodes that exist so far.
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

/* Add a token that is no text of the page: white space, a script or a style. */
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
 * Add the tokens before a position of the source. The scanner may be past it
 * already if the tree has another order.
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
 * Return an upper bound of the number of text nodes: a text ends where an
 * element begins or ends.
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
	xmlXPathOrderDocElems(
		tree->document); /* otherwise sorting is quadratic */
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
