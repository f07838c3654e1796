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
package dev.lakestream.flink.source;

import java.io.IOException;

/**
 * The records of one slice, in a fixed order: the same slice gives the same records at the same
 * indexes whenever it is read, since a job resumes in the middle of it.
 */
public interface RecordIterator<OUT> extends AutoCloseable {

  /** Moves to the next record; false: there is none. */
  boolean advance() throws IOException;

  /** The record that was moved to. A new object each time, unless the job reuses objects. */
  OUT record() throws IOException;

  /**
   * The index in the slice of the record that was moved to. A job that resumes behind it asks for
   * the records from the next index on. Indexes may be left out, and never repeat.
   */
  long index();

  @Override
  default void close() {}
}
