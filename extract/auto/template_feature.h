/*
 * extract/auto/template_feature.h - the evidence of the other pages of the
 * template about a passage, as a row of numbers: the features of the third
 * forest of `auto`.
 *
 * A slot is a path of elements with their classes, as in
 * extract/methods/slot.h: of the passage's element, of its parent (the group)
 * and of the parent's parent (the section). Features of a slot are over all
 * pages, including this page; frequencies are only over the other pages.
 */
#ifndef EXTRACT_AUTO_TEMPLATE_FEATURE_H
#define EXTRACT_AUTO_TEMPLATE_FEATURE_H

/*
 * name, definition; ln1(x) is ln(1 + x), odds are log odds. A score is the
 * score by the page alone; means are weighted by words.
 */
/* clang-format off */
#define TEMPLATE_FEATURES(X) \
	X(odds, "odds of the passage's score") \
	X(sureness, "mean of the absolute odds on the page") \
	X(others, "ln1(other pages)") \
	X(frequency, "ratio of the other pages with its text (DF)") \
	X(frequency_in_slot, "the same in its slot") \
	X(frequency_elsewhere, "the same only in other slots") \
	X(frequency_as_link, "the same where most of it is a link") \
	X(frequency_of_begin, "ratio of the other pages with another text " \
		"that begins with the same 6 terms") \
	X(slot_odds, "odds of the mean score in the slot") \
	X(slot_spread, "standard deviation of its pages' mean scores") \
	X(slot_agreement, "ratio of its pages whose mean score is over 1/2") \
	X(slot_variability, "ratio of its words in texts of only one page") \
	X(slot_presence, "ratio of the other pages that have the slot") \
	X(slot_share, "ratio of all content, by scores, that is in it") \
	X(slot_words, "ln1(its words per page with the slot)") \
	X(slot_passages, "ln1(its passages per page with the slot)") \
	X(slot_links, "ratio of its words in links") \
	X(slot_ends, "ratio of its passages that end a sentence") \
	X(slot_dates, "ratio of its passages with a date") \
	X(group_odds, "as slot_odds, of the group") \
	X(group_variability, "as slot_variability, of the group") \
	X(group_presence, "as slot_presence, of the group") \
	X(group_share, "as slot_share, of the group") \
	X(section_odds, "as slot_odds, of the section") \
	X(section_variability, "as slot_variability, of the section") \
	X(section_presence, "as slot_presence, of the section") \
	X(section_share, "as slot_share, of the section") \
	X(near_odds, "mean odds of the 3 passages on each side") \
	X(near_slot_odds, "mean slot_odds of the 3 passages on each side") \
	X(words, "ln1(its words)") \
	X(links, "ratio of its characters in links") \
	X(has_date, "1: it has a date") \
	X(ends_sentence, "1: it ends a sentence") \
	X(template_sureness, "mean of the absolute odds on all pages") \
	X(template_words, "ln1(words of a page)") \
	X(template_content, "mean score on all pages")
/* clang-format on */

enum {
#define X(name, definition) TEMPLATE_##name,
	TEMPLATE_FEATURES(X)
#undef X
		TEMPLATE_COUNT
};

#endif
