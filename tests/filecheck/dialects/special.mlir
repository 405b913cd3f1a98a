// RUN: hetc-opt %s --split-input-file | hetc-opt --split-input-file --print-op-generic | hetc-opt --split-input-file | filecheck %s
// RUN: hetc-opt %s --split-input-file --print-op-generic | filecheck %s --check-prefix GENERIC

/// The complementary error function of both widths.
func.func @erfc(%x: f64, %y: f32) {
  %0 = special.erfc %x : f64
  %1 = special.erfc %y : f32
  func.return
}
// CHECK-LABEL: @erfc
// CHECK-SAME:    (%[[X:.*]]: f64, %[[Y:.*]]: f32)
// CHECK-NEXT:    %{{.*}} = special.erfc %[[X]] : f64
// CHECK-NEXT:    %{{.*}} = special.erfc %[[Y]] : f32
// GENERIC:       "special.erfc"(%{{.*}}) : (f64) -> f64

// -----

/// The reciprocal of a square root: within 2 ulp, or as near as the device's approximation.
func.func @rsqrt(%x: f64, %y: f32) {
  %0 = special.rsqrt %x : f64
  %1 = special.rsqrt %y fastmath<afn> : f32
  func.return
}
// CHECK-LABEL: @rsqrt
// CHECK-SAME:    (%[[X:.*]]: f64, %[[Y:.*]]: f32)
// CHECK-NEXT:    %{{.*}} = special.rsqrt %[[X]] : f64
// CHECK-NEXT:    %{{.*}} = special.rsqrt %[[Y]] fastmath<afn> : f32
// GENERIC:       "special.rsqrt"(%{{.*}}) <{fastmath = #arith.fastmath<none>}> : (f64) -> f64

// -----

/// Sine and cosine of one angle.
func.func @sincos(%x: f32) -> f32 {
  %s, %c = special.sincos %x : f32
  func.return %c : f32
}
// CHECK-LABEL: @sincos
// CHECK-SAME:    (%[[X:.*]]: f32)
// CHECK-NEXT:    %{{.*}}, %[[C:.*]] = special.sincos %[[X]] : f32
// CHECK-NEXT:    func.return %[[C]] : f32
// GENERIC:       "special.sincos"(%{{.*}}) : (f32) -> (f32, f32)
