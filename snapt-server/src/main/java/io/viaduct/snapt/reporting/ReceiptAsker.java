package io.viaduct.snapt.reporting;

import com.google.protobuf.ByteString;
import io.viaduct.tunnel.control.v1.IntervalBoundary;
import java.util.List;

/// Asks connected devices for receipts. The answers are passed to [Receipts], from any thread.
public interface ReceiptAsker {
  /// Asks a device for the receipt of an interval that has been spooled. If the device is not
  /// connected, calls [Receipts#unreachable] for each boundary. Must not block.
  ///
  /// @param device the device's public key, 32 raw bytes
  /// @param session session id, issued by this SNAPT
  /// @param boundaries boundaries of the interval's reports with bytes, with their session; may be
  ///   empty
  /// @param last true if the session ended with this interval
  void ask(ByteString device, String session, List<IntervalBoundary> boundaries, boolean last);
}
