#include "tests/bench/corpus.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "tests/bench/samples.h"

enum { MAX_EDITS = 3, NEAR = 50 };

static const uint64_t seed = 20240950;

static uint64_t next_random(uint64_t *state)
{
	*state = hash_chain(*state, 1);
	return *state;
}

void corpus_free(struct corpus *corpus)
{
	arena_destroy(corpus->arena);
	free(corpus->pages);
}

static void add_room(struct corpus *corpus, size_t count)
{
	corpus->pages = mem_resize(corpus->pages, corpus->count + count + 1,
				   sizeof(*corpus->pages));
}

static struct signature copy(struct arena *arena, struct signature page)
{
	uint64_t *shingles = ARENA_NEW(arena, uint64_t, page.count);

	if (page.count > 0)
		memcpy(shingles, page.shingles, page.count * sizeof(*shingles));
	return (struct signature){shingles, page.count};
}

bool corpus_read(struct corpus *corpus, const char *source,
		 enum measure measure)
{
	struct samples samples = {.arena = arena_create(),
				  .kinds = 1U << measure};
	bool is_read = samples_add(&samples, source, 0, SIZE_MAX);

	add_room(corpus, samples.count);
	for (size_t i = 0; i < samples.count; i++)
		corpus->pages[corpus->count++] = copy(
			corpus->arena, samples.items[i].signatures[measure]);
	corpus->parsed += samples.count;
	corpus->parse_seconds += samples.parse_seconds;
	corpus->sign_seconds += samples.make_seconds[measure];
	samples_free(&samples);
	return is_read;
}

void corpus_shuffle(struct corpus *corpus)
{
	uint64_t state = seed;

	for (size_t i = corpus->count; i > 1; i--) {
		size_t other = next_random(&state) % i;
		struct signature page = corpus->pages[i - 1];

		corpus->pages[i - 1] = corpus->pages[other];
		corpus->pages[other] = page;
	}
}

static int compare_shingles(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Of shingles in any order, which are sorted. */
static struct signature make_signature(struct arena *arena, uint64_t *shingles,
				       size_t count)
{
	size_t distinct = 0;

	qsort(shingles, count, sizeof(*shingles), compare_shingles);
	for (size_t i = 0; i < count; i++)
		if (distinct == 0 || shingles[distinct - 1] != shingles[i])
			shingles[distinct++] = shingles[i];
	return copy(arena, (struct signature){shingles, distinct});
}

/* Drop one shingle, or add one of a nearby page or one that no page has. */
static size_t edit(uint64_t *shingles, size_t count, struct signature near,
		   uint64_t *state)
{
	uint64_t kind = next_random(state) % 3;

	if (kind == 0 && count > 0) {
		shingles[next_random(state) % count] = shingles[count - 1];
		return count - 1;
	}
	shingles[count] =
		kind == 1 && near.count > 0
			? near.shingles[next_random(state) % near.count]
			: next_random(state);
	return count + 1;
}

/* Another one of `page`, which is one of the first `originals`. */
static struct signature repeat(struct corpus *corpus, size_t page,
			       size_t originals, uint64_t *state)
{
	struct signature original = corpus->pages[page];
	uint64_t edits = 1 + next_random(state) % MAX_EDITS;
	size_t count = original.count;
	uint64_t *shingles;
	struct signature repeated;

	if (next_random(state) % 2 == 0)
		return original;
	shingles = mem_alloc(count + MAX_EDITS, sizeof(*shingles));
	if (count > 0)
		memcpy(shingles, original.shingles, count * sizeof(*shingles));
	for (uint64_t i = 0; i < edits; i++) {
		size_t near = page + next_random(state) % NEAR;

		count = edit(shingles, count, corpus->pages[near % originals],
			     state);
	}
	repeated = make_signature(corpus->arena, shingles, count);
	free(shingles);
	return repeated;
}

void corpus_repeat(struct corpus *corpus, size_t count)
{
	size_t originals = corpus->count;
	uint64_t state = seed + 1;

	if (originals == 0 || count <= originals)
		return;
	add_room(corpus, count - originals);
	for (size_t i = originals; i < count; i++)
		corpus->pages[i] =
			repeat(corpus, i % originals, originals, &state);
	corpus->count = count;
}

/* How large the parts of made-up pages are. */
struct sizes {
	uint64_t shared;   /* shingles of all pages */
	uint64_t frame;    /* of a site */
	uint64_t core;     /* of a template, at least */
	uint64_t spread;   /* and less than this number more */
	uint64_t part;     /* of an optional part, at most */
	uint64_t contents; /* distinct ones of a site */
	uint64_t taken;    /* of these by a page, at most */
	uint64_t own;      /* of a page, at most */
};

enum { PARTS = 8, MAX_SHINGLES = 1024, TEMPLATES_OF_SITE = 10 };

static const struct sizes like_cp = {8, 10, 20, 50, 4, 300, 6, 3};
static const struct sizes like_ctss = {15, 25, 60, 160, 12, 4000, 60, 20};

struct template
{
	uint64_t site;
	uint64_t core;
	size_t pages;
};

struct generator {
	const struct sizes *sizes;
	uint64_t state;
	struct template *templates; /* [template_count] */
	size_t template_count;
	size_t capacity;
	uint64_t sites;
	uint32_t *template_of; /* [count], of the pages made */
	size_t count;
};

static double unit(struct generator *generator)
{
	return (double)(next_random(&generator->state) >> 11) / 0x1p53;
}

static uint32_t new_template(struct generator *generator)
{
	uint64_t site = generator->sites;

	if (site == 0 ||
	    next_random(&generator->state) % TEMPLATES_OF_SITE == 0)
		generator->sites++;
	else
		site = next_random(&generator->state) % site;
	generator->templates =
		mem_grow(generator->templates, generator->template_count,
			 &generator->capacity, sizeof(struct template));
	generator->templates[generator->template_count] = (struct template){
		.site = site,
		.core = generator->sizes->core +
			next_random(&generator->state) %
				generator->sizes->spread,
	};
	return (uint32_t)generator->template_count++;
}

/* Pitman & Yor 1997, as a restaurant of tables. */
static uint32_t choose_template(struct generator *generator)
{
	const double discount = 0.6;
	const double strength = 20;
	double tables = (double)generator->template_count;
	double pages = (double)generator->count;
	uint32_t chosen;

	if (generator->count == 0 ||
	    unit(generator) <
		    (strength + discount * tables) / (strength + pages))
		return new_template(generator);
	do
		chosen = generator->template_of[next_random(&generator->state) %
						generator->count];
	while (unit(generator) <
	       discount / (double)generator->templates[chosen].pages);
	return chosen;
}

/* Members [count] known by `scope`, to the end of `shingles` [*size]. */
static void take(uint64_t *shingles, size_t *size, uint64_t count,
		 uint64_t scope)
{
	for (uint64_t i = 0; i < count; i++)
		shingles[(*size)++] = hash_chain(i, scope);
}

static struct signature generate_page(struct generator *generator,
				      struct arena *arena, uint32_t number)
{
	const struct sizes *sizes = generator->sizes;
	const struct template *template = &generator->templates[number];
	uint64_t *state = &generator->state;
	uint64_t site = hash_chain(template->site, 2);
	uint64_t scope = hash_chain(number, 3);
	uint64_t shingles[MAX_SHINGLES];
	size_t size = 0;

	take(shingles, &size, sizes->shared, 1);
	take(shingles, &size, sizes->frame, site);
	take(shingles, &size, template->core, scope);
	for (uint64_t part = 1; part <= PARTS; part++)
		if (next_random(state) % (2 * part + 1) == 0)
			take(shingles, &size, 1 + part % sizes->part,
			     hash_chain(part, scope));
	if (next_random(state) % 10 == 0) {
		uint64_t taken = next_random(state) % (sizes->taken + 1);

		for (uint64_t i = 0; i < taken; i++)
			shingles[size++] = hash_chain(
				next_random(state) % sizes->contents, site + 1);
	}
	if (next_random(state) % 10 == 0)
		take(shingles, &size, 1 + next_random(state) % sizes->own,
		     next_random(state));
	return make_signature(arena, shingles, size);
}

void corpus_generate(struct corpus *corpus, size_t count, enum measure like)
{
	struct generator generator = {
		.sizes = like == MEASURE_CTSS ? &like_ctss : &like_cp,
		.state = seed + 2,
		.template_of =
			mem_alloc(count + 1, sizeof(*generator.template_of)),
	};

	add_room(corpus, count);
	for (size_t i = 0; i < count; i++) {
		uint32_t number = choose_template(&generator);

		generator.template_of[generator.count++] = number;
		generator.templates[number].pages++;
		corpus->pages[corpus->count++] =
			generate_page(&generator, corpus->arena, number);
	}
	free(generator.templates);
	free(generator.template_of);
}
