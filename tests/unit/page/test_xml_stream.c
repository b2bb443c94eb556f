#include "page/xml_stream.h"

#include <stdlib.h>

#include "store/buffer.h"
#include "tests/unit/run.h"

/*
 * What a handler is told: "<name" or "<{space}name", "@name=value" for each
 * attribute, ">text/" at the end.
 */
static void on_start(void *context, struct slice name, struct slice space)
{
	struct buffer *log = context;

	buffer_append_byte(log, '<');
	if (space.size > 0) {
		buffer_append_byte(log, '{');
		buffer_append_slice(log, space);
		buffer_append_byte(log, '}');
	}
	buffer_append_slice(log, name);
}

static void on_end(void *context, struct slice name, struct slice text)
{
	struct buffer *log = context;

	ck_assert_uint_gt(name.size, 0);
	buffer_append_byte(log, '>');
	buffer_append_slice(log, text);
	buffer_append_byte(log, '/');
}

static void on_attribute(void *context, struct slice name, struct slice value)
{
	struct buffer *log = context;

	buffer_append_byte(log, '@');
	buffer_append_slice(log, name);
	buffer_append_byte(log, '=');
	buffer_append_slice(log, value);
}

/* Read `bytes`, `piece` at a time, into `log`. */
static enum error read(struct slice bytes, size_t piece, struct buffer *log)
{
	struct xml_handler handler = {on_start, on_end, on_attribute, log};
	struct xml_stream *stream = xml_stream_create(&handler);
	const char *at = bytes.data;
	enum error fed = ERR_NONE;
	enum error error;

	for (size_t i = 0; i < bytes.size; i += piece) {
		size_t left = bytes.size - i;

		fed = xml_stream_feed(
			stream,
			(struct slice){at + i, left < piece ? left : piece});
	}
	error = xml_stream_finish(stream);
	if (fed != ERR_NONE)
		ck_assert_int_eq(error, fed);
	xml_stream_destroy(stream);
	return error;
}

static bool is_text(const struct buffer *log, const char *text)
{
	return slice_equal(buffer_slice(log), slice_of(text));
}

/* All at once and a byte at a time. */
static enum error told(struct slice bytes, const char *events)
{
	struct buffer whole = {0};
	struct buffer pieces = {0};
	enum error error = read(bytes, 1 << 20, &whole);

	ck_assert_int_eq(read(bytes, 1, &pieces), error);
	ck_assert_msg(is_text(&whole, events), "%.*s, not %s", (int)whole.size,
		      whole.size == 0 ? "" : whole.data, events);
	ck_assert(is_text(&pieces, events));
	buffer_free(&whole);
	buffer_free(&pieces);
	return error;
}

struct row {
	const char *xml;
	const char *events;
};

static void check_rows(const struct row *rows, size_t count, enum error error)
{
	for (size_t i = 0; i < count; i++)
		ck_assert_msg(told(slice_of(rows[i].xml), rows[i].events) ==
				      error,
			      "%s", rows[i].xml);
}

#define CHECK(rows, error) \
	check_rows((rows), sizeof(rows) / sizeof((rows)[0]), (error))

START_TEST(elements_attributes_and_text_are_told)
{
	static const struct row rows[] = {
		{"<a/>", "<a>/"},
		{"<a></a>", "<a>/"},
		{"<?xml version='1.0'?>\n<a b='1' c = \"2\">x</a>\n",
		 "<a@b=1@c=2>x/"},
		{"<a> x <b/> y </a>", "<a<b>/>x  y/"},
		{"<a>1<b>2<c>3</c>4</b>5</a>", "<a<b<c>3/>24/>15/"},
		{"<a>&lt;&amp;&gt;&quot;&apos;&#65;&#x42;</a>", "<a><&>\"'AB/"},
		{"<a b='&lt;&amp;&gt;&quot;&apos;&#65;&#x42;'/>",
		 "<a@b=<&>\"'AB>/"},
		{"<a>x<![CDATA[ <b>&amp;]]]]><!-- no -->y<?no no?></a>",
		 "<a>x <b>&amp;]]y/"},
		{"<a><![CDATA[]]]]></a>", "<a>]]/"},
		{"<a><![CDATA[x]>y]]></a>", "<a>x]>y/"},
		{"<a b='x > y'>1 > 0 ]]> 2</a>", "<a@b=x > y>1 > 0 ]]> 2/"},
		{"<a>\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80</a>",
		 "<a>\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80/"},
	};

	CHECK(rows, ERR_NONE);
}
END_TEST

START_TEST(names_are_local_and_spaces_are_told)
{
	static const struct row rows[] = {
		{"<a xmlns='u'><b/></a>", "<{u}a<{u}b>/>/"},
		{"<p:a xmlns:p='u'><b/><p:b p:c='1'/></p:a>",
		 "<{u}a<b>/<{u}b@c=1>/>/"},
		{"<a xmlns='u'><b xmlns='v'/><c xmlns=''/><d/></a>",
		 "<{u}a<{v}b>/<c>/<{u}d>/>/"},
		{"<a><image:loc>x</image:loc></a>", "<a<{image}loc>x/>/"},
	};

	CHECK(rows, ERR_NONE);
}
END_TEST

START_TEST(broken_xml_is_mended)
{
	static const struct row rows[] = {
		/* ampersands */
		{"<a>?a=1&b=2&copy=3&amp;d</a>", "<a>?a=1&b=2&copy=3&d/"},
		{"<a b='?a=1&b=2&amp;c'/>", "<a@b=?a=1&b=2&c>/"},
		{"<a>&nbsp;&;&#;&#x;&#xg;&#99999999;&</a>",
		 "<a>&nbsp;&;&#;&#x;&#xg;&#99999999;&/"},
		{"<a>x&<b/>&amp<c/></a>", "<a<b>/<c>/>x&&amp/"},
		/* tags */
		{"<a>1 < 2 <3 <</a>", "<a>1 < 2 <3 </"},
		{"<a><br><b>x</b></a>", "<a<br<b>x/>/>/"},
		{"<a></b>x</c></a>", "<a>x/"},
		{"<a><b>1<c>2</a>", "<a<b<c>2/>1/>/"},
		{"<a><b c='1'<d/></b></a>", "<a<b@c=1<d>/>/>/"},
		{"<a><b c='1<d/>'</b></a>", "<a<b<d>/>'/>/"},
		{"<a b=1 c d=\"2\"e='3'/>", "<a@b=1@c=@d=2@e=3>/"},
		{"<a b='1' b='2'/>", "<a@b=1@b=2>/"},
		{"<a =1 1b='2' $='3' c='4'/>", "<a@c=4>/"},
		{"<a$b c='1'>x</a$b>", "<a@c=1>x/"},
		{"<a><\xC3\x97>x</a>", "<a><\xC3\x97>x/"},
		{"<a><b\xC3\x97 c='1'>x</b></a>", "<a><b\xC3\x97 c='1'>x/"},
		{"<a><b:c:d/>x</a>", "<a><b:c:d/>x/"},
		{"<\xC3\x97><\xC3\xA9t\xC3\xA9/>", "<\xC3\xA9t\xC3\xA9>/"},
		/* before and behind */
		{"\n \xEF\xBB\xBF \t<?xml version='1.0'?><a/>", "<a>/"},
		{"<a/>text &<b", "<a>/"},
		{"<a/><b/>", "<a>/"},
		{"</b><a/>", "<a>/"},
		/* characters that XML does not know */
		{"<a>x\x01y\x0Cz</a>", "<a>x y z/"},
		{"<a b='x\x01y'/>", "<a@b=x y>/"},
		{"<a>x&#0;&#1;&#xD800;y</a>", "<a>xy/"},
		{"<a>\xFF\xC3(\xE2\x82</a>",
		 "<a>\xEF\xBF\xBD\xEF\xBF\xBD(\xEF\xBF\xBD/"},
	};

	CHECK(rows, ERR_NONE);
}
END_TEST

START_TEST(what_is_no_xml_is_malformed)
{
	static const struct row rows[] = {
		{"", ""},
		{" \n", ""},
		{"text", ""},
		{"text <a/>", ""},
		{"<", ""},
		{"< a/>", ""},
		{"<1/>", ""},
		{"<![CDATA[x]]><a/>", ""},
		{"<!DOCTYPE a", ""},
		{"<!-- <a/>", ""},
		{"<?xml version='1.0'?>", ""},
		{"<a", ""},
		{"<abc>", "<abc"},
		{"<a><b>x</b><c>y", "<a<b>x/<c"},
		{"\x1F\x8B\x08", ""},
	};

	CHECK(rows, ERR_MALFORMED);
}
END_TEST

START_TEST(no_dtd_is_read_and_no_entity_expanded)
{
	static const struct row rows[] = {
		{"<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>", "<a>/"},
		{"<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>"
		 "<a b='&e;'>&e;</a>",
		 "<a@b=&e;>&e;/"},
		{"<!DOCTYPE a [<!-- ]> don't --><!ENTITY e ']>'><?x y?>]>"
		 "<a>&e;</a>",
		 "<a>&e;/"},
		{"<!DOCTYPE a [<!-- ]> don't -->]><a/>", "<a>/"},
		{"<!DOCTYPE a [<!ENTITY % p SYSTEM 'http://127.0.0.1/'>%p;]>"
		 "<a/>",
		 "<a>/"},
		{"<!DOCTYPE a [<!ATTLIST a b CDATA 'default_value'>]><a/>",
		 "<a>/"},
		{"<!DOCTYPE html>\n<html/>", "<html>/"},
		{"<a><!ELEMENT b ANY>x</a>", "<a>x/"},
	};

	CHECK(rows, ERR_NONE);
}
END_TEST

START_TEST(a_billion_laughs_cost_nothing)
{
	struct buffer xml = {0};

	buffer_append_text(&xml, "<!DOCTYPE a [<!ENTITY e0 'ha'>");
	for (int i = 1; i < 30; i++)
		buffer_printf(&xml, "<!ENTITY e%d '&e%d;&e%d;'>", i, i - 1,
			      i - 1);
	buffer_append_text(&xml, "]><a>&e29;</a>");
	ck_assert_int_eq(told(buffer_slice(&xml), "<a>&e29;/"), ERR_NONE);
	buffer_free(&xml);
}
END_TEST

#define BYTES(literal) ((struct slice){(literal), sizeof(literal) - 1})

START_TEST(encodings_are_told_by_marks_and_declarations)
{
	/* U+00E9, in windows-1251 0xE9 is U+0439, in KOI8-R U+0418 */
	static const struct {
		struct slice xml;
		const char *events;
	} rows[] = {
		{BYTES("<?xml version='1.0' "
		       "encoding='ISO-8859-1'?><a>\xE9</a>"),
		 "<a>\xC3\xA9/"},
		{BYTES("<?xml version=\"1.0\" encoding=\"windows-1251\"?>\n"
		       "<a b='\xE9'>\xE9</a>"),
		 "<a@b=\xD0\xB9>\xD0\xB9/"},
		{BYTES("\n<?xml version='1.0' encoding = 'koi8-r' "
		       "?><a>\xE9</a>"),
		 "<a>\xD0\x98/"},
		{BYTES("<?xml version='1.0' encoding='Shift_JIS'?>"
		       "<a>\x82\xA0</a>"),
		 "<a>\xE3\x81\x82/"},
		{BYTES("\xEF\xBB\xBF<?xml version='1.0' encoding='latin1'?>"
		       "<a>\xC3\xA9</a>"),
		 "<a>\xC3\xA9/"},
		{BYTES("<?xml version='1.0' "
		       "encoding='UTF-16'?><a>\xC3\xA9</a>"),
		 "<a>\xC3\xA9/"},
		{BYTES("<?xml version='1.0' encoding='no such'?>"
		       "<a>\xC3\xA9</a>"),
		 "<a>\xC3\xA9/"},
		{BYTES("\xFF\xFE<\0a\0>\0\xE9\0=\xD8\0\xDE<\0/\0a\0>\0"),
		 "<a>\xC3\xA9\xF0\x9F\x98\x80/"},
		{BYTES("\xFE\xFF\0<\0a\0>\0\xE9\xD8=\xDE\0\0<\0/\0a\0>"),
		 "<a>\xC3\xA9\xF0\x9F\x98\x80/"},
		{BYTES("<\0a\0>\0\xE9\0<\0/\0a\0>\0"), "<a>\xC3\xA9/"},
		{BYTES("\0<\0a\0>\0\xE9\0<\0/\0a\0>"), "<a>\xC3\xA9/"},
		/* an unpaired surrogate */
		{BYTES("\xFF\xFE<\0a\0>\0=\xD8x\0<\0/\0a\0>\0"),
		 "<a>\xEF\xBF\xBDx/"},
		{BYTES("<a>x\0y</a>"), "<a>x y/"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_int_eq(told(rows[i].xml, rows[i].events), ERR_NONE);
}
END_TEST

/* What stands behind the declaration does not count as one, however much of
 * it comes with it. */
START_TEST(the_declaration_ends_at_its_end)
{
	struct buffer xml = {0};

	ck_assert_int_eq(told(BYTES("<?xml version='1.0?><a b='' encoding='"
				    "windows-1251'>\xC3\xA9</a>"),
			      "<a@b=@encoding=windows-1251>\xC3\xA9/"),
			 ERR_NONE);
	for (int i = 0; i < 2000; i++)
		buffer_append_byte(&xml, ' ');
	buffer_append_text(&xml, "<?xml encoding='windows-1251'?>"
				 "<a>\xC3\xA9</a>");
	ck_assert_int_eq(told(buffer_slice(&xml), "<a>\xC3\xA9/"), ERR_NONE);
	buffer_free(&xml);
}
END_TEST

START_TEST(tags_too_deep_are_dropped_and_their_text_kept)
{
	struct buffer xml = {0};
	struct buffer events = {0};

	for (int i = 0; i < XML_MAX_DEPTH; i++) {
		buffer_append_text(&xml, "<a>");
		buffer_append_text(&events, "<a");
	}
	for (int i = 0; i < 100000; i++)
		buffer_append_text(&xml, "<b>");
	buffer_append_text(&xml, "x");
	for (int i = 0; i < 100000; i++)
		buffer_append_text(&xml, "</b>");
	buffer_append_text(&xml, "y");
	for (int i = 0; i < XML_MAX_DEPTH; i++) {
		buffer_append_text(&xml, "</a>");
		buffer_append_text(&events, i == 0 ? ">xy/" : ">/");
	}
	ck_assert_int_eq(told(buffer_slice(&xml), events.data), ERR_NONE);
	buffer_free(&xml);
	buffer_free(&events);
}
END_TEST

START_TEST(text_is_cut_at_its_bound_and_no_character_is)
{
	struct buffer xml = {0};
	struct buffer events = {0};

	/* 3 * 5461 = 16,383: of the next character no byte is kept */
	buffer_append_text(&xml, "<a>x<b> ");
	for (int i = 0; i < 100000; i++)
		buffer_append_text(&xml, "\xE2\x82\xAC");
	buffer_append_text(&xml, "</b>y</a>");
	buffer_append_text(&events, "<a<b>");
	for (int i = 0; i < XML_MAX_TEXT / 3; i++)
		buffer_append_text(&events, "\xE2\x82\xAC");
	buffer_append_text(&events, "/>xy/");
	ck_assert_int_eq(told(buffer_slice(&xml), events.data), ERR_NONE);
	buffer_free(&xml);
	buffer_free(&events);
}
END_TEST

/* libxml2 alone takes a minute for the 100,000, each compared with each. */
START_TEST(attributes_over_the_bound_are_dropped)
{
	struct buffer xml = {0};
	struct buffer events = {0};

	buffer_append_text(&xml, "<a");
	buffer_append_text(&events, "<a");
	for (int i = 0; i < 100000; i++)
		buffer_printf(&xml, " a%d=''", i);
	for (int i = 0; i < XML_MAX_ATTRIBUTES; i++)
		buffer_printf(&events, "@a%d=", i);
	buffer_append_text(&xml, "><b/></a>");
	buffer_append_text(&events, "<b>/>/");
	ck_assert_int_eq(told(buffer_slice(&xml), events.data), ERR_NONE);
	buffer_free(&xml);
	buffer_free(&events);
}
END_TEST

START_TEST(an_attribute_over_the_bound_is_dropped)
{
	struct buffer xml = {0};

	buffer_append_text(&xml, "<a b='1' c='");
	for (int i = 0; i < XML_MAX_TAG; i++)
		buffer_append_byte(&xml, 'x');
	buffer_append_text(&xml, "' d='2'>y</a>");
	ck_assert_int_eq(told(buffer_slice(&xml), "<a@b=1>y/"), ERR_NONE);
	buffer_free(&xml);
}
END_TEST

/* Of ten times 64 the first 128 count; what has ended makes room. */
START_TEST(namespaces_in_force_are_bounded)
{
	struct buffer xml = {0};
	struct buffer log = {0};

	for (int i = 0; i < 10; i++) {
		buffer_append_text(&xml, "<a");
		for (int k = 0; k < XML_MAX_ATTRIBUTES; k++)
			buffer_printf(&xml, " xmlns:n%d_%d='u'", i, k);
		buffer_append_byte(&xml, '>');
	}
	buffer_append_text(&xml, "<n1_63:b/><n2_0:c/>");
	for (int i = 0; i < 9; i++)
		buffer_append_text(&xml, "</a>");
	buffer_append_text(&xml, "<n:d xmlns:n='v'/></a>");
	ck_assert_int_eq(read(buffer_slice(&xml), 999, &log), ERR_NONE);
	ck_assert_ptr_nonnull(strstr(log.data, "<{u}b>/<{n2_0}c>/"));
	ck_assert_ptr_nonnull(strstr(log.data, "<{v}d>/"));
	buffer_free(&xml);
	buffer_free(&log);
}
END_TEST

static void ignore_start(void *context, struct slice name, struct slice space)
{
	(void)name;
	(void)space;
	++*(size_t *)context;
}

static void ignore(void *context, struct slice name, struct slice value)
{
	(void)context;
	(void)name;
	(void)value;
}

/* Ever new names end in ERR_MALFORMED before their dictionary is large. */
START_TEST(names_are_bounded)
{
	size_t count = 0;
	struct xml_handler handler = {ignore_start, ignore, ignore, &count};
	struct xml_stream *stream = xml_stream_create(&handler);
	struct buffer tag = {0};
	enum error error = xml_stream_feed(stream, slice_of("<a>"));

	for (int i = 0; error == ERR_NONE && i < 1000000; i++) {
		buffer_clear(&tag);
		buffer_printf(&tag, "<a%d/>", i);
		error = xml_stream_feed(stream, buffer_slice(&tag));
	}
	ck_assert_int_eq(error, ERR_MALFORMED);
	ck_assert_int_eq(xml_stream_feed(stream, slice_of("<b/>")),
			 ERR_MALFORMED);
	ck_assert_uint_gt(count, 2000);
	ck_assert_uint_lt(count, 50000);
	xml_stream_destroy(stream);
	buffer_free(&tag);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("xml_stream");
	TCase *tcase = tcase_create("xml_stream");

	tcase_add_test(tcase, elements_attributes_and_text_are_told);
	tcase_add_test(tcase, names_are_local_and_spaces_are_told);
	tcase_add_test(tcase, broken_xml_is_mended);
	tcase_add_test(tcase, what_is_no_xml_is_malformed);
	tcase_add_test(tcase, no_dtd_is_read_and_no_entity_expanded);
	tcase_add_test(tcase, a_billion_laughs_cost_nothing);
	tcase_add_test(tcase, encodings_are_told_by_marks_and_declarations);
	tcase_add_test(tcase, the_declaration_ends_at_its_end);
	tcase_add_test(tcase, tags_too_deep_are_dropped_and_their_text_kept);
	tcase_add_test(tcase, text_is_cut_at_its_bound_and_no_character_is);
	tcase_add_test(tcase, attributes_over_the_bound_are_dropped);
	tcase_add_test(tcase, an_attribute_over_the_bound_is_dropped);
	tcase_add_test(tcase, namespaces_in_force_are_bounded);
	tcase_add_test(tcase, names_are_bounded);
	suite_add_tcase(suite, tcase);
	return suite;
}
