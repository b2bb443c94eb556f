#include "daemon/api/site_metrics.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/api/metric.h"
#include "store/rows_site.h"
#include "store/txn.h"

/* The figures of a site; each has its metric. */
enum number { PAGES, URLS, PENDING, FAILED, SPENT, STALE, BLOCKED, NUMBERS };

static const enum metric number_metrics[NUMBERS] = {
	[PAGES] = METRIC_SITE_PAGES,     [URLS] = METRIC_SITE_URLS,
	[PENDING] = METRIC_SITE_PENDING, [FAILED] = METRIC_SITE_FAILED,
	[SPENT] = METRIC_SITE_SPENT,     [STALE] = METRIC_SITE_STALE,
	[BLOCKED] = METRIC_SITE_BLOCKED,
};

struct measured_site {
	struct slice host; /* valid until the transaction ends */
	uint64_t seen_ms;
	uint64_t numbers[NUMBERS];
};

struct measured_sites {
	struct measured_site *items; /* [count] */
	size_t count;
	size_t capacity;
};

static struct measured_site site_metrics_measure(const struct site_row *row)
{
	uint32_t flags = row->options.flags;

	return (struct measured_site){
		.host = row->host,
		.seen_ms = row->seen_ms,
		.numbers =
			{
				[PAGES] = row->page_count,
				[URLS] = row->found_count,
				[PENDING] = row->pending_count,
				[FAILED] = row->failed_count,
				[SPENT] = row->spent_bytes,
				[STALE] = (flags & SITE_IS_STALE) != 0,
				[BLOCKED] = (flags & SITE_IS_BLOCKED) != 0,
			},
	};
}

static struct measured_sites site_metrics_read(struct txn *txn)
{
	struct scan scan =
		scan_begin(txn, TABLE_SITES, (struct slice){NULL, 0});
	struct measured_sites sites = {0};
	struct site_row row;

	while (scan_next(&scan)) {
		if (!site_decode(scan.value, &row))
			continue;
		sites.items = mem_grow(sites.items, sites.count,
				       &sites.capacity, sizeof(*sites.items));
		sites.items[sites.count++] = site_metrics_measure(&row);
	}
	scan_end(&scan);
	return sites;
}

static int host_order(struct slice a, struct slice b)
{
	size_t common = a.size < b.size ? a.size : b.size;
	int order = memcmp(a.data, b.data, common);

	return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* Sites with more pages come first. */
static int site_order(const void *left, const void *right)
{
	const struct measured_site *a = left;
	const struct measured_site *b = right;

	if (a->numbers[PAGES] != b->numbers[PAGES])
		return a->numbers[PAGES] > b->numbers[PAGES] ? -1 : 1;
	return host_order(a->host, b->host);
}

static void write_number(const struct measured_sites *sites, size_t max,
			 enum number number, struct buffer *out)
{
	enum metric metric = number_metrics[number];
	uint64_t rest = 0;

	metric_begin(out, metric);
	for (size_t i = 0; i < sites->count; i++) {
		const struct measured_site *site = &sites->items[i];

		if (i < max)
			metric_sample(out, metric, site->host,
				      (double)site->numbers[number]);
		else
			rest += site->numbers[number];
	}
	if (sites->count > max)
		metric_sample(out, metric, slice_of("*"), (double)rest);
}

/* A site that was never seen has no sample. */
static void write_seen(const struct measured_sites *sites, size_t max,
		       struct buffer *out)
{
	metric_begin(out, METRIC_SITE_SEEN);
	for (size_t i = 0; i < sites->count && i < max; i++) {
		const struct measured_site *site = &sites->items[i];

		if (site->seen_ms != 0)
			metric_sample(out, METRIC_SITE_SEEN, site->host,
				      (double)site->seen_ms / 1e3);
	}
}

static uint64_t site_metrics_sum(const struct measured_sites *sites,
				 enum number number)
{
	uint64_t result = 0;

	for (size_t i = 0; i < sites->count; i++)
		result += sites->items[i].numbers[number];
	return result;
}

static void write_states(const struct measured_sites *sites, struct buffer *out)
{
	metric_begin(out, METRIC_SITES);
	metric_sample(out, METRIC_SITES, slice_of("all"), (double)sites->count);
	metric_sample(out, METRIC_SITES, slice_of("stale"),
		      (double)site_metrics_sum(sites, STALE));
	metric_sample(out, METRIC_SITES, slice_of("blocked"),
		      (double)site_metrics_sum(sites, BLOCKED));
}

void site_metrics(struct txn *txn, size_t max, struct buffer *out)
{
	struct measured_sites sites = site_metrics_read(txn);

	if (sites.count > 0)
		qsort(sites.items, sites.count, sizeof(*sites.items),
		      site_order);
	write_states(&sites, out);
	for (int i = 0; i < NUMBERS; i++)
		write_number(&sites, max, (enum number)i, out);
	write_seen(&sites, max, out);
	free(sites.items);
}
