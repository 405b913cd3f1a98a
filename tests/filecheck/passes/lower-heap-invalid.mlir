// RUN: not hetc-opt %s -p lower-heap 2>&1 | filecheck %s

/// The work-items of a reduction compute more than their own element: they cannot be run again.
builtin.module attributes {gpu.container_module} {
  func.func @total(%x: tensor<?x!dyn.int> {skel.path = array<i64: 0>}) attributes {skel.entry, skel.container = "list", skel.result = !dyn.int, skel.scalar} {
    %n = offload.size %x[0] : tensor<?x!dyn.int>
    offload.launch @kernels::@total over %n group 0 tail "exact" ()
    func.return
  }
  "gpu.module"() <{sym_name = "kernels"}> ({
    "gpu.func"() <{function_type = () -> (), kernel}> ({
      %zero = arith.constant 0 : i64
      %empty = heap.new %zero : !heap.list<!dyn.int>
      "gpu.return"() : () -> ()
    }) {sym_name = "total"} : () -> ()
  }) : () -> ()
}
// CHECK: a list whose length varies is compiled in maps alone
