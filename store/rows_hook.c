#include "store/rows_hook.h"

#include "store/key.h"
#include "store/row.h"

static const struct row_field hook_row_fields[] = {
	FIELD(hook_row, created_ms),   FIELD(hook_row, next_ms),
	FIELD(hook_row, delivered_ms), FIELD(hook_row, delivered),
	FIELD(hook_row, dropped),      FIELD(hook_row, waiting),
	FIELD(hook_row, failures),     FIELD(hook_row, http_status),
	FIELD(hook_row, flags),
};

static const struct row_codec hook_row_layout =
	LAYOUT(hook_row, hook_row_fields, offsetof(struct hook_row, target), 5);

ROW_FUNCTIONS(hook_row, TABLE_HOOKS, key_small(hook), uint32_t hook)

struct buffer hook_row_encode(const struct hook_row *row)
{
	return row_codec_encode(&hook_row_layout, row);
}

static const struct row_field silence_row_fields[] = {
	FIELD(silence_row, created_ms), FIELD(silence_row, kind),
	FIELD(silence_row, cluster),    FIELD(silence_row, guard),
	FIELD(silence_row, event),
};

static const struct row_codec silence_row_layout = LAYOUT(
	silence_row, silence_row_fields, offsetof(struct silence_row, host), 1);

ROW_FUNCTIONS(silence_row, TABLE_SILENCES, key_small(silence), uint32_t silence)
