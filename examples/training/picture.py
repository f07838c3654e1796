# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
"""The picture of the training example."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402

STRAIGHT, KILLED, RESUMED = "#9aa5b1", "#d1495b", "#00798c"
History = dict[int, tuple[list[str], float]]


def draw(path: str, straight: History, before: History, after: History, kill_at: int, resumed_at: int) -> None:
    """Both curves of the loss above, and what lies between them below; the kill and the resume are marked."""
    figure, (top, bottom) = plt.subplots(
        2, 1, figsize=(9, 5.6), sharex=True, gridspec_kw={"height_ratios": [4, 1], "hspace": 0.12}, constrained_layout=False
    )
    figure.subplots_adjust(left=0.09, right=0.97, top=0.88, bottom=0.1)
    steps = sorted(straight)
    top.plot(steps, [straight[s][1] for s in steps], color=STRAIGHT, linewidth=6, alpha=0.6, label="ran through: 2 ranks", zorder=1)
    first = sorted(before)
    top.plot(first, [before[s][1] for s in first], color=KILLED, linewidth=1.8, label="killed: 2 ranks", zorder=3)
    rest = [s for s in sorted(after) if s >= resumed_at]
    top.plot(rest, [after[s][1] for s in rest], color=RESUMED, linewidth=1.8, label="resumed: 3 ranks", zorder=2)
    top.plot(first[-1], before[first[-1]][1], "X", color=KILLED, markersize=11, markeredgecolor="white", zorder=4)
    top.plot(resumed_at, after[resumed_at][1], "o", color=RESUMED, markersize=8, markeredgecolor="white", zorder=4)
    high = max(value for _, value in straight.values())
    low = min(value for _, value in straight.values())
    lift = (high - low) * 0.22
    top.annotate(
        f"kill -9 after step {first[-1]}", (first[-1], before[first[-1]][1]), (first[-1] + 1, before[first[-1]][1] + lift * 1.7),
        color=KILLED, arrowprops={"arrowstyle": "-", "color": KILLED, "shrinkB": 6}, ha="left",
    )  # fmt: skip
    top.annotate(
        f"resumed at step {resumed_at},\nfrom its checkpoint", (resumed_at, after[resumed_at][1]),
        (resumed_at - 1, after[resumed_at][1] - lift), color=RESUMED,
        arrowprops={"arrowstyle": "-", "color": RESUMED, "shrinkB": 6}, ha="right", va="top",
    )  # fmt: skip
    top.set_ylabel("loss of the global batch (nats per byte)")
    top.set_ylim(low - (high - low) * 0.12, high + (high - low) * 0.06)
    top.legend(frameon=False, loc="upper right")
    figure.suptitle("A training job killed and resumed on another number of ranks", x=0.09, y=0.965, ha="left", fontsize=13)
    figure.text(0.09, 0.9, "The same sequences in each step; the global batch stays what it is.", color="#52606d", fontsize=10)
    gap = [abs(after[s][1] - straight[s][1]) / straight[s][1] for s in steps]
    bottom.fill_between(steps, gap, color=RESUMED, alpha=0.35, linewidth=0)
    bottom.plot(steps, gap, color=RESUMED, linewidth=1)
    bottom.set_ylim(0, max(max(gap) * 1.15, 1e-9))
    bottom.ticklabel_format(axis="y", style="sci", scilimits=(0, 0))
    bottom.set_ylabel("difference\n(relative)")
    bottom.set_xlabel("optimiser step")
    bottom.set_xlim(-0.5, steps[-1] + 0.5)
    for axes in (top, bottom):
        axes.axvspan(resumed_at, first[-1], color=KILLED, alpha=0.07, linewidth=0)
        axes.grid(axis="y", color="#e4e7eb", linewidth=0.8)
        axes.set_axisbelow(True)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    figure.savefig(path, dpi=140)
    plt.close(figure)
