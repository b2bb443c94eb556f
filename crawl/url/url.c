#include "crawl/url/url.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "crawl/url/host.h"
#include "page/robots_tag.h"

/*
 * The list contains only names that a product has invented, so that no site is
 * likely to identify its pages by them. Some names are deliberately omitted:
 *
 * - id, ref, source, from, cid, campaign, share, si, spm, feature: sites use
 *   these words for their content;
 * - sid and s: phpBB and vBulletin use them for a session, but Slashdot and
 *   PHP-Nuke for a story (article.pl?sid=...) and WordPress for a search;
 * - session, session_id, sessionid, token: conferences have sessions, and a
 *   link may not work without its token;
 * - pk_*, ns_*, at_*, itm_*, trk*: these prefixes also mean a primary key, a
 *   name space, a place or an item. Only whole names with them are listed.
 */
const char parameters_default[] =
	/* Urchin, Google: analytics, ads, merchant, search box */
	"utm_* _ga _gl _gac _gid gclid gclsrc dclid gbraid wbraid gad_source "
	"gad_campaignid srsltid gs_l "
	/* Meta, Twitter, Microsoft, Yandex, TikTok, LinkedIn, Pinterest */
	"fbclid fb_action_ids fb_action_types fb_source fb_ref igshid igsh "
	"twclid ref_src ref_url msclkid yclid ysclid ymclid _openstat ttclid "
	"li_fat_id epik "
	/* newsletters: Mailchimp, HubSpot, Marketo, Vero, Olytics, Drip,
	   MailerLite, Klaviyo, dotdigital, Blueshift, Eloqua, Listrak */
	"mc_cid mc_eid _hsenc _hsmi __hssc __hstc __hsfp hsCtaTracking hsa_* "
	"mkt_tok vero_id vero_conv oly_anon_id oly_enc_id __s ml_subscriber "
	"ml_subscriber_hash _kx dm_i bsft_* elqTrack* elqaid elqat elqak "
	"elqCampaignId _bta_tid _bta_c ck_subscriber_id ss_email_id "
	/* web analytics: Matomo, Piano, Webtrekk, Webtrends, Adobe, Comscore */
	"mtm_* matomo_* piwik_* pk_campaign pk_kwd pk_keyword pk_source "
	"pk_medium pk_content pk_cid at_campaign at_medium xtor wt_mc wt_zmc "
	"WT.mc_id s_kwcid ef_id ns_campaign ns_mchannel ns_source ns_linkname "
	"ns_fee itm_source itm_medium itm_campaign itm_content itm_term "
	/* affiliates: Impact, Commission Junction, Rakuten, Zanox,
	   Tradedoubler, ShareASale, and Yahoo */
	"irclickid irgwc cjevent ranMID ranEAID ranSiteID zanpid tduid sscid "
	"rb_clickid wickedid soc_src soc_trk guccounter guce_referrer "
	"guce_referrer_sig "
	/* sessions: PHP, Java, ASP, ColdFusion, osCommerce, xt:Commerce, Zen
	   Cart */
	"PHPSESSID jsessionid ASPSESSIONID* CFID CFTOKEN osCsid XTCsid zenid";

static bool is_gap(char c)
{
	return c == ' ' || c == ',' || (c >= '\t' && c <= '\r');
}

/*
 * Remove the first name from `names` and return it; return an empty slice if
 * none exists.
 */
static struct slice next_name(struct slice *names)
{
	const char *text = names->data;
	size_t begin = 0;
	size_t end;

	while (begin < names->size && is_gap(text[begin]))
		begin++;
	end = begin;
	while (end < names->size && !is_gap(text[end]))
		end++;
	*names = (struct slice){text + end, names->size - end};
	return (struct slice){text + begin, end - begin};
}

/* Return whether `name` is in the list `names`. */
static bool parameter_is_listed(struct slice name, struct slice names)
{
	struct slice listed;

	while (names.size > 0 && (listed = next_name(&names)).size > 0) {
		const char *text = listed.data;
		bool is_prefix = text[listed.size - 1] == '*';

		listed.size -= is_prefix ? 1 : 0;
		if ((is_prefix ? name.size >= listed.size
			       : name.size == listed.size) &&
		    strncasecmp(name.data, text, listed.size) == 0)
			return true;
	}
	return false;
}

void parameters_expand(struct slice text, struct buffer *out)
{
	struct slice name;

	while (text.size > 0 && (name = next_name(&text)).size > 0) {
		if (slice_equal(name, slice_of("common")))
			name = slice_of(parameters_default);
		if (out->size > 0)
			buffer_append_byte(out, ' ');
		buffer_append_slice(out, name);
	}
}

/* Return the part of `text` before the first byte that is in `ends`. */
static struct slice parameter_read_until(const char *text, const char *ends)
{
	return (struct slice){text, strcspn(text, ends)};
}

/* Return whether the last segment between `begin` and `end` is "." or "..". */
static bool ends_in_dots(const char *begin, const char *end)
{
	size_t dots = 0;

	while (dots < 3 && end - dots > begin &&
	       end[-1 - (ptrdiff_t)dots] == '.')
		dots++;
	return (dots == 1 || dots == 2) && end[-1 - (ptrdiff_t)dots] == '/';
}

/*
 * Remove each ";name=value" with a listed name from the path at `path`, in
 * place; return its new end. If the removal would result in a dot segment
 * ("/..;sid=1/"), do not remove it.
 */
static char *drop_from_path(char *path, const char *end, struct slice names)
{
	const char *in = path;
	char *out = path;

	while (in < end) {
		struct slice part = parameter_read_until(in + 1, ";/?");
		struct slice name = parameter_read_until(in + 1, "=;/?");
		bool is_last =
			in + 1 + part.size == end || in[1 + part.size] == '/';

		if (*in == ';' && name.size < part.size &&
		    parameter_is_listed(name, names) &&
		    !(is_last && ends_in_dots(path, out))) {
			in += 1 + part.size;
			continue;
		}
		memmove(out, in, 1 + part.size);
		out += 1 + part.size;
		in += 1 + part.size;
	}
	return out;
}

/*
 * Copy the query that begins with the '?' at `in` to `out`, without the
 * parameters that have a listed name; return the end of the copy.
 */
static char *drop_from_query(char *out, const char *in, struct slice names)
{
	char *begin = out;

	while (*in != '\0') {
		struct slice part = parameter_read_until(in + 1, "&");
		struct slice name = parameter_read_until(in + 1, "=&");

		if (name.size == 0 || !parameter_is_listed(name, names)) {
			*out = out == begin ? '?' : '&';
			memmove(out + 1, in + 1, part.size);
			out += 1 + part.size;
		}
		in += 1 + part.size;
	}
	return out == begin + 1 ? begin : out;
}

bool parameters_drop(struct url *url, struct slice names)
{
	char *path = url->text + url->path;
	const char *query = path + strcspn(path, "?");
	const char *end = query + strlen(query);
	char *out = path + (query - path);

	if (memchr(path, ';', (size_t)(query - path)) != NULL)
		out = drop_from_path(path, query, names);
	out = drop_from_query(out, query, names);
	*out = '\0';
	return out < end;
}

void bounded_put(struct bounded *out, char byte)
{
	assert(out->size <= out->capacity);
	if (out->size < out->capacity)
		out->data[out->size++] = byte;
	else
		out->is_cut = true;
}

void bounded_put_slice(struct bounded *out, struct slice text)
{
	assert(out->size <= out->capacity);
	if (text.size > out->capacity - out->size) {
		out->is_cut = true;
		return;
	}
	if (text.size > 0)
		memcpy(out->data + out->size, text.data, text.size);
	out->size += text.size;
}

struct slice bounded_slice(const struct bounded *out)
{
	return (struct slice){out->data, out->size};
}

/* A set of bytes: bit `byte & 63` of word `byte >> 6`. */
struct byte_set {
	uint64_t words[4];
};

#define BIT(c) (UINT64_C(1) << ((c)&63))

static const struct byte_set unreserved = {{
	BIT('-') | BIT('.') | UINT64_C(0x03ff000000000000), /* 0-9 */
	BIT('_') | BIT('~') | UINT64_C(0x07fffffe07fffffe), /* A-Z a-z */
}};

/* Reserved characters (RFC 3986, 2.2), except '#' and the single quote. */
static const struct byte_set reserved = {{
	BIT('!') | BIT('$') | BIT('&') | BIT('(') | BIT(')') | BIT('*') |
		BIT('+') | BIT(',') | BIT('/') | BIT(':') | BIT(';') |
		BIT('=') | BIT('?'),
	BIT('@') | BIT('[') | BIT(']'),
}};

static bool byte_set_has(const struct byte_set *set, unsigned char byte)
{
	return (set->words[byte >> 6] >> (byte & 63) & 1) != 0;
}

bool percent_is_unreserved(unsigned char byte)
{
	return byte_set_has(&unreserved, byte);
}

void percent_append(struct buffer *out, struct slice text, const char *kept)
{
	const unsigned char *bytes = text.data;

	for (size_t i = 0; i < text.size; i++)
		if (percent_is_unreserved(bytes[i]) ||
		    (bytes[i] != '\0' && strchr(kept, bytes[i]) != NULL))
			buffer_append_byte(out, (char)bytes[i]);
		else
			buffer_printf(out, "%%%02X", bytes[i]);
}

void percent_put(struct bounded *out, unsigned char byte)
{
	static const char digits[] = "0123456789ABCDEF";
	char escape[3] = {'%', digits[byte >> 4], digits[byte & 15]};

	bounded_put_slice(out, (struct slice){escape, sizeof(escape)});
}

/*
 * Return the byte that is escaped at the beginning of `text`; -1 if there is no
 * escape.
 */
static int escape_value(const unsigned char *text, size_t size)
{
	int high;
	int low;

	if (size < 3 || text[0] != '%')
		return -1;
	high = hex_digit(text[1]);
	low = hex_digit(text[2]);
	return high < 0 || low < 0 ? -1 : high * 16 + low;
}

void percent_decode(struct slice text, struct bounded *out)
{
	const unsigned char *bytes = text.data;

	for (size_t i = 0; i < text.size && !out->is_cut; i++) {
		int value = escape_value(bytes + i, text.size - i);

		bounded_put(out, (char)(value < 0 ? bytes[i] : value));
		if (value >= 0)
			i += 2;
	}
}

/*
 * Return the bytes that must not be encoded: unreserved and reserved
 * characters, except those in `special`.
 */
static struct byte_set plain_bytes(const char *special)
{
	struct byte_set plain = reserved;

	for (; *special != '\0'; special++)
		plain.words[(unsigned char)*special >> 6] &= ~BIT(*special);
	for (size_t i = 0; i < 4; i++)
		plain.words[i] |= unreserved.words[i];
	return plain;
}

/*
 * Write the escape or the byte at the beginning of `text` in canonical form.
 * Return its size in `text`.
 */
static size_t put_odd(const unsigned char *text, size_t size,
		      struct bounded *out)
{
	int value = escape_value(text, size);

	assert(size > 0);
	if (value < 0)
		percent_put(out, text[0]);
	else if (percent_is_unreserved((unsigned char)value))
		bounded_put(out, (char)value);
	else
		percent_put(out, (unsigned char)value);
	return value < 0 ? 1 : 3;
}

void percent_normalize(struct slice text, const char *special,
		       struct bounded *out)
{
	const struct byte_set plain = plain_bytes(special);
	const unsigned char *bytes = text.data;
	size_t i = 0;

	while (i < text.size && !out->is_cut) {
		size_t begin = i;

		while (i < text.size && byte_set_has(&plain, bytes[i]))
			i++;
		bounded_put_slice(out,
				  (struct slice){bytes + begin, i - begin});
		if (i < text.size)
			i += put_odd(bytes + i, text.size - i, out);
	}
}

/* The parts of a link, as written in a page. */

struct url_reference {
	bool is_relative; /* it has no authority */
	bool is_https;
	struct slice user; /* user and password; data is NULL without them */
	struct slice authority; /* without user and password */
	struct slice rest;      /* path and query, not canonical */
};

/*
 * Trim control characters and spaces at both ends (WHATWG URL, basic URL
 * parser), and drop the fragment.
 */
static struct slice reference_trim(struct slice text)
{
	const char *hash;

	while (text.size > 0 && (unsigned char)slice_byte(text, 0) <= ' ')
		text = word_skip(text, 1);
	hash = text.size == 0 ? NULL : memchr(text.data, '#', text.size);
	if (hash != NULL)
		return (struct slice){text.data,
				      (size_t)(hash - (char *)text.data)};
	while (text.size > 0 &&
	       (unsigned char)slice_byte(text, text.size - 1) <= ' ')
		text.size--;
	return text;
}

/* Return whether reference_repair() must change the reference. */
static bool is_odd(struct slice text)
{
	for (size_t i = 0; i < text.size; i++)
		if ((unsigned char)slice_byte(text, i) < ' ' ||
		    slice_byte(text, i) == '\\')
			return true;
	return false;
}

/*
 * Repair the reference `text` as browsers do (WHATWG URL, basic URL parser):
 * trim control characters and spaces at both ends, drop the fragment and all
 * tabs and line ends, and replace each '\' before the query by '/'. The result
 * is a slice of `text`, or of `room` if a change within the text was necessary.
 * It is truncated if `room` is full.
 */
static struct slice reference_repair(struct slice text, struct bounded *room)
{
	bool is_query = false;

	text = reference_trim(text.data == NULL ? slice_of("") : text);
	if (!is_odd(text))
		return text;
	for (size_t i = 0; i < text.size && !room->is_cut; i++) {
		char c = slice_byte(text, i);

		if (c == '\t' || c == '\n' || c == '\r')
			continue;
		is_query |= c == '?';
		if (c == '\\' && !is_query)
			c = '/';
		bounded_put(room, c);
	}
	return bounded_slice(room);
}

/*
 * Return the length of the scheme at the beginning of `text`, without the ':';
 * 0 if none exists.
 */
static size_t scheme_length(struct slice text)
{
	size_t length = 0;

	if (!is_letter(slice_byte(text, 0)))
		return 0;
	while (is_letter(slice_byte(text, length)) ||
	       is_digit(slice_byte(text, length)) ||
	       (slice_byte(text, length) != '\0' &&
		strchr("+-.", slice_byte(text, length)) != NULL))
		length++;
	return slice_byte(text, length) == ':' ? length : 0;
}

static bool reference_scheme_is(struct slice text, size_t length,
				const char *word)
{
	for (size_t i = 0; i < length; i++)
		if ((slice_byte(text, i) | 0x20) != word[i])
			return false;
	return word[length] == '\0';
}

/*
 * Return whether `text` begins with a host and port and not with a scheme:
 * "example.org:8080/x" does, "tel:110" does not. It is used if there is no
 * base. A name before a ':' is a host if it contains a dot, is localhost, or is
 * followed by a port and a path.
 */
static bool is_host_and_port(struct slice text, size_t length)
{
	size_t end = length + 1;
	char next;

	while (is_digit(slice_byte(text, end)))
		end++;
	next = slice_byte(text, end);
	if (end == length + 1 ||
	    (end < text.size && next != '/' && next != '?'))
		return false;
	return next == '/' || memchr(text.data, '.', length) != NULL ||
	       reference_scheme_is(text, length, "localhost");
}

static bool begins_with_slashes(struct slice text)
{
	return slice_byte(text, 0) == '/' && slice_byte(text, 1) == '/';
}

/* Split `text`, which begins with an authority, into authority and rest. */
static void split_authority(struct slice text, struct url_reference *out)
{
	size_t begin = 0;
	size_t end = 0;

	for (; end < text.size && slice_byte(text, end) != '/' &&
	       slice_byte(text, end) != '?';
	     end++)
		if (slice_byte(text, end) == '@')
			begin = end + 1;
	out->rest = word_skip(text, end);
	text.size = end;
	if (begin > 0)
		out->user = (struct slice){text.data, begin - 1};
	out->authority = word_skip(text, begin);
}

/*
 * Split a reference that was repaired. It must be absolute if `base` is NULL.
 * The slices point into `text`. ERR_MALFORMED; ERR_ADDRESS_FORBIDDEN: its
 * scheme is not http or https.
 */
static enum error reference_split(struct slice text, const struct url *base,
				  struct url_reference *reference_out)
{
	size_t length = scheme_length(text);

	*reference_out = (struct url_reference){.is_https = base != NULL &&
							    base->is_https};
	if (length > 0 && (base != NULL || !is_host_and_port(text, length))) {
		reference_out->is_https =
			reference_scheme_is(text, length, "https");
		if (!reference_out->is_https &&
		    !reference_scheme_is(text, length, "http"))
			return ERR_ADDRESS_FORBIDDEN;
		text = word_skip(text, length + 1);
		/*
		 * on an http page, "http:x" is a relative reference (WHATWG),
		 * likewise for https
		 */
		reference_out->is_relative =
			base != NULL &&
			base->is_https == reference_out->is_https &&
			!begins_with_slashes(text);
	} else if (base != NULL) {
		reference_out->is_relative = !begins_with_slashes(text);
	} else if (slice_byte(text, 0) == '/' && !begins_with_slashes(text)) {
		return ERR_MALFORMED;
	}
	if (reference_out->is_relative) {
		reference_out->rest = text;
	} else {
		while (slice_byte(text, 0) == '/')
			text = word_skip(text, 1);
		split_authority(text, reference_out);
	}
	return ERR_NONE;
}

enum {
	/*
	 * Decoding makes a text at most three times shorter, except for dot
	 * segments.
	 */
	MAX_REFERENCE = 3 * MAX_URL_BYTES,
	MAX_MERGED = MAX_URL_BYTES + MAX_REFERENCE,
	HTTP_PORT = 80,
	HTTPS_PORT = 443,
};

/* Set scheme, host and port of `url`. */
static enum error put_authority(const struct url_reference *reference,
				const struct url *base, struct url *url)
{
	struct bounded host = {.data = url->host, .capacity = MAX_HOST_BYTES};
	struct bounded whole = {.data = url->authority,
				.capacity = sizeof(url->authority) - 1};
	enum error error = ERR_NONE;

	url->is_https = reference->is_https;
	if (reference->is_relative)
		bounded_put_slice(&host, slice_of(base->host));
	else
		error = host_canonical(reference->authority,
				       url->is_https ? HTTPS_PORT : HTTP_PORT,
				       &host);
	url->host[host.size] = '\0';
	bounded_put_slice(&whole,
			  slice_of(url->is_https ? "https://" : "http://"));
	bounded_put_slice(&whole, bounded_slice(&host));
	url->authority[whole.size] = '\0';
	assert(!whole.is_cut && whole.size <= UINT16_MAX);
	url->path = (uint16_t)whole.size;
	return error;
}

/*
 * Return the index of the first segment that begins with a dot; `size` if none
 * exists.
 */
static size_t first_dot(const char *path, size_t size)
{
	const char *end = path + size;
	const char *dot = path;

	while ((dot = memchr(dot + 1, '.', (size_t)(end - dot - 1))) != NULL)
		if (dot[-1] == '/')
			return (size_t)(dot - path) - 1;
	return size;
}

/* Return the index of the '/' before the last segment; 0 if none exists. */
static size_t last_segment(const char *path, size_t size)
{
	const char *slash = memrchr(path, '/', size);

	assert(path != NULL);
	return slash == NULL ? 0 : (size_t)(slash - path);
}

/*
 * Return the part of the base's path that precedes a relative reference in the
 * result; `first` is the first character of the reference.
 */
static struct slice url_base_path(const struct url *base, char first)
{
	const char *path = base->text + base->path;
	size_t size = strcspn(path, "?");

	assert(path[0] == '/');
	return (struct slice){
		path, first == '?' ? size : last_segment(path, size) + 1};
}

/*
 * Write path and query of the URL; dot segments are not removed yet (RFC 3986,
 * 5.2.3).
 */
static void url_merge_path(const struct url_reference *reference,
			   const struct url *base, struct bounded *out)
{
	struct slice rest = reference->rest;
	char first = '\0';

	if (rest.size > 0)
		first = ((const char *)rest.data)[0];
	if (first != '/' && reference->is_relative)
		bounded_put_slice(out, url_base_path(base, first));
	else if (first != '/')
		bounded_put(out, '/');
	percent_normalize(rest, "", out);
}

/*
 * Remove the dot segments from `path`, in place (RFC 3986, 5.2.4). The path
 * begins with '/'. Return its new size.
 */
static size_t remove_dots(char *path, size_t size)
{
	size_t at = first_dot(path, size);
	size_t left = at;

	assert(size > 0 && path[0] == '/');
	while (at < size) {
		const char *slash = memchr(path + at + 1, '/', size - at - 1);
		size_t next = slash == NULL ? size : (size_t)(slash - path);
		struct slice segment = {path + at, next - at};
		bool is_up = slice_equal(segment, slice_of("/.."));

		if (!is_up && !slice_equal(segment, slice_of("/."))) {
			memmove(path + left, segment.data, segment.size);
			left += segment.size;
		} else {
			if (is_up)
				left = last_segment(path, left);
			if (next == size)
				path[left++] = '/';
		}
		at = next;
	}
	assert(left <= size);
	return left;
}

/* Set path and query of `url`, whose authority must be set. */
static enum error url_resolve_rest(const struct url_reference *reference,
				   const struct url *base, struct url *url)
{
	char merged[MAX_MERGED];
	struct bounded room = {.data = merged, .capacity = sizeof(merged)};
	struct bounded out = {.data = url->text, .capacity = MAX_URL_BYTES};
	struct slice path = {merged, 0};
	struct slice query;
	const char *mark;

	url_merge_path(reference, base, &room);
	if (room.is_cut)
		return ERR_TOO_LARGE;
	mark = memchr(merged, '?', room.size);
	path.size = mark == NULL ? room.size : (size_t)(mark - merged);
	query = (struct slice){merged + path.size, room.size - path.size};
	path.size = remove_dots(merged, path.size);
	bounded_put_slice(&out, (struct slice){url->authority, url->path});
	bounded_put_slice(&out, path);
	if (query.size > 1)
		bounded_put_slice(&out, query);
	assert(out.size <= MAX_URL_BYTES);
	url->text[out.size] = '\0';
	return out.is_cut ? ERR_TOO_LARGE : ERR_NONE;
}

/*
 * Copy a URL. Only the texts are copied, because they are much shorter than the
 * arrays.
 */
static void url_copy(const struct url *url, struct url *out)
{
	memcpy(out->text, url->text, strlen(url->text) + 1);
	memcpy(out->authority, url->authority, url->path + 1U);
	memcpy(out->host, url->host, strlen(url->host) + 1);
	out->path = url->path;
	out->is_https = url->is_https;
}

enum error url_parse(struct url *url_out, struct slice reference,
		     const struct url *base)
{
	char text[MAX_REFERENCE];
	struct bounded mended = {.data = text, .capacity = sizeof(text)};
	struct url_reference parts;
	struct url url;
	enum error error;

	assert(base == NULL || base->text[base->path] == '/');
	error = reference_split(reference_repair(reference, &mended), base,
				&parts);
	if (error == ERR_NONE && mended.is_cut)
		error = ERR_TOO_LARGE;
	if (error != ERR_NONE)
		return error;
	assert(!parts.is_relative || base != NULL);
	if (parts.is_relative && parts.rest.size == 0) {
		*url_out = *base; /* an empty reference means the page itself,
				     with its query */
		return ERR_NONE;
	}
	error = put_authority(&parts, base, &url);
	if (error == ERR_NONE)
		error = url_resolve_rest(&parts, base, &url);
	if (error == ERR_NONE)
		url_copy(&url, url_out);
	return error;
}

enum error url_parse_site(struct url *url_out, struct slice text)
{
	enum error error = url_parse(url_out, text, NULL);
	size_t length;

	if (error != ERR_NONE || strpbrk(url_out->host, ".:[") != NULL ||
	    strcmp(url_out->host, "localhost") == 0)
		return error;
	text = reference_trim(text);
	length = scheme_length(text);
	return reference_scheme_is(text, length, "http") ||
			       reference_scheme_is(text, length, "https")
		       ? ERR_NONE
		       : ERR_MALFORMED;
}

enum error url_parse_endpoint(struct url *url_out, const char *text)
{
	static const char *const schemes[] = {"ws://", "wss://", "http://",
					      "https://"};
	char reference[MAX_URL_BYTES + 1];

	for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++) {
		const size_t length = strlen(schemes[i]);

		if (strncmp(text, schemes[i], length) != 0)
			continue;
		if (snprintf(reference, sizeof(reference), "%s%s",
			     schemes[i | 2U],
			     text + length) >= (int)sizeof(reference))
			return ERR_TOO_LARGE;
		return url_parse(url_out, slice_of(reference), NULL);
	}
	return ERR_ADDRESS_FORBIDDEN;
}

bool url_credentials(struct slice text, struct buffer *out)
{
	char repaired[MAX_REFERENCE];
	char decoded[MAX_CREDENTIALS];
	struct bounded room = {.data = repaired, .capacity = sizeof(repaired)};
	struct bounded user = {.data = decoded, .capacity = sizeof(decoded)};
	struct url_reference parts;
	struct slice name;
	const char *colon;

	if (reference_split(reference_repair(text, &room), NULL, &parts) !=
		    ERR_NONE ||
	    parts.user.data == NULL)
		return true;
	colon = parts.user.size == 0
			? NULL
			: memchr(parts.user.data, ':', parts.user.size);
	name = parts.user;
	if (colon != NULL)
		name.size = (size_t)(colon - (const char *)name.data);
	percent_decode(name, &user);
	if (user.size == 0 || memchr(decoded, ':', user.size) != NULL)
		return false;
	bounded_put(&user, ':');
	percent_decode(word_skip(parts.user, name.size + (colon != NULL)),
		       &user);
	for (size_t i = 0; i < user.size; i++)
		if ((unsigned char)decoded[i] < ' ' || decoded[i] == 0x7f)
			return false;
	if (!user.is_cut)
		buffer_append_slice(out, bounded_slice(&user));
	return !user.is_cut;
}

struct slice url_origin(struct slice canonical)
{
	const char *text = canonical.data;
	size_t slashes = 0;
	size_t size = 0;

	while (size < canonical.size && slashes < 3)
		slashes += text[size++] == '/';
	return (struct slice){text, slashes == 3 ? size - 1 : size};
}

struct url url_base(const struct url *page, struct slice base_href)
{
	struct url base = *page;

	if (base_href.size > 0)
		url_parse(&base, base_href, page);
	return base;
}

enum {
	/* maximum length of a name; a longer word is a sentence */
	MAX_NAME = 32,
	MAX_HYPHENS = 2, /* maximum hyphens of a name; a word with more is a
			    sentence */
	MIN_HEX = 8,     /* minimum number of digits of a hexadecimal number */
	MIN_CHANGES = 3, /* minimum number of changes between letters and digits
			    in an identifier */
	DAY_SIZE = 8,    /* length of 20240514 */
	YEAR_SIZE = 4,   /* length of 2024 */
};

const char *url_kind_text(enum url_kind kind)
{
	static const char *const texts[] = {"", "{n}", "{date}", "{id}", "{w}"};

	return texts[kind];
}

static bool url_byte_is_separator(char c)
{
	return c == '-' || c == '_' || c == '.';
}

/* Return whether the text is a day such as 20240514. */
static bool is_day(struct slice text)
{
	const char *c = text.data;

	return text.size == DAY_SIZE &&
	       (memcmp(c, "19", 2) == 0 || memcmp(c, "20", 2) == 0) &&
	       (c[4] == '0' || c[4] == '1') && c[6] <= '3';
}

/*
 * Return the kind of a text that consists of numbers with single separators,
 * such as 2024-05, 14.5.2024 or 1.2.3.
 */
static enum url_kind kind_of_numbers(struct slice text)
{
	const char *c = text.data;
	size_t sizes[3] = {0};
	size_t count = 0;

	for (size_t i = 0; i < text.size; i++) {
		if (is_digit(c[i])) {
			sizes[count]++;
			continue;
		}
		if (!url_byte_is_separator(c[i]) || sizes[count] == 0 ||
		    i + 1 == text.size)
			return URL_NOTHING;
		if (++count == 3)
			return URL_NUMBER;
	}
	if (count == 0)
		return is_day(text) ? URL_DATE : URL_NUMBER;
	if (sizes[1] > 2 && count == 2)
		return URL_NUMBER;
	return (sizes[0] == YEAR_SIZE && sizes[count] <= 2) ||
			       (sizes[count] == YEAR_SIZE && sizes[0] <= 2)
		       ? URL_DATE
		       : URL_NUMBER;
}

/*
 * Return whether the text is an identifier: a long hexadecimal number, which
 * may be in groups like a UUID, or a text with alternating letters and digits.
 */
static bool is_identifier(struct slice text)
{
	const char *c = text.data;
	bool is_number = true;
	size_t digits = 0;
	size_t run = 0;
	size_t longest = 0;
	size_t changes = 0;

	for (size_t i = 0; i < text.size; i++) {
		digits += is_digit(c[i]);
		run = hex_digit(c[i]) >= 0 ? run + 1 : 0;
		longest = run > longest ? run : longest;
		is_number = is_number && (hex_digit(c[i]) >= 0 || c[i] == '-');
		changes += i > 0 && ((is_digit(c[i - 1]) && is_letter(c[i])) ||
				     (is_letter(c[i - 1]) && is_digit(c[i])));
	}
	return digits > 0 && text.size >= MIN_HEX &&
	       ((is_number && longest >= MIN_HEX) || changes >= MIN_CHANGES);
}

enum url_kind url_kind_of(struct slice text)
{
	enum url_kind kind;

	if (text.size == 0)
		return URL_NOTHING;
	kind = kind_of_numbers(text);
	if (kind != URL_NOTHING)
		return kind;
	if (memchr(text.data, '%', text.size) != NULL)
		return URL_WORD;
	return is_identifier(text) ? URL_IDENTIFIER : URL_WORD;
}

bool url_is_name(struct slice word)
{
	const char *c = word.data;
	size_t hyphens = 0;

	for (size_t i = 0; i < word.size; i++) {
		hyphens += c[i] == '-' || c[i] == '_';
		if (c[i] == '%' || c[i] == '{')
			return false;
	}
	return word.size <= MAX_NAME && hyphens <= MAX_HYPHENS;
}
