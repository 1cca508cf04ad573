package io.viaduct.testbed.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// The columns of a measurement. One definition of a column gives its cells of the table and its
/// members of the JSON objects. A value that was not measured is NaN: a dash in the table, and no
/// member.
///
/// @param <R> a row: one combination of parameters with its results
public final class Grid<R> {
  static final String NOT_MEASURED = "–";

  private final List<Column<R>> columns = new ArrayList<>();

  /// @param title heading in the table; empty for a column of the JSON file only
  /// @param member name in the JSON file; empty for a column of the table only
  private record Column<R>(
      String title, String member, Function<R, ?> value, Function<R, String> cell) {}

  /// Adds a column of words or whole numbers.
  public Grid<R> text(String title, String member, Function<R, ?> value) {
    columns.add(new Column<>(title, member, value, row -> String.valueOf(value.apply(row))));
    return this;
  }

  /// Adds a column of the table only.
  public Grid<R> cell(String title, Function<R, ?> value) {
    return text(title, "", value);
  }

  /// Adds a member of the JSON objects only.
  public Grid<R> member(String member, Function<R, ?> value) {
    return text("", member, value);
  }

  /// Adds a column of numbers.
  public Grid<R> number(String title, String member, int decimals, ToDoubleFunction<R> value) {
    columns.add(
        new Column<>(
            title,
            member,
            row -> value.applyAsDouble(row),
            row -> number(value.applyAsDouble(row), decimals)));
    return this;
  }

  /// Adds a column of medians over the rounds. The JSON file has the value of every round too.
  ///
  /// @param decimals of a row in the table
  /// @param rounds the values of a row by round; empty if it was not measured
  public Grid<R> rounds(
      String title, String member, ToIntFunction<R> decimals, Function<R, double[]> rounds) {
    columns.add(
        new Column<>(
            title,
            member,
            row -> {
              double[] values = rounds.apply(row);
              return values.length == 0
                  ? null
                  : Map.of("median", Median.of(Arrays.stream(values)), "rounds", values);
            },
            row -> number(Median.of(Arrays.stream(rounds.apply(row))), decimals.applyAsInt(row))));
    return this;
  }

  /// Adds a column of goals; a row without a goal has an empty cell and no member.
  public Grid<R> goal(String title, String member, Function<R, Optional<Verdict>> goal) {
    columns.add(
        new Column<>(
            title,
            member,
            row -> goal.apply(row).orElse(null),
            row -> goal.apply(row).map(Verdict::toString).orElse("")));
    return this;
  }

  /// Returns the table as Markdown.
  public String markdown(List<R> rows) {
    List<Column<R>> shown = columns.stream().filter(column -> !column.title.isEmpty()).toList();
    var table = new Table().row(shown.stream().map(Column::title).toList());
    rows.forEach(row -> table.row(shown.stream().map(column -> column.cell.apply(row)).toList()));
    return table.markdown();
  }

  /// Returns the members of the JSON objects, in the order of the columns.
  public List<Map<String, Object>> members(List<R> rows) {
    return rows.stream().map(this::members).toList();
  }

  private Map<String, Object> members(R row) {
    var members = new LinkedHashMap<String, Object>();
    for (Column<R> column : columns) {
      @Nullable Object value = column.member.isEmpty() ? null : column.value.apply(row);
      if (value != null && !value.equals(Double.NaN)) {
        members.put(column.member, value);
      }
    }
    return members;
  }

  /// Returns a number with a fixed count of decimals, or a dash for NaN.
  public static String number(double value, int decimals) {
    return Double.isNaN(value)
        ? NOT_MEASURED
        : String.format(Locale.ROOT, "%." + decimals + "f", value);
  }
}
