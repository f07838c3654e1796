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

import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.manifest.HeadFinder.Place;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Field fault B48: listings in pages of any size and order, among strange neighbours. */
class HeadFinderTest {

  /** What other programs leave under a prefix; none of them is a manifest. */
  private static final String[] NEIGHBOURS = {
    "manifest/",
    "manifest/.crc",
    "manifest/.00000000000000000009.manifest.crc",
    "manifest/00000012.json.bak",
    "manifest/00000000000000000012.json.bak",
    "manifest/00000000000000000012.manifest.bak",
    "manifest/00000000000000000012.manifest/",
    "manifest/0000000000000000001x.manifest",
    "manifest/000000000000000000012.manifest",
    "manifest/99999999999999999999.manifest",
    "manifest/18446744073709551615.manifest",
    "manifest/09223372036854775808.manifest",
    "manifest/-0000000000000000012.manifest",
    "manifest/٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠١٢.manifest",
    "manifest/_tmp/00000000000000000012.manifest",
    "manifest/_tmp",
    "manifest/zzz",
  };

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 7, 8, 9, 10, 11, 99, 100, 101, 999, 1000, 1001, 2500})
  void theHeadIsFoundThroughTinyPages(long manifests) {
    for (int pageSize : new int[] {1, 2, 7, 1000}) {
      ListingStore store = new ListingStore(0, manifests).pageSize(pageSize);
      assertThat(new HeadFinder(store).newestListed()).hasValue(manifests - 1);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {9, 10, 99, 100, 101, 999, 1000, 999_999, 1_000_000, 1_000_001})
  void theHeadIsFoundWhereNumbersGrowADigit(long head) {
    assertThat(new HeadFinder(new ListingStore(0, head + 1).pageSize(7)).newestListed())
        .hasValue(head);
    assertThat(new HeadFinder(new ListingStore(head, head + 1)).newestListed()).hasValue(head);
    assertThat(new HeadFinder(new ListingStore(head - 9, head + 1)).newestListed()).hasValue(head);
  }

  @Test
  void nothingIsFoundWhereNothingIs() {
    assertThat(new HeadFinder(new ListingStore(0, 0)).newestListed())
        .isEqualTo(OptionalLong.empty());
    assertThat(new HeadFinder(new ListingStore(0, 0).with(NEIGHBOURS).pageSize(2)).newestListed())
        .isEqualTo(OptionalLong.empty());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 12, 13, 100, 2500, 1_000_000})
  void foreignNeighboursAreNoManifests(long manifests) {
    for (int pageSize : new int[] {1, 3, 7, 1000}) {
      ListingStore store = new ListingStore(0, manifests).with(NEIGHBOURS).pageSize(pageSize);
      assertThat(new HeadFinder(store).newestListed()).hasValue(manifests - 1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 7, 100, 1000})
  void pagesMayBeUnordered(int pageSize) {
    for (long seed = 0; seed < 20; seed++) {
      for (long manifests : new long[] {1, 5, 100, 2500}) {
        ListingStore store =
            new ListingStore(0, manifests).with(NEIGHBOURS).pageSize(pageSize).shuffled(seed);
        assertThat(new HeadFinder(store).newestListed()).hasValue(manifests - 1);
      }
    }
  }

  @Test
  void theNumberOfRequestsIsLogarithmicInHistory() {
    for (long manifests : new long[] {1_000, 10_000, 1_000_000, 1_000_000_000}) {
      ListingStore store = new ListingStore(0, manifests);
      assertThat(new HeadFinder(store).newestListed()).hasValue(manifests - 1);
      double log = Math.log(manifests) / Math.log(2);
      assertThat(store.requests).isLessThanOrEqualTo((int) (2 * log));
    }
  }

  @Test
  void oneRequestIsEnoughAfterReclamation() {
    ListingStore store = new ListingStore(999_500, 1_000_000);
    assertThat(new HeadFinder(store).newestListed()).hasValue(999_999);
    assertThat(store.requests).isEqualTo(1);
  }

  @Test
  void whatIsNewerThanAKnownVersionIsFoundFromThere() {
    ListingStore store = new ListingStore(0, 1_000_000);
    assertThat(new HeadFinder(store).newestListedAfter(999_990)).hasValue(999_999);
    assertThat(store.requests).isEqualTo(1);
    assertThat(new HeadFinder(store).newestListedAfter(999_999)).isEmpty();
  }

  @Test
  void anOrphanFarBelowTheLiveRunIsNotTheHead() {
    ListingStore store =
        new ListingStore(5_000, 9_000).with(StreamKeys.manifest(3), StreamKeys.manifest(4_000));
    assertThat(new HeadFinder(store).newestListed()).hasValue(8_999);
  }

  @Test
  void aPlaceIsTold() {
    ListingStore store =
        new ListingStore(10, 21).with(StreamKeys.manifest(3)).with(NEIGHBOURS).pageSize(1);
    HeadFinder finder = new HeadFinder(store);
    assertThat(finder.placeOf(20)).isEqualTo(Place.LAST);
    assertThat(finder.placeOf(19)).isEqualTo(Place.FOLLOWED);
    assertThat(finder.placeOf(10)).isEqualTo(Place.FOLLOWED);
    assertThat(finder.placeOf(3)).isEqualTo(Place.BEFORE_A_HOLE);
    assertThat(finder.placeOf(4)).isEqualTo(Place.NOT_LISTED);
    assertThat(finder.placeOf(21)).isEqualTo(Place.NOT_LISTED);
    assertThat(new HeadFinder(new ListingStore(0, 1)).placeOf(0)).isEqualTo(Place.LAST);
    assertThat(new HeadFinder(new ListingStore(0, 2)).placeOf(0)).isEqualTo(Place.FOLLOWED);
  }

  @Test
  void aPlaceCostsOneRequest() {
    ListingStore store = new ListingStore(0, 1_000_000);
    assertThat(new HeadFinder(store).placeOf(500_000)).isEqualTo(Place.FOLLOWED);
    assertThat(store.requests).isEqualTo(1);
  }
}
