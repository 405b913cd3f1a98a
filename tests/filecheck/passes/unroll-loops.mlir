// RUN: hetc-opt %s --split-input-file -p 'unroll-loops{rounds=4}' | filecheck %s

/// A loop whose rounds compute a sine.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %n: index):
    %first = arith.constant 0 : index
    %step = arith.constant 1 : index
    scf.for %k = %first to %n step %step {
      %a = memref.load %x[%k] : memref<?xf32>
      %s = math.sin %a : f32
      memref.store %s, %x[%k] : memref<?xf32>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "sines"} : () -> ()
}) : () -> ()
// CHECK:         scf.for
// CHECK:           math.sin
// CHECK:         } {offload.unroll = 4 : i64}

// -----

/// Near misses: a round that calls nothing, a loop that a work-item may leave, and one around another.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xi32>, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %flags: memref<?xi32>, %n: index):
    %first = arith.constant 0 : index
    %step = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    scf.for %k = %first to %n step %step {
      %a = memref.load %x[%k] : memref<?xf32>
      %s = math.sqrt %a : f32
      memref.store %s, %x[%k] : memref<?xf32>
    }
    scf.for %k = %first to %n step %step {
      %a = memref.load %x[%k] : memref<?xf32>
      %positive = arith.cmpf ogt, %a, %zero : f32
      guard.check %positive, %flags[0], domain, "logarithm" : memref<?xi32>
      %s = math.log %a : f32
      memref.store %s, %x[%k] : memref<?xf32>
    }
    scf.for %k = %first to %n step %step {
      %a = memref.load %x[%k] : memref<?xf32>
      %s = math.sin %a : f32
      scf.for %l = %first to %n step %step {
        memref.store %s, %x[%l] : memref<?xf32>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "others"} : () -> ()
}) : () -> ()
// CHECK:         sym_name = "kernels"
// CHECK-NOT:     offload.unroll
