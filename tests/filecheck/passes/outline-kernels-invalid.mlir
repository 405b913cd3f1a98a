// RUN: hetc-opt %s --split-input-file --verify-diagnostics -p outline-kernels | filecheck %s

/// A class that may be outside of its range is asked for by a guard, and nobody would know in time that it has failed.
func.func @unsafe(%k: tensor<?xsi64> {skel.path = array<i64: 0>}) -> tensor<?xsi64> attributes {skel.entry, skel.container = "ndarray", skel.result = si64} {
  %y = skel.partition(%k) classes 4 : (tensor<?xsi64>) -> tensor<?xsi64> {
  ^bb0(%key: i64):
    %four = arith.constant 4 : i64
    %inside = arith.cmpi ult, %key, %four : i64
    guard.require %inside, bounds, "index out of range"
    skel.yield %key : i64
  }
  func.return %y : tensor<?xsi64>
}
// CHECK: outline-kernels: what tells the class of an element may fail
