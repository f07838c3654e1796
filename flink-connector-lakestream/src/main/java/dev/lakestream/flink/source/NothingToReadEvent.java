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

import org.apache.flink.api.connector.source.SourceEvent;

/**
 * Everything that is published has a reader, and this one has none of it: it is not to hold the
 * watermark back until it gets a split. Repeated, more and more rarely, because a watermark that
 * Flink emits late makes the reader active again: see {@link IdleReaders}.
 */
record NothingToReadEvent() implements SourceEvent {

  private static final long serialVersionUID = 1L;
}
