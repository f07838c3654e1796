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

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Optional;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.S3AsyncClientBuilder;
import software.amazon.awssdk.services.s3.model.ServerSideEncryption;

/** The options of {@link S3StoreProvider}, checked. Holds secrets: never printed. */
final class S3Settings {

  private static final long MIB = 1 << 20;

  /** S3's own limits. */
  private static final long MIN_PART = 5 * MIB;

  private static final long MAX_SINGLE_PUT = 5 * 1024 * MIB;

  /** Whether uploads carry a checksum that the server verifies. */
  enum Checksums {
    WHEN_SUPPORTED,
    WHEN_REQUIRED
  }

  private final Optional<URI> endpoint;
  private final boolean pathStyle;
  private final Optional<String> region;
  private final Optional<AwsCredentials> credentials;
  private final Duration requestTimeout;
  private final int maxConnections;
  private final boolean checksums;
  private final Optional<ServerSideEncryption> encryption;
  private final Optional<String> kmsKeyId;
  private final long multipartThreshold;
  private final long partSize;

  private S3Settings(StoreOptions options) {
    this.endpoint = options.text("s3.endpoint").map(S3Settings::endpoint);
    this.pathStyle = options.flag("s3.path-style-access", endpoint.isPresent());
    this.region = options.text("s3.region");
    this.credentials = credentials(options);
    this.requestTimeout = options.duration("s3.request-timeout", StoreDefaults.REQUEST_TIMEOUT);
    this.maxConnections = options.count("s3.max-connections", StoreDefaults.MAX_CONNECTIONS);
    this.checksums =
        options.choice("s3.checksums", Checksums.WHEN_SUPPORTED) == Checksums.WHEN_SUPPORTED;
    this.encryption = options.text("s3.sse.type").map(S3Settings::encryption);
    this.kmsKeyId = options.text("s3.sse.kms-key-id");
    this.multipartThreshold =
        options.size("s3.multipart.threshold", StoreDefaults.MULTIPART_THRESHOLD);
    this.partSize = options.size("s3.multipart.part-size", StoreDefaults.MULTIPART_PART_SIZE);
  }

  static S3Settings read(StoreOptions options) {
    S3Settings settings = new S3Settings(options);
    if (settings.requestTimeout.isZero()) {
      throw invalid("s3.request-timeout must be above 0");
    }
    if (settings.partSize < MIN_PART || settings.partSize > MAX_SINGLE_PUT) {
      throw invalid("s3.multipart.part-size must be from 5 MiB to 5 GiB");
    }
    if (settings.multipartThreshold > MAX_SINGLE_PUT) {
      throw invalid("s3.multipart.threshold must be at most 5 GiB");
    }
    if (settings.kmsKeyId.isPresent()
        && settings.encryption.filter(type -> type.toString().startsWith("aws:kms")).isEmpty()) {
      throw invalid("s3.sse.kms-key-id needs s3.sse.type = aws:kms");
    }
    return settings;
  }

  boolean checksums() {
    return checksums;
  }

  Optional<ServerSideEncryption> encryption() {
    return encryption;
  }

  Optional<String> kmsKeyId() {
    return kmsKeyId;
  }

  /** Longer objects go up in parts. */
  long multipartThreshold() {
    return multipartThreshold;
  }

  long partSize() {
    return partSize;
  }

  /**
   * A client that sends each request once: {@link RetryingStore} repeats. Checksums are the store's
   * own, sent as headers: the SDK's trailing ones copy the body, and some servers refuse them.
   */
  S3AsyncClient client() {
    S3AsyncClientBuilder builder =
        S3AsyncClient.builder()
            .forcePathStyle(pathStyle)
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
            .overrideConfiguration(
                override ->
                    override
                        .retryStrategy(AwsRetryStrategy.doNotRetry())
                        .apiCallTimeout(requestTimeout))
            .httpClientBuilder(
                NettyNioAsyncHttpClient.builder()
                    .maxConcurrency(maxConnections)
                    .maxPendingConnectionAcquires(100_000)
                    .connectionAcquisitionTimeout(requestTimeout)
                    .connectionTimeout(least(Duration.ofSeconds(10), requestTimeout))
                    .readTimeout(requestTimeout)
                    .writeTimeout(requestTimeout));
    endpoint.ifPresent(builder::endpointOverride);
    region.or(() -> endpoint.map(any -> "us-east-1")).map(Region::of).ifPresent(builder::region);
    credentials.map(StaticCredentialsProvider::create).ifPresent(builder::credentialsProvider);
    try {
      return builder.build();
    } catch (SdkClientException e) {
      throw new StoreException(
          Fault.INVALID,
          "No client for S3: " + e.getMessage() + ". Set s3.region, or AWS_REGION.",
          e);
    }
  }

  private static Duration least(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  private static URI endpoint(String text) {
    try {
      URI endpoint = new URI(text);
      if (("http".equals(endpoint.getScheme()) || "https".equals(endpoint.getScheme()))
          && endpoint.getHost() != null
          && endpoint.getUserInfo() == null) {
        return endpoint;
      }
    } catch (URISyntaxException e) {
      // told below
    }
    throw invalid("s3.endpoint must be an address such as https://host:9000, without credentials");
  }

  private static Optional<AwsCredentials> credentials(StoreOptions options) {
    Optional<String> access = options.text("s3.access-key");
    Optional<String> secret = options.text("s3.secret-key");
    if (access.isPresent() != secret.isPresent()) {
      throw invalid("s3.access-key and s3.secret-key must be set together, or neither");
    }
    Optional<String> token = options.text("s3.session-token");
    return access.map(
        key ->
            token.isPresent()
                ? AwsSessionCredentials.create(key, secret.get(), token.get())
                : AwsBasicCredentials.create(key, secret.get()));
  }

  private static ServerSideEncryption encryption(String text) {
    // Hadoop calls them SSE-S3 and SSE-KMS
    ServerSideEncryption type =
        switch (text.toUpperCase(java.util.Locale.ROOT)) {
          case "AES256", "SSE-S3" -> ServerSideEncryption.AES256;
          case "AWS:KMS", "SSE-KMS" -> ServerSideEncryption.AWS_KMS;
          case "AWS:KMS:DSSE", "DSSE-KMS" -> ServerSideEncryption.AWS_KMS_DSSE;
          default -> null;
        };
    if (type == null) {
      throw invalid("s3.sse.type must be AES256, aws:kms or aws:kms:dsse");
    }
    return type;
  }

  private static StoreException invalid(String what) {
    return new StoreException(Fault.INVALID, "The option " + what + ".");
  }
}
