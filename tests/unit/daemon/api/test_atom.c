#include "daemon/api/api_events.h"

#include "tests/unit/auto_json.h"
#include "tests/unit/run.h"

static const struct atom_site site = {
	.host = {"a.example", 9},
	.seed = {"http://a.example/?a=1&b=2", 25},
	.origin = "https://w.test",
	.path = "/v1/sites/a.example/feed",
	.updated_ms = 1700000000000, /* 2023-11-14T22:13:20Z */
};

static void check_entry(const char *json, const char *const *parts)
{
	AUTO_JSON *event = json_loads(json, 0, NULL);
	AUTO_BUFFER out = {0};

	ck_assert_ptr_nonnull(event);
	atom_entry(&site, event, site.updated_ms, &out);
	for (; *parts != NULL; parts++)
		ck_assert_msg(strstr(out.data, *parts) != NULL, "no %s in %s",
			      *parts, out.data);
}

TEST(a_feed_has_the_elements_required_by_the_rfc)
{
	AUTO_BUFFER out = {0};

	atom_begin(&site, &out);
	atom_end(&out);
	ck_assert_str_eq(out.data,
			 "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
			 "<feed xmlns=\"http://www.w3.org/2005/Atom\">\n"
			 "<id>tag:templated.invalid,2026:a.example</id>\n"
			 "<title>Templates of a.example</title>\n"
			 "<updated>2023-11-14T22:13:20Z</updated>\n"
			 "<author><name>templated</name></author>\n"
			 "<link rel=\"self\" "
			 "href=\"https://w.test/v1/sites/a.example/feed\"/>\n"
			 "<link rel=\"alternate\" "
			 "href=\"http://a.example/?a=1&amp;b=2\"/>\n"
			 "</feed>\n");
}

TEST(an_entry_has_its_number_and_its_message)
{
	static const char *const parts[] = {
		"<id>tag:templated.invalid,2026:a.example:7:1700000000000</id>",
		"<title>a.example: a &amp; b</title>",
		"&lt;p&gt;On a.example: gone.&lt;/p&gt;&lt;p&gt;Next: look.",
		"<link rel=\"related\" href=\"https://w.test/ui/alerts/7\"/>",
		"<updated>2023-11-14T22:13:20Z</updated>",
		"href=\"http://a.example/x\"",
		"<category term=\"template.removed\"/>",
		NULL};

	check_entry("{\"seq\":7,\"kind\":\"template.removed\",\"pages\":2,"
		    "\"cluster\":\"a.example/3\",\"site\":\"a.example\","
		    "\"title\":\"a.example: a & b\","
		    "\"text\":\"On a.example: gone.\\nNext: look.\","
		    "\"url\":\"http://a.example/x\",\"detail\":null}",
		    parts);
}

/* Escaped once for HTML and once for XML; characters that XML forbids are
 * dropped. */
TEST(evidence_is_escaped_twice)
{
	static const char *const parts[] = {
		"&lt;dt&gt;a&lt;/dt&gt;&lt;dd&gt;&amp;lt;script&amp;gt;x "
		"&amp;amp; y&lt;/dd&gt;",
		"&lt;dd&gt;&lt;ul&gt;&lt;li&gt;1&lt;/li&gt;&lt;li&gt;{&amp;"
		"quot;t&amp;quot;:&amp;quot;]]&amp;gt;&amp;quot;}&lt;/li&gt;"
		"&lt;/ul&gt;&lt;/dd&gt;",
		NULL};

	check_entry("{\"seq\":1,\"kind\":\"template.added\",\"detail\":{"
		    "\"a\":\"<script>x\\u0001& y\","
		    "\"b\":[1,{\"t\":\"]]>\"}]}}",
		    parts);
}

TEST(lists_are_cut)
{
	static const char *const parts[] = {"&lt;li&gt;and 5 more&lt;/li&gt;",
					    NULL};
	AUTO_BUFFER json = {0};

	buffer_append_text(&json, "{\"seq\":1,\"kind\":\"template.added\","
				  "\"detail\":{\"a\":[0");
	for (int i = 1; i < 105; i++)
		buffer_printf(&json, ",%d", i);
	buffer_append_text(&json, "]}}");
	check_entry(json.data, parts);
}

TEST(a_feed_of_all_sites_names_the_site_of_each_entry)
{
	const struct atom_site all = {.origin = "", .path = "/feed/k"};
	AUTO_JSON *event = json_loads("{\"seq\":7,\"kind\":\"site.stale\","
				      "\"site\":\"b.example\"}",
				      0, NULL);
	AUTO_BUFFER out = {0};

	atom_begin(&all, &out);
	atom_entry(&all, event, 1, &out);
	buffer_append_byte(&out, '\0');
	ck_assert_ptr_nonnull(strstr(out.data, ":all</id>\n<title>Templates "
					       "of all sites</title>"));
	ck_assert_ptr_nonnull(strstr(out.data, ",2026:b.example:7:1</id>"));
	ck_assert_ptr_nonnull(strstr(out.data, "href=\"http://b.example/\""));
}
