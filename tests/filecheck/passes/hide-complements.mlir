// RUN: hetc-opt %s --split-input-file -p hide-complements | filecheck %s

/// The lesser of a complement and a number: compared is what the compiler does not know for the complement.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>) -> (), kernel}> ({
  ^bb0(%a: memref<?xi64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %one = arith.constant 1 : index
    %next = arith.addi %index, %one : index
    %x = memref.load %a[%index] : memref<?xi64>
    %y = memref.load %a[%next] : memref<?xi64>
    %minus = arith.constant -1 : i64
    %not = arith.xori %x, %minus : i64
    %less = arith.cmpi slt, %not, %y : i64
    %least = arith.select %less, %not, %y : i64
    memref.store %least, %a[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "least"} : () -> ()
}) : () -> ()
// CHECK:         %[[ZERO:.*]] = offload.zero : i64
// CHECK:         %[[NOT:.*]] = arith.xori %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:    %[[HIDDEN:.*]] = arith.xori %[[NOT]], %[[ZERO]] : i64
// CHECK-NEXT:    %[[LESS:.*]] = arith.cmpi slt, %[[HIDDEN]], %[[Y:.*]] : i64
// CHECK-NEXT:    arith.select %[[LESS]], %[[NOT]], %[[Y]] : i64

// -----

/// The complement of the lesser one.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>) -> (), kernel}> ({
  ^bb0(%a: memref<?xi64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %one = arith.constant 1 : index
    %next = arith.addi %index, %one : index
    %x = memref.load %a[%index] : memref<?xi64>
    %y = memref.load %a[%next] : memref<?xi64>
    %minus = arith.constant -1 : i64
    %less = arith.cmpi slt, %x, %y : i64
    %least = arith.select %less, %x, %y : i64
    %not = arith.xori %least, %minus : i64
    memref.store %not, %a[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "complement"} : () -> ()
}) : () -> ()
// CHECK:         %[[HIDDEN:.*]] = arith.xori %[[X:.*]], %{{.*}} : i64
// CHECK-NEXT:    %[[LESS:.*]] = arith.cmpi slt, %[[HIDDEN]], %[[Y:.*]] : i64
// CHECK-NEXT:    arith.select %[[LESS]], %[[X]], %[[Y]] : i64

// -----

/// A difference, less one, is a sum with a complement. What the branches of an `scf.if` choose is a greatest number too.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>) -> (), kernel}> ({
  ^bb0(%a: memref<?xi64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %one = arith.constant 1 : index
    %next = arith.addi %index, %one : index
    %x = memref.load %a[%index] : memref<?xi64>
    %y = memref.load %a[%next] : memref<?xi64>
    %minus = arith.constant -1 : i64
    %difference = arith.subi %x, %y : i64
    %less_one = arith.addi %difference, %minus : i64
    %more = arith.cmpi sgt, %y, %less_one : i64
    %greatest = scf.if %more -> (i64) {
      scf.yield %y : i64
    } else {
      scf.yield %less_one : i64
    }
    memref.store %greatest, %a[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "difference"} : () -> ()
}) : () -> ()
// CHECK:         arith.subi
// CHECK:         %[[HIDDEN:.*]] = arith.xori %[[Y:.*]], %{{.*}} : i64
// CHECK-NEXT:    arith.cmpi sgt, %[[HIDDEN]], %{{.*}} : i64

// -----

/// A loop carries the greatest number so far and, in the end, its complement: found around the loop.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>) -> (), kernel}> ({
  ^bb0(%a: memref<?xi64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %one = arith.constant 1 : index
    %next = arith.addi %index, %one : index
    %x = memref.load %a[%index] : memref<?xi64>
    %y = memref.load %a[%next] : memref<?xi64>
    %zero = arith.constant 0 : index
    %minus = arith.constant -1 : i64
    %greatest = scf.for %k = %zero to %next step %one iter_args(%best = %x) -> (i64) {
      %z = memref.load %a[%k] : memref<?xi64>
      %more = arith.cmpi sgt, %z, %best : i64
      %better = arith.select %more, %z, %best : i64
      scf.yield %better : i64
    }
    %not = arith.xori %greatest, %minus : i64
    memref.store %not, %a[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "loop"} : () -> ()
}) : () -> ()
// CHECK:         scf.for
// CHECK:         %[[HIDDEN:.*]] = arith.xori %[[Z:.*]], %{{.*}} : i64
// CHECK-NEXT:    arith.cmpi sgt, %[[HIDDEN]], %{{.*}} : i64

// -----

/// -1 or 0 by a condition is the complement of a sign. `arith.minsi` becomes a comparison and a choice.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>) -> (), kernel}> ({
  ^bb0(%a: memref<?xi64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %one = arith.constant 1 : index
    %next = arith.addi %index, %one : index
    %x = memref.load %a[%index] : memref<?xi64>
    %y = memref.load %a[%next] : memref<?xi64>
    %negative = arith.cmpi sge, %x, %y : i64
    %sign = arith.extsi %negative : i1 to i64
    %least = arith.minsi %sign, %y : i64
    memref.store %least, %a[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "sign"} : () -> ()
}) : () -> ()
// CHECK:         arith.cmpi sge, %{{.*}}, %{{.*}}
// CHECK-NEXT:    %[[SIGN:.*]] = arith.extsi
// CHECK-NEXT:    %[[HIDDEN:.*]] = arith.xori %[[SIGN]], %{{.*}} : i64
// CHECK-NEXT:    %[[LESS:.*]] = arith.cmpi slt, %[[HIDDEN]], %[[Y:.*]] : i64
// CHECK-NEXT:    arith.select %[[LESS]], %[[SIGN]], %[[Y]] : i64

// -----

/// Near misses: no complement in the kernel; a constant on one side.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>) -> (), kernel}> ({
  ^bb0(%a: memref<?xi64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %one = arith.constant 1 : index
    %next = arith.addi %index, %one : index
    %x = memref.load %a[%index] : memref<?xi64>
    %y = memref.load %a[%next] : memref<?xi64>
    %less = arith.cmpi slt, %x, %y : i64
    %least = arith.select %less, %x, %y : i64
    memref.store %least, %a[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "plain"} : () -> ()
}) : () -> ()
// CHECK-NOT:     offload.zero
// CHECK:         sym_name = "plain"

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>) -> (), kernel}> ({
  ^bb0(%a: memref<?xi64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %one = arith.constant 1 : index
    %next = arith.addi %index, %one : index
    %x = memref.load %a[%index] : memref<?xi64>
    %y = memref.load %a[%next] : memref<?xi64>
    %minus = arith.constant -1 : i64
    %seven = arith.constant 7 : i64
    %not = arith.xori %x, %minus : i64
    %less = arith.cmpi slt, %not, %seven : i64
    %least = arith.select %less, %not, %seven : i64
    memref.store %least, %a[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "constant"} : () -> ()
}) : () -> ()
// CHECK-NOT:     offload.zero
// CHECK:         sym_name = "constant"

// -----

/// Near miss: the complement is of another number than those that are compared, and what is chosen does not become one.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>) -> (), kernel}> ({
  ^bb0(%a: memref<?xi64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %one = arith.constant 1 : index
    %next = arith.addi %index, %one : index
    %x = memref.load %a[%index] : memref<?xi64>
    %y = memref.load %a[%next] : memref<?xi64>
    %minus = arith.constant -1 : i64
    %not = arith.xori %x, %minus : i64
    memref.store %not, %a[%index] : memref<?xi64>
    %less = arith.cmpi slt, %x, %y : i64
    %least = arith.select %less, %x, %y : i64
    memref.store %least, %a[%next] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "apart"} : () -> ()
}) : () -> ()
// CHECK-NOT:     offload.zero
// CHECK:         sym_name = "apart"
