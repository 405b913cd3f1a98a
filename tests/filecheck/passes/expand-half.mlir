// RUN: hetc-opt %s --split-input-file -p expand-half | filecheck %s
// RUN: hetc-opt %s --split-input-file -p canonicalize,expand-half,canonicalize,expand-half,canonicalize | filecheck %s --check-prefix TWICE

/// A captured number is passed in single precision. What is only stored is rounded by the store.
func.func @entry(%x: tensor<?xf16> {skel.path = array<i64: 0>}) -> !dyn.object attributes {skel.entry, skel.container = "ndarray", skel.result = f16} {
  %h = offload.marshal %x : tensor<?xf16> -> memref<?xf16, "host">
  %b = offload.copy_in %h : memref<?xf16, "host"> -> memref<?xf16>
  %n = offload.size %x[0] : tensor<?xf16>
  %r = offload.alloc %n : memref<?xf16>
  %gain = skel.captured @gain : f16
  %g = offload.scalar "value" of %gain : f16 -> f16
  offload.launch @kernels::@f over %n group 0 tail "exact" (%b, %g, %r : memref<?xf16>, f16, memref<?xf16>)
  %o = offload.copy_out %r : memref<?xf16> -> memref<?xf16, "host">
  %z = offload.unmarshal "ndarray" of f16 (%o : memref<?xf16, "host">)
  func.return %z : !dyn.object
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf16>, f16, memref<?xf16>) -> (), kernel}> ({
  ^bb0(%x: memref<?xf16>, %g: f16, %r: memref<?xf16>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %a = memref.load %x[%i] : memref<?xf16>
    %0 = arith.mulf %a, %g : f16
    memref.store %0, %r[%i] : memref<?xf16>
    "gpu.return"() : () -> ()
  }) {sym_name = "f"} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @entry
// CHECK:         %[[B:.*]] = offload.copy_in %{{.*}} : memref<?xf16, "host"> -> memref<?xf16>
// CHECK:         %[[G:.*]] = offload.scalar "value" of %{{.*}} : f16 -> f32
// CHECK:         offload.launch {{.*}} (%[[B]], %[[G]], %{{.*}} : memref<?xf16>, f32, memref<?xf16>)
// CHECK:         "gpu.func"() <{function_type = (memref<?xf16>, f32, memref<?xf16>) -> (), kernel}>
// CHECK-NEXT:    ^{{.*}}(%[[X:.*]]: memref<?xf16>, %[[P:.*]]: f32, %[[R:.*]]: memref<?xf16>):
// CHECK:           %[[A:.*]] = memref.load %[[X]]
// CHECK-NEXT:      %[[AF:.*]] = arith.extf %[[A]] : f16 to f32
// CHECK-NEXT:      %[[M:.*]] = arith.mulf %[[AF]], %[[P]] : f32
// CHECK:           %[[H:.*]] = arith.truncf %[[M]] : f32 to f16
// CHECK-NEXT:      memref.store %[[H]], %[[R]]
// TWICE-LABEL: func.func @entry
// TWICE:         %[[A:.*]] = memref.load
// TWICE-NEXT:    %[[AF:.*]] = arith.extf %[[A]] : f16 to f32
// TWICE-NEXT:    %[[M:.*]] = arith.mulf %[[AF]], %{{.*}} : f32
// TWICE-NEXT:    %[[H:.*]] = arith.truncf %[[M]] : f32 to f16
// TWICE-NEXT:    memref.store %[[H]]

// -----

/// A sum is rounded before it is used again; a number whose sign changes stays one of half precision. Constants are
/// rounded now, comparisons and choices need no more than a new type.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf16>, memref<?xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<?xf16>, %r: memref<?xf32>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %a = memref.load %x[%i] : memref<?xf16>
    %tenth = arith.constant 1.000000e-01 : f16
    %s = arith.addf %a, %tenth : f16
    %m = arith.negf %s : f16
    %c = arith.cmpf olt, %m, %a : f16
    %t = arith.select %c, %m, %a : f16
    %w = arith.extf %t : f16 to f32
    memref.store %w, %r[%i] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "again"} : () -> ()
}) : () -> ()
// CHECK:       %[[A:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK-NEXT:  %[[T:.*]] = arith.constant 0.09997{{[0-9]+}} : f32
// CHECK-NEXT:  %[[S:.*]] = arith.addf %[[A]], %[[T]] : f32
// CHECK:       %[[BITS:.*]] = arith.bitcast %[[S]] : f32 to i32
// CHECK:       %[[SIZE:.*]] = arith.andi %[[BITS]], %{{.*}} : i32
// CHECK:       arith.shrui %[[SIZE]]
// CHECK:       %[[SIGNED:.*]] = arith.ori
// CHECK-NEXT:  %[[ROUNDED:.*]] = arith.bitcast %[[SIGNED]] : i32 to f32
// CHECK-NEXT:  %[[M:.*]] = arith.negf %[[ROUNDED]] : f32
// CHECK-NEXT:  %[[C:.*]] = arith.cmpf olt, %[[M]], %[[A]] : f32
// CHECK-NEXT:  %[[W:.*]] = arith.select %[[C]], %[[M]], %[[A]] : f32
// CHECK-NEXT:  memref.store %[[W]], %{{.*}} : memref<?xf32>
// TWICE:       arith.addf

// -----

/// Double precision is rounded to half at once: by way of single precision it would be rounded twice. Loops carry `f32`.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (f64, index, memref<?xf16>) -> (), kernel}> ({
  ^bb0(%d: f64, %n: index, %r: memref<?xf16>):
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %h = arith.truncf %d : f64 to f16
    %t = scf.for %i = %zero to %n step %one iter_args(%z = %h) -> (f16) {
      %y = math.sqrt %z : f16
      scf.yield %y : f16
    }
    memref.store %t, %r[%zero] : memref<?xf16>
    "gpu.return"() : () -> ()
  }) {sym_name = "double"} : () -> ()
}) : () -> ()
// CHECK:       ^{{.*}}(%[[D:.*]]: f64,
// CHECK:       arith.bitcast %[[D]] : f64 to i64
// CHECK:       %[[H:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT:  %[[T:.*]] = scf.for %{{.*}} iter_args(%[[Z:.*]] = %[[H]]) -> (f32) {
// CHECK-NEXT:    %[[Y:.*]] = math.sqrt %[[Z]] : f32
// CHECK:         scf.yield %{{.*}} : f32
// CHECK:       %[[N:.*]] = arith.truncf %[[T]] : f32 to f16
// CHECK-NEXT:  memref.store %[[N]], %{{.*}} : memref<?xf16>
// TWICE:       scf.for

// -----

/// Local memory holds single precision: a sum is rounded before it is stored there, and by the store to the result.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf16>, f32, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf16>, %f: f32, %i: index):
    %shared = memref.alloca() : memref<64xf16, "local">
    %n = arith.truncf %f : f32 to f16
    memref.store %n, %shared[%i] : memref<64xf16, "local">
    %a = memref.load %shared[%i] : memref<64xf16, "local">
    memref.store %a, %x[%i] : memref<?xf16>
    "gpu.return"() : () -> ()
  }) {sym_name = "share"} : () -> ()
}) : () -> ()
// CHECK:         %[[SHARED:.*]] = memref.alloca() : memref<64xf32, "local">
// CHECK:         arith.bitcast
// CHECK:         memref.store %n, %[[SHARED]][%{{.*}}] : memref<64xf32, "local">
// CHECK-NEXT:    %[[A:.*]] = memref.load %[[SHARED]][%{{.*}}] : memref<64xf32, "local">
// CHECK-NEXT:    %[[H:.*]] = arith.truncf %[[A]] : f32 to f16
// CHECK-NEXT:    memref.store %[[H]], %{{.*}} : memref<?xf16>
// TWICE:         memref.alloca() : memref<64xf32, "local">
