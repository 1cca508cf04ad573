package io.viaduct.tunnel.wire;

/// Describes the received body whose records are being read: its class, its place in the sequence,
/// and the time. One object per event loop, set anew for each body and lent for the calls of its
/// reading.
public final class Arrival {
  private ServiceClass serviceClass = ServiceClass.HT_HD;
  private long sequence;
  private boolean newest;
  private int path;
  private String link = LinkName.UNKNOWN;
  private long nowNs;

  /// Describes the next body.
  ///
  /// @param ofSequence sequence of the datagram, or of the first one of several
  /// @param isNewest true if that sequence is the highest so far
  /// @param byPath id of its path, −1 if it came by none
  /// @param byLink the device's link of that path, [LinkName#UNKNOWN] if it is not known
  /// @param atNs time of the arrival, in ns
  public Arrival set(
      ServiceClass ofClass,
      long ofSequence,
      boolean isNewest,
      int byPath,
      String byLink,
      long atNs) {
    serviceClass = ofClass;
    sequence = ofSequence;
    newest = isNewest;
    path = byPath;
    link = byLink;
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

  /// Returns the id of the path, −1 if the body came by the control connection or a new address.
  public int path() {
    return path;
  }

  /// Returns the device's link that the body came by, [LinkName#UNKNOWN] if it is not known.
  public String link() {
    return link;
  }

  public long nowNs() {
    return nowNs;
  }
}
