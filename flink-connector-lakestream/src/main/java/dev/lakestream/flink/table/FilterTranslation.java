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
package dev.lakestream.flink.table;

import static org.apache.flink.table.functions.BuiltInFunctionDefinitions.AND;
import static org.apache.flink.table.functions.BuiltInFunctionDefinitions.BETWEEN;
import static org.apache.flink.table.functions.BuiltInFunctionDefinitions.CAST;
import static org.apache.flink.table.functions.BuiltInFunctionDefinitions.EQUALS;
import static org.apache.flink.table.functions.BuiltInFunctionDefinitions.GREATER_THAN;
import static org.apache.flink.table.functions.BuiltInFunctionDefinitions.GREATER_THAN_OR_EQUAL;
import static org.apache.flink.table.functions.BuiltInFunctionDefinitions.IN;
import static org.apache.flink.table.functions.BuiltInFunctionDefinitions.LESS_THAN;
import static org.apache.flink.table.functions.BuiltInFunctionDefinitions.LESS_THAN_OR_EQUAL;
import static org.apache.flink.table.functions.BuiltInFunctionDefinitions.NOT_EQUALS;
import static org.apache.flink.table.functions.BuiltInFunctionDefinitions.OR;

import dev.lakestream.flink.source.LongRanges;
import dev.lakestream.flink.source.ReadFilter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BinaryOperator;
import java.util.stream.Stream;
import org.apache.flink.table.expressions.CallExpression;
import org.apache.flink.table.expressions.FieldReferenceExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.expressions.ValueLiteralExpression;
import org.apache.flink.table.functions.FunctionDefinition;
import org.apache.flink.table.types.logical.LogicalTypeFamily;

/**
 * What of a query's filters says which steps and slices are wanted.
 *
 * @param used the filters that say something
 */
record FilterTranslation(ReadFilter filter, List<ResolvedExpression> used) {

  /** A set of values of one key. */
  private record Condition(MetadataKey key, LongRanges values) {}

  /**
   * @param filters all of which must hold
   */
  static FilterTranslation of(List<ResolvedExpression> filters, MetadataNames names) {
    Map<MetadataKey, LongRanges> wanted = new EnumMap<>(MetadataKey.class);
    List<ResolvedExpression> used = new ArrayList<>();
    for (ResolvedExpression expression : filters) {
      condition(expression, names)
          .ifPresent(
              condition -> {
                wanted.merge(condition.key(), condition.values(), LongRanges::and);
                used.add(expression);
              });
    }
    return new FilterTranslation(
        new ReadFilter(
            wanted.getOrDefault(MetadataKey.STEP, LongRanges.ALL),
            wanted.getOrDefault(MetadataKey.DP_RANK, LongRanges.ALL),
            wanted.getOrDefault(MetadataKey.CP_RANK, LongRanges.ALL)),
        used);
  }

  /** Empty: it says nothing, or not of one key alone. */
  private static Optional<Condition> condition(ResolvedExpression expression, MetadataNames names) {
    if (!(expression instanceof CallExpression call)) {
      return Optional.empty();
    }
    FunctionDefinition function = call.getFunctionDefinition();
    List<ResolvedExpression> arguments = call.getResolvedChildren();
    if (function == AND || function == OR) {
      return combined(arguments, names, function == AND ? LongRanges::and : LongRanges::or);
    }
    if (arguments.size() < 2) {
      return Optional.empty();
    }
    Optional<MetadataKey> key = key(arguments.get(0), names);
    if (key.isPresent()) {
      return values(function, arguments.subList(1, arguments.size()))
          .map(values -> new Condition(key.get(), values));
    }
    return arguments.size() == 2
        ? key(arguments.get(1), names)
            .flatMap(
                found ->
                    values(mirrored(function), arguments.subList(0, 1))
                        .map(values -> new Condition(found, values)))
        : Optional.empty();
  }

  private static Optional<Condition> combined(
      List<ResolvedExpression> parts, MetadataNames names, BinaryOperator<LongRanges> operator) {
    Condition all = null;
    for (ResolvedExpression part : parts) {
      Condition one = condition(part, names).orElse(null);
      if (one == null || (all != null && all.key() != one.key())) {
        return Optional.empty();
      }
      all =
          all == null ? one : new Condition(one.key(), operator.apply(all.values(), one.values()));
    }
    return Optional.ofNullable(all);
  }

  private static FunctionDefinition mirrored(FunctionDefinition function) {
    if (function == GREATER_THAN) {
      return LESS_THAN;
    }
    if (function == GREATER_THAN_OR_EQUAL) {
      return LESS_THAN_OR_EQUAL;
    }
    if (function == LESS_THAN) {
      return GREATER_THAN;
    }
    if (function == LESS_THAN_OR_EQUAL) {
      return GREATER_THAN_OR_EQUAL;
    }
    return function == EQUALS || function == NOT_EQUALS ? function : null;
  }

  private static Optional<LongRanges> values(
      FunctionDefinition function, List<ResolvedExpression> operands) {
    List<OptionalLong> found = operands.stream().map(FilterTranslation::number).toList();
    if (found.stream().anyMatch(OptionalLong::isEmpty)) {
      return Optional.empty();
    }
    long[] numbers = found.stream().mapToLong(OptionalLong::getAsLong).toArray();
    long first = numbers[0];
    if (function == BETWEEN && numbers.length == 2) {
      return Optional.of(LongRanges.between(first, numbers[1]));
    }
    if (function == IN) {
      LongRanges any = LongRanges.between(first, first);
      for (long number : numbers) {
        any = any.or(LongRanges.between(number, number));
      }
      return Optional.of(any);
    }
    if (numbers.length != 1 || first == Long.MIN_VALUE || first == Long.MAX_VALUE) {
      return Optional.empty();
    }
    if (function == EQUALS) {
      return Optional.of(LongRanges.between(first, first));
    }
    if (function == NOT_EQUALS) {
      return Optional.of(LongRanges.allBut(first));
    }
    if (function == GREATER_THAN) {
      return Optional.of(LongRanges.between(first + 1, Long.MAX_VALUE));
    }
    if (function == GREATER_THAN_OR_EQUAL) {
      return Optional.of(LongRanges.between(first, Long.MAX_VALUE));
    }
    if (function == LESS_THAN) {
      return Optional.of(LongRanges.between(Long.MIN_VALUE, first - 1));
    }
    return function == LESS_THAN_OR_EQUAL
        ? Optional.of(LongRanges.between(Long.MIN_VALUE, first))
        : Optional.empty();
  }

  private static Optional<MetadataKey> key(ResolvedExpression expression, MetadataNames names) {
    if (expression instanceof FieldReferenceExpression field) {
      return names
          .find(field.getName())
          .filter(
              key ->
                  key == MetadataKey.STEP
                      || key == MetadataKey.DP_RANK
                      || key == MetadataKey.CP_RANK);
    }
    // A wider integer, as a column of another type declares it, has the same value.
    boolean widened =
        expression instanceof CallExpression call
            && call.getFunctionDefinition() == CAST
            && isInteger(call)
            && isInteger(call.getResolvedChildren().get(0));
    return widened
        ? key(((CallExpression) expression).getResolvedChildren().get(0), names)
        : Optional.empty();
  }

  private static boolean isInteger(ResolvedExpression expression) {
    return expression.getOutputDataType().getLogicalType().is(LogicalTypeFamily.INTEGER_NUMERIC);
  }

  private static OptionalLong number(ResolvedExpression expression) {
    if (expression instanceof ValueLiteralExpression literal && isInteger(literal)) {
      return Stream.of(Long.class, Integer.class, Short.class, Byte.class)
          .map(literal::getValueAs)
          .flatMap(Optional::stream)
          .mapToLong(Number::longValue)
          .findFirst();
    }
    return OptionalLong.empty();
  }
}
