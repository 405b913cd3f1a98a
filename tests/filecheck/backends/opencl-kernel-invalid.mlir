// RUN: not hetc-opt %s -t opencl 2>&1 | filecheck %s

/// What no pass has lowered cannot be printed: one line says so.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (i1) -> (), kernel}> ({
  ^bb0(%t: i1):
    guard.require %t, domain, "the guard is not lowered"
    "gpu.return"() : () -> ()
  }) {sym_name = "f"} : () -> ()
}) : () -> ()
// CHECK: error: HETC0040: the op 'guard.require' has no OpenCL C; a pass must lower it first
