// RUN: hetc-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

/// Kinds are words that hetc knows.
func.func @kind(%ok: i1) {
  guard.require %ok, weather, "it does not rain"
  func.return
}
// CHECK: Expected `type`, `none`, `overflow`, `zero_division`, `bounds`, `domain`, `branch`, `value`, `sign`, `warning`, or `alloc`.

// -----

/// A condition is a truth value of the device.
func.func @condition(%ok: i32) {
  "guard.require"(%ok) <{kind = #guard<kind bounds>, reason = ""}> : (i32) -> ()
  func.return
}
// CHECK: operand 'condition' at position 0 does not verify:
// CHECK-NEXT: Expected attribute i1 but got i32

// -----

/// No value lies between 1 and 0.
func.func @interval(%i: i64) {
  %0 = guard.fact %i in [1, 0] : i64
  func.return
}
// CHECK: the interval is empty: low is above high

// -----

/// Facts are about integers.
func.func @fact_of_float(%x: f32) {
  %0 = "guard.fact"(%x) <{low = 0 : i64, high = 1 : i64}> : (f32) -> f32
  func.return
}
// CHECK: operand 'operand' at position 0 does not verify:

// -----

/// A fact gives its operand back.
func.func @fact_type(%i: i64) {
  %0 = "guard.fact"(%i) <{low = 0 : i64, high = 1 : i64}> : (i64) -> i32
  func.return
}
// CHECK: result 'result' at position 0 does not verify:

// -----

/// A quotient always fits, but for one case that has a guard of its own.
func.func @fits(%i: i64) {
  %0 = guard.fits "div" %i, %i : i64
  func.return
}
// CHECK: unknown operator 'div', expected add, sub or mul

// -----

func.func @slot(%ok: i1, %flags: memref<?xi32>) {
  guard.check %ok, %flags[-1], bounds, "index out of range" : memref<?xi32>
  func.return
}
// CHECK: a slot counts from 0

// -----

func.func @mark(%ok: i1, %flags: memref<?xi32>, %block: index) {
  "guard.check"(%ok, %flags, %block) <{slot = 0 : i64, kind = #guard<kind bounds>, reason = "", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (i1, memref<?xi32>, index) -> ()
  func.return
}
// CHECK: a mark needs the buffer that it is set in

// -----

func.func @not_left_to_python(%ok: i1) {
  guard.require %ok, warning, "invalid value"
  func.return
}
// CHECK: what NumPy warns of leaves nothing to Python: use guard.warn

// -----

func.func @below(%i: i64) {
  %0 = guard.fact %i in [0, 1] {below = array<i64: 0>} : i64
  func.return
}
// CHECK: below lists pairs of a dimension and a constant
