// RUN: hetc-opt %s | hetc-opt | filecheck %s

func.func @lists(%n: i64, %x: i64, %y: f64) -> (i64, i64) {
  %empty = heap.new %n : !heap.list<!dyn.int>
  %one = heap.append %empty, (%x : i64) : !heap.list<!dyn.int>
  %two = heap.append %one, (%x : i64) in_room : !heap.list<!dyn.int>
  %length = heap.length %two : !heap.list<!dyn.int>
  %item = heap.load %two[%n] : !heap.list<!dyn.int> -> i64
  heap.store %two[%length], (%item : i64) : !heap.list<!dyn.int>
  %pairs = heap.new %n : !heap.list<tuple<!dyn.int, !dyn.float>>
  %pair = heap.append %pairs, (%x, %y : i64, f64) : !heap.list<tuple<!dyn.int, !dyn.float>>
  %a, %b = heap.load %pair[%n] : !heap.list<tuple<!dyn.int, !dyn.float>> -> i64, f64
  %begin, %size, %room = heap.parts %two : !heap.list<!dyn.int>
  %again = heap.from_parts %begin, %size, %room : !heap.list<!dyn.int>
  %where, %many = heap.publish %again : !heap.list<!dyn.int>
  func.return %where, %many : i64, i64
}
// CHECK-LABEL: @lists
// CHECK-NEXT:    %[[EMPTY:.*]] = heap.new %{{.*}} : !heap.list<!dyn.int>
// CHECK-NEXT:    %[[ONE:.*]] = heap.append %[[EMPTY]], (%{{.*}} : i64) : !heap.list<!dyn.int>
// CHECK-NEXT:    %[[TWO:.*]] = heap.append %[[ONE]], (%{{.*}} : i64) in_room : !heap.list<!dyn.int>
// CHECK-NEXT:    %[[LENGTH:.*]] = heap.length %[[TWO]] : !heap.list<!dyn.int>
// CHECK-NEXT:    %[[ITEM:.*]] = heap.load %[[TWO]][%{{.*}}] : !heap.list<!dyn.int> -> i64
// CHECK-NEXT:    heap.store %[[TWO]][%[[LENGTH]]], (%[[ITEM]] : i64) : !heap.list<!dyn.int>
// CHECK-NEXT:    %[[PAIRS:.*]] = heap.new %{{.*}} : !heap.list<tuple<!dyn.int, !dyn.float>>
// CHECK-NEXT:    %[[PAIR:.*]] = heap.append %[[PAIRS]], (%{{.*}}, %{{.*}} : i64, f64) : !heap.list<tuple<!dyn.int, !dyn.float>>
// CHECK-NEXT:    %{{.*}}, %{{.*}} = heap.load %[[PAIR]][%{{.*}}] : !heap.list<tuple<!dyn.int, !dyn.float>> -> i64, f64
// CHECK-NEXT:    %[[BEGIN:.*]], %[[SIZE:.*]], %[[ROOM:.*]] = heap.parts %[[TWO]] : !heap.list<!dyn.int>
// CHECK-NEXT:    %[[AGAIN:.*]] = heap.from_parts %[[BEGIN]], %[[SIZE]], %[[ROOM]] : !heap.list<!dyn.int>
// CHECK-NEXT:    %{{.*}}, %{{.*}} = heap.publish %[[AGAIN]] : !heap.list<!dyn.int>

/// A list of numbers or None has a tag for each item.
func.func @unions(%tag: i8, %x: i64, %list: !heap.list<!obj.union<[!dyn.none, !dyn.int]>>) {
  %longer = heap.append %list, (%tag, %x : i8, i64) : !heap.list<!obj.union<[!dyn.none, !dyn.int]>>
  func.return
}
// CHECK-LABEL: @unions
// CHECK-NEXT:    %{{.*}} = heap.append %{{.*}}, (%{{.*}}, %{{.*}} : i8, i64) : !heap.list<!obj.union<[!dyn.none, !dyn.int]>>
