package io.viaduct.controlbench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;

/// Reads orders for a fleet from standard input, one word a line, and answers each with one line.
/// Ends the process with the input.
final class FleetOrders {
  private FleetOrders() {}

  static void obey(Fleet fleet, PrintStream answers) throws IOException {
    BufferedReader orders =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    answers.println("ready");
    answers.flush();
    for (String order = orders.readLine(); order != null; order = orders.readLine()) {
      answers.println(answer(fleet, order));
      answers.flush();
    }
  }

  private static String answer(Fleet fleet, String order) {
    return switch (order) {
      case "begin" -> {
        fleet.begin();
        yield "begun";
      }
      case "mark" -> {
        fleet.mark();
        yield "marked";
      }
      case "served" -> Long.toString(fleet.served());
      case "times" -> fleet.times().stream().map(String::valueOf).collect(Collectors.joining(" "));
      case "counts" -> fleet.counts();
      default -> throw new IllegalArgumentException("no order '" + order + "'");
    };
  }
}
