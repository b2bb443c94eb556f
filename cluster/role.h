/*
 * cluster/role.h - the shingles that cas has in addition to ccs: the attributes
 * that state the role of an element. Internal to cluster/.
 */
#ifndef CLUSTER_ROLE_H
#define CLUSTER_ROLE_H

struct page;
struct shingle_builder;

/*
 * Add a shingle for each pair of an element's name and one of its values of
 * role, itemprop, itemtype, rel, property, name or type, normalised like a
 * class; and the content of meta[property=og:type]. Ignore the name and type of
 * a link or parameter, which are its content, and values longer than
 * CLASS_MAX_BYTES. Linear.
 */
void role_shingles(struct shingle_builder *shingles, const struct page *page);

#endif
