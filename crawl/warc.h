/*
 * crawl/warc.h - read web archives as a stream: WARC 1.0 and 1.1 (ISO
 * 28500), WARC 0.17/0.18 as far as they agree, and ARC 1.0; plain, gzip (one
 * member per record, or one for all) or zstd (frames, also with the dictionary
 * frame of warc.zst). A function supplies the bytes; memory does not grow with
 * the file.
 */
#ifndef CRAWL_WARC_H
#define CRAWL_WARC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "crawl/url.h"

enum warc_kind {
	WARC_RESPONSE, /* an HTTP response: the fields below are set */
	WARC_RESOURCE, /* a body without HTTP; http_status is 200 */
	WARC_REVISIT,  /* the same content as before */
	WARC_OTHER,    /* warcinfo, request, metadata, conversion, dns... */
};

struct warc_record {
	enum warc_kind kind;
	uint64_t offset;  /* offset in the file of the record, or of the
			     compressed member that contains it */
	uint64_t time_ms; /* WARC-Date, ARC's archive date; 0 = none */
	char url[MAX_URL_BYTES + 1]; /* WARC-Target-URI as written, or "" */
	char type[32];        /* WARC-Type in lower case; "arc" for ARC */
	uint16_t http_status; /* 0 = none */
	char content_type[128];
	char charset[32];                 /* of the Content-Type, or "" */
	char redirect[MAX_URL_BYTES + 1]; /* Location as written, or "" */
	unsigned robots_tag; /* of X-Robots-Tag: see page/robots_tag.h */
	bool is_cut;       /* the body is incomplete: by WARC-Truncated, a wrong
			      length, the size limit, or the end of the file */
	struct slice body; /* without transfer and content coding; valid until
			      the next call */
	enum error error;  /* this record is not usable, but reading can
			      continue: ERR_MALFORMED, ERR_CORRUPT... */
	char reason[160];  /* English, if error is set */
};

/*
 * Write up to `capacity` bytes to `out`; 0 at the end. An error stops the
 * reader.
 */
typedef enum error warc_source(void *context, char *out, size_t capacity,
			       size_t *size_out);

struct warc_reader;

/* Bodies are truncated at `max_body_bytes`. */
struct warc_reader *warc_reader_create(warc_source *source, void *context,
				       size_t max_body_bytes);
void warc_reader_destroy(struct warc_reader *reader); /* NULL is a no-op */

/*
 * Return the next record, usable or not (record_out->error). Return false at
 * the end of the file, or if the rest cannot be read: *error_out states which
 * (ERR_NONE: the end) and record_out->reason why. A damaged record is reported
 * once; reading continues at the next record found.
 */
bool warc_next(struct warc_reader *reader, struct warc_record *record_out,
	       enum error *error_out);

/* Return the number of bytes read from the source. */
uint64_t warc_position(const struct warc_reader *reader);

#endif
