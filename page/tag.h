/*
 * page/tag.h - numbers for the tags of HTML, and for tags of a page that HTML
 * does not define.
 */
#ifndef PAGE_TAG_H
#define PAGE_TAG_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/limit.h"

struct arena;

enum {
	/* a block-level element: its text is a separate block */
	TAG_IS_BLOCK = 1,
	TAG_IS_VOID = 2, /* has no content and no end tag */
	/* script, style: the content is neither markup nor text */
	TAG_IS_RAW = 4,
	TAG_IS_HEADING = 8, /* h1..h6 */
	TAG_IS_TEXT = 16,   /* title, textarea, ...: the content is only text */
};

/* name, flags; sorted by name */
/* clang-format off */
#define TAG_LIST(X) \
	X(a, 0) X(abbr, 0) X(acronym, 0) X(address, TAG_IS_BLOCK) \
	X(applet, 0) X(area, TAG_IS_VOID) X(article, TAG_IS_BLOCK) \
	X(aside, TAG_IS_BLOCK) X(audio, 0) X(b, 0) X(base, TAG_IS_VOID) \
	X(basefont, TAG_IS_VOID) X(bdi, 0) X(bdo, 0) X(bgsound, TAG_IS_VOID) \
	X(big, 0) X(blockquote, TAG_IS_BLOCK) X(body, TAG_IS_BLOCK) \
	X(br, TAG_IS_VOID) X(button, 0) X(canvas, 0) X(caption, TAG_IS_BLOCK) \
	X(center, TAG_IS_BLOCK) X(cite, 0) X(code, 0) X(col, TAG_IS_VOID) \
	X(colgroup, TAG_IS_BLOCK) X(data, 0) X(datalist, 0) \
	X(dd, TAG_IS_BLOCK) X(del, 0) X(desc, 0) X(details, TAG_IS_BLOCK) \
	X(dfn, 0) X(dialog, TAG_IS_BLOCK) X(dir, TAG_IS_BLOCK) \
	X(div, TAG_IS_BLOCK) X(dl, TAG_IS_BLOCK) X(dt, TAG_IS_BLOCK) X(em, 0) \
	X(embed, TAG_IS_VOID) X(fieldset, TAG_IS_BLOCK) \
	X(figcaption, TAG_IS_BLOCK) X(figure, TAG_IS_BLOCK) X(font, 0) \
	X(footer, TAG_IS_BLOCK) X(foreignobject, 0) X(form, TAG_IS_BLOCK) \
	X(frame, TAG_IS_VOID) X(frameset, TAG_IS_BLOCK) \
	X(h1, TAG_IS_BLOCK | TAG_IS_HEADING) \
	X(h2, TAG_IS_BLOCK | TAG_IS_HEADING) \
	X(h3, TAG_IS_BLOCK | TAG_IS_HEADING) \
	X(h4, TAG_IS_BLOCK | TAG_IS_HEADING) \
	X(h5, TAG_IS_BLOCK | TAG_IS_HEADING) \
	X(h6, TAG_IS_BLOCK | TAG_IS_HEADING) X(head, TAG_IS_BLOCK) \
	X(header, TAG_IS_BLOCK) X(hgroup, TAG_IS_BLOCK) \
	X(hr, TAG_IS_BLOCK | TAG_IS_VOID) X(html, TAG_IS_BLOCK) X(i, 0) \
	X(iframe, TAG_IS_TEXT) X(image, 0) X(img, TAG_IS_VOID) \
	X(input, TAG_IS_VOID) X(ins, 0) X(kbd, 0) X(keygen, TAG_IS_VOID) \
	X(label, 0) X(legend, TAG_IS_BLOCK) X(li, TAG_IS_BLOCK) \
	X(link, TAG_IS_VOID) X(listing, TAG_IS_BLOCK) X(main, TAG_IS_BLOCK) \
	X(malignmark, 0) X(map, 0) X(mark, 0) X(marquee, 0) X(math, 0) \
	X(menu, TAG_IS_BLOCK) X(meta, TAG_IS_VOID) X(meter, 0) X(mglyph, 0) \
	X(mi, 0) X(mn, 0) X(mo, 0) X(ms, 0) X(mtext, 0) X(nav, TAG_IS_BLOCK) \
	X(nobr, 0) X(noembed, TAG_IS_TEXT) \
	X(noframes, TAG_IS_BLOCK | TAG_IS_TEXT) X(noscript, TAG_IS_BLOCK) \
	X(object, 0) X(ol, TAG_IS_BLOCK) X(optgroup, TAG_IS_BLOCK) \
	X(option, TAG_IS_BLOCK) X(output, 0) X(p, TAG_IS_BLOCK) \
	X(param, TAG_IS_VOID) X(picture, 0) \
	X(plaintext, TAG_IS_BLOCK | TAG_IS_TEXT) X(pre, TAG_IS_BLOCK) \
	X(progress, 0) X(q, 0) X(rb, 0) X(rp, 0) X(rt, 0) X(rtc, 0) \
	X(ruby, 0) X(s, 0) X(samp, 0) X(script, TAG_IS_RAW) \
	X(search, TAG_IS_BLOCK) X(section, TAG_IS_BLOCK) X(select, 0) \
	X(slot, 0) X(small, 0) X(source, TAG_IS_VOID) X(span, 0) X(strike, 0) \
	X(strong, 0) X(style, TAG_IS_RAW) X(sub, 0) X(summary, TAG_IS_BLOCK) \
	X(sup, 0) X(svg, 0) X(table, TAG_IS_BLOCK) X(tbody, TAG_IS_BLOCK) \
	X(td, TAG_IS_BLOCK) X(template, 0) X(textarea, TAG_IS_TEXT) \
	X(tfoot, TAG_IS_BLOCK) X(th, TAG_IS_BLOCK) X(thead, TAG_IS_BLOCK) \
	X(time, 0) X(title, TAG_IS_BLOCK | TAG_IS_TEXT) X(tr, TAG_IS_BLOCK) \
	X(track, TAG_IS_VOID) X(tt, 0) X(u, 0) X(ul, TAG_IS_BLOCK) X(var, 0) \
	X(video, 0) X(wbr, TAG_IS_VOID) X(xmp, TAG_IS_BLOCK | TAG_IS_TEXT)
/* clang-format on */

enum tag {
#define X(name, flags) TAG_##name,
	TAG_LIST(X)
#undef X
		TAG_COUNT /* larger numbers are tags that HTML does not define;
			     see page_tag_name() */
};

/*
 * Return the number of the tag with this name, which is in lower case;
 * TAG_COUNT if HTML has no such tag.
 */
uint16_t tag_from_name(struct slice name);

/*
 * Return the number of the tag with this name, as written in the source, in
 * upper or lower case; TAG_COUNT if HTML has no such tag.
 */
uint16_t tag_from_source(const char *name, size_t size);

/*
 * Return the name of `tag`, which must be below TAG_COUNT. A NUL follows the
 * name.
 */
struct slice tag_name(uint16_t tag);

/* Return the TAG_IS_* flags of a tag; 0 if it is not below TAG_COUNT. */
extern const uint8_t tag_flag_sets[TAG_COUNT];
static inline unsigned tag_flags(uint16_t tag)
{
	return tag < TAG_COUNT ? tag_flag_sets[tag] : 0;
}

/*
 * Return hash64() of the name of `tag` with seed 0; `tag` must be below
 * TAG_COUNT.
 */
uint64_t tag_hash(uint16_t tag);

enum {
	MAX_UNKNOWN_TAGS = LIMIT(1000, 30),
	/* a power of two that is larger than MAX_UNKNOWN_TAGS */
	TAG_NUMBER_SLOTS = 2048,
};

struct tag_numbers {
	struct arena *arena;
	struct slice *names; /* [count], in the arena; the first is the name of
				tag TAG_COUNT */
	uint32_t count;
	uint16_t slots[TAG_NUMBER_SLOTS]; /* hash table: index of a name + 1; 0
					     = free */
};

/*
 * Return the number of an unknown tag name as written in the source, in any
 * case. Only its first 64 bytes count. If a page has too many unknown names,
 * all further ones have the same number and the name "x-other".
 */
uint16_t tag_number_of_unknown(struct tag_numbers *numbers, struct slice name);

#endif
