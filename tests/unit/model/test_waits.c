// SPDX-License-Identifier: Apache-2.0
/* tests/unit/model/test_waits.c: which frames wait, by the names that PyTorch, XPlane, py-spy and perf give them; and which files are no
 * code of the user. */
#include "model/frames/kinds.h"
#include "model/span_names.h"
#include "support.h"

static const char *cause(const char *name) { return tfp_frame_wait_word(tfp_frame_waits(tfp_str_of(name))); }

static void built_ins_that_wait(void **state)
{
    (void)state;
    assert_string_equal(cause("<built-in method acquire of _thread.lock object at 0x7f00>"), "lock");
    assert_string_equal(cause("<method 'acquire' of '_thread.lock' objects>"), "lock");
    assert_string_equal(cause("<built-in function sleep>"), "sleep");
    assert_string_equal(cause("<built-in method sleep of module object at 0x7f00>"), "sleep");
    assert_string_equal(cause("<built-in method poll of select.poll object at 0x7f00>"), "poll");
    assert_string_equal(cause("<built-in function select>"), "poll");
    assert_string_equal(cause("<built-in method get of _queue.SimpleQueue object at 0x7f00>"), "queue");
    assert_string_equal(cause("<built-in method join of _thread._ThreadHandle object at 0x7f00>"), "lock");
    assert_string_equal(cause("<built-in method recv of _socket.socket object at 0x7f00>"), "poll");
    assert_string_equal(cause("<built-in function read>"), "poll");
    assert_string_equal(cause("$time sleep"), "sleep");
    assert_string_equal(cause("$_thread lock.acquire"), "lock");
}

static void built_ins_of_the_same_name_that_work(void **state)
{
    (void)state;
    assert_string_equal(cause("<built-in method select of Tensor object at 0x7f00>"), "");
    assert_string_equal(cause("<built-in method select of type object at 0x7f00>"), "");
    assert_string_equal(cause("<built-in method join of str object at 0x7f00>"), "");
    assert_string_equal(cause("<built-in method get of dict object at 0x7f00>"), "");
    assert_string_equal(cause("<built-in method read of _io.BufferedReader object at 0x7f00>"), "");
    assert_string_equal(cause("$builtins isinstance"), "");
    assert_string_equal(cause("<built-in method mm of type object at 0x7f00>"), "");
}

static void frames_of_modules_that_wait(void **state)
{
    (void)state;
    assert_string_equal(cause("threading.py(629): wait"), "lock");
    assert_string_equal(cause("/usr/lib/python3.11/queue.py:171:get"), "queue");
    assert_string_equal(cause("$selectors.py:415 select"), "poll");
    assert_string_equal(cause("multiprocessing/connection.py(1136): wait"), "poll");
    assert_string_equal(cause("concurrent/futures/_base.py(451): result"), "lock");
    assert_string_equal(cause("threading.py(1002): _bootstrap"),
                        ""); /* its own time is that of a function without a frame */
    assert_string_equal(cause("/home/me/app/queue.py:3:get"), "");
    assert_string_equal(cause("train.py(5): wait"), "");
    assert_string_equal(cause("my_threading.py(5): wait"), "");
}

static void native_frames(void **state)
{
    (void)state;
    assert_string_equal(cause("__futex_abstimed_wait_common"), "lock");
    assert_string_equal(cause("epoll_wait"), "poll");
    assert_string_equal(cause("clock_nanosleep@@GLIBC_2.17"), "sleep");
    assert_string_equal(cause("poll_events(int)"), "");
    assert_string_equal(cause(""), "");
    assert_string_equal(cause("$"), "");
    assert_string_equal(cause("<built-in method "), "");
}

static void generated_files(void **state)
{
    (void)state;
    static const char *const yes[] = { "/tmp/torchinductor_me/ry/crysk.py",
                                       "C:\\x\\torchinductor_me\\a.py",
                                       "/tmp/x/output_code.py",
                                       "/root/.triton/cache/A/__triton_launcher.py",
                                       "torchtitan_fx_codegen/g.py",
                                       "/home/me/.cache/vllm/torch_compile_cache/ab/rank_0_0/transformed_code.py",
                                       "/tmp/__autograph_generated_file1x.py",
                                       "/c/ry/cryaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.py" };
    static const char *const no[] = { "/home/me/output_code.py", "/home/me/ry/crysk.py", "/tmp/train.py",
                                      "/c/rz/cryaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.py", "" };
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) assert_true(tfp_is_generated_file(tfp_str_of(yes[i])));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) assert_false(tfp_is_generated_file(tfp_str_of(no[i])));
    assert_true(tfp_is_library_file(tfp_str_of(yes[0])));
    assert_true(tfp_is_library_file(TFP_STR("tqdm/std.py")));
    assert_true(tfp_is_library_file(TFP_STR("<eval_with_key>.3")));
    assert_false(tfp_is_library_file(TFP_STR("<ipython-input-3-a>")));
}

static void frames_of_xplane(void **state)
{
    (void)state;
    tfp_python_frame f;
    assert_true(tfp_python_frame_of(TFP_STR("$train.py:8 load_batch"), &f));
    assert_true(tfp_str_eq(f.file, TFP_STR("train.py")) && f.line == 8 &&
                tfp_str_eq(f.function, TFP_STR("load_batch")));
    assert_true(tfp_python_frame_of(TFP_STR("$<frozen abc>:117 __instancecheck__"), &f));
    assert_false(tfp_python_frame_of(TFP_STR("$time sleep"), &f));
    assert_false(tfp_python_frame_of(TFP_STR("$:8 f"), &f));
    assert_false(tfp_python_frame_of(TFP_STR("$a:8"), &f));
    assert_false(tfp_python_frame_of(TFP_STR("$"), &f));
    assert_true(tfp_str_eq(tfp_path_of_bare_file(TFP_STR("pjit.py")), TFP_STR("jax/_src/pjit.py")));
    assert_true(tfp_is_library_file(tfp_path_of_bare_file(TFP_STR("_methods.py"))));
    assert_true(tfp_str_eq(tfp_path_of_bare_file(TFP_STR("train.py")), TFP_STR("train.py")));
    assert_true(tfp_str_eq(tfp_path_of_bare_file(TFP_STR("")), TFP_STR("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(built_ins_that_wait),
                                        cmocka_unit_test(built_ins_of_the_same_name_that_work),
                                        cmocka_unit_test(frames_of_modules_that_wait),
                                        cmocka_unit_test(native_frames),
                                        cmocka_unit_test(generated_files),
                                        cmocka_unit_test(frames_of_xplane) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
