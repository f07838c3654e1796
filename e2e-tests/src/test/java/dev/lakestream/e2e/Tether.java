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
package dev.lakestream.e2e;

import java.io.IOException;

/**
 * A Java agent that ends its process when its standard input ends. The process that started it
 * holds the other end, so that nothing survives it, however it dies.
 */
public final class Tether {

  private Tether() {}

  /** Called by the Java machine before the main class. */
  public static void premain(String unused) {
    Thread thread = new Thread(Tether::haltAtEndOfInput, "tether");
    thread.setDaemon(true);
    thread.start();
  }

  private static void haltAtEndOfInput() {
    try {
      while (System.in.read() >= 0) {
        // nothing is ever sent
      }
    } catch (IOException e) {
      // the other end is gone
    }
    Runtime.getRuntime().halt(143);
  }
}
