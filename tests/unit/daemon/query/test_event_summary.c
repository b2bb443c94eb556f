#include "daemon/query/event.h"

#include "tests/unit/auto_json.h"
#include "tests/unit/run.h"

static void check(const char *json, const char *wanted)
{
	AUTO_JSON *event = json_loads(json, 0, NULL);
	AUTO_BUFFER out = {0};

	ck_assert_ptr_nonnull(event);
	event_summary(event, &out);
	ck_assert_str_eq(out.data, wanted);
}

TEST(a_change_tells_what_moved_and_who_says_so)
{
	check("{\"kind\":\"template.changed\",\"pages\":9,\"detail\":{"
	      "\"seen\":5,\"agreed\":4,"
	      "\"paths\":{\"gone_count\":12,\"come_count\":9},"
	      "\"fragments\":{\"gone_count\":0,\"come_count\":3}}}",
	      "the template has changed, 12 paths removed and 9 added, 0 "
	      "texts removed and 3 added (4 of 5 pages agree)");
}

TEST(a_redesign_names_the_new_template)
{
	check("{\"kind\":\"template.replaced\",\"other\":\"a.example/9\","
	      "\"detail\":{\"seen\":8,\"agreed\":8,"
	      "\"paths\":{\"moved\":0.8}}}",
	      "a redesign: its pages have another template: a.example/9 (8 of "
	      "8 pages agree)");
}

TEST(an_edit_is_no_redesign)
{
	check("{\"kind\":\"template.replaced\",\"other\":\"a.example/9\","
	      "\"detail\":{\"seen\":8,\"agreed\":8,"
	      "\"paths\":{\"moved\":0.62}}}",
	      "its pages have another template: a.example/9 (8 of 8 pages "
	      "agree)");
	check("{\"kind\":\"template.changed\",\"detail\":{\"reason\":"
	      "\"a class of html or body has changed\"}}",
	      "the template has changed, a class of html or body has "
	      "changed");
}

TEST(what_is_left_of_a_template_is_counted)
{
	check("{\"kind\":\"template.removed\",\"pages\":159,\"detail\":{"
	      "\"seen\":16,\"agreed\":15,\"left\":8,"
	      "\"reason\":\"most of its pages were removed\"}}",
	      "the pages of the template were removed, 159 of 167, most of "
	      "its pages were removed (15 of 16 pages agree)");
	check("{\"kind\":\"template.checked\",\"detail\":{\"reason\":"
	      "\"it is unchanged\"}}",
	      "a suspected change was not confirmed, it is unchanged");
	check("{\"kind\":\"site.threshold_changed\",\"detail\":{\"from\":0.2,"
	      "\"to\":0.25,\"reason\":\"set by the operator\"}}",
	      "the threshold has changed: 0.25 instead of 0.2, set by the "
	      "operator");
}

TEST(a_guard_is_named_with_its_replacements)
{
	check("{\"kind\":\"guard.firing\",\"pages\":1,\"detail\":{"
	      "\"name\":\"price\",\"selector\":\"//b\","
	      "\"candidates\":[{\"selector\":\"i.a\"},{\"selector\":\"u\"}]}}",
	      "a selector no longer matches: price, possibly now i.a (1 page)");
	check("{\"kind\":\"guard.resolved\",\"detail\":{\"selector\":\"//b\"}}",
	      "a selector matches again: //b");
}

TEST(a_site_that_is_stale_is_so_for_days)
{
	check("{\"kind\":\"site.stale\",\"detail\":{\"days\":7}}",
	      "the site has returned no page for 7 days");
	check("{\"kind\":\"site.stale\",\"detail\":{\"days\":1}}",
	      "the site has returned no page for 1 day");
}

TEST(an_incident_names_its_templates_and_guards)
{
	check("{\"kind\":\"incident.changed\",\"detail\":{\"template_count\":6,"
	      "\"templates\":[{\"name\":\"article\",\"what\":\"replaced\"},"
	      "{\"template\":\"a.example/2\",\"name\":null},{\"name\":\"b\"},"
	      "{\"name\":\"c\"},{\"name\":\"d\"}],\"guard_count\":1,"
	      "\"guards\":[{\"name\":\"price\",\"what\":\"firing\","
	      "\"candidates\":[{\"selector\":\".amount\",\"score\":0.9}]}],"
	      "\"moved\":[{\"from\":\"/a\",\"to\":\"/b\"}]}}",
	      "a new design of 6 templates: article; a.example/2; b; c and 2 "
	      "more; 1 selector no longer matches: price, possibly now "
	      ".amount; 1 URL moved");
	check("{\"kind\":\"incident.changed\",\"detail\":{\"template_count\":1,"
	      "\"templates\":[{\"name\":\"article\",\"what\":\"restored\"}]}}",
	      "the earlier design of 1 template: article");
	check("{\"kind\":\"incident.changed\",\"detail\":{\"template_count\":1,"
	      "\"templates\":[{\"name\":\"product\",\"what\":\"changed\","
	      "\"regions\":[{\"where\":\"main\",\"was\":\"h1.title\",\"now\":"
	      "\"h2.name\"}]}]}}",
	      "a new design of 1 template: product, main: h1.title is now "
	      "h2.name");
	check("{\"kind\":\"incident.guard\",\"detail\":{\"guard_count\":2,"
	      "\"guards\":[{\"name\":\"price\",\"what\":\"unmatched\"},"
	      "{\"selector\":\"h1\",\"what\":\"unmatched\"}]}}",
	      "2 selectors have no pages: price; h1");
	check("{\"kind\":\"incident.guard_resolved\",\"detail\":{"
	      "\"guard_count\":1,\"guards\":[{\"name\":\"price\","
	      "\"what\":\"resolved\"}]}}",
	      "1 selector matches again: price");
	check("{\"kind\":\"incident.down\",\"detail\":{\"state\":"
	      "\"unreachable\",\"reason\":\"connection refused\"}}",
	      "the site is down: unreachable, connection refused");
	check("{\"kind\":\"incident.back\",\"detail\":{\"state\":\"blocked\"}}",
	      "the site is back; it was blocked");
	check("{\"kind\":\"incident.ended\",\"detail\":{\"incident\":7}}",
	      "the incident has ended");
}

TEST(what_is_missing_or_odd_is_left_out)
{
	check("{}", "an event");
	check("{\"kind\":\"x.y\"}", "x.y");
	check("{\"kind\":7,\"other\":[],\"pages\":\"a\",\"detail\":[1]}",
	      "an event");
	check("{\"kind\":\"guard.firing\",\"detail\":{\"name\":3,"
	      "\"candidates\":{\"selector\":1},\"paths\":7,\"seen\":1}}",
	      "a selector no longer matches");
	check("{\"kind\":\"page.added\",\"pages\":-1,\"detail\":null}",
	      "a page was added");
}

TEST(fields_show_their_first_change)
{
	check("{\"kind\":\"field.changed\",\"pages\":2,\"detail\":{\"field\":"
	      "\"price\",\"changes\":[{\"old\":\"1\",\"new\":\"2\"}]}}",
	      "values have changed: price, 1 is now 2 (2 pages)");
	check("{\"kind\":\"field.changed\",\"pages\":1,\"detail\":{\"field\":"
	      "\"tags\",\"changes\":[{\"old\":[\"a\",\"b\"],\"new\":null}]}}",
	      "values have changed: tags, a is now no value (1 page)");
	check("{\"kind\":\"incident.field\",\"detail\":{\"field_count\":1,"
	      "\"fields\":[{\"field\":\"price\",\"what\":\"firing\","
	      "\"reason\":\"4 of 4 pages have lost the value\"}]}}",
	      "1 field has lost its values: price, 4 of 4 pages have lost the "
	      "value");
	check("{\"kind\":\"incident.field_resolved\",\"detail\":{"
	      "\"field_count\":2,\"fields\":[{\"field\":\"a\",\"what\":"
	      "\"resolved\"},{\"field\":\"b\",\"what\":\"resolved\"}]}}",
	      "2 fields have values again: a; b");
}

TEST(every_kind_has_a_sentence)
{
#define X(name, value, text)                                              \
	{                                                                 \
		json_t *event = json_pack("{s:s}", "kind", text);         \
		struct buffer out = {0};                                  \
                                                                          \
		event_summary(event, &out);                               \
		ck_assert_msg(strchr(out.data, ' ') != NULL, "%s", text); \
		json_decref(event);                                       \
		buffer_free(&out);                                        \
	}
	EVENT_LIST(X)
#undef X
}
