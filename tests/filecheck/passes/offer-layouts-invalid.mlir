// RUN: hetc-opt %s -p 'offer-layouts{blocks=16}' --verify-diagnostics | filecheck %s

/// A block has a size along x and one along y.
func.func @f() {
  func.return
}
// CHECK: offer-layouts: blocks have two sizes each, and all sizes are at least 1
