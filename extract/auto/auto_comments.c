#include "extract/auto/auto_comments.h"

#include "base/arena.h"
#include "extract/auto/auto_choice.h"
#include "extract/auto/auto_claims.h"
#include "extract/auto/auto_score.h"
#include "extract/core/visible.h"
#include "page/page.h"

const bool *auto_comments(struct arena *arena, const struct page *page)
{
	const struct passages passages = passages_make(arena, page);
	const struct page_hints claims = page_hints_of(arena, page);
	const float *scores = comment_scores(arena, &passages, &claims);
	const bool *is_visible = visible_texts(arena, page);
	bool *is_comment = ARENA_NEW(arena, bool, page->text_count);

	for (uint32_t i = 0; i < page->text_count; i++) {
		const uint32_t passage = passages.of_text[i];

		is_comment[i] = passage != NO_PASSAGE && is_visible[i] &&
				choice_is_comment(scores[passage]);
	}
	return is_comment;
}
