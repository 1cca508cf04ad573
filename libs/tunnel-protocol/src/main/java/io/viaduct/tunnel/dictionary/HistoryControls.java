package io.viaduct.tunnel.dictionary;

/// Takes the control records of histories.
public interface HistoryControls {
  /// Takes an EPOCH record. @return false if there is no room now
  boolean epoch(EpochAnnouncement announcement, long nowNs);

  void epochUnknown(int context, int epoch, long nowNs);
}
