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

/** What we ask of S3, and what a role needs for it. */
enum S3Action {
  CREATE("create", "s3:PutObject"),
  WRITE("write", "s3:PutObject"),
  READ("read", "s3:GetObject and s3:ListBucket, without which S3 hides that an object is absent"),
  LOOK_UP("look up", "s3:GetObject and s3:ListBucket, without which S3 hides that one is absent"),
  LIST("list", "s3:ListBucket"),
  DELETE("delete", "s3:DeleteObject"),
  LIST_UPLOADS("list the uploads of", "s3:ListBucketMultipartUploads"),
  ABORT_UPLOAD("abort the upload of", "s3:AbortMultipartUpload");

  private final String verb;
  private final String permission;

  S3Action(String verb, String permission) {
    this.verb = verb;
    this.permission = permission;
  }

  String permission() {
    return permission;
  }

  /** As in "Cannot … 'key'". */
  @Override
  public String toString() {
    return verb;
  }
}
