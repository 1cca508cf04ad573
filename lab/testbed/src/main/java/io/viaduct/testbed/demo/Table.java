package io.viaduct.testbed.demo;

import java.util.ArrayList;
import java.util.List;

/// A text table whose columns are as wide as their widest cell. Text is left-aligned, numbers are
/// right-aligned.
final class Table {
  private final List<List<String>> rows = new ArrayList<>();

  Table row(Object... cells) {
    rows.add(java.util.Arrays.stream(cells).map(Object::toString).toList());
    return this;
  }

  @Override
  public String toString() {
    var text = new StringBuilder();
    for (List<String> row : rows) {
      for (int column = 0; column < row.size(); column++) {
        int width = width(column);
        boolean number = column > 0 && rows.size() > 1 && isNumber(rows.get(1).get(column));
        text.append((number ? "%" + width + "s" : "%-" + width + "s").formatted(row.get(column)));
        text.append("  ");
      }
      text.append('\n');
    }
    return text.toString().replaceAll("(?m) +$", "");
  }

  private int width(int column) {
    return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(1);
  }

  private static boolean isNumber(String cell) {
    return !cell.isEmpty() && (Character.isDigit(cell.charAt(0)) || cell.charAt(0) == '-');
  }
}
