/*
 * page/select/css_xpath.h - a CSS selector as an XPath expression that selects
 * the same elements of a page (page/select/xpath.h). For people alone: guards
 * and the candidates for a lost one are told in both languages, so that either
 * kind of scraper can take them. Nothing is evaluated through it.
 */
#ifndef PAGE_SELECT_CSS_XPATH_H
#define PAGE_SELECT_CSS_XPATH_H

struct arena;

/*
 * Translate `text`, in the grammar of page/select/selector.h; into `arena`.
 * NULL, with an English phrase in `error_out` [256], when it is wrong, or is
 * :first-of-type or :nth-of-type() without the name of a tag in front, which
 * XPath 1.0 cannot say.
 */
const char *css_xpath(struct arena *arena, const char *text, char *error_out);

#endif
