// RUN: hetc-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

/// No 32-bit number has so many bits after the point.
func.func @fraction(%x: !fixed.number<32>) {
  func.return
}
// CHECK: a fixed-point number has between 0 and 31 bits after the point

// -----

/// Numbers of two kinds.
func.func @kinds(%x: !fixed.number<8>, %y: !fixed.number<16>) {
  %z = fixed.mul %x, %y : !fixed.number<8>
  func.return
}
// CHECK: operand is used with type !fixed.number<8>
