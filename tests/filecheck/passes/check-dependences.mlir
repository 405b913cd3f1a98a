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

// -----

/// A number in a mixed radix: i * w + j has the digits i and j if 0 <= j < w. What the facts do not tell is asked.
skel.capture @a : tensor<?xf32>
skel.capture @w : !dyn.int
func.func @digits(%r: !skel.sequence<!dyn.int>, %s: !skel.sequence<!dyn.int>) attributes {skel.entry} {
  skel.forall(%r, %s) : (!skel.sequence<!dyn.int>, !skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64, %j: i64):
    %i1 = guard.fact %i in [0, 2147483647] : i64
    %j1 = guard.fact %j in [0, 2147483647] : i64
    %a = skel.captured @a : tensor<?xf32>
    %w = skel.captured @w : i64
    %x = arith.constant 0.0 : f32
    %row = arith.muli %i1, %w : i64
    %place = arith.addi %row, %j1 : i64
    obj.store %x, %a[%place] : f32, tensor<?xf32>
    skel.yield
  }
  func.return
}
// CHECK-LABEL: @digits
// CHECK:         %[[J:.*]] = guard.fact %j
// CHECK:         %[[W:.*]] = skel.captured @w
// CHECK:         %[[LOW:.*]] = arith.cmpi sge, %[[J]], %{{.*}} : i64
// CHECK-NEXT:    guard.require %[[LOW]], bounds, "an index may be that of another iteration"
// CHECK-NEXT:    %[[HIGH:.*]] = arith.cmpi slt, %[[J]], %[[W]] : i64
// CHECK-NEXT:    guard.require %[[HIGH]], bounds, "an index may be that of another iteration"
// CHECK-NEXT:    arith.cmpi sle, %[[W]], %{{.*}} : i64
// CHECK-NEXT:    guard.require
// CHECK-NEXT:    obj.store

// -----

/// The variable of an inner loop is a digit too, and may differ. A constant stride that is long enough asks nothing.
skel.capture @a : tensor<?xf32>
func.func @inner(%r: !skel.sequence<!dyn.int>) attributes {skel.entry} {
  skel.forall(%r) : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    %i1 = guard.fact %i in [0, 2147483647] : i64
    %a = skel.captured @a : tensor<?xf32>
    %x = arith.constant 0.0 : f32
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %four = arith.constant 4 : i64
    %row = arith.muli %i1, %four : i64
    %next = arith.addi %row, %one : i64
    obj.store %x, %a[%next] : f32, tensor<?xf32>
    scf.for %j = %zero to %four step %one : i64 {
      %place = arith.addi %row, %j : i64
      obj.store %x, %a[%place] : f32, tensor<?xf32>
    }
    skel.yield
  }
  func.return
}
// CHECK-LABEL: @inner
// CHECK:         obj.store
// CHECK:         scf.for %[[J:.*]] =
// CHECK:           arith.cmpi slt, %[[J]], %{{.*}} : i64
// CHECK-NEXT:      guard.require
// CHECK:           obj.store

// -----

/// What is looked up in an array without repetitions is different in each iteration: the array is to be looked at.
skel.capture @a : tensor<?xf32>
skel.capture @p : tensor<?xui32>
skel.capture @q : tensor<?xui32>
func.func @permuted(%r: !skel.sequence<!dyn.int>) attributes {skel.entry} {
  skel.forall(%r) : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    %a = skel.captured @a : tensor<?xf32>
    %p = skel.captured @p : tensor<?xui32>
    %x = arith.constant 0.0 : f32
    %to = obj.load %p[%i] : tensor<?xui32> -> i32
    %place = arith.extui %to : i32 to i64
    obj.store %x, %a[%place] : f32, tensor<?xf32>
    skel.yield
  }
  func.return
}
// CHECK:       skel.capture @a : tensor<?xf32>{{$}}
// CHECK-NEXT:  skel.capture @p : tensor<?xui32> {distinct}
// CHECK-NEXT:  skel.capture @q : tensor<?xui32>{{$}}
// CHECK:       @permuted

// -----

/// All that is done with the array is adding to elements, so the order does not matter. A difference is added negated.
skel.capture @h : tensor<?xsi32>
skel.capture @p : tensor<?xui32>
func.func @histogram(%r: !skel.sequence<!dyn.int>) attributes {skel.entry} {
  skel.forall(%r) : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    %h = skel.captured @h : tensor<?xsi32>
    %p = skel.captured @p : tensor<?xui32>
    %one = arith.constant 1 : i32
    %to = obj.load %p[%i] : tensor<?xui32> -> i32
    %place = arith.extui %to : i32 to i64
    %x = obj.load %h[%place] mutable : tensor<?xsi32> -> i32
    %y = arith.addi %x, %one : i32
    obj.store %y, %h[%place] : i32, tensor<?xsi32>
    %u = obj.load %h[%i] mutable : tensor<?xsi32> -> i32
    %v = arith.subi %u, %to : i32
    obj.store %v, %h[%i] : i32, tensor<?xsi32>
    skel.yield
  }
  func.return
}
// CHECK:       skel.capture @p : tensor<?xui32>{{$}}
// CHECK:       @histogram
// CHECK:         %[[ONE:.*]] = arith.constant 1 : i32
// CHECK:         %[[TO:.*]] = obj.load
// CHECK-NEXT:    %[[PLACE:.*]] = arith.extui
// CHECK-NEXT:    obj.accumulate %[[ONE]], %h[%[[PLACE]]] : i32, tensor<?xsi32>
// CHECK-NEXT:    arith.constant 0 : i32
// CHECK-NEXT:    %[[MINUS:.*]] = arith.subi %{{.*}}, %[[TO]] : i32
// CHECK-NEXT:    obj.accumulate %[[MINUS]], %h[%i] : i32, tensor<?xsi32>
// CHECK-NOT:     obj.store

// -----

/// Near miss: each iteration adds to an element of its own, for which a load and a store are faster.
skel.capture @h : tensor<?xsi32>
func.func @own_sums(%r: !skel.sequence<!dyn.int>) attributes {skel.entry} {
  skel.forall(%r) : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    %h = skel.captured @h : tensor<?xsi32>
    %one = arith.constant 1 : i32
    %x = obj.load %h[%i] mutable : tensor<?xsi32> -> i32
    %y = arith.addi %x, %one : i32
    obj.store %y, %h[%i] : i32, tensor<?xsi32>
    skel.yield
  }
  func.return
}
// CHECK:       @own_sums
// CHECK:         obj.store

// -----

/// Python's integers do not wrap. Here no sum can leave 64 bits, in whatever order: the numbers in the array and what is
/// added are small, and there are so many iterations at most. So nothing is asked, and the table has served its time.
skel.capture @p : tensor<?x!dyn.int> {bounds = array<i64: 0, 2147483647>}
skel.capture @count : tensor<?x!dyn.int> {bounds = array<i64: 0, 2147483647>}
obj.table @Node ["count"] [#obj.column<@count>]
func.func @python_sums(%r: !skel.sequence<!dyn.int>) attributes {skel.entry} {
  skel.forall(%r) : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    %0 = guard.fact %i in [0, 1073741823] : i64
    %p = skel.captured @p : tensor<?x!dyn.int>
    %k = obj.load %p[%0] : tensor<?x!dyn.int> -> i64
    %n = skel.captured @count : tensor<?x!dyn.int>
    %x = obj.load %n[%k] mutable : tensor<?x!dyn.int> -> i64
    %one = arith.constant 1 : i64
    %fits = guard.fits "add" %x, %one : i64
    guard.require %fits, overflow, "the result of '+' does not fit 64 bits"
    %y = arith.addi %x, %one : i64
    obj.store %y, %n[%k] : i64, tensor<?x!dyn.int>
    skel.yield
  }
  func.return
}
// CHECK-NOT:   obj.table
// CHECK:       @python_sums
// CHECK:         %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-NEXT:    obj.accumulate %[[ONE]], %n[%k] : i64, tensor<?x!dyn.int>
// CHECK-NEXT:    skel.yield

// -----

/// Near misses: numbers that may be large already, many iterations, and an inner loop, which adds any number of times.
/// Then it is looked whether all places differ.
skel.capture @p : tensor<?x!dyn.int> {bounds = array<i64: 0, 2147483647>}
skel.capture @large : tensor<?x!dyn.int> {bounds = array<i64: 0, 9223372036854775807>}
func.func @large_numbers(%r: !skel.sequence<!dyn.int>) attributes {skel.entry} {
  skel.forall(%r) : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    %0 = guard.fact %i in [0, 1073741823] : i64
    %p = skel.captured @p : tensor<?x!dyn.int>
    %k = obj.load %p[%0] : tensor<?x!dyn.int> -> i64
    %n = skel.captured @large : tensor<?x!dyn.int>
    %x = obj.load %n[%k] mutable : tensor<?x!dyn.int> -> i64
    %one = arith.constant 1 : i64
    %fits = guard.fits "add" %x, %one : i64
    guard.require %fits, overflow, "the result of '+' does not fit 64 bits"
    %y = arith.addi %x, %one : i64
    obj.store %y, %n[%k] : i64, tensor<?x!dyn.int>
    skel.yield
  }
  func.return
}
// CHECK:       skel.capture @p : tensor<?x!dyn.int> {{.*}}distinct
// CHECK:       @large_numbers
// CHECK:         guard.fits
// CHECK:         obj.store

// -----

skel.capture @p : tensor<?x!dyn.int> {bounds = array<i64: 0, 2147483647>}
skel.capture @count : tensor<?x!dyn.int> {bounds = array<i64: 0, 2147483647>}
func.func @any_range(%r: !skel.sequence<!dyn.int>) attributes {skel.entry} {
  skel.forall(%r) : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    %p = skel.captured @p : tensor<?x!dyn.int>
    %k = obj.load %p[%i] : tensor<?x!dyn.int> -> i64
    %n = skel.captured @count : tensor<?x!dyn.int>
    %x = obj.load %n[%k] mutable : tensor<?x!dyn.int> -> i64
    %one = arith.constant 1 : i64
    %fits = guard.fits "add" %x, %one : i64
    guard.require %fits, overflow, "the result of '+' does not fit 64 bits"
    %y = arith.addi %x, %one : i64
    obj.store %y, %n[%k] : i64, tensor<?x!dyn.int>
    skel.yield
  }
  func.return
}
// CHECK:       @any_range
// CHECK-NOT:     obj.accumulate
// CHECK:         obj.store

// -----

skel.capture @p : tensor<?x!dyn.int> {bounds = array<i64: 0, 2147483647>}
skel.capture @count : tensor<?x!dyn.int> {bounds = array<i64: 0, 2147483647>}
func.func @many_times(%r: !skel.sequence<!dyn.int>, %m: i64) attributes {skel.entry} {
  skel.forall(%r) : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    %0 = guard.fact %i in [0, 1073741823] : i64
    %p = skel.captured @p : tensor<?x!dyn.int>
    %k = obj.load %p[%0] : tensor<?x!dyn.int> -> i64
    %n = skel.captured @count : tensor<?x!dyn.int>
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    scf.for %j = %zero to %m step %one : i64 {
      %x = obj.load %n[%k] mutable : tensor<?x!dyn.int> -> i64
      %fits = guard.fits "add" %x, %one : i64
      guard.require %fits, overflow, "the result of '+' does not fit 64 bits"
      %y = arith.addi %x, %one : i64
      obj.store %y, %n[%k] : i64, tensor<?x!dyn.int>
    }
    skel.yield
  }
  func.return
}
// CHECK:       @many_times
// CHECK-NOT:     obj.accumulate
// CHECK:         obj.store

// -----

/// Near miss: what is added is the element itself.
skel.capture @p : tensor<?xui32>
skel.capture @h : tensor<?xsi32>
func.func @doubled(%r: !skel.sequence<!dyn.int>) attributes {skel.entry} {
  skel.forall(%r) : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    %p = skel.captured @p : tensor<?xui32>
    %to = obj.load %p[%i] : tensor<?xui32> -> i32
    %k = arith.extui %to : i32 to i64
    %h = skel.captured @h : tensor<?xsi32>
    %x = obj.load %h[%k] mutable : tensor<?xsi32> -> i32
    %y = arith.addi %x, %x : i32
    obj.store %y, %h[%k] : i32, tensor<?xsi32>
    skel.yield
  }
  func.return
}
// CHECK:       @doubled
// CHECK-NOT:     obj.accumulate
// CHECK:         obj.store

// -----

/// A single iteration meets no other one: what it stores and reads elsewhere is left as it is.
skel.capture @a : tensor<?xf32>
func.func @task(%r: !skel.sequence<!dyn.int>) attributes {skel.entry} {
  skel.forall single(%r) : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    %a = skel.captured @a : tensor<?xf32>
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %x = obj.load %a[%zero] mutable : tensor<?xf32> -> f32
    obj.store %x, %a[%one] : f32, tensor<?xf32>
    skel.yield
  }
  func.return
}
// CHECK-LABEL: @task
// CHECK:         skel.forall single(%{{.*}})
// CHECK-NOT:     guard.require
// CHECK:         obj.store
