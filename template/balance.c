#include "template/balance.h"

#include <assert.h>

#include "base/arena.h"

/* Counts of the items of one page. */
struct page_count {
	uint32_t held;  /* stable items in the baseline */
	uint32_t lost;  /* of these */
	uint32_t moved; /* removed and new items that changed on this page */
};

/* The pages that had an item before, and the pages that have it now. */
struct balance_turn {
	uint32_t before; /* mask: seen pages that had it */
	uint32_t after;  /* mask: pages that have it */
	bool was_stable;
	bool is_gone;
	bool is_come;
};

uint32_t count_pages(uint32_t mask)
{
	return (uint32_t)__builtin_popcount(mask);
}

uint32_t quorum(const struct pages *pages, uint32_t votes)
{
	uint64_t ratio = ((uint64_t)votes * pages->agreement + 999) / 1000;
	uint32_t least = pages->votes;

	assert(pages->count <= MAX_TEMPLATE_SAMPLE);
	/* One page of several is no evidence. */
	if (least < 2 && pages->count >= 2)
		least = 2;
	if (least > pages->min_pages)
		least = pages->min_pages;

	return ratio > least ? (uint32_t)ratio : least;
}

static struct balance_turn item_turn_of(const struct pages *pages,
					const struct shared_item *shared)
{
	uint32_t had =
		(uint32_t)shared->holders & ((1U << MAX_TEMPLATE_SAMPLE) - 1);
	struct balance_turn turn = {
		.before = had & pages->seen,
		.after = (uint32_t)(shared->holders >> MAX_TEMPLATE_SAMPLE),
		.was_stable = is_stable(count_pages(had), pages->count),
	};
	uint32_t lost = count_pages(turn.before & ~turn.after);
	uint32_t got = count_pages(turn.after & ~turn.before);

	turn.is_gone = turn.was_stable && lost > 0 &&
		       lost >= quorum(pages, count_pages(turn.before));
	turn.is_come = !turn.was_stable && got > 0 &&
		       got >= quorum(pages, count_pages(pages->seen));
	return turn;
}

static void count_turn(const struct pages *pages,
		       const struct balance_turn *turn,
		       struct page_count *counts)
{
	assert(pages->count <= MAX_TEMPLATE_SAMPLE);
	for (uint32_t i = 0; i < pages->count; i++) {
		bool had = (turn->before >> i & 1) != 0;
		bool has = (turn->after >> i & 1) != 0;

		counts[i].held += turn->was_stable && had;
		counts[i].lost += turn->was_stable && had && !has;
		counts[i].moved += (turn->is_gone && had && !has) ||
				   (turn->is_come && has && !had);
	}
}

static double balance_ratio(uint32_t part, uint32_t all)
{
	assert(part <= all);
	return all == 0 ? 0 : (double)part / all;
}

/* List the hashes of moved items, after counting them. */
static void list_moved(struct arena *arena, const struct pages *pages,
		       enum items items, struct common_items *balance)
{
	struct hash_merge *merge = merge_begin(arena, pages->records,
					       2 * MAX_TEMPLATE_SAMPLE, items);
	uint64_t *gone = ARENA_NEW(arena, uint64_t, balance->gone_count);
	uint64_t *come = ARENA_NEW(arena, uint64_t, balance->come_count);
	struct shared_item shared;

	balance->gone = gone;
	balance->come = come;
	while (merge_next(merge, &shared)) {
		struct balance_turn turn = item_turn_of(pages, &shared);

		if (turn.is_gone)
			*gone++ = shared.hash;
		if (turn.is_come)
			*come++ = shared.hash;
	}
	assert(gone == balance->gone + balance->gone_count &&
	       come == balance->come + balance->come_count);
}

void common_items_compare(struct arena *arena, const struct pages *pages,
			  enum items items, struct common_items *balance_out)
{
	struct hash_merge *merge = merge_begin(arena, pages->records,
					       2 * MAX_TEMPLATE_SAMPLE, items);
	struct page_count counts[MAX_TEMPLATE_SAMPLE] = {{0}};
	struct common_items balance = {0};
	struct shared_item shared;
	uint32_t moved;

	while (merge_next(merge, &shared)) {
		struct balance_turn turn = item_turn_of(pages, &shared);

		balance.stable += turn.was_stable;
		balance.gone_count += turn.is_gone;
		balance.come_count += turn.is_come;
		count_turn(pages, &turn, counts);
	}
	moved = balance.gone_count + balance.come_count;
	balance.moved =
		balance_ratio(moved, balance.stable + balance.come_count);
	for (uint32_t i = 0; i < pages->count; i++) {
		balance.lost[i] = balance_ratio(counts[i].lost, counts[i].held);
		balance.joins[i] = balance_ratio(counts[i].moved, moved);
	}
	list_moved(arena, pages, items, &balance);
	*balance_out = balance;
}
