#include "extract/auto/forest.h"

#define FOREST        auto_template_forest
#define MODEL         "auto-template.model"
#define FEATURE(name) TEMPLATE_##name
#include "extract/auto/forest_table.h"
