// RUN: hetc-opt %s --split-input-file -p inline | filecheck %s
// RUN: hetc-opt %s --split-input-file -p inline,inline | filecheck %s

/// A call becomes the callee's body on the call's operands, and the callee goes.
func.func @caller(%x: f32, %y: f32) -> f32 {
  %0 = func.call @difference(%y, %x) : (f32, f32) -> f32
  func.return %0 : f32
}
func.func private @difference(%a: f32, %b: f32) -> f32 {
  %0 = arith.subf %a, %b : f32
  func.return %0 : f32
}
// CHECK-LABEL: func.func @caller
// CHECK-SAME:    (%[[X:.*]]: f32, %[[Y:.*]]: f32) -> f32
// CHECK-NEXT:    %[[D:.*]] = arith.subf %[[Y]], %[[X]] : f32
// CHECK-NEXT:    func.return %[[D]] : f32
// CHECK-NOT:     func.func

// -----

/// Calls in a callee are inlined too, and each call gets a copy of its own.
func.func @fourth_power(%x: f32) -> f32 {
  %0 = func.call @fourth(%x) : (f32) -> f32
  func.return %0 : f32
}
func.func private @fourth(%a: f32) -> f32 {
  %0 = func.call @square(%a) : (f32) -> f32
  %1 = func.call @square(%0) : (f32) -> f32
  func.return %1 : f32
}
func.func private @square(%a: f32) -> f32 {
  %0 = arith.mulf %a, %a : f32
  func.return %0 : f32
}
// CHECK-LABEL: func.func @fourth_power
// CHECK-SAME:    (%[[X:.*]]: f32)
// CHECK-NEXT:    %[[S:.*]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK-NEXT:    %[[F:.*]] = arith.mulf %[[S]], %[[S]] : f32
// CHECK-NEXT:    func.return %[[F]] : f32
// CHECK-NOT:     func.func

// -----

/// A callee may return its arguments as they are, in any order and more than once.
func.func @permute(%x: f32, %y: i32) -> (i32, f32, i32) {
  %0, %1, %2 = func.call @swap(%x, %y) : (f32, i32) -> (i32, f32, i32)
  func.return %0, %1, %2 : i32, f32, i32
}
func.func private @swap(%a: f32, %b: i32) -> (i32, f32, i32) {
  func.return %b, %a, %b : i32, f32, i32
}
// CHECK-LABEL: func.func @permute
// CHECK-SAME:    (%[[X:.*]]: f32, %[[Y:.*]]: i32)
// CHECK-NEXT:    func.return %[[Y]], %[[X]], %[[Y]] : i32, f32, i32

// -----

/// Calls are found in skeletons, branches and loops, and control flow in a callee comes along, guards included.
func.func @nested(%x: tensor<?xf32>) -> tensor<?xf32> {
  %z = skel.map(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32):
    %t = arith.constant true
    %r = scf.if %t -> (f32) {
      %0 = func.call @checked(%a) : (f32) -> f32
      scf.yield %0 : f32
    } else {
      scf.yield %a : f32
    }
    skel.yield %r : f32
  }
  func.return %z : tensor<?xf32>
}
func.func private @checked(%v: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %ok = arith.cmpf ogt, %v, %zero : f32
  guard.require %ok, domain, "positive"
  %r = scf.if %ok -> (f32) {
    scf.yield %v : f32
  } else {
    scf.yield %zero : f32
  }
  func.return %r : f32
}
// CHECK-LABEL: func.func @nested
// CHECK:         ^{{.*}}(%[[A:.*]]: f32):
// CHECK:           scf.if %{{.*}} -> (f32) {
// CHECK:             %[[OK:.*]] = arith.cmpf ogt, %[[A]], %{{.*}} : f32
// CHECK-NEXT:        guard.require %[[OK]], domain, "positive"
// CHECK-NEXT:        %[[R:.*]] = scf.if %[[OK]] -> (f32) {
// CHECK-NEXT:          scf.yield %[[A]] : f32
// CHECK:             scf.yield %[[R]] : f32
// CHECK-NOT:     func.call

// -----

/// A private function that nobody calls goes as well; a public one stays, even where it is called by nobody.
func.func @public(%x: f32) -> f32 {
  func.return %x : f32
}
func.func private @nobody_calls_me(%a: f32) -> f32 {
  func.return %a : f32
}
// CHECK:     func.func @public
// CHECK-NOT: @nobody_calls_me
