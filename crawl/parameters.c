#include "crawl/parameters.h"

#include <string.h>
#include <strings.h>

/*
 * Only names that a product has invented, so that no site is likely to identify
 * pages with them. Deliberately omitted:
 * - id, ref, source, from, cid, campaign, share, si, spm, feature: words that
 *   sites use for their content;
 * - sid and s: a session in phpBB and vBulletin, but the story of Slashdot and
 *   PHP-Nuke (article.pl?sid=...) and the search of WordPress;
 * - session, session_id, sessionid, token: conferences have sessions, and a
 *   link with a token may be dead without it;
 * - pk_*, ns_*, at_*, itm_*, trk*: prefixes that are also a primary key, a name
 *   space, a place or an item; only whole names with them are listed.
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

/* Remove the first name from `names` and return it, or an empty one. */
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

/* Return whether `name` is one of the names. */
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

/* Return the part of `text` before the first of the bytes `ends`. */
static struct slice parameter_read_until(const char *text, const char *ends)
{
	return (struct slice){text, strcspn(text, ends)};
}

/* Return whether the last written segment is "." or "..". */
static bool ends_in_dots(const char *begin, const char *end)
{
	size_t dots = 0;

	while (dots < 3 && end - dots > begin &&
	       end[-1 - (ptrdiff_t)dots] == '.')
		dots++;
	return (dots == 1 || dots == 2) && end[-1 - (ptrdiff_t)dots] == '/';
}

/*
 * Remove ";name=value" from the path at `path`, in place; return its new end.
 * Keep it where its removal would leave a dot segment: "/..;sid=1/".
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
 * Do the same for the query that begins with the '?' at `in`; write it to
 * `out`.
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
