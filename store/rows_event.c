#include "store/rows_event.h"

#include "base/buffer.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/row.h"
#include "store/store.h"

static const struct row_field event_row_fields[] = {
	FIELD(event_row, time_ms), FIELD(event_row, kind),
	FIELD(event_row, flags),   FIELD(event_row, cluster),
	FIELD(event_row, other),   FIELD(event_row, guard),
	FIELD(event_row, pages),
};

static const struct row_codec event_row_layout = LAYOUT(
	event_row, event_row_fields, offsetof(struct event_row, host), 3);

const char *event_kind_name(uint16_t kind)
{
	switch ((enum event_kind)kind) {
#define X(name, value, text) \
	case name:           \
		return text;
		EVENT_LIST(X)
#undef X
	}
	return "unknown";
}

bool event_decode(struct slice value, struct event_row *row_out)
{
	return row_codec_decode(&event_row_layout, value, row_out);
}

bool event_get(struct txn *txn, uint64_t number, struct event_row *row_out)
{
	struct key key = key_number(number);

	return row_get(txn, TABLE_EVENTS, key_slice(&key), &event_row_layout,
		       row_out);
}

bool event_get_before(struct txn *txn, uint64_t *number,
		      struct event_row *row_out)
{
	struct key key = key_number(*number);
	struct slice before;
	struct slice value;

	if (!txn_get_before(txn, TABLE_EVENTS, key_slice(&key), &before,
			    &value) ||
	    before.size != sizeof(*number) || !event_decode(value, row_out))
		return false;
	*number = key_u64(before, 0);
	return true;
}

void event_put(struct txn *txn, uint64_t number, const struct event_row *row)
{
	struct key key = key_number(number);

	row_put(txn, TABLE_EVENTS, key_slice(&key), &event_row_layout, row);
}

uint64_t event_add(struct txn *txn, const struct event_row *row)
{
	/*
	 * encode first, because the row may point to where the number is
	 * written
	 */
	struct buffer value = row_codec_encode(&event_row_layout, row);
	uint64_t number = store_next_event(txn, row->host);
	struct key key = key_number(number);

	if (number != 0)
		txn_put(txn, TABLE_EVENTS, key_slice(&key),
			buffer_slice(&value));
	buffer_free(&value);
	return number;
}

void outbox_put(struct txn *txn, uint32_t hook, uint64_t number,
		const struct event_row *row)
{
	struct key key = key_outbox(hook, number);

	row_put(txn, TABLE_OUTBOX, key_slice(&key), &event_row_layout, row);
}
