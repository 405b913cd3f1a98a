// RUN: hetc-opt %s -p 'unroll-loops{rounds=1}' --verify-diagnostics | filecheck %s

/// One round is not put together with anything.
builtin.module {}
// CHECK: unroll-loops: at least 2 rounds are put together
