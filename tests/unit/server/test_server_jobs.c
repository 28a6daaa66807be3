// SPDX-License-Identifier: Apache-2.0
/* tests/unit/server/test_server_jobs.c: the queue of requests: how many threads work on one profile, answers that wait for a
 * change or until their time is over, and what everyone gets when the server ends. */
#include "support.h"

#include "data/jobs.h"
#include "http/clock.h"

#include <string.h>
#include <unistd.h>

enum { MANY = 1500 };

/* Jobs are worked on until the test opens the gate, so that the test sees who is at work at the same time. */
typedef struct hall {
    jobs queue;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t begun, done;
    job *order[2 * MANY]; /* in which work began */
    bool open;
    uint64_t version;
    int again;   /* the first answers to each job ask to wait, this often */
    int wait_ms; /* for that long */
} hall;

static hall h;

static void work(void *ctx, job *j)
{
    hall *x = ctx;
    pthread_mutex_lock(&x->lock);
    x->order[x->begun++] = j;
    pthread_cond_broadcast(&x->changed);
    while (!x->open) pthread_cond_wait(&x->changed, &x->lock);
    j->answer = (answer){ .status = ANSWER_OK, .wait_ms = x->again > 0 ? x->wait_ms : 0 };
    x->again--;
    pthread_mutex_unlock(&x->lock);
}

static void wake(void *ctx, job *j)
{
    hall *x = ctx;
    assert_true(j->done);
    pthread_mutex_lock(&x->lock);
    x->done++;
    pthread_cond_broadcast(&x->changed);
    pthread_mutex_unlock(&x->lock);
}

static uint64_t version(void *ctx)
{
    hall *x = ctx;
    pthread_mutex_lock(&x->lock);
    uint64_t now = x->version;
    pthread_mutex_unlock(&x->lock);
    return now;
}

static int begin(void **state)
{
    (void)state;
    h = (hall){ .queue = { .work = work, .wake = wake, .version = version, .ctx = &h },
                .lock = PTHREAD_MUTEX_INITIALIZER,
                .changed = PTHREAD_COND_INITIALIZER };
    assert_true(jobs_start(&h.queue));
    return 0;
}

static void open_gate(void)
{
    pthread_mutex_lock(&h.lock);
    h.open = true;
    pthread_cond_broadcast(&h.changed);
    pthread_mutex_unlock(&h.lock);
}

/* Waits until as many are done, or have begun. */
static void wait_for(const size_t *number, size_t wanted)
{
    pthread_mutex_lock(&h.lock);
    while (*number < wanted) pthread_cond_wait(&h.changed, &h.lock);
    pthread_mutex_unlock(&h.lock);
}

static size_t number_of(const size_t *number)
{
    pthread_mutex_lock(&h.lock);
    size_t n = *number;
    pthread_mutex_unlock(&h.lock);
    return n;
}

static job *new_job(const char *about, const char *path)
{
    job *j = calloc(1, sizeof *j);
    assert_non_null(j);
    j->request.path = path;
    j->since_ms = now_ms();
    snprintf(j->about, sizeof j->about, "%s", about);
    return j;
}

static job *add(const char *about, const char *path)
{
    job *j = new_job(about, path);
    assert_true(jobs_add(&h.queue, j));
    return j;
}

static bool has_begun(const job *j)
{
    bool found = false;
    pthread_mutex_lock(&h.lock);
    for (size_t i = 0; i < h.begun; i++) found |= h.order[i] == j;
    pthread_mutex_unlock(&h.lock);
    return found;
}

/* ---- shares ---- */

static void one_profile_leaves_threads_for_others(void **state)
{
    (void)state;
    job *all[6];
    for (int i = 0; i < 4; i++) all[i] = add("a", "/steps");
    all[4] = add("b", "/steps");
    all[5] = add("", "/compare"); /* it is about no profile, so the limit for each profile does not apply */
    wait_for(&h.begun, 4);
    assert_true(has_begun(all[0]) && has_begun(all[1]) && has_begun(all[4]) && has_begun(all[5]));
    open_gate();
    wait_for(&h.done, 6);
    jobs_stop(&h.queue);
    for (int i = 0; i < 6; i++) free(all[i]);
}

static void a_query_leaves_a_thread_for_views_of_its_profile(void **state)
{
    (void)state;
    job *all[5];
    all[0] = add("a", "/api/v1/profiles/a/query");
    wait_for(&h.begun, 1);
    all[1] = add("a", "/api/v1/profiles/a/query");
    all[2] = add("a", "/api/v1/profiles/a/steps");
    all[3] = add("b", "/api/v1/profiles/b/query"); /* of another profile */
    all[4] = add("b", "/api/v1/profiles/b/steps");
    wait_for(&h.begun, 4);
    assert_false(has_begun(all[1]));
    open_gate();
    wait_for(&h.done, 5);
    jobs_stop(&h.queue);
    for (int i = 0; i < 5; i++) free(all[i]);
}

/* ---- waiting ---- */

static void an_answer_waits_for_a_change(void **state)
{
    (void)state;
    h.again = 1;
    h.wait_ms = 60000;
    open_gate();
    job *j = add("a", "/changes");
    wait_for(&h.begun, 1);
    jobs_look(&h.queue); /* nothing has changed, so it goes on waiting */
    assert_int_equal(number_of(&h.done), 0);
    pthread_mutex_lock(&h.lock);
    h.version++;
    pthread_mutex_unlock(&h.lock);
    for (size_t done = 0; !done; done = number_of(&h.done))
        jobs_look(&h.queue); /* a job that has just begun to wait is found the next time */
    assert_int_equal(h.begun, 2);
    jobs_stop(&h.queue);
    free(j);
}

static void an_answer_is_given_when_its_time_is_over(void **state)
{
    (void)state;
    h.again = 1000000;
    h.wait_ms = 80;
    open_gate();
    job *j = add("a", "/changes");
    for (size_t done = 0; !done; done = number_of(&h.done)) jobs_look(&h.queue);
    assert_true(now_ms() - j->since_ms >= 80);
    assert_int_equal(j->answer.status, ANSWER_OK);
    jobs_stop(&h.queue);
    free(j);
}

/* ---- limits, and the end ---- */

static void too_many_are_refused_and_all_others_told_of_the_end(void **state)
{
    (void)state;
    static job *all[MANY + 1];
    for (size_t i = 0; i < MANY; i++) all[i] = add("a", "/steps");
    all[MANY] = new_job("a", "/steps");
    assert_false(jobs_add(&h.queue, all[MANY]));
    wait_for(&h.begun, JOBS_SHARE);
    assert_int_equal(h.begun, JOBS_SHARE);
    pthread_mutex_lock(&h.queue.lock);
    h.queue.stop = true; /* as jobs_stop does first: whoever is at work comes to its end, and nobody begins */
    pthread_mutex_unlock(&h.queue.lock);
    assert_false(jobs_add(&h.queue, all[MANY]));
    open_gate();
    jobs_stop(&h.queue);
    assert_int_equal(h.done, MANY);
    size_t ended = 0;
    for (size_t i = 0; i <= MANY; i++) {
        if (i < MANY && all[i]->answer.status == ANSWER_BUSY) {
            assert_string_equal(all[i]->answer.error, "the server ends");
            ended++;
        }
        answer_free(&all[i]->answer);
        free(all[i]);
    }
    assert_int_equal(ended, MANY - JOBS_SHARE);
}

static void a_waiting_job_is_told_of_the_end(void **state)
{
    (void)state;
    h.again = 1;
    h.wait_ms = 60000;
    open_gate();
    job *j = add("a", "/changes");
    wait_for(&h.begun, 1);
    jobs_stop(&h.queue);
    assert_true(j->done && h.done == 1);
    answer_free(&j->answer);
    free(j);
}

static void room_is_free_again_after_an_answer(void **state)
{
    (void)state;
    static job *all[2 * MANY];
    open_gate();
    for (size_t i = 0; i < 2 * MANY; i++) {
        all[i] = add("", "/compare");
        if (i % 500 == 499) wait_for(&h.done, i + 1);
    }
    assert_int_equal(h.queue.count, 0);
    jobs_stop(&h.queue);
    for (size_t i = 0; i < 2 * MANY; i++) free(all[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(one_profile_leaves_threads_for_others, begin),
        cmocka_unit_test_setup(a_query_leaves_a_thread_for_views_of_its_profile, begin),
        cmocka_unit_test_setup(an_answer_waits_for_a_change, begin),
        cmocka_unit_test_setup(an_answer_is_given_when_its_time_is_over, begin),
        cmocka_unit_test_setup(too_many_are_refused_and_all_others_told_of_the_end, begin),
        cmocka_unit_test_setup(a_waiting_job_is_told_of_the_end, begin),
        cmocka_unit_test_setup(room_is_free_again_after_an_answer, begin),
    };
    alarm(120); /* a job that never begins ends the test, too */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
