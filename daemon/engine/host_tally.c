#include "daemon/engine/host_tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void host_tally_add(struct host_tally *tally, const char *host, uint64_t pages)
{
	size_t i = 0;

	tally->pages += pages;
	while (i < tally->count && strcmp(tally->rows[i].host, host) != 0)
		i++;
	if (i == MAX_TALLIED_HOSTS)
		return;
	if (tally->rows == NULL)
		tally->rows =
			mem_alloc(MAX_TALLIED_HOSTS, sizeof(*tally->rows));
	if (i == tally->count)
		tally->rows[tally->count++] = (struct host_count){
			.host = mem_copy_text(host, strlen(host))};
	tally->rows[i].pages += pages;
}

void host_tally_merge(struct host_tally *tally, const struct host_tally *other)
{
	uint64_t pages = tally->pages + other->pages;

	for (size_t i = 0; i < other->count; i++)
		host_tally_add(tally, other->rows[i].host,
			       other->rows[i].pages);
	tally->pages = pages; /* also pages of hosts that are not listed */
}

void host_tally_free(struct host_tally *tally)
{
	for (size_t i = 0; i < tally->count; i++)
		free(tally->rows[i].host);
	free(tally->rows);
	*tally = (struct host_tally){0};
}
