// RUN: hetc-opt %s --split-input-file -p drop-unused-inputs | filecheck %s
// RUN: hetc-opt %s --split-input-file -p drop-unused-inputs,drop-unused-inputs | filecheck %s

/// Fields that the body does not read are no inputs.
func.func @one_of_three(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %r = skel.map(%x, %y, %z) : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.negf %b : f32
    skel.yield %0 : f32
  }
  func.return %r : tensor<?xf32>
}
// CHECK-LABEL: @one_of_three
// CHECK-SAME:    (%{{.*}}: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>, %{{.*}}: tensor<?xf32>)
// CHECK-NEXT:    %[[R:.*]] = skel.map(%[[Y]]) : (tensor<?xf32>) -> tensor<?xf32> {
// CHECK-NEXT:    ^{{.*}}(%[[B:.*]]: f32):
// CHECK-NEXT:      %[[N:.*]] = arith.negf %[[B]] : f32
// CHECK-NEXT:      skel.yield %[[N]] : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[R]]

// -----

/// A body that reads none still runs once for each element.
func.func @none(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = skel.map(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.constant 1.0 : f32
    skel.yield %0 : f32
  }
  func.return %r : tensor<?xf32>
}
// CHECK-LABEL: @none
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32>, %{{.*}}: tensor<?xf32>)
// CHECK-NEXT:    %{{.*}} = skel.map(%[[X]]) : (tensor<?xf32>) -> tensor<?xf32> {

// -----

/// The near miss: all are read.
func.func @all(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = skel.map(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    skel.yield %0 : f32
  }
  func.return %r : tensor<?xf32>
}
// CHECK-LABEL: @all
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>)
// CHECK-NEXT:    %{{.*}} = skel.map(%[[X]], %[[Y]]) :

// -----

/// A filter needs what its predicate or its transform reads.
func.func @filtered(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %r = skel.filter(%x, %y, %z) : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> predicate {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.cmpf ogt, %c, %c : f32
    skel.yield %p : i1
  } transform {
  ^bb0(%a: f32, %b: f32, %c: f32):
    skel.yield %a : f32
  }
  func.return %r : tensor<?xf32>
}
// CHECK-LABEL: @filtered
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32>, %{{.*}}: tensor<?xf32>, %[[Z:.*]]: tensor<?xf32>)
// CHECK-NEXT:    skel.filter(%[[X]], %[[Z]]) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> predicate {
// CHECK-NEXT:    ^{{.*}}(%{{.*}}: f32, %[[C:.*]]: f32):
// CHECK-NEXT:      arith.cmpf ogt, %[[C]], %[[C]] : f32
// CHECK:         } transform {
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      skel.yield %[[A]] : f32

// -----

/// A reduction needs what its transform reads, and keeps its initial value.
func.func @reduced(%x: tensor<?xf32>, %y: tensor<?xf32>, %init: f32) -> f32 {
  %r = skel.reduce(%x, %y) init(%init : f32) : (tensor<?xf32>, tensor<?xf32>) -> f32 transform {
  ^bb0(%a: f32, %b: f32):
    skel.yield %b : f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    skel.yield %s : f32
  }
  func.return %r : f32
}
// CHECK-LABEL: @reduced
// CHECK-SAME:    (%{{.*}}: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>, %[[INIT:.*]]: f32)
// CHECK-NEXT:    skel.reduce(%[[Y]]) init(%[[INIT]] : f32) : (tensor<?xf32>) -> f32 transform {
// CHECK-NEXT:    ^{{.*}}(%[[B:.*]]: f32):
// CHECK-NEXT:      skel.yield %[[B]] : f32

// -----

/// The near miss: one whose transform reads both; what the operator reads is no element.
func.func @both(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (f32, f32) {
  %r, %s = skel.reduce(%x, %y) nonempty : (tensor<?xf32>, tensor<?xf32>) -> (f32, f32) transform {
  ^bb0(%a: f32, %b: f32):
    skel.yield %a, %b : f32, f32
  } combine {
  ^bb0(%p: f32, %q: f32, %t: f32, %u: f32):
    skel.yield %p, %p : f32, f32
  }
  func.return %r, %s : f32, f32
}
// CHECK-LABEL: @both
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>)
// CHECK-NEXT:    skel.reduce(%[[X]], %[[Y]]) nonempty

// -----

/// A scan, and a scatter.
func.func @placed(%x: tensor<?xf32>, %y: tensor<?xf32>, %k: tensor<?xsi64>, %init: f32) -> (tensor<?xf32>, tensor<?xf32>) {
  %r = skel.scan(%x, %y) init(%init : f32) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> transform {
  ^bb0(%a: f32, %b: f32):
    skel.yield %b : f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    skel.yield %p : f32
  }
  %s = skel.scatter(%k, %x, %y) size 9 init(%init : f32) : (tensor<?xsi64>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> transform {
  ^bb0(%key: i64, %a: f32, %b: f32):
    skel.yield %key, %b : i64, f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    skel.yield %q : f32
  }
  func.return %r, %s : tensor<?xf32>, tensor<?xf32>
}
// CHECK-LABEL: @placed
// CHECK-SAME:    (%{{.*}}: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>, %[[K:.*]]: tensor<?xsi64>, %[[INIT:.*]]: f32)
// CHECK-NEXT:    skel.scan(%[[Y]]) init(%[[INIT]] : f32)
// CHECK:         skel.scatter(%[[K]], %[[Y]]) size 9 init(%[[INIT]] : f32)
