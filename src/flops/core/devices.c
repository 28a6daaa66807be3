// SPDX-License-Identifier: Apache-2.0
/* flops/core/devices.c: the table of known devices: dense peaks by type and memory bandwidth, as the vendors publish
 * them. */
#include "flops/core/devices.h"

const char *const tfp_float_names[TFP_FLOAT_TYPES] = { "other", "fp32", "tf32", "fp16", "bf16", "fp8" };

/* The fp32 column is the peak of ordinary cores; for AMD, of matrix cores. Where a data sheet gives only peaks with
 * sparsity, this table has half of them. Peaks are for products accumulated in fp32: GeForce cards are faster when
 * accumulating in fp16, which PyTorch does not ask for. Sources: NVIDIA's data sheets of V100, T4, A100, A10, L4, L40S,
 * H100, H800, H200 and HGX B200; its white papers of the architectures GA102 (RTX 3090) and Ada (RTX 4090); AMD's data sheets
 * of Instinct MI250X (its two devices have half of its peaks each), MI300X and MI325X, and its white paper of CDNA 4
 * (MI350X, MI355X; their cores have no tf32). The first matching row is used. */
static const tfp_device_peaks devices[] = {
    /* words          GB   other  fp32  tf32   fp16    bf16     fp8   GB/s */
    { "V100 SXM2", 0, { 0, 15.7, 0, 125, 0, 0 }, 900 },
    { "V100 PCIE", 0, { 0, 14.0, 0, 112, 0, 0 }, 900 },
    { "V100S PCIE", 0, { 0, 16.4, 0, 130, 0, 0 }, 1134 },
    { "T4", 0, { 0, 8.1, 0, 65, 0, 0 }, 300 },
    { "A100 PCIE", 60, { 0, 19.5, 156, 312, 312, 0 }, 1935 },
    { "A100", 60, { 0, 19.5, 156, 312, 312, 0 }, 2039 },
    { "A100", 0, { 0, 19.5, 156, 312, 312, 0 }, 1555 },
    { "A10", 0, { 0, 31.2, 62.5, 125, 125, 0 }, 600 },
    { "L4", 0, { 0, 30.3, 60, 121, 121, 242.5 }, 300 },
    { "L40S", 0, { 0, 91.6, 183, 362.05, 362.05, 733 }, 864 },
    { "H100 PCIE", 0, { 0, 51, 378, 756.5, 756.5, 1513 }, 2000 },
    { "H100 NVL", 0, { 0, 60, 417.5, 835.5, 835.5, 1670.5 }, 3900 },
    { "H100 HBM3", 0, { 0, 67, 494.5, 989.5, 989.5, 1979 }, 3350 },
    { "H800 PCIE", 0, { 0, 51, 378, 756.5, 756.5, 1513 }, 2000 },
    { "H800", 0, { 0, 67, 494.5, 989.5, 989.5, 1979 }, 3350 },
    { "H200 NVL", 0, { 0, 60, 417.5, 835.5, 835.5, 1670.5 }, 4800 },
    { "H200", 0, { 0, 67, 494.5, 989.5, 989.5, 1979 }, 4800 },
    { "B200", 0, { 0, 75, 1100, 2250, 2250, 4500 }, 7700 },
    { "RTX 3090", 0, { 0, 35.6, 35.6, 71, 71, 0 }, 936 },
    { "RTX 4090", 0, { 0, 82.6, 82.6, 165.2, 165.2, 330.3 }, 1008 },
    { "MI250X", 0, { 0, 47.85, 0, 191.5, 191.5, 0 }, 1638.4 },
    { "MI300X", 0, { 0, 163.4, 653.7, 1307.4, 1307.4, 2614.9 }, 5300 },
    { "MI325X", 0, { 0, 163.4, 653.7, 1307.4, 1307.4, 2614.9 }, 6000 },
    { "MI350X", 0, { 0, 144.2, 0, 2306.9, 2306.9, 4613.7 }, 8000 },
    { "MI355X", 0, { 0, 157.3, 0, 2516.6, 2516.6, 5033.2 }, 8000 },
};

/* Devices without a name in traces of ROCm: cores and memory from AMD's table of GPU specifications (ROCm's
 * documentation), clocks from the data sheets. */
static const struct {
    const char *vendor, *words;
    int64_t cores;
    double least_gb, most_gb; /* of memory */
    int64_t clock_khz;        /* 0: any */
} unnamed[] = {
    { "AMD", "MI250X", 110, 60, 72, 0 },         { "AMD", "MI300X", 304, 180, 215, 0 },
    { "AMD", "MI325X", 304, 250, 290, 0 },       { "AMD", "MI350X", 256, 280, 320, 2200000 },
    { "AMD", "MI355X", 256, 280, 320, 2400000 },
};

static bool parts(char c) { return c == ' ' || c == '-' || c == '_' || c == '/'; }

/* Whether a word occurs separately in the name, ignoring case: L4 does not match L40S. */
static bool has_word(tfp_str name, tfp_str word)
{
    for (size_t at = 0; at < name.size;) {
        size_t end = at;
        while (end < name.size && !parts(name.data[end])) end++;
        if (end - at == word.size && tfp_str_has_caseless((tfp_str){ name.data + at, end - at }, word)) return true;
        at = end + 1;
    }
    return false;
}

static bool has_words(tfp_str name, const char *words)
{
    for (const char *at = words; *at;) {
        size_t n = strcspn(at, " ");
        if (!has_word(name, (tfp_str){ at, n })) return false;
        at += n + (at[n] != 0);
    }
    return true;
}

const tfp_device_peaks *tfp_device_find(tfp_str name, int64_t memory_bytes)
{
    /* suffixes of other devices, or of a partition of a device */
    static const char *const others[] = { "MIG", "Ti", "D", "Laptop", "vGPU" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (has_words(name, others[i])) return NULL;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if ((double)memory_bytes >= devices[i].least_gb * 1e9 && has_words(name, devices[i].words)) return &devices[i];
    return NULL;
}

const tfp_device_peaks *tfp_device_of_marks(const tfp_device_marks *m)
{
    const tfp_device_peaks *named = tfp_device_find(m->name, m->memory_bytes);
    double gb = (double)m->memory_bytes / 1e9;
    if (named) return named;
    for (size_t i = 0; i < sizeof unnamed / sizeof *unnamed; i++)
        if (tfp_str_eq(m->name, tfp_str_of(unnamed[i].vendor)) && m->cores == unnamed[i].cores &&
            gb >= unnamed[i].least_gb && gb <= unnamed[i].most_gb &&
            (!unnamed[i].clock_khz || m->clock_khz == unnamed[i].clock_khz))
            return tfp_device_find(tfp_str_of(unnamed[i].words), m->memory_bytes);
    return NULL;
}

tfp_str tfp_device_label(const tfp_device_marks *m)
{
    const tfp_device_peaks *known = tfp_device_of_marks(m);
    return known && !tfp_device_find(m->name, m->memory_bytes) ? tfp_str_of(known->words) : m->name;
}
