// RUN: hetc-opt %s --split-input-file --verify-diagnostics | filecheck %s

func.func @an_item_of_another_type(%list: !heap.list<!dyn.int>, %x: f64) {
  %longer = heap.append %list, (%x : f64) : !heap.list<!dyn.int>
  func.return
}
// CHECK: an item of !heap.list<!dyn.int> is stored as i64, not f64

// -----

func.func @too_few_parts(%list: !heap.list<tuple<!dyn.int, !dyn.float>>, %k: i64) {
  %x = heap.load %list[%k] : !heap.list<tuple<!dyn.int, !dyn.float>> -> i64
  func.return
}
// CHECK: an item of !heap.list<tuple<!dyn.int, !dyn.float>> is stored as i64, f64, not i64

// -----

func.func @a_store_of_another_type(%list: !heap.list<!dyn.int>, %k: i64, %x: i1) {
  heap.store %list[%k], (%x : i1) : !heap.list<!dyn.int>
  func.return
}
// CHECK: an item of !heap.list<!dyn.int> is stored as i64, not i1

// -----

func.func @lists_in_a_list(%list: !heap.list<!heap.list<!dyn.int>>) {
  func.return
}
// CHECK: a list in the heap holds numbers, and tuples of them: !heap.list<!dyn.int> is not the source type of a number

// -----

func.func @nothing_in_it(%list: !heap.list<tuple<>>) {
  func.return
}
// CHECK: a list in the heap has something to store for each item
