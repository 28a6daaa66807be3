"builtin.module"() <{sym_name = "jit_scan"}> ({
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<16x16xf32>, tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<7xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg7: tensor<16x16xf32>, %arg8: tensor<4x16xf32>):
    %7 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %8 = "stablehlo.broadcast_in_dim"(%7) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<7xf32>
    %9 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %10:4 = "stablehlo.while"(%arg7, %9, %arg8, %8) ({
    ^bb0(%arg13: tensor<16x16xf32>, %arg14: tensor<i32>, %arg15: tensor<4x16xf32>, %arg16: tensor<7xf32>):
      %15 = "stablehlo.constant"() <{value = dense<7> : tensor<i32>}> : () -> tensor<i32>
      %16 = "stablehlo.compare"(%arg14, %15) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%16) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg9: tensor<16x16xf32>, %arg10: tensor<i32>, %arg11: tensor<4x16xf32>, %arg12: tensor<7xf32>):
      %11:2 = "func.call"(%arg9, %arg11) <{callee = @closed_call}> : (tensor<16x16xf32>, tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<f32>)
      %12 = "func.call"(%arg12, %11#1, %arg10) <{callee = @dynamic_update_index_in_dim}> : (tensor<7xf32>, tensor<f32>, tensor<i32>) -> tensor<7xf32>
      %13 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %14 = "stablehlo.add"(%arg10, %13) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg9, %14, %11#0, %12) : (tensor<16x16xf32>, tensor<i32>, tensor<4x16xf32>, tensor<7xf32>) -> ()
    }) : (tensor<16x16xf32>, tensor<i32>, tensor<4x16xf32>, tensor<7xf32>) -> (tensor<16x16xf32>, tensor<i32>, tensor<4x16xf32>, tensor<7xf32>)
    "func.return"(%10#2, %10#3) : (tensor<4x16xf32>, tensor<7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<16x16xf32>, tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<f32>), res_attrs = [{}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<16x16xf32>, %arg4: tensor<4x16xf32>):
    %2 = "stablehlo.dot_general"(%arg4, %arg3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
    %3 = "stablehlo.tanh"(%2) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %4 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %5 = "stablehlo.reduce"(%arg4, %4) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %6 = "stablehlo.add"(%arg5, %arg6) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%6) : (tensor<f32>) -> ()
    }) : (tensor<4x16xf32>, tensor<f32>) -> tensor<f32>
    "func.return"(%3, %5) : (tensor<4x16xf32>, tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<7xf32>, tensor<f32>, tensor<i32>) -> tensor<7xf32>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<7xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>):
    %0 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1xf32>
    %1 = "stablehlo.dynamic_update_slice"(%arg0, %0, %arg2) : (tensor<7xf32>, tensor<1xf32>, tensor<i32>) -> tensor<7xf32>
    "func.return"(%1) : (tensor<7xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
