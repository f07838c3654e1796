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
package dev.lakestream.flink;

import dev.lakestream.store.StreamAddress;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.streaming.api.lineage.DatasetConfigFacet;
import org.apache.flink.streaming.api.lineage.LineageDataset;
import org.apache.flink.streaming.api.lineage.LineageDatasetFacet;
import org.apache.flink.streaming.api.lineage.LineageVertex;

/**
 * A stream as a dataset of Flink's lineage: its namespace is the address, in one spelling however
 * jobs spell it.
 */
public final class StreamLineage {

  /** The name of the dataset inside its namespace. */
  private static final String DATASET = "stream";

  private StreamLineage() {}

  public static LineageVertex vertex(StreamTarget target) {
    Map<String, String> config = new TreeMap<>();
    if (target.mesh() != null) {
      config.put("mesh", target.mesh().toString());
    }
    if (target.sliceFormat() != null) {
      config.put("slice-format", target.sliceFormat());
    }
    String address = StreamAddress.parse(target.address()).toString();
    LineageDatasetFacet facet = new StreamFacet(Map.copyOf(config));
    return new Vertex(List.of(new Dataset(DATASET, address, Map.of(facet.name(), facet))));
  }

  private record Vertex(List<LineageDataset> datasets) implements LineageVertex {}

  private record Dataset(String name, String namespace, Map<String, LineageDatasetFacet> facets)
      implements LineageDataset {}

  /** Mesh and slice format, as far as they are stated. */
  private record StreamFacet(Map<String, String> config) implements DatasetConfigFacet {
    @Override
    public String name() {
      return "lakestream";
    }
  }
}
