#include "template/judge.h"

#include "store/arena.h"
#include "template/balance.h"

/*
 * Chosen by tests/eval/changes.py (its tables: tests/eval/CHANGES.md) on the
 * templates of nine sites, of at least three pages, at several times. Where
 * content alone changed, at most 0.22 of the paths moved, and 0.42 of the texts
 * (lists of what is new); where the site was redesigned, at least 0.47 of the
 * paths, and as little as none of the texts. So paths decide, at the middle,
 * and texts do when nearly all of them move. The agreement is the least of
 * those that keep the two that far apart, so that some pages of an old cache
 * hide nothing: at 0.8 the noise is 0.30. With rules chosen on the other sites
 * each site was judged without a mistake: 65 and 34 templates.
 *
 * A page: where content alone changed, none of 732 lost over 0.25 of what it
 * shared, and all of 393 did in a redesign; what a page gains alone is content.
 * Fewer than three pages: content moves up to 0.53, a redesign 0.35 and more.
 */
const struct judge_rules judge_rules_default = {
	.min_pages = 3,
	.agreement = 850,
	.path_share = 350,
	.fragment_share = 700,
	.page_share = 250,
	.few_share = 600,
};

enum {
	/* paths or fragments that must move: of a page that has but a handful,
	 * one or two are a large share */
	MIN_MOVED = 3,
};

/* The sample while it is judged; masks of witnesses. */
struct hearing {
	const struct judge_rules *rules;
	const struct witness *sample;
	struct pages *pages;
	uint32_t unseen;
	uint32_t gone;
	uint32_t blocked;
	uint32_t seen;   /* pages */
	uint32_t away;   /* pages of another cluster */
	uint32_t differ; /* pages that are not as they were */
	uint32_t joins;  /* pages that moved as all did */
	bool is_moved;   /* and that is over a limit */
};

static void hear(struct hearing *hearing, uint32_t cluster, uint32_t count)
{
	struct pages *pages = hearing->pages;

	pages->count = count;
	pages->min_pages = hearing->rules->min_pages;
	pages->agreement = hearing->rules->agreement;
	for (uint32_t i = 0; i < count; i++) {
		const struct witness *witness = &hearing->sample[i];
		uint32_t bit = 1U << i;

		pages->records[i] = witness->before;
		hearing->unseen |= witness->fate == FATE_UNSEEN ? bit : 0;
		hearing->gone |= witness->fate == FATE_GONE ? bit : 0;
		hearing->blocked |= witness->fate == FATE_BLOCKED ? bit : 0;
		if (witness->fate != FATE_PAGE)
			continue;
		pages->records[MAX_TEMPLATE_SAMPLE + i] = witness->after;
		hearing->seen |= bit;
		hearing->away |= witness->cluster != cluster ? bit : 0;
	}
	pages->seen = hearing->seen;
	pages->voices = count_pages(hearing->seen | hearing->unseen);
}

static bool is_over(const struct balance *balance, unsigned permille)
{
	return balance->gone_count + balance->come_count >= MIN_MOVED &&
	       balance->moved * 1000 > permille;
}

/* Of one or two pages, all that it has in common is much of its
 * content. */
static bool has_moved(const struct hearing *hearing,
		      const struct balance *paths,
		      const struct balance *fragments,
		      const struct balance **by_out)
{
	const struct judge_rules *rules = hearing->rules;
	bool is_few = hearing->pages->voices < rules->min_pages;

	*by_out = paths;
	if (is_over(paths, is_few ? rules->few_share : rules->path_share))
		return true;
	*by_out = fragments;
	return !is_few && is_over(fragments, rules->fragment_share);
}

static void weigh(struct hearing *hearing, struct arena *arena,
		  struct judgement *judgement)
{
	const struct pages *pages = hearing->pages;
	enum items items = stable_paths(arena, pages->records, pages->count);
	const struct balance *by;
	struct balance paths;
	struct balance fragments;

	balance_make(arena, pages, items, &paths);
	balance_make(arena, pages, ITEMS_FRAGMENTS, &fragments);
	hearing->is_moved = has_moved(hearing, &paths, &fragments, &by);
	for (uint32_t i = 0; i < pages->count; i++) {
		uint32_t bit = hearing->seen & 1U << i;

		if (paths.lost[i] * 1000 > hearing->rules->page_share)
			hearing->differ |= bit;
		if (by->joins[i] >= 0.5)
			hearing->joins |= bit;
	}
	judgement->has_classes = items == ITEMS_CPC;
	judgement->gone_paths = paths.gone;
	judgement->gone_path_count = paths.gone_count;
	judgement->come_paths = paths.come;
	judgement->come_path_count = paths.come_count;
	judgement->paths_moved = paths.moved;
	judgement->gone_fragments = fragments.gone;
	judgement->gone_fragment_count = fragments.gone_count;
	judgement->come_fragments = fragments.come;
	judgement->come_fragment_count = fragments.come_count;
	judgement->fragments_moved = fragments.moved;
}

/* One more page is in `cluster`; most pages first. */
static void add_destination(struct judgement *judgement, uint32_t cluster)
{
	struct destination *all = judgement->destinations;
	uint32_t at = 0;

	while (at < judgement->destination_count && all[at].cluster != cluster)
		at++;
	if (at == judgement->destination_count)
		all[judgement->destination_count++] =
			(struct destination){.cluster = cluster};
	all[at].pages++;
	for (; at > 0 && all[at].pages > all[at - 1].pages; at--) {
		struct destination other = all[at - 1];

		all[at - 1] = all[at];
		all[at] = other;
	}
}

static void find_destinations(const struct hearing *hearing,
			      struct judgement *judgement)
{
	for (uint32_t i = 0; i < hearing->pages->count; i++)
		if ((hearing->away >> i & 1) != 0)
			add_destination(judgement, hearing->sample[i].cluster);
}

/* The pages of `mask` say so. */
static void find(const struct hearing *hearing, enum verdict_kind kind,
		 uint32_t mask, struct judgement *judgement)
{
	judgement->kind = kind;
	for (uint32_t i = 0; i < hearing->pages->count; i++)
		if ((mask >> i & 1) != 0)
			judgement->pages[judgement->agreed++] =
				hearing->sample[i].page;
}

/* Some went to one place, and some stayed. */
static bool is_split(const struct hearing *hearing,
		     const struct judgement *judgement)
{
	uint32_t stayed = count_pages(hearing->seen & ~hearing->away);
	unsigned least = hearing->rules->min_pages;

	return hearing->unseen == 0 && judgement->destination_count > 0 &&
	       judgement->destinations[0].pages >= least && stayed >= least;
}

/* All have been asked, few are blocked, and none of the others is what it was:
 * most are gone. */
static bool is_vanished(const struct hearing *hearing,
			const struct judgement *judgement)
{
	uint32_t as_it_was = hearing->seen & ~(hearing->away | hearing->differ);

	return hearing->unseen == 0 && as_it_was == 0 &&
	       2 * count_pages(hearing->gone) >= judgement->seen &&
	       judgement->seen >= quorum(hearing->pages, hearing->pages->count);
}

static void decide(const struct hearing *hearing, struct judgement *judgement)
{
	/* of all that may have a say, whether they have been asked or not:
	 * those who have not cannot turn it any more */
	uint32_t needed = quorum(hearing->pages, hearing->pages->voices);
	uint32_t left = count_pages(hearing->joins & hearing->away);
	uint32_t joined = count_pages(hearing->joins);

	if (hearing->is_moved && joined >= needed)
		find(hearing,
		     2 * left > joined ? VERDICT_REPLACED : VERDICT_CHANGED,
		     hearing->joins, judgement);
	else if (!hearing->is_moved && hearing->away != 0 &&
		 count_pages(hearing->away) >= needed)
		find(hearing, VERDICT_MERGED, hearing->away, judgement);
	else if (is_split(hearing, judgement))
		find(hearing, VERDICT_SPLIT, hearing->away, judgement);
	else if (is_vanished(hearing, judgement))
		find(hearing, VERDICT_VANISHED, hearing->gone, judgement);
	else if (hearing->unseen != 0 && judgement->disagreed > 0)
		judgement->kind = VERDICT_UNSURE;
}

/* Nobody has anything to tell. */
static void decide_blocked(const struct hearing *hearing,
			   struct judgement *judgement)
{
	if (hearing->blocked != 0)
		find(hearing,
		     hearing->unseen == 0 ? VERDICT_BLOCKED : VERDICT_UNSURE,
		     hearing->blocked, judgement);
}

/* NOLINTNEXTLINE(readability-function-size): two of them are the sample */
void judge(struct arena *arena, uint32_t cluster, const struct witness *sample,
	   uint32_t count, const struct judge_rules *rules,
	   struct judgement *judgement_out)
{
	struct hearing hearing = {
		.rules = rules,
		.sample = sample,
		.pages = ARENA_NEW(arena, struct pages, 1),
	};

	hear(&hearing, cluster, count);
	*judgement_out = (struct judgement){
		.seen = count_pages(hearing.seen | hearing.gone),
	};
	if (judgement_out->seen == 0) {
		decide_blocked(&hearing, judgement_out);
		return;
	}
	weigh(&hearing, arena, judgement_out);
	find_destinations(&hearing, judgement_out);
	judgement_out->disagreed =
		count_pages(hearing.gone | hearing.away | hearing.differ |
			    (hearing.is_moved ? hearing.joins : 0));
	decide(&hearing, judgement_out);
}
