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

import java.io.File;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Where a stream lives, in canonical form: two spellings of one place are equal, so that one stream
 * is never taken for two (invariant I10).
 *
 * <p>{@code s3a:} and {@code s3n:} are {@code s3:}; a bare absolute path is {@code file:}; trailing
 * and repeated slashes are folded; {@code .} and {@code ..} are refused. Everything else is taken
 * literally: {@code a%20b} is these six characters, and blanks, {@code + % # ? = : & ~}, quotes,
 * Chinese and emoji stand for themselves.
 *
 * @param scheme lower case, for instance {@code file} or {@code s3}
 * @param authority the bucket, or empty for {@code file}
 * @param path without a leading or trailing slash; empty for a whole bucket
 */
public record StreamAddress(String scheme, String authority, String path) {

  private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]+):");
  private static final Pattern DRIVE = Pattern.compile("[A-Za-z]:([\\\\/]|$)");
  private static final Pattern BUCKET = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{1,253}");
  private static final Pattern USER_INFO = Pattern.compile("//[^/@]*@");

  public StreamAddress {
    refuse(scheme.isEmpty() ? Optional.of("it has no scheme.") : Keys.defect(path), path);
  }

  /** Reads an address as a user writes it; {@link Fault#INVALID} says what is wrong with it. */
  public static StreamAddress parse(String address) {
    return parse(address, File.separatorChar == '\\');
  }

  static StreamAddress parse(String address, boolean windows) {
    if (address == null || address.isBlank()) {
      throw invalid(
          "", "it is empty. Write for instance file:///data/stream or s3://bucket/stream");
    }
    if (address.startsWith("/")) {
      return file(address, address, windows);
    }
    if (address.startsWith("\\\\")) {
      throw invalid(address, "UNC paths are not supported. Map the share to a drive or mount it");
    }
    if (DRIVE.matcher(address).lookingAt()) {
      return file(address, "/" + address, windows);
    }
    Matcher matcher = SCHEME.matcher(address);
    if (!matcher.lookingAt()) {
      throw invalid(
          address,
          "it is relative. Write an absolute path, or a scheme such as file:///… or s3://bucket/…");
    }
    String scheme = matcher.group(1).toLowerCase(Locale.ROOT);
    String rest = address.substring(matcher.end());
    return scheme.equals("file")
        ? file(address, localPath(address, rest), windows)
        : remote(address, scheme, rest);
  }

  private static String localPath(String address, String rest) {
    if (!rest.startsWith("//")) {
      if (rest.startsWith("/")) {
        return rest;
      }
      throw invalid(address, "it is relative. Write file:///absolute/path");
    }
    int slash = rest.indexOf('/', 2);
    String host = rest.substring(2, slash < 0 ? rest.length() : slash);
    if (!host.isEmpty() && !host.equalsIgnoreCase("localhost")) {
      throw invalid(
          address,
          "'"
              + host
              + "' stands where a host would. A local path has three slashes: file:///"
              + rest.substring(2));
    }
    return slash < 0 ? "" : rest.substring(slash);
  }

  private static StreamAddress file(String address, String path, boolean windows) {
    String folded = fold(windows ? path.replace('\\', '/') : path);
    if (folded.isEmpty()) {
      throw invalid(address, "it is the root of the file system. Name a directory");
    }
    if (!windows && DRIVE.matcher(folded).lookingAt()) {
      throw invalid(address, "it is a Windows path, and this is no Windows system. Write /path");
    }
    return checked(address, "file", "", folded);
  }

  private static StreamAddress remote(String address, String spelled, String rest) {
    String scheme = spelled.equals("s3a") || spelled.equals("s3n") ? "s3" : spelled;
    int slash = rest.indexOf('/', 2);
    String authority =
        rest.startsWith("//") ? rest.substring(2, slash < 0 ? rest.length() : slash) : "";
    if (authority.isEmpty()) {
      throw invalid(address, "the bucket is missing. Write " + scheme + "://bucket/path");
    }
    if (authority.contains("@") && (scheme.equals("s3") || authority.contains(":"))) {
      throw invalid(
          address,
          "credentials do not belong into an address. Use the options s3.access-key and"
              + " s3.secret-key, or the default credential chain");
    }
    if (scheme.equals("s3") && !BUCKET.matcher(authority).matches()) {
      throw invalid(
          address,
          "'"
              + Keys.printable(authority)
              + "' is not the name of a bucket (letters,"
              + " digits, dots and hyphens)");
    }
    return checked(address, scheme, authority, fold(slash < 0 ? "" : rest.substring(slash)));
  }

  private static StreamAddress checked(
      String address, String scheme, String authority, String path) {
    Optional<String> defect = Keys.defect(path).or(() -> Keys.defect(authority));
    refuse(defect, address);
    return new StreamAddress(scheme, authority, path);
  }

  private static String fold(String path) {
    return Arrays.stream(path.split("/"))
        .filter(part -> !part.isEmpty())
        .collect(Collectors.joining("/"));
  }

  private static void refuse(Optional<String> defect, String shown) {
    defect.ifPresent(
        why -> {
          throw new StoreException(
              Fault.INVALID, "The address '" + hidden(shown) + "' cannot be used: " + why);
        });
  }

  private static StoreException invalid(String address, String why) {
    return new StoreException(
        Fault.INVALID, "The address '" + hidden(address) + "' cannot be used: " + why + ".");
  }

  /** Someone may have put a secret before the bucket: it must not reach a log. */
  private static String hidden(String address) {
    return USER_INFO.matcher(Keys.printable(address)).replaceAll("//***@");
  }

  /** The canonical spelling; parsing it gives an equal address. */
  @Override
  public String toString() {
    if (scheme.equals("file")) {
      return "file:///" + path;
    }
    return scheme + "://" + authority + (path.isEmpty() ? "" : "/" + path);
  }
}
