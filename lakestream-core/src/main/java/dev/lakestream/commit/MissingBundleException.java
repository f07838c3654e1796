package dev.lakestream.commit;

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.StagedBundle;

/** A restored checkpoint names a bundle that is gone or damaged. Nothing of that checkpoint was published. */
public class MissingBundleException extends LakestreamException {

  private static final long serialVersionUID = 1L;

  MissingBundleException(String stream, Publication publication, StagedBundle bundle, Throwable cause) {
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
