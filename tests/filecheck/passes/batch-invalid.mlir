// RUN: not hetc-opt %s -p batch 2>&1 | filecheck %s

/// Arrays that are written in place are no result that can be put together.
func.func @in_place(%x: tensor<?xf32>) attributes {skel.entry, skel.batches = []} {
  %h = offload.marshal %x : tensor<?xf32> -> memref<?xf32, "host">
  %b = offload.copy_in %h : memref<?xf32, "host"> -> memref<?xf32>
  offload.write_back %b to %x : memref<?xf32>, tensor<?xf32>
  func.return
}
// CHECK: the call does not run in batches: a loop changes captured arrays in place
