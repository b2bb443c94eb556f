#include "extract/render/element_role.h"

#include "extract/render/render.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/extract/render/markdown.h"
#include "tests/unit/run.h"

TEST(code_has_the_lines_of_the_source)
{
	/* one element a line, with or without line ends between them */
	assert_markdown("<pre><code><div class=line>a {</div>"
			"<div class=line></div><div class=line>  <b>b</b></div>"
			"<div class=line>}</div></code></pre>",
			"```\na {\n\n  b\n}\n```\n");
	assert_markdown("<pre><code><div>a<br></div><div><br></div><div>b<br>"
			"</div></code></pre>",
			"```\na\n\nb\n```\n");
	assert_markdown("<pre><code><div>a</div>\n<div>b</div>\n</code></pre>",
			"```\na\nb\n```\n");
	assert_markdown("<pre><code><span>a\n</span><span>\n</span>"
			"<span>  <i>b</i></span></code></pre>",
			"```\na\n\n  b\n```\n");
	assert_markdown("<pre><span>a</span>\n<span>  <i>b</i>\n</span>"
			"<span> </span>c</pre>",
			"```\na\n  b\n c\n```\n");
	assert_markdown("<pre><code><span> </span>a\n-b</code></pre>",
			"```\n a\n-b\n```\n");
}

TEST(line_numbers_are_not_code)
{
	assert_markdown("<pre><code><span class=ln>1</span>a\n"
			"<span class=ln>2</span>  b</code></pre>",
			"```\na\n  b\n```\n");
	assert_markdown("<table class=highlighttable><tr><td class=linenos>"
			"<pre>1\n2</pre><td class=code><pre>a\n b</pre>"
			"</table>",
			"```\na\n b\n```\n");
	assert_markdown("<pre><code class=language-rb><table><tr>"
			"<td class=gutter><pre>1\n2\n</pre><td><pre>a\n b</pre>"
			"</table></code></pre>",
			"```rb\na\n b\n```\n");
	assert_markdown("<table><tr><td class='gutter x'>1<td class=mono>a b"
			"<tr><td class='gutter x'>2<td class=mono>  c</table>",
			"```\na b\n  c\n```\n");
	assert_markdown("<table><tr><td class=blob-num>1<td class=blob-num>2"
			"<td><code>a b</code></table>",
			"```\na b\n```\n");
	/* a class alone does not make text a number */
	assert_markdown("<p class=gutter>a 1</p><pre class=line-numbers>1</pre>"
			"<code class=ln>2</code>",
			"a 1\n\n```\n1\n```\n\n`2`\n");
}

TEST(a_column_of_numbers_stays_beside_other_text)
{
	assert_markdown("<table><tr><td class=line-number>1<td>a b"
			"<tr><td class=line-number>2<td>c</table>",
			"| 1 | a b |\n| --- | --- |\n| 2 | c |\n");
	assert_markdown("<table><tr><td>1<td class=ln>2<td>a"
			"<tr><td>1<td class=ln>2<td>a</table>",
			"| 1 | 2 | a |\n| --- | --- | --- |\n| 1 | 2 | a |\n");
	assert_markdown("<table><tr><td class=ln>1<td>a <code>b</code>"
			"<tr><td class=ln>2<td>c</table>",
			"| 1 | a `b` |\n| --- | --- |\n| 2 | c |\n");
	assert_markdown("<table><tr><td class=ln>1<td>a"
			"<tr><td class=ln>2<td><code>b</code></table>",
			"| 1 | a |\n| --- | --- |\n| 2 | `b` |\n");
	/* the code is too far away */
	assert_markdown("<table><tr><td class=ln>1<td>2<td>3<td>4<td><code>5"
			"</code><tr><td>6</table>",
			"| 1 | 2 | 3 | 4 | `5` |\n"
			"| --- | --- | --- | --- | --- |\n"
			"| 6 |  |  |  |  |\n");
}

TEST(code_without_text_has_no_fence)
{
	assert_markdown("a<pre>&#8203;</pre><pre><span class=ln>1</span></pre>"
			"<pre><code> \n</code></pre>b",
			"a\n\nb\n");
}

TEST(controls_are_not_code)
{
	assert_markdown("<div class=language-ts><button>Copy</button>"
			"<span class=lang>ts</span><pre>a</pre></div>",
			"Copy\n\n```ts\na\n```\n");
	assert_markdown("<pre><div class=language-id>ts</div><code>a"
			"</code><a class=play href=x>Try</a></pre>",
			"```ts\na\n```\n");
	assert_markdown("<pre>$ <code>a</code> <a href=x>b</a></pre>",
			"```\n$ a b\n```\n");
}

TEST(languages_are_known_ones)
{
	assert_markdown("<pre class='highlight python'>a</pre>",
			"```python\na\n```\n");
	assert_markdown("<pre class='brush: bash; gutter: false'>a</pre>",
			"```bash\na\n```\n");
	assert_markdown("<pre data-lang=toml>a</pre>", "```toml\na\n```\n");
	assert_markdown("<pre class=language-id>a</pre>", "```\na\n```\n");
	assert_markdown("<pre class='python x'>a</pre>", "```\na\n```\n");
	assert_markdown("<body class=lang-pl><pre>a</pre>", "```\na\n```\n");
}

TEST(code_is_one_span)
{
	assert_markdown("<p><code><b>a</b> b</code>", "`a b`\n");
	assert_markdown("<p><b><code>a</code></b>", "**`a`**\n");
}

TEST(roles_make_tables_and_headings)
{
	assert_markdown("<div role=table><div role=rowgroup><div role=row>"
			"<span role=columnheader>a</span>"
			"<span role=columnheader>b</span></div></div>"
			"<div role=row><span role=cell>c</span>"
			"<span role=cell>d</span></div></div>",
			"| a | b |\n| --- | --- |\n| c | d |\n");
	assert_markdown("<div role=row><span role=cell>a</span></div>", "a\n");
	assert_markdown("<div role=heading aria-level=3>a</div>"
			"<div role=heading aria-level=9>b</div>"
			"<div role=heading>(0)</div>",
			"### a\n\n## b\n\n(0)\n");
	assert_markdown("<table><tr><td>a<td><div role=heading>b</div>c"
			"<tr><td>d<td>e</table>",
			"| a | b<br>c |\n| --- | --- |\n| d | e |\n");
	assert_markdown("<table role=presentation><tr><td>a<td>b<tr><td>c<td>d"
			"</table>",
			"a\n\nb\n\nc\n\nd\n");
}

TEST(formulas_are_tex)
{
	assert_markdown("<p>a <span class=katex><span><math><semantics><mi>x"
			"</mi><annotation encoding='application/x-tex'>x_1 "
			"\n&lt;b</annotation></semantics></math></span><span>x1"
			"</span></span>, b",
			"a $x_1 < b$, b\n");
	assert_markdown("<p>a<p><span class=katex-display><span class=katex>"
			"<annotation encoding='application/x-tex'>\\rho"
			"</annotation></span></span>",
			"a\n\n$$\\rho$$\n");
	assert_markdown("<p>a <span data-math='x*y'>xy</span> b",
			"a $x*y$ b\n");
	assert_markdown(
		"<p>a <span class=MathJax><math><mi>x</mi></math></span>"
		"<script type='math/tex'>x_2</script> b",
		"a $x_2$ b\n");
	assert_markdown("<p>a <img class=latex src=i alt='x^2'> b",
			"a $x^2$ b\n");
	assert_markdown("<p>a <math alttext='{\\displaystyle n}'><mi>n</mi>"
			"</math>",
			"a $n$\n");
	/* an attribute does not replace an article */
	assert_markdown("<div data-math=true><p>a</div>", "a\n");
	assert_markdown("<p>a <span data-math='$x$'>b</span>", "a b\n");
}

TEST(mathml_becomes_tex)
{
	assert_markdown("<p>a <math><mfrac><mi>d</mi><mrow><mi>u</mi><mo>"
			"\xE2\x88\x92</mo><mi>v</mi></mrow></mfrac></math>",
			"a $\\frac{d}{u-v}$\n");
	assert_markdown("<p>a <math><msup><mrow><mi>x</mi><mo>+</mo><mn>1</mn>"
			"</mrow><mn>2</mn></msup><mo>\xE2\x89\xA4</mo>"
			"<munder><mi>max</mi><mi>i</mi></munder></math>",
			"a ${x+1}^{2}\\leq \\max _{i}$\n");
	assert_markdown("<p>a <math><mtable><mtr><mtd><mi>b</mi></mtd><mtd>"
			"<mi>c</mi></mtd></mtr><mtr><mtd><mtext>d e</mtext>"
			"</mtd></mtr></mtable></math>",
			"a $\\begin{matrix}b & c \\\\ \\text{d e}"
			"\\end{matrix}$\n");
}

/* Characters of an identifier are written with more or fewer bytes in TeX. */
TEST(identifiers_of_mathml_have_both_braces)
{
	AUTO_BUFFER html = {0};

	assert_markdown("<p>a <math><mi>b_c</mi></math>",
			"a $\\mathrm{b\\_c}$\n");
	assert_markdown("<p>a <math><mi>_b</mi></math>", "a $\\_b $\n");
	assert_markdown("<p>a <math><mi>sin</mi><ms>b%</ms></math>",
			"a $\\sin \\text{b\\%}$\n");
	buffer_append_text(&html, "<p>a <math><mi>b");
	for (int i = 0; i < 3000; i++)
		buffer_append_text(&html, "\xE2\x81\xA2");
	assert_markdown(html.data, "a $\\mathrm{b}$\n");
}

TEST(headings_have_no_anchors)
{
	assert_markdown("<h2>a<a href='#a'>\xC2\xB6</a></h2>"
			"<h2><a href='#b'>#</a> b</h2>"
			"<h2>c <a href='#c'>\xF0\x9F\x94\x97</a></h2>",
			"## a\n\n## b\n\n## c\n");
	assert_markdown("<h2><a href='#a'>a b</a></h2><h2><a href=x>b</a></h2>",
			"## a b\n\n## [b](x)\n");
	assert_markdown("<h2>a</h2><span class=mw-editsection>[<a href=x>edit"
			"</a>]</span><p>b",
			"## a\n\nb\n");
	assert_markdown("<p>a <a href='#n1'>\xE2\x86\xA9\xEF\xB8\x8E</a>"
			"<p>b <a href=x>#</a> <a href='#x'>c</a>",
			"a\n\nb [#](x) [c](#x)\n");
}

TEST(invisible_characters_are_left_out)
{
	assert_markdown("<h2>Zu&shy;st\xC3\xA4n&shy;dig</h2><p>a.&#8203;b() "
			"&#8203;c<pre>a&shy;b</pre>",
			"## Zust\xC3\xA4ndig\n\na.b() c\n\n"
			"```\na\xC2\xAD"
			"b\n```\n");
	assert_markdown(
		"<p>\xE6\xBC\xA2\n\xE5\xAD\x97 \xE6\xBC\xA2 a\n"
		"\xE5\xAD\x97",
		"\xE6\xBC\xA2\xE5\xAD\x97 \xE6\xBC\xA2 a \xE5\xAD\x97\n");
}

TEST(deleted_text_is_struck_through)
{
	assert_markdown("<p>a <del>b</del> <ins>c</ins>", "a ~~b~~ c\n");
	assert_markdown("<p>a<s>b </s>c", "a~~b~~ c\n");
	assert_markdown("<p><b><s>a</s></b>", "**~~a~~**\n");
}

TEST(tasks_have_boxes)
{
	assert_markdown("<ul><li><label><input type=checkbox checked></label> a"
			"<li><input type=checkbox>b<li>c "
			"<input type=checkbox></ul>",
			"- [x] a\n- [ ] b\n- c\n");
	assert_markdown("<p><input type=checkbox> a", "a\n");
}

TEST(readings_are_in_brackets)
{
	assert_markdown("<p><ruby>a<rp>(</rp><rt>b</rt><rp>)</rp>c<rt>d</ruby>"
			"e<ruby>f<rt></ruby>",
			"a(b)c(d)ef\n");
	assert_markdown("<pre><ruby>c<rt>d</ruby></pre>", "```\ncd\n```\n");
}

TEST(fallbacks_are_left_out)
{
	assert_markdown("<p>a<video src=v>No video</video><p>b",
			"a\n\n[video](v)\n\nb\n");
	assert_markdown("<p>a<audio>b<img src=i> <math><mi>x</mi></math>"
			"</audio>c",
			"a c\n");
	assert_markdown("<video>a<img src=i>b</video>", "");
	assert_markdown(
		"<p>a <a href=x>b<svg><title>new tab</title></svg></a>, "
		"c",
		"a [b](x), c\n");
}

TEST(images_and_formulas_have_the_spaces_of_the_source)
{
	assert_markdown("<p><a href=x>a</a> <a href=y><img src=i></a>"
			"<img src=j> <math><mi>x</mi></math>b",
			"[a](x) [![](i)](y)![](j) $x$b\n");
}

TEST(marks_of_notes_are_raised)
{
	assert_markdown("<p>a.<a href='#n' role=doc-noteref><sup>1</sup></a> b",
			"a.<sup>1</sup> b\n");
	assert_markdown("<p>a <a href='#n'>1</a><sup><a href='#n' "
			"class=footnote-ref>2</a></sup>",
			"a [1](#n)<sup>[2](#n)</sup>\n");
}

TEST(a_column_of_numbers_is_not_code)
{
	assert_markdown("<pre><code><span class=x1>9</span> <i>a</i>\n"
			"<span class=x1>10</span>\n<span class=x1>11</span>  b "
			"<b>11</b></code></pre>",
			"```\n a\n\n  b 11\n```\n");
	assert_markdown("<pre><div><span>1</span><b>a</b></div><div><span>2"
			"</span><b>b</b></div><div><span>3</span><b>c</b></div>"
			"</pre>",
			"```\na\nb\nc\n```\n");
	/* one line, a gap, a list of numbers, and two lines */
	assert_markdown("<pre><i>1</i>, <i>2</i>, <i>3</i>, a</pre>"
			"<pre><i>1</i>a\n<i>2</i>b\n<i>4</i>c</pre>"
			"<pre><i>1</i>\n<i>2</i>\n<i>3</i></pre>"
			"<pre><i>1</i>a\n<i>2</i>b</pre>",
			"```\n1, 2, 3, a\n```\n\n```\n1a\n2b\n4c\n```\n\n"
			"```\n1\n2\n3\n```\n\n```\n1a\n2b\n```\n");
}

TEST(a_note_beside_the_text_is_in_brackets)
{
	assert_markdown("<p>a.<label class=sidenote-number></label>"
			"<span class=sidenote>b <i>c</i></span> d",
			"a. (b _c_) d\n");
	assert_markdown("<p class=sidenote>a</p>", "a\n");
}

TEST(a_signature_is_code)
{
	assert_markdown("<dl><dt class='sig x'><span>a_b</span>(<em>c</em>, "
			"<a href=l><b>d</b></a>)<a class=h href=#x>\xC2\xB6</a>"
			"<dd>e</dl><p class=sig>f",
			"`a_b(c,` [`d`](l)`)`\n\ne\n\nf\n");
}

TEST(a_raised_number_is_a_power_in_txt)
{
	AUTO_PAGE *page = parse("<p>10<sup>6</sup> 2<sup>\xE2\x88\x92"
				"3</sup> 5 km<sup>2</sup> (a)<sup>2</sup> "
				"word<sup>1</sup> 1<sup>st</sup> 3 <sup>4</sup>"
				" 1<sup><a href=#x>5</a></sup> $7<sup>9</sup> "
				"9<sup>99</sup> x1<sup>2</sup> 2<sup>64</sup>");
	AUTO_BUFFER out = {0};

	render_text(page, run(page, "plain", NULL, NULL), &out);
	ck_assert_str_eq(out.data, "10^6 2^\xE2\x88\x92"
				   "3 5 km^2 (a)^2 word1 1st 3 4 15 $79 999 "
				   "x12 2^64\n");
}

TEST(the_source_of_a_quote_follows_a_dash)
{
	assert_markdown("<blockquote><p>a<cite>b</cite></blockquote>"
			"<blockquote><p>c</p><cite>d</cite></blockquote>"
			"<blockquote><p>e<footer>f <cite>g</cite></footer>"
			"</blockquote>",
			"> ab\n\n> c\n>\n> \xE2\x80\x94 d\n\n"
			"> e\n>\n> \xE2\x80\x94 f g\n");
	/* a dash of the author, a quote of one text, and a title in a text */
	assert_markdown("<blockquote><p>a<br><cite>- b</cite></blockquote>"
			"<blockquote><cite>c</cite></blockquote><p>d<br>"
			"<cite>e</cite>",
			"> a\\\n> \\- b\n\n> c\n\nd\\\ne\n");
}

TEST(a_quote_without_a_source_has_the_address_of_its_attribute)
{
	assert_markdown(
		"<blockquote cite='https://x.y/a_b?c=(d)'>"
		"<ul><li>e</ul></blockquote><p>f",
		"> - e\n>\n> \xE2\x80\x94 "
		"[https://x.y/a_b?c=(d)](https://x.y/a_b?c=\\(d\\))\n\nf\n");
	assert_markdown("<ul><li>a<blockquote cite=/b>c<blockquote cite=./d>e"
			"</blockquote></blockquote></ul>",
			"- a\n\n  > c\n  >\n  > > e\n  > >\n"
			"  > > \xE2\x80\x94 [./d](./d)\n  >\n"
			"  > \xE2\x80\x94 [/b](/b)\n");
	/* sources that readers see */
	assert_markdown("<blockquote cite=/a>b <cite>c</cite> d</blockquote>"
			"<figure><blockquote cite=/a>e</blockquote>"
			"<figcaption>f</figcaption></figure>"
			"<blockquote cite=/a>g <a href=/a>h</a></blockquote>",
			"> b c d\n\n> e\n\nf\n\n> g [h](/a)\n");
	/* names, and an address that is not safe */
	assert_markdown("<blockquote cite='A/B C'>a</blockquote>"
			"<blockquote cite=SCA>b</blockquote>"
			"<blockquote cite='javascript:/x'>c</blockquote>"
			"<blockquote cite='http:'>d</blockquote>",
			"> a\n\n> b\n\n> c\n\n> d\n");
}

/* A source that is not kept is not seen. */
TEST(a_dropped_source_does_not_replace_the_address)
{
	AUTO_PAGE *page = parse("<blockquote cite=http://x/>a<cite>b</cite>"
				"</blockquote>");
	struct verdict *verdicts =
		ARENA_NEW(page->arena, struct verdict, page->text_count);
	AUTO_BUFFER out = {0};

	verdicts[0].is_content = true;
	render(FORMAT_MD,
	       &(struct render_request){.page = page, .verdicts = verdicts},
	       &out);
	ck_assert_str_eq(out.data,
			 "> a\n>\n> \xE2\x80\x94 [http://x/](http://x/)\n");
}

TEST(a_footnote_has_a_mark_and_a_label)
{
	/* the mark is raised, and the list is one of notes */
	assert_markdown("<p>a<sup id=r><a href=#n>1</a></sup> b<ol><li id=n>"
			"<p>text c <a href=#r>back</a><p>d<li>text e</ol>",
			"a[^1] b\n\n[^1]: text c\n\n    d\n\n2. text e\n");
	/* two marks of a note, a sign, and a mark that another note has */
	assert_markdown("<p>a <a href=#n class=footnote-ref>[x]</a>, "
			"<a href=#n role=doc-noteref>y</a><a href=#m "
			"class=noteref>*</a><a href=#o class=noteref>x</a>"
			"<ol><li id=n>text<li id=m>more<li id=o>last</ol>",
			"a [^x], [^x][^note-2][^note-3]\n\n[^x]: text\n\n"
			"[^note-2]: more\n\n[^note-3]: last\n");
	/* labels that differ only in case are the same one */
	assert_markdown("<p>a<sup><a href=#n>note-2</a></sup>"
			"<sup><a href=#m>A</a></sup><sup><a href=#l>a</a></sup>"
			"<p id=n>text<p id=m>more<p id=l>last",
			"a[^note-1][^A][^note-3]\n\n[^note-1]: text\n\n"
			"[^A]: more\n\n[^note-3]: last\n");
	assert_markdown("<p>a<sup><a href=#n>1</a></sup>(b)<sup><a href=#n>1"
			"</a></sup>: c<sup><a href=#n>1</a></sup>[d]<ul>"
			"<li id=n>text</ul>",
			"a[^1]\\(b)[^1]\\: c[^1]\\[d\\]\n\n[^1]: text\n");
	/* a note that is no item */
	assert_markdown("<p>a<a class=footnote-anchor id=r href=#n>1</a><div>"
			"<a id=n href=#r>1</a><p><b>text</b> b</div>c",
			"a[^1]\n\n[^1]: **text** b\n\nc\n");
	/* no notes: a heading, a far box, code, an unknown id */
	assert_markdown(
		"<p>a<sup><a href=#n>1</a></sup><sup><a href=#m>2</a>"
		"</sup><sup><a href=#o>3</a></sup><h2 id=n>text</h2>"
		"<div id=m>text</div>",
		"a<sup>[1](#n)[2](#m)[3](#o)</sup>\n\n## text\n\ntext\n");
}

TEST(a_note_does_not_repeat_its_mark)
{
	assert_markdown("<p>a<a role=doc-noteref id=r href=#n>1</a><aside id=n>"
			"<span class=label><span>[</span><a href=#r>1</a>"
			"<span>]</span></span><p>text</aside>",
			"a[^1]\n\n[^1]: text\n");
	assert_markdown("<p>a<sup><a id=r href=#n>1</a></sup>"
			"<p id=n><b><a href=#r>1</a>b</b> text",
			"a[^1]\n\n[^1]: **b** text\n");
}

TEST(a_note_that_is_no_item_is_indented)
{
	assert_markdown("<p>a<a class=noteref href=#n>1</a><div id=n><p>text"
			"<p>b<ul><li>c</ul><pre>d\n\ne</pre></div>f",
			"a[^1]\n\n[^1]: text\n\n    b\n\n    - c\n\n"
			"    ```\n    d\n\n    e\n    ```\n\nf\n");
	assert_markdown("<ul><li>a<sup><a href=#n>1</a></sup><p id=n>text<br>b"
			"</ul>",
			"- a[^1]\n\n  [^1]: text\\\n      b\n");
	assert_markdown("<p>a<sup><a href=#n>1</a></sup><a class=noteref "
			"href=#m>2</a><div id=m>more<p id=n>text<p>b</div>",
			"a[^1][^2]\n\n[^2]: more\n\n    [^1]: text\n\n"
			"    b\n");
}

TEST(notes_in_cells_follow_the_table)
{
	assert_markdown("<blockquote><table><tr><td>a<sup><a href=#n>1</a>"
			"</sup><td>b<sup><a href=#m>2</a></sup><tr><td>c<td>d"
			"<tr><td><ol><li id=n>text<p>e<br>|<li id=m>more</ol>"
			"</table></blockquote>f",
			"> | a[^1] | b[^2] |\n> | --- | --- |\n> | c | d |\n>\n"
			"> [^1]: text\n>\n>     e\\\n>     \\|\n>\n"
			"> [^2]: more\n\nf\n");
	/* a note in a row with other text, with a quote, and without a mark */
	assert_markdown("<table><tr><td>a<a class=noteref href=#n>1</a><td>b"
			"<tr><td>c<td><div id=n>text<blockquote>d</blockquote>"
			"</div>e<p id=m>f</table>",
			"| a[^1] | b |\n| --- | --- |\n| c | e<br>f |\n\n"
			"[^1]: text\n\n    d\n");
	/* in a table that only lays out the page */
	assert_markdown("<table><tr><td>a<sup><a href=#n>1</a></sup><td>b"
			"<tr><td><blockquote>c</blockquote><td>d"
			"<p id=n>text</table>",
			"a[^1]\n\nb\n\n> c\n\nd\n\n[^1]: text\n");
}

TEST(a_callout_is_a_quote_with_its_kind)
{
	assert_markdown("<div class='admonition warning'><p class=t>a<p>b</div>"
			"<p>c",
			"> [!WARNING]\n> a\n>\n> b\n\nc\n");
	assert_markdown("<aside class='x starlight-aside--tip starlight-aside'>"
			"a</aside>",
			"> [!TIP]\n> a\n");
	assert_markdown("<div role=note><ol start=3><li>a</ol></div>",
			"> [!NOTE]\n>\n> 3. a\n");
	assert_markdown("<ul><li>a<div class='alert alert-danger'>b</div></ul>",
			"- a\n\n  > [!CAUTION]\n  > b\n");
	assert_markdown("<div class=IMPORTANT><blockquote class='callout tip'>"
			"a</blockquote></div>",
			"> [!IMPORTANT]\n>\n> > [!TIP]\n> > a\n");
	/* neither a word alone nor a box of unknown kind */
	assert_markdown("<div class='warning'>a</div><div class='alert x'>b"
			"</div><blockquote class='callout note'>[!x] a"
			"</blockquote>",
			"a\n\nb\n\n> \\[!x\\] a\n");
	/* a log that a reader may open */
	assert_markdown(
		"<details class='alert alert--info'><summary>a</summary>"
		"<pre>b</pre></details>",
		"a\n\n```\nb\n```\n");
	assert_markdown("<table><tr><td><div role=note>a</div><td>b<tr><td>c"
			"<td>d</table>",
			"| a | b |\n| --- | --- |\n| c | d |\n");
}

TEST(a_callout_does_not_repeat_its_kind_as_a_heading)
{
	assert_markdown("<div class='alert alert-warning'><h4>Warning!</h4>"
			"<p>a</div><div role=note><h3><b>no</b>te</h3><ul><li>b"
			"</ul></div>",
			"> [!WARNING]\n> a\n\n> [!NOTE]\n>\n> - b\n");
	assert_markdown("<div role=note><h3>Note 1</h3>a<h3>Note</h3>b</div>",
			"> [!NOTE]\n> ### Note 1\n>\n> a\n>\n> ### Note\n>\n"
			"> b\n");
	assert_markdown("<div role=note><h3>Note</h3></div><p>a",
			"> [!NOTE]\n>\n\na\n");
}
