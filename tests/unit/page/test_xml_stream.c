#include "page/xml.h"

#include "tests/unit/run.h"

/*
 * The events of a handler: "<name" or "<{space}name", "@name=value" for each
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

/* In one piece and byte by byte. */
static enum error told(struct slice bytes, const char *events)
{
	AUTO_BUFFER whole = {0};
	AUTO_BUFFER pieces = {0};
	enum error error = read(bytes, 1 << 20, &whole);

	ck_assert_int_eq(read(bytes, 1, &pieces), error);
	ck_assert_msg(is_text(&whole, events), "%.*s, not %s", (int)whole.size,
		      whole.size == 0 ? "" : whole.data, events);
	ck_assert(is_text(&pieces, events));
	return error;
}

/* Frees `xml`; few of its events reach the handler. */
static void check_malformed(struct buffer *xml)
{
	AUTO_BUFFER log = {0};

	buffer_append(xml, "</a>", 4);
	ck_assert_int_eq(read(buffer_slice(xml), 1 << 20, &log), ERR_MALFORMED);
	ck_assert_uint_lt(log.size, XML_MAX_SPACES * sizeof("<a>/"));
	buffer_free(xml);
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

#define CHECK(rows, error) check_rows((rows), COUNT_OF(rows), (error))

TEST(elements_attributes_and_text_are_told)
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

TEST(names_are_local_and_spaces_are_told)
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

TEST(broken_xml_is_mended)
{
	static const struct row rows[] = {
		/* ampersands */
		{"<a>?a=1&b=2&copy=3&amp;d</a>", "<a>?a=1&b=2&copy=3&d/"},
		{"<a b='?a=1&b=2&amp;c'/>", "<a@b=?a=1&b=2&c>/"},
		{"<a>&nbsp;&;&#99999999;&</a>", "<a>&nbsp;&;&#99999999;&/"},
		{"<a>x&#;&#x;&#g;y</a>", "<a>xg;y/"},
		{"<a>x&<b/>&amp<c/></a>", "<a<b>/<c>/>x&&amp/"},
		/* tags */
		{"<a>1 < 2 <3 <</a>", "<a>1 < 2 <3 </"},
		{"<a><br><b>x</b></a>", "<a<br<b>x/>/>/"},
		{"<a></b>x</c></a>", "<a>x/"},
		{"<a><b>1<c>2</a>", "<a<b<c>2/>1/>/"},
		{"<a><b c='1'<d/></b></a>", "<a<b@c=1<d>/>/>/"},
		{"<a><b c='1<d/>'</b></a>", "<a<b@c=1<d>/>'/>/"},
		{"<a><b c='1' d=2 e>x</b>y</a>", "<a<b@c=1>2 e>x/>y/"},
		{"<a><b c='1' $='2'/>x</a>", "<a<b@c=1>$='2'/>x/>/"},
		{"<a b='1' b='2'/>", "<a@b=1@b=2>/"},
		{"<a$b c='1'>x</a$b>", "<a>$b c='1'>x/"},
		{"<a><b\xC3\x97 c='1'>x</b></a>", "<a<b>\xC3\x97 c='1'>x/>/"},
		{"<a><b:c:d/>x</a>", "<a<{b}c:d>/>x/"},
		{"<\xC3\xA9t\xC3\xA9/>", "<\xC3\xA9t\xC3\xA9>/"},
		{"<a>x<!-- <b> & -- ]]> --><b/>&</a>", "<a<b>/>x&/"},
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
		 "<a>\xEF\xBF\xBD\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD/"},
	};

	CHECK(rows, ERR_NONE);
}

TEST(a_file_that_is_no_xml_is_malformed)
{
	static const struct row rows[] = {
		{"", ""},
		{" \n", ""},
		{"text", ""},
		{"text <a/>", ""},
		{"<", ""},
		{"< a/>", ""},
		{"<1/>", ""},
		{"<!DOCTYPE a", ""},
		{"<!-- <a/>", ""},
		{"<?xml version='1.0'?>", ""},
		{"<a", ""},
		{"<abc>", "<abc"},
		{"<a><b>x</b><c>y", "<a<b>x/<c"},
		{"<a><b>x</b><\xC3\x97>y</a>", "<a<b>x/"},
		{"\x1F\x8B\x08", ""},
	};

	CHECK(rows, ERR_MALFORMED);
}

TEST(no_dtd_is_read_and_no_entity_expanded)
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
		{"<a><!ELEMENT b ANY>x</a>", "<a><!ELEMENT b ANY>x/"},
	};

	CHECK(rows, ERR_NONE);
}

TEST(a_billion_laughs_cost_nothing)
{
	AUTO_BUFFER xml = {0};

	buffer_append_text(&xml, "<!DOCTYPE a [<!ENTITY e0 'ha'>");
	for (int i = 1; i < 30; i++)
		buffer_printf(&xml, "<!ENTITY e%d '&e%d;&e%d;'>", i, i - 1,
			      i - 1);
	buffer_append_text(&xml, "]><a>&e29;</a>");
	ASSERT_OK(told(buffer_slice(&xml), "<a>&e29;/"));
}

#define BYTES(literal) ((struct slice){(literal), sizeof(literal) - 1})

TEST(encodings_are_told_by_marks_and_declarations)
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

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		ASSERT_OK(told(rows[i].xml, rows[i].events));
}

TEST(a_declaration_far_from_the_begin_is_none)
{
	AUTO_BUFFER xml = {0};

	for (int i = 0; i < 2000; i++)
		buffer_append_byte(&xml, ' ');
	buffer_append_text(&xml, "<?xml encoding='windows-1251'?>"
				 "<a>\xC3\xA9</a>");
	ASSERT_OK(told(buffer_slice(&xml), "<a>\xC3\xA9/"));
}

TEST(tags_too_deep_are_dropped_and_their_text_kept)
{
	AUTO_BUFFER xml = {0};
	AUTO_BUFFER events = {0};

	for (int i = 0; i < XML_MAX_DEPTH; i++) {
		buffer_append_text(&xml, "<a>");
		buffer_append_text(&events, "<a");
	}
	for (int i = 0; i < XML_MAX_OPEN / 2; i++)
		buffer_append_text(&xml, "<b>");
	buffer_append_text(&xml, "x");
	for (int i = 0; i < XML_MAX_OPEN / 2; i++)
		buffer_append_text(&xml, "</b>");
	buffer_append_text(&xml, "y");
	for (int i = 0; i < XML_MAX_DEPTH; i++) {
		buffer_append_text(&xml, "</a>");
		buffer_append_text(&events, i == 0 ? ">xy/" : ">/");
	}
	ASSERT_OK(told(buffer_slice(&xml), events.data));
}

TEST(text_is_cut_at_its_bound_and_no_character_is)
{
	AUTO_BUFFER xml = {0};
	AUTO_BUFFER events = {0};

	/* 3 * 5461 = 16,383: of the next character no byte is kept */
	buffer_append_text(&xml, "<a>x<b> ");
	for (int i = 0; i < 100000; i++)
		buffer_append_text(&xml, "\xE2\x82\xAC");
	buffer_append_text(&xml, "</b>y</a>");
	buffer_append_text(&events, "<a<b>");
	for (int i = 0; i < XML_MAX_TEXT / 3; i++)
		buffer_append_text(&events, "\xE2\x82\xAC");
	buffer_append_text(&events, "/>xy/");
	ASSERT_OK(told(buffer_slice(&xml), events.data));
}

TEST(tags_over_the_bound_are_malformed)
{
	struct buffer xml = {0};

	for (int i = 0; i < 200000; i++)
		buffer_append_text(&xml, "<a>");
	check_malformed(&xml);
}

/* libxml2 takes four minutes: it compares each with each. */
TEST(a_million_attributes_are_malformed)
{
	struct buffer xml = {0};

	buffer_append_text(&xml, "<a><b");
	for (int i = 0; i < 1000000; i++)
		buffer_printf(&xml, " a%d=''", i);
	buffer_append_text(&xml, "/></a>");
	check_malformed(&xml);
}

/* Up to the bound, and much beyond. */
TEST(a_long_attribute_is_read_or_malformed)
{
	struct buffer xml = {0};
	AUTO_BUFFER log = {0};

	buffer_append_text(&xml, "<a b='");
	for (int i = 0; i < XML_MAX_TAG - 10; i++)
		buffer_append_byte(&xml, 'x');
	buffer_append_text(&xml, "'>y</a>");
	ASSERT_OK(read(buffer_slice(&xml), 999, &log));
	ck_assert_uint_eq(log.size, XML_MAX_TAG - 10 + strlen("<a@b=>y/"));
	xml.size = strlen("<a b='");
	for (int i = 0; i < 2 * XML_MAX_TAG; i++)
		buffer_append_byte(&xml, 'x');
	buffer_append_text(&xml, "'>y</a>");
	check_malformed(&xml);
}

TEST(a_comment_over_the_bound_is_malformed)
{
	struct buffer xml = {0};

	buffer_append_text(&xml, "<a><!--");
	for (int i = 0; i < 2 * XML_MAX_TOKEN; i++)
		buffer_append_byte(&xml, 'x');
	buffer_append_text(&xml, "--></a>");
	check_malformed(&xml);
}

/* Quotes hide a '>' where the input is cut, wherever that is. */
TEST(a_tag_is_never_cut)
{
	AUTO_BUFFER xml = {0};
	AUTO_BUFFER events = {0};

	buffer_append_text(&xml, "<a>");
	buffer_append_text(&events, "<a");
	for (int i = 0; i < 5000; i++) {
		buffer_printf(&xml, "<b c='%d > x&y'/>", i);
		buffer_printf(&events, "<b@c=%d > x&y>/", i);
	}
	buffer_append_text(&xml, "</a>");
	buffer_append_text(&events, ">/");
	ASSERT_OK(told(buffer_slice(&xml), events.data));
}

static struct buffer begin_text(size_t before)
{
	struct buffer xml = {0};

	buffer_append_text(&xml, "<a>");
	for (size_t i = 0; i < before; i++)
		buffer_append_byte(&xml, ' ');
	return xml;
}

/* A text of many pieces does not count. */
TEST_LOOP(no_reference_is_cut, 0, 20)
{
	AUTO_BUFFER xml = begin_text((size_t)_i);
	AUTO_BUFFER log = {0};

	for (int i = 0; i < 5000; i++)
		buffer_append_text(&xml, "&#32;   &amp");
	buffer_append_text(&xml, "</a>");
	ASSERT_OK(read(buffer_slice(&xml), 999, &log));
	ck_assert_ptr_null(strstr(log.data, "#32"));
}

TEST_LOOP(no_end_of_a_section_is_cut, 0, 20)
{
	AUTO_BUFFER xml = begin_text((size_t)_i);
	AUTO_BUFFER log = {0};

	buffer_append_text(&xml, "<b><![CDATA[");
	for (int i = 0; i < 16 * 1024 - 30; i++)
		buffer_append_byte(&xml, ' ');
	buffer_append_text(&xml, "]]]]>&</b></a>");
	ASSERT_OK(read(buffer_slice(&xml), 999, &log));
	ck_assert_ptr_nonnull(strstr(log.data, ">]]&/>/"));
}

TEST(tags_without_start_or_end_do_no_harm)
{
	AUTO_BUFFER xml = {0};
	AUTO_BUFFER events = {0};

	buffer_append_text(&xml, "<a>");
	buffer_append_text(&events, "<a");
	for (int i = 0; i < 20000; i++) {
		buffer_append_text(&xml,
				   "<b><c>&amp;</b></b></p:d><e:f/></a:x>\n");
		buffer_append_text(&events, "<b<c>&/>/<{e}f>/");
	}
	buffer_append_text(&xml, "</a>");
	buffer_append_text(&events, ">/");
	ASSERT_OK(told(buffer_slice(&xml), events.data));
}

/* What has ended makes room. */
TEST(namespaces_in_force_are_bounded)
{
	struct buffer xml = {0};
	AUTO_BUFFER log = {0};

	buffer_append_text(&xml, "<a>");
	for (int i = 0; i < 10; i++) {
		buffer_append_text(&xml, "<b");
		for (int k = 0; k < 100; k++)
			buffer_printf(&xml, " xmlns:n%d='u'", k);
		buffer_append_text(&xml, "><n99:c/></b>");
	}
	buffer_append_text(&xml, "</a>");
	ASSERT_OK(read(buffer_slice(&xml), 999, &log));
	ck_assert_ptr_nonnull(strstr(log.data, "<{u}c>/"));
	xml.size = strlen("<a>");
	for (int i = 0; i <= XML_MAX_SPACES; i++)
		buffer_printf(&xml, "<a xmlns:n%d='u'>", i);
	check_malformed(&xml);
}

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
TEST(names_are_bounded)
{
	size_t count = 0;
	struct xml_handler handler = {ignore_start, ignore, ignore, &count};
	struct xml_stream *stream = xml_stream_create(&handler);
	AUTO_BUFFER tag = {0};
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
}
