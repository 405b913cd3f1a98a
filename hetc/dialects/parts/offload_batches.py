"""Where a plan turns from what is done once to what is done for each batch of the elements."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class EachBatchOp(IRDLOperation):
    """The ops before it are done once, for the captured variables; those after it for each batch of the elements.

    After it, the inputs are a part of what the caller has given, and their length is that of the part. `unmarshal` and
    `pick` take what all batches have made, put together in order; a `scalar` result is that of the last batch. The
    captured variables that are named are what the batch before has come to: its result, or the last element of it, one
    variable for each number. Batches are run side by side; the first reader of such a variable waits for it.

    Batches on several queues, in which the copies of one hide behind the kernels of another, are those of Blanaru et
    al., VEE 2022, who split maps; buffers that stay for all batches, and values that go from one to the next, are ours.

    ```mlir
    offload.each_batch carrying ["total"]
    ```
    """

    name = "offload.each_batch"
    carried = prop_def(ArrayAttr[StringAttr])
    assembly_format = "`carrying` $carried attr-dict"

    def __init__(self, carried: Sequence[str]):
        super().__init__(properties={"carried": ArrayAttr(map(StringAttr, carried))})

    @property
    def names(self) -> tuple[str, ...]:
        """The captured variables that go from batch to batch."""
        return tuple(name.data for name in self.carried)

    def verify_(self) -> None:
        if len(set(self.names)) < len(self.names):
            raise VerifyException("a captured variable is what one number of the batch before has come to")
