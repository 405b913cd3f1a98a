// RUN: hetc-opt %s --split-input-file -p share-buffers | filecheck %s
// RUN: hetc-opt %s --split-input-file -p share-buffers,share-buffers | filecheck %s

/// Copies become free, and what is copied out is allocated where the host can read it. A buffer that only kernels use
/// stays the device's own.
func.func @entry(%h: memref<?xf32, "host">, %n: index) -> memref<?xf32, "host"> attributes {skel.entry} {
  %x = offload.copy_in %h : memref<?xf32, "host"> -> memref<?xf32>
  %t = offload.alloc %n : memref<?xf32>
  %f = offload.alloc %n zeroed : memref<?xi32>
  %y = offload.alloc %n : memref<?xf32>
  offload.launch @kernels::@f over %n group 0 tail "exact" (%x, %t, %f, %y : memref<?xf32>, memref<?xf32>, memref<?xi32>, memref<?xf32>)
  offload.check_guards %f : memref<?xi32>
  %r = offload.copy_out %y : memref<?xf32> -> memref<?xf32, "host">
  func.return %r : memref<?xf32, "host">
}
// CHECK-LABEL: func.func @entry
// CHECK-SAME:    (%[[H:.*]]: memref<?xf32, "host">, %[[N:.*]]: index)
// CHECK-NEXT:    offload.copy_in %[[H]] shared : memref<?xf32, "host"> -> memref<?xf32>
// CHECK-NEXT:    %[[T:.*]] = offload.alloc %[[N]] : memref<?xf32>
// CHECK-NEXT:    %[[F:.*]] = offload.alloc %[[N]] zeroed : memref<?xi32>
// CHECK-NEXT:    %[[Y:.*]] = offload.alloc %[[N]] shared : memref<?xf32>
// CHECK-NEXT:    offload.launch
// CHECK-NEXT:    offload.check_guards %[[F]]
// CHECK-NEXT:    offload.copy_out %[[Y]] shared : memref<?xf32> -> memref<?xf32, "host">

// -----

/// A buffer that came from elsewhere is copied out all the same, and stays zeroed if it was.
func.func @other(%b: memref<?xf32>, %n: index) -> (memref<?xf32, "host">, memref<?xi32, "host">) {
  %z = offload.alloc %n zeroed : memref<?xi32>
  %r = offload.copy_out %b : memref<?xf32> -> memref<?xf32, "host">
  %s = offload.copy_out %z : memref<?xi32> -> memref<?xi32, "host">
  func.return %r, %s : memref<?xf32, "host">, memref<?xi32, "host">
}
// CHECK-LABEL: func.func @other
// CHECK:         offload.alloc %{{.*}} shared zeroed : memref<?xi32>
// CHECK:         offload.copy_out %{{.*}} shared
// CHECK:         offload.copy_out %{{.*}} shared

// -----

/// A portable array's copy on the device is the host's memory, and so is the result that stays in a buffer.
func.func @resident(%a: tensor<?xf32>, %n: index) -> !dyn.object attributes {skel.entry} {
  %x = offload.present %a : tensor<?xf32> -> memref<?xf32>
  %y = offload.alloc %n : memref<?xf32>
  offload.launch @kernels::@f over %n group 0 tail "exact" (%x, %y : memref<?xf32>, memref<?xf32>)
  offload.written %x of %a : memref<?xf32>, tensor<?xf32>
  %r = offload.retain f32 (%y : memref<?xf32>)
  func.return %r : !dyn.object
}
// CHECK-LABEL: func.func @resident
// CHECK-NEXT:    offload.present %{{.*}} shared : tensor<?xf32> -> memref<?xf32>
// CHECK-NEXT:    offload.alloc %{{.*}} shared : memref<?xf32>
// CHECK-NEXT:    offload.launch
// CHECK-NEXT:    offload.written %{{.*}} of %{{.*}} shared : memref<?xf32>, tensor<?xf32>
// CHECK-NEXT:    offload.retain f32 shared (%{{.*}} : memref<?xf32>)
