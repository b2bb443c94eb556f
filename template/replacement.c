#include "template/replacement.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "cluster/signature.h"
#include "page/page.h"

enum {
	MAX_TOKEN = 128,
	/* bytes of an id, or of a class attribute, that count */
	CANDIDATE_PLACE_MAX_NAMES = 256,
};

static bool has_class(const struct position_step *step, uint64_t class)
{
	for (uint32_t i = 0; i < step->class_count; i++)
		if (step->classes[i] == class)
			return true;
	return false;
}

static void add_class(struct position_step *step, uint64_t class)
{
	if (!has_class(step, class) && step->class_count < PLACE_CLASSES)
		step->classes[step->class_count++] = class;
}

static void element_position_add_token(struct element_position *place,
				       char kind, struct slice token)
{
	struct position_step *step;
	uint64_t hash = hash64(token.data, token.size, 0);

	if (kind == '>') {
		if (place->count == PLACE_STEPS)
			return;
		place->steps[place->count++] =
			(struct position_step){.tag = hash};
		return;
	}
	if (place->count == 0)
		return;
	step = &place->steps[place->count - 1];
	if (kind == '#')
		step->id = hash;
	else
		add_class(step, hash);
}

static int hex_of(char byte)
{
	const char *digits = "0123456789abcdef";
	const char *at = byte == '\0' ? NULL : strchr(digits, byte);

	return at == NULL ? -1 : (int)(at - digits);
}

/*
 * Return the character after a backslash in a path of element_path(), and move
 * *at after it. element_escape() writes such characters.
 */
static char element_path_unescape(const char **at, const char *end)
{
	int code = 0;

	if (hex_of(**at) < 0)
		return *(*at)++;
	while (*at < end && hex_of(**at) >= 0 && code < 0x10)
		code = code * 16 + hex_of(*(*at)++);
	if (*at < end && **at == ' ')
		(*at)++;
	return (char)code;
}

void element_position_read(struct element_position *place, struct slice path)
{
	const char *at = path.size == 0 ? "" : path.data;
	const char *end = at + path.size;
	char token[MAX_TOKEN];
	size_t size = 0;
	char kind = '>';

	*place = (struct element_position){0};
	while (at < end && *at != '/') {
		char byte = *at++;

		if (byte == '>' || byte == '#' || byte == '.') {
			element_position_add_token(place, kind,
						   (struct slice){token, size});
			kind = byte;
			size = 0;
			continue;
		}
		if (byte == '\\' && at < end)
			byte = element_path_unescape(&at, end);
		if (size < MAX_TOKEN)
			token[size++] = byte;
	}
	if (size > 0)
		element_position_add_token(place, kind,
					   (struct slice){token, size});
	if (end - at > 2 && at[1] == '@')
		place->attribute =
			(struct slice){at + 2, (size_t)(end - at) - 2};
}

static void read_classes(struct position_step *step, struct slice classes)
{
	const char *at = classes.data;
	const char *end = at + (classes.size < CANDIDATE_PLACE_MAX_NAMES
					? classes.size
					: CANDIDATE_PLACE_MAX_NAMES);

	while (at < end && step->class_count < PLACE_CLASSES) {
		const char *word = at;

		while (at < end && !isspace((unsigned char)*at))
			at++;
		if (at > word)
			add_class(step, hash64(word, (size_t)(at - word), 0));
		while (at < end && isspace((unsigned char)*at))
			at++;
	}
}

static void read_step(struct position_step *step, const struct page *page,
		      uint32_t node)
{
	struct slice id = page_attribute(page, node, "id");
	struct slice classes = page_attribute(page, node, "class");

	*step = (struct position_step){
		.tag = page_tag_hash(page, page->nodes[node].tag)};
	if (id.size > 0)
		step->id = hash64(id.data,
				  id.size < CANDIDATE_PLACE_MAX_NAMES
					  ? id.size
					  : CANDIDATE_PLACE_MAX_NAMES,
				  0);
	if (classes.size > 0)
		read_classes(step, classes);
}

void element_position_of(struct element_position *place,
			 const struct page *page, uint32_t node)
{
	uint32_t nodes[PLACE_STEPS];
	uint32_t count = 0;

	for (uint32_t n = node; n != NO_NODE && count < PLACE_STEPS;
	     n = page->nodes[n].parent)
		nodes[count++] = n;
	place->count = count;
	place->attribute = (struct slice){NULL, 0};
	for (uint32_t i = 0; i < count; i++)
		read_step(&place->steps[i], page, nodes[count - 1 - i]);
}

static bool element_position_is_heading(uint64_t tag)
{
	for (unsigned i = TAG_h1; i <= TAG_h6; i++)
		if (tag_hash((uint16_t)i) == tag)
			return true;
	return false;
}

static double tag_similarity(uint64_t a, uint64_t b)
{
	if (a == b)
		return 1;
	return element_position_is_heading(a) && element_position_is_heading(b)
		       ? 0.6
		       : 0;
}

static uint32_t common_names(const struct position_step *a,
			     const struct position_step *b)
{
	uint32_t count = a->id != 0 && a->id == b->id;

	for (uint32_t i = 0; i < a->class_count; i++)
		count += has_class(b, a->classes[i]);
	return count;
}

static uint32_t position_step_name_count(const struct position_step *step)
{
	return step->class_count + (step->id != 0);
}

static double step_similarity(const struct position_step *a,
			      const struct position_step *b)
{
	uint32_t both = common_names(a, b);
	uint32_t all = position_step_name_count(a) +
		       position_step_name_count(b) - both;
	double names = all == 0 ? 0.5 : (double)both / all;

	return 0.5 * tag_similarity(a->tag, b->tag) + 0.5 * names;
}

/*
 * Return the similarity of the ancestors in two paths. Each step of `a` is
 * matched with the most similar step of `b` after the previous match.
 */
static double around_similarity(const struct element_position *a,
				const struct element_position *b)
{
	uint32_t longer = a->count > b->count ? a->count : b->count;
	uint32_t next = 0;
	double sum = 0;

	for (uint32_t i = 0; i + 1 < a->count; i++) {
		double best = 0;
		uint32_t at = next;

		for (uint32_t j = next; j + 1 < b->count; j++) {
			double here =
				step_similarity(&a->steps[i], &b->steps[j]);

			if (here > best) {
				best = here;
				at = j + 1;
			}
		}
		sum += best;
		next = at;
	}
	return longer <= 1 ? 1 : sum / (longer - 1);
}

double element_position_similarity(const struct element_position *a,
				   const struct element_position *b)
{
	if (a->count == 0 || b->count == 0)
		return 0;
	return 0.5 * step_similarity(&a->steps[a->count - 1],
				     &b->steps[b->count - 1]) +
	       0.5 * around_similarity(a, b);
}

/*
 * Write the hashes of the words of a text to `words` [CANDIDATE_WORDS]; white
 * space in the text must be collapsed. Return their number.
 */
static uint32_t replacement_read_words(struct slice text, uint64_t *words)
{
	const char *at = text.data;
	size_t left = text.size;
	uint32_t count = 0;

	while (left > 0 && count < CANDIDATE_WORDS) {
		const char *space = memchr(at, ' ', left);
		size_t size = space == NULL ? left : (size_t)(space - at);

		if (size > 0)
			words[count++] = hash64(at, size, 0);
		at += size;
		left -= size;
		if (left > 0) {
			at++;
			left--;
		}
	}
	if (count > 1)
		qsort(words, count, sizeof(*words), order_u64);
	return count;
}

void wanted_text_read(struct wanted_text *wanted, struct slice text)
{
	wanted->text = text;
	wanted->word_count = replacement_read_words(text, wanted->words);
}

static double replacement_length_ratio(struct slice part, struct slice whole)
{
	if (part.size == 0 || whole.size < part.size ||
	    memmem(whole.data, whole.size, part.data, part.size) == NULL)
		return 0;
	return 0.5 + 0.45 * (double)part.size / (double)whole.size;
}

double wanted_text_agreement(const struct wanted_text *wanted,
			     struct slice text)
{
	uint64_t words[CANDIDATE_WORDS];
	double best;
	uint32_t count;

	if (wanted->text.size == 0 || text.size == 0)
		return 0;
	if (slice_equal(wanted->text, text))
		return 1;
	best = replacement_length_ratio(wanted->text, text);
	if (best == 0)
		best = replacement_length_ratio(text, wanted->text);
	count = replacement_read_words(text, words);
	if (count + wanted->word_count > 0) {
		double dice = 1.8 *
			      (double)signature_common(
				      (struct signature){wanted->words,
							 wanted->word_count},
				      (struct signature){words, count}) /
			      (count + wanted->word_count);

		if (dice > best)
			best = dice;
	}
	return best;
}

enum {
	MAX_ELEMENTS = 8, /* maximum number of elements that are returned */
	PER_ELEMENT = 2,  /* maximum number of selectors for one element */
	MAX_VISITS = 20000000,
};

/*
 * Weight of the similarity of the texts; the rest is the weight of the
 * similarity of the positions. All weights from 0.4 to 0.85 give the same
 * results in tests/eval/candidates.py.
 */
static const double text_weight = 0.7;

struct scored {
	uint32_t node;
	double text; /* similarity of the texts */
	double score;
};

struct replacement_search {
	struct arena *arena;
	const struct page *page;
	const struct lost_element *lost;
	struct element_position place;
	struct wanted_text wanted;
};

/*
 * Write to `out` the value of a node that is compared with the lost value: its
 * text or, if an attribute was lost, its attribute with this name. Return the
 * length.
 */
static size_t replacement_node_value(const struct replacement_search *finding,
				     uint32_t node,
				     char out[ELEMENT_VALUE_BYTES + 1])
{
	struct slice name = finding->place.attribute;
	const struct node *owner = &finding->page->nodes[node];
	const struct attribute *attributes =
		finding->page->attributes + owner->first_attribute;

	assert(node < finding->page->node_count);
	if (name.size == 0)
		return element_value(finding->page, node, out);
	for (uint32_t i = 0; i < owner->attribute_count; i++)
		if (slice_equal(attributes[i].name, name))
			return element_cut(attributes[i].value, out);
	out[0] = '\0';
	return 0;
}

static int replacement_by_score(const void *left, const void *right)
{
	const struct scored *a = left;
	const struct scored *b = right;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

/*
 * Return whether a node can be a replacement. `text` is the similarity of its
 * text; if that is low, the node must have the same tag as the lost element.
 */
static bool is_considered(const struct replacement_search *finding,
			  uint32_t node, double text)
{
	const struct element_position *place = &finding->place;

	return text >= 0.2 ||
	       (place->count > 0 &&
		page_tag_hash(finding->page, finding->page->nodes[node].tag) ==
			place->steps[place->count - 1].tag);
}

static double replacement_node_score(const struct replacement_search *finding,
				     uint32_t node, double text)
{
	struct element_position place;
	double similarity;

	assert(text >= 0 && text <= 1);
	element_position_of(&place, finding->page, node);
	similarity = element_position_similarity(&finding->place, &place);
	if (finding->wanted.text.size == 0)
		return similarity;
	if (finding->place.count == 0)
		return text;
	return text_weight * text + (1 - text_weight) * similarity;
}

/*
 * Write the most similar elements to `elements` [MAX_ELEMENTS], best first;
 * return their number.
 */
static uint32_t
replacement_find_elements(const struct replacement_search *finding,
			  struct scored *elements)
{
	const struct page *page = finding->page;
	struct scored *all =
		ARENA_NEW(finding->arena, struct scored, page->node_count);
	uint32_t count = 0;

	for (uint32_t i = 0; i < page->node_count &&
			     !search_is_stopped(finding->lost->is_stopped);
	     i++) {
		char value[ELEMENT_VALUE_BYTES + 1];
		size_t size = replacement_node_value(finding, i, value);
		double text = wanted_text_agreement(
			&finding->wanted, (struct slice){value, size});

		if (is_considered(finding, i, text))
			all[count++] = (struct scored){
				i, text,
				replacement_node_score(finding, i, text)};
	}
	if (count > 1)
		qsort(all, count, sizeof(*all), replacement_by_score);
	if (count > MAX_ELEMENTS)
		count = MAX_ELEMENTS;
	if (count > 0)
		memcpy(elements, all, count * sizeof(*all));
	assert(count <= MAX_ELEMENTS);
	return count;
}

static int best_candidate_first(const void *left, const void *right)
{
	const struct replacement *a = left;
	const struct replacement *b = right;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return strcmp(a->selector, b->selector);
}

static uint32_t add_selectors(const struct replacement_search *finding,
			      const struct scored *element,
			      struct selector_budget *budget,
			      struct replacement *candidates)
{
	const struct element_query query = {
		.page = finding->page,
		.node = element->node,
		.minimum = finding->lost->minimum,
		.maximum = finding->lost->maximum,
	};
	struct element_selector selectors[MAX_ELEMENT_SELECTORS];
	uint32_t count =
		element_selectors(finding->arena, &query, budget, selectors);

	if (count > PER_ELEMENT)
		count = PER_ELEMENT;
	for (uint32_t i = 0; i < count; i++) {
		candidates[i].selector = selectors[i].text;
		candidates[i].score =
			element->score * (0.9 + 0.1 * selectors[i].trust);
		candidates[i].node = element->node;
		replacement_node_value(finding, element->node,
				       candidates[i].value);
	}
	assert(count <= PER_ELEMENT);
	return count;
}

uint32_t replacements_find(struct arena *arena, const struct page *page,
			   const struct lost_element *lost,
			   const struct replacement **candidates_out)
{
	struct replacement_search finding = {
		.arena = arena, .page = page, .lost = lost};
	struct selector_budget budget = {MAX_VISITS, lost->is_stopped};
	struct replacement *candidates =
		ARENA_NEW(arena, struct replacement, MAX_CANDIDATES);
	struct scored elements[MAX_ELEMENTS];
	uint32_t element_count;
	uint32_t count = 0;

	*candidates_out = candidates;
	if (lost->maximum == 0)
		return 0;
	element_position_read(&finding.place, lost->path);
	wanted_text_read(&finding.wanted, lost->value);
	element_count = replacement_find_elements(&finding, elements);
	for (uint32_t i = 0; i < element_count; i++)
		count += add_selectors(&finding, &elements[i], &budget,
				       &candidates[count]);
	if (count > 1)
		qsort(candidates, count, sizeof(*candidates),
		      best_candidate_first);
	assert(count <= MAX_CANDIDATES);
	return count;
}

enum {
	CANDIDATE_SELECTOR_MAX_NAMES = 12, /* maximum number of selectors for
					      the names of one element */
	MAX_CLASSES = 6, /* maximum number of classes of one element */
	MAX_CLASS_BYTES = 64,
	MAX_ANCESTORS = 12, /* maximum number of ancestors that are tried */
	MAX_PARENT_STEPS = 6,
};

/*
 * Selectors for an element that use only its own tag, id, classes and
 * attributes.
 */
struct element_names {
	struct element_selector items[CANDIDATE_SELECTOR_MAX_NAMES];
	uint32_t count;
};

struct selector_search {
	struct arena *arena;
	const struct page *page;
	uint32_t node;
	const struct element_query *query;
	struct selector_budget *budget;
	struct element_selector *found; /* [count], the highest trust first */
	uint32_t count;
};

/*
 * Return the estimated probability that the name does not change. Generated
 * names, which contain numbers or hashes, often change.
 */
static double element_name_trust(struct slice name)
{
	const unsigned char *bytes = name.data;
	size_t digits = 0;

	for (size_t i = 0; i < name.size; i++)
		digits += isdigit(bytes[i]) != 0;
	if (digits >= 3)
		return 0.5;
	return digits > 0 ? 0.9 : 1;
}

static void element_names_add(struct element_names *names, struct arena *arena,
			      const struct buffer *text, double trust)
{
	if (names->count == CANDIDATE_SELECTOR_MAX_NAMES)
		return;
	names->items[names->count++] = (struct element_selector){
		arena_copy(arena, text->data, text->size), trust};
}

static void begin_with_tag(struct buffer *text, const struct page *page,
			   uint32_t node)
{
	buffer_clear(text);
	element_escape(page_tag_name(page, page->nodes[node].tag), text);
}

static void element_names_add_classes(struct element_names *names,
				      struct arena *arena,
				      const struct page *page, uint32_t node)
{
	struct slice classes = page_attribute(page, node, "class");
	const char *at = classes.data;
	const char *end = at + classes.size;
	struct buffer text = {0};

	for (int i = 0; i < MAX_CLASSES && at < end; i++) {
		struct slice word;

		while (at < end && isspace((unsigned char)*at))
			at++;
		word.data = at;
		while (at < end && !isspace((unsigned char)*at))
			at++;
		word.size = (size_t)(at - (const char *)word.data);
		if (word.size == 0 || word.size > MAX_CLASS_BYTES)
			continue;
		begin_with_tag(&text, page, node);
		buffer_append_byte(&text, '.');
		element_escape(word, &text);
		element_names_add(names, arena, &text,
				  0.97 * element_name_trust(word));
	}
	buffer_free(&text);
}

/* Append the value as a quoted CSS string. */
static void selector_append_quoted(struct slice value, struct buffer *out)
{
	const char *bytes = value.data;

	buffer_append_byte(out, '"');
	for (size_t i = 0; i < value.size; i++) {
		if (bytes[i] == '"' || bytes[i] == '\\')
			buffer_append_byte(out, '\\');
		buffer_append_byte(out, bytes[i]);
	}
	buffer_append_byte(out, '"');
}

/*
 * Add selectors that use attributes which describe the purpose of the element.
 */
static void element_names_add_attributes(struct element_names *names,
					 struct arena *arena,
					 const struct page *page, uint32_t node)
{
	static const char *const known[] = {
		"name", "property",    "itemprop", "rel",
		"role", "data-testid", "type",     "aria-label",
	};
	struct buffer text = {0};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct slice value = page_attribute(page, node, known[i]);

		if (value.size == 0 || value.size > MAX_CLASS_BYTES ||
		    memchr(value.data, '\n', value.size) != NULL)
			continue;
		begin_with_tag(&text, page, node);
		buffer_printf(&text, "[%s=", known[i]);
		selector_append_quoted(value, &text);
		buffer_append_byte(&text, ']');
		element_names_add(names, arena, &text,
				  0.98 * element_name_trust(value));
	}
	buffer_free(&text);
}

/*
 * Set the selectors for the element itself; the selector by its tag is the
 * last.
 */
static void read_names(struct element_names *names, struct arena *arena,
		       const struct page *page, uint32_t node)
{
	struct slice id = page_attribute(page, node, "id");
	struct buffer text = {0};

	names->count = 0;
	if (id.size > 0 && id.size <= MAX_CLASS_BYTES) {
		buffer_append_byte(&text, '#');
		element_escape(id, &text);
		element_names_add(names, arena, &text, element_name_trust(id));
	}
	element_names_add_attributes(names, arena, page, node);
	if (page_attribute(page, node, "class").size > 0)
		element_names_add_classes(names, arena, page, node);
	begin_with_tag(&text, page, node);
	if (names->count == CANDIDATE_SELECTOR_MAX_NAMES)
		names->count--;
	element_names_add(names, arena, &text, 0.95);
	buffer_free(&text);
}

static bool is_right(const struct selector_search *search, const char *text)
{
	const struct page *page = search->page;
	struct arena *arena = arena_create();
	char error[256];
	const struct selector *selector = selector_compile(arena, text, error);
	uint32_t first = NO_NODE;
	uint32_t count = 0;

	search->budget->nodes -= page->node_count;
	if (selector != NULL) {
		const bool *is_selected = selector_match(selector, page, arena);

		for (uint32_t i = 0; i < page->node_count; i++) {
			if (is_selected[i] && first == NO_NODE)
				first = i;
			count += is_selected[i];
		}
	}
	arena_destroy(arena);
	return first == search->node && count >= search->query->minimum &&
	       count <= search->query->maximum;
}

/*
 * Return whether a selector with this trust would be one of the best, and the
 * budget allows trying it.
 */
static bool selector_search_accepts(const struct selector_search *search,
				    double trust)
{
	return search->budget->nodes > 0 &&
	       !search_is_stopped(search->budget->is_stopped) &&
	       (search->count < MAX_ELEMENT_SELECTORS ||
		search->found[search->count - 1].trust < trust);
}

static void selector_search_try(struct selector_search *search,
				const char *text, double trust)
{
	uint32_t at;

	if (!selector_search_accepts(search, trust) || !is_right(search, text))
		return;
	if (search->count < MAX_ELEMENT_SELECTORS)
		search->count++;
	for (at = search->count - 1;
	     at > 0 && search->found[at - 1].trust < trust; at--)
		search->found[at] = search->found[at - 1];
	search->found[at] = (struct element_selector){
		arena_copy(search->arena, text, strlen(text)), trust};
}

static void try_joined(struct selector_search *search,
		       const struct element_selector *outer, const char *joint,
		       const struct element_selector *inner, double trust)
{
	struct buffer text = {0};

	buffer_printf(&text, "%s%s%s", outer->text, joint, inner->text);
	selector_search_try(search, text.data,
			    trust * outer->trust * inner->trust);
	buffer_free(&text);
}

static bool is_landmark(uint16_t tag)
{
	switch (tag) {
	case TAG_head:
	case TAG_header:
	case TAG_footer:
	case TAG_main:
	case TAG_article:
	case TAG_nav:
	case TAG_aside:
		return true;
	default:
		return false;
	}
}

/* Try selectors that begin with an ancestor; nearer ancestors first. */
static void try_around(struct selector_search *search,
		       const struct element_names *own)
{
	const struct node *nodes = search->page->nodes;
	uint32_t node = nodes[search->node].parent;

	for (int i = 0; i < MAX_ANCESTORS && node != NO_NODE;
	     i++, node = nodes[node].parent) {
		bool is_parent = i == 0;
		double trust = 0.95 - 0.01 * i;
		struct element_names outer;

		read_names(&outer, search->arena, search->page, node);
		if (!is_landmark(nodes[node].tag))
			outer.count--; /* drop the selector by tag: "div", for
					  example, selects too many elements */
		for (uint32_t k = 0; k < outer.count; k++) {
			for (uint32_t j = 0; j < own->count; j++)
				try_joined(search, &outer.items[k], " ",
					   &own->items[j], trust);
			if (is_parent)
				try_joined(search, &outer.items[k], " > ",
					   &own->items[own->count - 1],
					   trust - 0.02);
		}
	}
}

static uint32_t type_index(const struct page *page, uint32_t node)
{
	uint32_t parent = page->nodes[node].parent;
	uint32_t index = 1;

	for (uint32_t n = parent == NO_NODE ? node : parent + 1; n < node;
	     n = page->nodes[n].end)
		index += page->nodes[n].tag == page->nodes[node].tag;
	return index;
}

/*
 * Try selectors by the position of the element among its siblings, after an
 * ancestor for which there is a selector.
 */
static void try_places(struct selector_search *search)
{
	const struct page *page = search->page;
	uint32_t node = search->node;
	struct buffer chain = {0};

	for (int i = 0; i < MAX_PARENT_STEPS; i++) {
		uint32_t parent = page->nodes[node].parent;
		struct buffer longer = {0};
		struct element_selector place;
		struct element_names outer;

		if (parent == NO_NODE)
			break;
		begin_with_tag(&longer, page, node);
		buffer_printf(&longer, ":nth-of-type(%u)",
			      type_index(page, node));
		if (chain.size > 0)
			buffer_printf(&longer, " > %s", chain.data);
		buffer_free(&chain);
		chain = longer;
		place = (struct element_selector){chain.data, 1};
		read_names(&outer, search->arena, page, parent);
		for (uint32_t k = 0; k < outer.count; k++)
			try_joined(search, &outer.items[k], " > ", &place,
				   0.75 - 0.05 * i);
		node = parent;
	}
	buffer_free(&chain);
}

uint32_t element_selectors(struct arena *arena,
			   const struct element_query *query,
			   struct selector_budget *budget,
			   struct element_selector *selectors_out)
{
	struct selector_search search = {
		.arena = arena,
		.page = query->page,
		.node = query->node,
		.query = query,
		.budget = budget,
		.found = selectors_out,
	};
	struct element_names own;

	read_names(&own, arena, query->page, query->node);
	for (uint32_t i = 0; i < own.count; i++)
		selector_search_try(&search, own.items[i].text,
				    own.items[i].trust);
	try_around(&search, &own);
	if (search.count < 2)
		try_places(&search);
	return search.count;
}

/* A selector, and its rows in the list of replacements on single pages. */
struct merged_selector {
	struct merged_replacement candidate;
	uint32_t first; /* index of its first row; the list is sorted by
			   selector, so it has candidate.pages rows from there
			   on */
};

static int by_selector(const void *left, const void *right)
{
	const struct page_replacement *a = left;
	const struct page_replacement *b = right;
	int order = strcmp(a->selector, b->selector);

	return order != 0 ? order : (a->page > b->page) - (a->page < b->page);
}

static int merged_selector_by_score(const void *left, const void *right)
{
	const struct merged_selector *a = left;
	const struct merged_selector *b = right;

	if (a->candidate.score != b->candidate.score)
		return a->candidate.score > b->candidate.score ? -1 : 1;
	return strcmp(a->candidate.selector, b->candidate.selector);
}

static bool is_selected(const struct page_replacement *list,
			const struct merged_selector *by, uint32_t page,
			uint32_t node)
{
	assert(by->candidate.pages > 0);
	for (uint32_t i = 0; i < by->candidate.pages; i++)
		if (list[by->first + i].page == page &&
		    list[by->first + i].node == node)
			return true;
	return false;
}

/*
 * Return whether `better` selects every node that `other` selects, on all pages
 * of `other`.
 */
static bool merged_selector_covers(const struct page_replacement *list,
				   const struct merged_selector *better,
				   const struct merged_selector *other)
{
	for (uint32_t i = 0; i < other->candidate.pages; i++) {
		const struct page_replacement *row = &list[other->first + i];

		if (!is_selected(list, better, row->page, row->node))
			return false;
	}
	return true;
}

/*
 * Merge the rows of the list that have the same selector; the list must be
 * sorted by selector. `pages` is the number of all pages. Write the merged
 * selectors to `shared` and return their number.
 */
static uint32_t merged_selectors_add_up(const struct page_replacement *list,
					uint32_t count, uint32_t pages,
					struct merged_selector *shared)
{
	uint32_t size = 0;

	assert(pages > 0 || count == 0);
	for (uint32_t i = 0; i < count; i++) {
		struct merged_selector *last =
			size == 0 ? NULL : &shared[size - 1];

		if (last != NULL &&
		    strcmp(last->candidate.selector, list[i].selector) == 0) {
			last->candidate.score += list[i].score / pages;
			last->candidate.pages++;
			continue;
		}
		shared[size++] = (struct merged_selector){
			.candidate = {list[i].selector, list[i].value,
				      list[i].score / pages, 1},
			.first = i,
		};
	}
	assert(size <= count);
	return size;
}

uint32_t replacements_merge(struct arena *arena,
			    const struct page_replacements *kept,
			    struct merged_replacement *merged_out, uint32_t max)
{
	uint32_t count = kept->count;
	struct page_replacement *list =
		ARENA_NEW(arena, struct page_replacement, count);
	struct merged_selector *shared =
		ARENA_NEW(arena, struct merged_selector, count);
	uint32_t taken[MAX_SHARED];
	uint32_t size;
	uint32_t found = 0;

	if (count == 0)
		return 0;
	memcpy(list, kept->items, count * sizeof(*list));
	qsort(list, count, sizeof(*list), by_selector);
	size = merged_selectors_add_up(list, count, kept->pages, shared);
	qsort(shared, size, sizeof(*shared), merged_selector_by_score);
	for (uint32_t i = 0; i < size && found < max && found < MAX_SHARED;
	     i++) {
		bool is_covered = false;

		for (uint32_t j = 0; j < found && !is_covered; j++)
			is_covered = merged_selector_covers(
				list, &shared[taken[j]], &shared[i]);
		if (is_covered)
			continue;
		taken[found] = i;
		merged_out[found++] = shared[i].candidate;
	}
	assert(found <= max && found <= MAX_SHARED);
	return found;
}
