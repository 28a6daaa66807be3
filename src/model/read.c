// SPDX-License-Identifier: Apache-2.0
/* model/read.c: what readers of a profile ask (model/tables/read.h), and the functions that return its parts, each
 * declared in the header of its tables. */
#include "model/files/allocator.h"
#include "model/files/collectives.h"
#include "model/files/flights.h"
#include "model/files/weights.h"
#include "model/graphs.h"
#include "model/program.h"
#include "model/recorded.h"
#include "model/tables/code.h"
#include "model/tables/details.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/instructions.h"
#include "model/tables/lanes.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/samples.h"
#include "model/tables/sources.h"
#include "model/tensors.h"

const tfp_strtab *tfp_strings_of(const tfp_profile *p) { return &p->strings; }
tfp_str tfp_text(const tfp_profile *p, tfp_strid id) { return p->strings.strings[id]; }
bool tfp_has(const tfp_profile *p, tfp_content what) { return p->about.has >> what & 1; }
bool tfp_is_finished(const tfp_profile *p) { return p->finished; }
unsigned tfp_reads_of(const tfp_profile *p) { return p->reads; }
const tfp_profile_about *tfp_about_of(const tfp_profile *p) { return &p->about; }
tfp_step_choice tfp_kept_choice(const tfp_profile *p) { return p->kept; }
#define PART(name, type, function)                                                                                     \
    const type *function(const tfp_profile *p) { return p->name; }
#include "schema/parts.def"
const tfp_checkpoint *tfp_checkpoint_of(const tfp_profile *p) { return p->checkpoint; }
const tfp_program *tfp_program_of(const tfp_profile *p) { return p->program; }

bool tfp_keeps_sums(const tfp_profile *p)
{
    return (p->reads & (TFP_READS_SUMS | TFP_READS_RUNS | TFP_READS_PROGRAM)) == TFP_READS_SUMS ||
           p->reads & TFP_READS_TIMES;
}
