// RUN: hetc-opt %s --split-input-file -p check-floats | filecheck %s

/// A quotient that is not finite is told of, unless an operand is none already.
module attributes {guard.warns = "each"} {
func.func @quotient(%a: f64, %b: f64) -> f64 {
  %q = arith.divf %a, %b : f64
  func.return %q : f64
}
}
// CHECK-LABEL: @quotient
// CHECK-NEXT:    %[[Q:.*]] = arith.divf %[[A:.*]], %[[B:.*]] : f64
// CHECK-NEXT:    %[[SIZE:.*]] = math.absf %[[Q]] : f64
// CHECK-NEXT:    %[[LIMIT:.*]] = arith.constant 0x7ff0000000000000 : f64
// CHECK-NEXT:    %[[FINITE:.*]] = arith.cmpf olt, %[[SIZE]], %[[LIMIT]] : f64
// CHECK-NEXT:    math.absf
// CHECK-NEXT:    arith.constant
// CHECK-NEXT:    %[[KNOWN_A:.*]] = arith.cmpf olt
// CHECK-NEXT:    math.absf
// CHECK-NEXT:    arith.constant
// CHECK-NEXT:    %[[KNOWN_B:.*]] = arith.cmpf olt
// CHECK-NEXT:    %[[KNOWN:.*]] = arith.andi %[[KNOWN_A]], %[[KNOWN_B]] : i1
// CHECK-NEXT:    %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:    %[[NEW:.*]] = arith.xori %[[KNOWN]], %[[TRUE]] : i1
// CHECK-NEXT:    %[[OK:.*]] = arith.ori %[[FINITE]], %[[NEW]] : i1
// CHECK-NEXT:    guard.warn %[[OK]], "a NaN or an infinity is made of numbers"
// CHECK-NEXT:    func.return %[[Q]]

// -----

/// To find out whether there is anything, the result is enough. A constant is a number, and asked nothing of.
module attributes {guard.warns = "any"} {
func.func @whether(%a: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %y = arith.addf %a, %one : f32
  func.return %y : f32
}
}
// CHECK-LABEL: @whether
// CHECK:         arith.addf
// CHECK-NEXT:    math.absf
// CHECK-NEXT:    arith.constant
// CHECK-NEXT:    %[[FINITE:.*]] = arith.cmpf olt
// CHECK-NEXT:    guard.warn %[[FINITE]]
// CHECK-NEXT:    func.return

// -----

/// Both parts of a complex number; a conversion that may overflow; functions.
module attributes {guard.warns = "any"} {
func.func @others(%z: complex<f64>, %x: f64, %i: i64) -> (complex<f64>, f32, f64, f16) {
  %p = complex.mul %z, %z : complex<f64>
  %s = arith.truncf %x : f64 to f32
  %e = math.exp %x : f64
  %h = arith.sitofp %i : i64 to f16
  func.return %p, %s, %e, %h : complex<f64>, f32, f64, f16
}
}
// CHECK-LABEL: @others
// CHECK:         %[[P:.*]] = complex.mul
// CHECK-NEXT:    complex.re %[[P]]
// CHECK:         complex.im %[[P]]
// CHECK:         guard.warn
// CHECK-NEXT:    arith.truncf
// CHECK:         guard.warn
// CHECK-NEXT:    math.exp
// CHECK:         guard.warn
// CHECK-NEXT:    arith.sitofp
// CHECK:         guard.warn

// -----

/// What makes nothing new: choices, sizes, roundings, wider types. And what starts from an infinity that is written there.
module attributes {guard.warns = "each"} {
func.func @nothing(%a: f32, %c: i1, %i: i64) -> (f32, f64, f64, f32) {
  %infinity = arith.constant 0x7F800000 : f32
  %size = math.absf %a : f32
  %floor = math.floor %size : f32
  %y = arith.select %c, %floor, %infinity : f32
  %wide = arith.extf %y : f32 to f64
  %number = arith.sitofp %i : i64 to f64
  %z = arith.addf %a, %infinity : f32
  func.return %y, %wide, %number, %z : f32, f64, f64, f32
}
}
// CHECK-LABEL: @nothing
// CHECK-NOT:     guard.warn
// CHECK:         func.return

// -----

/// A module that looks for no warnings.
func.func @without(%a: f64) -> f64 {
  %y = arith.mulf %a, %a : f64
  func.return %y : f64
}
// CHECK-LABEL: @without
// CHECK-NEXT:    arith.mulf
// CHECK-NEXT:    func.return

// -----

/// A loop whose result is dropped yields nothing from now on; what the result was made of stays asked.
module attributes {guard.warns = "any"} {
func.func @terms(%n: !skel.sequence<i64>, %a: f64) -> tensor<?xf64> attributes {skel.entry, skel.dropped} {
  %t = skel.forall(%n) : (!skel.sequence<i64>) -> tensor<?xf64> {
  ^bb0(%i: i64):
    %y = arith.mulf %a, %a : f64
    skel.yield %y : f64
  }
  func.return %t : tensor<?xf64>
}
}
// CHECK-LABEL: @terms
// CHECK-SAME:    %{{.*}}: f64) attributes {skel.entry}
// CHECK-NEXT:    skel.forall(%{{.*}}) : (!skel.sequence<i64>) -> () {
// CHECK:           arith.mulf
// CHECK:           guard.warn
// CHECK-NEXT:      skel.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return

// -----

/// A loop whose result is wanted.
module attributes {guard.warns = "any"} {
func.func @wanted(%n: !skel.sequence<i64>, %a: f64) -> tensor<?xf64> attributes {skel.entry} {
  %t = skel.forall(%n) : (!skel.sequence<i64>) -> tensor<?xf64> {
  ^bb0(%i: i64):
    %y = arith.mulf %a, %a : f64
    skel.yield %y : f64
  }
  func.return %t : tensor<?xf64>
}
}
// CHECK-LABEL: @wanted
// CHECK:         %[[T:.*]] = skel.forall
// CHECK:           guard.warn
// CHECK-NEXT:      skel.yield %{{.*}} : f64
// CHECK:         func.return %[[T]]

// -----

/// In a reduction, the elements are looked at, and not what its operator makes of them.
module attributes {guard.warns = "any"} {
func.func @sum(%x: tensor<?xf64>) -> f64 {
  %init = arith.constant 0.0 : f64
  %s = skel.reduce(%x) init(%init : f64) : (tensor<?xf64>) -> f64 transform {
  ^bb0(%e: f64):
    %square = arith.mulf %e, %e : f64
    skel.yield %square : f64
  } combine {
  ^bb0(%p: f64, %q: f64):
    %t = arith.addf %p, %q : f64
    skel.yield %t : f64
  }
  func.return %s : f64
}
}
// CHECK-LABEL: @sum
// CHECK:         arith.mulf
// CHECK:         guard.warn
// CHECK:         combine
// CHECK:         arith.addf
// CHECK-NEXT:    skel.yield
