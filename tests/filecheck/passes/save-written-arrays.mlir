// RUN: hetc-opt %s --split-input-file -p save-written-arrays | filecheck %s

/// Where guards are checked, the host array that a kernel writes in place is kept as it was; one that is only read is not.
func.func @guarded(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) attributes {skel.entry} {
  %0 = offload.marshal %x : tensor<?xf32> -> memref<?xf32, "host">
  %1 = offload.copy_in %0 shared : memref<?xf32, "host"> -> memref<?xf32>
  %2 = offload.marshal %y : tensor<?xf32> -> memref<?xf32, "host">
  %3 = offload.copy_in %2 shared : memref<?xf32, "host"> -> memref<?xf32>
  %f = offload.alloc %n zeroed : memref<?xi32>
  offload.launch @kernels::@f over %n group 0 tail "exact" (%1, %3, %f : memref<?xf32>, memref<?xf32>, memref<?xi32>)
  offload.check_guards %f : memref<?xi32>
  offload.write_back %3 to %y shared : memref<?xf32>, tensor<?xf32>
  func.return
}
// CHECK-LABEL: @guarded
// CHECK-NEXT:    %[[X:.*]] = offload.marshal
// CHECK-NEXT:    offload.copy_in %[[X]]
// CHECK-NEXT:    %[[Y:.*]] = offload.marshal
// CHECK-NEXT:    offload.save %[[Y]] : memref<?xf32, "host">
// CHECK-NEXT:    offload.copy_in %[[Y]]

// -----

/// Without guards the plan always goes through.
func.func @sure(%y: tensor<?xf32>, %n: index) attributes {skel.entry} {
  %0 = offload.marshal %y : tensor<?xf32> -> memref<?xf32, "host">
  %1 = offload.copy_in %0 shared : memref<?xf32, "host"> -> memref<?xf32>
  offload.launch @kernels::@f over %n group 0 tail "exact" (%1 : memref<?xf32>)
  offload.write_back %1 to %y shared : memref<?xf32>, tensor<?xf32>
  func.return
}
// CHECK-LABEL: @sure
// CHECK-NOT:     offload.save

// -----

/// A discrete device has written its own memory only when the guards are checked.
func.func @discrete(%y: tensor<?xf32>, %n: index) attributes {skel.entry} {
  %0 = offload.marshal %y : tensor<?xf32> -> memref<?xf32, "host">
  %1 = offload.copy_in %0 : memref<?xf32, "host"> -> memref<?xf32>
  %f = offload.alloc %n zeroed : memref<?xi32>
  offload.launch @kernels::@f over %n group 0 tail "exact" (%1, %f : memref<?xf32>, memref<?xi32>)
  offload.check_guards %f : memref<?xi32>
  offload.write_back %1 to %y : memref<?xf32>, tensor<?xf32>
  func.return
}
// CHECK-LABEL: @discrete
// CHECK-NOT:     offload.save

// -----

/// A portable array is changed in the device's own copy, so a copy of that is kept, on a discrete device too; one that is
/// only read is not.
func.func @resident(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) attributes {skel.entry} {
  %0 = offload.present %x : tensor<?xf32> -> memref<?xf32>
  %1 = offload.present %y : tensor<?xf32> -> memref<?xf32>
  %f = offload.alloc %n zeroed : memref<?xi32>
  offload.launch @kernels::@f over %n group 0 tail "exact" (%0, %1, %f : memref<?xf32>, memref<?xf32>, memref<?xi32>)
  offload.check_guards %f : memref<?xi32>
  offload.written %1 of %y : memref<?xf32>, tensor<?xf32>
  func.return
}
// CHECK-LABEL: func.func @resident
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>, %{{.*}}: index)
// CHECK-NEXT:    offload.present %[[X]] : tensor<?xf32> -> memref<?xf32>
// CHECK-NEXT:    offload.present %[[Y]] saved : tensor<?xf32> -> memref<?xf32>

// -----

/// Nor is it kept where no guard may fail.
func.func @surely_resident(%y: tensor<?xf32>, %n: index) attributes {skel.entry} {
  %1 = offload.present %y : tensor<?xf32> -> memref<?xf32>
  offload.launch @kernels::@f over %n group 0 tail "exact" (%1 : memref<?xf32>)
  offload.written %1 of %y : memref<?xf32>, tensor<?xf32>
  func.return
}
// CHECK-LABEL: func.func @surely_resident
// CHECK-NOT:     saved
