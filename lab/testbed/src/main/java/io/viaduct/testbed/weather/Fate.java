package io.viaduct.testbed.weather;

/// Counters of one direction: packets that passed, and each reason for a drop.
public enum Fate {
  OFFERED("packets that the sender gave to the link"),
  DELIVERED("packets that arrived, copies included"),
  DUPLICATED("copies of packets"),
  LOST("dropped by random loss or loss in bursts"),
  QUEUE_FULL("dropped because the queue before the line was full"),
  BLACK_HOLE("dropped by a black hole"),
  LINK_DOWN("dropped because the receiving device was down"),
  STORE_FULL("dropped because more packets were under way than the impairer can hold"),
  OFFERED_BYTES("bytes of Ethernet frames that the sender gave to the link"),
  DELIVERED_BYTES("bytes of Ethernet frames that arrived");

  private final String meaning;

  Fate(String meaning) {
    this.meaning = meaning;
  }

  /// Returns true for the reason of a drop.
  public boolean isDrop() {
    return ordinal() >= LOST.ordinal() && ordinal() <= STORE_FULL.ordinal();
  }

  public String meaning() {
    return meaning;
  }
}
