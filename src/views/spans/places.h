// SPDX-License-Identifier: Apache-2.0
/* views/spans/places.h: for each span of a host thread the modules around it, and the innermost line of the user's code. */
#ifndef TFP_VIEWS_PLACES_H
#define TFP_VIEWS_PLACES_H

#include "model/nest.h"
#include "model/tables/types.h"

typedef struct tfp_span_places {
    tfp_report *r;
    const tfp_profile *p;
    const tfp_span_columns *s;
    tfp_nest nest;
    tfp_strtab names;
    uint32_t *line, *module; /* for each span: index in names; 0: none */
    uint32_t *frame;         /* for each span: the innermost Python frame around it, or itself; TFP_NONE: none */
    uint32_t
        *line_of_name; /* for each string that names a frame: index in names; 0: a library's; TFP_NONE: not looked at */
    uint32_t *line_of_trace; /* the same for each trace */
    tfp_buf text;
    bool failed;
} tfp_span_places;

/* The memory is the report's, except for the two that tfp_span_places_free frees. False: out of memory. */
bool tfp_span_places_of(tfp_report *r, tfp_span_places *out);
void tfp_span_places_free(tfp_span_places *t);
/* The line of a call stack, as an index in names; 0: none. */
uint32_t tfp_place_of_trace(tfp_span_places *t, uint32_t trace);
tfp_str tfp_place_name(const tfp_span_places *t, uint32_t name); /* without data: none */

#endif
