/*
 * page/tree_modes.h - declarations that the files of the tree builder share.
 * References are to the HTML standard.
 *
 * The builder writes nodes and texts in the order of their tokens, directly
 * into the arrays of the page. As long as each is inserted at the end of the
 * tree, this is the order of the tree. Misnested formatting elements, and
 * content of a table outside its cells, are inserted elsewhere: from the first
 * of these on, `order` stores the siblings, and at the end the arrays are
 * sorted.
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

/* The effect of an element on the elements inside it (13.2.4.2). */
enum category {
	IS_SPECIAL = 1,
	IS_FORMATTING = 2,
	IS_SCOPE = 4,                /* ends the default scope */
	IS_LIST_SCOPE = 8,           /* ends the scope of list items */
	IS_BUTTON_SCOPE = 16,        /* ends the scope of buttons */
	IS_TABLE_SCOPE = 32,         /* ends the scope of tables */
	IS_IMPLIED = 64,             /* its end tag may be implied */
	IS_IMPLIED_THOROUGHLY = 128, /* at the end of a template */
	IS_TABLE_PART = 256, /* table, tbody, tfoot, thead, tr: text in it is
				foster parented */
	IS_HEADING = 512,
	IS_FOREIGN = 1024,    /* an element of SVG or MathML */
	IS_TEXT_POINT = 2048, /* a MathML text integration point */
	IS_HTML_POINT = 4096, /* an HTML integration point */
	IS_ANNOTATION = 8192, /* annotation-xml: may contain SVG */
};

/*
 * Flags in the number of an element: elements of SVG and MathML have separate
 * numbers, so that a search for "title" does not find the title of an SVG.
 */
enum { NAME_IS_SVG = 0x4000, NAME_IS_MATHML = 0x8000 };

struct open_element {
	uint32_t node;
	uint16_t name;
	uint16_t category;
};

/* An entry of the list of active formatting elements (13.2.4.3). */
struct formatting {
	uint32_t node; /* NO_NODE: a marker */
	uint16_t name;
	bool is_open;        /* it is on the stack of open elements */
	uint64_t attributes; /* hash of its attributes */
};

enum {
	/*
	 * Limit of unclosed formatting elements, which each paragraph reopens.
	 */
	MAX_FORMATTING = 128,
	MAX_TEMPLATES = LIMIT(512, 64),
	MAX_NAMES = TAG_COUNT + MAX_UNKNOWN_TAGS,
};

/* The current token. */
struct tree_token {
	uint8_t kind; /* enum token_kind; TOKEN_COUNT: the end of the page */
	uint16_t tag;
	uint32_t first_attribute; /* attributes of a start tag */
	uint16_t attribute_count;
	uint16_t flags;  /* TEXT_* of the element because of its attributes */
	bool is_empty;   /* written <name ... /> */
	bool is_blank;   /* a text of only white space */
	bool is_raw;     /* its character references are not decoded */
	uint32_t skip;   /* bytes to skip at the beginning of a text */
	bool has_closed; /* an end tag that has closed its element */
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
	uint16_t *tags; /* all tags as written */
	size_t tag_capacity;
	uint32_t tag_count;
	struct tree_order order;

	struct open_element *open; /* the stack of open elements */
	size_t open_capacity;
	uint32_t depth;                 /* number of open elements */
	uint32_t open_names[MAX_NAMES]; /* open HTML elements by name */
	struct formatting formatting[MAX_FORMATTING];
	uint32_t formatting_count;
	uint8_t template_modes[MAX_TEMPLATES];
	uint32_t template_count;
	enum mode mode;
	uint32_t head;
	uint32_t form;
	uint16_t raw;   /* the tag whose raw content follows, or 0 */
	bool is_in_raw; /* inside a raw element on top: script, title... */
	bool is_quirky;
	bool allows_frameset;
	bool fosters;       /* foster parenting is enabled */
	bool skips_newline; /* skips a newline after <pre>, for example */
	bool is_stopped;    /* stopped at a limit, or at the end */

	uint32_t body_end;   /* end of the last </body>, or 0 */
	uint32_t html_end;   /* end of the last </html>, or 0 */
	uint32_t last_begin; /* begin of the last other token */
};

/* --- elements (tree_elements.c) --- */

/* Return the current node; the stack must not be empty. */
static inline const struct open_element *
tree_top(const struct tree_builder *tree)
{
	return &tree->open[tree->depth - 1];
}

static inline bool tree_top_is(const struct tree_builder *tree, uint16_t name)
{
	return tree->depth > 0 && tree_top(tree)->name == name;
}

/* Insert an element for the token and push it on the stack. */
void tree_insert(struct tree_builder *tree);

/* Do the same for an element without a token in the source. */
void tree_insert_implied(struct tree_builder *tree, uint16_t tag);

/* Insert an element without content for the token. */
void tree_insert_void(struct tree_builder *tree);

/* Insert an element of SVG or MathML for the token. */
void tree_insert_foreign(struct tree_builder *tree, uint16_t space);

/* Insert an element whose content is text to its end tag. */
void tree_insert_raw(struct tree_builder *tree);

/* Insert the text of the token. */
void tree_insert_text(struct tree_builder *tree);

/* Return a copy of element `node`, without a position. */
uint32_t tree_clone(struct tree_builder *tree, uint32_t node);

/* Return the value of an attribute of the token, or {NULL, 0}. */
struct slice tree_attribute(const struct tree_builder *tree, const char *name);

/* Begin to store the order, unless it is stored. */
void tree_begin_order(struct tree_builder *tree);

/* Stop building: the page is truncated. */
void tree_stop(struct tree_builder *tree);

/* Add to `node` the attributes of the token that it does not have. */
void tree_merge_attributes(struct tree_builder *tree, uint32_t node);

/* A position for a node: at the end of `parent`, or before `before` in it. */
struct tree_position {
	uint32_t parent;
	uint32_t before; /* or NO_NODE */
};

/*
 * Return the appropriate place for inserting a node (13.2.6.1) into `target`.
 */
struct tree_position tree_insert_position(const struct tree_builder *tree,
					  const struct open_element *target);

void tree_push(struct tree_builder *tree, struct open_element element);

/* Pop the current node. */
void tree_pop(struct tree_builder *tree);

/* Pop elements up to and including the next one of that name; it must exist. */
void tree_pop_until(struct tree_builder *tree, uint16_t name);

/* Remove the entry at `index` from the stack, at any depth. */
void tree_remove_open(struct tree_builder *tree, uint32_t index);

/* Return the index of a node on the stack, or NO_NODE. */
uint32_t tree_find_open(const struct tree_builder *tree, uint32_t node);

/* Return whether an HTML element of that name is on the stack. */
static inline bool tree_has_open(const struct tree_builder *tree, uint16_t name)
{
	return tree->open_names[name] > 0;
}

/*
 * Return whether an element of that name is in the scope that elements of the
 * categories end.
 */
bool tree_in_scope(const struct tree_builder *tree, uint16_t name,
		   unsigned category);

/* Generate implied end tags, except for `except` (or TAG_COUNT). */
void tree_close_implied(struct tree_builder *tree, uint16_t except);
void tree_close_implied_thoroughly(struct tree_builder *tree);

/* Close a p element in button scope, if there is one. */
void tree_close_paragraph(struct tree_builder *tree);

/* --- formatting (tree_body.c) --- */

/*
 * Add the element on top of the stack to the list; if it is the fourth of equal
 * elements, remove the first of them.
 */
void tree_format(struct tree_builder *tree);
void tree_add_marker(struct tree_builder *tree);
void tree_clear_to_marker(struct tree_builder *tree);

/* Reconstruct the active formatting elements. */
void tree_reconstruct_slowly(struct tree_builder *tree);
static inline void tree_reconstruct(struct tree_builder *tree)
{
	const uint32_t count = tree->formatting_count;

	if (count > 0 && tree->formatting[count - 1].node != NO_NODE &&
	    !tree->formatting[count - 1].is_open)
		tree_reconstruct_slowly(tree);
}

/* Return the index of a node in the list, or NO_NODE. */
uint32_t tree_find_formatting(const struct tree_builder *tree, uint32_t node);
/* Return the last entry of that name after the last marker, or NO_NODE. */
uint32_t tree_find_format(const struct tree_builder *tree, uint16_t name);
void tree_remove_formatting(struct tree_builder *tree, uint32_t index);

/*
 * Run the adoption agency algorithm (13.2.6.4.7) for the token's tag. Return
 * false if the token must be handled as any other end tag.
 */
bool tree_adopt(struct tree_builder *tree, uint16_t subject);

/* --- insertion modes (tree_modes.c, tree_body.c) --- */

/*
 * A rule of a mode for the token. It returns true if the token must be handled
 * again, in the mode that the rule has set.
 */
typedef bool tree_rule(struct tree_builder *tree);

tree_rule tree_head_start, tree_head_end;
tree_rule tree_in_body_start, tree_in_body_end, tree_in_body_text;
tree_rule tree_any_other_end, tree_ignore;

/* Handle a token in the current mode. */
void tree_dispatch(struct tree_builder *tree);

#endif
