// RUN: hetc-opt %s --split-input-file --verify-diagnostics | filecheck %s

/// Only numbers of Python and NumPy are boxed.
func.func private @source(!obj.boxed<index>)
// CHECK: index is not the source type of a number

// -----

/// A tuple is not one number.
func.func private @source_tuple(!obj.boxed<tuple<f32>>)
// CHECK: tuple<f32> is not the source type of a number

// -----

/// The parts of a complex number are floats.
func.func private @source_complex(!obj.boxed<complex<i32>>)
// CHECK: complex<i32> is not the source type of a number

// -----

/// No scalar of NumPy is a `bf16`.
func.func private @source_brain(!obj.boxed<bf16>)
// CHECK: bf16 is not the source type of a number

// -----

func.func @box(%x: f32) {
  %0 = obj.box %x : f32 -> !obj.boxed<!dyn.int>
  func.return
}
// CHECK: the payload of !obj.boxed<!dyn.int> is i64, not f32

// -----

/// Payloads have no sign: it is in the source type.
func.func @unbox(%x: !obj.boxed<si8>) {
  %0 = obj.unbox %x : !obj.boxed<si8> -> si8
  func.return
}
// CHECK: the payload of !obj.boxed<si8> is i8, not si8

// -----

func.func @pack(%a: !obj.boxed<f32>) {
  %0 = obj.pack(%a, %a : !obj.boxed<f32>, !obj.boxed<f32>) : tuple<!obj.boxed<f32>, !obj.boxed<f64>>
  func.return
}
// CHECK: the tuple type must list the types of the items

// -----

func.func @as_list(%t: tuple<!obj.boxed<f32>>) {
  %0 = obj.as_list %t : tuple<!obj.boxed<f32>> -> !obj.list<tuple<!obj.boxed<f64>>>
  func.return
}
// CHECK: the list type must list the types of the items

// -----

func.func @list_items(%l: !obj.list<tuple<!obj.boxed<f32>>>) {
  %0 = obj.list_items %l : !obj.list<tuple<!obj.boxed<f32>>> -> tuple<!obj.boxed<f64>>
  func.return
}
// CHECK: the tuple must have the types of the items

// -----

func.func @extract_outside(%t: tuple<!obj.boxed<f32>, !obj.boxed<i1>>) {
  %0 = obj.extract %t[2] : tuple<!obj.boxed<f32>, !obj.boxed<i1>> -> !obj.boxed<f32>
  func.return
}
// CHECK: index 2 is outside a tuple of 2 items

// -----

/// Indices of tuples are already counted from the front.
func.func @extract_negative(%t: tuple<!obj.boxed<f32>, !obj.boxed<i1>>) {
  %0 = obj.extract %t[-1] : tuple<!obj.boxed<f32>, !obj.boxed<i1>> -> !obj.boxed<i1>
  func.return
}
// CHECK: index -1 is outside a tuple of 2 items

// -----

func.func @extract_type(%t: tuple<!obj.boxed<f32>, !obj.boxed<i1>>) {
  %0 = obj.extract %t[0] : tuple<!obj.boxed<f32>, !obj.boxed<i1>> -> !obj.boxed<i1>
  func.return
}
// CHECK: the result must have the type of the item

// -----

func.func @load(%m: tensor<?x?xf32>, %i: i64) {
  %0 = obj.load %m[%i] : tensor<?x?xf32> -> f32
  func.return
}
// CHECK: an array is indexed by as many indices as it has dimensions

// -----

/// What is loaded is the payload of an element.
func.func @load_type(%a: tensor<?xsi32>, %i: i64) {
  %0 = obj.load %a[%i] : tensor<?xsi32> -> f32
  func.return
}
// CHECK: the payload of !obj.boxed<si32> is i32, not f32

// -----

/// Arrays hold numbers; an array of tuples is one array a component.
func.func @load_tuple(%a: tensor<?xtuple<f32>>, %i: i64) {
  %0 = obj.load %a[%i] : tensor<?xtuple<f32>> -> f32
  func.return
}
// CHECK: tuple<f32> is not the source type of a number

// -----

func.func @one_alternative(%u: !obj.union<[!dyn.none]>) {
  func.return
}
// CHECK: a union has at least two alternatives, all of them different

// -----

func.func @alternatives(%t: i8, %n: !dyn.none, %a: !obj.boxed<f32>) {
  %0 = obj.union %t(%a, %n : !obj.boxed<f32>, !dyn.none) : !obj.union<[!dyn.none, !obj.boxed<f32>]>
  func.return
}
// CHECK: the union type must list the types of the alternatives

// -----

func.func @alternative_outside(%u: !obj.union<[!dyn.none, !obj.boxed<f32>]>) {
  %0 = obj.alternative %u[2] : !obj.union<[!dyn.none, !obj.boxed<f32>]> -> !obj.boxed<f32>
  func.return
}
// CHECK: index 2 is outside a union of 2 alternatives

// -----

func.func @alternative_type(%u: !obj.union<[!dyn.none, !obj.boxed<f32>]>) {
  %0 = obj.alternative %u[0] : !obj.union<[!dyn.none, !obj.boxed<f32>]> -> !obj.boxed<f32>
  func.return
}
// CHECK: the result must have the type of the alternative

// -----

func.func @store_rank(%a: tensor<?x?xf32>, %i: i64, %x: f32) {
  obj.store %x, %a[%i] : f32, tensor<?x?xf32>
  func.return
}
// CHECK: an array is indexed by as many indices as it has dimensions

// -----

func.func @store_payload(%a: tensor<?xsi32>, %i: i64, %x: f32) {
  obj.store %x, %a[%i] : f32, tensor<?xsi32>
  func.return
}
// CHECK: the payload of !obj.boxed<si32> is i32, not f32

// -----

func.func @accumulate_narrow(%a: tensor<?xsi16>, %i: i64, %x: i16) {
  obj.accumulate %x, %a[%i] : i16, tensor<?xsi16>
  func.return
}
// CHECK: devices add integers of 32 and 64 bits in one step, no others

// -----

func.func @accumulate_rank(%a: tensor<?x?xsi32>, %i: i64, %x: i32) {
  obj.accumulate %x, %a[%i] : i32, tensor<?x?xsi32>
  func.return
}
// CHECK: an array is indexed by as many indices as it has dimensions

// -----

func.func @no_field(%p: !obj.object<@Point {x: !obj.boxed<f32>}>) {
  %0 = obj.get %p "y" : !obj.object<@Point {x: !obj.boxed<f32>}> -> !obj.boxed<f32>
  func.return
}
// CHECK: the object has no field 'y'

// -----

func.func @field_type(%p: !obj.object<@Point {x: !obj.boxed<f32>}>) {
  %0 = obj.get %p "x" : !obj.object<@Point {x: !obj.boxed<f32>}> -> !obj.boxed<f64>
  func.return
}
// CHECK: the result must have the type of the field

// -----

func.func @object_type(%a: !obj.boxed<f32>) {
  %0 = obj.new(%a) : (!obj.boxed<f32>) -> !obj.object<@Point {x: !obj.boxed<f64>}>
  func.return
}
// CHECK: the object type must list the types of the fields

// -----

func.func private @names(!obj.object<@Point {x: f32, x: f64}>)
// CHECK: the fields of an object have different names

// -----

obj.class @Twice ["x", "x"] is ["Twice", "object"]
// CHECK: the fields of a class have different names

// -----

obj.class @Both ["x"] is ["Both", "object"] {members = {x = #obj.member<"method", @x>}}
// CHECK: 'x' cannot be a field and a method

// -----

obj.class @Other [] is ["Other", "object"] {members = {x = 1 : i64}}
// CHECK: 'x' must be an #obj.member

// -----

obj.class @Kind [] is ["Kind", "object"] {members = {x = #obj.member<"friend", @x>}}
// CHECK: unknown kind 'friend' of member, expected one of method, static, class, property, setter, constant, fields, refused

// -----

obj.class @Meaning [] is ["Meaning", "object"] {members = {x = #obj.member<"fields", @x>}}
// CHECK: a member of kind 'fields' cannot mean @x

// -----

obj.table @Names ["x", "x"] [#obj.column<@x>, #obj.column<@y>]
// CHECK: the fields of a table have different names

// -----

obj.table @Columns ["x", "y"] [#obj.column<@x>]
// CHECK: a table has one column a field
