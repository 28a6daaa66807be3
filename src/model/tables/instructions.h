// SPDX-License-Identifier: Apache-2.0
/* model/tables/instructions.h: instructions of compiled programs, and calls that were recorded without times. */
#ifndef TFP_TABLES_INSTRUCTIONS_H
#define TFP_TABLES_INSTRUCTIONS_H

#include "model/tables/types.h"

#include "schema/instructions.def"

typedef struct tfp_instruction_list {
    TFP_VEC(tfp_instruction);
} tfp_instruction_list;
TFP_CONST const tfp_instruction_list *tfp_instruction_rows_of(const tfp_profile *p);

#endif
