// RUN: hetc-opt %s --split-input-file -p 'bound-loops{rounds=1000 long=1000}' | filecheck %s

/// Nothing tells that Euclid's algorithm ends: its rounds are counted.
func.func @gcd(%a: i64, %b: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %g, %last = scf.while (%x = %a, %y = %b) : (i64, i64) -> (i64, i64) {
    %more = arith.cmpi ne, %y, %zero : i64
    scf.condition(%more) %x, %y : i64, i64
  } do {
  ^bb0(%x2: i64, %y2: i64):
    %r = arith.remsi %x2, %y2 : i64
    scf.yield %y2, %r : i64, i64
  }
  func.return %g : i64
}
// CHECK-LABEL: @gcd
// CHECK:         %[[NONE:.*]] = arith.constant 0 : i32
// CHECK:         %[[ROUNDS:.*]] = arith.constant 1000 : i32
// CHECK:         %[[ONE:.*]] = arith.constant 1 : i32
// CHECK:         %[[G:.*]], %{{.*}}, %[[TAKEN:.*]] = scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[N:.*]] = %[[NONE]])
// CHECK:           %[[MORE:.*]] = arith.cmpi ne
// CHECK-NEXT:      %[[INSIDE:.*]] = arith.cmpi slt, %[[N]], %[[ROUNDS]] : i32
// CHECK-NEXT:      %[[BOTH:.*]] = arith.andi %[[MORE]], %[[INSIDE]] : i1
// CHECK-NEXT:      scf.condition(%[[BOTH]]) %{{.*}}, %{{.*}}, %[[N]]
// CHECK:         ^{{.*}}(%{{.*}}: i64, %{{.*}}: i64, %[[DONE:.*]]: i32):
// CHECK:           %[[NEXT:.*]] = arith.addi %[[DONE]], %[[ONE]] : i32
// CHECK-NEXT:      scf.yield %{{.*}}, %{{.*}}, %[[NEXT]]
// CHECK:         %[[ENDED:.*]] = arith.cmpi slt, %[[TAKEN]], %[[ROUNDS]] : i32
// CHECK-NEXT:    guard.require %[[ENDED]], branch, "a loop takes more rounds than a kernel runs"
// CHECK-NEXT:    func.return %[[G]]

// -----

/// A loop that counts to 100 ends; one that counts to 1,001 runs longer than 1,000 rounds.
func.func @counts() -> (i64, i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %few = arith.constant 100 : i64
  %many = arith.constant 1001 : i64
  %a = scf.while (%x = %zero) : (i64) -> i64 {
    %more = arith.cmpi slt, %x, %few : i64
    scf.condition(%more) %x : i64
  } do {
  ^bb0(%y: i64):
    %z = arith.addi %y, %one : i64
    scf.yield %z : i64
  }
  %b = scf.while (%x = %zero) : (i64) -> i64 {
    %more = arith.cmpi slt, %x, %many : i64
    scf.condition(%more) %x : i64
  } do {
  ^bb0(%y: i64):
    %z = arith.addi %y, %one : i64
    scf.yield %z : i64
  }
  func.return %a, %b : i64, i64
}
// CHECK-LABEL: @counts
// CHECK-NOT:     guard.require
// CHECK:         scf.while
// CHECK-NOT:     guard.require
// CHECK:         scf.while
// CHECK:         guard.require
// CHECK-NOT:     guard.require
// CHECK:         func.return

// -----

/// A loop in a loop: each counts its own rounds. A counted loop ends by itself.
func.func @nested(%n: i64, %m: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  scf.for %i = %zero to %n step %one : i64 {
    %a = scf.while (%x = %m) : (i64) -> i64 {
      %c = arith.cmpi ne, %x, %zero : i64
      scf.condition(%c) %x : i64
    } do {
    ^bb0(%y: i64):
      %b = scf.while (%z = %y) : (i64) -> i64 {
        %d = arith.cmpi ne, %z, %one : i64
        scf.condition(%d) %z : i64
      } do {
      ^bb1(%w: i64):
        %v = arith.muli %w, %w : i64
        scf.yield %v : i64
      }
      scf.yield %b : i64
    }
  }
  func.return
}
// CHECK-LABEL: @nested
// CHECK:         scf.for
// CHECK:           scf.while
// CHECK:             scf.while
// CHECK:             guard.require
// CHECK:           guard.require
// CHECK-NOT:     guard.require
// CHECK:         func.return
