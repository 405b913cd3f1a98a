// RUN: hetc-opt %s --split-input-file -p fold-ranges | filecheck %s
// RUN: hetc-opt %s --split-input-file -p fold-ranges,fold-ranges | filecheck %s

/// A fact decides a comparison: a divisor from 1 up is not zero. Near miss: from 0 up it may be.
func.func @nonzero(%x: i64, %y: i64) -> (i1, i1) {
  %zero = arith.constant 0 : i64
  %a = guard.fact %x in [1, 9223372036854775807] : i64
  %b = guard.fact %y in [0, 9223372036854775807] : i64
  %0 = arith.cmpi ne, %a, %zero : i64
  %1 = arith.cmpi ne, %b, %zero : i64
  func.return %0, %1 : i1, i1
}
// CHECK-LABEL: @nonzero
// CHECK:         %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:    %[[OPEN:.*]] = arith.cmpi ne
// CHECK-NEXT:    func.return %[[TRUE]], %[[OPEN]]

// -----

/// All predicates, at the edge: x in [3, 5] against 3, 5, 2 and 6.
func.func @edges(%x: i64) -> (i1, i1, i1, i1, i1, i1, i1, i1) {
  %2 = arith.constant 2 : i64
  %3 = arith.constant 3 : i64
  %5 = arith.constant 5 : i64
  %6 = arith.constant 6 : i64
  %a = guard.fact %x in [3, 5] : i64
  %below6 = arith.cmpi slt, %a, %6 : i64
  %below5 = arith.cmpi slt, %a, %5 : i64
  %atmost5 = arith.cmpi sle, %a, %5 : i64
  %above2 = arith.cmpi sgt, %a, %2 : i64
  %above3 = arith.cmpi sgt, %a, %3 : i64
  %atleast3 = arith.cmpi sge, %a, %3 : i64
  %equals6 = arith.cmpi eq, %a, %6 : i64
  %equals5 = arith.cmpi eq, %a, %5 : i64
  func.return %below6, %below5, %atmost5, %above2, %above3, %atleast3, %equals6, %equals5 : i1, i1, i1, i1, i1, i1, i1, i1
}
// CHECK-LABEL: @edges
// CHECK:         %[[BELOW6:.*]] = arith.constant true
// CHECK-NEXT:    %[[BELOW5:.*]] = arith.cmpi slt
// CHECK-NEXT:    %[[ATMOST5:.*]] = arith.constant true
// CHECK-NEXT:    %[[ABOVE2:.*]] = arith.constant true
// CHECK-NEXT:    %[[ABOVE3:.*]] = arith.cmpi sgt
// CHECK-NEXT:    %[[ATLEAST3:.*]] = arith.constant true
// CHECK-NEXT:    %[[EQUALS6:.*]] = arith.constant false
// CHECK-NEXT:    %[[EQUALS5:.*]] = arith.cmpi eq
// CHECK-NEXT:    func.return %[[BELOW6]], %[[BELOW5]], %[[ATMOST5]], %[[ABOVE2]], %[[ABOVE3]], %[[ATLEAST3]], %[[EQUALS6]], %[[EQUALS5]]

// -----

/// A comparison may also turn out false, and two constants may be equal.
func.func @refuted(%x: i64) -> (i1, i1, i1) {
  %7 = arith.constant 7 : i64
  %a = guard.fact %x in [7, 9] : i64
  %0 = arith.cmpi slt, %a, %7 : i64
  %1 = arith.cmpi eq, %7, %7 : i64
  %2 = arith.cmpi ne, %7, %7 : i64
  func.return %0, %1, %2 : i1, i1, i1
}
// CHECK-LABEL: @refuted
// CHECK:         %[[A:.*]] = arith.constant false
// CHECK-NEXT:    %[[B:.*]] = arith.constant true
// CHECK-NEXT:    %[[C:.*]] = arith.constant false
// CHECK-NEXT:    func.return %[[A]], %[[B]], %[[C]]

// -----

/// Without facts nothing is known.
func.func @unknown(%x: i64, %y: i64) -> (i1, i1, i1) {
  %zero = arith.constant 0 : i64
  %0 = arith.cmpi sge, %x, %zero : i64
  %1 = arith.cmpi ne, %x, %y : i64
  %2 = guard.fits "add" %x, %y : i64
  func.return %0, %1, %2 : i1, i1, i1
}
// CHECK-LABEL: @unknown
// CHECK:         arith.cmpi sge
// CHECK-NEXT:    arith.cmpi ne
// CHECK-NEXT:    guard.fits "add"

// -----

/// Unsigned comparisons are decided where both sides are known not to be negative, and nowhere else.
func.func @unsigned(%x: i64, %y: i64) -> (i1, i1, i1) {
  %5 = arith.constant 5 : i64
  %a = guard.fact %x in [0, 4] : i64
  %b = guard.fact %y in [-1, 4] : i64
  %0 = arith.cmpi ult, %a, %5 : i64
  %1 = arith.cmpi ult, %b, %5 : i64
  %2 = arith.cmpi ult, %5, %b : i64
  func.return %0, %1, %2 : i1, i1, i1
}
// CHECK-LABEL: @unsigned
// CHECK:         arith.constant true
// CHECK-NEXT:    arith.cmpi ult
// CHECK-NEXT:    arith.cmpi ult

// -----

/// Sums and differences of 32-bit numbers fit 64 bits; so does their product, but no product of three.
func.func @fits_32(%x: i64, %y: i64) -> (i1, i1, i1, i1) {
  %a = guard.fact %x in [-2147483648, 2147483647] : i64
  %b = guard.fact %y in [-2147483648, 2147483647] : i64
  %0 = guard.fits "add" %a, %b : i64
  %1 = guard.fits "sub" %a, %b : i64
  %2 = guard.fits "mul" %a, %b : i64
  %p = arith.muli %a, %b : i64
  %3 = guard.fits "mul" %p, %b : i64
  func.return %0, %1, %2, %3 : i1, i1, i1, i1
}
// CHECK-LABEL: @fits_32
// CHECK:         arith.constant true
// CHECK-NEXT:    arith.constant true
// CHECK-NEXT:    arith.constant true
// CHECK-NEXT:    arith.muli
// CHECK-NEXT:    guard.fits "mul"

// -----

/// The edges of 64 bits, exactly: a bound that can just be reached fits, one more does not.
func.func @fits_64(%x: i64, %y: i64, %z: i64) -> (i1, i1, i1, i1, i1, i1) {
  %half = arith.constant 4611686018427387904 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %a = guard.fact %x in [-4611686018427387904, 4611686018427387903] : i64
  %b = guard.fact %y in [-4611686018427387904, 4611686018427387904] : i64
  %most = guard.fact %z in [-9223372036854775807, 9223372036854775806] : i64
  %0 = guard.fits "add" %a, %half : i64
  %1 = guard.fits "add" %b, %half : i64
  %2 = guard.fits "mul" %a, %two : i64
  %3 = guard.fits "mul" %b, %two : i64
  %4 = guard.fits "sub" %most, %one : i64
  %5 = guard.fits "sub" %most, %two : i64
  func.return %0, %1, %2, %3, %4, %5 : i1, i1, i1, i1, i1, i1
}
// CHECK-LABEL: @fits_64
// CHECK:         arith.constant true
// CHECK-NEXT:    guard.fits "add"
// CHECK-NEXT:    arith.constant true
// CHECK-NEXT:    guard.fits "mul"
// CHECK-NEXT:    arith.constant true
// CHECK-NEXT:    guard.fits "sub"

// -----

/// 3037000499 is the largest square root that fits.
func.func @squares(%x: i64, %y: i64) -> (i1, i1) {
  %a = guard.fact %x in [-3037000499, 3037000499] : i64
  %b = guard.fact %y in [-3037000500, 3037000499] : i64
  %0 = guard.fits "mul" %a, %a : i64
  %1 = guard.fits "mul" %b, %b : i64
  func.return %0, %1 : i1, i1
}
// CHECK-LABEL: @squares
// CHECK:         arith.constant true
// CHECK-NEXT:    guard.fits "mul"

// -----

/// Arithmetic that may wrap gives any number: after the addition nothing is known. Near miss: one that cannot wrap.
func.func @wraps(%x: i64, %y: i32) -> (i1, i1, i1) {
  %zero = arith.constant 0 : i64
  %zero32 = arith.constant 0 : i32
  %a = guard.fact %x in [0, 9223372036854775807] : i64
  %b = guard.fact %y in [0, 1073741823] : i32
  %c = guard.fact %y in [0, 1073741824] : i32
  %sum = arith.addi %a, %a : i64
  %sum_b = arith.addi %b, %b : i32
  %sum_c = arith.addi %c, %c : i32
  %0 = arith.cmpi sge, %sum, %zero : i64
  %1 = arith.cmpi sge, %sum_b, %zero32 : i32
  %2 = arith.cmpi sge, %sum_c, %zero32 : i32
  func.return %0, %1, %2 : i1, i1, i1
}
// CHECK-LABEL: @wraps
// CHECK:         %[[A:.*]] = arith.cmpi sge
// CHECK-NEXT:    %[[B:.*]] = arith.constant true
// CHECK-NEXT:    %[[C:.*]] = arith.cmpi sge
// CHECK-NEXT:    func.return %[[A]], %[[B]], %[[C]]

// -----

/// A loop variable is below the length that the loop runs to, so an index check as Python makes it folds: not negative,
/// below the length.
func.func @index() {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %size = skel.size 0
  %n = guard.fact %size in [1, 2147483647] : i64
  scf.for %i = %zero to %n step %one : i64 {
    %again = skel.size 0
    %m = guard.fact %again in [1, 2147483647] : i64
    %negative = arith.cmpi slt, %i, %zero : i64
    %end = arith.addi %i, %m : i64
    %k = arith.select %negative, %end, %i : i64
    %low = arith.cmpi sge, %k, %zero : i64
    %high = arith.cmpi slt, %k, %m : i64
    %inside = arith.andi %low, %high : i1
    guard.require %inside, bounds, "index out of range"
  }
  func.return
}
// CHECK-LABEL: @index
// CHECK:         scf.for
// CHECK-NOT:       arith.cmpi
// CHECK-NOT:       arith.select
// CHECK:           guard.require %[[TRUE:.*]], bounds, "index out of range"
// CHECK-NEXT:    }

// -----

/// Near misses of the same: one past the loop variable, one before it, and the length of another dimension.
func.func @off_by_one() {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %size = skel.size 0
  %n = guard.fact %size in [1, 2147483647] : i64
  %other = skel.size 1
  %m = guard.fact %other in [1, 2147483647] : i64
  scf.for %i = %zero to %n step %one : i64 {
    %after = arith.addi %i, %one : i64
    %before = arith.subi %i, %one : i64
    %0 = arith.cmpi slt, %after, %n : i64
    guard.require %0, bounds, "after"
    %1 = arith.cmpi sge, %before, %zero : i64
    guard.require %1, bounds, "before"
    %2 = arith.cmpi slt, %i, %m : i64
    guard.require %2, bounds, "other dimension"
  }
  func.return
}
// CHECK-LABEL: @off_by_one
// CHECK:           %[[A:.*]] = arith.cmpi slt
// CHECK-NEXT:      guard.require %[[A]], bounds, "after"
// CHECK-NEXT:      %[[B:.*]] = arith.cmpi sge
// CHECK-NEXT:      guard.require %[[B]], bounds, "before"
// CHECK-NEXT:      %[[C:.*]] = arith.cmpi slt
// CHECK-NEXT:      guard.require %[[C]], bounds, "other dimension"

// -----

/// What is subtracted from a number below a length stays below it, if it is not negative; from 1 up, one less is inside.
func.func @stencil(%d: i64) {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %n = skel.size 0
  %any = guard.fact %d in [-1, 1] : i64
  scf.for %i = %one to %n step %one : i64 {
    %before = arith.subi %i, %one : i64
    %0 = arith.cmpi sge, %before, %zero : i64
    guard.require %0, bounds, "before, low"
    %1 = arith.cmpi slt, %before, %n : i64
    guard.require %1, bounds, "before, high"
    %moved = arith.subi %i, %any : i64
    %2 = arith.cmpi slt, %moved, %n : i64
    guard.require %2, bounds, "moved"
  }
  func.return
}
// CHECK-LABEL: @stencil
// CHECK:           %[[A:.*]] = arith.constant true
// CHECK-NEXT:      guard.require %[[A]], bounds, "before, low"
// CHECK-NEXT:      %[[B:.*]] = arith.constant true
// CHECK-NEXT:      guard.require %[[B]], bounds, "before, high"
// CHECK:           %[[C:.*]] = arith.cmpi slt
// CHECK-NEXT:      guard.require %[[C]], bounds, "moved"

// -----

/// A step that is not known to be positive says nothing about the loop variable.
func.func @step(%n: i64, %s: i64) {
  %zero = arith.constant 0 : i64
  %step = guard.fact %s in [0, 4] : i64
  scf.for %i = %zero to %n step %step : i64 {
    %0 = arith.cmpi slt, %i, %n : i64
    guard.require %0, bounds, "high"
    %1 = arith.cmpi sge, %i, %zero : i64
    guard.require %1, bounds, "low"
  }
  func.return
}
// CHECK-LABEL: @step
// CHECK:           arith.cmpi slt
// CHECK:           arith.cmpi sge

// -----

/// A remainder is below a divisor that is positive, and not negative if the dividend is not. A divisor that may be
/// negative says nothing.
func.func @remainder(%x: i64, %y: i64) -> (i1, i1, i1) {
  %zero = arith.constant 0 : i64
  %size = skel.size 0
  %n = guard.fact %size in [1, 2147483647] : i64
  %a = guard.fact %x in [0, 9223372036854775807] : i64
  %r = arith.remsi %a, %n : i64
  %s = arith.remsi %a, %y : i64
  %0 = arith.cmpi slt, %r, %n : i64
  %1 = arith.cmpi sge, %r, %zero : i64
  %2 = arith.cmpi slt, %s, %y : i64
  func.return %0, %1, %2 : i1, i1, i1
}
// CHECK-LABEL: @remainder
// CHECK:         arith.constant true
// CHECK-NEXT:    arith.constant true
// CHECK-NEXT:    arith.cmpi slt

// -----

/// Inside a branch its condition is known, in the else branch its negation; after the branch neither.
func.func @branch(%x: i64) -> (i1, i1, i1) {
  %ten = arith.constant 10 : i64
  %c = arith.cmpi slt, %x, %ten : i64
  %0, %1 = scf.if %c -> (i1, i1) {
    %2 = arith.cmpi sle, %x, %ten : i64
    %3 = guard.fits "sub" %ten, %x : i64
    scf.yield %2, %3 : i1, i1
  } else {
    %4 = arith.cmpi slt, %x, %ten : i64
    %5 = guard.fits "sub" %ten, %x : i64
    scf.yield %4, %5 : i1, i1
  }
  %6 = arith.cmpi sle, %x, %ten : i64
  func.return %0, %1, %6 : i1, i1, i1
}
// CHECK-LABEL: @branch
// CHECK:         arith.cmpi slt
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      arith.constant true
// CHECK-NEXT:      guard.fits "sub"
// CHECK:         } else {
// CHECK-NEXT:      arith.constant false
// CHECK-NEXT:      arith.constant true
// CHECK:         }
// CHECK-NEXT:    arith.cmpi sle

// -----

/// Both halves of a conjunction are known; of a disjunction neither, but both negations where it is false.
func.func @conditions(%x: i64, %y: i64) {
  %zero = arith.constant 0 : i64
  %a = arith.cmpi sge, %x, %zero : i64
  %b = arith.cmpi sge, %y, %zero : i64
  %and = arith.andi %a, %b : i1
  scf.if %and {
    %0 = arith.cmpi sge, %x, %zero : i64
    guard.require %0, value, "in and"
    scf.yield
  } else {
    %1 = arith.cmpi sge, %x, %zero : i64
    guard.require %1, value, "in not and"
    scf.yield
  }
  %or = arith.ori %a, %b : i1
  scf.if %or {
    %2 = arith.cmpi sge, %x, %zero : i64
    guard.require %2, value, "in or"
    scf.yield
  } else {
    %3 = arith.cmpi slt, %x, %zero : i64
    guard.require %3, value, "in not or"
    scf.yield
  }
  func.return
}
// CHECK-LABEL: @conditions
// CHECK:         scf.if
// CHECK-NEXT:      %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:      guard.require %[[TRUE]], value, "in and"
// CHECK:           %[[OPEN:.*]] = arith.cmpi sge
// CHECK-NEXT:      guard.require %[[OPEN]], value, "in not and"
// CHECK:         scf.if
// CHECK-NEXT:      %[[OPEN2:.*]] = arith.cmpi sge
// CHECK-NEXT:      guard.require %[[OPEN2]], value, "in or"
// CHECK:           %[[TRUE2:.*]] = arith.constant true
// CHECK-NEXT:      guard.require %[[TRUE2]], value, "in not or"

// -----

/// A negated condition, and `a and b` as a branch makes it.
func.func @short_circuit(%x: i64, %y: i64) {
  %zero = arith.constant 0 : i64
  %true = arith.constant true
  %false = arith.constant false
  %a = arith.cmpi sge, %x, %zero : i64
  %n = arith.xori %a, %true : i1
  %both = scf.if %n -> (i1) {
    %b = arith.cmpi sgt, %y, %zero : i64
    scf.yield %b : i1
  } else {
    scf.yield %false : i1
  }
  scf.if %both {
    %0 = arith.cmpi slt, %x, %zero : i64
    guard.require %0, value, "x is negative"
    %1 = arith.cmpi ne, %y, %zero : i64
    guard.require %1, value, "y is not zero"
    scf.yield
  } else {
    %2 = arith.cmpi slt, %x, %zero : i64
    guard.require %2, value, "who knows"
    scf.yield
  }
  func.return
}
// CHECK-LABEL: @short_circuit
// CHECK:         %[[T:.*]] = arith.constant true
// CHECK:         scf.if
// CHECK:         scf.if
// CHECK-NEXT:      %[[A:.*]] = arith.constant true
// CHECK-NEXT:      guard.require %[[A]], value, "x is negative"
// CHECK-NEXT:      %[[B:.*]] = arith.constant true
// CHECK-NEXT:      guard.require %[[B]], value, "y is not zero"
// CHECK:           %[[C:.*]] = arith.cmpi slt
// CHECK-NEXT:      guard.require %[[C]], value, "who knows"

// -----

/// What a guard requires is known after it, and not before.
func.func @after_guard(%x: i64) {
  %zero = arith.constant 0 : i64
  %0 = arith.cmpi ne, %x, %zero : i64
  %1 = arith.cmpi sgt, %x, %zero : i64
  guard.require %0, zero_division, "not zero"
  guard.require %1, domain, "positive"
  %2 = arith.cmpi ne, %x, %zero : i64
  guard.require %2, zero_division, "not zero"
  func.return
}
// CHECK-LABEL: @after_guard
// CHECK:         %[[A:.*]] = arith.cmpi ne
// CHECK-NEXT:    %[[B:.*]] = arith.cmpi sgt
// CHECK-NEXT:    guard.require %[[A]], zero_division
// CHECK-NEXT:    guard.require %[[B]], domain
// CHECK-NEXT:    %[[C:.*]] = arith.constant true
// CHECK-NEXT:    guard.require %[[C]], zero_division

// -----

/// A guard in a branch or loop says nothing after it.
func.func @guard_inside(%c: i1, %x: i64) -> i1 {
  %zero = arith.constant 0 : i64
  scf.if %c {
    %0 = arith.cmpi sgt, %x, %zero : i64
    guard.require %0, domain, "positive"
    scf.yield
  }
  %1 = arith.cmpi sgt, %x, %zero : i64
  func.return %1 : i1
}
// CHECK-LABEL: @guard_inside
// CHECK:         scf.if
// CHECK:         }
// CHECK-NEXT:    arith.cmpi sgt

// -----

/// A branch's result lies in what either path yields.
func.func @join(%c: i1) -> (i1, i1) {
  %1 = arith.constant 1 : i64
  %5 = arith.constant 5 : i64
  %9 = arith.constant 9 : i64
  %r = scf.if %c -> (i64) {
    scf.yield %1 : i64
  } else {
    scf.yield %9 : i64
  }
  %0 = arith.cmpi sge, %r, %1 : i64
  %2 = arith.cmpi ne, %r, %5 : i64
  func.return %0, %2 : i1, i1
}
// CHECK-LABEL: @join
// CHECK:         } else {
// CHECK:         }
// CHECK-NEXT:    arith.constant true
// CHECK-NEXT:    arith.cmpi ne

// -----

/// A loop-carried sum grows without bound, so the guard stays; a counter that the condition bounds does not overflow.
func.func @carried(%n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %i, %s = scf.while (%j = %zero, %t = %zero) : (i64, i64) -> (i64, i64) {
    %c = arith.cmpi slt, %j, %n : i64
    scf.condition(%c) %j, %t : i64, i64
  } do {
  ^bb0(%j: i64, %t: i64):
    %0 = guard.fits "add" %j, %one : i64
    guard.require %0, overflow, "counter"
    %k = arith.addi %j, %one : i64
    %1 = guard.fits "add" %t, %j : i64
    guard.require %1, overflow, "sum"
    %u = arith.addi %t, %j : i64
    scf.yield %k, %u : i64, i64
  }
  func.return %s : i64
}
// CHECK-LABEL: @carried
// CHECK:         } do {
// CHECK:           %[[A:.*]] = arith.constant true
// CHECK-NEXT:      guard.require %[[A]], overflow, "counter"
// CHECK:           %[[B:.*]] = guard.fits "add"
// CHECK-NEXT:      guard.require %[[B]], overflow, "sum"

// -----

/// Near miss: with `<=` the counter may reach the last number and one more.
func.func @counter_at_most(%n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %i = scf.while (%j = %zero) : (i64) -> i64 {
    %c = arith.cmpi sle, %j, %n : i64
    scf.condition(%c) %j : i64
  } do {
  ^bb0(%j: i64):
    %0 = guard.fits "add" %j, %one : i64
    guard.require %0, overflow, "counter"
    %k = arith.addi %j, %one : i64
    scf.yield %k : i64
  }
  func.return %i : i64
}
// CHECK-LABEL: @counter_at_most
// CHECK:           guard.fits "add"

// -----

/// What a loop carries is known from all iterations, not from the first: `u` is 0, then what `t` was, and so on, and only
/// the eighth iteration brings a number into `w`.
func.func @delayed(%n: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %a, %b, %c, %d, %e, %f, %g, %h = scf.for %i = %zero to %n step %one iter_args(%p = %zero, %q = %zero, %r = %zero, %s = %zero, %t = %zero, %u = %zero, %v = %zero, %w = %zero) -> (i64, i64, i64, i64, i64, i64, i64, i64) : i64 {
    %0 = guard.fits "add" %u, %one : i64
    guard.require %0, overflow, "u"
    %1 = guard.fits "add" %v, %one : i64
    guard.require %1, overflow, "v"
    %2 = guard.fits "add" %w, %one : i64
    guard.require %2, overflow, "w"
    %3 = arith.addi %p, %one : i64
    scf.yield %3, %p, %q, %r, %s, %t, %u, %v : i64, i64, i64, i64, i64, i64, i64, i64
  }
  func.return
}
// CHECK-LABEL: @delayed
// CHECK:           guard.fits "add"
// CHECK:           guard.fits "add"
// CHECK:           guard.fits "add"

// -----

/// A carried number that only shrinks stays below where it started; widening stops at the landmark 0 where a guard keeps
/// it from going below.
func.func @shrinks(%n: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %ten = arith.constant 10 : i64
  %m = scf.for %i = %zero to %n step %one iter_args(%p = %ten) -> (i64) : i64 {
    %0 = arith.cmpi sle, %p, %ten : i64
    guard.require %0, value, "at most ten"
    %positive = arith.cmpi sgt, %p, %zero : i64
    guard.require %positive, domain, "positive"
    %q = arith.subi %p, %one : i64
    %1 = arith.cmpi sge, %q, %zero : i64
    guard.require %1, value, "not negative"
    scf.yield %q : i64
  }
  func.return
}
// CHECK-LABEL: @shrinks
// CHECK:           %[[A:.*]] = arith.constant true
// CHECK-NEXT:      guard.require %[[A]], value, "at most ten"
// CHECK-NEXT:      %[[B:.*]] = arith.cmpi sgt
// CHECK-NEXT:      guard.require %[[B]], domain, "positive"
// CHECK:           %[[C:.*]] = arith.constant true
// CHECK-NEXT:      guard.require %[[C]], value, "not negative"

// -----

/// Nested loops over two dimensions: each index is checked against its own.
func.func @matrix() {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %rows = skel.size 1
  %columns = skel.size 2
  scf.for %i = %zero to %rows step %one : i64 {
    scf.for %j = %zero to %columns step %one : i64 {
      %0 = arith.cmpi slt, %i, %rows : i64
      guard.require %0, bounds, "row"
      %1 = arith.cmpi slt, %j, %columns : i64
      guard.require %1, bounds, "column"
      %2 = arith.cmpi slt, %j, %rows : i64
      guard.require %2, bounds, "transposed"
    }
  }
  func.return
}
// CHECK-LABEL: @matrix
// CHECK:             arith.constant true
// CHECK:             guard.require %{{.*}}, bounds, "row"
// CHECK:             arith.constant true
// CHECK:             guard.require %{{.*}}, bounds, "column"
// CHECK:             arith.cmpi slt
// CHECK:             guard.require %{{.*}}, bounds, "transposed"

// -----

/// select, and, or with a known truth value; what they no longer need goes.
func.func @simplify(%x: i64, %y: i64, %p: i1) -> (i64, i64, i1, i1, i1, i1) {
  %true = arith.constant true
  %false = arith.constant false
  %0 = arith.select %true, %x, %y : i64
  %1 = arith.select %false, %x, %y : i64
  %2 = arith.andi %p, %true : i1
  %3 = arith.andi %false, %p : i1
  %4 = arith.ori %p, %false : i1
  %5 = arith.ori %true, %p : i1
  func.return %0, %1, %2, %3, %4, %5 : i64, i64, i1, i1, i1, i1
}
// CHECK-LABEL: @simplify
// CHECK-SAME:    (%[[X:.*]]: i64, %[[Y:.*]]: i64, %[[P:.*]]: i1)
// CHECK-NEXT:    %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:    %[[FALSE:.*]] = arith.constant false
// CHECK-NEXT:    func.return %[[X]], %[[Y]], %[[P]], %[[FALSE]], %[[P]], %[[TRUE]]

// -----

/// Near miss: on numbers, `and` with 1 is not the identity.
func.func @bits(%x: i64) -> (i64, i64) {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %0 = arith.andi %x, %one : i64
  %1 = arith.ori %x, %zero : i64
  func.return %0, %1 : i64, i64
}
// CHECK-LABEL: @bits
// CHECK:         arith.andi
// CHECK-NEXT:    arith.ori

// -----

/// Bit operations on numbers that are not negative stay in their bits; a mask bounds any number.
func.func @masks(%x: i64, %y: i64) -> (i1, i1, i1) {
  %15 = arith.constant 15 : i64
  %16 = arith.constant 16 : i64
  %a = guard.fact %x in [0, 9] : i64
  %m = arith.andi %y, %15 : i64
  %o = arith.ori %a, %m : i64
  %s = arith.shrsi %a, %15 : i64
  %zero = arith.constant 0 : i64
  %0 = arith.cmpi slt, %m, %16 : i64
  %1 = arith.cmpi slt, %o, %16 : i64
  %2 = arith.cmpi eq, %s, %zero : i64
  func.return %0, %1, %2 : i1, i1, i1
}
// CHECK-LABEL: @masks
// CHECK:         %[[A:.*]] = arith.constant true
// CHECK-NEXT:    %[[B:.*]] = arith.constant true
// CHECK-NEXT:    %[[C:.*]] = arith.constant true
// CHECK-NEXT:    func.return %[[A]], %[[B]], %[[C]]

// -----

/// Casts keep what they cannot change: a truth value is 0 or 1, a wide number that does not fit is anything.
func.func @casts(%p: i1, %x: i64, %y: i64) -> (i1, i1, i1) {
  %zero = arith.constant 0 : i64
  %two = arith.constant 2 : i64
  %hundred = arith.constant 100 : i8
  %a = guard.fact %x in [0, 99] : i64
  %b = guard.fact %y in [0, 255] : i64
  %t = arith.extui %p : i1 to i64
  %u = arith.trunci %a : i64 to i8
  %v = arith.trunci %b : i64 to i8
  %0 = arith.cmpi slt, %t, %two : i64
  %1 = arith.cmpi slt, %u, %hundred : i8
  %zero8 = arith.constant 0 : i8
  %2 = arith.cmpi sge, %v, %zero8 : i8
  func.return %0, %1, %2 : i1, i1, i1
}
// CHECK-LABEL: @casts
// CHECK:         %[[A:.*]] = arith.constant true
// CHECK-NEXT:    %[[B:.*]] = arith.constant true
// CHECK:         %[[C:.*]] = arith.cmpi sge
// CHECK-NEXT:    func.return %[[A]], %[[B]], %[[C]]

// -----

/// What is below the smaller of two lengths is below both. Near miss: below the larger it is below neither.
func.func @minimum() {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = skel.size 0
  %m = skel.size 1
  %less = arith.cmpi slt, %n, %m : i64
  %shorter = arith.select %less, %n, %m : i64
  %longer = arith.select %less, %m, %n : i64
  scf.for %i = %zero to %shorter step %one : i64 {
    %a = arith.cmpi slt, %i, %n : i64
    %b = arith.cmpi slt, %i, %m : i64
    "test.op"(%a, %b) : (i1, i1) -> ()
  }
  scf.for %i = %zero to %longer step %one : i64 {
    %a = arith.cmpi slt, %i, %n : i64
    %b = arith.cmpi slt, %i, %m : i64
    "test.op"(%a, %b) : (i1, i1) -> ()
  }
  func.return
}
// CHECK-LABEL: @minimum
// CHECK:         scf.for
// CHECK-NEXT:      %[[A:.*]] = arith.constant true
// CHECK-NEXT:      %[[B:.*]] = arith.constant true
// CHECK-NEXT:      "test.op"(%[[A]], %[[B]])
// CHECK:         scf.for %[[I:.*]] =
// CHECK-NEXT:      arith.cmpi slt, %[[I]]
// CHECK-NEXT:      arith.cmpi slt, %[[I]]

// -----

/// Neighbours: from 1 to below the length less one, one before and one after are inside. Near miss: two after.
func.func @neighbours() {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %size = skel.size 0
  %n = guard.fact %size in [1, 2147483647] : i64
  %end = arith.subi %n, %one : i64
  scf.for %i = %one to %end step %one : i64 {
    %before = arith.subi %i, %one : i64
    %after = arith.addi %i, %one : i64
    %second = arith.addi %i, %two : i64
    %0 = arith.cmpi sge, %before, %zero : i64
    guard.require %0, bounds, "before"
    %1 = arith.cmpi slt, %after, %n : i64
    guard.require %1, bounds, "after"
    %2 = arith.cmpi slt, %second, %n : i64
    guard.require %2, bounds, "second"
  }
  func.return
}
// CHECK-LABEL: @neighbours
// CHECK:           guard.require %[[TRUE:.*]], bounds, "before"
// CHECK-NEXT:      %[[TRUE2:.*]] = arith.constant true
// CHECK-NEXT:      guard.require %[[TRUE2]], bounds, "after"
// CHECK-NEXT:      %[[OPEN:.*]] = arith.cmpi slt
// CHECK-NEXT:      guard.require %[[OPEN]], bounds, "second"

// -----

/// What does not exceed an index is an index: half of it, a mask of it, its remainder, the smaller of it and the last.
func.func @smaller(%x: i64, %y: i64) {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %mask = arith.constant 255 : i64
  %any = guard.fact %x in [0, 9223372036854775807] : i64
  %size = skel.size 0
  %n = guard.fact %size in [1, 2147483647] : i64
  %last = arith.subi %n, %one : i64
  %zero = arith.constant 0 : i64
  scf.for %i = %zero to %n step %one : i64 {
    %half = arith.divsi %i, %two : i64
    %shifted = arith.shrsi %i, %one : i64
    %masked = arith.andi %i, %mask : i64
    %rest = arith.remsi %any, %n : i64
    %clamped = arith.minsi %any, %last : i64
    %larger = arith.maxsi %i, %any : i64
    %0 = arith.cmpi slt, %half, %n : i64
    guard.require %0, bounds, "half"
    %1 = arith.cmpi slt, %shifted, %n : i64
    guard.require %1, bounds, "shifted"
    %2 = arith.cmpi slt, %masked, %n : i64
    guard.require %2, bounds, "masked"
    %3 = arith.cmpi slt, %rest, %n : i64
    guard.require %3, bounds, "rest"
    %4 = arith.cmpi slt, %clamped, %n : i64
    guard.require %4, bounds, "clamped"
    %5 = arith.cmpi slt, %larger, %n : i64
    guard.require %5, bounds, "larger"
  }
  func.return
}
// CHECK-LABEL: @smaller
// CHECK:           scf.for
// CHECK-COUNT-5:     arith.constant true
// CHECK-NOT:         arith.constant true
// CHECK:             %[[OPEN:.*]] = arith.cmpi slt
// CHECK-NEXT:        guard.require %[[OPEN]], bounds, "larger"

// -----

/// A loop that counts down is counted up, and its index is the start less the iteration's number.
func.func @down() {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %minus = arith.constant -1 : i64
  %size = skel.size 0
  %n = guard.fact %size in [1, 2147483647] : i64
  %start = arith.subi %n, %one : i64
  scf.for %k = %zero to %n step %one : i64 {
    %offset = arith.muli %k, %minus : i64
    %i = arith.addi %start, %offset : i64
    %0 = arith.cmpi sge, %i, %zero : i64
    guard.require %0, bounds, "low"
    %1 = arith.cmpi slt, %i, %n : i64
    guard.require %1, bounds, "high"
    %2 = arith.cmpi sge, %i, %one : i64
    guard.require %2, bounds, "not the first"
  }
  func.return
}
// CHECK-LABEL: @down
// CHECK:           scf.for
// CHECK:             arith.constant true
// CHECK-NEXT:        guard.require %{{.*}}, bounds, "low"
// CHECK-NEXT:        arith.constant true
// CHECK-NEXT:        guard.require %{{.*}}, bounds, "high"
// CHECK:             %[[OPEN:.*]] = arith.cmpi sge
// CHECK-NEXT:        guard.require %[[OPEN]], bounds, "not the first"

// -----

/// Bisection: the middle of two that do not exceed a length, one of them less, is below it.
func.func @bisection(%c: i1) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %size = skel.size 0
  %n = guard.fact %size in [1, 2147483647] : i64
  %0:2 = scf.while (%lo = %zero, %hi = %n) : (i64, i64) -> (i64, i64) {
    %more = arith.cmpi slt, %lo, %hi : i64
    scf.condition(%more) %lo, %hi : i64, i64
  } do {
  ^bb0(%l: i64, %h: i64):
    %sum = arith.addi %l, %h : i64
    %middle = arith.divsi %sum, %two : i64
    %inside = arith.cmpi slt, %middle, %n : i64
    guard.require %inside, bounds, "middle"
    %up = arith.addi %middle, %one : i64
    %l2 = arith.select %c, %up, %l : i64
    %h2 = arith.select %c, %h, %middle : i64
    scf.yield %l2, %h2 : i64, i64
  }
  func.return
}
// CHECK-LABEL: @bisection
// CHECK:           %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:      guard.require %[[TRUE]], bounds, "middle"

// -----

/// A sum in a loop is at most the number of iterations times what is added: of 32-bit numbers, 2**31 times, it fits.
/// Near misses: what is added has 64 bits, and a product of which nothing is known but that it grows.
func.func @sums(%m: i64, %x: i64, %y: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = guard.fact %m in [-2147483648, 2147483647] : i64
  %small = guard.fact %x in [-2147483648, 2147483647] : i64
  %0:3 = scf.for %i = %zero to %n step %one iter_args(%a = %zero, %b = %zero, %c = %one) -> (i64, i64, i64) : i64 {
    %fits_a = guard.fits "add" %a, %small : i64
    guard.require %fits_a, overflow, "small"
    %a2 = arith.addi %a, %small : i64
    %fits_b = guard.fits "add" %b, %y : i64
    guard.require %fits_b, overflow, "large"
    %b2 = arith.addi %b, %y : i64
    %fits_c = guard.fits "mul" %c, %small : i64
    guard.require %fits_c, overflow, "product"
    %c2 = arith.muli %c, %small : i64
    scf.yield %a2, %b2, %c2 : i64, i64, i64
  }
  func.return
}
// CHECK-LABEL: @sums
// CHECK:           %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:      guard.require %[[TRUE]], overflow, "small"
// CHECK:           %[[OPEN:.*]] = guard.fits "add"
// CHECK-NEXT:      guard.require %[[OPEN]], overflow, "large"
// CHECK:           %[[OPEN2:.*]] = guard.fits "mul"
// CHECK-NEXT:      guard.require %[[OPEN2]], overflow, "product"

// -----

/// A while loop with a counter runs as often as the counter can be counted.
func.func @counter(%m: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = guard.fact %m in [-2147483648, 2147483647] : i64
  %0:2 = scf.while (%i = %zero, %s = %zero) : (i64, i64) -> (i64, i64) {
    %more = arith.cmpi slt, %i, %n : i64
    scf.condition(%more) %i, %s : i64, i64
  } do {
  ^bb0(%k: i64, %t: i64):
    %fits_k = guard.fits "add" %k, %one : i64
    guard.require %fits_k, overflow, "counter"
    %k2 = arith.addi %k, %one : i64
    %fits_t = guard.fits "add" %t, %k : i64
    guard.require %fits_t, overflow, "sum"
    %t2 = arith.addi %t, %k : i64
    scf.yield %k2, %t2 : i64, i64
  }
  func.return
}
// CHECK-LABEL: @counter
// CHECK:           %[[A:.*]] = arith.constant true
// CHECK-NEXT:      guard.require %[[A]], overflow, "counter"
// CHECK:           %[[B:.*]] = arith.constant true
// CHECK-NEXT:      guard.require %[[B]], overflow, "sum"

// -----

/// x * x <= n bounds x.
func.func @trial_division(%m: i64) {
  %two = arith.constant 2 : i64
  %one = arith.constant 1 : i64
  %n = guard.fact %m in [0, 2147483647] : i64
  %0 = scf.while (%i = %two) : (i64) -> i64 {
    %fits = guard.fits "mul" %i, %i : i64
    guard.require %fits, overflow, "square"
    %square = arith.muli %i, %i : i64
    %more = arith.cmpi sle, %square, %n : i64
    scf.condition(%more) %i : i64
  } do {
  ^bb0(%k: i64):
    %fits = guard.fits "add" %k, %one : i64
    guard.require %fits, overflow, "next"
    %next = arith.addi %k, %one : i64
    scf.yield %next : i64
  }
  func.return
}
// CHECK-LABEL: @trial_division
// CHECK-NOT:     guard.fits

// -----

/// A reduction adds up to 2**31 elements. Near miss: of 64 bits.
func.func @reduction(%x: tensor<?x!dyn.int>) -> (i64, i64) {
  %zero = arith.constant 0 : i64
  %a = skel.reduce(%x) init(%zero : i64) : (tensor<?x!dyn.int>) -> i64 transform {
  ^bb0(%e: i64):
    %small = guard.fact %e in [-2147483648, 2147483647] : i64
    skel.yield %small : i64
  } combine {
  ^bb0(%p: i64, %q: i64):
    %fits = guard.fits "add" %p, %q : i64
    guard.require %fits, overflow, "small"
    %r = arith.addi %p, %q : i64
    skel.yield %r : i64
  }
  %b = skel.reduce(%x) init(%zero : i64) : (tensor<?x!dyn.int>) -> i64 transform {
  ^bb0(%e: i64):
    skel.yield %e : i64
  } combine {
  ^bb0(%p: i64, %q: i64):
    %fits = guard.fits "add" %p, %q : i64
    guard.require %fits, overflow, "large"
    %r = arith.addi %p, %q : i64
    skel.yield %r : i64
  }
  func.return %a, %b : i64, i64
}
// CHECK-LABEL: @reduction
// CHECK:           %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:      guard.require %[[TRUE]], overflow, "small"
// CHECK:           %[[OPEN:.*]] = guard.fits "add"
// CHECK-NEXT:      guard.require %[[OPEN]], overflow, "large"

// -----

/// Not equal to a constant is known in a branch; in the other, equal.
func.func @unequal(%x: i64) -> (i1, i1) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %c = arith.cmpi ne, %x, %zero : i64
  %0, %1 = scf.if %c -> (i1, i1) {
    %a = arith.cmpi eq, %x, %zero : i64
    %b = arith.cmpi ne, %x, %one : i64
    scf.yield %a, %b : i1, i1
  } else {
    %a = arith.cmpi sge, %x, %zero : i64
    %b = arith.cmpi ne, %x, %one : i64
    scf.yield %a, %b : i1, i1
  }
  func.return %0, %1 : i1, i1
}
// CHECK-LABEL: @unequal
// CHECK:         scf.if
// CHECK-NEXT:      %[[A:.*]] = arith.constant false
// CHECK-NEXT:      %[[B:.*]] = arith.cmpi ne
// CHECK-NEXT:      scf.yield %[[A]], %[[B]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[C:.*]] = arith.constant true
// CHECK-NEXT:      %[[D:.*]] = arith.constant true
// CHECK-NEXT:      scf.yield %[[C]], %[[D]]

// -----

/// After a guard against overflow the sum is exact, so from 1 up one less is from 0 up.
func.func @after_overflow(%x: i64) -> (i1, i1) {
  %zero = arith.constant 0 : i64
  %a = guard.fact %x in [1, 9223372036854775807] : i64
  %fits = guard.fits "add" %a, %a : i64
  %wrapped = arith.addi %a, %a : i64
  %0 = arith.cmpi sgt, %wrapped, %zero : i64
  guard.require %fits, overflow, "the sum"
  %sum = arith.addi %a, %a : i64
  %1 = arith.cmpi sgt, %sum, %zero : i64
  func.return %0, %1 : i1, i1
}
// CHECK-LABEL: @after_overflow
// CHECK:         %[[OPEN:.*]] = arith.cmpi sgt
// CHECK:         %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:    func.return %[[OPEN]], %[[TRUE]]

// -----

/// Squares are not negative, so their root has a meaning; with something added it is not zero. A NaN is neither: it
/// passes `uge` and `une`, and so does not raise in Python.
func.func @distance(%x: f64, %y: f64) -> (i1, i1, i1, i1) {
  %zero = arith.constant 0.0 : f64
  %tiny = arith.constant 1.0e-9 : f64
  %xx = arith.mulf %x, %x : f64
  %yy = arith.mulf %y, %y : f64
  %sum = arith.addf %xx, %yy : f64
  %0 = arith.cmpf uge, %sum, %zero : f64
  %root = math.sqrt %sum : f64
  %1 = arith.cmpf une, %root, %zero : f64
  %soft = arith.addf %sum, %tiny : f64
  %root2 = math.sqrt %soft : f64
  %2 = arith.cmpf une, %root2, %zero : f64
  %3 = arith.cmpf oge, %sum, %zero : f64
  func.return %0, %1, %2, %3 : i1, i1, i1, i1
}
// CHECK-LABEL: @distance
// CHECK:         %[[A:.*]] = arith.constant true
// CHECK:         %[[B:.*]] = arith.cmpf une
// CHECK:         %[[C:.*]] = arith.constant true
// CHECK-NEXT:    %[[D:.*]] = arith.cmpf oge
// CHECK-NEXT:    func.return %[[A]], %[[B]], %[[C]], %[[D]]

// -----

/// A branch knows its comparison: positive is not zero. `ogt` excludes NaN, `not ole` does not.
func.func @positive(%x: f64) -> (i1, i1) {
  %zero = arith.constant 0.0 : f64
  %c = arith.cmpf ogt, %x, %zero : f64
  %0, %1 = scf.if %c -> (i1, i1) {
    %a = arith.cmpf une, %x, %zero : f64
    %b = arith.cmpf ord, %x, %x : f64
    scf.yield %a, %b : i1, i1
  } else {
    %a = arith.cmpf ule, %x, %zero : f64
    %b = arith.cmpf ole, %x, %zero : f64
    scf.yield %a, %b : i1, i1
  }
  func.return %0, %1 : i1, i1
}
// CHECK-LABEL: @positive
// CHECK:         scf.if
// CHECK-NEXT:      arith.constant true
// CHECK-NEXT:      arith.constant true
// CHECK:         } else {
// CHECK-NEXT:      arith.constant true
// CHECK-NEXT:      arith.cmpf ole

// -----

/// The exponential may be zero, by underflow, so its logarithm needs its guard; with 1 added it does not. An integer as
/// a float is finite, so its sine needs none.
func.func @functions(%x: f64, %n: i64) -> (i1, i1, i1) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %infinity = arith.constant 0x7FF0000000000000 : f64
  %exp = math.exp %x : f64
  %0 = arith.cmpf ugt, %exp, %zero : f64
  %more = arith.addf %exp, %one : f64
  %1 = arith.cmpf ugt, %more, %zero : f64
  %float = arith.sitofp %n : i64 to f64
  %size = math.absf %float : f64
  %2 = arith.cmpf une, %size, %infinity : f64
  func.return %0, %1, %2 : i1, i1, i1
}
// CHECK-LABEL: @functions
// CHECK:         arith.cmpf ugt
// CHECK:         arith.constant true
// CHECK:         arith.constant true
// CHECK-NEXT:    func.return

// -----

/// A shift by a negative number, below a guard that always fails, says nothing.
func.func @negative_shift(%x: i64) -> i64 {
  %minus = arith.constant -5 : i64
  %x_1 = guard.fact %x in [0, 9] : i64
  %0 = arith.shrsi %x_1, %minus : i64
  func.return %0 : i64
}
// CHECK-LABEL: @negative_shift
// CHECK:         %[[S:.*]] = arith.shrsi
// CHECK:         func.return %[[S]] : i64

// -----

/// A guard on the sign of a NaN proves nothing: `guard-elimination` removes some that do not hold.
func.func @sign(%x: f64) -> i1 {
  %ordered = arith.cmpf ord, %x, %x : f64
  guard.require %ordered, sign, "a sign"
  %nan = arith.cmpf uno, %x, %x : f64
  func.return %nan : i1
}
// CHECK-LABEL: @sign
// CHECK:         %[[NAN:.*]] = arith.cmpf uno
// CHECK-NEXT:    func.return %[[NAN]]

// -----

/// A fact that a number is below a length decides comparisons with it.
func.func @below(%i: i64) -> (i1, i1, i1) {
  %k = guard.fact %i in [0, 2147483647] {below = array<i64: 0, -2>} : i64
  %n = skel.size 0
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %next = arith.addi %k, %one : i64
  %second = arith.addi %k, %two : i64
  %0 = arith.cmpi slt, %k, %n : i64
  %1 = arith.cmpi slt, %next, %n : i64
  %2 = arith.cmpi slt, %second, %n : i64
  func.return %0, %1, %2 : i1, i1, i1
}
// CHECK-LABEL: @below
// CHECK:         %[[OPEN:.*]] = arith.cmpi slt
// CHECK:         func.return %[[T:.*]], %{{.*}}, %[[OPEN]] : i1, i1, i1

// -----

/// A captured number that is positive keeps a sum with a square away from zero, its root, and the product of both.
skel.capture @softening : f64 {positive}
func.func @positive(%x: f64, %y: f64) {
  %zero = arith.constant 0.0 : f64
  %softening = skel.captured @softening {positive} : f64
  %square = arith.mulf %x, %x : f64
  %sum = arith.addf %square, %softening : f64
  %not_negative = arith.cmpf uge, %sum, %zero : f64
  guard.require %not_negative, domain, "a root"
  %root = math.sqrt %sum : f64
  %cube = arith.mulf %sum, %root : f64
  %not_zero = arith.cmpf une, %cube, %zero : f64
  guard.require %not_zero, zero_division, "a division"
  %product = arith.mulf %x, %y : f64
  %other = arith.addf %product, %softening : f64
  %not_zero_either = arith.cmpf une, %other, %zero : f64
  guard.require %not_zero_either, zero_division, "no square"
  func.return
}
// CHECK-LABEL: func.func @positive
// CHECK:         %[[ROOT:.*]] = arith.constant true
// CHECK-NEXT:    guard.require %[[ROOT]], domain, "a root"
// CHECK:         %[[DIVISION:.*]] = arith.constant true
// CHECK-NEXT:    guard.require %[[DIVISION]], zero_division, "a division"
// CHECK:         %[[OTHER:.*]] = arith.cmpf une
// CHECK-NEXT:    guard.require %[[OTHER]], zero_division, "no square"

// -----

/// Of any number the sum may be zero, or negative.
func.func @any_number(%x: f64) {
  %zero = arith.constant 0.0 : f64
  %softening = skel.captured @softening : f64
  %square = arith.mulf %x, %x : f64
  %sum = arith.addf %square, %softening : f64
  %not_zero = arith.cmpf une, %sum, %zero : f64
  guard.require %not_zero, zero_division, "a division"
  func.return
}
// CHECK-LABEL: func.func @any_number
// CHECK:         %[[UNKNOWN:.*]] = arith.cmpf une
// CHECK-NEXT:    guard.require %[[UNKNOWN]], zero_division, "a division"

// -----

/// Of floats that may be computed otherwise than exactly: a sum of squares is above zero then, too.
func.func @relaxed(%xs: tensor<?xf64>) -> tensor<?xi1> {
  %ys = skel.map(%xs) : (tensor<?xf64>) -> tensor<?xi1> {
  ^bb0(%x: f64):
    %zero = arith.constant 0.0 : f64
    %one = arith.constant 1.0 : f64
    %square = arith.mulf %x, %x fastmath<contract> : f64
    %sum = arith.addf %square, %one fastmath<contract> : f64
    %positive = arith.cmpf ugt, %sum, %zero : f64
    skel.yield %positive : i1
  }
  func.return %ys : tensor<?xi1>
}
// CHECK-LABEL: @relaxed
// CHECK-NOT:     arith.cmpf
// CHECK:         func.return

// -----

/// Near misses: bounds that an approximation, a reciprocal, and a product which is not rounded may leave.
func.func @relaxed_too_far(%xs: tensor<?xf32>) -> (tensor<?xi1>, tensor<?xi1>, tensor<?xi1>, tensor<?xi1>) {
  %0, %1, %2, %3 = skel.map(%xs) : (tensor<?xf32>) -> (tensor<?xi1>, tensor<?xi1>, tensor<?xi1>, tensor<?xi1>) {
  ^bb0(%x: f32):
    %one = arith.constant 1.0 : f32
    %three = arith.constant 3.0 : f32
    %limit = arith.constant 1.1 : f32
    %least = arith.constant -1.0 : f32
    %sine = math.sin %x : f32
    %exact = arith.cmpf ule, %sine, %limit : f32
    %approximate = math.sin %x fastmath<afn> : f32
    %near = arith.cmpf ule, %approximate, %limit : f32
    %third = arith.divf %one, %three fastmath<arcp> : f32
    %below = arith.cmpf ule, %third, %one : f32
    %product = arith.mulf %sine, %sine fastmath<contract> : f32
    %difference = arith.subf %product, %one fastmath<contract> : f32
    %above = arith.cmpf uge, %difference, %least : f32
    skel.yield %exact, %near, %below, %above : i1, i1, i1, i1
  }
  func.return %0, %1, %2, %3 : tensor<?xi1>, tensor<?xi1>, tensor<?xi1>, tensor<?xi1>
}
// CHECK-LABEL: @relaxed_too_far
// CHECK-NOT:     arith.cmpf
// CHECK:         %[[APPROXIMATE:.*]] = math.sin %{{.*}} fastmath<afn> : f32
// CHECK-NEXT:    arith.cmpf ule, %[[APPROXIMATE]]
// CHECK:         arith.cmpf ule
// CHECK:         arith.cmpf uge
