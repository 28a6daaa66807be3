// SPDX-License-Identifier: Apache-2.0
/* outputs/data/json_grid.h: shared by json.c and json_grid.c. */
#ifndef TFP_JSON_GRID_H
#define TFP_JSON_GRID_H

#include "base/io.h"
#include "model/tables/types.h"
#include "wire/json.h"

enum { TFP_JSON_VERSION = 1 }; /* of the schemas */

void tfp_json_notes(tfp_json *j, const tfp_report *r);    /* the keys "notes" and "note_codes", when there are any */
void tfp_json_coverage(tfp_json *j, const tfp_report *r); /* the key `coverage`, where the report has one */
void tfp_json_place(tfp_json *j, const tfp_report *r,
                    uint32_t row); /* the keys of a row of a tree: row, parent, depth */
void tfp_json_grid(const tfp_report *r, tfp_sink *s);
void tfp_json_grid_lines(const tfp_report *r, tfp_sink *s);

#endif
