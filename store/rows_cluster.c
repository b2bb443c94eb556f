#include "store/rows_cluster.h"

#include <string.h>

#include "store/key.h"
#include "store/row.h"

static const struct row_field cluster_row_fields[] = {
	FIELD(cluster_row, page_count),  FIELD(cluster_row, changes),
	FIELD(cluster_row, created_ms),  FIELD(cluster_row, changed_ms),
	FIELD(cluster_row, interval_ms),
};

static const struct row_codec cluster_row_layout =
	LAYOUT(cluster_row, cluster_row_fields, 0, 0);

ROW_FUNCTIONS(cluster_row, TABLE_CLUSTERS, key_cluster(site, cluster),
	      uint32_t site, uint32_t cluster)

void member_put(struct txn *txn, uint32_t site, uint32_t cluster, uint64_t page,
		uint32_t set)
{
	struct key key = key_member(site, cluster, page);

	txn_put(txn, TABLE_MEMBERS, key_slice(&key),
		(struct slice){&set, sizeof(set)});
}

bool member_decode(struct slice value, uint32_t *set_out)
{
	if (value.size != sizeof(*set_out))
		return false;
	memcpy(set_out, value.data, sizeof(*set_out));
	return true;
}

void member_delete(struct txn *txn, uint32_t site, uint32_t cluster,
		   uint64_t page)
{
	struct key key = key_member(site, cluster, page);

	txn_delete(txn, TABLE_MEMBERS, key_slice(&key));
}
