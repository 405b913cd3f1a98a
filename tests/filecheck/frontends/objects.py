# RUN: hetc-opt %s:moved --args "f64[?]" --no-locations | filecheck %s
"""Classes become declarations and functions that make objects; an `__init__` gives the object that it fills."""

import hetc


class Base:
    RATE = 2.0

    def __init__(self, x):
        self.x = x


class Moved(Base):
    def __init__(self, x, y):
        super().__init__(x)
        self.y = y * self.RATE

    def total(self, scale=1.0):
        return (self.x + self.y) * scale


here = Base(3.0)


@hetc.map
def moved(x):
    return Moved(x, here.x).total()


# CHECK:       skel.capture @here_x : !dyn.float
# CHECK:       obj.class @Moved [] is ["Moved", "Base", "object"] {members = {
# CHECK-SAME:    total = #obj.member<"method", @total>
# CHECK-SAME:    RATE = #obj.member<"constant", @Moved_RATE>
# CHECK-SAME:    maker = @new_Moved, mutable}
# CHECK-NEXT:  obj.class @Base ["x", "RATE"] is ["Base", "object"]
# CHECK:       func.func private @new_Moved(%[[X:.*]]: !dyn.object, %[[Y:.*]]: !dyn.object) -> !dyn.object {
# CHECK-NEXT:    %[[N:.*]] = dyn.new "made" @Moved []()
# CHECK-NEXT:    %[[R:.*]] = dyn.call @[[INIT:.*]](%[[N]], %[[X]], %[[Y]])
# CHECK-NEXT:    func.return %[[R]]

# CHECK:       func.func private @moved
# CHECK:         %[[F:.*]] = dyn.global @here_x
# CHECK:         %[[H:.*]] = dyn.new "given" @Base ["x", "RATE"](%[[F]]
# CHECK-NEXT:    %[[A:.*]] = dyn.getattr %[[H]] "x"
# CHECK-NEXT:    %[[M:.*]] = dyn.call @new_Moved(%{{.*}}, %[[A]])
# CHECK-NEXT:    %[[S:.*]] = dyn.const 1.000000e+00 : f64
# CHECK-NEXT:    %{{.*}} = dyn.method %[[M]] "total"(%[[S]])

# CHECK:       func.func private @[[INIT]](%[[SELF:.*]]: !dyn.object, %{{.*}}: !dyn.object, %[[Z:.*]]: !dyn.object)
# CHECK-NEXT:    %[[BASE:.*]] = dyn.call @__init___1(%[[SELF]], %{{.*}})
# CHECK-NEXT:    %[[RATE:.*]] = dyn.getattr %[[BASE]] "RATE"
# CHECK-NEXT:    %[[P:.*]] = dyn.binary "mul" %[[Z]], %[[RATE]]
# CHECK-NEXT:    %[[W:.*]] = dyn.setattr %[[BASE]] "y" %[[P]]
# CHECK-NEXT:    func.return %[[W]]
