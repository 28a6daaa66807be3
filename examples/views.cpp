// examples/views.cpp: the library from C++: every view of a profile as JSON, and how long each text is.
//   c++ -std=c++17 views.cpp $(pkg-config --cflags --libs tfprof) -o views && ./views profile_10
#include <tfprof/tfprof.h>

#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

// Objects of the library free themselves.
template <auto free_it> struct freed {
    template <class T> void operator()(T *t) const { free_it(t); }
};
using profile = std::unique_ptr<tfp_profile, freed<tfp_profile_free>>;
using report = std::unique_ptr<tfp_report, freed<tfp_report_free>>;
using error = std::unique_ptr<tfp_error, freed<tfp_error_free>>;

static int append(void *text, const void *data, size_t size)
{
    static_cast<std::string *>(text)->append(static_cast<const char *>(data), size);
    return 0;
}

static void must(tfp_status s, const error &err)
{
    if (s != TFP_OK) throw std::runtime_error(tfp_error_message(err.get()));
}

static void show(const profile &p, const char *view, const error &err)
{
    tfp_report *raw = nullptr;
    tfp_status status = tfp_report_build(p.get(), view, nullptr, &raw, err.get());
    if (status == TFP_NOTFOUND || status == TFP_BADFILE) { // a trace, a graph or code that this profile does not have
        std::cout << view << ": " << tfp_error_message(err.get()) << "\n";
        return;
    }
    must(status, err);
    report r(raw);
    std::string json;
    must(tfp_report_write(r.get(), "json", append, &json, err.get()), err);
    std::cout << view << ": " << tfp_report_row_count(r.get()) << " rows, " << json.size() << " bytes of JSON\n";
}

int main(int argc, char **argv)
try {
    error err(tfp_error_new());
    profile p(tfp_profile_new());
    for (int i = 1; i < argc; i++) must(tfp_profile_add_file(p.get(), nullptr, argv[i], err.get()), err);
    must(tfp_profile_finish(p.get(), err.get()), err);
    for (size_t i = 0; const char *view = tfp_list(TFP_VIEWS, i); i++) show(p, view, err);
    return 0;
} catch (const std::exception &wrong) {
    std::cerr << "views: " << wrong.what() << "\n";
    return 1;
}
