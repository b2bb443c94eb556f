#include "daemon/nodes/encryption_keys.h"

#include <errno.h>
#include <nettle/base16.h>
#include <nettle/hkdf.h>
#include <nettle/hmac.h>
#include <nettle/siv-cmac.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"

enum {
	KEY_BYTES = 32,
	ID_BYTES = 8,
	NONCE_BYTES = 16,
	SIV_KEY_BYTES = 64, /* size of both halves of the key, AES-256 each */
	MAX_FILE_BYTES = 8192,
	FORBIDDEN_MODE = 037, /* all permissions of others, and of the group
				 all except reading */
};

struct encryption_key {
	struct siv_cmac_aes256_ctx siv;
	uint8_t naming[KEY_BYTES]; /* key of encryption_keys_name() */
	uint8_t id[ID_BYTES];
	char name[ENCRYPTION_KEY_ID_BYTES];
};

struct encryption_keys {
	struct cipher cipher;
	size_t count; /* >= 1 */
	struct encryption_key keys[ENCRYPTION_KEYS_MAX];
};

/*
 * Derive `size` bytes from the secret for the purpose `name`. The bytes for one
 * purpose reveal nothing about those for another.
 */
static void encryption_key_derive(const uint8_t secret[KEY_BYTES],
				  const char *name, size_t size, uint8_t *out)
{
	struct hmac_sha256_ctx context;

	/* the key is random, so the extract step is not needed */
	hmac_sha256_set_key(&context, KEY_BYTES, secret);
	hkdf_expand(&context, (nettle_hash_update_func *)hmac_sha256_update,
		    (nettle_hash_digest_func *)hmac_sha256_digest,
		    SHA256_DIGEST_SIZE, strlen(name), (const uint8_t *)name,
		    size, out);
	explicit_bzero(&context, sizeof(context));
}

static void encryption_key_init(struct encryption_key *key,
				const uint8_t secret[KEY_BYTES])
{
	uint8_t siv_key[SIV_KEY_BYTES];

	encryption_key_derive(secret, "templated cluster secrets, AES-SIV",
			      sizeof(siv_key), siv_key);
	siv_cmac_aes256_set_key(&key->siv, siv_key);
	explicit_bzero(siv_key, sizeof(siv_key));
	encryption_key_derive(secret,
			      "templated cluster secrets, id of the key",
			      sizeof(key->id), key->id);
	encryption_key_derive(secret, "templated cluster secrets, names",
			      sizeof(key->naming), key->naming);
	base16_encode_update(key->name, sizeof(key->id), key->id);
	key->name[ENCRYPTION_KEY_ID_BYTES - 1] = '\0';
}

static void encryption_keys_encrypt(const void *context, struct slice about,
				    struct slice text, struct buffer *out)
{
	const struct encryption_keys *keys = context;
	const struct encryption_key *key = &keys->keys[0];
	size_t size = text.size + SIV_DIGEST_SIZE;
	uint8_t nonce[NONCE_BYTES];

	if (getrandom(nonce, sizeof(nonce), 0) != (ssize_t)sizeof(nonce)) {
		log_error("cannot encrypt secrets: getrandom() failed");
		abort();
	}
	buffer_append(out, key->id, sizeof(key->id));
	buffer_append(out, nonce, sizeof(nonce));
	siv_cmac_aes256_encrypt_message(
		&key->siv, sizeof(nonce), nonce, about.size, about.data, size,
		(uint8_t *)buffer_reserve(out, size), text.data);
	out->size += size;
}

static enum error open_sealed(const void *context, struct slice about,
			      struct slice sealed, struct buffer *out)
{
	const struct encryption_keys *keys = context;
	const uint8_t *bytes = sealed.data;
	const struct encryption_key *key = NULL;
	char *text;
	size_t size;

	if (sealed.size < ID_BYTES + NONCE_BYTES + SIV_DIGEST_SIZE)
		return ERR_CORRUPT;
	for (size_t i = 0; key == NULL && i < keys->count; i++)
		if (memcmp(keys->keys[i].id, bytes, ID_BYTES) == 0)
			key = &keys->keys[i];
	if (key == NULL)
		return ERR_NO_ENCRYPTION_KEY;
	size = sealed.size - ID_BYTES - NONCE_BYTES - SIV_DIGEST_SIZE;
	text = buffer_reserve(out, size);
	if (siv_cmac_aes256_decrypt_message(
		    &key->siv, NONCE_BYTES, bytes + ID_BYTES, about.size,
		    about.data, size, (uint8_t *)text,
		    bytes + ID_BYTES + NONCE_BYTES) != 1) {
		explicit_bzero(text, size);
		return ERR_CORRUPT;
	}
	out->size += size;
	return ERR_NONE;
}

/* Return false if the line is not 64 hexadecimal digits. */
static bool encryption_keys_parse_line(struct encryption_keys *keys,
				       const char *line, size_t length)
{
	struct base16_decode_ctx hex;
	uint8_t secret[BASE16_DECODE_LENGTH(2 * KEY_BYTES)];
	size_t size = sizeof(secret);
	bool is_key;

	base16_decode_init(&hex);
	is_key = length == (size_t)2 * KEY_BYTES &&
		 keys->count < ENCRYPTION_KEYS_MAX &&
		 base16_decode_update(&hex, &size, secret, length, line) == 1 &&
		 base16_decode_final(&hex) == 1 && size == KEY_BYTES;
	if (is_key)
		encryption_key_init(&keys->keys[keys->count++], secret);
	explicit_bzero(secret, sizeof(secret));
	return is_key;
}

static enum error encryption_keys_read_file(struct encryption_keys *keys,
					    const char *path)
{
	struct buffer text = {0};
	struct stat status;
	enum error error;
	const char *line;

	if (stat(path, &status) != 0)
		return errno == ENOENT || errno == ENOTDIR ? ERR_NOT_FOUND
							   : file_fail();
	if ((status.st_mode & FORBIDDEN_MODE) != 0)
		return ERR_ADDRESS_FORBIDDEN;
	error = file_read(path, MAX_FILE_BYTES, &text);
	buffer_append_byte(&text, '\0');
	line = text.data;
	while (error == ERR_NONE && *line != '\0') {
		size_t length = strcspn(line, "\r\n");

		if (length > 0 && *line != '#' &&
		    !encryption_keys_parse_line(keys, line, length))
			error = ERR_MALFORMED;
		line += length;
		line += strspn(line, "\r\n");
	}
	if (error == ERR_NONE && keys->count == 0)
		error = ERR_MALFORMED;
	explicit_bzero(text.data, text.capacity);
	buffer_free(&text);
	return error;
}

enum error encryption_keys_read(struct encryption_keys **keys_out,
				const char *path)
{
	struct encryption_keys *keys;
	enum error error;

	*keys_out = NULL;
	if (*path == '\0')
		return ERR_NONE;
	keys = mem_alloc(1, sizeof(*keys));
	keys->cipher =
		(struct cipher){encryption_keys_encrypt, open_sealed, keys};
	error = encryption_keys_read_file(keys, path);
	if (error == ERR_NONE) {
		*keys_out = keys;
		return ERR_NONE;
	}
	encryption_keys_destroy(keys);
	if (error == ERR_ADDRESS_FORBIDDEN)
		log_error("nodes.encryption_key_file %s: other users can read "
			  "or write it; run chmod 600, and replace the key if "
			  "somebody may have read it",
			  path);
	else if (error == ERR_MALFORMED)
		log_error("nodes.encryption_key_file %s: must have 1 to %d "
			  "lines of 64 hexadecimal digits; create a line with "
			  "openssl rand -hex 32",
			  path, ENCRYPTION_KEYS_MAX);
	else
		log_error("nodes.encryption_key_file %s: cannot read it: %s",
			  path, file_error_text(error));
	return error;
}

void encryption_keys_destroy(struct encryption_keys *keys)
{
	if (keys == NULL)
		return;
	explicit_bzero(keys, sizeof(*keys));
	free(keys);
}

const struct cipher *encryption_keys_cipher(const struct encryption_keys *keys)
{
	return keys == NULL ? NULL : &keys->cipher;
}

size_t encryption_keys_count(const struct encryption_keys *keys)
{
	return keys == NULL ? 0 : keys->count;
}

const char *encryption_keys_id(const struct encryption_keys *keys)
{
	return keys == NULL ? "" : keys->keys[0].name;
}

bool encryption_keys_has(const struct encryption_keys *keys, const char *id)
{
	for (size_t i = 0; i < encryption_keys_count(keys); i++)
		if (strcmp(keys->keys[i].name, id) == 0)
			return true;
	return false;
}

void encryption_keys_name(const struct encryption_keys *keys, struct slice text,
			  char name_out[ENCRYPTION_NAME_BYTES])
{
	struct hmac_sha256_ctx context;
	uint8_t digest[ENCRYPTION_NAME_BYTES / 2];

	hmac_sha256_set_key(&context, KEY_BYTES, keys->keys[0].naming);
	hmac_sha256_update(&context, text.size, text.data);
	hmac_sha256_digest(&context, sizeof(digest), digest);
	base16_encode_update(name_out, sizeof(digest), digest);
	name_out[ENCRYPTION_NAME_BYTES - 1] = '\0';
	explicit_bzero(&context, sizeof(context));
}
