/*
 * Reads texts near the title of a page: "By Ann Smith", and dates without
 * markup.
 */
#include "base/arena.h"
#include "extract/metadata/metadata_byline.h"
#include "extract/metadata/metadata_findings.h"
#include "extract/metadata/metadata_label.h"

enum {
	TEXTS_BEFORE = 6, /* texts before the title that are near it */
	TEXTS_BEHIND = 25,
};

static bool text_has_digit(struct slice text)
{
	const char *bytes = text.data;

	for (size_t i = 0; i < text.size; i++)
		if (bytes[i] >= '0' && bytes[i] <= '9')
			return true;
	return false;
}

static struct slice
collapsed_text_at(const struct metadata_candidates *findings, uint32_t index)
{
	struct slice text = page_text(findings->page, index);
	char *out;

	if (text.size > MAX_LABEL)
		return (struct slice){"", 0};
	out = arena_alloc(findings->arena, text.size, 1);
	return (struct slice){out, text_collapse(text, out)};
}

/* Read a name after "by", or in the text after a text that is only "by". */
static void read_byline(struct metadata_candidates *findings, struct slice text,
			uint32_t index)
{
	struct slice rest = byline_rest(text);
	struct slice names[1];

	if (rest.data == NULL)
		return;
	if (rest.size == 0 && index + 1 < findings->page->text_count)
		rest = collapsed_text_at(findings, index + 1);
	if (byline_names(rest, true, names, 1) == 1 &&
	    byline_is_person(names[0]))
		findings_add(findings, SUBJECT_AUTHOR, rest, "byline", 56);
}

void findings_near(struct metadata_candidates *findings)
{
	uint32_t title = findings->title_end;
	uint32_t end = findings->page->text_count;

	if (title == NO_TEXT)
		return;
	if (title + TEXTS_BEHIND < end)
		end = title + TEXTS_BEHIND;
	for (uint32_t i = title < TEXTS_BEFORE ? 0 : title - TEXTS_BEFORE;
	     i < end; i++) {
		struct slice text = collapsed_text_at(findings, i);

		if (text.size == 0 || (i >= findings->title_begin && i < title))
			continue;
		read_byline(findings, text, i);
		if (text_has_digit(text))
			findings_add(findings, SUBJECT_PUBLISHED, text,
				     "byline", 54);
	}
}
