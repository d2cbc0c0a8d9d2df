"""The search for masked loads that share a mask."""

from tools import masked_loads

WRONG = """0000000000000040 <sums(double const*)>:
  4c:	vcmpgtpd %ymm1,%ymm2,%ymm0
  52:	vmaskmovpd (%rsi,%rax,1),%ymm0,%ymm4
  58:	vmaskmovpd 0x20(%rsi,%rax,1),%ymm0,%ymm5
  60:	ret""".splitlines()


def test_two_neighbouring_loads_with_one_mask_are_detected():
    assert len(masked_loads.shared_masks(WRONG)) == 1


def test_an_in_place_mask_or_another_array_is_fine():
    own_mask = [*WRONG[:3], "  55:	vcmpgtpd %ymm1,%ymm3,%ymm0", *WRONG[3:]]
    other_array = [line.replace("0x20(%rsi", "(%rdi") for line in WRONG]
    moved_on = [*WRONG[:3], "  55:	add    $0x20,%rax", *WRONG[3:]]
    next_function = [*WRONG[:3], "0000000000000080 <other()>:", WRONG[3]]
    for lines in (own_mask, other_array, moved_on, next_function):
        assert masked_loads.shared_masks(lines) == []
