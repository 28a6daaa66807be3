// SPDX-License-Identifier: Apache-2.0
/* model/tables/step_marks.h: what a trace's steps are made from: marks, and the windows that the join makes from
 * marks. */
#ifndef TFP_TABLES_STEP_MARKS_H
#define TFP_TABLES_STEP_MARKS_H

#include "model/tables/processes.h"

#include "schema/traces/step_marks.def"

#endif
