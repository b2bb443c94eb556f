/* Similar elements of a parent are records: comments, products, rows. */
#include "template/fields/records.h"

#include <jansson.h>
#include <stdlib.h>

#include "template/fields/field_json.h"
#include "tests/unit/template/fields/learned.h"

enum { MAX_FOUND = 20, PAGES = 6 };

static struct learned site;
static struct field found[MAX_FOUND + MAX_RECORD_FIELDS];
static uint32_t found_count;
static struct field_set set;

static void teardown(void)
{
	learned_free(&site);
}

FIXTURE(.teardown = teardown);

/* Learn the pages, find the fields, and encode and decode their set. */
static void discover(void)
{
	AUTO_BUFFER bytes = {0};
	struct field_set made;

	learned_run(&site);
	found_count = fields_discover(&site.table, found, MAX_FOUND);
	made = field_set_make(test_arena, &site.table, found, found_count);
	field_set_encode(&made, &bytes);
	ck_assert(field_set_decode(test_arena, buffer_slice(&bytes), &set));
}

/* Check a field of the record of a page, as JSON; "" for none. */
static void check_page(const struct page *page, const char *name,
		       const char *json)
{
	json_t *record = json_object();
	AUTO_TEXT *text = NULL;

	record_add(&set, page, true, record);
	text = json_dumps(json_object_get(record, name),
			  JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS);
	ck_assert_str_eq(text == NULL ? "" : text, json);
	json_decref(record);
}

static void check_html(const char *html, const char *name, const char *json)
{
	AUTO_PAGE *page = page_of(html);

	check_page(page, name, json);
}

static const struct field *field_named(const char *name)
{
	for (uint32_t i = 0; i < found_count; i++)
		if (strcmp(found[i].name, name) == 0)
			return &found[i];
	ck_abort_msg("no field is called %s", name);
	return NULL;
}

static bool has_records(void)
{
	for (uint32_t i = 0; i < found_count; i++)
		if (found[i].type == TYPE_RECORDS)
			return true;
	return false;
}

/* Six articles with two or three comments. */
static void learn_comments(void)
{
	for (int i = 0; i < PAGES; i++)
		learned_add(&site,
			    "<title>Story%c</title><h1>Story%c</h1>"
			    "<ol class=comments>"
			    "<li class=comment><b class=author>Ann %d</b>"
			    "<i class=date>2024-01-%02d</i>"
			    "<div class=body><p>First %d.</p></div>"
			    "<li class=comment><b class=author>Bob %d</b>"
			    "<i class=date>2024-02-%02d</i>"
			    "<div class=body><p>One %d.<p>Two %d.</div>%s</ol>",
			    'A' + i, 'A' + i, i, i + 1, i, i, i + 1, i, i,
			    i % 2 == 0 ? "<li class=comment>"
					 "<b class=author>Cid</b>"
					 "<i class=date>2024-03-01</i>"
					 "<div class=body><p>Last.</p></div>"
				       : "");
	discover();
}

TEST(comments_are_records)
{
	learn_comments();
	ck_assert_int_eq(field_named("comments")->type, TYPE_RECORDS);
	ck_assert_uint_eq(field_named("comments")->parent, NO_FIELD);
	ck_assert_ptr_eq(&found[field_named("comments.author")->parent],
			 field_named("comments"));
	check_page(site.pages[1], "comments",
		   "[{\"author\":\"Ann 1\",\"date\":\"2024-01-02\","
		   "\"text\":\"First 1.\"},"
		   "{\"author\":\"Bob 1\",\"date\":\"2024-02-02\","
		   "\"text\":\"One 1. Two 1.\"}]");
	check_page(site.pages[1], "title", "\"StoryB\"");
	check_page(site.pages[1], "comments.author", "");
}

/* The date of the next comment is not taken. */
TEST(a_field_that_one_record_does_not_have_is_absent)
{
	learn_comments();
	check_html(
		"<h1>Story Z</h1><ol class=comments>"
		"<li class=comment><b class=author>Dan</b>"
		"<div class=body><p>No date.</div>"
		"<li class=comment><b class=author>Eve</b>"
		"<i class=date>2024-05-05</i><div class=body><p>x</div></ol>",
		"comments",
		"[{\"author\":\"Dan\",\"text\":\"No date.\"},"
		"{\"author\":\"Eve\",\"date\":\"2024-05-05\","
		"\"text\":\"x\"}]");
}

TEST(a_page_without_records_has_no_list)
{
	learn_comments();
	check_html("<h1>Story Z</h1><ol class=comments></ol>", "comments", "");
	check_html("<h1>Story Z</h1><ol class=comments><li class=comment></ol>",
		   "comments", "");
	check_html("", "comments", "");
}

TEST(values_of_all_records_are_a_column)
{
	const struct field_result *results;
	uint32_t index;

	learn_comments();
	results = field_set_apply(&set, site.pages[0], test_arena);
	index = (uint32_t)(field_named("comments.author") - found);
	ck_assert_uint_eq(results[index].count, 3);
	check_slice(results[index].values[2], "Cid");
	ck_assert_uint_eq(results[index].entries[2].record, 2);
}

TEST(equal_values_of_several_records_are_in_each)
{
	learn_comments();
	check_html("<ol class=comments><li class=comment><b class=author>Ann"
		   "</b><div class=body><p>a</div>"
		   "<li class=comment><b class=author>Ann</b>"
		   "<div class=body><p>a</div></ol>",
		   "comments",
		   "[{\"author\":\"Ann\",\"text\":\"a\"},"
		   "{\"author\":\"Ann\",\"text\":\"a\"}]");
}

/* Add a comment; `replies` are in it. */
#define COMMENT(author, text, replies)                                        \
	"<li class=comment><b class=author>" author "</b><p class=text>" text \
	"</p>" replies "</li>"
#define REPLY(author, text)                                                 \
	"<li class=reply><b class=author>" author "</b><p class=text>" text \
	"</p></li>"

TEST(replies_are_records_in_the_record_of_their_comment)
{
	for (int i = 0; i < PAGES; i++)
		learned_add(&site,
			    "<h1>Story%c</h1><ol class=comments>"
			    "<li class=comment><b class=author>Ann %d</b>"
			    "<p class=text>A%d</p><ul class=replies>"
			    "<li class=reply><b class=author>Bob %d</b>"
			    "<p class=text>B%d</p>"
			    "<li class=reply><b class=author>Cid %d</b>"
			    "<p class=text>C%d</p>%s</ul></li>"
			    "<li class=comment><b class=author>Dan %d</b>"
			    "<p class=text>D%d</p>%s</ol>",
			    'A' + i, i, i, i, i, i, i,
			    i % 3 == 0 ? REPLY("Lea", "L") : "", i, i,
			    i % 2 == 0 ? COMMENT("Kim", "K", "") : "");
	discover();
	check_html("<h1>Story Z</h1><ol class=comments>" COMMENT("Eve", "e", "")
			   COMMENT("Fay", "f",
				   "<ul class=replies>" REPLY("Gil", "g")
					   REPLY("Hal", "h") "</ul>")
				   COMMENT("Ida", "i",
					   "<ul class=replies>" REPLY(
						   "Jim", "j") "</ul>") "</ol>",
		   "comments",
		   "[{\"author\":\"Eve\",\"text\":\"e\"},"
		   "{\"author\":\"Fay\",\"replies\":["
		   "{\"author\":\"Gil\",\"text\":\"g\"},"
		   "{\"author\":\"Hal\",\"text\":\"h\"}],\"text\":\"f\"},"
		   "{\"author\":\"Ida\",\"replies\":["
		   "{\"author\":\"Jim\",\"text\":\"j\"}],\"text\":\"i\"}]");
	ck_assert_ptr_eq(&found[field_named("comments.replies")->parent],
			 field_named("comments"));
	field_named("comments.replies.author");
}

/* The head names the columns; a row with fewer cells has fewer fields. */
TEST(rows_are_records_with_the_names_of_their_head)
{
	for (int i = 0; i < PAGES; i++)
		learned_add(&site,
			    "<h1>Team %c</h1><table>"
			    "<thead><tr><th>Player<th>Goals<th>Club</tr>"
			    "<tbody><tr><td>P%d<td>%d<td>%c town</tr>"
			    "<tr><td>Q%d<td>%d<td>%c town</tr>"
			    "<tr><td>R%d<td>%d<td>%c town</tr>%s</table>",
			    'A' + i, i, i + 3, 'a' + i, i, i + 5, 'g' + i, i,
			    i + 8, 'm' + i,
			    i % 2 == 0 ? "<tr><td>S<td>9<td>s town</tr>" : "");
	discover();
	check_html("<h1>Team Z</h1><table><thead>"
		   "<tr><th>Player<th>Goals<th>Club</tr><tbody>"
		   "<tr><td>Ann<td><td>Here town</tr><tr><td>Bob<td>7</tr>"
		   "<tr><td>Cid<td>8<td>Near town</tr></table>",
		   "rows",
		   "[{\"club\":\"Here\",\"player\":\"Ann\"},"
		   "{\"goals\":\"7\",\"player\":\"Bob\"},"
		   "{\"club\":\"Near\",\"goals\":\"8\",\"player\":\"Cid\"}]");
}

TEST(products_have_a_link_and_an_image)
{
	for (int i = 0; i < PAGES; i++)
		learned_add(&site,
			    "<h1>Shelf %c</h1><div class=products>"
			    "<div class=product><img src=a%d.png>"
			    "<h3><a href=/a%d>Assam %d</a></h3>"
			    "<span class=price>$%d.10</span></div>"
			    "<div class=product><img src=b%d.png>"
			    "<h3><a href=/b%d>Sencha %d</a></h3>"
			    "<span class=price>$%d.20</span></div>%s</div>",
			    'A' + i, i, i, i, i + 1, i, i, i, i + 2,
			    i % 2 == 0 ? "<div class=product><img src=c.png>"
					 "<h3><a href=/c>Earl Grey</a></h3>"
					 "<span class=price>$7.30</span></div>"
				       : "");
	discover();
	check_page(site.pages[1], "products",
		   "[{\"image\":\"a1.png\",\"price\":\"$2.10\","
		   "\"title\":\"Assam 1\",\"title_url\":\"/a1\"},"
		   "{\"image\":\"b1.png\",\"price\":\"$3.20\","
		   "\"title\":\"Sencha 1\",\"title_url\":\"/b1\"}]");
}

/* No element is around a dt and its dd. */
TEST(a_dt_and_its_dd_are_a_record)
{
	for (int i = 0; i < PAGES; i++)
		learned_add(&site,
			    "<h1>Letter %c</h1><dl>"
			    "<dt>Alpha %d<dd>first %d<dt>Beta %d<dd>second %d"
			    "%s</dl>",
			    'A' + i, i, i, i, i,
			    i % 2 == 0 ? "<dt>Gamma<dd>third" : "");
	discover();
	check_html("<dl><dt>One<dd>1<dt>Two<dt>Three<dd>3</dl>", "items",
		   "[{\"description\":\"1\",\"term\":\"One\"},"
		   "{\"term\":\"Two\"},"
		   "{\"description\":\"3\",\"term\":\"Three\"}]");
}

/* No element is around the heading, the date and the text of a post. */
TEST(siblings_that_take_turns_are_a_record)
{
	for (int i = 0; i < PAGES; i++)
		learned_add(&site,
			    "<h1>Month %c</h1><div class=posts>"
			    "<h2>Tea %d</h2><i class=date>2024-01-%d</i>"
			    "<p>Green %d</p><h2>Cup %d</h2>"
			    "<i class=date>2024-02-%d</i><p>Blue %d</p>%s"
			    "</div>",
			    'A' + i, i, i + 10, i, i, i + 10, i,
			    i % 2 == 0 ? "<h2>Pot</h2><i class=date>2024-03-03"
					 "</i><p>Red</p>"
				       : "");
	discover();
	check_html("<div class=posts><h2>Tea 8</h2><p>Black 9</p>"
		   "<h2>Cup 7</h2><i class=date>2024-09-09</i><p>Grey 1</p>"
		   "</div>",
		   "posts",
		   "[{\"text\":\"Black 9\",\"title\":\"Tea 8\"},"
		   "{\"date\":\"2024-09-09\",\"text\":\"Grey 1\","
		   "\"title\":\"Cup 7\"}]");
}

TEST(two_lists_of_a_page_are_two_fields)
{
	for (int i = 0; i < PAGES; i++)
		learned_add(
			&site,
			"<h1>Page %c</h1><ul class=events>"
			"<li><b class=name>E%d</b><i class=place>X%d</i>"
			"<li><b class=name>F%d</b><i class=place>Y%d</i>"
			"%s</ul><ul class=reviews>"
			"<li><b class=author>G%d</b><i class=rating>%d/9</i>"
			"<li><b class=author>H%d</b><i class=rating>%d/8</i>"
			"%s</ul>",
			'A' + i, i, i, i, i,
			i % 2 ? "<li><b class=name>n</b>"
				"<i class=place>p</i>"
			      : "",
			i, i, i, i,
			i % 3 ? "<li><b class=author>a</b>"
				"<i class=rating>7/7</i>"
			      : "");
	discover();
	check_page(site.pages[0], "events",
		   "[{\"location\":\"X0\",\"name\":\"E0\"},"
		   "{\"location\":\"Y0\",\"name\":\"F0\"}]");
	check_page(site.pages[0], "reviews",
		   "[{\"author\":\"G0\",\"rating\":\"0/9\"},"
		   "{\"author\":\"H0\",\"rating\":\"0/8\"}]");
}

TEST(a_list_of_single_values_is_no_record)
{
	for (int i = 0; i < PAGES; i++)
		learned_add(&site,
			    "<h1>Page %c</h1><ul class=tags>"
			    "<li><a href=/t%d>t%d</a><li><a href=/u%d>u%d</a>"
			    "%s</ul>",
			    'A' + i, i, i, i, i,
			    i % 2 ? "<li><a href=/v>v</a>" : "");
	discover();
	ck_assert(!has_records());
}

TEST(a_menu_is_no_record)
{
	for (int i = 0; i < PAGES; i++)
		learned_add(&site,
			    "<h1>Page %c</h1><ul class=menu>"
			    "<li><b>News</b><i>today</i><li><b>Shop</b>"
			    "<i>teas</i><li><b>Help</b><i>write</i></ul>",
			    'A' + i);
	discover();
	ck_assert(!has_records());
}

TEST(removed_records_take_their_fields_along)
{
	uint32_t before;

	learn_comments();
	before = set.count;
	field_set_remove(&set, (uint32_t)(field_named("comments") - found));
	for (uint32_t f = 0; f < set.count; f++)
		ck_assert_uint_eq(set.fields[f].parent, NO_FIELD);
	ck_assert_uint_eq(set.count, before - 4);
	check_page(site.pages[1], "title", "\"StoryB\"");
	check_page(site.pages[1], "comments", "");
}

/* Return the index of a field of the set. */
static uint32_t index_of(const char *name)
{
	uint32_t f = 0;

	while (f < set.count && strcmp(set.fields[f].name, name) != 0)
		f++;
	return f;
}

TEST(the_last_field_takes_its_records_along)
{
	learn_comments();
	field_set_remove(&set, index_of("comments.author"));
	check_page(site.pages[1], "comments",
		   "[{\"date\":\"2024-01-02\",\"text\":\"First 1.\"},"
		   "{\"date\":\"2024-02-02\",\"text\":\"One 1. Two 1.\"}]");
	field_set_remove(&set, index_of("comments.date"));
	field_set_remove(&set, index_of("comments.text"));
	ck_assert_uint_eq(index_of("comments"), set.count);
	check_page(site.pages[1], "title", "\"StoryB\"");
}

/* A page of `count` comments of `size` bytes. */
static struct page *many_comments(int count, int size)
{
	AUTO_BUFFER html = {0};

	buffer_append_text(&html, "<ol class=comments>");
	for (int i = 0; i < count; i++)
		buffer_printf(&html,
			      "<li class=comment><b class=author>Ann %d</b>"
			      "<div class=body><p>%*d</div>",
			      i, size, i);
	buffer_append_byte(&html, '\0');
	return page_of(html.data);
}

static const struct field_result *comments_of(const struct page *page)
{
	return &field_set_apply(&set, page, test_arena)[index_of("comments")];
}

TEST(records_beyond_the_limit_are_left_out_and_unsure)
{
	AUTO_PAGE *full = NULL;
	AUTO_PAGE *over = NULL;

	learn_comments();
	full = many_comments(MAX_PAGE_RECORDS, 1);
	over = many_comments(MAX_PAGE_RECORDS + 1, 1);
	ck_assert_uint_eq(comments_of(full)->entry_count, MAX_PAGE_RECORDS);
	ck_assert(!comments_of(full)->is_unsure);
	ck_assert_uint_eq(comments_of(over)->entry_count, MAX_PAGE_RECORDS);
	ck_assert(comments_of(over)->is_unsure);
}

/* No record is left out in part: all that are there have both fields. */
TEST(a_page_of_very_many_records_is_bounded)
{
	AUTO_PAGE *page = NULL;
	const struct field_result *results;

	learn_comments();
	page = many_comments(100000, 1);
	results = field_set_apply(&set, page, test_arena);
	ck_assert_uint_eq(results[index_of("comments")].entry_count,
			  MAX_PAGE_RECORDS);
	ck_assert_uint_eq(results[index_of("comments.author")].entry_count,
			  MAX_PAGE_RECORDS);
	ck_assert_uint_eq(results[index_of("comments.text")].entry_count,
			  MAX_PAGE_RECORDS);
}
