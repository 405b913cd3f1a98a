// RUN: not hetc-opt %s -p specialize 2>&1 | filecheck %s

/// Without identities in its table, an object is not returned.
obj.class @Node ["x"] is ["Node", "object"] {mutable}
skel.capture @Node_x : tensor<?xf32> {dims = array<i64: 1>}
obj.table @Node ["x"] [#obj.column<@Node_x>]
func.func @unknown(%0: tensor<?xsi32> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.object> attributes {skel.entry, skel.container = "list"} {
  %1 = skel.map(%0) : (tensor<?xsi32>) -> tensor<?x!dyn.object> {
  ^bb0(%i: !dyn.object):
    %x = dyn.global @Node_x
    %all = dyn.refer %x @Node whole
    %one = dyn.getitem %all[%i]
    skel.yield %one : !dyn.object
  }
  func.return %1 : tensor<?x!dyn.object>
}
// CHECK: HETC0013: an object that came from outside is returned
