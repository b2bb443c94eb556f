#include "extract/render/note.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/utf8.h"
#include "extract/core/extractor.h"
#include "extract/core/numeric.h"
#include "extract/render/element_role.h"
#include "extract/render/render.h"
#include "page/page.h"

enum {
	MAX_NOTES = LIMIT(4096, 16), /* marks of a page */
	MAX_BACK_LINKS = 16,         /* links in a note that are checked */
	MAX_MARK_TEXTS = 3,          /* as of "[", "1", "]" */
	MAX_MARK_BYTES = 16,
	MAX_NOTE_TEXTS = 64,
	MAX_NOTE_DEPTH = 4, /* elements between a target and its block */
	MAX_MARK_DEPTH = 2, /* elements around a mark that may have its id */
};

/* A mark, and the note that it leads to. */
struct note_mark {
	uint32_t node;   /* the link */
	uint32_t target; /* the element with the id, or NO_NODE */
	uint32_t note;   /* the element of the note, or NO_NODE */
	uint64_t hash;   /* of the id */
	bool is_named;   /* its class or role tells that it is a mark */
	char label[MAX_MARK_BYTES + 1];
};

struct note_finder {
	const struct render_request *request;
	const struct page *page;
	struct note_mark *marks; /* [count], in document order */
	uint32_t count;
	struct note_place *places; /* [place_count] */
	uint32_t place_count;
};

static int order_places(const void *left, const void *right)
{
	const struct note_place *a = left;
	const struct note_place *b = right;

	return a->node == b->node ? (a->kind > b->kind) - (a->kind < b->kind)
				  : order_u32(&a->node, &b->node);
}

static int order_marks(const void *left, const void *right)
{
	const struct note_mark *a = left;
	const struct note_mark *b = right;

	return a->hash == b->hash ? order_u32(&a->node, &b->node)
				  : (a->hash > b->hash) - (a->hash < b->hash);
}

static int order_marks_by_node(const void *left, const void *right)
{
	return order_u32(&((const struct note_mark *)left)->node,
			 &((const struct note_mark *)right)->node);
}

/* Return the id that an address in the page names, or an empty slice. */
static struct slice fragment_of(struct slice href)
{
	if (href.size < 2 || slice_byte(href, 0) != '#')
		return (struct slice){"", 0};
	return (struct slice){(const char *)href.data + 1, href.size - 1};
}

static bool is_label_byte(char byte)
{
	return is_alphanumeric(byte) || byte == '-' || byte == '_';
}

/*
 * Write the text of a mark without brackets and spaces to `label`, which stays
 * empty if the text has other signs, such as *. Return false if the text is too
 * long for a mark.
 */
static bool read_label(const struct page *page, const struct node *link,
		       char label[MAX_MARK_BYTES + 1])
{
	size_t size = 0;
	bool is_word = true;

	*label = '\0';
	if (link->end_text - link->first_text > MAX_MARK_TEXTS)
		return false;
	for (uint32_t i = link->first_text; i < link->end_text; i++) {
		struct slice text = page_text(page, i);

		for (size_t k = 0; k < text.size; k++) {
			char byte = slice_byte(text, k);

			if (strchr("[]() \t\n", byte) != NULL && byte != '\0')
				continue;
			if (size == MAX_MARK_BYTES)
				return false;
			is_word &= is_label_byte(byte);
			label[size++] = byte;
		}
	}
	label[is_word ? size : 0] = '\0';
	return size > 0;
}

/* Return true if the link is in a sup, or a sup is directly in it. */
static bool is_raised(const struct page *page, uint32_t node)
{
	uint32_t parent = page->nodes[node].parent;

	return (parent != NO_NODE && page->nodes[parent].tag == TAG_sup) ||
	       (node + 1 < page->nodes[node].end &&
		page->nodes[node + 1].tag == TAG_sup);
}

/* Collect the kept links that look like marks. */
static void collect_marks(struct note_finder *finder)
{
	const struct page *page = finder->page;

	for (uint32_t i = 0; i < page->link_count; i++) {
		const struct link *link = &page->links[i];
		const struct node *node = &page->nodes[link->node];
		struct slice id = fragment_of(link->href);
		struct note_mark mark = {
			.node = link->node,
			.target = NO_NODE,
			.note = NO_NODE,
		};

		if (id.size == 0 || node->tag != TAG_a ||
		    node->first_text == node->end_text ||
		    finder->count == MAX_NOTES ||
		    !finder->request->verdicts[node->first_text].is_content)
			continue;
		mark.is_named = element_is_note_mark(page, link->node);
		if ((!mark.is_named && !is_raised(page, link->node)) ||
		    !read_label(page, node, mark.label))
			continue;
		mark.hash = hash64(id.data, id.size, 0);
		finder->marks[finder->count++] = mark;
	}
}

/* Find the elements whose ids the marks name. */
static void find_targets(struct note_finder *finder)
{
	const struct page *page = finder->page;

	qsort(finder->marks, finder->count, sizeof(*finder->marks),
	      order_marks);
	for (uint32_t i = 0; i < page->node_count; i++) {
		struct slice id = {NULL, 0};
		uint64_t hash;
		size_t at;

		if (page->nodes[i].attribute_count > 0)
			id = page_attribute(page, i, "id");
		if (id.size == 0)
			continue;
		hash = hash64(id.data, id.size, 0);
		LOWER_BOUND(at, finder->count, finder->marks[at].hash < hash);
		for (; at < finder->count && finder->marks[at].hash == hash &&
		       finder->marks[at].target == NO_NODE;
		     at++)
			finder->marks[at].target = i;
	}
	qsort(finder->marks, finder->count, sizeof(*finder->marks),
	      order_marks_by_node);
}

/* Return true if the texts of the node are those of a note, and one is kept. */
static bool is_note_text(const struct note_finder *finder,
			 const struct node *node)
{
	if (node->end_text - node->first_text > MAX_NOTE_TEXTS)
		return false;
	for (uint32_t i = node->first_text; i < node->end_text; i++)
		if (finder->request->verdicts[i].is_content &&
		    finder->page->texts[i].length > MAX_MARK_TEXTS)
			return true;
	return false;
}

/*
 * Return the element of the note: the target of the mark, or the block around
 * it; NO_NODE if it is no note.
 */
static uint32_t note_of_target(const struct note_finder *finder,
			       const struct note_mark *mark)
{
	const struct page *page = finder->page;
	uint32_t node = mark->target;

	for (unsigned i = 0;
	     i < MAX_NOTE_DEPTH && node != NO_NODE &&
	     (tag_flags(page->nodes[node].tag) & TAG_IS_BLOCK) == 0;
	     i++)
		node = page->nodes[node].parent;
	/* a link to a text before it is a link back */
	if (node == NO_NODE || mark->target < mark->node ||
	    node <= mark->node || !is_note_text(finder, &page->nodes[node]))
		return NO_NODE;
	switch (page->nodes[node].tag) {
	case TAG_li:
	case TAG_p:
	case TAG_dd:
		return node;
	case TAG_aside:
	case TAG_div:
	case TAG_section:
		return mark->is_named ? node : NO_NODE;
	default:
		return NO_NODE;
	}
}

/* Return true if `id` is the id of the mark or of an element around it. */
static bool mark_has_id(const struct page *page, uint32_t node, struct slice id)
{
	for (unsigned i = 0; i <= MAX_MARK_DEPTH && node != NO_NODE; i++) {
		if (slice_equal(page_attribute(page, node, "id"), id))
			return true;
		node = page->nodes[node].parent;
	}
	return false;
}

static void add_place(struct note_finder *finder, uint32_t node,
		      enum note_kind kind, struct slice label)
{
	finder->places[finder->place_count++] =
		(struct note_place){node, kind, label};
}

/*
 * Return the link back from a note, or the element around it that has no text
 * but the mark again, as in [1].
 */
static uint32_t outermost_of_back_link(const struct page *page, uint32_t node,
				       const struct note_mark *mark)
{
	char label[MAX_MARK_BYTES + 1];

	for (unsigned i = 0; i < MAX_MARK_DEPTH; i++) {
		uint32_t parent = page->nodes[node].parent;

		if (parent == NO_NODE || parent <= mark->note ||
		    !read_label(page, &page->nodes[parent], label) ||
		    strcmp(label, mark->label) != 0)
			break;
		node = parent;
	}
	return node;
}

/* Add the links from the note back to the mark. */
static void add_back_links(struct note_finder *finder,
			   const struct note_mark *mark)
{
	const struct page *page = finder->page;
	size_t first;

	LOWER_BOUND(first, page->link_count,
		    page->links[first].node < mark->note);
	for (size_t i = first;
	     i < page->link_count && i < first + MAX_BACK_LINKS &&
	     page->links[i].node < page->nodes[mark->note].end;
	     i++) {
		struct slice id = fragment_of(page->links[i].href);

		if (id.size > 0 && mark_has_id(page, mark->node, id)) {
			add_place(finder,
				  outermost_of_back_link(
					  page, page->links[i].node, mark),
				  NOTE_BACK, (struct slice){"", 0});
			return;
		}
	}
}

/* Return the mark itself, or the sup around it if that has no other text. */
static uint32_t outermost_of_mark(const struct page *page, uint32_t node)
{
	uint32_t parent = page->nodes[node].parent;

	return parent != NO_NODE && page->nodes[parent].tag == TAG_sup &&
			       page->nodes[parent].first_text ==
				       page->nodes[node].first_text &&
			       page->nodes[parent].end_text ==
				       page->nodes[node].end_text
		       ? parent
		       : node;
}

struct note_entry {
	uint64_t key; /* of the element, or of the label */
	uint32_t target;
	struct slice label;
};

static const char number_prefix[] = "note-";

/*
 * Return the label of a note: the text of its mark, or "note-1" and so on if
 * the text is empty, looks like such a number, or is the label of another note.
 * Parsers of Markdown ignore the case of labels.
 */
static struct slice choose_label(struct arena *arena, struct hash_table *labels,
				 const char *text, uint32_t note)
{
	uint32_t count = labels->count;
	size_t size = 0;
	char key[MAX_MARK_BYTES + 1];
	char number[sizeof("note-4294967295")];

	for (; size < MAX_MARK_BYTES && text[size] != '\0'; size++)
		key[size] = lower(text[size]);
	key[size] = '\0';
	hash_table_add(labels, hash64(key, size, 0));
	if (size == 0 || labels->count == count ||
	    strncmp(key, number_prefix, sizeof(number_prefix) - 1) == 0) {
		snprintf(number, sizeof(number), "%s%u", number_prefix,
			 (unsigned)note);
		text = number;
	}
	return (struct slice){arena_copy(arena, text, strlen(text)),
			      strlen(text)};
}

/* Find the notes of the marks, and add all places. */
static void add_places(struct note_finder *finder, struct arena *arena)
{
	struct hash_table notes =
		hash_table_make(arena, sizeof(struct note_entry));
	struct hash_table labels = hash_table_make(arena, sizeof(uint64_t));

	for (uint32_t i = 0; i < finder->count; i++) {
		struct note_mark *mark = &finder->marks[i];
		struct note_entry *note;

		if (mark->target != NO_NODE)
			mark->note = note_of_target(finder, mark);
		if (mark->note == NO_NODE)
			continue;
		note = hash_table_add(&notes, hash_chain(mark->note, 0));
		if (note->label.size == 0) {
			note->target = mark->target;
			note->label = choose_label(arena, &labels, mark->label,
						   notes.count);
			add_place(finder, mark->note, NOTE_TEXT, note->label);
		} else if (note->target != mark->target) {
			continue; /* several notes in one element */
		}
		add_place(finder, outermost_of_mark(finder->page, mark->node),
			  NOTE_MARK, note->label);
		add_back_links(finder, mark);
	}
}

struct notes notes_find(struct arena *arena,
			const struct render_request *request)
{
	const struct page *page = request->page;
	struct note_finder finder = {.request = request, .page = page};
	uint32_t count = 0;

	for (uint32_t i = 0; i < page->link_count; i++)
		count += fragment_of(page->links[i].href).size > 0;
	if (count == 0)
		return (struct notes){NULL, 0};
	finder.marks = ARENA_NEW(arena, struct note_mark,
				 count < MAX_NOTES ? count : MAX_NOTES);
	collect_marks(&finder);
	if (finder.count == 0)
		return (struct notes){NULL, 0};
	find_targets(&finder);
	finder.places =
		ARENA_NEW(arena, struct note_place, 3 * (size_t)finder.count);
	add_places(&finder, arena);
	qsort(finder.places, finder.place_count, sizeof(*finder.places),
	      order_places);
	return (struct notes){finder.places, finder.place_count};
}

const struct note_place *notes_at(const struct notes *notes, uint32_t node)
{
	size_t at;

	LOWER_BOUND(at, notes->count, notes->places[at].node < node);
	return at < notes->count && notes->places[at].node == node
		       ? &notes->places[at]
		       : NULL;
}

struct slice notes_label(const struct notes *notes, uint32_t node)
{
	const struct note_place *place =
		notes == NULL ? NULL : notes_at(notes, node);

	return place == NULL || place->kind != NOTE_TEXT ? (struct slice){"", 0}
							 : place->label;
}
