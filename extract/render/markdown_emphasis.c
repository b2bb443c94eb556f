#include "extract/render/markdown_emphasis.h"

#include "extract/render/inline_chain.h"
#include "extract/render/markdown_line.h"

bool markdown_is_emphasis(uint16_t tag)
{
	enum inline_kind kind = inline_kind(tag);

	return kind == INLINE_STRONG || kind == INLINE_EMPHASIS;
}

bool markdown_is_tag(uint16_t tag)
{
	enum inline_kind kind = inline_kind(tag);

	return kind == INLINE_SUBSCRIPT || kind == INLINE_SUPERSCRIPT;
}

/*
 * Return true if the run writes anything; an element without a mark in
 * CommonMark writes nothing.
 */
static bool run_is_visible(const struct markdown_run *run)
{
	switch (run->kind) {
	case RUN_OPEN:
	case RUN_CLOSE:
		return (inline_kind(run->tag) == INLINE_LINK &&
			!run->is_left_out) ||
		       inline_kind(run->tag) == INLINE_CODE ||
		       markdown_is_tag(run->tag) ||
		       (markdown_is_emphasis(run->tag) && run->mark != '\0');
	default:
		return true;
	}
}

static enum markdown_class
class_of_run(const struct markdown_line *line, size_t at,
	     enum markdown_class (*class_of_text)(struct slice text))
{
	switch (line->runs[at].kind) {
	case RUN_TEXT:
		return class_of_text(markdown_run_bytes(line, at));
	case RUN_SPACE:
	case RUN_BREAK:
		return MARKDOWN_SPACE;
	default: /* [ ] ! ) ` * _ < > */
		return MARKDOWN_PUNCTUATION;
	}
}

/*
 * Return the class of the first character that run `at` and the runs after it
 * write. Emphasis after `decided` is not yet decided; its mark would not be a
 * space.
 */
static enum markdown_class class_after(const struct markdown_line *line,
				       size_t at, size_t decided)
{
	bool is_sure = true;
	enum markdown_class class = MARKDOWN_SPACE;

	for (; at < line->count; at++) {
		const struct markdown_run *run = &line->runs[at];

		if (run->kind == RUN_OPEN && markdown_is_emphasis(run->tag) &&
		    at > decided)
			is_sure = false;
		else if (run_is_visible(run))
			break;
	}
	if (at < line->count)
		class = class_of_run(line, at, markdown_class_first);
	return is_sure || class == MARKDOWN_SPACE ? class : MARKDOWN_UNSURE;
}

/*
 * Return the class of the last character that run `at` and the runs before it
 * write.
 */
static enum markdown_class class_before(const struct markdown_line *line,
					size_t at)
{
	bool is_sure = true;
	enum markdown_class class;

	for (; line->runs[at].kind == RUN_CLOSE && at > 0; at--) {
		if (inline_kind(line->runs[at].tag) == INLINE_LINK ||
		    inline_kind(line->runs[at].tag) == INLINE_CODE ||
		    markdown_is_tag(line->runs[at].tag))
			break;
		is_sure = false;
	}
	class = class_of_run(line, at, markdown_class_last);
	return is_sure || class == MARKDOWN_SPACE ? class : MARKDOWN_UNSURE;
}

static bool is_edge(enum markdown_class class)
{
	return class == MARKDOWN_SPACE || class == MARKDOWN_PUNCTUATION;
}

/*
 * Return true if a parser can read a run of * between `outer` and `inner` as a
 * mark of the inner side: left-flanking before it, right-flanking after it.
 */
static bool is_flanking(enum markdown_class outer, enum markdown_class inner)
{
	if (inner == MARKDOWN_SPACE)
		return false;
	return is_edge(outer) || inner == MARKDOWN_LETTER;
}

char markdown_emphasis_mark(const struct markdown_line *line, size_t at,
			    enum markdown_class before, char last_mark)
{
	const struct markdown_run *run = &line->runs[at];
	enum markdown_class behind = class_after(line, run->partner + 1, at);
	char mark = '\0';

	if (!is_flanking(before, class_after(line, at + 1, at)) ||
	    !is_flanking(behind, class_before(line, run->partner - 1)))
		return '\0';
	if (inline_kind(run->tag) == INLINE_STRONG ||
	    (run->partner == at + 2 && before == MARKDOWN_LETTER &&
	     behind == MARKDOWN_LETTER))
		mark = '*';
	else if (is_edge(before) && is_edge(behind))
		mark = '_';
	if (mark == last_mark)
		return '\0';
	return mark;
}
