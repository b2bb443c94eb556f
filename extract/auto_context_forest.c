#include "extract/auto_model.h"

#define FOREST        auto_context_forest
#define MODEL         "auto-context.model"
#define FEATURE(name) AUTO_##name
#include "extract/forest_table.h"
