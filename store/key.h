/*
 * store/key.h - the keys of the tables. LMDB sorts rows by the numbers in their
 * keys, because these are big-endian.
 */
#ifndef STORE_KEY_H
#define STORE_KEY_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * A key of a row. Pass it to functions as key_slice(&key), or as
 * KEY(key_site(id)).
 */
struct key {
	unsigned char bytes[24];
	size_t size;
};

struct key key_site(uint32_t site);
struct key key_page(uint32_t site, uint64_t page);
/* The key of piece number `piece`, from the key of its page. */
struct key key_piece(struct slice page, unsigned piece);
struct key key_cluster(uint32_t site, uint32_t cluster);
struct key key_member(uint32_t site, uint32_t cluster, uint64_t page);
struct key key_due(uint32_t site, uint64_t due_ms, uint64_t url);
struct key key_version(uint32_t site, uint32_t cluster, uint32_t version);
struct key key_outbox(uint32_t hook, uint64_t event);
struct key key_small(uint32_t number);
struct key key_number(uint64_t number);
struct slice key_slice(const struct key *key);
#define KEY(value) key_slice((const struct key[]){value})

/*
 * Read the big-endian number at byte `offset` of a key. Bytes after the end of
 * the key are 0.
 */
uint32_t key_u32(struct slice key, size_t offset);
uint64_t key_u64(struct slice key, size_t offset);

/* A text with the first bytes of a key in hexadecimal. key_text() writes it. */
struct key_text {
	char text[68];
};
const char *key_text(struct slice key, struct key_text *out);

/* Return the key of the page with the URL `url`. It is unique within a site. */
uint64_t page_key_of(struct slice url);

/*
 * The checksum that is stored after each value: XXH3, 64 bits, of the name of
 * the table, the key and the value. It detects damaged bits, and a row that is
 * stored under a wrong key. Internal to store/.
 */

enum { CHECKSUM_BYTES = 8 };

uint64_t checksum_of(const char *table, struct slice key, struct slice value);

/*
 * Write the value and then its checksum to `out` [value.size + CHECKSUM_BYTES].
 */
void checksum_write(const char *table, struct slice key, struct slice value,
		    void *out);

/*
 * Return the stored value without its checksum. Return an empty slice if the
 * checksum is wrong.
 */
struct slice checksum_read(const char *table, struct slice key,
			   struct slice stored);

#endif
