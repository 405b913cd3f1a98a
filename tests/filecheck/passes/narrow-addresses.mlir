// RUN: hetc-opt %s --split-input-file -p narrow-addresses | filecheck %s

/// An index is computed in `index`, from what it is made of; a wide integer that is used otherwise stays.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, index, i64) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %columns: index, %start: i64):
    %id = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %wide = arith.index_cast %id : index to i64
    %i = arith.addi %start, %wide : i64
    %c = arith.index_cast %columns : index to i64
    %row = arith.muli %i, %c : i64
    %one = arith.constant -1 : i64
    %place = arith.addi %row, %one : i64
    %at = arith.index_cast %place : i64 to index
    %number = arith.sitofp %i : i64 to f32
    memref.store %number, %x[%at] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "rows"} : () -> ()
}) {offload.index_bits = 32 : i64} : () -> ()
// CHECK:      ^{{.*}}(%[[X:.*]]: memref<?xf32>, %[[C:.*]]: index, %[[START:.*]]: i64):
// CHECK-NEXT:   %[[S:.*]] = arith.index_cast %[[START]] : i64 to index
// CHECK-NEXT:   %[[ID:.*]] = "gpu.global_id"()
// CHECK-NEXT:   %[[WIDE:.*]] = arith.index_cast %[[ID]] : index to i64
// CHECK-NEXT:   %[[I:.*]] = arith.addi %[[START]], %[[WIDE]] : i64
// CHECK-NEXT:   %[[J:.*]] = arith.addi %[[S]], %[[ID]] : index
// CHECK-NEXT:   %[[ROW:.*]] = arith.muli %[[J]], %[[C]] : index
// CHECK-NEXT:   %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT:   %[[AT:.*]] = arith.subi %[[ROW]], %[[ONE]] : index
// CHECK-NEXT:   %[[N:.*]] = arith.sitofp %[[I]] : i64 to f32
// CHECK-NEXT:   memref.store %[[N]], %[[X]][%[[AT]]]

// -----

/// What stands before a loop stays there; a narrow integer is taken as it is.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, index, i32, i32) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %columns: index, %n: i32, %row: i32):
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2.0 : f32
    %c = arith.index_cast %columns : index to i64
    %r = arith.extsi %row : i32 to i64
    %first = arith.muli %r, %c : i64
    scf.for %k = %zero to %n step %one : i32 {
      %wide = arith.extsi %k : i32 to i64
      %place = arith.addi %first, %wide : i64
      %at = arith.index_cast %place : i64 to index
      memref.store %two, %x[%at] : memref<?xf32>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "row"} : () -> ()
}) {offload.index_bits = 32 : i64} : () -> ()
// CHECK:      ^{{.*}}(%[[X:.*]]: memref<?xf32>, %[[C:.*]]: index, %[[N:.*]]: i32, %[[ROW:.*]]: i32):
// CHECK:        %[[R:.*]] = arith.index_cast %[[ROW]] : i32 to index
// CHECK-NEXT:   %[[FIRST:.*]] = arith.muli %[[R]], %[[C]] : index
// CHECK-NEXT:   scf.for %[[K:.*]] = %{{.*}} to %[[N]]
// CHECK-NEXT:     %[[I:.*]] = arith.index_cast %[[K]] : i32 to index
// CHECK-NEXT:     %[[AT:.*]] = arith.addi %[[FIRST]], %[[I]] : index
// CHECK-NEXT:     memref.store %{{.*}}, %[[X]][%[[AT]]]

// -----

/// Near misses: an index that is as wide as the integers; and a quotient, which is another number modulo 2**32.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, f32, i64) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %value: f32, %i: i64):
    %double = arith.addi %i, %i : i64
    %at = arith.index_cast %double : i64 to index
    memref.store %value, %x[%at] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "wide"} : () -> ()
}) {offload.index_bits = 64 : i64} : () -> ()
"gpu.module"() <{sym_name = "others"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, f32, i64) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %value: f32, %i: i64):
    %three = arith.constant 3 : i64
    %third = arith.divsi %i, %three : i64
    %at = arith.index_cast %third : i64 to index
    memref.store %value, %x[%at] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "quotient"} : () -> ()
}) {offload.index_bits = 32 : i64} : () -> ()
// CHECK:      arith.addi %{{.*}}, %{{.*}} : i64
// CHECK-NEXT: arith.index_cast %{{.*}} : i64 to index
// CHECK:      arith.divsi %{{.*}}, %{{.*}} : i64
// CHECK-NEXT: arith.index_cast %{{.*}} : i64 to index
