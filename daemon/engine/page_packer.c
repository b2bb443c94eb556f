#include "daemon/engine/page_packer.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/compress.h"
#include "base/hash.h"
#include "base/memory.h"
#include "cluster/signature.h"
#include "daemon/engine/commit.h"
#include "daemon/engine/engine_internal.h"
#include "daemon/engine/packing.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/lock.h"
#include "page/page_class.h"
#include "store/content.h"
#include "store/key.h"
#include "store/record.h"
#include "store/rows.h"

enum {
	MAX_SITES = 256,    /* sites whose exemplars are kept */
	MAX_EXEMPLARS = 64, /* exemplars of a site */
	/* dictionaries in memory: their number, and their size */
	MAX_DICTIONARIES = 1024,
	MAX_DICTIONARY_BYTES = 64 * 1024 * 1024,
	/*
	 * Of a signature only the smallest shingles are kept: they are a random
	 * sample, the same one for equal signatures.
	 */
	MAX_SHINGLES = 256,
	/* pages of an exemplar before one of them becomes a dictionary */
	PAGES_FOR_DICTIONARY = 2,
	PERMILLE = 1000,
};

/* Dictionaries. */

struct page_dictionary {
	atomic_uint users;
	/* exemplar whose page it is; 0 = it was read from the store */
	uint64_t exemplar;
	uint32_t site;
	bool is_typical; /* it has several pages of a cluster */
	/* number in the store; 0 = not stored yet. Only a hint: see below */
	_Atomic uint32_t number;
	/* the row; its slices are the two buffers */
	struct dictionary_row row;
	struct buffer bodies;
	struct buffer records;
	struct buffer body_bytes;   /* `bodies` after decompression */
	struct buffer record_bytes; /* `records` after decompression */
	struct shared_dictionary *for_bodies;
	struct shared_dictionary *for_records;
	/*
	 * Only the committer uses these: the row of `number` was compared in
	 * this commit, and has this hash.
	 */
	uint64_t commit;
	uint64_t row_hash;
};

void page_dictionary_release(struct page_dictionary *dictionary)
{
	if (dictionary == NULL || atomic_fetch_sub(&dictionary->users, 1) != 1)
		return;
	shared_dictionary_destroy(dictionary->for_bodies);
	shared_dictionary_destroy(dictionary->for_records);
	buffer_free(&dictionary->bodies);
	buffer_free(&dictionary->records);
	buffer_free(&dictionary->body_bytes);
	buffer_free(&dictionary->record_bytes);
	free(dictionary);
}

static struct page_dictionary *
page_dictionary_use(struct page_dictionary *dictionary)
{
	atomic_fetch_add(&dictionary->users, 1);
	return dictionary;
}

/*
 * Create a dictionary from its row, whose slices are copied, and from its
 * decompressed bytes, which the dictionary owns from now on.
 */
static struct page_dictionary *
page_dictionary_create(const struct dictionary_row *row, struct buffer *bodies,
		       struct buffer *records)
{
	struct page_dictionary *one = mem_alloc(1, sizeof(*one));

	atomic_init(&one->users, 1);
	one->row = *row;
	buffer_append_slice(&one->bodies, row->bodies);
	buffer_append_slice(&one->records, row->records);
	one->row.bodies = buffer_slice(&one->bodies);
	one->row.records = buffer_slice(&one->records);
	one->for_bodies =
		shared_dictionary_create(buffer_slice(bodies), LEVEL_FAST);
	one->for_records =
		shared_dictionary_create(buffer_slice(records), LEVEL_SHORT);
	one->body_bytes = *bodies;
	one->record_bytes = *records;
	*bodies = (struct buffer){0};
	*records = (struct buffer){0};
	return one;
}

/* Make a dictionary from its decompressed bytes, which it owns from now on. */
static struct page_dictionary *page_dictionary_make(struct buffer *bodies,
						    struct buffer *records)
{
	struct dictionary_row row = {.created_ms = clock_wall_ms()};
	struct buffer packed[2] = {{0}, {0}};
	struct page_dictionary *made;

	packing_compress_dictionary(&row, packed, buffer_slice(bodies),
				    buffer_slice(records));
	made = page_dictionary_create(&row, bodies, records);
	buffer_free(&packed[0]);
	buffer_free(&packed[1]);
	return made;
}

/* Make a dictionary from the page of the job. */
static struct page_dictionary *page_dictionary_of_job(const struct job *job)
{
	struct buffer bodies = {0};
	struct buffer records = {0};

	packing_begin_dictionary(&bodies);
	buffer_append_slice(&bodies, buffer_slice(&job->result.body));
	packing_begin_dictionary(&records);
	record_pack(buffer_slice(&job->record), &records);
	if (bodies.size > DICTIONARY_MAX_BYTES)
		bodies.size = DICTIONARY_MAX_BYTES;
	if (records.size > DICTIONARY_MAX_BYTES)
		records.size = DICTIONARY_MAX_BYTES;
	return page_dictionary_make(&bodies, &records);
}

/* Make a dictionary from typical pages of the cluster; NULL = not possible. */
static struct page_dictionary *
page_dictionary_of_cluster(struct txn *txn, const struct cluster_name *name)
{
	struct buffer bodies = {0};
	struct buffer records = {0};
	struct page_dictionary *made = NULL;

	if (packing_join_dictionary(txn, name, &bodies, &records)) {
		made = page_dictionary_make(&bodies, &records);
		made->is_typical = true;
	}
	buffer_free(&records);
	return made;
}

/* Read a stored dictionary; NULL if it is damaged or was deleted. */
static struct page_dictionary *
page_dictionary_read(struct txn *txn, uint32_t site, uint32_t number)
{
	struct buffer bodies = {0};
	struct buffer records = {0};
	struct page_dictionary *read = NULL;
	struct slice value = txn_get(txn, TABLE_DICTIONARIES,
				     KEY(key_cluster(site, number)));
	struct dictionary_row row;

	if (value.data != NULL && dictionary_row_decode(value, &row) &&
	    row.cluster != DICTIONARY_IS_RETIRED &&
	    content_dictionary(txn, TABLE_BODIES, site, number, &bodies) ==
		    ERR_NONE &&
	    content_dictionary(txn, TABLE_RECORDS, site, number, &records) ==
		    ERR_NONE &&
	    bodies.size > 0 && records.size > 0) {
		read = page_dictionary_create(&row, &bodies, &records);
		read->site = site;
		read->number = number;
		read->row_hash = hash64(value.data, value.size, 0);
	}
	buffer_free(&bodies);
	buffer_free(&records);
	return read;
}

enum error page_dictionary_convert(const struct page_dictionary *dictionary,
				   struct slice packed, uint32_t body_bytes,
				   struct buffer *out)
{
	struct buffer body = {0};
	enum error error =
		decompress_by(buffer_slice(&dictionary->body_bytes),
			      content_frame(packed), body_bytes, &body);

	if (error == ERR_NONE)
		compress_slice(buffer_slice(&body), out);
	buffer_free(&body);
	return error;
}

/*
 * Only the committer uses `commit` and `row_hash`, and `number` is atomic, so
 * the committer needs no lock. A number may be invalid after a transaction that
 * was rolled back, or after the dictionary was retired or deleted, so each
 * commit compares the stored row once.
 */
uint32_t commit_page_dictionary(struct commit *batch,
				const struct cluster_name *name,
				struct page_dictionary *dictionary)
{
	uint32_t number = atomic_load(&dictionary->number);
	struct dictionary_row row = dictionary->row;
	struct slice value = {NULL, 0};
	struct buffer bytes;

	if (dictionary->site != name->site)
		return 0;
	if (dictionary->commit == batch->number)
		return number;
	if (number != 0)
		value = txn_get(batch->txn, TABLE_DICTIONARIES,
				KEY(key_cluster(name->site, number)));
	if (value.data == NULL ||
	    hash64(value.data, value.size, 0) != dictionary->row_hash) {
		/*
		 * a cluster keeps its dictionary, unless this one is better;
		 * the packing thread will compress the pages with this one by
		 * the dictionary of the cluster
		 */
		row.cluster =
			!dictionary->is_typical && packing_find_dictionary(
							   batch->txn, name)
				? 0
				: name->cluster;
		bytes = dictionary_row_encode(&row);
		number = commit_add_dictionary(batch, name->site,
					       buffer_slice(&bytes));
		dictionary->row_hash = hash64(bytes.data, bytes.size, 0);
		buffer_free(&bytes);
	}
	dictionary->commit = batch->number;
	atomic_store(&dictionary->number, number);
	return number;
}

/* Return how many bytes of memory the dictionary takes. */
static size_t page_dictionary_bytes(const struct page_dictionary *dictionary)
{
	return sizeof(*dictionary) + dictionary->bodies.size +
	       dictionary->records.size + dictionary->body_bytes.size +
	       dictionary->record_bytes.size +
	       shared_dictionary_bytes(dictionary->for_bodies) +
	       shared_dictionary_bytes(dictionary->for_records);
}

/* Exemplars. */

struct exemplar {
	uint64_t number; /* never used again */
	uint64_t shingles[MAX_SHINGLES];
	uint32_t shingle_count;
	uint32_t cluster; /* 0 = unknown until a commit */
	uint32_t pages;   /* at most PAGES_FOR_DICTIONARY */
	uint32_t stored;  /* thereof committed, at most PACKING_ENOUGH_PAGES */
	/* a dictionary of typical pages was made, or cannot be made */
	bool had_typical;
	uint64_t used_at;
};

/* A dictionary in the store. */
struct listed_dictionary {
	uint32_t number;
	uint32_t cluster;
};

struct packed_site {
	uint32_t site;
	unsigned slot;      /* signature_slot() of its measure */
	unsigned threshold; /* in permille */
	uint64_t used_at;
	/* the last number of a dictionary when `listed` was read */
	uint64_t read_at;
	struct listed_dictionary *listed; /* [count], ascending by number */
	size_t listed_count;
	struct exemplar *exemplars; /* [MAX_EXEMPLARS] */
	size_t exemplar_count;
};

/* A dictionary in memory. */
struct kept_dictionary {
	struct page_dictionary *dictionary;
	uint64_t used_at;
	size_t bytes;
	uint32_t site; /* the site of the dictionary, to find it fast */
};

struct page_packer {
	struct store *store;
	struct lock lock; /* guards the fields below */
	uint64_t uses;    /* the time of `used_at` */
	uint64_t exemplars;
	struct packed_site *sites[MAX_SITES];
	struct kept_dictionary dictionaries[MAX_DICTIONARIES]; /* [count] */
	size_t dictionary_count;
	size_t dictionary_bytes;
	struct packer **idle; /* [idle_count], for the threads */
	size_t idle_count;
	size_t idle_capacity;
};

struct page_packer *page_packer_create(struct store *store)
{
	struct page_packer *packer = mem_alloc(1, sizeof(*packer));

	packer->store = store;
	lock_init(&packer->lock, LOCK_PAGE_PACKER);
	return packer;
}

static void packed_site_free(struct packed_site *site)
{
	if (site == NULL)
		return;
	free(site->listed);
	free(site->exemplars);
	free(site);
}

void page_packer_destroy(struct page_packer *packer)
{
	if (packer == NULL)
		return;
	for (size_t i = 0; i < MAX_SITES; i++)
		packed_site_free(packer->sites[i]);
	for (size_t i = 0; i < packer->dictionary_count; i++)
		page_dictionary_release(packer->dictionaries[i].dictionary);
	for (size_t i = 0; i < packer->idle_count; i++)
		packer_destroy(packer->idle[i]);
	free(packer->idle);
	lock_destroy(&packer->lock);
	free(packer);
}

/* Evict the least recently used dictionary. */
static void packer_evict(struct page_packer *packer)
{
	struct kept_dictionary *oldest = &packer->dictionaries[0];

	for (size_t i = 1; i < packer->dictionary_count; i++)
		if (packer->dictionaries[i].used_at < oldest->used_at)
			oldest = &packer->dictionaries[i];
	packer->dictionary_bytes -= oldest->bytes;
	page_dictionary_release(oldest->dictionary);
	*oldest = packer->dictionaries[--packer->dictionary_count];
}

/* Add a dictionary, and evict others if there are too many. */
static void packer_keep(struct page_packer *packer,
			struct page_dictionary *dictionary)
{
	const size_t bytes = page_dictionary_bytes(dictionary);

	while (packer->dictionary_count > 0 &&
	       (packer->dictionary_count == MAX_DICTIONARIES ||
		packer->dictionary_bytes + bytes > MAX_DICTIONARY_BYTES))
		packer_evict(packer);
	packer->dictionaries[packer->dictionary_count++] =
		(struct kept_dictionary){dictionary, ++packer->uses, bytes,
					 dictionary->site};
	packer->dictionary_bytes += bytes;
}

static struct signature signature_sample(const struct packed_site *site,
					 const struct record *record)
{
	size_t count = record->signature_counts[site->slot];

	return (struct signature){record->signatures[site->slot],
				  count < MAX_SHINGLES ? count : MAX_SHINGLES};
}

/* Return the distance of the two samples in permille. */
static unsigned exemplar_distance(const struct exemplar *one,
				  struct signature signature)
{
	const struct signature own = {one->shingles, one->shingle_count};
	size_t most = own.count > signature.count ? own.count : signature.count;

	if (most == 0)
		return PERMILLE;
	return (unsigned)(PERMILLE -
			  PERMILLE * signature_common(own, signature) / most);
}

/*
 * Add an exemplar. Evict the least recently used one if the site has too many.
 */
static struct exemplar *exemplar_add(struct page_packer *packer,
				     struct packed_site *site,
				     struct signature signature)
{
	struct exemplar *added = &site->exemplars[0];

	if (site->exemplar_count < MAX_EXEMPLARS)
		added = &site->exemplars[site->exemplar_count++];
	else
		for (size_t i = 1; i < MAX_EXEMPLARS; i++)
			if (site->exemplars[i].used_at < added->used_at)
				added = &site->exemplars[i];
	*added = (struct exemplar){
		.number = ++packer->exemplars,
		.shingle_count = (uint32_t)signature.count,
	};
	if (signature.count > 0)
		memcpy(added->shingles, signature.shingles,
		       signature.count * sizeof(*signature.shingles));
	return added;
}

/* Return the newest stored dictionary of the cluster; 0 = none. */
static uint32_t listed_find(const struct packed_site *site, uint32_t cluster)
{
	uint32_t number = 0;

	for (size_t i = 0; i < site->listed_count && cluster != 0; i++)
		if (site->listed[i].cluster == cluster)
			number = site->listed[i].number;
	return number;
}

/* Update the list of dictionaries. Read only the values of new rows. */
static void packed_site_read_list(struct txn *txn, struct packed_site *site)
{
	struct scan scan = scan_site(txn, TABLE_DICTIONARIES, site->site);
	struct listed_dictionary *list = NULL;
	size_t capacity = 0;
	size_t count = 0;
	size_t known = 0;
	struct dictionary_row row;

	scan.is_keys_only = true;
	while (scan_next(&scan)) {
		uint32_t number = key_u32(scan.key, sizeof(uint32_t));

		list = mem_grow(list, count, &capacity, sizeof(*list));
		while (known < site->listed_count &&
		       site->listed[known].number < number)
			known++;
		if (known < site->listed_count &&
		    site->listed[known].number == number)
			list[count++] = site->listed[known];
		else if (scan_read(&scan) &&
			 dictionary_row_decode(scan.value, &row))
			list[count++] =
				(struct listed_dictionary){number, row.cluster};
	}
	scan_end(&scan);
	free(site->listed);
	site->listed = list;
	site->listed_count = count;
}

/* Make an exemplar from the first page of the cluster. */
static void exemplar_read(struct page_packer *packer, struct txn *txn,
			  struct packed_site *site, uint32_t cluster)
{
	struct scan scan =
		scan_cluster(txn, TABLE_MEMBERS, site->site, cluster);
	struct buffer bytes = {0};
	struct record record;
	struct exemplar *added;

	scan.is_keys_only = true;
	if (scan_next(&scan) &&
	    content_record(txn, site->site,
			   key_u64(scan.key, 2 * sizeof(uint32_t)), &bytes,
			   &record) == ERR_NONE) {
		added = exemplar_add(packer, site,
				     signature_sample(site, &record));
		added->cluster = cluster;
	}
	scan_end(&scan);
	buffer_free(&bytes);
}

/* Make exemplars of the clusters with the newest dictionaries. */
static void packed_site_read(struct page_packer *packer, struct txn *txn,
			     struct packed_site *site)
{
	for (size_t i = site->listed_count;
	     i-- > 0 && site->exemplar_count < MAX_EXEMPLARS;) {
		const struct listed_dictionary *one = &site->listed[i];

		if (listed_find(site, one->cluster) == one->number)
			exemplar_read(packer, txn, site, one->cluster);
	}
}

/* Return the place of the site, or the one to replace. */
static struct packed_site **packed_site_place(struct page_packer *packer,
					      uint32_t site)
{
	struct packed_site **place = &packer->sites[0];

	for (size_t i = 0; i < MAX_SITES; i++) {
		struct packed_site *one = packer->sites[i];

		if (one != NULL && one->site == site)
			return &packer->sites[i];
		if (*place != NULL &&
		    (one == NULL || one->used_at < (*place)->used_at))
			place = &packer->sites[i];
	}
	return place;
}

/* Return the updated state of the site; NULL if the site does not exist. */
static struct packed_site *packed_site_find(struct page_packer *packer,
					    struct txn *txn, struct slice host)
{
	struct site_row row;
	struct packed_site **place;
	struct packed_site *site;
	uint64_t last = store_last_number(txn, "dictionary");
	bool is_new;

	if (!site_get(txn, host, &row))
		return NULL;
	place = packed_site_place(packer, row.id);
	is_new = *place == NULL || (*place)->site != row.id ||
		 (*place)->slot !=
			 signature_slot(row.options.measure % MEASURE_COUNT);
	if (is_new) {
		packed_site_free(*place);
		*place = mem_alloc(1, sizeof(**place));
		(*place)->exemplars =
			mem_alloc(MAX_EXEMPLARS, sizeof(struct exemplar));
	}
	site = *place;
	site->site = row.id;
	site->slot = signature_slot(row.options.measure % MEASURE_COUNT);
	site->threshold = row.options.threshold;
	site->used_at = ++packer->uses;
	if (is_new || site->read_at != last)
		packed_site_read_list(txn, site);
	site->read_at = last;
	if (is_new)
		packed_site_read(packer, txn, site);
	return site;
}

/*
 * Return whether the dictionary was made of typical pages for the exemplar, and
 * is not older than the stored dictionary `number` of its cluster.
 */
static bool page_dictionary_precedes(const struct page_dictionary *dictionary,
				     const struct exemplar *one,
				     uint32_t number)
{
	uint32_t own = dictionary->number;

	return dictionary->is_typical && dictionary->exemplar == one->number &&
	       (own == 0 || own >= number);
}

/* Return the dictionary of the exemplar; NULL if it has none. */
static struct page_dictionary *exemplar_dictionary(struct page_packer *packer,
						   struct txn *txn,
						   struct packed_site *site,
						   const struct exemplar *one)
{
	uint32_t number = listed_find(site, one->cluster);
	struct kept_dictionary *found = NULL;
	struct page_dictionary *read = NULL;

	for (size_t i = 0; i < packer->dictionary_count; i++) {
		struct kept_dictionary *kept = &packer->dictionaries[i];

		if (kept->site != site->site)
			continue;
		if (page_dictionary_precedes(kept->dictionary, one, number)) {
			found = kept;
			break;
		}
		if (number == 0 ? kept->dictionary->exemplar == one->number
				: kept->dictionary->number == number)
			found = kept;
	}
	if (found != NULL) {
		found->used_at = ++packer->uses;
		return found->dictionary;
	}
	if (number != 0)
		read = page_dictionary_read(txn, site->site, number);
	if (read != NULL)
		packer_keep(packer, read);
	return read;
}

/* Return the nearest exemplar, with its distance; NULL if the site has none. */
static struct exemplar *exemplar_nearest(const struct packed_site *site,
					 struct signature signature,
					 unsigned *distance_out)
{
	struct exemplar *nearest = NULL;

	*distance_out = PERMILLE + 1;
	for (size_t i = 0; i < site->exemplar_count; i++) {
		struct exemplar *one = &site->exemplars[i];
		unsigned distance = exemplar_distance(one, signature);

		if (distance < *distance_out) {
			*distance_out = distance;
			nearest = one;
		}
	}
	return nearest;
}

/* Return the dictionary of the nearest exemplar that has one; NULL = none. */
static struct page_dictionary *
packed_site_nearest_dictionary(struct page_packer *packer, struct txn *txn,
			       struct packed_site *site,
			       struct signature signature)
{
	unsigned distances[MAX_EXEMPLARS];
	struct page_dictionary *found = NULL;

	for (size_t i = 0; i < site->exemplar_count; i++)
		distances[i] =
			exemplar_distance(&site->exemplars[i], signature);
	for (size_t tries = 0; tries < site->exemplar_count && found == NULL;
	     tries++) {
		size_t best = 0;

		for (size_t i = 1; i < site->exemplar_count; i++)
			if (distances[i] < distances[best])
				best = i;
		found = exemplar_dictionary(packer, txn, site,
					    &site->exemplars[best]);
		distances[best] = PERMILLE + 1;
	}
	return found;
}

/*
 * Make a new dictionary for the exemplar if it is time for one, else return
 * NULL. The first one is the page of the job. The second one has typical pages
 * of the cluster. `found` is the present dictionary or NULL.
 */
static struct page_dictionary *
exemplar_make_dictionary(struct txn *txn, const struct packed_site *site,
			 struct exemplar *one, const struct job *job,
			 const struct page_dictionary *found)
{
	const struct cluster_name name = {site->site, one->cluster};
	bool is_second = one->pages < PAGES_FOR_DICTIONARY &&
			 ++one->pages == PAGES_FOR_DICTIONARY;

	if (found == NULL)
		return is_second ? page_dictionary_of_job(job) : NULL;
	if (one->stored < PACKING_ENOUGH_PAGES || one->cluster == 0 ||
	    one->had_typical || found->exemplar == 0)
		return NULL;
	one->had_typical = true;
	return page_dictionary_of_cluster(txn, &name);
}

/* Return the dictionary for the page of the job; NULL = none. */
static struct page_dictionary *page_packer_choose(struct page_packer *packer,
						  struct txn *txn,
						  struct packed_site *site,
						  struct job *job)
{
	struct record record;
	struct signature signature;
	struct exemplar *nearest;
	struct page_dictionary *found = NULL;
	struct page_dictionary *made;
	unsigned distance;

	if (record_open(buffer_slice(&job->record), &record) != ERR_NONE)
		return NULL;
	signature = signature_sample(site, &record);
	if (record_class(&record) != CLASS_PAGE || signature.count == 0)
		return packed_site_nearest_dictionary(packer, txn, site,
						      signature);
	nearest = exemplar_nearest(site, signature, &distance);
	if (distance > site->threshold)
		nearest = exemplar_add(packer, site, signature);
	job->exemplar = nearest->number;
	nearest->used_at = ++packer->uses;
	found = exemplar_dictionary(packer, txn, site, nearest);
	made = exemplar_make_dictionary(txn, site, nearest, job, found);
	if (made != NULL) {
		made->site = site->site;
		made->exemplar = nearest->number;
		packer_keep(packer, made);
		found = made;
	}
	return found != NULL ? found
			     : packed_site_nearest_dictionary(packer, txn, site,
							      signature);
}

/* Return whether the job has a page that must be compressed. */
static bool job_must_pack(const struct job *job)
{
	return job->error == ERR_NONE && job->packed.size == 0 &&
	       (job->kind == CHANGE_PAGE || job->kind == CHANGE_INGEST);
}

/* Choose the dictionaries of all jobs. The caller holds the lock. */
static void page_packer_choose_all(struct page_packer *packer, struct job *jobs)
{
	struct txn txn = txn_begin_read(packer->store);

	for (struct job *job = jobs; job != NULL; job = job->next) {
		struct packed_site *site;
		struct page_dictionary *found = NULL;

		if (!job_must_pack(job))
			continue;
		site = packed_site_find(packer, &txn, slice_of(job->url.host));
		if (site != NULL)
			found = page_packer_choose(packer, &txn, site, job);
		if (found != NULL)
			job->dictionary = page_dictionary_use(found);
	}
	txn_abort(&txn);
}

static struct packer *page_packer_take(struct page_packer *packer)
{
	return packer->idle_count > 0
		       ? packer->idle[--packer->idle_count]
		       : packer_create((struct slice){NULL, 0}, LEVEL_FAST);
}

static void page_packer_give_back(struct page_packer *packer,
				  struct packer *idle)
{
	packer->idle =
		mem_grow(packer->idle, packer->idle_count,
			 &packer->idle_capacity, sizeof(struct packer *));
	packer->idle[packer->idle_count++] = idle;
}

static void job_pack(struct packer *packer, struct job *job)
{
	const struct page_dictionary *dictionary = job->dictionary;
	/* any number will do, because the commit writes the right one */
	const uint32_t number = dictionary == NULL ? 0 : UINT32_MAX;
	const struct slice record = buffer_slice(&job->record);

	packer_share(packer,
		     dictionary == NULL ? NULL : dictionary->for_bodies);
	content_pack(packer, number, buffer_slice(&job->result.body),
		     &job->packed);
	buffer_clear(&job->packed_record);
	if (record.size > CONTENT_MAX_RECORD_BYTES)
		return;
	packer_share(packer,
		     dictionary == NULL ? NULL : dictionary->for_records);
	content_pack_record(packer, number, record, &job->packed_record);
}

void page_packer_run(struct page_packer *packer, struct job *jobs)
{
	struct packer *own;

	lock_acquire(&packer->lock);
	page_packer_choose_all(packer, jobs);
	own = page_packer_take(packer);
	lock_release(&packer->lock);
	for (struct job *job = jobs; job != NULL; job = job->next)
		if (job_must_pack(job))
			job_pack(own, job);
	packer_share(own, NULL);
	lock_acquire(&packer->lock);
	page_packer_give_back(packer, own);
	lock_release(&packer->lock);
}

void page_packer_learn(struct page_packer *packer, const struct job *job,
		       uint32_t site, uint32_t cluster)
{
	struct packed_site *known;

	if (job->exemplar == 0 || cluster == 0)
		return;
	lock_acquire(&packer->lock);
	known = *packed_site_place(packer, site);
	for (size_t i = 0;
	     known != NULL && known->site == site && i < known->exemplar_count;
	     i++) {
		struct exemplar *one = &known->exemplars[i];

		if (one->number != job->exemplar)
			continue;
		one->cluster = cluster;
		if (one->stored < PACKING_ENOUGH_PAGES)
			one->stored++;
	}
	lock_release(&packer->lock);
}
