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

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.flink.util.concurrent.ExecutorThreadFactory;

/**
 * The threads of a process that check the bytes that its readers have fetched: as many as it has
 * processors. They end when they are idle, so that they pin no class loader. What waits for them is
 * bounded by the memory that readers fetch into.
 */
final class Verifiers {

  static final ExecutorService EXECUTOR = executor();

  private Verifiers() {}

  private static ExecutorService executor() {
    int threads = Runtime.getRuntime().availableProcessors();
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            5,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            new ExecutorThreadFactory("lakestream-verify"));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
