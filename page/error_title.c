#include "page/error_title.h"

#include "base/ascii.h"
#include "page/attribute.h"

enum { MAX_TITLE = 256 };

/* The words of error titles, in addition to numbers and error_phrases. */
static const char *const error_words[] = {
	"error",  "http",   "status", "code", "oops",   "sorry",
	"erreur", "fehler", "errore", "erro", "ошибка",
};

/*
 * Phrases of error titles after folding: ASCII in lower case, punctuation
 * replaced by spaces.
 */
static const char *const error_phrases[] = {
	/* RFC 9110, sections 15.5 and 15.6, and variants that servers write */
	"bad request",
	"unauthorized",
	"authorization required",
	"payment required",
	"forbidden",
	"access denied",
	"forbidden access is denied",
	"not found",
	"file not found",
	"file or directory not found",
	"object not found",
	"resource not found",
	"document not found",
	"url not found",
	"method not allowed",
	"not acceptable",
	"request timeout",
	"request time out",
	"gone",
	"too many requests",
	"internal server error",
	"internal error",
	"server error",
	"not implemented",
	"bad gateway",
	"service unavailable",
	"service temporarily unavailable",
	"temporarily unavailable",
	"gateway timeout",
	"gateway time out",
	"web server is down",
	"connection timed out",
	"origin is unreachable",
	"a timeout occurred",
	"backend fetch failed",
	"no server is available to handle this request",
	"the request could not be satisfied",
	"the requested url could not be retrieved",
	"application error",
	"database error",
	"establishing a database connection",
	"response", /* "Error response": Python */
	"site not found",
	"web site not found",
	"account suspended",
	/* in English */
	"page not found",
	"page cannot be found",
	"page doesn t exist",
	"the page cannot be found",
	"the page cannot be displayed",
	"the page you were looking for doesn t exist",
	"we re but something went wrong",
	"that page can t be found",
	"this page could not be found",
	"this page can t be found",
	"this page doesn t exist",
	"this page isn t available",
	"nothing found",
	"nothing was found",
	"the requested page could not be found",
	/* in other languages */
	"seite nicht gefunden",
	"seite wurde nicht gefunden",
	"die seite wurde nicht gefunden",
	"diese seite wurde nicht gefunden",
	"nicht gefunden",
	"page introuvable",
	"page non trouvée",
	"non trouvé",
	"cette page n existe pas",
	"página no encontrada",
	"pagina no encontrada",
	"no encontrado",
	"no se encontró la página",
	"página não encontrada",
	"pagina nao encontrada",
	"não encontrado",
	"pagina non trovata",
	"pagina niet gevonden",
	"sidan hittades inte",
	"sidan kunde inte hittas",
	"sidan finns inte",
	"siden blev ikke fundet",
	"siden ble ikke funnet",
	"siden finnes ikke",
	"sivua ei löytynyt",
	"sivua ei löydy",
	"strona nie została znaleziona",
	"nie znaleziono strony",
	"nie znaleziono",
	"stránka nenalezena",
	"stránka nebyla nalezena",
	"stránka sa nenašla",
	"az oldal nem található",
	"pagina nu a fost găsită",
	"страница не найдена",
	"не найдено",
	"сторінку не знайдено",
	"страницата не е намерена",
	"η σελίδα δεν βρέθηκε",
	"sayfa bulunamadı",
	"ページが見つかりません",
	"ページが見つかりませんでした",
	"お探しのページは見つかりませんでした",
	"お探しのページが見つかりません",
	"页面不存在",
	"页面未找到",
	"找不到页面",
	"您访问的页面不存在",
	"頁面不存在",
	"找不到頁面",
	"找不到網頁",
	"페이지를 찾을 수 없습니다",
	"không tìm thấy trang",
	"ไม่พบหน้า",
	"halaman tidak ditemukan",
	"الصفحة غير موجودة",
	"העמוד לא נמצא",
	"הדף לא נמצא",
	"صفحه یافت نشد",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_one(struct slice word, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (slice_equal(word, slice_of(words[i])))
			return true;
	return false;
}

/* Return whether the word is a number from 400 to 599. */
static bool is_status(struct slice word)
{
	const char *digits = word.data;

	return word.size == 3 && (digits[0] == '4' || digits[0] == '5') &&
	       is_digit(digits[1]) && is_digit(digits[2]);
}

/* The parts of a title that is checked for an error. */
struct error_claim {
	char part[MAX_TITLE]; /* the current part, without numbers and error
				 words */
	size_t size;
	bool part_has_status;
	bool part_has_word;
	bool has_status; /* one part is only a status number */
	bool has_word;
	bool has_phrase;
	bool has_bare_word; /* "gone", "forbidden": other titles have it, too */
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
	if (is_status(word)) {
		claim->part_has_status = true;
		return;
	}
	if (is_one(word, error_words, COUNT(error_words))) {
		claim->part_has_word = true;
		return;
	}
	if (error_title_is_number(word)) /* a number or nothing */
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
 * Return the length of the punctuation mark or space at `at`; 0 for a letter or
 * a digit.
 */
static size_t sign_length(const char *at, const char *end)
{
	if ((unsigned char)*at < 0x80)
		return is_letter(*at) || is_digit(*at) ? 0 : 1;
	/* U+0080..U+00BF; U+2000..U+203F: dashes, quotes; U+3000..U+303F */
	if (*at == '\xC2' && end - at >= 2)
		return 2;
	if (end - at >= 3 &&
	    (memcmp(at, "\xE2\x80", 2) == 0 || memcmp(at, "\xE3\x80", 2) == 0))
		return 3;
	return 0;
}

/*
 * Return whether the mark separates parts of a title: | : < > and U+00B7,
 * U+00BB, U+2013, U+2014, U+2022, U+203A, or a "-" between spaces.
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
			   byte <= 0xAF) { /* continued in the next row */
			out[i - 1] = (char)(lead + 1);
			out[i] = (char)(byte - 0x20);
		}
	}
}

/* Read the words of the text, part by part. */
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

bool error_title_is_error(struct slice title)
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
