// RUN: hetc-opt %s --split-input-file | hetc-opt --split-input-file --print-op-generic | hetc-opt --split-input-file | filecheck %s
// RUN: hetc-opt %s --split-input-file --print-op-generic | filecheck %s --check-prefix GENERIC

/// Literals: an `int`, a `float` (also those without digits), a `bool` and a `complex`.
func.func private @literals() {
  %0 = dyn.const 7 : i64
  %1 = dyn.const -9223372036854775808 : i64
  %2 = dyn.const 2.5 : f64
  %3 = dyn.const 0x7FF0000000000000 : f64
  %4 = dyn.const -0.0 : f64
  %5 = dyn.const true
  %6 = dyn.const false
  %7 = dyn.const #complex.number<:f64 0.0, -2.5> : complex<f64>
  func.return
}
// CHECK-LABEL: @literals
// CHECK-NEXT:    %{{.*}} = dyn.const 7 : i64
// CHECK-NEXT:    %{{.*}} = dyn.const -9223372036854775808 : i64
// CHECK-NEXT:    %{{.*}} = dyn.const 2.5{{[0-9e+]*}} : f64
// CHECK-NEXT:    %{{.*}} = dyn.const 0x7ff0000000000000 : f64
// CHECK-NEXT:    %{{.*}} = dyn.const -0.0{{[0-9e+]*}} : f64
// CHECK-NEXT:    %{{.*}} = dyn.const true
// CHECK-NEXT:    %{{.*}} = dyn.const false
// CHECK-NEXT:    %{{.*}} = dyn.const #complex.number<:f64 0.0{{[0-9e+]*}}, -2.5{{[0-9e+]*}}> : complex<f64>
// GENERIC-LABEL: sym_name = "literals"
// GENERIC:         "dyn.const"() <{value = 7 : i64}> : () -> !dyn.object
// GENERIC:         "dyn.const"() <{value = true}> : () -> !dyn.object

// -----

/// The source types of Python's numbers, and the type of all objects.
func.func private @types(!dyn.int, !dyn.float, !dyn.complex, !dyn.bool, !dyn.object)
// CHECK-LABEL: @types(!dyn.int, !dyn.float, !dyn.complex, !dyn.bool, !dyn.object)
// GENERIC-LABEL: sym_name = "types"

// -----

/// Every binary operator of Python's data model, except `matmul`.
func.func private @binary(%a: !dyn.object, %b: !dyn.object) {
  %0 = dyn.binary "add" %a, %b
  %1 = dyn.binary "sub" %a, %b
  %2 = dyn.binary "mul" %a, %b
  %3 = dyn.binary "truediv" %a, %b
  %4 = dyn.binary "floordiv" %a, %b
  %5 = dyn.binary "mod" %a, %b
  %6 = dyn.binary "pow" %a, %b
  %7 = dyn.binary "and" %a, %b
  %8 = dyn.binary "or" %a, %b
  %9 = dyn.binary "xor" %a, %b
  %10 = dyn.binary "lshift" %a, %b
  %11 = dyn.binary "rshift" %b, %a
  func.return
}
// CHECK-LABEL: @binary
// CHECK-SAME:    (%[[A:.*]]: !dyn.object, %[[B:.*]]: !dyn.object)
// CHECK-NEXT:    %{{.*}} = dyn.binary "add" %[[A]], %[[B]]
// CHECK-NEXT:    %{{.*}} = dyn.binary "sub" %[[A]], %[[B]]
// CHECK-NEXT:    %{{.*}} = dyn.binary "mul" %[[A]], %[[B]]
// CHECK-NEXT:    %{{.*}} = dyn.binary "truediv" %[[A]], %[[B]]
// CHECK-NEXT:    %{{.*}} = dyn.binary "floordiv" %[[A]], %[[B]]
// CHECK-NEXT:    %{{.*}} = dyn.binary "mod" %[[A]], %[[B]]
// CHECK-NEXT:    %{{.*}} = dyn.binary "pow" %[[A]], %[[B]]
// CHECK-NEXT:    %{{.*}} = dyn.binary "and" %[[A]], %[[B]]
// CHECK-NEXT:    %{{.*}} = dyn.binary "or" %[[A]], %[[B]]
// CHECK-NEXT:    %{{.*}} = dyn.binary "xor" %[[A]], %[[B]]
// CHECK-NEXT:    %{{.*}} = dyn.binary "lshift" %[[A]], %[[B]]
// CHECK-NEXT:    %{{.*}} = dyn.binary "rshift" %[[B]], %[[A]]
// GENERIC-LABEL: sym_name = "binary"
// GENERIC:         "dyn.binary"(%{{.*}}, %{{.*}}) <{operator = "add"}> : (!dyn.object, !dyn.object) -> !dyn.object

// -----

/// Unary operators and comparisons.
func.func private @unary_and_compare(%a: !dyn.object, %b: !dyn.object) {
  %0 = dyn.unary "neg" %a
  %1 = dyn.unary "pos" %a
  %2 = dyn.unary "invert" %a
  %3 = dyn.unary "not" %a
  %4 = dyn.compare "lt" %a, %b
  %5 = dyn.compare "le" %a, %b
  %6 = dyn.compare "eq" %a, %b
  %7 = dyn.compare "ne" %a, %b
  %8 = dyn.compare "gt" %a, %b
  %9 = dyn.compare "ge" %b, %a
  func.return
}
// CHECK-LABEL: @unary_and_compare
// CHECK-SAME:    (%[[A:.*]]: !dyn.object, %[[B:.*]]: !dyn.object)
// CHECK-NEXT:    %{{.*}} = dyn.unary "neg" %[[A]]
// CHECK-NEXT:    %{{.*}} = dyn.unary "pos" %[[A]]
// CHECK-NEXT:    %{{.*}} = dyn.unary "invert" %[[A]]
// CHECK-NEXT:    %{{.*}} = dyn.unary "not" %[[A]]
// CHECK-NEXT:    %{{.*}} = dyn.compare "lt" %[[A]], %[[B]]
// CHECK-NEXT:    %{{.*}} = dyn.compare "le" %[[A]], %[[B]]
// CHECK-NEXT:    %{{.*}} = dyn.compare "eq" %[[A]], %[[B]]
// CHECK-NEXT:    %{{.*}} = dyn.compare "ne" %[[A]], %[[B]]
// CHECK-NEXT:    %{{.*}} = dyn.compare "gt" %[[A]], %[[B]]
// CHECK-NEXT:    %{{.*}} = dyn.compare "ge" %[[B]], %[[A]]
// GENERIC-LABEL: sym_name = "unary_and_compare"
// GENERIC:         "dyn.unary"(%{{.*}}) <{operator = "neg"}> : (!dyn.object) -> !dyn.object
// GENERIC:         "dyn.compare"(%{{.*}}, %{{.*}}) <{operator = "lt"}> : (!dyn.object, !dyn.object) -> !dyn.object

// -----

/// A truth value is an `i1`; control flow tests it, and it can become a Python `bool` again.
func.func private @truth(%a: !dyn.object) -> !dyn.object {
  %t = dyn.truth %a
  %b = dyn.from_bool %t
  func.return %b : !dyn.object
}
// CHECK-LABEL: @truth
// CHECK-SAME:    (%[[A:.*]]: !dyn.object) -> !dyn.object
// CHECK-NEXT:    %[[T:.*]] = dyn.truth %[[A]]
// CHECK-NEXT:    %[[B:.*]] = dyn.from_bool %[[T]]
// CHECK-NEXT:    func.return %[[B]] : !dyn.object
// GENERIC-LABEL: sym_name = "truth"
// GENERIC:         "dyn.truth"(%{{.*}}) : (!dyn.object) -> i1
// GENERIC:         "dyn.from_bool"(%{{.*}}) : (i1) -> !dyn.object

// -----

/// Calls: of a function of the module, and of one that is known by name; with arguments and without.
func.func private @calls(%a: !dyn.object, %b: !dyn.object) {
  %0 = dyn.call @helper(%a, %b)
  %1 = dyn.call @constant()
  %2 = dyn.builtin "math.sqrt"(%b)
  %3 = dyn.builtin "max"(%a, %b)
  %4 = dyn.builtin "math.isclose"(%a, %a, %b) keywords ["rel_tol"]
  func.return
}
// CHECK-LABEL: @calls
// CHECK-SAME:    (%[[A:.*]]: !dyn.object, %[[B:.*]]: !dyn.object)
// CHECK-NEXT:    %{{.*}} = dyn.call @helper(%[[A]], %[[B]])
// CHECK-NEXT:    %{{.*}} = dyn.call @constant()
// CHECK-NEXT:    %{{.*}} = dyn.builtin "math.sqrt"(%[[B]])
// CHECK-NEXT:    %{{.*}} = dyn.builtin "max"(%[[A]], %[[B]])
// CHECK-NEXT:    %{{.*}} = dyn.builtin "math.isclose"(%[[A]], %[[A]], %[[B]]) keywords ["rel_tol"]
// GENERIC-LABEL: sym_name = "calls"
// GENERIC:         "dyn.call"(%{{.*}}, %{{.*}}) <{callee = @helper}> : (!dyn.object, !dyn.object) -> !dyn.object
// GENERIC:         "dyn.builtin"(%{{.*}}) <{function = "math.sqrt"}> : (!dyn.object) -> !dyn.object

// -----

/// Containers: a captured variable, its shape, its items, and tuples put together and taken apart.
func.func private @containers(%i: !dyn.object, %j: !dyn.object) {
  %a = dyn.global @positions
  %s = dyn.shape %a
  %x = dyn.getitem %a[%i]
  %y = dyn.getitem %a[%i, %j]
  %t = dyn.build_tuple(%x, %y)
  %e = dyn.build_tuple()
  %p, %q = dyn.unpack %t : !dyn.object, !dyn.object
  func.return
}
// CHECK-LABEL: @containers
// CHECK-SAME:    (%[[I:.*]]: !dyn.object, %[[J:.*]]: !dyn.object)
// CHECK-NEXT:    %[[A:.*]] = dyn.global @positions
// CHECK-NEXT:    %{{.*}} = dyn.shape %[[A]]
// CHECK-NEXT:    %[[X:.*]] = dyn.getitem %[[A]][%[[I]]]
// CHECK-NEXT:    %[[Y:.*]] = dyn.getitem %[[A]][%[[I]], %[[J]]]
// CHECK-NEXT:    %[[T:.*]] = dyn.build_tuple(%[[X]], %[[Y]])
// CHECK-NEXT:    %{{.*}} = dyn.build_tuple()
// CHECK-NEXT:    %{{.*}}, %{{.*}} = dyn.unpack %[[T]] : !dyn.object, !dyn.object
// GENERIC-LABEL: sym_name = "containers"
// GENERIC:         "dyn.global"() <{variable = @positions}> : () -> !dyn.object
// GENERIC:         "dyn.shape"(%{{.*}}) : (!dyn.object) -> !dyn.object
// GENERIC:         "dyn.getitem"(%{{.*}}, %{{.*}}, %{{.*}}) : (!dyn.object, !dyn.object, !dyn.object) -> !dyn.object
// GENERIC:         "dyn.build_tuple"(%{{.*}}, %{{.*}}) : (!dyn.object, !dyn.object) -> !dyn.object
// GENERIC:         "dyn.unpack"(%{{.*}}) : (!dyn.object) -> (!dyn.object, !dyn.object)

// -----

/// Lists: made, stored into, appended to; slices, membership, starred unpacking.
func.func private @lists(%a: !dyn.object, %i: !dyn.object) {
  %l = dyn.build_list(%a, %i)
  %s = dyn.slice start %a step %i
  %w = dyn.slice
  %x = dyn.setitem %l[%i] = %a
  %m = dyn.append %a to %x
  %b = dyn.contains %a in %m
  %f, %r = dyn.unpack %m star 1 : !dyn.object, !dyn.object
  func.return
}
// CHECK-LABEL: @lists
// CHECK-SAME:    (%[[A:.*]]: !dyn.object, %[[I:.*]]: !dyn.object)
// CHECK-NEXT:    %[[L:.*]] = dyn.build_list(%[[A]], %[[I]])
// CHECK-NEXT:    %{{.*}} = dyn.slice start %[[A]] step %[[I]]
// CHECK-NEXT:    %{{.*}} = dyn.slice
// CHECK-NEXT:    %[[X:.*]] = dyn.setitem %[[L]][%[[I]]] = %[[A]]
// CHECK-NEXT:    %[[M:.*]] = dyn.append %[[A]] to %[[X]]
// CHECK-NEXT:    %{{.*}} = dyn.contains %[[A]] in %[[M]]
// CHECK-NEXT:    %{{.*}}, %{{.*}} = dyn.unpack %[[M]] star 1 : !dyn.object, !dyn.object
// GENERIC-LABEL: sym_name = "lists"
// GENERIC:         "dyn.build_list"(%{{.*}}, %{{.*}}) : (!dyn.object, !dyn.object) -> !dyn.object
// GENERIC:         "dyn.slice"(%{{.*}}, %{{.*}}) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!dyn.object, !dyn.object) -> !dyn.object
// GENERIC:         "dyn.setitem"(%{{.*}}, %{{.*}}, %{{.*}}) : (!dyn.object, !dyn.object, !dyn.object) -> !dyn.object
// GENERIC:         "dyn.append"(%{{.*}}, %{{.*}}) : (!dyn.object, !dyn.object) -> !dyn.object
// GENERIC:         "dyn.contains"(%{{.*}}, %{{.*}}) : (!dyn.object, !dyn.object) -> !dyn.object
// GENERIC:         "dyn.unpack"(%{{.*}}) <{star = 1 : i64}> : (!dyn.object) -> (!dyn.object, !dyn.object)

// -----

/// The class of a value, attributes of arrays, and fields of elements of structured arrays.
func.func private @classes(%a: !dyn.object) {
  %b = dyn.isinstance %a ["int", "np.float32"]
  %n = dyn.getattr %a "ndim"
  %f = dyn.field %a "mass"
  func.return
}
// CHECK-LABEL: @classes
// CHECK-SAME:    (%[[A:.*]]: !dyn.object)
// CHECK-NEXT:    %{{.*}} = dyn.isinstance %[[A]] ["int", "np.float32"]
// CHECK-NEXT:    %{{.*}} = dyn.getattr %[[A]] "ndim"
// CHECK-NEXT:    %{{.*}} = dyn.field %[[A]] "mass"
// GENERIC-LABEL: sym_name = "classes"
// GENERIC:         "dyn.isinstance"(%{{.*}}) <{classes = ["int", "np.float32"]}> : (!dyn.object) -> !dyn.object
// GENERIC:         "dyn.getattr"(%{{.*}}) <{attribute = "ndim"}> : (!dyn.object) -> !dyn.object
// GENERIC:         "dyn.field"(%{{.*}}) <{field = "mass"}> : (!dyn.object) -> !dyn.object

// -----

/// Functions as values, and their calls.
func.func private @functions(%a: !dyn.object) {
  %f = dyn.function @helper
  %k = dyn.known "math.sqrt"
  %l = dyn.lambda {
  ^bb0(%y: !dyn.object):
    %z = dyn.binary "mul" %a, %y
    dyn.yield %z : !dyn.object
  }
  %x = dyn.call_value %l(%a)
  %y = dyn.spread %k(*%x)
  func.return
}
// CHECK-LABEL: @functions
// CHECK-SAME:    (%[[A:.*]]: !dyn.object)
// CHECK-NEXT:    %{{.*}} = dyn.function @helper
// CHECK-NEXT:    %[[K:.*]] = dyn.known "math.sqrt"
// CHECK-NEXT:    %[[L:.*]] = dyn.lambda {
// CHECK-NEXT:    ^{{.*}}(%[[Y:.*]]: !dyn.object):
// CHECK-NEXT:      %[[Z:.*]] = dyn.binary "mul" %[[A]], %[[Y]]
// CHECK-NEXT:      dyn.yield %[[Z]] : !dyn.object
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[X:.*]] = dyn.call_value %[[L]](%[[A]])
// CHECK-NEXT:    %{{.*}} = dyn.spread %[[K]](* %[[X]])
// GENERIC-LABEL: sym_name = "functions"
// GENERIC:         "dyn.function"() <{callee = @helper}> : () -> !dyn.object
// GENERIC:         "dyn.known"() <{function = "math.sqrt"}> : () -> !dyn.object
// GENERIC:         "dyn.lambda"() ({
// GENERIC:         "dyn.call_value"(%{{.*}}, %{{.*}}) : (!dyn.object, !dyn.object) -> !dyn.object
// GENERIC:         "dyn.spread"(%{{.*}}, %{{.*}}) : (!dyn.object, !dyn.object) -> !dyn.object

// -----

/// A loop over anything: plain, and one that is unrolled and may be left.
func.func private @for_each(%a: !dyn.object) {
  %no = arith.constant false
  dyn.for_each %a {
  ^bb0(%i: !dyn.object):
    dyn.yield
  }
  %s, %f = dyn.for_each %a unroll early_exit iter_args(%a, %no : !dyn.object, i1) -> !dyn.object, i1 {
  ^bb0(%i: !dyn.object, %s: !dyn.object, %g: i1):
    %t = dyn.truth %i
    dyn.yield %s, %t : !dyn.object, i1
  }
  func.return
}
// CHECK-LABEL: @for_each
// CHECK-SAME:    (%[[A:.*]]: !dyn.object)
// CHECK-NEXT:    %[[NO:.*]] = arith.constant false
// CHECK-NEXT:    dyn.for_each %[[A]] {
// CHECK-NEXT:    ^{{.*}}(%{{.*}}: !dyn.object):
// CHECK-NEXT:      dyn.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    %{{.*}}, %{{.*}} = dyn.for_each %[[A]] unroll early_exit iter_args(%[[A]], %[[NO]] : !dyn.object, i1) -> !dyn.object, i1 {
// CHECK-NEXT:    ^{{.*}}(%[[I:.*]]: !dyn.object, %[[S:.*]]: !dyn.object, %{{.*}}: i1):
// CHECK-NEXT:      %[[T:.*]] = dyn.truth %[[I]]
// CHECK-NEXT:      dyn.yield %[[S]], %[[T]] : !dyn.object, i1
// GENERIC-LABEL: sym_name = "for_each"
// GENERIC:         "dyn.for_each"(%{{.*}}) ({

// -----

/// A variable without a value, by name; the empty name is a value that nobody reads.
func.func private @unbound() {
  %u = dyn.unbound "total"
  %n = dyn.unbound ""
  func.return
}
// CHECK-LABEL: @unbound
// CHECK-NEXT:    %{{.*}} = dyn.unbound "total"
// CHECK-NEXT:    %{{.*}} = dyn.unbound ""
// GENERIC-LABEL: sym_name = "unbound"
// GENERIC:         "dyn.unbound"() <{variable = "total"}> : () -> !dyn.object

// -----

/// A loop without carried values.
func.func private @plain_loop(%a: !dyn.object, %b: !dyn.object, %c: !dyn.object) {
  dyn.for_range %a to %b step %c {
  ^bb0(%i: !dyn.object):
    dyn.yield
  }
  func.return
}
// CHECK-LABEL: @plain_loop
// CHECK-SAME:    (%[[A:.*]]: !dyn.object, %[[B:.*]]: !dyn.object, %[[C:.*]]: !dyn.object)
// CHECK-NEXT:    dyn.for_range %[[A]] to %[[B]] step %[[C]] {
// CHECK-NEXT:    ^{{.*}}(%{{.*}}: !dyn.object):
// CHECK-NEXT:      dyn.yield
// CHECK-NEXT:    }
// GENERIC-LABEL: sym_name = "plain_loop"
// GENERIC:         "dyn.for_range"(%{{.*}}, %{{.*}}, %{{.*}}) ({

// -----

/// A loop that carries a sum.
func.func private @sum(%a: !dyn.object, %b: !dyn.object, %c: !dyn.object) -> !dyn.object {
  %sum = dyn.for_range %a to %b step %c iter_args(%a : !dyn.object) -> !dyn.object {
  ^bb0(%i: !dyn.object, %s: !dyn.object):
    %t = dyn.binary "add" %s, %i
    dyn.yield %t : !dyn.object
  }
  func.return %sum : !dyn.object
}
// CHECK-LABEL: @sum
// CHECK-SAME:    (%[[A:.*]]: !dyn.object, %[[B:.*]]: !dyn.object, %[[C:.*]]: !dyn.object)
// CHECK-NEXT:    %[[SUM:.*]] = dyn.for_range %[[A]] to %[[B]] step %[[C]] iter_args(%[[A]] : !dyn.object) -> !dyn.object {
// CHECK-NEXT:    ^{{.*}}(%[[I:.*]]: !dyn.object, %[[S:.*]]: !dyn.object):
// CHECK-NEXT:      %[[T:.*]] = dyn.binary "add" %[[S]], %[[I]]
// CHECK-NEXT:      dyn.yield %[[T]] : !dyn.object
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[SUM]]
// GENERIC-LABEL: sym_name = "sum"
// GENERIC:         "dyn.yield"(%{{.*}}) : (!dyn.object) -> ()

// -----

/// A loop that may be left early: the last carried value is the flag.
func.func private @search(%a: !dyn.object, %b: !dyn.object, %c: !dyn.object) -> !dyn.object {
  %no = arith.constant false
  %found, %stopped = dyn.for_range %a to %b step %c early_exit iter_args(%a, %no : !dyn.object, i1) -> !dyn.object, i1 {
  ^bb0(%i: !dyn.object, %s: !dyn.object, %f: i1):
    %t = dyn.truth %i
    dyn.yield %i, %t : !dyn.object, i1
  }
  func.return %found : !dyn.object
}
// CHECK-LABEL: @search
// CHECK-SAME:    (%[[A:.*]]: !dyn.object, %[[B:.*]]: !dyn.object, %[[C:.*]]: !dyn.object)
// CHECK:         %[[NO:.*]] = arith.constant false
// CHECK-NEXT:    %{{.*}}, %{{.*}} = dyn.for_range %[[A]] to %[[B]] step %[[C]] early_exit iter_args(%[[A]], %[[NO]] : !dyn.object, i1) -> !dyn.object, i1 {
// CHECK-NEXT:    ^{{.*}}(%[[I:.*]]: !dyn.object, %{{.*}}: !dyn.object, %{{.*}}: i1):
// CHECK-NEXT:      %[[T:.*]] = dyn.truth %[[I]]
// CHECK-NEXT:      dyn.yield %[[I]], %[[T]] : !dyn.object, i1
// GENERIC-LABEL: sym_name = "search"
// GENERIC:         <{early_exit}>

// -----

/// None, identity, and a path that is left to Python.
func.func private @leave(%a: !dyn.object) -> !dyn.object {
  %n = dyn.none
  %b = dyn.bound %a
  %0 = dyn.compare "is" %a, %n
  %1 = dyn.compare "is_not" %a, %n
  dyn.leave "the function raises an exception here"
  dyn.leave "print() is not compiled" hint "print the results"
  dyn.leave "the call of 'f' is not compiled" code "HETC0002"
  func.return %n : !dyn.object
}
// CHECK-LABEL: @leave
// CHECK-SAME:    (%[[A:.*]]: !dyn.object)
// CHECK-NEXT:    %[[N:.*]] = dyn.none
// CHECK-NEXT:    %{{.*}} = dyn.bound %[[A]]
// CHECK-NEXT:    %{{.*}} = dyn.compare "is" %[[A]], %[[N]]
// CHECK-NEXT:    %{{.*}} = dyn.compare "is_not" %[[A]], %[[N]]
// CHECK-NEXT:    dyn.leave "the function raises an exception here"
// CHECK-NEXT:    dyn.leave "print() is not compiled" hint "print the results"
// CHECK-NEXT:    dyn.leave "the call of 'f' is not compiled" code "HETC0002"
// GENERIC-LABEL: sym_name = "leave"
// GENERIC:         "dyn.none"() : () -> !dyn.object
// GENERIC:         "dyn.leave"() <{reason = "print() is not compiled", hint = "print the results"}> : () -> ()

// -----

func.func private @none(%a: !dyn.none)
// CHECK-LABEL: @none
// CHECK-SAME:    (!dyn.none)

// -----

/// A store to an element of an array is an effect, and stays.
func.func @store_item(%a: !dyn.object, %i: !dyn.object, %x: !dyn.object) {
  dyn.store_item %x, %a[%i, %i]
  func.return
}
// CHECK-LABEL: @store_item
// CHECK-SAME:    (%[[A:.*]]: !dyn.object, %[[I:.*]]: !dyn.object, %[[X:.*]]: !dyn.object)
// CHECK-NEXT:    dyn.store_item %[[X]], %[[A]][%[[I]], %[[I]]]
// GENERIC-LABEL: sym_name = "store_item"
// GENERIC:         "dyn.store_item"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!dyn.object, !dyn.object, !dyn.object, !dyn.object) -> ()

// -----

/// So is assigning an attribute of an object that others see.
func.func @store_attr(%p: !dyn.object, %x: !dyn.object) {
  dyn.store_attr %x, %p "x"
  func.return
}
// CHECK-LABEL: @store_attr
// CHECK-SAME:    (%[[P:.*]]: !dyn.object, %[[X:.*]]: !dyn.object)
// CHECK-NEXT:    dyn.store_attr %[[X]], %[[P]] "x"
// GENERIC-LABEL: sym_name = "store_attr"
// GENERIC:         "dyn.store_attr"(%{{.*}}, %{{.*}}) <{attribute = "x"}> : (!dyn.object, !dyn.object) -> ()

// -----

/// So is storing to a field of an element of a structured array.
func.func @store_field(%e: !dyn.object, %x: !dyn.object) {
  dyn.store_field %x, %e "mass"
  func.return
}
// CHECK-LABEL: @store_field
// CHECK-SAME:    (%[[E:.*]]: !dyn.object, %[[X:.*]]: !dyn.object)
// CHECK-NEXT:    dyn.store_field %[[X]], %[[E]] "mass"
// GENERIC-LABEL: sym_name = "store_field"
// GENERIC:         "dyn.store_field"(%{{.*}}, %{{.*}}) <{field = "mass"}> : (!dyn.object, !dyn.object) -> ()

// -----

/// Objects: made, given, a list of them; a class; an attribute assigned; a method.
func.func private @objects(%a: !dyn.object, %b: !dyn.object) -> !dyn.object {
  %p = dyn.new "made" @Point ["x", "y"](%a, %b)
  %q = dyn.new "given" @Point ["x"](%a)
  %s = dyn.new "each" @Point ["x"](%a)
  %m = dyn.several %b(%s, %s) none
  %n = dyn.several %b(%s)
  %t = dyn.refer %a @Point none
  %u = dyn.refer %a @Point whole
  %c = dyn.class @Point
  %r = dyn.setattr %p "x" %b
  %0 = dyn.method %r "distance"(%q)
  func.return %0 : !dyn.object
}
// CHECK-LABEL: @objects
// CHECK-SAME:    (%[[A:.*]]: !dyn.object, %[[B:.*]]: !dyn.object)
// CHECK-NEXT:    %[[P:.*]] = dyn.new "made" @Point ["x", "y"](%[[A]], %[[B]])
// CHECK-NEXT:    %[[Q:.*]] = dyn.new "given" @Point ["x"](%[[A]])
// CHECK-NEXT:    %[[S:.*]] = dyn.new "each" @Point ["x"](%[[A]])
// CHECK-NEXT:    %{{.*}} = dyn.several %[[B]](%[[S]], %[[S]]) none
// CHECK-NEXT:    %{{.*}} = dyn.several %[[B]](%[[S]])
// CHECK-NEXT:    %{{.*}} = dyn.refer %[[A]] @Point none
// CHECK-NEXT:    %{{.*}} = dyn.refer %[[A]] @Point whole
// CHECK-NEXT:    %{{.*}} = dyn.class @Point
// CHECK-NEXT:    %[[R:.*]] = dyn.setattr %[[P]] "x" %[[B]]
// CHECK-NEXT:    %{{.*}} = dyn.method %[[R]] "distance"(%[[Q]])
// GENERIC-LABEL: sym_name = "objects"
// GENERIC:         "dyn.new"(%{{.*}}, %{{.*}}) <{kind = "made", cls = @Point, names = ["x", "y"]}> : (!dyn.object, !dyn.object) -> !dyn.object
