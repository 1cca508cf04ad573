package io.viaduct.tunnel.wire;

/// Describes the received body whose records are being read: its class, its place in the sequence,
/// and the time. One object per event loop, set anew for each body and lent for the calls of its
/// reading.
public final class Arrival {
  private ServiceClass serviceClass = ServiceClass.HT_HD;
  private long sequence;
  private boolean newest;
  private long nowNs;

  /// Describes the next body.
  ///
  /// @param ofSequence sequence of the datagram, or of the first one of several
  /// @param isNewest true if that sequence is the highest so far
  /// @param atNs time of the arrival, in ns
  public Arrival set(ServiceClass ofClass, long ofSequence, boolean isNewest, long atNs) {
    serviceClass = ofClass;
    sequence = ofSequence;
    newest = isNewest;
    nowNs = atNs;
    return this;
  }

  public ServiceClass serviceClass() {
    return serviceClass;
  }

  public long sequence() {
    return sequence;
  }

  public boolean isNewest() {
    return newest;
  }

  public long nowNs() {
    return nowNs;
  }
}
