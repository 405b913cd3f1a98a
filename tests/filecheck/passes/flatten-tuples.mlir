// RUN: hetc-opt %s --split-input-file -p flatten-tuples | filecheck %s
// RUN: hetc-opt %s --split-input-file -p flatten-tuples,flatten-tuples | filecheck %s

/// Packing and extracting cancel, nested tuples included.
func.func @straight(%a: f32, %b: i64) -> (i64, f32) {
  %p = obj.pack(%a, %b : f32, i64) : tuple<f32, i64>
  %q = obj.pack(%p, %a : tuple<f32, i64>, f32) : tuple<tuple<f32, i64>, f32>
  %r = obj.extract %q[0] : tuple<tuple<f32, i64>, f32> -> tuple<f32, i64>
  %0 = obj.extract %r[1] : tuple<f32, i64> -> i64
  %1 = obj.extract %q[1] : tuple<tuple<f32, i64>, f32> -> f32
  func.return %0, %1 : i64, f32
}
// CHECK-LABEL: func.func @straight
// CHECK-SAME:    (%[[A:.*]]: f32, %[[B:.*]]: i64)
// CHECK-NEXT:    func.return %[[B]], %[[A]]

// -----

/// A branch yields the items.
func.func @branch(%c: i1, %a: f32, %b: i64) -> i64 {
  %t = scf.if %c -> (tuple<f32, i64>) {
    %p = obj.pack(%a, %b : f32, i64) : tuple<f32, i64>
    scf.yield %p : tuple<f32, i64>
  } else {
    %n = arith.constant 7 : i64
    %q = obj.pack(%a, %n : f32, i64) : tuple<f32, i64>
    scf.yield %q : tuple<f32, i64>
  }
  %0 = obj.extract %t[1] : tuple<f32, i64> -> i64
  func.return %0 : i64
}
// CHECK-LABEL: func.func @branch
// CHECK-SAME:    (%[[C:.*]]: i1, %[[A:.*]]: f32, %[[B:.*]]: i64)
// CHECK-NEXT:    %[[R0:.*]], %[[R1:.*]] = scf.if %[[C]] -> (f32, i64) {
// CHECK-NEXT:      scf.yield %[[A]], %[[B]] : f32, i64
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[N:.*]] = arith.constant 7 : i64
// CHECK-NEXT:      scf.yield %[[A]], %[[N]] : f32, i64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[R1]] : i64

// -----

/// A `for` loop carries the items, between values that stay where they are in the order.
func.func @for(%n: i64, %a: f32, %b: i64) -> (f32, i32) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %first = arith.constant 2 : i32
  %p = obj.pack(%a, %b : f32, i64) : tuple<f32, i64>
  %before, %t, %after = scf.for %i = %zero to %n step %one iter_args(%x = %first, %s = %p, %y = %first) -> (i32, tuple<f32, i64>, i32) : i64 {
    %s0 = obj.extract %s[0] : tuple<f32, i64> -> f32
    %s1 = obj.extract %s[1] : tuple<f32, i64> -> i64
    %u0 = arith.addf %s0, %s0 : f32
    %u = obj.pack(%u0, %s1 : f32, i64) : tuple<f32, i64>
    scf.yield %y, %u, %x : i32, tuple<f32, i64>, i32
  }
  %0 = obj.extract %t[0] : tuple<f32, i64> -> f32
  func.return %0, %after : f32, i32
}
// CHECK-LABEL: func.func @for
// CHECK-SAME:    (%[[N:.*]]: i64, %[[A:.*]]: f32, %[[B:.*]]: i64)
// CHECK:         %[[R0:.*]], %[[R1:.*]], %[[R2:.*]], %[[R3:.*]] = scf.for %{{.*}} = %{{.*}} to %[[N]] step %{{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[S0:.*]] = %[[A]], %[[S1:.*]] = %[[B]], %[[Y:.*]] = %{{.*}}) -> (i32, f32, i64, i32) : i64 {
// CHECK-NEXT:      %[[U0:.*]] = arith.addf %[[S0]], %[[S0]] : f32
// CHECK-NEXT:      scf.yield %[[Y]], %[[U0]], %[[S1]], %[[X]] : i32, f32, i64, i32
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[R1]], %[[R3]] : f32, i32

// -----

/// So does a `while` loop, in both regions; here the tuple has three items and holds a tuple.
func.func @while(%a: f32, %b: f32) -> f32 {
  %p = obj.pack(%a, %b : f32, f32) : tuple<f32, f32>
  %q = obj.pack(%b, %p : f32, tuple<f32, f32>) : tuple<f32, tuple<f32, f32>>
  %r = scf.while (%s = %q) : (tuple<f32, tuple<f32, f32>>) -> (tuple<f32, tuple<f32, f32>>) {
    %s0 = obj.extract %s[0] : tuple<f32, tuple<f32, f32>> -> f32
    %c = arith.cmpf olt, %s0, %a : f32
    scf.condition(%c) %s : tuple<f32, tuple<f32, f32>>
  } do {
  ^bb0(%t: tuple<f32, tuple<f32, f32>>):
    %t1 = obj.extract %t[1] : tuple<f32, tuple<f32, f32>> -> tuple<f32, f32>
    %t11 = obj.extract %t1[1] : tuple<f32, f32> -> f32
    %u = obj.pack(%t11, %t1 : f32, tuple<f32, f32>) : tuple<f32, tuple<f32, f32>>
    scf.yield %u : tuple<f32, tuple<f32, f32>>
  }
  %r1 = obj.extract %r[1] : tuple<f32, tuple<f32, f32>> -> tuple<f32, f32>
  %0 = obj.extract %r1[0] : tuple<f32, f32> -> f32
  func.return %0 : f32
}
// CHECK-LABEL: func.func @while
// CHECK-SAME:    (%[[A:.*]]: f32, %[[B:.*]]: f32)
// CHECK-NEXT:    %[[R0:.*]], %[[R1:.*]], %[[R2:.*]] = scf.while (%[[S0:.*]] = %[[B]], %[[S1:.*]] = %[[A]], %[[S2:.*]] = %[[B]]) : (f32, f32, f32) -> (f32, f32, f32) {
// CHECK-NEXT:      %[[C:.*]] = arith.cmpf olt, %[[S0]], %[[A]] : f32
// CHECK-NEXT:      scf.condition(%[[C]]) %[[S0]], %[[S1]], %[[S2]] : f32, f32, f32
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^{{.*}}(%[[T0:.*]]: f32, %[[T1:.*]]: f32, %[[T2:.*]]: f32):
// CHECK-NEXT:      scf.yield %[[T2]], %[[T1]], %[[T2]] : f32, f32, f32
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[R1]] : f32

// -----

/// Control flow in control flow.
func.func @nested(%c: i1, %n: i64, %a: f32) -> f32 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %p = obj.pack(%a, %a : f32, f32) : tuple<f32, f32>
  %r = scf.for %i = %zero to %n step %one iter_args(%s = %p) -> (tuple<f32, f32>) : i64 {
    %t = scf.if %c -> (tuple<f32, f32>) {
      scf.yield %s : tuple<f32, f32>
    } else {
      scf.yield %p : tuple<f32, f32>
    }
    scf.yield %t : tuple<f32, f32>
  }
  %0 = obj.extract %r[1] : tuple<f32, f32> -> f32
  func.return %0 : f32
}
// CHECK-LABEL: func.func @nested
// CHECK-SAME:    (%[[C:.*]]: i1, %[[N:.*]]: i64, %[[A:.*]]: f32)
// CHECK:         %{{.*}}, %[[R1:.*]] = scf.for {{.*}} iter_args(%[[S0:.*]] = %[[A]], %[[S1:.*]] = %[[A]]) -> (f32, f32) : i64 {
// CHECK-NEXT:      %[[T0:.*]], %[[T1:.*]] = scf.if %[[C]] -> (f32, f32) {
// CHECK-NEXT:        scf.yield %[[S0]], %[[S1]] : f32, f32
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %[[A]], %[[A]] : f32, f32
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %[[T0]], %[[T1]] : f32, f32
// CHECK:         func.return %[[R1]] : f32

// -----

/// The empty tuple is carried as nothing.
func.func @empty(%c: i1, %a: f32) -> f32 {
  %e = obj.pack() : tuple<>
  %t, %x = scf.if %c -> (tuple<>, f32) {
    scf.yield %e, %a : tuple<>, f32
  } else {
    scf.yield %e, %a : tuple<>, f32
  }
  func.return %x : f32
}
// CHECK-LABEL: func.func @empty
// CHECK-SAME:    (%[[C:.*]]: i1, %[[A:.*]]: f32)
// CHECK-NEXT:    %[[X:.*]] = scf.if %[[C]] -> (f32) {
// CHECK-NEXT:      scf.yield %[[A]] : f32
// CHECK-NOT:     tuple

// -----

/// A tuple that something else holds on to stays; its items are known all the same.
func.func @escapes(%c: i1, %a: f32, %b: i64) -> (tuple<f32, i64>, i64) {
  %p = obj.pack(%a, %b : f32, i64) : tuple<f32, i64>
  %t = scf.if %c -> (tuple<f32, i64>) {
    scf.yield %p : tuple<f32, i64>
  } else {
    scf.yield %p : tuple<f32, i64>
  }
  %0 = obj.extract %t[1] : tuple<f32, i64> -> i64
  func.return %t, %0 : tuple<f32, i64>, i64
}
// CHECK-LABEL: func.func @escapes
// CHECK-SAME:    (%[[C:.*]]: i1, %[[A:.*]]: f32, %[[B:.*]]: i64)
// CHECK-NEXT:    %[[R0:.*]], %[[R1:.*]] = scf.if %[[C]] -> (f32, i64) {
// CHECK:         %[[T:.*]] = obj.pack(%[[R0]], %[[R1]] : f32, i64)
// CHECK-NEXT:    func.return %[[T]], %[[R1]]

// -----

/// A tuple that came from outside is still taken apart.
func.func @argument(%c: i1, %t: tuple<f32, i64>) -> f32 {
  %r = scf.if %c -> (tuple<f32, i64>) {
    scf.yield %t : tuple<f32, i64>
  } else {
    scf.yield %t : tuple<f32, i64>
  }
  %0 = obj.extract %r[0] : tuple<f32, i64> -> f32
  func.return %0 : f32
}
// CHECK-LABEL: func.func @argument
// CHECK-SAME:    (%[[C:.*]]: i1, %[[T:.*]]: tuple<f32, i64>)
// CHECK-NEXT:    %[[R:.*]], %{{.*}} = scf.if %[[C]] -> (f32, i64) {
// CHECK-NEXT:      %[[X:.*]] = obj.extract %[[T]][0]
// CHECK-NEXT:      %[[Y:.*]] = obj.extract %[[T]][1]
// CHECK-NEXT:      scf.yield %[[X]], %[[Y]]
// CHECK:         func.return %[[R]]

// -----

/// Control flow without tuples is not touched.
func.func @numbers(%c: i1, %a: f32) -> f32 {
  %0 = scf.if %c -> (f32) {
    scf.yield %a : f32
  } else {
    %1 = arith.negf %a : f32
    scf.yield %1 : f32
  }
  func.return %0 : f32
}
// CHECK-LABEL: func.func @numbers
// CHECK-SAME:    (%[[C:.*]]: i1, %[[A:.*]]: f32)
// CHECK-NEXT:    %[[R:.*]] = scf.if %[[C]] -> (f32) {
// CHECK-NEXT:      scf.yield %[[A]] : f32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[M:.*]] = arith.negf %[[A]] : f32
// CHECK-NEXT:      scf.yield %[[M]] : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[R]]

// -----

/// A union is carried as its tag and its alternatives, None as nothing; what is put together before is taken from there.
func.func @union(%c: i1, %t: i8, %s: i8, %a: !obj.boxed<!dyn.int>) -> (i8, !obj.boxed<!dyn.int>) {
  %n = obj.none
  %0 = scf.if %c -> (!obj.union<[!dyn.none, !obj.boxed<!dyn.int>]>) {
    %1 = obj.union %t(%n, %a : !dyn.none, !obj.boxed<!dyn.int>) : !obj.union<[!dyn.none, !obj.boxed<!dyn.int>]>
    scf.yield %1 : !obj.union<[!dyn.none, !obj.boxed<!dyn.int>]>
  } else {
    %2 = obj.union %s(%n, %a : !dyn.none, !obj.boxed<!dyn.int>) : !obj.union<[!dyn.none, !obj.boxed<!dyn.int>]>
    scf.yield %2 : !obj.union<[!dyn.none, !obj.boxed<!dyn.int>]>
  }
  %3 = obj.tag %0 : !obj.union<[!dyn.none, !obj.boxed<!dyn.int>]>
  %4 = obj.alternative %0[1] : !obj.union<[!dyn.none, !obj.boxed<!dyn.int>]> -> !obj.boxed<!dyn.int>
  func.return %3, %4 : i8, !obj.boxed<!dyn.int>
}
// CHECK-LABEL: func.func @union
// CHECK-SAME:    (%[[C:.*]]: i1, %[[T:.*]]: i8, %[[S:.*]]: i8, %[[A:.*]]: !obj.boxed<!dyn.int>)
// CHECK-NEXT:    %[[TAG:.*]], %[[X:.*]] = scf.if %[[C]] -> (i8, !obj.boxed<!dyn.int>) {
// CHECK-NEXT:      scf.yield %[[T]], %[[A]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[S]], %[[A]]
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[TAG]], %[[X]]

// -----

/// A list is carried as its items, as the tuple of its items is.
func.func @list(%c: i1, %a: f32, %b: i64) -> i64 {
  %p = obj.pack(%a, %b : f32, i64) : tuple<f32, i64>
  %l = obj.as_list %p : tuple<f32, i64> -> !obj.list<tuple<f32, i64>>
  %m = scf.if %c -> (!obj.list<tuple<f32, i64>>) {
    scf.yield %l : !obj.list<tuple<f32, i64>>
  } else {
    %n = arith.constant 7 : i64
    %q = obj.pack(%a, %n : f32, i64) : tuple<f32, i64>
    %k = obj.as_list %q : tuple<f32, i64> -> !obj.list<tuple<f32, i64>>
    scf.yield %k : !obj.list<tuple<f32, i64>>
  }
  %t = obj.list_items %m : !obj.list<tuple<f32, i64>> -> tuple<f32, i64>
  %0 = obj.extract %t[1] : tuple<f32, i64> -> i64
  func.return %0 : i64
}
// CHECK-LABEL: func.func @list
// CHECK-SAME:    (%[[C:.*]]: i1, %[[A:.*]]: f32, %[[B:.*]]: i64)
// CHECK-NEXT:    %{{.*}}, %[[R:.*]] = scf.if %[[C]] -> (f32, i64) {
// CHECK-NEXT:      scf.yield %[[A]], %[[B]] : f32, i64
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[N:.*]] = arith.constant 7 : i64
// CHECK-NEXT:      scf.yield %[[A]], %[[N]] : f32, i64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[R]]

// -----

/// An object is carried as its fields, nested ones included; the class disappears with it.
obj.class @Point ["x", "y"] is ["Point", "object"]
obj.class @Body ["at", "mass"] is ["Body", "object"]
func.func @object(%c: i1, %a: f32, %b: f32) -> f32 {
  %p = obj.new(%a, %b) : (f32, f32) -> !obj.object<@Point {x: f32, y: f32}>
  %q = obj.new(%b, %a) : (f32, f32) -> !obj.object<@Point {x: f32, y: f32}>
  %w = scf.if %c -> (!obj.object<@Body {at: !obj.object<@Point {x: f32, y: f32}>, mass: f32}>) {
    %0 = obj.new(%p, %a) : (!obj.object<@Point {x: f32, y: f32}>, f32) -> !obj.object<@Body {at: !obj.object<@Point {x: f32, y: f32}>, mass: f32}>
    scf.yield %0 : !obj.object<@Body {at: !obj.object<@Point {x: f32, y: f32}>, mass: f32}>
  } else {
    %1 = obj.new(%q, %a) : (!obj.object<@Point {x: f32, y: f32}>, f32) -> !obj.object<@Body {at: !obj.object<@Point {x: f32, y: f32}>, mass: f32}>
    scf.yield %1 : !obj.object<@Body {at: !obj.object<@Point {x: f32, y: f32}>, mass: f32}>
  }
  %r = obj.get %w "at" : !obj.object<@Body {at: !obj.object<@Point {x: f32, y: f32}>, mass: f32}> -> !obj.object<@Point {x: f32, y: f32}>
  %2 = obj.get %r "y" : !obj.object<@Point {x: f32, y: f32}> -> f32
  func.return %2 : f32
}
// CHECK-NOT:   obj.class
// CHECK-LABEL: func.func @object
// CHECK-SAME:    (%[[C:.*]]: i1, %[[A:.*]]: f32, %[[B:.*]]: f32)
// CHECK-NEXT:    %{{.*}}, %[[Y:.*]], %{{.*}} = scf.if %[[C]] -> (f32, f32, f32) {
// CHECK-NEXT:      scf.yield %[[A]], %[[B]], %[[A]] : f32, f32, f32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[B]], %[[A]], %[[A]] : f32, f32, f32
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[Y]]

// -----

/// The near miss: an object that is handed to something else stays whole.
func.func @escapes(%a: f32) {
  %p = obj.new(%a) : (f32) -> !obj.object<@Point {x: f32}>
  func.call @keep(%p) : (!obj.object<@Point {x: f32}>) -> ()
  func.return
}
func.func private @keep(!obj.object<@Point {x: f32}>)
// CHECK-LABEL: func.func @escapes
// CHECK:         %[[P:.*]] = obj.new
// CHECK-NEXT:    func.call @keep(%[[P]])

// -----

/// A loop that makes a new object in each round carries its fields.
func.func @looped(%n: i64, %a: f32, %b: f32) -> f32 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %p = obj.new(%a, %b) : (f32, f32) -> !obj.object<@Point {x: f32, y: f32}>
  %q = scf.for %i = %zero to %n step %one iter_args(%s = %p) -> (!obj.object<@Point {x: f32, y: f32}>) : i64 {
    %x = obj.get %s "x" : !obj.object<@Point {x: f32, y: f32}> -> f32
    %y = obj.get %s "y" : !obj.object<@Point {x: f32, y: f32}> -> f32
    %sum = arith.addf %x, %y : f32
    %u = obj.new(%sum, %x) : (f32, f32) -> !obj.object<@Point {x: f32, y: f32}>
    scf.yield %u : !obj.object<@Point {x: f32, y: f32}>
  }
  %r = obj.get %q "x" : !obj.object<@Point {x: f32, y: f32}> -> f32
  func.return %r : f32
}
// CHECK-LABEL: func.func @looped
// CHECK-SAME:    (%[[N:.*]]: i64, %[[A:.*]]: f32, %[[B:.*]]: f32)
// CHECK:         %[[X:.*]], %{{.*}} = scf.for %{{.*}} = %{{.*}} to %[[N]] step %{{.*}} iter_args(%[[S:.*]] = %[[A]], %[[T:.*]] = %[[B]]) -> (f32, f32) : i64 {
// CHECK-NEXT:      %[[U:.*]] = arith.addf %[[S]], %[[T]] : f32
// CHECK-NEXT:      scf.yield %[[U]], %[[S]] : f32, f32
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[X]] : f32

// -----

/// The near miss: one that is handed on in each round is put together there, and the loop still carries its fields.
func.func @looped_escape(%n: i64, %a: f32) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %p = obj.new(%a) : (f32) -> !obj.object<@Point {x: f32}>
  %q = scf.for %i = %zero to %n step %one iter_args(%s = %p) -> (!obj.object<@Point {x: f32}>) : i64 {
    func.call @keep(%s) : (!obj.object<@Point {x: f32}>) -> ()
    scf.yield %s : !obj.object<@Point {x: f32}>
  }
  func.return
}
func.func private @keep(!obj.object<@Point {x: f32}>)
// CHECK-LABEL: func.func @looped_escape
// CHECK-SAME:    (%{{.*}}: i64, %[[A:.*]]: f32)
// CHECK:         scf.for {{.*}} iter_args(%[[S:.*]] = %[[A]]) -> (f32) : i64 {
// CHECK-NEXT:      %[[P:.*]] = obj.new(%[[S]])
// CHECK-NEXT:      func.call @keep(%[[P]])
// CHECK-NEXT:      scf.yield %[[S]] : f32

// -----

/// An object that escapes in one branch is put together in that branch alone.
func.func @branch_escape(%c: i1, %a: f32) -> f32 {
  %r = scf.if %c -> (!obj.object<@Point {x: f32}>) {
    %p = obj.new(%a) : (f32) -> !obj.object<@Point {x: f32}>
    func.call @keep(%p) : (!obj.object<@Point {x: f32}>) -> ()
    scf.yield %p : !obj.object<@Point {x: f32}>
  } else {
    %b = arith.negf %a : f32
    %q = obj.new(%b) : (f32) -> !obj.object<@Point {x: f32}>
    scf.yield %q : !obj.object<@Point {x: f32}>
  }
  %x = obj.get %r "x" : !obj.object<@Point {x: f32}> -> f32
  func.return %x : f32
}
func.func private @keep(!obj.object<@Point {x: f32}>)
// CHECK-LABEL: func.func @branch_escape
// CHECK-SAME:    (%[[C:.*]]: i1, %[[A:.*]]: f32)
// CHECK-NEXT:    %[[R:.*]] = scf.if %[[C]] -> (f32) {
// CHECK-NEXT:      %[[P:.*]] = obj.new(%[[A]])
// CHECK-NEXT:      func.call @keep(%[[P]])
// CHECK-NEXT:      scf.yield %[[A]] : f32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[B:.*]] = arith.negf %[[A]] : f32
// CHECK-NEXT:      scf.yield %[[B]] : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[R]] : f32

// -----

/// An object that is returned is put together where the function ends, whatever was made on the way.
func.func private @returned(%a: f32, %b: f32) -> !obj.object<@Point {x: f32, y: f32}> {
  %p = obj.new(%a, %b) : (f32, f32) -> !obj.object<@Point {x: f32, y: f32}>
  %x = obj.get %p "x" : !obj.object<@Point {x: f32, y: f32}> -> f32
  %s = arith.addf %x, %b : f32
  %q = obj.new(%s, %x) : (f32, f32) -> !obj.object<@Point {x: f32, y: f32}>
  func.return %q : !obj.object<@Point {x: f32, y: f32}>
}
// CHECK-LABEL: func.func private @returned
// CHECK-SAME:    (%[[A:.*]]: f32, %[[B:.*]]: f32)
// CHECK-NEXT:    %[[S:.*]] = arith.addf %[[A]], %[[B]] : f32
// CHECK-NEXT:    %[[Q:.*]] = obj.new(%[[S]], %[[A]])
// CHECK-NEXT:    func.return %[[Q]]

// -----

/// The near miss: of one that is taken apart again in the end, nothing is left.
func.func @returned_field(%a: f32, %b: f32) -> f32 {
  %p = obj.new(%a, %b) : (f32, f32) -> !obj.object<@Point {x: f32, y: f32}>
  %y = obj.get %p "y" : !obj.object<@Point {x: f32, y: f32}> -> f32
  func.return %y : f32
}
// CHECK-LABEL: func.func @returned_field
// CHECK-SAME:    (%{{.*}}: f32, %[[B:.*]]: f32)
// CHECK-NEXT:    func.return %[[B]] : f32

// -----

/// A new object that becomes an attribute of another is stored as its fields: it is not made on the device.
skel.capture @some_place_x : tensor<?xf32> {dims = array<i64: 1>}
skel.capture @some_place_y : tensor<?xf32> {dims = array<i64: 1>}
func.func @stored(%i: i64, %a: f32, %c: i1) {
  %p = scf.if %c -> (!obj.object<@Point {x: f32, y: f32}>) {
    %q = obj.new(%a, %a) : (f32, f32) -> !obj.object<@Point {x: f32, y: f32}>
    scf.yield %q : !obj.object<@Point {x: f32, y: f32}>
  } else {
    %n = arith.negf %a : f32
    %r = obj.new(%n, %a) : (f32, f32) -> !obj.object<@Point {x: f32, y: f32}>
    scf.yield %r : !obj.object<@Point {x: f32, y: f32}>
  }
  %x = obj.get %p "x" : !obj.object<@Point {x: f32, y: f32}> -> f32
  %y = obj.get %p "y" : !obj.object<@Point {x: f32, y: f32}> -> f32
  %xs = skel.captured @some_place_x : tensor<?xf32>
  obj.store %x, %xs[%i] : f32, tensor<?xf32>
  %ys = skel.captured @some_place_y : tensor<?xf32>
  obj.store %y, %ys[%i] : f32, tensor<?xf32>
  func.return
}
// CHECK-LABEL: func.func @stored
// CHECK-SAME:    (%[[I:.*]]: i64, %{{.*}}: f32, %[[C:.*]]: i1)
// CHECK-NEXT:    %[[X:.*]], %[[Y:.*]] = scf.if %[[C]] -> (f32, f32) {
// CHECK-NOT:     obj.new
// CHECK:         obj.store %[[X]], %{{.*}}[%[[I]]]
// CHECK:         obj.store %[[Y]], %{{.*}}[%[[I]]]

// -----

/// An object of one of two classes is its tag and the fields of both.
func.func @of_two_classes(%c: i1, %a: f32) -> f32 {
  %circle = arith.constant -80 : i8
  %p = obj.new(%a) : (f32) -> !obj.object<@Circle {r: f32}>
  %z = arith.constant 0.0 : f32
  %q = obj.new(%z, %z) : (f32, f32) -> !obj.object<@Rect {w: f32, h: f32}>
  %u = obj.union %circle(%p, %q : !obj.object<@Circle {r: f32}>, !obj.object<@Rect {w: f32, h: f32}>) : !obj.union<[!obj.object<@Circle {r: f32}>, !obj.object<@Rect {w: f32, h: f32}>]>
  %t = scf.if %c -> (!obj.union<[!obj.object<@Circle {r: f32}>, !obj.object<@Rect {w: f32, h: f32}>]>) {
    scf.yield %u : !obj.union<[!obj.object<@Circle {r: f32}>, !obj.object<@Rect {w: f32, h: f32}>]>
  } else {
    %rect = arith.constant -20 : i8
    %r = obj.new(%a, %a) : (f32, f32) -> !obj.object<@Rect {w: f32, h: f32}>
    %v = obj.union %rect(%p, %r : !obj.object<@Circle {r: f32}>, !obj.object<@Rect {w: f32, h: f32}>) : !obj.union<[!obj.object<@Circle {r: f32}>, !obj.object<@Rect {w: f32, h: f32}>]>
    scf.yield %v : !obj.union<[!obj.object<@Circle {r: f32}>, !obj.object<@Rect {w: f32, h: f32}>]>
  }
  %s = obj.alternative %t[1] : !obj.union<[!obj.object<@Circle {r: f32}>, !obj.object<@Rect {w: f32, h: f32}>]> -> !obj.object<@Rect {w: f32, h: f32}>
  %w = obj.get %s "w" : !obj.object<@Rect {w: f32, h: f32}> -> f32
  func.return %w : f32
}
// CHECK-LABEL: func.func @of_two_classes
// CHECK-SAME:    (%[[C:.*]]: i1, %[[A:.*]]: f32)
// CHECK:         %[[CIRCLE:.*]] = arith.constant -80 : i8
// CHECK-NEXT:    %[[Z:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    %{{.*}}, %{{.*}}, %[[W:.*]], %{{.*}} = scf.if %[[C]] -> (i8, f32, f32, f32) {
// CHECK-NEXT:      scf.yield %[[CIRCLE]], %[[A]], %[[Z]], %[[Z]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[RECT:.*]] = arith.constant -20 : i8
// CHECK-NEXT:      scf.yield %[[RECT]], %[[A]], %[[A]], %[[A]]
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[W]] : f32
