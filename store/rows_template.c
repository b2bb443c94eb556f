/* The rows of templates that live. */
#include <stddef.h>

#include "store/row.h"

static const struct field template_fields[] = {
	FIELD(template_row, created_ms), FIELD(template_row, seen_ms),
	FIELD(template_row, ended_ms),   FIELD(template_row, round_ms),
	FIELD(template_row, asked_ms),   FIELD(template_row, asked_for),
	FIELD(template_row, round),      FIELD(template_row, version),
	FIELD(template_row, other),      FIELD(template_row, state),
	FIELD(template_row, threshold),  FIELD(template_row, flags),
};

static const struct layout template_layout =
	LAYOUT(template_row, template_fields,
	       offsetof(struct template_row, lineage), 1);

bool template_row_decode(struct slice value, struct template_row *row_out)
{
	return layout_decode(&template_layout, value, row_out);
}

bool template_row_get(struct txn *txn, uint32_t site, uint32_t cluster,
		      struct template_row *row_out)
{
	struct key key = key_cluster(site, cluster);

	return row_get(txn, TABLE_TEMPLATES, key_slice(&key), &template_layout,
		       row_out);
}

void template_row_put(struct txn *txn, uint32_t site, uint32_t cluster,
		      const struct template_row *row)
{
	struct key key = key_cluster(site, cluster);

	row_put(txn, TABLE_TEMPLATES, key_slice(&key), &template_layout, row);
}

static const struct field version_fields[] = {
	FIELD(version_row, first_ms),
	FIELD(version_row, last_ms),
	FIELD(version_row, page_count),
};

static const struct layout version_layout = LAYOUT(
	version_row, version_fields, offsetof(struct version_row, packed), 1);

bool version_row_decode(struct slice value, struct version_row *row_out)
{
	return layout_decode(&version_layout, value, row_out);
}

bool version_row_get(struct txn *txn, uint32_t site, uint32_t cluster,
		     uint32_t version, struct version_row *row_out)
{
	struct key key = key_version(site, cluster, version);

	return row_get(txn, TABLE_VERSIONS, key_slice(&key), &version_layout,
		       row_out);
}

void version_row_put(struct txn *txn, uint32_t site, uint32_t cluster,
		     uint32_t version, const struct version_row *row)
{
	struct key key = key_version(site, cluster, version);

	row_put(txn, TABLE_VERSIONS, key_slice(&key), &version_layout, row);
}

static const struct field sample_page_fields[] = {
	FIELD(sample_page_row, since_ms),
};

static const struct layout sample_page_layout =
	LAYOUT(sample_page_row, sample_page_fields,
	       offsetof(struct sample_page_row, url), 2);

bool sample_page_row_decode(struct slice value, struct sample_page_row *row_out)
{
	return layout_decode(&sample_page_layout, value, row_out);
}

bool sample_page_row_get(struct txn *txn, uint32_t site, uint32_t cluster,
			 uint64_t page, struct sample_page_row *row_out)
{
	struct key key = key_member(site, cluster, page);

	return row_get(txn, TABLE_SAMPLE_PAGES, key_slice(&key),
		       &sample_page_layout, row_out);
}

void sample_page_row_put(struct txn *txn, uint32_t site, uint32_t cluster,
			 uint64_t page, const struct sample_page_row *row)
{
	struct key key = key_member(site, cluster, page);

	row_put(txn, TABLE_SAMPLE_PAGES, key_slice(&key), &sample_page_layout,
		row);
}
