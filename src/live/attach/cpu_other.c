// SPDX-License-Identifier: Apache-2.0
/* live/attach/cpu_other.c: processors on which we cannot make a thread call a function: an attach is refused before it stops
 * anything. */
#include "live/attach/cpu.h"

const tfp_str tfp_cpu_home_code = { "", 0 };

tfp_cpu *tfp_cpu_new(void) { return NULL; }
void tfp_cpu_free(tfp_cpu *c) { (void)c; }

bool tfp_cpu_save(tfp_cpu *c, const tfp_tracer *t, uint64_t home, const char **why)
{
    (void)c, (void)t, (void)home;
    *why = "attach works on x86-64 only";
    return false;
}

uint64_t tfp_cpu_stack(const tfp_cpu *c)
{
    (void)c;
    return 0;
}

size_t tfp_cpu_frame_size(const tfp_cpu *c)
{
    (void)c;
    return 0;
}

bool tfp_cpu_call(const tfp_cpu *c, const tfp_tracer *t, uint64_t function, const uint64_t args[TFP_CPU_ARGS])
{
    (void)c, (void)t, (void)function, (void)args;
    return false;
}

bool tfp_cpu_is_home(const tfp_cpu *c, const tfp_tracer *t)
{
    (void)c, (void)t;
    return false;
}

bool tfp_cpu_has_called(const tfp_tracer *t, long number, int64_t *result)
{
    (void)t, (void)number, (void)result;
    return false;
}

bool tfp_cpu_restore(const tfp_cpu *c, const tfp_tracer *t)
{
    (void)c, (void)t;
    return false;
}
