# RUN: hetc-opt %s:zipped --args "f32[?], (int, bool)[?]" --no-locations | filecheck %s --check-prefix ZIP
# RUN: hetc-opt %s:dot --args "f32[?], range" --no-locations | filecheck %s --check-prefix DOT
# RUN: hetc-opt %s:pairs --args "int[?]" --no-locations | filecheck %s --check-prefix PAIRS
# RUN: hetc-opt %s:plain --args "u8[?], f64[?]" --no-locations | filecheck %s --check-prefix PLAIN
# RUN: hetc-opt %s:counts --args "f32[?]" --no-locations | filecheck %s --check-prefix COUNTS

import hetc

## zip makes one array of tuples; elements of lists of tuples have tuple types.
zipped = hetc.zip() | hetc.map(lambda t: t[0])
# ZIP:      func.func @zipped(%[[X:.*]]: tensor<?xf32> {skel.path = array<i64: 0>}, %[[Y:.*]]: tensor<?xtuple<!dyn.int, !dyn.bool>> {skel.path = array<i64: 1>
# ZIP-NEXT:   %[[Z:.*]] = skel.zip(%[[X]], %[[Y]]) : (tensor<?xf32>, tensor<?xtuple<!dyn.int, !dyn.bool>>) -> tensor<?x!dyn.object>
# ZIP-NEXT:   %[[R:.*]] = skel.map(%[[Z]]) : (tensor<?x!dyn.object>) -> tensor<?x!dyn.object> {
# ZIP-NEXT:   ^{{.*}}(%[[T:.*]]: !dyn.object):
# ZIP-NEXT:     %{{.*}} = dyn.call @lambda(%[[T]])
# ZIP:        func.return %[[R]] : tensor<?x!dyn.object>

## Several inputs are zipped by the first map: one argument each. A reduction starts from a constant.
dot = hetc.map(lambda a, b: a * b).reduce(lambda p, q: p + q, 0.0)
# DOT:      func.func @dot(%[[X:.*]]: tensor<?xf32> {skel.path = array<i64: 0>}, %[[Y:.*]]: !skel.sequence<!dyn.int> {skel.path = array<i64: 1>, skel.bounds = array<i64: 0, 2147483647>}) -> !dyn.object
# DOT-NEXT:   %[[P:.*]] = skel.map(%[[X]], %[[Y]]) : (tensor<?xf32>, !skel.sequence<!dyn.int>) -> tensor<?x!dyn.object> {
# DOT-NEXT:   ^{{.*}}(%[[A:.*]]: !dyn.object, %[[B:.*]]: !dyn.object):
# DOT-NEXT:     %[[C:.*]] = dyn.call @lambda(%[[A]], %[[B]])
# DOT-NEXT:     skel.yield %[[C]] : !dyn.object
# DOT-NEXT:   }
# DOT-NEXT:   %[[ZERO:.*]] = dyn.const 0.0{{.*}} : f64
# DOT-NEXT:   %[[S:.*]] = skel.reduce(%[[P]]) init(%[[ZERO]] : !dyn.object) : (tensor<?x!dyn.object>) -> !dyn.object transform {
# DOT-NEXT:   ^{{.*}}(%[[E:.*]]: !dyn.object):
# DOT-NEXT:     skel.yield %[[E]] : !dyn.object
# DOT-NEXT:   } combine {
# DOT-NEXT:   ^{{.*}}(%[[L:.*]]: !dyn.object, %[[R:.*]]: !dyn.object):
# DOT-NEXT:     %[[N:.*]] = dyn.call @lambda_1(%[[L]], %[[R]])
# DOT-NEXT:     skel.yield %[[N]] : !dyn.object
# DOT-NEXT:   }
# DOT-NEXT:   func.return %[[S]] : !dyn.object

## A tuple as initial value, and a known function as operator. The result of a list is a list.
pairs = hetc.map(lambda i: (i, 1)).reduce(max, (-1, True))
# PAIRS:      func.func @pairs
# PAIRS-SAME:   skel.container = "list"
# PAIRS:        %[[MINUS:.*]] = dyn.const -1 : i64
# PAIRS-NEXT:   %[[TRUE:.*]] = dyn.const true
# PAIRS-NEXT:   %[[INIT:.*]] = dyn.build_tuple(%[[MINUS]], %[[TRUE]])
# PAIRS-NEXT:   skel.reduce(%{{.*}}) init(%[[INIT]] : !dyn.object)
# PAIRS:        } combine {
# PAIRS-NEXT:   ^{{.*}}(%[[L:.*]]: !dyn.object, %[[R:.*]]: !dyn.object):
# PAIRS-NEXT:     dyn.builtin "max"(%[[L]], %[[R]])


## A plain function stands for a map of it. Signedness is in the source type.
def plain(a, b):
    return a + b


# PLAIN:      func.func @plain_map(%[[X:.*]]: tensor<?xui8> {skel.path = array<i64: 0>}, %[[Y:.*]]: tensor<?xf64> {skel.path = array<i64: 1>}) -> tensor<?x!dyn.object>
# PLAIN-NEXT:   skel.map(%[[X]], %[[Y]])
# PLAIN:      func.func private @plain(%a: !dyn.object, %b: !dyn.object)


## The arrays of indices are captured. Elements that are keys count as 1.
counts = hetc.gather([2, 0]).histogram(3)
# COUNTS:      skel.capture @indices : tensor<?x!dyn.int>
# COUNTS:      func.func @{{.*}}(%[[X:.*]]: tensor<?xf32>
# COUNTS:        %[[I:.*]] = skel.captured @indices : tensor<?x!dyn.int>
# COUNTS:        %[[Y:.*]] = skel.gather(%[[X]]) at %[[I]]
# COUNTS:        skel.scatter(%[[Y]]) size 3 init(%{{.*}} : !dyn.object)
# COUNTS:          %[[ONE:.*]] = dyn.const 1 : i64
# COUNTS:          skel.yield %{{.*}}, %[[ONE]] : !dyn.object, !dyn.object
# COUNTS:        } combine {
# COUNTS:          dyn.call @count
