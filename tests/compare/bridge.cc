// SPDX-License-Identifier: Apache-2.0
/* tests/compare/bridge.cc: reaches the tfprof core inside TensorFlow's library, for core.py. Not part of the program.
 *
 * TensorFlow's Python binding never passes a checkpoint and has no prompt, so the core is called as its own command
 * line called it: by its C++ symbols. They are declared here as far as this file needs them, without TensorFlow's
 * headers: classes of which only the address matters have room for their members and nothing else. Built for
 * tensorflow 2.21.0; core.py loads TensorFlow's libraries first, so the names are found at load time. */
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace google
{
namespace protobuf
{
class Arena;
class MessageLite
{
  public:
    bool ParseFromArray(const void *data, int size);
    bool AppendToString(std::string *out) const;
};
} // namespace protobuf
} // namespace google
extern "C" {
struct TSL_Status;
TSL_Status *TF_NewStatus();
int TF_GetCode(const TSL_Status *s);
}

#define A_MESSAGE(Name)                                                                                                \
    struct Name : google::protobuf::MessageLite {                                                                      \
        explicit Name(google::protobuf::Arena *arena);                                                                 \
        char room[1016];                                                                                               \
    }

namespace tensorflow
{
A_MESSAGE(GraphDef);
A_MESSAGE(RunMetadata);
namespace checkpoint
{
class CheckpointReader
{
  public:
    CheckpointReader(const std::string &prefix, TSL_Status *status);
    char room[4096];
};
} // namespace checkpoint
namespace tfprof
{
A_MESSAGE(OpLogProto);

/* Returned by value into the caller's storage, so it needs a destructor. */
struct Status {
    ~Status() {}
    uintptr_t ok_is_1;
};

/* The members have TensorFlow's order, so that TensorFlow can fill an object made here. */
struct Options {
    virtual ~Options() {}
    int64_t numbers[12] = {};
    std::string order_by;
    std::vector<std::string> regexes[5];
    bool account_displayed_op_only = false;
    std::set<std::string> select;
    std::string output_type;
    std::map<std::string, std::string> output_options;

    static Status FromProtoStr(const std::string &proto, Options *out);
    std::string ToString() const;
};

class TFStats
{
  public:
    TFStats(std::unique_ptr<GraphDef> graph, std::unique_ptr<RunMetadata> meta, std::unique_ptr<OpLogProto> log,
            std::unique_ptr<checkpoint::CheckpointReader> checkpoint);
    TFStats(const std::string &file, std::unique_ptr<checkpoint::CheckpointReader> checkpoint);
    void AddRunMeta(int64_t step, std::unique_ptr<RunMetadata> meta);
    void BuildView(const std::string &view);
    const google::protobuf::MessageLite &ShowGraphNode(const std::string &view, const Options &o) const;
    const google::protobuf::MessageLite &ShowMultiGraphNode(const std::string &view, const Options &o) const;
    char room[8192];
};

Status ParseCmdLine(const std::string &line, std::string *command, Options *o);
} // namespace tfprof
} // namespace tensorflow

using namespace tensorflow;
using namespace tensorflow::tfprof;

/* Never deleted: a test's process is short, and the object has members that only TensorFlow could destroy. */
template <class T> static std::unique_ptr<T> parsed(const char *data, size_t size)
{
    T *m = new T(nullptr);
    if (!m->ParseFromArray(data, (int)size)) fprintf(stderr, "bridge: a message does not parse\n");
    return std::unique_ptr<T>(m);
}

static std::unique_ptr<checkpoint::CheckpointReader> reader(const char *prefix)
{
    if (!prefix || !*prefix) return nullptr;
    TSL_Status *status = TF_NewStatus();
    auto *r = new checkpoint::CheckpointReader(prefix, status);
    if (TF_GetCode(status)) fprintf(stderr, "bridge: no checkpoint %s\n", prefix);
    return std::unique_ptr<checkpoint::CheckpointReader>(r);
}

static std::string result; /* result of the last call that returns bytes */

extern "C" {

TFStats *bridge_open_profile(const char *file, const char *checkpoint)
{
    return new TFStats(std::string(file), reader(checkpoint));
}

TFStats *bridge_open(const char *graph, size_t graph_size, const char *log, size_t log_size, const char *checkpoint)
{
    return new TFStats(parsed<GraphDef>(graph, graph_size), nullptr, parsed<OpLogProto>(log, log_size),
                       reader(checkpoint));
}

void bridge_add_step(TFStats *t, int64_t step, const char *meta, size_t size)
{
    t->AddRunMeta(step, parsed<RunMetadata>(meta, size));
}

/* Returns NULL if the options are refused. */
Options *bridge_options(const char *proto, size_t size)
{
    auto *o = new Options;
    Status s = Options::FromProtoStr(std::string(proto, size), o);
    return s.ok_is_1 == 1 ? o : nullptr;
}

Options *bridge_copy(const Options *o) { return new Options(*o); }

const char *bridge_listing(const Options *o, size_t *size)
{
    result = o->ToString();
    *size = result.size();
    return result.data();
}

/* Parses one line of the prompt: -> the command, or NULL if the line is refused (with a message on stderr). */
const char *bridge_parse(const char *line, Options *o)
{
    static std::string command;
    command.clear();
    Status s = ParseCmdLine(line, &command, o);
    return s.ok_is_1 == 1 ? command.c_str() : nullptr;
}

/* Prints the view; -> the serialized root. */
const char *bridge_show(TFStats *t, const char *view, const Options *o, size_t *size)
{
    bool tree = !strcmp(view, "scope") || !strcmp(view, "graph");
    t->BuildView(view);
    result.clear();
    (tree ? t->ShowGraphNode(view, *o) : t->ShowMultiGraphNode(view, *o)).AppendToString(&result);
    *size = result.size();
    fflush(stdout);
    return result.data();
}
}
