/* Numbers of fetches, and the stored rows. */
#include "tests/unit/daemon/watched_parts.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "store/key.h"
#include "store/rows.h"

unsigned watched_asked(const struct watched *watched, unsigned section)
{
	const struct watched_section *where = &watched->sections[section];
	unsigned count = 0;

	for (unsigned i = 0; i < where->count; i++)
		count += watched->pages[where->first + i].asked;
	return count;
}

unsigned watched_pages_asked(const struct watched *watched, unsigned section)
{
	const struct watched_section *where = &watched->sections[section];
	unsigned count = 0;

	for (unsigned i = 0; i < where->count; i++)
		count += watched->pages[where->first + i].asked > 0;
	return count;
}

static uint64_t key_of(const struct watched *watched, unsigned section,
		       unsigned number)
{
	char url[64];

	watched_write_url(watched, section, number, url);
	return page_key_of(slice_of(url));
}

struct page_row watched_page_row(struct watched *watched, unsigned section,
				 unsigned number)
{
	struct txn txn = txn_begin_read(watched->world.store);
	struct page_row row = {0};

	if (!page_row_get(&txn, watched_site_id(&txn),
			  key_of(watched, section, number), &row))
		row = (struct page_row){0};
	txn_abort(&txn);
	row.url = row.redirect = row.charset = (struct slice){0};
	return row;
}

uint32_t watched_name(struct watched *watched, unsigned section,
		      const char *name)
{
	unsigned counts[WATCHED_CLUSTERS] = {0};
	uint32_t best = 0;

	for (unsigned i = 0; i < watched->sections[section].count; i++) {
		uint32_t cluster =
			watched_page_row(watched, section, i).cluster;

		ck_assert_uint_lt(cluster, WATCHED_CLUSTERS);
		if (cluster != 0 && ++counts[cluster] > counts[best])
			best = cluster;
	}
	watched->names[best] = name;
	return best;
}

bool watched_in_sample(struct watched *watched, uint32_t cluster,
		       unsigned section, unsigned number)
{
	struct txn txn = txn_begin_read(watched->world.store);
	struct sample_page_row row;
	bool is_there =
		sample_page_row_get(&txn, watched_site_id(&txn), cluster,
				    key_of(watched, section, number), &row);

	txn_abort(&txn);
	return is_there;
}

unsigned watched_sample(struct watched *watched, uint32_t cluster,
			unsigned section)
{
	unsigned count = 0;

	for (unsigned i = 0; i < watched->sections[section].count; i++)
		count += watched_in_sample(watched, cluster, section, i);
	return count;
}

struct template_row watched_template(struct watched *watched, uint32_t cluster)
{
	struct txn txn = txn_begin_read(watched->world.store);
	struct template_row row = {0};

	if (!template_row_get(&txn, watched_site_id(&txn), cluster, &row))
		row = (struct template_row){0};
	buffer_clear(&watched->lineage);
	buffer_append_slice(&watched->lineage, row.lineage);
	txn_abort(&txn);
	row.lineage = buffer_slice(&watched->lineage);
	return row;
}

struct version_row watched_version(struct watched *watched, uint32_t cluster,
				   uint32_t number)
{
	struct txn txn = txn_begin_read(watched->world.store);
	struct version_row row = {0};

	if (!version_row_get(&txn, watched_site_id(&txn), cluster, number,
			     &row))
		row = (struct version_row){0};
	txn_abort(&txn);
	row.packed.data = NULL;
	return row;
}

bool watched_lineage_ends(struct watched *watched, uint32_t cluster,
			  const char *kind, uint32_t other)
{
	struct slice text = watched_template(watched, cluster).lineage;
	json_t *list = json_loadb(text.data, text.size, 0, NULL);
	json_t *last = json_array_get(list, json_array_size(list) - 1);
	const char *said = json_string_value(json_object_get(last, "kind"));
	const char *to = json_string_value(json_object_get(last, "other"));
	char wanted[64];
	bool is_so;

	snprintf(wanted, sizeof(wanted), WATCHED_HOST "/%u", other);
	is_so = said != NULL && strcmp(said, kind) == 0 &&
		(other == 0 ? to == NULL
			    : to != NULL && strcmp(to, wanted) == 0);
	if (!is_so)
		fprintf(stderr, "lineage of %u: %.*s\n", cluster,
			(int)text.size, (const char *)text.data);
	json_decref(list);
	return is_so;
}

uint64_t watched_rows(struct watched *watched, enum table table)
{
	struct txn txn = txn_begin_read(watched->world.store);
	uint64_t rows = txn_usage(&txn, table).rows;

	txn_abort(&txn);
	return rows;
}
