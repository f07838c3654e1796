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

import java.util.ArrayList;
import java.util.List;

/** Requests that the client believes lost and that reach the store later. Thread-safe. */
final class HeldRequests {

  private final List<Held> held = new ArrayList<>();

  /** Holds one back until {@code requests} further ones have passed. */
  void add(Runnable request, int requests) {
    synchronized (held) {
      held.add(new Held(request, requests));
    }
  }

  /** Another request passes: applies those that have waited for it. */
  void releaseDue() {
    List<Held> due = new ArrayList<>();
    synchronized (held) {
      for (Held one : List.copyOf(held)) {
        if (one.countdown-- <= 0) {
          due.add(one);
          held.remove(one);
        }
      }
    }
    due.forEach(one -> one.request.run());
  }

  /** Applies all of them, in order. */
  void releaseAll() {
    List<Held> due;
    synchronized (held) {
      due = List.copyOf(held);
      held.clear();
    }
    due.forEach(one -> one.request.run());
  }

  int count() {
    synchronized (held) {
      return held.size();
    }
  }

  private static final class Held {
    private final Runnable request;
    private int countdown;

    private Held(Runnable request, int countdown) {
      this.request = request;
      this.countdown = countdown;
    }
  }
}
