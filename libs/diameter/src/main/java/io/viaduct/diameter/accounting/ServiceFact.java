package io.viaduct.diameter.accounting;

/// Facts about a service for which 3GPP has no AVP. Each is a Service-Specific-Info with this
/// number as Service-Specific-Type and the value as text in Service-Specific-Data. The numbers are
/// ours; a charging system reads them by its Service-Context-Id.
public enum ServiceFact {
  /// Mean one-way delay, in ms.
  DELAY_MS(1),
  /// Throughput from the device, in bit/s.
  THROUGHPUT_UP(2),
  /// Throughput to the device, in bit/s.
  THROUGHPUT_DOWN(3),
  /// Octets on the wire from the device, after compression.
  WIRE_OCTETS_UP(4),
  /// Octets on the wire to the device, after compression.
  WIRE_OCTETS_DOWN(5),
  /// Class of service, such as `LT&LD`.
  SERVICE_CLASS(6),
  /// Lost packets, in percent.
  LOSS_PERCENT(7);

  private final int type;

  ServiceFact(int type) {
    this.type = type;
  }

  public int type() {
    return type;
  }
}
