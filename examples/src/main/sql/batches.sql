-- Licensed under the Apache License, Version 2.0 (the "License");
-- you may not use this file except in compliance with the License.
-- You may obtain a copy of the License at
--
--     http://www.apache.org/licenses/LICENSE-2.0
--
-- Unless required by applicable law or agreed to in writing, software
-- distributed under the License is distributed on an "AS IS" BASIS,
-- WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
-- See the License for the specific language governing permissions and
-- limitations under the License.

-- One table on a stream, without a catalog. The table "samples" stands for whatever is read.

-- README:begin
CREATE TABLE batches (
  id      BIGINT NOT NULL,
  caption STRING,
  image   BYTES,
  step    BIGINT METADATA VIRTUAL,
  dp_rank INT METADATA VIRTUAL
) WITH (
  'connector' = 'lakestream',
  'path' = 's3://bucket/streams/captions',
  'mesh' = '8x1',
  'sink.batch.rows-per-slice' = '16'
);

INSERT INTO batches SELECT id, caption, image FROM samples;   -- 128 rows a step, 16 for each rank

SELECT dp_rank, id, caption FROM batches WHERE step = 81200;  -- what did the model see there?
-- README:end
