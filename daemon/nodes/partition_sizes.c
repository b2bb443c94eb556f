#include "daemon/nodes/partition_sizes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/nodes/cluster.h"
#include "store/key.h"
#include "store/rows_event.h"
#include "store/rows_site.h"

enum { SITE_SHIFT = 24 };

struct owner {
	uint32_t site;
	unsigned partition;
};

struct counting {
	struct txn txn;
	struct partition_sizes *sizes;
	struct owner *owners; /* [count], by site */
	size_t count;
	size_t capacity;
};

static int by_site(const void *left, const void *right)
{
	const struct owner *a = left;
	const struct owner *b = right;

	return (a->site > b->site) - (a->site < b->site);
}

static void add_site(struct counting *counting, const struct site_row *row)
{
	struct owner owner = {row->id, cluster_partition(row->host)};
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

static void read_sites(struct counting *counting)
{
	struct scan scan =
		scan_begin(&counting->txn, TABLE_SITES, slice_of(""));
	struct site_row row;

	while (scan_next(&scan))
		if (site_decode(scan.value, &row))
			add_site(counting, &row);
		else
			txn_fail(&counting->txn, ERR_CORRUPT);
	scan_end(&scan);
	if (counting->count > 1)
		qsort(counting->owners, counting->count,
		      sizeof(*counting->owners), by_site);
}

/* Return the host in "https://host:8080", of TABLE_HOSTS. */
static struct slice host_of(struct slice authority)
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
	return cluster_partition(row.host);
}

/* Return the partition of a row; JOURNAL_PARTITIONS if it has none. */
static unsigned partition_of(const struct counting *counting, enum table table,
			     const struct scan *scan)
{
	const struct owner wanted = {.site = key_u32(scan->key, 0)};
	const struct owner *owner;

	switch (table) {
	case TABLE_META:
		return JOURNAL_PARTITIONS;
	case TABLE_SITES:
		return cluster_partition(scan->key);
	case TABLE_HOSTS:
		return cluster_partition(host_of(scan->key));
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
					  by_site);
		return owner == NULL ? JOURNAL_PARTITIONS : owner->partition;
	}
}

static void count_table(struct counting *counting, enum table table)
{
	struct scan scan = scan_begin(&counting->txn, table, slice_of(""));

	while (scan_next(&scan)) {
		unsigned partition = partition_of(counting, table, &scan);

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
	read_sites(&counting);
	for (enum table table = TABLE_META; table < TABLE_COUNT; table++)
		count_table(&counting, table);
	free(counting.owners);
	return txn_end(&counting.txn);
}
