/* To which incident a finding belongs, and when it is reported and ends. */
#include "daemon/engine/incident.h"

#include "store/rows.h"
#include "template/version_json.h"
#include "tests/unit/run.h"

#define SECOND UINT64_C(1000)
#define GATHER (120 * SECOND)
#define ROUND  (10 * SECOND)
/* With a round of 10 s, the window is 1 s. */
#define WINDOW (ROUND / 10)

enum { MAX_INCIDENTS = 8 };

static struct incident incidents[MAX_INCIDENTS];
static size_t count;
static uint64_t next_number;
static struct incident_rules rules;

static void begin(void)
{
	count = 0;
	next_number = 0;
	rules = (struct incident_rules){.gather_ms = GATHER,
					.interval_ms = ROUND,
					.now_ms = 1000 * SECOND};
}

static void end(void)
{
	for (size_t i = 0; i < count; i++)
		json_decref(incidents[i].detail);
}

FIXTURE(.setup = begin, .teardown = end);

/* Place a finding as the committer does. Return the action; INCIDENT_ADD if it
 * has begun an incident. */
static enum incident_action find(const struct event_row *event,
				 const char *detail_text)
{
	struct event_row row = *event;
	json_t *detail = json_loads(detail_text, 0, NULL);
	struct finding finding = {++next_number, &row, detail,
				  slice_of("a name")};
	enum incident_action action = INCIDENT_ADD;
	size_t at;

	row.host = slice_of("a.example");
	row.url = slice_of("http://a.example/1");
	at = incident_find(incidents, count, &finding, &rules);
	if (at < count) {
		action = incident_apply(
			&incidents[at],
			incident_signal_of(&incidents[at], &finding), &finding,
			&rules);
	} else if (finding_kind_of(row.kind)->class != FINDING_OF_STATE_END) {
		struct incident *begun = &incidents[count];

		ck_assert_uint_lt(count, MAX_INCIDENTS);
		incident_begin(
			begun, &finding, &rules,
			incident_flaps(incidents, count, &finding, &rules));
		count++;
	}
	json_decref(detail);
	return action;
}

static enum incident_action find_template(enum event_kind kind,
					  uint32_t cluster)
{
	return find(&(struct event_row){.kind = (uint16_t)kind,
					.cluster = cluster,
					.pages = 5},
		    "{}");
}

static enum incident_action find_guard(enum event_kind kind, uint32_t guard)
{
	return find(&(struct event_row){.kind = (uint16_t)kind,
					.guard = guard,
					.cluster = 1},
		    "{\"name\":\"price\",\"selector\":\".p\","
		    "\"candidates\":[{\"selector\":\".q\"}]}");
}

static enum incident_action find_state(enum event_kind kind)
{
	return find(&(struct event_row){.kind = (uint16_t)kind},
		    "{\"reason\":\"connection refused\"}");
}

/* The action of incident `i` after this time without a finding. */
static enum incident_action after(uint64_t ms, size_t i)
{
	enum incident_signal signal;

	rules.now_ms += ms;
	if (incident_next(&incidents[i], &rules, &signal) > rules.now_ms)
		return INCIDENT_HOLD;
	return incident_apply(&incidents[i], signal, NULL, &rules);
}

static uint16_t alert_of(size_t i)
{
	return (uint16_t)finding_kind_of(incidents[i].row.kind)->alert;
}

static size_t listed(size_t i, const char *list)
{
	return json_array_size(json_object_get(incidents[i].detail, list));
}

TEST(findings_of_a_window_are_one_incident)
{
	find_guard(EVENT_GUARD_BROKEN, 7);
	ck_assert_uint_eq(alert_of(0), EVENT_INCIDENT_GUARD);
	ck_assert_int_eq(after(WINDOW - 1, 0), INCIDENT_HOLD);
	find_template(EVENT_TEMPLATE_NEW, 3);
	ck_assert_uint_eq(alert_of(0), EVENT_INCIDENT_ADDED);
	find_template(EVENT_TEMPLATE_CHANGED, 1);
	find_template(EVENT_TEMPLATE_SPLIT, 2);
	ck_assert_int_eq(after(WINDOW - 1, 0), INCIDENT_HOLD);
	ck_assert_int_eq(after(1, 0), INCIDENT_REPORT);
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(alert_of(0), EVENT_INCIDENT_CHANGED);
	ck_assert_uint_eq(incidents[0].row.events, 4);
	ck_assert_uint_eq(listed(0, "templates"), 3);
	ck_assert_uint_eq(listed(0, "guards"), 1);
	ck_assert_uint_eq(incident_only_cluster(&incidents[0]), 0);
	/* nothing happens for two rounds */
	ck_assert_int_eq(after(2 * ROUND - 1, 0), INCIDENT_HOLD);
	ck_assert_int_eq(after(1, 0), INCIDENT_END);
	ck_assert_uint_eq(incidents[0].row.state, INCIDENT_ENDED);
}

TEST(the_window_is_a_tenth_of_a_short_round)
{
	enum incident_signal signal;

	find_template(EVENT_TEMPLATE_CHANGED, 1);
	ck_assert_uint_eq(incident_next(&incidents[0], &rules, &signal),
			  rules.now_ms + WINDOW);
	rules.interval_ms = 6UL * 3600UL * SECOND;
	ck_assert_uint_eq(incident_next(&incidents[0], &rules, &signal),
			  rules.now_ms + GATHER);
	rules.interval_ms = 0;
	ck_assert_uint_eq(incident_next(&incidents[0], &rules, &signal),
			  rules.now_ms + GATHER);
}

TEST(a_check_that_runs_delays_the_report_ten_windows)
{
	find_template(EVENT_TEMPLATE_CHANGED, 1);
	rules.is_busy = true;
	ck_assert_int_eq(after(10 * WINDOW - 1, 0), INCIDENT_HOLD);
	ck_assert_int_eq(after(1, 0), INCIDENT_REPORT);
}

TEST(an_incident_goes_on_while_pages_of_before_it_wait)
{
	find_template(EVENT_TEMPLATE_CHANGED, 1);
	after(WINDOW, 0);
	rules.is_mixed = true;
	ck_assert_int_eq(after(3 * ROUND, 0), INCIDENT_HOLD);
	rules.is_mixed = false;
	ck_assert_int_eq(after(1, 0), INCIDENT_END);
}

TEST(a_second_deploy_is_another_incident)
{
	find_template(EVENT_TEMPLATE_CHANGED, 1);
	after(WINDOW, 0);
	rules.now_ms += 1;
	find_template(EVENT_TEMPLATE_CHANGED, 1);
	ck_assert_uint_eq(count, 2);
}

TEST(what_continues_updates_its_incident)
{
	const struct event_row grown = {.kind = EVENT_TEMPLATE_SPLIT,
					.cluster = 2};

	find_template(EVENT_TEMPLATE_SPLIT, 1);
	after(WINDOW, 0);
	/* its pages had changed before the report */
	ck_assert_int_eq(find(&grown, "{\"changed_ms\":1}"), INCIDENT_ADD);
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(incidents[0].row.state, INCIDENT_GROWING);
	ck_assert_int_eq(after(WINDOW, 0), INCIDENT_REPEAT);
	/* the same template again is no reason for another report */
	ck_assert_int_eq(find(&grown, "{\"changed_ms\":1}"), INCIDENT_ADD);
	ck_assert_int_eq(after(WINDOW, 0), INCIDENT_UPDATE);
	ck_assert_uint_eq(incidents[0].row.state, INCIDENT_SENT);
	ck_assert_int_eq(after(2 * ROUND, 0), INCIDENT_END);
}

static enum incident_action find_field(enum event_kind kind, const char *detail)
{
	return find(&(struct event_row){.kind = (uint16_t)kind,
					.cluster = 1,
					.pages = 4},
		    detail);
}

TEST(broken_fields_are_listed_by_name)
{
	find_field(EVENT_FIELD_FIRING, "{\"field\":\"price\"}");
	find_field(EVENT_FIELD_FIRING, "{\"field\":\"title\"}");
	find_field(EVENT_FIELD_FIRING, "{\"field\":\"price\"}");
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(alert_of(0), EVENT_INCIDENT_FIELD);
	ck_assert_uint_eq(listed(0, "fields"), 2);
	find_template(EVENT_TEMPLATE_CHANGED, 1);
	ck_assert_uint_eq(alert_of(0), EVENT_INCIDENT_CHANGED);
	ck_assert_int_eq(after(WINDOW, 0), INCIDENT_REPORT);
}

static enum incident_action find_text(const char *url, const char *detail)
{
	return find(&(struct event_row){.kind = EVENT_GUARD_CHANGED,
					.cluster = 1,
					.guard = 7,
					.pages = 1,
					.url = slice_of(url)},
		    detail);
}

static size_t texts_of(size_t incident)
{
	const json_t *guards =
		json_object_get(incidents[incident].detail, "guards");

	return json_array_size(
		json_object_get(json_array_get(guards, 0), "texts"));
}

TEST(changed_texts_of_a_guard_are_listed_together)
{
	for (int i = 0; i < 10; i++)
		(void)find_text("http://a.test/", "{\"changes\":[]}");
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(alert_of(0), EVENT_INCIDENT_TEXT);
	ck_assert_uint_eq(texts_of(0), 8);
	ck_assert_int_eq(after(WINDOW, 0), INCIDENT_REPORT);
}

TEST(the_next_change_of_a_page_is_another_alert)
{
	static const char page[] = "{\"selector\":\"http://a.test/\"}";

	(void)find_text("http://a.test/", page);
	ck_assert_int_eq(after(WINDOW, 0), INCIDENT_REPORT);
	(void)find_text("http://a.test/", page);
	ck_assert_uint_eq(count, 2);
}

TEST(more_changed_pages_of_a_template_update_its_alert)
{
	(void)find_text("http://a.test/1", "{}");
	ck_assert_int_eq(after(WINDOW, 0), INCIDENT_REPORT);
	(void)find_text("http://a.test/2", "{}");
	ck_assert_uint_eq(count, 1);
	ck_assert_int_eq(after(WINDOW, 0), INCIDENT_UPDATE);
	ck_assert_uint_eq(texts_of(0), 2);
}

TEST(a_field_that_has_values_again_soon_is_not_reported)
{
	find_field(EVENT_FIELD_FIRING, "{\"field\":\"price\"}");
	ck_assert_int_eq(
		find_field(EVENT_FIELD_RESOLVED, "{\"field\":\"price\"}"),
		INCIDENT_DROP);
	ck_assert_uint_eq(incidents[0].row.state, INCIDENT_ENDED);
}

TEST(a_reported_field_does_not_hide_a_template)
{
	const struct event_row other = {.kind = EVENT_TEMPLATE_CHANGED,
					.cluster = 2};

	find_field(EVENT_FIELD_FIRING, "{\"field\":\"price\"}");
	ck_assert_int_eq(after(5 * WINDOW, 0), INCIDENT_REPORT);
	(void)find(&other, "{\"changed_ms\":1}");
	ck_assert_uint_eq(count, 2);
}

TEST(a_reported_guard_does_not_hide_a_template)
{
	const struct event_row other = {.kind = EVENT_TEMPLATE_CHANGED,
					.cluster = 2};

	find_guard(EVENT_GUARD_BROKEN, 7);
	after(5 * WINDOW, 0);
	(void)find(&other, "{\"changed_ms\":1}");
	ck_assert_uint_eq(count, 2);
}

/* A deploy that is undone: a guard matches again before its template is known
 * to be as it was. */
TEST(the_template_of_a_guard_belongs_to_its_incident)
{
	const struct event_row restored = {.kind = EVENT_TEMPLATE_RESTORED,
					   .cluster = 1};

	find_guard(EVENT_GUARD_OK, 7);
	ck_assert_int_eq(after(10 * WINDOW - 1, 0), INCIDENT_HOLD);
	ck_assert_int_eq(after(1, 0), INCIDENT_REPORT);
	ck_assert_uint_eq(alert_of(0), EVENT_INCIDENT_GUARD_RESOLVED);
	(void)find(&restored, "{\"changed_ms\":1}");
	ck_assert_uint_eq(count, 1);
	ck_assert_int_eq(after(WINDOW, 0), INCIDENT_REPEAT);
	ck_assert_uint_eq(alert_of(0), EVENT_INCIDENT_CHANGED);
}

TEST(what_changed_after_the_report_is_another_incident)
{
	const struct event_row other = {.kind = EVENT_TEMPLATE_CHANGED,
					.cluster = 2};

	find_template(EVENT_TEMPLATE_CHANGED, 1);
	after(WINDOW, 0);
	(void)find(&other, "{\"changed_ms\":9999999999999}");
	ck_assert_uint_eq(count, 2);
}

static const struct rest_case {
	const char *times;
	bool is_same;     /* the cause is that of the incident */
	bool is_repeated; /* it is reported again */
} rest_cases[] = {
	/* an old template, not checked since the first change at 500 */
	{"\"unchanged_ms\":400,\"checked_ms\":500,\"built_ms\":1", true, true},
	/* it was as before when the others had changed */
	{"\"unchanged_ms\":400,\"checked_ms\":501,\"built_ms\":1", false,
	 false},
	{"\"unchanged_ms\":501,\"checked_ms\":400,\"built_ms\":1", false,
	 false},
	/* built from pages of before and after the change */
	{"\"unchanged_ms\":400,\"checked_ms\":990000,\"built_ms\":980000", true,
	 false},
	/* built from pages of after the change, so this is another one */
	{"\"unchanged_ms\":600,\"checked_ms\":900,\"built_ms\":600", false,
	 false},
	/* its pages were visited for three rounds of 10 s since */
	{"\"unchanged_ms\":400,\"checked_ms\":40000,\"built_ms\":971999", false,
	 false},
	/* nothing is known */
	{"\"unchanged_ms\":0,\"checked_ms\":0,\"built_ms\":0", false, false},
};

TEST_ROWS(a_template_that_may_have_changed_before_belongs_to_it, rest_cases)
{
	const struct rest_case *one = &rest_cases[_i];
	const struct event_row first = {.kind = EVENT_TEMPLATE_CHANGED,
					.cluster = 1};
	const struct event_row rest = {.kind = EVENT_TEMPLATE_CHANGED,
				       .cluster = 2};
	char detail[160];

	find(&first, "{\"changed_ms\":500}");
	after(WINDOW, 0);
	snprintf(detail, sizeof(detail), "{\"changed_ms\":1002000,%s}",
		 one->times);
	find(&rest, detail);
	ck_assert_uint_eq(count, one->is_same ? 1 : 2);
	if (one->is_same)
		ck_assert_int_eq(after(WINDOW, 0), one->is_repeated
							   ? INCIDENT_REPEAT
							   : INCIDENT_UPDATE);
}

TEST(a_guard_of_a_reported_template_updates_its_incident)
{
	find_template(EVENT_TEMPLATE_CHANGED, 1);
	after(WINDOW, 0);
	rules.now_ms += ROUND;
	find_guard(EVENT_GUARD_BROKEN, 7);
	ck_assert_uint_eq(count, 1);
	rules.now_ms += 1;
	find_guard(EVENT_GUARD_BROKEN, 8);
	ck_assert_uint_eq(count, 2);
}

TEST(an_outage_ends_when_the_site_is_ok)
{
	find_state(EVENT_SITE_UNREACHABLE);
	rules.is_busy = true; /* this does not delay it */
	ck_assert_int_eq(after(WINDOW, 0), INCIDENT_REPORT);
	ck_assert_uint_eq(alert_of(0), EVENT_INCIDENT_DOWN);
	find_template(EVENT_TEMPLATE_CHANGED, 1);
	ck_assert_uint_eq(count, 2);
	ck_assert_int_eq(after(1000 * ROUND, 0), INCIDENT_HOLD);
	/* another reason */
	ck_assert_int_eq(find_state(EVENT_SITE_BLOCKED), INCIDENT_ADD);
	ck_assert_int_eq(after(WINDOW, 0), INCIDENT_UPDATE);
	ck_assert_int_eq(find_state(EVENT_SITE_OK), INCIDENT_END);
	ck_assert_int_eq(finding_kind_of(incidents[0].row.kind)->end,
			 EVENT_INCIDENT_BACK);
	ck_assert_str_eq(json_member_text(incidents[0].detail, "reason"),
			 "connection refused");
}

TEST(an_outage_within_the_window_is_not_reported)
{
	find_state(EVENT_SITE_UNREACHABLE);
	ck_assert_int_eq(find_state(EVENT_SITE_OK), INCIDENT_DROP);
	ck_assert_uint_eq(incidents[0].row.state, INCIDENT_ENDED);
	/* without an outage, its end is nothing */
	find_state(EVENT_SITE_OK);
	ck_assert_uint_eq(count, 1);
}

TEST(what_is_undone_within_the_window_is_not_reported)
{
	const struct event_row change = {.kind = EVENT_TEMPLATE_CHANGED,
					 .cluster = 1};
	const struct event_row back = {.kind = EVENT_TEMPLATE_RESTORED,
				       .cluster = 1};

	find(&change, "{\"versions\":[1,2]}");
	find_guard(EVENT_GUARD_BROKEN, 7);
	find_guard(EVENT_GUARD_OK, 7);
	ck_assert_uint_eq(listed(0, "guards"), 0);
	ck_assert_int_eq(find(&back, "{\"versions\":[2,1]}"), INCIDENT_DROP);
	ck_assert_uint_eq(incidents[0].row.state, INCIDENT_ENDED);
}

TEST(two_changes_within_the_window_are_one)
{
	const struct event_row change = {.kind = EVENT_TEMPLATE_CHANGED,
					 .cluster = 1};
	const json_t *versions;

	find(&change, "{\"versions\":[1,2]}");
	find(&change, "{\"versions\":[2,3]}");
	versions = json_object_get(
		json_array_get(
			json_object_get(incidents[0].detail, "templates"), 0),
		"versions");
	ck_assert_int_eq(json_integer_value(json_array_get(versions, 0)), 1);
	ck_assert_int_eq(json_integer_value(json_array_get(versions, 1)), 3);
}

TEST(the_rest_of_a_change_updates_its_incident)
{
	const struct event_row rest = {
		.kind = EVENT_TEMPLATE_REPLACED, .cluster = 5, .other = 2};

	find_template(EVENT_TEMPLATE_VANISHED, 1);
	find_template(EVENT_TEMPLATE_CHANGED, 2);
	after(WINDOW, 0);
	rules.now_ms += ROUND;
	find_template(EVENT_TEMPLATE_VANISHED, 1);
	find(&rest, "{}");
	ck_assert_uint_eq(count, 1);
	/* another template, and one that has only changed */
	find_template(EVENT_TEMPLATE_VANISHED, 3);
	ck_assert_uint_eq(count, 2);
	after(WINDOW, 1);
	find_template(EVENT_TEMPLATE_VANISHED, 2);
	ck_assert_uint_eq(count, 3);
}

TEST(a_guard_waits_for_its_template)
{
	find_guard(EVENT_GUARD_BROKEN, 7);
	ck_assert_int_eq(after(5 * WINDOW - 1, 0), INCIDENT_HOLD);
	find_template(EVENT_TEMPLATE_SPLIT, 1);
	ck_assert_int_eq(after(WINDOW, 0), INCIDENT_REPORT);
	ck_assert_uint_eq(alert_of(0), EVENT_INCIDENT_SPLIT);
}

TEST(a_guard_incident_lasts_as_long_as_its_guards)
{
	find_guard(EVENT_GUARD_BROKEN, 7);
	after(5 * WINDOW, 0);
	incidents[0].is_firing = true;
	ck_assert_int_eq(after(1000 * ROUND, 0), INCIDENT_HOLD);
	incidents[0].is_firing = false;
	find_guard(EVENT_GUARD_OK, 7);
	ck_assert_uint_eq(count, 2);
	ck_assert_uint_eq(alert_of(1), EVENT_INCIDENT_GUARD_RESOLVED);
	ck_assert_int_eq(after(0, 0), INCIDENT_END);
}

TEST(an_outage_goes_on_when_the_clock_is_set_back)
{
	find_state(EVENT_SITE_BLOCKED);
	ck_assert_int_eq(after(WINDOW, 0), INCIDENT_REPORT);
	rules.now_ms -= ROUND;
	ck_assert_int_eq(after(1, 0), INCIDENT_HOLD);
	ck_assert_int_eq(find_state(EVENT_SITE_OK), INCIDENT_END);
}

/* They were written before the clock was set back. */
TEST(outages_in_the_future_are_no_alternation)
{
	for (int i = 0; i < 2; i++) {
		find_state(EVENT_SITE_BLOCKED);
		after(WINDOW, count - 1);
		find_state(EVENT_SITE_OK);
		incidents[i].row.begin_ms += 400 * ROUND;
	}
	find_state(EVENT_SITE_BLOCKED);
	ck_assert_uint_eq(alert_of(count - 1), EVENT_INCIDENT_DOWN);
}

TEST(the_third_outage_in_a_short_time_is_an_alternation)
{
	for (int i = 0; i < 2; i++) {
		find_state(EVENT_SITE_BLOCKED);
		ck_assert_uint_eq(alert_of(count - 1), EVENT_INCIDENT_DOWN);
		after(WINDOW, count - 1);
		find_state(EVENT_SITE_OK);
		rules.now_ms += ROUND;
	}
	find_state(EVENT_SITE_BLOCKED);
	ck_assert_uint_eq(count, 3);
	ck_assert_uint_eq(alert_of(2), EVENT_INCIDENT_ALTERNATES);
	ck_assert_int_eq(after(WINDOW, 2), INCIDENT_REPORT);
	/* it is reported once, until it has been calm */
	for (int i = 0; i < 9; i++) {
		ck_assert_int_eq(find_state(EVENT_SITE_OK), INCIDENT_ADD);
		ck_assert_int_eq(find_state(EVENT_SITE_BLOCKED), INCIDENT_ADD);
		ck_assert_int_eq(after(ROUND, 2), INCIDENT_HOLD);
	}
	ck_assert_uint_eq(count, 3);
	ck_assert_int_eq(after(10 * ROUND, 2), INCIDENT_END);
	find_state(EVENT_SITE_BLOCKED);
	ck_assert_uint_eq(alert_of(3), EVENT_INCIDENT_DOWN);
}

TEST(redesigns_are_no_alternation)
{
	for (unsigned i = 0; i < 5; i++) {
		find_template(EVENT_TEMPLATE_CHANGED, 1);
		after(WINDOW, count - 1);
		rules.now_ms += 1;
		ck_assert_uint_eq(alert_of(count - 1), EVENT_INCIDENT_CHANGED);
	}
	ck_assert_uint_eq(count, 5);
}

TEST(lists_are_bounded_and_counts_are_not)
{
	for (uint32_t i = 1; i <= INCIDENT_TEMPLATES + 9; i++)
		find_template(EVENT_TEMPLATE_CHANGED, i);
	for (uint32_t i = 1; i <= INCIDENT_GUARDS + 9; i++)
		find_guard(EVENT_GUARD_BROKEN, i);
	ck_assert_uint_eq(listed(0, "templates"), INCIDENT_TEMPLATES);
	ck_assert_uint_eq(listed(0, "guards"), INCIDENT_GUARDS);
	ck_assert_uint_eq(listed(0, "events"), INCIDENT_EVENTS);
	ck_assert_int_eq(
		json_member_whole(incidents[0].detail, "template_count"),
		INCIDENT_TEMPLATES + 9);
	ck_assert_uint_eq(incidents[0].row.events,
			  INCIDENT_TEMPLATES + INCIDENT_GUARDS + 18);
}

TEST(an_ended_incident_stays_as_it_is)
{
	for (int signal = 0; signal < INCIDENT_SIGNALS; signal++) {
		struct incident_transition cell = incident_transition_of(
			INCIDENT_ENDED, (enum incident_signal)signal);

		ck_assert_int_eq(cell.next, INCIDENT_ENDED);
		ck_assert_int_eq(cell.action, INCIDENT_HOLD);
	}
}
