#include "extract/auto/auto_model.h"

#define FOREST        auto_template_forest
#define MODEL         "auto-template.model"
#define FEATURE(name) TEMPLATE_##name
#include "extract/auto/forest_table.h"
