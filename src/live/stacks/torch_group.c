// SPDX-License-Identifier: Apache-2.0
/* live/stacks/torch_group.c: the process group of the collective that a process of PyTorch is in, from the local
 * variable `group` of the function that the user's code called. torch.distributed keeps the names and the ranks of its
 * groups in two dicts of its module; without a group the collective is of all ranks. */
#include "live/stacks/torch_group.h"
#include "live/python/python.h"

#include <stdlib.h>

enum { MEMBERS_MOST = 4096 };

/* The outermost frame of a public function of distributed_c10d.py; NULL: there is none. */
static const tfp_live_frame *find_call(const tfp_python *p, const tfp_live_frame *frames, long depth)
{
    const tfp_live_frame *found = NULL;
    tfp_code_copy copy = { 0 };
    tfp_buf file = { 0 }, name = { 0 };
    for (long i = 0; i < depth; i++) {
        file.size = name.size = 0;
        if (!tfp_python_copy_code(p, frames[i].code, &copy) || !tfp_python_copied_text(&copy, TFP_CODE_FILE, &file) ||
            !tfp_python_copied_text(&copy, TFP_CODE_NAME, &name))
            continue;
        if (tfp_str_ends((tfp_str){ file.data, file.size }, TFP_STR("torch/distributed/distributed_c10d.py")) &&
            name.size && *name.data != '_')
            found = &frames[i];
    }
    tfp_vec_free(&copy.bytes);
    tfp_buf_free(&file);
    tfp_buf_free(&name);
    return found;
}

/* The value of a group in a dict of the module. */
static uint64_t value_of(const tfp_python *p, uint64_t globals, const char *dict, uint64_t group, tfp_python_item *room)
{
    size_t n = tfp_python_items(p, tfp_python_item_named(p, globals, dict), room, TFP_PYTHON_ITEMS);
    for (size_t i = 0; i < n; i++)
        if (room[i].key == group) return room[i].value;
    return 0;
}

static bool set_world(int64_t world, tfp_torch_group *out)
{
    bool ok = true;
    tfp_buf_text(&out->name, "default_pg");
    for (int64_t rank = 0; rank < world && rank < MEMBERS_MOST && ok; rank++) ok = tfp_push(&out->ranks, rank);
    return ok && !out->name.failed;
}

static bool read_group(const tfp_python *p, const tfp_live_frame *call, int64_t world, tfp_torch_group *out)
{
    uint64_t globals = tfp_python_globals(p, call), group = tfp_python_local(p, call, "group");
    tfp_python_item *room = calloc(TFP_PYTHON_ITEMS, sizeof *room);
    bool ok = room != NULL;
    uint64_t name = ok && group ? value_of(p, globals, "_pg_names", group, room) : 0;
    uint64_t ranks = name ? value_of(p, globals, "_pg_group_ranks", group, room) : 0;
    size_t n = ranks ? tfp_python_items(p, ranks, room, TFP_PYTHON_ITEMS) : 0;
    for (size_t i = 0; i < n && ok; i++) {
        int64_t rank;
        if (tfp_python_int(p, room[i].key, &rank)) ok = tfp_push(&out->ranks, rank);
    }
    if (ok && n)
        ok = tfp_python_text(p, name, &out->name);
    else if (ok && group && !name && world > 0) /* None, which no dict has, or a group that has no name */
        ok = tfp_python_is_none(p, group) && set_world(world, out);
    free(room);
    if (out->ranks.size) qsort(out->ranks.at, out->ranks.size, sizeof *out->ranks.at, tfp_by_int);
    return ok && out->ranks.size;
}

bool tfp_torch_group_read(int64_t pid, int64_t world, tfp_torch_group *out)
{
    tfp_method refusal;
    tfp_python *p = calloc(1, sizeof *p);
    tfp_python_thread *threads = calloc(TFP_PYTHON_THREADS, sizeof *threads);
    tfp_live_frame *frames = calloc(TFP_PYTHON_DEPTH, sizeof *frames);
    bool ok = p && threads && frames && tfp_python_open(pid, p, &refusal);
    long count = ok ? tfp_python_threads(p, threads, TFP_PYTHON_THREADS) : 0, depth = 0;
    for (long i = 0; i < count; i++)
        if (threads[i].tid == pid) depth = tfp_python_stack(p, threads[i].state, frames, TFP_PYTHON_DEPTH);
    const tfp_live_frame *call = depth > 0 ? find_call(p, frames, depth) : NULL;
    ok = call && read_group(p, call, world, out);
    free(frames);
    free(threads);
    free(p);
    return ok;
}

void tfp_torch_group_free(tfp_torch_group *g)
{
    tfp_buf_free(&g->name);
    tfp_vec_free(&g->ranks);
}
