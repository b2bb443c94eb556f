#include "store/secrets.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "store/store.h"

/*
 * The format of the file: MAGIC; for each text, in the order of the ids, its
 * id, its size as u32 and its bytes; and the XXH3 of all bytes before. Numbers
 * are host-endian, as in the rest of the store.
 */
#define MAGIC "templated secrets 1\n"

enum { MAX_FILE_BYTES = 1 << 30 };

enum secret_state {
	SECRET_KEPT,
	/* added in this transaction; removed if the transaction fails */
	SECRET_ADDED,
	/* dropped in this transaction; removed if the transaction succeeds */
	SECRET_DROPPED,
	SECRET_NONE,
};

struct secret {
	struct secret_id id;
	enum secret_state state;
	bool is_marked; /* secrets_mark_used() was called */
	char *text;     /* owned by this struct */
	size_t size;
};

struct secrets {
	char *path;
	pthread_mutex_t lock;
	struct secret *items; /* [count], ascending by id */
	size_t count;
	size_t capacity;
	size_t added; /* number of secrets that are SECRET_ADDED */
	size_t dropped;
	/* the file still contains secrets that were removed from memory */
	bool is_stale;
	bool is_temporary;
};

static int secret_id_compare(const struct secret_id *a,
			     const struct secret_id *b)
{
	return memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

/*
 * Return the index of the secret with this id, or the index where it would be
 * inserted.
 */
static size_t secrets_index_of(const struct secrets *secrets,
			       const struct secret_id *id)
{
	size_t at = 0;

	LOWER_BOUND(at, secrets->count,
		    secret_id_compare(&secrets->items[at].id, id) < 0);
	return at;
}

static struct secret *secrets_find(const struct secrets *secrets,
				   const struct secret_id *id)
{
	size_t at = secrets_index_of(secrets, id);

	return at < secrets->count && secret_id_compare(&secrets->items[at].id,
							id) == 0
		       ? &secrets->items[at]
		       : NULL;
}

static void secrets_insert(struct secrets *secrets, const struct secret_id *id,
			   struct slice text, enum secret_state state)
{
	size_t at = secrets_index_of(secrets, id);

	secrets->items = mem_grow(secrets->items, secrets->count,
				  &secrets->capacity, sizeof(*secrets->items));
	memmove(&secrets->items[at + 1], &secrets->items[at],
		(secrets->count - at) * sizeof(*secrets->items));
	secrets->items[at] = (struct secret){
		.id = *id,
		.state = state,
		.text = mem_copy_text(text.data, text.size),
		.size = text.size,
	};
	secrets->count++;
}

static void secret_free(struct secret *secret)
{
	explicit_bzero(secret->text, secret->size);
	free(secret->text);
}

static bool secrets_decode(struct secrets *secrets, struct slice rest)
{
	char magic[sizeof(MAGIC) - 1];
	uint64_t checksum;
	struct secret_id id;
	uint32_t size;

	if (rest.size < sizeof(magic) + sizeof(checksum))
		return false;
	rest.size -= sizeof(checksum);
	memcpy(&checksum, (const char *)rest.data + rest.size,
	       sizeof(checksum));
	if (checksum != hash64(rest.data, rest.size, 0) ||
	    !slice_read(&rest, magic, sizeof(magic)) ||
	    memcmp(magic, MAGIC, sizeof(magic)) != 0)
		return false;
	while (slice_read(&rest, &id, sizeof(id)) &&
	       slice_read(&rest, &size, sizeof(size)) && rest.size >= size) {
		if (secrets_find(secrets, &id) == NULL)
			secrets_insert(secrets, &id,
				       (struct slice){rest.data, size},
				       SECRET_KEPT);
		slice_advance(&rest, size);
	}
	return rest.size == 0;
}

/*
 * Encode all secrets. Dropped secrets are included, because rows refer to them
 * until the commit.
 */
static struct buffer secrets_encode(const struct secrets *secrets)
{
	size_t room = sizeof(MAGIC) + sizeof(uint64_t);
	struct buffer out = {0};
	uint64_t checksum;

	for (size_t i = 0; i < secrets->count; i++)
		room += SECRET_ID_BYTES + sizeof(uint32_t) +
			secrets->items[i].size;
	/*
	 * allocate all memory now, because growing would leave copies of the
	 * bytes
	 */
	buffer_reserve(&out, room);
	buffer_append_text(&out, MAGIC);
	for (size_t i = 0; i < secrets->count; i++) {
		const struct secret *secret = &secrets->items[i];
		uint32_t size = (uint32_t)secret->size;

		buffer_append(&out, &secret->id, sizeof(secret->id));
		buffer_append(&out, &size, sizeof(size));
		buffer_append(&out, secret->text, secret->size);
	}
	checksum = hash64(out.data, out.size, 0);
	buffer_append(&out, &checksum, sizeof(checksum));
	return out;
}

static enum error secrets_write_file(struct secrets *secrets)
{
	struct buffer bytes = secrets_encode(secrets);
	enum error error =
		folder_write(secrets->path, SECRETS_FILE, buffer_slice(&bytes),
			     !secrets->is_temporary);

	buffer_wipe(&bytes);
	secrets->is_stale = error != ERR_NONE;
	return error;
}

/*
 * Make sure that only the owner can access the file, because a copied file may
 * have another mode.
 */
static void close_file(const char *name)
{
	struct stat status;

	if (stat(name, &status) != 0 || (status.st_mode & 077) == 0)
		return;
	log_warn("%s: other users could read it; set its mode to 0600", name);
	if (chmod(name, 0600) != 0)
		log_error("%s: cannot restrict its mode to its owner: %s", name,
			  strerrordesc_np(errno));
}

static enum error secrets_read_file(struct secrets *secrets, const char *path)
{
	char name[MAX_PATH_BYTES];
	struct buffer bytes = {0};
	enum error error = ERR_IO;

	if (folder_name(name, path, SECRETS_FILE)) {
		close_file(name);
		error = file_read(name, MAX_FILE_BYTES, &bytes);
	}
	if (error == ERR_NONE && !secrets_decode(secrets, buffer_slice(&bytes)))
		error = ERR_CORRUPT;
	buffer_wipe(&bytes);
	if (error == ERR_NOT_FOUND)
		return ERR_NONE;
	if (error != ERR_NONE)
		log_error("%s: %s; restore a copy of it, or move only this "
			  "file away and set the headers, proxies and hooks "
			  "again",
			  name, file_error_text(error));
	return error == ERR_NONE || error == ERR_IO ? error : ERR_CORRUPT;
}

enum error secrets_open(struct secrets **secrets_out, const char *path,
			bool is_temporary)
{
	struct secrets *secrets = mem_alloc(1, sizeof(*secrets));
	enum error error;

	secrets->path = mem_copy_text(path, strlen(path));
	secrets->is_temporary = is_temporary;
	pthread_mutex_init(&secrets->lock, NULL);
	error = secrets_read_file(secrets, path);
	if (error != ERR_NONE) {
		secrets_close(secrets);
		return error;
	}
	*secrets_out = secrets;
	return ERR_NONE;
}

void secrets_close(struct secrets *secrets)
{
	if (secrets == NULL)
		return;
	for (size_t i = 0; i < secrets->count; i++)
		secret_free(&secrets->items[i]);
	pthread_mutex_destroy(&secrets->lock);
	free(secrets->items);
	free(secrets->path);
	free(secrets);
}

bool secrets_get(struct secrets *secrets, const struct secret_id *id,
		 struct buffer *out)
{
	const struct secret *secret;

	pthread_mutex_lock(&secrets->lock);
	secret = secrets_find(secrets, id);
	if (secret != NULL && out != NULL)
		buffer_append(out, secret->text, secret->size);
	pthread_mutex_unlock(&secrets->lock);
	return secret != NULL;
}

void secrets_put(struct secrets *secrets, const struct secret_id *id,
		 struct slice text)
{
	pthread_mutex_lock(&secrets->lock);
	secrets_insert(secrets, id, text, SECRET_ADDED);
	secrets->added++;
	pthread_mutex_unlock(&secrets->lock);
}

struct secret_id secrets_add(struct secrets *secrets, struct slice text)
{
	struct secret_id id;

	if (getrandom(&id, sizeof(id), 0) != (ssize_t)sizeof(id)) {
		log_error("secrets: the kernel returns no random numbers");
		abort();
	}
	secrets_put(secrets, &id, text);
	return id;
}

void secrets_drop(struct secrets *secrets, const struct secret_id *id)
{
	struct secret *secret;

	pthread_mutex_lock(&secrets->lock);
	secret = secrets_find(secrets, id);
	/*
	 * a secret that was added in this transaction is kept; the sweep at the
	 * next start removes it
	 */
	if (secret != NULL && secret->state == SECRET_KEPT) {
		secret->state = SECRET_DROPPED;
		secrets->dropped++;
	}
	pthread_mutex_unlock(&secrets->lock);
}

enum error secrets_save(struct secrets *secrets)
{
	enum error error = ERR_NONE;

	/*
	 * only the writer changes the secrets, so no lock is needed during the
	 * disk I/O
	 */
	if (secrets->added > 0)
		error = secrets_write_file(secrets);
	return error;
}

/*
 * Remove the secrets that were dropped (after a commit) or added (without a
 * commit). Keep the others.
 */
static void secrets_remove_ended(struct secrets *secrets, enum secrets_end end)
{
	static const enum secret_state states[] = {
		[SECRETS_COMMITTED] = SECRET_DROPPED,
		[SECRETS_UNDONE] = SECRET_ADDED,
		[SECRETS_IN_DOUBT] = SECRET_NONE,
	};
	enum secret_state gone = states[end];
	size_t kept = 0;

	for (size_t i = 0; i < secrets->count; i++) {
		struct secret *secret = &secrets->items[i];

		if (secret->state == gone) {
			secret_free(secret);
			secrets->is_stale = true;
			continue;
		}
		secret->state = SECRET_KEPT;
		secrets->items[kept++] = *secret;
	}
	secrets->count = kept;
	secrets->added = 0;
	secrets->dropped = 0;
}

void secrets_complete(struct secrets *secrets, enum secrets_end end)
{
	if (secrets->added == 0 && secrets->dropped == 0 && !secrets->is_stale)
		return;
	pthread_mutex_lock(&secrets->lock);
	secrets_remove_ended(secrets, end);
	pthread_mutex_unlock(&secrets->lock);
	if (secrets->is_stale && secrets_write_file(secrets) != ERR_NONE)
		log_warn_limited(
			"%s/" SECRETS_FILE
			": cannot be written; it still contains deleted "
			"secrets; retrying with the next change",
			secrets->path);
}

void secrets_mark_used(struct secrets *secrets, const struct secret_id *id)
{
	struct secret *secret = secrets_find(secrets, id);

	if (secret != NULL)
		secret->is_marked = true;
}

size_t secrets_drop_unused(struct secrets *secrets)
{
	size_t before = secrets->count;

	for (size_t i = 0; i < secrets->count; i++)
		if (!secrets->items[i].is_marked)
			secrets_drop(secrets, &secrets->items[i].id);
	secrets_complete(secrets, SECRETS_COMMITTED);
	return before - secrets->count;
}

/* Add `aside` as a second name of the existing file. */
static enum error secrets_rename_aside(const char *path, const char *aside)
{
	char name[MAX_PATH_BYTES];
	char other[MAX_PATH_BYTES];

	if (aside == NULL)
		return ERR_NONE;
	if (!folder_name(name, path, SECRETS_FILE) ||
	    !folder_name(other, path, aside))
		return ERR_IO;
	return access(name, F_OK) != 0 || link(name, other) == 0 ? ERR_NONE
								 : ERR_IO;
}

enum error secrets_restore(const char *from, const char *path,
			   const char *aside)
{
	struct secrets *secrets = NULL;
	enum error error = secrets_rename_aside(path, aside);

	if (error == ERR_NONE)
		error = secrets_open(&secrets, path, false);
	if (error == ERR_NONE) {
		size_t before = secrets->count;

		error = secrets_read_file(secrets, from);
		if (error == ERR_NONE && secrets->count > before)
			error = secrets_write_file(secrets);
	}
	secrets_close(secrets);
	return error;
}
