#include "extract/auto/forest.h"

#define FOREST        auto_context_forest
#define MODEL         "auto-context.model"
#define FEATURE(name) AUTO_##name
#include "extract/auto/forest_table.h"
