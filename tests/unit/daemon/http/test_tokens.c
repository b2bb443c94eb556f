#include "daemon/http/tokens.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/unit/run.h"

enum { ANY_RATE = 0, NOW_MS = 1000000 };

static char folder[64];
static char path[96];
static struct tokens *tokens;

static void begin(void)
{
	snprintf(folder, sizeof(folder), "/tmp/test_tokens.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/tokens", folder);
	ASSERT_OK(tokens_open(&tokens, folder));
}

static void end(void)
{
	tokens_close(tokens);
	unlink(path);
	rmdir(folder);
}

static void open_again(void)
{
	tokens_close(tokens);
	tokens = NULL;
	ASSERT_OK(tokens_open(&tokens, folder));
}

static void add(const char *name, enum token_role role, char *token_out)
{
	ASSERT_OK(tokens_add(tokens, name, role, NOW_MS, token_out));
	ck_assert_uint_eq(strlen(token_out), TOKEN_BYTES - 1);
}

static enum token_verdict check(const char *text, uint32_t rate,
				uint64_t now_ms)
{
	struct access_token token;

	return tokens_check(tokens, text, rate, now_ms, &token);
}

static void check_role(const char *text, enum token_role wanted)
{
	struct access_token token;

	ck_assert_int_eq(tokens_check(tokens, text, ANY_RATE, NOW_MS, &token),
			 TOKEN_MAY);
	ck_assert_int_eq(token.role, wanted);
}

static uint64_t id_of(const char *text)
{
	struct access_token token;

	ck_assert_int_eq(tokens_check(tokens, text, ANY_RATE, NOW_MS, &token),
			 TOKEN_MAY);
	return token.id;
}

FIXTURE(.setup = begin, .teardown = end, .timeout_s = 60);

TEST(a_token_has_its_role_also_after_a_restart)
{
	char first[TOKEN_BYTES];
	char second[TOKEN_BYTES];

	add("a", TOKEN_READS, first);
	add("b", TOKEN_WRITES, second);
	ck_assert_str_ne(first, second);
	check_role(first, TOKEN_READS);
	check_role(second, TOKEN_WRITES);
	open_again();
	check_role(first, TOKEN_READS);
	check_role(second, TOKEN_WRITES);
}

TEST(all_else_is_unknown)
{
	char token[TOKEN_BYTES];
	char other[TOKEN_BYTES + 1];

	add("a", TOKEN_WRITES, token);
	ck_assert_int_eq(check("", ANY_RATE, NOW_MS), TOKEN_UNKNOWN);
	ck_assert_int_eq(check("a", ANY_RATE, NOW_MS), TOKEN_UNKNOWN);
	for (size_t i = 0; i < TOKEN_BYTES - 1; i++) {
		snprintf(other, sizeof(other), "%s", token);
		other[i] ^= 1;
		ck_assert_int_eq(check(other, ANY_RATE, NOW_MS), TOKEN_UNKNOWN);
	}
	snprintf(other, sizeof(other), "%s0", token);
	ck_assert_int_eq(check(other, ANY_RATE, NOW_MS), TOKEN_UNKNOWN);
	other[TOKEN_BYTES - 2] = '\0';
	ck_assert_int_eq(check(other, ANY_RATE, NOW_MS), TOKEN_UNKNOWN);
}

TEST(what_is_removed_is_unknown)
{
	char first[TOKEN_BYTES];
	char second[TOKEN_BYTES];
	uint64_t id;
	uint64_t removed;

	add("a", TOKEN_READS, first);
	add("b", TOKEN_READS, second);
	id = id_of(first);
	ck_assert(tokens_has(tokens, id));
	ASSERT_OK(tokens_remove(tokens, "a", &removed));
	ck_assert_uint_eq(removed, id);
	ck_assert(!tokens_has(tokens, id));
	ck_assert_int_eq(tokens_remove(tokens, "a", &removed), ERR_NOT_FOUND);
	ck_assert_uint_eq(removed, 0);
	ck_assert_int_eq(check(first, ANY_RATE, NOW_MS), TOKEN_UNKNOWN);
	check_role(second, TOKEN_READS);
	open_again();
	ck_assert_int_eq(check(first, ANY_RATE, NOW_MS), TOKEN_UNKNOWN);
	check_role(second, TOKEN_READS);
}

TEST(an_id_is_of_one_token)
{
	char first[TOKEN_BYTES];
	char second[TOKEN_BYTES];
	char other[TOKEN_BYTES];
	uint64_t removed;

	add("b", TOKEN_WRITES, first);
	add("a", TOKEN_READS, other);
	ck_assert_uint_ne(id_of(first), id_of(other));
	ASSERT_OK(tokens_remove(tokens, "b", &removed));
	add("b", TOKEN_READS, second);
	ck_assert_uint_ne(id_of(second), removed);
	ck_assert_uint_ne(id_of(second), id_of(other));
	ck_assert(!tokens_has(tokens, 0));
}

TEST(the_file_is_its_owners_and_holds_no_token)
{
	char token[TOKEN_BYTES];
	AUTO_BUFFER text = {0};
	struct stat status;

	add("a", TOKEN_READS, token);
	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert_uint_eq(status.st_mode & 0777U, 0600);
	ASSERT_OK(file_read(path, 1 << 16, &text));
	buffer_append_byte(&text, '\0');
	ck_assert_ptr_nonnull(strstr(text.data, "a read 1000000 "));
	ck_assert_ptr_null(strstr(text.data, token + strlen("td_")));
}

TEST(a_name_is_taken_once_and_is_a_name)
{
	static const char *const names[] = {"", "a b", "a\n", "../a",
					    "\xc3\xa4"};
	char token[TOKEN_BYTES];
	char name[TOKEN_NAME_BYTES + 1];

	add("a", TOKEN_READS, token);
	ck_assert_int_eq(tokens_add(tokens, "a", TOKEN_READS, NOW_MS, token),
			 ERR_BUSY);
	for (size_t i = 0; i < COUNT_OF(names); i++)
		ck_assert_int_eq(tokens_add(tokens, names[i], TOKEN_READS,
					    NOW_MS, token),
				 ERR_MALFORMED);
	memset(name, 'n', sizeof(name));
	name[TOKEN_NAME_BYTES] = '\0';
	ck_assert_int_eq(tokens_add(tokens, name, TOKEN_READS, NOW_MS, token),
			 ERR_MALFORMED);
	name[TOKEN_NAME_BYTES - 1] = '\0';
	add(name, TOKEN_READS, token);
	open_again();
	check_role(token, TOKEN_READS);
}

/* Add MAX_TOKENS tokens, with different names. */
static void check_list(void)
{
	struct access_token list[MAX_TOKENS];
	bool is_same = true;
	char name[16];

	ck_assert_uint_eq(tokens_list(tokens, list), MAX_TOKENS);
	for (unsigned i = 0; i < MAX_TOKENS; i++) {
		snprintf(name, sizeof(name), "t%03u", i);
		is_same = is_same && strcmp(list[i].name, name) == 0 &&
			  list[i].created_ms == NOW_MS;
	}
	ck_assert(is_same);
}

/* Write a file with all but one of the tokens, the last one first. */
static void write_many(void)
{
	AUTO_BUFFER text = {0};

	buffer_append_text(&text, "templated tokens 1\n");
	for (unsigned i = MAX_TOKENS - 1; i-- > 0;)
		buffer_printf(&text, "t%03u read %d %064x\n", i, NOW_MS, i);
	ASSERT_OK(file_write(path, buffer_slice(&text)));
}

TEST(they_are_listed_by_their_names_up_to_the_limit)
{
	char token[TOKEN_BYTES];
	char name[16];

	write_many();
	open_again();
	snprintf(name, sizeof(name), "t%03d", MAX_TOKENS - 1);
	add(name, TOKEN_WRITES, token);
	ck_assert_int_eq(tokens_add(tokens, "more", TOKEN_READS, NOW_MS, token),
			 ERR_TOO_LARGE);
	check_list();
	open_again();
	check_list();
}

TEST(feeds_leave_room_for_tokens)
{
	char token[TOKEN_BYTES];
	char name[16];

	for (unsigned i = 0; i < MAX_FEEDS; i++) {
		snprintf(name, sizeof(name), "f%03u", i);
		ASSERT_OK(tokens_add(tokens, name, TOKEN_FEEDS, NOW_MS, token));
	}
	ck_assert_int_eq(tokens_add(tokens, "more", TOKEN_FEEDS, NOW_MS, token),
			 ERR_TOO_LARGE);
	add("owner", TOKEN_WRITES, token);
}

/* This many requests at the same time, and then no more. */
static void check_rate(const char *text, uint32_t rate, uint64_t now_ms)
{
	for (uint32_t i = 0; i < rate; i++)
		ck_assert_int_eq(check(text, rate, now_ms), TOKEN_MAY);
	ck_assert_int_eq(check(text, rate, now_ms), TOKEN_TOO_FAST);
}

TEST(a_token_has_its_rate_and_no_more)
{
	enum { RATE = 5, DAY_MS = 86400000 };
	char first[TOKEN_BYTES];
	char second[TOKEN_BYTES];

	add("a", TOKEN_READS, first);
	add("b", TOKEN_READS, second);
	check_rate(first, RATE, NOW_MS);
	/* another one has its own */
	ck_assert_int_eq(check(second, RATE, NOW_MS), TOKEN_MAY);
	/* a fifth of a second is one request, refused ones cost nothing */
	ck_assert_int_eq(check(first, RATE, NOW_MS + 199), TOKEN_TOO_FAST);
	ck_assert_int_eq(check(first, RATE, NOW_MS + 200), TOKEN_MAY);
	ck_assert_int_eq(check(first, RATE, NOW_MS + 200), TOKEN_TOO_FAST);
	/* a day is not saved up */
	check_rate(first, RATE, NOW_MS + DAY_MS);
	ck_assert_int_eq(check(first, ANY_RATE, NOW_MS + DAY_MS), TOKEN_MAY);
}

TEST(a_file_that_is_not_ours_is_refused)
{
	static const char *const texts[] = {
		"",
		"templated tokens 2\n",
		"templated tokens 1\na\n",
		"templated tokens 1\na read 1 00\n",
		"templated tokens 1\na owner 1 "
		"00000000000000000000000000000000"
		"00000000000000000000000000000000\n",
		"templated tokens 1\na read 1 "
		"00000000000000000000000000000000"
		"00000000000000000000000000000000",
		"templated tokens 1\na read 1 "
		"00000000000000000000000000000000"
		"00000000000000000000000000000000 more\n",
	};
	struct tokens *other = NULL;

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		ASSERT_OK(file_write(path, slice_of(texts[i])));
		ck_assert_int_eq(tokens_open(&other, folder), ERR_CORRUPT);
		ck_assert_ptr_null(other);
	}
}

TEST(what_cannot_be_written_is_not_given)
{
	char token[TOKEN_BYTES] = "x";
	struct access_token list[MAX_TOKENS];

	ck_assert_int_eq(rmdir(folder), 0);
	ck_assert_int_ne(tokens_add(tokens, "a", TOKEN_READS, NOW_MS, token),
			 ERR_NONE);
	ck_assert_str_eq(token, "");
	ck_assert_uint_eq(tokens_list(tokens, list), 0);
}

static size_t size_of_file(void)
{
	struct stat status;

	ck_assert_int_eq(stat(path, &status), 0);
	return (size_t)status.st_size;
}

/* Have no file of this process grow beyond that. */
static void limit_files(size_t bytes)
{
	const struct rlimit limit = {bytes, RLIM_INFINITY};

	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(a_removal_needs_no_room)
{
	char texts[3][TOKEN_BYTES];
	uint64_t id;
	size_t size;

	signal(SIGXFSZ, SIG_IGN);
	add("a", TOKEN_READS, texts[0]);
	add("b", TOKEN_WRITES, texts[1]);
	add("c", TOKEN_READS, texts[2]);
	size = size_of_file();
	/* the file cannot be written again */
	limit_files(size - 1);
	ck_assert_int_ne(tokens_add(tokens, "d", TOKEN_READS, NOW_MS, texts[2]),
			 ERR_NONE);
	ASSERT_OK(tokens_remove(tokens, "b", &id));
	ASSERT_OK(tokens_remove(tokens, "a", &id));
	ck_assert_uint_eq(size_of_file(), size);
	open_again();
	ck_assert_int_eq(check(texts[0], ANY_RATE, NOW_MS), TOKEN_UNKNOWN);
	ck_assert_int_eq(check(texts[1], ANY_RATE, NOW_MS), TOKEN_UNKNOWN);
	limit_files(RLIM_INFINITY);
	add("a", TOKEN_WRITES, texts[0]);
	ck_assert_uint_lt(size_of_file(), size);
	open_again();
	check_role(texts[0], TOKEN_WRITES);
}

TEST(a_removal_that_cannot_be_written_is_tried_again)
{
	char away[sizeof(folder) + 5];
	char text[TOKEN_BYTES];
	uint64_t id;

	snprintf(away, sizeof(away), "%s.away", folder);
	add("a", TOKEN_WRITES, text);
	ck_assert_int_eq(rename(folder, away), 0);
	ck_assert_int_ne(tokens_remove(tokens, "a", &id), ERR_NONE);
	/* in memory it is removed immediately */
	ck_assert_uint_ne(id, 0);
	ck_assert_int_eq(check(text, ANY_RATE, NOW_MS), TOKEN_UNKNOWN);
	tokens_retry(tokens);
	ck_assert_int_eq(rename(away, folder), 0);
	tokens_retry(tokens);
	open_again();
	ck_assert_int_eq(check(text, ANY_RATE, NOW_MS), TOKEN_UNKNOWN);
}
