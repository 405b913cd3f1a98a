// RUN: hetc-opt %s --split-input-file | hetc-opt --split-input-file --print-op-generic | hetc-opt --split-input-file | filecheck %s
// RUN: hetc-opt %s --split-input-file --print-op-generic | filecheck %s --check-prefix GENERIC
// RUN: hetc-opt %s --split-input-file -p canonicalize | filecheck %s --check-prefix CANON

/// A whole plan: marshal, copy, launch, check, copy back, put the result together.
func.func @saxpy(%x: tensor<?xf32>) -> !dyn.object {
  %n = offload.size %x[0] : tensor<?xf32>
  %one = arith.constant 1 : index
  %h = offload.marshal %x : tensor<?xf32> -> memref<?xf32, "host">
  %b = offload.copy_in %h : memref<?xf32, "host"> -> memref<?xf32>
  %o = offload.alloc %n : memref<?xf32>
  %f = offload.alloc %one zeroed : memref<?xi32>
  offload.launch @kernels::@saxpy over %n group 256 tail "guard" (%b, %o, %f : memref<?xf32>, memref<?xf32>, memref<?xi32>)
  %m = offload.alloc %one zeroed : memref<?xi8>
  offload.check_guards %f : memref<?xi32>
  offload.check_guards %f marks %m of 256 : memref<?xi32>
  offload.check_guards %f marks %m warned %m of 256 : memref<?xi32>
  offload.check_guards %f warned %m of 256 : memref<?xi32>
  %r = offload.copy_out %o : memref<?xf32> -> memref<?xf32, "host">
  %y = offload.unmarshal "ndarray" of f32 (%r : memref<?xf32, "host">)
  func.return %y : !dyn.object
}
// CHECK-LABEL: @saxpy
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32>) -> !dyn.object
// CHECK-NEXT:    %[[N:.*]] = offload.size %[[X]][0] : tensor<?xf32>
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT:    %[[H:.*]] = offload.marshal %[[X]] : tensor<?xf32> -> memref<?xf32, "host">
// CHECK-NEXT:    %[[B:.*]] = offload.copy_in %[[H]] : memref<?xf32, "host"> -> memref<?xf32>
// CHECK-NEXT:    %[[O:.*]] = offload.alloc %[[N]] : memref<?xf32>
// CHECK-NEXT:    %[[F:.*]] = offload.alloc %[[ONE]] zeroed : memref<?xi32>
// CHECK-NEXT:    offload.launch @kernels::@saxpy over %[[N]] group 256 tail "guard" (%[[B]], %[[O]], %[[F]] : memref<?xf32>, memref<?xf32>, memref<?xi32>)
// CHECK-NEXT:    %[[M:.*]] = offload.alloc %[[ONE]] zeroed : memref<?xi8>
// CHECK-NEXT:    offload.check_guards %[[F]] : memref<?xi32>
// CHECK-NEXT:    offload.check_guards %[[F]] marks %[[M]] of 256 : memref<?xi32>
// CHECK-NEXT:    offload.check_guards %[[F]] marks %[[M]] warned %[[M]] of 256 : memref<?xi32>
// CHECK-NEXT:    offload.check_guards %[[F]] warned %[[M]] of 256 : memref<?xi32>
// CHECK-NEXT:    %[[R:.*]] = offload.copy_out %[[O]] : memref<?xf32> -> memref<?xf32, "host">
// CHECK-NEXT:    %[[Y:.*]] = offload.unmarshal "ndarray" of f32 (%[[R]] : memref<?xf32, "host">)
// CHECK-NEXT:    func.return %[[Y]]
// GENERIC-LABEL: sym_name = "saxpy"
// GENERIC:         "offload.size"(%{{.*}}) <{dim = 0 : i64}> : (tensor<?xf32>) -> index
// GENERIC:         "offload.marshal"(%{{.*}}) : (tensor<?xf32>) -> memref<?xf32, "host">
// GENERIC:         "offload.copy_in"(%{{.*}}) : (memref<?xf32, "host">) -> memref<?xf32>
// GENERIC:         "offload.alloc"(%{{.*}}) : (index) -> memref<?xf32>
// GENERIC:         "offload.alloc"(%{{.*}}) <{zeroed}> : (index) -> memref<?xi32>
// GENERIC:         "offload.launch"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{kernel = @kernels::@saxpy, group = 256 : i64, tail = "guard", operandSegmentSizes = array<i32: 1, 0, 0, 3>}> : (index, memref<?xf32>, memref<?xf32>, memref<?xi32>) -> ()
// GENERIC:         "offload.check_guards"(%{{.*}}) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (memref<?xi32>) -> ()
// GENERIC:         "offload.copy_out"(%{{.*}}) : (memref<?xf32>) -> memref<?xf32, "host">
// GENERIC:         "offload.unmarshal"(%{{.*}}) <{container = "ndarray", element = f32}> : (memref<?xf32, "host">) -> !dyn.object
// CANON-LABEL: @saxpy
// CANON-COUNT-2: offload.alloc
// CANON:         offload.launch
// CANON:         offload.check_guards

// -----

/// A field of an array of structs, used where it lies; one that is copied, and why.
func.func @fields(%x: tensor<?xf32>) {
  %0 = offload.marshal %x stride 6 because "each work-item reads its own" : tensor<?xf32> -> memref<?xf32, "host">
  %1 = offload.marshal %x because "kernels store to it" : tensor<?xf32> -> memref<?xf32, "host">
  func.return
}
// CHECK-LABEL: @fields
// CHECK-NEXT:    offload.marshal %{{.*}} stride 6 because "each work-item reads its own" : tensor<?xf32> -> memref<?xf32, "host">
// CHECK-NEXT:    offload.marshal %{{.*}} because "kernels store to it" : tensor<?xf32> -> memref<?xf32, "host">
// GENERIC-LABEL: sym_name = "fields"
// GENERIC:         "offload.marshal"(%{{.*}}) <{stride = 6 : i64, reason = "each work-item reads its own"}> : (tensor<?xf32>) -> memref<?xf32, "host">

// -----

/// A map that has assigned an attribute: its value, and whether each object gets it, beside the result.
func.func @written(%r: memref<?xf32, "host">, %x: memref<?xf64, "host">, %w: memref<?xi1, "host">) -> !dyn.object {
  %y = offload.unmarshal "list" of tuple<f32, !dyn.float, !dyn.bool> writes [{field = "x", input = 0 : i64}] (%r, %x, %w : memref<?xf32, "host">, memref<?xf64, "host">, memref<?xi1, "host">)
  func.return %y : !dyn.object
}
// CHECK-LABEL: @written
// CHECK-SAME:    (%[[R:.*]]: memref<?xf32, "host">, %[[X:.*]]: memref<?xf64, "host">, %[[W:.*]]: memref<?xi1, "host">)
// CHECK-NEXT:    %{{.*}} = offload.unmarshal "list" of tuple<f32, !dyn.float, !dyn.bool> writes [{field = "x", input = 0 : i64}] (%[[R]], %[[X]], %[[W]] : memref<?xf32, "host">, memref<?xf64, "host">, memref<?xi1, "host">)
// GENERIC-LABEL: sym_name = "written"
// GENERIC:         writes = [{field = "x", input = 0 : i64}]
// CANON-LABEL: @written

// -----

/// Memory that host and device share, and a result of one number, a tuple of two host arrays.
func.func @shared(%n: index, %h: memref<?xi32, "host">) -> !dyn.object {
  %b = offload.copy_in %h shared : memref<?xi32, "host"> -> memref<?xi32>
  %o = offload.alloc %n shared : memref<?xi1>
  %p = offload.alloc %n shared zeroed : memref<?xi32>
  %q = offload.copy_out %o shared : memref<?xi1> -> memref<?xi1, "host">
  %r = offload.copy_out %p shared : memref<?xi32> -> memref<?xi32, "host">
  %y = offload.unmarshal "list" of tuple<!dyn.bool, si32> scalar (%q, %r : memref<?xi1, "host">, memref<?xi32, "host">)
  func.return %y : !dyn.object
}
// CHECK-LABEL: @shared
// CHECK-SAME:    (%[[N:.*]]: index, %[[H:.*]]: memref<?xi32, "host">)
// CHECK-NEXT:    %{{.*}} = offload.copy_in %[[H]] shared : memref<?xi32, "host"> -> memref<?xi32>
// CHECK-NEXT:    %[[O:.*]] = offload.alloc %[[N]] shared : memref<?xi1>
// CHECK-NEXT:    %[[P:.*]] = offload.alloc %[[N]] shared zeroed : memref<?xi32>
// CHECK-NEXT:    %[[Q:.*]] = offload.copy_out %[[O]] shared : memref<?xi1> -> memref<?xi1, "host">
// CHECK-NEXT:    %[[R:.*]] = offload.copy_out %[[P]] shared : memref<?xi32> -> memref<?xi32, "host">
// CHECK-NEXT:    %{{.*}} = offload.unmarshal "list" of tuple<!dyn.bool, si32> scalar (%[[Q]], %[[R]] : memref<?xi1, "host">, memref<?xi32, "host">)
// GENERIC-LABEL: sym_name = "shared"
// GENERIC:         <{shared, zeroed}>
// CANON-LABEL: @shared

// -----

/// Numbers for kernel arguments: of a captured scalar, and of a sequence.
func.func @scalars(%g: f32, %r: !skel.sequence<!dyn.int>, %n: index) {
  %0 = offload.scalar "value" of %g : f32 -> f32
  %1 = offload.scalar "start" of %r : !skel.sequence<!dyn.int> -> i64
  %2 = offload.scalar "step" of %r : !skel.sequence<!dyn.int> -> i64
  offload.launch @kernels::@f over %n group 0 tail "exact" (%0, %1, %2 : f32, i64, i64)
  offload.launch @kernels::@nothing over %n group 64 tail "split" ()
  offload.launch @kernels::@rows over %n box %n, %n group 64 shape [32, 2] tail "guard" ()
  offload.launch @kernels::@rows over %n box %n, %n group 64 tail "split" layouts [array<i64: 16, 16>, array<i64: 256>] ()
  offload.launch @kernels::@rows over %n box %n, %n from %n, %n group 0 tail "exact" (%1 : i64)
  func.return
}
// CHECK-LABEL: @scalars
// CHECK-SAME:    (%[[G:.*]]: f32, %[[R:.*]]: !skel.sequence<!dyn.int>, %[[N:.*]]: index)
// CHECK-NEXT:    %[[V:.*]] = offload.scalar "value" of %[[G]] : f32 -> f32
// CHECK-NEXT:    %[[START:.*]] = offload.scalar "start" of %[[R]] : !skel.sequence<!dyn.int> -> i64
// CHECK-NEXT:    %[[STEP:.*]] = offload.scalar "step" of %[[R]] : !skel.sequence<!dyn.int> -> i64
// CHECK-NEXT:    offload.launch @kernels::@f over %[[N]] group 0 tail "exact" (%[[V]], %[[START]], %[[STEP]] : f32, i64, i64)
// CHECK-NEXT:    offload.launch @kernels::@nothing over %[[N]] group 64 tail "split" ()
// CHECK-NEXT:    offload.launch @kernels::@rows over %[[N]] box %[[N]], %[[N]] group 64 shape [32, 2] tail "guard" ()
// CHECK-NEXT:    offload.launch @kernels::@rows over %[[N]] box %[[N]], %[[N]] group 64 tail "split" layouts [array<i64: 16, 16>, array<i64: 256>] ()
// CHECK-NEXT:    offload.launch @kernels::@rows over %[[N]] box %[[N]], %[[N]] from %[[N]], %[[N]] group 0 tail "exact" (%[[START]] : i64)
// GENERIC-LABEL: sym_name = "scalars"
// GENERIC:         "offload.scalar"(%{{.*}}) <{part = "value"}> : (f32) -> f32
// CANON-LABEL: @scalars
// CANON-COUNT-3: offload.scalar
// CANON-COUNT-4: offload.launch

// -----

/// Reading from the host's side has no effect, so what is unused goes; a copy and an allocation stay.
func.func @unused(%x: tensor<?xf32>, %n: index) {
  %0 = offload.size %x[0] : tensor<?xf32>
  %1 = offload.marshal %x : tensor<?xf32> -> memref<?xf32, "host">
  %2 = offload.alloc %n : memref<?xf32>
  func.return
}
// CHECK-LABEL: @unused
// GENERIC-LABEL: sym_name = "unused"
// CANON-LABEL: @unused
// CANON-NEXT:    offload.alloc
// CANON-NEXT:    func.return

// -----

/// A zero for arithmetic that the device's compiler is to leave alone.
func.func @zeros() {
  %a = offload.zero : i8
  %b = offload.zero : i64
  func.return
}
// CHECK-LABEL: @zeros
// CHECK-NEXT:    offload.zero : i8
// CHECK-NEXT:    offload.zero : i64
// GENERIC-LABEL: sym_name = "zeros"
// GENERIC:         "offload.zero"() : () -> i8
// CANON-LABEL: @zeros
// CANON-NEXT:    func.return

// -----

/// An array that a kernel changes in place: kept as it was, and written back.
func.func @in_place(%a: tensor<?xf32>) {
  %h = offload.marshal %a : tensor<?xf32> -> memref<?xf32, "host">
  offload.save %h : memref<?xf32, "host">
  %b = offload.copy_in %h shared : memref<?xf32, "host"> -> memref<?xf32>
  offload.write_back %b to %a shared : memref<?xf32>, tensor<?xf32>
  offload.write_back %b to %a : memref<?xf32>, tensor<?xf32>
  func.return
}
// CHECK-LABEL: @in_place
// CHECK-SAME:    (%[[A:.*]]: tensor<?xf32>)
// CHECK-NEXT:    %[[H:.*]] = offload.marshal %[[A]]
// CHECK-NEXT:    offload.save %[[H]] : memref<?xf32, "host">
// CHECK-NEXT:    %[[B:.*]] = offload.copy_in %[[H]] shared
// CHECK-NEXT:    offload.write_back %[[B]] to %[[A]] shared : memref<?xf32>, tensor<?xf32>
// CHECK-NEXT:    offload.write_back %[[B]] to %[[A]] : memref<?xf32>, tensor<?xf32>
// GENERIC-LABEL: sym_name = "in_place"
// CANON-LABEL: @in_place
// CANON:         offload.save
// CANON-COUNT-2: offload.write_back

// -----

/// A portable array is present on the device, shared or not, saved or not; a result stays in its buffers.
func.func @resident(%a: tensor<?xf32>) -> !dyn.object {
  %b = offload.present %a : tensor<?xf32> -> memref<?xf32>
  %c = offload.present %a shared saved : tensor<?xf32> -> memref<?xf32>
  offload.written %b of %a : memref<?xf32>, tensor<?xf32>
  offload.written %c of %a shared : memref<?xf32>, tensor<?xf32>
  %r = offload.retain tuple<f32, f32> shared (%b, %c : memref<?xf32>, memref<?xf32>)
  %s = offload.retain f32 (%b : memref<?xf32>)
  func.return %s : !dyn.object
}
// CHECK-LABEL: @resident
// CHECK-NEXT:    %[[B:.*]] = offload.present %{{.*}} : tensor<?xf32> -> memref<?xf32>
// CHECK-NEXT:    %[[C:.*]] = offload.present %{{.*}} shared saved : tensor<?xf32> -> memref<?xf32>
// CHECK-NEXT:    offload.written %[[B]] of %{{.*}} : memref<?xf32>, tensor<?xf32>
// CHECK-NEXT:    offload.written %[[C]] of %{{.*}} shared : memref<?xf32>, tensor<?xf32>
// CHECK-NEXT:    %{{.*}} = offload.retain tuple<f32, f32> shared (%[[B]], %[[C]] : memref<?xf32>, memref<?xf32>)
// CHECK-NEXT:    %[[S:.*]] = offload.retain f32 (%[[B]] : memref<?xf32>)
// CHECK-NEXT:    func.return %[[S]]
// GENERIC-LABEL: sym_name = "resident"
// GENERIC:         "offload.present"(%{{.*}}) <{shared, saved}> : (tensor<?xf32>) -> memref<?xf32>
// GENERIC:         "offload.written"(%{{.*}}, %{{.*}}) : (memref<?xf32>, tensor<?xf32>) -> ()
// GENERIC:         "offload.retain"(%{{.*}}) <{element = f32}> : (memref<?xf32>) -> !dyn.object
// CANON-LABEL: @resident

// -----

/// Lengths that only the device knows, and a result that is picked from the inputs.
func.func @kept(%x: tensor<?x!dyn.int>, %ends: memref<?xi64>) -> (!dyn.object, !dyn.object) {
  %n = offload.last %ends : memref<?xi64>
  offload.require %n
  %b = offload.alloc %n : memref<?xi64>
  %h = offload.copy_out %b : memref<?xi64> -> memref<?xi64, "host">
  %r = offload.pick "list" "elements" at %h of (%x : tensor<?x!dyn.int>) : memref<?xi64, "host">
  %s = offload.pick "tuple" "rows" at %h of (%x, %x : tensor<?x!dyn.int>, tensor<?x!dyn.int>) : memref<?xi64, "host">
  func.return %r, %s : !dyn.object, !dyn.object
}
// CHECK-LABEL: @kept
// CHECK-SAME:    (%[[X:.*]]: tensor<?x!dyn.int>, %[[ENDS:.*]]: memref<?xi64>)
// CHECK-NEXT:    %[[N:.*]] = offload.last %[[ENDS]] : memref<?xi64>
// CHECK-NEXT:    offload.require %[[N]]
// CHECK:         %[[H:.*]] = offload.copy_out
// CHECK-NEXT:    offload.pick "list" "elements" at %[[H]] of (%[[X]] : tensor<?x!dyn.int>) : memref<?xi64, "host">
// CHECK-NEXT:    offload.pick "tuple" "rows" at %[[H]] of (%[[X]], %[[X]] : tensor<?x!dyn.int>, tensor<?x!dyn.int>) : memref<?xi64, "host">
// GENERIC-LABEL: sym_name = "kept"
// GENERIC:         "offload.last"(%{{.*}}) : (memref<?xi64>) -> index
// GENERIC:         "offload.require"(%{{.*}}) : (index) -> ()
// GENERIC:         "offload.pick"(%{{.*}}, %{{.*}}) <{container = "list", what = "elements"}>
// CANON-LABEL: @kept
// CANON:         offload.last
// CANON:         offload.require

// -----

/// The host's code around loops: who holds arrays, which may share memory, and who looks at which.
func.func @host() {
  offload.variable "x" "argument"
  offload.variable "y" "local"
  offload.alias "row" "x"
  offload.new "y"
  offload.handed ["x"]
  offload.call 2 "step" reads [] writes ["x"] makes ["y"] gives "array1" arguments ["x", ""] hands line 2 transfers []
  offload.call 3 "total" reads ["x"] writes [] makes [] gives "number" arguments ["x"] line 2
  offload.region 0 reads ["row"] writes [] overwrites ["y"] at_once "why" line 3
  offload.region 1 reads [] writes ["x"] overwrites [] line 5 transfers [#offload.transfer<"x", "in", "kept", "why">]
  offload.branch ^bb1, ^bb2
^bb1:
  offload.host_read ["x", "y"] line 7 column 4 transfers [#offload.transfer<"x", "out", "delayed", "why">]
  offload.host_write ["x"] line 8 column 4 transfers [#offload.transfer<"x", "device", "dropped", "why">]
  offload.host_any "calls g" line 9 column 4
  offload.raise line 9
^bb2:
  offload.leave returns ["y"] line 10
}
// CHECK-LABEL: @host
// CHECK-NEXT:    offload.variable "x" "argument"
// CHECK-NEXT:    offload.variable "y" "local"
// CHECK-NEXT:    offload.alias "row" "x"
// CHECK-NEXT:    offload.new "y"
// CHECK-NEXT:    offload.handed ["x"]
// CHECK-NEXT:    offload.call 2 "step" reads [] writes ["x"] makes ["y"] gives "array1" arguments ["x", ""] hands line 2 transfers []
// CHECK-NEXT:    offload.call 3 "total" reads ["x"] writes [] makes [] gives "number" arguments ["x"] line 2
// CHECK-NEXT:    offload.region 0 reads ["row"] writes [] overwrites ["y"] at_once "why" line 3
// CHECK-NEXT:    offload.region 1 reads [] writes ["x"] overwrites [] line 5 transfers [#offload.transfer<"x", "in", "kept", "why">]
// CHECK-NEXT:    offload.branch ^[[ONE:.*]], ^[[TWO:.*]]
// CHECK-NEXT:  ^[[ONE]]:
// CHECK-NEXT:    offload.host_read ["x", "y"] line 7 column 4 transfers [#offload.transfer<"x", "out", "delayed", "why">]
// CHECK-NEXT:    offload.host_write ["x"] line 8 column 4 transfers [#offload.transfer<"x", "device", "dropped", "why">]
// CHECK-NEXT:    offload.host_any "calls g" line 9 column 4
// CHECK-NEXT:    offload.raise line 9
// CHECK-NEXT:  ^[[TWO]]:
// CHECK-NEXT:    offload.leave returns ["y"] line 10
// GENERIC-LABEL: sym_name = "host"
// GENERIC:         "offload.variable"() <{variable = "x", holder = "argument"}> : () -> ()
// GENERIC:         "offload.region"() <{number = 0 : i64, reads = ["row"], writes = [], overwrites = ["y"], at_once = "why", line = 3 : i64}> : () -> ()
// CANON-LABEL: @host
// CANON:         offload.host_any

// -----

/// A heap with two areas, of which the host wants the first.
func.func @heap(%n: index) -> (memref<?xi64, "host">, memref<?xf64, "host">) {
  %state, %left, %a, %b, %c = offload.heap over %n areas [2, 1] : memref<?xi64>, memref<?xf64>, memref<?xi32>
  %x, %y = offload.drain %state after @kernels::@f areas [2, 0] : memref<?xi64, "host">, memref<?xf64, "host">
  offload.drain %state after @kernels::@f areas [0, 0]
  func.return %x, %y : memref<?xi64, "host">, memref<?xf64, "host">
}
// CHECK-LABEL: @heap
// CHECK-NEXT:    %[[STATE:.*]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} = offload.heap over %{{.*}} areas [2, 1] : memref<?xi64>, memref<?xf64>, memref<?xi32>
// CHECK-NEXT:    %{{.*}}, %{{.*}} = offload.drain %[[STATE]] after @kernels::@f areas [2, 0] : memref<?xi64, "host">, memref<?xf64, "host">
// CHECK-NEXT:    offload.drain %[[STATE]] after @kernels::@f areas [0, 0]
// GENERIC-LABEL: sym_name = "heap"
// GENERIC:         "offload.heap"(%{{.*}}) <{areas = array<i64: 2, 1>}> : (index) -> (memref<?xi64>, memref<?xi8>, memref<?xi64>, memref<?xf64>, memref<?xi32>)
// GENERIC:         "offload.drain"(%{{.*}}) <{kernel = @kernels::@f, areas = array<i64: 2, 0>}> : (memref<?xi64>) -> (memref<?xi64, "host">, memref<?xf64, "host">)
// CANON-LABEL: @heap
// CANON:         offload.heap
// CANON:         offload.drain

// -----

/// What is done for each batch, with what the batch before has come to.
func.func @batches() {
  offload.each_batch carrying []
  offload.each_batch carrying ["low", "high"]
  func.return
}
// CHECK-LABEL: @batches
// CHECK-NEXT:    offload.each_batch carrying []
// CHECK-NEXT:    offload.each_batch carrying ["low", "high"]
// GENERIC-LABEL: sym_name = "batches"
// GENERIC:         "offload.each_batch"() <{carried = []}> : () -> ()
// CANON-LABEL: @batches
// CANON-COUNT-2: offload.each_batch

// -----

/// A number that is to stand in a record, and numbers that do: a struct is aligned as the largest of them.
func.func @records(%x: tensor<?xsi8>, %y: tensor<?x!dyn.float>, %i: index) {
  %0 = offload.marshal %y in "Page" at 8 because "read together" : tensor<?x!dyn.float> -> memref<?xf64, "host">
  %1 = offload.marshal_records %x, %y : (tensor<?xsi8>, tensor<?x!dyn.float>) -> memref<?x!offload.record<"Page", ["kind", "rank"], [i8, f64]>, "host">
  %2 = offload.copy_in %1 : memref<?x!offload.record<"Page", ["kind", "rank"], [i8, f64]>, "host"> -> memref<?x!offload.record<"Page", ["kind", "rank"], [i8, f64]>>
  %4 = offload.present %y in "Page" at 8 because "asked for" : tensor<?x!dyn.float> -> memref<?xf64>
  %5 = offload.present_records shared %x, %y : (tensor<?xsi8>, tensor<?x!dyn.float>) -> memref<?x!offload.record<"Page", ["kind", "rank"], [i8, f64]>>
  %3 = offload.load_member %2[%i] "rank" : memref<?x!offload.record<"Page", ["kind", "rank"], [i8, f64]>> -> f64
  func.return
}
// CHECK-LABEL: @records
// CHECK-NEXT:    offload.marshal %{{.*}} in "Page" at 8 because "read together" : tensor<?x!dyn.float> -> memref<?xf64, "host">
// CHECK-NEXT:    %[[H:.*]] = offload.marshal_records %{{.*}}, %{{.*}} : (tensor<?xsi8>, tensor<?x!dyn.float>) -> memref<?x!offload.record<"Page", ["kind", "rank"], [i8, f64]>, "host">
// CHECK-NEXT:    %[[B:.*]] = offload.copy_in %[[H]]
// CHECK-NEXT:    offload.present %{{.*}} in "Page" at 8 because "asked for" : tensor<?x!dyn.float> -> memref<?xf64>
// CHECK-NEXT:    offload.present_records shared %{{.*}}, %{{.*}} : (tensor<?xsi8>, tensor<?x!dyn.float>) -> memref<?x!offload.record<"Page", ["kind", "rank"], [i8, f64]>>
// CHECK-NEXT:    offload.load_member %[[B]][%{{.*}}] "rank" : memref<?x!offload.record<"Page", ["kind", "rank"], [i8, f64]>> -> f64
// GENERIC-LABEL: sym_name = "records"
// GENERIC:         "offload.marshal"(%{{.*}}) <{record = "Page", offset = 8 : i64, reason = "read together"}> : (tensor<?x!dyn.float>) -> memref<?xf64, "host">
// GENERIC:         "offload.marshal_records"
// GENERIC:         "offload.present"(%{{.*}}) <{record = "Page", offset = 8 : i64, reason = "asked for"}>
// GENERIC:         "offload.present_records"(%{{.*}}, %{{.*}}) <{shared}>
// GENERIC:         "offload.load_member"(%{{.*}}, %{{.*}}) <{member = "rank"}>
// CANON-LABEL: @records
// CANON-NOT:     "Page" at 8
// CANON:         offload.marshal_records

// -----

/// Copies and a launch that may be done in parts.
func.func @parts(%x: tensor<?xf32>, %n: index) {
  %h = offload.marshal %x : tensor<?xf32> -> memref<?xf32, "host">
  %b = offload.copy_in %h in_parts : memref<?xf32, "host"> -> memref<?xf32>
  %o = offload.alloc %n : memref<?xf32>
  offload.launch @kernels::@saxpy over %n group 256 tail "guard" in_parts (%b, %o : memref<?xf32>, memref<?xf32>)
  %r = offload.copy_out %o in_parts : memref<?xf32> -> memref<?xf32, "host">
  func.return
}
// CHECK-LABEL: @parts
// CHECK:         offload.copy_in %{{.*}} in_parts : memref<?xf32, "host"> -> memref<?xf32>
// CHECK:         offload.launch @kernels::@saxpy over %{{.*}} group 256 tail "guard" in_parts (%{{.*}}, %{{.*}} : memref<?xf32>, memref<?xf32>)
// CHECK:         offload.copy_out %{{.*}} in_parts : memref<?xf32> -> memref<?xf32, "host">
// GENERIC-LABEL: sym_name = "parts"
// GENERIC:         "offload.copy_in"(%{{.*}}) <{in_parts}> : (memref<?xf32, "host">) -> memref<?xf32>
// GENERIC:         "offload.copy_out"(%{{.*}}) <{in_parts}> : (memref<?xf32>) -> memref<?xf32, "host">
// CANON-LABEL: @parts
// CANON:         offload.launch
