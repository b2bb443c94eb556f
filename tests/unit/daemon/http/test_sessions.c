#include "daemon/http/tokens.h"

#include "tests/unit/run.h"

enum { NOW_MS = 1000000, TOKEN = 7, OTHER = 8 };

static struct sessions *sessions;

static void begin(void)
{
	sessions = sessions_create();
}

static void end(void)
{
	sessions_destroy(sessions);
}

/* Return the ticket of the session that ends for it. */
static uint64_t add(uint64_t token, uint64_t now_ms, char *session_out)
{
	uint64_t ended;

	ck_assert(sessions_begin(sessions, token, now_ms, session_out, &ended));
	ck_assert_uint_eq(strlen(session_out), SESSION_BYTES - 1);
	return ended;
}

FIXTURE(.setup = begin, .teardown = end);

TEST(a_session_is_of_its_token)
{
	char first[SESSION_BYTES];
	char second[SESSION_BYTES];

	add(TOKEN, NOW_MS, first);
	add(OTHER, NOW_MS, second);
	ck_assert_str_ne(first, second);
	ck_assert_uint_eq(sessions_use(sessions, first, NOW_MS), TOKEN);
	ck_assert_uint_eq(sessions_use(sessions, second, NOW_MS), OTHER);
}

TEST(all_else_is_none)
{
	char session[SESSION_BYTES];

	ck_assert_uint_eq(sessions_use(sessions, "", NOW_MS), 0);
	add(TOKEN, NOW_MS, session);
	ck_assert_uint_eq(sessions_use(sessions, "", NOW_MS), 0);
	session[3] ^= 1;
	ck_assert_uint_eq(sessions_use(sessions, session, NOW_MS), 0);
	session[3] ^= 1;
	session[SESSION_BYTES - 2] = '\0';
	ck_assert_uint_eq(sessions_use(sessions, session, NOW_MS), 0);
}

TEST(it_ends_when_it_is_ended)
{
	char first[SESSION_BYTES];
	char second[SESSION_BYTES];

	add(TOKEN, NOW_MS, first);
	add(TOKEN, NOW_MS, second);
	ck_assert(sessions_end(sessions, first));
	ck_assert(!sessions_end(sessions, first));
	ck_assert_uint_eq(sessions_use(sessions, first, NOW_MS), 0);
	ck_assert_uint_eq(sessions_use(sessions, second, NOW_MS), TOKEN);
}

TEST(it_expires_when_it_is_not_used)
{
	char session[SESSION_BYTES];
	uint64_t now_ms = NOW_MS;

	add(TOKEN, now_ms, session);
	now_ms += SESSION_IDLE_MS - 1;
	ck_assert_uint_eq(sessions_use(sessions, session, now_ms), TOKEN);
	now_ms += SESSION_IDLE_MS - 1;
	ck_assert_uint_eq(sessions_use(sessions, session, now_ms), TOKEN);
	now_ms += SESSION_IDLE_MS;
	ck_assert_uint_eq(sessions_use(sessions, session, now_ms), 0);
}

TEST(tickets_of_expired_sessions_are_reported_once)
{
	char first[SESSION_BYTES];
	char second[SESSION_BYTES];
	uint64_t end_ms = NOW_MS + SESSION_IDLE_MS;

	add(TOKEN, NOW_MS, first);
	add(OTHER, NOW_MS + 1, second);
	ck_assert_uint_eq(sessions_expire(sessions, end_ms - 1), 0);
	/* a refused use does not lose the ticket */
	ck_assert_uint_eq(sessions_use(sessions, first, end_ms), 0);
	ck_assert_uint_eq(sessions_expire(sessions, end_ms),
			  sessions_ticket(first));
	ck_assert_uint_eq(sessions_expire(sessions, end_ms), 0);
	ck_assert_uint_eq(sessions_expire(sessions, end_ms + 1),
			  sessions_ticket(second));
	ck_assert(!sessions_end(sessions, second));
}

TEST(it_expires_though_it_is_used)
{
	char session[SESSION_BYTES];

	add(TOKEN, NOW_MS, session);
	for (uint64_t age_ms = 0; age_ms < SESSION_AGE_MS;
	     age_ms += SESSION_IDLE_MS / 2)
		ck_assert_uint_eq(
			sessions_use(sessions, session, NOW_MS + age_ms),
			TOKEN);
	ck_assert_uint_eq(
		sessions_use(sessions, session, NOW_MS + SESSION_AGE_MS), 0);
}

TEST(a_token_has_so_many_at_most)
{
	char texts[MAX_TOKEN_SESSIONS + 1][SESSION_BYTES];
	char other[SESSION_BYTES];

	add(OTHER, NOW_MS, other);
	for (size_t i = 0; i < MAX_TOKEN_SESSIONS; i++)
		ck_assert_uint_eq(add(TOKEN, NOW_MS + 1 + i, texts[i]), 0);
	/* the first one is used, so that the second one is the oldest */
	ck_assert_uint_eq(sessions_use(sessions, texts[0], NOW_MS + 100),
			  TOKEN);
	ck_assert_uint_eq(add(TOKEN, NOW_MS + 101, texts[MAX_TOKEN_SESSIONS]),
			  sessions_ticket(texts[1]));
	for (size_t i = 0; i <= MAX_TOKEN_SESSIONS; i++)
		ck_assert_uint_eq(
			sessions_use(sessions, texts[i], NOW_MS + 102),
			i == 1 ? 0 : TOKEN);
	ck_assert_uint_eq(sessions_use(sessions, other, NOW_MS + 102), OTHER);
}

TEST(all_together_are_so_many_at_most)
{
	char oldest[SESSION_BYTES];
	char next[SESSION_BYTES];
	char more[SESSION_BYTES];

	add(OTHER, NOW_MS, oldest);
	add(OTHER, NOW_MS + 1, next);
	for (uint64_t i = 2; i < MAX_SESSIONS; i++)
		add(100 + i, NOW_MS + 1 + i, more);
	ck_assert_uint_eq(add(TOKEN, NOW_MS + MAX_SESSIONS + 1, more),
			  sessions_ticket(oldest));
	ck_assert_uint_eq(sessions_use(sessions, oldest, NOW_MS + 2), 0);
	ck_assert_uint_eq(sessions_use(sessions, next, NOW_MS + 2), OTHER);
	ck_assert_uint_eq(sessions_use(sessions, more, NOW_MS + MAX_SESSIONS),
			  TOKEN);
}
