/* outputs/fields.h: the numbers of a row under the names and field numbers that TensorFlow's protos give them.
 * One row a value: JSON keys, CSV headers and proto fields all come from here. */
#ifndef TFP_FIELDS_H
#define TFP_FIELDS_H

#include "views/report.h"

typedef struct tfp_row_field {
    tfp_value value;
    const char *own, *total;         /* names in GraphNodeProto; NULL where there is no such field */
    uint32_t graph_own, graph_total; /* numbers in GraphNodeProto, 0 without */
    uint32_t group_own, group_total; /* numbers in MultiGraphNodeProto, 0 without */
} tfp_row_field;

enum { TFP_ROW_FIELD_COUNT = TFP_V_BYTES_MOVED + 1 };
extern const tfp_row_field tfp_row_fields[TFP_ROW_FIELD_COUNT];

static inline const tfp_row_field *tfp_row_field_of(int value)
{
    for (int i = 0; i < TFP_ROW_FIELD_COUNT; i++)
        if ((int)tfp_row_fields[i].value == value) return &tfp_row_fields[i];
    return NULL;
}

/* "us", "bytes", "count" or "label". */
const char *tfp_unit_name(tfp_unit unit);

#endif
