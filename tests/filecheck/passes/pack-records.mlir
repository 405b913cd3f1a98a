// RUN: hetc-opt %s --split-input-file -p pack-records | filecheck %s

/// What stands in one record is marshalled and copied together, and is one parameter, where the first of its numbers
/// was; the order is that of the places in the record. Other numbers of the same objects stay as they are.
skel.capture @Page_kind : tensor<?xsi8> {objects = "Page"}
skel.capture @Page_rank : tensor<?x!dyn.float> {objects = "Page"}
skel.capture @Page_score : tensor<?x!dyn.float> {objects = "Page"}
func.func @pages(%x: tensor<?x!dyn.int>) -> !dyn.object attributes {skel.entry} {
  %x1 = offload.marshal %x : tensor<?x!dyn.int> -> memref<?xi64, "host">
  %x2 = offload.copy_in %x1 shared : memref<?xi64, "host"> -> memref<?xi64>
  %n = offload.size %x[0] : tensor<?x!dyn.int>
  %out = offload.alloc %n : memref<?xf64>
  %kind = skel.captured @Page_kind : tensor<?xsi8>
  %kind1 = offload.marshal %kind in "Page" at 8 because "read together" : tensor<?xsi8> -> memref<?xi8, "host">
  %kind2 = offload.copy_in %kind1 shared : memref<?xi8, "host"> -> memref<?xi8>
  %score = skel.captured @Page_score : tensor<?x!dyn.float>
  %score1 = offload.marshal %score because "each its own" : tensor<?x!dyn.float> -> memref<?xf64, "host">
  %score2 = offload.copy_in %score1 shared : memref<?xf64, "host"> -> memref<?xf64>
  %rank = skel.captured @Page_rank : tensor<?x!dyn.float>
  %rank1 = offload.marshal %rank in "Page" at 0 because "read together" : tensor<?x!dyn.float> -> memref<?xf64, "host">
  %rank2 = offload.copy_in %rank1 shared : memref<?xf64, "host"> -> memref<?xf64>
  offload.launch @kernels::@f over %n group 0 tail "exact" (%x2, %kind2, %out, %score2, %rank2 : memref<?xi64>, memref<?xi8>, memref<?xf64>, memref<?xf64>, memref<?xf64>)
  %h = offload.copy_out %out : memref<?xf64> -> memref<?xf64, "host">
  %y = offload.unmarshal "list" of !dyn.float (%h : memref<?xf64, "host">)
  func.return %y : !dyn.object
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi64>, memref<?xi8>, memref<?xf64>, memref<?xf64>, memref<?xf64>) -> (), kernel}> ({
  ^bb0(%place: memref<?xi64>, %kind: memref<?xi8>, %out: memref<?xf64>, %score: memref<?xf64>, %rank: memref<?xf64>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %p = memref.load %place[%i] : memref<?xi64>
    %j = arith.index_cast %p : i64 to index
    %k = memref.load %kind[%j] : memref<?xi8>
    %r = memref.load %rank[%j] : memref<?xf64>
    %s = memref.load %score[%i] : memref<?xf64>
    %f = arith.sitofp %k : i8 to f64
    %a = arith.addf %f, %r : f64
    %b = arith.addf %a, %s : f64
    memref.store %b, %out[%i] : memref<?xf64>
    "gpu.return"() : () -> ()
  }) {sym_name = "f"} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @pages
// CHECK:         %[[X:.*]] = offload.copy_in %{{.*}} shared : memref<?xi64, "host"> -> memref<?xi64>
// CHECK:         %[[OUT:.*]] = offload.alloc
// CHECK-NEXT:    %[[KIND:.*]] = skel.captured @Page_kind
// CHECK-NEXT:    %[[RANK:.*]] = skel.captured @Page_rank
// CHECK-NEXT:    %[[H:.*]] = offload.marshal_records %[[RANK]], %[[KIND]] : (tensor<?x!dyn.float>, tensor<?xsi8>) -> memref<?x!offload.record<"Page", ["rank", "kind"], [f64, i8]>, "host">
// CHECK-NEXT:    %[[R:.*]] = offload.copy_in %[[H]] shared
// CHECK-NOT:     offload.marshal %{{.*}} in
// CHECK:         %[[S:.*]] = offload.copy_in %{{.*}} shared : memref<?xf64, "host"> -> memref<?xf64>
// CHECK:         offload.launch @kernels::@f {{.*}} (%[[X]], %[[R]], %[[OUT]], %[[S]] :
// CHECK:         ^bb0(%[[PLACES:.*]]: memref<?xi64>, %[[PAGES:.*]]: memref<?x!offload.record<"Page", ["rank", "kind"], [f64, i8]>>, %[[RESULT:.*]]: memref<?xf64>, %[[SCORES:.*]]: memref<?xf64>):
// CHECK:         %[[J:.*]] = arith.index_cast
// CHECK-NEXT:    offload.load_member %[[PAGES]][%[[J]]] "kind" : {{.*}} -> i8
// CHECK-NEXT:    offload.load_member %[[PAGES]][%[[J]]] "rank" : {{.*}} -> f64
// CHECK-NEXT:    memref.load %[[SCORES]]

// -----

/// Bytes that a kernel has come to load as words stay an array, and a number that then is alone in a record does, too.
func.func @words(%x: tensor<?xsi8> {skel.path = array<i64: 0, 0>}, %y: tensor<?x!dyn.int> {skel.path = array<i64: 0, 1>}) attributes {skel.entry} {
  %n = offload.size %x[0] : tensor<?xsi8>
  %x1 = offload.marshal %x in "input_0" at 8 because "asked for" : tensor<?xsi8> -> memref<?xi8, "host">
  %x2 = offload.copy_in %x1 : memref<?xi8, "host"> -> memref<?xi8>
  %y1 = offload.marshal %y in "input_0" at 0 because "asked for" : tensor<?x!dyn.int> -> memref<?xi64, "host">
  %y2 = offload.copy_in %y1 : memref<?xi64, "host"> -> memref<?xi64>
  offload.launch @kernels::@g over %n group 0 tail "exact" (%x2, %y2 : memref<?xi8>, memref<?xi64>)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xi32>, memref<?xi64>) -> (), kernel}> ({
  ^bb0(%x: memref<?xi32>, %y: memref<?xi64>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %k = memref.load %x[%i] : memref<?xi32>
    %r = memref.load %y[%i] : memref<?xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "g"} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @words
// CHECK:         offload.marshal %{{[a-z0-9]*}} : tensor<?xsi8>
// CHECK:         offload.marshal %{{[a-z0-9]*}} : tensor<?x!dyn.int>
// CHECK-NOT:     offload.load_member

// -----

/// Numbers of a portable array that stand beside each other are one array on the device, too.
func.func @present(%x: tensor<?x!dyn.float> {skel.path = array<i64: 0, 0>, skel.resident}, %y: tensor<?xsi8> {skel.path = array<i64: 0, 1>, skel.resident}) attributes {skel.entry} {
  %n = offload.size %x[0] : tensor<?x!dyn.float>
  %x1 = offload.present %x shared in "input_0" at 0 because "asked for" : tensor<?x!dyn.float> -> memref<?xf64>
  %y1 = offload.present %y shared in "input_0" at 8 because "asked for" : tensor<?xsi8> -> memref<?xi8>
  offload.launch @kernels::@h over %n group 0 tail "exact" (%x1, %y1 : memref<?xf64>, memref<?xi8>)
  func.return
}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<?xf64>, memref<?xi8>) -> (), kernel}> ({
  ^bb0(%x: memref<?xf64>, %y: memref<?xi8>):
    %i = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
    %a = memref.load %x[%i] : memref<?xf64>
    %b = memref.load %y[%i] : memref<?xi8>
    "gpu.return"() : () -> ()
  }) {sym_name = "h"} : () -> ()
}) : () -> ()
// CHECK-LABEL: func.func @present
// CHECK:         %[[P:.*]] = offload.present_records shared %{{.*}}, %{{.*}} : (tensor<?x!dyn.float>, tensor<?xsi8>) -> memref<?x!offload.record<"input_0", ["field_0", "field_1"], [f64, i8]>>
// CHECK:         offload.launch @kernels::@h {{.*}} (%[[P]] :
// CHECK:         offload.load_member %{{.*}}[%{{.*}}] "field_0"
// CHECK-NEXT:    offload.load_member %{{.*}}[%{{.*}}] "field_1"
