// RUN: hetc-opt %s --split-input-file -t opencl | filecheck %s

/// Integers: `arith` wraps, so what C leaves undefined for signed numbers is computed in unsigned ones. The smallest
/// number has no literal in C. An op that is used once becomes part of the expression that uses it.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>, i64) -> (), kernel}> ({
  ^bb0(%out: memref<?xi64>, %a: i64):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %lowest = arith.constant -9223372036854775808 : i64
    %0 = arith.subi %a, %lowest : i64
    %1 = arith.divsi %0, %a : i64
    memref.store %1, %out[%i] : memref<?xi64>
    %2 = arith.addi %a, %a overflow<nsw> : i64
    %3 = arith.muli %2, %a : i64
    memref.store %3, %out[%i] : memref<?xi64>
    %4 = arith.divui %a, %a : i64
    %5 = arith.shrui %4, %a : i64
    memref.store %5, %out[%i] : memref<?xi64>
    %6 = arith.shrsi %a, %a : i64
    %7 = arith.shli %6, %a : i64
    memref.store %7, %out[%i] : memref<?xi64>
    %8 = arith.andi %a, %a : i64
    %9 = arith.xori %8, %a : i64
    memref.store %9, %out[%i] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "integers"} : () -> ()
}) : () -> ()
// CHECK:      #pragma OPENCL FP_CONTRACT OFF
// CHECK-NOT:  fp64
// CHECK:      __kernel void integers(__global long *restrict out, const long a)
// CHECK-NEXT: {
// CHECK-NEXT:     const size_t i = get_global_id(0);
// CHECK-NEXT:     out[i] = (long)((ulong)a - (ulong)LONG_MIN) / a;
// CHECK-NEXT:     out[i] = (long)((ulong)(a + a) * (ulong)a);
// CHECK-NEXT:     out[i] = (long)((ulong)(long)((ulong)a / (ulong)a) >> (ulong)a);
// CHECK-NEXT:     out[i] = (a >> a) << a;
// CHECK-NEXT:     out[i] = (a & a) ^ a;
// CHECK-NEXT: }

// -----

/// Atomic additions, the wide ones by an extension.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>, memref<?xi32>, i64, i32) -> (), kernel}> ({
  ^bb0(%wide: memref<?xi64>, %narrow: memref<?xi32>, %a: i64, %b: i32):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %0 = "memref.atomic_rmw"(%a, %wide, %i) <{kind = 1 : i64}> : (i64, memref<?xi64>, index) -> i64
    %1 = "memref.atomic_rmw"(%b, %narrow, %i) <{kind = 1 : i64}> : (i32, memref<?xi32>, index) -> i32
    "gpu.return"() : () -> ()
  }) {sym_name = "sums"} : () -> ()
}) : () -> ()
// CHECK:      #pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
// CHECK:      __kernel void sums(
// CHECK-NEXT:     __global long *restrict wide,
// CHECK-NEXT:     __global int *restrict narrow,
// CHECK:          atom_add(&wide[i], a);
// CHECK-NEXT:     atomic_add(&narrow[i], b);

// -----

/// C computes narrow integers in `int`: each result is cut back.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi8>, i8) -> (), kernel}> ({
  ^bb0(%out: memref<?xi8>, %a: i8):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %0 = arith.addi %a, %a : i8
    %1 = arith.muli %0, %a : i8
    memref.store %1, %out[%i] : memref<?xi8>
    %2 = arith.shli %a, %a : i8
    %3 = arith.remui %2, %a : i8
    memref.store %3, %out[%i] : memref<?xi8>
    "gpu.return"() : () -> ()
  }) {sym_name = "narrow"} : () -> ()
}) : () -> ()
// CHECK:      __kernel void narrow(__global char *restrict out, const char a)
// CHECK:          out[i] = (char)((char)(a + a) * a);
// CHECK-NEXT:     const char [[R:.*]] = (char)((uchar)(char)(a << a) % (uchar)a);
// CHECK-NEXT:     out[i] = [[R]];

// -----

/// Truth values: bytes in memory and as parameters, `bool` in between. Unsigned comparisons are on unsigned numbers.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi1>, i1, i32) -> (), kernel}> ({
  ^bb0(%flags: memref<?xi1>, %t: i1, %a: i32):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %true = arith.constant true
    %0 = memref.load %flags[%i] : memref<?xi1>
    %1 = arith.xori %0, %true : i1
    %2 = arith.andi %1, %t : i1
    memref.store %2, %flags[%i] : memref<?xi1>
    %3 = arith.cmpi ult, %a, %a : i32
    %4 = arith.cmpi sge, %a, %a : i32
    %5 = arith.ori %3, %4 : i1
    %6 = arith.xori %5, %t : i1
    memref.store %6, %flags[%i] : memref<?xi1>
    %lowest = arith.constant -2147483648 : i32
    %minus = arith.constant -3 : i32
    %7 = arith.select %t, %lowest, %minus : i32
    %8 = arith.cmpi eq, %7, %a : i32
    memref.store %8, %flags[%i] : memref<?xi1>
    "gpu.return"() : () -> ()
  }) {sym_name = "truth"} : () -> ()
}) : () -> ()
// CHECK:      __kernel void truth(__global uchar *restrict flags, const uchar t, const int a)
// CHECK:          const bool [[LOADED:.*]] = flags[i] != 0;
// CHECK-NEXT:     flags[i] = ![[LOADED]] && t;
// CHECK-NEXT:     flags[i] = (((uint)a < (uint)a) || (a >= a)) != t;
// CHECK-NEXT:     flags[i] = (t ? INT_MIN : (-3)) == a;

// -----

/// Floats: literals are the shortest decimals that are the same number; comparisons that hold for NaN are negated ones.
/// Double precision is switched on where it is used.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xi1>, f32, f64) -> (), kernel}> ({
  ^bb0(%out: memref<?xf32>, %flags: memref<?xi1>, %x: f32, %y: f64):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %tenth = arith.constant 0.1 : f32
    %one = arith.constant 1.0 : f32
    %minus_zero = arith.constant -0.0 : f32
    %infinity = arith.constant 0xFF800000 : f32
    %0 = arith.addf %x, %tenth : f32
    %1 = arith.divf %one, %0 : f32
    %2 = arith.subf %minus_zero, %1 : f32
    %3 = arith.negf %2 : f32
    memref.store %3, %out[%i] : memref<?xf32>
    %4 = arith.mulf %x, %infinity : f32
    memref.store %4, %out[%i] : memref<?xf32>
    %tenth64 = arith.constant 0.1 : f64
    %5 = arith.mulf %y, %tenth64 : f64
    %6 = arith.truncf %5 : f64 to f32
    memref.store %6, %out[%i] : memref<?xf32>
    %7 = arith.cmpf ole, %x, %one : f32
    memref.store %7, %flags[%i] : memref<?xi1>
    %8 = arith.cmpf ugt, %x, %one : f32
    memref.store %8, %flags[%i] : memref<?xi1>
    %9 = arith.cmpf une, %x, %one : f32
    memref.store %9, %flags[%i] : memref<?xi1>
    %10 = arith.cmpf uno, %x, %x : f32
    memref.store %10, %flags[%i] : memref<?xi1>
    %11 = arith.cmpf uno, %x, %one : f32
    memref.store %11, %flags[%i] : memref<?xi1>
    %12 = arith.cmpf ueq, %x, %one : f32
    memref.store %12, %flags[%i] : memref<?xi1>
    "gpu.return"() : () -> ()
  }) {sym_name = "floats"} : () -> ()
}) : () -> ()
// CHECK:      #pragma OPENCL FP_CONTRACT OFF
// CHECK-NEXT: #pragma OPENCL EXTENSION cl_khr_fp64 : enable
// CHECK:      __kernel void floats(
// CHECK:          out[i] = -((-0.0f) - (1.0f / (x + 0.1f)));
// CHECK-NEXT:     out[i] = x * (float)-INFINITY;
// CHECK-NEXT:     out[i] = (float)(y * 0.1);
// CHECK-NEXT:     flags[i] = x <= 1.0f;
// CHECK-NEXT:     flags[i] = !(x <= 1.0f);
// CHECK-NEXT:     flags[i] = x != 1.0f;
// CHECK-NEXT:     flags[i] = isnan(x);
// CHECK-NEXT:     flags[i] = isunordered(x, 1.0f);
// CHECK-NEXT:     flags[i] = !islessgreater(x, 1.0f);

// -----

/// Conversions: unsigned numbers go through the unsigned type, truth values are 0 and 1.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xi64>, i8, i1, f32) -> (), kernel}> ({
  ^bb0(%floats: memref<?xf32>, %longs: memref<?xi64>, %a: i8, %t: i1, %x: f32):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %0 = arith.sitofp %a : i8 to f32
    memref.store %0, %floats[%i] : memref<?xf32>
    %1 = arith.uitofp %a : i8 to f32
    memref.store %1, %floats[%i] : memref<?xf32>
    %2 = arith.extsi %a : i8 to i64
    memref.store %2, %longs[%i] : memref<?xi64>
    %3 = arith.extui %a : i8 to i64
    memref.store %3, %longs[%i] : memref<?xi64>
    %4 = arith.extui %t : i1 to i64
    memref.store %4, %longs[%i] : memref<?xi64>
    %5 = arith.fptosi %x : f32 to i64
    memref.store %5, %longs[%i] : memref<?xi64>
    %6 = arith.fptoui %x : f32 to i64
    memref.store %6, %longs[%i] : memref<?xi64>
    %7 = arith.index_cast %i : index to i64
    memref.store %7, %longs[%i] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "conversions"} : () -> ()
}) : () -> ()
// CHECK:      __kernel void conversions(
// CHECK:          floats[i] = (float)a;
// CHECK-NEXT:     floats[i] = (float)(uchar)a;
// CHECK-NEXT:     const long [[L:.*]] = (long)a;
// CHECK-NEXT:     longs[i] = [[L]];
// CHECK-NEXT:     longs[i] = (long)(uchar)a;
// CHECK-NEXT:     longs[i] = (long)t;
// CHECK-NEXT:     longs[i] = (long)x;
// CHECK-NEXT:     longs[i] = (long)(ulong)x;
// CHECK-NEXT:     longs[i] = (long)i;

// -----

/// Half precision is loaded and stored, and a `float` between: no extension is needed. The bits of a number are its own.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf16>, memref<?xf16>, memref<?xi32>) -> (), kernel}> ({
  ^bb0(%x: memref<?xf16>, %out: memref<?xf16>, %bits: memref<?xi32>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %h = memref.load %x[%i] : memref<?xf16>
    %0 = arith.extf %h : f16 to f32
    %1 = arith.addf %0, %0 : f32
    %2 = arith.truncf %1 : f32 to f16
    memref.store %2, %out[%i] : memref<?xf16>
    %3 = arith.bitcast %0 : f32 to i32
    memref.store %3, %bits[%i] : memref<?xi32>
    "gpu.return"() : () -> ()
  }) {sym_name = "narrow_storage"} : () -> ()
}) : () -> ()
// CHECK-NOT:  EXTENSION
// CHECK:      __kernel void narrow_storage(
// CHECK:          __global const half *restrict x,
// CHECK-NEXT:     __global half *restrict out,
// CHECK:          const float h = vload_half(i, x);
// CHECK-NEXT:     vstore_half_rte((h + h), i, out);
// CHECK-NEXT:     bits[i] = as_int(h);

// -----

/// Functions keep the user's precision by overloading; the remainder of floats is C's.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, f32) -> (), kernel}> ({
  ^bb0(%out: memref<?xf32>, %x: f32):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %0 = math.sqrt %x : f32
    %1 = math.powf %0, %x : f32
    %2 = llvm.frem %1, %x : f32
    %3 = math.roundeven %2 : f32
    %4 = math.copysign %3, %x : f32
    %5 = math.absf %4 : f32
    memref.store %5, %out[%i] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "functions"} : () -> ()
}) : () -> ()
// CHECK: out[i] = fabs(copysign(rint(fmod(pow(sqrt(x), x), x)), x));

// -----

/// Bits are those of the same number as another type; a fused multiply-add rounds once.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf64>, memref<?xi64>, f64, i64) -> (), kernel}> ({
  ^bb0(%out: memref<?xf64>, %longs: memref<?xi64>, %x: f64, %n: i64):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %0 = arith.bitcast %n : i64 to f64
    %1 = math.fma %0, %x, %x : f64
    %2 = special.erfc %1 : f64
    memref.store %2, %out[%i] : memref<?xf64>
    %3 = arith.bitcast %x : f64 to i64
    memref.store %3, %longs[%i] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "bits"} : () -> ()
}) : () -> ()
// CHECK: out[i] = erfc(fma(as_double(n), x, x));
// CHECK: longs[i] = as_long(x);

// -----

/// Names: the user's, unless the language has taken them; one that appears twice is numbered; others are counted.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, f32) -> (), kernel}> ({
  ^bb0(%kernel: memref<?xf32>, %float4: f32):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %sqrt = arith.addf %float4, %float4 : f32
    %price = arith.mulf %sqrt, %sqrt : f32
    %price_1 = arith.mulf %price, %price : f32
    %0 = arith.addf %price_1, %price : f32
    %1 = arith.mulf %0, %0 : f32
    memref.store %1, %kernel[%i] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "float"} : () -> ()
}) : () -> ()
// CHECK:      __kernel void float_(__global float *restrict kernel_, const float float4_)
// CHECK:          const float sqrt_ = float4_ + float4_;
// CHECK-NEXT:     const float price = sqrt_ * sqrt_;
// CHECK-NEXT:     const float price_2 = price * price;
// CHECK-NEXT:     const float t0 = price_2 + price;
// CHECK-NEXT:     kernel_[i] = t0 * t0;

// -----

/// Buffers that a kernel only reads are constant. With 32-bit indices, sizes and indices are `uint`.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xf32>, index) -> (), kernel}> ({
  ^bb0(%from: memref<?xf32>, %to: memref<?xf32>, %n: index):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %index, %n : index
    scf.if %inside {
      %x = memref.load %from[%index] : memref<?xf32>
      memref.store %x, %to[%index] : memref<?xf32>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "copy"} : () -> ()
}) {offload.index_bits = 32 : i64} : () -> ()
// CHECK:      __kernel void copy(__global const float *restrict from, __global float *restrict to, const uint n)
// CHECK-NEXT: {
// CHECK-NEXT:     const uint index = get_global_id(0);
// CHECK-NEXT:     const bool inside = index < n;
// CHECK-NEXT:     if (inside) {
// CHECK-NEXT:         const float x = from[index];
// CHECK-NEXT:         to[index] = x;
// CHECK-NEXT:     }
// CHECK-NEXT: }

// -----

/// A branch with results assigns variables, all at once: where an assignment would overwrite what a later one reads, the
/// value is saved first. A kernel and a loop that are to stay scalar say so.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, i1, f32) -> (), kernel}> ({
  ^bb0(%out: memref<?xf32>, %c: i1, %x: f32):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %v, %w = scf.if %c -> (f32, f32) {
      %0 = arith.negf %x : f32
      scf.yield %0, %x : f32, f32
    } else {
      scf.yield %x, %x : f32, f32
    }
    %p, %q = scf.while (%a = %v, %b = %w) : (f32, f32) -> (f32, f32) {
      %0 = arith.cmpf olt, %a, %x : f32
      scf.condition(%0) %a, %b : f32, f32
    } do {
    ^bb1(%a: f32, %b: f32):
      %1 = arith.addf %a, %b : f32
      scf.yield %b, %1 : f32, f32
    } attributes {offload.scalar}
    %r = arith.subf %p, %q : f32
    memref.store %r, %out[%i] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "branch_and_while", offload.scalar} : () -> ()
}) : () -> ()
// CHECK:      __attribute__((intel_vec_len_hint(1)))
// CHECK-NEXT: __kernel void branch_and_while(
// CHECK:          float v;
// CHECK-NEXT:     float w;
// CHECK-NEXT:     if (c) {
// CHECK-NEXT:         v = -x;
// CHECK-NEXT:         w = x;
// CHECK-NEXT:     } else {
// CHECK-NEXT:         v = x;
// CHECK-NEXT:         w = x;
// CHECK-NEXT:     }
// CHECK-NEXT:     float [[A:.*]] = v;
// CHECK-NEXT:     float [[B:.*]] = w;
// CHECK-NEXT:     #pragma clang loop vectorize(disable)
// CHECK-NEXT:     while (true) {
// CHECK-NEXT:         if (!([[A]] < x))
// CHECK-NEXT:             break;
// CHECK-NEXT:         const float [[SAVED:.*]] = [[A]] + [[B]];
// CHECK-NEXT:         [[A]] = [[B]];
// CHECK-NEXT:         [[B]] = [[SAVED]];
// CHECK-NEXT:     }
// CHECK-NEXT:     const float r = [[A]] - [[B]];

// -----

/// A counted loop; a step of one is an increment, another one is added. A mark is one loop's own.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, i64) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %n: i64):
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %three = arith.constant 3 : i64
    %start = arith.constant 0.0 : f32
    %s = scf.for %i = %zero to %n step %one iter_args(%t = %start) -> (f32) : i64 {
      %u = scf.for %j = %i to %n step %three iter_args(%v = %t) -> (f32) : i64 {
        %k = arith.index_cast %j : i64 to index
        %y = memref.load %x[%k] : memref<?xf32>
        %w = arith.addf %v, %y : f32
        scf.yield %w : f32
      }
      scf.yield %u : f32
    } {offload.scalar}
    %first = arith.constant 0 : index
    memref.store %s, %x[%first] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "loops"} : () -> ()
}) : () -> ()
// CHECK:          float t = 0.0f;
// CHECK-NEXT:     #pragma clang loop vectorize(disable)
// CHECK-NEXT:     for (long i = 0L; i < n; ++i) {
// CHECK-NEXT:         float v = t;
// CHECK-NEXT:         for (long j = i; j < n; j += 3L) {
// CHECK-NEXT:             const size_t k = (size_t)j;
// CHECK-NEXT:             const float y = x[k];
// CHECK-NEXT:             const float w = v + y;
// CHECK-NEXT:             v = w;
// CHECK-NEXT:         }
// CHECK-NEXT:         t = v;
// CHECK-NEXT:     }
// CHECK-NEXT:     x[0ul] = t;

// -----

/// A guard that is left notes its slot and leaves the kernel, with the user's line and the reason as comments; it stays
/// if nothing follows that relies on it. The question whether a product fits takes both halves of the long product.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>, memref<?xi32>, i64) -> (), kernel}> ({
  ^bb0(%out: memref<?xi64>, %flags: memref<?xi32>, %a: i64):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %low, %high = arith.mulsi_extended %a, %a : i64 loc("/tmp/prices.py":12:9)
    %shift = arith.constant 63 : i64
    %sign = arith.shrsi %low, %shift : i64 loc("/tmp/prices.py":12:9)
    %ok = arith.cmpi eq, %high, %sign : i64 loc("/tmp/prices.py":12:9)
    guard.check %ok, %flags[3], overflow, "the result of '*' does not fit 64 bits" : memref<?xi32> loc("/tmp/prices.py":12:9)
    memref.store %low, %out[%i] : memref<?xi64> loc("/tmp/prices.py":13:5)
    guard.check %ok, %flags[4] stay, value, "nothing follows" : memref<?xi32> loc("/tmp/prices.py":13:5)
    "gpu.return"() : () -> ()
  }) {sym_name = "guarded"} : () -> ()
}) : () -> ()
// CHECK:      __kernel void guarded(__global long *restrict out, __global int *restrict flags, const long a)
// CHECK:          // prices.py:12
// CHECK-NEXT:     const long low = (long)((ulong)a * (ulong)a);
// CHECK-NEXT:     const long high = mul_hi(a, a);
// CHECK-NEXT:     const long sign_ = low >> 63L;
// CHECK-NEXT:     const bool ok = high == sign_;
// CHECK-NEXT:     if (!ok) {  // the result of '*' does not fit 64 bits
// CHECK-NEXT:         flags[3] = 1;
// CHECK-NEXT:         return;
// CHECK-NEXT:     }
// CHECK-NEXT:     // prices.py:13
// CHECK-NEXT:     out[i] = low;
// CHECK-NEXT:     if (!ok) {  // nothing follows
// CHECK-NEXT:         flags[4] = 1;
// CHECK-NEXT:     }
// CHECK-NEXT: }

// -----

/// A pure op moves to where it is used, but never into another block, and not if the user gave it a name.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, i1, f32) -> (), kernel}> ({
  ^bb0(%out: memref<?xf32>, %c: i1, %x: f32):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %0 = arith.mulf %x, %x : f32
    %named = arith.addf %x, %x : f32
    %1 = arith.addf %named, %x : f32
    scf.if %c {
      memref.store %0, %out[%i] : memref<?xf32>
    }
    memref.store %1, %out[%i] : memref<?xf32>
    %unused = arith.divf %x, %x : f32
    "gpu.return"() : () -> ()
  }) {sym_name = "placement"} : () -> ()
}) : () -> ()
// CHECK:          const float [[T:.*]] = x * x;
// CHECK-NEXT:     const float named = x + x;
// CHECK-NEXT:     if (c) {
// CHECK-NEXT:         out[i] = [[T]];
// CHECK-NEXT:     }
// CHECK-NEXT:     out[i] = named + x;
// CHECK-NEXT: }

// -----

/// What a group shares is declared where it is made; all wait at a barrier.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi1>) -> (), kernel}> ({
  ^bb0(%x: memref<?xi1>):
    %lane = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
    %truths = memref.alloca() : memref<64xi1, "local">
    %a = memref.load %x[%lane] : memref<?xi1>
    memref.store %a, %truths[%lane] : memref<64xi1, "local">
    "gpu.barrier"() : () -> ()
    %zero = arith.constant 0 : index
    %b = memref.load %truths[%zero] : memref<64xi1, "local">
    memref.store %b, %x[%lane] : memref<?xi1>
    "gpu.return"() : () -> ()
  }) {sym_name = "share"} : () -> ()
}) : () -> ()
// CHECK:      const size_t lane = get_local_id(0);
// CHECK-NEXT: __local uchar truths[64];
// CHECK-NEXT: const bool a = x[lane] != 0;
// CHECK-NEXT: truths[lane] = a;
// CHECK-NEXT: barrier(CLK_LOCAL_MEM_FENCE);
// CHECK-NEXT: const bool b = truths[0ul] != 0;
// CHECK-NEXT: x[lane] = b;

// -----

/// The plan is printed behind the kernels, one step a line.
skel.capture @gain : f32
func.func @scale(%x: tensor<?xui8> {skel.path = array<i64: 0>}, %r: !skel.sequence<!dyn.int> {skel.path = array<i64: 1>}, %p: tensor<?xf32> {skel.path = array<i64: 2, 1>}) -> !dyn.object attributes {skel.entry, skel.container = "list", skel.result = ui8} {
  %n = offload.size %x[0] : tensor<?xui8>
  %ten = arith.constant 10 : index
  %m = arith.minui %n, %ten : index
  %h = offload.marshal %x : tensor<?xui8> -> memref<?xi8, "host">
  %b = offload.copy_in %h shared : memref<?xi8, "host"> -> memref<?xi8>
  %q = offload.marshal %p : tensor<?xf32> -> memref<?xf32, "host">
  %c = offload.copy_in %q : memref<?xf32, "host"> -> memref<?xf32>
  %s = offload.scalar "start" of %r : !skel.sequence<!dyn.int> -> i64
  %gain = skel.captured @gain : f32
  %g = offload.scalar "value" of %gain : f32 -> f32
  %o = offload.alloc %m shared zeroed : memref<?xi8>
  offload.launch @kernels::@double over %n group 64 tail "split" (%b, %c, %s, %g, %o : memref<?xi8>, memref<?xf32>, i64, f32, memref<?xi8>)
  offload.check_guards %c : memref<?xf32>
  %z = offload.copy_out %o shared : memref<?xi8> -> memref<?xi8, "host">
  %y = offload.unmarshal "list" of ui8 scalar (%z : memref<?xi8, "host">)
  func.return %y : !dyn.object
}
// CHECK:      /* plan
// CHECK-NEXT: r0 = Size(input 0, dim=0)
// CHECK-NEXT: r1 = Constant(value=10)
// CHECK-NEXT: r2 = Compute(op='min', left=r0, right=r1)
// CHECK-NEXT: r3 = Marshal(input 0, dtype='uint8')
// CHECK-NEXT: r4 = CopyIn(host=r3, shared=True)
// CHECK-NEXT: r5 = Marshal(input 2[1], dtype='float32')
// CHECK-NEXT: r6 = CopyIn(host=r5, shared=False)
// CHECK-NEXT: r7 = Scalar(input 1, dtype='int64', part='start')
// CHECK-NEXT: r8 = Scalar(gain, dtype='float32', part='value')
// CHECK-NEXT: r9 = Alloc(dtype='int8', count=r2, shared=True, zeroed=True)
// CHECK-NEXT: Launch(kernel='double_', extent=r0, arguments=(r4, r6, r7, r8, r9), group=64, tail='split')
// CHECK-NEXT: CheckGuards(flags=r6)
// CHECK-NEXT: r10 = CopyOut(buffer=r9, shared=True)
// CHECK-NEXT: Unmarshal(hosts=(r10), element=u8, container=list, scalar=True)
// CHECK-NEXT: */

// -----

/// What may be approximated is the device's own function in single precision, and in double precision the library's.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xf64>) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %y: memref<?xf64>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %a = memref.load %x[%i] : memref<?xf32>
    %b = memref.load %y[%i] : memref<?xf64>
    %sine = math.sin %a fastmath<afn> : f32
    %root = special.rsqrt %sine fastmath<afn> : f32
    %quotient = arith.divf %root, %a fastmath<arcp> : f32
    %exact = arith.divf %quotient, %a : f32
    memref.store %exact, %x[%i] : memref<?xf32>
    %double = math.sin %b fastmath<afn> : f64
    %droot = special.rsqrt %double fastmath<afn> : f64
    %dquotient = arith.divf %droot, %b fastmath<arcp> : f64
    memref.store %dquotient, %y[%i] : memref<?xf64>
    "gpu.return"() : () -> ()
  }) {sym_name = "fast"} : () -> ()
}) : () -> ()
// CHECK:      = native_sin(a);
// CHECK-NEXT: = native_rsqrt(sine);
// CHECK-NEXT: = native_divide(root, a);
// CHECK-NEXT: = quotient / a;
// CHECK:      = sin(b);
// CHECK-NEXT: = rsqrt(double_);
// CHECK-NEXT: = droot / b;
