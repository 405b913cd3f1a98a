# RUN: hetc-opt %s:everything --args "f32[?]" --no-locations | filecheck %s

import numpy as np

import hetc

first, second = np.zeros(3), np.zeros(4)


## A join carries the variables that a branch assigns and that are read later: y, but not z.
def join(x):
    y = 0
    if x > 1:
        y = 1
    elif x:
        z = 5
        y = z
    return y


# CHECK-LABEL: func.func private @join
# CHECK-SAME:    (%[[X:.*]]: !dyn.object)
# CHECK-NEXT:    %[[Y:.*]] = dyn.const 0 : i64
# CHECK:         %[[R:.*]] = scf.if %{{.*}} -> (!dyn.object) {
# CHECK-NEXT:      %[[ONE:.*]] = dyn.const 1 : i64
# CHECK-NEXT:      scf.yield %[[ONE]] : !dyn.object
# CHECK-NEXT:    } else {
# CHECK-NEXT:      %[[T:.*]] = dyn.truth %[[X]]
# CHECK-NEXT:      %[[E:.*]] = scf.if %[[T]] -> (!dyn.object) {
# CHECK-NEXT:        %[[Z:.*]] = dyn.const 5 : i64
# CHECK-NEXT:        scf.yield %[[Z]] : !dyn.object
# CHECK-NEXT:      } else {
# CHECK-NEXT:        scf.yield %[[Y]] : !dyn.object
# CHECK-NEXT:      }
# CHECK-NEXT:      scf.yield %[[E]] : !dyn.object
# CHECK-NEXT:    }
# CHECK-NEXT:    func.return %[[R]]


## After a branch that may return, what follows is in the branch that goes on: no flag is tested.
def early(x):
    if x > 1:
        return 1
    y = -x
    return y


# CHECK-LABEL: func.func private @early
# CHECK-SAME:    (%[[X:.*]]: !dyn.object)
# CHECK:         %[[R:.*]] = scf.if %{{.*}} -> (!dyn.object) {
# CHECK-NEXT:      %[[ONE:.*]] = dyn.const 1 : i64
# CHECK-NEXT:      scf.yield %[[ONE]] : !dyn.object
# CHECK-NEXT:    } else {
# CHECK-NEXT:      %[[Y:.*]] = dyn.unary "neg" %[[X]]
# CHECK-NEXT:      scf.yield %[[Y]] : !dyn.object
# CHECK-NEXT:    }
# CHECK-NEXT:    func.return %[[R]]


## A variable that one branch does not assign has no value there.
def unbound(x):
    if x > 1:
        y = x
    return y


# CHECK-LABEL: func.func private @unbound
# CHECK-SAME:    (%[[X:.*]]: !dyn.object)
# CHECK:         scf.if
# CHECK-NEXT:      scf.yield %[[X]] : !dyn.object
# CHECK-NEXT:    } else {
# CHECK-NEXT:      %[[U:.*]] = dyn.unbound "y"
# CHECK-NEXT:      scf.yield %[[U]] : !dyn.object


## A `while` loop carries what it assigns and reads again; parameters are variables like others.
def count(x):
    n = 0
    while x > 1:
        x = x / 2
        n += 1
    return n


# CHECK-LABEL: func.func private @count
# CHECK-SAME:    (%[[X:.*]]: !dyn.object)
# CHECK-NEXT:    %[[N:.*]] = dyn.const 0 : i64
# CHECK-NEXT:    %[[R:.*]], %{{.*}} = scf.while (%[[A:.*]] = %[[N]], %[[B:.*]] = %[[X]]) : (!dyn.object, !dyn.object) -> (!dyn.object, !dyn.object) {
# CHECK-NEXT:      %[[ONE:.*]] = dyn.const 1 : i64
# CHECK-NEXT:      %[[GT:.*]] = dyn.compare "gt" %[[B]], %[[ONE]]
# CHECK-NEXT:      %[[T:.*]] = dyn.truth %[[GT]]
# CHECK-NEXT:      scf.condition(%[[T]]) %[[A]], %[[B]] : !dyn.object, !dyn.object
# CHECK-NEXT:    } do {
# CHECK-NEXT:    ^{{.*}}(%[[C:.*]]: !dyn.object, %[[D:.*]]: !dyn.object):
# CHECK-NEXT:      %[[TWO:.*]] = dyn.const 2 : i64
# CHECK-NEXT:      %[[HALF:.*]] = dyn.binary "truediv" %[[D]], %[[TWO]]
# CHECK-NEXT:      %[[STEP:.*]] = dyn.const 1 : i64
# CHECK-NEXT:      %[[NEXT:.*]] = dyn.binary "add" %[[C]], %[[STEP]]
# CHECK-NEXT:      scf.yield %[[NEXT]], %[[HALF]] : !dyn.object, !dyn.object
# CHECK-NEXT:    }
# CHECK-NEXT:    func.return %[[R]]


## A `for` loop over a range: start 0 and step 1 are filled in; the loop variable is not carried where nobody reads it.
def total(n):
    s = 0
    for i in range(n):
        s += i
    return s


# CHECK-LABEL: func.func private @total
# CHECK-SAME:    (%[[N:.*]]: !dyn.object)
# CHECK-NEXT:    %[[S:.*]] = dyn.const 0 : i64
# CHECK-NEXT:    %[[ZERO:.*]] = dyn.const 0 : i64
# CHECK-NEXT:    %[[ONE:.*]] = dyn.const 1 : i64
# CHECK-NEXT:    %[[R:.*]] = dyn.for_range %[[ZERO]] to %[[N]] step %[[ONE]] iter_args(%[[S]] : !dyn.object) -> !dyn.object {
# CHECK-NEXT:    ^{{.*}}(%[[I:.*]]: !dyn.object, %[[T:.*]]: !dyn.object):
# CHECK-NEXT:      %[[U:.*]] = dyn.binary "add" %[[T]], %[[I]]
# CHECK-NEXT:      dyn.yield %[[U]] : !dyn.object
# CHECK-NEXT:    }
# CHECK-NEXT:    func.return %[[R]]


## Near miss: after the loop the loop variable is read, so it is carried, and keeps its old value if the loop does not run.
def last(n):
    i = -1
    for i in range(2, n, -3):
        pass
    return i


# CHECK-LABEL: func.func private @last
# CHECK-SAME:    (%[[N:.*]]: !dyn.object)
# CHECK-NEXT:    %[[I:.*]] = dyn.const -1 : i64
# CHECK-NEXT:    %[[START:.*]] = dyn.const 2 : i64
# CHECK-NEXT:    %[[STEP:.*]] = dyn.const -3 : i64
# CHECK-NEXT:    %[[R:.*]] = dyn.for_range %[[START]] to %[[N]] step %[[STEP]] iter_args(%[[I]] : !dyn.object) -> !dyn.object {
# CHECK-NEXT:    ^{{.*}}(%[[J:.*]]: !dyn.object, %{{.*}}: !dyn.object):
# CHECK-NEXT:      dyn.yield %[[J]] : !dyn.object
# CHECK-NEXT:    }
# CHECK-NEXT:    func.return %[[R]]


## A `return` in a loop: the loop carries whether it was reached, the value, and the flag that ends the loop.
def find(n):
    for i in range(n):
        if i > n:
            return i
    return -1


# CHECK-LABEL: func.func private @find
# CHECK-SAME:    (%[[N:.*]]: !dyn.object)
# CHECK-NEXT:    %[[NOT_YET:.*]] = arith.constant false
# CHECK-NEXT:    %[[NOTHING:.*]] = dyn.unbound ""
# CHECK-NEXT:    %[[GO_ON:.*]] = arith.constant false
# CHECK:         %[[RETURNED:.*]], %[[VALUE:.*]], %{{.*}} = dyn.for_range %{{.*}} to %[[N]] step %{{.*}} early_exit iter_args(%[[NOT_YET]], %[[NOTHING]], %[[GO_ON]] : i1, !dyn.object, i1) -> i1, !dyn.object, i1 {
# CHECK-NEXT:    ^{{.*}}(%[[I:.*]]: !dyn.object, %{{.*}}: i1, %{{.*}}: !dyn.object, %{{.*}}: i1):
# CHECK:           %[[A:.*]], %[[B:.*]], %[[C:.*]] = scf.if %{{.*}} -> (i1, !dyn.object, i1) {
# CHECK-NEXT:        %[[YES:.*]] = arith.constant true
# CHECK-NEXT:        %[[STOP:.*]] = arith.constant true
# CHECK-NEXT:        scf.yield %[[YES]], %[[I]], %[[STOP]] : i1, !dyn.object, i1
# CHECK-NEXT:      } else {
# CHECK-NEXT:        %[[NO:.*]] = arith.constant false
# CHECK-NEXT:        %[[NONE:.*]] = dyn.unbound ""
# CHECK-NEXT:        %[[ON:.*]] = arith.constant false
# CHECK-NEXT:        scf.yield %[[NO]], %[[NONE]], %[[ON]] : i1, !dyn.object, i1
# CHECK-NEXT:      }
# CHECK-NEXT:      dyn.yield %[[A]], %[[B]], %[[C]] : i1, !dyn.object, i1
# CHECK-NEXT:    }
# CHECK-NEXT:    scf.if %[[RETURNED]] -> (!dyn.object) {
# CHECK-NEXT:      scf.yield %[[VALUE]] : !dyn.object
# CHECK-NEXT:    } else {
# CHECK-NEXT:      %[[MINUS:.*]] = dyn.const -1 : i64
# CHECK-NEXT:      scf.yield %[[MINUS]] : !dyn.object


## `continue` goes to the next iteration with what there is; `break` also sets the flag.
def leave(n):
    s = 0
    for i in range(n):
        if i == 3:
            continue
        if i > 5:
            break
        s = i
    return s


# CHECK-LABEL: func.func private @leave
# CHECK:         %[[R:.*]], %{{.*}} = dyn.for_range {{.*}} early_exit iter_args(%{{.*}}, %{{.*}} : !dyn.object, i1) -> !dyn.object, i1 {
# CHECK-NEXT:    ^{{.*}}(%[[I:.*]]: !dyn.object, %[[S:.*]]: !dyn.object, %{{.*}}: i1):
# CHECK:           scf.if %{{.*}} -> (!dyn.object, i1) {
# CHECK-NEXT:        %[[CONTINUE:.*]] = arith.constant false
# CHECK-NEXT:        scf.yield %[[S]], %[[CONTINUE]] : !dyn.object, i1
# CHECK-NEXT:      } else {
# CHECK:             scf.if %{{.*}} -> (!dyn.object, i1) {
# CHECK-NEXT:          %[[BREAK:.*]] = arith.constant true
# CHECK-NEXT:          scf.yield %[[S]], %[[BREAK]] : !dyn.object, i1
# CHECK-NEXT:        } else {
# CHECK-NEXT:          %[[FALL:.*]] = arith.constant false
# CHECK-NEXT:          scf.yield %[[I]], %[[FALL]] : !dyn.object, i1
# CHECK:         func.return %[[R]]


## A `while` loop that is left early tests the flag before the condition, which then is not evaluated again.
def forever(x):
    while x:
        x = x - 1
        if x < 9:
            break
    return x


# CHECK-LABEL: func.func private @forever
# CHECK-SAME:    (%[[X:.*]]: !dyn.object)
# CHECK:         scf.while (%[[A:.*]] = %[[X]], %[[F:.*]] = %{{.*}}) : (!dyn.object, i1) -> (!dyn.object, i1) {
# CHECK-NEXT:      %[[C:.*]] = scf.if %[[F]] -> (i1) {
# CHECK-NEXT:        %[[STOP:.*]] = arith.constant false
# CHECK-NEXT:        scf.yield %[[STOP]] : i1
# CHECK-NEXT:      } else {
# CHECK-NEXT:        %[[T:.*]] = dyn.truth %[[A]]
# CHECK-NEXT:        scf.yield %[[T]] : i1
# CHECK-NEXT:      }
# CHECK-NEXT:      scf.condition(%[[C]]) %[[A]], %[[F]] : !dyn.object, i1


## A tuple in a variable is one object; nested loops carry it through. A `break` leaves the inner loop only.
def nested(n):
    t = 0, 1
    for i in range(n):
        for j in range(i):
            a, b = t
            t = b, a
            if a:
                break
    return t


# CHECK-LABEL: func.func private @nested
# CHECK:         %[[T:.*]] = dyn.build_tuple(%{{.*}}, %{{.*}})
# CHECK:         %[[R:.*]] = dyn.for_range %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[T]] : !dyn.object) -> !dyn.object {
# CHECK-NEXT:    ^{{.*}}(%[[I:.*]]: !dyn.object, %[[T1:.*]]: !dyn.object):
# CHECK:           %[[T2:.*]], %{{.*}} = dyn.for_range %{{.*}} to %[[I]] step %{{.*}} early_exit iter_args(%[[T1]], %{{.*}} : !dyn.object, i1) -> !dyn.object, i1 {
# CHECK-NEXT:      ^{{.*}}(%{{.*}}: !dyn.object, %[[T3:.*]]: !dyn.object, %{{.*}}: i1):
# CHECK-NEXT:        %[[A:.*]], %[[B:.*]] = dyn.unpack %[[T3]] : !dyn.object, !dyn.object
# CHECK-NEXT:        %[[T4:.*]] = dyn.build_tuple(%[[B]], %[[A]])
# CHECK:           dyn.yield %[[T2]] : !dyn.object
# CHECK:         func.return %[[R]]


## What a loop runs over is made before it; its items are unpacked inside. What follows `else` runs unless the loop was
## left by `break`.
def arrays(x):
    for a, b in zip(first, second):
        x = x + a * b
        if x > 9:
            break
    else:
        for i, a in enumerate(first, 5):
            x = x - a * i
    return x


# CHECK-LABEL: func.func private @arrays
# CHECK-SAME:    (%[[X:.*]]: !dyn.object)
# CHECK:         %[[FIRST:.*]] = dyn.global @first
# CHECK-NEXT:    %[[SECOND:.*]] = dyn.global @second
# CHECK-NEXT:    %[[PAIRS:.*]] = dyn.builtin "zip"(%[[FIRST]], %[[SECOND]])
# CHECK:         %[[R:.*]], %[[LEFT:.*]] = dyn.for_each %[[PAIRS]] early_exit
# CHECK-NEXT:    ^{{.*}}(%[[PAIR:.*]]: !dyn.object, %{{.*}}: !dyn.object, %{{.*}}: i1):
# CHECK-NEXT:      %{{.*}}, %{{.*}} = dyn.unpack %[[PAIR]] : !dyn.object, !dyn.object
# CHECK:         %[[END:.*]] = scf.if %[[LEFT]] -> (!dyn.object) {
# CHECK-NEXT:      scf.yield %[[R]] : !dyn.object
# CHECK-NEXT:    } else {
# CHECK:           %[[FIVE:.*]] = dyn.const 5 : i64
# CHECK:           %[[NUMBERED:.*]] = dyn.builtin "enumerate"(%{{.*}}, %[[FIVE]])
# CHECK:           dyn.for_each %[[NUMBERED]] iter_args
# CHECK:         func.return %[[END]]


## A list comprehension is a loop that makes a longer list each time; what a nested function reads is what the variable
## has where it is called.
def inlined(x):
    def scaled(y):
        return y * x

    items = [scaled(v) for v in (x, 2)]
    x = 5
    return items[0] + scaled(1)


# CHECK-LABEL: func.func private @inlined
# CHECK-SAME:    (%[[X:.*]]: !dyn.object)
# CHECK:         %[[EMPTY:.*]] = dyn.build_list()
# CHECK-NEXT:    %[[ITEMS:.*]] = dyn.for_each %{{.*}} unroll iter_args(%[[EMPTY]] : !dyn.object) -> !dyn.object {
# CHECK-NEXT:    ^{{.*}}(%[[V:.*]]: !dyn.object, %[[MADE:.*]]: !dyn.object):
# CHECK-NEXT:      %[[SCALED:.*]] = dyn.binary "mul" %[[V]], %[[X]]
# CHECK-NEXT:      %[[LONGER:.*]] = dyn.append %[[SCALED]] to %[[MADE]]
# CHECK-NEXT:      dyn.yield %[[LONGER]] : !dyn.object
# CHECK-NEXT:    }
# CHECK-NEXT:    %[[FIVE:.*]] = dyn.const 5 : i64
# CHECK:         %{{.*}} = dyn.binary "mul" %{{.*}}, %[[FIVE]]


everything = (
    hetc.map(join)
    .map(early)
    .map(unbound)
    .map(count)
    .map(total)
    .map(last)
    .map(find)
    .map(leave)
    .map(forever)
    .map(nested)
    .map(arrays)
    .map(inlined)
)
