/* daemon/ctl/verb_table.h - the verbs and options of templatectl as JSON. */
#ifndef DAEMON_CTL_VERB_TABLE_H
#define DAEMON_CTL_VERB_TABLE_H

#include <jansson.h>

#include "daemon/ctl/ctl.h"

/*
 * Return {"program", "version", "options": [OPTION...], "groups": [{"title",
 * "verbs": [VERB...]}...]}: the verbs (ended by NULL) in the order of --help.
 * VERB is {"name", "summary", "usages": [FORM...], "operands": {"minimum",
 * "maximum"}, "options": [OPTION...]}. A FORM is the operands of a usage; the
 * maximum is null if unlimited. OPTION is {"name", "letter", "kind", "value",
 * "choices", "minimum", "maximum", "meaning"}; all except name, kind and
 * meaning may be null, and `choices` is null if there are values other than
 * words. json_decref() it.
 */
json_t *verb_table_json(const struct verb *const *verbs);

#endif
