/*
 * page/page.h - an HTML page as flat arrays in document order; algorithms are
 * linear passes over them and do not recurse.
 */
#ifndef PAGE_PAGE_H
#define PAGE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "page/tag.h"

struct arena;

/* Half-open range of bytes in page->source. */
struct span {
	uint32_t begin;
	uint32_t end;
};

#define NO_NODE UINT32_MAX

/* Flag of an end tag in the number of a tag. */
enum { TAG_IS_END = 1 << 15 };

/* An element. Its descendants are the following nodes, up to `end`. */
struct node {
	uint32_t parent;     /* NO_NODE for the root */
	uint32_t end;        /* index one past the last descendant */
	uint32_t first_text; /* first text with index >= this comes after its
				tag */
	uint32_t end_text;   /* texts below this index are inside the element */
	uint32_t first_attribute; /* in page->attributes */
	uint16_t attribute_count;
	uint16_t tag;   /* enum tag, or TAG_COUNT + index: page_tag_name */
	uint16_t depth; /* 0 for the root */
	uint16_t flags; /* TEXT_* that hold for all text inside, and NODE_* */
	/*
	 * From the start tag to the end of the end tag, or to the tag that
	 * closed the element; inside the span of its parent. An element that is
	 * implied or reopened begins with the token that implied it.
	 */
	struct span source;
};

/* A text node that is not blank. Script, style and comments are not text. */
struct text {
	uint32_t node; /* the parent element; NO_NODE outside of all elements */
	uint32_t begin;  /* in page->text */
	uint32_t length; /* bytes; white space is not collapsed */
	uint32_t flags;  /* TEXT_* */
	struct span
		source; /* the source of the text, one TOKEN_TEXT of
			   page/scanner.h except in SVG and MathML: every tag or
			   comment ends a text, even an ignored one */
};

enum {
	TEXT_IS_HIDDEN = 1,    /* style display:none, visibility:hidden, hidden,
				  aria-hidden */
	TEXT_IS_NOSCRIPT = 2,  /* inside noscript */
	TEXT_IS_LINK = 4,      /* inside a[href] */
	TEXT_IS_TITLE = 8,     /* inside head (title): never main content */
	TEXT_IS_CONTROL = 16,  /* inside button, select, option, textarea or the
				  label of a form */
	TEXT_IS_TEMPLATE = 32, /* inside template, svg, iframe or noframes */
	TEXT_FLAGS = 63,
	NODE_IS_SVG = 64, /* an SVG element: its title is not the page's */
	NODE_IS_MATHML = 128,
};

struct attribute {
	struct slice name;  /* lower case */
	struct slice value; /* entities decoded; {"",0} if the attribute has no
			       value */
};

struct link {
	uint32_t node;       /* the a, area or link element */
	uint32_t flags;      /* LINK_* */
	struct slice href;   /* as written, trimmed */
	struct slice anchor; /* text inside, collapsed, <= 256 bytes */
};

enum {
	LINK_IS_NOFOLLOW = 1,  /* rel=nofollow, or nofollow in a robots meta */
	LINK_IS_CANONICAL = 2, /* link rel=canonical */
	LINK_IS_ALTERNATE = 4, /* link rel=alternate: feeds and translations */
	LINK_IS_NEXT = 8,      /* rel=next or prev */
	LINK_IS_REFRESH = 16,  /* from meta http-equiv=refresh, or from a script
				  that redirects a page without text */
};

struct page {
	struct arena *arena; /* owns everything below */
	struct slice
		source; /* the whole page in UTF-8; NUL bytes became spaces */
	const struct node *nodes; /* [node_count], pre-order */
	uint32_t node_count;
	const struct text *texts; /* [text_count], document order */
	uint32_t text_count;
	const uint32_t *source_order; /* [text_count] by source; or NULL */
	const uint16_t *tags; /* [tag_count] the tags as written, in source
				 order; TAG_IS_END + tag for end tags */
	uint32_t tag_count;
	const struct attribute *attributes; /* [attribute_count] */
	uint32_t attribute_count;
	const struct link *links; /* [link_count], document order */
	uint32_t link_count;
	const char *text; /* UTF-8 that the texts point into */
	size_t text_bytes;
	struct slice title;       /* collapsed, or empty */
	struct slice language;    /* of html[lang] or the meta, as written */
	struct slice description; /* meta description, collapsed */
	struct slice base;        /* href of the first base element, or empty */
	struct slice charset;     /* original encoding of the source */
	const struct slice *unknown_tags; /* names of tags >= TAG_COUNT */
	uint32_t unknown_tag_count;
	bool is_truncated; /* truncated at a limit: not used for a model */
	bool is_nofollow;  /* meta robots nofollow */
	bool is_noindex;   /* meta robots noindex */
};

struct page_limits {
	size_t max_bytes;        /* of the body */
	uint32_t max_nodes;      /* elements */
	uint32_t max_depth;      /* levels of nested elements, <= 4095 */
	uint32_t max_attributes; /* per tag */
	uint32_t reserved;       /* 0; the struct is sent between processes */
};

/* 10 MB, 200,000 nodes, 512 levels, 256 attributes. */
extern const struct page_limits page_limits_default;

/*
 * Parse a copy of `body`. `charset` is from the Content-Type header, or empty.
 * Never fails on broken HTML; an empty body gives an empty page. Truncates at
 * the limits, and at 4 * max_nodes + 1,024 texts or attributes, and sets
 * is_truncated. The tree follows the HTML standard without scripts, except that
 * an empty page has no elements and that only the last 128 unclosed formatting
 * elements are reopened. ERR_NOT_HTML: the body is binary. Linear; constant
 * stack.
 */
enum error page_parse(struct page **page_out, struct slice body,
		      struct slice charset, const struct page_limits *limits);

/* Do nothing for NULL. */
void page_destroy(struct page *page);

/* Return the name of a tag of the page, in lower case. */
struct slice page_tag_name(const struct page *page, uint16_t tag);

/* Return hash64 of that name with seed 0. */
uint64_t page_tag_hash(const struct page *page, uint16_t tag);

/* Return the value of attribute `name` of node `node`, or {NULL, 0}. */
struct slice page_attribute(const struct page *page, uint32_t node,
			    const char *name);

/* Return the source between the tags of a script. */
struct slice page_script(const struct page *page, uint32_t node);

/* Return the bytes of text node `index`, as parsed. */
struct slice page_text(const struct page *page, uint32_t index);

/*
 * Return the index of the text at position `rank` in the source: almost always
 * `rank`, but text in a table outside of its cells comes before the table.
 */
static inline uint32_t page_text_in_source(const struct page *page,
					   uint32_t rank)
{
	return page->source_order == NULL ? rank : page->source_order[rank];
}

/* Return the size of the longest text; 0 without texts. */
size_t page_longest_text(const struct page *page);

/*
 * Copy `text` to `out` [text.size] with one space for every run of white space,
 * trimmed; return the length. White space is HTML's, and U+00A0, U+3000,
 * U+2000..U+200B, U+FEFF.
 */
size_t text_collapse(struct slice text, char *out);

/* Return whether text_collapse() would make the text empty. */
bool text_is_blank(struct slice text);

#endif
