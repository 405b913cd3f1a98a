// RUN: hetc-opt %s --split-input-file | hetc-opt --split-input-file --print-op-generic | hetc-opt --split-input-file | filecheck %s
// RUN: hetc-opt %s --split-input-file --print-op-generic | filecheck %s --check-prefix GENERIC
// RUN: hetc-opt %s --split-input-file -p canonicalize | filecheck %s --check-prefix CANON

/// Captured variables are declared: scalars, arrays with numbered dimensions, and what is known about integers.
skel.capture @gain : f32
skel.capture @positions : tensor<?xf32> {dims = array<i64: 0>}
skel.capture @matrix : tensor<?x?x!dyn.int> {dims = array<i64: 1, 1>, bounds = array<i64: 0, 2147483647>}
skel.capture @n : !dyn.int {bounds = array<i64: 1, 2147483647>, equals_dim = 0 : i64}
skel.capture @order : !dyn.int {value = 7 : i64}
skel.capture @softening : !dyn.float {positive}
skel.capture @any : tensor<?xf64>
skel.capture @permutation : tensor<?xsi64> {distinct}
skel.capture @portable : tensor<?xf64> {resident}
skel.capture @Page_rank : tensor<?xf64> {objects = "Page"}
// CHECK:      skel.capture @gain : f32
// CHECK-NEXT: skel.capture @positions : tensor<?xf32> {dims = array<i64: 0>}
// CHECK-NEXT: skel.capture @matrix : tensor<?x?x!dyn.int> {dims = array<i64: 1, 1>, bounds = array<i64: 0, 2147483647>}
// CHECK-NEXT: skel.capture @n : !dyn.int {bounds = array<i64: 1, 2147483647>, equals_dim = 0 : i64}
// CHECK-NEXT: skel.capture @order : !dyn.int {value = 7 : i64}
// CHECK-NEXT: skel.capture @softening : !dyn.float {positive}
// CHECK-NEXT: skel.capture @any : tensor<?xf64>
// CHECK-NEXT: skel.capture @permutation : tensor<?xsi64> {distinct}
// CHECK-NEXT: skel.capture @portable : tensor<?xf64> {resident}
// CHECK-NEXT: skel.capture @Page_rank : tensor<?xf64> {objects = "Page"}
// GENERIC:    "skel.capture"() <{sym_name = "gain", type = f32}> : () -> ()
// CANON-COUNT-9: skel.capture

// -----

/// Captured variables and sizes are read where they are needed.
func.func @read() -> (f32, tensor<?xf32>, i64, i64) {
  %g = skel.captured @gain : f32
  %s = skel.captured @softening {positive} : f64
  %p = skel.captured @positions : tensor<?xf32>
  %n = skel.size 0
  %m = skel.size 3
  func.return %g, %p, %n, %m : f32, tensor<?xf32>, i64, i64
}
// CHECK-LABEL: @read
// CHECK-NEXT:    %{{.*}} = skel.captured @gain : f32
// CHECK-NEXT:    %{{.*}} = skel.captured @softening {positive} : f64
// CHECK-NEXT:    %{{.*}} = skel.captured @positions : tensor<?xf32>
// CHECK-NEXT:    %{{.*}} = skel.size 0
// CHECK-NEXT:    %{{.*}} = skel.size 3
// GENERIC-LABEL: sym_name = "read"
// GENERIC:         "skel.captured"() <{variable = @gain}> : () -> f32
// GENERIC:         "skel.size"() <{dim = 0 : i64}> : () -> i64
// CANON-LABEL: @read

// -----

/// Reading has no effect: what is not used goes.
func.func @unused_reads() {
  %g = skel.captured @gain : f32
  %n = skel.size 0
  func.return
}
// CHECK-LABEL: @unused_reads
// GENERIC-LABEL: sym_name = "unused_reads"
// CANON-LABEL: @unused_reads
// CANON-NEXT:    func.return

// -----

/// A map over two arrays; the body computes on payloads.
func.func @map(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %z = skel.map(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    skel.yield %c : f32
  }
  func.return %z : tensor<?xf32>
}
// CHECK-LABEL: @map
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>)
// CHECK-NEXT:    %[[Z:.*]] = skel.map(%[[X]], %[[Y]]) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT:      %[[C:.*]] = arith.addf %[[A]], %[[B]] : f32
// CHECK-NEXT:      skel.yield %[[C]] : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[Z]]
// GENERIC-LABEL: sym_name = "map"
// GENERIC:         "skel.map"(%{{.*}}, %{{.*}}) ({
// GENERIC:           "skel.yield"(%{{.*}}) : (f32) -> ()
// CANON-LABEL: @map
// CANON:         skel.map

// -----

/// At level 0 every element is an object, whatever the array holds; a sequence is an input like any other.
func.func @map_objects(%x: tensor<?xsi32>, %r: !skel.sequence<!dyn.int>) -> tensor<?x!dyn.object> {
  %z = skel.map(%x, %r) : (tensor<?xsi32>, !skel.sequence<!dyn.int>) -> tensor<?x!dyn.object> {
  ^bb0(%a: !dyn.object, %b: !dyn.object):
    %c = dyn.binary "add" %a, %b
    skel.yield %c : !dyn.object
  }
  func.return %z : tensor<?x!dyn.object>
}
// CHECK-LABEL: @map_objects
// CHECK-SAME:    (%[[X:.*]]: tensor<?xsi32>, %[[R:.*]]: !skel.sequence<!dyn.int>)
// CHECK-NEXT:    %{{.*}} = skel.map(%[[X]], %[[R]]) : (tensor<?xsi32>, !skel.sequence<!dyn.int>) -> tensor<?x!dyn.object> {
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: !dyn.object, %[[B:.*]]: !dyn.object):
// CHECK-NEXT:      %[[C:.*]] = dyn.binary "add" %[[A]], %[[B]]
// CHECK-NEXT:      skel.yield %[[C]] : !dyn.object
// GENERIC-LABEL: sym_name = "map_objects"
// CANON-LABEL: @map_objects

// -----

/// Below level 0 a body takes payloads: `ui8` comes in as `i8`, and several results are the components of a tuple.
func.func @map_payloads(%x: tensor<?xui8>) -> (tensor<?xui8>, tensor<?x!dyn.bool>) {
  %y, %z = skel.map(%x) : (tensor<?xui8>) -> (tensor<?xui8>, tensor<?x!dyn.bool>) {
  ^bb0(%a: i8):
    %t = arith.constant true
    skel.yield %a, %t : i8, i1
  }
  func.return %y, %z : tensor<?xui8>, tensor<?x!dyn.bool>
}
// CHECK-LABEL: @map_payloads
// CHECK:         %{{.*}}, %{{.*}} = skel.map(%{{.*}}) : (tensor<?xui8>) -> (tensor<?xui8>, tensor<?x!dyn.bool>) {
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: i8):
// CHECK-NEXT:      %[[T:.*]] = arith.constant true
// CHECK-NEXT:      skel.yield %[[A]], %[[T]] : i8, i1
// GENERIC-LABEL: sym_name = "map_payloads"
// CANON-LABEL: @map_payloads

// -----

/// map(id) = id, component by component.
func.func @map_identity(%x: tensor<?xf32>, %y: tensor<?xsi32>) -> (tensor<?xf32>, tensor<?xsi32>) {
  %0, %1 = skel.map(%x, %y) : (tensor<?xf32>, tensor<?xsi32>) -> (tensor<?xf32>, tensor<?xsi32>) {
  ^bb0(%a: f32, %b: i32):
    skel.yield %a, %b : f32, i32
  }
  func.return %0, %1 : tensor<?xf32>, tensor<?xsi32>
}
// CHECK-LABEL: @map_identity
// GENERIC-LABEL: sym_name = "map_identity"
// CANON-LABEL: @map_identity
// CANON-SAME:    (%[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xsi32>)
// CANON-NEXT:    func.return %[[X]], %[[Y]]

// -----

/// Not the identity: the components change places.
func.func @map_swap(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0, %1 = skel.map(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    skel.yield %b, %a : f32, f32
  }
  func.return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
// CHECK-LABEL: @map_swap
// GENERIC-LABEL: sym_name = "map_swap"
// CANON-LABEL: @map_swap
// CANON:         skel.map

// -----

/// Not the identity: the payload stays, but a signed number becomes an unsigned one.
func.func @map_reinterpret(%x: tensor<?xsi32>) -> tensor<?xui32> {
  %0 = skel.map(%x) : (tensor<?xsi32>) -> tensor<?xui32> {
  ^bb0(%a: i32):
    skel.yield %a : i32
  }
  func.return %0 : tensor<?xui32>
}
// CHECK-LABEL: @map_reinterpret
// GENERIC-LABEL: sym_name = "map_reinterpret"
// CANON-LABEL: @map_reinterpret
// CANON:         skel.map

// -----

/// Not the identity: a sequence has no memory, an array has.
func.func @map_materialize(%r: !skel.sequence<!dyn.int>) -> tensor<?x!dyn.int> {
  %0 = skel.map(%r) : (!skel.sequence<!dyn.int>) -> tensor<?x!dyn.int> {
  ^bb0(%a: i64):
    skel.yield %a : i64
  }
  func.return %0 : tensor<?x!dyn.int>
}
// CHECK-LABEL: @map_materialize
// GENERIC-LABEL: sym_name = "map_materialize"
// CANON-LABEL: @map_materialize
// CANON:         skel.map

// -----

/// Not the identity: it drops a component.
func.func @map_first(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = skel.map(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32, %b: f32):
    skel.yield %a : f32
  }
  func.return %0 : tensor<?xf32>
}
// CHECK-LABEL: @map_first
// GENERIC-LABEL: sym_name = "map_first"
// CANON-LABEL: @map_first
// CANON:         skel.map

// -----

/// A map that nobody reads goes, unless its body may leave for Python.
func.func @map_unused(%x: tensor<?xi1>) {
  %0 = skel.map(%x) : (tensor<?xi1>) -> tensor<?xi1> {
  ^bb0(%a: i1):
    %t = arith.constant true
    skel.yield %t : i1
  }
  %1 = skel.map(%x) : (tensor<?xi1>) -> tensor<?xi1> {
  ^bb0(%a: i1):
    guard.require %a, domain, "the element is true"
    skel.yield %a : i1
  }
  func.return
}
// CHECK-LABEL: @map_unused
// GENERIC-LABEL: sym_name = "map_unused"
// CANON-LABEL: @map_unused
// CANON-NEXT:    %{{.*}} = skel.map
// CANON-NEXT:    ^{{.*}}(%[[A:.*]]: i1):
// CANON-NEXT:      guard.require %[[A]], domain, "the element is true"
// CANON-NEXT:      skel.yield %[[A]]
// CANON-NEXT:    }
// CANON-NEXT:    func.return

// -----

/// Arrays of tuples, at level 0.
func.func @zip(%x: tensor<?xf32>, %r: !skel.sequence<!dyn.int>) -> tensor<?x!dyn.object> {
  %z = skel.zip(%x, %r) : (tensor<?xf32>, !skel.sequence<!dyn.int>) -> tensor<?x!dyn.object>
  func.return %z : tensor<?x!dyn.object>
}
// CHECK-LABEL: @zip
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32>, %[[R:.*]]: !skel.sequence<!dyn.int>)
// CHECK-NEXT:    %{{.*}} = skel.zip(%[[X]], %[[R]]) : (tensor<?xf32>, !skel.sequence<!dyn.int>) -> tensor<?x!dyn.object>
// GENERIC-LABEL: sym_name = "zip"
// GENERIC:         "skel.zip"(%{{.*}}, %{{.*}}) : (tensor<?xf32>, !skel.sequence<!dyn.int>) -> tensor<?x!dyn.object>
// CANON-LABEL: @zip

// -----

/// A sum, and a reduction that carries a pair: each result has an initial value, the regions yield both.
func.func @reduce(%x: tensor<?xf32>, %y: tensor<?xsi8>) -> (f32, f32, i8) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : i8
  %sum = skel.reduce(%x) init(%zero : f32) : (tensor<?xf32>) -> f32 transform {
  ^bb0(%e: f32):
    skel.yield %e : f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    skel.yield %r : f32
  }
  %a, %b = skel.reduce(%x, %y) init(%zero, %one : f32, i8) : (tensor<?xf32>, tensor<?xsi8>) -> (f32, i8) transform {
  ^bb0(%e: f32, %f: i8):
    skel.yield %e, %f : f32, i8
  } combine {
  ^bb0(%p: f32, %q: i8, %s: f32, %t: i8):
    skel.yield %s, %q : f32, i8
  }
  func.return %sum, %a, %b : f32, f32, i8
}
// CHECK-LABEL: @reduce
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xsi8>)
// CHECK:         %[[ZERO:.*]] = arith.constant 0.0{{.*}} : f32
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1 : i8
// CHECK-NEXT:    %{{.*}} = skel.reduce(%[[X]]) init(%[[ZERO]] : f32) : (tensor<?xf32>) -> f32 transform {
// CHECK-NEXT:    ^{{.*}}(%[[E:.*]]: f32):
// CHECK-NEXT:      skel.yield %[[E]] : f32
// CHECK-NEXT:    } combine {
// CHECK-NEXT:    ^{{.*}}(%[[P:.*]]: f32, %[[Q:.*]]: f32):
// CHECK-NEXT:      %[[R:.*]] = arith.addf %[[P]], %[[Q]] : f32
// CHECK-NEXT:      skel.yield %[[R]] : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    %{{.*}}, %{{.*}} = skel.reduce(%[[X]], %[[Y]]) init(%[[ZERO]], %[[ONE]] : f32, i8) : (tensor<?xf32>, tensor<?xsi8>) -> (f32, i8) transform {
// GENERIC-LABEL: sym_name = "reduce"
// GENERIC:         "skel.reduce"(%{{.*}}, %{{.*}}) <{operandSegmentSizes = array<i32: 1, 1>}> ({
// CANON-LABEL: @reduce
// CANON-COUNT-2: skel.reduce

// -----

/// An inclusive scan without an initial value, and an exclusive one, which has one.
func.func @scan(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = skel.scan(%x) : (tensor<?xf32>) -> tensor<?xf32> transform {
  ^bb0(%e: f32):
    skel.yield %e : f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    skel.yield %r : f32
  }
  %b = skel.scan(%x) init(%zero : f32) exclusive : (tensor<?xf32>) -> tensor<?xf32> transform {
  ^bb0(%e: f32):
    skel.yield %e : f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    skel.yield %r : f32
  }
  func.return %a, %b : tensor<?xf32>, tensor<?xf32>
}
// CHECK-LABEL: @scan
// CHECK:         skel.scan(%[[X:.*]]) : (tensor<?xf32>) -> tensor<?xf32> transform {
// CHECK:         } combine {
// CHECK:         skel.scan(%[[X]]) init(%{{.*}} : f32) exclusive : (tensor<?xf32>) -> tensor<?xf32> transform {
// GENERIC-LABEL: sym_name = "scan"
// GENERIC:         "skel.scan"(%{{.*}}) <{operandSegmentSizes = array<i32: 1, 0>}> ({
// CANON-LABEL: @scan
// CANON-COUNT-2: skel.scan

// -----

/// The attributes by which the frontend describes the entry and its inputs.
func.func @entry(%x: tensor<?x!dyn.int> {skel.path = array<i64: 0>, skel.bounds = array<i64: 0, 2147483647>}) -> tensor<?x!dyn.int> attributes {skel.entry, skel.container = "list", skel.wide, skel.empty = array<i64: 1>} {
  func.return %x : tensor<?x!dyn.int>
}
// CHECK-LABEL: @entry
// CHECK-SAME:    (%{{.*}}: tensor<?x!dyn.int> {skel.path = array<i64: 0>, skel.bounds = array<i64: 0, 2147483647>}) -> tensor<?x!dyn.int> attributes {skel.entry, skel.container = "list", skel.wide, skel.empty = array<i64: 1>} {
// GENERIC-LABEL: sym_name = "entry"
// CANON-LABEL: @entry

// -----

/// A loop over two sequences, for its stores, and one over one sequence, for its stores and what its iterations yield.
/// A loop without any effect is dead.
skel.capture @m : tensor<?x?xf32>
func.func @forall(%r: !skel.sequence<!dyn.int> {skel.path = array<i64: 0>, skel.below = array<i64: 0, -1>, skel.unit_step}, %c: !skel.sequence<!dyn.int>) -> tensor<?x!dyn.int> {
  skel.forall(%r, %c) : (!skel.sequence<!dyn.int>, !skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64, %j: i64):
    %m = skel.captured @m : tensor<?x?xf32>
    %zero = arith.constant 0.0 : f32
    obj.store %zero, %m[%i, %j] : f32, tensor<?x?xf32>
    skel.yield
  }
  skel.forall(%r) : (!skel.sequence<!dyn.int>) -> () {
  ^bb1(%k: i64):
    skel.yield
  }
  %t = skel.forall(%r) : (!skel.sequence<!dyn.int>) -> tensor<?x!dyn.int> {
  ^bb2(%k: i64):
    skel.yield %k : i64
  }
  func.return %t : tensor<?x!dyn.int>
}
// CHECK-LABEL: @forall
// CHECK-SAME:    (%[[R:.*]]: !skel.sequence<!dyn.int> {skel.path = array<i64: 0>, skel.below = array<i64: 0, -1>, skel.unit_step}, %[[C:.*]]: !skel.sequence<!dyn.int>)
// CHECK-NEXT:    skel.forall(%[[R]], %[[C]]) : (!skel.sequence<!dyn.int>, !skel.sequence<!dyn.int>) -> () {
// CHECK-NEXT:    ^{{.*}}(%[[I:.*]]: i64, %[[J:.*]]: i64):
// CHECK:           obj.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
// CHECK-NEXT:      skel.yield
// CHECK:         %{{.*}} = skel.forall(%[[R]]) : (!skel.sequence<!dyn.int>) -> tensor<?x!dyn.int> {
// GENERIC-LABEL: sym_name = "forall"
// GENERIC:         "skel.forall"(%{{.*}}, %{{.*}}) ({
// CANON-LABEL: @forall
// CANON-COUNT-2: skel.forall
// CANON-NOT:     skel.forall

// -----

/// What is kept is transformed; or only its positions are told.
func.func @filter(%x: tensor<?xf32>) -> (tensor<?xf64>, tensor<?x!dyn.int>) {
  %a = skel.filter(%x) : (tensor<?xf32>) -> tensor<?xf64> predicate {
  ^bb0(%e: f32):
    %zero = arith.constant 0.0 : f32
    %p = arith.cmpf ogt, %e, %zero : f32
    skel.yield %p : i1
  } transform {
  ^bb0(%e: f32):
    %d = arith.extf %e : f32 to f64
    skel.yield %d : f64
  }
  %b = skel.filter(%x) positions : (tensor<?xf32>) -> tensor<?x!dyn.int> predicate {
  ^bb0(%e: f32):
    %p = arith.constant true
    skel.yield %p : i1
  } transform {
  ^bb0(%e: f32):
    skel.yield
  }
  func.return %a, %b : tensor<?xf64>, tensor<?x!dyn.int>
}
// CHECK-LABEL: @filter
// CHECK:         skel.filter(%[[X:.*]]) : (tensor<?xf32>) -> tensor<?xf64> predicate {
// CHECK:           skel.yield %{{.*}} : i1
// CHECK-NEXT:    } transform {
// CHECK:           skel.yield %{{.*}} : f64
// CHECK:         skel.filter(%[[X]]) positions : (tensor<?xf32>) -> tensor<?x!dyn.int> predicate {
// GENERIC-LABEL: sym_name = "filter"
// GENERIC:         "skel.filter"(%{{.*}}) ({
// GENERIC:         "skel.filter"(%{{.*}}) <{positions}> ({
// CANON-LABEL: @filter
// CANON-COUNT-2: skel.filter

// -----

/// A reduction whose initial value is no result.
func.func @reduce_nonempty(%x: tensor<?xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %sum = skel.reduce(%x) init(%zero : f32) nonempty : (tensor<?xf32>) -> f32 transform {
  ^bb0(%e: f32):
    skel.yield %e : f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    skel.yield %r : f32
  }
  func.return %sum : f32
}
// CHECK-LABEL: @reduce_nonempty
// CHECK:         skel.reduce(%{{.*}}) init(%{{.*}} : f32) nonempty : (tensor<?xf32>) -> f32 transform {
// GENERIC-LABEL: sym_name = "reduce_nonempty"
// GENERIC:         "skel.reduce"(%{{.*}}, %{{.*}}) <{nonempty, operandSegmentSizes = array<i32: 1, 1>}> ({
// CANON-LABEL: @reduce_nonempty
// CANON:         nonempty

// -----

/// The attribute of an entry whose result is made of the objects that went in.
func.func @originals(%x: tensor<?x!dyn.int> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.int> attributes {skel.entry, skel.container = "list", skel.originals = "elements"} {
  func.return %x : tensor<?x!dyn.int>
}
// CHECK-LABEL: @originals
// CHECK-SAME:    skel.originals = "elements"
// GENERIC-LABEL: sym_name = "originals"
// CANON-LABEL: @originals

// -----

/// A gather takes arrays of one length at indices, of which there may be more or fewer.
func.func @gather(%x: tensor<?xf32>, %y: !skel.sequence<!dyn.int>, %i: tensor<?xsi64>) -> (tensor<?xf32>, tensor<?x!dyn.int>) {
  %0, %1 = skel.gather(%x, %y) at %i : tensor<?xsi64>, (tensor<?xf32>, !skel.sequence<!dyn.int>) -> (tensor<?xf32>, tensor<?x!dyn.int>)
  func.return %0, %1 : tensor<?xf32>, tensor<?x!dyn.int>
}
// CHECK-LABEL: @gather
// CHECK:         %{{.*}}, %{{.*}} = skel.gather(%{{.*}}, %{{.*}}) at %{{.*}} : tensor<?xsi64>, (tensor<?xf32>, !skel.sequence<!dyn.int>) -> (tensor<?xf32>, tensor<?x!dyn.int>)

// -----

/// A scatter gives each element a place and what is combined into the item there, which starts from an initial value.
func.func @scatter(%k: tensor<?xui8>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = skel.scatter(%k, %x) size 256 init(%zero : f32) : (tensor<?xui8>, tensor<?xf32>) -> tensor<?xf32> transform {
  ^bb0(%key: i8, %e: f32):
    %place = arith.extui %key : i8 to i64
    skel.yield %place, %e : i64, f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    skel.yield %r : f32
  }
  func.return %0 : tensor<?xf32>
}
// CHECK-LABEL: @scatter
// CHECK:         skel.scatter(%{{.*}}, %{{.*}}) size 256 init(%{{.*}} : f32) : (tensor<?xui8>, tensor<?xf32>) -> tensor<?xf32> transform {
// CHECK:         } combine {

// -----

/// At level 0 keys and elements are objects. The initial value may be left to the elements' type, and keys be unique.
func.func @unique(%k: tensor<?x!dyn.int>, %x: tensor<?xf32>) -> tensor<?x!dyn.object> {
  %0 = skel.scatter(%k, %x) size 3 init() unique : (tensor<?x!dyn.int>, tensor<?xf32>) -> tensor<?x!dyn.object> transform {
  ^bb0(%key: !dyn.object, %e: !dyn.object):
    skel.yield %key, %e : !dyn.object, !dyn.object
  } combine {
  ^bb0(%p: !dyn.object, %q: !dyn.object):
    skel.yield %q : !dyn.object
  }
  func.return %0 : tensor<?x!dyn.object>
}
// CHECK-LABEL: @unique
// CHECK:         skel.scatter(%{{.*}}, %{{.*}}) size 3 init() unique : (tensor<?x!dyn.int>, tensor<?xf32>) -> tensor<?x!dyn.object> transform {

// -----

/// The elements of an array are numbered; a reduction may begin with the first of them.
func.func @without_init(%x: tensor<?xf32>) -> i64 {
  %k = skel.positions %x : tensor<?xf32>
  %0 = skel.reduce(%k) nonempty : (!skel.sequence<!dyn.int>) -> i64 transform {
  ^bb0(%e: i64):
    skel.yield %e : i64
  } combine {
  ^bb0(%p: i64, %q: i64):
    skel.yield %q : i64
  }
  func.return %0 : i64
}
// CHECK-LABEL: @without_init
// CHECK-NEXT:    %[[K:.*]] = skel.positions %{{.*}} : tensor<?xf32>
// CHECK-NEXT:    skel.reduce(%[[K]]) nonempty : (!skel.sequence<!dyn.int>) -> i64 transform {

// -----

/// A window of a captured array, and the index of a neighbour.
func.func @windows(%i: !dyn.object, %j: !dyn.object, %x: i64, %d: i64, %n: i64) {
  %0 = skel.window @image at %i, %j radius [1, 2] "clamp"
  %1 = skel.window @line at %i radius [3] "constant" fill %j
  %2 = skel.neighbor %x, %d of %n radius 1 "wrap"
  %3 = skel.inside %x, %d of %n radius 1
  func.return
}
// CHECK-LABEL: @windows
// CHECK-SAME:    (%[[I:.*]]: !dyn.object, %[[J:.*]]: !dyn.object, %[[X:.*]]: i64, %[[D:.*]]: i64, %[[N:.*]]: i64)
// CHECK-NEXT:    skel.window @image at %[[I]], %[[J]] radius [1, 2] "clamp"
// CHECK-NEXT:    skel.window @line at %[[I]] radius [3] "constant" fill %[[J]]
// CHECK-NEXT:    skel.neighbor %[[X]], %[[D]] of %[[N]] radius 1 "wrap"
// CHECK-NEXT:    skel.inside %[[X]], %[[D]] of %[[N]] radius 1

// -----

/// A loop with a border.
func.func @border(%r: !skel.sequence<!dyn.int>) {
  skel.forall(%r) margins [1, 1] : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    skel.yield
  } border {
  ^bb0(%i: i64):
    skel.yield
  }
  func.return
}
// CHECK-LABEL: @border
// CHECK:         skel.forall(%{{.*}}) margins [1, 1] : (!skel.sequence<!dyn.int>) -> () {
// CHECK:         } border {

// -----

/// A partition orders elements by their class. What is asked for the class alone comes first.
func.func @partition(%k: tensor<?xui32>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %y = skel.partition(%k, %x) classes 4 : (tensor<?xui32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%key: i32, %e: f32):
    %three = arith.constant 3 : i32
    %digit = arith.andi %key, %three : i32
    %class = arith.extui %digit : i32 to i64
    skel.yield %class : i64
  }
  func.return %y : tensor<?xf32>
}
// CHECK-LABEL: @partition
// CHECK:         skel.partition(%{{.*}}, %{{.*}}) classes 4 : (tensor<?xui32>, tensor<?xf32>) -> tensor<?xf32> {
// GENERIC-LABEL: sym_name = "partition"
// CANON-LABEL: @partition

// -----

/// The only iteration of a loop.
func.func @task(%r: !skel.sequence<!dyn.int>) -> tensor<?x!dyn.int> {
  %t = skel.forall single(%r) : (!skel.sequence<!dyn.int>) -> tensor<?x!dyn.int> {
  ^bb0(%k: i64):
    skel.yield %k : i64
  }
  func.return %t : tensor<?x!dyn.int>
}
// CHECK-LABEL: @task
// CHECK:         skel.forall single(%{{.*}}) : (!skel.sequence<!dyn.int>) -> tensor<?x!dyn.int> {
// GENERIC-LABEL: sym_name = "task"
// GENERIC:         single
