/*
 * page/page_kind.h - what a page is for: an article, a product, a list. The
 * names of templates begin with the kind of their pages.
 */
#ifndef PAGE_PAGE_KIND_H
#define PAGE_PAGE_KIND_H

#include "base/buffer.h"

struct page;

/* Each row: constant, stored number, name. */
#define PAGE_KIND_LIST(X)                         \
	X(KIND_UNKNOWN, 0, "page")                \
	X(KIND_HOME, 1, "home")                   \
	X(KIND_ARTICLE, 2, "article")             \
	X(KIND_PRODUCT, 3, "product")             \
	X(KIND_LIST, 4, "list")                   \
	X(KIND_TOPIC, 5, "topic")                 \
	X(KIND_PROFILE, 6, "profile")             \
	X(KIND_SEARCH, 7, "search")               \
	X(KIND_ERROR, 8, "error")                 \
	X(KIND_DOCUMENTATION, 9, "documentation") \
	X(KIND_CART, 10, "cart")                  \
	X(KIND_LOGIN, 11, "login")                \
	X(KIND_FORM, 12, "form")                  \
	X(KIND_HISTORY, 13, "history")            \
	X(KIND_EDIT, 14, "edit")                  \
	X(KIND_FILE, 15, "file")                  \
	X(KIND_VIDEO, 16, "video")                \
	X(KIND_EVENT, 17, "event")                \
	X(KIND_ORGANIZATION, 18, "organization")  \
	X(KIND_INFO, 19, "info")                  \
	X(KIND_PLAIN, 20, "page")

enum page_kind {
#define X(name, value, text) name = (value),
	PAGE_KIND_LIST(X)
#undef X
		PAGE_KIND_COUNT = 21
};

/* Return the name, for example "list"; "page" for other numbers. */
const char *page_kind_name(unsigned kind);

/*
 * Return the kind for which the page gives most evidence: the classes of html
 * and body, types of schema.org, og:type, the URL, the title, and the shape of
 * the page. `path` is the path and the query of its URL. KIND_UNKNOWN: there is
 * too little evidence. Linear.
 */
enum page_kind page_kind_of(const struct page *page, struct slice path);

/* Return the kind that the URL alone shows. */
enum page_kind page_kind_of_path(struct slice path);

/*
 * Write the path to `out` [max] with its escapes decoded, also those that are
 * escaped twice, as in the links of some mirrors. Return the length.
 */
size_t url_path_decode(struct slice path, char *out, size_t max);

#endif
