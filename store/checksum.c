#include "store/checksum.h"

#include "base/hash.h"

uint64_t checksum_of(const char *table, struct slice key, struct slice value)
{
	uint64_t hash = hash64(table, strlen(table), 0);

	hash = hash64(key.data, key.size, hash);
	return hash64(value.data, value.size, hash);
}

void checksum_write(const char *table, struct slice key, struct slice value,
		    void *out)
{
	uint64_t sum = checksum_of(table, key, value);

	if (value.size > 0)
		memcpy(out, value.data, value.size);
	memcpy((char *)out + value.size, &sum, sizeof(sum));
}

struct slice checksum_read(const char *table, struct slice key,
			   struct slice stored)
{
	struct slice value = {stored.data, stored.size - CHECKSUM_BYTES};
	uint64_t sum;

	if (stored.size < CHECKSUM_BYTES)
		return (struct slice){0};
	memcpy(&sum, (const char *)stored.data + value.size, sizeof(sum));
	return sum == checksum_of(table, key, value) ? value
						     : (struct slice){0};
}
