#include "extract/core/numeric.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

/*
 * A blur is three running means. The search for convergence uses four, because
 * it depends on the second derivative of the blurred vector. At the peak, the
 * second derivative of a Gaussian is .40; of three means it is .25, and of four
 * means .38.
 */
enum { BLUR_MEANS = 3, SEARCH_MEANS = 4 };

/* Running means that are applied one after the other. */
struct means {
	uint32_t radius[SEARCH_MEANS];
	uint32_t count;
	double variance; /* of all means together */
	bool mirrors;
};

/*
 * Return the variance of all passes. A mean over 2 * r + 1 entries has the
 * variance r * (r + 1) / 3, and each pass is three means.
 */
static double variance_of(const struct blur *blur)
{
	double radius = blur->radius;

	return blur->passes * radius * (radius + 1);
}

/*
 * Return `count` means whose variances add up to `variance` as nearly as
 * possible. For this, the radius of some means is larger by one than the radius
 * of the others.
 */
static struct means means_of(double variance, uint32_t count, bool mirrors)
{
	double each = 3 * variance / count;
	double radius = floor((sqrt(1 + 4 * each) - 1) / 2);
	double missing = count * (each - radius * (radius + 1));
	long wider = lround(missing / (2 * (radius + 1)));
	struct means means = {.count = count, .mirrors = mirrors};

	assert(count >= 1 && count <= SEARCH_MEANS);
	for (uint32_t i = 0; i < count; i++) {
		double r = radius + (i < wider ? 1 : 0);

		means.radius[i] = (uint32_t)r;
		means.variance += r * (r + 1) / 3;
	}
	return means;
}

uint32_t blur_reach(const struct blur *blur)
{
	struct means means =
		means_of(variance_of(blur), BLUR_MEANS, blur->mirrors);
	uint32_t reach = 0;

	for (uint32_t i = 0; i < means.count; i++)
		reach += means.radius[i];
	return reach;
}

/*
 * Return the value at `index`. Outside of the vector, return the value of the
 * vector that is mirrored endlessly at its ends if `mirrors`, and 0 otherwise.
 */
static double blur_value_at(const float *in, size_t count, ptrdiff_t index,
			    bool mirrors)
{
	const ptrdiff_t period = 2 * (ptrdiff_t)count;
	ptrdiff_t at = index;

	if (at < 0 || at >= (ptrdiff_t)count) {
		if (!mirrors)
			return 0;
		at %= period;
		at += at < 0 ? period : 0;
		at = at < (ptrdiff_t)count ? at : period - 1 - at;
	}
	return (double)in[at];
}

/*
 * Set out[i] to the mean of in[i - radius .. i + radius]. Sums are doubles, so
 * that their rounding errors are far below the precision of a float. For most
 * entries the whole window is inside the vector, and the first branch of the
 * loop computes them faster.
 */
static void running_mean(const float *in, float *out, size_t count,
			 size_t radius, bool mirrors)
{
	const size_t window = 2 * radius + 1;
	const double ratio = 1 / (double)window;
	const ptrdiff_t reach = (ptrdiff_t)radius;
	double sum = 0;

	for (ptrdiff_t i = -reach; i <= reach; i++)
		sum += blur_value_at(in, count, i, mirrors);
	for (size_t i = 0; i < count; i++) {
		size_t next = i + radius + 1;
		ptrdiff_t last = (ptrdiff_t)i - reach;
		size_t entries;

		if (i >= radius && next < count) {
			out[i] = (float)(sum * ratio);
			sum += (double)in[next] - (double)in[last];
			continue;
		}
		entries = window;
		if (!mirrors) /* only the entries inside the vector */
			entries = (count - i <= radius ? count : next) -
				  (i < radius ? 0 : i - radius);
		out[i] = (float)(sum / (double)entries);
		sum += blur_value_at(in, count, (ptrdiff_t)next, mirrors) -
		       blur_value_at(in, count, last, mirrors);
	}
}

/*
 * Write the blur of in [count] to out [count]. `means` has at least two means.
 * scratch [count] may be `in` if the number of means is odd; `in` is then
 * overwritten.
 */
static void blur_gaussian(const float *in, float *out, float *scratch,
			  size_t count, const struct means *means)
{
	float *to = means->count % 2 == 0 ? scratch : out;

	assert(means->count >= 2);
	if (count == 0)
		return;
	for (uint32_t i = 0; i < means->count; i++) {
		running_mean(in, to, count, means->radius[i], means->mirrors);
		in = to;
		to = to == out ? scratch : out;
	}
}

float *blur_run(struct arena *arena, float *values, uint32_t count,
		const struct blur *blur)
{
	const struct means means =
		means_of(variance_of(blur), BLUR_MEANS, blur->mirrors);
	float *blurred = ARENA_NEW(arena, float, count);

	blur_gaussian(values, blurred, values, count, &means);
	return blurred;
}

/* The shortened vector on which blur_passes_to_converge() searches. */
struct coarse {
	float *values; /* [count]: each is the mean of `step` entries */
	size_t count;
	double variance; /* variance of one pass, in units of step * step */
	float *wide;     /* [count]: blurred with a number of passes */
	float *wider;    /* [count]: blurred with one pass more */
	float *scratch;  /* [count] */
};

static struct coarse blur_coarsen(struct arena *arena, const float *values,
				  size_t count, uint32_t radius)
{
	enum { STEPS_IN_RADIUS = 2 };
	size_t step = radius < STEPS_IN_RADIUS ? 1 : radius / STEPS_IN_RADIUS;
	struct coarse coarse = {.count = (count + step - 1) / step};

	coarse.variance =
		(double)radius * (radius + 1.0) / (double)step / (double)step;
	coarse.values = ARENA_NEW(arena, float, coarse.count);
	coarse.wide = ARENA_NEW(arena, float, coarse.count);
	coarse.wider = ARENA_NEW(arena, float, coarse.count);
	coarse.scratch = ARENA_NEW(arena, float, coarse.count);
	for (size_t i = 0; i < coarse.count; i++) {
		size_t end = (i + 1) * step < count ? (i + 1) * step : count;
		float sum = 0;

		for (size_t k = i * step; k < end; k++)
			sum += values[k];
		coarse.values[i] = sum / (float)(end - i * step);
	}
	return coarse;
}

/*
 * Return the largest change of an entry by one more pass after `passes` passes.
 * As in any diffusion, the change is proportional to the variance of the pass.
 * The running means have that variance only approximately, so the change is
 * scaled by the ratio of the variances.
 */
static double largest_change(const struct coarse *coarse, uint32_t passes)
{
	const struct means one = means_of(coarse->variance, SEARCH_MEANS, true);
	const struct means all =
		means_of(passes * coarse->variance, SEARCH_MEANS, true);
	double largest = 0;

	blur_gaussian(coarse->values, coarse->wide, coarse->scratch,
		      coarse->count, &all);
	blur_gaussian(coarse->wide, coarse->wider, coarse->scratch,
		      coarse->count, &one);
	/* fmax() would make gcc 12 for arm64 fail on this loop */
	for (size_t i = 0; i < coarse->count; i++) {
		double change = fabs((double)coarse->wider[i] -
				     (double)coarse->wide[i]);

		largest = change > largest ? change : largest;
	}
	return largest * coarse->variance / one.variance;
}

/*
 * A blurred entry is a mean with fixed weights, so the largest change does not
 * grow from pass to pass. So a search in an interval finds the smallest
 * sufficient number of passes. The change is about proportional to 1 / passes,
 * which gives the next guess; every second guess halves the interval instead.
 */
uint32_t blur_passes_to_converge(struct arena *arena, const float *values,
				 uint32_t count, uint32_t radius,
				 double epsilon)
{
	struct coarse coarse = blur_coarsen(arena, values, count, radius);
	uint32_t low = 0;
	uint32_t high = blur_max_passes(epsilon) - 1;
	uint32_t passes = high / 2;

	for (bool halves = false; low < high; halves = !halves) {
		double change = largest_change(&coarse, passes);

		if (change <= epsilon)
			high = passes;
		else
			low = passes + 1;
		if (low < high)
			passes = halves ? low + (high - low) / 2
					: (uint32_t)fmin(fmax(passes * change /
								      epsilon,
							      low),
							 high - 1);
	}
	return low + 1;
}

/*
 * After q passes, the change by one more pass is at most half of the 1-norm of
 * the difference of two Gaussians of variances q and q + 1. This is below
 * phi(1) / q = .242 / q, where phi is the density of the normal distribution.
 */
uint32_t blur_max_passes(double epsilon)
{
	assert(epsilon > 0);
	return (uint32_t)ceil(.25 / epsilon) + 1;
}

uint32_t curve_step(uint32_t count)
{
	return count / MAX_CURVE_VALUES + (count % MAX_CURVE_VALUES > 0) +
	       (count == 0);
}

struct figure_series curve_series(struct arena *arena, const char *name,
				  const float *values, uint32_t count)
{
	uint32_t step = curve_step(count);
	uint32_t drawn = count / step + (count % step > 0);
	float *means = ARENA_NEW(arena, float, drawn);

	for (uint32_t i = 0; i < drawn; i++) {
		uint32_t begin = i * step;
		uint32_t end = count - begin < step ? count : begin + step;
		double sum = 0;

		for (uint32_t k = begin; k < end; k++)
			sum += (double)values[k];
		means[i] = (float)(sum / (end - begin));
	}
	return (struct figure_series){name, means, drawn};
}

const char *curve_label(struct arena *arena, const char *entries,
			uint32_t count)
{
	char label[80];
	uint32_t step = curve_step(count);

	if (step == 1)
		return entries;
	snprintf(label, sizeof(label), "%s / %u", entries, step);
	return arena_copy(arena, label, strlen(label));
}

enum {
	FIRST_CAPACITY = 32,
	/*
	 * The capacity is a power of two. At least half of the slots are free.
	 */
	SLOTS_PER_ENTRY = 2,
	/*
	 * Twice the longest probe run of a million random keys when half of the
	 * slots are used. Only keys that were chosen to collide need more
	 * probes.
	 */
	MAX_PROBES = 128,
};

struct hash_table hash_table_make(struct arena *arena, size_t entry_bytes)
{
	assert(entry_bytes >= sizeof(uint64_t));
	return (struct hash_table){
		.entry_bytes = entry_bytes,
		.arena = arena,
		.spare = arena_alloc(arena, 1, entry_bytes),
	};
}

uint32_t hash_table_index(const struct hash_table *table, const void *entry)
{
	if (entry == table->spare)
		return NO_ENTRY;
	return (uint32_t)((size_t)((const char *)entry -
				   (const char *)table->entries) /
			  table->entry_bytes);
}

static uint64_t hash_table_key(const struct hash_table *table, uint32_t index)
{
	uint64_t key;

	memcpy(&key, hash_table_entry(table, index), sizeof(key));
	return key;
}

/*
 * Return the slot of `key`, or the free slot where it belongs; NULL if other
 * keys use the MAX_PROBES slots that it may have.
 */
static uint32_t *hash_table_slot(const struct hash_table *table, uint64_t key)
{
	uint32_t mask = table->slot_count - 1;
	uint32_t at = (uint32_t)(key >> 32 ^ key);

	for (uint32_t i = 0; i < MAX_PROBES && i < table->slot_count; i++) {
		uint32_t *slot = &table->slots[(at + i) & mask];

		if (*slot == 0 || hash_table_key(table, *slot - 1) == key)
			return slot;
	}
	return NULL;
}

/*
 * Make new slots for all entries. An entry that gets no slot within MAX_PROBES
 * is lost: hash_table_find() does not find it any longer.
 */
static void fill_slots(struct hash_table *table)
{
	table->slot_count = table->capacity * SLOTS_PER_ENTRY;
	table->slots = ARENA_NEW(table->arena, uint32_t, table->slot_count);
	for (uint32_t i = 0; i < table->count; i++) {
		uint32_t *slot =
			hash_table_slot(table, hash_table_key(table, i));

		if (slot != NULL)
			*slot = i + 1;
	}
}

void hash_table_reserve(struct hash_table *table, uint32_t count)
{
	assert(table->count == 0 && table->capacity == 0);
	assert(count <= UINT32_MAX / 4);
	table->capacity = FIRST_CAPACITY;
	while (table->capacity < count)
		table->capacity *= 2;
	table->entries =
		arena_alloc(table->arena, table->capacity, table->entry_bytes);
	fill_slots(table);
}

static void hash_table_grow(struct hash_table *table)
{
	void *entries;

	table->capacity =
		table->capacity == 0 ? FIRST_CAPACITY : table->capacity * 2;
	entries =
		arena_alloc(table->arena, table->capacity, table->entry_bytes);
	if (table->count > 0)
		memcpy(entries, table->entries,
		       table->count * table->entry_bytes);
	table->entries = entries;
	fill_slots(table);
}

uint32_t hash_table_number(struct hash_table *table, uint64_t key)
{
	uint32_t *slot =
		table->capacity == 0 ? NULL : hash_table_slot(table, key);

	if (slot != NULL && *slot != 0)
		return *slot - 1;
	if (table->count == table->capacity) {
		hash_table_grow(table);
		slot = hash_table_slot(table, key);
	}
	if (slot == NULL)
		return NO_ENTRY;
	assert(table->count < table->capacity && *slot == 0);
	*slot = ++table->count;
	memcpy(hash_table_entry(table, *slot - 1), &key, sizeof(key));
	return *slot - 1;
}

void *hash_table_add(struct hash_table *table, uint64_t key)
{
	const uint32_t number = hash_table_number(table, key);

	if (number != NO_ENTRY)
		return hash_table_entry(table, number);
	memset(table->spare, 0, table->entry_bytes);
	return memcpy(table->spare, &key, sizeof(key));
}

void *hash_table_find(const struct hash_table *table, uint64_t key)
{
	uint32_t *slot = table->count == 0 ? NULL : hash_table_slot(table, key);

	return slot == NULL || *slot == 0 ? NULL
					  : hash_table_entry(table, *slot - 1);
}

struct hash_table hash_table_copy(struct arena *arena,
				  const struct hash_table *table)
{
	struct hash_table copy = *table;

	copy.arena = arena;
	copy.spare = arena_alloc(arena, 1, table->entry_bytes);
	copy.entries = arena_alloc(arena, table->capacity, table->entry_bytes);
	copy.slots = ARENA_NEW(arena, uint32_t, table->slot_count);
	if (table->count > 0) {
		memcpy(copy.entries, table->entries,
		       table->count * table->entry_bytes);
		memcpy(copy.slots, table->slots,
		       table->slot_count * sizeof(*copy.slots));
	}
	return copy;
}
