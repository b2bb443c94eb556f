#include "extract/auto/forest.h"

#define FOREST        auto_scope_page_forest
#define MODEL         "auto-scope-page.model"
#define FEATURE(name) AUTO_##name
#include "extract/auto/forest_table.h"
