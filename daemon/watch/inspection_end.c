/* What is told of a template, and how it ends. */
#include "daemon/watch/inspection_decision.h"
#include "store/key.h"

enum {
	MAX_VISITS = 1000, /* after a change was told */
};

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

struct template_finding *examination_find(struct examination *examination)
{
	examination->subject->row = examination->row;
	return inspector_find(examination->inspector,
			      examination->subject->cluster, &examination->row);
}

uint32_t main_destination(const struct examination *examination)
{
	const struct detection *detection = &examination->detection;

	for (uint32_t i = 0; i < detection->destination_count; i++)
		if (detection->destinations[i].cluster != 0 &&
		    detection->destinations[i].cluster !=
			    examination->subject->cluster)
			return detection->destinations[i].cluster;
	return 0;
}

static struct slice first_url(const struct examination *examination)
{
	struct inspector *inspector = examination->inspector;

	return examination->sample.count == 0
		       ? inspector->site.seed
		       : inspector_copy(inspector->arena,
					examination->sample.pages[0].url);
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
		.detection = &examination->detection,
		.sample = &examination->sample,
		.before = load_version(inspector, subject->cluster, number),
		.after = after,
		.versions = {number, examination->row.version == number
					     ? 0
					     : examination->row.version},
		.reason = reason,
	};

	inspector_emit(inspector,
		       &(struct event_row){
			       .kind = (uint16_t)kind,
			       .cluster = subject->cluster,
			       .other = kind == EVENT_TEMPLATE_CHANGED
						? 0
						: examination->row.other,
			       .pages = evidence.before == NULL
						? examination->detection.agreed
						: evidence.before->page_count,
			       .url = first_url(examination),
			       .detail = evidence_json(inspector, &evidence),
		       });
}

void examination_settle(const struct inspector *inspector,
			struct template_row *row)
{
	row->asked_for = 0;
	row->asked_ms = 0;
	row->flags = 0;
	row->round_ms = inspector->now_ms;
	row->threshold = inspector->site.options.threshold;
}

enum error examination_change(struct examination *examination,
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
	examination_settle(inspector, &examination->row);
	examination->row.seen_ms = inspector->now_ms;
	if (taken.is_partial)
		examination->row.flags |= TEMPLATE_IS_PARTIAL;
	tell(examination, kind, taken.version, NULL);
	find_version(inspector, &taken, inspector->now_ms,
		     examination_find(examination));
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
	examination_settle(inspector, &into->row);
	into->row.lineage =
		lineage_add(inspector, into->row.lineage, "merged from", from);
	found = inspector_find(inspector, cluster, &into->row);
	find_version(inspector, taken, inspector->now_ms, found);
}

enum error examination_end(struct examination *examination,
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
	examination_find(examination)->has_sample = true; /* of no page */
	if (ending->kind == EVENT_TEMPLATE_MERGED && taken.version != NULL)
		absorb(inspector, ending->other, examination->subject->cluster,
		       &taken);
	return ERR_NONE;
}

enum error examination_end_by_recut(struct examination *examination)
{
	uint32_t other = 0;
	uint32_t votes = 0;

	/* the majority vote of Boyer and Moore: any of the clusters will do */
	for (uint32_t i = 0; i < examination->sample.count; i++) {
		uint32_t cluster =
			examination->sample.pages[i].observed.cluster;

		if (votes == 0)
			other = cluster;
		votes += cluster == other ? 1U : UINT32_MAX;
	}
	return examination_end(examination, &(struct ending){
						    .state = TEMPLATE_MERGED,
						    .kind = EVENT_SITE_RECUT,
						    .other = other,
						    .lineage = "recut",
					    });
}

/* The cluster that most of the pages that went away lead to; 0: none. */
static uint32_t moved_to(const struct examination *examination)
{
	const struct sample *sample = &examination->sample;

	for (uint32_t i = 0; i < sample->count; i++) {
		uint32_t cluster = sample->pages[i].observed.cluster;
		uint32_t count = 0;

		if (!sample->pages[i].is_moved)
			continue;
		for (uint32_t j = 0; j < sample->count; j++)
			count += sample->pages[j].is_moved &&
				 sample->pages[j].observed.cluster == cluster;
		if (2 * count >= sample->count)
			return cluster;
	}
	return 0;
}

/* Pages that nobody has asked may still be there: they are the sample now. */
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
	for (size_t i = 0; i < taken.sample_count; i++)
		inspector_visit(inspector, taken.sample[i].page);
	found = examination_find(examination);
	found->has_sample = true;
	found->sample = taken.sample;
	found->sample_count = taken.sample_count;
	return ERR_NONE;
}

enum error examination_vanish(struct examination *examination)
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
	return examination_end(examination, &ending);
}
