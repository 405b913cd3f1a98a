// RUN: hetc-opt %s --split-input-file -p widen-loads | filecheck %s

/// Four neighbouring bytes are one word, at a quarter of the index; the bytes are cut out of it.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi8>, memref<?xi8>) -> (), kernel}> ({
  ^bb0(%x: memref<?xi8>, %y: memref<?xi8>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %four = arith.constant 4 : index
    %first = arith.muli %i, %four : index
    %one = arith.constant 1 : index
    %second = arith.addi %first, %one : index
    %two = arith.constant 2 : index
    %third = arith.addi %first, %two : index
    %three = arith.constant 3 : index
    %fourth = arith.addi %first, %three : index
    %b = memref.load %x[%second] : memref<?xi8>
    %a = memref.load %x[%first] : memref<?xi8>
    %c = memref.load %x[%third] : memref<?xi8>
    %d = memref.load %x[%fourth] : memref<?xi8>
    memref.store %a, %y[%first] : memref<?xi8>
    memref.store %b, %y[%second] : memref<?xi8>
    memref.store %c, %y[%third] : memref<?xi8>
    memref.store %d, %y[%fourth] : memref<?xi8>
    "gpu.return"() : () -> ()
  }) {sym_name = "copy", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK:         function_type = (memref<?xi32>, memref<?xi8>) -> ()
// CHECK-NEXT:    ^{{.*}}(%[[X:.*]]: memref<?xi32>, %[[Y:.*]]: memref<?xi8>):
// CHECK-NEXT:      %[[I:.*]] = "gpu.global_id"()
// CHECK:           %[[FIRST:.*]] = arith.muli %[[I]]
// CHECK:           %[[WORD:.*]] = memref.load %[[X]][%[[I]]] : memref<?xi32>
// CHECK-NEXT:      %[[EIGHT:.*]] = arith.constant 8 : i32
// CHECK-NEXT:      %[[SHIFTED:.*]] = arith.shrui %[[WORD]], %[[EIGHT]] : i32
// CHECK-NEXT:      %[[B:.*]] = arith.trunci %[[SHIFTED]] : i32 to i8
// CHECK-NEXT:      %[[A:.*]] = arith.trunci %[[WORD]] : i32 to i8
// CHECK:           arith.constant 24 : i32
// CHECK-NOT:       memref.load
// CHECK:           memref.store %[[A]], %[[Y]][%[[FIRST]]] : memref<?xi8>
// CHECK-NEXT:      memref.store %[[B]]

// -----

/// Eight elements a work-item: the first word is at twice its number.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi8>, memref<?xi8>) -> (), kernel}> ({
  ^bb0(%x: memref<?xi8>, %y: memref<?xi8>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %eight = arith.constant 8 : index
    %first = arith.muli %i, %eight : index
    %one = arith.constant 1 : index
    %second = arith.addi %first, %one : index
    %two = arith.constant 2 : index
    %third = arith.addi %first, %two : index
    %three = arith.constant 3 : index
    %fourth = arith.addi %first, %three : index
    %a = memref.load %x[%first] : memref<?xi8>
    %b = memref.load %x[%second] : memref<?xi8>
    %c = memref.load %x[%third] : memref<?xi8>
    %d = memref.load %x[%fourth] : memref<?xi8>
    memref.store %a, %y[%fourth] : memref<?xi8>
    memref.store %b, %y[%third] : memref<?xi8>
    memref.store %c, %y[%second] : memref<?xi8>
    memref.store %d, %y[%first] : memref<?xi8>
    "gpu.return"() : () -> ()
  }) {sym_name = "turn", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK:         ^{{.*}}(%[[X:.*]]: memref<?xi32>
// CHECK:           %[[TWO:.*]] = arith.constant 2 : index
// CHECK:           %[[WORDS:.*]] = arith.constant 2 : index
// CHECK-NEXT:      %[[AT:.*]] = arith.muli %{{.*}}, %[[WORDS]] : index
// CHECK-NEXT:      memref.load %[[X]][%[[AT]]] : memref<?xi32>

// -----

/// Near misses: three bytes of four; an index that may be any number; a buffer that is stored to; and numbers of two bytes.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi8>, memref<?xi8>, memref<?xi8>, memref<?xi16>, index) -> (), kernel}> ({
  ^bb0(%x: memref<?xi8>, %y: memref<?xi8>, %z: memref<?xi8>, %w: memref<?xi16>, %n: index):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %four = arith.constant 4 : index
    %first = arith.muli %i, %four : index
    %any = arith.muli %i, %n : index
    %one = arith.constant 1 : index
    %second = arith.addi %first, %one : index
    %other = arith.addi %any, %one : index
    %two = arith.constant 2 : index
    %third = arith.addi %first, %two : index
    %later = arith.addi %any, %two : index
    %three = arith.constant 3 : index
    %fourth = arith.addi %first, %three : index
    %latest = arith.addi %any, %three : index
    %a = memref.load %x[%first] : memref<?xi8>
    %b = memref.load %x[%second] : memref<?xi8>
    %c = memref.load %x[%third] : memref<?xi8>
    %d = memref.load %y[%any] : memref<?xi8>
    %e = memref.load %y[%other] : memref<?xi8>
    %f = memref.load %y[%later] : memref<?xi8>
    %g = memref.load %y[%latest] : memref<?xi8>
    %h = memref.load %z[%first] : memref<?xi8>
    %j = memref.load %z[%second] : memref<?xi8>
    %k = memref.load %z[%third] : memref<?xi8>
    %l = memref.load %z[%fourth] : memref<?xi8>
    memref.store %a, %z[%first] : memref<?xi8>
    %m = memref.load %w[%first] : memref<?xi16>
    %o = memref.load %w[%second] : memref<?xi16>
    %p = memref.load %w[%third] : memref<?xi16>
    %q = memref.load %w[%fourth] : memref<?xi16>
    "gpu.return"() : () -> ()
  }) {sym_name = "others", offload.elementwise} : () -> ()
}) : () -> ()
// CHECK:         function_type = (memref<?xi8>, memref<?xi8>, memref<?xi8>, memref<?xi16>, index) -> ()
// CHECK-NOT:     i32
