// RUN: hetc-opt %s --split-input-file -p 'choose-index-space{group=256 tail=split index-bits=64}' | filecheck %s --check-prefix SPLIT
// RUN: hetc-opt %s --split-input-file -p 'choose-index-space{group=128 tail=guard index-bits=32}' | filecheck %s --check-prefix GUARD
// RUN: hetc-opt %s --split-input-file -p 'choose-index-space{group=256 tail=single}' | filecheck %s --check-prefix SINGLE
// RUN: hetc-opt %s --split-input-file -p choose-index-space | filecheck %s --check-prefix EXACT
// RUN: hetc-opt %s --split-input-file -p 'choose-index-space{group=8 loop-group=4}' | filecheck %s --check-prefix LOOPS

/// "split" and "single" leave kernels as they are. "guard" hands them the extent and lets only the work-items below it do something.
func.func @entry(%x: tensor<?xf32>) attributes {skel.entry} {
  %n = offload.size %x[0] : tensor<?xf32>
  %b = offload.alloc %n : memref<?xf32>
  offload.launch @kernels::@negate over %n group 0 tail "exact" (%b : memref<?xf32>)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %a = memref.load %x[%i] : memref<?xf32>
    %m = arith.negf %a : f32
    memref.store %m, %x[%i] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "negate"} : () -> ()
}) : () -> ()
// SPLIT-LABEL: func.func @entry
// SPLIT:         %[[N:.*]] = offload.size
// SPLIT:         offload.launch @kernels::@negate over %[[N]] group 256 tail "split" (%{{.*}} : memref<?xf32>)
// SPLIT:         "gpu.func"() <{function_type = (memref<?xf32>) -> (), kernel}>
// SPLIT-NOT:     scf.if
// SPLIT:         {offload.index_bits = 64 : i64}
// SINGLE-LABEL: func.func @entry
// SINGLE:         offload.launch @kernels::@negate over %{{.*}} group 256 tail "single" (%{{.*}} : memref<?xf32>)
// SINGLE-NOT:     scf.if
// GUARD-LABEL: func.func @entry
// GUARD:         %[[N:.*]] = offload.size
// GUARD-NEXT:    %[[B:.*]] = offload.alloc
// GUARD-NEXT:    offload.launch @kernels::@negate over %[[N]] group 128 tail "guard" (%[[B]], %[[N]] : memref<?xf32>, index)
// GUARD:         "gpu.func"() <{function_type = (memref<?xf32>, index) -> (), kernel}>
// GUARD-NEXT:    ^{{.*}}(%[[X:.*]]: memref<?xf32>, %[[E:.*]]: index):
// GUARD-NEXT:      %[[I:.*]] = "gpu.global_id"()
// GUARD-NEXT:      %[[IN:.*]] = arith.cmpi ult, %[[I]], %[[E]] : index
// GUARD-NEXT:      scf.if %[[IN]] {
// GUARD-NEXT:        %[[A:.*]] = memref.load %[[X]][%[[I]]]
// GUARD-NEXT:        %[[M:.*]] = arith.negf %[[A]]
// GUARD-NEXT:        memref.store %[[M]], %[[X]][%[[I]]]
// GUARD-NEXT:      }
// GUARD-NEXT:      "gpu.return"()
// GUARD:         {offload.index_bits = 32 : i64}
// EXACT-LABEL: func.func @entry
// EXACT:         offload.launch @kernels::@negate over %{{.*}} group 0 tail "exact" (%{{.*}} : memref<?xf32>)
// EXACT:         {offload.index_bits = 64 : i64}

// -----

/// A launch of one work-item stays exact: there is no last group to treat.
func.func @single() attributes {skel.entry} {
  %one = arith.constant 1 : index
  %b = offload.alloc %one : memref<?xf32>
  offload.launch @kernels::@zero over %one group 0 tail "exact" (%b : memref<?xf32>)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>):
    %i = arith.constant 0 : index
    %a = arith.constant 0.0 : f32
    memref.store %a, %x[%i] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "zero"} : () -> ()
}) : () -> ()
// SPLIT-LABEL: func.func @single
// SPLIT:         offload.launch @kernels::@zero over %{{.*}} group 0 tail "exact" (%{{.*}} : memref<?xf32>)
// GUARD-LABEL: func.func @single
// GUARD:         offload.launch @kernels::@zero over %{{.*}} group 0 tail "exact" (%{{.*}} : memref<?xf32>)
// GUARD-NOT:     scf.if
// EXACT-LABEL: func.func @single

// -----

/// Near miss: two work-items may not fill a group.
func.func @pair() attributes {skel.entry} {
  %two = arith.constant 2 : index
  %b = offload.alloc %two : memref<?xf32>
  offload.launch @kernels::@zero over %two group 0 tail "exact" (%b : memref<?xf32>)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %a = arith.constant 0.0 : f32
    memref.store %a, %x[%i] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "zero"} : () -> ()
}) : () -> ()
// SPLIT-LABEL: func.func @pair
// SPLIT:         group 256 tail "split"
// GUARD-LABEL: func.func @pair
// GUARD:         group 128 tail "guard"
// GUARD:         scf.if
// EXACT-LABEL: func.func @pair

// -----

/// Where a dimension has 2**31 elements or more, indices have 64 bits on every device.
func.func @wide() attributes {skel.entry, skel.wide} {
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
^bb0:
}) : () -> ()
// SPLIT-LABEL: func.func @wide
// SPLIT:         {offload.index_bits = 64 : i64}
// GUARD-LABEL: func.func @wide
// GUARD:         {offload.index_bits = 64 : i64}
// EXACT-LABEL: func.func @wide

// -----

/// Kernels with loops have a group size of their own; the order of sums in loops is marked if asked for.
func.func @with_loop(%n: index) attributes {skel.entry} {
  offload.launch @kernels::@straight over %n group 0 tail "exact" ()
  offload.launch @kernels::@looping over %n group 0 tail "exact" ()
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    "gpu.return"() : () -> ()
  }) {sym_name = "straight"} : () -> ()
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    scf.for %i = %zero to %one step %one {
      scf.yield
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "looping"} : () -> ()
}) : () -> ()
// LOOPS-LABEL: func.func @with_loop
// LOOPS:         offload.launch @kernels::@straight over %{{.*}} group 8
// LOOPS-NEXT:    offload.launch @kernels::@looping over %{{.*}} group 4
// LOOPS:         {offload.index_bits = 64 : i64}

// -----

/// Launches of two dimensions: "guard" tests both indices, up to where each launch ends, in groups 32 work-items wide.
func.func @boxes(%n: index, %w: index, %h: index) attributes {skel.entry} {
  offload.launch @kernels::@point over %n box %w, %h from %h, %w group 0 tail "exact" ()
  offload.launch @kernels::@point over %n box %h, %w group 0 tail "exact" ()
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    "gpu.return"() : () -> ()
  }) {sym_name = "point"} : () -> ()
}) : () -> ()
// SPLIT-LABEL: func.func @boxes
// SPLIT-SAME:    (%[[N:.*]]: index, %[[W:.*]]: index, %[[H:.*]]: index)
// SPLIT-NEXT:    offload.launch @kernels::@point over %[[N]] box %[[W]], %[[H]] from %[[H]], %[[W]] group 256 tail "split" ()
// SPLIT-NEXT:    offload.launch @kernels::@point over %[[N]] box %[[H]], %[[W]] group 256 tail "split" ()
// GUARD-LABEL: func.func @boxes
// GUARD-SAME:    (%[[N:.*]]: index, %[[W:.*]]: index, %[[H:.*]]: index)
// GUARD-NEXT:    %[[ENDX:.*]] = arith.addi %[[H]], %[[W]] : index
// GUARD-NEXT:    %[[ENDY:.*]] = arith.addi %[[W]], %[[H]] : index
// GUARD-NEXT:    offload.launch {{.*}} from %[[H]], %[[W]] group 128 shape [32, 4] tail "guard" (%[[ENDX]], %[[ENDY]] : index, index)
// GUARD-NEXT:    offload.launch {{.*}} box %[[H]], %[[W]] group 128 shape [32, 4] tail "guard" (%[[H]], %[[W]] : index, index)
// GUARD:         ^{{.*}}(%[[EX:.*]]: index, %[[EY:.*]]: index):
// GUARD-DAG:       %[[X:.*]] = "gpu.global_id"() <{dimension = #gpu<dim x>}>
// GUARD-DAG:       %[[Y:.*]] = "gpu.global_id"() <{dimension = #gpu<dim y>}>
// GUARD:           %[[INX:.*]] = arith.cmpi ult, %[[X]], %[[EX]] : index
// GUARD-NEXT:      %[[INY:.*]] = arith.cmpi ult, %[[Y]], %[[EY]] : index
// GUARD-NEXT:      %[[IN:.*]] = arith.andi %[[INX]], %[[INY]] : i1
// GUARD-NEXT:      scf.if %[[IN]]
