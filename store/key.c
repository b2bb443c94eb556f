#include "store/key.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

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

/* Append the lowest `size` bytes of `number` to the key, big-endian. */
static struct key key_append(struct key key, uint64_t number, size_t size)
{
	uint64_t big = htobe64(number << (64 - 8 * size));

	assert(key.size + size <= sizeof(key.bytes));
	memcpy(key.bytes + key.size, &big, size);
	key.size += size;
	return key;
}

struct key key_site(uint32_t site)
{
	return key_append((struct key){.size = 0}, site, sizeof(site));
}

struct key key_page(uint32_t site, uint64_t page)
{
	return key_append(key_site(site), page, sizeof(page));
}

struct key key_piece(struct slice page, unsigned piece)
{
	return key_append(
		key_page(key_u32(page, 0), key_u64(page, sizeof(uint32_t))),
		piece, 1);
}

struct key key_cluster(uint32_t site, uint32_t cluster)
{
	return key_append(key_site(site), cluster, sizeof(cluster));
}

struct key key_member(uint32_t site, uint32_t cluster, uint64_t page)
{
	return key_append(key_cluster(site, cluster), page, sizeof(page));
}

struct key key_due(uint32_t site, uint64_t due_ms, uint64_t url)
{
	return key_append(key_page(site, due_ms), url, sizeof(url));
}

struct key key_version(uint32_t site, uint32_t cluster, uint32_t version)
{
	return key_append(key_cluster(site, cluster), version, sizeof(version));
}

struct key key_outbox(uint32_t hook, uint64_t event)
{
	return key_page(hook, event);
}

struct key key_small(uint32_t number)
{
	return key_site(number);
}

struct key key_number(uint64_t number)
{
	return key_append((struct key){.size = 0}, number, sizeof(number));
}

struct slice key_slice(const struct key *key)
{
	return (struct slice){key->bytes, key->size};
}

/* Copy `size` bytes of the key from `offset` on. Bytes after its end are 0. */
static void copy_bytes(struct slice key, size_t offset, void *to, size_t size)
{
	size_t there = key.size > offset ? key.size - offset : 0;

	memset(to, 0, size);
	if (there > 0)
		memcpy(to, (const char *)key.data + offset,
		       there < size ? there : size);
}

uint32_t key_u32(struct slice key, size_t offset)
{
	uint32_t big;

	copy_bytes(key, offset, &big, sizeof(big));
	return be32toh(big);
}

uint64_t key_u64(struct slice key, size_t offset)
{
	uint64_t big;

	copy_bytes(key, offset, &big, sizeof(big));
	return be64toh(big);
}

uint64_t page_key_of(struct slice url)
{
	return hash64(url.data, url.size, 0);
}

const char *key_text(struct slice key, struct key_text *out)
{
	static const char digits[] = "0123456789abcdef";
	size_t at = 0;

	for (size_t i = 0; i < key.size && at + 2 < sizeof(out->text); i++) {
		unsigned char byte = (unsigned char)slice_byte(key, i);

		out->text[at++] = digits[byte >> 4];
		out->text[at++] = digits[byte & 15];
	}
	out->text[at] = '\0';
	return out->text;
}
