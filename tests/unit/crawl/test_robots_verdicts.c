/*
 * Published verdicts: the examples of RFC 9309, of Google's documentation ("How
 * Google interprets the robots.txt specification"), and the cases of its
 * parser's test.
 */
#include "crawl/robots.h"

#include "crawl/url/url.h"

#include "tests/unit/run.h"

struct row {
	const char *file;
	const char *agent;
	const char *path;
	bool allows;
};

static bool allows(const char *file, const char *agent, struct slice path)
{
	AUTO_ARENA *arena = arena_create();
	const struct robots *robots =
		robots_parse(arena, slice_of(file), agent);

	return robots_allows(robots, path);
}

static void check(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		ck_assert_msg(allows(rows[i].file, rows[i].agent,
				     slice_of(rows[i].path)) == rows[i].allows,
			      "%s %s\n%s", rows[i].agent, rows[i].path,
			      rows[i].file);
}

#define CHECK(rows) check(rows, COUNT_OF(rows))

/* Section 5.1 */
#define SIMPLE                           \
	"User-Agent: *\n"                \
	"Disallow: *.gif$\n"             \
	"Disallow: /example/\n"          \
	"Allow: /publications/\n"        \
	"\n"                             \
	"User-Agent: foobot\n"           \
	"Disallow:/\n"                   \
	"Allow:/example/page.html\n"     \
	"Allow:/example/allowed.gif\n"   \
	"\n"                             \
	"User-Agent: barbot\n"           \
	"User-Agent: bazbot\n"           \
	"Disallow: /example/page.html\n" \
	"\n"                             \
	"User-Agent: quxbot\n"

/* Section 2.2.1, the two tables of groups */
#define MERGED                                                     \
	"user-agent: ExampleBot\ndisallow: /foo\ndisallow: /bar\n" \
	"\n"                                                       \
	"user-agent: ExampleBot\ndisallow: /baz\n"
#define UNNAMED                                           \
	"user-agent: *\ndisallow: /foo\ndisallow: /bar\n" \
	"\n"                                              \
	"user-agent: BazBot\ndisallow: /baz\n"

static const struct row rfc_rows[] = {
	{SIMPLE, "other", "/", true},
	{SIMPLE, "other", "/a.gif", false},
	{SIMPLE, "other", "/publications/a.gif", true},
	{SIMPLE, "other", "/publications/", true},
	{SIMPLE, "other", "/example/", false},
	{SIMPLE, "other", "/example/page.html", false},
	{SIMPLE, "other", "/a.gif?b", true},
	{SIMPLE, "foobot", "/", false},
	{SIMPLE, "foobot", "/publications/", false},
	{SIMPLE, "foobot", "/example/page.html", true},
	{SIMPLE, "foobot", "/example/allowed.gif", true},
	{SIMPLE, "foobot", "/example/a.gif", false},
	{SIMPLE, "barbot", "/example/page.html", false},
	{SIMPLE, "bazbot", "/example/page.html", false},
	{SIMPLE, "bazbot", "/example/a.gif", true},
	{SIMPLE, "quxbot", "/example/page.html", true},
	{SIMPLE, "quxbot", "/a.gif", true},

	{MERGED, "ExampleBot", "/foo", false},
	{MERGED, "ExampleBot", "/bar", false},
	{MERGED, "ExampleBot", "/baz", false},
	{MERGED, "ExampleBot", "/qux", true},
	{MERGED, "examplebot", "/baz", false},
	{MERGED, "other", "/baz", true},
	{UNNAMED, "ExampleBot", "/foo", false},
	{UNNAMED, "ExampleBot", "/bar", false},
	{UNNAMED, "ExampleBot", "/baz", true},
	{UNNAMED, "BazBot", "/baz", false},
	{UNNAMED, "BazBot", "/foo", true},

	/* 2.2.2: rules outside of groups; an empty group; case of paths */
	{"disallow: /\nuser-agent: a\nallow: /\n", "a", "/x", true},
	{"disallow: /\nuser-agent: a\n", "b", "/x", true},
	{"user-agent: a\ndisallow: /X\n", "a", "/x", true},
	{"user-agent: a\ndisallow: /\n", "a", "/robots.txt", true},
	{"user-agent: a\ndisallow: /x\n", "a", "/y/x", true},

	/* 2.2.2, the table of percent-encoded examples */
	{"user-agent: a\ndisallow: /foo/bar?baz=quz\n", "a", "/foo/bar?baz=quz",
	 false},
	{"user-agent: a\ndisallow: /foo/bar?baz=https://foo.bar\n", "a",
	 "/foo/bar?baz=https%3A%2F%2Ffoo.bar", false},
	{"user-agent: a\ndisallow: /foo/bar?baz=https%3a%2F%2ffoo.bar\n", "a",
	 "/foo/bar?baz=https://foo.bar", false},
	{"user-agent: a\ndisallow: /foo/bar?baz=https://foo.bar\n", "a",
	 "/foo/bar?baz=https://foo.bar", false},
	{"user-agent: a\ndisallow: /foo/bar/\xe3\x83\x84\n", "a",
	 "/foo/bar/%E3%83%84", false},
	{"user-agent: a\ndisallow: /foo/bar/%e3%83%84\n", "a",
	 "/foo/bar/\xe3\x83\x84", false},
	{"user-agent: a\ndisallow: /foo/bar/%62%61%7A\n", "a", "/foo/bar/baz",
	 false},
	{"user-agent: a\ndisallow: /foo/bar/baz\n", "a", "/foo/bar/%62%61%7a",
	 false},
	{"user-agent: a\ndisallow: /a%2Fb\n", "a", "/a/b", true},

	/* 2.2.3, both tables */
	{"user-agent: a\ndisallow: /\nallow: / # comment in line\n", "a", "/x",
	 true},
	{"user-agent: a\n# comment on its own line\ndisallow: /\n", "a", "/x",
	 false},
	{"user-agent: a\ndisallow: /this/path/exactly$\n", "a",
	 "/this/path/exactly", false},
	{"user-agent: a\ndisallow: /this/path/exactly$\n", "a",
	 "/this/path/exactly/not", true},
	{"user-agent: a\ndisallow: /this/*/exactly\n", "a",
	 "/this/or/that/exactly", false},
	{"user-agent: a\ndisallow: /this/*/exactly\n", "a", "/this//exactly",
	 false},
	{"user-agent: a\ndisallow: /this/*/exactly\n", "a", "/this/exactly",
	 true},
	{"user-agent: a\ndisallow: /path/file-with-a-%2A.html\n", "a",
	 "/path/file-with-a-*.html", false},
	{"user-agent: a\ndisallow: /path/file-with-a-%2A.html\n", "a",
	 "/path/file-with-a-b.html", true},
	{"user-agent: a\ndisallow: /path/foo-%24\n", "a", "/path/foo-$", false},
	{"user-agent: a\ndisallow: /path/foo-%24\n", "a", "/path/foo-$/",
	 false},

	/* 2.2.4: a Sitemap ends no group */
	{"user-agent: a\nSitemap: /s\nuser-agent: b\ndisallow: /x\n", "a", "/x",
	 false},
	{"user-agent: a\ndisallow: /y\nSitemap: /s\ndisallow: /x\n", "a", "/x",
	 false},

	/* 5.2 */
	{"User-Agent: foobot\nAllow: /example/page/\n"
	 "Disallow: /example/page/disallowed.gif\n",
	 "foobot", "/example/page/disallowed.gif", false},
	{"User-Agent: foobot\nAllow: /example/page/\n"
	 "Disallow: /example/page/disallowed.gif\n",
	 "foobot", "/example/page/", true},
};

TEST(rfc_9309)
{
	CHECK(rfc_rows);
}

#define FOOBOT     "user-agent: FooBot\n"
#define ONLY(path) FOOBOT "disallow: /\nallow: " path "\n"

/* The documentation's table "Example path matches": all but the rule is shut.
 */
static const struct row document_rows[] = {
	{ONLY("/"), "FooBot", "/anything", true},
	{ONLY("/*"), "FooBot", "/anything", true},
	{ONLY("/$"), "FooBot", "/", true},
	{ONLY("/$"), "FooBot", "/a", false},

	{ONLY("/fish"), "FooBot", "/fish", true},
	{ONLY("/fish"), "FooBot", "/fish.html", true},
	{ONLY("/fish"), "FooBot", "/fish/salmon.html", true},
	{ONLY("/fish"), "FooBot", "/fishheads", true},
	{ONLY("/fish"), "FooBot", "/fishheads/yummy.html", true},
	{ONLY("/fish"), "FooBot", "/fish.php?id=anything", true},
	{ONLY("/fish"), "FooBot", "/Fish.asp", false},
	{ONLY("/fish"), "FooBot", "/catfish", false},
	{ONLY("/fish"), "FooBot", "/?id=fish", false},
	{ONLY("/fish"), "FooBot", "/desert/fish", false},
	{ONLY("/fish"), "FooBot", "/bar", false},

	{ONLY("/fish*"), "FooBot", "/fish", true},
	{ONLY("/fish*"), "FooBot", "/fish.html", true},
	{ONLY("/fish*"), "FooBot", "/fish/salmon.html", true},
	{ONLY("/fish*"), "FooBot", "/fishheads", true},
	{ONLY("/fish*"), "FooBot", "/fishheads/yummy.html", true},
	{ONLY("/fish*"), "FooBot", "/fish.php?id=anything", true},
	{ONLY("/fish*"), "FooBot", "/Fish.asp", false},
	{ONLY("/fish*"), "FooBot", "/catfish", false},
	{ONLY("/fish*"), "FooBot", "/?id=fish", false},
	{ONLY("/fish*"), "FooBot", "/desert/fish", false},

	{ONLY("/fish/"), "FooBot", "/fish/", true},
	{ONLY("/fish/"), "FooBot", "/fish/salmon", true},
	{ONLY("/fish/"), "FooBot", "/fish/?salmon", true},
	{ONLY("/fish/"), "FooBot", "/fish/?id=anything", true},
	{ONLY("/fish/"), "FooBot", "/fish/salmon.htm", true},
	{ONLY("/fish/"), "FooBot", "/fish", false},
	{ONLY("/fish/"), "FooBot", "/fish.html", false},
	{ONLY("/fish/"), "FooBot", "/animals/fish/", false},
	{ONLY("/fish/"), "FooBot", "/Fish/Salmon.asp", false},

	{ONLY("/*.php"), "FooBot", "/index.php", true},
	{ONLY("/*.php"), "FooBot", "/filename.php", true},
	{ONLY("/*.php"), "FooBot", "/folder/filename.php", true},
	{ONLY("/*.php"), "FooBot", "/folder/filename.php?parameters", true},
	{ONLY("/*.php"), "FooBot", "//folder/any.php.file.html", true},
	{ONLY("/*.php"), "FooBot", "/filename.php/", true},
	{ONLY("/*.php"), "FooBot", "/index?f=filename.php/", true},
	{ONLY("/*.php"), "FooBot", "/", false},
	{ONLY("/*.php"), "FooBot", "/php/", false},
	{ONLY("/*.php"), "FooBot", "/index?php", false},
	{ONLY("/*.php"), "FooBot", "/windows.PHP", false},

	{ONLY("/*.php$"), "FooBot", "/filename.php", true},
	{ONLY("/*.php$"), "FooBot", "/folder/filename.php", true},
	{ONLY("/*.php$"), "FooBot", "/filename.php?parameters", false},
	{ONLY("/*.php$"), "FooBot", "/filename.php/", false},
	{ONLY("/*.php$"), "FooBot", "/filename.php5", false},
	{ONLY("/*.php$"), "FooBot", "/php/", false},
	{ONLY("/*.php$"), "FooBot", "/filename?php", false},
	{ONLY("/*.php$"), "FooBot", "/aaaphpaaa", false},
	{ONLY("/*.php$"), "FooBot", "//windows.PHP", false},

	{ONLY("/fish*.php"), "FooBot", "/fish.php", true},
	{ONLY("/fish*.php"), "FooBot", "/fishheads/catfish.php?parameters",
	 true},
	{ONLY("/fish*.php"), "FooBot", "/Fish.PHP", false},

	/* "Order of precedence for rules" */
	{FOOBOT "allow: /p\ndisallow: /\n", "FooBot", "/page", true},
	{FOOBOT "allow: /folder\ndisallow: /folder\n", "FooBot", "/folder/page",
	 true},
	{FOOBOT "allow: /page\ndisallow: /*.htm\n", "FooBot", "/page.htm",
	 false},
	{FOOBOT "allow: /page\ndisallow: /*.ph\n", "FooBot", "/page.php5",
	 true},
	{FOOBOT "allow: /$\ndisallow: /\n", "FooBot", "/", true},
	{FOOBOT "allow: /$\ndisallow: /\n", "FooBot", "/page.htm", false},
};

TEST(googles_documentation)
{
	CHECK(document_rows);
}

/* "Grouping of lines and rules": e and f share a group, "*" has its own */
#define GROUPING                                         \
	"user-agent: a\ndisallow: /c\n\n"                \
	"user-agent: b\ndisallow: /d\n\n"                \
	"user-agent: e\nuser-agent: f\ndisallow: /g\n\n" \
	"user-agent: h\n"
#define OTHER_FIELDS                                           \
	"user-agent: a\ncrawl-delay: 5\nsitemap: http://h/s\n" \
	"user-agent: b\ndisallow: /\n"
#define AGENTS                                            \
	"user-agent: googlebot-news\ndisallow: /fish\n\n" \
	"user-agent: *\ndisallow: /carrots\n\n"           \
	"user-agent: googlebot-news\ndisallow: /shrimp\n"

static const struct row group_rows[] = {
	{GROUPING, "a", "/c", false},
	{GROUPING, "a", "/d", true},
	{GROUPING, "b", "/d", false},
	{GROUPING, "e", "/g", false},
	{GROUPING, "f", "/g", false},
	{GROUPING, "h", "/g", true},
	{OTHER_FIELDS, "a", "/", false},
	{OTHER_FIELDS, "b", "/", false},
	{AGENTS, "googlebot-news", "/fish", false},
	{AGENTS, "googlebot-news", "/shrimp", false},
	{AGENTS, "googlebot-news", "/carrots", true},
	{AGENTS, "googlebot", "/carrots", false},
	{AGENTS, "googlebot", "/fish", true},
};

TEST(groups_of_googles_documentation)
{
	CHECK(group_rows);
}

#define GROUPS                                              \
	"allow: /foo/bar/\n\n"                              \
	"user-agent: FooBot\ndisallow: /\nallow: /x/\n"     \
	"user-agent: BarBot\ndisallow: /\nallow: /y/\n\n\n" \
	"allow: /w/\n"                                      \
	"user-agent: BazBot\n\n"                            \
	"user-agent: FooBot\nallow: /z/\ndisallow: /\n"
#define FOO_BAR "User-Agent: FoO bAr\nAllow: /x/\nDisallow: /\n"
#define FIRST_SPACE                    \
	"User-Agent: *\nDisallow: /\n" \
	"User-Agent: Foo Bar\nAllow: /x/\nDisallow: /\n"
#define GLOBAL "user-agent: *\nallow: /\n" FOOBOT "disallow: /\n"
#define SPECIFIC                                   \
	FOOBOT "allow: /\n"                        \
	       "user-agent: BarBot\ndisallow: /\n" \
	       "user-agent: BazBot\ndisallow: /\n"
#define OF_ALL "User-agent: *\nDisallow: /x/\n" FOOBOT "Disallow: /y/\n"
#define QUERY  ONLY("/foo/bar?qux=taz&baz=http://foo.bar?tar&par")

static const struct row unit_rows[] = {
	/* GoogleOnly_SystemTest */
	{"", "FooBot", "", true},
	{FOOBOT "disallow: /\n", "Other", "", true},
	{FOOBOT "disallow: /\n", "FooBot", "", false},
	/* ID_LineSyntax_Line */
	{FOOBOT "disallow: /\n", "FooBot", "/x/y", false},
	{"foo: FooBot\nbar: /\n", "FooBot", "/x/y", true},
	{"user-agent FooBot\ndisallow /\n", "FooBot", "/x/y", false},
	/* ID_LineSyntax_Groups */
	{GROUPS, "FooBot", "/x/b", true},
	{GROUPS, "FooBot", "/z/d", true},
	{GROUPS, "FooBot", "/y/c", false},
	{GROUPS, "BarBot", "/y/c", true},
	{GROUPS, "BarBot", "/w/a", true},
	{GROUPS, "BarBot", "/z/d", false},
	{GROUPS, "BazBot", "/z/d", true},
	{GROUPS, "FooBot", "/foo/bar/", false},
	{GROUPS, "BarBot", "/foo/bar/", false},
	{GROUPS, "BazBot", "/foo/bar/", false},
	/* ID_REPLineNamesCaseInsensitive */
	{"USER-AGENT: FooBot\nALLOW: /x/\nDISALLOW: /\n", "FooBot", "/x/y",
	 true},
	{"USER-AGENT: FooBot\nALLOW: /x/\nDISALLOW: /\n", "FooBot", "/a/b",
	 false},
	{"uSeR-aGeNt: FooBot\nAlLoW: /x/\ndIsAlLoW: /\n", "FooBot", "/x/y",
	 true},
	{"uSeR-aGeNt: FooBot\nAlLoW: /x/\ndIsAlLoW: /\n", "FooBot", "/a/b",
	 false},
	/* ID_UserAgentValueCaseInsensitive, ..AcceptUserAgentUpToFirstSpace */
	{FOO_BAR, "Foo", "/x/y", true},
	{FOO_BAR, "foo", "/a/b", false},
	{FIRST_SPACE, "Foo", "/x/y", true},
	{FIRST_SPACE, "Foo Bar", "/x/y", false},
	/* ID_GlobalGroups_Secondary */
	{GLOBAL, "FooBot", "/x/y", false},
	{GLOBAL, "BarBot", "/x/y", true},
	{SPECIFIC, "QuxBot", "/x/y", true},
	/* ID_AllowDisallow_Value_CaseSensitive */
	{FOOBOT "disallow: /x/\n", "FooBot", "/x/y", false},
	{FOOBOT "disallow: /X/\n", "FooBot", "/x/y", true},
	/* ID_LongestMatch */
	{FOOBOT "disallow: /x/page.html\nallow: /x/\n", "FooBot",
	 "/x/page.html", false},
	{FOOBOT "allow: /x/page.html\ndisallow: /x/\n", "FooBot",
	 "/x/page.html", true},
	{FOOBOT "allow: /x/page.html\ndisallow: /x/\n", "FooBot", "/x/", false},
	{FOOBOT "disallow: \nallow: \n", "FooBot", "/x/page.html", true},
	{FOOBOT "disallow: /\nallow: /\n", "FooBot", "/x/page.html", true},
	{FOOBOT "disallow: /x\nallow: /x/\n", "FooBot", "/x", false},
	{FOOBOT "disallow: /x\nallow: /x/\n", "FooBot", "/x/", true},
	{FOOBOT "disallow: /x/page.html\nallow: /x/page.html\n", "FooBot",
	 "/x/page.html", true},
	{FOOBOT "allow: /page\ndisallow: /*.html\n", "FooBot", "/page.html",
	 false},
	{FOOBOT "allow: /page\ndisallow: /*.html\n", "FooBot", "/page", true},
	{FOOBOT "allow: /x/page.\ndisallow: /*.html\n", "FooBot",
	 "/x/page.html", true},
	{FOOBOT "allow: /x/page.\ndisallow: /*.html\n", "FooBot", "/x/y.html",
	 false},
	{OF_ALL, "FooBot", "/x/page", true},
	{OF_ALL, "FooBot", "/y/page", false},
	/* ID_Encoding */
	{QUERY, "FooBot", "/foo/bar?qux=taz&baz=http://foo.bar?tar&par", true},
	{ONLY("/foo/bar/\xe3\x83\x84"), "FooBot", "/foo/bar/%E3%83%84", true},
	{ONLY("/foo/bar/%E3%83%84"), "FooBot", "/foo/bar/%E3%83%84", true},
	{ONLY("/foo/bar/%62%61%7A"), "FooBot", "/foo/bar/%62%61%7A", true},
	{FOOBOT "disallow: /SanJos\xc3\xa9Sellers\n", "FooBot",
	 "/SanJos%C3%A9Sellers", false},
	{FOOBOT "disallow: /%aa\n", "FooBot", "/%AA", false},
	/* ID_SpecialCharacters */
	{FOOBOT "disallow: /foo/bar/quz\nallow: /foo/*/qux\n", "FooBot",
	 "/foo/bar/quz", false},
	{FOOBOT "disallow: /foo/bar/quz\nallow: /foo/*/qux\n", "FooBot",
	 "/foo/quz", true},
	{FOOBOT "disallow: /foo/bar/quz\nallow: /foo/*/qux\n", "FooBot",
	 "/foo//quz", true},
	{FOOBOT "disallow: /foo/bar/quz\nallow: /foo/*/qux\n", "FooBot",
	 "/foo/bax/quz", true},
	{FOOBOT "disallow: /foo/bar$\nallow: /foo/bar/qux\n", "FooBot",
	 "/foo/bar", false},
	{FOOBOT "disallow: /foo/bar$\nallow: /foo/bar/qux\n", "FooBot",
	 "/foo/bar/qux", true},
	{FOOBOT "disallow: /foo/bar$\nallow: /foo/bar/qux\n", "FooBot",
	 "/foo/bar/", true},
	{FOOBOT "disallow: /foo/bar$\nallow: /foo/bar/qux\n", "FooBot",
	 "/foo/bar/baz", true},
	{FOOBOT "# disallow: /\ndisallow: /foo/quz#qux\nallow: /\n", "FooBot",
	 "/foo/bar", true},
	{FOOBOT "# disallow: /\ndisallow: /foo/quz#qux\nallow: /\n", "FooBot",
	 "/foo/quz", false},
	/* GoogleOnly_IndexHTMLisDirectory, except the directory itself */
	{"User-Agent: *\nAllow: /a/index.html\nDisallow: /\n", "foobot",
	 "/a/index.html", true},
	{"User-Agent: *\nAllow: /a/index.html\nDisallow: /\n", "foobot",
	 "/a/index.htm", false},
	{"User-Agent: *\nAllow: /a/index.html\nDisallow: /\n", "foobot",
	 "/other", false},
	/* ID_UTF8ByteOrderMarkIsSkipped: whole and in part, at the begin */
	{"\xef\xbb\xbf" FOOBOT "disallow: /\n", "FooBot", "/a", false},
	{"\xef\xbb" FOOBOT "disallow: /\n", "FooBot", "/a", false},
	{"\xef" FOOBOT "disallow: /\n", "FooBot", "/a", false},
	{"\xef\x11\xbf" FOOBOT "disallow: /\n", "FooBot", "/a", true},
	{FOOBOT "\xef\xbb\xbf"
		"disallow: /\n",
	 "FooBot", "/a", true},
};

TEST(googles_unit_tests)
{
	CHECK(unit_rows);
}

/*
 * Where Google's test departs from the RFC, follow the RFC: an unreserved
 * character is the same escaped or not (2.2.2), addresses are encoded before
 * the comparison (2.2.2), and an allowed index.html does not allow its
 * directory (2.2.2: up to the end of the path of the rule).
 */
static const struct row rfc_not_google_rows[] = {
	{ONLY("/foo/bar/%62%61%7A"), "FooBot", "/foo/bar/baz", true},
	{ONLY("/foo/bar/\xe3\x83\x84"), "FooBot", "/foo/bar/\xe3\x83\x84",
	 true},
	{ONLY("/foo/bar/%E3%83%84"), "FooBot", "/foo/bar/\xe3\x83\x84", true},
	{"User-Agent: *\nAllow: /a/index.html\nDisallow: /\n", "foobot", "/a/",
	 false},
};

TEST(the_rfc_where_google_departs_from_it)
{
	CHECK(rfc_not_google_rows);
}

/*
 * GoogleOnly_LineTooLong: a line counts up to 8 * 2083 bytes there. Here it
 * counts whole, and no path is as long.
 */
TEST(a_rule_longer_than_any_line_of_google)
{
	const int digits = 8 * 2083;
	AUTO_BUFFER file = {0};

	buffer_printf(&file, FOOBOT "disallow: /x/%0*d/qux\n", digits, 0);
	ck_assert(allows(file.data, "FooBot", slice_of("/fux")));
	ck_assert(!allows(file.data, "FooBot",
			  (struct slice){file.data + 29, (size_t)digits}));
	ck_assert(allows(file.data, "FooBot",
			 (struct slice){file.data + 29, MAX_URL_BYTES}));
	buffer_clear(&file);
	buffer_printf(&file, FOOBOT "disallow: /\nallow: /x/%0*d/qux\n", digits,
		      0);
	ck_assert(!allows(file.data, "FooBot", slice_of("/")));
}

static const char *const line_files[] = {
	"User-Agent: foo\nAllow: /some/path\nUser-Agent: bar\n\n\nDisallow: "
	"/\n",
	"User-Agent: foo\r\nAllow: /some/path\r\nUser-Agent: "
	"bar\r\n\r\n\r\nDisallow: /\r\n",
	"User-Agent: foo\rAllow: /some/path\rUser-Agent: bar\r\r\rDisallow: "
	"/\r",
	"User-Agent: foo\nAllow: /some/path\nUser-Agent: bar\n\n\nDisallow: /",
	"User-Agent: foo\nAllow: /some/path\r\nUser-Agent: "
	"bar\n\r\n\nDisallow: /",
};

/* ID_LinesNumbersAreCountedCorrectly */
TEST(lines_are_counted_as_by_google)
{
	AUTO_ARENA *arena = arena_create();

	for (size_t i = 0; i < COUNT_OF(line_files); i++) {
		const struct robots *foo =
			robots_parse(arena, slice_of(line_files[i]), "foo");
		const struct robots *bar =
			robots_parse(arena, slice_of(line_files[i]), "bar");

		ck_assert_uint_eq(
			robots_explain(foo, slice_of("/some/path")).line, 2);
		ck_assert_uint_eq(robots_explain(bar, slice_of("/")).line, 6);
	}
}
