#include "page/scanner.h"

#include "tests/unit/run.h"

static const char kinds[] = {
	[TOKEN_TEXT] = 'T',    [TOKEN_START] = 'S', [TOKEN_END] = 'E',
	[TOKEN_COMMENT] = 'C', [TOKEN_RAW] = 'R',
};

/* The tokens as "S<p> Ttext E</p>", with "?" after an open one. */
static char *tokens_of(const char *html)
{
	struct scanner scanner = {.source = slice_of(html)};
	struct buffer out = {0};
	struct token token;

	buffer_append_text(&out, "");
	while (scanner_next(&scanner, &token))
		buffer_printf(&out, "%s%c%.*s%s", out.size == 0 ? "" : " ",
			      kinds[token.kind],
			      (int)(token.source.end - token.source.begin),
			      html + token.source.begin,
			      token.is_open ? "?" : "");
	return out.data;
}

static void check_tokens(const char *html, const char *tokens)
{
	AUTO_TEXT *found = tokens_of(html);

	ck_assert_str_eq(found, tokens);
}

static struct token first_of(const char *html)
{
	struct scanner scanner = {.source = slice_of(html)};
	struct token token;

	ck_assert(scanner_next(&scanner, &token));
	return token;
}

TEST(nothing_has_no_tokens)
{
	struct scanner scanner = {.source = {NULL, 0}};
	struct token token;

	ck_assert(!scanner_next(&scanner, &token));
}

TEST(each_kind_is_found)
{
	check_tokens("<!doctype html><p>a</p ><!-- <b> -->",
		     "C<!doctype html> S<p> Ta E</p > C<!-- <b> -->");
	check_tokens("<script>a<b></script>", "S<script> Ra<b> E</script>");
	check_tokens("<STYLE>a</p></Style>", "S<STYLE> Ra</p> E</Style>");
	check_tokens("<?xml ?>a<![CDATA[b>c", "C<?xml ?> Ta C<![CDATA[b> Tc");
	check_tokens("</>a</ b>c", "C</> Ta C</ b> Tc");
}

TEST(a_lone_less_than_is_text)
{
	check_tokens("a < b <3 <<p><", "Ta < b <3 < S<p> T<");
	check_tokens("</", "T</");
}

TEST(a_quoted_value_may_hold_anything)
{
	check_tokens("<a b=\"c>d\" e='f\">'>g", "S<a b=\"c>d\" e='f\">'> Tg");
	check_tokens("<a b=c\"d>e\">", "S<a b=c\"d> Te\">");
	check_tokens("<a \"b>c\">", "S<a \"b> Tc\">");
	check_tokens("<a b=>c", "S<a b=> Tc");
}

TEST(comments_end_as_in_browsers)
{
	check_tokens("<!-->a<!--->b", "C<!--> Ta C<!---> Tb");
	check_tokens("<!--!>-->a", "C<!--!>--> Ta");
	check_tokens("<!--a--!>b", "C<!--a--!> Tb");
	check_tokens("<!-- > -- > --->a", "C<!-- > -- > ---> Ta");
	check_tokens("<!->a", "C<!-> Ta");
}

TEST(what_the_end_of_the_source_cuts_is_open)
{
	check_tokens("a<!-- b", "Ta C<!-- b?");
	check_tokens("a<!b", "Ta C<!b?");
	check_tokens("a<b", "Ta S<b?");
	check_tokens("a<b c", "Ta S<b c?");
	check_tokens("a<b c=", "Ta S<b c=?");
	check_tokens("a<b c=\"d>", "Ta S<b c=\"d>?");
	check_tokens("a</b ", "Ta E</b ?");
	check_tokens("<script>a</script", "S<script> Ra</script?");
	check_tokens("<script>", "S<script>");
}

TEST(raw_content_ends_at_its_own_end_tag)
{
	check_tokens("<script>'</scripts>'</style></script\n>",
		     "S<script> R'</scripts>'</style> E</script\n>");
	check_tokens("<style></style><p>", "S<style> E</style> S<p>");
	/* browsers ignore the slash of a script */
	check_tokens("<script/><p></script>", "S<script/> R<p> E</script>");
}

TEST(a_start_tag_knows_its_name_and_attributes)
{
	struct token token = first_of("<DIV a b = c d='e f' g/h>");

	ck_assert_uint_eq(token.tag, TAG_div);
	ck_assert_uint_eq(token.name.begin, 1);
	ck_assert_uint_eq(token.name.end, 4);
	ck_assert_uint_eq(token.attribute_count, 5);
	ck_assert(!token.is_empty);
	ck_assert(first_of("<br/>").is_empty);
	ck_assert(first_of("<a b='c'/>").is_empty);
	ck_assert(!first_of("<a b=c/>").is_empty);
	ck_assert(!first_of("<a / >").is_empty);
	ck_assert_uint_eq(first_of("<my-tag>").tag, TAG_COUNT);
	ck_assert_uint_eq(first_of("<a =b>").attribute_count, 1);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* Tokens cover the source without a gap and are never empty. */
static bool is_covered(struct slice source)
{
	struct scanner scanner = {.source = source};
	struct token token;
	uint32_t position = 0;

	while (scanner_next(&scanner, &token)) {
		if (token.source.begin != position ||
		    token.source.end <= position ||
		    token.name.begin > token.name.end ||
		    token.name.end > token.source.end)
			return false;
		position = token.source.end;
	}
	return position == source.size;
}

TEST(tokens_cover_any_source_without_a_gap)
{
	static const char *const parts[] = {
		"<",         "</",    ">",        "/",      "!",
		"<!--",      "-->",   "--!>",     "script", "<script>",
		"</script>", "style", "a",        " ",      "=",
		"\"",        "'",     "\xC3\xA9", "<p ",
	};
	uint32_t state = 20240607;

	printf("seed %u\n", state);
	for (int round = 0; round < 20000; round++) {
		AUTO_BUFFER source = {0};
		uint32_t count = next_random(&state) % 24;

		while (count-- > 0)
			buffer_append_text(&source,
					   parts[next_random(&state) % 19]);
		ck_assert_msg(is_covered(buffer_slice(&source)), "%s",
			      source.data);
	}
}
