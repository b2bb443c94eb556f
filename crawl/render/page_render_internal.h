/*
 * crawl/render/page_render_internal.h - the scripts that run in a rendered
 * page. Only for the files of crawl/render.
 */
#ifndef CRAWL_RENDER_PAGE_RENDER_INTERNAL_H
#define CRAWL_RENDER_PAGE_RENDER_INTERNAL_H

extern const char render_probe[]; /* probe.js */
extern const char render_seed[];  /* seed.js */

#endif
