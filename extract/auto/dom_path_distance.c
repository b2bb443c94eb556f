#include "extract/auto/dom_path_distance.h"

#include <stddef.h>
#include <string.h>

#include "page/page.h"

/* Distance + 1, or 0. */
static const uint8_t of_tag[TAG_COUNT] = {
#define ROW(tag, distance) [TAG_##tag] = (DISTANCE_##distance + 1)
	ROW(article, ARTICLE),
	ROW(main, MAIN),
	ROW(nav, NAV),
	ROW(header, HEADER),
	ROW(footer, FOOTER),
	ROW(aside, ASIDE),
	ROW(section, SECTION),
	ROW(form, FORM),
	ROW(ul, UL),
	ROW(ol, OL),
	ROW(table, TABLE),
	ROW(a, A),
	ROW(button, BUTTON),
	ROW(figure, FIGURE),
	ROW(details, DETAILS),
	ROW(dialog, DIALOG),
	ROW(dl, DL),
	ROW(pre, PRE),
	ROW(blockquote, BLOCKQUOTE),
	ROW(label, LABEL),
	ROW(li, LI),
	ROW(td, CELL),
	ROW(th, CELL),
	ROW(h1, HEADING),
	ROW(h2, HEADING),
	ROW(h3, HEADING),
	ROW(h4, HEADING),
	ROW(h5, HEADING),
	ROW(h6, HEADING),
#undef ROW
};

/* WAI-ARIA 1.2, section 5.4: roles that are equivalent to an HTML element. */
static const struct {
	const char *role;
	enum distance distance;
} roles[] = {
	{"alertdialog", DISTANCE_DIALOG},
	{"article", DISTANCE_ARTICLE},
	{"banner", DISTANCE_HEADER},
	{"button", DISTANCE_BUTTON},
	{"complementary", DISTANCE_ASIDE},
	{"contentinfo", DISTANCE_FOOTER},
	{"dialog", DISTANCE_DIALOG},
	{"main", DISTANCE_MAIN},
	{"menu", DISTANCE_NAV},
	{"menubar", DISTANCE_NAV},
	{"navigation", DISTANCE_NAV},
	{"search", DISTANCE_FORM},
	{"tablist", DISTANCE_NAV},
};

static void match_tag(uint16_t tag, uint8_t *distances)
{
	if (tag < TAG_COUNT && of_tag[tag] != 0)
		distances[of_tag[tag] - 1] = 0;
}

static void match_role(struct slice role, uint8_t *distances)
{
	if (role.size == 0)
		return;
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (slice_equal(role, slice_of(roles[i].role)))
			distances[roles[i].distance] = 0;
}

static void match_groups(uint32_t groups, uint8_t *distances)
{
	for (unsigned i = 0; groups >> i != 0; i++)
		if ((groups >> i & 1) != 0)
			distances[DISTANCE_GROUPS + i] = 0;
}

void distances_begin(uint8_t *distances)
{
	memset(distances, DISTANCE_NONE, DISTANCE_BYTES);
}

void distances_enter(const struct page *page, uint32_t node, uint32_t groups,
		     const uint8_t *parent, uint8_t *distances)
{
	for (size_t i = 0; i < DISTANCE_BYTES; i++)
		distances[i] =
			(uint8_t)(parent[i] + (parent[i] < DISTANCE_NONE));
	match_tag(page->nodes[node].tag, distances);
	match_role(page_attribute(page, node, "role"), distances);
	match_groups(groups, distances);
}

unsigned distances_groups(const uint8_t *distances)
{
	unsigned count = 0;

	for (size_t i = DISTANCE_GROUPS; i < DISTANCE_COUNT; i++)
		count += distances[i] < DISTANCE_NONE;
	return count;
}
