#include "page/page_class.h"

#include <strings.h>

#include "base/limit.h"
#include "base/utf8.h"
#include "page/page.h"
#include "page/scanner.h"

enum { MAX_TITLE = 256 };

/*
 * Words that may occur in the title of an error page, in addition to numbers
 * and error_phrases.
 */
static const char *const error_words[] = {
	"error",  "http",   "status", "code", "oops",   "sorry",
	"erreur", "fehler", "errore", "erro", "ошибка",
};

/*
 * Phrases in the titles of error pages, after folding: ASCII letters are in
 * lower case, and punctuation is replaced by spaces.
 */
static const char *const error_phrases[] = {
	/*
	 * RFC 9110, sections 15.5 and 15.6, and variants of its phrases that
	 * servers write
	 */
	"bad request", "unauthorized", "authorization required",
	"payment required", "forbidden", "access denied",
	"forbidden access is denied", "not found", "file not found",
	"file or directory not found", "object not found", "resource not found",
	"document not found", "url not found", "method not allowed",
	"not acceptable", "request timeout", "request time out", "gone",
	"too many requests", "internal server error", "internal error",
	"server error", "not implemented", "bad gateway", "service unavailable",
	"service temporarily unavailable", "temporarily unavailable",
	"gateway timeout", "gateway time out", "web server is down",
	"connection timed out", "origin is unreachable", "a timeout occurred",
	"backend fetch failed", "no server is available to handle this request",
	"the request could not be satisfied",
	"the requested url could not be retrieved", "application error",
	"database error", "establishing a database connection",
	"response", /* "Error response": Python */
	"site not found", "web site not found", "account suspended",
	/* in English */
	"page not found", "page cannot be found", "page doesn t exist",
	"the page cannot be found", "the page cannot be displayed",
	"the page you were looking for doesn t exist",
	"we re but something went wrong", "that page can t be found",
	"this page could not be found", "this page can t be found",
	"this page doesn t exist", "this page isn t available", "nothing found",
	"nothing was found", "the requested page could not be found",
	/* in other languages */
	"seite nicht gefunden", "seite wurde nicht gefunden",
	"die seite wurde nicht gefunden", "diese seite wurde nicht gefunden",
	"nicht gefunden", "page introuvable", "page non trouvée", "non trouvé",
	"cette page n existe pas", "página no encontrada",
	"pagina no encontrada", "no encontrado", "no se encontró la página",
	"página não encontrada", "pagina nao encontrada", "não encontrado",
	"pagina non trovata", "pagina niet gevonden", "sidan hittades inte",
	"sidan kunde inte hittas", "sidan finns inte", "siden blev ikke fundet",
	"siden ble ikke funnet", "siden finnes ikke", "sivua ei löytynyt",
	"sivua ei löydy", "strona nie została znaleziona",
	"nie znaleziono strony", "nie znaleziono", "stránka nenalezena",
	"stránka nebyla nalezena", "stránka sa nenašla",
	"az oldal nem található", "pagina nu a fost găsită",
	"страница не найдена", "не найдено", "сторінку не знайдено",
	"страницата не е намерена", "η σελίδα δεν βρέθηκε", "sayfa bulunamadı",
	"ページが見つかりません", "ページが見つかりませんでした",
	"お探しのページは見つかりませんでした",
	"お探しのページが見つかりません", "页面不存在", "页面未找到",
	"找不到页面", "您访问的页面不存在", "頁面不存在", "找不到頁面",
	"找不到網頁", "페이지를 찾을 수 없습니다", "không tìm thấy trang",
	"ไม่พบหน้า", "halaman tidak ditemukan", "الصفحة غير موجودة",
	"העמוד לא נמצא", "הדף לא נמצא", "صفحه یافت نشد"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_one(struct slice word, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (slice_equal(word, slice_of(words[i])))
			return true;
	return false;
}

/*
 * State of checking whether a title reports an error. A title consists of parts
 * that dividers separate.
 */
struct error_claim {
	char part[MAX_TITLE]; /* the current part, without numbers and without
				 words of error_words */
	size_t size;
	bool part_has_status;
	bool part_has_word;
	bool has_status; /* a part consists only of a status number */
	bool has_word;
	bool has_phrase;
	bool has_bare_word; /* a word such as "gone" or "forbidden", which other
			       titles contain, too */
};

static bool error_title_is_number(struct slice word)
{
	const char *bytes = word.data;
	size_t i = 0;

	while (i < word.size && is_digit(bytes[i]))
		i++;
	return i == word.size;
}

static void claim_word(struct error_claim *claim, struct slice word)
{
	const char *digits = word.data;

	/* a number from 400 to 599 */
	if (word.size == 3 && (digits[0] == '4' || digits[0] == '5') &&
	    is_digit(digits[1]) && is_digit(digits[2])) {
		claim->part_has_status = true;
		return;
	}
	if (is_one(word, error_words, COUNT(error_words))) {
		claim->part_has_word = true;
		return;
	}
	if (error_title_is_number(word)) /* it is another number, or empty */
		return;
	if (claim->size > 0)
		claim->part[claim->size++] = ' ';
	memcpy(claim->part + claim->size, word.data, word.size);
	claim->size += word.size;
}

static bool is_bare_word(struct slice part)
{
	const char *bytes = part.data;

	for (size_t i = 0; i < part.size; i++)
		if (!is_letter(bytes[i]))
			return false;
	return true;
}

static void error_claim_end_part(struct error_claim *claim)
{
	struct slice part = {claim->part, claim->size};
	bool is_phrase = is_one(part, error_phrases, COUNT(error_phrases));

	if (part.size == 0 || is_phrase) {
		claim->has_status |= claim->part_has_status;
		claim->has_word |= claim->part_has_word;
	}
	if (is_phrase && is_bare_word(part))
		claim->has_bare_word = true;
	else if (is_phrase)
		claim->has_phrase = true;
	claim->size = 0;
	claim->part_has_status = claim->part_has_word = false;
}

/*
 * Return the length of the punctuation mark or space at `at`; 0 if there is a
 * letter or digit.
 */
static size_t sign_length(const char *at, const char *end)
{
	if ((unsigned char)*at < 0x80)
		return is_letter(*at) || is_digit(*at) ? 0 : 1;
	/*
	 * U+0080 to U+00BF; U+2000 to U+203F (dashes, quotes); U+3000 to U+303F
	 */
	if (*at == '\xC2' && end - at >= 2)
		return 2;
	if (end - at >= 3 &&
	    (memcmp(at, "\xE2\x80", 2) == 0 || memcmp(at, "\xE3\x80", 2) == 0))
		return 3;
	return 0;
}

/*
 * Return whether the mark separates the parts of a title: | : < > U+00B7 U+00BB
 * U+2013 U+2014 U+2022 U+203A, or a "-" between spaces.
 */
static bool is_divider(const char *begin, const char *at, size_t length)
{
	if (length == 1 && *at == '-')
		return at > begin && at[-1] == ' ';
	if (length == 1)
		return strchr("|:<>", *at) != NULL;
	if (length == 2)
		return at[1] == '\xB7' || at[1] == '\xBB';
	return memcmp(at, "\xE2\x80", 2) == 0 &&
	       strchr("\x93\x94\xA2\xBA", at[2]) != NULL;
}

/* Fold ASCII, Latin-1, Greek and Russian letters to lower case. */
static void error_title_fold(struct slice text, char *out)
{
	const unsigned char *bytes = text.data;

	for (size_t i = 0; i < text.size; i++) {
		unsigned lead = i > 0 ? bytes[i - 1] : 0;
		unsigned byte = bytes[i];

		out[i] = lower((char)byte);
		if ((lead == 0xC3 && byte >= 0x80 && byte <= 0x9E) ||
		    (lead == 0xCE && byte >= 0x91 && byte <= 0x9F) ||
		    (lead == 0xD0 && byte >= 0x90 && byte <= 0x9F)) {
			out[i] = (char)(byte + 0x20);
		} else if ((lead == 0xCE || lead == 0xD0) && byte >= 0xA0 &&
			   byte <= 0xAF) { /* the small letter is in the next
					      row of the table of characters */
			out[i - 1] = (char)(lead + 1);
			out[i] = (char)(byte - 0x20);
		}
	}
}

/* Read the words of the text, and handle each part at its end. */
static void claim_parts(struct error_claim *claim, const char *begin,
			const char *end)
{
	const char *word = begin;

	for (const char *at = begin; at < end;) {
		size_t length = sign_length(at, end);

		if (length > 0) {
			claim_word(claim,
				   (struct slice){word, (size_t)(at - word)});
			if (is_divider(begin, at, length))
				error_claim_end_part(claim);
			word = at + length;
		}
		at += length > 0 ? length : 1;
	}
	claim_word(claim, (struct slice){word, (size_t)(end - word)});
	error_claim_end_part(claim);
}

/*
 * Return whether `title`, the title or the first heading of a document, only
 * reports an error: "404 Not Found", "Page introuvable | Site", "Error 500".
 * Knows the most common languages. Return false if it is only a number, or
 * longer than 256 bytes. Linear.
 */
static bool error_title_is_error(struct slice title)
{
	char folded[MAX_TITLE];
	struct error_claim claim = {.size = 0};

	if (title.size > sizeof(folded))
		return false;
	error_title_fold(title, folded);
	claim_parts(&claim, folded, folded + title.size);
	return claim.has_phrase || (claim.has_bare_word && claim.has_status) ||
	       (claim.has_status && claim.has_word) ||
	       (claim.has_bare_word && claim.has_word);
}

enum { MAX_SCRIPT = 1024 };

static const struct slice nowhere = {NULL, 0};

static bool script_byte_is_name(char byte)
{
	return is_alphanumeric(byte) || byte == '_' || byte == '$';
}

static void script_skip_space(const char **at, const char *end)
{
	while (*at < end && is_space(**at))
		(*at)++;
}

static bool script_skip_word(const char **at, const char *end, const char *word)
{
	size_t length = strlen(word);

	if ((size_t)(end - *at) < length || memcmp(*at, word, length) != 0)
		return false;
	*at += length;
	return true;
}

/* Return the content of the string literal at `at`. */
static struct slice read_string(const char *at, const char *end)
{
	const char *close;

	if (at == end || (*at != '"' && *at != '\''))
		return nowhere;
	close = memchr(at + 1, *at, (size_t)(end - at) - 1);
	if (close == NULL)
		return nowhere;
	return (struct slice){at + 1, (size_t)(close - at) - 1};
}

/*
 * Return whether a string that a script assigns to `location` is a URL.
 * "Berlin" may be the location of another object; "#top" and "" do not leave
 * the page.
 */
static bool script_text_is_url(struct slice text)
{
	return text.size > 0 && *(const char *)text.data != '#' &&
	       (memchr(text.data, '/', text.size) != NULL ||
		memchr(text.data, '.', text.size) != NULL ||
		*(const char *)text.data == '?');
}

/*
 * Return the URL that a script assigns to `location` or passes to one of its
 * functions. `at` is the position after the word "location".
 */
static struct slice script_read_target(const char *at, const char *end)
{
	bool is_call = false;

	if (script_skip_word(&at, end, ".replace") ||
	    script_skip_word(&at, end, ".assign"))
		is_call = true;
	else
		(void)script_skip_word(&at, end, ".href");
	script_skip_space(&at, end);
	if (!script_skip_word(&at, end, is_call ? "(" : "="))
		return nowhere;
	script_skip_space(&at, end);
	return read_string(at, end);
}

/* Return whether the script contains `name` as a whole word. */
static bool script_has_name(struct slice script, const char *name)
{
	const char *at = script.data;
	const char *end = at + script.size;
	size_t length = strlen(name);

	for (; (at = memmem(at, (size_t)(end - at), name, length)) != NULL;
	     at += length)
		if ((at == script.data || !script_byte_is_name(at[-1])) &&
		    (at + length == end || !script_byte_is_name(at[length])))
			return true;
	return false;
}

/*
 * Return whether the script may redirect only later: it contains conditions, or
 * waits for an event such as a click.
 */
static bool script_has_condition(struct slice script)
{
	if (script_has_name(script, "if") ||
	    script_has_name(script, "switch") ||
	    script_has_name(script, "confirm"))
		return true;
	return script_has_name(script, "function") &&
	       !script_has_name(script, "setTimeout") &&
	       !script_has_name(script, "onload");
}

struct slice script_redirect(struct slice script)
{
	const char *at = script.data;
	const char *end = at == NULL ? NULL : at + script.size;
	static const char word[] = "location";

	if (script.size > MAX_SCRIPT)
		return nowhere;
	while (at < end && (at = memmem(at, (size_t)(end - at), word,
					sizeof(word) - 1)) != NULL) {
		bool is_whole =
			at == script.data || !script_byte_is_name(at[-1]);
		struct slice target;

		at += sizeof(word) - 1;
		target = is_whole ? script_read_target(at, end) : nowhere;
		if (script_text_is_url(target))
			return script_has_condition(script) ? nowhere : target;
	}
	return nowhere;
}

/*
 * Strings in the markup that each service publishes; each has at least MIN_SIGN
 * bytes. The list must not contain strings that a service also writes into
 * pages that it lets visitors read: Cloudflare's
 * /cdn-cgi/challenge-platform/scripts/, Imperva's _Incapsula_Resource?SWJIYLWA,
 * js.datadome.co.
 */
static const struct sign {
	enum page_marker_kind kind;
	const char *text;
} signs[] = {
	/* Cloudflare */ {MARKER_CHALLENGE, "_cf_chl_opt"},
	{MARKER_CHALLENGE, "/orchestrate/chl_page/"},
	{MARKER_CHALLENGE, "/orchestrate/jsch/"},
	{MARKER_CHALLENGE, "/orchestrate/captcha/"},
	{MARKER_CHALLENGE, "/orchestrate/managed/"},
	{MARKER_CHALLENGE, "/cdn-cgi/l/chk_jschl"},
	{MARKER_CHALLENGE, "/cdn-cgi/l/chk_captcha"},
	{MARKER_CHALLENGE, "cf-browser-verification"},
	{MARKER_CHALLENGE, "data-translate=\"block_headline\""},
	{MARKER_CHALLENGE, "data-translate=\"challenge_headline\""},
	/* DataDome */ {MARKER_CHALLENGE, "captcha-delivery.com"},
	/* Imperva Incapsula */
	{MARKER_CHALLENGE, "_Incapsula_Resource?CWUDNSAI"},
	{MARKER_CHALLENGE, "_Incapsula_Resource?SWUDNSAI"},
	{MARKER_CHALLENGE, "Incapsula incident ID"},
	/* AWS WAF */ {MARKER_CHALLENGE, "gokuProps"},
	/* PerimeterX, now HUMAN */ {MARKER_CHALLENGE, "px-captcha"},
	/* SiteGround */ {MARKER_CHALLENGE, "/.well-known/sgcaptcha"},
	/* Akamai */ {MARKER_CHALLENGE, "/_sec/cp_challenge"},
	{MARKER_CHALLENGE, "/_sec/verify?provider="},
	{MARKER_CHALLENGE, "sec-if-cpt-container"},
	/* ShieldSquare, now Radware */
	{MARKER_CHALLENGE, "validate.perfdrive.com"},
	/* DDoS-Guard */ {MARKER_CHALLENGE, "/.well-known/ddos-guard"},
	/* Anubis */ {MARKER_CHALLENGE, "/.within.website/x/"},
	/* Sucuri */ {MARKER_CHALLENGE, "sucuri_cloudproxy_js"},
	{MARKER_CHALLENGE, "Sucuri WebSite Firewall"},
	{MARKER_CHALLENGE, "Sucuri Website Firewall"},
	/* Kasada */ {MARKER_CHALLENGE, "KPSDK.start=KPSDK.now"},
	/* F5 */
	{MARKER_CHALLENGE,
	 "Please enable JavaScript to view the page content.<br/>Your support "
	 "ID"},
	/* StackPath */ {MARKER_CHALLENGE, "/sbbi/?sbbpg="},
	/* Vercel */ {MARKER_CHALLENGE, "/.well-known/vercel/security/"},
	/* LiteSpeed */ {MARKER_CHALLENGE, "/.lsrecap/recaptcha"},
	/* Qrator */ {MARKER_CHALLENGE, "/__qrator/qauth"},
	/* Alibaba Cloud */ {MARKER_CHALLENGE, "acw_sc__v2"},
	{MARKER_CHALLENGE, "aliyun_waf_"},
	/* SafeLine */ {MARKER_CHALLENGE, "/.safeline/"},
	/* Wordfence */ {MARKER_CHALLENGE, "Generated by Wordfence at"},
	/* Google, Amazon, Yandex */ {MARKER_CHALLENGE, "id=\"captcha-form\""},
	{MARKER_CHALLENGE, "/errors/validateCaptcha"},
	{MARKER_CHALLENGE, "/checkcaptcha"},
	/* Google, YouTube */
	{MARKER_CONSENT, "action=\"https://consent.google."},
	{MARKER_CONSENT, "action=\"https://consent.youtube."},
	/* Yahoo, AOL, Techcrunch */
	{MARKER_CONSENT, "name=\"originalDoneUrl\""},
	{MARKER_CONSENT, "/copyConsent?sessionId="},
	/* DPG Media */ {MARKER_CONSENT, "privacygate-confirm"},
	{MARKER_CONSENT, "privacy-gate-confirm"},
	/* Der Standard, Golem */ {MARKER_CONSENT, "privacywall"},
	{MARKER_CONSENT, "/sonstiges/zustimmung/auswahl"},
	{MARKER_ERROR,
	 "id=\"cf-error-details\""}, /* Cloudflare, if the server of the site
					has an error */
	{MARKER_ERROR, "errors.edgesuite.net"},           /* Akamai */
	{MARKER_ERROR, "<p>Guru Meditation:</p>"},        /* Varnish */
	{MARKER_ERROR, "<body id=\"error-page\">"},       /* WordPress */
	{MARKER_ERROR, "<pre>Cannot GET /"},              /* Express */
	{MARKER_ERROR, "<h1>Whitelabel Error Page</h1>"}, /* Spring Boot */
	{MARKER_ERROR,
	 "<title>Apache Tomcat/"},     /* before 8.5: "- Error report" */
	{MARKER_ERROR, "<title>IIS "}, /* IIS */
	{MARKER_ERROR, "<h1>Server Error in '"}, /* ASP.NET */
	{MARKER_ERROR, "<H1>Server Error in '"},
};

enum {
	SIGN_COUNT = sizeof(signs) / sizeof(signs[0]),
	MIN_SIGN = 9, /* length of the shortest string in the list */
	BLOCK = 4,    /* number of bytes that are compared in one step */
	STRIDE = MIN_SIGN - BLOCK + 1,
	KEY_BITS = 14,
};

/*
 * An index of the strings by the key of a block of BLOCK bytes: bit i is set if
 * a string has a block with this key at offset i. The search checks only one of
 * every STRIDE blocks of the source. If the source contains a string, one of
 * the string's first STRIDE blocks is checked. Other blocks hardly ever match.
 * (This is similar to Wu and Manber 1994, A fast algorithm for multi-pattern
 * searching, but no step depends on the previous one.)
 */
struct marker_blocks {
	uint8_t offsets[1 << KEY_BITS];
};

_Static_assert(STRIDE <= 8, "a byte has a bit for each offset");

static uint32_t key_at(const char *at)
{
	uint32_t block;

	memcpy(&block, at, BLOCK);
	return block * 2654435761U >>
	       (32 - KEY_BITS); /* Knuth: 2^32 divided by the golden ratio */
}

static void collect_blocks(struct marker_blocks *blocks)
{
	memset(blocks, 0, sizeof(*blocks));
	for (size_t i = 0; i < SIGN_COUNT; i++)
		for (unsigned offset = 0; offset < STRIDE; offset++)
			blocks->offsets[key_at(signs[i].text + offset)] |=
				(uint8_t)(1U << offset);
}

static unsigned kinds_at(const char *at, size_t left)
{
	unsigned kinds = 0;

	for (size_t i = 0; i < SIGN_COUNT; i++) {
		size_t length = strlen(signs[i].text);

		if (length <= left && memcmp(at, signs[i].text, length) == 0)
			kinds |= signs[i].kind;
	}
	return kinds;
}

/*
 * Return whether a string of the list may begin at `at`: the first block is the
 * first block of some string, and the block at STRIDE - 1 occurs at this offset
 * in some string. The two strings may differ.
 */
static bool marker_may_begin(const struct marker_blocks *blocks, const char *at)
{
	return (blocks->offsets[key_at(at)] & 1) != 0 &&
	       (blocks->offsets[key_at(at + STRIDE - 1)] >> (STRIDE - 1) & 1) !=
		       0;
}

/*
 * Return the kinds of the strings that the source contains around `position`.
 * `offsets` are the offsets at which a string can have the block at this
 * position.
 */
static unsigned kinds_around(const struct marker_blocks *blocks,
			     struct slice source, size_t position,
			     unsigned offsets)
{
	const char *bytes = source.data;
	unsigned kinds = 0;

	for (size_t offset = 0; offset < STRIDE && offset <= position;
	     offset++) {
		const size_t begin = position - offset;

		if ((offsets >> offset & 1) != 0 &&
		    begin + MIN_SIGN <= source.size &&
		    marker_may_begin(blocks, bytes + begin))
			kinds |= kinds_at(bytes + begin, source.size - begin);
	}
	return kinds;
}

unsigned page_markers_find(struct slice source)
{
	const char *bytes = source.data;
	unsigned kinds = 0;
	struct marker_blocks blocks;

	collect_blocks(&blocks);
	for (size_t at = 0; at + BLOCK <= source.size; at += STRIDE) {
		const unsigned offsets = blocks.offsets[key_at(bytes + at)];

		if (offsets != 0)
			kinds |= kinds_around(&blocks, source, at, offsets);
	}
	return kinds;
}

/* Limits for the visible text of a class, in bytes without white space. */
enum {
	MAX_SERVICE_TEXT = 1500, /* text of a challenge whose markup is known */
	/* source of such a challenge */
	MAX_SERVICE_BYTES = LIMIT(256 << 10, 2048),
	MAX_WIDGET_TEXT = 500, /* text of a page that consists of little more
				  than a captcha */
	MAX_GATE_TEXT = 4000, /* text of a consent gate; the one of Google lists
				 its languages */
	/* links of a consent gate, to terms and partners */
	MAX_GATE_LINKS = 10,
	MAX_ERROR_TEXT = 600,
	/* text of an error page whose markup is known */
	MAX_SERVER_TEXT = 2500,
	MAX_STUB_TEXT = 300,
	MAX_STUB_LINKS = 5,
};

static const char *const names[PAGE_CLASS_COUNT] = {
#define X(name, value, text) [name] = (text),
	PAGE_CLASS_LIST(X)
#undef X
};

const char *page_class_name(unsigned page_class)
{
	return page_class < PAGE_CLASS_COUNT ? names[page_class] : "unknown";
}

static struct slice source_of(const struct page *page, uint32_t node)
{
	struct span span = page->nodes[node].source;

	return (struct slice){(const char *)page->source.data + span.begin,
			      span.end - span.begin};
}

/*
 * Return whether the source contains the start tag of the element. Otherwise
 * the parser has inserted the element.
 */
static bool is_written(const struct page *page, uint32_t node)
{
	struct slice name = page_tag_name(page, page->nodes[node].tag);
	struct slice source = source_of(page, node);
	const char *bytes = source.data;

	return source.size > name.size + 1 && bytes[0] == '<' &&
	       strncasecmp(bytes + 1, name.data, name.size) == 0 &&
	       (is_space(bytes[name.size + 1]) || bytes[name.size + 1] == '/' ||
		bytes[name.size + 1] == '>');
}

bool page_is_custom_element(const struct page *page, uint32_t node)
{
	uint16_t tag = page->nodes[node].tag;
	struct slice name = page_tag_name(page, tag);

	return tag >= TAG_COUNT && memchr(name.data, '-', name.size) != NULL;
}

static bool is_json(struct slice source)
{
	const char *bytes = source.data;
	char last = bytes[source.size - 1];

	return (bytes[0] == '{' && last == '}') ||
	       (bytes[0] == '[' && last == ']');
}

/*
 * Return whether the element with the first tag can be HTML. The root of an XML
 * file may have the name of an HTML element.
 */
static bool is_html_root(const struct page *page, uint32_t node,
			 struct slice source)
{
	uint16_t tag = page->nodes[node].tag;

	if (source.size > 5 && memcmp(source.data, "<?xml", 5) == 0)
		return tag == TAG_html;
	return (tag < TAG_COUNT && tag != TAG_svg) ||
	       page_is_custom_element(page, node);
}

/*
 * Return whether the page is HTML, according to its first tag, and not RSS, a
 * sitemap or other XML. Return false if there is no tag.
 */
static bool is_html(const struct page *page)
{
	struct slice source = text_trim(page->source);
	uint32_t i = 0;

	if (source.size > 1 && is_json(source))
		return false;
	while (i < page->node_count && !is_written(page, i))
		i++;
	if (i == page->node_count)
		return page->text_count == 0;
	return is_html_root(page, i, source);
}

/*
 * Return whether a script or style has no end tag, so that it contains the rest
 * of the source.
 */
static bool is_raw_open(const struct page *page)
{
	uint32_t last = NO_NODE; /* the last script or style in the source */
	struct slice source;

	for (uint32_t i = 0; i < page->node_count; i++)
		if ((tag_flags(page->nodes[i].tag) & TAG_IS_RAW) != 0 &&
		    (last == NO_NODE || page->nodes[i].source.begin >
						page->nodes[last].source.begin))
			last = i;
	if (last == NO_NODE || page->nodes[last].source.end < page->source.size)
		return false;
	source = source_of(page, last);
	return memmem(source.data, source.size, "</", 2) == NULL;
}

/* Return whether `text` begins with a tag, except </body> and </html>. */
static bool page_text_begins_tag(struct slice text)
{
	const char *bytes = text.data;

	if (text.size < 2 || text_is(text, "</html") || text_is(text, "</body"))
		return false;
	return bytes[1] == '/' || bytes[1] == '!' || is_letter(bytes[1]);
}

/*
 * Return whether the source ends within a tag, a comment, a script or a style.
 */
static bool ends_inside(const struct page *page)
{
	struct slice source = page->source;
	const char *last = memrchr(source.data, '<', source.size);
	size_t left;

	if (last == NULL)
		return false;
	left = (size_t)((const char *)source.data + source.size - last);
	return (memchr(last, '>', left) == NULL &&
		page_text_begins_tag(text_trim((struct slice){last, left}))) ||
	       is_raw_open(page);
}

/* Counts of what a reader sees on the page. */
struct page_view_counts {
	size_t text;    /* bytes of visible text, without white space */
	uint32_t texts; /* number of texts outside of the head */
	uint32_t links;
	uint32_t media; /* number of images, frames, drawings and similar
			   elements */
	/* number of form fields that a reader can write into */
	uint32_t fields;
	bool has_captcha;
	bool has_consent_form;
	unsigned signs;       /* set of MARKER_* constants */
	struct slice heading; /* text of the first h1; or empty */
};

/* Count the texts. Stop when there is so much text that the page is real. */
static void page_count_texts(const struct page *page,
			     struct page_view_counts *look)
{
	const unsigned unseen =
		TEXT_IS_HIDDEN | TEXT_IS_TEMPLATE | TEXT_IS_NOSCRIPT;

	for (uint32_t i = 0;
	     i < page->text_count && look->text <= MAX_GATE_TEXT; i++) {
		const struct slice text = page_text(page, i);
		const char *bytes = text.data;
		unsigned flags = page->texts[i].flags;

		if ((flags & TEXT_IS_TITLE) != 0)
			continue;
		look->texts++;
		if ((flags & unseen) == 0)
			for (size_t k = 0; k < text.size; k++)
				look->text += !is_space(bytes[k]);
	}
}

static bool is_typed_into(struct slice type)
{
	return type.size == 0 || text_is(type, "text") ||
	       text_is(type, "email") || text_is(type, "password") ||
	       text_is(type, "search") || text_is(type, "tel");
}

static bool is_captcha(struct slice classes)
{
	return classes.size >= strlen("h-captcha") &&
	       (text_has_word(classes, "g-recaptcha") ||
		text_has_word(classes, "h-captcha") ||
		text_has_word(classes, "cf-turnstile"));
}

/*
 * Return whether the form sends a consent. Pages with a consent banner have
 * such a form, too, but they also have content.
 */
static bool sends_consent(const struct page *page, uint32_t form)
{
	struct slice action = page_attribute(page, form, "action");

	return action.size > 0 &&
	       memmem(action.data, action.size, "consent", 7) != NULL;
}

static void page_count_node(const struct page *page, uint32_t index,
			    struct page_view_counts *look)
{
	const struct node *node = &page->nodes[index];

	switch (node->tag) {
	case TAG_a:
		look->links += page_attribute(page, index, "href").size > 0;
		break;
	case TAG_input:
		look->fields +=
			is_typed_into(page_attribute(page, index, "type"));
		break;
	case TAG_textarea:
		/*
		 * hidden fields do not count: a captcha stores its response in
		 * one
		 */
		look->fields += (node->flags & TEXT_IS_HIDDEN) == 0;
		break;
	case TAG_form:
		look->has_consent_form |= sends_consent(page, index);
		break;
	case TAG_div:
		look->has_captcha |=
			is_captcha(page_attribute(page, index, "class"));
		break;
	case TAG_h1:
		if (look->heading.data == NULL &&
		    node->first_text < node->end_text)
			look->heading = page_text(page, node->first_text);
		break;
	default:
		break;
	}
}

/*
 * Count the nodes if the page has little text. If it has more text, only its
 * markup decides.
 */
static void page_count_nodes(const struct page *page,
			     struct page_view_counts *look)
{
	for (uint32_t i = 0;
	     i < page->node_count && look->text <= MAX_SERVICE_TEXT; i++)
		page_count_node(page, i, look);
	look->heading = text_trim(look->heading);
	if (page->source.size <= MAX_SERVICE_BYTES)
		look->signs = page_markers_find(page->source);
}

/*
 * Return whether the page redirects immediately to another URL, by a meta
 * refresh or a script.
 */
static bool page_redirects(const struct page *page)
{
	for (uint32_t i = 0; i < page->link_count; i++) {
		const struct link *link = &page->links[i];

		if ((link->flags & LINK_IS_REFRESH) != 0 &&
		    slice_byte(link->href, 0) != '#' &&
		    (page->nodes[link->node].flags & TEXT_IS_NOSCRIPT) == 0)
			return true;
	}
	return false;
}

static bool page_is_error(const struct page *page,
			  const struct page_view_counts *look)
{
	if (look->text <= MAX_ERROR_TEXT &&
	    (error_title_is_error(page->title) ||
	     error_title_is_error(look->heading)))
		return true;
	return look->text <= MAX_SERVER_TEXT &&
	       (look->signs & MARKER_ERROR) != 0;
}

enum page_class page_class_of(const struct page *page, unsigned http_status,
			      bool is_cut)
{
	struct page_view_counts look = {.text = 0};
	bool is_small;

	if (http_status >= 400)
		return CLASS_ERROR;
	if (page->is_truncated || is_cut)
		return CLASS_TRUNCATED;
	if (!is_html(page))
		return CLASS_NOT_HTML;
	if (ends_inside(page))
		return CLASS_TRUNCATED;
	page_count_texts(page, &look);
	if (look.text >
	    MAX_GATE_TEXT) /* a page of another class has less text */
		return CLASS_PAGE;
	page_count_nodes(page, &look);
	is_small = look.text <= MAX_SERVICE_TEXT;
	if ((look.has_captcha && look.text <= MAX_WIDGET_TEXT &&
	     look.fields == 0 && look.links <= MAX_STUB_LINKS) ||
	    (is_small && (look.signs & MARKER_CHALLENGE) != 0))
		return CLASS_CHALLENGE;
	if ((is_small && look.links <= MAX_GATE_LINKS && look.fields == 0 &&
	     look.has_consent_form) ||
	    (look.signs & MARKER_CONSENT) != 0)
		return CLASS_CONSENT;
	if (look.text <= MAX_STUB_TEXT && look.links <= MAX_STUB_LINKS &&
	    page_redirects(page))
		return CLASS_STUB;
	if (page_is_error(page, &look))
		return CLASS_ERROR;
	return look.texts == 0 ? CLASS_EMPTY : CLASS_PAGE;
}
