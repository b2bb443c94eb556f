/* What has become of a known template. */
#include "daemon/inspection_parts.h"

#include "store/memory.h"

enum {
	ROUND_PAGES = 3,              /* are asked of each template */
	PATIENCE_MS = 60 * 60 * 1000, /* with pages that were asked */
	MAX_VISITS = 1000,            /* after a change was told */
	GROWN = 2, /* so many times its pages, and a version is made anew */
	GROWN_BY = 8,
	PERMILLE = 1000,
};

/* One template under inspection. */
struct examination {
	struct inspector *inspector;
	struct subject *subject;
	struct template_row row; /* as it will be */
	struct panel panel;
	struct judgement judgement;
	uint32_t unseen;
	uint32_t gone;
	uint32_t elsewhere; /* in another cluster */
	uint32_t disagreed; /* pages that are not what they were, or not where
			       they were */
	bool is_changed;    /* the row must be written */
	bool is_open;       /* all of the panel were asked, and it was not
			       concluded from that yet */
	bool is_late;       /* so long ago that nobody is waited for */
	bool follows_split; /* pages that are where a part went say nothing */
};

static uint64_t window_of(const struct inspector *inspector,
			  const struct template_row *row)
{
	if (!inspector_can_ask(inspector))
		return 0;
	return row->asked_ms > row->round_ms ? row->asked_ms : row->round_ms;
}

/* A page, and none that has another form than it had. */
static bool is_as_it_was(const struct panel_page *page)
{
	return page->witness.fate == FATE_UNSEEN ||
	       (page->witness.fate == FATE_PAGE && !page->has_other_paths);
}

/* Another cut of the tree moves pages that are as they were: that says nothing
 * of the template. */
static void forgive_recut(struct examination *examination)
{
	struct panel *panel = &examination->panel;

	for (uint32_t i = 0; i < panel->count; i++) {
		struct witness *witness = &panel->pages[i].witness;

		if (is_as_it_was(&panel->pages[i]))
			witness->cluster = examination->subject->cluster;
	}
}

/* It follows a part that was told to have split off. */
static bool is_follower(const struct examination *examination,
			const struct witness *witness)
{
	return examination->follows_split && witness->fate == FATE_PAGE &&
	       witness->cluster == examination->subject->row.other;
}

static bool is_elsewhere(const struct examination *examination,
			 const struct witness *witness)
{
	return witness->cluster != examination->subject->cluster &&
	       (witness->fate == FATE_PAGE || witness->fate == FATE_UNSEEN) &&
	       !is_follower(examination, witness);
}

static void add_contested(struct inspector *inspector, uint32_t cluster)
{
	inspector->contested =
		mem_grow(inspector->contested, inspector->contested_count,
			 &inspector->contested_capacity, sizeof(uint32_t));
	inspector->contested[inspector->contested_count++] = cluster;
}

/* Where nobody can be asked: is the cluster mostly of the panel's pages? */
static bool is_taken_over(const struct examination *examination,
			  uint32_t cluster)
{
	const struct subject *into =
		inspector_subject(examination->inspector, cluster);
	uint32_t count = 0;

	for (uint32_t i = 0; i < examination->panel.count; i++)
		count += examination->panel.pages[i].witness.cluster == cluster;
	return into != NULL && 2 * count >= into->cluster_row.page_count;
}

/* As long as nothing is concluded, nobody knows whose the clusters are that the
 * pages are in by now. */
static void contest(const struct examination *examination)
{
	struct inspector *inspector = examination->inspector;
	bool is_open = examination->is_open ||
		       (examination->row.flags & TEMPLATE_IS_DIVIDED) != 0;
	bool is_unsure = !inspector_can_ask(inspector) &&
			 examination->judgement.kind == VERDICT_UNSURE;

	for (uint32_t i = 0; i < examination->panel.count; i++) {
		const struct witness *witness =
			&examination->panel.pages[i].witness;

		if (is_elsewhere(examination, witness) &&
		    (is_open || (is_unsure &&
				 is_taken_over(examination, witness->cluster))))
			add_contested(inspector, witness->cluster);
	}
}

static void count_fates(struct examination *examination)
{
	struct inspector *inspector = examination->inspector;
	uint32_t count = examination->panel.count;

	for (uint32_t i = 0; i < count; i++) {
		const struct panel_page *page = &examination->panel.pages[i];
		const struct witness *witness = &page->witness;

		examination->unseen += witness->fate == FATE_UNSEEN;
		examination->gone += witness->fate == FATE_GONE;
		inspector->blocked += witness->fate == FATE_BLOCKED;
		inspector->seen +=
			page->is_fresh && (witness->fate == FATE_PAGE ||
					   witness->fate == FATE_GONE);
		if (!is_elsewhere(examination, witness))
			continue;
		examination->elsewhere++;
	}
	if (!examination->is_open && count > ROUND_PAGES)
		count = ROUND_PAGES;
	inspector->asked += inspector_can_ask(inspector) ? count : 0;
	examination->disagreed = examination->gone + examination->elsewhere;
	if (examination->disagreed < examination->judgement.disagreed)
		examination->disagreed = examination->judgement.disagreed;
}

/* Have everybody tell again, at the same time. */
static void ask_all(struct examination *examination)
{
	struct inspector *inspector = examination->inspector;

	for (uint32_t i = 0; i < examination->panel.count; i++)
		inspector_visit(inspector,
				examination->panel.pages[i].witness.page);
	examination->row.asked_ms = inspector->now_ms;
	examination->row.flags |= TEMPLATE_IS_ASKING;
	examination->is_changed = true;
	examination->is_open = true;
	inspector_wait(inspector, inspector->now_ms + PATIENCE_MS);
}

/* The next few pages of the panel are asked when their time has come. */
static void begin_round(struct examination *examination)
{
	struct inspector *inspector = examination->inspector;
	struct template_row *row = &examination->row;
	const struct panel *panel = &examination->panel;
	uint64_t due_ms = row->round_ms + inspector->site.watch_ms;

	if (!inspector_can_ask(inspector) || examination->is_open ||
	    panel->count == 0)
		return;
	if (due_ms <= inspector->now_ms) {
		for (uint32_t i = 0; i < ROUND_PAGES && i < panel->count; i++) {
			uint32_t turn = row->round * ROUND_PAGES + i;

			inspector_visit(
				inspector,
				panel->pages[turn % panel->count].witness.page);
		}
		row->round++;
		row->round_ms = inspector->now_ms;
		due_ms = inspector->now_ms + inspector->site.watch_ms;
		examination->is_changed = true;
	}
	inspector_wait(inspector, due_ms);
}

/* All pages of the cluster, so that their text is right soon, too. */
static void visit_members(struct inspector *inspector, uint32_t cluster)
{
	struct key prefix = key_cluster(inspector->site.id, cluster);
	struct txn txn = txn_begin_read(inspector->store);
	struct scan scan = scan_begin(&txn, TABLE_MEMBERS, key_slice(&prefix));

	for (uint32_t i = 0; i < MAX_VISITS && scan_next(&scan); i++)
		inspector_visit(inspector,
				key_u64(scan.key, 2 * sizeof(uint32_t)));
	scan_end(&scan);
	txn_abort(&txn);
}

static struct template_finding *add_finding(struct examination *examination)
{
	examination->subject->row = examination->row;
	return inspector_find(examination->inspector,
			      examination->subject->cluster, &examination->row);
}

/* Where most pages went that are elsewhere; 0: nowhere. */
static uint32_t main_destination(const struct examination *examination)
{
	const struct judgement *judgement = &examination->judgement;

	for (uint32_t i = 0; i < judgement->destination_count; i++)
		if (judgement->destinations[i].cluster != 0 &&
		    judgement->destinations[i].cluster !=
			    examination->subject->cluster)
			return judgement->destinations[i].cluster;
	return 0;
}

static struct slice first_url(const struct examination *examination)
{
	struct inspector *inspector = examination->inspector;

	return examination->panel.count == 0
		       ? inspector->site.seed
		       : inspector_copy(inspector->arena,
					examination->panel.pages[0].url);
}

/* An event, and the evidence for it. */
static void tell(struct examination *examination, enum event_kind kind,
		 const struct version *after, const char *reason)
{
	struct inspector *inspector = examination->inspector;
	const struct subject *subject = examination->subject;
	uint32_t number = subject->row.version;
	const struct evidence evidence = {
		.subject = subject,
		.judgement = &examination->judgement,
		.panel = &examination->panel,
		.before = load_version(inspector, subject->cluster, number),
		.after = after,
		.versions = {number, examination->row.version == number
					     ? 0
					     : examination->row.version},
		.reason = reason,
	};

	inspector_tell(inspector,
		       &(struct event_row){
			       .kind = (uint16_t)kind,
			       .cluster = subject->cluster,
			       .other = kind == EVENT_TEMPLATE_CHANGED
						? 0
						: examination->row.other,
			       .pages = evidence.before == NULL
						? examination->judgement.agreed
						: evidence.before->page_count,
			       .url = first_url(examination),
			       .detail = evidence_json(inspector, &evidence),
		       });
}

/* It has a new panel, of which nothing is known but that it is there. */
static void settle(const struct inspector *inspector, struct template_row *row)
{
	row->asked_for = 0;
	row->asked_ms = 0;
	row->flags = 0;
	row->round_ms = inspector->now_ms;
	row->threshold = inspector->site.threshold;
}

/* It goes on, with another version. */
static enum error tell_change(struct examination *examination,
			      enum event_kind kind)
{
	struct inspector *inspector = examination->inspector;
	uint32_t cluster = examination->subject->cluster;
	struct taken taken;
	enum error error = take_version(
		inspector, cluster, examination->subject->row.asked_ms, &taken);

	if (error != ERR_NONE || taken.version == NULL)
		return error;
	examination->row.version++;
	if (kind == EVENT_TEMPLATE_SPLIT) {
		examination->row.other = main_destination(examination);
		examination->row.lineage =
			lineage_add(inspector, examination->row.lineage,
				    "split", examination->row.other);
	}
	settle(inspector, &examination->row);
	examination->row.seen_ms = inspector->now_ms;
	if (taken.is_partial)
		examination->row.flags |= TEMPLATE_IS_PARTIAL;
	tell(examination, kind, taken.version, NULL);
	find_version(inspector, &taken, inspector->now_ms,
		     add_finding(examination));
	visit_members(inspector, cluster);
	return ERR_NONE;
}

/* A live template got the pages of another one: its version is of both. */
static void absorb(struct inspector *inspector, uint32_t cluster, uint32_t from,
		   const struct taken *taken)
{
	struct subject *into = inspector_subject(inspector, cluster);
	struct template_finding *found;

	if (into == NULL || !into->has_row || into->row.state != TEMPLATE_LIVE)
		return;
	into->row.version++;
	settle(inspector, &into->row);
	into->row.lineage =
		lineage_add(inspector, into->row.lineage, "merged from", from);
	found = inspector_find(inspector, cluster, &into->row);
	find_version(inspector, taken, inspector->now_ms, found);
}

struct ending {
	enum template_state state;
	enum event_kind kind;
	uint32_t other;
	const char *lineage;
	const char *reason;
	bool is_told;
};

/* It ends here; its row and its versions are kept. */
static enum error end_template(struct examination *examination,
			       const struct ending *ending)
{
	struct inspector *inspector = examination->inspector;
	struct template_row *row = &examination->row;
	struct taken taken = {0};
	enum error error = ERR_NONE;

	if (ending->is_told && ending->other != 0)
		error = take_version(
			inspector, ending->other,
			ending->state == TEMPLATE_MERGED ? 0 : row->asked_ms,
			&taken);
	if (error != ERR_NONE)
		return error;
	row->state = (uint16_t)ending->state;
	row->ended_ms = inspector->now_ms;
	row->other = ending->other;
	row->lineage = lineage_add(inspector, row->lineage, ending->lineage,
				   ending->other);
	if (ending->is_told)
		tell(examination, ending->kind, taken.version, ending->reason);
	visit_members(inspector, examination->subject->cluster);
	add_finding(examination)->has_panel = true; /* of no page */
	if (ending->kind == EVENT_TEMPLATE_MERGED && taken.version != NULL)
		absorb(inspector, ending->other, examination->subject->cluster,
		       &taken);
	return ERR_NONE;
}

/* The cut was moved, and with it all pages of the template. */
static enum error end_by_recut(struct examination *examination)
{
	uint32_t other = 0;
	uint32_t votes = 0;

	/* the majority vote of Boyer and Moore: any of the clusters will do */
	for (uint32_t i = 0; i < examination->panel.count; i++) {
		uint32_t cluster = examination->panel.pages[i].witness.cluster;

		if (votes == 0)
			other = cluster;
		votes += cluster == other ? 1U : UINT32_MAX;
	}
	return end_template(examination, &(struct ending){
						 .state = TEMPLATE_MERGED,
						 .kind = EVENT_SITE_RECUT,
						 .other = other,
						 .lineage = "recut",
					 });
}

/* The cluster that most of the pages that went away lead to; 0: none. */
static uint32_t moved_to(const struct examination *examination)
{
	const struct panel *panel = &examination->panel;

	for (uint32_t i = 0; i < panel->count; i++) {
		uint32_t cluster = panel->pages[i].witness.cluster;
		uint32_t count = 0;

		if (!panel->pages[i].is_moved)
			continue;
		for (uint32_t j = 0; j < panel->count; j++)
			count += panel->pages[j].is_moved &&
				 panel->pages[j].witness.cluster == cluster;
		if (2 * count >= panel->count)
			return cluster;
	}
	return 0;
}

/* Pages that nobody has asked may still be there: they are the panel now. */
static enum error doubt(struct examination *examination)
{
	struct inspector *inspector = examination->inspector;
	struct template_finding *found;
	struct taken taken;
	enum error error = take_version(
		inspector, examination->subject->cluster, 0, &taken);

	if (error != ERR_NONE || taken.version == NULL)
		return error;
	examination->row.flags |= TEMPLATE_IS_DOUBTED | TEMPLATE_IS_ASKING;
	examination->row.asked_ms = inspector->now_ms;
	examination->row.asked_for = 0;
	for (size_t i = 0; i < taken.panel_count; i++)
		inspector_visit(inspector, taken.panel[i].page);
	found = add_finding(examination);
	found->has_panel = true;
	found->panel = taken.panel;
	found->panel_count = taken.panel_count;
	return ERR_NONE;
}

/* A whole panel is gone. */
static enum error vanish(struct examination *examination)
{
	const struct subject *subject = examination->subject;
	uint32_t other = moved_to(examination);
	struct ending ending = {TEMPLATE_VANISHED,
				EVENT_TEMPLATE_VANISHED,
				0,
				"vanished",
				NULL,
				true};

	if (subject->has_cluster &&
	    subject->cluster_row.page_count >=
		    examination->inspector->rules->min_pages &&
	    (subject->row.flags & TEMPLATE_IS_DOUBTED) == 0)
		return doubt(examination);
	if (other != 0)
		ending = (struct ending){
			TEMPLATE_REPLACED, EVENT_TEMPLATE_REPLACED,   other,
			"replaced",        "its URLs lead there now", true};
	return end_template(examination, &ending);
}

/*
 * A version says what the pages are like that were there: make it anew when
 * there are many more, or when the cut was moved, so that some are another
 * template's by now.
 */
static enum error refresh(struct examination *examination, bool is_forced)
{
	struct inspector *inspector = examination->inspector;
	const struct subject *subject = examination->subject;
	struct txn txn = txn_begin_read(inspector->store);
	struct template_finding *found;
	struct version_row row;
	struct taken taken;
	bool is_known =
		version_row_get(&txn, inspector->site.id, subject->cluster,
				subject->row.version, &row);
	bool is_due = is_known && subject->has_cluster &&
		      inspector->is_settled &&
		      (is_forced ||
		       subject->row.threshold != inspector->site.threshold ||
		       ((subject->row.flags & TEMPLATE_IS_PARTIAL) != 0 &&
			subject->row.round_ms > row.first_ms) ||
		       subject->cluster_row.page_count >=
			       GROWN * row.page_count + GROWN_BY);
	uint64_t first_ms = row.first_ms;
	enum error error = txn.error;

	txn_abort(&txn);
	if (error != ERR_NONE || !is_due)
		return error;
	error = take_version(inspector, subject->cluster, 0, &taken);
	if (error != ERR_NONE || taken.version == NULL)
		return error;
	settle(inspector, &examination->row);
	found = add_finding(examination);
	find_version(inspector, &taken, first_ms, found);
	return ERR_NONE;
}

/* Other pages take the places of those that are gone from a template that goes
 * on. */
static enum error mend(struct examination *examination)
{
	struct inspector *inspector = examination->inspector;
	struct template_finding *found;
	struct taken taken;
	enum error error = take_version(
		inspector, examination->subject->cluster, 0, &taken);

	if (error != ERR_NONE || taken.version == NULL)
		return error;
	panel_mend(inspector, &examination->panel, &taken);
	found = add_finding(examination);
	found->has_panel = true;
	found->panel = taken.panel;
	found->panel_count = taken.panel_count;
	return ERR_NONE;
}

static bool is_template(const struct inspector *inspector, uint32_t cluster)
{
	const struct subject *subject = inspector_subject(inspector, cluster);

	return subject != NULL && subject->has_cluster &&
	       subject->cluster_row.page_count >= inspector->rules->min_pages;
}

/* A part of it is elsewhere. In the middle of a redesign that is so, too: it is
 * told when it is still so a round later. */
static enum error divide(struct examination *examination)
{
	const struct inspector *inspector = examination->inspector;
	struct template_row *row = &examination->row;
	uint32_t other = main_destination(examination);
	bool is_still = (row->flags & TEMPLATE_IS_DIVIDED) != 0 &&
			examination->disagreed <= row->asked_for;

	if (examination->judgement.agreed < examination->elsewhere)
		examination->judgement.agreed = examination->elsewhere;
	if ((is_still || !inspector_can_ask(inspector)) &&
	    is_template(inspector, other)) {
		if (is_template(inspector, examination->subject->cluster))
			return tell_change(examination, EVENT_TEMPLATE_SPLIT);
		/* too few stayed to be one */
		return end_template(examination,
				    &(struct ending){TEMPLATE_REPLACED,
						     EVENT_TEMPLATE_REPLACED,
						     other, "replaced", NULL,
						     true});
	}
	row->asked_for = examination->disagreed;
	row->flags &= (uint16_t)~TEMPLATE_IS_ASKING;
	row->flags |= TEMPLATE_IS_DIVIDED;
	examination->is_changed = true;
	examination->is_open = false;
	return ERR_NONE;
}

/*
 * Everybody was asked, and it goes on. When half of the pages have moved, but
 * not so far that it is told, they are what it is by now: or they would hide
 * what comes.
 */
static enum error close_inquiry(struct examination *examination)
{
	struct template_row *row = &examination->row;

	if (2 * examination->elsewhere >= examination->panel.count &&
	    examination->judgement.kind == VERDICT_SAME)
		return divide(examination);
	row->asked_for = examination->disagreed;
	row->flags &= (uint16_t) ~(TEMPLATE_IS_DOUBTED | TEMPLATE_IS_DIVIDED |
				   TEMPLATE_IS_ASKING);
	examination->is_changed = true;
	if (!examination->subject->has_cluster)
		return ERR_NONE;
	if (2 * examination->disagreed >= examination->panel.count &&
	    examination->judgement.kind == VERDICT_SAME)
		return refresh(examination, true);
	return examination->gone > 0 ? mend(examination) : ERR_NONE;
}

/* It is as it was: when was that seen? */
static enum error stay(struct examination *examination)
{
	struct template_row *row = &examination->row;
	uint64_t seen_ms = row->seen_ms;

	for (uint32_t i = 0; i < examination->panel.count; i++) {
		const struct panel_page *page = &examination->panel.pages[i];

		if (is_as_it_was(page) && page->fetched_ms > seen_ms)
			seen_ms = page->fetched_ms;
	}
	examination->is_changed |= seen_ms != row->seen_ms;
	row->seen_ms = seen_ms;
	if (examination->is_open)
		return close_inquiry(examination);
	if (row->asked_for > examination->disagreed) {
		row->asked_for = examination->disagreed;
		examination->is_changed = true;
	}
	return examination->disagreed == 0 ? refresh(examination, false)
					   : ERR_NONE;
}

/*
 * Its pages are another cluster's, and nearly as they were. When that is no
 * template yet, they have it for themselves: then it is what they have changed
 * to, or, when they have not, what the linkage calls them now.
 */
static enum error join(struct examination *examination, uint32_t other)
{
	const struct subject *into =
		inspector_subject(examination->inspector, other);
	const struct judgement *judgement = &examination->judgement;
	bool is_known = into != NULL && into->has_row &&
			into->row.state == TEMPLATE_LIVE;
	const struct judge_rules *rules = &judge_rules_default;
	bool has_moved =
		judgement->paths_moved * PERMILLE > rules->path_share ||
		judgement->fragments_moved * PERMILLE > rules->fragment_share;

	if (is_known)
		return end_template(
			examination,
			&(struct ending){TEMPLATE_MERGED, EVENT_TEMPLATE_MERGED,
					 other, "merged", NULL, true});
	return end_template(
		examination,
		&(struct ending){TEMPLATE_REPLACED, EVENT_TEMPLATE_REPLACED,
				 other, has_moved ? "replaced" : "renumbered",
				 NULL, has_moved});
}

/* Everybody who can be asked has answered: what is it? */
static enum error conclude(struct examination *examination)
{
	enum verdict_kind kind = examination->judgement.kind;
	uint32_t other = main_destination(examination);

	/* the linkage moves pages to and fro while others come, and while its
	 * threshold is chosen */
	if ((kind == VERDICT_MERGED || kind == VERDICT_SPLIT) &&
	    !examination->inspector->is_settled)
		return ERR_NONE;
	switch (kind) {
	case VERDICT_CHANGED:
		return tell_change(examination, EVENT_TEMPLATE_CHANGED);
	case VERDICT_SPLIT:
		return divide(examination);
	case VERDICT_REPLACED:
		return end_template(examination,
				    &(struct ending){TEMPLATE_REPLACED,
						     EVENT_TEMPLATE_REPLACED,
						     other, "replaced", NULL,
						     true});
	case VERDICT_MERGED:
		return join(examination, other);
	case VERDICT_VANISHED:
		return vanish(examination);
	default:
		return stay(examination);
	}
}

static bool is_event(enum verdict_kind kind)
{
	return kind != VERDICT_SAME && kind != VERDICT_UNSURE &&
	       kind != VERDICT_BLOCKED;
}

/*
 * Ask, wait, or conclude. Who disagrees in a round may have been seen before
 * somebody else's pages moved his: so nothing is concluded before all of the
 * panel have been asked at the same time.
 */
static enum error weigh(struct examination *examination)
{
	struct inspector *inspector = examination->inspector;
	const struct template_row *row = &examination->row;
	bool was_asked = row->asked_ms != 0 && row->asked_ms >= row->round_ms;

	if (!inspector_can_ask(inspector))
		return conclude(examination);
	if (examination->is_open && examination->unseen > 0 &&
	    !examination->is_late) {
		inspector_wait(inspector, row->asked_ms + PATIENCE_MS);
		return ERR_NONE;
	}
	if (examination->is_open)
		return conclude(examination);
	if (examination->disagreed > row->asked_for ||
	    (!was_asked && (is_event(examination->judgement.kind) ||
			    (row->flags & TEMPLATE_IS_DIVIDED) != 0))) {
		ask_all(examination);
		return ERR_NONE;
	}
	return stay(examination);
}

/* Who never answers, or follows a part that was told of, says nothing. */
static void judge_panel(struct examination *examination)
{
	struct witness witnesses[MAX_PANEL];

	for (uint32_t i = 0; i < examination->panel.count; i++) {
		witnesses[i] = examination->panel.pages[i].witness;
		if (is_follower(examination, &witnesses[i]) ||
		    (examination->is_late && witnesses[i].fate == FATE_UNSEEN))
			witnesses[i].fate = FATE_BLOCKED;
	}
	judge(examination->inspector->scratch, examination->subject->cluster,
	      witnesses, examination->panel.count, &judge_rules_default,
	      &examination->judgement);
	count_fates(examination);
}

/* Pages that go where a part went are no news, until nearly all did. */
static bool follows_split(const struct examination *examination)
{
	uint32_t other = examination->subject->row.other;
	uint32_t count = 0;

	for (uint32_t i = 0; i < examination->panel.count; i++) {
		const struct witness *witness =
			&examination->panel.pages[i].witness;

		count +=
			witness->fate == FATE_PAGE && witness->cluster == other;
	}
	return other != 0 &&
	       count * PERMILLE <
		       examination->panel.count * judge_rules_default.agreement;
}

/* Did the cut move, and not the pages? */
static bool is_recut(const struct examination *examination)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < examination->panel.count; i++)
		count += is_as_it_was(&examination->panel.pages[i]);
	return 2 * count > examination->panel.count;
}

enum error inspect_template(struct inspector *inspector,
			    struct subject *subject)
{
	const struct template_row *row = &subject->row;
	struct examination examination = {
		.inspector = inspector,
		.subject = subject,
		.row = *row,
		.is_open = (row->flags & TEMPLATE_IS_ASKING) != 0,
		.is_late = (row->flags & TEMPLATE_IS_ASKING) != 0 &&
			   inspector->now_ms >= row->asked_ms + PATIENCE_MS,
	};
	size_t findings = inspector->template_count;
	enum error error =
		panel_read(inspector, subject, window_of(inspector, row),
			   &examination.panel);

	if (error != ERR_NONE)
		return error;
	if (row->threshold != inspector->site.threshold) {
		if (!subject->has_cluster && is_recut(&examination))
			return end_by_recut(&examination);
		forgive_recut(&examination);
	}
	examination.follows_split = follows_split(&examination);
	judge_panel(&examination);
	error = weigh(&examination);
	contest(&examination);
	if (error != ERR_NONE || inspector->template_count > findings)
		return error;
	begin_round(&examination);
	if (examination.is_changed)
		add_finding(&examination);
	return ERR_NONE;
}
