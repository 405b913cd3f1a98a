// RUN: hetc-opt %s --split-input-file -p hide-negations | filecheck %s
// RUN: hetc-opt %s --split-input-file -p 'hide-negations{absolutes=true}' | filecheck %s --check-prefix ABSOLUTES
// RUN: hetc-opt %s --split-input-file -p hide-negations -t opencl | filecheck %s --check-prefix C

/// Negations, however they are written, and what the compiler may make one of. The zero is read once for each type.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi32>) -> (), kernel}> ({
  ^bb0(%a: memref<?xi32>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %zero = arith.constant 0 : i32
    %seven = arith.constant 7 : i32
    %minus = arith.constant -1 : i32
    %x = memref.load %a[%index] : memref<?xi32>
    %b = arith.subi %zero, %x : i32
    memref.store %b, %a[%index] : memref<?xi32>
    %c = arith.muli %x, %minus : i32
    memref.store %c, %a[%index] : memref<?xi32>
    %d = arith.subi %seven, %x : i32
    memref.store %d, %a[%index] : memref<?xi32>
    %e = arith.xori %x, %minus : i32
    %f = arith.addi %e, %seven : i32
    memref.store %f, %a[%index] : memref<?xi32>
    "gpu.return"() : () -> ()
  }) {sym_name = "negations"} : () -> ()
}) : () -> ()
// CHECK:         %[[HIDDEN:.*]] = offload.zero : i32
// CHECK-NOT:     offload.zero
// CHECK:         %[[SEVEN:.*]] = arith.constant 7
// CHECK:         %[[X:.*]] = memref.load
// CHECK-NEXT:    arith.subi %[[HIDDEN]], %[[X]]
// CHECK-NEXT:    memref.store
// CHECK-NEXT:    arith.subi %[[HIDDEN]], %[[X]]
// CHECK-NEXT:    memref.store
// CHECK-NEXT:    %[[ONE:.*]] = arith.addi %[[HIDDEN]], %[[SEVEN]]
// CHECK-NEXT:    arith.subi %[[ONE]], %[[X]]
// CHECK-NEXT:    memref.store
// CHECK-NEXT:    %[[NOT:.*]] = arith.xori %[[X]]
// CHECK-NEXT:    %[[OTHER:.*]] = arith.addi %[[HIDDEN]], %[[SEVEN]]
// CHECK-NEXT:    arith.addi %[[NOT]], %[[OTHER]]
// C:             const int [[ZERO:.*]] = (int)get_global_offset(2);
// C:             (int)((uint)[[ZERO]] - (uint)x)

// -----

/// Near misses: what cannot wrap, an absolute value, a subtraction of another number.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi32>) -> (), kernel}> ({
  ^bb0(%a: memref<?xi32>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %zero = arith.constant 0 : i32
    %x = memref.load %a[%index] : memref<?xi32>
    %b = arith.subi %zero, %x overflow<nsw> : i32
    memref.store %b, %a[%index] : memref<?xi32>
    %negative = arith.cmpi slt, %x, %zero : i32
    %c = arith.subi %zero, %x : i32
    %d = arith.select %negative, %c, %x : i32
    memref.store %d, %a[%index] : memref<?xi32>
    %e = arith.subi %x, %d : i32
    memref.store %e, %a[%index] : memref<?xi32>
    "gpu.return"() : () -> ()
  }) {sym_name = "others"} : () -> ()
}) : () -> ()
// CHECK-NOT: offload.zero
// ABSOLUTES:     sym_name = "negations"
// ABSOLUTES:     %[[HIDDEN:.*]] = offload.zero : i32
// ABSOLUTES:     arith.subi %{{.*}}, %[[X:.*]] overflow<nsw> : i32
// ABSOLUTES:     arith.subi %[[HIDDEN]], %[[X]] : i32
// ABSOLUTES-NEXT: arith.select
