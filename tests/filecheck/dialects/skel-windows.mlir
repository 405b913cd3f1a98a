// RUN: hetc-opt %s --split-input-file | hetc-opt --split-input-file --print-op-generic | hetc-opt --split-input-file | filecheck %s

/// A window of a captured array, and the index of a neighbour.
func.func @windows(%i: !dyn.object, %j: !dyn.object, %x: i64, %d: i64, %n: i64) {
  %0 = skel.window @image at %i, %j radius [1, 2] "clamp"
  %1 = skel.window @line at %i radius [3] "constant" fill %j
  %2 = skel.neighbor %x, %d of %n radius 1 "wrap"
  %3 = skel.inside %x, %d of %n radius 1
  func.return
}
// CHECK-LABEL: @windows
// CHECK-SAME:    (%[[I:.*]]: !dyn.object, %[[J:.*]]: !dyn.object, %[[X:.*]]: i64, %[[D:.*]]: i64, %[[N:.*]]: i64)
// CHECK-NEXT:    skel.window @image at %[[I]], %[[J]] radius [1, 2] "clamp"
// CHECK-NEXT:    skel.window @line at %[[I]] radius [3] "constant" fill %[[J]]
// CHECK-NEXT:    skel.neighbor %[[X]], %[[D]] of %[[N]] radius 1 "wrap"
// CHECK-NEXT:    skel.inside %[[X]], %[[D]] of %[[N]] radius 1

// -----

/// A loop with a border.
func.func @border(%r: !skel.sequence<!dyn.int>) {
  skel.forall(%r) margins [1, 1] : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    skel.yield
  } border {
  ^bb0(%i: i64):
    skel.yield
  }
  func.return
}
// CHECK-LABEL: @border
// CHECK:         skel.forall(%{{.*}}) margins [1, 1] : (!skel.sequence<!dyn.int>) -> () {
// CHECK:         } border {
