/* When a sample is requested to decide whether a template is rendered. */
#include "daemon/watch/render_samples.h"

#include "tests/unit/run.h"

#define NOW_MS (UINT64_C(100) * 86400000)

static const struct template_row template = {.version = 2};
static const struct site_row daily = {.options.watch_ms = 86400000};

static const struct {
	const char *what;
	struct render_row row;
	bool is_due;
} cases[] = {
	{"decided for this version",
	 {.version = 2, .decided_ms = NOW_MS - 5, .decision = RENDER_NO},
	 false},
	{"decided for an older version",
	 {.version = 1, .decided_ms = NOW_MS - 5, .decision = RENDER_NO},
	 true},
	{"in doubt",
	 {.version = 0, .decided_ms = NOW_MS - 5, .decision = RENDER_YES},
	 true},
	{"awaited",
	 {.version = 2, .asked_ms = NOW_MS - 5, .attempts = 1},
	 false},
	{"awaited too long",
	 {.version = 2, .asked_ms = NOW_MS - RENDER_SAMPLE_MS, .attempts = 1},
	 true},
	{"asked in the future",
	 {.version = 2, .asked_ms = NOW_MS + 5, .attempts = 1},
	 true},
	{"without result", {.version = 2, .attempts = 2}, true},
	{"given up", {.version = 2, .attempts = MAX_RENDER_ATTEMPTS}, false},
	{"old",
	 {.version = 2,
	  .decided_ms = NOW_MS - UINT64_C(86400000) * RENDER_DAYS,
	  .decision = RENDER_NO},
	 true},
};

TEST_ROWS(a_sample_is_due, cases)
{
	ck_assert_msg(render_sample_is_due(&daily, &template, &cases[_i].row,
					   NOW_MS) == cases[_i].is_due,
		      "%s", cases[_i].what);
}

TEST(a_template_without_a_row_needs_a_sample)
{
	ck_assert(render_sample_is_due(&daily, &template, NULL, NOW_MS));
}

static const struct {
	const char *what;
	uint64_t watch_ms;
	uint64_t decided_ms;
	uint64_t moved_ms;
	bool is_due;
} rests[] = {
	{"changed just now", 0, NOW_MS - 5, NOW_MS + 1000, false},
	{"changed a day ago", 0, NOW_MS - 86400000, NOW_MS - 5, true},
	{"changed 24 rounds ago", 5, NOW_MS - 120, NOW_MS - 5, true},
	{"changed 23 rounds ago", 5, NOW_MS - 115, NOW_MS - 5, false},
	{"decided again", 0, NOW_MS - 5, NOW_MS - 6, true},
	{"decided in the future", 0, NOW_MS + 5, NOW_MS + 10, true},
	{"moved by its pages", 0, 0, NOW_MS - 5, true},
};

TEST_ROWS(a_decision_that_has_changed_rests, rests)
{
	const struct site_row site = {.options.watch_ms = rests[_i].watch_ms};
	const struct render_row row = {.version = 1,
				       .decided_ms = rests[_i].decided_ms,
				       .moved_ms = rests[_i].moved_ms};

	ck_assert_msg(render_sample_is_due(&site, &template, &row, NOW_MS) ==
			      rests[_i].is_due,
		      "%s", rests[_i].what);
}

/* A plan for a site with one row; a visit is due at `due_ms`. */
static struct watch_plan plan_of(const struct render_view *view,
				 uint64_t due_ms)
{
	static const struct site_row site;

	return (struct watch_plan){
		.now_ms = NOW_MS,
		.site = &site,
		.due_ms = due_ms,
		.renders = view,
		.render_count = 1,
		.next_ms = UINT64_MAX,
	};
}

static const struct {
	const char *what;
	uint64_t moved_ms;
	uint64_t due_ms;
	uint64_t until_ms; /* 0 = it is not moving */
} moves[] = {
	{"never", 0, UINT64_MAX, 0},
	{"pages are requested", NOW_MS + 5, NOW_MS + 1, NOW_MS + 5},
	{"visits are late", NOW_MS - 5, NOW_MS, NOW_MS - 5 + PATIENCE_MS},
	{"all pages were visited", NOW_MS - 5, UINT64_MAX, 0},
	{"visits are too late", NOW_MS - PATIENCE_MS, NOW_MS, 0},
};

TEST_ROWS(a_template_is_moving_until_its_pages_were_visited, moves)
{
	const struct render_view view = {7, {.moved_ms = moves[_i].moved_ms}};
	struct watch_plan plan = plan_of(&view, moves[_i].due_ms);
	const bool is_moving = moves[_i].until_ms != 0;

	ck_assert_msg(plan_is_moving(&plan, 7) == is_moving, "%s",
		      moves[_i].what);
	ck_assert(plan_is_moving(&plan, 0) == is_moving);
	ck_assert(!plan_is_moving(&plan, 8));
	plan_await_moves(&plan);
	ck_assert_uint_eq(plan.next_ms,
			  is_moving ? moves[_i].until_ms : UINT64_MAX);
}

TEST(a_cluster_that_begins_during_a_move_is_no_news)
{
	const struct render_view view = {
		7, {.decided_ms = NOW_MS - 50, .moved_ms = NOW_MS - 10}};
	const struct watch_plan plan = plan_of(&view, UINT64_MAX);

	ck_assert(!plan_was_moved(&plan, NOW_MS - 51));
	ck_assert(plan_was_moved(&plan, NOW_MS - 50));
	ck_assert(plan_was_moved(&plan, NOW_MS));
	ck_assert(!plan_was_moved(&plan, NOW_MS + PATIENCE_MS));
}
