package io.viaduct.testbed.bench;

import io.viaduct.testbed.bench.TunnelBench.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import tools.jackson.databind.json.JsonMapper;

/// Medians for people, every sample for machines.
///
/// @param conditions command, machine, time
record BenchReport(Map<String, String> conditions, List<Sample> samples) {
  /// A Markdown table of medians.
  String table() {
    var text = new StringBuilder();
    text.append("| way | direction | Mbit/s | share | agent CPU s/Gbit | SNAPT CPU s/Gbit |")
        .append(" machine CPU s/Gbit |\n|---|---|--:|--:|--:|--:|--:|\n");
    List<String> peers = samples.stream().map(Sample::peer).distinct().toList();
    for (boolean upload : new boolean[] {true, false}) {
      double base = median(peers.getFirst(), upload, Sample::mbitPerSecond);
      for (String peer : peers) {
        double rate = median(peer, upload, Sample::mbitPerSecond);
        text.append(
            String.format(
                Locale.ROOT,
                "| %s | %s | %.0f | %.0f %% | %.3f | %.3f | %.3f |%n",
                peer,
                upload ? "up" : "down",
                rate,
                100 * rate / base,
                median(peer, upload, Sample::clientCpu),
                median(peer, upload, Sample::serverCpu),
                median(peer, upload, Sample::machineCpu)));
      }
    }
    return text.toString();
  }

  /// Writes `tunnel.json` and `tunnel.md`.
  void write(Path directory) throws IOException {
    Files.createDirectories(directory);
    JsonMapper.builder()
        .build()
        .writerWithDefaultPrettyPrinter()
        .writeValue(directory.resolve("tunnel.json"), this);
    var text = new StringBuilder("# TCP through the tunnel, beside the same path without it\n\n");
    conditions.forEach(
        (key, value) -> text.append("- ").append(key).append(": ").append(value).append('\n'));
    text.append('\n').append(table());
    Files.writeString(directory.resolve("tunnel.md"), text);
  }

  private double median(String peer, boolean upload, ToDoubleFunction<Sample> what) {
    double[] values =
        samples.stream()
            .filter(sample -> sample.peer().equals(peer) && sample.upload() == upload)
            .mapToDouble(what)
            .sorted()
            .toArray();
    int middle = values.length / 2;
    return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  }
}
