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
package dev.lakestream.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Rows in aligned columns; numbers to the right. */
final class Table {

  private static final Pattern NUMBER = Pattern.compile("[0-9][0-9,.]*( [KMGTPE]?i?B)?|-|");

  private final List<List<String>> rows = new ArrayList<>();

  Table(String... headings) {
    rows.add(List.of(headings));
  }

  Table row(String... cells) {
    rows.add(List.of(cells));
    return this;
  }

  void print(PrintWriter out) {
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    boolean[] right = new boolean[columns];
    for (int c = 0; c < columns; c++) {
      int column = c;
      widths[c] = rows.stream().mapToInt(row -> width(row.get(column))).max().orElse(0);
      right[c] =
          rows.size() > 1
              && rows.stream().skip(1).allMatch(row -> NUMBER.matcher(row.get(column)).matches());
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int c = 0; c < columns; c++) {
        String pad = " ".repeat(widths[c] - width(row.get(c)));
        line.append(c == 0 ? "" : "  ");
        line.append(right[c] ? pad + row.get(c) : row.get(c) + pad);
      }
      out.println(line.toString().stripTrailing());
    }
  }

  private static int width(String cell) {
    return cell.codePointCount(0, cell.length());
  }
}
