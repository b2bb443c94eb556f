#include "store/encryption.h"

#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows.h"
#include "store/secrets.h"
#include "store/store.h"

static const struct secret_id no_id = {{0}};

static void secret_text_make(struct secrets *secrets, redaction *redact,
			     struct slice text, struct buffer *out)
{
	struct secret_id id = no_id;
	struct slice shown;

	if (text.size == 0)
		return;
	buffer_append(out, &id, sizeof(id));
	redact(text, out);
	shown = secret_text_redacted(buffer_slice(out));
	if (slice_equal(shown, text))
		return;
	id = secrets_add(secrets, text);
	memcpy(out->data, &id, sizeof(id));
}

void txn_store_secret_text(struct txn *txn, redaction *redact,
			   struct slice text, struct buffer *out)
{
	if (txn->error == ERR_NONE)
		secret_text_make(txn->store->secrets, redact, text, out);
}

bool txn_may_store_secret_text(const struct txn *txn, redaction *redact,
			       struct slice text)
{
	struct buffer shown = {0};
	bool is_secret;

	if (text.size == 0 || txn->store->options.cipher != NULL ||
	    !store_is_partitioned(txn->store))
		return true;
	redact(text, &shown);
	is_secret = !slice_equal(buffer_slice(&shown), text);
	buffer_free(&shown);
	return !is_secret;
}

struct slice secret_text_redacted(struct slice sealed)
{
	if (sealed.size < SECRET_ID_BYTES)
		return (struct slice){NULL, 0};
	return (struct slice){(const char *)sealed.data + SECRET_ID_BYTES,
			      sealed.size - SECRET_ID_BYTES};
}

/*
 * Read the id of the secret of a sealed text. Return false if the text has no
 * hidden part.
 */
static bool sealed_read_id(struct slice sealed, struct secret_id *id_out)
{
	*id_out = no_id;
	if (sealed.size >= sizeof(*id_out))
		memcpy(id_out, sealed.data, sizeof(*id_out));
	return memcmp(id_out, &no_id, sizeof(no_id)) != 0;
}

bool secret_text_is_hidden(struct slice sealed)
{
	struct secret_id id;

	return sealed_read_id(sealed, &id);
}

bool secret_text_has_id(struct slice sealed, const struct secret_id *id)
{
	struct secret_id own;

	return sealed_read_id(sealed, &own) &&
	       memcmp(&own, id, sizeof(own)) == 0;
}

void txn_drop_secret_text(struct txn *txn, struct slice sealed)
{
	struct secret_id id;

	if (txn->error == ERR_NONE && sealed_read_id(sealed, &id))
		secrets_drop(txn->store->secrets, &id);
}

bool secret_text_read(const struct store *store, struct slice sealed,
		      struct buffer *out)
{
	struct secret_id id;

	if (sealed_read_id(sealed, &id))
		return store->secrets != NULL &&
		       secrets_get(store->secrets, &id, out);
	if (out != NULL)
		buffer_append_slice(out, secret_text_redacted(sealed));
	return true;
}

/*
 * Mark the secret that a row refers to as used. Return false if the secret is
 * missing.
 */
static bool sealed_mark_used(struct store *store, struct slice sealed)
{
	struct secret_id id;

	if (sealed_read_id(sealed, &id))
		secrets_mark_used(store->secrets, &id);
	return secret_text_read(store, sealed, NULL);
}

static void sealed_mark_sites(struct txn *txn)
{
	struct scan scan = scan_begin(txn, TABLE_SITES, slice_of(""));
	struct site_row row;

	while (scan_next(&scan)) {
		bool has_headers;
		bool has_proxy;

		if (!site_decode(scan.value, &row)) {
			txn_fail(txn, ERR_CORRUPT);
			break;
		}
		has_headers = sealed_mark_used(txn->store, row.options.headers);
		has_proxy = sealed_mark_used(txn->store, row.options.proxy);
		if (!has_headers || !has_proxy)
			log_warn_about(
				(struct log_subject){.site = row.host},
				"its %s missing in %s/" SECRETS_FILE
				"; it is not crawled until you set them again: "
				"templatectl watch URL",
				has_proxy ? "headers are" : "proxy is",
				txn->store->path);
	}
	scan_end(&scan);
}

static void sealed_mark_hooks(struct txn *txn)
{
	struct scan scan = scan_begin(txn, TABLE_HOOKS, slice_of(""));
	struct hook_row row;

	while (scan_next(&scan)) {
		bool has_target;
		bool has_secret;

		if (!hook_row_decode(scan.value, &row)) {
			txn_fail(txn, ERR_CORRUPT);
			break;
		}
		has_target = sealed_mark_used(txn->store, row.target);
		has_secret = sealed_mark_used(txn->store, row.secret);
		if (!has_target || !has_secret)
			log_warn("hook %" PRIu32
				 ": its %s is missing in %s/" SECRETS_FILE
				 "; it receives no events: delete "
				 "it and add it again",
				 key_u32(scan.key, 0),
				 has_target ? "secret" : "target",
				 txn->store->path);
	}
	scan_end(&scan);
}

static void sealed_mark_cookies(struct txn *txn)
{
	struct scan scan = scan_begin(txn, TABLE_COOKIES, slice_of(""));
	struct cookies_row row;

	while (scan_next(&scan)) {
		if (!cookies_row_decode(scan.value, &row)) {
			txn_fail(txn, ERR_CORRUPT);
			break;
		}
		/* the site sets new cookies if these are missing */
		(void)sealed_mark_used(txn->store, row.lines);
	}
	scan_end(&scan);
}

void secret_texts_sweep(struct store *store)
{
	struct txn txn = txn_begin_read(store);
	size_t gone = 0;

	sealed_mark_sites(&txn);
	sealed_mark_hooks(&txn);
	sealed_mark_cookies(&txn);
	if (txn.error == ERR_NONE)
		gone = secrets_drop_unused(store->secrets);
	if (gone > 0)
		log_info("store %s: deleted %zu unused secrets", store->path,
			 gone);
	txn_abort(&txn);
}
