// RUN: hetc-opt %s | hetc-opt --print-op-generic | hetc-opt | filecheck %s

/// Round trip, through the generic format too.
func.func @square(%bits: i32) -> i32 {
  %x = fixed.from_bits %bits : !fixed.number<16>
  %y = fixed.mul %x, %x : !fixed.number<16>
  %r = fixed.to_bits %y : !fixed.number<16>
  func.return %r : i32
}
// CHECK:      %[[X:.*]] = fixed.from_bits %{{.*}} : !fixed.number<16>
// CHECK-NEXT: %[[Y:.*]] = fixed.mul %[[X]], %[[X]] : !fixed.number<16>
// CHECK-NEXT: fixed.to_bits %[[Y]] : !fixed.number<16>
