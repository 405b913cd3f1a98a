// RUN: hetc-opt %s --split-input-file -p sink-guards | filecheck %s
// RUN: hetc-opt %s --split-input-file -p sink-guards,sink-guards | filecheck %s

/// Guards on floats in a counted loop are remembered, and asked behind it in their order.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf64>, index, memref<?xf64>) -> (), kernel}> ({
  ^bb0(%x: memref<?xf64>, %n: index, %result: memref<?xf64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %first = arith.constant 0 : index
    %step = arith.constant 1 : index
    %zero = arith.constant 0.0 : f64
    %sum = scf.for %k = %first to %n step %step iter_args(%before = %zero) -> (f64) {
      %a = memref.load %x[%k] : memref<?xf64>
      %positive = arith.cmpf oge, %a, %zero : f64
      guard.require %positive, domain, "root"
      %root = math.sqrt %a : f64
      %nonzero = arith.cmpf une, %root, %zero : f64
      guard.require %nonzero, zero_division, "quotient"
      %quotient = arith.divf %a, %root : f64
      %after = arith.addf %before, %quotient : f64
      scf.yield %after : f64
    }
    memref.store %sum, %result[%index] : memref<?xf64>
    "gpu.return"() : () -> ()
  }) {sym_name = "floats"} : () -> ()
}) : () -> ()
// CHECK:         "gpu.func"
// CHECK:         %[[SUM:.*]], %[[NONZERO:.*]], %[[POSITIVE:.*]] = scf.for
// CHECK-NOT:     guard.require
// CHECK:           %[[N:.*]] = arith.andi %{{.*}}, %nonzero : i1
// CHECK:           %[[P:.*]] = arith.andi %{{.*}}, %positive : i1
// CHECK:           scf.yield %{{.*}}, %[[N]], %[[P]] : f64, i1, i1
// CHECK:         guard.require %[[POSITIVE]], domain, "root"
// CHECK-NEXT:    guard.require %[[NONZERO]], zero_division, "quotient"
// CHECK-NEXT:    memref.store

// -----

/// Out of a branch, whose other side asks nothing, and out of two loops, the inner of which is as long each time.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf64>, index, i1, memref<?xf64>) -> (), kernel}> ({
  ^bb0(%x: memref<?xf64>, %n: index, %taken: i1, %result: memref<?xf64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %first = arith.constant 0 : index
    %step = arith.constant 1 : index
    %zero = arith.constant 0.0 : f64
    scf.for %j = %first to %n step %step {
      scf.for %k = %j to %n step %step {
        scf.if %taken {
          %a = memref.load %x[%k] : memref<?xf64>
          %nonzero = arith.cmpf une, %a, %zero : f64
          guard.require %nonzero, zero_division, "quotient"
          %quotient = arith.divf %zero, %a : f64
          memref.store %quotient, %result[%index] : memref<?xf64>
        }
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "branch"} : () -> ()
}) : () -> ()
// CHECK:         "gpu.func"
// CHECK:         %[[ALL:.*]] = scf.for
// CHECK:           %[[SOME:.*]] = scf.for
// CHECK:             %[[ONE:.*]] = scf.if %taken -> (i1) {
// CHECK:               scf.yield %nonzero : i1
// CHECK-NEXT:        } else {
// CHECK-NEXT:          %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:          scf.yield %[[TRUE]] : i1
// CHECK:         guard.require %[[ALL]], zero_division, "quotient"
// CHECK-NEXT:    "gpu.return"

// -----

/// Where a guard on the index of a load has failed, the load is left out; so it moves, and so does one on a sum of what is
/// loaded.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>, memref<?xi64>, i64, index, memref<?xi64>) -> (), kernel}> ({
  ^bb0(%x: memref<?xi64>, %y: memref<?xi64>, %length: i64, %n: index, %result: memref<?xi64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %first = arith.constant 0 : index
    %step = arith.constant 1 : index
    %zero = arith.constant 0 : i64
    %sum = scf.for %k = %first to %n step %step iter_args(%before = %zero) -> (i64) {
      %i = memref.load %x[%k] : memref<?xi64>
      %inside = arith.cmpi ult, %i, %length : i64
      guard.require %inside, bounds, "index"
      %at = arith.index_cast %i : i64 to index
      %v = memref.load %y[%at] : memref<?xi64>
      %fits = guard.fits "add" %before, %v : i64
      guard.require %fits, overflow, "sum"
      %after = arith.addi %before, %v : i64
      scf.yield %after : i64
    }
    memref.store %sum, %result[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "indices"} : () -> ()
}) : () -> ()
// CHECK:         "gpu.func"
// CHECK:         %[[SUM:.*]], %[[FITS:.*]], %[[INSIDE:.*]] = scf.for
// CHECK-NOT:       guard.require
// CHECK:           %[[V:.*]] = scf.if %inside -> (i64) {
// CHECK-NEXT:        %[[L:.*]] = memref.load %y[%at]
// CHECK-NEXT:        scf.yield %[[L]] : i64
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %{{.*}} : i64
// CHECK-NEXT:      }
// CHECK:           guard.fits "add" %before, %[[V]] : i64
// CHECK:           scf.yield
// CHECK:         guard.require %[[INSIDE]], bounds, "index"
// CHECK-NEXT:    guard.require %[[FITS]], overflow, "sum"

// -----

/// Near misses: a number that the guard is about divides, or is the index of a store.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>, memref<?xi64>, i64, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xi64>, %y: memref<?xi64>, %length: i64, %n: index):
    %first = arith.constant 0 : index
    %step = arith.constant 1 : index
    scf.for %k = %first to %n step %step {
      %i = memref.load %x[%k] : memref<?xi64>
      %inside = arith.cmpi ult, %i, %length : i64
      guard.require %inside, bounds, "index"
      %at = arith.index_cast %i : i64 to index
      memref.store %length, %y[%at] : memref<?xi64>
    }
    scf.for %k = %first to %n step %step {
      %i = memref.load %x[%k] : memref<?xi64>
      %zero = arith.constant 0 : i64
      %nonzero = arith.cmpi ne, %i, %zero : i64
      guard.require %nonzero, zero_division, "quotient"
      %quotient = arith.divsi %length, %i : i64
      memref.store %quotient, %y[%k] : memref<?xi64>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "kept"} : () -> ()
}) : () -> ()
// CHECK:         scf.for
// CHECK:           guard.require %{{.*}}, bounds, "index"
// CHECK:           memref.store
// CHECK:         scf.for
// CHECK:           guard.require %{{.*}}, zero_division, "quotient"
// CHECK:           arith.divsi

// -----

/// Not where a round hands the next one the index of a load: it would be nonsense, and so would a stored index.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>, index, memref<?xi64>) -> (), kernel}> ({
  ^bb0(%x: memref<?xi64>, %n: index, %result: memref<?xi64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %first = arith.constant 0 : index
    %step = arith.constant 1 : index
    %zero = arith.constant 0 : i64
    %last = scf.for %k = %first to %n step %step iter_args(%i = %zero) -> (i64) {
      %at = arith.index_cast %i : i64 to index
      %v = memref.load %x[%at] : memref<?xi64>
      %below = arith.cmpi ult, %v, %zero : i64
      guard.require %below, bounds, "carried"
      scf.yield %v : i64
    }
    scf.for %k = %first to %n step %step {
      %i = memref.load %x[%k] : memref<?xi64>
      %at = arith.index_cast %i : i64 to index
      %v = memref.load %result[%at] : memref<?xi64>
      %fits = guard.fits "add" %v, %v : i64
      guard.require %fits, overflow, "stored"
      %w = arith.addi %v, %v : i64
      memref.store %w, %x[%index] : memref<?xi64>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "carried"} : () -> ()
}) : () -> ()
// CHECK:         "gpu.func"
// CHECK:         scf.for
// CHECK:           guard.require %{{.*}}, bounds, "carried"
// CHECK:         scf.for
// CHECK:           guard.require %{{.*}}, overflow, "stored"

// -----

/// Not out of a loop with a conversion to an integer, or with loops that may be long on nonsense.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf64>, memref<?xindex>, index, memref<?xi64>) -> (), kernel}> ({
  ^bb0(%x: memref<?xf64>, %ends: memref<?xindex>, %n: index, %result: memref<?xi64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %first = arith.constant 0 : index
    %step = arith.constant 1 : index
    %zero = arith.constant 0.0 : f64
    scf.for %k = %first to %n step %step {
      %a = memref.load %x[%k] : memref<?xf64>
      %small = arith.cmpf olt, %a, %zero : f64
      guard.require %small, value, "converted"
      %i = arith.fptosi %a : f64 to i64
      memref.store %i, %result[%index] : memref<?xi64>
    }
    scf.for %k = %first to %n step %step {
      %a = memref.load %x[%k] : memref<?xf64>
      %small = arith.cmpf olt, %a, %zero : f64
      guard.require %small, value, "a loop of any length"
      %end = memref.load %ends[%k] : memref<?xindex>
      scf.for %j = %first to %end step %step {
        %b = memref.load %x[%j] : memref<?xf64>
      }
    }
    scf.for %k = %first to %n step %step {
      %a = memref.load %x[%k] : memref<?xf64>
      %small = arith.cmpf olt, %a, %zero : f64
      guard.require %small, value, "a loop without end"
      %b = scf.while (%c = %a) : (f64) -> f64 {
        %more = arith.cmpf une, %c, %zero : f64
        scf.condition(%more) %c : f64
      } do {
      ^bb1(%c: f64):
        scf.yield %c : f64
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "harmful"} : () -> ()
}) : () -> ()
// CHECK:         "gpu.func"
// CHECK:         scf.for
// CHECK:           guard.require %{{.*}}, value, "converted"
// CHECK:         scf.for
// CHECK:           guard.require %{{.*}}, value, "a loop of any length"
// CHECK:         scf.for
// CHECK:           guard.require %{{.*}}, value, "a loop without end"

// -----

/// A warning moves, even out of a loop in which a work-item may leave.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf64>, memref<?xi64>, i64, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf64>, %y: memref<?xi64>, %length: i64, %n: index):
    %first = arith.constant 0 : index
    %step = arith.constant 1 : index
    %zero = arith.constant 0.0 : f64
    scf.for %k = %first to %n step %step {
      %i = memref.load %y[%k] : memref<?xi64>
      %inside = arith.cmpi ult, %i, %length : i64
      guard.require %inside, bounds, "index"
      %at = arith.index_cast %i : i64 to index
      %a = memref.load %x[%k] : memref<?xf64>
      %finite = arith.cmpf one, %a, %zero : f64
      guard.warn %finite, "something to warn of"
      memref.store %a, %x[%at] : memref<?xf64>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "warns"} : () -> ()
}) : () -> ()
// CHECK:         %[[FINITE:.*]] = scf.for
// CHECK:           guard.require %inside, bounds, "index"
// CHECK-NOT:       guard.warn
// CHECK:           scf.yield %{{.*}} : i1
// CHECK:         guard.warn %[[FINITE]]
