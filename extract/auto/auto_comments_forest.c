#include "extract/auto/forest.h"

#define FOREST        auto_comments_forest
#define MODEL         "auto-comments.model"
#define FEATURE(name) AUTO_##name
#include "extract/auto/forest_table.h"
