// SPDX-License-Identifier: Apache-2.0
/* whatif/pipeline_read.c: reads the operations of a pipeline's timeline, and the time of each in every step and on
 * every rank. */
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"
#include "model/tables/read.h"
#include "model/tables/stats.h"
#include "options/options.h"
#include "views/core/handle.h"
#include "whatif/pipeline.h"

#include <math.h>

#define THREADS 5 /* threads of a process: one for compute, four for communication and everything else */
#define SPARSE 64 /* limit of slots per operation; with more, the steps have too little in common */

const char *const tfp_stage_type_names[] = { "forward-compute",
                                             "backward-compute",
                                             "forward-send",
                                             "forward-recv",
                                             "backward-send",
                                             "backward-recv",
                                             "params-all-gather",
                                             "grads-reduce-scatter",
                                             "gc",
                                             "layernorm-grads-all-reduce",
                                             "embedding-grads-all-reduce",
                                             "separate-grads-all-reduce",
                                             "optimizer-clip-main-grad",
                                             "optimizer",
                                             NULL };

bool tfp_is_pipeline(const tfp_profile *p)
{
    tfp_strid name = tfp_strtab_find(tfp_strings_of(p), TFP_STR("forward-compute"));
    tfp_strid sequence = tfp_stat_key(p, "seq_id"), batch = tfp_stat_key(p, "mb_id"), step = tfp_stat_key(p, "step");
    if (name == TFP_NONE || sequence == TFP_NONE || batch == TFP_NONE || step == TFP_NONE) return false;
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    for (uint32_t i = 0; i < s->size; i++)
        if (s->name[i] == name && s->kind[i] == TFP_SPAN_OTHER)
            return tfp_span_stat(p, i, sequence) && tfp_span_stat(p, i, step);
    return false;
}

static bool number_of(const tfp_profile *p, uint32_t span, tfp_strid key, int64_t *out)
{
    const tfp_stat *stat = tfp_span_stat(p, span, key);
    if (!stat || stat->type != TFP_STAT_INT) return false;
    *out = stat->value.number;
    return true;
}

/* "PP rank 3, TP rank 0, compute" */
static bool stage_of(const tfp_profile *p, uint32_t lane, uint32_t *stage)
{
    tfp_str label = tfp_text(p, tfp_lanes_of(p)->at[lane].label), word = TFP_STR("PP rank ");
    if (!tfp_str_begins(label, word)) return false;
    size_t i = word.size;
    for (*stage = 0; i < label.size && label.data[i] >= '0' && label.data[i] <= '9' && *stage < 100000; i++)
        *stage = *stage * 10 + (uint32_t)(label.data[i] - '0');
    return i > word.size && *stage < 100000;
}

/* Computes the number of a process in its job from its thread's number, because the reader keeps no process numbers:
 * each process has five threads with consecutive numbers. */
static bool process_of(const tfp_profile *p, uint32_t lane, int64_t *process)
{
    tfp_str name = tfp_text(p, tfp_lanes_of(p)->at[lane].name), word = TFP_STR("thread:");
    size_t at = tfp_str_find(name, word);
    if (at == SIZE_MAX) return false;
    at += word.size;
    int64_t thread;
    if (!tfp_parse_int64((tfp_str){ name.data + at, name.size - at }, &thread) || thread < 0 || thread > INT32_MAX)
        return false;
    *process = thread / THREADS;
    return true;
}

typedef struct keys {
    tfp_strid step, sequence, chunk;
} keys;

/* Reads one operation. Its step and rank are not indexes yet, but numbers: the step's, and the stage's and process's,
 * which are stored in `numbers`. */
static bool read_op(const tfp_profile *p, uint32_t span, const keys *k, tfp_stage_op *op, int64_t numbers[2])
{
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    int64_t process;
    size_t type;
    if (!process_of(p, s->lane[span], &process) || !tfp_word_find(tfp_span_name(p, span), tfp_stage_type_names, &type))
        return false;
    *op = (tfp_stage_op){
        .start_ns = s->start_ns[span], .end_ns = tfp_span_end(s, span), .type = (uint8_t)type, .chunk = -1
    };
    number_of(p, span, k->chunk, &op->chunk);
    if (!number_of(p, span, k->step, &numbers[0]) || !number_of(p, span, k->sequence, &op->sequence) ||
        !stage_of(p, s->lane[span], &op->stage))
        return false;
    numbers[1] = (int64_t)op->stage << 32 | process;
    return true;
}

static uint32_t place_of(const int64_t *list, size_t count, int64_t number)
{
    const int64_t *at = bsearch(&number, list, count, sizeof *list, tfp_by_int);
    return at ? (uint32_t)(at - list) : TFP_NONE;
}

/* Sorts a list and removes duplicates. */
static void settle(int64_t *list, size_t *count)
{
    size_t kept = 0;
    if (*count) qsort(list, *count, sizeof *list, tfp_by_int);
    for (size_t i = 0; i < *count; i++)
        if (!kept || list[kept - 1] != list[i]) list[kept++] = list[i];
    *count = kept;
}

/* Numbers the data-parallel ranks: those of a stage are its processes in order of their numbers. */
static bool number_ranks(tfp_pipeline *p, const int64_t *processes, size_t count, const int64_t (*numbers)[2])
{
    uint32_t *rank = malloc((count + 1) * sizeof *rank), most = 0;
    if (!rank) return false;
    for (size_t i = 0; i < count; i++) {
        rank[i] = i && processes[i] >> 32 == processes[i - 1] >> 32 ? rank[i - 1] + 1 : 0;
        if (rank[i] > most) most = rank[i];
    }
    bool ok = true;
    for (uint32_t i = 0; ok && count && i <= most; i++) ok = tfp_push(&p->ranks, i);
    for (size_t i = 0; ok && i < p->op_count; i++) {
        p->ops[i].step = place_of(p->steps.at, p->steps.size, numbers[i][0]);
        p->ops[i].rank = rank[place_of(processes, count, numbers[i][1])];
    }
    free(rank);
    return ok;
}

static bool read_ops(tfp_pipeline *p)
{
    const tfp_profile *profile = tfp_profile_of(p->r);
    size_t spans = tfp_events_of(profile)->spans.size;
    keys k = { tfp_stat_key(profile, "step"), tfp_stat_key(profile, "seq_id"), tfp_stat_key(profile, "model_chunk") };
    int64_t(*numbers)[2] = malloc((spans + 1) * sizeof *numbers);
    TFP_VEC(int64_t) processes = { 0 };
    p->ops = malloc((spans + 1) * sizeof *p->ops);
    bool ok = numbers && p->ops;
    for (uint32_t i = 0; ok && i < spans; i++) {
        if (!read_op(profile, i, &k, &p->ops[p->op_count], numbers[p->op_count])) {
            p->others++;
            continue;
        }
        ok = tfp_push(&p->steps, numbers[p->op_count][0]) && tfp_push(&processes, numbers[p->op_count][1]);
        if (p->ops[p->op_count].stage >= p->stage_count) p->stage_count = p->ops[p->op_count].stage + 1;
        p->op_count++;
    }
    settle(p->steps.at, &p->steps.size);
    settle(processes.at, &processes.size);
    ok = ok && number_ranks(p, processes.at, processes.size, (const int64_t(*)[2])numbers);
    free(numbers);
    tfp_vec_free(&processes);
    return ok;
}

static uint64_t key_of(uint8_t type, uint32_t stage, int64_t sequence)
{
    int64_t key[3] = { type, stage, sequence };
    return tfp_hash(key, sizeof key);
}

/* Makes the nodes from the operations of the first step on the first rank. */
static bool find_nodes(tfp_pipeline *p, tfp_map64 *by_key)
{
    bool ok = true;
    for (size_t i = 0; ok && i < p->op_count; i++) {
        const tfp_stage_op *o = &p->ops[i];
        uint64_t key = key_of(o->type, o->stage, o->sequence);
        if (o->step || o->rank || tfp_map64_get(by_key, key) != TFP_NONE) continue;
        tfp_pipe_node node = { o->chunk, o->start_ns, o->end_ns, o->stage, TFP_NONE, o->type };
        ok = tfp_map64_put(by_key, key, (uint32_t)p->nodes.size) && tfp_push(&p->nodes, node);
    }
    return ok;
}

static void note_times(tfp_pipeline *p, const tfp_stage_op *o)
{
    if (o->start_ns < p->first_ns[o->step]) p->first_ns[o->step] = o->start_ns;
    if (o->type == TFP_OPTIMIZER && o->end_ns > p->last_ns[o->step]) p->last_ns[o->step] = o->end_ns;
}

static bool fill_table(tfp_pipeline *p, const tfp_map64 *by_key)
{
    size_t nodes = p->nodes.size, steps = p->steps.size, all = steps * p->ranks.size * nodes;
    p->taken = malloc((all + 1) * sizeof *p->taken);
    p->first_ns = malloc((steps + 1) * sizeof *p->first_ns);
    p->last_ns = malloc((steps + 1) * sizeof *p->last_ns);
    if (!p->taken || !p->first_ns || !p->last_ns) return false;
    for (size_t i = 0; i < all; i++) p->taken[i] = NAN;
    for (size_t i = 0; i < steps; i++) {
        p->first_ns[i] = INT64_MAX;
        p->last_ns[i] = INT64_MIN;
    }
    for (size_t i = 0; i < p->op_count; i++) {
        const tfp_stage_op *o = &p->ops[i];
        uint32_t node = tfp_map64_get(by_key, key_of(o->type, o->stage, o->sequence));
        note_times(p, o);
        if (node == TFP_NONE)
            p->others++;
        else
            p->taken[(o->step * p->ranks.size + o->rank) * nodes + node] = (double)(o->end_ns - o->start_ns) / 1000;
    }
    return true;
}

/* The ideal time of an operation: the mean over its type; for communication the median. */
static bool find_ideal(tfp_pipeline *p)
{
    double *values = malloc((p->op_count + 1) * sizeof *values);
    for (uint8_t type = 0; values && type < TFP_STAGE_TYPES; type++) {
        bool mean =
            type == TFP_FORWARD_COMPUTE || type == TFP_BACKWARD_COMPUTE || type == TFP_GC || type == TFP_OPTIMIZER;
        size_t count = 0;
        double sum = 0;
        for (size_t i = 0; i < p->op_count; i++) {
            if (p->ops[i].type != type) continue;
            values[count] = (double)(p->ops[i].end_ns - p->ops[i].start_ns) / 1000;
            sum += values[count++];
        }
        if (!mean && count) qsort(values, count, sizeof *values, tfp_by_real);
        p->ideal[type] = !count ? 0 : mean ? sum / (double)count : (values[(count - 1) / 2] + values[count / 2]) / 2;
    }
    free(values);
    return values != NULL;
}

tfp_status tfp_pipeline_read(tfp_pipeline *p, tfp_error *err)
{
    tfp_map64 by_key = { 0 };
    tfp_status s = read_ops(p) && find_nodes(p, &by_key) ? TFP_OK : tfp_nomem(err);
    double places = (double)p->steps.size * (double)p->ranks.size * (double)p->nodes.size;
    if (!s && places > SPARSE * (double)p->op_count)
        s = tfp_fail(err, TFP_BADFILE, "a timeline of a pipeline whose steps have few operations in common");
    if (!s && (!fill_table(p, &by_key) || !find_ideal(p))) s = tfp_nomem(err);
    tfp_map64_free(&by_key);
    return s;
}

void tfp_pipeline_free(tfp_pipeline *p)
{
    free(p->ops);
    free(p->taken);
    free(p->first_ns);
    free(p->last_ns);
    tfp_vec_free(&p->steps);
    tfp_vec_free(&p->ranks);
    tfp_vec_free(&p->nodes);
    tfp_vec_free(&p->edges);
    tfp_vec_free(&p->groups);
}
