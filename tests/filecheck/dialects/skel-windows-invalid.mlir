// RUN: hetc-opt %s --split-input-file --verify-diagnostics | filecheck %s

func.func @boundary(%i: !dyn.object) {
  %0 = skel.window @line at %i radius [1] "zero"
  func.return
}
// CHECK: unknown boundary 'zero', expected one of clamp, wrap, mirror, reflect, constant

// -----

func.func @radius(%i: !dyn.object) {
  %0 = skel.window @line at %i radius [1, 1] "wrap"
  func.return
}
// CHECK: a window has a radius for each axis

// -----

func.func @fill(%i: !dyn.object) {
  %0 = skel.window @line at %i radius [1] "constant"
  func.return
}
// CHECK: a constant boundary, and no other, has a value

// -----

func.func @neighbor(%i: i64) {
  %0 = skel.neighbor %i, %i of %i radius 1 "zero"
  func.return
}
// CHECK: unknown boundary 'zero', expected one of clamp, wrap, mirror, reflect, constant

// -----

/// A loop with a border has margins.
func.func @margins(%r: !skel.sequence<!dyn.int>) {
  skel.forall(%r) margins [1] : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    skel.yield
  }
  func.return
}
// CHECK: a loop with a border has two margins for each sequence
