/*
 * extract/structure/structure.h - corrects a choice of passages by the
 * structure of the page. A method judges each passage alone, but readers need a
 * code block, a table, a box or a list as a whole, and no heading without text.
 *
 * A unit is an element whose passages belong together: pre, table, dl, figure,
 * details, blockquote, ul, ol. A gap is a largest element without a kept
 * passage, or a single passage, next to kept passages.
 *
 * 1. A choice for recall, with a threshold below .5, loses the elements of the
 *    frame that have no long text and no passage with a score of .5: forms,
 *    elements whose classes name a bar or a sidebar, and links with classes of
 *    navigation, comments or related pages.
 * 2. A unit that is kept for the most part is kept as a whole; of code and
 *    tables a smaller part is enough, and otherwise the rest is dropped too.
 *    Tables for layout are no units.
 * 3. A short gap between two kept passages is kept if it is a unit, a caption,
 *    a callout or a short text, if it is no list of links, and if its classes
 *    do not name a part of the page's frame. Its score must not be far below
 *    the threshold; directly between long texts of one element, even if they
 *    have headings, a lower score is enough. So a refrain or an answer that the
 *    author repeats inside the body is kept, but a copy of the body is not.
 * 4. A unit is also kept directly after the last long text of an element, and
 *    at the begin and the end of an element that is kept almost as a whole.
 * 5. Texts and code without links that stand between two kept texts of one
 *    element are kept up to 400 words, also after the heading of a new section;
 *    so is the rest of a section with code, most of which is kept.
 * 6. Notes are kept if a mark in the kept text links to them.
 * 7. A heading without kept text or an image before the next heading of the
 *    same or a higher level is dropped.
 */
#ifndef EXTRACT_STRUCTURE_STRUCTURE_H
#define EXTRACT_STRUCTURE_STRUCTURE_H

#include <stdbool.h>

#include "extract/text/passage.h"

struct structure_input {
	const struct passages *passages;
	const float *scores;     /* [passages->count], probabilities */
	const bool *is_chosen;   /* [passages->count] */
	const bool *is_showable; /* [text_count], of showable_texts() */
	/*
	 * [passages->count]: parts of the template, added only to a unit with
	 * other text; or NULL
	 */
	const bool *is_frame;
	double threshold; /* of the scores */
};

/*
 * Return for each passage whether it is kept: [passages->count], owned by
 * `arena`. If no passage is chosen, none is kept. If the choice has 12 words or
 * more, at least one passage is kept. Rule 2 adds hidden passages only to code
 * of which no visible passage is kept, rules 3 to 5 never. Linear in the page;
 * 36 bytes a passage, constant stack.
 */
const bool *structure_choose(struct arena *arena,
			     const struct structure_input *input);

#endif
