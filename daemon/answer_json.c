#include "daemon/answer_json.h"

#include <stdlib.h>

#include "daemon/json_value.h"

void answer_json(const struct text_answer *answer, unsigned indent,
		 struct buffer *out)
{
	json_t *object = json_pack(
		"{s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:I, s:I, s:o, s:b, s:o}",
		"url", json_text_or_null(slice_of(answer->url)), "title",
		json_text(buffer_slice(&answer->title)), "language",
		json_text(buffer_slice(&answer->language)), "description",
		json_text(buffer_slice(&answer->description)), "method",
		answer->method, "reason", json_text(slice_of(answer->reason)),
		"cluster", json_text_or_null(slice_of(answer->cluster)),
		"cluster_pages", (json_int_t)answer->cluster_pages,
		"generation", (json_int_t)answer->generation, "fetched",
		json_time(answer->fetched_ms), "truncated",
		(int)answer->is_truncated, "text",
		json_text(buffer_slice(&answer->text)));
	char *text = json_dumps(object, indent == 0 ? JSON_COMPACT
						    : JSON_INDENT(indent));

	buffer_append_text(out, text == NULL ? "{}" : text);
	buffer_append_byte(out, '\n');
	free(text);
	json_decref(object);
}
