/* What the pages of the site look like. */
#include "tests/unit/daemon/watched_parts.h"

#include <stdio.h>

#include "store/rows.h"

#define MENU                                                            \
	"<div class=menu><a href=/>Home</a> <a href=/list>List</a> <a " \
	"href=/about>About</a></div>"
#define FOOT \
	"<div class=foot>Copyright, imprint, and what else ends a page</div>"
#define HEAD "<html><head><title>{0}</title></head><body>"
#define END  "</body></html>"
#define COMMON                                                            \
	"<html><head></head><body><h1>h1 of all</h1><h2>h2 of all</h2>"   \
	"<h3>h3 of all</h3><h4>h4 of all</h4><p>p of all</p><pre>pre of " \
	"all</pre><ul>ul of all</ul><ol>ol of all</ol><dl>dl of all</dl>" \
	"<section>section of all</section><article>article of "           \
	"all</article><aside>aside of all</aside><nav>nav of all</nav>"   \
	"<header>header of all</header><footer>footer of all</footer>"    \
	"<address>address of all</address>"

/* {0} is the name of the page, {1} and {2} its content. */
static const char *const forms[] = {
	[FORM_ARTICLE] = HEAD MENU
	"<div class=post><h1>{0}</h1><p class=by>By nobody</p><p>{1}</p>"
	"<p>{2}</p></div>" FOOT END,
	[FORM_PRODUCT] = HEAD MENU
	"<table class=data><tr><th>Name</th><td>{0}</td></tr><tr><th>Use</th>"
	"<td>{1}</td></tr><tr><th>Price</th><td>{2}</td></tr></table><form>"
	"<input name=count><button>Buy</button></form>" FOOT END,
	[FORM_PROFILE] = HEAD MENU
	"<div class=card><img src=/x.png><dl><dt>Name</dt><dd>{0}</dd>"
	"<dt>Says</dt><dd>{1}</dd></dl></div><ul class=done><li>{2}</li>"
	"<li>{0}</li></ul>" FOOT END,
	[FORM_REDESIGN] =
		HEAD "<header><nav><ul><li><a href=/>Home</a></li><li>"
		     "<a href=/list>List</a></li></ul></nav></header><main>"
		     "<article><h2>{0}</h2><section><p>{1}</p><p>{2}</p>"
		     "</section></article></main><footer><small>All new, and "
		     "better than it ever was</small></footer>" END,
	[FORM_EDITED] = HEAD MENU
	"<table class=data><tr><th>Name</th><td>{0}</td></tr><tr><th>Use</th>"
	"<td>{1}</td></tr><tr><th>Price</th><td>{2}</td></tr></table><form>"
	"<input name=count><b>Now</b><button>Buy</button></form>" FOOT END,
	[FORM_REPHRASED] =
		HEAD "<div class=menu><a href=/>Start</a> <a href=/list>All "
		     "there is</a> <a href=/about>Who we are</a></div>"
		     "<table class=data><tr><th>Called</th><td>{0}</td></tr>"
		     "<tr><th>For</th><td>{1}</td></tr><tr><th>Costs</th><td>"
		     "{2}</td></tr></table><form><input name=count><button>"
		     "Into the basket</button></form><div class=foot>Nothing "
		     "of this is as it was before</div>" END,
	[FORM_REBUILT] = HEAD MENU
	"<table class=data><tr><th>Name</th><td>{0}</td></tr><tr><th>Use</th>"
	"<td>{1}</td></tr><tr><th>Price</th><td>{2}</td></tr></table>"
	"<section class=buy><p>Buy</p><em>Now</em></section>" FOOT END,
	[FORM_ALONE] = "<html><body><center><font>{0}</font><blockquote><pre>"
		       "Somebody has written this page by hand</pre>"
		       "</blockquote></center></body></html>",
	[FORM_CHALLENGE] =
		"<html><head><title>Just a moment...</title></head><body>"
		"<div id=challenge-form>Checking your browser before "
		"accessing the site.<script src=/cdn-cgi/challenge-platform/h/"
		"b/orchestrate/jsch/v1></script></div></body></html>",
	[FORM_NOTICE] =
		"<html><head><title>Maintenance</title></head><body><main>"
		"<h1>We are improving our service</h1><p>All of our pages are "
		"back in a short time, please come again.</p></main></body>"
		"</html>",
	[FORM_BIG] = COMMON "<b>{0}</b><i>{1}</i><u>{2}</u><s>{1}</s><q>{0}"
			    "</q><em>{2}</em><code>{1}</code>" END,
	[FORM_SMALL] =
		COMMON "<a>{0}</a><sub>{1}</sub><sup>{2}</sup><var>{1}</var>"
		       "<kbd>{0}</kbd><abbr>{2}</abbr><cite>{1}</cite>" END,
	[FORM_BRIDGE] =
		COMMON "<b>{0}</b><i>{1}</i><u>{2}</u><s>{1}</s><a>{0}</a>"
		       "<sub>{1}</sub><sup>{2}</sup><var>{1}</var>" END,
};

void watched_write_url(const struct watched *watched, unsigned section,
		       unsigned number, char url[64])
{
	snprintf(url, 64, "http://" WATCHED_HOST "/%s/%u",
		 watched->sections[section].name, number);
}

/* The words of a page: {0}, {1} and {2}. */
static void write_word(struct buffer *out, char which, const char *section,
		       unsigned number, unsigned edition)
{
	if (which == '0')
		buffer_printf(out, "%s %u", section, number);
	else if (which == '1')
		buffer_printf(out,
			      "What number %u of all %ss has to say, %u times "
			      "over",
			      number, section, (number * 7919 + edition) % 997);
	else
		buffer_printf(out, "Number %u",
			      (number * 104729 + edition * 31) % 9973);
}

void watched_write_page(const struct watched *watched, unsigned section,
			unsigned number, struct buffer *out)
{
	const struct watched_section *where = &watched->sections[section];
	const struct watched_page *page =
		&watched->pages[where->first + number];

	for (const char *at = forms[page->form]; *at != '\0'; at++) {
		if (*at != '{') {
			buffer_append_byte(out, *at);
			continue;
		}
		write_word(out, at[1],
			   where->words == NULL ? where->name : where->words,
			   number, page->edition);
		at += 2;
	}
}

/* The seed, which links to all pages. */
void watched_write_index(const struct watched *watched, struct buffer *out)
{
	buffer_append_text(out, "<html><body><ol>");
	for (unsigned s = 0; s < watched->section_count; s++)
		for (unsigned i = 0; i < watched->sections[s].count; i++)
			buffer_printf(out, "<li><a href=/%s/%u>It</a></li>",
				      watched->sections[s].name, i);
	buffer_append_text(out, "</ol></body></html>");
}
