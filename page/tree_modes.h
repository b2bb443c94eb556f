/*
 * page/tree_modes.h - declarations that the files of the tree builder share.
 * The numbers of sections refer to the HTML standard.
 *
 * The builder writes nodes and texts directly into the arrays of the page, in
 * the order of their tokens. This is the order of the tree as long as each of
 * them is inserted at the end of the tree. But misnested formatting elements,
 * and content of a table outside of its cells, are inserted elsewhere. From the
 * first of these on, `order` stores the order of the items, and the arrays are
 * sorted at the end.
 */
#ifndef PAGE_TREE_MODES_H
#define PAGE_TREE_MODES_H

#include "base/buffer.h"
#include "base/limit.h"
#include "page/scanner.h"
#include "page/tag.h"
#include "page/tree.h"

/* The insertion modes (13.2.4.1). */
enum mode {
	MODE_INITIAL,
	MODE_BEFORE_HTML,
	MODE_BEFORE_HEAD,
	MODE_IN_HEAD,
	MODE_IN_HEAD_NOSCRIPT,
	MODE_AFTER_HEAD,
	MODE_IN_BODY,
	MODE_IN_TABLE,
	MODE_IN_CAPTION,
	MODE_IN_COLUMN_GROUP,
	MODE_IN_TABLE_BODY,
	MODE_IN_ROW,
	MODE_IN_CELL,
	MODE_IN_TEMPLATE,
	MODE_AFTER_BODY,
	MODE_IN_FRAMESET,
	MODE_AFTER_FRAMESET,
	MODE_AFTER_AFTER_BODY,
	MODE_AFTER_AFTER_FRAMESET,
	MODE_COUNT
};

/*
 * Properties of an element that decide how other elements are handled
 * (13.2.4.2).
 */
enum category {
	IS_SPECIAL = 1,
	IS_FORMATTING = 2,
	IS_SCOPE = 4,                /* limits the default scope */
	IS_LIST_SCOPE = 8,           /* limits the scope of list items */
	IS_BUTTON_SCOPE = 16,        /* limits the scope of buttons */
	IS_TABLE_SCOPE = 32,         /* limits the scope of tables */
	IS_IMPLIED = 64,             /* may be closed without an end tag */
	IS_IMPLIED_THOROUGHLY = 128, /* may be closed without an end tag at the
					end of a template */
	IS_TABLE_PART = 256, /* table, tbody, tfoot, thead, tr: text in them is
				moved before the table (foster parenting) */
	IS_HEADING = 512,
	IS_FOREIGN = 1024,    /* an element of SVG or MathML */
	IS_TEXT_POINT = 2048, /* a MathML text integration point */
	IS_HTML_POINT = 4096, /* an HTML integration point */
	IS_ANNOTATION = 8192, /* annotation-xml: may contain SVG */
};

/*
 * Flags in the number of an element's name. The elements of SVG and MathML have
 * names of their own, so that a search for "title" does not find the title of
 * an SVG.
 */
enum { NAME_IS_SVG = 0x4000, NAME_IS_MATHML = 0x8000 };

struct open_element {
	uint32_t node;
	uint16_t name;
	uint16_t category;
};

/* An entry of the list of active formatting elements (13.2.4.3). */
struct formatting {
	uint32_t node; /* NO_NODE: the entry is a marker */
	uint16_t name;
	bool is_open;        /* the element is on the stack of open elements */
	bool is_hashed;      /* `attributes` is set */
	uint64_t attributes; /* attribute_list_hash() of the element */
};

enum {
	/*
	 * Limit for unclosed formatting elements, because each paragraph opens
	 * all of them again.
	 */
	MAX_FORMATTING = 128,
	MAX_TEMPLATES = LIMIT(512, 64),
	MAX_NAMES = TAG_COUNT + MAX_UNKNOWN_TAGS,
};

/* The current token. */
struct tree_token {
	uint8_t kind; /* enum token_kind; TOKEN_COUNT: the end of the page */
	uint16_t tag;
	uint32_t first_attribute; /* range of the attributes of a start tag */
	uint16_t attribute_count;
	uint16_t flags; /* TEXT_* flags that its attributes cause */
	bool is_empty;  /* the tag is written <name ... /> */
	bool is_blank;  /* the text consists only of white space */
	bool is_raw;    /* character references in the text are not decoded */
	uint32_t skip;  /* number of bytes at the beginning of the text that are
			   skipped */
	bool has_closed; /* the end tag has already closed its element */
	struct span source;
};

struct tree_builder {
	struct page *page;
	const struct page_limits *limits;
	size_t max_items;
	const char *source;
	struct tree_token token;
	struct node *nodes;
	size_t node_capacity;
	uint32_t node_count;
	struct text *texts;
	size_t text_capacity;
	uint32_t text_count;
	struct buffer text;
	struct attribute_list attributes;
	struct tag_numbers numbers;
	uint16_t *tags; /* all tags as in the source */
	size_t tag_capacity;
	uint32_t tag_count;
	struct tree_order order;

	struct open_element *open; /* [depth] the stack of open elements */
	size_t open_capacity;
	uint32_t depth;                 /* number of open elements */
	uint32_t open_names[MAX_NAMES]; /* number of open HTML elements with
					   each name */
	struct formatting formatting[MAX_FORMATTING];
	uint32_t formatting_count;
	uint8_t template_modes[MAX_TEMPLATES];
	uint32_t template_count;
	enum mode mode;
	uint32_t head;
	uint32_t form;
	uint16_t raw;   /* tag whose raw content follows; 0 = none */
	bool is_in_raw; /* the current node contains only text: script, title,
			   ... */
	bool is_quirky;
	bool allows_frameset;
	bool fosters; /* foster parenting is enabled: content of a table is
			 moved before it */
	bool skips_newline; /* the next token may begin with a newline that is
			       skipped, for example after <pre> */
	bool is_stopped; /* nothing more is read, because of a limit or at the
			    end */

	uint32_t body_end;   /* end of the last </body>; 0 = none */
	uint32_t html_end;   /* end of the last </html>; 0 = none */
	uint32_t last_begin; /* begin of the last other token */
};

/* --- elements and the stack (tree_elements.c) --- */

/*
 * Return the current node, the last one on the stack. The stack must not be
 * empty.
 */
static inline const struct open_element *
tree_top(const struct tree_builder *tree)
{
	return &tree->open[tree->depth - 1];
}

static inline bool tree_top_is(const struct tree_builder *tree, uint16_t name)
{
	return tree->depth > 0 && tree_top(tree)->name == name;
}

/* Insert an element for the token, and push it on the stack. */
void tree_insert(struct tree_builder *tree);

/* Insert an element that has no tag in the source, and push it on the stack. */
void tree_insert_implied(struct tree_builder *tree, uint16_t tag);

/* Insert an element that has no content for the token. */
void tree_insert_void(struct tree_builder *tree);

/*
 * Insert an element of SVG or MathML for the token; `space` is NAME_IS_SVG or
 * NAME_IS_MATHML.
 */
void tree_insert_foreign(struct tree_builder *tree, uint16_t space);

/* Insert an element whose content is text up to its end tag. */
void tree_insert_raw(struct tree_builder *tree);

/* Insert the text of the token. */
void tree_insert_text(struct tree_builder *tree);

/* Return a copy of the node, without a position in the tree. */
uint32_t tree_clone(struct tree_builder *tree, uint32_t node);

/* Return the value of an attribute of the token; {NULL, 0} if it has none. */
struct slice tree_attribute(const struct tree_builder *tree, const char *name);

/* Begin to store the order, unless it is stored already. */
void tree_begin_order(struct tree_builder *tree);

/* Stop building the tree at a limit; the page is truncated. */
void tree_stop(struct tree_builder *tree);

/*
 * Add the attributes of the token to `node`, except those that it already has.
 */
void tree_merge_attributes(struct tree_builder *tree, uint32_t node);

/* A position for a node: in `parent`, before `before` or at the end. */
struct tree_position {
	uint32_t parent;
	uint32_t before; /* NO_NODE: at the end */
};

/*
 * Return the position of a new node that must be inserted into `target`: the
 * "appropriate place for inserting a node" (13.2.6.1).
 */
struct tree_position tree_insert_position(const struct tree_builder *tree,
					  const struct open_element *target);

void tree_push(struct tree_builder *tree, struct open_element element);

/* Remove the current node from the stack. */
void tree_pop(struct tree_builder *tree);

/*
 * Remove elements from the stack up to the last one with this name, which is
 * also removed. It must be on the stack.
 */
void tree_pop_until(struct tree_builder *tree, uint16_t name);

/* Remove the element at `index` from the stack; it may be anywhere on it. */
void tree_remove_open(struct tree_builder *tree, uint32_t index);

/* Return the index of a node on the stack; NO_NODE if it is not there. */
uint32_t tree_find_open(const struct tree_builder *tree, uint32_t node);

/* Return whether an HTML element with this name is on the stack. */
static inline bool tree_has_open(const struct tree_builder *tree, uint16_t name)
{
	return tree->open_names[name] > 0;
}

/*
 * Return whether an element with this name is in scope: on the stack, after the
 * last element of one of the categories.
 */
bool tree_in_scope(const struct tree_builder *tree, uint16_t name,
		   unsigned category);

/*
 * Generate implied end tags: close elements that may be closed without an end
 * tag, except those with the name `except` (TAG_COUNT = none).
 * tree_close_implied_thoroughly() also closes the parts of a table.
 */
void tree_close_implied(struct tree_builder *tree, uint16_t except);
void tree_close_implied_thoroughly(struct tree_builder *tree);

/* If a p element is in button scope, close it. */
void tree_close_paragraph(struct tree_builder *tree);

/* --- list of active formatting elements (tree_body.c) --- */

/*
 * tree_format() adds the current node to the list; if it is the fourth of equal
 * elements, the first of them is removed. tree_add_marker() adds a marker;
 * tree_clear_to_marker() removes the entries from the last marker on.
 */
void tree_format(struct tree_builder *tree);
void tree_add_marker(struct tree_builder *tree);
void tree_clear_to_marker(struct tree_builder *tree);

/*
 * Reconstruct the active formatting elements: open the elements of the list
 * that are not on the stack.
 */
void tree_reconstruct_slowly(struct tree_builder *tree);
static inline void tree_reconstruct(struct tree_builder *tree)
{
	const uint32_t count = tree->formatting_count;

	if (count > 0 && tree->formatting[count - 1].node != NO_NODE &&
	    !tree->formatting[count - 1].is_open)
		tree_reconstruct_slowly(tree);
}

/* Return the index of a node in the list; NO_NODE if it is not there. */
uint32_t tree_find_formatting(const struct tree_builder *tree, uint32_t node);
/*
 * Return the index of the last entry with this name after the last marker;
 * NO_NODE if none exists.
 */
uint32_t tree_find_format(const struct tree_builder *tree, uint16_t name);
void tree_remove_formatting(struct tree_builder *tree, uint32_t index);

/*
 * Run the adoption agency algorithm (13.2.6.4.7) for elements with the tag
 * `subject`. Return false if the token must be handled as any other end tag.
 */
bool tree_adopt(struct tree_builder *tree, uint16_t subject);

/* --- insertion modes (tree_modes.c, tree_body.c) --- */

/*
 * A rule of an insertion mode for the current token. It returns true if the
 * token must be handled again, in the mode that the rule has selected.
 */
typedef bool tree_rule(struct tree_builder *tree);

tree_rule tree_head_start, tree_head_end;
tree_rule tree_in_body_start, tree_in_body_end, tree_in_body_text;
tree_rule tree_any_other_end, tree_ignore;

/* Handle the current token. */
void tree_dispatch(struct tree_builder *tree);

#endif
