// RUN: hetc-opt %s --split-input-file -p split-gathers | filecheck %s
// RUN: hetc-opt %s --split-input-file -p 'split-gathers{rounds=8}' | filecheck %s --check-prefix EIGHT
// RUN: not hetc-opt %s --split-input-file -p 'split-gathers{rounds=0}' 2>&1 | filecheck %s --check-prefix INVALID

// INVALID: split-gathers: at least one round is done at a time
// EIGHT: offload.unroll = 8

/// A sum of what is read at indices that are read: as long as none is negative or too large, nothing is corrected.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, index, memref<?xi32>, memref<?xf32>, memref<?xi32>) -> (), kernel}> ({
  ^bb0(%size: index, %length: index, %at: memref<?xi32>, %x: memref<?xf32>, %flags: memref<?xi32>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %i = arith.index_cast %index : index to i64
    %high = arith.index_cast %size : index to i64
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %start = arith.constant 0.0 : f32
    %total = scf.for %k = %zero to %high step %one iter_args(%sum = %start) -> (f32) : i64 {
      %n = arith.index_cast %length : index to i64
      %place = arith.addi %i, %k : i64
      %p = arith.index_cast %place : i64 to index
      %a = memref.load %at[%p] : memref<?xi32>
      %given = arith.extsi %a : i32 to i64
      %negative = arith.cmpi slt, %given, %zero : i64
      %moved = arith.addi %given, %n : i64
      %j = arith.select %negative, %moved, %given : i64
      %in = arith.cmpi ult, %j, %n : i64
      guard.check %in, %flags[0], bounds, "index out of range" : memref<?xi32>
      %q = arith.index_cast %j : i64 to index
      %v = memref.load %x[%q] : memref<?xf32>
      %next = arith.addf %sum, %v : f32
      scf.yield %next : f32
    }
    memref.store %total, %x[%index] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "pulls"} : () -> ()
}) : () -> ()
// CHECK:      [[K:%.*]], [[TOTAL:%.*]], %{{.*}} = scf.while ([[K1:%.*]] = %zero, [[SUM:%.*]] = %start) : (i64, f32) -> (i64, f32, i64) {
// CHECK-NEXT:   [[MORE:%.*]] = arith.cmpi slt, [[K1]], %high : i64
// CHECK-NEXT:   [[GO:%.*]], [[AT:%.*]] = scf.if [[MORE]] -> (i1, i64) {
// CHECK:          memref.load %at
// CHECK-NEXT:     [[GIVEN:%.*]] = arith.extsi
// CHECK-NEXT:     [[IN:%.*]] = arith.cmpi ult, [[GIVEN]], %{{.*}} : i64
// CHECK-NEXT:     [[BOTH:%.*]], [[FOUND:%.*]] = scf.if [[IN]] -> (i1, i64) {
// CHECK-NEXT:       [[YES:%.*]] = arith.constant true
// CHECK-NEXT:       scf.yield [[YES]], [[GIVEN]] : i1, i64
// CHECK-NEXT:     } else {
// CHECK:          }
// CHECK-NEXT:     scf.yield [[BOTH]], [[FOUND]] : i1, i64
// CHECK-NEXT:   } else {
// CHECK:        }
// CHECK-NEXT:   scf.condition([[GO]]) [[K1]], [[SUM]], [[AT]] : i64, f32, i64
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0([[K2:%.*]]: i64, [[SUM2:%.*]]: f32, [[J:%.*]]: i64):
// CHECK-NEXT:   [[Q:%.*]] = arith.index_cast [[J]] : i64 to index
// CHECK-NEXT:   [[V:%.*]] = memref.load %x{{\[}}[[Q]]] : memref<?xf32>
// CHECK-NEXT:   [[NEXT:%.*]] = arith.addf [[SUM2]], [[V]] : f32
// CHECK-NEXT:   [[K3:%.*]] = arith.addi [[K2]], %one overflow<nsw> : i64
// CHECK-NEXT:   scf.yield [[K3]], [[NEXT]] : i64, f32
// CHECK-NEXT: } attributes {offload.unroll = 4 : i64}
// CHECK-NEXT: scf.for %{{.*}} = [[K]] to %high step %one iter_args(%{{.*}} = [[TOTAL]]) -> (f32)
// CHECK:        arith.select
// CHECK:        guard.check

// -----

/// An index that is read at an index: the second is read where the first is one. What a later check asks is asked again
/// in the round, since it depends on the sum.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, i64, memref<?xi64>, memref<?xf32>, memref<?xi32>) -> (), kernel}> ({
  ^bb0(%length: index, %high: i64, %at: memref<?xi64>, %x: memref<?xf32>, %flags: memref<?xi32>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %low = arith.index_cast %index : index to i64
    %n = arith.index_cast %length : index to i64
    %zero = arith.constant 0 : i64
    %hundred = arith.constant 100 : i64
    %one = arith.constant 1 : i64
    %start = arith.constant 0.0 : f32
    %total = scf.for %k = %low to %high step %one iter_args(%sum = %start) -> (f32) : i64 {
      %before = arith.cmpi slt, %k, %zero : i64
      %back = arith.addi %k, %n : i64
      %place = arith.select %before, %back, %k : i64
      %there = arith.cmpi ult, %place, %n : i64
      guard.check %there, %flags[0], bounds, "index out of range" : memref<?xi32>
      %p = arith.index_cast %place : i64 to index
      %given = memref.load %at[%p] : memref<?xi64>
      %negative = arith.cmpi slt, %given, %zero : i64
      %moved = arith.addi %hundred, %given : i64
      %j = arith.select %negative, %moved, %given : i64
      %in = arith.cmpi ult, %j, %hundred : i64
      guard.check %in, %flags[1], bounds, "index out of range" : memref<?xi32>
      %q = arith.index_cast %j : i64 to index
      %v = memref.load %x[%q] : memref<?xf32>
      %next = arith.addf %sum, %v : f32
      %fine = arith.cmpf olt, %sum, %v : f32
      guard.check %fine, %flags[2], domain, "a sum" : memref<?xi32>
      scf.yield %next : f32
    }
    memref.store %total, %x[%index] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "reads_indices_at_indices"} : () -> ()
}) : () -> ()
// CHECK:      scf.while
// CHECK-NEXT:   [[MORE:%.*]] = arith.cmpi slt, [[K:%.*]], %high : i64
// CHECK-NEXT:   scf.if [[MORE]]
// CHECK-NEXT:     [[THERE:%.*]] = arith.cmpi ult, [[K]], %n : i64
// CHECK-NEXT:     scf.if [[THERE]]
// CHECK-NEXT:       [[P:%.*]] = arith.index_cast [[K]] : i64 to index
// CHECK-NEXT:       [[GIVEN:%.*]] = memref.load %at{{\[}}[[P]]]
// CHECK-NEXT:       [[IN:%.*]] = arith.cmpi ult, [[GIVEN]], %hundred : i64
// CHECK-NEXT:       scf.if [[IN]]
// CHECK:      } do {
// CHECK-NOT:    guard.check %{{.*}}, %flags[0]
// CHECK:        arith.cmpf olt
// CHECK-NEXT:   guard.check %{{.*}}, %flags[2]
// CHECK:      } attributes {offload.unroll = 4 : i64}
// CHECK:      scf.for

// -----

/// Indices have no sign: a loop over them compares so.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, memref<?xi64>, memref<?xf32>, memref<?xi32>) -> (), kernel}> ({
  ^bb0(%length: index, %at: memref<?xi64>, %x: memref<?xf32>, %flags: memref<?xi32>):
    %n = arith.index_cast %length : index to i64
    %first = arith.constant 0 : index
    %step = arith.constant 1 : index
    %zero = arith.constant 0 : i64
    %start = arith.constant 0.0 : f32
    %total = scf.for %k = %first to %length step %step iter_args(%sum = %start) -> (f32) {
      %given = memref.load %at[%k] : memref<?xi64>
      %negative = arith.cmpi slt, %given, %zero : i64
      %moved = arith.addi %given, %n : i64
      %j = arith.select %negative, %moved, %given : i64
      %in = arith.cmpi ult, %j, %n : i64
      guard.check %in, %flags[0], bounds, "index out of range" : memref<?xi32>
      %q = arith.index_cast %j : i64 to index
      %v = memref.load %x[%q] : memref<?xf32>
      %next = arith.addf %sum, %v : f32
      scf.yield %next : f32
    }
    memref.store %total, %x[%first] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "over_indices"} : () -> ()
}) : () -> ()
// CHECK:      scf.while ([[K:%.*]] = %first, %{{.*}} = %start) : (index, f32) -> (index, f32, i64) {
// CHECK-NEXT:   arith.cmpi ult, [[K]], %length : index

// -----

/// Near misses: a check without a correction; a bound that may be negative; indices that depend on the sum; a store.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (i64, index, memref<?xi64>, memref<?xi64>, memref<?xi32>) -> (), kernel}> ({
  ^bb0(%bound: i64, %length: index, %at: memref<?xi64>, %x: memref<?xi64>, %flags: memref<?xi32>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %n = arith.index_cast %length : index to i64
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %a = scf.for %k = %zero to %n step %one iter_args(%sum = %zero) -> (i64) : i64 {
      %p = arith.index_cast %k : i64 to index
      %given = memref.load %at[%p] : memref<?xi64>
      %in = arith.cmpi ult, %given, %n : i64
      guard.check %in, %flags[0], bounds, "index out of range" : memref<?xi32>
      %q = arith.index_cast %given : i64 to index
      %v = memref.load %x[%q] : memref<?xi64>
      %next = arith.addi %sum, %v : i64
      scf.yield %next : i64
    }
    %b = scf.for %k = %zero to %n step %one iter_args(%sum = %zero) -> (i64) : i64 {
      %p = arith.index_cast %k : i64 to index
      %given = memref.load %at[%p] : memref<?xi64>
      %negative = arith.cmpi slt, %given, %zero : i64
      %moved = arith.addi %given, %bound : i64
      %j = arith.select %negative, %moved, %given : i64
      %in = arith.cmpi ult, %j, %bound : i64
      guard.check %in, %flags[0], bounds, "index out of range" : memref<?xi32>
      %q = arith.index_cast %j : i64 to index
      %v = memref.load %x[%q] : memref<?xi64>
      %next = arith.addi %sum, %v : i64
      scf.yield %next : i64
    }
    %c = scf.for %k = %zero to %n step %one iter_args(%sum = %zero) -> (i64) : i64 {
      %p = arith.index_cast %sum : i64 to index
      %given = memref.load %at[%p] : memref<?xi64>
      %negative = arith.cmpi slt, %given, %zero : i64
      %moved = arith.addi %given, %n : i64
      %j = arith.select %negative, %moved, %given : i64
      %in = arith.cmpi ult, %j, %n : i64
      guard.check %in, %flags[0], bounds, "index out of range" : memref<?xi32>
      %q = arith.index_cast %j : i64 to index
      %v = memref.load %x[%q] : memref<?xi64>
      scf.yield %v : i64
    }
    %d = scf.for %k = %zero to %n step %one iter_args(%sum = %zero) -> (i64) : i64 {
      %p = arith.index_cast %k : i64 to index
      %given = memref.load %at[%p] : memref<?xi64>
      %negative = arith.cmpi slt, %given, %zero : i64
      %moved = arith.addi %given, %n : i64
      %j = arith.select %negative, %moved, %given : i64
      %in = arith.cmpi ult, %j, %n : i64
      guard.check %in, %flags[0], bounds, "index out of range" : memref<?xi32>
      %q = arith.index_cast %j : i64 to index
      %v = memref.load %x[%q] : memref<?xi64>
      memref.store %v, %at[%p] : memref<?xi64>
      scf.yield %v : i64
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "near_misses"} : () -> ()
}) : () -> ()
// CHECK-NOT:  scf.while
// CHECK:      {sym_name = "near_misses"}
