# RUN: hetc-opt %s:everything --args "f32[?]" --no-locations | filecheck %s
# RUN: hetc-opt %s:everything --args "f32[?]" | filecheck %s --check-prefix PLACE

import math as mathematics

import hetc

gain = 2.0


def scaled_by(gain):
    return lambda x: x * gain


def shifted(x):
    return x + gain


def power(n):
    def inner(x, exponent=n):
        return x**exponent

    return inner


class Namespace:
    half = staticmethod(lambda x: x / 2)


## Two lambdas on one line are told apart.
double, negate = lambda x: x + x, lambda x: -x

everything = (
    hetc.map(double)
    .map(negate)
    .map(scaled_by(3.0))
    .map(scaled_by(4.0))
    .map(shifted)
    .map(power(3))
    .map(mathematics.sqrt)
    .map(Namespace.half)
    .map(double)
)

## Two closure variables and a global of one name are three variables.
# CHECK:      skel.capture @gain : !dyn.float
# CHECK-NEXT: skel.capture @gain_1 : !dyn.float
# CHECK-NEXT: skel.capture @gain_2 : !dyn.float

## One skeleton a stage; the element has the parameter's name. A parameter that the element does not give takes its
## default. A function that is used twice is in the module once.
# CHECK-LABEL: func.func @everything
# CHECK-SAME:    skel.entry, skel.container = "ndarray"
# CHECK:         ^{{.*}}(%x: !dyn.object):
# CHECK-NEXT:      %[[R:.*]] = dyn.call @lambda(%x)
# CHECK-NEXT:      skel.yield %[[R]] : !dyn.object
# CHECK:         dyn.call @lambda_1(
# CHECK:         dyn.call @lambda_2(
# CHECK:         dyn.call @lambda_3(
# CHECK:         dyn.call @shifted(
# CHECK:         %[[THREE:.*]] = dyn.const 3 : i64
# CHECK-NEXT:    dyn.call @inner(%{{.*}}, %[[THREE]])
# CHECK:         dyn.builtin "math.sqrt"(
# CHECK:         dyn.call @lambda_4(
# CHECK:         dyn.call @lambda(
# CHECK-LABEL: func.func private @lambda(
# CHECK-NEXT:    dyn.binary "add"
# CHECK-LABEL: func.func private @lambda_1(
# CHECK-NEXT:    dyn.unary "neg"
# CHECK-LABEL: func.func private @lambda_2(
# CHECK-NEXT:    dyn.global @gain
# CHECK-LABEL: func.func private @lambda_3(
# CHECK-NEXT:    dyn.global @gain_1
# CHECK-LABEL: func.func private @shifted(
# CHECK-NEXT:    dyn.global @gain_2
# CHECK-LABEL: func.func private @inner(%x: !dyn.object, %exponent: !dyn.object)
# CHECK-LABEL: func.func private @lambda_4(
# CHECK:         dyn.binary "truediv"
# CHECK-NOT:   func.func

## Each op has the place of its expression: line and column, counted from 1.
# PLACE-LABEL: func.func private @lambda(
# PLACE:         dyn.binary "add" %{{.*}}, %{{.*}} loc("{{.*}}functions.py":31:28)
# PLACE:         func.return %{{.*}} : !dyn.object loc("{{.*}}functions.py":31:28)
# PLACE:       } loc("{{.*}}functions.py":31:18)
# PLACE-LABEL: func.func private @lambda_1(
# PLACE:         dyn.unary "neg" %{{.*}} loc("{{.*}}functions.py":31:45)
# PLACE-LABEL: func.func private @inner(
# PLACE:         dyn.binary "pow" %{{.*}}, %{{.*}} loc("{{.*}}functions.py":21:16)
# PLACE:       } loc("{{.*}}functions.py":20:5)
