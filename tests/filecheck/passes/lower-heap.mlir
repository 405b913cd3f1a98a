// RUN: hetc-opt %s --split-input-file -p lower-heap | filecheck %s
// RUN: not hetc-opt %s --split-input-file -p 'lower-heap{atomics=32}' 2>&1 | filecheck %s --check-prefix REFUSED

/// A list of n items, with room from the start, is the result of each element.
builtin.module attributes {gpu.container_module} {
  func.func @lists(%x: tensor<?x!dyn.int> {skel.path = array<i64: 0>}) -> !dyn.object attributes {skel.entry, skel.container = "list", skel.result = !heap.list<!dyn.int>} {
    %h = offload.marshal %x : tensor<?x!dyn.int> -> memref<?xi64, "host">
    %in = offload.copy_in %h : memref<?xi64, "host"> -> memref<?xi64>
    %n = offload.size %x[0] : tensor<?x!dyn.int>
    %b = offload.alloc %n : memref<?xi64>
    %l = offload.alloc %n : memref<?xi64>
    offload.launch @kernels::@lists over %n group 0 tail "exact" (%in, %b, %l : memref<?xi64>, memref<?xi64>, memref<?xi64>)
    %begins = offload.copy_out %b : memref<?xi64> -> memref<?xi64, "host">
    %lengths = offload.copy_out %l : memref<?xi64> -> memref<?xi64, "host">
    %r = offload.unmarshal "list" of !heap.list<!dyn.int> (%begins, %lengths : memref<?xi64, "host">, memref<?xi64, "host">)
    func.return %r : !dyn.object
  }
  "gpu.module"() <{sym_name = "kernels"}> ({
    "gpu.func"() <{function_type = (memref<?xi64>, memref<?xi64>, memref<?xi64>) -> (), kernel}> ({
    ^bb0(%x_in: memref<?xi64>, %result0: memref<?xi64>, %result1: memref<?xi64>):
      %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
      %x = memref.load %x_in[%index] : memref<?xi64>
      %empty = heap.new %x : !heap.list<!dyn.int>
      %full = heap.append %empty, (%x : i64) in_room : !heap.list<!dyn.int>
      %begin, %length = heap.publish %full : !heap.list<!dyn.int>
      memref.store %begin, %result0[%index] : memref<?xi64>
      memref.store %length, %result1[%index] : memref<?xi64>
      "gpu.return"() : () -> ()
    }) {sym_name = "lists", offload.elementwise} : () -> ()
  }) : () -> ()
}
// REFUSED: a list whose length varies needs 64-bit atomic operations, which the device does not have

/// Begin and length are zero where no work-item says so. The heap is drained after the launch; the result takes what was
/// drained, behind begin and length.
// CHECK-LABEL: @lists
// CHECK:         %[[BEGIN:.*]] = offload.alloc %[[N:.*]] zeroed
// CHECK-NEXT:    %[[LENGTH:.*]] = offload.alloc %[[N]] zeroed
// CHECK-NEXT:    %[[STATE:.*]], %[[LEFT:.*]], %[[ITEMS:.*]] = offload.heap over %[[N]] areas [1] : memref<?xi64>
// CHECK-NEXT:    offload.launch @kernels::@lists over %[[N]] group 0 tail "exact" (%{{.*}}, %[[BEGIN]], %[[LENGTH]], %[[STATE]], %[[LEFT]], %[[ITEMS]] :
// CHECK-NEXT:    %[[DRAINED:.*]] = offload.drain %[[STATE]] after @kernels::@lists areas [1] : memref<?xi64, "host">
// CHECK-NEXT:    %[[BEGINS:.*]] = offload.copy_out %[[BEGIN]]
// CHECK-NEXT:    %[[LENGTHS:.*]] = offload.copy_out %[[LENGTH]]
// CHECK-NEXT:    offload.unmarshal "list" of !heap.list<!dyn.int> (%[[BEGINS]], %[[LENGTHS]], %[[DRAINED]] :

/// Only what is left runs: all in the first launch, then what has marked itself; below a number. It is done once it starts.
// CHECK:         ^bb0(%{{.*}}, %{{.*}}, %{{.*}}, %[[STATE:state.*]]: memref<?xi64>, %[[LEFT:left.*]]: memref<?xi8>, %[[ITEMS:heap0]]: memref<?xi64>):
// CHECK:           %[[INDEX:.*]] = "gpu.global_id"
// CHECK:           %[[UNTIL:.*]] = memref.load %[[STATE]][%{{.*}}]
// CHECK:           %[[AGAIN:.*]] = memref.load %[[STATE]][%{{.*}}]
// CHECK:           %[[BELOW:.*]] = arith.cmpi ult, %{{.*}}, %[[UNTIL]] : i64
// CHECK:           %[[FIRST:.*]] = arith.cmpi eq, %[[AGAIN]], %{{.*}} : i64
// CHECK:           %[[MARK:.*]] = memref.load %[[LEFT]][%[[INDEX]]]
// CHECK:           %[[MARKED:.*]] = arith.cmpi ne, %[[MARK]], %{{.*}} : i8
// CHECK-NEXT:      %[[EITHER:.*]] = arith.ori %[[FIRST]], %[[MARKED]] : i1
// CHECK-NEXT:      %[[RUNS:.*]] = arith.andi %[[BELOW]], %[[EITHER]] : i1
// CHECK-NEXT:      scf.if %[[RUNS]] {

/// If others have asked for more than there was, it leaves before it starts, and is still left.
// CHECK:             %[[ALL:.*]] = memref.load %[[STATE]][%{{.*}}]
// CHECK:             %[[TAKEN:.*]] = memref.load %[[STATE]][%{{.*}}]
// CHECK-NEXT:        %[[NOT_FULL:.*]] = arith.cmpi ule, %[[TAKEN]], %[[ALL]] : i64
// CHECK-NEXT:        guard.check %[[NOT_FULL]], %[[STATE]][0] mark %[[INDEX]] in %[[LEFT]], alloc, "the heap is full" : memref<?xi64>
// CHECK:             memref.store %{{.*}}, %[[LEFT]][%[[INDEX]]]

/// Room is taken in one step, once it is known to be no more than there is in all.
// CHECK:             %[[X:.*]] = memref.load
// CHECK:             %[[CAPACITY:.*]] = memref.load %[[STATE]][%{{.*}}]
// CHECK-NEXT:        %[[POSSIBLE:.*]] = arith.cmpi ule, %[[X]], %[[CAPACITY]] : i64
// CHECK-NEXT:        guard.check %[[POSSIBLE]], %[[STATE]][0] mark %[[INDEX]] in %[[LEFT]], alloc, "the heap is full" : memref<?xi64>
// CHECK:             %[[TOP:.*]] = "memref.atomic_rmw"(%[[X]], %[[STATE]], %{{.*}})
// CHECK-NEXT:        %[[END:.*]] = arith.addi %[[TOP]], %[[X]] : i64
// CHECK-NEXT:        %[[FITS:.*]] = arith.cmpi ule, %[[END]], %[[CAPACITY]] : i64
// CHECK-NEXT:        guard.check %[[FITS]], %[[STATE]][0] mark %[[INDEX]] in %[[LEFT]], alloc, "the heap is full"

/// An item that is known to have room is stored behind the last one.
// CHECK:             %[[PLACE:.*]] = arith.addi %[[TOP]], %[[NONE:.*]] : i64
// CHECK-NEXT:        %[[AT:.*]] = arith.index_cast %[[PLACE]] : i64 to index
// CHECK-NEXT:        memref.store %[[X]], %[[ITEMS]][%[[AT]]]
// CHECK:             %[[MANY:.*]] = arith.addi %[[NONE]], %{{.*}} : i64

/// The host finds it behind what was drained before.
// CHECK:             %[[BASE:.*]] = memref.load %[[STATE]][%{{.*}}]
// CHECK-NEXT:        %[[WHERE:.*]] = arith.addi %[[TOP]], %[[BASE]] : i64
// CHECK-NEXT:        memref.store %[[WHERE]]
// CHECK-NEXT:        memref.store %[[MANY]]

// -----

/// Lists that nobody returns are not drained. A list that may be full moves to twice the room, at least 4.
builtin.module attributes {gpu.container_module} {
  func.func @sums(%x: tensor<?x!dyn.int> {skel.path = array<i64: 0>}) attributes {skel.entry, skel.container = "list", skel.result = !dyn.int} {
    %n = offload.size %x[0] : tensor<?x!dyn.int>
    %r = offload.alloc %n : memref<?xi64>
    offload.launch @kernels::@sums over %n group 0 tail "exact" (%r : memref<?xi64>)
    func.return
  }
  "gpu.module"() <{sym_name = "kernels"}> ({
    "gpu.func"() <{function_type = (memref<?xi64>) -> (), kernel}> ({
    ^bb0(%result: memref<?xi64>):
      %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %many = arith.constant 100 : i64
      %empty = heap.new %zero : !heap.list<tuple<!dyn.int, !dyn.float>>
      %list = scf.for %k = %zero to %many step %one iter_args(%l = %empty) -> (!heap.list<tuple<!dyn.int, !dyn.float>>) : i64 {
        %f = arith.sitofp %k : i64 to f64
        %longer = heap.append %l, (%k, %f : i64, f64) : !heap.list<tuple<!dyn.int, !dyn.float>>
        scf.yield %longer : !heap.list<tuple<!dyn.int, !dyn.float>>
      }
      %n = heap.length %list : !heap.list<tuple<!dyn.int, !dyn.float>>
      memref.store %n, %result[%index] : memref<?xi64>
      "gpu.return"() : () -> ()
    }) {sym_name = "sums", offload.elementwise} : () -> ()
  }) : () -> ()
}
// CHECK-LABEL: @sums
// CHECK:         offload.heap over %{{.*}} areas [2] : memref<?xi64>, memref<?xf64>
// CHECK:         offload.drain %{{.*}} after @kernels::@sums areas [0]{{$}}
// CHECK:         ^bb0(%{{.*}}, %[[STATE:state.*]]: memref<?xi64>, %[[LEFT:left.*]]: memref<?xi8>, %[[INTS:heap0]]: memref<?xi64>, %[[FLOATS:heap1]]: memref<?xf64>):
// CHECK:             %[[LIST:.*]], %[[LENGTH:.*]], %{{.*}} = scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[B:.*]] = %{{.*}}, %[[N:.*]] = %{{.*}}, %[[R:.*]] = %{{.*}}) -> (i64, i64, i64)
// CHECK:               %[[FULL:.*]] = arith.cmpi eq, %[[N]], %[[R]] : i64
// CHECK-NEXT:          %[[BEGIN:.*]], %[[ROOM:.*]] = scf.if %[[FULL]] -> (i64, i64) {
// CHECK-NEXT:            %[[TWICE:.*]] = arith.addi %[[R]], %[[R]] : i64
// CHECK-NEXT:            %[[FOUR:.*]] = arith.constant 4 : i64
// CHECK-NEXT:            %[[MORE:.*]] = arith.maxsi %[[TWICE]], %[[FOUR]] : i64
// CHECK:                 %[[NEW:.*]] = "memref.atomic_rmw"(%[[MORE]], %[[STATE]], %{{.*}})
// CHECK:                 scf.for %[[I:.*]] = %{{.*}} to %[[N]] step
// CHECK:                   memref.load %[[INTS]]
// CHECK:                   memref.store %{{.*}}, %[[INTS]]
// CHECK:                   memref.load %[[FLOATS]]
// CHECK:                   memref.store %{{.*}}, %[[FLOATS]]
// CHECK:                 scf.yield %[[NEW]], %[[MORE]] : i64, i64
// CHECK-NEXT:          } else {
// CHECK-NEXT:            scf.yield %[[B]], %[[R]] : i64, i64
// CHECK:               arith.addi %[[BEGIN]], %[[N]] : i64
// CHECK:               memref.store %[[K]], %[[INTS]]
// CHECK-NEXT:          memref.store %{{.*}}, %[[FLOATS]]
// CHECK:               scf.yield %[[BEGIN]], %{{.*}}, %[[ROOM]] : i64, i64, i64
// CHECK:             memref.store %[[LENGTH]]
