// RUN: hetc-opt %s --split-input-file -p outline-kernels,choose-layout | filecheck %s

/// Each work-item reads its own number of a field: it is read where it lies, at multiples of the stride. A number that
/// lies where no device can use it (stride 0), and one of which nothing is known, are brought together as ever.
func.func @own(%x: tensor<?xf32> {skel.path = array<i64: 0, 0>, skel.strides = array<i64: 6>}, %y: tensor<?xf32> {skel.path = array<i64: 0, 1>, skel.strides = array<i64: 0>}, %z: tensor<?xf32> {skel.path = array<i64: 1>}) -> tensor<?xf32> attributes {skel.entry, skel.container = "ndarray", skel.result = f32} {
  %0 = skel.map(%x, %y, %z) : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.addf %a, %b : f32
    %2 = arith.addf %1, %c : f32
    skel.yield %2 : f32
  }
  func.return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func @own
// CHECK:         offload.marshal %{{.*}} stride 6 because "each work-item reads its own" : tensor<?xf32>
// CHECK:         offload.marshal %{{[a-z]*}} : tensor<?xf32>
// CHECK:         offload.marshal %{{[a-z]*}} : tensor<?xf32>
// CHECK:         %[[I:.*]] = "gpu.global_id"
// CHECK-NEXT:    %[[S:.*]] = arith.constant 6 : index
// CHECK-NEXT:    %[[P:.*]] = arith.muli %[[I]], %[[S]] : index
// CHECK-NEXT:    memref.load %{{.*}}[%[[P]]]
// CHECK-NEXT:    memref.load %{{.*}}[%[[I]]]
// CHECK-NEXT:    memref.load %{{.*}}[%[[I]]]

// -----

/// Numbers of a captured array at places that are data are read in place, those that all work-items read in a loop are
/// not; nor are those that a kernel stores to.
skel.capture @mass : tensor<?xf64> {dims = array<i64: 1>, stride = 3 : i64}
skel.capture @speed : tensor<?xf64> {dims = array<i64: 1>, stride = 3 : i64}
skel.capture @place : tensor<?xf64> {dims = array<i64: 1>, stride = 3 : i64}
skel.capture @order : tensor<?xsi64> {dims = array<i64: 1>}
func.func @chosen(%r: !skel.sequence<!dyn.int> {skel.path = array<i64: 0>}) attributes {skel.entry, skel.container = "list", skel.result = !dyn.none} {
  skel.forall(%r) : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = skel.size 1
    %start = arith.constant 0.0 : f64
    %sum = scf.for %j = %zero to %n step %one iter_args(%t = %start) -> (f64) : i64 {
      %speeds = skel.captured @speed : tensor<?xf64>
      %s = obj.load %speeds[%j] : tensor<?xf64> -> f64
      %u = arith.addf %t, %s : f64
      scf.yield %u : f64
    }
    %order = skel.captured @order : tensor<?xsi64>
    %k = obj.load %order[%i] : tensor<?xsi64> -> i64
    %masses = skel.captured @mass : tensor<?xf64>
    %m = obj.load %masses[%k] : tensor<?xf64> -> f64
    %v = arith.mulf %m, %sum : f64
    %places = skel.captured @place : tensor<?xf64>
    obj.store %v, %places[%i] : f64, tensor<?xf64>
    skel.yield
  }
  func.return
}
// CHECK-LABEL: func.func @chosen
// CHECK-DAG:     offload.marshal %speed because "all work-items read it in a loop"
// CHECK-DAG:     offload.marshal %mass stride 3 because "it is read at places that are data"
// CHECK-DAG:     offload.marshal %place because "kernels store to it"

// -----

/// Who asks for a layout gets it.
skel.capture @mass : tensor<?xf64> {dims = array<i64: 0>, stride = 3 : i64}
func.func @asked(%r: !skel.sequence<!dyn.int> {skel.path = array<i64: 0>}) -> tensor<?xf64> attributes {skel.entry, skel.container = "list", skel.result = f64, skel.layout = "soa"} {
  %0 = skel.map(%r) : (!skel.sequence<!dyn.int>) -> tensor<?xf64> {
  ^bb0(%i: i64):
    %masses = skel.captured @mass : tensor<?xf64>
    %m = obj.load %masses[%i] : tensor<?xf64> -> f64
    skel.yield %m : f64
  }
  func.return %0 : tensor<?xf64>
}
// CHECK-LABEL: func.func @asked
// CHECK:         offload.marshal %mass because "a struct of arrays is asked for"
// CHECK-NOT:     arith.constant 3 : index

// -----

/// What is read of an object at a place that is data stands in one record: the largest numbers first, so that only its
/// end is padded. A field of the same objects that each work-item reads in a row stays an array, and so does one that
/// all read in a loop. Other objects, of which one field is read so, have nothing to put together.
skel.capture @Page_kind : tensor<?xsi8> {dims = array<i64: 1>, objects = "Page"}
skel.capture @Page_rank : tensor<?x!dyn.float> {dims = array<i64: 1>, objects = "Page"}
skel.capture @Page_links : tensor<?xsi32> {dims = array<i64: 1>, objects = "Page"}
skel.capture @Page_weight : tensor<?x!dyn.float> {dims = array<i64: 1>, objects = "Page"}
skel.capture @Page_score : tensor<?x!dyn.float> {dims = array<i64: 1>, objects = "Page"}
skel.capture @links_target : tensor<?x!dyn.int> {dims = array<i64: 0>, objects = "links"}
skel.capture @links_source : tensor<?x!dyn.int> {dims = array<i64: 0>, objects = "links"}
skel.capture @Node_level : tensor<?x!dyn.float> {dims = array<i64: 1>, objects = "Node"}
func.func @gathered(%r: !skel.sequence<!dyn.int> {skel.path = array<i64: 0>}) -> tensor<?xf64> attributes {skel.entry, skel.container = "list", skel.result = f64} {
  %0 = skel.map(%r) : (!skel.sequence<!dyn.int>) -> tensor<?xf64> {
  ^bb0(%i: i64):
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = skel.size 1
    %start = arith.constant 0.0 : f64
    %weights = skel.captured @Page_weight : tensor<?x!dyn.float>
    %sum = scf.for %j = %zero to %n step %one iter_args(%t = %start) -> (f64) : i64 {
      %w = obj.load %weights[%j] : tensor<?x!dyn.float> -> f64
      %u = arith.addf %t, %w : f64
      scf.yield %u : f64
    }
    %targets = skel.captured @links_target : tensor<?x!dyn.int>
    %k = obj.load %targets[%i] : tensor<?x!dyn.int> -> i64
    %sources = skel.captured @links_source : tensor<?x!dyn.int>
    %l = obj.load %sources[%i] : tensor<?x!dyn.int> -> i64
    %kinds = skel.captured @Page_kind : tensor<?xsi8>
    %kind = obj.load %kinds[%k] : tensor<?xsi8> -> i8
    %ranks = skel.captured @Page_rank : tensor<?x!dyn.float>
    %rank = obj.load %ranks[%k] : tensor<?x!dyn.float> -> f64
    %links = skel.captured @Page_links : tensor<?xsi32>
    %count = obj.load %links[%k] : tensor<?xsi32> -> i32
    %scores = skel.captured @Page_score : tensor<?x!dyn.float>
    %score = obj.load %scores[%i] : tensor<?x!dyn.float> -> f64
    %levels = skel.captured @Node_level : tensor<?x!dyn.float>
    %level = obj.load %levels[%l] : tensor<?x!dyn.float> -> f64
    %f = arith.sitofp %kind : i8 to f64
    %g = arith.sitofp %count : i32 to f64
    %a = arith.addf %f, %g : f64
    %b = arith.addf %a, %rank : f64
    %c = arith.addf %b, %score : f64
    %d = arith.addf %c, %level : f64
    %e = arith.mulf %d, %sum : f64
    skel.yield %e : f64
  }
  func.return %0 : tensor<?xf64>
}
// CHECK-LABEL: func.func @gathered
// CHECK-DAG:     offload.marshal %Page_rank in "Page" at 0 because "read together at places that are data"
// CHECK-DAG:     offload.marshal %Page_links in "Page" at 8 because "read together at places that are data"
// CHECK-DAG:     offload.marshal %Page_kind in "Page" at 12 because "read together at places that are data"
// CHECK-DAG:     offload.marshal %Page_weight because "all work-items read it in a loop"
// CHECK-DAG:     offload.marshal %Page_score because "each work-item reads its own"
// CHECK-DAG:     offload.marshal %links_target because "each work-item reads its own"
// CHECK-DAG:     offload.marshal %links_source because "each work-item reads its own"
// CHECK-DAG:     offload.marshal %Node_level : tensor<?x!dyn.float>

// -----

/// Fields that are read at places which have nothing in common are not read together: two of them make no record, and
/// each two that are have one of their own. What a kernel stores to is an array: nothing but it comes back.
skel.capture @Page_a : tensor<?xf64> {dims = array<i64: 1>, objects = "Page"}
skel.capture @Page_b : tensor<?xf64> {dims = array<i64: 1>, objects = "Page"}
skel.capture @Page_c : tensor<?xf64> {dims = array<i64: 1>, objects = "Page"}
skel.capture @Page_d : tensor<?xf64> {dims = array<i64: 1>, objects = "Page"}
skel.capture @Page_e : tensor<?xf64> {dims = array<i64: 1>, objects = "Page"}
skel.capture @Page_f : tensor<?xf64> {dims = array<i64: 1>, objects = "Page"}
skel.capture @near : tensor<?x!dyn.int> {dims = array<i64: 0>}
skel.capture @far : tensor<?x!dyn.int> {dims = array<i64: 0>}
skel.capture @other : tensor<?x!dyn.int> {dims = array<i64: 0>}
func.func @apart(%r: !skel.sequence<!dyn.int> {skel.path = array<i64: 0>}) attributes {skel.entry, skel.container = "list", skel.result = !dyn.none} {
  skel.forall(%r) : (!skel.sequence<!dyn.int>) -> () {
  ^bb0(%i: i64):
    %nears = skel.captured @near : tensor<?x!dyn.int>
    %j = obj.load %nears[%i] : tensor<?x!dyn.int> -> i64
    %fars = skel.captured @far : tensor<?x!dyn.int>
    %k = obj.load %fars[%i] : tensor<?x!dyn.int> -> i64
    %others = skel.captured @other : tensor<?x!dyn.int>
    %l = obj.load %others[%i] : tensor<?x!dyn.int> -> i64
    %as = skel.captured @Page_a : tensor<?xf64>
    %a = obj.load %as[%j] : tensor<?xf64> -> f64
    %bs = skel.captured @Page_b : tensor<?xf64>
    %b = obj.load %bs[%j] : tensor<?xf64> -> f64
    %cs = skel.captured @Page_c : tensor<?xf64>
    %c = obj.load %cs[%k] : tensor<?xf64> -> f64
    %ds = skel.captured @Page_d : tensor<?xf64>
    %d = obj.load %ds[%k] : tensor<?xf64> -> f64
    %es = skel.captured @Page_e : tensor<?xf64>
    %e = obj.load %es[%l] : tensor<?xf64> -> f64
    %s = arith.addf %a, %b : f64
    %t = arith.addf %c, %d : f64
    %u = arith.mulf %s, %t : f64
    %v = arith.mulf %u, %e : f64
    %fs = skel.captured @Page_f : tensor<?xf64>
    obj.store %v, %fs[%k] : f64, tensor<?xf64>
    skel.yield
  }
  func.return
}
// CHECK-LABEL: func.func @apart
// CHECK-DAG:     offload.marshal %Page_a in "Page" at 0 because "read together at places that are data"
// CHECK-DAG:     offload.marshal %Page_b in "Page" at 8 because "read together at places that are data"
// CHECK-DAG:     offload.marshal %Page_c in "Page_2" at 0 because "read together at places that are data"
// CHECK-DAG:     offload.marshal %Page_d in "Page_2" at 8 because "read together at places that are data"
// CHECK-DAG:     offload.marshal %Page_e because "no other field is read at the same places"
// CHECK-DAG:     offload.marshal %Page_f because "kernels store to it"

// -----

/// A place that a loop carries is computed from what was loaded before, as one is that follows references: fields that
/// are read at it before and after a branch are read together.
skel.capture @Node_key : tensor<?x!dyn.int> {dims = array<i64: 1>, objects = "Node"}
skel.capture @Node_next : tensor<?x!dyn.int> {dims = array<i64: 1>, objects = "Node"}
func.func @followed(%x: tensor<?x!dyn.int> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.int> attributes {skel.entry, skel.container = "list", skel.result = !dyn.int} {
  %0 = skel.map(%x) : (tensor<?x!dyn.int>) -> tensor<?x!dyn.int> {
  ^bb0(%first: i64):
    %keys = skel.captured @Node_key : tensor<?x!dyn.int>
    %nexts = skel.captured @Node_next : tensor<?x!dyn.int>
    %last = scf.while (%place = %first) : (i64) -> (i64) {
      %key = obj.load %keys[%place] : tensor<?x!dyn.int> -> i64
      %more = arith.cmpi ne, %key, %first : i64
      scf.condition(%more) %place : i64
    } do {
    ^bb1(%at: i64):
      %next = obj.load %nexts[%at] : tensor<?x!dyn.int> -> i64
      scf.yield %next : i64
    }
    skel.yield %last : i64
  }
  func.return %0 : tensor<?x!dyn.int>
}
// CHECK-LABEL: func.func @followed
// CHECK-DAG:     offload.marshal %Node_key in "Node" at 0 because "read together at places that are data"
// CHECK-DAG:     offload.marshal %Node_next in "Node" at 8 because "read together at places that are data"

// -----

/// Who asks for an array of structs gets all fields in it that only are read, those of an input, too; numbers of half
/// precision, which no struct holds, are none of them.
func.func @asked_for_structs(%x: tensor<?x!dyn.float> {skel.path = array<i64: 0, 0>}, %y: tensor<?x!dyn.bool> {skel.path = array<i64: 0, 1>}, %h: tensor<?xf16> {skel.path = array<i64: 0, 2>}, %z: tensor<?x!dyn.float> {skel.path = array<i64: 1>}) -> tensor<?x!dyn.float> attributes {skel.entry, skel.container = "list", skel.result = !dyn.float, skel.layout = "aos"} {
  %0 = skel.map(%x, %y, %h, %z) : (tensor<?x!dyn.float>, tensor<?x!dyn.bool>, tensor<?xf16>, tensor<?x!dyn.float>) -> tensor<?x!dyn.float> {
  ^bb0(%a: f64, %b: i1, %c: f16, %d: f64):
    %1 = arith.extf %c : f16 to f64
    %2 = arith.addf %a, %1 : f64
    %3 = arith.select %b, %2, %d : f64
    skel.yield %3 : f64
  }
  func.return %0 : tensor<?x!dyn.float>
}
// CHECK-LABEL: func.func @asked_for_structs
// CHECK:         offload.marshal %{{[a-z0-9]*}} in "input_0" at 0 because "an array of structs is asked for" : tensor<?x!dyn.float>
// CHECK:         offload.marshal %{{[a-z0-9]*}} in "input_0" at 8 because "an array of structs is asked for" : tensor<?x!dyn.bool>
// CHECK:         offload.marshal %{{[a-z0-9]*}} because "each work-item reads its own" : tensor<?xf16>
// CHECK:         offload.marshal %{{[a-z0-9]*}} : tensor<?x!dyn.float>

// -----

/// Nor are there records where a struct of arrays is asked for.
skel.capture @Node_key : tensor<?x!dyn.int> {dims = array<i64: 1>, objects = "Node"}
skel.capture @Node_mass : tensor<?x!dyn.float> {dims = array<i64: 1>, objects = "Node"}
func.func @asked_for_arrays(%x: tensor<?x!dyn.int> {skel.path = array<i64: 0>}) -> tensor<?x!dyn.float> attributes {skel.entry, skel.container = "list", skel.result = !dyn.float, skel.layout = "soa"} {
  %0 = skel.map(%x) : (tensor<?x!dyn.int>) -> tensor<?x!dyn.float> {
  ^bb0(%place: i64):
    %keys = skel.captured @Node_key : tensor<?x!dyn.int>
    %key = obj.load %keys[%place] : tensor<?x!dyn.int> -> i64
    %masses = skel.captured @Node_mass : tensor<?x!dyn.float>
    %mass = obj.load %masses[%place] : tensor<?x!dyn.float> -> f64
    %f = arith.sitofp %key : i64 to f64
    %g = arith.mulf %f, %mass : f64
    skel.yield %g : f64
  }
  func.return %0 : tensor<?x!dyn.float>
}
// CHECK-LABEL: func.func @asked_for_arrays
// CHECK-DAG:     offload.marshal %Node_key because "a struct of arrays is asked for"
// CHECK-DAG:     offload.marshal %Node_mass because "a struct of arrays is asked for"

// -----

/// The numbers of a portable array of objects stay on the device, beside each other if the array is to have them so;
/// where it is for the function to say, each work-item reads its own of each array.
func.func @present(%x: tensor<?x!dyn.float> {skel.path = array<i64: 0, 0>, skel.resident, skel.layout = "aos"}, %y: tensor<?x!dyn.int> {skel.path = array<i64: 0, 1>, skel.resident, skel.layout = "aos"}, %z: tensor<?x!dyn.float> {skel.path = array<i64: 1, 0>, skel.resident, skel.layout = "auto"}, %w: tensor<?x!dyn.float> {skel.path = array<i64: 1, 1>, skel.resident, skel.layout = "auto"}) -> tensor<?x!dyn.float> attributes {skel.entry, skel.container = "array", skel.result = !dyn.float} {
  %0 = skel.map(%x, %y, %z, %w) : (tensor<?x!dyn.float>, tensor<?x!dyn.int>, tensor<?x!dyn.float>, tensor<?x!dyn.float>) -> tensor<?x!dyn.float> {
  ^bb0(%a: f64, %b: i64, %c: f64, %d: f64):
    %1 = arith.sitofp %b : i64 to f64
    %2 = arith.addf %a, %1 : f64
    %3 = arith.addf %2, %c : f64
    %4 = arith.addf %3, %d : f64
    skel.yield %4 : f64
  }
  func.return %0 : tensor<?x!dyn.float>
}
// CHECK-LABEL: func.func @present
// CHECK:         offload.present %{{[a-z0-9]*}} in "input_0" at 0 because "an array of structs is asked for" : tensor<?x!dyn.float>
// CHECK:         offload.present %{{[a-z0-9]*}} in "input_0" at 8 because "an array of structs is asked for" : tensor<?x!dyn.int>
// CHECK:         offload.present %{{[a-z0-9]*}} because "each work-item reads its own" : tensor<?x!dyn.float>
// CHECK:         offload.present %{{[a-z0-9]*}} because "each work-item reads its own" : tensor<?x!dyn.float>
