package io.viaduct.testbed.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// A table of text cells; its first row is the header. A column after the first is right-aligned if
/// its first filled cell below the header is a number.
public final class Table {
  private final List<List<String>> rows = new ArrayList<>();

  public Table row(Object... cells) {
    return row(Arrays.asList(cells));
  }

  /// Adds a row of cells.
  public Table row(List<?> cells) {
    rows.add(cells.stream().map(String::valueOf).toList());
    return this;
  }

  /// Returns the table for a terminal: each column is as wide as its widest cell.
  @Override
  public String toString() {
    var text = new StringBuilder();
    for (List<String> row : rows) {
      for (int column = 0; column < row.size(); column++) {
        String side = isNumber(column) ? "%" : "%-";
        text.append((side + width(column) + "s  ").formatted(row.get(column)));
      }
      text.append('\n');
    }
    return text.toString().replaceAll("(?m) +$", "");
  }

  /// Returns the table as Markdown.
  public String markdown() {
    var text = new StringBuilder();
    for (List<String> row : rows) {
      text.append("| ").append(String.join(" | ", row)).append(" |\n");
      if (text.indexOf("\n|--") < 0) {
        for (int column = 0; column < row.size(); column++) {
          text.append(isNumber(column) ? "|--:" : "|---");
        }
        text.append("|\n");
      }
    }
    return text.toString();
  }

  private int width(int column) {
    return Math.max(1, rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(1));
  }

  private boolean isNumber(int column) {
    return column > 0
        && rows.stream()
            .skip(1)
            .map(row -> row.get(column))
            .filter(cell -> !cell.isEmpty() && !cell.equals(Grid.NOT_MEASURED))
            .findFirst()
            .filter(cell -> Character.isDigit(cell.charAt(0)) || cell.charAt(0) == '-')
            .isPresent();
  }
}
