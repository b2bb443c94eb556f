#include "daemon/engine/audience.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "daemon/query/event_kinds.h"
#include "store/key.h"
#include "store/rows_event.h"
#include "store/rows_hook.h"

static struct slice subscription_copy_text(struct slice text)
{
	return (struct slice){mem_copy_text(text.data, text.size), text.size};
}

static void read_silences(struct event_subscriptions *audience, struct txn *txn)
{
	struct scan scan = scan_begin(txn, TABLE_SILENCES, slice_of(""));
	struct silence_row silence;

	while (scan_next(&scan)) {
		if (!silence_row_decode(scan.value, &silence))
			continue;
		silence.host = subscription_copy_text(silence.host);
		audience->silences =
			mem_grow(audience->silences, audience->silence_count,
				 &audience->silence_capacity, sizeof(silence));
		audience->silences[audience->silence_count++] = silence;
	}
	scan_end(&scan);
}

static void read_wishes(struct event_subscriptions *audience, struct txn *txn)
{
	struct scan scan = scan_begin(txn, TABLE_HOOKS, slice_of(""));
	struct hook_row hook;

	while (scan_next(&scan)) {
		struct hook_filter wish = {.hook = key_u32(scan.key, 0)};
		struct slice wrong;

		if (!hook_row_decode(scan.value, &hook))
			continue;
		wish.is_default = hook.kinds.size == 0;
		if (!wish.is_default &&
		    !kind_set_parse(hook.kinds, &wish.kinds, &wrong))
			continue;
		wish.host = subscription_copy_text(hook.host);
		audience->wishes =
			mem_grow(audience->wishes, audience->wish_count,
				 &audience->wish_capacity, sizeof(wish));
		audience->wishes[audience->wish_count++] = wish;
	}
	scan_end(&scan);
}

void subscriptions_read(struct event_subscriptions *audience, struct txn *txn)
{
	if (audience->is_read)
		return;
	read_silences(audience, txn);
	read_wishes(audience, txn);
	if (txn->error == ERR_NONE)
		audience->is_read = true;
	else
		subscriptions_reset(audience);
}

void subscriptions_reset(struct event_subscriptions *audience)
{
	for (size_t i = 0; i < audience->silence_count; i++)
		free((void *)audience->silences[i].host.data);
	for (size_t i = 0; i < audience->wish_count; i++)
		free((void *)audience->wishes[i].host.data);
	free(audience->silences);
	free(audience->wishes);
	*audience = (struct event_subscriptions){0};
}

/*
 * Return whether the rule matches: all of its parts that are not 0 must be
 * equal.
 */
static bool silence_matches(const struct silence_row *silence,
			    const struct event_row *event)
{
	return silence->kind == event->kind &&
	       (silence->cluster == 0 || silence->cluster == event->cluster) &&
	       (silence->guard == 0 || silence->guard == event->guard) &&
	       slice_equal(silence->host, event->host);
}

bool subscriptions_silence(const struct event_subscriptions *audience,
			   const struct event_row *event)
{
	for (size_t i = 0; i < audience->silence_count; i++)
		if (silence_matches(&audience->silences[i], event))
			return true;
	return false;
}

bool hook_filter_matches(const struct hook_filter *wish,
			 const struct event_row *event)
{
	if (wish->host.size > 0 && !slice_equal(wish->host, event->host))
		return false;
	return wish->is_default ? event_kind_is_alert(event->kind)
				: kind_set_has(wish->kinds, event->kind);
}
