// RUN: hetc-opt %s --split-input-file -p fuse-sincos | filecheck %s

/// The sine and the cosine of one angle are one call, where the first of them was.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, f32) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %angle: f32):
    %i = arith.constant 0 : index
    %c = math.cos %angle : f32
    %square = arith.mulf %c, %c : f32
    %s = math.sin %angle : f32
    %product = arith.mulf %square, %s : f32
    memref.store %product, %x[%i] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "both"} : () -> ()
}) : () -> ()
// CHECK:      ^{{.*}}(%{{.*}}: memref<?xf32>, %[[ANGLE:.*]]: f32):
// CHECK:        %[[S:.*]], %[[C:.*]] = special.sincos %[[ANGLE]] : f32
// CHECK-NEXT:   %[[SQUARE:.*]] = arith.mulf %[[C]], %[[C]] : f32
// CHECK-NEXT:   arith.mulf %[[SQUARE]], %[[S]] : f32
// CHECK:        memref.store

// -----

/// Near misses: another angle, and another block, which may not be run.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, f32, f32, i1) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %angle: f32, %other: f32, %taken: i1):
    %i = arith.constant 0 : index
    %c = math.cos %angle : f32
    memref.store %c, %x[%i] : memref<?xf32>
    %s = math.sin %other : f32
    memref.store %s, %x[%i] : memref<?xf32>
    scf.if %taken {
      %t = math.sin %angle : f32
      memref.store %t, %x[%i] : memref<?xf32>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "neither"} : () -> ()
}) : () -> ()
// CHECK-NOT:    special.sincos
// CHECK:        math.cos
// CHECK:        math.sin
// CHECK:        math.sin

// -----

/// A near miss: both may be approximated in single precision, which reduces no angle. Doubles are not approximated.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xf64>, f32, f64) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %y: memref<?xf64>, %angle: f32, %double: f64):
    %i = arith.constant 0 : index
    %c = math.cos %angle fastmath<afn> : f32
    %s = math.sin %angle fastmath<afn> : f32
    %product = arith.mulf %c, %s : f32
    memref.store %product, %x[%i] : memref<?xf32>
    %cd = math.cos %double fastmath<afn> : f64
    %sd = math.sin %double fastmath<afn> : f64
    %productd = arith.mulf %cd, %sd : f64
    memref.store %productd, %y[%i] : memref<?xf64>
    "gpu.return"() : () -> ()
  }) {sym_name = "approximated"} : () -> ()
}) : () -> ()
// CHECK:        math.cos
// CHECK-NEXT:   math.sin
// CHECK:        special.sincos
