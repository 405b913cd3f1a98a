// RUN: hetc-opt %s --split-input-file -p peel-borders | filecheck %s
// RUN: hetc-opt %s --split-input-file -p peel-borders | hetc-opt --split-input-file -p peel-borders | filecheck %s

/// In the interior neighbours are where they are; at the border "clamp" takes the nearest element. The margins are how far
/// the windows reach: one row up, and up to the radius where the offset varies.
func.func @clamp(%r: !skel.sequence<!dyn.int>, %c: !skel.sequence<!dyn.int>, %n: i64, %d: i64) -> tensor<?x!dyn.int> {
  %0 = skel.forall(%r, %c) : (!skel.sequence<!dyn.int>, !skel.sequence<!dyn.int>) -> tensor<?x!dyn.int> {
  ^bb0(%i: i64, %j: i64):
    %up = arith.constant -1 : i64
    %fact = guard.fact %i in [0, 100] : i64
    %p = skel.neighbor %fact, %up of %n radius 2 "clamp"
    %q = skel.neighbor %j, %d of %n radius 2 "clamp"
    %s = arith.addi %p, %q : i64
    skel.yield %s : i64
  }
  func.return %0 : tensor<?x!dyn.int>
}
// CHECK-LABEL: func.func @clamp
// CHECK:         skel.forall(%{{.*}}, %{{.*}}) margins [1, 0, 2, 2]
// CHECK:           %[[UP:.*]] = arith.constant -1
// CHECK-NEXT:      %[[I:.*]] = guard.fact
// CHECK-NEXT:      %[[P:.*]] = arith.addi %[[I]], %[[UP]] : i64
// CHECK-NEXT:      %[[Q:.*]] = arith.addi %{{.*}}, %d : i64
// CHECK-NEXT:      arith.addi %[[P]], %[[Q]] : i64
// CHECK-NEXT:      skel.yield
// CHECK-NEXT:    } border {
// CHECK:           %[[P:.*]] = arith.addi
// CHECK:           %[[LAST:.*]] = arith.subi %n, %{{.*}} : i64
// CHECK-NEXT:      %[[LOW:.*]] = arith.minsi %[[P]], %[[LAST]] : i64
// CHECK:           arith.maxsi %[[LOW]], %{{.*}} : i64
// CHECK:           skel.yield

// -----

/// The other boundaries, and what is beyond a constant one.
func.func @others(%r: !skel.sequence<!dyn.int>, %n: i64) -> tensor<?x!dyn.int> {
  %0 = skel.forall(%r) : (!skel.sequence<!dyn.int>) -> tensor<?x!dyn.int> {
  ^bb0(%i: i64):
    %one = arith.constant 1 : i64
    %inside = skel.inside %i, %one of %n radius 1
    %wrap = skel.neighbor %i, %one of %n radius 1 "wrap"
    %mirror = skel.neighbor %i, %one of %n radius 1 "mirror"
    %reflect = skel.neighbor %i, %one of %n radius 1 "reflect"
    %a = arith.addi %wrap, %mirror : i64
    %b = arith.addi %a, %reflect : i64
    %c = arith.select %inside, %b, %one : i64
    skel.yield %c : i64
  }
  func.return %0 : tensor<?x!dyn.int>
}
// CHECK-LABEL: func.func @others
// CHECK:         skel.forall(%{{.*}}) margins [0, 1]
// CHECK:           arith.constant true
// CHECK-COUNT-3:   arith.addi %{{.*}}, %one : i64
// CHECK:         } border {
// CHECK:           arith.cmpi sge
// CHECK:           arith.cmpi slt
// CHECK:           arith.andi
// CHECK-COUNT-2:   arith.remsi %{{.*}}, %n : i64
// CHECK:           %[[ENDS:.*]] = arith.subi %n, %{{.*}} : i64
// CHECK-NEXT:      %[[TWICE:.*]] = arith.addi %[[ENDS]], %[[ENDS]] : i64
// CHECK-NEXT:      %[[PERIOD:.*]] = arith.maxsi %[[TWICE]], %{{.*}} : i64
// CHECK-COUNT-2:   arith.remsi %{{.*}}, %[[PERIOD]] : i64
// CHECK:           arith.minsi
// CHECK:           %[[PERIOD:.*]] = arith.addi %n, %n : i64
// CHECK-COUNT-2:   arith.remsi %{{.*}}, %[[PERIOD]] : i64
// CHECK:           arith.minsi

// -----

/// A window that reaches nowhere has no border; nor has a loop without windows.
func.func @point(%r: !skel.sequence<!dyn.int>, %n: i64) -> (tensor<?x!dyn.int>, tensor<?x!dyn.int>) {
  %0 = skel.forall(%r) : (!skel.sequence<!dyn.int>) -> tensor<?x!dyn.int> {
  ^bb0(%i: i64):
    %zero = arith.constant 0 : i64
    %p = skel.neighbor %i, %zero of %n radius 1 "wrap"
    skel.yield %p : i64
  }
  %1 = skel.forall(%r) : (!skel.sequence<!dyn.int>) -> tensor<?x!dyn.int> {
  ^bb0(%i: i64):
    skel.yield %i : i64
  }
  func.return %0, %1 : tensor<?x!dyn.int>, tensor<?x!dyn.int>
}
// CHECK-LABEL: func.func @point
// CHECK-NOT:     margins
// CHECK-NOT:     border
// CHECK:         func.return
