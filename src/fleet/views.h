// SPDX-License-Identifier: Apache-2.0
/* fleet/views.h: shared by the files that make rows from views. */
#ifndef TFP_FLEET_VIEWS_H
#define TFP_FLEET_VIEWS_H

#include "fleet/rows.h"
#include "views/core/view.h"

/* Each function adds the rows of one or two tables, from a trace's tables (trace_rows.c) or its trees (tree_rows.c). */
tfp_status tfp_fleet_add_steps(tfp_fleet_rows *r, const tfp_profile *p, const tfp_fleet_run *run, tfp_error *err);
tfp_status tfp_fleet_add_kernels(tfp_fleet_rows *r, const tfp_profile *p, const tfp_fleet_run *run, tfp_error *err);
tfp_status tfp_fleet_add_transfers(tfp_fleet_rows *r, const tfp_profile *p, const tfp_fleet_run *run, tfp_error *err);
tfp_status tfp_fleet_add_memory(tfp_fleet_rows *r, const tfp_profile *p, const tfp_fleet_run *run, tfp_error *err);
tfp_status tfp_fleet_add_findings(tfp_fleet_rows *r, const tfp_profile *p, const tfp_fleet_run *run, tfp_error *err);
tfp_status tfp_fleet_add_ops(tfp_fleet_rows *r, const tfp_profile *p, const tfp_fleet_run *run, tfp_error *err);
tfp_status tfp_fleet_add_modules(tfp_fleet_rows *r, const tfp_profile *p, const tfp_fleet_run *run, tfp_error *err);
tfp_status tfp_fleet_add_lines(tfp_fleet_rows *r, const tfp_profile *p, const tfp_fleet_run *run, tfp_error *err);

/* Builds a report of a view with these options (pairs ended by NULL); NULL with TFP_OK: the profile has no data for
 * it. */
tfp_status tfp_fleet_report(const tfp_profile *p, const tfp_view *view, const char *const *set, tfp_report **out,
                            tfp_error *err);

/* A cell of a report's table, by the column's name. If it is absent, or there is no such column: data NULL, or NAN. */
tfp_str tfp_fleet_text_at(const tfp_report *r, const char *name, size_t row);
double tfp_fleet_real_at(const tfp_report *r, const char *name, size_t row);

#endif
