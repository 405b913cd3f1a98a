// RUN: hetc-opt %s --split-input-file -p box-elimination | filecheck %s
// RUN: hetc-opt %s --split-input-file -p box-elimination,box-elimination | filecheck %s

/// A pair of box and unbox goes.
func.func @straight(%x: f32) -> f32 {
  %0 = obj.box %x : f32 -> !obj.boxed<f32>
  %1 = obj.unbox %0 : !obj.boxed<f32> -> f32
  %2 = arith.mulf %1, %1 : f32
  %3 = obj.box %2 : f32 -> !obj.boxed<f32>
  %4 = obj.unbox %3 : !obj.boxed<f32> -> f32
  func.return %4 : f32
}
// CHECK-LABEL: func.func @straight
// CHECK-SAME:    (%[[X:.*]]: f32) -> f32
// CHECK-NEXT:    %[[R:.*]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK-NEXT:    func.return %[[R]] : f32

// -----

/// A branch yields payloads: boxes made in one path and before the branch meet.
func.func @branch(%c: i1, %x: f64) -> f64 {
  %0 = obj.box %x : f64 -> !obj.boxed<!dyn.float>
  %1 = scf.if %c -> (!obj.boxed<!dyn.float>) {
    %2 = obj.unbox %0 : !obj.boxed<!dyn.float> -> f64
    %3 = arith.negf %2 : f64
    %4 = obj.box %3 : f64 -> !obj.boxed<!dyn.float>
    scf.yield %4 : !obj.boxed<!dyn.float>
  } else {
    scf.yield %0 : !obj.boxed<!dyn.float>
  }
  %5 = obj.unbox %1 : !obj.boxed<!dyn.float> -> f64
  func.return %5 : f64
}
// CHECK-LABEL: func.func @branch
// CHECK-SAME:    (%[[C:.*]]: i1, %[[X:.*]]: f64)
// CHECK-NEXT:    %[[R:.*]] = scf.if %[[C]] -> (f64) {
// CHECK-NEXT:      %[[N:.*]] = arith.negf %[[X]] : f64
// CHECK-NEXT:      scf.yield %[[N]] : f64
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[X]] : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[R]] : f64

// -----

/// A `for` loop carries payloads of several types.
func.func @for(%n: i64, %x: i32, %t: i1) -> i32 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %0 = obj.box %x : i32 -> !obj.boxed<ui32>
  %1 = obj.box %t : i1 -> !obj.boxed<!dyn.bool>
  %s, %b = scf.for %i = %zero to %n step %one iter_args(%p = %0, %q = %1) -> (!obj.boxed<ui32>, !obj.boxed<!dyn.bool>) : i64 {
    %u = obj.unbox %p : !obj.boxed<ui32> -> i32
    %v = arith.addi %u, %u : i32
    %w = obj.box %v : i32 -> !obj.boxed<ui32>
    scf.yield %w, %q : !obj.boxed<ui32>, !obj.boxed<!dyn.bool>
  }
  %r = obj.unbox %s : !obj.boxed<ui32> -> i32
  func.return %r : i32
}
// CHECK-LABEL: func.func @for
// CHECK-SAME:    (%[[N:.*]]: i64, %[[X:.*]]: i32, %[[T:.*]]: i1)
// CHECK:         %[[S:.*]], %{{.*}} = scf.for %{{.*}} = %{{.*}} to %[[N]] step %{{.*}} iter_args(%[[P:.*]] = %[[X]], %[[Q:.*]] = %[[T]]) -> (i32, i1) : i64 {
// CHECK-NEXT:      %[[V:.*]] = arith.addi %[[P]], %[[P]] : i32
// CHECK-NEXT:      scf.yield %[[V]], %[[Q]] : i32, i1
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[S]] : i32

// -----

/// A `while` loop, in both regions.
func.func @while(%x: f64) -> f64 {
  %0 = obj.box %x : f64 -> !obj.boxed<!dyn.float>
  %1 = scf.while (%p = %0) : (!obj.boxed<!dyn.float>) -> (!obj.boxed<!dyn.float>) {
    %a = obj.unbox %p : !obj.boxed<!dyn.float> -> f64
    %c = arith.cmpf ogt, %a, %x : f64
    %b = obj.box %c : i1 -> !obj.boxed<!dyn.bool>
    %t = obj.unbox %b : !obj.boxed<!dyn.bool> -> i1
    scf.condition(%t) %p : !obj.boxed<!dyn.float>
  } do {
  ^bb0(%q: !obj.boxed<!dyn.float>):
    %d = obj.unbox %q : !obj.boxed<!dyn.float> -> f64
    %e = arith.addf %d, %d : f64
    %f = obj.box %e : f64 -> !obj.boxed<!dyn.float>
    scf.yield %f : !obj.boxed<!dyn.float>
  }
  %2 = obj.unbox %1 : !obj.boxed<!dyn.float> -> f64
  func.return %2 : f64
}
// CHECK-LABEL: func.func @while
// CHECK-SAME:    (%[[X:.*]]: f64)
// CHECK-NEXT:    %[[R:.*]] = scf.while (%[[P:.*]] = %[[X]]) : (f64) -> f64 {
// CHECK-NEXT:      %[[C:.*]] = arith.cmpf ogt, %[[P]], %[[X]] : f64
// CHECK-NEXT:      scf.condition(%[[C]]) %[[P]] : f64
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^{{.*}}(%[[Q:.*]]: f64):
// CHECK-NEXT:      %[[E:.*]] = arith.addf %[[Q]], %[[Q]] : f64
// CHECK-NEXT:      scf.yield %[[E]] : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[R]] : f64

// -----

/// A branch in a loop, in a skeleton: nothing is left of the boxes, and guards keep their conditions.
func.func @nested(%x: tensor<?x!dyn.int>) -> tensor<?x!dyn.int> {
  %z = skel.map(%x) : (tensor<?x!dyn.int>) -> tensor<?x!dyn.int> {
  ^bb0(%e: i64):
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %0 = obj.box %e : i64 -> !obj.boxed<!dyn.int>
    %s = scf.for %i = %zero to %e step %one iter_args(%p = %0) -> (!obj.boxed<!dyn.int>) : i64 {
      %1 = obj.unbox %p : !obj.boxed<!dyn.int> -> i64
      %c = arith.cmpi sgt, %1, %i : i64
      %2 = scf.if %c -> (!obj.boxed<!dyn.int>) {
        %3 = obj.unbox %p : !obj.boxed<!dyn.int> -> i64
        %4 = guard.fits "add" %3, %i : i64
        guard.require %4, overflow, "it fits"
        %5 = arith.addi %3, %i : i64
        %6 = obj.box %5 : i64 -> !obj.boxed<!dyn.int>
        scf.yield %6 : !obj.boxed<!dyn.int>
      } else {
        scf.yield %p : !obj.boxed<!dyn.int>
      }
      scf.yield %2 : !obj.boxed<!dyn.int>
    }
    %7 = obj.unbox %s : !obj.boxed<!dyn.int> -> i64
    skel.yield %7 : i64
  }
  func.return %z : tensor<?x!dyn.int>
}
// CHECK-LABEL: func.func @nested
// CHECK:         ^{{.*}}(%[[E:.*]]: i64):
// CHECK:         %[[S:.*]] = scf.for %[[I:.*]] = %{{.*}} to %[[E]] step %{{.*}} iter_args(%[[P:.*]] = %[[E]]) -> (i64) : i64 {
// CHECK-NEXT:      %[[C:.*]] = arith.cmpi sgt, %[[P]], %[[I]] : i64
// CHECK-NEXT:      %[[R:.*]] = scf.if %[[C]] -> (i64) {
// CHECK-NEXT:        %[[FITS:.*]] = guard.fits "add" %[[P]], %[[I]] : i64
// CHECK-NEXT:        guard.require %[[FITS]], overflow, "it fits"
// CHECK-NEXT:        %[[SUM:.*]] = arith.addi %[[P]], %[[I]] : i64
// CHECK-NEXT:        scf.yield %[[SUM]] : i64
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %[[P]] : i64
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %[[R]] : i64
// CHECK-NEXT:    }
// CHECK-NEXT:    skel.yield %[[S]] : i64

// -----

/// The condition of a branch is not a box, and results that are not boxed keep their places between those that are.
func.func @mixed(%c: i1, %x: f32, %y: i64) -> (i64, f32) {
  %0 = obj.box %x : f32 -> !obj.boxed<f32>
  %a, %b, %d = scf.if %c -> (i64, !obj.boxed<f32>, i64) {
    scf.yield %y, %0, %y : i64, !obj.boxed<f32>, i64
  } else {
    scf.yield %y, %0, %y : i64, !obj.boxed<f32>, i64
  }
  %1 = obj.unbox %b : !obj.boxed<f32> -> f32
  func.return %d, %1 : i64, f32
}
// CHECK-LABEL: func.func @mixed
// CHECK-SAME:    (%[[C:.*]]: i1, %[[X:.*]]: f32, %[[Y:.*]]: i64)
// CHECK-NEXT:    %{{.*}}, %[[B:.*]], %[[D:.*]] = scf.if %[[C]] -> (i64, f32, i64) {
// CHECK-NEXT:      scf.yield %[[Y]], %[[X]], %[[Y]] : i64, f32, i64
// CHECK:         func.return %[[D]], %[[B]] : i64, f32

// -----

/// A box that something else uses stays, and is made where the boxed value was: here after the branch.
func.func @escapes(%c: i1, %x: f32) -> (!obj.boxed<f32>, f32) {
  %0 = obj.box %x : f32 -> !obj.boxed<f32>
  %1 = scf.if %c -> (!obj.boxed<f32>) {
    scf.yield %0 : !obj.boxed<f32>
  } else {
    scf.yield %0 : !obj.boxed<f32>
  }
  %2 = obj.unbox %1 : !obj.boxed<f32> -> f32
  func.return %1, %2 : !obj.boxed<f32>, f32
}
// CHECK-LABEL: func.func @escapes
// CHECK-SAME:    (%[[C:.*]]: i1, %[[X:.*]]: f32)
// CHECK-NEXT:    %[[R:.*]] = scf.if %[[C]] -> (f32) {
// CHECK-NEXT:      scf.yield %[[X]] : f32
// CHECK:         %[[B:.*]] = obj.box %[[R]] : f32 -> !obj.boxed<f32>
// CHECK-NEXT:    func.return %[[B]], %[[R]]

// -----

/// A boxed value from outside is opened before the loop, once, and the loop carries its payload.
func.func @argument(%n: i64, %b: !obj.boxed<!dyn.int>) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %s = scf.for %i = %zero to %n step %one iter_args(%p = %b) -> (!obj.boxed<!dyn.int>) : i64 {
    scf.yield %p : !obj.boxed<!dyn.int>
  }
  %r = obj.unbox %s : !obj.boxed<!dyn.int> -> i64
  func.return %r : i64
}
// CHECK-LABEL: func.func @argument
// CHECK-SAME:    (%[[N:.*]]: i64, %[[B:.*]]: !obj.boxed<!dyn.int>)
// CHECK:         %[[U:.*]] = obj.unbox %[[B]] : !obj.boxed<!dyn.int> -> i64
// CHECK-NEXT:    %[[S:.*]] = scf.for {{.*}} iter_args(%[[P:.*]] = %[[U]]) -> (i64) : i64 {
// CHECK-NEXT:      scf.yield %[[P]] : i64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[S]] : i64

// -----

/// A box inside a tuple is not a box that a branch carries: `flatten-tuples` comes first.
func.func @in_tuple(%c: i1, %x: f32) -> tuple<!obj.boxed<f32>> {
  %0 = obj.box %x : f32 -> !obj.boxed<f32>
  %1 = obj.pack(%0 : !obj.boxed<f32>) : tuple<!obj.boxed<f32>>
  %2 = scf.if %c -> (tuple<!obj.boxed<f32>>) {
    scf.yield %1 : tuple<!obj.boxed<f32>>
  } else {
    scf.yield %1 : tuple<!obj.boxed<f32>>
  }
  func.return %2 : tuple<!obj.boxed<f32>>
}
// CHECK-LABEL: func.func @in_tuple
// CHECK:         obj.box
// CHECK:         scf.if %{{.*}} -> (tuple<!obj.boxed<f32>>) {
