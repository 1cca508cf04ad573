package io.viaduct.tunnel.flow;

import io.viaduct.tunnel.wire.LinkName;

/// Finds the link of the device over which most of a flow's outer bytes go, in both directions, by
/// the majority vote of Boyer and Moore. It needs one name and one count, however many links there
/// are. Among two links the result is exact. Among more it is exact if one of them has carried more
/// than half of the bytes; otherwise it is one that has carried some.
public final class FlowLink {
  private String most = LinkName.UNKNOWN;
  private long leadBytes;

  /// Counts bytes that were carried by a link, which may be unknown.
  public void carried(String link, long bytes) {
    if (link.equals(most)) {
      leadBytes += bytes;
    } else if (bytes <= leadBytes) {
      leadBytes -= bytes;
    } else {
      most = link;
      leadBytes = bytes - leadBytes;
    }
  }

  /// Returns the name of the link since the last [#begin]; the one before if nothing was carried.
  public String most() {
    return most;
  }

  /// Starts anew.
  public void begin() {
    leadBytes = 0;
  }
}
