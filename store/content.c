#include "store/content.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/compress.h"
#include "base/memory.h"
#include "store/key.h"
#include "store/record.h"
#include "store/rows.h"
#include "store/store.h"

enum { MAX_KEPT = 16 };

/* The key of a dictionary, and the table whose values it compresses. */
struct dictionary_name {
	enum table table;
	uint32_t site;
	uint32_t number;
};

struct dictionary_bytes {
	atomic_uint users; /* number of users; the cache counts as one */
	struct dictionary_name name;
	/*
	 * time of the last use, counted in accesses to the cache; guarded by
	 * its lock
	 */
	uint64_t used_at;
	struct buffer bytes;
};

struct dictionary_cache {
	pthread_mutex_t lock; /* no other lock is acquired while it is held */
	/* the cached dictionaries; free slots are NULL */
	struct dictionary_bytes *kept[MAX_KEPT];
	uint64_t uses;
};

static void dictionary_bytes_release(struct dictionary_bytes *dictionary)
{
	if (atomic_fetch_sub(&dictionary->users, 1) != 1)
		return;
	buffer_free(&dictionary->bytes);
	free(dictionary);
}

struct dictionary_cache *dictionary_cache_create(void)
{
	struct dictionary_cache *cache = mem_alloc(1, sizeof(*cache));

	pthread_mutex_init(&cache->lock, NULL);
	return cache;
}

void dictionary_cache_destroy(struct dictionary_cache *cache)
{
	if (cache == NULL)
		return;
	for (size_t i = 0; i < MAX_KEPT; i++)
		if (cache->kept[i] != NULL)
			dictionary_bytes_release(cache->kept[i]);
	pthread_mutex_destroy(&cache->lock);
	free(cache);
}

/*
 * Return the dictionary from the cache, or NULL. The caller releases it with
 * dictionary_bytes_release().
 */
static struct dictionary_bytes *
dictionary_cache_get(struct dictionary_cache *cache,
		     struct dictionary_name name)
{
	struct dictionary_bytes *found = NULL;

	pthread_mutex_lock(&cache->lock);
	for (size_t i = 0; i < MAX_KEPT && found == NULL; i++)
		if (cache->kept[i] != NULL &&
		    cache->kept[i]->name.table == name.table &&
		    cache->kept[i]->name.site == name.site &&
		    cache->kept[i]->name.number == name.number)
			found = cache->kept[i];
	if (found != NULL) {
		found->used_at = ++cache->uses;
		atomic_fetch_add(&found->users, 1);
	}
	pthread_mutex_unlock(&cache->lock);
	return found;
}

/*
 * Return the slot with the dictionary that was not used for the longest time.
 * The caller holds the lock.
 */
static struct dictionary_bytes **
dictionary_cache_oldest(struct dictionary_cache *cache)
{
	struct dictionary_bytes **oldest = &cache->kept[0];

	for (size_t i = 1; i < MAX_KEPT && *oldest != NULL; i++)
		if (cache->kept[i] == NULL ||
		    cache->kept[i]->used_at < (*oldest)->used_at)
			oldest = &cache->kept[i];
	return oldest;
}

/*
 * Make a dictionary from `bytes`, which become its own. If `cache` is not NULL,
 * add it to the cache. The caller releases the dictionary.
 */
static struct dictionary_bytes *
dictionary_cache_put(struct dictionary_cache *cache,
		     struct dictionary_name name, struct buffer *bytes)
{
	struct dictionary_bytes *one = mem_alloc(1, sizeof(*one));
	struct dictionary_bytes *dropped;
	struct dictionary_bytes **place;

	one->name = name;
	one->bytes = *bytes;
	*bytes = (struct buffer){0};
	atomic_init(&one->users, cache == NULL ? 1 : 2);
	if (cache == NULL)
		return one;
	pthread_mutex_lock(&cache->lock);
	place = dictionary_cache_oldest(cache);
	dropped = *place;
	*place = one;
	one->used_at = ++cache->uses;
	pthread_mutex_unlock(&cache->lock);
	if (dropped != NULL)
		dictionary_bytes_release(dropped);
	return one;
}

enum {
	BY_DICTIONARY = 1,
	SLIM_BY_DICTIONARY = 2,
	DIVIDED = 3,
	HEAD_BYTES = 1 + sizeof(uint32_t),
	/* the form, the number of the pieces, and the size of the value */
	DIVIDED_HEAD_BYTES = 2 + sizeof(uint32_t),
};

/*
 * Figures of LMDB's file format: the size of the header of a page, and the size
 * of the header of a row with its entry in the page. A head is smaller than
 * half a page by ROW_MARGIN, so that it shares a page with other rows.
 */
enum { PAGE_HEAD = 16, NODE_HEAD = 10, ROW_MARGIN = 64 };

enum {
	PAGE_KEY_BYTES = sizeof(uint32_t) + sizeof(uint64_t),
	PIECE_KEY_BYTES = PAGE_KEY_BYTES + 1,
	/* larger values waste little space in pages of their own */
	MAX_FINE_BYTES = 64 << 10,
};

/*
 * The first byte of a value identifies its form. A value with any other first
 * byte is damaged.
 */
static const unsigned char record_begin = 0x63;
static const unsigned char frame_begin = 0x28;

static unsigned char first_byte(struct slice value)
{
	return (unsigned char)slice_byte(value, 0);
}

struct content_division content_divide(size_t size, size_t page_bytes)
{
	const size_t around = PAGE_HEAD + CHECKSUM_BYTES;
	size_t bytes = (size + around) / page_bytes * page_bytes;

	if (bytes == 0 || size + around == bytes ||
	    size + around - bytes > page_bytes / 2 - ROW_MARGIN)
		return (struct content_division){0};
	return (struct content_division){1, bytes - around};
}

struct content_division content_divide_finely(size_t size, size_t page_bytes)
{
	/* the size of a row is even */
	size_t node = (page_bytes - PAGE_HEAD) / 3 / 2 * 2;
	size_t piece = node - NODE_HEAD - PIECE_KEY_BYTES - CHECKSUM_BYTES;

	if (size > MAX_FINE_BYTES)
		return content_divide(size, page_bytes);
	return (struct content_division){(unsigned)(size / piece), piece};
}

struct slice content_piece(struct slice value, struct content_division division,
			   unsigned number)
{
	return (struct slice){(const char *)value.data +
				      (number - 1) * division.piece_bytes,
			      division.piece_bytes};
}

void content_make_head(struct slice value, struct content_division division,
		       struct buffer *out)
{
	size_t before = division.count * division.piece_bytes;
	uint32_t size = (uint32_t)value.size;

	assert(division.count > 0 && before <= value.size);
	buffer_append_byte(out, DIVIDED);
	buffer_append_byte(out, (char)division.count);
	buffer_append(out, &size, sizeof(size));
	buffer_append(out, (const char *)value.data + before,
		      value.size - before);
}

/* Return the number of the pieces of the value whose row is `stored`. */
static unsigned content_piece_count(struct slice stored)
{
	return first_byte(stored) == DIVIDED
		       ? (unsigned char)slice_byte(stored, 1)
		       : 0;
}

size_t content_size(struct slice stored)
{
	uint32_t size;

	if (content_piece_count(stored) == 0 ||
	    stored.size < DIVIDED_HEAD_BYTES)
		return stored.size;
	memcpy(&size, (const char *)stored.data + 2, sizeof(size));
	return size;
}

enum table content_pieces_of(enum table table)
{
	switch (table) {
	case TABLE_BODIES:
		return TABLE_BODY_PIECES;
	case TABLE_RECORDS:
		return TABLE_RECORD_PIECES;
	default:
		return TABLE_COUNT;
	}
}

enum table content_heads_of(enum table pieces)
{
	switch (pieces) {
	case TABLE_BODY_PIECES:
		return TABLE_BODIES;
	case TABLE_RECORD_PIECES:
		return TABLE_RECORDS;
	default:
		return TABLE_COUNT;
	}
}

static size_t content_page_bytes(const struct txn *txn)
{
	MDB_stat stat = {0};

	mdb_env_stat(txn->store->env, &stat);
	return stat.ms_psize;
}

bool content_is_divisible(enum table table, struct slice key)
{
	return content_pieces_of(table) != TABLE_COUNT &&
	       key.size == PAGE_KEY_BYTES;
}

static void content_delete_pieces(struct txn *txn, enum table table,
				  struct slice key)
{
	if (content_is_divisible(table, key))
		txn_delete_prefix(txn, content_pieces_of(table), key);
}

void content_put(struct txn *txn, enum table table, struct slice key,
		 struct slice value)
{
	struct content_division division = {0};
	struct buffer head = {0};

	if (content_is_divisible(table, key))
		division = content_divide(value.size, content_page_bytes(txn));
	if (division.count > 0)
		content_make_head(value, division, &head);
	content_delete_pieces(txn, table, key);
	txn_put(txn, table, key,
		division.count > 0 ? buffer_slice(&head) : value);
	for (unsigned i = 1; i <= division.count; i++)
		txn_put(txn, content_pieces_of(table), KEY(key_piece(key, i)),
			content_piece(value, division, i));
	buffer_free(&head);
}

void content_delete(struct txn *txn, enum table table, struct slice key)
{
	txn_delete(txn, table, key);
	content_delete_pieces(txn, table, key);
}

struct slice content_join(struct txn *txn, enum table table, struct slice key,
			  struct slice stored, struct buffer *joined)
{
	const enum table pieces = content_pieces_of(table);
	const unsigned count = content_piece_count(stored);
	const size_t size = content_size(stored);

	buffer_clear(joined);
	if (count == 0 || !content_is_divisible(table, key))
		return stored;
	if (stored.size < DIVIDED_HEAD_BYTES)
		return slice_of("");
	for (unsigned i = 1; i <= count; i++) {
		struct slice piece =
			txn_get(txn, pieces, KEY(key_piece(key, i)));

		if (piece.data == NULL || piece.size > size - joined->size)
			return slice_of("");
		buffer_append_slice(joined, piece);
	}
	buffer_append(joined, (const char *)stored.data + DIVIDED_HEAD_BYTES,
		      stored.size - DIVIDED_HEAD_BYTES);
	return joined->size == size ? buffer_slice(joined) : slice_of("");
}

struct slice content_get(struct txn *txn, enum table table, struct slice key,
			 struct buffer *joined)
{
	return content_join(txn, table, key, txn_get(txn, table, key), joined);
}

bool content_piece_has_head(struct txn *txn, enum table pieces,
			    struct slice key)
{
	unsigned number = (unsigned char)slice_byte(key, PAGE_KEY_BYTES);

	return key.size == PIECE_KEY_BYTES && number > 0 &&
	       number <= content_piece_count(txn_get(
				 txn, content_heads_of(pieces),
				 (struct slice){key.data, PAGE_KEY_BYTES}));
}

bool content_is_packed(struct slice value, uint32_t *dictionary_out)
{
	unsigned char form = first_byte(value);

	*dictionary_out = 0;
	if ((form == BY_DICTIONARY || form == SLIM_BY_DICTIONARY) &&
	    value.size > HEAD_BYTES) {
		memcpy(dictionary_out, (const char *)value.data + 1,
		       sizeof(*dictionary_out));
		return true;
	}
	return form == frame_begin;
}

void content_pack(struct packer *packer, uint32_t dictionary, struct slice data,
		  struct buffer *out)
{
	if (dictionary != 0) {
		buffer_append_byte(out, BY_DICTIONARY);
		buffer_append(out, &dictionary, sizeof(dictionary));
	}
	packer_pack(packer, data, out);
}

void content_pack_record(struct packer *packer, uint32_t dictionary,
			 struct slice record, struct buffer *out)
{
	struct buffer slim = {0};
	bool is_slim = dictionary != 0 && record_pack(record, &slim);
	size_t before = out->size;

	content_pack(packer, dictionary, is_slim ? buffer_slice(&slim) : record,
		     out);
	if (is_slim)
		out->data[before] = SLIM_BY_DICTIONARY;
	buffer_free(&slim);
}

struct slice content_frame(struct slice value)
{
	assert(value.size > HEAD_BYTES);
	return (struct slice){(const char *)value.data + HEAD_BYTES,
			      value.size - HEAD_BYTES};
}

void content_renumber(struct slice value, uint32_t dictionary,
		      struct buffer *out)
{
	buffer_append_byte(out, *(const char *)value.data);
	buffer_append(out, &dictionary, sizeof(dictionary));
	buffer_append_slice(out, content_frame(value));
}

enum error content_dictionary(struct txn *txn, enum table table, uint32_t site,
			      uint32_t dictionary, struct buffer *out)
{
	struct slice value = txn_get(txn, TABLE_DICTIONARIES,
				     KEY(key_cluster(site, dictionary)));
	struct dictionary_row row;
	bool is_body = table == TABLE_BODIES;
	size_t before = out->size;
	enum error error;

	if (value.data == NULL)
		return ERR_NOT_FOUND;
	if (!dictionary_row_decode(value, &row))
		return ERR_CORRUPT;
	error = decompress_slice(is_body ? row.bodies : row.records,
				 DICTIONARY_MAX_BYTES, out);
	if (error != ERR_NONE)
		return ERR_CORRUPT;
	if (out->size - before !=
		    (is_body ? row.body_bytes : row.record_bytes) ||
	    !is_dictionary(
		    (struct slice){out->data + before, out->size - before}))
		return ERR_CORRUPT;
	return ERR_NONE;
}

/*
 * Return the decompressed dictionary, from the cache if possible; NULL if it is
 * damaged or missing.
 */
static struct dictionary_bytes *content_get_dictionary(struct txn *txn,
						       enum table table,
						       uint32_t site,
						       uint32_t number)
{
	struct dictionary_cache *cache = txn->store->dictionaries;
	const struct dictionary_name name = {table, site, number};
	struct dictionary_bytes *found = dictionary_cache_get(cache, name);
	struct buffer bytes = {0};

	if (found != NULL)
		return found;
	if (content_dictionary(txn, table, site, number, &bytes) == ERR_NONE)
		return dictionary_cache_put(txn->is_writer ? NULL : cache, name,
					    &bytes);
	buffer_free(&bytes);
	return NULL;
}

static enum error unpack_by(struct txn *txn, struct content_source place,
			    struct slice value, size_t max_bytes,
			    struct buffer *out)
{
	struct dictionary_bytes *dictionary = NULL;
	uint32_t number;
	enum error error;

	if (content_is_packed(value, &number))
		dictionary = content_get_dictionary(txn, place.table,
						    place.site, number);
	if (dictionary == NULL)
		return txn->error != ERR_NONE ? txn->error : ERR_CORRUPT;
	error = decompress_by(buffer_slice(&dictionary->bytes),
			      content_frame(value), max_bytes, out);
	dictionary_bytes_release(dictionary);
	return error;
}

/*
 * Decompress a value that was compressed with a dictionary, with a record in
 * packed form or not.
 */
static enum error unpack_form(struct txn *txn, struct content_source place,
			      struct slice value, size_t max_bytes,
			      struct buffer *out)
{
	struct buffer slim = {0};
	enum error error;

	if (first_byte(value) != SLIM_BY_DICTIONARY)
		return unpack_by(txn, place, value, max_bytes, out);
	error = place.table == TABLE_BODIES
			? ERR_CORRUPT
			: unpack_by(txn, place, value, max_bytes, &slim);
	if (error == ERR_NONE)
		error = record_unpack(buffer_slice(&slim), max_bytes, out);
	buffer_free(&slim);
	return error;
}

enum error content_unpack(struct txn *txn, struct content_source place,
			  struct slice value, size_t max_bytes,
			  struct buffer *out)
{
	uint32_t dictionary;

	if (content_is_packed(value, &dictionary))
		return dictionary == 0
			       ? decompress_slice(value, max_bytes, out)
			       : unpack_form(txn, place, value, max_bytes, out);
	if (place.table == TABLE_BODIES || first_byte(value) != record_begin)
		return ERR_CORRUPT;
	buffer_append_slice(out, value);
	return ERR_NONE;
}

/*
 * Return the error for a missing value: the error of the transaction if it has
 * one.
 */
static enum error error_of_absence(const struct txn *txn)
{
	return txn->error != ERR_NONE ? txn->error : ERR_NOT_FOUND;
}

enum error content_body(struct txn *txn, uint32_t site, uint64_t page,
			uint32_t body_bytes, struct buffer *out)
{
	const struct content_source place = {TABLE_BODIES, site};
	struct buffer joined = {0};
	struct slice value = content_get(txn, TABLE_BODIES,
					 KEY(key_page(site, page)), &joined);
	enum error error =
		value.data == NULL || txn->error != ERR_NONE
			? error_of_absence(txn)
			: content_unpack(txn, place, value, body_bytes, out);

	buffer_free(&joined);
	return error;
}

enum error content_body_frame(struct txn *txn, uint32_t site, uint64_t page,
			      struct buffer *out, uint32_t *dictionary_out)
{
	struct buffer joined = {0};
	struct slice value = content_get(txn, TABLE_BODIES,
					 KEY(key_page(site, page)), &joined);
	enum error error = ERR_NONE;

	*dictionary_out = 0;
	if (value.data == NULL || txn->error != ERR_NONE)
		error = error_of_absence(txn);
	else if (!content_is_packed(value, dictionary_out) ||
		 first_byte(value) == SLIM_BY_DICTIONARY)
		error = ERR_CORRUPT;
	else if (first_byte(value) == BY_DICTIONARY)
		value = content_frame(value);
	if (error == ERR_NONE)
		buffer_append_slice(out, value);
	buffer_free(&joined);
	return error;
}

enum error content_record_open(struct txn *txn, uint32_t site,
			       struct slice value, struct buffer *bytes_out,
			       struct record *record_out)
{
	enum error error = content_unpack(
		txn, (struct content_source){TABLE_RECORDS, site}, value,
		CONTENT_MAX_RECORD_BYTES, bytes_out);

	*record_out = (struct record){0};
	if (error == ERR_NONE)
		error = record_open(buffer_slice(bytes_out), record_out);
	return error == ERR_TOO_LARGE ? ERR_CORRUPT : error;
}

enum error content_record(struct txn *txn, uint32_t site, uint64_t page,
			  struct buffer *bytes_out, struct record *record_out)
{
	struct buffer joined = {0};
	struct slice value = content_get(txn, TABLE_RECORDS,
					 KEY(key_page(site, page)), &joined);
	enum error error;

	*record_out = (struct record){0};
	error = value.data == NULL || txn->error != ERR_NONE
			? error_of_absence(txn)
			: content_record_open(txn, site, value, bytes_out,
					      record_out);
	buffer_free(&joined);
	return error;
}
