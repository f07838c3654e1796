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

-- A training stream in SQL: created, written and audited without Java. Run it in Flink's SQL client or gateway with the
-- jar flink-sql-lakestream in lib/. The table "crawl" stands for whatever is read: files, Kafka, another stream.

-- README:begin
CREATE CATALOG lake WITH ('type' = 'lakestream', 'warehouse' = 'file:///data/warehouse');
CREATE DATABASE lake.web;

CREATE TABLE lake.web.pages (
  id BIGINT NOT NULL,
  caption STRING,
  payload BYTES,
  seen_at BIGINT METADATA FROM 'step' VIRTUAL,   -- the optimiser step
  replica INT METADATA FROM 'dp_rank' VIRTUAL    -- the rank that reads the row
) WITH ('mesh' = '4x1', 'sink.batch.rows-per-slice' = '8');

INSERT INTO lake.web.pages SELECT id, caption, payload FROM crawl;

-- What did the model see at steps 2 and 3? Reads these steps only, and no payload.
SELECT seen_at, replica, id, caption FROM lake.web.pages WHERE seen_at BETWEEN 2 AND 3;
-- README:end

SELECT step, records, producer_id, published_at FROM lake.web.`pages$batches`;

CALL lake.sys.verify('web.pages');
