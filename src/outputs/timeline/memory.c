// SPDX-License-Identifier: Apache-2.0
/* outputs/timeline/memory.c: memory in use on devices other than CPUs over time: their allocator's own count at every run of
 * a displayed node, and the nodes that held most just before.
 * The nodes' running sums are sorted by size once; a tree marks those in effect at a moment, so that the ten biggest are
 * found without looking at the others. */
#include "model/tables/details.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "outputs/timeline/timeline.h"
#include "query/order.h"
#include "views/core/rows.h"

#include <stdlib.h>

enum { TOP_COUNT = 10, MIN_DISTANCE_NS = 100000 };

bool tfp_timeline_devices(const tfp_report *r, tfp_used_devices *out)
{
    bool ok = true;
    for (size_t i = 1; ok && i < tfp_row_count(r); i++) {
        uint32_t node = tfp_row_at(r, i)->node;
        bool shown = tfp_timeline_exec(r, node) != TFP_NONE &&
                     !(tfp_graph_of(tfp_profile_of(r))->nodes.at[node].flags & TFP_NODE_ON_CPU);
        ok = !shown || tfp_used_devices_add(out, tfp_profile_of(r), node);
    }
    return ok && tfp_used_devices_sort(out, tfp_profile_of(r));
}

static bool put_peak(const tfp_report *r, const tfp_used_device *d, tfp_buf *out)
{
    tfp_memory_points points = { 0 };
    int64_t peak = 0;
    bool ok = tfp_device_memory(d, tfp_profile_of(r), tfp_step_of(r).row, true, &points);
    for (size_t i = 0; i < points.size; i++)
        if (points.at[i].bytes > peak) peak = points.at[i].bytes;
    tfp_vec_free(&points);
    tfp_escape(out, tfp_text(tfp_profile_of(r), d->name));
    tfp_buf_printf(out, " peak memory: %.2f MB\n", (double)peak / 1000000.0);
    return ok;
}

void tfp_timeline_peaks(const tfp_report *r, tfp_buf *out)
{
    tfp_used_devices devices = { 0 };
    bool ok = tfp_timeline_devices(r, &devices);
    for (size_t i = 0; ok && i < devices.at.size; i++)
        if (devices.at.at[i].on & TFP_NODE_ON_ACCELERATOR) ok = put_peak(r, &devices.at.at[i], out);
    if (!ok) out->failed = true;
    tfp_used_devices_free(&devices);
}

/* ---- bytes held by nodes ---- */

typedef struct holding { /* holds from its time until the owner's next holding */
    int64_t at_ns, bytes;
    uint32_t owner; /* rank of the node by name */
} holding;

typedef struct holdings {
    const tfp_report *r;
    uint32_t *nodes;           /* by name */
    TFP_VEC(holding) at;       /* owner by owner, each in order of time */
    uint32_t *by_size, *place; /* sorted biggest first, then by name; its inverse */
    uint32_t *by_time;         /* holdings that follow another holding of the same owner */
    size_t later;
    uint32_t *now;  /* per owner: the holding in effect */
    uint8_t *marks; /* a tree over by_size: whether a holding below is in effect and not 0 */
    size_t leaves;
} holdings;

static void add_at(int64_t at_ns, int64_t bytes, uint32_t owner, holding *list, size_t *count)
{
    list[(*count)++] = (holding){ at_ns, bytes, owner };
}

static int compare_holdings(const void *a, const void *b)
{
    const holding *x = a, *y = b;
    return x->at_ns < y->at_ns ? -1 : x->at_ns > y->at_ns;
}

/* The largest number of persistent bytes on the accelerator in any step of the node. */
static int64_t persistent_bytes(const tfp_profile *p, uint32_t node)
{
    int64_t most = 0;
    for (TFP_EACH(tfp_executions_of(p)->execs, e, tfp_graph_of(p)->nodes.at[node].exec_first)) {
        int64_t sum = 0;
        for (TFP_EACH(tfp_details_of(p)->memories, m, tfp_detail(p, e)->memory_first))
            sum = tfp_add(sum, tfp_details_of(p)->memories.at[m].accelerator_persistent_bytes, NULL);
        if (sum > most) most = sum;
    }
    return most;
}

/* A node's allocations as a running sum, one holding for each time; persistent memory is held from time 0. */
static bool add_owner(holdings *h, uint32_t owner)
{
    const tfp_profile *p = tfp_profile_of(h->r);
    uint32_t node = h->nodes[owner], exec = tfp_node_exec(p, node, tfp_step_of(h->r).row);
    size_t count = 1, first = h->at.size;
    for (TFP_EACH(tfp_details_of(p)->allocations, a, tfp_detail(p, exec)->alloc_first)) count++;
    if (!tfp_reserve(&h->at, first + count)) return false;
    holding *list = h->at.at + first;
    count = 0;
    add_at(0, persistent_bytes(p, node), owner, list, &count);
    for (TFP_EACH(tfp_details_of(p)->allocations, a, tfp_detail(p, exec)->alloc_first))
        add_at(tfp_details_of(p)->allocations.at[a].at_ns, tfp_details_of(p)->allocations.at[a].bytes, owner, list,
               &count);
    qsort(list, count, sizeof *list, compare_holdings);
    size_t kept = 0;
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum = tfp_add(sum, list[i].bytes, NULL);
        if (kept && list[kept - 1].at_ns == list[i].at_ns) kept--;
        list[kept++] = (holding){ list[i].at_ns, sum, owner };
    }
    h->at.size = first + kept;
    return true;
}

static bool sort_by_name(holdings *h, const tfp_used_device *d)
{
    const tfp_profile *p = tfp_profile_of(h->r);
    size_t n = d->nodes.size;
    tfp_str *names = calloc(n + 1, sizeof *names);
    uint32_t *order = malloc((n + 1) * sizeof *order);
    bool ok = names && order;
    for (size_t i = 0; ok && i < n; i++) {
        names[i] = tfp_text(p, tfp_graph_of(p)->nodes.at[d->nodes.at[i]].name);
        order[i] = (uint32_t)i;
    }
    ok = ok && tfp_sort_strings(order, n, names);
    for (size_t i = 0; ok && i < n; i++) h->nodes[i] = d->nodes.at[order[i]];
    free(names);
    free(order);
    return ok;
}

static const tfp_sort_key biggest_first[] = { TFP_DOWN(holding, bytes), TFP_UP(holding, owner), { 0 } };
static const tfp_sort_key by_time[] = { TFP_UP(holding, at_ns), { 0 } };

static void mark(holdings *h, uint32_t holding_index, bool in_force)
{
    if (h->at.at[holding_index].bytes <= 0) return;
    size_t at = h->leaves + h->place[holding_index];
    h->marks[at] = in_force;
    for (at /= 2; at; at /= 2) h->marks[at] = h->marks[2 * at] | h->marks[2 * at + 1];
}

/* The first marked index from `from` on, or SIZE_MAX. */
static size_t next_marked(const holdings *h, size_t from)
{
    if (from >= h->leaves) return SIZE_MAX;
    size_t at = h->leaves + from;
    if (h->marks[at]) return from;
    for (; at > 1; at /= 2) {
        if (at % 2 == 0 && h->marks[at + 1]) break;
    }
    if (at <= 1) return SIZE_MAX;
    for (at++; at < h->leaves;) at = 2 * at + !h->marks[2 * at];
    return at - h->leaves;
}

/* The first index, biggest first, of a holding of at most `bytes`. */
static size_t first_that_fits(const holdings *h, int64_t bytes)
{
    size_t low;
    TFP_LOWER_BOUND(low, 0, h->at.size, h->at.at[h->by_size[low]].bytes > bytes);
    return low;
}

static bool holdings_sort(holdings *h)
{
    size_t n = h->at.size;
    h->leaves = 1;
    while (h->leaves < n) h->leaves *= 2;
    h->by_size = malloc((n + 1) * sizeof *h->by_size);
    h->place = malloc((n + 1) * sizeof *h->place);
    h->by_time = malloc((n + 1) * sizeof *h->by_time);
    h->marks = calloc(2 * h->leaves, 1);
    if (n >= TFP_NONE || !h->by_size || !h->place || !h->by_time || !h->marks) return false;
    for (size_t i = 0; i < n; i++) {
        h->by_size[i] = (uint32_t)i;
        bool first = i == 0 || h->at.at[i - 1].owner != h->at.at[i].owner;
        if (first)
            h->now[h->at.at[i].owner] = (uint32_t)i;
        else
            h->by_time[h->later++] = (uint32_t)i;
    }
    if (!tfp_order_items(h->by_size, n, biggest_first, h->at.at, sizeof(holding)) ||
        !tfp_order_items(h->by_time, h->later, by_time, h->at.at, sizeof(holding)))
        return false;
    for (size_t i = 0; i < n; i++) h->place[h->by_size[i]] = (uint32_t)i;
    return true;
}

/* Before its first allocation a node counts as holding its persistent bytes. */
static bool holdings_make(holdings *h, const tfp_used_device *d)
{
    size_t n = d->nodes.size;
    h->nodes = malloc((n + 1) * sizeof *h->nodes);
    h->now = malloc((n + 1) * sizeof *h->now);
    if (!h->nodes || !h->now || !sort_by_name(h, d)) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!add_owner(h, i)) return false;
    if (!holdings_sort(h)) return false;
    for (size_t i = 0; i < n; i++) mark(h, h->now[i], true);
    return true;
}

static void holdings_free(holdings *h)
{
    free(h->nodes);
    tfp_vec_free(&h->at);
    free(h->by_size);
    free(h->place);
    free(h->by_time);
    free(h->now);
    free(h->marks);
}

/* ---- counters ---- */

static void put_counter_head(tfp_json *j)
{
    tfp_json_open(j, '{');
    tfp_json_key(j, "args");
    tfp_json_open(j, '{');
}

static void put_counter_tail(tfp_json *j, const char *name, int64_t pid, int64_t ts_ns)
{
    tfp_json_close(j, '}');
    tfp_json_text_at(j, "cat", "Memory");
    tfp_json_text_at(j, "name", name);
    tfp_json_text_at(j, "ph", "C");
    tfp_json_int_at(j, "pid", pid);
    tfp_json_int_at(j, "tid", 0);
    tfp_json_key(j, "ts");
    tfp_json_thousandths(j, ts_ns);
    tfp_json_close(j, '}');
}

/* The largest holdings that together fit into the bytes in use: each must fit into what larger ones left. */
static size_t find_top(const holdings *h, int64_t *bytes, uint32_t top[TOP_COUNT])
{
    size_t count = 0, at = 0;
    while (count < TOP_COUNT) {
        size_t fits = first_that_fits(h, *bytes);
        at = next_marked(h, at > fits ? at : fits);
        if (at == SIZE_MAX) break;
        top[count++] = h->by_size[at];
        *bytes -= h->at.at[h->by_size[at]].bytes;
        at++;
    }
    return count;
}

static void put_top(const holdings *h, const tfp_memory_point *x, int64_t pid, tfp_trace_out *t, tfp_buf *text)
{
    tfp_json *j = &t->j;
    tfp_buf room = { 0 };
    uint32_t top[TOP_COUNT];
    int64_t bytes = x->bytes;
    size_t count = find_top(h, &bytes, top);
    char key[] = "Top Allocation 00";
    text->size = 0;
    tfp_buf_printf(text, "%.2f MB", (double)bytes / 1000000.0);
    put_counter_head(j);
    tfp_json_str_at(j, "Not Displayed", (tfp_str){ text->data, text->size });
    for (size_t i = 0; i < TOP_COUNT; i++) {
        if (i == 0 && count == 0) continue;
        key[sizeof key - 2] = (char)('0' + i);
        tfp_json_key(j, key);
        if (i >= count) {
            tfp_json_text(j, "N/A");
            continue;
        }
        const holding *held = &h->at.at[top[i]];
        const tfp_profile *p = tfp_profile_of(h->r);
        text->size = 0;
        tfp_buf_printf(text, "%g MB from ", (double)held->bytes / 1000000.0);
        tfp_buf_str(text, tfp_trace_name(t, tfp_text(p, tfp_graph_of(p)->nodes.at[h->nodes[held->owner]].name), &room));
        tfp_json_str(j, (tfp_str){ text->data, text->size });
    }
    put_counter_tail(j, "Top Allocations", pid, x->at_ns);
    tfp_buf_free(&room);
}

static void put_points(holdings *h, const tfp_memory_points *points, int64_t pid, tfp_trace_out *t)
{
    tfp_buf text = { 0 };
    int64_t last = 0;
    size_t done = 0;
    for (size_t i = 0; i < points->size && !t->sink->status; i++) {
        const tfp_memory_point *x = &points->at[i];
        if (x->at_ns - last < MIN_DISTANCE_NS) continue;
        last = x->at_ns;
        for (; done < h->later && h->at.at[h->by_time[done]].at_ns < x->at_ns; done++) {
            uint32_t next = h->by_time[done], owner = h->at.at[next].owner;
            mark(h, h->now[owner], false);
            mark(h, next, true);
            h->now[owner] = next;
        }
        put_counter_head(&t->j);
        tfp_json_int_at(&t->j, "Allocator Bytes in Use", x->bytes);
        put_counter_tail(&t->j, "Allocated Bytes", pid, x->at_ns);
        put_top(h, x, pid + 1, t, &text);
        tfp_sink_flush_if_full(t->sink);
    }
    if (text.failed) t->j.out->failed = true;
    tfp_buf_free(&text);
}

tfp_status tfp_memory_counters(const tfp_report *r, const tfp_used_device *d, int64_t pid, tfp_trace_out *t,
                               tfp_error *err)
{
    holdings h = { .r = r };
    tfp_memory_points points = { 0 };
    bool ok = tfp_device_memory(d, tfp_profile_of(r), tfp_step_of(r).row, true, &points) && holdings_make(&h, d);
    if (ok) put_points(&h, &points, pid, t);
    tfp_vec_free(&points);
    holdings_free(&h);
    return ok ? TFP_OK : tfp_nomem(err);
}
