// RUN: hetc-opt %s --split-input-file -p 'offer-layouts{groups=64,256 blocks=16,16}' | filecheck %s
// RUN: hetc-opt %s --split-input-file -p 'offer-layouts{groups=64,256 blocks=16,16},offer-layouts{groups=64,256 blocks=16,16}' | filecheck %s
// RUN: hetc-opt %s --split-input-file -p offer-layouts | filecheck %s --check-prefix NONE

/// Groups in a row: all but the one that the launch has. Without options there is nothing to measure.
func.func @row(%n: index, %b: memref<?xf32>) {
  offload.launch @kernels::@negate over %n group 64 tail "split" (%b : memref<?xf32>)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %a = memref.load %x[%i] : memref<?xf32>
    memref.store %a, %x[%i] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "negate"} : () -> ()
}) : () -> ()
// CHECK-LABEL: @row
// CHECK:         group 64 tail "split" layouts [array<i64: 256>] (
// NONE-LABEL:  @row
// NONE:          group 64 tail "split" (

// -----

/// Neighbours along x read elements that are far apart: blocks, too.
func.func @across(%n: index, %w: index, %b: memref<?xf32>) {
  offload.launch @kernels::@turn over %n box %w, %w group 4096 tail "split" (%b, %w : memref<?xf32>, index)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %w: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %j = "gpu.global_id"() <{dimension = #gpu<dim y>}> : () -> index
    %row = arith.muli %i, %w : index
    %place = arith.addi %row, %j : index
    %a = memref.load %x[%place] : memref<?xf32>
    %back = arith.muli %j, %w : index
    %to = arith.addi %back, %i : index
    memref.store %a, %x[%to] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "turn"} : () -> ()
}) : () -> ()
// CHECK-LABEL: @across
// CHECK:         group 4096 tail "split" layouts [array<i64: 16, 16>, array<i64: 64>, array<i64: 256>] (

// -----

/// A near miss: only y is multiplied, and x by a small number, the fields of a record.
func.func @along(%n: index, %w: index, %b: memref<?xf32>) {
  offload.launch @kernels::@keep over %n box %w, %w group 4096 tail "split" (%b, %w : memref<?xf32>, index)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %w: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %j = "gpu.global_id"() <{dimension = #gpu<dim y>}> : () -> index
    %two = arith.constant 2 : index
    %field = arith.muli %i, %two : index
    %row = arith.muli %j, %w : index
    %place = arith.addi %row, %field : index
    %a = memref.load %x[%place] : memref<?xf32>
    memref.store %a, %x[%place] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "keep"} : () -> ()
}) : () -> ()
// CHECK-LABEL: @along
// CHECK:         group 4096 tail "split" layouts [array<i64: 64>, array<i64: 256>] (

// -----

/// Near misses: groups that a kernel relies on, one work-item, a launch that guards its end, and one of a heap.
func.func @fixed(%n: index, %b: memref<?xf32>, %s: memref<?xi64>) {
  offload.launch @kernels::@f over %n group 64 tail "exact" (%b : memref<?xf32>)
  offload.launch @kernels::@f over %n group 1 tail "split" (%b : memref<?xf32>)
  offload.launch @kernels::@f over %n group 64 tail "guard" (%b : memref<?xf32>)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>):
    "gpu.return"() : () -> ()
  }) {sym_name = "f"} : () -> ()
}) : () -> ()
// CHECK-LABEL: @fixed
// CHECK-NOT:     layouts
