#include "daemon/watch/health.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "cluster/signature.h"
#include "page/page_class.h"

enum {
	/* sample pages of a template that a check requests at first */
	FIRST_PAGES = 2,
	/* maximum number of templates whose pages a check requests at first */
	FIRST_TEMPLATES = 8,
	/* maximum time that a check waits for its visits */
	PATIENCE_MS = 60 * 1000,
	/* the same if the server refuses all requests, and the host pauses */
	REFUSED_PATIENCE_MS = 5 * 1000,
	/* pages that agree, in percent, so that the site is the cause */
	MOST = 80,
	/* minimum number of pages that agree */
	MIN_AGREEING = 3,
	/* pages of a template that differ, in percent, so that it is clear */
	CLEAR = 85,
	/*
	 * visits that must agree before a template is believed to have changed:
	 * if two variants alternate, they agree by chance in 1 of 2^12 cases
	 */
	CLEAR_LOOKS = 12,
	ALTERNATING_LOOKS = 3, /* the same for each page of such a template */
	/* the same for a page while others of its template are as they were */
	PAGE_LOOKS = 3,
	/* a page whose kind of answer has changed so often is not visited
	 * again at once */
	MAX_TURNS = 3,
	/* texts are nearly equal, in percent of their length */
	EQUAL_TEXT = 90,
	/* a page has kept its own text, in percent of its length */
	KEPT_TEXT = 30,
	/* a removed page is visited again after this part of a round; pages
	 * whose time comes a little later are visited with it */
	AGAIN_PERCENT = 80,
	TOGETHER_PERCENT = 10,
	/*
	 * an outage must last for this part of a round, and at most this time;
	 * if pages are only missing, for longer: a deployment may cause it
	 */
	CONFIRM_PERCENT = 150,
	MAX_CONFIRM_MS = 2 * 60 * 1000,
	CONFIRM_MISSING_PERCENT = 220,
	MAX_CONFIRM_MISSING_MS = 10 * 60 * 1000,
	/*
	 * number of rounds after which a site is reported that was down when
	 * it was added; at most an hour. The client has seen its state
	 */
	ADDED_ROUNDS = 6,
	/* rounds in which a site that alternates is only learned */
	LEARN_ROUNDS = 3,
	FLIP_ROUNDS = 6, /* rounds without a flip after which a flip is old */
	MAX_PROBE_DOUBLINGS = 4,
	FIRST_PROBE_MS = 2 * 60 * 1000,
	HOUR_MS = 60 * 60 * 1000,
	DAY_MS = 24 * HOUR_MS,
	/* pause between two checks of a site that can be read: this part of a
	 * round, but not more than two minutes */
	CHECK_PARTS = 32,
	MAX_CHECK_PAUSE_MS = 2 * 60 * 1000,
	MAX_AGAIN_DOUBLINGS = 4, /* of the pause between visits */
	/* maximum number of fragments, or of paths, that are compared */
	MAX_FRAGMENTS = 4096,
	MAX_ARRAY = HEALTH_MAX_PAGES,
	MAX_TITLE_BYTES = 80,
};

/* A decision while it is being made. */
struct health_check {
	const struct health_facts *facts;
	const struct health_rules *rules;
	struct arena *arena;
	struct health_decision *decision;
	/* [count] for each page: it shows no page of the site */
	bool *is_bad;
};

static bool is_active(const struct health_page *page)
{
	return page->has_waiting && page->waiting.kind != WAITING_FLIPPED;
}

static bool has_flipped(const struct health_check *check,
			const struct health_page *page)
{
	return page->has_waiting && page->waiting.flips > 0 &&
	       page->waiting.flip_ms + FLIP_ROUNDS * check->rules->round_ms >
		       check->rules->now_ms;
}

/* Return whether the page was visited, and is as it was. */
static bool is_near(const struct health_page *page)
{
	return page->is_sample && page->is_answered && !page->has_failed &&
	       !is_active(page);
}

static bool state_is_down(unsigned state)
{
	return state != SITE_STATE_OK && state != SITE_STATE_ALTERNATING;
}

static bool is_missing_or_moved(unsigned state)
{
	return state == SITE_STATE_MISSING || state == SITE_STATE_MOVED;
}

/*
 * Return the time after which another failure confirms the state of a site: a
 * short outage is not reported.
 */
static uint64_t confirm_ms(const struct health_check *check)
{
	bool is_missing = check->facts->row.state == SITE_STATE_MISSING;
	uint64_t rounds_ms =
		check->rules->round_ms *
		(is_missing ? CONFIRM_MISSING_PERCENT : CONFIRM_PERCENT) / 100;
	uint64_t most_ms = is_missing ? MAX_CONFIRM_MISSING_MS : MAX_CONFIRM_MS;

	return rounds_ms < most_ms ? rounds_ms : most_ms;
}

/*
 * Return the time from which visits count as evidence about a site that is
 * down: they are later than the last check or, before the state is reported,
 * long enough after its begin.
 */
static uint64_t evidence_ms(const struct health_check *check)
{
	const struct health_row *row = &check->facts->row;

	return row->told_ms == 0 ? row->since_ms + confirm_ms(check)
				 : row->closed_ms + 1;
}

/*
 * Return whether the visit that waits is evidence of the open check. If the
 * site was down before, only later visits are.
 */
static bool is_evidence(const struct health_check *check,
			const struct health_page *page)
{
	const struct health_row *row = &check->facts->row;

	if (!is_active(page))
		return false;
	return state_is_down(row->state)
		       ? page->waiting.time_ms >= evidence_ms(check)
		       : page->waiting.time_ms + PATIENCE_MS >= row->asked_ms;
}

static void push(struct health_check *check, struct judged_visit **list,
		 size_t *count, const struct health_page *page)
{
	if (*list == NULL)
		*list = ARENA_NEW(check->arena, struct judged_visit, MAX_ARRAY);
	if (*count < MAX_ARRAY)
		(*list)[(*count)++] =
			(struct judged_visit){page->page, page->stored_ms};
}

/* Request the page, unless its visit is due already. */
static void add_visit(struct health_check *check,
		      const struct health_page *page)
{
	struct health_decision *decision = check->decision;

	if (!page->is_visited || page->is_due)
		return;
	if (decision->visits == NULL)
		decision->visits = ARENA_NEW(check->arena, uint64_t, MAX_ARRAY);
	if (decision->visit_count < MAX_ARRAY)
		decision->visits[decision->visit_count++] = page->page;
}

static void add_accepted(struct health_check *check,
			 const struct health_page *page)
{
	struct health_decision *decision = check->decision;

	push(check, &decision->accepted, &decision->accepted_count, page);
}

static void add_dropped(struct health_check *check,
			const struct health_page *page)
{
	struct health_decision *decision = check->decision;

	push(check, &decision->dropped, &decision->dropped_count, page);
}

static void wait_until(struct health_check *check, uint64_t time_ms)
{
	if (time_ms < check->decision->next_ms)
		check->decision->next_ms = time_ms;
}

/* Functions that compare texts. */

/*
 * Return the highest hash up to which the fragments of both records are
 * compared. A record has its fragments ascending by hash, so those below a
 * limit are a random sample of its text.
 */
static uint64_t hash_limit(const struct record *a, const struct record *b)
{
	uint64_t limit = UINT64_MAX;

	if (a->fragment_count > MAX_FRAGMENTS)
		limit = a->fragments[MAX_FRAGMENTS - 1].hash;
	if (b->fragment_count > MAX_FRAGMENTS &&
	    b->fragments[MAX_FRAGMENTS - 1].hash < limit)
		limit = b->fragments[MAX_FRAGMENTS - 1].hash;
	return limit;
}

static uint64_t text_length(const struct record *record, uint64_t limit)
{
	uint64_t length = 0;

	for (uint32_t i = 0;
	     i < record->fragment_count && record->fragments[i].hash <= limit;
	     i++)
		length += record->fragments[i].length;
	return length;
}

/*
 * Return whether the record has the fragment. The hashes of consecutive calls
 * ascend, and *at is 0 at first.
 */
static bool record_has(const struct record *record, uint32_t *at, uint64_t hash)
{
	while (*at < record->fragment_count &&
	       record->fragments[*at].hash < hash)
		(*at)++;
	return *at < record->fragment_count &&
	       record->fragments[*at].hash == hash;
}

static uint64_t common_length(const struct record *a, const struct record *b,
			      uint64_t limit)
{
	uint64_t length = 0;
	uint32_t at = 0;

	for (uint32_t i = 0;
	     i < a->fragment_count && a->fragments[i].hash <= limit; i++)
		if (record_has(b, &at, a->fragments[i].hash))
			length += a->fragments[i].length;
	return length;
}

/*
 * Return whether the page has kept the text that distinguished it from the
 * other page.
 */
static bool has_kept_text(const struct health_page *page,
			  const struct health_page *other)
{
	uint64_t limit = hash_limit(&page->before, &other->before);
	uint64_t own = 0;
	uint64_t kept = 0;
	uint32_t at_other = 0;
	uint32_t at_after = 0;

	for (uint32_t i = 0; i < page->before.fragment_count &&
			     page->before.fragments[i].hash <= limit;
	     i++) {
		const struct record_fragment *fragment =
			&page->before.fragments[i];

		if (record_has(&other->before, &at_other, fragment->hash))
			continue;
		own += fragment->length;
		if (record_has(&page->after, &at_after, fragment->hash))
			kept += fragment->length;
	}
	return own == 0 || kept * 100 >= own * KEPT_TEXT;
}

/*
 * Return whether two pages, whose titles differed, have one title and nearly
 * the same paths now. An error page may name the URL or a request.
 */
static bool has_one_form(const struct health_page *a,
			 const struct health_page *b)
{
	const struct record *left = &a->after;
	const struct record *right = &b->after;
	struct signature one = {left->signatures[MEASURE_CP],
				left->signature_counts[MEASURE_CP]};
	struct signature other = {right->signatures[MEASURE_CP],
				  right->signature_counts[MEASURE_CP]};

	return one.count <= MAX_FRAGMENTS && other.count <= MAX_FRAGMENTS &&
	       left->title.size > 0 && slice_equal(left->title, right->title) &&
	       !slice_equal(a->before.title, b->before.title) &&
	       signature_linked(one, other, (100 - EQUAL_TEXT) * 10);
}

/*
 * Return whether two URLs, whose pages differed, return nearly the same
 * document now.
 */
static bool is_one_document(const struct health_page *a,
			    const struct health_page *b)
{
	uint64_t limit = hash_limit(&a->after, &b->after);
	uint64_t left = text_length(&a->after, limit);
	uint64_t right = text_length(&b->after, limit);
	uint64_t longer = left > right ? left : right;

	return (common_length(&a->after, &b->after, limit) * 100 >=
			longer * EQUAL_TEXT ||
		has_one_form(a, b)) &&
	       !has_kept_text(a, b) && !has_kept_text(b, a);
}

/* Return the URL without its query and fragment. */
static struct slice url_without_query(struct slice url)
{
	const char *text = url.data;
	size_t size = 0;

	while (size < url.size && text[size] != '?' && text[size] != '#')
		size++;
	return (struct slice){text, size};
}

/* Return whether the URL is on the host of the site. */
static bool is_on_host(const struct health_check *check, struct slice url)
{
	struct slice host = check->rules->host;
	const char *at = memmem(url.data, url.size, "://", 3);
	size_t left;

	if (at == NULL)
		return false;
	at += 3;
	left = url.size - (size_t)(at - (const char *)url.data);
	return left >= host.size && memcmp(at, host.data, host.size) == 0 &&
	       (left == host.size || at[host.size] == '/' ||
		at[host.size] == ':' || at[host.size] == '?');
}

/* Return whether two waiting visits show the same thing instead of a page. */
static bool shows_the_same(const struct health_check *check,
			   const struct health_page *a,
			   const struct health_page *b)
{
	if (a->waiting.kind != b->waiting.kind)
		return false;
	switch (a->waiting.kind) {
	case WAITING_PAGE:
		return a->has_records && b->has_records &&
		       is_one_document(a, b);
	case WAITING_REDIRECT:
		if (!is_on_host(check, a->waiting.target))
			return !is_on_host(check, b->waiting.target);
		return slice_equal(url_without_query(a->waiting.target),
				   url_without_query(b->waiting.target));
	default:
		return true;
	}
}

/* Mark the waiting pages that show the same as at least two others. */
static void mark_bad(struct health_check *check)
{
	const struct health_facts *facts = check->facts;
	size_t considered[HEALTH_MAX_RECORDS];
	size_t alike[HEALTH_MAX_RECORDS] = {0};
	size_t count = 0;

	check->is_bad = ARENA_NEW(check->arena, bool, facts->count + 1);
	for (size_t i = 0; i < facts->count; i++) {
		unsigned kind = facts->pages[i].waiting.kind;

		check->is_bad[i] =
			is_active(&facts->pages[i]) &&
			(kind == WAITING_REFUSED || kind == WAITING_REMOVED);
		if (is_active(&facts->pages[i]) && !check->is_bad[i] &&
		    count < HEALTH_MAX_RECORDS)
			considered[count++] = i;
	}
	for (size_t i = 0; i < count; i++)
		for (size_t j = i + 1; j < count; j++)
			if (shows_the_same(check, &facts->pages[considered[i]],
					   &facts->pages[considered[j]])) {
				alike[i]++;
				alike[j]++;
			}
	for (size_t i = 0; i < count; i++)
		check->is_bad[considered[i]] = alike[i] + 1 >= MIN_AGREEING;
}

/*
 * Return whether the visits of the page have shown the same kind of thing for a
 * day and two rounds.
 */
static bool is_lasting(const struct health_check *check,
		       const struct waiting_row *row)
{
	uint64_t until_ms = row->first_ms + 2 * check->rules->round_ms;

	return row->looks >= 2 && row->time_ms >= row->first_ms + DAY_MS &&
	       row->time_ms >= until_ms;
}

/* Counts of the evidence of a check. */
struct evidence_counts {
	size_t pages; /* all pages with evidence */
	size_t near;
	size_t bad;
	size_t kinds[WAITING_KINDS]; /* bad pages by kind */
	size_t obstacles;            /* WAITING_REFUSED with a document */
	size_t lasting;              /* bad pages that are so for a day */
	size_t foreign;              /* redirects to other hosts */
	uint64_t retry_ms; /* until when the server asks for no visit */
	const struct health_page *example;
};

static void count_evidence(const struct health_check *check,
			   struct evidence_counts *counts)
{
	*counts = (struct evidence_counts){0};
	for (size_t i = 0; i < check->facts->count; i++) {
		const struct health_page *page = &check->facts->pages[i];

		if (is_near(page))
			counts->near++;
		else if (!is_evidence(check, page))
			continue;
		counts->pages++;
		if (!is_active(page) || !check->is_bad[i])
			continue;
		counts->bad++;
		counts->kinds[page->waiting.kind]++;
		counts->obstacles += page->waiting.kind == WAITING_REFUSED &&
				     page->waiting.page_class != CLASS_PAGE;
		counts->lasting += is_lasting(check, &page->waiting);
		counts->foreign += page->waiting.kind == WAITING_REDIRECT &&
				   !is_on_host(check, page->waiting.target);
		if (counts->retry_ms < page->waiting.retry_ms)
			counts->retry_ms = page->waiting.retry_ms;
		if (counts->example == NULL ||
		    page->waiting.kind != WAITING_REFUSED)
			counts->example = page;
	}
}

/* Return until when the server asks for no visit; 0 = it does not. */
static uint64_t pause_end(const struct health_check *check,
			  const struct evidence_counts *counts)
{
	uint64_t pause_ms = check->facts->row.pause_ms;

	return pause_ms > counts->retry_ms ? pause_ms : counts->retry_ms;
}

/* Return whether the server wants no visit in the time to confirm a state. */
static bool is_long_pause(const struct health_check *check, uint64_t until_ms)
{
	return until_ms > check->rules->now_ms + confirm_ms(check);
}

/* Return the state that the evidence shows. */
static enum site_state state_of(const struct health_check *check,
				const struct evidence_counts *counts)
{
	size_t samples = 0;
	size_t refused = counts->kinds[WAITING_REFUSED] - counts->obstacles;

	if (is_long_pause(check, pause_end(check, counts)))
		return SITE_STATE_UNREACHABLE;
	for (size_t i = 0; i < check->facts->count; i++)
		samples += check->facts->pages[i].is_sample;
	if (counts->near > 0 || counts->bad == 0 ||
	    counts->bad * 100 < counts->pages * MOST ||
	    (counts->bad < MIN_AGREEING &&
	     (samples == 0 || (counts->bad < samples && refused == 0))))
		return SITE_STATE_OK;
	if (2 * counts->kinds[WAITING_REMOVED] > counts->bad)
		return SITE_STATE_MISSING;
	if (2 * counts->foreign > counts->bad)
		return SITE_STATE_MOVED;
	return 2 * refused >= counts->bad ? SITE_STATE_UNREACHABLE
					  : SITE_STATE_BLOCKED;
}

static const char *status_text(const struct waiting_row *row)
{
	switch (row->http_status) {
	case 401:
		return "it requires a login (status 401)";
	case 403:
		return "it denies access (status 403)";
	case 429:
		return "it limits the requests (status 429)";
	case 500:
		return "the server fails (status 500)";
	case 502:
	case 504:
		return "its gateway gets no response (status 502 or 504)";
	case 503:
		return "it is unavailable (status 503)";
	default:
		return row->error != 0 ? error_text((enum error)row->error)
				       : "the server fails";
	}
}

/* Add "no visit before 14:05:00 UTC". */
static void reason_add_retry(struct buffer *text, uint64_t retry_ms)
{
	unsigned second = (unsigned)(retry_ms % DAY_MS / 1000);

	buffer_printf(text, "; no visit before %02u:%02u:%02u UTC",
		      second / 3600, second / 60 % 60, second % 60);
}

/* Return the reason of a state, in English. */
static struct slice reason_of(const struct health_check *check,
			      enum site_state state,
			      const struct evidence_counts *counts)
{
	const struct waiting_row none = {.kind = WAITING_REFUSED};
	const struct waiting_row *row =
		counts->example == NULL ? &none : &counts->example->waiting;
	struct slice title =
		row->kind == WAITING_PAGE && counts->example->has_records
			? utf8_truncate(counts->example->after.title,
					MAX_TITLE_BYTES)
			: slice_of("");
	struct buffer text = {0};
	struct slice reason;

	if (state == SITE_STATE_MISSING)
		buffer_append_slice(&text,
				    slice_of("all pages answer \"not found\""));
	else if (row->kind == WAITING_REDIRECT)
		buffer_printf(&text, "all pages redirect to %.*s",
			      (int)url_without_query(row->target).size,
			      (const char *)row->target.data);
	else if (row->kind == WAITING_PAGE)
		buffer_append_slice(&text, slice_of("all pages return one "
						    "document"));
	else if (state == SITE_STATE_BLOCKED)
		buffer_printf(&text,
			      "it returns only documents of the class "
			      "\"%s\"",
			      page_class_name(row->page_class));
	else
		buffer_append_slice(&text,
				    slice_of(counts->example == NULL
						     ? "the server asks for a "
						       "pause"
						     : status_text(row)));
	if (title.size > 0)
		buffer_printf(&text, ", \"%.*s\"", (int)title.size,
			      (const char *)title.data);
	if (check->decision->row.retry_ms != 0)
		reason_add_retry(&text, check->decision->row.retry_ms);
	reason = arena_slice(check->arena, buffer_slice(&text));
	buffer_free(&text);
	return reason;
}

/* Functions that decide about the waiting visits of one template. */

/* The pages of a template: pages[first] to pages[end - 1]. */
struct health_template {
	size_t first;
	size_t end;
	size_t near;
	size_t far;      /* pages whose waiting visits may be accepted */
	size_t flipped;  /* pages that have flipped */
	size_t returned; /* pages that differ again after a flip */
	size_t looks;    /* sum of the looks of the far pages */
	uint32_t least_looks;
	bool has_unasked; /* a sample page was not visited in this check */
};

static struct health_template template_at(const struct health_check *check,
					  size_t first)
{
	const struct health_page *pages = check->facts->pages;
	struct health_template found = {
		.first = first, .end = first, .least_looks = UINT32_MAX};

	for (; found.end < check->facts->count &&
	       pages[found.end].cluster == pages[first].cluster;
	     found.end++) {
		const struct health_page *page = &pages[found.end];

		found.near += is_near(page);
		found.flipped += has_flipped(check, page);
		found.returned += has_flipped(check, page) &&
				  (page->waiting.flips >= 2 || is_active(page));
		found.has_unasked |= page->is_sample && !page->is_answered;
		if (!is_active(page) || page->waiting.kind == WAITING_REFUSED)
			continue;
		found.far++;
		found.looks += page->waiting.looks;
		if (page->waiting.looks < found.least_looks)
			found.least_looks = page->waiting.looks;
	}
	return found;
}

/*
 * Return whether some pages have returned the stored page after something else.
 * Then a visit that differs is no evidence of a change yet.
 */
static bool template_is_unsteady(const struct health_template *self)
{
	return self->flipped >= 2;
}

/*
 * Return whether the pages go back and forth. At the end of an outage each page
 * flips only once.
 */
static bool template_alternates(const struct health_template *self)
{
	return template_is_unsteady(self) && self->returned >= 2;
}

/* What happens to a waiting visit. */
enum verdict { VERDICT_ACCEPT, VERDICT_DROP, VERDICT_AGAIN, VERDICT_LATER };

/*
 * Decide about a page whose visits return nothing that differs from the visits
 * of other URLs: a removed page, or one document for several URLs. A deployment
 * may cause it, so it must last for a round if it concerns many pages.
 */
static enum verdict verdict_of_bad(const struct health_check *check,
				   const struct health_template *self,
				   const struct waiting_row *row)
{
	uint64_t lasted_ms = row->first_ms +
			     check->rules->round_ms *
				     (AGAIN_PERCENT - TOGETHER_PERCENT) / 100;

	if (row->kind == WAITING_PAGE)
		return is_lasting(check, row) ? VERDICT_ACCEPT : VERDICT_LATER;
	if (row->looks < 2)
		return self->near >= self->far ? VERDICT_AGAIN : VERDICT_LATER;
	return self->near >= self->far || row->time_ms >= lasted_ms
		       ? VERDICT_ACCEPT
		       : VERDICT_LATER;
}

static enum verdict visited_verdict(const struct health_check *check,
				    const struct health_template *self,
				    size_t at)
{
	const struct waiting_row *row = &check->facts->pages[at].waiting;
	bool is_clear =
		self->far * 100 >= (self->far + self->near) * (size_t)CLEAR;

	if (row->kind == WAITING_REFUSED)
		return VERDICT_DROP;
	if (template_is_unsteady(self)) {
		if (self->near > 0)
			return VERDICT_LATER;
		return self->least_looks >= ALTERNATING_LOOKS ? VERDICT_ACCEPT
							      : VERDICT_AGAIN;
	}
	if (check->is_bad[at])
		return verdict_of_bad(check, self, row);
	if (is_clear && self->near == 0 && self->looks >= CLEAR_LOOKS)
		return VERDICT_ACCEPT;
	return row->looks >= PAGE_LOOKS ? VERDICT_ACCEPT : VERDICT_AGAIN;
}

/*
 * Return whether the last visit neither confirmed nor ended what waits, for
 * example because its document was incomplete. It is not repeated at once.
 */
static bool is_undecided(const struct health_page *page)
{
	return page->answered_ms > page->stored_ms;
}

/*
 * Decide about a waiting visit. A page whose visits return different kinds of
 * answers by turns is not visited again at once.
 */
static enum verdict verdict_of(const struct health_check *check,
			       const struct health_template *self, size_t at)
{
	const struct health_page *page = &check->facts->pages[at];
	enum verdict verdict = visited_verdict(check, self, at);
	bool is_restless = page->waiting.turns >= MAX_TURNS;

	return verdict == VERDICT_AGAIN && (!page->is_visited ||
					    is_undecided(page) || is_restless)
		       ? VERDICT_LATER
		       : verdict;
}

/*
 * Decide about the waiting visits of a template. Return false if more visits
 * are needed first.
 */
static bool decide_template(struct health_check *check,
			    const struct health_template *self)
{
	const struct health_page *pages = check->facts->pages;
	bool is_done = true;

	if ((self->far == 0 && self->flipped == 0) ||
	    (template_is_unsteady(self) && self->near > 0))
		return true;
	for (size_t i = self->first; i < self->end && self->has_unasked; i++)
		if (pages[i].is_sample && !pages[i].is_answered) {
			add_visit(check, &pages[i]);
			is_done = false;
		}
	for (size_t i = self->first; i < self->end; i++)
		if (is_active(&pages[i]) &&
		    verdict_of(check, self, i) == VERDICT_AGAIN) {
			add_visit(check, &pages[i]);
			is_done = false;
		}
	return is_done;
}

/*
 * Return when to visit a page again if its visit waits on: nearly one round
 * after the first visit, and then after longer pauses.
 */
static uint64_t again_ms(const struct health_check *check,
			 const struct health_page *page)
{
	uint64_t pause_ms = check->rules->round_ms * AGAIN_PERCENT / 100;
	uint64_t next_ms = page->waiting.first_ms + pause_ms;
	uint64_t last_ms = page->waiting.time_ms;

	if (page->answered_ms > last_ms &&
	    page->answered_ms <= check->rules->now_ms)
		last_ms = page->answered_ms;
	for (int i = 0; i < MAX_AGAIN_DOUBLINGS && next_ms <= last_ms; i++) {
		pause_ms *= 2;
		next_ms += pause_ms;
	}
	return next_ms <= last_ms ? last_ms + pause_ms : next_ms;
}

/* Apply the verdicts to the waiting visits of a template. */
static void close_template(struct health_check *check,
			   const struct health_template *self)
{
	const struct health_page *pages = check->facts->pages;

	for (size_t i = self->first; i < self->end; i++) {
		const struct waiting_row *row = &pages[i].waiting;

		if (!is_active(&pages[i]))
			continue;
		switch (verdict_of(check, self, i)) {
		case VERDICT_ACCEPT:
			add_accepted(check, &pages[i]);
			break;
		case VERDICT_DROP:
			add_dropped(check, &pages[i]);
			break;
		default:
			if (row->flips > 0)
				break;
			wait_until(check, again_ms(check, &pages[i]));
			break;
		}
	}
	if (!template_alternates(self))
		return;
	if (check->decision->templates == NULL)
		check->decision->templates =
			ARENA_NEW(check->arena, uint32_t, check->facts->count);
	check->decision->templates[check->decision->template_count++] =
		pages[self->first].cluster;
}

/*
 * Return whether most sample pages of the template have waited for less than
 * two rounds.
 */
static bool template_is_doubtful(const struct health_check *check,
				 const struct health_template *self)
{
	size_t samples = 0;
	size_t waiting = 0;

	for (size_t i = self->first; i < self->end; i++) {
		const struct health_page *page = &check->facts->pages[i];

		samples += page->is_sample;
		waiting += page->is_sample && is_active(page) &&
			   page->waiting.first_ms + 2 * check->rules->round_ms >
				   check->rules->now_ms;
	}
	return 2 * waiting > samples;
}

static bool has_doubtful_template(const struct health_check *check)
{
	struct health_template self;

	for (size_t i = 0; i < check->facts->count; i = self.end) {
		self = template_at(check, i);
		if (template_is_doubtful(check, &self))
			return true;
	}
	return false;
}

/* Functions that open and close a check. */

static void request_sample(struct health_check *check, size_t most)
{
	const struct health_facts *facts = check->facts;
	size_t templates = 0;

	for (size_t i = 0; i < facts->count && templates < FIRST_TEMPLATES;) {
		uint32_t cluster = facts->pages[i].cluster;
		size_t begin = i;
		size_t asked = 0;
		size_t size;

		while (i < facts->count && facts->pages[i].cluster == cluster)
			i++;
		size = i - begin;
		for (size_t k = 0; k < size && asked < most; k++) {
			/* begin with another page in each check */
			size_t at = begin + (k + facts->row.checks) % size;

			if (!facts->pages[at].is_sample)
				continue;
			add_visit(check, &facts->pages[at]);
			asked++;
		}
		templates += asked > 0;
	}
}

static void open_check(struct health_check *check, size_t most)
{
	struct health_decision *decision = check->decision;

	decision->row.asked_ms = check->rules->now_ms;
	decision->is_written = true;
	decision->is_deciding = true;
	request_sample(check, most);
	wait_until(check, check->rules->now_ms + PATIENCE_MS);
}

/*
 * Return how many pages of each template the next check of a site that is down
 * requests: few, but in all as many as must agree.
 */
static size_t probe_pages(const struct health_check *check)
{
	const struct health_facts *facts = check->facts;
	uint32_t last = UINT32_MAX;
	size_t templates = 0;

	for (size_t i = 0; i < facts->count; i++) {
		if (!facts->pages[i].is_sample ||
		    facts->pages[i].cluster == last)
			continue;
		last = facts->pages[i].cluster;
		templates++;
	}
	return templates == 0 ? MIN_AGREEING
			      : (MIN_AGREEING + templates - 1) / templates;
}

/* Return the pause between two checks of a site that cannot be read. */
static uint64_t probe_ms(const struct health_check *check)
{
	uint32_t doublings = check->facts->row.checks < MAX_PROBE_DOUBLINGS
				     ? check->facts->row.checks
				     : MAX_PROBE_DOUBLINGS;
	uint64_t pause_ms = (uint64_t)FIRST_PROBE_MS << doublings;

	return pause_ms < check->rules->round_ms ? pause_ms
						 : check->rules->round_ms;
}

static void end_state(struct health_check *check)
{
	struct health_decision *decision = check->decision;
	const struct health_row *before = &check->facts->row;

	decision->ends = before->told_ms != 0 && state_is_down(before->state);
	decision->ended = (enum site_state)before->state;
	decision->ended_since_ms = before->since_ms;
	decision->row.state = SITE_STATE_OK;
	decision->row.since_ms = check->rules->now_ms;
	decision->row.told_ms = 0;
	decision->row.checks = 0;
	decision->row.retry_ms = 0;
	decision->row.reason = slice_of("");
}

static void begin_state(struct health_check *check, enum site_state state)
{
	struct health_decision *decision = check->decision;

	if (decision->row.state == state)
		return;
	if (check->facts->row.told_ms != 0 && !state_is_down(state))
		end_state(check);
	decision->row.state = (uint16_t)state;
	if (!state_is_down(check->facts->row.state))
		decision->row.since_ms =
			state_is_down(state) && check->facts->row.asked_ms != 0
				? check->facts->row.asked_ms
				: check->rules->now_ms;
	if (!state_is_down(check->facts->row.state) || !state_is_down(state)) {
		decision->row.told_ms = 0;
		decision->row.checks = 0;
	}
}

/*
 * Close the check. Its row is written even if it is unchanged otherwise,
 * because closed_ms has changed.
 */
static void close_check(struct health_check *check)
{
	struct health_row *row = &check->decision->row;

	row->asked_ms = 0;
	row->closed_ms = check->rules->now_ms;
	row->checks++;
	check->decision->is_written = true;
}

static void close_down(struct health_check *check, enum site_state state,
		       const struct evidence_counts *counts)
{
	struct health_decision *decision = check->decision;
	struct health_row *row = &decision->row;

	begin_state(check, state);
	close_check(check);
	if (counts->example != NULL ||
	    is_long_pause(check, pause_end(check, counts))) {
		uint64_t confirm_at_ms = row->since_ms + confirm_ms(check);
		uint64_t pause_ms = pause_end(check, counts);

		row->retry_ms = pause_ms > confirm_at_ms ? pause_ms : 0;
		row->reason = reason_of(check, state, counts);
	} else {
		row->checks--; /* no visit was possible */
	}
	decision->is_deciding = true;
	if (row->told_ms == 0 &&
	    (row->checks >= 2 ||
	     row->since_ms + HOUR_MS <= check->rules->now_ms)) {
		row->told_ms = check->rules->now_ms;
		decision->begins = true;
	}
	wait_until(check, check->rules->now_ms + probe_ms(check));
}

/*
 * Return whether the site has been like this for so long that its pages are
 * gone.
 */
static bool is_for_good(const struct health_check *check, enum site_state state,
			const struct evidence_counts *counts)
{
	const struct health_row *row = &check->facts->row;

	return is_missing_or_moved(state) && row->state == state &&
	       counts->lasting > 0;
}

static void accept_all(struct health_check *check)
{
	for (size_t i = 0; i < check->facts->count; i++)
		if (is_active(&check->facts->pages[i]))
			add_accepted(check, &check->facts->pages[i]);
	close_check(check);
	check->decision->is_deciding = true;
	wait_until(check, check->rules->now_ms + probe_ms(check));
}

/* The pages of a site that was down are visited again. */
static void recover(struct health_check *check)
{
	for (size_t i = 0; i < check->facts->count; i++) {
		const struct health_page *page = &check->facts->pages[i];

		if (!page->has_waiting)
			continue;
		if (!is_active(page) || check->is_bad[i])
			add_dropped(check, page);
		if (is_active(page) && check->is_bad[i])
			add_visit(check, page);
	}
	end_state(check);
	check->decision->row.asked_ms = check->rules->now_ms;
	check->decision->is_written = true;
	check->decision->is_deciding = true;
	request_sample(check, FIRST_PAGES);
	wait_until(check, check->rules->now_ms + PATIENCE_MS);
}

/* Return whether the site alternates since it was added; that is no news. */
static bool has_always_alternated(const struct health_check *check)
{
	const struct health_rules *rules = check->rules;

	return rules->learned_ms != UINT64_MAX &&
	       check->decision->row.since_ms <
		       rules->learned_ms + rules->round_ms * LEARN_ROUNDS;
}

/* Decide about the templates of a site that can be read. */
static void close_ok(struct health_check *check)
{
	const struct health_facts *facts = check->facts;
	bool is_late = check->rules->now_ms >=
		       facts->row.asked_ms + UINT64_C(10) * PATIENCE_MS;
	bool is_done = true;
	struct health_template self;

	for (size_t i = 0; i < facts->count; i = self.end) {
		self = template_at(check, i);
		is_done &= decide_template(check, &self);
	}
	if (!is_done && !is_late) {
		check->decision->is_deciding = true;
		wait_until(check, check->rules->now_ms + PATIENCE_MS);
		return;
	}
	check->decision->visit_count = 0;
	for (size_t i = 0; i < facts->count; i = self.end) {
		self = template_at(check, i);
		close_template(check, &self);
	}
	close_check(check);
	if (check->decision->template_count > 0) {
		struct health_row *row = &check->decision->row;

		begin_state(check, SITE_STATE_ALTERNATING);
		if (row->told_ms == 0 &&
		    row->since_ms + check->rules->round_ms * AGAIN_PERCENT /
					    100 <=
			    check->rules->now_ms) {
			row->told_ms = check->rules->now_ms;
			check->decision->begins = !has_always_alternated(check);
		}
		row->reason = slice_of("its pages return two designs by turns");
	}
}

/*
 * Return how long the check waits for its visits. After a failure the host gets
 * no requests for a while, so do not wait for these; after a Retry-After none
 * can come.
 */
static uint64_t patience_of(const struct health_check *check)
{
	bool has_evidence = false;
	bool is_refused = false;

	if (is_long_pause(check, check->facts->row.pause_ms))
		return 0;
	for (size_t i = 0; i < check->facts->count; i++) {
		const struct health_page *page = &check->facts->pages[i];

		if (is_near(page))
			return PATIENCE_MS;
		if (!is_evidence(check, page))
			continue;
		if (page->waiting.retry_ms >
		    check->rules->now_ms + REFUSED_PATIENCE_MS)
			return 0;
		has_evidence = true;
		is_refused |= page->waiting.kind == WAITING_REFUSED &&
			      page->waiting.page_class == CLASS_PAGE;
	}
	return is_refused || (!has_evidence &&
			      state_is_down(check->facts->row.state))
		       ? REFUSED_PATIENCE_MS
		       : PATIENCE_MS;
}

/*
 * Request the sample pages that were not visited in this check. Return false if
 * there are none, or the check has lasted for too long.
 */
static bool request_rest(struct health_check *check)
{
	const struct health_facts *facts = check->facts;
	bool is_late = check->rules->now_ms >=
		       facts->row.asked_ms + patience_of(check);
	size_t count = 0;

	for (size_t i = 0; i < facts->count && !is_late; i++) {
		const struct health_page *page = &facts->pages[i];

		if (!page->is_sample || !page->is_visited || page->is_answered)
			continue;
		add_visit(check, page);
		count++;
	}
	if (count == 0)
		return false;
	check->decision->is_deciding = true;
	wait_until(check, check->rules->now_ms + PATIENCE_MS);
	return true;
}

static bool has_pending_visits(const struct health_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++)
		if (facts->pages[i].is_due && !facts->pages[i].is_answered)
			return true;
	return false;
}

/* Return the seed of the site; NULL if it is not stored. */
static const struct health_page *find_seed(const struct health_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++)
		if (facts->pages[i].is_seed)
			return &facts->pages[i];
	return NULL;
}

/*
 * A site that returns its seed is not missing: the other pages were removed, or
 * have new URLs. If all pages seem to be missing, correct *state, and return
 * false if the seed must be visited first.
 */
static bool ask_seed(struct health_check *check, enum site_state *state)
{
	const struct health_page *seed = find_seed(check->facts);

	if (*state != SITE_STATE_MISSING || seed == NULL)
		return true;
	if (!seed->is_answered && seed->is_visited) {
		add_visit(check, seed);
		return false;
	}
	if (seed->is_answered && !seed->has_failed &&
	    (!is_active(seed) || seed->waiting.kind == WAITING_PAGE))
		*state = SITE_STATE_OK;
	return true;
}

/*
 * Return whether a site that is down stays so: no visit was possible, for
 * example because the host pauses, or most visits show that it is down.
 * A page that was not known shows that a site has pages again.
 */
static bool stays_down(const struct health_check *check,
		       const struct evidence_counts *counts)
{
	if (is_missing_or_moved(check->facts->row.state) &&
	    check->rules->seen_ms >= evidence_ms(check))
		return false;
	return counts->pages == 0 ||
	       (2 * counts->bad > counts->pages && counts->near < MIN_AGREEING);
}

static void decide_open(struct health_check *check)
{
	const struct health_facts *facts = check->facts;
	struct evidence_counts counts;
	enum site_state state;
	uint64_t until_ms = facts->row.asked_ms + patience_of(check);

	if (has_pending_visits(facts) && check->rules->now_ms < until_ms) {
		check->decision->is_deciding = true;
		wait_until(check, until_ms);
		return;
	}
	mark_bad(check);
	count_evidence(check, &counts);
	state = state_of(check, &counts);
	if (!ask_seed(check, &state) && check->rules->now_ms < until_ms) {
		check->decision->is_deciding = true;
		wait_until(check, until_ms);
		return;
	}
	if (is_for_good(check, state, &counts))
		accept_all(check);
	else if (state_is_down(state) && counts.bad < counts.pages &&
		 !state_is_down(facts->row.state) && request_rest(check))
		return; /* the visits contradict each other */
	else if (state_is_down(state))
		close_down(check, state, &counts);
	else if (state_is_down(facts->row.state) && stays_down(check, &counts))
		close_down(check, (enum site_state)facts->row.state, &counts);
	else if (state_is_down(facts->row.state))
		recover(check);
	else
		close_ok(check);
}

/* Delete flips that are so long ago that the page does not alternate. */
static void drop_old_flips(struct health_check *check)
{
	size_t left = 0;
	uint64_t calm_ms;

	for (size_t i = 0; i < check->facts->count; i++) {
		const struct health_page *page = &check->facts->pages[i];

		if (!page->has_waiting || page->waiting.flips == 0)
			continue;
		left += is_active(page) || has_flipped(check, page);
		if (is_active(page))
			continue;
		if (has_flipped(check, page))
			wait_until(check,
				   page->waiting.flip_ms +
					   FLIP_ROUNDS *
						   check->rules->round_ms);
		else
			add_dropped(check, page);
	}
	if (left > 0 || check->facts->row.state != SITE_STATE_ALTERNATING)
		return;
	/* a redesign of a site that alternates does not end the alternation */
	calm_ms = check->decision->row.closed_ms +
		  FLIP_ROUNDS * check->rules->round_ms;
	if (calm_ms > check->rules->now_ms) {
		wait_until(check, calm_ms);
		return;
	}
	end_state(check);
	check->decision->is_written = true;
}

/*
 * Return when the next check of a site that is down begins. Before the state is
 * reported, this is when a visit can confirm it.
 */
static uint64_t next_probe(const struct health_check *check)
{
	const struct health_row *row = &check->facts->row;
	uint64_t confirm = row->since_ms + confirm_ms(check);

	if (row->retry_ms > row->closed_ms)
		return row->told_ms == 0 ? confirm : row->retry_ms;
	return row->told_ms == 0 && confirm > row->closed_ms
		       ? confirm
		       : row->closed_ms + probe_ms(check);
}

/*
 * Return whether visits can confirm the state of the site since the last check:
 * one that was refused, because no others come soon, or as many as must agree.
 */
static bool is_confirmed(const struct health_check *check)
{
	size_t count = 0;

	for (size_t i = 0; i < check->facts->count; i++) {
		const struct health_page *page = &check->facts->pages[i];

		if (is_evidence(check, page))
			count += page->waiting.kind == WAITING_REFUSED
					 ? MIN_AGREEING
					 : 1;
	}
	return count >= MIN_AGREEING;
}

/*
 * Return the pause between two checks of a site that can be read. Pages that
 * differ may come one after another, and each check requests many others.
 */
static uint64_t check_pause_ms(const struct health_check *check)
{
	uint64_t pause_ms = check->rules->round_ms / CHECK_PARTS;

	return pause_ms < MAX_CHECK_PAUSE_MS ? pause_ms : MAX_CHECK_PAUSE_MS;
}

/*
 * Return whether a page with a waiting visit is a reason to open a check: it
 * was visited since the last one, or must be visited again. If it cannot be
 * visited for long, what waits is lost.
 */
static bool has_page_news(struct health_check *check,
			  const struct health_page *page)
{
	uint64_t now_ms = check->rules->now_ms;
	uint64_t next_ms = again_ms(check, page);
	bool is_news = page->waiting.time_ms > check->facts->row.closed_ms;

	if (page->waiting.flips > 0)
		return is_news;
	if (next_ms > now_ms) {
		wait_until(check, next_ms);
		return is_news;
	}
	if (!page->is_visited &&
	    page->waiting.time_ms + DAY_MS + 2 * check->rules->round_ms <=
		    now_ms)
		add_dropped(check, page);
	return is_news || page->is_visited;
}

/* Visit all pages again whose time comes soon. */
static void add_waiting_visits(struct health_check *check)
{
	uint64_t soon_ms = check->rules->now_ms +
			   check->rules->round_ms * TOGETHER_PERCENT / 100;

	for (size_t i = 0; i < check->facts->count; i++) {
		const struct health_page *page = &check->facts->pages[i];

		if (is_active(page) && page->waiting.flips == 0 &&
		    again_ms(check, page) <= soon_ms)
			add_visit(check, page);
	}
}

/* Decide about a site that is down, and has no open check. */
static void decide_down(struct health_check *check)
{
	struct health_row *row = &check->decision->row;
	uint64_t now_ms = check->rules->now_ms;
	uint64_t next_ms = next_probe(check);

	check->decision->is_deciding = true;
	if (row->told_ms == 0 && is_confirmed(check)) {
		decide_open(check);
	} else if (next_ms > now_ms) {
		wait_until(check, next_ms);
	} else if (row->retry_ms > now_ms) {
		/* the server itself says that the outage lasts */
		row->told_ms = now_ms;
		check->decision->begins = true;
		check->decision->is_written = true;
		wait_until(check, row->retry_ms);
	} else {
		open_check(check, probe_pages(check));
	}
}

/* Decide whether to open a check. */
static void decide_closed(struct health_check *check)
{
	const struct health_facts *facts = check->facts;
	const struct health_row *row = &facts->row;
	uint64_t now_ms = check->rules->now_ms;
	uint64_t open_ms = row->closed_ms + check_pause_ms(check);
	bool has_news = false;

	if (state_is_down(row->state)) {
		decide_down(check);
		return;
	}
	has_news = is_long_pause(check, row->pause_ms);
	for (size_t i = 0; i < facts->count; i++)
		if (is_active(&facts->pages[i]))
			has_news |= has_page_news(check, &facts->pages[i]);
	if (!has_news)
		return;
	if (open_ms > now_ms) {
		wait_until(check, open_ms);
		return;
	}
	open_check(check, FIRST_PAGES);
	add_waiting_visits(check);
}

/* Decide about a site that has no pages yet, or no templates any more. */
static void decide_without_pages(struct health_check *check)
{
	const struct health_facts *facts = check->facts;
	struct health_row *row = &check->decision->row;
	uint64_t added_ms = ADDED_ROUNDS * check->rules->round_ms;
	uint64_t told_ms;

	bool is_gone = is_missing_or_moved(row->state) &&
		       check->rules->seen_ms <= row->since_ms;

	if (facts->has_pages && state_is_down(row->state) && !is_gone) {
		end_state(check);
		check->decision->is_written = true;
	}
	if (facts->has_pages || facts->seed_reason.size == 0)
		return;
	if (!state_is_down(row->state)) {
		begin_state(check, SITE_STATE_UNREACHABLE);
		row->reason = facts->seed_reason;
		check->decision->is_written = true;
	}
	told_ms = row->since_ms + (added_ms < HOUR_MS ? added_ms : HOUR_MS);
	if (row->told_ms != 0)
		return;
	if (told_ms > check->rules->now_ms) {
		wait_until(check, told_ms);
		return;
	}
	row->told_ms = check->rules->now_ms;
	check->decision->begins = true;
	check->decision->is_written = true;
}

void health_decide(const struct health_facts *facts,
		   const struct health_rules *rules, struct arena *arena,
		   struct health_decision *decision_out)
{
	struct health_check check = {facts, rules, arena, decision_out, NULL};

	*decision_out = (struct health_decision){.row = facts->row,
						 .next_ms = UINT64_MAX};
	if (!facts->has_pages ||
	    (state_is_down(facts->row.state) && !facts->has_samples))
		decide_without_pages(&check);
	else if (facts->row.asked_ms != 0)
		decide_open(&check);
	else
		decide_closed(&check);
	if (!decision_out->is_deciding)
		drop_old_flips(&check);
	decision_out->is_doubtful = has_doubtful_template(&check);
}
