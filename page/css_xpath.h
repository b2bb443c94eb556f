/*
 * page/css_xpath.h - translates a CSS selector to an XPath expression
 * that selects the same elements of a page (page/xpath.h). For output
 * only: guards, and the candidates for a lost one, are shown in both languages,
 * so that users of either kind of scraper can copy them. Nothing evaluates the
 * translation.
 */
#ifndef PAGE_CSS_XPATH_H
#define PAGE_CSS_XPATH_H

struct arena;

/*
 * Translate `text`, in the grammar of page/selector.h, into `arena`.
 * Return NULL, with an English phrase in `error_out` [256], if the selector is
 * wrong or contains :first-of-type or :nth-of-type() without a tag name before
 * it, which XPath 1.0 cannot express.
 */
const char *css_xpath(struct arena *arena, const char *text, char *error_out);

#endif
