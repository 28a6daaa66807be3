// SPDX-License-Identifier: Apache-2.0
/* fleet/tables.c: the list of the fleet's tables and their columns. */
#include "fleet/tables.h"

/* clang-format off */
/* name, type, unit, what it means */
#define KEYS(X) \
    X(run, TEXT, LABEL, "Digest of the bytes of the file.") \
    X(job, TEXT, LABEL, "The job.") \
    X(date, DATE, LABEL, "Its day, UTC.") \
    X(host, TEXT, LABEL, "The host.") \
    X(rank, INT, LABEL, "The rank.")
#define RUNS(X) \
    X(path, TEXT, LABEL, "Its path below the folder that was indexed, else as it was given.") \
    X(bytes, INT, SIZE, "Its size.") \
    X(mtime, TIME, LABEL, "When it was written.") \
    X(format, TEXT, LABEL, "Its format, such as kineto or xplane.") \
    X(framework, TEXT, LABEL, "What ran: pytorch, jax or tensorflow.") \
    X(ranks, INT, NUMBER, "Ranks of the job, as the file says.") \
    X(started, TIME, LABEL, "When the recording began.") \
    X(duration_us, REAL, MICROS, "From the first start to the last end.") \
    X(steps, INT, NUMBER, "Steps in it.") \
    X(devices, INT, NUMBER, "Accelerators with activities.") \
    X(device_model, TEXT, LABEL, "The name of the first one.") \
    X(spans, INT, NUMBER, "Events that were read.") \
    X(truncated, BOOL, LABEL, "The file is cut short; its complete part was read.") \
    X(warnings, INT, NUMBER, "Warnings of the reader.") \
    X(labels, TEXT, LABEL, "Other names of the path and of the sidecar, as a JSON object.") \
    X(identity, TEXT, LABEL, "The sources of job, date, host and rank.") \
    X(tfprof, TEXT, LABEL, "The version that read it.") \
    X(indexed, TIME, LABEL, "When it was read.")
#define STEPS(X) \
    X(step, INT, LABEL, "Its number.") \
    X(start_us, REAL, MICROS, "Its start, from the first start of the run.") \
    X(duration_us, REAL, MICROS, "Its length.")
#define STEP_DEVICES(X) \
    X(step, INT, LABEL, "The number of the step; none: the whole recording on the device.") \
    X(device, TEXT, LABEL, "The device.") \
    X(start_us, REAL, MICROS, "Start of its window, from the first start of the run.") \
    X(duration_us, REAL, MICROS, "Length of its window.") \
    X(busy_us, REAL, MICROS, "How long the device was busy.") \
    X(compute_us, REAL, MICROS, "How long it computed.") \
    X(communication_us, REAL, MICROS, "How long it took part in collectives.") \
    X(copy_us, REAL, MICROS, "How long it copied or set memory.") \
    X(exposed_communication_us, REAL, MICROS, "Communication while nothing computed.") \
    X(exposed_copy_us, REAL, MICROS, "Copies while nothing computed or communicated.") \
    X(idle_us, REAL, MICROS, "How long it did nothing.") \
    X(kernels, INT, NUMBER, "Activities that start in the window.") \
    X(launch_delay_us, REAL, MICROS, "Mean time from launch to start.")
#define OPS(X) \
    X(op, TEXT, LABEL, "Its name.") \
    X(calls, INT, NUMBER, "How often it ran.") \
    X(cpu_us, REAL, MICROS, "Its own time on the host.") \
    X(accelerator_us, REAL, MICROS, "Its time on devices.") \
    X(in_steps_us, REAL, MICROS, "The part of accelerator_us in steps.") \
    X(bytes, INT, SIZE, "Memory that it asked for.") \
    X(float_ops, INT, NUMBER, "Its float operations.")
#define MODULES(X) \
    X(path, TEXT, LABEL, "Its path.") \
    X(calls, INT, NUMBER, "Runs of the operations below it.") \
    X(cpu_us, REAL, MICROS, "Time on the host.") \
    X(accelerator_us, REAL, MICROS, "Time on devices.")
#define LINES(X) \
    X(file, TEXT, LABEL, "Its file.") \
    X(line, INT, LABEL, "Its line, of a function the first.") \
    X(function, TEXT, LABEL, "The function.") \
    X(self_us, REAL, MICROS, "Its own time.") \
    X(total_us, REAL, MICROS, "With all that it calls.") \
    X(accelerator_us, REAL, MICROS, "The part of self_us on devices.")
#define KERNELS(X) \
    X(name, TEXT, LABEL, "Its name.") \
    X(class, TEXT, LABEL, "compute, communication, copy or set.") \
    X(count, INT, NUMBER, "How often it ran.") \
    X(total_us, REAL, MICROS, "How long, all together.") \
    X(min_us, REAL, MICROS, "The shortest.") \
    X(max_us, REAL, MICROS, "The longest.") \
    X(bytes, INT, SIZE, "Bytes of copies and sets.") \
    X(occupancy, REAL, LABEL, "Mean occupancy in per cent.") \
    X(ops, TEXT, LABEL, "Operations that launched it.")
#define COLLECTIVES(X) \
    X(kind, TEXT, LABEL, "Its name.") \
    X(device, TEXT, LABEL, "The device.") \
    X(group, TEXT, LABEL, "The process group.") \
    X(group_size, INT, NUMBER, "Its members.") \
    X(count, INT, NUMBER, "How often it ran.") \
    X(bytes, INT, SIZE, "Bytes that it moved.") \
    X(total_us, REAL, MICROS, "How long, all together.") \
    X(overlapped_us, REAL, MICROS, "While the device computed.") \
    X(exposed_us, REAL, MICROS, "While the device did not compute.") \
    X(bus_gbps, REAL, LABEL, "Bus bandwidth, 10^9 bytes a second.")
#define TRANSFERS(X) \
    X(kind, TEXT, LABEL, "Its direction.") \
    X(device, TEXT, LABEL, "The device.") \
    X(count, INT, NUMBER, "How many.") \
    X(bytes, INT, SIZE, "Bytes that were moved.") \
    X(total_us, REAL, MICROS, "How long, all together.") \
    X(overlapped_us, REAL, MICROS, "While the device computed.") \
    X(exposed_us, REAL, MICROS, "While the device did not compute.") \
    X(gbps, REAL, LABEL, "10^9 bytes a second.")
#define MEMORY_PEAKS(X) \
    X(device, TEXT, LABEL, "The device.") \
    X(bytes, INT, SIZE, "What it held.") \
    X(at_us, REAL, MICROS, "When.") \
    X(holder, TEXT, LABEL, "The operation that held most of it.") \
    X(holder_bytes, INT, SIZE, "How much that was.") \
    X(held_before_bytes, INT, SIZE, "What it held when the recording began.")
#define FINDINGS(X) \
    X(source, TEXT, LABEL, "advise or check.") \
    X(severity, TEXT, LABEL, "Of check: how bad it is.") \
    X(code, TEXT, LABEL, "Of advise: the rule.") \
    X(message, TEXT, LABEL, "The finding.") \
    X(count, INT, NUMBER, "How often.")
#define LIMITS(X) \
    X(class, TEXT, LABEL, "product, attention, elementwise ... as in limits; none: the whole run.") \
    X(device_us, REAL, MICROS, "Time on devices.") \
    X(not_judged_us, REAL, MICROS, "The part without a limit.") \
    X(ideal_us, REAL, MICROS, "Time at the limits of the device.") \
    X(loss_us, REAL, MICROS, "Time beyond it.") \
    X(latency_us, REAL, MICROS, "Time in calls with less work than the shortest kernel does.") \
    X(efficiency, REAL, LABEL, "ideal_us divided by judged time.") \
    X(mfu, REAL, LABEL, "Of the run: float operations at their peak, divided by the time of the steps.") \
    X(bandwidth_use, REAL, LABEL, "Of the run: bytes at the bandwidth, divided by the time of the steps.") \
    X(step_us, REAL, MICROS, "Of the run: a step.") \
    X(bound_us, REAL, MICROS, "Of the run: a step at the limits.")
#define FAILURES(X) \
    X(path, TEXT, LABEL, "Its path, as in runs.") \
    X(bytes, INT, SIZE, "Its size.") \
    X(mtime, TIME, LABEL, "When it was written.") \
    X(code, TEXT, LABEL, "empty, format, damaged, missing, unreadable, limit, timeout, crash or duplicate.") \
    X(message, TEXT, LABEL, "What is wrong.") \
    X(signal, INT, LABEL, "Of a crash: the signal.") \
    X(attempts, INT, NUMBER, "How often it was tried.") \
    X(run, TEXT, LABEL, "Of a duplicate: the run that has these bytes.") \
    X(indexed, TIME, LABEL, "When it was tried.")

#define COLUMN(title, kind, measure, meaning) { .name = #title, .type = TFP_CELL_##kind, .unit = TFP_##measure, .help = meaning },
#define TABLE(table, LIST) \
    static const tfp_table_column table##_columns[] = { KEYS(COLUMN) LIST(COLUMN) };
TABLE(runs, RUNS)
TABLE(steps, STEPS)
TABLE(step_devices, STEP_DEVICES)
TABLE(ops, OPS)
TABLE(modules, MODULES)
TABLE(lines, LINES)
TABLE(kernels, KERNELS)
TABLE(collectives, COLLECTIVES)
TABLE(transfers, TRANSFERS)
TABLE(memory_peaks, MEMORY_PEAKS)
TABLE(findings, FINDINGS)
TABLE(limits, LIMITS)
static const tfp_table_column failures_columns[] = { FAILURES(COLUMN) };

#define ROW(table, help) { #table, help, table##_columns, sizeof table##_columns / sizeof *table##_columns }
const tfp_fleet_schema tfp_fleet_tables[TFP_FLEET_TABLES] = {
    [TFP_FLEET_RUNS] = ROW(runs, "A trace file."),
    [TFP_FLEET_STEPS] = ROW(steps, "A step of a run."),
    [TFP_FLEET_STEP_DEVICES] = ROW(step_devices, "A step on a device, or the whole run on it."),
    [TFP_FLEET_OPS] = ROW(ops, "An operation of a run, all steps together."),
    [TFP_FLEET_MODULES] = ROW(modules, "A scope of the model with all below it."),
    [TFP_FLEET_LINES] = ROW(lines, "A line or function of the user's code."),
    [TFP_FLEET_KERNELS] = ROW(kernels, "A kernel, copy or set, by name."),
    [TFP_FLEET_COLLECTIVES] = ROW(collectives, "A collective of communication."),
    [TFP_FLEET_TRANSFERS] = ROW(transfers, "A kind of copy."),
    [TFP_FLEET_MEMORY_PEAKS] = ROW(memory_peaks, "A device at the time when it held most memory."),
    [TFP_FLEET_FINDINGS] = ROW(findings, "A finding of advise or check."),
    [TFP_FLEET_LIMITS] = ROW(limits, "A class of operations beside the limits of the device, or the whole run; only where --tables names it."),
    [TFP_FLEET_FAILURES] = ROW(failures, "A file that gave no run."),
};
/* clang-format on */

tfp_fleet_table_id tfp_fleet_find(tfp_str name)
{
    int i = 0;
    while (i < TFP_FLEET_TABLES && !tfp_str_eq(name, tfp_str_of(tfp_fleet_tables[i].name))) i++;
    return (tfp_fleet_table_id)i;
}

bool tfp_fleet_batch(tfp_batch *b, tfp_fleet_table_id table, tfp_texts *texts)
{
    return tfp_batch_start(b, tfp_fleet_tables[table].columns, tfp_fleet_tables[table].count, texts);
}
