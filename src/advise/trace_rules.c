/* advise/trace_rules.c: what slows the steps of a trace down: one row a rule: when it speaks, what it says, how much of a step
 * the remedy could save at most, and the command that shows the evidence. */
#include "advise/checker.h"
#include "views/trace_facts.h"

#include <math.h>

/* A rule looks at the facts and, when it has something to say, writes the finding and gives what a step could save, in
 * nanoseconds; else it gives a negative number. */
typedef double (*judge)(const tfp_trace_facts *f, tfp_buf *out);

typedef struct rule {
    tfp_checker checker;
    judge judge;
    const char *remedy, *command; /* what to do; what shows it */
} rule;

#define SILENT (-1.0)

static double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

static void put_us(tfp_buf *out, double ns) { tfp_format_real(out, TFP_MICROS, ns / 1000); }

/* "input: 1.2ms of a step of 5.0ms (24%)" */
static void put_part(tfp_buf *out, const tfp_trace_facts *f, const char *what, double ns)
{
    tfp_buf_text(out, what);
    tfp_buf_text(out, " takes ");
    put_us(out, ns);
    tfp_buf_text(out, " of a step of ");
    put_us(out, f->step_ns);
    tfp_buf_printf(out, " (%.0f%%)", 100 * share(ns, f->step_ns));
}

static void put_name(tfp_buf *out, tfp_str name)
{
    if (name.size > 80) name.size = 80;
    tfp_escape(out, name);
}

static double a_step(const tfp_trace_facts *f, const tfp_tally *t)
{
    return (double)t->total_ns / (double)f->step_count;
}
static double count_a_step(const tfp_trace_facts *f, const tfp_tally *t)
{
    return (double)t->count / (double)f->step_count;
}

/* ---- the host ---- */

static double input_bound(const tfp_trace_facts *f, tfp_buf *out)
{
    if (share(f->data_ns, f->step_ns) < 0.1) return SILENT;
    put_part(out, f, "waiting for input", f->data_ns);
    return f->data_ns < f->step_ns ? f->data_ns : f->step_ns;
}

/* An optimizer of many small kernels: what the host takes for them, while the device waits. */
static double optimizer_host_ns(const tfp_trace_facts *f)
{
    double kernels = count_a_step(f, &f->optimizer);
    if (kernels < 50 || kernels < 0.3 * f->kernels_per_step) return 0;
    return f->idle_ns * f->late_share * kernels / f->kernels_per_step;
}

/* What no other rule explains of the time in which the device waits for launches. */
static double host_bound(const tfp_trace_facts *f, tfp_buf *out)
{
    double late = f->idle_ns * f->late_share, explained = f->data_ns + f->item_ns + f->synchronize_ns;
    explained += a_step(f, &f->allocations) + a_step(f, &f->compilations) + optimizer_host_ns(f);
    late -= explained;
    if (!f->has_devices || share(late, f->step_ns) < 0.2 || f->late_share < 0.5) return SILENT;
    put_part(out, f, "waiting of the device for launches", late);
    double mean = f->kernels_per_step > 0 ? f->busy_ns / f->kernels_per_step : 0;
    tfp_buf_printf(out, "; %.0f kernels a step", f->kernels_per_step);
    if (mean > 0) {
        tfp_buf_text(out, " of ");
        put_us(out, mean);
    }
    return late;
}

static double value_reads(const tfp_trace_facts *f, tfp_buf *out)
{
    double most = f->item_ns < f->idle_ns || !f->has_devices ? f->item_ns : f->idle_ns;
    if (!f->has_devices || count_a_step(f, &f->item) < 0.5 || share(f->item_ns, f->step_ns) < 0.05) return SILENT;
    put_part(out, f, "reading values from the device", f->item_ns);
    tfp_buf_printf(out, "; %.1f reads a step, first at ", count_a_step(f, &f->item));
    put_name(out, f->item.first);
    return most;
}

static double synchronizes(const tfp_trace_facts *f, tfp_buf *out)
{
    double most = f->synchronize_ns < f->idle_ns ? f->synchronize_ns : f->idle_ns;
    if (count_a_step(f, &f->synchronize) < 1.5 || share(most, f->step_ns) < 0.1) return SILENT;
    put_part(out, f, "waiting in synchronising calls", f->synchronize_ns);
    tfp_buf_printf(out, "; %.1f calls a step, most at ", count_a_step(f, &f->synchronize));
    put_name(out, f->synchronize.first);
    return most;
}

static double allocations(const tfp_trace_facts *f, tfp_buf *out)
{
    double ns = a_step(f, &f->allocations);
    if (share(ns, f->step_ns) < 0.02 || count_a_step(f, &f->allocations) < 0.5) return SILENT;
    put_part(out, f, "allocating device memory", ns);
    tfp_buf_printf(out, "; %.1f calls a step, such as ", count_a_step(f, &f->allocations));
    put_name(out, f->allocations.first);
    return ns;
}

static double compilations(const tfp_trace_facts *f, tfp_buf *out)
{
    double ns = a_step(f, &f->compilations);
    if (f->compilations.count < 2 || share(ns, f->step_ns) < 0.05) return SILENT;
    put_part(out, f, "compiling or tracing", ns);
    tfp_buf_printf(out, "; %lld times in the steps recorded, such as ", (long long)f->compilations.count);
    put_name(out, f->compilations.first);
    return ns;
}

static double uneven(const tfp_trace_facts *f, tfp_buf *out)
{
    if (isnan(f->step_cv) || f->step_cv < 0.25) return SILENT;
    tfp_buf_printf(out, "steps differ by %.0f%% of their mean (standard deviation), which is ", 100 * f->step_cv);
    put_us(out, f->step_ns);
    return 0;
}

/* ---- what moves ---- */

typedef struct small_sums {
    double count, saving; /* a step */
    double mean_bytes;
} small_sums;

static small_sums sum_small(const tfp_trace_facts *f)
{
    int64_t count = 0, bytes = 0, ns = 0;
    for (size_t i = 0; i < f->transfer_count; i++) {
        const tfp_transfer_row *t = &f->transfers[i];
        if (!t->group.size || t->bytes == TFP_ABSENT || !t->count || t->bytes / t->count > 1 << 20) continue;
        count += t->count;
        bytes = tfp_add(bytes, t->bytes, NULL);
        ns = tfp_add(ns, t->exposed_ns, NULL);
    }
    double steps = (double)f->step_count;
    small_sums s = { (double)count / steps, (double)ns / steps, count ? (double)bytes / (double)count : 0 };
    if (s.count < 10 || share(s.saving, f->step_ns) < 0.03) s.count = 0;
    return s;
}

static double small_collectives(const tfp_trace_facts *f, tfp_buf *out)
{
    small_sums s = sum_small(f);
    if (s.count <= 0) return SILENT;
    tfp_buf_printf(out, "%.0f collectives a step move ", s.count);
    tfp_format_real(out, TFP_SIZE, s.mean_bytes);
    tfp_buf_text(out, " each; ");
    put_us(out, s.saving);
    tfp_buf_printf(out, " of a step (%.0f%%) is theirs alone", 100 * share(s.saving, f->step_ns));
    return s.saving;
}

static double exposed_communication(const tfp_trace_facts *f, tfp_buf *out)
{
    small_sums s = sum_small(f);
    double ns = f->exposed_communication_ns - (s.count > 0 ? s.saving : 0);
    if (share(ns, f->step_ns) < 0.1) return SILENT;
    put_part(out, f, "communication that nothing computes beside", ns);
    return ns;
}

static double copies(const tfp_trace_facts *f, tfp_buf *out, bool pageable, double least)
{
    int64_t ns = 0, count = 0, bytes = 0;
    for (size_t i = 0; i < f->transfer_count; i++) {
        const tfp_transfer_row *t = &f->transfers[i];
        bool host = tfp_str_has(t->kind, TFP_STR("HtoD")) || tfp_str_has(t->kind, TFP_STR("DtoH"));
        if (!host || tfp_str_has(t->kind, TFP_STR("pageable")) != pageable) continue;
        ns = tfp_add(ns, t->exposed_ns, NULL);
        count += t->count;
        if (t->bytes != TFP_ABSENT) bytes = tfp_add(bytes, t->bytes, NULL);
    }
    double saving = (double)ns / (double)f->step_count;
    if (share(saving, f->step_ns) < least) return SILENT;
    put_part(out, f, pageable ? "copying from or to pageable memory" : "copying between host and device", saving);
    tfp_buf_printf(out, "; %.1f copies a step, ", (double)count / (double)f->step_count);
    tfp_format_real(out, TFP_SIZE, (double)bytes / (double)f->step_count);
    return saving;
}

static double pageable_copies(const tfp_trace_facts *f, tfp_buf *out) { return copies(f, out, true, 0.03); }
static double exposed_copies(const tfp_trace_facts *f, tfp_buf *out) { return copies(f, out, false, 0.1); }

static double straggler(const tfp_trace_facts *f, tfp_buf *out)
{
    double least = INFINITY, most = 0;
    int64_t slow = -1, fast = -1;
    for (size_t i = 0; i < f->step_row_count && f->x.unit_count > 1; i++) {
        const tfp_step_row *s = &f->steps[i];
        double compute = (double)s->compute_ns;
        if (*s->step.data != 'a') continue;
        if (compute > most) most = compute, slow = s->rank;
        if (compute < least) least = compute, fast = s->rank;
    }
    if (slow < 0 || least <= 0 || most / least < 1.1) return SILENT;
    tfp_buf_printf(out, "rank %lld computes %.0f%% longer than rank %lld, which waits for it", (long long)slow,
                   100 * (most / least - 1), (long long)fast);
    return (most - least) * (double)f->x.unit_count / (double)f->step_count;
}

/* ---- kernels ---- */

static double low_occupancy(const tfp_trace_facts *f, tfp_buf *out)
{
    for (size_t i = 0; i < f->kernel_count; i++) {
        const tfp_kernel_fact *k = &f->kernels[i];
        double ns = (double)k->total_ns / (double)f->step_count;
        if (k->class != TFP_CLASS_COMPUTE || share(ns, f->step_ns) < 0.1) continue;
        if (isnan(k->occupancy) || k->occupancy >= 25) continue;
        put_part(out, f, "a kernel of low occupancy", ns);
        tfp_buf_printf(out, "; %.0f%% occupied: ", k->occupancy);
        put_name(out, k->name);
        return ns / 2;
    }
    return SILENT;
}

static double device_part(const tfp_trace_facts *f, tfp_buf *out, const tfp_tally *t, const char *what, double least)
{
    double ns = a_step(f, t);
    if (share(ns, f->step_ns) < least || share(ns, f->busy_ns) < least) return SILENT;
    put_part(out, f, what, ns);
    tfp_buf_printf(out, "; %.0f kernels a step, such as those of ", count_a_step(f, t));
    put_name(out, t->first);
    return ns;
}

static double casts(const tfp_trace_facts *f, tfp_buf *out)
{
    return device_part(f, out, &f->casts, "converting types on the device", 0.08);
}

static double layouts(const tfp_trace_facts *f, tfp_buf *out)
{
    return device_part(f, out, &f->layouts, "moving tensors into another layout", 0.08);
}

static double unfused_optimizer(const tfp_trace_facts *f, tfp_buf *out)
{
    double kernels = count_a_step(f, &f->optimizer), ns = a_step(f, &f->optimizer);
    if (kernels < 50 || kernels < 0.3 * f->kernels_per_step) return SILENT;
    tfp_buf_printf(out, "the optimizer launches %.0f of the %.0f kernels of a step, which take ", kernels,
                   f->kernels_per_step);
    put_us(out, ns);
    return ns / 2 + optimizer_host_ns(f);
}

static double plain_matmuls(const tfp_trace_facts *f, tfp_buf *out)
{
    double ns = a_step(f, &f->plain_matmuls);
    if (share(ns, f->step_ns) < 0.2) return SILENT;
    put_part(out, f, "multiplying matrices in single precision without tensor cores", ns);
    tfp_buf_text(out, "; ");
    put_name(out, f->plain_matmuls.first);
    return ns / 2;
}

static double memory_limit(const tfp_trace_facts *f, tfp_buf *out)
{
    int64_t held = f->reserved_peak > f->memory_peak ? f->reserved_peak : f->memory_peak;
    if (!f->memory_limit || (double)held < 0.92 * (double)f->memory_limit) return SILENT;
    tfp_format_memory(out, held);
    tfp_buf_text(out, " of the device's ");
    tfp_format_memory(out, f->memory_limit);
    tfp_buf_text(out, " were reserved");
    return 0;
}

static double fragmentation(const tfp_trace_facts *f, tfp_buf *out)
{
    int64_t lost = f->reserved_peak - f->memory_peak;
    if (!f->memory_peak || lost < (int64_t)1 << 30 || (double)lost < 0.4 * (double)f->reserved_peak) return SILENT;
    tfp_format_memory(out, lost);
    tfp_buf_text(out, " of ");
    tfp_format_memory(out, f->reserved_peak);
    tfp_buf_text(out, " reserved bytes were never in use at once");
    return 0;
}

/* ---- the table ---- */

/* clang-format off */
#define RULE(name, help, judge, remedy, command) { { name, help, NULL, NULL }, judge, remedy, command }
static const rule rules[] = {
    RULE("InputBound", "Steps of a trace that wait for input.", input_bound,
         "load and prepare input beside the step: more workers, prefetching, cheaper decoding", "wait"),
    RULE("HostBound", "Devices that wait for launches.", host_bound,
         "launch less and bigger: a compiler (torch.compile, jit), CUDA graphs, bigger batches", "steps -critical_path"),
    RULE("ValueReads", "Values read from a device within steps.", value_reads,
         "keep values on the device (item(), float(), print and asserts wait for it); read them every N steps", "wait"),
    RULE("Synchronization", "Calls that wait for the device within steps.", synchronizes,
         "leave out explicit synchronisation; use asynchronous copies from pinned memory", "wait"),
    RULE("DeviceAllocations", "Device memory allocated by the driver within steps.", allocations,
         "keep shapes alike from step to step, warm the allocator up, reserve memory at the start", "calls"),
    RULE("Compilations", "Compilation or tracing within steps.", compilations,
         "keep shapes and Python values alike, mark dynamic dimensions", "calls"),
    RULE("UnevenSteps", "Steps of very different length.", uneven,
         "compare a long with a short one: diff FILE@A FILE@B", "steps"),
    RULE("ExposedCommunication", "Communication that no compute hides.", exposed_communication,
         "overlap it: smaller or earlier buckets, another stream, less often (accumulate gradients)", "transfer"),
    RULE("SmallCollectives", "Many collectives of few bytes.", small_collectives,
         "join them into bigger buckets", "transfer"),
    RULE("PageableCopies", "Copies between the device and pageable host memory.", pageable_copies,
         "pin the host memory (pin_memory=True) and copy asynchronously", "transfer"),
    RULE("ExposedCopies", "Copies between host and device that nothing hides.", exposed_copies,
         "copy the next batch in a stream of its own while this one computes; keep tensors on the device", "transfer"),
    RULE("Stragglers", "Ranks that compute longer than others.", straggler,
         "balance the work of ranks; look at that machine", "steps"),
    RULE("LowOccupancy", "Kernels that take long and leave most of the device unused.", low_occupancy,
         "bigger batches or tiles; another algorithm for this shape", "kernel"),
    RULE("Casts", "Kernels that only convert types.", casts,
         "choose one type for weights and activations; let a compiler fuse conversions", "op"),
    RULE("Layouts", "Kernels that only move elements.", layouts,
         "use one memory format throughout (channels_last), avoid contiguous()", "op"),
    RULE("UnfusedOptimizer", "An optimizer of many small kernels.", unfused_optimizer,
         "use its fused or foreach form", "kernel"),
    RULE("PlainMatmuls", "Matrix products that do not use tensor cores.", plain_matmuls,
         "allow TF32, or use a 16-bit type (autocast)", "kernel"),
    RULE("MemoryLimit", "Devices whose memory is nearly full.", memory_limit,
         "smaller batches, recomputation, sharded states", "memory"),
    RULE("Fragmentation", "Device memory that is reserved and never used.", fragmentation,
         "expandable segments (PYTORCH_CUDA_ALLOC_CONF), shapes that repeat", "memory"),
};
/* clang-format on */
enum { RULES = sizeof rules / sizeof *rules };
_Static_assert((int)RULES <= (int)TFP_TRACE_RULES_MOST, "the list of those that speak holds all");

const tfp_checker *tfp_trace_rule(size_t i) { return i < RULES ? &rules[i].checker : NULL; }

static bool finish_text(tfp_buf *text, const rule *of, double saving)
{
    if (saving >= 1) {
        tfp_buf_text(text, "; at most ");
        put_us(text, saving);
        tfp_buf_text(text, " a step to gain");
    }
    tfp_buf_printf(text, "; %s (tfprof %s)", of->remedy, of->command);
    return !text->failed;
}

tfp_status tfp_trace_judge(tfp_report *r, tfp_trace_verdict *out, size_t *count, tfp_error *err)
{
    const tfp_trace_facts *f = tfp_trace_facts_of(r, err);
    if (!f) return TFP_NOMEM;
    *count = 0;
    for (size_t i = 0; i < RULES && f->step_ns > 0; i++) {
        tfp_buf text = { 0 };
        double saving = rules[i].judge(f, &text);
        const char *copy = NULL;
        if (saving >= 0 && finish_text(&text, &rules[i], saving))
            copy = tfp_arena_copy(&r->arena, (tfp_str){ text.data, text.size });
        tfp_str said = { copy, text.size };
        tfp_buf_free(&text);
        if (saving < 0) continue;
        if (!copy) return tfp_nomem(err);
        size_t at = (*count)++;
        for (; at && out[at - 1].saving_ns < saving; at--) out[at] = out[at - 1];
        out[at] = (tfp_trace_verdict){ &rules[i].checker, said, saving };
    }
    return TFP_OK;
}
