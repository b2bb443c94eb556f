/*
 * page/page.h - an HTML page as flat arrays in document order. Algorithms are
 * linear passes over the arrays and do not recurse.
 */
#ifndef PAGE_PAGE_H
#define PAGE_PAGE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "page/tag.h"

struct arena;

/* A range of bytes in page->source; `end` is not included. */
struct span {
	uint32_t begin;
	uint32_t end;
};

#define NO_NODE UINT32_MAX

/* Flag in the number of a tag: it is an end tag. */
enum { TAG_IS_END = 1 << 15 };

/* An element. The nodes after it, up to `end`, are its descendants. */
struct node {
	uint32_t parent; /* NO_NODE for the root */
	uint32_t end;    /* index of the first node after its last descendant */
	uint32_t first_text; /* index of the first text after its start tag */
	uint32_t end_text;   /* index of the first text after the element */
	uint32_t first_attribute; /* index of its first attribute in
				     page->attributes */
	uint16_t attribute_count;
	uint16_t tag; /* enum tag; or TAG_COUNT + index, see page_tag_name() */
	uint16_t depth; /* 0 for the root */
	uint16_t flags; /* TEXT_* flags of all its text, and NODE_* flags */
	/*
	 * The range from the start tag to the end of the end tag. If there is
	 * no end tag, it ends before the tag that closed the element. It is
	 * inside the range of the parent. If the parser has inserted the
	 * element without a tag, the range begins with the token that was the
	 * reason.
	 */
	struct span source;
};

/* A text node that is not blank. Scripts, styles and comments are not texts. */
struct text {
	uint32_t node; /* the parent element; NO_NODE outside of all elements */
	uint32_t begin;  /* offset of its first byte in page->text */
	uint32_t length; /* number of bytes; white space is not collapsed */
	uint32_t flags;  /* TEXT_* flags */
	/*
	 * the source of the text. Except in SVG and MathML it is one TOKEN_TEXT
	 * of page/scanner.h, because every tag and comment ends a text, even an
	 * ignored one
	 */
	struct span source;
};

enum {
	/*
	 * hidden by its style (display:none, visibility:hidden) or by the
	 * attributes hidden or aria-hidden
	 */
	TEXT_IS_HIDDEN = 1,
	TEXT_IS_NOSCRIPT = 2, /* inside noscript */
	TEXT_IS_LINK = 4,     /* inside a[href] */
	/* inside head, for example the title: never main content */
	TEXT_IS_TITLE = 8,
	TEXT_IS_CONTROL = 16,  /* inside button, select, option, textarea, or a
				  label of a form */
	TEXT_IS_TEMPLATE = 32, /* inside template, svg, iframe or noframes */
	TEXT_FLAGS = 63,
	NODE_IS_SVG = 64, /* the element is SVG: its title is not the title of
			     the page */
	NODE_IS_MATHML = 128,
};

struct attribute {
	struct slice name; /* name in lower case */
	/* value with entities decoded; {"",0} if it has none */
	struct slice value;
};

struct link {
	uint32_t node;  /* the a, area or link element; for LINK_IS_REFRESH meta
			   or script */
	uint32_t flags; /* LINK_* flags */
	struct slice href;   /* address as in the source, trimmed */
	struct slice anchor; /* text inside the element, collapsed; at most 256
				bytes */
};

enum {
	LINK_IS_NOFOLLOW = 1,  /* rel=nofollow, or nofollow in a robots meta */
	LINK_IS_CANONICAL = 2, /* link rel=canonical */
	LINK_IS_ALTERNATE = 4, /* link rel=alternate: translations; not feeds,
				  which have the type of one */
	LINK_IS_NEXT = 8,      /* rel=next or prev */
	LINK_IS_REFRESH = 16,  /* from meta http-equiv=refresh; or from a script
				  that redirects, if the page has little text */
};

struct page {
	struct arena *arena; /* owns all data of the page */
	struct slice source; /* the whole page in UTF-8, with NUL bytes replaced
				by spaces */
	/* [node_count], parents before their children */
	const struct node *nodes;
	uint32_t node_count;
	const struct text *texts; /* [text_count], in document order */
	uint32_t text_count;
	/*
	 * [text_count] texts in the order of the source; NULL if both orders
	 * are the same
	 */
	const uint32_t *source_order;
	const uint16_t *tags; /* [tag_count] all tags in the order of the
				 source; end tags have TAG_IS_END */
	uint32_t tag_count;
	const struct attribute *attributes; /* [attribute_count] */
	uint32_t attribute_count;
	const struct link *links; /* [link_count], in document order */
	uint32_t link_count;
	const char *text; /* UTF-8 text that the texts refer to */
	size_t text_bytes;
	struct slice title;    /* text of the title, collapsed; or empty */
	struct slice language; /* html[lang] or the language in a meta element,
				  as in the source */
	struct slice description; /* description in a meta element, collapsed;
				     or empty */
	struct slice base;        /* href of the first base element, or empty */
	struct slice url;         /* as page_set_url() was told, or empty */
	struct slice charset; /* name of the original encoding of the source */
	const struct slice *unknown_tags; /* [unknown_tag_count] names of the
					     tags from TAG_COUNT on */
	uint32_t unknown_tag_count;
	bool is_truncated; /* the page exceeded a limit; no model is built from
			      it */
	bool is_nofollow;  /* a robots meta element contains nofollow */
	bool is_noindex;   /* a robots meta element contains noindex */
};

struct page_limits {
	size_t max_bytes;        /* bytes of the body */
	uint32_t max_nodes;      /* elements */
	uint32_t max_depth;      /* levels of nested elements, at most 4095 */
	uint32_t max_attributes; /* attributes of a tag */
	uint32_t reserved; /* must be 0; the struct is sent between processes */
};

/* The defaults: 10 MB, 200,000 nodes, 512 levels, 256 attributes. */
extern const struct page_limits page_limits_default;

/*
 * Parse a copy of `body`. `charset` is the charset of the Content-Type header,
 * or empty. Broken HTML is no error, and an empty body results in an empty
 * page. If the page exceeds a limit of `limits`, or has more than 4 * max_nodes
 * + 1,024 texts or attributes, it is truncated and is_truncated is set. The
 * tree follows the HTML standard without scripts, with two differences: an
 * empty page has no elements, and at most 128 unclosed formatting elements, the
 * last ones, are opened again. ERR_NOT_HTML: the body is binary. Linear;
 * constant stack.
 */
enum error page_parse(struct page **page_out, struct slice body,
		      struct slice charset, const struct page_limits *limits);

/* Do nothing for NULL. */
void page_destroy(struct page *page);

/* Return the name of a tag that occurs in the page, in lower case. */
struct slice page_tag_name(const struct page *page, uint16_t tag);

/* Return hash64() of page_tag_name() with seed 0. */
uint64_t page_tag_hash(const struct page *page, uint16_t tag);

/*
 * Return the value of the attribute `name` of a node; {NULL, 0} if it has none.
 * page_attribute() is inline because the size of most names is a constant.
 */
struct slice page_find_attribute(const struct page *page, uint32_t node,
				 struct slice name);
static inline struct slice page_attribute(const struct page *page,
					  uint32_t node, const char *name)
{
	return page_find_attribute(page, node, slice_of(name));
}

/* Return the source of a script, between its tags. */
struct slice page_script(const struct page *page, uint32_t node);

/*
 * Return the URL in the content of a refresh, in a meta element or a header,
 * such as "5; url='next.html'" or "5; next.html"; empty if none exists. Does
 * the same as the HTML standard (section 4.2.5.3), except that "5; url" has no
 * URL.
 */
struct slice refresh_url(struct slice content);

/*
 * Set the canonical URL of a page, so that the addresses in it can be resolved.
 */
void page_set_url(struct page *page, struct slice url);

/* Add the target of a Refresh header, as if a meta element had it. */
void page_add_refresh(struct page *page, struct slice url);

/*
 * Return the innermost block element that is the node or around it; NO_NODE if
 * there is none. O(depth).
 */
uint32_t page_block_around(const struct page *page, uint32_t node);

/* Return the text with this index. */
static inline struct slice page_text(const struct page *page, uint32_t index)
{
	const struct text *text = &page->texts[index];

	assert(index < page->text_count);
	assert(text->begin + (size_t)text->length <= page->text_bytes);
	return (struct slice){page->text + text->begin, text->length};
}

/*
 * Return the index of the text that is at position `rank` in the source. This
 * is almost always `rank` itself; but a text that is in a table and not in a
 * cell is moved before the table.
 */
static inline uint32_t page_text_in_source(const struct page *page,
					   uint32_t rank)
{
	return page->source_order == NULL ? rank : page->source_order[rank];
}

/* Return the size of the longest text; 0 if there are no texts. */
size_t page_longest_text(const struct page *page);

/*
 * Copy `text` to `out` [text.size], with one space for each run of white space
 * and none at the ends; return the length. White space is the white space of
 * HTML, and U+00A0, U+3000, U+2000 to U+200B, U+FEFF.
 */
size_t text_collapse(struct slice text, char *out);

/* Return whether text_collapse() would return 0. */
bool text_is_blank(struct slice text);

#endif
