#include "store/rows_template.h"

#include "store/key.h"
#include "store/row.h"

static const struct row_field template_row_fields[] = {
	FIELD(template_row, created_ms), FIELD(template_row, seen_ms),
	FIELD(template_row, ended_ms),   FIELD(template_row, round_ms),
	FIELD(template_row, asked_ms),   FIELD(template_row, asked_for),
	FIELD(template_row, round),      FIELD(template_row, version),
	FIELD(template_row, other),      FIELD(template_row, state),
	FIELD(template_row, threshold),  FIELD(template_row, flags),
};

static const struct row_codec template_row_layout =
	LAYOUT(template_row, template_row_fields,
	       offsetof(struct template_row, lineage), 1);

ROW_FUNCTIONS(template_row, TABLE_TEMPLATES, key_cluster(site, cluster),
	      uint32_t site, uint32_t cluster)

static const struct row_field version_row_fields[] = {
	FIELD(version_row, first_ms),
	FIELD(version_row, last_ms),
	FIELD(version_row, page_count),
};

static const struct row_codec version_row_layout =
	LAYOUT(version_row, version_row_fields,
	       offsetof(struct version_row, packed), 1);

ROW_FUNCTIONS(version_row, TABLE_VERSIONS, key_version(site, cluster, version),
	      uint32_t site, uint32_t cluster, uint32_t version)

struct buffer version_row_encode(const struct version_row *row)
{
	return row_codec_encode(&version_row_layout, row);
}

static const struct row_field sample_page_row_fields[] = {
	FIELD(sample_page_row, since_ms),
};

static const struct row_codec sample_page_row_layout =
	LAYOUT(sample_page_row, sample_page_row_fields,
	       offsetof(struct sample_page_row, url), 2);

ROW_FUNCTIONS(sample_page_row, TABLE_SAMPLE_PAGES,
	      key_member(site, cluster, page), uint32_t site, uint32_t cluster,
	      uint64_t page)

struct buffer sample_page_row_encode(const struct sample_page_row *row)
{
	return row_codec_encode(&sample_page_row_layout, row);
}
