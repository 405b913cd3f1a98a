// RUN: hetc-opt %s --split-input-file -p 'spread-loops{most=4096 local-memory=32768 units=8}' | filecheck %s

/// Up to 4095 elements are for groups of 32 + 256 work-items, which compute up to 16 of them: as many as give each of 8
/// processors equally many groups. With more elements, that launch is empty. A worker loads the divisor of a round, and
/// computes the quotients of four elements with it; it asks whether its group has those of the second half, and the others
/// are computed as the last one that it has. Adders take the chunk before, in order, at places that are signed. What
/// follows the loop is done by the adders that have an element.
func.func @entry(%x: memref<?xf64>, %y: memref<?xf64>, %m: i32, %n: index) attributes {skel.entry} {
  offload.launch @kernels::@sums over %n group 256 tail "guard" (%x, %y, %m, %n : memref<?xf64>, memref<?xf64>, i32, index)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf64>, memref<?xf64>, i32, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf64>, %y: memref<?xf64>, %m: i32, %n: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %start = arith.constant 0.0 : f64
      %own = memref.load %x[%i] : memref<?xf64>
      %sum = scf.for %k = %zero to %m step %one iter_args(%before = %start) -> (f64) : i32 {
        %at = arith.index_cast %k : i32 to index
        %v = memref.load %x[%at] : memref<?xf64>
        %quotient = arith.divf %own, %v : f64
        %after = arith.addf %before, %quotient : f64
        scf.yield %after : f64
      }
      memref.store %sum, %y[%i] : memref<?xf64>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "sums", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @entry
// CHECK-SAME:    %[[N:[a-z]+]]: index)
// CHECK:         %[[START:.*]] = arith.constant 0 : index
// CHECK:         %[[FILLED:.*]] = arith.divui %[[N]], %{{.*}} : index
// CHECK:         %[[LARGE:.*]] = arith.minui %[[FILLED]], %{{.*}} : index
// CHECK-NEXT:    %[[MANY:.*]] = arith.muli %[[N]], %[[LARGE]] : index
// CHECK-NEXT:    %[[FEW:.*]] = arith.subi %[[N]], %[[MANY]] : index
// CHECK-NEXT:    %[[AT_ONCE:.*]] = arith.constant 128 : index
// CHECK-NEXT:    %[[TURNS:.*]] = arith.ceildivui %[[FEW]], %[[AT_ONCE]] : index
// CHECK-NEXT:    %[[SOME:.*]] = arith.maxui %[[TURNS]], %[[ONE:.*]] : index
// CHECK-NEXT:    %[[UNITS:.*]] = arith.constant 8 : index
// CHECK-NEXT:    %[[TOGETHER:.*]] = arith.muli %[[SOME]], %[[UNITS]] : index
// CHECK-NEXT:    %[[EQUAL:.*]] = arith.ceildivui %[[FEW]], %[[TOGETHER]] : index
// CHECK-NEXT:    %[[ROWS:.*]] = arith.maxui %[[EQUAL]], %[[ONE]] : index
// CHECK-NEXT:    %[[GROUPS:.*]] = arith.ceildivui %[[FEW]], %[[ROWS]] : index
// CHECK-NEXT:    %[[LANES:.*]] = arith.constant 288 : index
// CHECK-NEXT:    %[[ITEMS:.*]] = arith.muli %[[GROUPS]], %[[LANES]] : index
// CHECK-NEXT:    offload.launch @kernels::@sums_spread over %[[ITEMS]] group 288 tail "exact" ({{.*}}%[[N]], %[[START]], %[[ROWS]] :
// CHECK-NEXT:    %[[REST:.*]] = arith.addi %[[START]], %[[FEW]] : index
// CHECK-NEXT:    offload.launch @kernels::@sums over %[[N]] box %[[MANY]] from %[[REST]] group 256 shape [256] tail "guard"
// CHECK:         sym_name = "sums"
// CHECK:         ^{{.*}}(%[[X:.*]]: memref<?xf64>, %[[Y:.*]]: memref<?xf64>, %[[M:.*]]: i32, %[[END:.*]]: index, %[[START:.*]]: index, %[[OWN_ROWS:.*]]: index):
// CHECK-NEXT:      %[[TERMS:.*]] = memref.alloca() : memref<2176xf64, "local">
// CHECK-NEXT:      %[[LANE:.*]] = "gpu.thread_id"()
// CHECK-NEXT:      %[[GROUP:.*]] = "gpu.block_id"()
// CHECK:           %[[WORKS:.*]] = arith.cmpi uge, %[[LANE]], %{{.*}} : index
// CHECK:           %[[ADDS:.*]] = arith.cmpi ult, %[[LANE]], %[[OWN_ROWS]] : index
// CHECK:           %[[COLUMN:.*]] = arith.remui
// CHECK:           %[[ROW:.*]] = arith.select %[[WORKS]], %{{.*}}, %{{.*}} : index
// CHECK:           %[[FIRST:.*]] = arith.addi %[[START]], %{{.*}} : index
// CHECK:           %[[NEXT_GROUP:.*]] = arith.addi %[[FIRST]], %[[OWN_ROWS]] : index
// CHECK-NEXT:      %[[STOP:.*]] = arith.minui %[[NEXT_GROUP]], %[[END]] : index
// CHECK:           %[[LAST:.*]] = arith.subi %[[STOP]], %{{.*}} : index
// CHECK:           %[[INDEX:.*]] = arith.addi %[[FIRST]], %[[ROW]] : index
// CHECK:           %[[I:.*]] = arith.minui %[[INDEX]], %[[LAST]] {offload.element} : index
// CHECK:           %[[OWN:.*]] = memref.load %[[X]][%[[I]]]
// CHECK:           %[[SUM:.*]] = scf.for %[[CHUNK:[a-z]+]] = {{.*}} iter_args(%[[SO_FAR:[a-z_0-9]+]] =
// CHECK:             %[[BEGIN:.*]] = arith.muli %[[CHUNK]], %{{.*}} : index
// CHECK-NEXT:        %[[AT:.*]] = arith.addi %[[BEGIN]], %[[COLUMN]] : index
// CHECK-NEXT:        %[[MORE:.*]] = arith.cmpi ult, %[[AT]], %[[COUNT:.*]] : index
// CHECK-NEXT:        %[[WORKING:.*]] = arith.andi %[[WORKS]], %[[MORE]] : i1
// CHECK-NEXT:        scf.if %[[WORKING]] {
// CHECK:               %[[LINE:.*]] = arith.muli %{{.*}} overflow<nsw> : i32
// CHECK:               %[[ROUND:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK-NEXT:          arith.addi %{{.*}}, %[[ROUND]] overflow<nsw> : i32
// CHECK:               %[[DIVISOR:.*]] = memref.load %[[X]]
// CHECK-NOT:           memref.load
// CHECK:               %[[TERM:.*]] = arith.divf %[[OWN]], %[[DIVISOR]] : f64
// CHECK:               memref.store %[[TERM]], %[[TERMS]]
// CHECK:               arith.divf %{{.*}}, %[[DIVISOR]] : f64
// CHECK:               %[[HAS:.*]] = arith.cmpi ult, %{{.*}}, %[[OWN_ROWS]] : index
// CHECK-NEXT:          scf.if %[[HAS]] {
// CHECK:                 arith.divf %{{.*}}, %[[DIVISOR]] : f64
// CHECK:               %[[HAS_LAST:.*]] = arith.cmpi ult, %{{.*}}, %[[OWN_ROWS]] : index
// CHECK-NEXT:          scf.if %[[HAS_LAST]] {
// CHECK:                 arith.divf %{{.*}}, %[[DIVISOR]] : f64
// CHECK:             }
// CHECK:             %[[TAKEN:.*]] = arith.andi %[[ADDS]], %{{.*}} : i1
// CHECK-NEXT:        %[[NEXT:.*]] = scf.if %[[TAKEN]] -> (f64) {
// CHECK:               %[[WHOLE:.*]] = arith.cmpi uge, %[[LEFT:.*]], %{{.*}} : index
// CHECK-NEXT:          scf.if %[[WHOLE]] -> (f64) {
// CHECK:                 scf.for {{.*}} iter_args(%[[BEFORE:[a-z_0-9]+]] = %[[SO_FAR]])
// CHECK:                   %[[T:.*]] = memref.load %[[TERMS]]
// CHECK-NEXT:              arith.addf %[[BEFORE]], %[[T]] : f64
// CHECK-NEXT:              scf.yield
// CHECK-NEXT:            } {offload.unroll = 16 : i64}
// CHECK:               } else {
// CHECK:                 %[[LEFT_OVER:.*]] = arith.index_cast %[[LEFT]] : index to i32
// CHECK:                 scf.for {{.*}} to %[[LEFT_OVER]] step
// CHECK:             } else {
// CHECK-NEXT:          scf.yield %[[SO_FAR]] : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        "gpu.barrier"()
// CHECK-NEXT:        scf.yield %[[NEXT]] : f64
// CHECK:           %[[EXISTS:.*]] = arith.cmpi ult, %[[INDEX]], %[[END]] : index
// CHECK-NEXT:      %[[GIVES:.*]] = arith.andi %[[ADDS]], %[[EXISTS]] : i1
// CHECK-NEXT:      scf.if %[[GIVES]] {
// CHECK-NEXT:        memref.store %[[SUM]], %[[Y]][%[[I]]]
// CHECK:         sym_name = "sums_spread"

// -----

/// Bits go through local memory as bytes; what is left of another launch begins where that one ends.
func.func @entry(%x: memref<?xf32>, %y: memref<?xf32>, %n: index, %many: index, %first: index) attributes {skel.entry} {
  offload.launch @kernels::@any over %n box %many from %first group 256 shape [256] tail "guard" (%x, %y, %n : memref<?xf32>, memref<?xf32>, index)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xf32>, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %y: memref<?xf32>, %n: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %false = arith.constant false
      %own = memref.load %x[%i] : memref<?xf32>
      %found = scf.for %k = %zero to %n step %one iter_args(%before = %false) -> (i1) {
        %v = memref.load %x[%k] : memref<?xf32>
        %less = arith.cmpf olt, %own, %v : f32
        %after = arith.ori %before, %less : i1
        scf.yield %after : i1
      }
      %result = arith.uitofp %found : i1 to f32
      memref.store %result, %y[%i] : memref<?xf32>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "any", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @entry
// CHECK-SAME:    %[[MANY:[a-z]+]]: index, %[[FIRST:[a-z]+]]: index)
// CHECK:         arith.divui %[[MANY]]
// CHECK:         offload.launch @kernels::@any_spread over %{{.*}} group 288 tail "exact" ({{.*}}, %[[FIRST]], %{{.*}} :
// CHECK:         %[[REST:.*]] = arith.addi %[[FIRST]], %{{.*}} : index
// CHECK-NEXT:    offload.launch @kernels::@any over %{{.*}} box %{{.*}} from %[[REST]]
// CHECK:         %[[LESS:.*]] = memref.alloca() : memref<4352xi8, "local">
// CHECK:         %[[BIT:.*]] = arith.cmpf olt
// CHECK:         %[[BYTE:.*]] = arith.extui %[[BIT]] : i1 to i8
// CHECK-NEXT:    memref.store %[[BYTE]], %[[LESS]]
// CHECK:         %[[READ:.*]] = memref.load %[[LESS]]
// CHECK-NEXT:    %[[AGAIN:.*]] = arith.trunci %[[READ]] : i8 to i1
// CHECK-NEXT:    arith.ori %{{.*}}, %[[AGAIN]] : i1

// -----

/// Near misses: a recurrence that costs as much as its terms; one that reads memory; terms that hang on the rounds before;
/// a loop that is run as often as the element says; a loop that stores; one that a work-item may leave; one after another.
func.func @entry(%x: memref<?xf32>, %f: memref<?xi32>, %n: index) attributes {skel.entry} {
  offload.launch @kernels::@dear over %n group 256 tail "guard" (%x, %f, %n : memref<?xf32>, memref<?xi32>, index)
  offload.launch @kernels::@reads over %n group 256 tail "guard" (%x, %f, %n : memref<?xf32>, memref<?xi32>, index)
  offload.launch @kernels::@hangs over %n group 256 tail "guard" (%x, %f, %n : memref<?xf32>, memref<?xi32>, index)
  offload.launch @kernels::@often over %n group 256 tail "guard" (%x, %f, %n : memref<?xf32>, memref<?xi32>, index)
  offload.launch @kernels::@stores over %n group 256 tail "guard" (%x, %f, %n : memref<?xf32>, memref<?xi32>, index)
  offload.launch @kernels::@later over %n group 256 tail "guard" (%x, %f, %n : memref<?xf32>, memref<?xi32>, index)
  offload.launch @kernels::@leaves over %n group 256 tail "guard" (%x, %f, %n : memref<?xf32>, memref<?xi32>, index)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xi32>, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %f: memref<?xi32>, %n: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %start = arith.constant 1.0 : f32
      %last = scf.for %k = %zero to %n step %one iter_args(%before = %start) -> (f32) {
        %v = memref.load %f[%k] : memref<?xi32>
        %w = arith.sitofp %v : i32 to f32
        %after = arith.divf %before, %w : f32
        scf.yield %after : f32
      }
      memref.store %last, %x[%i] : memref<?xf32>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "dear", offload.elementwise} : () -> ()
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xi32>, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %f: memref<?xi32>, %n: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %none = arith.constant 0 : i32
      %last = scf.for %k = %zero to %n step %one iter_args(%before = %none) -> (i32) {
        %v = memref.load %f[%k] : memref<?xi32>
        %root = arith.divsi %v, %v : i32
        %at = arith.index_cast %before : i32 to index
        %w = memref.load %f[%at] : memref<?xi32>
        %after = arith.addi %w, %root : i32
        scf.yield %after : i32
      }
      %result = arith.sitofp %last : i32 to f32
      memref.store %result, %x[%i] : memref<?xf32>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "reads", offload.elementwise} : () -> ()
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xi32>, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %f: memref<?xi32>, %n: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %start = arith.constant 1.0 : f32
      %last = scf.for %k = %zero to %n step %one iter_args(%before = %start) -> (f32) {
        %root = math.sqrt %before : f32
        %quotient = arith.divf %start, %root : f32
        scf.yield %quotient : f32
      }
      memref.store %last, %x[%i] : memref<?xf32>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "hangs", offload.elementwise} : () -> ()
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xi32>, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %f: memref<?xi32>, %n: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %start = arith.constant 1.0 : f32
      %last = scf.for %k = %zero to %i step %one iter_args(%before = %start) -> (f32) {
        %v = memref.load %f[%k] : memref<?xi32>
        %w = arith.sitofp %v : i32 to f32
        %quotient = arith.divf %start, %w : f32
        %after = arith.addf %before, %quotient : f32
        scf.yield %after : f32
      }
      memref.store %last, %x[%i] : memref<?xf32>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "often", offload.elementwise} : () -> ()
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xi32>, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %f: memref<?xi32>, %n: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %start = arith.constant 1.0 : f32
      %last = scf.for %k = %zero to %n step %one iter_args(%before = %start) -> (f32) {
        %v = memref.load %f[%k] : memref<?xi32>
        %w = arith.sitofp %v : i32 to f32
        %quotient = arith.divf %start, %w : f32
        %after = arith.addf %before, %quotient : f32
        memref.store %after, %x[%i] : memref<?xf32>
        scf.yield %after : f32
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "stores", offload.elementwise} : () -> ()
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xi32>, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %f: memref<?xi32>, %n: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %start = arith.constant 1.0 : f32
      %last = scf.for %k = %zero to %n step %one iter_args(%before = %start) -> (f32) {
        %v = memref.load %f[%k] : memref<?xi32>
        %w = arith.sitofp %v : i32 to f32
        %positive = arith.cmpf ogt, %w, %start : f32
        guard.check %positive, %f[0], domain, "small" : memref<?xi32>
        %quotient = arith.divf %start, %w : f32
        %after = arith.addf %before, %quotient : f32
        scf.yield %after : f32
      }
      memref.store %last, %x[%i] : memref<?xf32>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "leaves", offload.elementwise} : () -> ()
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xi32>, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %f: memref<?xi32>, %n: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %start = arith.constant 1.0 : f32
      %large = scf.while (%before = %start) : (f32) -> f32 {
        %goes = arith.cmpf olt, %before, %start : f32
        scf.condition(%goes) %before : f32
      } do {
      ^bb0(%before: f32):
        %twice = arith.addf %before, %before : f32
        scf.yield %twice : f32
      }
      %last = scf.for %k = %zero to %n step %one iter_args(%before = %large) -> (f32) {
        %v = memref.load %f[%k] : memref<?xi32>
        %w = arith.sitofp %v : i32 to f32
        %quotient = arith.divf %start, %w : f32
        %after = arith.addf %before, %quotient : f32
        scf.yield %after : f32
      }
      memref.store %last, %x[%i] : memref<?xf32>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "later", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @entry
// CHECK-NOT:     _spread
