package io.viaduct.billing.rating;

/// The origin of the delay that a flow was priced at; the bill states it.
public enum DelaySource {
  MEASURED("measured"),
  LAST_GOOD("the flow's last good mean"),
  HALF_CONTROL_RTT("half of the control round trip"),
  REFERENCE("nothing measured: the reference");

  private final String description;

  DelaySource(String description) {
    this.description = description;
  }

  /// Returns the source as the bill describes it.
  public String description() {
    return description;
  }
}
