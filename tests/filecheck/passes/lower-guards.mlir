// RUN: hetc-opt %s --split-input-file -p lower-guards | filecheck %s
// RUN: hetc-opt %s --split-input-file -p lower-guards,lower-guards | filecheck %s
// RUN: hetc-opt %s --split-input-file -p 'lower-guards{float-products=true}' | filecheck %s --check-prefix=FLOAT

/// The guards of all kernels are numbered; their flags are allocated, zeroed, before the first launch and checked after
/// the last one. A kernel without guards does not get the flags. A guard that a kernel ends with has no need to leave.
func.func @entry(%x: memref<?xi1>, %n: index) attributes {skel.entry} {
  offload.launch @kernels::@first over %n group 0 tail "exact" (%x : memref<?xi1>)
  offload.launch @kernels::@free over %n group 0 tail "exact" (%x : memref<?xi1>)
  offload.launch @kernels::@last over %n group 0 tail "exact" (%x : memref<?xi1>)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi1>) -> (), kernel}> ({
  ^bb0(%x: memref<?xi1>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %a = memref.load %x[%i] : memref<?xi1>
    guard.require %a, domain, "one"
    scf.if %a {
      guard.require %a, zero_division, "two"
      scf.yield
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "first"} : () -> ()
  "gpu.func"() <{function_type = (memref<?xi1>) -> (), kernel}> ({
  ^bb0(%x: memref<?xi1>):
    "gpu.return"() : () -> ()
  }) {sym_name = "free"} : () -> ()
  "gpu.func"() <{function_type = (memref<?xi1>) -> (), kernel}> ({
  ^bb0(%x: memref<?xi1>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %a = memref.load %x[%i] : memref<?xi1>
    guard.require %a, bounds, "three"
    "gpu.return"() : () -> ()
  }) {sym_name = "last"} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @entry
// CHECK-SAME:    (%[[X:.*]]: memref<?xi1>, %[[N:.*]]: index)
// CHECK-NEXT:    %[[COUNT:.*]] = arith.constant 3 : index
// CHECK-NEXT:    %[[FLAGS:.*]] = offload.alloc %[[COUNT]] zeroed : memref<?xi32>
// CHECK-NEXT:    offload.launch @kernels::@first over %[[N]] group 0 tail "exact" (%[[X]], %[[FLAGS]] : memref<?xi1>, memref<?xi32>)
// CHECK-NEXT:    offload.launch @kernels::@free over %[[N]] group 0 tail "exact" (%[[X]] : memref<?xi1>)
// CHECK-NEXT:    offload.launch @kernels::@last over %[[N]] group 0 tail "exact" (%[[X]], %[[FLAGS]] : memref<?xi1>, memref<?xi32>)
// CHECK-NEXT:    offload.check_guards %[[FLAGS]] : memref<?xi32>
// CHECK:         "gpu.func"() <{function_type = (memref<?xi1>, memref<?xi32>) -> (), kernel}>
// CHECK-NEXT:    ^{{.*}}(%{{.*}}: memref<?xi1>, %[[F:.*]]: memref<?xi32>):
// CHECK:           guard.check %{{.*}}, %[[F]][0], domain, "one" : memref<?xi32>
// CHECK:           scf.if
// CHECK-NEXT:        guard.check %{{.*}}, %[[F]][1], zero_division, "two" : memref<?xi32>
// CHECK:         {sym_name = "first"}
// CHECK:         "gpu.func"() <{function_type = (memref<?xi1>) -> (), kernel}>
// CHECK:         {sym_name = "free"}
// CHECK:         ^{{.*}}(%{{.*}}: memref<?xi1>, %[[F:.*]]: memref<?xi32>):
// CHECK:           guard.check %{{.*}}, %[[F]][2] stay, bounds, "three" : memref<?xi32>
// CHECK:         {sym_name = "last"}
// CHECK-NOT:     guard.require

// -----

/// Where work-items wait for one another, none leaves.
func.func @together(%x: memref<?xi1>, %n: index) attributes {skel.entry} {
  offload.launch @kernels::@wait over %n group 64 tail "exact" (%x : memref<?xi1>)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi1>) -> (), kernel}> ({
  ^bb0(%x: memref<?xi1>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %a = memref.load %x[%i] : memref<?xi1>
    guard.require %a, domain, "one"
    "gpu.barrier"() : () -> ()
    memref.store %a, %x[%i] : memref<?xi1>
    "gpu.return"() : () -> ()
  }) {sym_name = "wait"} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @together
// CHECK:         guard.check %{{.*}}, %{{.*}}[0] stay, domain, "one" : memref<?xi32>
// CHECK-NEXT:    "gpu.barrier"() : () -> ()

// -----

/// One launch in which each work-item computes its element: a failure marks the block of 256 elements that it is in.
func.func @elements(%x: memref<?xi1>, %n: index) attributes {skel.entry} {
  offload.launch @kernels::@map over %n group 0 tail "exact" (%x : memref<?xi1>)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi1>) -> (), kernel}> ({
  ^bb0(%x: memref<?xi1>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %a = memref.load %x[%i] : memref<?xi1>
    guard.require %a, domain, "one"
    "gpu.return"() : () -> ()
  }) {sym_name = "map", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @elements
// CHECK-SAME:    (%[[X:.*]]: memref<?xi1>, %[[N:.*]]: index)
// CHECK:         %[[FLAGS:.*]] = offload.alloc %{{.*}} zeroed : memref<?xi32>
// CHECK:         %[[BLOCKS:.*]] = arith.ceildivui %[[N]], %{{.*}} : index
// CHECK:         %[[MARKS:.*]] = offload.alloc %[[BLOCKS]] zeroed : memref<?xi8>
// CHECK-NEXT:    offload.launch @kernels::@map over %[[N]] group 0 tail "exact" (%[[X]], %[[FLAGS]], %[[MARKS]] : memref<?xi1>, memref<?xi32>, memref<?xi8>)
// CHECK-NEXT:    offload.check_guards %[[FLAGS]] marks %[[MARKS]] of 256 : memref<?xi32>
// CHECK:         ^{{.*}}(%{{.*}}: memref<?xi1>, %[[F:.*]]: memref<?xi32>, %[[M:.*]]: memref<?xi8>):
// CHECK-NEXT:      %[[I:.*]] = "gpu.global_id"
// CHECK-NEXT:      %[[SIZE:.*]] = arith.constant 256 : index
// CHECK-NEXT:      %[[BLOCK:.*]] = arith.divui %[[I]], %[[SIZE]] : index
// CHECK:           guard.check %{{.*}}, %[[F]][0] mark %[[BLOCK]] in %[[M]] stay, domain, "one" : memref<?xi32>

// -----

/// Without guards there are no flags.
func.func @clean(%n: index) attributes {skel.entry} {
  offload.launch @kernels::@free over %n group 0 tail "exact" ()
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    "gpu.return"() : () -> ()
  }) {sym_name = "free"} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @clean
// CHECK-NOT:     offload.alloc
// CHECK-NOT:     offload.check_guards

// -----

/// Facts have done their work.
func.func @facts(%x: i64) -> i64 {
  %0 = guard.fact %x in [0, 1] : i64
  func.return %0 : i64
}
// CHECK-LABEL: func.func @facts
// CHECK-SAME:    (%[[X:.*]]: i64)
// CHECK-NEXT:    func.return %[[X]]

// -----

/// A sum overflows if both operands have the sign that the result has not.
func.func @fits_add(%a: i64, %b: i64) -> i1 {
  %0 = guard.fits "add" %a, %b : i64
  func.return %0 : i1
}
// CHECK-LABEL: func.func @fits_add
// CHECK-SAME:    (%[[A:.*]]: i64, %[[B:.*]]: i64)
// CHECK-NEXT:    %[[R:.*]] = arith.addi %[[A]], %[[B]] : i64
// CHECK-NEXT:    %[[AR:.*]] = arith.xori %[[A]], %[[R]] : i64
// CHECK-NEXT:    %[[BR:.*]] = arith.xori %[[B]], %[[R]] : i64
// CHECK-NEXT:    %[[BOTH:.*]] = arith.andi %[[AR]], %[[BR]] : i64
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-NEXT:    %[[OK:.*]] = arith.cmpi sge, %[[BOTH]], %[[ZERO]] : i64
// CHECK-NEXT:    func.return %[[OK]]

// -----

/// A difference overflows if the operands differ in sign and the result has not the sign of the first.
func.func @fits_sub(%a: i64, %b: i64) -> i1 {
  %0 = guard.fits "sub" %a, %b : i64
  func.return %0 : i1
}
// CHECK-LABEL: func.func @fits_sub
// CHECK-SAME:    (%[[A:.*]]: i64, %[[B:.*]]: i64)
// CHECK-NEXT:    %[[R:.*]] = arith.subi %[[A]], %[[B]] : i64
// CHECK-NEXT:    %[[AR:.*]] = arith.xori %[[A]], %[[R]] : i64
// CHECK-NEXT:    %[[AB:.*]] = arith.xori %[[A]], %[[B]] : i64
// CHECK-NEXT:    %[[BOTH:.*]] = arith.andi %[[AR]], %[[AB]] : i64
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-NEXT:    %[[OK:.*]] = arith.cmpi sge, %[[BOTH]], %[[ZERO]] : i64
// CHECK-NEXT:    func.return %[[OK]]

// -----

/// A product fits if the high half of the long product is nothing but the sign of the low half. As a float it has to be
/// below the largest integer by more than rounding can be wrong.
func.func @fits_mul(%a: i64, %b: i64) -> i1 {
  %0 = guard.fits "mul" %a, %b : i64
  func.return %0 : i1
}
// FLOAT-LABEL: func.func @fits_mul
// FLOAT-SAME:    (%[[A:.*]]: i64, %[[B:.*]]: i64)
// FLOAT-NEXT:    %[[FA:.*]] = arith.sitofp %[[A]] : i64 to f64
// FLOAT-NEXT:    %[[FB:.*]] = arith.sitofp %[[B]] : i64 to f64
// FLOAT-NEXT:    %[[PRODUCT:.*]] = arith.mulf %[[FA]], %[[FB]] : f64
// FLOAT-NEXT:    %[[SIZE:.*]] = math.absf %[[PRODUCT]] : f64
// FLOAT-NEXT:    %[[BOUND:.*]] = arith.constant 9.2233720368547676e+18 : f64
// FLOAT-NEXT:    %[[FITS:.*]] = arith.cmpf olt, %[[SIZE]], %[[BOUND]] : f64
// FLOAT-NEXT:    func.return %[[FITS]]
// CHECK-LABEL: func.func @fits_mul
// CHECK-SAME:    (%[[A:.*]]: i64, %[[B:.*]]: i64)
// CHECK-NEXT:    %[[LOW:.*]] = arith.muli %[[A]], %[[B]] : i64
// CHECK-NEXT:    %{{.*}}, %[[HIGH:.*]] = arith.mulsi_extended %[[A]], %[[B]] : i64
// CHECK-NEXT:    %[[SHIFT:.*]] = arith.constant 63 : i64
// CHECK-NEXT:    %[[SIGN:.*]] = arith.shrsi %[[LOW]], %[[SHIFT]] : i64
// CHECK-NEXT:    %[[OK:.*]] = arith.cmpi eq, %[[HIGH]], %[[SIGN]] : i64
// CHECK-NEXT:    func.return %[[OK]]

// -----

/// The same for other widths, which need no floats.
func.func @fits_narrow(%a: i8, %b: i8) -> i1 {
  %0 = guard.fits "mul" %a, %b : i8
  func.return %0 : i1
}
// FLOAT-LABEL: func.func @fits_narrow
// FLOAT:         arith.mulsi_extended
// CHECK-LABEL: func.func @fits_narrow
// CHECK:         arith.mulsi_extended %{{.*}}, %{{.*}} : i8
// CHECK-NEXT:    arith.constant 7 : i8

// -----

/// What the ranges show not to wrap says so; what may wrap, or is no number of the kernel, does not.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (i64, i64) -> (), kernel}> ({
  ^bb0(%x: i64, %y: i64):
    %0 = guard.fact %x in [0, 2147483647] : i64
    %1 = arith.muli %0, %0 : i64
    %2 = arith.addi %1, %0 : i64
    %3 = arith.subi %2, %y : i64
    %4 = arith.addi %y, %y : i64
    "gpu.return"() : () -> ()
  }) {sym_name = "wraps"} : () -> ()
}) : () -> ()
// CHECK:         ^{{.*}}(%[[X:.*]]: i64, %[[Y:.*]]: i64):
// CHECK-NEXT:      %[[SQUARE:.*]] = arith.muli %[[X]], %[[X]] overflow<nsw> : i64
// CHECK-NEXT:      %[[SUM:.*]] = arith.addi %[[SQUARE]], %[[X]] overflow<nsw> : i64
// CHECK-NEXT:      %{{.*}} = arith.subi %[[SUM]], %[[Y]] : i64
// CHECK-NEXT:      %{{.*}} = arith.addi %[[Y]], %[[Y]] : i64

// -----

/// Cheaper questions. With a constant the other operand has to lie in an interval, of which one end may be known to
/// hold; the root of a square likewise.
func.func @fits_constant(%a: i64, %x: i64) -> (i1, i1, i1, i1) {
  %ten = arith.constant 10 : i64
  %minus = arith.constant -3 : i64
  %positive = guard.fact %x in [0, 9223372036854775807] : i64
  %0 = guard.fits "add" %a, %ten : i64
  %1 = guard.fits "mul" %a, %minus : i64
  %2 = guard.fits "mul" %positive, %ten : i64
  %3 = guard.fits "mul" %a, %a : i64
  func.return %0, %1, %2, %3 : i1, i1, i1, i1
}
// CHECK-LABEL: func.func @fits_constant
// CHECK-SAME:    (%[[A:.*]]: i64, %[[X:.*]]: i64)
// CHECK:         %[[MOST:.*]] = arith.constant 9223372036854775797 : i64
// CHECK-NEXT:    arith.cmpi sle, %[[A]], %[[MOST]]
// CHECK-NEXT:    %[[LOW:.*]] = arith.constant -3074457345618258602 : i64
// CHECK-NEXT:    arith.cmpi sge, %[[A]], %[[LOW]]
// CHECK-NEXT:    %[[HIGH:.*]] = arith.constant 3074457345618258602 : i64
// CHECK-NEXT:    arith.cmpi sle, %[[A]], %[[HIGH]]
// CHECK-NEXT:    arith.andi
// CHECK-NEXT:    %[[TENTH:.*]] = arith.constant 922337203685477580 : i64
// CHECK-NEXT:    arith.cmpi sle, %[[X]], %[[TENTH]]
// CHECK-NEXT:    arith.constant -3037000499 : i64
// CHECK-NEXT:    arith.cmpi sge, %[[A]]
// CHECK-NEXT:    arith.constant 3037000499 : i64
// CHECK-NEXT:    arith.cmpi sle, %[[A]]
// CHECK-NEXT:    arith.andi
// CHECK-NEXT:    func.return

// -----

/// Where the sign of one operand is known, the result has moved that way. Near miss: a constant less an unknown number
/// is bounded on the other side, by the number.
func.func @fits_sign(%a: i64, %x: i64, %y: i64) -> (i1, i1, i1, i1) {
  %ten = arith.constant 10 : i64
  %up = guard.fact %x in [0, 9223372036854775807] : i64
  %down = guard.fact %y in [-9223372036854775808, 0] : i64
  %0 = guard.fits "add" %a, %up : i64
  %1 = guard.fits "add" %down, %a : i64
  %2 = guard.fits "sub" %a, %down : i64
  %3 = guard.fits "sub" %ten, %a : i64
  func.return %0, %1, %2, %3 : i1, i1, i1, i1
}
// CHECK-LABEL: func.func @fits_sign
// CHECK-SAME:    (%[[A:.*]]: i64, %[[X:.*]]: i64, %[[Y:.*]]: i64)
// CHECK:         %[[S0:.*]] = arith.addi %[[A]], %[[X]]
// CHECK-NEXT:    arith.cmpi sge, %[[S0]], %[[A]]
// CHECK-NEXT:    %[[S1:.*]] = arith.addi %[[A]], %[[Y]]
// CHECK-NEXT:    arith.cmpi sle, %[[S1]], %[[A]]
// CHECK-NEXT:    %[[S2:.*]] = arith.subi %[[A]], %[[Y]]
// CHECK-NEXT:    arith.cmpi sge, %[[S2]], %[[A]]
// CHECK-NEXT:    %[[S3:.*]] = arith.subi %{{.*}}, %[[A]]
// CHECK-NEXT:    arith.xori

// -----

/// The check of an index is one comparison without sign, where the length is not negative. Near misses: a length that
/// may be negative, another lower bound, and two numbers.
func.func @index_check(%x: i64, %y: i64, %m: i64) -> (i1, i1, i1, i1) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %size = skel.size 0
  %n = guard.fact %size in [1, 2147483647] : i64
  %low = arith.cmpi sge, %x, %zero : i64
  %high = arith.cmpi slt, %x, %n : i64
  %0 = arith.andi %low, %high : i1
  %high1 = arith.cmpi slt, %x, %m : i64
  %1 = arith.andi %low, %high1 : i1
  %low2 = arith.cmpi sge, %x, %one : i64
  %2 = arith.andi %low2, %high : i1
  %low3 = arith.cmpi sge, %y, %zero : i64
  %3 = arith.andi %low3, %high : i1
  func.return %0, %1, %2, %3 : i1, i1, i1, i1
}
// CHECK-LABEL: func.func @index_check
// CHECK-SAME:    (%[[X:.*]]: i64, %{{.*}}: i64, %{{.*}}: i64)
// CHECK:         %[[N:.*]] = skel.size 0
// CHECK:         %[[INSIDE:.*]] = arith.cmpi ult, %[[X]], %[[N]] : i64
// CHECK-NOT:     arith.cmpi ult
// CHECK:         func.return %[[INSIDE]]

// -----

/// NumPy's warnings, each to be told: every one has a flag, and a mark for each block.
builtin.module attributes {guard.warns = "each"} {
  func.func @each(%x: memref<?xi1>, %n: index) attributes {skel.entry} {
    offload.launch @kernels::@map over %n group 0 tail "exact" (%x : memref<?xi1>)
    func.return
  }
  "gpu.module"() <{sym_name = "kernels"}> ({
    "gpu.func"() <{function_type = (memref<?xi1>) -> (), kernel}> ({
    ^bb0(%x: memref<?xi1>):
      %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
      %a = memref.load %x[%i] : memref<?xi1>
      guard.warn %a, "invalid value"
      guard.require %a, domain, "one"
      guard.warn %a, "division by zero or overflow"
      memref.store %a, %x[%i] : memref<?xi1>
      "gpu.return"() : () -> ()
    }) {sym_name = "map", offload.elementwise} : () -> ()
  }) : () -> ()
}
// CHECK-LABEL: func.func @each
// CHECK:         %[[BLOCKS:.*]] = arith.ceildivui %{{.*}}, %{{.*}} : index
// CHECK-NEXT:    %[[MARKS:.*]] = offload.alloc %[[BLOCKS]] zeroed : memref<?xi8>
// CHECK:         %[[TWO:.*]] = arith.constant 2 : index
// CHECK:         %[[PAIRS:.*]] = arith.muli %{{.*}}, %[[TWO]] : index
// CHECK-NEXT:    %[[WARNED:.*]] = offload.alloc %[[PAIRS]] zeroed : memref<?xi8>
// CHECK:         offload.check_guards %{{.*}} marks %[[MARKS]] warned %[[WARNED]] of 256 : memref<?xi32>
// CHECK:         ^{{.*}}(%{{.*}}: memref<?xi1>, %[[F:.*]]: memref<?xi32>, %[[M:.*]]: memref<?xi8>, %[[W:.*]]: memref<?xi8>):
// CHECK:           %[[BLOCK:.*]] = arith.divui
// CHECK:           %[[FIRST:.*]] = arith.muli %[[BLOCK]], %{{.*}} : index
// CHECK-NEXT:      guard.check %{{.*}}, %[[F]][1] mark %[[FIRST]] in %[[W]] stay, warning, "invalid value" : memref<?xi32>
// CHECK-NEXT:      guard.check %{{.*}}, %[[F]][0] mark %[[BLOCK]] in %[[M]], domain, "one" : memref<?xi32>
// CHECK:           %[[SECOND:.*]] = arith.addi
// CHECK-NEXT:      guard.check %{{.*}}, %[[F]][2] mark %[[SECOND]] in %[[W]] stay, warning, "division by zero or overflow" : memref<?xi32>

// -----

/// Whether there are any: one flag for all.
builtin.module attributes {guard.warns = "any"} {
  func.func @any(%x: memref<?xi1>, %n: index) attributes {skel.entry} {
    offload.launch @kernels::@map over %n group 0 tail "exact" (%x : memref<?xi1>)
    func.return
  }
  "gpu.module"() <{sym_name = "kernels"}> ({
    "gpu.func"() <{function_type = (memref<?xi1>) -> (), kernel}> ({
    ^bb0(%x: memref<?xi1>):
      %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
      %a = memref.load %x[%i] : memref<?xi1>
      scf.if %a {
        guard.warn %a, "something to warn of"
      }
      guard.warn %a, "something to warn of"
      "gpu.return"() : () -> ()
    }) {sym_name = "map", offload.elementwise} : () -> ()
  }) : () -> ()
}
// CHECK-LABEL: func.func @any
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT:    %[[FLAGS:.*]] = offload.alloc %[[ONE]] zeroed : memref<?xi32>
// CHECK:         offload.check_guards %[[FLAGS]] : memref<?xi32>
// CHECK:         guard.check %{{.*}}, %[[F:.*]][0] stay, warning
// CHECK:         guard.check %{{.*}}, %[[F]][0] stay, warning

// -----

/// One work-item does all: what NumPy warns of sends all of it back to Python.
builtin.module attributes {guard.warns = "any"} {
  func.func @task(%x: memref<?xi1>, %n: index) attributes {skel.entry} {
    offload.launch @kernels::@task over %n group 0 tail "exact" (%x : memref<?xi1>)
    func.return
  }
  "gpu.module"() <{sym_name = "kernels"}> ({
    "gpu.func"() <{function_type = (memref<?xi1>) -> (), kernel}> ({
    ^bb0(%x: memref<?xi1>):
      %i = arith.constant 0 : index
      %a = memref.load %x[%i] : memref<?xi1>
      guard.warn %a, "something to warn of"
      memref.store %a, %x[%i] : memref<?xi1>
      "gpu.return"() : () -> ()
    }) {sym_name = "task", offload.single} : () -> ()
  }) : () -> ()
}
// CHECK-LABEL: func.func @task
// CHECK:         offload.check_guards %{{.*}} : memref<?xi32>
// CHECK:         guard.check %{{.*}}, %{{.*}}[0], value, "NumPy warns: something to warn of"

// -----

/// Where work-items do not compute one element each, Python would not know what to run.
builtin.module attributes {guard.warns = "each"} {
  func.func @reduced(%x: memref<?xi1>, %n: index) attributes {skel.entry} {
    offload.launch @kernels::@reduce over %n group 0 tail "exact" (%x : memref<?xi1>)
    func.return
  }
  "gpu.module"() <{sym_name = "kernels"}> ({
    "gpu.func"() <{function_type = (memref<?xi1>) -> (), kernel}> ({
    ^bb0(%x: memref<?xi1>):
      %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
      %a = memref.load %x[%i] : memref<?xi1>
      guard.warn %a, "invalid value"
      "gpu.return"() : () -> ()
    }) {sym_name = "reduce"} : () -> ()
  }) : () -> ()
}
// CHECK-LABEL: func.func @reduced
// CHECK-NOT:     offload.check_guards
// CHECK-NOT:     guard.
