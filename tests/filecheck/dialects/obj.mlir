// RUN: hetc-opt %s --split-input-file | hetc-opt --split-input-file --print-op-generic | hetc-opt --split-input-file | filecheck %s
// RUN: hetc-opt %s --split-input-file --print-op-generic | filecheck %s --check-prefix GENERIC
// RUN: hetc-opt %s --split-input-file -p canonicalize | filecheck %s --check-prefix CANON

/// Boxes of all source types; signedness is in the source type alone.
func.func @box(%a: i64, %b: f64, %c: i1, %d: i8, %e: f32, %z: complex<f64>, %w: complex<f32>, %h: f16) {
  %0 = obj.box %a : i64 -> !obj.boxed<!dyn.int>
  %1 = obj.box %b : f64 -> !obj.boxed<!dyn.float>
  %2 = obj.box %c : i1 -> !obj.boxed<!dyn.bool>
  %3 = obj.box %c : i1 -> !obj.boxed<i1>
  %4 = obj.box %d : i8 -> !obj.boxed<si8>
  %5 = obj.box %d : i8 -> !obj.boxed<ui8>
  %6 = obj.box %a : i64 -> !obj.boxed<ui64>
  %7 = obj.box %e : f32 -> !obj.boxed<f32>
  %8 = obj.box %b : f64 -> !obj.boxed<f64>
  %9 = obj.box %z : complex<f64> -> !obj.boxed<!dyn.complex>
  %10 = obj.box %z : complex<f64> -> !obj.boxed<complex<f64>>
  %11 = obj.box %w : complex<f32> -> !obj.boxed<complex<f32>>
  %12 = obj.box %h : f16 -> !obj.boxed<f16>
  func.return
}
// CHECK-LABEL: @box
// CHECK-SAME:    (%[[A:.*]]: i64, %[[B:.*]]: f64, %[[C:.*]]: i1, %[[D:.*]]: i8, %[[E:.*]]: f32, %[[Z:.*]]: complex<f64>, %[[W:.*]]: complex<f32>, %[[H:.*]]: f16)
// CHECK-NEXT:    %{{.*}} = obj.box %[[A]] : i64 -> !obj.boxed<!dyn.int>
// CHECK-NEXT:    %{{.*}} = obj.box %[[B]] : f64 -> !obj.boxed<!dyn.float>
// CHECK-NEXT:    %{{.*}} = obj.box %[[C]] : i1 -> !obj.boxed<!dyn.bool>
// CHECK-NEXT:    %{{.*}} = obj.box %[[C]] : i1 -> !obj.boxed<i1>
// CHECK-NEXT:    %{{.*}} = obj.box %[[D]] : i8 -> !obj.boxed<si8>
// CHECK-NEXT:    %{{.*}} = obj.box %[[D]] : i8 -> !obj.boxed<ui8>
// CHECK-NEXT:    %{{.*}} = obj.box %[[A]] : i64 -> !obj.boxed<ui64>
// CHECK-NEXT:    %{{.*}} = obj.box %[[E]] : f32 -> !obj.boxed<f32>
// CHECK-NEXT:    %{{.*}} = obj.box %[[B]] : f64 -> !obj.boxed<f64>
// CHECK-NEXT:    %{{.*}} = obj.box %[[Z]] : complex<f64> -> !obj.boxed<!dyn.complex>
// CHECK-NEXT:    %{{.*}} = obj.box %[[Z]] : complex<f64> -> !obj.boxed<complex<f64>>
// CHECK-NEXT:    %{{.*}} = obj.box %[[W]] : complex<f32> -> !obj.boxed<complex<f32>>
// CHECK-NEXT:    %{{.*}} = obj.box %[[H]] : f16 -> !obj.boxed<f16>
// GENERIC-LABEL: sym_name = "box"
// GENERIC:         "obj.box"(%{{.*}}) : (i64) -> !obj.boxed<!dyn.int>
// CANON-LABEL: @box
// CANON-NEXT:    func.return

// -----

/// A box that came from elsewhere is opened here: nothing to simplify.
func.func @unbox(%a: !obj.boxed<!dyn.int>) -> i64 {
  %0 = obj.unbox %a : !obj.boxed<!dyn.int> -> i64
  func.return %0 : i64
}
// CHECK-LABEL: @unbox
// CHECK-SAME:    (%[[A:.*]]: !obj.boxed<!dyn.int>) -> i64
// CHECK-NEXT:    %{{.*}} = obj.unbox %[[A]] : !obj.boxed<!dyn.int> -> i64
// GENERIC-LABEL: sym_name = "unbox"
// GENERIC:         "obj.unbox"(%{{.*}}) : (!obj.boxed<!dyn.int>) -> i64
// CANON-LABEL: @unbox
// CANON-NEXT:    %[[X:.*]] = obj.unbox
// CANON-NEXT:    func.return %[[X]]

// -----

/// unbox(box(x)) -> x.
func.func @unbox_of_box(%x: i32) -> i32 {
  %0 = obj.box %x : i32 -> !obj.boxed<ui32>
  %1 = obj.unbox %0 : !obj.boxed<ui32> -> i32
  func.return %1 : i32
}
// CHECK-LABEL: @unbox_of_box
// GENERIC-LABEL: sym_name = "unbox_of_box"
// CANON-LABEL: @unbox_of_box
// CANON-SAME:    (%[[X:.*]]: i32) -> i32
// CANON-NEXT:    func.return %[[X]]

// -----

/// The box stays if something else holds on to it; the pair around it goes all the same.
func.func @box_used_twice(%x: f32) -> (f32, !obj.boxed<f32>) {
  %0 = obj.box %x : f32 -> !obj.boxed<f32>
  %1 = obj.unbox %0 : !obj.boxed<f32> -> f32
  func.return %1, %0 : f32, !obj.boxed<f32>
}
// CHECK-LABEL: @box_used_twice
// GENERIC-LABEL: sym_name = "box_used_twice"
// CANON-LABEL: @box_used_twice
// CANON-SAME:    (%[[X:.*]]: f32)
// CANON-NEXT:    %[[B:.*]] = obj.box %[[X]]
// CANON-NEXT:    func.return %[[X]], %[[B]]

// -----

/// Tuples: of numbers, nested, empty.
func.func @pack(%a: !obj.boxed<f32>, %b: !obj.boxed<!dyn.int>) -> tuple<tuple<!obj.boxed<f32>, !obj.boxed<!dyn.int>>, tuple<>> {
  %0 = obj.pack(%a, %b : !obj.boxed<f32>, !obj.boxed<!dyn.int>) : tuple<!obj.boxed<f32>, !obj.boxed<!dyn.int>>
  %1 = obj.pack() : tuple<>
  %2 = obj.pack(%0, %1 : tuple<!obj.boxed<f32>, !obj.boxed<!dyn.int>>, tuple<>) : tuple<tuple<!obj.boxed<f32>, !obj.boxed<!dyn.int>>, tuple<>>
  func.return %2 : tuple<tuple<!obj.boxed<f32>, !obj.boxed<!dyn.int>>, tuple<>>
}
// CHECK-LABEL: @pack
// CHECK-SAME:    (%[[A:.*]]: !obj.boxed<f32>, %[[B:.*]]: !obj.boxed<!dyn.int>)
// CHECK-NEXT:    %[[T:.*]] = obj.pack(%[[A]], %[[B]] : !obj.boxed<f32>, !obj.boxed<!dyn.int>) : tuple<!obj.boxed<f32>, !obj.boxed<!dyn.int>>
// CHECK-NEXT:    %[[E:.*]] = obj.pack() : tuple<>
// CHECK-NEXT:    %{{.*}} = obj.pack(%[[T]], %[[E]] : tuple<!obj.boxed<f32>, !obj.boxed<!dyn.int>>, tuple<>) : tuple<tuple<!obj.boxed<f32>, !obj.boxed<!dyn.int>>, tuple<>>
// GENERIC-LABEL: sym_name = "pack"
// GENERIC:         "obj.pack"(%{{.*}}, %{{.*}}) : (!obj.boxed<f32>, !obj.boxed<!dyn.int>) -> tuple<!obj.boxed<f32>, !obj.boxed<!dyn.int>>
// CANON-LABEL: @pack
// CANON-COUNT-3: obj.pack

// -----

/// A list of a tuple's items, and the tuple of a list's.
func.func @list(%t: tuple<!obj.boxed<f32>, !obj.boxed<i1>>) -> tuple<!obj.boxed<f32>, !obj.boxed<i1>> {
  %0 = obj.as_list %t : tuple<!obj.boxed<f32>, !obj.boxed<i1>> -> !obj.list<tuple<!obj.boxed<f32>, !obj.boxed<i1>>>
  %1 = obj.list_items %0 : !obj.list<tuple<!obj.boxed<f32>, !obj.boxed<i1>>> -> tuple<!obj.boxed<f32>, !obj.boxed<i1>>
  func.return %1 : tuple<!obj.boxed<f32>, !obj.boxed<i1>>
}
// CHECK-LABEL: @list
// CHECK-SAME:    (%[[T:.*]]: tuple<!obj.boxed<f32>, !obj.boxed<i1>>)
// CHECK-NEXT:    %[[L:.*]] = obj.as_list %[[T]] : tuple<!obj.boxed<f32>, !obj.boxed<i1>> -> !obj.list<tuple<!obj.boxed<f32>, !obj.boxed<i1>>>
// CHECK-NEXT:    %{{.*}} = obj.list_items %[[L]] : !obj.list<tuple<!obj.boxed<f32>, !obj.boxed<i1>>> -> tuple<!obj.boxed<f32>, !obj.boxed<i1>>
// GENERIC-LABEL: sym_name = "list"
// GENERIC:         "obj.as_list"(%{{.*}}) : (tuple<!obj.boxed<f32>, !obj.boxed<i1>>) -> !obj.list<tuple<!obj.boxed<f32>, !obj.boxed<i1>>>
// GENERIC:         "obj.list_items"(%{{.*}}) : (!obj.list<tuple<!obj.boxed<f32>, !obj.boxed<i1>>>) -> tuple<!obj.boxed<f32>, !obj.boxed<i1>>
// CANON-LABEL: @list

// -----

/// Items of a tuple that came from elsewhere.
func.func @extract(%t: tuple<!obj.boxed<f32>, tuple<!obj.boxed<i1>>>) -> (!obj.boxed<f32>, tuple<!obj.boxed<i1>>) {
  %0 = obj.extract %t[0] : tuple<!obj.boxed<f32>, tuple<!obj.boxed<i1>>> -> !obj.boxed<f32>
  %1 = obj.extract %t[1] : tuple<!obj.boxed<f32>, tuple<!obj.boxed<i1>>> -> tuple<!obj.boxed<i1>>
  func.return %0, %1 : !obj.boxed<f32>, tuple<!obj.boxed<i1>>
}
// CHECK-LABEL: @extract
// CHECK-SAME:    (%[[T:.*]]: tuple<!obj.boxed<f32>, tuple<!obj.boxed<i1>>>)
// CHECK-NEXT:    %{{.*}} = obj.extract %[[T]][0] : tuple<!obj.boxed<f32>, tuple<!obj.boxed<i1>>> -> !obj.boxed<f32>
// CHECK-NEXT:    %{{.*}} = obj.extract %[[T]][1] : tuple<!obj.boxed<f32>, tuple<!obj.boxed<i1>>> -> tuple<!obj.boxed<i1>>
// GENERIC-LABEL: sym_name = "extract"
// GENERIC:         "obj.extract"(%{{.*}}) <{index = 0 : i64}>
// CANON-LABEL: @extract
// CANON-COUNT-2: obj.extract

// -----

/// extract(pack(x0, x1), 1) -> x1.
func.func @extract_of_pack(%a: !obj.boxed<f32>, %b: !obj.boxed<i1>) -> !obj.boxed<i1> {
  %0 = obj.pack(%a, %b : !obj.boxed<f32>, !obj.boxed<i1>) : tuple<!obj.boxed<f32>, !obj.boxed<i1>>
  %1 = obj.extract %0[1] : tuple<!obj.boxed<f32>, !obj.boxed<i1>> -> !obj.boxed<i1>
  func.return %1 : !obj.boxed<i1>
}
// CHECK-LABEL: @extract_of_pack
// GENERIC-LABEL: sym_name = "extract_of_pack"
// CANON-LABEL: @extract_of_pack
// CANON-SAME:    (%{{.*}}: !obj.boxed<f32>, %[[B:.*]]: !obj.boxed<i1>)
// CANON-NEXT:    func.return %[[B]]

// -----

/// An element of a one- and of a two-dimensional array.
func.func @load(%a: tensor<?xsi32>, %m: tensor<?x?x!dyn.float>, %i: i64, %j: i64) -> (i32, f64) {
  %0 = obj.load %a[%i] : tensor<?xsi32> -> i32
  %1 = obj.load %m[%i, %j] : tensor<?x?x!dyn.float> -> f64
  func.return %0, %1 : i32, f64
}
// CHECK-LABEL: @load
// CHECK-SAME:    (%[[A:.*]]: tensor<?xsi32>, %[[M:.*]]: tensor<?x?x!dyn.float>, %[[I:.*]]: i64, %[[J:.*]]: i64)
// CHECK-NEXT:    %{{.*}} = obj.load %[[A]][%[[I]]] : tensor<?xsi32> -> i32
// CHECK-NEXT:    %{{.*}} = obj.load %[[M]][%[[I]], %[[J]]] : tensor<?x?x!dyn.float> -> f64
// GENERIC-LABEL: sym_name = "load"
// GENERIC:         "obj.load"(%{{.*}}, %{{.*}}) : (tensor<?xsi32>, i64) -> i32
// CANON-LABEL: @load

// -----

/// A value of several types: its tag, and the alternative that the tag says.
func.func @union(%t: i8, %a: !obj.boxed<!dyn.int>) -> !obj.boxed<!dyn.int> {
  %n = obj.none
  %u = obj.union %t(%n, %a : !dyn.none, !obj.boxed<!dyn.int>) : !obj.union<[!dyn.none, !obj.boxed<!dyn.int>]>
  %0 = obj.tag %u : !obj.union<[!dyn.none, !obj.boxed<!dyn.int>]>
  %1 = obj.alternative %u[1] : !obj.union<[!dyn.none, !obj.boxed<!dyn.int>]> -> !obj.boxed<!dyn.int>
  func.return %1 : !obj.boxed<!dyn.int>
}
// CHECK-LABEL: @union
// CHECK-SAME:    (%[[T:.*]]: i8, %[[A:.*]]: !obj.boxed<!dyn.int>)
// CHECK-NEXT:    %[[N:.*]] = obj.none
// CHECK-NEXT:    %[[U:.*]] = obj.union %[[T]](%[[N]], %[[A]] : !dyn.none, !obj.boxed<!dyn.int>) : !obj.union<[!dyn.none, !obj.boxed<!dyn.int>]>
// CHECK-NEXT:    %{{.*}} = obj.tag %[[U]] : !obj.union<[!dyn.none, !obj.boxed<!dyn.int>]>
// CHECK-NEXT:    %{{.*}} = obj.alternative %[[U]][1] : !obj.union<[!dyn.none, !obj.boxed<!dyn.int>]> -> !obj.boxed<!dyn.int>
// GENERIC-LABEL: sym_name = "union"
// GENERIC:         "obj.alternative"(%{{.*}}) <{index = 1 : i64}>
// CANON-LABEL: @union

// -----

/// A load of an array that is stored to stays on its side of the store; an unused one goes.
func.func @store(%a: tensor<?xsi32>, %m: tensor<?x?xf32>, %i: i64, %x: f32) -> (i32, i32) {
  %0 = obj.load %a[%i] mutable : tensor<?xsi32> -> i32
  obj.store %0, %a[%i] : i32, tensor<?xsi32>
  %1 = obj.load %a[%i] mutable : tensor<?xsi32> -> i32
  %2 = obj.load %m[%i, %i] mutable : tensor<?x?xf32> -> f32
  obj.store %x, %m[%i, %i] : f32, tensor<?x?xf32>
  func.return %0, %1 : i32, i32
}
// CHECK-LABEL: @store
// CHECK-SAME:    (%[[A:.*]]: tensor<?xsi32>, %[[M:.*]]: tensor<?x?xf32>, %[[I:.*]]: i64, %[[X:.*]]: f32)
// CHECK-NEXT:    %[[OLD:.*]] = obj.load %[[A]][%[[I]]] mutable : tensor<?xsi32> -> i32
// CHECK-NEXT:    obj.store %[[OLD]], %[[A]][%[[I]]] : i32, tensor<?xsi32>
// CHECK-NEXT:    %{{.*}} = obj.load %[[A]][%[[I]]] mutable : tensor<?xsi32> -> i32
// CHECK:         obj.store %[[X]], %[[M]][%[[I]], %[[I]]] : f32, tensor<?x?xf32>
// GENERIC-LABEL: sym_name = "store"
// GENERIC:         "obj.store"(%{{.*}}, %{{.*}}, %{{.*}}) : (i32, tensor<?xsi32>, i64) -> ()
// CANON-LABEL: @store
// CANON-NEXT:    obj.load
// CANON-NEXT:    obj.store
// CANON-NEXT:    obj.load
// CANON-NEXT:    obj.store

// -----

/// Additions in one step have an effect, and stay where they are.
func.func @accumulate(%a: tensor<?xsi32>, %m: tensor<?x?xui64>, %i: i64, %x: i32) {
  obj.accumulate %x, %a[%i] : i32, tensor<?xsi32>
  obj.accumulate %i, %m[%i, %i] : i64, tensor<?x?xui64>
  func.return
}
// CHECK-LABEL: @accumulate
// CHECK-NEXT:    obj.accumulate %x, %a[%i] : i32, tensor<?xsi32>
// CHECK-NEXT:    obj.accumulate %i, %m[%i, %i] : i64, tensor<?x?xui64>
// GENERIC-LABEL: sym_name = "accumulate"
// GENERIC:         "obj.accumulate"(%{{.*}}, %{{.*}}, %{{.*}}) : (i32, tensor<?xsi32>, i64) -> ()
// CANON-LABEL: @accumulate
// CANON-NEXT:    obj.accumulate
// CANON-NEXT:    obj.accumulate

// -----

/// A class, an object made of its fields, and a field read; one that came from outside has a type of its own.
obj.class @Point ["x", "y"] is ["Point", "object"] {members = {norm = #obj.member<"method", @norm>, K = #obj.member<"constant", @Point_K>}, maker = @new_Point, mutable}
func.func @object(%a: !obj.boxed<f32>, %g: !obj.object<given @Point {x: !obj.boxed<f32>}>) -> !obj.boxed<f32> {
  %p = obj.new(%a, %a) : (!obj.boxed<f32>, !obj.boxed<f32>) -> !obj.object<@Point {x: !obj.boxed<f32>, y: !obj.boxed<f32>}>
  %0 = obj.get %p "y" : !obj.object<@Point {x: !obj.boxed<f32>, y: !obj.boxed<f32>}> -> !obj.boxed<f32>
  func.return %0 : !obj.boxed<f32>
}
// CHECK:       obj.class @Point ["x", "y"] is ["Point", "object"] {members = {norm = #obj.member<"method", @norm>, K = #obj.member<"constant", @Point_K>}, maker = @new_Point, mutable}
// CHECK-LABEL: @object
// CHECK-SAME:    (%[[A:.*]]: !obj.boxed<f32>, %{{.*}}: !obj.object<given @Point {x: !obj.boxed<f32>}>)
// CHECK-NEXT:    %[[P:.*]] = obj.new(%[[A]], %[[A]]) : (!obj.boxed<f32>, !obj.boxed<f32>) -> !obj.object<@Point {x: !obj.boxed<f32>, y: !obj.boxed<f32>}>
// CHECK-NEXT:    %{{.*}} = obj.get %[[P]] "y" : !obj.object<@Point {x: !obj.boxed<f32>, y: !obj.boxed<f32>}> -> !obj.boxed<f32>
// GENERIC-LABEL: sym_name = "object"
// GENERIC:         "obj.get"(%{{.*}}) <{field = "y"}>
// CANON-LABEL: @object
// CANON-SAME:    (%[[A:[a-z]+]]: !obj.boxed<f32>
// CANON-NEXT:    func.return %[[A]]

// -----

/// The objects of a class that references are places of: a column a field, of numbers or of references.
obj.table @Node ["x", "next", "owner"] [#obj.column<@Node_x>, #obj.column<@Node_next to @Node or none>, #obj.column<@Node_owner to @Owner>]
// CHECK:   obj.table @Node ["x", "next", "owner"] [#obj.column<@Node_x>, #obj.column<@Node_next to @Node or none>, #obj.column<@Node_owner to @Owner>]
// GENERIC: "obj.table"() <{cls = @Node, fields = ["x", "next", "owner"], columns = [#obj.column<@Node_x>, #obj.column<@Node_next to @Node or none>, #obj.column<@Node_owner to @Owner>]}>
