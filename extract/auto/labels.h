/*
 * extract/auto/labels.h - limits how the other pages of a template may correct
 * the scores of a page.
 *
 * Only a text that many other pages contain can be part of the template:
 * - A text that few other pages contain keeps at least its score by the page
 *   alone, and exactly this score if most texts of its slot have a date. (A
 * line such as "Posted on May 2" differs on each page, as content does.)
 * - A text that many other pages contain gets at most that score.
 * - A label that many other pages contain depends on what it labels: its score
 *   is at least the lower one of its score by the page alone and the highest
 *   score of what it labels. So "Price:" stays in a table whose values stay.
 *
 * Many are more than a third of the other pages (Gottron 2008, section 6), and
 * at least two, because one of them may be a copy of this page. A label is a
 * heading, a caption, or a passage of fewer than MIN_REPEATED_WORDS words. A
 * heading labels the next passage. Any other label is for the nearest table,
 * list or figure around it, except a table around another table, which only
 * lays out the page. A caption is also for the passages before and after its
 * figure.
 */
#ifndef EXTRACT_AUTO_LABELS_H
#define EXTRACT_AUTO_LABELS_H

#include <stdbool.h>

#include "extract/auto/auto_template.h"
#include "extract/text/passage.h"

struct arena;

/*
 * Limit scores [passages->count], which evidence_apply() has corrected by
 * `evidence`, in place. Linear, constant stack; scratch memory comes from
 * `arena`: 8 bytes an element and 1 a passage.
 */
void evidence_limit(struct arena *arena, const struct passages *passages,
		    const struct passage_evidence *evidence, float *scores);

/*
 * Return for each passage whether many other pages of the template contain it:
 * [passages->count], owned by `arena`. Linear.
 */
const bool *passages_on_many_pages(struct arena *arena,
				   const struct passages *passages,
				   const struct passage_evidence *evidence);

#endif
