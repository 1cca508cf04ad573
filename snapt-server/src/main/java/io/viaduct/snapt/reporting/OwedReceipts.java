package io.viaduct.snapt.reporting;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Indexes, by device, the reports of the spool that still need their device's receipt. The index
/// is derived from the envelopes on disk, so a start rebuilds it. Owned by the spool.
final class OwedReceipts {
  private final Map<ReportIdentity, Owed> owed = new HashMap<>();
  private final Map<ByteString, NavigableSet<ReportIdentity>> ofDevice = new HashMap<>();
  private volatile int size;

  /// @param device the device's public key, 32 raw bytes
  /// @param endMs end of the report's interval, in Unix milliseconds
  record Owed(ByteString device, long endMs) {}

  /// Updates the index for the present envelope, which may or may not need a receipt.
  void take(ReportIdentity identity, SignedUsageReport envelope, UsageReport report) {
    remove(identity);
    deviceOf(envelope, report)
        .ifPresent(device -> {
          owed.put(identity, new Owed(device, report.getEndMs()));
          ofDevice.computeIfAbsent(device, _ -> new TreeSet<>()).add(identity);
        });
    size = owed.size();
  }

  private static Optional<ByteString> deviceOf(SignedUsageReport envelope, UsageReport report) {
    boolean never =
        switch (envelope.getReceiptRefusal().getReason()) {
          case UNKNOWN_SESSION, NOT_SUPPORTED -> true;
          case RECEIPT_REFUSAL_REASON_UNSPECIFIED, COUNTS_DIFFER, UNRECOGNIZED -> false;
        };
    if (never || report.getPreBytes() == 0 || envelope.hasReceipt() || !envelope.hasToken()) {
      return Optional.empty();
    }
    try {
      return Optional.of(SessionToken.parseFrom(envelope.getToken().getToken()).getDeviceKey());
    } catch (InvalidProtocolBufferException _) {
      return Optional
          .empty(); // the token was valid when the device sent it, so the disk has corrupted it
    }
  }

  void remove(ReportIdentity identity) {
    Owed before = owed.remove(identity);
    if (before != null) {
      ofDevice.computeIfPresent(
          before.device(),
          (_, set) -> {
            set.remove(identity);
            return set.isEmpty() ? null : set;
          });
      size = owed.size();
    }
  }

  /// Returns the receipt that a report needs, or null if it needs none.
  @Nullable Owed of(ReportIdentity identity) {
    return owed.get(identity);
  }

  /// Returns the reports that need a receipt of this device, oldest first. If there are more than
  /// `max`, returns the newest `max`.
  List<ReportIdentity> of(ByteString device, int max) {
    NavigableSet<ReportIdentity> all = ofDevice.getOrDefault(device, new TreeSet<>());
    return all.stream().skip(Math.max(0, all.size() - max)).toList();
  }

  /// Returns the number of receipts that a device owes.
  int count(ByteString device) {
    return ofDevice.getOrDefault(device, new TreeSet<>()).size();
  }

  /// Returns the number of receipts that all devices owe; any thread.
  int size() {
    return size;
  }
}
