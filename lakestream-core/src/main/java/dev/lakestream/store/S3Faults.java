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

import java.net.UnknownHostException;
import java.util.Set;
import java.util.concurrent.CompletionException;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkClientException;

/** What S3 and the SDK answer, as a {@link Fault}. */
final class S3Faults {

  private static final Set<String> FULL =
      Set.of("QuotaExceeded", "XMinioStorageFull", "InsufficientStorage");
  private static final Set<String> THROTTLE =
      Set.of(
          "SlowDown", "SlowDownRead", "SlowDownWrite", "TooManyRequests", "RequestLimitExceeded");
  private static final Set<String> BAD_TOKEN =
      Set.of("ExpiredToken", "InvalidToken", "TokenRefreshRequired");

  /** 4xx of which the SDK's documentation says that the same request may succeed. */
  private static final Set<String> TRY_LATER =
      Set.of("RequestTimeout", "BadDigest", "IncompleteBody", "OperationAborted");

  private final String bucket;

  S3Faults(String bucket) {
    this.bucket = bucket;
  }

  /**
   * @param key the whole key, with the stream's prefix
   */
  StoreException of(Throwable error, S3Action action, String key) {
    // The SDK wraps what our own receiver has found wrong with a reply.
    for (Throwable inner = error; inner != null; inner = inner.getCause()) {
      if (inner instanceof StoreException known) {
        return known;
      }
    }
    Throwable cause = unwrapped(error);
    String what = "Cannot %s '%s' in bucket '%s': ".formatted(action, key, bucket);
    return cause instanceof AwsServiceException answer
        ? answered(answer, what, action)
        : unanswered(cause, what);
  }

  private StoreException answered(AwsServiceException answer, String what, S3Action action) {
    int status = answer.statusCode();
    String code = code(answer);
    String told = what + "HTTP " + status + (code.isEmpty() ? "" : " " + code);
    if (status == 403 || status == 401 || BAD_TOKEN.contains(code)) {
      return new StoreException(Fault.DENIED, told + ". " + denied(code, action), answer);
    }
    if (code.equals("NoSuchBucket")) {
      return new StoreException(
          Fault.NO_SUCH_STORE,
          told + ". Create the bucket, or check its name, s3.endpoint and s3.region.",
          answer);
    }
    if (FULL.contains(code) || status == 507) {
      return new StoreException(
          Fault.NO_SPACE, told + ". Free some space or raise the quota.", answer);
    }
    if (THROTTLE.contains(code) || status == 503 || status == 429) {
      return new StoreException(Fault.THROTTLED, told + ": the store asks for less.", answer);
    }
    if (TRY_LATER.contains(code)) {
      return new StoreException(Fault.TRANSIENT, told + ".", answer);
    }
    if (status == 501 || code.equals("NotImplemented")) {
      return action == S3Action.CREATE
          ? new StoreException(
              Fault.UNSAFE,
              told
                  + ": the store has no conditional create (If-None-Match), without which two"
                  + " producers would overwrite each other. Use one that has.",
              answer)
          : new StoreException(Fault.INVALID, told + ": the store lacks this request.", answer);
    }
    if (status == 404) {
      return new StoreException(Fault.MISSING, told + ": there is no such object.", answer);
    }
    if (status == 416) {
      return new StoreException(Fault.OUT_OF_RANGE, told + ": the object is shorter.", answer);
    }
    if (status == 409) {
      return new StoreException(Fault.TRANSIENT, told + ".", answer);
    }
    if (status >= 300 && status < 400) {
      return new StoreException(
          Fault.INVALID,
          told + ": the bucket lies in another region. Set s3.region, or s3.endpoint.",
          answer);
    }
    return status >= 500
        ? new StoreException(Fault.TRANSIENT, told + ".", answer)
        : new StoreException(Fault.INVALID, told + ": " + answer.getMessage(), answer);
  }

  private static String denied(String code, S3Action action) {
    if (code.equals("RequestTimeTooSkewed")) {
      return "The clock of this machine is wrong: set it.";
    }
    if (BAD_TOKEN.contains(code) || code.equals("InvalidAccessKeyId")) {
      return "The credentials are not valid (any more): renew them (s3.access-key, s3.secret-key,"
          + " s3.session-token, or the default chain).";
    }
    if (code.equals("SignatureDoesNotMatch")) {
      return "The secret key is wrong: check s3.secret-key, or the default credential chain.";
    }
    return "The credentials need " + action.permission() + " on it.";
  }

  private static StoreException unanswered(Throwable cause, String what) {
    for (Throwable inner = cause; inner != null; inner = inner.getCause()) {
      if (inner instanceof UnknownHostException) {
        return new StoreException(
            Fault.NO_SUCH_STORE,
            what
                + "the host does not resolve ("
                + inner.getMessage()
                + "). Check s3.endpoint, s3.region and the bucket's name; a server that does not"
                + " know bucket.host needs s3.path-style-access = true.",
            cause);
      }
    }
    String text = String.valueOf(cause.getMessage());
    if (cause instanceof SdkClientException && text.contains("credentials")) {
      return new StoreException(
          Fault.DENIED,
          what
              + "there are no credentials. Set s3.access-key and s3.secret-key, or one of the"
              + " default chain's sources (environment, profile, role).",
          cause);
    }
    // Timeouts, resets, refused connections: whether the request was applied, nobody knows.
    return new StoreException(Fault.TRANSIENT, what + text, cause);
  }

  /** The status of an answer, or 0 if there was none. */
  static int status(Throwable error) {
    return unwrapped(error) instanceof AwsServiceException answer ? answer.statusCode() : 0;
  }

  private static Throwable unwrapped(Throwable error) {
    Throwable cause = error;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  private static String code(AwsServiceException answer) {
    return answer.awsErrorDetails() == null || answer.awsErrorDetails().errorCode() == null
        ? ""
        : answer.awsErrorDetails().errorCode();
  }
}
