/*
 * All formats have the same words, whatever the page holds, as foreign parsers
 * read them.
 */
#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <libxml/parser.h>

#include "extract/render/layout.h"
#include "extract/render/render.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/random.h"
#include "tests/unit/run.h"

static const char *const pieces[] = {
	"one",
	"two ",
	" three",
	"\n",
	" ",
	"&nbsp;",
	"\xE2\x80\xAF",
	"\x01",
	"*",
	"**",
	"_",
	"a_b",
	"__",
	"`",
	"``",
	"```\n",
	"~",
	"~~~",
	"[",
	"]",
	"](x)",
	"[x]: y",
	"!",
	"\\",
	"|",
	"|---|",
	":--",
	"#",
	"# ",
	"- ",
	"-",
	"---",
	"===",
	"+ ",
	"1",
	"1. ",
	".",
	") ",
	"&gt; ",
	"&amp;amp;",
	"&amp;#8217;",
	"&amp;nbsp;",
	"[a_b c='d']",
	"[/a_b]",
	"<noscript>",
	"</noscript>",
	"&lt;img src=x&gt;",
	"&amp;",
	"amp;",
	"&lt;b&gt;",
	"&lt;!--",
	"http://x.y/",
	"(",
	")",
	"\xE3\x80\x8C",
	"\xE6\x96\x87",
	"\xC3\xA9",
	"\xEF\xBF\xBF",
	"\xF0\x9F\x98\x80",
	"<br>",
	"<br><br>",
	"<p>",
	"</p>",
	"<div>",
	"</div>",
	"<b>",
	"</b>",
	"<strong>",
	"</strong>",
	"<i>",
	"</i>",
	"<em>",
	"</em>",
	"<code>",
	"</code>",
	"<kbd>",
	"</kbd>",
	"<sub>",
	"</sub>",
	"<sup>",
	"</sup>",
	"<del>",
	"</del>",
	"<a href='x(y'>",
	"<a href='/&amp;lt;|'>",
	"<a href='j:y'>",
	"</a>",
	"<img src='a b.png' alt='x](y'>",
	"<img src=data:x data-src=y.png>",
	"<ul>",
	"</ul>",
	"<ol>",
	"<ol start=7>",
	"</ol>",
	"<li>",
	"</li>",
	"<table>",
	"</table>",
	"<caption>",
	"</caption>",
	"<tr>",
	"</tr>",
	"<td>",
	"</td>",
	"<td colspan=2>",
	"<th>",
	"</th>",
	"<tr><td>a<td>b<tr><td>c<td>d",
	"<pre>",
	"</pre>",
	"<pre class='lang-c'>\n",
	"<h1>",
	"</h1>",
	"<h3>",
	"</h3>",
	"<blockquote>",
	"</blockquote>",
	"<figure>",
	"</figure>",
	"<figcaption>",
	"</figcaption>",
	"<span>",
	"</span>",
	"<hr>",
};

enum { SEEDS = 20000 };

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names != NULL; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

/* White space collapsed, and the ^ of powers removed, in place. */
static void collapse(struct buffer *text)
{
	size_t size = 0;

	buffer_append_text(text, "");
	for (size_t i = 0; i < text->size; i++)
		if (text->data[i] != '^')
			text->data[size++] = text->data[i];
	text->size = size;
	text->size = text_collapse(buffer_slice(text), text->data);
	text->data[text->size] = '\0';
}

/* The text of a Markdown node, without labels of images. */
static void add_node(cmark_node *node, struct buffer *out)
{
	const char *literal = cmark_node_get_literal(node);
	const char *type = cmark_node_get_type_string(node);
	static const char *const joined[] = {"text", "code",   "link",
					     "emph", "strong", "strikethrough",
					     NULL};
	static const char *const tags[] = {"<sub>", "</sub>", "<sup>", "</sup>",
					   NULL};

	if (literal != NULL && is_one_of(literal, tags))
		return;
	if (!is_one_of(type, joined))
		buffer_append_byte(out, ' ');
	if (literal != NULL && strcmp(literal, "<br>") != 0)
		buffer_append_text(out, literal);
	if (!is_one_of(type, joined))
		buffer_append_byte(out, ' ');
}

static void add_markdown(const struct buffer *markdown, struct buffer *out)
{
	cmark_parser *parser = cmark_parser_new(CMARK_OPT_DEFAULT);
	cmark_event_type event;
	cmark_node *root;
	cmark_iter *steps;
	int images = 0;

	cmark_parser_attach_syntax_extension(
		parser, cmark_find_syntax_extension("table"));
	cmark_parser_attach_syntax_extension(
		parser, cmark_find_syntax_extension("strikethrough"));
	cmark_parser_feed(parser, markdown->data == NULL ? "" : markdown->data,
			  markdown->size);
	root = cmark_parser_finish(parser);
	steps = cmark_iter_new(root);
	while ((event = cmark_iter_next(steps)) != CMARK_EVENT_DONE) {
		cmark_node *node = cmark_iter_get_node(steps);

		if (cmark_node_get_type(node) == CMARK_NODE_IMAGE)
			images += event == CMARK_EVENT_ENTER ? 1 : -1;
		else if (images == 0)
			add_node(node, out);
	}
	cmark_iter_free(steps);
	cmark_node_free(root);
	cmark_parser_free(parser);
}

/* The next node in document order; *left_out: one that was left on the way. */
static const xmlNode *next_node(const xmlNode *node, struct buffer *out)
{
	static const char *const joined[] = {"hi", "ref", "code", "graphic",
					     NULL};
	bool is_skipped =
		node->type == XML_ELEMENT_NODE &&
		is_one_of((const char *)node->name,
			  (const char *const[]){"graphic", "teiHeader", NULL});

	if (node->children != NULL && !is_skipped &&
	    node->type == XML_ELEMENT_NODE)
		return node->children;
	while (node != NULL && node->next == NULL) {
		node = node->parent;
		if (node != NULL && node->type == XML_ELEMENT_NODE &&
		    !is_one_of((const char *)node->name, joined))
			buffer_append_byte(out, ' ');
	}
	return node == NULL ? NULL : node->next;
}

static bool add_xml(const struct buffer *xml, struct buffer *out)
{
	static const char *const joined[] = {"hi", "ref", "code", "graphic",
					     NULL};
	xmlDoc *document = xmlReadMemory(xml->data, (int)xml->size, "x.xml",
					 NULL, XML_PARSE_NOERROR);

	if (document == NULL)
		return false;
	for (const xmlNode *node = xmlDocGetRootElement(document); node != NULL;
	     node = next_node(node, out)) {
		if (node->type == XML_TEXT_NODE)
			buffer_append_text(out, (const char *)node->content);
		else if (!is_one_of((const char *)node->name, joined))
			buffer_append_byte(out, ' ');
	}
	xmlFreeDoc(document);
	return true;
}

static void add_blocks(const struct page *page, const struct verdict *verdicts,
		       struct buffer *out)
{
	struct content_blocks blocks =
		content_blocks_make(page->arena, page, verdicts);

	for (size_t i = 0; i < blocks.count; i++) {
		const struct content_block *block = &blocks.items[i];

		ck_assert_uint_gt(block->length, 0);
		ck_assert(block->score >= 0.0F && block->score < 1.0F);
		buffer_append(out, blocks.text + block->begin, block->length);
		buffer_append_byte(out, '\n');
	}
}

static struct verdict *random_verdicts(const struct page *page, uint64_t seed)
{
	struct verdict *verdicts =
		ARENA_NEW(page->arena, struct verdict, page->text_count);
	uint64_t state = seed;

	for (uint32_t i = 0; i < page->text_count; i++) {
		verdicts[i].is_content = random_next(&state) % 6 != 0;
		verdicts[i].score = (float)(random_next(&state) % 8) / 8;
	}
	return verdicts;
}

/* What is written in `format`, as words; NULL: it is not well-formed. */
static void read_back(enum format format, const struct render_request *request,
		      struct buffer *written, struct buffer *words)
{
	render(format, request, written);
	if (format == FORMAT_MD)
		add_markdown(written, words);
	else if (format == FORMAT_XML)
		ck_assert_msg(add_xml(written, words), "not well-formed: %s",
			      written->data);
	else
		buffer_append_slice(words, buffer_slice(written));
	collapse(words);
}

static void assert_same_words(uint64_t seed, enum format format)
{
	AUTO_TEXT *html = random_pieces(seed, pieces, COUNT_OF(pieces));
	AUTO_PAGE *page = parse(html);
	const struct render_request request = {
		.page = page, .verdicts = random_verdicts(page, seed)};
	AUTO_BUFFER text = {0};
	struct buffer written = {0};
	struct buffer expected = {0};
	struct buffer words = {0};

	read_back(FORMAT_TXT, &request, &text, &expected);
	read_back(format, &request, &written, &words);
	ck_assert_msg(strcmp(words.data, expected.data) == 0,
		      "seed %d: %s\n->\n%s\n->\n%s\nnot\n%s", (int)seed, html,
		      written.data, words.data, expected.data);
	buffer_free(&written);
	buffer_free(&expected);
	buffer_free(&words);
}

FIXTURE(.timeout_s = 60);

TEST(markdown_has_the_words_of_txt)
{
	cmark_gfm_core_extensions_ensure_registered();
	for (uint64_t seed = 1; seed <= random_rounds(SEEDS); seed++)
		assert_same_words(seed, FORMAT_MD);
}

TEST(xml_has_the_words_of_txt)
{
	for (uint64_t seed = 1; seed <= random_rounds(SEEDS / 4); seed++)
		assert_same_words(seed, FORMAT_XML);
}

TEST(blocks_have_the_words_of_txt)
{
	for (uint64_t seed = 1; seed <= random_rounds(SEEDS / 4); seed++) {
		AUTO_TEXT *html = random_pieces(seed, pieces, COUNT_OF(pieces));
		AUTO_PAGE *page = parse(html);
		const struct verdict *verdicts = random_verdicts(page, seed);
		AUTO_BUFFER text = {0};
		struct buffer words = {0};

		render_text(page, verdicts, &text);
		collapse(&text);
		add_blocks(page, verdicts, &words);
		collapse(&words);
		ck_assert_msg(strcmp(words.data, text.data) == 0,
			      "seed %d: %s\n->\n%s\nnot\n%s", (int)seed, html,
			      words.data, text.data);
		buffer_free(&words);
	}
}

/* Every kept text occurs once: the texts differ. */
TEST(each_text_is_written_once)
{
	static const enum format formats[] = {FORMAT_TXT, FORMAT_MD,
					      FORMAT_HTML, FORMAT_XML};
	AUTO_PAGE *page = parse(
		"<h1>t1</h1><p>t2<b>t3</b></p><ul><li>t4<ul><li>t5</ul>"
		"</ul><table><tr><td>t6<td>t7<tr><td>t8<td>t9</table>"
		"<pre>u1</pre><blockquote>u2<a href=x>u3</a></blockquote>"
		"<figure><img src=x><figcaption>u4</figcaption></figure>");
	struct render_request request = {
		.page = page, .verdicts = run(page, "plain", NULL, NULL)};

	for (size_t i = 0; i < COUNT_OF(formats); i++) {
		AUTO_BUFFER out = {0};
		const char *last;

		render(formats[i], &request, &out);
		last = out.data;
		for (uint32_t text = 0; text < page->text_count; text++) {
			struct slice bytes = page_text(page, text);
			char word[8] = "";

			memcpy(word, bytes.data, bytes.size);
			last = strstr(last, word);
			ck_assert_ptr_nonnull(last);
			ck_assert_ptr_null(strstr(last + 1, word));
		}
	}
}
