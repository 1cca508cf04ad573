package io.viaduct.testbed.bench;

import java.util.List;

/// The four service classes with packet sizes and rates of the paper's evaluation (section V).
/// Sizes are those of IP packets; rates are those of one flow in bit/s of IP packets. The delay
/// limit is that of the most sensitive application of the class (Table I).
enum TrafficClass {
  HT_HD(1360, 1_000_000, 20_000_000, 7201, 5_000),
  HT_LD(576, 128_000, 2_000_000, 7211, 200),
  LT_HD(1360, 15_000, 1_000_000, 7221, 10_000),
  LT_LD(100, 15_000, 128_000, 7231, 200);

  /// Flows of a class use consecutive ports, so that the agent's rules recognise them.
  static final int FLOWS_MAX = 5;

  private static final int IP_AND_UDP = 28;
  private static final List<TrafficClass> PRIORITY = List.of(LT_LD, HT_LD, LT_HD, HT_HD);

  final int packetBytes;
  final double lowest;
  final double highest;
  final int firstPort;
  final int delayMsMax;

  TrafficClass(int packetBytes, double lowest, double highest, int firstPort, int delayMsMax) {
    this.packetBytes = packetBytes;
    this.lowest = lowest;
    this.highest = highest;
    this.firstPort = firstPort;
    this.delayMsMax = delayMsMax;
  }

  /// Returns true if this class has a higher priority than the other.
  boolean isAbove(TrafficClass other) {
    return PRIORITY.indexOf(this) < PRIORITY.indexOf(other);
  }

  int payloadBytes() {
    return packetBytes - IP_AND_UDP;
  }

  /// Returns the rate of flow `index` of `flows`, evenly spread over the range on a logarithmic
  /// scale.
  double rate(int index, int flows) {
    return lowest * Math.pow(highest / lowest, (index + 0.5) / flows);
  }

  /// Returns the agent's `applications` file, which assigns the ports above to the classes.
  static String applications() {
    var text = new StringBuilder("applications:\n");
    for (TrafficClass one : values()) {
      text.append("  - {name: %s, class: %s}\n".formatted(one.application(), one));
    }
    text.append(
        """
          - {name: default-tcp, class: LT_HD}
          - {name: default-udp, class: HT_LD}
        rules:
        """);
    for (TrafficClass one : values()) {
      text.append(
          "  - {application: %s, ports: [%d-%d]}\n"
              .formatted(one.application(), one.firstPort, one.firstPort + FLOWS_MAX - 1));
    }
    return text.toString();
  }

  private String application() {
    return "bench-" + name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
  }
}
