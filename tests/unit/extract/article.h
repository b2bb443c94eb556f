/* tests/unit/extract/article.h - a menu, an article and a foot, each tag of the
   page on a line of its own. */
#ifndef TESTS_UNIT_EXTRACT_ARTICLE_H
#define TESTS_UNIT_EXTRACT_ARTICLE_H

/* The title, five items, four texts of the article, three of the foot. */
enum { ARTICLE_BEGIN = 6, ARTICLE_END = 10, ARTICLE_TEXTS = 13 };

static const char article[] =
	"<html><head><title>Flaws in the name system</title></head>\n"
	"<body><div id=\"top\"><ul class=\"menu\">\n"
	"<li class=\"item\"><a href=\"/a\">Home</a></li>\n"
	"<li class=\"item\"><a href=\"/b\">News</a></li>\n"
	"<li class=\"item\"><a href=\"/c\">Sport</a></li>\n"
	"<li class=\"item\"><a href=\"/d\">Weather</a></li>\n"
	"<li class=\"item\"><a href=\"/e\">About</a></li>\n"
	"</ul>\n"
	"</div>\n"
	"<div id=\"main\">\n"
	"<table border=\"0\" cellspacing=\"0\">\n"
	"<tr>\n"
	"<td>\n"
	"<p>The company looks after two of the net's 13 servers that tell "
	"computers where to find each other. It also controls those that "
	"contain the master list of domain name suffixes such as .com and "
	".net, and has engineered around flaws in the\n"
	"<a href=\"/dns\">name system</a>\n"
	"for many years. If there is a silver lining in all of this, its "
	"officer said, it is that users will become more aware and more "
	"conscious of who they do business with, and of what may go wrong on "
	"the way there.</p>\n"
	"<p>We have anticipated these flaws for many years, and we have "
	"basically engineered around them, said the officer, who does not "
	"think that the net will fall over next week, or in the week after "
	"that one.</p>\n"
	"</td>\n"
	"</tr>\n"
	"</table>\n"
	"</div>\n"
	"<div id=\"foot\">\n"
	"<div class=\"bar\">\n"
	"<span><a href=\"/f\">Imprint</a></span>\n"
	"<span><a href=\"/g\">Contact</a></span>\n"
	"<span><a href=\"/h\">Jobs</a></span>\n"
	"</div></div></body></html>\n";

#endif
