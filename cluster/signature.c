#include "cluster/signature.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "cluster/threshold.h"
#include "page/page.h"
#include "page/scanner.h"
#include "page/tag.h"

enum { SHINGLES_RECENT = 1024 };

/*
 * Collects hashes in the order of the page. Many of them are repeated, so a
 * direct-mapped cache of recent hashes drops nearly all repetitions before the
 * sort. A hash table would do the same, but some pages would make it slow.
 */
struct shingle_builder {
	struct arena *arena;
	uint64_t *items; /* [count] */
	size_t count;
	size_t capacity;
	uint64_t recent[SHINGLES_RECENT];
};

/*
 * Initialise the builder. All memory comes from `arena`, which must exist as
 * long as the shingles.
 */
static void shingles_begin(struct shingle_builder *shingles,
			   struct arena *arena)
{
	memset(shingles, 0, sizeof(*shingles));
	shingles->arena = arena;
	shingles->recent[0] = 1; /* so that slot 0 does not seem to contain the
				    hash 0; a hash 1 would be in another slot */
}

static void shingles_grow(struct shingle_builder *shingles)
{
	size_t capacity =
		shingles->capacity == 0 ? 256 : shingles->capacity * 2;
	uint64_t *items = ARENA_ROOM(shingles->arena, uint64_t, capacity);

	assert(shingles->count == shingles->capacity);
	if (shingles->count > 0)
		memcpy(items, shingles->items,
		       shingles->count * sizeof(*items));
	shingles->items = items;
	shingles->capacity = capacity;
}

static void shingles_add(struct shingle_builder *shingles, uint64_t shingle)
{
	uint64_t *recent = &shingles->recent[shingle % SHINGLES_RECENT];

	if (*recent == shingle)
		return;
	*recent = shingle;
	if (shingles->count == shingles->capacity)
		shingles_grow(shingles);
	assert(shingles->count < shingles->capacity);
	shingles->items[shingles->count++] = shingle;
}

/* Sort the hashes and drop repetitions; return the number of distinct ones. */
static size_t shingles_settle(struct shingle_builder *shingles)
{
	uint64_t *items = shingles->items;
	size_t count = 0;

	if (shingles->count == 0)
		return 0;
	hash_sort(shingles->arena, items, shingles->count);
	for (size_t i = 0; i < shingles->count; i++) {
		if (count == 0 || items[count - 1] != items[i])
			items[count++] = items[i];
	}
	assert(count <= shingles->count && u64_ascend(items, count));
	shingles->count = count;
	return count;
}

enum { KIND_SEED = 7 };

/*
 * Attributes that state the role of an element. Their hashes are stored: never
 * renumber.
 */
enum role_role {
	ROLE_ROLE = 8,
	ROLE_ITEMPROP,
	ROLE_ITEMTYPE,
	ROLE_REL,
	ROLE_PROPERTY,
	ROLE_NAME,
	ROLE_TYPE,
	ROLE_NONE,
};

static bool role_text_equals(struct slice text, const char *word)
{
	return slice_equal(text, slice_of(word));
}

static enum role_role role_of(struct slice name)
{
	switch (name.size) {
	case 3:
		return role_text_equals(name, "rel") ? ROLE_REL : ROLE_NONE;
	case 4:
		if (role_text_equals(name, "role"))
			return ROLE_ROLE;
		if (role_text_equals(name, "name"))
			return ROLE_NAME;
		return role_text_equals(name, "type") ? ROLE_TYPE : ROLE_NONE;
	case 8:
		if (role_text_equals(name, "itemprop"))
			return ROLE_ITEMPROP;
		if (role_text_equals(name, "itemtype"))
			return ROLE_ITEMTYPE;
		return role_text_equals(name, "property") ? ROLE_PROPERTY
							  : ROLE_NONE;
	default:
		return ROLE_NONE;
	}
}

/*
 * Return whether the attribute is content of the element and not a role: the
 * name of an anchor is like an id, and the type of an `a` element describes a
 * download.
 */
static bool role_is_content(enum role_role role, uint16_t tag)
{
	return (tag == TAG_a || tag == TAG_param) &&
	       (role == ROLE_NAME || role == ROLE_TYPE);
}

/*
 * Add the page type of Open Graph: the content of the element, if its property
 * is "og:type".
 */
static void add_kind(struct shingle_builder *shingles, const struct page *page,
		     uint32_t node)
{
	struct slice kind;

	if (!role_text_equals(page_attribute(page, node, "property"),
			      "og:type"))
		return;
	kind = page_attribute(page, node, "content");
	if (kind.size > 0 && kind.size <= CLASS_MAX_BYTES)
		shingles_add(shingles, hash64(kind.data, kind.size, KIND_SEED));
}

/*
 * Add a shingle for each pair of an element's tag name and a value of its
 * attributes role, itemprop, itemtype, rel, property, name and type; the value
 * is normalised like a class name. Add the content of meta[property=og:type].
 * Ignore values longer than CLASS_MAX_BYTES, and the name and type of `a` and
 * `param` elements, which are content. Linear.
 */
static void role_shingles(struct shingle_builder *shingles,
			  const struct page *page)
{
	for (uint32_t i = 0; i < page->node_count; i++) {
		const struct node *node = &page->nodes[i];
		const struct attribute *attributes =
			page->attributes + node->first_attribute;
		uint64_t tag = 0;

		for (uint16_t j = 0; j < node->attribute_count; j++) {
			char name[CLASS_MAX_BYTES];
			struct slice value = attributes[j].value;
			enum role_role role = role_of(attributes[j].name);

			if (role == ROLE_NONE || value.size == 0 ||
			    value.size > CLASS_MAX_BYTES ||
			    role_is_content(role, node->tag))
				continue;
			if (tag == 0)
				tag = page_tag_hash(page, node->tag);
			shingles_add(
				shingles,
				hash_chain(hash64(name,
						  class_normalise(value, name),
						  role),
					   tag));
		}
		if (node->tag == TAG_meta)
			add_kind(shingles, page, i);
	}
}

enum {
	END_TAG_SEED = 1,
	SHAPE_SEED = 2,
};

static const struct {
	const char *name;
	unsigned site;
	unsigned template;
	unsigned width; /* steps or tags per shingle; 0 = the measure has no
			   width */
} measures[MEASURE_COUNT] = {
	[MEASURE_CP] = {"cp", 700, 200, 0},
	[MEASURE_CPS] = {"cps", 600, 150, 4},
	[MEASURE_CTSS] = {"ctss", 850, 250, 5},
	[MEASURE_CPC] = {"cpc", 700, 250, 0},
	[MEASURE_CCS] = {"ccs", 700, 200, 2},
	[MEASURE_CAS] = {"cas", 700, 200, 2},
	[MEASURE_WCAS] = {"wcas", 700, 200, 2},
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
 * CP (2008, section 4.1) and CPC. The hash of the path to a node is the hash of
 * the path to its parent, chained with the step of the node.
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
 * CPS (2008, section 4.2) and CCS. Every element is on the path to a leaf. So
 * each element that is deep enough is the end of exactly one shingle. A path
 * that is shorter than a shingle counts if it is a path of CP.
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

/*
 * Add `weight` shingles for one hash, so that it counts as much as this many
 * shingles; HEAVY: add one heavy shingle, see enum measure.
 */
enum { HEAVY = 0 };

static void add_weighty(struct shingle_builder *shingles, uint64_t hash,
			uint64_t weight)
{
	if (weight == HEAVY)
		shingles_add(shingles, hash | 1);
	for (uint64_t i = 0; i < weight; i++)
		shingles_add(shingles, hash_chain(i, hash));
}

/* Add each class of the first element with the tag `tag`, with this weight. */
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

/* Clear bit 0 of all shingles, so that none is heavy. Add the root. */
static void make_light(struct shingle_builder *shingles)
{
	for (size_t i = 0; i < shingles->count; i++)
		shingles->items[i] &= ~UINT64_C(1);
	shingles_add(shingles, SIGNATURE_ROOT);
}

/*
 * Add the shingles of CCS, and those that CAS and WCAS add to them; see enum
 * measure.
 */
static void add_class_shingles(struct shingle_builder *shingles,
			       const struct page *page, const uint64_t *steps,
			       const struct signature_rule *rule)
{
	char shape[URL_SHAPE_MAX_BYTES];
	uint64_t weight;

	if (page->node_count == 0)
		return;
	add_path_shingles(shingles, page, steps, rule->width);
	if (rule->measure != MEASURE_CCS)
		role_shingles(shingles, page);
	weight = shingles_settle(shingles) / SIGNATURE_PARTS;
	if (weight < 1)
		weight = 1;
	if (weight > SIGNATURE_MAX_WEIGHT)
		weight = SIGNATURE_MAX_WEIGHT;
	if (rule->measure == MEASURE_WCAS) {
		make_light(shingles);
		weight = HEAVY;
	}
	signature_add_classes(shingles, page, TAG_html, weight);
	signature_add_classes(shingles, page, TAG_body, weight);
	if (rule->path.size > 0)
		add_weighty(shingles,
			    hash64(shape, url_shape_of_path(rule->path, shape),
				   SHAPE_SEED),
			    weight);
}

/*
 * CTSS (2008, section 4.3). If the page has fewer tags than a shingle, all of
 * them are one shingle.
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
	case MEASURE_WCAS:
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
	return (struct signature){shingles.items, shingles_settle(&shingles)};
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

	/*
	 * No branch depends on the values, because the processor could not
	 * predict it: the values are random.
	 */
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

/* Return the shingles of the signature from `index` on. */
static struct signature signature_rest(struct signature signature, size_t index)
{
	return (struct signature){signature.shingles + index,
				  signature.count - index};
}

/* Return whether |A n B| >= need. Stop as soon as the result is certain. */
static bool has_common(struct signature a, struct signature b, size_t need)
{
	enum { BLOCK = 32 }; /* steps between two checks for a certain result */

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

enum {
	/*
	 * maximum size of a step as text: ">", a tag name, and the classes with
	 * a "." before each
	 */
	STEP_MAX_BYTES =
		1 + CLASS_MAX_BYTES + CLASS_MAX_NAMES * (1 + CLASS_MAX_BYTES),
};

static bool has_classes(const struct page *page, uint32_t node,
			enum path_steps kind)
{
	uint16_t tag = page->nodes[node].tag;

	return kind == PATH_CLASSES || (kind == PATH_INNER_CLASSES &&
					tag != TAG_html && tag != TAG_body);
}

static uint64_t step_to(const struct page *page, uint32_t node,
			enum path_steps kind)
{
	uint64_t name = page_tag_hash(page, page->nodes[node].tag);

	return has_classes(page, node, kind)
		       ? class_hash(page_attribute(page, node, "class"), name)
		       : name;
}

/*
 * A cache of the hashes of class attributes, because a page repeats a few of
 * them. It is direct-mapped, so that no page can make it slow.
 */
enum { CACHED = 256 };

struct cached {
	struct slice classes;
	uint16_t tag;
	bool is_set;
	uint64_t hash;
};

static uint64_t classes_hash(struct cached *cache, uint16_t tag,
			     struct slice classes, uint64_t name)
{
	const uint64_t key = hash64(classes.data, classes.size, tag);
	struct cached *cached = &cache[key % CACHED];

	if (!cached->is_set || cached->tag != tag ||
	    !slice_equal(cached->classes, classes))
		*cached = (struct cached){classes, tag, true,
					  class_hash(classes, name)};
	assert(cached->is_set);
	return cached->hash;
}

/*
 * Return the hashes of the tags in the order of the source. Elements that the
 * parser has added have no tag.
 */
static const uint64_t *hash_tags(struct arena *arena, const struct page *page)
{
	uint64_t *tags =
		ARENA_NEW(arena, uint64_t, TAG_COUNT + page->unknown_tag_count);

	for (uint32_t i = 0; i < page->tag_count; i++) {
		const unsigned tag = page->tags[i] & ~(unsigned)TAG_IS_END;

		if (tags[tag] == 0)
			tags[tag] = page_tag_hash(page, (uint16_t)tag);
	}
	for (uint32_t i = 0; i < page->node_count; i++) {
		const uint16_t tag = page->nodes[i].tag;

		if (tags[tag] == 0)
			tags[tag] = page_tag_hash(page, tag);
	}
	return tags;
}

struct path_table path_table_make(struct arena *arena, const struct page *page)
{
	struct cached *cache = ARENA_NEW(arena, struct cached, CACHED);
	const uint64_t *tags = hash_tags(arena, page);
	uint64_t *names = ARENA_ROOM(arena, uint64_t, page->node_count);
	uint64_t *classes = ARENA_ROOM(arena, uint64_t, page->node_count);
	uint64_t *inner = ARENA_ROOM(arena, uint64_t, page->node_count);

	for (uint32_t i = 0; i < page->node_count; i++) {
		const uint16_t tag = page->nodes[i].tag;
		const struct slice class = page_attribute(page, i, "class");

		names[i] = tags[tag];
		classes[i] = class.size == 0 ? names[i]
					     : classes_hash(cache, tag, class,
							    names[i]);
		inner[i] = has_classes(page, i, PATH_INNER_CLASSES) ? classes[i]
								    : names[i];
	}
	return (struct path_table){
		.steps =
			{
				[PATH_NAMES] = names,
				[PATH_CLASSES] = classes,
				[PATH_INNER_CLASSES] = inner,
			},
		.tags = tags,
	};
}

uint64_t *path_chains(struct arena *arena, const struct page *page,
		      const uint64_t *steps)
{
	uint64_t *paths = ARENA_ROOM(arena, uint64_t, page->node_count);

	for (uint32_t i = 0; i < page->node_count; i++) {
		uint32_t parent = page->nodes[i].parent;

		assert(parent == NO_NODE || parent < i);
		paths[i] = hash_chain(steps[i],
				      parent == NO_NODE ? 0 : paths[parent]);
	}
	return paths;
}

/*
 * Write a step such as ">div.menu.menu-0" to `out` [STEP_MAX_BYTES]; return its
 * length.
 */
static size_t step_write(const struct page *page, uint32_t node,
			 enum path_steps kind, char *out)
{
	struct slice name = utf8_truncate(
		page_tag_name(page, page->nodes[node].tag), CLASS_MAX_BYTES);
	struct slice classes = {NULL, 0};
	struct slice class;
	size_t size = 1 + name.size;

	out[0] = '>';
	memcpy(out + 1, name.data, name.size);
	if (has_classes(page, node, kind))
		classes = page_attribute(page, node, "class");
	for (unsigned i = 0;
	     i < CLASS_MAX_NAMES && class_name_next(&classes, &class); i++) {
		out[size++] = '.';
		size += class_normalise(utf8_truncate(class, CLASS_MAX_BYTES),
					out + size);
	}
	assert(size <= STEP_MAX_BYTES);
	return size;
}

size_t path_write(const struct page *page, uint32_t node, enum path_steps kind,
		  char *out)
{
	static const char more[] = {'.', '.', '.'};
	char step[STEP_MAX_BYTES];
	size_t begin = PATH_MAX_BYTES;

	for (; node != NO_NODE; node = page->nodes[node].parent) {
		size_t size = step_write(page, node, kind, step);

		if (size + sizeof(more) > begin) {
			begin -= sizeof(more);
			memcpy(out + begin, more, sizeof(more));
			return begin;
		}
		assert(size < begin);
		begin -= size;
		memcpy(out + begin, step, size);
	}
	assert(begin <= PATH_MAX_BYTES);
	return begin < PATH_MAX_BYTES ? begin + 1 : begin;
}

uint64_t path_shingle(const struct page *page, const uint64_t *steps,
		      uint32_t node, unsigned width)
{
	uint64_t window[SIGNATURE_MAX_WIDTH];
	unsigned count = 0;

	assert(width >= 1 && width <= SIGNATURE_MAX_WIDTH);
	while (count < width && node != NO_NODE) {
		assert(node < page->node_count);
		window[count++] = steps[node];
		node = page->nodes[node].parent;
	}
	return hash64(window, count * sizeof(*window), 0);
}

uint64_t path_hash(const struct page *page, uint32_t node, unsigned width)
{
	uint64_t window[SIGNATURE_MAX_WIDTH];
	unsigned count = 0;

	assert(width >= 1 && width <= SIGNATURE_MAX_WIDTH);
	while (count < width && node != NO_NODE) {
		assert(node < page->node_count);
		window[count++] = step_to(page, node, PATH_INNER_CLASSES);
		node = page->nodes[node].parent;
	}
	return hash64(window, count * sizeof(*window), 0);
}
