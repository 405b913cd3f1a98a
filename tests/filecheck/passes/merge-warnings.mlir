// RUN: hetc-opt %s --split-input-file -p merge-warnings | filecheck %s

/// A logarithm is not finite if its argument is not; a quotient not if the dividend is not. So the quotient alone is
/// asked.
builtin.module attributes {guard.warns = "any"} {
  "gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (f32, f32, memref<?xi32>, index) -> (), kernel}> ({
  ^bb0(%x: f32, %d: f32, %y: memref<?xi32>, %at: index):
    %inf = arith.constant 0x7F800000 : f32
    %log = math.log %x : f32
    %size = math.absf %log : f32
    %finite = arith.cmpf olt, %size, %inf : f32
    guard.warn %finite, "something to warn of"
    %quotient = arith.divf %log, %d : f32
    %size_2 = math.absf %quotient : f32
    %finite_2 = arith.cmpf olt, %size_2, %inf : f32
    guard.warn %finite_2, "something to warn of"
    %bits = arith.bitcast %quotient : f32 to i32
    memref.store %bits, %y[%at] : memref<?xi32>
    "gpu.return"() : () -> ()
  }) {sym_name = "dividend"} : () -> ()
  }) : () -> ()
}
// CHECK:         %[[LOG:.*]] = math.log
// CHECK-NEXT:    %[[QUOTIENT:.*]] = arith.divf %[[LOG]], %
// CHECK-NEXT:    %[[SIZE:.*]] = math.absf %[[QUOTIENT]]
// CHECK-NEXT:    %[[FINITE:.*]] = arith.cmpf olt, %[[SIZE]], %
// CHECK-NEXT:    guard.warn %[[FINITE]]
// CHECK-NOT:     guard.warn %

// -----

/// A near miss: a quotient by an infinity is zero. Both are asked.
builtin.module attributes {guard.warns = "any"} {
  "gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (f32, f32, memref<?xi32>, index) -> (), kernel}> ({
  ^bb0(%x: f32, %d: f32, %y: memref<?xi32>, %at: index):
    %inf = arith.constant 0x7F800000 : f32
    %log = math.log %x : f32
    %size = math.absf %log : f32
    %finite = arith.cmpf olt, %size, %inf : f32
    guard.warn %finite, "something to warn of"
    %quotient = arith.divf %d, %log : f32
    %size_2 = math.absf %quotient : f32
    %finite_2 = arith.cmpf olt, %size_2, %inf : f32
    guard.warn %finite_2, "something to warn of"
    %bits = arith.bitcast %quotient : f32 to i32
    memref.store %bits, %y[%at] : memref<?xi32>
    "gpu.return"() : () -> ()
  }) {sym_name = "divisor"} : () -> ()
  }) : () -> ()
}
// CHECK:         guard.warn
// CHECK:         guard.warn
// CHECK:         sym_name = "divisor"

// -----

/// A root of something infinite, or NaN: a divisor of what its argument is added to will do. Of an exponential, zero may
/// come of an infinity, so both branches of what is stored tell of it, and the argument is asked apart.
builtin.module attributes {guard.warns = "any"} {
  "gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (f32, f32, memref<?xf32>, index) -> (), kernel}> ({
  ^bb0(%t: f32, %c: f32, %y: memref<?xf32>, %at: index):
    %inf = arith.constant 0x7F800000 : f32
    %zero = arith.constant 0.0 : f32
    %root = math.sqrt %t : f32
    %size = math.absf %root : f32
    %finite = arith.cmpf olt, %size, %inf : f32
    guard.warn %finite, "something to warn of"
    %sum = arith.addf %t, %c : f32
    %quotient = arith.divf %sum, %root : f32
    %size_2 = math.absf %quotient : f32
    %finite_2 = arith.cmpf olt, %size_2, %inf : f32
    guard.warn %finite_2, "something to warn of"
    %exp = math.exp %quotient : f32
    %size_3 = math.absf %exp : f32
    %finite_3 = arith.cmpf olt, %size_3, %inf : f32
    guard.warn %finite_3, "something to warn of"
    %exp_2 = math.exp %c : f32
    %size_4 = math.absf %exp_2 : f32
    %finite_4 = arith.cmpf olt, %size_4, %inf : f32
    guard.warn %finite_4, "something to warn of"
    %positive = arith.cmpf ogt, %c, %zero : f32
    %either = scf.if %positive -> (f32) {
      %other = arith.subf %c, %exp : f32
      scf.yield %other : f32
    } else {
      scf.yield %exp : f32
    }
    %product = arith.mulf %either, %exp_2 : f32
    memref.store %product, %y[%at] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "prices"} : () -> ()
  }) : () -> ()
}
// CHECK:         %[[QUOTIENT:.*]] = arith.divf
// CHECK-NEXT:    %[[SIZE:.*]] = math.absf %[[QUOTIENT]]
// CHECK-NEXT:    %[[FINITE:.*]] = arith.cmpf olt, %[[SIZE]]
// CHECK-NEXT:    guard.warn %[[FINITE]]
// CHECK-NOT:     guard.warn %
// CHECK:         %[[PRODUCT:.*]] = arith.mulf
// CHECK-NEXT:    %[[SIZE_2:.*]] = math.absf %[[PRODUCT]]
// CHECK:         %[[FINITE_2:.*]] = arith.cmpf olt, %[[SIZE_2]]
// CHECK-NEXT:    guard.warn %[[FINITE_2]]
// CHECK-NEXT:    memref.store %[[PRODUCT]]

// -----

/// In a loop a sum remembers it: a term that is not finite makes it so, and it stays so. A carried value that forgets does
/// not, nor does a question in each round leave a loop whose result is something else.
builtin.module attributes {guard.warns = "any"} {
  "gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (i32, f32, memref<?xf32>, index) -> (), kernel}> ({
  ^bb0(%n: i32, %x: f32, %y: memref<?xf32>, %at: index):
    %inf = arith.constant 0x7F800000 : f32
    %one = arith.constant 1.0 : f32
    %first = arith.constant 0 : i32
    %step = arith.constant 1 : i32
    %sum = scf.for %k = %first to %n step %step iter_args(%so_far = %x) -> (f32) : i32 {
      %number = arith.sitofp %k : i32 to f32
      %quotient = arith.divf %one, %number : f32
      %size = math.absf %quotient : f32
      %finite = arith.cmpf olt, %size, %inf : f32
      guard.warn %finite, "something to warn of"
      %product = arith.mulf %quotient, %x : f32
      %next = arith.addf %so_far, %product : f32
      scf.yield %next : f32
    }
    %last = scf.for %k = %first to %n step %step iter_args(%so_far = %x) -> (f32) : i32 {
      %number = arith.sitofp %k : i32 to f32
      %quotient = arith.divf %one, %number : f32
      %size = math.absf %quotient : f32
      %finite = arith.cmpf olt, %size, %inf : f32
      guard.warn %finite, "something to warn of"
      scf.yield %quotient : f32
    }
    %both = arith.addf %sum, %last : f32
    memref.store %sum, %y[%at] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "sums"} : () -> ()
  }) : () -> ()
}
// CHECK:         %[[SUM:.*]] = scf.for
// CHECK-NOT:       guard.warn %
// CHECK:           scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[SIZE:.*]] = math.absf %[[SUM]]
// CHECK:         %[[FINITE:.*]] = arith.cmpf olt, %[[SIZE]]
// CHECK-NEXT:    guard.warn %[[FINITE]]
// CHECK:         scf.for
// CHECK:           guard.warn
// CHECK-NEXT:      scf.yield

// -----

/// What is asked in a branch is asked there, where the number behind it is asked only on the other side.
builtin.module attributes {guard.warns = "any"} {
  "gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (f32, i1, memref<?xi32>, index) -> (), kernel}> ({
  ^bb0(%x: f32, %c: i1, %y: memref<?xi32>, %at: index):
    %inf = arith.constant 0x7F800000 : f32
    %log = math.log %x : f32
    %twice = arith.addf %log, %log : f32
    scf.if %c {
      %size = math.absf %log : f32
      %finite = arith.cmpf olt, %size, %inf : f32
      guard.warn %finite, "something to warn of"
    } else {
      %size = math.absf %twice : f32
      %finite = arith.cmpf olt, %size, %inf : f32
      guard.warn %finite, "something to warn of"
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "sides"} : () -> ()
  }) : () -> ()
}
// CHECK:         scf.if
// CHECK:           guard.warn
// CHECK:         } else {
// CHECK:           guard.warn

// -----

/// Where it is to be found out where NumPy warns, each is asked.
builtin.module attributes {guard.warns = "each"} {
  "gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (f32, memref<?xf32>, index) -> (), kernel}> ({
  ^bb0(%x: f32, %y: memref<?xf32>, %at: index):
    %inf = arith.constant 0x7F800000 : f32
    %log = math.log %x : f32
    %size = math.absf %log : f32
    %finite = arith.cmpf olt, %size, %inf : f32
    guard.warn %finite, "division by zero"
    %log_2 = math.log %log : f32
    %size_2 = math.absf %log_2 : f32
    %finite_2 = arith.cmpf olt, %size_2, %inf : f32
    guard.warn %finite_2, "division by zero"
    "gpu.return"() : () -> ()
  }) {sym_name = "each"} : () -> ()
  }) : () -> ()
}
// CHECK:         guard.warn
// CHECK:         guard.warn
