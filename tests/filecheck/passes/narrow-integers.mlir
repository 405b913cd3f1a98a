// RUN: hetc-opt %s -p narrow-integers --split-input-file | filecheck %s
// RUN: hetc-opt %s -p 'narrow-integers{addresses=false}' --split-input-file | filecheck %s --check-prefix WIDE

/// A loop whose bounds and carried values fit is 32 bits wide inside; what leaves it is widened again.
// CHECK: %[[LIMIT:.*]] = guard.fact %{{.*}} in [1, 1000] : i64
// CHECK: %[[SHORT:.*]] = arith.trunci %[[LIMIT]] : i64 to i32
// CHECK: %[[LAST:.*]] = scf.for %[[J:.*]] = %{{.*}} to %[[SHORT]] step %{{.*}} iter_args(%[[BEST:.*]] = %{{.*}}) -> (i32) : i32 {
// CHECK-NEXT: arith.cmpi sgt, %[[J]], %[[BEST]] : i32
// CHECK-NEXT: arith.select %{{.*}}, %[[J]], %[[BEST]] : i32
// CHECK: arith.extsi %[[LAST]] : i32 to i64
/// With addresses=false the counter stays wide, and is cut for what is narrow.
// WIDE: scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[BEST:.*]] = %{{.*}}) -> (i32) : i64 {
// WIDE-NEXT: %[[SHORT:.*]] = arith.trunci %[[J]] : i64 to i32
// WIDE-NEXT: arith.cmpi sgt, %[[SHORT]], %[[BEST]] : i32

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>, i64, index) -> (), kernel}> ({
  ^bb0(%result: memref<?xi64>, %n: i64, %at: index):
    %limit = guard.fact %n in [1, 1000] : i64
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %last = scf.for %j = %zero to %limit step %one iter_args(%best = %zero) -> (i64) : i64 {
      %larger = arith.cmpi sgt, %j, %best : i64
      %next = arith.select %larger, %j, %best : i64
      scf.yield %next : i64
    }
    memref.store %last, %result[%at] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "counted"} : () -> ()
}) : () -> ()

// -----

/// Near miss: the bound is one too large, so the counter stays wide; the largest index still fits.
// CHECK: in [1, 2147483648] : i64
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[BEST:.*]] = %{{.*}}) -> (i32) : i64 {
// CHECK: arith.trunci %[[J]] : i64 to i32
// CHECK: arith.cmpi sgt, %{{.*}}, %[[BEST]] : i32

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>, i64, index) -> (), kernel}> ({
  ^bb0(%result: memref<?xi64>, %n: i64, %at: index):
    %limit = guard.fact %n in [1, 2147483648] : i64
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %last = scf.for %j = %zero to %limit step %one iter_args(%best = %zero) -> (i64) : i64 {
      %larger = arith.cmpi sgt, %j, %best : i64
      %next = arith.select %larger, %j, %best : i64
      scf.yield %next : i64
    }
    memref.store %last, %result[%at] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "bound_too_wide"} : () -> ()
}) : () -> ()

// -----

/// 65535 + 65535 fits and 65535 * 65535 does not; a float as an integer may be anything. The cast starts from the narrow sum.
// CHECK: arith.muli %{{.*}}, %{{.*}} : i64
// CHECK: %[[SUM:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK-NEXT: arith.sitofp %[[SUM]] : i32 to f32
// CHECK: arith.addi %{{.*}}, %{{.*}} : i64

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>, i64, i64, index) -> (), kernel}> ({
  ^bb0(%result: memref<?xi64>, %a: i64, %b: i64, %at: index):
    %x = guard.fact %a in [0, 65535] : i64
    %y = guard.fact %b in [0, 65535] : i64
    %product = arith.muli %x, %y : i64
    %sum = arith.addi %x, %y : i64
    %float = arith.sitofp %sum : i64 to f32
    %bits = arith.fptosi %float : f32 to i64
    %all = arith.addi %product, %bits : i64
    memref.store %all, %result[%at] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "product_does_not_fit"} : () -> ()
}) : () -> ()

// -----

/// The condition bounds what a while loop counts.
// CHECK: %[[COUNT:.*]] = scf.while (%[[K:.*]] = %{{.*}}) : (i32) -> i32 {
// CHECK: arith.cmpi slt, %[[K]], %{{.*}} : i32
// CHECK: arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: arith.extsi %[[COUNT]] : i32 to i64

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>, i64, index) -> (), kernel}> ({
  ^bb0(%result: memref<?xi64>, %n: i64, %at: index):
    %limit = guard.fact %n in [1, 2147483647] : i64
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %count = scf.while (%k = %zero) : (i64) -> i64 {
      %more = arith.cmpi slt, %k, %limit : i64
      scf.condition(%more) %k : i64
    } do {
    ^bb1(%k2: i64):
      %next = arith.addi %k2, %one : i64
      scf.yield %next : i64
    }
    memref.store %count, %result[%at] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "counter"} : () -> ()
}) : () -> ()

// -----

/// A guard says something about what follows it, and nothing about what it tests: the comparison stays wide.
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : i64
// CHECK: guard.require
// WIDE: arith.cmpi slt, %{{.*}}, %{{.*}} : i64

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>, i64, index) -> (), kernel}> ({
  ^bb0(%result: memref<?xi64>, %n: i64, %at: index):
    %zero = arith.constant 0 : i64
    %ten = arith.constant 10 : i64
    %low = arith.cmpi sge, %n, %zero : i64
    %high = arith.cmpi slt, %n, %ten : i64
    %inside = arith.andi %low, %high : i1
    guard.require %inside, bounds, "index out of range"
    memref.store %n, %result[%at] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "guarded"} : () -> ()
}) : () -> ()

// -----

/// A mask that fits makes its result fit, whatever it cuts: the low half of a product of any size. A constant is cut, too.
// CHECK: %[[ALL:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
// CHECK: %[[LOW:.*]] = arith.trunci %[[ALL]] : i64 to i32
// CHECK: arith.andi %[[LOW]], %{{.*}} : i32
// CHECK: %[[CUT:.*]] = arith.constant 5 : i32
// CHECK: arith.andi %{{.*}}, %[[CUT]] : i32
/// Near miss: a mask that may be negative keeps all bits.
// CHECK: arith.andi %{{.*}}, %{{.*}} : i64
// WIDE: arith.andi %{{.*}}, %{{.*}} : i32

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xi64>, i64, i64, index) -> (), kernel}> ({
  ^bb0(%result: memref<?xf32>, %wide: memref<?xi64>, %n: i64, %k: i64, %at: index):
    %size = guard.fact %n in [1, 2147483647] : i64
    %one = arith.constant 1 : i64
    %large = arith.constant 4294967301 : i64
    %mask = arith.subi %size, %one : i64
    %product = arith.muli %k, %k : i64
    %masked = arith.andi %product, %mask : i64
    %cut = arith.andi %size, %large : i64
    %sum = arith.addi %masked, %cut : i64
    %float = arith.sitofp %sum : i64 to f32
    memref.store %float, %result[%at] : memref<?xf32>
    %any = arith.andi %product, %k : i64
    memref.store %any, %wide[%at] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "masked"} : () -> ()
}) : () -> ()

// -----

/// A count that a branch adds to is carried in 32 bits, since a loop has no more rounds; so the branch adds in 32 bits, too:
/// of what it gives only the low half is used. With addresses=false it stays as it is.
// CHECK: scf.for %{{.*}} iter_args(%[[COUNT:.*]] = %{{.*}}) -> (i32)
// CHECK: %[[NEXT:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT: %[[MORE:.*]] = arith.addi %[[COUNT]], %[[ONE]] : i32
// CHECK-NEXT: scf.yield %[[MORE]] : i32
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[COUNT]] : i32
// CHECK: scf.yield %[[NEXT]] : i32
// WIDE: iter_args(%{{.*}} = %{{.*}}) -> (i32)
// WIDE: scf.if %{{.*}} -> (i64) {

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>, memref<?xi1>, i64, index) -> (), kernel}> ({
  ^bb0(%result: memref<?xi64>, %bits: memref<?xi1>, %n: i64, %at: index):
    %limit = guard.fact %n in [1, 2147483647] : i64
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %last = scf.for %j = %zero to %limit step %one iter_args(%count = %zero) -> (i64) : i64 {
      %place = arith.index_cast %j : i64 to index
      %bit = memref.load %bits[%place] : memref<?xi1>
      %next = scf.if %bit -> (i64) {
        %more = arith.addi %count, %one : i64
        scf.yield %more : i64
      } else {
        scf.yield %count : i64
      }
      scf.yield %next : i64
    }
    memref.store %last, %result[%at] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "count"} : () -> ()
}) : () -> ()

// -----

/// Near misses: a quotient's low half hangs on the upper halves of its operands, and a sum that is used as a whole, too, is
/// not computed twice.
// CHECK: %[[QUOTIENT:.*]] = arith.divsi %{{.*}}, %{{.*}} : i64
// CHECK-NEXT: arith.trunci %[[QUOTIENT]] : i64 to i32
// CHECK: %[[SUM:.*]] = arith.addi %{{.*}}, %{{.*}} : i64
// CHECK-NEXT: arith.trunci %[[SUM]] : i64 to i32

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>, memref<?xi32>, i64, i64, index) -> (), kernel}> ({
  ^bb0(%wide: memref<?xi64>, %result: memref<?xi32>, %n: i64, %k: i64, %at: index):
    %quotient = arith.divsi %n, %k : i64
    %low = arith.trunci %quotient : i64 to i32
    memref.store %low, %result[%at] : memref<?xi32>
    %sum = arith.addi %n, %k : i64
    %low_2 = arith.trunci %sum : i64 to i32
    memref.store %low_2, %result[%at] : memref<?xi32>
    memref.store %sum, %wide[%at] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "halves"} : () -> ()
}) : () -> ()
