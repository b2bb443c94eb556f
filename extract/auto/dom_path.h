/*
 * extract/auto/dom_path.h - features of a passage from its DOM path, that is,
 * the elements around it: the distances to article, nav, li and so on, the
 * meaning of their class names, how much text of each kind they contain, how
 * often they repeat, and their Readability scores.
 */
#ifndef EXTRACT_AUTO_DOM_PATH_H
#define EXTRACT_AUTO_DOM_PATH_H

#include "extract/text/passage.h"

/*
 * The number of steps from the passage's element (0) up to the nearest element
 * of a kind; 30 = none.
 */
/* clang-format off */
#define DOM_PATH_CLASS "steps up to a class or id, 30: none: "

#define DOM_PATH_DISTANCES(X) \
	X(to_article, "steps up to article or role=article, 30: none") \
	X(to_main, "steps up to main or role=main, 30: none") \
	X(to_nav, "steps up to nav or role=navigation, menu, menubar, " \
		"tablist, 30: none") \
	X(to_header, "steps up to header or role=banner, 30: none") \
	X(to_footer, "steps up to footer or role=contentinfo, 30: none") \
	X(to_aside, "steps up to aside or role=complementary, 30: none") \
	X(to_section, "steps up to section, 30: none") \
	X(to_form, "steps up to form or role=search, 30: none") \
	X(to_ul, "steps up to ul, 30: none") \
	X(to_ol, "steps up to ol, 30: none") \
	X(to_table, "steps up to table, 30: none") \
	X(to_a, "steps up to a, 30: none") \
	X(to_button, "steps up to button or role=button, 30: none") \
	X(to_figure, "steps up to figure, 30: none") \
	X(to_details, "steps up to details, 30: none") \
	X(to_dialog, "steps up to dialog or role=dialog, alertdialog, " \
		"30: none") \
	X(to_dl, "steps up to dl, 30: none") \
	X(to_pre, "steps up to pre, 30: none") \
	X(to_blockquote, "steps up to blockquote, 30: none") \
	X(to_label, "steps up to label, 30: none") \
	X(to_li, "steps up to li, 30: none") \
	X(to_cell, "steps up to td or th, 30: none") \
	X(to_heading, "steps up to h1..h6, 30: none") \
	X(to_class_navigation, DOM_PATH_CLASS "nav, menu, ...") \
	X(to_class_header, DOM_PATH_CLASS "header, masthead, hero, ...") \
	X(to_class_footer, DOM_PATH_CLASS "footer, copyright, legal, ...") \
	X(to_class_sidebar, DOM_PATH_CLASS "sidebar, rail, widget, ...") \
	X(to_class_comment, DOM_PATH_CLASS "comment, reply, discussion, ...") \
	X(to_class_related, \
		DOM_PATH_CLASS "related, recommended, popular, ...") \
	X(to_class_social, DOM_PATH_CLASS "share, social, follow, ...") \
	X(to_class_popup, \
		DOM_PATH_CLASS "cookie, modal, newsletter, login, ...") \
	X(to_class_advertisement, DOM_PATH_CLASS "ad, sponsored, ...") \
	X(to_class_content, \
		DOM_PATH_CLASS "content, main, article, post, ...") \
	X(to_class_article_body, \
		DOM_PATH_CLASS "articlebody, postcontent, ...") \
	X(to_class_product, DOM_PATH_CLASS "product, price, cart, ...") \
	X(to_class_description, \
		DOM_PATH_CLASS "description, details, specs, ...") \
	X(to_class_review, DOM_PATH_CLASS "review, rating, testimonial, ...") \
	X(to_class_item, DOM_PATH_CLASS "card, grid, item, list, result, ...") \
	X(to_class_filter, DOM_PATH_CLASS "filter, facet, sort, search, ...") \
	X(to_class_metadata, \
		DOM_PATH_CLASS "meta, byline, author, date, tags, ...") \
	X(to_class_forum, \
		DOM_PATH_CLASS "thread, topic, message, answer, ...") \
	X(to_class_documentation, \
		DOM_PATH_CLASS "docs, reference, api, code, ...") \
	X(to_class_accordion, \
		DOM_PATH_CLASS "faq, accordion, toggle, tab, ...") \
	X(to_class_media, \
		DOM_PATH_CLASS "caption, image, gallery, carousel, ...") \
	X(to_class_action, DOM_PATH_CLASS "button, link, icon, ...")

/*
 * Each line has a name and a definition. ln1(x) is ln(1 + x). Sums are over the
 * passages of PLACE_PLAIN inside an element: "1 up" is the parent of the
 * passage's element, "2 up" the grandparent, and so on up to the whole page.
 */
#define DOM_PATH_FEATURES(X) \
	X(depth, "elements around it") \
	X(element_kind, "enum tag_kind of its element") \
	DOM_PATH_DISTANCES(X) \
	X(class_groups, "kinds of class that the elements around it have") \
	\
	X(element_words, "ln1(words of its element)") \
	X(words_1up, "ln1(words), 1 up") \
	X(words_2up, "ln1(words), 2 up") \
	X(words_4up, "ln1(words), 4 up") \
	X(link_ratio_1up, "ratio of characters in links, 1 up") \
	X(link_ratio_2up, "ratio of characters in links, 2 up") \
	X(link_ratio_4up, "ratio of characters in links, 4 up") \
	X(passages_1up, "ln1(passages), 1 up") \
	X(passages_2up, "ln1(passages), 2 up") \
	X(passages_4up, "ln1(passages), 4 up") \
	X(page_ratio_2up, "ratio of the page's words, 2 up") \
	X(page_ratio_4up, "ratio of the page's words, 4 up") \
	X(ends_2up, "ratio of passages that end a sentence, 2 up") \
	X(ends_4up, "ratio of passages that end a sentence, 4 up") \
	X(long_ratio_2up, "ratio of words in long_words, 2 up") \
	X(long_ratio_4up, "ratio of words in long_words, 4 up") \
	X(prices_2up, "ratio of passages with a price, 2 up") \
	X(prices_4up, "ratio of passages with a price, 4 up") \
	X(dates_4up, "ratio of passages with a date, 4 up") \
	\
	X(density, "characters per element of its element, over the page's: " \
		"CETD") \
	X(highest_density, "the highest density of the elements around it") \
	X(composite_density, "ln1(the highest composite density of its " \
		"element and the five around that): CETD") \
	\
	X(subtree_score, "the highest score of the elements around it: " \
		"Readability") \
	X(subtree_ratio, "subtree_score over the page's highest") \
	X(in_top, "1 inside the element of the highest score") \
	X(to_top, "steps up from that element to the first that is also " \
		"around the passage, at most 30") \
	\
	X(repeats, "siblings of its element with its tag and classes, and " \
		"itself; at most 50") \
	X(repeats_1up, "repeats of its element's parent, at most 50") \
	X(repeats_2up, "repeats of that one's parent, at most 50") \
	X(to_item, "steps up to an item, an element that repeats >= 3 times, " \
		"30: none") \
	X(item_words, "ln1(words of that item), 0: none") \
	X(item_repeats, "how often it repeats, at most 100, 0: none") \
	X(item_link_ratio, "ratio of characters in links in it, 0: none") \
	X(item_dates, "ratio of passages with a date in it, 0: none") \
	X(list_ends, "ratio of passages that end a sentence in the item's " \
		"parent, 0: none") \
	X(list_dates, "ratio of passages with a date there, 0: none") \
	X(list_link_ratio, "ratio of characters in links in the item's " \
		"parent, 0: none") \
	X(list_page_ratio, "ratio of the page's words in the item's parent") \
	X(list_long_ratio, "ratio of words in long_words there, 0: none") \
	\
	X(path_words, "ln1(words of the passages on its path of elements " \
		"and classes)") \
	X(path_passages, "ln1(passages on its path)") \
	X(path_page_ratio, "ratio of the page's words on its path") \
	X(path_link_ratio, "ratio of words in links, on its path") \
	X(path_mean_words, "words per passage, on its path") \
	X(path_ends, "ratio of passages that end a sentence, on its path")
/* clang-format on */

enum {
#define X(name, definition) DOM_PATH_##name,
	DOM_PATH_FEATURES(X)
#undef X
		DOM_PATH_COUNT
};

/*
 * Count repetitions and score the elements, for dom_path_next(). Everything
 * belongs to `arena`: 24 bytes an element, 96 a path of elements and classes,
 * and 160 for each level of the tree. The call needs 64 more bytes an element
 * while it runs. Linear, constant stack.
 */
struct dom_path *dom_path_make(struct arena *arena,
			       const struct passages *passages);

/*
 * Write the features of the next passage to row [DOM_PATH_COUNT]. The first
 * call is for the first passage. All calls together are linear at any depth,
 * because they enter every element once.
 */
void dom_path_next(struct dom_path *dom_path, float *row);

/*
 * Return the counts of repetitions in the page. They live as long as
 * `dom_path`.
 */
const struct repetition *dom_path_repetition(const struct dom_path *dom_path);

#endif
