// SPDX-License-Identifier: Apache-2.0
/* views/tree/scope.c: nodes by the parts of their names between slashes, like files in folders. */
#include "options/options.h"
#include "views/core/engine.h"
#include "views/core/handle.h"
#include "views/core/view.h"

static tfp_status build_scope(tfp_report *r, tfp_error *err)
{
    if (tfp_options_of(r)->compat10) return tfp_compat10_scope(r, err);
    tfp_arena arena = { 0 };
    tfp_tree t;
    tfp_status s = tfp_scope_tree(&t, r, &arena, err);
    if (!s) s = tfp_tree_show(&t, r, TFP_TREE_SCOPE, err);
    tfp_arena_free(&arena);
    return s;
}

const tfp_view tfp_view_scope = { "scope",
                                  "Nodes by name scope: where in the model the cost is.",
                                  TFP_REPORT_TREE,
                                  "Nodes are grouped by the parts of their names, as files are by folders.",
                                  "scope",
                                  build_scope,
                                  TFP_NEEDS_NODES,
                                  .rows_are = TFP_ROWS_OF_SCOPES,
                                  .row_traits = TFP_ADDS_COVERAGE | TFP_ADDS_ATTRIBUTION | TFP_NESTS,
                                  .reads = TFP_READS_SUMS,
                                  .compared = TFP_COMPARED_ROWS,
                                  .parent_type = "_kTFScopeParent" };
