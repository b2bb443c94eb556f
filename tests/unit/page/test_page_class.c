#include "page/page_class.h"

#include "tests/unit/page/page_of.h"
#include "tests/unit/run.h"

static const char *class_with(const char *html, unsigned http_status,
			      bool is_cut)
{
	AUTO_PAGE *page = page_of(html);
	enum page_class page_class = page_class_of(page, http_status, is_cut);

	return page_class_name(page_class);
}

static const char *class_of(const char *html)
{
	return class_with(html, 200, false);
}

/* The class of `html` with `words` words of four letters after it. */
static const char *class_with_words(const char *html, int words)
{
	AUTO_BUFFER longer = {0};
	const char *name;

	buffer_append_text(&longer, html);
	while (words-- > 0)
		buffer_append_text(&longer, " <p>word</p>");
	name = class_of(longer.data);
	return name;
}

TEST(names_are_stored_and_shown)
{
	ck_assert_str_eq(page_class_name(CLASS_PAGE), "page");
	ck_assert_str_eq(page_class_name(CLASS_SOFT_404), "soft-404");
	ck_assert_str_eq(page_class_name(CLASS_EMPTY), "empty");
	ck_assert_str_eq(page_class_name(PAGE_CLASS_COUNT), "unknown");
	ck_assert_int_eq(CLASS_EMPTY, 8);
}

TEST(a_status_of_error_is_an_error_at_once)
{
	ck_assert_str_eq(class_with("<p>text", 404, false), "error");
	ck_assert_str_eq(class_with("<p>text", 400, false), "error");
	ck_assert_str_eq(class_with("{}", 503, true), "error");
	ck_assert_str_eq(class_with("<p>text", 399, false), "page");
	ck_assert_str_eq(class_with("<p>text", 0, false), "page");
}

/* As servers and services send them with whatever status, cut down. */
static const char *const errors[] = {
	/* nginx */
	"<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n"
	"<center><h1>404 Not Found</h1></center>\r\n<hr><center>nginx/1.18.0"
	"</center>\r\n</body>\r\n</html>\r\n",
	/* Apache */
	"<!DOCTYPE HTML PUBLIC \"-//IETF//DTD HTML 2.0//EN\">\n<html><head>\n"
	"<title>403 Forbidden</title>\n</head><body>\n<h1>Forbidden</h1>\n"
	"<p>You don't have permission to access this resource.</p>\n<hr>\n"
	"<address>Apache/2.4.41 (Ubuntu) Server at a.test Port 80</address>\n"
	"</body></html>",
	/* IIS */
	"<title>404 - File or directory not found.</title><body><div "
	"id=\"header\"><h1>Server Error</h1></div><div id=\"content\"><h2>404 "
	"- File or directory not found.</h2><h3>The resource you are looking "
	"for might have been removed, had its name changed, or is temporarily "
	"unavailable.</h3></div></body>",
	"<title>IIS 10.0 Detailed Error - 404.0 - Not Found</title><h3>HTTP "
	"Error 404.0 - Not Found</h3>",
	/* ASP.NET */
	"<title>Object reference not set</title><body bgcolor=\"white\"><span>"
	"<H1>Server Error in '/' Application.<hr></H1><h2><i>Object reference "
	"not set to an instance of an object.</i></h2>",
	/* Tomcat, new and old */
	"<!doctype html><html lang=\"en\"><head><title>HTTP Status 404 \xE2\x80"
	"\x93 Not Found</title></head><body><h1>HTTP Status 404 \xE2\x80\x93 "
	"Not Found</h1><hr/><p><b>Type</b> Status Report</p></body></html>",
	"<title>Apache Tomcat/6.0.18 - Error report</title><h1>HTTP Status 500 "
	"- </h1><pre>java.lang.NullPointerException</pre>",
	/* Cloudflare before a server that is away */
	"<title>a.test | 522: Connection timed out</title><div id=\"cf-wrapper"
	"\"><div id=\"cf-error-details\" class=\"p-0\"><h1>Connection timed "
	"out</h1><span>Error code 522</span></div></div>",
	/* Akamai */
	"<HTML><HEAD>\n<TITLE>Access Denied</TITLE>\n</HEAD><BODY>\n<H1>Access "
	"Denied</H1>\nYou don't have permission to access \"http&#58;&#47;\" "
	"on this server.<P>\nReference&#32;&#35;18\n</BODY>\n</HTML>\n",
	/* CloudFront, Varnish, an AWS load balancer */
	"<TITLE>ERROR: The request could not be satisfied</TITLE><BODY>"
	"<H1>502 ERROR</H1><H2>The request could not be satisfied.</H2>",
	"<title>503 Backend fetch failed</title><h1>Error 503 Backend fetch "
	"failed</h1><p>Backend fetch failed</p><h3>Guru Meditation:</h3>",
	"<head><title>503 Service Temporarily Unavailable</title></head><body>"
	"<center><h1>503 Service Temporarily Unavailable</h1></center></body>",
	/* Express, Python, Jetty, Rails, Django, WordPress, Next.js, Google */
	"<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>"
	"Error</title></head><body>\n<pre>Cannot GET /nothing</pre>\n</body>",
	"<title>Error response</title><h1>Error response</h1><p>Error code: "
	"404</p><p>Message: File not found.</p>",
	"<title>Error 404 Not Found</title><h2>HTTP ERROR 404 Not Found</h2>",
	"<title>The page you were looking for doesn't exist (404)</title><h1>"
	"The page you were looking for doesn't exist.</h1>",
	"<title>Page not found at /x</title><h1>Page not found <span>(404)"
	"</span></h1>",
	"<title>Oops</title><h1 class=\"page-title\">Oops! That page can"
	"\xE2\x80\x99t be found.</h1>",
	"<title>404: This page could not be found</title><div><h1>404</h1><h2>"
	"This page could not be found<!-- -->.</h2></div>",
	"<title>Error 404 (Not Found)!!1</title><p><b>404.</b> <ins>That"
	"\xE2\x80\x99s an error.</ins>",
	"<html><head><title>WordPress &rsaquo; Error</title></head><body "
	"id=\"error-page\"><div class=\"wp-die-message\"><p>There has been a "
	"critical error on this website.</p></div></body></html>",
	/* in other languages */
	"<title>Page introuvable | Le Site</title><p>Rien ici.",
	"<title>Seite nicht gefunden - Die Seite</title><p>Nichts hier.",
	"<title>P\xC3\xA1gina no encontrada</title><p>Nada.",
	"<title>\xE9\xA1\xB5\xE9\x9D\xA2\xE4\xB8\x8D\xE5\xAD\x98\xE5\x9C\xA8"
	"</title><p>404",
	"<title>x</title><h1>"
	"\xD0\xA1\xD1\x82\xD1\x80\xD0\xB0\xD0\xBD\xD0\xB8\xD1\x86\xD0\xB0 "
	"\xD0\xBD\xD0\xB5 \xD0\xBD\xD0\xB0\xD0\xB9\xD0\xB4\xD0\xB5\xD0\xBD\xD0"
	"\xB0</h1>",
};

TEST_ROWS(error_pages_are_known_without_their_status, errors)
{
	ck_assert_str_eq(class_of(errors[_i]), "error");
}

static const char *const no_errors[] = {
	"<title>Forbidden</title><p>A film of 1932.",
	"<title>404 Gallery</title><p>Our rooms.",
	"<title>404</title><p>A band.",
	"<title>Gone | My photographs</title><img src=a.jpg><p>Gone",
	"<title>Error handling in C</title><p>Return values.",
	"<title>How to fix: page not found on your site</title><p>So.",
	"<title>Bus 503 | Transit</title><p>Stops",
	"<title>Lost and not found: a novel</title><p>Chapter 1",
	"<title>Server errors</title><h1>Status codes 400 to 499</h1><p>x",
};

TEST_ROWS(a_title_that_has_such_a_word_is_no_error, no_errors)
{
	ck_assert_str_eq(class_of(no_errors[_i]), "page");
}

/* The class of a page with a title of `size` bytes that begins as an error's.
 */
static const char *class_with_title(size_t size)
{
	AUTO_BUFFER html = {0};
	const char *name;

	buffer_append_text(&html, "<p>x<title>404 Not Found | ");
	for (size_t i = strlen("404 Not Found | "); i < size; i++)
		buffer_append_byte(&html, 'x');
	name = class_of(html.data);
	return name;
}

TEST(a_long_title_is_no_error)
{
	ck_assert_str_eq(class_with_title(256), "error");
	ck_assert_str_eq(class_with_title(257), "page");
}

TEST(an_error_is_short)
{
	static const char *const title = "<title>404 Not Found</title>";

	/* 600 bytes are */
	ck_assert_str_eq(class_with_words(title, 150), "error");
	ck_assert_str_eq(class_with_words(title, 151), "page");
	/* with unique markup, 2,500 are: 40 here */
	ck_assert_str_eq(class_with_words(errors[7], 600), "error");
	ck_assert_str_eq(class_with_words(errors[7], 640), "page");
}

/* As the services send them, cut down. */
static const char *const challenges[] = {
	/* Cloudflare, now and before */
	"<!DOCTYPE html><html lang=\"en-US\"><head><title>Just a moment..."
	"</title></head><body><div class=\"main-wrapper\"><noscript><div "
	"class=\"h2\"><span id=\"challenge-error-text\">Enable JavaScript and "
	"cookies to continue</span></div></noscript></div><script>(function(){"
	"window._cf_chl_opt = {cvId: '3',cZone: 'a.test'};var a = document."
	"createElement('script');a.src = '/cdn-cgi/challenge-platform/h/g/"
	"orchestrate/chl_page/v1?ray=8';}());</script></body></html>",
	"<title>Just a moment...</title><body><div class=\"cf-browser-"
	"verification cf-im-under-attack\"><h1>Checking your browser before "
	"accessing a.test.</h1></div><form id=\"challenge-form\" action=\"/\" "
	"method=\"POST\"><input type=\"hidden\" name=\"jschl_vc\" value=\"1\"/>"
	"</form></body>",
	"<title>Attention Required! | Cloudflare</title><div id=\"cf-wrapper\">"
	"<div id=\"cf-error-details\"><h1 data-translate=\"block_headline\">"
	"Sorry, you have been blocked</h1><h2>You are unable to access a.test"
	"</h2></div></div>",
	/* DataDome */
	"<html lang=\"en\"><head><title>a.test</title></head><body><p "
	"id=\"cmsg\">Please enable JS and disable any ad blocker</p><script "
	"data-cfasync=\"false\">var dd={'rt':'c','cid':'AH','hsh':'1D','host':"
	"'geo.captcha-delivery.com'}</script><script src=\"https://ct.captcha-"
	"delivery.com/c.js\"></script></body></html>",
	/* Imperva Incapsula */
	"<html style=\"height:100%\"><head><META NAME=\"ROBOTS\" CONTENT=\""
	"NOINDEX, NOFOLLOW\"></head><body style=\"margin:0px\"><iframe id=\""
	"main-iframe\" src=\"/_Incapsula_Resource?CWUDNSAI=27&xinfo=9\" "
	"frameborder=0>Request unsuccessful. Incapsula incident ID: 44"
	"</iframe></body></html>",
	/* AWS WAF */
	"<!DOCTYPE html><html lang=\"en\"><head><title></title><script>window."
	"awsWafCookieDomainList = [];window.gokuProps = {\"key\":\"AQ\"};"
	"</script><script src=\"https://1.2.token.awswaf.com/1/2/challenge.js"
	"\"></script></head><body><div id=\"challenge-container\"></div>"
	"<noscript><h1>JavaScript is disabled</h1>In order to continue, we "
	"need to verify that you're not a robot.</noscript></body></html>",
	/* PerimeterX */
	"<title>Access to this page has been denied</title><script>window."
	"_pxAppId = 'PX1';</script><script src=\"//captcha.px-cdn.net/PX1/"
	"captcha.js\"></script><body><h1>Before we continue...</h1><div "
	"id=\"px-captcha\"></div><p>Press &amp; Hold to confirm you are a human"
	"</p></body>",
	/* SiteGround */
	"<html><head><link rel=\"icon\" href=\"data:;\"><meta http-equiv=\""
	"refresh\" content=\"0;/.well-known/sgcaptcha/?r=%2F&y=ipc:1\"></meta>"
	"</head></html>",
	/* Akamai */
	"<html><head><title>Challenge Validation</title></head><body><script "
	"src=\"/_sec/cp_challenge/sec-cpt-4-3.js\"></script><div "
	"id=\"sec-if-cpt-container\"></div></body></html>",
	"<html><head><meta http-equiv=\"refresh\" content=\"5; URL='/?bm-verify"
	"=AAQ'\" /></head><body><script>var i = 1;var x = new XMLHttpRequest();"
	"x.open(\"POST\", \"/_sec/verify?provider=interstitial\", false);"
	"</script></body></html>",
	/* Anubis */
	"<!doctype html><html lang=\"en\"><head><title>Making sure you&#39;re "
	"not a bot!</title><link rel=\"stylesheet\" href=\"/.within.website/x/"
	"xess/xess.min.css\"><script id=\"anubis_version\" type=\"application/"
	"json\">\"v1\"</script></head><body id=\"top\"><h1 id=\"title\">Making "
	"sure you&#39;re not a bot!</h1><p id=\"status\">Loading...</p>"
	"</body></html>",
	/* DDoS-Guard */
	"<title>DDoS-Guard</title><body><h1 id=\"title\">Checking your browser "
	"before accessing</h1><script src=\"/.well-known/ddos-guard/js-"
	"challenge/index.js\"></script></body>",
	/* Sucuri */
	"<html><title>You are being redirected...</title><noscript>Javascript "
	"is required. Please enable javascript before you are allowed to see "
	"this page.</noscript><script>var s={},u,c,U,r,i,l=0,a,e=eval,w=String."
	"fromCharCode,sucuri_cloudproxy_js='',S='cz0i';</script></html>",
	/* Kasada */
	"<!DOCTYPE html><html><head></head><body><script>window.KPSDK={};KPSDK."
	"now=Date.now.bind(Date);KPSDK.start=KPSDK.now();</script><script src="
	"\"/149e9513/2d206a39/ips.js?x=1\"></script></body></html>",
	/* hCaptcha, reCAPTCHA and Turnstile as such; Google */
	"<title>Security check</title><body><p>Please complete the security "
	"check to go on.</p><form method=\"post\"><div class=\"h-captcha\" "
	"data-sitekey=\"1\"></div><input type=\"submit\"></form></body>",
	"<title>a.test</title><form action=\"?\" method=\"POST\"><div class=\""
	"g-recaptcha\" data-sitekey=\"1\"></div><input type=\"hidden\" "
	"name=\"q\"><button>Continue</button></form>",
	"<body><form><div class=\"cf-turnstile\" data-sitekey=\"1\"></div>"
	"</form></body>",
	"<title>https://www.google.com/search?q=x</title><form id=\"captcha-"
	"form\" action=\"index\" method=\"post\"><p>Our systems have detected "
	"unusual traffic from your computer network.</p></form>",
};

TEST_ROWS(a_test_for_humans_is_a_challenge, challenges)
{
	ck_assert_str_eq(class_of(challenges[_i]), "challenge");
}

TEST(what_services_write_into_pages_makes_them_no_challenge)
{
	ck_assert_str_eq(
		class_of("<p>A short page.</p><script>(function(){var d=1;d."
			 "src='/cdn-cgi/challenge-platform/scripts/jsd/main."
			 "js';})();</script>"),
		"page");
	ck_assert_str_eq(class_of("<p>Hello</p><script src=\"/"
				  "_Incapsula_Resource?SWJIYLWA=719\"></script>"
				  "<script src=\"https://js.datadome.co/tags.js"
				  "\"></script>"),
			 "page");
	/* a form that requests more than the answer to a captcha */
	ck_assert_str_eq(class_of("<h1>Contact</h1><form><input name=email>"
				  "<textarea name=text></textarea><div "
				  "class=\"g-recaptcha\"></div></form>"),
			 "page");
	/* over 500 bytes of text, over 1,500 bytes, over 256 KiB of source */
	ck_assert_str_eq(class_with_words(challenges[14], 130), "page");
	ck_assert_str_eq(class_with_words(challenges[6], 360), "challenge");
	ck_assert_str_eq(class_with_words(challenges[6], 376), "page");
}

static const char *const gates[] = {
	"<title>Before you continue to Google Search</title><h1>Before you "
	"continue to Google</h1><p>We use cookies and data to</p><form action="
	"\"https://consent.google.com/save\" method=\"POST\"><input type=\""
	"hidden\" name=\"bl\"><input type=\"submit\" value=\"Accept all\">"
	"</form>",
	"<title>Yahoo is part of the Yahoo family of brands</title><form "
	"method=\"post\" class=\"consent-form\"><input type=\"hidden\" name=\""
	"sessionId\"><input type=\"hidden\" name=\"originalDoneUrl\" value=\""
	"https://a.test/\"><button name=\"agree\">Accept all</button></form>",
	"<title>De Krant</title><script>window.location.hash;var u='https://a."
	"test/privacygate-confirm?redirectUri=%2F'</script><p>Wij vragen je om "
	"toestemming",
	"<h1>Ihre Zustimmung</h1><p>Lesen Sie mit Werbung.</p><form "
	"action=\"/consent?ref=%2Fthema\" method=post><button>Akzeptieren"
	"</button></form>",
};

TEST_ROWS(a_consent_gate_is_no_page, gates)
{
	ck_assert_str_eq(class_of(gates[_i]), "consent");
}

TEST(a_banner_next_to_a_page_leaves_it_a_page)
{
	static const char *const banner =
		"<div id=cookie-consent class=consent><p>We use cookies."
		"</p><button>Accept</button></div><h1>Hello</h1><p>Text.";

	ck_assert_str_eq(class_of(banner), "page");
	ck_assert_str_eq(class_with_words(gates[3], 400), "page");
	/* another kind of form next to it */
	ck_assert_str_eq(class_of("<form action=/search><input name=q></form>"
				  "<form action=/consent><button>OK</button>"
				  "</form><p>Text."),
			 "page");
}

static const char *const stubs[] = {
	"<meta http-equiv=refresh content='0;url=/a'>",
	"<meta http-equiv=Refresh content='5; URL=\"https://a.test/\"'><p>This "
	"page has <a href=https://a.test/>moved</a>.",
	"<meta http-equiv=refresh content='0; a.html'>",
	"<meta http-equiv=refresh content='0,a.html'>",
	"<script>window.location.replace('index.html')</script><noscript>"
	"<meta http-equiv=Refresh content='0;index.html'></noscript><p>"
	"<a href=index.html>index.html</a></p>",
	"<script>window.location.href = \"/a\";</script>",
	"<script>location=\"https://a.test/\"</script>",
	"<script>top.location.assign( '/a' )</script>",
	"<script>setTimeout(function () { location.href = '/a' }, 10)</script>",
};

TEST_ROWS(what_only_leads_on_is_a_stub, stubs)
{
	AUTO_PAGE *page = page_of(stubs[_i]);
	bool is_found = false;

	ck_assert_int_eq(page_class_of(page, 200, false), CLASS_STUB);
	for (uint32_t i = 0; i < page->link_count; i++)
		is_found |= (page->links[i].flags & LINK_IS_REFRESH) != 0;
	ck_assert(is_found);
}

static const char *const no_stubs[] = {
	"<meta http-equiv=refresh content=300><p>The score: 1 to 0",
	"<meta http-equiv=refresh content='5; url'><p>x",
	"<meta http-equiv=refresh content='url=/a'><p>x",
	"<meta http-equiv=refresh content='0;url=#top'><p>x",
	"<noscript><meta http-equiv=refresh content='0;/a'></noscript><p>x",
	"<script>if (screen.width < 700) location = '/mobile'</script><p>x",
	"<script>function go() { location.href = '/a' }</script><p>x",
	"<script>var mylocation = '/a', locations = '/b'</script><p>x",
	"<script>var location = 'Berlin'</script><p>x",
	"<script>if (location == '/a') x()</script><p>x",
	"<script>location.href = next</script><p>x",
};

TEST_ROWS(what_stays_is_no_stub, no_stubs)
{
	ck_assert_str_eq(class_of(no_stubs[_i]), "page");
}

TEST(a_stub_has_next_to_no_text)
{
	ck_assert_str_eq(class_with_words(stubs[0], 75), "stub");
	ck_assert_str_eq(class_with_words(stubs[0], 76), "page");
	ck_assert_str_eq(class_of("<meta http-equiv=refresh content='0;url=/a'>"
				  "<a href=b>1</a><a href=c>2</a><a href=d>3"
				  "</a><a href=e>4</a><a href=f>5</a>"
				  "<a href=g>6</a>"),
			 "page");
}

TEST(what_was_cut_is_truncated)
{
	struct page_limits limits = page_limits_default;
	struct page *page;

	ck_assert_str_eq(class_with("<p>text", 200, true), "truncated");
	ck_assert_str_eq(class_of("<p>text</p><div cla"), "truncated");
	ck_assert_str_eq(class_of("<p>text<!-- and"), "truncated");
	ck_assert_str_eq(class_of("<p>text<script>var a = b > c;"),
			 "truncated");
	ck_assert_str_eq(class_of("<p>text</p></body></html"), "page");
	ck_assert_str_eq(class_of("<p>text</p></body\n"), "page");
	ck_assert_str_eq(class_of("<p>text: a < b"), "page");
	/* the rest may look like anything */
	ck_assert_str_eq(class_with(errors[0], 200, true), "truncated");
	limits.max_nodes = 3;
	page = page_of_slice(slice_of("<p>1<p>2<p>3"), &limits);
	ck_assert_int_eq(page_class_of(page, 200, false), CLASS_TRUNCATED);
	page_destroy(page);
}

TEST(text_and_other_markup_is_not_html)
{
	ck_assert_str_eq(class_of("{\"a\": \"<p>x</p>\"}\n"), "not-html");
	ck_assert_str_eq(class_of("[1, 2]"), "not-html");
	ck_assert_str_eq(class_of("Dear reader,\nthis is text."), "not-html");
	ck_assert_str_eq(class_of("<?xml version='1.0'?><rss><channel><title>x"
				  "</title></channel></rss>"),
			 "not-html");
	ck_assert_str_eq(class_of("<?xml version='1.0'?><data><p>x</p></data>"),
			 "not-html");
	ck_assert_str_eq(class_of("<urlset><url>x</url></urlset>"), "not-html");
	ck_assert_str_eq(class_of("<svg><text>x</text></svg>"), "not-html");
	ck_assert_str_eq(class_of("text <b>and</b> a tag"), "page");
	ck_assert_str_eq(class_of("<?xml version='1.0'?><html><p>x"), "page");
	ck_assert_str_eq(class_of("<?xml version='1.0'?><htmlx><item>a</item>"
				  "</htmlx>"),
			 "not-html");
	ck_assert_str_eq(class_of("<x-note>of its own</x-note>"), "page");
}

TEST(no_text_at_all_is_empty)
{
	ck_assert_str_eq(class_of(""), "empty");
	ck_assert_str_eq(class_of(" \n"), "empty");
	ck_assert_str_eq(class_of("<title>x</title><body><img src=a.png>"),
			 "empty");
	ck_assert_str_eq(class_of("<div id=root></div><script src=a.js>"
				  "</script>"),
			 "empty");
	ck_assert_str_eq(class_of("<p hidden>text"), "page");
	ck_assert_str_eq(class_of("<noscript>text</noscript>"), "page");
	ck_assert_str_eq(class_of("<p>a"), "page");
}
