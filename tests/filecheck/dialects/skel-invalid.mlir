// RUN: hetc-opt %s --split-input-file --verify-diagnostics | filecheck %s

/// A matrix has two dimensions to number.
skel.capture @matrix : tensor<?x?xf32> {dims = array<i64: 0>}
// CHECK: dims numbers 1 dimensions of a value of rank 2

// -----

/// A scalar has none.
skel.capture @gain : f32 {dims = array<i64: 0>}
// CHECK: dims numbers 1 dimensions of a value of rank 0

// -----

/// A scalar is one number, which differs from no other.
skel.capture @gain : f32 {distinct}
// CHECK: only the elements of an array can be distinct

// -----

skel.capture @positions : tensor<?xf32> {dims = array<i64: 0>, positive}
// CHECK: only a number can be positive

// -----

func.func @map_no_input() {
  "skel.map"() ({
    skel.yield
  }) : () -> ()
  func.return
}
// CHECK: a map needs at least one input

// -----

/// An element for each input.
func.func @map_arity(%x: tensor<?xf32>, %y: tensor<?xf32>) {
  %z = skel.map(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32):
    skel.yield %a : f32
  }
  func.return
}
// CHECK: the body takes 1 elements of 2 inputs

// -----

/// Payloads have no sign.
func.func @map_element(%x: tensor<?xsi32>) {
  %z = skel.map(%x) : (tensor<?xsi32>) -> tensor<?xsi32> {
  ^bb0(%a: si32):
    skel.yield %a : si32
  }
  func.return
}
// CHECK: an element of input 0 is i32, not si32

// -----

func.func @map_yield_type(%x: tensor<?xf32>) {
  %z = skel.map(%x) : (tensor<?xf32>) -> tensor<?xf64> {
  ^bb0(%a: f32):
    skel.yield %a : f32
  }
  func.return
}
// CHECK: an element of output 0 is f64, not f32

// -----

func.func @map_yield_count(%x: tensor<?xf32>) {
  %z = skel.map(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32):
    skel.yield %a, %a : f32, f32
  }
  func.return
}
// CHECK: the body must yield 1 values

// -----

/// Below level 0 an array of tuples is one array a component.
func.func @map_tuple(%x: tensor<?xtuple<f32>>) {
  %z = skel.map(%x) : (tensor<?xtuple<f32>>) -> tensor<?xf32> {
  ^bb0(%a: f32):
    skel.yield %a : f32
  }
  func.return
}
// CHECK: tuple<f32> is not the source type of a number

// -----

/// What a map reads is an array or a sequence.
func.func @map_scalar(%x: f32) {
  %0 = "skel.map"(%x) ({
  ^bb0(%a: f32):
    skel.yield %a : f32
  }) : (f32) -> tensor<?xf32>
  func.return
}
// CHECK: operand 'inputs' at position 0 does not verify:

// -----

/// A sequence is computed, so nothing can be stored into it.
func.func @map_into_sequence(%x: !skel.sequence<!dyn.int>) {
  %0 = "skel.map"(%x) ({
  ^bb0(%a: i64):
    skel.yield %a : i64
  }) : (!skel.sequence<!dyn.int>) -> !skel.sequence<!dyn.int>
  func.return
}
// CHECK: result 'outputs' at position 0 does not verify:

// -----

func.func @yield() {
  "skel.yield"() : () -> ()
}
// CHECK: 'skel.yield' expects parent op to be one of

// -----

func.func @reduce_no_input(%zero: f32) {
  %0 = "skel.reduce"(%zero) <{operandSegmentSizes = array<i32: 0, 1>}> ({
    skel.yield %zero : f32
  }, {
  ^bb0(%p: f32, %q: f32):
    skel.yield %p : f32
  }) : (f32) -> f32
  func.return
}
// CHECK: a reduction needs at least one input

// -----

func.func @reduce_result(%x: tensor<?xf32>, %zero: f32) {
  %0 = "skel.reduce"(%x, %zero) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%e: f32):
    skel.yield %e : f32
  }, {
  ^bb0(%p: f32, %q: f32):
    skel.yield %p : f32
  }) : (tensor<?xf32>, f32) -> f64
  func.return
}
// CHECK: the results must have the types of the initial values

// -----

func.func @reduce_element(%x: tensor<?xf32>, %zero: f32) {
  %0 = skel.reduce(%x) init(%zero : f32) : (tensor<?xf32>) -> f32 transform {
  ^bb0(%e: f64):
    skel.yield %zero : f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    skel.yield %p : f32
  }
  func.return
}
// CHECK: an element of input 0 is f32, not f64

// -----

/// The operator takes two accumulators, whatever the elements are.
func.func @reduce_combine(%x: tensor<?xf32>, %zero: f32) {
  %0 = skel.reduce(%x) init(%zero : f32) : (tensor<?xf32>) -> f32 transform {
  ^bb0(%e: f32):
    skel.yield %e : f32
  } combine {
  ^bb0(%p: f32):
    skel.yield %p : f32
  }
  func.return
}
// CHECK: the combine region must take two accumulators, expected (f32, f32), found (f32)

// -----

/// The transform has to turn an element into an accumulator.
func.func @reduce_yield(%x: tensor<?xf32>, %zero: f64) {
  %0 = skel.reduce(%x) init(%zero : f64) : (tensor<?xf32>) -> f64 transform {
  ^bb0(%e: f32):
    skel.yield %e : f32
  } combine {
  ^bb0(%p: f64, %q: f64):
    skel.yield %p : f64
  }
  func.return
}
// CHECK: a region must yield an accumulator, expected (f64), found (f32)

// -----

func.func @forall_nothing() {
  "skel.forall"() ({
    skel.yield
  }) : () -> ()
  func.return
}
// CHECK: a loop needs at least one sequence of indices

// -----

/// An index for each sequence.
func.func @forall_arity(%r: !skel.sequence<!dyn.int>) {
  skel.forall(%r) : (!skel.sequence<!dyn.int>) -> () {
    skel.yield
  }
  func.return
}
// CHECK: the body takes 0 elements of 1 sequences

// -----

func.func @scan_nothing() {
  %0 = "skel.scan"() <{operandSegmentSizes = array<i32: 0, 0>}> ({
    skel.yield
  }, {
    skel.yield
  }) : () -> tensor<?xf32>
  func.return
}
// CHECK: a scan needs at least one input

// -----

func.func @scan_exclusive(%x: tensor<?xf32>) {
  %0 = skel.scan(%x) exclusive : (tensor<?xf32>) -> tensor<?xf32> transform {
  ^bb0(%e: f32):
    skel.yield %e : f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    skel.yield %p : f32
  }
  func.return
}
// CHECK: an exclusive scan needs an initial value

// -----

func.func @scan_init(%x: tensor<?xf32>, %zero: f64) {
  %0 = skel.scan(%x) init(%zero : f64) : (tensor<?xf32>) -> tensor<?xf32> transform {
  ^bb0(%e: f32):
    skel.yield %e : f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    skel.yield %p : f32
  }
  func.return
}
// CHECK: the initial values must be those of an accumulator, expected (f32), found (f64)

// -----

func.func @scan_operator(%x: tensor<?xf32>) {
  %0 = skel.scan(%x) : (tensor<?xf32>) -> tensor<?xf32> transform {
  ^bb0(%e: f32):
    skel.yield %e : f32
  } combine {
  ^bb0(%p: f32):
    skel.yield %p : f32
  }
  func.return
}
// CHECK: the operator must take two accumulators, expected (f32, f32), found (f32)

// -----

func.func @filter_nothing() {
  %0 = "skel.filter"() ({
    %p = arith.constant true
    skel.yield %p : i1
  }, {
    skel.yield
  }) : () -> tensor<?xf32>
  func.return
}
// CHECK: a filter needs at least one input

// -----

func.func @filter_predicate(%x: tensor<?xf32>) {
  %0 = skel.filter(%x) : (tensor<?xf32>) -> tensor<?xf32> predicate {
  ^bb0(%e: f32):
    skel.yield %e : f32
  } transform {
  ^bb0(%e: f32):
    skel.yield %e : f32
  }
  func.return
}
// CHECK: the predicate must yield a truth value, expected (i1), found (f32)

// -----

func.func @filter_positions(%x: tensor<?xf32>) {
  %0 = skel.filter(%x) positions : (tensor<?xf32>) -> tensor<?xf32> predicate {
  ^bb0(%e: f32):
    %p = arith.constant true
    skel.yield %p : i1
  } transform {
  ^bb0(%e: f32):
    skel.yield
  }
  func.return
}
// CHECK: the positions are one array of !dyn.int

// -----

func.func @gather_two_of_one(%x: tensor<?xf32>, %i: tensor<?xsi64>) {
  %0, %1 = skel.gather(%x) at %i : tensor<?xsi64>, (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  func.return
}
// CHECK: a gather gives as many arrays as it takes

// -----

func.func @scatter_nothing() {
  %0 = skel.scatter() size 3 init() : () -> tensor<?x!dyn.int> transform {
    %k = arith.constant 0 : i64
    skel.yield %k, %k : i64, i64
  } combine {
  ^bb0(%p: i64, %q: i64):
    skel.yield %q : i64
  }
  func.return
}
// CHECK: a scatter needs at least one input

// -----

func.func @scatter_nowhere(%x: tensor<?x!dyn.int>) {
  %0 = skel.scatter(%x) size 0 init() : (tensor<?x!dyn.int>) -> tensor<?x!dyn.int> transform {
  ^bb0(%e: i64):
    skel.yield %e, %e : i64, i64
  } combine {
  ^bb0(%p: i64, %q: i64):
    skel.yield %q : i64
  }
  func.return
}
// CHECK: a scatter needs room for at least one item

// -----

func.func @scatter_without_key(%x: tensor<?x!dyn.int>) {
  %0 = skel.scatter(%x) size 3 init() : (tensor<?x!dyn.int>) -> tensor<?x!dyn.int> transform {
  ^bb0(%e: i64):
    skel.yield %e : i64
  } combine {
  ^bb0(%p: i64, %q: i64):
    skel.yield %q : i64
  }
  func.return
}
// CHECK: the transform must yield a key and an accumulator, expected (i64, i64), found (i64)

// -----

func.func @reduce_without_init(%x: tensor<?xf32>) {
  %0 = skel.reduce(%x) : (tensor<?xf32>) -> f32 transform {
  ^bb0(%e: f32):
    skel.yield %e : f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    skel.yield %q : f32
  }
  func.return
}
// CHECK: a reduction without an initial value is nonempty

// -----

func.func @boundary(%i: !dyn.object) {
  %0 = skel.window @line at %i radius [1] "zero"
  func.return
}
// CHECK: unknown boundary 'zero', expected one of clamp, wrap, mirror, reflect, constant

// -----

func.func @radius(%i: !dyn.object) {
  %0 = skel.window @line at %i radius [1, 1] "wrap"
  func.return
}
// CHECK: a window has a radius for each axis

// -----

func.func @fill(%i: !dyn.object) {
  %0 = skel.window @line at %i radius [1] "constant"
  func.return
}
// CHECK: a constant boundary, and no other, has a value

// -----

func.func @neighbor(%i: i64) {
  %0 = skel.neighbor %i, %i of %i radius 1 "zero"
  func.return
}
// CHECK: unknown boundary 'zero', expected one of clamp, wrap, mirror, reflect, constant

// -----

/// A loop with a border has margins.
func.func @margins(%r: !skel.sequence<!dyn.int>) {
  skel.forall(%r) margins [1] : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    skel.yield
  }
  func.return
}
// CHECK: a loop with a border has two margins for each sequence

// -----

func.func @partition_of_nothing(%x: tensor<?xsi64>) {
  skel.partition(%x) classes 2 : (tensor<?xsi64>) -> () {
  ^bb0(%e: i64):
    skel.yield %e : i64
  }
  func.return
}
// CHECK: a partition has outputs, and no more than inputs

// -----

func.func @partition_without_classes(%x: tensor<?xsi64>) {
  %0 = skel.partition(%x) classes 0 : (tensor<?xsi64>) -> tensor<?xsi64> {
  ^bb0(%e: i64):
    skel.yield %e : i64
  }
  func.return
}
// CHECK: a partition has at least one class

// -----

func.func @partition_by_a_float(%x: tensor<?xf32>) {
  %0 = skel.partition(%x) classes 2 : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%e: f32):
    skel.yield %e : f32
  }
  func.return
}
// CHECK: the body must yield a class, expected (i64), found (f32)

// -----

/// What is put in order stays what it is.
func.func @partition_converts(%x: tensor<?xsi64>) {
  %0 = skel.partition(%x) classes 2 : (tensor<?xsi64>) -> tensor<?xf64> {
  ^bb0(%e: i64):
    skel.yield %e : i64
  }
  func.return
}
// CHECK: elements of si64 stay what they are, and are no f64

// -----

/// A number is no field of many objects.
skel.capture @gain : f32 {objects = "Page"}
// CHECK: the field of objects is an array of one dimension

// -----

/// A single iteration is one body.
func.func @single_border(%r: !skel.sequence<!dyn.int>) {
  skel.forall single(%r) margins [1, 1] : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    skel.yield
  } border {
  ^bb0(%i: i64):
    skel.yield
  }
  func.return
}
// CHECK: a single iteration has no border
