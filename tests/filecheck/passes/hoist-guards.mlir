// RUN: hetc-opt %s --split-input-file -p hoist-guards | filecheck %s
// RUN: hetc-opt %s --split-input-file -p hoist-guards,hoist-guards | filecheck %s

/// A guard on what does not change is asked once. The loop may run zero times, and then it asks for nothing.
func.func @invariant(%x: i64, %n: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  scf.for %i = %zero to %n step %one : i64 {
    %ok = arith.cmpi ne, %x, %zero : i64
    guard.require %ok, zero_division, "x is zero"
  }
  func.return
}
// CHECK-LABEL: @invariant
// CHECK-SAME:    (%[[X:.*]]: i64, %[[N:.*]]: i64)
// CHECK:         %[[OK:.*]] = arith.cmpi ne, %[[X]]
// CHECK-NEXT:    %[[EMPTY:.*]] = arith.cmpi sge, %{{.*}}, %[[N]] : i64
// CHECK-NEXT:    %[[EITHER:.*]] = arith.ori %[[EMPTY]], %[[OK]] : i1
// CHECK-NEXT:    guard.require %[[EITHER]], zero_division, "x is zero"
// CHECK-NEXT:    scf.for
// CHECK-NEXT:    }

// -----

/// A loop that surely runs asks for it as it is, loads and divisions included, which a loop that may not run must not
/// compute too early.
func.func @surely(%a: tensor<?x!dyn.int>, %m: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %n = guard.fact %m in [1, 2147483647] : i64
  scf.for %i = %zero to %n step %one : i64 {
    %x = obj.load %a[%two] : tensor<?x!dyn.int> -> i64
    %ok = arith.cmpi ne, %x, %zero : i64
    guard.require %ok, value, "loaded"
  }
  func.return
}
// CHECK-LABEL: @surely
// CHECK:         %[[X:.*]] = obj.load
// CHECK-NEXT:    %[[OK:.*]] = arith.cmpi ne, %[[X]]
// CHECK-NEXT:    guard.require %[[OK]], value, "loaded"
// CHECK-NEXT:    scf.for

// -----

/// Near misses of the same: a loop that may run zero times, and a guard before it that has to hold for the load.
func.func @traps(%a: tensor<?x!dyn.int>, %m: i64, %k: i64, %c: tensor<?x!dyn.bool>) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = guard.fact %m in [1, 2147483647] : i64
  scf.for %i = %zero to %k step %one : i64 {
    %x = obj.load %a[%one] : tensor<?x!dyn.int> -> i64
    %ok = arith.cmpi ne, %x, %zero : i64
    guard.require %ok, value, "may not run"
  }
  scf.for %i = %zero to %n step %one : i64 {
    %changes = obj.load %c[%i] : tensor<?x!dyn.bool> -> i1
    guard.require %changes, bounds, "changes"
    %x = obj.load %a[%one] : tensor<?x!dyn.int> -> i64
    %ok = arith.cmpi ne, %x, %zero : i64
    guard.require %ok, value, "after a guard"
  }
  func.return
}
// CHECK-LABEL: @traps
// CHECK:         scf.for
// CHECK:           guard.require %{{.*}}, value, "may not run"
// CHECK:         scf.for
// CHECK:           guard.require %{{.*}}, bounds, "changes"
// CHECK:           guard.require %{{.*}}, value, "after a guard"

// -----

/// Near misses: a guard in a branch, and one on what the loop carries.
func.func @stays(%x: i64, %n: i64, %c: i1) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %ok = arith.cmpi ne, %x, %zero : i64
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %zero) -> (i64) : i64 {
    scf.if %c {
      guard.require %ok, zero_division, "in a branch"
      scf.yield
    }
    %fits = guard.fits "add" %s, %x : i64
    guard.require %fits, overflow, "carried"
    %t = arith.addi %s, %x : i64
    scf.yield %t : i64
  }
  func.return
}
// CHECK-LABEL: @stays
// CHECK:         scf.for
// CHECK:           guard.require %{{.*}}, zero_division, "in a branch"
// CHECK:           guard.require %{{.*}}, overflow, "carried"

// -----

/// Two loops deep: out of both.
func.func @nested(%x: i64, %m: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = guard.fact %m in [1, 2147483647] : i64
  scf.for %i = %zero to %n step %one : i64 {
    scf.for %j = %zero to %n step %one : i64 {
      %ok = arith.cmpi ne, %x, %zero : i64
      guard.require %ok, zero_division, "x is zero"
    }
  }
  func.return
}
// CHECK-LABEL: @nested
// CHECK:         guard.require %{{.*}}, zero_division, "x is zero"
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      scf.for
// CHECK-NEXT:      }

// -----

/// The condition of a while loop is computed at least once. Its body runs if the condition holds at the start, which is
/// asked with the initial values.
func.func @while(%x: i64, %y: i64, %n: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %0 = scf.while (%i = %zero) : (i64) -> i64 {
    %before = arith.cmpi ne, %x, %zero : i64
    guard.require %before, zero_division, "in the condition"
    %more = arith.cmpi slt, %i, %n : i64
    scf.condition(%more) %i : i64
  } do {
  ^bb0(%k: i64):
    %inside = arith.cmpi ne, %y, %zero : i64
    guard.require %inside, zero_division, "in the body"
    %next = arith.addi %k, %one : i64
    scf.yield %next : i64
  }
  func.return
}
// CHECK-LABEL: @while
// CHECK-SAME:    (%[[X:.*]]: i64, %[[Y:.*]]: i64, %[[N:.*]]: i64)
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK:         %[[BEFORE:.*]] = arith.cmpi ne, %[[X]], %[[ZERO]]
// CHECK-NEXT:    guard.require %[[BEFORE]], zero_division, "in the condition"
// CHECK-NEXT:    %[[INSIDE:.*]] = arith.cmpi ne, %[[Y]], %[[ZERO]]
// CHECK-NEXT:    %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:    %[[RUNS:.*]] = arith.cmpi slt, %[[ZERO]], %[[N]]
// CHECK-NEXT:    %[[NOT:.*]] = arith.xori %[[RUNS]], %[[TRUE]]
// CHECK-NEXT:    %[[EITHER:.*]] = arith.ori %[[NOT]], %[[INSIDE]]
// CHECK-NEXT:    guard.require %[[EITHER]], zero_division, "in the body"
// CHECK-NEXT:    scf.while
// CHECK-NOT:     guard.require

// -----

/// A bound on a linear function of the loop's variable: the first and the last value decide.
func.func @bounds(%lo: i64, %hi: i64, %size: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %low = guard.fact %lo in [-2147483648, 2147483647] : i64
  %high = guard.fact %hi in [-2147483648, 2147483647] : i64
  scf.for %i = %low to %high step %one : i64 {
    %triple = arith.muli %i, %three : i64
    %k = arith.addi %triple, %one : i64
    %below = arith.cmpi slt, %k, %size : i64
    guard.require %below, bounds, "index out of range"
  }
  func.return
}
// CHECK-LABEL: @bounds
// CHECK-SAME:    (%{{.*}}: i64, %{{.*}}: i64, %[[SIZE:.*]]: i64)
// CHECK:         %[[LOW:.*]] = guard.fact
// CHECK:         %[[HIGH:.*]] = guard.fact
// CHECK:         %[[LAST:.*]] = arith.subi %[[HIGH]]
// CHECK-NEXT:    arith.muli %[[LOW]]
// CHECK-NEXT:    %[[K1:.*]] = arith.addi
// CHECK-NEXT:    %[[B1:.*]] = arith.cmpi slt, %[[K1]], %[[SIZE]]
// CHECK-NEXT:    arith.muli %[[LAST]]
// CHECK-NEXT:    %[[K2:.*]] = arith.addi
// CHECK-NEXT:    %[[B2:.*]] = arith.cmpi slt, %[[K2]], %[[SIZE]]
// CHECK-NEXT:    %[[BOTH:.*]] = arith.andi %[[B1]], %[[B2]]
// CHECK-NEXT:    %[[EMPTY:.*]] = arith.cmpi sge, %[[LOW]], %[[HIGH]]
// CHECK-NEXT:    %[[EITHER:.*]] = arith.ori %[[EMPTY]], %[[BOTH]]
// CHECK-NEXT:    guard.require %[[EITHER]], bounds, "index out of range"
// CHECK-NEXT:    scf.for
// CHECK-NOT:       guard.require

// -----

/// Near misses: a product that may wrap, a square, and an inequation.
func.func @not_convex(%lo: i64, %hi: i64, %size: i64) {
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %low = guard.fact %lo in [-2147483648, 2147483647] : i64
  %high = guard.fact %hi in [-2147483648, 2147483647] : i64
  scf.for %i = %lo to %hi step %one : i64 {
    %triple = arith.muli %i, %three : i64
    %below = arith.cmpi slt, %triple, %size : i64
    guard.require %below, bounds, "may wrap"
  }
  scf.for %i = %low to %high step %one : i64 {
    %square = arith.muli %i, %i : i64
    %below = arith.cmpi slt, %square, %size : i64
    guard.require %below, bounds, "square"
    %other = arith.cmpi ne, %i, %size : i64
    guard.require %other, bounds, "not equal"
  }
  func.return
}
// CHECK-LABEL: @not_convex
// CHECK:         scf.for
// CHECK:           guard.require %{{.*}}, bounds, "may wrap"
// CHECK:         scf.for
// CHECK:           guard.require %{{.*}}, bounds, "square"
// CHECK:           guard.require %{{.*}}, bounds, "not equal"

// -----

/// A product that may wrap has its own guard, which is convex too; with that before the loop the index is linear.
func.func @with_overflow(%lo: i64, %hi: i64, %size: i64) {
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  scf.for %i = %lo to %hi step %one : i64 {
    %fits = guard.fits "mul" %i, %three : i64
    guard.require %fits, overflow, "the product"
    %triple = arith.muli %i, %three : i64
    %below = arith.cmpi slt, %triple, %size : i64
    guard.require %below, bounds, "the index"
  }
  func.return
}
// CHECK-LABEL: @with_overflow
// CHECK:         guard.require %{{.*}}, overflow, "the product"
// CHECK:         guard.require %{{.*}}, bounds, "the index"
// CHECK-NEXT:    scf.for
// CHECK-NOT:       guard.require

// -----

/// Python's index check with a step of two: the last value is the last that the loop reaches.
func.func @python_index(%lo: i64, %hi: i64) {
  %zero = arith.constant 0 : i64
  %two = arith.constant 2 : i64
  %size = skel.size 0
  %n = guard.fact %size in [1, 2147483647] : i64
  %low = guard.fact %lo in [-2147483648, 2147483647] : i64
  %high = guard.fact %hi in [-2147483648, 2147483647] : i64
  scf.for %i = %low to %high step %two : i64 {
    %negative = arith.cmpi slt, %i, %zero : i64
    %end = arith.addi %i, %n : i64
    %k = arith.select %negative, %end, %i : i64
    %above = arith.cmpi sge, %k, %zero : i64
    %below = arith.cmpi slt, %k, %n : i64
    %inside = arith.andi %above, %below : i1
    guard.require %inside, bounds, "index out of range"
  }
  func.return
}
// CHECK-LABEL: @python_index
// CHECK:         %[[LOW:.*]] = guard.fact %{{.*}} in [-2147483648
// CHECK:         %[[BEFORE:.*]] = arith.subi
// CHECK-NEXT:    %[[SPAN:.*]] = arith.subi %[[BEFORE]], %[[LOW]]
// CHECK-NEXT:    %[[STEPS:.*]] = arith.divsi %[[SPAN]], %[[TWO:.*]] : i64
// CHECK-NEXT:    %[[MOVED:.*]] = arith.muli %[[STEPS]], %[[TWO]]
// CHECK-NEXT:    %[[LAST:.*]] = arith.addi %[[LOW]], %[[MOVED]]
// CHECK:         guard.require %{{.*}}, bounds, "index out of range"
// CHECK-NEXT:    scf.for

// -----

/// Near miss: the index counts from the end of one array and is compared with the length of another.
func.func @another_length(%lo: i64, %hi: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = skel.size 0
  %m = skel.size 1
  scf.for %i = %lo to %hi step %one : i64 {
    %negative = arith.cmpi slt, %i, %zero : i64
    %end = arith.addi %i, %n : i64
    %k = arith.select %negative, %end, %i : i64
    %below = arith.cmpi slt, %k, %m : i64
    guard.require %below, bounds, "index out of range"
  }
  func.return
}
// CHECK-LABEL: @another_length
// CHECK:         scf.for
// CHECK:           guard.require %{{.*}}, bounds, "index out of range"

// -----

/// A product of two functions that rise from zero or above is largest at the last value.
func.func @rising(%n: i64, %k: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %high = guard.fact %n in [1, 2147483647] : i64
  %start = guard.fact %k in [0, 2147483647] : i64
  scf.for %i = %zero to %high step %one : i64 {
    %left = arith.addi %start, %i : i64
    %right = arith.addi %left, %one : i64
    %fits = guard.fits "mul" %left, %right : i64
    guard.require %fits, overflow, "rises"
  }
  func.return
}
// CHECK-LABEL: @rising
// CHECK:         %[[LAST:.*]] = arith.subi %{{.*}}, %{{.*}} : i64
// CHECK:         %[[LEFT:.*]] = arith.addi %{{.*}}, %[[LAST]] : i64
// CHECK:         %[[RIGHT:.*]] = arith.addi %[[LEFT]], %{{.*}} : i64
// CHECK:         guard.fits "mul" %[[LEFT]], %[[RIGHT]] : i64
// CHECK:         guard.require %{{.*}}, overflow, "rises"
// CHECK-NEXT:    scf.for

// -----

/// Near misses: one function falls, so that the product is largest in between; and one may be negative.
func.func @falling(%n: i64, %k: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %high = guard.fact %n in [1, 4294967296] : i64
  %start = guard.fact %k in [-1, 4294967296] : i64
  scf.for %i = %zero to %high step %one : i64 {
    %rest = arith.subi %high, %i : i64
    %falls = guard.fits "mul" %i, %rest : i64
    guard.require %falls, overflow, "falls"
    %left = arith.addi %start, %i : i64
    %negative = guard.fits "mul" %left, %i : i64
    guard.require %negative, overflow, "negative"
  }
  func.return
}
// CHECK-LABEL: @falling
// CHECK:         scf.for
// CHECK:           guard.require %{{.*}}, overflow, "falls"
// CHECK:           guard.require %{{.*}}, overflow, "negative"
