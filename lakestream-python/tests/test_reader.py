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
"""Reading streams that the Java side wrote."""

from __future__ import annotations

import hashlib
import itertools
import os
import random
import shutil
import threading
import time
import unittest
from typing import Any

import fixture
from memory_store import WatchedStore

from lakestream import (
    Cursor,
    ForeignCursorError,
    GroupTakenError,
    LakestreamError,
    Mesh,
    MeshMismatchError,
    RankReader,
    RankStep,
    ReadTimeoutError,
    RefusedError,
    Stage,
    StepBeyondEndError,
    Stream,
    StreamNotFoundError,
    SupersededError,
    Tokens,
    TrimmedError,
    UnreadableStepError,
    Watermark,
    WatermarkRecorder,
    group_watermarks,
    read_watermark,
)
from lakestream.consumer.topology import Mode
from lakestream.store import open_store
from lakestream.watermark import encode_watermark


def sha(data: Any) -> str:
    return hashlib.sha256(data).hexdigest()


class StreamTest(unittest.TestCase):
    """With the streams of the Java side; closes what a test opens."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.java = fixture.streams()

    def open(self, name: str) -> Stream:
        stream = Stream.open(self.java.address(name))
        self.addCleanup(stream.close)
        return stream

    def reader(self, stream: Stream, *args: Any, **settings: Any) -> RankReader:
        reader = RankReader(stream, *args, **{"poll_interval": 0.02, "timeout": 20.0, **settings})
        self.addCleanup(reader.close)
        return reader

    def until_end(self, reader: RankReader) -> list[RankStep]:
        found = []
        while not reader.caught_up:
            found.append(reader.next())
        return found


class ContentTest(StreamTest):
    def test_every_slice_of_every_stream_is_what_java_reads(self) -> None:
        for name in ("raw", "raw-even", "large", "zstd", "lz4", "sealed", "trimmed", "empty"):
            expected = self.java.expected(name)
            stream = self.open(name)
            self.assertEqual(str(stream.id), expected["stream_id"])
            self.assertEqual((stream.manifest.first_step, stream.manifest.next_step), (expected["first_step"], expected["next_step"]))
            mesh = stream.default_mesh
            for d, c in itertools.product(range(mesh.dp), range(mesh.cp)):
                with self.subTest(name, d=d, c=c), RankReader(stream, mesh, d, c, poll_interval=0.02) as reader:
                    found = self.until_end(reader)
                    slices = [step["slices"][mesh.index(d, c)] for step in expected["steps"]]
                    self.assertEqual([step.step for step in found], [step["step"] for step in expected["steps"]])
                    self.assertEqual([sha(step.payload()) for step in found], [s["sha256"] for s in slices])
                    if stream.slice_format == "records":
                        self.assertEqual([len(step.records()) for step in found], [s["records"] for s in slices])
                    self.assertEqual(reader.cursor.step, expected["next_step"])
                    self.assertEqual(reader.cursor.row, expected["next_row"])
                    self.assertEqual(reader.held_bytes, 0)

    def test_tokens_are_what_java_decodes(self) -> None:
        for name in ("tokens", "tokens-wide"):
            stream = self.open(name)
            by_step = {step["step"]: step for step in self.java.expected(name)["steps"]}
            for step in range(7):
                for d, c in itertools.product(range(2), range(2)):
                    with RankReader(stream, Mesh(2, 2), d, c, start=step) as reader:
                        tokens = reader.next().tokens()
                    for i, sequence in enumerate(by_step[step]["slices"][d * 2 + c]["tokens"]):
                        self.assertEqual(tokens.tokens[i].tolist(), sequence["tokens"])
                        self.assertEqual(tokens.targets()[i].tolist(), sequence["targets"])
                        self.assertEqual(tokens.positions()[i].tolist(), sequence["positions"])
                        self.assertEqual(tokens.segment_ids()[i].tolist(), sequence["segments"])
                        self.assertEqual(tokens.cu_seqlens(i).tolist(), sequence["cu_seqlens"])

    def test_a_lookup_in_sealed_history(self) -> None:
        stream = self.open("sealed")
        self.assertIsNotNone(stream.manifest.sealed)
        expected = self.java.expected("sealed")["steps"]
        for step in (0, 1, 77, 200, 401, 449):
            bundle = stream.bundle_of(step)
            assert bundle is not None
            self.assertEqual(bundle.row_of(step), expected[step]["row"])
            by_row = stream.history.bundle_of_row(stream.manifest, expected[step]["row"] + 1)
            self.assertEqual(by_row, bundle)
        self.assertIsNone(stream.bundle_of(450))


class TopologyTest(StreamTest):
    """Streams of four meshes, one after another, read by others: the union of the ranks is the stream."""

    def records(self, name: str) -> list[list[list[bytes]]]:
        """By step and slice, as Java holds them."""
        stream = self.open(name)
        found = []
        for step in self.java.expected(name)["steps"]:
            mesh = Mesh(*step["mesh"])
            slices = []
            for d, c in itertools.product(range(mesh.dp), range(mesh.cp)):
                with RankReader(stream, mesh, d, c, start=step["step"], prefetch_bytes=1) as reader:
                    slices.append([bytes(record) for record in reader.next().records()])
            found.append(slices)
        return found

    def test_batch_mode_splits_the_records_of_each_step(self) -> None:
        expected = self.records("records")
        for mesh in (Mesh(1, 1), Mesh(2, 2), Mesh(3, 1), Mesh(5, 2), Mesh(4, 1)):
            stream = self.open("records")
            ranks = [
                self.until_end(self.reader(stream, mesh, d, c, mode="batch")) for d in range(mesh.dp) for c in range(mesh.cp)
            ]
            for step, slices in enumerate(expected):
                union = [bytes(record) for rank in ranks for record in rank[step].records()]
                self.assertEqual(union, [record for records in slices for record in records], (mesh, step))

    def test_rows_mode_takes_the_rows_in_order(self) -> None:
        expected = self.records("records")
        meshes = [Mesh(*step["mesh"]) for step in self.java.expected("records")["steps"]]
        rows = []
        for mesh, slices in zip(meshes, expected):
            for d in range(mesh.dp):
                rows.append([record for c in range(mesh.cp) for record in slices[mesh.index(d, c)]])
        for world in (1, 2, 3, 5):
            stream = self.open("records")
            ranks = [self.until_end(self.reader(stream, Mesh(world, 1), d, mode="rows")) for d in range(world)]
            found = [[bytes(r) for r in ranks[row % world][row // world].records()] for row in range(len(rows) // world * world)]
            self.assertEqual(found, rows[: len(found)])
            self.assertEqual({rank[-1].cursor.row for rank in ranks}, {len(found)})

    def test_chunks_of_tokens_are_joined_and_cut(self) -> None:
        for name in ("tokens", "tokens-wide"):
            steps = self.java.expected(name)["steps"]
            for mesh in (Mesh(1, 1), Mesh(3, 4), Mesh(2, 8), Mesh(5, 1)):
                if mesh.cp == 8:  # neither of 1, 2, 4 fails to divide it; L = 24 is a multiple of it
                    self.assertTrue(all(mesh.cp % step["mesh"][1] == 0 for step in steps))
                stream = self.open(name)
                ranks = {
                    (d, c): self.until_end(self.reader(stream, mesh, d, c, mode="batch"))
                    for d in range(mesh.dp)
                    for c in range(mesh.cp)
                }
                for number, step in enumerate(steps):
                    whole = self.whole_sequences(step)
                    found: dict[str, list[list[int]]] = {"tokens": [], "targets": [], "positions": [], "segments": []}
                    for d in range(mesh.dp):
                        chunks = [ranks[d, c][number].tokens() for c in range(mesh.cp)]
                        for i in range(len(chunks[0])):
                            found["tokens"].append([t for chunk in chunks for t in chunk.tokens[i].tolist()])
                            found["targets"].append([t for chunk in chunks for t in chunk.targets()[i].tolist()])
                            found["positions"].append([t for chunk in chunks for t in chunk.positions()[i].tolist()])
                            found["segments"].append([t for chunk in chunks for t in chunk.segment_ids()[i].tolist()])
                    self.assertEqual(found, whole, (name, mesh, number))

    @staticmethod
    def whole_sequences(step: dict[str, Any]) -> dict[str, list[list[int]]]:
        mesh = Mesh(*step["mesh"])
        found: dict[str, list[list[int]]] = {"tokens": [], "targets": [], "positions": [], "segments": []}
        for d in range(mesh.dp):
            chunks = [step["slices"][mesh.index(d, c)]["tokens"] for c in range(mesh.cp)]
            for i in range(len(chunks[0])):
                for key, values in found.items():
                    values.append([t for chunk in chunks for t in chunk[i][key]])
        return found

    def test_uniform_batches_are_split_by_the_footer_alone(self) -> None:
        store = WatchedStore(open_store(self.java.address("uniform")))
        stream = Stream(store)
        found = [self.until_end(self.reader(stream, Mesh(3, 1), d, mode="batch")) for d in range(3)]
        self.assertEqual([[len(step.records()) for step in rank] for rank in found], [[2] * 4, [3] * 4, [3] * 4])
        # Of each bundle and rank: the footer and the sections, and no table by itself.
        tables = [r for r in store.requests if r[0] == "read" and r[1].startswith("data/") and r[2] == 16 + 40 * 4]
        self.assertEqual(tables, [])

    def test_own_mesh_gets_views_of_the_slice(self) -> None:
        step = self.reader(self.open("tokens"), Mesh(2, 2), 0, 0).next()
        self.assertEqual(bytes(step.tokens().tokens.tobytes()), bytes(step.payload()[32 : 32 + step.tokens().tokens.nbytes]))
        with self.assertRaises(LakestreamError):
            self.reader(self.open("tokens"), Mesh(1, 1), mode="batch").next().payload()

    def test_opaque_slices_are_joined_by_rows_and_refused_by_batch(self) -> None:
        stream = self.open("raw-changing")
        steps = self.java.expected("raw-changing")["steps"]
        found = self.until_end(self.reader(stream, Mesh(1, 1), mode="rows"))
        self.assertEqual(len(found), sum(step["mesh"][0] for step in steps))
        reader = self.reader(stream, Mesh(1, 1), mode="batch")
        with self.assertRaisesRegex(RefusedError, "does not say where records begin"):
            reader.next()
        with self.assertRaises(RefusedError):  # 4x1 with C' = 2 would split
            self.until_end(self.reader(stream, Mesh(2, 2), 0, 0, mode="rows"))

    def test_a_consumer_step_with_a_row_that_cannot_be_read_is_refused_by_all_its_ranks(self) -> None:
        stream = self.open("raw-changing")  # rows 0 to 13 are of 2x2, and those after them of 4x1
        for d in range(4):
            for c in range(2):
                reader = self.reader(stream, Mesh(4, 2), d, c, mode="rows")
                for _ in range(3):
                    reader.next()
                for _ in range(2):
                    with self.assertRaisesRegex(RefusedError, "Step 7 of .*row 14, of the consumer step of rows 12 to 15"):
                        reader.next()
                self.assertEqual(reader.cursor.row, 12)

    def test_exact_mode_refuses_another_mesh_and_stands_where_it_stood(self) -> None:
        reader = self.reader(self.open("records"), Mesh(2, 2), 0, 0)
        for _ in range(7):
            reader.next()
        for _ in range(2):
            with self.assertRaisesRegex(MeshMismatchError, "4x1"):
                reader.next()
            self.assertEqual(reader.cursor.step, 7)


class ResumeTest(StreamTest):
    def test_any_chain_of_resumes_equals_the_straight_run(self) -> None:
        rng = random.Random(4)
        stream = self.open("records")
        for mode, world in (("batch", 3), ("rows", 1), ("rows", 3)):
            straight = [self.until_end(self.reader(stream, Mesh(world, 1), d, mode=mode)) for d in range(world)]
            cursor: Cursor | None = None
            found: list[list[list[bytes]]] = []
            while len(found) < len(straight[0]):
                taken = []
                count = rng.randrange(1, 5)
                ends = []
                for d in range(world):
                    with RankReader(stream, Mesh(world, 1), d, mode=mode, cursor=cursor, poll_interval=0.02) as reader:
                        steps = [reader.next() for _ in range(count) if not reader.caught_up]
                        taken.append([[bytes(x) for x in step.records()] for step in steps])
                        ends.append(reader.cursor)
                cursor = Cursor.from_bytes(Cursor.agreed(ends).to_bytes())
                found += [list(step) for step in zip(*taken)]
            expected = [[[bytes(x) for x in rank[i].records()] for rank in straight] for i in range(len(straight[0]))]
            self.assertEqual(found, expected, mode)

    def test_state_follows_what_was_delivered(self) -> None:
        reader = self.reader(self.open("raw"), Mesh(2, 2), 1, 0)
        first = reader.cursor
        reader.next()
        self.assertEqual((first.step, reader.cursor.step, reader.cursor.row), (0, 1, 2))
        again = self.reader(self.open("raw"), Mesh(2, 2), 1, 0, cursor=reader.cursor.to_text())
        self.assertEqual(again.next().step, 1)

    def test_rows_resume_on_another_world_inside_a_step(self) -> None:
        stream = self.open("records")
        reader = self.reader(stream, Mesh(1, 1), mode="rows")
        for _ in range(5):
            reader.next()
        self.assertEqual((reader.cursor.step, reader.cursor.row), (2, 5))
        self.assertEqual(self.reader(stream, Mesh(3, 1), 0, mode="rows", cursor=reader.cursor).next().cursor.row, 8)
        with self.assertRaisesRegex(RefusedError, "with 1 DP ranks"):
            self.reader(stream, Mesh(1, 1), mode="batch", cursor=reader.cursor)
        with self.assertRaisesRegex(RefusedError, "1x1"):
            self.reader(stream, Mesh(2, 2), mode="exact", cursor=reader.cursor)

    def test_a_cursor_of_another_stream(self) -> None:
        cursor = self.reader(self.open("raw"), Mesh(2, 2)).cursor
        with self.assertRaisesRegex(ForeignCursorError, str(cursor.stream_id)):
            self.reader(self.open("records"), Mesh(2, 2), cursor=cursor)

    def test_a_cursor_of_a_later_state(self) -> None:
        stream = self.open("raw")
        later = Cursor(stream.id, stream.manifest.version + 5, 3, 6, Mesh(2, 2), Mode.EXACT)
        with self.assertRaisesRegex(ForeignCursorError, "older than the checkpoint"):
            self.reader(stream, Mesh(2, 2), cursor=later)

    def test_a_cursor_below_the_trim(self) -> None:
        stream = self.open("trimmed")
        old = Cursor(stream.id, 1, 3, 6, Mesh(2, 1), Mode.EXACT)
        with self.assertRaises(TrimmedError) as caught:
            self.reader(stream, Mesh(2, 1), cursor=old)
        self.assertEqual((caught.exception.step, caught.exception.first_step), (3, 75))

    def test_starts(self) -> None:
        stream = self.open("trimmed")
        self.assertEqual(self.reader(stream, Mesh(2, 1)).next().step, 75)
        self.assertEqual(self.reader(stream, Mesh(2, 1), start=100).next().step, 100)
        latest = self.reader(stream, Mesh(2, 1), start="latest")
        self.assertIsNone(latest.poll(0.1))
        with self.assertRaises(TrimmedError):
            latest.seek(74)
        with self.assertRaises(StepBeyondEndError):
            latest.seek(1000)
        latest.seek(80)
        self.assertEqual(latest.next().step, 80)


class LiveTest(StreamTest):
    def test_a_reader_waits_for_what_is_published(self) -> None:
        stream = self.open("live")
        reader = self.reader(stream, Mesh(2, 1), 1)
        begin = len(self.until_end(reader))
        self.assertIsNone(reader.poll(0.05))
        results: list[RankStep] = []
        thread = threading.Thread(target=lambda: results.extend(reader.next() for _ in range(4)))
        thread.start()
        self.java.command("commit", "live", 1)
        self.java.command("commit", "live", 3)
        thread.join(20)
        self.assertEqual([step.step for step in results], list(range(begin, begin + 4)))
        self.assertGreater(reader.waits[Stage.NEW_STEP], 0.0)
        self.java.command("expect")
        expected = self.java.expected("live")["steps"]
        self.assertEqual([sha(step.payload()) for step in results], [expected[step.step]["slices"][1]["sha256"] for step in results])

    def test_one_poller_for_all_readers_of_a_stream(self) -> None:
        watched = WatchedStore(open_store(self.java.address("live")))
        stream = Stream(watched)
        readers = [self.reader(stream, Mesh(2, 1), d, start="latest", poll_interval=0.2) for d in (0, 1, 0, 1)]
        time.sleep(1.0)
        polls = watched.count("suffix", "manifest/")
        self.assertLess(polls, 20)
        self.assertTrue(all(reader.poll(0.0) is None for reader in readers))

    def test_no_producer(self) -> None:
        reader = self.reader(self.open("empty"), Mesh(2, 1))
        with self.assertRaises(ReadTimeoutError) as caught:
            reader.next(timeout=0.1)
        self.assertIs(caught.exception.stage, Stage.NEW_STEP)

    def test_a_step_that_is_trimmed_while_it_is_being_read(self) -> None:
        reader = self.reader(self.open("damaged"), Mesh(1, 1), start=1)
        reader.close()
        copy = self.java.path("cut", "")
        shutil.copytree(self.java.path("damaged", ""), copy)
        stream = self.open("cut")
        bundle = stream.bundle_of(1)
        assert bundle is not None
        os.unlink(self.java.path("cut", bundle.object))
        with self.assertRaisesRegex(UnreadableStepError, "Step 1 "):
            self.reader(stream, Mesh(1, 1), start=1).next()


class FaultTest(StreamTest):
    def watched(self, name: str) -> tuple[WatchedStore, Stream]:
        store = WatchedStore(open_store(self.java.address(name)))
        return store, Stream(store)

    def test_bytes_damaged_on_the_way_are_fetched_once_more(self) -> None:
        store, stream = self.watched("raw")
        lies = iter([True])

        def alter(key: str, offset: int, data: memoryview) -> memoryview:
            if key.startswith("data/") and next(lies, False):
                data[-1] ^= 1
                data[20] ^= 1
            return data

        store.alter = alter
        self.assertEqual(self.reader(stream, Mesh(2, 2), 0, 1).next().step, 0)

    def test_damage_at_rest_names_the_step(self) -> None:
        store, stream = self.watched("raw-even")

        def alter(key: str, offset: int, data: memoryview) -> memoryview:
            if key.startswith("data/") and len(data) > 1000:
                data[600] ^= 1
            return data

        store.alter = alter
        reader = self.reader(stream, Mesh(3, 1), 0)
        for _ in range(2):
            with self.assertRaisesRegex(UnreadableStepError, "Step 0 .*CRC32C") as caught:
                reader.next()
            self.assertEqual(caught.exception.step, 0)
        self.assertEqual(reader.cursor.step, 0)
        store.alter = lambda key, offset, data: data
        self.assertEqual(reader.next().step, 0)

    def test_a_store_that_hangs_is_named_by_the_stage(self) -> None:
        released = threading.Event()
        self.addCleanup(released.set)
        store, stream = self.watched("raw")
        store._before = lambda kind, key: (released.wait(30), None)[1] if key.startswith("data/") else None
        reader = self.reader(stream, Mesh(2, 2), 0, 0)
        with self.assertRaises(ReadTimeoutError) as caught:
            reader.next(timeout=0.2)
        self.assertIn(caught.exception.stage, (Stage.FETCH, Stage.LOOKUP))
        released.set()
        self.assertEqual(reader.next().step, 0)

    def test_memory_is_bounded(self) -> None:
        store, stream = self.watched("large")
        reader = self.reader(stream, Mesh(1, 2), 0, 1, prefetch_bytes=1_300_000)
        expected = self.java.expected("large")["steps"]
        for step in expected:
            time.sleep(0.01)
            self.assertLessEqual(reader.held_bytes, 1_300_000)
            self.assertEqual(sha(reader.next().payload()), step["slices"][1]["sha256"])

    def test_requests_are_made_at_once(self) -> None:
        store, stream = self.watched("sealed")
        together = threading.Barrier(4)  # none of the first four is answered before all of them have been made
        first = itertools.count()
        store._before = lambda kind, key: together.wait(20) if key.startswith("data/") and next(first) < 4 else None
        reader = self.reader(stream, Mesh(2, 1), threads=6)
        self.assertEqual(len(self.until_end(reader)), 450)

    def test_a_section_is_one_request_where_it_is_read_whole(self) -> None:
        store, stream = self.watched("raw-even")
        self.until_end(self.reader(stream, Mesh(3, 1), 2))
        self.assertEqual(store.count("read", "data/"), 3)

    def test_a_part_of_a_large_section_is_not_read_whole(self) -> None:
        store, stream = self.watched("large")
        self.reader(stream, Mesh(1, 2), 0, 0, start=7, end_step=8).next()
        self.assertLess(sum(length for kind, key, length in store.requests if key.startswith("data/")), 310_000)

    def test_a_bundle_that_was_replaced_without_some_records(self) -> None:
        stream = self.open("redacted")
        old = stream.bundle_of(3)
        assert old is not None
        reader = self.reader(stream, Mesh(2, 2), 0, 0, prefetch_bytes=1, start=0)  # stands at the old manifest
        self.assertEqual(len(reader.next().records()), 2)
        self.java.command("takedown", "redacted", 3)
        self.java.command("delete", "redacted", old.object)
        steps = [reader.next() for _ in range(5)]
        self.assertEqual([(step.step, len(step.records())) for step in steps], [(1, 2), (2, 2), (3, 1), (4, 2), (5, 2)])
        self.assertEqual([len(step.redactions) for step in steps], [0, 0, 1, 0, 0])
        redaction = steps[2].redactions[0]
        self.assertEqual((redaction.records, redaction.reason), (1, "asked for by its author"))

    def test_no_stream(self) -> None:
        with self.assertRaisesRegex(StreamNotFoundError, "no stream at"):
            Stream.open(self.java.address("nothing"))

    def test_end_step_ends_the_iteration(self) -> None:
        reader = self.reader(self.open("raw"), Mesh(2, 2), 0, 0, end_step=5)
        self.assertEqual([step.step for step in reader], [0, 1, 2, 3, 4])
        self.assertEqual(reader.cursor.step, 5)

    def test_a_stride(self) -> None:
        for w in range(3):
            reader = self.reader(self.open("raw"), Mesh(2, 2), 0, 0, stride=3, offset=w, end_step=20)
            self.assertEqual([(s.step, s.cursor.step) for s in reader], [(i, i + 1) for i in range(w, 20, 3)])


class WatermarkTest(StreamTest):
    def cursor(self, stream: Stream, step: int) -> Cursor:
        return self.reader(stream, stream.default_mesh, start=step).cursor

    def test_java_reads_what_python_writes(self) -> None:
        stream = self.open("raw")
        for rank in (0, 1):
            recorder = WatermarkRecorder(stream, "trainer", rank, 2, generation=3, keep=2)
            recorder.register(self.cursor(stream, 2))
            for step in (4, 6):
                recorder.record(self.cursor(stream, step))
        said = self.java.command("watermarks", "raw")
        self.assertIn("group=trainer, rank=1, worldSize=2, generation=3", said)
        self.assertIn(", step=4", said)
        self.assertRegex(said, r"kind=RANK, kept=\[Kept\[version=\d+, step=4\], Kept\[version=\d+, step=6\]\]")
        self.assertEqual([w.rank for w in group_watermarks(stream, "trainer")], [0, 1])

    def test_python_reads_what_java_writes(self) -> None:
        self.java.command("watermark", "raw-even", "g", 1, 2, 5, 9)
        found = read_watermark(self.open("raw-even"), "g", 1)
        assert found is not None
        self.assertEqual((found.step, found.generation, found.world_size, found.mesh, found.updated_at), (9, 5, 2, Mesh(2, 1), 1234))
        self.assertIsNone(read_watermark(self.open("raw-even"), "g", 0))

    def test_a_new_generation_inherits_what_was_kept(self) -> None:
        stream = self.open("large")
        old = WatermarkRecorder(stream, "t", 0, 1, generation=1, keep=3)
        for step in (2, 4, 6):
            old.record(self.cursor(stream, step))
        young = [WatermarkRecorder(stream, "t", rank, 2, generation=2, keep=3) for rank in (0, 1)]
        self.assertEqual([one.step for one in young[1].register(self.cursor(stream, 4)).kept], [2, 4])
        self.assertEqual([(w.generation, w.step) for w in group_watermarks(stream, "t")], [(1, 2), (2, 2)])
        young[0].register(self.cursor(stream, 4))
        self.assertEqual([(w.generation, w.rank) for w in group_watermarks(stream, "t")], [(2, 0), (2, 1)])
        with self.assertRaisesRegex(SupersededError, "left over"):
            old.record(self.cursor(stream, 8))
        with self.assertRaisesRegex(SupersededError, "higher generation"):
            WatermarkRecorder(stream, "t", 0, 3, generation=2).record(self.cursor(stream, 8))
        self.assertEqual({w.settled for w in group_watermarks(stream, "t")}, {1})
        again = WatermarkRecorder(stream, "t", 1, 2, generation=2, keep=3).record(self.cursor(stream, 6))
        self.assertEqual([one.step for one in again.kept], [2, 4, 6])

    def test_no_rank_records_under_the_name_of_a_source(self) -> None:
        stream = self.open("raw")
        source = Watermark(stream.id, "replay", 0, 1, 0, stream.manifest.version, 2, kind=2)
        stream.store.put("watermark/replay/0", encode_watermark(source))
        for rank in (0, 1):
            with self.assertRaisesRegex(GroupTakenError, "replay.*FLINK_SOURCE.*RANK.*--drop replay"):
                WatermarkRecorder(stream, "replay", rank, 2, generation=3).register(self.cursor(stream, 4))
        self.assertEqual(group_watermarks(stream, "replay"), [source])

    def test_a_start_below_the_trim(self) -> None:
        stream = self.open("trimmed")
        with self.assertRaises(TrimmedError):
            WatermarkRecorder(stream, "t", 0, 1).register(Cursor(stream.id, 1, 3, 6, Mesh(2, 1), Mode.EXACT))

    def test_names_that_cannot_be(self) -> None:
        stream = self.open("raw")
        for group in ("", "..", "a/b", "ü"):
            with self.assertRaises(LakestreamError):
                WatermarkRecorder(stream, group, 0, 1)
        with self.assertRaises(LakestreamError):
            WatermarkRecorder(stream, "g", 2, 2).record(self.cursor(stream, 0))


class EmptyTokensTest(unittest.TestCase):
    def test_nothing_stacks_to_nothing(self) -> None:
        self.assertEqual(len(Tokens.stacked([Tokens.empty()])), 0)


if __name__ == "__main__":
    unittest.main()
