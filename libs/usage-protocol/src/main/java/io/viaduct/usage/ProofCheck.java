package io.viaduct.usage;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.Receipt;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedReceipt;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.security.PublicKey;
import java.util.List;
import java.util.Optional;

/// Checks token and receipt of a report. Uses only the messages and the given keys.
final class ProofCheck {
  /// Tolerance before and after a token's validity, because the clocks of bridge and SNAPT may
  /// differ.
  static final long CLOCK_TOLERATED_MS = 30_000;

  private ProofCheck() {}

  static ReportProof judge(
      SignedUsageReport signed, UsageReport report, TokenKeys keys, String audience) {
    if (!signed.hasToken()) {
      return new ReportProof.NoToken();
    }
    try {
      SessionToken token = token(signed.getToken(), keys);
      requireOfReport(token, report, audience);
      PublicKey device =
          TokenKeys.publicKey(token.getDeviceKey())
              .orElseThrow(() ->
                  broken(
                      ReportFlaw.TOKEN_MALFORMED,
                      "device_key must have 32 bytes, has " + token.getDeviceKey().size()));
      if (signed.hasReceipt()) {
        requireReceipt(signed.getReceipt(), device, report);
        return new ReportProof.Signed();
      }
      return report.getPreBytes() == 0 ? new ReportProof.Signed() : new ReportProof.ReceiptOwed();
    } catch (BrokenException e) {
      return new ReportProof.Broken(e.finding);
    }
  }

  /// Returns the flaw of a token that a session of an account shows now; empty if it has none.
  static Optional<Finding> flaw(
      SignedSessionToken signed, String account, TokenKeys keys, String audience, long nowMs) {
    try {
      SessionToken token = token(signed, keys);
      requireSame("account", token.getAccount(), account);
      requireAudience(token, audience);
      requireValid(token, nowMs, nowMs);
      return Optional.empty();
    } catch (BrokenException e) {
      return Optional.of(e.finding);
    }
  }

  private static SessionToken token(SignedSessionToken signed, TokenKeys keys)
      throws BrokenException {
    List<PublicKey> named = keys.named(signed.getKeyId());
    if (named.isEmpty()) {
      throw broken(
          ReportFlaw.TOKEN_KEY_UNKNOWN,
          "no token key is named '%s': if it was the bridge's, add it to token.accepted-keys"
              .formatted(shown(signed.getKeyId())));
    }
    ByteString content = signed.getToken();
    if (named.stream()
        .noneMatch(
            key -> SignedMessage.SESSION_TOKEN.isSignedBy(key, content, signed.getSignature()))) {
      throw broken(
          ReportFlaw.TOKEN_FORGED,
          "the token's signature is not by the key '" + shown(signed.getKeyId()) + "'");
    }
    try {
      return SessionToken.parseFrom(content);
    } catch (InvalidProtocolBufferException _) {
      throw broken(ReportFlaw.TOKEN_MALFORMED, "the token is no SessionToken");
    }
  }

  private static void requireOfReport(SessionToken token, UsageReport report, String audience)
      throws BrokenException {
    requireSame("account", token.getAccount(), report.getAccount());
    requireSame("token_id", token.getTokenId(), report.getTokenId());
    requireSame("icid", token.getIcid(), report.getIcid());
    requireAudience(token, audience);
    requireValid(token, report.getStartMs(), report.getEndMs());
  }

  private static void requireAudience(SessionToken token, String audience) throws BrokenException {
    if (!token.getAudience().equals(audience)) {
      throw broken(
          ReportFlaw.TOKEN_OF_OTHER_AUDIENCE,
          "the token is for '%s', must be for '%s'"
              .formatted(shown(token.getAudience()), audience));
    }
  }

  private static void requireValid(SessionToken token, long startMs, long endMs)
      throws BrokenException {
    if (token.getNotBeforeMs() - CLOCK_TOLERATED_MS >= endMs
        || token.getExpiresMs() + CLOCK_TOLERATED_MS <= startMs) {
      throw broken(
          ReportFlaw.TOKEN_NOT_VALID_THEN,
          "the token is valid from %d to %d ms, the interval is %d to %d"
              .formatted(token.getNotBeforeMs(), token.getExpiresMs(), startMs, endMs));
    }
  }

  private static void requireSame(String field, String ofToken, String ofReport)
      throws BrokenException {
    if (!ofToken.equals(ofReport)) {
      throw broken(
          ReportFlaw.TOKEN_OF_OTHER_SESSION,
          "%s must be the token's '%s', got '%s'"
              .formatted(field, shown(ofToken), shown(ofReport)));
    }
  }

  private static void requireReceipt(SignedReceipt signed, PublicKey device, UsageReport report)
      throws BrokenException {
    if (!SignedMessage.RECEIPT.isSignedBy(device, signed.getReceipt(), signed.getSignature())) {
      throw broken(
          ReportFlaw.RECEIPT_FORGED, "the receipt's signature is not by the token's device key");
    }
    Receipt receipt;
    try {
      receipt = Receipt.parseFrom(signed.getReceipt());
    } catch (InvalidProtocolBufferException _) {
      throw broken(ReportFlaw.RECEIPT_MALFORMED, "the receipt is no Receipt");
    }
    if (!receipt.getSnaptId().equals(report.getSnaptId())
        || !receipt.getSessionId().equals(report.getSessionId())
        || receipt.getEpoch() != report.getEpoch()
        || receipt.getSequence() != report.getSequence()
        || receipt.getStartMs() != report.getStartMs()
        || receipt.getEndMs() != report.getEndMs()) {
      throw broken(
          ReportFlaw.RECEIPT_OF_OTHER_INTERVAL,
          "the receipt is of %s/%s/%d/%d from %d to %d ms"
              .formatted(
                  shown(receipt.getSnaptId()),
                  shown(receipt.getSessionId()),
                  receipt.getEpoch(),
                  receipt.getSequence(),
                  receipt.getStartMs(),
                  receipt.getEndMs()));
    }
    long up = 0;
    long down = 0;
    for (FlowUsage flow : report.getFlowsList()) {
      up += flow.getUp().getPreBytes();
      down += flow.getDown().getPreBytes();
    }
    if (receipt.getUpBytes() != up || receipt.getDownBytes() != down) {
      throw broken(
          ReportFlaw.RECEIPT_OF_OTHER_COUNTS,
          "the receipt is of %s bytes up and %s down, the report of %d and %d"
              .formatted(
                  Long.toUnsignedString(receipt.getUpBytes()),
                  Long.toUnsignedString(receipt.getDownBytes()),
                  up,
                  down));
    }
  }

  private static BrokenException broken(ReportFlaw flaw, String detail) {
    return new BrokenException(new Finding(flaw, detail));
  }

  // The names come from strangers, so long ones are cut. The code that displays them makes them
  // printable.
  private static String shown(String text) {
    return text.length() <= 64 ? text : text.substring(0, 61) + "...";
  }

  /// Ends the checks at the first broken rule.
  private static final class BrokenException extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient Finding finding;

    private BrokenException(Finding finding) {
      super(finding.detail(), null, false, false);
      this.finding = finding;
    }
  }
}
