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
package dev.lakestream.commit;

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.StagedBundle;

/**
 * A restored checkpoint names a bundle that is gone or damaged. Nothing of that checkpoint was
 * published.
 */
public class MissingBundleException extends LakestreamException {

  private static final long serialVersionUID = 1L;

  MissingBundleException(
      String stream, Publication publication, StagedBundle bundle, Throwable cause) {
    super(
        "Checkpoint "
            + publication.sequence()
            + " of producer \""
            + publication.producerId()
            + "\" names the bundle "
            + bundle.object()
            + ", which is not whole in "
            + stream
            + ": "
            + cause.getMessage()
            + " The restored state is older than what reclamation keeps. Restore a newer checkpoint, or start without"
            + " state.",
        cause);
  }
}
