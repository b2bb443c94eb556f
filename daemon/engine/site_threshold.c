#include "daemon/engine/site_threshold.h"

#include "store/rows_site.h"

enum {
	MIN_PAGES = 20
}; /* choose no threshold below this size while the site grows */

bool site_wants_threshold(const struct site_row *site)
{
	if ((site->options.flags & SITE_IS_AUTO) == 0 ||
	    site->threshold_generation == site->generation)
		return false;
	return site->pending_count == 0 ||
	       (site->page_count >= MIN_PAGES &&
		site->page_count / 2 >= site->threshold_pages);
}
