#include "daemon/query/event_kinds.h"

#include <stddef.h>

#include "store/rows_event.h"

static const uint16_t all_kinds[] = {
#define X(name, value, text) name,
	EVENT_LIST(X)
#undef X
};

#define X(name, value, text) \
	_Static_assert((value) < 64, "a kind_set has a bit for it");
EVENT_LIST(X)
#undef X

#define BIT(kind) (UINT64_C(1) << (kind))

static const kind_set alerts =
	BIT(EVENT_TEMPLATE_NEW) | BIT(EVENT_TEMPLATE_CHANGED) |
	BIT(EVENT_TEMPLATE_REPLACED) | BIT(EVENT_TEMPLATE_MERGED) |
	BIT(EVENT_TEMPLATE_SPLIT) | BIT(EVENT_TEMPLATE_VANISHED) |
	BIT(EVENT_SITE_STALE) | BIT(EVENT_SITE_BLOCKED) |
	BIT(EVENT_GUARD_BROKEN) | BIT(EVENT_GUARD_OK) |
	BIT(EVENT_GUARD_SUSPENDED);

enum { KINDS = sizeof(all_kinds) / sizeof(all_kinds[0]) };

static bool event_kind_is_named(struct slice item, uint16_t kind)
{
	struct slice name = slice_of(event_kind_name(kind));
	const char *text = item.data;

	if (slice_equal(item, slice_of("alerts")))
		return event_kind_is_alert(kind);
	if (text[item.size - 1] != '*')
		return slice_equal(item, name);
	return item.size - 1 <= name.size &&
	       memcmp(text, name.data, item.size - 1) == 0;
}

static kind_set kinds_of(struct slice item)
{
	kind_set kinds = 0;

	for (size_t i = 0; i < KINDS && item.size > 0; i++)
		if (event_kind_is_named(item, all_kinds[i]))
			kinds |= BIT(all_kinds[i]);
	return kinds;
}

/* Remove the blanks around the item. */
static struct slice event_kind_trim_item(struct slice item)
{
	const char *text = item.data;

	for (; item.size > 0 && *text == ' '; text++)
		item.size--;
	while (item.size > 0 && text[item.size - 1] == ' ')
		item.size--;
	item.data = text;
	return item;
}

bool kind_set_parse(struct slice list, kind_set *kinds_out,
		    struct slice *wrong_out)
{
	const char *at = list.data;
	const char *end = at + list.size;

	*kinds_out = 0;
	*wrong_out = list;
	if (list.size == 0 || list.size > MAX_KINDS_BYTES)
		return false;
	while (at <= end) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const char *stop = comma == NULL ? end : comma;
		struct slice item = event_kind_trim_item((struct slice){
			at,
			(size_t)(stop - at),
		});
		kind_set kinds = kinds_of(item);

		*wrong_out = item;
		if (kinds == 0)
			return false;
		*kinds_out |= kinds;
		at = stop + 1;
	}
	return true;
}

kind_set kind_set_alerts(void)
{
	return alerts;
}

bool event_kind_is_alert(uint16_t kind)
{
	return kind_set_has(alerts, kind);
}

bool kind_set_has(kind_set kinds, uint16_t kind)
{
	return kind < 64 && (kinds >> kind & 1) != 0;
}
