// SPDX-License-Identifier: Apache-2.0
/* tests/unit/watch/test_watch_rows.c: rows of steps from hits, looks and totals: times add up, and counters are divided at the boundaries. */
#include "../support.h"

#include "watch/record/record.h"

#include <math.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS ((int64_t)1000000)

static watch_process *new_process(void)
{
    watch_process *p = calloc(1, sizeof *p);
    assert_non_null(p);
    assert_true(tfp_texts_start(&p->texts) && watch_marks_start(&p->marks));
    p->rank.rank = 1;
    return p;
}

static void drop(watch_process *p)
{
    watch_marks_end(&p->marks);
    tfp_texts_free(&p->texts);
    tfp_vec_free(&p->looks);
    tfp_vec_free(&p->ended);
    tfp_vec_free(&p->rows);
    free(p);
}

static void look(watch_process *p, int64_t at_ns, tfp_watch_class doing, const char *line)
{
    watch_look l = { .at_ns = at_ns, .cpu_ns = at_ns / 10, .run_delay_ns = at_ns / 100, .doing = doing };
    l.line = tfp_intern(&p->texts.table, tfp_str_of(line));
    assert_true(tfp_push(&p->looks, l));
}

static void classes_add_up_to_the_step(void **state)
{
    (void)state;
    watch_process *p = new_process();
    look(p, 1 * MS, TFP_WATCH_COMPUTE, "a");
    for (int64_t t = 11; t <= 211; t += 10)
        look(p, t * MS, t % 20 == 1 ? TFP_WATCH_INPUT : TFP_WATCH_COMPUTE, t % 20 == 1 ? "load" : "train");
    watch_step steps[] = {
        { .number = 0, .start_ns = 20 * MS, .end_ns = 50 * MS }, /* its start was not summed up */
        { .number = 1, .start_ns = 50 * MS, .end_ns = 100 * MS, .wait_ns = 10 * MS, .collectives = 3 },
        { .number = 2, .start_ns = 100 * MS, .end_ns = 150 * MS }
    };
    p->marks.begun = 3;
    p->layers = 1u << WATCH_PROBES;
    assert_true(tfp_push(&p->ended, steps[0]) && tfp_push(&p->ended, steps[1]) && tfp_push(&p->ended, steps[2]));
    assert_true(watch_rows_sum(p, 300 * MS, 0));
    assert_int_equal(p->rows.size, 2);
    for (size_t i = 0; i < 2; i++) {
        const tfp_watch_step *r = &p->rows.at[i].row;
        double all = r->wait_us + r->input_us + r->gc_us + r->lock_us + r->storage_us + r->throttled_us + r->compute_us;
        assert_true(fabs(all - r->duration_us) < 1);
        assert_true(fabs(r->input_us - r->compute_us) < 15000);
        assert_true(fabs(r->cpu_us - 5000) < 1 && fabs(r->run_delay_us - 500) < 1);
        assert_int_equal(r->samples, 5);
        assert_non_null(strstr(p->rows.at[i].lines, "load "));
    }
    assert_true(fabs(p->rows.at[0].row.wait_us - 10000) < 1);
    assert_int_equal(p->ended.size, 0);
    drop(p);
}

static size_t hit(watch_process *p, int64_t at_ns, tfp_probe_role role, watch_step *out)
{
    tfp_probe_hit h = { .pid = 7, .tid = 7, .at_ns = at_ns, .function = 1, .role = role };
    return watch_marks_hit(&p->marks, &h, out);
}

/* Steps of 50 ms with three collectives, of which each takes 2 ms. */
static void collectives_of_a_loop_make_steps(void **state)
{
    (void)state;
    watch_process *p = new_process();
    watch_step step = { 0 };
    size_t ended = 0;
    for (int64_t i = 1; i <= 100; i++) {
        for (int64_t k = 0; k < 3; k++) {
            int64_t at = i * 50 * MS + k * 3 * MS;
            size_t ends = hit(p, at, TFP_PROBE_COLLECTIVE, &step);
            ended += i > 50 ? ends : 0; /* what a step is, is known by then */
            hit(p, at, TFP_PROBE_WAIT, &step);
            hit(p, at + 2 * MS, TFP_PROBE_WAIT_END, &step);
        }
        watch_marks_tick(&p->marks);
    }
    assert_int_equal(ended, 50);
    assert_string_equal(p->marks.are, "period of 3 collectives");
    assert_true(p->marks.fit >= 0.95);
    hit(p, 101 * 50 * MS, TFP_PROBE_COLLECTIVE, &step);
    assert_int_equal(step.collectives, 3);
    assert_int_equal(step.end_ns - step.start_ns, 50 * MS);
    assert_int_equal(step.wait_ns, 6 * MS);
    assert_int_equal(step.arrival_ns - step.start_ns, 42 * MS); /* the input of the step comes first */
    assert_int_equal(step.leave_ns - step.arrival_ns, 2 * MS);
    drop(p);
}

/* A collection of garbage has no frame: the flag of the interpreter tells it. The process that is looked at runs, and
 * has an interpreter that consists of this flag, in memory that is shared with it. */
static void a_flag_of_the_interpreter_tells_collections(void **state)
{
    static const struct {
        int minor, place;
        bool known;
    } versions[] = { { 9, 816, true }, { 11, 848, true }, { 13, 7600, true }, { 14, 7600, false } };
    enum { RUNTIME = 4096, SIZE = 16384 };
    (void)state;
    char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
         *interp = memory + RUNTIME;
    assert_true(memory != MAP_FAILED);
    pid_t pid = fork();
    assert_true(pid >= 0);
    for (alarm(pid ? 0 : 20); !pid;) continue;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        watch_process *p = new_process();
        tfp_method refusal;
        p->rank.pid = pid;
        (void)watch_look_open(p, &refusal);
        const tfp_python_layout *v = tfp_python_layout_of(versions[i].minor);
        p->py.open = true;
        p->py.python = (tfp_python){ .pid = pid, .layout = v, .runtime = (uint64_t)(uintptr_t)memory };
        memset(memory, 0, SIZE);
        memcpy(memory + v->runtime_head, &interp, sizeof interp);
        for (int32_t flag = 0; flag < 3; flag++) {
            memcpy(interp + versions[i].place, &flag, sizeof flag);
            assert_true(watch_look_take(p));
            assert_int_equal(p->last.doing, flag == 1 && versions[i].known ? TFP_WATCH_GC : TFP_WATCH_COMPUTE);
        }
        watch_look_close(p);
        drop(p);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    munmap(memory, SIZE);
}

/* A process without known steps for 24 seconds, of which watch sees 23: windows of 10 s, and at the end the rest. */
static void the_last_window_is_written(void **state)
{
    (void)state;
    for (int ended = 0; ended < 2; ended++) {
        watch_process *p = new_process();
        watch_recorder r = { .nomem = false };
        for (int64_t t = 50; t <= 24000; t += 50) {
            look(p, t * MS, TFP_WATCH_COMPUTE, "train");
            p->last = p->looks.at[p->looks.size - 1];
            if (t % 1000) continue;
            watch_cut_window(&r, p, (t + 1) * MS, false);
            assert_true(watch_rows_sum(p, t * MS, 0));
        }
        if (ended) assert_true(watch_rows_sum(p, 24000 * MS, 0)); /* all looks are summed up when its end is seen */
        watch_cut_window(&r, p, 24300 * MS, true);
        watch_cut_window(&r, p, 24400 * MS, true); /* a second time writes nothing */
        assert_true(watch_rows_sum(p, 24400 * MS, 0));
        assert_int_equal(p->rows.size, 3);
        double all = 0;
        for (size_t i = 0; i < 3; i++) {
            const tfp_watch_step *row = &p->rows.at[i].row;
            assert_true(row->steps == TFP_ABSENT && row->samples > 50);
            assert_true(fabs(row->compute_us - row->duration_us) < 1);
            assert_true(fabs((double)row->start - 1001000 - all) < 1);
            all += row->duration_us;
        }
        assert_true(fabs(all - 22999000) < 1);
        drop(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_add_up_to_the_step),
        cmocka_unit_test(collectives_of_a_loop_make_steps),
        cmocka_unit_test(a_flag_of_the_interpreter_tells_collections),
        cmocka_unit_test(the_last_window_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
