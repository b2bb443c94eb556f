#include "extract/text/passage.h"

#include "tests/unit/extract/fixture.h"
#include "tests/unit/random.h"
#include "tests/unit/run.h"

#define NIHON   "\xE6\x97\xA5\xE6\x9C\xAC" /* 2 letters of Han */
#define NIHONGO NIHON "\xE8\xAA\x9E"       /* 3 */
#define MARU    "\xE3\x80\x82"             /* full stop */
#define TEN     "\xE3\x80\x81"             /* comma */
#define NEN     "\xE5\xB9\xB4"             /* year */
#define HANGUL  "\xED\x95\x9C\xEA\xB5\xAD" /* 2 syllables */

/* The passages live as long as the page. */
static struct passages passages_of(const struct page *page)
{
	return passages_make(page->arena, page);
}

/* The first passage of `html`, by value: counts only. */
static struct passage first(const char *html)
{
	AUTO_PAGE *page = parse(html);
	struct passages passages = passages_of(page);
	struct passage passage;

	ck_assert_uint_ge(passages.count, 1);
	passage = passages.items[0];
	return passage;
}

TEST(an_empty_page_has_none)
{
	AUTO_PAGE *page = parse("");
	struct passages passages = passages_of(page);

	ck_assert_uint_eq(passages.count, 0);
	ck_assert_uint_eq(passages.before_text[0], 0);
	ck_assert_uint_eq(passages_inside(&passages, NO_NODE).end, 0);
	ck_assert_uint_eq(passages.sums[0].words, 0);
}

TEST(a_title_is_in_none)
{
	AUTO_PAGE *page = parse("<title>t</title><body>a");
	struct passages passages = passages_of(page);

	ck_assert_uint_eq(passages.count, 1);
	ck_assert_uint_eq(passages.items[0].words, 1);
	ck_assert_uint_eq(passages.of_text[0], NO_PASSAGE);
	ck_assert_uint_eq(passages.of_text[1], 0);
}

/* a b | c | d e | f | g h */
TEST(block_level_elements_bound_them)
{
	AUTO_PAGE *page = parse("<body>a <i>b</i><p>c</p>d<br>e"
				"<x-y>f</x-y>g<wbr>h");
	struct passages passages = passages_of(page);

	ck_assert_uint_eq(passages.count, 5);
	ck_assert_uint_eq(passages.items[0].words, 2);
	ck_assert_uint_eq(passages.items[1].words, 1);
	ck_assert_uint_eq(passages.items[2].words, 2);
	ck_assert_uint_eq(passages.items[2].breaks, 1);
	ck_assert_uint_eq(passages.items[3].words, 1);
	ck_assert_uint_eq(passages.items[4].words, 1); /* gh */
	ck_assert_uint_eq(passages.items[4].inlines, 1);
}

/* "a" and "b" are parted by the blank that is no text of the page. */
TEST(blanks_between_elements_part_words)
{
	ck_assert_uint_eq(first("<p><i>a</i> <b>b</b>").words, 2);
	ck_assert_uint_eq(first("<p><i>a</i> <b>b</b>").characters, 3);
	ck_assert_uint_eq(first("<p><i>a</i><b>b</b>").words, 1);
	ck_assert_uint_eq(first("<p><i>a</i><b>b</b>").characters, 2);
}

/* html, body, div and p begin before "a"; p and b before "c"; "d" is after the
 * end of an element only. */
TEST(elements_before_a_passage_count)
{
	AUTO_PAGE *page = parse("<html><body><div><p>a<i>b</i></p>"
				"<p id=x><b>c</b></p>d");
	struct passages passages = passages_of(page);

	ck_assert_uint_eq(passages.count, 3);
	ck_assert_uint_eq(passages.items[0].tags, 4);
	ck_assert_uint_eq(passages.items[1].tags, 2);
	/* <p id="x"></p> and, of the formula, <b></b> */
	ck_assert_uint_eq(passages.items[1].markup, 14 + 7);
	ck_assert_uint_eq(passages.items[2].tags, 0);
	ck_assert_uint_eq(passages.items[2].markup, 0);
	ck_assert_uint_eq(passages.sums[3].tags, 6);
}

TEST(elements_inside_a_passage_count)
{
	struct passage passage = first("<p>a <a>b</a> <b>c</b> <strong>d"
				       "</strong> <img> <code>e</code> <u>f");

	ck_assert_uint_eq(passage.links, 1);
	ck_assert_uint_eq(passage.bolds, 2);
	ck_assert_uint_eq(passage.images, 1);
	ck_assert_uint_eq(passage.codes, 1);
	ck_assert_uint_eq(passage.inlines, 6);
	ck_assert_uint_eq(passage.words, 6);
}

/* "bc d": its space counts to the text after it. */
TEST(text_in_links_counts)
{
	struct passage passage = first("<p>a <a>bc d</a>");

	ck_assert_uint_eq(passage.words, 3);
	ck_assert_uint_eq(passage.link_words, 2);
	ck_assert_uint_eq(passage.characters, 6);
	ck_assert_uint_eq(passage.link_characters, 5);
	ck_assert_float_eq(passage_link_ratio(&passage), 5 / 6.0F);
}

TEST(characters_are_counted_with_white_space_collapsed)
{
	struct passage passage = first("<p> \n a-b,\t c3&nbsp;\xC3\xA9! ");

	ck_assert_uint_eq(passage.characters, 10); /* a-b, c3 e! */
	ck_assert_uint_eq(passage.words, 3);
	ck_assert_uint_eq(passage.punctuation, 3);
	ck_assert_uint_eq(passage.digits, 1);
	ck_assert_uint_eq(passage.clauses, 1);
	ck_assert_uint_eq(passage.end_term - passage.first_term, 4);
}

/* Of 1, 2, 3, 4 letters: 1, 2, 2, 3 words. */
TEST(scripts_without_spaces_count_as_in_translation)
{
	ck_assert_uint_eq(first("<p>" NEN).words, 1);
	ck_assert_uint_eq(first("<p>" NIHON).words, 2);
	ck_assert_uint_eq(first("<p>" NIHONGO).words, 2);
	ck_assert_uint_eq(first("<p>" NIHONGO NEN).words, 3);
	ck_assert_uint_eq(first("<p>" NIHONGO TEN NEN).words, 3);
	ck_assert_uint_eq(first("<p>" NIHON " " NIHON).words, 4);
	ck_assert_uint_eq(first("<p>" NIHONGO MARU).characters, 10);
	ck_assert_uint_eq(first("<p>x" NIHON "y").words, 4);
	ck_assert_uint_eq(first("<p>" HANGUL).characters, 4);
	ck_assert_uint_eq(first("<p>" HANGUL " " HANGUL).words, 2);
	/* five letters of Thai, and a vowel sign over the first one */
	ck_assert_uint_eq(first("<p>\xE0\xB8\x81\xE0\xB8\xB4\xE0\xB8\x81"
				"\xE0\xB8\x81\xE0\xB8\x81\xE0\xB8\x81")
				  .words,
			  2);
	ck_assert_uint_eq(first("<p>\xE0\xB8\x81\xE0\xB8\xB4").characters, 2);
	ck_assert_uint_eq(first("<p>\xE0\xB8\x81\xE0\xB8\xB4").punctuation, 0);
}

TEST(sentences_end_before_white_space)
{
	struct passage passage = first("<p>It cost 3.50 at a.com. Why?! \"So.\""
				       " I... see!");

	ck_assert_uint_eq(passage.sentences, 5);
	ck_assert(passage.ends_sentence);
	ck_assert(!passage.ends_question);
	ck_assert_uint_eq(first("<p>... !").sentences, 0);
	ck_assert_uint_eq(first("<p>a. <br>b.").sentences, 2);
	/* full stops of Han need no white space, and are counted once */
	ck_assert_uint_eq(first("<p>" NIHON MARU NIHON MARU MARU).sentences, 2);
	ck_assert(first("<p>" NIHON MARU "\xE3\x80\x8D").ends_sentence);
}

TEST(the_last_sign_tells_how_it_ends)
{
	ck_assert(first("<p>a: ").ends_colon);
	ck_assert(!first("<p>a:b").ends_colon);
	ck_assert(!first("<p>a:").ends_sentence);
	ck_assert(first("<p>a?\xE2\x80\x9D").ends_question);
	ck_assert(first("<p>a?\xE2\x80\x9D").ends_sentence);
	ck_assert(first("<p>a\xD8\x9F").ends_question); /* Arabic */
	ck_assert(first("<p>a<b>.</b>").ends_sentence);
	ck_assert(!first("<p>a.b").ends_sentence);
	ck_assert(!first("<p>a. -").ends_sentence);
}

TEST(numbers_next_to_currencies_are_prices)
{
	ck_assert(first("<p>$5").has_price);
	ck_assert(first("<p>EUR: 1,000.50 \xE2\x82\xAC").has_price);
	ck_assert(first("<p><i>\xC2\xA3</i><b> 5</b>").has_price);
	ck_assert(first("<p>99 Kr.").has_price);
	ck_assert(first("<p>kr. 99").has_price);
	ck_assert(first("<p>99 z\xC5\x82").has_price);
	ck_assert(first("<p>99\xE5\x86\x86").has_price);
	ck_assert(!first("<p>99 krona").has_price);
	ck_assert(!first("<p>$ five").has_price);
	ck_assert(!first("<p>99 or $").has_price);
	ck_assert(!first("<p>kr").has_price);
}

TEST(numbers_that_look_like_dates_are)
{
	ck_assert(first("<p>in 1900").has_date);
	ck_assert(first("<p>2099-x").has_date);
	ck_assert(!first("<p>1899").has_date);
	ck_assert(!first("<p>2100").has_date);
	ck_assert(!first("<p>20245").has_date);
	ck_assert(!first("<p>2024a").has_date);
	ck_assert(!first("<p>a2024").has_date);
	ck_assert(first("<p>at 9:30").has_date);
	ck_assert(!first("<p>at 9:3").has_date);
	ck_assert(!first("<p>16:900").has_date);
	ck_assert(first("<p>12/31").has_date);
	ck_assert(first("<p>31.12.").has_date);
	ck_assert(!first("<p>31.12").has_date);
	ck_assert(!first("<p>31.12 a").has_date);
	ck_assert(first("<p>3" NEN).has_date);
	ck_assert(!first("<p>" NEN).has_date);
	ck_assert(first("<p>\xC2\xA9 a").has_rights);
	ck_assert(!first("<p>a").has_rights);
}

TEST(the_same_words_have_the_same_hash)
{
	uint64_t hash = first("<p>Read \xC3\x89tudes 5").hash;

	ck_assert_uint_ne(hash, 0);
	ck_assert_uint_eq(hash, first("<p>read,\n\xC3\xA9tudes (<b>5").hash);
	ck_assert_uint_eq(hash, first("<p>re<i>ad</i> \xC3\xA9tudes 5").hash);
	ck_assert_uint_ne(hash, first("<p>read \xC3\xA9tudes5").hash);
	ck_assert_uint_ne(hash, first("<p>\xC3\xA9tudes read 5").hash);
	ck_assert_uint_ne(hash, first("<p>read \xC3\xA9tudes").hash);
	ck_assert_uint_eq(first("<p>" NIHON TEN NEN).hash,
			  first("<p>" NIHON " " NEN).hash);
}

/* The second "a" is hidden from readers: it is a repeat, but not counted. */
TEST(repeats_are_counted)
{
	AUTO_PAGE *page = parse("<p>a</p><noscript>a</noscript><p>b<p>A.");
	struct passages passages = passages_of(page);

	ck_assert_uint_eq(passages.count, 4);
	ck_assert_uint_eq(passages.items[0].repeats, 2);
	ck_assert(!passages.items[0].is_repeat);
	ck_assert_uint_eq(passages.items[1].repeats, 2);
	ck_assert(passages.items[1].is_repeat);
	ck_assert_uint_eq(passages.items[2].repeats, 1);
	ck_assert(!passages.items[2].is_repeat);
	ck_assert(passages.items[3].is_repeat);
}

TEST(the_innermost_place_holds)
{
	ck_assert_uint_eq(first("<p>a").place, PLACE_PLAIN);
	ck_assert_uint_eq(first("<body><noscript><p>a").place, PLACE_NOSCRIPT);
	ck_assert_uint_eq(first("<select><option>a").place, PLACE_CHOICE);
	ck_assert_uint_eq(first("<textarea>a").place, PLACE_TEXTAREA);
	ck_assert_uint_eq(first("<svg><text>a").place, PLACE_SVG);
	ck_assert_uint_eq(first("<body><template><b>a").place, PLACE_TEMPLATE);
	ck_assert_uint_eq(first("<body><noscript><video>a").place, PLACE_MEDIA);
}

TEST(hidden_elements_hide_their_descendants)
{
	ck_assert_uint_eq(first("<p>a").hiding, HIDING_NONE);
	ck_assert_uint_eq(first("<div hidden><p>a").hiding, HIDING_ATTRIBUTE);
	ck_assert_uint_eq(first("<div hidden=until-found>a").hiding,
			  HIDING_NONE);
	ck_assert_uint_eq(first("<p aria-hidden=true>a").hiding, HIDING_ARIA);
	ck_assert_uint_eq(first("<p aria-hidden=false>a").hiding, HIDING_NONE);
	ck_assert_uint_eq(first("<p style='display: none'>a").hiding,
			  HIDING_STYLE);
	ck_assert_uint_eq(first("<p class='x SR-only'><b>a").hiding,
			  HIDING_CLASS);
	ck_assert_uint_eq(first("<p class='sr-only-x xhidden hid'>a").hiding,
			  HIDING_NONE);
	ck_assert_uint_eq(first("<p class=hide><b hidden>a").hiding,
			  HIDING_CLASS);
	ck_assert_uint_eq(first("<div class=hide><p hidden>a").hiding,
			  HIDING_CLASS);
}

/* A page with two texts or more, the last of which is a double or not. */
static const struct {
	const char *html;
	bool is_double;
} doubles[] = {
	{"<p>New<span class=clipped>New</span>", true},
	{"<p><b aria-hidden=true>New</b> <i><b class=sr-only> New item", true},
	{"<p>New<span>New", false},
	{"<p>New<span class=sr-only>Ne", false},
	{"<p>New<span class=sr-only>and old", false},
	{"<p>New<p><span class=sr-only>New", false},
	{"<p class=sr-only>New<b>New", false},
};

TEST_ROWS(a_double_repeats_the_text_before_it, doubles)
{
	AUTO_PAGE *page = parse(doubles[_i].html);
	const struct passages passages = passages_of(page);

	ck_assert(!passages_text_is_double(&passages, 0));
	ck_assert(passages_text_is_double(&passages, page->text_count - 1) ==
		  doubles[_i].is_double);
}

/* ul is node 3 (html, head, body, ul, li, li, p): passages 0 and 1 begin in it.
 */
TEST(ranges_and_sums_are_those_inside)
{
	AUTO_PAGE *page = parse("<body><ul><li>a b.<li><a>c</a></ul>"
				"<p>d $5");
	struct passages passages = passages_of(page);
	struct passage_range inside = passages_inside(&passages, 3);
	struct passage_sums sums = passages_sum(&passages, inside);

	ck_assert_uint_eq(inside.begin, 0);
	ck_assert_uint_eq(inside.end, 2);
	ck_assert_uint_eq(sums.words, 3);
	ck_assert_uint_eq(sums.link_words, 1);
	ck_assert_uint_eq(sums.characters, 5);
	ck_assert_uint_eq(sums.link_characters, 1);
	ck_assert_uint_eq(sums.passages, 2);
	ck_assert_uint_eq(sums.sentences, 1);
	ck_assert_uint_eq(sums.ends, 1);
	ck_assert_uint_eq(sums.prices, 0);
	ck_assert_uint_eq(
		passages_sum(&passages, passages_inside(&passages, NO_NODE))
			.prices,
		1);
	ck_assert_uint_eq(passages.items[2].node, 7);
}

/* 15 words are long; 14 are not, nor 15 with most in a link. */
TEST(long_passages_are_summed_up)
{
	AUTO_PAGE *page = parse("<p>1 2 3 4 5 6 7 8 9 1 2 3 4 5 6"
				"<p>1 2 3 4 5 6 7 8 9 1 2 3 4 5"
				"<p>1 <a>2 3 4 5 6 7 8 9 1 2 3 4 5 6");
	struct passages passages = passages_of(page);

	ck_assert_uint_eq(passages.sums[3].long_words, 15);
}

TEST(what_is_not_plain_is_in_no_sum)
{
	AUTO_PAGE *page = parse("<textarea>a b.</textarea>");
	struct passages passages = passages_of(page);

	ck_assert_uint_eq(passages.count, 1);
	ck_assert_uint_eq(passages.sums[1].words, 0);
	ck_assert_uint_eq(passages.sums[1].passages, 0);
	ck_assert_uint_eq(passages.sums[1].ends, 0);
}

TEST(counters_stop_at_their_limit)
{
	enum { COUNT = 70000 };
	struct buffer html = {0};
	struct passage passage;

	buffer_append_text(&html, "<p>a");
	for (int i = 0; i < COUNT; i++)
		buffer_append_text(&html, ",<br>");
	buffer_append_text(&html, "b");
	buffer_append_byte(&html, '\0');
	passage = first(html.data);
	free(html.data);
	ck_assert_uint_eq(passage.breaks, UINT16_MAX);
	ck_assert_uint_eq(passage.clauses, UINT16_MAX);
	ck_assert_uint_eq(passage.punctuation, COUNT);
}

/* Whether passage `index` begins where the one before it ended. */
static bool follows(const struct passages *passages, uint32_t index)
{
	const struct passage *item = &passages->items[index];
	const struct passage *before = index == 0 ? NULL : item - 1;

	return item->first_text < item->end_text &&
	       item->first_text >= (before == NULL ? 0 : before->end_text) &&
	       item->first_term == (before == NULL ? 0 : before->end_term) &&
	       item->first_term <= item->end_term &&
	       passages->of_text[item->first_text] == index &&
	       passages->before_text[item->first_text] == index;
}

static bool adds_up(const struct passage *item)
{
	return item->link_words <= item->words &&
	       item->link_characters <= item->characters && item->hash != 0;
}

/* Is text `index` in the passage that claims it? The title's is in none. */
static bool is_placed(const struct passages *passages, uint32_t index)
{
	uint32_t passage = passages->of_text[index];

	if ((passages->page->texts[index].flags & TEXT_IS_TITLE) != 0)
		return passage == NO_PASSAGE;
	return passage < passages->count &&
	       index >= passages->items[passage].first_text &&
	       index < passages->items[passage].end_text;
}

TEST_LOOP(any_page_is_parted_into_passages, 0, random_rounds(300))
{
	AUTO_TEXT *html = random_html((uint64_t)_i);
	AUTO_PAGE *page = parse(html);
	struct passages passages = passages_of(page);

	for (uint32_t i = 0; i < passages.count; i++)
		ck_assert(follows(&passages, i) && adds_up(&passages.items[i]));
	for (uint32_t i = 0; i < page->text_count; i++)
		ck_assert(is_placed(&passages, i));
}

/*
 * Of 32,768 + 40 paragraphs the last 40 are passages of 16, 16 and 8 texts; the
 * template between them is in none.
 */
TEST(beyond_many_passages_texts_are_put_together)
{
	enum { MANY = 32768, MORE = 40 };
	AUTO_BUFFER html = {0};
	AUTO_PAGE *page;
	struct passages passages;

	for (uint32_t i = 0; i < MANY + MORE; i++)
		buffer_append_text(&html, i == MANY + 20
						  ? "<template>t</template><p>x"
						  : "<p>x");
	buffer_append_byte(&html, '\0');
	page = parse(html.data);
	passages = passages_of(page);
	ck_assert_uint_eq(page->text_count, MANY + MORE + 1);
	ck_assert_uint_eq(passages.count, MANY + 3);
	ck_assert_uint_eq(passages.items[MANY - 1].words, 1);
	ck_assert_uint_eq(passages.items[MANY].words, 16);
	ck_assert_uint_eq(passages.items[MANY].end_term -
				  passages.items[MANY].first_term,
			  16);
	ck_assert_uint_eq(passages.of_text[MANY + 20], NO_PASSAGE);
	ck_assert_uint_eq(passages.of_text[MANY + MORE], MANY + 2);
}
