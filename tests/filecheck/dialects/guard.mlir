// RUN: hetc-opt %s --split-input-file | hetc-opt --split-input-file --print-op-generic | hetc-opt --split-input-file | filecheck %s
// RUN: hetc-opt %s --split-input-file --print-op-generic | filecheck %s --check-prefix GENERIC
// RUN: hetc-opt %s --split-input-file -p canonicalize | filecheck %s --check-prefix CANON

/// A guard of every kind. None is known to hold, so canonicalisation keeps them all.
func.func @kinds(%ok: i1) {
  guard.require %ok, type, "it is a number"
  guard.require %ok, none, "it is there"
  guard.require %ok, overflow, "the result of '+' does not fit 64 bits"
  guard.require %ok, zero_division, "division by zero"
  guard.require %ok, bounds, "index out of range"
  guard.require %ok, domain, "math.sqrt() would raise"
  guard.require %ok, branch, "the branch was seen"
  guard.require %ok, value, "n is 3"
  guard.require %ok, alloc, "memory is left"
  func.return
}
// CHECK-LABEL: @kinds
// CHECK-SAME:    (%[[OK:.*]]: i1)
// CHECK-NEXT:    guard.require %[[OK]], type, "it is a number"
// CHECK-NEXT:    guard.require %[[OK]], none, "it is there"
// CHECK-NEXT:    guard.require %[[OK]], overflow, "the result of '+' does not fit 64 bits"
// CHECK-NEXT:    guard.require %[[OK]], zero_division, "division by zero"
// CHECK-NEXT:    guard.require %[[OK]], bounds, "index out of range"
// CHECK-NEXT:    guard.require %[[OK]], domain, "math.sqrt() would raise"
// CHECK-NEXT:    guard.require %[[OK]], branch, "the branch was seen"
// CHECK-NEXT:    guard.require %[[OK]], value, "n is 3"
// CHECK-NEXT:    guard.require %[[OK]], alloc, "memory is left"
// GENERIC-LABEL: sym_name = "kinds"
// GENERIC:         "guard.require"(%{{.*}}) <{kind = #guard<kind type>, reason = "it is a number"}> : (i1) -> ()
// CANON-LABEL: @kinds
// CANON-COUNT-9: guard.require

// -----

/// A guard that holds goes.
func.func @proven() {
  %true = arith.constant true
  guard.require %true, bounds, "index out of range"
  func.return
}
// CHECK-LABEL: @proven
// GENERIC-LABEL: sym_name = "proven"
// CANON-LABEL: @proven
// CANON-NEXT:    func.return

// -----

/// A guard that never holds stays: the call has to leave there.
func.func @refuted() {
  %false = arith.constant false
  guard.require %false, bounds, "index out of range"
  func.return
}
// CHECK-LABEL: @refuted
// GENERIC-LABEL: sym_name = "refuted"
// CANON-LABEL: @refuted
// CANON:         %[[FALSE:.*]] = arith.constant false
// CANON-NEXT:    guard.require %[[FALSE]], bounds, "index out of range"

// -----

/// Facts about integers of any width, and about indices.
func.func @facts(%i: i64, %j: i8, %k: index) -> (i64, i8, index) {
  %0 = guard.fact %i in [-9223372036854775808, 9223372036854775807] : i64
  %1 = guard.fact %j in [0, 0] : i8
  %2 = guard.fact %k in [1, 2147483647] : index
  func.return %0, %1, %2 : i64, i8, index
}
// CHECK-LABEL: @facts
// CHECK-SAME:    (%[[I:.*]]: i64, %[[J:.*]]: i8, %[[K:.*]]: index)
// CHECK-NEXT:    %{{.*}} = guard.fact %[[I]] in [-9223372036854775808, 9223372036854775807] : i64
// CHECK-NEXT:    %{{.*}} = guard.fact %[[J]] in [0, 0] : i8
// CHECK-NEXT:    %{{.*}} = guard.fact %[[K]] in [1, 2147483647] : index
// GENERIC-LABEL: sym_name = "facts"
// GENERIC:         "guard.fact"(%{{.*}}) <{low = 0 : i64, high = 0 : i64}> : (i8) -> i8
// CANON-LABEL: @facts
// CANON-COUNT-3: guard.fact

// -----

/// A fact and a question about overflow that nobody asks for are dead.
func.func @unused(%i: i64) {
  %0 = guard.fact %i in [0, 1] : i64
  %1 = guard.fits "add" %i, %i : i64
  func.return
}
// CHECK-LABEL: @unused
// GENERIC-LABEL: sym_name = "unused"
// CANON-LABEL: @unused
// CANON-NEXT:    func.return

// -----

/// Whether a sum, difference or product fits.
func.func @fits(%i: i64, %j: i64, %k: i8) -> (i1, i1, i1) {
  %0 = guard.fits "add" %i, %j : i64
  %1 = guard.fits "sub" %i, %j : i64
  %2 = guard.fits "mul" %k, %k : i8
  func.return %0, %1, %2 : i1, i1, i1
}
// CHECK-LABEL: @fits
// CHECK-SAME:    (%[[I:.*]]: i64, %[[J:.*]]: i64, %[[K:.*]]: i8)
// CHECK-NEXT:    %{{.*}} = guard.fits "add" %[[I]], %[[J]] : i64
// CHECK-NEXT:    %{{.*}} = guard.fits "sub" %[[I]], %[[J]] : i64
// CHECK-NEXT:    %{{.*}} = guard.fits "mul" %[[K]], %[[K]] : i8
// GENERIC-LABEL: sym_name = "fits"
// GENERIC:         "guard.fits"(%{{.*}}, %{{.*}}) <{operator = "add"}> : (i64, i64) -> i1
// CANON-LABEL: @fits

// -----

/// A guard in a kernel: it writes its slot of the flags, and a mark if it has one. Canonicalisation leaves it, since it
/// has an effect.
func.func @check(%ok: i1, %flags: memref<?xi32>, %block: index, %marks: memref<?xi8>) {
  guard.check %ok, %flags[0], zero_division, "division by zero" : memref<?xi32>
  guard.check %ok, %flags[12], bounds, "index out of range" : memref<?xi32>
  guard.check %ok, %flags[3] mark %block in %marks, domain, "math.sqrt() would raise" : memref<?xi32>
  guard.check %ok, %flags[4] mark %block in %marks stay, domain, "math.log() would raise" : memref<?xi32>
  func.return
}
// CHECK-LABEL: @check
// CHECK-SAME:    (%[[OK:.*]]: i1, %[[FLAGS:.*]]: memref<?xi32>, %[[BLOCK:.*]]: index, %[[MARKS:.*]]: memref<?xi8>)
// CHECK-NEXT:    guard.check %[[OK]], %[[FLAGS]][0], zero_division, "division by zero" : memref<?xi32>
// CHECK-NEXT:    guard.check %[[OK]], %[[FLAGS]][12], bounds, "index out of range" : memref<?xi32>
// CHECK-NEXT:    guard.check %[[OK]], %[[FLAGS]][3] mark %[[BLOCK]] in %[[MARKS]], domain, "math.sqrt() would raise" : memref<?xi32>
// CHECK-NEXT:    guard.check %[[OK]], %[[FLAGS]][4] mark %[[BLOCK]] in %[[MARKS]] stay, domain, "math.log() would raise" : memref<?xi32>
// GENERIC-LABEL: sym_name = "check"
// GENERIC:         "guard.check"(%{{.*}}, %{{.*}}) <{slot = 0 : i64, kind = #guard<kind zero_division>, reason = "division by zero", operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (i1, memref<?xi32>) -> ()
// CANON-LABEL: @check
// CANON-COUNT-4: guard.check

// -----

/// The guard of a negated comparison asks for the opposite one; of anything else that is negated it does not.
func.func @opposite(%a: i64, %b: i64, %x: f32, %c: i1) {
  %true = arith.constant true
  %less = arith.cmpi slt, %a, %b : i64
  %0 = arith.xori %less, %true : i1
  guard.require %0, domain, "the function raises an exception here"
  %below = arith.cmpf olt, %x, %x : f32
  %1 = arith.xori %below, %true : i1
  guard.require %1, branch, "this branch was never taken"
  %2 = arith.xori %c, %true : i1
  guard.require %2, branch, "this branch was never taken"
  func.return
}
// CHECK-LABEL: @opposite
// GENERIC-LABEL: sym_name = "opposite"
// CANON-LABEL: @opposite
// CANON-SAME:    (%[[A:.*]]: i64, %[[B:.*]]: i64, %[[X:.*]]: f32, %[[C:.*]]: i1)
// CANON:         %[[GE:.*]] = arith.cmpi sge, %[[A]], %[[B]] : i64
// CANON-NEXT:    guard.require %[[GE]], domain, "the function raises an exception here"
// CANON:         %[[UGE:.*]] = arith.cmpf uge, %[[X]], %[[X]] : f32
// CANON-NEXT:    guard.require %[[UGE]], branch, "this branch was never taken"
// CANON-NEXT:    %[[NOT:.*]] = arith.xori %[[C]], %{{.*}} : i1
// CANON-NEXT:    guard.require %[[NOT]], branch, "this branch was never taken"

// -----

/// What NumPy warns of, and what it does not.
func.func @warnings(%ok: i1) {
  %true = arith.constant true
  guard.warn %ok, "invalid value"
  guard.warn %true, "division by zero or overflow"
  func.return
}
// CHECK-LABEL: @warnings
// CHECK:         guard.warn %{{.*}}, "invalid value"
// CHECK-NEXT:    guard.warn %{{.*}}, "division by zero or overflow"
// GENERIC-LABEL: sym_name = "warnings"
// GENERIC:         "guard.warn"(%{{.*}}) <{reason = "invalid value"}> : (i1) -> ()
// CANON-LABEL: @warnings
// CANON-NEXT:    guard.warn %{{.*}}, "invalid value"
// CANON-NEXT:    func.return

// -----

/// A fact that compares with lengths: at most that of dimension 0 minus 1, and that of dimension 2 plus 3.
func.func @below(%i: i64) -> i64 {
  %0 = guard.fact %i in [0, 9] {below = array<i64: 0, -1, 2, 3>} : i64
  func.return %0 : i64
}
// CHECK-LABEL: @below
// CHECK-SAME:    (%[[I:.*]]: i64)
// CHECK-NEXT:    %{{.*}} = guard.fact %[[I]] in [0, 9] {below = array<i64: 0, -1, 2, 3>} : i64
// GENERIC-LABEL: sym_name = "below"
// CANON-LABEL: @below
