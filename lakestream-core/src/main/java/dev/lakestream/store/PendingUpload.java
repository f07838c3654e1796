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
package dev.lakestream.store;

/**
 * An upload in parts that has begun and not ended. Its parts cost space, and no listing of objects
 * shows them.
 *
 * @param key of the object that it would become
 * @param id by which the store knows it
 * @param startedAt in milliseconds since the epoch, by the store's clock
 */
public record PendingUpload(String key, String id, long startedAt) {}
