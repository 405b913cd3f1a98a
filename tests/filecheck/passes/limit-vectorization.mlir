// RUN: hetc-opt %s --split-input-file -p 'limit-vectorization{loops=floats}' | filecheck %s --check-prefix FLOATS
// RUN: hetc-opt %s --split-input-file -p 'limit-vectorization{loops=all branches=true}' | filecheck %s --check-prefix ALL
// RUN: hetc-opt %s --split-input-file -p limit-vectorization | filecheck %s --check-prefix NONE
// RUN: not hetc-opt %s --split-input-file -p 'limit-vectorization{loops=some}' 2>&1 | filecheck %s --check-prefix INVALID
// RUN: hetc-opt %s --split-input-file -p 'limit-vectorization{gathers=true}' | filecheck %s --check-prefix GATHERS

// INVALID: limit-vectorization: loops is one of none, floats, all
// NONE-NOT: offload.scalar

/// A sum of floats and a sum of integers; nothing branches, so the kernel is vectorised across work-items.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xi64>, i64) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %y: memref<?xi64>, %n: i64):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %f = memref.load %x[%index] : memref<?xf32>
    %s = scf.for %i = %zero to %n step %one iter_args(%t = %f) -> (f32) : i64 {
      %u = arith.addf %t, %f : f32
      scf.yield %u : f32
    }
    %p = scf.while (%a = %n) : (i64) -> i64 {
      %more = arith.cmpi slt, %a, %zero : i64
      scf.condition(%more) %a : i64
    } do {
    ^bb1(%b: i64):
      %c = arith.subi %b, %one : i64
      scf.yield %c : i64
    }
    memref.store %s, %x[%index] : memref<?xf32>
    memref.store %p, %y[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "sums"} : () -> ()
}) : () -> ()
// FLOATS:     scf.yield %{{.*}} : f32
// FLOATS-NEXT: } {offload.scalar}
// FLOATS:     scf.yield %{{.*}} : i64
// FLOATS-NEXT: }{{$}}
// FLOATS:     {sym_name = "sums"}
// ALL:        scf.yield %{{.*}} : f32
// ALL-NEXT:   } {offload.scalar}
// ALL:        scf.yield %{{.*}} : i64
// ALL-NEXT:   } attributes {offload.scalar}
// ALL:        {sym_name = "sums"}

// -----

/// A branch that chooses a tag; a loop in a branch on a parameter, which all work-items take the same way;
/// one in a branch on an element; one in a branch after which nothing meets, the test of the last group; and one that
/// carries a tag.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>, i64) -> (), kernel}> ({
  ^bb0(%x: memref<?xi64>, %n: i64):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %tag = arith.constant 13 : i8
    %other = arith.constant 1 : i8
    %m = memref.load %x[%index] : memref<?xi64>
    %positive = arith.cmpi sgt, %n, %zero : i64
    %odd = arith.cmpi sgt, %m, %zero : i64
    %r = scf.if %positive -> (i64) {
      %s = scf.for %i = %zero to %n step %one iter_args(%t = %n) -> (i64) : i64 {
        scf.yield %i : i64
      }
      scf.yield %s : i64
    } else {
      scf.yield %one : i64
    }
    %q = scf.if %odd -> (i8) {
      scf.yield %tag : i8
    } else {
      scf.yield %other : i8
    }
    memref.store %r, %x[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "chooses_a_tag"} : () -> ()
  "gpu.func"() <{function_type = (memref<?xi64>) -> (), kernel}> ({
  ^bb0(%x: memref<?xi64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = memref.load %x[%index] : memref<?xi64>
    %positive = arith.cmpi sgt, %n, %zero : i64
    %r = scf.if %positive -> (i64) {
      %s = scf.for %i = %zero to %n step %one iter_args(%t = %n) -> (i64) : i64 {
        scf.yield %i : i64
      }
      scf.yield %s : i64
    } else {
      scf.yield %one : i64
    }
    memref.store %r, %x[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "in_a_branch"} : () -> ()
  "gpu.func"() <{function_type = (memref<?xi64>, i64) -> (), kernel}> ({
  ^bb0(%x: memref<?xi64>, %n: i64):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %positive = arith.cmpi sgt, %n, %zero : i64
    %r = scf.if %positive -> (i64) {
      %s = scf.for %i = %zero to %n step %one iter_args(%t = %n) -> (i64) : i64 {
        scf.yield %i : i64
      }
      scf.yield %s : i64
    } else {
      scf.yield %one : i64
    }
    memref.store %r, %x[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "in_a_uniform_branch"} : () -> ()
  "gpu.func"() <{function_type = (memref<?xi64>, i64, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xi64>, %n: i64, %extent: index):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %index, %extent : index
    scf.if %inside {
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %s = scf.for %i = %zero to %n step %one iter_args(%t = %n) -> (i64) : i64 {
        scf.yield %i : i64
      }
      memref.store %s, %x[%index] : memref<?xi64>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "in_the_last_group"} : () -> ()
  "gpu.func"() <{function_type = (memref<?xi8>, i64) -> (), kernel}> ({
  ^bb0(%x: memref<?xi8>, %n: i64):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %two = arith.constant 2 : i8
    %tag = memref.load %x[%index] : memref<?xi8>
    %s = scf.for %i = %zero to %n step %one iter_args(%t = %tag) -> (i8) : i64 {
      scf.yield %two : i8
    }
    memref.store %s, %x[%index] : memref<?xi8>
    "gpu.return"() : () -> ()
  }) {sym_name = "carries_a_tag"} : () -> ()
}) : () -> ()
// FLOATS-NOT: offload.scalar
// ALL:        {sym_name = "chooses_a_tag", offload.scalar}
// ALL:        {sym_name = "in_a_branch", offload.scalar}
// ALL:        {sym_name = "in_a_uniform_branch"}
// ALL:        {sym_name = "in_the_last_group"}
// ALL:        {sym_name = "carries_a_tag", offload.scalar}

// -----

/// Guards that leave from a while loop and from one around it; and from one of them only.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>, memref<?xi32>) -> (), kernel}> ({
  ^bb0(%x: memref<?xi64>, %flags: memref<?xi32>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %zero = arith.constant 0 : i64
    %n = memref.load %x[%index] : memref<?xi64>
    %r = scf.while (%a = %n) : (i64) -> i64 {
      %c = arith.cmpi ne, %a, %zero : i64
      guard.check %c, %flags[0], domain, "outer" : memref<?xi32>
      scf.condition(%c) %a : i64
    } do {
    ^bb1(%b: i64):
      %s = scf.while (%d = %b) : (i64) -> i64 {
        %e = arith.cmpi ne, %d, %zero : i64
        guard.check %e, %flags[1], domain, "inner" : memref<?xi32>
        scf.condition(%e) %d : i64
      } do {
      ^bb2(%f: i64):
        scf.yield %f : i64
      }
      scf.yield %s : i64
    }
    memref.store %r, %x[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "leaves_twice"} : () -> ()
  "gpu.func"() <{function_type = (memref<?xi64>, memref<?xi32>) -> (), kernel}> ({
  ^bb0(%x: memref<?xi64>, %flags: memref<?xi32>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %zero = arith.constant 0 : i64
    %n = memref.load %x[%index] : memref<?xi64>
    %r = scf.while (%a = %n) : (i64) -> i64 {
      %c = arith.cmpi ne, %a, %zero : i64
      guard.check %c, %flags[0] stay, domain, "outer" : memref<?xi32>
      scf.condition(%c) %a : i64
    } do {
    ^bb1(%b: i64):
      %s = scf.while (%d = %b) : (i64) -> i64 {
        %e = arith.cmpi ne, %d, %zero : i64
        guard.check %e, %flags[1], domain, "inner" : memref<?xi32>
        scf.condition(%e) %d : i64
      } do {
      ^bb2(%f: i64):
        scf.yield %f : i64
      }
      scf.yield %s : i64
    }
    memref.store %r, %x[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "leaves_once"} : () -> ()
}) : () -> ()
// ALL:        {sym_name = "leaves_twice", offload.scalar}
// ALL:        {sym_name = "leaves_once"}

// -----

/// Near miss of a tag: an 8-bit number of the program's, of which a branch computes one.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi8>) -> (), kernel}> ({
  ^bb0(%x: memref<?xi8>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %zero = arith.constant 0 : i8
    %n = memref.load %x[%index] : memref<?xi8>
    %positive = arith.cmpi sgt, %n, %zero : i8
    %r = scf.if %positive -> (i8) {
      scf.yield %n : i8
    } else {
      scf.yield %zero : i8
    }
    memref.store %r, %x[%index] : memref<?xi8>
    "gpu.return"() : () -> ()
  }) {sym_name = "chooses_a_number"} : () -> ()
}) : () -> ()
// ALL:        {sym_name = "chooses_a_number"}

// -----

/// A loop that reads at indices that it has read, and does little else.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, memref<?xi32>, memref<?xi32>) -> (), kernel}> ({
  ^bb0(%n: index, %at: memref<?xi32>, %x: memref<?xi32>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %start = arith.constant 0 : i32
    %row = arith.muli %index, %n : index
    %total = scf.for %k = %zero to %n step %one iter_args(%sum = %start) -> (i32) {
      %place = arith.addi %row, %k : index
      %i = memref.load %at[%place] : memref<?xi32>
      %j = arith.index_cast %i : i32 to index
      %v = memref.load %x[%j] : memref<?xi32>
      %next = arith.addi %sum, %v : i32
      scf.yield %next : i32
    }
    memref.store %total, %x[%index] : memref<?xi32>
    "gpu.return"() : () -> ()
  }) {sym_name = "pulls"} : () -> ()
}) : () -> ()
// GATHERS:    {sym_name = "pulls", offload.scalar}
// ALL:        {sym_name = "pulls"}

// -----

/// Near misses: a division is worth a vector; indices that are computed, not read.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, memref<?xi32>, memref<?xi32>) -> (), kernel}> ({
  ^bb0(%n: index, %at: memref<?xi32>, %x: memref<?xi32>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %start = arith.constant 0 : i32
    %row = arith.muli %index, %n : index
    %total = scf.for %k = %zero to %n step %one iter_args(%sum = %start) -> (i32) {
      %place = arith.addi %row, %k : index
      %i = memref.load %at[%place] : memref<?xi32>
      %j = arith.index_cast %i : i32 to index
      %w = memref.load %x[%j] : memref<?xi32>
      %v = arith.divsi %w, %i : i32
      %next = arith.addi %sum, %v : i32
      scf.yield %next : i32
    }
    memref.store %total, %x[%index] : memref<?xi32>
    "gpu.return"() : () -> ()
  }) {sym_name = "divides_what_it_pulls"} : () -> ()
}) : () -> ()
// GATHERS:    {sym_name = "divides_what_it_pulls"}

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, memref<?xi32>, memref<?xi32>) -> (), kernel}> ({
  ^bb0(%n: index, %at: memref<?xi32>, %x: memref<?xi32>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %start = arith.constant 0 : i32
    %row = arith.muli %index, %n : index
    %total = scf.for %k = %zero to %n step %one iter_args(%sum = %start) -> (i32) {
      %place = arith.addi %row, %k : index
      %v = memref.load %x[%place] : memref<?xi32>
      %next = arith.addi %sum, %v : i32
      scf.yield %next : i32
    }
    memref.store %total, %x[%index] : memref<?xi32>
    "gpu.return"() : () -> ()
  }) {sym_name = "sums_rows"} : () -> ()
}) : () -> ()
// GATHERS:    {sym_name = "sums_rows"}

// -----

/// A loop that counts by comparisons of what stands in rows of memory may be vectorised.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, index, memref<?xf32>, memref<?xi32>, memref<?xi64>) -> (), kernel}> ({
  ^bb0(%first: index, %end: index, %x: memref<?xf32>, %y: memref<?xi32>, %counts: memref<?xi64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %step = arith.constant 1 : index
    %bound = arith.constant 0.5 : f32
    %none = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = scf.for %k = %first to %end step %step iter_args(%c = %none) -> (i64) {
      %a = memref.load %x[%k] : memref<?xf32>
      %place = arith.addi %first, %k : index
      %b = memref.load %y[%place] : memref<?xi32>
      %five = arith.constant 5 : i32
      %far = arith.cmpf ogt, %a, %bound : f32
      %low = arith.cmpi slt, %b, %five : i32
      %both = arith.andi %far, %low : i1
      %bit = arith.select %both, %one, %none : i64
      %next = arith.addi %c, %bit : i64
      scf.yield %next : i64
    }
    memref.store %n, %counts[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "counts"} : () -> ()
}) : () -> ()
// ALL:        scf.yield %{{.*}} : i64
// ALL-NEXT:   }{{$}}
// ALL:        {sym_name = "counts"}

// -----

/// Near misses: what is subtracted from a number.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, index, memref<?xf32>, memref<?xi32>, memref<?xi64>) -> (), kernel}> ({
  ^bb0(%first: index, %end: index, %x: memref<?xf32>, %y: memref<?xi32>, %counts: memref<?xi64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %step = arith.constant 1 : index
    %bound = arith.constant 0.5 : f32
    %none = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = scf.for %k = %first to %end step %step iter_args(%c = %none) -> (i64) {
      %a = memref.load %x[%k] : memref<?xf32>
      %place = arith.addi %first, %k : index
      %b = memref.load %y[%place] : memref<?xi32>
      %five = arith.constant 5 : i32
      %far = arith.cmpf ogt, %a, %bound : f32
      %low = arith.cmpi slt, %b, %five : i32
      %both = arith.andi %far, %low : i1
      %bit = arith.select %both, %one, %none : i64
      %next = arith.subi %c, %bit : i64
      scf.yield %next : i64
    }
    memref.store %n, %counts[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "subtracts"} : () -> ()
}) : () -> ()
// ALL:        scf.yield %{{.*}} : i64
// ALL-NEXT:   } {offload.scalar}
// ALL:        {sym_name = "subtracts"}

// -----

/// Integers that are added, not compared.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, index, memref<?xf32>, memref<?xi32>, memref<?xi64>) -> (), kernel}> ({
  ^bb0(%first: index, %end: index, %x: memref<?xf32>, %y: memref<?xi32>, %counts: memref<?xi64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %step = arith.constant 1 : index
    %bound = arith.constant 0.5 : f32
    %none = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = scf.for %k = %first to %end step %step iter_args(%c = %none) -> (i64) {
      %b = memref.load %y[%k] : memref<?xi32>
      %wide = arith.extsi %b : i32 to i64
      %next = arith.addi %c, %wide : i64
      scf.yield %next : i64
    }
    memref.store %n, %counts[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "adds_integers"} : () -> ()
}) : () -> ()
// ALL:        scf.yield %{{.*}} : i64
// ALL-NEXT:   } {offload.scalar}
// ALL:        {sym_name = "adds_integers"}

// -----

/// A comparison of the loop's variable.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, index, memref<?xf32>, memref<?xi32>, memref<?xi64>) -> (), kernel}> ({
  ^bb0(%first: index, %end: index, %x: memref<?xf32>, %y: memref<?xi32>, %counts: memref<?xi64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %step = arith.constant 1 : index
    %bound = arith.constant 0.5 : f32
    %none = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = scf.for %k = %first to %end step %step iter_args(%c = %none) -> (i64) {
      %far = arith.cmpi ult, %k, %index : index
      %bit = arith.extui %far : i1 to i64
      %next = arith.addi %c, %bit : i64
      scf.yield %next : i64
    }
    memref.store %n, %counts[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "compares_the_number_of_the_round"} : () -> ()
}) : () -> ()
// ALL:        scf.yield %{{.*}} : i64
// ALL-NEXT:   } {offload.scalar}
// ALL:        {sym_name = "compares_the_number_of_the_round"}

// -----

/// What is read at an index that has been read.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, index, memref<?xf32>, memref<?xi32>, memref<?xi64>) -> (), kernel}> ({
  ^bb0(%first: index, %end: index, %x: memref<?xf32>, %y: memref<?xi32>, %counts: memref<?xi64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %step = arith.constant 1 : index
    %bound = arith.constant 0.5 : f32
    %none = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = scf.for %k = %first to %end step %step iter_args(%c = %none) -> (i64) {
      %i = memref.load %y[%k] : memref<?xi32>
      %j = arith.index_cast %i : i32 to index
      %a = memref.load %x[%j] : memref<?xf32>
      %far = arith.cmpf ogt, %a, %bound : f32
      %bit = arith.extui %far : i1 to i64
      %next = arith.addi %c, %bit : i64
      scf.yield %next : i64
    }
    memref.store %n, %counts[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "reads_elsewhere"} : () -> ()
}) : () -> ()
// ALL:        scf.yield %{{.*}} : i64
// ALL-NEXT:   } {offload.scalar}
// ALL:        {sym_name = "reads_elsewhere"}

// -----

/// A count that is stored on the way.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, index, memref<?xf32>, memref<?xi32>, memref<?xi64>) -> (), kernel}> ({
  ^bb0(%first: index, %end: index, %x: memref<?xf32>, %y: memref<?xi32>, %counts: memref<?xi64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %step = arith.constant 1 : index
    %bound = arith.constant 0.5 : f32
    %none = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = scf.for %k = %first to %end step %step iter_args(%c = %none) -> (i64) {
      %a = memref.load %x[%k] : memref<?xf32>
      %place = arith.addi %first, %k : index
      %b = memref.load %y[%place] : memref<?xi32>
      %five = arith.constant 5 : i32
      %far = arith.cmpf ogt, %a, %bound : f32
      %low = arith.cmpi slt, %b, %five : i32
      %both = arith.andi %far, %low : i1
      %bit = arith.select %both, %one, %none : i64
      %next = arith.addi %c, %bit : i64
      memref.store %next, %counts[%k] : memref<?xi64>
      scf.yield %next : i64
    }
    memref.store %n, %counts[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "stores_counts"} : () -> ()
}) : () -> ()
// ALL:        scf.yield %{{.*}} : i64
// ALL-NEXT:   } {offload.scalar}
// ALL:        {sym_name = "stores_counts"}

// -----

/// Truths that are -1.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, index, memref<?xf32>, memref<?xi32>, memref<?xi64>) -> (), kernel}> ({
  ^bb0(%first: index, %end: index, %x: memref<?xf32>, %y: memref<?xi32>, %counts: memref<?xi64>):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %step = arith.constant 1 : index
    %bound = arith.constant 0.5 : f32
    %none = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = scf.for %k = %first to %end step %step iter_args(%c = %none) -> (i64) {
      %a = memref.load %x[%k] : memref<?xf32>
      %far = arith.cmpf ogt, %a, %bound : f32
      %bit = arith.extsi %far : i1 to i64
      %next = arith.addi %c, %bit : i64
      scf.yield %next : i64
    }
    memref.store %n, %counts[%index] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "adds_a_truth_as_signed"} : () -> ()
}) : () -> ()
// ALL:        scf.yield %{{.*}} : i64
// ALL-NEXT:   } {offload.scalar}
// ALL:        {sym_name = "adds_a_truth_as_signed"}

// -----

/// In a kernel of one work-item, a loop that carries nothing may be vectorised; one that carries a number, or has a loop
/// inside, may not.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, i64) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %n: i64):
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %first = arith.constant 0 : index
    scf.for %i = %zero to %n step %one : i64 {
      %f = memref.load %x[%first] : memref<?xf32>
      %s = scf.for %j = %zero to %n step %one iter_args(%t = %f) -> (f32) : i64 {
        %u = arith.mulf %t, %f : f32
        scf.yield %u : f32
      }
      scf.for %k = %zero to %n step %one : i64 {
        %place = arith.index_cast %k : i64 to index
        memref.store %s, %x[%place] : memref<?xf32>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "task", offload.single} : () -> ()
}) : () -> ()
// ALL:      scf.yield %{{.*}} : f32
// ALL-NEXT: } {offload.scalar}
// FLOATS:   scf.yield %{{.*}} : f32
// FLOATS-NEXT: } {offload.scalar}
// ALL:      memref.store
// ALL-NEXT: }{{$}}
// ALL-NEXT: } {offload.scalar}
// ALL:      {sym_name = "task", offload.single}

// -----

/// There, too, a sum may be vectorised whose order is free; one that is looked at in each round may not, nor may any in
/// a kernel of many work-items.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, i64, f32) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %n: i64, %f: f32):
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %first = arith.constant 0 : index
    %s = scf.for %j = %zero to %n step %one iter_args(%t = %f) -> (f32) : i64 {
      %u = arith.addf %t, %f fastmath<reassoc> : f32
      scf.yield %u : f32
    }
    %r = scf.for %k = %zero to %n step %one iter_args(%t = %s) -> (f32) : i64 {
      %v = arith.addf %t, %f fastmath<reassoc> : f32
      memref.store %v, %x[%first] : memref<?xf32>
      scf.yield %v : f32
    }
    memref.store %r, %x[%first] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "free_sums", offload.single} : () -> ()
  "gpu.func"() <{function_type = (memref<?xf32>, i64, f32) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %n: i64, %f: f32):
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %s = scf.for %j = %zero to %n step %one iter_args(%t = %f) -> (f32) : i64 {
      %u = arith.addf %t, %f fastmath<reassoc> : f32
      scf.yield %u : f32
    }
    memref.store %s, %x[%index] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "of_many"} : () -> ()
}) : () -> ()
// ALL:      scf.yield %{{.*}} : f32
// ALL-NEXT: }{{$}}
// ALL:      scf.yield %{{.*}} : f32
// ALL-NEXT: } {offload.scalar}
// ALL:      {sym_name = "free_sums", offload.single}
// ALL:      scf.yield %{{.*}} : f32
// ALL-NEXT: } {offload.scalar}
// ALL:      {sym_name = "of_many"}
