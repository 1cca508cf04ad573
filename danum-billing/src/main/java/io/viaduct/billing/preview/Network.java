package io.viaduct.billing.preview;

/// The path between the user and the Internet.
///
/// @param name name in the tables
/// @param rateKbitPerSecond what it carries, kbit/s
/// @param delayMs one-way delay without queue, milliseconds
/// @param loss share of packets that it loses, 0..1
/// @param queueMs what its queue adds for the classes with high delay while more is wanted than it
///   carries, milliseconds
public record Network(
    String name, double rateKbitPerSecond, double delayMs, double loss, double queueMs) {
  /// A mobile network on a good day.
  public static final Network GOOD = new Network("good", 20_000, 25, 0.0, 200);

  /// A crowded cell, or a train.
  public static final Network POOR = new Network("poor", 800, 180, 0.02, 1500);

  /// Returns the bytes that it carries in a minute.
  double bytesPerMinute() {
    return rateKbitPerSecond * 1000 / 8 * 60;
  }
}
