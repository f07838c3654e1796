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
package dev.lakestream.examples.quickstart;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Holds every token of the input against what the ranks delivered: each must arrive exactly once,
 * in its document, at its position.
 *
 * <p>Nothing is hashed or counted off: each delivered token is compared with the input's own and
 * ticked off, so that one that is lost, repeated, changed or moved is named.
 */
final class TokenLedger {

  /** So many faults are described; the others are only counted. */
  private static final int EXAMPLES = 5;

  private final Map<Long, Account> accounts = new HashMap<>();
  private final List<String> examples = new ArrayList<>();
  private long delivered;
  private long repeated;
  private long changed;
  private long foreign;

  private static final class Account {
    final String name;
    final int[] tokens;
    final BitSet arrived;

    Account(String name, int[] tokens) {
      this.name = name;
      this.tokens = tokens;
      this.arrived = new BitSet(tokens.length);
    }
  }

  /**
   * The outcome.
   *
   * @param documents that have all their tokens, each once
   * @param delivered tokens, padding left out
   * @param missing tokens of the input that did not arrive
   * @param repeated tokens that arrived more than once
   * @param changed tokens that differ from the input's at their position
   * @param foreign tokens that no document of the input has
   * @param examples of what is wrong, in words
   */
  record Proof(
      long documents,
      long delivered,
      long missing,
      long repeated,
      long changed,
      long foreign,
      List<String> examples) {

    boolean holds() {
      return missing + repeated + changed + foreign == 0;
    }
  }

  /** A document of the input. */
  void expect(long id, String name, int[] tokens) {
    Account before = accounts.put(id, new Account(name, tokens));
    if (before != null) {
      throw new IllegalArgumentException(
          before.name + " and " + name + " have the same id. Rename one of them.");
    }
  }

  /** What a rank read. */
  void arrived(Delivery delivery) {
    delivered += delivery.tokens().length;
    Account account = accounts.get(delivery.sampleId());
    if (account == null) {
      foreign += delivery.tokens().length;
      example(
          delivery,
          "document " + Long.toUnsignedString(delivery.sampleId()) + " is not of the input");
      return;
    }
    for (int i = 0; i < delivery.tokens().length; i++) {
      tick(account, delivery, delivery.firstPosition() + i, delivery.tokens()[i]);
    }
  }

  private void tick(Account account, Delivery delivery, int position, int token) {
    if (position < 0 || position >= account.tokens.length) {
      foreign++;
      example(delivery, account.name + " has no token " + position);
    } else if (token != account.tokens[position]) {
      changed++;
      example(
          delivery,
          "token %d of %s is %d, and was %d"
              .formatted(position, account.name, token, account.tokens[position]));
    } else if (account.arrived.get(position)) {
      repeated++;
      example(delivery, "token " + position + " of " + account.name + " arrived before");
    } else {
      account.arrived.set(position);
    }
  }

  private void example(Delivery delivery, String what) {
    if (examples.size() < EXAMPLES) {
      examples.add(delivery.where() + ": " + what);
    }
  }

  /** After everything has arrived. */
  Proof prove() {
    long complete = 0;
    long missing = 0;
    for (Account account : accounts.values()) {
      int lost = account.tokens.length - account.arrived.cardinality();
      if (lost == 0) {
        complete++;
        continue;
      }
      missing += lost;
      if (examples.size() < EXAMPLES) {
        examples.add(
            "%d of %d tokens of %s did not arrive, the first at position %d"
                .formatted(
                    lost, account.tokens.length, account.name, account.arrived.nextClearBit(0)));
      }
    }
    return new Proof(
        complete, delivered, missing, repeated, changed, foreign, List.copyOf(examples));
  }
}
