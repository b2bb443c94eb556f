#include "daemon/ctl/yaml_json.h"

#include "tests/unit/run.h"

static char reason[256];

static void check(const char *yaml, const char *json)
{
	json_t *value = yaml_json_parse(slice_of(yaml), reason);
	char *text;

	if (json == NULL) {
		ck_assert_msg(value == NULL, "%s", yaml);
		ck_assert_str_ne(reason, "");
		return;
	}
	ck_assert_msg(value != NULL, "%s: %s", yaml, reason);
	text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY |
					 JSON_REAL_PRECISION(6));
	ck_assert_str_eq(text, json);
	free(text);
	json_decref(value);
}

TEST(yaml_becomes_json)
{
	check("sites:\n- url: http://a.example/\n  max_pages: 7\n",
	      "{\"sites\":[{\"url\":\"http://a.example/\",\"max_pages\":7}]}");
	check("{a: [yes, no, true, ~, '1', \"x\", -2, .css]}",
	      "{\"a\":[true,false,true,null,\"1\",\"x\",-2,\".css\"]}");
	check("a: 0.25", "{\"a\":0.25}");
	check("a:", "{\"a\":null}");
	check("- 1..", "[\"1..\"]");
	check("a: |\n  b\n  c\n", "{\"a\":\"b\\nc\\n\"}");
}

TEST(what_is_not_needed_is_refused)
{
	char deep[200] = "";

	check("", NULL);
	check("a: [", NULL);
	check("a: &x 1\nb: *x", NULL);
	check("a: !!int 1", NULL);
	check("a: 1\na: 2", NULL);
	check("? [a]\n: b", NULL);
	check("a: \"\\0\"", NULL);
	memset(deep, '[', 20);
	check(deep, NULL);
}

TEST(what_is_written_is_read_back)
{
	static const char text[] =
		"[{\"url\":\"http://a.example/\",\"auto\":true,\"n\":1,"
		"\"t\":0.2,\"include\":[\"/a\",\"*.html$\"],\"exclude\":[],"
		"\"guards\":[{\"css\":\"#x: \\\"y\\\"\",\"name\":\"yes\"},"
		"{\"xpath\":\"//a[1]\"}]},{\"url\":\"b\\n\"}]";
	AUTO_BUFFER yaml = {0};
	json_t *value = json_loads(text, 0, NULL);

	ck_assert_ptr_nonnull(value);
	yaml_json_append(&yaml, value, 0);
	json_decref(value);
	check(yaml.data, text);
}
