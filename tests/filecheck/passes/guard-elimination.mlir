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
func.func @does_not_dominate(%c: i1, %d: i1, %a: i1, %b: i1, %n: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  scf.if %c {
    guard.require %a, bounds, "then"
    scf.yield
  } else {
    scf.if %d {
      guard.require %a, bounds, "else"
      scf.yield
    }
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

// -----

/// What follows from an earlier guard is known too: both sides of a conjunction. Of a conjunction of which one side is
/// known the other is left. Near miss: one side does not say that both hold.
func.func @conjunction(%a: i1, %b: i1, %c: i1) {
  %ab = arith.andi %a, %b : i1
  %bc = arith.andi %b, %c : i1
  guard.require %ab, bounds, "both"
  guard.require %a, bounds, "left"
  guard.require %bc, bounds, "one more"
  guard.require %c, domain, "now known"
  func.return
}
// CHECK-LABEL: @conjunction
// CHECK-SAME:    (%[[A:.*]]: i1, %[[B:.*]]: i1, %[[C:.*]]: i1)
// CHECK-NEXT:    %[[AB:.*]] = arith.andi %[[A]], %[[B]]
// CHECK-NEXT:    guard.require %[[AB]], bounds, "both"
// CHECK-NEXT:    guard.require %[[C]], bounds, "one more"
// CHECK-NEXT:    func.return

// -----

/// A disjunction holds if one side is known to. Near miss: that it holds tells of neither side.
func.func @disjunction(%a: i1, %b: i1, %c: i1) {
  %ab = arith.ori %a, %b : i1
  %bc = arith.ori %b, %c : i1
  guard.require %ab, bounds, "either"
  guard.require %b, bounds, "right"
  guard.require %bc, bounds, "follows"
  func.return
}
// CHECK-LABEL: @disjunction
// CHECK:         guard.require %{{.*}}, bounds, "either"
// CHECK-NEXT:    guard.require %{{.*}}, bounds, "right"
// CHECK-NOT:     "follows"

// -----

/// A branch knows what it has tested, the else branch that it does not hold; so its negation does.
func.func @tested(%c: i1, %d: i1) {
  %true = arith.constant true
  %not = arith.xori %c, %true : i1
  scf.if %c {
    guard.require %c, zero_division, "tested"
    guard.require %d, zero_division, "not tested"
    scf.yield
  } else {
    guard.require %not, zero_division, "the negation"
    scf.yield
  }
  guard.require %c, zero_division, "after"
  func.return
}
// CHECK-LABEL: @tested
// CHECK-NOT:     "tested"
// CHECK:         guard.require %{{.*}}, zero_division, "not tested"
// CHECK-NOT:     "the negation"
// CHECK:         guard.require %{{.*}}, zero_division, "after"

// -----

/// Near miss: what a branch has refuted is no guard to remove, but one that always leaves.
func.func @refuted(%c: i1) {
  scf.if %c {
    scf.yield
  } else {
    guard.require %c, zero_division, "refuted"
    scf.yield
  }
  func.return
}
// CHECK-LABEL: @refuted
// CHECK:         guard.require %{{.*}}, zero_division, "refuted"

// -----

/// Two guards on one condition, one in each branch, become one before the branch. Near misses: a condition that is
/// computed in the branches, and one that only one of them needs.
func.func @both_branches(%c: i1, %a: i1, %x: i64) {
  %zero = arith.constant 0 : i64
  scf.if %c {
    %positive = arith.cmpi sgt, %x, %zero : i64
    guard.require %positive, domain, "computed here"
    guard.require %a, bounds, "then"
    scf.yield
  } else {
    guard.require %a, bounds, "else"
    %positive2 = arith.cmpi sgt, %x, %zero : i64
    guard.require %positive2, domain, "and here"
    scf.yield
  }
  guard.require %a, bounds, "after"
  func.return
}
// CHECK-LABEL: @both_branches
// CHECK-SAME:    (%[[C:.*]]: i1, %[[A:.*]]: i1
// CHECK:         guard.require %[[A]], bounds, "then"
// CHECK-NEXT:    scf.if %[[C]] {
// CHECK:           guard.require %{{.*}}, domain, "computed here"
// CHECK-NEXT:    } else {
// CHECK:           guard.require %{{.*}}, domain, "and here"
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return

// -----

/// The sign of a NaN that is read is right; that of a computed one need not be. Near miss: a map's element that another
/// map computes.
func.func @sign(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = skel.map(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32):
    %read = arith.cmpf ord, %a, %a : f32
    guard.require %read, sign, "read"
    %difference = arith.subf %a, %a : f32
    %computed = arith.cmpf ord, %difference, %difference : f32
    guard.require %computed, sign, "computed"
    %s = math.copysign %a, %difference : f32
    skel.yield %s : f32
  }
  %z = skel.map(%y) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%b: f32):
    %other = arith.cmpf ord, %b, %b : f32
    guard.require %other, sign, "from a map"
    %t = math.copysign %b, %b : f32
    skel.yield %t : f32
  }
  func.return %z : tensor<?xf32>
}
// CHECK-LABEL: @sign
// CHECK-NOT:     "read"
// CHECK:         guard.require %{{.*}}, sign, "computed"
// CHECK:         guard.require %{{.*}}, sign, "from a map"

// -----

/// A guard on a sign may be removed although it does not hold, so another guard on the same condition stays.
func.func @sign_tells_nothing(%x: f32) {
  %ordered = arith.cmpf ord, %x, %x : f32
  guard.require %ordered, sign, "a sign"
  guard.require %ordered, domain, "a number"
  guard.require %ordered, sign, "a number has a sign"
  func.return
}
// CHECK-LABEL: @sign_tells_nothing
// CHECK:         guard.require %{{.*}}, sign, "a sign"
// CHECK-NEXT:    guard.require %{{.*}}, domain, "a number"
// CHECK-NEXT:    func.return
