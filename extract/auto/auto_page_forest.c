#include "extract/auto/forest.h"

#define FOREST        auto_page_forest
#define MODEL         "auto-page.model"
#define FEATURE(name) FEATURE_##name
#include "extract/auto/forest_table.h"
