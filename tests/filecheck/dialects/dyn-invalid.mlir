// RUN: hetc-opt %s --split-input-file --verify-diagnostics | filecheck %s

/// Concatenation is not among the operators: it is an addition.
func.func @binary(%a: !dyn.object) {
  %0 = dyn.binary "concat" %a, %a
  func.return
}
// CHECK: unknown binary operator 'concat', expected one of add, sub, mul, matmul, truediv, floordiv, mod, pow, and, or, xor, lshift, rshift

// -----

func.func @unary(%a: !dyn.object) {
  %0 = dyn.unary "abs" %a
  func.return
}
// CHECK: unknown unary operator 'abs', expected one of neg, pos, invert, not

// -----

/// A comparison is named as in Python's data model.
func.func @compare(%a: !dyn.object) {
  %0 = dyn.compare "slt" %a, %a
  func.return
}
// CHECK: unknown comparison 'slt', expected one of lt, le, eq, ne, gt, ge, is, is_not

// -----

/// Operators are on objects, not on what the device computes with.
func.func @operand(%a: !dyn.object, %x: f32) {
  %0 = "dyn.binary"(%a, %x) <{operator = "add"}> : (!dyn.object, f32) -> !dyn.object
  func.return
}
// CHECK: operand 'right' at position 1 does not verify:

// -----

/// A literal is a number.
func.func @literal() {
  %0 = "dyn.const"() <{value = "text"}> : () -> !dyn.object
  func.return
}
// CHECK: Operation does not verify: Unexpected attribute "text"

// -----

/// A `dyn.yield` ends a loop or a nested function, nothing else.
func.func @yield() {
  "dyn.yield"() : () -> ()
}
// CHECK: 'dyn.yield' expects parent op to be one of 'dyn.for_range', 'dyn.for_each', 'dyn.lambda'

// -----

func.func @starred(%a: !dyn.object) {
  %0 = dyn.unpack %a star 1 : !dyn.object
  func.return
}
// CHECK: the starred result must be one of the results

// -----

func.func @attribute(%a: !dyn.object) {
  %0 = dyn.getattr %a "a b"
  func.return
}
// CHECK: 'a b' is not the name of an attribute

// -----

/// A function has one result.
func.func @nested() {
  %0 = dyn.lambda {
  ^bb0(%y: !dyn.object):
    dyn.yield
  }
  func.return
}
// CHECK: the body must yield the result of the function

// -----

/// The loops have one verifier.
func.func @for_each(%a: !dyn.object) {
  dyn.for_each %a {
    dyn.yield
  }
  func.return
}
// CHECK: the body must take the loop variable and the loop-carried values

// -----

func.func @loop_results(%a: !dyn.object, %t: i1) {
  %0 = "dyn.for_range"(%a, %a, %a, %a) ({
  ^bb0(%i: !dyn.object, %s: !dyn.object):
    dyn.yield %s : !dyn.object
  }) : (!dyn.object, !dyn.object, !dyn.object, !dyn.object) -> i1
  func.return
}
// CHECK: the results must have the types of the loop-carried values

// -----

/// The body lacks the loop variable.
func.func @loop_arguments(%a: !dyn.object) {
  %0 = dyn.for_range %a to %a step %a iter_args(%a : !dyn.object) -> !dyn.object {
  ^bb0(%s: !dyn.object):
    dyn.yield %s : !dyn.object
  }
  func.return
}
// CHECK: the body must take the loop variable and the loop-carried values

// -----

func.func @loop_yield(%a: !dyn.object) {
  %0 = dyn.for_range %a to %a step %a iter_args(%a : !dyn.object) -> !dyn.object {
  ^bb0(%i: !dyn.object, %s: !dyn.object):
    dyn.yield %s, %s : !dyn.object, !dyn.object
  }
  func.return
}
// CHECK: the body must yield the loop-carried values

// -----

/// The flag of an early exit is missing.
func.func @loop_flag(%a: !dyn.object) {
  %0 = dyn.for_range %a to %a step %a early_exit iter_args(%a : !dyn.object) -> !dyn.object {
  ^bb0(%i: !dyn.object, %s: !dyn.object):
    dyn.yield %s : !dyn.object
  }
  func.return
}
// CHECK: with early_exit the last loop-carried value must be an i1

// -----

/// With nothing carried there is no flag either.
func.func @loop_no_flag(%a: !dyn.object) {
  "dyn.for_range"(%a, %a, %a) <{early_exit}> ({
  ^bb0(%i: !dyn.object):
    dyn.yield
  }) : (!dyn.object, !dyn.object, !dyn.object) -> ()
  func.return
}
// CHECK: with early_exit the last loop-carried value must be an i1

// -----

/// A path that is left to Python says why with a code that messages have.
func.func @unknown_code() {
  dyn.leave "why" code "HETC9999"
  func.return
}
// CHECK: 'HETC9999' is no code of a diagnostic

// -----

/// Only arguments can be named.
func.func @keywords(%a: !dyn.object) {
  %0 = dyn.builtin "math.isclose"(%a) keywords ["rel_tol", "abs_tol"]
  func.return
}
// CHECK: there are more keywords than arguments

// -----

/// An object has a value for each of its fields.
func.func @fields(%a: !dyn.object) {
  %0 = dyn.new "made" @Point ["x", "y"](%a)
  func.return
}
// CHECK: an object has one value a field

// -----

func.func @kind(%a: !dyn.object) {
  %0 = dyn.new "lent" @Point ["x"](%a)
  func.return
}
// CHECK: unknown kind of object 'lent', expected one of made, given, each

// -----

func.func @refer(%a: !dyn.object) {
  %0 = dyn.refer %a @Point none whole
  func.return
}
// CHECK: there is no None among the objects of a table
