// RUN: hetc-opt %s --split-input-file -p specialize | filecheck %s

/// Types come from the entry's arrays. A callee is specialised to boxed values; the weak literal 2.5 takes the element's
/// type (NEP 50), so nothing is computed in double precision.
func.func @saxpy(%x: tensor<?xf32> {skel.path = array<i64: 0>}, %y: tensor<?xf32> {skel.path = array<i64: 1>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "ndarray"} {
  %z = skel.map(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?x!dyn.object> {
  ^bb0(%a: !dyn.object, %b: !dyn.object):
    %r = dyn.call @axpy(%a, %b)
    skel.yield %r : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
func.func private @axpy(%a: !dyn.object, %b: !dyn.object) -> !dyn.object {
  %c = dyn.const 2.5 : f64
  %0 = dyn.binary "mul" %c, %a
  %1 = dyn.binary "add" %0, %b
  func.return %1 : !dyn.object
}
// CHECK-LABEL: func.func @saxpy
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32> {skel.path = array<i64: 0>}, %[[Y:.*]]: tensor<?xf32> {skel.path = array<i64: 1>}) -> tensor<?xf32>
// CHECK-SAME:    attributes {skel.entry, skel.container = "ndarray", skel.result = f32}
// CHECK-NEXT:    %[[Z:.*]] = skel.map(%[[X]], %[[Y]]) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT:      %[[BA:.*]] = obj.box %[[A]] : f32 -> !obj.boxed<f32>
// CHECK-NEXT:      %[[BB:.*]] = obj.box %[[B]] : f32 -> !obj.boxed<f32>
// CHECK-NEXT:      %[[R:.*]] = func.call @axpy(%[[BA]], %[[BB]])
// CHECK-NEXT:      %[[U:.*]] = obj.unbox %[[R]] : !obj.boxed<f32> -> f32
// CHECK-NEXT:      skel.yield %[[U]] : f32
// CHECK:         func.return %[[Z]]
// CHECK-LABEL: func.func private @axpy
// CHECK-SAME:    (%[[A:.*]]: !obj.boxed<f32>, %[[B:.*]]: !obj.boxed<f32>) -> !obj.boxed<f32>
// CHECK:         %[[UA:.*]] = obj.unbox %[[A]]
// CHECK-NEXT:    %[[C:.*]] = arith.constant 2.5{{.*}} : f32
// CHECK-NEXT:    %[[P:.*]] = arith.mulf %[[C]], %[[UA]] : f32
// CHECK:         arith.addf %{{.*}}, %{{.*}} : f32
// CHECK-NOT:     guard.require

// -----

/// Two calls with the same types share one specialisation; other types make another.
func.func @calls(%x: tensor<?xf32> {skel.path = array<i64: 0>}, %y: tensor<?x!dyn.int> {skel.path = array<i64: 1>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "ndarray"} {
  %z = skel.map(%x, %y) : (tensor<?xf32>, tensor<?x!dyn.int>) -> tensor<?x!dyn.object> {
  ^bb0(%a: !dyn.object, %b: !dyn.object):
    %0 = dyn.call @same(%a)
    %1 = dyn.call @same(%0)
    %2 = dyn.call @same(%b)
    %3 = dyn.binary "add" %1, %2
    skel.yield %3 : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
func.func private @same(%a: !dyn.object) -> !dyn.object {
  func.return %a : !dyn.object
}
// CHECK-LABEL: func.func @calls
// CHECK:         %[[R:.*]] = func.call @same(%{{.*}}) : (!obj.boxed<f32>) -> !obj.boxed<f32>
// CHECK-NEXT:    func.call @same(%[[R]]) : (!obj.boxed<f32>) -> !obj.boxed<f32>
// CHECK-NEXT:    func.call @same__1(%{{.*}}) : (!obj.boxed<!dyn.int>) -> !obj.boxed<!dyn.int>
// CHECK-LABEL: func.func private @same(
// CHECK-LABEL: func.func private @same__1(
// CHECK-NOT:   func.func

// -----

/// Python integers: each operator that can leave 64 bits or raise has its guard, before its result is used. What
/// marshalling knows of the data becomes a fact.
func.func @guards(%x: tensor<?x!dyn.int> {skel.path = array<i64: 0>, skel.bounds = array<i64: 0, 2147483647>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "list"} {
  %z = skel.map(%x) : (tensor<?x!dyn.int>) -> tensor<?x!dyn.object> {
  ^bb0(%a: !dyn.object):
    %c = dyn.const 3 : i64
    %0 = dyn.binary "mul" %c, %a
    %1 = dyn.binary "floordiv" %0, %a
    skel.yield %1 : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @guards
// CHECK-SAME:    (%{{.*}}: tensor<?x!dyn.int> {skel.path = array<i64: 0>, skel.bounds = array<i64: 0, 2147483647>})
// CHECK:         ^{{.*}}(%[[E:.*]]: i64):
// CHECK-NEXT:    %[[A:.*]] = guard.fact %[[E]] in [0, 2147483647] : i64
// CHECK-NEXT:    %[[BA:.*]] = obj.box %[[A]] : i64 -> !obj.boxed<!dyn.int>
// CHECK:         %[[C:.*]] = obj.unbox %{{.*}}
// CHECK-NEXT:    %[[UA:.*]] = obj.unbox %[[BA]]
// CHECK-NEXT:    %[[FITS:.*]] = guard.fits "mul" %[[C]], %[[UA]] : i64
// CHECK-NEXT:    guard.require %[[FITS]], overflow, "the result of '*' does not fit 64 bits"
// CHECK-NEXT:    %[[P:.*]] = arith.muli %[[C]], %[[UA]] : i64
// CHECK:         %[[NONZERO:.*]] = arith.cmpi ne, %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:    guard.require %[[NONZERO]], zero_division, "integer division by zero"
// CHECK:         %[[OK:.*]] = arith.ori %{{.*}}, %{{.*}} : i1
// CHECK-NEXT:    guard.require %[[OK]], overflow, "the quotient does not fit 64 bits"
// CHECK-NEXT:    arith.remsi
// CHECK:         arith.divsi
// CHECK-NOT:     guard.require

// -----

/// The same on NumPy integers: they wrap, and nothing is guarded.
func.func @wraps(%x: tensor<?xsi32> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "ndarray"} {
  %z = skel.map(%x) : (tensor<?xsi32>) -> tensor<?x!dyn.object> {
  ^bb0(%a: !dyn.object):
    %c = dyn.const 3 : i64
    %0 = dyn.binary "mul" %c, %a
    %1 = dyn.binary "floordiv" %0, %a
    skel.yield %1 : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @wraps
// CHECK-SAME:    -> tensor<?xsi32>
// CHECK:         arith.muli %{{.*}}, %{{.*}} : i32
// CHECK:         arith.divsi %{{.*}}, %{{.*}} : i32
// CHECK-NOT:     guard

// -----

/// Signedness is in the source type: unsigned numbers divide and compare as such.
func.func @unsigned(%x: tensor<?xui16> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "ndarray"} {
  %z = skel.map(%x) : (tensor<?xui16>) -> tensor<?x!dyn.object> {
  ^bb0(%a: !dyn.object):
    %0 = dyn.binary "mod" %a, %a
    %1 = dyn.compare "lt" %0, %a
    skel.yield %1 : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @unsigned
// CHECK-SAME:    -> tensor<?xi1>
// CHECK:         arith.remui %{{.*}}, %{{.*}} : i16
// CHECK:         arith.cmpi ult, %{{.*}}, %{{.*}} : i16

// -----

/// Functions that raise in Python have a guard; NumPy's do not.
func.func @roots(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "ndarray"} {
  %z = skel.map(%x) : (tensor<?xf32>) -> tensor<?x!dyn.object> {
  ^bb0(%a: !dyn.object):
    %0 = dyn.builtin "np.sqrt"(%a)
    %1 = dyn.builtin "math.sqrt"(%0)
    skel.yield %1 : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @roots
// CHECK-SAME:    skel.result = !dyn.float
// CHECK:         %[[S:.*]] = math.sqrt %{{.*}} : f32
// CHECK-NEXT:    obj.box %[[S]] : f32 -> !obj.boxed<f32>
// CHECK:         %[[D:.*]] = arith.extf %{{.*}} : f32 to f64
// CHECK-NEXT:    %[[R:.*]] = math.sqrt %[[D]] : f64
// CHECK:         %[[OK:.*]] = arith.cmpf uge, %[[D]], %{{.*}} : f64
// CHECK-NEXT:    guard.require %[[OK]], domain, "math.sqrt() would raise"

// -----

/// A join of two paths has the type that both agree on.
func.func @join(%x: tensor<?x!dyn.float> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "list"} {
  %z = skel.map(%x) : (tensor<?x!dyn.float>) -> tensor<?x!dyn.object> {
  ^bb0(%a: !dyn.object):
    %t = dyn.truth %a
    %r = scf.if %t -> (!dyn.object) {
      %u = dyn.unary "neg" %a
      scf.yield %u : !dyn.object
    } else {
      scf.yield %a : !dyn.object
    }
    skel.yield %r : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @join
// CHECK:         %[[BA:.*]] = obj.box %{{.*}} : f64 -> !obj.boxed<!dyn.float>
// CHECK:         %[[T:.*]] = arith.cmpf une
// CHECK-NEXT:    %[[R:.*]] = scf.if %[[T]] -> (!obj.boxed<!dyn.float>) {
// CHECK:           %[[N:.*]] = arith.negf
// CHECK-NEXT:      %[[BN:.*]] = obj.box %[[N]] : f64 -> !obj.boxed<!dyn.float>
// CHECK-NEXT:      scf.yield %[[BN]] : !obj.boxed<!dyn.float>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[BA]] : !obj.boxed<!dyn.float>
// CHECK-NEXT:    }

// -----

/// A variable that only one path assigns exists after the join, as long as nobody reads it there; the other path leaves
/// something that nobody reads.
func.func @unbound(%x: tensor<?x!dyn.float> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "list"} {
  %z = skel.map(%x) : (tensor<?x!dyn.float>) -> tensor<?x!dyn.object> {
  ^bb0(%a: !dyn.object):
    %t = dyn.truth %a
    %r = scf.if %t -> (!dyn.object) {
      scf.yield %a : !dyn.object
    } else {
      %u = dyn.unbound "r"
      scf.yield %u : !dyn.object
    }
    skel.yield %a : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @unbound
// CHECK:         scf.if %{{.*}} -> (!obj.boxed<!dyn.float>) {
// CHECK:         } else {
// CHECK-NEXT:      %[[P:.*]] = ub.poison : f64
// CHECK-NEXT:      %[[B:.*]] = obj.box %[[P]] : f64 -> !obj.boxed<!dyn.float>
// CHECK-NEXT:      scf.yield %[[B]]

// -----

/// A `while` loop carries each variable in the type that it keeps.
func.func @halve(%x: tensor<?x!dyn.float> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "list"} {
  %z = skel.map(%x) : (tensor<?x!dyn.float>) -> tensor<?x!dyn.object> {
  ^bb0(%a: !dyn.object):
    %zero = dyn.const 0 : i64
    %n, %h = scf.while (%i = %zero, %p = %a) : (!dyn.object, !dyn.object) -> (!dyn.object, !dyn.object) {
      %one = dyn.const 1.0 : f64
      %c = dyn.compare "gt" %p, %one
      %t = dyn.truth %c
      scf.condition(%t) %i, %p : !dyn.object, !dyn.object
    } do {
    ^bb1(%i: !dyn.object, %p: !dyn.object):
      %one = dyn.const 1 : i64
      %two = dyn.const 2 : i64
      %i2 = dyn.binary "add" %i, %one
      %p2 = dyn.binary "truediv" %p, %two
      scf.yield %i2, %p2 : !dyn.object, !dyn.object
    }
    skel.yield %n : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @halve
// CHECK-SAME:    skel.result = !dyn.int
// CHECK:         scf.while (%[[I:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}) : (!obj.boxed<!dyn.int>, !obj.boxed<!dyn.float>) -> (!obj.boxed<!dyn.int>, !obj.boxed<!dyn.float>) {
// CHECK:           arith.cmpf ogt
// CHECK:           scf.condition(%{{.*}}) %[[I]], %[[P]]
// CHECK:         } do {
// CHECK:           guard.fits "add"
// CHECK-NEXT:      guard.require %{{.*}}, overflow, "the result of '+' does not fit 64 bits"
// CHECK-NEXT:      arith.addi
// CHECK:           arith.divf
// CHECK-NOT:     guard.require

// -----

/// The same in the only iteration of a loop, of which a guard would lose all: after the loop, the sum is an int or a
/// float32.
skel.capture @w : tensor<?xf32> {dims = array<i64: 1>}
func.func @weighted_task(%x: !skel.sequence<!dyn.int> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "list"} {
  %z = skel.forall single(%x) : (!skel.sequence<!dyn.int>) -> tensor<?x!dyn.object> {
  ^bb0(%a: !dyn.object):
    %w = dyn.global @w
    %n = dyn.builtin "len"(%w)
    %zero = dyn.const 0 : i64
    %one = dyn.const 1 : i64
    %s = dyn.for_range %zero to %n step %one iter_args(%zero : !dyn.object) -> !dyn.object {
    ^bb1(%i: !dyn.object, %t: !dyn.object):
      %v = dyn.getitem %w[%i]
      %u = dyn.binary "add" %t, %v
      dyn.yield %u : !dyn.object
    }
    skel.yield %s : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @weighted_task
// CHECK:         %[[RUNS:.*]] = arith.cmpi slt
// CHECK-NOT:     "the loop runs at least once"
// CHECK:         scf.for
// CHECK:         scf.if %[[RUNS]] -> (!obj.union

// -----

/// `total = 0; for i in range(len(w)): total += w[i] * a`: the sum starts as an int and becomes a float32. The int is
/// absorbed by the first addition, so the loop starts from a float32, and must run at least once. Indices are checked as
/// Python does, negative ones included.
skel.capture @w : tensor<?xf32> {dims = array<i64: 1>}
func.func @weighted(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "ndarray"} {
  %z = skel.map(%x) : (tensor<?xf32>) -> tensor<?x!dyn.object> {
  ^bb0(%a: !dyn.object):
    %w = dyn.global @w
    %n = dyn.builtin "len"(%w)
    %zero = dyn.const 0 : i64
    %one = dyn.const 1 : i64
    %s = dyn.for_range %zero to %n step %one iter_args(%zero : !dyn.object) -> !dyn.object {
    ^bb1(%i: !dyn.object, %t: !dyn.object):
      %v = dyn.getitem %w[%i]
      %p = dyn.binary "mul" %v, %a
      %u = dyn.binary "add" %t, %p
      dyn.yield %u : !dyn.object
    }
    skel.yield %s : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @weighted
// CHECK:         %[[SIZE:.*]] = skel.size 1
// CHECK-NEXT:    guard.fact %[[SIZE]] in [1, 1073741824] : i64
// CHECK:         %[[RUNS:.*]] = arith.cmpi slt, %[[LOW:.*]], %[[HIGH:.*]] : i64
// CHECK-NEXT:    guard.require %[[RUNS]], type, "the loop runs at least once"
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0.0{{.*}} : f32
// CHECK-NEXT:    %[[START:.*]] = obj.box %[[ZERO]] : f32 -> !obj.boxed<f32>
// CHECK-NEXT:    scf.for %[[I:.*]] = %[[LOW]] to %[[HIGH]] step %{{.*}} iter_args(%{{.*}} = %[[START]]) -> (!obj.boxed<f32>) : i64 {
// CHECK:           %[[NEG:.*]] = arith.cmpi slt, %[[J:.*]], %{{.*}} : i64
// CHECK-NEXT:      %[[END:.*]] = arith.addi %[[J]], %[[LEN:.*]] : i64
// CHECK-NEXT:      %[[K:.*]] = arith.select %[[NEG]], %[[END]], %[[J]] : i64
// CHECK:           %[[LO:.*]] = arith.cmpi sge, %[[K]], %{{.*}} : i64
// CHECK-NEXT:      %[[HI:.*]] = arith.cmpi slt, %[[K]], %[[LEN]] : i64
// CHECK-NEXT:      %[[IN:.*]] = arith.andi %[[LO]], %[[HI]] : i1
// CHECK-NEXT:      guard.require %[[IN]], bounds, "index out of range"
// CHECK-NEXT:      %[[W:.*]] = skel.captured @w : tensor<?xf32>
// CHECK-NEXT:      obj.load %[[W]][%[[K]]] : tensor<?xf32> -> f32

// -----

/// A counter that goes past the end by up to a step must not overflow there; with step 1 it cannot. A loop that counts
/// down counts its iterations up, and how many these are has to fit 64 bits.
func.func @steps(%x: tensor<?x!dyn.int> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "list"} {
  %z = skel.map(%x) : (tensor<?x!dyn.int>) -> tensor<?x!dyn.object> {
  ^bb0(%a: !dyn.object):
    %zero = dyn.const 0 : i64
    %one = dyn.const 1 : i64
    dyn.for_range %zero to %a step %one {
    ^bb1(%i: !dyn.object):
      dyn.yield
    }
    %five = dyn.const 5 : i64
    dyn.for_range %zero to %a step %five {
    ^bb1(%i: !dyn.object):
      dyn.yield
    }
    %down = dyn.const -1 : i64
    %last = dyn.for_range %a to %zero step %down iter_args(%a : !dyn.object) -> !dyn.object {
    ^bb1(%i: !dyn.object, %t: !dyn.object):
      dyn.yield %i : !dyn.object
    }
    skel.yield %last : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @steps
// CHECK:         %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-NOT:     guard.require
// CHECK:         scf.for
// CHECK:         %[[LAST:.*]] = arith.constant 9223372036854775803 : i64
// CHECK:         %[[BELOW:.*]] = arith.cmpi sle, %[[STOP:.*]], %[[LAST]] : i64
// CHECK:         guard.require %{{.*}}, overflow, "the range ends too near to 2**63"
// CHECK-NEXT:    scf.for %{{.*}} = %{{.*}} to %[[STOP]] step
// CHECK:         guard.require %{{.*}}, domain, "range() with step 0 raises ValueError"
// CHECK:         guard.fits "sub" %[[HIGH:.*]], %[[LOW:.*]] : i64
// CHECK-NEXT:    guard.require %{{.*}}, overflow
// CHECK-NEXT:    %[[SPAN:.*]] = arith.subi %[[HIGH]], %[[LOW]] : i64
// CHECK:         arith.divsi
// CHECK:         scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step
// CHECK-NEXT:      %[[OFFSET:.*]] = arith.muli %[[K]], %{{.*}} : i64
// CHECK-NEXT:      arith.addi %{{.*}}, %[[OFFSET]] : i64

// -----

/// A loop that may be left early is a `while` that counts.
func.func @find(%x: tensor<?x!dyn.int> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "list"} {
  %z = skel.map(%x) : (tensor<?x!dyn.int>) -> tensor<?x!dyn.object> {
  ^bb0(%a: !dyn.object):
    %zero = dyn.const 0 : i64
    %one = dyn.const 1 : i64
    %no = arith.constant false
    %s, %f = dyn.for_range %zero to %a step %one early_exit iter_args(%zero, %no : !dyn.object, i1) -> !dyn.object, i1 {
    ^bb1(%i: !dyn.object, %t: !dyn.object, %g: i1):
      %q = dyn.truth %i
      dyn.yield %i, %q : !dyn.object, i1
    }
    skel.yield %s : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @find
// CHECK:         scf.while (%[[I:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %[[F:.*]] = %{{.*}}) : (i64, !obj.boxed<!dyn.int>, i1) -> (i64, !obj.boxed<!dyn.int>, i1) {
// CHECK-NEXT:      %[[MORE:.*]] = arith.cmpi slt, %[[I]], %{{.*}} : i64
// CHECK-NEXT:      %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:      %[[GOING:.*]] = arith.xori %[[F]], %[[TRUE]] : i1
// CHECK-NEXT:      %[[BOTH:.*]] = arith.andi %[[GOING]], %[[MORE]] : i1
// CHECK-NEXT:      scf.condition(%[[BOTH]])
// CHECK:         } do {
// CHECK:           %[[NEXT:.*]] = arith.addi %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:      scf.yield %[[NEXT]], %{{.*}}, %{{.*}} : i64, !obj.boxed<!dyn.int>, i1

// -----

/// Arrays of tuples become one array a number: an input of pairs, zip, and a pair as result.
func.func @pairs(%x: tensor<?xtuple<f32, !dyn.int>> {skel.path = array<i64: 0>}, %y: tensor<?xf64> {skel.path = array<i64: 1>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "list"} {
  %m = skel.zip(%x, %y) : (tensor<?xtuple<f32, !dyn.int>>, tensor<?xf64>) -> tensor<?x!dyn.object>
  %z = skel.map(%m) : (tensor<?x!dyn.object>) -> tensor<?x!dyn.object> {
  ^bb0(%t: !dyn.object):
    %p, %c = dyn.unpack %t : !dyn.object, !dyn.object
    %a, %b = dyn.unpack %p : !dyn.object, !dyn.object
    %u = dyn.build_tuple(%c, %a)
    skel.yield %u : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @pairs
// CHECK-SAME:    (%[[X0:.*]]: tensor<?xf32> {skel.path = array<i64: 0, 0>}, %[[X1:.*]]: tensor<?x!dyn.int> {skel.path = array<i64: 0, 1>}, %[[Y:.*]]: tensor<?xf64> {skel.path = array<i64: 1>}) -> (tensor<?xf64>, tensor<?xf32>)
// CHECK-SAME:    skel.result = tuple<f64, f32>
// CHECK-NEXT:    %[[Z0:.*]], %[[Z1:.*]] = skel.map(%[[X0]], %[[X1]], %[[Y]]) : (tensor<?xf32>, tensor<?x!dyn.int>, tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf32>) {
// CHECK-NEXT:    ^{{.*}}(%{{.*}}: f32, %{{.*}}: i64, %{{.*}}: f64):
// CHECK:         skel.yield %{{.*}}, %{{.*}} : f64, f32
// CHECK:         func.return %[[Z0]], %[[Z1]]

// -----

/// A sequence stays one; captured scalars and lengths come with what is known about them.
skel.capture @gain : !dyn.int {bounds = array<i64: 1, 2147483647>}
skel.capture @n : !dyn.int {equals_dim = 0 : i64}
func.func @captures(%r: !skel.sequence<!dyn.int> {skel.path = array<i64: 0>, skel.bounds = array<i64: 0, 2147483647>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "list"} {
  %z = skel.map(%r) : (!skel.sequence<!dyn.int>) -> tensor<?x!dyn.object> {
  ^bb0(%a: !dyn.object):
    %g = dyn.global @gain
    %n = dyn.global @n
    %u = dyn.build_tuple(%a, %g, %n)
    skel.yield %u : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @captures
// CHECK-SAME:    (%[[R:.*]]: !skel.sequence<!dyn.int>
// CHECK:         skel.map(%[[R]])
// CHECK-NEXT:    ^{{.*}}(%[[E:.*]]: i64):
// CHECK-NEXT:      guard.fact %[[E]] in [0, 2147483647] : i64
// CHECK:           %[[G:.*]] = skel.captured @gain : i64
// CHECK-NEXT:      guard.fact %[[G]] in [1, 2147483647] : i64
// CHECK:           %[[N:.*]] = skel.size 0
// CHECK-NEXT:      guard.fact %[[N]] in [1, 1073741824] : i64

// -----

/// With dimensions of 2**31 elements or more, and with empty ones, less is known about lengths.
skel.capture @a : tensor<?x?xf32> {dims = array<i64: 1, 2>}
func.func @sizes(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "ndarray", skel.wide, skel.empty = array<i64: 2>} {
  %z = skel.map(%x) : (tensor<?xf32>) -> tensor<?x!dyn.object> {
  ^bb0(%e: !dyn.object):
    %a = dyn.global @a
    %s = dyn.shape %a
    skel.yield %s : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @sizes
// CHECK:         %[[ROWS:.*]] = skel.size 1
// CHECK-NEXT:    guard.fact %[[ROWS]] in [1, 9223372036854775807] : i64
// CHECK-NEXT:    %[[COLUMNS:.*]] = skel.size 2
// CHECK-NEXT:    guard.fact %[[COLUMNS]] in [0, 9223372036854775807] : i64

// -----

/// A reduction computes in the elements' type; the initial value, a Python number, is converted where nothing is lost.
func.func @sum(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> !dyn.object attributes {skel.entry, skel.container = "ndarray"} {
  %zero = dyn.const 0.0 : f64
  %z = skel.reduce(%x) init(%zero : !dyn.object) : (tensor<?xf32>) -> !dyn.object transform {
  ^bb0(%a: !dyn.object):
    skel.yield %a : !dyn.object
  } combine {
  ^bb0(%a: !dyn.object, %b: !dyn.object):
    %1 = dyn.binary "add" %a, %b
    skel.yield %1 : !dyn.object
  }
  func.return %z : !dyn.object
}
// CHECK-LABEL: func.func @sum
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32> {{.*}}) -> f32
// CHECK-SAME:    skel.result = f32, skel.scalar
// CHECK:         %[[ZERO:.*]] = arith.constant 0.0{{.*}} : f32
// CHECK-NEXT:    %[[S:.*]] = skel.reduce(%[[X]]) init(%[[ZERO]] : f32) : (tensor<?xf32>) -> f32 transform {
// CHECK:         } combine {
// CHECK:           arith.addf %{{.*}}, %{{.*}} : f32
// CHECK:         func.return %[[S]] : f32

// -----

/// A module without an entry is left alone.
func.func private @other(%a: !dyn.object) -> !dyn.object {
  %0 = dyn.binary "add" %a, %a
  func.return %0 : !dyn.object
}
// CHECK-LABEL: func.func private @other
// CHECK:         dyn.binary "add"

// -----

/// A path that leaves for Python becomes a guard, and so does a branch that no sample has taken (`dyn.seen`): nothing is
/// left of either `scf.if`.
func.func @leaves(%x: tensor<?xf64> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "ndarray"} {
  %z = skel.map(%x) : (tensor<?xf64>) -> tensor<?x!dyn.object> {
  ^bb0(%a: !dyn.object):
    %c = dyn.truth %a
    scf.if %c {
      dyn.leave "the function raises an exception here"
    }
    %0 = dyn.compare "lt" %a, %a
    %d = dyn.truth %0
    %r = scf.if %d -> (!dyn.object) {
      scf.yield %a : !dyn.object
    } else {
      %1 = dyn.const 1 : i64
      scf.yield %1 : !dyn.object
    } {dyn.branch, dyn.seen = "then"}
    skel.yield %r : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @leaves
// CHECK:         %[[T:.*]] = arith.cmpf une, %{{.*}}, %{{.*}} : f64
// CHECK:         %[[N:.*]] = arith.xori %[[T]], %{{.*}} : i1
// CHECK-NEXT:    guard.require %[[N]], domain, "the function raises an exception here"
// CHECK:         %[[L:.*]] = obj.unbox %{{.*}} : !obj.boxed<i1> -> i1
// CHECK-NEXT:    guard.require %[[L]], branch, "this branch was never taken"
// CHECK-NOT:     scf.if

// -----

/// A value of two types is a union: its tag says which (1 is Python's int, 2 its float). An operator looks at the tag.
func.func @two_types(%x: tensor<?x!dyn.float> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "list"} {
  %z = skel.map(%x) : (tensor<?x!dyn.float>) -> tensor<?x!dyn.object> {
  ^bb0(%a: !dyn.object):
    %c = dyn.truth %a
    %r = scf.if %c -> (!dyn.object) {
      scf.yield %a : !dyn.object
    } else {
      %1 = dyn.const 1 : i64
      scf.yield %1 : !dyn.object
    }
    %s = dyn.unary "neg" %r
    skel.yield %s : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @two_types
// CHECK-SAME:    skel.result = !obj.union<[!dyn.int, !dyn.float]>
// CHECK:         %[[U:.*]] = scf.if %{{.*}} -> (!obj.union<[!obj.boxed<!dyn.int>, !obj.boxed<!dyn.float>]>) {
// CHECK:           %[[TWO:.*]] = arith.constant 2 : i8
// CHECK:           obj.union %[[TWO]](
// CHECK:         } else {
// CHECK:           %[[ONE:.*]] = arith.constant 1 : i8
// CHECK:           obj.union %[[ONE]](
// CHECK:         %[[TAG:.*]] = obj.tag %[[U]]
// CHECK:         %[[IS:.*]] = arith.cmpi eq, %[[TAG]], %{{.*}} : i8
// CHECK-NEXT:    scf.if %[[IS]] -> (!obj.union<[!obj.boxed<!dyn.int>, !obj.boxed<!dyn.float>]>) {
// CHECK:           arith.subi
// CHECK:         } else {
// CHECK:           arith.negf

// -----

/// A loop over a tuple is unrolled, and its items keep their types; one over an array counts, and needs no guard for the
/// index.
skel.capture @w : tensor<?xf32> {dims = array<i64: 1>}
func.func @for_each(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "ndarray"} {
  %z = skel.map(%x) : (tensor<?xf32>) -> tensor<?x!dyn.object> {
  ^bb0(%a: !dyn.object):
    %two = dyn.const 2 : i64
    %t = dyn.build_list(%a, %two)
    %p = dyn.for_each %t iter_args(%a : !dyn.object) -> !dyn.object {
    ^bb1(%i: !dyn.object, %s: !dyn.object):
      %u = dyn.binary "mul" %s, %i
      dyn.yield %u : !dyn.object
    }
    %w = dyn.global @w
    %q = dyn.for_each %w iter_args(%p : !dyn.object) -> !dyn.object {
    ^bb1(%i: !dyn.object, %s: !dyn.object):
      %u = dyn.binary "add" %s, %i
      dyn.yield %u : !dyn.object
    }
    skel.yield %q : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @for_each
// CHECK:         %[[SQUARE:.*]] = arith.mulf
// CHECK:         arith.constant 2.0{{.*}} : f32
// CHECK:         arith.mulf
// CHECK-NOT:     guard.require
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK:           %[[W:.*]] = skel.captured @w
// CHECK-NEXT:      obj.load %[[W]][%[[I]]]

// -----

/// A slice of an array is a view of it; a function that is an argument is interpreted where it is called.
skel.capture @w : tensor<?xf32> {dims = array<i64: 1>}
func.func private @apply(%f: !dyn.object, %v: !dyn.object) -> !dyn.object {
  %zero = dyn.const 0 : i64
  %e = dyn.getitem %v[%zero]
  %r = dyn.call_value %f(%e)
  func.return %r : !dyn.object
}
func.func @views(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "ndarray"} {
  %z = skel.map(%x) : (tensor<?xf32>) -> tensor<?x!dyn.object> {
  ^bb0(%a: !dyn.object):
    %w = dyn.global @w
    %one = dyn.const 1 : i64
    %s = dyn.slice start %one
    %v = dyn.getitem %w[%s]
    %f = dyn.lambda {
    ^bb1(%e: !dyn.object):
      %r = dyn.binary "mul" %e, %a
      dyn.yield %r : !dyn.object
    }
    %y = dyn.call @apply(%f, %v)
    skel.yield %y : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @views
// CHECK-NOT:     func.call
// CHECK:         guard.require %{{.*}}, bounds, "index out of range"
// CHECK:         %[[W:.*]] = skel.captured @w
// CHECK-NEXT:    obj.load %[[W]][%{{.*}}]
// CHECK:         arith.mulf
// CHECK-NOT:     func.func private @apply

// -----

/// A loop: the index is a Python int of which marshalling knows the bounds. What is stored becomes the array's own type,
/// and loads of the array stay where they are among the stores.
skel.capture @a : tensor<?xf32> {dims = array<i64: 1>}
func.func @loop(%r: !skel.sequence<!dyn.int> {skel.path = array<i64: 0>, skel.bounds = array<i64: 0, 2147483647>, skel.below = array<i64: 1, -1>}) attributes {skel.entry, skel.container = "list"} {
  skel.forall(%r) : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: !dyn.object):
    %a = dyn.global @a
    %x = dyn.getitem %a[%i]
    %two = dyn.const 2.0 : f64
    %y = dyn.binary "mul" %x, %two
    dyn.store_item %y, %a[%i]
    skel.yield
  }
  func.return
}
// CHECK-LABEL: func.func @loop
// CHECK:         skel.forall
// CHECK-NEXT:    ^{{.*}}(%[[I:.*]]: i64):
// CHECK-NEXT:      guard.fact %[[I]] in [0, 1073741823] {below = array<i64: 1, -1>} : i64
// CHECK:           obj.load %{{.*}}[%{{.*}}] mutable : tensor<?xf32> -> f32
// CHECK:           obj.store %{{.*}}, %{{.*}}[%{{.*}}] : f32, tensor<?xf32>

// -----

/// An object of a list whose attributes are assigned is a reference: what is read of it is loaded then, and what a
/// method assigns of it is stored. An attribute that nothing assigns is loaded for good.
skel.capture @some_x : tensor<?x!dyn.float> {dims = array<i64: 1>}
skel.capture @some_v : tensor<?x!dyn.float> {dims = array<i64: 1>}
obj.class @Body ["x", "v"] is ["Body", "object"] {members = {move = #obj.member<"method", @move>}, mutable}
func.func @stores(%r: !skel.sequence<!dyn.int> {skel.path = array<i64: 0>, skel.bounds = array<i64: 0, 2147483647>, skel.below = array<i64: 1, -1>}) attributes {skel.entry, skel.container = "list"} {
  skel.forall(%r) : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: !dyn.object):
    %x = dyn.global @some_x
    %v = dyn.global @some_v
    %some = dyn.new "each" @Body ["x", "v"](%x, %v)
    %b = dyn.getitem %some[%i]
    %0 = dyn.method %b "move"()
    skel.yield
  }
  func.return
}
func.func private @move(%self: !dyn.object) -> !dyn.object {
  %x = dyn.getattr %self "x"
  %v = dyn.getattr %self "v"
  %y = dyn.binary "add" %x, %v
  dyn.store_attr %y, %self "x"
  %none = dyn.none
  func.return %none : !dyn.object
}
// CHECK-LABEL: func.func @stores
// CHECK-NOT:     func.call
// CHECK-NOT:     obj.new
// CHECK:         %[[X:.*]] = skel.captured @some_x
// CHECK-NEXT:    obj.load %[[X]][%[[I:.*]]] mutable : tensor<?x!dyn.float> -> f64
// CHECK:         %[[V:.*]] = skel.captured @some_v
// CHECK-NEXT:    obj.load %[[V]][%[[I]]] : tensor<?x!dyn.float> -> f64
// CHECK:         %[[Y:.*]] = arith.addf
// CHECK:         obj.store %{{.*}}, %{{.*}}[%[[I]]] : f64, tensor<?x!dyn.float>

// -----

/// The near miss: of a list that the program only reads, an object is the values of its fields.
skel.capture @some_x : tensor<?x!dyn.float> {dims = array<i64: 1>}
skel.capture @y : tensor<?xf64> {dims = array<i64: 1>}
obj.class @Body ["x"] is ["Body", "object"] {mutable}
func.func @reads(%r: !skel.sequence<!dyn.int> {skel.path = array<i64: 0>, skel.bounds = array<i64: 0, 2147483647>, skel.below = array<i64: 1, -1>}) attributes {skel.entry, skel.container = "list"} {
  skel.forall(%r) : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: !dyn.object):
    %x = dyn.global @some_x
    %some = dyn.new "each" @Body ["x"](%x)
    %b = dyn.getitem %some[%i]
    %0 = dyn.getattr %b "x"
    %y = dyn.global @y
    dyn.store_item %0, %y[%i]
    skel.yield
  }
  func.return
}
// CHECK-LABEL: func.func @reads
// CHECK:         %[[X:.*]] = skel.captured @some_x
// CHECK-NEXT:    obj.load %[[X]][%{{.*}}] : tensor<?x!dyn.float> -> f64
// CHECK:         obj.new(%{{.*}}) : (!obj.boxed<!dyn.float>) -> !obj.object<given @Body {x: !obj.boxed<!dyn.float>}>

// -----

/// An object of one of several classes: its tag decides whose method is called.
obj.class @Circle ["r"] is ["Circle", "Shape", "object"] {members = {area = #obj.member<"method", @circle_area>}, mutable}
obj.class @Square ["w"] is ["Square", "Shape", "object"] {members = {area = #obj.member<"method", @square_area>}, mutable}
func.func @virtual(%0: tensor<?x!obj.union<[!obj.object<given @Circle {r: f32}>, !obj.object<given @Square {w: f32}>]>> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "list"} {
  %1 = skel.map(%0) : (tensor<?x!obj.union<[!obj.object<given @Circle {r: f32}>, !obj.object<given @Square {w: f32}>]>>) -> tensor<?x!dyn.object> {
  ^bb0(%s: !dyn.object):
    %2 = dyn.method %s "area"()
    skel.yield %2 : !dyn.object
  }
  func.return %1 : tensor<?x!dyn.object>
}
func.func private @circle_area(%s: !dyn.object) -> !dyn.object {
  %r = dyn.getattr %s "r"
  %0 = dyn.binary "mul" %r, %r
  func.return %0 : !dyn.object
}
func.func private @square_area(%s: !dyn.object) -> !dyn.object {
  %w = dyn.getattr %s "w"
  %0 = dyn.binary "add" %w, %w
  func.return %0 : !dyn.object
}

// CHECK-LABEL: func.func @virtual
// CHECK-SAME:    (%[[T:.*]]: tensor<?xsi8> {skel.path = array<i64: 0, -1>}, %[[R:.*]]: tensor<?xf32> {{.*}}, %[[W:.*]]: tensor<?xf32> {{.*}})
// CHECK:         %[[TAG:.*]] = obj.tag
// CHECK-NEXT:    %[[C:.*]] = arith.constant -80 : i8
// CHECK-NEXT:    %[[IS:.*]] = arith.cmpi eq, %[[TAG]], %[[C]] : i8
// CHECK-NEXT:    scf.if %[[IS]]
// CHECK:           arith.mulf
// CHECK:         } else {
// CHECK:           arith.addf

// -----

/// The near miss: a class that has no such attribute leaves its objects to Python, which raises; nothing is chosen.
obj.class @Circle ["r"] is ["Circle", "object"] {mutable}
obj.class @Square ["w"] is ["Square", "object"] {mutable}
func.func @missing(%0: tensor<?x!obj.union<[!obj.object<given @Circle {r: f32}>, !obj.object<given @Square {w: f32}>]>> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "list"} {
  %1 = skel.map(%0) : (tensor<?x!obj.union<[!obj.object<given @Circle {r: f32}>, !obj.object<given @Square {w: f32}>]>>) -> tensor<?x!dyn.object> {
  ^bb0(%s: !dyn.object):
    %2 = dyn.getattr %s "r"
    skel.yield %2 : !dyn.object
  }
  func.return %1 : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @missing
// CHECK:         %[[IS:.*]] = arith.cmpi eq
// CHECK-NEXT:    guard.require %[[IS]], domain, "a Square has no attribute 'r' that is compiled"
// CHECK-NOT:     scf.if
// CHECK:         obj.alternative %{{.*}}[0]

// -----

/// An element of a structured array is its fields; one of another field's name has the scalar type of its own.
obj.class @np.void [] is ["np.void", "object"]
func.func @records(%0: tensor<?x!obj.object<given @np.void {x: f32, p: !obj.object<given @np.void {n: si32}>}>> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "ndarray"} {
  %1 = skel.map(%0) : (tensor<?x!obj.object<given @np.void {x: f32, p: !obj.object<given @np.void {n: si32}>}>>) -> tensor<?x!dyn.object> {
  ^bb0(%e: !dyn.object):
    %2 = dyn.field %e "p"
    %3 = dyn.field %2 "n"
    skel.yield %3 : !dyn.object
  }
  func.return %1 : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @records
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32> {skel.path = array<i64: 0, 0>}, %[[N:.*]]: tensor<?xsi32> {skel.path = array<i64: 0, 1, 0>}) -> tensor<?xsi32>
// CHECK-NEXT:    %{{.*}} = skel.map(%[[X]], %[[N]])
// CHECK-NEXT:    ^{{.*}}(%{{.*}}: f32, %[[B:.*]]: i32):
// CHECK:           %[[G:.*]] = obj.box %[[B]]
// CHECK:           %[[R:.*]] = obj.unbox %[[G]]
// CHECK-NEXT:      skel.yield %[[R]]

// -----

/// A captured structured array is an array a field, and a field that is an array is a view; what is stored to an element
/// of it goes to the array.
obj.class @np.void [] is ["np.void", "object"]
skel.capture @mass : tensor<?xf32> {dims = array<i64: 0>}
skel.capture @place : tensor<?x?xf64> {dims = array<i64: 0, 1>}
func.func @stored(%0: !skel.sequence<!dyn.int> {skel.path = array<i64: 0>}) attributes {skel.entry, skel.container = "list"} {
  skel.forall(%0) : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: !dyn.object):
    %m = dyn.global @mass
    %p = dyn.global @place
    %a = dyn.new "each" @np.void ["mass", "place"](%m, %p)
    %e = dyn.getitem %a[%i]
    %x = dyn.field %e "place"
    %y = dyn.getitem %x[%i]
    dyn.store_field %y, %e "mass"
    skel.yield
  }
  func.return
}
// CHECK-LABEL: func.func @stored
// CHECK:         %[[P:.*]] = skel.captured @place
// CHECK-NEXT:    %[[X:.*]] = obj.load %[[P]][%[[I:.*]], %{{.*}}]
// CHECK:         %[[Y:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK:         %[[M:.*]] = skel.captured @mass
// CHECK-NEXT:    obj.store %[[Y]], %[[M]][%[[I]]]

// -----

/// A list of objects is an array a field; a method is called with the object, and what it makes is an object again.
obj.class @Point ["x", "y"] is ["Point", "object"] {members = {__add__ = #obj.member<"method", @add>}, maker = @new_Point, mutable}
func.func @objects(%0: tensor<?x!obj.object<given @Point {x: f32, y: f32}>> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "list"} {
  %1 = skel.map(%0) : (tensor<?x!obj.object<given @Point {x: f32, y: f32}>>) -> tensor<?x!dyn.object> {
  ^bb0(%p: !dyn.object):
    %2 = dyn.binary "add" %p, %p
    %3 = dyn.getattr %2 "x"
    skel.yield %3 : !dyn.object
  }
  func.return %1 : tensor<?x!dyn.object>
}
func.func private @new_Point(%x: !dyn.object, %y: !dyn.object) -> !dyn.object {
  %0 = dyn.new "made" @Point ["x", "y"](%x, %y)
  func.return %0 : !dyn.object
}
func.func private @add(%a: !dyn.object, %b: !dyn.object) -> !dyn.object {
  %0 = dyn.getattr %a "x"
  %1 = dyn.getattr %b "y"
  %2 = dyn.call @new_Point(%1, %0)
  func.return %2 : !dyn.object
}
// CHECK-LABEL: func.func @objects
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32> {skel.path = array<i64: 0, 0>}, %[[Y:.*]]: tensor<?xf32> {skel.path = array<i64: 0, 1>}) -> tensor<?xf32>
// CHECK-NEXT:    %{{.*}} = skel.map(%[[X]], %[[Y]])
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT:      %[[F:.*]] = obj.box %[[A]]
// CHECK-NEXT:      %[[G:.*]] = obj.box %[[B]]
// CHECK-NEXT:      %{{.*}} = obj.new(%[[F]], %[[G]]) : (!obj.boxed<f32>, !obj.boxed<f32>) -> !obj.object<given @Point {x: !obj.boxed<f32>, y: !obj.boxed<f32>}>
// CHECK-NEXT:      %{{.*}} = obj.new(%[[G]], %[[F]]) : (!obj.boxed<f32>, !obj.boxed<f32>) -> !obj.object<@Point {x: !obj.boxed<f32>, y: !obj.boxed<f32>}>
// CHECK-NEXT:      %[[R:.*]] = obj.unbox %[[G]]
// CHECK-NEXT:      skel.yield %[[R]]

// -----

/// A gather becomes a map over the indices, which are checked as Python checks them; a scatter has places for keys, and
/// starts from the zero of the elements' type.
skel.capture @indices : tensor<?xui8> {dims = array<i64: 1>}
func.func @indexed(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "ndarray"} {
  %i = skel.captured @indices : tensor<?xui8>
  %y = skel.gather(%x) at %i : tensor<?xui8>, (tensor<?xf32>) -> tensor<?x!dyn.object>
  %z = skel.scatter(%i, %y) size 9 init() unique : (tensor<?xui8>, tensor<?x!dyn.object>) -> tensor<?x!dyn.object> transform {
  ^bb0(%key: !dyn.object, %e: !dyn.object):
    skel.yield %key, %e : !dyn.object, !dyn.object
  } combine {
  ^bb0(%p: !dyn.object, %q: !dyn.object):
    skel.yield %q : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @indexed
// CHECK:         %[[I:.*]] = skel.captured @indices : tensor<?xui8>
// CHECK:         %[[Y:.*]] = skel.map(%[[I]]) : (tensor<?xui8>) -> tensor<?xf32> {
// CHECK:           guard.require %{{.*}}, bounds, "index out of range"
// CHECK:           obj.load %x
// CHECK:         %[[ZERO:.*]] = arith.constant 0.0{{.*}} : f32
// CHECK:         skel.scatter(%[[I]], %[[Y]]) size 9 init(%[[ZERO]] : f32) unique : (tensor<?xui8>, tensor<?xf32>) -> tensor<?xf32> transform {
// CHECK:           guard.require %{{.*}}, bounds, "index out of range"
// CHECK:           skel.yield %{{.*}}, %{{.*}} : i64, f32

// -----

/// Of the tuple that a reduction gives, an item may be all that is asked for.
func.func @place(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> !dyn.object attributes {skel.entry, skel.container = "ndarray"} {
  %k = skel.positions %x : tensor<?xf32>
  %z = skel.zip(%k, %x) : (!skel.sequence<!dyn.int>, tensor<?xf32>) -> tensor<?x!dyn.object>
  %r = skel.reduce(%z) nonempty : (tensor<?x!dyn.object>) -> !dyn.object transform {
  ^bb0(%e: !dyn.object):
    skel.yield %e : !dyn.object
  } combine {
  ^bb0(%p: !dyn.object, %q: !dyn.object):
    skel.yield %q : !dyn.object
  }
  %zero = dyn.const 0 : i64
  %place = dyn.getitem %r[%zero]
  func.return %place : !dyn.object
}
// CHECK-LABEL: func.func @place
// CHECK-SAME:    -> i64 attributes
// CHECK-SAME:    skel.scalar
// CHECK:         %[[K:.*]] = skel.positions %x : tensor<?xf32>
// CHECK:         %[[P:.*]], %{{.*}} = skel.reduce(%[[K]], %x) nonempty : (!skel.sequence<!dyn.int>, tensor<?xf32>) -> (i64, f32)
// CHECK:         func.return %[[P]] : i64

// -----

/// An object that came from outside is a result by its identity alone; what else is read of it, is not part of that.
obj.class @Point ["x"] is ["Point", "object"] {mutable}
func.func @known(%0: tensor<?x!obj.object<given @Point {x: f32, id$: si64}>> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "list"} {
  %1 = skel.map(%0) : (tensor<?x!obj.object<given @Point {x: f32, id$: si64}>>) -> tensor<?x!dyn.object> {
  ^bb0(%p: !dyn.object):
    skel.yield %p : !dyn.object
  }
  func.return %1 : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @known
// CHECK-SAME:    -> tensor<?xsi64> attributes
// CHECK-SAME:    skel.result = !obj.object<given @Point {id$: si64}>
// CHECK:           %[[ID:.*]] = obj.get %{{.*}} "id$"
// CHECK-NEXT:      obj.new(%[[ID]]) : (!obj.boxed<si64>) -> !obj.object<given @Point {id$: !obj.boxed<si64>}>
// CHECK:           %[[OUT:.*]] = obj.unbox %{{.*}} : !obj.boxed<si64> -> i64
// CHECK-NEXT:      skel.yield %[[OUT]] : i64

// -----

/// One that may also be new has the fields of the new one, and a new one's identity is zero.
obj.class @Point ["x"] is ["Point", "object"] {maker = @new_Point, mutable}
func.func @either(%0: tensor<?x!obj.object<given @Point {x: f32, id$: si64}>> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "list"} {
  %1 = skel.map(%0) : (tensor<?x!obj.object<given @Point {x: f32, id$: si64}>>) -> tensor<?x!dyn.object> {
  ^bb0(%p: !dyn.object):
    %x = dyn.getattr %p "x"
    %c = dyn.truth %x
    %q = scf.if %c -> (!dyn.object) {
      scf.yield %p : !dyn.object
    } else {
      %new = dyn.new "made" @Point ["x"](%x)
      scf.yield %new : !dyn.object
    }
    skel.yield %q : !dyn.object
  }
  func.return %1 : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @either
// CHECK-SAME:    -> (tensor<?xf32>, tensor<?xsi64>) attributes
// CHECK-SAME:    skel.result = !obj.object<@Point {x: f32, id$: si64}>
// CHECK:         } else {
// CHECK-NEXT:      %[[NEW:.*]] = obj.new(%{{.*}}) : (!obj.boxed<f32>) -> !obj.object<@Point {x: !obj.boxed<f32>}>
// CHECK-NEXT:      %[[X:.*]] = obj.get %[[NEW]] "x"
// CHECK-NEXT:      %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-NEXT:      %[[NONE:.*]] = obj.box %[[ZERO]] : i64 -> !obj.boxed<si64>
// CHECK-NEXT:      obj.new(%[[X]], %[[NONE]]) : (!obj.boxed<f32>, !obj.boxed<si64>) -> !obj.object<@Point {x: !obj.boxed<f32>, id$: !obj.boxed<si64>}>

// -----

/// `is` compares identities; a new object is none that was there before.
obj.class @Point ["x"] is ["Point", "object"] {maker = @new_Point, mutable}
func.func @same(%0: tensor<?x!obj.object<given @Point {x: f32, id$: si64}>> {skel.path = array<i64: 0>}, %1: tensor<?x!obj.object<given @Point {x: f32, id$: si64}>> {skel.path = array<i64: 1>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "list"} {
  %2 = skel.map(%0, %1) : (tensor<?x!obj.object<given @Point {x: f32, id$: si64}>>, tensor<?x!obj.object<given @Point {x: f32, id$: si64}>>) -> tensor<?x!dyn.object> {
  ^bb0(%p: !dyn.object, %q: !dyn.object):
    %same = dyn.compare "is" %p, %q
    %x = dyn.getattr %p "x"
    %new = dyn.new "made" @Point ["x"](%x)
    %never = dyn.compare "is" %p, %new
    %both = dyn.build_tuple(%same, %never)
    skel.yield %both : !dyn.object
  }
  func.return %2 : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @same
// CHECK:           %[[A:.*]] = obj.unbox %{{.*}} : !obj.boxed<si64> -> i64
// CHECK:           %[[B:.*]] = obj.unbox %{{.*}} : !obj.boxed<si64> -> i64
// CHECK-NEXT:      arith.cmpi eq, %[[A]], %[[B]] : i64
// CHECK:           arith.constant false

// -----

/// An item of a captured list of objects of several classes is of the class that its tag says, or None.
obj.class @Circle ["r"] is ["Circle", "object"] {mutable}
obj.class @Square ["w"] is ["Square", "object"] {mutable}
skel.capture @kinds : tensor<?xsi8> {dims = array<i64: 1>}
skel.capture @radii : tensor<?xf32> {dims = array<i64: 1>}
skel.capture @sides : tensor<?xf32> {dims = array<i64: 1>}
func.func @several(%0: tensor<?xsi32> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "list"} {
  %1 = skel.map(%0) : (tensor<?xsi32>) -> tensor<?x!dyn.object> {
  ^bb0(%i: !dyn.object):
    %t = dyn.global @kinds
    %r = dyn.global @radii
    %w = dyn.global @sides
    %circles = dyn.new "each" @Circle ["r"](%r)
    %squares = dyn.new "each" @Square ["w"](%w)
    %all = dyn.several %t(%circles, %squares) none
    %one = dyn.getitem %all[%i]
    %none = dyn.none
    %is = dyn.compare "is" %one, %none
    skel.yield %is : !dyn.object
  }
  func.return %1 : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @several
// CHECK:         %[[KINDS:.*]] = skel.captured @kinds
// CHECK:         %[[TAG:.*]] = obj.load %[[KINDS]][%{{.*}}]
// CHECK:         obj.union %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}} : {{.*}}!dyn.none) : !obj.union<[

// -----

/// A reference is the place of an object in the table of its class. What it refers to is read where its fields are: so
/// a loop follows references, and None among them is another type.
obj.class @Node ["x", "next"] is ["Node", "object"] {mutable}
skel.capture @Node_x : tensor<?xf32> {dims = array<i64: 1>}
skel.capture @Node_next : tensor<?x!dyn.int> {dims = array<i64: 1>}
skel.capture @heads : tensor<?x!dyn.int> {dims = array<i64: 2>}
obj.table @Node ["x", "next"] [#obj.column<@Node_x>, #obj.column<@Node_next to @Node or none>]
func.func @followed(%0: tensor<?xsi32> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "list"} {
  %1 = skel.map(%0) : (tensor<?xsi32>) -> tensor<?x!dyn.object> {
  ^bb0(%i: !dyn.object):
    %places = dyn.global @heads
    %all = dyn.refer %places @Node
    %one = dyn.getitem %all[%i]
    %next = dyn.getattr %one "next"
    %x = dyn.getattr %next "x"
    skel.yield %x : !dyn.object
  }
  func.return %1 : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @followed
// CHECK:         %[[HEADS:.*]] = skel.captured @heads
// CHECK-NEXT:    obj.load %[[HEADS]]
// CHECK:         obj.new(%{{.*}}) : (!obj.boxed<!dyn.int>) -> !obj.object<given @Node {place$: !obj.boxed<!dyn.int>}>
// CHECK:         %[[NEXT:.*]] = skel.captured @Node_next
// CHECK-NEXT:    %[[PLACE:.*]] = obj.load %[[NEXT]]
// CHECK:         obj.union %{{.*}} : !obj.union<[!obj.object<given @Node {place$: !obj.boxed<!dyn.int>}>, !dyn.none]>
/// None has no attribute, so that its elements are Python's.
// CHECK:         guard.require %{{.*}}, domain
// CHECK:         %[[X:.*]] = skel.captured @Node_x
// CHECK-NEXT:    obj.load %[[X]]

// -----

/// The objects of a table in order are places that nobody loads, and a reference that is returned is the identity of
/// its object.
obj.class @Node ["x"] is ["Node", "object"] {mutable}
skel.capture @Node_x : tensor<?xf32> {dims = array<i64: 1>}
skel.capture @ids : tensor<?xsi64> {dims = array<i64: 1>}
obj.table @Node ["x", "id$"] [#obj.column<@Node_x>, #obj.column<@ids>]
func.func @whole(%0: tensor<?xsi32> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "list"} {
  %1 = skel.map(%0) : (tensor<?xsi32>) -> tensor<?x!dyn.object> {
  ^bb0(%i: !dyn.object):
    %x = dyn.global @Node_x
    %all = dyn.refer %x @Node whole
    %one = dyn.getitem %all[%i]
    skel.yield %one : !dyn.object
  }
  func.return %1 : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @whole
// CHECK-NOT:     skel.captured @Node_x
// CHECK:         %[[IDS:.*]] = skel.captured @ids
// CHECK-NEXT:    obj.load %[[IDS]]
// CHECK:         obj.new(%{{.*}}) : (!obj.boxed<si64>) -> !obj.object<given @Node {id$: !obj.boxed<si64>}>

// -----

/// A partition asks for a class in its range; what it keeps has the types that it had. A class from the end is one, too.
func.func @parts(%k: tensor<?xui8> {skel.path = array<i64: 0>}, %x: tensor<?xf32> {skel.path = array<i64: 1>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "ndarray"} {
  %0 = skel.partition(%k, %x) classes 3 : (tensor<?xui8>, tensor<?xf32>) -> tensor<?x!dyn.object> {
  ^bb0(%key: !dyn.object, %e: !dyn.object):
    skel.yield %key : !dyn.object
  }
  func.return %0 : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @parts
// CHECK:         skel.partition(%{{.*}}, %{{.*}}) classes 3 : (tensor<?xui8>, tensor<?xf32>) -> tensor<?xf32> {
// CHECK:           guard.require %{{.*}}, bounds
// CHECK:           skel.yield %{{.*}} : i64

// -----

/// The bits of a number as one of another type; those of a NaN are whatever the processor makes them.
func.func @bits(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "ndarray"} {
  %0 = skel.map(%x) : (tensor<?xf32>) -> tensor<?x!dyn.object> {
  ^bb0(%e: !dyn.object):
    %bits = dyn.builtin "number.view.uint32"(%e)
    %back = dyn.builtin "number.view.float32"(%bits)
    skel.yield %back : !dyn.object
  }
  func.return %0 : tensor<?x!dyn.object>
}
// CHECK-LABEL: func.func @bits
// CHECK:         %[[E:.*]] = obj.unbox
// CHECK:         %[[ORDERED:.*]] = arith.cmpf ord, %[[E]], %[[E]]
// CHECK:         guard.require %[[ORDERED]], sign, "the bits of a NaN"
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[E]] : f32 to i32
// CHECK:         arith.bitcast %{{.*}} : i32 to f32

// -----

/// What the program computes has the flags that the module licenses; what Python's `//` is made of is exact.
builtin.module attributes {dyn.fast_math = #arith.fastmath<arcp,contract,afn>} {
  func.func @fast(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "ndarray"} {
    %z = skel.map(%x) : (tensor<?xf32>) -> tensor<?x!dyn.object> {
    ^bb0(%a: !dyn.object):
      %0 = dyn.binary "mul" %a, %a
      %1 = dyn.binary "truediv" %0, %a
      %2 = dyn.binary "floordiv" %1, %a
      skel.yield %2 : !dyn.object
    }
    func.return %z : tensor<?x!dyn.object>
  }
}
// CHECK-LABEL: func.func @fast
// CHECK:         arith.mulf %{{.*}}, %{{.*}} fastmath<arcp,contract,afn> : f32
// CHECK:         arith.divf %{{.*}}, %{{.*}} fastmath<arcp,contract,afn> : f32
// CHECK:         llvm.frem
// CHECK:         arith.subf %{{.*}}, %{{.*}} : f32
// CHECK-NEXT:    arith.divf %{{.*}}, %{{.*}} : f32

// -----

/// So has what a function computes that has a licence of its own; its caller has it not.
func.func @free(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "ndarray"} {
  %z = skel.map(%x) : (tensor<?xf32>) -> tensor<?x!dyn.object> {
  ^bb0(%a: !dyn.object):
    %0 = dyn.call @sum(%a, %a)
    %1 = dyn.binary "add" %0, %a
    skel.yield %1 : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
func.func private @sum(%a: !dyn.object, %b: !dyn.object) -> !dyn.object attributes {dyn.fast_math = #arith.fastmath<reassoc>} {
  %0 = dyn.binary "add" %a, %b
  func.return %0 : !dyn.object
}
// CHECK-LABEL: func.func @free
// CHECK:         arith.addf %{{.*}}, %{{.*}} : f32
// CHECK:       func.func private @sum
// CHECK:         arith.addf %{{.*}}, %{{.*}} fastmath<reassoc> : f32

// -----

/// A list of known length that is a result is stored as a tuple of its items is, and so are lists and tuples in it.
func.func @list_as_result(%x: tensor<?xf64> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "ndarray"} {
  %z = skel.map(%x) : (tensor<?xf64>) -> tensor<?x!dyn.object> {
  ^bb0(%a: !dyn.object):
    %r = dyn.call @pair(%a)
    skel.yield %r : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
func.func private @pair(%a: !dyn.object) -> !dyn.object {
  %two = dyn.const 2 : i64
  %t = dyn.build_tuple(%two, %a)
  %l = dyn.build_list(%a, %t)
  func.return %l : !dyn.object
}
// CHECK-LABEL: func.func @list_as_result
// CHECK-SAME:    -> (tensor<?xf64>, tensor<?x!dyn.int>, tensor<?xf64>)
// CHECK-SAME:    skel.result = !obj.list<tuple<f64, tuple<!dyn.int, f64>>>
// CHECK-NOT:     heap
// CHECK:         %[[L:.*]] = obj.as_list
// CHECK-NEXT:    %[[I:.*]] = obj.list_items %[[L]]
// CHECK-NEXT:    %[[A:.*]] = obj.extract %[[I]][0]
// CHECK-NEXT:    %[[T:.*]] = obj.extract %[[I]][1]
// CHECK-NOT:     heap
// CHECK:         skel.yield %{{.*}}, %{{.*}}, %{{.*}} : f64, i64, f64

// -----

/// One whose length is another on each path lies in the heap.
func.func @list_in_heap(%x: tensor<?xf64> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "ndarray"} {
  %z = skel.map(%x) : (tensor<?xf64>) -> tensor<?x!dyn.object> {
  ^bb0(%a: !dyn.object):
    %r = dyn.call @one_or_two(%a)
    skel.yield %r : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
func.func private @one_or_two(%a: !dyn.object) -> !dyn.object {
  %zero = dyn.const 0 : i64
  %c = dyn.compare "lt" %a, %zero
  %t = dyn.truth %c
  %l = scf.if %t -> (!dyn.object) {
    %one = dyn.build_list(%a)
    scf.yield %one : !dyn.object
  } else {
    %both = dyn.build_list(%a, %a)
    scf.yield %both : !dyn.object
  }
  func.return %l : !dyn.object
}
// CHECK-LABEL: func.func @list_in_heap
// CHECK-SAME:    skel.result = !heap.list<f64>
// CHECK:         heap.publish

// -----

/// So does one with None or several types in a place, which no single array holds.
func.func @none_in_heap(%x: tensor<?xf64> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "list"} {
  %z = skel.map(%x) : (tensor<?xf64>) -> tensor<?x!dyn.object> {
  ^bb0(%a: !dyn.object):
    %r = dyn.call @with_none(%a)
    skel.yield %r : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
func.func private @with_none(%a: !dyn.object) -> !dyn.object {
  %none = dyn.none
  %l = dyn.build_list(%a, %none)
  func.return %l : !dyn.object
}
// CHECK-LABEL: func.func @none_in_heap
// CHECK-SAME:    skel.result = !heap.list<!obj.union<[!dyn.none, f64]>>
// CHECK:         heap.publish
