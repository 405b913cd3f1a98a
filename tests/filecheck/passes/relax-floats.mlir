// RUN: hetc-opt %s --split-input-file -p 'relax-floats{contract=true}' | filecheck %s
// RUN: hetc-opt %s --split-input-file -p 'relax-floats{exact=sin,divf,rsqrt}' | filecheck %s --check-prefix=EXACT

/// A division by a constant is a product with its reciprocal.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf64>, f64) -> (), kernel}> ({
  ^bb0(%out: memref<?xf64>, %x: f64):
    %i = arith.constant 0 : index
    %c = arith.constant 8.0 : f64
    %y = arith.divf %x, %c fastmath<arcp> : f64
    memref.store %y, %out[%i] : memref<?xf64>
    "gpu.return"() : () -> ()
  }) {sym_name = "constant"} : () -> ()
}) : () -> ()
// CHECK:      ^{{.*}}(%{{.*}}: memref<?xf64>, %[[X:.*]]: f64):
// CHECK:        %[[R:.*]] = arith.constant 1.250000e-01 : f64
// CHECK-NEXT:   %{{.*}} = arith.mulf %[[X]], %[[R]] fastmath<arcp> : f64

// -----

/// Near misses: no flag; a reciprocal that is infinite; one that is not normal.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, f32) -> (), kernel}> ({
  ^bb0(%out: memref<?xf32>, %x: f32):
    %i = arith.constant 0 : index
    %three = arith.constant 3.0 : f32
    %zero = arith.constant 0.0 : f32
    %large = arith.constant 3.0e38 : f32
    %a = arith.divf %x, %three : f32
    %b = arith.divf %a, %zero fastmath<arcp> : f32
    %c = arith.divf %b, %large fastmath<arcp> : f32
    memref.store %c, %out[%i] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "no_reciprocal"} : () -> ()
}) : () -> ()
// CHECK:        arith.divf
// CHECK-NEXT:   arith.divf
// CHECK-NEXT:   arith.divf

// -----

/// A divisor that is the same in all rounds of the loops around: its reciprocal is computed before the outermost.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf64>, f64, f64) -> (), kernel}> ({
  ^bb0(%out: memref<?xf64>, %x: f64, %d: f64):
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %n = arith.constant 9 : index
    %rounds = scf.for %i = %zero to %n step %one iter_args(%outer = %x) -> (f64) {
      %row = scf.for %j = %zero to %n step %one iter_args(%inner = %outer) -> (f64) {
        %next = arith.divf %inner, %d fastmath<arcp> : f64
        scf.yield %next : f64
      }
      scf.yield %row : f64
    }
    memref.store %rounds, %out[%zero] : memref<?xf64>
    "gpu.return"() : () -> ()
  }) {sym_name = "invariant"} : () -> ()
}) : () -> ()
// CHECK:      ^{{.*}}(%{{.*}}: memref<?xf64>, %{{.*}}: f64, %[[D:.*]]: f64):
// CHECK:        %[[ONE:.*]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:   %[[R:.*]] = arith.divf %[[ONE]], %[[D]] : f64
// CHECK-NEXT:   scf.for
// CHECK-NEXT:     scf.for
// CHECK-NEXT:       arith.mulf %{{.*}}, %[[R]] fastmath<arcp> : f64

// -----

/// Near misses: a divisor that each round has anew, and a division outside of loops.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf64>, f64, f64) -> (), kernel}> ({
  ^bb0(%out: memref<?xf64>, %x: f64, %d: f64):
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %n = arith.constant 9 : index
    %rounds = scf.for %i = %zero to %n step %one iter_args(%carried = %x) -> (f64) {
      %divisor = memref.load %out[%i] : memref<?xf64>
      %next = arith.divf %carried, %divisor fastmath<arcp> : f64
      scf.yield %next : f64
    }
    %y = arith.divf %rounds, %d fastmath<arcp> : f64
    memref.store %y, %out[%zero] : memref<?xf64>
    "gpu.return"() : () -> ()
  }) {sym_name = "variant"} : () -> ()
}) : () -> ()
// CHECK:        memref.load
// CHECK-NEXT:   arith.divf
// CHECK:        arith.divf
// CHECK-NEXT:   memref.store

// -----

/// A division by a square root is a product with the root's reciprocal, and that reciprocal alone of 1.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, f32, f32) -> (), kernel}> ({
  ^bb0(%out: memref<?xf32>, %x: f32, %y: f32):
    %i = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    %root = math.sqrt %x fastmath<afn> : f32
    %a = arith.divf %one, %root fastmath<arcp> : f32
    %other = math.sqrt %a fastmath<afn> : f32
    %b = arith.divf %y, %other fastmath<arcp> : f32
    memref.store %b, %out[%i] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "roots"} : () -> ()
}) : () -> ()
// CHECK:      ^{{.*}}(%{{.*}}: memref<?xf32>, %[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NOT:    math.sqrt
// CHECK:        %[[A:.*]] = special.rsqrt %[[X]] fastmath<afn> : f32
// CHECK-NEXT:   %[[B:.*]] = special.rsqrt %[[A]] fastmath<afn> : f32
// CHECK-NEXT:   arith.mulf %[[Y]], %[[B]] fastmath<arcp> : f32

// -----

/// Near misses: the root is used twice; the root is to be exact.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, f32) -> (), kernel}> ({
  ^bb0(%out: memref<?xf32>, %x: f32):
    %i = arith.constant 0 : index
    %root = math.sqrt %x fastmath<afn> : f32
    %a = arith.divf %x, %root fastmath<arcp> : f32
    %b = arith.addf %a, %root : f32
    %exact = math.sqrt %b : f32
    %c = arith.divf %x, %exact fastmath<arcp> : f32
    memref.store %c, %out[%i] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "no_roots"} : () -> ()
}) : () -> ()
// CHECK-NOT:    special.rsqrt
// CHECK:        "gpu.return"

// -----

/// A product and a sum are one op, where the device has it; so are differences, on either side.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, f32, f32, f32) -> (), kernel}> ({
  ^bb0(%out: memref<?xf32>, %x: f32, %y: f32, %z: f32):
    %i = arith.constant 0 : index
    %p = arith.mulf %x, %y fastmath<contract> : f32
    %a = arith.addf %z, %p fastmath<contract> : f32
    %q = arith.mulf %a, %y fastmath<contract> : f32
    %b = arith.subf %q, %z fastmath<contract> : f32
    %r = arith.mulf %b, %y fastmath<contract> : f32
    %c = arith.subf %z, %r fastmath<contract> : f32
    memref.store %c, %out[%i] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "sums"} : () -> ()
}) : () -> ()
// CHECK:      ^{{.*}}(%{{.*}}: memref<?xf32>, %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[Z:.*]]: f32):
// CHECK:        %[[A:.*]] = math.fma %[[X]], %[[Y]], %[[Z]] {fastmath = #arith.fastmath<contract>} : f32
// CHECK-NEXT:   %[[LESS:.*]] = arith.negf %[[Z]] {fastmath = #arith.fastmath<contract>} : f32
// CHECK-NEXT:   %[[B:.*]] = math.fma %[[A]], %[[Y]], %[[LESS]] {fastmath = #arith.fastmath<contract>} : f32
// CHECK-NEXT:   %[[MINUS:.*]] = arith.negf %[[B]] {fastmath = #arith.fastmath<contract>} : f32
// CHECK-NEXT:   math.fma %[[MINUS]], %[[Y]], %[[Z]] {fastmath = #arith.fastmath<contract>} : f32
// EXACT-LABEL:  ^{{.*}}(%{{.*}}: memref<?xf32>, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// EXACT-NOT:    math.fma
// EXACT:        "gpu.return"

// -----

/// Near misses: one of the two without the flag; a product that is used twice; a product of another block.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, f32, f32, f32, i1) -> (), kernel}> ({
  ^bb0(%out: memref<?xf32>, %x: f32, %y: f32, %z: f32, %taken: i1):
    %i = arith.constant 0 : index
    %p = arith.mulf %x, %y : f32
    %a = arith.addf %p, %z fastmath<contract> : f32
    %q = arith.mulf %a, %y fastmath<contract> : f32
    %b = arith.addf %q, %z : f32
    %r = arith.mulf %b, %y fastmath<contract> : f32
    %c = arith.addf %r, %z fastmath<contract> : f32
    %d = arith.subf %c, %r fastmath<reassoc> : f32
    %s = arith.mulf %d, %y fastmath<contract> : f32
    scf.if %taken {
      %e = arith.addf %s, %z fastmath<contract> : f32
      memref.store %e, %out[%i] : memref<?xf32>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "no_sums"} : () -> ()
}) : () -> ()
// CHECK-NOT:    math.fma
// CHECK:        "gpu.return"

// -----

/// A sum of products and something else begins with that: one op less. Products are fused before.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, f32, f32, f32, f32) -> (), kernel}> ({
  ^bb0(%out: memref<?xf32>, %x: f32, %y: f32, %z: f32, %s: f32):
    %i = arith.constant 0 : index
    %p = arith.mulf %x, %x fastmath<reassoc,contract> : f32
    %q = arith.mulf %y, %y fastmath<reassoc,contract> : f32
    %r = arith.mulf %z, %z fastmath<reassoc,contract> : f32
    %a = arith.addf %p, %q fastmath<reassoc,contract> : f32
    %b = arith.addf %a, %r fastmath<reassoc,contract> : f32
    %c = arith.addf %s, %b fastmath<reassoc,contract> : f32
    memref.store %c, %out[%i] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "begun"} : () -> ()
}) : () -> ()
// CHECK:      ^{{.*}}(%{{.*}}: memref<?xf32>, %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[Z:.*]]: f32, %[[S:.*]]: f32):
// CHECK:        %[[P:.*]] = math.fma %[[Y]], %[[Y]], %[[S]]
// CHECK-NEXT:   %[[Q:.*]] = math.fma %[[X]], %[[X]], %[[P]]
// CHECK-NEXT:   %[[R:.*]] = math.fma %[[Z]], %[[Z]], %[[Q]]
// CHECK-NEXT:   memref.store %[[R]]
// EXACT-LABEL:  ^{{.*}}(%{{.*}}: memref<?xf32>, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// EXACT-NOT:    math.fma
// EXACT:        "gpu.return"

// -----

/// Near misses: a sum without the licence to reorder; one that is used twice; one that a loop carries, whose rounds would wait
/// for each other for longer.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, f32, f32, f32, index) -> (), kernel}> ({
  ^bb0(%out: memref<?xf32>, %x: f32, %y: f32, %s: f32, %n: index):
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %p = arith.mulf %x, %x fastmath<reassoc,contract> : f32
    %a = math.fma %y, %y, %p {fastmath = #arith.fastmath<reassoc,contract>} : f32
    %b = arith.addf %a, %s fastmath<contract> : f32
    memref.store %b, %out[%zero] : memref<?xf32>
    %q = arith.mulf %x, %s fastmath<reassoc,contract> : f32
    %c = math.fma %y, %y, %q {fastmath = #arith.fastmath<reassoc,contract>} : f32
    %d = arith.addf %c, %s fastmath<reassoc,contract> : f32
    %e = arith.addf %d, %c fastmath<reassoc,contract> : f32
    memref.store %e, %out[%one] : memref<?xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%before = %s) -> (f32) {
      %v = memref.load %out[%k] : memref<?xf32>
      %r = arith.mulf %v, %x fastmath<reassoc,contract> : f32
      %f = math.fma %v, %y, %r {fastmath = #arith.fastmath<reassoc,contract>} : f32
      %after = arith.addf %before, %f fastmath<reassoc,contract> : f32
      scf.yield %after : f32
    }
    memref.store %sum, %out[%n] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "not_begun"} : () -> ()
}) : () -> ()
// CHECK:        arith.mulf
// CHECK-NEXT:   math.fma
// CHECK-NEXT:   arith.addf
// CHECK:        arith.mulf
// CHECK-NEXT:   math.fma
// CHECK-NEXT:   arith.addf
// CHECK:        scf.for
// CHECK:          arith.mulf
// CHECK-NEXT:     math.fma
// CHECK-NEXT:     %[[AFTER:.*]] = arith.addf
// CHECK-NEXT:     scf.yield %[[AFTER]]

// -----

/// Ops of which the device's approximation has too few digits are exact; the others keep their flags.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, f32) -> (), kernel}> ({
  ^bb0(%out: memref<?xf32>, %x: f32):
    %i = arith.constant 0 : index
    %sine = math.sin %x fastmath<afn> : f32
    %logarithm = math.log %sine fastmath<afn> : f32
    %root = special.rsqrt %logarithm fastmath<afn> : f32
    %quotient = arith.divf %root, %x fastmath<arcp> : f32
    memref.store %quotient, %out[%i] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "approximations"} : () -> ()
}) : () -> ()
// EXACT-LABEL:  math.sin
// EXACT-SAME:     %{{[a-z]*}} : f32
// EXACT-NEXT:   math.log %{{.*}} fastmath<afn> : f32
// EXACT-NEXT:   special.rsqrt %{{[a-z]*}} : f32
// EXACT-NEXT:   arith.divf %{{[a-z]*}}, %{{[a-z]*}} : f32
