import torch

from controversy.synthesis._adam import BatchAdam


def test_equals_torch_adam_on_each_row_whenever_it_began():
    rng = torch.Generator().manual_seed(0)
    start, targets = torch.randn(2, 3, 5, generator=rng, dtype=torch.float64)
    begins = [0, 4, 7]  # the steps at which the three rows begin
    values, adam, count = (
        {"z": start.clone()},
        BatchAdam({"z": start}, 0.05),
        torch.zeros(3, dtype=torch.long),
    )
    reference = [torch.nn.Parameter(row.clone()) for row in start]
    optimisers = [torch.optim.Adam([row], lr=0.05, maximize=True) for row in reference]
    for step in range(12):
        for row, begin in enumerate(begins):
            if step == begin:
                adam.forget(torch.tensor([row]))
                values["z"][row], count[row] = start[row], 0
        count += 1
        gradient = -(values["z"] - targets) * torch.tensor([[1.0], [10.0], [0.1]], dtype=torch.float64)
        values = adam.ascend(values, {"z": gradient}, count)
        for row, begin in enumerate(begins):
            if step >= begin:
                scale = [1.0, 10.0, 0.1][row]
                reference[row].grad = -(reference[row].detach() - targets[row]) * scale
                optimisers[row].step()
    for row in range(3):
        torch.testing.assert_close(values["z"][row], reference[row].detach())
