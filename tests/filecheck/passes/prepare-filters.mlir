// RUN: hetc-opt %s --split-input-file -p prepare-filters | filecheck %s
// RUN: hetc-opt %s --split-input-file -p prepare-filters,prepare-filters | filecheck %s

/// A light predicate is computed twice.
func.func @light(%x: tensor<?xf32>) -> tensor<?xf32> {
  %k = skel.filter(%x) : (tensor<?xf32>) -> tensor<?xf32> predicate {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %p = arith.cmpf ogt, %a, %zero : f32
    skel.yield %p : i1
  } transform {
  ^bb0(%a: f32):
    skel.yield %a : f32
  }
  func.return %k : tensor<?xf32>
}
// CHECK-LABEL: @light
// CHECK-NOT:     skel.map
// CHECK:         skel.filter

// -----

/// One with a guard is computed by a map, and its truth values are stored.
func.func @guarded(%x: tensor<?xi1>) -> tensor<?xi1> {
  %k = skel.filter(%x) : (tensor<?xi1>) -> tensor<?xi1> predicate {
  ^bb0(%a: i1):
    guard.require %a, domain, "the element is true"
    skel.yield %a : i1
  } transform {
  ^bb0(%a: i1):
    skel.yield %a : i1
  }
  func.return %k : tensor<?xi1>
}
// CHECK-LABEL: @guarded
// CHECK-SAME:    (%[[X:.*]]: tensor<?xi1>)
// CHECK-NEXT:    %[[FLAGS:.*]] = skel.map(%[[X]]) : (tensor<?xi1>) -> tensor<?x!dyn.bool> {
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: i1):
// CHECK-NEXT:      guard.require %[[A]]
// CHECK-NEXT:      skel.yield %[[A]] : i1
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[K:.*]] = skel.filter(%[[X]], %[[FLAGS]]) : (tensor<?xi1>, tensor<?x!dyn.bool>) -> tensor<?xi1> predicate {
// CHECK-NEXT:    ^{{.*}}(%{{.*}}: i1, %[[FLAG:.*]]: i1):
// CHECK-NEXT:      skel.yield %[[FLAG]] : i1
// CHECK-NEXT:    } transform {
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: i1, %{{.*}}: i1):
// CHECK-NEXT:      skel.yield %[[A]] : i1
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[K]]

// -----

/// Where the result is made of the objects that went in, only positions come back.
func.func @originals(%x: tensor<?x!dyn.float> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.float> attributes {skel.entry, skel.container = "list", skel.result = !dyn.float, skel.originals = "elements"} {
  %k = skel.filter(%x) : (tensor<?x!dyn.float>) -> tensor<?x!dyn.float> predicate {
  ^bb0(%a: f64):
    %p = arith.cmpf ogt, %a, %a : f64
    skel.yield %p : i1
  } transform {
  ^bb0(%a: f64):
    skel.yield %a : f64
  }
  func.return %k : tensor<?x!dyn.float>
}
// CHECK-LABEL: @originals
// CHECK-SAME:    -> tensor<?x!dyn.int> attributes
// CHECK-NEXT:    %[[K:.*]] = skel.filter(%{{.*}}) positions : (tensor<?x!dyn.float>) -> tensor<?x!dyn.int> predicate {
// CHECK:         } transform {
// CHECK-NEXT:    ^{{.*}}(%{{.*}}: f64):
// CHECK-NEXT:      skel.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[K]] : tensor<?x!dyn.int>
