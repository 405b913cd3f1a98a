// RUN: hetc-opt %s --split-input-file -p transfer-elimination | filecheck %s
// RUN: hetc-opt %s --split-input-file -p transfer-elimination,transfer-elimination | filecheck %s

/// Two regions in a row: what the first brings in or writes, the second finds on the device. Each array comes back
/// once.
func.func @straight() {
  offload.variable "x" "argument"
  offload.variable "y" "argument"
  offload.region 0 reads ["x"] writes ["y"] overwrites [] line 2
  offload.region 1 reads ["x", "y"] writes [] overwrites [] line 4
  offload.leave returns [] line 6
}
// CHECK-LABEL: func.func @straight
// CHECK:       offload.region {{.*}}line 2
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"x", "out", "removed", "the region does not write it">
// CHECK-SAME:    <"y", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"y", "out", "delayed", "until the return in line 6">
// CHECK:       offload.region {{.*}}line 4
// CHECK-SAME:    <"x", "in", "removed", "the device has a right copy">
// CHECK-SAME:    <"x", "out", "removed", "the region does not write it">
// CHECK-SAME:    <"y", "in", "removed", "the device has a right copy">
// CHECK-SAME:    <"y", "out", "removed", "the region does not write it">
// CHECK:       offload.leave {{.*}}line 6
// CHECK-SAME:    <"x", "out", "removed", "the host has a right copy">
// CHECK-SAME:    <"y", "out", "kept", "the device may have written it since">

// -----

/// The near miss: the host writes one of them in between.
func.func @straight_written() {
  offload.variable "x" "argument"
  offload.variable "y" "argument"
  offload.region 0 reads ["x"] writes ["y"] overwrites [] line 2
  offload.host_write ["x"] line 3 column 4
  offload.region 1 reads ["x", "y"] writes [] overwrites [] line 4
  offload.leave returns [] line 6
}
// CHECK-LABEL: func.func @straight_written
// CHECK:       offload.region {{.*}}line 2
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"x", "out", "removed", "the region does not write it">
// CHECK-SAME:    <"y", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"y", "out", "delayed", "until the return in line 6">
// CHECK:       offload.host_write {{.*}}line 3
// CHECK-SAME:    <"x", "out", "removed", "the host has a right copy">
// CHECK-SAME:    <"x", "device", "dropped", "the host may write it">
// CHECK:       offload.region {{.*}}line 4
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"x", "out", "removed", "the region does not write it">
// CHECK-SAME:    <"y", "in", "removed", "the device has a right copy">
// CHECK-SAME:    <"y", "out", "removed", "the region does not write it">
// CHECK:       offload.leave {{.*}}line 6
// CHECK-SAME:    <"x", "out", "removed", "the host has a right copy">
// CHECK-SAME:    <"y", "out", "kept", "the device may have written it since">

// -----

/// The first round of a loop brings in what it works on, the last one leaves it to the return: nothing moves in
/// between.
func.func @loop() {
  offload.variable "x" "argument"
  offload.branch ^bb1
^bb1:
  offload.branch ^bb2, ^bb3
^bb2:
  offload.region 0 reads [] writes ["x"] overwrites [] line 3
  offload.branch ^bb1
^bb3:
  offload.leave returns [] line 5
}
// CHECK-LABEL: func.func @loop
// CHECK:       offload.region {{.*}}line 3
// CHECK-SAME:    <"x", "in", "first", "on some paths the device has a right copy">
// CHECK-SAME:    <"x", "out", "delayed", "until the return in line 5">
// CHECK:       offload.leave {{.*}}line 5
// CHECK-SAME:    <"x", "out", "kept", "the device may have written it since">

// -----

/// The near miss: the host reads in each round, so each brings back; the device's copy stays right.
func.func @loop_read() {
  offload.variable "x" "argument"
  offload.branch ^bb1
^bb1:
  offload.branch ^bb2, ^bb3
^bb2:
  offload.region 0 reads [] writes ["x"] overwrites [] line 3
  offload.host_read ["x"] line 5 column 8
  offload.branch ^bb1
^bb3:
  offload.leave returns [] line 6
}
// CHECK-LABEL: func.func @loop_read
// CHECK:       offload.region {{.*}}line 3
// CHECK-SAME:    <"x", "in", "first", "on some paths the device has a right copy">
// CHECK-SAME:    <"x", "out", "delayed", "until line 5">
// CHECK:       offload.host_read {{.*}}line 5
// CHECK-SAME:    <"x", "out", "kept", "the device may have written it since">
// CHECK:       offload.leave {{.*}}line 6
// CHECK-SAME:    <"x", "out", "removed", "the host has a right copy">

// -----

/// A branch that works on the array: after it, the device's copy may be right or not, and the host's, too.
func.func @branch() {
  offload.variable "x" "argument"
  offload.branch ^bb1, ^bb2
^bb1:
  offload.region 0 reads [] writes ["x"] overwrites [] line 3
  offload.branch ^bb2
^bb2:
  offload.region 1 reads ["x"] writes [] overwrites [] line 5
  offload.host_read ["x"] line 7 column 4
  offload.leave returns [] line 8
}
// CHECK-LABEL: func.func @branch
// CHECK:       offload.region {{.*}}line 3
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"x", "out", "delayed", "until line 7">
// CHECK:       offload.region {{.*}}line 5
// CHECK-SAME:    <"x", "in", "first", "on some paths the device has a right copy">
// CHECK-SAME:    <"x", "out", "removed", "the region does not write it">
// CHECK:       offload.host_read {{.*}}line 7
// CHECK-SAME:    <"x", "out", "kept", "the device may have written it since">
// CHECK:       offload.leave {{.*}}line 8
// CHECK-SAME:    <"x", "out", "removed", "the host has a right copy">

// -----

/// The near miss: both branches work on it, so that the device's copy is right on all paths.
func.func @branch_both() {
  offload.variable "x" "argument"
  offload.branch ^bb1, ^bb2
^bb1:
  offload.region 0 reads [] writes ["x"] overwrites [] line 3
  offload.branch ^bb3
^bb2:
  offload.region 1 reads ["x"] writes [] overwrites [] line 6
  offload.branch ^bb3
^bb3:
  offload.region 2 reads ["x"] writes [] overwrites [] line 8
  offload.leave returns [] line 8
}
// CHECK-LABEL: func.func @branch_both
// CHECK:       offload.region {{.*}}line 3
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"x", "out", "delayed", "until the return in line 8">
// CHECK:       offload.region {{.*}}line 6
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"x", "out", "removed", "the region does not write it">
// CHECK:       offload.region {{.*}}line 8
// CHECK-SAME:    <"x", "in", "removed", "the device has a right copy">
// CHECK-SAME:    <"x", "out", "removed", "the region does not write it">
// CHECK:       offload.leave {{.*}}line 8
// CHECK-SAME:    <"x", "out", "kept", "the device may have written it since">

// -----

/// A host read is a copy where the device has written since; a second one finds the host's copy right.
func.func @host_read() {
  offload.variable "x" "argument"
  offload.region 0 reads [] writes ["x"] overwrites [] line 2
  offload.host_read ["x"] line 4 column 4
  offload.host_read ["x"] line 5 column 4
  offload.leave returns [] line 6
}
// CHECK-LABEL: func.func @host_read
// CHECK:       offload.region {{.*}}line 2
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"x", "out", "delayed", "until line 4">
// CHECK:       offload.host_read {{.*}}line 4
// CHECK-SAME:    <"x", "out", "kept", "the device may have written it since">
// CHECK:       offload.host_read {{.*}}line 5
// CHECK-SAME:    <"x", "out", "removed", "the host has a right copy">
// CHECK:       offload.leave {{.*}}line 6
// CHECK-SAME:    <"x", "out", "removed", "the host has a right copy">

// -----

/// The near miss: the region has only read.
func.func @host_read_of_what_is_only_read() {
  offload.variable "x" "argument"
  offload.region 0 reads ["x"] writes [] overwrites [] line 2
  offload.host_read ["x"] line 4 column 4
  offload.leave returns [] line 6
}
// CHECK-LABEL: func.func @host_read_of_what_is_only_read
// CHECK:       offload.region {{.*}}line 2
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"x", "out", "removed", "the region does not write it">
// CHECK:       offload.host_read {{.*}}line 4
// CHECK-SAME:    <"x", "out", "removed", "the host has a right copy">
// CHECK:       offload.leave {{.*}}line 6
// CHECK-SAME:    <"x", "out", "removed", "the host has a right copy">

// -----

/// What the host writes is brought back first, since it may write some elements, and dropped on the device.
func.func @host_write() {
  offload.variable "x" "argument"
  offload.region 0 reads [] writes ["x"] overwrites [] line 2
  offload.host_write ["x"] line 4 column 4
  offload.region 1 reads ["x"] writes [] overwrites [] line 5
  offload.leave returns [] line 6
}
// CHECK-LABEL: func.func @host_write
// CHECK:       offload.region {{.*}}line 2
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"x", "out", "delayed", "until line 4">
// CHECK:       offload.host_write {{.*}}line 4
// CHECK-SAME:    <"x", "out", "kept", "the device may have written it since">
// CHECK-SAME:    <"x", "device", "dropped", "the host may write it">
// CHECK:       offload.region {{.*}}line 5
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"x", "out", "removed", "the region does not write it">
// CHECK:       offload.leave {{.*}}line 6
// CHECK-SAME:    <"x", "out", "removed", "the host has a right copy">

// -----

/// The near miss: before any region there is nothing to bring back or drop.
func.func @host_write_first() {
  offload.variable "x" "argument"
  offload.host_write ["x"] line 2 column 4
  offload.region 0 reads ["x"] writes [] overwrites [] line 3
  offload.leave returns [] line 6
}
// CHECK-LABEL: func.func @host_write_first
// CHECK:       offload.host_write {{.*}}line 2
// CHECK-SAME:    <"x", "out", "removed", "the host has a right copy">
// CHECK:       offload.region {{.*}}line 3
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"x", "out", "removed", "the region does not write it">
// CHECK:       offload.leave {{.*}}line 6
// CHECK-SAME:    <"x", "out", "removed", "the host has a right copy">

// -----

/// An alias: a view of what a region has written is read, and written.
func.func @alias() {
  offload.variable "x" "argument"
  offload.variable "row" "local"
  offload.alias "row" "x"
  offload.region 0 reads [] writes ["x"] overwrites [] line 2
  offload.host_read ["row"] line 4 column 4
  offload.host_write ["row"] line 5 column 4
  offload.region 1 reads ["x"] writes [] overwrites [] line 6
  offload.leave returns [] line 8
}
// CHECK-LABEL: func.func @alias
// CHECK:       offload.region {{.*}}line 2
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"x", "out", "delayed", "until line 4, line 5, the return in line 8">
// CHECK:       offload.host_read {{.*}}line 4
// CHECK-SAME:    <"row", "out", "kept", "the device may have written it since">
// CHECK:       offload.host_write {{.*}}line 5
// CHECK-SAME:    <"row", "out", "kept", "the device may have written it since">
// CHECK-SAME:    <"row", "device", "dropped", "the host may write it">
// CHECK:       offload.region {{.*}}line 6
// CHECK-SAME:    <"x", "in", "first", "on some paths the device has a right copy">
// CHECK-SAME:    <"x", "out", "removed", "the region does not write it">
// CHECK:       offload.leave {{.*}}line 8
// CHECK-SAME:    <"x", "out", "kept", "the device may have written it since">

// -----

/// The near miss: an array of its own.
func.func @no_alias() {
  offload.variable "x" "argument"
  offload.variable "row" "local"
  offload.region 0 reads [] writes ["x"] overwrites [] line 2
  offload.host_read ["row"] line 4 column 4
  offload.region 1 reads ["x"] writes [] overwrites [] line 6
  offload.leave returns [] line 8
}
// CHECK-LABEL: func.func @no_alias
// CHECK:       offload.region {{.*}}line 2
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"x", "out", "delayed", "until the return in line 8">
// CHECK:       offload.host_read {{.*}}line 4
// CHECK-SAME:    <"row", "out", "removed", "the host has a right copy">
// CHECK:       offload.region {{.*}}line 6
// CHECK-SAME:    <"x", "in", "removed", "the device has a right copy">
// CHECK-SAME:    <"x", "out", "removed", "the region does not write it">
// CHECK:       offload.leave {{.*}}line 8
// CHECK-SAME:    <"x", "out", "kept", "the device may have written it since">

// -----

/// A call that is not seen is a barrier: all arrays come back, and are brought in again.
func.func @call() {
  offload.variable "x" "argument"
  offload.variable "y" "argument"
  offload.region 0 reads ["y"] writes ["x"] overwrites [] line 2
  offload.host_any "calls update" line 4 column 4
  offload.region 1 reads ["x", "y"] writes [] overwrites [] line 5
  offload.leave returns [] line 6
}
// CHECK-LABEL: func.func @call
// CHECK:       offload.region {{.*}}line 2
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"x", "out", "delayed", "until line 4">
// CHECK-SAME:    <"y", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"y", "out", "removed", "the region does not write it">
// CHECK:       offload.host_any {{.*}}line 4
// CHECK-SAME:    <"x", "out", "kept", "the device may have written it since">
// CHECK-SAME:    <"x", "device", "dropped", "the host may write it">
// CHECK-SAME:    <"y", "out", "removed", "the host has a right copy">
// CHECK-SAME:    <"y", "device", "dropped", "the host may write it">
// CHECK:       offload.region {{.*}}line 5
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"x", "out", "removed", "the region does not write it">
// CHECK-SAME:    <"y", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"y", "out", "removed", "the region does not write it">
// CHECK:       offload.leave {{.*}}line 6
// CHECK-SAME:    <"x", "out", "removed", "the host has a right copy">
// CHECK-SAME:    <"y", "out", "removed", "the host has a right copy">

// -----

/// The near miss: it comes before any region.
func.func @call_first() {
  offload.variable "x" "argument"
  offload.host_any "calls update" line 2 column 4
  offload.region 0 reads [] writes ["x"] overwrites [] line 3
  offload.leave returns [] line 6
}
// CHECK-LABEL: func.func @call_first
// CHECK:       offload.host_any {{.*}}line 2
// CHECK-SAME:    <"x", "out", "removed", "the host has a right copy">
// CHECK:       offload.region {{.*}}line 3
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"x", "out", "delayed", "until the return in line 6">
// CHECK:       offload.leave {{.*}}line 6
// CHECK-SAME:    <"x", "out", "kept", "the device may have written it since">

// -----

/// An exception edge: where it is caught, the region may have run or not. The host's read there is a copy.
func.func @exception() {
  offload.variable "x" "argument"
  offload.branch ^bb1, ^bb3
^bb1:
  offload.region 0 reads [] writes ["x"] overwrites [] line 3
  offload.branch ^bb2, ^bb3
^bb2:
  offload.leave returns [] line 5
^bb3:
  offload.host_read ["x"] line 7 column 8
  offload.leave returns [] line 8
}
// CHECK-LABEL: func.func @exception
// CHECK:       offload.region {{.*}}line 3
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"x", "out", "delayed", "until line 7, the return in line 5">
// CHECK:       offload.leave {{.*}}line 5
// CHECK-SAME:    <"x", "out", "kept", "the device may have written it since">
// CHECK:       offload.host_read {{.*}}line 7
// CHECK-SAME:    <"x", "out", "kept", "the device may have written it since">
// CHECK:       offload.leave {{.*}}line 8
// CHECK-SAME:    <"x", "out", "removed", "the host has a right copy">

// -----

/// The near miss: no exception may come after the region. (One that leaves the function has no edge: it brings back
/// all.)
func.func @exception_before() {
  offload.variable "x" "argument"
  offload.branch ^bb1, ^bb3
^bb1:
  offload.region 0 reads [] writes ["x"] overwrites [] line 3
  offload.leave returns [] line 5
^bb3:
  offload.host_read ["x"] line 7 column 8
  offload.leave returns [] line 8
}
// CHECK-LABEL: func.func @exception_before
// CHECK:       offload.region {{.*}}line 3
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"x", "out", "delayed", "until the return in line 5">
// CHECK:       offload.leave {{.*}}line 5
// CHECK-SAME:    <"x", "out", "kept", "the device may have written it since">
// CHECK:       offload.host_read {{.*}}line 7
// CHECK-SAME:    <"x", "out", "removed", "the host has a right copy">
// CHECK:       offload.leave {{.*}}line 8
// CHECK-SAME:    <"x", "out", "removed", "the host has a right copy">

// -----

/// An exception that is not caught brings everything back, whoever holds it.
func.func @raised() {
  offload.variable "t" "local"
  offload.region 0 reads [] writes ["t"] overwrites [] line 3
  offload.branch ^bb1, ^bb2
^bb1:
  offload.raise line 5
^bb2:
  offload.leave returns [] line 8
}
// CHECK-LABEL: func.func @raised
// CHECK:       offload.region {{.*}}line 3
// CHECK-SAME:    <"t", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"t", "out", "delayed", "until the exception in line 5">
// CHECK:       offload.leave {{.*}}line 8 {{.*}}transfers []

// -----

/// An early return brings back what its caller can see, as the last one does; not what is the function's own.
func.func @early_return() {
  offload.variable "x" "argument"
  offload.variable "t" "local"
  offload.new "t"
  offload.region 0 reads ["x"] writes [] overwrites ["t"] line 2
  offload.branch ^bb1, ^bb2
^bb1:
  offload.leave returns [] line 5
^bb2:
  offload.region 1 reads ["t"] writes ["x"] overwrites [] line 6
  offload.leave returns [] line 8
}
// CHECK-LABEL: func.func @early_return
// CHECK:       offload.region {{.*}}line 2
// CHECK-SAME:    <"t", "in", "removed", "the region overwrites all of it">
// CHECK-SAME:    <"t", "out", "removed", "nobody looks at it">
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"x", "out", "removed", "the region does not write it">
// CHECK:       offload.leave {{.*}}line 5
// CHECK-SAME:    <"x", "out", "removed", "the host has a right copy">
// CHECK:       offload.region {{.*}}line 6
// CHECK-SAME:    <"t", "in", "removed", "the device has a right copy">
// CHECK-SAME:    <"t", "out", "removed", "the region does not write it">
// CHECK-SAME:    <"x", "in", "removed", "the device has a right copy">
// CHECK-SAME:    <"x", "out", "delayed", "until the return in line 8">
// CHECK:       offload.leave {{.*}}line 8
// CHECK-SAME:    <"x", "out", "kept", "the device may have written it since">

// -----

/// The near miss: the early return returns it.
func.func @early_return_of_it() {
  offload.variable "x" "argument"
  offload.variable "t" "local"
  offload.new "t"
  offload.region 0 reads ["x"] writes [] overwrites ["t"] line 2
  offload.branch ^bb1, ^bb2
^bb1:
  offload.leave returns ["t"] line 5
^bb2:
  offload.region 1 reads ["t"] writes ["x"] overwrites [] line 6
  offload.leave returns [] line 8
}
// CHECK-LABEL: func.func @early_return_of_it
// CHECK:       offload.region {{.*}}line 2
// CHECK-SAME:    <"t", "in", "removed", "the region overwrites all of it">
// CHECK-SAME:    <"t", "out", "delayed", "until the return in line 5">
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"x", "out", "removed", "the region does not write it">
// CHECK:       offload.leave {{.*}}line 5
// CHECK-SAME:    <"t", "out", "kept", "the device may have written it since">
// CHECK-SAME:    <"x", "out", "removed", "the host has a right copy">
// CHECK:       offload.region {{.*}}line 6
// CHECK-SAME:    <"t", "in", "removed", "the device has a right copy">
// CHECK-SAME:    <"t", "out", "removed", "the region does not write it">
// CHECK-SAME:    <"x", "in", "removed", "the device has a right copy">
// CHECK-SAME:    <"x", "out", "delayed", "until the return in line 8">
// CHECK:       offload.leave {{.*}}line 8
// CHECK-SAME:    <"x", "out", "kept", "the device may have written it since">

// -----

/// What the next region overwrites as a whole need not come back, nor go there.
func.func @overwritten() {
  offload.variable "x" "local"
  offload.region 0 reads [] writes ["x"] overwrites [] line 2
  offload.region 1 reads [] writes [] overwrites ["x"] line 4
  offload.host_read ["x"] line 6 column 4
  offload.leave returns [] line 7
}
// CHECK-LABEL: func.func @overwritten
// CHECK:       offload.region {{.*}}line 2
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"x", "out", "removed", "nobody looks at it">
// CHECK:       offload.region {{.*}}line 4
// CHECK-SAME:    <"x", "in", "removed", "the region overwrites all of it">
// CHECK-SAME:    <"x", "out", "delayed", "until line 6">
// CHECK:       offload.host_read {{.*}}line 6
// CHECK-SAME:    <"x", "out", "kept", "the device may have written it since">
// CHECK:       offload.leave {{.*}}line 7 {{.*}}transfers []

// -----

/// The near miss: there is another array that it may be, which keeps what it has.
func.func @overwritten_perhaps() {
  offload.variable "x" "local"
  offload.variable "y" "local"
  offload.alias "x" "y"
  offload.region 0 reads [] writes ["x"] overwrites [] line 2
  offload.region 1 reads [] writes [] overwrites ["x"] line 4
  offload.host_read ["y"] line 6 column 4
  offload.leave returns [] line 7
}
// CHECK-LABEL: func.func @overwritten_perhaps
// CHECK:       offload.region {{.*}}line 2
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"x", "out", "delayed", "until line 6">
// CHECK:       offload.region {{.*}}line 4
// CHECK-SAME:    <"x", "in", "removed", "the region overwrites all of it">
// CHECK-SAME:    <"x", "out", "delayed", "until line 6">
// CHECK:       offload.host_read {{.*}}line 6
// CHECK-SAME:    <"y", "out", "kept", "the device may have written it since">
// CHECK:       offload.leave {{.*}}line 7 {{.*}}transfers []

// -----

/// In code that is not taken apart, a region's copies are made at once.
func.func @at_once() {
  offload.variable "x" "argument"
  offload.host_any "does what is not seen (With)" line 2 column 4
  offload.region 0 reads [] writes ["x"] overwrites [] at_once "it stands in a with statement" line 3
  offload.leave returns [] line 5
}
// CHECK-LABEL: func.func @at_once
// CHECK:       offload.host_any {{.*}}line 2
// CHECK-SAME:    <"x", "out", "removed", "the host has a right copy">
// CHECK:       offload.region {{.*}}line 3
// CHECK-SAME:    <"x", "in", "kept", "it stands in a with statement">
// CHECK-SAME:    <"x", "out", "kept", "it stands in a with statement">
// CHECK:       offload.leave {{.*}}line 5
// CHECK-SAME:    <"x", "out", "removed", "the host has a right copy">

// -----

/// Who is not declared may be held by anyone. A variable that is bound to a new array has no copy on the device.
func.func @new() {
  offload.region 0 reads [] writes ["t"] overwrites [] line 2
  offload.new "t"
  offload.region 1 reads ["t"] writes [] overwrites [] line 4
  offload.leave returns [] line 5
}
// CHECK-LABEL: func.func @new
// CHECK:       offload.region {{.*}}line 2
// CHECK-SAME:    <"t", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"t", "out", "delayed", "until the return in line 5">
// CHECK:       offload.region {{.*}}line 4
// CHECK-SAME:    <"t", "in", "first", "on some paths the device has a right copy">
// CHECK-SAME:    <"t", "out", "removed", "the region does not write it">
// CHECK:       offload.leave {{.*}}line 5
// CHECK-SAME:    <"t", "out", "kept", "the device may have written it since">

// -----

/// An array function is a region that makes an array: that is on the device for the next one, and nobody else looks.
func.func @calls() {
  offload.variable "x" "argument"
  offload.variable "y" "local"
  offload.call 0 "square" reads ["x"] writes [] makes ["y"] gives "array1" arguments ["x"] line 2
  offload.call 1 "total" reads ["y"] writes [] makes [] gives "number" arguments ["y"] line 3
  offload.leave returns [] line 4
}
// CHECK-LABEL: func.func @calls
// CHECK:       offload.call 0 {{.*}}line 2
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
// CHECK-SAME:    <"x", "out", "removed", "the call does not write it">
// CHECK-SAME:    <"y", "out", "removed", "nobody looks at it">
// CHECK:       offload.call 1 {{.*}}line 3
// CHECK-SAME:    <"y", "in", "removed", "the device has a right copy">
// CHECK:       offload.leave {{.*}}line 4
// CHECK-SAME:    <"x", "out", "removed", "the host has a right copy">

// -----

/// The near miss: it is returned, so it comes back there.
func.func @calls_returned() {
  offload.variable "x" "argument"
  offload.variable "y" "local"
  offload.call 0 "square" reads ["x"] writes [] makes ["y"] gives "array1" arguments ["x"] line 2
  offload.leave returns ["y"] line 3
}
// CHECK-LABEL: func.func @calls_returned
// CHECK:       offload.call 0 {{.*}}line 2
// CHECK-SAME:    <"y", "out", "delayed", "until the return in line 3">
// CHECK:       offload.leave {{.*}}line 3
// CHECK-SAME:    <"y", "out", "kept", "the device may have written it since">

// -----

/// The near miss: without a variable, the host has what a call gives at once, and brings it there for the next one.
func.func @calls_at_once() {
  offload.variable "x" "argument"
  offload.variable "y" "local"
  offload.call 0 "square" reads ["x"] writes [] makes [] gives "array1" arguments ["x"] line 2
  offload.new "y"
  offload.call 1 "total" reads ["y"] writes [] makes [] gives "number" arguments ["y"] line 3
  offload.leave returns [] line 4
}
// CHECK-LABEL: func.func @calls_at_once
// CHECK:       offload.call 1 {{.*}}line 3
// CHECK-SAME:    <"y", "in", "kept", "only the host has a right copy">

// -----

/// A variable that is bound to what is made of itself: each round of a loop finds it on the device but for the first.
func.func @calls_in_a_loop() {
  offload.variable "x" "argument"
  offload.variable "y" "local"
  offload.alias "x" "y"
  offload.branch ^bb1
^bb1:
  offload.branch ^bb2, ^bb3
^bb2:
  offload.call 0 "square" reads ["y"] writes [] makes ["y"] gives "array1" arguments ["y"] line 4
  offload.branch ^bb1
^bb3:
  offload.leave returns ["y"] line 5
}
// CHECK-LABEL: func.func @calls_in_a_loop
// CHECK:       offload.call 0 {{.*}}line 4
// CHECK-SAME:    <"y", "in", "first", "on some paths the device has a right copy">
// CHECK-SAME:    <"y", "out", "delayed", "until the return in line 5">

// -----

/// A function with loops may leave what it is given anywhere: the host asks before it looks, a region need not.
func.func @hands() {
  offload.variable "x" "argument"
  offload.variable "y" "argument"
  offload.call 0 "step" reads [] writes ["x"] makes [] gives "number" arguments ["x"] hands line 2
  offload.region 0 reads ["x", "y"] writes [] overwrites [] line 3
  offload.host_read ["x", "y"] line 5 column 4
  offload.leave returns [] line 6
}
// CHECK-LABEL: func.func @hands
// CHECK:       offload.call 0 {{.*}}line 2
// CHECK-SAME:    <"x", "out", "delayed", "until line 5">
// CHECK:       offload.region 0 {{.*}}line 3
// CHECK-SAME:    <"x", "in", "first", "on some paths the device has a right copy">
// CHECK-SAME:    <"y", "in", "kept", "only the host has a right copy">
// CHECK:       offload.host_read {{.*}}line 5
// CHECK-SAME:    <"x", "out", "kept", "the device may have written it since">
// CHECK-SAME:    <"y", "out", "removed", "the host has a right copy">

// -----

/// In such a function that keeps arrays for its caller, arguments may be anywhere from the start.
func.func @handed() {
  offload.variable "x" "argument"
  offload.handed ["x"]
  offload.host_read ["x"] line 2 column 4
  offload.region 0 reads [] writes ["x"] overwrites [] line 3
  offload.leave returns [] line 5
}
// CHECK-LABEL: func.func @handed
// CHECK:       offload.host_read {{.*}}line 2
// CHECK-SAME:    <"x", "out", "kept", "the device may have written it since">
// CHECK:       offload.region 0 {{.*}}line 3
// CHECK-SAME:    <"x", "in", "first", "on some paths the device has a right copy">

// -----

/// The near miss: called from elsewhere, it finds them on the host.
func.func @not_handed() {
  offload.variable "x" "argument"
  offload.host_read ["x"] line 2 column 4
  offload.region 0 reads [] writes ["x"] overwrites [] line 3
  offload.leave returns [] line 5
}
// CHECK-LABEL: func.func @not_handed
// CHECK:       offload.host_read {{.*}}line 2
// CHECK-SAME:    <"x", "out", "removed", "the host has a right copy">
// CHECK:       offload.region 0 {{.*}}line 3
// CHECK-SAME:    <"x", "in", "kept", "only the host has a right copy">
