#include "crawl/url/url.h"

#include <time.h>

#include "tests/unit/random.h"
#include "tests/unit/run.h"

static struct url parse(const char *text)
{
	struct url url = {0};

	ck_assert_msg(url_parse(&url, slice_of(text), NULL) == ERR_NONE,
		      "%s is refused", text);
	return url;
}

struct pair {
	const char *from;
	const char *to; /* NULL: an error */
};

static void check(const char *base, const struct pair *pair,
		  enum error expected)
{
	struct url parsed_base = parse(base == NULL ? "http://a/" : base);
	struct url url = {0};
	enum error error = url_parse(&url, slice_of(pair->from),
				     base == NULL ? NULL : &parsed_base);

	if (pair->to == NULL) {
		ck_assert_msg(error == expected, "'%s' gives %d", pair->from,
			      error);
		return;
	}
	ck_assert_msg(error == ERR_NONE, "'%s' gives %d", pair->from, error);
	ck_assert_msg(strcmp(url.text, pair->to) == 0,
		      "'%s' is '%s' and not '%s'", pair->from, url.text,
		      pair->to);
	ck_assert_str_eq(url.text + url.path,
			 strchr(url.text + strlen("https://"), '/'));
}

TEST(absolute_urls_have_one_form)
{
	static const struct pair pairs[] = {
		{"http://example.org", "http://example.org/"},
		{"example.org", "http://example.org/"},
		{"example.org:8080/x", "http://example.org:8080/x"},
		{"localhost:8080", "http://localhost:8080/"},
		{"box:8080/", "http://box:8080/"},
		{"//example.org/x", "http://example.org/x"},
		{"HTTPS://EXAMPLE.org:443/A", "https://example.org/A"},
		{"http://example.org:80", "http://example.org/"},
		{"http://example.org:443/", "http://example.org:443/"},
		{"http://example.org:/", "http://example.org/"},
		{"http://example.org./x", "http://example.org/x"},
		{"http://u:p@w@example.org/", "http://example.org/"},
		{"http://example.org?q", "http://example.org/?q"},
		{"http://example.org/a?", "http://example.org/a"},
		{"http://example.org/a/", "http://example.org/a/"},
		{"http://example.org/a#f?g", "http://example.org/a"},
		{" \t\x01http://exa\nmple.org/\r\n ", "http://example.org/"},
		{"http:\\\\example.org\\a?b\\c", "http://example.org/a?b%5Cc"},
		{"http://example.org\\@evil.org/",
		 "http://example.org/@evil.org/"},
		{"http:///example.org/", "http://example.org/"},
		{"http:example.org", "http://example.org/"},
		{"http://example.org/a/./b/../c", "http://example.org/a/c"},
		{"http://example.org/../../a", "http://example.org/a"},
		{"http://example.org/a/..", "http://example.org/"},
		{"http://example.org/a/b/..", "http://example.org/a/"},
		{"http://example.org/a/.", "http://example.org/a/"},
		{"http://example.org//..", "http://example.org/"},
		{"http://example.org//../a", "http://example.org/a"},
		{"http://example.org/a//../b", "http://example.org/a/b"},
		{"http://example.org/.a/..b/...",
		 "http://example.org/.a/..b/..."},
		{"http://example.org/a./b../.", "http://example.org/a./b../"},
		{"http://example.org//a//b", "http://example.org//a//b"},
		{"http://example.org/a?x=/../y",
		 "http://example.org/a?x=/../y"},
	};

	for (size_t i = 0; i < COUNT_OF(pairs); i++)
		check(NULL, &pairs[i], ERR_NONE);
}

TEST(percent_encoding_has_one_form)
{
	static const struct pair pairs[] = {
		{"http://a/%7euser/%41%2d", "http://a/~user/A-"},
		{"http://a/%2f%3f%23%c3%bc", "http://a/%2F%3F%23%C3%BC"},
		{"http://a/\xc3\xbc b", "http://a/%C3%BC%20b"},
		{"http://a/?q=\xc3\xbc b+c", "http://a/?q=%C3%BC%20b+c"},
		{"http://a/\"'<>", "http://a/%22%27%3C%3E"},
		{"http://a/{|}^`", "http://a/%7B%7C%7D%5E%60"},
		{"http://a/100%", "http://a/100%25"},
		{"http://a/%zz%4", "http://a/%25zz%254"},
		{"http://a/%2541", "http://a/%2541"},
		{"http://a/%%41", "http://a/%25A"},
		{"http://a/b/%2e%2E/c", "http://a/c"},
		{"http://a/?%2e%2e", "http://a/?.."},
		{"http://a/!$&()*+,;=:@[]", "http://a/!$&()*+,;=:@[]"},
	};

	for (size_t i = 0; i < COUNT_OF(pairs); i++)
		check(NULL, &pairs[i], ERR_NONE);
}

TEST(odd_addresses_are_spelled_out)
{
	static const struct pair pairs[] = {
		{"http://2130706433/", "http://127.0.0.1/"},
		{"http://0177.1/", "http://127.0.0.1/"},
		{"http://0x7f.0.0.1/", "http://127.0.0.1/"},
		{"http://0X7F000001/", "http://127.0.0.1/"},
		{"http://0300.0250.1/", "http://192.168.0.1/"},
		{"http://%31%32%37.0.0.1/", "http://127.0.0.1/"},
		{"http://127.0.0.1./", "http://127.0.0.1/"},
		{"http://0x7f000001./", "http://127.0.0.1/"},
		{"http://0x7f.1./", "http://127.0.0.1/"},
		{"http://0x/", "http://0.0.0.0/"},
		{"http://4294967295/", "http://255.255.255.255/"},
		{"http://1.0xffffff/", "http://1.255.255.255/"},
		{"http://%30x%37F.1/", "http://127.0.0.1/"},
		/* full-width digits and full stops */
		{"http://\xef\xbc\x91\xef\xbc\x8e\xef\xbc\x92/",
		 "http://1.0.0.2/"},
		/* no number, so a name */
		{"http://1.2.3.0x7g/", "http://1.2.3.0x7g/"},
		{"http://1.2.3.4x/", "http://1.2.3.4x/"},
		{"http://[::1]:8080/", "http://[::1]:8080/"},
		{"http://[0:0::0001]:80/", "http://[::1]/"},
		{"http://[2001:DB8::A]/", "http://[2001:db8::a]/"},
		{"http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/"},
		{"http://[::1.2.0.0]/", "http://[::102:0]/"},
		{"http://[1:0:0:2:0:0:0:3]/", "http://[1:0:0:2::3]/"},
	};

	for (size_t i = 0; i < COUNT_OF(pairs); i++)
		check(NULL, &pairs[i], ERR_NONE);
}

TEST(names_are_written_in_ascii)
{
	static const struct pair pairs[] = {
		{"http://B\xc3\xbc"
		 "cher.example/",
		 "http://xn--bcher-kva.example/"},
		{"http://b%C3%BCcher.example:81/",
		 "http://xn--bcher-kva.example:81/"},
		{"http://\xef\xbd\x81.example/", "http://a.example/"},
		{"http://exa%4dple.org/", "http://example.org/"},
		/* not transitional: another name than strasse */
		{"http://stra\xc3\x9f"
		 "e.example/",
		 "http://xn--strae-oqa.example/"},
		{"http://\xe2\x99\xa5.example/", "http://xn--g6h.example/"},
		{"http://a\xe3\x80\x82"
		 "example/",
		 "http://a.example/"},
		/* ASCII is not checked */
		{"http://XN--a.example/", "http://xn--a.example/"},
		{"http://ab--c.example/", "http://ab--c.example/"},
		{"http://-a.example/", "http://-a.example/"},
		{"http://a_b.example/", "http://a_b.example/"},
	};

	for (size_t i = 0; i < COUNT_OF(pairs); i++)
		check(NULL, &pairs[i], ERR_NONE);
}

TEST(references_are_resolved)
{
	static const struct pair pairs[] = {
		{"", "http://a/b/c?q"},
		{"#f", "http://a/b/c?q"},
		{"http:", "http://a/b/c?q"},
		{"?x", "http://a/b/c?x"},
		{"?", "http://a/b/c"},
		{"d", "http://a/b/d"},
		{"d?u=http://e/f", "http://a/b/d?u=http://e/f"},
		{"./d", "http://a/b/d"},
		{"..", "http://a/"},
		{"../../d", "http://a/d"},
		{"/d", "http://a/d"},
		{"//e/f", "http://e/f"},
		{"\\\\e\\f", "http://e/f"},
		{"/\\e/f", "http://e/f"},
		{"http:d", "http://a/b/d"},
		{"https:e", "https://e/"},
		{"https://e:443/f", "https://e/f"},
		{"d:e/f", NULL},
		{"./d:e", "http://a/b/d:e"},
		{"%64:e", "http://a/b/d:e"},
		{"d e\n f", "http://a/b/d%20e%20f"},
	};

	for (size_t i = 0; i < COUNT_OF(pairs); i++)
		check("http://a/b/c?q#f", &pairs[i], ERR_ADDRESS_FORBIDDEN);
}

TEST(other_schemes_are_refused)
{
	static const struct pair pairs[] = {
		{"mailto:a@b.example", NULL},     {"javascript:alert(1)", NULL},
		{" java\nscript:alert(1)", NULL}, {"tel:110", NULL},
		{"data:text/html,x", NULL},       {"ftp://a/", NULL},
		{"file:///etc/passwd", NULL},     {"about:blank", NULL},
	};

	for (size_t i = 0; i < COUNT_OF(pairs); i++) {
		check(NULL, &pairs[i], ERR_ADDRESS_FORBIDDEN);
		check("http://a/", &pairs[i], ERR_ADDRESS_FORBIDDEN);
	}
}

TEST(a_text_that_is_no_url_is_malformed)
{
	static const struct pair pairs[] = {
		{"", NULL},
		{"/x", NULL},
		{"http://", NULL},
		{"http://?x", NULL},
		{"http://a:0/", NULL},
		{"http://a:65536/", NULL},
		{"http://a:8x/", NULL},
		{"http://a b/", NULL},
		{"http://a<b/", NULL},
		{"http://a..b/", NULL},
		{"http://.a/", NULL},
		{"http://a%00b/", NULL},
		{"http://a%2Fb/", NULL},
		{"http://a%01b/", NULL},
		{"http://256.1.1.1/", NULL},
		{"http://1.2.3.4.5/", NULL},
		{"http://1.2.3.0400/", NULL},
		{"http://1.2.3.08/", NULL},
		{"http://1..2/", NULL},
		{"http://4294967296/", NULL},
		{"http://99999999999999999999/", NULL},
		{"http://b\xc3\xbc.09/", NULL},
		{"http://[::1]x/", NULL},
		{"http://[::1\0/", NULL},
		{"http://[1:2:3:4:5:6:7:8:9]/", NULL},
		{"http://[::%31]/", NULL},
		{"http://a:8:9/", NULL},
		{"http://:80/", NULL},
		{"http://\xff\xfe/", NULL},
		{"http://[::1/", NULL},
		{"http://[fe80::1%25eth0]/", NULL},
		{"http://[1.2.3.4]/", NULL},
	};

	for (size_t i = 0; i < COUNT_OF(pairs); i++)
		check(NULL, &pairs[i], ERR_MALFORMED);
}

TEST(a_nul_byte_is_no_end)
{
	static const char host[] = "http://a.example\0.evil/";
	static const char path[] = "http://a.example/b\0c";
	struct url url;

	ck_assert_int_eq(
		url_parse(&url, (struct slice){host, sizeof(host) - 1}, NULL),
		ERR_MALFORMED);
	ASSERT_OK(
		url_parse(&url, (struct slice){path, sizeof(path) - 1}, NULL));
	ck_assert_str_eq(url.text, "http://a.example/b%00c");
}

TEST(no_value_is_an_empty_reference)
{
	struct url base = parse("http://a/b?c");
	struct slice none = {NULL, 0};
	struct url url;

	ck_assert_int_eq(url_parse(&url, none, NULL), ERR_MALFORMED);
	ASSERT_OK(url_parse(&url, none, &base));
	ck_assert_str_eq(url.text, base.text);
}

TEST(the_parts_fit_together)
{
	struct url url = parse("https://Example.org:8443/a?b");

	ck_assert_str_eq(url.host, "example.org:8443");
	ck_assert_str_eq(url.authority, "https://example.org:8443");
	ck_assert_str_eq(url.text + url.path, "/a?b");
	ck_assert(url.is_https);
	url = parse("http://[::1]:8080/");
	ck_assert_str_eq(url.host, "[::1]:8080");
	ck_assert(!url.is_https);
}

/* Write over the beginning of `text`, without a NUL. */
static void write_over(char *text, struct slice begin)
{
	memcpy(text, begin.data, begin.size);
}

TEST(the_longest_url_is_2083_bytes)
{
	char text[MAX_URL_BYTES + 2];
	struct url url;

	memset(text, 'a', sizeof(text));
	write_over(text, slice_of("http://a/"));
	ASSERT_OK(url_parse(&url, (struct slice){text, MAX_URL_BYTES}, NULL));
	ck_assert_uint_eq(strlen(url.text), MAX_URL_BYTES);
	ck_assert_int_eq(
		url_parse(&url, (struct slice){text, MAX_URL_BYTES + 1}, NULL),
		ERR_TOO_LARGE);
}

/* What is dropped may be long; what is refused is refused, however long. */
TEST(only_the_canonical_form_is_measured)
{
	size_t size = 1 << 20;
	AUTO_TEXT *text = malloc(size);
	struct url url;

	memset(text, 'a', size);
	write_over(text, slice_of("http://a/#"));
	ASSERT_OK(url_parse(&url, (struct slice){text, size}, NULL));
	ck_assert_str_eq(url.text, "http://a/");
	text[9] = '?';
	ck_assert_int_eq(url_parse(&url, (struct slice){text, size}, NULL),
			 ERR_TOO_LARGE);
	write_over(text, slice_of("data:text,"));
	ck_assert_int_eq(url_parse(&url, (struct slice){text, size}, NULL),
			 ERR_ADDRESS_FORBIDDEN);
	memset(text + 7, 'a', size - 7);
	write_over(text, slice_of("http://"));
	ck_assert_int_eq(url_parse(&url, (struct slice){text, size}, NULL),
			 ERR_TOO_LARGE);
}

TEST(an_error_leaves_the_result_alone)
{
	struct url url = parse("http://a/b");

	ck_assert_int_eq(url_parse(&url, slice_of("mailto:x"), &url),
			 ERR_ADDRESS_FORBIDDEN);
	ck_assert_str_eq(url.text, "http://a/b");
}

TEST(a_base_is_used_when_it_is_one)
{
	struct url page = parse("http://a/b/c");

	ck_assert_str_eq(url_base(&page, slice_of("d/")).text, "http://a/b/d/");
	ck_assert_str_eq(url_base(&page, slice_of("//e/f")).text, "http://e/f");
	ck_assert_str_eq(url_base(&page, slice_of("")).text, page.text);
	ck_assert_str_eq(url_base(&page, slice_of(NULL)).text, page.text);
	ck_assert_str_eq(url_base(&page, slice_of("data:,x")).text, page.text);
}

static void fill_randomly(char *text, size_t size)
{
	static const char alphabet[] =
		"ab.%/?:@#[]\\ 2eEfF<&=+-\xc3\xbc\x01~'*$;";

	for (size_t i = 0; i < size; i++)
		text[i] = alphabet[random_below(sizeof(alphabet) - 1)];
	if (random_below(2) == 0)
		write_over(text, slice_of("http://"));
}

static void check_is_canonical(const struct url *url)
{
	struct url again;

	ck_assert_msg(url_parse(&again, slice_of(url->text), NULL) ==
				      ERR_NONE &&
			      strcmp(url->text, again.text) == 0 &&
			      strcmp(url->host, again.host) == 0,
		      "%s", url->text);
}

TEST(the_canonical_form_of_a_canonical_form_is_itself)
{
	struct url base = parse("http://a.example/b/c?d");

	random_begin((uint64_t)time(NULL));
	for (int i = 0; i < 20000; i++) {
		char text[24];
		struct url url;

		fill_randomly(text, sizeof(text));
		if (url_parse(&url, (struct slice){text, sizeof(text)},
			      &base) == ERR_NONE)
			check_is_canonical(&url);
	}
}

TEST(site_without_scheme_needs_a_dot_or_a_port)
{
	static const struct {
		const char *text;
		const char *url; /* NULL: an error */
	} rows[] = {
		{"example.org", "http://example.org/"},
		{" example.org/news ", "http://example.org/news"},
		{"localhost", "http://localhost/"},
		{"LOCALHOST/x", "http://localhost/x"},
		{"localhost:8080", "http://localhost:8080/"},
		{"box:8080/", "http://box:8080/"},
		{"127.0.0.1", "http://127.0.0.1/"},
		{"[::1]", "http://[::1]/"},
		{"http://foo", "http://foo/"},
		{"\tHTTPS://foo/x", "https://foo/x"},
		{"foo", NULL},
		{"foo/bar.html", NULL},
		{"//foo/", NULL},
		{"http", NULL},
		{"https/", NULL},
		{"foo.", NULL},
		{"", NULL},
		{"ftp://example.org/", NULL},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct url url = {0};
		enum error error = url_parse_site(&url, slice_of(rows[i].text));

		ck_assert_msg((error == ERR_NONE) == (rows[i].url != NULL),
			      "'%s' gives %d", rows[i].text, error);
		if (rows[i].url != NULL)
			ck_assert_str_eq(url.text, rows[i].url);
	}
}

TEST(endpoint_of_a_browser_is_a_url_of_its_server)
{
	static const struct {
		const char *text;
		const char *url; /* NULL: it is refused */
	} rows[] = {
		{"ws://a:9222/devtools/browser/1-2",
		 "http://a:9222/devtools/browser/1-2"},
		{"wss://a.test/x?token=1", "https://a.test/x?token=1"},
		{"http://127.0.0.1:9222", "http://127.0.0.1:9222/"},
		{"https://[::1]/json", "https://[::1]/json"},
		{"", NULL},
		{"a:9222", NULL},
		{"wsx://a/", NULL},
		{"ws:a", NULL},
		{"file:///etc/passwd", NULL},
		{"/usr/bin/chromium", NULL},
		{"ws://", NULL},
	};
	char text[MAX_URL_BYTES + 2];
	struct url url;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		enum error error = url_parse_endpoint(&url, rows[i].text);

		ck_assert_msg((error == ERR_NONE) == (rows[i].url != NULL),
			      "'%s' gives %d", rows[i].text, error);
		if (rows[i].url != NULL)
			ck_assert_str_eq(url.text, rows[i].url);
	}
	memset(text, 'a', sizeof(text));
	memcpy(text, "ws://a/", 7);
	text[sizeof(text) - 1] = '\0';
	ck_assert_int_eq(url_parse_endpoint(&url, text), ERR_TOO_LARGE);
}

TEST(credentials_of_a_url_are_decoded)
{
	static const struct {
		const char *text;
		const char *user; /* NULL: they cannot be sent */
	} rows[] = {
		{"http://example.org/", ""},
		{"http://me:pass@example.org/", "me:pass"},
		{"me:pass@example.org:8080/x", NULL},
		{"https://me@example.org", "me:"},
		{"http://me:p%40%3Aw@example.org/@x", "me:p@:w"},
		{"http://me:p@w@example.org/", "me:p@w"},
		{" \thttp://m\ne:p@example.org/", "me:p"},
		{"http://example.org/?q=a@b", ""},
		{"http://a%3Ab:c@example.org/", NULL},
		{"http://:c@example.org/", NULL},
		{"http://a:%0A@example.org/", NULL},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		AUTO_BUFFER user = {0};
		bool is_valid = url_credentials(slice_of(rows[i].text), &user);

		if (rows[i].user == NULL) {
			ck_assert_msg(!is_valid || user.size == 0, "%s",
				      rows[i].text);
			continue;
		}
		ck_assert_msg(is_valid, "%s", rows[i].text);
		ck_assert_str_eq(user.data == NULL ? "" : user.data,
				 rows[i].user);
	}
}
