// RUN: hetc-opt %s --split-input-file -p fuse-skeletons | filecheck %s
// RUN: hetc-opt %s --split-input-file -p fuse-skeletons,fuse-skeletons | filecheck %s

/// map(g) . map(f) -> map(g . f).
func.func @map_map(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = skel.map(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32):
    %0 = arith.mulf %a, %a : f32
    skel.yield %0 : f32
  }
  %z = skel.map(%y) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%b: f32):
    %1 = arith.negf %b : f32
    skel.yield %1 : f32
  }
  func.return %z : tensor<?xf32>
}
// CHECK-LABEL: @map_map
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32>)
// CHECK-NEXT:    %[[Z:.*]] = skel.map(%[[X]]) : (tensor<?xf32>) -> tensor<?xf32> {
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: f32):
// CHECK-NEXT:      %[[S:.*]] = arith.mulf %[[A]], %[[A]] : f32
// CHECK-NEXT:      %[[N:.*]] = arith.negf %[[S]] : f32
// CHECK-NEXT:      skel.yield %[[N]] : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[Z]]

// -----

/// A chain of any length becomes one map; elements may change their type on the way.
func.func @chain(%x: tensor<?xf32>) -> tensor<?xi1> {
  %y = skel.map(%x) : (tensor<?xf32>) -> tensor<?xf64> {
  ^bb0(%a: f32):
    %0 = arith.extf %a : f32 to f64
    skel.yield %0 : f64
  }
  %z = skel.map(%y) : (tensor<?xf64>) -> tensor<?xf64> {
  ^bb0(%b: f64):
    %1 = arith.negf %b : f64
    skel.yield %1 : f64
  }
  %w = skel.map(%z) : (tensor<?xf64>) -> tensor<?xi1> {
  ^bb0(%c: f64):
    %2 = arith.cmpf olt, %c, %c : f64
    skel.yield %2 : i1
  }
  func.return %w : tensor<?xi1>
}
// CHECK-LABEL: @chain
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32>)
// CHECK-NEXT:    skel.map(%[[X]]) : (tensor<?xf32>) -> tensor<?xi1> {
// CHECK:           arith.extf
// CHECK-NEXT:      arith.negf
// CHECK-NEXT:      arith.cmpf
// CHECK-NEXT:      skel.yield
// CHECK-NOT:     skel.map

// -----

/// reduce(op) with transform t . map(f) -> reduce(op) with transform t . f; the operator is left alone.
func.func @map_reduce(%x: tensor<?xf32>, %y: tensor<?xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %p = skel.map(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    skel.yield %0 : f32
  }
  %s = skel.reduce(%p) init(%zero : f32) : (tensor<?xf32>) -> f32 transform {
  ^bb0(%e: f32):
    %1 = arith.negf %e : f32
    skel.yield %1 : f32
  } combine {
  ^bb0(%l: f32, %r: f32):
    %2 = arith.addf %l, %r : f32
    skel.yield %2 : f32
  }
  func.return %s : f32
}
// CHECK-LABEL: @map_reduce
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>)
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0.0{{.*}} : f32
// CHECK-NEXT:    %[[S:.*]] = skel.reduce(%[[X]], %[[Y]]) init(%[[ZERO]] : f32) : (tensor<?xf32>, tensor<?xf32>) -> f32 transform {
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[A]], %[[B]] : f32
// CHECK-NEXT:      %[[N:.*]] = arith.negf %[[P]] : f32
// CHECK-NEXT:      skel.yield %[[N]] : f32
// CHECK-NEXT:    } combine {
// CHECK-NEXT:    ^{{.*}}(%[[L:.*]]: f32, %[[R:.*]]: f32):
// CHECK-NEXT:      %[[C:.*]] = arith.addf %[[L]], %[[R]] : f32
// CHECK-NEXT:      skel.yield %[[C]] : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[S]]

// -----

/// Arrays that both read are read once, and the others keep their order: first the producer's.
func.func @shared_input(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %p = skel.map(%y, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.subf %a, %b : f32
    skel.yield %0 : f32
  }
  %q = skel.map(%z, %p, %x) : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%c: f32, %d: f32, %e: f32):
    %1 = arith.mulf %c, %d : f32
    %2 = arith.divf %1, %e : f32
    skel.yield %2 : f32
  }
  func.return %q : tensor<?xf32>
}
// CHECK-LABEL: @shared_input
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>, %[[Z:.*]]: tensor<?xf32>)
// CHECK-NEXT:    skel.map(%[[Y]], %[[X]], %[[Z]])
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32):
// CHECK-NEXT:      %[[D:.*]] = arith.subf %[[A]], %[[B]] : f32
// CHECK-NEXT:      %[[M:.*]] = arith.mulf %[[C]], %[[D]] : f32
// CHECK-NEXT:      %[[Q:.*]] = arith.divf %[[M]], %[[B]] : f32
// CHECK-NEXT:      skel.yield %[[Q]]

// -----

/// A map that makes several components, all of which go to one consumer, one of them twice.
func.func @components(%x: tensor<?xf32>) -> tensor<?xf32> {
  %p, %q = skel.map(%x) : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%a: f32):
    %0 = arith.negf %a : f32
    skel.yield %a, %0 : f32, f32
  }
  %z = skel.map(%q, %p, %q) : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%b: f32, %c: f32, %d: f32):
    %1 = arith.subf %b, %c : f32
    %2 = arith.subf %1, %d : f32
    skel.yield %2 : f32
  }
  func.return %z : tensor<?xf32>
}
// CHECK-LABEL: @components
// CHECK:         skel.map
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: f32):
// CHECK-NEXT:      %[[N:.*]] = arith.negf %[[A]] : f32
// CHECK-NEXT:      %[[S:.*]] = arith.subf %[[N]], %[[A]] : f32
// CHECK-NEXT:      arith.subf %[[S]], %[[N]] : f32
// CHECK-NOT:     skel.map

// -----

/// Two producers of one consumer are fused into it, one after the other.
func.func @two_producers(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %p = skel.map(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32):
    %0 = arith.negf %a : f32
    skel.yield %0 : f32
  }
  %q = skel.map(%y) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32):
    %0 = arith.addf %a, %a : f32
    skel.yield %0 : f32
  }
  %z = skel.map(%p, %q) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%b: f32, %c: f32):
    %1 = arith.subf %b, %c : f32
    skel.yield %1 : f32
  }
  func.return %z : tensor<?xf32>
}
// CHECK-LABEL: @two_producers
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>)
// CHECK-NEXT:    skel.map(%[[Y]], %[[X]])
// CHECK-NEXT:    ^{{.*}}(%[[B:.*]]: f32, %[[A:.*]]: f32):
// CHECK-DAG:       %[[P:.*]] = arith.negf %[[A]] : f32
// CHECK-DAG:       %[[Q:.*]] = arith.addf %[[B]], %[[B]] : f32
// CHECK:           arith.subf %[[P]], %[[Q]] : f32
// CHECK-NOT:     skel.map

// -----

/// Guards keep their order: what the first function requires is required first.
func.func @guards(%x: tensor<?xi1>) -> tensor<?xi1> {
  %y = skel.map(%x) : (tensor<?xi1>) -> tensor<?xi1> {
  ^bb0(%a: i1):
    guard.require %a, domain, "f"
    skel.yield %a : i1
  }
  %z = skel.map(%y) : (tensor<?xi1>) -> tensor<?xi1> {
  ^bb0(%b: i1):
    guard.require %b, domain, "g"
    skel.yield %b : i1
  }
  func.return %z : tensor<?xi1>
}
// CHECK-LABEL: @guards
// CHECK:         ^{{.*}}(%[[A:.*]]: i1):
// CHECK-NEXT:      guard.require %[[A]], domain, "f"
// CHECK-NEXT:      guard.require %[[A]], domain, "g"
// CHECK-NEXT:      skel.yield %[[A]]

// -----

/// Near miss: the result of the first map is returned as well, so it is stored anyway.
func.func @returned(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %y = skel.map(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32):
    %0 = arith.mulf %a, %a : f32
    skel.yield %0 : f32
  }
  %z = skel.map(%y) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%b: f32):
    %1 = arith.negf %b : f32
    skel.yield %1 : f32
  }
  func.return %y, %z : tensor<?xf32>, tensor<?xf32>
}
// CHECK-LABEL: @returned
// CHECK:         %[[Y:.*]] = skel.map
// CHECK:         %[[Z:.*]] = skel.map(%[[Y]])
// CHECK:         func.return %[[Y]], %[[Z]]

// -----

/// Near miss: one component goes elsewhere.
func.func @component_elsewhere(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %p, %q = skel.map(%x) : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%a: f32):
    skel.yield %a, %a : f32, f32
  }
  %z = skel.map(%p) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%b: f32):
    skel.yield %b : f32
  }
  func.return %q, %z : tensor<?xf32>, tensor<?xf32>
}
// CHECK-LABEL: @component_elsewhere
// CHECK:         skel.map
// CHECK:         skel.map

// -----

/// Near miss: two consumers. Fusing into both would compute the first map twice.
func.func @two_consumers(%x: tensor<?xf32>) -> (tensor<?xf32>, f32) {
  %zero = arith.constant 0.0 : f32
  %y = skel.map(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32):
    %0 = math.exp %a : f32
    skel.yield %0 : f32
  }
  %z = skel.map(%y) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%b: f32):
    skel.yield %b : f32
  }
  %s = skel.reduce(%y) init(%zero : f32) : (tensor<?xf32>) -> f32 transform {
  ^bb0(%e: f32):
    skel.yield %e : f32
  } combine {
  ^bb0(%l: f32, %r: f32):
    %2 = arith.addf %l, %r : f32
    skel.yield %2 : f32
  }
  func.return %z, %s : tensor<?xf32>, f32
}
// CHECK-LABEL: @two_consumers
// CHECK:         %[[Y:.*]] = skel.map
// CHECK:         skel.map(%[[Y]])
// CHECK:         skel.reduce(%[[Y]])

// -----

/// An input that is no map's result has nothing to be fused with.
func.func @single(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = skel.map(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32):
    skel.yield %a : f32
  }
  func.return %y : tensor<?xf32>
}
// CHECK-LABEL: @single
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32>)
// CHECK-NEXT:    skel.map(%[[X]])

// -----

/// A loop over one sequence that stores nothing is a map, and becomes part of the sum of what it yields.
func.func @loop(%r: !skel.sequence<!dyn.int>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %t = skel.forall(%r) : (!skel.sequence<!dyn.int>) -> tensor<?xf32> {
  ^bb0(%i: i64):
    %x = arith.sitofp %i : i64 to f32
    skel.yield %x : f32
  }
  %s = skel.reduce(%t) init(%zero : f32) : (tensor<?xf32>) -> f32 transform {
  ^bb0(%e: f32):
    skel.yield %e : f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    %sum = arith.addf %p, %q : f32
    skel.yield %sum : f32
  }
  func.return %s : f32
}
// CHECK-LABEL: @loop
// CHECK-SAME:    (%[[R:.*]]: !skel.sequence<!dyn.int>)
// CHECK-NOT:     skel.forall
// CHECK:         skel.reduce(%[[R]]) init
// CHECK:           arith.sitofp

// -----

/// A map before a scan is its transform.
func.func @squares(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = skel.map(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32):
    %b = arith.mulf %a, %a : f32
    skel.yield %b : f32
  }
  %z = skel.scan(%y) : (tensor<?xf32>) -> tensor<?xf32> transform {
  ^bb0(%e: f32):
    skel.yield %e : f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    skel.yield %r : f32
  }
  func.return %z : tensor<?xf32>
}
// CHECK-LABEL: @squares
// CHECK-NOT:     skel.map
// CHECK:         skel.scan(%{{.*}}) : (tensor<?xf32>) -> tensor<?xf32> transform {
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: f32):
// CHECK-NEXT:      %[[B:.*]] = arith.mulf %[[A]], %[[A]] : f32
// CHECK-NEXT:      skel.yield %[[B]] : f32
// CHECK-NEXT:    } combine {

// -----

/// A light map before a filter is computed for the predicate and for the result; a light map after it is its transform.
func.func @map_filter_map(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = skel.map(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32):
    %b = arith.mulf %a, %a : f32
    skel.yield %b : f32
  }
  %k = skel.filter(%y) : (tensor<?xf32>) -> tensor<?xf32> predicate {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %p = arith.cmpf ogt, %a, %zero : f32
    skel.yield %p : i1
  } transform {
  ^bb0(%a: f32):
    skel.yield %a : f32
  }
  %z = skel.map(%k) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32):
    %b = arith.negf %a : f32
    skel.yield %b : f32
  }
  func.return %z : tensor<?xf32>
}
// CHECK-LABEL: @map_filter_map
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32>)
// CHECK-NOT:     skel.map
// CHECK:         %[[Z:.*]] = skel.filter(%[[X]]) : (tensor<?xf32>) -> tensor<?xf32> predicate {
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: f32):
// CHECK-NEXT:      %[[B:.*]] = arith.mulf %[[A]], %[[A]] : f32
// CHECK:           %[[P:.*]] = arith.cmpf ogt, %[[B]]
// CHECK-NEXT:      skel.yield %[[P]] : i1
// CHECK-NEXT:    } transform {
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: f32):
// CHECK-NEXT:      %[[B:.*]] = arith.mulf %[[A]], %[[A]] : f32
// CHECK-NEXT:      %[[N:.*]] = arith.negf %[[B]] : f32
// CHECK-NEXT:      skel.yield %[[N]] : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[Z]]

// -----

/// A division is not light: maps with one keep their own kernels, beside a filter.
func.func @heavy_maps(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = skel.map(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32):
    %b = arith.divf %a, %a : f32
    skel.yield %b : f32
  }
  %k = skel.filter(%y) : (tensor<?xf32>) -> tensor<?xf32> predicate {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %p = arith.cmpf ogt, %a, %zero : f32
    skel.yield %p : i1
  } transform {
  ^bb0(%a: f32):
    skel.yield %a : f32
  }
  %z = skel.map(%k) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32):
    %b = arith.divf %a, %a : f32
    skel.yield %b : f32
  }
  func.return %z : tensor<?xf32>
}
// CHECK-LABEL: @heavy_maps
// CHECK:         skel.map
// CHECK:         skel.filter
// CHECK:         skel.map

// -----

/// Two filters are one; a scan needs what is kept side by side.
func.func @filter_filter_scan(%x: tensor<?xf32>) -> tensor<?xf32> {
  %k = skel.filter(%x) : (tensor<?xf32>) -> tensor<?xf32> predicate {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %p = arith.cmpf ogt, %a, %zero : f32
    skel.yield %p : i1
  } transform {
  ^bb0(%a: f32):
    skel.yield %a : f32
  }
  %l = skel.filter(%k) : (tensor<?xf32>) -> tensor<?xf32> predicate {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    %p = arith.cmpf olt, %a, %one : f32
    skel.yield %p : i1
  } transform {
  ^bb0(%a: f32):
    skel.yield %a : f32
  }
  %z = skel.scan(%l) : (tensor<?xf32>) -> tensor<?xf32> transform {
  ^bb0(%e: f32):
    skel.yield %e : f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    skel.yield %r : f32
  }
  func.return %z : tensor<?xf32>
}
// CHECK-LABEL: @filter_filter_scan
// CHECK:         %[[K:.*]] = skel.filter(%{{.*}})
// CHECK:           %[[P:.*]] = arith.cmpf ogt
// CHECK:           %[[Q:.*]] = arith.cmpf olt
// CHECK-NEXT:      %[[BOTH:.*]] = arith.andi %[[P]], %[[Q]] : i1
// CHECK-NEXT:      skel.yield %[[BOTH]] : i1
// CHECK-NOT:     skel.filter
// CHECK:         skel.scan(%[[K]])

// -----

/// A sum of what is kept: the identity of an addition, -0.0, stands for what is not.
func.func @sum(%x: tensor<?xf32>) -> f32 {
  %init = arith.constant 0.0 : f32
  %k = skel.filter(%x) : (tensor<?xf32>) -> tensor<?xf32> predicate {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %p = arith.cmpf ogt, %a, %zero : f32
    skel.yield %p : i1
  } transform {
  ^bb0(%a: f32):
    skel.yield %a : f32
  }
  %s = skel.reduce(%k) init(%init : f32) : (tensor<?xf32>) -> f32 transform {
  ^bb0(%e: f32):
    skel.yield %e : f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    skel.yield %r : f32
  }
  func.return %s : f32
}
// CHECK-LABEL: @sum
// CHECK-NOT:     skel.filter
// CHECK:         %[[S:.*]] = skel.reduce(%{{.*}}) init(%{{.*}} : f32) : (tensor<?xf32>) -> f32 transform {
// CHECK:           %[[KEEP:.*]] = arith.cmpf ogt, %[[A:.*]], %{{.*}} : f32
// CHECK-NEXT:      %[[V:.*]] = scf.if %[[KEEP]] -> (f32) {
// CHECK-NEXT:        scf.yield %[[A]] : f32
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %[[NONE:.*]] = arith.constant -0.0{{.*}} : f32
// CHECK-NEXT:        scf.yield %[[NONE]] : f32
// CHECK:           skel.yield %[[V]] : f32
// CHECK-NEXT:    } combine {
// CHECK:           arith.addf
// CHECK:         func.return %[[S]]

// -----

/// Another operator combines where both are there. Where nothing is kept, Python gives the initial value, as it is.
func.func @first(%x: tensor<?xf32>) -> f32 {
  %init = arith.constant 0.0 : f32
  %k = skel.filter(%x) : (tensor<?xf32>) -> tensor<?xf32> predicate {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %p = arith.cmpf ogt, %a, %zero : f32
    skel.yield %p : i1
  } transform {
  ^bb0(%a: f32):
    skel.yield %a : f32
  }
  %s = skel.reduce(%k) init(%init : f32) nonempty : (tensor<?xf32>) -> f32 transform {
  ^bb0(%e: f32):
    skel.yield %e : f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    skel.yield %p : f32
  }
  func.return %s : f32
}
// CHECK-LABEL: @first
// CHECK:         %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:    %[[FALSE:.*]] = arith.constant false
// CHECK-NEXT:    %[[S:.*]], %{{.*}}, %[[ANY:.*]] = skel.reduce(%{{.*}}) init(%{{.*}}, %[[TRUE]], %[[FALSE]] : f32, i1, i1)
// CHECK:           %[[KEEP:.*]] = arith.cmpf
// CHECK-NEXT:      %[[V:.*]] = scf.if %[[KEEP]] -> (f32) {
// CHECK:             ub.poison : f32
// CHECK:           skel.yield %[[V]], %[[KEEP]], %[[KEEP]] : f32, i1, i1
// CHECK-NEXT:    } combine {
// CHECK-NEXT:    ^{{.*}}(%[[P:.*]]: f32, %[[PS:.*]]: i1, %[[PA:.*]]: i1, %[[Q:.*]]: f32, %[[QS:.*]]: i1, %[[QA:.*]]: i1):
// CHECK-NEXT:      %[[BOTH:.*]] = arith.andi %[[PS]], %[[QS]] : i1
// CHECK-NEXT:      %[[EITHER:.*]] = arith.ori %[[PS]], %[[QS]] : i1
// CHECK-NEXT:      %[[R:.*]] = scf.if %[[BOTH]] -> (f32) {
// CHECK-NEXT:        scf.yield %[[P]] : f32
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %[[ONE:.*]] = arith.select %[[PS]], %[[P]], %[[Q]] : f32
// CHECK-NEXT:        scf.yield %[[ONE]] : f32
// CHECK:           %[[SOME:.*]] = arith.ori %[[PA]], %[[QA]] : i1
// CHECK-NEXT:      skel.yield %[[R]], %[[EITHER]], %[[SOME]] : f32, i1, i1
// CHECK:         guard.require %[[ANY]], type, "nothing is kept, so the result is the initial value as it is"
// CHECK-NEXT:    func.return %[[S]]

// -----

/// What a loop over points yields is mapped in the loop, which stays one, since its windows have a border.
func.func @mapped(%r: !skel.sequence<!dyn.int>, %n: i64) -> tensor<?x!dyn.int> {
  %0 = skel.forall(%r) : (!skel.sequence<!dyn.int>) -> tensor<?x!dyn.int> {
  ^bb0(%i: i64):
    %one = arith.constant 1 : i64
    %p = skel.neighbor %i, %one of %n radius 1 "wrap"
    skel.yield %p : i64
  }
  %1 = skel.map(%0) : (tensor<?x!dyn.int>) -> tensor<?x!dyn.int> {
  ^bb0(%a: i64):
    %b = arith.muli %a, %a : i64
    skel.yield %b : i64
  }
  func.return %1 : tensor<?x!dyn.int>
}
// CHECK-LABEL: func.func @mapped
// CHECK-NEXT:    %[[LOOP:.*]] = skel.forall
// CHECK:           %[[P:.*]] = skel.neighbor
// CHECK-NEXT:      %[[B:.*]] = arith.muli %[[P]], %[[P]]
// CHECK-NEXT:      skel.yield %[[B]] : i64
// CHECK-NOT:     skel.map
// CHECK:         func.return %[[LOOP]]

// -----

/// Not if something else reads it as well.
func.func @twice(%r: !skel.sequence<!dyn.int>, %n: i64) -> (tensor<?x!dyn.int>, tensor<?x!dyn.int>) {
  %0 = skel.forall(%r) : (!skel.sequence<!dyn.int>) -> tensor<?x!dyn.int> {
  ^bb0(%i: i64):
    %one = arith.constant 1 : i64
    %p = skel.neighbor %i, %one of %n radius 1 "wrap"
    skel.yield %p : i64
  }
  %1 = skel.map(%0) : (tensor<?x!dyn.int>) -> tensor<?x!dyn.int> {
  ^bb0(%a: i64):
    %b = arith.muli %a, %a : i64
    skel.yield %b : i64
  }
  func.return %0, %1 : tensor<?x!dyn.int>, tensor<?x!dyn.int>
}
// CHECK-LABEL: func.func @twice
// CHECK:         skel.forall
// CHECK:         skel.map

// -----

/// FuseMapReduce for scatters: the map gives what is combined.
func.func @map_scatter(%k: tensor<?xui8>, %x: tensor<?xf32>) -> tensor<?xf32> attributes {skel.entry} {
  %zero = arith.constant 0.0 : f32
  %y = skel.map(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32):
    %b = arith.mulf %a, %a : f32
    skel.yield %b : f32
  }
  %z = skel.scatter(%k, %y) size 256 init(%zero : f32) : (tensor<?xui8>, tensor<?xf32>) -> tensor<?xf32> transform {
  ^bb0(%key: i8, %e: f32):
    %place = arith.extui %key : i8 to i64
    skel.yield %place, %e : i64, f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    skel.yield %r : f32
  }
  func.return %z : tensor<?xf32>
}
// CHECK-LABEL: func.func @map_scatter
// CHECK-NOT:     skel.map
// CHECK:         skel.scatter(%{{.*}}, %{{.*}}) size 256
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: f32, %[[K:.*]]: i8):
// CHECK-NEXT:      %[[B:.*]] = arith.mulf %[[A]], %[[A]]
// CHECK-NEXT:      %[[P:.*]] = arith.extui %[[K]]
// CHECK-NEXT:      skel.yield %[[P]], %[[B]] : i64, f32

// -----

/// FuseMapGather: a light map is computed of the elements that are gathered.
func.func @map_gather(%x: tensor<?xf32>, %i: tensor<?x!dyn.int>) -> tensor<?xf32> attributes {skel.entry} {
  %y = skel.map(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32):
    %b = arith.mulf %a, %a : f32
    skel.yield %b : f32
  }
  %z = skel.map(%i) : (tensor<?x!dyn.int>) -> tensor<?xf32> {
  ^bb0(%at: i64):
    %e = obj.load %y[%at] : tensor<?xf32> -> f32
    skel.yield %e : f32
  }
  func.return %z : tensor<?xf32>
}
// CHECK-LABEL: func.func @map_gather
// CHECK-NEXT:    %{{.*}} = skel.map(%i)
// CHECK-NEXT:    ^{{.*}}(%[[AT:.*]]: i64):
// CHECK-NEXT:      %[[A:.*]] = obj.load %x[%[[AT]]]
// CHECK-NEXT:      %[[B:.*]] = arith.mulf %[[A]], %[[A]]
// CHECK-NEXT:      skel.yield %[[B]] : f32

// -----

/// A costly map is computed once an element.
func.func @costly_map_gather(%x: tensor<?xf32>, %i: tensor<?x!dyn.int>) -> tensor<?xf32> attributes {skel.entry} {
  %y = skel.map(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32):
    %b = math.sqrt %a : f32
    skel.yield %b : f32
  }
  %z = skel.map(%i) : (tensor<?x!dyn.int>) -> tensor<?xf32> {
  ^bb0(%at: i64):
    %e = obj.load %y[%at] : tensor<?xf32> -> f32
    skel.yield %e : f32
  }
  func.return %z : tensor<?xf32>
}
// CHECK-LABEL: func.func @costly_map_gather
// CHECK:         %[[Y:.*]] = skel.map
// CHECK:         skel.map
// CHECK:           obj.load %[[Y]]

// -----

/// A reduction without an initial value needs something to start from, so a filter before it stays.
func.func @filter_without_init(%x: tensor<?xf32>) -> f32 attributes {skel.entry} {
  %y = skel.filter(%x) : (tensor<?xf32>) -> tensor<?xf32> predicate {
  ^bb0(%a: f32):
    %p = arith.cmpf ogt, %a, %a : f32
    skel.yield %p : i1
  } transform {
  ^bb0(%a: f32):
    skel.yield %a : f32
  }
  %z = skel.reduce(%y) nonempty : (tensor<?xf32>) -> f32 transform {
  ^bb0(%e: f32):
    skel.yield %e : f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    skel.yield %q : f32
  }
  func.return %z : f32
}
// CHECK-LABEL: func.func @filter_without_init
// CHECK:         %[[Y:.*]] = skel.filter
// CHECK:         skel.reduce(%[[Y]]) nonempty

// -----

/// A single iteration without stores is no map: one work-item runs it.
func.func @task(%r: !skel.sequence<!dyn.int>) -> tensor<?x!dyn.int> attributes {skel.entry} {
  %t = skel.forall single(%r) : (!skel.sequence<!dyn.int>) -> tensor<?x!dyn.int> {
  ^bb0(%i: i64):
    skel.yield %i : i64
  }
  func.return %t : tensor<?x!dyn.int>
}
// CHECK-LABEL: @task
// CHECK:         skel.forall single
