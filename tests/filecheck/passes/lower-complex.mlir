// RUN: hetc-opt %s --split-input-file -p lower-complex | filecheck %s
// RUN: hetc-opt %s --split-input-file -p lower-complex,lower-complex | filecheck %s

/// The kernel sees a buffer of complex numbers as twice as many floats; the host's buffers stay as they are. A captured
/// number is passed as its parts.
func.func @entry(%x: tensor<?xcomplex<f32>> {skel.path = array<i64: 0>}) -> !dyn.object attributes {skel.entry, skel.container = "ndarray", skel.result = complex<f32>} {
  %h = offload.marshal %x : tensor<?xcomplex<f32>> -> memref<?xcomplex<f32>, "host">
  %b = offload.copy_in %h : memref<?xcomplex<f32>, "host"> -> memref<?xcomplex<f32>>
  %n = offload.size %x[0] : tensor<?xcomplex<f32>>
  %r = offload.alloc %n : memref<?xcomplex<f32>>
  %gain = skel.captured @gain : complex<f32>
  %g = offload.scalar "value" of %gain : complex<f32> -> complex<f32>
  offload.launch @kernels::@f over %n group 0 tail "exact" (%b, %g, %r : memref<?xcomplex<f32>>, complex<f32>, memref<?xcomplex<f32>>)
  %o = offload.copy_out %r : memref<?xcomplex<f32>> -> memref<?xcomplex<f32>, "host">
  %z = offload.unmarshal "ndarray" of complex<f32> (%o : memref<?xcomplex<f32>, "host">)
  func.return %z : !dyn.object
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xcomplex<f32>>, complex<f32>, memref<?xcomplex<f32>>) -> (), kernel}> ({
  ^bb0(%x: memref<?xcomplex<f32>>, %g: complex<f32>, %r: memref<?xcomplex<f32>>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %a = memref.load %x[%i] : memref<?xcomplex<f32>>
    %0 = complex.re %a : complex<f32>
    %1 = complex.re %g : complex<f32>
    %2 = arith.addf %0, %1 : f32
    %3 = complex.im %a : complex<f32>
    %4 = complex.create %2, %3 : complex<f32>
    memref.store %4, %r[%i] : memref<?xcomplex<f32>>
    "gpu.return"() : () -> ()
  }) {sym_name = "f"} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @entry
// CHECK:         %[[B:.*]] = offload.copy_in %{{.*}} : memref<?xcomplex<f32>, "host"> -> memref<?xcomplex<f32>>
// CHECK:         %[[GAIN:.*]] = skel.captured @gain : complex<f32>
// CHECK-NEXT:    %[[RE:.*]] = offload.scalar "real" of %[[GAIN]] : complex<f32> -> f32
// CHECK-NEXT:    %[[IM:.*]] = offload.scalar "imag" of %[[GAIN]] : complex<f32> -> f32
// CHECK-NEXT:    offload.launch @kernels::@f over %{{.*}} group 0 tail "exact" (%[[B]], %[[RE]], %[[IM]], %{{.*}} : memref<?xcomplex<f32>>, f32, f32, memref<?xcomplex<f32>>)
// CHECK:         "gpu.func"() <{function_type = (memref<?xf32>, f32, f32, memref<?xf32>) -> (), kernel}>
// CHECK-NEXT:    ^{{.*}}(%[[X:.*]]: memref<?xf32>, %[[G:.*]]: f32, %{{.*}}: f32, %[[R:.*]]: memref<?xf32>):
// CHECK-NEXT:      %[[I:.*]] = "gpu.global_id"
// CHECK-NEXT:      %[[TWO:.*]] = arith.constant 2 : index
// CHECK-NEXT:      %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT:      %[[EVEN:.*]] = arith.muli %[[I]], %[[TWO]] : index
// CHECK-NEXT:      %[[ODD:.*]] = arith.addi %[[EVEN]], %[[ONE]] : index
// CHECK-NEXT:      %[[A:.*]] = memref.load %[[X]][%[[EVEN]]] : memref<?xf32>
// CHECK-NEXT:      %[[AI:.*]] = memref.load %[[X]][%[[ODD]]] : memref<?xf32>
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[A]], %[[G]] : f32
// CHECK:           memref.store %[[S]], %[[R]][%{{.*}}] : memref<?xf32>
// CHECK-NEXT:      memref.store %[[AI]], %[[R]][%{{.*}}] : memref<?xf32>
// CHECK-NEXT:      "gpu.return"

// -----

/// Branches and loops carry the parts; a constant, a choice and a value that nobody reads are two each.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (i1, index, memref<?xcomplex<f64>>) -> (), kernel}> ({
  ^bb0(%c: i1, %n: index, %r: memref<?xcomplex<f64>>):
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %k = complex.constant [1.0 : f64, -2.0 : f64] : complex<f64>
    %p = ub.poison : complex<f64>
    %s = arith.select %c, %k, %p : complex<f64>
    %t = scf.for %i = %zero to %n step %one iter_args(%z = %s) -> (complex<f64>) {
      %w = scf.if %c -> (complex<f64>) {
        %re = complex.re %z : complex<f64>
        %im = complex.im %z : complex<f64>
        %swapped = complex.create %im, %re : complex<f64>
        scf.yield %swapped : complex<f64>
      } else {
        scf.yield %k : complex<f64>
      }
      scf.yield %w : complex<f64>
    }
    memref.store %t, %r[%zero] : memref<?xcomplex<f64>>
    "gpu.return"() : () -> ()
  }) {sym_name = "loop"} : () -> ()
}) : () -> ()
// CHECK:         "gpu.func"() <{function_type = (i1, index, memref<?xf64>) -> (), kernel}>
// CHECK-NEXT:    ^{{.*}}(%[[C:.*]]: i1, %[[N:.*]]: index, %[[R:.*]]: memref<?xf64>):
// CHECK-DAG:       %[[KR:.*]] = arith.constant 1.0{{.*}} : f64
// CHECK-DAG:       %[[KI:.*]] = arith.constant -2.0{{.*}} : f64
// CHECK-DAG:       %[[PR:.*]] = ub.poison : f64
// CHECK-NEXT:      %[[PI:.*]] = ub.poison : f64
// CHECK-NEXT:      %[[SR:.*]] = arith.select %[[C]], %[[KR]], %[[PR]] : f64
// CHECK-NEXT:      %[[SI:.*]] = arith.select %[[C]], %[[KI]], %[[PI]] : f64
// CHECK-NEXT:      %[[TR:.*]], %[[TI:.*]] = scf.for %{{.*}} iter_args(%[[ZR:.*]] = %[[SR]], %[[ZI:.*]] = %[[SI]]) -> (f64, f64) {
// CHECK-NEXT:        %[[WR:.*]], %[[WI:.*]] = scf.if %[[C]] -> (f64, f64) {
// CHECK-NEXT:          scf.yield %[[ZI]], %[[ZR]] : f64, f64
// CHECK-NEXT:        } else {
// CHECK-NEXT:          scf.yield %[[KR]], %[[KI]] : f64, f64
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.yield %[[WR]], %[[WI]] : f64, f64
// CHECK:           memref.store %[[TR]], %[[R]]
// CHECK-NEXT:      memref.store %[[TI]], %[[R]]

// -----

/// An array in local memory is one of floats, too.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xcomplex<f32>>, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xcomplex<f32>>, %i: index):
    %shared = memref.alloca() : memref<64xcomplex<f32>, "local">
    %z = memref.load %x[%i] : memref<?xcomplex<f32>>
    memref.store %z, %shared[%i] : memref<64xcomplex<f32>, "local">
    "gpu.return"() : () -> ()
  }) {sym_name = "share"} : () -> ()
}) : () -> ()
// CHECK:         %[[SHARED:.*]] = memref.alloca() : memref<128xf32, "local">
// CHECK:         memref.store %{{.*}}, %[[SHARED]][%{{.*}}] : memref<128xf32, "local">
// CHECK-NEXT:    memref.store %{{.*}}, %[[SHARED]][%{{.*}}] : memref<128xf32, "local">
