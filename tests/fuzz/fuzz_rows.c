/*
 * The first byte selects the table, the rest is a stored value: any bytes are a
 * row or malformed, and the texts of a row are inside the value.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "store/rows.h"
#include "tests/fuzz/require.h"

static void check_texts(struct slice value, const struct slice *texts,
			size_t count)
{
	const char *begin = value.data;

	for (size_t i = 0; i < count; i++) {
		const char *text = texts[i].data;

		if (texts[i].size == 0)
			continue;
		require(text >= begin && texts[i].size <= value.size &&
			text + texts[i].size <= begin + value.size);
	}
}

/* A reader of one kind of rows, whose texts are these. */
#define READER(name, type, decode, ...)                              \
	static void read_##name(struct slice value)                  \
	{                                                            \
		struct type row;                                     \
                                                                     \
		if (decode(value, &row)) {                           \
			const struct slice texts[] = {__VA_ARGS__};  \
                                                                     \
			check_texts(value, texts,                    \
				    sizeof(texts) / sizeof(*texts)); \
		}                                                    \
	}

READER(cluster, cluster_row, cluster_row_decode, {NULL, 0})
READER(dictionary, dictionary_row, dictionary_row_decode, row.bodies,
       row.records)
READER(event, event_row, event_decode, row.host, row.url, row.detail)
READER(frontier, frontier_row, frontier_row_decode, row.url, row.etag,
       row.modified)
READER(pattern, pattern_row, pattern_row_decode, row.text)
READER(host, host_row, host_row_decode, row.robots)
READER(guard, guard_row, guard_row_decode, row.name, row.selector, row.xpath)
READER(guarded, guarded_row, guarded_row_decode, row.url, row.value, row.path,
       row.candidates)
READER(hook, hook_row, hook_row_decode, row.target, row.secret, row.host,
       row.kinds, row.error)
READER(silence, silence_row, silence_row_decode, row.host)
READER(page, page_row, page_row_decode, row.url, row.redirect, row.charset)
READER(site, site_row, site_decode, row.host, row.seed, row.missing,
       row.options.headers, row.options.proxy, row.options.render_wait,
       row.options.render_click)
READER(template, template_row, template_row_decode, row.lineage)
READER(version, version_row, version_row_decode, row.packed)
READER(sample, sample_page_row, sample_page_row_decode, row.url, row.record)
READER(fields, fields_row, fields_row_decode, row.sets, row.description,
       row.broken)
READER(render, render_row, render_row_decode, row.signatures)

static void (*const readers[])(struct slice value) = {
	read_cluster,  read_dictionary, read_event,  read_frontier,
	read_pattern,  read_host,       read_guard,  read_guarded,
	read_hook,     read_silence,    read_page,   read_site,
	read_template, read_version,    read_sample, read_fields,
	read_render,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t count = sizeof(readers) / sizeof(readers[0]);
	char *copy;

	if (size == 0)
		return 0;
	copy = malloc(size); /* its end is guarded */
	if (copy == NULL)
		return 0;
	memcpy(copy, data + 1, size - 1);
	readers[data[0] % count]((struct slice){copy, size - 1});
	free(copy);
	return 0;
}
