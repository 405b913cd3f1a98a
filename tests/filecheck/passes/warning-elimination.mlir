// RUN: hetc-opt %s --split-input-file -p warning-elimination | filecheck %s

/// A quotient by at least one is no larger than the dividend. Either may be infinite, not both; any may be NaN.
func.func @quotients(%a: f32, %i: i64) -> (f32, f32) {
  %infinity = arith.constant 0x7F800000 : f32
  %one = arith.constant 1.0 : f32
  %k = guard.fact %i in [1, 1000] : i64
  %b = arith.sitofp %k : i64 to f32
  %q = arith.divf %a, %b : f32
  %size = math.absf %q : f32
  %finite = arith.cmpf olt, %size, %infinity : f32
  guard.warn %finite, "quotient"
  %large = math.absf %a : f32
  %c = arith.addf %one, %large : f32
  %r = arith.divf %one, %c : f32
  %size2 = math.absf %r : f32
  %finite2 = arith.cmpf olt, %size2, %infinity : f32
  guard.warn %finite2, "reciprocal"
  func.return %q, %r : f32, f32
}
// CHECK-LABEL: @quotients
// CHECK-NOT:     guard.warn
// CHECK:         func.return

// -----

/// Functions of what they are defined for.
func.func @functions(%a: f64, %i: i64) -> (f64, f64, f64) {
  %infinity = arith.constant 0x7FF0000000000000 : f64
  %size = math.absf %a : f64
  %root = math.sqrt %size : f64
  %x = math.absf %root : f64
  %f0 = arith.cmpf olt, %x, %infinity : f64
  guard.warn %f0, "root"
  %k = guard.fact %i in [1, 700] : i64
  %b = arith.sitofp %k : i64 to f64
  %exp = math.exp %b : f64
  %y = math.absf %exp : f64
  %f1 = arith.cmpf olt, %y, %infinity : f64
  guard.warn %f1, "exponential"
  %sine = math.sin %b : f64
  %z = math.absf %sine : f64
  %f2 = arith.cmpf olt, %z, %infinity : f64
  guard.warn %f2, "sine"
  func.return %root, %exp, %sine : f64, f64, f64
}
// CHECK-LABEL: @functions
// CHECK-NOT:     guard.warn
// CHECK:         func.return

// -----

/// Near misses: a divisor below one; both infinite; an exponential that overflows; a sum, whose overflow is one.
func.func @may_warn(%a: f32, %b: f32, %i: i64) -> (f32, f32, f32, f32) {
  %infinity = arith.constant 0x7F800000 : f32
  %one = arith.constant 1.0 : f32
  %k = guard.fact %i in [0, 1000] : i64
  %d = arith.sitofp %k : i64 to f32
  %q = arith.divf %one, %d : f32
  %size = math.absf %q : f32
  %finite = arith.cmpf olt, %size, %infinity : f32
  guard.warn %finite, "by zero"
  %large = math.absf %b : f32
  %c = arith.addf %one, %large : f32
  %r = arith.divf %a, %c : f32
  %size2 = math.absf %r : f32
  %finite2 = arith.cmpf olt, %size2, %infinity : f32
  guard.warn %finite2, "both infinite"
  %e = math.exp %d : f32
  %size3 = math.absf %e : f32
  %finite3 = arith.cmpf olt, %size3, %infinity : f32
  guard.warn %finite3, "overflow"
  %s = arith.addf %a, %b : f32
  %size4 = math.absf %s : f32
  %finite4 = arith.cmpf olt, %size4, %infinity : f32
  guard.warn %finite4, "sum"
  func.return %q, %r, %e, %s : f32, f32, f32, f32
}
// CHECK-LABEL: @may_warn
// CHECK:         guard.warn %{{.*}}, "by zero"
// CHECK:         guard.warn %{{.*}}, "both infinite"
// CHECK:         guard.warn %{{.*}}, "overflow"
// CHECK:         guard.warn %{{.*}}, "sum"
