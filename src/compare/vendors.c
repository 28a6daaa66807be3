// SPDX-License-Identifier: Apache-2.0
/* compare/vendors.c: names that two vendors of devices give to the same thing. */
#include "compare/vendors.h"
#include "model/span_names.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"

static const struct {
    const char *prefix;
    unsigned vendor;
} vendors[] = { { "cuda", 1 }, { "hip", 2 }, { "cu", 1 } };

/* The vendor of an API call, and its name without the prefix; 0: it is none. */
static unsigned vendor_of(tfp_str name, tfp_str *bare)
{
    for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++) {
        tfp_str prefix = tfp_str_of(vendors[i].prefix);
        if (name.size <= prefix.size || !tfp_str_begins(name, prefix)) continue;
        if (name.data[prefix.size] < 'A' || name.data[prefix.size] > 'Z') continue;
        *bare = (tfp_str){ name.data + prefix.size, name.size - prefix.size };
        if (tfp_call_means(name) == TFP_CALL_LAUNCHES) *bare = TFP_STR("LaunchKernel");
        return vendors[i].vendor;
    }
    return 0;
}

tfp_str tfp_call_without_vendor(tfp_str name)
{
    tfp_str bare = name;
    vendor_of(name, &bare);
    return bare;
}

/* ---- nodes ---- */

static unsigned vendors_in(const tfp_profile *p)
{
    unsigned all = 0;
    tfp_str bare;
    for (size_t i = 0; i < tfp_graph_of(p)->nodes.size; i++)
        all |= vendor_of(tfp_str_last_part(tfp_text(p, tfp_graph_of(p)->nodes.at[i].name)), &bare);
    return all;
}

bool tfp_vendors_differ(const tfp_profile *a, const tfp_profile *b)
{
    unsigned x = vendors_in(a), y = vendors_in(b);
    return x && y && x != y;
}

/* The path of a call without the vendor's prefix, in the arena; data NULL: it is no call, or memory is out. */
static tfp_str path_of(const tfp_profile *p, uint32_t node, tfp_arena *a)
{
    tfp_str path = tfp_text(p, tfp_graph_of(p)->nodes.at[node].name), call = tfp_str_last_part(path), bare;
    if (!vendor_of(call, &bare)) return (tfp_str){ NULL, 0 };
    size_t before = path.size - call.size, size = before + bare.size;
    char *text = TFP_NEW(a, char, size + 1);
    if (!text) return (tfp_str){ NULL, 0 };
    memcpy(text, path.data, before);
    memcpy(text + before, bare.data, bare.size);
    return (tfp_str){ text, size };
}

bool tfp_twins_of(const tfp_profile *p, bool vendors_differ, tfp_arena *a, tfp_twins *out)
{
    *out = (tfp_twins){ .of = p, .calls.row_size = sizeof(uint32_t) };
    bool ok = true;
    for (uint32_t i = 0; i < tfp_graph_of(p)->nodes.size && vendors_differ && ok; i++) {
        tfp_str path = path_of(p, i, a);
        uint32_t *node = path.data ? TFP_GROUP(&out->calls, tfp_group_text(&out->calls, path)) : NULL;
        if (node && out->calls.added) *node = i;
        ok = !out->calls.failed;
    }
    return ok;
}

uint32_t tfp_twin_of(tfp_twins *t, const tfp_profile *p, uint32_t node, tfp_arena *a)
{
    uint32_t same = tfp_find_node(t->of, tfp_text(p, tfp_graph_of(p)->nodes.at[node].name));
    if (same != TFP_NONE || !t->calls.count) return same;
    tfp_str path = path_of(p, node, a);
    if (!path.data) return TFP_NONE;
    uint32_t *twin = TFP_GROUP(&t->calls, tfp_group_text(&t->calls, path));
    if (!twin) return TFP_NONE;
    if (t->calls.added) *twin = TFP_NONE;
    return *twin;
}

void tfp_twins_free(tfp_twins *t) { tfp_groups_free(&t->calls); }

/* ---- devices ---- */

/* "gpu:2"; false: the name has another form. */
static bool numbered(tfp_str device, tfp_str *kind, int64_t *number)
{
    size_t colon = 0;
    while (colon < device.size && device.data[colon] != ':') colon++;
    *kind = (tfp_str){ device.data, colon };
    return colon && colon + 1 < device.size &&
           tfp_parse_int64((tfp_str){ device.data + colon + 1, device.size - colon - 1 }, number) && *number >= 0;
}

/* The smallest number above one of a device of that kind, and its name; false: there is none. */
static bool next_device(const tfp_profile *p, tfp_str kind, int64_t above, int64_t *number, tfp_str *name)
{
    const tfp_lane_list *lanes = tfp_lanes_of(p);
    bool found = false;
    for (size_t i = 0; i < lanes->size; i++) {
        tfp_str device = tfp_text(p, lanes->at[i].device), own;
        int64_t n;
        if (lanes->at[i].role != TFP_ROLE_STREAM || !numbered(device, &own, &n) || !tfp_str_eq(own, kind)) continue;
        if (n <= above || (found && n >= *number)) continue;
        *number = n;
        *name = device;
        found = true;
    }
    return found;
}

tfp_str tfp_device_twin(const tfp_profile *from, tfp_str device, const tfp_profile *to)
{
    tfp_str kind, name = device, twin = device;
    int64_t number, x = -1, y = -1;
    if (!numbered(device, &kind, &number)) return device;
    while (next_device(from, kind, x, &x, &name)) {
        if (!next_device(to, kind, y, &y, &twin)) return device;
        if (x == number) return twin;
    }
    return device;
}
