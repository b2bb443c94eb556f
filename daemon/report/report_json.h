/* daemon/report/report_json.h - a report for programs. */
#ifndef DAEMON_REPORT_REPORT_JSON_H
#define DAEMON_REPORT_REPORT_JSON_H

#include <jansson.h>

#include "cluster/suggestion.h"

struct report;

/* {"threshold", "reason", "plateau": [begin, end] or null, "sizable",
 * "clusters"}; json_decref() it. */
json_t *suggestion_json(const struct suggestion *suggestion);

/*
 * Everything in the text of daemon/report/report.h, with thresholds and heights
 * as numbers from 0 to 1, and at the WITNESS_STEPS thresholds of
 * cluster/witness.h the adjusted Rand index of the cut with the witness and,
 * where there are scores, with the labels; json_decref() it.
 */
json_t *report_json(const struct report *report);

#endif
