#include "extract/auto_model.h"

#define FOREST        auto_page_forest
#define MODEL         "auto-page.model"
#define FEATURE(name) FEATURE_##name
#include "extract/forest_table.h"
