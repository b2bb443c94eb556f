#include "template/page_outline.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "cluster/class_name.h"
#include "cluster/signature.h"
#include "page/page.h"
#include "store/record.h"
#include "template/page_tree.h"

/*
 * The encoded form: for each node in pre-order its depth (LEB128), its flags (a
 * byte), the size of its label (LEB128) and the label.
 */
enum { OUTLINE_IS_END = 1 };

enum { VARINT_MORE = 0x80, VARINT_LOW = 0x7f, VARINT_SHIFT = 7 };

struct outline_element {
	struct step_node step; /* its label is not used */
	uint32_t node;         /* an element of the page with this path */
	bool is_end;
};

struct outline_builder {
	const struct page *page;
	struct step_tree steps; /* its nodes are outline_elements */
	uint32_t *places;       /* [node_count] node of each element */
	bool *has_child;        /* [node_count] an element in it is placed */
	const uint64_t *hashes; /* [node_count] PATH_INNER_CLASSES */
};

static struct outline_element *outline_element(const struct step_tree *steps,
					       uint32_t index)
{
	return (struct outline_element *)step_tree_node(steps, index);
}

static void outline_place(struct outline_builder *builder, uint32_t node)
{
	uint32_t parent = builder->page->nodes[node].parent;
	uint32_t before = step_tree_count(&builder->steps);
	uint32_t place = step_tree_add(
		&builder->steps,
		parent == NO_NODE ? NO_STEP : builder->places[parent],
		builder->hashes[node]);

	builder->places[node] = place;
	if (place == before)
		outline_element(&builder->steps, place)->node = node;
	if (place != NO_STEP && parent != NO_NODE)
		builder->has_child[parent] = true;
}

/* Place all elements that the outline has; the others have NO_STEP. */
static void outline_place_all(struct outline_builder *builder)
{
	const struct page *page = builder->page;
	uint32_t i = 0;

	while (i < page->node_count) {
		uint32_t parent = page->nodes[i].parent;
		uint32_t end = page->nodes[i].end;

		if (!page_tree_omits(page, i) &&
		    (parent == NO_NODE || builder->places[parent] != NO_STEP))
			outline_place(builder, i);
		else
			builder->places[i] = NO_STEP;
		if (builder->places[i] != NO_STEP) {
			i++;
			continue;
		}
		while (i < end)
			builder->places[i++] = NO_STEP;
	}
}

static void outline_mark_ends(struct outline_builder *builder)
{
	const struct page *page = builder->page;

	for (uint32_t i = 0; i < page->node_count; i++)
		if (builder->places[i] != NO_STEP && !builder->has_child[i])
			outline_element(&builder->steps, builder->places[i])
				->is_end = true;
	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t node = page->texts[i].node;

		if (node != NO_NODE && builder->places[node] != NO_STEP)
			outline_element(&builder->steps, builder->places[node])
				->is_end = true;
	}
}

/* Write the label of an element to `label` [OUTLINE_MAX_LABEL]. */
static size_t outline_label(const struct page *page, uint32_t node, char *label)
{
	uint16_t tag = page->nodes[node].tag;
	struct slice name = page_tag_name(page, tag);
	struct slice classes = page_attribute(page, node, "class");
	struct slice class;
	size_t size =
		name.size < OUTLINE_MAX_LABEL ? name.size : OUTLINE_MAX_LABEL;

	memcpy(label, name.data, size);
	if (tag == TAG_html || tag == TAG_body)
		return size;
	while (class_name_next(&classes, &class)) {
		if (size + 1 + class.size > OUTLINE_MAX_LABEL)
			continue;
		label[size++] = ' ';
		memcpy(label + size, class.data, class.size);
		size += class.size;
	}
	return size;
}

static void outline_write(const struct outline_builder *builder,
			  struct buffer *out)
{
	struct step_walk walk = {.tree = &builder->steps};
	uint32_t depth = 0;

	while (step_walk_next(&walk)) {
		const struct outline_element *element =
			outline_element(&builder->steps, walk.node);
		char label[OUTLINE_MAX_LABEL];
		size_t size;

		if (walk.is_leaving) {
			depth -= depth > 0;
			continue;
		}
		size = outline_label(builder->page, element->node, label);
		buffer_append_varint(out, depth++);
		buffer_append_byte(out, element->is_end ? OUTLINE_IS_END : 0);
		buffer_append_varint(out, size);
		buffer_append(out, label, size);
	}
}

void outline_append(const struct page *page, const uint64_t *steps,
		    struct buffer *out)
{
	struct outline_builder builder = {
		.page = page,
		.steps = step_tree_make(page->arena,
					sizeof(struct outline_element),
					OUTLINE_MAX_NODES),
		.places = ARENA_NEW(page->arena, uint32_t, page->node_count),
		.has_child = ARENA_NEW(page->arena, bool, page->node_count),
		.hashes = steps,
	};

	outline_place_all(&builder);
	outline_mark_ends(&builder);
	outline_write(&builder, out);
}

/*
 * Write the label of a step such as "div.menu" to `label` [OUTLINE_MAX_LABEL];
 * see outline_label().
 */
static size_t outline_step_label(struct slice step, char *label)
{
	const char *text = step.data;
	const char *dot = memchr(text, '.', step.size);
	size_t tag = dot == NULL ? step.size : (size_t)(dot - text);
	bool is_root = tag == 4 && (memcmp(text, "html", tag) == 0 ||
				    memcmp(text, "body", tag) == 0);
	size_t size = is_root ? tag : step.size;

	if (size > OUTLINE_MAX_LABEL)
		size = OUTLINE_MAX_LABEL;
	for (size_t i = 0; i < size; i++)
		label[i] = text[i];
	for (size_t i = 0; i < size; i++)
		if (label[i] == '.')
			label[i] = ' ';
	return size;
}

void outline_append_paths(const struct path_tree *tree, struct buffer *out)
{
	struct step_walk walk = {.tree = &tree->steps};
	uint32_t depth = 0;

	while (step_walk_next(&walk)) {
		const struct path_tree_node *node =
			path_tree_node(tree, walk.node);
		char label[OUTLINE_MAX_LABEL];
		size_t size;

		if (walk.is_leaving) {
			depth -= depth > 0;
			continue;
		}
		size = outline_step_label(node->step.label, label);
		buffer_append_varint(out, depth++);
		buffer_append_byte(
			out, node->is_end[PATH_BEFORE] ? OUTLINE_IS_END : 0);
		buffer_append_varint(out, size);
		buffer_append(out, label, size);
	}
}

/* Read a number below 2^28. Return false if the bytes are damaged. */
static bool outline_read_number(struct slice *bytes, uint32_t *number_out)
{
	uint32_t number = 0;

	for (unsigned shift = 0; shift <= 3 * VARINT_SHIFT;
	     shift += VARINT_SHIFT) {
		unsigned char byte;

		if (!slice_read(bytes, &byte, 1))
			return false;
		number |= (uint32_t)(byte & VARINT_LOW) << shift;
		if ((byte & VARINT_MORE) == 0) {
			*number_out = number;
			return true;
		}
	}
	return false;
}

bool outline_label_next(struct slice *label, struct slice *name_out)
{
	const char *end;

	if (label->size == 0)
		return false;
	end = memchr(label->data, ' ', label->size);
	*name_out = (struct slice){
		label->data,
		end == NULL ? label->size
			    : (size_t)(end - (const char *)label->data)};
	slice_advance(label, name_out->size + (end != NULL));
	return true;
}

/*
 * A cache of the steps of labels, because the pages of a template repeat them.
 * It is direct-mapped, so that no page can make it slow.
 */
enum { KNOWN_LABELS = 1024 };

struct label_steps {
	struct {
		struct slice label;
		uint64_t step;
	} items[KNOWN_LABELS];
};

struct label_steps *label_steps_make(struct arena *arena)
{
	return ARENA_NEW(arena, struct label_steps, 1);
}

static uint64_t outline_step(struct label_steps *known, struct slice label)
{
	size_t at = hash64(label.data, label.size, 0) % KNOWN_LABELS;
	struct slice tag = {"", 0};
	struct slice classes = label;

	if (known->items[at].label.size > 0 &&
	    slice_equal(known->items[at].label, label))
		return known->items[at].step;
	outline_label_next(&classes, &tag);
	known->items[at].label = label;
	known->items[at].step =
		class_hash(classes, hash64(tag.data, tag.size, 0));
	return known->items[at].step;
}

/*
 * Read the next node. *last is the last node before it, or NO_NODE; its depth
 * is *depth.
 */
static bool outline_read_node(struct slice *bytes, struct label_steps *known,
			      struct outline_node *nodes, uint32_t count,
			      uint32_t *depth)
{
	struct outline_node *node = &nodes[count];
	uint32_t parent = count == 0 ? NO_NODE : count - 1;
	uint32_t level;
	uint32_t size;
	unsigned char flags;

	if (!outline_read_number(bytes, &level) ||
	    !slice_read(bytes, &flags, 1) ||
	    !outline_read_number(bytes, &size) || size > bytes->size ||
	    size > OUTLINE_MAX_LABEL || (count == 0) != (level == 0) ||
	    level > *depth + 1)
		return false;
	for (; count > 0 && *depth >= level; (*depth)--)
		parent = nodes[parent].parent;
	*depth = level;
	*node = (struct outline_node){
		.parent = parent,
		.is_end = (flags & OUTLINE_IS_END) != 0,
		.label = {bytes->data, size},
	};
	slice_advance(bytes, size);
	node->step = outline_step(known, node->label);
	node->path = hash_chain(node->step,
				parent == NO_NODE ? 0 : nodes[parent].path);
	return true;
}

/* Return the number of nodes, if the bytes are an outline; otherwise 0. */
static uint32_t outline_count(struct slice bytes)
{
	uint32_t count = 0;

	while (bytes.size > 0) {
		uint32_t number;
		unsigned char flags;

		if (count == OUTLINE_MAX_NODES ||
		    !outline_read_number(&bytes, &number) ||
		    !slice_read(&bytes, &flags, 1) ||
		    !outline_read_number(&bytes, &number) ||
		    number > bytes.size)
			return 0;
		slice_advance(&bytes, number);
		count++;
	}
	return count;
}

struct outline outline_read(struct arena *arena, struct label_steps *known,
			    struct slice bytes)
{
	uint32_t count = outline_count(bytes);
	struct outline_node *nodes =
		ARENA_NEW(arena, struct outline_node, count);
	uint32_t depth = 0;

	for (uint32_t i = 0; i < count; i++)
		if (!outline_read_node(&bytes, known, nodes, i, &depth))
			return (struct outline){NULL, 0};
	return (struct outline){nodes, count};
}

struct slice outline_label_text(struct arena *arena, struct slice label)
{
	char *text = arena_alloc(
		arena, label.size + CLASS_MAX_NAMES + CLASS_MAX_BYTES, 1);
	struct slice name = {"", 0};
	size_t size;

	outline_label_next(&label, &name);
	size = name.size;
	if (size > 0)
		memcpy(text, name.data, size);
	for (unsigned i = 0;
	     i < CLASS_MAX_NAMES && outline_label_next(&label, &name); i++) {
		text[size++] = '.';
		size += class_normalise(name, text + size);
	}
	return (struct slice){text, size};
}

static struct record outline_record(struct arena *arena,
				    struct label_steps *known,
				    const struct record *from)
{
	const struct outline outline =
		outline_read(arena, known, from->outline);
	uint64_t *paths = ARENA_NEW(arena, uint64_t, outline.count);
	struct record record = *from;
	uint32_t count = 0;
	uint32_t distinct = 0;

	for (uint32_t i = 0; i < outline.count; i++)
		if (outline.nodes[i].is_end)
			paths[count++] = outline.nodes[i].path;
	hash_sort(arena, paths, count);
	for (uint32_t i = 0; i < count; i++)
		if (distinct == 0 || paths[distinct - 1] != paths[i])
			paths[distinct++] = paths[i];
	record.signatures[MEASURE_CPC] = paths;
	record.signature_counts[MEASURE_CPC] = distinct;
	return record;
}

const struct record *outline_records(struct arena *arena,
				     const struct record *records,
				     uint32_t count)
{
	struct record *copies = ARENA_NEW(arena, struct record, count);
	struct label_steps *known = label_steps_make(arena);

	for (uint32_t i = 0; i < count; i++) {
		if (records[i].outline.size == 0)
			return records;
		copies[i] = outline_record(arena, known, &records[i]);
	}
	return copies;
}
