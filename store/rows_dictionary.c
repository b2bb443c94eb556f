#include "store/rows_dictionary.h"

#include "store/key.h"
#include "store/row.h"

static const struct row_field dictionary_row_fields[] = {
	FIELD(dictionary_row, created_ms),
	FIELD(dictionary_row, cluster),
	FIELD(dictionary_row, body_bytes),
	FIELD(dictionary_row, record_bytes),
};

static const struct row_codec dictionary_row_layout =
	LAYOUT(dictionary_row, dictionary_row_fields,
	       offsetof(struct dictionary_row, bodies), 2);

ROW_FUNCTIONS(dictionary_row, TABLE_DICTIONARIES, key_cluster(site, dictionary),
	      uint32_t site, uint32_t dictionary)

struct buffer dictionary_row_encode(const struct dictionary_row *row)
{
	return row_codec_encode(&dictionary_row_layout, row);
}
