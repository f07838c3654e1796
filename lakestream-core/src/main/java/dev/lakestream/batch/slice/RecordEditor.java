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
package dev.lakestream.batch.slice;

import dev.lakestream.batch.InvalidBatchException;
import dev.lakestream.batch.Slice;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.IntPredicate;

/** Takes records out of {@link RecordSlice}s, by number or by the SHA-256 of their bytes. */
public final class RecordEditor implements SliceEditor {

  @Override
  public String format() {
    return SliceFormats.RECORDS;
  }

  @Override
  public Edit without(Removal removal, int dp, List<Slice> chunks, String what) {
    List<Slice> edited = new ArrayList<>();
    long removed = 0;
    for (int cp = 0; cp < chunks.size(); cp++) {
      RecordSlice records = RecordSlice.decode(chunks.get(cp).bytes(), what);
      IntPredicate goes = selector(removal, dp, cp, records, what);
      List<ByteBuffer> kept = new ArrayList<>();
      for (int i = 0; i < records.count(); i++) {
        if (!goes.test(i)) {
          kept.add(records.record(i));
        }
      }
      removed += records.count() - kept.size();
      edited.add(
          kept.size() == records.count()
              ? chunks.get(cp)
              : new Slice(RecordSlice.encode(kept), kept.size()));
    }
    return new Edit(edited, removed);
  }

  private static IntPredicate selector(
      Removal removal, int dp, int cp, RecordSlice records, String what) {
    if (removal instanceof Removal.Records numbers) {
      if (numbers.dp() != dp || numbers.cp() != cp) {
        return i -> false;
      }
      SliceChecks.requireRecord(numbers.records().last(), records.count(), what);
      return numbers.records()::contains;
    }
    if (removal instanceof Removal.Contents contents) {
      return i -> contents.sha256().contains(sha256(records.record(i)));
    }
    throw new InvalidBatchException(
        what
            + " is of the format \"records\", which has no sample ids. Name the records by their"
            + " numbers or by the SHA-256 of their content.");
  }

  private static String sha256(ByteBuffer record) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(record);
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("Every Java platform has SHA-256.", e);
    }
  }
}
