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
