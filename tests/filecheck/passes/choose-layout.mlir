// RUN: hetc-opt %s --split-input-file -p outline-kernels,choose-layout | filecheck %s

/// Each work-item reads its own number of a field: it is read where it lies, at multiples of the stride. A number that
/// lies where no device can use it (stride 0), and one of which nothing is known, are brought together as ever.
func.func @own(%x: tensor<?xf32> {skel.path = array<i64: 0, 0>, skel.strides = array<i64: 6>}, %y: tensor<?xf32> {skel.path = array<i64: 0, 1>, skel.strides = array<i64: 0>}, %z: tensor<?xf32> {skel.path = array<i64: 1>}) -> tensor<?xf32> attributes {skel.entry, skel.container = "ndarray", skel.result = f32} {
  %0 = skel.map(%x, %y, %z) : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.addf %a, %b : f32
    %2 = arith.addf %1, %c : f32
    skel.yield %2 : f32
  }
  func.return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func @own
// CHECK:         offload.marshal %{{.*}} stride 6 because "each work-item reads its own" : tensor<?xf32>
// CHECK:         offload.marshal %{{[a-z]*}} : tensor<?xf32>
// CHECK:         offload.marshal %{{[a-z]*}} : tensor<?xf32>
// CHECK:         %[[I:.*]] = "gpu.global_id"
// CHECK-NEXT:    %[[S:.*]] = arith.constant 6 : index
// CHECK-NEXT:    %[[P:.*]] = arith.muli %[[I]], %[[S]] : index
// CHECK-NEXT:    memref.load %{{.*}}[%[[P]]]
// CHECK-NEXT:    memref.load %{{.*}}[%[[I]]]
// CHECK-NEXT:    memref.load %{{.*}}[%[[I]]]

// -----

/// Numbers of a captured array at places that are data are read in place, those that all work-items read in a loop are
/// not; nor are those that a kernel stores to.
skel.capture @mass : tensor<?xf64> {dims = array<i64: 1>, stride = 3 : i64}
skel.capture @speed : tensor<?xf64> {dims = array<i64: 1>, stride = 3 : i64}
skel.capture @place : tensor<?xf64> {dims = array<i64: 1>, stride = 3 : i64}
skel.capture @order : tensor<?xsi64> {dims = array<i64: 1>}
func.func @chosen(%r: !skel.sequence<!dyn.int> {skel.path = array<i64: 0>}) attributes {skel.entry, skel.container = "list", skel.result = !dyn.none} {
  skel.forall(%r) : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = skel.size 1
    %start = arith.constant 0.0 : f64
    %sum = scf.for %j = %zero to %n step %one iter_args(%t = %start) -> (f64) : i64 {
      %speeds = skel.captured @speed : tensor<?xf64>
      %s = obj.load %speeds[%j] : tensor<?xf64> -> f64
      %u = arith.addf %t, %s : f64
      scf.yield %u : f64
    }
    %order = skel.captured @order : tensor<?xsi64>
    %k = obj.load %order[%i] : tensor<?xsi64> -> i64
    %masses = skel.captured @mass : tensor<?xf64>
    %m = obj.load %masses[%k] : tensor<?xf64> -> f64
    %v = arith.mulf %m, %sum : f64
    %places = skel.captured @place : tensor<?xf64>
    obj.store %v, %places[%i] : f64, tensor<?xf64>
    skel.yield
  }
  func.return
}
// CHECK-LABEL: func.func @chosen
// CHECK-DAG:     offload.marshal %speed because "all work-items read it in a loop"
// CHECK-DAG:     offload.marshal %mass stride 3 because "it is read at places that are data"
// CHECK-DAG:     offload.marshal %place because "kernels store to it"

// -----

/// Who asks for a layout gets it.
skel.capture @mass : tensor<?xf64> {dims = array<i64: 0>, stride = 3 : i64}
func.func @asked(%r: !skel.sequence<!dyn.int> {skel.path = array<i64: 0>}) -> tensor<?xf64> attributes {skel.entry, skel.container = "list", skel.result = f64, skel.layout = "soa"} {
  %0 = skel.map(%r) : (!skel.sequence<!dyn.int>) -> tensor<?xf64> {
  ^bb0(%i: i64):
    %masses = skel.captured @mass : tensor<?xf64>
    %m = obj.load %masses[%i] : tensor<?xf64> -> f64
    skel.yield %m : f64
  }
  func.return %0 : tensor<?xf64>
}
// CHECK-LABEL: func.func @asked
// CHECK:         offload.marshal %mass because "a struct of arrays is asked for"
// CHECK-NOT:     arith.constant 3 : index
