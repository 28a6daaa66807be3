// SPDX-License-Identifier: Apache-2.0
/* model/read.c: what readers of a profile ask (model/tables/read.h), and the functions that return its tables, each
 * declared in the header of its table. */
#include "model/files/allocator.h"
#include "model/files/collectives.h"
#include "model/files/flights.h"
#include "model/files/weights.h"
#include "model/graphs.h"
#include "model/program.h"
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
unsigned tfp_keep_of(const tfp_profile *p) { return p->keep; }
const tfp_profile_about *tfp_about_of(const tfp_profile *p) { return &p->about; }
tfp_step_choice tfp_kept_choice(const tfp_profile *p) { return p->kept; }
const tfp_node_tables *tfp_graph_of(const tfp_profile *p) { return p->graph; }
const tfp_run_tables *tfp_executions_of(const tfp_profile *p) { return p->runs; }
const tfp_detail_tables *tfp_details_of(const tfp_profile *p) { return p->detail; }
const tfp_lane_list *tfp_lanes_of(const tfp_profile *p) { return p->lanes; }
const tfp_code_tables *tfp_code_of(const tfp_profile *p) { return p->code; }
const tfp_event_tables *tfp_events_of(const tfp_profile *p) { return p->events; }
const tfp_graph_tables *tfp_captures_of(const tfp_profile *p) { return p->captures; }
const tfp_sample_tables *tfp_samples_of(const tfp_profile *p) { return p->sampled; }
const tfp_source_tables *tfp_sources_of(const tfp_profile *p) { return p->files; }
const tfp_allocator_tables *tfp_allocator_of(const tfp_profile *p) { return p->allocator; }
const tfp_flight_tables *tfp_flights_of(const tfp_profile *p) { return p->flights; }
const tfp_weight_list *tfp_weights_of(const tfp_profile *p) { return p->weights; }
const tfp_timed_list *tfp_timed_of(const tfp_profile *p) { return p->timed; }
const tfp_instruction_list *tfp_instruction_rows_of(const tfp_profile *p) { return p->instructions; }
const tfp_checkpoint *tfp_checkpoint_of(const tfp_profile *p) { return p->checkpoint; }
const tfp_program *tfp_program_of(const tfp_profile *p) { return p->program; }

bool tfp_keeps_sums(const tfp_profile *p)
{
    return (p->keep & (TFP_KEEP_SUMS | TFP_KEEP_MEMORY | TFP_KEEP_PROGRAM)) == TFP_KEEP_SUMS || p->keep & TFP_KEEP_ROWS;
}
