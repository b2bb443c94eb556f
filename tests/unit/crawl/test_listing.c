#include "crawl/sitemap.h"

#include "base/memory.h"
#include "tests/unit/run.h"

static void append(struct buffer *listing, const char *url, uint64_t lastmod_ms,
		   bool is_sitemap)
{
	ck_assert(sitemap_entries_append(listing,
					 &(struct sitemap_entry){
						 .url = slice_of(url),
						 .lastmod_ms = lastmod_ms,
						 .is_sitemap = is_sitemap,
					 }));
}

TEST(entries_come_as_they_were_appended)
{
	AUTO_BUFFER listing = {0};
	struct sitemap_entry entry;
	struct slice rest;

	append(&listing, "http://a.test/1", 7, false);
	append(&listing, "http://a.test/two", 0, true);
	rest = buffer_slice(&listing);
	ck_assert(sitemap_entries_are_valid(rest));
	ck_assert(sitemap_entries_next(&rest, &entry));
	ck_assert(slice_equal(entry.url, slice_of("http://a.test/1")));
	ck_assert(entry.lastmod_ms == 7 && !entry.is_sitemap);
	ck_assert(sitemap_entries_next(&rest, &entry));
	ck_assert(slice_equal(entry.url, slice_of("http://a.test/two")));
	ck_assert(entry.lastmod_ms == 0 && entry.is_sitemap);
	ck_assert(!sitemap_entries_next(&rest, &entry));
}

TEST(a_listing_cut_anywhere_is_not_whole_and_is_read_up_to_there)
{
	AUTO_BUFFER listing = {0};
	struct sitemap_entry entry;

	append(&listing, "http://a.test/1", 0, false);
	for (size_t size = 1; size < listing.size; size++) {
		struct slice part = {listing.data, size};

		ck_assert(!sitemap_entries_are_valid(part));
		ck_assert(!sitemap_entries_next(&part, &entry));
	}
	ck_assert(sitemap_entries_are_valid((struct slice){NULL, 0}));
}

TEST(what_no_sitemap_has_is_not_whole)
{
	AUTO_BUFFER listing = {0};

	append(&listing, "", 0, false); /* no URL */
	ck_assert(!sitemap_entries_are_valid(buffer_slice(&listing)));
	buffer_clear(&listing);
	append(&listing, "http://a.test/", ((uint64_t)1 << 48) + 1, false);
	ck_assert(!sitemap_entries_are_valid(buffer_slice(&listing)));
}

TEST(a_listing_has_the_entries_of_one_file)
{
	AUTO_BUFFER listing = {0};

	for (int i = 0; i < MAX_SITEMAP_ENTRIES; i++)
		append(&listing, "http://a.test/", 0, false);
	ck_assert(sitemap_entries_are_valid(buffer_slice(&listing)));
	append(&listing, "http://a.test/", 0, false);
	ck_assert(!sitemap_entries_are_valid(buffer_slice(&listing)));
}

TEST(a_listing_has_a_limit_of_bytes)
{
	AUTO_BUFFER listing = {0};
	AUTO_TEXT *text = mem_alloc(1, MAX_URL_BYTES + 2);
	struct sitemap_entry entry = {.url = {text, MAX_URL_BYTES}};

	memset(text, 'a', MAX_URL_BYTES + 1);
	while (sitemap_entries_append(&listing, &entry))
		;
	ck_assert_uint_le(listing.size, MAX_SITEMAP_ENTRIES_BYTES);
	ck_assert(sitemap_entries_are_valid(buffer_slice(&listing)));
	buffer_clear(&listing);
	entry.url.size++;
	ck_assert(!sitemap_entries_append(&listing, &entry));
}
