/* When a sample is requested to decide whether a template is rendered. */
#include "daemon/watch/render_samples.h"

#include "tests/unit/run.h"

#define NOW_MS (UINT64_C(100) * 86400000)

static const struct template_row template = {.version = 2};

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
	ck_assert_msg(render_sample_is_due(&template, &cases[_i].row, NOW_MS) ==
			      cases[_i].is_due,
		      "%s", cases[_i].what);
}

TEST(a_template_without_a_row_needs_a_sample)
{
	ck_assert(render_sample_is_due(&template, NULL, NOW_MS));
}
