/* extract/auto/auto.h - the default method: trained trees. */
#ifndef EXTRACT_AUTO_AUTO_H
#define EXTRACT_AUTO_AUTO_H

#include "extract/core/extractor.h"

extern const struct extractor extractor_auto;

#endif
