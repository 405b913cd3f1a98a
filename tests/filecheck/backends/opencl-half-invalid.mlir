// RUN: not hetc-opt %s -t opencl 2>&1 | filecheck %s

/// Nothing is computed in half precision: `expand-half` has to run first.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf16>) -> (), kernel}> ({
  ^bb0(%x: memref<?xf16>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %h = memref.load %x[%i] : memref<?xf16>
    %0 = arith.mulf %h, %h : f16
    %1 = arith.extf %0 : f16 to f32
    %2 = arith.truncf %1 : f32 to f16
    memref.store %2, %x[%i] : memref<?xf16>
    "gpu.return"() : () -> ()
  }) {sym_name = "f"} : () -> ()
}) : () -> ()
// CHECK: error: HETC0040: OpenCL C computes nothing in half precision; run expand-half first
