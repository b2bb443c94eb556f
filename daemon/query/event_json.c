#include "daemon/query/event_json.h"

#include <stdlib.h>

#include "daemon/query/event_kinds.h"
#include "template/json_value.h"

enum { REAL_DIGITS = 15 };

static json_t *detail_json(struct slice detail)
{
	json_t *value = detail.size == 0
				? NULL
				: json_loadb(detail.data, detail.size, 0, NULL);

	return value == NULL ? json_null() : value;
}

json_t *event_json(uint64_t number, const struct event_row *event)
{
	return json_pack(
		"{s:I, s:o, s:s, s:o, s:o, s:o, s:o, s:I, s:b, s:b, s:b, s:o, "
		"s:o}",
		"seq", (json_int_t)number, "time", json_time(event->time_ms),
		"kind", event_kind_name(event->kind), "site",
		json_text_or_null(event->host), "cluster",
		json_cluster_id(event->host, event->cluster), "other",
		json_cluster_id(event->host, event->other), "url",
		json_text_or_null(event->url), "pages",
		(json_int_t)event->pages, "alert",
		(int)event_kind_is_alert(event->kind), "silenced",
		(event->flags & EVENT_IS_SILENCED) != 0, "acknowledged",
		(event->flags & EVENT_IS_ACKED) != 0, "guard",
		event->guard == 0 ? json_null()
				  : json_integer((json_int_t)event->guard),
		"detail", detail_json(event->detail));
}

void event_append(uint64_t number, const struct event_row *event,
		  struct buffer *out)
{
	json_t *value = event_json(number, event);
	char *text = json_dumps(
		value, JSON_COMPACT | JSON_REAL_PRECISION(REAL_DIGITS));

	buffer_append_text(out, text == NULL ? "{}" : text);
	free(text);
	json_decref(value);
}
