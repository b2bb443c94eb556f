#include "daemon/engine/file_cache.h"

#include <inttypes.h>

#include "tests/unit/run.h"

enum { NOW_MS = 1000000, CACHE_BYTES = 4000 };

static struct file_cache *cache;

static void begin(void)
{
	cache = file_cache_create(CACHE_BYTES);
}

static void end(void)
{
	file_cache_destroy(cache);
}

FIXTURE(.setup = begin, .teardown = end);

static void put_key(const char *key, const char *head, size_t bytes,
		    const char *etag)
{
	struct fetch_result result = {.http_status = 200};

	buffer_append_text(&result.head, head);
	for (size_t i = 0; i < bytes; i++)
		buffer_append_byte(&result.body, 'x');
	snprintf(result.etag, sizeof(result.etag), "%s", etag);
	file_cache_put(cache, slice_of(key), &result, NOW_MS);
	fetch_result_free(&result);
}

static void put(uint64_t number, const char *head, size_t bytes,
		const char *etag)
{
	char key[32];

	snprintf(key, sizeof(key), "%" PRIu64, number);
	put_key(key, head, bytes, etag);
}

static struct cached_file *find(uint64_t number)
{
	char key[32];

	snprintf(key, sizeof(key), "%" PRIu64, number);
	return file_cache_find(cache, slice_of(key));
}

static uint64_t fresh(const char *head)
{
	return file_cache_fresh_until(slice_of(head), NOW_MS);
}

TEST(max_age_is_obeyed_up_to_a_day)
{
	ck_assert_uint_eq(fresh("HTTP/1.1 200 OK\r\nA: b\r\n"), NOW_MS);
	ck_assert_uint_eq(fresh("cache-control: public, Max-Age=60\r\n"),
			  NOW_MS + 60000);
	ck_assert_uint_eq(fresh("Cache-Control: max-age=99999999999\r\n"),
			  NOW_MS + 86400000);
	ck_assert_uint_eq(fresh("Cache-Control: max-age=6x\r\n"), NOW_MS);
	ck_assert_uint_eq(fresh("Cache-Control: max-age=60, no-cache\r\n"),
			  NOW_MS);
	ck_assert_uint_eq(fresh("Cache-Control: max-age=60, No-Store\r\n"), 0);
	ck_assert_uint_eq(fresh("Set-Cookie: a=b\r\n"), 0);
	ck_assert_uint_eq(fresh("Vary: *\r\n"), 0);
}

TEST(a_tenth_of_the_age_is_the_guess)
{
	static const char rule[] = "Last-Modified: Thu, 01 Jan 1970 00:00:10 "
				   "GMT\r\nCache-Control: public\r\n";

	/* NOW_MS is second 1,000 */
	ck_assert_uint_eq(
		fresh("Last-Modified: Thu, 01 Jan 1970 00:00:10 GMT\r\n"),
		NOW_MS + 99000);
	ck_assert_uint_eq(
		fresh("Last-Modified: Thu, 01 Jan 1970 00:20:00 GMT\r\n"),
		NOW_MS);
	ck_assert_uint_eq(fresh("Last-Modified: soon\r\n"), NOW_MS);
	ck_assert_uint_eq(fresh(rule), NOW_MS);
	ck_assert_uint_eq(
		file_cache_fresh_until(
			slice_of("Last-Modified: Thu, 01 Jan 1970 00:00:10 "
				 "GMT\r\n"),
			UINT64_C(1700000000000)),
		UINT64_C(1700000000000) + 3600000);
}

TEST(what_depends_on_more_than_the_key_is_not_stored)
{
	ck_assert_uint_eq(fresh("Cache-Control: Private, max-age=60\r\n"), 0);
	ck_assert_uint_eq(fresh("Cache-Control: private=\"a\"\r\n"), 0);
	ck_assert_uint_eq(fresh("Vary: accept-encoding\r\n"), NOW_MS);
	ck_assert_uint_eq(fresh("Vary: Accept-Encoding, Origin\r\n"), 0);
	ck_assert_uint_eq(fresh("Vary: Cookie\r\n"), 0);
}

TEST(each_byte_of_the_key_is_compared)
{
	static const char key[] = "http://a.test 0 http://b.test/x.js";
	static const char *const others[] = {
		"http://a.test 0 http://b.test/x.jt",
		"http://a.test 1 http://b.test/x.js",
		"http://c.test 0 http://b.test/x.js",
		"http://a.test 0 http://b.test/x.j",
		"http://a.test 0 http://b.test/x.js?",
		"",
	};

	put_key(key, "", 10, "\"a\"");
	ck_assert_ptr_nonnull(file_cache_find(cache, slice_of(key)));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		ck_assert_ptr_null(file_cache_find(cache, slice_of(others[i])));
	put_key(key, "", 10, "\"b\"");
	ck_assert_str_eq(file_cache_find(cache, slice_of(key))->etag, "\"b\"");
}

TEST(what_can_never_be_used_again_is_not_stored)
{
	put(1, "", 10, "");
	ck_assert_ptr_null(find(1));
	put(2, "Cache-Control: no-store\r\n", 10, "\"a\"");
	ck_assert_ptr_null(find(2));
	put(3, "", 10, "\"a\"");
	ck_assert_str_eq(find(3)->etag, "\"a\"");
	put(4, "Cache-Control: max-age=5\r\n", 10, "");
	ck_assert_uint_eq(find(4)->fresh_until_ms, NOW_MS + 5000);
	/* the server does not allow it any more */
	put(4, "Cache-Control: no-store\r\n", 10, "");
	ck_assert_ptr_null(find(4));
}

TEST(the_oldest_are_dropped_at_the_limit)
{
	for (uint64_t i = 0; i < 10; i++)
		put(i, "", CACHE_BYTES / 4, "\"a\"");
	for (uint64_t i = 0; i < 10; i++)
		ck_assert((find(i) != NULL) == (i >= 6));
	put(10, "", CACHE_BYTES / 4 + 1, "\"a\"");
	ck_assert_ptr_null(find(10));
	for (uint64_t i = 20; i < 2000; i++)
		put(i, "", 1, "\"a\"");
	ck_assert_ptr_null(find(20));
	ck_assert_ptr_nonnull(find(1999));
}
