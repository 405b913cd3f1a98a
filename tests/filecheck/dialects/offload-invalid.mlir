// RUN: hetc-opt %s --split-input-file --verify-diagnostics | filecheck %s

/// A sequence has a start and a step, but no end of its own.
func.func @part(%r: !skel.sequence<!dyn.int>) {
  %0 = offload.scalar "stop" of %r : !skel.sequence<!dyn.int> -> i64
  func.return
}
// CHECK: unknown part 'stop', expected value, real, imag, start or step

// -----

func.func @tail(%n: index) {
  offload.launch @kernels::@f over %n group 64 tail "mask" ()
  func.return
}
// CHECK: unknown tail 'mask', expected one of exact, guard, split

// -----

func.func @group(%n: index) {
  offload.launch @kernels::@f over %n group -1 tail "exact" ()
  func.return
}
// CHECK: a work-group size is not negative

// -----

func.func @layout(%n: index) {
  offload.launch @kernels::@f over %n group 64 tail "split" layouts [array<i64: 8, 8>] ()
  func.return
}
// CHECK: a layout is a size, or one for each of the box, of a launch that is split

// -----

func.func @layout_of_exact(%n: index) {
  offload.launch @kernels::@f over %n group 64 tail "exact" layouts [array<i64: 8>] ()
  func.return
}
// CHECK: a layout is a size, or one for each of the box, of a launch that is split

// -----

func.func @box(%n: index) {
  offload.launch @kernels::@f over %n box %n, %n from %n group 1 tail "exact" ()
  func.return
}
// CHECK: a box has up to three sizes, and begins at as many indices

// -----

func.func @stride(%x: tensor<?xf32>) {
  %0 = offload.marshal %x stride 1 : tensor<?xf32> -> memref<?xf32, "host">
  func.return
}
// CHECK: numbers that follow each other have no stride

// -----

/// Sizes are of type `index`.
func.func @count(%n: i64) {
  %0 = "offload.alloc"(%n) : (i64) -> memref<?xf32>
  func.return
}
// CHECK: operand 'count' at position 0 does not verify:

// -----

/// Flags are a buffer.
func.func @flags(%x: tensor<?xi32>) {
  "offload.check_guards"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<?xi32>) -> ()
  func.return
}
// CHECK: operand 'flags' at position 0 does not verify:

// -----

func.func @marks(%f: memref<?xi32>, %m: memref<?xi8>) {
  "offload.check_guards"(%f, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (memref<?xi32>, memref<?xi8>) -> ()
  func.return
}
// CHECK: marks need the number of elements that each stands for

// -----

func.func @pick(%x: tensor<?xf32>, %h: memref<?xi64, "host">) {
  %0 = offload.pick "list" "columns" at %h of (%x : tensor<?xf32>) : memref<?xi64, "host">
  func.return
}
// CHECK: unknown parts 'columns', expected elements or rows

// -----

func.func @pick_elements(%x: tensor<?xf32>, %h: memref<?xi64, "host">) {
  %0 = offload.pick "list" "elements" at %h of (%x, %x : tensor<?xf32>, tensor<?xf32>) : memref<?xi64, "host">
  func.return
}
// CHECK: elements are those of one input, not of 2

// -----

func.func @holder() {
  offload.variable "x" "nobody"
  func.return
}
// CHECK: unknown holder 'nobody', expected one of argument, local, anyone

// -----

func.func @overwrites() {
  offload.region 0 reads ["x"] writes [] overwrites ["x"] line 1
  func.return
}
// CHECK: the region overwrites all of 'x', and does no more with it

// -----

func.func @gives() {
  offload.call 0 "f" reads [] writes [] makes [] gives "list" arguments [] line 1
  func.return
}
// CHECK: unknown value 'list', expected one of array, array1, array2, array3, number, any

// -----

func.func @makes() {
  offload.call 0 "f" reads [] writes [] makes ["x"] gives "number" arguments [] line 1
  func.return
}
// CHECK: a call that gives a number makes no array

// -----

func.func @way() {
  offload.leave returns [] line 1 transfers [#offload.transfer<"x", "up", "kept", "why">]
}
// CHECK: unknown way 'up', expected one of in, out, device

// -----

func.func @decision() {
  offload.leave returns [] line 1 transfers [#offload.transfer<"x", "in", "delayed", "why">]
}
// CHECK: unknown decision 'delayed', expected one of kept, first, removed

// -----

func.func @areas(%n: index) {
  %state, %left, %a = offload.heap over %n areas [2] : memref<?xi64>
  func.return
}
// CHECK: the areas have as many arrays as there are buffers

// -----

func.func @state(%state: memref<?xi64>) {
  offload.drain %state after @kernels::@f areas [0]
  func.return
}
// CHECK: what is drained is a heap's state

// -----

func.func @part_of_an_area(%n: index) {
  %state, %left, %a, %b = offload.heap over %n areas [2] : memref<?xi64>, memref<?xf64>
  %x = offload.drain %state after @kernels::@f areas [1] : memref<?xi64, "host">
  func.return
}
// CHECK: of each area of the heap all arrays are drained, or none

// -----

func.func @drained(%n: index) {
  %state, %left, %a = offload.heap over %n areas [1] : memref<?xi64>
  offload.drain %state after @kernels::@f areas [1]
  func.return
}
// CHECK: the areas have as many arrays as there are results

// -----

func.func @twice() {
  offload.each_batch carrying ["total", "total"]
  func.return
}
// CHECK: a captured variable is what one number of the batch before has come to

// -----

func.func @no_place(%x: tensor<?xf32>) {
  %0 = offload.marshal %x in "Page" : tensor<?xf32> -> memref<?xf32, "host">
  func.return
}
// CHECK: a number of a record has a place in it

// -----

func.func @no_place_present(%x: tensor<?xf32>) {
  %0 = offload.present %x in "Page" : tensor<?xf32> -> memref<?xf32>
  func.return
}
// CHECK: a number of a record has a place in it

// -----

func.func @no_records_present(%x: tensor<?xf32>) {
  %0 = offload.present_records %x : (tensor<?xf32>) -> memref<?x!offload.record<"P", ["a", "b"], [f32, f32]>>
  func.return
}
// CHECK: the result is an array of records, with a number for each source

// -----

func.func @both(%x: tensor<?xf32>) {
  %0 = offload.marshal %x stride 2 in "Page" at 0 : tensor<?xf32> -> memref<?xf32, "host">
  func.return
}
// CHECK: numbers are put into records, or used where they lie

// -----

func.func @no_records(%x: tensor<?xf32>) {
  %0 = offload.marshal_records %x : (tensor<?xf32>) -> memref<?xf32, "host">
  func.return
}
// CHECK: the result is an array of records, with a number for each source

// -----

func.func @no_member(%x: memref<?x!offload.record<"P", ["a"], [f32]>>, %i: index) {
  %0 = offload.load_member %x[%i] "b" : memref<?x!offload.record<"P", ["a"], [f32]>> -> f32
  func.return
}
// CHECK: there is no number 'b' in

// -----

func.func @other_type(%x: memref<?x!offload.record<"P", ["a"], [f32]>>, %i: index) {
  %0 = offload.load_member %x[%i] "a" : memref<?x!offload.record<"P", ["a"], [f32]>> -> f64
  func.return
}
// CHECK: the number 'a' is a f32

// -----

func.func @no_name(%x: memref<?x!offload.record<"P", ["a"], [f32, f32]>>) {
  func.return
}
// CHECK: a record has a name for each of its numbers, and at least one

// -----

func.func @same_names(%x: memref<?x!offload.record<"P", ["a", "a"], [f32, f32]>>) {
  func.return
}
// CHECK: the numbers of a record have names of their own

// -----

func.func @no_struct(%x: memref<?x!offload.record<"P", ["a"], [f16]>>) {
  func.return
}
// CHECK: the numbers of a record are integers and floats of one, two, four or eight bytes
