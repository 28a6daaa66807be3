// SPDX-License-Identifier: Apache-2.0
/* fleet/views.h: shared by the files that make rows from views. */
#ifndef TFP_FLEET_VIEWS_H
#define TFP_FLEET_VIEWS_H

#include "fleet/rows.h"
#include "views/core/view.h"

/* A view of the trace, and what makes rows of its report. */
typedef struct tfp_fleet_source {
    unsigned tables; /* bits TFP_FLEET_BIT of the tables that get rows */
    const tfp_view *view;
    const char *const *set;            /* options of the view: pairs, ended by NULL; NULL: the defaults */
    bool (*has)(const tfp_profile *p); /* whether to build the view; NULL: always. A view without data adds nothing */
    bool (*put)(tfp_fleet_rows *rows, const tfp_report *r, const tfp_fleet_run *run); /* false: out of memory */
} tfp_fleet_source;
extern const tfp_fleet_source tfp_fleet_of_tables[], tfp_fleet_of_trees[]; /* each ends with a row without a view */

/* A cell of a report's table, by the column's name. If it is absent, or there is no such column: data NULL, or NAN. */
tfp_str tfp_fleet_text_at(const tfp_report *r, const char *name, size_t row);
double tfp_fleet_real_at(const tfp_report *r, const char *name, size_t row);

#endif
