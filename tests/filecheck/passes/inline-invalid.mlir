// RUN: hetc-opt %s --split-input-file --verify-diagnostics -p inline | filecheck %s

/// A device has no call stack.
func.func @direct(%x: f32) -> f32 {
  %0 = func.call @again(%x) : (f32) -> f32
  func.return %0 : f32
}
func.func private @again(%a: f32) -> f32 {
  %0 = func.call @again(%a) : (f32) -> f32
  func.return %0 : f32
}
// CHECK: inline: @again calls itself (direct -> again -> again)

// -----

/// Recursion over two functions.
func.func @mutual(%x: f32) -> f32 {
  %0 = func.call @even(%x) : (f32) -> f32
  func.return %0 : f32
}
func.func private @even(%a: f32) -> f32 {
  %0 = func.call @odd(%a) : (f32) -> f32
  func.return %0 : f32
}
func.func private @odd(%a: f32) -> f32 {
  %0 = func.call @even(%a) : (f32) -> f32
  func.return %0 : f32
}
// CHECK: inline: @even calls itself (mutual -> even -> odd -> even)

// -----

/// A declaration has nothing to inline.
func.func @declared(%x: f32) -> f32 {
  %0 = func.call @elsewhere(%x) : (f32) -> f32
  func.return %0 : f32
}
func.func private @elsewhere(f32) -> f32
// CHECK: inline: @elsewhere has no body of one block in this module
