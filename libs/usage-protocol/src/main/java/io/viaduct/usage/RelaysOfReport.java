package io.viaduct.usage;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.usage.v1.RelayedBytes;
import io.viaduct.usage.v1.ReportRelays;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.util.List;
import java.util.Optional;

/// A report whose relays stand apart from the bytes that its SNAPT signs (ADR 0086). The signed
/// bytes are in the statement of the payer, who must not learn which neighbours have carried them.
///
/// @param report the report without relays, with the SHA-256 of the list
/// @param list the serialized ReportRelays; empty if no neighbour has carried bytes
public record RelaysOfReport(UsageReport report, ByteString list) {
  /// Takes the relays out of a report. The same report and key give the same bytes.
  ///
  /// @param key the SNAPT's report key. Its signature of the report is the salt of the list: nobody
  ///   else can compute it, so the digest does not confirm a guessed name
  public static RelaysOfReport takeOut(UsageReport report, PrivateKey key) {
    if (report.getRelaysCount() == 0) {
      return new RelaysOfReport(report, ByteString.EMPTY);
    }
    UsageReport rest = report.toBuilder().clearRelays().build();
    ByteString list =
        ReportRelays.newBuilder()
            .setSalt(SignedMessage.REPORT_RELAYS.sign(key, rest.toByteString()))
            .addAllRelays(report.getRelaysList())
            .build()
            .toByteString();
    return new RelaysOfReport(rest.toBuilder().setRelaysDigest(sha256(list)).build(), list);
  }

  /// Returns the relays of a report: those of the list that its digest names. A SNAPT of the
  /// version before has them inside of the report.
  ///
  /// @return empty if the list is not the one that the report names
  public static Optional<List<RelayedBytes>> relaysOf(
      SignedUsageReport envelope, UsageReport report) {
    ByteString list = envelope.getRelays();
    if (report.getRelaysDigest().isEmpty()) {
      return list.isEmpty() ? Optional.of(report.getRelaysList()) : Optional.empty();
    }
    if (report.getRelaysCount() > 0 || !report.getRelaysDigest().equals(sha256(list))) {
      return Optional.empty();
    }
    try {
      return Optional.of(ReportRelays.parseFrom(list).getRelaysList());
    } catch (InvalidProtocolBufferException _) {
      return Optional.empty();
    }
  }

  private static ByteString sha256(ByteString content) {
    try {
      return ByteString.copyFrom(
          MessageDigest.getInstance("SHA-256").digest(content.toByteArray()));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
