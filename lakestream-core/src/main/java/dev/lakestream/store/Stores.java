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

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the store at an address. */
public final class Stores {

  private static final Logger LOG = LoggerFactory.getLogger(Stores.class);

  private Stores() {}

  /** Opens it with retries around it; the caller closes it. */
  public static ObjectStore open(String address, Map<String, String> options) {
    return open(address, options, new StoreMetrics());
  }

  /**
   * Opens it with retries around it; the caller closes it.
   *
   * @param options by full name, for instance {@code s3.endpoint} or {@code retry.max-elapsed};
   *     unknown ones are ignored
   * @param metrics counts what its requests meet
   */
  public static ObjectStore open(
      String address, Map<String, String> options, StoreMetrics metrics) {
    ObjectStore bare = openBare(StreamAddress.parse(address), options);
    try {
      return RetryingStore.around(bare).options(options).metrics(metrics).build();
    } catch (RuntimeException e) {
      bare.close();
      throw e;
    }
  }

  /** Opens it without retries, for those who put their own {@link RetryingStore} around it. */
  public static ObjectStore openBare(StreamAddress address, Map<String, String> options) {
    Map<String, StoreProvider> providers = providers();
    StoreProvider provider = providers.get(address.scheme());
    if (provider == null) {
      throw new StoreException(
          Fault.INVALID,
          "No store for '%s:' (%s). Known are %s; others come as a %s on the classpath."
              .formatted(
                  address.scheme(),
                  address,
                  String.join(", ", new TreeSet<>(providers.keySet())),
                  StoreProvider.class.getName()));
    }
    return provider.open(address, options);
  }

  /**
   * Providers beside this class come first; the context class loader may add some, such as those in
   * a job's jar when Lakestream itself lies in Flink's lib folder.
   */
  private static Map<String, StoreProvider> providers() {
    Map<String, StoreProvider> byScheme = new LinkedHashMap<>();
    ClassLoader own = Stores.class.getClassLoader();
    addProviders(own, byScheme);
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    if (context != null && context != own) {
      addProviders(context, byScheme);
    }
    return byScheme;
  }

  private static void addProviders(ClassLoader loader, Map<String, StoreProvider> byScheme) {
    Iterator<StoreProvider> found = ServiceLoader.load(StoreProvider.class, loader).iterator();
    while (true) {
      try {
        if (!found.hasNext()) {
          return;
        }
        StoreProvider provider = found.next();
        provider.schemes().forEach(scheme -> byScheme.putIfAbsent(scheme, provider));
      } catch (ServiceConfigurationError e) {
        // A second copy of Lakestream in another class loader, most likely: ours works without it.
        LOG.debug("Skipped a store provider that cannot be loaded here", e);
      }
    }
  }
}
