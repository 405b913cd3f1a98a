// RUN: hetc-opt %s --split-input-file -p 'coarsen-kernels{least=4096 words=true}' | filecheck %s
// RUN: hetc-opt %s --split-input-file -p 'coarsen-kernels{least=4096 shape=16,4}' | filecheck %s --check-prefix ROWS

/// Four elements a work-item, as far apart as a group is wide; what is left is for the kernel that there was. All lanes
/// load first; what is computed of the parameter alone is so once.
func.func @entry(%x: tensor<?xf32>, %a: f32) attributes {skel.entry} {
  %n = offload.size %x[0] : tensor<?xf32>
  %b = offload.alloc %n : memref<?xf32>
  offload.launch @kernels::@scale over %n group 256 tail "guard" (%b, %a, %n : memref<?xf32>, f32, index)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, f32, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %a: f32, %extent: index):
    %index = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %index, %extent : index
    scf.if %inside {
      %twice = arith.addf %a, %a : f32
      %v = memref.load %x[%index] : memref<?xf32>
      %w = arith.mulf %v, %twice : f32
      memref.store %w, %x[%index] : memref<?xf32>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "scale", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @entry
// CHECK:         %[[N:.*]] = offload.size
// CHECK:         %[[LEAST:.*]] = arith.constant 4096 : index
// CHECK-NEXT:    %[[FILLED:.*]] = arith.divui %[[N]], %[[LEAST]] : index
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT:    %[[LARGE:.*]] = arith.minui %[[FILLED]], %[[ONE]] : index
// CHECK-NEXT:    %[[TILE:.*]] = arith.constant 1024 : index
// CHECK-NEXT:    %[[TILES:.*]] = arith.divui %[[N]], %[[TILE]] : index
// CHECK-NEXT:    %[[SOME:.*]] = arith.muli %[[TILES]], %[[LARGE]] : index
// CHECK-NEXT:    %[[WHOLE:.*]] = arith.muli %[[SOME]], %[[TILE]] : index
// CHECK-NEXT:    %[[FOUR:.*]] = arith.constant 4 : index
// CHECK-NEXT:    %[[ITEMS:.*]] = arith.divui %[[WHOLE]], %[[FOUR]] : index
// CHECK-NEXT:    offload.launch @kernels::@scale_coarse over %[[ITEMS]] group 256 tail "exact"
// CHECK-NEXT:    %[[REST:.*]] = arith.subi %[[N]], %[[WHOLE]] : index
// CHECK:         offload.launch @kernels::@scale over %[[N]] box %[[REST]] from %[[WHOLE]] group 256 shape [256] tail "guard"
// CHECK:         sym_name = "scale"
// CHECK:         "gpu.func"
// CHECK-NEXT:    ^{{.*}}(%[[X:.*]]: memref<?xf32>, %[[A:.*]]: f32, %{{.*}}: index):
// CHECK-NEXT:      %[[BLOCK:.*]] = "gpu.block_id"() <{dimension = #gpu<dim x>}>
// CHECK-NEXT:      %[[K:.*]] = arith.constant 1024 : index
// CHECK-NEXT:      %[[FIRST:.*]] = arith.muli %[[BLOCK]], %[[K]] : index
// CHECK-NEXT:      %[[THREAD:.*]] = "gpu.thread_id"() <{dimension = #gpu<dim x>}>
// CHECK-NEXT:      %[[I:.*]] = arith.addi %[[FIRST]], %[[THREAD]] : index
// CHECK-NEXT:      %[[WIDTH:.*]] = arith.constant 256 : index
// CHECK-NEXT:      %[[J:.*]] = arith.addi %[[I]], %[[WIDTH]] : index
// CHECK:           %[[V:.*]] = memref.load %[[X]][%[[I]]]
// CHECK-NEXT:      %[[W:.*]] = memref.load %[[X]][%[[J]]]
// CHECK-NEXT:      memref.load
// CHECK-NEXT:      memref.load
// CHECK-NEXT:      %[[TWICE:.*]] = arith.addf %[[A]], %[[A]] : f32
// CHECK-NEXT:      arith.mulf %[[V]], %[[TWICE]] : f32
// CHECK-NEXT:      memref.store %{{.*}}, %[[X]][%[[I]]]
// CHECK-NEXT:      arith.mulf %[[W]], %[[TWICE]] : f32
// CHECK-NEXT:      memref.store %{{.*}}, %[[X]][%[[J]]]
// CHECK:           "gpu.return"
// CHECK:         sym_name = "scale_coarse"

// -----

/// Of bytes a work-item has four neighbours, which are a word. Near misses: other numbers, and bytes of others' elements.
func.func @entry(%x: memref<?xi8>, %y: memref<?xf32>, %n: index) attributes {skel.entry} {
  offload.launch @kernels::@bytes over %n group 256 tail "guard" (%x, %y, %n : memref<?xi8>, memref<?xf32>, index)
  offload.launch @kernels::@mixed over %n group 256 tail "guard" (%x, %y, %n : memref<?xi8>, memref<?xf32>, index)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi8>, memref<?xf32>, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xi8>, %y: memref<?xf32>, %n: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %v = memref.load %x[%i] : memref<?xi8>
      %w = arith.uitofp %v : i8 to f32
      memref.store %w, %y[%i] : memref<?xf32>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "bytes", offload.elementwise} : () -> ()
  "gpu.func"() <{function_type = (memref<?xi8>, memref<?xf32>, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xi8>, %y: memref<?xf32>, %n: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %v = memref.load %x[%i] : memref<?xi8>
      %u = memref.load %y[%i] : memref<?xf32>
      %w = arith.uitofp %v : i8 to f32
      %s = arith.addf %u, %w : f32
      memref.store %s, %y[%i] : memref<?xf32>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "mixed", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @entry
// CHECK:         sym_name = "bytes"
// CHECK:         ^{{.*}}(%[[X:.*]]: memref<?xi8>, %[[Y:.*]]: memref<?xf32>, %{{.*}}: index):
// CHECK-NEXT:      %[[NUMBER:.*]] = "gpu.global_id"() <{dimension = #gpu<dim x>}>
// CHECK-NEXT:      %[[FOUR:.*]] = arith.constant 4 : index
// CHECK-NEXT:      %[[FIRST:.*]] = arith.muli %[[NUMBER]], %[[FOUR]] : index
// CHECK-NEXT:      %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT:      %[[SECOND:.*]] = arith.addi %[[FIRST]], %[[ONE]] : index
// CHECK:           memref.load %[[X]][%[[FIRST]]]
// CHECK-NEXT:      memref.load %[[X]][%[[SECOND]]]
// CHECK:         sym_name = "bytes_coarse"
// CHECK:         sym_name = "mixed"
// CHECK:           arith.constant 1024 : index
// CHECK:         sym_name = "mixed_coarse"

// -----

/// Four rows in two dimensions; the columns' test stays. A loop that all run equally often is run once, what is loaded for
/// all of them is loaded once; the check is one, and asks which of the blocks has failed where one has.
func.func @entry(%x: tensor<?xf32>, %flags: memref<?xi32>, %marks: memref<?xi8>, %w: index, %h: index) attributes {skel.entry} {
  %n = offload.size %x[0] : tensor<?xf32>
  %b = offload.alloc %n : memref<?xf32>
  offload.launch @kernels::@sums over %n box %w, %h group 256 shape [32, 8] tail "guard" (%b, %w, %h, %flags, %marks : memref<?xf32>, index, index, memref<?xi32>, memref<?xi8>)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, index, index, memref<?xi32>, memref<?xi8>) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %w: index, %h: index, %flags: memref<?xi32>, %marks: memref<?xi8>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim y>}> : () -> index
    %j = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %narrow = arith.cmpi ult, %j, %w : index
    %low = arith.cmpi ult, %i, %h : index
    %inside = arith.andi %narrow, %low : i1
    scf.if %inside {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %start = arith.constant 0.0 : f32
      %sum = scf.for %k = %zero to %w step %one iter_args(%before = %start) -> (f32) {
        %row = arith.index_cast %i : index to i32
        %r = arith.sitofp %row : i32 to f32
        %c = memref.load %x[%k] : memref<?xf32>
        %root = math.sqrt %c : f32
        %product = arith.mulf %r, %root : f32
        %after = arith.addf %before, %product : f32
        scf.yield %after : f32
      }
      %positive = arith.cmpf oge, %sum, %start : f32
      guard.check %positive, %flags[0] mark %i in %marks stay, domain, "negative" : memref<?xi32>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "sums", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @entry
// CHECK:         offload.launch @kernels::@sums_coarse over %{{.*}} box %{{.*}}, %{{.*}} group 256 shape [32, 8] tail "guard"
// CHECK:         offload.launch @kernels::@sums over %{{.*}} box %{{.*}}, %{{.*}} from
// CHECK:         sym_name = "sums"
// CHECK:         "gpu.func"
// CHECK:           %[[Y:.*]] = "gpu.global_id"() <{dimension = #gpu<dim y>}>
// CHECK:           %[[I:.*]] = arith.muli %[[Y]], %{{.*}} : index
// CHECK:           %[[NEXT:.*]] = arith.addi %[[I]], %{{.*}} : index
// CHECK:           %[[J:.*]] = "gpu.global_id"() <{dimension = #gpu<dim x>}>
// CHECK:           %[[NARROW:.*]] = arith.cmpi ult, %[[J]]
// CHECK-NOT:       arith.cmpi
// CHECK:           scf.if %[[NARROW]] {
// CHECK:             scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (f32, f32, f32, f32)
// CHECK:               %[[ROOT:.*]] = math.sqrt
// CHECK-NOT:           math.sqrt
// CHECK:               arith.mulf %{{.*}}, %[[ROOT]]
// CHECK:               scf.yield %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : f32, f32, f32, f32
// CHECK:             %[[FAILED:.*]] = arith.xori
// CHECK-NEXT:        scf.if %[[FAILED]] {
// CHECK-NEXT:          guard.check %{{.*}}, %{{.*}}[0] mark %[[I]] in
// CHECK-NEXT:          guard.check %{{.*}}, %{{.*}}[0] mark %[[NEXT]] in
// CHECK-NEXT:          guard.check
// CHECK-NEXT:          guard.check
// CHECK-NEXT:        }
// CHECK:         sym_name = "sums_coarse"

// -----

/// A loop that reads one array by row and the other by column: four columns and eight rows, in groups of half as many.
func.func @entry(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>, %n: index, %s: index) attributes {skel.entry} {
  offload.launch @kernels::@product over %s box %n, %n group 256 shape [32, 8] tail "guard" (%a, %b, %c, %n : memref<?xf32>, memref<?xf32>, memref<?xf32>, index)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xf32>, memref<?xf32>, index) -> (), kernel}> ({
  ^bb0(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>, %n: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim y>}> : () -> index
    %j = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %narrow = arith.cmpi ult, %j, %n : index
    %low = arith.cmpi ult, %i, %n : index
    %inside = arith.andi %narrow, %low : i1
    scf.if %inside {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %start = arith.constant 0.0 : f32
      %row = arith.muli %i, %n : index
      %sum = scf.for %k = %zero to %n step %one iter_args(%before = %start) -> (f32) {
        %left = arith.addi %row, %k : index
        %p = memref.load %a[%left] : memref<?xf32>
        %down = arith.muli %k, %n : index
        %right = arith.addi %down, %j : index
        %q = memref.load %b[%right] : memref<?xf32>
        %product = arith.mulf %p, %q : f32
        %after = arith.addf %before, %product : f32
        scf.yield %after : f32
      }
      %place = arith.addi %row, %j : index
      memref.store %sum, %c[%place] : memref<?xf32>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "product", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @entry
// CHECK:         offload.launch @kernels::@product_coarse over %{{.*}} box %{{.*}}, %{{.*}} group 128 shape [32, 4] tail "guard"
// CHECK:         offload.launch @kernels::@product over %{{.*}} box %{{.*}}, %{{.*}} from %{{.*}}, %{{.*}} group 256
// CHECK:         offload.launch @kernels::@product over %{{.*}} box %{{.*}}, %{{.*}} from %{{.*}}, %{{.*}} group 256
// CHECK:         sym_name = "product"
// CHECK:         "gpu.func"
// CHECK-NOT:     arith.cmpi
// CHECK-NOT:     scf.if
// CHECK:         scf.for
// CHECK-COUNT-12: memref.load
// CHECK-NOT:     memref.load
// CHECK-COUNT-32: arith.mulf
// CHECK-NOT:     arith.mulf
// CHECK-COUNT-32: memref.store

// -----

/// Near misses: a work-item that may leave, a loop that runs as often as the element says, a kernel whose work-items
/// do more than their own element, and a loop in which they would share no load.
func.func @entry(%x: memref<?xf32>, %flags: memref<?xi32>, %n: index) attributes {skel.entry} {
  offload.launch @kernels::@leaves over %n group 256 tail "guard" (%x, %flags, %n : memref<?xf32>, memref<?xi32>, index)
  offload.launch @kernels::@counts over %n group 256 tail "guard" (%x, %n : memref<?xf32>, index)
  offload.launch @kernels::@other over %n group 256 tail "guard" (%x, %n : memref<?xf32>, index)
  offload.launch @kernels::@alone over %n group 256 tail "guard" (%x, %n : memref<?xf32>, index)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf32>, memref<?xi32>, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %flags: memref<?xi32>, %n: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %zero = arith.constant 0.0 : f32
      %v = memref.load %x[%i] : memref<?xf32>
      %nonzero = arith.cmpf une, %v, %zero : f32
      guard.check %nonzero, %flags[0], zero_division, "zero" : memref<?xi32>
      memref.store %zero, %x[%i] : memref<?xf32>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "leaves", offload.elementwise} : () -> ()
  "gpu.func"() <{function_type = (memref<?xf32>, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %n: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %half = arith.constant 0.5 : f32
      scf.for %k = %zero to %i step %one {
        memref.store %half, %x[%i] : memref<?xf32>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "counts", offload.elementwise} : () -> ()
  "gpu.func"() <{function_type = (memref<?xf32>, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %n: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %half = arith.constant 0.5 : f32
      memref.store %half, %x[%i] : memref<?xf32>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "other"} : () -> ()
  "gpu.func"() <{function_type = (memref<?xf32>, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xf32>, %n: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %start = arith.constant 0.5 : f32
      %last = scf.for %k = %zero to %n step %one iter_args(%before = %start) -> (f32) {
        %after = arith.mulf %before, %before : f32
        scf.yield %after : f32
      }
      memref.store %last, %x[%i] : memref<?xf32>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "alone", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @entry
// CHECK:         offload.launch @kernels::@leaves
// CHECK-NEXT:    offload.launch @kernels::@counts
// CHECK-NEXT:    offload.launch @kernels::@other
// CHECK-NEXT:    offload.launch @kernels::@alone
// CHECK-NOT:     coarse

// -----

/// With a shape of work-groups, for compilers that make vectors of neighbours: a work-item does eight rows if they
/// share what a loop loads. Whole tiles are 16 columns and 32 rows; what is left along each is launched as before.
func.func @products(%x: tensor<?xf32>, %w: index, %h: index) attributes {skel.entry} {
  %n = offload.size %x[0] : tensor<?xf32>
  %b = offload.alloc %n : memref<?xf32>
  %c = offload.alloc %n : memref<?xf32>
  offload.launch @kernels::@sums over %n box %w, %h group 64 tail "split" (%w, %b, %c : index, memref<?xf32>, memref<?xf32>)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, memref<?xf32>, memref<?xf32>) -> (), kernel}> ({
  ^bb0(%w: index, %b: memref<?xf32>, %c: memref<?xf32>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim y>}> : () -> index
    %j = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %low = arith.constant 0 : index
    %one = arith.constant 1 : index
    %start = arith.constant 0.0 : f32
    %row = arith.muli %i, %w : index
    %total = scf.for %k = %low to %w step %one iter_args(%sum = %start) -> (f32) {
      %left = arith.addi %row, %k : index
      %below = arith.muli %k, %w : index
      %right = arith.addi %below, %j : index
      %p = memref.load %b[%left] : memref<?xf32>
      %q = memref.load %b[%right] : memref<?xf32>
      %product = arith.mulf %p, %q : f32
      %next = arith.addf %sum, %product : f32
      scf.yield %next : f32
    }
    %place = arith.addi %row, %j : index
    memref.store %total, %c[%place] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "sums", offload.elementwise} : () -> ()
}) : () -> ()
// ROWS-LABEL: func.func @products
// ROWS:         %[[SIXTEEN:.*]] = arith.constant 16 : index
// ROWS-NEXT:    %[[ACROSS:.*]] = arith.divui %w, %[[SIXTEEN]] : index
// ROWS-NEXT:    %[[SOME:.*]] = arith.muli %[[ACROSS]], %{{.*}} : index
// ROWS-NEXT:    %[[COLUMNS:.*]] = arith.muli %[[SOME]], %[[SIXTEEN]] : index
// ROWS-NEXT:    %[[TILE:.*]] = arith.constant 32 : index
// ROWS-NEXT:    %[[DOWN:.*]] = arith.divui %h, %[[TILE]] : index
// ROWS-NEXT:    %[[FEW:.*]] = arith.muli %[[DOWN]], %{{.*}} : index
// ROWS-NEXT:    %[[ROWS:.*]] = arith.muli %[[FEW]], %[[TILE]] : index
// ROWS:         %[[EIGHTH:.*]] = arith.divui %[[ROWS]], %{{.*}} : index
// ROWS-NEXT:    offload.launch @kernels::@sums_coarse over %{{.*}} box %{{.*}}, %[[EIGHTH]] group 64 shape [16, 4] tail "exact"
// ROWS:         offload.launch @kernels::@sums over %{{.*}} box %{{.*}}, %[[ROWS]] from %[[COLUMNS]], %{{.*}} group 64 tail "split"
// ROWS:         offload.launch @kernels::@sums over %{{.*}} box %w, %{{.*}} from %{{.*}}, %[[ROWS]] group 64 tail "split"
// ROWS:         sym_name = "sums"
/// One load of the right factor for eight of the left.
// ROWS:           scf.for
// ROWS-COUNT-9:     memref.load
// ROWS-NOT:         memref.load
// ROWS-COUNT-8:     arith.addf
// ROWS-NOT:         arith.addf
// ROWS-COUNT-8:   memref.store
// ROWS:         sym_name = "sums_coarse"

// -----

/// Near miss: each row has loads of its own.
func.func @rows_alone(%x: tensor<?xf32>, %w: index, %h: index) attributes {skel.entry} {
  %n = offload.size %x[0] : tensor<?xf32>
  %b = offload.alloc %n : memref<?xf32>
  %c = offload.alloc %n : memref<?xf32>
  offload.launch @kernels::@rows over %n box %w, %h group 64 tail "split" (%w, %b, %c : index, memref<?xf32>, memref<?xf32>)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, memref<?xf32>, memref<?xf32>) -> (), kernel}> ({
  ^bb0(%w: index, %b: memref<?xf32>, %c: memref<?xf32>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim y>}> : () -> index
    %j = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %low = arith.constant 0 : index
    %one = arith.constant 1 : index
    %start = arith.constant 0.0 : f32
    %row = arith.muli %i, %w : index
    %total = scf.for %k = %low to %w step %one iter_args(%sum = %start) -> (f32) {
      %left = arith.addi %row, %k : index
      %p = memref.load %b[%left] : memref<?xf32>
      %next = arith.addf %sum, %p : f32
      scf.yield %next : f32
    }
    %place = arith.addi %row, %j : index
    memref.store %total, %c[%place] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "rows", offload.elementwise} : () -> ()
}) : () -> ()
// ROWS-LABEL: func.func @rows_alone
// ROWS:         offload.launch @kernels::@rows over %{{.*}} box %{{.*}}, %{{.*}} group 64 tail "split"
// ROWS-NOT:     _coarse

// -----

/// Near miss: the kernel has no loop, in which loads would be shared.
func.func @no_loop(%x: tensor<?xf32>, %w: index, %h: index) attributes {skel.entry} {
  %n = offload.size %x[0] : tensor<?xf32>
  %b = offload.alloc %n : memref<?xf32>
  %c = offload.alloc %n : memref<?xf32>
  offload.launch @kernels::@copy over %n box %w, %h group 64 tail "split" (%w, %b, %c : index, memref<?xf32>, memref<?xf32>)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, memref<?xf32>, memref<?xf32>) -> (), kernel}> ({
  ^bb0(%w: index, %b: memref<?xf32>, %c: memref<?xf32>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim y>}> : () -> index
    %j = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %row = arith.muli %i, %w : index
    %place = arith.addi %row, %j : index
    %p = memref.load %b[%j] : memref<?xf32>
    memref.store %p, %c[%place] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "copy", offload.elementwise} : () -> ()
}) : () -> ()
// ROWS-LABEL: func.func @no_loop
// ROWS-NOT:     _coarse

// -----

/// Near miss: a launch of one dimension has no rows.
func.func @one_dimension(%x: tensor<?xf32>, %w: index) attributes {skel.entry} {
  %n = offload.size %x[0] : tensor<?xf32>
  %b = offload.alloc %n : memref<?xf32>
  %c = offload.alloc %n : memref<?xf32>
  offload.launch @kernels::@sums over %n group 64 tail "split" (%w, %b, %c : index, memref<?xf32>, memref<?xf32>)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, memref<?xf32>, memref<?xf32>) -> (), kernel}> ({
  ^bb0(%w: index, %b: memref<?xf32>, %c: memref<?xf32>):
    %j = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %low = arith.constant 0 : index
    %one = arith.constant 1 : index
    %start = arith.constant 0.0 : f32
    %total = scf.for %k = %low to %w step %one iter_args(%sum = %start) -> (f32) {
      %p = memref.load %b[%k] : memref<?xf32>
      %next = arith.addf %sum, %p : f32
      scf.yield %next : f32
    }
    memref.store %total, %c[%j] : memref<?xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "sums", offload.elementwise} : () -> ()
}) : () -> ()
// ROWS-LABEL: func.func @one_dimension
// ROWS-NOT:     _coarse
