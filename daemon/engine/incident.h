/*
 * daemon/engine/incident.h - what one cause, such as a deploy, changes on a
 * site is one incident
 *
 * A finding is an event about a change: of a template, a guard, or the health
 * of the site. A finding begins an incident, or belongs to one. An incident
 * collects its findings for a window, is reported once with all of them, is
 * updated instead of reported again, and ends. Only these reports are alerts.
 * The functions are pure: the same rows at the same time give the same result.
 */
#ifndef DAEMON_ENGINE_INCIDENT_H
#define DAEMON_ENGINE_INCIDENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/rows.h"

enum finding_class {
	/* a change of templates or guards: those of one deploy belong together
	 */
	FINDING_OF_CHANGE,
	/* the site begins to be in a state; a site has one state at a time */
	FINDING_OF_STATE,
	FINDING_OF_STATE_END, /* the site is as usual again */
};

/* How incidents report a kind of finding. */
struct finding_kind {
	enum event_kind kind;
	enum finding_class class;
	enum event_kind
		alert; /* kind of the report if it is the main finding */
	/*
	 * kind of the event at the end of an incident with this main finding
	 */
	enum event_kind end;
	const char *what; /* word in the lists of an incident */
	/* it may begin and end again and again */
	bool returns;
};

/* Return NULL if events of the kind are no findings. */
const struct finding_kind *finding_kind_of(uint16_t kind);

/* A finding, with what the store knows about its template. */
struct finding {
	uint64_t number; /* number of its event */
	const struct event_row *event;
	const json_t *detail; /* detail of the event as JSON; may be NULL */
	struct slice name;    /* name of the template; may be empty */
};

/* An incident of the store. */
struct incident {
	uint64_t number;
	struct incident_row row;
	json_t *detail;
	/* guards that it reports are still broken */
	bool is_firing;
};

struct incident_rules {
	uint64_t gather_ms;   /* window in which an incident collects */
	uint64_t interval_ms; /* check interval of the site; 0 = no checks */
	uint64_t now_ms;
	/* templates of the site are being checked */
	bool is_busy;
	/*
	 * pages of before a change may still change: they have not been visited
	 * since, or only a part of a template has changed
	 */
	bool is_mixed;
};

/*
 * Return the index of the incident to which the finding belongs, or `count` if
 * it belongs to none of the incidents [count].
 */
size_t incident_find(const struct incident *incidents, size_t count,
		     const struct finding *finding,
		     const struct incident_rules *rules);

/*
 * Return whether findings like this one have begun so often in the last time
 * that a new incident would report only that they alternate.
 */
bool incident_flaps(const struct incident *incidents, size_t count,
		    const struct finding *finding,
		    const struct incident_rules *rules);

/*
 * Return the earliest begin of the incidents that incident_flaps() counts. The
 * caller passes these and the ones that go on.
 */
uint64_t incident_memory_begin(const struct incident_rules *rules);

/* What happens to an incident. */
enum incident_signal {
	INCIDENT_FINDING,  /* a finding belongs to it */
	INCIDENT_REPEATED, /* as FINDING, but it alternates as was reported */
	INCIDENT_RESOLVED, /* nothing of it is left */
	INCIDENT_DUE,      /* its window is over */
	INCIDENT_CALM,     /* nothing has happened for long */
	INCIDENT_SIGNALS
};

enum incident_action {
	INCIDENT_HOLD,   /* do nothing */
	INCIDENT_ADD,    /* add the finding, which is reported later */
	INCIDENT_DROP,   /* end it; it was never reported */
	INCIDENT_REPORT, /* report it */
	INCIDENT_UPDATE, /* emit incident.updated */
	/* report it again: it has templates that were not reported */
	INCIDENT_REPEAT,
	INCIDENT_END, /* emit the event at its end */
};

struct incident_transition {
	enum incident_state next;
	enum incident_action action;
};

/* Return the cell of the table of states. */
struct incident_transition incident_transition_of(enum incident_state state,
						  enum incident_signal signal);

/* Return the signal of a finding that belongs to the incident. */
enum incident_signal incident_signal_of(const struct incident *incident,
					const struct finding *finding);

/*
 * Return when the incident must be looked at next: INCIDENT_DUE or
 * INCIDENT_CALM at *signal_out, if nothing else happens. If that time is not
 * after rules->now_ms, the signal is due. UINT64_MAX: wait for a finding.
 */
uint64_t incident_next(const struct incident *incident,
		       const struct incident_rules *rules,
		       enum incident_signal *signal_out);

/* Begin an incident with its first finding. */
void incident_begin(struct incident *incident, const struct finding *finding,
		    const struct incident_rules *rules, bool flaps);

/*
 * Apply the signal to the row of the incident, and return the action. `finding`
 * is NULL, or the finding of the signal, which is added to the detail.
 */
enum incident_action incident_apply(struct incident *incident,
				    enum incident_signal signal,
				    const struct finding *finding,
				    const struct incident_rules *rules);

/*
 * The detail of an incident: {"templates": [{"template", "name", "what",
 * "versions", "pages", "regions", "reason", "to", "evidence"}, ...],
 * "template_count", "guards": [{"guard", "name", "selector", "template",
 * "what", "pages", "candidates", "texts": [{"url", "changes", "ignored",
 * "truncated"}, ...], "evidence"}, ...], "guard_count", "moved":
 * [{"from", "to"}, ...], "fields": [{"field", "type", "template", "what",
 * "pages", "reason", "proposal", "evidence"}, ...], "field_count", "events":
 * [NUMBER, ...]}. Members that are unknown are
 * missing. An incident about the state of the site has "state" and the members
 * of the finding's detail instead. The lists are bounded, and the counts are
 * not.
 */
enum {
	INCIDENT_TEMPLATES = 64,
	INCIDENT_GUARDS = 32,
	INCIDENT_FIELDS = 32,
	INCIDENT_MOVED = 20,
	INCIDENT_EVENTS = 100,
};

/* Return whether the detail lists no template, guard, field or state. */
bool incident_is_empty(const struct incident *incident);

/*
 * Return the number of the only template (or guard) of the detail; 0 = there is
 * none, or there are several.
 */
uint32_t incident_only_cluster(const struct incident *incident);
uint32_t incident_only_guard(const struct incident *incident);

#endif
