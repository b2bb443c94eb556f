#include "template/candidate_place.h"

#include <stdbool.h>
#include <string.h>

#include "base/hash.h"
#include "page/page.h"

enum {
	MAX_TOKEN = 128,
	MAX_NAMES = 256, /* bytes of an attribute that are compared */
};

static bool element_position_is_blank(char byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static void add_class(struct position_step *step, uint64_t class)
{
	for (uint32_t i = 0; i < step->class_count; i++)
		if (step->classes[i] == class)
			return;
	if (step->class_count < PLACE_CLASSES)
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

/* Return the character after a backslash, as element_escape() writes it. */
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
	const char *end =
		at + (classes.size < MAX_NAMES ? classes.size : MAX_NAMES);

	while (at < end && step->class_count < PLACE_CLASSES) {
		const char *word = at;

		while (at < end && !element_position_is_blank(*at))
			at++;
		if (at > word)
			add_class(step, hash64(word, (size_t)(at - word), 0));
		while (at < end && element_position_is_blank(*at))
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
				  id.size < MAX_NAMES ? id.size : MAX_NAMES, 0);
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

static bool has_class(const struct position_step *step, uint64_t class)
{
	for (uint32_t i = 0; i < step->class_count; i++)
		if (step->classes[i] == class)
			return true;
	return false;
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
 * Return the similarity of the paths: match steps in order, each with the next
 * similar one.
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
