#include "cluster/signature.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "cluster/class.h"
#include "cluster/path.h"
#include "cluster/role.h"
#include "cluster/shingles.h"
#include "cluster/url_shape.h"
#include "page/page.h"
#include "page/tag.h"

enum {
	END_TAG_SEED = 1,
	SHAPE_SEED = 2,
};

static const struct {
	const char *name;
	unsigned site;
	unsigned template;
	unsigned width; /* width of a shingle; 0 = no width */
} measures[MEASURE_COUNT] = {
	[MEASURE_CP] = {"cp", 700, 200, 0},
	[MEASURE_CPS] = {"cps", 600, 150, 4},
	[MEASURE_CTSS] = {"ctss", 850, 250, 5},
	[MEASURE_CPC] = {"cpc", 700, 250, 0},
	[MEASURE_CCS] = {"ccs", 700, 200, 2},
	[MEASURE_CAS] = {"cas", 700, 200, 2},
};

const char *measure_name(unsigned measure)
{
	return measure < MEASURE_COUNT ? measures[measure].name : NULL;
}

bool measure_from_name(const char *name, enum measure *measure_out)
{
	for (unsigned i = 0; i < MEASURE_COUNT; i++) {
		if (strcmp(name, measures[i].name) == 0) {
			*measure_out = (enum measure)i;
			return true;
		}
	}
	return false;
}

unsigned measure_site_threshold(enum measure measure)
{
	return measures[measure].site;
}

unsigned measure_template_threshold(enum measure measure)
{
	return measures[measure].template;
}

static bool signature_node_is_leaf(const struct page *page, uint32_t node)
{
	return page->nodes[node].end == node + 1;
}

/*
 * CP (2008, section 4.1) and CPC: the path to a node is the path to its parent
 * and a step.
 */
static void signature_add_paths(struct shingle_builder *shingles,
				const struct page *page, const uint64_t *steps)
{
	const uint64_t *paths = path_chains(shingles->arena, page, steps);

	for (uint32_t i = 0; i < page->node_count; i++) {
		if (signature_node_is_leaf(page, i))
			shingles_add(shingles, paths[i]);
	}
	for (uint32_t i = 0; i < page->text_count; i++) {
		if (page->texts[i].node != NO_NODE)
			shingles_add(shingles, paths[page->texts[i].node]);
	}
}

/*
 * CPS (2008, section 4.2) and CCS. Every element is on the path to some leaf,
 * so the shingles of all paths end at elements that are deep enough, one at
 * each; a shorter path counts if it is a path of CP.
 */
static void add_path_shingles(struct shingle_builder *shingles,
			      const struct page *page, const uint64_t *steps,
			      unsigned width)
{
	for (uint32_t i = 0; i < page->node_count; i++) {
		if (page->nodes[i].depth + 1U >= width ||
		    signature_node_is_leaf(page, i))
			shingles_add(shingles,
				     path_shingle(page, steps, i, width));
	}
	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t node = page->texts[i].node;

		if (node != NO_NODE && page->nodes[node].depth + 1U < width)
			shingles_add(shingles,
				     path_shingle(page, steps, node, width));
	}
}

/* Add a hash with the weight of several shingles. */
static void add_weighty(struct shingle_builder *shingles, uint64_t hash,
			uint64_t weight)
{
	for (uint64_t i = 0; i < weight; i++)
		shingles_add(shingles, hash_chain(i, hash));
}

/* Add the classes of the first element with this name. */
static void signature_add_classes(struct shingle_builder *shingles,
				  const struct page *page, uint16_t tag,
				  uint64_t weight)
{
	uint64_t tokens[SIGNATURE_MAX_CLASSES];
	uint32_t node = 0;
	size_t count;

	while (node < page->node_count && page->nodes[node].tag != tag)
		node++;
	if (node == page->node_count)
		return;
	count = class_tokens(page_attribute(page, node, "class"), tokens,
			     SIGNATURE_MAX_CLASSES);
	for (size_t i = 0; i < count; i++)
		add_weighty(shingles, hash_chain(tokens[i], tag_hash(tag)),
			    weight);
}

static void add_shape(struct shingle_builder *shingles, struct slice path,
		      uint64_t weight)
{
	char shape[URL_SHAPE_MAX_BYTES];
	size_t size;

	if (path.size == 0)
		return;
	size = url_shape_of_path(path, shape);
	add_weighty(shingles, hash64(shape, size, SHAPE_SEED), weight);
}

/* CCS and CAS: see the header. */
static void add_class_shingles(struct shingle_builder *shingles,
			       const struct page *page, const uint64_t *steps,
			       const struct signature_rule *rule)
{
	uint64_t weight;

	if (page->node_count == 0)
		return;
	add_path_shingles(shingles, page, steps, rule->width);
	if (rule->measure == MEASURE_CAS)
		role_shingles(shingles, page);
	weight = shingles_settle(shingles) / SIGNATURE_PARTS;
	if (weight < 1)
		weight = 1;
	if (weight > SIGNATURE_MAX_WEIGHT)
		weight = SIGNATURE_MAX_WEIGHT;
	signature_add_classes(shingles, page, TAG_html, weight);
	signature_add_classes(shingles, page, TAG_body, weight);
	add_shape(shingles, rule->path, weight);
}

/*
 * CTSS (2008, section 4.3); if there are fewer tags than a shingle has, they
 * are one shingle.
 */
static void add_tag_shingles(struct shingle_builder *shingles,
			     const struct page *page, const uint64_t *names,
			     unsigned width)
{
	const uint32_t last =
		page->tag_count < width ? 0 : page->tag_count - width;
	uint64_t *tags = ARENA_ROOM(shingles->arena, uint64_t, page->tag_count);

	if (page->tag_count == 0)
		return;
	if (width > page->tag_count)
		width = page->tag_count;
	for (uint32_t i = 0; i < page->tag_count; i++) {
		const uint16_t tag = page->tags[i];

		tags[i] = (tag & TAG_IS_END) == 0
				  ? names[tag]
				  : hash_chain(names[tag & ~TAG_IS_END],
					       END_TAG_SEED);
	}
	for (uint32_t i = 0; i <= last; i++)
		shingles_add(shingles,
			     hash64(tags + i, width * sizeof(*tags), 0));
}

struct signature signature_of_paths(struct arena *arena,
				    const struct page *page,
				    const struct path_table *paths,
				    struct signature_rule rule)
{
	struct shingle_builder shingles;

	if (rule.width == 0)
		rule.width = measures[rule.measure].width;
	assert(rule.width <= SIGNATURE_MAX_WIDTH);
	shingles_begin(&shingles, arena);
	switch (rule.measure) {
	case MEASURE_CPS:
		add_path_shingles(&shingles, page, paths->steps[PATH_NAMES],
				  rule.width);
		break;
	case MEASURE_CTSS:
		add_tag_shingles(&shingles, page, paths->tags, rule.width);
		break;
	case MEASURE_CCS:
	case MEASURE_CAS:
		add_class_shingles(&shingles, page,
				   paths->steps[PATH_INNER_CLASSES], &rule);
		break;
	case MEASURE_CPC:
		signature_add_paths(&shingles, page,
				    paths->steps[PATH_CLASSES]);
		break;
	default:
		signature_add_paths(&shingles, page, paths->steps[PATH_NAMES]);
		break;
	}
	return shingles_end(&shingles);
}

struct signature signature_compute(struct arena *arena, const struct page *page,
				   struct signature_rule rule)
{
	const struct path_table paths = path_table_make(arena, page);

	return signature_of_paths(arena, page, &paths, rule);
}

size_t signature_common(struct signature a, struct signature b)
{
	size_t common = 0;
	size_t i = 0;
	size_t j = 0;

	/* Without branches on the values, because these are random. */
	while (i < a.count && j < b.count) {
		uint64_t left = a.shingles[i];
		uint64_t right = b.shingles[j];

		common += left == right;
		i += left <= right;
		j += right <= left;
	}
	return common;
}

double signature_distance(struct signature a, struct signature b)
{
	size_t larger = a.count > b.count ? a.count : b.count;

	if (larger == 0)
		return 0;
	return 1 - (double)signature_common(a, b) / (double)larger;
}

size_t signature_need(size_t larger, unsigned threshold)
{
	if (threshold >= 1000)
		return 0;
	return (larger * (1000 - threshold) + 999) / 1000;
}

unsigned signature_height(size_t larger, size_t common)
{
	if (larger == 0)
		return 0;
	return (unsigned)((1000 * (larger - common) + larger - 1) / larger);
}

/* Return the part of the signature from `index` on. */
static struct signature signature_rest(struct signature signature, size_t index)
{
	return (struct signature){signature.shingles + index,
				  signature.count - index};
}

/* Return whether |A n B| >= need; stop as soon as that is decided. */
static bool has_common(struct signature a, struct signature b, size_t need)
{
	enum { BLOCK = 32 }; /* steps between two checks of the bound */

	while (need > 0) {
		size_t i = 0;
		size_t j = 0;
		size_t common = 0;

		if (a.count < need || b.count < need)
			return false;
		for (size_t step = 0;
		     step < BLOCK && i < a.count && j < b.count; step++) {
			uint64_t left = a.shingles[i];
			uint64_t right = b.shingles[j];

			common += left == right;
			i += left <= right;
			j += right <= left;
		}
		need = common < need ? need - common : 0;
		a = signature_rest(a, i);
		b = signature_rest(b, j);
	}
	return true;
}

bool signature_linked(struct signature a, struct signature b,
		      unsigned threshold)
{
	size_t larger = a.count > b.count ? a.count : b.count;

	if (threshold >= 1000)
		return true;
	return has_common(a, b, signature_need(larger, threshold));
}
