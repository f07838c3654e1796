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
package dev.lakestream.manifest;

import java.util.Comparator;
import java.util.Optional;

/** How large a manifest may be before somebody should look at what is in it. */
public final class ManifestSize {

  /**
   * What a hundred producers come to at most, if their ids are of ordinary length and they keep no
   * positions (see {@link ProducerEntry}).
   */
  public static final int ADVISABLE_BYTES = 64 * 1024;

  private ManifestSize() {}

  /**
   * What makes the manifest large, and what to do about it; empty: nothing needs to be done.
   *
   * @param bytes of the whole object
   */
  public static Optional<String> advice(Manifest manifest, int bytes) {
    if (bytes <= ADVISABLE_BYTES || manifest.producers().isEmpty()) {
      return Optional.empty();
    }
    ProducerEntry largest =
        manifest.producers().stream().max(Comparator.comparingInt(ManifestSize::bytes)).get();
    return Optional.of(
        ("Manifest %d has %,d bytes, and each commit writes as many. The entries of its %,d"
                + " producers take %,d of them, the one of producer \"%s\" alone %,d. Retire the"
                + " producers that will not write again (CALL sys.retire_producer); give jobs that"
                + " are submitted often one producer id, in place of a new one each time; and keep"
                + " positions short.")
            .formatted(
                manifest.version(),
                bytes,
                manifest.producers().size(),
                manifest.producers().stream().mapToInt(ManifestSize::bytes).sum(),
                largest.producerId(),
                bytes(largest)));
  }

  private static int bytes(ProducerEntry entry) {
    return ManifestProtos.toProto(entry).getSerializedSize();
  }
}
