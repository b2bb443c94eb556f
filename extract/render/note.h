/*
 * extract/render/note.h - finds the footnotes of a page: the marks in the text,
 * the notes that they lead to, and the links back to the text.
 */
#ifndef EXTRACT_RENDER_NOTE_H
#define EXTRACT_RENDER_NOTE_H

#include <stdint.h>

#include "base/buffer.h"

struct arena;
struct render_request;

enum note_kind {
	NOTE_MARK, /* in the text: a link to the note, or the sup around it */
	NOTE_TEXT, /* the element of the note: a li, p, dd, div, ... */
	NOTE_BACK, /* in the note: a link back to the mark, or the element that
		      repeats the mark around it */
};

struct note_place {
	uint32_t node;
	enum note_kind kind;
	struct slice label; /* name of the note: letters, digits, "-" and "_" */
};

struct notes {
	const struct note_place *places; /* [count], by ascending node */
	uint32_t count;
};

/*
 * Return the notes that are after their marks, if both are kept. The label of a
 * note is its mark without brackets, or "note-1" and so on if that is no word
 * or taken. The result belongs to `arena`. O(n log n) for n ids, but almost no
 * cost on a page without marks.
 */
struct notes notes_find(struct arena *arena,
			const struct render_request *request);

/* Return the place at an element, or NULL. O(log n). */
const struct note_place *notes_at(const struct notes *notes, uint32_t node);

/*
 * Return the label of the note that the element is, or "". `notes` may be NULL.
 */
struct slice notes_label(const struct notes *notes, uint32_t node);

#endif
