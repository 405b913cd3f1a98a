// RUN: hetc-opt %s --split-input-file -p 'tile-loops{local-memory=4096}' | filecheck %s

/// All of a group read x[k]: each loads one element of a tile of 256. The test of the last group is asked after the
/// loop; until then work-items without an element do what the last one does. The rounds that are left are as they were.
"builtin.module"() ({
  func.func @entry(%x: memref<?xf32>, %y: memref<?xf32>, %m: i32, %n: index) attributes {skel.entry} {
    offload.launch @kernels::@sums over %n group 256 tail "guard" (%x, %y, %m, %n : memref<?xf32>, memref<?xf32>, i32, index)
    func.return
  }
  "gpu.module"() <{sym_name = "kernels"}> ({
    "gpu.func"() <{function_type = (memref<?xf32>, memref<?xf32>, i32, index) -> (), kernel}> ({
    ^bb0(%x: memref<?xf32>, %y: memref<?xf32>, %m: i32, %n: index):
      %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        %zero = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        %start = arith.constant 0.0 : f32
        %sum = scf.for %k = %zero to %m step %one iter_args(%before = %start) -> (f32) : i32 {
          %at = arith.index_cast %k : i32 to index
          %v = memref.load %x[%at] : memref<?xf32>
          %after = arith.addf %before, %v : f32
          scf.yield %after : f32
        }
        memref.store %sum, %y[%i] : memref<?xf32>
      }
      "gpu.return"() : () -> ()
    }) {sym_name = "sums", offload.elementwise} : () -> ()
  }) : () -> ()
}) : () -> ()
// CHECK:         ^{{.*}}(%[[X:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>, %[[M:.*]]: i32, %[[N:.*]]: index):
// CHECK-NEXT:      %[[TILE:.*]] = memref.alloca() {alignment = 16 : i64} : memref<256xf32, "local">
// CHECK-NEXT:      %[[INDEX:.*]] = "gpu.global_id"()
// CHECK-NEXT:      %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT:      %[[LAST:.*]] = arith.subi %[[N]], %[[ONE]] : index
// CHECK-NEXT:      %[[I:.*]] = arith.minui %[[INDEX]], %[[LAST]] : index
// CHECK-NEXT:      %[[INSIDE:.*]] = arith.cmpi ult, %[[INDEX]], %[[N]] : index
// CHECK:           %[[END:.*]] = arith.maxsi %[[M]], %{{.*}} : i32
// CHECK-NEXT:      %[[ROUNDS:.*]] = arith.constant 256 : i32
// CHECK-NEXT:      %[[REST:.*]] = arith.remui %[[END]], %[[ROUNDS]] : i32
// CHECK-NEXT:      %[[WHOLE:.*]] = arith.subi %[[END]], %[[REST]] : i32
// CHECK-NEXT:      %[[LANE:.*]] = "gpu.thread_id"() <{dimension = #gpu<dim x>}>
// CHECK-NEXT:      %[[SUM:.*]] = scf.for %[[FIRST:.*]] = %{{.*}} to %[[WHOLE]] step %[[ROUNDS]] iter_args(%[[SO_FAR:.*]] = %{{.*}}) -> (f32)  : i32 {
// CHECK-NEXT:        %[[L:.*]] = arith.index_cast %[[LANE]] : index to i32
// CHECK-NEXT:        %[[K:.*]] = arith.addi %[[FIRST]], %[[L]] overflow<nsw> : i32
// CHECK-NEXT:        %[[AT:.*]] = arith.index_cast %[[K]] : i32 to index
// CHECK-NEXT:        %[[V:.*]] = memref.load %[[X]][%[[AT]]] : memref<?xf32>
// CHECK-NEXT:        memref.store %[[V]], %[[TILE]][%[[LANE]]]
// CHECK-NEXT:        "gpu.barrier"()
// CHECK:             scf.for %[[R:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[BEFORE:.*]] = %[[SO_FAR]]) -> (f32)  : i32 {
// CHECK-NEXT:          %[[PLACE:.*]] = arith.index_cast %[[R]] : i32 to index
// CHECK-NEXT:          %[[W:.*]] = memref.load %[[TILE]][%[[PLACE]]]
// CHECK-NEXT:          arith.addf %[[BEFORE]], %[[W]] : f32
// CHECK-NEXT:          scf.yield
// CHECK-NEXT:        } {offload.unroll = 32 : i64}
// CHECK-NEXT:        "gpu.barrier"()
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[TOTAL:.*]] = scf.for %{{.*}} = %[[WHOLE]] to %[[M]] step %{{.*}} iter_args(%{{.*}} = %[[SUM]])
// CHECK:             memref.load %[[X]]
// CHECK:           scf.if %[[INSIDE]] {
// CHECK-NEXT:        memref.store %[[TOTAL]], %[[Y]][%[[I]]]
// CHECK-NEXT:      }

// -----

/// Rows share what they read of one array: each work-item of a row loads other rounds. Columns share what they read of
/// the other, four rounds each. The tile has 16 rounds, for which there is local memory, so half of a row loads;
/// all are unrolled. No test is around the kernel.
"builtin.module"() ({
  func.func @entry(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>, %n: index) attributes {skel.entry} {
    offload.launch @kernels::@product over %n box %n, %n group 128 shape [32, 4] tail "guard" (%a, %b, %c, %n : memref<?xf32>, memref<?xf32>, memref<?xf32>, index)
    func.return
  }
  "gpu.module"() <{sym_name = "kernels"}> ({
    "gpu.func"() <{function_type = (memref<?xf32>, memref<?xf32>, memref<?xf32>, index) -> (), kernel}> ({
    ^bb0(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>, %n: index):
      %i = "gpu.global_id"() <{dimension = #gpu<dim y>}> : () -> index
      %j = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %start = arith.constant 0.0 : f32
      %row = arith.muli %i, %n : index
      %sum = scf.for %k = %zero to %n step %one iter_args(%before = %start) -> (f32) {
        %left = arith.addi %row, %k : index
        %p = memref.load %a[%left] : memref<?xf32>
        %down = arith.muli %k, %n : index
        %right = arith.addi %down, %j : index
        %q = memref.load %b[%right] : memref<?xf32>
        %product = arith.mulf %p, %q : f32
        %after = arith.addf %before, %product : f32
        scf.yield %after : f32
      }
      %place = arith.addi %row, %j : index
      memref.store %sum, %c[%place] : memref<?xf32>
      "gpu.return"() : () -> ()
    }) {sym_name = "product", offload.elementwise} : () -> ()
  }) : () -> ()
}) : () -> ()
// CHECK:         ^{{.*}}(%[[A:.*]]: memref<?xf32>, %[[B:.*]]: memref<?xf32>, %{{.*}}: memref<?xf32>, %{{.*}}: index):
// CHECK-NEXT:      %[[ROWS:.*]] = memref.alloca() {alignment = 16 : i64} : memref<64xf32, "local">
// CHECK-NEXT:      %[[COLUMNS:.*]] = memref.alloca() {alignment = 16 : i64} : memref<512xf32, "local">
// CHECK-NOT:       scf.if
// CHECK:           %[[X:.*]] = "gpu.thread_id"() <{dimension = #gpu<dim x>}>
// CHECK-NEXT:      %[[Y:.*]] = "gpu.thread_id"() <{dimension = #gpu<dim y>}>
// CHECK-NEXT:      scf.for %[[FIRST:[a-z_0-9]+]] =
// CHECK:             %[[SOME:.*]] = arith.cmpi ult, %[[X]], %{{.*}} : index
// CHECK-NEXT:        scf.if %[[SOME]] {
// CHECK-NEXT:          %[[K:.*]] = arith.addi %[[FIRST]], %[[X]] : index
// CHECK-NEXT:          %[[LEFT:.*]] = arith.addi %{{.*}}, %[[K]] : index
// CHECK-NEXT:          %[[P:.*]] = memref.load %[[A]][%[[LEFT]]]
// CHECK-NEXT:          %[[SIXTEEN:.*]] = arith.constant 16 : index
// CHECK-NEXT:          %[[BEGIN:.*]] = arith.muli %[[Y]], %[[SIXTEEN]] : index
// CHECK-NEXT:          %[[TO:.*]] = arith.addi %[[BEGIN]], %[[X]] : index
// CHECK-NEXT:          memref.store %[[P]], %[[ROWS]][%[[TO]]]
// CHECK-NEXT:        }
// CHECK-NEXT:        %[[L:.*]] = arith.addi %[[FIRST]], %[[Y]] : index
// CHECK-NEXT:        %[[DOWN:.*]] = arith.muli %[[L]], %{{.*}} : index
// CHECK-NEXT:        %[[RIGHT:.*]] = arith.addi %[[DOWN]], %{{.*}} : index
// CHECK-NEXT:        memref.load %[[B]][%[[RIGHT]]]
// CHECK-COUNT-3:     memref.load %[[B]]
// CHECK-NOT:         memref.load
// CHECK-COUNT-4:     memref.store %{{.*}}, %[[COLUMNS]]
// CHECK-NEXT:        "gpu.barrier"()
// CHECK:             scf.for
// CHECK:               memref.load %[[ROWS]]
// CHECK:               memref.load %[[COLUMNS]]
// CHECK:             } {offload.unroll = 16 : i64}
// CHECK-NEXT:        "gpu.barrier"()

// -----

/// An index that is read itself: what is only an index has no tile. Rounds of a loop that starts elsewhere.
"builtin.module"() ({
  func.func @entry(%x: memref<?xf64>, %order: memref<?xi32>, %y: memref<?xf64>, %m: index, %n: index) attributes {skel.entry} {
    offload.launch @kernels::@ordered over %n group 64 tail "exact" (%x, %order, %y, %m, %n : memref<?xf64>, memref<?xi32>, memref<?xf64>, index, index)
    func.return
  }
  "gpu.module"() <{sym_name = "kernels"}> ({
    "gpu.func"() <{function_type = (memref<?xf64>, memref<?xi32>, memref<?xf64>, index, index) -> (), kernel}> ({
    ^bb0(%x: memref<?xf64>, %order: memref<?xi32>, %y: memref<?xf64>, %low: index, %m: index):
      %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
      %one = arith.constant 1 : index
      %start = arith.constant 0.0 : f64
      %sum = scf.for %k = %low to %m step %one iter_args(%before = %start) -> (f64) {
        %number = memref.load %order[%k] : memref<?xi32>
        %at = arith.index_cast %number : i32 to index
        %v = memref.load %x[%at] : memref<?xf64>
        %after = arith.addf %before, %v : f64
        scf.yield %after : f64
      }
      memref.store %sum, %y[%i] : memref<?xf64>
      "gpu.return"() : () -> ()
    }) {sym_name = "ordered", offload.elementwise} : () -> ()
  }) : () -> ()
}) : () -> ()
// CHECK:         ^{{.*}}(%[[X:.*]]: memref<?xf64>, %[[ORDER:.*]]: memref<?xi32>, %{{.*}}: memref<?xf64>, %[[LOW:.*]]: index, %[[HIGH:.*]]: index):
// CHECK-NEXT:      %[[TILE:.*]] = memref.alloca() {alignment = 16 : i64} : memref<64xf64, "local">
// CHECK-NOT:       memref.alloca
// CHECK:           %[[END:.*]] = arith.maxui %[[HIGH]], %[[LOW]] : index
// CHECK-NEXT:      %[[COUNT:.*]] = arith.subi %[[END]], %[[LOW]] : index
// CHECK:           %[[REST:.*]] = arith.remui %[[COUNT]], %{{.*}} : index
// CHECK-NEXT:      %[[WHOLE:.*]] = arith.subi %[[END]], %[[REST]] : index
// CHECK:           scf.for %{{.*}} = %[[LOW]] to %[[WHOLE]]
// CHECK:             %[[NUMBER:.*]] = memref.load %[[ORDER]]
// CHECK-NEXT:        %[[AT:.*]] = arith.index_cast %[[NUMBER]] : i32 to index
// CHECK-NEXT:        %[[V:.*]] = memref.load %[[X]][%[[AT]]]
// CHECK-NEXT:        memref.store %[[V]], %[[TILE]]
// CHECK:             scf.for
// CHECK-NOT:           memref.load %[[ORDER]]
// CHECK:               memref.load %[[TILE]]
// CHECK:             "gpu.barrier"()
// CHECK:           scf.for

// -----

/// Near misses: loads of the work-item's own element, of what the kernel stores to, in a branch, and at an index that one
/// round hands to the next; a loop that is run as often as the element says, one that a work-item may leave, one around
/// another, and one of few rounds; a store before the loop, where the last work-items would do it twice.
"builtin.module"() ({
  func.func @entry(%x: memref<?xf32>, %y: memref<?xf32>, %f: memref<?xi32>, %n: index) attributes {skel.entry} {
    offload.launch @kernels::@own over %n group 256 tail "guard" (%x, %y, %f, %n : memref<?xf32>, memref<?xf32>, memref<?xi32>, index)
    offload.launch @kernels::@often over %n group 256 tail "guard" (%x, %y, %f, %n : memref<?xf32>, memref<?xf32>, memref<?xi32>, index)
    offload.launch @kernels::@leaves over %n group 256 tail "guard" (%x, %y, %f, %n : memref<?xf32>, memref<?xf32>, memref<?xi32>, index)
    offload.launch @kernels::@around over %n group 256 tail "guard" (%x, %y, %f, %n : memref<?xf32>, memref<?xf32>, memref<?xi32>, index)
    offload.launch @kernels::@before over %n group 256 tail "guard" (%x, %y, %f, %n : memref<?xf32>, memref<?xf32>, memref<?xi32>, index)
    func.return
  }
  "gpu.module"() <{sym_name = "kernels"}> ({
    "gpu.func"() <{function_type = (memref<?xf32>, memref<?xf32>, memref<?xi32>, index) -> (), kernel}> ({
    ^bb0(%x: memref<?xf32>, %y: memref<?xf32>, %f: memref<?xi32>, %n: index):
      %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %start = arith.constant 0.0 : f32
      %sum, %last = scf.for %k = %zero to %n step %one iter_args(%before = %start, %at = %zero) -> (f32, index) {
        %mine = arith.addi %i, %k : index
        %v = memref.load %x[%mine] : memref<?xf32>
        %w = memref.load %y[%k] : memref<?xf32>
        %u = memref.load %x[%at] : memref<?xf32>
        %positive = arith.cmpf ogt, %v, %start : f32
        %chosen = scf.if %positive -> (f32) {
          %t = memref.load %x[%k] : memref<?xf32>
          scf.yield %t : f32
        } else {
          scf.yield %w : f32
        }
        %some = arith.addf %u, %chosen : f32
        %after = arith.addf %before, %some : f32
        scf.yield %after, %k : f32, index
      }
      memref.store %sum, %y[%i] : memref<?xf32>
      "gpu.return"() : () -> ()
    }) {sym_name = "own", offload.elementwise} : () -> ()
    "gpu.func"() <{function_type = (memref<?xf32>, memref<?xf32>, memref<?xi32>, index) -> (), kernel}> ({
    ^bb0(%x: memref<?xf32>, %y: memref<?xf32>, %f: memref<?xi32>, %n: index):
      %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %nine = arith.constant 9 : index
      %start = arith.constant 0.0 : f32
      %sum = scf.for %k = %zero to %i step %one iter_args(%before = %start) -> (f32) {
        %v = memref.load %x[%k] : memref<?xf32>
        %after = arith.addf %before, %v : f32
        scf.yield %after : f32
      }
      %more = scf.for %k = %zero to %nine step %one iter_args(%before = %sum) -> (f32) {
        %v = memref.load %x[%k] : memref<?xf32>
        %after = arith.addf %before, %v : f32
        scf.yield %after : f32
      }
      memref.store %more, %y[%i] : memref<?xf32>
      "gpu.return"() : () -> ()
    }) {sym_name = "often", offload.elementwise} : () -> ()
    "gpu.func"() <{function_type = (memref<?xf32>, memref<?xf32>, memref<?xi32>, index) -> (), kernel}> ({
    ^bb0(%x: memref<?xf32>, %y: memref<?xf32>, %f: memref<?xi32>, %n: index):
      %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %start = arith.constant 0.0 : f32
      %sum = scf.for %k = %zero to %n step %one iter_args(%before = %start) -> (f32) {
        %v = memref.load %x[%k] : memref<?xf32>
        %after = arith.addf %before, %v : f32
        %positive = arith.cmpf ogt, %after, %start : f32
        guard.check %positive, %f[0], domain, "negative" : memref<?xi32>
        scf.yield %after : f32
      }
      memref.store %sum, %y[%i] : memref<?xf32>
      "gpu.return"() : () -> ()
    }) {sym_name = "leaves", offload.elementwise} : () -> ()
    "gpu.func"() <{function_type = (memref<?xf32>, memref<?xf32>, memref<?xi32>, index) -> (), kernel}> ({
    ^bb0(%x: memref<?xf32>, %y: memref<?xf32>, %f: memref<?xi32>, %n: index):
      %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %start = arith.constant 0.0 : f32
      %sum = scf.for %k = %zero to %n step %one iter_args(%before = %start) -> (f32) {
        %v = memref.load %x[%k] : memref<?xf32>
        %after = scf.for %l = %zero to %n step %one iter_args(%part = %before) -> (f32) {
          %more = arith.addf %part, %v : f32
          scf.yield %more : f32
        }
        scf.yield %after : f32
      }
      memref.store %sum, %y[%i] : memref<?xf32>
      "gpu.return"() : () -> ()
    }) {sym_name = "around", offload.elementwise} : () -> ()
    "gpu.func"() <{function_type = (memref<?xf32>, memref<?xf32>, memref<?xi32>, index) -> (), kernel}> ({
    ^bb0(%x: memref<?xf32>, %y: memref<?xf32>, %f: memref<?xi32>, %n: index):
      %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        %zero = arith.constant 0 : index
        %one = arith.constant 1 : index
        %start = arith.constant 0.0 : f32
        memref.store %start, %y[%i] : memref<?xf32>
        %sum = scf.for %k = %zero to %n step %one iter_args(%before = %start) -> (f32) {
          %v = memref.load %x[%k] : memref<?xf32>
          %after = arith.addf %before, %v : f32
          scf.yield %after : f32
        }
        memref.store %sum, %y[%i] : memref<?xf32>
      }
      "gpu.return"() : () -> ()
    }) {sym_name = "before", offload.elementwise} : () -> ()
  }) : () -> ()
}) : () -> ()
// CHECK-NOT:     gpu.barrier
