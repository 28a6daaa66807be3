// SPDX-License-Identifier: Apache-2.0
/* tests/unit/live/test_live_perf.c: samples of the kernel: records as it writes them, cut at each byte and with sizes that lie; threads of
 * our own, where the kernel permits it; and threads that wait in a system call. */
#include "support.h"

#include "live/proc/proc.h"
#include "live/stacks/perf.h"

#include <linux/perf_event.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { REGISTERS = 17, STACK = 64 };

typedef struct record { /* as perf_event_open(2) describes it, for what tfprof asks the kernel for */
    struct perf_event_header header;
    uint32_t pid, tid;
    uint64_t abi, registers[REGISTERS];
    uint64_t stack_room;
    char stack[STACK];
    uint64_t stack_used;
} record;

static record sample(void)
{
    record r = { .header = { .type = PERF_RECORD_SAMPLE, .size = sizeof r },
                 .pid = 7,
                 .tid = 8,
                 .abi = PERF_SAMPLE_REGS_ABI_64,
                 .stack_room = STACK,
                 .stack_used = 48 };
    for (size_t i = 0; i < REGISTERS; i++) r.registers[i] = 100 + i;
    for (size_t i = 0; i < STACK; i++) r.stack[i] = (char)i;
    return r;
}

static bool parse(const record *r, size_t size, tfp_native_state *out)
{
    char *exact = malloc(size ? size : 1); /* so that a sanitizer sees each byte that is read beyond */
    assert_non_null(exact);
    memcpy(exact, r, size);
    bool ok = tfp_perf_parse(exact, size, out);
    if (ok && out->stack_size) assert_true(out->stack >= exact && out->stack + out->stack_size <= exact + size);
    free(exact);
    return ok;
}

static void registers_have_the_numbers_of_dwarf(void **state)
{
    (void)state;
    record r = sample();
    tfp_native_state s;
    assert_true(tfp_perf_parse((const char *)&r, sizeof r, &s));
    assert_false(s.only_sp_and_pc);
    /* the kernel's order: AX BX CX DX SI DI BP SP IP R8 ... R15 */
    static const unsigned char dwarf[] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15 };
    for (size_t i = 0; i < REGISTERS; i++) assert_int_equal(s.registers[dwarf[i]], 100 + i);
    assert_int_equal(s.registers[TFP_DWARF_SP], 107);
    assert_int_equal(s.registers[TFP_DWARF_PC], 108);
    assert_int_equal(s.stack_size, 48); /* the rest of the copy is not valid */
    assert_memory_equal(s.stack, r.stack, 48);
}

static void a_cut_record_is_refused_at_each_byte(void **state)
{
    (void)state;
    record r = sample();
    tfp_native_state s;
    for (size_t size = 0; size < sizeof r; size++)
        if (parse(&r, size, &s)) fail_msg("%zu bytes of %zu are taken", size, sizeof r);
    assert_true(parse(&r, sizeof r, &s));
}

static void sizes_that_lie_are_refused(void **state)
{
    (void)state;
    static const uint64_t rooms[] = { STACK + 1, STACK + 8, 1 << 20, INT64_MAX, UINT64_MAX, UINT64_MAX - 7 };
    tfp_native_state s;
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        record r = sample();
        r.stack_room = rooms[i];
        assert_false(parse(&r, sizeof r, &s));
    }
    record r = sample();
    r.stack_used = UINT64_MAX; /* more than the record contains: then all of the copy is valid */
    assert_true(parse(&r, sizeof r, &s));
    assert_int_equal(s.stack_size, STACK);
    r = sample();
    r.stack_room = 0; /* a thread without a stack in user space has no copy, and no count of its bytes */
    assert_true(parse(&r, sizeof r, &s));
    assert_int_equal(s.stack_size, 0);
}

static void threads_of_the_kernel_and_of_32_bits_have_no_registers(void **state)
{
    (void)state;
    static const uint64_t abis[] = { PERF_SAMPLE_REGS_ABI_NONE, PERF_SAMPLE_REGS_ABI_32, 3 };
    for (size_t i = 0; i < 3; i++) {
        record r = sample();
        tfp_native_state s;
        r.abi = abis[i];
        assert_false(parse(&r, sizeof r, &s));
    }
}

/* ---- a real thread ---- */

typedef struct worker {
    pthread_t thread;
    pid_t tid;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool works, over;
    size_t samples, wrong;
} worker;

static void *work(void *ctx)
{
    worker *w = ctx;
    pthread_mutex_lock(&w->lock);
    w->tid = (pid_t)syscall(SYS_gettid);
    pthread_cond_broadcast(&w->changed);
    while (!w->works) pthread_cond_wait(&w->changed, &w->lock);
    pthread_mutex_unlock(&w->lock);
    while (!__atomic_load_n(&w->over, __ATOMIC_SEQ_CST)) {}
    return NULL;
}

static void take(void *ctx, int64_t tid, const tfp_native_state *s)
{
    worker *w = ctx;
    w->samples++;
    w->wrong += tid != w->tid || !s->registers[TFP_DWARF_PC] || !s->registers[TFP_DWARF_SP];
}

static void a_thread_is_sampled_by_its_own_time(void **state)
{
    (void)state;
    worker w = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
    assert_int_equal(pthread_create(&w.thread, NULL, work, &w), 0);
    pthread_mutex_lock(&w.lock);
    while (!w.tid) pthread_cond_wait(&w.changed, &w.lock);
    tfp_perf *p = tfp_perf_new(getpid(), 1000000);
    assert_non_null(p);
    const char *why = tfp_perf_add(p, w.tid);
    tfp_perf_facts facts = tfp_perf_facts_of(p);
    assert_int_equal(facts.refused, why != NULL);
    assert_null(tfp_perf_add(p, w.tid)); /* the second time nothing happens */
    assert_int_equal(tfp_perf_facts_of(p).refused, facts.refused);
    if (!why) { /* containers often forbid it */
        tfp_perf_read(p, 0, take, &w);
        assert_int_equal(w.samples, 0); /* it waits, and a thread that waits uses no time */
    }
    w.works = true;
    pthread_cond_broadcast(&w.changed);
    pthread_mutex_unlock(&w.lock);
    for (int turns = 0; !why && turns < 2000 && w.samples < 3; turns++) tfp_perf_read(p, 50000000, take, &w);
    if (!why) assert_true(w.samples >= 3 && w.wrong == 0);
    __atomic_store_n(&w.over, true, __ATOMIC_SEQ_CST);
    pthread_join(w.thread, NULL);
    if (!why) assert_non_null(tfp_perf_add(p, INT32_MAX)); /* no thread has that number */
    tfp_perf_free(p);
}

/* ---- threads that wait ---- */

static void waiting_threads_tell_two_registers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool ok;
    } rows[] = {
        { "202 0x7f00 0x80 0x0 0x0 0x0 0xffffffff 0x7ffd10 0x7f20\n", true },
        { "running\n", false },
        { "-1 0x7ffd10 0x7f20\n", true }, /* it waits outside of a system call */
        { "", false },
        { "202", false },
        { "202 0x7f00 0x80 0x0 0x0 0x0 0xffffffff 0x7ffd10\n", false },
        { "202 0x7f00 0x80\n", false },
        { "-1 0x7ffd10\n", false },
        { "-1", false },
        { "202 0x 0x 0x 0x 0x 0x 0x 0x\n", false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tfp_native_state s;
        bool ok = tfp_native_blocked_parse(rows[i].text, &s);
        if (ok != rows[i].ok) fail_msg("%s gives %d", rows[i].text, ok);
        if (!ok) continue;
        assert_true(s.only_sp_and_pc);
        assert_int_equal(s.registers[TFP_DWARF_SP], 0x7ffd10);
        assert_int_equal(s.registers[TFP_DWARF_PC], 0x7f20);
        assert_int_equal(s.stack_size, 0);
    }
    tfp_native_state s;
    char where[64] = "x";
    assert_false(tfp_native_blocked(getpid(), INT32_MAX, &s));
    tfp_native_kernel(getpid(), INT32_MAX, where, sizeof where);
    assert_string_equal(where, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_have_the_numbers_of_dwarf),
        cmocka_unit_test(a_cut_record_is_refused_at_each_byte),
        cmocka_unit_test(sizes_that_lie_are_refused),
        cmocka_unit_test(threads_of_the_kernel_and_of_32_bits_have_no_registers),
        cmocka_unit_test(a_thread_is_sampled_by_its_own_time),
        cmocka_unit_test(waiting_threads_tell_two_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
