// RUN: hetc-opt %s --split-input-file -p guard-elimination | filecheck %s
// RUN: hetc-opt %s --split-input-file -p guard-elimination,guard-elimination | filecheck %s

/// A guard that is proven goes; one that is refuted stays, since the call has to leave there.
func.func @constants() {
  %true = arith.constant true
  %false = arith.constant false
  guard.require %true, bounds, "proven"
  guard.require %false, bounds, "refuted"
  func.return
}
// CHECK-LABEL: @constants
// CHECK-NOT:     "proven"
// CHECK:         guard.require %{{.*}}, bounds, "refuted"
// CHECK-NEXT:    func.return

// -----

/// The same condition is checked once, whatever it is checked for; another condition is another guard.
func.func @again(%a: i1, %b: i1) {
  guard.require %a, bounds, "first"
  guard.require %b, domain, "second"
  guard.require %a, domain, "third"
  func.return
}
// CHECK-LABEL: @again
// CHECK-SAME:    (%[[A:.*]]: i1, %[[B:.*]]: i1)
// CHECK-NEXT:    guard.require %[[A]], bounds, "first"
// CHECK-NEXT:    guard.require %[[B]], domain, "second"
// CHECK-NEXT:    func.return

// -----

/// A guard before a branch or a loop holds inside it.
func.func @dominates(%a: i1, %n: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  guard.require %a, bounds, "outside"
  scf.for %i = %zero to %n step %one : i64 {
    guard.require %a, bounds, "in the loop"
    scf.if %a {
      guard.require %a, bounds, "in the branch"
      scf.yield
    }
  }
  func.return
}
// CHECK-LABEL: @dominates
// CHECK:         guard.require %{{.*}}, bounds, "outside"
// CHECK-NOT:     guard.require

// -----

/// Near misses: a guard in a branch does not hold in the other branch, nor after it; one in a loop that may run zero
/// times does not hold after the loop.
func.func @does_not_dominate(%c: i1, %a: i1, %b: i1, %n: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  scf.if %c {
    guard.require %a, bounds, "then"
    scf.yield
  } else {
    guard.require %a, bounds, "else"
    scf.yield
  }
  guard.require %a, bounds, "after"
  scf.for %i = %zero to %n step %one : i64 {
    guard.require %b, bounds, "in the loop"
  }
  guard.require %b, bounds, "after the loop"
  func.return
}
// CHECK-LABEL: @does_not_dominate
// CHECK:         guard.require %{{.*}}, bounds, "then"
// CHECK:         guard.require %{{.*}}, bounds, "else"
// CHECK:         guard.require %{{.*}}, bounds, "after"
// CHECK:         guard.require %{{.*}}, bounds, "in the loop"
// CHECK:         guard.require %{{.*}}, bounds, "after the loop"

// -----

/// Bodies of skeletons are apart: what one element needs, another skeleton's element does not have. A question about
/// overflow that only a removed guard asked goes with it.
func.func @bodies(%x: tensor<?x!dyn.int>) -> tensor<?x!dyn.int> {
  %y = skel.map(%x) : (tensor<?x!dyn.int>) -> tensor<?x!dyn.int> {
  ^bb0(%a: i64):
    %0 = guard.fits "add" %a, %a : i64
    guard.require %0, overflow, "kept"
    guard.require %0, overflow, "again"
    %true = arith.constant true
    %unused = guard.fits "mul" %a, %a : i64
    guard.require %true, overflow, "proven"
    skel.yield %a : i64
  }
  func.return %y : tensor<?x!dyn.int>
}
// CHECK-LABEL: @bodies
// CHECK:         ^{{.*}}(%[[A:.*]]: i64):
// CHECK-NEXT:      %[[FITS:.*]] = guard.fits "add" %[[A]], %[[A]] : i64
// CHECK-NEXT:      guard.require %[[FITS]], overflow, "kept"
// CHECK-NOT:       guard

// -----

/// Two conditions that are equal but not the same value are two: `cse` makes one of them first.
func.func @equal(%x: i64, %y: i64) {
  %0 = arith.cmpi slt, %x, %y : i64
  %1 = arith.cmpi slt, %x, %y : i64
  guard.require %0, bounds, "one"
  guard.require %1, bounds, "two"
  func.return
}
// CHECK-LABEL: @equal
// CHECK:         guard.require %{{.*}}, bounds, "one"
// CHECK-NEXT:    guard.require %{{.*}}, bounds, "two"
