// RUN: hetc-opt %s --verify-diagnostics -p 'choose-index-space{tail=mask}' | filecheck %s
// RUN: hetc-opt %s --verify-diagnostics -p 'choose-index-space{index-bits=16}' | filecheck %s
// RUN: hetc-opt %s --verify-diagnostics -p 'choose-index-space{group=-1}' | filecheck %s

/// Options that no device has are refused in one line.
func.func @entry() attributes {skel.entry} {
  func.return
}
// CHECK: choose-index-space: tail is one of exact, guard, split, single, index-bits 32 or 64, groups at least 0
