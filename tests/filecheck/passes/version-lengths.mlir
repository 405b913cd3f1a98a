// RUN: hetc-opt %s --split-input-file -p version-lengths | filecheck %s

/// What is converted is up to (i + k) * (i + k), which fits 32 bits up to indices of 2**14. So there is a version for
/// up to 2**14 elements, which is launched where the loop's end and the length are no larger.
func.func @entry(%start: i64, %n: index, %m: index, %y: memref<?xf64>) attributes {skel.entry} {
  offload.launch @kernels::@squares over %n group 256 tail "guard" (%start, %m, %y, %n : i64, index, memref<?xf64>, index)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (i64, index, memref<?xf64>, index) -> (), kernel}> ({
  ^bb0(%start: i64, %length: index, %y: memref<?xf64>, %n: index):
    %x = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %x, %n : index
    scf.if %inside {
      %own = arith.index_cast %x : index to i64
      %sum = arith.addi %start, %own : i64
      %i = guard.fact %sum in [0, 1073741823] : i64
      %wide = arith.index_cast %length : index to i64
      %end = guard.fact %wide in [1, 1073741824] : i64
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %none = arith.constant 0.0 : f64
      %total = scf.for %k = %zero to %end step %one iter_args(%so_far = %none) -> (f64) : i64 {
        %both = arith.addi %i, %k : i64
        %square = arith.muli %both, %both : i64
        %float = arith.sitofp %square : i64 to f64
        %next = arith.addf %so_far, %float : f64
        scf.yield %next : f64
      }
      memref.store %total, %y[%x] : memref<?xf64>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "squares", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @entry
// CHECK-SAME:    (%[[START:.*]]: i64, %[[N:.*]]: index, %[[M:.*]]: index, %
// CHECK-NEXT:    %[[FROM:.*]] = arith.index_cast %[[START]] : i64 to index
// CHECK-NEXT:    %[[END:.*]] = arith.addi %[[FROM]], %[[N]] : index
// CHECK-NEXT:    %[[LONGEST:.*]] = arith.maxui %[[END]], %[[M]] : index
// CHECK-NEXT:    %[[ABOVE:.*]] = arith.constant 16385 : index
// CHECK-NEXT:    %[[TIMES:.*]] = arith.divui %[[LONGEST]], %[[ABOVE]] : index
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT:    %[[LONG:.*]] = arith.minui %[[TIMES]], %[[ONE]] : index
// CHECK-NEXT:    %[[MANY:.*]] = arith.muli %[[N]], %[[LONG]] : index
// CHECK-NEXT:    %[[FEW:.*]] = arith.subi %[[N]], %[[MANY]] : index
// CHECK-NEXT:    offload.launch @kernels::@squares_short over %[[N]] box %[[FEW]] group 256 shape [256] tail "guard"
// CHECK-NEXT:    offload.launch @kernels::@squares over %[[N]] box %[[MANY]] group 256 shape [256] tail "guard"
// CHECK:           guard.fact %{{.*}} in [0, 1073741823] : i64
// CHECK:           guard.fact %{{.*}} in [1, 1073741824] : i64
// CHECK:         {sym_name = "squares", offload.elementwise}
// CHECK:           guard.fact %{{.*}} in [0, 16383] : i64
// CHECK:           guard.fact %{{.*}} in [1, 16384] : i64
// CHECK:         {sym_name = "squares_short", offload.elementwise, offload.most = 16384 : i64}

// -----

/// Quotients by an index times two fit if lengths are below 2**20, the first bound that is tried.
func.func @entry(%n: index, %m: index, %y: memref<?xf64>) attributes {skel.entry} {
  offload.launch @kernels::@quotients over %n group 256 tail "guard" (%m, %y, %n : index, memref<?xf64>, index)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, memref<?xf64>, index) -> (), kernel}> ({
  ^bb0(%length: index, %y: memref<?xf64>, %n: index):
    %x = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %wide = arith.index_cast %length : index to i64
    %end = guard.fact %wide in [1, 2147483647] : i64
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %two = arith.constant 2 : i64
    %none = arith.constant 0.0 : f64
    %total = scf.for %k = %zero to %end step %one iter_args(%so_far = %none) -> (f64) : i64 {
      %twice = arith.muli %k, %two : i64
      %float = arith.sitofp %twice : i64 to f64
      %next = arith.addf %so_far, %float : f64
      scf.yield %next : f64
    }
    memref.store %total, %y[%x] : memref<?xf64>
    "gpu.return"() : () -> ()
  }) {sym_name = "quotients", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @entry
// CHECK:         arith.constant 1048577 : index
// CHECK:         sym_name = "quotients_short", offload.elementwise, offload.most = 1048576 : i64

// -----

/// Near misses: what fits anyway; what is loaded, which no length tells of; and an index that may be negative.
func.func @entry(%start: i64, %n: index, %m: index, %y: memref<?xf64>, %z: memref<?xi64>) attributes {skel.entry} {
  offload.launch @kernels::@fits over %n group 256 tail "guard" (%m, %y : index, memref<?xf64>)
  offload.launch @kernels::@loaded over %n group 256 tail "guard" (%m, %y, %z : index, memref<?xf64>, memref<?xi64>)
  offload.launch @kernels::@negative over %n group 256 tail "guard" (%start, %y : i64, memref<?xf64>)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, memref<?xf64>) -> (), kernel}> ({
  ^bb0(%length: index, %y: memref<?xf64>):
    %x = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %wide = arith.index_cast %length : index to i64
    %end = guard.fact %wide in [1, 1073741824] : i64
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    scf.for %k = %zero to %end step %one : i64 {
      %float = arith.sitofp %k : i64 to f64
      memref.store %float, %y[%x] : memref<?xf64>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "fits", offload.elementwise} : () -> ()
  "gpu.func"() <{function_type = (index, memref<?xf64>, memref<?xi64>) -> (), kernel}> ({
  ^bb0(%length: index, %y: memref<?xf64>, %z: memref<?xi64>):
    %x = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %wide = arith.index_cast %length : index to i64
    %end = guard.fact %wide in [1, 1073741824] : i64
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    scf.for %k = %zero to %end step %one : i64 {
      %number = memref.load %z[%x] : memref<?xi64>
      %float = arith.sitofp %number : i64 to f64
      memref.store %float, %y[%x] : memref<?xf64>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "loaded", offload.elementwise} : () -> ()
  "gpu.func"() <{function_type = (i64, memref<?xf64>) -> (), kernel}> ({
  ^bb0(%start: i64, %y: memref<?xf64>):
    %x = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %own = arith.index_cast %x : index to i64
    %sum = arith.addi %start, %own : i64
    %i = guard.fact %sum in [-5, 1073741823] : i64
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %ten = arith.constant 10 : i64
    scf.for %k = %zero to %ten step %one : i64 {
      %square = arith.muli %i, %i : i64
      %float = arith.sitofp %square : i64 to f64
      memref.store %float, %y[%x] : memref<?xf64>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "negative", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @entry
// CHECK-NEXT:    offload.launch @kernels::@fits over
// CHECK-NEXT:    offload.launch @kernels::@loaded over
// CHECK-NEXT:    offload.launch @kernels::@negative over
// CHECK-NEXT:    func.return
// CHECK-NOT:     _short

// -----

/// Nothing tests an index where groups are split at the end: the boxes have no work-groups of a shape, which are filled up.
func.func @entry(%start: i64, %n: index, %m: index, %y: memref<?xf64>) attributes {skel.entry} {
  offload.launch @kernels::@squares over %n group 256 tail "split" (%start, %m, %y : i64, index, memref<?xf64>)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (i64, index, memref<?xf64>) -> (), kernel}> ({
  ^bb0(%start: i64, %length: index, %y: memref<?xf64>):
    %x = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
      %own = arith.index_cast %x : index to i64
      %sum = arith.addi %start, %own : i64
      %i = guard.fact %sum in [0, 1073741823] : i64
      %wide = arith.index_cast %length : index to i64
      %end = guard.fact %wide in [1, 1073741824] : i64
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %none = arith.constant 0.0 : f64
      %total = scf.for %k = %zero to %end step %one iter_args(%so_far = %none) -> (f64) : i64 {
        %both = arith.addi %i, %k : i64
        %square = arith.muli %both, %both : i64
        %float = arith.sitofp %square : i64 to f64
        %next = arith.addf %so_far, %float : f64
        scf.yield %next : f64
      }
      memref.store %total, %y[%x] : memref<?xf64>
    "gpu.return"() : () -> ()
  }) {sym_name = "squares", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @entry
// CHECK:         offload.launch @kernels::@squares_short over %{{.*}} box %{{.*}} group 256 tail "split"
// CHECK-NEXT:    offload.launch @kernels::@squares over %{{.*}} box %{{.*}} group 256 tail "split"
