#include "daemon/web/web_site.h"

#include "daemon/web/html.h"
#include "tests/unit/auto_json.h"
#include "tests/unit/run.h"

#define EVIL                                                                 \
	"\\\"></code></textarea><script>x()</script><img src=x onerror=x()>" \
	"' &amp; \\u202e\\u0000"

/* Every member that a page shows, as a text, a number or a list. */
static const char *const members[] = {
	"host",     "url",     "added",       "state",         "seen",
	"id",       "title",   "short_title", "template_name", "pattern",
	"cluster",  "name",    "selector",    "expect",        "language",
	"site",     "kind",    "time",        "other",         "created",
	"changed",  "first",   "last",        "text",          "method",
	"reason",   "quality", "value",       "path",          "example",
	"meaning",  "good",    "version",     "path",          "now",
	"template", "fetched", "description", "type",          "message",
	"next",
};

static const char *const lists[] = {
	"sites",  "clusters", "patterns",   "guards", "pages",    "fragments",
	"blocks", "versions", "candidates", "sample", "silences", "processes",
	"gone",   "come",     "authors",    "fields", "records",  "rounds",
};

static const char *const objects[] = {
	"detail", "paths",    "classes", "metadata", "visit",
	"robots", "pipeline", "counts",  "store",    "published",
};

static const char *const numbers[] = {
	"pages", "tried", "pending", "max_pages", "seq",   "guard",
	"df",    "ratio", "score",   "bytes",     "alert",
};

/* An object with all of that, and `inner` in its lists and objects; NULL: it
 * has none. */
static json_t *evil_around(json_t *inner)
{
	AUTO_JSON *text = json_loads("[\"" EVIL "\"]", JSON_ALLOW_NUL, NULL);
	json_t *object = json_object();

	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < COUNT_OF(members); i++)
		json_object_set(object, members[i], json_array_get(text, 0));
	for (size_t i = 0; i < COUNT_OF(numbers); i++)
		json_object_set_new(object, numbers[i], json_integer(-7));
	json_object_set_new(object, "alert", json_true());
	for (size_t i = 0; inner != NULL && i < COUNT_OF(lists); i++)
		json_object_set_new(
			object, lists[i],
			json_pack("[O, n, i, s]", inner, 1, "text"));
	for (size_t i = 0; inner != NULL && i < COUNT_OF(objects); i++)
		json_object_set(object, objects[i], inner);
	return object;
}

/* The same, three levels deep. */
static json_t *evil(void)
{
	json_t *value = NULL;

	for (unsigned depth = 0; depth < 4; depth++) {
		json_t *around = evil_around(value);

		json_decref(value);
		value = around;
	}
	return value;
}

static bool is_void(struct slice name)
{
	static const char *const names[] = {
		"!DOCTYPE", "meta", "link", "input", "rect", "path", "circle"};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (slice_equal(name, slice_of(names[i])))
			return true;
	return false;
}

/* The elements that are open. */
struct nesting {
	struct slice names[64];
	size_t depth;
};

/* Read a tag; false: it closes what is not open, or opens too many. */
static bool read_tag(struct nesting *nesting, const char *tag)
{
	bool is_end = tag[1] == '/';
	const char *begin = tag + 1 + is_end;
	struct slice name = {begin, strcspn(begin, " >")};

	if (is_end)
		return nesting->depth > 0 &&
		       slice_equal(nesting->names[--nesting->depth], name);
	if (is_void(name))
		return true;
	if (nesting->depth == 64)
		return false;
	nesting->names[nesting->depth++] = name;
	return true;
}

/* Every element that is opened is closed, in order. */
static void assert_balanced(const char *html)
{
	struct nesting nesting = {.depth = 0};

	while ((html = strchr(html, '<')) != NULL) {
		ck_assert_msg(read_tag(&nesting, html), "%.80s", html);
		html = strchr(html, '>');
		ck_assert_ptr_nonnull(html);
	}
	ck_assert_uint_eq(nesting.depth, 0);
}

/* Append every page of `value`, whatever it is, that readers have. */
static void show_open(const json_t *value, const json_t *list, bool is_reader,
		      struct buffer *out)
{
	ui_sites(out, &(struct ui_sites){value, list, NULL, is_reader});
	for (unsigned i = 0; i < UI_TEMPLATE_TABS; i++)
		ui_template(out, &(struct ui_template){
					 .host = ui_member(value, "host"),
					 .template = value,
					 .pages = value,
					 .diff = value,
					 .records = value,
					 .tab = (enum ui_template_tab)i,
					 .is_reader = is_reader});
	ui_value(out, &(struct ui_value){.host = ui_member(value, "host"),
					 .url = ui_member(value, "url"),
					 .field = ui_member(value, "name"),
					 .table = value});
	ui_site(out, &(struct ui_site){.site = value,
				       .clusters = value,
				       .tab = UI_TEMPLATES,
				       .is_reader = is_reader});
	ui_site(out, &(struct ui_site){.site = value,
				       .events = list,
				       .tab = UI_EVENTS,
				       .is_reader = is_reader});
	for (unsigned i = 0; i < UI_VISIT; i++)
		ui_page(out, &(struct ui_page){.url = ui_member(value, "url"),
					       .text = value,
					       .explain = value,
					       .tab = (enum ui_page_tab)i,
					       .is_reader = is_reader});
	ui_alerts(out, &(struct ui_alerts){.events = list,
					   .silences = is_reader ? NULL : value,
					   .is_reader = is_reader});
	ui_alert(out, value, is_reader);
}

/* Missing parts. */
static void show_closed(const json_t *value, struct buffer *out)
{
	ui_site(out, &(struct ui_site){.site = value,
				       .patterns = value,
				       .tab = UI_PATTERNS});
	ui_site(out, &(struct ui_site){
			     .site = value, .guards = value, .tab = UI_GUARDS});
	ui_site(out, &(struct ui_site){.site = value, .tab = UI_SETTINGS});
	ui_page(out, &(struct ui_page){.url = ui_member(value, "url"),
				       .explain = value,
				       .tab = UI_VISIT});
	ui_guard(out, value);
	ui_element(out, &(struct ui_element){.host = ui_member(value, "host"),
					     .url = ui_member(value, "url"),
					     .cluster = ui_member(value, "id"),
					     .found = value});
	ui_daemon(out, value);
}

static void show_all(const json_t *value, const json_t *list,
		     struct buffer *out)
{
	show_open(value, list, false, out);
	show_closed(value, out);
}

/* Links to missing parts. */
TEST(readers_have_no_forms)
{
	static const char *const closed[] = {
		"method=\"post\"", "/settings", "/patterns", "/guards",
		"/page/visit",     "/report",   "/ui/daemon"};
	const struct ui_frame frame = {.title = "x", .is_reader = true};
	AUTO_JSON *value = evil();
	AUTO_JSON *list = json_pack("[O]", value);
	AUTO_BUFFER out = {0};

	ui_begin(&out, &frame);
	show_open(value, list, true, &out);
	for (size_t i = 0; i < COUNT_OF(closed); i++)
		ck_assert_ptr_null(strstr(out.data, closed[i]));
	buffer_clear(&out);
	show_all(value, list, &out);
	for (size_t i = 0; i < COUNT_OF(closed) - 1; i++)
		ck_assert_ptr_nonnull(strstr(out.data, closed[i]));
}

TEST(nothing_foreign_becomes_markup)
{
	static const char turned[] = {(char)0xe2, (char)0x80, (char)0xae, 0};
	AUTO_JSON *value = evil();
	AUTO_JSON *list = json_pack("[O, n, i]", value, 7);
	AUTO_BUFFER out = {0};

	show_all(value, list, &out);
	ck_assert_ptr_nonnull(strstr(out.data, "&lt;script&gt;x()"));
	ck_assert_ptr_null(strstr(out.data, "<script"));
	ck_assert_ptr_null(strstr(out.data, "<img"));
	ck_assert_ptr_null(strstr(out.data, turned));
	assert_balanced(out.data);
}

TEST(what_is_missing_is_left_out)
{
	AUTO_JSON *empty = json_object();
	AUTO_BUFFER out = {0};

	show_all(NULL, NULL, &out);
	show_all(empty, empty, &out);
	assert_balanced(out.data);
	ck_assert_ptr_null(strstr(out.data, "(null)"));
}

TEST(sites_go_on_behind_the_last_one)
{
	AUTO_JSON *some = json_pack("{s:[{s:s}], s:s}", "sites", "host", "b:80",
				    "next", "b:80");
	AUTO_JSON *last = json_pack("{s:[{s:s}]}", "sites", "host", "c");
	AUTO_BUFFER out = {0};

	ui_sites(&out, &(struct ui_sites){some, NULL, NULL, true});
	ck_assert_ptr_nonnull(strstr(out.data, "1 site on this page, "));
	ck_assert_ptr_nonnull(strstr(out.data, "href=\"/?after=b:80\">Next"));
	ck_assert_ptr_null(strstr(out.data, "First sites"));
	buffer_clear(&out);
	ui_sites(&out, &(struct ui_sites){last, NULL, "b:80", true});
	ck_assert_ptr_null(strstr(out.data, "Next sites"));
	ck_assert_ptr_nonnull(strstr(out.data, "href=\"/\">First sites"));
	buffer_clear(&out);
	ui_sites(&out, &(struct ui_sites){last, NULL, NULL, true});
	ck_assert_ptr_nonnull(strstr(out.data, ">1 site, 0 pages, "));
	ck_assert_ptr_null(strstr(out.data, "First sites"));
}

TEST(records_are_a_table)
{
	AUTO_JSON *table = json_loads(
		"{\"next\": \"5.0a\", \"fields\": [{\"name\": \"<b>\", "
		"\"type\": \"price\", \"fill\": 1, \"firing\": true, "
		"\"rounds\": [{\"pages\": 4, \"filled\": 4}, {\"pages\": 4, "
		"\"filled\": 1, \"outliers\": 2, \"type_errors\": 0}]}, "
		"{\"name\": \"tags\", \"type\": \"text\", \"fill\": 0.5, "
		"\"rounds\": []}], \"records\": [{\"url\": \"http://h/a?b\", "
		"\"fields\": {\"<b>\": \"<i>1\", \"tags\": [\"x\", {\"y\": "
		"2}], \"_unsure\": [\"<b>\"]}}, {\"url\": \"http://h/c\", "
		"\"error\": {\"message\": \"it has <expired>\"}}]}",
		0, NULL);
	AUTO_BUFFER out = {0};

	ck_assert_ptr_nonnull(table);
	ui_records(&out, &(struct ui_template){
				 .host = "h", .number = 3, .records = table});
	assert_balanced(out.data);
	ck_assert_ptr_nonnull(strstr(out.data, "<b>&lt;b&gt;</b> price"));
	ck_assert_ptr_nonnull(strstr(out.data, "Fill rates: 100% 25%"));
	ck_assert_ptr_nonnull(strstr(out.data, "25&nbsp;%, 2 outliers<"));
	ck_assert_ptr_null(strstr(out.data, "of another type"));
	ck_assert_ptr_nonnull(strstr(out.data, ">50&nbsp;%<"));
	ck_assert_ptr_nonnull(strstr(out.data, ">/a?b</a>"));
	ck_assert_ptr_nonnull(strstr(
		out.data, "/value?url=http:%2F%2Fh%2Fa%3Fb&amp;field=%3Cb%3E\" "
			  "title=\"&lt;i&gt;1\">&lt;i&gt;1</a> <span "
			  "class=\"badge warn\">unsure</span>"));
	ck_assert_ptr_nonnull(strstr(out.data, ">x; {&quot;y&quot;:2}</a>"));
	ck_assert_ptr_nonnull(strstr(out.data, "it has &lt;expired&gt;</td>"));
	ck_assert_ptr_nonnull(strstr(
		out.data, "\"/ui/templates/h/3/fields?since=5.0a\">Next"));
}

TEST(only_pages_of_the_web_are_linked)
{
	AUTO_BUFFER out = {0};

	html_write(&out, NULL, "{foreign}", "javascript:x()");
	ck_assert_str_eq(out.data, "javascript:x()");
	buffer_clear(&out);
	html_write(&out, NULL, "{foreign}", "http://h/\"><b>");
	ck_assert_ptr_nonnull(strstr(out.data, "href=\"http://h/&quot;&gt;"));
	ck_assert_ptr_nonnull(strstr(out.data, "rel=\"noreferrer "));
}

TEST(links_carry_any_address)
{
	AUTO_JSON *template = json_pack("{s:s, s:s}", "id", "127.0.0.1:80/3",
					"name", "list <b>");
	AUTO_BUFFER out = {0};

	html_write(&out, NULL, "{page}", "http://h/?a=1&b=\"#c d");
	ck_assert_ptr_nonnull(strstr(out.data, "url=http:%2F%2Fh%2F%3Fa%3D1"
					       "%26b%3D%22%23c%20d\""));
	buffer_clear(&out);
	html_write(&out, template, "{template:id}");
	ck_assert_ptr_nonnull(strstr(
		out.data, "\"/ui/templates/127.0.0.1:80/3\">list &lt;b&gt; "
			  "<code>127.0.0.1:80/3</code>"));
	json_object_del(template, "name");
	buffer_clear(&out);
	html_write(&out, template, "{template:id}");
	ck_assert_ptr_nonnull(
		strstr(out.data, "80/3\"><code>127.0.0.1:80/3</code>"));
}

TEST(numbers_are_for_people)
{
	AUTO_BUFFER out = {0};

	html_append_count(&out, 1234567);
	html_append_counted(&out, 1, " page");
	ui_bytes(&out, 999);
	ui_bytes(&out, 1500);
	ui_bytes(&out, UINT64_MAX);
	ck_assert_str_eq(out.data, "1,234,5671  page999&nbsp;B1.5&nbsp;kB"
				   "18446744&nbsp;TB");
}

TEST(the_frame_is_whole)
{
	AUTO_BUFFER out = {0};
	AUTO_BUFFER policy = {0};
	char *script;

	ui_failure(&out, &(struct ui_frame){.can_leave = true}, 404, "<b>");
	ck_assert_ptr_nonnull(strstr(out.data, "&lt;b&gt;"));
	/* the script is no markup */
	script = strstr(out.data, "<script>") + strlen("<script>");
	memmove(script, strstr(script, "</script>"),
		strlen(strstr(script, "</script>")) + 1);
	assert_balanced(out.data);
	ui_policy(&policy, true);
	ck_assert_ptr_nonnull(strstr(policy.data, "script-src 'sha256-"));
	ck_assert_uint_lt(policy.size, 1024);
}
