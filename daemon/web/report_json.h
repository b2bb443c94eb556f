/* daemon/web/report_json.h - a report as JSON. */
#ifndef DAEMON_WEB_REPORT_JSON_H
#define DAEMON_WEB_REPORT_JSON_H

#include <jansson.h>

#include "cluster/suggestion.h"

struct report;

/*
 * Return {"threshold", "reason", "plateau": [begin, end] or null, "sizable",
 * "clusters"}; free it with json_decref().
 */
json_t *suggested_threshold_json(const struct threshold_suggestion *suggestion);

/*
 * Return all data of the text of daemon/engine/report.h, with thresholds and
 * heights as numbers from 0 to 1. At the LINK_LABEL_STEPS thresholds of
 * cluster/witness.h, also the adjusted Rand index of the clustering with the
 * link labels and, if there are scores, with the given labels. Free it with
 * json_decref().
 */
json_t *report_json(const struct report *report);

#endif
