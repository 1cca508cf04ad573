package io.viaduct.webgui;

import java.util.List;
import java.util.stream.Stream;

/// The process's own metrics, as Prometheus would read them.
public final class Metrics {
  private Metrics() {}

  public static String text() {
    try (Visitor prometheus = new Visitor(RunningWebgui.operations())) {
      return prometheus.get("/metrics", "Accept", "text/plain").body();
    }
  }

  /// The value of the sample with that name and all these label pairs, 0 if there is none yet.
  public static double value(String name, String... labels) {
    return text()
        .lines()
        .filter(line -> line.startsWith(name + "{") || line.startsWith(name + " "))
        .filter(line -> Stream.of(labels).allMatch(line::contains))
        .mapToDouble(line -> Double.parseDouble(List.of(line.split(" ")).getLast()))
        .sum();
  }
}
