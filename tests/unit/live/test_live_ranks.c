// SPDX-License-Identifier: Apache-2.0
/* tests/unit/live/test_live_ranks.c: the verdict about the ranks of a running job, from facts that are made here. */
#include "support.h"

#include "live/proc/proc.h"
#include "live/stacks/rank_processes.h"
#include "live/stacks/ranks.h"
#include "live/stacks/ranks_dumps.h"
#include "options/cells.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 32 };
typedef struct job {
    tfp_rank_row rows[ROWS];
    size_t count;
} job;

static const int64_t world[] = { 0, 1, 2, 3 }, low[] = { 0, 1 }, middle[] = { 1, 2 }, high[] = { 2, 3 };

/* Adds a rank: in a collective at a line, or, without one, at the line. */
static tfp_rank_row *add(job *j, const char *collective, const char *line)
{
    tfp_rank_row *row = &j->rows[j->count];
    *row = (tfp_rank_row){
        .rank = (int64_t)j->count, .world = 4, .pid = 100 + (int64_t)j->count, .job = 7, .state = TFP_STR("sleeping")
    };
    row->collective = collective ? tfp_str_of(collective) : (tfp_str){ NULL, 0 };
    row->line = tfp_str_of(line);
    j->count++;
    return row;
}

static void in_group(tfp_rank_row *row, const char *name, const int64_t *members, size_t count)
{
    row->group = tfp_str_of(name);
    row->members = members;
    row->member_count = count;
}

/* The verdict must be this, and the finding of each rank ("waits waits missing"). */
static void assert_verdict(job *j, const char *verdict, const char *findings)
{
    tfp_buf b = { 0 }, all = { 0 };
    const tfp_rank_rows rows = { (char *)j->rows, sizeof *j->rows, 0, j->count };
    tfp_ranks_verdict(&rows, 7, &b);
    tfp_buf_char(&b, 0);
    assert_string_equal(b.data, verdict);
    for (size_t i = 0; i < j->count; i++) {
        if (i) tfp_buf_char(&all, ' ');
        tfp_buf_str(&all, j->rows[i].finding.size ? j->rows[i].finding : TFP_STR("-"));
    }
    tfp_buf_char(&all, 0);
    assert_string_equal(all.data, findings);
    tfp_buf_free(&b);
    tfp_buf_free(&all);
}

static void a_rank_in_no_collective_is_missing(void **state)
{
    (void)state;
    job j = { .count = 0 };
    add(&j, "all_reduce", "t.py:3:f"), add(&j, NULL, "t.py:1:load"), add(&j, "all_reduce", "t.py:3:f"),
        add(&j, NULL, "t.py:1:load");
    j.rows[1].runs = true;
    assert_verdict(&j, "rank 1|3 is at t.py:1:load, where it runs, and rank 0|2 waits in all_reduce",
                   "waits missing waits missing");
}

static void another_collective_or_line_is_another_order(void **state)
{
    (void)state;
    job j = { .count = 0 };
    add(&j, "all_reduce", "t.py:3:f"), add(&j, "barrier", "t.py:4:f"), add(&j, "all_reduce", "t.py:3:f");
    assert_verdict(&j, "rank 1 is at t.py:4:f, in barrier, and rank 0|2 waits in all_reduce at t.py:3:f",
                   "waits order waits");
    job two = { .count = 0 };
    add(&two, "all_reduce", "t.py:3:f"), add(&two, "all_reduce", "t.py:4:f");
    assert_verdict(&two, "no rank alone: rank 0 is at t.py:3:f in all_reduce, rank 1 is at t.py:4:f in all_reduce",
                   "order order");
}

static void groups_in_a_circle_are_crossed(void **state)
{
    (void)state;
    job j = { .count = 0 };
    for (int i = 0; i < 3; i++) in_group(add(&j, "all_reduce", "t.py:3:f"), "0", world, 4);
    in_group(add(&j, "broadcast", "t.py:4:f"), "1", high, 2);
    assert_verdict(&j,
                   "rank 3 is at t.py:4:f, in broadcast of group 1, and rank 0|1|2 waits in all_reduce of group 0 at "
                   "t.py:3:f; each waits "
                   "for the next: 3 → group 1 → 2 → group 0 → 3",
                   "waits waits waits crossed");
    job tie = { .count = 0 };
    in_group(add(&tie, "all_reduce", "t.py:3:f"), "1", low, 2),
        in_group(add(&tie, "all_reduce", "t.py:4:f"), "2", low, 2);
    assert_verdict(&tie,
                   "no rank alone: rank 0 is at t.py:3:f, in all_reduce of group 1, rank 1 is at t.py:4:f, in "
                   "all_reduce of group 2; each "
                   "waits for the next: 0 → group 1 → 1 → group 2 → 0",
                   "crossed crossed");
}

static void the_end_of_a_chain_is_named(void **state)
{
    (void)state;
    job j = { .count = 0 };
    in_group(add(&j, "all_reduce", "t.py:3:f"), "1", low, 2),
        in_group(add(&j, "all_reduce", "t.py:4:f"), "2", middle, 2);
    in_group(add(&j, "all_reduce", "t.py:5:f"), "3", high, 2), add(&j, NULL, "t.py:1:load");
    assert_verdict(&j, "rank 3 is at t.py:1:load, and rank 0|1|2 waits in all_reduce", "waits waits waits missing");
    job stuck = { .count = 0 };
    in_group(add(&stuck, "all_reduce", "t.py:3:f"), "0", world, 4),
        in_group(add(&stuck, "all_reduce", "t.py:3:f"), "0", world, 4);
    in_group(add(&stuck, "send", "t.py:5:f"), "3", high, 2), in_group(add(&stuck, "send", "t.py:5:f"), "3", high, 2);
    assert_verdict(&stuck,
                   "rank 2|3 waits in send of group 3 at t.py:5:f, in which all of its ranks are: network or device",
                   "waits waits waits waits");
}

static void all_ranks_stopped_ended_or_moving(void **state)
{
    (void)state;
    job j = { .count = 0 };
    for (int i = 0; i < 4; i++) add(&j, "all_reduce", "t.py:3:f");
    assert_verdict(&j, "all 4 ranks wait in all_reduce, at t.py:3:f", "waits waits waits waits");
    j.rows[2].moved = true;
    assert_verdict(&j, "nothing hangs: 1 of 4 ranks moved, and rank 0|1|3 waits in all_reduce",
                   "waits waits moves waits");
    j.rows[2].state = TFP_STR("stopped");
    assert_verdict(&j, "rank 2 is stopped at t.py:3:f, in all_reduce, and rank 0|1|3 waits in all_reduce",
                   "waits waits stopped waits");
    j.rows[2] = (tfp_rank_row){ .rank = 2, .world = 4, .pid = TFP_ABSENT, .job = 7 };
    assert_verdict(&j, "rank 2 ended, and rank 0|1|3 waits in all_reduce", "waits waits ended waits");
    j.rows[2] = j.rows[3];
    j.count = 3;
    assert_verdict(
        &j, "unknown: 1 of 4 ranks are not among these processes, and rank 0|1|3 waits in all_reduce, at t.py:3:f",
        "waits waits waits");
}

static void counts_of_ras_make_lines_equal(void **state)
{
    (void)state;
    job j = { .count = 0 };
    add(&j, "AllReduce 9 of communicator ab", "t.py:3:f"), add(&j, "AllReduce 9 of communicator ab", "t.py:9:g"),
        add(&j, NULL, "t.py:1:load");
    for (size_t i = 0; i < 3; i++) j.rows[i].by_count = true;
    assert_verdict(&j, "rank 2 is at t.py:1:load, and rank 0|1 waits in AllReduce 9 of communicator ab",
                   "waits waits missing");
}

/* A rank that runs, and the dump of one that does not; a dump of the rank that runs does not count. */
static void dumps_stand_for_ranks_that_do_not_run(void **state)
{
    (void)state;
    static const char *const names[] = { "0", "1" };
    for (int i = 0; i < 2; i++) {
        char path[512];
        tfp_arena arena = { 0 };
        job j = { .count = 0 };
        tfp_rank_list rows = { 0 };
        snprintf(path, sizeof path, TEST_DATA "/sample/torch_files/hang/nccl_trace_rank_%s", names[i]);
        tfp_profile *p = profile_in_file(path);
        assert_true(tfp_push(&rows, *add(&j, NULL, "t.py:1:load")));
        assert_true(tfp_ranks_add_dumps(p, 7, &arena, &rows));
        assert_int_equal(rows.size, 1 + i);
        if (i) {
            memcpy(j.rows, rows.at, rows.size * sizeof *j.rows);
            j.count = rows.size;
            assert_int_equal(j.rows[1].member_count, 3);
            assert_verdict(&j, "rank 0 is at t.py:1:load, and rank 1 waits in all_reduce", "missing waits");
        }
        tfp_vec_free(&rows);
        tfp_arena_free(&arena);
        tfp_profile_free(p);
    }
}

static uint32_t seed = 5;
static size_t chance(size_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

/* A fault in jobs of 2 to 32 ranks: the verdict names the rank of the fault first. */
static void the_rank_at_fault_comes_first(void **state)
{
    (void)state;
    static const char *const lines[] = { "t.py:3:f", "t.py:4:f" };
    for (int turn = 0; turn < 400; turn++) {
        job j = { .count = 0 };
        size_t ranks = 3 + chance(ROWS - 2), who = chance(ranks), what = chance(4);
        char want[32];
        tfp_buf b = { 0 };
        for (size_t i = 0; i < ranks; i++) {
            tfp_rank_row *row = add(&j, i == who && what == 0 ? NULL : "all_reduce", lines[i == who && what == 1]);
            row->world = (int64_t)ranks;
            if (i == who && what == 2) row->state = TFP_STR("stopped");
            if (i == who && what == 3)
                *row = (tfp_rank_row){ .rank = row->rank, .world = row->world, .pid = TFP_ABSENT, .job = 7 };
        }
        const tfp_rank_rows rows = { (char *)j.rows, sizeof *j.rows, 0, j.count };
        tfp_ranks_verdict(&rows, 7, &b);
        int n = snprintf(want, sizeof want, "rank %zu ", who);
        assert_true(b.size > (size_t)n && !memcmp(b.data, want, (size_t)n));
        tfp_buf_free(&b);
    }
}

/* Runs a program that sleeps, as a rank of two. */
static void become(const char *program, const char *rank)
{
    char setting[20];
    char *const words[] = { (char *)(uintptr_t)program, (char *)(uintptr_t) "60", NULL };
    char *const settings[] = { setting, (char *)(uintptr_t) "WORLD_SIZE=2", NULL };
    snprintf(setting, sizeof setting, "RANK=%s", rank);
    execve(program, words, settings);
    _exit(1);
}

static pid_t fork_into(volatile pid_t *out)
{
    pid_t pid = fork();
    if (pid)
        *out = pid; /* it is shared: the child does not write */
    else
        alarm(60);
    return pid;
}

/* A launcher with two ranks below a process that takes the orphans. Rank 1 starts a program and ends. */
static void start_ranks(const char *python, volatile pid_t *pids)
{
    if (fork_into(&pids[0])) return;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (!fork_into(&pids[1])) {
        if (!fork_into(&pids[2])) become(python, "0");
        if (!fork_into(&pids[4])) {
            if (!fork_into(&pids[3])) become("/bin/sleep", "1");
            _exit(0);
        }
    }
    for (;;) pause();
}

static bool is_rank_below(pid_t pid, pid_t parent)
{
    tfp_proc_stat stat;
    char rank[20];
    return pid && tfp_proc_stat_read(pid, &stat) && stat.parent == parent &&
           tfp_proc_setting(pid, "RANK", rank, sizeof rank);
}

/* What a rank that ended left behind has its RANK: it is not this rank. */
static void a_program_that_a_rank_left_behind_is_no_rank(void **state)
{
    (void)state;
    char copy[400], python[300];
    char *place = new_folder();
    snprintf(python, sizeof python, "%s/python3", place);
    snprintf(copy, sizeof copy, "cp -L /bin/sleep '%s'", python);
    assert_int_equal(system(copy), 0); /* NOLINT: a fixed command */
    volatile pid_t *pids = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(pids != MAP_FAILED);
    start_ranks(python, pids);
    for (int i = 0; i < 1000 && !(is_rank_below(pids[2], pids[1]) && is_rank_below(pids[3], pids[0])); i++)
        usleep(10000);
    assert_true(is_rank_below(pids[2], pids[1]) && is_rank_below(pids[3], pids[0]));
    tfp_rank_pids all = { 0 };
    assert_int_equal(tfp_rank_processes(NULL, 0, &all, NULL, NULL), TFP_OK);
    size_t rank = 0, behind = 0;
    for (size_t i = 0; i < all.size; i++) rank += all.at[i] == pids[2], behind += all.at[i] == pids[3];
    assert_int_equal(rank, 1);
    assert_int_equal(behind, 0);
    tfp_vec_free(&all);
    for (int i = 3; i >= 0; i--) kill(pids[i], SIGKILL);
    waitpid(pids[0], NULL, 0);
    munmap((void *)(uintptr_t)pids, 4096);
    drop_folder(place);
}

/* Looks at a rank, at these stacks one after the other. */
static tfp_rank_looks looks_at(job *j, size_t rank, const char *const *stacks, size_t count)
{
    tfp_rank_looks all = { .count = 0 };
    for (size_t i = 0; i < count; i++) {
        tfp_rank_row seen = j->rows[rank];
        seen.stack = tfp_str_of(stacks[i]);
        if (!seen.collective.size) seen.line = tfp_str_of(strrchr(stacks[i], ';') + 1);
        tfp_rank_add_look(&all, &seen);
    }
    return all;
}

/* While others wait, a rank in a loop that calls a function now and then does not move; one in an evaluation does. */
static void a_loop_that_calls_functions_is_a_loop(void **state)
{
    (void)state;
    static const char *const waits[] = { "t.py:1:main;t.py:9:train", "t.py:1:main;t.py:9:train",
                                         "t.py:1:main;t.py:9:train", "t.py:1:main;t.py:9:train" },
                             *const loop[] = { "t.py:1:main;t.py:20:load", "t.py:1:main;t.py:20:load;t.py:30:healed",
                                               "t.py:1:main;t.py:21:load", "t.py:1:main;t.py:20:load" },
                             *const evaluation[] = { "t.py:1:main;t.py:20:load",
                                                     "t.py:1:main;t.py:20:load;t.py:30:forward",
                                                     "t.py:1:main;t.py:21:load",
                                                     "t.py:1:main;t.py:20:load;t.py:40:metric" };
    for (int i = 0; i < 4; i++) {
        job j = { .count = 0 };
        add(&j, "all_reduce", "t.py:9:train");
        add(&j, i == 2 ? "all_reduce" : NULL, "t.py:20:load"); /* 2: it was in a collective at a look */
        add(&j, "all_reduce", "t.py:9:train");
        tfp_rank_looks looks[3] = { looks_at(&j, 0, waits, 4), looks_at(&j, 1, i == 1 ? evaluation : loop, 4),
                                    looks_at(&j, 2, waits, 4) };
        looks[2].passed = i == 3; /* another rank goes on */
        tfp_ranks_settle(j.rows, looks, 3);
        assert_false(j.rows[0].moved);
        assert_int_equal(j.rows[1].moved, i != 0);
        assert_int_equal(j.rows[1].runs, i == 0);
        assert_int_equal(j.rows[2].moved, i == 3);
        if (!i) assert_true(tfp_str_eq(j.rows[1].line, TFP_STR("t.py:20:load")));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rank_in_no_collective_is_missing),
        cmocka_unit_test(another_collective_or_line_is_another_order),
        cmocka_unit_test(groups_in_a_circle_are_crossed),
        cmocka_unit_test(the_end_of_a_chain_is_named),
        cmocka_unit_test(all_ranks_stopped_ended_or_moving),
        cmocka_unit_test(counts_of_ras_make_lines_equal),
        cmocka_unit_test(dumps_stand_for_ranks_that_do_not_run),
        cmocka_unit_test(the_rank_at_fault_comes_first),
        cmocka_unit_test(a_program_that_a_rank_left_behind_is_no_rank),
        cmocka_unit_test(a_loop_that_calls_functions_is_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
