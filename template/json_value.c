#include "template/json_value.h"

#include <stdlib.h>

#include "base/date.h"
#include "base/memory.h"

json_t *json_text(struct slice text)
{
	json_t *value =
		json_stringn(text.size == 0 ? "" : text.data, text.size);
	char *copy;

	if (value != NULL)
		return value;
	copy = mem_copy_text(text.data, text.size);
	for (size_t i = 0; i < text.size; i++)
		if ((unsigned char)copy[i] >= 0x80)
			copy[i] = '?';
	value = json_stringn(copy, text.size);
	free(copy);
	return value;
}

json_t *json_text_or_null(struct slice text)
{
	return text.size == 0 ? json_null() : json_text(text);
}

json_t *json_time(uint64_t time_ms)
{
	char text[DATE_BYTES];

	return time_ms != 0 && date_format(time_ms, text) ? json_string(text)
							  : json_null();
}

json_t *json_cluster_id(struct slice host, uint32_t cluster)
{
	return cluster == 0 ? json_null()
			    : json_sprintf("%.*s/%u", (int)host.size,
					   (const char *)host.data, cluster);
}
