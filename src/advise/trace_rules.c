// SPDX-License-Identifier: Apache-2.0
/* advise/trace_rules.c: what slows down the steps of a trace, one row per rule: its limit, the function that judges it
 * (trace_host.c, trace_device.c), the remedy, and the command that shows the evidence. */
#include "advise/device_limits.h"
#include "advise/rules.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "model/tables/sources.h"
#include "options/options.h"
#include "views/core/handle.h"
#include "views/core/texts.h"
#include "views/timeline/range.h"
#include "whatif/gains.h"

#include <math.h>

typedef struct rule {
    tfp_checker checker;
    tfp_judge judge;
    double limit;                         /* the least value for a finding; -rule_limits sets another */
    const char *of;                       /* name of the quantity that is compared with the limit */
    const char *remedy, *command;         /* the remedy, and the command that shows the evidence */
    const char *torch, *tensorflow, *jax; /* how to do it in each framework; NULL: no advice */
    const char *change; /* the change of `tfprof whatif` that does at most what the remedy does; NULL: there is none */
    bool any_steps;     /* it does not depend on how much of the work is inside steps */
} rule;

/* ---- the table ---- */

/* clang-format off */
#define RULE(name, kind, help, judge, limit, of, remedy, command, ...) \
    { { name, help, NULL, NULL, TFP_ABOUT_##kind }, tfp_ruling_##judge, limit, of, remedy, command, __VA_ARGS__ }
#define STEP "of the step"
static const rule rules[] = {
    RULE("InputBound", HOST, "Steps of a trace that wait for input.", input_bound, 0.1, STEP,
         "load and prepare input in parallel to the step: more workers, prefetching, cheaper decoding", "wait",
         "num_workers, prefetch_factor, persistent_workers", "prefetch, map with num_parallel_calls, cache", NULL, "input 0"),
    RULE("HostBound", HOST, "Devices that wait for launches.", host_bound, 0.2, STEP,
         "launch less and bigger: compile, bigger batches", "steps -critical_path",
         "torch.compile, CUDA graphs", "tf.function, jit_compile=True", "jit around the whole step, lax.scan", "launch graph"),
    RULE("LaunchBound", HOST, "Devices that wait for launches of kernels that are as short as kernels can be.", launch_bound, 0.1, STEP,
         "launch a step as one graph (CUDA graphs)", "limits", "torch.compile(mode=\"reduce-overhead\")", NULL, NULL, "launch graph"),
    RULE("HostStalls", HOST, "Devices (or operations, if there is no device) that wait over a millisecond for other work of the host.", host_stalls, 0.1, STEP,
         "move that out of the steps, or into another thread", "steps -critical_path", NULL, NULL, NULL),
    RULE("PythonTime", HOST, "Devices that wait for Python.", python_time, 0.3, STEP,
         "move work out of the loop, batch it, or compile it", "code", "torch.compile", "tf.function", "jit"),
    RULE("ValueReads", HOST, "Values read from a device within steps.", value_reads, 0.05, STEP,
         "keep values on the device (item(), float(), print and asserts wait for it); read them every N steps", "wait",
         NULL, NULL, NULL),
    RULE("Synchronization", HOST, "Calls that wait for the device within steps.", synchronization, 0.1, STEP,
         "leave out explicit synchronisation; use asynchronous copies from pinned memory", "wait",
         "non_blocking=True", NULL, "block_until_ready", "no-sync"),
    RULE("BlockedHost", HOST, "Devices that do nothing while a copy or a synchronisation blocks the host.", blocked_host, 0.1, STEP,
         "copy from pinned memory, asynchronously, and launch the next work before the wait; if the call waits for work that the trace lacks (a captured graph, another process or rank), record that too",
         "wait", "pin_memory=True, non_blocking=True", NULL, "block_until_ready once, at the end"),
    RULE("HostCommunication", HOST, "Communication by the host that nothing hides.", host_communication, 0.1, STEP,
         "communicate from device to device, or beside the computation; join small messages", "wait",
         "async_op=True, bucket_cap_mb", "NcclAllReduce", NULL),
    RULE("DeviceAllocations", MEMORY, "Device memory allocated by the driver within steps.", allocations, 0.02, STEP,
         "keep shapes the same in every step, warm up the allocator, reserve memory at the start", "calls",
         "no empty_cache() in the loop", NULL, NULL),
    RULE("Compilations", HOST, "Compilation or tracing within steps.", compilations, 0.05, STEP,
         "keep shapes and Python values the same in every call, mark dynamic dimensions", "calls",
         "TORCH_LOGS=recompiles shows why", "input_signature, reduce_retracing=True", "jax_explain_cache_misses shows why"),
    RULE("Retracing", HOST, "Calls of a tf.function that trace it again.", retracing, 0.05, STEP,
         "call it with tensors of few shapes and types, not with Python numbers; make it once, outside of loops", "calls",
         NULL, "input_signature, reduce_retracing=True", NULL),
    RULE("FirstCalls", HOST, "Launches that load the code of kernels which run for the first time.", first_calls, 0.1, "of the recording",
         "record after a warm-up: what loads once is no cost of a step", "calls",
         "schedule(wait, warmup), CUDA_MODULE_LOADING=EAGER loads all at the start", NULL, NULL, NULL, true),
    RULE("UnevenSteps", HOST, "Steps of very different length.", uneven_steps, 0.25, "standard deviation by mean",
         "compare a long with a short one: diff FILE@A FILE@B", "steps", NULL, NULL, NULL),
    RULE("ExposedCommunication", COMMUNICATION, "Communication that no compute hides.", exposed_communication, 0.1, STEP,
         "overlap it with compute, or communicate less often: accumulate gradients", "transfer",
         "smaller or earlier buckets, another stream", NULL, "XLA's latency hiding scheduler, another sharding", "overlap comm"),
    RULE("SmallCollectives", COMMUNICATION, "Many collectives of few bytes.", small_collectives, 0.03, STEP,
         "join them into bigger ones", "transfer", "bucket_cap_mb", NULL, "XLA's combine thresholds"),
    RULE("CollectiveSkew", COMMUNICATION, "Collectives in which ranks wait for the last one to arrive.", collective_skew, 0.05, STEP,
         "balance what ranks do before it (data, host work); look at the rank they wait for", "transfer -by collective",
         NULL, NULL, NULL, "ideal stragglers"),
    RULE("PageableCopies", COPY, "Copies between the device and pageable host memory.", pageable_copies, 0.03, STEP,
         "pin the host memory and copy asynchronously", "transfer", "pin_memory=True, non_blocking=True", NULL, NULL),
    RULE("ExposedCopies", COPY, "Copies between host and device that nothing hides.", exposed_copies, 0.1, STEP,
         "copy the next batch in a stream of its own while this one computes; keep tensors on the device", "transfer",
         NULL, "prefetch_to_device", "device_put ahead of its use"),
    RULE("Stragglers", COMMUNICATION, "Ranks that compute longer than others in more than half of the steps.", stragglers, 0.05, "over the median rank",
         "balance the work of ranks; look at that machine", "steps", NULL, NULL, NULL, "ideal stragglers"),
    RULE("LowOccupancy", COMPUTE, "Kernels that take long and leave most of the device unused.", low_occupancy, 0.1, STEP,
         "bigger batches or tiles; another algorithm for this shape", "kernel", NULL, NULL, NULL),
    RULE("OneStream", COMPUTE, "Small kernels one after the other where streams could overlap them.", one_stream, 0.2, STEP,
         "run independent parts in streams of their own, or as one batch", "kernel", NULL, NULL, NULL),
    RULE("TinyKernels", COMPUTE, "Many kernels that take less time than starting them.", tiny_kernels, 0.3, STEP,
         "fuse them", "kernel", "torch.compile, foreach forms, scaled_dot_product_attention", "jit_compile=True", "jit around more"),
    RULE("FusableChains", COMPUTE, "Chains of kernels that one kernel could do.", fusable_chains, 0.05, STEP,
         "fuse them", "limits -by chain", "torch.compile, a fused kernel of a library", NULL, NULL, "fuse all"),
    RULE("SlowProducts", COMPUTE, "Products, convolutions and attention below half of what the device can do.", slow_products, 0.05, STEP,
         "pad sides to multiples of 64, choose another layout, algorithm or batch for this shape", "limits -by shape", NULL, NULL, NULL),
    RULE("Casts", COMPUTE, "Kernels that only convert types.", casts, 0.08, STEP,
         "choose one type for weights and activations; let a compiler fuse conversions", "op", NULL, NULL, NULL),
    RULE("Layouts", COMPUTE, "Kernels that only move elements.", layouts, 0.08, STEP,
         "use one memory format throughout, avoid copies of views", "op",
         "channels_last, no contiguous() or clone()", NULL, NULL),
    RULE("UnfusedOptimizer", HOST, "An optimizer of many small kernels.", unfused_optimizer, 0.3, "of the kernels",
         "use its fused or foreach form", "kernel", "fused=True or foreach=True", NULL, NULL),
    RULE("PlainMatmuls", COMPUTE, "Matrix products that do not use tensor cores.", plain_matmuls, 0.2, STEP,
         "use a 16-bit type, or TF32 where the device has it (from compute capability 8.0 on)", "kernel",
         "autocast, torch.set_float32_matmul_precision", "mixed_float16", "jax_default_matmul_precision"),
    RULE("OddShapes", COMPUTE, "Matrix products of 16 bits whose sides are no multiples of 8.", odd_shapes, 0.2, STEP,
         "pad vocabulary, hidden sizes and sequences to multiples of 8, better 64", "op -select micros,input_shapes",
         NULL, NULL, NULL),
    RULE("MemoryLimit", MEMORY, "Devices whose memory is nearly full.", memory_limit, 0.92, "of the device's memory",
         "smaller batches, recomputation, sharded states", "memory", NULL, NULL, NULL, NULL, true),
    RULE("Fragmentation", MEMORY, "Much of a device's memory reserved and not used.", fragmentation, 0.4, "of what is reserved",
         "allocate equal sizes; use shapes that repeat", "memory",
         "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True", NULL, NULL, NULL, true),
    RULE("IdleDevice", HOST, "Devices that do nothing for much of a step, where no other rule gives the cause.", idle_device, 0.2, STEP,
         "see in the timeline what the host does meanwhile; record it with stacks", "wait", "with_stack=True", NULL, NULL),
};
/* clang-format on */
enum { RULES = sizeof rules / sizeof *rules };
_Static_assert((int)RULES <= (int)TFP_TRACE_RULES_MOST, "the list of those that speak holds all");

const tfp_checker *tfp_trace_rule(size_t i) { return i < RULES ? &rules[i].checker : NULL; }

/* ---- limits ---- */

static const rule *find_rule(tfp_str name)
{
    for (size_t i = 0; i < RULES; i++)
        if (tfp_str_eq(name, tfp_str_of(rules[i].checker.name))) return &rules[i];
    return NULL;
}

tfp_status tfp_trace_limits_known(const char *list, tfp_error *err)
{
    tfp_str left = tfp_str_of(list);
    for (tfp_rule_limit one; tfp_rule_limit_next(&left, &one);) {
        tfp_str item = one.item;
        int shown = (int)(item.size < 200 ? item.size : 200);
        if (!item.size) continue;
        if (!find_rule(one.name))
            return tfp_fail(err, TFP_BADARG, "option -rule_limits: no rule of traces in '%.*s'", shown, item.data);
        if (!one.known)
            return tfp_fail(err, TFP_BADARG, "option -rule_limits: '%.*s' is not RULE=NUMBER or RULE=NUMBER%%", shown,
                            item.data);
    }
    return TFP_OK;
}

static double limit_of(const tfp_report *r, const rule *of)
{
    tfp_str left = tfp_str_of(tfp_options_of(r)->verb.rule_limits);
    double limit = of->limit;
    for (tfp_rule_limit one; tfp_rule_limit_next(&left, &one);)
        if (one.known && find_rule(one.name) == of) limit = one.limit;
    return limit;
}

/* ---- findings ---- */

static tfp_evidence evidence_of(const tfp_ruling *x)
{
    const tfp_trace_index *index = &x->f->x;
    uint32_t span = x->evidence, unit = span == TFP_NONE ? TFP_NONE : tfp_trace_unit_of(index, span);
    if (unit == TFP_NONE) return (tfp_evidence){ .span = TFP_NONE };
    return (tfp_evidence){ .span = span,
                           .rank = index->unit_count > 1 ? index->units[unit].rank : -1,
                           .start_ns = index->s->start_ns[span] - index->units[unit].origin_ns,
                           .duration_ns = index->s->duration_ns[span] };
}

/* The file of the evidence, otherwise the only file. */
static tfp_str file_of(const tfp_report *r, const tfp_ruling *x)
{
    const tfp_profile *p = x->f->x.p;
    uint32_t span = x->evidence;
    if (span != TFP_NONE && !tfp_runs_of(r))
        return tfp_str_of(
            tfp_sources_of(p)
                ->sources
                .at[tfp_events_of(p)->processes.at[tfp_lanes_of(p)->at[x->f->x.s->lane[span]].process].source]);
    return tfp_only_source(tfp_profile_of(r));
}

static void put_evidence(tfp_ruling *x)
{
    tfp_evidence e = evidence_of(x);
    if (e.span == TFP_NONE) return;
    tfp_buf_text(&x->text, "; look at ");
    if (e.rank >= 0) tfp_buf_printf(&x->text, "rank %lld's ", (long long)e.rank);
    tfp_lane_put(x->f->x.p, x->f->x.s->lane[e.span], &x->text);
    tfp_buf_text(&x->text, " at ");
    tfp_ruling_us(x, (double)e.start_ns);
}

/* Offsets of the parts of a sentence. */
typedef struct sentence_parts {
    size_t problem_size, remedy_at, remedy_size;
} sentence_parts;

/* Writes the remedy, and if a single framework made the trace, how to do it there: "launch less and bigger
 * (torch.compile, CUDA graphs)". */
static void put_remedy(tfp_ruling *x, const rule *of)
{
    unsigned made = x->f->frameworks;
    const char *how = made == TFP_NAME_TORCH        ? of->torch
                      : made == TFP_NAME_TENSORFLOW ? of->tensorflow
                      : made == TFP_NAME_JAX        ? of->jax
                                                    : NULL;
    tfp_buf_printf(&x->text, "%s", x->remedy ? x->remedy : of->remedy);
    if (how && !x->remedy) tfp_buf_printf(&x->text, " (%s)", how);
}

/* "; at most 1.2ms a step to gain", or "; the host is the limit: nothing to gain now". */
static void put_gain(tfp_ruling *x)
{
    bool denied = tfp_ruling_is_denied(x);
    if (!denied && x->saving_ns < 1) return;
    if (denied) tfp_buf_printf(&x->text, "; %s is the limit: nothing to gain now", x->limit_by);
    if (denied && x->saving_ns < 1) return;
    tfp_buf_text(&x->text, denied ? " (" : "; at most ");
    tfp_ruling_us(x, x->saving_ns);
    tfp_buf_text(&x->text, x->f->begin.whole ? denied ? "" : " to gain" : denied ? " a step" : " a step to gain");
    if (x->change) tfp_buf_printf(&x->text, " by whatif -%s", x->change);
    if (denied) tfp_buf_char(&x->text, ')');
}

static bool finish_text(tfp_ruling *x, const rule *of, sentence_parts *parts)
{
    parts->problem_size = x->text.size;
    put_evidence(x);
    put_gain(x);
    if (x->limit < of->limit || x->limit > of->limit)
        tfp_buf_printf(&x->text, "; over the limit of %g%% %s", 100 * x->limit, of->of);
    tfp_buf_text(&x->text, "; ");
    parts->remedy_at = x->text.size;
    put_remedy(x, of);
    parts->remedy_size = x->text.size - parts->remedy_at;
    tfp_buf_printf(&x->text, " (tfprof %s)", of->command);
    return !x->text.failed;
}

/* ---- what replaying says ---- */

/* A rule with a finding. */
typedef struct spoken {
    tfp_ruling x[TFP_TRACE_RULES_MOST];
    const rule *of[TFP_TRACE_RULES_MOST];
    size_t count;
} spoken;

static bool touches(const void *ctx, uint32_t span, unsigned waits)
{
    const tfp_ruling *x = ctx;
    return x->touches(x, span, waits);
}

/* A replay models how PyTorch waits, but not the hosts of TensorFlow and JAX: a thread that waits for input which other threads
 * prepare still waits after the change. A change that does more than the remedy can only lower the rule's bound. */
static void take(tfp_ruling *x, const tfp_remedy *remedy, const tfp_gains_about *about)
{
    bool torch = x->f->frameworks == TFP_NAME_TORCH, host = x->about == TFP_ABOUT_HOST;
    if (isnan(remedy->gain_us) || (host && (!torch || about->lacks_launches))) return;
    bool exact = remedy->typed && torch;
    x->replayed_ns = remedy->gain_us > 0 ? remedy->gain_us * 1000 : 0;
    x->limit_by = about->limit;
    /* a host that needs less time only shortens what the device waits for it */
    if (host && x->f->has_devices && x->replayed_ns > x->f->mean.idle_ns) x->replayed_ns = x->f->mean.idle_ns;
    if (!exact && x->replayed_ns >= x->saving_ns) return;
    x->saving_ns = x->replayed_ns;
    x->change = remedy->typed;
}

/* Replaces the savings of rules by those of a replay, which knows what else takes time, where it can predict them: no finding promises what
 * `tfprof whatif` denies. */
static tfp_status ask_whatif(tfp_report *r, spoken *all, tfp_error *err)
{
    tfp_remedy remedies[TFP_TRACE_RULES_MOST];
    uint32_t of[TFP_TRACE_RULES_MOST];
    size_t asked = 0;
    tfp_ruling *x = all->x;
    tfp_gains_about about;
    unsigned *says = all->count ? TFP_NEW(tfp_arena_of(r), unsigned, tfp_strings_of(x->f->x.p)->count + 1) : NULL;
    if (all->count && !says) return tfp_nomem(err);
    for (size_t i = 0; i < all->count; i++) {
        if (!(x[i].saving_ns > 0)) continue;
        x[i].says = says;
        of[asked] = (uint32_t)i;
        remedies[asked++] = (tfp_remedy){
            .typed = all->of[i]->change, .has = x[i].touches ? touches : NULL, .ctx = &x[i], .left = x[i].left
        };
    }
    tfp_status s = tfp_whatif_gains(r, remedies, asked, &about, err);
    for (size_t i = 0; !s && i < asked; i++) take(&x[of[i]], &remedies[i], &about);
    return s;
}

/* A finding that promises what a replay denies is none; kernels that graphs would launch are not too small as well. */
static void settle_launches(spoken *all)
{
    size_t kept = 0;
    bool bound = false;
    for (size_t i = 0; i < all->count; i++) {
        tfp_judge judge = all->of[i]->judge;
        const tfp_ruling *x = &all->x[i];
        bool gains = !isnan(x->replayed_ns) && x->replayed_ns >= x->limit * x->f->mean.judged_ns;
        if (judge == tfp_ruling_launch_bound) bound = gains;
        if ((judge == tfp_ruling_launch_bound && !gains) || (judge == tfp_ruling_tiny_kernels && bound)) {
            tfp_buf_free(&all->x[i].text);
            continue;
        }
        all->x[kept] = all->x[i];
        all->of[kept++] = all->of[i];
    }
    all->count = kept;
}

static void judge_all(const tfp_report *r, const tfp_trace_facts *f, const tfp_device_limits *limits, spoken *all)
{
    bool little = tfp_steps_hold_little(f->x.p) || f->begin.doubted.most;
    double host_ns = 0;
    for (size_t i = 0; i < RULES && f->mean.judged_ns > 0; i++) {
        tfp_ruling x = { .f = f,
                         .limits = limits,
                         .about = rules[i].checker.about,
                         .limit = limit_of(r, &rules[i]),
                         .about_ns = NAN,
                         .replayed_ns = NAN,
                         .evidence = TFP_NONE,
                         .host_ns = host_ns };
        bool speaks = (!little || rules[i].any_steps) && rules[i].judge(&x);
        if (x.saving_ns > f->mean.judged_ns) x.saving_ns = f->mean.judged_ns;
        if (!speaks) {
            tfp_buf_free(&x.text);
            continue;
        }
        if (rules[i].checker.about == TFP_ABOUT_HOST) host_ns += x.saving_ns;
        all->x[all->count] = x;
        all->of[all->count++] = &rules[i];
    }
}

/* Names a lane by the thread's name in the sentence, because the number of a TensorFlow thread means nothing. */
static bool name_lane(tfp_report *r, const tfp_ruling *x, tfp_evidence *e)
{
    tfp_buf name = { 0 };
    if (e->span == TFP_NONE) return true;
    tfp_lane_put(x->f->x.p, x->f->x.s->lane[e->span], &name);
    e->lane = tfp_buf_move(&name, tfp_arena_of(r));
    return e->lane.data != NULL;
}

/* Sets the evidence's time on the timeline, whose begin is known for each process. */
static void place_evidence(const tfp_ruling *x, const int64_t *zeros, tfp_evidence *e)
{
    if (e->span == TFP_NONE) return;
    uint32_t process = tfp_lanes_of(x->f->x.p)->at[x->f->x.s->lane[e->span]].process;
    e->timeline_ns = tfp_add(x->f->x.s->start_ns[e->span], -zeros[process], NULL);
}

/* Findings that gain next to nothing come last. Of equal gains (they overlap, and a replay bounds both) the finding about
 * less time comes first: it is the more exact cause. */
static bool comes_before(const tfp_ruling *x, bool little, const tfp_trace_verdict *other)
{
    enum { HUNDREDTHS = 1 };
    if (little != other->little) return other->little;
    double apart = x->saving_ns - other->saving_ns;
    bool equal = fabs(apart) * 100 <= HUNDREDTHS * other->saving_ns;
    return equal ? x->about_ns < other->about_ns : apart > 0;
}

/* Inserts the finding among the earlier ones, sorted by what it saves. False: out of memory. */
static bool add_verdict(tfp_report *r, tfp_ruling *x, const rule *of, const int64_t *zeros, tfp_trace_verdict *out,
                        size_t *count)
{
    sentence_parts parts;
    const char *copy =
        finish_text(x, of, &parts) ? tfp_arena_copy(tfp_arena_of(r), (tfp_str){ x->text.data, x->text.size }) : NULL;
    if (!copy) return false;
    size_t at = (*count)++;
    tfp_evidence evidence = evidence_of(x);
    if (!name_lane(r, x, &evidence)) return false;
    place_evidence(x, zeros, &evidence);
    if (tfp_runs_of(r)) evidence.span = TFP_NONE; /* the span belongs to a trace that only the report has */
    bool little = tfp_ruling_is_denied(x);
    for (; at && comes_before(x, little, &out[at - 1]); at--) out[at] = out[at - 1];
    out[at] = (tfp_trace_verdict){ .rule = &of->checker,
                                   .text = { copy, x->text.size },
                                   .problem = { copy, parts.problem_size },
                                   .remedy = { copy + parts.remedy_at, parts.remedy_size },
                                   .about_ns = x->about_ns,
                                   .saving_ns = x->saving_ns,
                                   .evidence = evidence,
                                   .command = of->command,
                                   .file = file_of(r, x),
                                   .little = little,
                                   .change = x->change };
    return true;
}

tfp_status tfp_trace_judge(tfp_report *r, tfp_trace_verdict *out, size_t *count, tfp_error *err)
{
    const tfp_trace_facts *f;
    tfp_status s = tfp_trace_facts_of(r, &f, err);
    spoken all = { .count = 0 };
    *count = 0;
    if (s) return s;
    tfp_device_limits *limits;
    if ((s = tfp_device_limits_of(r, f, &limits, err))) return s;
    judge_all(r, f, limits, &all);
    s = ask_whatif(r, &all, err);
    if (!s) settle_launches(&all);
    tfp_device_limits_free(limits);
    const int64_t *zeros = s ? NULL : tfp_timeline_zeros(f->x.p, tfp_arena_of(r));
    for (size_t i = 0; !s && i < all.count; i++)
        if (!zeros || !add_verdict(r, &all.x[i], all.of[i], zeros, out, count)) s = tfp_nomem(err);
    for (size_t i = 0; i < all.count; i++) tfp_buf_free(&all.x[i].text);
    return s;
}
