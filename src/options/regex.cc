// SPDX-License-Identifier: Apache-2.0
// options/regex.cc: RE2 behind a C interface: the dialect of TensorFlow's tool, linear in the length of the name.
// The only C++ of the library; nothing is thrown across it.
extern "C" {
#include "options/regex.h"
}

#include <re2/re2.h>

#include <atomic>
#include <cstdio>
#include <new>

struct tfp_regex {
    re2::RE2 re;
    mutable std::atomic<unsigned> failures{ 0 };
    tfp_regex(re2::StringPiece pattern, const re2::RE2::Options &options) : re(pattern, options) {}
};

extern "C" tfp_regex *tfp_regex_new(tfp_str pattern, char *why, size_t why_size)
{
    why[0] = 0;
    try {
        re2::RE2::Options options;
        options.set_log_errors(false);
        tfp_regex *r = new tfp_regex(re2::StringPiece(pattern.data, pattern.size), options);
        if (r->re.ok()) return r;
        snprintf(why, why_size, "%s", r->re.error().c_str());
        delete r;
    } catch (const std::bad_alloc &) {
    }
    return nullptr;
}

extern "C" bool tfp_regex_full_match(const tfp_regex *r, tfp_str text)
{
    try {
        return re2::RE2::FullMatch(re2::StringPiece(text.data, text.size), r->re);
    } catch (const std::bad_alloc &) {
        r->failures++;
        return false;
    }
}

extern "C" bool tfp_regex_find(const tfp_regex *r, tfp_str text, size_t from, tfp_str *found, int groups)
{
    re2::StringPiece parts[TFP_REGEX_GROUPS + 1];
    if (groups > TFP_REGEX_GROUPS) groups = TFP_REGEX_GROUPS;
    try {
        re2::StringPiece whole(text.data, text.size);
        if (!r->re.Match(whole, from, text.size, re2::RE2::UNANCHORED, parts, groups + 1)) return false;
    } catch (const std::bad_alloc &) {
        r->failures++;
        return false;
    }
    for (int i = 0; i <= groups; i++) found[i] = { parts[i].data(), parts[i].size() };
    return true;
}

extern "C" int tfp_regex_groups(const tfp_regex *r) { return r->re.NumberOfCapturingGroups(); }

extern "C" unsigned tfp_regex_failures(const tfp_regex *r) { return r->failures; }

extern "C" void tfp_regex_free(tfp_regex *r) { delete r; }
