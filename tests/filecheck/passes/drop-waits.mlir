// RUN: hetc-opt %s --split-input-file -p drop-waits | filecheck %s
// RUN: hetc-opt %s --split-input-file -p drop-waits,drop-waits | filecheck %s

/// Arrays are changed on the device, and nothing comes back: the host goes on at once.
func.func @loop(%n: index) attributes {skel.entry} {
  %x = skel.captured @x : tensor<?xf32>
  %b = offload.present %x : tensor<?xf32> -> memref<?xf32>
  offload.launch @kernels::@f over %n group 0 tail "exact" (%b : memref<?xf32>)
  offload.written %b of %x : memref<?xf32>, tensor<?xf32>
  func.return
}
// CHECK-LABEL: @loop
// CHECK:         offload.written %{{.*}} of %{{.*}} asynchronous :

// -----

/// The near miss: a guard is checked. Had the host gone on, Python could not run what failed before that.
func.func @guarded(%n: index) attributes {skel.entry} {
  %one = arith.constant 1 : index
  %x = skel.captured @x : tensor<?xf32>
  %b = offload.present %x : tensor<?xf32> -> memref<?xf32>
  %f = offload.alloc %one zeroed : memref<?xi32>
  offload.launch @kernels::@f over %n group 0 tail "exact" (%b, %f : memref<?xf32>, memref<?xi32>)
  offload.check_guards %f : memref<?xi32>
  offload.written %b of %x : memref<?xf32>, tensor<?xf32>
  func.return
}
// CHECK-LABEL: @guarded
// CHECK:         offload.written %{{.*}} of %{{.*}} waits "a guard may fail, and then Python runs something before the host goes on" :

// -----

/// The near miss: a sum comes back.
func.func @sum(%n: index) -> !dyn.object attributes {skel.entry} {
  %one = arith.constant 1 : index
  %x = skel.captured @x : tensor<?xf32>
  %b = offload.present %x : tensor<?xf32> -> memref<?xf32>
  %s = offload.alloc %one : memref<?xf32>
  offload.launch @kernels::@f over %n group 0 tail "exact" (%b, %s : memref<?xf32>, memref<?xf32>)
  offload.written %b of %x : memref<?xf32>, tensor<?xf32>
  %r = offload.copy_out %s : memref<?xf32> -> memref<?xf32, "host">
  %y = offload.unmarshal "ndarray" of f32 (%r : memref<?xf32, "host">)
  func.return %y : !dyn.object
}
// CHECK-LABEL: @sum
// CHECK:         offload.written %{{.*}} of %{{.*}} waits "something comes back" :

// -----

/// A result that stays on the device is ready when someone looks at it.
func.func @map(%n: index) -> !dyn.object attributes {skel.entry} {
  %b = offload.alloc %n : memref<?xf32>
  offload.launch @kernels::@f over %n group 0 tail "exact" (%b : memref<?xf32>)
  %y = offload.retain f32 (%b : memref<?xf32>)
  func.return %y : !dyn.object
}
// CHECK-LABEL: @map
// CHECK:         offload.retain f32 asynchronous (

// -----

/// The near miss: where the device works in the host's memory, the host would see what is half done.
func.func @shared(%n: index) -> !dyn.object attributes {skel.entry} {
  %b = offload.alloc %n : memref<?xf32>
  offload.launch @kernels::@f over %n group 0 tail "exact" (%b : memref<?xf32>)
  %y = offload.retain f32 shared (%b : memref<?xf32>)
  func.return %y : !dyn.object
}
// CHECK-LABEL: @shared
// CHECK:         offload.retain f32 shared waits "the device works in the host's memory" (
