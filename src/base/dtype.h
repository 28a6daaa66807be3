// SPDX-License-Identifier: Apache-2.0
/* base/dtype.h: the numbers of TensorFlow's tensor types in its files (tensorflow/core/framework/types.proto). A
 * reference to such a type has its number and TFP_DT_REF. Names and sizes: formats/checkpoint/tensor.c. */
#ifndef TFP_DTYPE_H
#define TFP_DTYPE_H

enum {
    TFP_DT_FLOAT = 1,
    TFP_DT_DOUBLE = 2,
    TFP_DT_INT32 = 3,
    TFP_DT_UINT8 = 4,
    TFP_DT_INT16 = 5,
    TFP_DT_INT8 = 6,
    TFP_DT_STRING = 7,
    TFP_DT_COMPLEX64 = 8,
    TFP_DT_INT64 = 9,
    TFP_DT_BOOL = 10,
    TFP_DT_QINT8 = 11,
    TFP_DT_QUINT8 = 12,
    TFP_DT_QINT32 = 13,
    TFP_DT_BFLOAT16 = 14,
    TFP_DT_QINT16 = 15,
    TFP_DT_QUINT16 = 16,
    TFP_DT_UINT16 = 17,
    TFP_DT_COMPLEX128 = 18,
    TFP_DT_HALF = 19,
    TFP_DT_RESOURCE = 20,
    TFP_DT_VARIANT = 21,
    TFP_DT_UINT32 = 22,
    TFP_DT_UINT64 = 23,
    TFP_DT_FLOAT8_E5M2 = 24,
    TFP_DT_FLOAT8_E4M3FN = 25,
    TFP_DT_FLOAT8_E4M3FNUZ = 26,
    TFP_DT_FLOAT8_E4M3B11FNUZ = 27,
    TFP_DT_FLOAT8_E5M2FNUZ = 28,
    TFP_DT_INT4 = 29,
    TFP_DT_UINT4 = 30,
    TFP_DT_INT2 = 31,
    TFP_DT_UINT2 = 32,
    TFP_DT_FLOAT4_E2M1FN = 33,
    TFP_DT_LAST = TFP_DT_FLOAT4_E2M1FN,
    TFP_DT_REF = 100
};

#endif
