#include "daemon/engine/soft_404.h"

#include "base/hash.h"
#include "page/page.h"

enum {
	PROBE_LETTERS = 16,
	MAX_KNOWN = 510, /* fragments: 8,176 bytes with the header */
	MAX_ECHOES = 3,  /* fragments that repeat the URL or a part of it */
	MAX_ECHO = 512,  /* bytes per fragment */
	MIN_SHARED = 2,  /* fragments of the site's own text */
	ECHO_RATIO = 2,  /* shared text must be this many times as long as the
			    echoes */
};

/*
 * The fragments of the probe's page; if there are more than MAX_KNOWN, those
 * with the lowest hashes. To compare two pages, the fragments up to the same
 * hash are used, which are a sample of both (a bottom-k sketch: Broder 1997, On
 * the resemblance and containment of documents).
 */
struct soft_404_sample {
	uint32_t magic;
	uint32_t count;
	uint64_t bound; /* the highest hash of the sample */
	uint64_t title; /* hash64 */
};

struct known_fragment {
	uint64_t hash; /* ascending */
	uint32_t length;
	uint32_t flags;
};

static const uint32_t magic = 0x74343034; /* "t404" */

_Static_assert(sizeof(struct soft_404_sample) +
			       MAX_KNOWN * sizeof(struct known_fragment) <=
		       8192,
	       "the header promises 8 KiB");

static void append_letters(char *out, uint64_t number)
{
	for (int i = 0; i < PROBE_LETTERS / 2; i++) {
		out[i] = (char)('a' + number % 26);
		number /= 26;
	}
}

void soft_404_probe(const struct url *seed, uint64_t salt, struct url *out)
{
	uint64_t hash = hash64(seed->text, strlen(seed->text), salt);
	char reference[PROBE_LETTERS + 2] = "/";
	char *letters = reference + 1;

	append_letters(letters, hash);
	append_letters(letters + PROBE_LETTERS / 2, hash_chain(hash, salt));
	if (url_parse(out, slice_of(letters), seed) != ERR_NONE &&
	    url_parse(out, slice_of(reference), seed) != ERR_NONE)
		*out = *seed; /* the URL would be too long */
}

void soft_404_store_probe(const struct record *record, struct buffer *out)
{
	struct soft_404_sample known = {
		.magic = magic,
		.count = record->fragment_count,
		.bound = UINT64_MAX,
		.title = hash64(record->title.data, record->title.size, 0),
	};

	if (known.count > MAX_KNOWN) {
		known.count = MAX_KNOWN;
		known.bound = record->fragments[MAX_KNOWN - 1].hash;
	}
	buffer_append(out, &known, sizeof(known));
	for (uint32_t i = 0; i < known.count; i++) {
		struct known_fragment fragment = {
			.hash = record->fragments[i].hash,
			.length = record->fragments[i].length,
			.flags = record->fragments[i].flags,
		};

		buffer_append(out, &fragment, sizeof(fragment));
	}
}

/* `slice` may be anywhere in memory. */
static bool read_known(struct slice slice, struct soft_404_sample *known_out)
{
	if (slice.size < sizeof(*known_out))
		return false;
	memcpy(known_out, slice.data, sizeof(*known_out));
	return known_out->magic == magic && known_out->count <= MAX_KNOWN &&
	       slice.size ==
		       sizeof(*known_out) +
			       known_out->count * sizeof(struct known_fragment);
}

static struct known_fragment known_at(struct slice known, uint32_t index)
{
	struct known_fragment fragment;

	memcpy(&fragment,
	       (const char *)known.data + sizeof(struct soft_404_sample) +
		       index * sizeof(fragment),
	       sizeof(fragment));
	return fragment;
}

/* The fragments that only one of the pages has. */
struct difference {
	uint32_t count;
	uint64_t bytes;
	uint32_t longest;
	bool has_link; /* a fragment is a link, so it is not an echo */
};

struct comparison {
	struct difference own;    /* of the page */
	struct difference probes; /* of the probe's page */
	uint32_t shared;
	uint64_t shared_bytes;
	bool is_damaged; /* the stored fragments are not ascending */
};

static void soft_404_difference_add(struct difference *difference,
				    uint32_t length, uint32_t flags)
{
	difference->count++;
	difference->bytes += length;
	if (difference->longest < length)
		difference->longest = length;
	difference->has_link |= (flags & TEXT_IS_LINK) != 0;
}

/* A merge of two ascending lists. */
static struct comparison soft_404_compare(const struct record *record,
					  struct slice bytes,
					  const struct soft_404_sample *known)
{
	struct comparison comparison = {.shared = 0};
	uint32_t count = record->fragment_count;
	uint64_t last = 0;
	uint32_t i = 0;
	uint32_t j = 0;

	while (count > 0 && record->fragments[count - 1].hash > known->bound)
		count--;
	while (i < count || j < known->count) {
		uint64_t mine = i < count ? record->fragments[i].hash : 0;
		struct known_fragment theirs = {0};

		if (j < known->count) {
			theirs = known_at(bytes, j);
			comparison.is_damaged |= theirs.hash < last;
			last = theirs.hash;
		}
		if (j == known->count || (i < count && mine < theirs.hash)) {
			soft_404_difference_add(&comparison.own,
						record->fragments[i].length,
						record->fragments[i].flags);
			i++;
		} else if (i == count || theirs.hash < mine) {
			soft_404_difference_add(&comparison.probes,
						theirs.length, theirs.flags);
			j++;
		} else {
			comparison.shared++;
			comparison.shared_bytes += theirs.length;
			i++;
			j++;
		}
	}
	return comparison;
}

static bool is_echo(const struct difference *difference)
{
	return difference->count <= MAX_ECHOES && !difference->has_link &&
	       difference->longest <= MAX_ECHO;
}

bool soft_404_is(const struct record *record, struct slice known)
{
	struct soft_404_sample header;
	struct comparison comparison;

	/*
	 * real pages with the same frame and one sentence each differ in their
	 * titles
	 */
	if (!read_known(known, &header) ||
	    header.title != hash64(record->title.data, record->title.size, 0))
		return false;
	comparison = soft_404_compare(record, known, &header);
	return !comparison.is_damaged && is_echo(&comparison.own) &&
	       is_echo(&comparison.probes) &&
	       comparison.own.count == comparison.probes.count &&
	       comparison.shared >= MIN_SHARED &&
	       comparison.shared_bytes >=
		       ECHO_RATIO *
			       (comparison.own.bytes + comparison.probes.bytes);
}
