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

-- A catalog, a table in it, and what its batches are. The table "crawl" stands for whatever is read.

-- README:begin
CREATE CATALOG lake WITH (
  'type' = 'lakestream',
  'warehouse' = 's3://bucket/warehouse',
  's3.endpoint' = 'https://store.example'   -- options of the store hold for all tables
);
USE CATALOG lake;
CREATE DATABASE web;
CREATE TABLE web.pages (
  id BIGINT NOT NULL,
  caption STRING,
  at_step BIGINT METADATA FROM 'step' VIRTUAL
) WITH ('mesh' = '8x1', 'sink.batch.rows-per-slice' = '32');
-- README:end

INSERT INTO web.pages SELECT id, caption FROM default_catalog.default_database.samples;

USE web;

-- README:begin batches
SELECT step, records, producer_id, published_at FROM `pages$batches` WHERE step BETWEEN 81200 AND 81210;
-- README:end
