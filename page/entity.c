#include "page/entity.h"

#include "page/attribute.h"
#include "page/utf8.h"

enum { NAME_BYTES = 8 };

struct entity {
	char name[NAME_BYTES]; /* padded with zeros */
	uint16_t code;
};

/* Sorted by name. */
static const struct entity entities[] = {
	{"AElig", 198},    {"AMP", 38},        {"Aacute", 193},
	{"Abreve", 258},   {"Acirc", 194},     {"Agrave", 192},
	{"Alpha", 913},    {"Amacr", 256},     {"Aogon", 260},
	{"Aring", 197},    {"Atilde", 195},    {"Auml", 196},
	{"Beta", 914},     {"Bscr", 8492},     {"COPY", 169},
	{"Cacute", 262},   {"Cayleys", 8493},  {"Ccaron", 268},
	{"Ccedil", 199},   {"Ccirc", 264},     {"Cdot", 266},
	{"Cedilla", 184},  {"Cfr", 8493},      {"Chi", 935},
	{"DD", 8517},      {"Dagger", 8225},   {"Dcaron", 270},
	{"Delta", 916},    {"Dot", 168},       {"Dstrok", 272},
	{"ENG", 330},      {"ETH", 208},       {"Eacute", 201},
	{"Ecaron", 282},   {"Ecirc", 202},     {"Edot", 278},
	{"Egrave", 200},   {"Emacr", 274},     {"Eogon", 280},
	{"Epsilon", 917},  {"Escr", 8496},     {"Eta", 919},
	{"Euml", 203},     {"Fscr", 8497},     {"GT", 62},
	{"Gamma", 915},    {"Gbreve", 286},    {"Gcedil", 290},
	{"Gcirc", 284},    {"Gdot", 288},      {"Hat", 94},
	{"Hcirc", 292},    {"Hstrok", 294},    {"IJlig", 306},
	{"Iacute", 205},   {"Icirc", 206},     {"Idot", 304},
	{"Igrave", 204},   {"Imacr", 298},     {"Iogon", 302},
	{"Iota", 921},     {"Itilde", 296},    {"Iuml", 207},
	{"Jcirc", 308},    {"Kappa", 922},     {"Kcedil", 310},
	{"LT", 60},        {"Lacute", 313},    {"Lambda", 923},
	{"Lcaron", 317},   {"Lcedil", 315},    {"Lmidot", 319},
	{"Lstrok", 321},   {"Mscr", 8499},     {"Mu", 924},
	{"Nacute", 323},   {"Ncaron", 327},    {"Ncedil", 325},
	{"NewLine", 10},   {"NoBreak", 8288},  {"Ntilde", 209},
	{"Nu", 925},       {"OElig", 338},     {"Oacute", 211},
	{"Ocirc", 212},    {"Odblac", 336},    {"Ograve", 210},
	{"Omacr", 332},    {"Omega", 937},     {"Omicron", 927},
	{"Oslash", 216},   {"Otilde", 213},    {"Ouml", 214},
	{"OverBar", 8254}, {"Phi", 934},       {"Pi", 928},
	{"Popf", 8473},    {"Prime", 8243},    {"Psi", 936},
	{"QUOT", 34},      {"Qopf", 8474},     {"REG", 174},
	{"Racute", 340},   {"Rcaron", 344},    {"Rcedil", 342},
	{"Re", 8476},      {"Rfr", 8476},      {"Rho", 929},
	{"Ropf", 8477},    {"Rscr", 8475},     {"Sacute", 346},
	{"Scaron", 352},   {"Scedil", 350},    {"Scirc", 348},
	{"Sigma", 931},    {"Square", 9633},   {"THORN", 222},
	{"TRADE", 8482},   {"Tab", 9},         {"Tau", 932},
	{"Tcaron", 356},   {"Tcedil", 354},    {"Theta", 920},
	{"Tstrok", 358},   {"Uacute", 218},    {"Ubreve", 364},
	{"Ucirc", 219},    {"Udblac", 368},    {"Ugrave", 217},
	{"Umacr", 362},    {"UnderBar", 95},   {"Uogon", 370},
	{"UpArrow", 8593}, {"Upsilon", 933},   {"Uring", 366},
	{"Utilde", 360},   {"Uuml", 220},      {"Verbar", 8214},
	{"Vert", 8214},    {"Wcirc", 372},     {"Xi", 926},
	{"Yacute", 221},   {"Ycirc", 374},     {"Yuml", 376},
	{"Zacute", 377},   {"Zcaron", 381},    {"Zdot", 379},
	{"Zeta", 918},     {"Zfr", 8488},      {"Zopf", 8484},
	{"aacute", 225},   {"abreve", 259},    {"acirc", 226},
	{"acute", 180},    {"aelig", 230},     {"af", 8289},
	{"agrave", 224},   {"alefsym", 8501},  {"aleph", 8501},
	{"alpha", 945},    {"amacr", 257},     {"amp", 38},
	{"and", 8743},     {"ang", 8736},      {"angst", 197},
	{"aogon", 261},    {"apos", 39},       {"aring", 229},
	{"ast", 42},       {"asymp", 8776},    {"atilde", 227},
	{"auml", 228},     {"bdquo", 8222},    {"bernou", 8492},
	{"beta", 946},     {"beth", 8502},     {"bigstar", 9733},
	{"bprime", 8245},  {"brvbar", 166},    {"bsemi", 8271},
	{"bsol", 92},      {"bull", 8226},     {"bullet", 8226},
	{"cacute", 263},   {"cap", 8745},      {"caret", 8257},
	{"ccaron", 269},   {"ccedil", 231},    {"ccirc", 265},
	{"cdot", 267},     {"cedil", 184},     {"cent", 162},
	{"check", 10003},  {"chi", 967},       {"circ", 710},
	{"circledR", 174}, {"clubs", 9827},    {"colon", 58},
	{"comma", 44},     {"commat", 64},     {"cong", 8773},
	{"copy", 169},     {"copysr", 8471},   {"crarr", 8629},
	{"cross", 10007},  {"cup", 8746},      {"curren", 164},
	{"dArr", 8659},    {"dagger", 8224},   {"daleth", 8504},
	{"darr", 8595},    {"dash", 8208},     {"dcaron", 271},
	{"dd", 8518},      {"ddagger", 8225},  {"deg", 176},
	{"delta", 948},    {"diams", 9830},    {"die", 168},
	{"div", 247},      {"divide", 247},    {"dollar", 36},
	{"dstrok", 273},   {"dtrif", 9662},    {"eacute", 233},
	{"ecaron", 283},   {"ecirc", 234},     {"edot", 279},
	{"ee", 8519},      {"egrave", 232},    {"emacr", 275},
	{"empty", 8709},   {"emsp", 8195},     {"emsp13", 8196},
	{"emsp14", 8197},  {"eng", 331},       {"ensp", 8194},
	{"eogon", 281},    {"epsilon", 949},   {"equals", 61},
	{"equiv", 8801},   {"escr", 8495},     {"eta", 951},
	{"eth", 240},      {"euml", 235},      {"euro", 8364},
	{"excl", 33},      {"exist", 8707},    {"ffilig", 64259},
	{"fflig", 64256},  {"ffllig", 64260},  {"filig", 64257},
	{"fllig", 64258},  {"fnof", 402},      {"forall", 8704},
	{"frac12", 189},   {"frac13", 8531},   {"frac14", 188},
	{"frac15", 8533},  {"frac16", 8537},   {"frac18", 8539},
	{"frac23", 8532},  {"frac25", 8534},   {"frac34", 190},
	{"frac35", 8535},  {"frac38", 8540},   {"frac45", 8536},
	{"frac56", 8538},  {"frac58", 8541},   {"frac78", 8542},
	{"frasl", 8260},   {"gamma", 947},     {"gbreve", 287},
	{"gcirc", 285},    {"gdot", 289},      {"ge", 8805},
	{"gimel", 8503},   {"grave", 96},      {"gt", 62},
	{"hArr", 8660},    {"hairsp", 8202},   {"half", 189},
	{"harr", 8596},    {"hcirc", 293},     {"hearts", 9829},
	{"hellip", 8230},  {"horbar", 8213},   {"hstrok", 295},
	{"hybull", 8259},  {"hyphen", 8208},   {"iacute", 237},
	{"ic", 8291},      {"icirc", 238},     {"iexcl", 161},
	{"igrave", 236},   {"ii", 8520},       {"iiota", 8489},
	{"ijlig", 307},    {"imacr", 299},     {"image", 8465},
	{"imath", 305},    {"infin", 8734},    {"inodot", 305},
	{"int", 8747},     {"integers", 8484}, {"iogon", 303},
	{"iota", 953},     {"iquest", 191},    {"isin", 8712},
	{"it", 8290},      {"itilde", 297},    {"iuml", 239},
	{"jcirc", 309},    {"kappa", 954},     {"kcedil", 311},
	{"kgreen", 312},   {"lArr", 8656},     {"lacute", 314},
	{"lambda", 955},   {"lang", 9001},     {"laquo", 171},
	{"larr", 8592},    {"lbrace", 123},    {"lbrack", 91},
	{"lcaron", 318},   {"lcedil", 316},    {"lceil", 8968},
	{"lcub", 123},     {"ldquo", 8220},    {"ldquor", 8222},
	{"le", 8804},      {"lfloor", 8970},   {"lmidot", 320},
	{"lowast", 8727},  {"lowbar", 95},     {"loz", 9674},
	{"lpar", 40},      {"lrm", 8206},      {"lsaquo", 8249},
	{"lsqb", 91},      {"lsquo", 8216},    {"lsquor", 8218},
	{"lstrok", 322},   {"lt", 60},         {"ltrif", 9666},
	{"macr", 175},     {"mdash", 8212},    {"mho", 8487},
	{"micro", 181},    {"midast", 42},     {"middot", 183},
	{"minus", 8722},   {"mldr", 8230},     {"mu", 956},
	{"nabla", 8711},   {"nacute", 324},    {"napos", 329},
	{"nbsp", 160},     {"ncaron", 328},    {"ncedil", 326},
	{"ndash", 8211},   {"ne", 8800},       {"nearr", 8599},
	{"nearrow", 8599}, {"ni", 8715},       {"nldr", 8229},
	{"not", 172},      {"notin", 8713},    {"nsub", 8836},
	{"ntilde", 241},   {"nu", 957},        {"num", 35},
	{"numero", 8470},  {"numsp", 8199},    {"nwarr", 8598},
	{"nwarrow", 8598}, {"oacute", 243},    {"ocirc", 244},
	{"odblac", 337},   {"oelig", 339},     {"ograve", 242},
	{"oline", 8254},   {"omacr", 333},     {"omega", 969},
	{"omicron", 959},  {"oplus", 8853},    {"or", 8744},
	{"order", 8500},   {"orderof", 8500},  {"ordf", 170},
	{"ordm", 186},     {"oscr", 8500},     {"oslash", 248},
	{"otilde", 245},   {"otimes", 8855},   {"ouml", 246},
	{"para", 182},     {"part", 8706},     {"percnt", 37},
	{"period", 46},    {"permil", 8240},   {"perp", 8869},
	{"pertenk", 8241}, {"phi", 966},       {"phmmat", 8499},
	{"phone", 9742},   {"pi", 960},        {"piv", 982},
	{"plus", 43},      {"plusmn", 177},    {"pm", 177},
	{"pound", 163},    {"prime", 8242},    {"primes", 8473},
	{"prod", 8719},    {"prop", 8733},     {"psi", 968},
	{"puncsp", 8200},  {"qprime", 8279},   {"quest", 63},
	{"quot", 34},      {"rArr", 8658},     {"racute", 341},
	{"radic", 8730},   {"rang", 9002},     {"raquo", 187},
	{"rarr", 8594},    {"rbrace", 125},    {"rbrack", 93},
	{"rcaron", 345},   {"rcedil", 343},    {"rceil", 8969},
	{"rcub", 125},     {"rdquo", 8221},    {"rdquor", 8221},
	{"real", 8476},    {"realine", 8475},  {"realpart", 8476},
	{"reals", 8477},   {"reg", 174},       {"rfloor", 8971},
	{"rho", 961},      {"rlm", 8207},      {"rpar", 41},
	{"rsaquo", 8250},  {"rsqb", 93},       {"rsquo", 8217},
	{"rsquor", 8217},  {"rtrif", 9656},    {"rx", 8478},
	{"sacute", 347},   {"sbquo", 8218},    {"scaron", 353},
	{"scedil", 351},   {"scirc", 349},     {"sdot", 8901},
	{"searr", 8600},   {"searrow", 8600},  {"sect", 167},
	{"semi", 59},      {"shy", 173},       {"sigma", 963},
	{"sigmaf", 962},   {"sim", 8764},      {"slarr", 8592},
	{"sol", 47},       {"spades", 9824},   {"squ", 9633},
	{"square", 9633},  {"squarf", 9642},   {"squf", 9642},
	{"srarr", 8594},   {"star", 9734},     {"starf", 9733},
	{"strns", 175},    {"sub", 8834},      {"sube", 8838},
	{"sum", 8721},     {"sup", 8835},      {"sup1", 185},
	{"sup2", 178},     {"sup3", 179},      {"supe", 8839},
	{"swarr", 8601},   {"swarrow", 8601},  {"szlig", 223},
	{"tau", 964},      {"tcaron", 357},    {"tcedil", 355},
	{"there4", 8756},  {"theta", 952},     {"thetasym", 977},
	{"thinsp", 8201},  {"thorn", 254},     {"tilde", 732},
	{"times", 215},    {"tprime", 8244},   {"trade", 8482},
	{"tstrok", 359},   {"uArr", 8657},     {"uacute", 250},
	{"uarr", 8593},    {"ubreve", 365},    {"ucirc", 251},
	{"udblac", 369},   {"ugrave", 249},    {"umacr", 363},
	{"uml", 168},      {"uogon", 371},     {"uparrow", 8593},
	{"upsih", 978},    {"upsilon", 965},   {"uring", 367},
	{"utilde", 361},   {"utrif", 9652},    {"uuml", 252},
	{"varr", 8597},    {"verbar", 124},    {"vert", 124},
	{"wcirc", 373},    {"weierp", 8472},   {"wp", 8472},
	{"xi", 958},       {"yacute", 253},    {"ycirc", 375},
	{"yen", 165},      {"yuml", 255},      {"zacute", 378},
	{"zcaron", 382},   {"zdot", 380},      {"zeetrf", 8488},
	{"zeta", 950},     {"zwj", 8205},      {"zwnj", 8204}};

static int compare(const struct entity *entity, const char *name)
{
	return memcmp(entity->name, name, NAME_BYTES);
}

/* The character of that name, or 0. */
static uint32_t lookup(const char *name, size_t length)
{
	char padded[NAME_BYTES] = {0};
	size_t low = 0;
	size_t high = sizeof(entities) / sizeof(entities[0]);

	if (length == 0 || length > NAME_BYTES)
		return 0;
	memcpy(padded, name, length);
	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = compare(&entities[middle], padded);

		if (order == 0)
			return entities[middle].code;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

/* Those of HTML 2 may be written without ";". */
static bool needs_no_semicolon(uint32_t code)
{
	return (code >= 0xA0 && code <= 0xFF) || code == '&' || code == '<' ||
	       code == '>' || code == '"';
}

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/* 16 when it is no digit of any base. */
static uint32_t digit_value(char byte)
{
	if (is_digit(byte))
		return (uint32_t)(byte - '0');
	byte = lower(byte);
	return byte >= 'a' && byte <= 'f' ? (uint32_t)(byte - 'a') + 10 : 16;
}

static uint32_t character_of(uint32_t code)
{
	if (code >= 0x80 && code < 0xA0)
		return utf8_from_windows_1252((unsigned char)code);
	if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
		return UTF8_REPLACEMENT;
	return code;
}

struct reference {
	uint32_t code; /* 0: it is none */
	size_t length; /* bytes of source, "&" included */
};

/* Behind "&#". */
static struct reference read_number(const char *at, const char *end)
{
	const char *begin = at - 2;
	const bool is_hex = at < end && lower(*at) == 'x';
	const uint32_t base = is_hex ? 16 : 10;
	const char *digits = is_hex ? at + 1 : at;
	uint32_t code = 0;

	for (at = digits; at < end && digit_value(*at) < base; at++)
		if (code <= 0x10FFFF)
			code = code * base + digit_value(*at);
	if (at == digits)
		return (struct reference){0, 0};
	if (at < end && *at == ';')
		at++;
	return (struct reference){character_of(code), (size_t)(at - begin)};
}

/* Behind "&". */
static struct reference read_name(const char *at, const char *end,
				  bool is_attribute)
{
	size_t length = 0;
	uint32_t code;

	while (length <= NAME_BYTES && at + length < end &&
	       (is_letter(at[length]) || is_digit(at[length])))
		length++;
	if (at + length < end && at[length] == ';') {
		code = lookup(at, length);
		if (code != 0)
			return (struct reference){code, length + 2};
	}
	if (is_attribute && at + length < end && at[length] == '=')
		return (struct reference){0, 0};
	/* "&notit" is "not" and "it", but not in an attribute */
	for (size_t part = length > 6 ? 6 : length; part >= 2; part--) {
		if (is_attribute && part < length)
			break;
		code = lookup(at, part);
		if (code != 0 && needs_no_semicolon(code))
			return (struct reference){code, part + 1};
	}
	return (struct reference){0, 0};
}

size_t entity_decode(struct slice text, bool is_attribute, char *out)
{
	const char *at = text.data;
	const char *end = at + text.size;
	size_t size = 0;

	while (at < end) {
		const char *mark = memchr(at, '&', (size_t)(end - at));
		size_t plain = (size_t)((mark == NULL ? end : mark) - at);
		struct reference reference;

		memcpy(out + size, at, plain);
		size += plain;
		at += plain;
		if (mark == NULL)
			break;
		if (end - at >= 2 && at[1] == '#')
			reference = read_number(at + 2, end);
		else
			reference = read_name(at + 1, end, is_attribute);
		if (reference.code == 0) {
			out[size++] = *at++;
			continue;
		}
		size += utf8_encode(reference.code, out + size);
		at += reference.length;
	}
	return size;
}
