// SPDX-License-Identifier: Apache-2.0
/* views/spans/places.h: for each span of a host thread the modules around it, and the line of the user's code. */
#ifndef TFP_VIEWS_PLACES_H
#define TFP_VIEWS_PLACES_H

#include "model/nest.h"
#include "model/tables/types.h"

typedef struct tfp_scan_row tfp_scan_row; /* model/trace/scan.h */
typedef struct tfp_span_places {
    tfp_report *r;
    const tfp_profile *p;
    const tfp_span_columns *s;
    tfp_nest nest;
    tfp_strtab names;
    uint32_t *line, *module; /* for each span: index in names; 0: none */
    uint32_t *frame;         /* for each span: the innermost Python frame around it, or itself; TFP_NONE: none */
    struct tfp_own_lines *own;
    uint8_t *rank;         /* for each span: how good its line is (frames/whose.h), and whether it is inside of an op */
    uint8_t *bits_of_name; /* for each string that names a frame: bits TFP_FRAME_...; NOT_LOOKED_AT */
    uint32_t *line_of_name;  /* the same: index in names; TFP_NONE: not made */
    uint32_t *line_of_trace; /* for each trace: index in names; 0: none; TFP_NONE: not looked at */
    tfp_buf text;
    bool failed;
} tfp_span_places;

/* Whether a trace has lines, and modules, at all. */
void tfp_places_known(const tfp_profile *p, bool *lines, bool *modules);
/* The memory is the report's, except for the two that tfp_span_places_free frees. False: out of memory. */
bool tfp_span_places_of(tfp_report *r, tfp_span_places *out);
void tfp_span_places_free(tfp_span_places *t);
/* The line of a call stack, as an index in names; 0: none. */
uint32_t tfp_place_of_trace(tfp_span_places *t, uint32_t trace);
/* The place of an activity in the model; texts without data: not known. */
typedef struct tfp_activity_place {
    tfp_str module, op, line;
    uint8_t certainty, reason, line_from; /* tfp_certainty, tfp_no_place, tfp_line_from */
} tfp_activity_place;
tfp_activity_place tfp_place_of_activity(tfp_span_places *t, uint32_t span);
tfp_activity_place tfp_place_of_row(tfp_span_places *t,
                                    const tfp_scan_row *row); /* of stored sums only the own line is known */
/* The class of the innermost module of a path of modules, without its number: "Linear" of "Net_0/Linear_3". */
tfp_str tfp_module_class(tfp_str modules);
tfp_str tfp_place_name(const tfp_span_places *t, uint32_t name); /* without data: none */

#endif
