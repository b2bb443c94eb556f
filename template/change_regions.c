#include "template/change_regions.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/limit.h"
#include "cluster/class_name.h"
#include "cluster/signature.h"
#include "page/page.h"
#include "template/page_outline.h"
#include "template/page_tree.h"

enum {
	REGION_TREE_MAX_NODES = LIMIT(20000, 2000),
	REGION_MAX_SIBLINGS = 64, /* siblings to skip until an unchanged one */
	MIN_GENERATED_TAIL = 4,   /* bytes */
	GENERATED_RATIO = 600,    /* permille of the names of a form */
	MIN_GENERATED_NAMES = 4,  /* of a form */
	OUTLINES = 2 * MAX_TEMPLATE_SAMPLE,
	MAX_LABEL_NAMES = 32, /* further names of a label are ignored */
	/* further names of all pages are as if they were not generated */
	MAX_NAMES = LIMIT(20000, 500),
};

/* The outlines of the pages: [i] before, [MAX_TEMPLATE_SAMPLE + i] after. */
struct page_outlines {
	struct arena *arena;
	const struct pages *pages;
	struct outline items[OUTLINES];
	/* [count] of each outline: its steps and paths, without generated names
	 */
	uint64_t *steps[OUTLINES];
	uint64_t *paths[OUTLINES];
	bool is_folded; /* some names are generated */
};

static bool page_is_seen(const struct pages *pages, uint32_t page)
{
	return (pages->seen >> page & 1) != 0;
}

/* Read the outlines. Return false if one is unknown. */
static bool page_outlines_read(struct page_outlines *outlines)
{
	const struct pages *pages = outlines->pages;
	struct label_steps *known = label_steps_make(outlines->arena);

	for (uint32_t i = 0; i < pages->count; i++) {
		uint32_t after = MAX_TEMPLATE_SAMPLE + i;
		const struct record *records = pages->records;
		bool is_same =
			slice_equal(records[i].outline, records[after].outline);

		outlines->items[i] = outline_read(outlines->arena, known,
						  records[i].outline);
		if (page_is_seen(pages, i))
			outlines->items[after] =
				is_same ? outlines->items[i]
					: outline_read(outlines->arena, known,
						       records[after].outline);
		if (outlines->items[i].count == 0 ||
		    (page_is_seen(pages, i) &&
		     outlines->items[after].count == 0))
			return false;
	}
	return true;
}

/* On which pages something was before, and is now. */
struct page_masks {
	uint32_t before;
	uint32_t after;
};

/* Note that it is in the outline. */
static void page_masks_add(struct page_masks *masks, uint32_t outline)
{
	if (outline < MAX_TEMPLATE_SAMPLE)
		masks->before |= 1U << outline;
	else
		masks->after |= 1U << (outline - MAX_TEMPLATE_SAMPLE);
}

static struct item_turn page_masks_turn(const struct pages *pages,
					const struct page_masks *masks)
{
	return item_turn_of(pages, masks->before, masks->after);
}

/* Generated names. */

/* A class name. */
struct outline_class {
	uint64_t key;
	struct slice name; /* as in the source */
	struct page_masks masks;
	bool is_folded;
};

/* The form of names; see class_shape_of(). */
struct name_form {
	uint64_t key;
	uint32_t names;
	uint32_t generated;
};

/* The class names of all outlines. */
struct outline_classes {
	struct hash_table names;    /* of struct outline_class */
	struct hash_table forms[2]; /* of struct name_form, before and after */
	bool is_folded;             /* a name is generated */
	bool is_rebuilt;            /* a generated name was renamed */
};

/* Return the hash of the normalised name. */
static uint64_t class_key(struct slice name)
{
	char text[CLASS_MAX_BYTES];

	return hash64(text, class_normalise(name, text), 0);
}

static bool class_has_hash(struct slice name)
{
	char text[CLASS_MAX_BYTES];
	size_t size = class_normalise(name, text);

	return size > 0 && memchr(text, '*', size) != NULL;
}

static void outline_class_add(struct outline_classes *classes,
			      struct slice name, uint32_t number)
{
	uint64_t key = hash64(name.data, name.size, 0);
	struct outline_class *class =
		classes->names.count < MAX_NAMES
			? hash_table_add(&classes->names, key)
			: hash_table_find(&classes->names, key);

	if (class == NULL)
		return;
	class->name = name;
	page_masks_add(&class->masks, number);
}

static void outline_classes_add(struct outline_classes *classes,
				const struct outline *outline, uint32_t number)
{
	for (uint32_t i = 0; i < outline->count; i++) {
		struct slice label = outline->nodes[i].label;
		struct slice name;

		outline_label_next(&label, &name);
		for (unsigned j = 0;
		     j < MAX_LABEL_NAMES && outline_label_next(&label, &name);
		     j++)
			outline_class_add(classes, name, number);
	}
}

static uint64_t name_form_key(const struct class_shape *shape)
{
	return hash_chain(shape->tail,
			  (uint64_t)(unsigned char)shape->separator);
}

static void name_form_add(struct hash_table *forms,
			  const struct outline_class *class)
{
	const struct class_shape shape = class_shape_of(class->name);
	struct name_form *form = hash_table_add(forms, name_form_key(&shape));

	form->names++;
	form->generated += shape.is_generated;
}

static bool name_is_generated(const struct hash_table *forms, struct slice name)
{
	const struct class_shape shape = class_shape_of(name);
	const struct name_form *form =
		hash_table_find(forms, name_form_key(&shape));

	return form != NULL && shape.tail >= MIN_GENERATED_TAIL &&
	       form->names >= MIN_GENERATED_NAMES &&
	       form->generated * 1000 >= form->names * GENERATED_RATIO;
}

/*
 * Find the generated names. There are none unless a generated name is on one
 * side only: then all names of its form on that side are generated.
 */
static void outline_classes_fold(const struct pages *pages,
				 struct outline_classes *classes)
{
	for (uint32_t i = 0; i < classes->names.count; i++) {
		const struct outline_class *class =
			hash_table_entry(&classes->names, i);
		struct item_turn turn = page_masks_turn(pages, &class->masks);
		bool has_hash = class_has_hash(class->name);

		if (turn.is_gone || (has_hash && turn.before != 0))
			name_form_add(&classes->forms[0], class);
		if (turn.is_come || (has_hash && turn.after != 0))
			name_form_add(&classes->forms[1], class);
	}
	for (uint32_t i = 0; i < classes->names.count; i++) {
		struct outline_class *class =
			hash_table_entry(&classes->names, i);
		struct item_turn turn = page_masks_turn(pages, &class->masks);

		class->is_folded =
			(turn.before != 0 &&
			 name_is_generated(&classes->forms[0], class->name)) ||
			(turn.after != 0 &&
			 name_is_generated(&classes->forms[1], class->name));
		classes->is_folded |=
			class->is_folded && (turn.is_gone || turn.is_come);
		classes->is_rebuilt |=
			turn.is_gone &&
			(class->is_folded || class_has_hash(class->name));
	}
}

/* Return the hash of a generated name: it is without its tail. */
static uint64_t folded_key(struct slice name)
{
	char text[CLASS_MAX_BYTES + 1];
	size_t size = name.size - class_shape_of(name).tail;

	if (size > CLASS_MAX_BYTES)
		size = CLASS_MAX_BYTES;
	memcpy(text, name.data, size);
	text[size++] = '*';
	return class_key((struct slice){text, size});
}

/* Return the step of a label, with generated names without their tails. */
static uint64_t folded_step(const struct outline_classes *classes,
			    struct slice label)
{
	uint64_t hashes[MAX_LABEL_NAMES];
	struct slice name = {"", 0};
	size_t count = 0;
	uint64_t step;

	outline_label_next(&label, &name);
	step = hash64(name.data, name.size, 0);
	while (count < MAX_LABEL_NAMES && outline_label_next(&label, &name)) {
		uint64_t key = class_key(name);
		const struct outline_class *class = hash_table_find(
			&classes->names, hash64(name.data, name.size, 0));
		size_t at = 0;

		if (class != NULL && class->is_folded)
			key = folded_key(name);
		while (at < count && hashes[at] != key)
			at++;
		if (at == count)
			hashes[count++] = key;
	}
	/* the sum does not depend on the order */
	for (size_t i = 0; i < count; i++)
		step += hash_chain(hashes[i], 1);
	return step;
}

/* Compute the steps and paths of all outlines. */
static void page_outlines_fold(struct page_outlines *outlines,
			       const struct outline_classes *classes)
{
	outlines->is_folded = classes->is_folded;
	for (uint32_t i = 0; i < OUTLINES; i++) {
		const struct outline *outline = &outlines->items[i];
		uint64_t *steps =
			ARENA_ROOM(outlines->arena, uint64_t, outline->count);
		uint64_t *paths =
			ARENA_ROOM(outlines->arena, uint64_t, outline->count);

		for (uint32_t j = 0; j < outline->count; j++) {
			const struct outline_node *node = &outline->nodes[j];

			steps[j] = classes->is_folded
					   ? folded_step(classes, node->label)
					   : node->step;
			paths[j] = hash_chain(steps[j],
					      node->parent == NO_NODE
						      ? 0
						      : paths[node->parent]);
		}
		outlines->steps[i] = steps;
		outlines->paths[i] = paths;
	}
}

/* Return the record of outline number `i` with its paths. */
static struct record page_outlines_record(const struct page_outlines *outlines,
					  uint32_t i)
{
	const struct outline *outline = &outlines->items[i];
	struct record record = outlines->pages->records[i];
	uint64_t *paths = ARENA_ROOM(outlines->arena, uint64_t, outline->count);
	uint32_t count = 0;
	uint32_t distinct = 0;

	for (uint32_t j = 0; j < outline->count; j++)
		if (outline->nodes[j].is_end)
			paths[count++] = outlines->paths[i][j];
	hash_sort(outlines->arena, paths, count);
	for (uint32_t j = 0; j < count; j++)
		if (distinct == 0 || paths[distinct - 1] != paths[j])
			paths[distinct++] = paths[j];
	record.signatures[MEASURE_CPC] = paths;
	record.signature_counts[MEASURE_CPC] = distinct;
	return record;
}

/* The elements of all outlines as one tree. */

enum { SIDE_BEFORE, SIDE_AFTER, SIDES };

#define NO_REGION UINT32_MAX

struct region_node {
	struct step_node step; /* its label is the label of the outline */
	uint64_t label_hash;
	struct page_masks masks;
	/* the preceding sibling in the first outline of each side with this
	 * node; NO_STEP = none, or no outline */
	uint32_t previous[SIDES];
	bool is_on[SIDES];
	bool is_end;
	bool is_gone;
	bool is_come;
	uint32_t region; /* number of its region, or NO_REGION */
};

static struct region_node *region_node(const struct step_tree *tree,
				       uint32_t index)
{
	return (struct region_node *)step_tree_node(tree, index);
}

/*
 * Return the hash of the label of node `i`. Where generated names are equal to
 * each other, a label says little, so it includes the label of the parent.
 */
static uint64_t label_hash(const struct page_outlines *outlines,
			   uint32_t number, uint32_t i)
{
	const uint64_t *steps = outlines->steps[number];
	uint32_t parent = outlines->items[number].nodes[i].parent;

	return outlines->is_folded && parent != NO_NODE
		       ? hash_chain(steps[i], steps[parent])
		       : steps[i];
}

static void region_tree_add(struct step_tree *tree,
			    const struct page_outlines *outlines,
			    uint32_t number)
{
	const struct outline *outline = &outlines->items[number];
	unsigned side = number < MAX_TEMPLATE_SAMPLE ? SIDE_BEFORE : SIDE_AFTER;
	uint32_t *places =
		ARENA_ROOM(outlines->arena, uint32_t, outline->count);
	uint32_t *last = ARENA_ROOM(outlines->arena, uint32_t, outline->count);

	for (uint32_t i = 0; i < outline->count; i++) {
		const struct outline_node *from = &outline->nodes[i];
		bool is_root = from->parent == NO_NODE;
		struct region_node *node;

		last[i] = NO_STEP;
		places[i] = NO_STEP;
		if (!is_root && places[from->parent] == NO_STEP)
			continue;
		places[i] = step_tree_add(
			tree, is_root ? NO_STEP : places[from->parent],
			outlines->steps[number][i]);
		if (places[i] == NO_STEP)
			continue;
		node = region_node(tree, places[i]);
		if (node->step.label.size == 0)
			node->step.label = from->label;
		node->label_hash = label_hash(outlines, number, i);
		node->is_end |= from->is_end;
		if (!node->is_on[side])
			node->previous[side] =
				is_root ? NO_STEP : last[from->parent];
		node->is_on[side] = true;
		page_masks_add(&node->masks, number);
		if (!is_root)
			last[from->parent] = places[i];
	}
}

static void region_tree_decide(const struct pages *pages,
			       struct step_tree *tree)
{
	for (uint32_t i = 0; i < step_tree_count(tree); i++) {
		struct region_node *node = region_node(tree, i);
		struct item_turn turn = page_masks_turn(pages, &node->masks);

		node->is_gone = turn.is_gone;
		node->is_come = turn.is_come;
		node->region = NO_REGION;
	}
}

/* Regions. */

/* Lost and gained elements with the same parent and preceding sibling. */
struct region_group {
	uint64_t key;
	uint32_t where;         /* their parent */
	uint32_t anchor;        /* see region_anchor() */
	uint32_t root[SIDES];   /* the first lost and the first gained child */
	uint32_t labels[SIDES]; /* number of labels that only one side has */
	/* number of these that no other part of the page has on the other side
	 */
	uint32_t own_labels[SIDES];
	bool is_joined; /* another group has this one as its other side */
	uint32_t nodes; /* lost and gained elements */
	uint32_t votes[MAX_TEMPLATE_SAMPLE]; /* of these, on each page */
};

/* A label of an element in a group, or on the page. */
struct group_label {
	uint64_t key;
	uint64_t label; /* label_hash() */
	uint32_t group;
	bool is_on[SIDES];
};

struct region_search {
	const struct region_rules *rules;
	struct arena *arena;
	const struct pages *pages;
	struct step_tree *tree;   /* of struct region_node */
	struct hash_table groups; /* of struct region_group */
	struct hash_table labels; /* of struct group_label */
};

static bool is_moved_node(const struct region_node *node)
{
	return node->is_gone || node->is_come;
}

/* Return the preceding sibling that is on both sides; NO_STEP = none. */
static uint32_t region_anchor(const struct region_search *search,
			      const struct region_node *node)
{
	unsigned side = node->is_gone ? SIDE_BEFORE : SIDE_AFTER;
	uint32_t anchor = node->previous[side];

	for (unsigned i = 0; i < REGION_MAX_SIBLINGS && anchor != NO_STEP;
	     i++) {
		node = region_node(search->tree, anchor);
		if (!is_moved_node(node) && node->is_on[SIDE_BEFORE] &&
		    node->is_on[SIDE_AFTER])
			break;
		anchor = node->previous[side];
	}
	return anchor;
}

/* Return the number of the group of a node whose parent is in no group. */
static uint32_t region_group_of(struct region_search *search, uint32_t index)
{
	const struct region_node *node = region_node(search->tree, index);
	unsigned side = node->is_gone ? SIDE_BEFORE : SIDE_AFTER;
	uint32_t anchor = search->rules->is_unordered
				  ? NO_STEP
				  : region_anchor(search, node);
	uint64_t key = hash_chain(node->step.parent, (uint64_t)anchor + 1);
	uint32_t before = search->groups.count;
	struct region_group *group = hash_table_add(&search->groups, key);

	if (search->groups.count > before) {
		group->where = node->step.parent;
		group->anchor = anchor;
		group->root[SIDE_BEFORE] = NO_STEP;
		group->root[SIDE_AFTER] = NO_STEP;
	}
	if (group->root[side] == NO_STEP)
		group->root[side] = index;
	return hash_table_index(&search->groups, group);
}

static void region_group_count(const struct region_search *search,
			       const struct region_node *node)
{
	struct region_group *group =
		hash_table_entry(&search->groups, node->region);
	const struct page_masks *masks = &node->masks;
	uint32_t moved = node->is_gone ? masks->before & ~masks->after
				       : masks->after & ~masks->before;

	group->nodes++;
	for (uint32_t i = 0; i < search->pages->count; i++)
		group->votes[i] += moved >> i & 1;
}

/* The group of all elements of the page. */
#define GROUP_PAGE UINT32_MAX

static void group_label_add(struct region_search *search, uint32_t group,
			    const struct region_node *node)
{
	struct group_label *label = hash_table_add(
		&search->labels,
		hash_chain(node->label_hash, (uint64_t)group + 1));

	label->label = node->label_hash;
	label->group = group;
	label->is_on[SIDE_BEFORE] |= node->is_gone;
	label->is_on[SIDE_AFTER] |= node->is_come;
}

/* Put all lost and gained elements into groups. */
static void region_search_group(struct region_search *search,
				struct outline_diff *diff)
{
	for (uint32_t i = 0; i < step_tree_count(search->tree); i++) {
		struct region_node *node = region_node(search->tree, i);
		const struct region_node *parent;

		if (!is_moved_node(node) || node->step.parent == NO_STEP)
			continue;
		parent = region_node(search->tree, node->step.parent);
		diff->places += node->is_come && !parent->is_come;
		node->region = is_moved_node(parent)
				       ? parent->region
				       : region_group_of(search, i);
		if (node->region == NO_REGION)
			continue;
		region_group_count(search, node);
		group_label_add(search, node->region, node);
		group_label_add(search, GROUP_PAGE, node);
	}
}

/* Count the labels that only one side of their group has. */
static void region_search_count(struct region_search *search,
				struct outline_diff *diff)
{
	for (uint32_t i = 0; i < search->labels.count; i++) {
		const struct group_label *label =
			hash_table_entry(&search->labels, i);
		const struct group_label *whole;
		struct region_group *group;

		if (label->is_on[SIDE_BEFORE] == label->is_on[SIDE_AFTER])
			continue;
		if (label->group == GROUP_PAGE) {
			diff->lost += label->is_on[SIDE_BEFORE];
			diff->gained += label->is_on[SIDE_AFTER];
			continue;
		}
		group = hash_table_entry(&search->groups, label->group);
		group->labels[SIDE_BEFORE] += label->is_on[SIDE_BEFORE];
		group->labels[SIDE_AFTER] += label->is_on[SIDE_AFTER];
		whole = hash_table_find(
			&search->labels,
			hash_chain(label->label, (uint64_t)GROUP_PAGE + 1));
		if (whole == NULL ||
		    whole->is_on[SIDE_BEFORE] == whole->is_on[SIDE_AFTER])
			continue;
		group->own_labels[SIDE_BEFORE] += label->is_on[SIDE_BEFORE];
		group->own_labels[SIDE_AFTER] += label->is_on[SIDE_AFTER];
	}
}

static struct slice region_node_text(const struct region_search *search,
				     uint32_t index)
{
	return outline_label_text(search->arena,
				  region_node(search->tree, index)->step.label);
}

/* Return the path of a node, such as "html>body>main". */
static struct slice region_path(const struct region_search *search,
				uint32_t index)
{
	char text[PATH_MAX_BYTES];
	size_t begin = sizeof(text);

	while (index != NO_STEP) {
		struct slice step = region_node_text(search, index);

		if (step.size + 1 > begin)
			break;
		if (begin < sizeof(text))
			text[--begin] = '>';
		begin -= step.size;
		memcpy(text + begin, step.data, step.size);
		index = region_node(search->tree, index)->step.parent;
	}
	return (struct slice){
		arena_copy(search->arena, text + begin, sizeof(text) - begin),
		sizeof(text) - begin};
}

/* Return whether only one side of the region has the label of the node. */
static bool is_own_label(const struct region_search *search,
			 const struct region_node *node)
{
	const struct group_label *label = hash_table_find(
		&search->labels,
		hash_chain(node->label_hash, (uint64_t)node->region + 1));

	return label != NULL &&
	       label->is_on[SIDE_BEFORE] != label->is_on[SIDE_AFTER];
}

/*
 * Write the elements of the region to `region`: the lost and the gained ends of
 * paths, in the order of the page.
 */
static void region_fill_elements(const struct region_search *search,
				 uint32_t group, struct change_region *region)
{
	struct step_walk walk = {.tree = search->tree};
	uint32_t counts[SIDES] = {0, 0};

	while (step_walk_next(&walk)) {
		const struct region_node *node =
			region_node(search->tree, walk.node);
		unsigned side = node->is_gone ? SIDE_BEFORE : SIDE_AFTER;
		struct slice text;

		if (walk.is_leaving || node->region != group || !node->is_end ||
		    !is_own_label(search, node) ||
		    counts[side] == REGION_MAX_ELEMENTS)
			continue;
		text = region_node_text(search, walk.node);
		if (side == SIDE_BEFORE)
			region->elements[counts[side]++].was = text;
		else
			region->elements[counts[side]++].now = text;
	}
	region->element_count = counts[SIDE_BEFORE] < counts[SIDE_AFTER]
					? counts[SIDE_BEFORE]
					: counts[SIDE_AFTER];
}

static void region_fill(const struct region_search *search, uint32_t number,
			struct change_region *region)
{
	const struct region_group *group =
		hash_table_entry(&search->groups, number);

	*region = (struct change_region){
		.where = region_path(search, group->where),
		.was = region_node_text(search, group->root[SIDE_BEFORE]),
		.now = region_node_text(search, group->root[SIDE_AFTER]),
		.lost = group->labels[SIDE_BEFORE],
		.gained = group->labels[SIDE_AFTER],
	};
	for (uint32_t i = 0; i < search->pages->count; i++)
		if (2 * group->votes[i] >= group->nodes)
			region->pages |= 1U << i;
	region_fill_elements(search, number, region);
}

static int largest_first(const void *left, const void *right)
{
	const struct change_region *a = left;
	const struct change_region *b = right;
	uint32_t many = a->lost + a->gained;
	uint32_t few = b->lost + b->gained;

	return (many < few) - (many > few);
}

static bool is_parent(const struct region_search *search, uint32_t parent,
		      uint32_t child)
{
	return region_node(search->tree, child)->step.parent == parent;
}

/*
 * Return whether the elements of `outer` are beside the parent of those of
 * `inner`.
 */
static bool is_beside(const struct region_search *search,
		      const struct region_group *outer,
		      const struct region_group *inner)
{
	if (!is_parent(search, outer->where, inner->where))
		return false;
	return search->rules->is_unordered || outer->anchor == inner->where ||
	       outer->anchor ==
		       region_anchor(search,
				     region_node(search->tree, inner->where));
}

/*
 * Return the group of gained elements for a group that has only lost ones: its
 * place is beside the parent of the other's place. This happens if numbers
 * in classes are the only difference of two elements (col-4 and col-8), so that
 * both are one node. Return NULL if there is none.
 */
static struct region_group *
region_other_side(const struct region_search *search,
		  const struct region_group *group)
{
	uint32_t min_elements = search->rules->min_elements;

	for (uint32_t i = 0; i < search->groups.count; i++) {
		struct region_group *other =
			hash_table_entry(&search->groups, i);

		if (!other->is_joined &&
		    other->own_labels[SIDE_AFTER] >= min_elements &&
		    other->labels[SIDE_BEFORE] < min_elements &&
		    (is_beside(search, group, other) ||
		     is_beside(search, other, group)))
			return other;
	}
	return NULL;
}

/* Make the gained elements of `other` those of `group`. */
static void region_join(const struct region_search *search,
			struct region_group *other, struct region_group *group)
{
	uint32_t from = hash_table_index(&search->groups, other);
	uint32_t to = hash_table_index(&search->groups, group);

	other->is_joined = true;
	if (is_parent(search, other->where, group->where))
		group->where = other->where;
	group->root[SIDE_AFTER] = other->root[SIDE_AFTER];
	group->labels[SIDE_AFTER] = other->labels[SIDE_AFTER];
	group->nodes += other->nodes;
	for (uint32_t i = 0; i < search->pages->count; i++)
		group->votes[i] += other->votes[i];
	for (uint32_t i = 0; i < step_tree_count(search->tree); i++) {
		struct region_node *node = region_node(search->tree, i);

		if (node->region == from)
			node->region = to;
	}
}

/* Return whether the group is a region. */
static bool is_region(const struct region_search *search,
		      struct region_group *group)
{
	uint32_t min_elements = search->rules->min_elements;
	struct region_group *other;

	if (group->labels[SIDE_BEFORE] < min_elements || group->is_joined)
		return false;
	if (group->labels[SIDE_AFTER] >= min_elements)
		return true;
	if (group->own_labels[SIDE_BEFORE] < min_elements)
		return false;
	other = region_other_side(search, group);
	if (other != NULL)
		region_join(search, other, group);
	return other != NULL;
}

static void region_search_finish(struct region_search *search,
				 struct outline_diff *diff)
{
	diff->regions = ARENA_NEW(search->arena, struct change_region,
				  search->groups.count);
	for (uint32_t i = 0; i < search->groups.count; i++)
		if (is_region(search, hash_table_entry(&search->groups, i)))
			region_fill(search, i,
				    &diff->regions[diff->region_count++]);
	if (diff->region_count > 1)
		qsort(diff->regions, diff->region_count, sizeof(*diff->regions),
		      largest_first);
}

bool outlines_compare(struct arena *arena, const struct pages *pages,
		      const struct region_rules *rules,
		      struct outline_diff *diff_out)
{
	struct page_outlines outlines = {.arena = arena, .pages = pages};
	struct step_tree tree = step_tree_make(
		arena, sizeof(struct region_node), REGION_TREE_MAX_NODES);
	struct outline_classes classes = {
		.names = hash_table_make(arena, sizeof(struct outline_class)),
		.forms = {hash_table_make(arena, sizeof(struct name_form)),
			  hash_table_make(arena, sizeof(struct name_form))},
	};
	struct region_search search = {
		.rules = rules,
		.arena = arena,
		.pages = pages,
		.tree = &tree,
		.groups = hash_table_make(arena, sizeof(struct region_group)),
		.labels = hash_table_make(arena, sizeof(struct group_label)),
	};

	*diff_out = (struct outline_diff){.region_count = 0};
	if (!page_outlines_read(&outlines))
		return false;
	for (uint32_t i = 0; i < OUTLINES; i++)
		outline_classes_add(&classes, &outlines.items[i], i);
	outline_classes_fold(pages, &classes);
	page_outlines_fold(&outlines, &classes);
	for (uint32_t i = 0; i < OUTLINES; i++) {
		diff_out->records[i] = page_outlines_record(&outlines, i);
		region_tree_add(&tree, &outlines, i);
	}
	region_tree_decide(pages, &tree);
	region_search_group(&search, diff_out);
	region_search_count(&search, diff_out);
	region_search_finish(&search, diff_out);
	diff_out->is_rebuilt = classes.is_rebuilt;
	return true;
}

struct slice outline_of_version(struct arena *arena,
				const struct version *version, float ratio)
{
	struct path_tree tree = path_tree_make(arena);
	struct buffer bytes = {0};
	struct slice outline;

	for (uint32_t i = 0; i < version->path_count; i++)
		if (version->paths[i].ratio > ratio)
			path_tree_add(&tree,
				      &(struct shown_path){
					      .path = version->paths[i].text,
					      .ratio = version->paths[i].ratio,
					      .is_told = true,
				      });
	outline_append_paths(&tree, &bytes);
	outline = arena_slice(arena, buffer_slice(&bytes));
	buffer_free(&bytes);
	return outline;
}

/*
 * A version is compared as DESIGN_LEVELS pages: page i has the paths that more
 * than i / DESIGN_LEVELS of the pages have. So a path that is on most pages in
 * one version and on a few pages less in the other is not lost.
 */
enum { DESIGN_LEVELS = 8 };

static struct pages *design_pages(struct arena *arena,
				  const struct version *before)
{
	const struct change_rules *rules = &change_rules_default;
	struct pages *pages = ARENA_NEW(arena, struct pages, 1);

	*pages = (struct pages){
		.count = DESIGN_LEVELS,
		.seen = (1U << DESIGN_LEVELS) - 1,
		.votes = DESIGN_LEVELS,
		.min_pages = rules->min_pages,
		.agreement = rules->agreement,
	};
	for (uint32_t i = 0; i < DESIGN_LEVELS; i++)
		pages->records[i].outline = outline_of_version(
			arena, before, (float)i / DESIGN_LEVELS);
	return pages;
}

/*
 * Return whether no region was replaced and not too many of the paths were
 * lost. With `by_gained`, paths that were gained count too.
 */
static bool is_same_design(struct arena *arena, struct pages *pages,
			   bool by_gained)
{
	const struct change_rules *rules = &change_rules_default;
	const struct region_rules regions = {rules->region_elements, true};
	struct common_items paths;
	struct outline_diff diff;
	uint32_t all;
	uint32_t moved;

	if (!outlines_compare(arena, pages, &regions, &diff) ||
	    diff.region_count > 0)
		return false;
	for (uint32_t i = 0; i < 2 * MAX_TEMPLATE_SAMPLE; i++)
		pages->records[i] = diff.records[i];
	common_items_compare(arena, pages, ITEMS_CPC, &paths);
	all = paths.stable + (by_gained ? paths.come_count : 0);
	moved = paths.gone_count + (by_gained ? paths.come_count : 0);
	return diff.lost < rules->region_elements ||
	       (uint64_t)moved * 1000 <= (uint64_t)all * rules->path_ratio;
}

bool version_is_same_design(struct arena *arena, const struct version *before,
			    const struct version *now)
{
	struct pages *pages;

	if (before->has_classes != now->has_classes)
		return false;
	pages = design_pages(arena, before);
	for (uint32_t i = 0; i < DESIGN_LEVELS; i++)
		pages->records[MAX_TEMPLATE_SAMPLE + i].outline =
			outline_of_version(arena, now,
					   (float)i / DESIGN_LEVELS);
	return is_same_design(arena, pages, true);
}

bool version_has_page(struct arena *arena, const struct version *version,
		      const struct record *page)
{
	struct pages *pages = design_pages(arena, version);

	for (uint32_t i = 0; i < DESIGN_LEVELS; i++)
		pages->records[MAX_TEMPLATE_SAMPLE + i].outline = page->outline;
	return version->has_classes && is_same_design(arena, pages, false);
}
