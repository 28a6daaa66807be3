// SPDX-License-Identifier: Apache-2.0
/* Parses what /proc shows: names with brackets, absent lines, libraries by their names, containers, symbols. */
#include "live/attach/attach.h"
#include "live/attach/cpu.h"
#include "live/proc/elf.h"
#include "live/jobs/probe.h"
#include "live/python/python.h"
#include "live/files/run_folder.h"
#include "live/stacks/image.h"
#include "live/stacks/parts.h"
#include "support.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t function_in(int fd, const char *prefix, tfp_elf_facts *facts)
{
    uint64_t offset;
    tfp_elf_functions(fd, &prefix, &offset, 1, facts);
    return offset;
}

static void a_name_may_hold_brackets_and_blanks(void **state)
{
    (void)state;
    tfp_proc_stat s;
    tfp_str text = TFP_STR(
        "42 (a) b (c)) D 7 42 42 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 5 0 12345 67108864 100 18446744073709551615");
    assert_true(tfp_proc_stat_parse(text, &s));
    assert_int_equal(s.pid, 42);
    assert_int_equal(s.state, 'D');
    assert_int_equal(s.parent, 7);
    assert_int_equal(s.cpu_ticks, 30);
    assert_int_equal(s.child_cpu_ticks, 70);
    assert_int_equal(s.threads, 5);
    assert_int_equal(s.start_ticks, 12345);
    assert_int_equal(s.memory_bytes, 67108864);
    assert_int_equal(s.resident_bytes, 100 * sysconf(_SC_PAGESIZE));
    assert_int_equal(s.major_faults, 3);
}

static void a_stat_that_is_cut_is_refused(void **state)
{
    (void)state;
    const char whole[] = "42 (x) R 7 42 42 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 5 0 12345 67108864";
    tfp_proc_stat s;
    for (size_t size = 0; size < 60; size++) assert_false(tfp_proc_stat_parse((tfp_str){ whole, size }, &s));
}

static void a_status_without_memory_says_so(void **state)
{
    (void)state;
    tfp_proc_status s;
    tfp_proc_status_parse(TFP_STR("Name:\tx\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nTracerPid:\t9\n"), &s);
    assert_int_equal(s.uid[0], 1);
    assert_int_equal(s.uid[2], 3);
    assert_int_equal(s.gid[3], 8);
    assert_int_equal(s.tracer, 9);
    assert_int_equal(s.anonymous_bytes, -1);
    tfp_proc_status_parse(TFP_STR("RssAnon:\t  12 kB\nRssFile:\t 3 kB\nRssShmem:\t 0 kB\n"), &s);
    assert_int_equal(s.anonymous_bytes, 12 * 1024);
    assert_int_equal(s.shared_bytes, 0);
    assert_int_equal(s.uid[0], -1);
}

static void a_status_tells_of_filters_and_namespaces(void **state)
{
    (void)state;
    tfp_proc_status s;
    tfp_proc_status_parse(
        TFP_STR("NSpid:\t4711\t23\t5\nSeccomp:\t2\nSeccomp_filters:\t3\nx86_Thread_features:\tshstk \n"), &s);
    assert_int_equal(s.inner_pid, 5);
    assert_int_equal(s.seccomp, 2);
    assert_int_equal(s.seccomp_filters, 3);
    assert_true(s.shadow_stack);
    tfp_proc_status_parse(TFP_STR("Name:\tx\n"), &s);
    assert_int_equal(s.inner_pid, -1);
    assert_int_equal(s.seccomp, 0);
    assert_false(s.shadow_stack);
}

static void a_shadow_stack_is_refused(void **state)
{
    (void)state;
    tfp_proc_status s;
    tfp_method method = { .code = NULL };
    tfp_proc_status_parse(TFP_STR("Name:\tshstk\nx86_Thread_features:\t\nx86_Thread_features_locked:\tshstk wrss\n"),
                          &s);
    assert_false(s.shadow_stack);
    tfp_proc_status_parse(TFP_STR("Name:\tx\nx86_Thread_features:\tshstk wrss\nx86_Thread_features_locked:\t\n"), &s);
    assert_true(s.shadow_stack);
    if (!tfp_cpu_home_code.size) return; /* tfprof cannot attach to processes on this kind of machine */
    assert_false(tfp_attach_allowed(getpid(), &s, &method));
    assert_string_equal(method.code, "unsafe");
    assert_non_null(strstr(method.message, "shadow stack"));
    s.shadow_stack = false;
    assert_true(tfp_attach_allowed(getpid(), &s, &method));
}

static void a_mapped_file_is_known_by_its_first_line(void **state)
{
    (void)state;
    tfp_mapped_file f;
    assert_true(tfp_mapped_file_parse("7f00-7f01 r--p 00000000 08:01 1    /usr/lib/libc.so.6\n", &f));
    assert_string_equal(f.name, "libc.so.6");
    assert_int_equal(f.low, 0x7f00);
    assert_false(f.deleted);
    assert_true(tfp_mapped_file_parse("7f00-7f01 r--p 00000000 08:01 1    /usr/lib/libc.so.6 (deleted)\n", &f));
    assert_string_equal(f.path, "/usr/lib/libc.so.6");
    assert_true(f.deleted);
    assert_false(tfp_mapped_file_parse("7f00-7f01 r--p 00001000 08:01 1    /usr/lib/libc.so.6\n", &f));
    assert_false(tfp_mapped_file_parse("7f00-7f01 rw-p 00000000 00:00 0    [stack]\n", &f));
    assert_false(tfp_mapped_file_parse("7f00-7f01 rw-p 00000000 00:00 0\n", &f));
}

static void code_is_found_by_its_bytes(void **state)
{
    (void)state;
    tfp_elf_facts facts;
    uint64_t value;
    const char *const names[] = { "main" };
    int exe = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    assert_true(tfp_elf_symbols(exe, names, &value, 1, &facts));
    if (!value) return; /* the symbols were stripped */
    char code[16];
    FILE *f = fopen("/proc/self/exe", "re");
    assert_non_null(f);
    uint64_t offset = function_in(exe, "main", &facts);
    assert_int_equal(fseek(f, (long)offset, SEEK_SET), 0);
    assert_int_equal(fread(code, 1, sizeof code, f), sizeof code);
    fclose(f);
    uint64_t at = tfp_elf_code(exe, (tfp_str){ code, sizeof code }, &facts);
    assert_true(at && at <= value);
    assert_int_equal(tfp_elf_code(exe, TFP_STR("no such code \xff\xfe\xfd anywhere"), &facts), 0);
    assert_int_equal(tfp_elf_code(maps, TFP_STR("x"), &facts), 0);
    close(exe);
    close(maps);
}

/* Checks the text only; tests/live/attach.py tests what it does in a job. */
static void an_attach_text_is_two_lines_of_ascii(void **state)
{
    (void)state;
    tfp_buf b = { 0 };
    tfp_attach_settings w = { "/tmp/o'hara \xc3\xb6\n", 1, 2, 3, true };
    tfp_attach_text(&w, &b);
    assert_false(b.failed);
    size_t lines = 0;
    for (size_t i = 0; i < b.size; i++) {
        lines += b.data[i] == '\n';
        assert_true(b.data[i] == '\n' || (b.data[i] >= 32 && b.data[i] < 127));
    }
    assert_int_equal(lines, 2);
    assert_true(tfp_str_has((tfp_str){ b.data, b.size }, TFP_STR("'/tmp/o\\'hara \\xc3\\xb6\\n'")));
    tfp_buf_free(&b);
}

static unsigned frameworks_of(const char *path)
{
    tfp_proc_maps maps = { 0 };
    char line[256];
    int size = snprintf(line, sizeof line, "7f00-7f01 r-xp 00000000 08:01 1    %s", path);
    tfp_proc_maps_line((tfp_str){ line, (size_t)size }, &maps);
    return maps.frameworks;
}

static void libraries_are_known_by_their_file_names(void **state)
{
    (void)state;
    assert_int_equal(frameworks_of("/a/site-packages/torch/lib/libtorch_cpu.so"), TFP_FRAMEWORK_TORCH);
    assert_int_equal(frameworks_of("/a/libtensorflow_framework.so.2"), TFP_FRAMEWORK_TENSORFLOW);
    assert_int_equal(frameworks_of("/a/jaxlib/libjax_common.so (deleted)"), TFP_FRAMEWORK_JAX);
    assert_int_equal(frameworks_of("/a/jaxlib/xla_extension.so"), TFP_FRAMEWORK_JAX);
    assert_int_equal(frameworks_of("/a/xla_extension.cpython-311-x86_64-linux-gnu.so (deleted)"),
                     TFP_FRAMEWORK_JAX | TFP_FRAMEWORK_PYTHON);
    assert_int_equal(frameworks_of("/a/mmap.cpython-311-x86_64-linux-gnu.so"), TFP_FRAMEWORK_PYTHON);
    assert_int_equal(frameworks_of("/a/xla_extension.so.txt"), 0);
    assert_int_equal(frameworks_of("/a/_pywrap_tensorflow_internal.so"), TFP_FRAMEWORK_TENSORFLOW);
    assert_int_equal(frameworks_of("/a/_pywrap_tensorflow_internal.so.bak"), 0);
    assert_int_equal(frameworks_of("/a/libtorch_cpu.so.2"), TFP_FRAMEWORK_TORCH);
    assert_int_equal(frameworks_of("/usr/lib/libcuda.so.1"), TFP_FRAMEWORK_CUDA);
    assert_int_equal(frameworks_of("/usr/bin/python3.11"), TFP_FRAMEWORK_PYTHON);
    assert_int_equal(frameworks_of("/usr/bin/pythonista"), 0);
    assert_int_equal(frameworks_of("/a/mylibtorch_cpu.so"), 0);
}

static void a_container_is_its_short_id(void **state)
{
    (void)state;
    char id[16];
    tfp_proc_container(TFP_STR("0::/docker/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n"), id);
    assert_string_equal(id, "0123456789ab");
    tfp_proc_container(TFP_STR("0::/user.slice/user-1000.slice/session-1.scope\n"), id);
    assert_string_equal(id, "");
}

static void a_function_is_found_in_our_own_program(void **state)
{
    (void)state;
    tfp_elf_facts facts;
    int exe = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    assert_true(function_in(exe, "main", &facts) != 0);
    assert_int_equal(function_in(exe, "no_function_is_called_so", &facts), 0);
    assert_false(facts.too_big);
    assert_int_equal(function_in(maps, "main", &facts), 0);
    close(exe);
    close(maps);
}

/* An ELF file of `whole` bytes with `count` symbol tables, each of which is a hole of `size` bytes. */
static int with_tables(size_t count, uint64_t size, off_t whole)
{
    FILE *f = tmpfile();
    Elf64_Ehdr head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
                        .e_type = ET_DYN,
                        .e_machine = EM_X86_64,
                        .e_shoff = sizeof head,
                        .e_shentsize = sizeof(Elf64_Shdr),
                        .e_phentsize = sizeof(Elf64_Phdr),
                        .e_shnum = (uint16_t)(count + 1) };
    Elf64_Shdr names = { .sh_type = SHT_STRTAB, .sh_offset = 4096, .sh_size = 4096 },
               table = { .sh_type = SHT_SYMTAB, .sh_offset = 4096, .sh_size = size, .sh_link = 0 };
    assert_non_null(f);
    fwrite(&head, sizeof head, 1, f);
    fwrite(&names, sizeof names, 1, f);
    for (size_t i = 0; i < count; i++) fwrite(&table, sizeof table, 1, f);
    fseek(f, 4096 + 100, SEEK_SET);
    fputs("wanted", f);
    fflush(f);
    assert_int_equal(ftruncate(fileno(f), whole), 0);
    int fd = dup(fileno(f));
    fclose(f);
    return fd;
}

static void tables_of_terabytes_are_not_read(void **state)
{
    (void)state;
    tfp_elf_facts facts;
    uint64_t value;
    tfp_image_budget left = { TFP_IMAGE_HELD, TFP_IMAGE_READ };
    tfp_functions functions = { 0 };
    const char *const names[] = { "wanted" };
    int fd = with_tables(20, (uint64_t)1 << 43, ((off_t)1 << 43) + (1 << 20));
    assert_true(tfp_elf_symbols(fd, names, &value, 1, &facts));
    assert_true(facts.too_big && !value);
    assert_int_equal(function_in(fd, "wanted", &facts), 0);
    assert_true(facts.too_big);
    assert_false(tfp_functions_read(fd, &left, &functions));
    assert_int_equal(left.read, TFP_IMAGE_READ);
    close(fd);
    fd = with_tables(2, 48 * 100, 1 << 16);
    assert_true(tfp_elf_symbols(fd, names, &value, 1, &facts));
    assert_true(!facts.too_big && !value);
    close(fd);
}

/* A copy of this program in memory, as a file that tests can damage. */
static int copy_of_us(size_t *size, size_t *frame, size_t *sorted)
{
    char room[65536];
    Elf64_Ehdr h;
    Elf64_Shdr s, names;
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to = memfd_create("copy", MFD_CLOEXEC);
    for (ssize_t n; (n = read(from, room, sizeof room)) > 0;) assert_int_equal(write(to, room, (size_t)n), n);
    *size = (size_t)lseek(from, 0, SEEK_END);
    assert_true(tfp_elf_head(to, &h) && tfp_elf_section(to, &h, h.e_shstrndx, &names));
    for (uint32_t i = 0; tfp_elf_section(to, &h, i, &s); i++) {
        char name[16] = { 0 };
        assert_true(tfp_elf_read(to, name, 14, names.sh_offset + s.sh_name) || !s.sh_size);
        if (!strcmp(name, ".eh_frame")) *frame = s.sh_offset;
        if (!strncmp(name, ".eh_frame_hdr", 13)) *sorted = s.sh_offset;
    }
    close(from);
    return to;
}

static bool image_of(int fd, size_t *size)
{
    tfp_image_budget left = { TFP_IMAGE_HELD, TFP_IMAGE_READ };
    tfp_buf image = { 0 };
    bool ok = tfp_image_make(fd, &left, &image);
    *size = image.size;
    tfp_buf_free(&image);
    return ok;
}

static void put_word(int fd, size_t at, uint32_t word) { assert_int_equal(pwrite(fd, &word, 4, (off_t)at), 4); }

static void damaged_unwind_tables_are_not_given_to_libdw(void **state)
{
    (void)state;
    size_t size, whole, without, frame = 0, sorted = 0;
    int fd = copy_of_us(&size, &frame, &sorted);
    uint32_t length = 0, place = 0;
    assert_true(frame && sorted && image_of(fd, &whole) && whole < size);
    assert_true(tfp_elf_read(fd, &length, 4, frame) && tfp_elf_read(fd, &place, 4, sorted + 16));
    put_word(fd, sorted + 16, place + 4); /* no entry begins there, so the table is not used */
    assert_true(image_of(fd, &without) && without < whole);
    put_word(fd, sorted + 8, 0x7fffffff); /* more entries than the file has bytes for */
    assert_true(image_of(fd, &without) && without < whole);
    put_word(fd, frame, 1 << 20); /* an entry longer than those of any compiler */
    assert_false(image_of(fd, &size));
    put_word(fd, frame, 0xffffffff);
    assert_false(image_of(fd, &size));
    put_word(fd, frame, length);
    put_word(fd, frame + 4, 77); /* the entry of a function (FDE) whose common entry (CIE) does not exist */
    assert_false(image_of(fd, &size));
    put_word(fd, frame + 4, 0);
    for (size_t at = whole; at > 0; at /= 2) { /* the file is truncated to ever shorter lengths */
        assert_int_equal(ftruncate(fd, (off_t)at), 0);
        image_of(fd, &without);
    }
    assert_false(image_of(fd, &size));
    close(fd);
}

static void functions_of_our_own_program_by_address(void **state)
{
    (void)state;
    tfp_image_budget left = { TFP_IMAGE_HELD, TFP_IMAGE_READ };
    tfp_functions f = { 0 };
    uint64_t ranges[4][2];
    char name[64];
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    assert_true(tfp_functions_read(fd, &left, &f) && left.held < TFP_IMAGE_HELD);
    assert_int_equal(tfp_functions_ranges(&f, fd, "damaged_unwind_tables_are_not", ranges, 4), 1);
    assert_true(tfp_functions_name(&f, fd, ranges[0][0], name, sizeof name));
    assert_string_equal(name, "damaged_unwind_tables_are_not_given_to_libdw");
    assert_true(tfp_functions_name(&f, fd, ranges[0][1] - 1, name, 8));
    assert_string_equal(name, "damaged");
    assert_false(tfp_functions_name(&f, fd, 1, name, sizeof name));
    tfp_functions_free(&f, &left);
    assert_int_equal(left.held, TFP_IMAGE_HELD);
    close(fd);
}

static bool entry(const char *text)
{
    int64_t pid, ticks;
    char what[32];
    bool ok = tfp_agent_parse(tfp_str_of(text), &pid, &ticks, what, sizeof what);
    if (ok) assert_int_equal(pid, 12);
    if (ok) assert_int_equal(ticks, 34);
    return ok;
}

static void an_entry_of_an_agent_names_its_process(void **state)
{
    (void)state;
    assert_true(entry("{\"argv\": [\"x\", {}], \"pid\": 12, \"start_ticks\": 34, \"steps_are\": \"session runs\"}"));
    assert_true(entry("{\"pid\": 12, \"start_ticks\": 34, \"steps_are\": null}"));
    assert_false(entry("{\"pid\": 12}") || entry("{\"pid\": 12.5, \"start_ticks\": 34}"));
    assert_false(entry("{\"pid\": \"12\", \"start_ticks\": 34}") || entry("{\"pid\": 12, \"start_ticks\": \"34\"}"));
    assert_false(entry("{\"pid\": -12, \"start_ticks\": 34}"));
    assert_false(entry("{\"pid\": 12, \"start_ticks\": 34"));
    assert_false(entry("") || entry("[12, 34]"));
}

static void builds_of_python_by_their_first_words(void **state)
{
    (void)state;
    uint64_t told[3] = { 0, 0x030e0af0, 0 };
    memcpy(&told[0], "xdebugpy", 8);
    assert_true(tfp_python_is_final(14, told) && !tfp_python_is_final(13, told));
    told[2] = 1; /* a free-threaded build */
    assert_false(tfp_python_is_final(14, told));
    told[2] = 0, told[1] = 0x030e00b2; /* a beta version */
    assert_false(tfp_python_is_final(14, told));
    told[1] = 0x030e00f0, told[0]++;
    assert_false(tfp_python_is_final(14, told));
    assert_true(tfp_python_is_final(12, told)); /* no version known yet */
}

static int64_t line(int minor, const char *table, size_t size, int64_t at)
{
    return tfp_python_table_line(minor, (tfp_str){ table, size }, 10, at);
}

static void a_line_is_found_in_each_version_s_table(void **state)
{
    (void)state;
    static const char lnotab[] = { 4, 1, 6, -2 }; /* co_lnotab: from byte 4 on line 11, from byte 10 on line 9 */
    /* co_linetable of 3.10: up to byte 4 line 11; up to 6 no line; up to 8 line 14 */
    static const char pairs[] = { 4, 1, 2, -128, 2, 3 };
    static const char places[] = { (char)0x83, 0x10, (char)0xd8,
                                   /* short form: 4 code units of line 10; one-line form + 1: 1 code unit */
                                   0x21, (char)0xe9, 0x42, 0x01, /* form without columns, line + 33: 2 code units */
                                   (char)0xf8 };                 /* a code unit without a line */
    assert_int_equal(line(9, lnotab, sizeof lnotab, 0), 10);
    assert_int_equal(line(9, lnotab, sizeof lnotab, 4), 11);
    assert_int_equal(line(9, lnotab, sizeof lnotab, 200), 9);
    assert_int_equal(line(10, pairs, sizeof pairs, 3), 11);
    assert_int_equal(line(10, pairs, sizeof pairs, 5), -1);
    assert_int_equal(line(10, pairs, sizeof pairs, 7), 14);
    assert_int_equal(line(10, pairs, sizeof pairs, 8), -1);
    assert_int_equal(line(11, places, sizeof places, 6), 10);
    assert_int_equal(line(11, places, sizeof places, 8), 11);
    assert_int_equal(line(11, places, sizeof places, 10), 11 + 33);
    assert_int_equal(line(11, places, sizeof places, 14), -1);
    assert_int_equal(line(11, places, sizeof places, -2), 10);
    for (size_t size = 0; size < sizeof places; size++)
        line(13, places, size, 13); /* cut at any byte: it must not be read past its end */
}

static void looks_that_are_a_little_late_are_made(void **state)
{
    enum { MS = 1000000 };
    (void)state;
    assert_int_equal(tfp_stacks_next_look(5 * MS, MS, 5 * MS), 6 * MS);
    assert_int_equal(tfp_stacks_next_look(5 * MS, MS, 40 * MS), 6 * MS); /* the 35 late looks are made at once */
    assert_int_equal(tfp_stacks_next_look(5 * MS, MS, 905 * MS), 805 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_may_hold_brackets_and_blanks),
        cmocka_unit_test(a_stat_that_is_cut_is_refused),
        cmocka_unit_test(a_status_without_memory_says_so),
        cmocka_unit_test(a_status_tells_of_filters_and_namespaces),
        cmocka_unit_test(a_shadow_stack_is_refused),
        cmocka_unit_test(a_mapped_file_is_known_by_its_first_line),
        cmocka_unit_test(code_is_found_by_its_bytes),
        cmocka_unit_test(an_attach_text_is_two_lines_of_ascii),
        cmocka_unit_test(libraries_are_known_by_their_file_names),
        cmocka_unit_test(a_container_is_its_short_id),
        cmocka_unit_test(an_entry_of_an_agent_names_its_process),
        cmocka_unit_test(a_line_is_found_in_each_version_s_table),
        cmocka_unit_test(builds_of_python_by_their_first_words),
        cmocka_unit_test(a_function_is_found_in_our_own_program),
        cmocka_unit_test(tables_of_terabytes_are_not_read),
        cmocka_unit_test(damaged_unwind_tables_are_not_given_to_libdw),
        cmocka_unit_test(functions_of_our_own_program_by_address),
        cmocka_unit_test(looks_that_are_a_little_late_are_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
