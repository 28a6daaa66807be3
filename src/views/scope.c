/* views/scope.c: nodes by the parts of their names between slashes, like files in folders. */
#include "views/view.h"

#include <stdlib.h>

/* All items by name: the root, the profile's nodes, then the parents that had to be made up. */
typedef struct scopes {
    const tfp_profile *p;
    TFP_VEC(tfp_str) name;
    TFP_VEC(uint32_t) parent;
    uint32_t *slots; /* prefixes seen so far: item + 1, open addressing */
    size_t slot_count, prefix_count;
} scopes;

static size_t last_slash(tfp_str s)
{
    const char *at = s.size ? memrchr(s.data, '/', s.size) : NULL;
    return at ? (size_t)(at - s.data) : SIZE_MAX;
}

static size_t find_slot(const scopes *x, tfp_str prefix)
{
    size_t at = (size_t)tfp_hash(prefix.data, prefix.size) & (x->slot_count - 1);
    while (x->slots[at] && !tfp_str_eq(x->name.at[x->slots[at] - 1], prefix)) at = (at + 1) & (x->slot_count - 1);
    return at;
}

static bool grow(scopes *x)
{
    uint32_t *old = x->slots;
    size_t old_count = x->slot_count;
    x->slot_count = old_count ? old_count * 2 : 1024;
    if (!(x->slots = calloc(x->slot_count, sizeof *x->slots))) {
        x->slots = old;
        x->slot_count = old_count;
        return false;
    }
    for (size_t i = 0; i < old_count; i++)
        if (old[i]) x->slots[find_slot(x, x->name.at[old[i] - 1])] = old[i];
    free(old);
    return true;
}

/* The item with that name: seen before, a node of the profile, or a new one (whose parent is found later). */
static uint32_t item_named(scopes *x, tfp_str prefix)
{
    if ((x->prefix_count + 1) * 2 > x->slot_count && !grow(x)) return TFP_NONE;
    size_t at = find_slot(x, prefix);
    if (x->slots[at]) return x->slots[at] - 1;
    uint32_t node = tfp_find_node(x->p, prefix), item = node + 1;
    if (node == TFP_NONE) {
        item = (uint32_t)x->name.size;
        if (!tfp_push(&x->name, prefix) || !tfp_push(&x->parent, TFP_NONE)) return TFP_NONE;
    }
    x->slots[at] = item + 1;
    x->prefix_count++;
    return item;
}

static bool find_parents(scopes *x)
{
    size_t n = x->p->nodes.size;
    if (!tfp_reserve(&x->name, n + 1) || !tfp_reserve(&x->parent, n + 1)) return false;
    x->name.at[0] = TFP_ROOT_NAME;
    for (size_t i = 0; i < n; i++) x->name.at[i + 1] = tfp_text(x->p, x->p->nodes.at[i].name);
    x->name.size = x->parent.size = n + 1;
    x->parent.at[0] = TFP_NONE;
    for (size_t i = 1; i < x->name.size; i++) { /* the list grows while it is walked */
        tfp_str s = x->name.at[i];
        size_t slash = last_slash(s);
        uint32_t parent = slash == SIZE_MAX ? 0 : item_named(x, (tfp_str){ s.data, slash });
        if (parent == TFP_NONE) return false;
        x->parent.at[i] = parent;
    }
    return true;
}

/* Siblings share everything up to the last slash: what is behind it orders them. */
static bool sort_children(tfp_tree *t)
{
    tfp_str *tail = TFP_NEW(t->arena, tfp_str, t->count);
    if (!tail) return false;
    for (size_t i = 1; i < t->count; i++) {
        size_t slash = last_slash(t->name[i]), skip = slash == SIZE_MAX ? 0 : slash + 1;
        tail[i] = (tfp_str){ t->name[i].data + skip, t->name[i].size - skip };
    }
    for (size_t i = 0; i < t->count; i++) {
        uint32_t first = t->child_start[i], count = t->child_start[i + 1] - first;
        if (count > 1 && !tfp_sort_strings(t->children + first, count, tail)) return false;
    }
    return true;
}

static bool fill(tfp_tree *t, tfp_report *r)
{
    size_t n = r->profile->nodes.size;
    tfp_account account;
    if (!tfp_account_start(&account, r, t->arena)) return false;
    bool parents = tfp_filter_matches(account.filter, TFP_STR("_kTFScopeParent"));
    t->node[0] = TFP_NONE;
    for (size_t i = 1; i < t->count; i++) {
        t->node[i] = i <= n ? (uint32_t)(i - 1) : TFP_NONE;
        if (i <= n) {
            t->accounted[i] = tfp_account_times(&account, t->node[i]) > 0;
            tfp_values_add_node(r, &t->own, i, t->node[i], 1);
        } else {
            t->accounted[i] = parents;
            if (t->own.at[TFP_V_DEFINITIONS]) t->own.at[TFP_V_DEFINITIONS][i] = 1;
        }
    }
    return true;
}

tfp_status tfp_scope_tree(tfp_tree *t, tfp_report *r, tfp_arena *arena, tfp_error *err)
{
    scopes x = { .p = r->profile };
    bool ok = find_parents(&x) && tfp_tree_new(t, r, arena, x.name.size);
    if (ok) {
        memcpy(t->name, x.name.at, x.name.size * sizeof *t->name);
        ok = tfp_tree_link(t, x.parent.at) && sort_children(t) && fill(t, r);
    }
    tfp_vec_free(&x.name);
    tfp_vec_free(&x.parent);
    free(x.slots);
    return ok ? TFP_OK : tfp_nomem(err);
}

static tfp_status build_scope(tfp_report *r, tfp_error *err)
{
    if (r->options->compat10) return tfp_compat10_scope(r, err);
    tfp_arena arena = { 0 };
    tfp_tree t;
    tfp_status s = tfp_scope_tree(&t, r, &arena, err);
    if (!s) s = tfp_tree_show(&t, r, TFP_TREE_SCOPE, err);
    tfp_arena_free(&arena);
    return s;
}

const tfp_view tfp_view_scope = { "scope", "Nodes by name scope: where in the model the cost is.", TFP_REPORT_TREE,
                                  "Nodes are grouped by the parts of their names, as files are by folders.", "scope",
                                  build_scope };
