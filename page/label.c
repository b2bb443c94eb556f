#include "page/label.h"

#include <assert.h>

#include "page/attribute.h"

enum { LABEL_BYTES = 32 };

/* The most common encodings first. */
static const struct encoding encodings[] = {
	{"UTF-8", "UTF-8",
	 "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 "
	 "x-unicode20utf8 "},
	{"WINDOWS-1252", "CP1252",
	 "windows-1252 iso-8859-1 iso8859-1 iso88591 iso_8859-1 latin1 ascii "
	 "us-ascii ansi_x3.4-1968 cp1252 cp819 ibm819 csisolatin1 "
	 "iso-ir-100 iso_8859-1:1987 l1 x-cp1252 x-user-defined "},
	{"GB18030", "GB18030",
	 "gb2312 gbk gb18030 gb_2312 gb_2312-80 chinese csgb2312 "
	 "csiso58gb231280 iso-ir-58 x-gbk "},
	{"SHIFT_JIS", "CP932",
	 "shift_jis shift-jis sjis x-sjis windows-31j ms_kanji csshiftjis "
	 "ms932 cp932 "},
	{"EUC-JP", "EUC-JP-MS", "euc-jp x-euc-jp cseucpkdfmtjapanese "},
	{"ISO-2022-JP", "ISO-2022-JP", "iso-2022-jp csiso2022jp "},
	{"EUC-KR", "CP949",
	 "euc-kr cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 "
	 "ks_c_5601-1989 ksc5601 ksc_5601 windows-949 uhc cp949 "},
	{"BIG5", "BIG5-HKSCS",
	 "big5 big5-hkscs big5-tw cn-big5 csbig5 x-x-big5 "},
	{"WINDOWS-1251", "CP1251", "windows-1251 cp1251 x-cp1251 "},
	{"WINDOWS-1250", "CP1250", "windows-1250 cp1250 x-cp1250 "},
	{"WINDOWS-1253", "CP1253", "windows-1253 cp1253 x-cp1253 "},
	{"WINDOWS-1254", "CP1254",
	 "windows-1254 cp1254 x-cp1254 iso-8859-9 iso8859-9 iso88599 "
	 "iso_8859-9 iso_8859-9:1989 latin5 csisolatin5 iso-ir-148 l5 "},
	{"WINDOWS-1255", "CP1255", "windows-1255 cp1255 x-cp1255 "},
	{"WINDOWS-1256", "CP1256", "windows-1256 cp1256 x-cp1256 "},
	{"WINDOWS-1257", "CP1257", "windows-1257 cp1257 x-cp1257 "},
	{"WINDOWS-1258", "CP1258", "windows-1258 cp1258 x-cp1258 "},
	{"WINDOWS-874", "CP874",
	 "windows-874 dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 "},
	{"KOI8-R", "KOI8-R", "koi8-r koi8 koi koi8_r cskoi8r "},
	{"KOI8-U", "KOI8-U", "koi8-u koi8-ru "},
	{"ISO-8859-2", "ISO-8859-2",
	 "iso-8859-2 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 latin2 "
	 "csisolatin2 iso-ir-101 l2 "},
	{"ISO-8859-3", "ISO-8859-3",
	 "iso-8859-3 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 latin3 "
	 "csisolatin3 iso-ir-109 l3 "},
	{"ISO-8859-4", "ISO-8859-4",
	 "iso-8859-4 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 latin4 "
	 "csisolatin4 iso-ir-110 l4 "},
	{"ISO-8859-5", "ISO-8859-5",
	 "iso-8859-5 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988 cyrillic "
	 "csisolatincyrillic iso-ir-144 "},
	{"ISO-8859-6", "ISO-8859-6",
	 "iso-8859-6 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 arabic "
	 "iso-8859-6-e iso-8859-6-i csiso88596e csiso88596i csisolatinarabic "
	 "asmo-708 ecma-114 iso-ir-127 "},
	{"ISO-8859-7", "ISO-8859-7",
	 "iso-8859-7 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 greek "
	 "greek8 csisolatingreek ecma-118 elot_928 iso-ir-126 "
	 "sun_eu_greek "},
	{"ISO-8859-8", "ISO-8859-8",
	 "iso-8859-8 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 hebrew "
	 "iso-8859-8-e iso-8859-8-i csiso88598e csiso88598i logical visual "
	 "csisolatinhebrew iso-ir-138 "},
	{"ISO-8859-10", "ISO-8859-10",
	 "iso-8859-10 iso8859-10 iso885910 latin6 csisolatin6 iso-ir-157 l6 "},
	{"ISO-8859-13", "ISO-8859-13", "iso-8859-13 iso8859-13 iso885913 "},
	{"ISO-8859-14", "ISO-8859-14", "iso-8859-14 iso8859-14 iso885914 "},
	{"ISO-8859-15", "ISO-8859-15",
	 "iso-8859-15 iso8859-15 iso885915 iso_8859-15 csisolatin9 l9 "},
	{"ISO-8859-16", "ISO-8859-16", "iso-8859-16 "},
	{"IBM866", "IBM866", "ibm866 866 cp866 csibm866 "},
	{"MACINTOSH", "MACINTOSH", "macintosh mac x-mac-roman csmacintosh "},
	{"X-MAC-CYRILLIC", "MAC-UK",
	 "x-mac-cyrillic x-mac-ukrainian mac-cyrillic "},
	{"UTF-16LE", "UTF-16LE",
	 "utf-16le utf-16 csunicode iso-10646-ucs-2 ucs-2 unicode "
	 "unicodefeff "},
	{"UTF-16BE", "UTF-16BE", "utf-16be unicodefffe "},
};

const struct encoding *encoding_of(struct slice label)
{
	struct slice trimmed = text_trim(label);
	const char *bytes = trimmed.data;
	char word[LABEL_BYTES + 2];
	size_t size = 0;

	if (trimmed.size == 0 || trimmed.size > LABEL_BYTES)
		return NULL;
	while (size < trimmed.size) {
		if (bytes[size] <= ' ')
			return NULL;
		word[size] = lower(bytes[size]);
		size++;
	}
	assert(size == trimmed.size && size <= LABEL_BYTES);
	word[size++] = ' ';
	word[size] = '\0';
	for (size_t i = 0; i < sizeof(encodings) / sizeof(*encodings); i++) {
		const char *labels = encodings[i].labels;
		const char *hit = labels;

		while ((hit = strstr(hit, word)) != NULL) {
			if (hit == labels || hit[-1] == ' ')
				return &encodings[i];
			hit++;
		}
	}
	return NULL;
}

const struct encoding *encoding_by_index(size_t index)
{
	return index < sizeof(encodings) / sizeof(*encodings)
		       ? &encodings[index]
		       : NULL;
}
