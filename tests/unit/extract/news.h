/*
 * tests/unit/extract/news.h - what is asked of every method that learns of the
 * pages of a cluster, whatever its scores are.
 */
#ifndef TESTS_UNIT_EXTRACT_NEWS_H
#define TESTS_UNIT_EXTRACT_NEWS_H

/* Of four pages of one site, articles are kept and menus are not. */
void assert_articles_are_told_from_menus(const char *method);

/* Also when no other page has it. */
void assert_hidden_text_is_never_content(const char *method);

/* Nothing to judge, and texts outside of any element. */
void assert_small_pages_are_judged(const char *method);

#endif
