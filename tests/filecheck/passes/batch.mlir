// RUN: hetc-opt %s --split-input-file -p batch | filecheck %s

/// What concerns captured arrays alone is done once, and their buffers stay; the rest is done for each batch.
func.func @captured(%x: tensor<?xf32>) -> !dyn.object attributes {skel.entry, skel.batches = []} {
  %n = offload.size %x[0] : tensor<?xf32>
  %h = offload.marshal %x : tensor<?xf32> -> memref<?xf32, "host">
  %b = offload.copy_in %h : memref<?xf32, "host"> -> memref<?xf32>
  %t = skel.captured @table : tensor<?xf32>
  %m = offload.size %t[0] : tensor<?xf32>
  %th = offload.marshal %t : tensor<?xf32> -> memref<?xf32, "host">
  %tb = offload.copy_in %th : memref<?xf32, "host"> -> memref<?xf32>
  %o = offload.alloc %n : memref<?xf32>
  offload.launch @kernels::@f over %n group 0 tail "exact" (%b, %tb, %m, %o : memref<?xf32>, memref<?xf32>, index, memref<?xf32>)
  %r = offload.copy_out %o : memref<?xf32> -> memref<?xf32, "host">
  %y = offload.unmarshal "ndarray" of f32 (%r : memref<?xf32, "host">)
  func.return %y : !dyn.object
}
// CHECK-LABEL: @captured
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32>)
// CHECK-NEXT:    %[[T:.*]] = skel.captured @table
// CHECK-NEXT:    %[[M:.*]] = offload.size %[[T]][0]
// CHECK-NEXT:    %[[TH:.*]] = offload.marshal %[[T]]
// CHECK-NEXT:    %[[TB:.*]] = offload.copy_in %[[TH]]
// CHECK-NEXT:    offload.each_batch carrying []
// CHECK-NEXT:    %[[N:.*]] = offload.size %[[X]][0]
// CHECK-NEXT:    %[[H:.*]] = offload.marshal %[[X]]
// CHECK-NEXT:    %[[B:.*]] = offload.copy_in %[[H]]
// CHECK-NEXT:    %[[O:.*]] = offload.alloc %[[N]]
// CHECK-NEXT:    offload.launch @kernels::@f over %[[N]] group 0 tail "exact" (%[[B]], %[[TB]], %[[M]], %[[O]]
// CHECK-NEXT:    offload.copy_out %[[O]]
// CHECK-NEXT:    offload.unmarshal

// -----

/// A buffer that kernels write is new in each batch, be its length the same for all.
func.func @flags(%x: tensor<?xf32>) attributes {skel.entry, skel.batches = []} {
  %one = arith.constant 1 : index
  %f = offload.alloc %one zeroed : memref<?xi32>
  offload.launch @kernels::@f over %one group 0 tail "exact" (%f : memref<?xi32>)
  offload.check_guards %f : memref<?xi32>
  func.return
}
// CHECK-LABEL: @flags
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1
// CHECK-NEXT:    offload.each_batch
// CHECK-NEXT:    offload.alloc %[[ONE]] zeroed

// -----

/// What the batch before has come to is read as late as it can be: the first launch does not wait for it.
func.func @carried(%x: tensor<?xf32>) -> !dyn.object attributes {skel.entry, skel.batches = ["total"]} {
  %t = skel.captured @total : f32
  %s = offload.scalar "value" of %t : f32 -> f32
  %one = arith.constant 1 : index
  %n = offload.size %x[0] : tensor<?xf32>
  %p = offload.alloc %n : memref<?xf32>
  offload.launch @kernels::@partial over %n group 0 tail "exact" (%p : memref<?xf32>)
  %o = offload.alloc %one : memref<?xf32>
  offload.launch @kernels::@final over %one group 0 tail "exact" (%p, %s, %o : memref<?xf32>, f32, memref<?xf32>)
  %r = offload.copy_out %o : memref<?xf32> -> memref<?xf32, "host">
  %y = offload.unmarshal "ndarray" of f32 scalar (%r : memref<?xf32, "host">)
  func.return %y : !dyn.object
}
// CHECK-LABEL: @carried
// CHECK-NEXT:    arith.constant 1
// CHECK-NEXT:    offload.each_batch carrying ["total"]
// CHECK-NEXT:    offload.size
// CHECK-NEXT:    offload.alloc
// CHECK-NEXT:    offload.launch @kernels::@partial
// CHECK-NEXT:    offload.alloc
// CHECK-NEXT:    %[[T:.*]] = skel.captured @total
// CHECK-NEXT:    %[[S:.*]] = offload.scalar "value" of %[[T]]
// CHECK-NEXT:    offload.launch @kernels::@final over %{{.*}} (%{{.*}}, %[[S]], %{{.*}} :

// -----

/// Another captured number is the same for all batches.
func.func @number(%x: tensor<?xf32>) attributes {skel.entry, skel.batches = ["total"]} {
  %n = offload.size %x[0] : tensor<?xf32>
  %g = skel.captured @gain : f32
  %s = offload.scalar "value" of %g : f32 -> f32
  offload.launch @kernels::@f over %n group 0 tail "exact" (%s : f32)
  func.return
}
// CHECK-LABEL: @number
// CHECK-NEXT:    skel.captured @gain
// CHECK-NEXT:    offload.scalar
// CHECK-NEXT:    offload.each_batch
// CHECK-NEXT:    offload.size

// -----

/// A captured array of which a batch has some rows is copied in for each.
func.func @rows(%i: !skel.sequence<!dyn.int>) attributes {skel.entry, skel.batches = [], skel.divided = ["grid"]} {
  %n = offload.size %i[0] : !skel.sequence<!dyn.int>
  %g = skel.captured @grid : tensor<?x?xf32>
  %h = offload.marshal %g : tensor<?x?xf32> -> memref<?xf32, "host">
  %w = skel.captured @weights : tensor<?xf32>
  %b = offload.copy_in %h : memref<?xf32, "host"> -> memref<?xf32>
  offload.launch @kernels::@f over %n group 0 tail "exact" (%b : memref<?xf32>)
  func.return
}
// CHECK-LABEL: @rows
// CHECK-NEXT:    skel.captured @weights
// CHECK-NEXT:    offload.each_batch
// CHECK-NEXT:    offload.size
// CHECK-NEXT:    skel.captured @grid

// -----

/// A call without batches keeps its plan.
func.func @whole(%x: tensor<?xf32>) attributes {skel.entry} {
  %n = offload.size %x[0] : tensor<?xf32>
  %t = skel.captured @table : tensor<?xf32>
  func.return
}
// CHECK-LABEL: @whole
// CHECK-NEXT:    offload.size
// CHECK-NEXT:    skel.captured
// CHECK-NEXT:    func.return
