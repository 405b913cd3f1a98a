// RUN: hetc-opt %s --split-input-file -p lower-fixed | filecheck %s

/// A product in 64 bits, that saturates.
func.func @mul(%a: i32, %b: i32) -> i32 {
  %x = fixed.from_bits %a : !fixed.number<16>
  %y = fixed.from_bits %b : !fixed.number<16>
  %z = fixed.mul %x, %y : !fixed.number<16>
  %r = fixed.to_bits %z : !fixed.number<16>
  func.return %r : i32
}
// CHECK-LABEL: @mul
// CHECK-SAME:    (%[[A:.*]]: i32, %[[B:.*]]: i32)
// CHECK-NEXT:    %[[L:.*]] = arith.extsi %[[A]] : i32 to i64
// CHECK-NEXT:    %[[R:.*]] = arith.extsi %[[B]] : i32 to i64
// CHECK-DAG:     %[[F:.*]] = arith.constant 16 : i64
// CHECK-DAG:     %[[HIGH:.*]] = arith.constant 2147483647 : i64
// CHECK-DAG:     %[[LOW:.*]] = arith.constant -2147483648 : i64
// CHECK:         %[[P:.*]] = arith.muli %[[L]], %[[R]] : i64
// CHECK-NEXT:    %[[S:.*]] = arith.shrsi %[[P]], %[[F]] : i64
// CHECK-NEXT:    %[[N:.*]] = arith.minsi %[[S]], %[[HIGH]] : i64
// CHECK-NEXT:    %[[M:.*]] = arith.maxsi %[[N]], %[[LOW]] : i64
// CHECK-NEXT:    %[[T:.*]] = arith.trunci %[[M]] : i64 to i32
// CHECK-NEXT:    func.return %[[T]] : i32

// -----

/// Numbers in control flow and in the types of functions become integers, too.
func.func @choose(%c: i1, %x: !fixed.number<8>, %y: !fixed.number<8>) -> !fixed.number<8> {
  %z = scf.if %c -> (!fixed.number<8>) {
    scf.yield %x : !fixed.number<8>
  } else {
    scf.yield %y : !fixed.number<8>
  }
  func.return %z : !fixed.number<8>
}
// CHECK-LABEL: @choose
// CHECK-SAME:    (%{{.*}}: i1, %{{.*}}: i32, %{{.*}}: i32) -> i32
// CHECK:         scf.if %{{.*}} -> (i32)
// CHECK-NOT:     fixed
