// SPDX-License-Identifier: Apache-2.0
/* sql/columns.h: the lists of columns that queries see, for an includer that defines the words of schema/words.h. No
 * include guard: cells.h makes declarations of them, tables.c the tables. */
#include "schema/code.def"
#include "schema/details.def"
#include "schema/graph.def"
#include "schema/runs.def"
#include "schema/traces/devices.def"
#include "schema/traces/lanes.def"
#include "schema/traces/processes.def"

#include "sql/computed.def"
