# RUN: hetc-opt %s:everything --args "f32[?]" --no-locations | filecheck %s

import math
from math import sqrt as root

import numpy as np

import hetc

limit = 7
table = np.zeros(5)
matrix = np.zeros((2, 3), np.int32)


## Captured variables that some function reads are declared: constants of modules too.
# CHECK:      skel.capture @limit : !dyn.int {bounds = array<i64: 1, 2147483647>}
# CHECK-NEXT: skel.capture @math_pi : !dyn.float
# CHECK-NEXT: skel.capture @table : tensor<?xf64> {dims = array<i64: 1>}
# CHECK-NEXT: skel.capture @matrix : tensor<?x?xsi32> {dims = array<i64: 2, 3>}


## Python's precedence and order of evaluation; a negative literal is one number, as a negation is an operator.
def operators(x):
    return -((x + 1) ** 2) // 3 % -4 & 5


# CHECK-LABEL: func.func private @operators
# CHECK-SAME:    (%[[X:.*]]: !dyn.object) -> !dyn.object
# CHECK-NEXT:    %[[ONE:.*]] = dyn.const 1 : i64
# CHECK-NEXT:    %[[SUM:.*]] = dyn.binary "add" %[[X]], %[[ONE]]
# CHECK-NEXT:    %[[TWO:.*]] = dyn.const 2 : i64
# CHECK-NEXT:    %[[POW:.*]] = dyn.binary "pow" %[[SUM]], %[[TWO]]
# CHECK-NEXT:    %[[NEG:.*]] = dyn.unary "neg" %[[POW]]
# CHECK-NEXT:    %[[THREE:.*]] = dyn.const 3 : i64
# CHECK-NEXT:    %[[DIV:.*]] = dyn.binary "floordiv" %[[NEG]], %[[THREE]]
# CHECK-NEXT:    %[[FOUR:.*]] = dyn.const -4 : i64
# CHECK-NEXT:    %[[MOD:.*]] = dyn.binary "mod" %[[DIV]], %[[FOUR]]
# CHECK-NEXT:    %[[FIVE:.*]] = dyn.const 5 : i64
# CHECK-NEXT:    %[[AND:.*]] = dyn.binary "and" %[[MOD]], %[[FIVE]]
# CHECK-NEXT:    func.return %[[AND]]


## In a chain each operand is evaluated once, and the rest only if the comparisons before it are true.
def comparisons(x):
    return x < 1 <= 2.5


# CHECK-LABEL: func.func private @comparisons
# CHECK-SAME:    (%[[X:.*]]: !dyn.object)
# CHECK-NEXT:    %[[ONE:.*]] = dyn.const 1 : i64
# CHECK-NEXT:    %[[LT:.*]] = dyn.compare "lt" %[[X]], %[[ONE]]
# CHECK-NEXT:    %[[T:.*]] = dyn.truth %[[LT]]
# CHECK-NEXT:    %[[R:.*]] = scf.if %[[T]] -> (!dyn.object) {
# CHECK-NEXT:      %[[C:.*]] = dyn.const 2.5{{.*}} : f64
# CHECK-NEXT:      %[[LE:.*]] = dyn.compare "le" %[[ONE]], %[[C]]
# CHECK-NEXT:      scf.yield %[[LE]] : !dyn.object
# CHECK-NEXT:    } else {
# CHECK-NEXT:      scf.yield %[[LT]] : !dyn.object
# CHECK-NEXT:    }
# CHECK-NEXT:    func.return %[[R]]


## Where only the truth matters, `and` makes no object.
def tests(x):
    return 1 if x and x > 2 else 0


# CHECK-LABEL: func.func private @tests
# CHECK-SAME:    (%[[X:.*]]: !dyn.object)
# CHECK-NEXT:    %[[T:.*]] = dyn.truth %[[X]]
# CHECK-NEXT:    %[[B:.*]] = scf.if %[[T]] -> (i1) {
# CHECK-NEXT:      %[[TWO:.*]] = dyn.const 2 : i64
# CHECK-NEXT:      %[[GT:.*]] = dyn.compare "gt" %[[X]], %[[TWO]]
# CHECK-NEXT:      %[[U:.*]] = dyn.truth %[[GT]]
# CHECK-NEXT:      scf.yield %[[U]] : i1
# CHECK-NEXT:    } else {
# CHECK-NEXT:      scf.yield %[[T]] : i1
# CHECK-NEXT:    }
# CHECK-NEXT:    %[[R:.*]] = scf.if %[[B]] -> (!dyn.object) {
# CHECK-NEXT:      %[[YES:.*]] = dyn.const 1 : i64
# CHECK-NEXT:      scf.yield %[[YES]] : !dyn.object
# CHECK-NEXT:    } else {
# CHECK-NEXT:      %[[NO:.*]] = dyn.const 0 : i64
# CHECK-NEXT:      scf.yield %[[NO]] : !dyn.object
# CHECK-NEXT:    }
# CHECK-NEXT:    func.return %[[R]]


## As values, `and` and `or` give one of their operands.
def values(x):
    return x and 1 or 2


# CHECK-LABEL: func.func private @values
# CHECK-SAME:    (%[[X:.*]]: !dyn.object)
# CHECK-NEXT:    %[[T:.*]] = dyn.truth %[[X]]
# CHECK-NEXT:    %[[A:.*]] = scf.if %[[T]] -> (!dyn.object) {
# CHECK-NEXT:      %[[ONE:.*]] = dyn.const 1 : i64
# CHECK-NEXT:      scf.yield %[[ONE]] : !dyn.object
# CHECK-NEXT:    } else {
# CHECK-NEXT:      scf.yield %[[X]] : !dyn.object
# CHECK-NEXT:    }
# CHECK-NEXT:    %[[U:.*]] = dyn.truth %[[A]]
# CHECK-NEXT:    %[[O:.*]] = scf.if %[[U]] -> (!dyn.object) {
# CHECK-NEXT:      scf.yield %[[A]] : !dyn.object
# CHECK-NEXT:    } else {
# CHECK-NEXT:      %[[TWO:.*]] = dyn.const 2 : i64
# CHECK-NEXT:      scf.yield %[[TWO]] : !dyn.object
# CHECK-NEXT:    }
# CHECK-NEXT:    func.return %[[O]]


def helper(a, b=2, *, c=3.5):
    return a


## Arguments are bound to parameters, defaults filled in; known functions are recognised under any name.
def calls(x):
    return helper(x, c=x), helper(b=1, a=x), root(math.fabs(x)), max(x, limit), np.float64(x), math.pi


# CHECK-LABEL: func.func private @calls
# CHECK-SAME:    (%[[X:.*]]: !dyn.object)
# CHECK-NEXT:    %[[TWO:.*]] = dyn.const 2 : i64
# CHECK-NEXT:    %[[R0:.*]] = dyn.call @helper(%[[X]], %[[TWO]], %[[X]])
# CHECK-NEXT:    %[[ONE:.*]] = dyn.const 1 : i64
# CHECK-NEXT:    %[[C:.*]] = dyn.const 3.5{{.*}} : f64
# CHECK-NEXT:    %[[R1:.*]] = dyn.call @helper(%[[X]], %[[ONE]], %[[C]])
# CHECK-NEXT:    %[[ABS:.*]] = dyn.builtin "math.fabs"(%[[X]])
# CHECK-NEXT:    %[[R2:.*]] = dyn.builtin "math.sqrt"(%[[ABS]])
# CHECK-NEXT:    %[[LIMIT:.*]] = dyn.global @limit
# CHECK-NEXT:    %[[R3:.*]] = dyn.builtin "max"(%[[X]], %[[LIMIT]])
# CHECK-NEXT:    %[[R4:.*]] = dyn.builtin "np.float64"(%[[X]])
# CHECK-NEXT:    %[[R5:.*]] = dyn.global @math_pi
# CHECK-NEXT:    dyn.build_tuple(%[[R0]], %[[R1]], %[[R2]], %[[R3]], %[[R4]], %[[R5]])
# CHECK-LABEL: func.func private @helper(%a: !dyn.object, %b: !dyn.object, %c: !dyn.object)


## Tuples are built and unpacked, nested ones too; captured arrays are indexed, and tell their size.
def containers(i):
    a, (b, c) = i, (1, i)
    return table[i], matrix[i, 1], matrix[a][b], table.shape[0], len(table), c


# CHECK-LABEL: func.func private @containers
# CHECK-SAME:    (%[[I:.*]]: !dyn.object)
# CHECK-NEXT:    %[[ONE:.*]] = dyn.const 1 : i64
# CHECK-NEXT:    %[[INNER:.*]] = dyn.build_tuple(%[[ONE]], %[[I]])
# CHECK-NEXT:    %[[OUTER:.*]] = dyn.build_tuple(%[[I]], %[[INNER]])
# CHECK-NEXT:    %[[A:.*]], %[[REST:.*]] = dyn.unpack %[[OUTER]] : !dyn.object, !dyn.object
# CHECK-NEXT:    %[[B:.*]], %[[C:.*]] = dyn.unpack %[[REST]] : !dyn.object, !dyn.object
# CHECK-NEXT:    %[[TABLE:.*]] = dyn.global @table
# CHECK-NEXT:    %[[R0:.*]] = dyn.getitem %[[TABLE]][%[[I]]]
# CHECK-NEXT:    %[[MATRIX:.*]] = dyn.global @matrix
# CHECK-NEXT:    %[[K:.*]] = dyn.const 1 : i64
# CHECK-NEXT:    %[[R1:.*]] = dyn.getitem %[[MATRIX]][%[[I]], %[[K]]]
# CHECK-NEXT:    %[[AGAIN:.*]] = dyn.global @matrix
# CHECK-NEXT:    %[[ROW:.*]] = dyn.getitem %[[AGAIN]][%[[A]]]
# CHECK-NEXT:    %[[R2:.*]] = dyn.getitem %[[ROW]][%[[B]]]
# CHECK-NEXT:    %[[T:.*]] = dyn.global @table
# CHECK-NEXT:    %[[SHAPE:.*]] = dyn.shape %[[T]]
# CHECK-NEXT:    %[[ZERO:.*]] = dyn.const 0 : i64
# CHECK-NEXT:    %[[R3:.*]] = dyn.getitem %[[SHAPE]][%[[ZERO]]]
# CHECK-NEXT:    %[[U:.*]] = dyn.global @table
# CHECK-NEXT:    %[[R4:.*]] = dyn.builtin "len"(%[[U]])
# CHECK-NEXT:    dyn.build_tuple(%[[R0]], %[[R1]], %[[R2]], %[[R3]], %[[R4]], %[[C]])


everything = hetc.map(operators).map(comparisons).map(tests).map(values).map(calls).map(containers)
