#include "extract/text/comment.h"

#include <stdint.h>

#include "extract/core/visible.h"
#include "extract/text/class_group.h"
#include "page/page.h"
#include "store/arena.h"

/*
 * Groups of elements among comments that are no comments: share, reply,
 * related, sign in.
 */
enum {
	GROUPS_BESIDE = 1 << GROUP_SIDEBAR | 1 << GROUP_RELATED |
			1 << GROUP_POPUP | 1 << GROUP_SOCIAL |
			1 << GROUP_ACTION,
};

enum standing { OUTSIDE, INSIDE, BESIDE };

/*
 * Where the text inside the element stands: outside of comments, inside, or
 * beside the content.
 */
static enum standing standing_of(const struct page *page, uint32_t node,
				 enum standing around)
{
	/* microdata says Comment or UserComments, and comment */
	uint32_t groups =
		class_groups_of(page_attribute(page, node, "class")) |
		class_groups_of(page_attribute(page, node, "id")) |
		class_groups_of(page_attribute(page, node, "itemtype")) |
		class_groups_of(page_attribute(page, node, "itemprop"));

	switch (page->nodes[node].tag) {
	case TAG_html: /* "comments-open" */
	case TAG_body:
		return OUTSIDE;
	case TAG_form:
	case TAG_fieldset:
	case TAG_aside:
		return BESIDE;
	case TAG_a: /* "3 comments" */
		return around;
	default:
		break;
	}
	if ((groups & GROUPS_BESIDE) != 0)
		return BESIDE;
	return (groups & 1U << GROUP_COMMENT) != 0 ? INSIDE : around;
}

/*
 * Comments inside an element that stands beside the content (a sidebar) are
 * comments all the same: many pages give half of the page a class such as
 * "sidebar" (tests/eval/RESULTS.md, "What parameters were chosen by").
 */
const bool *comment_texts(struct arena *arena, const struct page *page)
{
	const uint32_t never = TEXT_IS_NOSCRIPT | TEXT_IS_CONTROL;
	const bool *is_visible = visible_texts(arena, page);
	bool *is_comment = ARENA_NEW(arena, bool, page->text_count);
	enum standing *standings =
		ARENA_NEW(arena, enum standing, page->node_count);

	for (uint32_t i = 0; i < page->node_count; i++) {
		uint32_t parent = page->nodes[i].parent;

		standings[i] = standing_of(
			page, i,
			parent == NO_NODE ? OUTSIDE : standings[parent]);
	}
	for (uint32_t i = 0; i < page->text_count; i++) {
		const struct text *text = &page->texts[i];

		is_comment[i] = is_visible[i] && (text->flags & never) == 0 &&
				text->node != NO_NODE &&
				standings[text->node] == INSIDE;
	}
	return is_comment;
}
