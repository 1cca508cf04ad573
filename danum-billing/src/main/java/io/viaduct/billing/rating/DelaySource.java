package io.viaduct.billing.rating;

/// Where the delay that priced a flow came from; the bill says which.
public enum DelaySource {
  MEASURED("measured"),
  LAST_GOOD("the flow's last good mean"),
  HALF_CONTROL_RTT("half of the control round trip"),
  REFERENCE("nothing measured: the reference");

  private final String words;

  DelaySource(String words) {
    this.words = words;
  }

  /// The source in words, for a bill.
  public String words() {
    return words;
  }
}
