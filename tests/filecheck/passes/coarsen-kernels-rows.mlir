// RUN: hetc-opt %s --split-input-file -p 'coarsen-kernels{least=4096 shape=16,4}' | filecheck %s

/// With a shape of work-groups, for compilers that make vectors of neighbours: a work-item does eight rows if they
/// share what a loop loads. Whole tiles are 16 columns and 32 rows; what is left along each is launched as before.
func.func @entry(%x: tensor<?xf32>, %w: index, %h: index) attributes {skel.entry} {
  %n = offload.size %x[0] : tensor<?xf32>
  %b = offload.alloc %n : memref<?xf32>
  %c = offload.alloc %n : memref<?xf32>
  offload.launch @kernels::@sums over %n box %w, %h group 64 tail "split" (%w, %b, %c : index, memref<?xf32>, memref<?xf32>)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, memref<?xf32>, memref<?xf32>) -> (), kernel}> ({
  ^bb0(%w: index, %b: memref<?xf32>, %c: memref<?xf32>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim y>}> : () -> index
    %j = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %low = arith.constant 0 : index
    %one = arith.constant 1 : index
    %start = arith.constant 0.0 : f32
    %row = arith.muli %i, %w : index
    %total = scf.for %k = %low to %w step %one iter_args(%sum = %start) -> (f32) {
      %left = arith.addi %row, %k : index
      %below = arith.muli %k, %w : index
      %right = arith.addi %below, %j : index
      %p = memref.load %b[%left] : memref<?xf32>
      %q = memref.load %b[%right] : memref<?xf32>
      %product = arith.mulf %p, %q : f32
      %next = arith.addf %sum, %product : f32
      scf.yield %next : f32
    }
    %place = arith.addi %row, %j : index
    memref.store %total, %c[%place] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "sums", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @entry
// CHECK:         %[[SIXTEEN:.*]] = arith.constant 16 : index
// CHECK-NEXT:    %[[ACROSS:.*]] = arith.divui %w, %[[SIXTEEN]] : index
// CHECK-NEXT:    %[[SOME:.*]] = arith.muli %[[ACROSS]], %{{.*}} : index
// CHECK-NEXT:    %[[COLUMNS:.*]] = arith.muli %[[SOME]], %[[SIXTEEN]] : index
// CHECK-NEXT:    %[[TILE:.*]] = arith.constant 32 : index
// CHECK-NEXT:    %[[DOWN:.*]] = arith.divui %h, %[[TILE]] : index
// CHECK-NEXT:    %[[FEW:.*]] = arith.muli %[[DOWN]], %{{.*}} : index
// CHECK-NEXT:    %[[ROWS:.*]] = arith.muli %[[FEW]], %[[TILE]] : index
// CHECK:         %[[EIGHTH:.*]] = arith.divui %[[ROWS]], %{{.*}} : index
// CHECK-NEXT:    offload.launch @kernels::@sums_coarse over %{{.*}} box %{{.*}}, %[[EIGHTH]] group 64 shape [16, 4] tail "exact"
// CHECK:         offload.launch @kernels::@sums over %{{.*}} box %{{.*}}, %[[ROWS]] from %[[COLUMNS]], %{{.*}} group 64 tail "split"
// CHECK:         offload.launch @kernels::@sums over %{{.*}} box %w, %{{.*}} from %{{.*}}, %[[ROWS]] group 64 tail "split"
// CHECK:         sym_name = "sums"
/// One load of the right factor for eight of the left.
// CHECK:           scf.for
// CHECK-COUNT-9:     memref.load
// CHECK-NOT:         memref.load
// CHECK-COUNT-8:     arith.addf
// CHECK-NOT:         arith.addf
// CHECK-COUNT-8:   memref.store
// CHECK:         sym_name = "sums_coarse"

// -----

/// Near miss: each row has loads of its own.
func.func @entry(%x: tensor<?xf32>, %w: index, %h: index) attributes {skel.entry} {
  %n = offload.size %x[0] : tensor<?xf32>
  %b = offload.alloc %n : memref<?xf32>
  %c = offload.alloc %n : memref<?xf32>
  offload.launch @kernels::@rows over %n box %w, %h group 64 tail "split" (%w, %b, %c : index, memref<?xf32>, memref<?xf32>)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, memref<?xf32>, memref<?xf32>) -> (), kernel}> ({
  ^bb0(%w: index, %b: memref<?xf32>, %c: memref<?xf32>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim y>}> : () -> index
    %j = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %low = arith.constant 0 : index
    %one = arith.constant 1 : index
    %start = arith.constant 0.0 : f32
    %row = arith.muli %i, %w : index
    %total = scf.for %k = %low to %w step %one iter_args(%sum = %start) -> (f32) {
      %left = arith.addi %row, %k : index
      %p = memref.load %b[%left] : memref<?xf32>
      %next = arith.addf %sum, %p : f32
      scf.yield %next : f32
    }
    %place = arith.addi %row, %j : index
    memref.store %total, %c[%place] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "rows", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @entry
// CHECK:         offload.launch @kernels::@rows over %{{.*}} box %{{.*}}, %{{.*}} group 64 tail "split"
// CHECK-NOT:     _coarse

// -----

/// Near miss: the kernel has no loop, in which loads would be shared.
func.func @entry(%x: tensor<?xf32>, %w: index, %h: index) attributes {skel.entry} {
  %n = offload.size %x[0] : tensor<?xf32>
  %b = offload.alloc %n : memref<?xf32>
  %c = offload.alloc %n : memref<?xf32>
  offload.launch @kernels::@copy over %n box %w, %h group 64 tail "split" (%w, %b, %c : index, memref<?xf32>, memref<?xf32>)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, memref<?xf32>, memref<?xf32>) -> (), kernel}> ({
  ^bb0(%w: index, %b: memref<?xf32>, %c: memref<?xf32>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim y>}> : () -> index
    %j = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %row = arith.muli %i, %w : index
    %place = arith.addi %row, %j : index
    %p = memref.load %b[%j] : memref<?xf32>
    memref.store %p, %c[%place] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "copy", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @entry
// CHECK-NOT:     _coarse

// -----

/// Near miss: a launch of one dimension has no rows.
func.func @entry(%x: tensor<?xf32>, %w: index) attributes {skel.entry} {
  %n = offload.size %x[0] : tensor<?xf32>
  %b = offload.alloc %n : memref<?xf32>
  %c = offload.alloc %n : memref<?xf32>
  offload.launch @kernels::@sums over %n group 64 tail "split" (%w, %b, %c : index, memref<?xf32>, memref<?xf32>)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, memref<?xf32>, memref<?xf32>) -> (), kernel}> ({
  ^bb0(%w: index, %b: memref<?xf32>, %c: memref<?xf32>):
    %j = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %low = arith.constant 0 : index
    %one = arith.constant 1 : index
    %start = arith.constant 0.0 : f32
    %total = scf.for %k = %low to %w step %one iter_args(%sum = %start) -> (f32) {
      %p = memref.load %b[%k] : memref<?xf32>
      %next = arith.addf %sum, %p : f32
      scf.yield %next : f32
    }
    memref.store %total, %c[%j] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "sums", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @entry
// CHECK-NOT:     _coarse
