#include "daemon/runtime/library_memory.h"

#include <signal.h>
#include <stdint.h>

#include <jansson.h>
#include <libxml/xmlmemory.h>

#include "base/memory.h"
#include "page/page.h"
#include "tests/unit/auto_json.h"
#include "tests/unit/run.h"

/* More than available: malloc() fails without a try. */
static const size_t too_much = PTRDIFF_MAX / 2;

TEST_ABORTS(jansson_ends_the_process)
{
	library_memory_install();
	json_decref(json_stringn_nocheck("x", too_much));
}

TEST_ABORTS(libxml2_ends_the_process)
{
	library_memory_install();
	xmlFree(xmlMalloc(too_much));
}

TEST_ABORTS(libxml2_ends_the_process_when_more_is_wanted)
{
	library_memory_install();
	xmlFree(xmlRealloc(xmlMalloc(16), too_much));
}

TEST_ABORTS(a_library_that_says_so_ends_the_process)
{
	mem_exhausted("the test");
}

TEST(what_was_made_before_can_be_freed_after)
{
	AUTO_JSON *value = json_pack("{s:s, s:[i, i]}", "a", "b", "c", 1, 2);
	xmlChar *text = xmlStrdup((const xmlChar *)"text");
	xmlChar *copy;

	library_memory_install();
	json_object_set_new(value, "d", json_string("e"));
	copy = xmlStrdup(text);
	ck_assert_str_eq((const char *)copy, "text");
	ck_assert_str_eq(json_string_value(json_object_get(value, "d")), "e");
	xmlFree(text);
	xmlFree(copy);
}
