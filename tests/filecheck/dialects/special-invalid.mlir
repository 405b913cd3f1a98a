// RUN: hetc-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

/// Integers have no error function.
func.func @integer(%x: i64) {
  %0 = "special.erfc"(%x) : (i64) -> i64
  func.return
}
// CHECK: operand 'operand' at position 0 does not verify:

// -----

/// The result has the width of the operand.
func.func @width(%x: f64) {
  %0 = "special.erfc"(%x) : (f64) -> f32
  func.return
}
// CHECK: result 'result' at position 0 does not verify:
