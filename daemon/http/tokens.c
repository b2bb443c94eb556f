#include "daemon/http/tokens.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <nettle/base16.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "daemon/runtime/lock.h"
#include "store/store.h"

enum { SECRET_BYTES = CREDENTIAL_DIGITS / 2 };

_Static_assert(CREDENTIAL_DIGEST_BYTES == SHA256_DIGEST_SIZE, "SHA-256");

/*
 * Write a new credential. If the system has no random numbers, write "" and
 * return false.
 */
static bool credential_make(char text_out[CREDENTIAL_DIGITS + 1])
{
	uint8_t secret[SECRET_BYTES];
	bool is_random =
		getrandom(secret, sizeof(secret), 0) == (ssize_t)sizeof(secret);

	base16_encode_update(text_out, is_random ? sizeof(secret) : 0, secret);
	text_out[is_random ? CREDENTIAL_DIGITS : 0] = '\0';
	explicit_bzero(secret, sizeof(secret));
	return is_random;
}

/* Compute the digest of `text`, which may be any text. */
static void credential_digest(const char *text,
			      uint8_t digest_out[CREDENTIAL_DIGEST_BYTES])
{
	struct sha256_ctx context;

	sha256_init(&context);
	sha256_update(&context, strlen(text), (const uint8_t *)text);
	sha256_digest(&context, CREDENTIAL_DIGEST_BYTES, digest_out);
}

/* Return whether the text is empty or a port. */
static bool is_port(const char *text)
{
	return *text == '\0' ||
	       (*text == ':' &&
		text[1 + strspn(text + 1, "0123456789")] == '\0');
}

static bool origin_is_address(int family, const char *text, size_t length)
{
	unsigned char bytes[sizeof(struct in6_addr)];
	char copy[INET6_ADDRSTRLEN];

	if (length >= sizeof(copy))
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	return inet_pton(family, copy, bytes) == 1;
}

static bool origin_host_is_listed(const char *name, size_t length,
				  const char *names)
{
	while (*names != '\0') {
		size_t size;

		names += strspn(names, ", ");
		size = strcspn(names, ", ");
		if (size > 0 && size == length &&
		    strncasecmp(names, name, length) == 0)
			return true;
		names += size;
	}
	return false;
}

bool origin_is_host_ours(const char *host, const char *names)
{
	size_t length;

	if (host == NULL)
		return false;
	if (*host == '[') {
		length = strcspn(host, "]");
		return host[length] == ']' && is_port(host + length + 1) &&
		       origin_is_address(AF_INET6, host + 1, length - 1);
	}
	length = strcspn(host, ":");
	return is_port(host + length) &&
	       (origin_host_is_listed(host, length, "localhost") ||
		origin_host_is_listed(host, length, names) ||
		origin_is_address(AF_INET, host, length));
}

bool origin_is_own(const char *origin, const char *host, bool is_encrypted)
{
	size_t scheme = strlen("http");

	if (strncasecmp(origin, "https://", strlen("https://")) == 0)
		scheme = strlen("https");
	else if (is_encrypted ||
		 strncasecmp(origin, "http://", strlen("http://")) != 0)
		return false;
	return strcasecmp(origin + scheme + strlen("://"), host) == 0;
}

bool origin_may_use_cookie(const char *fetch_site)
{
	return fetch_site == NULL || strcmp(fetch_site, "same-origin") == 0 ||
	       strcmp(fetch_site, "none") == 0;
}

struct session {
	uint8_t digest[CREDENTIAL_DIGEST_BYTES];
	uint64_t token;
	uint64_t ticket;
	uint64_t begun_ms;
	uint64_t used_ms;
};

struct sessions {
	struct lock lock;                  /* guards the fields below */
	struct session rows[MAX_SESSIONS]; /* [count], unsorted */
	size_t count;
};

struct sessions *sessions_create(void)
{
	struct sessions *sessions = mem_alloc(1, sizeof(*sessions));

	lock_init(&sessions->lock, LOCK_SESSIONS);
	return sessions;
}

void sessions_destroy(struct sessions *sessions)
{
	if (sessions == NULL)
		return;
	lock_destroy(&sessions->lock);
	free(sessions);
}

/* Remove the session `row`; return its ticket. */
static uint64_t sessions_drop(struct sessions *sessions, struct session *row)
{
	uint64_t ticket = row->ticket;

	*row = sessions->rows[--sessions->count];
	return ticket;
}

static bool session_is_over(const struct session *row, uint64_t now_ms)
{
	return now_ms >= row->used_ms + SESSION_IDLE_MS ||
	       now_ms >= row->begun_ms + SESSION_AGE_MS;
}

uint64_t sessions_expire(struct sessions *sessions, uint64_t now_ms)
{
	uint64_t ticket = 0;

	lock_acquire(&sessions->lock);
	for (size_t i = 0; i < sessions->count && ticket == 0; i++)
		if (session_is_over(&sessions->rows[i], now_ms))
			ticket = sessions_drop(sessions, &sessions->rows[i]);
	lock_release(&sessions->lock);
	return ticket;
}

/*
 * Return the least recently used session of a token, or of all tokens if
 * `token` is 0; NULL if there are no sessions. *count_out is the number of
 * these sessions.
 */
static struct session *sessions_oldest(struct sessions *sessions,
				       uint64_t token, size_t *count_out)
{
	struct session *oldest = NULL;

	*count_out = 0;
	for (size_t i = 0; i < sessions->count; i++) {
		struct session *row = &sessions->rows[i];

		if (token != 0 && row->token != token)
			continue;
		++*count_out;
		if (oldest == NULL || row->used_ms < oldest->used_ms)
			oldest = row;
	}
	return oldest;
}

/*
 * Remove a session if the token or the table has too many. Return the ticket of
 * the removed session, or 0.
 */
static uint64_t sessions_make_room(struct sessions *sessions, uint64_t token)
{
	size_t count;
	struct session *row = sessions_oldest(sessions, token, &count);

	if (count < MAX_TOKEN_SESSIONS && sessions->count < MAX_SESSIONS)
		return 0;
	if (count < MAX_TOKEN_SESSIONS)
		row = sessions_oldest(sessions, 0, &count);
	return sessions_drop(sessions, row);
}

bool sessions_begin(struct sessions *sessions, uint64_t token, uint64_t now_ms,
		    char session_out[SESSION_BYTES], uint64_t *ended_out)
{
	struct session row = {
		.token = token, .begun_ms = now_ms, .used_ms = now_ms};

	*ended_out = 0;
	if (!credential_make(session_out))
		return false;
	credential_digest(session_out, row.digest);
	row.ticket = sessions_ticket(session_out);
	lock_acquire(&sessions->lock);
	*ended_out = sessions_make_room(sessions, token);
	sessions->rows[sessions->count++] = row;
	lock_release(&sessions->lock);
	return true;
}

/* Return NULL if the session is unknown. Call it with the lock held. */
static struct session *sessions_find(struct sessions *sessions,
				     const char *session)
{
	uint8_t digest[CREDENTIAL_DIGEST_BYTES];

	credential_digest(session, digest);
	for (size_t i = 0; i < sessions->count; i++)
		if (memeql_sec(digest, sessions->rows[i].digest,
			       sizeof(digest)) != 0)
			return &sessions->rows[i];
	return NULL;
}

uint64_t sessions_use(struct sessions *sessions, const char *session,
		      uint64_t now_ms)
{
	struct session *row;
	uint64_t token = 0;

	lock_acquire(&sessions->lock);
	row = sessions_find(sessions, session);
	if (row != NULL && !session_is_over(row, now_ms)) {
		if (now_ms > row->used_ms)
			row->used_ms = now_ms;
		token = row->token;
	}
	lock_release(&sessions->lock);
	return token;
}

uint64_t sessions_ticket(const char *session)
{
	const uint64_t bit = 1ULL << 62;
	char digits[16];

	(void)snprintf(digits, sizeof(digits), "%s", session);
	return bit | (strtoull(digits, NULL, 16) & (bit - 1));
}

bool sessions_end(struct sessions *sessions, const char *session)
{
	struct session *row;
	bool was_there;

	lock_acquire(&sessions->lock);
	row = sessions_find(sessions, session);
	was_there = row != NULL;
	if (was_there)
		sessions_drop(sessions, row);
	lock_release(&sessions->lock);
	return was_there;
}

#define TOKENS_FILE "tokens"
#define FIRST_LINE  "templated tokens 1\n"
#define PREFIX      "td_"
#define REMOVED     '#' /* marks the line of a removed token */

enum {
	DIGEST_BYTES = CREDENTIAL_DIGEST_BYTES,
	DIGEST_DIGITS = 2 * DIGEST_BYTES,
	MAX_FILE_BYTES = 1 << 17,
	MAX_LINE_BYTES = 512,
	WORDS = 4,      /* words of a line in the file */
	REQUEST = 1000, /* one request in the unit of `allowance` */
};

_Static_assert(TOKEN_BYTES == sizeof(PREFIX) + CREDENTIAL_DIGITS, "its text");

struct token_entry {
	struct access_token token;
	uint8_t digest[DIGEST_BYTES];
	uint64_t allowance; /* thousandths of a request that the token may send
			       now; at most one second of the rate */
	uint64_t since_ms;  /* monotonic time at which `allowance` was computed;
			       0: never used */
};

struct tokens {
	char *folder;
	struct lock change; /* held while tokens are changed and the file is
			       written */
	struct lock lock;   /* guards the fields below; hold `change` and `lock`
			       to add or remove rows */
	struct token_entry rows[MAX_TOKENS]; /* [count], sorted by name */
	size_t count;
	uint64_t last_id;
	bool is_unsaved; /* the file still has removed tokens; guarded by
			    `change` */
};

static const char *const role_names[] = {
	[TOKEN_READS] = "read",
	[TOKEN_WRITES] = "write",
	[TOKEN_FEEDS] = "feed",
};

static bool read_hex(const char *text, uint8_t digest_out[DIGEST_BYTES])
{
	if (strlen(text) != DIGEST_DIGITS)
		return false;
	for (size_t i = 0; i < DIGEST_DIGITS; i++) {
		int digit = hex_digit(text[i]);

		if (digit < 0)
			return false;
		digest_out[i / 2] =
			(uint8_t)(digest_out[i / 2] << 4 | (uint8_t)digit);
	}
	return true;
}

static bool token_name_is_valid(const char *name)
{
	size_t length = strlen(name);

	for (const char *c = name; *c != '\0'; c++)
		if (!is_alphanumeric(*c) && strchr("._-", *c) == NULL)
			return false;
	return length > 0 && length < TOKEN_NAME_BYTES;
}

/* Return the index of the token `name`, or the index at which to insert it. */
static size_t tokens_index_of(const struct tokens *tokens, const char *name)
{
	size_t at = 0;

	while (at < tokens->count &&
	       strcmp(tokens->rows[at].token.name, name) < 0)
		at++;
	return at;
}

static bool tokens_name_is_at(const struct tokens *tokens, size_t at,
			      const char *name)
{
	return at < tokens->count &&
	       strcmp(tokens->rows[at].token.name, name) == 0;
}

static void tokens_insert(struct tokens *tokens, size_t at,
			  const struct token_entry *row)
{
	memmove(&tokens->rows[at + 1], &tokens->rows[at],
		(tokens->count - at) * sizeof(*row));
	tokens->rows[at] = *row;
	tokens->rows[at].token.id = ++tokens->last_id;
	tokens->count++;
}

/* Parse "read", "write", "feed" or "feed:HOST". */
static bool tokens_parse_role(const char *word, struct access_token *token)
{
	size_t length = strcspn(word, ":");

	for (int i = TOKEN_READS; i <= TOKEN_FEEDS; i++)
		if (strlen(role_names[i]) == length &&
		    memcmp(role_names[i], word, length) == 0) {
			token->role = (enum token_role)i;
			word += length + (word[length] == ':');
			(void)snprintf(token->site, sizeof(token->site), "%s",
				       word);
			return *word == '\0' ||
			       (i == TOKEN_FEEDS &&
				strlen(word) <= MAX_HOST_BYTES);
		}
	return false;
}

/*
 * Parse the line "NAME ROLE CREATED DIGEST", which is modified. Return false if
 * it is invalid.
 */
static bool tokens_parse_line(char *line, struct token_entry *row_out)
{
	char *rest = NULL;
	char *words[WORDS + 1];
	struct access_token *token = &row_out->token;

	*row_out = (struct token_entry){0};
	for (size_t i = 0; i <= WORDS; i++)
		words[i] = strtok_r(i == 0 ? line : NULL, " ", &rest);
	if (words[WORDS - 1] == NULL || words[WORDS] != NULL ||
	    !token_name_is_valid(words[0]))
		return false;
	memcpy(token->name, words[0], strlen(words[0]) + 1);
	errno = 0;
	token->created_ms = strtoull(words[2], &rest, 10);
	return tokens_parse_role(words[1], token) && is_digit(words[2][0]) &&
	       *rest == '\0' && errno == 0 &&
	       read_hex(words[3], row_out->digest);
}

static bool tokens_parse_file(struct tokens *tokens, const char *text)
{
	size_t first = strlen(FIRST_LINE);

	if (strncmp(text, FIRST_LINE, first) != 0)
		return false;
	text += first;
	while (*text != '\0') {
		size_t length = strcspn(text, "\n");
		char line[MAX_LINE_BYTES];
		struct token_entry row;
		size_t at;

		if (length >= sizeof(line) || text[length] != '\n' ||
		    tokens->count >= MAX_TOKENS)
			return false;
		memcpy(line, text, length);
		line[length] = '\0';
		text += length + 1;
		if (line[0] == REMOVED)
			continue;
		if (!tokens_parse_line(line, &row))
			return false;
		at = tokens_index_of(tokens, row.token.name);
		if (tokens_name_is_at(tokens, at, row.token.name))
			return false;
		tokens_insert(tokens, at, &row);
	}
	return true;
}

static void tokens_append_line(const struct token_entry *row,
			       struct buffer *out)
{
	char digest[DIGEST_DIGITS + 1] = "";

	base16_encode_update(digest, DIGEST_BYTES, row->digest);
	buffer_printf(out, "%s %s%s%s %" PRIu64 " %s\n", row->token.name,
		      role_names[row->token.role],
		      *row->token.site == '\0' ? "" : ":", row->token.site,
		      row->token.created_ms, digest);
}

/* Rewrite the file with all rows, and with `more` unless it is NULL. */
static enum error tokens_save(struct tokens *tokens,
			      const struct token_entry *more)
{
	struct buffer text = {0};
	enum error error;

	buffer_append_text(&text, FIRST_LINE);
	for (size_t i = 0; i < tokens->count; i++)
		tokens_append_line(&tokens->rows[i], &text);
	if (more != NULL)
		tokens_append_line(more, &text);
	error = folder_write(tokens->folder, TOKENS_FILE, buffer_slice(&text),
			     true);
	buffer_free(&text);
	if (error == ERR_NONE)
		tokens->is_unsaved = false;
	return error;
}

/* Return whether a current token has the name with which `line` begins. */
static bool tokens_have_line(const struct tokens *tokens, const char *line)
{
	size_t length = strcspn(line, " \n");
	char name[TOKEN_NAME_BYTES];

	if (length >= sizeof(name))
		return false;
	memcpy(name, line, length);
	name[length] = '\0';
	return tokens_name_is_at(tokens, tokens_index_of(tokens, name), name);
}

/*
 * Write REMOVED over the first byte of each line in `text` that has no current
 * token. Return false if a byte could not be written.
 */
static bool mark_lines(const struct tokens *tokens, int file, const char *text)
{
	const char mark = REMOVED;
	const char *line = text + strcspn(text, "\n");

	while (*line == '\n' && *++line != '\0') {
		if (*line != REMOVED && !tokens_have_line(tokens, line) &&
		    pwrite(file, &mark, 1, line - text) != 1)
			return false;
		line += strcspn(line, "\n");
	}
	return fsync(file) == 0;
}

/*
 * Mark the lines of removed tokens in the file by one byte each, in place. This
 * also works on a full disk, because the file already has its blocks; and a
 * byte is written completely or not at all. The next tokens_add() rewrites the
 * file without these lines.
 */
static enum error mark_removed(struct tokens *tokens)
{
	char name[MAX_PATH_BYTES];
	struct buffer text = {0};
	enum error error = ERR_IO;
	int file;

	if (folder_name(name, tokens->folder, TOKENS_FILE))
		error = file_read(name, MAX_FILE_BYTES, &text);
	if (error != ERR_NONE)
		return error;
	buffer_append_byte(&text, '\0');
	file = open(name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	if (file < 0 || !mark_lines(tokens, file, text.data))
		error = errno == ENOSPC || errno == EDQUOT ? ERR_STORE_FULL
							   : ERR_IO;
	if (file >= 0)
		close(file);
	buffer_free(&text);
	return error;
}

/*
 * Remove the removed tokens from the file. Call it with the lock `change` held.
 */
static enum error save_removal(struct tokens *tokens)
{
	enum error error = mark_removed(tokens);

	/*
	 * a rewritten file may succeed where the blocks cannot be written in
	 * place
	 */
	if (error != ERR_NONE)
		error = tokens_save(tokens, NULL);
	tokens->is_unsaved = error != ERR_NONE;
	return error;
}

static enum error tokens_load(struct tokens *tokens)
{
	char name[MAX_PATH_BYTES];
	struct buffer text = {0};
	enum error error = ERR_IO;

	if (folder_name(name, tokens->folder, TOKENS_FILE))
		error = file_read(name, MAX_FILE_BYTES, &text);
	buffer_append_byte(&text, '\0');
	if (error == ERR_NONE && (strlen(text.data) + 1 != text.size ||
				  !tokens_parse_file(tokens, text.data)))
		error = ERR_CORRUPT;
	buffer_free(&text);
	if (error == ERR_NOT_FOUND)
		return ERR_NONE;
	if (error != ERR_NONE)
		log_error("%s: %s; restore a copy, or move the file away and "
			  "create the tokens again",
			  name, file_error_text(error));
	return error;
}

enum error tokens_open(struct tokens **tokens_out, const char *folder)
{
	struct tokens *tokens = mem_alloc(1, sizeof(*tokens));
	enum error error;

	tokens->folder = mem_copy_text(folder, strlen(folder));
	lock_init(&tokens->change, LOCK_TOKEN_FILE);
	lock_init(&tokens->lock, LOCK_TOKENS);
	error = tokens_load(tokens);
	if (error != ERR_NONE) {
		tokens_close(tokens);
		return error;
	}
	*tokens_out = tokens;
	return ERR_NONE;
}

void tokens_close(struct tokens *tokens)
{
	if (tokens == NULL)
		return;
	tokens_retry(tokens);
	lock_destroy(&tokens->lock);
	lock_destroy(&tokens->change);
	free(tokens->folder);
	free(tokens);
}

static bool tokens_has_room(const struct tokens *tokens, enum token_role role)
{
	size_t feeds = 0;

	for (size_t i = 0; i < tokens->count; i++)
		feeds += tokens->rows[i].token.role == TOKEN_FEEDS;
	return tokens->count < MAX_TOKENS &&
	       (role != TOKEN_FEEDS || feeds < MAX_FEEDS);
}

/*
 * Add the row to the file and to the table. Call it with the lock `change`
 * held.
 */
static enum error tokens_add_entry(struct tokens *tokens,
				   const struct token_entry *row)
{
	size_t at = tokens_index_of(tokens, row->token.name);
	enum error error;

	if (tokens_name_is_at(tokens, at, row->token.name))
		return ERR_BUSY;
	if (!tokens_has_room(tokens, row->token.role))
		return ERR_TOO_LARGE;
	error = tokens_save(tokens, row);
	if (error != ERR_NONE)
		return error;
	lock_acquire(&tokens->lock);
	tokens_insert(tokens, at, row);
	lock_release(&tokens->lock);
	return ERR_NONE;
}

enum error tokens_create(struct tokens *tokens,
			 const struct access_token *token,
			 char token_out[TOKEN_BYTES])
{
	const char *prefix = token->role == TOKEN_FEEDS ? "" : PREFIX;
	struct token_entry row = {.token = *token};
	enum error error;

	if (!token_name_is_valid(token->name))
		return ERR_MALFORMED;
	(void)snprintf(token_out, TOKEN_BYTES, "%s", prefix);
	if (!credential_make(token_out + strlen(prefix)))
		return ERR_IO;
	credential_digest(token_out, row.digest);
	lock_acquire(&tokens->change);
	error = tokens_add_entry(tokens, &row);
	lock_release(&tokens->change);
	if (error != ERR_NONE)
		explicit_bzero(token_out, TOKEN_BYTES);
	return error;
}

enum error tokens_add(struct tokens *tokens, const char *name,
		      enum token_role role, uint64_t now_ms,
		      char token_out[TOKEN_BYTES])
{
	struct access_token token = {.role = role, .created_ms = now_ms};

	if (!token_name_is_valid(name))
		return ERR_MALFORMED;
	memcpy(token.name, name, strlen(name) + 1);
	return tokens_create(tokens, &token, token_out);
}

static enum error tokens_delete(struct tokens *tokens, const char *name,
				bool is_feed, uint64_t *id_out)
{
	enum error error = ERR_NOT_FOUND;
	size_t at;

	*id_out = 0;
	lock_acquire(&tokens->change);
	at = tokens_index_of(tokens, name);
	if (tokens_name_is_at(tokens, at, name) &&
	    is_feed == (tokens->rows[at].token.role == TOKEN_FEEDS)) {
		*id_out = tokens->rows[at].token.id;
		lock_acquire(&tokens->lock);
		tokens->count--;
		memmove(&tokens->rows[at], &tokens->rows[at + 1],
			(tokens->count - at) * sizeof(tokens->rows[0]));
		lock_release(&tokens->lock);
		error = save_removal(tokens);
	}
	lock_release(&tokens->change);
	if (*id_out != 0 && error != ERR_NONE)
		log_error("token %s: removed, but %s/%s: %s; retrying; a "
			  "restart before that restores the token",
			  name, tokens->folder, TOKENS_FILE, error_text(error));
	return error;
}

enum error tokens_remove(struct tokens *tokens, const char *name,
			 uint64_t *id_out)
{
	return tokens_delete(tokens, name, false, id_out);
}

enum error tokens_remove_feed(struct tokens *tokens, const char *name,
			      uint64_t *id_out)
{
	return tokens_delete(tokens, name, true, id_out);
}

void tokens_retry(struct tokens *tokens)
{
	bool is_saved;

	lock_acquire(&tokens->change);
	is_saved = tokens->is_unsaved && save_removal(tokens) == ERR_NONE;
	lock_release(&tokens->change);
	if (is_saved)
		log_info("%s/%s: the removed tokens are now deleted from the "
			 "file",
			 tokens->folder, TOKENS_FILE);
}

/* Return NULL if there is no such token. Call it with the lock held. */
static struct token_entry *tokens_find_id(struct tokens *tokens, uint64_t id)
{
	for (size_t i = 0; i < tokens->count; i++)
		if (tokens->rows[i].token.id == id)
			return &tokens->rows[i];
	return NULL;
}

bool tokens_has(struct tokens *tokens, uint64_t id)
{
	bool is_there;

	lock_acquire(&tokens->lock);
	is_there = tokens_find_id(tokens, id) != NULL;
	lock_release(&tokens->lock);
	return is_there;
}

size_t tokens_list(struct tokens *tokens,
		   struct access_token list_out[MAX_TOKENS])
{
	size_t count;

	lock_acquire(&tokens->lock);
	count = tokens->count;
	for (size_t i = 0; i < count; i++)
		list_out[i] = tokens->rows[i].token;
	lock_release(&tokens->lock);
	return count;
}

/*
 * Take one request from the allowance, a token bucket of `rate` requests that
 * is refilled at `rate` per second. Return false if it is empty.
 */
static bool take_request(struct token_entry *row, uint32_t rate,
			 uint64_t now_ms)
{
	uint64_t most = (uint64_t)rate * REQUEST;
	uint64_t passed_ms = now_ms - row->since_ms;

	if (rate == 0)
		return true;
	if (row->since_ms == 0 || passed_ms >= 1000U)
		row->allowance = most;
	else
		row->allowance += passed_ms * rate;
	row->since_ms = now_ms;
	if (row->allowance > most)
		row->allowance = most;
	if (row->allowance < REQUEST)
		return false;
	row->allowance -= REQUEST;
	return true;
}

/*
 * Return the verdict for `row`, or for an unknown token if `row` is NULL. Call
 * it with the lock held.
 */
static enum token_verdict use_row(struct token_entry *row, uint32_t rate,
				  uint64_t now_ms,
				  struct access_token *token_out)
{
	if (row == NULL)
		return TOKEN_UNKNOWN;
	*token_out = row->token;
	return take_request(row, rate, now_ms) ? TOKEN_MAY : TOKEN_TOO_FAST;
}

enum token_verdict tokens_check(struct tokens *tokens, const char *text,
				uint32_t rate, uint64_t now_ms,
				struct access_token *token_out)
{
	uint8_t digest[DIGEST_BYTES];
	struct token_entry *row = NULL;
	enum token_verdict verdict;

	credential_digest(text, digest);
	lock_acquire(&tokens->lock);
	for (size_t i = 0; i < tokens->count; i++)
		if (memeql_sec(digest, tokens->rows[i].digest,
			       sizeof(digest)) != 0)
			row = &tokens->rows[i];
	verdict = use_row(row, rate, now_ms, token_out);
	lock_release(&tokens->lock);
	return verdict;
}

enum token_verdict tokens_check_id(struct tokens *tokens, uint64_t id,
				   uint32_t rate, uint64_t now_ms,
				   struct access_token *token_out)
{
	enum token_verdict verdict;

	lock_acquire(&tokens->lock);
	verdict = use_row(tokens_find_id(tokens, id), rate, now_ms, token_out);
	lock_release(&tokens->lock);
	return verdict;
}
