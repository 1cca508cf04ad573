package io.viaduct.denarii.text;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// A table in plain text: columns are as wide as their widest cell; numbers stand at the right.
public final class Table {
  private final List<String> heads;
  private final List<List<String>> rows = new ArrayList<>();

  /// @param heads of the columns; one that begins with `>` stands at the right
  public Table(String... heads) {
    this.heads = List.of(heads);
  }

  /// Adds a row with a cell for each column.
  public void row(String... cells) {
    if (cells.length != heads.size()) {
      throw new IllegalArgumentException(cells.length + " cells for " + heads);
    }
    rows.add(List.of(cells));
  }

  /// Prints the heads and all rows; nothing without rows.
  public void print(PrintWriter out) {
    if (rows.isEmpty()) {
      return;
    }
    List<String> names = heads.stream().map(head -> head.replaceFirst("^>", "")).toList();
    int[] widths = IntStream.range(0, heads.size()).map(i -> width(i, names)).toArray();
    line(out, names, widths);
    rows.forEach(row -> line(out, row, widths));
  }

  private void line(PrintWriter out, List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.size(); i++) {
      String pad = " ".repeat(widths[i] - length(cells.get(i)));
      line.append(i == 0 ? "" : "  ")
          .append(heads.get(i).startsWith(">") ? pad + cells.get(i) : cells.get(i) + pad);
    }
    out.println(line.toString().stripTrailing());
  }

  private int width(int column, List<String> names) {
    return rows.stream()
        .mapToInt(row -> length(row.get(column)))
        .reduce(length(names.get(column)), Math::max);
  }

  private static int length(String cell) {
    return cell.codePointCount(0, cell.length());
  }
}
