// RUN: not hetc-opt %s -t opencl 2>&1 | filecheck %s

/// A skeleton that no pass has outlined is no step of a plan.
func.func @f(%x: tensor<?xf32> {skel.path = array<i64: 0>}) -> tensor<?xf32> attributes {skel.entry, skel.container = "list", skel.result = f32} {
  %z = skel.map(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32):
    skel.yield %a : f32
  }
  func.return %z : tensor<?xf32>
}
// CHECK: error: HETC0040: the op 'skel.map' is not a step of a plan; a pass must lower it first
