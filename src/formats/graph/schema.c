// SPDX-License-Identifier: Apache-2.0
/* formats/graph/schema.c: the fields of every message that a text graph, run metadata, op log or profile may hold.
 * Facts only: names, numbers and types of TensorFlow 2.21's graph.proto, meta_graph.proto, saved_model.proto,
 * config.proto and tfprof_log.proto with all that they use. CodeDef.Trace also has the strings that TensorFlow 1.0
 * wrote in it. */
#include "formats/graph/schema.h"

/* A row is F (one value), R (repeated), O (member of the message's oneof) or P (one value, present even when it is
 * zero); a second letter marks an M (message) or an E (enum). */
/* clang-format off */
#define TEXT(s) { (s), sizeof(s) - 1 }
#define VALUE(s, number, kind, flags) { TEXT(s), (number), TFP_TEXT_##kind, (flags), NULL, NULL }
#define INSIDE(s, number, flags, what) { TEXT(s), (number), TFP_TEXT_MESSAGE, (flags), &(what), NULL }
#define NAMED(s, number, flags, values) { TEXT(s), (number), TFP_TEXT_ENUM, (flags), NULL, &(values) }
#define F(s, number, kind) VALUE(s, number, kind, 0)
#define R(s, number, kind) VALUE(s, number, kind, TFP_TEXT_MANY)
#define O(s, number, kind) VALUE(s, number, kind, TFP_TEXT_ONEOF)
#define P(s, number, kind) VALUE(s, number, kind, TFP_TEXT_PRESENCE)
#define FM(s, number, what) INSIDE(s, number, 0, what)
#define RM(s, number, what) INSIDE(s, number, TFP_TEXT_MANY, what)
#define OM(s, number, what) INSIDE(s, number, TFP_TEXT_ONEOF, what)
#define FE(s, number, values) NAMED(s, number, 0, values)
#define RE(s, number, values) NAMED(s, number, TFP_TEXT_MANY, values)
#define OE(s, number, values) NAMED(s, number, TFP_TEXT_ONEOF, values)
#define FIELDS(...) ((const tfp_text_field[]){ __VA_ARGS__ })
#define OF(s, ...) { TEXT(s), FIELDS(__VA_ARGS__), sizeof FIELDS(__VA_ARGS__) / sizeof(tfp_text_field), NULL }
#define V(s, number) { TEXT(s), (number) }
#define ROWS(...) ((const tfp_text_enum_value[]){ __VA_ARGS__ })
#define VALUES(...) { ROWS(__VA_ARGS__), sizeof ROWS(__VA_ARGS__) / sizeof(tfp_text_enum_value) }
#define MESSAGE static const tfp_message_schema

static const tfp_text_enum data_type = VALUES(
    V("DT_INVALID", 0), V("DT_FLOAT", 1), V("DT_DOUBLE", 2), V("DT_INT32", 3), V("DT_UINT8", 4), V("DT_INT16", 5),
    V("DT_INT8", 6), V("DT_STRING", 7), V("DT_COMPLEX64", 8), V("DT_INT64", 9), V("DT_BOOL", 10), V("DT_QINT8", 11),
    V("DT_QUINT8", 12), V("DT_QINT32", 13), V("DT_BFLOAT16", 14), V("DT_QINT16", 15), V("DT_QUINT16", 16),
    V("DT_UINT16", 17), V("DT_COMPLEX128", 18), V("DT_HALF", 19), V("DT_RESOURCE", 20), V("DT_VARIANT", 21),
    V("DT_UINT32", 22), V("DT_UINT64", 23), V("DT_FLOAT8_E5M2", 24), V("DT_FLOAT8_E4M3FN", 25),
    V("DT_FLOAT8_E4M3FNUZ", 26), V("DT_FLOAT8_E4M3B11FNUZ", 27), V("DT_FLOAT8_E5M2FNUZ", 28), V("DT_INT4", 29),
    V("DT_UINT4", 30), V("DT_INT2", 31), V("DT_UINT2", 32), V("DT_FLOAT4_E2M1FN", 33), V("DT_FLOAT_REF", 101),
    V("DT_DOUBLE_REF", 102), V("DT_INT32_REF", 103), V("DT_UINT8_REF", 104), V("DT_INT16_REF", 105),
    V("DT_INT8_REF", 106), V("DT_STRING_REF", 107), V("DT_COMPLEX64_REF", 108), V("DT_INT64_REF", 109),
    V("DT_BOOL_REF", 110), V("DT_QINT8_REF", 111), V("DT_QUINT8_REF", 112), V("DT_QINT32_REF", 113),
    V("DT_BFLOAT16_REF", 114), V("DT_QINT16_REF", 115), V("DT_QUINT16_REF", 116), V("DT_UINT16_REF", 117),
    V("DT_COMPLEX128_REF", 118), V("DT_HALF_REF", 119), V("DT_RESOURCE_REF", 120), V("DT_VARIANT_REF", 121),
    V("DT_UINT32_REF", 122), V("DT_UINT64_REF", 123), V("DT_FLOAT8_E5M2_REF", 124), V("DT_FLOAT8_E4M3FN_REF", 125),
    V("DT_FLOAT8_E4M3FNUZ_REF", 126), V("DT_FLOAT8_E4M3B11FNUZ_REF", 127), V("DT_FLOAT8_E5M2FNUZ_REF", 128),
    V("DT_INT4_REF", 129), V("DT_UINT4_REF", 130), V("DT_INT2_REF", 131), V("DT_UINT2_REF", 132),
    V("DT_FLOAT4_E2M1FN_REF", 133));
static const tfp_text_enum full_type_id = VALUES(
    V("TFT_UNSET", 0), V("TFT_VAR", 1), V("TFT_ANY", 2), V("TFT_PRODUCT", 3), V("TFT_NAMED", 4), V("TFT_FOR_EACH", 20),
    V("TFT_CALLABLE", 100), V("TFT_TENSOR", 1000), V("TFT_ARRAY", 1001), V("TFT_OPTIONAL", 1002),
    V("TFT_LITERAL", 1003), V("TFT_ENCODED", 1004), V("TFT_SHAPE_TENSOR", 1005), V("TFT_BOOL", 200),
    V("TFT_UINT8", 201), V("TFT_UINT16", 202), V("TFT_UINT32", 203), V("TFT_UINT64", 204), V("TFT_INT8", 205),
    V("TFT_INT16", 206), V("TFT_INT32", 207), V("TFT_INT64", 208), V("TFT_HALF", 209), V("TFT_FLOAT", 210),
    V("TFT_DOUBLE", 211), V("TFT_BFLOAT16", 215), V("TFT_COMPLEX64", 212), V("TFT_COMPLEX128", 213),
    V("TFT_STRING", 214), V("TFT_DATASET", 10102), V("TFT_RAGGED", 10103), V("TFT_ITERATOR", 10104),
    V("TFT_MUTEX_LOCK", 10202), V("TFT_LEGACY_VARIANT", 10203));
static const tfp_text_enum checkpoint_format_version = VALUES(
    V("LEGACY", 0), V("V1", 1), V("V2", 2));
static const tfp_text_enum type_spec_class = VALUES(
    V("UNKNOWN", 0), V("SPARSE_TENSOR_SPEC", 1), V("INDEXED_SLICES_SPEC", 2), V("RAGGED_TENSOR_SPEC", 3),
    V("TENSOR_ARRAY_SPEC", 4), V("DATA_DATASET_SPEC", 5), V("DATA_ITERATOR_SPEC", 6), V("OPTIONAL_SPEC", 7),
    V("PER_REPLICA_SPEC", 8), V("VARIABLE_SPEC", 9), V("ROW_PARTITION_SPEC", 10), V("REGISTERED_TYPE_SPEC", 12),
    V("EXTENSION_TYPE_SPEC", 13));
static const tfp_text_enum jit_compile = VALUES(
    V("DEFAULT", 0), V("ON", 1), V("OFF", 2));
static const tfp_text_enum variable_synchronization = VALUES(
    V("VARIABLE_SYNCHRONIZATION_AUTO", 0), V("VARIABLE_SYNCHRONIZATION_NONE", 1),
    V("VARIABLE_SYNCHRONIZATION_ON_WRITE", 2), V("VARIABLE_SYNCHRONIZATION_ON_READ", 3));
static const tfp_text_enum variable_aggregation = VALUES(
    V("VARIABLE_AGGREGATION_NONE", 0), V("VARIABLE_AGGREGATION_SUM", 1), V("VARIABLE_AGGREGATION_MEAN", 2),
    V("VARIABLE_AGGREGATION_ONLY_FIRST_REPLICA", 3));

/* Messages may contain each other, so they are declared first. */
MESSAGE
    node_def, attr_value, attr_value_list_value, tensor_shape_proto, tensor_shape_proto_dim, tensor_proto,
    resource_handle_proto, resource_handle_proto_dtype_and_shape, variant_tensor_data_proto, name_attr_list,
    node_def_experimental_debug_info, full_type_def, function_def_library, function_def, op_def, op_def_arg_def,
    op_def_attr_def, op_deprecation, function_def_arg_attrs, gradient_def, registered_gradient, version_def,
    graph_debug_info, graph_debug_info_stack_trace, graph_debug_info_file_line_col, meta_info_def, op_list, any,
    saver_def, collection_def, collection_def_node_list, collection_def_bytes_list, collection_def_int64_list,
    collection_def_float_list, collection_def_any_list, signature_def, tensor_info, tensor_info_coo_sparse,
    tensor_info_composite_tensor, type_spec_proto, structured_value, none_value, tensor_spec_proto,
    bounded_tensor_spec_proto, list_value, tuple_value, dict_value, named_tuple_value, pair_value, asset_file_def,
    saved_object_graph, saved_object, object_reference, slot_variable_reference, saved_user_object, saved_asset,
    saved_function, function_spec, saved_variable, saved_bare_concrete_function, saved_constant, saved_resource,
    saveable_object, captured_tensor, saved_concrete_function, step_stats, device_step_stats, node_exec_stats,
    allocator_memory_used, allocation_record, node_output, tensor_description, allocation_description, memory_stats,
    cost_graph_def, cost_graph_def_node, cost_graph_def_node_input_info, cost_graph_def_node_output_info,
    cost_graph_def_aggregated_cost, run_metadata_function_graphs, session_metadata, op_log_entry, code_def,
    code_def_trace, profile_node, exec_profile, exec_time, tuple, exec_memory, memory,
    fixed64_to_graph_debug_info_file_line_col, fixed64_to_graph_debug_info_stack_trace, int32_to_int64,
    int32_to_memory, int32_to_tuple, int64_to_exec_profile, int64_to_int32, int64_to_profile_node, int64_to_string,
    string_to_attr_value, string_to_collection_def, string_to_exec_time, string_to_fixed64,
    string_to_graph_debug_info_stack_trace, string_to_saveable_object, string_to_saved_concrete_function,
    string_to_signature_def, string_to_string, string_to_structured_value, string_to_tensor_info,
    string_to_tensor_proto, uint32_to_function_def_arg_attrs, uint32_to_string, uint32_to_uint32;

const tfp_message_schema tfp_schema_graph_def = OF("tensorflow.GraphDef",
    RM("node", 1, node_def), FM("library", 2, function_def_library), F("version", 3, INT32),
    FM("versions", 4, version_def), FM("debug_info", 5, graph_debug_info));
MESSAGE node_def = OF("tensorflow.NodeDef",
    F("name", 1, STRING), F("op", 2, STRING), R("input", 3, STRING), F("device", 4, STRING),
    RM("attr", 5, string_to_attr_value), FM("experimental_debug_info", 6, node_def_experimental_debug_info),
    FM("experimental_type", 7, full_type_def));
MESSAGE attr_value = OF("tensorflow.AttrValue",
    OM("list", 1, attr_value_list_value), O("s", 2, BYTES), O("i", 3, INT64), O("f", 4, FLOAT), O("b", 5, BOOL),
    OE("type", 6, data_type), OM("shape", 7, tensor_shape_proto), OM("tensor", 8, tensor_proto),
    O("placeholder", 9, STRING), OM("func", 10, name_attr_list));
MESSAGE attr_value_list_value = OF("tensorflow.AttrValue.ListValue",
    R("s", 2, BYTES), R("i", 3, INT64), R("f", 4, FLOAT), R("b", 5, BOOL), RE("type", 6, data_type),
    RM("shape", 7, tensor_shape_proto), RM("tensor", 8, tensor_proto), RM("func", 9, name_attr_list));
MESSAGE tensor_shape_proto = OF("tensorflow.TensorShapeProto",
    RM("dim", 2, tensor_shape_proto_dim), F("unknown_rank", 3, BOOL));
MESSAGE tensor_shape_proto_dim = OF("tensorflow.TensorShapeProto.Dim",
    F("size", 1, INT64), F("name", 2, STRING));
MESSAGE tensor_proto = OF("tensorflow.TensorProto",
    FE("dtype", 1, data_type), FM("tensor_shape", 2, tensor_shape_proto), F("version_number", 3, INT32),
    F("tensor_content", 4, BYTES), R("float_val", 5, FLOAT), R("double_val", 6, DOUBLE), R("int_val", 7, INT32),
    R("string_val", 8, BYTES), R("scomplex_val", 9, FLOAT), R("int64_val", 10, INT64), R("bool_val", 11, BOOL),
    R("dcomplex_val", 12, DOUBLE), R("half_val", 13, INT32), RM("resource_handle_val", 14, resource_handle_proto),
    RM("variant_val", 15, variant_tensor_data_proto), R("uint32_val", 16, UINT32), R("uint64_val", 17, UINT64),
    F("float8_val", 18, BYTES));
MESSAGE resource_handle_proto = OF("tensorflow.ResourceHandleProto",
    F("device", 1, STRING), F("container", 2, STRING), F("name", 3, STRING), F("hash_code", 4, UINT64),
    F("maybe_type_name", 5, STRING), RM("dtypes_and_shapes", 6, resource_handle_proto_dtype_and_shape));
MESSAGE resource_handle_proto_dtype_and_shape = OF("tensorflow.ResourceHandleProto.DtypeAndShape",
    FE("dtype", 1, data_type), FM("shape", 2, tensor_shape_proto));
MESSAGE variant_tensor_data_proto = OF("tensorflow.VariantTensorDataProto",
    F("type_name", 1, STRING), F("metadata", 2, BYTES), RM("tensors", 3, tensor_proto));
MESSAGE name_attr_list = OF("tensorflow.NameAttrList",
    F("name", 1, STRING), RM("attr", 2, string_to_attr_value));
MESSAGE node_def_experimental_debug_info = OF("tensorflow.NodeDef.ExperimentalDebugInfo",
    R("original_node_names", 1, STRING), R("original_func_names", 2, STRING));
MESSAGE full_type_def = OF("tensorflow.FullTypeDef",
    FE("type_id", 1, full_type_id), RM("args", 2, full_type_def), O("s", 3, STRING), O("i", 4, INT64));
MESSAGE function_def_library = OF("tensorflow.FunctionDefLibrary",
    RM("function", 1, function_def), RM("gradient", 2, gradient_def),
    RM("registered_gradients", 3, registered_gradient));
MESSAGE function_def = OF("tensorflow.FunctionDef",
    FM("signature", 1, op_def), RM("node_def", 3, node_def), RM("ret", 4, string_to_string),
    RM("attr", 5, string_to_attr_value), RM("control_ret", 6, string_to_string),
    RM("arg_attr", 7, uint32_to_function_def_arg_attrs), RM("resource_arg_unique_id", 8, uint32_to_uint32));
MESSAGE op_def = OF("tensorflow.OpDef",
    F("name", 1, STRING), RM("input_arg", 2, op_def_arg_def), RM("output_arg", 3, op_def_arg_def),
    RM("attr", 4, op_def_attr_def), F("summary", 5, STRING), F("description", 6, STRING),
    FM("deprecation", 8, op_deprecation), F("is_aggregate", 16, BOOL), F("is_stateful", 17, BOOL),
    F("is_commutative", 18, BOOL), F("allows_uninitialized_input", 19, BOOL), R("control_output", 20, STRING),
    F("is_distributed_communication", 21, BOOL));
MESSAGE op_def_arg_def = OF("tensorflow.OpDef.ArgDef",
    F("name", 1, STRING), F("description", 2, STRING), FE("type", 3, data_type), F("type_attr", 4, STRING),
    F("number_attr", 5, STRING), F("type_list_attr", 6, STRING),
    RM("handle_data", 7, resource_handle_proto_dtype_and_shape), F("is_ref", 16, BOOL),
    FM("experimental_full_type", 17, full_type_def));
MESSAGE op_def_attr_def = OF("tensorflow.OpDef.AttrDef",
    F("name", 1, STRING), F("type", 2, STRING), FM("default_value", 3, attr_value), F("description", 4, STRING),
    F("has_minimum", 5, BOOL), F("minimum", 6, INT64), FM("allowed_values", 7, attr_value));
MESSAGE op_deprecation = OF("tensorflow.OpDeprecation",
    F("version", 1, INT32), F("explanation", 2, STRING));
MESSAGE function_def_arg_attrs = OF("tensorflow.FunctionDef.ArgAttrs",
    RM("attr", 1, string_to_attr_value));
MESSAGE gradient_def = OF("tensorflow.GradientDef",
    F("function_name", 1, STRING), F("gradient_func", 2, STRING));
MESSAGE registered_gradient = OF("tensorflow.RegisteredGradient",
    F("gradient_func", 1, STRING), F("registered_op_type", 2, STRING));
MESSAGE version_def = OF("tensorflow.VersionDef",
    F("producer", 1, INT32), F("min_consumer", 2, INT32), R("bad_consumers", 3, INT32));
MESSAGE graph_debug_info = OF("tensorflow.GraphDebugInfo",
    R("files", 1, STRING), RM("traces", 2, string_to_graph_debug_info_stack_trace),
    RM("frames_by_id", 4, fixed64_to_graph_debug_info_file_line_col), RM("name_to_trace_id", 5, string_to_fixed64),
    RM("traces_by_id", 6, fixed64_to_graph_debug_info_stack_trace));
MESSAGE graph_debug_info_stack_trace = OF("tensorflow.GraphDebugInfo.StackTrace",
    RM("file_line_cols", 1, graph_debug_info_file_line_col), R("frame_id", 2, FIXED64));
MESSAGE graph_debug_info_file_line_col = OF("tensorflow.GraphDebugInfo.FileLineCol",
    P("file_index", 1, INT32), P("line", 2, INT32), P("col", 3, INT32), P("func", 4, STRING), P("code", 5, STRING));
const tfp_message_schema tfp_schema_meta_graph = OF("tensorflow.MetaGraphDef",
    FM("meta_info_def", 1, meta_info_def), FM("graph_def", 2, tfp_schema_graph_def), FM("saver_def", 3, saver_def),
    RM("collection_def", 4, string_to_collection_def), RM("signature_def", 5, string_to_signature_def),
    RM("asset_file_def", 6, asset_file_def), FM("object_graph_def", 7, saved_object_graph));
MESSAGE meta_info_def = OF("tensorflow.MetaGraphDef.MetaInfoDef",
    F("meta_graph_version", 1, STRING), FM("stripped_op_list", 2, op_list), FM("any_info", 3, any),
    R("tags", 4, STRING), F("tensorflow_version", 5, STRING), F("tensorflow_git_version", 6, STRING),
    F("stripped_default_attrs", 7, BOOL), RM("function_aliases", 8, string_to_string));
MESSAGE op_list = OF("tensorflow.OpList",
    RM("op", 1, op_def));
MESSAGE saver_def = OF("tensorflow.SaverDef",
    F("filename_tensor_name", 1, STRING), F("save_tensor_name", 2, STRING), F("restore_op_name", 3, STRING),
    F("max_to_keep", 4, INT32), F("sharded", 5, BOOL), F("keep_checkpoint_every_n_hours", 6, FLOAT),
    FE("version", 7, checkpoint_format_version));
MESSAGE collection_def = OF("tensorflow.CollectionDef",
    OM("node_list", 1, collection_def_node_list), OM("bytes_list", 2, collection_def_bytes_list),
    OM("int64_list", 3, collection_def_int64_list), OM("float_list", 4, collection_def_float_list),
    OM("any_list", 5, collection_def_any_list));
MESSAGE collection_def_node_list = OF("tensorflow.CollectionDef.NodeList",
    R("value", 1, STRING));
MESSAGE collection_def_bytes_list = OF("tensorflow.CollectionDef.BytesList",
    R("value", 1, BYTES));
MESSAGE collection_def_int64_list = OF("tensorflow.CollectionDef.Int64List",
    R("value", 1, INT64));
MESSAGE collection_def_float_list = OF("tensorflow.CollectionDef.FloatList",
    R("value", 1, FLOAT));
MESSAGE collection_def_any_list = OF("tensorflow.CollectionDef.AnyList",
    RM("value", 1, any));
MESSAGE signature_def = OF("tensorflow.SignatureDef",
    RM("inputs", 1, string_to_tensor_info), RM("outputs", 2, string_to_tensor_info), F("method_name", 3, STRING),
    RM("defaults", 4, string_to_tensor_proto));
MESSAGE tensor_info = OF("tensorflow.TensorInfo",
    O("name", 1, STRING), FE("dtype", 2, data_type), FM("tensor_shape", 3, tensor_shape_proto),
    OM("coo_sparse", 4, tensor_info_coo_sparse), OM("composite_tensor", 5, tensor_info_composite_tensor));
MESSAGE tensor_info_coo_sparse = OF("tensorflow.TensorInfo.CooSparse",
    F("values_tensor_name", 1, STRING), F("indices_tensor_name", 2, STRING), F("dense_shape_tensor_name", 3, STRING));
MESSAGE tensor_info_composite_tensor = OF("tensorflow.TensorInfo.CompositeTensor",
    FM("type_spec", 1, type_spec_proto), RM("components", 2, tensor_info));
MESSAGE type_spec_proto = OF("tensorflow.TypeSpecProto",
    FE("type_spec_class", 1, type_spec_class), FM("type_state", 2, structured_value),
    F("type_spec_class_name", 3, STRING), F("num_flat_components", 4, INT32));
MESSAGE structured_value = OF("tensorflow.StructuredValue",
    OM("none_value", 1, none_value), O("float64_value", 11, DOUBLE), O("int64_value", 12, SINT64),
    O("string_value", 13, STRING), O("bool_value", 14, BOOL), OM("tensor_shape_value", 31, tensor_shape_proto),
    OE("tensor_dtype_value", 32, data_type), OM("tensor_spec_value", 33, tensor_spec_proto),
    OM("type_spec_value", 34, type_spec_proto), OM("bounded_tensor_spec_value", 35, bounded_tensor_spec_proto),
    OM("list_value", 51, list_value), OM("tuple_value", 52, tuple_value), OM("dict_value", 53, dict_value),
    OM("named_tuple_value", 54, named_tuple_value), OM("tensor_value", 55, tensor_proto),
    OM("numpy_value", 56, tensor_proto));
MESSAGE none_value = { .name = TEXT("tensorflow.NoneValue") };
MESSAGE tensor_spec_proto = OF("tensorflow.TensorSpecProto",
    F("name", 1, STRING), FM("shape", 2, tensor_shape_proto), FE("dtype", 3, data_type));
MESSAGE bounded_tensor_spec_proto = OF("tensorflow.BoundedTensorSpecProto",
    F("name", 1, STRING), FM("shape", 2, tensor_shape_proto), FE("dtype", 3, data_type),
    FM("minimum", 4, tensor_proto), FM("maximum", 5, tensor_proto));
MESSAGE list_value = OF("tensorflow.ListValue",
    RM("values", 1, structured_value));
MESSAGE tuple_value = OF("tensorflow.TupleValue",
    RM("values", 1, structured_value));
MESSAGE dict_value = OF("tensorflow.DictValue",
    RM("fields", 1, string_to_structured_value));
MESSAGE named_tuple_value = OF("tensorflow.NamedTupleValue",
    F("name", 1, STRING), RM("values", 2, pair_value));
MESSAGE pair_value = OF("tensorflow.PairValue",
    F("key", 1, STRING), FM("value", 2, structured_value));
MESSAGE asset_file_def = OF("tensorflow.AssetFileDef",
    FM("tensor_info", 1, tensor_info), F("filename", 2, STRING));
MESSAGE saved_object_graph = OF("tensorflow.SavedObjectGraph",
    RM("nodes", 1, saved_object), RM("concrete_functions", 2, string_to_saved_concrete_function));
MESSAGE saved_object = OF("tensorflow.SavedObject",
    RM("children", 1, object_reference), RM("slot_variables", 3, slot_variable_reference),
    OM("user_object", 4, saved_user_object), OM("asset", 5, saved_asset), OM("function", 6, saved_function),
    OM("variable", 7, saved_variable), OM("bare_concrete_function", 8, saved_bare_concrete_function),
    OM("constant", 9, saved_constant), OM("resource", 10, saved_resource),
    RM("saveable_objects", 11, string_to_saveable_object), OM("captured_tensor", 12, captured_tensor),
    F("registered_name", 13, STRING), FM("serialized_user_proto", 14, any), RM("dependencies", 15, object_reference),
    F("registered_saver", 16, STRING));
MESSAGE object_reference = OF("tensorflow.TrackableObjectGraph.TrackableObject.ObjectReference",
    F("node_id", 1, INT32), F("local_name", 2, STRING));
MESSAGE slot_variable_reference = OF("tensorflow.TrackableObjectGraph.TrackableObject.SlotVariableReference",
    F("original_variable_node_id", 1, INT32), F("slot_name", 2, STRING), F("slot_variable_node_id", 3, INT32));
MESSAGE saved_user_object = OF("tensorflow.SavedUserObject",
    F("identifier", 1, STRING), FM("version", 2, version_def), F("metadata", 3, STRING));
MESSAGE saved_asset = OF("tensorflow.SavedAsset",
    F("asset_file_def_index", 1, INT32));
MESSAGE saved_function = OF("tensorflow.SavedFunction",
    R("concrete_functions", 1, STRING), FM("function_spec", 2, function_spec));
MESSAGE function_spec = OF("tensorflow.FunctionSpec",
    FM("fullargspec", 1, structured_value), F("is_method", 2, BOOL), FM("input_signature", 5, structured_value),
    FE("jit_compile", 6, jit_compile));
MESSAGE saved_variable = OF("tensorflow.SavedVariable",
    FE("dtype", 1, data_type), FM("shape", 2, tensor_shape_proto), F("trainable", 3, BOOL),
    FE("synchronization", 4, variable_synchronization), FE("aggregation", 5, variable_aggregation),
    F("name", 6, STRING), F("device", 7, STRING),
    RM("experimental_distributed_variable_components", 8, saved_variable));
MESSAGE saved_bare_concrete_function = OF("tensorflow.SavedBareConcreteFunction",
    F("concrete_function_name", 1, STRING), R("argument_keywords", 2, STRING),
    F("allowed_positional_arguments", 3, INT64), FM("function_spec", 4, function_spec));
MESSAGE saved_constant = OF("tensorflow.SavedConstant",
    F("operation", 1, STRING));
MESSAGE saved_resource = OF("tensorflow.SavedResource",
    F("device", 1, STRING));
MESSAGE saveable_object = OF("tensorflow.SaveableObject",
    F("save_function", 2, INT32), F("restore_function", 3, INT32));
MESSAGE captured_tensor = OF("tensorflow.CapturedTensor",
    F("name", 1, STRING), F("concrete_function", 2, STRING));
MESSAGE saved_concrete_function = OF("tensorflow.SavedConcreteFunction",
    R("bound_inputs", 2, INT32), FM("canonicalized_input_signature", 3, structured_value),
    FM("output_signature", 4, structured_value));
const tfp_message_schema tfp_schema_saved_model = OF("tensorflow.SavedModel",
    F("saved_model_schema_version", 1, INT64), RM("meta_graphs", 2, tfp_schema_meta_graph));
const tfp_message_schema tfp_schema_run_metadata = OF("tensorflow.RunMetadata",
    FM("step_stats", 1, step_stats), FM("cost_graph", 2, cost_graph_def),
    RM("partition_graphs", 3, tfp_schema_graph_def), RM("function_graphs", 4, run_metadata_function_graphs),
    FM("session_metadata", 5, session_metadata));
MESSAGE step_stats = OF("tensorflow.StepStats",
    RM("dev_stats", 1, device_step_stats));
MESSAGE device_step_stats = OF("tensorflow.DeviceStepStats",
    F("device", 1, STRING), RM("node_stats", 2, node_exec_stats), RM("thread_names", 3, uint32_to_string));
MESSAGE node_exec_stats = OF("tensorflow.NodeExecStats",
    F("node_name", 1, STRING), F("all_start_micros", 2, INT64), F("op_start_rel_micros", 3, INT64),
    F("op_end_rel_micros", 4, INT64), F("all_end_rel_micros", 5, INT64), RM("memory", 6, allocator_memory_used),
    RM("output", 7, node_output), F("timeline_label", 8, STRING), F("scheduled_micros", 9, INT64),
    F("thread_id", 10, UINT32), RM("referenced_tensor", 11, allocation_description),
    FM("memory_stats", 12, memory_stats), F("all_start_nanos", 13, INT64), F("op_start_rel_nanos", 14, INT64),
    F("op_end_rel_nanos", 15, INT64), F("all_end_rel_nanos", 16, INT64), F("scheduled_nanos", 17, INT64));
MESSAGE allocator_memory_used = OF("tensorflow.AllocatorMemoryUsed",
    F("allocator_name", 1, STRING), F("total_bytes", 2, INT64), F("peak_bytes", 3, INT64), F("live_bytes", 4, INT64),
    F("allocator_bytes_in_use", 5, INT64), RM("allocation_records", 6, allocation_record));
MESSAGE allocation_record = OF("tensorflow.AllocationRecord",
    F("alloc_micros", 1, INT64), F("alloc_bytes", 2, INT64));
MESSAGE node_output = OF("tensorflow.NodeOutput",
    F("slot", 1, INT32), FM("tensor_description", 3, tensor_description));
MESSAGE tensor_description = OF("tensorflow.TensorDescription",
    FE("dtype", 1, data_type), FM("shape", 2, tensor_shape_proto),
    FM("allocation_description", 4, allocation_description));
MESSAGE allocation_description = OF("tensorflow.AllocationDescription",
    F("requested_bytes", 1, INT64), F("allocated_bytes", 2, INT64), F("allocator_name", 3, STRING),
    F("allocation_id", 4, INT64), F("has_single_reference", 5, BOOL), F("ptr", 6, UINT64));
MESSAGE memory_stats = OF("tensorflow.MemoryStats",
    F("temp_memory_size", 1, INT64), F("device_temp_memory_size", 2, INT64), F("persistent_memory_size", 3, INT64),
    F("device_persistent_memory_size", 4, INT64), R("persistent_tensor_alloc_ids", 5, INT64),
    R("device_persistent_tensor_alloc_ids", 6, INT64));
MESSAGE cost_graph_def = OF("tensorflow.CostGraphDef",
    RM("node", 1, cost_graph_def_node), RM("cost", 2, cost_graph_def_aggregated_cost));
MESSAGE cost_graph_def_node = OF("tensorflow.CostGraphDef.Node",
    F("name", 1, STRING), F("device", 2, STRING), F("id", 3, INT32),
    RM("input_info", 4, cost_graph_def_node_input_info), RM("output_info", 5, cost_graph_def_node_output_info),
    F("temporary_memory_size", 6, INT64), F("is_final", 7, BOOL), R("control_input", 8, INT32),
    F("compute_cost", 9, INT64), F("host_temp_memory_size", 10, INT64), F("device_temp_memory_size", 11, INT64),
    F("persistent_memory_size", 12, INT64), F("compute_time", 14, INT64), F("memory_time", 15, INT64),
    F("device_persistent_memory_size", 16, INT64), F("inaccurate", 17, BOOL));
MESSAGE cost_graph_def_node_input_info = OF("tensorflow.CostGraphDef.Node.InputInfo",
    F("preceding_node", 1, INT32), F("preceding_port", 2, INT32));
MESSAGE cost_graph_def_node_output_info = OF("tensorflow.CostGraphDef.Node.OutputInfo",
    F("size", 1, INT64), F("alias_input_port", 2, INT64), FM("shape", 3, tensor_shape_proto),
    FE("dtype", 4, data_type));
MESSAGE cost_graph_def_aggregated_cost = OF("tensorflow.CostGraphDef.AggregatedCost",
    F("cost", 1, FLOAT), F("dimension", 2, STRING));
MESSAGE run_metadata_function_graphs = OF("tensorflow.RunMetadata.FunctionGraphs",
    RM("partition_graphs", 1, tfp_schema_graph_def), FM("pre_optimization_graph", 2, tfp_schema_graph_def),
    FM("post_optimization_graph", 3, tfp_schema_graph_def));
MESSAGE session_metadata = OF("tensorflow.SessionMetadata",
    F("name", 1, STRING), F("version", 2, INT64));
const tfp_message_schema tfp_schema_op_log = OF("tensorflow.tfprof.OpLogProto",
    RM("log_entries", 1, op_log_entry), RM("id_to_string", 2, int64_to_string));
MESSAGE op_log_entry = OF("tensorflow.tfprof.OpLogEntry",
    F("name", 1, STRING), F("float_ops", 2, INT64), R("types", 3, STRING), FM("code_def", 4, code_def));
MESSAGE code_def = OF("tensorflow.tfprof.CodeDef",
    RM("traces", 1, code_def_trace));
MESSAGE code_def_trace = OF("tensorflow.tfprof.CodeDef.Trace",
    F("file", 1, STRING), F("lineno", 2, INT32), F("function", 3, STRING), F("line", 4, STRING),
    F("func_start_line", 5, INT32), F("file_id", 6, INT64), F("function_id", 7, INT64), F("line_id", 8, INT64));
const tfp_message_schema tfp_schema_profile = OF("tensorflow.tfprof.ProfileProto",
    RM("nodes", 1, int64_to_profile_node), F("has_trace", 2, BOOL), R("steps", 3, INT64),
    RM("id_to_string", 4, int64_to_string), F("miss_accelerator_stream", 5, BOOL));
MESSAGE profile_node = OF("tensorflow.tfprof.ProfileNode",
    F("name", 1, STRING), RM("inputs", 2, int32_to_int64), RM("outputs", 3, int32_to_int64), R("shape", 4, INT64),
    R("op_types", 5, STRING), F("canonical_device", 6, STRING), F("host_device", 7, STRING), F("float_ops", 8, INT64),
    F("op", 9, STRING), FM("trace", 10, code_def), RM("attrs", 11, string_to_attr_value),
    RM("execs", 12, int64_to_exec_profile), F("id", 13, INT64), RM("src_output_index", 14, int64_to_int32),
    RM("output_shapes", 15, int32_to_tuple), RM("input_shapes", 16, int32_to_tuple));
MESSAGE exec_profile = OF("tensorflow.tfprof.ExecProfile",
    F("run_count", 1, INT64), F("all_start_micros", 2, INT64), F("latest_end_micros", 3, INT64),
    RM("accelerator_execs", 4, string_to_exec_time), RM("cpu_execs", 5, string_to_exec_time), R("devices", 6, STRING),
    RM("memory_execs", 7, exec_memory), RM("allocations", 11, allocation_record));
MESSAGE exec_time = OF("tensorflow.tfprof.ExecTime",
    RM("times", 1, tuple));
MESSAGE tuple = OF("tensorflow.tfprof.Tuple",
    R("int64_values", 1, INT64));
MESSAGE exec_memory = OF("tensorflow.tfprof.ExecMemory",
    F("memory_micros", 1, INT64), F("host_temp_bytes", 2, INT64), F("host_persistent_bytes", 3, INT64),
    F("accelerator_temp_bytes", 4, INT64), F("accelerator_persistent_bytes", 5, INT64), F("requested_bytes", 6, INT64),
    F("peak_bytes", 7, INT64), F("residual_bytes", 8, INT64), F("output_bytes", 9, INT64),
    F("allocator_bytes_in_use", 10, INT64), RM("output_memory", 11, int32_to_memory));
MESSAGE memory = OF("tensorflow.tfprof.Memory",
    F("bytes", 1, INT64), F("ptr", 2, UINT64));

/* Entries of maps. */
MESSAGE fixed64_to_graph_debug_info_file_line_col =
    OF("map entry", P("key", 1, FIXED64), FM("value", 2, graph_debug_info_file_line_col));
MESSAGE fixed64_to_graph_debug_info_stack_trace =
    OF("map entry", P("key", 1, FIXED64), FM("value", 2, graph_debug_info_stack_trace));
MESSAGE int32_to_int64 = OF("map entry", F("key", 1, INT32), F("value", 2, INT64));
MESSAGE int32_to_memory = OF("map entry", F("key", 1, INT32), FM("value", 2, memory));
MESSAGE int32_to_tuple = OF("map entry", F("key", 1, INT32), FM("value", 2, tuple));
MESSAGE int64_to_exec_profile = OF("map entry", F("key", 1, INT64), FM("value", 2, exec_profile));
MESSAGE int64_to_int32 = OF("map entry", F("key", 1, INT64), F("value", 2, INT32));
MESSAGE int64_to_profile_node = OF("map entry", F("key", 1, INT64), FM("value", 2, profile_node));
MESSAGE int64_to_string = OF("map entry", F("key", 1, INT64), F("value", 2, STRING));
MESSAGE string_to_attr_value = OF("map entry", F("key", 1, STRING), FM("value", 2, attr_value));
MESSAGE string_to_collection_def = OF("map entry", F("key", 1, STRING), FM("value", 2, collection_def));
MESSAGE string_to_exec_time = OF("map entry", F("key", 1, STRING), FM("value", 2, exec_time));
MESSAGE string_to_fixed64 = OF("map entry", P("key", 1, STRING), P("value", 2, FIXED64));
MESSAGE string_to_graph_debug_info_stack_trace =
    OF("map entry", P("key", 1, STRING), FM("value", 2, graph_debug_info_stack_trace));
MESSAGE string_to_saveable_object = OF("map entry", F("key", 1, STRING), FM("value", 2, saveable_object));
MESSAGE string_to_saved_concrete_function =
    OF("map entry", F("key", 1, STRING), FM("value", 2, saved_concrete_function));
MESSAGE string_to_signature_def = OF("map entry", F("key", 1, STRING), FM("value", 2, signature_def));
MESSAGE string_to_string = OF("map entry", F("key", 1, STRING), F("value", 2, STRING));
MESSAGE string_to_structured_value = OF("map entry", F("key", 1, STRING), FM("value", 2, structured_value));
MESSAGE string_to_tensor_info = OF("map entry", F("key", 1, STRING), FM("value", 2, tensor_info));
MESSAGE string_to_tensor_proto = OF("map entry", F("key", 1, STRING), FM("value", 2, tensor_proto));
MESSAGE uint32_to_function_def_arg_attrs =
    OF("map entry", F("key", 1, UINT32), FM("value", 2, function_def_arg_attrs));
MESSAGE uint32_to_string = OF("map entry", F("key", 1, UINT32), F("value", 2, STRING));
MESSAGE uint32_to_uint32 = OF("map entry", F("key", 1, UINT32), F("value", 2, UINT32));

/* The messages that may stand inside an Any. */
static const tfp_message_schema *const known[] = {
    &tfp_schema_graph_def, &node_def, &attr_value, &attr_value_list_value, &tensor_shape_proto,
    &tensor_shape_proto_dim, &tensor_proto, &resource_handle_proto, &resource_handle_proto_dtype_and_shape,
    &variant_tensor_data_proto, &name_attr_list, &node_def_experimental_debug_info, &full_type_def,
    &function_def_library, &function_def, &op_def, &op_def_arg_def, &op_def_attr_def, &op_deprecation,
    &function_def_arg_attrs, &gradient_def, &registered_gradient, &version_def, &graph_debug_info,
    &graph_debug_info_stack_trace, &graph_debug_info_file_line_col, &tfp_schema_meta_graph, &meta_info_def, &op_list,
    &any, &saver_def, &collection_def, &collection_def_node_list, &collection_def_bytes_list,
    &collection_def_int64_list, &collection_def_float_list, &collection_def_any_list, &signature_def, &tensor_info,
    &tensor_info_coo_sparse, &tensor_info_composite_tensor, &type_spec_proto, &structured_value, &none_value,
    &tensor_spec_proto, &bounded_tensor_spec_proto, &list_value, &tuple_value, &dict_value, &named_tuple_value,
    &pair_value, &asset_file_def, &saved_object_graph, &saved_object, &object_reference, &slot_variable_reference,
    &saved_user_object, &saved_asset, &saved_function, &function_spec, &saved_variable, &saved_bare_concrete_function,
    &saved_constant, &saved_resource, &saveable_object, &captured_tensor, &saved_concrete_function,
    &tfp_schema_saved_model, &tfp_schema_run_metadata, &step_stats, &device_step_stats, &node_exec_stats,
    &allocator_memory_used, &allocation_record, &node_output, &tensor_description, &allocation_description,
    &memory_stats, &cost_graph_def, &cost_graph_def_node, &cost_graph_def_node_input_info,
    &cost_graph_def_node_output_info, &cost_graph_def_aggregated_cost, &run_metadata_function_graphs,
    &session_metadata, &tfp_schema_op_log, &op_log_entry, &code_def, &code_def_trace, &tfp_schema_profile,
    &profile_node, &exec_profile, &exec_time, &tuple, &exec_memory, &memory, NULL
};
MESSAGE any = { TEXT("google.protobuf.Any"), FIELDS(F("type_url", 1, STRING), F("value", 2, BYTES)), 2, known };
