#include "extract/auto/forest.h"

#define FOREST        auto_scope_body_forest
#define MODEL         "auto-scope-body.model"
#define FEATURE(name) AUTO_##name
#include "extract/auto/forest_table.h"
