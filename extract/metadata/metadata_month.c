#include "extract/metadata/metadata_month.h"

#include <stdbool.h>

#include "base/utf8.h"
#include "extract/text/character_class.h"

/*
 * English, German, Dutch, Danish and Norwegian, Swedish, French, Spanish,
 * Portuguese, Italian, Romanian, Polish, Czech, Russian, Ukrainian, Greek,
 * Turkish, Finnish, Hungarian, Indonesian, Arabic. If a prefix ("mar") matches
 * several months, the first name in this order wins.
 */
static const char *const months[12] = {
	"january januar jänner januari janvier enero janeiro gennaio ianuarie "
	"stycznia styczeń ledna leden января січня ιανουαρίου ocak tammikuu "
	"január يناير",
	"february februar feber februari februarie février febrero fevereiro "
	"febbraio lutego luty února únor февраля лютого φεβρουαρίου şubat "
	"helmikuu február فبراير",
	"march märz maart marts mars marzo março martie marca marzec března "
	"březen марта березня μαρτίου mart maaliskuu március maret مارس",
	"april avril abril aprile aprilie kwietnia kwiecień dubna duben апреля "
	"квітня απριλίου nisan huhtikuu április أبريل",
	"may mai mei maj mayo maio maggio maja května květen мая май травня "
	"μαΐου mayıs toukokuu május مايو",
	"june juni juin junio junho giugno iunie czerwca czerwiec června "
	"červen июня червня ιουνίου haziran kesäkuu június يونيو",
	"july juli juillet julio julho luglio iulie lipca lipiec července "
	"červenec июля липня ιουλίου temmuz heinäkuu július يوليو",
	"august augustus augusti août agosto sierpnia sierpień srpna srpen "
	"августа серпня αυγούστου ağustos elokuu augusztus agustus أغسطس",
	"september septembre septiembre setembro settembre septembrie września "
	"wrzesień září сентября вересня σεπτεμβρίου eylül syyskuu "
	"szeptember سبتمبر",
	"october oktober octobre octubre outubro ottobre octombrie "
	"października październik října říjen октября жовтня οκτωβρίου ekim "
	"lokakuu október أكتوبر",
	"november novembre noviembre novembro noiembrie listopada listopad "
	"listopadu ноября листопада νοεμβρίου kasım marraskuu نوفمبر",
	"december dezember desember décembre diciembre dezembro dicembre "
	"decembrie grudnia grudzień prosince prosinec декабря грудня "
	"δεκεμβρίου aralık joulukuu ديسمبر",
};

enum { MAX_LETTERS = 16 };

static uint32_t fold_month_letter(uint32_t code)
{
	if (code >= 0x80)
		return character_lower(code);
	return code >= 'A' && code <= 'Z' ? code + 32 : code;
}

/* Fold `word` to `out`; return the number of letters, 0 if they do not fit. */
static uint32_t fold_word(struct slice word, uint32_t out[MAX_LETTERS])
{
	const unsigned char *at = word.data;
	const unsigned char *end = at + word.size;
	uint32_t count = 0;

	while (at < end) {
		if (count == MAX_LETTERS)
			return 0;
		out[count++] = fold_month_letter(utf8_next(&at, end));
	}
	return count;
}

/* Return true if one of the names begins with the letters. */
static bool has_month_name(const char *names, const uint32_t *letters,
			   uint32_t count)
{
	const unsigned char *at = (const unsigned char *)names;
	const unsigned char *end = at + strlen(names);

	while (at < end) {
		uint32_t matched = 0;
		uint32_t code = utf8_next(&at, end);

		while (matched < count && code == letters[matched]) {
			if (++matched == count)
				return true;
			code = at < end ? utf8_next(&at, end) : ' ';
		}
		while (code != ' ' && at < end)
			code = utf8_next(&at, end);
	}
	return false;
}

uint32_t month_of(struct slice word)
{
	uint32_t letters[MAX_LETTERS];
	uint32_t count = fold_word(word, letters);

	if (count < 3)
		return 0;
	for (uint32_t i = 0; i < 12; i++)
		if (has_month_name(months[i], letters, count))
			return i + 1;
	return 0;
}
