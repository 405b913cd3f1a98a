// RUN: not hetc-opt %s -p check-dependences 2>&1 | filecheck %s

/// An iteration reads what the one before it stores.
skel.capture @a : tensor<?xf32>
func.func @recurrence(%r: !skel.sequence<!dyn.int>) attributes {skel.entry} {
  skel.forall(%r) : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    %a = skel.captured @a : tensor<?xf32>
    %one = arith.constant 1 : i64
    %before = arith.subi %i, %one : i64
    %x = obj.load %a[%before] mutable : tensor<?xf32> -> f32
    obj.store %x, %a[%i] : f32, tensor<?xf32>
    skel.yield
  }
  func.return
}
// CHECK: HETC0017: one iteration may store here to an element of 'a' that another one reads
