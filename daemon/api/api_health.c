#include <stdio.h>
#include <string.h>

#include "base/date.h"
#include "daemon/api/api.h"
#include "daemon/api/api_sites.h"
#include "daemon/engine/incident.h"
#include "daemon/engine/site_status.h"
#include "daemon/query/event.h"
#include "daemon/query/message.h"
#include "daemon/runtime/clock.h"
#include "store/key.h"
#include "store/rows.h"
#include "store/txn.h"
#include "template/version_json.h"

/*
 * The health of a site: one word for what needs attention, a sentence, and the
 * incidents and visits of the last days.
 */

enum site_severity { SEVERITY_NONE, SEVERITY_NOTICE, SEVERITY_ALERT };

struct site_health {
	struct txn *txn;
	const struct site_row *site;
	uint64_t today; /* number of the day, as in site_days_row */
	unsigned open_incidents;
	unsigned firing_guards;
	unsigned firing_fields;
	/* of the open incidents that were reported and are not acknowledged */
	enum site_severity severity;
	char summary[256]; /* of the newest of them; "" = there is none */
	unsigned
		incidents[SITE_DAYS]; /* that began on this day, oldest first */
	enum site_severity severities[SITE_DAYS];
	struct site_days_row days;
	const char *state;
	char reason[1024];
};

static enum site_severity severity_of(const struct incident_row *row)
{
	const struct finding_kind *main = finding_kind_of(row->kind);
	const char *name =
		event_severity(main == NULL ? 0 : (uint16_t)main->alert);

	if (strcmp(name, "alert") == 0)
		return SEVERITY_ALERT;
	return strcmp(name, "notice") == 0 ? SEVERITY_NOTICE : SEVERITY_NONE;
}

/* Count an open incident, unless its alert is acknowledged or silenced. */
static void health_note_open(struct site_health *health,
			     const struct incident_row *row)
{
	enum site_severity severity = severity_of(row);
	struct event_row alert = {0};
	struct buffer text = {0};
	json_t *event;

	health->open_incidents++;
	if (row->alert == 0 || severity < health->severity ||
	    severity == SEVERITY_NONE ||
	    !event_get(health->txn, row->alert, &alert) ||
	    (alert.flags & (EVENT_IS_ACKED | EVENT_IS_SILENCED)) != 0)
		return;
	health->severity = severity;
	event = event_json(row->alert, &alert);
	event_summary(event, &text);
	snprintf(health->summary, sizeof(health->summary), "%.*s",
		 (int)text.size, text.size == 0 ? "" : text.data);
	json_decref(event);
	buffer_free(&text);
}

static void health_read_incidents(struct site_health *health)
{
	struct scan scan =
		scan_site(health->txn, TABLE_INCIDENTS, health->site->id);
	struct incident_row row;

	while (scan_next(&scan)) {
		uint64_t back;
		size_t day;

		if (!incident_row_decode(scan.value, &row) || row.alert == 0)
			continue;
		back = health->today - row.begin_ms / SITE_DAY_MS;
		if (back < SITE_DAYS) {
			day = SITE_DAYS - 1 - (size_t)back;
			health->incidents[day]++;
			if (severity_of(&row) > health->severities[day])
				health->severities[day] = severity_of(&row);
		}
		if (row.state != INCIDENT_ENDED)
			health_note_open(health, &row);
	}
	scan_end(&scan);
}

static void health_read_guards(struct site_health *health)
{
	struct scan scan =
		scan_site(health->txn, TABLE_GUARDS, health->site->id);
	struct guard_row row;

	while (scan_next(&scan))
		health->firing_guards += guard_row_decode(scan.value, &row) &&
					 row.state == GUARD_BROKEN;
	scan_end(&scan);
}

static void health_read_fields(struct site_health *health)
{
	struct scan scan =
		scan_site(health->txn, TABLE_FIELDS, health->site->id);
	struct fields_row row;
	const char *name;
	json_t *field;

	while (scan_next(&scan)) {
		json_t *broken;

		if (!fields_row_decode(scan.value, &row) ||
		    row.broken.size == 0)
			continue;
		broken = json_read(row.broken);
		json_object_foreach(broken, name, field)
		{
			health->firing_fields +=
				json_is_true(json_object_get(field, "fired"));
		}
		json_decref(broken);
	}
	scan_end(&scan);
}

static void health_set(struct site_health *health, const char *state,
		       const char *reason)
{
	health->state = state;
	snprintf(health->reason, sizeof(health->reason), "%s", reason);
}

/* Set the state by what is firing. Return false if nothing is. */
static bool health_judge_alerts(struct site_health *health)
{
	char text[128];

	if (health->severity != SEVERITY_NONE) {
		health_set(health,
			   health->severity == SEVERITY_ALERT ? "alert"
							      : "warning",
			   health->summary);
		return true;
	}
	if (health->firing_guards + health->firing_fields == 0)
		return false;
	snprintf(text, sizeof(text), "%u guards and %u fields are firing",
		 health->firing_guards, health->firing_fields);
	health_set(health, "warning", text);
	return true;
}

/* Set the state of a site that needs no attention. */
static void health_judge_rest(struct site_health *health,
			      const struct site_status *status)
{
	const struct site_row *site = health->site;
	char text[128];

	if ((site->options.flags & SITE_IS_KNOWN) == 0 &&
	    (status->kind == SITE_CRAWLING || status->kind == SITE_SELECTING ||
	     site->page_count == 0)) {
		snprintf(text, sizeof(text),
			 "%u pages are stored, %u are waiting",
			 site->page_count, site->pending_count);
		health_set(health, "new", text);
		return;
	}
	if ((site->options.flags & SITE_IS_OFFLINE) != 0) {
		health_set(health, "offline", "clients upload its pages");
		return;
	}
	snprintf(text, sizeof(text), "%u pages are watched", site->page_count);
	health_set(health, "ok",
		   status->reason[0] == '\0' ? text : status->reason);
}

static void health_judge(struct site_health *health, const char *pause_reason)
{
	struct site_status status;

	site_status_read(health->txn, health->site, &status);
	switch (status.kind) {
	case SITE_UNREACHABLE:
	case SITE_MOVED:
	case SITE_MISSING:
		health_set(health, "alert", status.reason);
		return;
	case SITE_BLOCKED:
		health_set(health, "blocked", status.reason);
		return;
	case SITE_NO_CREDENTIALS:
		health_set(health, "warning",
			   "its headers or its proxy must be set again");
		return;
	default:
		break;
	}
	if (health->severity == SEVERITY_ALERT)
		health_judge_alerts(health);
	else if ((health->site->options.flags & SITE_IS_BLOCKED) != 0)
		health_set(health, "blocked",
			   "it returns only errors and challenges");
	else if ((health->site->options.flags & SITE_IS_STALE) != 0)
		health_set(health, "stale",
			   "it has returned no page for a long time");
	else if (pause_reason != NULL)
		health_set(health, "paused", pause_reason);
	else if (status.kind == SITE_ALTERNATING)
		health_set(health, "warning", status.reason);
	else if (!health_judge_alerts(health))
		health_judge_rest(health, &status);
}

static json_t *health_days_json(const struct site_health *health,
				unsigned count)
{
	static const char *const names[] = {
		[SEVERITY_NOTICE] = "notice",
		[SEVERITY_ALERT] = "alert",
	};
	json_t *list = json_array();

	for (unsigned i = SITE_DAYS - count; i < SITE_DAYS; i++) {
		uint64_t day = health->today - (SITE_DAYS - 1 - i);
		struct site_day counts = site_days_get(&health->days, day);
		const char *severity = names[health->severities[i]];
		char date[DATE_BYTES];

		date_format(day * SITE_DAY_MS, date);
		date[strlen("2017-03-06")] = '\0';
		json_array_append_new(
			list,
			json_pack("{s:s, s:i, s:s?, s:I, s:I, s:I}", "date",
				  date, "incidents", (int)health->incidents[i],
				  "severity", severity, "visits",
				  (json_int_t)counts.visits, "failed",
				  (json_int_t)counts.failed, "changed",
				  (json_int_t)counts.changed));
	}
	return list;
}

/*
 * Read and judge the health. A damaged row does not keep clients from reading
 * the site: it is the reason of the state.
 */
static void health_read(struct site_health *health, const char *pause_reason)
{
	struct txn *txn = health->txn;
	enum error before = txn->error;

	health_read_incidents(health);
	health_read_guards(health);
	health_read_fields(health);
	site_days_row_get(txn, health->site->id, &health->days);
	health_judge(health, pause_reason);
	if (before != ERR_NONE || txn->error != ERR_CORRUPT)
		return;
	txn->error = ERR_NONE;
	health_set(health, "warning",
		   "some of its rows are damaged; run templatectl verify");
}

json_t *site_health_json(struct txn *txn, const struct site_row *row,
			 const struct pipeline_stats *stats, unsigned days)
{
	struct site_health health = {
		.txn = txn,
		.site = row,
		.today = clock_wall_ms() / SITE_DAY_MS,
	};

	health_read(&health, stats->is_paused ? stats->pause_reason : NULL);
	return json_pack("{s:s, s:o, s:i, s:i, s:i, s:o}", "state",
			 health.state, "reason",
			 json_text(slice_of(health.reason)), "open_incidents",
			 (int)health.open_incidents, "firing_guards",
			 (int)health.firing_guards, "firing_fields",
			 (int)health.firing_fields, "days",
			 health_days_json(&health, days));
}
