/*
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package dev.lakestream.flink.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.assembly.Sample;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.InvalidBatchException;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.streaming.api.lineage.DatasetConfigFacet;
import org.apache.flink.streaming.api.lineage.LineageDataset;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

class LakestreamSinkBuilderTest {

  private static final Mesh MESH = new Mesh(2, 2);

  private static LakestreamSinkBuilder<byte[]> batches() {
    return LakestreamSink.<byte[]>builder()
        .path("file:///data/stream")
        .mesh(MESH)
        .batches(bytes -> GlobalBatch.of(new Mesh(1, 1), List.of(Slice.of(bytes, 1))));
  }

  private static LakestreamSinkBuilder<byte[]> samples() {
    return LakestreamSink.<byte[]>builder()
        .path("file:///data/stream")
        .mesh(MESH)
        .samples(bytes -> Sample.ofBytes(1, ByteBuffer.wrap(bytes)));
  }

  private static void assertRefused(LakestreamSinkBuilder<?> builder, String... says) {
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(says);
  }

  @Test
  void whatIsMissingIsNamed() {
    assertRefused(LakestreamSink.<byte[]>builder(), "path");
    assertRefused(LakestreamSink.<byte[]>builder().path("file:///data"), "batches", "samples");
    assertRefused(samples(), "assembler");
    assertRefused(samples().mesh(null).assembler(Assembly.tokenPacking(8, 1)), "mesh");
  }

  @Test
  void whatContradictsItselfIsNamed() {
    assertRefused(batches().samples(b -> null), "either");
    assertRefused(batches().assembler(Assembly.byCount(1)), "assembler", "batches");
    assertRefused(batches().shuffle(1, 10), "shuffle", "batches");
    assertRefused(
        samples().assembler(Assembly.tokenPacking(8, 1)).sliceFormat("raw"), "tokens", "raw");
    assertRefused(samples().assembler(Assembly.tokenPacking(8, 1)).shuffle(1, 0), "1 or more");
    assertRefused(batches().deliveryGuarantee(DeliveryGuarantee.NONE), "none");
    assertRefused(batches().bufferMemory(10).bundleTargetSize(20), "buffer memory");
    assertRefused(batches().bundleMaxSteps(0), "steps");
    assertRefused(batches().uploadParallelism(0), "uploads");
    assertRefused(batches().producerId(" "), "producer id");
  }

  @Test
  void anAssemblyThatCannotBeIsRefusedBeforeTheJobRuns() {
    assertThatThrownBy(() -> samples().assembler(Assembly.byCount(4)).build())
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("C = 1");
  }

  @Test
  void secretsAreNotPrinted() {
    LakestreamSink<byte[]> sink =
        batches().storeOptions(Map.of("s3.secret-key", "hunter2")).build();

    assertThat(sink.toString()).contains("file:///data/stream").doesNotContain("hunter2");
  }

  @Test
  void theSinkGoesIntoAJobGraphAndKeepsItsOwner() throws Exception {
    LakestreamSink<byte[]> sink =
        batches().storeOptions(Map.of("s3.endpoint", "http://localhost")).build();

    LakestreamSink<byte[]> copy =
        InstantiationUtil.deserializeObject(
            InstantiationUtil.serializeObject(sink), getClass().getClassLoader());

    assertThat(copy).hasToString(sink.toString());
    assertThat(copy.producerId()).isEqualTo(sink.producerId());
    assertThat(batches().build().producerId()).isNotEqualTo(sink.producerId());
  }

  @Test
  void everyOptionHasADescription() {
    assertThat(LakestreamSinkOptions.all())
        .allSatisfy(option -> assertThat(option.description()).isNotNull())
        .extracting(ConfigOption::key)
        .doesNotHaveDuplicates()
        .allMatch(key -> key.startsWith("sink."));
  }

  @Test
  void theLineageNamesTheStream() {
    LineageDataset dataset =
        samples()
            .assembler(Assembly.tokenPacking(8, 1))
            .build()
            .getLineageVertex()
            .datasets()
            .get(0);

    assertThat(dataset.namespace()).isEqualTo("file:///data/stream");
    assertThat(((DatasetConfigFacet) dataset.facets().get("lakestream")).config())
        .containsEntry("mesh", "2x2")
        .containsEntry("slice-format", "tokens");
  }
}
