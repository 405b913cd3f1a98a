// RUN: hetc-opt %s --split-input-file -p defer-guards | filecheck %s
// RUN: hetc-opt %s --split-input-file -p defer-guards,defer-guards | filecheck %s

/// Guards on floats move past arithmetic, and past loads and stores at the work-item's own index; they keep their order.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf64>, memref<?xf64>) -> (), kernel}> ({
  ^bb0(%x: memref<?xf64>, %result: memref<?xf64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %zero = arith.constant 0.0 : f64
    %a = memref.load %x[%index] : memref<?xf64>
    %positive = arith.cmpf ugt, %a, %zero : f64
    guard.require %positive, domain, "log"
    %log = math.log %a : f64
    %nonzero = arith.cmpf une, %log, %zero : f64
    guard.require %nonzero, zero_division, "quotient"
    %quotient = arith.divf %a, %log : f64
    memref.store %quotient, %result[%index] : memref<?xf64>
    "gpu.return"() : () -> ()
  }) {sym_name = "floats"} : () -> ()
}) : () -> ()
// CHECK:         "gpu.func"
// CHECK-NOT:     guard.require
// CHECK:         memref.store
// CHECK-NEXT:    guard.require %{{.*}}, domain, "log"
// CHECK-NEXT:    guard.require %{{.*}}, zero_division, "quotient"
// CHECK-NEXT:    "gpu.return"

// -----

/// A guard on an index stays before the load, also if the index is computed from it; the one on the value moves.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>, memref<?xi64>, i64, memref<?xi64>) -> (), kernel}> ({
  ^bb0(%x: memref<?xi64>, %y: memref<?xi64>, %n: i64, %result: memref<?xi64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %one = arith.constant 1 : i64
    %k = memref.load %x[%index] : memref<?xi64>
    %inside = arith.cmpi ult, %k, %n : i64
    guard.require %inside, bounds, "index"
    %fits = guard.fits "sub" %k, %one : i64
    guard.require %fits, overflow, "before the index"
    %before = arith.subi %k, %one : i64
    %at = arith.index_cast %before : i64 to index
    %v = memref.load %y[%at] : memref<?xi64>
    %fits2 = guard.fits "add" %v, %one : i64
    guard.require %fits2, overflow, "the value"
    %sum = arith.addi %v, %one : i64
    memref.store %sum, %result[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "loads"} : () -> ()
}) : () -> ()
// CHECK:         "gpu.func"
// CHECK:         guard.require %{{.*}}, bounds, "index"
// CHECK:         guard.require %{{.*}}, overflow, "before the index"
// CHECK:         memref.load
// CHECK-NOT:     guard.require
// CHECK:         memref.store
// CHECK-NEXT:    guard.require %{{.*}}, overflow, "the value"
// CHECK-NEXT:    "gpu.return"

// -----

/// A guard on a divisor stays before the division, which would trap; a guard on another number moves past it.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>, i64, memref<?xi64>) -> (), kernel}> ({
  ^bb0(%x: memref<?xi64>, %d: i64, %result: memref<?xi64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %zero = arith.constant 0 : i64
    %seven = arith.constant 7 : i64
    %a = memref.load %x[%index] : memref<?xi64>
    %nonzero = arith.cmpi ne, %d, %zero : i64
    guard.require %nonzero, zero_division, "divisor"
    %positive = arith.cmpi sgt, %a, %zero : i64
    guard.require %positive, value, "another number"
    %q = arith.divsi %seven, %d : i64
    memref.store %q, %result[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "division"} : () -> ()
}) : () -> ()
// CHECK:         "gpu.func"
// CHECK:         guard.require %{{.*}}, zero_division, "divisor"
// CHECK:         arith.divsi
// CHECK-NEXT:    memref.store
// CHECK-NEXT:    guard.require %{{.*}}, value, "another number"
// CHECK-NEXT:    "gpu.return"

// -----

/// Near misses: a loop, which may run long on nonsense, and a float that may be no integer. Guards in loops and
/// branches stay there.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf64>, i64, memref<?xi64>) -> (), kernel}> ({
  ^bb0(%x: memref<?xf64>, %n: i64, %result: memref<?xi64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %zero = arith.constant 0.0 : f64
    %low = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %a = memref.load %x[%index] : memref<?xf64>
    %positive = arith.cmpf ugt, %a, %zero : f64
    guard.require %positive, domain, "before a loop"
    %sum = scf.for %i = %low to %n step %one iter_args(%s = %low) -> (i64) : i64 {
      %fits = guard.fits "add" %s, %i : i64
      guard.require %fits, overflow, "in a loop"
      %t = arith.addi %s, %i : i64
      scf.yield %t : i64
    }
    %finite = arith.cmpf one, %a, %zero : f64
    guard.require %finite, domain, "before a conversion"
    %k = arith.fptosi %a : f64 to i64
    %r = arith.addi %k, %sum : i64
    memref.store %r, %result[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "stays"} : () -> ()
}) : () -> ()
// CHECK:         "gpu.func"
// CHECK:         guard.require %{{.*}}, domain, "before a loop"
// CHECK-NEXT:    scf.for
// CHECK:           guard.require %{{.*}}, overflow, "in a loop"
// CHECK:         guard.require %{{.*}}, domain, "before a conversion"
// CHECK-NEXT:    arith.fptosi

// -----

/// Where a test of the index is around all that a kernel does, its end is that of the test.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf64>, index, memref<?xf64>) -> (), kernel}> ({
  ^bb0(%x: memref<?xf64>, %extent: index, %result: memref<?xf64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %index, %extent : index
    scf.if %inside {
      %zero = arith.constant 0.0 : f64
      %a = memref.load %x[%index] : memref<?xf64>
      %positive = arith.cmpf uge, %a, %zero : f64
      guard.require %positive, domain, "root"
      %root = math.sqrt %a : f64
      memref.store %root, %result[%index] : memref<?xf64>
      scf.yield
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "tail"} : () -> ()
}) : () -> ()
// CHECK:         "gpu.func"
// CHECK:         memref.store
// CHECK-NEXT:    guard.require %{{.*}}, domain, "root"
// CHECK-NEXT:    }
// CHECK-NEXT:    "gpu.return"

// -----

/// Where only whether NumPy warns is to be found out, its warnings become one, at the end. Nothing relies on them, so a
/// guard moves past them. One in a loop stays there.
builtin.module attributes {guard.warns = "any"} {
  "gpu.module"() <{sym_name = "kernels"}> ({
    "gpu.func"() <{function_type = (memref<?xf64>) -> (), kernel}> ({
    ^bb0(%x: memref<?xf64>):
      %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
      %zero = arith.constant 0.0 : f64
      %a = memref.load %x[%index] : memref<?xf64>
      %i = arith.constant 0 : index
      %one = arith.constant 1 : index
      %n = arith.constant 7 : index
      scf.for %k = %i to %n step %one {
        %inside = arith.cmpf une, %a, %zero : f64
        guard.warn %inside, "something to warn of"
      }
      %positive = arith.cmpf ugt, %a, %zero : f64
      guard.require %positive, domain, "log"
      %log = math.log %a : f64
      %nonzero = arith.cmpf une, %log, %zero : f64
      guard.warn %nonzero, "something to warn of"
      %quotient = arith.divf %a, %log : f64
      %finite = arith.cmpf une, %quotient, %zero : f64
      guard.warn %finite, "something to warn of"
      memref.store %quotient, %x[%index] : memref<?xf64>
      "gpu.return"() : () -> ()
    }) {sym_name = "warns"} : () -> ()
  }) : () -> ()
}
// CHECK:         scf.for
// CHECK:           guard.warn
// CHECK:         %[[A:.*]] = arith.cmpf une, %{{.*}}, %{{.*}} : f64
// CHECK:         %[[B:.*]] = arith.cmpf une, %{{.*}}, %{{.*}} : f64
// CHECK:         memref.store
// CHECK-NEXT:    %[[BOTH:.*]] = arith.andi %[[A]], %[[B]] : i1
// CHECK-NEXT:    guard.warn %[[BOTH]], "something to warn of"
// CHECK-NEXT:    guard.require %{{.*}}, domain, "log"
// CHECK-NEXT:    "gpu.return"
