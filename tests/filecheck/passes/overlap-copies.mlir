// RUN: hetc-opt %s --split-input-file -p overlap-copies | filecheck %s
// RUN: hetc-opt %s --split-input-file -p overlap-copies,overlap-copies | filecheck %s

/// Each work-item reads and stores the elements of its index: both copies and the launch may be done in parts. The
/// table is read anywhere, so that all of it is there before the first part; flags are no result.
func.func @map(%x: tensor<?xf32>, %n: index) attributes {skel.entry} {
  %one = arith.constant 1 : index
  %h = offload.marshal %x : tensor<?xf32> -> memref<?xf32, "host">
  %a = offload.copy_in %h : memref<?xf32, "host"> -> memref<?xf32>
  %t = skel.captured @t : tensor<?xf32>
  %th = offload.marshal %t : tensor<?xf32> -> memref<?xf32, "host">
  %table = offload.copy_in %th : memref<?xf32, "host"> -> memref<?xf32>
  %r = offload.alloc %n : memref<?xf32>
  %f = offload.alloc %one zeroed : memref<?xi32>
  offload.launch @kernels::@f over %n group 256 tail "guard" (%a, %table, %r, %f : memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xi32>)
  offload.check_guards %f : memref<?xi32>
  %out = offload.copy_out %r : memref<?xf32> -> memref<?xf32, "host">
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xi32>) -> (), kernel}> ({
  ^bb0(%a: memref<?xf32>, %t: memref<?xf32>, %r: memref<?xf32>, %f: memref<?xi32>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %zero = arith.constant 0 : index
    %v = memref.load %a[%i] : memref<?xf32>
    %w = memref.load %t[%zero] : memref<?xf32>
    %s = arith.addf %v, %w : f32
    memref.store %s, %r[%i] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "f", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: @map
// CHECK:         offload.copy_in %{{.*}} in_parts : memref<?xf32, "host">
// CHECK:         offload.copy_in %{{.*}} : memref<?xf32, "host">
// CHECK:         offload.launch @kernels::@f over %{{.*}} group 256 tail "guard" in_parts (
// CHECK:         offload.copy_out %{{.*}} in_parts : memref<?xf32>

// -----

/// With work-items that do several elements there are two launches, of which the second could run all indices.
func.func @coarse(%x: tensor<?xf32>, %n: index, %items: index, %whole: index, %rest: index) attributes {skel.entry} {
  %h = offload.marshal %x : tensor<?xf32> -> memref<?xf32, "host">
  %a = offload.copy_in %h : memref<?xf32, "host"> -> memref<?xf32>
  %r = offload.alloc %n : memref<?xf32>
  offload.launch @kernels::@f_coarse over %items group 256 tail "exact" (%a, %r : memref<?xf32>, memref<?xf32>)
  offload.launch @kernels::@f over %n box %rest from %whole group 256 shape [256] tail "guard" (%a, %r : memref<?xf32>, memref<?xf32>)
  %out = offload.copy_out %r : memref<?xf32> -> memref<?xf32, "host">
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xf32>) -> (), kernel}> ({
  ^bb0(%a: memref<?xf32>, %r: memref<?xf32>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %v = memref.load %a[%i] : memref<?xf32>
    memref.store %v, %r[%i] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "f", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: @coarse
// CHECK:         offload.copy_in %{{.*}} in_parts
// CHECK:         offload.launch @kernels::@f_coarse {{.*}} in_parts (
// CHECK:         offload.launch @kernels::@f over {{.*}} in_parts (
// CHECK:         offload.copy_out %{{.*}} in_parts

// -----

/// The near miss: two launches of two kernels, each of which does a part of the indices that the other could not do.
func.func @peeled(%x: tensor<?xf32>, %n: index, %whole: index, %rest: index) attributes {skel.entry} {
  %h = offload.marshal %x : tensor<?xf32> -> memref<?xf32, "host">
  %a = offload.copy_in %h : memref<?xf32, "host"> -> memref<?xf32>
  %r = offload.alloc %n : memref<?xf32>
  offload.launch @kernels::@g over %n box %whole group 256 tail "guard" (%a, %r : memref<?xf32>, memref<?xf32>)
  offload.launch @kernels::@f over %n box %rest from %whole group 256 tail "guard" (%a, %r : memref<?xf32>, memref<?xf32>)
  %out = offload.copy_out %r : memref<?xf32> -> memref<?xf32, "host">
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xf32>) -> (), kernel}> ({
  ^bb0(%a: memref<?xf32>, %r: memref<?xf32>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %v = memref.load %a[%i] : memref<?xf32>
    memref.store %v, %r[%i] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "f", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: @peeled
// CHECK-NOT:     in_parts

// -----

/// The near miss: a work-item reads its neighbour's element, which may not be there yet; so the array comes as a whole,
/// and with no other there is nothing to overlap.
func.func @neighbour(%x: tensor<?xf32>, %n: index) attributes {skel.entry} {
  %h = offload.marshal %x : tensor<?xf32> -> memref<?xf32, "host">
  %a = offload.copy_in %h : memref<?xf32, "host"> -> memref<?xf32>
  %r = offload.alloc %n : memref<?xf32>
  offload.launch @kernels::@f over %n group 256 tail "guard" (%a, %r : memref<?xf32>, memref<?xf32>)
  %out = offload.copy_out %r : memref<?xf32> -> memref<?xf32, "host">
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xf32>) -> (), kernel}> ({
  ^bb0(%a: memref<?xf32>, %r: memref<?xf32>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %one = arith.constant 1 : index
    %j = arith.addi %i, %one : index
    %v = memref.load %a[%j] : memref<?xf32>
    memref.store %v, %r[%i] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "f", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: @neighbour
// CHECK-NOT:     in_parts

// -----

/// The near miss: a work-item knows its place in its group, which another part of the launch would number anew.
func.func @groups(%x: tensor<?xf32>, %n: index) attributes {skel.entry} {
  %h = offload.marshal %x : tensor<?xf32> -> memref<?xf32, "host">
  %a = offload.copy_in %h : memref<?xf32, "host"> -> memref<?xf32>
  %r = offload.alloc %n : memref<?xf32>
  offload.launch @kernels::@f over %n group 256 tail "guard" (%a, %r : memref<?xf32>, memref<?xf32>)
  %out = offload.copy_out %r : memref<?xf32> -> memref<?xf32, "host">
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xf32>) -> (), kernel}> ({
  ^bb0(%a: memref<?xf32>, %r: memref<?xf32>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %g = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %v = memref.load %a[%i] : memref<?xf32>
    memref.store %v, %r[%i] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "f", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: @groups
// CHECK-NOT:     in_parts

// -----

/// The near miss: the kernel's result is not an element for each work-item, as in a reduction.
func.func @reduction(%x: tensor<?xf32>, %n: index) attributes {skel.entry} {
  %one = arith.constant 1 : index
  %h = offload.marshal %x : tensor<?xf32> -> memref<?xf32, "host">
  %a = offload.copy_in %h : memref<?xf32, "host"> -> memref<?xf32>
  %r = offload.alloc %one : memref<?xf32>
  offload.launch @kernels::@f over %n group 256 tail "guard" (%a, %r : memref<?xf32>, memref<?xf32>)
  %out = offload.copy_out %r : memref<?xf32> -> memref<?xf32, "host">
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xf32>) -> (), kernel}> ({
  ^bb0(%a: memref<?xf32>, %r: memref<?xf32>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %v = memref.load %a[%i] : memref<?xf32>
    memref.store %v, %r[%i] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "f", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: @reduction
// CHECK-NOT:     in_parts

// -----

/// The near miss: two kernels. What the second reads, the first has made at other indices, too.
func.func @two(%x: tensor<?xf32>, %n: index) attributes {skel.entry} {
  %h = offload.marshal %x : tensor<?xf32> -> memref<?xf32, "host">
  %a = offload.copy_in %h : memref<?xf32, "host"> -> memref<?xf32>
  %m = offload.alloc %n : memref<?xf32>
  %r = offload.alloc %n : memref<?xf32>
  offload.launch @kernels::@f over %n group 256 tail "guard" (%a, %m : memref<?xf32>, memref<?xf32>)
  offload.launch @kernels::@f over %n group 256 tail "guard" (%m, %r : memref<?xf32>, memref<?xf32>)
  %out = offload.copy_out %r : memref<?xf32> -> memref<?xf32, "host">
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xf32>) -> (), kernel}> ({
  ^bb0(%a: memref<?xf32>, %r: memref<?xf32>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %v = memref.load %a[%i] : memref<?xf32>
    memref.store %v, %r[%i] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "f", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: @two
// CHECK-NOT:     in_parts
