package io.viaduct.tunnel.history;

/// Where histories put their control records.
public interface HistoryControls {
  /// @return false if there is no room now
  boolean epoch(EpochAnnouncement announcement, long nowNs);

  void epochUnknown(int context, int epoch, long nowNs);
}
