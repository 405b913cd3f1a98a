// RUN: hetc-opt %s --split-input-file -p 'outline-kernels{levels=8,4}' | filecheck %s
// RUN: hetc-opt %s --split-input-file -p 'outline-kernels{levels=8,4 lanes=256 groups=2 local-memory=32768 words=true}' | filecheck %s --check-prefix=GROUPS
// RUN: hetc-opt %s --split-input-file -p 'outline-kernels{levels=8,4 strips=8 strands=2 copies-near=16384}' | filecheck %s --check-prefix=STRIPS
// RUN: hetc-opt %s --split-input-file -p 'outline-kernels{levels=8,4 lanes=16}' | filecheck %s --check-prefix=BLOCKS

/// A map becomes a kernel that loads, computes and stores the element of its index. The entry becomes the host's steps:
/// bring each input to the device once, allocate the result, launch, copy back, make a Python object.
func.func @add(%x: tensor<?xf32> {skel.path = array<i64: 0>}, %y: tensor<?xf32> {skel.path = array<i64: 1>}) -> tensor<?xf32> attributes {skel.entry, skel.container = "ndarray", skel.result = f32} {
  %z = skel.map(%x, %y, %x) : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    %1 = arith.mulf %0, %c : f32
    skel.yield %1 : f32
  }
  func.return %z : tensor<?xf32>
}
// CHECK:       builtin.module attributes {gpu.container_module} {
// CHECK-LABEL: func.func @add
// CHECK-SAME:      (%[[X:.*]]: tensor<?xf32> {skel.path = array<i64: 0>}, %[[Y:.*]]: tensor<?xf32> {skel.path = array<i64: 1>}) -> !dyn.object
// CHECK-NEXT:      %[[HX:.*]] = offload.marshal %[[X]] : tensor<?xf32> -> memref<?xf32, "host">
// CHECK-NEXT:      %[[BX:.*]] = offload.copy_in %[[HX]] : memref<?xf32, "host"> -> memref<?xf32>
// CHECK-NEXT:      %[[HY:.*]] = offload.marshal %[[Y]] : tensor<?xf32> -> memref<?xf32, "host">
// CHECK-NEXT:      %[[BY:.*]] = offload.copy_in %[[HY]] : memref<?xf32, "host"> -> memref<?xf32>
// CHECK-NEXT:      %[[N:.*]] = offload.size %[[X]][0] : tensor<?xf32>
// CHECK-NEXT:      %[[BZ:.*]] = offload.alloc %[[N]] : memref<?xf32>
// CHECK-NEXT:      offload.launch @kernels::@add over %[[N]] group 0 tail "exact" (%[[BX]], %[[BY]], %[[BZ]] : memref<?xf32>, memref<?xf32>, memref<?xf32>)
// CHECK-NEXT:      %[[HZ:.*]] = offload.copy_out %[[BZ]] : memref<?xf32> -> memref<?xf32, "host">
// CHECK-NEXT:      %[[Z:.*]] = offload.unmarshal "ndarray" of f32 (%[[HZ]] : memref<?xf32, "host">)
// CHECK-NEXT:      func.return %[[Z]] : !dyn.object
// CHECK:         "gpu.module"() <{sym_name = "kernels"}> ({
// CHECK-NEXT:      "gpu.func"() <{function_type = (memref<?xf32>, memref<?xf32>, memref<?xf32>) -> (), kernel}> ({
// CHECK-NEXT:      ^{{.*}}(%[[PX:.*]]: memref<?xf32>, %[[PY:.*]]: memref<?xf32>, %[[PZ:.*]]: memref<?xf32>):
// CHECK-NEXT:        %[[I:.*]] = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT:        %[[A:.*]] = memref.load %[[PX]][%[[I]]] : memref<?xf32>
// CHECK-NEXT:        %[[B:.*]] = memref.load %[[PY]][%[[I]]] : memref<?xf32>
// CHECK-NEXT:        %[[C:.*]] = memref.load %[[PX]][%[[I]]] : memref<?xf32>
// CHECK-NEXT:        %[[D:.*]] = arith.subf %[[A]], %[[B]] : f32
// CHECK-NEXT:        %[[E:.*]] = arith.mulf %[[D]], %[[C]] : f32
// CHECK-NEXT:        memref.store %[[E]], %[[PZ]][%[[I]]] : memref<?xf32>
// CHECK-NEXT:        "gpu.return"() : () -> ()
// CHECK-NEXT:      }) {sym_name = "add", offload.elementwise} : () -> ()

// -----

/// Names that the user chose name the kernel's parameters; buffers hold payloads.
func.func @names(%ages: tensor<?xui8> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.bool> attributes {skel.entry, skel.container = "list", skel.result = !dyn.bool} {
  %z = skel.map(%ages) : (tensor<?xui8>) -> tensor<?x!dyn.bool> {
  ^bb0(%age: i8):
    %limit = arith.constant 18 : i8
    %adult = arith.cmpi uge, %age, %limit : i8
    skel.yield %adult : i1
  }
  func.return %z : tensor<?x!dyn.bool>
}
// CHECK-LABEL: func.func @names
// CHECK:         offload.alloc %{{.*}} : memref<?xi1>
// CHECK:         offload.unmarshal "list" of !dyn.bool (%{{.*}} : memref<?xi1, "host">)
// CHECK:         ^{{.*}}(%age_in: memref<?xi8>, %result: memref<?xi1>):
// CHECK:           %age = memref.load %age_in[%{{.*}}] : memref<?xi8>

// -----

/// A sequence has no buffer: its elements are computed from its start and step. Several results have a buffer each and
/// make one Python object.
func.func @sequence(%r: !skel.sequence<!dyn.int> {skel.path = array<i64: 0>}) -> (tensor<?x!dyn.int>, tensor<?xf64>) attributes {skel.entry, skel.container = "list", skel.result = tuple<!dyn.int, f64>} {
  %z, %w = skel.map(%r) : (!skel.sequence<!dyn.int>) -> (tensor<?x!dyn.int>, tensor<?xf64>) {
  ^bb0(%i: i64):
    %f = arith.sitofp %i : i64 to f64
    skel.yield %i, %f : i64, f64
  }
  func.return %z, %w : tensor<?x!dyn.int>, tensor<?xf64>
}
// CHECK-LABEL: func.func @sequence
// CHECK-SAME:    (%[[R:.*]]: !skel.sequence<!dyn.int>
// CHECK-NEXT:    %[[START:.*]] = offload.scalar "start" of %[[R]] : !skel.sequence<!dyn.int> -> i64
// CHECK-NEXT:    %[[STEP:.*]] = offload.scalar "step" of %[[R]] : !skel.sequence<!dyn.int> -> i64
// CHECK-NEXT:    %[[N:.*]] = offload.size %[[R]][0] : !skel.sequence<!dyn.int>
// CHECK-NEXT:    %[[Z:.*]] = offload.alloc %[[N]] : memref<?xi64>
// CHECK-NEXT:    %[[W:.*]] = offload.alloc %[[N]] : memref<?xf64>
// CHECK-NEXT:    offload.launch @kernels::@sequence over %[[N]] group 0 tail "exact" (%[[START]], %[[STEP]], %[[Z]], %[[W]] : i64, i64, memref<?xi64>, memref<?xf64>)
// CHECK-NEXT:    %[[HZ:.*]] = offload.copy_out %[[Z]]
// CHECK-NEXT:    %[[HW:.*]] = offload.copy_out %[[W]]
// CHECK-NEXT:    offload.unmarshal "list" of tuple<!dyn.int, f64> (%[[HZ]], %[[HW]] : memref<?xi64, "host">, memref<?xf64, "host">)
// CHECK:         ^{{.*}}(%[[S:.*]]: i64, %[[T:.*]]: i64, %{{.*}}: memref<?xi64>, %{{.*}}: memref<?xf64>):
// CHECK:           %[[I:.*]] = "gpu.global_id"()
// CHECK-NEXT:      %[[J:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK-NEXT:      %[[O:.*]] = arith.muli %[[J]], %[[T]] : i64
// CHECK-NEXT:      arith.addi %[[S]], %[[O]] : i64

// -----

/// Captured scalars, arrays and sizes become parameters, in branches and loops too; a matrix is stored row by row. What
/// no kernel reads is not brought to the device, and its declaration goes.
skel.capture @gain : f32
skel.capture @unread : f32
skel.capture @m : tensor<?x?xsi32> {dims = array<i64: 1, 2>}
func.func @captures(%x: tensor<?xi1> {skel.path = array<i64: 0>}) -> tensor<?xf32> attributes {skel.entry, skel.container = "ndarray", skel.result = f32} {
  %z = skel.map(%x) : (tensor<?xi1>) -> tensor<?xf32> {
  ^bb0(%c: i1):
    %r = scf.if %c -> (f32) {
      %g = skel.captured @gain : f32
      scf.yield %g : f32
    } else {
      %i = skel.size 1
      %j = skel.size 2
      %m = skel.captured @m : tensor<?x?xsi32>
      %e = obj.load %m[%i, %j] : tensor<?x?xsi32> -> i32
      %f = arith.sitofp %e : i32 to f32
      scf.yield %f : f32
    }
    skel.yield %r : f32
  }
  func.return %z : tensor<?xf32>
}
// CHECK:       skel.capture @gain
// CHECK-NEXT:  skel.capture @m
// CHECK-LABEL: func.func @captures
// CHECK-DAG:     %[[GAIN:.*]] = skel.captured @gain : f32
// CHECK-DAG:     offload.scalar "value" of %[[GAIN]] : f32 -> f32
// CHECK-DAG:     %[[M:.*]] = skel.captured @m : tensor<?x?xsi32>
// CHECK-DAG:     offload.marshal %[[M]] : tensor<?x?xsi32> -> memref<?xi32, "host">
// CHECK-DAG:     offload.size %[[M]][0]
// CHECK-DAG:     offload.size %[[M]][1]
// CHECK:         "gpu.func"
// CHECK:           scf.if %{{.*}} -> (f32) {
// CHECK-NEXT:        scf.yield %gain : f32
// CHECK-NEXT:      } else {
// CHECK:             %[[ROW:.*]] = arith.muli %[[I:.*]], %{{.*}} : i64
// CHECK-NEXT:        %[[P:.*]] = arith.addi %[[ROW]], %[[J:.*]] : i64
// CHECK-NEXT:        %[[K:.*]] = arith.index_cast %[[P]] : i64 to index
// CHECK-NEXT:        memref.load %{{.*}}[%[[K]]] : memref<?xi32>

// -----

/// A map that reads what another map made: the buffer stays on the device, and kernels have names of their own.
func.func @two(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> (tensor<?xf32>, tensor<?xf32>) attributes {skel.entry, skel.container = "ndarray", skel.result = tuple<f32, f32>} {
  %y = skel.map(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32):
    %0 = arith.negf %a : f32
    skel.yield %0 : f32
  }
  %z = skel.map(%y) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32):
    %0 = arith.addf %a, %a : f32
    skel.yield %0 : f32
  }
  func.return %y, %z : tensor<?xf32>, tensor<?xf32>
}
// CHECK-LABEL: func.func @two
// CHECK:         %[[Y:.*]] = offload.alloc
// CHECK-NEXT:    offload.launch @kernels::@two over
// CHECK:         %[[Z:.*]] = offload.alloc
// CHECK-NEXT:    offload.launch @kernels::@two_2 over %{{.*}} group 0 tail "exact" (%[[Y]], %[[Z]] :
// CHECK:         offload.copy_out %[[Y]]
// CHECK-NEXT:    offload.copy_out %[[Z]]
// CHECK:         }) {sym_name = "two", offload.elementwise}
// CHECK:         }) {sym_name = "two_2", offload.elementwise}

// -----

/// An input that is returned as it is takes no kernel and never sees the device.
func.func @nothing(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> tensor<?xf32> attributes {skel.entry, skel.container = "list", skel.result = f32} {
  func.return %x : tensor<?xf32>
}
// CHECK-LABEL: func.func @nothing
// CHECK-SAME:      (%[[X:.*]]: tensor<?xf32>
// CHECK-NEXT:      %[[H:.*]] = offload.marshal %[[X]]
// CHECK-NEXT:      %[[R:.*]] = offload.unmarshal "list" of f32 (%[[H]] : memref<?xf32, "host">)
// CHECK-NEXT:      func.return %[[R]]
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

/// A reduction takes three launches. This operator does not commute, so each work-item combines a run of neighbours, the
/// earlier ones on the left, and the last work-item starts from the initial value.
func.func @reduce(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> f32 attributes {skel.entry, skel.container = "ndarray", skel.result = f32, skel.scalar} {
  %init = arith.constant 2.0 : f32
  %s = skel.reduce(%x) init(%init : f32) : (tensor<?xf32>) -> f32 transform {
  ^bb0(%e: f32):
    %t = arith.negf %e : f32
    skel.yield %t : f32
  } combine {
  ^bb0(%l: f32, %r: f32):
    %c = arith.subf %l, %r : f32
    skel.yield %c : f32
  }
  func.return %s : f32
}
// CHECK-LABEL: func.func @reduce
// CHECK:         %[[PARTIALS:.*]] = offload.alloc %[[COUNT:.*]] : memref<?xf32>
// CHECK:         offload.launch @kernels::@reduce_partial over %[[COUNT]]
// CHECK-SAME:    %[[PARTIALS]]
// CHECK:         %[[SECOND:.*]] = offload.alloc %[[COUNT2:.*]] : memref<?xf32>
// CHECK-NEXT:    offload.launch @kernels::@reduce_combine over %[[COUNT2]]
// CHECK-SAME:    (%[[PARTIALS]],
// CHECK:         %[[RESULT:.*]] = offload.alloc %[[ONE:.*]] : memref<?xf32>
// CHECK-NEXT:    offload.launch @kernels::@reduce_final over %[[ONE]]
// CHECK-SAME:    (%[[SECOND]],
// CHECK-NEXT:    %[[H:.*]] = offload.copy_out %[[RESULT]]
// CHECK-NEXT:    offload.unmarshal "ndarray" of f32 scalar (%[[H]] : memref<?xf32, "host">)
// CHECK:           %[[E0:.*]] = memref.load
// CHECK-NEXT:      %[[FIRST:.*]] = arith.negf %[[E0]] : f32
// CHECK:           scf.for {{.*}} iter_args(%[[L:.*]] = %[[FIRST]]) -> (f32) {
// CHECK-NEXT:        %[[E:.*]] = memref.load
// CHECK-NEXT:        %[[T:.*]] = arith.negf %[[E]] : f32
// CHECK-NEXT:        %[[C:.*]] = arith.subf %[[L]], %[[T]] : f32
// CHECK-NEXT:        scf.yield %[[C]] : f32
// CHECK:         }) {sym_name = "reduce_partial"}
// CHECK:           %[[E0:.*]] = memref.load
// CHECK-NOT:       arith.negf
// CHECK:           scf.for {{.*}} iter_args(%[[L:.*]] = %[[E0]]) -> (f32) {
// CHECK:             arith.subf %[[L]], %{{.*}} : f32
// CHECK:         }) {sym_name = "reduce_combine"}
// CHECK:           %[[INIT:.*]] = arith.constant 2.0{{.*}} : f32
// CHECK:           scf.for {{.*}} iter_args(%[[L:.*]] = %[[INIT]]) -> (f32) {
// CHECK:             arith.subf %[[L]], %{{.*}} : f32
// CHECK:         }) {sym_name = "reduce_final"}

// -----

/// A reduction of pairs: two buffers of partial results, the operator on both components.
func.func @pairs(%x: tensor<?xf32> {skel.path = array<i64: 0, 0>}, %y: tensor<?xsi64> {skel.path = array<i64: 0, 1>}) -> (f32, i64) attributes {skel.entry, skel.container = "list", skel.result = tuple<f32, si64>, skel.scalar} {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0 : i64
  %s, %t = skel.reduce(%x, %y) init(%one, %zero : f32, i64) : (tensor<?xf32>, tensor<?xsi64>) -> (f32, i64) transform {
  ^bb0(%e: f32, %f: i64):
    skel.yield %e, %f : f32, i64
  } combine {
  ^bb0(%a: f32, %b: i64, %c: f32, %d: i64):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addi %b, %d : i64
    skel.yield %0, %1 : f32, i64
  }
  func.return %s, %t : f32, i64
}
// CHECK-LABEL: func.func @pairs
// CHECK:         offload.launch @kernels::@pairs_partial
// CHECK:         offload.launch @kernels::@pairs_combine
// CHECK:         offload.launch @kernels::@pairs_final
// CHECK:         offload.unmarshal "list" of tuple<f32, si64> scalar (%{{.*}}, %{{.*}} : memref<?xf32, "host">, memref<?xi64, "host">)
// CHECK:           scf.for {{.*}} -> (f32, i64) {

// -----

/// A module without an entry is left alone.
func.func @other(%x: f32) -> f32 {
  func.return %x : f32
}
// CHECK-LABEL: func.func @other

// -----

/// A loop over two sequences: a launch of two dimensions, the last sequence as x; the captured array that the kernel
/// stores to is written back.
skel.capture @m : tensor<?x?xf32> {dims = array<i64: 1, 2>}
func.func @fill(%r: !skel.sequence<!dyn.int> {skel.path = array<i64: 0>, skel.unit_step}, %c: !skel.sequence<!dyn.int> {skel.path = array<i64: 1>}) attributes {skel.entry, skel.container = "list", skel.result = !dyn.none} {
  skel.forall(%r, %c) : (!skel.sequence<!dyn.int>, !skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64, %j: i64):
    %m = skel.captured @m : tensor<?x?xf32>
    %x = arith.constant 0.0 : f32
    obj.store %x, %m[%i, %j] : f32, tensor<?x?xf32>
    skel.yield
  }
  func.return
}
// CHECK-LABEL: func.func @fill
// CHECK:         %[[ROWS:.*]] = offload.size %{{.*}}[0]
// CHECK-NEXT:    %[[COLUMNS:.*]] = offload.size %{{.*}}[0]
// CHECK:         %[[N:.*]] = arith.muli %[[ROWS]], %[[COLUMNS]] : index
// CHECK:         %[[M:.*]] = skel.captured @m
// CHECK:         %[[H:.*]] = offload.marshal %[[M]]
// CHECK:         %[[B:.*]] = offload.copy_in %[[H]]
// CHECK:         offload.launch @kernels::@fill over %[[N]] box %[[COLUMNS]], %[[ROWS]] group 0
// CHECK:         offload.write_back %[[B]] to %[[M]] : memref<?xf32>, tensor<?x?xf32>
// CHECK-NEXT:    func.return
// CHECK:         %[[I:.*]] = "gpu.global_id"() <{dimension = #gpu<dim y>}>
// CHECK:         %[[J:.*]] = "gpu.global_id"() <{dimension = #gpu<dim x>}>
// CHECK:         %[[ROW:.*]] = arith.muli %[[I]], %{{.*}} : index
// CHECK-NEXT:    arith.addi %[[ROW]], %[[J]] {offload.element} : index
// CHECK:         memref.store

// -----

/// Additions to elements of a captured array: in one step, and the array is written back.
skel.capture @h : tensor<?xsi32> {dims = array<i64: 1>}
func.func @sum(%r: !skel.sequence<!dyn.int> {skel.path = array<i64: 0>, skel.unit_step}) attributes {skel.entry, skel.container = "list", skel.result = !dyn.none} {
  skel.forall(%r) : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    %h = skel.captured @h : tensor<?xsi32>
    %x = arith.constant 1 : i32
    obj.accumulate %x, %h[%i] : i32, tensor<?xsi32>
    skel.yield
  }
  func.return
}
// CHECK-LABEL: func.func @sum
// CHECK:         offload.write_back %{{.*}} to %{{.*}} : memref<?xi32>, tensor<?xsi32>
// CHECK:         "memref.atomic_rmw"(%{{.*}}, %h, %{{.*}}) <{kind = 1 : i64}> : (i32, memref<?xi32>, index) -> i32

// -----

/// A scan: partial results of runs, twice; one work-item scans the last ones; then each run, from what is before it.
func.func @sums(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> tensor<?xf32> attributes {skel.entry, skel.container = "ndarray", skel.result = f32} {
  %z = skel.scan(%x) : (tensor<?xf32>) -> tensor<?xf32> transform {
  ^bb0(%e: f32):
    skel.yield %e : f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    skel.yield %r : f32
  }
  func.return %z : tensor<?xf32>
}
// CHECK-LABEL: func.func @sums
// CHECK:         offload.launch @kernels::@sums_partial over
// CHECK:         offload.launch @kernels::@sums_partial_2 over
// CHECK:         offload.launch @kernels::@sums_scan_partials over
// CHECK:         offload.launch @kernels::@sums_scan over
// CHECK:         offload.launch @kernels::@sums_scan_2 over
// CHECK-NEXT:    offload.copy_out
// CHECK:       }) {sym_name = "sums_partial_2"}
// CHECK:         arith.cmpi ult
// CHECK:         scf.if
// CHECK:       }) {sym_name = "sums_scan_partials"}
// CHECK:       }) {sym_name = "sums_scan"}
// CHECK:         %[[INDEX:.*]] = "gpu.global_id"
// CHECK:         %[[FIRST:.*]] = arith.cmpi eq, %[[INDEX]]
// CHECK:         scf.if %[[FIRST]] -> (f32) {
// CHECK:           memref.store
// CHECK:         } else {
// CHECK:           arith.subi %[[INDEX]]
// CHECK:         arith.maxui
// CHECK:         scf.for
// CHECK:           arith.addf
// CHECK-NEXT:      memref.store
// CHECK:       }) {sym_name = "sums_scan_2"}

/// With local memory, in tiles: neighbours load neighbours, also beyond the end, where an identity is; each scans what is
/// its own, from what the group's items before it come to; neighbours store neighbours. No barrier is in a loop.
// GROUPS-LABEL: func.func @sums
// GROUPS:         %[[TILE:.*]] = arith.constant 4096 : index
// GROUPS-NEXT:    %[[TILES:.*]] = arith.ceildivui %[[N:.*]], %[[TILE]] : index
// GROUPS-NEXT:    %[[TOTALS:.*]] = offload.alloc %[[TILES]] : memref<?xf32>
// GROUPS:         %[[EXTENT:.*]] = arith.muli %[[TILES]], %{{.*}} : index
// GROUPS-NEXT:    offload.launch @kernels::@sums_partial over %[[EXTENT]] group 256 tail "exact" (%[[N]], %[[X:.*]], %[[TOTALS]] :
// GROUPS:         offload.launch @kernels::@sums_scan_partials over
// GROUPS:         offload.launch @kernels::@sums_scan_2 over %{{.*}} group 256 tail "exact"
// GROUPS-NEXT:    offload.copy_out
// GROUPS:       }) {sym_name = "sums_scan"}
// GROUPS:         %[[ARRAY:.*]] = memref.alloca() : memref<4352xf32, "local">
// GROUPS:         scf.for
// GROUPS:           arith.minui
// GROUPS-NEXT:      %[[Q:.*]] = memref.load
// GROUPS:           %[[THERE:.*]] = arith.cmpi ult
// GROUPS-NEXT:      %[[NONE:.*]] = arith.constant -0.0{{.*}} : f32
// GROUPS-NEXT:      %[[E:.*]] = arith.select %[[THERE]], %[[Q]], %[[NONE]] : f32
// GROUPS-NEXT:      memref.store %[[E]], %[[ARRAY]]
// GROUPS:         }
// GROUPS-NEXT:    "gpu.barrier"() : () -> ()
// GROUPS:         memref.alloca() : memref<272xf32, "local">
// GROUPS:         "gpu.barrier"() : () -> ()
// GROUPS:         scf.if
// GROUPS:         "gpu.barrier"() : () -> ()
// GROUPS:         memref.alloca() : memref<16xf32, "local">
// GROUPS:         scf.if
// GROUPS:         "gpu.barrier"() : () -> ()
// GROUPS:         scf.for
// GROUPS:           memref.store %{{.*}}, %[[ARRAY]]
// GROUPS:         "gpu.barrier"() : () -> ()
// GROUPS:         scf.for
// GROUPS:           scf.if
// GROUPS-NEXT:        memref.load %[[ARRAY]]
// GROUPS-NEXT:        memref.store
// GROUPS:       }) {sym_name = "sums_scan_2"}

// -----

/// What follows a guard in the transform is done if it holds; else an identity stands for the element.
func.func @quotients(%x: tensor<?xsi32> {skel.path = array<i64: 0>}) -> tensor<?xsi32> attributes {skel.entry, skel.container = "ndarray", skel.result = si32} {
  %z = skel.scan(%x) : (tensor<?xsi32>) -> tensor<?xsi32> transform {
  ^bb0(%e: i32):
    %zero = arith.constant 0 : i32
    %ok = arith.cmpi ne, %e, %zero : i32
    guard.require %ok, zero_division, "division by zero"
    %six = arith.constant 6 : i32
    %d = arith.divsi %six, %e : i32
    skel.yield %d : i32
  } combine {
  ^bb0(%p: i32, %q: i32):
    %r = arith.addi %p, %q : i32
    skel.yield %r : i32
  }
  func.return %z : tensor<?xsi32>
}
// CHECK-LABEL:  func.func @quotients
// GROUPS-LABEL: func.func @quotients
// GROUPS:       }) {sym_name = "quotients_scan"}
// GROUPS:         guard.require %ok, zero_division
// GROUPS-NEXT:    %[[D:.*]], %[[HELD:.*]] = scf.if %ok -> (i32, i1) {
// GROUPS:           arith.divsi
// GROUPS:         %[[INSIDE:.*]] = arith.cmpi ult
// GROUPS-NEXT:    %[[THERE:.*]] = arith.andi %[[INSIDE]], %[[HELD]] : i1
// GROUPS:         arith.select %[[THERE]], %[[D]], %{{.*}} : i32
// GROUPS:         "gpu.barrier"
// GROUPS:       }) {sym_name = "quotients_scan_2"}

// -----

/// Near miss: the operator divides by what its guard is about, and what it makes goes into the next; nobody could leave.
func.func @ratios(%x: tensor<?xsi32> {skel.path = array<i64: 0>}) -> tensor<?xsi32> attributes {skel.entry, skel.container = "ndarray", skel.result = si32} {
  %z = skel.scan(%x) : (tensor<?xsi32>) -> tensor<?xsi32> transform {
  ^bb0(%e: i32):
    skel.yield %e : i32
  } combine {
  ^bb0(%p: i32, %q: i32):
    %zero = arith.constant 0 : i32
    %ok = arith.cmpi ne, %q, %zero : i32
    guard.require %ok, zero_division, "division by zero"
    %r = arith.divsi %p, %q : i32
    skel.yield %r : i32
  }
  func.return %z : tensor<?xsi32>
}
// CHECK-LABEL:  func.func @ratios
// GROUPS-LABEL: func.func @ratios
// GROUPS-NOT:   "gpu.barrier"
// GROUPS:       }) {sym_name = "ratios_scan_2"}

// -----

/// Counts of bytes. With local memory, a copy for each group, of 32 bits, as each element adds one. Around what a guard
/// allows is a branch, since nobody leaves.
func.func @bytes(%x: tensor<?xsi8> {skel.path = array<i64: 0>}) -> tensor<?xsi64> attributes {skel.entry, skel.container = "ndarray", skel.result = si64} {
  %zero = arith.constant 0 : i64
  %h = skel.scatter(%x) size 128 init(%zero : i64) : (tensor<?xsi8>) -> tensor<?xsi64> transform {
  ^bb0(%e: i8):
    %none = arith.constant 0 : i8
    %ok = arith.cmpi sge, %e, %none : i8
    guard.require %ok, bounds, "index out of range"
    %key = arith.extsi %e : i8 to i64
    %one = arith.constant 1 : i64
    skel.yield %key, %one : i64, i64
  } combine {
  ^bb0(%p: i64, %q: i64):
    %r = arith.addi %p, %q : i64
    skel.yield %r : i64
  }
  func.return %h : tensor<?xsi64>
}
// CHECK-LABEL: func.func @bytes
// CHECK:         %[[R:.*]] = offload.alloc %{{.*}} : memref<?xi64>
// CHECK:         %[[COPIES:.*]] = offload.alloc %{{.*}} zeroed : memref<?xi32>
// CHECK:         offload.launch @kernels::@bytes_scatter
// CHECK:         offload.launch @kernels::@bytes_combine
/// Without atomic additions of 64 bits there is no such sum.
// GROUPS-LABEL: func.func @bytes
// GROUPS-NOT:     "gpu.barrier"
// GROUPS:       }) {sym_name = "bytes_combine"}

// -----

/// Bytes are loaded four at once in rounds of which there are all elements, without a test; in the last one, zero is
/// added for those that there are not.
func.func @octets(%x: tensor<?xui8> {skel.path = array<i64: 0>}) -> tensor<?xsi32> attributes {skel.entry, skel.container = "ndarray", skel.result = si32} {
  %zero = arith.constant 0 : i32
  %h = skel.scatter(%x) size 256 init(%zero : i32) : (tensor<?xui8>) -> tensor<?xsi32> transform {
  ^bb0(%e: i8):
    %key = arith.extui %e : i8 to i64
    %one = arith.constant 1 : i32
    skel.yield %key, %one : i64, i32
  } combine {
  ^bb0(%p: i32, %q: i32):
    %r = arith.addi %p, %q : i32
    skel.yield %r : i32
  }
  func.return %h : tensor<?xsi32>
}
// CHECK-LABEL:  func.func @octets
// GROUPS-LABEL: func.func @octets
// GROUPS:         offload.alloc %{{.*}} zeroed : memref<?xi32>
// GROUPS-NOT:     offload.launch @kernels::@octets_fill
// GROUPS:         offload.launch @kernels::@octets_scatter over %{{.*}} group 256 tail "exact"
// GROUPS:         %words0: memref<?xi32>
// GROUPS:         arith.cmpi ule
// GROUPS-NEXT:    scf.if
// GROUPS:           %[[WORD:.*]] = memref.load %words0
// GROUPS:           arith.shrui %[[WORD]], %{{.*}} : i32
// GROUPS:           "memref.atomic_rmw"
// GROUPS:           "memref.atomic_rmw"
// GROUPS:           "memref.atomic_rmw"
// GROUPS:           "memref.atomic_rmw"
// GROUPS:         } else {
// GROUPS:           memref.load %e_in
// GROUPS:           arith.select
// GROUPS-NEXT:      "memref.atomic_rmw"
// GROUPS:       }) {sym_name = "octets_scatter"}

// -----

/// A branch with a guard tells if it has held, and what follows the branch is done only then.
func.func @halves(%x: tensor<?xsi32> {skel.path = array<i64: 0>}) -> tensor<?xsi32> attributes {skel.entry, skel.container = "ndarray", skel.result = si32} {
  %zero = arith.constant 0 : i32
  %h = skel.scatter(%x) size 8 init(%zero : i32) : (tensor<?xsi32>) -> tensor<?xsi32> transform {
  ^bb0(%e: i32):
    %eight = arith.constant 8 : i32
    %big = arith.cmpi uge, %e, %eight : i32
    %k = scf.if %big -> (i32) {
      %limit = arith.constant 64 : i32
      %ok = arith.cmpi ult, %e, %limit : i32
      guard.require %ok, bounds, "index out of range"
      %d = arith.divui %e, %eight : i32
      scf.yield %d : i32
    } else {
      scf.yield %e : i32
    }
    %key = arith.extsi %k : i32 to i64
    skel.yield %key, %e : i64, i32
  } combine {
  ^bb0(%p: i32, %q: i32):
    %r = arith.addi %p, %q : i32
    skel.yield %r : i32
  }
  func.return %h : tensor<?xsi32>
}
// CHECK-LABEL:  func.func @halves
// GROUPS-LABEL: func.func @halves
// GROUPS:         %[[K:.*]], %[[HELD:.*]] = scf.if %big -> (i32, i1) {
// GROUPS:           guard.require %ok, bounds
// GROUPS-NEXT:      %[[D:.*]], %[[IN:.*]] = scf.if %ok -> (i32, i1) {
// GROUPS-NEXT:        %[[Q:.*]] = arith.divui
// GROUPS-NEXT:        %[[YES:.*]] = arith.constant true
// GROUPS-NEXT:        scf.yield %[[Q]], %[[YES]] : i32, i1
// GROUPS-NEXT:      } else {
// GROUPS-NEXT:        %[[NOTHING:.*]] = ub.poison : i32
// GROUPS-NEXT:        %[[NO:.*]] = arith.constant false
// GROUPS-NEXT:        scf.yield %[[NOTHING]], %[[NO]] : i32, i1
// GROUPS-NEXT:      }
// GROUPS-NEXT:      scf.yield %[[D]], %[[IN]] : i32, i1
// GROUPS-NEXT:    } else {
// GROUPS:         scf.if %[[HELD]] {
// GROUPS:           "memref.atomic_rmw"
// GROUPS:       }) {sym_name = "halves_scatter"}

// -----

/// Sums of 32 bits, which there are. Initial values that are not zero are stored first.
func.func @totals(%x: tensor<?xsi32> {skel.path = array<i64: 0>}) -> tensor<?xsi32> attributes {skel.entry, skel.container = "ndarray", skel.result = si32} {
  %five = arith.constant 5 : i32
  %h = skel.scatter(%x) size 100 init(%five : i32) : (tensor<?xsi32>) -> tensor<?xsi32> transform {
  ^bb0(%e: i32):
    %hundred = arith.constant 100 : i32
    %ok = arith.cmpi ult, %e, %hundred : i32
    guard.require %ok, bounds, "index out of range"
    %key = arith.extsi %e : i32 to i64
    skel.yield %key, %e : i64, i32
  } combine {
  ^bb0(%p: i32, %q: i32):
    %r = arith.addi %p, %q : i32
    skel.yield %r : i32
  }
  func.return %h : tensor<?xsi32>
}
// CHECK-LABEL:  func.func @totals
// GROUPS-LABEL: func.func @totals
// GROUPS:         offload.launch @kernels::@totals_fill
// GROUPS:         %[[GROUPS:.*]] = arith.minui
// GROUPS:         offload.launch @kernels::@totals_scatter over %{{.*}} group 256 tail "exact"
// GROUPS-NEXT:    offload.copy_out
// GROUPS:         %[[MINE:.*]] = memref.alloca() : memref<100xi32, "local">
// GROUPS:         "gpu.barrier"() : () -> ()
// GROUPS:         scf.for
// GROUPS:           scf.for
// GROUPS:             guard.require %[[OK:.*]], bounds
// GROUPS-NEXT:        scf.if %[[OK]] {
// GROUPS:               %[[ADDED:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i32
// GROUPS-NEXT:          "memref.atomic_rmw"(%[[ADDED]], %[[MINE]],
// GROUPS:         "gpu.barrier"() : () -> ()
// GROUPS:         scf.for
// GROUPS:           "memref.atomic_rmw"

// -----

/// A portable array is made present instead of being marshalled and copied, once; a result for portable arrays stays in
/// its buffer. An array of the host among them is copied in as ever.
skel.capture @table : tensor<?xf32> {dims = array<i64: 1>, resident}
func.func @resident(%x: tensor<?xf32> {skel.path = array<i64: 0>, skel.resident}, %y: tensor<?xf32> {skel.path = array<i64: 1>}) -> tensor<?xf32> attributes {skel.entry, skel.container = "array", skel.result = f32} {
  %z = skel.map(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32, %b: f32):
    %t = skel.captured @table : tensor<?xf32>
    %0 = arith.constant 0 : i64
    %c = obj.load %t[%0] : tensor<?xf32> -> f32
    %d = arith.addf %a, %b : f32
    %e = arith.addf %c, %d : f32
    skel.yield %e : f32
  }
  func.return %z : tensor<?xf32>
}
// CHECK-LABEL: func.func @resident
// CHECK-SAME:      (%[[X:.*]]: tensor<?xf32> {skel.path = array<i64: 0>, skel.resident}, %[[Y:.*]]: tensor<?xf32> {skel.path = array<i64: 1>})
// CHECK-NEXT:      %[[BX:.*]] = offload.present %[[X]] : tensor<?xf32> -> memref<?xf32>
// CHECK-NEXT:      %[[HY:.*]] = offload.marshal %[[Y]] : tensor<?xf32> -> memref<?xf32, "host">
// CHECK-NEXT:      %[[BY:.*]] = offload.copy_in %[[HY]]
// CHECK:           %[[T:.*]] = skel.captured @table
// CHECK-NEXT:      %[[BT:.*]] = offload.present %[[T]] : tensor<?xf32> -> memref<?xf32>
// CHECK:           %[[R:.*]] = offload.retain f32 (%{{.*}} : memref<?xf32>)
// CHECK-NEXT:      func.return %[[R]] : !dyn.object

// -----

/// A loop that stores to a portable array changes it on the device.
skel.capture @out : tensor<?xf32> {dims = array<i64: 1>, resident}
func.func @store(%x: !skel.sequence<!dyn.int> {skel.path = array<i64: 0>}) attributes {skel.entry, skel.container = "list", skel.result = !dyn.none} {
  skel.forall(%x) : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    %a = skel.captured @out : tensor<?xf32>
    %zero = arith.constant 0.0 : f32
    obj.store %zero, %a[%i] : f32, tensor<?xf32>
    skel.yield
  }
  func.return
}
// CHECK-LABEL: func.func @store
// CHECK:           %[[A:.*]] = skel.captured @out
// CHECK-NEXT:      %[[B:.*]] = offload.present %[[A]] : tensor<?xf32> -> memref<?xf32>
// CHECK:           offload.launch
// CHECK-NEXT:      offload.written %[[B]] of %[[A]] : memref<?xf32>, tensor<?xf32>

// -----

/// The numbers of a sequence of floats are computed as NumPy does: the product is rounded, then the sum. Numbers that are
/// all the same are one argument.
func.func @computed(%x: !skel.sequence<f64> {skel.path = array<i64: 0>}, %y: !skel.sequence<f32> {skel.path = array<i64: 1>, skel.constant}) -> (tensor<?xf64>, tensor<?xf32>) attributes {skel.entry, skel.container = "array", skel.result = tuple<f64, f32>} {
  %z, %w = skel.map(%x, %y) : (!skel.sequence<f64>, !skel.sequence<f32>) -> (tensor<?xf64>, tensor<?xf32>) {
  ^bb0(%a: f64, %b: f32):
    skel.yield %a, %b : f64, f32
  }
  func.return %z, %w : tensor<?xf64>, tensor<?xf32>
}
// CHECK-LABEL: func.func @computed
// CHECK:           %[[START:.*]] = offload.scalar "start" of %{{.*}} : !skel.sequence<f64> -> f64
// CHECK-NEXT:      %[[STEP:.*]] = offload.scalar "step" of %{{.*}} : !skel.sequence<f64> -> f64
// CHECK-NEXT:      %[[ONE:.*]] = offload.scalar "start" of %{{.*}} : !skel.sequence<f32> -> f32
// CHECK-NOT:       offload.scalar
// CHECK:           ^{{.*}}(%[[PSTART:.*]]: f64, %[[PSTEP:.*]]: f64, %[[PONE:.*]]: f32, %{{.*}}: memref<?xf64>, %[[W:.*]]: memref<?xf32>):
// CHECK-NEXT:        %[[I:.*]] = "gpu.global_id"
// CHECK-NEXT:        %[[K:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK-NEXT:        %[[F:.*]] = arith.sitofp %[[K]] : i64 to f64
// CHECK-NEXT:        %[[P:.*]] = arith.mulf %[[F]], %[[PSTEP]] : f64
// CHECK-NEXT:        %{{.*}} = arith.addf %[[PSTART]], %[[P]] : f64
// CHECK:             memref.store %[[PONE]], %[[W]][%[[I]]] : memref<?xf32>

// -----

/// A sequence that is returned as it is has to be made an array first.
func.func @returned(%x: !skel.sequence<!dyn.int> {skel.path = array<i64: 0>}) -> !skel.sequence<!dyn.int> attributes {skel.entry, skel.container = "list", skel.result = !dyn.int} {
  func.return %x : !skel.sequence<!dyn.int>
}
// CHECK-LABEL: func.func @returned
// CHECK-SAME:      (%[[X:.*]]: !skel.sequence<!dyn.int>
// CHECK-NEXT:      %[[H:.*]] = offload.marshal %[[X]] : !skel.sequence<!dyn.int> -> memref<?xi64, "host">
// CHECK-NEXT:      offload.unmarshal "list" of !dyn.int (%[[H]] : memref<?xi64, "host">)

// -----

/// A filter: counts of runs, their scan, the last of which the host reads; then each run stores what it keeps.
func.func @positive(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> tensor<?xf32> attributes {skel.entry, skel.container = "ndarray", skel.result = f32} {
  %k = skel.filter(%x) : (tensor<?xf32>) -> tensor<?xf32> predicate {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %p = arith.cmpf ogt, %a, %zero : f32
    skel.yield %p : i1
  } transform {
  ^bb0(%a: f32):
    skel.yield %a : f32
  }
  func.return %k : tensor<?xf32>
}
// CHECK-LABEL: func.func @positive
// CHECK:         offload.launch @kernels::@positive_count over %[[RUNS:.*]] group
// CHECK:         offload.launch @kernels::@positive_scan over
// CHECK-NEXT:    %[[N:.*]] = offload.last %[[ENDS:.*]] : memref<?xi64>
// CHECK-NEXT:    %[[KEPT:.*]] = offload.alloc %[[N]] : memref<?xf32>
// CHECK:         offload.launch @kernels::@positive_compact over %[[RUNS]] {{.*}} %[[ENDS]], %{{.*}}, %[[KEPT]] :
// CHECK-NEXT:    offload.copy_out %[[KEPT]]
// CHECK:       }) {sym_name = "positive_count"}
// CHECK:       ^{{.*}}(%{{.*}}: index, %{{.*}}: index, %{{.*}}: memref<?xi64>, %[[IN:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?xf32>):
// CHECK:         scf.if %{{.*}} -> (index) {
// CHECK:         scf.for %[[POSITION:.*]] = {{.*}} iter_args(%[[PLACE:.*]] = %{{.*}}) -> (index) {
// CHECK-NEXT:      %[[A:.*]] = memref.load %[[IN]][%[[POSITION]]]
// CHECK:           %[[KEEP:.*]] = arith.cmpf ogt, %[[A]]
// CHECK-NEXT:      %[[TO_COME:.*]] = arith.cmpi ult, %[[PLACE]], %{{.*}} : index
// CHECK-NEXT:      scf.if %[[TO_COME]] {
// CHECK-NEXT:        memref.store %[[A]], %[[OUT]][%[[PLACE]]]
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[STEP:.*]] = arith.select %[[KEEP]]
// CHECK-NEXT:      %[[NEXT:.*]] = arith.addi %[[PLACE]], %[[STEP]]
// CHECK-NEXT:      scf.yield %[[NEXT]]
// CHECK:       }) {sym_name = "positive_compact"}

// -----

/// Positions, at which the host picks the objects that went in. A result of a reduction that has to be true.
func.func @picked(%x: tensor<?x!dyn.float> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.int> attributes {skel.entry, skel.container = "list", skel.result = !dyn.float, skel.originals = "elements"} {
  %k = skel.filter(%x) positions : (tensor<?x!dyn.float>) -> tensor<?x!dyn.int> predicate {
  ^bb0(%a: f64):
    %p = arith.cmpf ogt, %a, %a : f64
    skel.yield %p : i1
  } transform {
  ^bb0(%a: f64):
    skel.yield
  }
  func.return %k : tensor<?x!dyn.int>
}
// CHECK-LABEL: func.func @picked
// CHECK:         %[[H:.*]] = offload.copy_out %{{.*}} : memref<?xi64> -> memref<?xi64, "host">
// CHECK-NEXT:    %[[R:.*]] = offload.pick "list" "elements" at %[[H]] of (%{{.*}} : tensor<?x!dyn.float>) : memref<?xi64, "host">
// CHECK-NEXT:    func.return %[[R]] : !dyn.object

// -----

/// A result of a reduction that has to be true, and a reduction that has to be of something.
func.func @some(%x: tensor<?xi1> {skel.path = array<i64: 0>}) -> i1 attributes {skel.entry, skel.container = "ndarray", skel.result = i1, skel.scalar} {
  %false = arith.constant false
  %any = skel.reduce(%x) init(%false : i1) nonempty : (tensor<?xi1>) -> i1 transform {
  ^bb0(%e: i1):
    skel.yield %e : i1
  } combine {
  ^bb0(%p: i1, %q: i1):
    %r = arith.ori %p, %q : i1
    skel.yield %r : i1
  }
  guard.require %any, type, "nothing is kept"
  func.return %any : i1
}
// CHECK-LABEL: func.func @some
// CHECK:         offload.require %[[SIZE:.*]]
// CHECK:         offload.launch @kernels::@some_final
// CHECK-NEXT:    %[[LAST:.*]] = offload.last %{{.*}} : memref<?xi1>
// CHECK-NEXT:    offload.require %[[LAST]]

// -----

/// A loop with a border is two kernels: that of the interior runs in one box, that of the border in one at each end.
func.func @bordered(%r: !skel.sequence<!dyn.int> {skel.path = array<i64: 0>, skel.unit_step}) -> tensor<?x!dyn.int> attributes {skel.entry, skel.container = "list", skel.result = !dyn.int} {
  %0 = skel.forall(%r) margins [2, 1] : (!skel.sequence<!dyn.int>) -> tensor<?x!dyn.int> {
  ^bb0(%i: i64):
    skel.yield %i : i64
  } border {
  ^bb0(%i: i64):
    %zero = arith.constant 0 : i64
    skel.yield %zero : i64
  }
  func.return %0 : tensor<?x!dyn.int>
}
// CHECK-LABEL: func.func @bordered
// CHECK:         %[[N:.*]] = offload.size
// CHECK:         %[[BOTH:.*]] = arith.constant 3 : index
// CHECK:         %[[LOW:.*]] = arith.constant 2 : index
// CHECK-NEXT:    %[[FIRST:.*]] = arith.minui %[[N]], %[[LOW]] : index
// CHECK-NEXT:    %[[LONGER:.*]] = arith.maxui %[[N]], %[[BOTH]] : index
// CHECK-NEXT:    %[[INNER:.*]] = arith.subi %[[LONGER]], %[[BOTH]] : index
// CHECK-NEXT:    %[[END:.*]] = arith.addi %[[FIRST]], %[[INNER]] : index
// CHECK-NEXT:    %[[REST:.*]] = arith.subi %[[N]], %[[END]] : index
// CHECK:         offload.launch @kernels::@bordered over %[[N]] box %[[INNER]] from %[[FIRST]]
// CHECK:         offload.launch @kernels::@bordered_border over %[[N]] box %[[FIRST]] from %{{.*}} group
// CHECK-NEXT:    offload.launch @kernels::@bordered_border over %[[N]] box %[[REST]] from %[[END]] group

// -----

/// A scatter: each run of elements has a copy of the items, with an identity in them at first; then the copies are
/// combined from the initial value.
func.func @keyed(%k: tensor<?xui8> {skel.path = array<i64: 0>}, %x: tensor<?xf32> {skel.path = array<i64: 1>}) -> tensor<?xf32> attributes {skel.entry, skel.container = "ndarray", skel.result = f32} {
  %init = arith.constant 1.5 : f32
  %z = skel.scatter(%k, %x) size 256 init(%init : f32) : (tensor<?xui8>, tensor<?xf32>) -> tensor<?xf32> transform {
  ^bb0(%key: i8, %e: f32):
    %place = arith.extui %key : i8 to i64
    skel.yield %place, %e : i64, f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    skel.yield %r : f32
  }
  func.return %z : tensor<?xf32>
}
// CHECK-LABEL: func.func @keyed
// CHECK:         %[[SPAN:.*]] = arith.addi
// CHECK-NEXT:    %[[COUNT:.*]] = arith.ceildivui %{{.*}}, %[[SPAN]]
// CHECK-NEXT:    %[[SLOTS:.*]] = arith.muli %[[COUNT]]
// CHECK:         %[[COPIES:.*]] = offload.alloc %[[SLOTS]] : memref<?xf32>
// CHECK:         offload.launch @kernels::@keyed_fill over %[[SLOTS]]
// CHECK:         offload.launch @kernels::@keyed_scatter over
// CHECK:         offload.launch @kernels::@keyed_combine over
// CHECK:         arith.constant -0.0
// CHECK:       }) {sym_name = "keyed_fill"}
// CHECK:         %[[INDEX:.*]] = "gpu.global_id"
// CHECK:         %[[BASE:.*]] = arith.muli %[[INDEX]]
// CHECK:         scf.for
// CHECK:           %[[SLOT:.*]] = arith.addi %[[BASE]]
// CHECK:           memref.load %{{.*}}[%[[SLOT]]]
// CHECK:           arith.addf
// CHECK:           memref.store %{{.*}}, %{{.*}}[%[[SLOT]]]
// CHECK:       }) {sym_name = "keyed_scatter"}
// CHECK:         arith.constant 1.5
// CHECK:         scf.for
// CHECK:           arith.addf
// CHECK:       }) {sym_name = "keyed_combine"}

// -----

/// Of an operator without a known identity, copies say which of their items anything is in; at first, none.
func.func @newest(%k: tensor<?xui8> {skel.path = array<i64: 0>}, %x: tensor<?xf32> {skel.path = array<i64: 1>}) -> tensor<?xf32> attributes {skel.entry, skel.container = "ndarray", skel.result = f32} {
  %init = arith.constant 1.5 : f32
  %z = skel.scatter(%k, %x) size 256 init(%init : f32) : (tensor<?xui8>, tensor<?xf32>) -> tensor<?xf32> transform {
  ^bb0(%key: i8, %e: f32):
    %place = arith.extui %key : i8 to i64
    skel.yield %place, %e : i64, f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    skel.yield %q : f32
  }
  func.return %z : tensor<?xf32>
}
// CHECK-LABEL: func.func @newest
// CHECK:         %[[VALUES:.*]] = offload.alloc %{{.*}} : memref<?xf32>
// CHECK:         %[[PRESENT:.*]] = offload.alloc %{{.*}} zeroed : memref<?xi1>
// CHECK-NOT:     @newest_fill
// CHECK:         offload.launch @kernels::@newest_scatter over
// CHECK:         offload.launch @kernels::@newest_combine over

// -----

/// Where not even two copies have room, one work-item combines all elements into the results.
func.func @many(%k: tensor<?xui8> {skel.path = array<i64: 0>}, %x: tensor<?xf32> {skel.path = array<i64: 1>}) -> tensor<?xf32> attributes {skel.entry, skel.container = "ndarray", skel.result = f32} {
  %init = arith.constant 1.5 : f32
  %z = skel.scatter(%k, %x) size 4194304 init(%init : f32) : (tensor<?xui8>, tensor<?xf32>) -> tensor<?xf32> transform {
  ^bb0(%key: i8, %e: f32):
    %place = arith.extui %key : i8 to i64
    skel.yield %place, %e : i64, f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    skel.yield %q : f32
  }
  func.return %z : tensor<?xf32>
}
// CHECK-LABEL: func.func @many
// CHECK:         %[[RESULT:.*]] = offload.alloc %{{.*}} : memref<?xf32>
// CHECK:         offload.launch @kernels::@many_fill over %{{.*}} group 0 tail "exact" (%[[RESULT]] : memref<?xf32>)
// CHECK:         offload.launch @kernels::@many_scatter over %{{.*}} group 0 tail "exact" ({{.*}}%[[RESULT]] :
// CHECK-NOT:     offload.launch
// CHECK:         offload.copy_out

// -----

/// Of unique keys each element is stored in its place, if it is the first one there.
func.func @placed(%k: tensor<?xui8> {skel.path = array<i64: 0>}, %x: tensor<?xf32> {skel.path = array<i64: 1>}) -> tensor<?xf32> attributes {skel.entry, skel.container = "ndarray", skel.result = f32} {
  %init = arith.constant 1.5 : f32
  %z = skel.scatter(%k, %x) size 10 init(%init : f32) unique : (tensor<?xui8>, tensor<?xf32>) -> tensor<?xf32> transform {
  ^bb0(%key: i8, %e: f32):
    %place = arith.extui %key : i8 to i64
    skel.yield %place, %e : i64, f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    skel.yield %q : f32
  }
  func.return %z : tensor<?xf32>
}
// CHECK-LABEL: func.func @placed
// CHECK:         offload.launch @kernels::@placed_fill over
// CHECK:         %[[TAKEN:.*]] = offload.alloc %{{.*}} zeroed : memref<?xi32>
// CHECK:         offload.launch @kernels::@placed_scatter over
// CHECK:       }) {sym_name = "placed_fill"}
// CHECK:         %[[BEFORE:.*]] = "memref.atomic_rmw"
// CHECK:         %[[FREE:.*]] = arith.cmpi eq, %[[BEFORE]]
// CHECK:         guard.require %[[FREE]], value, "two elements have the same key"
// CHECK:         memref.store
// CHECK:       }) {sym_name = "placed_scatter"}

// -----

/// A gather is a map over indices, whose kernel loads from an input; its elements are not those of the inputs, for
/// Python to run them again.
skel.capture @indices : tensor<?xsi64> {dims = array<i64: 1>}
func.func @gathered(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> tensor<?xf32> attributes {skel.entry, skel.container = "ndarray", skel.result = f32} {
  %i = skel.captured @indices : tensor<?xsi64>
  %z = skel.map(%i) : (tensor<?xsi64>) -> tensor<?xf32> {
  ^bb0(%at: i64):
    %e = obj.load %x[%at] : tensor<?xf32> -> f32
    skel.yield %e : f32
  }
  func.return %z : tensor<?xf32>
}
// CHECK-LABEL: func.func @gathered
// CHECK:         %[[I:.*]] = skel.captured @indices
// CHECK:         %[[N:.*]] = offload.size %[[I]][0]
// CHECK:         offload.launch @kernels::@gathered over %[[N]]
// CHECK:         %[[AT:.*]] = memref.load %{{.*}}[%{{.*}}] : memref<?xi64>
// CHECK:         %[[PLACE:.*]] = arith.index_cast %[[AT]]
// CHECK:         memref.load %{{.*}}[%[[PLACE]]] : memref<?xf32>
// CHECK:       }) {sym_name = "gathered"}

// -----

/// Without an initial value, the last work-item starts from the first partial result, which there must be. The number of
/// an element is its index.
func.func @least(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> i64 attributes {skel.entry, skel.container = "ndarray", skel.result = !dyn.int, skel.scalar} {
  %k = skel.positions %x : tensor<?xf32>
  %i, %v = skel.reduce(%k, %x) nonempty : (!skel.sequence<!dyn.int>, tensor<?xf32>) -> (i64, f32) transform {
  ^bb0(%a: i64, %b: f32):
    skel.yield %a, %b : i64, f32
  } combine {
  ^bb0(%p: i64, %q: f32, %r: i64, %s: f32):
    %less = arith.cmpf olt, %s, %q : f32
    %0 = arith.select %less, %r, %p : i64
    %1 = arith.select %less, %s, %q : f32
    skel.yield %0, %1 : i64, f32
  }
  func.return %i : i64
}
// CHECK-LABEL: func.func @least
// CHECK:         %[[N:.*]] = offload.size %{{.*}}[0] : tensor<?xf32>
// CHECK:         offload.require %[[N]]
// CHECK:         offload.launch @kernels::@least_final
// CHECK:         %[[INDEX:.*]] = "gpu.global_id"
// CHECK:         arith.index_cast
// CHECK:       }) {sym_name = "least_partial"}
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT:    %[[FIRST:.*]] = memref.load %{{.*}}[%[[ZERO]]] : memref<?xi64>
// CHECK:         scf.for %{{.*}} = %[[ONE]] to
// CHECK:       }) {sym_name = "least_final"}

// -----

/// A partition: the elements of each class in each run are counted, the counts are scanned class by class, and each run
/// puts its elements in the places of their classes, one after the other. Of the keys, the class alone is asked.
func.func @digits(%k: tensor<?xui32> {skel.path = array<i64: 0>}, %x: tensor<?xf32> {skel.path = array<i64: 1>}) -> tensor<?xf32> attributes {skel.entry, skel.container = "ndarray", skel.result = f32} {
  %y = skel.partition(%k, %x) classes 4 : (tensor<?xui32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%key: i32, %e: f32):
    %three = arith.constant 3 : i32
    %digit = arith.andi %key, %three : i32
    %class = arith.extui %digit : i32 to i64
    skel.yield %class : i64
  }
  func.return %y : tensor<?xf32>
}
// CHECK-LABEL: func.func @digits
// CHECK:         %[[LEAST:.*]] = arith.constant 4096 : index
// CHECK:         %[[EACH:.*]] = arith.maxui %{{.*}}, %[[LEAST]]
// CHECK:         %[[RUNS:.*]] = arith.ceildivui %{{.*}}, %[[EACH]]
// CHECK:         %[[SLOTS:.*]] = arith.muli %[[RUNS]]
// CHECK:         %[[COUNTS:.*]] = offload.alloc %[[SLOTS]] : memref<?xi64>
// CHECK:         offload.launch @kernels::@digits_count over %[[RUNS]]
// CHECK:         offload.launch @kernels::@digits_scan over
// CHECK:         offload.launch @kernels::@digits_place over %[[RUNS]]
/// A run's counts are side by side, and begin at zero.
// CHECK:         %[[BASE:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK:         scf.for
// CHECK:           memref.store
// CHECK:         scf.for
// CHECK:           %[[CLASS:.*]] = arith.index_cast
// CHECK:           %[[SLOT:.*]] = arith.addi %[[BASE]], %[[CLASS]]
// CHECK:           %[[COUNT:.*]] = memref.load %{{.*}}[%[[SLOT]]] : memref<?xi64
// CHECK:           arith.addi %[[COUNT]]
// CHECK:           memref.store
// CHECK:       }) {sym_name = "digits_count"}
/// The scan takes them class by class.
// CHECK:         arith.remui
// CHECK:       }) {sym_name = "digits_partial"}
// CHECK:         scf.for
// CHECK:         scf.for
// CHECK:           %[[E:.*]] = memref.load %{{.*}} : memref<?xf32
// CHECK:           %[[PLACE:.*]] = memref.load %{{.*}} : memref<?xi64
// CHECK:           %[[AT:.*]] = arith.index_cast %[[PLACE]]
// CHECK:           memref.store %[[E]], %{{.*}}[%[[AT]]]
// CHECK:       }) {sym_name = "digits_place"}

/// With local memory, a group takes a tile, and its lanes count for themselves. The elements of a tile are put in order
/// before they are stored; no barrier is in a loop or branch.
// GROUPS-LABEL: func.func @digits
// GROUPS:         offload.launch @kernels::@digits_count over %{{.*}} group 256 tail "exact"
// GROUPS:         offload.launch @kernels::@digits_place over %{{.*}} group 256 tail "exact"
// GROUPS:         memref.alloca() : memref<1088xi32
// GROUPS:         "gpu.barrier"
// GROUPS:       }) {sym_name = "digits_count"}
// GROUPS:         memref.alloca() : memref<2304xi32
// GROUPS:         memref.alloca() : memref<2048xi32
// GROUPS:         memref.alloca() : memref<4xi64
// GROUPS-COUNT-6: "gpu.barrier"
// GROUPS:         %[[RANK:.*]] = memref.load %{{.*}} : memref<2048xi32
// GROUPS:         memref.store %{{.*}} : memref<?xf32
// GROUPS:       }) {sym_name = "digits_place"}

// -----

/// With strips, where an element is light: groups of one, one level of runs, whose partial results one work-item scans.
/// A run is combined in strands, equal parts side by side, then these in order, and then what is left of it; a run too
/// short for that in order. What follows is a scan of each run from what is before it: a work-item scans two side by
/// side, or what is left as one. The first element of all is a result as it is.
func.func @running(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> tensor<?xf32> attributes {skel.entry, skel.container = "ndarray", skel.result = f32} {
  %z = skel.scan(%x) : (tensor<?xf32>) -> tensor<?xf32> transform {
  ^bb0(%e: f32):
    skel.yield %e : f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    skel.yield %r : f32
  }
  func.return %z : tensor<?xf32>
}
// STRIPS-LABEL: func.func @running
// STRIPS:         offload.launch @kernels::@running_partial over %[[RUNS:.*]] group 1 tail "exact"
// STRIPS:         offload.launch @kernels::@running_scan_partials over
// STRIPS:         %[[PAIRS:.*]] = arith.ceildivui %[[RUNS]], %{{.*}} : index
// STRIPS:         offload.launch @kernels::@running_scan over %[[PAIRS]] group 1 tail "exact"
// STRIPS-NEXT:    offload.copy_out
// STRIPS:         %[[LENGTH:.*]] = arith.subi %{{.*}}, %[[START:.*]] : index
// STRIPS-NEXT:    %[[TWO:.*]] = arith.constant 2 : index
// STRIPS-NEXT:    %[[PART:.*]] = arith.divui %[[LENGTH]], %[[TWO]] : index
// STRIPS:         scf.if %{{.*}} -> (f32) {
// STRIPS-NEXT:      %[[SECOND:.*]] = arith.addi %[[START]], %[[PART]] : index
// STRIPS-NEXT:      %[[P:.*]] = memref.load %{{.*}}[%[[START]]]
// STRIPS-NEXT:      %[[Q:.*]] = memref.load %{{.*}}[%[[SECOND]]]
// STRIPS-NEXT:      %[[LEFT:.*]], %[[RIGHT:.*]] = scf.for %{{.*}} = %{{.*}} to %[[PART]] step %{{.*}} iter_args(%{{.*}} = %[[P]], %{{.*}} = %[[Q]])
// STRIPS-COUNT-2:     arith.addf
// STRIPS:           arith.addf %[[LEFT]], %[[RIGHT]]
// STRIPS:           scf.for
// STRIPS:         } else {
// STRIPS:           scf.for
// STRIPS:       }) {sym_name = "running_partial"}
// STRIPS:         %[[FIRST:.*]] = scf.if %[[IS_FIRST:.*]] -> (f32) {
// STRIPS:         scf.if %{{.*}} {
// STRIPS:           %[[OTHER:.*]] = memref.load %partial0
// STRIPS:           %[[ONE:.*]] = scf.if %[[IS_FIRST]] -> (f32) {
// STRIPS-NEXT:        scf.yield %[[FIRST]] : f32
// STRIPS:             %[[SUM:.*]] = arith.addf %[[FIRST]]
// STRIPS-NEXT:        memref.store %[[SUM]], %result
// STRIPS:           %[[TWO:.*]] = arith.addf %[[OTHER]]
// STRIPS-NEXT:      memref.store %[[TWO]], %result
// STRIPS:           scf.for %{{.*}} = %{{.*}} to %run step %{{.*}} iter_args(%{{.*}} = %[[ONE]], %{{.*}} = %[[TWO]]) -> (f32, f32) {
// STRIPS-COUNT-2:     memref.store
// STRIPS:         } else {
// STRIPS:           scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %[[FIRST]]) -> (f32) {
// STRIPS:       }) {sym_name = "running_scan"}

// -----

/// With an initial value, all rounds are in the loop, and where the scan is exclusive, it stores what is before each.
func.func @before(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> tensor<?xf32> attributes {skel.entry, skel.container = "ndarray", skel.result = f32} {
  %start = arith.constant 2.0 : f32
  %z = skel.scan(%x) init(%start : f32) exclusive : (tensor<?xf32>) -> tensor<?xf32> transform {
  ^bb0(%e: f32):
    skel.yield %e : f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    skel.yield %r : f32
  }
  func.return %z : tensor<?xf32>
}
// STRIPS-LABEL: func.func @before
// STRIPS:       }) {sym_name = "before_scan_partials"}
// STRIPS:         %[[FIRST:.*]] = scf.if %[[IS_FIRST:.*]] -> (f32) {
// STRIPS:         scf.if %{{.*}} {
// STRIPS:           %[[OTHER:.*]] = memref.load %partial0
// STRIPS-NEXT:      scf.for %{{.*}} = %{{.*}} to %run step %{{.*}} iter_args(%[[P:.*]] = %[[FIRST]], %[[Q:.*]] = %[[OTHER]]) -> (f32, f32) {
// STRIPS:             memref.store %[[P]], %result
// STRIPS-NEXT:        arith.addf %[[P]]
// STRIPS:             memref.store %[[Q]], %result
// STRIPS-NEXT:        arith.addf %[[Q]]
// STRIPS:         } else {
// STRIPS:       }) {sym_name = "before_scan"}

// -----

/// Near miss: functions of mathematics are worth vectors.
func.func @powers(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> tensor<?xf32> attributes {skel.entry, skel.container = "ndarray", skel.result = f32} {
  %z = skel.scan(%x) : (tensor<?xf32>) -> tensor<?xf32> transform {
  ^bb0(%e: f32):
    %f = math.exp %e : f32
    skel.yield %f : f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    skel.yield %r : f32
  }
  func.return %z : tensor<?xf32>
}
// STRIPS-LABEL: func.func @powers
// STRIPS:         offload.launch @kernels::@powers_partial over {{.*}} group 0
// STRIPS:         offload.launch @kernels::@powers_partial_2 over

// -----

/// With strips and an operator that commutes, blocks in one level, and one work-item that combines eight parts of what
/// they come to side by side, then these with the initial value.
func.func @total(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> f32 attributes {skel.entry, skel.container = "ndarray", skel.result = f32, skel.scalar} {
  %zero = arith.constant 0.0 : f32
  %z = skel.reduce(%x) init(%zero : f32) : (tensor<?xf32>) -> f32 transform {
  ^bb0(%e: f32):
    skel.yield %e : f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    skel.yield %r : f32
  }
  func.return %z : f32
}
// STRIPS-LABEL: func.func @total
// STRIPS:         offload.launch @kernels::@total_partial over %{{.*}} group 16
// STRIPS-NOT:     @total_combine
// STRIPS:         offload.launch @kernels::@total_final over
// STRIPS:         %[[EIGHT:.*]] = arith.constant 8 : index
// STRIPS-NEXT:    %[[PART:.*]] = arith.divui %{{.*}}, %[[EIGHT]] : index
// STRIPS:         scf.if %{{.*}} -> (f32) {
// STRIPS:           scf.for %{{.*}} = %{{.*}} to %[[PART]] step %{{.*}} iter_args({{.*}}) -> (f32, f32, f32, f32, f32, f32, f32, f32) {
// STRIPS-COUNT-15:  arith.addf
// STRIPS:           %[[SUM:.*]] = scf.for
// STRIPS:           %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// STRIPS-NEXT:      arith.addf %[[ZERO]], %[[SUM]] : f32
// STRIPS:         } else {
// STRIPS:           scf.for
// STRIPS:       }) {sym_name = "total_final"}

// -----

/// A filter counts, and stores, strip by strip.
func.func @large(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> tensor<?xf32> attributes {skel.entry, skel.container = "ndarray", skel.result = f32} {
  %k = skel.filter(%x) : (tensor<?xf32>) -> tensor<?xf32> predicate {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %p = arith.cmpf ogt, %a, %zero : f32
    skel.yield %p : i1
  } transform {
  ^bb0(%a: f32):
    skel.yield %a : f32
  }
  func.return %k : tensor<?xf32>
}
// STRIPS-LABEL: func.func @large
// STRIPS:         offload.launch @kernels::@large_count over %[[RUNS:.*]] group 1 tail "exact"
// STRIPS:         offload.launch @kernels::@large_scan_partials over
// STRIPS:         offload.launch @kernels::@large_compact over %[[RUNS]] group 1 tail "exact"

// -----

/// With strips, what is kept by comparisons alone is counted in one strand. Few elements are taken in long runs: there
/// are as many strips as may be only where each has 2048 elements.
func.func @above(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> tensor<?xf32> attributes {skel.entry, skel.container = "ndarray", skel.result = f32} {
  %z = skel.filter(%x) : (tensor<?xf32>) -> tensor<?xf32> predicate {
  ^bb0(%e: f32):
    %bound = arith.constant 0.5 : f32
    %r = arith.cmpf ogt, %e, %bound : f32
    skel.yield %r : i1
  } transform {
  ^bb0(%e: f32):
    skel.yield %e : f32
  }
  func.return %z : tensor<?xf32>
}
// STRIPS-LABEL: func.func @above
// STRIPS:         %[[ONE:.*]] = arith.constant 1 : index
// STRIPS-NEXT:    %[[SHARE:.*]] = arith.ceildivui %[[N:.*]], %[[ONE]] : index
// STRIPS:         %[[SOME:.*]] = arith.maxui %[[SHARE]]
// STRIPS-NEXT:    %[[LONG:.*]] = arith.constant 2048 : index
// STRIPS-NEXT:    %[[FEW:.*]] = arith.minui %[[SOME]], %[[LONG]] : index
// STRIPS-NEXT:    %[[EIGHT:.*]] = arith.constant 8 : index
// STRIPS-NEXT:    %[[LEAST:.*]] = arith.ceildivui %[[N]], %[[EIGHT]] : index
// STRIPS:         arith.maxui %{{.*}}, %[[FEW]] : index
// STRIPS:         offload.launch @kernels::@above_count over %{{.*}} group 1 tail "exact"
// STRIPS:         %end = arith.minui
// STRIPS:         scf.for %{{.*}} = %{{.*}} to %end step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (i64)
// STRIPS-NOT:     scf.for
// STRIPS:       }) {sym_name = "above_count"}

// -----

/// Near miss: to take bits of integers is more than a comparison, so it is counted in strands.
func.func @odd(%x: tensor<?xsi32> {skel.path = array<i64: 0>}) -> tensor<?xsi32> attributes {skel.entry, skel.container = "ndarray", skel.result = si32} {
  %z = skel.filter(%x) : (tensor<?xsi32>) -> tensor<?xsi32> predicate {
  ^bb0(%e: i32):
    %one = arith.constant 1 : i32
    %b = arith.andi %e, %one : i32
    %r = arith.cmpi eq, %b, %one : i32
    skel.yield %r : i1
  } transform {
  ^bb0(%e: i32):
    skel.yield %e : i32
  }
  func.return %z : tensor<?xsi32>
}
// STRIPS-LABEL: func.func @odd
// STRIPS:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (i64, i64)
// STRIPS:       }) {sym_name = "odd_count"}

// -----

/// Sums of 64 bits are kept in 32 in copies, where what each element adds is known to be so little that a run of any length
/// that is worth it stays within them: here 2**31 - 1 elements, which no run exceeds.
func.func @counted(%x: tensor<?xui8> {skel.path = array<i64: 0>}) -> tensor<?xsi64> attributes {skel.entry, skel.container = "ndarray", skel.result = si64} {
  %zero = arith.constant 0 : i64
  %h = skel.scatter(%x) size 256 init(%zero : i64) : (tensor<?xui8>) -> tensor<?xsi64> transform {
  ^bb0(%e: i8):
    %key = arith.extui %e : i8 to i64
    %value = arith.constant 1 : i64
    skel.yield %key, %value : i64, i64
  } combine {
  ^bb0(%p: i64, %q: i64):
    %r = arith.addi %p, %q : i64
    skel.yield %r : i64
  }
  func.return %h : tensor<?xsi64>
}
// CHECK-LABEL: func.func @counted
// CHECK:         %[[MOST:.*]] = arith.constant 2147483647 : index
// CHECK-NEXT:    %[[SPAN:.*]] = arith.minui %{{.*}}, %[[MOST]] : index
// CHECK-NEXT:    arith.ceildivui %{{.*}}, %[[SPAN]] : index
// CHECK:         offload.alloc %{{.*}} zeroed : memref<?xi32>
// CHECK:         %[[ITEM:.*]] = memref.load %{{.*}} : memref<?xi32>
// CHECK-NEXT:    %[[WIDE:.*]] = arith.extsi %[[ITEM]] : i32 to i64
// CHECK-NEXT:    %[[SUM:.*]] = arith.addi %[[WIDE]], %{{.*}} : i64
// CHECK-NEXT:    %[[NARROW:.*]] = arith.trunci %[[SUM]] : i64 to i32
// CHECK-NEXT:    memref.store %[[NARROW]]
// CHECK:       }) {sym_name = "counted_scatter"}
// CHECK:         arith.extsi %{{.*}} : i32 to i64
// CHECK:       }) {sym_name = "counted_combine"}
/// In halves of runs, each of which has a copy; what is left over goes into the second.
// STRIPS-LABEL: func.func @counted
// STRIPS:         %[[TWO:.*]] = arith.constant 2 : index
// STRIPS-NEXT:    %[[COPIES:.*]] = arith.muli %{{.*}}, %[[TWO]] : index
// STRIPS:         scf.for
// STRIPS-COUNT-2:   memref.store
// STRIPS:         scf.for
// STRIPS-COUNT-1:   memref.store
// STRIPS:       }) {sym_name = "counted_scatter"}

// -----

/// Near miss: numbers of 24 bits and more would leave runs of 128 elements, for 256 items.
func.func @added(%x: tensor<?xui8> {skel.path = array<i64: 0>}) -> tensor<?xsi64> attributes {skel.entry, skel.container = "ndarray", skel.result = si64} {
  %zero = arith.constant 0 : i64
  %h = skel.scatter(%x) size 256 init(%zero : i64) : (tensor<?xui8>) -> tensor<?xsi64> transform {
  ^bb0(%e: i8):
    %key = arith.extui %e : i8 to i64
    %shift = arith.constant 16 : i64
    %value = arith.shli %key, %shift : i64
    skel.yield %key, %value : i64, i64
  } combine {
  ^bb0(%p: i64, %q: i64):
    %r = arith.addi %p, %q : i64
    skel.yield %r : i64
  }
  func.return %h : tensor<?xsi64>
}
// CHECK-LABEL: func.func @added
// CHECK-NOT:     memref<?xi32>
// CHECK:       }) {sym_name = "added_combine"}

// -----

/// Near misses: a product is no sum; and two copies of 4096 items find no room near a work-item.
func.func @multiplied(%x: tensor<?xui8> {skel.path = array<i64: 0>}) -> tensor<?xsi64> attributes {skel.entry, skel.container = "ndarray", skel.result = si64} {
  %zero = arith.constant 0 : i64
  %h = skel.scatter(%x) size 256 init(%zero : i64) : (tensor<?xui8>) -> tensor<?xsi64> transform {
  ^bb0(%e: i8):
    %key = arith.extui %e : i8 to i64
    %value = arith.constant 1 : i64
    skel.yield %key, %value : i64, i64
  } combine {
  ^bb0(%p: i64, %q: i64):
    %r = arith.muli %p, %q : i64
    skel.yield %r : i64
  }
  func.return %h : tensor<?xsi64>
}
// CHECK-LABEL: func.func @multiplied
// CHECK-NOT:     memref<?xi32>
// CHECK:       }) {sym_name = "multiplied_combine"}

// -----

func.func @counted_far(%x: tensor<?xui8> {skel.path = array<i64: 0>}) -> tensor<?xsi64> attributes {skel.entry, skel.container = "ndarray", skel.result = si64} {
  %zero = arith.constant 0 : i64
  %h = skel.scatter(%x) size 4096 init(%zero : i64) : (tensor<?xui8>) -> tensor<?xsi64> transform {
  ^bb0(%e: i8):
    %key = arith.extui %e : i8 to i64
    %value = arith.constant 1 : i64
    skel.yield %key, %value : i64, i64
  } combine {
  ^bb0(%p: i64, %q: i64):
    %r = arith.addi %p, %q : i64
    skel.yield %r : i64
  }
  func.return %h : tensor<?xsi64>
}
// STRIPS-LABEL: func.func @counted_far
// STRIPS:         scf.for
// STRIPS-NOT:     scf.for
// STRIPS:       }) {sym_name = "counted_far_scatter"}

// -----

/// A single iteration is one work-item, which is known now; it needs no index.
skel.capture @a : tensor<?xf32> {dims = array<i64: 1>}
func.func @task(%r: !skel.sequence<!dyn.int> {skel.path = array<i64: 0>}) -> tensor<?xf32> attributes {skel.entry, skel.container = "list", skel.result = f32} {
  %t = skel.forall single(%r) : (!skel.sequence<!dyn.int>) -> tensor<?xf32> {
  ^bb0(%i: i64):
    %a = skel.captured @a : tensor<?xf32>
    %zero = arith.constant 0 : i64
    %x = obj.load %a[%zero] : tensor<?xf32> -> f32
    obj.store %x, %a[%zero] : f32, tensor<?xf32>
    skel.yield %x : f32
  }
  func.return %t : tensor<?xf32>
}
// CHECK-LABEL: func.func @task
// CHECK:         %[[ONE:.*]] = arith.constant 1 : index
// CHECK:         offload.launch @kernels::@task over %[[ONE]] group 0
// CHECK-NOT:     gpu.global_id
// CHECK:         memref.store
// CHECK:         offload.single

// -----

/// A sum commutes, so a group takes a block. Where elements are light, its items ask whether there is one for each of them
/// before they ask for their own: loads in a branch that items take differently are masked. What is left are single elements.
func.func @light(%x: tensor<?xsi64> {skel.path = array<i64: 0>}) -> i64 attributes {skel.entry, skel.container = "ndarray", skel.result = si64, skel.scalar} {
  %zero = arith.constant 0 : i64
  %s = skel.reduce(%x) init(%zero : i64) : (tensor<?xsi64>) -> i64 transform {
  ^bb0(%e: i64):
    %t = arith.muli %e, %e : i64
    skel.yield %t : i64
  } combine {
  ^bb0(%l: i64, %r: i64):
    %c = arith.addi %l, %r : i64
    skel.yield %c : i64
  }
  func.return %s : i64
}
// BLOCKS-LABEL: func.func @light
// BLOCKS:         %[[GROUP:.*]] = "gpu.block_id"()
// BLOCKS-NEXT:    %[[LANE:.*]] = "gpu.thread_id"()
// BLOCKS-NEXT:    %[[SPAN:.*]] = arith.muli %run, %[[LANES:.*]] : index
// BLOCKS-NEXT:    %[[BASE:.*]] = arith.muli %[[GROUP]], %[[SPAN]] : index
// BLOCKS-NEXT:    %[[FIRST:.*]] = arith.addi %[[BASE]], %[[LANE]] : index
// BLOCKS:         %[[OTHERS:.*]] = arith.constant 15 : index
// BLOCKS-NEXT:    %[[LAST:.*]] = arith.addi %[[BASE]], %[[OTHERS]] : index
// BLOCKS-NEXT:    %[[ALL:.*]] = arith.cmpi ult, %[[LAST]], %length : index
// BLOCKS-NEXT:    scf.if %[[ALL]] {
// BLOCKS:           scf.for
// BLOCKS:           memref.store
// BLOCKS-NEXT:    } else {
// BLOCKS-NEXT:      %[[ONE:.*]] = arith.cmpi ult, %[[FIRST]], %length : index
// BLOCKS-NEXT:      scf.if %[[ONE]] {
// BLOCKS-NEXT:        memref.load %e_in[%[[FIRST]]] : memref<?xi64>
// BLOCKS-NEXT:        arith.muli
// BLOCKS-NEXT:        memref.store
// BLOCKS:         }) {sym_name = "light_partial"}

// -----

/// Near miss: a division is no light element, and stands in the kernel three times as it is.
func.func @heavy(%x: tensor<?xf64> {skel.path = array<i64: 0>}) -> i64 attributes {skel.entry, skel.container = "ndarray", skel.result = si64, skel.scalar} {
  %zero = arith.constant 0 : i64
  %s = skel.reduce(%x) init(%zero : i64) : (tensor<?xf64>) -> i64 transform {
  ^bb0(%e: f64):
    %one = arith.constant 1.0 : f64
    %q = arith.divf %one, %e : f64
    %big = arith.cmpf ogt, %q, %e : f64
    %t = arith.extui %big : i1 to i64
    skel.yield %t : i64
  } combine {
  ^bb0(%l: i64, %r: i64):
    %c = arith.addi %l, %r : i64
    skel.yield %c : i64
  }
  func.return %s : i64
}
// BLOCKS-LABEL: func.func @heavy
// BLOCKS:         %[[LANE:.*]] = "gpu.thread_id"()
// BLOCKS:         %[[FIRST:.*]] = arith.addi %{{.*}}, %[[LANE]] : index
// BLOCKS:         %[[ONE:.*]] = arith.cmpi ult, %[[FIRST]], %length : index
// BLOCKS-NEXT:    scf.if %[[ONE]] {
// BLOCKS-COUNT-3:   arith.divf
// BLOCKS-NOT:       arith.divf
// BLOCKS:         }) {sym_name = "heavy_partial"}
