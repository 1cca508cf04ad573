package io.viaduct.snapt.reporting;

import com.google.protobuf.ByteString;
import io.viaduct.tunnel.control.v1.IntervalBoundary;
import java.util.List;

/// Asks connected devices to sign. Its answers come back to [Receipts], from any thread.
public interface ReceiptAsker {
  /// An interval of a session has been spooled: its device is asked if it is connected, and
  /// [Receipts#unreachable] is told of each boundary if not. Must not block.
  ///
  /// @param device public key, 32 bytes raw
  /// @param session issued by this SNAPT
  /// @param boundaries of the interval's reports that carried bytes, with their session; maybe none
  /// @param last whether the session ended with this interval
  void ask(ByteString device, String session, List<IntervalBoundary> boundaries, boolean last);
}
