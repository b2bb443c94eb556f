#include "daemon/nodes/partition_sizes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/nodes/cluster.h"
#include "store/key.h"
#include "store/rows_event.h"
#include "store/rows_site.h"

enum { SITE_SHIFT = 24 };

struct partition_of_site {
	uint32_t site;
	unsigned partition;
};

struct counting {
	struct txn txn;
	struct partition_sizes *sizes;
	struct partition_of_site *owners; /* [count], by site */
	size_t count;
	size_t capacity;
};

static int partition_sizes_compare_sites(const void *left, const void *right)
{
	const struct partition_of_site *a = left;
	const struct partition_of_site *b = right;

	return (a->site > b->site) - (a->site < b->site);
}

static void partition_sizes_add_site(struct counting *counting,
				     const struct site_row *row)
{
	struct partition_of_site owner = {row->id,
					  nodes_partition_of(row->host)};
	struct partition_size *size = &counting->sizes->items[owner.partition];

	size->sites++;
	size->pages += row->page_count;
	if (row->id >> SITE_SHIFT != owner.partition)
		counting->sizes->strange_sites++;
	counting->owners =
		mem_grow(counting->owners, counting->count, &counting->capacity,
			 sizeof(*counting->owners));
	counting->owners[counting->count++] = owner;
}

static void partition_sizes_read_sites(struct counting *counting)
{
	struct scan scan =
		scan_begin(&counting->txn, TABLE_SITES, slice_of(""));
	struct site_row row;

	while (scan_next(&scan))
		if (site_decode(scan.value, &row))
			partition_sizes_add_site(counting, &row);
		else
			txn_fail(&counting->txn, ERR_CORRUPT);
	scan_end(&scan);
	if (counting->count > 1)
		qsort(counting->owners, counting->count,
		      sizeof(*counting->owners), partition_sizes_compare_sites);
}

/* Return the host in "https://host:8080", of TABLE_HOSTS. */
static struct slice partition_sizes_host(struct slice authority)
{
	const char *text = authority.data;
	const char *end = memmem(text, authority.size, "://", 3);
	size_t head = end == NULL ? 0 : (size_t)(end - text) + 3;

	return (struct slice){text + head, authority.size - head};
}

static unsigned partition_of_event(struct slice value)
{
	struct event_row row;

	if (!event_decode(value, &row) || row.host.size == 0)
		return JOURNAL_COMMON;
	return nodes_partition_of(row.host);
}

/* Return the partition of a row; JOURNAL_PARTITIONS if it has none. */
static unsigned partition_sizes_partition(const struct counting *counting,
					  enum table table,
					  const struct scan *scan)
{
	const struct partition_of_site wanted = {.site = key_u32(scan->key, 0)};
	const struct partition_of_site *owner;

	switch (table) {
	case TABLE_META:
		return JOURNAL_PARTITIONS;
	case TABLE_SITES:
		return nodes_partition_of(scan->key);
	case TABLE_HOSTS:
		return nodes_partition_of(partition_sizes_host(scan->key));
	case TABLE_EVENTS:
	case TABLE_OUTBOX:
		return partition_of_event(scan->value);
	case TABLE_HOOKS:
	case TABLE_SILENCES:
		return JOURNAL_COMMON;
	default:
		owner = counting->count == 0
				? NULL
				: bsearch(&wanted, counting->owners,
					  counting->count, sizeof(wanted),
					  partition_sizes_compare_sites);
		return owner == NULL ? JOURNAL_PARTITIONS : owner->partition;
	}
}

static void count_table(struct counting *counting, enum table table)
{
	struct scan scan = scan_begin(&counting->txn, table, slice_of(""));

	while (scan_next(&scan)) {
		unsigned partition =
			partition_sizes_partition(counting, table, &scan);

		if (partition == JOURNAL_PARTITIONS)
			continue;
		counting->sizes->items[partition].rows++;
		counting->sizes->items[partition].bytes +=
			scan.key.size + scan.value.size;
	}
	scan_end(&scan);
}

enum error partition_sizes_read(struct store *store,
				struct partition_sizes *sizes_out)
{
	struct counting counting = {.txn = txn_begin_read(store),
				    .sizes = sizes_out};

	*sizes_out = (struct partition_sizes){0};
	partition_sizes_read_sites(&counting);
	for (enum table table = TABLE_META; table < TABLE_COUNT; table++)
		count_table(&counting, table);
	free(counting.owners);
	return txn_end(&counting.txn);
}
