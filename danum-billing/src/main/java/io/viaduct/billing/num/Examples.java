package io.viaduct.billing.num;

import io.viaduct.billing.num.Problem.Flow;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Tariff;
import java.util.List;

/// Small networks: two whose solution is known, and two with the curves of a tariff.
final class Examples {
  private static final double NEAR_MS = 20;
  private static final double FAR_MS = 150;

  private Examples() {}

  static List<Problem> all(Tariff tariff) {
    return List.of(
        oneLink(),
        line(),
        classes(tariff, 400),
        new Problem(
            "two gateways of 300 kbit/s before a core of 400 kbit/s",
            "kbit/s",
            List.of(300.0, 300.0, 400.0),
            List.of(
                flow("call by A", tariff, ServiceClass.HT_LD, NEAR_MS, 0, 2),
                flow("download by A", tariff, ServiceClass.HT_HD, NEAR_MS, 0, 2),
                flow("call by B", tariff, ServiceClass.HT_LD, FAR_MS, 1, 2),
                flow("mail by B", tariff, ServiceClass.LT_HD, FAR_MS, 1, 2))));
  }

  /// Two equal flows share a link: half of it each, at a price of 2.
  static Problem oneLink() {
    return new Problem(
        "one link, two equal flows",
        "links",
        List.of(1.0),
        List.of(logarithm("a", 0), logarithm("b", 0)));
  }

  /// A long flow crosses two links, each with a short flow: a third and two thirds.
  static Problem line() {
    return new Problem(
        "a line of two links, one long flow and two short ones",
        "links",
        List.of(1.0, 1.0),
        List.of(logarithm("long", 0, 1), logarithm("short 1", 0), logarithm("short 2", 1)));
  }

  /// A flow of each class on one line.
  static Problem classes(Tariff tariff, double kbitPerSecond) {
    return new Problem(
        "a flow of each class on a line of %.0f kbit/s".formatted(kbitPerSecond),
        "kbit/s",
        List.of(kbitPerSecond),
        List.of(
            flow("LT&LD", tariff, ServiceClass.LT_LD, NEAR_MS, 0),
            flow("HT&LD", tariff, ServiceClass.HT_LD, NEAR_MS, 0),
            flow("LT&HD", tariff, ServiceClass.LT_HD, NEAR_MS, 0),
            flow("HT&HD", tariff, ServiceClass.HT_HD, NEAR_MS, 0)));
  }

  private static Flow logarithm(String name, Integer... links) {
    return new Flow(name, Utility.logarithm(), List.of(links));
  }

  private static Flow flow(
      String name, Tariff tariff, ServiceClass serviceClass, double delayMs, Integer... links) {
    return new Flow(name, Utility.of(tariff.curve(serviceClass, ""), delayMs), List.of(links));
  }
}
