// RUN: hetc-opt %s --split-input-file -p 'sum-in-groups{most=4096 local-memory=32768}' | filecheck %s

/// A sum whose order is free: up to 4095 elements have a group of 128 each. Each work-item adds up every 128th term; a tree
/// adds these sums up in local memory; and the first work-item does what follows.
func.func @entry(%x: memref<?xf64>, %y: memref<?xf64>, %m: i32, %n: index) attributes {skel.entry} {
  offload.launch @kernels::@sums over %n group 256 tail "guard" (%x, %y, %m, %n : memref<?xf64>, memref<?xf64>, i32, index)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf64>, memref<?xf64>, i32, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf64>, %y: memref<?xf64>, %m: i32, %n: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %start = arith.constant 5.0 : f64
      %own = memref.load %x[%i] : memref<?xf64>
      %sum = scf.for %k = %zero to %m step %one iter_args(%before = %start) -> (f64) : i32 {
        %at = arith.index_cast %k : i32 to index
        %v = memref.load %x[%at] : memref<?xf64>
        %quotient = arith.divf %own, %v : f64
        %after = arith.addf %before, %quotient fastmath<reassoc> : f64
        scf.yield %after : f64
      }
      memref.store %sum, %y[%i] : memref<?xf64>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "sums", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @entry
// CHECK-SAME:    %[[N:[a-z]+]]: index)
// CHECK:         %[[FEW:.*]] = arith.subi %[[N]], %
// CHECK-NEXT:    %[[LANES:.*]] = arith.constant 128 : index
// CHECK-NEXT:    %[[ITEMS:.*]] = arith.muli %[[FEW]], %[[LANES]] : index
// CHECK-NEXT:    offload.launch @kernels::@sums_summed over %[[ITEMS]] group 128 tail "exact"
// CHECK:         offload.launch @kernels::@sums over %[[N]] box %{{.*}} from %{{.*}} group 256 shape [256] tail "guard"
// CHECK:         sym_name = "sums"
// CHECK:         ^{{.*}}(%[[X:.*]]: memref<?xf64>, %[[Y:.*]]: memref<?xf64>, %[[M:.*]]: i32, %{{.*}}: index, %[[FIRST:.*]]: index):
// CHECK-NEXT:      %[[SUMS:.*]] = memref.alloca() : memref<128xf64, "local">
// CHECK-NEXT:      %[[LANE:.*]] = "gpu.thread_id"()
// CHECK-NEXT:      %[[GROUP:.*]] = "gpu.block_id"()
// CHECK-NEXT:      %[[I:.*]] = arith.addi %[[FIRST]], %[[GROUP]] {offload.element} : index
// CHECK:           %[[OWN:.*]] = memref.load %[[X]][%[[I]]]
// CHECK:           %[[NOTHING:.*]] = arith.constant -0.000000e+00 : f64
// CHECK:           %[[SUM:.*]] = scf.for %[[ROUND:.*]] = %[[LANE]] to %{{.*}} step %{{.*}} iter_args(%[[SO_FAR:.*]] = %[[NOTHING]])
// CHECK:             %[[QUOTIENT:.*]] = arith.divf %[[OWN]], %
// CHECK-NEXT:        %[[AFTER:.*]] = arith.addf %[[SO_FAR]], %[[QUOTIENT]] fastmath<reassoc> : f64
// CHECK-NEXT:        scf.yield %[[AFTER]] : f64
// CHECK-NEXT:      } {offload.unroll = 4 : i64}
// CHECK-NEXT:      memref.store %[[SUM]], %[[SUMS]][%[[LANE]]]
// CHECK-NEXT:      "gpu.barrier"()
// CHECK:           %[[HALF:.*]] = arith.constant 64 : index
// CHECK:           %[[LOWER:.*]] = arith.cmpi ult, %[[LANE]], %{{.*}} : index
// CHECK-NEXT:      scf.if %[[LOWER]] {
// CHECK:             %[[OTHER:.*]] = arith.addi %[[LANE]], %
// CHECK-NEXT:        %[[LEFT:.*]] = memref.load %[[SUMS]][%[[LANE]]]
// CHECK-NEXT:        %[[RIGHT:.*]] = memref.load %[[SUMS]][%[[OTHER]]]
// CHECK-NEXT:        %[[BOTH:.*]] = arith.addf %[[LEFT]], %[[RIGHT]] fastmath<reassoc> : f64
// CHECK-NEXT:        memref.store %[[BOTH]], %[[SUMS]][%[[LANE]]]
// CHECK:           %[[FIRST_LANE:.*]] = arith.cmpi eq, %[[LANE]], %
// CHECK-NEXT:      scf.if %[[FIRST_LANE]] {
// CHECK:             %[[ALL:.*]] = memref.load %[[SUMS]][%
// CHECK-NEXT:        %[[TOTAL:.*]] = arith.addf %{{.*}}, %[[ALL]] fastmath<reassoc> : f64
// CHECK-NEXT:        memref.store %[[TOTAL]], %[[Y]][%[[I]]]

// -----

/// Of integers, which wrap, the order is always free, though a part of the sum may wrap where all of it does not. A kernel
/// that is for few elements alone is not kept.
func.func @entry(%x: memref<?xi32>, %y: memref<?xi32>, %m: i32, %n: index) attributes {skel.entry} {
  offload.launch @kernels::@counts over %n group 256 tail "guard" (%x, %y, %m, %n : memref<?xi32>, memref<?xi32>, i32, index)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi32>, memref<?xi32>, i32, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xi32>, %y: memref<?xi32>, %m: i32, %n: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %sum = scf.for %k = %zero to %m step %one iter_args(%before = %zero) -> (i32) : i32 {
        %at = arith.index_cast %k : i32 to index
        %v = memref.load %x[%at] : memref<?xi32>
        %after = arith.addi %before, %v overflow<nsw> : i32
        scf.yield %after : i32
      }
      memref.store %sum, %y[%i] : memref<?xi32>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "counts", offload.elementwise, offload.most = 1024 : i64} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @entry
// CHECK:         offload.launch @kernels::@counts_summed over
// CHECK-NEXT:    func.return
// CHECK:         memref.alloca() : memref<128xi32, "local">
// CHECK:         arith.addi %{{.*}}, %{{[a-z0-9_]+}} : i32
// CHECK-NEXT:    scf.yield
// CHECK:         sym_name = "counts_summed"
// CHECK-NOT:     sym_name = "counts"

// -----

/// Near misses: a sum whose order matters; one of which a round sees what it has come to; and a loop known to be short.
func.func @entry(%x: memref<?xf64>, %y: memref<?xf64>, %m: i32, %n: index) attributes {skel.entry} {
  offload.launch @kernels::@ordered over %n group 256 tail "guard" (%x, %y, %m, %n : memref<?xf64>, memref<?xf64>, i32, index)
  offload.launch @kernels::@seen over %n group 256 tail "guard" (%x, %y, %m, %n : memref<?xf64>, memref<?xf64>, i32, index)
  offload.launch @kernels::@short over %n group 256 tail "guard" (%x, %y, %m, %n : memref<?xf64>, memref<?xf64>, i32, index)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf64>, memref<?xf64>, i32, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf64>, %y: memref<?xf64>, %m: i32, %n: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %start = arith.constant 0.0 : f64
      %sum = scf.for %k = %zero to %m step %one iter_args(%before = %start) -> (f64) : i32 {
        %at = arith.index_cast %k : i32 to index
        %v = memref.load %x[%at] : memref<?xf64>
        %after = arith.addf %before, %v : f64
        scf.yield %after : f64
      }
      memref.store %sum, %y[%i] : memref<?xf64>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "ordered", offload.elementwise} : () -> ()
  "gpu.func"() <{function_type = (memref<?xf64>, memref<?xf64>, i32, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf64>, %y: memref<?xf64>, %m: i32, %n: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %start = arith.constant 0.0 : f64
      %sum = scf.for %k = %zero to %m step %one iter_args(%before = %start) -> (f64) : i32 {
        %half = arith.divf %before, %before : f64
        %after = arith.addf %before, %half fastmath<reassoc> : f64
        scf.yield %after : f64
      }
      memref.store %sum, %y[%i] : memref<?xf64>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "seen", offload.elementwise} : () -> ()
  "gpu.func"() <{function_type = (memref<?xf64>, memref<?xf64>, i32, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf64>, %y: memref<?xf64>, %m: i32, %n: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %end = arith.constant 100 : i32
      %start = arith.constant 0.0 : f64
      %sum = scf.for %k = %zero to %end step %one iter_args(%before = %start) -> (f64) : i32 {
        %at = arith.index_cast %k : i32 to index
        %v = memref.load %x[%at] : memref<?xf64>
        %after = arith.addf %before, %v fastmath<reassoc> : f64
        scf.yield %after : f64
      }
      memref.store %sum, %y[%i] : memref<?xf64>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "short", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @entry
// CHECK-NEXT:    offload.launch @kernels::@ordered over
// CHECK-NEXT:    offload.launch @kernels::@seen over
// CHECK-NEXT:    offload.launch @kernels::@short over
// CHECK-NEXT:    func.return
// CHECK-NOT:     _summed
