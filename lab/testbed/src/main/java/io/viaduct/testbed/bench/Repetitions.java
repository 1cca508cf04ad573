package io.viaduct.testbed.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The values of all repetitions so far, in a file of one JSON object per line. So a run that was
/// interrupted goes on where it ended.
final class Repetitions {
  private record Of(String event, String peer) {}

  private final Path file;
  private final Map<Of, List<Map<String, Double>>> values = new LinkedHashMap<>();

  private Repetitions(Path file) {
    this.file = file;
  }

  /// Begins a new file.
  ///
  /// @param run what must be the same for repetitions that are compared
  static Repetitions begin(Path file, Map<String, String> run) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.writeString(file, JsonMapper.shared().writeValueAsString(run) + "\n");
    return new Repetitions(file);
  }

  /// Reads the file of a run that was interrupted. A last line that is not whole is left out.
  ///
  /// @throws IllegalArgumentException if there is none, or its run is another one
  static Repetitions resume(Path file, Map<String, String> run) throws IOException {
    if (!Files.exists(file)) {
      throw new IllegalArgumentException(
          "--resume: there is no %s; leave the option out".formatted(file));
    }
    String text = Files.readString(file);
    List<String> lines = text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    Files.writeString(file, String.join("\n", lines) + "\n");
    Map<String, String> former = new LinkedHashMap<>();
    read(lines.getFirst())
        .properties()
        .forEach(each -> former.put(each.getKey(), each.getValue().asString("")));
    if (!former.equals(run)) {
      throw new IllegalArgumentException(
          "--resume: %s is of %s, this run is of %s; leave the option out"
              .formatted(file, former, run));
    }
    var all = new Repetitions(file);
    lines.stream().skip(1).map(Repetitions::read).forEach(all::add);
    return all;
  }

  private static JsonNode read(String line) {
    return JsonMapper.shared().readTree(line);
  }

  private void add(JsonNode line) {
    Map<String, Double> readings = new LinkedHashMap<>();
    line.path("values")
        .properties()
        .forEach(each -> readings.put(each.getKey(), each.getValue().asDouble()));
    of(new Of(line.path("event").asString(""), line.path("peer").asString(""))).add(readings);
  }

  private List<Map<String, Double>> of(Of key) {
    return values.computeIfAbsent(key, _ -> new ArrayList<>());
  }

  /// Records a repetition.
  void add(String event, String peer, Map<Reading, Double> readings) throws IOException {
    Map<String, Double> named = new LinkedHashMap<>();
    readings.forEach((reading, value) -> named.put(reading.id(), value));
    of(new Of(event, peer)).add(named);
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("event", event);
    line.put("peer", peer);
    line.put("values", named);
    Files.writeString(
        file, JsonMapper.shared().writeValueAsString(line) + "\n", StandardOpenOption.APPEND);
  }

  /// Returns how many repetitions there are.
  int count(String event, String peer) {
    return of(new Of(event, peer)).size();
  }

  /// Returns the values of a reading in the order of the repetitions; none if it was not measured.
  double[] of(String event, String peer, Reading reading) {
    return of(new Of(event, peer)).stream()
        .filter(each -> each.containsKey(reading.id()))
        .mapToDouble(each -> each.get(reading.id()))
        .toArray();
  }
}
