// RUN: hetc-opt %s --split-input-file -p check-dependences | filecheck %s

/// Each iteration has an element of its own, and reads another array where it likes.
skel.capture @a : tensor<?xf32>
skel.capture @b : tensor<?xf32>
func.func @own(%r: !skel.sequence<!dyn.int>) attributes {skel.entry} {
  skel.forall(%r) : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    %a = skel.captured @a : tensor<?xf32>
    %b = skel.captured @b : tensor<?xf32>
    %one = arith.constant 1 : i64
    %next = arith.addi %i, %one : i64
    %x = obj.load %b[%next] : tensor<?xf32> -> f32
    %y = obj.load %a[%i] mutable : tensor<?xf32> -> f32
    %z = arith.addf %x, %y : f32
    obj.store %z, %a[%i] : f32, tensor<?xf32>
    skel.yield
  }
  func.return
}
// CHECK-LABEL: @own
// CHECK-NOT:     guard.require

// -----

/// Elements 2i and 2i + 1 are never one: 2 does not divide 1. Nor are rows i and i, whatever the column.
skel.capture @a : tensor<?xf32>
skel.capture @m : tensor<?x?xf32>
func.func @apart(%r: !skel.sequence<!dyn.int>) attributes {skel.entry} {
  skel.forall(%r) : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    %a = skel.captured @a : tensor<?xf32>
    %m = skel.captured @m : tensor<?x?xf32>
    %one = arith.constant 1 : i64
    %two = arith.constant 2 : i64
    %even = arith.muli %i, %two : i64
    %odd = arith.addi %even, %one : i64
    %x = obj.load %a[%odd] mutable : tensor<?xf32> -> f32
    obj.store %x, %a[%even] : f32, tensor<?xf32>
    %y = obj.load %m[%i, %one] mutable : tensor<?x?xf32> -> f32
    obj.store %y, %m[%i, %even] : f32, tensor<?x?xf32>
    skel.yield
  }
  func.return
}
// CHECK-LABEL: @apart
// CHECK:         obj.store
// CHECK:         obj.store

// -----

/// An index that may be negative counts from the end: where it is negative, the iteration is left to Python.
skel.capture @a : tensor<?xf32>
func.func @wraps(%r: !skel.sequence<!dyn.int>) attributes {skel.entry} {
  skel.forall(%r) : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    %a = skel.captured @a : tensor<?xf32>
    %zero = arith.constant 0 : i64
    %x = arith.constant 0.0 : f32
    %n = skel.size 1
    %negative = arith.cmpi slt, %i, %zero : i64
    %end = arith.addi %i, %n : i64
    %p = arith.select %negative, %end, %i : i64
    obj.store %x, %a[%p] : f32, tensor<?xf32>
    skel.yield
  }
  func.return
}
// CHECK-LABEL: @wraps
// CHECK:         ^{{.*}}(%[[I:.*]]: i64):
// CHECK:           %[[P:.*]] = arith.select
// CHECK:           %[[OK:.*]] = arith.cmpi sge, %[[I]], %{{.*}} : i64
// CHECK-NEXT:      guard.require %[[OK]], bounds, "a negative index may be another iteration's"
// CHECK-NEXT:      obj.store %{{.*}}, %{{.*}}[%[[P]]]
