// RUN: hetc-opt %s --split-input-file -p reserve-lists | filecheck %s

/// Each iteration appends one item: there are as many as the loop has iterations.
func.func @each(%n: i64) -> !heap.list<!dyn.int> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %empty = heap.new %zero : !heap.list<!dyn.int>
  %list = scf.for %k = %zero to %n step %one iter_args(%l = %empty) -> (!heap.list<!dyn.int>) : i64 {
    %longer = heap.append %l, (%k : i64) : !heap.list<!dyn.int>
    scf.yield %longer : !heap.list<!dyn.int>
  }
  func.return %list : !heap.list<!dyn.int>
}
// CHECK-LABEL: @each
// CHECK:         %[[COUNT:.*]] = arith.subi %[[N:.*]], %[[LOW:.*]] : i64
// CHECK-NEXT:    %[[RUNS:.*]] = arith.cmpi slt, %[[LOW]], %[[N]] : i64
// CHECK-NEXT:    %[[ROOM:.*]] = arith.select %[[RUNS]], %[[COUNT]], %{{.*}} : i64
// CHECK-NEXT:    %[[NEW:.*]] = heap.new %[[ROOM]] : !heap.list<!dyn.int>
// CHECK-NEXT:    scf.for %[[K:.*]] = %{{.*}} to %[[N]] step %{{.*}} iter_args(%[[L:.*]] = %[[NEW]])
// CHECK-NEXT:      heap.append %[[L]], (%[[K]] : i64) in_room

// -----

/// With a step there are fewer: those before the last one, and the last one. The count has no sign, so it cannot wrap.
func.func @step(%low: i64, %high: i64, %step: i64, %zero: i64) -> !heap.list<!dyn.int> {
  %none = arith.constant 0 : i64
  %empty = heap.new %none : !heap.list<!dyn.int>
  %list = scf.for %k = %low to %high step %step iter_args(%l = %empty) -> (!heap.list<!dyn.int>) : i64 {
    %longer = heap.append %l, (%k : i64) : !heap.list<!dyn.int>
    scf.yield %longer : !heap.list<!dyn.int>
  }
  func.return %list : !heap.list<!dyn.int>
}
// CHECK-LABEL: @step
// CHECK:         %[[SPAN:.*]] = arith.subi %[[HIGH:.*]], %[[LOW:.*]] : i64
// CHECK-NEXT:    %[[LESS:.*]] = arith.subi %[[SPAN]], %[[ONE:.*]] : i64
// CHECK-NEXT:    %[[BEFORE:.*]] = arith.divui %[[LESS]], %[[STEP:.*]] : i64
// CHECK-NEXT:    %[[COUNT:.*]] = arith.addi %[[BEFORE]], %[[ONE]] : i64
// CHECK-NEXT:    %[[RUNS:.*]] = arith.cmpi slt, %[[LOW]], %[[HIGH]] : i64
// CHECK-NEXT:    arith.select %[[RUNS]], %[[COUNT]]

// -----

/// Near misses. Under a condition an iteration may append nothing, so the list grows.
func.func @condition(%n: i64, %some: i1) -> !heap.list<!dyn.int> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %empty = heap.new %zero : !heap.list<!dyn.int>
  %list = scf.for %k = %zero to %n step %one iter_args(%l = %empty) -> (!heap.list<!dyn.int>) : i64 {
    %next = scf.if %some -> (!heap.list<!dyn.int>) {
      %longer = heap.append %l, (%k : i64) : !heap.list<!dyn.int>
      scf.yield %longer : !heap.list<!dyn.int>
    } else {
      scf.yield %l : !heap.list<!dyn.int>
    }
    scf.yield %next : !heap.list<!dyn.int>
  }
  func.return %list : !heap.list<!dyn.int>
}
// CHECK-LABEL: @condition
// CHECK-NOT:     in_room

// -----

/// Two items an iteration; and a list that has items already, whose room is its own.
func.func @twice(%n: i64, %given: !heap.list<!dyn.int>) -> (!heap.list<!dyn.int>, !heap.list<!dyn.int>) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %empty = heap.new %zero : !heap.list<!dyn.int>
  %a, %b = scf.for %k = %zero to %n step %one iter_args(%l = %empty, %m = %given) -> (!heap.list<!dyn.int>, !heap.list<!dyn.int>) : i64 {
    %longer = heap.append %l, (%k : i64) : !heap.list<!dyn.int>
    %longest = heap.append %longer, (%k : i64) : !heap.list<!dyn.int>
    %other = heap.append %m, (%k : i64) : !heap.list<!dyn.int>
    scf.yield %longest, %other : !heap.list<!dyn.int>, !heap.list<!dyn.int>
  }
  func.return %a, %b : !heap.list<!dyn.int>, !heap.list<!dyn.int>
}
// CHECK-LABEL: @twice
// CHECK-NOT:     in_room
