/*
 * extract/auto/forest_models.c - the forests of `auto` as constants.
 * forest_table.h turns one model file into one forest.
 */
#include "extract/auto/forest.h"

#define FOREST        auto_page_forest
#define MODEL         "auto-page.model"
#define FEATURE(name) FEATURE_##name
#include "extract/auto/forest_table.h"

#define FOREST        auto_context_forest
#define MODEL         "auto-context.model"
#define FEATURE(name) AUTO_##name
#include "extract/auto/forest_table.h"

#define FOREST        auto_scope_body_forest
#define MODEL         "auto-scope-body.model"
#define FEATURE(name) AUTO_##name
#include "extract/auto/forest_table.h"

#define FOREST        auto_scope_page_forest
#define MODEL         "auto-scope-page.model"
#define FEATURE(name) AUTO_##name
#include "extract/auto/forest_table.h"

#define FOREST        auto_comments_forest
#define MODEL         "auto-comments.model"
#define FEATURE(name) AUTO_##name
#include "extract/auto/forest_table.h"

#define FOREST        auto_template_forest
#define MODEL         "auto-template.model"
#define FEATURE(name) TEMPLATE_##name
#include "extract/auto/forest_table.h"
