// SPDX-License-Identifier: Apache-2.0
/* model/tables/profile.h: the one in-memory profile, whatever the framework, as a list of its parts, for the code that
 * makes one: formats/, model/, store/. Code that only reads a profile includes model/tables/read.h and the headers of
 * the tables that it reads, each of which has a function that returns its table (tfp_graph_of in graph.h), so that a
 * change of this list does not rebuild it.
 * Tables are growable arrays of plain rows; rows that belong to one owner are chained by index (`next`), in the order
 * in which they came. Strings are ids of one string table. Nothing here knows a file format or a view. */
#ifndef TFP_TABLES_PROFILE_H
#define TFP_TABLES_PROFILE_H

#include "model/tables/about.h"
#include "model/tables/read.h"

struct tfp_profile {
    tfp_arena arena;
    tfp_strtab strings;
    tfp_profile_about about;
#define PART(name, type, function) struct type *name;
#include "schema/parts.def"
    tfp_checkpoint *checkpoint; /* NULL: none was added */
    void (*checkpoint_free)(tfp_checkpoint *c);
    tfp_program *program; /* program of the graphs; NULL: not kept, or no graph was added */
    unsigned reads;       /* bits TFP_READS_... */
    tfp_step_choice kept; /* with TFP_READS_ONE_STEP */
    bool finished;
    bool reopened; /* it was read from a .tfprof file (store/) and is complete; only a checkpoint may be added */
};

/* Makes empty tables in one block of memory; false: out of memory. tfp_profile_new calls it. */
bool tfp_profile_tables_new(tfp_profile *p);
void tfp_profile_tables_free(tfp_profile *p); /* frees the tables, not their contents */

/* Memory limit of a new profile, before the size of its first file is known. */
#define TFP_MEMORY_LEAST ((size_t)160 << 20)

#endif
