/*
 * extract/auto/page_kind.h - features that are the same for all passages of a
 * page and characterise its kind: a list of products has prices, an article
 * long passages, documentation has code.
 */
#ifndef EXTRACT_AUTO_PAGE_KIND_H
#define EXTRACT_AUTO_PAGE_KIND_H

struct passages;

/* name, definition; ln1(x) is ln(1 + x). Only words of PLACE_PLAIN count. */
/* clang-format off */
#define PAGE_KIND_FEATURES(X) \
	X(page_words, "ln1(words)") \
	X(page_passages, "ln1(passages)") \
	X(page_elements, "ln1(elements)") \
	X(page_link_ratio, "ratio of its characters in links") \
	X(page_long_ratio, "ratio of its words in long_words") \
	X(page_prices, "ratio of its passages with a price") \
	X(page_dates, "ratio of its passages with a date") \
	X(page_ends, "ratio of its passages that end a sentence") \
	X(page_paragraphs, "ln1(p elements)") \
	X(page_items, "ln1(li elements)") \
	X(page_headings, "ln1(h2 and h3 elements)") \
	X(page_articles, "ln1(article elements)") \
	X(page_fields, "ln1(form and input elements)") \
	X(page_rows, "ln1(tr elements)") \
	X(page_codes, "ln1(pre and code elements)") \
	X(page_times, "ln1(time elements)") \
	X(page_linked_headings, "ratio of its headings that are links, " \
		"-1: none") \
	X(page_main_ratio, "highest ratio of its words in a main, -1: none") \
	X(page_article_ratio, "the same in an article, -1: none")
/* clang-format on */

enum {
#define X(name, definition) PAGE_KIND_##name,
	PAGE_KIND_FEATURES(X)
#undef X
		PAGE_KIND_COUNT
};

/* Write the row [PAGE_KIND_COUNT] of a page. Linear, constant stack. */
void page_kind_row(const struct passages *passages, float *row);

#endif
