// RUN: hetc-opt %s --split-input-file -p hide-truncations | filecheck %s

/// A float of an integer of a float: the compiler does not know the integer.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>) -> (), kernel}> ({
  ^bb0(%a: memref<?xf32>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %x = memref.load %a[%index] : memref<?xf32>
    %whole = arith.fptosi %x : f32 to i32
    %float = arith.sitofp %whole : i32 to f32
    memref.store %float, %a[%index] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "whole"} : () -> ()
}) : () -> ()
// CHECK:         %[[ZERO:.*]] = offload.zero : i32
// CHECK:         %[[WHOLE:.*]] = arith.fptosi
// CHECK-NEXT:    %[[HIDDEN:.*]] = arith.xori %[[WHOLE]], %[[ZERO]] : i32
// CHECK-NEXT:    arith.sitofp %[[HIDDEN]]

// -----

/// Near miss: no float is made of an integer.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>) -> (), kernel}> ({
  ^bb0(%a: memref<?xf32>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %x = memref.load %a[%index] : memref<?xf32>
    %whole = arith.fptosi %x : f32 to i64
    %place = arith.index_cast %whole : i64 to index
    %y = memref.load %a[%place] : memref<?xf32>
    memref.store %y, %a[%index] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "index"} : () -> ()
}) : () -> ()
// CHECK-NOT:     offload.zero
// CHECK:         sym_name = "index"
